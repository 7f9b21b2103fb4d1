/* SPDX-License-Identifier: BSD-3-Clause */

/* What sides do: bufs, tasks and what is heard of them, each as a step where the side is. */

#include "rdma_rig.h"

#include <stdio.h>
#include <string.h>

#include "fixture.h"

#define PATIENCE_NS UINT64_C(20000000000)
#define MAX_CHAIN   64
#define TEXT_BYTES  2048

struct buf_args {
	bool is_remote;
	char *head;
	size_t len;
	size_t data_offset;
	size_t data_len;
	struct doca_buf *buf;
};

static void buf_step(struct rdma_side *side, void *args)
{
	struct buf_args *of = args;
	struct doca_mmap *mmap = of->is_remote ? side->remote : side->mmap;

	assert_true(side->num_bufs < RDMA_RIG_NUM_BUFS);
	assert_success(doca_buf_inventory_buf_get_by_args(side->inventory, mmap, of->head, of->len,
							  of->head + of->data_offset, of->data_len,
							  &of->buf));
	side->bufs[side->num_bufs++] = of->buf;
}

struct doca_buf *rdma_buf(struct rdma_side *side, size_t offset, size_t len, size_t data_offset,
			  size_t data_len)
{
	struct buf_args args = {
		.head = side->bytes + offset,
		.len = len,
		.data_offset = data_offset,
		.data_len = data_len,
	};

	rdma_at(side, buf_step, &args, sizeof(args));
	return args.buf;
}

struct doca_buf *rdma_remote_buf(struct rdma_side *side, const struct rdma_side *other,
				 size_t offset, size_t len, size_t data_len)
{
	struct buf_args args = {
		.is_remote = true,
		.head = other->bytes + offset,
		.len = len,
		.data_len = data_len,
	};

	rdma_at(side, buf_step, &args, sizeof(args));
	return args.buf;
}

struct doca_buf *rdma_data(struct rdma_side *side, size_t offset, size_t len)
{
	return rdma_buf(side, offset, len, 0, len);
}

struct doca_buf *rdma_room(struct rdma_side *side, size_t offset, size_t len)
{
	return rdma_buf(side, offset, len, 0, 0);
}

struct chain_args {
	struct doca_buf *bufs[MAX_CHAIN];
	size_t count;
};

/* A list is given back by its head. */
static void chain_step(struct rdma_side *side, void *args)
{
	const struct chain_args *of = args;

	for (size_t i = 1; i < of->count; i++)
		assert_success(doca_buf_chain_list(of->bufs[0], of->bufs[i]));
	side->num_bufs -= of->count - 1;
	assert_ptr_equal(side->bufs[side->num_bufs - 1], of->bufs[0]);
}

struct doca_buf *rdma_chain(struct rdma_side *side, struct doca_buf *const *bufs, size_t n)
{
	struct chain_args args = { .count = n };

	assert_true(n > 0 && n <= MAX_CHAIN);
	memcpy(args.bufs, bufs, n * sizeof(bufs[0]));
	rdma_at(side, chain_step, &args, sizeof(args));
	return bufs[0];
}

struct data_args {
	struct doca_buf *buf;
	const struct doca_buf *looked_at;
	void *data;
	size_t len;
};

static void data_step(struct rdma_side *side, void *args)
{
	struct data_args *of = args;

	(void)side;
	assert_success(doca_buf_get_data(of->looked_at, &of->data));
	assert_success(doca_buf_get_data_len(of->looked_at, &of->len));
}

char *rdma_data_at(struct rdma_side *side, const struct doca_buf *buf)
{
	struct data_args args = { .looked_at = buf };

	rdma_at(side, data_step, &args, sizeof(args));
	return args.data;
}

size_t rdma_data_len(struct rdma_side *side, const struct doca_buf *buf)
{
	struct data_args args = { .looked_at = buf };

	rdma_at(side, data_step, &args, sizeof(args));
	return args.len;
}

static void reset_step(struct rdma_side *side, void *args)
{
	struct data_args *of = args;

	(void)side;
	assert_success(doca_buf_reset_data_len(of->buf));
}

void rdma_reset_data(struct rdma_side *side, struct doca_buf *buf)
{
	struct data_args args = { .buf = buf };

	rdma_at(side, reset_step, &args, sizeof(args));
}

/* What a task is made of, and in the end the task. */
struct task_args {
	const struct doca_buf *src;
	struct doca_buf *dst;
	doca_be32_t imm;
	union doca_data number;
	struct doca_task *task;
};

static void receive_step(struct rdma_side *side, void *args)
{
	struct doca_rdma_task_receive *task;
	struct task_args *of = args;

	assert_success(
	    doca_rdma_task_receive_allocate_init(side->rdma, of->dst, of->number, &task));
	of->task = doca_rdma_task_receive_as_task(task);
}

static void send_step(struct rdma_side *side, void *args)
{
	struct doca_rdma_task_send *task;
	struct task_args *of = args;

	assert_success(
	    doca_rdma_task_send_allocate_init(side->rdma, side->conn, of->src, of->number, &task));
	of->task = doca_rdma_task_send_as_task(task);
}

static void send_imm_step(struct rdma_side *side, void *args)
{
	struct doca_rdma_task_send_imm *task;
	struct task_args *of = args;

	assert_success(doca_rdma_task_send_imm_allocate_init(side->rdma, side->conn, of->src,
							     of->imm, of->number, &task));
	of->task = doca_rdma_task_send_imm_as_task(task);
}

static void read_step(struct rdma_side *side, void *args)
{
	struct doca_rdma_task_read *task;
	struct task_args *of = args;

	assert_success(doca_rdma_task_read_allocate_init(side->rdma, side->conn, of->src, of->dst,
							 of->number, &task));
	of->task = doca_rdma_task_read_as_task(task);
}

static void write_step(struct rdma_side *side, void *args)
{
	struct doca_rdma_task_write *task;
	struct task_args *of = args;

	assert_success(doca_rdma_task_write_allocate_init(side->rdma, side->conn, of->src, of->dst,
							  of->number, &task));
	of->task = doca_rdma_task_write_as_task(task);
}

static void write_imm_step(struct rdma_side *side, void *args)
{
	struct doca_rdma_task_write_imm *task;
	struct task_args *of = args;

	assert_success(doca_rdma_task_write_imm_allocate_init(side->rdma, side->conn, of->src,
							      of->dst, of->imm, of->number, &task));
	of->task = doca_rdma_task_write_imm_as_task(task);
}

static struct doca_task *make_task(struct rdma_side *side, rdma_step_t step, struct task_args of)
{
	rdma_at(side, step, &of, sizeof(of));
	return of.task;
}

struct doca_task *rdma_receive_task(struct rdma_side *side, struct doca_buf *dst, uint64_t number)
{
	return make_task(side, receive_step,
			 (struct task_args){ .dst = dst, .number.u64 = number });
}

struct doca_task *rdma_send_task(struct rdma_side *side, const struct doca_buf *src,
				 uint64_t number)
{
	return make_task(side, send_step, (struct task_args){ .src = src, .number.u64 = number });
}

struct doca_task *rdma_send_imm_task(struct rdma_side *side, const struct doca_buf *src,
				     doca_be32_t imm, uint64_t number)
{
	return make_task(side, send_imm_step,
			 (struct task_args){ .src = src, .imm = imm, .number.u64 = number });
}

struct doca_task *rdma_read_task(struct rdma_side *side, const struct doca_buf *src,
				 struct doca_buf *dst, uint64_t number)
{
	return make_task(side, read_step,
			 (struct task_args){ .src = src, .dst = dst, .number.u64 = number });
}

struct doca_task *rdma_write_task(struct rdma_side *side, const struct doca_buf *src,
				  struct doca_buf *dst, uint64_t number)
{
	return make_task(side, write_step,
			 (struct task_args){ .src = src, .dst = dst, .number.u64 = number });
}

struct doca_task *rdma_write_imm_task(struct rdma_side *side, const struct doca_buf *src,
				      struct doca_buf *dst, doca_be32_t imm, uint64_t number)
{
	return make_task(
	    side, write_imm_step,
	    (struct task_args){ .src = src, .dst = dst, .imm = imm, .number.u64 = number });
}

static void submit_step(struct rdma_side *side, void *args)
{
	(void)side;
	assert_success(doca_task_submit(*(struct doca_task **)args));
}

struct doca_task *rdma_submit(struct rdma_side *side, struct doca_task *task)
{
	rdma_at(side, submit_step, &task, sizeof(task));
	return task;
}

static void free_step(struct rdma_side *side, void *args)
{
	(void)side;
	doca_task_free(*(struct doca_task **)args);
}

void rdma_free(struct rdma_side *side, struct doca_task *task)
{
	rdma_at(side, free_step, &task, sizeof(task));
}

struct received_args {
	struct doca_task *task;
	struct rdma_received received;
};

static void received_step(struct rdma_side *side, void *args)
{
	struct received_args *of = args;
	const struct doca_rdma_task_receive *task =
	    (const struct doca_rdma_task_receive *)(const void *)of->task;

	(void)side;
	of->received = (struct rdma_received){
		.opcode = doca_rdma_task_receive_get_result_opcode(task),
		.len = doca_rdma_task_receive_get_result_len(task),
		.imm = doca_rdma_task_receive_get_result_immediate_data(task),
		.conn = doca_rdma_task_receive_get_result_rdma_connection(task),
	};
}

struct rdma_received rdma_received(struct rdma_side *side, struct doca_task *task)
{
	struct received_args args = { .task = task };

	rdma_at(side, received_step, &args, sizeof(args));
	return args.received;
}

struct heard *rdma_heard_of(struct rdma_side *side)
{
	return side->far != NULL ? &side->far->heard : &side->heard;
}

struct words_args {
	char words[TEXT_BYTES];
	const char *file;
	int line;
};

static void hears_step(struct rdma_side *side, void *args)
{
	const struct words_args *of = args;

	heard_drive(&side->heard, side->pe, of->words, of->file, of->line);
}

static void heard_step(struct rdma_side *side, void *args)
{
	const struct words_args *of = args;

	heard_check(&side->heard, of->words, of->file, of->line);
}

static void with_words(struct rdma_side *side, rdma_step_t step, const char *words,
		       const char *file, int line)
{
	struct words_args args = { .file = file, .line = line };

	assert_true(strlen(words) < sizeof(args.words));
	(void)snprintf(args.words, sizeof(args.words), "%s", words);
	rdma_at(side, step, &args, sizeof(args));
}

void rdma_check_heard(struct rdma_side *side, const char *words, const char *file, int line)
{
	with_words(side, heard_step, words, file, line);
}

void rdma_check_hears(struct rdma_side *side, const char *words, const char *file, int line)
{
	with_words(side, hears_step, words, file, line);
}

static void take_log_step(struct rdma_side *side, void *args)
{
	const struct words_args *of = args;

	(void)side;
	test_take_log(of->words);
}

void rdma_take_log(struct rdma_side *side, const char *part)
{
	with_words(side, take_log_step, part, __FILE__, __LINE__);
}

static void silent_step(struct rdma_side *side, void *args)
{
	for (unsigned int i = *(unsigned int *)args; i > 0; i--)
		assert_int_equal(doca_pe_progress(side->pe), 0);
}

void rdma_is_silent(struct rdma_side *side, unsigned int num_calls)
{
	rdma_at(side, silent_step, &num_calls, sizeof(num_calls));
}

static void progress_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	(void)doca_pe_progress(side->pe);
}

void rdma_drive(struct rdma_pair *pair, struct rdma_side *side, unsigned int num_words)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	const struct heard *heard = rdma_heard_of(side);
	unsigned int seen = 0;

	while (heard->num_words < num_words) {
		if (heard->num_words != seen) {
			seen = heard->num_words;
			end = test_now_ns() + PATIENCE_NS;
		}
		if (test_now_ns() > end)
			fail_msg("%u words, not %u: %s", heard->num_words, num_words, heard->text);
		rdma_at(&pair->a, progress_step, NULL, 0);
		rdma_at(&pair->b, progress_step, NULL, 0);
	}
}
