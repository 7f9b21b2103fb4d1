/* SPDX-License-Identifier: BSD-3-Clause */
/* Many threads log at once: nothing is lost or mixed, and no limit has to wait for a pause. */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_log.h>

#include "log_capture.h"
#include "test.h"

DOCA_LOG_REGISTER(TEST::THREADS);

#define NUM_THREADS 8
#define NUM_LINES   100000 /* of each thread, to one file */
#define FEWER_LINES 10000  /* to the other sinks */
#define NUM_CHANGES 1000
#define PATIENCE_NS UINT64_C(10000000000)

struct logger {
	pthread_t thread;
	unsigned int number;
	unsigned int num_lines; /* it has to log; 0: until the flag is set */
	const bool *is_enough;
	unsigned int num_failed;
};

/* Lines that were logged, by whichever thread. */
static unsigned int total;

static void *logger_run(void *opaque)
{
	struct logger *logger = opaque;
	unsigned int i = 0;

	while (logger->num_lines > 0 ? i < logger->num_lines
				     : !__atomic_load_n(logger->is_enough, __ATOMIC_RELAXED)) {
		if (DOCA_LOG_INFO("%u %u end", logger->number, i++) != DOCA_SUCCESS)
			logger->num_failed++;
		__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void loggers_start(struct logger *loggers, const struct logger *job)
{
	for (unsigned int i = 0; i < NUM_THREADS; i++) {
		loggers[i] = *job;
		loggers[i].number = i;
		assert_int_equal(pthread_create(&loggers[i].thread, NULL, logger_run, &loggers[i]),
				 0);
	}
}

static void loggers_join(struct logger *loggers)
{
	for (unsigned int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(loggers[i].thread, NULL), 0);
		assert_int_equal(loggers[i].num_failed, 0);
	}
}

/* Checks that the line is whole and the next of its thread. */
static void check_line(const char *line, unsigned int next[NUM_THREADS])
{
	unsigned int number, i;
	char expected[64];

	if (sscanf(log_line_message(line), "%u %u", &number, &i) != 2 || number >= NUM_THREADS)
		fail_msg("not a line of a thread: %s", line);
	assert_int_equal(i, next[number]);
	next[number]++;
	snprintf(expected, sizeof(expected), "%u %u end", number, i);
	log_line_check(line, "INF", "TEST::THREADS", expected);
}

/* Gives the number of lines in a file. */
static unsigned int check_lines(FILE *file)
{
	unsigned int next[NUM_THREADS] = { 0 };
	unsigned int count = 0;
	char line[256];

	rewind(file);
	for (; fgets(line, sizeof(line), file) != NULL; count++)
		check_line(line, next);
	return count;
}

/* Silences a backend for good: a test that changes the global limit must not wake it. */
static void retire(struct doca_log_backend *backend)
{
	assert_success(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_DISABLE));
	assert_success(doca_log_backend_set_level_lower_limit_strict(backend));
}

static void stream_gets_every_line_of_every_thread_whole(void **state)
{
	struct logger loggers[NUM_THREADS];
	struct doca_log_backend *backend;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_success(doca_log_backend_create_with_file(file, &backend));
	loggers_start(loggers, &(struct logger){ .num_lines = NUM_LINES });
	loggers_join(loggers);
	assert_int_equal(check_lines(file), NUM_THREADS * NUM_LINES);
	retire(backend);
	fclose(file);
}

static void descriptor_gets_every_line_of_every_thread_whole(void **state)
{
	struct logger loggers[NUM_THREADS];
	struct doca_log_backend *backend;
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_success(doca_log_backend_create_with_fd(fileno(file), &backend));
	loggers_start(loggers, &(struct logger){ .num_lines = FEWER_LINES });
	loggers_join(loggers);
	assert_int_equal(check_lines(file), NUM_THREADS * FEWER_LINES);
	retire(backend);
	fclose(file);
}

static char buf[256];
static unsigned int buf_next[NUM_THREADS];
static unsigned int buf_count;

/* The calls come one at a time, or what is counted here would be a race. */
static void on_line(char *line)
{
	check_line(line, buf_next);
	buf_count++;
}

static void buffer_gets_one_line_at_a_time(void **state)
{
	struct logger loggers[NUM_THREADS];
	struct doca_log_backend *backend;

	(void)state;
	assert_success(doca_log_backend_create_with_buf(buf, sizeof(buf), on_line, &backend));
	loggers_start(loggers, &(struct logger){ .num_lines = FEWER_LINES / 10 });
	loggers_join(loggers);
	assert_int_equal(buf_count, NUM_THREADS * FEWER_LINES / 10);
	retire(backend);
}

/* Both of these let the lines through, so that no thread ever pauses. */
static void change_limits(struct doca_log_backend *backend, unsigned int i)
{
	uint32_t level = i % 2 == 0 ? DOCA_LOG_LEVEL_INFO : DOCA_LOG_LEVEL_TRACE;
	uint32_t upper = i % 2 == 0 ? DOCA_LOG_LEVEL_CRIT : DOCA_LOG_LEVEL_INFO;

	assert_success(doca_log_backend_set_level_lower_limit(backend, level));
	assert_success(doca_log_backend_set_level_upper_limit(backend, upper));
	assert_success(doca_log_level_set_global_lower_limit(level));
}

/* Waits for the next line of any thread, so that each change meets threads that log. */
static bool wait_for_lines(uint64_t end_ns)
{
	unsigned int before = __atomic_load_n(&total, __ATOMIC_RELAXED);

	while (__atomic_load_n(&total, __ATOMIC_RELAXED) == before) {
		if (test_now_ns() > end_ns)
			return false;
		sched_yield();
	}
	return true;
}

static void limits_change_while_threads_log_without_a_pause(void **state)
{
	struct logger loggers[NUM_THREADS];
	struct doca_log_backend *backend;
	uint64_t end_ns = test_now_ns() + PATIENCE_NS;
	bool is_enough = false, is_in_time = true;
	FILE *sink = fopen("/dev/null", "w");

	(void)state;
	assert_non_null(sink);
	assert_success(doca_log_backend_create_with_file(sink, &backend));
	loggers_start(loggers, &(struct logger){ .is_enough = &is_enough });
	for (unsigned int i = 0; i < NUM_CHANGES && is_in_time; i++) {
		change_limits(backend, i);
		is_in_time = wait_for_lines(end_ns);
	}
	__atomic_store_n(&is_enough, true, __ATOMIC_RELAXED);
	loggers_join(loggers);
	assert_true(is_in_time);
	retire(backend);
	fclose(sink);
}

static void backends_are_made_while_threads_log(void **state)
{
	static struct log_capture captures[4];
	struct logger loggers[NUM_THREADS];
	bool is_enough = false;

	(void)state;
	loggers_start(loggers, &(struct logger){ .is_enough = &is_enough });
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++)
		log_capture_start(&captures[i], LOG_CAPTURE_APP);
	__atomic_store_n(&is_enough, true, __ATOMIC_RELAXED);
	loggers_join(loggers);
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		(void)log_capture_take(&captures[i]);
		DOCA_LOG_INFO("x");
		assert_int_equal(log_capture_take(&captures[i]), 1);
	}
}

static void *registrar_run(void *opaque)
{
	unsigned int *num_failed = opaque;

	for (unsigned int i = 0; i < FEWER_LINES / 10; i++) {
		int source = 0;

		if (doca_log_register_source("MINE", &source) != DOCA_SUCCESS ||
		    doca_log(DOCA_LOG_LEVEL_INFO, source, NULL, 0, NULL, "x") != DOCA_SUCCESS ||
		    doca_log_unregister_source(source) != DOCA_SUCCESS)
			(*num_failed)++;
	}
	return NULL;
}

static void sources_come_and_go_in_many_threads(void **state)
{
	static struct log_capture app;
	pthread_t threads[NUM_THREADS];
	unsigned int num_failed[NUM_THREADS] = { 0 };

	(void)state;
	log_capture_start(&app, LOG_CAPTURE_APP);
	for (unsigned int i = 0; i < NUM_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, registrar_run, &num_failed[i]),
				 0);
	for (unsigned int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(num_failed[i], 0);
	}
	assert_int_equal(log_capture_take(&app), NUM_THREADS * FEWER_LINES / 10);
	log_line_check(app.line, "INF", "MINE", "x");
	log_capture_stop(&app);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stream_gets_every_line_of_every_thread_whole),
		TEST(descriptor_gets_every_line_of_every_thread_whole),
		TEST(buffer_gets_one_line_at_a_time),
		TEST(limits_change_while_threads_log_without_a_pause),
		TEST(sources_come_and_go_in_many_threads),
		TEST(backends_are_made_while_threads_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
