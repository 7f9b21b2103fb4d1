/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/wait.h"

#include <sched.h>
#include <time.h>

#include <doca_log.h>

#include "core/clock.h"
#include "urom/worker/link.h"
#include "urom/worker/signals.h"
#include "urom/worker/worker.h"

DOCA_LOG_REGISTER(UROM_WORKER::WAIT);

#define NS_A_MS UINT64_C(1000000)
#define NS_A_US UINT64_C(1000)

/* The clock is read once in that many turns, while the worker is awake. */
#define TURNS_A_LOOK 16

/*
 * How long the worker spins. In the first part of it an answer is likely and the processor is kept;
 * later on whoever else wants to run may.
 */
#define SPIN_NS  (100 * NS_A_US)
#define YIELD_NS (10 * NS_A_US)

/* How often a worker that does not come to sleep looks at the control path. */
#define CONTROL_NS NS_A_MS

/* How often plugins are polled that cannot wake the worker. */
#define RECENT_NS        (10 * NS_A_MS)
#define RECENT_TICK_NS   (100 * NS_A_US)
#define FIRST_TICK_NS    NS_A_MS
#define LAST_TICK_NS     (50 * NS_A_MS)
#define COMMANDS_TICK_NS NS_A_MS

enum fixed_fd {
	FD_CONTROL,
	FD_SIGNALS,
	FD_CHANNEL,
};

uint64_t uromw_wait_tick(uint64_t idle_ns, uint64_t last_ns, bool has_commands)
{
	const uint64_t longest_ns = has_commands ? COMMANDS_TICK_NS : LAST_TICK_NS;

	if (idle_ns < RECENT_NS)
		return RECENT_TICK_NS;
	if (last_ns < FIRST_TICK_NS)
		return FIRST_TICK_NS;
	return last_ns < longest_ns / 2 ? last_ns * 2 : longest_ns;
}

static void look_at_control(struct uromw_worker *worker, uint64_t now_ns)
{
	worker->wait.control_ns = now_ns;
	uromw_link_progress(worker);
	if (uromw_signals_is_end() && !worker->is_ending) {
		DOCA_LOG_INFO("a signal asks for the end");
		worker->is_ending = true;
	}
}

/* False: a plugin has something to do first. */
static bool arm_plugins(struct uromw_worker *worker, bool *is_polling, bool *has_commands)
{
	struct pollfd *fds = worker->wait.fds + UROMW_WAIT_FIXED_FDS;

	*is_polling = false;
	*has_commands = false;
	for (unsigned int i = 0; i < worker->num_plugins; i++) {
		struct uromw_plugin *plugin = &worker->plugins[i];
		const enum uromw_arm arm = uromw_plugin_arm(plugin);

		if (arm == UROMW_BUSY)
			return false;
		/* Of one that does not tell even what it tells by mistake is not heard. */
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
		if (arm == UROMW_ARMED)
			fds[i].fd = plugin->event_fd;
		*is_polling |= arm == UROMW_POLLED;
		*has_commands |= arm == UROMW_POLLED && plugin->num_outstanding > 0;
	}
	return true;
}

/* A descriptor that its plugin has closed, or that is none, would never let the worker sleep. */
static void look_at_plugin_fds(struct uromw_worker *worker)
{
	const struct pollfd *fds = worker->wait.fds + UROMW_WAIT_FIXED_FDS;

	for (unsigned int i = 0; i < worker->num_plugins; i++) {
		if (fds[i].fd >= 0 && (fds[i].revents & (POLLNVAL | POLLERR)) != 0)
			uromw_plugin_poll(&worker->plugins[i], "its event descriptor is broken");
	}
}

static void sleep_until(struct uromw_worker *worker, uint64_t now_ns, uint64_t until_ns)
{
	struct pollfd *fds = worker->wait.fds;
	const bool is_sending = chan_stream_is_sending(&worker->control);
	const uint64_t ns = until_ns > now_ns ? until_ns - now_ns : 0;
	const struct timespec timeout = {
		.tv_sec = (time_t)(ns / CORE_NS_A_SECOND),
		.tv_nsec = (long)(ns % CORE_NS_A_SECOND),
	};
	int ready;

	fds[FD_CONTROL].fd = worker->control.fd;
	fds[FD_CONTROL].events = (short)(POLLIN | (is_sending ? POLLOUT : 0));
	fds[FD_SIGNALS] = (struct pollfd){ .fd = uromw_signals_fd(), .events = POLLIN };
	fds[FD_CHANNEL] = (struct pollfd){ .fd = chan_get_fd(worker->chan), .events = POLLIN };
	ready = ppoll(fds, UROMW_WAIT_FIXED_FDS + worker->num_plugins,
		      until_ns != UINT64_MAX ? &timeout : NULL, NULL);
	if (ready <= 0)
		return;
	if (fds[FD_CONTROL].revents != 0 || fds[FD_SIGNALS].revents != 0)
		look_at_control(worker, now_ns);
	look_at_plugin_fds(worker);
}

static void sleep_for_event(struct uromw_worker *worker, uint64_t now_ns)
{
	struct uromw_wait *wait = &worker->wait;
	uint64_t until_ns = wait->expiry_ns;
	bool is_polling, has_commands;

	if (!chan_arm(worker->chan) || !arm_plugins(worker, &is_polling, &has_commands))
		return;
	if (is_polling) {
		wait->tick_ns =
		    uromw_wait_tick(now_ns - wait->traffic_ns, wait->tick_ns, has_commands);
		if (now_ns + wait->tick_ns < until_ns)
			until_ns = now_ns + wait->tick_ns;
	}
	sleep_until(worker, now_ns, until_ns);
}

/* Once in a while, or between two sleeps. */
static void look(struct uromw_worker *worker)
{
	struct uromw_wait *wait = &worker->wait;
	const uint64_t now_ns = core_now_ns();

	if (wait->is_active)
		wait->active_ns = now_ns;
	/* What the channel does to keep its connections alive is nothing to a plugin. */
	if (wait->has_traffic) {
		wait->traffic_ns = now_ns;
		wait->tick_ns = 0;
	}
	wait->is_active = false;
	wait->has_traffic = false;
	if (now_ns - wait->control_ns >= CONTROL_NS)
		look_at_control(worker, now_ns);
	wait->expiry_ns = uromw_conns_expire(&worker->conns, now_ns);
	if (worker->is_ending)
		return;
	if (now_ns - wait->active_ns < SPIN_NS) {
		wait->turns_to_look = TURNS_A_LOOK;
		wait->yields = now_ns - wait->active_ns >= YIELD_NS;
		return;
	}
	sleep_for_event(worker, now_ns);
}

void uromw_wait_turn(struct uromw_worker *worker, bool is_active)
{
	struct uromw_wait *wait = &worker->wait;

	wait->is_active |= is_active;
	if (wait->turns_to_look == 0) {
		look(worker);
		return;
	}
	wait->turns_to_look--;
	if (wait->yields && !is_active)
		(void)sched_yield();
}
