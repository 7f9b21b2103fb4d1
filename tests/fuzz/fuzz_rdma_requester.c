/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A peer that answers the requests of a lane as it likes, from the welcome on. An input is a list
 * of tasks and one of responses, each with a byte that says what is done to it. Every task has to
 * end as it should by what was answered (lane_model.h), in order, and only the place of a read may
 * be written.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_mmap.h>

#include "lane_model.h"
#include "rdma_world.h"

#define PEER_ID      1
#define MAX_BYTES    65536
#define MAX_PAYLOAD  16384
#define BEHIND_BYTES 64 /* of room that a read does not need */
#define LIST_PART    5  /* bytes in the first buf of a destination */

/* What sockets take, and then some: without pulling it is never sent to its end. */
#define BIG_BYTES 300000

/* What the first byte of an input asks for. */
#define IS_PULLED   1  /* the welcome says so */
#define IS_GIVEN    2  /* the welcome is in the input */
#define IS_CUT      4  /* a part of it comes first, and the peer hangs up; it is dialled again */
#define IS_LATE     8  /* the tasks come when the lane is open */
#define IS_SILENT   16 /* there is no welcome until it is too late */

#define RETRY_NS    (UINT64_C(60) * 1000000)
#define TOO_LATE_NS (UINT64_C(31) * 1000000000)

/* What the byte before a response asks for. */
#define MAKE_RIGHT 1  /* a sound response with the number of a task, or nearly */
#define MAKE_WHOLE 2  /* data: all of what the task reads */
#define MAKE_HALF  4  /* or half of that */
#define HAS_DATA   8  /* as many bytes follow as it says */
#define IS_APART   16 /* it is sent before the next one is looked at */

enum kind {
	KIND_SEND,
	KIND_SEND_IMM,
	KIND_READ,
	KIND_WRITE,
	KIND_WRITE_IMM,
	NUM_KINDS,
};

static const uint32_t sizes[] = { 0, 8, 1, 100, 5000, LANE_MODEL_MAX_READ, BIG_BYTES };

#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* A place of its own in the memory for each read; what is sent lies behind them. */
#define PLACE_BYTES (LANE_MODEL_MAX_READ + BEHIND_BYTES)
#define SOURCE_AT   ((size_t)LANE_MODEL_MAX_TASKS * PLACE_BYTES)

static struct rdma_world *world;
static struct doca_rdma *rdma;
static struct doca_mmap *remote;
static struct lane_model model;
static unsigned int num_ended;

static void on_end(struct doca_task *task, union doca_data user_data, union doca_data ctx_data)
{
	(void)ctx_data;
	CHECK(user_data.u64 == num_ended); /* in order, and once */
	CHECK(num_ended < model.first || model.is_over);
	CHECK(doca_task_get_status(task) == lane_model_result(&model, num_ended));
	num_ended++;
	doca_task_free(task);
}

static void configure(void)
{
	const uint32_t n = LANE_MODEL_MAX_TASKS;
	const doca_task_completion_cb_t end = on_end;

	/* A task is its own base, so the callback of any task does. */
	CHECK(doca_rdma_task_send_set_conf(rdma, (doca_rdma_task_send_completion_cb_t)end,
					   (doca_rdma_task_send_completion_cb_t)end,
					   n) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_send_imm_set_conf(rdma, (doca_rdma_task_send_imm_completion_cb_t)end,
					       (doca_rdma_task_send_imm_completion_cb_t)end,
					       n) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_read_set_conf(rdma, (doca_rdma_task_read_completion_cb_t)end,
					   (doca_rdma_task_read_completion_cb_t)end,
					   n) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_write_set_conf(rdma, (doca_rdma_task_write_completion_cb_t)end,
					    (doca_rdma_task_write_completion_cb_t)end,
					    n) == DOCA_SUCCESS);
	CHECK(doca_rdma_task_write_imm_set_conf(rdma, (doca_rdma_task_write_imm_completion_cb_t)end,
						(doca_rdma_task_write_imm_completion_cb_t)end,
						n) == DOCA_SUCCESS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	world = rdma_world_create();
	rdma = rdma_world_add(world, DOCA_RDMA_TRANSPORT_TYPE_RC);
	configure();
	CHECK(doca_mmap_create_from_export(NULL, world->blob, world->blob_len, world->dev,
					   &remote) == DOCA_SUCCESS);
	rdma_world_start(world, rdma);
	return 0;
}

/* --- The tasks --- */

struct bufs {
	struct doca_buf *local;
	struct doca_buf *far;
};

/* A destination of two parts, with room behind what is read. */
static struct doca_buf *read_place(unsigned int number, uint32_t len)
{
	size_t at = (size_t)number * PLACE_BYTES;
	struct doca_buf *first = rdma_world_buf(world, world->mmap, at, LIST_PART, 0);
	struct doca_buf *second =
	    rdma_world_buf(world, world->mmap, at + LIST_PART, len + BEHIND_BYTES - LIST_PART, 0);

	CHECK(doca_buf_chain_list(first, second) == DOCA_SUCCESS);
	return first;
}

static struct bufs make_bufs(enum kind kind, unsigned int number, uint32_t len)
{
	struct bufs bufs = { NULL, NULL };

	if (kind == KIND_READ) {
		bufs.local = read_place(number, len);
		bufs.far = rdma_world_buf(world, remote, 0, len + 1, len);
	} else {
		bufs.local = rdma_world_buf(world, world->mmap, SOURCE_AT, len + 1, len);
		bufs.far = rdma_world_buf(world, remote, 0, len + 1, 0);
	}
	return bufs;
}

static struct doca_task *make_task(enum kind kind, struct doca_rdma_connection *conn,
				   const struct bufs *bufs, union doca_data number)
{
	union {
		struct doca_rdma_task_send *send;
		struct doca_rdma_task_send_imm *send_imm;
		struct doca_rdma_task_read *read;
		struct doca_rdma_task_write *write;
		struct doca_rdma_task_write_imm *write_imm;
	} task;

	switch (kind) {
	case KIND_SEND:
		CHECK(doca_rdma_task_send_allocate_init(rdma, conn, bufs->local, number,
							&task.send) == DOCA_SUCCESS);
		return doca_rdma_task_send_as_task(task.send);
	case KIND_SEND_IMM:
		CHECK(doca_rdma_task_send_imm_allocate_init(rdma, conn, bufs->local, 7, number,
							    &task.send_imm) == DOCA_SUCCESS);
		return doca_rdma_task_send_imm_as_task(task.send_imm);
	case KIND_READ:
		CHECK(doca_rdma_task_read_allocate_init(rdma, conn, bufs->far, bufs->local, number,
							&task.read) == DOCA_SUCCESS);
		return doca_rdma_task_read_as_task(task.read);
	case KIND_WRITE:
		CHECK(doca_rdma_task_write_allocate_init(rdma, conn, bufs->local, bufs->far, number,
							 &task.write) == DOCA_SUCCESS);
		return doca_rdma_task_write_as_task(task.write);
	case KIND_WRITE_IMM:
	case NUM_KINDS:
		break;
	}
	CHECK(doca_rdma_task_write_imm_allocate_init(rdma, conn, bufs->local, bufs->far, 7, number,
						     &task.write_imm) == DOCA_SUCCESS);
	return doca_rdma_task_write_imm_as_task(task.write_imm);
}

/* Submits the tasks that the bytes say. bufs: of each. */
static void submit_all(const uint8_t *bytes, unsigned int count, bool can_pull,
		       struct doca_rdma_connection *conn, struct bufs *bufs)
{
	bool is_sent = true;

	model.num_tasks = count;
	for (unsigned int i = 0; i < count; i++) {
		struct lane_model_task *task = &model.tasks[i];
		enum kind kind = bytes[i] % NUM_KINDS;
		uint32_t len = sizes[bytes[i] / NUM_KINDS % NUM_SIZES];

		if (kind == KIND_READ && len > LANE_MODEL_MAX_READ)
			len = LANE_MODEL_MAX_READ;
		is_sent = is_sent && (can_pull || len < BIG_BYTES);
		task->is_read = kind == KIND_READ;
		task->len = len;
		task->is_sent = is_sent;
		bufs[i] = make_bufs(kind, i, len);
		CHECK(doca_task_submit(make_task(kind, conn, &bufs[i],
						 (union doca_data){ .u64 = i })) == DOCA_SUCCESS);
	}
}

static void put_bufs(const struct bufs *bufs, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		CHECK(doca_buf_dec_refcount(bufs[i].local, NULL) == DOCA_SUCCESS);
		CHECK(doca_buf_dec_refcount(bufs[i].far, NULL) == DOCA_SUCCESS);
	}
}

/* --- The lane --- */

/* A listener at the peer's address. */
static int listen_as(struct drdma_conn_record *peer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char *at = address.sun_path + 1; /* abstract: the first byte is 0 */
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	CHECK(fd >= 0);
	soft_host_id(peer->host);
	for (size_t i = 0; i < sizeof(peer->listener); i++)
		peer->listener[i] ^= 0xff; /* the context itself is at the other one */
	at += sprintf(at, "openurom-rdma-");
	for (size_t i = 0; i < sizeof(peer->listener); i++)
		at += sprintf(at, "%02x", peer->listener[i]);
	CHECK(bind(fd, (struct sockaddr *)&address, (socklen_t)(at - (char *)&address)) == 0);
	CHECK(listen(fd, 1) == 0);
	return fd;
}

/* The lane that the context has dialled, behind its hello, which is read. */
static int accept_lane(int listener)
{
	uint8_t hello[SOFT_HELLO_SIZE];
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	size_t got = 0;

	CHECK(fd >= 0); /* a Unix-domain socket is connected at once */
	while (got < sizeof(hello)) {
		ssize_t more = recv(fd, hello + got, sizeof(hello) - got, MSG_DONTWAIT);

		CHECK(more != 0 && (more > 0 || errno == EAGAIN));
		(void)doca_pe_progress(world->pe);
		got += more > 0 ? (size_t)more : 0;
	}
	return fd;
}

/* Sends all of it, unless the context hangs up. */
static void say(int fd, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		ssize_t sent = send(fd, bytes, len, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent < 0 && errno != EAGAIN)
			return;
		(void)doca_pe_progress(world->pe);
		bytes += sent > 0 ? sent : 0;
		len -= sent > 0 ? (size_t)sent : 0;
	}
}

static void make_welcome(bool can_pull, uint8_t welcome[SOFT_WELCOME_SIZE])
{
	const struct soft_welcome right = { .is_welcome = true, .can_pull = can_pull };

	soft_welcome_encode(&right, welcome);
}

static enum soft_dial_state dial_state(const struct doca_rdma_connection *conn)
{
	struct soft_port *port = rdma->provider_data;
	const struct soft_conn *soft = conn->provider_data;
	enum soft_dial_state state;

	pthread_mutex_lock(&port->lock);
	CHECK(soft->requester != NULL);
	state = soft->requester->dial;
	pthread_mutex_unlock(&port->lock);
	return state;
}

/* So much time goes by for the one who dials. */
static void elapse(const struct doca_rdma_connection *conn, uint64_t ns)
{
	struct soft_port *port = rdma->provider_data;
	const struct soft_conn *soft = conn->provider_data;

	pthread_mutex_lock(&port->lock);
	if (soft->requester != NULL) {
		soft_requester_run_timers(soft->requester, core_now_ns());
		soft_requester_run_timers(soft->requester, core_now_ns() + ns);
	}
	pthread_mutex_unlock(&port->lock);
}

/* Ends a lane within its welcome, and waits until the context dials again. */
static void cut_off(int listener, const struct doca_rdma_connection *conn, const uint8_t *welcome)
{
	int fd = accept_lane(listener);

	say(fd, welcome, welcome[0] % SOFT_WELCOME_SIZE);
	close(fd);
	while (dial_state(conn) != SOFT_DIAL_WAITING)
		(void)doca_pe_progress(world->pe);
	elapse(conn, RETRY_NS);
}

/* Does the lane begin? A welcome that was made up may say so, too. */
static bool begins(const uint8_t *given, bool *can_pull)
{
	uint8_t right[SOFT_WELCOME_SIZE];

	make_welcome(false, right);
	*can_pull = given[7] == 1;
	return memcmp(given, right, 7) == 0 && given[7] <= 1;
}

/* --- The answers --- */

/* Makes a response what the byte before it asks for. */
static void mend(uint8_t *response, unsigned int what)
{
	uint32_t number = response[4] % (model.num_tasks + 2u) - 1u;
	uint32_t reads = number < model.num_tasks ? model.tasks[number].len : 0;
	uint32_t len = (uint32_t)blob_number_at(response + 8, 2) % MAX_PAYLOAD;

	if ((what & MAKE_RIGHT) == 0)
		return;
	if ((what & MAKE_WHOLE) != 0)
		len = reads;
	else if ((what & MAKE_HALF) != 0)
		len = (reads + 1) / 2;
	response[0] %= SOFT_NUM_ANSWERS;
	response[1] = response[0] == SOFT_ANSWER_NAK ? 1 + response[1] % SOFT_STATUS_FAULT : 0;
	memset(response + 2, 0, 2);
	blob_number_put(response + 4, number, 4);
	blob_number_put(response + 8, response[0] == SOFT_ANSWER_DATA ? len : 0, 4);
	memset(response + 12, 0, 4);
}

/* Bytes that differ from place to place. */
static size_t put_data(uint8_t *to, const uint8_t *response, size_t max)
{
	size_t len = (size_t)blob_number_at(response + 8, 4);

	if (response[0] != SOFT_ANSWER_DATA || len > max)
		return 0;
	for (size_t i = 0; i < len; i++)
		to[i] = (uint8_t)(i * 7 + response[4] + (i >> 8));
	return len;
}

static void answer(int fd, const uint8_t *bytes, size_t len)
{
	lane_model_feed(&model, bytes, len);
	say(fd, bytes, len);
}

static void answer_all(int fd, const uint8_t *input, size_t size)
{
	static uint8_t stream[MAX_BYTES + MAX_PAYLOAD];
	size_t len = 0;

	while (size > SOFT_RESPONSE_SIZE && len < MAX_BYTES - 256) {
		unsigned int what = *input;
		uint8_t *response = stream + len;

		memcpy(response, input + 1, SOFT_RESPONSE_SIZE);
		mend(response, what);
		len += SOFT_RESPONSE_SIZE;
		if ((what & HAS_DATA) != 0)
			len += put_data(stream + len, response, MAX_PAYLOAD - SOFT_RESPONSE_SIZE);
		input += 1 + SOFT_RESPONSE_SIZE;
		size -= 1 + SOFT_RESPONSE_SIZE;
		if ((what & IS_APART) == 0)
			continue;
		answer(fd, stream, len);
		len = 0;
	}
	answer(fd, stream, len);
	if (size <= SOFT_RESPONSE_SIZE)
		answer(fd, input, size); /* what is left, as it is */
}

/* What was read is what was sent, and nothing behind it was written. */
static void check_places(void)
{
	for (unsigned int i = 0; i < model.num_tasks; i++) {
		const char *place = world->bytes + (size_t)i * PLACE_BYTES;
		const struct lane_model_task *task = &model.tasks[i];

		if (!task->is_read)
			continue;
		if (i < model.first)
			CHECK(memcmp(place, task->data, task->len) == 0);
		for (size_t k = task->len; k < PLACE_BYTES; k++)
			CHECK(place[k] == 'g');
	}
}

/* How the lane of an input begins. */
struct beginning {
	unsigned int what; /* bits above */
	uint8_t welcome[SOFT_WELCOME_SIZE];
	bool can_pull;
	bool does_begin;
};

/* Takes it off the input, which is long enough. */
static size_t take_beginning(const uint8_t *input, struct beginning *beginning)
{
	beginning->what = input[0];
	make_welcome((beginning->what & IS_PULLED) != 0, beginning->welcome);
	if ((beginning->what & IS_GIVEN) != 0)
		memcpy(beginning->welcome, input + 1, sizeof(beginning->welcome));
	beginning->does_begin =
	    begins(beginning->welcome, &beginning->can_pull) && (beginning->what & IS_SILENT) == 0;
	return 1 + ((beginning->what & IS_GIVEN) != 0 ? sizeof(beginning->welcome) : 0);
}

/* Brings the lane to where it begins, or does not. Returns the descriptor. */
static int begin(const struct beginning *beginning, int listener,
		 const struct doca_rdma_connection *conn)
{
	int fd;

	if ((beginning->what & IS_CUT) != 0)
		cut_off(listener, conn, beginning->welcome);
	fd = accept_lane(listener);
	if ((beginning->what & IS_SILENT) != 0)
		elapse(conn, TOO_LATE_NS);
	else
		say(fd, beginning->welcome, sizeof(beginning->welcome));
	return fd;
}

static void run(const uint8_t *input, size_t size, const struct beginning *beginning)
{
	struct bufs bufs[LANE_MODEL_MAX_TASKS];
	struct drdma_conn_record peer;
	struct doca_rdma_connection *conn = rdma_world_export(rdma, PEER_ID, &peer);
	unsigned int count = 1 + *input % LANE_MODEL_MAX_TASKS;
	bool is_late = (beginning->what & IS_LATE) != 0 && beginning->does_begin;
	int listener = listen_as(&peer), fd;

	if (count > size - 1)
		count = (unsigned int)size - 1;
	rdma_world_connect(conn, &peer);
	if (!is_late)
		submit_all(input + 1, count, beginning->can_pull, conn, bufs);
	if (!beginning->does_begin)
		lane_model_end(&model, DOCA_ERROR_IO_FAILED);
	fd = begin(beginning, listener, conn);
	while (is_late && dial_state(conn) != SOFT_DIAL_OPEN)
		(void)doca_pe_progress(world->pe);
	if (is_late)
		submit_all(input + 1, count, beginning->can_pull, conn, bufs);
	answer_all(fd, input + 1 + count, size - 1 - count);
	lane_model_end(&model, DOCA_ERROR_IO_FAILED);
	(void)shutdown(fd, SHUT_WR); /* fails when the context has hung up */
	while (num_ended < model.num_tasks)
		(void)doca_pe_progress(world->pe);
	CHECK(doca_rdma_connection_disconnect(conn) == DOCA_SUCCESS);
	close(fd);
	close(listener);
	put_bufs(bufs, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct beginning beginning;
	size_t taken;

	if (size < 3 + SOFT_WELCOME_SIZE || size > MAX_BYTES)
		return 0;
	memset(&model, 0, sizeof(model));
	memset(world->bytes, 'g', SOURCE_AT);
	num_ended = 0;
	taken = take_beginning(input, &beginning);
	run(input + taken, size - taken, &beginning);
	while (doca_pe_progress(world->pe) != 0)
		continue;
	check_places();
	rdma_world_check_guards();
	(void)blob_input_take_lines();
	return 0;
}
