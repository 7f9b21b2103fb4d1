/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a responder writes: acknowledgements, the data of reads, and at last why it has failed.
 * While the data of a read cannot be written, no further request is looked at; the requester reads
 * always, so that ends.
 */

#include "rdma/providers/software/soft.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* How long the peer may take to read why, and to hang up. */
#define ENDING_NS (UINT64_C(2) * 1000000000)

static const uint32_t needed_permission[] = {
	[SOFT_OP_SEND] = 0,
	[SOFT_OP_WRITE] = DOCA_ACCESS_FLAG_RDMA_WRITE,
	[SOFT_OP_READ] = DOCA_ACCESS_FLAG_RDMA_READ,
};

_Static_assert(CORE_ARRAY_LEN(needed_permission) == SOFT_NUM_OPS, "a permission for each op");

/* Nobody's bytes: the rest of a chunk whose memory was taken away. */
static uint8_t zeros[SOFT_STAGE_BYTES];

enum soft_status soft_access_begin(struct soft_responder *responder)
{
	const struct soft_request *request = &responder->request;
	const struct doca_rdma *rdma = responder->sock.port->rdma;
	uint32_t needed = needed_permission[request->op];
	struct core_key_range range;
	uint64_t start;

	if ((rdma->config.permissions & needed) == 0 ||
	    !core_key_acquire(request->key_index, request->key_tag, &range))
		return SOFT_STATUS_ACCESS;
	start = (uintptr_t)range.addr;
	if (range.dev == rdma->dev && (range.permissions & needed) != 0 && request->addr >= start &&
	    request->addr - start <= range.len &&
	    request->len <= range.len - (request->addr - start))
		return SOFT_STATUS_OK;
	core_key_release(request->key_index);
	return SOFT_STATUS_ACCESS;
}

static char *range_at(const struct soft_responder *responder)
{
	uint64_t at = responder->request.addr + responder->done;

	return (char *)(uintptr_t)at; /* NOLINT: checked against the range of its key */
}

static void put_response(struct soft_responder *responder, enum soft_answer answer,
			 enum soft_status status, uint32_t psn, uint32_t len)
{
	const struct soft_response response = {
		.answer = answer,
		.status = status,
		.psn = psn,
		.len = len,
	};

	soft_response_encode(&response, responder->out);
	responder->out_len = SOFT_RESPONSE_SIZE;
	responder->out_sent = 0;
}

/* A word is read at once, so that who stores it does so between two reads. */
static bool put_word(struct soft_responder *responder)
{
	const char *at = range_at(responder);
	uint64_t word;

	if (responder->request.len != sizeof(word) || (uintptr_t)at % sizeof(word) != 0)
		return false;
	word = __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
	memcpy(responder->out + SOFT_RESPONSE_SIZE, &word, sizeof(word));
	responder->out_len += sizeof(word);
	responder->done += sizeof(word);
	return true;
}

/* The next part of the data of a read, or its end. */
static void next_chunk(struct soft_responder *responder)
{
	const struct soft_request *request = &responder->request;
	uint32_t left = request->len - responder->done;
	enum soft_status status;

	if (left == 0) {
		responder->is_reading = false;
		responder->has_request = false;
		responder->next_psn++; /* which the data has told */
		return;
	}
	status = soft_access_begin(responder);
	if (status != SOFT_STATUS_OK) {
		responder->is_reading = false;
		soft_respond_nak(responder, status);
		return;
	}
	left = left < SOFT_MAX_CHUNK ? left : SOFT_MAX_CHUNK;
	put_response(responder, SOFT_ANSWER_DATA, SOFT_STATUS_OK, request->psn, left);
	if (!put_word(responder))
		responder->chunk_left = left;
	core_key_release(request->key_index);
}

static ssize_t send_rest(struct soft_responder *responder, void *data, size_t len)
{
	struct iovec iov[2] = {
		{ responder->out + responder->out_sent, responder->out_len - responder->out_sent },
		{ data, len },
	};
	struct msghdr message = { .msg_iov = iov, .msg_iovlen = 2 };

	if (len == 0)
		return send(responder->sock.fd, iov[0].iov_base, iov[0].iov_len,
			    MSG_DONTWAIT | MSG_NOSIGNAL);
	return sendmsg(responder->sock.fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Writes from the header and the chunk; the memory is held just so long. */
static ssize_t send_some(struct soft_responder *responder)
{
	size_t len = responder->chunk_left;
	ssize_t sent;

	if (len == 0)
		return send_rest(responder, NULL, 0);
	if (!responder->is_revoked && soft_access_begin(responder) == SOFT_STATUS_OK) {
		sent = send_rest(responder, range_at(responder), len);
		core_key_release(responder->request.key_index);
		return sent;
	}
	responder->is_revoked = true;
	return send_rest(responder, zeros, len < sizeof(zeros) ? len : sizeof(zeros));
}

static void account_sent(struct soft_responder *responder, size_t sent)
{
	size_t header = responder->out_len - responder->out_sent;

	if (header > sent)
		header = sent;
	responder->out_sent += header;
	sent -= header;
	responder->chunk_left -= (uint32_t)sent;
	responder->done += (uint32_t)sent;
}

static bool has_rest(const struct soft_responder *responder)
{
	return responder->out_sent < responder->out_len || responder->chunk_left > 0;
}

/* What it does not look at now must not wake anybody; that the peer hangs up must. */
void soft_respond_watch(struct soft_responder *responder)
{
	bool is_held_up = responder->is_waiting || responder->is_reading;
	uint32_t events = EPOLLRDHUP;

	if (!is_held_up)
		events |= EPOLLIN;
	if (has_rest(responder))
		events |= EPOLLOUT;
	soft_sock_want(&responder->sock, events);
}

static void wait_for_room(struct soft_responder *responder)
{
	soft_sock_set_blocked(&responder->sock, true);
	soft_respond_watch(responder);
}

/* False: it cannot be written now, or never. */
static bool write_some(struct soft_responder *responder, size_t *budget)
{
	ssize_t sent;

	do {
		sent = send_some(responder);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0) {
		/* Who has hung up is noticed by reading; what it had sent before is still served.
		 */
		if (errno == EAGAIN)
			wait_for_room(responder);
		else
			soft_responder_close(responder);
		return false;
	}
	account_sent(responder, (size_t)sent);
	soft_spend(budget, (size_t)sent);
	return true;
}

bool soft_respond_flush(struct soft_responder *responder, size_t *budget)
{
	if (responder->sock.is_blocked)
		return false;
	while (responder->sock.fd >= 0) {
		if (has_rest(responder)) {
			if (*budget == 0 && responder->chunk_left > 0)
				break;
			if (!write_some(responder, budget))
				return false;
		} else if (responder->is_reading) {
			next_chunk(responder);
		} else if (responder->nak != SOFT_STATUS_OK) {
			put_response(responder, SOFT_ANSWER_NAK, responder->nak,
				     responder->request.psn, 0);
			responder->nak = SOFT_STATUS_OK;
		} else if (responder->has_ack) {
			put_response(responder, SOFT_ANSWER_ACK, SOFT_STATUS_OK,
				     responder->next_psn - 1, 0);
			responder->has_ack = false;
		} else {
			soft_respond_watch(responder);
			return true;
		}
	}
	soft_respond_watch(responder);
	return false;
}

void soft_respond_again(struct soft_responder *responder)
{
	size_t budget = SOFT_SLICE_BYTES;

	if (responder->sock.is_blocked)
		return;
	responder->has_ack = true;
	(void)soft_respond_flush(responder, &budget);
}

void soft_respond_read(struct soft_responder *responder, size_t *budget)
{
	responder->is_reading = true;
	responder->is_revoked = false;
	responder->has_ack = false; /* the data tells it */
	(void)soft_respond_flush(responder, budget);
}

void soft_respond_nak(struct soft_responder *responder, enum soft_status status)
{
	struct soft_conn *soft = responder->conn;

	assert(soft != NULL); /* one that is ending looks at no request any more */
	responder->nak = status;
	responder->has_ack = false;
	responder->is_ending = true;
	responder->deadline_ns = core_now_ns() + ENDING_NS;
	soft_port_set_deadline(soft->port, responder->deadline_ns);
	soft_receive_return(responder);
	responder->conn = NULL;
	LIST_REMOVE(responder, conn_link);
	soft_conn_lose_lane(soft, "a request of the peer's has failed");
}
