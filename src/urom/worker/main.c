/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doca_urom_worker: one worker process of the UROM service. The daemon starts it with one end of a
 * pair of sockets and the files of its plugins; hosts come over the channel. All of it is one loop:
 * channel, plugins, and a wait when there is nothing to do.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <doca_log.h>

#include "urom/chan/chan_address.h"
#include "urom/worker/attach.h"
#include "urom/worker/devices.h"
#include "urom/worker/link.h"
#include "urom/worker/notify.h"
#include "urom/worker/probe.h"
#include "urom/worker/signals.h"
#include "urom/worker/worker.h"

DOCA_LOG_REGISTER(UROM_WORKER);

/* What a sleep may be late by; the system's default is as long as the spin. */
#define TIMER_SLACK_NS 1000

/* What it says of itself and its libraries, which are its log, goes to standard error. */
static doca_error_t start_log(const struct uromw_options *options)
{
	struct doca_log_backend *backend;
	doca_error_t result;

	result = doca_log_level_set_global_lower_limit(options->log_level);
	if (result == DOCA_SUCCESS)
		result = doca_log_level_set_global_sdk_limit(options->sdk_log_level);
	if (result == DOCA_SUCCESS)
		result = doca_log_backend_create_with_fd(STDERR_FILENO, &backend);
	if (result == DOCA_SUCCESS)
		result = doca_log_backend_create_with_fd_sdk(STDERR_FILENO, &backend);
	return result;
}

static doca_error_t open_plugins(struct uromw_worker *worker, struct uromw_failure *failure)
{
	for (unsigned int i = 0; i < worker->options.num_plugins; i++) {
		const struct uromw_plugin_file *file = &worker->options.plugins[i];
		struct uromw_plugin *plugin = &worker->plugins[i];
		doca_error_t result = uromw_plugin_open(plugin, file->path, file->id, failure);

		if (result != DOCA_SUCCESS)
			return result;
		worker->plugin_of_bit[__builtin_ctzll(file->id)] = plugin;
		worker->num_plugins++;
	}
	return DOCA_SUCCESS;
}

static doca_error_t open_channel(struct uromw_worker *worker, struct uromw_failure *failure)
{
	const struct sockaddr *ip = (const struct sockaddr *)&worker->options.listen;
	char devices[UROMW_MAX_DEVICES] = "";
	const struct chan_config config = {
		.handler = &uromw_attach_handler,
		.arg = worker,
		.max_body = UROMW_MAX_GUEST_BODY,
		.is_local = chan_address_is_loopback(ip),
		.net_devices = devices,
	};
	doca_error_t result;

	/* Never on all: whoever reaches this process can end it, by way of UCX. */
	if (worker->options.channel == CHAN_UCX && !uromw_devices_find(ip, devices))
		return uromw_failure_set(failure, DOCA_ERROR_NOT_FOUND,
					 "no network interface has the address to listen on");
	result = uromw_room_init(&worker->packed, worker->options.max_message);
	if (result == DOCA_SUCCESS)
		result = chan_open(worker->options.channel, &config, &worker->chan);
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result, "the channel cannot be opened: %s",
					 doca_error_get_name(result));
	result = chan_listen(worker->chan, ip);
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result, "the channel cannot listen: %s",
					 doca_error_get_name(result));
	return DOCA_SUCCESS;
}

static void say_started(const struct uromw_worker *worker)
{
	char names[1024] = "", addr[CHAN_ADDR_TEXT];
	size_t len = 0;

	for (unsigned int i = 0; i < worker->num_plugins && len < sizeof(names); i++) {
		int added = snprintf(names + len, sizeof(names) - len, "%s%s", i > 0 ? ", " : "",
				     worker->plugins[i].name);

		len += added > 0 ? (size_t)added : 0;
	}
	DOCA_LOG_INFO("worker %" PRIu64 ": started as process %d, listens on %s, with %s",
		      worker->options.id, (int)getpid(), chan_get_address_text(worker->chan, addr),
		      names);
}

static doca_error_t start(struct uromw_worker *worker, struct uromw_failure *failure)
{
	doca_error_t result;

	result = uromw_signals_start();
	if (result == DOCA_SUCCESS)
		result = uromw_watchdog_start(worker->options.plugin_timeout_s,
					      worker->options.log_level, worker->options.call_fd);
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result,
					 "signals or watchdog cannot be set up: %s",
					 doca_error_get_name(result));
	(void)prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS); /* otherwise polling is only less exact */
	result = uromw_link_open(worker, failure);
	if (result == DOCA_SUCCESS)
		result = open_plugins(worker, failure);
	if (result == DOCA_SUCCESS)
		result = open_channel(worker, failure);
	if (result == DOCA_SUCCESS)
		result = uromw_link_ready(worker, failure);
	return result;
}

static void run(struct uromw_worker *worker)
{
	while (!worker->is_ending) {
		bool is_active = chan_progress(worker->chan);

		for (unsigned int i = 0; i < worker->num_plugins; i++)
			is_active |= uromw_notify_collect(worker, &worker->plugins[i]);
		uromw_wait_turn(worker, is_active);
	}
}

/* The watchdog sees to it that this comes to an end. */
static void stop(struct uromw_worker *worker)
{
	uromw_watchdog_end_begins();
	chan_close(worker->chan);
	for (unsigned int i = worker->num_plugins; i-- > 0;)
		uromw_plugin_close(&worker->plugins[i]);
	uromw_conns_fini(&worker->conns);
	uromw_outstanding_fini(&worker->outstanding);
	uromw_room_fini(&worker->packed);
	uromw_link_close(worker);
}

static enum uromw_exit worker_main(struct uromw_worker *worker)
{
	struct uromw_failure failure;

	if (start(worker, &failure) == DOCA_SUCCESS) {
		say_started(worker);
		run(worker);
		DOCA_LOG_INFO("worker %" PRIu64 ": closing", worker->options.id);
	} else {
		DOCA_LOG_ERR("worker %" PRIu64 ": does not start: %s", worker->options.id,
			     failure.text);
		uromw_link_fail(worker, &failure);
		worker->status = UROMW_EXIT_FAILED;
	}
	stop(worker);
	/* What is left to be done is their destructors' work. */
	uromw_watch_begin("(destructors)", 0, WIRE_CALL_EXIT);
	return worker->status;
}

int main(int argc, char **argv)
{
	static struct uromw_worker worker; /* plugins keep addresses in it, and it is large */
	struct uromw_failure failure;

	if (uromw_options_parse(argc, argv, &worker.options, &failure) != DOCA_SUCCESS) {
		(void)fprintf(stderr, "doca_urom_worker: %s; see --help\n", failure.text);
		return UROMW_EXIT_USAGE;
	}
	if (worker.options.is_help) {
		uromw_options_print(stdout);
		return UROMW_EXIT_ENDED;
	}
	if (worker.options.probe != NULL)
		return uromw_probe_main(worker.options.probe);
	if (start_log(&worker.options) != DOCA_SUCCESS) {
		(void)fprintf(stderr, "doca_urom_worker: no memory for a log\n");
		return UROMW_EXIT_FAILED;
	}
	return worker_main(&worker);
}
