/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host side of UROM. A service is a connection to a UROM daemon, which offers plugins and runs
 * workers; a worker is a process of the daemon's with some of the plugins in it; a command is a
 * task of a worker, answered by a plugin. Services and workers live as doca_ctx.h says: a service
 * starts and stops at once, a worker with progress.
 *
 * A service and its workers may be on different engines, each on a thread of its own. Workers start
 * and stop with the help of their service, whose engine must be driven for it.
 */
#ifndef DOCA_UROM_H_
#define DOCA_UROM_H_

#include <stddef.h>
#include <stdint.h>

#include <ucs/type/cpu_set.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <doca_urom_plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_task;

/* A set of up to 1024 processors. */
typedef ucs_cpu_set_t doca_cpu_set_t;

#define DOCA_CPU_ZERO(_cpusetp)         UCS_CPU_ZERO(_cpusetp)
#define DOCA_CPU_SET(_cpu, _cpusetp)    UCS_CPU_SET(_cpu, _cpusetp)
#define doca_cpu_is_set(_cpu, _cpusetp) ucs_cpu_is_set(_cpu, _cpusetp)

struct doca_urom_service;

/*
 * doca_urom_service_create() - an IDLE service without a device, for up to 32 workers and messages
 * of up to 4096 bytes.
 * service_ctx: owned, free with doca_urom_service_destroy().
 * Errors: INVALID_VALUE: service_ctx NULL. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 UROM guide; the defaults of workers ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_create(struct doca_urom_service **service_ctx);

/*
 * doca_urom_service_destroy() - free a service, with the tasks that were not released, and take it
 * off its engine.
 * Errors: INVALID_VALUE: service_ctx NULL. NOT_PERMITTED: not IDLE. IN_USE: workers refer to it.
 * Thread: the engine's. Source: DOCA 3.0 UROM API; INVALID_VALUE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_destroy(struct doca_urom_service *service_ctx);

/*
 * doca_urom_service_set_max_comm_msg_size() - how long a command or a notification may be, the 24
 * bytes of a struct urom_worker_cmd or the 32 of a struct urom_worker_notify included.
 * msg_size: bytes, 128 to 16 Mi; 4096 unless set. The daemon's own limit bounds it at start.
 * Errors: INVALID_VALUE: service_ctx NULL, or a size out of range. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; the range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_set_max_comm_msg_size(struct doca_urom_service *service_ctx,
						     size_t msg_size);

/*
 * doca_urom_service_set_max_workers() - how many workers of this service may be started at a time.
 * max_workers: a power of two; 32 unless set.
 * Errors: INVALID_VALUE: service_ctx NULL, or no power of two. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM API; the check and the default ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_set_max_workers(struct doca_urom_service *service_ctx,
					       uint32_t max_workers);

/*
 * doca_urom_service_set_dev() - the device whose service is meant; its PCI address and the name of
 * this host choose a line of the file that DOCA_UROM_SERVICE_FILE names.
 * dev: borrowed, must outlive the service.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not IDLE. NOT_SUPPORTED never: every device
 * will do.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_set_dev(struct doca_urom_service *service_ctx, struct doca_dev *dev);

/*
 * doca_urom_service_as_ctx() - the context as doca_ctx.h knows it; always the same pointer.
 *
 * Its start connects to the daemon and is over when it returns, at most 10 s later. Errors of
 * doca_ctx_start(), besides those of every context: INVALID_VALUE: no device, or a message limit
 * above the daemon's. BAD_CONFIG: no service file, or nothing usable in it. NOT_FOUND: no line for
 * this host and device. NOT_CONNECTED: the daemon is not there, or hangs up. TIME_OUT: it does not
 * answer. CONNECTION_ABORTED: that is no UROM daemon. UNSUPPORTED_VERSION: of the protocol.
 * AUTHENTICATION: the daemon refuses this host. Each is logged with its remedy.
 *
 * Its stop is over when it returns. Errors of doca_ctx_stop(): IN_USE: workers are not IDLE.
 * IN_PROGRESS: a task was in flight, which ends with SHUTDOWN.
 * Returns: lent until doca_urom_service_destroy(); NULL for NULL.
 * Thread: any. Source: DOCA 3.0 UROM guide; the errors ours.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_urom_service_as_ctx(struct doca_urom_service *service_ctx);

/*
 * doca_urom_service_get_plugins_list() - the plugins that the daemon offered when the service
 * started.
 * plugins: plugins_count entries, lent until the service stops; the same array each time.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING. NOT_FOUND: there are none.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_urom_service_get_plugins_list(struct doca_urom_service *service_ctx,
				   const struct doca_urom_service_plugin_info **plugins,
				   size_t *plugins_count);

/*
 * doca_urom_service_get_cpuset() - the processors on which the daemon lets workers run, by the
 * numbers that doca_urom_worker_set_cpuset() takes.
 * cpuset: written.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_cpuset(struct doca_urom_service *service_ctx,
					  doca_cpu_set_t *cpuset);

/* Asks for the workers of a group, on the whole daemon. */
struct doca_urom_service_get_workers_by_gid_task;

/*
 * A question for a group has ended, well or not: doca_task_get_status() tells. Runs in
 * doca_pe_progress(), on its thread. task: the application's again, to release or to submit.
 * task_user_data: of the task; ctx_user_data: of the service. doca_pe_progress() must not be called
 * in it.
 */
typedef void (*doca_urom_service_get_workers_by_gid_task_completion_cb_t)(
    struct doca_urom_service_get_workers_by_gid_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/*
 * doca_urom_service_get_workers_by_gid_task_allocate() - a task without group and callback.
 * task: owned, free with doca_urom_service_get_workers_by_gid_task_release().
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING. NO_MEMORY: 256 are out.
 * Thread: the engine's. Source: DOCA 3.0 UROM API; INVALID_VALUE, BAD_STATE, the number ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_workers_by_gid_task_allocate(
    struct doca_urom_service *service_ctx, struct doca_urom_service_get_workers_by_gid_task **task);

/*
 * doca_urom_service_get_workers_by_gid_task_allocate_init() - a task with both.
 * gid, cb: as the setters have them. task: owned, as above.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING. NO_MEMORY: 256 are out.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; INVALID_VALUE, BAD_STATE, the number ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_workers_by_gid_task_allocate_init(
    struct doca_urom_service *service_ctx, uint32_t gid,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb,
    struct doca_urom_service_get_workers_by_gid_task **task);

/*
 * doca_urom_service_get_workers_by_gid_task_release() - give a task back.
 * Errors: INVALID_VALUE: task NULL. NOT_PERMITTED: it is in flight.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; INVALID_VALUE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_service_get_workers_by_gid_task_release(
    struct doca_urom_service_get_workers_by_gid_task *task);

/*
 * doca_urom_service_get_workers_by_gid_task_set_gid() - the group to ask for. NULL is logged.
 * Thread: the engine's, the task not in flight. Source: DOCA 3.0 UROM API.
 */
DOCA_EXPERIMENTAL
void doca_urom_service_get_workers_by_gid_task_set_gid(
    struct doca_urom_service_get_workers_by_gid_task *task, uint32_t gid);

/*
 * doca_urom_service_get_workers_by_gid_task_set_cb() - whom to call; submit needs it. NULL is
 * logged.
 * Thread: the engine's, the task not in flight. Source: DOCA 3.0 UROM API.
 */
DOCA_EXPERIMENTAL
void doca_urom_service_get_workers_by_gid_task_set_cb(
    struct doca_urom_service_get_workers_by_gid_task *task,
    doca_urom_service_get_workers_by_gid_task_completion_cb_t cb);

/*
 * doca_urom_service_get_workers_by_gid_task_as_task() - the task as doca_pe.h knows it.
 * Returns: lent until it is released; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_urom_service_get_workers_by_gid_task_as_task(
    struct doca_urom_service_get_workers_by_gid_task *task);

/*
 * doca_urom_service_get_workers_by_gid_task_get_workers_count() - how many ids the answer has.
 * Returns: 0 also before the task has ended, after an error, and for NULL.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
size_t doca_urom_service_get_workers_by_gid_task_get_workers_count(
    struct doca_urom_service_get_workers_by_gid_task *task);

/*
 * doca_urom_service_get_workers_by_gid_task_get_worker_ids() - the ids, ascending.
 * Returns: n entries, lent until the task is released or submitted again; NULL when there are none.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; the order ours.
 */
DOCA_EXPERIMENTAL
const uint64_t *doca_urom_service_get_workers_by_gid_task_get_worker_ids(
    struct doca_urom_service_get_workers_by_gid_task *task);

struct doca_urom_worker;

/* The daemon is to choose an id. */
#define DOCA_UROM_WORKER_ID_ANY -1ULL /* NOLINT(bugprone-macro-parentheses): the API has none */

/*
 * doca_urom_worker_create() - an IDLE worker context: any id, no group, 32 commands in flight, the
 * daemon's environment and processors.
 * worker_ctx: owned, free with doca_urom_worker_destroy().
 * Errors: INVALID_VALUE: worker_ctx NULL. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 UROM guide; the defaults ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_create(struct doca_urom_worker **worker_ctx);

/*
 * doca_urom_worker_destroy() - free a worker context, with the tasks that were not released, and
 * take it off its engine.
 * Errors: INVALID_VALUE: worker_ctx NULL. IN_USE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; the errors' meaning ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_destroy(struct doca_urom_worker *worker_ctx);

/*
 * doca_urom_worker_set_service() - where the worker is to run.
 * service_ctx: borrowed, must outlive the worker; it may be on another thread's engine. It must be
 * RUNNING when the worker starts.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: the worker is not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_service(struct doca_urom_worker *worker_ctx,
					  struct doca_urom_service *service_ctx);

/*
 * doca_urom_worker_set_id() - which worker: one that runs under this id is joined, a new one is
 * started otherwise. DOCA_UROM_WORKER_ID_ANY: a new one under an id that is free.
 * Errors: INVALID_VALUE: worker_ctx NULL. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_id(struct doca_urom_worker *worker_ctx, uint64_t worker_id);

/*
 * doca_urom_worker_set_plugins() - the plugins it is to have; start needs some.
 * plugins: the ids of struct doca_urom_service_plugin_info, joined by OR; 62 at most.
 * Errors: INVALID_VALUE: worker_ctx NULL, no bit, or bit 62 or 63. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_plugins(struct doca_urom_worker *worker_ctx, uint64_t plugins);

/*
 * doca_urom_worker_set_cpuset() - the processors that a new process is to run on.
 * cpuset: a part of what doca_urom_service_get_cpuset() gives, which is checked now when a running
 * service is set, and at start.
 * Errors: INVALID_VALUE: worker_ctx NULL, an empty set, or one that is no part. BAD_STATE: not
 * IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_cpuset(struct doca_urom_worker *worker_ctx,
					 doca_cpu_set_t cpuset);

/*
 * doca_urom_worker_set_gid() - the group of a new process. A worker without one is in none.
 * Errors: INVALID_VALUE: worker_ctx NULL. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_gid(struct doca_urom_worker *worker_ctx, uint32_t gid);

/*
 * doca_urom_worker_set_max_inflight_tasks() - how many commands may be submitted at a time; four
 * times as many may be allocated.
 * max_tasks: 1 to 65536, rounded up to a power of two.
 * Errors: INVALID_VALUE: worker_ctx NULL, or out of range. BAD_STATE: not IDLE.
 * Thread: the engine's. Source: DOCA 3.0 UROM API; the range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_max_inflight_tasks(struct doca_urom_worker *worker_ctx,
						     uint32_t max_tasks);

/*
 * doca_urom_worker_set_env() - what is added to the daemon's environment in a new process, or
 * replaced there, before it is started. The start fails when the id runs already.
 * env: count entries "NAME=value", copied; 1 MiB in all.
 * Errors: INVALID_VALUE: a NULL argument or entry, count 0, an entry without a name or a '=', or
 * too much. BAD_STATE: not IDLE. NO_MEMORY: no memory.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; values with spaces ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_set_env(struct doca_urom_worker *worker_ctx, char *const env[],
				      size_t count);

/*
 * doca_urom_worker_get_id() - the id of the running worker; before that, the one that was set.
 * worker_id: written.
 * Errors: INVALID_VALUE: a NULL argument.
 * Thread: the engine's. Source: DOCA 3.0 UROM API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_get_id(struct doca_urom_worker *worker_ctx, uint64_t *worker_id);

/*
 * doca_urom_worker_get_gid() - the group of the running worker; before that, the one that was set.
 * worker_gid: written on success only.
 * Errors: INVALID_VALUE: a NULL argument. NOT_FOUND: it is in none.
 * Thread: the engine's. Source: DOCA 3.0 UROM API; NOT_FOUND ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_get_gid(struct doca_urom_worker *worker_ctx, uint32_t *worker_gid);

/*
 * doca_urom_worker_as_ctx() - the context as doca_ctx.h knows it; always the same pointer.
 *
 * doca_ctx_start() gives IN_PROGRESS; RUNNING comes with progress, or IDLE when the worker cannot
 * be had, with a line in the log that tells why, within 10 s. Errors of doca_ctx_start(), besides
 * those of every context: INVALID_VALUE: no service or no plugins, or processors that are not the
 * service's. BAD_STATE: the service is not RUNNING, or the number of commands in flight was changed
 * while tasks were not released. NOT_CONNECTED: the service has lost its daemon. FULL: it has its
 * number of workers. NO_MEMORY: no memory.
 *
 * doca_ctx_stop() gives IN_PROGRESS; what is in flight ends with SHUTDOWN, then IDLE comes with
 * progress. A worker whose process ends stops by itself: what is in flight ends with
 * CONNECTION_RESET.
 * Returns: lent until doca_urom_worker_destroy(); NULL for NULL.
 * Thread: any. Source: DOCA 3.0 UROM guide; the errors ours.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_urom_worker_as_ctx(struct doca_urom_worker *worker_ctx);

/* A command for a plugin of a worker. */
struct doca_urom_worker_cmd_task;

/*
 * A command has ended, well or not: doca_task_get_status() tells. Runs in doca_pe_progress(), on
 * its thread. task: the application's again, to release or to submit. task_user_data: of the task;
 * ctx_user_data: of the worker. doca_pe_progress() must not be called in it.
 */
typedef void (*doca_urom_worker_cmd_task_completion_cb_t)(struct doca_urom_worker_cmd_task *task,
							  union doca_data task_user_data,
							  union doca_data ctx_user_data);

/*
 * doca_urom_worker_cmd_task_allocate() - a task without plugin and callback.
 * task: owned, free with doca_urom_worker_cmd_task_release(). Its payload is zeroed, and so is its
 * user area.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING. NO_MEMORY: four times as many as
 * may be in flight are out, or no memory.
 * Thread: the engine's. Source: DOCA 3.0 UROM API; INVALID_VALUE, BAD_STATE, the number ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_cmd_task_allocate(struct doca_urom_worker *worker_ctx,
						struct doca_urom_worker_cmd_task **task);

/*
 * doca_urom_worker_cmd_task_allocate_init() - a task for a plugin.
 * plugin: its id. task: owned, as above.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not RUNNING. NO_MEMORY: as above.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; INVALID_VALUE, BAD_STATE, the number ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_cmd_task_allocate_init(struct doca_urom_worker *worker_ctx,
						     uint64_t plugin,
						     struct doca_urom_worker_cmd_task **task);

/*
 * doca_urom_worker_cmd_task_release() - give a task back, its payload and response with it.
 * Errors: INVALID_VALUE: task NULL. NOT_PERMITTED: it is in flight.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; INVALID_VALUE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_urom_worker_cmd_task_release(struct doca_urom_worker_cmd_task *task);

/*
 * doca_urom_worker_cmd_task_set_plugin() - whom the command is for; submit gives NOT_SUPPORTED when
 * the worker has no such plugin. NULL is logged.
 * plugin: its id.
 * Thread: the engine's, the task not in flight. Source: DOCA 3.0 UROM guide; the error ours.
 */
DOCA_EXPERIMENTAL
void doca_urom_worker_cmd_task_set_plugin(struct doca_urom_worker_cmd_task *task, uint64_t plugin);

/*
 * doca_urom_worker_cmd_task_set_cb() - whom to call; submit needs it. NULL is logged.
 * Thread: the engine's, the task not in flight. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
void doca_urom_worker_cmd_task_set_cb(struct doca_urom_worker_cmd_task *task,
				      doca_urom_worker_cmd_task_completion_cb_t cb);

/*
 * doca_urom_worker_cmd_task_get_payload() - the buffer for the command. Its data is all of it at
 * first, as many bytes as a message may have; doca_buf_set_data() chooses those that are sent, 24
 * less at most, or submit gives INVALID_VALUE. Aligned to 16 bytes.
 * Returns: lent until the task is released, not to be given back; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_urom_worker_cmd_task_get_payload(struct doca_urom_worker_cmd_task *task);

/*
 * doca_urom_worker_cmd_task_get_response() - the buffer with the plugin's answer, when the task has
 * ended: its data is what the plugin sent, nothing after an error that is none of the plugin's.
 * Writable, aligned to 16 bytes, zeroed behind the data.
 * Returns: lent until the task is released or submitted again, not to be given back; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
struct doca_buf *doca_urom_worker_cmd_task_get_response(struct doca_urom_worker_cmd_task *task);

/*
 * doca_urom_worker_cmd_task_get_user_data() - 32 bytes of the application's own in the task,
 * besides its user data. Returns: lent until the task is released, aligned to 16 bytes; NULL for
 * NULL. Thread: the engine's. Source: DOCA 3.0 UROM guide.
 */
DOCA_EXPERIMENTAL
void *doca_urom_worker_cmd_task_get_user_data(struct doca_urom_worker_cmd_task *task);

/*
 * doca_urom_worker_cmd_task_as_task() - the task as doca_pe.h knows it.
 *
 * Errors of doca_task_submit(), besides those of every task: INVALID_VALUE: no callback, or too
 * many bytes. NOT_SUPPORTED: the worker has no such plugin. AGAIN: as many as may be in flight are;
 * the task stays the application's.
 * Returns: lent until it is released; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 UROM guide; the errors ours.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_urom_worker_cmd_task_as_task(struct doca_urom_worker_cmd_task *task);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_H_ */
