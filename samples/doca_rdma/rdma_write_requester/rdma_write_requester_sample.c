/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a text to the memory of rdma_write_responder. */
#include <doca_log.h>

#include "common.h"
#include "rdma_common.h"

DOCA_LOG_REGISTER(SAMPLE::RDMA_WRITE_REQUESTER);

/* Called by the engine, for a success and for an error. From here on the task is ours again. */
static void on_write_end(struct doca_rdma_task_write *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	struct rdma_sample *sample = ctx_user_data.ptr;

	(void)task_user_data;
	rdma_sample_end_task(sample, doca_rdma_task_write_as_task(task));
}

static doca_error_t configure(struct rdma_sample *sample)
{
	return doca_rdma_task_write_set_conf(sample->rdma, on_write_end, on_write_end, 1);
}

static doca_error_t act(struct rdma_sample *sample)
{
	struct doca_rdma_task_write *task;
	doca_error_t result;
	size_t len = rdma_sample_put_text(sample);

	result = rdma_sample_take_local(sample, len, len);
	if (result == DOCA_SUCCESS)
		result = rdma_sample_take_remote(sample, 0);
	if (result != DOCA_SUCCESS)
		return result;
	result = sample_check("take a task",
			      doca_rdma_task_write_allocate_init(
				  sample->rdma, sample->conn, sample->local, sample->remote,
				  (union doca_data){ .ptr = NULL }, &task));
	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("Submitting RDMA write task that writes \"%s\" to the responder",
		      sample->text);
	return rdma_sample_submit(doca_rdma_task_write_as_task(task));
}

static doca_error_t finish(struct rdma_sample *sample)
{
	DOCA_LOG_INFO("RDMA write task was done Successfully");
	DOCA_LOG_INFO("Written to responder \"%s\"", sample->text);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct rdma_sample_spec spec = {
		.program = "doca_rdma_write_requester",
		.role = RDMA_SAMPLE_REQUESTER,
		.text_flag = "w",
		.text_name = "write-string",
		.first_text = "Hi DOCA RDMA!",
		.configure = configure,
		.act = act,
		.finish = finish,
	};

	return rdma_sample_main(&spec, argc, argv);
}
