/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"
#include "urom_procs.h"
#include "urom_victim.h"

#define PATIENCE_NS UINT64_C(20000000000)
#define IDLE_NS     5000000 /* the same, when nothing is to be told */
#define PAUSE_NS    1000000 /* between two turns in which nothing was told */

/* Of a large command: nearly the 4096 of a message. */
#define LARGE_BYTES 4000

/* The witness has never waited longer than this for an answer. */
#define MAX_LATENCY_US 1000000

static void pause_between_turns(void)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* --- All of it --- */

void urom_fault_init_host(struct urom_fault *fault, char *variable)
{
	memset(fault, 0, sizeof(*fault));
	fault->variable = variable;
	urom_host_init(&fault->host);
	urom_host_init_bare(&fault->app);
}

void urom_fault_fini_host(struct urom_fault *fault)
{
	urom_host_fini(&fault->app);
	urom_host_fini(&fault->host);
}

/* The thread sanitizer holds up the end of each process for a second, which is none of theirs. */
static void hasten_ends(void)
{
	const char *options = getenv("TSAN_OPTIONS");
	char *more;

	if (options == NULL)
		return;
	assert_true(asprintf(&more, "%s:atexit_sleep_ms=0", options) > 0);
	assert_int_equal(setenv("TSAN_OPTIONS", more, 1), 0);
	free(more);
}

/* One that is slow to load is offered to later connections only. */
static void await_plugin(struct urom_fault *fault)
{
	const uint64_t end = test_now_ns() + PATIENCE_NS;
	const struct doca_urom_service_plugin_info *plugins;
	doca_error_t result;
	size_t count;

	do {
		if (test_now_ns() > end)
			fail_msg("the daemon does not offer the plugin");
		urom_host_start(&fault->host);
		result = doca_urom_service_get_plugins_list(fault->host.service, &plugins, &count);
		urom_host_stop(&fault->host);
	} while (result == DOCA_ERROR_NOT_FOUND);
	assert_success(result);
	urom_logs_take_all(&fault->rig->logs, "it gave no answer within");
}

void urom_fault_init(struct urom_fault *fault, const char *point, const char *channel)
{
	static const char *args[] = { "--worker", UROM_GATED_WORKER, "--channel", NULL, NULL };
	static const char *env[] = { NULL, NULL };
	static const struct urom_rig_options options = { .args = args, .env = env };
	static struct urom_gate gate;
	static struct urom_rig rig;

	args[3] = channel;
	hasten_ends();
	urom_rig_init_stopped(&rig, &options);
	if (point != NULL)
		urom_gate_init(&gate, &rig, point);
	if (point != NULL && strcmp(point, UROM_FAULT_LATE) == 0)
		env[0] = gate.variable;
	urom_rig_start(&rig);
	urom_fault_init_host(fault, point != NULL && env[0] == NULL ? gate.variable : NULL);
	fault->rig = &rig;
	fault->gate = point != NULL ? &gate : NULL;
	await_plugin(fault);
}

void urom_fault_fini(struct urom_fault *fault)
{
	urom_fault_fini_host(fault);
	if (fault->gate != NULL)
		urom_gate_fini(fault->gate);
	urom_rig_fini(fault->rig);
	test_drop_log(); /* of losses it is full */
}

void urom_fault_begin_witness(struct urom_fault *fault)
{
	char line[UROM_PROGRAM_LINE];

	urom_program_start(&fault->witness,
			   (const char *const[]){ "steady", UROM_FAULT_WITNESS_ID, NULL });
	urom_program_read(&fault->witness, line);
	fault->witness_worker = (pid_t)strtol(line, NULL, 10);
}

/* "COUNT MICROSECONDS", the longest of all round trips. */
void urom_fault_end_witness(struct urom_fault *fault)
{
	char line[UROM_PROGRAM_LINE], *rest;

	urom_program_go_on(&fault->witness);
	urom_program_read(&fault->witness, line);
	assert_true(strtoul(line, &rest, 10) > 0);
	if (strtol(rest, NULL, 10) > MAX_LATENCY_US)
		fail_msg("the witness has waited %s us for an answer", rest);
	urom_program_finish(&fault->witness);
}

void urom_fault_take_logs(struct urom_fault *fault, pid_t worker)
{
	char part[64];

	(void)snprintf(part, sizeof(part), "(pid %d)", (int)worker);
	urom_logs_take_all(&fault->rig->logs, part);
	(void)snprintf(part, sizeof(part), "[%d]", (int)worker);
	urom_logs_take_all(&fault->rig->logs, part);
}

/* --- The application --- */

void urom_fault_start(struct urom_fault *fault)
{
	char *env[] = { fault->variable };

	fault->worker = urom_host_worker_of(&fault->app, fault->host.service, UROM_FAULT_ID,
					    urom_host_plugin(&fault->host));
	assert_success(doca_urom_worker_set_max_inflight_tasks(fault->worker, UROM_FAULT_WINDOW));
	if (fault->variable != NULL)
		assert_success(doca_urom_worker_set_env(fault->worker, env, 1));
	urom_fault_begin(fault);
	assert_error(doca_ctx_start(doca_urom_worker_as_ctx(fault->worker)),
		     DOCA_ERROR_IN_PROGRESS);
}

pid_t urom_fault_run(struct urom_fault *fault)
{
	urom_fault_start(fault);
	urom_fault_hear_moves(fault, UROM_WORKER_STARTS);
	return urom_fault_worker(fault);
}

void urom_fault_get_mail(struct urom_fault *fault)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(fault->app.pe, &handle));
	assert_success(doca_pe_request_notification(fault->app.pe));
	while (!test_is_readable(handle, 0)) {
		if (test_now_ns() > end)
			fail_msg("the daemon does not answer");
		assert_int_equal(doca_pe_progress(fault->host.pe), 0);
		pause_between_turns();
	}
	assert_success(doca_pe_clear_notification(fault->app.pe, handle));
	assert_string_equal(fault->app.heard.text, "idle>starting");
}

void urom_fault_stop(struct urom_fault *fault)
{
	urom_fault_begin(fault);
	assert_error(doca_ctx_stop(doca_urom_worker_as_ctx(fault->worker)), DOCA_ERROR_IN_PROGRESS);
}

/* What an engine tells, it tells one by one. */
static unsigned int turn_of(struct urom_host *host)
{
	unsigned int before = host->heard.num_words;
	uint8_t told = doca_pe_progress(host->pe);

	assert_int_equal(host->heard.num_words - before, told);
	return told;
}

bool urom_fault_turn(struct urom_fault *fault)
{
	unsigned int told = turn_of(&fault->app);

	told += turn_of(&fault->host);
	if (told == 0)
		pause_between_turns();
	return told > 0;
}

void urom_fault_hear_nothing(struct urom_fault *fault, uint64_t ns)
{
	uint64_t end = test_now_ns() + ns;

	while (test_now_ns() < end) {
		(void)urom_fault_turn(fault);
		(void)nanosleep(&(struct timespec){ .tv_nsec = IDLE_NS }, NULL);
	}
	assert_heard(&fault->app.heard, "");
}

void urom_fault_hear_nothing_while(struct urom_fault *fault, enum urom_fault_act act)
{
	urom_fault_hear_nothing(fault,
				act == UROM_FAULT_STOP ? UROM_FAULT_LONG_NS : UROM_FAULT_PAUSE_NS);
}

pid_t urom_fault_worker(struct urom_fault *fault)
{
	pid_t pids[UROM_PROCS_MAX];
	char part[32];

	(void)snprintf(part, sizeof(part), "--id %" PRIu64 " ", UROM_FAULT_ID);
	assert_int_equal(urom_procs_children(fault->rig->daemon, part, pids), 1);
	return pids[0];
}

void urom_fault_begin(struct urom_fault *fault)
{
	fault->began_ns = test_now_ns();
	fault->delay_ns = urom_procs_delay_ns(getpid());
}

void urom_fault_check_bound(const struct urom_fault *fault)
{
	uint64_t took_ns = test_now_ns() - fault->began_ns;
	uint64_t waited_ns = urom_procs_delay_ns(getpid()) - fault->delay_ns;

	if (took_ns > UROM_FAULT_BOUND_NS + waited_ns)
		fail_msg("it has taken %u ms", (unsigned int)(took_ns / 1000000));
}

/* Drives both engines until that many words were told of the worker. */
static void hear(struct urom_fault *fault, unsigned int num_words)
{
	uint64_t end = test_now_ns() + PATIENCE_NS;

	while (fault->app.heard.num_words < num_words) {
		if (test_now_ns() > end)
			fail_msg("all that was heard: \"%s\"", fault->app.heard.text);
		(void)urom_fault_turn(fault);
	}
}

static unsigned int count_words(const char *words)
{
	unsigned int count = words != NULL;

	for (; words != NULL && *words != '\0'; words++)
		count += *words == ' ';
	return count;
}

static void add_words(char words[HEARD_BYTES], const char *more)
{
	size_t len = strlen(words);

	if (more != NULL)
		(void)snprintf(words + len, HEARD_BYTES - len, "%s%s", len > 0 ? " " : "", more);
}

static void add_ends(char words[HEARD_BYTES], const char *status, uint64_t first, uint64_t count)
{
	char word[64];

	for (uint64_t i = first; i < first + count; i++) {
		(void)snprintf(word, sizeof(word), "%s(%" PRIu64 ")", status, i);
		add_words(words, word);
	}
}

/* How many of the commands have ended well, as the words that were heard begin. */
static uint64_t count_good(const struct urom_fault *fault, uint64_t max)
{
	const char *at = fault->app.heard.text;
	uint64_t count = 0;
	char word[32];

	while (count < max) {
		(void)snprintf(word, sizeof(word), "ok(%" PRIu64 ")", count + 1);
		if (strncmp(at, word, strlen(word)) != 0)
			break;
		at += strlen(word);
		at += *at == ' ';
		count++;
	}
	return count;
}

void urom_fault_hear_ends(struct urom_fault *fault, const struct urom_fault_ends *ends)
{
	char words[HEARD_BYTES] = "";
	uint64_t num_good;

	hear(fault,
	     (unsigned int)ends->count + count_words(ends->middle) + count_words(ends->tail));
	urom_fault_check_bound(fault);
	num_good = count_good(fault, ends->count);
	assert_in_range(num_good, ends->min_good, ends->max_good);
	add_ends(words, "ok", 1, num_good);
	add_words(words, ends->middle);
	add_ends(words, ends->status, 1 + num_good, ends->count - num_good);
	add_words(words, ends->tail);
	assert_heard(&fault->app.heard, words);
}

void urom_fault_hear_one(struct urom_fault *fault)
{
	hear(fault, 1);
}

void urom_fault_hear_moves(struct urom_fault *fault, const char *moves)
{
	urom_fault_hear_ends(fault, &(struct urom_fault_ends){ .tail = moves });
}

void urom_fault_echo(struct urom_fault *fault)
{
	urom_fault_begin(fault);
	urom_host_send(&fault->host, fault->worker, UROM_TEST_ECHO, 0, 1);
	urom_fault_hear_ends(fault, &UROM_FAULT_ALL_GOOD(1));
}

void urom_fault_hold(struct urom_fault *fault, uint64_t count)
{
	for (uint64_t i = 1; i <= count; i++)
		urom_host_send(&fault->host, fault->worker, UROM_TEST_HOLD, 0, i);
	urom_fault_echo(fault); /* it is behind them */
}

void urom_fault_fill_window(struct urom_fault *fault)
{
	static const char bytes[LARGE_BYTES];
	struct urom_command command = { .bytes = bytes, .len = sizeof(bytes) };
	struct doca_urom_worker_cmd_task *task;

	for (command.number = 1; command.number <= UROM_FAULT_WINDOW; command.number++)
		(void)urom_host_submit(&fault->host, fault->worker, &command);
	task = urom_host_task(&fault->host, fault->worker, &command);
	assert_error(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)), DOCA_ERROR_AGAIN);
	assert_success(doca_urom_worker_cmd_task_release(task));
}

/* --- Afterwards --- */

/* Is it over its end, which is put off by what it has waited for a processor since? */
static bool is_late(pid_t pid, uint64_t end_ns, uint64_t delay_ns, uint64_t *run_ns)
{
	if (test_now_ns() <= end_ns || urom_procs_is_delayed(pid, run_ns))
		return false;
	return test_now_ns() > end_ns + urom_procs_delay_ns(pid) - delay_ns &&
	       urom_procs_is_there(pid);
}

void urom_fault_wait_gone(pid_t pid, uint64_t within_ns)
{
	const uint64_t end_ns = test_now_ns() + within_ns;
	const uint64_t delay_ns = urom_procs_delay_ns(pid);
	uint64_t run_ns = 0;

	(void)urom_procs_is_delayed(pid, &run_ns);
	while (urom_procs_is_there(pid)) {
		(void)waitpid(pid, NULL, WNOHANG); /* if the daemon has left it to the test */
		if (is_late(pid, end_ns, delay_ns, &run_ns))
			fail_msg("process %d is left, in state %c", (int)pid,
				 urom_procs_state(pid));
		pause_between_turns();
	}
}

void urom_fault_check_reuse(struct urom_fault *fault, pid_t old)
{
	pid_t pid;

	if (fault->worker != NULL)
		urom_host_destroy_worker(&fault->app, fault->worker);
	fault->variable = NULL;
	pid = urom_fault_run(fault);
	assert_int_not_equal(pid, old);
	urom_fault_echo(fault);
	urom_fault_stop(fault);
	urom_fault_hear_moves(fault, UROM_WORKER_STOPS);
	urom_host_destroy_worker(&fault->app, fault->worker);
	fault->worker = NULL;
	urom_fault_wait_gone(pid, UROM_FAULT_ORPHAN_NS);
	assert_heard(&fault->host.heard, "");
}

int urom_fault_main(int argc, char **argv, const struct CMUnitTest *cells, size_t num_cells)
{
	if (argc > 2 && strcmp(argv[1], UROM_VICTIM_ROLE) == 0)
		return urom_victim_main(argc, argv);
	if (argc > 2 && strcmp(argv[1], CELLS_ROLE) != 0)
		return urom_program_main(argc, argv);
	return cells_main(argc, argv, cells, num_cells);
}
