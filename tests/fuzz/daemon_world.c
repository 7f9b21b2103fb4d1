/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemon_world.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"
#include "urom/daemon/process/segments.h"
#include "urom/daemon/workers/spawn.h"

#define FIRST_PID   100000
#define FIRST_ASKER 200000
#define MAX_ASKERS  64

/* A timer: a source of the loop that nothing sets off but the input. */
struct timer {
	LIST_ENTRY(timer) link;
	sd_event_source *source;
	sd_event_time_handler_t over;
	void *arg;
};

static LIST_HEAD(, timer) timers = LIST_HEAD_INITIALIZER(timers);
static struct world_process processes[WORLD_MAX_PROCESSES];
static size_t num_processes;
static struct world_asker askers[MAX_ASKERS];
static size_t num_askers;
static bool is_refused, is_scan_slow;

static void close_end(int fd)
{
	if (fd >= 0)
		close(fd);
}

void world_begin(void)
{
	for (size_t i = 0; i < num_processes; i++) {
		close_end(processes[i].fd);
		close_end(processes[i].end_fd);
	}
	for (size_t i = 0; i < num_askers; i++) {
		close_end(askers[i].verdict_fd);
		close_end(askers[i].end_fd);
	}
	num_processes = 0;
	num_askers = 0;
	is_refused = false;
	is_scan_slow = false;
	CHECK(LIST_EMPTY(&timers)); /* each was its owner's, who is gone */
}

void world_slow_scans(void)
{
	is_scan_slow = true;
}

void world_refuse_process(void)
{
	is_refused = true;
}

/* --- Processes --- */

struct world_process *world_process(size_t n)
{
	for (size_t i = 0; i < num_processes; i++) {
		struct world_process *process = &processes[(n + i) % num_processes];

		if (!process->has_ended)
			return process;
	}
	return NULL;
}

void world_exit(struct world_process *process, bool is_signal, int status)
{
	if (process->has_ended)
		return;
	process->has_ended = true;
	process->end = (siginfo_t){ .si_code = is_signal ? CLD_KILLED : CLD_EXITED };
	process->end.si_pid = FIRST_PID + (pid_t)(process - processes);
	process->end.si_status = status;
	if (process->end_fd >= 0)
		CHECK(eventfd_write(process->end_fd, 1) == 0);
}

static struct world_process *find_process(int pidfd)
{
	for (size_t i = 0; i < num_processes; i++) {
		if (processes[i].pidfd == pidfd && !processes[i].is_reaped)
			return &processes[i];
	}
	return NULL;
}

__typeof__(uromd_spawn) __wrap_uromd_spawn;
__typeof__(pidfd_send_signal) __wrap_pidfd_send_signal;
__typeof__(kill) __wrap_kill;
__typeof__(waitid) __wrap_waitid;

doca_error_t __wrap_uromd_spawn(const struct uromd_daemon *daemon, const struct uromd_birth *birth,
				struct uromd_process *process, struct uromd_failure *failure)
{
	int fds[2];

	(void)daemon;
	CHECK(birth->id != UROMD_WORKER_ID_ANY);
	if (is_refused || num_processes == WORLD_MAX_PROCESSES) {
		is_refused = false;
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no more processes");
	}
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	processes[num_processes] =
	    (struct world_process){ .fd = fds[1], .pidfd = -1, .end_fd = -1 };
	*process = (struct uromd_process){ .fd = fds[0] };
	process->pid = FIRST_PID + (pid_t)num_processes++;
	return DOCA_SUCCESS;
}

/* --- Those that look at credentials: a pipe and a number --- */

static int next_verdict_fd = -1; /* the writing end of the last pipe */

__typeof__(pipe2) __real_pipe2;
__typeof__(pipe2) __wrap_pipe2;
__typeof__(fork) __wrap_fork;
__typeof__(pidfd_open) __wrap_pidfd_open;

int __wrap_pipe2(int ends[2], int flags)
{
	if (is_refused) {
		is_refused = false;
		errno = EMFILE;
		return -1;
	}
	CHECK(__real_pipe2(ends, flags | O_NONBLOCK) == 0);
	if (next_verdict_fd >= 0)
		close(next_verdict_fd);
	next_verdict_fd = dup(ends[1]);
	CHECK(next_verdict_fd >= 0);
	return 0;
}

pid_t __wrap_fork(void)
{
	if (num_askers == MAX_ASKERS) {
		errno = EAGAIN;
		return -1;
	}
	askers[num_askers] = (struct world_asker){
		.verdict_fd = next_verdict_fd,
		.pidfd = -1,
		.end_fd = -1,
	};
	next_verdict_fd = -1;
	return FIRST_ASKER + (pid_t)num_askers++;
}

int __wrap_pidfd_open(pid_t pid, unsigned int flags)
{
	const int fd = eventfd(0, EFD_CLOEXEC | (int)flags);
	int end_fd = dup(fd);

	CHECK(fd >= 0 && end_fd >= 0);
	if (pid >= FIRST_ASKER) {
		CHECK(pid < FIRST_ASKER + (pid_t)num_askers);
		askers[pid - FIRST_ASKER].pidfd = fd;
		askers[pid - FIRST_ASKER].end_fd = end_fd;
		return fd;
	}
	CHECK(pid >= FIRST_PID && pid < FIRST_PID + (pid_t)num_processes);
	processes[pid - FIRST_PID].pidfd = fd;
	processes[pid - FIRST_PID].end_fd = end_fd;
	return fd;
}

struct world_asker *world_asker(size_t n)
{
	for (size_t i = 0; i < num_askers; i++) {
		struct world_asker *asker = &askers[(n + i) % num_askers];

		if (asker->verdict_fd >= 0)
			return asker;
	}
	return NULL;
}

void world_asker_exit(struct world_asker *asker)
{
	if (asker->verdict_fd < 0)
		return;
	close(asker->verdict_fd);
	asker->verdict_fd = -1;
	CHECK(eventfd_write(asker->end_fd, 1) == 0);
}

static struct world_asker *find_asker(int pidfd)
{
	for (size_t i = 0; i < num_askers; i++) {
		if (askers[i].pidfd == pidfd && !askers[i].is_reaped)
			return &askers[i];
	}
	return NULL;
}

/* A group is signalled as long as its leader is there, or is not reaped. */
int __wrap_kill(pid_t pid, int number)
{
	const pid_t leader = -pid;

	CHECK(number == SIGKILL);
	if (leader >= FIRST_ASKER) {
		CHECK(leader < FIRST_ASKER + (pid_t)num_askers);
		CHECK(!askers[leader - FIRST_ASKER].is_reaped);
		world_asker_exit(&askers[leader - FIRST_ASKER]);
		return 0;
	}
	CHECK(leader >= FIRST_PID && leader < FIRST_PID + (pid_t)num_processes);
	CHECK(!processes[leader - FIRST_PID].is_reaped);
	world_exit(&processes[leader - FIRST_PID], true, number);
	return 0;
}

int __wrap_pidfd_send_signal(int pidfd, int number, siginfo_t *info, unsigned int flags)
{
	struct world_process *process = find_process(pidfd);
	struct world_asker *asker = find_asker(pidfd);

	(void)info;
	(void)flags;
	if (asker != NULL) {
		CHECK(number == SIGKILL);
		world_asker_exit(asker);
		return 0;
	}
	CHECK(process != NULL && (number == SIGKILL || number == SIGTERM));
	if (number == SIGKILL)
		world_exit(process, true, number);
	return 0;
}

static void look_at_asker(const struct world_asker *asker, siginfo_t *info)
{
	if (asker->verdict_fd >= 0)
		return; /* it has not ended */
	*info = (siginfo_t){ .si_code = CLD_EXITED };
	info->si_pid = FIRST_ASKER + (pid_t)(asker - askers);
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct world_process *process = type == P_PIDFD ? find_process((int)id) : NULL;
	struct world_asker *asker = type == P_PIDFD ? find_asker((int)id) : NULL;

	if (asker != NULL) {
		look_at_asker(asker, info);
		asker->is_reaped = info->si_pid != 0 && (options & WNOWAIT) == 0;
		return 0;
	}
	if (process == NULL) {
		errno = ECHILD;
		return -1;
	}
	if (!process->has_ended)
		return 0;
	*info = process->end;
	process->is_reaped = (options & WNOWAIT) == 0;
	return 0;
}

/* --- Timers --- */

__typeof__(sd_event_add_time_relative) __wrap_sd_event_add_time_relative;
__typeof__(sd_event_source_set_time) __wrap_sd_event_source_set_time;

static int on_over(sd_event_source *source, void *arg)
{
	struct timer *timer = arg;

	return timer->over(source, 0, timer->arg);
}

static void timer_destroy(void *arg)
{
	struct timer *timer = arg;

	LIST_REMOVE(timer, link);
	free(timer);
}

int __wrap_sd_event_add_time_relative(sd_event *event, sd_event_source **source, clockid_t clock,
				      uint64_t usec, uint64_t accuracy,
				      sd_event_time_handler_t callback, void *arg)
{
	struct timer *timer = calloc(1, sizeof(*timer));

	(void)clock;
	(void)usec;
	(void)accuracy;
	CHECK(timer != NULL);
	timer->over = callback;
	timer->arg = arg;
	CHECK(sd_event_add_defer(event, &timer->source, on_over, timer) >= 0);
	CHECK(sd_event_source_set_enabled(timer->source, SD_EVENT_OFF) >= 0);
	CHECK(sd_event_source_set_destroy_callback(timer->source, timer_destroy) >= 0);
	LIST_INSERT_HEAD(&timers, timer, link);
	*source = timer->source;
	return 0;
}

/* Of a scan that has nothing to wait for: it is over with the next turn of the loop. */
int __wrap_sd_event_source_set_time(sd_event_source *source, uint64_t usec)
{
	CHECK(usec == 0);
	return is_scan_slow ? 0 : sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

void world_elapse(size_t n)
{
	struct timer *timer;
	size_t count = 0;

	LIST_FOREACH(timer, &timers, link)
	{
		count++;
	}
	if (count == 0)
		return;
	n %= count;
	LIST_FOREACH(timer, &timers, link)
	{
		if (n-- == 0)
			break;
	}
	CHECK(sd_event_source_set_enabled(timer->source, SD_EVENT_ONESHOT) >= 0);
}

/* --- What looks at processes, and what keeps lines out of the log --- */

__typeof__(uromd_watch_begin) __wrap_uromd_watch_begin;
__typeof__(uromd_throttle_take) __wrap_uromd_throttle_take;
__typeof__(uromd_segments_remove) __wrap_uromd_segments_remove;

/* Its processes have made none; those of the same pids outside may have. */
void __wrap_uromd_segments_remove(pid_t pid)
{
	(void)pid;
}

void __wrap_uromd_watch_begin(struct uromd_daemon *daemon, struct uromd_worker *worker)
{
	(void)daemon;
	(void)worker;
}

bool __wrap_uromd_throttle_take(struct uromd_throttles *throttles, enum uromd_throttle_kind kind,
				uint64_t now_usec)
{
	(void)throttles;
	(void)kind;
	(void)now_usec;
	return true;
}

/* --- Plugins --- */

static char path[] = "/plugins/worker_one.so";

static const struct uromd_plugin plugins[] = {
	{ .id = 1, .version = 3, .name = "worker_one", .path = path },
	{ .id = 2, .version = 1, .name = "worker_two", .path = path },
};

__typeof__(uromd_plugins_count) __wrap_uromd_plugins_count;
__typeof__(uromd_plugins_at) __wrap_uromd_plugins_at;
__typeof__(uromd_plugins_find) __wrap_uromd_plugins_find;

size_t __wrap_uromd_plugins_count(const struct uromd_plugins *table)
{
	(void)table;
	return CORE_ARRAY_LEN(plugins);
}

const struct uromd_plugin *__wrap_uromd_plugins_at(const struct uromd_plugins *table, size_t n)
{
	(void)table;
	return n < CORE_ARRAY_LEN(plugins) ? &plugins[n] : NULL;
}

const struct uromd_plugin *__wrap_uromd_plugins_find(const struct uromd_plugins *table, uint64_t id)
{
	(void)table;
	for (size_t i = 0; i < CORE_ARRAY_LEN(plugins); i++) {
		if (plugins[i].id == id)
			return &plugins[i];
	}
	return NULL;
}
