/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin that sends the bytes of a command back, so that messages of every size are measured. */

#include <stdlib.h>
#include <string.h>

#include <doca_error.h>
#include <doca_urom_plugin.h>

struct echo {
	ucs_list_link_t answers;
};

doca_error_t urom_plugin_get_version(uint64_t *version);
doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);

static doca_error_t echo_open(struct urom_worker_ctx *ctx)
{
	struct echo *echo = calloc(1, sizeof(*echo));

	if (echo == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ucs_list_head_init(&echo->answers);
	ctx->plugin_ctx = echo;
	return DOCA_SUCCESS;
}

static void echo_close(struct urom_worker_ctx *ctx)
{
	struct echo *echo = ctx->plugin_ctx;

	while (!ucs_list_is_empty(&echo->answers))
		free(ucs_list_extract_head(&echo->answers, struct urom_worker_notif_desc, entry));
	free(echo);
}

static doca_error_t echo_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
	struct echo *echo = ctx->plugin_ctx;

	while (!ucs_list_is_empty(cmd_list)) {
		struct urom_worker_cmd_desc *cmd =
		    ucs_list_extract_head(cmd_list, struct urom_worker_cmd_desc, entry);
		struct urom_worker_notif_desc *answer =
		    malloc(sizeof(*answer) + cmd->worker_cmd.len);

		if (answer == NULL) {
			free(cmd);
			return DOCA_ERROR_NO_MEMORY;
		}
		answer->dest_id = cmd->dest_id;
		answer->worker_notif.type = cmd->worker_cmd.type;
		answer->worker_notif.urom_context = cmd->worker_cmd.urom_context;
		answer->worker_notif.len = cmd->worker_cmd.len;
		answer->worker_notif.status = DOCA_SUCCESS;
		answer->worker_notif.reserved = 0;
		memcpy(answer->worker_notif.plugin_notif, cmd->worker_cmd.plugin_cmd,
		       cmd->worker_cmd.len);
		ucs_list_add_tail(&echo->answers, &answer->entry);
		free(cmd);
	}
	return DOCA_SUCCESS;
}

static doca_error_t echo_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
	struct echo *echo = ctx->plugin_ctx;

	if (ucs_list_is_empty(&echo->answers))
		return DOCA_ERROR_EMPTY;
	ucs_list_splice_tail(notif_list, &echo->answers);
	ucs_list_head_init(&echo->answers);
	return DOCA_SUCCESS;
}

static doca_error_t echo_notif_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
				    void *packed_notif)
{
	size_t len = sizeof(*notif) + notif->len;

	if (*packed_notif_len < len)
		return DOCA_ERROR_TOO_BIG;
	memcpy(packed_notif, notif, len);
	*packed_notif_len = len;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	if (version == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*version = 1;
	return DOCA_SUCCESS;
}

static const struct urom_plugin_iface echo_iface = {
	DOCA_STRUCT_CTOR_LIST_START,   .open = echo_open,         .close = echo_close,
	.worker_cmd = echo_worker_cmd, .progress = echo_progress, .notif_pack = echo_notif_pack,
};

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	if (iface == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*iface = echo_iface;
	return DOCA_SUCCESS;
}
