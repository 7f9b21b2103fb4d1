/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds for the tasks of every kind: their callbacks, their bufs and their pools. */
#include <string.h>

#include <doca_log.h>

#include "fixture.h"
#include "rdma_rig.h"

#define BLOCK 1000

/* A task of each kind that requests, from a to b; and what b posts for it. */
enum kind {
	SEND,
	SEND_IMM,
	READ,
	WRITE,
	WRITE_IMM,
	NUM_KINDS,
};

struct bufs {
	struct doca_buf *near; /* a's own */
	struct doca_buf *remote;
	struct doca_buf *receive; /* b's; NULL: the kind needs none */
};

static struct bufs make_bufs(struct rdma_pair *pair, enum kind kind)
{
	struct bufs bufs = { NULL, NULL, NULL };

	bufs.near = kind == READ ? rdma_room(&pair->a, 0, BLOCK) : rdma_data(&pair->a, 0, BLOCK);
	if (kind == READ || kind == WRITE || kind == WRITE_IMM)
		bufs.remote =
		    rdma_remote_buf(&pair->a, &pair->b, BLOCK, BLOCK, kind == READ ? BLOCK : 0);
	if (kind != READ && kind != WRITE)
		bufs.receive = rdma_room(&pair->b, 0, BLOCK);
	return bufs;
}

static struct doca_task *make_task(struct rdma_side *side, enum kind kind, const struct bufs *bufs)
{
	switch (kind) {
	case SEND:
		return rdma_send_task(side, bufs->near, kind);
	case SEND_IMM:
		return rdma_send_imm_task(side, bufs->near, 1, kind);
	case READ:
		return rdma_read_task(side, bufs->remote, bufs->near, kind);
	case WRITE:
		return rdma_write_task(side, bufs->near, bufs->remote, kind);
	case WRITE_IMM:
		return rdma_write_imm_task(side, bufs->near, bufs->remote, 1, kind);
	case NUM_KINDS:
		break;
	}
	return NULL;
}

/* rdma trap 4: each callback looks at its thread (heard.c). Flushed ones are called back alike. */
static void callbacks_come_from_progress(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	for (enum kind kind = SEND; kind < NUM_KINDS; kind++) {
		struct bufs bufs = make_bufs(&pair, kind);

		if (bufs.receive != NULL)
			rdma_submit(&pair.b, rdma_receive_task(&pair.b, bufs.receive, kind));
		rdma_submit(&pair.a, make_task(&pair.a, kind, &bufs));
	}
	rdma_hears(&pair.a, "ok(0) ok(1) ok(2) ok(3) ok(4)");
	rdma_hears(&pair.b, "ok(0) ok(1) ok(4)");
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 9)); /* holds up those behind it */
	for (enum kind kind = SEND; kind < NUM_KINDS; kind++) {
		struct bufs bufs = make_bufs(&pair, kind);

		rdma_submit(&pair.a, make_task(&pair.a, kind, &bufs));
	}
	assert_int_equal(rdma_stop(&pair.a), DOCA_ERROR_IN_PROGRESS);
	rdma_hears(&pair.a, "running>stopping IO_FAILED(9) IO_FAILED(0) IO_FAILED(1) IO_FAILED(2) "
			    "IO_FAILED(3) IO_FAILED(4) stopping>idle");
	rdma_pair_fini(&pair);
}

struct fields {
	const struct doca_buf *buf;
	void *head, *data;
	size_t len, data_len;
	uint16_t num_refs;
};

static void fields_step(struct rdma_side *side, void *args)
{
	struct fields *of = args;
	struct doca_buf *buf = (struct doca_buf *)(uintptr_t)of->buf;

	(void)side;
	assert_success(doca_buf_get_head(buf, &of->head));
	assert_success(doca_buf_get_len(buf, &of->len));
	assert_success(doca_buf_get_data(buf, &of->data));
	assert_success(doca_buf_get_data_len(buf, &of->data_len));
	assert_success(doca_buf_get_refcount(buf, &of->num_refs));
}

static struct fields fields_of(struct rdma_side *side, const struct doca_buf *buf)
{
	struct fields fields = { .buf = buf };

	if (buf != NULL)
		rdma_at(side, fields_step, &fields, sizeof(fields));
	return fields;
}

/* added: what was appended. */
static void assert_same(struct rdma_side *side, const struct fields *before, size_t added)
{
	struct fields after = fields_of(side, before->buf);

	assert_ptr_equal(after.head, before->head);
	assert_ptr_equal(after.data, before->data);
	assert_int_equal(after.len, before->len);
	assert_int_equal(after.data_len, before->data_len + added);
	assert_int_equal(after.num_refs, before->num_refs);
}

/* rdma trap 22 */
static void bufs_are_left_as_they_were(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	for (enum kind kind = SEND; kind < NUM_KINDS; kind++) {
		struct bufs bufs = make_bufs(&pair, kind);
		struct fields near = fields_of(&pair.a, bufs.near);
		struct fields remote = fields_of(&pair.a, bufs.remote);
		struct fields receive = fields_of(&pair.b, bufs.receive);

		if (bufs.receive != NULL)
			rdma_submit(&pair.b, rdma_receive_task(&pair.b, bufs.receive, kind));
		rdma_submit(&pair.a, make_task(&pair.a, kind, &bufs));
		rdma_drive(&pair, &pair.a, kind + 1u);

		assert_same(&pair.a, &near, kind == READ ? BLOCK : 0);
		assert_same(&pair.a, &remote, 0);
		if (bufs.receive == NULL)
			continue;
		rdma_drive(&pair, &pair.b, kind == WRITE_IMM ? 3 : kind + 1u);
		assert_same(&pair.b, &receive, kind == WRITE_IMM ? 0 : BLOCK);
	}
	rdma_pair_fini(&pair);
}

/* Frees the only task, asks it, and takes and submits it again. */
static void free_and_go_on(struct heard *heard)
{
	struct rdma_side *side = heard->owner;
	struct doca_rdma_task_receive *task = (struct doca_rdma_task_receive *)(void *)heard->task;
	const struct doca_buf *dst = doca_rdma_task_receive_get_dst_buf(task);

	doca_task_free(heard->task);
	assert_non_null(dst);
	assert_ptr_equal(doca_rdma_task_receive_get_dst_buf(task), dst);
	assert_success(doca_buf_reset_data_len(side->bufs[0]));
	rdma_submit(side, rdma_receive_task(side, side->bufs[0], 1));
}

/* rdma trap 25 */
static void callback_may_free_and_take_again(void **state)
{
	const struct rdma_conf conf = { .num_tasks = 1 };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_heard_of(&pair.b)->on_task = free_and_go_on;
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 8), 1));
	for (uint64_t i = 0; i < 20; i++) {
		rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, i));
		rdma_drive(&pair, &pair.a, (unsigned int)i + 1);
		rdma_drive(&pair, &pair.b, (unsigned int)i + 1);
	}
	rdma_heard_of(&pair.b)->on_task = NULL;
	rdma_pair_fini(&pair);
}

/* rdma trap 26 */
static void pool_limits_its_tasks(void **state)
{
	const struct rdma_conf conf = { .num_tasks = 3 };
	struct doca_rdma_task_send *fourth;
	struct doca_task *tasks[3];
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (uint64_t i = 0; i < 3; i++)
		tasks[i] = rdma_send_task(&pair.a, NULL, i);
	assert_error(doca_rdma_task_send_allocate_init(pair.a.rdma, pair.a.conn, NULL,
						       (union doca_data){ .u64 = 3 }, &fourth),
		     DOCA_ERROR_NO_MEMORY);
	doca_task_free(tasks[1]);
	tasks[1] = rdma_send_task(&pair.a, NULL, 3);
	for (size_t i = 0; i < 3; i++)
		doca_task_free(tasks[i]);
	rdma_pair_fini(&pair);
}

#define NUM_ELEMENTS 3

/* A list whose elements are of a mmap each, over parts of the side's memory. */
struct spread {
	size_t lens[NUM_ELEMENTS];
	bool has_data;
	struct doca_mmap *mmaps[NUM_ELEMENTS];
	struct doca_buf *bufs[NUM_ELEMENTS];
};

static void spread_step(struct rdma_side *side, void *args)
{
	struct spread *of = args;

	for (size_t i = 0; i < NUM_ELEMENTS; i++) {
		char *at = side->bytes + 100 * i;

		of->mmaps[i] =
		    fixture_mmap_create(side->dev, at, 100, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		assert_success(doca_buf_inventory_buf_get_by_args(
		    side->inventory, of->mmaps[i], at, of->lens[i], at,
		    of->has_data ? of->lens[i] : 0, &of->bufs[i]));
		if (i > 0)
			assert_success(doca_buf_chain_list(of->bufs[0], of->bufs[i]));
	}
}

static void gather_step(struct rdma_side *side, void *args)
{
	struct spread *of = args;

	(void)side;
	fixture_buf_put(of->bufs[0]);
	for (size_t i = 0; i < NUM_ELEMENTS; i++)
		fixture_mmap_destroy(of->mmaps[i]);
}

/* rdma trap 21 */
static void elements_may_be_of_several_mmaps(void **state)
{
	struct spread from = { .lens = { 7, 0, 13 }, .has_data = true };
	struct spread to = { .lens = { 4, 1, 30 } };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memcpy(pair.a.bytes, "1234567", 7);
	memcpy(pair.a.bytes + 200, "8901234567890", 13);
	rdma_at(&pair.a, spread_step, &from, sizeof(from));
	rdma_at(&pair.b, spread_step, &to, sizeof(to));

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, to.bufs[0], 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, from.bufs[0], 2));

	rdma_hears(&pair.a, "ok(2)");
	rdma_hears(&pair.b, "ok(1)");
	assert_string_equal(pair.b.bytes, "1234");
	assert_string_equal(pair.b.bytes + 100, "5");
	assert_string_equal(pair.b.bytes + 200, "678901234567890");
	rdma_at(&pair.a, gather_step, &from, sizeof(from));
	rdma_at(&pair.b, gather_step, &to, sizeof(to));
	rdma_pair_fini(&pair);
}

/* Lines about rights of the context's own; a backend lives until the process ends. */
static struct {
	char line[4096];
	unsigned int count; /* atomic: the engine's thread logs, too */
	struct doca_log_backend *backend;
} told;

static void count_told(char *line)
{
	if (strstr(line, "its own permissions") != NULL)
		__atomic_fetch_add(&told.count, 1, __ATOMIC_RELAXED);
}

static unsigned int num_told(void)
{
	return __atomic_load_n(&told.count, __ATOMIC_RELAXED);
}

static void hear_of_rights(enum doca_log_level level)
{
	if (told.backend == NULL)
		assert_success(doca_log_backend_create_with_buf_sdk(told.line, sizeof(told.line),
								    count_told, &told.backend));
	assert_success(doca_log_backend_set_sdk_level(told.backend, level));
}

/* A write to, and a read from, the other side. */
static void reach_over(struct rdma_pair *pair)
{
	rdma_submit(&pair->a, rdma_write_task(&pair->a, rdma_data(&pair->a, 0, 8),
					      rdma_remote_buf(&pair->a, &pair->b, 0, 8, 0), 1));
	rdma_submit(&pair->a, rdma_read_task(&pair->a, rdma_remote_buf(&pair->a, &pair->b, 0, 8, 8),
					     rdma_room(&pair->a, 8, 8), 2));
	rdma_hears(&pair->a, "ok(1) ok(2)");
}

static void missing_rights_of_its_own_are_told_once(void **state)
{
	struct rdma_pair pair;

	(void)state;
	told.count = 0;
	rdma_pair_init(&pair, NULL);
	hear_of_rights(DOCA_LOG_LEVEL_INFO);
	reach_over(&pair);
	assert_int_equal(num_told(), 0);
	assert_success(rdma_stop(&pair.a));
	rdma_heard(&pair.a, "running>stopping stopping>idle");
	assert_success(doca_rdma_set_permissions(pair.a.rdma, 0));
	rdma_side_start(&pair.a);
	assert_success(rdma_disconnect(&pair.b, pair.b.conn));
	rdma_connect(&pair.a, &pair.b, &pair.a.conn, &pair.b.conn);

	reach_over(&pair);
	assert_int_equal(num_told(), 2); /* for the write, and for the read */
	reach_over(&pair);
	assert_int_equal(num_told(), 2);

	hear_of_rights(DOCA_LOG_LEVEL_DISABLE);
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(callbacks_come_from_progress),
		RDMA_TEST(bufs_are_left_as_they_were),
		RDMA_TEST(callback_may_free_and_take_again),
		RDMA_TEST(pool_limits_its_tasks),
		RDMA_TEST(elements_may_be_of_several_mmaps),
		RDMA_TEST_ALONE(missing_rights_of_its_own_are_told_once),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
