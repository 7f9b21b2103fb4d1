/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/fork.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::DEV);

static LIST_HEAD(, doca_dev) devs = LIST_HEAD_INITIALIZER(devs);
static uint32_t last_id;

struct doca_devinfo *core_dev_list_add(struct core_dev_list *list)
{
	struct doca_devinfo *added;

	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity > 0 ? 2 * list->capacity : 8;
		struct doca_devinfo *infos = reallocarray(list->infos, capacity, sizeof(*infos));

		if (infos == NULL)
			return NULL;
		list->infos = infos;
		list->capacity = capacity;
	}
	added = &list->infos[list->count++];
	memset(added, 0, sizeof(*added));
	added->vhca_id = (uint16_t)list->count; /* several devices may share one interface */
	return added;
}

/*
 * The array that the application gets: pointers, a NULL, and the findings behind them, all in one
 * block, so that the list is freed as a whole.
 */
static struct doca_devinfo **list_to_array(const struct core_dev_list *list)
{
	size_t pointers = (list->count + 1) * sizeof(struct doca_devinfo *);
	struct doca_devinfo **array;
	struct doca_devinfo *infos;

	_Static_assert(_Alignof(struct doca_devinfo) <= sizeof(void *), "infos follow pointers");
	array = malloc(pointers + list->count * sizeof(*infos));
	if (array == NULL)
		return NULL;
	infos = (struct doca_devinfo *)(void *)(array + list->count + 1);
	for (uint32_t i = 0; i < list->count; i++) {
		infos[i] = list->infos[i];
		array[i] = &infos[i];
	}
	array[list->count] = NULL;
	return array;
}

doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	struct core_dev_list list = { .infos = NULL };
	struct doca_devinfo **array = NULL;
	doca_error_t result;

	if (dev_list == NULL || nb_devs == NULL)
		return core_null_argument(__func__);
	result = core_dev_ibv_find(&list);
	if (result == DOCA_SUCCESS)
		result = core_dev_net_find(&list);
	if (result == DOCA_SUCCESS) {
		array = list_to_array(&list);
		result = array != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
	}
	if (result == DOCA_SUCCESS) {
		*dev_list = array;
		*nb_devs = list.count;
	}
	free(list.infos);
	return result;
}

doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	if (dev_list == NULL)
		return core_null_argument(__func__);
	free(dev_list);
	return DOCA_SUCCESS;
}

static struct doca_dev *dev_find_open(const struct doca_devinfo *info)
{
	struct doca_dev *dev;

	LIST_FOREACH(dev, &devs, link)
	{
		if (dev->info.kind == info->kind &&
		    strcmp(dev->info.ibdev_name, info->ibdev_name) == 0)
			return dev;
	}
	return NULL;
}

/* Called with the lock held. */
static doca_error_t dev_open_new(const struct doca_devinfo *info, struct doca_dev **dev)
{
	struct doca_dev *opened = calloc(1, sizeof(*opened));
	doca_error_t result = DOCA_SUCCESS;

	if (opened == NULL)
		return DOCA_ERROR_NO_MEMORY;
	opened->info = *info;
	if (info->kind == CORE_DEV_VERBS)
		result = core_dev_ibv_open(opened);
	if (result != DOCA_SUCCESS) {
		free(opened);
		return result;
	}
	opened->id = ++last_id;
	LIST_INSERT_HEAD(&devs, opened, link);
	*dev = opened;
	return DOCA_SUCCESS;
}

doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	doca_error_t result = DOCA_SUCCESS;
	struct doca_dev *opened;

	if (devinfo == NULL || dev == NULL)
		return core_null_argument(__func__);
	pthread_mutex_lock(&core_dev_lock);
	opened = dev_find_open(devinfo);
	if (opened == NULL)
		result = dev_open_new(devinfo, &opened);
	if (result == DOCA_SUCCESS) {
		opened->num_opens++;
		*dev = opened;
	}
	pthread_mutex_unlock(&core_dev_lock);
	return result;
}

static void dev_destroy(struct doca_dev *dev)
{
	LIST_REMOVE(dev, link);
	if (dev->verbs != NULL)
		core_dev_ibv_close(dev);
	free(dev);
}

doca_error_t doca_dev_close(struct doca_dev *dev)
{
	unsigned int num_users = 0;

	if (dev == NULL)
		return core_null_argument(__func__);
	pthread_mutex_lock(&core_dev_lock);
	if (dev->num_opens > 1)
		dev->num_opens--;
	else if (dev->num_users == 0)
		dev_destroy(dev);
	else
		num_users = dev->num_users;
	pthread_mutex_unlock(&core_dev_lock);
	if (num_users == 0)
		return DOCA_SUCCESS;
	/* Not under the lock; and it was refused, so the device is still there. */
	DOCA_LOG_ERR("device %s is not closed: in use %u times, by contexts, mmaps or events",
		     dev->info.ibdev_name, num_users);
	return DOCA_ERROR_IN_USE;
}

void core_dev_hold(struct doca_dev *dev)
{
	pthread_mutex_lock(&core_dev_lock);
	dev->num_users++;
	pthread_mutex_unlock(&core_dev_lock);
}

void core_dev_release(struct doca_dev *dev)
{
	pthread_mutex_lock(&core_dev_lock);
	dev->num_users--;
	pthread_mutex_unlock(&core_dev_lock);
}

struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev)
{
	if (dev == NULL) {
		(void)core_null_argument(__func__); /* there is no way to return it */
		return NULL;
	}
	return (struct doca_devinfo *)(uintptr_t)&dev->info; /* NOLINT: the API drops the const */
}

doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev)
{
	if (dev == NULL)
		return core_null_argument(__func__);
	DOCA_LOG_ERR("device %s has no resource reclaim", dev->info.ibdev_name);
	return DOCA_ERROR_NOT_SUPPORTED;
}
