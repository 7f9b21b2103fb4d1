/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fault storm: every 100 ms a worker, a host or a plugin is killed, is stopped or does harm,
 * beside a job that must not notice. Then nothing may be left.
 *
 *     test_urom_storm [SECONDS [SEED]]
 *
 * The seed is printed; the same seed makes the same choices, on what is then there.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storm_hosts.h"
#include "test.h"
#include "urom_hostile.h"
#include "urom_procs.h"
#include "urom_program.h"
#include "urom_rig.h"

#define LEN(array)      (sizeof(array) / sizeof((array)[0]))
#define NS_PER_S        UINT64_C(1000000000)
#define TICK_NS         (NS_PER_S / 10)
#define PATIENCE_NS     (30 * NS_PER_S)
#define NUM_VICTIMS     5
#define MAX_STOPPED     8
#define MAX_STOP_TICKS  12
#define NOISE_BYTES     256
#define DEFAULT_SECONDS 20
#define TICKS_A_SEGMENT 200 /* at most so many segments are left */

/* How much more memory the daemon may have at the end than after a fifth of the time. */
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MAX_GROWTH_KIB (64 * 1024) /* sanitizers keep what was freed, and more of it the longer */
#else
#define MAX_GROWTH_KIB 1024
#endif

/* A process that was stopped, and when it goes on. */
struct stopped {
	pid_t pid; /* 0: none */
	unsigned int due;
};

static struct storm {
	unsigned int seconds;
	unsigned int seed;
	unsigned int random;
	struct urom_rig rig;
	struct urom_program steady;
	pid_t steady_worker;
	bool is_steady_over;
	struct urom_program victims[NUM_VICTIMS]; /* pid 0: none */
	bool is_ending;                           /* none begins anew */
	struct stopped stopped[MAX_STOPPED];
	unsigned int tick;
	unsigned int counts[16];   /* by fault */
	unsigned int num_segments; /* that hosts have left */
} storm = { .seconds = DEFAULT_SECONDS };

static unsigned int roll(unsigned int sides)
{
	return (unsigned int)rand_r(&storm.random) % sides;
}

/* --- processes --- */

static void begin_victim(struct urom_program *victim)
{
	char seed[16];
	const char *const args[] = { "victim", seed, NULL };

	(void)snprintf(seed, sizeof(seed), "%u", roll(1000000));
	urom_program_start(victim, args);
}

/*
 * Segments of shared memory that are not marked to go; maker: by whom, 0: by anybody. UCX marks one
 * a few calls after it makes it: a host that is killed in between leaves it, which nobody can help,
 * while those of workers go with them.
 */
static unsigned int count_segments(pid_t maker)
{
	FILE *file = fopen("/proc/sysvipc/shm", "re");
	unsigned int mode, count = 0;
	char line[512];
	int pid;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "%*d %*d %o %*u %d", &mode, &pid) == 2 && (mode & SHM_DEST) == 0 &&
		    (maker == 0 || pid == maker))
			count++;
	}
	fclose(file);
	return count;
}

static void end_victim(struct urom_program *victim, int status)
{
	const bool is_good = (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
			     (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

	if (!is_good)
		fail_msg("seed %u: a host has ended with status 0x%x", storm.seed, status);
	if (victim->in >= 0)
		close(victim->in);
	close(victim->out);
	storm.num_segments += count_segments(victim->pid);
	victim->pid = 0;
}

static void forget_stopped(pid_t pid)
{
	for (size_t i = 0; i < MAX_STOPPED; i++) {
		if (storm.stopped[i].pid == pid)
			storm.stopped[i].pid = 0;
	}
}

static void on_end_of(pid_t pid, int status)
{
	forget_stopped(pid);
	if (pid == storm.rig.daemon)
		fail_msg("seed %u: the daemon has ended with status 0x%x", storm.seed, status);
	if (pid == storm.steady.pid) {
		if (status != 0)
			fail_msg("seed %u: the steady job has ended with status 0x%x", storm.seed,
				 status);
		storm.is_steady_over = true;
	}
	for (size_t i = 0; i < NUM_VICTIMS; i++) {
		if (pid == storm.victims[i].pid)
			end_victim(&storm.victims[i], status);
	}
}

/* Orphans, of plugins that fork, are the test's as well. */
static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		on_end_of(pid, status);
}

/* --- faults --- */

/* A worker that is not the steady one's; 0: there is none. */
static pid_t choose_worker(void)
{
	pid_t pids[UROM_PROCS_MAX];
	size_t count = urom_procs_children(storm.rig.daemon, UROM_RIG_WORKER, pids);
	size_t first = count > 0 ? roll((unsigned int)count) : 0;

	for (size_t i = 0; i < count; i++) {
		pid_t pid = pids[(first + i) % count];

		if (pid != storm.steady_worker)
			return pid;
	}
	return 0;
}

static struct urom_program *choose_victim(void)
{
	struct urom_program *victim = &storm.victims[roll(NUM_VICTIMS)];

	return victim->pid != 0 ? victim : NULL;
}

static void stop(pid_t pid)
{
	for (size_t i = 0; i < MAX_STOPPED; i++) {
		if (storm.stopped[i].pid == pid)
			return;
		if (storm.stopped[i].pid != 0)
			continue;
		storm.stopped[i] = (struct stopped){ pid, storm.tick + 1 + roll(MAX_STOP_TICKS) };
		(void)kill(pid, SIGSTOP); /* it may have ended just now, unreaped */
		return;
	}
}

/* Workers are not this process's children: whether it is still the same one is looked at. */
static bool is_ours(pid_t pid)
{
	pid_t pids[UROM_PROCS_MAX];
	size_t count = urom_procs_children(storm.rig.daemon, UROM_RIG_WORKER, pids);

	for (size_t i = 0; i < NUM_VICTIMS; i++) {
		if (storm.victims[i].pid == pid)
			return true;
	}
	for (size_t i = 0; i < count; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

/* How those go on that have been stopped for long enough, or all of them. */
static void go_on(bool is_all)
{
	for (size_t i = 0; i < MAX_STOPPED; i++) {
		struct stopped *stopped = &storm.stopped[i];

		if (stopped->pid == 0 || (!is_all && stopped->due > storm.tick))
			continue;
		if (is_ours(stopped->pid))
			(void)kill(stopped->pid, !is_all && roll(2) == 0 ? SIGKILL : SIGCONT);
		stopped->pid = 0;
	}
}

static void kill_worker(void)
{
	pid_t pid = choose_worker();

	if (pid > 0)
		(void)kill(pid, SIGKILL);
}

static void stop_worker(void)
{
	pid_t pid = choose_worker();

	if (pid > 0)
		stop(pid);
}

static void kill_host(void)
{
	const struct urom_program *victim = choose_victim();

	if (victim != NULL)
		(void)kill(victim->pid, SIGKILL);
}

static void stop_host(void)
{
	const struct urom_program *victim = choose_victim();

	if (victim != NULL)
		stop(victim->pid);
}

/* In good order. */
static void leave_host(void)
{
	struct urom_program *victim = choose_victim();

	if (victim != NULL && victim->in >= 0)
		urom_program_go_on(victim);
}

static void do_harm(void)
{
	const unsigned char order = (unsigned char)roll(storm_num_harms());
	const struct urom_program *victim = choose_victim();

	if (victim != NULL && victim->in >= 0)
		(void)!write(victim->in, &order, 1); /* one that has ended just now does none */
}

/* A stranger who talks nonsense and hangs up. */
static void send_noise(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = htons(storm.rig.port),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	unsigned char noise[NOISE_BYTES];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)roll(256);
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		(void)send(fd, noise, 1 + roll(sizeof(noise)), MSG_NOSIGNAL);
	close(fd);
}

static const struct {
	const char *name;
	void (*cause)(void);
} faults[] = {
	{ "worker killed", kill_worker }, { "worker stopped", stop_worker },
	{ "host killed", kill_host },     { "host stopped", stop_host },
	{ "host left", leave_host },      { "harm by a plugin", do_harm },
	{ "harm by a plugin", do_harm },  { "noise", send_noise },
};

/* --- the storm --- */

static void on_tick(void)
{
	unsigned int fault = roll(LEN(faults));

	storm.tick++;
	reap();
	go_on(false);
	if (storm.is_ending)
		return;
	for (size_t i = 0; i < NUM_VICTIMS; i++) {
		if (storm.victims[i].pid == 0)
			begin_victim(&storm.victims[i]);
	}
	storm.counts[fault]++;
	faults[fault].cause();
}

/* Ticks until the time is over, or until is_over says so. */
static void run_until(uint64_t end_ns, bool (*is_over)(void))
{
	const struct itimerspec period = { { 0, (long)TICK_NS }, { 0, (long)TICK_NS } };
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t ticks;

	assert_true(timer >= 0);
	assert_int_equal(timerfd_settime(timer, 0, &period, NULL), 0);
	while (test_now_ns() < end_ns && (is_over == NULL || !is_over())) {
		assert_int_equal(read(timer, &ticks, sizeof(ticks)), sizeof(ticks));
		on_tick();
		assert_false(storm.is_steady_over);
	}
	close(timer);
}

/* Only the steady job is there. */
static bool is_calm(void)
{
	pid_t pids[UROM_PROCS_MAX];

	for (size_t i = 0; i < NUM_VICTIMS; i++) {
		if (storm.victims[i].pid != 0)
			return false;
	}
	return urom_procs_children(storm.rig.daemon, NULL, pids) == 1;
}

static void calm_down(void)
{
	storm.is_ending = true;
	go_on(true);
	for (size_t i = 0; i < NUM_VICTIMS; i++) {
		if (storm.victims[i].pid != 0 && storm.victims[i].in >= 0)
			urom_program_go_on(&storm.victims[i]);
	}
	run_until(test_now_ns() + PATIENCE_NS, is_calm);
	if (!is_calm())
		fail_msg("seed %u: hosts or workers do not come to their ends", storm.seed);
	storm.is_ending = false;
}

/* --- what is left --- */

static unsigned long daemon_kib(void)
{
	char path[64], line[256];
	unsigned long kib = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)storm.rig.daemon);
	file = fopen(path, "re");
	assert_non_null(file);
	while (kib == 0 && fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "VmRSS: %lu kB", &kib) != 1)
			kib = 0;
	}
	fclose(file);
	assert_true(kib > 0);
	return kib;
}

static unsigned int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count;
}

/* Whoever is killed, at whatever moment, leaves no file of shared memory. */
static void check_shared_files(void)
{
	DIR *dir = opendir("/dev/shm");
	const struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] != '.')
			fail_msg("seed %u: /dev/shm/%s is left", storm.seed, entry->d_name);
	}
	closedir(dir);
}

static void check_segments(void)
{
	print_message("%u segments of UCX's are left of hosts that were killed\n",
		      storm.num_segments);
	assert_int_equal(count_segments(0), storm.num_segments);
	assert_true(storm.num_segments <= 1 + storm.tick / TICKS_A_SEGMENT);
}

static unsigned int daemon_fds(void)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)storm.rig.daemon);
	return count_entries(path);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Shared memory of its own, so that all that is left there is of this test's making. */
static void isolate(void)
{
	const unsigned int uid = getuid(), gid = getgid();
	char map[64];

	if (unshare(CLONE_NEWIPC | CLONE_NEWNS) != 0) {
		assert_int_equal(unshare(CLONE_NEWUSER | CLONE_NEWIPC | CLONE_NEWNS), 0);
		(void)snprintf(map, sizeof(map), "%u %u 1", uid, uid);
		write_file("/proc/self/uid_map", map);
		write_file("/proc/self/setgroups", "deny");
		(void)snprintf(map, sizeof(map), "%u %u 1", gid, gid);
		write_file("/proc/self/gid_map", map);
	}
	assert_int_equal(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	assert_int_equal(mount("tmpfs", "/dev/shm", "tmpfs", 0, NULL), 0);
}

/* --- the test --- */

static void begin(void)
{
	static const char *const args[] = { "--plugin-timeout", "3", NULL };
	static char asan[256], tsan[256];
	static const char *const env[] = { asan, tsan, NULL };
	static const struct urom_rig_options options = { .args = args,
							 .env = env,
							 .log_level = "40" };
	const char *given_asan = getenv("ASAN_OPTIONS"), *given_tsan = getenv("TSAN_OPTIONS");
	const struct rlimit no_core = { 0, 0 };
	char line[UROM_PROGRAM_LINE];

	isolate();
	assert_int_equal(setrlimit(RLIMIT_CORE, &no_core), 0);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)snprintf(asan, sizeof(asan), "ASAN_OPTIONS=%s:detect_leaks=0:quarantine_size_mb=1",
		       given_asan != NULL ? given_asan : "");
	(void)snprintf(tsan, sizeof(tsan), "TSAN_OPTIONS=%s:report_thread_leaks=0",
		       given_tsan != NULL ? given_tsan : "");
	urom_rig_init_stopped(&storm.rig, &options);
	urom_rig_copy(&storm.rig, UROM_HOSTILE_SO, "plugins/" STORM_PLUGIN ".so");
	urom_rig_start(&storm.rig);
	urom_logs_take_all(&storm.rig.logs, ""); /* of such a time everything is said */
	urom_program_start(&storm.steady, (const char *const[]){ "steady", "1", NULL });
	urom_program_read(&storm.steady, line);
	storm.steady_worker = (pid_t)atoi(line);
}

static bool is_steady_over(void)
{
	return storm.is_steady_over;
}

/* Every command of it was answered once and in order, or it would have ended with an error. */
static void end_steady(void)
{
	char line[UROM_PROGRAM_LINE];
	uint64_t count;
	const uint64_t end_ns = test_now_ns() + PATIENCE_NS;

	urom_program_go_on(&storm.steady);
	urom_program_read(&storm.steady, line);
	assert_int_equal(sscanf(line, "done %" SCNu64, &count), 1);
	assert_true(count > 100 * (uint64_t)storm.seconds / 10);
	while (!is_steady_over() && test_now_ns() < end_ns) {
		reap();
		(void)poll(NULL, 0, 1);
	}
	assert_true(storm.is_steady_over);
	close(storm.steady.out);
	print_message("steady job: %" PRIu64 " commands answered\n", count);
}

static void steady_job_loses_nothing_and_nothing_is_left(void **state)
{
	const unsigned int first = storm.seconds / 5 > 2 ? storm.seconds / 5 : 2;
	unsigned long kib_before, kib_after;
	unsigned int fds_before;

	(void)state;
	print_message("seed %u, %u s\n", storm.seed, storm.seconds);
	begin();
	run_until(test_now_ns() + first * NS_PER_S, NULL);
	calm_down();
	kib_before = daemon_kib();
	fds_before = daemon_fds();
	run_until(test_now_ns() + (storm.seconds - first) * NS_PER_S, NULL);
	calm_down();
	kib_after = daemon_kib();
	for (size_t i = 0; i < LEN(faults); i++)
		print_message("%u times: %s\n", storm.counts[i], faults[i].name);
	print_message("the daemon has %lu KiB, and had %lu\n", kib_after, kib_before);
	assert_int_equal(daemon_fds(), fds_before);
	assert_true(kib_after <= kib_before + MAX_GROWTH_KIB);
	assert_false(urom_logs_have(&storm.rig.logs, "output", "Sanitizer"));
	end_steady();
	urom_rig_fini(&storm.rig); /* finds processes */
	check_segments();
	check_shared_files();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(steady_job_loses_nothing_and_nothing_is_left),
	};
	int status;

	if (storm_hosts_main(argc, argv, &status))
		return status;
	if (argc > 1)
		storm.seconds = (unsigned int)strtoul(argv[1], NULL, 10);
	if (argc > 2)
		storm.seed = (unsigned int)strtoul(argv[2], NULL, 10);
	else if (getrandom(&storm.seed, sizeof(storm.seed), 0) != sizeof(storm.seed))
		return EXIT_FAILURE;
	storm.random = storm.seed;
	if (storm.seconds < 5) {
		fprintf(stderr, "usage: %s [SECONDS [SEED]], at least 5 s\n", argv[0]);
		return 2;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
