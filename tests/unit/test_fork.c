/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A process forks while its other threads are busy in this library: the child has what it needs. A
 * child that waits for a lock of a thread that it does not have is ended by its alarm.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_buf_inventory.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_mmap.h>

#include "core/key.h"
#include "core/log.h"
#include "core/sync_event.h"
#include "test.h"

DOCA_LOG_REGISTER(TEST::FORK);

#define NUM_FORKS  200
#define PATIENCE_S 20 /* of a child's alarm */
#define NUM_LINES  10

static int library_source; /* of the libraries' class */
static struct doca_log_backend *backend, *library_backend;
static bool is_enough; /* atomic */

static bool is_over(void)
{
	return __atomic_load_n(&is_enough, __ATOMIC_RELAXED);
}

/* --- What threads do meanwhile, and children afterwards --- */

static void log_lines(void)
{
	for (int i = 0; i < NUM_LINES; i++) {
		DOCA_LOG_INFO("line %d of the application", i);
		(void)doca_log(DOCA_LOG_LEVEL_INFO, library_source, NULL, 0, NULL,
			       "line %d of a library", i);
	}
}

/* Changes of a limit take both locks of the log, one in the other. */
static void set_limits(void)
{
	(void)doca_log_backend_set_sdk_level(library_backend, DOCA_LOG_LEVEL_INFO);
	(void)doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO);
}

static void register_source(void)
{
	int source;

	if (doca_log_register_source("TEST::FORK::MORE", &source) == DOCA_SUCCESS)
		(void)doca_log_unregister_source(source);
}

static void open_device(void)
{
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t count;

	if (doca_devinfo_create_list(&list, &count) != DOCA_SUCCESS)
		return;
	if (count > 0 && doca_dev_open(list[0], &dev) == DOCA_SUCCESS)
		(void)doca_dev_close(dev);
	(void)doca_devinfo_destroy_list(list);
}

static void use_key(void)
{
	static char bytes[64];
	const struct core_key_range range = { .addr = bytes, .len = sizeof(bytes) };
	struct core_key_range found;
	struct core_key key;

	if (core_key_make(&key) != DOCA_SUCCESS || core_key_add(&key, &range) != DOCA_SUCCESS)
		return;
	if (core_key_acquire(key.index, key.tag, &found))
		core_key_release(key.index);
	core_key_remove(&key);
}

static void notify(void)
{
	static __thread struct core_sync_sleeper sleeper;
	uint64_t cell = 0, other = 0;

	core_sync_sleeper_add(&sleeper, &cell, NULL);
	core_sync_store(&other, 1);
	core_sync_sleeper_remove(&sleeper);
}

static void (*const jobs[])(void) = {
	log_lines, log_lines, set_limits, register_source, open_device, use_key, notify,
};

#define NUM_JOBS (sizeof(jobs) / sizeof(jobs[0]))

/* As threads. */
static const size_t num_jobs = TEST_HAS_ASAN ? 0 : NUM_JOBS;

static void *run(void *opaque)
{
	void (*const *job)(void) = opaque;

	while (!is_over())
		(*job)();
	return NULL;
}

static void start(pthread_t threads[NUM_JOBS])
{
	__atomic_store_n(&is_enough, false, __ATOMIC_RELAXED);
	for (size_t i = 0; i < num_jobs; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)&jobs[i]), 0);
}

static void join(const pthread_t threads[NUM_JOBS])
{
	__atomic_store_n(&is_enough, true, __ATOMIC_RELAXED);
	for (size_t i = 0; i < num_jobs; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* --- Children --- */

/* Forks; the child does that and ends well, or is ended. Returns its status as waitpid() has it. */
static int run_in_child(void (*what)(void))
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(PATIENCE_S);
		what();
		_exit(EXIT_SUCCESS);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void do_all(void)
{
	for (size_t i = 0; i < NUM_JOBS; i++)
		jobs[i]();
}

static void child_can_use_what_other_threads_were_using(void **state)
{
	pthread_t threads[NUM_JOBS];

	(void)state;
	start(threads);
	for (int i = 0; i < NUM_FORKS; i++) {
		const int status = run_in_child(do_all);

		if (status != 0) {
			join(threads);
			fail_msg("child %d of %d ended with 0x%x", i, NUM_FORKS, status);
		}
	}
	join(threads);
}

static void do_nothing(void)
{
}

/* The parent goes on as well: what was taken before the fork is given back. */
static void parent_goes_on(void **state)
{
	(void)state;
	for (int i = 0; i < NUM_FORKS; i++) {
		assert_int_equal(run_in_child(do_nothing), 0);
		do_all();
	}
}

/* An access of a thread that the child has not does not keep its key. */
static void child_can_remove_a_key_that_was_just_used(void **state)
{
	static char bytes[64];
	const struct core_key_range range = { .addr = bytes, .len = sizeof(bytes) };
	struct core_key_range found;
	struct core_key key;
	int status = 0;
	pid_t pid;

	(void)state;
	assert_success(core_key_make(&key));
	assert_success(core_key_add(&key, &range));
	assert_true(core_key_acquire(key.index, key.tag, &found));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(PATIENCE_S);
		core_key_remove(&key);
		_exit(EXIT_SUCCESS);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	core_key_release(key.index);
	core_key_remove(&key);
}

/* --- A fork by the function of a backend, which runs with the lock of its sink --- */

static char handler_line[1024];
static int handler_status;
static bool is_forking; /* what the function does with the next line */
static bool is_child;

static void on_line(char *line)
{
	pid_t pid;

	(void)line;
	if (!is_forking)
		return;
	is_forking = false;
	pid = fork();
	if (pid == 0) {
		(void)alarm(PATIENCE_S);
		is_child = true;
		return;
	}
	(void)waitpid(pid, &handler_status, 0);
}

static void function_of_a_backend_may_fork(void **state)
{
	struct doca_log_backend *forks;

	(void)state;
	assert_success(
	    doca_log_backend_create_with_buf(handler_line, sizeof(handler_line), on_line, &forks));
	is_forking = true;
	handler_status = -1;
	DOCA_LOG_INFO("a line that forks");
	if (is_child) { /* it has come back by way of the log, as the parent does */
		log_lines();
		_exit(EXIT_SUCCESS);
	}
	assert_int_equal(handler_status, 0);
	log_lines();
}

/* --- exec --- */

/* What this library has open is closed in a program that a child executes. */
static void nothing_of_ours_is_open_behind_exec(void **state)
{
	unsigned int before = test_num_fds();
	struct doca_pe *pe;
	doca_event_handle_t handle;

	(void)state;
	assert_success(doca_pe_create(&pe));
	assert_success(doca_pe_get_notification_handle(pe, &handle));
	assert_true(test_num_fds() > before);
	for (int fd = STDERR_FILENO + 1; fd < 1024; fd++) {
		const int flags = fcntl(fd, F_GETFD);
		char link[64], what[64] = "";

		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (flags >= 0 && (flags & FD_CLOEXEC) == 0 &&
		    readlink(link, what, sizeof(what) - 1) > 0 &&
		    strstr(what, "anon_inode") != NULL)
			fail_msg("%d, %s, stays open", fd, what);
	}
	assert_success(doca_pe_destroy(pe));
}

static int setup(void **state)
{
	struct doca_log_backend *more;
	FILE *file = fopen("/dev/null", "we");
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	if (file == NULL || fd < 0 ||
	    core_log_register_source("TEST::LIBRARY", &library_source) != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file(file, &backend) != DOCA_SUCCESS ||
	    doca_log_backend_create_with_fd(fd, &more) != DOCA_SUCCESS ||
	    doca_log_backend_create_with_fd_sdk(fd, &more) != DOCA_SUCCESS ||
	    doca_log_backend_create_with_file_sdk(file, &library_backend) != DOCA_SUCCESS)
		return -1;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(child_can_use_what_other_threads_were_using),
		TEST(parent_goes_on),
		TEST(child_can_remove_a_key_that_was_just_used),
		TEST(function_of_a_backend_may_fork),
		TEST(nothing_of_ours_is_open_behind_exec),
	};

	return cmocka_run_group_tests_name("fork", tests, setup, NULL);
}
