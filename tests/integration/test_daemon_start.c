/* SPDX-License-Identifier: BSD-3-Clause */

/* Hosts start workers, join them, and are refused. */

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig_host.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define LIST(...)    ((const char *const[]){ __VA_ARGS__, NULL })

#define REPORT_BYTES 8192

static struct daemon_rig rig;
static struct rig_host host;

static int setup(void **state)
{
	int status = test_begin(state);

	daemon_rig_init(&rig, LIST("--cpuset", "0-7"), LIST("TEST_A=daemon", "TEST_B=daemon"));
	rig_host_init(&host, &rig);
	return status;
}

static int teardown(void **state)
{
	rig_host_fini(&host);
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define START_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- What the process is given --- */

/* What a fake worker tells of itself. */
static void get_report(const struct wire_worker_started *started, char *report)
{
	assert_true(started->channel_addr.len > 0 && started->channel_addr.len < REPORT_BYTES - 1);
	report[0] = '\n';
	memcpy(report + 1, started->channel_addr.data, started->channel_addr.len);
	report[1 + started->channel_addr.len] = '\0';
}

/* Has it exactly this many lines that begin with a word and a blank? */
static void check_num(const char *report, const char *word, size_t wanted)
{
	char begin[64];
	size_t count = 0;

	(void)snprintf(begin, sizeof(begin), "\n%s ", word);
	for (const char *at = report; (at = strstr(at, begin)) != NULL; at++)
		count++;
	if (count != wanted)
		fail_msg("%zu lines \"%s\", not %zu:%s", count, word, wanted, report);
}

__attribute__((format(printf, 2, 3))) static void check_line(const char *report, const char *format,
							     ...)
{
	char line[1024] = "\n";
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line + 1, sizeof(line) - 2, format, args);
	va_end(args);
	assert_true(len > 0 && (size_t)len < sizeof(line) - 2);
	strcat(line, "\n");
	if (strstr(report, line) == NULL)
		fail_msg("no line \"%s\" in:%s", line + 1, report);
}

static void start_and_report(const struct rig_start *start, char *report, pid_t *pid)
{
	struct wire_worker_started started;

	rig_host_start(&host, start, &started);
	get_report(&started, report);
	*pid = (pid_t)started.pid;
}

static void command_line_says_what_the_worker_must_know(void **state)
{
	char report[REPORT_BYTES];
	struct rig_start start;
	pid_t pid;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start.start.plugins = 3;
	start_and_report(&start, report, &pid);
	check_line(report, "arg doca_urom_worker");
	check_line(report, "arg --id\narg 7");
	check_line(report, "arg --listen\narg 127.0.0.1");
	check_line(report, "arg --channel\narg ucx");
	check_line(report, "arg -l\narg 50");
	check_line(report, "arg --sdk-log-level\narg 40");
	check_line(report, "arg -m\narg 4096");
	check_line(report, "arg --plugin-timeout\narg 60");
	check_line(report, "arg --max-unread\narg 536870912");
	check_line(report, "arg %s:0x1", daemon_rig_path(&rig, "plugins/a.so"));
	check_line(report, "arg %s:0x2", daemon_rig_path(&rig, "plugins/b.so"));
	check_num(report, "arg", 23);
}

static void environment_is_the_daemons_with_the_hosts_in_its_place(void **state)
{
	char report[REPORT_BYTES];
	struct rig_start start;
	pid_t pid;

	(void)state;
	rig_start_init(&start, 7, NULL);
	rig_start_add(&start, "TEST_A=host, with blanks");
	rig_start_add(&start, "TEST_C==");
	start_and_report(&start, report, &pid);
	check_line(report, "env TEST_A=host, with blanks");
	check_line(report, "env TEST_B=daemon");
	check_line(report, "env TEST_C==");
	check_num(report, "env", 3); /* and no NOTIFY_SOCKET */
}

static void process_inherits_nothing_but_what_it_needs(void **state)
{
	char report[REPORT_BYTES];
	struct rig_start start;
	struct rlimit limit;
	pid_t pid;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start_and_report(&start, report, &pid);
	check_num(report, "fd", 4); /* output, error, control path, page */
	check_line(report, "file 0 /dev/null");
	check_num(report, "blocked", 0);
	check_num(report, "handled", 0);
	check_line(report, "death %d", SIGTERM);
	check_line(report, "leader 1");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	check_line(report, "fds %lu", limit.rlim_cur);
	check_line(report, "core %lu", 0lu);
}

static void output_goes_to_the_log_of_its_own_pid(void **state)
{
	char report[REPORT_BYTES], name[64];
	struct rig_start start;
	pid_t pid;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start_and_report(&start, report, &pid);
	(void)snprintf(name, sizeof(name), "logs/urom_worker_%d_dev.log", (int)pid);
	check_line(report, "file 1 %s", daemon_rig_path(&rig, name));
	check_line(report, "file 2 %s", daemon_rig_path(&rig, name));
	daemon_rig_wait_text(daemon_rig_path(&rig, name), "ticket 1 for test\n");
}

/* --- Processors --- */

/* The processor behind number n. */
static int nth_allowed(unsigned int n)
{
	cpu_set_t allowed;
	unsigned int left;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	left = n % (unsigned int)CPU_COUNT(&allowed);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && left-- == 0)
			return cpu;
	}
	return -1;
}

static void process_runs_on_the_processors_behind_its_set(void **state)
{
	for (unsigned int n = 6; n < 8; n++) {
		char report[REPORT_BYTES];
		struct rig_start start;
		pid_t pid;

		(void)state;
		rig_start_init(&start, n, NULL);
		start.start.has_cpuset = true;
		start.start.cpuset[0] = (uint8_t)(1u << n);
		start_and_report(&start, report, &pid);
		check_line(report, "cpu %d", nth_allowed(n));
		check_num(report, "cpu", 1);
	}
}

static void without_a_set_it_runs_where_the_daemon_does(void **state)
{
	char report[REPORT_BYTES];
	struct rig_start start;
	cpu_set_t allowed;
	pid_t pid;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	rig_start_init(&start, 7, NULL);
	start_and_report(&start, report, &pid);
	check_num(report, "cpu", (size_t)CPU_COUNT(&allowed));
}

static void set_is_a_part_of_the_advertised_one(void **state)
{
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start.start.has_cpuset = true;
	rig_host_start_refused(&host, &start, DOCA_ERROR_INVALID_VALUE, "processor set");
	daemon_rig_take_log(&rig, "processor set");
	start.start.cpuset[1] = 1;
	rig_host_start_refused(&host, &start, DOCA_ERROR_INVALID_VALUE, "processor set");
	daemon_rig_take_log(&rig, "processor set");
	start.start.cpuset[0] = 1;
	rig_host_start_refused(&host, &start, DOCA_ERROR_INVALID_VALUE, "processor set");
	daemon_rig_take_log(&rig, "processor set");
}

/* --- Requests that cannot be --- */

static void check_refused(const struct rig_start *start, doca_error_t error, const char *part)
{
	rig_host_start_refused(&host, start, error, part);
	daemon_rig_take_log(&rig, part);
}

static void plugins_must_have_been_listed(void **state)
{
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start.start.plugins = 0;
	check_refused(&start, DOCA_ERROR_INVALID_VALUE, "no plugin is asked for");
	start.start.plugins = 7;
	check_refused(&start, DOCA_ERROR_NOT_FOUND, "the id 0x4");
	start.start.plugins = UINT64_C(1) << 63;
	check_refused(&start, DOCA_ERROR_NOT_FOUND, "the id 0x8000000000000000");
}

static void message_limit_is_within_the_daemons(void **state)
{
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start.start.max_message = 4097;
	check_refused(&start, DOCA_ERROR_INVALID_VALUE, "4097");
	start.start.max_message = 127;
	check_refused(&start, DOCA_ERROR_INVALID_VALUE, "127");
}

static void entries_of_an_environment_have_names(void **state)
{
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, NULL);
	rig_start_add(&start, "A=1");
	rig_start_add(&start, "NAME");
	check_refused(&start, DOCA_ERROR_INVALID_VALUE, "no NAME=value");
}

/* --- Ids, joining --- */

static void id_0_is_an_id_and_any_is_one_of_its_own(void **state)
{
	struct wire_worker_started started;
	uint64_t ids[3];
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 0, NULL);
	rig_host_start(&host, &start, &started);
	assert_int_equal(started.worker_id, 0);
	for (size_t i = 0; i < COUNT(ids); i++) {
		rig_start_init(&start, UINT64_MAX, NULL);
		rig_host_start(&host, &start, &started);
		ids[i] = started.worker_id;
		assert_true(ids[i] != 0 && ids[i] != UINT64_MAX);
		for (size_t j = 0; j < i; j++)
			assert_true(ids[i] != ids[j]);
	}
}

static void worker_without_a_group_is_in_none(void **state)
{
	struct wire_worker_started started;
	struct rig_start start;
	uint64_t ids[2];

	(void)state;
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &started);
	assert_false(started.has_group);
	assert_int_equal(rig_host_get_group(&host, 0, ids, 2), 0);
	rig_start_init(&start, 8, NULL);
	start.start.has_group = true;
	rig_host_start(&host, &start, &started);
	assert_int_equal(rig_host_get_group(&host, 0, ids, 2), 1);
	assert_int_equal(ids[0], 8);
}

static void host_is_told_all_of_its_worker(void **state)
{
	struct wire_worker_started started;
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, NULL);
	start.start.has_group = true;
	start.start.group = 12;
	rig_host_start(&host, &start, &started);
	assert_int_equal(started.worker_id, 7);
	assert_true(started.has_group);
	assert_int_equal(started.group, 12);
	assert_int_not_equal(started.connection, 0);
	assert_int_equal(kill((pid_t)started.pid, 0), 0);
	/* A host that joins is told what the worker is, whatever it asked for itself. */
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &started);
	assert_true(started.has_group);
	assert_int_equal(started.group, 12);
}

static void second_host_joins_the_process_that_runs(void **state)
{
	struct wire_worker_started started, joined;
	uint8_t ticket[WIRE_TICKET_SIZE];
	static const uint8_t zeros[WIRE_TICKET_SIZE];
	struct rig_start start;
	struct rig_host second;

	(void)state;
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &started);
	memcpy(ticket, started.ticket, sizeof(ticket));
	rig_host_init(&second, &rig);
	rig_start_init(&start, 7, NULL);
	rig_host_start(&second, &start, &joined);
	assert_int_equal(joined.pid, started.pid);
	assert_true(joined.connection != started.connection);
	assert_memory_not_equal(joined.ticket, ticket, sizeof(ticket));
	assert_memory_not_equal(joined.ticket, zeros, sizeof(zeros));
	rig_host_fini(&second);
}

static void host_asks_for_what_the_running_worker_has(void **state)
{
	struct wire_worker_started started;
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &started);
	rig_start_add(&start, "A=1");
	check_refused(&start, DOCA_ERROR_ALREADY_EXIST, "worker 7 (pid ");
	rig_start_init(&start, 7, NULL);
	start.start.has_group = true;
	check_refused(&start, DOCA_ERROR_NOT_PERMITTED, "not in group 0");
	rig_start_init(&start, 7, NULL);
	start.start.has_cpuset = true;
	start.start.cpuset[0] = 1;
	check_refused(&start, DOCA_ERROR_NOT_PERMITTED, "another processor set");
	rig_start_init(&start, 7, NULL);
	start.start.plugins = 3;
	check_refused(&start, DOCA_ERROR_NOT_PERMITTED, "without the plugins 0x2");
}

static void id_of_an_open_request_is_no_second_ones(void **state)
{
	struct rig_host second;
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, "hang-gently");
	rig_host_init(&second, &rig);
	rig_host_send(&second, WIRE_WORKER_START, &start.start);
	second.last_id--;
	rig_host_send(&second, WIRE_WORKER_START, &start.start);
	rig_host_receive_end(&second);
	daemon_rig_take_log(&rig, "WORKER_START (type 16) has the id of a request that is open");
	rig_host_fini(&second);
}

/* --- Starts that fail --- */

static void check_fails(const char *mode, doca_error_t error, const char *part)
{
	struct wire_worker_started started;
	struct rig_start start;

	rig_start_init(&start, 7, mode);
	rig_host_start_refused(&host, &start, error, part);
	daemon_rig_drop_log(&rig);
	/* The id is free again, be it after a while. */
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &started);
	rig_host_stop(&host, 7, started.connection);
}

static void worker_that_fails_says_why(void **state)
{
	char log[DAEMON_RIG_BYTES];

	(void)state;
	(void)snprintf(log, sizeof(log), "its log is %s/logs/urom_worker_", rig.dir);
	check_fails("fail", DOCA_ERROR_DRIVER, "plugin a cannot be opened");
	check_fails("fail", DOCA_ERROR_DRIVER, log);
}

static void worker_that_crashes_is_told_of(void **state)
{
	(void)state;
	check_fails("crash", DOCA_ERROR_UNEXPECTED, "was killed by signal 11 (Segmentation fault)");
	check_fails("exit", DOCA_ERROR_UNEXPECTED,
		    "exited with status 3; it was in none of its plugins (a); its log is /");
	check_fails("exit-early", DOCA_ERROR_UNEXPECTED,
		    "exited with status 4; it was in none of its plugins (a); its log is /");
	check_fails("ticket-crash", DOCA_ERROR_UNEXPECTED, "signal 11");
}

static void worker_that_breaks_the_protocol_is_ended(void **state)
{
	struct rig_start start;

	(void)state;
	rig_start_init(&start, 7, "host");
	rig_host_start_refused(&host, &start, DOCA_ERROR_UNEXPECTED, "worker 7 (pid ");
	daemon_rig_take_log(&rig, "role 1 may not connect here");
	daemon_rig_drop_log(&rig);
	rig_start_init(&start, 8, "ready-twice");
	rig_host_send(&host, WIRE_WORKER_START, &start.start);
	rig_host_receive_refused(&host, WIRE_WORKER_REFUSED, DOCA_ERROR_UNEXPECTED,
				 "worker 8 (pid ");
	daemon_rig_take_log(&rig, "WORKER_READY (type 32) comes from a worker that is ready");
	daemon_rig_drop_log(&rig);
}

/* Two bounds that run at the same time, for the test takes as long as they do. */
static void worker_that_hangs_is_killed_after_8_s(void **state)
{
	const uint64_t began = test_now_ns();
	struct rig_start start;
	struct rig_host second;

	(void)state;
	rig_host_init(&second, &rig);
	rig_start_init(&start, 7, "hang");
	rig_host_send(&host, WIRE_WORKER_START, &start.start);
	rig_start_init(&start, 8, "ticket-unknown");
	rig_host_send(&second, WIRE_WORKER_START, &start.start);
	rig_host_receive_refused(&host, WIRE_WORKER_REFUSED, DOCA_ERROR_TIME_OUT, "within 8 s");
	rig_host_receive_refused(&second, WIRE_WORKER_REFUSED, DOCA_ERROR_TIME_OUT, "within 8 s");
	assert_true(test_now_ns() - began >= UINT64_C(7900000000));
	daemon_rig_drop_log(&rig);
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &(struct wire_worker_started){ 0 });
	rig_host_start(&second, &start, &(struct wire_worker_started){ 0 });
	daemon_rig_drop_log(&rig);
	rig_host_fini(&second);
}

static void host_that_leaves_takes_its_unfinished_worker_along(void **state)
{
	struct wire_worker_started started;
	struct rig_host second;
	struct rig_start start;

	(void)state;
	rig_host_init(&second, &rig);
	rig_start_init(&start, 7, "hang-gently");
	rig_host_send(&second, WIRE_WORKER_START, &start.start);
	daemon_rig_wait_text(daemon_rig_path(&rig, "logs/urom_daemon_dev.log"), "started for");
	rig_host_fini(&second);
	/* A start that comes before that would be one more host of the same worker. */
	daemon_rig_wait_text(daemon_rig_path(&rig, "logs/urom_daemon_dev.log"),
			     "closed by its peer");
	/* A start of this id waits until the old process has gone. */
	rig_start_init(&start, 7, NULL);
	rig_host_start(&host, &start, &started);
	daemon_rig_drop_log(&rig);
}

static void entry_that_no_process_can_have_is_named(void **state)
{
	const size_t len = WIRE_MAX_ENTRY; /* one more than execve() takes, with its NUL */
	char *text = malloc(len);
	uint8_t *bytes = malloc(len + 4);
	const struct wire_entry entry = { .text = { text, (uint32_t)len } };
	struct rig_start start;
	size_t added;

	(void)state;
	assert_true(text != NULL && bytes != NULL);
	memset(text, 'x', len);
	text[1] = '=';
	assert_int_equal(wire_encode(&wire_entry_message, &entry, bytes, len + 4, &added), WIRE_OK);
	rig_start_init(&start, 7, NULL);
	start.start.environment = (struct wire_bytes){ bytes, (uint32_t)added };
	rig_host_start_refused(&host, &start, DOCA_ERROR_TOO_BIG, "Argument list too long");
	daemon_rig_take_log(&rig, "Argument list too long");
	free(text);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		START_TEST(command_line_says_what_the_worker_must_know),
		START_TEST(environment_is_the_daemons_with_the_hosts_in_its_place),
		START_TEST(process_inherits_nothing_but_what_it_needs),
		START_TEST(output_goes_to_the_log_of_its_own_pid),
		START_TEST(process_runs_on_the_processors_behind_its_set),
		START_TEST(without_a_set_it_runs_where_the_daemon_does),
		START_TEST(set_is_a_part_of_the_advertised_one),
		START_TEST(plugins_must_have_been_listed),
		START_TEST(message_limit_is_within_the_daemons),
		START_TEST(entries_of_an_environment_have_names),
		START_TEST(id_0_is_an_id_and_any_is_one_of_its_own),
		START_TEST(worker_without_a_group_is_in_none),
		START_TEST(host_is_told_all_of_its_worker),
		START_TEST(second_host_joins_the_process_that_runs),
		START_TEST(host_asks_for_what_the_running_worker_has),
		START_TEST(id_of_an_open_request_is_no_second_ones),
		START_TEST(worker_that_fails_says_why),
		START_TEST(worker_that_crashes_is_told_of),
		START_TEST(worker_that_breaks_the_protocol_is_ended),
		START_TEST(worker_that_hangs_is_killed_after_8_s),
		START_TEST(host_that_leaves_takes_its_unfinished_worker_along),
		START_TEST(entry_that_no_process_can_have_is_named),
	};

	return cmocka_run_group_tests_name("daemon_start", tests, NULL, NULL);
}
