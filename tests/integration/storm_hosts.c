/* SPDX-License-Identifier: BSD-3-Clause */
#include "storm_hosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_hostile.h"

#define LEN(array)  (sizeof(array) / sizeof((array)[0]))
#define NS_PER_MS   UINT64_C(1000000)
#define PATIENCE_NS UINT64_C(20000000000)
#define WINDOW      8
#define STEADY_MS   2 /* between two bursts */
#define VICTIM_MS   5
#define FIRST_ID    10
#define NUM_IDS     4 /* fewer than victims, so that some share a worker */

/* --- a program that sleeps --- */

struct sleeper {
	int epoll;
	int timer;
	doca_notification_handle_t handle;
	bool is_tick;  /* the timer has woken it */
	bool is_input; /* its standard input has something, or ends */
};

static void watch(const struct sleeper *sleeper, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	assert_int_equal(epoll_ctl(sleeper->epoll, EPOLL_CTL_ADD, fd, &event), 0);
}

static void sleeper_init(struct sleeper *sleeper, struct doca_pe *pe, unsigned int period_ms)
{
	const struct itimerspec period = {
		.it_interval.tv_nsec = (long)(period_ms * NS_PER_MS),
		.it_value.tv_nsec = (long)(period_ms * NS_PER_MS),
	};

	sleeper->epoll = epoll_create1(EPOLL_CLOEXEC);
	sleeper->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	assert_true(sleeper->epoll >= 0 && sleeper->timer >= 0);
	assert_int_equal(timerfd_settime(sleeper->timer, 0, &period, NULL), 0);
	assert_success(doca_pe_get_notification_handle(pe, &sleeper->handle));
	watch(sleeper, sleeper->handle);
	watch(sleeper, sleeper->timer);
	watch(sleeper, STDIN_FILENO);
}

static void sleeper_fini(struct sleeper *sleeper)
{
	close(sleeper->epoll);
	close(sleeper->timer);
}

/* Sleeps until something happens, and takes what the engine has. */
static void turn(struct sleeper *sleeper, struct urom_host *host)
{
	struct epoll_event events[3];
	uint64_t ticks;
	int count;

	assert_success(doca_pe_request_notification(host->pe));
	count = epoll_wait(sleeper->epoll, events, LEN(events), -1);
	assert_success(doca_pe_clear_notification(host->pe, sleeper->handle));
	sleeper->is_tick = false;
	sleeper->is_input = false;
	for (int i = 0; i < count; i++) {
		if (events[i].data.fd == sleeper->timer)
			sleeper->is_tick = read(sleeper->timer, &ticks, sizeof(ticks)) > 0;
		if (events[i].data.fd == STDIN_FILENO)
			sleeper->is_input = true;
	}
	while (doca_pe_progress(host->pe) != 0)
		;
	host->heard.text[0] = '\0';
	host->heard.num_words = 0;
}

/* --- the steady one --- */

struct steady {
	struct urom_host host;
	struct doca_urom_worker_cmd_task
	    *tasks[WINDOW]; /* the n-th command has the n-th, in turn */
	uint64_t num_sent;
	uint64_t num_answered;
	uint64_t answered_ns;
};

static void send_next(struct steady *steady)
{
	struct doca_urom_worker_cmd_task *task = steady->tasks[steady->num_sent % WINDOW];
	struct doca_buf *payload = doca_urom_worker_cmd_task_get_payload(task);
	void *data;

	assert_success(doca_buf_get_data(payload, &data));
	memcpy((char *)data + sizeof(struct urom_test_cmd), &steady->num_sent,
	       sizeof(steady->num_sent));
	assert_success(doca_task_submit(doca_urom_worker_cmd_task_as_task(task)));
	steady->num_sent++;
}

static void check_next(struct heard *heard)
{
	struct steady *steady = heard->owner;
	struct doca_urom_worker_cmd_task *task = steady->tasks[steady->num_answered % WINDOW];
	const void *data;
	uint64_t number;

	assert_success(doca_task_get_status(heard->task));
	assert_ptr_equal(heard->task, doca_urom_worker_cmd_task_as_task(task));
	assert_int_equal(urom_host_response(task, &data), sizeof(number));
	memcpy(&number, data, sizeof(number));
	assert_int_equal(number, steady->num_answered);
	assert_true(steady->num_answered < steady->num_sent);
	steady->num_answered++;
	steady->answered_ns = test_now_ns();
}

static void begin_steady(struct steady *steady, struct doca_urom_worker *worker)
{
	const struct urom_command command = { .bytes = &steady->num_sent,
					      .len = sizeof(steady->num_sent) };
	struct urom_test_report report;

	urom_host_report(&steady->host, worker, &report);
	printf("%" PRIu64 " %" PRIu64 "\n", report.pid, report.dest_id);
	fflush(stdout);
	for (unsigned int i = 0; i < WINDOW; i++)
		steady->tasks[i] = urom_host_task(&steady->host, worker, &command);
	steady->host.heard.on_task = check_next;
	steady->host.heard.owner = steady;
	steady->answered_ns = test_now_ns();
}

static void run_steady(char **args)
{
	struct steady steady = { .num_sent = 0 };
	struct doca_urom_worker *worker;
	struct sleeper sleeper;
	bool is_over = false;

	urom_host_init_running(&steady.host);
	worker = urom_host_run_worker(&steady.host, strtoull(args[0], NULL, 10));
	begin_steady(&steady, worker);
	sleeper_init(&sleeper, steady.host.pe, STEADY_MS);
	while (!is_over || steady.num_answered < steady.num_sent) {
		turn(&sleeper, &steady.host);
		is_over |= sleeper.is_input;
		while (sleeper.is_tick && !is_over &&
		       steady.num_sent - steady.num_answered < WINDOW)
			send_next(&steady);
		assert_true(test_now_ns() - steady.answered_ns < PATIENCE_NS);
		assert_int_equal(urom_host_worker_state(worker), DOCA_CTX_STATE_RUNNING);
	}
	for (unsigned int i = 0; i < WINDOW; i++)
		assert_success(doca_urom_worker_cmd_task_release(steady.tasks[i]));
	sleeper_fini(&sleeper);
	urom_host_fini(&steady.host);
	printf("done %" PRIu64 "\n", steady.num_answered);
	fflush(stdout);
}

/* --- the others --- */

static const struct harm {
	uint32_t op;
	uint32_t arg;
} harms[] = {
	{ HOSTILE_PACK_OVER, 8 },    { HOSTILE_PACK_OVER, 1 << 20 }, { HOSTILE_PACK_NONE, 0 },
	{ HOSTILE_LIST_FOREIGN, 0 }, { HOSTILE_LIST_TWICE, 0 },      { HOSTILE_LIST_WILD, 0 },
	{ HOSTILE_CONTEXT, 0 },      { HOSTILE_CLOSE_ALL, 0 },       { HOSTILE_GARBLE, 0 },
	{ HOSTILE_IGNORE, 0 },       { HOSTILE_IGNORE_SPIN, 0 },     { HOSTILE_FORK, 0 },
	{ HOSTILE_LIMITS, 0 },       { HOSTILE_THREAD_EXIT, 0 },     { HOSTILE_THREAD_ABORT, 0 },
};

unsigned int storm_num_harms(void)
{
	return LEN(harms);
}

struct victim {
	struct urom_host host;
	struct doca_urom_worker *worker; /* NULL: none */
	uint64_t plugin;
	unsigned int random;
};

/* A worker that is IDLE has had its time, however it has ended. */
static void look_at_worker(struct victim *victim)
{
	struct doca_ctx *ctx;

	if (victim->worker != NULL) {
		if (urom_host_worker_state(victim->worker) != DOCA_CTX_STATE_IDLE)
			return;
		urom_host_destroy_worker(&victim->host, victim->worker);
	}
	victim->worker = urom_host_worker_of(&victim->host, victim->host.service,
					     FIRST_ID + (uint64_t)rand_r(&victim->random) % NUM_IDS,
					     victim->plugin);
	ctx = doca_urom_worker_as_ctx(victim->worker);
	assert_error(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
}

/* As many as there is room for; what becomes of them is not its concern. */
static void send(struct victim *victim, const struct harm *harm)
{
	const struct urom_command command = {
		.plugin = victim->plugin,
		.op = (enum urom_test_op)harm->op,
		.arg = harm->arg,
		.bytes = "four",
		.len = 4,
	};
	struct doca_urom_worker_cmd_task *task;
	size_t count;

	if (victim->worker == NULL ||
	    urom_host_worker_state(victim->worker) != DOCA_CTX_STATE_RUNNING)
		return;
	assert_success(
	    doca_ctx_get_num_inflight_tasks(doca_urom_worker_as_ctx(victim->worker), &count));
	if (count >= WINDOW)
		return;
	task = urom_host_task(&victim->host, victim->worker, &command);
	if (doca_task_submit(doca_urom_worker_cmd_task_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_urom_worker_cmd_task_as_task(task));
}

/* False: there will be no more. */
static bool take_orders(struct victim *victim)
{
	unsigned char order;

	if (read(STDIN_FILENO, &order, 1) != 1)
		return false;
	send(victim, &harms[order % LEN(harms)]);
	return true;
}

static void run_victim(char **args)
{
	static const struct harm none = { UROM_TEST_ECHO, 0 };
	struct victim victim = { .random = (unsigned int)atoi(args[0]) };
	struct sleeper sleeper;
	bool is_over = false;

	/* What is said of workers that are lost is of no interest. */
	assert_non_null(freopen("/dev/null", "we", stderr));
	urom_host_init_running(&victim.host);
	victim.plugin = urom_host_plugin_named(&victim.host, STORM_PLUGIN);
	sleeper_init(&sleeper, victim.host.pe, VICTIM_MS);
	while (!is_over) {
		turn(&sleeper, &victim.host);
		if (sleeper.is_tick) {
			look_at_worker(&victim);
			send(&victim, &none);
		}
		if (sleeper.is_input)
			is_over = !take_orders(&victim);
	}
	sleeper_fini(&sleeper);
	urom_host_fini(&victim.host);
}

bool storm_hosts_main(int argc, char **argv, int *status)
{
	static const struct {
		const char *name;
		void (*run)(char **args);
	} roles[] = { { "steady", run_steady }, { "victim", run_victim } };

	for (size_t i = 0; argc == 3 && i < LEN(roles); i++) {
		if (strcmp(argv[1], roles[i].name) != 0)
			continue;
		roles[i].run(argv + 2);
		*status = EXIT_SUCCESS;
		return true;
	}
	return false;
}
