/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_WORLD_H_
#define UROM_WORLD_H_

/*
 * What the contexts of UROM need around them. The daemon is one for all tests of a program: it ends
 * with the program.
 */

#include <pthread.h>
#include <semaphore.h>

#include "urom_host.h"

/* Starts the daemon, when that was not done yet. */
void urom_world_begin(void);

/* A running service with an engine and a thread of its own, which sleeps while it has no work. */
struct urom_world {
	struct urom_host host; /* the thread's, but for the pointer to the service */
	uint64_t plugin;
	pthread_t thread;
	sem_t is_ready;
	int end_fd; /* an event: the thread is to end */
};

struct urom_world *urom_world_open(void);
void urom_world_close(struct urom_world *world);

#endif /* UROM_WORLD_H_ */
