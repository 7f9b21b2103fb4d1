/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CTX_CONTRACT_H_
#define CTX_CONTRACT_H_

/*
 * The contract tests: each runs once for every kind of context that it applies to, as
 * "KIND:TEST". A test gets a contract, with a configured context on an engine; what it leaves is
 * stopped, driven to IDLE and destroyed, and tasks that it did not free make that fail.
 */

#include "ctx_kind.h"
#include "heard.h"
#include "test.h"

#define CONTRACT_NUM_TASKS 4

struct contract {
	const struct ctx_kind *kind;
	void *world;
	struct doca_pe *pe;
	void *object;         /* NULL: the test has destroyed it */
	struct doca_ctx *ctx; /* of object */
	struct heard heard;   /* what ctx and its tasks say */
	struct doca_task *tasks[CONTRACT_NUM_TASKS];
};

struct contract_test {
	const char *name;
	void (*function)(struct contract *contract);
	bool (*applies_to)(const struct ctx_kind *kind); /* NULL: to every kind */
};

#define CONTRACT(function)                \
	{                                 \
#function, function, NULL \
	}
#define CONTRACT_FOR(applies_to, function)      \
	{                                       \
#function, function, applies_to \
	}

/* What main() returns. */
int contract_run(const struct contract_test *tests, size_t num_tests);

bool kind_starts_at_once(const struct ctx_kind *kind);
bool kind_starts_later(const struct ctx_kind *kind);
bool kind_stops_at_once(const struct ctx_kind *kind);
bool kind_stops_later(const struct ctx_kind *kind);
bool kind_holds_tasks(const struct ctx_kind *kind);
bool kind_frees_tasks(const struct ctx_kind *kind);
bool kind_completes_when_told(const struct ctx_kind *kind);
bool kind_sizes_its_pool(const struct ctx_kind *kind);
bool kind_works_itself(const struct ctx_kind *kind);

/* A world and an engine with a configured context, and their end; each test has one already. */
void contract_init(struct contract *contract, const struct ctx_kind *kind);
void contract_fini(struct contract *contract);

/* Another context of the kind in the same world; on the same engine unless pe says NULL. */
void contract_add(struct contract *added, const struct contract *first, struct doca_pe *pe);

/* Stops it if need be and destroys it. */
void contract_remove(struct contract *contract);

/* The kind's destroy, after which the contract has no context; must succeed. */
void contract_destroy(struct contract *contract);

doca_error_t contract_configure(struct contract *contract, uint32_t num_tasks);

/* Calls start, which must go well, and leaves the words heard; an async one is still STARTING. */
void contract_begin_start(struct contract *contract);

/* Starts until RUNNING and forgets the words. */
void contract_start(struct contract *contract);

/* Calls stop, which must end at once for kinds that do that and be IN_PROGRESS for the others. */
void contract_stop_with_nothing_outstanding(struct contract *contract);

void contract_assert_state(const struct contract *contract, enum doca_ctx_states state);

/* A task whose number is its user data. */
struct doca_task *contract_alloc(struct contract *contract, uint64_t number);

/* Allocates the tasks 1 to num_tasks as tasks[0] and on, and submits them in this order. */
void contract_submit(struct contract *contract, unsigned int num_tasks);

/* Lets the num_tasks that were submitted first end well. */
void contract_complete(struct contract *contract, unsigned int num_tasks);

/* The words with the name of the kind's flush status for each FLUSHED; lent until the next call. */
const char *contract_words(const struct contract *contract, const char *words);

/* Calls progress often; each call must return 0 and nothing may be heard. */
void contract_assert_nothing_to_do(struct contract *contract);

#endif /* CTX_CONTRACT_H_ */
