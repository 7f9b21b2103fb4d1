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
	struct urom_worker_notif_desc *answer, *next;

	ucs_list_for_each_safe (answer, next, &echo->answers, entry)
		free(answer);
	free(echo);
}

static doca_error_t answer_one(struct echo *echo, const struct urom_worker_cmd_desc *cmd)
{
	const struct urom_worker_cmd *command = &cmd->worker_cmd;
	struct urom_worker_notif_desc *answer = malloc(sizeof(*answer) + command->len);

	if (answer == NULL)
		return DOCA_ERROR_NO_MEMORY;
	answer->dest_id = cmd->dest_id;
	answer->worker_notif.type = command->type;
	answer->worker_notif.urom_context = command->urom_context;
	answer->worker_notif.len = command->len;
	answer->worker_notif.status = DOCA_SUCCESS;
	answer->worker_notif.reserved = 0;
	memcpy(answer->worker_notif.plugin_notif, command->plugin_cmd, command->len);
	ucs_list_add_tail(&echo->answers, &answer->entry);
	return DOCA_SUCCESS;
}

static doca_error_t echo_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
	struct urom_worker_cmd_desc *cmd, *next;
	doca_error_t result;

	ucs_list_for_each_safe (cmd, next, cmd_list, entry) {
		ucs_list_del(&cmd->entry);
		result = answer_one(ctx->plugin_ctx, cmd);
		free(cmd);
		if (result != DOCA_SUCCESS)
			return result; /* those behind it stay in the list */
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
