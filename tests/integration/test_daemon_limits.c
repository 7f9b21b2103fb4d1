/* SPDX-License-Identifier: BSD-3-Clause */

/* Each limit of the daemon, exceeded by one host while another one's session and worker go on. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "limits_rig.h"
#include "test.h"

#define NUM_BURST     500
#define NUM_FEW_FDS   256
#define NUM_STRANGERS 300

/* The environments of so many starts are all that one host may have open. */
#define NUM_LARGE_STARTS 8
#define NUM_OPEN_STARTS  2 /* the same for all hosts, as the test has it */
#define ANY              UINT64_MAX

static struct limits_rig rig;

/* Lists end with NULL. */
#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* --- Counters --- */

static void operators_are_told_of_every_limit(void **state)
{
	struct wire_counter counter;
	struct rig_host operator;

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-workers", "7", "--worker-core", "1M"));
	rig_host_init_operator(&operator, & rig.daemon);
	counter = rig_host_get_counter(&operator, "max-workers");
	assert_int_equal(counter.value, 1);
	assert_int_equal(counter.highest, 1);
	assert_int_equal(counter.limit, 7);
	assert_int_equal(counter.num_hits, 0);
	assert_int_equal(rig_host_get_counter(&operator, "max-sessions").value, 2);
	assert_int_equal(rig_host_get_counter(&operator, "worker-core").limit, 1 << 20);
	rig_host_fini(&operator);
	limits_rig_end(&rig);
}

static void hosts_may_not_ask_for_the_status(void **state)
{
	const struct wire_empty nothing = { 0 };
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, NULL);
	rig_host_init(&host, &rig.daemon);
	rig_host_send(&host, WIRE_STATUS_GET, &nothing);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig.daemon, "STATUS_GET (type 24) is nothing that a host may send");
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_end(&rig);
}

static void sigusr1_logs_every_limit(void **state)
{
	const char *log;

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-workers", "7"));
	log = daemon_rig_path(&rig.daemon, "logs/urom_daemon_dev.log");
	daemon_rig_signal(&rig.daemon, SIGUSR1);
	daemon_rig_wait_text(log, "limit max-sessions: value=1 highest=1 limit=2048 hits=0");
	daemon_rig_wait_text(log, "limit max-workers: value=1 highest=1 limit=7 hits=0");
	daemon_rig_wait_text(log, "limit keep-logs: value=0");
	limits_rig_check(&rig);
	rig_host_stop(&rig.host, rig.worker_id, rig.connection);
	rig_host_fini(&rig.host);
	daemon_rig_signal(&rig.daemon, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig.daemon), 0);
	daemon_rig_wait_text(log, "limits, highest/hits: max-sessions 2/0, ");
	daemon_rig_fini(&rig.daemon);
}

/* --- Sessions --- */

static void session_over_the_limit_is_refused(void **state)
{
	const struct wire_hello hello = rig_host_hello();
	struct rig_host host, late;

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-sessions", "2"));
	rig_host_init(&host, &rig.daemon);
	rig_host_connect(&late, &rig.daemon);
	rig_host_greet(&late, &hello);
	rig_host_prove(&late);
	rig_host_receive_refused(&late, WIRE_REFUSED, DOCA_ERROR_FULL, "--max-sessions");
	rig_host_receive_end(&late);
	rig_host_fini(&late);
	daemon_rig_take_log(&rig.daemon, "--max-sessions");
	/* There is room again when one has left. */
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "max-sessions", 1);
	limits_rig_end(&rig);
}

static void silent_connections_do_not_count_as_sessions(void **state)
{
	struct rig_host silent[4];

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-sessions", "2"));
	for (int i = 0; i < 4; i++)
		rig_host_connect(&silent[i], &rig.daemon);
	limits_rig_check(&rig);
	for (int i = 0; i < 4; i++)
		rig_host_fini(&silent[i]);
	limits_rig_end(&rig);
}

static void oldest_silent_connection_makes_room(void **state)
{
	struct rig_host silent[3];

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-half-open", "2"));
	for (int i = 0; i < 3; i++)
		rig_host_connect(&silent[i], &rig.daemon);
	rig_host_receive_refused(&silent[0], WIRE_REFUSED, DOCA_ERROR_FULL, "--max-half-open");
	rig_host_receive_end(&silent[0]);
	rig_host_check_silent(&silent[1]);
	daemon_rig_take_log(&rig.daemon, "--max-half-open");
	rig_host_fini(&silent[0]);
	limits_rig_check_hits(&rig, "max-half-open", 2); /* the operator was one more */
	daemon_rig_take_log(&rig.daemon, "--max-half-open");
	limits_rig_check(&rig);
	for (int i = 1; i < 3; i++)
		rig_host_fini(&silent[i]);
	limits_rig_end_noisily(&rig);
}

static void late_handshake_times_out(void **state)
{
	const uint64_t began = test_now_ns();
	struct rig_host silent;

	(void)state;
	limits_rig_begin(&rig, ARGS("--handshake-timeout", "1"));
	rig_host_connect(&silent, &rig.daemon);
	rig_host_receive_refused(&silent, WIRE_REFUSED, DOCA_ERROR_TIME_OUT, "--handshake-timeout");
	rig_host_receive_end(&silent);
	assert_true(test_now_ns() - began >= UINT64_C(990000000));
	daemon_rig_take_log(&rig.daemon, "no handshake within 1 s");
	rig_host_fini(&silent);
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "handshake-timeout", 1);
	limits_rig_end(&rig);
}

/* All connect before any of them says a word. */
static void connect_all(struct rig_host *hosts)
{
	const struct wire_hello hello = rig_host_hello();

	for (int i = 0; i < NUM_BURST; i++)
		rig_host_connect(&hosts[i], &rig.daemon);
	for (int i = 0; i < NUM_BURST; i++)
		rig_host_greet(&hosts[i], &hello);
}

static void burst_of_500_sessions_is_served(void **state)
{
	struct rig_host *hosts = calloc(NUM_BURST, sizeof(*hosts));
	uint64_t ids[4];

	(void)state;
	assert_non_null(hosts);
	limits_rig_begin(&rig, NULL);
	connect_all(hosts);
	for (int i = 0; i < NUM_BURST; i++)
		rig_host_prove(&hosts[i]);
	for (int i = 0; i < NUM_BURST; i++)
		rig_host_receive(&hosts[i], WIRE_WELCOME, &hosts[i].welcome);
	for (int i = 0; i < NUM_BURST; i++)
		assert_int_equal(rig_host_get_group(&hosts[i], 1, ids, 4), 0);
	for (int i = 0; i < NUM_BURST; i++)
		rig_host_fini(&hosts[i]);
	free(hosts);
	limits_rig_check(&rig);
	limits_rig_end(&rig);
}

static void receive_any(struct rig_host *host)
{
	doca_error_t result;

	while ((result = chan_stream_receive(&host->stream, &host->message)) == DOCA_ERROR_AGAIN)
		assert_true(test_is_readable(host->stream.fd, 20000));
	assert_success(result);
}

/* It is asked for its proof and then welcome, or a REFUSED says why. */
static bool is_welcome(struct rig_host *host)
{
	receive_any(host);
	if (host->message.type == WIRE_CHALLENGE) {
		rig_host_answer(host);
		receive_any(host);
	}
	if (host->message.type == WIRE_REFUSED) {
		struct wire_refused refused;

		assert_success(chan_message_decode(&host->message, &refused));
		assert_int_equal(refused.error, DOCA_ERROR_FULL);
		assert_non_null(memmem(refused.reason.data, refused.reason.len, "ulimit -n", 9));
		return false;
	}
	assert_int_equal(host->message.type, WIRE_WELCOME);
	return true;
}

static void burst_without_descriptors_is_refused(void **state)
{
	const struct rlimit few = { NUM_FEW_FDS, NUM_FEW_FDS };
	struct rig_host *hosts = calloc(NUM_BURST, sizeof(*hosts));
	int num_welcome = 0;
	uint64_t ids[4];

	(void)state;
	assert_non_null(hosts);
	limits_rig_begin(&rig, NULL);
	assert_int_equal(prlimit(rig.daemon.program.pid, RLIMIT_NOFILE, &few, NULL), 0);
	connect_all(hosts);
	for (int i = 0; i < NUM_BURST; i++)
		num_welcome += is_welcome(&hosts[i]) ? 1 : 0;
	assert_in_range(num_welcome, NUM_FEW_FDS / 2, NUM_FEW_FDS);
	/* Who is in stays in, and so does the tenant. */
	assert_int_equal(rig_host_get_group(&rig.host, 1, ids, 4), 0);
	for (int i = 0; i < NUM_BURST; i++)
		rig_host_fini(&hosts[i]);
	free(hosts);
	daemon_rig_take_log(&rig.daemon, "no descriptor is left");
	limits_rig_check(&rig);
	limits_rig_end_noisily(&rig);
}

/* --- Workers --- */

static void worker_over_the_limit_is_refused(void **state)
{
	struct rig_start start;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-workers", "1"));
	rig_host_init(&host, &rig.daemon);
	rig_start_init(&start, ANY, NULL);
	rig_host_start_refused(&host, &start, DOCA_ERROR_FULL, "--max-workers");
	daemon_rig_take_log(&rig.daemon, "--max-workers");
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "max-workers", 1);
	limits_rig_end(&rig);
}

static void session_has_no_more_workers_than_the_limit(void **state)
{
	struct wire_worker_started started;
	struct rig_start start;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-workers-per-session", "1"));
	rig_host_init(&host, &rig.daemon);
	rig_start_init(&start, 1, NULL);
	rig_host_start(&host, &start, &started);
	rig_start_init(&start, 2, NULL);
	rig_host_start_refused(&host, &start, DOCA_ERROR_FULL, "--max-workers-per-session");
	daemon_rig_take_log(&rig.daemon, "--max-workers-per-session");
	rig_host_stop(&host, 1, started.connection);
	rig_host_start(&host, &start, &started);
	rig_host_fini(&host);
	daemon_rig_wait_gone((pid_t)started.pid);
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "max-workers-per-session", 1);
	limits_rig_end(&rig);
}

/* An environment of len bytes, in entries that a process can be given. */
static void fill_environment(uint8_t *environment, size_t len, const char *first)
{
	static char text[64 << 10];
	size_t at = 0;

	while (at < len) {
		struct wire_entry entry = { .text = { first, (uint32_t)strlen(first) } };
		size_t added;

		if (at > 0) {
			const size_t left = len - at - sizeof(uint32_t);

			memset(text, 'x', sizeof(text));
			(void)snprintf(text, sizeof(text), "X%zu=", at);
			text[strlen(text)] = 'x';
			entry.text.data = text;
			entry.text.len = (uint32_t)(left < sizeof(text) ? left : sizeof(text) / 2);
		}
		assert_int_equal(
		    wire_encode(&wire_entry_message, &entry, environment + at, len - at, &added),
		    WIRE_OK);
		at += added;
	}
}

static void open_starts_of_a_host_have_a_bound_of_bytes(void **state)
{
	static uint8_t environment[WIRE_MAX_LIST];
	struct wire_worker_started started;
	struct rig_start start, small;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, NULL);
	rig_host_init(&host, &rig.daemon);
	fill_environment(environment, sizeof(environment), "FAKE_WORKER=hang-gently");
	rig_start_init(&start, 1, NULL);
	start.start.environment.data = environment;
	start.start.environment.len = sizeof(environment);
	for (; start.start.worker_id <= NUM_LARGE_STARTS; start.start.worker_id++)
		rig_host_send(&host, WIRE_WORKER_START, &start.start);
	rig_host_start_refused(&host, &start, DOCA_ERROR_FULL, "bytes of environment");
	rig_start_init(&small, 100, "print");
	rig_host_start_refused(&host, &small, DOCA_ERROR_FULL, "bytes of environment");
	limits_rig_check(&rig);
	rig_host_fini(&host);
	/* One that is answered does not count. */
	rig_host_init(&host, &rig.daemon);
	fill_environment(environment, sizeof(environment), "TEST_LARGE=1");
	for (start.start.worker_id = 100; start.start.worker_id <= 100 + NUM_LARGE_STARTS;
	     start.start.worker_id++)
		rig_host_start(&host, &start, &started);
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_end_noisily(&rig);
}

static void open_starts_of_all_hosts_have_a_bound_of_bytes(void **state)
{
	static uint8_t environment[WIRE_MAX_LIST];
	struct rig_host hosts[NUM_OPEN_STARTS], late;
	struct wire_worker_started started;
	struct rig_start start;

	(void)state;
	limits_rig_begin(&rig, ARGS("--max-environments", "2M"));
	fill_environment(environment, sizeof(environment), "FAKE_WORKER=hang-gently");
	rig_start_init(&start, 1, NULL);
	start.start.environment.data = environment;
	start.start.environment.len = sizeof(environment);
	for (int i = 0; i < NUM_OPEN_STARTS; i++, start.start.worker_id++) {
		rig_host_init(&hosts[i], &rig.daemon);
		rig_host_send(&hosts[i], WIRE_WORKER_START, &start.start);
		/* They are answered in turn, so that the start was looked at. */
		(void)rig_host_get_group(&hosts[i], 1, NULL, 0);
	}
	rig_host_init(&late, &rig.daemon);
	rig_start_init(&start, 100, "print");
	rig_host_start_refused(&late, &start, DOCA_ERROR_FULL, "--max-environments of the daemon");
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "max-environments", 1);
	/* There is room when one has left. */
	rig_host_fini(&hosts[0]);
	limits_rig_check(&rig);
	rig_host_start(&late, &start, &started);
	rig_host_fini(&late);
	rig_host_fini(&hosts[1]);
	limits_rig_check(&rig);
	limits_rig_end_noisily(&rig);
}

static void message_over_the_limit_is_refused(void **state)
{
	struct wire_hello hello = rig_host_hello();
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, ARGS("-m", "8192"));
	hello.max_message = 8193;
	rig_host_connect(&host, &rig.daemon);
	rig_host_send(&host, WIRE_HELLO, &hello);
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_INVALID_VALUE, "--max-msg-size");
	daemon_rig_take_log(&rig.daemon, "--max-msg-size");
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "max-msg-size", 1);
	limits_rig_end(&rig);
}

static void check_report(const struct wire_bytes *report, const char *line)
{
	if (memmem(report->data, report->len, line, strlen(line)) == NULL)
		fail_msg("\"%s\" is not in: %.*s", line, (int)report->len,
			 (const char *)report->data);
}

/* What a process has is the limit of the system's that stands for it. */
static void limits_of_a_worker_reach_its_process(void **state)
{
	struct wire_worker_started started;
	struct rig_start start;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, ARGS("--worker-memory", TEST_HAS_TSAN ? "0" : "1048576G",
				    "--worker-cpu-time", "123", "--worker-files", "64",
				    "--worker-core", "2M"));
	rig_host_init(&host, &rig.daemon);
	rig_start_init(&start, 1, NULL);
	rig_host_start(&host, &start, &started);
	check_report(&started.channel_addr, TEST_HAS_TSAN ? "\nmemory 18446744073709551615\n"
							  : "\nmemory 1125899906842624\n");
	check_report(&started.channel_addr, "\nseconds 123\n");
	check_report(&started.channel_addr, "\nfds 64\n");
	check_report(&started.channel_addr, TEST_HAS_NO_CORE ? "\ncore 0\n" : "\ncore 2097152\n");
	rig_host_fini(&host);
	daemon_rig_wait_gone((pid_t)started.pid);
	limits_rig_end(&rig);
}

static void worker_whose_time_is_over_dies_of_it(void **state)
{
	static const char reason[] = "--worker-cpu-time";
	struct wire_worker_started started;
	struct wire_worker_died died;
	struct rig_start start;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, ARGS("--worker-cpu-time", "1"));
	rig_host_init(&host, &rig.daemon);
	rig_start_init(&start, 1, "spin");
	rig_host_start(&host, &start, &started);
	rig_host_receive(&host, WIRE_WORKER_DIED, &died);
	assert_int_equal(died.error, DOCA_ERROR_CONNECTION_RESET);
	assert_non_null(memmem(died.reason.data, died.reason.len, reason, strlen(reason)));
	daemon_rig_take_log(&rig.daemon, reason);
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_check_hits(&rig, "worker-cpu-time", 1);
	limits_rig_end(&rig);
}

static void host_that_does_not_read_is_told_of(void **state)
{
	static const char limit[] = "--max-unread of the daemon sets that limit";
	struct wire_connection_ended ended;
	struct wire_worker_started started;
	struct rig_start start;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, NULL);
	rig_host_init(&host, &rig.daemon);
	rig_start_init(&start, 1, "deaf");
	rig_host_start(&host, &start, &started);
	rig_host_receive(&host, WIRE_CONNECTION_ENDED, &ended);
	assert_int_equal(ended.worker_id, 1);
	assert_int_equal(ended.connection, started.connection);
	assert_non_null(memmem(ended.reason.data, ended.reason.len, limit, strlen(limit)));
	daemon_rig_take_log(&rig.daemon, "--max-unread");
	limits_rig_check_hits(&rig, "max-unread", 1);
	rig_host_check_silent(&host); /* the worker has said it twice */
	rig_host_stop(&host, 1, started.connection);
	rig_host_fini(&host);
	limits_rig_check(&rig);
	limits_rig_end(&rig);
}

/* --- The log --- */

static unsigned int count_lines(const char *path, const char *part)
{
	static char text[1 << 20];
	unsigned int count = 0;

	daemon_rig_read(path, text, sizeof(text));
	for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
		count++;
	return count;
}

static void crowd_of_strangers_does_not_fill_the_log(void **state)
{
	static const char nonsense[] = "GET / HTTP/1.1\r\n\r\n";
	const char *log;
	struct rig_host host;

	(void)state;
	limits_rig_begin(&rig, NULL);
	log = daemon_rig_path(&rig.daemon, "logs/urom_daemon_dev.log");
	for (int i = 0; i < NUM_STRANGERS; i++) {
		rig_host_connect(&host, &rig.daemon);
		rig_host_send_bytes(&host, nonsense, strlen(nonsense));
		rig_host_receive_end(&host);
		rig_host_fini(&host);
	}
	daemon_rig_wait_text(log, "more lines about peers that have sent nonsense were left out");
	assert_in_range(count_lines(log, "no message of UROM"), 200, NUM_STRANGERS - 1);
	limits_rig_check(&rig);
	limits_rig_end_noisily(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(operators_are_told_of_every_limit),
		TEST(hosts_may_not_ask_for_the_status),
		TEST(sigusr1_logs_every_limit),
		TEST(session_over_the_limit_is_refused),
		TEST(silent_connections_do_not_count_as_sessions),
		TEST(oldest_silent_connection_makes_room),
		TEST(late_handshake_times_out),
		TEST(burst_of_500_sessions_is_served),
		TEST(burst_without_descriptors_is_refused),
		TEST(worker_over_the_limit_is_refused),
		TEST(session_has_no_more_workers_than_the_limit),
		TEST(open_starts_of_a_host_have_a_bound_of_bytes),
		TEST(open_starts_of_all_hosts_have_a_bound_of_bytes),
		TEST(message_over_the_limit_is_refused),
		TEST(limits_of_a_worker_reach_its_process),
		TEST(worker_whose_time_is_over_dies_of_it),
		TEST(host_that_does_not_read_is_told_of),
		TEST(crowd_of_strangers_does_not_fill_the_log),
	};

	return cmocka_run_group_tests_name("daemon_limits", tests, NULL, NULL);
}
