/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The half of the graph plugin that runs in a worker; the smallest that a plugin can be. Each
 * command is answered by one notification, in the order of the commands, whatever is wrong with it.
 *
 * It has a UCX worker, as plugins do that talk to their like on other workers, and an address that
 * these would connect to. To drive it costs a system call, because UCX asks its sockets: as much as
 * the rest of a loopback. No command waits for it, so it is driven once in many turns while there
 * are commands, and after each sleep, as what came in meanwhile may be what ended the sleep.
 */
#include "worker_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>
#include <ucs/datastruct/list.h>

#include <doca_error.h>
#include <doca_log.h>
#include <doca_urom_plugin.h>

DOCA_LOG_REGISTER(UROM::WORKER::GRAPH);

/* How many turns the UCX worker waits for its own; a power of two. */
#define TURNS_PER_UCX 256

struct graph {
	ucp_context_h ucx_context;
	ucp_worker_h ucx_worker;
	ucp_address_t *address;
	size_t address_len;
	ucs_list_link_t answers; /* struct urom_worker_notif_desc, for the next progress */
	unsigned int turns;
};

/* What the worker looks for in this file. */
doca_error_t urom_plugin_get_version(uint64_t *version);
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd);
doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx);

static doca_error_t check_ucx(const char *what, ucs_status_t status)
{
	if (status == UCS_OK)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("cannot %s: %s", what, ucs_status_string(status));
	return status == UCS_ERR_NO_MEMORY ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_DRIVER;
}

/* Without shared memory: workers may be on different machines, and UCX would keep segments open. */
static doca_error_t open_context(struct graph *graph)
{
	ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME,
		.features =
		    UCP_FEATURE_TAG | UCP_FEATURE_RMA | UCP_FEATURE_AMO64 | UCP_FEATURE_WAKEUP,
		.name = "worker_graph",
	};
	ucp_config_t *config;
	ucs_status_t status;

	status = ucp_config_read(NULL, NULL, &config);
	if (status != UCS_OK)
		return check_ucx("read the configuration of UCX", status);
	status = ucp_config_modify(config, "TLS", "^sm");
	if (status == UCS_OK)
		status = ucp_init(&params, config, &graph->ucx_context);
	ucp_config_release(config);
	return check_ucx("open a UCX context", status);
}

static doca_error_t open_worker(struct graph *graph)
{
	ucp_worker_params_t params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	ucs_status_t status;

	status = ucp_worker_create(graph->ucx_context, &params, &graph->ucx_worker);
	if (status == UCS_OK)
		status =
		    ucp_worker_get_address(graph->ucx_worker, &graph->address, &graph->address_len);
	return check_ucx("open a UCX worker", status);
}

static void free_answers(ucs_list_link_t *answers)
{
	struct urom_worker_notif_desc *desc, *next;

	ucs_list_for_each_safe (desc, next, answers, entry)
		free(desc);
}

/* graph: may be half-built, or NULL. */
static void graph_destroy(struct graph *graph)
{
	if (graph == NULL)
		return;
	free_answers(&graph->answers);
	if (graph->address != NULL)
		ucp_worker_release_address(graph->ucx_worker, graph->address);
	if (graph->ucx_worker != NULL)
		ucp_worker_destroy(graph->ucx_worker);
	if (graph->ucx_context != NULL)
		ucp_cleanup(graph->ucx_context);
	free(graph);
}

static doca_error_t graph_open(struct urom_worker_ctx *ctx)
{
	struct graph *graph = calloc(1, sizeof(*graph));
	doca_error_t result;

	if (graph == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ucs_list_head_init(&graph->answers);
	result = open_context(graph);
	if (result == DOCA_SUCCESS)
		result = open_worker(graph);
	if (result != DOCA_SUCCESS) {
		graph_destroy(graph);
		return result;
	}
	ctx->plugin_ctx = graph;
	return DOCA_SUCCESS;
}

static void graph_close(struct urom_worker_ctx *ctx)
{
	graph_destroy(ctx->plugin_ctx);
	ctx->plugin_ctx = NULL;
}

static doca_error_t graph_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
	struct graph *graph = ctx->plugin_ctx;
	size_t room = *addr_len;

	*addr_len = graph->address_len;
	if (room < graph->address_len)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(addr, graph->address, graph->address_len);
	return DOCA_SUCCESS;
}

/* Fills in the bytes of the plugin's. */
static doca_error_t loop_back(const struct urom_worker_graph_cmd *cmd,
			      struct urom_worker_graph_notify *notify)
{
	notify->type = UROM_WORKER_NOTIFY_GRAPH_LOOPBACK;
	notify->loopback.data = cmd->loopback.data;
	return DOCA_SUCCESS;
}

static doca_error_t (*const handlers[])(const struct urom_worker_graph_cmd *cmd,
					struct urom_worker_graph_notify *notify) = {
	[UROM_WORKER_CMD_GRAPH_LOOPBACK] = loop_back,
};

/* The bytes come from a host: neither their number nor what they say is trusted. */
static doca_error_t handle(const struct urom_worker_cmd *cmd,
			   struct urom_worker_graph_notify *notify)
{
	struct urom_worker_graph_cmd graph_cmd;

	if (cmd->len != sizeof(graph_cmd)) {
		DOCA_LOG_WARN("a command of %zu bytes, not %zu", (size_t)cmd->len,
			      sizeof(graph_cmd));
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(&graph_cmd, cmd->plugin_cmd, sizeof(graph_cmd));
	if (graph_cmd.type >= sizeof(handlers) / sizeof(handlers[0])) {
		DOCA_LOG_WARN("a command of unknown type %llu", (unsigned long long)graph_cmd.type);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return handlers[graph_cmd.type](&graph_cmd, notify);
}

static doca_error_t answer(struct graph *graph, const struct urom_worker_cmd_desc *cmd_desc)
{
	struct urom_worker_graph_notify notify;
	struct urom_worker_notif_desc *notif_desc;
	struct urom_worker_notify *notif;

	notif_desc = calloc(1, sizeof(*notif_desc) + sizeof(notify));
	if (notif_desc == NULL)
		return DOCA_ERROR_NO_MEMORY;
	notif_desc->dest_id = cmd_desc->dest_id;
	notif = &notif_desc->worker_notif;
	notif->type = cmd_desc->worker_cmd.type;
	notif->urom_context = cmd_desc->worker_cmd.urom_context;
	notif->status = handle(&cmd_desc->worker_cmd, &notify);
	if (notif->status == DOCA_SUCCESS) {
		notif->len = sizeof(notify);
		memcpy(notif->plugin_notif, &notify, sizeof(notify));
	}
	ucs_list_add_tail(&graph->answers, &notif_desc->entry);
	return DOCA_SUCCESS;
}

static doca_error_t graph_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
	struct urom_worker_cmd_desc *cmd_desc, *next;
	doca_error_t result;

	ucs_list_for_each_safe (cmd_desc, next, cmd_list, entry) {
		ucs_list_del(&cmd_desc->entry);
		result = answer(ctx->plugin_ctx, cmd_desc);
		free(cmd_desc);
		if (result != DOCA_SUCCESS)
			return result; /* those behind it stay in the list */
	}
	return DOCA_SUCCESS;
}

static doca_error_t graph_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
	struct graph *graph = ctx->plugin_ctx;

	if (graph->turns++ % TURNS_PER_UCX == 0)
		(void)ucp_worker_progress(graph->ucx_worker); /* a count that says nothing */
	if (ucs_list_is_empty(&graph->answers))
		return DOCA_ERROR_EMPTY;
	ucs_list_splice_tail(notif_list, &graph->answers);
	ucs_list_head_init(&graph->answers);
	return DOCA_SUCCESS;
}

static doca_error_t graph_notif_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
				     void *packed_notif)
{
	size_t len = sizeof(*notif) + notif->len;

	if (*packed_notif_len < len)
		return DOCA_ERROR_TOO_BIG;
	memcpy(packed_notif, notif, len);
	*packed_notif_len = len;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd)
{
	struct graph *graph = ctx->plugin_ctx;

	return check_ucx("get the descriptor of UCX", ucp_worker_get_efd(graph->ucx_worker, fd));
}

doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx)
{
	struct graph *graph = ctx->plugin_ctx;
	ucs_status_t status;

	if (!ucs_list_is_empty(&graph->answers))
		return DOCA_ERROR_AGAIN;
	graph->turns =
	    0; /* the next progress drives UCX, whether there is a sleep before it or not */
	status = ucp_worker_arm(graph->ucx_worker);
	if (status == UCS_ERR_BUSY)
		return DOCA_ERROR_AGAIN;
	return check_ucx("arm UCX", status);
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	if (version == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*version = UROM_WORKER_GRAPH_VERSION;
	return DOCA_SUCCESS;
}

static const struct urom_plugin_iface graph_iface = {
	DOCA_STRUCT_CTOR_LIST_START,    .open = graph_open,
	.close = graph_close,           .addr = graph_addr,
	.worker_cmd = graph_worker_cmd, .progress = graph_progress,
	.notif_pack = graph_notif_pack,
};

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	if (iface == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*iface = graph_iface;
	return DOCA_SUCCESS;
}
