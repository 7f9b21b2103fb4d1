/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the samples as a user does, and looks at what they print and how they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "test.h"

#define DMA_MEMCPY SAMPLES_DIR "/doca_dma_memcpy"

/* Two names for the loopback interface. */
#define TWO_DEVICES "first@0000:01:00.0@lo,second@0000:02:00.1@lo"

/* devices: for DOCA_SOFT_DEVICES, or NULL. Each argument that is NULL ends the list. */
static int run(struct program *got, const char *devices, const char *program, const char *first,
	       const char *second)
{
	const char *const argv[] = { program, first, second, NULL };
	const char *env[] = { "DOCA_SOFT_DEVICES", NULL };
	char variable[128];

	if (devices != NULL) {
		(void)snprintf(variable, sizeof(variable), "DOCA_SOFT_DEVICES=%s", devices);
		env[0] = variable;
	}
	return program_run(got, argv, env);
}

static void run_well(struct program *got, const char *devices, const char *first)
{
	int status = run(got, devices, DMA_MEMCPY, first, NULL);

	if (status != 0 || got->err[0] != '\0')
		fail_msg("status %d: %s", status, got->err);
}

static void dma_memcpy_tells_each_step_of_a_copy(void **state)
{
	const char *const marks[] = {
		"[INF][SAMPLE::COMMON] device ",
		" is open\n",
		"the device may use the memory",
		"the DMA context is running\n",
		"the task is submitted: copy \"from one memory range to another\"",
		"the task is done: success\n",
		"the destination holds \"from one memory range to another\"",
		"33 bytes, all the same\n",
		"dma_memcpy ended well\n",
		NULL
	};
	struct program got;

	(void)state;
	/* What is missing of a device of this machine may be on standard error. */
	assert_int_equal(run(&got, NULL, DMA_MEMCPY, NULL, NULL), 0);
	program_check_marks(got.out, marks);
}

static void dma_memcpy_lists_name_interface_and_addresses(void **state)
{
	const char *const marks[] = {
		"device first: interface lo, PCI address 0000:01:00.0, IPv4 address 127.0.0.1\n",
		"device second: interface lo, PCI address 0000:02:00.1, IPv4 address 127.0.0.1\n",
		NULL
	};
	struct program got;

	(void)state;
	run_well(&got, TWO_DEVICES, NULL);
	program_check_marks(got.out, marks);
}

static void dma_memcpy_takes_the_first_device_of_the_list(void **state)
{
	char name[64], wanted[80];
	struct program got;

	(void)state;
	run_well(&got, TWO_DEVICES, NULL);
	assert_int_equal(sscanf(strstr(got.out, "] device "), "] device %63[^:]", name), 1);
	snprintf(wanted, sizeof(wanted), "device %s is open\n", name);
	assert_non_null(strstr(got.out, wanted));
}

static void dma_memcpy_takes_the_device_named(void **state)
{
	const char *const marks[] = { "device second is open\n", "dma_memcpy ended well\n", NULL };
	struct program got;

	(void)state;
	run_well(&got, TWO_DEVICES, "second");
	program_check_marks(got.out, marks);
}

static void dma_memcpy_names_a_device_that_is_not_there(void **state)
{
	const char *const marks[] = { "[ERR][SAMPLE::COMMON] there is no device third: ",
				      "dma_memcpy failed: not found\n", NULL };
	struct program got;

	(void)state;
	assert_int_equal(run(&got, TWO_DEVICES, DMA_MEMCPY, "third", NULL), EXIT_FAILURE);
	program_check_marks(got.err, marks);
	assert_null(strstr(got.out, "is open"));
}

static void dma_memcpy_passes_on_why_devices_cannot_be_listed(void **state)
{
	const char *const marks[] = { "DOCA_SOFT_DEVICES", "cannot list the devices", NULL };
	struct program got;

	(void)state;
	assert_int_equal(run(&got, "nonsense", DMA_MEMCPY, NULL, NULL), EXIT_FAILURE);
	program_check_marks(got.err, marks);
}

static void dma_memcpy_helps(void **state)
{
	const char *const options[] = { "--help", "-h" };
	struct program got;

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		run_well(&got, NULL, options[i]);
		assert_memory_equal(got.out, "usage: doca_dma_memcpy", 22);
	}
}

static void dma_memcpy_shows_its_usage_when_misused(void **state)
{
	const char *const arguments[][2] = { { "--nonsense", NULL }, { "first", "second" } };
	struct program got;

	(void)state;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		assert_int_equal(
		    run(&got, TWO_DEVICES, DMA_MEMCPY, arguments[i][0], arguments[i][1]),
		    EXIT_FAILURE);
		assert_memory_equal(got.err, "usage: doca_dma_memcpy", 22);
		assert_string_equal(got.out, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dma_memcpy_tells_each_step_of_a_copy),
		TEST(dma_memcpy_lists_name_interface_and_addresses),
		TEST(dma_memcpy_takes_the_first_device_of_the_list),
		TEST(dma_memcpy_takes_the_device_named),
		TEST(dma_memcpy_names_a_device_that_is_not_there),
		TEST(dma_memcpy_passes_on_why_devices_cannot_be_listed),
		TEST(dma_memcpy_helps),
		TEST(dma_memcpy_shows_its_usage_when_misused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
