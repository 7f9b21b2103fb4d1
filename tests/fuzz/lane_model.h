/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef LANE_MODEL_H_
#define LANE_MODEL_H_

/*
 * What has to become of the tasks of a lane, by the bytes that its peer answers: written from the
 * protocol, and apart from the library.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_error.h>

#include "rdma/providers/software/soft_frame.h"

#define LANE_MODEL_MAX_TASKS 6
#define LANE_MODEL_MAX_READ  9000 /* bytes */

struct lane_model_task {
	bool is_read;
	uint32_t len;
	bool is_sent;                      /* all of its request */
	uint8_t data[LANE_MODEL_MAX_READ]; /* of a read: what has come */
};

struct lane_model {
	struct lane_model_task tasks[LANE_MODEL_MAX_TASKS];
	unsigned int num_tasks;

	bool is_over;        /* nothing more succeeds */
	doca_error_t result; /* of the first that fails then */
	unsigned int first;  /* that many have succeeded */
	uint32_t read_done;  /* bytes of that one */
	uint32_t chunk_left;
	uint8_t response[SOFT_RESPONSE_SIZE];
	size_t response_len;
};

/* The next bytes of the answers. */
void lane_model_feed(struct lane_model *model, const uint8_t *bytes, size_t len);

/* The lane ends. */
void lane_model_end(struct lane_model *model, doca_error_t result);

/* How the task has to end: it has succeeded, or the lane has ended. */
doca_error_t lane_model_result(const struct lane_model *model, unsigned int task);

#endif /* LANE_MODEL_H_ */
