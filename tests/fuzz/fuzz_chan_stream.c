/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Bytes of a stranger on a stream: a control path, or a data path over TCP. The first two bytes say
 * how long messages may be, what becomes of those that are sent on, and in which portions the rest
 * comes. What is received must be what a
 * simple reader of frames makes of it, message for message, and the end must come where that one
 * sees it; what can be decoded is sent on, and arrives as it was.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "script.h"
#include "urom/chan/chan_stream.h"
#include "urom/wire/wire_messages.h"

#define RECORD_SIZE  512
#define MAX_MESSAGES 4096
#define MAX_SENT     (1u << 20)

/* --- The network: no socket at all --- */

/* What one end reads. */
struct feed {
	const uint8_t *bytes;
	size_t left;
	size_t portion; /* bytes that come at once, and that are taken at once */
	bool is_slow;   /* after a portion the next is not there yet, or does not fit yet */
	bool is_dry;
	bool is_full;
};

static struct feed feed;

/* What the other end was sent. */
static uint8_t sent[MAX_SENT];
static size_t num_sent, max_sent;

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags);
ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags);

ssize_t __wrap_recv(int fd, void *bytes, size_t len, int flags)
{
	size_t part = feed.left < feed.portion ? feed.left : feed.portion;

	(void)fd;
	(void)flags;
	CHECK(len > 0);
	feed.is_dry = feed.is_slow && !feed.is_dry;
	if (feed.is_dry && feed.left > 0) {
		errno = EAGAIN;
		return -1;
	}
	if (part > len)
		part = len;
	memcpy(bytes, feed.bytes, part);
	feed.bytes += part;
	feed.left -= part;
	return (ssize_t)part;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t len, int flags)
{
	size_t part = len < feed.portion ? len : feed.portion;

	(void)fd;
	(void)flags;
	feed.is_full = feed.is_slow && !feed.is_full;
	if (feed.is_full) {
		errno = EAGAIN;
		return -1;
	}
	if (num_sent + part > max_sent) {
		errno = EPIPE;
		return -1;
	}
	memcpy(sent + num_sent, bytes, part);
	num_sent += part;
	return (ssize_t)part;
}

/* --- The simple reader --- */

struct model_message {
	uint16_t type;
	uint64_t id;
	uint8_t *body;
	size_t len;
};

struct model {
	struct model_message messages[MAX_MESSAGES];
	size_t num_messages;
	doca_error_t end; /* what follows them */
};

static bool model_take(const uint8_t *bytes, size_t left, size_t max_body,
		       struct model_message *message, bool *is_begun, struct wire_header *header,
		       doca_error_t *end)
{
	*end = DOCA_ERROR_CONNECTION_RESET;
	if (left < WIRE_HEADER_SIZE)
		return false;
	*end = DOCA_ERROR_CONNECTION_ABORTED;
	if (wire_header_decode(bytes, header) != WIRE_OK)
		return false;
	if (!*is_begun)
		*message = (struct model_message){ .type = header->type, .id = header->id };
	if (message->len + header->len > max_body)
		return false;
	*end = DOCA_ERROR_CONNECTION_RESET;
	if (left - WIRE_HEADER_SIZE < header->len)
		return false;
	*end = DOCA_ERROR_CONNECTION_ABORTED;
	if (message->type != header->type || message->id != header->id)
		return false;
	*is_begun = header->has_more;
	message->body = realloc(message->body, message->len + header->len + 1);
	CHECK(message->body != NULL);
	memcpy(message->body + message->len, bytes + WIRE_HEADER_SIZE, header->len);
	message->len += header->len;
	return true;
}

static void model_read(struct model *model, const uint8_t *bytes, size_t left, size_t max_body)
{
	struct model_message *message = model->messages;
	struct wire_header header;
	bool is_begun = false;

	model->num_messages = 0;
	memset(message, 0, sizeof(*message));
	while (model->num_messages < MAX_MESSAGES - 1 &&
	       model_take(bytes, left, max_body, message, &is_begun, &header, &model->end)) {
		bytes += WIRE_HEADER_SIZE + header.len;
		left -= WIRE_HEADER_SIZE + header.len;
		if (is_begun)
			continue;
		model->num_messages++;
		message++;
		memset(message, 0, sizeof(*message));
	}
	free(message->body); /* of one that was not finished */
}

static void model_drop(struct model *model)
{
	for (size_t i = 0; i < model->num_messages; i++)
		free(model->messages[i].body);
}

/* --- The streams --- */

static struct chan_stream stream_of(size_t max_body)
{
	/* No descriptor: nobody looks at it but the functions above. */
	return (struct chan_stream){ .fd = -1, .is_open = true, .max_body = max_body };
}

static void stream_drop(struct chan_stream *stream)
{
	stream->is_open = false;
	chan_stream_fini(stream);
}

/* Decodes a copy, so that the sanitizer sees a step behind it, and sends it on. */
static bool send_on(const struct model_message *expected, struct chan_stream *out)
{
	_Alignas(max_align_t) uint8_t record[RECORD_SIZE];
	const struct chan_message copy = { expected->type, expected->id, expected->body,
					   expected->len };
	doca_error_t result = chan_message_decode(&copy, record);

	CHECK(chan_message_name(&copy) != NULL);
	if (result != DOCA_SUCCESS) {
		CHECK(result == DOCA_ERROR_CONNECTION_ABORTED);
		return false;
	}
	return chan_stream_send(out, copy.type, copy.id, record) == DOCA_SUCCESS;
}

static void check_message(const struct chan_message *message, const struct model_message *expected)
{
	CHECK(message->type == expected->type && message->id == expected->id);
	CHECK(message->len == expected->len);
	CHECK(message->len == 0 || memcmp(message->body, expected->body, message->len) == 0);
}

/* Receives all; is_sent: which of them were sent on. */
static void check_received(struct chan_stream *in, struct chan_stream *out,
			   const struct model *model, bool *is_sent)
{
	struct chan_message message;
	doca_error_t result;
	size_t n = 0;

	while (n < MAX_MESSAGES - 1) {
		result = chan_stream_receive(in, &message);
		if (result == DOCA_ERROR_AGAIN)
			continue;
		if (result != DOCA_SUCCESS) {
			CHECK(n == model->num_messages && result == model->end);
			CHECK(chan_stream_receive(in, &message) == DOCA_ERROR_CONNECTION_RESET);
			CHECK(!chan_stream_has_rest(in) && !chan_stream_is_sending(in));
			return;
		}
		CHECK(n < model->num_messages);
		check_message(&message, &model->messages[n]);
		is_sent[n] = out != NULL && send_on(&model->messages[n], out);
		n++;
	}
}

static void check_arrived(const struct model *model, const bool *is_sent)
{
	static struct model arrived;
	size_t n = 0;

	model_read(&arrived, sent, num_sent, WIRE_MAX_BODY);
	for (size_t i = 0; i < model->num_messages; i++) {
		const struct model_message *message = &arrived.messages[n];

		if (!is_sent[i])
			continue;
		CHECK(n < arrived.num_messages);
		CHECK(message->type == model->messages[i].type);
		CHECK(message->id == model->messages[i].id);
		CHECK(message->len == model->messages[i].len);
		CHECK(memcmp(message->body, model->messages[i].body, message->len) == 0);
		n++;
	}
	CHECK(n == arrived.num_messages);
	model_drop(&arrived);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static const size_t max_bodies[] = { 0, 40, 4096, 100000, WIRE_MAX_BODY, SIZE_MAX };
	/* What may wait, and what is taken before the other end is gone. */
	static const size_t out_limits[][2] = {
		{ 0, MAX_SENT }, { 100, MAX_SENT }, { 0, 100 }, { 5000, 3000 }
	};
	const size_t num_bodies = sizeof(max_bodies) / sizeof(max_bodies[0]);
	static struct model model;
	static bool is_sent[MAX_MESSAGES];
	struct chan_stream in, out = stream_of(0);
	size_t max_body;

	if (size < 2)
		return 0;
	max_body = max_bodies[input[0] % num_bodies];
	feed = (struct feed){
		.bytes = input + 2,
		.left = size - 2,
		.portion = input[1] < 2 ? SIZE_MAX : input[1] / 2,
		.is_slow = input[1] % 2 == 1,
	};
	num_sent = 0;
	max_sent = out_limits[input[0] / num_bodies % 4][1];
	out.max_out = out_limits[input[0] / num_bodies % 4][0];
	in = stream_of(max_body);
	model_read(&model, input + 2, size - 2,
		   max_body < WIRE_MAX_BODY ? max_body : WIRE_MAX_BODY);
	check_received(&in, &out, &model, is_sent);
	while (chan_stream_is_sending(&out))
		(void)chan_stream_flush(&out);
	if (!out.is_deaf)
		check_arrived(&model, is_sent);
	model_drop(&model);
	stream_drop(&in);
	stream_drop(&out);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	const struct script_shape shape = script_frames(2);

	return script_mutate(&shape, data, size, max_size, seed);
}
