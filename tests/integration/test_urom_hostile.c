/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins that do harm, wherever they can: at most their own worker goes, its host hears why, and
 * nobody else notices. One daemon has them all, and one worker, of another host, is there all the
 * time and answers after each of them.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "test.h"
#include "urom_host.h"
#include "urom_hostile.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define LEN(array)  (sizeof(array) / sizeof((array)[0]))
#define PART_BYTES  (PATH_MAX / 2)
#define NAME_BYTES  32
#define GOOD_ID     1
#define HOSTILE_ID  2

#define PATIENCE_NS UINT64_C(20000000000)

#define DIES        "running>stopping stopping>idle"
#define ENDS        "CONNECTION_RESET(1) " DIES

static struct urom_rig rig;
static struct urom_host good;
static struct doca_urom_worker *good_worker;
static pid_t good_pid;

/* --- where and how --- */

/* When a place is come by. */
enum phase {
	PHASE_START,
	PHASE_COMMAND,
	PHASE_STOP,
};

static const struct place {
	const char *name;
	const char *call; /* as logs have it */
	enum phase phase;
} places[] = {
	{ "open", "open", PHASE_START },
	{ "addr", "addr", PHASE_START },
	{ "event", "urom_plugin_get_event_fd", PHASE_START },
	{ "arm", "urom_plugin_arm_event", PHASE_COMMAND },
	{ "cmd", "worker_cmd", PHASE_COMMAND },
	{ "progress", "progress", PHASE_COMMAND },
	{ "pack", "notif_pack", PHASE_COMMAND },
	{ "close", "close", PHASE_STOP },
	{ "unload", "exit", PHASE_STOP },
};

static const struct deed {
	const char *name;
	const char *cause; /* as logs have it; NULL: it does not end the process */
} deeds[] = {
	{ "crash", "was killed by signal 11 (Segmentation fault)" },
	{ "exit", "exited with status 0" },
	{ "leave", "exited with status 0" },
	{ "abort", "was killed by signal 6 (Aborted)" },
	{ "spin", "ended itself, as a plugin did not return in time" },
	{ "leak", NULL },
};

struct cell {
	const struct place *place;
	const struct deed *deed;
	char plugin[NAME_BYTES];
	char name[2 * NAME_BYTES]; /* of the test */
	bool is_done;
};

static struct cell cells[LEN(places) * LEN(deeds)];

/* --- the good ones --- */

static void check_the_others(void)
{
	struct urom_test_report report;

	urom_host_report(&good, good_worker, &report);
	assert_int_equal(report.pid, good_pid);
	assert_int_equal(kill(rig.daemon, 0), 0);
	/* It takes new hosts, and lists what there is. */
	(void)urom_host_plugin_named(&good, UROM_RIG_PLUGIN);
}

/* Sanitizers would take the crashes for their own, and the leaks for ours. */
static const char *const *make_env(void)
{
	static const char *const names[] = { "ASAN_OPTIONS", "TSAN_OPTIONS" };
	static const char *env[LEN(names) + 1];

	for (size_t i = 0; i < LEN(names); i++) {
		const char *given = getenv(names[i]);
		char *text = NULL;

		assert_true(asprintf(&text, "%s=%s:handle_segv=0:handle_abort=0%s", names[i],
				     given != NULL ? given : "",
				     i == 0 ? ":detect_leaks=0"
					    : ":report_thread_leaks=0:report_signal_unsafe=0:"
					      "atexit_sleep_ms=0") > 0);
		env[i] = text;
	}
	return env;
}

static void add_hostile(const char *name)
{
	char to[PATH_MAX];

	(void)snprintf(to, sizeof(to), "plugins/%s.so", name);
	urom_rig_copy(&rig, UROM_HOSTILE_SO, to);
}

/* On a slow machine a host may come before all files have been looked at. */
static void start_good(size_t num_plugins)
{
	const struct doca_urom_service_plugin_info *plugins;
	size_t count = 0;

	urom_logs_take_all(&rig.logs, "it was not its turn yet to be probed");
	urom_logs_take_all(&rig.logs, "it gave no answer within 2 s");
	for (;;) {
		urom_host_init_running(&good);
		if (doca_urom_service_get_plugins_list(good.service, &plugins, &count) ==
			DOCA_SUCCESS &&
		    count == num_plugins)
			return;
		urom_host_fini(&good);
	}
}

static int group_begin(void **state)
{
	static const char *const more[] = { "odd", "addr_grows", "addr_huge", "addr_over" };
	static const char *const args[] = { "--plugin-timeout", "1", NULL };
	static struct urom_rig_options options = { .args = args };
	const struct rlimit no_core = { 0, 0 };
	struct urom_test_report report;

	(void)state;
	/* The text is the same wherever cores are kept. */
	assert_int_equal(setrlimit(RLIMIT_CORE, &no_core), 0);
	options.env = make_env();
	urom_rig_init_stopped(&rig, &options);
	for (size_t i = 0; i < LEN(cells); i++)
		add_hostile(cells[i].plugin);
	for (size_t i = 0; i < LEN(more); i++)
		add_hostile(more[i]);
	urom_rig_start(&rig);
	urom_logs_take_all(&rig.logs, "(pid ");
	urom_logs_take_all(&rig.logs, "UROM_WORKER::WATCHDOG");
	start_good(LEN(cells) + LEN(more) + 1);
	good_worker = urom_host_run_worker(&good, GOOD_ID);
	urom_host_report(&good, good_worker, &report);
	good_pid = (pid_t)report.pid;
	return 0;
}

static int group_end(void **state)
{
	(void)state;
	urom_host_fini(&good);
	urom_rig_fini(&rig);
	for (const char *const *variable = rig.options.env; *variable != NULL; variable++)
		free((void *)(uintptr_t)*variable);
	return 0;
}

/* --- one worker with one bad plugin --- */

struct victim {
	struct urom_host host;
	struct doca_urom_worker *worker;
	uint64_t plugin;
};

static void victim_init(struct victim *victim, const char *plugin, uint64_t id)
{
	urom_host_init_running(&victim->host);
	victim->plugin = urom_host_plugin_named(&victim->host, plugin);
	victim->worker =
	    urom_host_worker_of(&victim->host, victim->host.service, id, victim->plugin);
}

/* The id is free again, and whoever takes it gets a worker. */
static void victim_fini(struct victim *victim)
{
	urom_rig_wait_workers(&rig, 1);
	urom_host_destroy_worker(&victim->host, victim->worker);
	check_the_others();
	urom_host_fini(&victim->host);
}

static void victim_send(struct victim *victim, uint32_t op, uint32_t arg, uint64_t number)
{
	const struct urom_command command = {
		.plugin = victim->plugin,
		.number = number,
		.op = (enum urom_test_op)op,
		.arg = arg,
		.bytes = "four",
		.len = 4,
	};

	(void)urom_host_submit(&victim->host, victim->worker, &command);
}

static void victim_check_echo(struct victim *victim, uint64_t number)
{
	char words[NAME_BYTES];

	victim_send(victim, UROM_TEST_ECHO, 0, number);
	(void)snprintf(words, sizeof(words), "ok(%u)", (unsigned int)number);
	assert_hears(&victim->host.heard, victim->host.pe, words);
}

/* The host's log names process, cause, plugin, call and the log of the worker. */
static void check_told(struct victim *victim, const char *cause, const char *call,
		       const char *plugin)
{
	char part[PART_BYTES];

	(void)snprintf(part, sizeof(part), "%s; it was in %s of plugin %s; its log is %s/logs/",
		       cause, call, plugin, rig.dir);
	urom_host_hear_of(&victim->host, part);
}

static bool is_spin(const struct cell *cell)
{
	return strcmp(cell->deed->name, "spin") == 0;
}

/*
 * Drives until the worker is IDLE without having been asked. Both commands have ended once, the
 * second one perhaps well: its answer may have been under way.
 */
static void hear_end(struct victim *victim)
{
	struct heard *heard = &victim->host.heard;
	const uint64_t end = test_now_ns() + PATIENCE_NS;

	while (urom_host_worker_state(victim->worker) != DOCA_CTX_STATE_IDLE) {
		if (test_now_ns() > end)
			fail_msg("the worker does not end; heard: \"%s\"", heard->text);
		(void)doca_pe_progress(victim->host.pe);
	}
	if (strncmp(heard->text, "ok", strlen("ok")) == 0)
		assert_heard(heard, "ok(2) " ENDS);
	else
		assert_heard(heard, "CONNECTION_RESET(1) CONNECTION_RESET(2) " DIES);
}

static void begin_start(struct victim *victim)
{
	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(victim->worker)),
		     DOCA_ERROR_IN_PROGRESS);
}

static void finish_start(struct victim *victim, const struct cell *cell)
{
	assert_hears(&victim->host.heard, victim->host.pe, "idle>starting starting>idle");
	check_told(victim, cell->deed->cause, cell->place->call, cell->plugin);
}

static void begin_command(struct victim *victim)
{
	urom_host_start_worker(&victim->host, victim->worker);
	victim_send(victim, UROM_TEST_HOLD, 0, 1);
	victim_send(victim, HOSTILE_DO, 0, 2);
}

static void finish_command(struct victim *victim, const struct cell *cell)
{
	hear_end(victim);
	check_told(victim, cell->deed->cause, cell->place->call, cell->plugin);
}

static void begin_stop(struct victim *victim)
{
	urom_host_start_worker(&victim->host, victim->worker);
	victim_send(victim, HOSTILE_DO, 0, 1);
	assert_hears(&victim->host.heard, victim->host.pe, "ok(1)");
	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(victim->worker)),
		     DOCA_ERROR_IN_PROGRESS);
}

/* A stop is a stop, and has ended well when nothing is left. */
static void finish_stop(struct victim *victim, const struct cell *cell)
{
	const bool is_exit = strcmp(cell->place->name, "unload") == 0;
	const bool is_quiet = strcmp(cell->deed->cause, "exited with status 0") == 0;

	assert_hears(&victim->host.heard, victim->host.pe, UROM_WORKER_STOPS);
	/* That a process which is ending ends by exit(0) is as it should be. */
	if (!is_exit || !is_quiet)
		check_told(victim, is_spin(cell) ? "" : cell->deed->cause, cell->place->call,
			   cell->plugin);
}

static const struct {
	void (*begin)(struct victim *victim);
	void (*finish)(struct victim *victim, const struct cell *cell);
} runs[] = {
	[PHASE_START] = { begin_start, finish_start },
	[PHASE_COMMAND] = { begin_command, finish_command },
	[PHASE_STOP] = { begin_stop, finish_stop },
};

static void run_leak(struct victim *victim)
{
	urom_host_start_worker(&victim->host, victim->worker);
	victim_send(victim, HOSTILE_DO, 0, 1);
	assert_hears(&victim->host.heard, victim->host.pe, "ok(1)");
	victim_check_echo(victim, 2);
	urom_host_stop_worker(&victim->host, victim->worker);
}

static void run_cell(void **state)
{
	const struct cell *cell = *state;
	struct victim victim;

	if (cell->is_done)
		return;
	victim_init(&victim, cell->plugin, HOSTILE_ID);
	if (cell->deed->cause != NULL) {
		runs[cell->place->phase].begin(&victim);
		runs[cell->place->phase].finish(&victim, cell);
	} else {
		run_leak(&victim);
	}
	victim_fini(&victim);
}

/* At the same time, since each of them takes as long as its bound; their own tests find them done.
 */
static void plugins_that_spin_are_ended_side_by_side(void **state)
{
	struct victim victims[LEN(places)];
	struct cell *spinning[LEN(places)];
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < LEN(cells); i++) {
		if (!is_spin(&cells[i]))
			continue;
		spinning[count] = &cells[i];
		victim_init(&victims[count], cells[i].plugin, HOSTILE_ID + count);
		runs[cells[i].place->phase].begin(&victims[count]);
		count++;
	}
	assert_int_equal(count, LEN(places));
	for (size_t i = 0; i < count; i++) {
		runs[spinning[i]->place->phase].finish(&victims[i], spinning[i]);
		spinning[i]->is_done = true;
	}
	for (size_t i = 0; i < count; i++)
		victim_fini(&victims[i]);
}

/* --- oddities --- */

static void begin(struct victim *victim, const char *plugin)
{
	victim_init(victim, plugin, HOSTILE_ID);
	urom_host_start_worker(&victim->host, victim->worker);
}

static void end(struct victim *victim)
{
	urom_host_stop_worker(&victim->host, victim->worker);
	victim_fini(victim);
}

/* One that has no address that can be used is used without one. */
static void address_that_cannot_be_is_left_out(void **state)
{
	static const struct {
		const char *plugin;
		const char *warning;
	} rows[] = {
		{ "addr_huge", "its address of 4294967296 bytes is over the limit" },
		{ "addr_grows", "its address is longer than the 22 bytes that it has announced" },
		{ "addr_over", "its address is longer than the 22 bytes that it has announced" },
	};
	struct victim victim;

	(void)state;
	for (size_t i = 0; i < LEN(rows); i++) {
		begin(&victim, rows[i].plugin);
		urom_logs_take(&rig.logs, rows[i].warning);
		victim_check_echo(&victim, 1);
		end(&victim);
	}
}

static void answer_packed_beyond_its_room_ends_its_command_only(void **state)
{
	struct victim victim;

	(void)state;
	begin(&victim, "odd");
	victim_send(&victim, HOSTILE_PACK_OVER, 1, 1);
	assert_hears(&victim.host.heard, victim.host.pe, "UNEXPECTED(1)");
	victim_send(&victim, HOSTILE_PACK_OVER, 64, 2);
	assert_hears(&victim.host.heard, victim.host.pe, "UNEXPECTED(2)");
	victim_check_echo(&victim, 3);
	urom_logs_take(&rig.logs, "plugin odd: notif_pack writes more than there is room for");
	urom_logs_take_all(&rig.logs, "notif_pack writes more");
	end(&victim);
}

static void answer_that_is_not_packed_ends_its_command_only(void **state)
{
	struct victim victim;

	(void)state;
	begin(&victim, "odd");
	victim_send(&victim, HOSTILE_PACK_NONE, 0, 1);
	assert_hears(&victim.host.heard, victim.host.pe, "UNEXPECTED(1)");
	victim_check_echo(&victim, 2);
	urom_logs_take(&rig.logs, "plugin odd: notif_pack gives a length that cannot be");
	end(&victim);
}

/* What ends the worker; part: of the host's log. */
static void check_end(uint32_t op, uint32_t arg, const char *part)
{
	struct victim victim;

	begin(&victim, "odd");
	victim_send(&victim, UROM_TEST_HOLD, 0, 1);
	victim_send(&victim, op, arg, 2);
	hear_end(&victim);
	urom_host_hear_of(&victim.host, part);
	victim_fini(&victim);
}

static void answer_packed_far_beyond_its_room_ends_the_worker(void **state)
{
	(void)state;
	urom_logs_take_all(&rig.logs, "Sanitizer:"); /* in the worker, if it has one */
	check_end(HOSTILE_PACK_OVER, 1 << 20, "; it was in notif_pack of plugin odd; its log is");
}

static void list_of_answers_that_is_none_ends_the_worker(void **state)
{
	(void)state;
	urom_logs_take_all(&rig.logs, "double free");
	urom_logs_take_all(&rig.logs, "Sanitizer:"); /* in the worker, if it has one */
	urom_logs_take_all(&rig.logs, "answers no command of it");
	check_end(HOSTILE_LIST_FOREIGN, 0, "; it was in the lists of plugin odd; its log is");
	check_end(HOSTILE_LIST_TWICE, 0, "; it was in the lists of plugin odd; its log is");
	check_end(HOSTILE_LIST_WILD, 0, " of plugin odd; its log is");
}

static void plugin_that_closes_all_descriptors_ends_its_worker(void **state)
{
	(void)state;
	check_end(HOSTILE_CLOSE_ALL, 0, "odd");
}

static void plugin_that_garbles_the_control_path_ends_its_worker(void **state)
{
	(void)state;
	urom_logs_take_all(&rig.logs, " at worker 2)");
	check_end(HOSTILE_GARBLE, 0,
		  "has sent what no worker may send, and was cut off; it was in ");
}

static void exit_on_another_thread_ends_the_worker(void **state)
{
	(void)state;
	check_end(HOSTILE_THREAD_EXIT, 0, "exited with status 0; it was in ");
	check_end(HOSTILE_THREAD_ABORT, 0, "killed by signal 6 (Aborted); it was in ");
}

/* No signal can be made to reach it. */
static void plugin_that_shuts_signals_out_is_ended_all_the_same(void **state)
{
	(void)state;
	check_end(HOSTILE_IGNORE_SPIN, 0,
		  "ended itself, as a plugin did not return in time; it was in worker_cmd of "
		  "plugin odd; its log is");
}

static void plugin_that_ignores_signals_goes_on_and_can_be_stopped(void **state)
{
	struct victim victim;

	(void)state;
	begin(&victim, "odd");
	victim_send(&victim, HOSTILE_IGNORE, 0, 1);
	assert_hears(&victim.host.heard, victim.host.pe, "ok(1)");
	victim_check_echo(&victim, 2);
	end(&victim);
}

static void plugin_with_narrow_limits_goes_on(void **state)
{
	struct victim victim;

	(void)state;
	begin(&victim, "odd");
	victim_send(&victim, HOSTILE_LIMITS, 0, 1);
	assert_hears(&victim.host.heard, victim.host.pe, "ok(1)");
	for (uint64_t i = 0; i < 100; i++)
		victim_check_echo(&victim, i);
	end(&victim);
}

static void child_of_a_plugin_goes_with_its_worker(void **state)
{
	struct urom_command command = { .op = (enum urom_test_op)HOSTILE_FORK };
	struct urom_answer answer;
	struct victim victim;
	pid_t child;

	(void)state;
	begin(&victim, "odd");
	command.plugin = victim.plugin;
	urom_host_ask(&victim.host, victim.worker, &command, &answer);
	assert_success(answer.status);
	assert_int_equal(answer.len, sizeof(child));
	memcpy(&child, answer.bytes, sizeof(child));
	assert_true(urom_procs_state(child) != '\0');
	end(&victim);
	/* Orphans become the test's, which has to take note of their end. */
	while (urom_procs_state(child) != '\0' && urom_procs_state(child) != 'Z')
		(void)doca_pe_progress(good.pe);
}

static const struct CMUnitTest oddities[] = {
	TEST(address_that_cannot_be_is_left_out),
	TEST(answer_packed_beyond_its_room_ends_its_command_only),
	TEST(answer_that_is_not_packed_ends_its_command_only),
	TEST(answer_packed_far_beyond_its_room_ends_the_worker),
	TEST(list_of_answers_that_is_none_ends_the_worker),
	TEST(plugin_that_closes_all_descriptors_ends_its_worker),
	TEST(plugin_that_garbles_the_control_path_ends_its_worker),
	TEST(exit_on_another_thread_ends_the_worker),
	TEST(plugin_that_shuts_signals_out_is_ended_all_the_same),
	TEST(plugin_that_ignores_signals_goes_on_and_can_be_stopped),
	TEST(plugin_with_narrow_limits_goes_on),
	TEST(child_of_a_plugin_goes_with_its_worker),
};

static void make_cells(void)
{
	for (size_t i = 0; i < LEN(cells); i++) {
		struct cell *cell = &cells[i];

		cell->place = &places[i / LEN(deeds)];
		cell->deed = &deeds[i % LEN(deeds)];
		(void)snprintf(cell->plugin, sizeof(cell->plugin), "%s_%s", cell->place->name,
			       cell->deed->name);
		(void)snprintf(cell->name, sizeof(cell->name), "plugin_that_does_%s_in_%s",
			       cell->deed->name, cell->place->name);
	}
}

/* With an argument: only the tests whose names have it. */
int main(int argc, char **argv)
{
	struct CMUnitTest tests[1 + LEN(cells) + LEN(oddities)];
	size_t num_tests = 0;

	make_cells();
	for (size_t i = 0; i < LEN(tests); i++) {
		struct CMUnitTest test = TEST(plugins_that_spin_are_ended_side_by_side);

		if (i > LEN(cells))
			test = oddities[i - LEN(cells) - 1];
		else if (i > 0)
			test = (struct CMUnitTest){ cells[i - 1].name, run_cell, test_begin,
						    test_end, &cells[i - 1] };
		if (argc < 2 || strstr(test.name, argv[1]) != NULL)
			tests[num_tests++] = test;
	}
	return _cmocka_run_group_tests("tests", tests, num_tests, group_begin, group_end);
}
