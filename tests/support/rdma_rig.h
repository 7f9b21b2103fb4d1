/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_RIG_H_
#define RDMA_RIG_H_

/*
 * RDMA contexts with a listener, an engine and memory of their own, in pairs that are connected.
 * The tests of a program run over each kind of sockets that the software provider has, and again
 * with the second side of the pair in another process (rdma_far.h), as "KIND:TEST". What such a
 * side has, tasks, bufs, connections, are names here, which the functions below take; its memory
 * and what it has heard can be looked at from both.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#include "heard.h"
#include "rdma_far.h"
#include "test.h"

#define RDMA_RIG_NUM_TASKS 64 /* of each kind */
#define RDMA_RIG_NUM_BUFS  256
#define RDMA_RIG_MAX_CONNS 8

#define RDMA_RIG_RIGHTS                                                   \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE)

struct rdma_side {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma; /* NULL: the test has destroyed it */
	struct doca_ctx *ctx;
	struct heard heard; /* of ctx, since it was started; its owner is the side */
	char *bytes;        /* len of them, zeroed */
	size_t len;
	bool has_own_bytes;
	struct doca_mmap *mmap; /* of all of them, RDMA_RIG_RIGHTS */
	struct doca_buf_inventory *inventory;
	struct doca_buf *bufs[RDMA_RIG_NUM_BUFS]; /* made by rdma_buf(), given back by fini */
	size_t num_bufs;
	struct doca_mmap *remote; /* the other's memory, imported; NULL: it was not */
	struct doca_rdma_connection *conn;
	void *test; /* the test's own */

	/*
	 * The side itself, in the other process; NULL: it is in this one. When it is set, only
	 * bytes, len and conn mean something here.
	 */
	struct rdma_side *far;
};

/* What tests differ in; zero means the rig's or the library's default. */
struct rdma_conf {
	size_t len;           /* of the memory; 64 KiB */
	char *bytes;          /* the memory itself, zeroed; NULL: it is the rig's */
	uint32_t ctx_rights;  /* RDMA_RIG_RIGHTS */
	uint32_t mmap_rights; /* RDMA_RIG_RIGHTS */
	uint16_t max_conns;   /* 1 */
	uint32_t send_queue_size;
	uint32_t list_len;       /* of sends and receives */
	uint8_t rnr_retry_count; /* used when has_rnr */
	bool has_rnr;
	uint32_t num_tasks; /* of each kind; RDMA_RIG_NUM_TASKS */
	bool has_no_tasks;  /* no set_conf at all */
	enum doca_rdma_transport_type transport;
};

struct rdma_pair {
	struct rdma_side a;
	struct rdma_side b;
};

/* A configured side; RUNNING after start. conf: NULL for all defaults. */
void rdma_side_init(struct rdma_side *side, const struct rdma_conf *conf);
void rdma_side_start(struct rdma_side *side);

/* The same, and in the other process when the test has one. */
void rdma_peer_init(struct rdma_side *side, const struct rdma_conf *conf);

/* Stops, drives to IDLE and destroys all. Tasks must be free or in flight. */
void rdma_side_fini(struct rdma_side *side);

/* Two sides that are connected, each with the other's memory imported; b may be a far one. */
void rdma_pair_init(struct rdma_pair *pair, const struct rdma_conf *conf);
void rdma_pair_fini(struct rdma_pair *pair);

/* The same without a connection, with memory or not: both are RUNNING. */
void rdma_pair_start(struct rdma_pair *pair, const struct rdma_conf *conf);

/* Runs a step where the side is. */
void rdma_at(struct rdma_side *side, rdma_step_t step, void *args, size_t len);

/*
 * The same while the caller goes on: in the other process, or in a thread of this one. One at a
 * time; join waits for it, and fails when it has failed.
 */
void rdma_meanwhile(struct rdma_side *side, rdma_step_t step, void *args, size_t len);
void rdma_join(void);

/* One connection more between them. */
void rdma_connect(struct rdma_side *a, struct rdma_side *b, struct doca_rdma_connection **a_conn,
		  struct doca_rdma_connection **b_conn);

/* A descriptor, as it would be carried to the peer. */
struct rdma_blob {
	uint8_t bytes[1024];
	size_t len;
};

/* The two halves of that. conn may be the side's own, which is then that of its tasks. */
void rdma_export(struct rdma_side *side, struct rdma_blob *blob,
		 struct doca_rdma_connection **conn);
doca_error_t rdma_connect_to(struct rdma_side *side, const struct rdma_blob *blob,
			     struct doca_rdma_connection *conn);
/* Its tasks are over that connection from here on. */
void rdma_set_conn(struct rdma_side *side, struct doca_rdma_connection *conn);

doca_error_t rdma_disconnect(struct rdma_side *side, struct doca_rdma_connection *conn);
doca_error_t rdma_stop(struct rdma_side *side);

/* The descriptor of a side's memory, and that of another, imported. owned: doca_mmap_destroy(). */
void rdma_export_memory(struct rdma_side *side, struct rdma_blob *blob);
struct doca_mmap *rdma_import(struct rdma_side *side, struct rdma_side *other);

/* Stops a side's mmap: its key is void from here on. */
void rdma_stop_memory(struct rdma_side *side);

/* A buf in a side's own memory, and one in that of the other. Given back by fini. */
struct doca_buf *rdma_buf(struct rdma_side *side, size_t offset, size_t len, size_t data_offset,
			  size_t data_len);
struct doca_buf *rdma_remote_buf(struct rdma_side *side, const struct rdma_side *other,
				 size_t offset, size_t len, size_t data_len);

/* Gives all of them back, before fini. */
void rdma_put_bufs(struct rdma_side *side);

/* A buf full of data, and one that is all room. */
struct doca_buf *rdma_data(struct rdma_side *side, size_t offset, size_t len);
struct doca_buf *rdma_room(struct rdma_side *side, size_t offset, size_t len);

/* Puts the bufs, n of them, the last that were made, into one list; returns its head. */
struct doca_buf *rdma_chain(struct rdma_side *side, struct doca_buf *const *bufs, size_t n);

/* Where its data is: the first byte and the bytes. */
char *rdma_data_at(struct rdma_side *side, const struct doca_buf *buf);
size_t rdma_data_len(struct rdma_side *side, const struct doca_buf *buf);
void rdma_reset_data(struct rdma_side *side, struct doca_buf *buf);

/* Tasks with that number as user data, over the side's connection; not submitted. */
struct doca_task *rdma_receive_task(struct rdma_side *side, struct doca_buf *dst, uint64_t number);
struct doca_task *rdma_send_task(struct rdma_side *side, const struct doca_buf *src,
				 uint64_t number);
struct doca_task *rdma_send_imm_task(struct rdma_side *side, const struct doca_buf *src,
				     doca_be32_t imm, uint64_t number);
struct doca_task *rdma_read_task(struct rdma_side *side, const struct doca_buf *src,
				 struct doca_buf *dst, uint64_t number);
struct doca_task *rdma_write_task(struct rdma_side *side, const struct doca_buf *src,
				  struct doca_buf *dst, uint64_t number);
struct doca_task *rdma_write_imm_task(struct rdma_side *side, const struct doca_buf *src,
				      struct doca_buf *dst, doca_be32_t imm, uint64_t number);

/* Submits; must go well. Returns the task. */
struct doca_task *rdma_submit(struct rdma_side *side, struct doca_task *task);

/* Frees a task that the side has kept. */
void rdma_free(struct rdma_side *side, struct doca_task *task);

/* What a receive that is over tells. */
struct rdma_received {
	enum doca_rdma_opcode opcode;
	uint32_t len;
	doca_be32_t imm;
	const struct doca_rdma_connection *conn;
};

struct rdma_received rdma_received(struct rdma_side *side, struct doca_task *task);

/* What the side has heard, to be looked at, and to set reactions. */
struct heard *rdma_heard_of(struct rdma_side *side);

/* As assert_heard() and assert_hears(), where the side is. */
#define rdma_heard(side, words) rdma_check_heard((side), (words), __FILE__, __LINE__)
#define rdma_hears(side, words) rdma_check_hears((side), (words), __FILE__, __LINE__)

void rdma_check_heard(struct rdma_side *side, const char *words, const char *file, int line);
void rdma_check_hears(struct rdma_side *side, const char *words, const char *file, int line);

/* So many calls of progress must find nothing. */
void rdma_is_silent(struct rdma_side *side, unsigned int num_calls);

/* The oldest line that the libraries have logged at that side, which must contain part. */
void rdma_take_log(struct rdma_side *side, const char *part);

/* Drives both engines until the side has heard so many words; fails when none come for 20 s. */
void rdma_drive(struct rdma_pair *pair, struct rdma_side *side, unsigned int num_words);

/*
 * For cmocka: each test over Unix-domain sockets, the same without pulling, and TCP; and those that
 * do not stand alone with a peer in another process, too.
 */
struct rdma_test {
	const char *name;
	void (*function)(void **state);
	bool is_alone;
	bool is_tcp;
};

#define RDMA_TEST(function)                       \
	{                                         \
#function, function, false, false \
	}

/* One that is about one process, or has another one of its own. */
#define RDMA_TEST_ALONE(function)                \
	{                                        \
#function, function, true, false \
	}

/* One whose bytes a test looks at on their way. */
#define RDMA_TEST_TCP(function)                  \
	{                                        \
#function, function, false, true \
	}

/* Is this test's kind TCP? */
bool rdma_is_over_tcp(void);

/* Does a big payload go past the socket? */
bool rdma_is_pulling(void);

/* How often something is done: normally, and when the program was asked for --full. */
unsigned int rdma_rounds(unsigned int normal, unsigned int full);

/*
 * What main() returns. The program's arguments: --full for the long forms, and a pattern of the
 * names of the tests that are wanted.
 */
int rdma_run(const struct rdma_test *tests, size_t num_tests, int argc, char **argv);

#endif /* RDMA_RIG_H_ */
