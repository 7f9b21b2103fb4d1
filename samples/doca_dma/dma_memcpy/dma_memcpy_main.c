/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>

#include "common.h"
#include "dma_memcpy_sample.h"

DOCA_LOG_REGISTER(SAMPLE::MAIN);

static void print_usage(FILE *to)
{
	(void)fputs(
	    "usage: doca_dma_memcpy [DEVICE-NAME]\n"
	    "Lists the devices, and copies a text with a DMA task of one of them: of the one\n"
	    "named, else of the first.\n",
	    to);
}

static bool is_help(const char *argument)
{
	return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0;
}

/* name: NULL for the first device. */
static doca_error_t copy_with_device(const char *name)
{
	struct doca_dev *dev;
	doca_error_t result, closed;

	result = sample_open_device(name, &dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = dma_memcpy_run(dev);
	closed = sample_check("close the device", doca_dev_close(dev));
	DOCA_ERROR_PROPAGATE(result, closed);
	return result;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	doca_error_t result;

	if (name != NULL && is_help(name)) {
		print_usage(stdout);
		return EXIT_SUCCESS;
	}
	/* There is no other option. */
	if (argc > 2 || (name != NULL && name[0] == '-')) {
		print_usage(stderr);
		return EXIT_FAILURE;
	}

	/* Lines of the program: INFO goes to standard output, warnings go to standard error. */
	if (doca_log_backend_create_standard() != DOCA_SUCCESS)
		return EXIT_FAILURE;
	result = sample_list_devices();
	if (result == DOCA_SUCCESS)
		result = copy_with_device(name);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("dma_memcpy failed: %s", doca_error_get_descr(result));
		return EXIT_FAILURE;
	}
	DOCA_LOG_INFO("dma_memcpy ended well");
	return EXIT_SUCCESS;
}
