/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a UROM plugin is to the worker process that loads it, and what the service tells about it.
 *
 * A plugin is a shared object that exports two functions, which it declares itself:
 *
 *     doca_error_t urom_plugin_get_version(uint64_t *version);
 *     doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
 *
 * Both give INVALID_VALUE for NULL. Two more, ours, are optional; with both an idle worker sleeps
 * instead of polling the plugin:
 *
 *     doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd);
 *     doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx);
 *
 * The first is called once, after open. fd: lent until close, readable when progress has something
 * to do. The second is called before each sleep; SUCCESS: fd will tell. AGAIN: progress first.
 *
 * The worker calls a plugin on one thread: open, addr twice, then worker_cmd and progress in turn,
 * close at the end. docs/plugin-guide.md shows a whole one.
 */
#ifndef DOCA_UROM_PLUGIN_H_
#define DOCA_UROM_PLUGIN_H_

#include <limits.h>
#include <stdint.h>

#include <ucs/datastruct/list.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a plugin's name, its NUL included. */
#define DOCA_UROM_PLUGIN_NAME_MAX_LEN 48

struct urom_worker_ctx;

/* A plugin that a service offers. */
struct doca_urom_service_plugin_info {
	uint64_t id;                                     /* one bit; the service's, for its life */
	uint64_t version;                                /* what urom_plugin_get_version() gave */
	char plugin_name[DOCA_UROM_PLUGIN_NAME_MAX_LEN]; /* its file without ".so" */
};

/* A command, as a host has sent it. */
struct urom_worker_cmd {
	uint64_t type;         /* the plugin's id */
	uint64_t urom_context; /* the worker's; goes into the notification as it is */
	uint64_t len;          /* bytes of plugin_cmd */
	uint8_t plugin_cmd[];  /* the plugin's own; writable, aligned to 8 bytes */
};

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wflexible-array-extensions"
#endif

/* A command in the list that worker_cmd gets: one block of malloc(), the plugin's to free(). */
struct urom_worker_cmd_desc {
	ucs_list_link_t entry;
	uint64_t dest_id; /* who has sent it; goes into the notification as it is */
	struct urom_worker_cmd worker_cmd;
};

/* The answer to a command. */
struct urom_worker_notify {
	uint64_t type;         /* of the command */
	uint64_t urom_context; /* of the command */
	uint64_t len;          /* bytes of plugin_notif */
	doca_error_t status;   /* becomes the status of the host's task */
	uint32_t reserved;
	uint8_t plugin_notif[]; /* the plugin's own */
};

/* An answer in the list that progress fills: one block of malloc(), the worker's to free(). */
struct urom_worker_notif_desc {
	ucs_list_link_t entry;
	uint64_t dest_id; /* of the command */
	struct urom_worker_notify worker_notif;
};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

/* What a plugin does. The worker's thread alone calls it. */
struct urom_plugin_iface {
	DOCA_STRUCT_START;

	/*
	 * Makes the plugin's state and leaves it in ctx->plugin_ctx. ctx: the worker's, at this
	 * address until close. Anything but SUCCESS ends the worker's start, and nothing else of
	 * this plugin is called, close neither.
	 */
	doca_error_t (*open)(struct urom_worker_ctx *ctx);

	/* Frees the state. Commands that are not answered yet stay so. */
	void (*close)(struct urom_worker_ctx *ctx);

	/*
	 * The address under which plugins of its kind reach this one. Asked twice: with a length
	 * that is too small, to which it answers INVALID_VALUE and the length that is needed, then
	 * with addr of that many bytes. Another error, or NULL here: it has no address.
	 */
	doca_error_t (*addr)(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len);

	/*
	 * Takes the struct urom_worker_cmd_desc off cmd_list, and frees each. An error that no
	 * notification bears becomes the status of the command.
	 */
	doca_error_t (*worker_cmd)(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list);

	/*
	 * Goes on with what is under way, and appends struct urom_worker_notif_desc to notif_list.
	 * SUCCESS: there are some; EMPTY: there are none.
	 */
	doca_error_t (*progress)(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list);

	/*
	 * Writes a notification as it is to travel: the struct urom_worker_notify, then its bytes.
	 * packed_notif_len: in, the room there; out, the bytes used.
	 */
	doca_error_t (*notif_pack)(struct urom_worker_notify *notif, size_t *packed_notif_len,
				   void *packed_notif);
};

/* How a plugin finds the other workers of a domain; the worker fills it before open. */
struct urom_domain_lookups_iface {
	doca_error_t (*addr_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr);
	doca_error_t (*seg_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
				   int *seg);
	doca_error_t (*memh_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
				    size_t *len, void **memh);
	doca_error_t (*mkey_lookup)(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
				    size_t *len, void **rkey);
};

/* One plugin in one worker. */
struct urom_worker_ctx {
	struct urom_plugin_iface iface;
	struct urom_domain_lookups_iface domain_iface;
	void *plugin_ctx; /* the plugin's */
};

/*
 * doca_urom_worker_domain_addr_lookup() - the address of this plugin on another worker.
 * domain_id: of that worker in its domain. addr: lent until the worker exits.
 * Errors: INVALID_VALUE: a NULL argument. NOT_FOUND: no domain has that id.
 * Thread: any. Source: DOCA 3.0 UROM plugin API.
 */
static inline doca_error_t doca_urom_worker_domain_addr_lookup(struct urom_worker_ctx *ctx,
							       uint64_t domain_id, void **addr)
{
	if (ctx == NULL || addr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx->domain_iface.addr_lookup(ctx, domain_id, addr);
}

/*
 * doca_urom_worker_domain_seg_lookup() - which buffer of a worker holds an address.
 * domain_id: of that worker. va: in its host's memory. seg: 0 for the first that was added.
 * Errors: INVALID_VALUE: a NULL argument. NOT_FOUND: no domain has that id, or no buffer holds va.
 * Thread: any. Source: DOCA 3.0 UROM plugin API.
 */
static inline doca_error_t doca_urom_worker_domain_seg_lookup(struct urom_worker_ctx *ctx,
							      uint64_t domain_id, uint64_t va,
							      int *seg)
{
	if (ctx == NULL || seg == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx->domain_iface.seg_lookup(ctx, domain_id, va, seg);
}

/*
 * doca_urom_worker_domain_memh_lookup() - the packed memory handle of a buffer.
 * domain_id: of its worker. seg: of the buffer. len: bytes at memh. memh: lent until the worker
 * exits.
 * Errors: INVALID_VALUE: a NULL argument. NOT_FOUND: no such worker or buffer, or it has none.
 * Thread: any. Source: DOCA 3.0 UROM plugin API.
 */
static inline doca_error_t doca_urom_worker_domain_memh_lookup(struct urom_worker_ctx *ctx,
							       uint64_t domain_id, int seg,
							       size_t *len, void **memh)
{
	if (ctx == NULL || len == NULL || memh == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx->domain_iface.memh_lookup(ctx, domain_id, seg, len, memh);
}

/*
 * doca_urom_worker_domain_mkey_lookup() - the packed remote key of a buffer.
 * domain_id: of its worker. seg: of the buffer. len: bytes at rkey. rkey: lent until the worker
 * exits.
 * Errors: INVALID_VALUE: a NULL argument. NOT_FOUND: no such worker or buffer, or it has none.
 * Thread: any. Source: DOCA 3.0 UROM plugin API.
 */
static inline doca_error_t doca_urom_worker_domain_mkey_lookup(struct urom_worker_ctx *ctx,
							       uint64_t domain_id, int seg,
							       size_t *len, void **rkey)
{
	if (ctx == NULL || len == NULL || rkey == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return ctx->domain_iface.mkey_lookup(ctx, domain_id, seg, len, rkey);
}

#ifdef __cplusplus
}
#endif

#endif /* DOCA_UROM_PLUGIN_H_ */
