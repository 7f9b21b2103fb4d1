/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_HOST_H_
#define UROM_HOST_H_

/*
 * A host program: an engine with a service and workers, all of which tell one listener. It uses the
 * public API alone. Whatever a test leaves is ended by urom_host_fini().
 */

#include <doca_buf.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_urom.h>

#include "heard.h"
#include "urom_rig.h"
#include "urom_test.h"

#define UROM_HOST_MAX_WORKERS 16

/* What a listener hears of a worker's start and stop. */
#define UROM_WORKER_STARTS "idle>starting starting>running"
#define UROM_WORKER_STOPS  "running>stopping stopping>idle"

struct urom_host {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct heard heard;                /* its owner is the test's */
	struct doca_urom_service *service; /* NULL: destroyed */
	struct doca_ctx *service_ctx;
	struct doca_urom_worker *workers[UROM_HOST_MAX_WORKERS]; /* NULL: destroyed */
};

/* Engine, device and a service that is IDLE. */
void urom_host_init(struct urom_host *host);

/* The same, with the service RUNNING. */
void urom_host_init_running(struct urom_host *host);

/* The same, without a service: only for workers of another host's, on an engine of their own. */
void urom_host_init_bare(struct urom_host *host);

/* Stops and destroys what is left. */
void urom_host_fini(struct urom_host *host);

/* Starts and stops the service, which must go well at once. */
void urom_host_start(struct urom_host *host);
void urom_host_stop(struct urom_host *host);

/* The id of a plugin that the service must offer, and that of UROM_RIG_PLUGIN. */
uint64_t urom_host_plugin_named(struct urom_host *host, const char *name);
uint64_t urom_host_plugin(struct urom_host *host);

/* A worker with the host's service and UROM_RIG_PLUGIN, on its engine, IDLE. */
struct doca_urom_worker *urom_host_worker(struct urom_host *host, uint64_t id);

/* The same for a service of another host; plugins: ids. */
struct doca_urom_worker *urom_host_worker_of(struct urom_host *host,
					     struct doca_urom_service *service, uint64_t id,
					     uint64_t plugins);

/* Makes one and drives it to RUNNING. */
struct doca_urom_worker *urom_host_run_worker(struct urom_host *host, uint64_t id);

/* Drives an IDLE worker to RUNNING, one that is RUNNING to IDLE: one progress call returns 1. */
void urom_host_start_worker(struct urom_host *host, struct doca_urom_worker *worker);
void urom_host_stop_worker(struct urom_host *host, struct doca_urom_worker *worker);

/* Starts a worker that must fail: back to IDLE in one step, and part in the one line about it. */
void urom_host_fail_worker(struct urom_host *host, struct doca_urom_worker *worker,
			   const char *part);

/*
 * Takes what the libraries have logged of workers that were lost, when all hosts are finished: each
 * context tells, and its service too unless the context has left it before the daemon knew.
 */
void urom_host_take_losses(void);

/* Drives until the libraries have logged a line with that text; all that they have is taken. */
void urom_host_hear_of(struct urom_host *host, const char *part);

/* The worker's destroy, after which the host does not know it any more; must succeed. */
void urom_host_destroy_worker(struct urom_host *host, struct doca_urom_worker *worker);

enum doca_ctx_states urom_host_state(struct doca_ctx *ctx);
enum doca_ctx_states urom_host_worker_state(struct doca_urom_worker *worker);
uint64_t urom_host_worker_id(struct doca_urom_worker *worker);

/* --- commands --- */

/* A command as it is to be; len bytes follow the head. */
struct urom_command {
	uint64_t plugin; /* 0: UROM_RIG_PLUGIN */
	uint64_t number; /* the task's user data, which the listener names */
	enum urom_test_op op;
	uint32_t arg;
	const void *bytes;
	size_t len;
};

/* A task for it that was not submitted. owned, or the listener's reaction's. */
struct doca_urom_worker_cmd_task *urom_host_task(struct urom_host *host,
						 struct doca_urom_worker *worker,
						 const struct urom_command *command);

/* The same, submitted. */
struct doca_urom_worker_cmd_task *urom_host_submit(struct urom_host *host,
						   struct doca_urom_worker *worker,
						   const struct urom_command *command);

/* Submits one that has op, arg and number alone. */
void urom_host_send(struct urom_host *host, struct doca_urom_worker *worker, enum urom_test_op op,
		    uint32_t arg, uint64_t number);

/* What tells the listener of the end of a task. */
void urom_host_on_task(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
		       union doca_data ctx_user_data);

/* The response of a task that has ended. data: lent until it is released. */
size_t urom_host_response(struct doca_urom_worker_cmd_task *task, const void **data);

/* An answer, copied. */
struct urom_answer {
	doca_error_t status;
	size_t len;
	uint8_t bytes[1024]; /* the first of them */
};

/* Runs one command from submit to release, with nothing else in flight. */
void urom_host_ask(struct urom_host *host, struct doca_urom_worker *worker,
		   const struct urom_command *command, struct urom_answer *answer);

/* What the test plugin reports of the process. */
void urom_host_report(struct urom_host *host, struct doca_urom_worker *worker,
		      struct urom_test_report *report);

/* The worker answers an echo: it is alive. */
void urom_host_check_echo(struct urom_host *host, struct doca_urom_worker *worker);

/* The ids of a group, at most max; the query must go well. */
size_t urom_host_group(struct urom_host *host, uint32_t gid, uint64_t *ids, size_t max);

#endif /* UROM_HOST_H_ */
