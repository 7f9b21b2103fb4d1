/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets rdma_read_requester read a text: nothing of this program runs meanwhile. */
#include "rdma_common.h"

static doca_error_t act(struct rdma_sample *sample)
{
	(void)sample; /* its memory holds the text since before it was exported */
	return rdma_sample_wait_for_enter(
	    "Wait till the requester has finished reading and press enter");
}

int main(int argc, char **argv)
{
	const struct rdma_sample_spec spec = {
		.program = "doca_rdma_read_responder",
		.role = RDMA_SAMPLE_RESPONDER,
		.permissions = DOCA_ACCESS_FLAG_RDMA_READ,
		.text_flag = "r",
		.text_name = "read-string",
		.first_text = "Hi DOCA RDMA!",
		.act = act,
	};

	return rdma_sample_main(&spec, argc, argv);
}
