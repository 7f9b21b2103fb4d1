/* SPDX-License-Identifier: BSD-3-Clause */

/* What the counters say of limits on one session: how much there is now, and was at most. */

#include "rig_host.h"
#include "test.h"

static struct daemon_rig rig;
static struct rig_host operator;

static int setup(void **state)
{
	int status = test_begin(state);

	daemon_rig_init(&rig, (const char *const[]){ "-m", "65536", NULL }, NULL);
	rig_host_init_operator(&operator, & rig);
	return status;
}

static int teardown(void **state)
{
	rig_host_fini(&operator);
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define COUNTERS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void check_counter(const char *name, uint64_t value, uint64_t highest)
{
	const struct wire_counter counter = rig_host_get_counter(&operator, name);

	if (counter.value != value || counter.highest != highest)
		fail_msg("%s is %lu, at most %lu, and not %lu, at most %lu", name,
			 (unsigned long)counter.value, (unsigned long)counter.highest,
			 (unsigned long)value, (unsigned long)highest);
}

/* Until the daemon has seen the others go. */
static void wait_for_value(const char *name, uint64_t value)
{
	while (rig_host_get_counter(&operator, name).value != value)
		(void)test_is_readable(operator.stream.fd, 10);
}

static uint64_t start(struct rig_host *host, uint64_t worker_id)
{
	struct wire_worker_started started;
	struct rig_start start;

	rig_start_init(&start, worker_id, NULL);
	rig_host_start(host, &start, &started);
	return started.connection;
}

static void connections_to_workers_are_those_of_the_host_that_has_most(void **state)
{
	struct rig_host one, other;
	uint64_t conns[3];

	(void)state;
	rig_host_init(&one, &rig);
	rig_host_init(&other, &rig);
	check_counter("max-workers-per-session", 0, 0);
	conns[0] = start(&one, 1);
	conns[1] = start(&one, 2);
	conns[2] = start(&other, 3);
	check_counter("max-workers-per-session", 2, 2);
	rig_host_stop(&one, 1, conns[0]);
	rig_host_stop(&one, 2, conns[1]);
	check_counter("max-workers-per-session", 1, 2);
	rig_host_stop(&other, 3, conns[2]);
	check_counter("max-workers-per-session", 0, 2);
	rig_host_fini(&one);
	rig_host_fini(&other);
}

static void start_that_is_refused_is_no_connection(void **state)
{
	struct rig_start start;
	struct rig_host host;

	(void)state;
	rig_host_init(&host, &rig);
	rig_start_init(&start, 1, NULL);
	start.start.max_message = 1;
	rig_host_start_refused(&host, &start, DOCA_ERROR_INVALID_VALUE, "messages of 1 bytes");
	daemon_rig_take_log(&rig, "messages of 1 bytes");
	check_counter("max-workers-per-session", 0, 0);
	rig_host_fini(&host);
}

static void message_size_is_that_of_those_who_are_there(void **state)
{
	struct wire_hello hello = rig_host_hello();
	struct rig_host small, large;

	(void)state;
	rig_host_init(&small, &rig);
	hello.max_message = 65536;
	rig_host_connect(&large, &rig);
	rig_host_greet(&large, &hello);
	rig_host_prove(&large);
	rig_host_receive(&large, WIRE_WELCOME, &large.welcome);
	check_counter("max-msg-size", 65536, 65536);
	rig_host_fini(&large);
	wait_for_value("max-sessions", 2);
	check_counter("max-msg-size", 4096, 65536);
	rig_host_fini(&small);
	wait_for_value("max-sessions", 1);
}

static void handshake_counts_for_as_long_as_it_takes(void **state)
{
	struct rig_host silent;

	(void)state;
	rig_host_connect(&silent, &rig);
	while (rig_host_get_counter(&operator, "handshake-timeout").value == 0)
		(void)test_is_readable(operator.stream.fd, 10);
	rig_host_fini(&silent);
	wait_for_value("max-half-open", 0);
	assert_int_equal(rig_host_get_counter(&operator, "handshake-timeout").value, 0);
	assert_true(rig_host_get_counter(&operator, "handshake-timeout").highest > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		COUNTERS_TEST(connections_to_workers_are_those_of_the_host_that_has_most),
		COUNTERS_TEST(start_that_is_refused_is_no_connection),
		COUNTERS_TEST(message_size_is_that_of_those_who_are_there),
		COUNTERS_TEST(handshake_counts_for_as_long_as_it_takes),
	};

	return cmocka_run_group_tests_name("daemon_counters", tests, NULL, NULL);
}
