/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMH_WORKER_H_
#define UROMH_WORKER_H_

/*
 * The worker context. worker.c has its settings and getters, worker_ctx.c its way from start to
 * IDLE, worker_cmd.c the commands that are in flight, worker_cmd_task.c a command's task as the
 * application sees it. All on the thread of the worker's engine; service_seat.c is between the
 * threads.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_urom.h>

#include "core/buf.h"
#include "core/ctx.h"
#include "core/pool.h"
#include "urom/chan/chan.h"
#include "urom/host/service.h"

#define UROMH_DEFAULT_INFLIGHT 32
#define UROMH_MAX_INFLIGHT     65536
#define UROMH_USER_DATA_SIZE   32

/* Pools of max_inflight tasks each: the first is made at start, the others when they are needed. */
#define UROMH_NUM_POOLS 4

/* What lies behind a payload or response, for plugins that check the beginning alone. */
#define UROMH_BUFFER_SLACK 128

/* Buffers of messages over this are mapped, and given back to the system to be zeroed. */
#define UROMH_MAPPED_FROM (64u << 10)

enum uromh_phase {
	UROMH_IDLE,
	UROMH_ASKED,     /* STARTING: the daemon has the word */
	UROMH_ATTACHING, /* STARTING: the worker has */
	UROMH_ATTACHED,  /* RUNNING, or about to be */
	UROMH_BEREFT,    /* RUNNING: the channel is lost, and the daemon may say why */
	UROMH_DETACHING, /* STOPPING: the worker has the word */
	UROMH_LEAVING,   /* STOPPING: the daemon has */
	UROMH_GONE,      /* nothing is left but to say so */
};

struct doca_urom_worker_cmd_task {
	struct doca_task base;
	uint64_t plugin;
	doca_urom_worker_cmd_task_completion_cb_t cb;
	uint32_t slot; /* of those in flight */
	TAILQ_ENTRY(doca_urom_worker_cmd_task) flight;
	uint32_t capacity;     /* bytes of each buffer */
	size_t response_dirty; /* bytes from the response's start that may not be zero */
	void *memory;          /* owned: both buffers */
	size_t memory_size;
	bool is_mapped;
	struct core_buf_store payload_store;
	struct core_buf_store response_store;
	struct doca_buf payload;
	struct doca_buf response;
	uint8_t user_data[UROMH_USER_DATA_SIZE] __attribute__((aligned(16)));
};

/* One command in flight. A notification names it by index and generation. */
struct uromh_slot {
	struct doca_urom_worker_cmd_task *task; /* NULL: it is free */
	uint32_t generation;
	uint32_t next_free;
};

struct doca_urom_worker {
	struct doca_ctx base;

	/* Settings. */
	struct doca_urom_service *service; /* borrowed, counted there */
	uint64_t id;
	uint64_t plugins;
	bool has_group;
	uint32_t group;
	bool has_cpuset;
	doca_cpu_set_t cpuset;
	uint32_t max_inflight; /* a power of two */
	uint8_t *environment;  /* owned: a list of struct wire_entry */
	uint32_t environment_len;

	/* From start to IDLE. */
	enum uromh_phase phase;
	uint64_t deadline_ns;
	struct uromh_seat seat;
	struct chan *chan;
	struct chan_conn *conn;
	struct chan *parents_chan;      /* in a child of a fork: it stays untouched */
	bool is_channel_done;           /* it is closed with the next progress */
	bool is_over;                   /* the daemon has dropped this connection already */
	doca_error_t loss;              /* how the channel was lost, in BEREFT */
	char word[WIRE_MAX_REASON + 1]; /* the daemon's of why it will be; "": none */
	uint32_t max_message;
	uint64_t real_id;
	bool has_real_group;
	uint32_t real_group;

	/* Commands. */
	struct core_pool pools[UROMH_NUM_POOLS];
	struct uromh_slot *slots; /* owned: max_inflight */
	uint32_t num_slots;
	uint32_t first_free;
	uint32_t num_inflight;
	TAILQ_HEAD(, doca_urom_worker_cmd_task) flights; /* by submission */
};

extern const struct core_ctx_ops uromh_worker_ops;

static inline struct doca_urom_worker *uromh_worker_from_ctx(struct doca_ctx *ctx)
{
	return (struct doca_urom_worker *)ctx;
}

static inline struct doca_urom_worker_cmd_task *uromh_cmd_from_base(struct doca_task *task)
{
	return CORE_CONTAINER_OF(task, struct doca_urom_worker_cmd_task, base);
}

/* --- worker_cmd.c --- */

/* Makes the tasks and slots for a start. Errors: NO_MEMORY, BAD_STATE: logged. */
doca_error_t uromh_cmds_prepare(struct doca_urom_worker *worker);

/* Frees them, with a warning for tasks that were not released. */
void uromh_cmds_fini(struct doca_urom_worker *worker);

/* The slot `submit` of the ops table. */
doca_error_t uromh_cmds_submit(struct doca_ctx *ctx, struct doca_task *base, uint32_t flags);

/* NOTIFY has come. Errors: CONNECTION_ABORTED: the message is none. */
doca_error_t uromh_cmds_notified(struct doca_urom_worker *worker,
				 const struct chan_message *message);

/* Ends all that are in flight, in the order of their submission. */
void uromh_cmds_flush(struct doca_urom_worker *worker, doca_error_t status);

/* --- worker_cmd_task.c --- */

/*
 * Gives a task its buffers, zeroed, for messages of the worker's size. Errors: NO_MEMORY: logged.
 */
doca_error_t uromh_cmd_task_prepare(struct doca_urom_worker_cmd_task *task, uint32_t capacity);

/* Puts an answer into the response; payload may be empty. */
void uromh_cmd_task_respond(struct doca_urom_worker_cmd_task *task, struct wire_bytes payload);

/* Frees the buffers. */
void uromh_cmd_task_fini(struct doca_task *base);

#endif /* UROMH_WORKER_H_ */
