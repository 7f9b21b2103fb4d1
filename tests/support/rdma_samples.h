/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RDMA_SAMPLES_H_
#define RDMA_SAMPLES_H_

/*
 * The RDMA samples in pairs, as the guide runs them: each side writes its descriptor and waits for
 * Enter, which it gets from here when the other has written its own.
 */

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#define RDMA_SAMPLES_NUM_PAIRS  5
#define RDMA_SAMPLES_BYTES      16384
#define RDMA_SAMPLES_PATH_BYTES 256

/* A sample that runs. */
struct sample {
	pid_t pid;
	int keys; /* its standard input */
	FILE *out;
	char text[RDMA_SAMPLES_BYTES]; /* all that it has printed, once it has ended */
};

/* A directory of this test, and the files in it. */
struct sample_place {
	char dir[RDMA_SAMPLES_PATH_BYTES / 2];
	char descriptors[2][RDMA_SAMPLES_PATH_BYTES];
	char resource[RDMA_SAMPLES_PATH_BYTES];
};

/* How a pair is run; the entries are the first and the second program's. */
struct sample_run {
	const char *sockets; /* DOCA_RDMA_SOCKETS */
	const char *gid_index;
	const char *transport;  /* NULL: RC */
	bool has_long_names;    /* of arguments */
	const char *devices[2]; /* DOCA_SOFT_DEVICES; NULL: unset */
	int networks[2];        /* descriptor of a network namespace; 0: this one */
};

void sample_place_init(struct sample_place *place);

/* The samples must have removed what they wrote. */
void sample_place_fini(const struct sample_place *place);

/* Waits until a file is there, and has something in it. */
void sample_wait_for_file(const char *path);

/* Starts a program, argv[0]. run: which of its entries are meant, says side. */
void sample_start(struct sample *sample, const char *const *argv, const struct sample_run *run,
		  int side);

/* Its exit status; its output is in text. */
int sample_end(struct sample *sample);

/* Runs all pairs; each program must say what the guide says, and end well. */
void sample_run_pairs(const struct sample_run *run);

#endif /* RDMA_SAMPLES_H_ */
