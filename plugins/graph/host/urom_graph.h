/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_GRAPH_H_
#define UROM_GRAPH_H_

/*
 * The half of the graph plugin that a host program is linked with: commands for workers that have
 * loaded worker_graph.so, as functions.
 */

#include <stdint.h>

#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_urom_worker;

/*
 * A loopback has ended. Runs in doca_pe_progress(), on its thread. cookie: of the task. data: what
 * the worker has sent back, 0 unless result is SUCCESS.
 */
typedef void (*urom_graph_loopback_finished)(doca_error_t result, union doca_data cookie,
					     uint64_t data);

/*
 * urom_graph_init() - tell under which id the service has the plugin.
 * plugin_id, version: of its struct doca_urom_service_plugin_info.
 * Errors: UNSUPPORTED_VERSION: the worker's half is another one than this.
 * Thread: any, before the first task.
 */
doca_error_t urom_graph_init(uint64_t plugin_id, uint64_t version);

/*
 * urom_graph_task_loopback() - send a number to a worker, which sends it back.
 * worker_ctx: RUNNING, with the plugin. cookie: copied, for cb. cb: called once on success, not
 * inside the call.
 * Errors: INVALID_VALUE: worker_ctx or cb NULL. TOO_BIG: the service's messages are too short.
 * Those of doca_urom_worker_cmd_task_allocate_init() and doca_task_submit(), AGAIN among them.
 * Thread: the engine's.
 */
doca_error_t urom_graph_task_loopback(struct doca_urom_worker *worker_ctx, union doca_data cookie,
				      uint64_t data, urom_graph_loopback_finished cb);

#ifdef __cplusplus
}
#endif

#endif /* UROM_GRAPH_H_ */
