/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A service file: whatever stands in it, the search ends, with a location that is within its limits
 * or with one of its two errors.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "core/dev.h"
#include "urom/host/service_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* A finding: libFuzzer keeps the input of an abort. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			(void)fprintf(stderr, "not so: %s\n", #condition); \
			abort();                                           \
		}                                                          \
	} while (0)

static const struct doca_devinfo device = { .pci_addr = "0000:03:00.0" };

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	(void)doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_DISABLE); /* more noise, else */
	return 0;
}

static void check_location(const struct uromh_location *location)
{
	size_t len = strnlen(location->host, sizeof(location->host));

	CHECK(len > 0 && len < sizeof(location->host));
	len = strnlen(location->net_devices, sizeof(location->net_devices));
	CHECK(len > 0 && len < sizeof(location->net_devices));
	CHECK(strpbrk(location->net_devices, " \t\r\n") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	/* As the file is read: one byte of value 0 behind it, and nothing more. */
	char *text = malloc(size + 1);
	struct uromh_location location;
	doca_error_t result;

	CHECK(text != NULL);
	memcpy(text, input, size);
	text[size] = '\0';
	memset(&location, 0xee, sizeof(location));
	result = uromh_service_file_search(text, size, "fuzz", &device, &location);
	if (result == DOCA_SUCCESS)
		check_location(&location);
	else
		CHECK(result == DOCA_ERROR_BAD_CONFIG || result == DOCA_ERROR_NOT_FOUND);
	free(text);
	return 0;
}
