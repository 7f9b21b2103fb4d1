/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_BARE_H_
#define RDMA_BARE_H_

/*
 * The bare loop that RDMA tasks are measured beside: requests and answers over a socket between two
 * processes, with nothing around them. Sockets spin, or block.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BARE_BYTES         ((size_t)16 * 1024 * 1024)
#define BARE_MAX_IN_FLIGHT 8
#define BARE_SHORT         8 /* bytes of what says only that something is wanted, or done */

struct bare {
	int fd;
	bool is_spinning;
	char *bytes; /* BARE_BYTES, at the same address in the other process */
	size_t out;  /* bytes of a request */
	size_t in;   /* and of its answer */
};

/*
 * Sets the sizes and makes the memory and two ends of a socket, TCP by the loopback interface or
 * Unix-domain; the second end's fd is far. A write has the data in its request, a read in its
 * answer.
 */
void bare_open(struct bare *bare, size_t bytes, bool is_read, bool is_tcp, bool is_spinning,
	       int *far);

/* In the other process: answers every request, and ends the process when nobody is there. */
__attribute__((noreturn)) void bare_answer(const struct bare *bare, int fd);

/* count requests, each answered before the next. */
void bare_one_by_one(struct bare *bare, uint64_t count);

/* The same with up to BARE_MAX_IN_FLIGHT at once, whose data lie behind each other. */
void bare_in_flight(struct bare *bare, uint64_t count);

/* Where the data of the operation lie when so many blocks of len bytes are used in turn. */
char *bare_turn(const struct bare *bare, size_t len, uint64_t count);

/* Closes this end and frees the memory. */
void bare_close(struct bare *bare);

#endif /* RDMA_BARE_H_ */
