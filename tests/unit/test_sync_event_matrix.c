/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What every call on a sync event answers in every state of it: one table, of which each cell is
 * tried on an event of its own. A refusal must log one line and leave every byte of it alone.
 */

#include <string.h>

#include "core/sync_event.h"
#include "fixture.h"
#include "sync_rig.h"
#include "test.h"

enum state {
	NEW,
	CONFIGURED,
	SELF_STARTED,
	SELF_STOPPED,
	CTX_IDLE,
	CTX_RUNNING,
	CTX_STOPPING,
	NUM_STATES,
};

struct scene {
	struct fixture_memory memory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;
	struct doca_pe *pe;
	struct doca_sync_event *event;
	struct doca_task *held; /* holds CTX_STOPPING */
	struct doca_task *made; /* by the call */
	uint64_t cell;          /* for the call */
};

static void *const nothing = &(char){ 0 };

/* --- the calls --- */

static doca_error_t call_add_pub_cpu(struct scene *scene)
{
	return doca_sync_event_add_publisher_location_cpu(scene->event, scene->memory.dev);
}

static doca_error_t call_add_sub_cpu(struct scene *scene)
{
	return doca_sync_event_add_subscriber_location_cpu(scene->event, scene->memory.dev);
}

static doca_error_t call_add_pub_net(struct scene *scene)
{
	return doca_sync_event_add_publisher_location_remote_net(scene->event);
}

static doca_error_t call_add_pub_pci(struct scene *scene)
{
	return doca_sync_event_add_publisher_location_remote_pci(scene->event);
}

static doca_error_t call_add_sub_pci(struct scene *scene)
{
	return doca_sync_event_add_subscriber_location_remote_pci(scene->event);
}

static doca_error_t call_add_pub_dpa(struct scene *scene)
{
	return doca_sync_event_add_publisher_location_dpa(scene->event, nothing);
}

static doca_error_t call_add_sub_dpa(struct scene *scene)
{
	return doca_sync_event_add_subscriber_location_dpa(scene->event, nothing);
}

static doca_error_t call_add_pub_gpu(struct scene *scene)
{
	return doca_sync_event_add_publisher_location_gpu(scene->event, nothing);
}

static doca_error_t call_add_sub_gpu(struct scene *scene)
{
	return doca_sync_event_add_subscriber_location_gpu(scene->event, nothing);
}

static doca_error_t call_set_addr(struct scene *scene)
{
	return doca_sync_event_set_addr(scene->event, &scene->cell);
}

static doca_error_t call_set_bad_addr(struct scene *scene)
{
	return doca_sync_event_set_addr(scene->event, (uint64_t *)((uintptr_t)&scene->cell + 4));
}

static doca_error_t call_set_buf(struct scene *scene)
{
	return doca_sync_event_set_doca_buf(scene->event, scene->buf);
}

static doca_error_t call_start(struct scene *scene)
{
	return doca_sync_event_start(scene->event);
}

static doca_error_t call_stop(struct scene *scene)
{
	return doca_sync_event_stop(scene->event);
}

/* It can only say NULL, which is counted as BAD_STATE. */
static doca_error_t call_as_ctx(struct scene *scene)
{
	return doca_sync_event_as_ctx(scene->event) != NULL ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE;
}

static doca_error_t call_destroy(struct scene *scene)
{
	doca_error_t result = doca_sync_event_destroy(scene->event);

	if (result == DOCA_SUCCESS)
		scene->event = NULL;
	return result;
}

static doca_error_t call_set_conf_get(struct scene *scene)
{
	return sync_calls[SYNC_GET].set_conf(scene->event, heard_on_success, heard_on_error, 2);
}

static doca_error_t call_set_conf_set(struct scene *scene)
{
	return sync_calls[SYNC_SET].set_conf(scene->event, heard_on_success, heard_on_error, 2);
}

static doca_error_t call_set_conf_add(struct scene *scene)
{
	return sync_calls[SYNC_ADD].set_conf(scene->event, heard_on_success, heard_on_error, 2);
}

static doca_error_t call_set_conf_eq(struct scene *scene)
{
	return sync_calls[SYNC_WAIT_EQ].set_conf(scene->event, heard_on_success, heard_on_error, 2);
}

static doca_error_t call_set_conf_neq(struct scene *scene)
{
	return sync_calls[SYNC_WAIT_NEQ].set_conf(scene->event, heard_on_success, heard_on_error,
						  2);
}

static doca_error_t call_set_conf_0(struct scene *scene)
{
	return sync_calls[SYNC_GET].set_conf(scene->event, heard_on_success, heard_on_error, 0);
}

static doca_error_t alloc(struct scene *scene, enum sync_kind kind)
{
	const struct sync_args args = { .result = &scene->cell };

	return sync_calls[kind].alloc(scene->event, &args, (union doca_data){ .u64 = 0 },
				      &scene->made);
}

static doca_error_t call_alloc_get(struct scene *scene)
{
	return alloc(scene, SYNC_GET);
}

static doca_error_t call_alloc_set(struct scene *scene)
{
	return alloc(scene, SYNC_SET);
}

static doca_error_t call_alloc_add(struct scene *scene)
{
	return alloc(scene, SYNC_ADD);
}

static doca_error_t call_alloc_eq(struct scene *scene)
{
	return alloc(scene, SYNC_WAIT_EQ);
}

static doca_error_t call_alloc_neq(struct scene *scene)
{
	return alloc(scene, SYNC_WAIT_NEQ);
}

static doca_error_t call_get(struct scene *scene)
{
	return doca_sync_event_get(scene->event, &scene->cell);
}

static doca_error_t call_set(struct scene *scene)
{
	return doca_sync_event_update_set(scene->event, 1);
}

static doca_error_t call_add(struct scene *scene)
{
	return doca_sync_event_update_add(scene->event, 1, &scene->cell);
}

/* None of these waits: the number is 0 at first. */

static void make_number_1(struct scene *scene)
{
	scene->event->own_cell = 1;
}

static doca_error_t call_wait_gt(struct scene *scene)
{
	make_number_1(scene);
	return doca_sync_event_wait_gt(scene->event, 0, UINT64_MAX);
}

static doca_error_t call_wait_gt_yield(struct scene *scene)
{
	make_number_1(scene);
	return doca_sync_event_wait_gt_yield(scene->event, 0, UINT64_MAX);
}

static doca_error_t call_wait_eq(struct scene *scene)
{
	return doca_sync_event_wait_eq(scene->event, 0, UINT64_MAX);
}

static doca_error_t call_wait_eq_yield(struct scene *scene)
{
	return doca_sync_event_wait_eq_yield(scene->event, 0, UINT64_MAX);
}

static doca_error_t call_wait_neq(struct scene *scene)
{
	return doca_sync_event_wait_neq(scene->event, 1, UINT64_MAX);
}

static doca_error_t call_wait_neq_yield(struct scene *scene)
{
	return doca_sync_event_wait_neq_yield(scene->event, 1, UINT64_MAX);
}

static doca_error_t call_export(struct scene *scene)
{
	const uint8_t *data;
	size_t size;

	return doca_sync_event_export_to_remote_net(scene->event, &data, &size);
}

static doca_error_t call_export_pci(struct scene *scene)
{
	const uint8_t *data;
	size_t size;

	return doca_sync_event_export_to_remote_pci(scene->event, scene->memory.dev, &data, &size);
}

static doca_error_t call_dpa_handle(struct scene *scene)
{
	doca_dpa_dev_sync_event_t handle;

	return doca_sync_event_get_dpa_handle(scene->event, nothing, &handle);
}

static doca_error_t call_gpu_handle(struct scene *scene)
{
	doca_gpu_dev_sync_event_t *handle;

	return doca_sync_event_get_gpu_handle(scene->event, nothing, &handle);
}

/* --- the table --- */

#define OK DOCA_SUCCESS
#define BS DOCA_ERROR_BAD_STATE
#define IU DOCA_ERROR_IN_USE
#define IV DOCA_ERROR_INVALID_VALUE
#define NP DOCA_ERROR_NOT_PERMITTED
#define NS DOCA_ERROR_NOT_SUPPORTED

/* clang-format off */
static const struct {
	const char *name;
	doca_error_t (*call)(struct scene *scene);
	doca_error_t expected[NUM_STATES];
	const char *part; /* of the line that a refusal logs */
} rows[] = {
	/*                                               new  started   ctx idle  stopping */
	/*                                                 conf.    stopped   running      */
	{ "add publisher cpu",     call_add_pub_cpu,   { OK, OK, BS, OK, OK, BS, BS }, "publisher_location_cpu" },
	{ "add subscriber cpu",    call_add_sub_cpu,   { OK, OK, BS, OK, OK, BS, BS }, "subscriber_location_cpu" },
	{ "add publisher net",     call_add_pub_net,   { OK, OK, BS, OK, OK, BS, BS }, "remote_net" },
	{ "add publisher pci",     call_add_pub_pci,   { OK, OK, BS, OK, OK, BS, BS }, "remote_pci" },
	{ "add subscriber pci",    call_add_sub_pci,   { OK, OK, BS, OK, OK, BS, BS }, "remote_pci" },
	{ "add publisher dpa",     call_add_pub_dpa,   { OK, OK, BS, OK, OK, BS, BS }, "dpa" },
	{ "add subscriber dpa",    call_add_sub_dpa,   { OK, OK, BS, OK, OK, BS, BS }, "dpa" },
	{ "add publisher gpu",     call_add_pub_gpu,   { OK, OK, BS, OK, OK, BS, BS }, "gpu" },
	{ "add subscriber gpu",    call_add_sub_gpu,   { OK, OK, BS, OK, OK, BS, BS }, "gpu" },
	{ "set addr",              call_set_addr,      { OK, OK, BS, OK, OK, BS, BS }, "set_addr" },
	{ "set unaligned addr",    call_set_bad_addr,  { IV, IV, BS, IV, IV, BS, BS }, "event" },
	{ "set buf",               call_set_buf,       { OK, OK, BS, OK, OK, BS, BS }, "set_doca_buf" },
	{ "start",                 call_start,         { BS, OK, BS, OK, BS, BS, BS }, "event" },
	{ "stop",                  call_stop,          { OK, OK, OK, OK, BS, BS, BS }, "doca_ctx_stop" },
	{ "as ctx",                call_as_ctx,        { OK, OK, BS, BS, OK, OK, OK }, "no context" },
	{ "destroy",               call_destroy,       { OK, OK, OK, OK, OK, IU, IU }, "destroy" },
	{ "set_conf get",          call_set_conf_get,  { OK, OK, NP, OK, OK, NP, NP }, "sync event" },
	{ "set_conf notify_set",   call_set_conf_set,  { OK, OK, NP, OK, OK, NP, NP }, "sync event" },
	{ "set_conf notify_add",   call_set_conf_add,  { OK, OK, NP, OK, OK, NP, NP }, "sync event" },
	{ "set_conf wait_eq",      call_set_conf_eq,   { OK, OK, NP, OK, OK, NP, NP }, "sync event" },
	{ "set_conf wait_neq",     call_set_conf_neq,  { OK, OK, NP, OK, OK, NP, NP }, "sync event" },
	{ "set_conf of 0 tasks",   call_set_conf_0,    { IV, IV, NP, IV, IV, NP, NP }, "sync event" },
	{ "alloc get",             call_alloc_get,     { BS, BS, BS, BS, BS, OK, BS }, "not running" },
	{ "alloc notify_set",      call_alloc_set,     { BS, BS, BS, BS, BS, OK, BS }, "not running" },
	{ "alloc notify_add",      call_alloc_add,     { BS, BS, BS, BS, BS, OK, BS }, "not running" },
	{ "alloc wait_eq",         call_alloc_eq,      { BS, BS, BS, BS, BS, OK, BS }, "not running" },
	{ "alloc wait_neq",        call_alloc_neq,     { BS, BS, BS, BS, BS, OK, BS }, "not running" },
	{ "get",                   call_get,           { BS, BS, OK, BS, BS, OK, OK }, "_get:" },
	{ "update_set",            call_set,           { BS, BS, OK, BS, BS, OK, OK }, "update_set:" },
	{ "update_add",            call_add,           { BS, BS, OK, BS, BS, OK, OK }, "update_add:" },
	{ "wait_gt",               call_wait_gt,       { BS, BS, OK, BS, BS, OK, OK }, "wait_gt:" },
	{ "wait_gt_yield",         call_wait_gt_yield, { BS, BS, OK, BS, BS, OK, OK }, "wait_gt_yield:" },
	{ "wait_eq",               call_wait_eq,       { BS, BS, OK, BS, BS, OK, OK }, "wait_eq:" },
	{ "wait_eq_yield",         call_wait_eq_yield, { BS, BS, OK, BS, BS, OK, OK }, "wait_eq_yield:" },
	{ "wait_neq",              call_wait_neq,      { BS, BS, OK, BS, BS, OK, OK }, "wait_neq:" },
	{ "wait_neq_yield",        call_wait_neq_yield, { BS, BS, OK, BS, BS, OK, OK }, "wait_neq_yield:" },
	{ "export",                call_export,        { BS, BS, OK, BS, BS, OK, OK }, "not exported" },
	{ "export over PCI",       call_export_pci,    { NS, NS, NS, NS, NS, NS, NS }, "remote_pci" },
	{ "DPA handle",            call_dpa_handle,    { NS, NS, NS, NS, NS, NS, NS }, "dpa" },
	{ "GPU handle",            call_gpu_handle,    { NS, NS, NS, NS, NS, NS, NS }, "gpu" },
};
/* clang-format on */

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

/* --- the states --- */

static void scene_configure(struct scene *scene)
{
	assert_success(call_add_pub_cpu(scene));
	assert_success(call_add_pub_net(scene));
	assert_success(call_add_sub_cpu(scene));
	for (int kind = 0; kind < SYNC_NUM_KINDS; kind++)
		assert_success(
		    sync_calls[kind].set_conf(scene->event, heard_on_success, heard_on_error, 1));
}

static void scene_to_ctx(struct scene *scene, enum state state)
{
	struct doca_ctx *ctx = doca_sync_event_as_ctx(scene->event);

	assert_success(doca_pe_connect_ctx(scene->pe, ctx));
	if (state == CTX_IDLE)
		return;
	assert_success(doca_ctx_start(ctx));
	if (state == CTX_RUNNING)
		return;
	assert_success(alloc(scene, SYNC_SET));
	scene->held = scene->made;
	scene->made = NULL;
	assert_error(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
}

static void scene_init(struct scene *scene, enum state state)
{
	memset(scene, 0, sizeof(*scene));
	fixture_memory_init(&scene->memory, 8, 1);
	scene->mmap = fixture_mmap_create(scene->memory.dev, scene->memory.bytes, 8, 15);
	assert_success(doca_buf_inventory_buf_get_by_data(scene->memory.inventory, scene->mmap,
							  scene->memory.bytes, 8, &scene->buf));
	assert_success(doca_pe_create(&scene->pe));
	assert_success(doca_sync_event_create(&scene->event));
	if (state == NEW)
		return;
	scene_configure(scene);
	if (state >= CTX_IDLE)
		scene_to_ctx(scene, state);
	else if (state != CONFIGURED)
		assert_success(doca_sync_event_start(scene->event));
	if (state == SELF_STOPPED)
		assert_success(doca_sync_event_stop(scene->event));
}

static void scene_fini(struct scene *scene)
{
	if (scene->made != NULL)
		doca_task_free(scene->made);
	if (scene->held != NULL)
		doca_task_free(scene->held);
	if (scene->event != NULL) {
		(void)doca_ctx_stop(&scene->event->base);
		fixture_progress_to(scene->pe, &scene->event->base, DOCA_CTX_STATE_IDLE);
		assert_success(doca_sync_event_destroy(scene->event));
	}
	assert_success(doca_pe_destroy(scene->pe));
	fixture_buf_put(scene->buf);
	fixture_mmap_destroy(scene->mmap);
	fixture_memory_fini(&scene->memory);
}

static doca_error_t cell_call(struct scene *scene, size_t row, enum state state)
{
	doca_error_t result = rows[row].call(scene);

	if (result != rows[row].expected[state])
		print_error("%s: ", rows[row].name);
	return result;
}

static void check_cell(size_t row, enum state state)
{
	doca_error_t expected = rows[row].expected[state];
	struct doca_sync_event before;
	struct scene scene;

	scene_init(&scene, state);
	if (expected == DOCA_SUCCESS) {
		assert_success(cell_call(&scene, row, state));
	} else {
		memcpy(&before, scene.event, sizeof(before));
		assert_refused(cell_call(&scene, row, state), expected, rows[row].part);
		before.own_cell = scene.event->own_cell; /* a row may have set it up */
		assert_memory_equal(&before, scene.event, sizeof(before));
	}
	scene_fini(&scene);
}

static void check_state(enum state state)
{
	for (size_t row = 0; row < NUM_ROWS; row++)
		check_cell(row, state);
}

/* --- a test a state --- */

static void every_call_answers_right_when_new(void **state)
{
	(void)state;
	check_state(NEW);
}

static void every_call_answers_right_when_configured(void **state)
{
	(void)state;
	check_state(CONFIGURED);
}

static void every_call_answers_right_when_started(void **state)
{
	(void)state;
	check_state(SELF_STARTED);
}

static void every_call_answers_right_when_stopped(void **state)
{
	(void)state;
	check_state(SELF_STOPPED);
}

static void every_call_answers_right_as_an_idle_context(void **state)
{
	(void)state;
	check_state(CTX_IDLE);
}

static void every_call_answers_right_as_a_running_context(void **state)
{
	(void)state;
	check_state(CTX_RUNNING);
}

static void every_call_answers_right_as_a_stopping_context(void **state)
{
	(void)state;
	check_state(CTX_STOPPING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_call_answers_right_when_new),
		TEST(every_call_answers_right_when_configured),
		TEST(every_call_answers_right_when_started),
		TEST(every_call_answers_right_when_stopped),
		TEST(every_call_answers_right_as_an_idle_context),
		TEST(every_call_answers_right_as_a_running_context),
		TEST(every_call_answers_right_as_a_stopping_context),
	};

	return cmocka_run_group_tests_name("sync_event_matrix", tests, NULL, NULL);
}
