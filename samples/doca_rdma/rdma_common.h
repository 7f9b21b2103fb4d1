/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_COMMON_H_
#define RDMA_COMMON_H_

/*
 * What the RDMA samples share: arguments, a context with memory, and the way to the other side.
 * Each side writes the descriptor of its connection to a file, waits for Enter, and reads the file
 * of the other side; one whose memory is to be reached writes the descriptor of that as well. With
 * the transport DC only the target, which is the side that is reached or receives, writes, and only
 * the other one reads and connects.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_mmap.h>
#include <doca_pe.h>
#include <doca_rdma.h>

#define RDMA_SAMPLE_BYTES      4096
#define RDMA_SAMPLE_TEXT_BYTES 1024
#define RDMA_SAMPLE_PATH_BYTES 1024
#define RDMA_SAMPLE_IMMEDIATE  0xABCD

/* Who submits to the other side, and whose memory is reached. */
enum rdma_sample_role {
	RDMA_SAMPLE_SENDER,    /* we; nobody's */
	RDMA_SAMPLE_RECEIVER,  /* the other side; nobody's */
	RDMA_SAMPLE_REQUESTER, /* we; the other side's: its descriptor is read */
	RDMA_SAMPLE_RESPONDER, /* the other side; ours: its descriptor is written */
};

struct rdma_sample {
	/* From the arguments. */
	char device[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	char local_path[RDMA_SAMPLE_PATH_BYTES];
	char remote_path[RDMA_SAMPLE_PATH_BYTES];
	char resource_path[RDMA_SAMPLE_PATH_BYTES];
	char text[RDMA_SAMPLE_TEXT_BYTES];
	int gid_index; /* negative: not given */
	enum doca_rdma_transport_type transport;

	/* NULL is what was not made; so all of it can be ended at any time. */
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_rdma *rdma;
	struct doca_ctx *ctx;
	struct doca_rdma_connection *conn;
	struct doca_mmap *mmap;        /* over memory */
	struct doca_mmap *remote_mmap; /* imported */
	struct doca_buf_inventory *inventory;
	struct doca_buf *local;
	struct doca_buf *remote;
	char memory[RDMA_SAMPLE_BYTES];
	bool has_local_file;
	bool has_resource_file;

	bool is_done;        /* set by the callback of the task */
	doca_error_t status; /* of the task, once it is done */
};

struct rdma_sample_spec {
	const char *program;
	enum rdma_sample_role role;
	uint32_t permissions;   /* what the other side may do */
	const char *text_flag;  /* short name of the argument for the text; NULL: none */
	const char *text_name;  /* its long name */
	const char *first_text; /* its default */

	/* The tasks of the context: which, how many, and whom to call. */
	doca_error_t (*configure)(struct rdma_sample *sample);

	/* Connected: submits the task, or does whatever else there is to be done. */
	doca_error_t (*act)(struct rdma_sample *sample);

	/* The task has succeeded; NULL: there is none. */
	doca_error_t (*finish)(struct rdma_sample *sample);
};

/* All of a sample; returns the exit status. */
int rdma_sample_main(const struct rdma_sample_spec *spec, int argc, char **argv);

/*
 * Waits for the Enter key.
 * Errors: IO_FAILED: the input has ended.
 */
doca_error_t rdma_sample_wait_for_enter(const char *what_for);

/* Makes sample->local: len bytes of the memory, data_len of them data. */
doca_error_t rdma_sample_take_local(struct rdma_sample *sample, size_t len, size_t data_len);

/* Makes sample->remote: the beginning of the other side's memory, data_len bytes of it data. */
doca_error_t rdma_sample_take_remote(struct rdma_sample *sample, size_t data_len);

/* Puts the text into the memory, with its end. Returns the bytes. */
size_t rdma_sample_put_text(struct rdma_sample *sample);

/* For the callback of a task, good or bad: notes how it has ended, and frees it. */
void rdma_sample_end_task(struct rdma_sample *sample, struct doca_task *task);

/* Submits a task; frees one that is refused. */
doca_error_t rdma_sample_submit(struct doca_task *task);

#endif /* RDMA_COMMON_H_ */
