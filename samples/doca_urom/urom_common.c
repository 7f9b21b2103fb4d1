/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_common.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <doca_argp.h>
#include <doca_ctx.h>
#include <doca_log.h>

#include "common.h"

DOCA_LOG_REGISTER(SAMPLE::UROM_COMMON);

static doca_error_t on_device(void *value, void *config)
{
	struct urom_common_cfg *cfg = config;
	const char *name = value;
	size_t len = strlen(name);

	if (len == 0 || len >= sizeof(cfg->device_name)) {
		DOCA_LOG_ERR("the name of a device has 1 to %zu characters",
			     sizeof(cfg->device_name) - 1);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(cfg->device_name, name, len + 1);
	return DOCA_SUCCESS;
}

doca_error_t urom_common_register_params(void)
{
	struct doca_argp_param *param;
	doca_error_t result;

	result = sample_check("make a parameter", doca_argp_param_create(&param));
	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_short_name(param, "d");
	doca_argp_param_set_long_name(param, "device");
	doca_argp_param_set_arguments(param, "<IB device name>");
	doca_argp_param_set_description(
	    param, "Device whose service is used (default " UROM_COMMON_DEFAULT_DEVICE ")");
	doca_argp_param_set_callback(param, on_device);
	doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
	return sample_check("register a parameter", doca_argp_register_param(param));
}

doca_error_t urom_common_service_start(struct doca_pe *pe, struct doca_dev *dev,
				       uint32_t max_workers, struct doca_urom_service **service)
{
	struct doca_urom_service *made;
	doca_error_t result;

	result = sample_check("make a service", doca_urom_service_create(&made));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_pe_connect_ctx(pe, doca_urom_service_as_ctx(made));
	if (result == DOCA_SUCCESS)
		result = doca_urom_service_set_max_workers(made, max_workers);
	if (result == DOCA_SUCCESS)
		result = doca_urom_service_set_dev(made, dev);
	/* This connects to the daemon: the service is RUNNING afterwards. */
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(doca_urom_service_as_ctx(made));
	if (result != DOCA_SUCCESS) {
		(void)doca_urom_service_destroy(made); /* it is IDLE */
		return sample_check("start the service", result);
	}
	*service = made;
	return DOCA_SUCCESS;
}

doca_error_t urom_common_service_end(struct doca_pe *pe, struct doca_urom_service *service)
{
	doca_error_t result;

	if (service == NULL)
		return DOCA_SUCCESS;
	result =
	    sample_check("stop the service", sample_stop(pe, doca_urom_service_as_ctx(service)));
	if (result == DOCA_SUCCESS)
		result = sample_check("free the service", doca_urom_service_destroy(service));
	return result;
}

doca_error_t urom_common_find_plugin(struct doca_urom_service *service, const char *name,
				     const struct doca_urom_service_plugin_info **plugin)
{
	const struct doca_urom_service_plugin_info *plugins, *found = NULL;
	doca_error_t result;
	size_t count;

	result = sample_check("list the plugins",
			      doca_urom_service_get_plugins_list(service, &plugins, &count));
	if (result != DOCA_SUCCESS)
		return result;
	for (size_t i = 0; i < count; i++) {
		DOCA_LOG_INFO("found plugin %s, version %" PRIu64 ", id 0x%" PRIx64,
			      plugins[i].plugin_name, plugins[i].version, plugins[i].id);
		if (strcmp(plugins[i].plugin_name, name) == 0)
			found = &plugins[i];
	}
	if (found == NULL) {
		DOCA_LOG_ERR("the service has no plugin %s; is UROM_PLUGIN_PATH of the daemon set?",
			     name);
		return DOCA_ERROR_NOT_FOUND;
	}
	*plugin = found;
	return DOCA_SUCCESS;
}

static doca_error_t configure_worker(struct doca_urom_worker *worker,
				     const struct urom_common_worker_cfg *cfg)
{
	doca_error_t result;

	result = doca_urom_worker_set_service(worker, cfg->service);
	if (result == DOCA_SUCCESS)
		result = doca_urom_worker_set_id(worker, cfg->id);
	if (result == DOCA_SUCCESS)
		result = doca_urom_worker_set_gid(worker, cfg->gid);
	if (result == DOCA_SUCCESS)
		result = doca_urom_worker_set_plugins(worker, cfg->plugins);
	if (result == DOCA_SUCCESS)
		result = doca_urom_worker_set_cpuset(worker, cfg->cpuset);
	if (result == DOCA_SUCCESS)
		result = doca_urom_worker_set_max_inflight_tasks(worker, cfg->max_inflight);
	return sample_check("configure the worker", result);
}

/* Waits while a context is in a state. state: written. */
static doca_error_t wait_while(struct doca_pe *pe, const struct doca_ctx *ctx,
			       enum doca_ctx_states transient, enum doca_ctx_states *state)
{
	struct pollfd engine;
	doca_error_t result;

	result = doca_ctx_get_state(ctx, state);
	while (result == DOCA_SUCCESS && *state == transient) {
		result = urom_common_wait(pe, &engine, 1);
		if (result == DOCA_SUCCESS)
			result = doca_ctx_get_state(ctx, state);
	}
	return result;
}

static doca_error_t start_worker(struct doca_pe *pe, struct doca_urom_worker *worker)
{
	struct doca_ctx *ctx = doca_urom_worker_as_ctx(worker);
	enum doca_ctx_states state;
	doca_error_t result;

	result = doca_pe_connect_ctx(pe, ctx);
	if (result == DOCA_SUCCESS)
		result = doca_ctx_start(ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		return result;
	result = wait_while(pe, ctx, DOCA_CTX_STATE_STARTING, &state);
	if (result == DOCA_SUCCESS && state != DOCA_CTX_STATE_RUNNING)
		return DOCA_ERROR_BAD_STATE;
	return result;
}

doca_error_t urom_common_worker_start(struct doca_pe *pe, const struct urom_common_worker_cfg *cfg,
				      struct doca_urom_worker **worker)
{
	struct doca_urom_worker *made;
	doca_error_t result;

	result = sample_check("make a worker", doca_urom_worker_create(&made));
	if (result != DOCA_SUCCESS)
		return result;
	result = configure_worker(made, cfg);
	if (result == DOCA_SUCCESS)
		result = sample_check("start the worker", start_worker(pe, made));
	if (result != DOCA_SUCCESS) {
		(void)urom_common_worker_end(pe, made);
		return result;
	}
	*worker = made;
	return DOCA_SUCCESS;
}

doca_error_t urom_common_worker_end(struct doca_pe *pe, struct doca_urom_worker *worker)
{
	enum doca_ctx_states state;
	doca_error_t result;

	if (worker == NULL)
		return DOCA_SUCCESS;
	result = doca_ctx_stop(doca_urom_worker_as_ctx(worker));
	if (result == DOCA_ERROR_IN_PROGRESS)
		result = wait_while(pe, doca_urom_worker_as_ctx(worker), DOCA_CTX_STATE_STOPPING,
				    &state);
	if (result == DOCA_SUCCESS)
		result = doca_urom_worker_destroy(worker);
	return sample_check("stop the worker", result);
}

/*
 * One cycle of event mode. What happens between the last progress and the sleep is not lost: it
 * makes the descriptor of the engine readable as soon as the notification was asked for.
 */
doca_error_t urom_common_wait(struct doca_pe *pe, struct pollfd *fds, nfds_t count)
{
	doca_notification_handle_t handle;
	doca_error_t result;

	result = doca_pe_get_notification_handle(pe, &handle);
	if (result == DOCA_SUCCESS)
		result = doca_pe_request_notification(pe);
	if (result == DOCA_SUCCESS) {
		fds[0] = (struct pollfd){ .fd = handle, .events = POLLIN };
		if (poll(fds, count, -1) < 0 && errno != EINTR)
			result = DOCA_ERROR_OPERATING_SYSTEM;
		(void)doca_pe_clear_notification(pe, handle);
	}
	(void)doca_pe_progress(pe); /* what it has done shows in states and callbacks */
	return result;
}
