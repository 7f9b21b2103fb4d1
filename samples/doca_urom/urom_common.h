/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_COMMON_H_
#define UROM_COMMON_H_

/* What the UROM samples share: their device parameter, a service, its plugins, a worker, waiting.
 */

#include <poll.h>
#include <stdint.h>

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <doca_urom.h>

#define UROM_COMMON_DEFAULT_DEVICE "mlx5_0"

/* The first member of what a sample gives to doca_argp_init(). */
struct urom_common_cfg {
	char device_name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
};

/*
 * Registers -d/--device, after doca_argp_init().
 * Errors: those of doca_argp_register_param().
 */
doca_error_t urom_common_register_params(void);

/*
 * Makes a service on an engine and connects it to the daemon of the device.
 * dev, pe: borrowed, must outlive it. service: owned, end with urom_common_service_end(); written
 * on success only. Errors: those of the setters and of doca_ctx_start(), which the library has
 * explained.
 */
doca_error_t urom_common_service_start(struct doca_pe *pe, struct doca_dev *dev,
				       uint32_t max_workers, struct doca_urom_service **service);

/*
 * Stops a service whose workers have all ended, and frees it; its tasks in flight are flushed.
 * pe: its engine. service: may be NULL.
 * Errors: those of doca_ctx_stop() and doca_urom_service_destroy().
 */
doca_error_t urom_common_service_end(struct doca_pe *pe, struct doca_urom_service *service);

/*
 * Logs a line about each plugin of the service, and finds the one of that name.
 * plugin: lent until the service stops.
 * Errors: NOT_FOUND: there is none of that name. Others: those of
 * doca_urom_service_get_plugins_list().
 */
doca_error_t urom_common_find_plugin(struct doca_urom_service *service, const char *name,
				     const struct doca_urom_service_plugin_info **plugin);

/* What a worker is to be. */
struct urom_common_worker_cfg {
	struct doca_urom_service *service;
	uint64_t id;
	uint32_t gid;
	uint64_t plugins;
	doca_cpu_set_t cpuset;
	uint32_t max_inflight;
};

/*
 * Makes a worker on an engine and waits until it is RUNNING. Somebody must drive the engine of its
 * service meanwhile.
 * worker: owned, end with urom_common_worker_end(); written on success only.
 * Errors: BAD_STATE: it cannot be had, the library has told why. Others: those of the setters, of
 * doca_ctx_start() and of urom_common_wait().
 */
doca_error_t urom_common_worker_start(struct doca_pe *pe, const struct urom_common_worker_cfg *cfg,
				      struct doca_urom_worker **worker);

/*
 * Stops a worker, waits until it is IDLE, and frees it. worker: may be NULL.
 * Errors: those of doca_ctx_stop(), of urom_common_wait() and of doca_urom_worker_destroy().
 */
doca_error_t urom_common_worker_end(struct doca_pe *pe, struct doca_urom_worker *worker);

/*
 * Drives an engine once, after a sleep if it has nothing to do: until it has, or until one of the
 * descriptors is ready.
 * fds: count entries, the first of which is for the engine and is filled in here; the others as for
 * poll(), which says in them what is ready.
 * Errors: OPERATING_SYSTEM: poll() failed. Others: those of doca_pe_request_notification().
 */
doca_error_t urom_common_wait(struct doca_pe *pe, struct pollfd *fds, nfds_t count);

#endif /* UROM_COMMON_H_ */
