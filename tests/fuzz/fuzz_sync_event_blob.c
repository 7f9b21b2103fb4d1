/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The descriptor of a sync event, from a stranger. The verdict is compared with one of our own, and
 * what was imported must be just what the bytes say.
 */

#include <string.h>

#include <doca_sync_event.h>

#include "blob_input.h"
#include "core/sync_remote.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define MAGIC     "OSEV"
#define BLOB_SIZE 52

/* Where the fields of a descriptor lie; all but the address may be anything. */
#define AT_DEVICE   8
#define AT_INDEX    12
#define AT_INSTANCE 16
#define AT_TAG      32
#define AT_ADDR     40

static struct doca_dev *dev;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	dev = blob_input_open();
	return 0;
}

/* What create_from_export has to answer. */
static doca_error_t verdict(const uint8_t *blob, size_t size)
{
	uint64_t addr;

	if (!blob_is_sound(blob, size, MAGIC, BLOB_SIZE))
		return DOCA_ERROR_INVALID_VALUE;
	addr = blob_number_at(blob + AT_ADDR, 8);
	return addr != 0 && (addr & 7) == 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE;
}

static void check_imported(const struct core_sync_record *record, const uint8_t *blob)
{
	CHECK(record->device_id == blob_number_at(blob + AT_DEVICE, 4));
	CHECK(record->key.index == blob_number_at(blob + AT_INDEX, 4));
	CHECK(memcmp(record->key.instance, blob + AT_INSTANCE, CORE_INSTANCE_SIZE) == 0);
	CHECK(record->key.tag == blob_number_at(blob + AT_TAG, 8));
	CHECK(record->addr == blob_number_at(blob + AT_ADDR, 8));
}

static void check_blob(const uint8_t *blob, size_t size)
{
	doca_error_t expected = verdict(blob, size);
	struct doca_sync_event_remote_net *event = NULL;
	doca_error_t result;

	(void)blob_input_take_lines();
	result = doca_sync_event_remote_net_create_from_export(dev, blob, size, &event);
	CHECK(result == expected);
	CHECK(blob_input_take_lines() == (result != DOCA_SUCCESS));
	CHECK((event != NULL) == (result == DOCA_SUCCESS));
	if (result != DOCA_SUCCESS)
		return;
	check_imported(&event->record, blob);
	CHECK(doca_sync_event_remote_net_destroy(event) == DOCA_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	blob_input_try(input, size, MAGIC, check_blob);
	return 0;
}
