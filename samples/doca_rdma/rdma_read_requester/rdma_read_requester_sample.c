/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a text from the memory of rdma_read_responder. */
#include <doca_log.h>

#include "common.h"
#include "rdma_common.h"

#define READ_BYTES 256

DOCA_LOG_REGISTER(SAMPLE::RDMA_READ_REQUESTER);

/* Called by the engine, for a success and for an error. From here on the task is ours again. */
static void on_read_end(struct doca_rdma_task_read *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct rdma_sample *sample = ctx_user_data.ptr;

	(void)task_user_data;
	rdma_sample_end_task(sample, doca_rdma_task_read_as_task(task));
}

static doca_error_t configure(struct rdma_sample *sample)
{
	return doca_rdma_task_read_set_conf(sample->rdma, on_read_end, on_read_end, 1);
}

static doca_error_t act(struct rdma_sample *sample)
{
	struct doca_rdma_task_read *task;
	doca_error_t result;

	result = rdma_sample_take_local(sample, READ_BYTES, 0);
	if (result == DOCA_SUCCESS)
		result = rdma_sample_take_remote(sample, READ_BYTES);
	if (result != DOCA_SUCCESS)
		return result;
	result = sample_check("take a task",
			      doca_rdma_task_read_allocate_init(
				  sample->rdma, sample->conn, sample->remote, sample->local,
				  (union doca_data){ .ptr = NULL }, &task));
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("Submitting RDMA read task");
	return rdma_sample_submit(doca_rdma_task_read_as_task(task));
}

static doca_error_t finish(struct rdma_sample *sample)
{
	DOCA_LOG_INFO("RDMA read task was done Successfully");
	sample->memory[READ_BYTES] = '\0'; /* whatever was there */
	DOCA_LOG_INFO("Read from responder: \"%s\"", sample->memory);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct rdma_sample_spec spec = {
		.program = "doca_rdma_read_requester",
		.role = RDMA_SAMPLE_REQUESTER,
		.configure = configure,
		.act = act,
		.finish = finish,
	};

	return rdma_sample_main(&spec, argc, argv);
}
