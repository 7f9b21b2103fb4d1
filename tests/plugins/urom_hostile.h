/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_HOSTILE_H_
#define UROM_HOSTILE_H_

/*
 * The plugin that harms the process it is loaded into. The name of its file, "PLACE_DEED", says
 * where and how, such as "progress_abort": the places are load, open, addr, event
 * and arm for the optional exports, cmd, progress, pack, close, and unload for a destructor; for
 * the deeds see below. In what comes before commands it is done at once, elsewhere after
 * HOSTILE_DO.
 *
 * Any other name does no harm by itself: "addr_grows" announces a short address and gives a long
 * one, "addr_huge" announces 4 GiB, "addr_over" writes more than it has announced, and the rest is
 * for commands.
 *
 * Commands are a struct urom_test_cmd with one of these for op; UROM_TEST_ECHO and UROM_TEST_HOLD
 * are as in urom_test.
 */

/*
 * crash: by a signal. exit: exit(0). leave: _exit(0). abort. spin: never comes back. leak: keeps
 * a MiB for ever, each time. hog: takes memory until there is none, at most 3 GiB, and aborts.
 */
#define HOSTILE_DEEDS "crash", "exit", "leave", "abort", "spin", "leak", "hog"

enum hostile_op {
	HOSTILE_DO = 1000,    /* what the file's name says; an echo, if it comes to that */
	HOSTILE_PACK_OVER,    /* an echo, packed with arg bytes behind the room for it */
	HOSTILE_PACK_NONE,    /* an echo for which notif_pack writes nothing */
	HOSTILE_LIST_FOREIGN, /* answers with what was not allocated */
	HOSTILE_LIST_TWICE,   /* with the same block twice, in a ring */
	HOSTILE_LIST_WILD,    /* with a list that leads to nowhere */
	HOSTILE_CONTEXT,      /* with a urom_context that nobody has given, then as an echo */
	HOSTILE_CLOSE_ALL,    /* closes all descriptors; an echo */
	HOSTILE_GARBLE,       /* writes noise to the daemon; an echo */
	HOSTILE_IGNORE,       /* ignores and blocks all signals; an echo */
	HOSTILE_IGNORE_SPIN,  /* the same, and never comes back */
	HOSTILE_FORK,         /* leaves a process that stays; answers its pid, 4 bytes */
	HOSTILE_LIMITS,       /* goes to /, and sets narrow limits; an echo */
	HOSTILE_THREAD_EXIT,  /* another thread calls exit(0) */
	HOSTILE_THREAD_ABORT, /* another thread calls abort() */
};

#endif /* UROM_HOSTILE_H_ */
