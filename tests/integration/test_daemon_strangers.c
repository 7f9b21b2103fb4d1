/* SPDX-License-Identifier: BSD-3-Clause */

/* Those who connect to the daemon and are no hosts: they talk nonsense, or nothing. */

#include <stdlib.h>
#include <string.h>

#include "rig_host.h"
#include "test.h"

#define MAX_HALF_OPEN      256
#define MAX_HALF_OPEN_TEXT "256"

static struct daemon_rig rig;

static int setup(void **state)
{
	static const char *const args[] = { "--max-half-open", MAX_HALF_OPEN_TEXT, NULL };
	int status = test_begin(state);

	daemon_rig_init(&rig, args, NULL);
	return status;
}

/* Whose noise gets as far as the requests of a host. */
static int setup_open(void **state)
{
	static const char *const args[] = { "--auth", "none", NULL };
	int status = test_begin(state);

	daemon_rig_init(&rig, args, NULL);
	return status;
}

static int teardown(void **state)
{
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define STRANGER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#define OPEN_TEST(name)     cmocka_unit_test_setup_teardown(name, setup_open, teardown)

/* Whatever was done to it, the daemon serves. */
static void check_alive(void)
{
	struct rig_host host;

	rig_host_init(&host, &rig);
	rig_host_fini(&host);
}

/* --- What is no UROM --- */

/* A hello whose first bytes are right, and no other. */
static size_t make_half_hello(uint8_t *bytes, size_t size)
{
	const struct wire_preamble preamble = { WIRE_MAGIC, WIRE_VERSION_MIN, WIRE_VERSION_MAX };
	const struct wire_header header = { .len = 100, .type = WIRE_HELLO, .id = 1 };
	size_t len;

	assert_true(size >= WIRE_HEADER_SIZE + header.len);
	memset(bytes, 0xa5, WIRE_HEADER_SIZE + header.len);
	wire_header_encode(&header, bytes);
	assert_int_equal(wire_encode(&wire_preamble_message, &preamble, bytes + WIRE_HEADER_SIZE,
				     WIRE_PREAMBLE_SIZE, &len),
			 WIRE_OK);
	return WIRE_HEADER_SIZE + header.len;
}

/* Sends bytes, and is hung up on without a word; one line that contains part. */
static void check_hung_up(const void *bytes, size_t len, const char *part)
{
	struct rig_host host;

	rig_host_connect(&host, &rig);
	rig_host_send_bytes(&host, bytes, len);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, part);
	rig_host_fini(&host);
}

static void strangers_are_hung_up_on(void **state)
{
	static const char http[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
	static const char ssh[] = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n";
	static const uint8_t zeros[64];
	uint8_t ones[64];

	(void)state;
	memset(ones, 0xff, sizeof(ones));
	check_hung_up(http, strlen(http), "no message of UROM");
	check_hung_up(ssh, strlen(ssh), "no message of UROM");
	check_hung_up(ones, sizeof(ones), "no message of UROM");
	check_hung_up(zeros, sizeof(zeros), "no hello of UROM");
	check_alive();
}

static void foreign_magic_is_hung_up_on(void **state)
{
	struct wire_hello hello = rig_host_hello();
	struct rig_host host;

	(void)state;
	hello.magic++;
	rig_host_connect(&host, &rig);
	rig_host_send(&host, WIRE_HELLO, &hello);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "HELLO (type 1) is no hello of UROM");
	rig_host_fini(&host);
	check_alive();
}

static void nothing_may_come_before_hello(void **state)
{
	const struct wire_group_get get = { 0 };
	struct rig_host host;

	(void)state;
	rig_host_connect(&host, &rig);
	rig_host_send(&host, WIRE_GROUP_GET, &get);
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "GROUP_GET (type 22) is no hello of UROM");
	rig_host_fini(&host);
	check_alive();
}

static void hello_that_cannot_be_read_ends_the_session(void **state)
{
	uint8_t bytes[256];

	(void)state;
	check_hung_up(bytes, make_half_hello(bytes, sizeof(bytes)),
		      "HELLO (type 1) cannot be read");
	check_alive();
}

static void hello_longer_than_any_is_not_waited_for(void **state)
{
	const struct wire_header header = { .len = WIRE_MAX_PIECE, .type = WIRE_HELLO, .id = 1 };
	uint8_t bytes[WIRE_HEADER_SIZE];

	(void)state;
	wire_header_encode(&header, bytes);
	check_hung_up(bytes, sizeof(bytes), "no message of UROM");
	check_alive();
}

/* --- Those who say nothing --- */

/* The daemon says why, and hangs up. */
static void check_told(struct rig_host *host, doca_error_t error, const char *part)
{
	rig_host_receive_refused(host, WIRE_REFUSED, error, part);
	rig_host_receive_end(host);
}

static void who_leaves_without_a_word_is_no_matter(void **state)
{
	struct rig_host host;

	(void)state;
	for (int i = 0; i < 20; i++) {
		rig_host_connect(&host, &rig);
		rig_host_fini(&host);
	}
	check_alive();
}

static void who_says_no_hello_is_hung_up_on_after_10_s(void **state)
{
	const struct wire_header header = { .len = 100, .type = WIRE_HELLO, .id = 1 };
	struct rig_host silent, slow;
	uint8_t bytes[WIRE_HEADER_SIZE];
	const uint64_t began = test_now_ns();

	(void)state;
	rig_host_connect(&silent, &rig);
	rig_host_connect(&slow, &rig);
	wire_header_encode(&header, bytes);
	rig_host_send_bytes(&slow, bytes, sizeof(bytes));
	check_told(&silent, DOCA_ERROR_TIME_OUT, "--handshake-timeout");
	check_told(&slow, DOCA_ERROR_TIME_OUT, "--handshake-timeout");
	assert_true(test_now_ns() - began >= UINT64_C(9900000000));
	daemon_rig_take_log(&rig, "no handshake within 10 s");
	daemon_rig_take_log(&rig, "no handshake within 10 s");
	rig_host_fini(&silent);
	rig_host_fini(&slow);
	check_alive();
}

static void silent_connections_make_room_for_those_that_speak(void **state)
{
	const int num_silent = 300;
	struct rig_host *silent = calloc((size_t)num_silent, sizeof(*silent));

	(void)state;
	assert_non_null(silent);
	for (int i = 0; i < num_silent; i++)
		rig_host_connect(&silent[i], &rig);
	check_alive();
	for (int i = 0; i < num_silent - MAX_HALF_OPEN; i++)
		check_told(&silent[i], DOCA_ERROR_FULL, "--max-half-open");
	rig_host_check_silent(&silent[num_silent - 1]);
	for (int i = 0; i < num_silent; i++)
		rig_host_fini(&silent[i]);
	free(silent);
	daemon_rig_take_log(&rig, "closed without a handshake");
	daemon_rig_drop_log(&rig);
}

/* --- Noise --- */

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* A good hello and a good request, with some bytes changed. */
static size_t make_noise(uint8_t *bytes, size_t size, uint32_t *seed)
{
	struct wire_hello hello = rig_host_hello();
	const struct wire_worker_start start = { .worker_id = 1, .plugins = 4 };
	size_t len, at = 0;
	struct wire_header header = { .type = WIRE_HELLO, .id = 1 };

	assert_int_equal(wire_encode(wire_message_find(WIRE_HELLO), &hello,
				     bytes + WIRE_HEADER_SIZE, size - WIRE_HEADER_SIZE, &len),
			 WIRE_OK);
	header.len = (uint32_t)len;
	wire_header_encode(&header, bytes);
	at = WIRE_HEADER_SIZE + len;
	assert_int_equal(wire_encode(wire_message_find(WIRE_WORKER_START), &start,
				     bytes + at + WIRE_HEADER_SIZE, size - at - WIRE_HEADER_SIZE,
				     &len),
			 WIRE_OK);
	header = (struct wire_header){ .len = (uint32_t)len, .type = WIRE_WORKER_START, .id = 2 };
	wire_header_encode(&header, bytes + at);
	at += WIRE_HEADER_SIZE + len;
	for (unsigned int i = 0; i < 4; i++)
		bytes[next_random(seed) % at] ^= (uint8_t)(1u << (next_random(seed) % 8));
	return at - next_random(seed) % 8;
}

static void make_noise_at_it(void)
{
	uint32_t seed = 4711;

	for (int i = 0; i < 300; i++) {
		uint8_t bytes[1024];
		struct rig_host host;
		size_t len = make_noise(bytes, sizeof(bytes), &seed);

		rig_host_connect(&host, &rig);
		rig_host_send_bytes(&host, bytes, len);
		rig_host_fini(&host);
	}
}

static void noise_does_no_harm(void **state)
{
	(void)state;
	make_noise_at_it();
	check_alive();
	daemon_rig_drop_log(&rig);
}

static void noise_of_those_who_need_no_proof_does_no_harm(void **state)
{
	const struct wire_hello hello = rig_host_hello();
	struct rig_host host;

	(void)state;
	make_noise_at_it();
	rig_host_connect(&host, &rig);
	rig_host_greet(&host, &hello);
	rig_host_receive(&host, WIRE_WELCOME, &host.welcome);
	rig_host_fini(&host);
	daemon_rig_drop_log(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STRANGER_TEST(strangers_are_hung_up_on),
		STRANGER_TEST(foreign_magic_is_hung_up_on),
		STRANGER_TEST(nothing_may_come_before_hello),
		STRANGER_TEST(hello_that_cannot_be_read_ends_the_session),
		STRANGER_TEST(hello_longer_than_any_is_not_waited_for),
		STRANGER_TEST(who_leaves_without_a_word_is_no_matter),
		STRANGER_TEST(who_says_no_hello_is_hung_up_on_after_10_s),
		STRANGER_TEST(silent_connections_make_room_for_those_that_speak),
		STRANGER_TEST(noise_does_no_harm),
		OPEN_TEST(noise_of_those_who_need_no_proof_does_no_harm),
	};

	return cmocka_run_group_tests_name("daemon_strangers", tests, NULL, NULL);
}
