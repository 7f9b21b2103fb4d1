/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs doca_caps as a user does, and compares what it prints with what the API says. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_sync_event.h>

#include "test.h"

#define OUTPUT_BYTES 16384
#define PATIENCE_S   60
#define MAX_ARGS     6

/* Two names for the loopback interface. */
#define TWO_DEVICES "first@0000:01:00.0@lo,second@0000:02:00.1@lo"

struct run {
	char out[OUTPUT_BYTES];
	char err[OUTPUT_BYTES];
	int status; /* that of exit(), or -1 */
};

static void run_child(char *const *argv, int out, int err)
{
	if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	alarm(PATIENCE_S); /* survives the exec, and ends what hangs */
	execv(argv[0], argv);
	_exit(127);
}

static void read_output(FILE *file, char *text)
{
	rewind(file);
	text[fread(text, 1, OUTPUT_BYTES - 1, file)] = '\0';
	fclose(file);
}

/* Runs it with these arguments, up to NULL; out_fd: where it writes, or -1 to read it here. */
static void run_to(struct run *run, int out_fd, const char *const *args)
{
	FILE *out = tmpfile(), *err = tmpfile();
	char *argv[MAX_ARGS + 2] = { (char *)(uintptr_t)DOCA_CAPS };
	int status = -1;
	pid_t child;

	assert_true(out != NULL && err != NULL);
	for (int i = 0; i < MAX_ARGS && args[i] != NULL; i++)
		argv[i + 1] = (char *)(uintptr_t)args[i]; /* execv() leaves them alone */
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		run_child(argv, out_fd >= 0 ? out_fd : fileno(out), fileno(err));
	assert_int_equal(waitpid(child, &status, 0), child);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	read_output(out, run->out);
	read_output(err, run->err);
}

static void run(struct run *run, const char *const *args)
{
	run_to(run, -1, args);
}

#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static unsigned int count_lines(const char *text)
{
	unsigned int count = 0;

	for (; *text != '\0'; text++)
		count += *text == '\n';
	return count;
}

static void check_ended_well(const struct run *run)
{
	if (run->status != 0 || run->err[0] != '\0')
		fail_msg("status %d: %s", run->status, run->err);
}

static int group_setup(void **state)
{
	(void)state;
	return setenv("DOCA_SOFT_DEVICES", TWO_DEVICES, 1);
}

/* --- the table --- */

/* The words of the line that begins with the word first, one blank between them. */
static void line_of(const char *text, const char *first, char *line, size_t size)
{
	const size_t len = strlen(first);

	while (*text != '\0') {
		if (strncmp(text, first, len) == 0 && text[len] == ' ')
			break;
		text = strchr(text, '\n');
		assert_non_null(text);
		text++;
	}
	if (*text == '\0')
		fail_msg("no line begins with %s", first);
	for (; *text != '\n' && size > 1; text++) {
		if (*text == ' ' && text[1] == ' ')
			continue;
		*line++ = *text;
		size--;
	}
	*line = '\0';
}

static void table_has_a_line_for_each_device(void **state)
{
	struct doca_devinfo **list;
	char line[512];
	struct run got;
	uint32_t count;

	(void)state;
	run(&got, ARGS("--"));
	check_ended_well(&got);
	line_of(got.out, "first", line, sizeof(line));
	assert_memory_equal(line, "first lo 0000:01:00.0 127.0.0.1 ", 32);
	line_of(got.out, "second", line, sizeof(line));
	assert_memory_equal(line, "second lo 0000:02:00.1 127.0.0.1 ", 33);
	assert_success(doca_devinfo_create_list(&list, &count));
	for (uint32_t i = 0; i < count; i++) {
		char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];

		assert_success(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		line_of(got.out, name, line, sizeof(line));
	}
	assert_success(doca_devinfo_destroy_list(list));
}

static void table_has_what_each_library_can_do(void **state)
{
	struct run got;

	(void)state;
	run(&got, ARGS("-d", "second"));
	check_ended_well(&got);
	assert_null(strstr(got.out, "first"));
	assert_non_null(strstr(got.out, "LIBRARY"));
	assert_non_null(strstr(got.out, "memcpy task max buf size            2147483648\n"));
	assert_non_null(strstr(got.out, "sync event wait eq task             yes\n"));
	assert_non_null(strstr(got.out, "mmap export over PCI                no\n"));
	assert_null(strstr(got.out, " \n")); /* no line ends in blanks */
}

/* --- JSON --- */

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *whole = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (whole == NULL)
		fail_msg("line %d: %s", error.line, error.text);
	return whole;
}

static const json_t *find_device(const json_t *whole, const char *name)
{
	const json_t *list = json_object_get(whole, "devices");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *dev = json_array_get(list, i);

		if (strcmp(json_string_value(json_object_get(dev, "name")), name) == 0)
			return dev;
	}
	fail_msg("there is no device %s", name);
	return NULL;
}

static void check_text(const json_t *object, const char *key, const char *expected)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text == NULL)
		fail_msg("%s is no text", key);
	assert_string_equal(text, expected);
}

static void check_addresses(const json_t *dev, const struct doca_devinfo *info)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t bytes[16];

	if (doca_devinfo_get_ipv4_addr(info, bytes, 4) == DOCA_SUCCESS)
		check_text(dev, "ipv4", inet_ntop(AF_INET, bytes, text, sizeof(text)));
	else
		check_text(dev, "ipv4", "");
	if (doca_devinfo_get_ipv6_addr(info, bytes, 16) == DOCA_SUCCESS)
		check_text(dev, "ipv6", inet_ntop(AF_INET6, bytes, text, sizeof(text)));
	else
		check_text(dev, "ipv6", "");
}

static void check_identity(const json_t *dev, const struct doca_devinfo *info)
{
	char text[DOCA_DEVINFO_IFACE_NAME_SIZE];
	uint64_t rate;

	assert_success(doca_devinfo_get_iface_name(info, text, sizeof(text)));
	check_text(dev, "interface", text);
	assert_success(doca_devinfo_get_pci_addr_str(info, text));
	check_text(dev, "pci", text);
	assert_success(doca_devinfo_get_active_rate(info, &rate));
	assert_int_equal(json_integer_value(json_object_get(dev, "rate_bits_per_second")), rate);
}

/* What the API answers to a yes or no, and the name of the answer in the capabilities. */
static const struct {
	const char *library, *name;
	doca_error_t (*ask)(const struct doca_devinfo *info);
} bools[] = {
	{ "common", "sync event get task", doca_sync_event_cap_task_get_is_supported },
	{ "common", "sync event notify set task",
	  doca_sync_event_cap_task_notify_set_is_supported },
	{ "common", "sync event notify add task",
	  doca_sync_event_cap_task_notify_add_is_supported },
	{ "common", "sync event wait eq task", doca_sync_event_cap_task_wait_eq_is_supported },
	{ "common", "sync event wait neq task", doca_sync_event_cap_task_wait_neq_is_supported },
	{ "common", "sync event export to remote net",
	  doca_sync_event_cap_is_export_to_remote_net_supported },
	{ "common", "sync event import from remote net",
	  doca_sync_event_cap_remote_net_is_create_from_export_supported },
	{ "common", "sync event export to remote PCI",
	  doca_sync_event_cap_is_export_to_remote_pci_supported },
	{ "dma", "memcpy task", doca_dma_cap_task_memcpy_is_supported },
};
#define NUM_BOOLS (sizeof(bools) / sizeof(bools[0]))

static const json_t *capability(const json_t *dev, const char *library, const char *name)
{
	const json_t *all = json_object_get(dev, "capabilities");

	return json_object_get(json_object_get(all, library), name);
}

static void check_capabilities(const json_t *dev, const struct doca_devinfo *info)
{
	const json_t *all = json_object_get(dev, "capabilities");
	uint32_t list_len;
	uint64_t size;
	uint8_t flag;

	for (size_t i = 0; i < NUM_BOOLS; i++) {
		const json_t *told = capability(dev, bools[i].library, bools[i].name);

		assert_true(json_is_boolean(told));
		assert_int_equal(json_is_true(told), bools[i].ask(info) == DOCA_SUCCESS);
	}
	assert_success(doca_mmap_cap_is_export_pci_supported(info, &flag));
	assert_int_equal(json_is_true(capability(dev, "common", "mmap export over PCI")), flag);
	assert_success(doca_mmap_cap_is_create_from_export_pci_supported(info, &flag));
	assert_int_equal(json_is_true(capability(dev, "common", "mmap import over PCI")), flag);
	assert_success(doca_dma_cap_task_memcpy_get_max_buf_list_len(info, &list_len));
	assert_int_equal(json_integer_value(capability(dev, "dma", "memcpy task max buf list len")),
			 list_len);
	assert_success(doca_dma_cap_task_memcpy_get_max_buf_size(info, &size));
	assert_int_equal(json_integer_value(capability(dev, "dma", "memcpy task max buf size")),
			 size);
	/* Nothing else is told, so a row that is added is added here as well. */
	assert_int_equal(json_object_size(json_object_get(all, "common")), NUM_BOOLS - 1 + 2);
	assert_int_equal(json_object_size(json_object_get(all, "dma")), 1 + 2);
	assert_int_equal(json_object_size(all), 2);
}

static void check_json(const json_t *whole)
{
	struct doca_devinfo **list;
	uint32_t count;

	assert_success(doca_devinfo_create_list(&list, &count));
	check_text(whole, "api_version", "3.3.0");
	assert_int_equal(json_array_size(json_object_get(whole, "devices")), count);
	for (uint32_t i = 0; i < count; i++) {
		char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
		const json_t *dev;

		assert_success(doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)));
		dev = find_device(whole, name);
		check_identity(dev, list[i]);
		check_addresses(dev, list[i]);
		check_capabilities(dev, list[i]);
	}
	assert_success(doca_devinfo_destroy_list(list));
}

static void json_is_what_the_API_says(void **state)
{
	const char *const options[] = { "--json", "-j" };
	struct run got;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		json_t *whole;

		run(&got, ARGS(options[i]));
		check_ended_well(&got);
		whole = parse(got.out);
		check_json(whole);
		json_decref(whole);
	}
}

static void json_of_one_device_has_that_one(void **state)
{
	struct run got;
	json_t *whole;

	(void)state;
	run(&got, ARGS("--json", "--device", "second"));
	check_ended_well(&got);
	whole = parse(got.out);
	assert_int_equal(json_array_size(json_object_get(whole, "devices")), 1);
	check_text(find_device(whole, "second"), "pci", "0000:02:00.1");
	json_decref(whole);
}

/* --- lines for the service file --- */

static void service_line_has_the_five_fields(void **state)
{
	const char *const options[] = { "--service-line", "-s" };
	char host[256], wanted[512];
	struct run got;

	(void)state;
	assert_int_equal(gethostname(host, sizeof(host)), 0);
	(void)snprintf(wanted, sizeof(wanted), "%s dpu 127.0.0.1 0000:02:00.1 lo\n", host);
	for (size_t i = 0; i < 2; i++) {
		run(&got, ARGS(options[i], "-d", "second"));
		check_ended_well(&got);
		assert_string_equal(got.out, wanted);
	}
	run(&got, ARGS("-s"));
	check_ended_well(&got);
	assert_non_null(strstr(got.out, wanted));
	(void)snprintf(wanted, sizeof(wanted), "%s dpu 127.0.0.1 0000:01:00.0 lo\n", host);
	assert_non_null(strstr(got.out, wanted));
}

/* --- ends --- */

static void unknown_device_is_named_in_one_line(void **state)
{
	const char *const forms[] = { NULL, "--json", "--service-line" };
	struct run got;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		run(&got, (const char *const[]){ "-d", "third", forms[i], NULL });
		assert_int_equal(got.status, 1);
		assert_string_equal(got.out, "");
		assert_int_equal(count_lines(got.err), 1);
		assert_non_null(strstr(got.err, "third"));
	}
}

static void part_of_a_name_is_another_device(void **state)
{
	const char *const names[] = { "", "fir", "first ", "FIRST" };
	struct run got;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		run(&got, ARGS("-d", names[i]));
		assert_int_equal(got.status, 1);
		assert_int_equal(count_lines(got.err), 1);
	}
}

static void misuse_ends_with_2_and_points_at_the_help(void **state)
{
	const char *const lines[][3] = {
		{ "--nonsense", NULL, NULL }, { "-x", NULL, NULL },     { "first", NULL, NULL },
		{ "-d", NULL, NULL },         { "--json", "-s", NULL }, { "--json=7", NULL, NULL },
		{ "-d", "first", "second" },
	};
	struct run got;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		run(&got, ARGS(lines[i][0], lines[i][1], lines[i][2]));
		assert_int_equal(got.status, 2);
		assert_string_equal(got.out, "");
		assert_int_equal(count_lines(got.err), 2);
		assert_non_null(strstr(got.err, "--help"));
	}
}

static void help_and_version_end_well(void **state)
{
	const char *const lines[][2] = { { "--help", "Usage: doca_caps" },
					 { "-h", "Usage: doca_caps" },
					 { "--version", "doca_caps, DOCA API 3.3.0\n" },
					 { "-v", "doca_caps, DOCA API 3.3.0\n" } };
	struct run got;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		run(&got, ARGS(lines[i][0]));
		check_ended_well(&got);
		assert_memory_equal(got.out, lines[i][1], strlen(lines[i][1]));
	}
}

static void devices_that_cannot_be_listed_are_an_error(void **state)
{
	struct run got;

	(void)state;
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", "nonsense", 1), 0);
	run(&got, ARGS("-d", "first"));
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", TWO_DEVICES, 1), 0);
	assert_int_equal(got.status, 1);
	assert_non_null(strstr(got.err, "doca_caps: cannot list the devices"));
	assert_string_equal(got.out, "");
}

static void output_that_cannot_be_written_is_an_error(void **state)
{
	const char *const options[] = { "--json", "--service-line", "--help", "--version", "--" };
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct run got;

	(void)state;
	assert_true(full >= 0);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		run_to(&got, full, ARGS(options[i]));
		assert_int_equal(got.status, 1);
		assert_non_null(strstr(got.err, "doca_caps: standard output: "));
	}
	close(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(table_has_a_line_for_each_device),
		TEST(table_has_what_each_library_can_do),
		TEST(json_is_what_the_API_says),
		TEST(json_of_one_device_has_that_one),
		TEST(service_line_has_the_five_fields),
		TEST(unknown_device_is_named_in_one_line),
		TEST(part_of_a_name_is_another_device),
		TEST(misuse_ends_with_2_and_points_at_the_help),
		TEST(help_and_version_end_well),
		TEST(devices_that_cannot_be_listed_are_an_error),
		TEST(output_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests(tests, group_setup, NULL);
}
