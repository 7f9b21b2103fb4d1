/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sync event is a number of 64 bits that publishers set or add to and subscribers read or wait
 * for; 0 at first, or what the memory given to it holds. Life: create, add a publisher and a
 * subscriber, start, use, stop, destroy. There are two ways to start, and the one used first is for
 * good. Synchronous: doca_sync_event_start(). As a context: doca_sync_event_as_ctx(), then as
 * doca_ctx.h says, which adds tasks. Started below means started by the one, or a context that is
 * not IDLE by the other.
 *
 * Locations on a GPU, a DPA or another machine's PCI bus can be added, but then starting fails with
 * NOT_SUPPORTED. A peer uses the event by RDMA tasks, on a doca_sync_event_remote_net that it makes
 * from an export; it needs the rights of the context it is connected to, the memory has them all.
 */
#ifndef DOCA_SYNC_EVENT_H_
#define DOCA_SYNC_EVENT_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_gpu;
struct doca_sync_event;
struct doca_sync_event_remote_net;
struct doca_dpa_sync_event;
struct doca_buf;

/* An event as code on a DPA names it. No call of OpenUROM gives one. */
typedef uint64_t doca_dpa_dev_sync_event_t;
typedef uint64_t doca_dpa_dev_sync_event_remote_net_t;

struct doca_gpu_sync_event;

/* An event as code on a GPU names it. No call of OpenUROM gives one. */
typedef uint64_t doca_gpu_dev_sync_event_t;
typedef uint64_t doca_gpu_dev_sync_event_remote_net_t;

struct doca_sync_event_task_get;
struct doca_sync_event_task_notify_set;
struct doca_sync_event_task_notify_add;
struct doca_sync_event_task_wait_eq;
struct doca_sync_event_task_wait_neq;

/*
 * A task of the kind has ended, well or not. Runs in doca_pe_progress(), on its thread. task: the
 * application's again, to free or to submit. task_user_data: of the task; ctx_user_data: of the
 * context. doca_pe_progress() must not be called in it.
 */
typedef void (*doca_sync_event_task_get_completion_cb_t)(struct doca_sync_event_task_get *task,
							 union doca_data task_user_data,
							 union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_notify_set_completion_cb_t)(
    struct doca_sync_event_task_notify_set *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_notify_add_completion_cb_t)(
    struct doca_sync_event_task_notify_add *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_wait_eq_completion_cb_t)(
    struct doca_sync_event_task_wait_eq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);
typedef void (*doca_sync_event_task_wait_neq_completion_cb_t)(
    struct doca_sync_event_task_wait_neq *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/*
 * doca_sync_event_create() - an event without locations, whose number is its own memory.
 * event: owned, free with doca_sync_event_destroy().
 * Errors: INVALID_VALUE: event NULL. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create(struct doca_sync_event **event);

/*
 * doca_sync_event_create_from_export() - not available: no event comes over the PCI bus.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_create_from_export(struct doca_dev *dev, const uint8_t *data,
						size_t sz, struct doca_sync_event **event);

/*
 * doca_sync_event_cap_is_create_from_export_supported() - no device can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; the answer ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_remote_net_create_from_export() - stand for a peer's event in RDMA tasks.
 * Needs no connection, and no peer that is alive. dev: borrowed, must outlive the event. data:
 * copied, sz bytes, from doca_sync_event_export_to_remote_net() at the peer. event: owned, free
 * with doca_sync_event_remote_net_destroy(); of use in the RDMA tasks get, notify_set and
 * notify_add only.
 * Errors: INVALID_VALUE: a NULL argument, or data that is damaged or of another version.
 * NOT_SUPPORTED: data that dev cannot use. NO_MEMORY: no memory.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_create_from_export(struct doca_dev *dev, const uint8_t *data, size_t sz,
					      struct doca_sync_event_remote_net **event);

/*
 * doca_sync_event_cap_remote_net_is_create_from_export_supported() - can the device import?
 * SUCCESS: it can; software devices can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it cannot.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_create_from_export_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_destroy() - free the event; memory that was given to it stays.
 * Its exports are void. Started synchronously: stopped first. As a context it must be IDLE and
 * leaves its engine.
 * Errors: INVALID_VALUE: event NULL. IN_USE: a context that is not IDLE.
 * Thread: any, one at a time for an object; of a context the engine's. Source: DOCA 3.0 Core API;
 * IN_USE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_destroy(struct doca_sync_event *event);

/*
 * doca_sync_event_remote_net_destroy() - free it; no task that names it may be in flight.
 * Errors: INVALID_VALUE: event NULL.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_remote_net_destroy(struct doca_sync_event_remote_net *event);

/*
 * doca_sync_event_add_publisher_location_cpu() - this process changes the number.
 * dev: borrowed, must outlive the event.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: started. NO_MEMORY: no memory.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_cpu(struct doca_sync_event *event,
							struct doca_dev *dev);

/*
 * doca_sync_event_add_publisher_location_dpa() - accepted, but there is no DPA: starting fails.
 * dpa: never looked at.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_dpa(struct doca_sync_event *event,
							struct doca_dpa *dpa);

/*
 * doca_sync_event_add_publisher_location_gpu() - accepted, but no GPU is used: starting fails.
 * gpu: never looked at.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_gpu(struct doca_sync_event *event,
							struct doca_gpu *gpu);

/*
 * doca_sync_event_add_publisher_location_remote_pci() - accepted, but starting fails.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_pci(struct doca_sync_event *event);

/*
 * doca_sync_event_add_publisher_location_remote_net() - peers use the number in RDMA tasks.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_publisher_location_remote_net(struct doca_sync_event *event);

/*
 * doca_sync_event_add_subscriber_location_cpu() - this process reads the number.
 * dev: borrowed, must outlive the event. Peers reach the event over it, see
 * doca_sync_event_export_to_remote_net().
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: started. NO_MEMORY: no memory.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_cpu(struct doca_sync_event *event,
							 struct doca_dev *dev);

/*
 * doca_sync_event_add_subscriber_location_dpa() - accepted, but there is no DPA: starting fails.
 * dpa: never looked at.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_dpa(struct doca_sync_event *event,
							 struct doca_dpa *dpa);

/*
 * doca_sync_event_add_subscriber_location_gpu() - accepted, but no GPU is used: starting fails.
 * gpu: never looked at.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_gpu(struct doca_sync_event *event,
							 struct doca_gpu *gpu);

/*
 * doca_sync_event_add_subscriber_location_remote_pci() - accepted, but starting fails.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_add_subscriber_location_remote_pci(struct doca_sync_event *event);

/*
 * doca_sync_event_set_addr() - the number lives at addr; what stands there is its first value.
 * addr: borrowed, 8 bytes at a multiple of 8, must outlive the last stop (or destroy, when not
 * stopped). Of this call and doca_sync_event_set_doca_buf() the last one wins.
 * Errors: INVALID_VALUE: a NULL argument, addr not aligned. BAD_STATE: started.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; last wins ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_addr(struct doca_sync_event *event, uint64_t *addr);

/*
 * doca_sync_event_set_doca_buf() - the number is the data of buf, first value included.
 * buf: borrowed, must outlive the last stop (or destroy, when not stopped); its references stay. Of
 * this call and doca_sync_event_set_addr() the last one wins.
 * Errors: INVALID_VALUE: a NULL argument, buf of an imported mmap. BAD_STATE: started.
 * NOT_PERMITTED: data_len not 8, data not at a multiple of 8, buf in a list, or an mmap without
 * LOCAL_READ_WRITE, RDMA_READ, RDMA_WRITE and RDMA_ATOMIC.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; alignment, imported, last
 * wins ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_set_doca_buf(struct doca_sync_event *event, struct doca_buf *buf);

/*
 * doca_sync_event_start() - make the event usable, without an engine and without tasks.
 * Also after a stop. From the first success on doca_sync_event_as_ctx() gives NULL.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: started, doca_sync_event_as_ctx() was called, no
 * publisher or no subscriber. NOT_SUPPORTED: a location on a GPU, a DPA or a PCI bus. NO_MEMORY: no
 * memory.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; all but INVALID_VALUE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_start(struct doca_sync_event *event);

/*
 * doca_sync_event_stop() - undo doca_sync_event_start(), within the call.
 * No other call may be waiting in the event. On return no peer touches the number any more and it
 * can be configured again. Not started: SUCCESS.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: doca_sync_event_as_ctx() was called, use
 * doca_ctx_stop().
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_stop(struct doca_sync_event *event);

/*
 * doca_sync_event_as_ctx() - the event as doca_ctx.h knows it; always the same pointer.
 * From the first call on doca_sync_event_start() is refused. doca_ctx_start() gives BAD_STATE
 * without publisher or subscriber, NOT_SUPPORTED for a location on a GPU, a DPA or a PCI bus.
 * Returns: lent until doca_sync_event_destroy(); NULL for NULL or once doca_sync_event_start() has
 * succeeded.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; refusals ours.
 */
DOCA_EXPERIMENTAL
struct doca_ctx *doca_sync_event_as_ctx(struct doca_sync_event *event);

/*
 * doca_sync_event_cap_task_get_is_supported() - SUCCESS: it is, and on every device.
 * Errors: INVALID_VALUE: devinfo NULL.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_get_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_task_get_set_conf() - callbacks and pool size, before tasks are allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, num_tasks not 1 to 65536. NOT_PERMITTED: started.
 * Thread: the engine's. Source: DOCA 3.0 Core API; num_tasks range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_get_completion_cb_t completion_cb,
    doca_sync_event_task_get_completion_cb_t error_cb, uint32_t num_tasks);

/*
 * doca_sync_event_task_get_alloc_init() - take a task from the pool and fill it in.
 * ret_val_ptr: gets the number; borrowed, must outlive the flight; NULL is INVALID_VALUE at submit.
 * user_data: copied. task: owned, free with doca_task_free().
 * Errors: INVALID_VALUE: event or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_get_alloc_init(struct doca_sync_event *event,
						 uint64_t *ret_val_ptr, union doca_data user_data,
						 struct doca_sync_event_task_get **task);

/*
 * doca_sync_event_task_get_as_doca_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
struct doca_task *doca_sync_event_task_get_as_doca_task(struct doca_sync_event_task_get *task);

/*
 * doca_sync_event_task_get_set_ret_val_ptr() - where the number goes, while not in flight.
 * ret_val_ptr: borrowed, must outlive the flight; NULL is refused at submit. task: NULL: nothing
 * happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_get_set_ret_val_ptr(struct doca_sync_event_task_get *task,
					      uint64_t *ret_val_ptr);

/*
 * doca_sync_event_task_get_get_ret_val_ptr() - where the number goes.
 * Returns: the caller's own pointer; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_get_get_ret_val_ptr(const struct doca_sync_event_task_get *task);

/*
 * doca_sync_event_cap_task_notify_set_is_supported() - SUCCESS: it is, and on every device.
 * Errors: INVALID_VALUE: devinfo NULL.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_set_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_task_notify_set_set_conf() - callbacks and pool size, before tasks are allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, num_tasks not 1 to 65536. NOT_PERMITTED: started.
 * Thread: the engine's. Source: DOCA 3.0 Core API; num_tasks range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_set_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_set_completion_cb_t completion_cb,
    doca_sync_event_task_notify_set_completion_cb_t error_cb, uint32_t num_tasks);

/*
 * doca_sync_event_task_notify_set_alloc_init() - take a task from the pool and fill it in.
 * set_val: what the number becomes. user_data: copied. task: owned, free with doca_task_free().
 * Errors: INVALID_VALUE: event or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_set_alloc_init(struct doca_sync_event *event, uint64_t set_val,
					   union doca_data user_data,
					   struct doca_sync_event_task_notify_set **task);

/*
 * doca_sync_event_task_notify_set_as_doca_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_notify_set_as_doca_task(struct doca_sync_event_task_notify_set *task);

/*
 * doca_sync_event_task_notify_set_set_set_val() - what the number becomes, while not in flight.
 * task: NULL: nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_set_set_set_val(struct doca_sync_event_task_notify_set *task,
						 uint64_t set_val);

/*
 * doca_sync_event_task_notify_set_get_set_val() - what the number becomes.
 * Returns: the value; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_set_get_set_val(const struct doca_sync_event_task_notify_set *task);

/*
 * doca_sync_event_cap_task_notify_add_is_supported() - SUCCESS: it is, and on every device.
 * Errors: INVALID_VALUE: devinfo NULL.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_notify_add_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_task_notify_add_set_conf() - callbacks and pool size, before tasks are allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, num_tasks not 1 to 65536. NOT_PERMITTED: started.
 * Thread: the engine's. Source: DOCA 3.0 Core API; num_tasks range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_notify_add_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_notify_add_completion_cb_t completion_cb,
    doca_sync_event_task_notify_add_completion_cb_t error_cb, uint32_t num_tasks);

/*
 * doca_sync_event_task_notify_add_alloc_init() - take a task from the pool and fill it in.
 * inc_val: added modulo 2^64. fetched_val_ptr: gets the value before; borrowed, must outlive the
 * flight; may be NULL. user_data: copied. task: owned, free with doca_task_free().
 * Errors: INVALID_VALUE: event or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 Core API; BAD_STATE and NULL ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_task_notify_add_alloc_init(struct doca_sync_event *event, uint64_t inc_val,
					   uint64_t *fetched_val_ptr, union doca_data user_data,
					   struct doca_sync_event_task_notify_add **task);

/*
 * doca_sync_event_task_notify_add_as_doca_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_notify_add_as_doca_task(struct doca_sync_event_task_notify_add *task);

/*
 * doca_sync_event_task_notify_add_set_inc_val() - what is added, while not in flight.
 * task: NULL: nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_inc_val(struct doca_sync_event_task_notify_add *task,
						 uint64_t inc_val);

/*
 * doca_sync_event_task_notify_add_get_inc_val() - what is added.
 * Returns: the value; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_notify_add_get_inc_val(const struct doca_sync_event_task_notify_add *task);

/*
 * doca_sync_event_task_notify_add_set_fetched_val_ptr() - where the old value goes.
 * Not in flight. fetched_val_ptr: borrowed, must outlive the flight; may be NULL. task: NULL:
 * nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API; NULL ours.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_notify_add_set_fetched_val_ptr(
    struct doca_sync_event_task_notify_add *task, uint64_t *fetched_val_ptr);

/*
 * doca_sync_event_task_notify_add_get_fetched_val_ptr() - where the old value goes.
 * Returns: the caller's own pointer; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t *doca_sync_event_task_notify_add_get_fetched_val_ptr(
    const struct doca_sync_event_task_notify_add *task);

/*
 * doca_sync_event_cap_task_wait_eq_is_supported() - SUCCESS: it is, and on every device.
 * Errors: INVALID_VALUE: devinfo NULL.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_eq_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_task_wait_eq_set_conf() - callbacks and pool size, before tasks are allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, num_tasks not 1 to 65536. NOT_PERMITTED: started.
 * Thread: the engine's. Source: DOCA 3.0 Core API; num_tasks range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_eq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_eq_completion_cb_t error_cb, uint32_t num_tasks);

/*
 * doca_sync_event_task_wait_eq_alloc_init() - take a task from the pool and fill it in.
 * Ends when (number & mask) is wait_val. mask: 0, or 1, 2, 4 or 8 bytes of 0xff at a multiple of
 * their count, all else 0; another is INVALID_VALUE at submit. Progress looks at the number; an
 * engine in event mode is woken at once by calls and RDMA tasks that change it, by plain stores to
 * its memory within 2 ms. A stop ends it with IO_FAILED. user_data: copied. task: owned, free with
 * doca_task_free().
 * Errors: INVALID_VALUE: event or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 Core API; BAD_STATE, place of the bytes and times ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_eq_alloc_init(struct doca_sync_event *event,
						     uint64_t wait_val, uint64_t mask,
						     union doca_data user_data,
						     struct doca_sync_event_task_wait_eq **task);

/*
 * doca_sync_event_task_wait_eq_as_doca_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_eq_as_doca_task(struct doca_sync_event_task_wait_eq *task);

/*
 * doca_sync_event_task_wait_eq_set_wait_val() - what is compared with, while not in flight.
 * task: NULL: nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_wait_val(struct doca_sync_event_task_wait_eq *task,
					       uint64_t wait_val);

/*
 * doca_sync_event_task_wait_eq_get_wait_val() - what is compared with.
 * Returns: the value; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_wait_val(const struct doca_sync_event_task_wait_eq *task);

/*
 * doca_sync_event_task_wait_eq_set_mask() - the bits that count, while not in flight.
 * mask: as for doca_sync_event_task_wait_eq_alloc_init(). task: NULL: nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_eq_set_mask(struct doca_sync_event_task_wait_eq *task,
					   uint64_t mask);

/*
 * doca_sync_event_task_wait_eq_get_mask() - the bits that count.
 * Returns: the mask; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_eq_get_mask(const struct doca_sync_event_task_wait_eq *task);

/*
 * doca_sync_event_cap_task_wait_neq_is_supported() - SUCCESS: it is, and on every device.
 * Errors: INVALID_VALUE: devinfo NULL.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_task_wait_neq_is_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_task_wait_neq_set_conf() - callbacks and pool size, before tasks are allocated.
 * num_tasks: entries, made when the context starts. A second call replaces the first.
 * Errors: INVALID_VALUE: a NULL argument, num_tasks not 1 to 65536. NOT_PERMITTED: started.
 * Thread: the engine's. Source: DOCA 3.0 Core API; num_tasks range ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_set_conf(
    struct doca_sync_event *event, doca_sync_event_task_wait_neq_completion_cb_t completion_cb,
    doca_sync_event_task_wait_neq_completion_cb_t error_cb, uint32_t num_tasks);

/*
 * doca_sync_event_task_wait_neq_alloc_init() - take a task from the pool and fill it in.
 * Ends when (number & mask) is not wait_val; all else as for
 * doca_sync_event_task_wait_eq_alloc_init(). user_data: copied. task: owned, free with
 * doca_task_free().
 * Errors: INVALID_VALUE: event or task NULL. BAD_STATE: not RUNNING, or set_conf was never called.
 * NO_MEMORY: all tasks are allocated.
 * Thread: the engine's. Source: DOCA 3.0 Core API; BAD_STATE, place of the bytes and times ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_task_wait_neq_alloc_init(struct doca_sync_event *event,
						      uint64_t wait_val, uint64_t mask,
						      union doca_data user_data,
						      struct doca_sync_event_task_wait_neq **task);

/*
 * doca_sync_event_task_wait_neq_as_doca_task() - the task as doca_pe.h knows it; the same object.
 * Returns: lent until the task is freed; NULL for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
struct doca_task *
doca_sync_event_task_wait_neq_as_doca_task(struct doca_sync_event_task_wait_neq *task);

/*
 * doca_sync_event_task_wait_neq_set_wait_val() - what is compared with, while not in flight.
 * task: NULL: nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_wait_val(struct doca_sync_event_task_wait_neq *task,
						uint64_t wait_val);

/*
 * doca_sync_event_task_wait_neq_get_wait_val() - what is compared with.
 * Returns: the value; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t
doca_sync_event_task_wait_neq_get_wait_val(const struct doca_sync_event_task_wait_neq *task);

/*
 * doca_sync_event_task_wait_neq_set_mask() - the bits that count, while not in flight.
 * mask: as for doca_sync_event_task_wait_eq_alloc_init(). task: NULL: nothing happens.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
void doca_sync_event_task_wait_neq_set_mask(struct doca_sync_event_task_wait_neq *task,
					    uint64_t mask);

/*
 * doca_sync_event_task_wait_neq_get_mask() - the bits that count.
 * Returns: the mask; 0 for NULL.
 * Thread: the engine's. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
uint64_t doca_sync_event_task_wait_neq_get_mask(const struct doca_sync_event_task_wait_neq *task);

/*
 * doca_sync_event_export_to_remote_pci() - not available: no event goes over the PCI bus.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_pci(struct doca_sync_event *event,
						  struct doca_dev *dev, const uint8_t **data,
						  size_t *sz);

/*
 * doca_sync_event_cap_is_export_to_remote_pci_supported() - no device can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; the answer ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_pci_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_get_dpa_handle() - not available: there is no DPA.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_dpa_handle(struct doca_sync_event *event, struct doca_dpa *dpa,
					    doca_dpa_dev_sync_event_t *dpa_dev_se_handle);

/*
 * doca_sync_event_cap_is_export_to_dpa_supported() - no device can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; the answer ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_get_gpu_handle() - not available: no GPU is used.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get_gpu_handle(struct doca_sync_event *event, struct doca_gpu *gpu,
					    doca_gpu_dev_sync_event_t **gpu_dev_se);

/*
 * doca_sync_event_cap_is_export_to_gpu_supported() - no device can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; the answer ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_cap_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_export_to_remote_net() - describe the event to peers.
 * They reach it over the device of the cpu subscriber. event: started. data: lent until
 * doca_sync_event_destroy(), sz bytes, below 4096, of plain memory that may be sent or lie under an
 * mmap; the same content each time while it stays started, another after the next start.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not started. NOT_SUPPORTED: no remote_net
 * publisher, or no cpu subscriber on a software device. NO_MEMORY: no memory. OPERATING_SYSTEM: no
 * random bytes for the key.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; BAD_STATE, OPERATING_SYSTEM
 * and limits ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_export_to_remote_net(struct doca_sync_event *event,
						  const uint8_t **data, size_t *sz);

/*
 * doca_sync_event_cap_is_export_to_remote_net_supported() - can the device export?
 * SUCCESS: it can; software devices can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: it cannot.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_is_export_to_remote_net_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_remote_net_get_dpa_handle() - not available: there is no DPA.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_dpa_handle(struct doca_sync_event_remote_net *event,
					  struct doca_dpa *dpa,
					  doca_dpa_dev_sync_event_remote_net_t *dpa_remote_event);

/*
 * doca_sync_event_cap_remote_net_is_export_to_dpa_supported() - no device can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; the answer ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_dpa_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_remote_net_get_gpu_handle() - not available: no GPU is used.
 * Errors: INVALID_VALUE: a NULL argument. NOT_SUPPORTED: always.
 * Thread: any, one at a time for an object. Source: DOCA 3.0 Core API; NOT_SUPPORTED ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_remote_net_get_gpu_handle(struct doca_sync_event_remote_net *event,
					  struct doca_gpu *gpu,
					  doca_gpu_dev_sync_event_remote_net_t *gpu_remote_event);

/*
 * doca_sync_event_cap_remote_net_is_export_to_gpu_supported() - no device can.
 * Errors: INVALID_VALUE: devinfo NULL. NOT_SUPPORTED: always.
 * Thread: any. Source: DOCA 3.0 Core API; the answer ours.
 */
DOCA_EXPERIMENTAL
doca_error_t
doca_sync_event_cap_remote_net_is_export_to_gpu_supported(const struct doca_devinfo *devinfo);

/*
 * doca_sync_event_get() - read the number, in one atomic load.
 * Sees all that was written before the number was set to the value.
 * Errors: INVALID_VALUE: a NULL argument. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_get(struct doca_sync_event *event, uint64_t *value);

/*
 * doca_sync_event_update_add() - add to the number, atomically and modulo 2^64.
 * Wakes wait tasks. fetched: may be NULL; gets the value before.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE and NULL ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_add(struct doca_sync_event *event, uint64_t value,
					uint64_t *fetched);

/*
 * doca_sync_event_update_set() - set the number, in one atomic store.
 * All that was written before is seen by who sees the value. Wakes wait tasks.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_update_set(struct doca_sync_event *event, uint64_t value);

/*
 * doca_sync_event_wait_gt() - spin until (number & mask) is above value, unsigned.
 * mask: any 64 bits. There is no time limit and no engine is driven meanwhile: what is awaited must
 * come from another thread, process or peer.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/*
 * doca_sync_event_wait_gt_yield() - the same, and give the processor away between looks.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_gt_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask);

/*
 * doca_sync_event_wait_eq() - spin until (number & mask) is value.
 * All else as for doca_sync_event_wait_gt().
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/*
 * doca_sync_event_wait_eq_yield() - the same, and give the processor away between looks.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_eq_yield(struct doca_sync_event *event, uint64_t value,
					   uint64_t mask);

/*
 * doca_sync_event_wait_neq() - spin until (number & mask) is not value.
 * All else as for doca_sync_event_wait_gt().
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq(struct doca_sync_event *event, uint64_t value, uint64_t mask);

/*
 * doca_sync_event_wait_neq_yield() - the same, and give the processor away between looks.
 * Errors: INVALID_VALUE: event NULL. BAD_STATE: not started.
 * Thread: any. Source: DOCA 3.0 Core API; BAD_STATE ours.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_sync_event_wait_neq_yield(struct doca_sync_event *event, uint64_t value,
					    uint64_t mask);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_SYNC_EVENT_H_ */
