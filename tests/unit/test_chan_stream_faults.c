/* SPDX-License-Identifier: BSD-3-Clause */

/* Streams when memory or the system fails, and when a peer never lets go. */

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream_rig.h"
#include "urom/chan/chan_address.h"

#define PATIENCE_MS 20000
#define MANY_READS  1000
#define MAX_WAITING 64

static long reallocs_left; /* counts down to the one that fails */
static int recv_errno;     /* once, instead of receiving */
static int send_errno;     /* once, instead of sending */
static size_t send_most;   /* bytes that a send takes */
static unsigned int num_recvs;

/* What an endless peer says, over and over; NULL: the socket is asked. */
static const uint8_t *endless;
static size_t endless_len;
static size_t endless_at;

static struct stream_rig rig;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
ssize_t __real_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __real_send(int fd, const void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);

void *__wrap_realloc(void *old, size_t size)
{
	return reallocs_left-- != 0 ? __real_realloc(old, size) : NULL;
}

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags)
{
	uint8_t *to = bytes;

	num_recvs++;
	if (recv_errno != 0) {
		errno = recv_errno;
		recv_errno = 0;
		return -1;
	}
	if (endless == NULL)
		return __real_recv(fd, bytes, len, flags);
	for (size_t i = 0; i < len; i++)
		to[i] = endless[endless_at++ % endless_len];
	return (ssize_t)len;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
	if (send_errno != 0) {
		errno = send_errno;
		send_errno = 0;
		return -1;
	}
	return __real_send(fd, bytes, len < send_most ? len : send_most, flags);
}

static int setup(void **state)
{
	test_begin(state);
	reallocs_left = LONG_MAX;
	recv_errno = 0;
	send_errno = 0;
	send_most = SIZE_MAX;
	endless = NULL;
	endless_at = 0;
	stream_rig_init(&rig);
	return 0;
}

static int teardown(void **state)
{
	reallocs_left = LONG_MAX;
	stream_rig_fini(&rig);
	return test_end(state);
}

#define STREAM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- Memory --- */

static void message_without_memory_is_refused_whole(void **state)
{
	(void)state;
	reallocs_left = 0;
	assert_error(stream_send_command(&rig.stream, 1, 100), DOCA_ERROR_NO_MEMORY);
	assert_false(chan_stream_is_sending(&rig.stream));

	assert_success(stream_send_command(&rig.stream, 2, 100));
	stream_expect_command(&rig.peer, 2, 100);
	stream_expect(&rig.peer, DOCA_ERROR_AGAIN);
}

static void queue_without_memory_keeps_what_waits(void **state)
{
	struct chan_message message;

	(void)state;
	assert_success(stream_send_command(&rig.stream, 1, 2u << 20));
	assert_true(chan_stream_is_sending(&rig.stream));
	reallocs_left = 0;
	assert_error(stream_send_command(&rig.stream, 2, 4u << 20), DOCA_ERROR_NO_MEMORY);
	reallocs_left = LONG_MAX;
	assert_success(stream_send_command(&rig.stream, 3, 10));

	stream_pass(&rig.stream, &rig.peer, &message);
	stream_check_command(&message, 1, 2u << 20);
	stream_expect_command(&rig.peer, 3, 10);
}

static void receiving_without_memory_is_the_end(void **state)
{
	(void)state;
	assert_success(stream_send_command(&rig.stream, 1, 100));
	reallocs_left = 0;

	stream_expect(&rig.peer, DOCA_ERROR_NO_MEMORY);
	stream_expect(&rig.peer, DOCA_ERROR_CONNECTION_RESET);
}

static void each_allocation_of_a_long_message_may_fail(void **state)
{
	struct chan_message message;
	unsigned int num_failed = 0;
	doca_error_t result;

	(void)state;
	do {
		stream_rig_fini(&rig);
		stream_rig_init(&rig);
		assert_success(stream_send_command(&rig.stream, 1, 150000));
		reallocs_left = num_failed;
		result = chan_stream_receive(&rig.peer, &message);
		if (result == DOCA_ERROR_NO_MEMORY)
			num_failed++;
		reallocs_left = LONG_MAX;
	} while (result == DOCA_ERROR_NO_MEMORY);

	assert_success(result);
	stream_check_command(&message, 1, 150000);
	assert_in_range(num_failed, 3, 100);
}

/* --- The system --- */

static void interrupted_calls_are_made_again(void **state)
{
	(void)state;
	send_errno = EINTR;
	assert_success(stream_send_command(&rig.stream, 1, 100));
	assert_false(chan_stream_is_sending(&rig.stream));

	recv_errno = EINTR;
	stream_expect_command(&rig.peer, 1, 100);
}

static void sends_that_take_a_byte_are_enough(void **state)
{
	(void)state;
	send_most = 1;

	assert_success(stream_send_command(&rig.stream, 1, 100));

	assert_false(chan_stream_is_sending(&rig.stream));
	stream_expect_command(&rig.peer, 1, 100);
}

static void failed_send_is_a_reset_for_both_ways(void **state)
{
	(void)state;
	send_errno = ETIMEDOUT;

	assert_error(stream_send_command(&rig.stream, 1, 100), DOCA_ERROR_CONNECTION_RESET);

	/* Also when the socket does not say so once more. */
	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
}

static void failed_receive_is_a_reset(void **state)
{
	(void)state;
	recv_errno = ETIMEDOUT;

	stream_expect(&rig.stream, DOCA_ERROR_CONNECTION_RESET);
	assert_error(stream_send_command(&rig.stream, 1, 100), DOCA_ERROR_CONNECTION_RESET);
}

/* --- Peers that never let go --- */

static void repeat_frame(const struct wire_header *header, uint8_t *frame)
{
	wire_header_encode(header, frame);
	memset(frame + WIRE_HEADER_SIZE, 0, header->len);
	endless = frame;
	endless_len = WIRE_HEADER_SIZE + header->len;
	num_recvs = 0;
}

static void empty_pieces_without_end_do_not_hold_the_caller(void **state)
{
	uint8_t frame[WIRE_HEADER_SIZE];

	(void)state;
	repeat_frame(&(struct wire_header){ .type = WIRE_HELLO, .has_more = true }, frame);

	for (unsigned int i = 0; i < 20; i++)
		stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
	assert_in_range(num_recvs, 20, MANY_READS);
}

static void pieces_of_a_byte_do_not_hold_the_caller(void **state)
{
	uint8_t frame[WIRE_HEADER_SIZE + 1];

	(void)state;
	repeat_frame(&(struct wire_header){ .len = 1, .type = WIRE_HELLO, .has_more = true },
		     frame);

	for (unsigned int i = 0; i < 20; i++)
		stream_expect(&rig.stream, DOCA_ERROR_AGAIN);
	assert_in_range(num_recvs, 20, MANY_READS);
}

static void messages_without_end_come_one_by_one(void **state)
{
	uint8_t frame[WIRE_HEADER_SIZE];
	struct chan_message message;

	(void)state;
	repeat_frame(&(struct wire_header){ .type = WIRE_SHUTDOWN }, frame);

	for (unsigned int i = 0; i < 10000; i++)
		assert_success(chan_stream_receive(&rig.stream, &message));
	assert_in_range(num_recvs, 1, MANY_READS);
}

/* --- Sockets that are connecting --- */

static int listen_on_loopback(struct sockaddr_in *addr, int backlog)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*addr = (struct sockaddr_in){ .sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)addr, sizeof(*addr)), 0);
	assert_int_equal(listen(fd, backlog), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)addr, &len), 0);
	return fd;
}

static bool is_writable(int fd, int timeout_ms)
{
	struct pollfd watched = { .fd = fd, .events = POLLOUT };

	return poll(&watched, 1, timeout_ms) == 1;
}

static void messages_wait_for_the_connection(void **state)
{
	struct sockaddr_in addr;
	int listening = listen_on_loopback(&addr, 0);
	struct chan_stream waiting[MAX_WAITING];
	unsigned int num_waiting = 0;
	struct chan_stream *last;

	(void)state;
	/* Those that the listener's queue does not take are connecting still. */
	do {
		int fd = -1;

		assert_in_range(num_waiting, 0, MAX_WAITING - 1);
		assert_success(chan_address_connect((const struct sockaddr *)&addr, &fd));
		last = &waiting[num_waiting++];
		chan_stream_init(last, fd);
	} while (is_writable(last->fd, 0));

	stream_expect(last, DOCA_ERROR_AGAIN);
	assert_success(stream_send_command(last, 1, 100));
	assert_true(chan_stream_is_sending(last));
	assert_success(chan_stream_flush(last));
	stream_expect(last, DOCA_ERROR_AGAIN);

	for (unsigned int i = 0; i < num_waiting; i++) {
		int fd = accept(listening, NULL, NULL);

		assert_true(fd >= 0);
		chan_stream_fini(&rig.peer);
		chan_stream_init(&rig.peer, fd);
	}
	assert_true(is_writable(last->fd, PATIENCE_MS));
	assert_success(chan_stream_flush(last));
	assert_true(test_is_readable(rig.peer.fd, PATIENCE_MS));
	stream_expect_command(&rig.peer, 1, 100);

	for (unsigned int i = 0; i < num_waiting; i++)
		chan_stream_fini(&waiting[i]);
	close(listening);
}

static void refused_connection_is_a_reset(void **state)
{
	struct sockaddr_in addr;
	struct chan_stream stream;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)state;
	close(listen_on_loopback(&addr, 1));
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), -1);
	chan_stream_init(&stream, fd);

	assert_true(is_writable(fd, PATIENCE_MS));
	(void)stream_send_command(&stream, 1, 10);
	stream_expect(&stream, DOCA_ERROR_CONNECTION_RESET);

	chan_stream_fini(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		STREAM_TEST(message_without_memory_is_refused_whole),
		STREAM_TEST(queue_without_memory_keeps_what_waits),
		STREAM_TEST(receiving_without_memory_is_the_end),
		STREAM_TEST(each_allocation_of_a_long_message_may_fail),
		STREAM_TEST(interrupted_calls_are_made_again),
		STREAM_TEST(sends_that_take_a_byte_are_enough),
		STREAM_TEST(failed_send_is_a_reset_for_both_ways),
		STREAM_TEST(failed_receive_is_a_reset),
		STREAM_TEST(empty_pieces_without_end_do_not_hold_the_caller),
		STREAM_TEST(pieces_of_a_byte_do_not_hold_the_caller),
		STREAM_TEST(messages_without_end_come_one_by_one),
		STREAM_TEST(messages_wait_for_the_connection),
		STREAM_TEST(refused_connection_is_a_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
