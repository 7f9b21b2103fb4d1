/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMH_SERVICE_H_
#define UROMH_SERVICE_H_

/*
 * The service context. service.c has its settings and getters, service_start.c the way to the
 * daemon, service_ctx.c what the core calls and the messages that come, service_seat.c the workers,
 * service_tasks.c the questions for groups, service_fork.c what a child of a fork has of it.
 *
 * Workers may be on other threads. All that they share with their service is their seat: what they
 * ask for goes into the service's list of letters, what the daemon answers into the seat's mail,
 * both under the service's lock. The service's thread alone talks to the daemon.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <doca_urom.h>

#include "core/ctx.h"
#include "core/pool.h"
#include "urom/chan/chan.h"
#include "urom/chan/chan_stream.h"
#include "urom/host/service_file.h"
#include "urom/wire/wire_messages.h"

#define UROMH_DEFAULT_MAX_WORKERS 32
#define UROMH_DEFAULT_MESSAGE     4096
#define UROMH_MIN_MESSAGE         128
#define UROMH_MAX_MESSAGE         WIRE_MAX_PAYLOAD
#define UROMH_MAX_PLUGINS         62
#define UROMH_MAX_GROUP_TASKS     256
#define UROMH_START_TIMEOUT_MS    10000

/* What a command and a notification have around their plugin's bytes. */
#define UROMH_COMMAND_OVERHEAD 24

struct uromh_seat;

/* What a worker has the service tell the daemon. */
struct uromh_letter {
	TAILQ_ENTRY(uromh_letter) link;
	struct uromh_seat *seat; /* that waits for the answer; NULL: nobody does */
	uint16_t type;           /* WORKER_START or WORKER_STOP */
	struct wire_worker_stop stop;
	struct wire_worker_start start; /* its environment: copied, behind this structure */
	uint8_t environment[];
};

/* What has come for a worker since it looked last. */
struct uromh_mail {
	bool is_started;
	bool is_refused;
	bool is_stopped;
	bool is_dead;   /* the process, or the way to the daemon */
	bool is_ending; /* with that: it is the service that ends */
	bool is_parted; /* the process has ended this connection */
	uint64_t worker_id;
	uint64_t connection;
	bool has_group;
	uint32_t group;
	uint64_t pid;
	uint32_t uid;
	uint64_t user_ns;
	uint8_t ticket[WIRE_TICKET_SIZE];
	uint8_t addr[CHAN_MAX_ADDR];
	size_t addr_len;
	char reason[WIRE_MAX_REASON + 1];
};

/* A worker's place at its service, from its start until it is IDLE again. */
struct uromh_seat {
	struct doca_urom_service *service; /* NULL: it has none */
	struct doca_pe *pe;                /* whom mail wakes */
	TAILQ_ENTRY(uromh_seat) link;
	uint64_t exchange; /* of the question that is open; 0: none */
	uint64_t worker_id;
	uint64_t connection; /* 0: none yet */
	bool has_mail;       /* atomic: looked at without the lock */
	struct uromh_mail mail;
};

struct doca_urom_service_get_workers_by_gid_task {
	struct doca_task base;
	uint32_t gid;
	doca_urom_service_get_workers_by_gid_task_completion_cb_t cb;
	uint64_t exchange;
	uint64_t *ids; /* owned */
	size_t num_ids;
	TAILQ_ENTRY(doca_urom_service_get_workers_by_gid_task) link; /* those that are in flight */
};

struct doca_urom_service {
	struct doca_ctx base;

	/* Settings. */
	struct doca_dev *dev; /* borrowed */
	uint32_t max_message;
	uint32_t max_workers;
	unsigned int num_users; /* atomic: workers that refer to it */

	/* While RUNNING. */
	struct uromh_location location;
	struct chan_stream stream; /* by uromh_stream_open() and uromh_stream_close() alone */
	LIST_ENTRY(doca_urom_service) open_link;
	bool has_sent;        /* to the daemon, and some of it may be on the way */
	bool is_ending;       /* the daemon has said so */
	bool may_have_more;   /* the latest look at the stream brought a message */
	uint32_t empty_looks; /* at the stream, in a row */
	uint32_t turns;       /* of the engine, since there have been many of them */
	uint64_t latest_exchange;
	struct doca_urom_service_plugin_info *plugins; /* owned */
	size_t num_plugins;

	/* Under the lock. */
	pthread_mutex_t lock;
	doca_cpu_set_t cpuset; /* written on the service's thread alone, which reads it without */
	bool is_cut;           /* the way to the daemon is gone, or the service stops */
	TAILQ_HEAD(, uromh_seat) seats;
	uint32_t num_seats;
	TAILQ_HEAD(, uromh_letter) letters;
	bool has_letters; /* atomic: looked at without the lock */

	struct core_pool group_pool;
	TAILQ_HEAD(, doca_urom_service_get_workers_by_gid_task) asked;
};

extern const struct core_ctx_ops uromh_service_ops;

static inline struct doca_urom_service *uromh_service_from_ctx(struct doca_ctx *ctx)
{
	return (struct doca_urom_service *)ctx;
}

/* Is the context RUNNING? Thread: any. */
static inline bool uromh_service_is_running(struct doca_urom_service *service)
{
	return __atomic_load_n(&service->base.state, __ATOMIC_ACQUIRE) == DOCA_CTX_STATE_RUNNING;
}

/* Are they all the service's? True as long as it is not RUNNING. Thread: any. */
bool uromh_service_has_cpus(struct doca_urom_service *service, const doca_cpu_set_t *cpuset);

/* An id for the next question to the daemon. */
static inline uint64_t uromh_service_next_exchange(struct doca_urom_service *service)
{
	return ++service->latest_exchange;
}

/*
 * service_start.c: finds the daemon, connects and shakes hands, within UROMH_START_TIMEOUT_MS; then
 * location, stream, plugins and cpuset are set. Errors: as doca_urom_service_as_ctx() lists them,
 * each logged; nothing is left.
 */
doca_error_t uromh_service_connect(struct doca_urom_service *service);

/* service_welcome.c: takes what WELCOME says. Errors: CONNECTION_ABORTED: logged. NO_MEMORY. */
doca_error_t uromh_service_take_welcome(struct doca_urom_service *service,
					const struct chan_message *message);

/* --- service_fork.c --- */

/*
 * The stream to the daemon, which a child of a fork closes too; its services and workers are of no
 * use there. fd: taken. close accepts one that is not open.
 */
void uromh_stream_open(struct doca_urom_service *service, int fd);
void uromh_stream_close(struct doca_urom_service *service);

/* --- service_seat.c --- */

/*
 * A worker that starts takes a seat, on its own thread. pe: the worker's.
 * Errors: BAD_STATE: the service is not RUNNING. NOT_CONNECTED: its daemon is gone. FULL. All
 * logged.
 */
doca_error_t uromh_seat_take(struct uromh_seat *seat, struct doca_urom_service *service,
			     struct doca_pe *pe);

/*
 * Asks for the worker. start: copied with its environment.
 * Errors: NO_MEMORY. Thread: the worker's.
 */
doca_error_t uromh_seat_ask(struct uromh_seat *seat, const struct wire_worker_start *start);

/* Asks that the connection be ended. Errors: NO_MEMORY. Thread: the worker's. */
doca_error_t uromh_seat_ask_stop(struct uromh_seat *seat);

/* Takes what has come; false: nothing. Thread: the worker's. */
bool uromh_seat_read(struct uromh_seat *seat, struct uromh_mail *mail);

/*
 * Gives the seat back; a worker that was asked for, or has come, is stopped without an answer
 * unless is_over. Accepts one that has no service. Thread: the worker's.
 */
void uromh_seat_leave(struct uromh_seat *seat, bool is_over);

/* Sends what the workers have asked for. Thread: the service's. */
bool uromh_seats_send_letters(struct doca_urom_service *service);

/*
 * Messages of the daemon for workers. Errors: CONNECTION_ABORTED: the message is none.
 * Thread: the service's.
 */
doca_error_t uromh_seats_started(struct doca_urom_service *service, const struct chan_message *msg);
doca_error_t uromh_seats_stopped(struct doca_urom_service *service, const struct chan_message *msg);
doca_error_t uromh_seats_died(struct doca_urom_service *service, const struct chan_message *msg);
doca_error_t uromh_seats_parted(struct doca_urom_service *service, const struct chan_message *msg);

/* True: the refusal was for a worker. */
bool uromh_seats_refused(struct doca_urom_service *service, uint64_t exchange, const char *reason);

/* The way to the daemon is gone: tells every worker. Thread: the service's. */
void uromh_seats_cut(struct doca_urom_service *service);

/* --- service_tasks.c --- */

/* Makes the tasks. Errors: NO_MEMORY: logged. */
doca_error_t uromh_groups_fill(struct doca_urom_service *service);

/* The slots of the ops table. */
doca_error_t uromh_groups_submit(struct doca_ctx *ctx, struct doca_task *base, uint32_t flags);
void uromh_groups_free_task(struct doca_ctx *ctx, struct doca_task *base);

/* GROUP has come. Errors: CONNECTION_ABORTED: the message is none. */
doca_error_t uromh_groups_answered(struct doca_urom_service *service,
				   const struct chan_message *message);

/* True: the refusal was for a question. */
bool uromh_groups_refused(struct doca_urom_service *service, uint64_t exchange, doca_error_t error);

/* Ends every question with an error. */
void uromh_groups_flush(struct doca_urom_service *service, doca_error_t status);

/* Frees the tasks, with a warning for those that were not released. */
void uromh_groups_fini(struct doca_urom_service *service);

#endif /* UROMH_SERVICE_H_ */
