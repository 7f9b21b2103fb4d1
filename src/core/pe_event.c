/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/pe.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/ctx.h"
#include "core/error.h"
#include "core/log.h"

/*
 * Why no wake-up is lost: who brings work publishes it and then looks at is_armed; who arms sets
 * is_armed and then looks for work. Both orders are sequentially consistent, so at least one side
 * sees the other. The first wake disarms, so many completions cost one write.
 *
 * Both event modes drive every context: a turn that finds nothing costs less than it would to
 * keep books of who had an event. They differ in who empties the handle: in SELECTIVE mode the
 * application's doca_pe_clear_notification(), in ALL mode the next request does it as well.
 */

CORE_LOG_REGISTER(CORE::PE_EVENT);

#define NANOSECONDS_PER_SECOND 1000000000u

static doca_error_t event_error(const char *what)
{
	int err = errno;

	DOCA_LOG_ERR("progress engine: %s: %s", what, strerror(err));
	return core_error_from_errno(err) == DOCA_ERROR_NO_MEMORY ? DOCA_ERROR_NO_MEMORY
								  : DOCA_ERROR_OPERATING_SYSTEM;
}

static doca_error_t epoll_add(int epoll_fd, int fd)
{
	struct epoll_event watch = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &watch) != 0)
		return event_error("epoll_ctl");
	return DOCA_SUCCESS;
}

static void epoll_del(int epoll_fd, int fd)
{
	/* Fails only for a descriptor that is closed already, and so is gone from the set. */
	(void)epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

doca_error_t core_pe_event_init(struct core_pe_event *event)
{
	doca_error_t result;

	event->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	event->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	event->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (event->epoll_fd < 0 || event->wake_fd < 0 || event->timer_fd < 0) {
		result = event_error("no descriptor");
		goto fail;
	}
	result = epoll_add(event->epoll_fd, event->wake_fd);
	if (result == DOCA_SUCCESS)
		result = epoll_add(event->epoll_fd, event->timer_fd);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
fail:
	core_pe_event_fini(event);
	return result;
}

void core_pe_event_fini(struct core_pe_event *event)
{
	const int fds[] = { event->epoll_fd, event->wake_fd, event->timer_fd };

	for (size_t i = 0; i < CORE_ARRAY_LEN(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	free(event->watched);
}

static void watching_end(struct core_pe_event *event, size_t num_watched)
{
	for (size_t i = 0; i < num_watched; i++)
		epoll_del(event->epoll_fd, event->watched[i]);
	event->is_watching = false;
}

/*
 * Lets the contexts' descriptors make the handle readable, or not: a drained engine is silent. They
 * stand in the handle itself, not in an epoll of their own: Linux nests five of those at most, and
 * UCX has two, its channel one, the application another.
 */
static doca_error_t watching_set(struct core_pe_event *event, bool is_wanted)
{
	doca_error_t result;

	if (event->is_watching == is_wanted)
		return DOCA_SUCCESS;
	if (!is_wanted) {
		watching_end(event, event->num_watched);
		return DOCA_SUCCESS;
	}
	for (size_t i = 0; i < event->num_watched; i++) {
		result = epoll_add(event->epoll_fd, event->watched[i]);
		if (result != DOCA_SUCCESS) {
			watching_end(event, i);
			return result;
		}
	}
	event->is_watching = true;
	return DOCA_SUCCESS;
}

doca_error_t core_pe_watch(struct doca_pe *pe, int fd)
{
	struct core_pe_event *event = &pe->event;
	doca_error_t result;
	int *grown;

	for (size_t i = 0; i < event->num_watched; i++) {
		if (event->watched[i] == fd) {
			errno = EEXIST;
			return event_error("epoll_ctl");
		}
	}
	grown = reallocarray(event->watched, event->num_watched + 1, sizeof(*grown));
	if (grown == NULL) {
		DOCA_LOG_ERR("progress engine: no memory for a descriptor");
		return DOCA_ERROR_NO_MEMORY;
	}
	event->watched = grown;
	/* That epoll takes it shows now, and not when the engine is armed. */
	result = epoll_add(event->epoll_fd, fd);
	if (result != DOCA_SUCCESS)
		return result;
	if (!event->is_watching)
		epoll_del(event->epoll_fd, fd);
	event->watched[event->num_watched++] = fd;
	return DOCA_SUCCESS;
}

void core_pe_unwatch(struct doca_pe *pe, int fd)
{
	struct core_pe_event *event = &pe->event;

	if (event->is_watching)
		epoll_del(event->epoll_fd, fd);
	for (size_t i = 0; i < event->num_watched; i++) {
		if (event->watched[i] != fd)
			continue;
		event->watched[i] = event->watched[--event->num_watched];
		return;
	}
}

void core_pe_wake(struct doca_pe *pe)
{
	const uint64_t one = 1;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&pe->event.is_armed, __ATOMIC_RELAXED))
		return;
	if (!__atomic_exchange_n(&pe->event.is_armed, false, __ATOMIC_SEQ_CST))
		return;
	/* Fails only when the counter is full, and then the handle is readable. */
	(void)!write(pe->event.wake_fd, &one, sizeof(one));
}

static doca_error_t drain(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		return event_error("read");
	return DOCA_SUCCESS;
}

/* Sets the timer to go off once after delay_ns, or not at all for CORE_ARM_NEVER. */
static doca_error_t timer_set(struct core_pe_event *event, uint64_t delay_ns)
{
	struct itimerspec when = { .it_interval = { 0, 0 } };
	bool is_wanted = delay_ns != CORE_ARM_NEVER;

	if (!is_wanted && !event->is_timer_set)
		return DOCA_SUCCESS;
	if (is_wanted) {
		when.it_value.tv_sec = (time_t)(delay_ns / NANOSECONDS_PER_SECOND);
		when.it_value.tv_nsec = (long)(delay_ns % NANOSECONDS_PER_SECOND);
	}
	if (timerfd_settime(event->timer_fd, 0, &when, NULL) != 0)
		return event_error("timerfd_settime");
	event->is_timer_set = is_wanted;
	return DOCA_SUCCESS;
}

/*
 * The engine sleeps no more: nothing makes its handle readable until it is armed again, but a wake
 * of another thread that had begun before, which then costs one turn that finds nothing.
 */
static doca_error_t event_clear(struct core_pe_event *event)
{
	doca_error_t result;

	__atomic_store_n(&event->is_armed, false, __ATOMIC_SEQ_CST);
	result = drain(event->wake_fd);
	if (result == DOCA_SUCCESS) /* whether it went off or not */
		result = timer_set(event, CORE_ARM_NEVER);
	if (result == DOCA_SUCCESS)
		result = watching_set(event, false);
	return result;
}

/* After how many nanoseconds does a context want to be driven? */
static uint64_t pe_next_delay(const struct doca_pe *pe)
{
	uint64_t next = TAILQ_EMPTY(&pe->ready) ? CORE_ARM_NEVER : CORE_ARM_NOW;
	struct doca_ctx *ctx;

	TAILQ_FOREACH (ctx, &pe->ctxs, pe_link) {
		uint64_t delay;

		if (ctx->state == DOCA_CTX_STATE_IDLE || ctx->ops->arm == NULL)
			continue;
		delay = ctx->ops->arm(ctx); /* each of them, so that each one is armed */
		if (delay < next)
			next = delay;
	}
	return next;
}

doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
					     doca_notification_handle_t *handle)
{
	if (pe == NULL || handle == NULL)
		return core_null_argument(__func__);
	*handle = pe->event.epoll_fd;
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_request_notification(struct doca_pe *pe)
{
	doca_error_t result;
	uint64_t delay;

	if (pe == NULL)
		return core_null_argument(__func__);
	if (pe->event.mode == DOCA_PE_EVENT_MODE_PROGRESS_ALL) {
		result = event_clear(&pe->event);
		if (result != DOCA_SUCCESS)
			return result;
	}
	result = watching_set(&pe->event, true);
	if (result != DOCA_SUCCESS)
		return result;
	__atomic_store_n(&pe->event.is_armed, true, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	delay = pe_next_delay(pe);
	if (delay != CORE_ARM_NOW)
		return timer_set(&pe->event, delay);
	core_pe_wake(pe);
	return DOCA_SUCCESS;
}

doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle)
{
	(void)handle; /* means nothing on Linux: callers pass 0 or the handle */
	if (pe == NULL)
		return core_null_argument(__func__);
	return event_clear(&pe->event);
}

doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode)
{
	if (pe == NULL)
		return core_null_argument(__func__);
	if (core_pe_in_callback(pe)) {
		DOCA_LOG_ERR("the event mode may not change in a callback");
		return DOCA_ERROR_BAD_STATE;
	}
	if (event_mode != DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE &&
	    event_mode != DOCA_PE_EVENT_MODE_PROGRESS_ALL) {
		DOCA_LOG_ERR("event mode %d is not known", (int)event_mode);
		return DOCA_ERROR_INVALID_VALUE;
	}
	pe->event.mode = event_mode;
	return DOCA_SUCCESS;
}
