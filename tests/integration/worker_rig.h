/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WORKER_RIG_H_
#define WORKER_RIG_H_

/*
 * A worker process, with this process as its daemon and as its hosts. Every wait ends at what it
 * waits for, and fails the test after a time that no working machine needs.
 */

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "urom/chan/chan.h"
#include "urom/chan/chan_stream.h"
#include "urom/wire/wire_messages.h"
#include "worker_play.h"

#define RIG_MAX_PLUGINS 4
#define RIG_MAX_ENV     8
#define RIG_MAX_MESSAGE 4096

/* The id of the n-th plugin of a worker, and one that none has. */
#define RIG_ID(n) (UINT64_C(1) << (3 * (n)))
#define RIG_NO_ID (UINT64_C(1) << 60)

/* The kind of the data path of workers and hosts, for a whole test; TCP at first. */
extern enum chan_kind rig_channel;
extern const enum chan_kind rig_tcp, rig_ucx;

/* A test over one kind, or over each, whose fixtures begin with rig_begin() and end with
 * test_end(). */
#define RIG_OVER(kind, name, begin, end)                                          \
	{                                                                         \
#kind ":" #name, name, begin, end, (void *)(uintptr_t)&rig_##kind \
	}
#define RIG_OVER_EACH(name, begin, end) \
	RIG_OVER(tcp, name, begin, end), RIG_OVER(ucx, name, begin, end)

/* test_begin(), for a test over a kind. */
int rig_begin(void **state);

/* Zeroed memory is the usual worker: one plugin worker_play_a. */
struct rig_config {
	const char *plugins[RIG_MAX_PLUGINS]; /* files in TEST_PLUGIN_DIR, or paths */
	const char *env[RIG_MAX_ENV];         /* "NAME=value", besides this process's own */
	uint32_t max_message;                 /* bytes */
	const char *plugin_timeout;           /* seconds */
	const char *max_unread;               /* bytes */
	const char *log_level;
	int cpu;         /* the one processor it may use, from 1 on; 0: all */
	bool has_parent; /* between this process and itself, for rig_orphan() */
};

struct rig {
	pid_t pid;
	int status;   /* of waitpid(), once it has ended */
	pid_t parent; /* if it has one of its own */
	struct chan_stream control;
	FILE *log; /* what it has written */
	uint8_t addr[CHAN_MAX_ADDR];
	size_t addr_len;
	char plugin_addrs[RIG_MAX_PLUGINS][1024]; /* as they came in WORKER_READY; "": none */
	uint64_t next_connection;
	FILE *trace;          /* what PLAY_TRACE names */
	char traced[2048];    /* what stood in there at the end */
	long log_len;         /* bytes of the log at the end */
	bool is_silent;       /* there should be none */
	char expected[8][64]; /* parts of lines at WARNING and ERROR */
	unsigned int num_expected;
};

/* Starts a worker that has to become ready. */
void rig_start(struct rig *rig, const struct rig_config *config);

/* Starts one that has to fail with that error and a reason that contains part, and ends it. */
void rig_start_fails(struct rig *rig, const struct rig_config *config, doca_error_t error,
		     const char *part);

/* Up to the handshake, whose hello is checked; what the daemon answers is up to the test. */
void rig_spawn(struct rig *rig, const struct rig_config *config);

/* Ends the parent that a worker has of its own. */
void rig_orphan(struct rig *rig);

/* Its log is to have such a line at WARNING or ERROR, when it ends. */
void rig_expect_log(struct rig *rig, const char *part);

/* Fails unless the log has a line that contains part. */
void rig_check_log(struct rig *rig, const char *part);

/* Asks for the end by SHUTDOWN, and checks that it was a good one. */
void rig_stop(struct rig *rig);

/* Waits for an end that comes by itself: by exit(status), or by a signal. */
void rig_wait_exit(struct rig *rig, int status);
void rig_wait_signal(struct rig *rig, int signal);

/* Sends a message of the daemon's, and takes the next one of the worker's. */
void rig_send(struct rig *rig, uint16_t type, uint64_t id, const void *record);
void rig_take(struct rig *rig, uint16_t type, uint64_t id, void *record);

/* Puts its log where a test that fails can be seen. */
void rig_print_log(struct rig *rig);

/* The end of the time in which something has to happen, in nanoseconds. */
uint64_t rig_deadline(void);

/* --- Hosts --- */

#define RIG_MAX_NOTES 4096

/* A notification. */
struct rig_note {
	uint64_t id;
	uint64_t plugin;
	uint64_t context;
	doca_error_t status;
	uint8_t *payload; /* owned by the host */
	size_t len;
};

/* What a host has heard on its connection. */
struct rig_host {
	struct rig *rig;
	uint64_t connection;
	uint8_t ticket[WIRE_TICKET_SIZE];
	struct chan *chan;
	struct chan_conn *conn; /* NULL: closed */
	bool is_attached;
	bool is_detached;
	bool is_refused;
	doca_error_t closed_for; /* if it was */
	struct rig_note notes[RIG_MAX_NOTES];
	unsigned int num_notes;
	unsigned int num_taken;
};

/* A ticket for it, and a connection that has not shown it yet. max_message: 0: the worker's. */
void host_open(struct rig_host *host, struct rig *rig, uint32_t max_message);
void host_close(struct rig_host *host);

/* The same, but the worker does not know of it. */
void host_connect(struct rig_host *host, struct rig *rig);

/* Opens, shows the ticket, and waits until that is accepted. */
void host_attach(struct rig_host *host, struct rig *rig);

/* Shows a ticket, its own or another. */
void host_show(struct rig_host *host, uint64_t connection, const uint8_t *ticket);

/* Sends a command: op, arg and len bytes. */
void host_send(struct rig_host *host, uint64_t plugin, uint64_t context, enum play_op op,
	       uint32_t arg, const void *bytes, size_t len);

/* Sends bytes that are no struct play_cmd. */
void host_send_raw(struct rig_host *host, uint64_t plugin, uint64_t context, const void *bytes,
		   size_t len);

/* Waits for the next notification; lent until host_close(). */
const struct rig_note *host_take(struct rig_host *host);

/* Waits for one of that context and status. */
const struct rig_note *host_take_end(struct rig_host *host, uint64_t context, doca_error_t status);

/* Sends a command and waits for its end with that status, as the next that comes. */
const struct rig_note *host_run(struct rig_host *host, uint64_t plugin, enum play_op op,
				uint32_t arg, const void *bytes, size_t len, doca_error_t status);

/* Runs an echo, by which all that was said before has been seen, and nothing else has come. */
void host_check_quiet(struct rig_host *host, uint64_t plugin);

/* Waits until a flag of the host's is set. */
void host_wait(struct rig_host *host, const bool *flag);

/* Waits until its connection is closed by the worker. */
void host_wait_closed(struct rig_host *host);

#endif /* WORKER_RIG_H_ */
