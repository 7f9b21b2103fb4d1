/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HEARD_H_
#define HEARD_H_

/*
 * An application that notes what it is told, as words in the order of the callbacks: a state move
 * is "idle>running", a task that went well is "ok(7)", 7 being its user data, and one that failed
 * is "IO_FAILED(7)". A callback that runs inside another one is "+running>stopping". So a test
 * compares all that an application heard with one string.
 */

#include <pthread.h>

#include <doca_ctx.h>
#include <doca_pe.h>

#define HEARD_BYTES      2048
#define HEARD_NUM_STATES (DOCA_CTX_STATE_STOPPING + 1)

struct heard;

/* What the application does in a callback, after the word was noted. */
typedef void (*heard_reaction_t)(struct heard *heard);

struct heard {
	char text[HEARD_BYTES]; /* ends early when it is full; the count goes on */
	unsigned int num_words; /* nested ones not counted */
	unsigned int depth;     /* of callbacks that are running */
	pthread_t thread;       /* on which they must run */

	heard_reaction_t on_state[HEARD_NUM_STATES]; /* by next state; NULL: none */
	heard_reaction_t on_task;                    /* NULL: free the task */
	void *owner;                                 /* the test's */

	/* Of the callback that is running, or was the last to run. */
	struct doca_ctx *ctx;
	struct doca_task *task;
	doca_error_t result; /* for reactions: of what they called */
};

/* Makes heard the listener of a context: its callback and its user data. */
void heard_init(struct heard *heard, struct doca_ctx *ctx);

/* The same, when it is the listener of others already: their words come in one order. */
void heard_add(struct heard *heard, struct doca_ctx *ctx);

/* Task callbacks for the contexts that have a listener. */
void heard_on_success(struct doca_task *task, union doca_data task_user_data,
		      union doca_data ctx_user_data);
void heard_on_error(struct doca_task *task, union doca_data task_user_data,
		    union doca_data ctx_user_data);

/* The same for kinds that call back alike for success and error. */
void heard_on_end(struct doca_task *task, union doca_data task_user_data,
		  union doca_data ctx_user_data);

/* Exactly these words were heard, "" for none; they are forgotten. */
#define assert_heard(heard, words) heard_check((heard), (words), __FILE__, __LINE__)

/*
 * Drives the engine, on which nobody else hears anything, until the words were heard: one a call,
 * and the call returns 1 exactly then. Fails after 10 s.
 */
#define assert_hears(heard, pe, words) heard_drive((heard), (pe), (words), __FILE__, __LINE__)

void heard_check(struct heard *heard, const char *words, const char *file, int line);
void heard_drive(struct heard *heard, struct doca_pe *pe, const char *words, const char *file,
		 int line);

/* Reactions that many tests want; those that call something leave what it returned in result. */
void heard_keep_task(struct heard *heard);
void heard_stop(struct heard *heard);
void heard_free_and_stop(struct heard *heard);
void heard_submit_again(struct heard *heard);

#endif /* HEARD_H_ */
