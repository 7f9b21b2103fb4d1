/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives a text from rdma_send. */
#include <doca_log.h>

#include "common.h"
#include "rdma_common.h"

DOCA_LOG_REGISTER(SAMPLE::RDMA_RECEIVE);

/* Called by the engine, for a success and for an error. From here on the task is ours again. */
static void on_receive_end(struct doca_rdma_task_receive *task, union doca_data task_user_data,
			   union doca_data ctx_user_data)
{
	struct rdma_sample *sample = ctx_user_data.ptr;

	(void)task_user_data;
	rdma_sample_end_task(sample, doca_rdma_task_receive_as_task(task));
}

static doca_error_t configure(struct rdma_sample *sample)
{
	return doca_rdma_task_receive_set_conf(sample->rdma, on_receive_end, on_receive_end, 1);
}

static doca_error_t act(struct rdma_sample *sample)
{
	struct doca_rdma_task_receive *task;
	doca_error_t result;

	result = rdma_sample_take_local(sample, sizeof(sample->memory) - 1, 0); /* a text ends */
	if (result != DOCA_SUCCESS)
		return result;
	result = sample_check("take a task", doca_rdma_task_receive_allocate_init(
						 sample->rdma, sample->local,
						 (union doca_data){ .ptr = NULL }, &task));
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("Submitting RDMA receive task");
	return rdma_sample_submit(doca_rdma_task_receive_as_task(task));
}

static doca_error_t finish(struct rdma_sample *sample)
{
	DOCA_LOG_INFO("RDMA receive task was done Successfully");
	/* Whatever the other side has put there. */
	sample->memory[sizeof(sample->memory) - 1] = '\0';
	DOCA_LOG_INFO("Got from sender: \"%s\"", sample->memory);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct rdma_sample_spec spec = {
		.program = "doca_rdma_receive",
		.role = RDMA_SAMPLE_RECEIVER,
		.configure = configure,
		.act = act,
		.finish = finish,
	};

	return rdma_sample_main(&spec, argc, argv);
}
