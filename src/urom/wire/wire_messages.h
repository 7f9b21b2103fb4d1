/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WIRE_WIRE_MESSAGES_H_
#define WIRE_WIRE_MESSAGES_H_

/*
 * Every message, as a record. Control path: host and daemon, worker and daemon. Data path: host and
 * worker. docs/wire.md tells who sends what when; its tables are made from wire_messages.c.
 */

#include <stdbool.h>
#include <stdint.h>

#include "urom/wire/wire.h"

/* What every message of the handshake but PROOF begins with, in any version: "ONEUROM1". */
#define WIRE_MAGIC UINT64_C(0x314d4f5255454e4f)

/* The versions of the protocol that this build speaks. */
#define WIRE_VERSION_MIN 1
#define WIRE_VERSION_MAX 1

#define WIRE_NONCE_SIZE  32
#define WIRE_TICKET_SIZE 32
#define WIRE_CPUSET_SIZE 128 /* 1024 processors, bit n of byte n / 8 */

/* Limits in bytes. */
#define WIRE_MAX_PROOF        4096
#define WIRE_MAX_HOST         255
#define WIRE_MAX_REASON       512
#define WIRE_MAX_VERSION_TEXT 63
#define WIRE_MAX_PLUGIN_NAME  47
#define WIRE_MAX_COUNTER_NAME 63
#define WIRE_MAX_ENTRY        (128u << 10) /* one NAME=value, as execve() has it */
#define WIRE_MAX_CHANNEL_ADDR 8192
#define WIRE_MAX_PLUGIN_ADDR  (64u << 10)
#define WIRE_MAX_LIST         (1u << 20)
#define WIRE_MAX_PAYLOAD      (16u << 20) /* the largest message limit that a service may have */

enum wire_type {
	WIRE_HELLO = 1,
	WIRE_CHALLENGE = 2,
	WIRE_PROOF = 3,
	WIRE_WELCOME = 4,
	WIRE_REFUSED = 5,

	WIRE_WORKER_START = 16,
	WIRE_WORKER_STARTED = 17,
	WIRE_WORKER_REFUSED = 18,
	WIRE_WORKER_STOP = 19,
	WIRE_WORKER_STOPPED = 20,
	WIRE_WORKER_DIED = 21,
	WIRE_GROUP_GET = 22,
	WIRE_GROUP = 23,
	WIRE_STATUS_GET = 24,
	WIRE_STATUS = 25,
	WIRE_CONNECTION_ENDED = 26,

	WIRE_WORKER_READY = 32,
	WIRE_WORKER_FAILED = 33,
	WIRE_TICKET = 34,
	WIRE_TICKET_KNOWN = 35,
	WIRE_TICKET_VOID = 36,
	WIRE_SHUTDOWN = 37,
	WIRE_HOST_DEAF = 38,
	WIRE_TICKET_REFUSED = 39,

	WIRE_ATTACH = 48,
	WIRE_ATTACHED = 49,
	WIRE_COMMAND = 50,
	WIRE_NOTIFY = 51,
	WIRE_DETACH = 52,
	WIRE_DETACHED = 53,
};

/* Who says hello. */
enum wire_role {
	WIRE_ROLE_HOST = 1,
	WIRE_ROLE_WORKER = 2,
	WIRE_ROLE_OPERATOR = 3,
};

enum wire_auth {
	WIRE_AUTH_NONE = 0,
	WIRE_AUTH_COOKIE = 1,
	WIRE_AUTH_MUNGE = 2,
};

/* --- Handshake: the same for every role. --- */

/*
 * The first WIRE_PREAMBLE_SIZE bytes of HELLO and REFUSED, in any version: so a side can name the
 * versions of one that it has none in common with, whatever else that one has sent.
 */
struct wire_preamble {
	uint64_t magic;
	uint16_t version_min;
	uint16_t version_max;
};

#define WIRE_PREAMBLE_SIZE 12

struct wire_hello {
	uint64_t magic;
	uint16_t version_min;
	uint16_t version_max;
	uint8_t role; /* enum wire_role */
	bool is_big_endian;
	uint8_t pointer_bits; /* plugins' commands are structures of the sender */
	uint8_t auth;         /* enum wire_auth */
	uint32_t api_version; /* DOCA_VERSION_EXACT */
	uint32_t max_message; /* bytes */
	uint8_t nonce[WIRE_NONCE_SIZE];
	struct wire_bytes host;  /* text */
	struct wire_bytes proof; /* of methods that need no challenge */
};

struct wire_challenge {
	uint64_t magic;
	uint16_t version; /* that is spoken from here on */
	uint8_t auth;
	uint8_t nonce[WIRE_NONCE_SIZE];
	struct wire_bytes proof; /* that the daemon knows the secret as well */
};

struct wire_proof {
	struct wire_bytes proof;
};

struct wire_welcome {
	uint64_t magic;
	uint16_t version; /* that is spoken from here on, or already since CHALLENGE */
	uint64_t session;
	uint32_t max_message; /* bytes; the daemon's */
	uint8_t cpuset[WIRE_CPUSET_SIZE];
	struct wire_bytes daemon_version; /* text */
	struct wire_bytes plugins;        /* of struct wire_plugin */
};

struct wire_plugin {
	uint64_t id; /* one bit */
	uint64_t version;
	struct wire_bytes name; /* text */
};

struct wire_refused {
	uint64_t magic;
	uint16_t version_min; /* of the side that refuses */
	uint16_t version_max;
	uint32_t error;           /* doca_error_t */
	struct wire_bytes reason; /* text */
};

/* --- Control path, host and daemon. --- */

struct wire_worker_start {
	uint64_t worker_id; /* all ones: any */
	uint64_t plugins;   /* bits */
	bool has_group;
	uint32_t group;
	bool has_cpuset;
	uint8_t cpuset[WIRE_CPUSET_SIZE];
	uint32_t max_message;          /* bytes; of this host */
	struct wire_bytes environment; /* of struct wire_entry */
};

/* One NAME=value. */
struct wire_entry {
	struct wire_bytes text;
};

struct wire_worker_started {
	uint64_t worker_id;
	uint64_t connection; /* what the worker will know this host by */
	bool has_group;
	uint32_t group;
	uint64_t pid;
	uint32_t uid;     /* whose process it is */
	uint64_t user_ns; /* where that number counts: the inode of the user namespace, or 0 */
	uint8_t ticket[WIRE_TICKET_SIZE];
	struct wire_bytes channel_addr;
	struct wire_bytes plugin_addrs; /* of struct wire_plugin_addr */
};

struct wire_plugin_addr {
	uint64_t id;
	struct wire_bytes addr;
};

/* The answer to WORKER_START or GROUP_GET that cannot be done. */
struct wire_failure {
	uint32_t error;           /* doca_error_t */
	struct wire_bytes reason; /* text */
};

struct wire_worker_stop {
	uint64_t worker_id;
	uint64_t connection;
};

struct wire_worker_died {
	uint64_t worker_id;
	uint32_t error;           /* doca_error_t */
	struct wire_bytes reason; /* text */
};

/* The worker lives; it has ended this connection of the host's, which is to stop it. */
struct wire_connection_ended {
	uint64_t worker_id;
	uint64_t connection;
	struct wire_bytes reason; /* text */
};

struct wire_group_get {
	uint32_t group;
};

struct wire_group {
	struct wire_bytes worker_ids; /* of struct wire_id, ascending */
};

struct wire_id {
	uint64_t id;
};

/* The limits of the daemon, for operators. */
struct wire_status {
	struct wire_bytes counters; /* of struct wire_counter */
};

struct wire_counter {
	struct wire_bytes name; /* text */
	uint64_t value;
	uint64_t highest; /* value ever */
	uint64_t limit;   /* 0: none, where none is possible */
	uint64_t num_hits;
};

/* --- Control path, worker and daemon. --- */

struct wire_worker_ready {
	uint64_t pid;
	struct wire_bytes channel_addr;
	struct wire_bytes plugin_addrs; /* of struct wire_plugin_addr */
};

struct wire_ticket {
	uint64_t connection;
	uint16_t version;     /* that is spoken with that host */
	uint32_t max_message; /* bytes; of that host */
	uint8_t ticket[WIRE_TICKET_SIZE];
	struct wire_bytes host; /* text */
};

struct wire_ticket_void {
	uint64_t connection;
};

/* Its connection was ended: too many answers waited for it. */
struct wire_host_deaf {
	uint64_t connection;
};

/* The host of a ticket is one too many. */
struct wire_ticket_refused {
	uint32_t error;   /* doca_error_t */
	bool lacks_files; /* for want of descriptors */
	struct wire_bytes reason;
};

/* --- Data path, host and worker. --- */

struct wire_attach {
	uint64_t connection;
	uint8_t ticket[WIRE_TICKET_SIZE];
};

struct wire_command {
	uint64_t plugin;
	uint64_t context;
	struct wire_bytes payload;
};

struct wire_notify {
	uint64_t plugin;
	uint64_t context;
	uint32_t status; /* doca_error_t */
	struct wire_bytes payload;
};

/*
 * STATUS_GET, SHUTDOWN, TICKET_KNOWN, ATTACHED, DETACH, DETACHED and WORKER_STOPPED say all by
 * their type.
 */
struct wire_empty {
	char nothing; /* C has no empty structures */
};

/* The message of a type, or NULL. */
const struct wire_message *wire_message_find(uint16_t type);

/* The n-th message, for whoever goes over all of them; NULL behind the last. */
const struct wire_message *wire_message_at(size_t n);

/* The preamble, to decode alone. */
extern const struct wire_message wire_preamble_message;

/* What lists hold. */
extern const struct wire_message wire_plugin_message;
extern const struct wire_message wire_entry_message;
extern const struct wire_message wire_plugin_addr_message;
extern const struct wire_message wire_id_message;
extern const struct wire_message wire_counter_message;

#endif /* WIRE_WIRE_MESSAGES_H_ */
