/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_PE_H_
#define CORE_PE_H_

/*
 * The progress engine: drives its contexts in turn and delivers one thing a call. One thread's,
 * core_pe_wake() excepted. pe.c has the polling, pe_event.c the sleeping.
 */

#include <stdbool.h>
#include <sys/queue.h>

#include <doca_pe.h>

#include "core/export.h"

struct doca_ctx;

/* What an engine needs to be slept on. */
struct core_pe_event {
	int epoll_fd; /* the notification handle: nests the others */
	int wake_fd;  /* eventfd: something is ready */
	int timer_fd; /* timerfd: a context wants to be driven at a time of its own */
	int *watched; /* owned: the contexts' descriptors */
	size_t num_watched;
	bool is_timer_set;
	bool is_watching; /* they are in the handle: from arming until clearing */
	bool is_armed;    /* atomic: the next wake must write to wake_fd */
	enum doca_pe_event_mode mode;
};

struct doca_pe {
	TAILQ_HEAD(core_pe_ctxs, doca_ctx) ctxs;
	TAILQ_HEAD(, doca_ctx) ready; /* contexts with something to deliver, the longest first */
	struct doca_ctx *turn;        /* the next to be driven; NULL: the first */
	unsigned int num_ctxs;
	unsigned int callback_depth; /* callbacks that are running */
	struct core_pe_event event;
};

/* Would the engine sleep now, so that new work must wake it? For the engine's own thread. */
static inline bool core_pe_is_armed(const struct doca_pe *pe)
{
	/* Only this thread arms, but any may disarm. */
	return __atomic_load_n(&pe->event.is_armed, __ATOMIC_RELAXED);
}

/* A context has something to deliver: queues it and wakes the engine. Thread: the engine's. */
void core_pe_ready(struct doca_pe *pe, struct doca_ctx *ctx);

/* It has nothing any more. Thread: the engine's. */
void core_pe_not_ready(struct doca_pe *pe, struct doca_ctx *ctx);

/* Forgets a context that is being destroyed. Thread: the engine's. */
void core_pe_remove(struct doca_pe *pe, struct doca_ctx *ctx);

/* Around each call into the application, so that a stop or a progress in there is seen. */
static inline void core_pe_callback_begin(struct doca_pe *pe)
{
	pe->callback_depth++;
}

static inline void core_pe_callback_end(struct doca_pe *pe)
{
	pe->callback_depth--;
}

static inline bool core_pe_in_callback(const struct doca_pe *pe)
{
	return pe->callback_depth > 0;
}

/*
 * Makes the handle readable if the engine is armed. Whoever brings work from elsewhere publishes
 * it first and then calls this; arming looks for work after it is armed, so none is missed.
 * Thread: any.
 */
CORE_EXPORT void core_pe_wake(struct doca_pe *pe);

/*
 * Has an engine that sleeps woken by a descriptor of a context: once armed, the handle is readable
 * while fd is.
 * fd: borrowed until core_pe_unwatch(). Progress must read it until it is empty.
 * Errors: NO_MEMORY, OPERATING_SYSTEM: epoll refuses it.
 * Thread: the engine's.
 */
CORE_EXPORT doca_error_t core_pe_watch(struct doca_pe *pe, int fd);
CORE_EXPORT void core_pe_unwatch(struct doca_pe *pe, int fd);

/* Opens the descriptors. Errors: NO_MEMORY: none are left. OPERATING_SYSTEM. */
doca_error_t core_pe_event_init(struct core_pe_event *event);

/* Closes them; accepts a half-initialized one whose missing descriptors are -1. */
void core_pe_event_fini(struct core_pe_event *event);

#endif /* CORE_PE_H_ */
