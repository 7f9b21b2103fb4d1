/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What others do at the daemon's door, and how much later a good host is served for it: the median
 * of its starts meanwhile, against that of starts in between, without them, in the same run.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "rig_host.h"
#include "test.h"

#define NUM_STARTS   9
#define NUM_BURST    500
#define NUM_SLOW     64
#define NUM_SILENT   200
#define NUM_NOISY    100
#define NUM_LAZY     20
#define NUM_REQUESTS 500
#define NOISE_BYTES  4096
#define MAX_HOSTS    NUM_BURST

/* A daemon with a sanitizer in it takes several times as long for everything. */
#define MAX_DELAY_NS (TEST_HAS_ASAN || TEST_HAS_TSAN ? UINT64_C(500000000) : UINT64_C(100000000))

static struct daemon_rig rig;
static struct rig_host others[MAX_HOSTS];

static int setup(void **state)
{
	struct rlimit limit;
	int status = test_begin(state);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	daemon_rig_init(&rig, NULL, NULL);
	return status;
}

static int teardown(void **state)
{
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define DELAY_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* From the first step of connecting to the welcome, with the plugins in it. */
static uint64_t time_start(void)
{
	const uint64_t begin_ns = test_now_ns();
	struct rig_host host;
	uint64_t took_ns;

	rig_host_init(&host, &rig);
	took_ns = test_now_ns() - begin_ns;
	rig_host_fini(&host);
	return took_ns;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median(uint64_t times_ns[NUM_STARTS])
{
	qsort(times_ns, NUM_STARTS, sizeof(times_ns[0]), compare);
	return times_ns[NUM_STARTS / 2];
}

/* disturb: what the others do just before; settle: what they do afterwards, to their ends. */
static void check_delay(const char *what, void (*disturb)(void), void (*settle)(void))
{
	uint64_t alone_ns[NUM_STARTS], among_ns[NUM_STARTS];

	for (unsigned int i = 0; i < NUM_STARTS; i++) {
		(void)time_start(); /* what has been before is over */
		alone_ns[i] = time_start();
		disturb();
		among_ns[i] = time_start();
		settle();
	}
	daemon_rig_drop_log(&rig);
	print_message("%s: a start takes %u us, and %u us without them (medians of %u)\n", what,
		      (unsigned int)(median(among_ns) / 1000),
		      (unsigned int)(median(alone_ns) / 1000), NUM_STARTS);
	assert_true(median(among_ns) <= median(alone_ns) + MAX_DELAY_NS);
}

static void connect_all(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		rig_host_connect(&others[i], &rig);
}

static void close_all(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		rig_host_fini(&others[i]);
}

/* --- 500 at once --- */

static void say_hello_500_times(void)
{
	const struct wire_hello hello = rig_host_hello();

	for (unsigned int i = 0; i < NUM_BURST; i++) {
		rig_host_connect(&others[i], &rig);
		rig_host_greet(&others[i], &hello);
	}
}

static void welcome_all(void)
{
	for (unsigned int i = 0; i < NUM_BURST; i++)
		rig_host_prove(&others[i]);
	for (unsigned int i = 0; i < NUM_BURST; i++) {
		rig_host_receive(&others[i], WIRE_WELCOME, &others[i].welcome);
		assert_int_equal(others[i].welcome.magic, WIRE_MAGIC);
	}
	close_all(NUM_BURST);
}

static void burst_of_500_sessions_is_served_and_holds_up_nobody(void **state)
{
	(void)state;
	check_delay("500 sessions", say_hello_500_times, welcome_all);
}

/* --- byte by byte --- */

static uint8_t hello_bytes[1024];
static size_t hello_len, hello_at;

static void make_hello(void)
{
	const struct wire_hello hello = rig_host_hello();
	struct wire_header header = { .type = WIRE_HELLO, .id = 1 };
	size_t len;

	assert_int_equal(wire_encode(wire_message_find(WIRE_HELLO), &hello,
				     hello_bytes + WIRE_HEADER_SIZE,
				     sizeof(hello_bytes) - WIRE_HEADER_SIZE, &len),
			 WIRE_OK);
	header.len = (uint32_t)len;
	wire_header_encode(&header, hello_bytes);
	hello_len = WIRE_HEADER_SIZE + len;
}

/* One byte more of each, but for the last: none of them gets in meanwhile. */
static void send_a_byte_each(void)
{
	if (hello_at + 1 == hello_len)
		return;
	for (unsigned int i = 0; i < NUM_SLOW; i++)
		rig_host_send_bytes(&others[i], hello_bytes + hello_at, 1);
	hello_at++;
}

static void settle_nothing(void)
{
}

static void hello_that_comes_byte_by_byte_holds_up_nobody(void **state)
{
	const struct wire_hello hello = rig_host_hello();

	(void)state;
	make_hello();
	hello_at = 0;
	connect_all(NUM_SLOW);
	check_delay("64 hellos byte by byte", send_a_byte_each, settle_nothing);
	while (hello_at + 1 < hello_len)
		send_a_byte_each();
	/* And they are as good as any. */
	for (unsigned int i = 0; i < NUM_SLOW; i++) {
		rig_host_send_bytes(&others[i], hello_bytes + hello_at, 1);
		rig_host_keep_hello(&others[i], &hello);
		rig_host_prove(&others[i]);
		rig_host_receive(&others[i], WIRE_WELCOME, &others[i].welcome);
	}
	close_all(NUM_SLOW);
}

/* --- those who say nothing --- */

static void connect_silently(void)
{
	connect_all(NUM_SILENT);
}

static void leave_silently(void)
{
	close_all(NUM_SILENT);
}

static void silent_connections_hold_up_nobody(void **state)
{
	(void)state;
	check_delay("200 silent connections", connect_silently, leave_silently);
}

/* --- noise --- */

static void send_noise(void)
{
	static uint32_t seed = 4711;
	uint8_t noise[NOISE_BYTES];

	for (unsigned int i = 0; i < NUM_NOISY; i++) {
		for (size_t j = 0; j < sizeof(noise); j++) {
			seed = seed * 1664525u + 1013904223u;
			noise[j] = (uint8_t)(seed >> 24);
		}
		rig_host_connect(&others[i], &rig);
		rig_host_send_bytes(&others[i], noise, sizeof(noise));
	}
}

static void end_noise(void)
{
	close_all(NUM_NOISY);
}

static void noise_holds_up_nobody(void **state)
{
	(void)state;
	check_delay("100 times 4 KiB of noise", send_noise, end_noise);
}

/* A good magic, and a length that no hello has. */
static void announce_much(void)
{
	const struct wire_header header = { .len = UINT32_MAX, .type = WIRE_HELLO, .id = 1 };
	uint8_t bytes[WIRE_HEADER_SIZE];

	wire_header_encode(&header, bytes);
	for (unsigned int i = 0; i < NUM_NOISY; i++) {
		rig_host_connect(&others[i], &rig);
		rig_host_send_bytes(&others[i], bytes, sizeof(bytes));
	}
}

static void huge_lengths_hold_up_nobody(void **state)
{
	(void)state;
	check_delay("100 lengths of 4 GiB", announce_much, end_noise);
}

/* --- those who do not read --- */

static void ask_and_not_read(void)
{
	const struct wire_group_get get = { .group = 1 };

	for (unsigned int i = 0; i < NUM_LAZY; i++) {
		rig_host_init(&others[i], &rig);
		for (unsigned int j = 0; j < NUM_REQUESTS; j++)
			rig_host_send(&others[i], WIRE_GROUP_GET, &get);
	}
}

static void leave_unread(void)
{
	close_all(NUM_LAZY);
}

static void who_does_not_read_holds_up_nobody(void **state)
{
	(void)state;
	check_delay("20 times 500 questions", ask_and_not_read, leave_unread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DELAY_TEST(burst_of_500_sessions_is_served_and_holds_up_nobody),
		DELAY_TEST(hello_that_comes_byte_by_byte_holds_up_nobody),
		DELAY_TEST(silent_connections_hold_up_nobody),
		DELAY_TEST(noise_holds_up_nobody),
		DELAY_TEST(huge_lengths_hold_up_nobody),
		DELAY_TEST(who_does_not_read_holds_up_nobody),
	};

	return cmocka_run_group_tests_name("daemon_delays", tests, NULL, NULL);
}
