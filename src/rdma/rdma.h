/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_RDMA_H_
#define RDMA_RDMA_H_

/*
 * Messages and remote memory over connections. rdma.c has the object and what the core calls,
 * config.c its properties, caps.c the queries, connection.c and connect_oob.c the connections,
 * task.c the checks of a task and its end, task_*.c the tasks as the application sees them. The
 * bytes are moved by a provider (provider.h), which is chosen by the device.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_rdma.h>

#include "core/ctx.h"
#include "core/key.h"
#include "core/pool.h"
#include "core/task.h"

struct drdma_provider;

#define DRDMA_MAX_TASKS   65536
#define DRDMA_SECRET_SIZE 16

/* An RNR retry count of this is no count: wait for ever. */
#define DRDMA_RNR_FOR_EVER 7

enum drdma_kind {
	DRDMA_RECEIVE,
	DRDMA_SEND,
	DRDMA_SEND_IMM,
	DRDMA_READ,
	DRDMA_WRITE,
	DRDMA_WRITE_IMM,
	DRDMA_NUM_KINDS,
};

/* Every task kind is this; the public types only name them apart. */
struct drdma_task {
	struct doca_task base;
	enum drdma_kind kind;
	struct doca_rdma_connection *conn; /* borrowed; receive: NULL. drdma_task_set_conn() */
	uint32_t conn_id;                  /* its number then */
	const struct doca_buf *src;        /* borrowed */
	struct doca_buf *dst;              /* borrowed */
	doca_be32_t imm;

	/* Set by drdma_task_prepare(). */
	uint32_t len;    /* bytes of the message; receive: of the room for one */
	bool has_remote; /* the next three mean something */
	uint32_t key_index;
	uint64_t key_tag;
	uint64_t remote_addr;

	/* Set by the provider, before it hands the task back. */
	doca_error_t result;
	uint32_t psn; /* its own */
	uint32_t result_len;
	enum doca_rdma_opcode result_opcode;
	doca_be32_t result_imm;
	const struct doca_rdma_connection *result_conn;
};

STAILQ_HEAD(drdma_queue, doca_task);

/* All of one type, as config.c has them in a table. */
struct drdma_config {
	uint32_t send_queue_size; /* a power of two */
	uint32_t send_list_len;
	uint32_t receive_list_len;
	uint32_t permissions; /* doca_access_flag bits */
	uint32_t gid_index;
	uint32_t sl;
	uint32_t transport; /* enum doca_rdma_transport_type */
	uint32_t mtu;       /* enum doca_mtu_size */
	uint32_t grh_enabled;
	uint32_t max_num_connections; /* 16 bits */
	uint32_t rnr_retry_count;     /* 8 bits */
};

/* What an exported descriptor says of a connection. */
struct drdma_conn_record {
	uint16_t provider;   /* enum core_dev_kind */
	uint16_t transport;  /* enum doca_rdma_transport_type */
	uint16_t byte_order; /* DRDMA_LITTLE_ENDIAN or another */
	uint16_t port;       /* TCP, 0: none */
	uint32_t conn_id;
	uint32_t has; /* CORE_DEV_HAS_IPV4 and _IPV6: which addresses are there */
	uint8_t instance[CORE_INSTANCE_SIZE];
	uint8_t secret[DRDMA_SECRET_SIZE];
	uint8_t host[CORE_INSTANCE_SIZE];     /* of this boot of the machine; zero: not known */
	uint8_t listener[CORE_INSTANCE_SIZE]; /* names a Unix-domain socket */
	uint32_t ipv4;                        /* as a number, the first byte the highest */
	uint8_t ipv6[DOCA_GID_BYTE_LENGTH];
};

#define DRDMA_LITTLE_ENDIAN 1
#define DRDMA_BIG_ENDIAN    2

/* Moves are made under the provider's lock. */
enum drdma_conn_state {
	DRDMA_CONN_EXPORTED,
	DRDMA_CONN_CONNECTED, /* by the application; the peer may not be there yet */
	DRDMA_CONN_FAILED,    /* by itself; the application has not disconnected it */
	DRDMA_CONN_ENDED,
};

/*
 * How many ended connections of a context wait before the oldest of them becomes a new one, so that
 * who still has a pointer to it is told that it has ended.
 */
#define DRDMA_NUM_ENDED 64

/*
 * Freed with its context only. Tasks that name an ended one hold it or know it by its number: see
 * connection.c.
 */
struct doca_rdma_connection {
	struct doca_rdma *rdma;
	TAILQ_ENTRY(doca_rdma_connection) link; /* in conns, or in ended_conns */
	enum drdma_conn_state state;
	union doca_data user_data;
	struct drdma_conn_record record; /* own */
	struct drdma_conn_record peer;   /* from connect on */
	uint8_t *blob;                   /* owned; NULL: ended */
	void *provider_data;             /* the provider's */
};

TAILQ_HEAD(drdma_conns, doca_rdma_connection);

struct doca_rdma {
	struct doca_ctx base;
	struct doca_dev *dev; /* held */
	const struct drdma_provider *provider;
	void *provider_data; /* the provider's; NULL: not started */
	struct drdma_config config;
	struct core_pool pools[DRDMA_NUM_KINDS];
	struct drdma_conns conns;       /* not disconnected yet */
	struct drdma_conns ended_conns; /* the oldest first */
	unsigned int num_conns;         /* in conns */
	unsigned int num_ended_conns;
	uint32_t told_rights; /* that it lacks, as a log line has said */
};

extern const struct core_ctx_ops drdma_ctx_ops;

extern const char *const drdma_kind_names[DRDMA_NUM_KINDS];

static inline struct drdma_task *drdma_from_task(struct doca_task *task)
{
	return CORE_CONTAINER_OF(task, struct drdma_task, base);
}

/*
 * Checks a task that is being submitted, and sets what the provider needs.
 * Errors: INVALID_VALUE, NOT_PERMITTED, BAD_STATE: as doca_rdma.h says of submit; logged.
 */
doca_error_t drdma_task_prepare(struct doca_rdma *rdma, struct drdma_task *task);

/* Ends tasks that the provider has handed back: the buf lengths, then core_task_complete(). */
void drdma_tasks_finish(struct drdma_queue *finished);

/*
 * A connection that is not of the context yet: an ended one that nobody knows any more, or memory.
 * NULL: there is none.
 */
struct doca_rdma_connection *drdma_conn_take(struct doca_rdma *rdma);

/* It is the application's from here on, or, if it could not be opened, one that has ended. */
void drdma_conn_add(struct doca_rdma_connection *conn);
void drdma_conn_give_back(struct doca_rdma_connection *conn);

/* Ends all connections and makes their exports void, at stop. */
void drdma_conns_end(struct doca_rdma *rdma);

/* Frees them, at destroy. */
void drdma_conns_free(struct doca_rdma *rdma);

/*
 * Makes the bytes of a descriptor, or reads them.
 * Errors: NO_MEMORY. CONNECTION_ABORTED: not one of ours, damaged, or not for this context; logged.
 */
doca_error_t drdma_record_encode(const struct drdma_conn_record *record, uint8_t **blob);
size_t drdma_record_size(void);
doca_error_t drdma_record_decode(const void *blob, size_t len, struct drdma_conn_record *record);

/* What the public task calls share. public_task: its types have nothing but a drdma_task. */
doca_error_t drdma_set_conf(struct doca_rdma *rdma, enum drdma_kind kind,
			    doca_task_completion_cb_t success_cb,
			    doca_task_completion_cb_t error_cb, uint32_t num_tasks);
doca_error_t drdma_task_alloc(struct doca_rdma *rdma, enum drdma_kind kind,
			      union doca_data user_data, struct drdma_task **task);
bool drdma_task_is_settable(const void *public_task, const char *func);
bool drdma_task_is_there(const void *public_task, const char *func);

/* conn: may be NULL, and of any state; a submit looks at it. */
void drdma_task_set_conn(struct drdma_task *task, struct doca_rdma_connection *conn);

#endif /* RDMA_RDMA_H_ */
