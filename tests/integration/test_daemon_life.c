/* SPDX-License-Identifier: BSD-3-Clause */

/* The daemon as its operator sees it: arguments, logs, files, signals, ends. */

#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig_host.h"
#include "test.h"
#include "urom/chan/chan_address.h"

#define TEXT_BYTES 65536

#define LIST(...)  ((const char *const[]){ __VA_ARGS__, NULL })

static struct daemon_rig rig;
static char text[TEXT_BYTES];

static const char *read_rig_file(const char *name)
{
	return daemon_rig_read(daemon_rig_path(&rig, name), text, sizeof(text));
}

static bool is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* --- Beginning and end --- */

static void port_file_has_the_address_while_it_runs(void **state)
{
	(void)state;
	daemon_rig_init(&rig, NULL, NULL);
	read_rig_file("port");
	assert_int_equal(text[strlen(text) - 1], '\n');
	text[strlen(text) - 1] = '\0';
	assert_string_equal(text, rig.address_text);
	assert_memory_equal(text, "127.0.0.1:", 10);
	daemon_rig_fini(&rig); /* it must be gone then */
}

static void port_file_replaces_what_an_earlier_one_has_left(void **state)
{
	(void)state;
	daemon_rig_init(&rig, NULL, NULL);
	daemon_rig_signal(&rig, SIGKILL);
	assert_int_equal(daemon_rig_wait(&rig), -SIGKILL);
	assert_true(is_there(daemon_rig_path(&rig, "port")));
	daemon_rig_again(&rig, NULL);
	read_rig_file("port");
	assert_non_null(strstr(text, rig.address_text));
	daemon_rig_fini(&rig);
}

static void sigterm_and_sigint_end_it_in_good_order(void **state)
{
	static const int numbers[] = { SIGTERM, SIGINT };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct rig_host host;

		daemon_rig_init(&rig, NULL, NULL);
		rig_host_init(&host, &rig);
		daemon_rig_signal(&rig, numbers[i]);
		rig_host_receive_end(&host);
		rig_host_fini(&host);
		assert_int_equal(daemon_rig_wait(&rig), 0);
		assert_string_equal(rig.program.out, "");
		assert_string_equal(rig.program.err, "");
		daemon_rig_fini(&rig);
	}
}

/* Waits for a word to the service manager. */
static void wait_notified(const char *word)
{
	char message[1024];
	ssize_t len;

	do {
		if (!test_is_readable(rig.notify_fd, 20000))
			fail_msg("the service manager does not hear of %s", word);
		len = recv(rig.notify_fd, message, sizeof(message) - 1, 0);
		assert_true(len >= 0);
		message[len] = '\0';
	} while (strstr(message, word) == NULL);
}

static void service_manager_hears_of_the_end(void **state)
{
	(void)state;
	daemon_rig_init(&rig, NULL, NULL);
	daemon_rig_signal(&rig, SIGTERM);
	wait_notified("STOPPING=1\n");
	assert_int_equal(daemon_rig_wait(&rig), 0);
	daemon_rig_fini(&rig);
}

static void watchdog_of_the_service_manager_is_fed(void **state)
{
	(void)state;
	daemon_rig_init(&rig, NULL, LIST("WATCHDOG_USEC=100000", "WATCHDOG_PID"));
	wait_notified("WATCHDOG=1");
	wait_notified("WATCHDOG=1");
	daemon_rig_fini(&rig);
}

static void version_and_help_are_printed(void **state)
{
	struct program program;

	(void)state;
	assert_int_equal(program_run(&program, LIST(DOCA_UROM_DAEMON, "--version"), NULL), 0);
	program_check_marks(program.out, LIST("doca_urom_daemon", "3.3.0"));
	assert_int_equal(program_run(&program, LIST(DOCA_UROM_DAEMON, "--help"), NULL), 0);
	program_check_marks(program.out, LIST("--log-level", "--port-file", "--max-msg-size"));
	assert_null(strstr(program.out, "--worker <")); /* for tests */
}

/* --- What it refuses to begin with --- */

static void check_fails(const char *const *args, const char *const *env, int status,
			const char *part)
{
	assert_int_equal(daemon_rig_fail(&rig, args, env), status);
	if (strstr(rig.program.err, part) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", rig.program.err, part);
	daemon_rig_drop_log(&rig);
	daemon_rig_fini(&rig);
}

static void addresses_that_others_reach_take_insecure(void **state)
{
	(void)state;
	check_fails(LIST("--listen", "0.0.0.0:0", "--auth", "none"), NULL, 2, "--insecure");
	daemon_rig_init(&rig, LIST("--listen", "0.0.0.0:0", "--auth", "none", "--insecure"), NULL);
	daemon_rig_fini(&rig);
}

static void addresses_that_others_reach_are_no_matter_with_a_cookie(void **state)
{
	(void)state;
	daemon_rig_init(&rig, LIST("--listen", "0.0.0.0:0"), NULL);
	daemon_rig_fini(&rig);
}

static void wrong_command_lines_are_named(void **state)
{
	(void)state;
	check_fails(LIST("--listne"), NULL, 2, "--listne");
	check_fails(LIST("-m", "9x"), NULL, 2, "9x");
	check_fails(LIST("-m", "1"), NULL, 2, "--max-msg-size: 1");
	check_fails(LIST("--grace", "-1"), NULL, 2, "--grace: -1");
	check_fails(LIST("--grace", "86401"), NULL, 2, "--grace: 86401");
	check_fails(LIST("--auth", "kerberos"), NULL, 2, "the methods are cookie, munge and none");
	check_fails(LIST("--cookie", "/nowhere/cookie"), NULL, 2, "/nowhere/cookie: there is none");
	check_fails(LIST("--cpuset", "1-0"), NULL, 2, "1-0");
	check_fails(NULL, LIST("UROM_CPUSET=zero"), 2, "zero");
	check_fails(LIST("--max-workers", "0"), NULL, 2, "--max-workers: 0 is not from 1");
	check_fails(LIST("--worker-memory", "1X"), NULL, 2, "--worker-memory: 1X is not 0 or");
}

static void port_in_use_is_named(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof(address);
	char listen_text[64];
	int fd;

	(void)state;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_success(chan_address_listen((struct sockaddr *)&address, &fd));
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	(void)snprintf(listen_text, sizeof(listen_text), "127.0.0.1:%u", ntohs(address.sin_port));
	check_fails(LIST("--listen", listen_text), NULL, 1, "Address already in use");
	close(fd);
}

static void file_that_cannot_be_written_is_named(void **state)
{
	struct program program;

	(void)state;
	assert_int_equal(
	    program_run(&program,
			LIST(DOCA_UROM_DAEMON, "--worker", FAKE_WORKER, "--listen", "127.0.0.1:0",
			     "--auth", "none", "--log-dir", "/dev/null/none", "--port-file",
			     "/dev/null/port", DAEMON_RIG_USER),
			NULL),
	    1);
	program_check_marks(program.err, LIST("--port-file: /dev/null/port"));
}

/* --- Logs --- */

static void log_is_appended_to_in_a_directory_that_is_made(void **state)
{
	const char *first, *second;

	(void)state;
	daemon_rig_init(&rig, NULL, NULL);
	daemon_rig_signal(&rig, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig), 0);
	read_rig_file("logs/urom_daemon_dev.log");
	first = strstr(text, "listening on 127.0.0.1:");
	assert_non_null(first);
	assert_non_null(strstr(text, "[INF]["));
	daemon_rig_again(&rig, NULL);
	read_rig_file("logs/urom_daemon_dev.log");
	first = strstr(text, "listening on 127.0.0.1:");
	second = strstr(first + 1, "listening on 127.0.0.1:");
	assert_non_null(second);
	daemon_rig_fini(&rig);
}

static void log_that_cannot_be_is_on_standard_error(void **state)
{
	struct program program;
	const char *warning;

	(void)state;
	assert_int_equal(
	    program_run(&program,
			LIST(DOCA_UROM_DAEMON, "--worker", FAKE_WORKER, "--listen", "127.0.0.1:0",
			     "--auth", "none", "--log-dir", "/dev/null/none", "--port-file",
			     "/dev/null/none", DAEMON_RIG_USER),
			NULL),
	    1);
	warning = strstr(program.err, "no log in /dev/null/none");
	assert_non_null(warning);
	assert_null(strstr(warning + 1, "no log in"));
	program_check_marks(program.err, LIST("[WRN]", "--log-dir", "[ERR]", "--port-file"));
}

static void errors_are_on_standard_error_as_well(void **state)
{
	(void)state;
	assert_int_equal(daemon_rig_fail(&rig, LIST("--listen", "192.0.2.1:0", "--insecure"), NULL),
			 1);
	program_check_marks(rig.program.err, LIST("[ERR]", "cannot listen on 192.0.2.1"));
	assert_null(strstr(rig.program.err, "[INF]"));
	daemon_rig_take_log(&rig, "cannot listen on 192.0.2.1");
	daemon_rig_fini(&rig);
}

/* Does what is logged otherwise: a stranger, a refusal, a worker that crashes. */
static void make_noise(void)
{
	struct wire_hello hello = rig_host_hello();
	struct rig_start start;
	struct rig_host host;

	rig_host_connect(&host, &rig);
	rig_host_send_bytes(&host, "GET / HTTP/1.1\r\n\r\n", 18);
	rig_host_receive_end(&host);
	rig_host_fini(&host);
	hello.pointer_bits = 1;
	rig_host_connect(&host, &rig);
	rig_host_send(&host, WIRE_HELLO, &hello);
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_NOT_SUPPORTED, "pointers");
	rig_host_fini(&host);
	rig_host_init(&host, &rig);
	rig_start_init(&start, 7, "crash");
	rig_host_start_refused(&host, &start, DOCA_ERROR_UNEXPECTED, "signal 11");
	rig_host_fini(&host);
}

static void level_10_silences_it(void **state)
{
	(void)state;
	daemon_rig_init(&rig, LIST("-l", "10"), NULL);
	make_noise();
	daemon_rig_signal(&rig, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig), 0);
	assert_string_equal(rig.program.out, "");
	assert_string_equal(rig.program.err, "");
	assert_string_equal(read_rig_file("logs/urom_daemon_dev.log"), "");
	daemon_rig_fini(&rig);
	/* The same noise is heard otherwise. */
	daemon_rig_init(&rig, NULL, NULL);
	make_noise();
	daemon_rig_take_log(&rig, "no message of UROM");
	daemon_rig_take_log(&rig, "pointers");
	daemon_rig_take_log(&rig, "signal 11");
	daemon_rig_drop_log(&rig);
	daemon_rig_fini(&rig);
}

static void level_10_silences_also_what_has_no_log(void **state)
{
	struct program program;

	(void)state;
	assert_int_equal(program_run(&program,
				     LIST(DOCA_UROM_DAEMON, "--worker", FAKE_WORKER, "-l", "10",
					  "--auth", "none", "--log-dir", "/dev/null/none",
					  "--port-file", "/dev/null/none", DAEMON_RIG_USER),
				     NULL),
			 1);
	assert_string_equal(program.out, "");
	assert_string_equal(program.err, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(port_file_has_the_address_while_it_runs),
		TEST(port_file_replaces_what_an_earlier_one_has_left),
		TEST(sigterm_and_sigint_end_it_in_good_order),
		TEST(service_manager_hears_of_the_end),
		TEST(watchdog_of_the_service_manager_is_fed),
		TEST(version_and_help_are_printed),
		TEST(addresses_that_others_reach_take_insecure),
		TEST(addresses_that_others_reach_are_no_matter_with_a_cookie),
		TEST(wrong_command_lines_are_named),
		TEST(port_in_use_is_named),
		TEST(file_that_cannot_be_written_is_named),
		TEST(log_is_appended_to_in_a_directory_that_is_made),
		TEST(log_that_cannot_be_is_on_standard_error),
		TEST(errors_are_on_standard_error_as_well),
		TEST(level_10_silences_it),
		TEST(level_10_silences_also_what_has_no_log),
	};

	return cmocka_run_group_tests_name("daemon_life", tests, NULL, NULL);
}
