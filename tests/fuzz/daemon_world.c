/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemon_world.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "script.h"
#include "urom/daemon/spawn.h"

#define FIRST_PID 100000

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
static bool is_refused, is_scan_slow;

void world_begin(void)
{
	for (size_t i = 0; i < num_processes; i++) {
		if (processes[i].fd >= 0)
			close(processes[i].fd);
	}
	num_processes = 0;
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

		if (!process->is_over)
			return process;
	}
	return NULL;
}

void world_exit(struct world_process *process, bool is_signal, int status)
{
	const siginfo_t info = {
		.si_code = is_signal ? CLD_KILLED : CLD_EXITED,
		.si_status = status,
	};

	process->is_over = true;
	if (process->ended != NULL)
		(void)process->ended(NULL, &info, process->arg);
}

__typeof__(uromd_spawn) __wrap_uromd_spawn;
__typeof__(sd_event_add_child) __wrap_sd_event_add_child;
__typeof__(kill) __wrap_kill;
__typeof__(waitpid) __wrap_waitpid;
__typeof__(waitid) __wrap_waitid;

doca_error_t __wrap_uromd_spawn(const struct uromd_daemon *daemon, uint64_t id,
				const struct uromd_request *request,
				const struct uromd_account *account, const struct sockaddr *local,
				int log_fd, struct uromd_process *process,
				struct uromd_failure *failure)
{
	int fds[2];

	(void)daemon;
	(void)request;
	(void)account;
	(void)local;
	(void)log_fd;
	CHECK(id != UROMD_WORKER_ID_ANY);
	if (is_refused || num_processes == WORLD_MAX_PROCESSES) {
		is_refused = false;
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no more processes");
	}
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	processes[num_processes] = (struct world_process){ .fd = fds[1] };
	*process = (struct uromd_process){ .fd = fds[0] };
	process->pid = FIRST_PID + (pid_t)num_processes++;
	return DOCA_SUCCESS;
}

int __wrap_sd_event_add_child(sd_event *event, sd_event_source **source, pid_t pid, int options,
			      sd_event_child_handler_t callback, void *arg)
{
	struct world_process *process = &processes[pid - FIRST_PID];

	(void)event;
	(void)options;
	CHECK(pid >= FIRST_PID && pid < FIRST_PID + WORLD_MAX_PROCESSES && !process->is_over);
	process->ended = callback;
	process->arg = arg;
	*source = NULL;
	return 0;
}

/* A signal goes to a process that is there, or to its group when it has just ended. */
int __wrap_kill(pid_t pid, int number)
{
	const pid_t leader = pid < 0 ? -pid : pid;

	CHECK(leader >= FIRST_PID && leader < FIRST_PID + (pid_t)num_processes);
	CHECK(number == SIGKILL || number == SIGTERM);
	CHECK(pid < 0 || !processes[pid - FIRST_PID].is_over);
	processes[leader - FIRST_PID].is_killed = true;
	return 0;
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	(void)status;
	(void)options;
	processes[pid - FIRST_PID].is_over = true;
	return pid;
}

int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	(void)type;
	(void)info;
	(void)options;
	CHECK(processes[(pid_t)id - FIRST_PID].is_over);
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
