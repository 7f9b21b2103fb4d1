/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_rig.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define DEFAULT_LEN ((size_t)64 * 1024)

static const struct rdma_conf defaults;

static void configure_tasks(struct rdma_side *side, uint32_t n)
{
	const doca_task_completion_cb_t ok = heard_on_success, error = heard_on_error;

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
	assert_success(doca_rdma_set_transport_type(side->rdma, conf->transport));
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
		configure_tasks(side, conf->num_tasks != 0 ? conf->num_tasks : RDMA_RIG_NUM_TASKS);
}

void rdma_side_init(struct rdma_side *side, const struct rdma_conf *conf)
{
	if (conf == NULL)
		conf = &defaults;
	memset(side, 0, sizeof(*side));
	side->dev = fixture_dev_open();
	side->len = conf->len != 0 ? conf->len : DEFAULT_LEN;
	side->bytes = conf->bytes;
	side->has_own_bytes = conf->bytes == NULL;
	if (side->has_own_bytes)
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

void rdma_at(struct rdma_side *side, rdma_step_t step, void *args, size_t len)
{
	if (side->far != NULL)
		rdma_far_call(side->far, step, args, len);
	else
		step(side, args);
}

/* What runs meanwhile, when there is no other process. */
static struct {
	pthread_t thread;
	struct rdma_side *side; /* NULL: nothing */
	rdma_step_t step;
	unsigned char args[RDMA_FAR_ARGS_BYTES];
} meanwhile;

static void *run_meanwhile(void *unused)
{
	(void)unused;
	meanwhile.side->heard.thread = pthread_self();
	meanwhile.step(meanwhile.side, meanwhile.args);
	return NULL;
}

void rdma_meanwhile(struct rdma_side *side, rdma_step_t step, void *args, size_t len)
{
	if (side->far != NULL) {
		rdma_far_start(side->far, step, args, len);
		return;
	}
	assert_true(len <= sizeof(meanwhile.args));
	meanwhile.side = side;
	meanwhile.step = step;
	if (len > 0)
		memcpy(meanwhile.args, args, len);
	assert_int_equal(pthread_create(&meanwhile.thread, NULL, run_meanwhile, NULL), 0);
}

void rdma_join(void)
{
	if (meanwhile.side == NULL) {
		rdma_far_wait(NULL, 0);
		return;
	}
	assert_int_equal(pthread_join(meanwhile.thread, NULL), 0);
	meanwhile.side->heard.thread = pthread_self();
	meanwhile.side = NULL;
}

static void init_step(struct rdma_side *side, void *conf)
{
	rdma_side_init(side, conf);
}

void rdma_peer_init(struct rdma_side *side, const struct rdma_conf *conf)
{
	struct rdma_conf theirs = conf != NULL ? *conf : defaults;

	if (!rdma_far_is_there()) {
		rdma_side_init(side, conf);
		return;
	}
	memset(side, 0, sizeof(*side));
	side->far = rdma_far_alloc(sizeof(*side->far));
	side->len = theirs.len != 0 ? theirs.len : DEFAULT_LEN;
	side->bytes = rdma_far_alloc(side->len);
	theirs.bytes = side->bytes;
	rdma_far_call(side->far, init_step, &theirs, sizeof(theirs));
}

static void start_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	assert_success(doca_ctx_start(side->ctx));
	assert_heard(&side->heard, "idle>running");
}

void rdma_side_start(struct rdma_side *side)
{
	rdma_at(side, start_step, NULL, 0);
}

static void put_bufs_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	while (side->num_bufs > 0)
		fixture_buf_put(side->bufs[--side->num_bufs]);
}

void rdma_put_bufs(struct rdma_side *side)
{
	rdma_at(side, put_bufs_step, NULL, 0);
}

static void fini_step(struct rdma_side *side, void *unused)
{
	(void)unused;
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
	if (side->has_own_bytes)
		free(side->bytes);
}

void rdma_side_fini(struct rdma_side *side)
{
	rdma_at(side, fini_step, NULL, 0);
}

static void set_conn_step(struct rdma_side *side, void *args)
{
	side->conn = *(struct doca_rdma_connection **)args;
}

void rdma_set_conn(struct rdma_side *side, struct doca_rdma_connection *conn)
{
	side->conn = conn;
	rdma_at(side, set_conn_step, &conn, sizeof(conn));
}

struct export_args {
	struct rdma_blob blob;
	struct doca_rdma_connection *conn;
};

static void take_blob(struct rdma_blob *blob, const void *bytes, size_t len)
{
	assert_true(len <= sizeof(blob->bytes));
	memcpy(blob->bytes, bytes, len);
	blob->len = len;
}

static void export_step(struct rdma_side *side, void *args)
{
	struct export_args *to = args;
	const void *bytes;
	size_t len;

	assert_success(doca_rdma_export(side->rdma, &bytes, &len, &to->conn));
	take_blob(&to->blob, bytes, len);
}

void rdma_export(struct rdma_side *side, struct rdma_blob *blob, struct doca_rdma_connection **conn)
{
	struct export_args args = { .conn = NULL };

	rdma_at(side, export_step, &args, sizeof(args));
	*blob = args.blob;
	*conn = args.conn;
	if (conn == &side->conn)
		rdma_set_conn(side, args.conn);
}

struct connect_args {
	const struct rdma_blob blob;
	struct doca_rdma_connection *conn;
	doca_error_t result;
};

static void connect_step(struct rdma_side *side, void *args)
{
	struct connect_args *with = args;

	with->result = doca_rdma_connect(side->rdma, with->blob.bytes, with->blob.len, with->conn);
}

doca_error_t rdma_connect_to(struct rdma_side *side, const struct rdma_blob *blob,
			     struct doca_rdma_connection *conn)
{
	struct connect_args args = { .blob = *blob, .conn = conn };

	rdma_at(side, connect_step, &args, sizeof(args));
	return args.result;
}

void rdma_connect(struct rdma_side *a, struct rdma_side *b, struct doca_rdma_connection **a_conn,
		  struct doca_rdma_connection **b_conn)
{
	struct rdma_blob a_blob, b_blob;

	rdma_export(a, &a_blob, a_conn);
	rdma_export(b, &b_blob, b_conn);
	assert_success(rdma_connect_to(a, &b_blob, *a_conn));
	assert_success(rdma_connect_to(b, &a_blob, *b_conn));
}

static void disconnect_step(struct rdma_side *side, void *args)
{
	struct connect_args *with = args;

	(void)side;
	with->result = doca_rdma_connection_disconnect(with->conn);
}

doca_error_t rdma_disconnect(struct rdma_side *side, struct doca_rdma_connection *conn)
{
	struct connect_args args = { .conn = conn };

	rdma_at(side, disconnect_step, &args, sizeof(args));
	return args.result;
}

static void stop_step(struct rdma_side *side, void *args)
{
	*(doca_error_t *)args = doca_ctx_stop(side->ctx);
}

doca_error_t rdma_stop(struct rdma_side *side)
{
	doca_error_t result = DOCA_SUCCESS;

	rdma_at(side, stop_step, &result, sizeof(result));
	return result;
}

static void export_memory_step(struct rdma_side *side, void *args)
{
	const void *bytes;
	size_t len;

	assert_success(doca_mmap_export_rdma(side->mmap, side->dev, &bytes, &len));
	take_blob(args, bytes, len);
}

void rdma_export_memory(struct rdma_side *side, struct rdma_blob *blob)
{
	rdma_at(side, export_memory_step, blob, sizeof(*blob));
}

struct import_args {
	struct rdma_blob blob;
	struct doca_mmap *imported;
};

static void import_step(struct rdma_side *side, void *args)
{
	struct import_args *with = args;

	assert_success(doca_mmap_create_from_export(NULL, with->blob.bytes, with->blob.len,
						    side->dev, &with->imported));
	if (side->remote == NULL)
		side->remote = with->imported;
}

struct doca_mmap *rdma_import(struct rdma_side *side, struct rdma_side *other)
{
	struct import_args args = { .imported = NULL };

	rdma_export_memory(other, &args.blob);
	rdma_at(side, import_step, &args, sizeof(args));
	return args.imported;
}

static void stop_memory_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	assert_success(doca_mmap_stop(side->mmap));
}

void rdma_stop_memory(struct rdma_side *side)
{
	rdma_at(side, stop_memory_step, NULL, 0);
}

void rdma_pair_start(struct rdma_pair *pair, const struct rdma_conf *conf)
{
	rdma_side_init(&pair->a, conf);
	rdma_peer_init(&pair->b, conf);
	rdma_side_start(&pair->a);
	rdma_side_start(&pair->b);
}

void rdma_pair_init(struct rdma_pair *pair, const struct rdma_conf *conf)
{
	rdma_pair_start(pair, conf);
	rdma_connect(&pair->a, &pair->b, &pair->a.conn, &pair->b.conn);
	if (conf != NULL && conf->mmap_rights != 0 &&
	    (conf->mmap_rights & ~(uint32_t)DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == 0)
		return; /* nothing that could be exported */
	(void)rdma_import(&pair->a, &pair->b);
	(void)rdma_import(&pair->b, &pair->a);
}

void rdma_pair_fini(struct rdma_pair *pair)
{
	rdma_side_fini(&pair->a);
	rdma_side_fini(&pair->b);
}

static const struct {
	const char *name;
	const char *sockets;
	bool has_far;
} kinds[] = {
	{ "unix", "unix", false },    { "stream", "unix,stream", false }, { "tcp", "tcp", false },
	{ "two-unix", "unix", true }, { "two-tcp", "tcp", true },
};

#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool is_full;

static bool has_sockets(const char *which)
{
	const char *value = getenv("DOCA_RDMA_SOCKETS");

	return value != NULL && strcmp(value, which) == 0;
}

bool rdma_is_over_tcp(void)
{
	return has_sockets("tcp");
}

bool rdma_is_pulling(void)
{
	return has_sockets("unix");
}

unsigned int rdma_rounds(unsigned int normal, unsigned int full)
{
	return is_full ? full : normal;
}

static int begin(void **state)
{
	size_t kind = (uintptr_t)*state;

	if (setenv("DOCA_RDMA_SOCKETS", kinds[kind].sockets, 1) != 0 ||
	    unsetenv("DOCA_RDMA_SOCKET_BUFFER") != 0 ||
	    unsetenv("DOCA_RDMA_CONNECT_WAIT_MS") != 0 || unsetenv("DOCA_RDMA_MAX_INITIATORS") != 0)
		return -1;
	if (test_begin(state) != 0)
		return -1;
	if (kinds[kind].has_far)
		rdma_far_begin();
	return 0;
}

static int end(void **state)
{
	rdma_far_end();
	return test_end(state);
}

/* The tests of all kinds, n of them. owned: free(), and their names. */
static struct CMUnitTest *all_tests(const struct rdma_test *tests, size_t num_tests, size_t *n)
{
	struct CMUnitTest *all = calloc(num_tests * NUM_KINDS, sizeof(*all));

	assert_non_null(all);
	*n = 0;
	for (size_t i = 0; i < num_tests * NUM_KINDS; i++) {
		const struct rdma_test *test = &tests[i % num_tests];
		size_t kind = i / num_tests;
		char *name = NULL;

		if ((test->is_alone && kinds[kind].has_far) ||
		    (test->is_tcp && strcmp(kinds[kind].sockets, "tcp") != 0))
			continue;
		if (asprintf(&name, "%s:%s", kinds[kind].name, test->name) < 0)
			abort();
		all[(*n)++] = (struct CMUnitTest){
			.name = name,
			.test_func = test->function,
			.setup_func = begin,
			.teardown_func = end,
			.initial_state = (void *)(uintptr_t)kind,
		};
	}
	return all;
}

int rdma_run(const struct rdma_test *tests, size_t num_tests, int argc, char **argv)
{
	struct CMUnitTest *all;
	size_t num_all;
	int result;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--full") == 0)
			is_full = true;
		else
			cmocka_set_test_filter(argv[i]);
	}
	all = all_tests(tests, num_tests, &num_all);
	result = _cmocka_run_group_tests("rdma", all, num_all, NULL, NULL);
	for (size_t i = 0; i < num_all; i++)
		free((char *)(uintptr_t)all[i].name);
	free(all);
	return result;
}
