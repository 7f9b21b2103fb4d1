/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WORKER_PLAY_H_
#define WORKER_PLAY_H_

/*
 * The plugins that test_worker_process.c gives to a worker: one source, and each file of it plays
 * what its commands say. worker_play_event wakes the worker, the others are polled.
 *
 * Variables of the environment name the file (without ".so") whose start or end goes wrong:
 *   PLAY_DIES     kills the process when it is loaded
 *   PLAY_NEWER    says that it is for a later interface
 *   PLAY_REFUSES  open fails with DRIVER; any later call aborts
 *   PLAY_NO_ADDR  has no address
 *   PLAY_STAYS    close does not return
 * PLAY_TRACE names a file to which each writes what is called, "NAME: CALL".
 */

#include <stdint.h>

#define PLAY_VERSION 5

/* "NAME is here", with the NUL; what addr gives. */
#define PLAY_ADDR " is here"

enum play_op {
	PLAY_ECHO,       /* answers with its bytes, at once */
	PLAY_LATER,      /* the same after arg milliseconds */
	PLAY_HOLD,       /* is not answered before RELEASE is */
	PLAY_RELEASE,    /* answers all that are held, then itself */
	PLAY_FAILS,      /* worker_cmd gives error arg, and nothing else comes of it */
	PLAY_FAILS_TOLD, /* worker_cmd gives error arg, and a notification tells the same */
	PLAY_LEFT,       /* worker_cmd gives arg and leaves the command in the list */
	PLAY_TWICE,      /* is answered two times */
	PLAY_ASTRAY,     /* is answered to connection arg, then as an echo */
	PLAY_SIZED,      /* answers with arg bytes of 'x' */
	PLAY_PACK_SAYS,  /* notif_pack gives arg as the length */
	PLAY_PACK_FAILS, /* notif_pack gives error arg */
	PLAY_PROGRESS,   /* an echo with which progress gives arg */
	PLAY_BLOCK,      /* answers with a struct play_block */
	PLAY_COUNT,      /* answers with the number of progress calls, a uint64_t */
	PLAY_GETENV,     /* answers with the value of the variable that its bytes name */
	PLAY_CPUS,       /* answers with the processors it may use, a cpu_set_t */
	PLAY_SPINS,      /* does not return for arg milliseconds */
	PLAY_CRASHES,
	PLAY_CLOSES_FD, /* of its events */
	PLAY_OPENS,     /* opens all descriptors but arg - 1 that there are; arg 0: closes them */
	PLAY_LOOK_UP,   /* answers with the errors of domain look-ups, an array of uint32_t */
	PLAY_NUM_OPS,
};

/* A command; its bytes follow. */
struct play_cmd {
	uint32_t op;
	uint32_t arg;
};

/* How a command was handed over. */
struct play_block {
	uint64_t type;
	uint64_t dest_id;
	uint64_t urom_context;
	uint64_t len;
	uint64_t misalignment; /* of plugin_cmd, from 16 bytes */
	uint64_t room;         /* bytes of the block from plugin_cmd + len on */
	uint64_t num_zeros;    /* of the first 64 of them */
};

#endif /* WORKER_PLAY_H_ */
