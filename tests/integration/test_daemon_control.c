/* SPDX-License-Identifier: BSD-3-Clause */

/* The daemon's handshake, with hosts that are good, of another version, or not to be let in. */

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig_host.h"
#include "test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct daemon_rig rig;

static int setup(void **state)
{
	int status = test_begin(state);

	daemon_rig_init(&rig, NULL, NULL);
	return status;
}

static int teardown(void **state)
{
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define CONTROL_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Whatever was done to it, the daemon serves. */
static void check_alive(void)
{
	struct rig_host host;

	rig_host_init(&host, &rig);
	rig_host_fini(&host);
}

static struct wire_bytes text_of(const char *text)
{
	return (struct wire_bytes){ .data = text, .len = (uint32_t)strlen(text) };
}

/* --- Welcome --- */

static void check_cpuset(const uint8_t *set)
{
	cpu_set_t allowed;

	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	for (size_t cpu = 0; cpu < 8 * WIRE_CPUSET_SIZE; cpu++)
		assert_int_equal(set[cpu / 8] >> (cpu % 8) & 1, CPU_ISSET(cpu, &allowed));
}

static void host_is_told_what_it_needs(void **state)
{
	static const char *const names[] = { "a", "b" };
	struct wire_bytes plugins;
	struct wire_plugin plugin;
	struct rig_host host;

	(void)state;
	rig_host_init(&host, &rig);
	assert_int_equal(host.message.id, 2); /* of the proof */
	assert_true(host.welcome.magic == WIRE_MAGIC);
	assert_int_equal(host.welcome.version, 1);
	assert_int_equal(host.welcome.max_message, 4096);
	assert_int_not_equal(host.welcome.session, 0);
	assert_int_not_equal(host.welcome.daemon_version.len, 0);
	check_cpuset(host.welcome.cpuset);
	plugins = host.welcome.plugins;
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_true(wire_list_next(&plugins, &wire_plugin_message, &plugin));
		assert_int_equal(plugin.id, 1 << i);
		assert_int_equal(plugin.version, 1);
		assert_int_equal(plugin.name.len, 1);
		assert_memory_equal(plugin.name.data, names[i], 1);
	}
	assert_false(wire_list_next(&plugins, &wire_plugin_message, &plugin));
	rig_host_fini(&host);
}

static void sessions_have_numbers_of_their_own(void **state)
{
	struct rig_host first, second;

	(void)state;
	rig_host_init(&first, &rig);
	rig_host_init(&second, &rig);
	assert_int_not_equal(first.welcome.session, second.welcome.session);
	rig_host_fini(&first);
	rig_host_fini(&second);
}

static void operator_is_welcomed_and_may_not_ask_for_workers(void **state)
{
	struct wire_hello hello = rig_host_hello();
	const struct wire_group_get get = { 0 };
	struct wire_welcome welcome;
	struct rig_host host;

	(void)state;
	hello.role = WIRE_ROLE_OPERATOR;
	hello.max_message = 0;
	rig_host_connect(&host, &rig);
	rig_host_greet(&host, &hello);
	rig_host_prove(&host);
	rig_host_receive(&host, WIRE_WELCOME, &welcome);
	assert_int_not_equal(welcome.plugins.len, 0);
	rig_host_send(&host, WIRE_GROUP_GET, &get);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "GROUP_GET (type 22) is nothing that an operator may send");
	rig_host_fini(&host);
}

/* --- Versions --- */

/* A hello of versions that this test knows nothing more of than their first bytes. */
static void send_hello_of(struct rig_host *host, uint16_t min, uint16_t max)
{
	const struct wire_preamble preamble = { WIRE_MAGIC, min, max };
	uint8_t frame[WIRE_HEADER_SIZE + WIRE_PREAMBLE_SIZE + 100];
	const struct wire_header header = {
		.len = WIRE_PREAMBLE_SIZE + 100,
		.type = WIRE_HELLO,
		.id = 77,
	};
	size_t len;

	memset(frame, 0xa5, sizeof(frame));
	wire_header_encode(&header, frame);
	assert_int_equal(wire_encode(&wire_preamble_message, &preamble, frame + WIRE_HEADER_SIZE,
				     WIRE_PREAMBLE_SIZE, &len),
			 WIRE_OK);
	rig_host_connect(host, &rig);
	rig_host_send_bytes(host, frame, sizeof(frame));
}

static void check_version_refused(uint16_t min, uint16_t max, const char *range)
{
	struct wire_refused refused;
	struct rig_host host;
	char line[128];

	send_hello_of(&host, min, max);
	assert_int_equal(rig_host_receive(&host, WIRE_REFUSED, &refused), 77);
	assert_true(refused.magic == WIRE_MAGIC);
	assert_int_equal(refused.error, DOCA_ERROR_UNSUPPORTED_VERSION);
	assert_int_equal(refused.version_min, WIRE_VERSION_MIN);
	assert_int_equal(refused.version_max, WIRE_VERSION_MAX);
	rig_host_receive_end(&host);
	(void)snprintf(line, sizeof(line), "versions 1 to 1 of the protocol, its peer %s", range);
	daemon_rig_take_log(&rig, line);
	rig_host_fini(&host);
}

static void version_skew_is_refused_with_both_ranges(void **state)
{
	(void)state;
	check_version_refused(2, 9, "2 to 9");
	check_version_refused(65535, 65535, "65535 to 65535");
	check_version_refused(0, 0, "0 to 0");
	check_version_refused(9, 0, "9 to 0");
	check_alive();
}

static void highest_common_version_is_spoken(void **state)
{
	struct wire_hello hello = rig_host_hello();
	struct wire_welcome welcome;
	struct rig_host host;

	(void)state;
	hello.version_max = 300;
	rig_host_connect(&host, &rig);
	rig_host_greet(&host, &hello);
	rig_host_prove(&host);
	rig_host_receive(&host, WIRE_WELCOME, &welcome);
	assert_int_equal(welcome.version, WIRE_VERSION_MAX);
	rig_host_fini(&host);
}

/* --- Refused --- */

static void check_refused(const struct wire_hello *hello, doca_error_t error, const char *part)
{
	struct rig_host host;

	rig_host_connect(&host, &rig);
	rig_host_send(&host, WIRE_HELLO, hello);
	assert_int_equal(rig_host_receive_refused(&host, WIRE_REFUSED, error, part), 1);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, part);
	rig_host_fini(&host);
}

static void machines_that_differ_are_refused(void **state)
{
	struct wire_hello hello = rig_host_hello();

	(void)state;
	hello.is_big_endian = !hello.is_big_endian;
	check_refused(&hello, DOCA_ERROR_NOT_SUPPORTED, "endian");
	hello = rig_host_hello();
	hello.pointer_bits = 32;
	check_refused(&hello, DOCA_ERROR_NOT_SUPPORTED, "pointers of 32 bits");
	check_alive();
}

static void message_limits_that_cannot_be_are_refused(void **state)
{
	struct wire_hello hello = rig_host_hello();

	(void)state;
	hello.max_message = 4097;
	check_refused(&hello, DOCA_ERROR_INVALID_VALUE, "--max-msg-size");
	hello.max_message = UINT32_MAX;
	check_refused(&hello, DOCA_ERROR_INVALID_VALUE, "4294967295");
	hello.max_message = 127;
	check_refused(&hello, DOCA_ERROR_INVALID_VALUE, "127");
	check_alive();
}

static void methods_that_are_not_configured_are_refused(void **state)
{
	struct wire_hello hello = rig_host_hello();

	(void)state;
	hello.auth = WIRE_AUTH_NONE;
	check_refused(&hello, DOCA_ERROR_AUTHENTICATION, "the host offers none: ");
	hello.auth = WIRE_AUTH_MUNGE;
	check_refused(&hello, DOCA_ERROR_AUTHENTICATION, "the host offers munge: ");
	hello.auth = 200;
	check_refused(&hello, DOCA_ERROR_AUTHENTICATION, "the host offers ?: ");
	check_alive();
}

static void roles_that_may_not_come_by_themselves_are_refused(void **state)
{
	struct wire_hello hello = rig_host_hello();

	(void)state;
	hello.role = WIRE_ROLE_WORKER;
	check_refused(&hello, DOCA_ERROR_NOT_PERMITTED, "role 2");
	hello.role = 0;
	check_refused(&hello, DOCA_ERROR_NOT_PERMITTED, "role 0");
	hello.role = 255;
	check_refused(&hello, DOCA_ERROR_NOT_PERMITTED, "role 255");
	check_alive();
}

/* A close while bytes of the peer are unread takes from it what it was told. */
static void who_goes_on_talking_still_reads_why_it_was_refused(void **state)
{
	struct wire_hello hello = rig_host_hello();
	const struct wire_group_get get = { 0 };
	struct rig_host host;

	(void)state;
	hello.pointer_bits = 32;
	rig_host_connect(&host, &rig);
	rig_host_send(&host, WIRE_HELLO, &hello);
	for (int i = 0; i < 500; i++)
		rig_host_send(&host, WIRE_GROUP_GET, &get);
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_NOT_SUPPORTED, "pointers");
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "pointers");
	rig_host_fini(&host);
}

static void names_of_hosts_make_no_lines_in_the_log(void **state)
{
	struct wire_hello hello = rig_host_hello();

	(void)state;
	hello.host = text_of("evil\n[x][1][ERR][FAKE] line\x1b[2J");
	hello.pointer_bits = 1;
	check_refused(&hello, DOCA_ERROR_NOT_SUPPORTED, "pointers");
	assert_int_equal(daemon_rig_num_logged(&rig), 0);
}

/* --- After the handshake --- */

static void check_breaks(uint16_t type, const void *record, const char *part)
{
	struct rig_host host;

	rig_host_init(&host, &rig);
	rig_host_send(&host, type, record);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, part);
	rig_host_fini(&host);
}

static void messages_of_others_end_a_hosts_session(void **state)
{
	const struct wire_hello hello = rig_host_hello();
	const struct wire_worker_ready ready = { .pid = 1 };
	const struct wire_worker_stop known = { 0 };
	const struct wire_empty nothing = { 0 };
	const struct wire_ticket ticket = { .connection = 1 };

	(void)state;
	(void)known;
	check_breaks(WIRE_HELLO, &hello, "HELLO (type 1) is nothing that a host may send");
	check_breaks(WIRE_WORKER_READY, &ready, "WORKER_READY");
	check_breaks(WIRE_SHUTDOWN, &nothing, "SHUTDOWN");
	check_breaks(WIRE_TICKET, &ticket, "TICKET");
	check_alive();
}

static void requests_that_cannot_be_read_end_the_session(void **state)
{
	const struct wire_header header = { .len = 3, .type = WIRE_GROUP_GET, .id = 9 };
	const struct wire_header unknown = { .len = 0, .type = 4711, .id = 9 };
	uint8_t bytes[WIRE_HEADER_SIZE + 3] = { 0 };
	struct rig_host host;

	(void)state;
	wire_header_encode(&header, bytes);
	rig_host_init(&host, &rig);
	rig_host_send_bytes(&host, bytes, sizeof(bytes));
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "GROUP_GET (type 22) cannot be read");
	rig_host_fini(&host);
	wire_header_encode(&unknown, bytes);
	rig_host_init(&host, &rig);
	rig_host_send_bytes(&host, bytes, WIRE_HEADER_SIZE);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "? (type 4711) is nothing");
	rig_host_fini(&host);
	check_alive();
}

static void groups_without_workers_are_empty(void **state)
{
	struct rig_host host;

	(void)state;
	rig_host_init(&host, &rig);
	assert_int_equal(rig_host_get_group(&host, 0, NULL, 0), 0);
	assert_int_equal(rig_host_get_group(&host, UINT32_MAX, NULL, 0), 0);
	rig_host_fini(&host);
}

static void requests_that_come_together_are_all_answered(void **state)
{
	const unsigned int n = 1000; /* more than one turn's */
	struct wire_group answer;
	struct rig_host host;
	uint64_t first = 0;

	(void)state;
	rig_host_init(&host, &rig);
	for (unsigned int i = 0; i < n; i++) {
		const struct wire_group_get get = { i };
		const uint64_t id = rig_host_send(&host, WIRE_GROUP_GET, &get);

		first = i == 0 ? id : first;
	}
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(rig_host_receive(&host, WIRE_GROUP, &answer), first + i);
	rig_host_fini(&host);
}

/* Sends requests until nobody takes them any more; returns how many were sent whole. */
static unsigned int send_until_full(struct rig_host *host)
{
	const struct wire_group_get get = { 1 };
	const struct pollfd watched = { .fd = host->stream.fd, .events = POLLOUT };
	unsigned int count = 0;

	for (;;) {
		struct pollfd copy = watched;

		assert_success(
		    chan_stream_send(&host->stream, WIRE_GROUP_GET, ++host->last_id, &get));
		count++;
		/* What cannot be sent for a while will not be. */
		if (chan_stream_is_sending(&host->stream) && poll(&copy, 1, 500) == 0)
			return count;
		assert_success(chan_stream_flush(&host->stream));
	}
}

static void who_does_not_read_is_not_listened_to(void **state)
{
	struct wire_group answer;
	struct rig_host host;
	unsigned int count;

	(void)state;
	rig_host_init(&host, &rig);
	count = send_until_full(&host);
	check_alive();
	/* And everything is answered once it does. */
	for (unsigned int i = 0; i < count; i++) {
		rig_host_receive(&host, WIRE_GROUP, &answer);
		assert_success(chan_stream_flush(&host.stream));
	}
	rig_host_check_silent(&host);
	rig_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONTROL_TEST(host_is_told_what_it_needs),
		CONTROL_TEST(sessions_have_numbers_of_their_own),
		CONTROL_TEST(operator_is_welcomed_and_may_not_ask_for_workers),
		CONTROL_TEST(version_skew_is_refused_with_both_ranges),
		CONTROL_TEST(highest_common_version_is_spoken),
		CONTROL_TEST(machines_that_differ_are_refused),
		CONTROL_TEST(message_limits_that_cannot_be_are_refused),
		CONTROL_TEST(methods_that_are_not_configured_are_refused),
		CONTROL_TEST(roles_that_may_not_come_by_themselves_are_refused),
		CONTROL_TEST(who_goes_on_talking_still_reads_why_it_was_refused),
		CONTROL_TEST(names_of_hosts_make_no_lines_in_the_log),
		CONTROL_TEST(messages_of_others_end_a_hosts_session),
		CONTROL_TEST(requests_that_cannot_be_read_end_the_session),
		CONTROL_TEST(groups_without_workers_are_empty),
		CONTROL_TEST(requests_that_come_together_are_all_answered),
		CONTROL_TEST(who_does_not_read_is_not_listened_to),
	};

	return cmocka_run_group_tests_name("daemon_control", tests, NULL, NULL);
}
