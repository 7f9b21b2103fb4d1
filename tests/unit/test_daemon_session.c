/* SPDX-License-Identifier: BSD-3-Clause */

/* The control connection of a worker, without a worker. */

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"
#include "urom/daemon/daemon.h"

/* Far more than a dead worker can have left behind. */
#define NUM_FRAMES (1u << 20)

/* Who holds a worker's end of its connection. */
struct holder {
	int fd;
	size_t num_sent;
};

static void make_hello(struct wire_hello *hello)
{
	*hello = (struct wire_hello){
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = WIRE_ROLE_WORKER,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.pointer_bits = CHAR_BIT * sizeof(void *),
	};
}

static void send_frame(struct holder *holder, uint16_t type, const void *record)
{
	const struct wire_message *message = wire_message_find(type);
	uint8_t frame[WIRE_HEADER_SIZE + 512];
	size_t len;

	assert_int_equal(wire_encode(message, record, frame + WIRE_HEADER_SIZE,
				     sizeof(frame) - WIRE_HEADER_SIZE, &len),
			 WIRE_OK);
	wire_header_encode(&(struct wire_header){ .len = (uint32_t)len, .type = type, .id = 1 },
			   frame);
	assert_int_equal(send(holder->fd, frame, WIRE_HEADER_SIZE + len, MSG_NOSIGNAL),
			 WIRE_HEADER_SIZE + len);
}

/* Says the same over and over, as long as it is read. */
static void *go_on(void *arg)
{
	struct holder *holder = arg;
	uint8_t frame[WIRE_HEADER_SIZE];
	const struct wire_header header = { .type = WIRE_TICKET_KNOWN, .id = 1 };

	wire_header_encode(&header, frame);
	while (holder->num_sent < NUM_FRAMES &&
	       send(holder->fd, frame, sizeof(frame), MSG_NOSIGNAL) == sizeof(frame))
		holder->num_sent++;
	return NULL;
}

/* What a worker has forked holds its socket, too. Reading it out must not be for ever. */
static void last_words_of_a_dead_worker_come_to_an_end(void **state)
{
	const struct uromd_config config = { .limits.of[UROMD_LIMIT_MESSAGE] = 4096 };
	struct uromd_daemon daemon = { .config = &config };
	struct uromd_worker worker = { .id = 7, .daemon = &daemon };
	struct uromd_session *session;
	struct holder holder;
	struct wire_hello hello;
	pthread_t thread;
	int fds[2];

	(void)state;
	TAILQ_INIT(&worker.conns);
	uromd_sessions_init(&daemon.sessions);
	assert_true(sd_event_new(&daemon.event) >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_success(uromd_session_create_worker(&daemon, fds[0], &worker, &session));
	holder = (struct holder){ .fd = fds[1] };
	make_hello(&hello);
	send_frame(&holder, WIRE_HELLO, &hello);
	assert_int_equal(pthread_create(&thread, NULL, go_on, &holder), 0);

	uromd_session_drain(session);
	assert_int_equal(session->state, UROMD_SESSION_OPEN);

	/* It waits for somebody to read, and hears now that nobody does. */
	session->worker = NULL;
	uromd_sessions_fini(&daemon.sessions);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(holder.num_sent < NUM_FRAMES);
	close(fds[1]);
	sd_event_unref(daemon.event);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(last_words_of_a_dead_worker_come_to_an_end),
	};

	return cmocka_run_group_tests_name("daemon_session", tests, NULL, NULL);
}
