/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LIMITS_H_
#define UROMD_LIMITS_H_

/* Bounds of everything that somebody else can make the daemon keep or wait for. */

#include "urom/wire/wire_messages.h"

/* Control connections, and those among them that have not said hello; the oldest of these makes
 * room for a new one. */
#define UROMD_MAX_SESSIONS  2048
#define UROMD_MAX_HALF_OPEN 256

/* Worker processes; hosts' connections to one of them, and of one session to all. */
#define UROMD_MAX_WORKERS           1024
#define UROMD_MAX_CONNS_PER_WORKER  1024
#define UROMD_MAX_CONNS_PER_SESSION 1024

/* Requests of one session that wait for their answer. */
#define UROMD_MAX_EXCHANGES 1024

/* Bytes: of a message before the handshake is over and after it, and that wait to be sent. */
#define UROMD_MAX_HELLO (8u << 10)
#define UROMD_MAX_BODY  (WIRE_MAX_LIST + (64u << 10))
#define UROMD_MAX_OUT   (8u << 20)

/* Messages of one session before the others have their turn. */
#define UROMD_MESSAGES_PER_TURN 64

/* Seconds: until a handshake is over; until a worker can be used; for a worker to close its
 * plugins; for a peer to read why it was refused. */
#define UROMD_HALF_OPEN_S 10
#define UROMD_BRING_UP_S  8
#define UROMD_CLOSE_S     5
#define UROMD_LINGER_S    2

/* Milliseconds without accepting, when descriptors or memory have run out. */
#define UROMD_ACCEPT_PAUSE_MS 100

/* The message limit -m, bytes. */
#define UROMD_DEFAULT_MESSAGE          4096
#define UROMD_MIN_MESSAGE              128
#define UROMD_MAX_MESSAGE              WIRE_MAX_PAYLOAD

#define UROMD_DEFAULT_PLUGIN_TIMEOUT_S 60
#define UROMD_MAX_PLUGIN_TIMEOUT_S     86400

/* Looking for plugins. Entries of a directory, and files in all of them that are looked at. */
#define UROMD_MAX_DIR_ENTRIES 4096
#define UROMD_MAX_CANDIDATES  512

/* Probes that run at once, those that are late not counted. */
#define UROMD_MAX_PROBES 4

/* Seconds: that a scan waits for one plugin; that a probe has; that a scan waits for all of them;
 * until one that is no plugin may be probed again. */
#define UROMD_PROBE_LATE_S  2
#define UROMD_PROBE_END_S   5
#define UROMD_SCAN_S        5
#define UROMD_PROBE_AGAIN_S 60

/* Descriptors: one a session, two a worker, and some for everything else. */
#define UROMD_NUM_FDS (UROMD_MAX_SESSIONS + 2 * UROMD_MAX_WORKERS + 256)

#endif /* UROMD_LIMITS_H_ */
