/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_LIMITS_H_
#define UROMW_LIMITS_H_

/* What others can make grow in a worker, how long it waits for them, and how it ends. */

#define UROMW_MAX_PLUGINS 62

/* Hosts that a ticket was given to, and connections that have shown none yet. */
#define UROMW_MAX_HOSTS  1024
#define UROMW_MAX_GUESTS 64

/*
 * Descriptors, with UCX 1.13: what one host needs while it attaches, of which it keeps one over
 * shared memory and two over TCP; and what is to be left beside that, for connections that have
 * shown no ticket yet, for the thread of UCX and for plugins. Framed TCP needs less.
 */
#define UROMW_FILES_PER_HOST 3
#define UROMW_SPARE_FILES    4

/* Commands that no notification has ended yet. */
#define UROMW_MAX_OUTSTANDING      (1u << 20)
#define UROMW_MAX_HOST_OUTSTANDING (1u << 16)

/* Bytes of memory that answers to one host may take until it reads them: by default, at least. */
#define UROMW_MAX_UNREAD       (UINT64_C(512) << 20)
#define UROMW_LEAST_MAX_UNREAD (UINT64_C(1) << 20)

/* A message limit, in bytes. */
#define UROMW_MIN_MESSAGE 128
#define UROMW_MAX_MESSAGE (16u << 20)

/* Control path: the daemon's answer to HELLO, and the bytes that may wait for it. */
#define UROMW_HANDSHAKE_MS 10000
#define UROMW_MAX_CONTROL  (4u << 20)

/* How long a ticket is good for. */
#define UROMW_TICKET_MS 10000

/*
 * Connections that are to show a ticket; that were refused, and have yet to read why; that have
 * said goodbye, and are to be closed by the host.
 */
#define UROMW_ATTACH_MS  10000
#define UROMW_REFUSED_MS 1000
#define UROMW_DETACH_MS  10000

/* Plugin calls: when a long one is warned about, and how long the end of all may take. */
#define UROMW_WARN_S  5
#define UROMW_CLOSE_S 5

/* Bytes that a plugin may take while it is only looked at. */
#define UROMW_PROBE_DATA (UINT64_C(1) << 30)

/* The status that the process ends with. */
enum uromw_exit {
	UROMW_EXIT_ENDED = 0,
	UROMW_EXIT_FAILED = 1, /* the start, or the control path; the log says why */
	UROMW_EXIT_USAGE = 2,
	UROMW_EXIT_STUCK = 3,  /* a plugin's call has not returned */
	UROMW_EXIT_ORPHAN = 4, /* the daemon has gone while a plugin's call did not return */
};

#endif /* UROMW_LIMITS_H_ */
