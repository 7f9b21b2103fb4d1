/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/domain_tables.h"

/* No host can tell a worker of a domain in this version of the protocol, so no id is found. */

static doca_error_t addr_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr)
{
	(void)domain_id;
	return ctx == NULL || addr == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_FOUND;
}

static doca_error_t seg_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
			       int *seg) /* NOLINT: the slot has it so */
{
	(void)domain_id;
	(void)va;
	return ctx == NULL || seg == NULL ? DOCA_ERROR_INVALID_VALUE : DOCA_ERROR_NOT_FOUND;
}

/* The handles of both kinds. */
static doca_error_t handle_lookup(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
				  size_t *len, void **handle) /* NOLINT */
{
	(void)domain_id;
	(void)seg;
	if (ctx == NULL || len == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_FOUND;
}

const struct urom_domain_lookups_iface uromw_domain_lookups = {
	.addr_lookup = addr_lookup,
	.seg_lookup = seg_lookup,
	.memh_lookup = handle_lookup,
	.mkey_lookup = handle_lookup,
};
