/* SPDX-License-Identifier: BSD-3-Clause */
#include "fake_chan.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>

#include "core/export.h"
#include "urom/wire/wire_messages.h"

#define RECORD_SIZE 512

struct fake_conn {
	struct chan_conn base;
	bool is_over;
	bool is_in_use; /* a handler runs with it */
};

static struct fake_chan *chan_as_fake(struct chan *chan)
{
	return CORE_CONTAINER_OF(chan, struct fake_chan, base);
}

void fake_check_sent(const struct wire_message *message, const void *body, size_t len)
{
	_Alignas(max_align_t) uint8_t record[RECORD_SIZE];

	CHECK(wire_decode(message, body, len, record) == WIRE_OK);
}

/* --- What the channel's user calls --- */

static void forget(struct fake_conn *conn)
{
	struct fake_chan *chan = chan_as_fake(conn->base.chan);

	CHECK(!conn->is_over);
	conn->is_over = true;
	for (size_t i = 0; i < FAKE_MAX_CONNS; i++) {
		if (chan->conns[i] == conn)
			chan->conns[i] = NULL;
	}
	if (!conn->is_in_use)
		free(conn);
}

static void fake_disconnect(struct chan_conn *base)
{
	forget((struct fake_conn *)base);
}

static doca_error_t fake_send(struct chan_conn *base, const struct wire_message *message,
			      uint64_t id, const void *record)
{
	const struct fake_conn *conn = (const struct fake_conn *)base;
	struct fake_chan *chan = chan_as_fake(base->chan);
	size_t len = wire_encoded_size(message, record);
	uint8_t *body;

	(void)id;
	CHECK(!conn->is_over);
	if (chan->max_payload != 0 && message == wire_message_find(WIRE_NOTIFY))
		CHECK(((const struct wire_notify *)record)->payload.len <= chan->max_payload);
	if (chan->is_lost)
		return DOCA_ERROR_CONNECTION_RESET;
	if (chan->is_broken)
		return DOCA_ERROR_NO_MEMORY;
	if (chan->is_full)
		return DOCA_ERROR_FULL;
	body = malloc(len + 1);
	CHECK(body != NULL && wire_encode(message, record, body, len, &len) == WIRE_OK);
	fake_check_sent(message, body, len);
	free(body);
	chan->num_sent++;
	return DOCA_SUCCESS;
}

static doca_error_t fake_get_address(struct chan *chan, struct sockaddr_storage *addr)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)addr;

	(void)chan;
	*v4 = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(4096) };
	v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return DOCA_SUCCESS;
}

void fake_chan_lose(struct fake_chan *chan, size_t place, doca_error_t why)
{
	struct fake_conn *conn = chan->conns[place % FAKE_MAX_CONNS];

	if (conn == NULL)
		return;
	conn->is_in_use = true;
	forget(conn);
	chan->base.handler->closed(chan->base.arg, &conn->base, why);
	free(conn);
}

void fake_chan_say(struct fake_chan *chan, size_t place, const struct script_step *step)
{
	struct fake_conn *conn = chan->conns[place % FAKE_MAX_CONNS];
	struct chan_message message = { .type = step->type, .id = script_id(step) };
	uint8_t *body;

	if (conn == NULL)
		return;
	if (step->len > conn->base.max_body) {
		fake_chan_lose(chan, place, DOCA_ERROR_CONNECTION_ABORTED);
		return;
	}
	/* A copy of its own, so that the sanitizer sees a step behind it. */
	body = malloc(step->len > 0 ? step->len : 1);
	CHECK(body != NULL);
	memcpy(body, step->bytes, step->len);
	message.body = body;
	message.len = step->len;
	conn->is_in_use = true;
	chan->base.handler->received(chan->base.arg, &conn->base, &message);
	conn->is_in_use = false;
	if (conn->is_over)
		free(conn);
	free(body);
}

/* What comes is the input's doing. */
static bool fake_progress(struct chan *base)
{
	struct fake_chan *chan = chan_as_fake(base);
	const struct script_step *next = chan->next;

	if (next == NULL)
		return false;
	chan->next = NULL;
	if (chan->is_next_lost)
		fake_chan_lose(chan, 0, DOCA_ERROR_CONNECTION_RESET);
	else
		fake_chan_say(chan, 0, next);
	return true;
}

static bool fake_arm(struct chan *chan)
{
	(void)chan;
	return true;
}

static void fake_close(struct chan *chan)
{
	fake_chan_fini(chan_as_fake(chan));
}

static int fake_get_fd(struct chan *chan)
{
	static int fd = -1; /* never readable */

	(void)chan;
	if (fd < 0)
		fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return fd;
}

static const char *fake_get_transport(struct chan_conn *conn)
{
	(void)conn;
	return "fake";
}

static const struct chan_ops ops = {
	.name = "fake",
	.close = fake_close,
	.get_address = fake_get_address,
	.send = fake_send,
	.disconnect = fake_disconnect,
	.progress = fake_progress,
	.get_fd = fake_get_fd,
	.arm = fake_arm,
	.get_transport = fake_get_transport,
};

/* --- What the input does --- */

void fake_chan_init(struct fake_chan *chan, const struct chan_handler *handler, void *arg,
		    size_t max_body)
{
	*chan = (struct fake_chan){
		.base = { .ops = &ops, .handler = handler, .arg = arg, .max_body = max_body },
	};
}

void fake_chan_fini(struct fake_chan *chan)
{
	for (size_t i = 0; i < FAKE_MAX_CONNS; i++) {
		free(chan->conns[i]);
		chan->conns[i] = NULL;
	}
}

struct chan_conn *fake_chan_connect(struct fake_chan *chan, size_t place)
{
	struct fake_conn *conn;

	place %= FAKE_MAX_CONNS;
	if (chan->conns[place] != NULL)
		return NULL;
	conn = calloc(1, sizeof(*conn));
	CHECK(conn != NULL);
	conn->base = (struct chan_conn){ .chan = &chan->base, .max_body = chan->base.max_body };
	chan->conns[place] = conn;
	return &conn->base;
}

void fake_chan_accept(struct fake_chan *chan, size_t place)
{
	const struct chan_handler *handler = chan->base.handler;
	struct chan_conn *conn;

	if (handler->may_accept != NULL && !handler->may_accept(chan->base.arg))
		return;
	conn = fake_chan_connect(chan, place);
	if (conn != NULL)
		handler->accepted(chan->base.arg, conn);
}
