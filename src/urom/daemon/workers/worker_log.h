/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_WORKER_LOG_H_
#define UROMD_WORKER_LOG_H_

/*
 * The files that workers write to. Whatever runs in a worker may fill its log, cut it, or link it
 * elsewhere, so the daemon makes the file, keeps it open and works on that descriptor alone; what
 * it makes beside it has a name of its own that did not exist before. Nothing here waits for
 * anybody.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include <doca_error.h>

/* Bytes of a log's end that are kept when it begins anew. */
#define UROMD_LOG_TAIL (1u << 20)

/* Zeroed memory is none. */
struct uromd_worker_log {
	bool is_open;
	int fd;              /* owned, if is_open; the worker has it as well */
	uint64_t size_bytes; /* at the last look */
};

struct uromd_ended_log;
TAILQ_HEAD(uromd_ended_logs, uromd_ended_log);

/* Those of workers that have ended, the oldest first. */
struct uromd_log_store {
	const char *dir; /* borrowed; NULL: there are no logs */
	struct uromd_ended_logs ended;
	unsigned int num_ended;
	uint64_t num_removed; /* because there were too many */
	uint64_t max_ended;
};

/*
 * Finds the logs that earlier daemons have left in the directory, and removes those that are too
 * many. dir: borrowed. Errors: NO_MEMORY; it can be used all the same.
 */
doca_error_t uromd_log_store_init(struct uromd_log_store *store, const char *dir,
				  uint64_t max_ended);

void uromd_log_store_fini(struct uromd_log_store *store);

/*
 * A log for a worker to come, which has no pid and therefore its name still to get.
 * owner: whose it is to be; he alone can read it. log: written on success. Errors: NOT_FOUND: there
 * are no logs. As the system has them; errno tells.
 */
doca_error_t uromd_worker_log_open(const struct uromd_log_store *store, uid_t owner,
				   struct uromd_worker_log *log);

/* There is a process; one of an earlier one with that pid goes. Errors: as the system has them. */
doca_error_t uromd_worker_log_name(struct uromd_log_store *store, pid_t pid);

/* There will be no process. Accepts zeroed memory. */
void uromd_worker_log_drop(const struct uromd_log_store *store, struct uromd_worker_log *log);

/* How large it is now, which is written to the log's size, too; 0 for none. */
uint64_t uromd_worker_log_look(struct uromd_worker_log *log);

/*
 * Begins it anew, and puts the last UROMD_LOG_TAIL bytes into a file with ".1" behind its name.
 * Errors: as the system has them; it is empty all the same, if that was possible.
 */
doca_error_t uromd_worker_log_cut(const struct uromd_log_store *store, struct uromd_worker_log *log,
				  pid_t pid);

/* The process has ended: closes its log, which is among the ended ones from now on. */
void uromd_worker_log_end(struct uromd_log_store *store, struct uromd_worker_log *log, pid_t pid);

#endif /* UROMD_WORKER_LOG_H_ */
