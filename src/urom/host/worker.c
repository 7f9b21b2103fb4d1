/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/worker.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(UROM::WORKER);

/* The only bits that plugins can have. */
#define PLUGIN_BITS ((UINT64_C(1) << UROMH_MAX_PLUGINS) - 1)

doca_error_t doca_urom_worker_create(struct doca_urom_worker **worker_ctx)
{
	struct doca_urom_worker *worker;

	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	worker = calloc(1, sizeof(*worker));
	if (worker == NULL)
		return DOCA_ERROR_NO_MEMORY;
	core_ctx_init(&worker->base, &uromh_worker_ops);
	worker->id = DOCA_UROM_WORKER_ID_ANY;
	worker->max_inflight = UROMH_DEFAULT_INFLIGHT;
	TAILQ_INIT(&worker->flights);
	for (size_t i = 0; i < UROMH_NUM_POOLS; i++) {
		worker->pools[i].ctx = &worker->base;
		worker->pools[i].name = "command";
		worker->pools[i].task_size = sizeof(struct doca_urom_worker_cmd_task);
	}
	*worker_ctx = worker;
	return DOCA_SUCCESS;
}

static void refer(struct doca_urom_worker *worker, struct doca_urom_service *service)
{
	if (service != NULL)
		__atomic_add_fetch(&service->num_users, 1, __ATOMIC_RELAXED);
	if (worker->service != NULL)
		__atomic_sub_fetch(&worker->service->num_users, 1, __ATOMIC_RELEASE);
	worker->service = service;
}

doca_error_t doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx)
{
	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	if (core_ctx_check_idle(&worker_ctx->base, __func__) != DOCA_SUCCESS)
		return DOCA_ERROR_IN_USE;
	core_ctx_fini(&worker_ctx->base);
	uromh_cmds_fini(worker_ctx);
	refer(worker_ctx, NULL);
	free(worker_ctx->environment);
	free(worker_ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_service(struct doca_urom_worker *worker_ctx,
					  struct doca_urom_service *service_ctx)
{
	doca_error_t result;

	if (worker_ctx == NULL || service_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result == DOCA_SUCCESS)
		refer(worker_ctx, service_ctx);
	return result;
}

doca_error_t doca_urom_worker_set_id(struct doca_urom_worker *worker_ctx, uint64_t worker_id)
{
	doca_error_t result;

	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result == DOCA_SUCCESS)
		worker_ctx->id = worker_id;
	return result;
}

doca_error_t doca_urom_worker_set_plugins(struct doca_urom_worker *worker_ctx, uint64_t plugins)
{
	doca_error_t result;

	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (plugins == 0 || (plugins & ~PLUGIN_BITS) != 0) {
		DOCA_LOG_ERR("worker %p: 0x%lx are no plugins", (void *)worker_ctx,
			     (unsigned long)plugins);
		return DOCA_ERROR_INVALID_VALUE;
	}
	worker_ctx->plugins = plugins;
	return DOCA_SUCCESS;
}

static bool is_empty(const doca_cpu_set_t *cpuset)
{
	static const doca_cpu_set_t empty;

	return memcmp(cpuset, &empty, sizeof(empty)) == 0;
}

doca_error_t doca_urom_worker_set_cpuset(struct doca_urom_worker *worker_ctx, doca_cpu_set_t cpuset)
{
	doca_error_t result;

	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (is_empty(&cpuset)) {
		DOCA_LOG_ERR("worker %p: a set of no processors", (void *)worker_ctx);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (worker_ctx->service != NULL && !uromh_service_has_cpus(worker_ctx->service, &cpuset)) {
		DOCA_LOG_ERR("worker %p: processors that are not the service's",
			     (void *)worker_ctx);
		return DOCA_ERROR_INVALID_VALUE;
	}
	worker_ctx->cpuset = cpuset;
	worker_ctx->has_cpuset = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_gid(struct doca_urom_worker *worker_ctx, uint32_t gid)
{
	doca_error_t result;

	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	worker_ctx->group = gid;
	worker_ctx->has_group = true;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_set_max_inflight_tasks(struct doca_urom_worker *worker_ctx,
						     uint32_t max_tasks)
{
	doca_error_t result;
	uint32_t rounded = 1;

	if (worker_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (max_tasks == 0 || max_tasks > UROMH_MAX_INFLIGHT) {
		DOCA_LOG_ERR("worker %p: %u commands in flight are not in 1..%u",
			     (void *)worker_ctx, max_tasks, UROMH_MAX_INFLIGHT);
		return DOCA_ERROR_INVALID_VALUE;
	}
	while (rounded < max_tasks)
		rounded *= 2;
	worker_ctx->max_inflight = rounded;
	return DOCA_SUCCESS;
}

/* The bytes that the entries take as a list; 0: one of them is none, or they are too many. */
static size_t measure_env(char *const env[], size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++) {
		const char *equals = env[i] != NULL ? strchr(env[i], '=') : NULL;
		size_t len;

		if (equals == NULL || equals == env[i])
			return 0;
		len = strlen(env[i]);
		if (len > WIRE_MAX_ENTRY)
			return 0;
		size += sizeof(uint32_t) + len;
		if (size > WIRE_MAX_LIST)
			return 0;
	}
	return size;
}

doca_error_t doca_urom_worker_set_env(struct doca_urom_worker *worker_ctx, char *const env[],
				      size_t count)
{
	doca_error_t result;
	uint8_t *list;
	size_t size, used = 0, len;

	if (worker_ctx == NULL || env == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&worker_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	size = measure_env(env, count);
	if (size == 0) {
		DOCA_LOG_ERR("worker %p: the environment must be entries NAME=value, %u bytes at "
			     "most",
			     (void *)worker_ctx, WIRE_MAX_LIST);
		return DOCA_ERROR_INVALID_VALUE;
	}
	list = malloc(size);
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (size_t i = 0; i < count; i++, used += len) {
		const struct wire_entry entry = { { env[i], (uint32_t)strlen(env[i]) } };

		/* Cannot fail: it was measured. */
		(void)wire_encode(&wire_entry_message, &entry, list + used, size - used, &len);
	}
	free(worker_ctx->environment);
	worker_ctx->environment = list;
	worker_ctx->environment_len = (uint32_t)size;
	return DOCA_SUCCESS;
}

/* Is what the daemon said of the worker known? */
static bool has_come(const struct doca_urom_worker *worker)
{
	return worker->base.state == DOCA_CTX_STATE_RUNNING ||
	       worker->base.state == DOCA_CTX_STATE_STOPPING;
}

doca_error_t doca_urom_worker_get_id(struct doca_urom_worker *worker_ctx, uint64_t *worker_id)
{
	if (worker_ctx == NULL || worker_id == NULL)
		return core_null_argument(__func__);
	*worker_id = has_come(worker_ctx) ? worker_ctx->real_id : worker_ctx->id;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_worker_get_gid(struct doca_urom_worker *worker_ctx, uint32_t *worker_gid)
{
	bool is_real;

	if (worker_ctx == NULL || worker_gid == NULL)
		return core_null_argument(__func__);
	is_real = has_come(worker_ctx);
	if (is_real ? !worker_ctx->has_real_group : !worker_ctx->has_group)
		return DOCA_ERROR_NOT_FOUND;
	*worker_gid = is_real ? worker_ctx->real_group : worker_ctx->group;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_urom_worker_as_ctx(struct doca_urom_worker *worker_ctx)
{
	if (worker_ctx == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &worker_ctx->base;
}
