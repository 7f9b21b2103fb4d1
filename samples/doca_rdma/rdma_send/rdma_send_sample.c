/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends a text to rdma_receive. */
#include <doca_log.h>

#include "common.h"
#include "rdma_common.h"

DOCA_LOG_REGISTER(SAMPLE::RDMA_SEND);

/* Called by the engine, for a success and for an error. From here on the task is ours again. */
static void on_send_end(struct doca_rdma_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	struct rdma_sample *sample = ctx_user_data.ptr;

	(void)task_user_data;
	rdma_sample_end_task(sample, doca_rdma_task_send_as_task(task));
}

static doca_error_t configure(struct rdma_sample *sample)
{
	return doca_rdma_task_send_set_conf(sample->rdma, on_send_end, on_send_end, 1);
}

static doca_error_t act(struct rdma_sample *sample)
{
	struct doca_rdma_task_send *task;
	doca_error_t result;
	size_t len = rdma_sample_put_text(sample);

	result = rdma_sample_take_local(sample, len, len);
	if (result != DOCA_SUCCESS)
		return result;
	result = sample_check("take a task", doca_rdma_task_send_allocate_init(
						 sample->rdma, sample->conn, sample->local,
						 (union doca_data){ .ptr = NULL }, &task));
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("Submitting RDMA send task that sends \"%s\" to receiver", sample->text);
	return rdma_sample_submit(doca_rdma_task_send_as_task(task));
}

static doca_error_t finish(struct rdma_sample *sample)
{
	(void)sample;
	DOCA_LOG_INFO("RDMA send task was done successfully");
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct rdma_sample_spec spec = {
		.program = "doca_rdma_send",
		.role = RDMA_SAMPLE_SENDER,
		.text_flag = "s",
		.text_name = "send-string",
		.first_text = "Hi DOCA RDMA!",
		.configure = configure,
		.act = act,
		.finish = finish,
	};

	return rdma_sample_main(&spec, argc, argv);
}
