/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment of workers, and that of the program that starts them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define TEXT_BYTES 4096
#define LONG_BYTES 100000 /* of one value */

extern char **environ;

/* Starts a worker with these variables, copies of which are gone when it does. */
static struct doca_urom_worker *run_with(struct urom_host *host, uint64_t id, uint64_t plugin,
					 const char *const *variables, size_t count)
{
	struct doca_urom_worker *worker = urom_host_worker_of(host, host->service, id, plugin);
	char **copies = calloc(count, sizeof(*copies));

	assert_non_null(copies);
	for (size_t i = 0; i < count; i++) {
		copies[i] = strdup(variables[i]);
		assert_non_null(copies[i]);
	}
	assert_success(doca_urom_worker_set_env(worker, copies, count));
	for (size_t i = 0; i < count; i++) {
		memset(copies[i], 'x', strlen(copies[i]));
		free(copies[i]);
	}
	free(copies);
	urom_host_start_worker(host, worker);
	return worker;
}

/* Asks the worker for a variable; value NULL: it must have none. */
static void check_variable(struct urom_host *host, struct doca_urom_worker *worker, uint64_t plugin,
			   const char *name, const char *value)
{
	const struct urom_command command = {
		.plugin = plugin,
		.op = UROM_TEST_ENVIRONMENT,
		.bytes = name,
		.len = strlen(name),
	};
	struct urom_answer answer;

	urom_host_ask(host, worker, &command, &answer);
	if (value == NULL) {
		assert_error(answer.status, DOCA_ERROR_NOT_FOUND);
		return;
	}
	assert_success(answer.status);
	assert_int_equal(answer.len, strlen(value));
	assert_memory_equal(answer.bytes, value, strlen(value));
}

/* trap 27 */
static void variables_are_copied_and_reach_the_process(void **state)
{
	static const char *const variables[] = {
		"FIRST=1", "SPACES=a value with  spaces ", "EMPTY=", "EQUALS=a=b=c", "FIRST=2",
	};
	struct doca_urom_worker *worker;
	struct urom_host host;
	uint64_t plugin;

	(void)state;
	urom_host_init_running(&host);
	plugin = urom_host_plugin(&host);
	worker = run_with(&host, 1, plugin, variables, 5);
	check_variable(&host, worker, plugin, "FIRST", "2");
	check_variable(&host, worker, plugin, "SPACES", "a value with  spaces ");
	check_variable(&host, worker, plugin, "EMPTY", "");
	check_variable(&host, worker, plugin, "EQUALS", "a=b=c");
	check_variable(&host, worker, plugin, "NONE", NULL);
	urom_host_fini(&host);
}

static void variables_replace_those_of_the_daemon(void **state)
{
	static const char *const daemons[] = { "KEPT=of the daemon", "CHANGED=of the daemon",
					       NULL };
	static const struct urom_rig_options options = { .env = daemons };
	static const char *const variables[] = { "CHANGED=of the host" };
	struct doca_urom_worker *worker;
	struct urom_host host;
	struct urom_rig rig;
	uint64_t plugin;

	(void)state;
	urom_rig_init(&rig, &options);
	urom_host_init_running(&host);
	plugin = urom_host_plugin(&host);
	worker = run_with(&host, 1, plugin, variables, 1);
	check_variable(&host, worker, plugin, "KEPT", "of the daemon");
	check_variable(&host, worker, plugin, "CHANGED", "of the host");
	worker = urom_host_run_worker(&host, 2);
	check_variable(&host, worker, plugin, "CHANGED", "of the daemon");
	urom_host_fini(&host);
	urom_rig_fini(&rig);
}

static void environment_may_be_longer_than_a_message(void **state)
{
	char *variables[4], *bytes = calloc(1, LONG_BYTES);
	struct doca_urom_worker *worker;
	struct urom_host host;
	uint64_t plugin;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'y', LONG_BYTES - 1);
	for (size_t i = 0; i < 4; i++)
		assert_true(asprintf(&variables[i], "LONG_%zu=%s", i, bytes) > 0);
	free(bytes);
	urom_host_init_running(&host);
	plugin = urom_host_plugin(&host);
	worker = run_with(&host, 1, plugin, (const char *const *)variables, 4);
	for (size_t i = 0; i < 4; i++)
		free(variables[i]);
	check_variable(&host, worker, plugin, "NONE", NULL);
	urom_host_fini(&host);
}

static void entries_that_are_none_are_refused(void **state)
{
	char good[] = "GOOD=1", bare[] = "GOOD", nameless[] = "=1", empty[] = "";
	char *const lists[][2] = {
		{ good, bare },
		{ nameless, good },
		{ empty, good },
		{ good, NULL },
	};
	char *const one[] = { good };
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 1);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		assert_refused(doca_urom_worker_set_env(worker, lists[i], 2),
			       DOCA_ERROR_INVALID_VALUE, "");
	assert_refused(doca_urom_worker_set_env(worker, NULL, 1), DOCA_ERROR_INVALID_VALUE, "");
	assert_refused(doca_urom_worker_set_env(worker, one, 0), DOCA_ERROR_INVALID_VALUE, "");
	assert_success(doca_urom_worker_set_env(worker, one, 1));
	urom_host_fini(&host);
}

/* 1 MiB of entries is the limit, each of them with four bytes of its length. */
static void environment_of_more_than_a_mebibyte_is_refused(void **state)
{
	enum {
		NUM_ENTRIES = 16,
		ENTRY_BYTES = (1 << 20) / NUM_ENTRIES - 4,
		MAX_ENTRY = 128 << 10
	};
	char *text = calloc(1, MAX_ENTRY + 2), *entries[NUM_ENTRIES];
	struct doca_urom_worker *worker;
	struct urom_host host;

	(void)state;
	assert_non_null(text);
	urom_host_init_running(&host);
	worker = urom_host_worker(&host, 1);
	for (size_t i = 0; i < NUM_ENTRIES; i++)
		entries[i] = text;
	memset(text, 'x', ENTRY_BYTES);
	text[1] = '=';
	assert_success(doca_urom_worker_set_env(worker, entries, NUM_ENTRIES));
	text[ENTRY_BYTES] = 'x';
	assert_refused(doca_urom_worker_set_env(worker, entries, NUM_ENTRIES),
		       DOCA_ERROR_INVALID_VALUE, "1048576 bytes at most");
	memset(text + 2, 'x', MAX_ENTRY - 2);
	assert_success(doca_urom_worker_set_env(worker, entries, 1));
	text[MAX_ENTRY] = 'x';
	assert_refused(doca_urom_worker_set_env(worker, entries, 1), DOCA_ERROR_INVALID_VALUE, "");
	urom_host_fini(&host);
	free(text);
}

/* The plugin needs a library that only the worker's environment leads to. */
static void add_needing_plugin(struct urom_rig *rig)
{
	urom_rig_copy(rig, UROM_NEEDS_SO, "plugins/urom_needs.so");
	urom_rig_copy(rig, UROM_NEEDED_A_SO, "a/liburom_needed.so");
	urom_rig_copy(rig, UROM_NEEDED_B_SO, "b/liburom_needed.so");
}

/* trap 26 */
static void library_of_a_plugin_is_found_by_the_workers_environment(void **state)
{
	static const char *const folders[] = { "a", "b" };
	struct urom_rig *rig = *state;
	struct urom_host host;
	uint64_t plugin;

	add_needing_plugin(rig);
	urom_host_init_running(&host);
	plugin = urom_host_plugin_named(&host, "urom_needs");
	for (uint64_t i = 0; i < 2; i++) {
		struct doca_urom_worker *worker;
		char *variable = NULL;

		assert_true(asprintf(&variable, "LD_LIBRARY_PATH=%s/%s", rig->dir, folders[i]) > 0);
		worker = run_with(&host, i, plugin, (const char *const *)&variable, 1);
		free(variable);
		check_variable(&host, worker, plugin, "UROM_NEEDED", folders[i]);
	}
	urom_host_fini(&host);
}

/* traps 8, 26 */
static void plugin_without_its_library_fails_the_start(void **state)
{
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_host host;

	add_needing_plugin(rig);
	urom_host_init_running(&host);
	worker = urom_host_worker_of(&host, host.service, 1,
				     urom_host_plugin_named(&host, "urom_needs"));
	urom_host_fail_worker(&host, worker, "liburom_needed.so");
	urom_logs_take_all(&rig->logs, "liburom_needed.so");
	urom_logs_take_all(&rig->logs, "worker 1 (pid");
	urom_host_destroy_worker(&host, worker);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
}

/* All variables of UCX, and what it makes of them for a context of the application's own. */
static void describe_ucx(char text[TEXT_BYTES])
{
	ucp_config_t *config;
	FILE *file = tmpfile();
	size_t len;

	assert_non_null(file);
	for (char **one = environ; *one != NULL; one++) {
		if (strncmp(*one, "UCX_", 4) == 0)
			fprintf(file, "%s\n", *one);
	}
	assert_int_equal(ucp_config_read(NULL, NULL, &config), UCS_OK);
	ucp_config_print(config, file, NULL, UCS_CONFIG_PRINT_CONFIG);
	ucp_config_release(config);
	rewind(file);
	len = fread(text, 1, TEXT_BYTES - 1, file);
	text[len] = '\0';
	fclose(file);
	assert_true(len > 0);
}

/* trap 71 */
static void own_ucx_of_the_application_is_left_alone(void **state)
{
	static char before[TEXT_BYTES], after[TEXT_BYTES];
	struct urom_host host;

	(void)state;
	assert_int_equal(setenv("UCX_RNDV_THRESH", "12345", 1), 0);
	describe_ucx(before);
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	describe_ucx(after);
	assert_string_equal(after, before);
	urom_host_fini(&host);
	describe_ucx(after);
	assert_string_equal(after, before);
	assert_int_equal(unsetenv("UCX_RNDV_THRESH"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* The first: what another one spoils stays so for this process. */
		UROM_TEST(own_ucx_of_the_application_is_left_alone),
		UROM_TEST(variables_are_copied_and_reach_the_process),
		TEST(variables_replace_those_of_the_daemon),
		UROM_TEST(environment_may_be_longer_than_a_message),
		UROM_TEST(entries_that_are_none_are_refused),
		UROM_TEST(environment_of_more_than_a_mebibyte_is_refused),
		UROM_TEST(library_of_a_plugin_is_found_by_the_workers_environment),
		UROM_TEST(plugin_without_its_library_fails_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
