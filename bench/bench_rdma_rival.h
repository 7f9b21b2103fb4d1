/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_RDMA_RIVAL_H_
#define BENCH_RDMA_RIVAL_H_

/*
 * The least that other libraries need for the same writes and reads over TCP: a client in this
 * process and a target in another one, which polls, because none of them serves a target that does
 * not.
 */

#include <stddef.h>
#include <stdint.h>

struct rival {
	/* In the other process: lets its bytes be reached by the socket's peer, for ever. */
	void (*serve)(int socket, char *bytes, size_t len);

	/* In this one. bytes: borrowed, len of them: what is written, or where what is read goes.
	 */
	void *(*open)(int socket, char *bytes, size_t len);
	void (*close)(void *client);

	/* count writes of so many bytes, up to in_flight at once, each complete at the target. */
	void (*write)(void *client, size_t bytes, unsigned int in_flight, uint64_t count);

	/* The same with reads, each complete here. */
	void (*read)(void *client, size_t bytes, unsigned int in_flight, uint64_t count);
};

#define RIVAL_MAX_IN_FLIGHT 8

extern const struct rival rival_ucx;
extern const struct rival rival_libfabric;

/* Gives the other side a block of at most RIVAL_MAX_BLOCK bytes, and gets its own. */
#define RIVAL_MAX_BLOCK 4096
void rival_send(int socket, const void *block, size_t len);
size_t rival_receive(int socket, void *block);

#endif /* BENCH_RDMA_RIVAL_H_ */
