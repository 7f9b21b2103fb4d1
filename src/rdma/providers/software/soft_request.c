/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The end of a lane that requests. Tasks go out in order as far as the socket takes them, in part
 * by who submits, the rest by who drives, and are kept until the response: until then the source is
 * the task's, so nothing is copied. A big payload on a lane that can be pulled is not written at
 * all: the peer gets its addresses, and fetches it.
 */

#include "rdma/providers/software/soft.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* From here on a pull, which costs a system call of its own, is faster than the stream. */
#define MIN_PULL_BYTES 8192

#define MAX_ENTRIES    (SOFT_MAX_LIST + 1)

static const struct {
	enum soft_op op;
	unsigned int flags;
} ops[] = {
	[DRDMA_SEND] = { SOFT_OP_SEND, 0 },
	[DRDMA_SEND_IMM] = { SOFT_OP_SEND, SOFT_HAS_IMM },
	[DRDMA_READ] = { SOFT_OP_READ, 0 },
	[DRDMA_WRITE] = { SOFT_OP_WRITE, 0 },
	[DRDMA_WRITE_IMM] = { SOFT_OP_WRITE, SOFT_HAS_IMM },
};

_Static_assert(CORE_ARRAY_LEN(ops) == DRDMA_NUM_KINDS, "an op for each kind that requests");

enum sending {
	SENDING_DONE,
	SENDING_PAUSED,  /* the slice is over */
	SENDING_BLOCKED, /* the socket is full */
	SENDING_FAILED,  /* the requester has a fault */
};

static const doca_error_t results[] = {
	[SOFT_STATUS_OK] = DOCA_SUCCESS,
	[SOFT_STATUS_ACCESS] = DOCA_ERROR_NOT_PERMITTED,
	[SOFT_STATUS_LENGTH] = DOCA_ERROR_IO_FAILED,
	[SOFT_STATUS_RNR] = DOCA_ERROR_IO_FAILED,
	[SOFT_STATUS_FAULT] = DOCA_ERROR_IO_FAILED,
};

static const char *const reasons[] = {
	[SOFT_STATUS_OK] = "nothing is wrong",
	[SOFT_STATUS_ACCESS] = "the peer does not permit the access",
	[SOFT_STATUS_LENGTH] = "the peer's receive is too small",
	[SOFT_STATUS_RNR] = "the peer has posted no receive in time",
	[SOFT_STATUS_FAULT] = "memory cannot be reached",
};

_Static_assert(CORE_ARRAY_LEN(results) == SOFT_NUM_STATUSES, "a result for each status");
_Static_assert(CORE_ARRAY_LEN(reasons) == SOFT_NUM_STATUSES, "a reason for each status");

/* The payload that a task sends, which for a read is none. */
static uint32_t payload_len(const struct drdma_task *task)
{
	return task->kind == DRDMA_READ ? 0 : task->len;
}

/* Puts the pieces of the source behind the header; returns their number. */
static uint32_t encode_pieces(struct soft_requester *requester, const struct drdma_task *task)
{
	struct iovec iov[SOFT_MAX_LIST];
	int count = soft_iov_data(task->src, 0, task->len, iov, SOFT_MAX_LIST);

	for (int i = 0; i < count; i++) {
		const struct soft_piece piece = {
			.addr = (uintptr_t)iov[i].iov_base,
			.len = iov[i].iov_len,
		};

		soft_piece_encode(&piece, requester->head + SOFT_REQUEST_SIZE +
					      (size_t)i * SOFT_PIECE_SIZE);
	}
	return (uint32_t)count;
}

static void encode_head(struct soft_requester *requester, const struct drdma_task *task)
{
	struct soft_request request = {
		.op = ops[task->kind].op,
		.flags = ops[task->kind].flags,
		.psn = task->psn,
		.len = task->len,
		.imm = task->imm,
		.key_index = task->key_index,
		.key_tag = task->key_tag,
		.addr = task->remote_addr,
	};

	if (task->has_remote)
		request.flags |= SOFT_HAS_REMOTE;
	requester->is_pulled = requester->can_pull && payload_len(task) >= MIN_PULL_BYTES;
	if (requester->is_pulled) {
		request.flags |= SOFT_IS_PULLED;
		request.num_pieces = encode_pieces(requester, task);
	}
	soft_request_encode(&request, requester->head);
	requester->head_len = SOFT_REQUEST_SIZE + request.num_pieces * (size_t)SOFT_PIECE_SIZE;
}

static size_t frame_len(const struct soft_requester *requester, const struct drdma_task *task)
{
	return requester->head_len + (requester->is_pulled ? 0 : payload_len(task));
}

/* What is still to be written of the frame, with max bytes of payload; returns the entries. */
static int frame_rest(struct soft_requester *requester, const struct drdma_task *task, size_t max,
		      struct iovec *iov)
{
	size_t head_sent = requester->sent, payload_sent = 0, left;
	int count = 0;

	if (head_sent > requester->head_len) {
		payload_sent = head_sent - requester->head_len;
		head_sent = requester->head_len;
	}
	if (head_sent < requester->head_len) {
		iov[count].iov_base = requester->head + head_sent;
		iov[count++].iov_len = requester->head_len - head_sent;
	}
	if (requester->is_pulled)
		return count;
	left = payload_len(task) - payload_sent;
	return count + soft_iov_data(task->src, payload_sent, left < max ? left : max, iov + count,
				     SOFT_MAX_LIST);
}

/* Nothing more is sent: the source of the first that is unsent is not as it was. */
static enum sending stop_sending(struct soft_requester *requester, doca_error_t result,
				 const char *why)
{
	requester->fault = why;
	requester->fault_result = result;
	return SENDING_FAILED;
}

/* Why nothing more was taken, by errno. */
static enum sending not_sent(struct soft_requester *requester)
{
	if (errno == EAGAIN)
		return SENDING_BLOCKED;
	if (errno == EFAULT)
		return stop_sending(requester, DOCA_ERROR_IO_FAILED, "a source cannot be read");
	requester->is_cut = true;
	return stop_sending(requester, DOCA_ERROR_IO_FAILED, "the peer has hung up");
}

/* The plain call is the cheaper one, and it is what small tasks take. */
static ssize_t send_entries(int fd, struct iovec *iov, int count)
{
	const struct msghdr message = { .msg_iov = iov, .msg_iovlen = (size_t)count };
	const int flags = MSG_DONTWAIT | MSG_NOSIGNAL;

	return count == 1 ? send(fd, iov->iov_base, iov->iov_len, flags)
			  : sendmsg(fd, &message, flags);
}

static enum sending send_frame(struct soft_requester *requester, const struct drdma_task *task,
			       size_t *budget)
{
	struct iovec iov[MAX_ENTRIES];

	if (requester->sent == 0)
		encode_head(requester, task);
	while (requester->sent < frame_len(requester, task)) {
		ssize_t sent;
		int count;

		if (*budget == 0)
			return SENDING_PAUSED;
		count = frame_rest(requester, task, *budget, iov);
		if (count == 0)
			return stop_sending(requester, DOCA_ERROR_INVALID_VALUE,
					    "a source was changed in flight");
		sent = send_entries(requester->sock.fd, iov, count);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0)
			return not_sent(requester);
		requester->sent += (size_t)sent;
		soft_spend(budget, (size_t)sent);
	}
	soft_spend(budget, SOFT_STEP_COST);
	return SENDING_DONE;
}

/*
 * Can what is in the way of sending end the connection now? A task whose source is at fault is told
 * after those before it. That the peer does not read any more may have a reason that it has sent,
 * so that is read first.
 */
static bool is_over(const struct soft_requester *requester)
{
	return requester->fault != NULL &&
	       (requester->is_cut || STAILQ_FIRST(&requester->tasks) == requester->unsent);
}

/* Asks the set for what it can go on with. */
static void watch(struct soft_requester *requester)
{
	bool can_go_on = requester->fault == NULL ? requester->unsent != NULL : is_over(requester);

	soft_sock_want(&requester->sock, EPOLLIN | (can_go_on ? EPOLLOUT : 0));
}

/* Sends what is unsent, up to a slice. */
static void send_some(struct soft_requester *requester)
{
	enum sending sending = SENDING_DONE;
	size_t budget = SOFT_SLICE_BYTES;

	while (requester->unsent != NULL && sending == SENDING_DONE) {
		sending = send_frame(requester, drdma_from_task(requester->unsent), &budget);
		if (sending != SENDING_DONE)
			break;
		requester->sent = 0;
		requester->unsent = STAILQ_NEXT(requester->unsent, link);
	}
	soft_sock_set_blocked(&requester->sock, sending == SENDING_BLOCKED);
	watch(requester);
}

void soft_requester_open(struct soft_requester *requester)
{
	LIST_INSERT_HEAD(&requester->sock.port->hot_requesters, requester, hot_link);
	requester->sock.port->num_hot++;
	soft_port_set_deadline(requester->sock.port,
			       core_now_ns()); /* for looks at the peer's host */
	send_some(requester);
}

void soft_requester_submit(struct soft_requester *requester, struct drdma_task *task)
{
	task->psn = requester->next_psn++;
	STAILQ_INSERT_TAIL(&requester->tasks, &task->base, link);
	requester->num_tasks++;
	if (requester->unsent != NULL)
		return; /* behind others that wait for the socket */
	requester->unsent = &task->base;
	if (requester->dial == SOFT_DIAL_OPEN)
		send_some(requester);
	else
		soft_requester_hurry(requester);
}

static void protocol_error(struct soft_requester *requester)
{
	soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED, "the peer breaks the protocol");
}

static void finish_first(struct soft_requester *requester)
{
	struct drdma_task *task = drdma_from_task(STAILQ_FIRST(&requester->tasks));

	STAILQ_REMOVE_HEAD(&requester->tasks, link);
	requester->num_tasks--;
	requester->read_done = 0;
	task->result_len = task->len;
	soft_port_finish(requester->sock.port, task, DOCA_SUCCESS);
}

/* Could the peer say that the first task is done? Not before it was sent, and read. */
static bool may_be_done(const struct soft_requester *requester)
{
	struct doca_task *first = STAILQ_FIRST(&requester->tasks);
	const struct drdma_task *task;

	if (first == NULL || first == requester->unsent)
		return false;
	task = drdma_from_task(first);
	return task->kind != DRDMA_READ || task->len == 0;
}

/* All tasks before psn have succeeded; false: they cannot have. */
static bool finish_before(struct soft_requester *requester, uint32_t psn)
{
	struct doca_task *first;

	while ((first = STAILQ_FIRST(&requester->tasks)) != NULL) {
		if ((int32_t)(drdma_from_task(first)->psn - psn) >= 0)
			return true;
		if (!may_be_done(requester))
			return false;
		finish_first(requester);
	}
	return true;
}

/* The first task, which must be that one and sent. */
static struct drdma_task *first_as(const struct soft_requester *requester, uint32_t psn)
{
	struct doca_task *first = STAILQ_FIRST(&requester->tasks);

	if (first == NULL || first == requester->unsent || drdma_from_task(first)->psn != psn)
		return NULL;
	return drdma_from_task(first);
}

static void on_data_begins(struct soft_requester *requester, const struct soft_response *response)
{
	const struct drdma_task *task = first_as(requester, response->psn);

	if (task == NULL || task->kind != DRDMA_READ ||
	    response->len > task->len - requester->read_done)
		protocol_error(requester);
	else
		requester->chunk_left = response->len;
}

static void on_response(struct soft_requester *requester, const struct soft_response *response)
{
	bool is_ack = response->answer == SOFT_ANSWER_ACK;

	if (!finish_before(requester, response->psn + (is_ack ? 1 : 0))) {
		protocol_error(requester);
		return;
	}
	switch (response->answer) {
	case SOFT_ANSWER_ACK:
		break;
	case SOFT_ANSWER_DATA:
		on_data_begins(requester, response);
		break;
	case SOFT_ANSWER_NAK: /* of one that may still be on its way out */
		soft_conn_fail(requester->conn, results[response->status],
			       reasons[response->status]);
		break;
	case SOFT_NUM_ANSWERS:
		break;
	}
}

static int room_for_chunk(const struct soft_requester *requester, size_t len, struct iovec *iov)
{
	const struct drdma_task *task = drdma_from_task(STAILQ_FIRST(&requester->tasks));

	return soft_iov_room(task->dst, requester->read_done, len, iov, SOFT_MAX_LIST);
}

/* len bytes of the chunk are in place. */
static void chunk_advance(struct soft_requester *requester, size_t len)
{
	const struct drdma_task *task = drdma_from_task(STAILQ_FIRST(&requester->tasks));

	requester->chunk_left -= (uint32_t)len;
	requester->read_done += (uint32_t)len;
	if (requester->read_done == task->len)
		finish_first(requester);
}

/* Places what is staged of a chunk. */
static void chunk_from_stage(struct soft_requester *requester)
{
	struct soft_stage *stage = &requester->stage;
	struct iovec iov[SOFT_MAX_LIST];
	size_t len = soft_stage_len(stage);
	int count;

	if (len > requester->chunk_left)
		len = requester->chunk_left;
	count = room_for_chunk(requester, len, iov);
	if (soft_iov_len(iov, count) != len) {
		soft_conn_fail(requester->conn, DOCA_ERROR_INVALID_VALUE,
			       "a destination was changed in flight");
		return;
	}
	soft_iov_put(iov, count, stage->bytes + stage->from);
	stage->from += len;
	chunk_advance(requester, len);
}

/* Looks at what is staged; false: more must come. */
static bool step(struct soft_requester *requester)
{
	struct soft_stage *stage = &requester->stage;
	struct soft_response response;

	if (requester->chunk_left > 0) {
		if (soft_stage_len(stage) == 0)
			return false;
		chunk_from_stage(requester);
		return true;
	}
	if (soft_stage_len(stage) < SOFT_RESPONSE_SIZE)
		return false;
	if (!soft_response_decode(stage->bytes + stage->from, &response)) {
		protocol_error(requester);
		return true;
	}
	stage->from += SOFT_RESPONSE_SIZE;
	on_response(requester, &response);
	return true;
}

/* Reads: data into its place, and what is behind it into the stage. False: nothing came. */
static bool receive_more(struct soft_requester *requester, size_t *budget, bool *is_drained)
{
	struct iovec iov[SOFT_MAX_LIST];
	bool is_over;
	ssize_t got;
	int count = 0;

	if (requester->chunk_left > 0)
		count = room_for_chunk(requester, requester->chunk_left, iov);
	got = soft_stage_recv(&requester->stage, requester->sock.fd, iov, count, is_drained,
			      &is_over);
	if (is_over)
		soft_conn_fail(requester->conn, DOCA_ERROR_IO_FAILED, "the peer is gone");
	if (got < 0)
		return false;
	if (got > 0)
		chunk_advance(requester, (size_t)got);
	soft_spend(budget, (size_t)got);
	return true;
}

bool soft_requester_poll(struct soft_requester *requester)
{
	size_t budget = SOFT_SLICE_BYTES;
	bool is_drained = false, has_moved = false;

	while (requester->dial == SOFT_DIAL_OPEN) {
		soft_spend(&budget, SOFT_STEP_COST);
		if (step(requester))
			continue; /* what is staged is bounded */
		if (is_drained || budget == 0 || !receive_more(requester, &budget, &is_drained))
			break;
		has_moved = true;
	}
	if (requester->dial != SOFT_DIAL_OPEN)
		return has_moved;
	if (is_over(requester) && budget > 0)
		soft_conn_fail(requester->conn, requester->fault_result, requester->fault);
	else if (is_over(requester))
		watch(requester);
	else if (requester->unsent != NULL && requester->fault == NULL &&
		 !requester->sock.is_blocked)
		send_some(requester);
	return has_moved;
}
