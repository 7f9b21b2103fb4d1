/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The end of a lane that responds: one request after the other, each to its end before the next is
 * looked at. An access is checked as a whole before its first byte is placed, and again for each
 * piece, as the memory may be taken away in between. A message that finds no receive waits, and
 * with it all that is behind it on this lane; nothing else does.
 */

#include "rdma/providers/software/soft.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "core/sync_event.h"

/* Up to this size a message is placed at once, when all of it has come. */
#define SMALL_BYTES  4096

#define RNR_TIMER_NS (UINT64_C(100) * 1000000)

enum step {
	STEP_AGAIN, /* something was done */
	STEP_INPUT, /* more must come */
	STEP_DRY,   /* and none is there */
	STEP_STOP,  /* it waits, writes, or is over */
};

static struct soft_responder *responder_from_sock(struct soft_sock *sock)
{
	return CORE_CONTAINER_OF(sock, struct soft_responder, sock);
}

static void responder_destroy(struct soft_sock *sock)
{
	struct soft_responder *responder = responder_from_sock(sock);

	soft_stage_fini(&responder->stage);
	free(responder);
}

static void set_busy(struct soft_responder *responder, bool is_busy)
{
	if (responder->is_busy == is_busy)
		return;
	responder->is_busy = is_busy;
	if (is_busy)
		responder->sock.port->num_busy++;
	else
		responder->sock.port->num_busy--;
}

static enum step fail(struct soft_responder *responder, const char *why)
{
	struct soft_conn *soft = responder->conn;

	soft_responder_close(responder);
	soft_conn_lose_lane(soft, why);
	return STEP_STOP;
}

static enum step leave(struct soft_responder *responder)
{
	soft_responder_close(responder);
	return STEP_STOP;
}

static enum step refuse(struct soft_responder *responder, enum soft_status status)
{
	soft_respond_nak(responder, status);
	return STEP_STOP;
}

static void set_waiting(struct soft_responder *responder, bool is_waiting)
{
	struct soft_port *port = responder->sock.port;

	if (responder->is_waiting == is_waiting)
		return;
	responder->is_waiting = is_waiting;
	if (is_waiting)
		TAILQ_INSERT_TAIL(&port->rnr, responder, rnr_link);
	else
		TAILQ_REMOVE(&port->rnr, responder, rnr_link);
	soft_respond_watch(responder);
}

static enum step wait_for_receive(struct soft_responder *responder)
{
	if (responder->is_waiting)
		return STEP_STOP;
	responder->deadline_ns = SOFT_NEVER;
	if (responder->rnr_retry_count < DRDMA_RNR_FOR_EVER) {
		responder->deadline_ns = core_now_ns() + responder->rnr_retry_count * RNR_TIMER_NS;
		soft_port_set_deadline(responder->sock.port, responder->deadline_ns);
	}
	set_waiting(responder, true);
	return STEP_STOP;
}

/* False: there is none. */
static bool take_receive(struct soft_responder *responder)
{
	struct soft_port *port = responder->sock.port;
	struct doca_task *task = STAILQ_FIRST(&port->receives);

	if (responder->receive != NULL)
		return true;
	if (task == NULL)
		return false;
	STAILQ_REMOVE_HEAD(&port->receives, link);
	responder->receive = drdma_from_task(task);
	return true;
}

void soft_receive_return(struct soft_responder *responder)
{
	struct soft_port *port = responder->sock.port;

	if (responder->receive == NULL)
		return;
	STAILQ_INSERT_HEAD(&port->receives, &responder->receive->base, link);
	responder->receive = NULL;
	port->has_returned = true;
}

static enum step begin_send(struct soft_responder *responder)
{
	struct drdma_task *receive;

	if (!take_receive(responder))
		return wait_for_receive(responder);
	receive = responder->receive;
	if (receive->len >= responder->request.len)
		return STEP_AGAIN;
	responder->receive = NULL;
	soft_port_finish(responder->sock.port, receive, DOCA_ERROR_IO_FAILED);
	return refuse(responder, SOFT_STATUS_LENGTH);
}

static enum step begin_remote(struct soft_responder *responder, size_t *budget)
{
	enum soft_status status;

	if ((responder->request.flags & SOFT_HAS_REMOTE) == 0)
		return STEP_AGAIN;
	status = soft_access_begin(responder);
	if (status != SOFT_STATUS_OK)
		return refuse(responder, status);
	core_key_release(responder->request.key_index);
	if (responder->request.op != SOFT_OP_READ || responder->request.len == 0)
		return STEP_AGAIN;
	soft_respond_read(responder, budget);
	return responder->has_request || responder->sock.fd < 0 ? STEP_STOP : STEP_AGAIN;
}

/* Takes the header and the pieces off the stage. */
static enum step take_request(struct soft_responder *responder)
{
	struct soft_stage *stage = &responder->stage;
	struct soft_request *request = &responder->request;
	const uint8_t *at = stage->bytes + stage->from;
	uint64_t sum = 0;

	if (soft_stage_len(stage) < SOFT_REQUEST_SIZE)
		return STEP_INPUT;
	if (!soft_request_decode(at, request) || request->psn != responder->next_psn ||
	    (request->num_pieces > 0 && responder->peer_pid == 0))
		return fail(responder, "the peer breaks the protocol");
	if (soft_stage_len(stage) < SOFT_REQUEST_SIZE + request->num_pieces * SOFT_PIECE_SIZE)
		return STEP_INPUT;
	at += SOFT_REQUEST_SIZE;
	for (uint32_t i = 0; i < request->num_pieces; i++, at += SOFT_PIECE_SIZE) {
		soft_piece_decode(at, &responder->pieces[i]);
		if (responder->pieces[i].len > SOFT_MAX_MESSAGE)
			return fail(responder, "the peer breaks the protocol");
		sum += responder->pieces[i].len;
	}
	if (request->num_pieces > 0 && sum != request->len)
		return fail(responder, "the peer breaks the protocol");
	stage->from += SOFT_REQUEST_SIZE + request->num_pieces * (size_t)SOFT_PIECE_SIZE;
	responder->has_request = true;
	responder->is_placed = request->len == 0;
	responder->is_begun = false;
	responder->done = 0;
	return STEP_AGAIN;
}

/* Where [done, done + len) of the message goes; a remote range is held by the caller. */
static int place_iov(struct soft_responder *responder, size_t len, struct iovec *iov)
{
	if (responder->request.op == SOFT_OP_SEND)
		return soft_iov_room(responder->receive->dst, responder->done, len, iov,
				     SOFT_MAX_LIST);
	iov[0].iov_base =
	    (void *)(uintptr_t)(responder->request.addr + responder->done); /* NOLINT */
	iov[0].iov_len = len;
	return 1;
}

/* [done, done + len) of the message in the peer's memory. */
static unsigned long pull_iov(const struct soft_responder *responder, size_t len, struct iovec *iov)
{
	uint64_t skip = responder->done;
	unsigned long count = 0;

	for (uint32_t i = 0; i < responder->request.num_pieces && len > 0; i++) {
		const struct soft_piece *piece = &responder->pieces[i];
		uint64_t skipped = skip < piece->len ? skip : piece->len;
		uint64_t has = piece->len - skipped;

		skip -= skipped;
		if (has == 0)
			continue;
		if (has > len)
			has = len;
		iov[count].iov_base = (void *)(uintptr_t)(piece->addr + skipped); /* NOLINT */
		iov[count++].iov_len = has;
		len -= has;
	}
	return count;
}

/* Moves bytes to their place; returns how many, 0 when there are none, or less: it is over. */
static ssize_t move_pulled(struct soft_responder *responder, const struct iovec *iov, int count)
{
	struct iovec remote[SOFT_MAX_LIST];
	unsigned long num = pull_iov(responder, soft_iov_len(iov, count), remote);

	return process_vm_readv(responder->peer_pid, iov, (unsigned long)count, remote, num, 0);
}

static ssize_t move_staged(struct soft_responder *responder, const struct iovec *iov, int count)
{
	size_t len = soft_iov_len(iov, count);

	soft_iov_put(iov, count, responder->stage.bytes + responder->stage.from);
	responder->stage.from += len;
	return (ssize_t)len;
}

static ssize_t move_received(struct soft_responder *responder, const struct iovec *iov, int count)
{
	bool is_drained, is_over;
	ssize_t got = soft_stage_recv(&responder->stage, responder->sock.fd, iov, count,
				      &is_drained, &is_over);

	if (is_over)
		return -1;
	return got < 0 ? 0 : got;
}

/* How many bytes can be moved now, and how; 0: more must come. */
static size_t next_move(const struct soft_responder *responder,
			ssize_t (**move)(struct soft_responder *, const struct iovec *, int))
{
	size_t left = responder->request.len - responder->done;
	size_t staged = soft_stage_len(&responder->stage);

	if (left > SOFT_PIECE_BYTES)
		left = SOFT_PIECE_BYTES;
	*move = move_pulled;
	if (responder->request.num_pieces > 0)
		return left;
	*move = move_staged;
	if (responder->request.len <= SMALL_BYTES)
		return staged < left ? 0 : left;
	if (staged > 0)
		return staged < left ? staged : left;
	*move = move_received;
	return left;
}

/* Places a piece of the message; a remote range is held just so long. */
static enum step place(struct soft_responder *responder, size_t *budget)
{
	ssize_t (*move)(struct soft_responder *, const struct iovec *, int);
	bool is_remote = responder->request.op == SOFT_OP_WRITE;
	size_t len = next_move(responder, &move);
	struct iovec iov[SOFT_MAX_LIST];
	ssize_t moved;
	int count;

	if (len == 0)
		return STEP_INPUT;
	if (is_remote && soft_access_begin(responder) != SOFT_STATUS_OK)
		return refuse(responder, SOFT_STATUS_ACCESS);
	count = place_iov(responder, len, iov);
	moved = move(responder, iov, count);
	if (is_remote) {
		core_sync_notify(iov[0].iov_base, len);
		core_key_release(responder->request.key_index);
	}
	/* Then the source may be its application's again: what was read of it counts for nothing.
	 */
	if (move == move_pulled && soft_socket_is_over(responder->sock.fd))
		return leave(responder);
	if (moved < 0 || soft_iov_len(iov, count) != len)
		return move == move_received ? leave(responder)
					     : refuse(responder, SOFT_STATUS_FAULT);
	if (moved == 0)
		return move == move_received ? STEP_DRY : refuse(responder, SOFT_STATUS_FAULT);
	responder->done += (uint32_t)moved;
	responder->is_placed = responder->done == responder->request.len;
	soft_spend(budget, (size_t)moved);
	return STEP_AGAIN;
}

static enum doca_rdma_opcode opcode_of(const struct soft_request *request)
{
	if (request->op == SOFT_OP_WRITE)
		return DOCA_RDMA_OPCODE_RECV_WRITE_WITH_IMM;
	return (request->flags & SOFT_HAS_IMM) != 0 ? DOCA_RDMA_OPCODE_RECV_SEND_WITH_IMM
						    : DOCA_RDMA_OPCODE_RECV_SEND;
}

/* All data is in place. */
static enum step complete(struct soft_responder *responder)
{
	const struct soft_request *request = &responder->request;
	bool needs_receive = request->op == SOFT_OP_SEND || (request->flags & SOFT_HAS_IMM) != 0;
	struct drdma_task *receive;

	if (needs_receive && !take_receive(responder))
		return wait_for_receive(responder);
	receive = responder->receive;
	if (receive != NULL) {
		responder->receive = NULL;
		receive->result_len = request->len;
		receive->result_opcode = opcode_of(request);
		receive->result_imm = request->imm;
		receive->result_conn = responder->conn->conn;
		soft_port_finish(responder->sock.port, receive, DOCA_SUCCESS);
	}
	responder->has_request = false;
	responder->has_ack = true;
	responder->next_psn++;
	return STEP_AGAIN;
}

static enum step begin(struct soft_responder *responder, size_t *budget)
{
	enum step result = responder->request.op == SOFT_OP_SEND ? begin_send(responder)
								 : begin_remote(responder, budget);

	responder->is_begun = result == STEP_AGAIN;
	return result;
}

static enum step step(struct soft_responder *responder, size_t *budget)
{
	if (!responder->has_request)
		return take_request(responder);
	if (!responder->is_begun)
		return begin(responder, budget);
	if (!responder->is_placed)
		return place(responder, budget);
	return complete(responder);
}

/* Reads into the stage; false: nothing came. */
static bool receive_more(struct soft_responder *responder, bool *is_drained)
{
	bool is_over;

	(void)soft_stage_recv(&responder->stage, responder->sock.fd, NULL, 0, is_drained, &is_over);
	if (!is_over)
		return !*is_drained || soft_stage_len(&responder->stage) > 0;
	(void)leave(responder);
	return false;
}

/* Says why it has failed, and throws away what comes until the peer hangs up. */
static void poll_ending(struct soft_responder *responder)
{
	struct soft_stage *stage = &responder->stage;
	size_t budget = SOFT_SLICE_BYTES;
	bool is_drained = false, is_over = false;

	set_busy(responder, false);
	if (soft_respond_flush(responder, &budget) && !responder->is_shut) {
		responder->is_shut = true;
		(void)shutdown(responder->sock.fd, SHUT_WR); /* fails when the peer is gone */
	}
	if (responder->sock.fd < 0)
		return;
	while (!is_drained && !is_over && budget > 0) {
		stage->from = stage->to = 0;
		(void)soft_stage_recv(stage, responder->sock.fd, NULL, 0, &is_drained, &is_over);
		soft_spend(&budget, soft_stage_len(stage));
	}
	if (is_over)
		soft_responder_close(responder);
}

/* Serves what has come, as far as the budget goes; true: something had. */
static bool serve(struct soft_responder *responder, size_t *budget)
{
	bool is_drained = false, has_moved = false;

	for (;;) {
		switch (step(responder, budget)) {
		case STEP_AGAIN:
			has_moved = true;
			soft_spend(budget, SOFT_STEP_COST);
			if (*budget > 0)
				continue;
			set_busy(responder, true);
			(void)soft_respond_flush(responder, budget);
			return true;
		case STEP_STOP:
			if (responder->is_waiting) /* for long, maybe; not so what is done */
				(void)soft_respond_flush(responder, budget);
			return true;
		case STEP_DRY:
			is_drained = true;
			break;
		case STEP_INPUT:
			break;
		}
		/* The peer is told now: it may wait for that before it sends more. */
		if (!soft_respond_flush(responder, budget) && responder->sock.fd < 0)
			return true;
		if (is_drained || !receive_more(responder, &is_drained))
			return has_moved;
		has_moved = true;
	}
}

bool soft_responder_poll(struct soft_responder *responder)
{
	size_t budget = SOFT_SLICE_BYTES;
	bool has_moved;

	if (responder->sock.fd < 0)
		return false;
	if (responder->is_ending) {
		poll_ending(responder);
		return false;
	}
	if (responder->is_reading && !soft_respond_flush(responder, &budget))
		return responder->sock.fd >= 0 && !responder->sock.is_blocked;
	if (responder->is_ending) { /* the memory of that read was taken away */
		poll_ending(responder);
		return true;
	}
	if (responder->is_waiting) {
		(void)soft_respond_flush(responder, &budget);
		return false;
	}
	set_busy(responder, false);
	has_moved = serve(responder, &budget);
	if (responder->sock.fd >= 0 && responder->is_ending)
		poll_ending(responder);
	return has_moved;
}

static void on_ready(struct soft_sock *sock, uint32_t events)
{
	struct soft_responder *responder = responder_from_sock(sock);

	bool is_held_up = responder->is_waiting || responder->is_reading;

	if (is_held_up && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
		(void)leave(responder);
		return;
	}
	(void)soft_responder_poll(responder);
}

doca_error_t soft_responder_create(struct soft_conn *soft, struct soft_stranger *stranger)
{
	struct soft_responder *responder = calloc(1, sizeof(*responder));
	int fd = soft_sock_release(&stranger->sock);

	if (responder == NULL || soft_stage_init(&responder->stage) != DOCA_SUCCESS) {
		free(responder);
		soft_sock_drop(fd);
		return DOCA_ERROR_NO_MEMORY;
	}
	responder->sock.fd = -1;
	responder->sock.port = soft->port;
	responder->sock.on_ready = on_ready;
	responder->sock.destroy = responder_destroy;
	responder->conn = soft;
	responder->peer_pid = stranger->pid;
	responder->rnr_retry_count = stranger->hello.rnr_retry_count;
	if (soft_sock_add(&responder->sock, fd, EPOLLIN | EPOLLRDHUP) != DOCA_SUCCESS) {
		responder_destroy(&responder->sock);
		return DOCA_ERROR_NO_MEMORY;
	}
	LIST_INSERT_HEAD(&soft->port->hot_responders, responder, hot_link);
	soft->port->num_hot++;
	soft->port->num_responders++;
	LIST_INSERT_HEAD(&soft->responders, responder, conn_link);
	if (soft_conn_is_target(soft))
		soft_port_set_deadline(soft->port, core_now_ns() + SOFT_LOOK_NS);
	return DOCA_SUCCESS;
}

void soft_responder_close(struct soft_responder *responder)
{
	struct soft_port *port = responder->sock.port;

	set_busy(responder, false);
	if (responder->is_waiting) {
		responder->is_waiting = false;
		TAILQ_REMOVE(&port->rnr, responder, rnr_link);
	}
	soft_receive_return(responder);
	if (responder->conn != NULL)
		LIST_REMOVE(responder, conn_link);
	responder->conn = NULL;
	LIST_REMOVE(responder, hot_link);
	port->num_hot--;
	port->num_responders--;
	soft_sock_close(&responder->sock);
}

void soft_responder_run_timers(struct soft_responder *responder, uint64_t now_ns)
{
	if (soft_target_look(responder, now_ns))
		return;
	if (!responder->is_waiting && !responder->is_ending)
		return;
	if (now_ns < responder->deadline_ns) {
		if (responder->deadline_ns != SOFT_NEVER)
			soft_port_set_deadline(responder->sock.port, responder->deadline_ns);
	} else if (responder->is_ending) {
		soft_responder_close(responder);
	} else {
		set_waiting(responder, false);
		soft_respond_nak(responder, SOFT_STATUS_RNR);
		poll_ending(responder);
	}
}

void soft_receive_posted(struct soft_port *port)
{
	struct soft_responder *responder;

	port->has_returned = false;
	while (!STAILQ_EMPTY(&port->receives) && (responder = TAILQ_FIRST(&port->rnr)) != NULL) {
		set_waiting(responder, false);
		(void)soft_responder_poll(responder);
	}
}
