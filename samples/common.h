/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef COMMON_H_
#define COMMON_H_

/* What the samples share: finding a device, waiting for events, saying what went wrong. */

#include <stdbool.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>

/*
 * Logs "cannot <what>" and the reason, unless result is a success.
 * Returns: result, so that a call and its check are one line.
 */
doca_error_t sample_check(const char *what, doca_error_t result);

/*
 * Logs a line about each device that there is.
 * Errors: those of doca_devinfo_create_list().
 */
doca_error_t sample_list_devices(void);

/*
 * Opens the device of that name, or the first one for NULL.
 * dev: owned, close with doca_dev_close().
 * Errors: NOT_FOUND: no such device. Others: those of doca_dev_open().
 */
doca_error_t sample_open_device(const char *name, struct doca_dev **dev);

/*
 * Drives the engine until a callback has set *is_done, asleep while nothing happens.
 * Errors: OPERATING_SYSTEM: epoll failed. Others: those of doca_pe_request_notification().
 */
doca_error_t sample_wait(struct doca_pe *pe, const bool *is_done);

/*
 * Stops a context, and drives its engine until the context is idle when that takes longer.
 * Errors: those of doca_ctx_stop().
 */
doca_error_t sample_stop(struct doca_pe *pe, struct doca_ctx *ctx);

#endif /* COMMON_H_ */
