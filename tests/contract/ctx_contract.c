/* SPDX-License-Identifier: BSD-3-Clause */
#include "ctx_contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define MAX_TESTS      512
#define NAME_BYTES     128
#define NUM_IDLE_CALLS 10000

/* One test of one kind: what cmocka gets as the initial state. */
struct contract_case {
	char name[NAME_BYTES];
	const struct ctx_kind *kind;
	const struct contract_test *test;
	struct contract contract;
};

bool kind_starts_at_once(const struct ctx_kind *kind)
{
	return !kind->start_is_async;
}

bool kind_starts_later(const struct ctx_kind *kind)
{
	return kind->start_is_async;
}

bool kind_stops_at_once(const struct ctx_kind *kind)
{
	return !kind->stop_is_never_sync;
}

bool kind_stops_later(const struct ctx_kind *kind)
{
	return kind->stop_is_never_sync;
}

bool kind_holds_tasks(const struct ctx_kind *kind)
{
	return !kind->frees_tasks;
}

bool kind_frees_tasks(const struct ctx_kind *kind)
{
	return kind->frees_tasks;
}

bool kind_completes_when_told(const struct ctx_kind *kind)
{
	return kind->complete != NULL;
}

bool kind_sizes_its_pool(const struct ctx_kind *kind)
{
	return !kind->has_fixed_pool;
}

bool kind_works_itself(const struct ctx_kind *kind)
{
	return !kind->is_remote;
}

doca_error_t contract_configure(struct contract *contract, uint32_t num_tasks)
{
	return contract->kind->configure(contract->object, heard_on_success, heard_on_error,
					 num_tasks);
}

void contract_add(struct contract *added, const struct contract *first, struct doca_pe *pe)
{
	added->kind = first->kind;
	added->world = first->world;
	added->pe = pe;
	added->object = first->kind->create(first->world);
	added->ctx = first->kind->as_ctx(added->object);
	assert_non_null(added->ctx);
	heard_init(&added->heard, added->ctx);
	assert_success(contract_configure(added, CONTRACT_NUM_TASKS));
	if (pe != NULL)
		assert_success(doca_pe_connect_ctx(pe, added->ctx));
}

void contract_destroy(struct contract *contract)
{
	assert_success(contract->kind->destroy(contract->object));
	contract->object = NULL;
	contract->ctx = NULL;
}

void contract_remove(struct contract *contract)
{
	if (contract->object == NULL)
		return;
	/* What the reactions work on may be gone with the function of the test. */
	memset(contract->heard.on_state, 0, sizeof(contract->heard.on_state));
	contract->heard.on_task = NULL;
	if (doca_ctx_stop(contract->ctx) != DOCA_SUCCESS)
		fixture_progress_to(contract->pe, contract->ctx, DOCA_CTX_STATE_IDLE);
	contract_destroy(contract);
}

void contract_begin_start(struct contract *contract)
{
	assert_error(doca_ctx_start(contract->ctx),
		     contract->kind->start_is_async ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS);
}

void contract_start(struct contract *contract)
{
	contract_begin_start(contract);
	if (contract->kind->start_is_async)
		assert_hears(&contract->heard, contract->pe, "idle>starting starting>running");
	else
		assert_heard(&contract->heard, "idle>running");
}

void contract_stop_with_nothing_outstanding(struct contract *contract)
{
	if (kind_stops_at_once(contract->kind))
		assert_success(doca_ctx_stop(contract->ctx));
	else
		assert_error(doca_ctx_stop(contract->ctx), DOCA_ERROR_IN_PROGRESS);
	assert_hears(&contract->heard, contract->pe, "running>stopping stopping>idle");
}

void contract_assert_state(const struct contract *contract, enum doca_ctx_states state)
{
	enum doca_ctx_states now;

	assert_success(doca_ctx_get_state(contract->ctx, &now));
	assert_int_equal(now, state);
}

struct doca_task *contract_alloc(struct contract *contract, uint64_t number)
{
	struct doca_task *task = NULL;

	assert_success(contract->kind->alloc_task(contract->world, contract->object,
						  (union doca_data){ .u64 = number }, &task));
	assert_non_null(task);
	return task;
}

void contract_submit(struct contract *contract, unsigned int num_tasks)
{
	assert_in_range(num_tasks, 1, CONTRACT_NUM_TASKS);
	for (unsigned int i = 0; i < num_tasks; i++)
		contract->tasks[i] = contract_alloc(contract, i + 1);
	for (unsigned int i = 0; i < num_tasks; i++)
		assert_success(doca_task_submit(contract->tasks[i]));
}

void contract_complete(struct contract *contract, unsigned int num_tasks)
{
	if (contract->kind->complete == NULL)
		return;
	for (unsigned int i = 0; i < num_tasks; i++)
		contract->kind->complete(contract->object);
}

const char *contract_words(const struct contract *contract, const char *words)
{
	static const char placeholder[] = "FLUSHED";
	static char filled[HEARD_BYTES];
	const char *status = doca_error_get_name(contract->kind->flush_status);
	const char *at;
	size_t len = 0;

	status += strlen("DOCA_ERROR_");
	while ((at = strstr(words, placeholder)) != NULL) {
		len += (size_t)snprintf(filled + len, sizeof(filled) - len, "%.*s%s",
					(int)(at - words), words, status);
		words = at + strlen(placeholder);
	}
	(void)snprintf(filled + len, sizeof(filled) - len, "%s", words);
	return filled;
}

void contract_assert_nothing_to_do(struct contract *contract)
{
	for (unsigned int i = 0; i < NUM_IDLE_CALLS; i++)
		assert_int_equal(doca_pe_progress(contract->pe), 0);
	assert_heard(&contract->heard, "");
}

void contract_init(struct contract *contract, const struct ctx_kind *kind)
{
	struct contract first = { .kind = kind, .world = kind->open() };

	assert_success(doca_pe_create(&first.pe));
	contract_add(contract, &first, first.pe);
}

void contract_fini(struct contract *contract)
{
	contract_remove(contract);
	assert_success(doca_pe_destroy(contract->pe));
	contract->kind->close(contract->world);
}

static int case_begin(void **state)
{
	struct contract_case *this = *state;

	test_begin(NULL);
	contract_init(&this->contract, this->kind);
	return 0;
}

static int case_end(void **state)
{
	struct contract_case *this = *state;

	contract_fini(&this->contract);
	return test_end(NULL);
}

static void case_run(void **state)
{
	struct contract_case *this = *state;

	this->test->function(&this->contract);
}

static struct CMUnitTest case_make(const struct ctx_kind *kind, const struct contract_test *test)
{
	struct contract_case *this = calloc(1, sizeof(*this));

	if (this == NULL)
		abort();
	(void)snprintf(this->name, sizeof(this->name), "%s:%s", kind->name, test->name);
	this->kind = kind;
	this->test = test;
	return (struct CMUnitTest){ this->name, case_run, case_begin, case_end, this };
}

int contract_run(const struct contract_test *tests, size_t num_tests)
{
	static struct CMUnitTest cases[MAX_TESTS];
	size_t num_cases = 0;
	int num_failed;

	for (const struct ctx_kind *const *kind = ctx_kinds; *kind != NULL; kind++) {
		for (size_t i = 0; i < num_tests; i++) {
			if (tests[i].applies_to != NULL && !tests[i].applies_to(*kind))
				continue;
			if (num_cases == MAX_TESTS)
				abort();
			cases[num_cases++] = case_make(*kind, &tests[i]);
		}
	}
	num_failed = _cmocka_run_group_tests("context contract", cases, num_cases, NULL, NULL);
	for (size_t i = 0; i < num_cases; i++)
		free(cases[i].initial_state);
	return num_failed;
}
