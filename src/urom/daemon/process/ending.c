/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/ending.h"

#include <sys/epoll.h>
#include <time.h>

/* Until the next look, and how late it may be. */
#define AGAIN_US    UINT64_C(20000)
#define ACCURACY_US UINT64_C(10000)

static int on_again(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_ending *ending = arg;

	(void)source;
	(void)usec;
	(void)sd_event_source_set_enabled(ending->source, SD_EVENT_ON); /* it is ours */
	return 0;
}

static int look_again(struct uromd_ending *ending)
{
	sd_event *event = sd_event_source_get_event(ending->source);
	int status;

	ending->again = sd_event_source_disable_unref(ending->again);
	status = sd_event_add_time_relative(event, &ending->again, CLOCK_MONOTONIC, AGAIN_US,
					    ACCURACY_US, on_again, ending);
	/* Without memory for that, at the next turn. */
	if (status >= 0)
		(void)sd_event_source_set_enabled(ending->source, SD_EVENT_OFF);
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct uromd_ending *ending = arg;

	(void)source;
	(void)fd;
	(void)events;
	if (uromd_pidfd_is_running(ending->process))
		return look_again(ending);
	ending->ended(ending->arg);
	return 0;
}

int uromd_ending_watch(struct uromd_ending *ending, sd_event *event,
		       const struct uromd_pidfd *process, void (*ended)(void *arg), void *arg)
{
	struct uromd_ending made = { .process = process, .ended = ended, .arg = arg };
	int status;

	*ending = made;
	status =
	    sd_event_add_io(event, &ending->source, process->pidfd, EPOLLIN, on_readable, ending);
	return status < 0 ? -status : 0;
}

void uromd_ending_fini(struct uromd_ending *ending)
{
	(void)sd_event_source_disable_unref(ending->source);
	(void)sd_event_source_disable_unref(ending->again);
	*ending = (struct uromd_ending){ .process = NULL };
}
