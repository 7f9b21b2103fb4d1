/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define PATIENCE_NS UINT64_C(20000000000)

#define DEFAULT_LEN ((size_t)64 * 1024)

static const struct rdma_conf defaults;

static void configure_tasks(struct rdma_side *side)
{
	const doca_task_completion_cb_t ok = heard_on_success, error = heard_on_error;
	const uint32_t n = RDMA_RIG_NUM_TASKS;

	/* A task is its own base, so the callbacks of any task do. */
	assert_success(
	    doca_rdma_task_receive_set_conf(side->rdma, (doca_rdma_task_receive_completion_cb_t)ok,
					    (doca_rdma_task_receive_completion_cb_t)error, n));
	assert_success(doca_rdma_task_send_set_conf(side->rdma,
						    (doca_rdma_task_send_completion_cb_t)ok,
						    (doca_rdma_task_send_completion_cb_t)error, n));
	assert_success(doca_rdma_task_send_imm_set_conf(
	    side->rdma, (doca_rdma_task_send_imm_completion_cb_t)ok,
	    (doca_rdma_task_send_imm_completion_cb_t)error, n));
	assert_success(doca_rdma_task_read_set_conf(side->rdma,
						    (doca_rdma_task_read_completion_cb_t)ok,
						    (doca_rdma_task_read_completion_cb_t)error, n));
	assert_success(
	    doca_rdma_task_write_set_conf(side->rdma, (doca_rdma_task_write_completion_cb_t)ok,
					  (doca_rdma_task_write_completion_cb_t)error, n));
	assert_success(doca_rdma_task_write_imm_set_conf(
	    side->rdma, (doca_rdma_task_write_imm_completion_cb_t)ok,
	    (doca_rdma_task_write_imm_completion_cb_t)error, n));
}

static void configure(struct rdma_side *side, const struct rdma_conf *conf)
{
	assert_success(doca_rdma_set_permissions(
	    side->rdma, conf->ctx_rights != 0 ? conf->ctx_rights : RDMA_RIG_RIGHTS));
	assert_success(doca_rdma_set_max_num_connections(
	    side->rdma, conf->max_conns != 0 ? conf->max_conns : 1));
	if (conf->send_queue_size != 0)
		assert_success(doca_rdma_set_send_queue_size(side->rdma, conf->send_queue_size));
	if (conf->list_len != 0) {
		assert_success(doca_rdma_set_max_send_buf_list_len(side->rdma, conf->list_len));
		assert_success(
		    doca_rdma_task_receive_set_dst_buf_list_len(side->rdma, conf->list_len));
	}
	if (conf->has_rnr)
		assert_success(doca_rdma_set_rnr_retry_count(side->rdma, conf->rnr_retry_count));
	if (!conf->has_no_tasks)
		configure_tasks(side);
}

void rdma_side_init(struct rdma_side *side, const struct rdma_conf *conf)
{
	if (conf == NULL)
		conf = &defaults;
	memset(side, 0, sizeof(*side));
	side->dev = fixture_dev_open();
	side->len = conf->len != 0 ? conf->len : DEFAULT_LEN;
	side->bytes = calloc(1, side->len);
	assert_non_null(side->bytes);
	side->mmap =
	    fixture_mmap_create(side->dev, side->bytes, side->len,
				conf->mmap_rights != 0 ? conf->mmap_rights : RDMA_RIG_RIGHTS);
	side->inventory = fixture_inventory_create(RDMA_RIG_NUM_BUFS);
	assert_success(doca_pe_create(&side->pe));
	assert_success(doca_rdma_create(side->dev, &side->rdma));
	side->ctx = doca_rdma_as_ctx(side->rdma);
	heard_init(&side->heard, side->ctx);
	side->heard.owner = side;
	configure(side, conf);
	assert_success(doca_pe_connect_ctx(side->pe, side->ctx));
}

void rdma_side_start(struct rdma_side *side)
{
	assert_success(doca_ctx_start(side->ctx));
	assert_heard(&side->heard, "idle>running");
}

void rdma_put_bufs(struct rdma_side *side)
{
	while (side->num_bufs > 0)
		fixture_buf_put(side->bufs[--side->num_bufs]);
}

void rdma_side_fini(struct rdma_side *side)
{
	if (side->rdma != NULL) {
		(void)doca_ctx_stop(side->ctx); /* or it stops already; what counts is the end */
		fixture_progress_to(side->pe, side->ctx, DOCA_CTX_STATE_IDLE);
		assert_success(doca_rdma_destroy(side->rdma));
	}
	assert_success(doca_pe_destroy(side->pe));
	rdma_put_bufs(side);
	fixture_inventory_destroy(side->inventory);
	if (side->remote != NULL)
		assert_success(doca_mmap_destroy(side->remote));
	fixture_mmap_destroy(side->mmap);
	assert_success(doca_dev_close(side->dev));
	free(side->bytes);
}

void rdma_connect(struct rdma_side *a, struct rdma_side *b, struct doca_rdma_connection **a_conn,
		  struct doca_rdma_connection **b_conn)
{
	const void *a_blob, *b_blob;
	size_t a_len, b_len;

	assert_success(doca_rdma_export(a->rdma, &a_blob, &a_len, a_conn));
	assert_success(doca_rdma_export(b->rdma, &b_blob, &b_len, b_conn));
	assert_success(doca_rdma_connect(a->rdma, b_blob, b_len, *a_conn));
	assert_success(doca_rdma_connect(b->rdma, a_blob, a_len, *b_conn));
}

struct doca_mmap *rdma_import(struct rdma_side *side, const struct rdma_side *other)
{
	struct doca_mmap *imported;
	const void *blob;
	size_t len;

	assert_success(doca_mmap_export_rdma(other->mmap, other->dev, &blob, &len));
	assert_success(doca_mmap_create_from_export(NULL, blob, len, side->dev, &imported));
	return imported;
}

void rdma_pair_init(struct rdma_pair *pair, const struct rdma_conf *conf)
{
	rdma_side_init(&pair->a, conf);
	rdma_side_init(&pair->b, conf);
	rdma_side_start(&pair->a);
	rdma_side_start(&pair->b);
	rdma_connect(&pair->a, &pair->b, &pair->a.conn, &pair->b.conn);
	if (conf != NULL && conf->mmap_rights != 0 &&
	    (conf->mmap_rights & ~(uint32_t)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == 0)
		return; /* nothing that could be exported */
	pair->a.remote = rdma_import(&pair->a, &pair->b);
	pair->b.remote = rdma_import(&pair->b, &pair->a);
}

void rdma_pair_fini(struct rdma_pair *pair)
{
	rdma_side_fini(&pair->a);
	rdma_side_fini(&pair->b);
}

static struct doca_buf *keep(struct rdma_side *side, struct doca_buf *buf)
{
	assert_true(side->num_bufs < RDMA_RIG_NUM_BUFS);
	side->bufs[side->num_bufs++] = buf;
	return buf;
}

struct doca_buf *rdma_buf(struct rdma_side *side, size_t offset, size_t len, size_t data_offset,
			  size_t data_len)
{
	char *head = side->bytes + offset;
	struct doca_buf *buf;

	assert_success(doca_buf_inventory_buf_get_by_args(side->inventory, side->mmap, head, len,
							  head + data_offset, data_len, &buf));
	return keep(side, buf);
}

struct doca_buf *rdma_remote_buf(struct rdma_side *side, const struct rdma_side *other,
				 size_t offset, size_t len, size_t data_len)
{
	char *head = other->bytes + offset;
	struct doca_buf *buf;

	assert_success(doca_buf_inventory_buf_get_by_args(side->inventory, side->remote, head, len,
							  head, data_len, &buf));
	return keep(side, buf);
}

struct doca_buf *rdma_data(struct rdma_side *side, size_t offset, size_t len)
{
	return rdma_buf(side, offset, len, 0, len);
}

struct doca_buf *rdma_room(struct rdma_side *side, size_t offset, size_t len)
{
	return rdma_buf(side, offset, len, 0, 0);
}

static union doca_data data_of(uint64_t number)
{
	return (union doca_data){ .u64 = number };
}

struct doca_task *rdma_receive_task(struct rdma_side *side, struct doca_buf *dst, uint64_t number)
{
	struct doca_rdma_task_receive *task;

	assert_success(
	    doca_rdma_task_receive_allocate_init(side->rdma, dst, data_of(number), &task));
	return doca_rdma_task_receive_as_task(task);
}

struct doca_task *rdma_send_task(struct rdma_side *side, const struct doca_buf *src,
				 uint64_t number)
{
	struct doca_rdma_task_send *task;

	assert_success(
	    doca_rdma_task_send_allocate_init(side->rdma, side->conn, src, data_of(number), &task));
	return doca_rdma_task_send_as_task(task);
}

struct doca_task *rdma_send_imm_task(struct rdma_side *side, const struct doca_buf *src,
				     doca_be32_t imm, uint64_t number)
{
	struct doca_rdma_task_send_imm *task;

	assert_success(doca_rdma_task_send_imm_allocate_init(side->rdma, side->conn, src, imm,
							     data_of(number), &task));
	return doca_rdma_task_send_imm_as_task(task);
}

struct doca_task *rdma_read_task(struct rdma_side *side, const struct doca_buf *src,
				 struct doca_buf *dst, uint64_t number)
{
	struct doca_rdma_task_read *task;

	assert_success(doca_rdma_task_read_allocate_init(side->rdma, side->conn, src, dst,
							 data_of(number), &task));
	return doca_rdma_task_read_as_task(task);
}

struct doca_task *rdma_write_task(struct rdma_side *side, const struct doca_buf *src,
				  struct doca_buf *dst, uint64_t number)
{
	struct doca_rdma_task_write *task;

	assert_success(doca_rdma_task_write_allocate_init(side->rdma, side->conn, src, dst,
							  data_of(number), &task));
	return doca_rdma_task_write_as_task(task);
}

struct doca_task *rdma_write_imm_task(struct rdma_side *side, const struct doca_buf *src,
				      struct doca_buf *dst, doca_be32_t imm, uint64_t number)
{
	struct doca_rdma_task_write_imm *task;

	assert_success(doca_rdma_task_write_imm_allocate_init(side->rdma, side->conn, src, dst, imm,
							      data_of(number), &task));
	return doca_rdma_task_write_imm_as_task(task);
}

struct doca_task *rdma_submit(struct doca_task *task)
{
	assert_success(doca_task_submit(task));
	return task;
}

void rdma_drive(struct rdma_pair *pair, const struct rdma_side *side, unsigned int num_words)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (side->heard.num_words < num_words) {
		if (test_now_ns() > end)
			fail_msg("%u words, not %u: %s", side->heard.num_words, num_words,
				 side->heard.text);
		(void)doca_pe_progress(pair->a.pe);
		(void)doca_pe_progress(pair->b.pe);
	}
}

size_t rdma_data_len(const struct doca_buf *buf)
{
	size_t data_len;

	assert_success(doca_buf_get_data_len(buf, &data_len));
	return data_len;
}

static const struct {
	const char *name;
	const char *value;
} kinds[] = {
	{ "unix", "unix" },
	{ "stream", "unix,stream" },
	{ "tcp", "tcp" },
};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

bool rdma_is_over_tcp(void)
{
	const char *value = getenv("DOCA_RDMA_SOCKETS");

	return value != NULL && strcmp(value, "tcp") == 0;
}

static int begin(void **state)
{
	const char *value = *state;

	if (setenv("DOCA_RDMA_SOCKETS", value, 1) != 0 ||
	    unsetenv("DOCA_RDMA_SOCKET_BUFFER") != 0 || unsetenv("DOCA_RDMA_CONNECT_WAIT_MS") != 0)
		return -1;
	return test_begin(state);
}

int rdma_run(const struct rdma_test *tests, size_t num_tests)
{
	struct CMUnitTest *all = calloc(num_tests * NUM_KINDS, sizeof(*all));
	int result;

	if (all == NULL)
		return 1;
	for (size_t i = 0; i < num_tests * NUM_KINDS; i++) {
		const struct rdma_test *test = &tests[i % num_tests];
		char *name = NULL;

		if (asprintf(&name, "%s:%s", kinds[i / num_tests].name, test->name) < 0)
			abort();
		all[i] = (struct CMUnitTest){
			.name = name,
			.test_func = test->function,
			.setup_func = begin,
			.teardown_func = test_end,
			.initial_state = (void *)(uintptr_t)kinds[i / num_tests].value,
		};
	}
	result = _cmocka_run_group_tests("rdma", all, num_tests * NUM_KINDS, NULL, NULL);
	for (size_t i = 0; i < num_tests * NUM_KINDS; i++)
		free((char *)(uintptr_t)all[i].name);
	free(all);
	return result;
}
