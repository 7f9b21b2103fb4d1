/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LIMITS_H_
#define UROMD_LIMITS_H_

/*
 * Bounds of everything that somebody else can make the daemon keep or wait for. Those that an
 * operator may set are in limit_table.c.
 */

#include "urom/wire/wire_messages.h"

/* Hosts' connections to one worker. */
#define UROMD_MAX_CONNS_PER_WORKER 1024

/* Requests of one session that wait for their answer. */
#define UROMD_MAX_EXCHANGES 1024

/* Bytes of environment of all those requests: eight of the largest ones, or 8 KiB for each. */
#define UROMD_MAX_ENVIRONMENTS (8u << 20)

/* Bytes: of a message before the handshake is over and after it, and that wait to be sent. */
#define UROMD_MAX_HELLO (8u << 10)
#define UROMD_MAX_BODY  (WIRE_MAX_LIST + (64u << 10))
#define UROMD_MAX_OUT   (8u << 20)

/* Messages of one session before the others have their turn. */
#define UROMD_MESSAGES_PER_TURN 64

/* Such turns for a worker that is dead: more than a socket's buffer can hold. */
#define UROMD_LAST_TURNS 1024

/* Seconds: until a worker can be used; for a worker to close its
 * plugins; for a peer to read why it was refused. */
#define UROMD_BRING_UP_S 8
#define UROMD_CLOSE_S    5
#define UROMD_LINGER_S   2

/* Milliseconds without accepting, when descriptors or memory have run out. */
#define UROMD_ACCEPT_PAUSE_MS 100

/* The least that a message limit may be, bytes. */
#define UROMD_MIN_MESSAGE 128

/* How long a worker waits for another host when it has lost its last one, seconds. Nothing may be
 * left of a job two seconds after its plugins are closed. */
#define UROMD_DEFAULT_GRACE_S          1
#define UROMD_MAX_GRACE_S              86400

#define UROMD_DEFAULT_PLUGIN_TIMEOUT_S 60
#define UROMD_MAX_PLUGIN_TIMEOUT_S     86400

/* Looking for plugins. Entries of a directory, and files in all of them that are looked at. */
#define UROMD_MAX_DIR_ENTRIES 4096
#define UROMD_MAX_CANDIDATES  512

/* Probes that run at once, those that are late not counted. */
#define UROMD_MAX_PROBES 4

/* Directories that may keep one look waiting, each for as long as a plugin may keep a scan. Seconds
 * until one that is late is looked into anew. */
#define UROMD_MAX_LATE_PLACES 2
#define UROMD_LOOK_END_S      60

/* Seconds: that a scan waits for one plugin; that a probe has; that a scan waits for all of them;
 * until one that is no plugin may be probed again. */
#define UROMD_PROBE_LATE_S  2
#define UROMD_PROBE_END_S   5
#define UROMD_SCAN_S        5
#define UROMD_PROBE_AGAIN_S 60

/* Credentials that are looked at by others: processes for it at a time, and seconds for one. */
#define UROMD_MAX_CREDENTIALS 8
#define UROMD_CREDENTIAL_S    5

/* Descriptors: of a worker, and for everything that is neither a session's nor a worker's. */
#define UROMD_FDS_PER_WORKER 3
#define UROMD_OTHER_FDS      256

#endif /* UROMD_LIMITS_H_ */
