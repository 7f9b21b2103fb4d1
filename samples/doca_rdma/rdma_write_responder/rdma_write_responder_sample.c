/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets rdma_write_requester write a text: nothing of this program runs meanwhile. */
#include <doca_log.h>
#include <doca_mmap.h>

#include "common.h"
#include "rdma_common.h"

DOCA_LOG_REGISTER(SAMPLE::RDMA_WRITE_RESPONDER);

static doca_error_t act(struct rdma_sample *sample)
{
	doca_error_t result = rdma_sample_wait_for_enter(
	    "Wait till the requester has finished writing and press enter");

	if (result != DOCA_SUCCESS)
		return result;
	/* From here on no peer touches the memory any more. */
	result = sample_check("take the memory back", doca_mmap_stop(sample->mmap));
	if (result != DOCA_SUCCESS)
		return result;
	/* Whatever the other side has put there. */
	sample->memory[sizeof(sample->memory) - 1] = '\0';
	DOCA_LOG_INFO("Requester has written: \"%s\"", sample->memory);
	return DOCA_SUCCESS;
}

int main(int argc, char **argv)
{
	const struct rdma_sample_spec spec = {
		.program = "doca_rdma_write_responder",
		.role = RDMA_SAMPLE_RESPONDER,
		.permissions = DOCA_ACCESS_FLAG_RDMA_WRITE,
		.act = act,
	};

	return rdma_sample_main(&spec, argc, argv);
}
