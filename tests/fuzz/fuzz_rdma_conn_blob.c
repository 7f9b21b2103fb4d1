/* SPDX-License-Identifier: BSD-3-Clause */

/* A connection descriptor from a stranger: what is accepted says just what its bytes say. */

#include <string.h>

#include "blob_input.h"
#include "rdma/rdma.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define MAGIC         "OCON"

#define AT_BYTE_ORDER 12

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	(void)blob_input_open();
	return 0;
}

static void check_blob(const uint8_t *blob, size_t size)
{
	struct drdma_conn_record record;
	doca_error_t result;
	uint8_t *again;
	bool is_good;

	(void)blob_input_take_lines();
	result = drdma_record_decode(blob, size, &record);
	CHECK(blob_input_take_lines() == (result != DOCA_SUCCESS));
	is_good = blob_is_sound(blob, size, MAGIC, drdma_record_size()) &&
		  blob_number_at(blob + AT_BYTE_ORDER, 2) == DRDMA_LITTLE_ENDIAN;
	CHECK(result == (is_good ? DOCA_SUCCESS : DOCA_ERROR_CONNECTION_ABORTED));
	if (!is_good)
		return;
	CHECK(drdma_record_encode(&record, &again) == DOCA_SUCCESS);
	CHECK(memcmp(again, blob, size) == 0);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	blob_input_try(input, size, MAGIC, check_blob);
	return 0;
}
