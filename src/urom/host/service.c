/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service.h"

#include <stdlib.h>

#include "core/dev.h"
#include "core/error.h"
#include "core/log.h"

CORE_LOG_REGISTER(UROM::SERVICE);

doca_error_t doca_urom_service_create(struct doca_urom_service **service_ctx)
{
	struct doca_urom_service *service;

	if (service_ctx == NULL)
		return core_null_argument(__func__);
	service = calloc(1, sizeof(*service));
	if (service == NULL)
		return DOCA_ERROR_NO_MEMORY;
	core_ctx_init(&service->base, &uromh_service_ops);
	service->max_message = UROMH_DEFAULT_MESSAGE;
	service->max_workers = UROMH_DEFAULT_MAX_WORKERS;
	pthread_mutex_init(&service->lock, NULL);
	TAILQ_INIT(&service->seats);
	TAILQ_INIT(&service->letters);
	TAILQ_INIT(&service->asked);
	service->group_pool.ctx = &service->base;
	service->group_pool.name = "get_workers_by_gid";
	service->group_pool.task_size = sizeof(struct doca_urom_service_get_workers_by_gid_task);
	*service_ctx = service;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_destroy(struct doca_urom_service *service_ctx)
{
	unsigned int num_users;

	if (service_ctx == NULL)
		return core_null_argument(__func__);
	if (core_ctx_check_idle(&service_ctx->base, __func__) != DOCA_SUCCESS)
		return DOCA_ERROR_NOT_PERMITTED;
	num_users = __atomic_load_n(&service_ctx->num_users, __ATOMIC_ACQUIRE);
	if (num_users > 0) {
		DOCA_LOG_ERR("service %p is not destroyed: %u workers refer to it",
			     (void *)service_ctx, num_users);
		return DOCA_ERROR_IN_USE;
	}
	core_ctx_fini(&service_ctx->base);
	uromh_groups_fini(service_ctx);
	if (service_ctx->dev != NULL)
		core_dev_release(service_ctx->dev);
	pthread_mutex_destroy(&service_ctx->lock);
	free(service_ctx);
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_set_max_comm_msg_size(struct doca_urom_service *service_ctx,
						     size_t msg_size)
{
	doca_error_t result;

	if (service_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&service_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (msg_size < UROMH_MIN_MESSAGE || msg_size > UROMH_MAX_MESSAGE) {
		DOCA_LOG_ERR("service %p: messages of %zu bytes are not in %u..%u",
			     (void *)service_ctx, msg_size, UROMH_MIN_MESSAGE, UROMH_MAX_MESSAGE);
		return DOCA_ERROR_INVALID_VALUE;
	}
	service_ctx->max_message = (uint32_t)msg_size;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_set_max_workers(struct doca_urom_service *service_ctx,
					       uint32_t max_workers)
{
	doca_error_t result;

	if (service_ctx == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&service_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (max_workers == 0 || (max_workers & (max_workers - 1)) != 0) {
		DOCA_LOG_ERR("service %p: %u workers are no power of two", (void *)service_ctx,
			     max_workers);
		return DOCA_ERROR_INVALID_VALUE;
	}
	service_ctx->max_workers = max_workers;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_set_dev(struct doca_urom_service *service_ctx, struct doca_dev *dev)
{
	doca_error_t result;

	if (service_ctx == NULL || dev == NULL)
		return core_null_argument(__func__);
	result = core_ctx_check_idle(&service_ctx->base, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	core_dev_hold(dev);
	if (service_ctx->dev != NULL)
		core_dev_release(service_ctx->dev);
	service_ctx->dev = dev;
	return DOCA_SUCCESS;
}

struct doca_ctx *doca_urom_service_as_ctx(struct doca_urom_service *service_ctx)
{
	if (service_ctx == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return &service_ctx->base;
}

static doca_error_t check_running(const struct doca_urom_service *service, const char *what)
{
	if (service->base.state == DOCA_CTX_STATE_RUNNING)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("%s: service %p is not running", what, (const void *)service);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t
doca_urom_service_get_plugins_list(struct doca_urom_service *service_ctx,
				   const struct doca_urom_service_plugin_info **plugins,
				   size_t *plugins_count)
{
	doca_error_t result;

	if (service_ctx == NULL || plugins == NULL || plugins_count == NULL)
		return core_null_argument(__func__);
	result = check_running(service_ctx, __func__);
	if (result != DOCA_SUCCESS)
		return result;
	if (service_ctx->num_plugins == 0) {
		DOCA_LOG_INFO("service %p has no plugins", (void *)service_ctx);
		return DOCA_ERROR_NOT_FOUND;
	}
	*plugins = service_ctx->plugins;
	*plugins_count = service_ctx->num_plugins;
	return DOCA_SUCCESS;
}

doca_error_t doca_urom_service_get_cpuset(struct doca_urom_service *service_ctx,
					  doca_cpu_set_t *cpuset)
{
	doca_error_t result;

	if (service_ctx == NULL || cpuset == NULL)
		return core_null_argument(__func__);
	result = check_running(service_ctx, __func__);
	if (result == DOCA_SUCCESS)
		*cpuset = service_ctx->cpuset;
	return result;
}

static bool is_part(const doca_cpu_set_t *part, const doca_cpu_set_t *whole)
{
	const uint8_t *wanted = (const void *)part;
	const uint8_t *offered = (const void *)whole;

	for (size_t i = 0; i < sizeof(*part); i++) {
		if ((wanted[i] & ~offered[i]) != 0)
			return false;
	}
	return true;
}

bool uromh_service_has_cpus(struct doca_urom_service *service, const doca_cpu_set_t *cpuset)
{
	bool has_them;

	pthread_mutex_lock(&service->lock);
	has_them = !uromh_service_is_running(service) || is_part(cpuset, &service->cpuset);
	pthread_mutex_unlock(&service->lock);
	return has_them;
}
