/* SPDX-License-Identifier: BSD-3-Clause */

/* What framed TCP has of its own: descriptors that run out, memory, sockets that others hold. */

#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/export.h"
#include "test.h"
#include "urom/chan/chan.h"
#include "urom/wire/wire_frame.h"
#include "urom/wire/wire_messages.h"

#define PATIENCE_MS 20000

static long callocs_left = LONG_MAX; /* counts down to the one that fails */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return callocs_left-- != 0 ? __real_calloc(count, size) : NULL;
}

struct end {
	struct chan *chan;
	struct chan_conn *conn; /* the last that came, or that was made */
	unsigned int num_accepted;
	unsigned int num_received;
	unsigned int num_closed;
	doca_error_t why;
};

static struct end host, worker;

static void on_accepted(void *arg, struct chan_conn *conn)
{
	struct end *end = arg;

	end->conn = conn;
	end->num_accepted++;
}

static void on_received(void *arg, struct chan_conn *conn, const struct chan_message *message)
{
	struct end *end = arg;

	(void)conn;
	(void)message;
	end->num_received++;
}

static void on_closed(void *arg, struct chan_conn *conn, doca_error_t why)
{
	struct end *end = arg;

	(void)conn;
	end->num_closed++;
	end->why = why;
}

static const struct chan_handler handler = { .accepted = on_accepted,
					     .received = on_received,
					     .closed = on_closed };

static struct sockaddr_in loopback(uint32_t ip)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(ip) };
}

static doca_error_t end_open(struct end *end)
{
	const struct chan_config config = { .handler = &handler, .arg = end, .max_body = 1000 };

	*end = (struct end){ .chan = NULL };
	return chan_open(CHAN_TCP, &config, &end->chan);
}

static int setup(void **state)
{
	const struct sockaddr_in addr = loopback(INADDR_LOOPBACK);

	test_begin(state);
	callocs_left = LONG_MAX;
	assert_success(end_open(&host));
	assert_success(end_open(&worker));
	assert_success(chan_listen(worker.chan, (const struct sockaddr *)&addr));
	return 0;
}

static int teardown(void **state)
{
	chan_close(host.chan);
	chan_close(worker.chan);
	return test_end(state);
}

#define TCP_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static doca_error_t try_connect(void)
{
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len;

	assert_success(chan_get_address(worker.chan, addr, &len));
	return chan_connect(host.chan, addr, len, &host.conn);
}

/* Progresses an end when it has something to do, which it must have before long. */
static void step(struct end *end)
{
	if (chan_arm(end->chan))
		assert_true(test_is_readable(chan_get_fd(end->chan), PATIENCE_MS));
	(void)chan_progress(end->chan);
}

static void join(void)
{
	assert_success(try_connect());
	while (worker.num_accepted == 0)
		step(&worker);
	step(&host); /* it is connected */
}

static doca_error_t say(struct chan_conn *conn)
{
	return chan_send(conn, WIRE_DETACH, 0, &(struct wire_empty){ 0 });
}

static int option_of(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, IPPROTO_TCP, name, &value, &len) == 0 ? value : -1;
}

static void peers_that_do_not_read_are_waited_for(void **state)
{
	unsigned int num_sockets = 0;

	(void)state;
	join();

	/* Those of both ends; TCP would give up a full connection by its user timeout. */
	for (int fd = 3; fd < 64; fd++) {
		if (option_of(fd, TCP_USER_TIMEOUT) < 0)
			continue;
		num_sockets++;
		assert_int_equal(option_of(fd, TCP_USER_TIMEOUT), 0);
	}
	assert_int_equal(num_sockets, 3); /* with the one that listens */
}

/* No descriptor can be opened any more, until the limit that it returns is set again. */
static struct rlimit take_all_descriptors(void)
{
	struct rlimit before, none;
	int lowest = dup(STDIN_FILENO);

	assert_true(lowest >= 0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = (rlim_t)lowest;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	return before;
}

static void give_descriptors_back(const struct rlimit *before)
{
	assert_int_equal(setrlimit(RLIMIT_NOFILE, before), 0);
}

static void peer_without_a_descriptor_is_turned_away(void **state)
{
	struct rlimit before;

	(void)state;
	for (unsigned int i = 0; i < 3; i++) {
		assert_success(try_connect());
		before = take_all_descriptors();
		step(&worker);
		test_take_log("turned away");
		/* Not for ever readable, which would keep a processor busy. */
		assert_false(chan_progress(worker.chan));
		assert_false(test_is_readable(chan_get_fd(worker.chan), 0));
		give_descriptors_back(&before);
		while (host.num_closed == i)
			step(&host);
	}
	assert_int_equal(worker.num_accepted, 0);

	assert_success(try_connect());
	while (worker.num_accepted == 0)
		step(&worker);
}

static void opening_without_a_descriptor_is_told(void **state)
{
	struct rlimit before = take_all_descriptors();
	struct end end;
	doca_error_t result = end_open(&end);

	(void)state;
	give_descriptors_back(&before);
	assert_error(result, DOCA_ERROR_NO_MEMORY);
	test_take_log("cannot be opened");
}

static void connecting_without_a_descriptor_is_no_memory(void **state)
{
	struct rlimit before = take_all_descriptors();
	doca_error_t result = try_connect();

	(void)state;
	give_descriptors_back(&before);
	assert_error(result, DOCA_ERROR_NO_MEMORY);
}

static void opening_without_memory_is_told(void **state)
{
	struct end end;

	(void)state;
	callocs_left = 0;
	assert_error(end_open(&end), DOCA_ERROR_NO_MEMORY);
}

static void connecting_without_memory_is_told(void **state)
{
	(void)state;
	callocs_left = 0;
	assert_error(try_connect(), DOCA_ERROR_NO_MEMORY);
}

static void accepting_without_memory_turns_away(void **state)
{
	(void)state;
	assert_success(try_connect());
	callocs_left = 0;
	step(&worker);
	test_take_log("turned away");
	assert_int_equal(worker.num_accepted, 0);

	while (host.num_closed == 0)
		step(&host);
	assert_error(host.why, DOCA_ERROR_CONNECTION_RESET);
}

static void kinds_that_there_are_not_are_refused(void **state)
{
	const struct chan_config config = { .handler = &handler };
	struct chan *chan;

	(void)state;
	assert_error(chan_open((enum chan_kind)0, &config, &chan), DOCA_ERROR_NOT_SUPPORTED);
	assert_error(chan_open(CHAN_NUM_KINDS, &config, &chan), DOCA_ERROR_NOT_SUPPORTED);
	assert_error(chan_open((enum chan_kind) - 1, &config, &chan), DOCA_ERROR_NOT_SUPPORTED);
	chan_close(NULL);
}

static void listening_elsewhere_is_told(void **state)
{
	const struct sockaddr_in foreign = loopback(0xc0000201); /* 192.0.2.1 */
	const struct sockaddr unknown = { .sa_family = AF_UNIX };

	(void)state;
	assert_true(chan_listen(host.chan, (const struct sockaddr *)&foreign) != DOCA_SUCCESS);
	test_take_log("192.0.2.1");
	assert_error(chan_listen(host.chan, &unknown), DOCA_ERROR_INVALID_VALUE);
}

static void version_six_works_as_well(void **state)
{
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6,
					  .sin6_port = htons(1),
					  .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct end other;
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len;

	(void)state;
	assert_success(end_open(&other));
	assert_success(chan_listen(other.chan, (const struct sockaddr *)&any));
	assert_success(chan_get_address(other.chan, addr, &len));
	assert_int_equal(len, 20);
	assert_int_equal(addr[0], CHAN_TCP);
	assert_int_equal(addr[1], 6);
	assert_memory_equal(addr + 4, &any.sin6_addr, 16);

	assert_success(chan_connect(host.chan, addr, len, &host.conn));
	assert_success(say(host.conn));
	while (other.num_received == 0) {
		(void)chan_progress(host.chan);
		step(&other);
	}
	chan_close(other.chan);
}

static void address_is_as_documented(void **state)
{
	uint8_t addr[CHAN_MAX_ADDR];
	static const uint8_t ip[] = { 127, 0, 0, 1 };
	size_t len;

	(void)state;
	assert_success(chan_get_address(worker.chan, addr, &len));
	assert_int_equal(len, 8);
	assert_int_equal(addr[0], 2);
	assert_int_equal(addr[1], 4);
	assert_true(addr[2] != 0 || addr[3] != 0);
	assert_memory_equal(addr + 4, ip, sizeof(ip));
}

static void connection_that_a_child_holds_is_over_all_the_same(void **state)
{
	int ends[2];
	pid_t child;
	int status;

	(void)state;
	join();
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) { /* holds every socket until its parent has seen enough */
		char byte;

		close(ends[1]);
		(void)!read(ends[0], &byte, 1);
		_exit(0);
	}
	assert_true(child > 0);

	chan_disconnect(worker.conn);
	assert_success(say(host.conn));

	/* The socket is open still, and has something to read; nobody may look at it. */
	for (unsigned int i = 0; i < 100; i++)
		assert_false(chan_progress(worker.chan));
	assert_false(test_is_readable(chan_get_fd(worker.chan), 20));
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(worker.num_received, 0);
}

static void reset_before_it_was_seen_connected_is_a_reset(void **state)
{
	const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	struct sockaddr_in addr = loopback(INADDR_LOOPBACK);
	uint8_t bytes[8] = { CHAN_TCP, 4 };
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(addr);
	int accepted;

	(void)state;
	assert_int_equal(bind(listening, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&addr, &len), 0);
	memcpy(bytes + 2, &addr.sin_port, 2);
	memcpy(bytes + 4, &addr.sin_addr, 4);
	assert_success(chan_connect(host.chan, bytes, sizeof(bytes), &host.conn));
	accepted = accept(listening, NULL, NULL);
	assert_true(accepted >= 0);
	assert_int_equal(setsockopt(accepted, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(accepted); /* RST */

	while (host.num_closed == 0)
		step(&host);
	assert_error(host.why, DOCA_ERROR_CONNECTION_RESET);
	close(listening);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TCP_TEST(peers_that_do_not_read_are_waited_for),
		TCP_TEST(peer_without_a_descriptor_is_turned_away),
		TCP_TEST(opening_without_a_descriptor_is_told),
		TCP_TEST(connecting_without_a_descriptor_is_no_memory),
		TCP_TEST(opening_without_memory_is_told),
		TCP_TEST(connecting_without_memory_is_told),
		TCP_TEST(accepting_without_memory_turns_away),
		TCP_TEST(kinds_that_there_are_not_are_refused),
		TCP_TEST(listening_elsewhere_is_told),
		TCP_TEST(version_six_works_as_well),
		TCP_TEST(address_is_as_documented),
		TCP_TEST(connection_that_a_child_holds_is_over_all_the_same),
		TCP_TEST(reset_before_it_was_seen_connected_is_a_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
