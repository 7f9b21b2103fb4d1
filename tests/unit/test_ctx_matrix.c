/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every call on a context and on a task, in every state: one table says what it returns and
 * logs. What a refusal must not do is change anything, and neither must a call that only reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pe.h"
#include "probe_rig.h"

#define MAX_CASES  256
#define NAME_BYTES 128

/* The lines that refusals log. */
#define WHEN_IDLE   "only when idle"
#define NOT_RUNNING "not running"

enum situation {
	UNCONNECTED, /* a context that is IDLE and has no engine */
	IDLE,
	STARTING,
	RUNNING,
	STOPPING,
	TASK_FREE, /* a task, and its context is RUNNING */
	TASK_USER,
	TASK_INFLIGHT,
	TASK_DONE,
	LATE_TASK_FREE, /* the same while STOPPING */
	LATE_TASK_USER,
	LATE_TASK_INFLIGHT,
	LATE_TASK_DONE,
	NUM_SITUATIONS,
};

static const char *const situation_names[] = {
	[UNCONNECTED] = "unconnected",
	[IDLE] = "idle",
	[STARTING] = "starting",
	[RUNNING] = "running",
	[STOPPING] = "stopping",
	[TASK_FREE] = "free",
	[TASK_USER] = "owned",
	[TASK_INFLIGHT] = "in_flight",
	[TASK_DONE] = "done",
	[LATE_TASK_FREE] = "free_and_stopping",
	[LATE_TASK_USER] = "owned_and_stopping",
	[LATE_TASK_INFLIGHT] = "in_flight_and_stopping",
	[LATE_TASK_DONE] = "done_and_stopping",
};
_Static_assert(CORE_ARRAY_LEN(situation_names) == NUM_SITUATIONS, "a name for each situation");

/* How to get there. */

static void make_task(struct probe_rig *rig, enum situation situation)
{
	probe_rig_start(rig);
	rig->probe->keeps_tasks = true;
	rig->tasks[0] = probe_rig_alloc(rig, 1);
	if (situation == TASK_FREE)
		doca_task_free(rig->tasks[0]);
	if (situation == TASK_INFLIGHT || situation == TASK_DONE)
		assert_success(doca_task_submit(rig->tasks[0]));
	if (situation == TASK_DONE)
		probe_complete(rig->probe, DOCA_ERROR_IO_FAILED);
}

static void make_stopping(struct probe_rig *rig)
{
	rig->probe->stop_result = DOCA_ERROR_IN_PROGRESS;
	assert_error(doca_ctx_stop(rig->ctx), DOCA_ERROR_IN_PROGRESS);
}

static void make(struct probe_rig *rig, enum situation situation)
{
	switch (situation) {
	case UNCONNECTED:
		core_pe_remove(rig->pe, rig->ctx);
		break;
	case IDLE:
		break;
	case STARTING:
		probe_rig_begin_start(rig);
		break;
	case RUNNING:
		probe_rig_start(rig);
		break;
	case STOPPING:
		probe_rig_start(rig);
		make_stopping(rig);
		break;
	case TASK_FREE:
	case TASK_USER:
	case TASK_INFLIGHT:
	case TASK_DONE:
		make_task(rig, situation);
		break;
	case LATE_TASK_FREE:
	case LATE_TASK_USER:
	case LATE_TASK_INFLIGHT:
	case LATE_TASK_DONE:
		make_task(rig, situation - LATE_TASK_FREE + TASK_FREE);
		make_stopping(rig);
		break;
	case NUM_SITUATIONS:
		fail();
	}
}

/* The calls; what has no result is a SUCCESS. */

static doca_error_t start(struct probe_rig *rig)
{
	return doca_ctx_start(rig->ctx);
}

static doca_error_t stop(struct probe_rig *rig)
{
	return doca_ctx_stop(rig->ctx);
}

static doca_error_t get_state(struct probe_rig *rig)
{
	enum doca_ctx_states state;

	return doca_ctx_get_state(rig->ctx, &state);
}

static doca_error_t get_num_inflight(struct probe_rig *rig)
{
	size_t count = 1;
	doca_error_t result = doca_ctx_get_num_inflight_tasks(rig->ctx, &count);

	assert_int_equal(count, 0);
	return result;
}

static doca_error_t set_user_data(struct probe_rig *rig)
{
	return doca_ctx_set_user_data(rig->ctx, (union doca_data){ .ptr = &rig->heard });
}

static doca_error_t get_user_data(struct probe_rig *rig)
{
	union doca_data user_data = { .ptr = NULL };
	doca_error_t result = doca_ctx_get_user_data(rig->ctx, &user_data);

	assert_ptr_equal(user_data.ptr, &rig->heard);
	return result;
}

static doca_error_t set_state_changed_cb(struct probe_rig *rig)
{
	return doca_ctx_set_state_changed_cb(rig->ctx, rig->ctx->state_cb);
}

static doca_error_t set_datapath_on_gpu(struct probe_rig *rig)
{
	return doca_ctx_set_datapath_on_gpu(rig->ctx, (struct doca_gpu *)(void *)rig);
}

static doca_error_t set_datapath_on_dpa(struct probe_rig *rig)
{
	return doca_ctx_set_datapath_on_dpa(rig->ctx, (struct doca_dpa *)(void *)rig);
}

static doca_error_t set_completion_vector(struct probe_rig *rig)
{
	return doca_ctx_set_completion_vector(rig->ctx, 0);
}

static doca_error_t set_completion_vector_1(struct probe_rig *rig)
{
	return doca_ctx_set_completion_vector(rig->ctx, 1);
}

static doca_error_t flush_tasks(struct probe_rig *rig)
{
	doca_ctx_flush_tasks(rig->ctx);
	return DOCA_SUCCESS;
}

static doca_error_t connect_ctx(struct probe_rig *rig)
{
	return doca_pe_connect_ctx(rig->pe, rig->ctx);
}

static doca_error_t destroy_pe(struct probe_rig *rig)
{
	doca_error_t result = doca_pe_destroy(rig->pe);

	if (result == DOCA_SUCCESS)
		assert_success(doca_pe_create(&rig->pe));
	return result;
}

static doca_error_t set_conf(struct probe_rig *rig)
{
	return probe_set_conf(rig->probe, heard_on_success, heard_on_success, 1);
}

static doca_error_t set_conf_without_callback(struct probe_rig *rig)
{
	return probe_set_conf(rig->probe, heard_on_success, NULL, 1);
}

static doca_error_t alloc_task(struct probe_rig *rig)
{
	struct doca_task *task = NULL;
	doca_error_t result = probe_task_alloc(rig->probe, (union doca_data){ .u64 = 1 }, &task);

	assert_true((result == DOCA_SUCCESS) == (task != NULL));
	if (task != NULL)
		doca_task_free(task);
	return result;
}

static doca_error_t destroy_ctx(struct probe_rig *rig)
{
	doca_error_t result = probe_destroy(rig->probe);

	if (result == DOCA_SUCCESS)
		rig->probe = NULL;
	return result;
}

static doca_error_t submit(struct probe_rig *rig)
{
	return doca_task_submit(rig->tasks[0]);
}

static doca_error_t submit_ex(struct probe_rig *rig)
{
	return doca_task_submit_ex(rig->tasks[0], DOCA_TASK_SUBMIT_FLAG_NONE);
}

static doca_error_t submit_ex_with_unknown_flag(struct probe_rig *rig)
{
	return doca_task_submit_ex(rig->tasks[0], 1u << 31);
}

static doca_error_t try_submit(struct probe_rig *rig)
{
	return doca_task_try_submit(rig->tasks[0]);
}

static doca_error_t free_task(struct probe_rig *rig)
{
	doca_task_free(rig->tasks[0]);
	return DOCA_SUCCESS;
}

static doca_error_t get_status(struct probe_rig *rig)
{
	(void)doca_task_get_status(rig->tasks[0]);
	return DOCA_SUCCESS;
}

static doca_error_t get_task_user_data(struct probe_rig *rig)
{
	assert_int_equal(doca_task_get_user_data(rig->tasks[0]).u64, 1);
	return DOCA_SUCCESS;
}

static doca_error_t get_task_ctx(struct probe_rig *rig)
{
	assert_ptr_equal(doca_task_get_ctx(rig->tasks[0]), rig->ctx);
	return DOCA_SUCCESS;
}

/* What is expected of them. */

struct expected {
	bool applies;
	bool changes; /* something of the context, the task or the engine */
	doca_error_t result;
	const char *line; /* a part of the one that is logged; NULL: none is */
};

#define DONE_SO                                  \
	{                                        \
		.applies = true, .changes = true \
	}
#define NOTHING                 \
	{                       \
		.applies = true \
	}
#define PENDING                                                   \
	{                                                         \
		.applies = true, .result = DOCA_ERROR_IN_PROGRESS \
	}
#define NO(error, text)                                                       \
	{                                                                     \
		.applies = true, .result = DOCA_ERROR_##error, .line = (text) \
	}
#define LOGGED(text)                            \
	{                                       \
		.applies = true, .line = (text) \
	}
#define NO_CALLBACK NO(INVALID_VALUE, "both callbacks") /* which is looked at first */
#define READS_CTX                                           \
	{                                                   \
		NOTHING, NOTHING, NOTHING, NOTHING, NOTHING \
	}
#define READS_TASK                                                                             \
	{                                                                                      \
		[TASK_FREE] = NOTHING, [TASK_USER] = NOTHING, [TASK_INFLIGHT] = NOTHING,       \
		[TASK_DONE] = NOTHING, [LATE_TASK_FREE] = NOTHING, [LATE_TASK_USER] = NOTHING, \
		[LATE_TASK_INFLIGHT] = NOTHING, [LATE_TASK_DONE] = NOTHING,                    \
	}
#define ONLY_IDLE(idle)                                                         \
	{                                                                       \
		idle, idle, NO(BAD_STATE, WHEN_IDLE), NO(BAD_STATE, WHEN_IDLE), \
		    NO(BAD_STATE, WHEN_IDLE),                                   \
	}
#define SUBMITS                                                               \
	{                                                                     \
		[TASK_FREE] = NO(BAD_STATE, "free"), [TASK_USER] = DONE_SO,   \
		[TASK_INFLIGHT] = NO(BAD_STATE, "in flight"),                 \
		[TASK_DONE] = NO(BAD_STATE, "waiting for its callback"),      \
		[LATE_TASK_FREE] = NO(BAD_STATE, "free"),                     \
		[LATE_TASK_USER] = NO(BAD_STATE, NOT_RUNNING),                \
		[LATE_TASK_INFLIGHT] = NO(BAD_STATE, "in flight"),            \
		[LATE_TASK_DONE] = NO(BAD_STATE, "waiting for its callback"), \
	}

static const struct call {
	const char *name;
	doca_error_t (*make)(struct probe_rig *rig);
	struct expected in[NUM_SITUATIONS];
} calls[] = {
	{ "start",
	  start,
	  { NO(NOT_CONNECTED, "no progress engine"), DONE_SO, NO(BAD_STATE, WHEN_IDLE),
	    NO(BAD_STATE, WHEN_IDLE), NO(BAD_STATE, WHEN_IDLE) } },
	{ "stop", stop, { NOTHING, NOTHING, DONE_SO, DONE_SO, PENDING } },
	{ "get_state", get_state, READS_CTX },
	{ "get_num_inflight_tasks", get_num_inflight, READS_CTX },
	{ "set_user_data", set_user_data, READS_CTX },
	{ "get_user_data", get_user_data, READS_CTX },
	{ "set_state_changed_cb", set_state_changed_cb, READS_CTX },
	{ "set_datapath_on_gpu", set_datapath_on_gpu,
	  ONLY_IDLE(NO(NOT_SUPPORTED, "processor only")) },
	{ "set_datapath_on_dpa", set_datapath_on_dpa,
	  ONLY_IDLE(NO(NOT_SUPPORTED, "processor only")) },
	{ "set_completion_vector", set_completion_vector, ONLY_IDLE(NOTHING) },
	{ "set_completion_vector_1", set_completion_vector_1,
	  ONLY_IDLE(NO(INVALID_VALUE, "vector 1")) },
	{ "flush_tasks", flush_tasks, READS_CTX },
	{ "connect_ctx",
	  connect_ctx,
	  { DONE_SO, NO(NOT_PERMITTED, "engine already"), NO(BAD_STATE, WHEN_IDLE),
	    NO(BAD_STATE, WHEN_IDLE), NO(BAD_STATE, WHEN_IDLE) } },
	{ "pe_destroy",
	  destroy_pe,
	  { DONE_SO, NO(IN_USE, "in use"), NO(IN_USE, "in use"), NO(IN_USE, "in use"),
	    NO(IN_USE, "in use") } },
	{ "set_conf", set_conf, ONLY_IDLE(DONE_SO) },
	{ "set_conf_without_callback",
	  set_conf_without_callback,
	  { NO_CALLBACK, NO_CALLBACK, NO_CALLBACK, NO_CALLBACK, NO_CALLBACK } },
	{ "alloc_task",
	  alloc_task,
	  { NO(BAD_STATE, NOT_RUNNING), NO(BAD_STATE, NOT_RUNNING), NO(BAD_STATE, NOT_RUNNING),
	    DONE_SO, NO(BAD_STATE, NOT_RUNNING) } },
	{ "destroy",
	  destroy_ctx,
	  { DONE_SO, DONE_SO, NO(IN_USE, WHEN_IDLE), NO(IN_USE, WHEN_IDLE),
	    NO(IN_USE, WHEN_IDLE) } },
	{ "task_submit", submit, SUBMITS },
	{ "task_submit_ex", submit_ex, SUBMITS },
	{ "task_try_submit", try_submit, SUBMITS },
	{ "task_free",
	  free_task,
	  { [TASK_FREE] = LOGGED("not freed: it is free"),
	    [TASK_USER] = DONE_SO,
	    [TASK_INFLIGHT] = LOGGED("not freed: it is in flight"),
	    [TASK_DONE] = LOGGED("not freed: it is waiting"),
	    [LATE_TASK_FREE] = LOGGED("not freed: it is free"),
	    [LATE_TASK_USER] = DONE_SO,
	    [LATE_TASK_INFLIGHT] = LOGGED("not freed: it is in flight"),
	    [LATE_TASK_DONE] = LOGGED("not freed: it is waiting") } },
	{ "task_submit_ex_with_unknown_flag",
	  submit_ex_with_unknown_flag,
	  { [TASK_FREE] = NO(BAD_STATE, "not submitted: free"),
	    [TASK_USER] = NO(INVALID_VALUE, "unknown bits"),
	    [TASK_INFLIGHT] = NO(BAD_STATE, "not submitted: in flight"),
	    [LATE_TASK_USER] = NO(BAD_STATE, "not running") } },
	{ "task_get_status", get_status, READS_TASK },
	{ "task_get_user_data", get_task_user_data, READS_TASK },
	{ "task_get_ctx", get_task_ctx, READS_TASK },
};

/* One call in one situation: what cmocka gets as the initial state. */
struct cell {
	char name[NAME_BYTES];
	const struct call *call;
	enum situation situation;
	struct probe_rig rig;
};

/* All that a call could change without anybody hearing of it. */
struct snapshot {
	struct probe probe;
	struct doca_pe pe;
	struct doca_task task;
	char heard[HEARD_BYTES];
};

static void take_snapshot(const struct probe_rig *rig, struct snapshot *snapshot)
{
	memset(snapshot, 0, sizeof(*snapshot));
	memcpy(&snapshot->probe, rig->probe, sizeof(snapshot->probe));
	memcpy(&snapshot->pe, rig->pe, sizeof(snapshot->pe));
	memcpy(snapshot->heard, rig->heard.text, sizeof(snapshot->heard));
	if (rig->tasks[0] != NULL)
		memcpy(&snapshot->task, rig->tasks[0], sizeof(snapshot->task));
}

static void assert_unchanged(const struct probe_rig *rig, const struct snapshot *before)
{
	static struct snapshot now;

	take_snapshot(rig, &now);
	assert_memory_equal(&now.probe, &before->probe, sizeof(now.probe));
	assert_memory_equal(&now.pe, &before->pe, sizeof(now.pe));
	assert_memory_equal(&now.task, &before->task, sizeof(now.task));
	assert_string_equal(now.heard, before->heard);
}

static int cell_begin(void **state)
{
	struct cell *cell = *state;

	test_begin(NULL);
	probe_rig_init(&cell->rig);
	make(&cell->rig, cell->situation);
	return 0;
}

static int cell_end(void **state)
{
	struct cell *cell = *state;

	probe_rig_fini(&cell->rig);
	return test_end(NULL);
}

static void cell_run(void **state)
{
	static struct snapshot before;
	struct cell *cell = *state;
	const struct expected *expected = &cell->call->in[cell->situation];

	cell->rig.probe->start_result = DOCA_SUCCESS;
	take_snapshot(&cell->rig, &before);

	if (expected->line != NULL)
		assert_refused(cell->call->make(&cell->rig), expected->result, expected->line);
	else
		assert_error(cell->call->make(&cell->rig), expected->result);

	if (!expected->changes)
		assert_unchanged(&cell->rig, &before);
	if (cell->situation >= TASK_FREE && cell->rig.tasks[0]->state == CORE_TASK_USER)
		doca_task_free(cell->rig.tasks[0]);
}

/* "start_when_running_is_BAD_STATE" */
static struct cell *cell_create(const struct call *call, enum situation situation)
{
	struct cell *cell = calloc(1, sizeof(*cell));
	const char *result = doca_error_get_name(call->in[situation].result);

	if (cell == NULL)
		abort();
	cell->call = call;
	cell->situation = situation;
	if (call->in[situation].result != DOCA_SUCCESS)
		result += strlen("DOCA_ERROR_");
	else
		result = call->in[situation].line != NULL ? "ignored" : "fine";
	(void)snprintf(cell->name, sizeof(cell->name), "%s_when_%s_is_%s", call->name,
		       situation_names[situation], result);
	return cell;
}

int main(void)
{
	static struct CMUnitTest tests[MAX_CASES];
	size_t num_tests = 0;
	int num_failed;

	for (size_t i = 0; i < CORE_ARRAY_LEN(calls); i++) {
		for (enum situation at = 0; at < NUM_SITUATIONS; at++) {
			struct cell *cell;

			if (!calls[i].in[at].applies)
				continue;
			cell = cell_create(&calls[i], at);
			tests[num_tests++] =
			    (struct CMUnitTest){ cell->name, cell_run, cell_begin, cell_end, cell };
		}
	}
	num_failed = _cmocka_run_group_tests("contexts and tasks", tests, num_tests, NULL, NULL);
	for (size_t i = 0; i < num_tests; i++)
		free(tests[i].initial_state);
	return num_failed;
}
