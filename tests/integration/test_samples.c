/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the samples as a user does, and looks at what they print and how they end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define DMA_MEMCPY   SAMPLES_DIR "/doca_dma_memcpy"
#define OUTPUT_BYTES 8192
#define PATIENCE_S   60

/* Two names for the loopback interface. */
#define TWO_DEVICES "first@0000:01:00.0@lo,second@0000:02:00.1@lo"

struct run {
	char out[OUTPUT_BYTES];
	char err[OUTPUT_BYTES];
	int status; /* that of exit(), or -1 */
};

static void run_child(char *const *argv, const char *devices, FILE *out, FILE *err)
{
	if (dup2(fileno(out), STDOUT_FILENO) < 0 || dup2(fileno(err), STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	if (devices != NULL)
		setenv("DOCA_SOFT_DEVICES", devices, 1);
	else
		unsetenv("DOCA_SOFT_DEVICES");
	alarm(PATIENCE_S); /* survives the exec, and ends what hangs */
	execv(argv[0], argv);
	_exit(EXIT_FAILURE);
}

static void read_output(FILE *file, char *text)
{
	rewind(file);
	text[fread(text, 1, OUTPUT_BYTES - 1, file)] = '\0';
	fclose(file);
}

/* devices: for DOCA_SOFT_DEVICES, or NULL. Each argument that is NULL ends the list. */
static void run(struct run *run, const char *devices, const char *program, const char *first,
		const char *second)
{
	/* execv() takes the texts as they are, though its type does not say so. */
	char *const argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)first,
			       (char *)(uintptr_t)second, NULL };
	FILE *out = tmpfile();
	FILE *err = tmpfile();
	int status = -1;
	pid_t child;

	assert_non_null(out);
	assert_non_null(err);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		run_child(argv, devices, out, err);
	assert_int_equal(waitpid(child, &status, 0), child);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	read_output(out, run->out);
	read_output(err, run->err);
}

static void check_ended_well(const struct run *run)
{
	if (run->status != 0 || run->err[0] != '\0')
		fail_msg("status %d: %s", run->status, run->err);
}

/* Checks that the marks are there, one after the other. */
static void check_marks(const char *text, const char *const *marks)
{
	for (; *marks != NULL; marks++) {
		const char *found = strstr(text, *marks);

		if (found == NULL)
			fail_msg("\"%s\" is not where it should be in: %s", *marks, text);
		text = found + strlen(*marks);
	}
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
	struct run got;

	(void)state;
	run(&got, NULL, DMA_MEMCPY, NULL, NULL);
	/* What is missing of a device of this machine may be on standard error. */
	assert_int_equal(got.status, 0);
	check_marks(got.out, marks);
}

static void dma_memcpy_lists_name_interface_and_addresses(void **state)
{
	const char *const marks[] = {
		"device first: interface lo, PCI address 0000:01:00.0, IPv4 address 127.0.0.1\n",
		"device second: interface lo, PCI address 0000:02:00.1, IPv4 address 127.0.0.1\n",
		NULL
	};
	struct run got;

	(void)state;
	run(&got, TWO_DEVICES, DMA_MEMCPY, NULL, NULL);
	check_ended_well(&got);
	check_marks(got.out, marks);
}

static void dma_memcpy_takes_the_first_device_of_the_list(void **state)
{
	char name[64], wanted[80];
	struct run got;

	(void)state;
	run(&got, TWO_DEVICES, DMA_MEMCPY, NULL, NULL);
	check_ended_well(&got);
	assert_int_equal(sscanf(strstr(got.out, "] device "), "] device %63[^:]", name), 1);
	snprintf(wanted, sizeof(wanted), "device %s is open\n", name);
	assert_non_null(strstr(got.out, wanted));
}

static void dma_memcpy_takes_the_device_named(void **state)
{
	const char *const marks[] = { "device second is open\n", "dma_memcpy ended well\n", NULL };
	struct run got;

	(void)state;
	run(&got, TWO_DEVICES, DMA_MEMCPY, "second", NULL);
	check_ended_well(&got);
	check_marks(got.out, marks);
}

static void dma_memcpy_names_a_device_that_is_not_there(void **state)
{
	const char *const marks[] = { "[ERR][SAMPLE::COMMON] there is no device third\n",
				      "dma_memcpy failed: not found\n", NULL };
	struct run got;

	(void)state;
	run(&got, TWO_DEVICES, DMA_MEMCPY, "third", NULL);
	assert_int_equal(got.status, EXIT_FAILURE);
	check_marks(got.err, marks);
	assert_null(strstr(got.out, "is open"));
}

static void dma_memcpy_passes_on_why_devices_cannot_be_listed(void **state)
{
	const char *const marks[] = { "DOCA_SOFT_DEVICES", "cannot list the devices", NULL };
	struct run got;

	(void)state;
	run(&got, "nonsense", DMA_MEMCPY, NULL, NULL);
	assert_int_equal(got.status, EXIT_FAILURE);
	check_marks(got.err, marks);
}

static void dma_memcpy_helps(void **state)
{
	const char *const options[] = { "--help", "-h" };
	struct run got;

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		run(&got, NULL, DMA_MEMCPY, options[i], NULL);
		check_ended_well(&got);
		assert_memory_equal(got.out, "usage: doca_dma_memcpy", 22);
	}
}

static void dma_memcpy_shows_its_usage_when_misused(void **state)
{
	const char *const arguments[][2] = { { "--nonsense", NULL }, { "first", "second" } };
	struct run got;

	(void)state;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(arguments[0]); i++) {
		run(&got, TWO_DEVICES, DMA_MEMCPY, arguments[i][0], arguments[i][1]);
		assert_int_equal(got.status, EXIT_FAILURE);
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
