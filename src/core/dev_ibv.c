/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/dev.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dev_sysfs.h"
#include "core/fork.h"
#include "core/log.h"

/*
 * Verbs devices, through a libibverbs that is looked for at run time, so that one build serves
 * machines with and without it. The few calls that are needed take opaque pointers; what there is
 * to know of a device stands in /sys/class/infiniband. A device is described by its first port.
 */

CORE_LOG_REGISTER(CORE::DEV_IBV);

#define VERBS_LIBRARY "libibverbs.so.1"
#define VERBS_CLASS   "infiniband"

#define BITS_PER_GBIT UINT64_C(1000000000)
#define MAX_RATE      (1000000 * BITS_PER_GBIT)

struct ibv_device;
struct ibv_context;
struct ibv_pd;

/* The calls of libibverbs, under its own names. */
struct verbs_calls {
	struct ibv_device **(*ibv_get_device_list)(int *count);
	void (*ibv_free_device_list)(struct ibv_device **list);
	const char *(*ibv_get_device_name)(struct ibv_device *device);
	struct ibv_context *(*ibv_open_device)(struct ibv_device *device);
	int (*ibv_close_device)(struct ibv_context *context);
	struct ibv_pd *(*ibv_alloc_pd)(struct ibv_context *context);
	int (*ibv_dealloc_pd)(struct ibv_pd *pd);
};

struct core_ibv_dev {
	struct ibv_context *context;
	struct ibv_pd *pd;
};

#define VERBS_CALL(name)                                  \
	{                                                 \
#name, offsetof(struct verbs_calls, name) \
	}

static const struct {
	const char *name;
	size_t offset;
} verbs_symbols[] = {
	VERBS_CALL(ibv_get_device_list), VERBS_CALL(ibv_free_device_list),
	VERBS_CALL(ibv_get_device_name), VERBS_CALL(ibv_open_device),
	VERBS_CALL(ibv_close_device),    VERBS_CALL(ibv_alloc_pd),
	VERBS_CALL(ibv_dealloc_pd),
};
_Static_assert(sizeof(struct verbs_calls) == CORE_ARRAY_LEN(verbs_symbols) * sizeof(void *),
	       "a symbol for each call");

static pthread_once_t verbs_once = PTHREAD_ONCE_INIT;
static struct verbs_calls verbs_loaded;
static bool verbs_is_loaded;

static void verbs_load(void)
{
	/* Never closed: its providers keep state for the life of the process. */
	void *library = dlopen(VERBS_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (library == NULL) {
		DOCA_LOG_DBG("no verbs devices: %s", dlerror());
		return;
	}
	for (size_t i = 0; i < CORE_ARRAY_LEN(verbs_symbols); i++) {
		void *symbol = dlsym(library, verbs_symbols[i].name);

		if (symbol == NULL) {
			DOCA_LOG_WARN("no verbs devices: %s lacks %s", VERBS_LIBRARY,
				      verbs_symbols[i].name);
			return;
		}
		memcpy((char *)&verbs_loaded + verbs_symbols[i].offset, &symbol, sizeof(symbol));
	}
	verbs_is_loaded = true;
}

/* The calls, or NULL where there is no libibverbs. */
static const struct verbs_calls *verbs_get(void)
{
	(void)pthread_once(&verbs_once, verbs_load); /* fails only for a bad argument */
	return verbs_is_loaded ? &verbs_loaded : NULL;
}

/* NULL: there are none. devices: to be given back with devices_put(). */
static struct ibv_device **devices_get(const struct verbs_calls *verbs, int *count)
{
	struct ibv_device **devices;

	pthread_mutex_lock(&core_verbs_lock);
	devices = verbs->ibv_get_device_list(count);
	pthread_mutex_unlock(&core_verbs_lock);
	return devices;
}

static void devices_put(const struct verbs_calls *verbs, struct ibv_device **devices)
{
	pthread_mutex_lock(&core_verbs_lock);
	verbs->ibv_free_device_list(devices);
	pthread_mutex_unlock(&core_verbs_lock);
}

static void describe_iface(struct doca_devinfo *info)
{
	char iface[DOCA_DEVINFO_IFACE_NAME_SIZE];

	if (core_sysfs_read(VERBS_CLASS, info->ibdev_name, "ports/1/gid_attrs/ndevs/0", iface,
			    sizeof(iface)))
		core_dev_describe_iface(info, iface);
}

static void describe_function(struct doca_devinfo *info)
{
	const char *name = info->ibdev_name;
	uint64_t number;

	(void)core_sysfs_pci_addr(VERBS_CLASS, name, info->pci_addr); /* else the interface's */
	if (core_sysfs_exists(VERBS_CLASS, name, "device/physfn"))
		info->func_type = DOCA_PCI_FUNC_TYPE_VF;
	if (core_sysfs_read_number(VERBS_CLASS, name, "device/sfnum", UINT32_MAX, &number)) {
		info->func_type = DOCA_PCI_FUNC_TYPE_SF;
		info->sf_index = (uint32_t)number;
		info->has |= CORE_DEV_HAS_SF;
	}
}

/*
 * Bits per second of "2.5 Gb/sec (1X SDR)", 0 when it is something else. By hand: the application's
 * locale may have another decimal point than the kernel.
 */
static uint64_t parse_rate(const char *text)
{
	uint64_t unit = BITS_PER_GBIT;
	uint64_t rate = 0;

	for (; *text >= '0' && *text <= '9' && rate < MAX_RATE; text++)
		rate = 10 * rate + (uint64_t)(*text - '0') * BITS_PER_GBIT;
	if (*text != '.')
		return rate;
	for (text++; *text >= '0' && *text <= '9'; text++) {
		unit /= 10;
		rate += (uint64_t)(*text - '0') * unit;
	}
	return rate;
}

static void describe_port(struct doca_devinfo *info)
{
	const char *name = info->ibdev_name;
	char rate[64], link_layer[32];
	uint64_t number;

	if (core_sysfs_read(VERBS_CLASS, name, "ports/1/rate", rate, sizeof(rate)) &&
	    parse_rate(rate) > 0)
		info->active_rate = parse_rate(rate);
	if (core_sysfs_read(VERBS_CLASS, name, "ports/1/link_layer", link_layer,
			    sizeof(link_layer)) &&
	    strcmp(link_layer, "InfiniBand") == 0 &&
	    core_sysfs_read_number(VERBS_CLASS, name, "ports/1/lid", UINT16_MAX, &number)) {
		info->lid = (uint16_t)number;
		info->has |= CORE_DEV_HAS_LID;
		info->has &= ~CORE_DEV_HAS_MAC; /* that of IPoIB is not the port's */
	}
}

static doca_error_t add_device(struct core_dev_list *list, const char *name)
{
	struct doca_devinfo *info = core_dev_list_add(list);

	if (info == NULL)
		return DOCA_ERROR_NO_MEMORY;
	info->kind = CORE_DEV_VERBS;
	(void)snprintf(info->ibdev_name, sizeof(info->ibdev_name), "%s", name);
	describe_iface(info);
	describe_function(info);
	describe_port(info);
	return DOCA_SUCCESS;
}

doca_error_t core_dev_ibv_find(struct core_dev_list *list)
{
	const struct verbs_calls *verbs = verbs_get();
	doca_error_t result = DOCA_SUCCESS;
	struct ibv_device **devices;
	int count = 0;

	if (verbs == NULL)
		return DOCA_SUCCESS;
	devices = devices_get(verbs, &count);
	if (devices == NULL) { /* ENOSYS where the kernel has no verbs */
		DOCA_LOG_DBG("no verbs devices: %s", strerror(errno));
		return DOCA_SUCCESS;
	}
	for (int i = 0; i < count && result == DOCA_SUCCESS; i++)
		result = add_device(list, verbs->ibv_get_device_name(devices[i]));
	devices_put(verbs, devices);
	return result;
}

static struct ibv_context *open_by_name(const struct verbs_calls *verbs, const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **devices;
	int count = 0;

	devices = devices_get(verbs, &count);
	if (devices == NULL)
		return NULL;
	for (int i = 0; i < count && context == NULL; i++) {
		if (strcmp(verbs->ibv_get_device_name(devices[i]), name) == 0)
			context = verbs->ibv_open_device(devices[i]);
	}
	devices_put(verbs, devices);
	return context;
}

doca_error_t core_dev_ibv_open(struct doca_dev *dev)
{
	const struct verbs_calls *verbs = verbs_get();
	struct core_ibv_dev *ibv = calloc(1, sizeof(*ibv));

	if (ibv == NULL)
		return DOCA_ERROR_NO_MEMORY;
	dev->verbs = ibv;
	ibv->context = open_by_name(verbs, dev->info.ibdev_name);
	if (ibv->context == NULL) {
		DOCA_LOG_ERR("device %s cannot be opened: %s", dev->info.ibdev_name,
			     strerror(errno));
		core_dev_ibv_close(dev);
		return DOCA_ERROR_NOT_CONNECTED;
	}
	ibv->pd = verbs->ibv_alloc_pd(ibv->context);
	if (ibv->pd == NULL) {
		DOCA_LOG_ERR("device %s has no protection domain left: %s", dev->info.ibdev_name,
			     strerror(errno));
		core_dev_ibv_close(dev);
		return DOCA_ERROR_NO_MEMORY;
	}
	return DOCA_SUCCESS;
}

void core_dev_ibv_close(struct doca_dev *dev)
{
	const struct verbs_calls *verbs = verbs_get();
	struct core_ibv_dev *ibv = dev->verbs;

	if (ibv->pd != NULL && verbs->ibv_dealloc_pd(ibv->pd) != 0)
		DOCA_LOG_WARN("device %s keeps its protection domain: it is in use",
			      dev->info.ibdev_name);
	if (ibv->context != NULL)
		(void)verbs->ibv_close_device(ibv->context); /* nothing is left to undo */
	free(ibv);
	dev->verbs = NULL;
}
