/* SPDX-License-Identifier: BSD-3-Clause */
#include "heard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define PATIENCE_NS UINT64_C(10000000000)

static const char *const state_names[] = {
	[DOCA_CTX_STATE_IDLE] = "idle",
	[DOCA_CTX_STATE_STARTING] = "starting",
	[DOCA_CTX_STATE_RUNNING] = "running",
	[DOCA_CTX_STATE_STOPPING] = "stopping",
};

static void note(struct heard *heard, const char *word)
{
	size_t len = strlen(heard->text);

	assert_true(pthread_equal(heard->thread, pthread_self()));
	(void)snprintf(heard->text + len, sizeof(heard->text) - len, "%s%s%s", len > 0 ? " " : "",
		       heard->depth > 0 ? "+" : "", word);
	if (heard->depth == 0)
		heard->num_words++;
}

static void react(struct heard *heard, heard_reaction_t reaction)
{
	heard->depth++;
	if (reaction != NULL)
		reaction(heard);
	heard->depth--;
}

static void on_state(const union doca_data user_data, struct doca_ctx *ctx,
		     enum doca_ctx_states prev_state, enum doca_ctx_states next_state)
{
	struct heard *heard = user_data.ptr;
	enum doca_ctx_states now;
	char word[32];

	assert_success(doca_ctx_get_state(ctx, &now));
	assert_int_equal(now, next_state);
	(void)snprintf(word, sizeof(word), "%s>%s", state_names[prev_state],
		       state_names[next_state]);
	note(heard, word);
	heard->ctx = ctx;
	react(heard, heard->on_state[next_state]);
}

static void free_task(struct heard *heard)
{
	doca_task_free(heard->task);
}

static void on_task(struct doca_task *task, union doca_data task_user_data,
		    union doca_data ctx_user_data, const char *what)
{
	struct heard *heard = ctx_user_data.ptr;
	char word[64];

	(void)snprintf(word, sizeof(word), "%s(%" PRIu64 ")", what, task_user_data.u64);
	note(heard, word);
	heard->ctx = doca_task_get_ctx(task);
	heard->task = task;
	react(heard, heard->on_task != NULL ? heard->on_task : free_task);
}

void heard_on_success(struct doca_task *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	assert_success(doca_task_get_status(task));
	on_task(task, task_user_data, ctx_user_data, "ok");
}

void heard_on_error(struct doca_task *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	doca_error_t status = doca_task_get_status(task);

	assert_int_not_equal(status, DOCA_SUCCESS);
	on_task(task, task_user_data, ctx_user_data,
		doca_error_get_name(status) + strlen("DOCA_ERROR_"));
}

void heard_on_end(struct doca_task *task, union doca_data task_user_data,
		  union doca_data ctx_user_data)
{
	if (doca_task_get_status(task) == DOCA_SUCCESS)
		heard_on_success(task, task_user_data, ctx_user_data);
	else
		heard_on_error(task, task_user_data, ctx_user_data);
}

void heard_init(struct heard *heard, struct doca_ctx *ctx)
{
	memset(heard, 0, sizeof(*heard));
	heard->thread = pthread_self();
	heard_add(heard, ctx);
}

void heard_add(struct heard *heard, struct doca_ctx *ctx)
{
	assert_success(doca_ctx_set_user_data(ctx, (union doca_data){ .ptr = heard }));
	assert_success(doca_ctx_set_state_changed_cb(ctx, on_state));
}

void heard_check(struct heard *heard, const char *words, const char *file, int line)
{
	if (strcmp(heard->text, words) != 0) {
		print_error("heard: \"%s\"\nnot:   \"%s\"\n", heard->text, words);
		_fail(file, line);
	}
	heard->text[0] = '\0';
	heard->num_words = 0;
}

static unsigned int count_words(const char *words)
{
	unsigned int count = 0;

	for (const char *at = words; *at != '\0'; at++) {
		if ((at == words || at[-1] == ' ') && *at != '+')
			count++;
	}
	return count;
}

void heard_drive(struct heard *heard, struct doca_pe *pe, const char *words, const char *file,
		 int line)
{
	unsigned int wanted = count_words(words);
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (heard->num_words < wanted && test_now_ns() < end) {
		unsigned int before = heard->num_words;
		uint8_t returned = doca_pe_progress(pe);

		if (heard->num_words - before != returned) {
			print_error("progress returned %u, \"%s\" was heard so far\n", returned,
				    heard->text);
			_fail(file, line);
		}
	}
	heard_check(heard, words, file, line);
}

void heard_keep_task(struct heard *heard)
{
	(void)heard;
}

void heard_stop(struct heard *heard)
{
	heard->result = doca_ctx_stop(heard->ctx);
}

void heard_free_and_stop(struct heard *heard)
{
	doca_task_free(heard->task);
	heard_stop(heard);
}

void heard_submit_again(struct heard *heard)
{
	heard->result = doca_task_submit(heard->task);
}
