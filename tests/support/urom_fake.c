/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_fake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

#define PATIENCE_MS 20000

static void wait_readable(int fd)
{
	assert_true(test_is_readable(fd, PATIENCE_MS));
}

static void *play(void *arg)
{
	struct urom_fake *fake = arg;
	int fd;

	wait_readable(fake->listen_fd);
	fd = accept4(fake->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	assert_true(fd >= 0);
	chan_stream_init(&fake->stream, fd);
	fake->stream.max_body = WIRE_MAX_BODY;
	fake->script(fake);
	chan_stream_fini(&fake->stream);
	return NULL;
}

void urom_fake_start(struct urom_fake *fake, urom_fake_script_t script, const void *arg)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);

	memset(fake, 0, sizeof(*fake));
	fake->script = script;
	fake->arg = arg;
	fake->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fake->listen_fd >= 0);
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fake->listen_fd, (const struct sockaddr *)&addr, len), 0);
	assert_int_equal(listen(fake->listen_fd, 1), 0);
	assert_int_equal(getsockname(fake->listen_fd, (struct sockaddr *)&addr, &len), 0);
	(void)snprintf(fake->address, sizeof(fake->address), "127.0.0.1:%u", ntohs(addr.sin_port));
	assert_int_equal(pthread_create(&fake->thread, NULL, play, fake), 0);
}

void urom_fake_stop(struct urom_fake *fake)
{
	assert_int_equal(pthread_join(fake->thread, NULL), 0);
	close(fake->listen_fd);
}

static doca_error_t receive(struct urom_fake *fake, struct chan_message *message)
{
	doca_error_t result;

	while ((result = chan_stream_receive(&fake->stream, message)) == DOCA_ERROR_AGAIN)
		wait_readable(fake->stream.fd);
	return result;
}

uint64_t urom_fake_receive(struct urom_fake *fake, uint16_t type, void *record)
{
	struct chan_message message;

	assert_success(receive(fake, &message));
	assert_int_equal(message.type, type);
	if (record != NULL)
		assert_success(chan_message_decode(&message, record));
	return message.id;
}

void urom_fake_receive_end(struct urom_fake *fake)
{
	struct chan_message message;

	assert_error(receive(fake, &message), DOCA_ERROR_CONNECTION_RESET);
}

void urom_fake_send(struct urom_fake *fake, uint16_t type, uint64_t id, const void *record)
{
	assert_success(chan_stream_send(&fake->stream, type, id, record));
	while (chan_stream_is_sending(&fake->stream)) {
		struct pollfd watched = { .fd = fake->stream.fd, .events = POLLOUT };

		assert_int_equal(poll(&watched, 1, PATIENCE_MS), 1);
		assert_success(chan_stream_flush(&fake->stream));
	}
}

void urom_fake_send_bytes(struct urom_fake *fake, const void *bytes, size_t len)
{
	assert_int_equal(send(fake->stream.fd, bytes, len, MSG_NOSIGNAL), len);
}

void urom_fake_welcome(struct urom_fake *fake)
{
	struct wire_welcome welcome = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION_MAX,
		.session = 1,
		.max_message = 4096,
		.cpuset = { 1 },
	};

	urom_fake_send(fake, WIRE_WELCOME, urom_fake_receive(fake, WIRE_HELLO, NULL), &welcome);
}
