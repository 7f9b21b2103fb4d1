/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The service is on the main thread's engine, each worker on one of its own thread. Workers start
 * and end with the help of the service, so the main thread drives its engine until the last worker
 * has ended; whatever happens in between, it ends no thread but by asking.
 *
 * Nobody polls. A thread sleeps on its engine and on stop_fd, which is readable for all of them
 * once they are to end. The main thread sleeps on its engine, on signals, and on news_fd, which
 * says that a thread has changed what the lock protects.
 */
#include "urom_multi_workers_bootstrap_sample.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <doca_ctx.h>
#include <doca_log.h>

#include "common.h"
#include "urom_graph.h"

DOCA_LOG_REGISTER(SAMPLE::UROM_MULTI_WORKERS_BOOTSTRAP);

#define PLUGIN_NAME  "worker_graph"
#define NUM_WORKERS  4 /* a power of two, for the service */
#define NUM_GROUPS   2 /* even ids in one, odd ids in the other */
#define MAX_INFLIGHT 4
#define FIRST_DATA   1000u
#define GROUP_CHARS  256

struct bootstrap;

/* Its thread's, but for what it finds in the bootstrap. */
struct worker {
	struct bootstrap *bootstrap;
	pthread_t thread;
	uint64_t id;
	int processor;
	struct doca_pe *pe;
	struct doca_urom_worker *ctx;
	bool is_answered; /* the loopback; what came is: */
	doca_error_t answer;
	uint64_t data;
};

struct group {
	uint32_t gid;
	bool is_known; /* the question for its workers has ended; so: */
	doca_error_t result;
};

/* How far the threads are. */
struct news {
	unsigned int num_ready; /* the loopback was right */
	unsigned int num_ended;
	doca_error_t result; /* the first error */
};

struct bootstrap {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_urom_service *service;
	uint64_t plugin_id;
	struct worker workers[NUM_WORKERS];
	unsigned int num_threads;
	struct group groups[NUM_GROUPS];
	int signal_fd;
	int stop_fd;
	int news_fd;
	bool is_interrupted;
	pthread_mutex_t lock;
	struct news news; /* under the lock */
};

/* ---- a worker's thread ---- */

/* An eventfd takes a 1 always, unless it has had 2^64 of them. */
static void raise_event(int fd)
{
	(void)eventfd_write(fd, 1);
}

/* count: of the news. */
static void tell(struct bootstrap *bootstrap, doca_error_t result, unsigned int *count)
{
	pthread_mutex_lock(&bootstrap->lock);
	++*count;
	DOCA_ERROR_PROPAGATE(bootstrap->news.result, result);
	pthread_mutex_unlock(&bootstrap->lock);
	raise_event(bootstrap->news_fd);
}

/* Errors: SHUTDOWN: all workers are to end. */
static doca_error_t wait_unless_stopped(struct worker *worker)
{
	struct pollfd fds[2] = { [1] = { .fd = worker->bootstrap->stop_fd, .events = POLLIN } };
	doca_error_t result;

	result = sample_check("wait", urom_common_wait(worker->pe, fds, 2));
	return result == DOCA_SUCCESS && fds[1].revents != 0 ? DOCA_ERROR_SHUTDOWN : result;
}

static doca_error_t open_worker(struct worker *worker)
{
	struct urom_common_worker_cfg cfg = {
		.service = worker->bootstrap->service,
		.id = worker->id,
		.gid = (uint32_t)(worker->id % NUM_GROUPS),
		.plugins = worker->bootstrap->plugin_id,
		.max_inflight = MAX_INFLIGHT,
	};
	doca_error_t result;

	DOCA_CPU_SET(worker->processor, &cfg.cpuset);
	result = sample_check("make an engine", doca_pe_create(&worker->pe));
	if (result == DOCA_SUCCESS)
		result = urom_common_worker_start(worker->pe, &cfg, &worker->ctx);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_INFO("worker %" PRIu64 " is running on processor %d", worker->id,
			      worker->processor);
	return result;
}

static void on_looped_back(doca_error_t result, union doca_data cookie, uint64_t data)
{
	struct worker *worker = cookie.ptr;

	worker->answer = result;
	worker->data = data;
	worker->is_answered = true;
}

static doca_error_t loop_back(struct worker *worker)
{
	const uint64_t data = FIRST_DATA + worker->id;
	doca_error_t result;

	result =
	    sample_check("submit a loopback",
			 urom_graph_task_loopback(worker->ctx, (union doca_data){ .ptr = worker },
						  data, on_looped_back));
	while (result == DOCA_SUCCESS && !worker->is_answered)
		result = wait_unless_stopped(worker);
	if (result != DOCA_SUCCESS)
		return result;
	if (worker->answer != DOCA_SUCCESS || worker->data != data) {
		DOCA_LOG_ERR("worker %" PRIu64 ": loopback of %" PRIu64 " gave %" PRIu64 ": %s",
			     worker->id, data, worker->data, doca_error_get_descr(worker->answer));
		return worker->answer != DOCA_SUCCESS ? worker->answer : DOCA_ERROR_UNEXPECTED;
	}
	DOCA_LOG_INFO("worker %" PRIu64 " received loopback data %" PRIu64, worker->id,
		      worker->data);
	return DOCA_SUCCESS;
}

/* A worker whose process dies ends by itself; that is an error here. */
static doca_error_t wait_for_stop(struct worker *worker)
{
	enum doca_ctx_states state;
	doca_error_t result;

	do {
		result = doca_ctx_get_state(doca_urom_worker_as_ctx(worker->ctx), &state);
		if (result == DOCA_SUCCESS && state != DOCA_CTX_STATE_RUNNING) {
			DOCA_LOG_ERR("worker %" PRIu64 " has gone", worker->id);
			return DOCA_ERROR_CONNECTION_RESET;
		}
		result = wait_unless_stopped(worker);
	} while (result == DOCA_SUCCESS);
	return result == DOCA_ERROR_SHUTDOWN ? DOCA_SUCCESS : result;
}

static doca_error_t close_worker(struct worker *worker)
{
	doca_error_t result;

	result = urom_common_worker_end(worker->pe, worker->ctx);
	if (result == DOCA_SUCCESS && worker->pe != NULL)
		result = sample_check("free the engine", doca_pe_destroy(worker->pe));
	return result;
}

static void *run_worker(void *arg)
{
	struct worker *worker = arg;
	struct bootstrap *bootstrap = worker->bootstrap;
	doca_error_t result, closed;

	result = open_worker(worker);
	if (result == DOCA_SUCCESS)
		result = loop_back(worker);
	if (result == DOCA_SUCCESS) {
		tell(bootstrap, DOCA_SUCCESS, &bootstrap->news.num_ready);
		result = wait_for_stop(worker);
	}
	closed = close_worker(worker);
	DOCA_ERROR_PROPAGATE(result, closed);
	tell(bootstrap, result, &bootstrap->news.num_ended);
	return NULL;
}

/* ---- the main thread ---- */

static struct news get_news(struct bootstrap *bootstrap)
{
	struct news news;

	pthread_mutex_lock(&bootstrap->lock);
	news = bootstrap->news;
	pthread_mutex_unlock(&bootstrap->lock);
	return news;
}

/* Drives the service once, asleep until there is a reason to. */
static doca_error_t drive(struct bootstrap *bootstrap)
{
	struct pollfd fds[3] = { [1] = { .fd = bootstrap->signal_fd, .events = POLLIN },
				 [2] = { .fd = bootstrap->news_fd, .events = POLLIN } };
	struct signalfd_siginfo signal;
	eventfd_t count;
	doca_error_t result;

	result = sample_check("wait", urom_common_wait(bootstrap->pe, fds, 3));
	if (fds[1].revents != 0 && read(bootstrap->signal_fd, &signal, sizeof(signal)) > 0)
		bootstrap->is_interrupted = true;
	if (fds[2].revents != 0)
		(void)eventfd_read(bootstrap->news_fd, &count); /* the news say more */
	return result;
}

/* Errors: SHUTDOWN: interrupted. Others: what a thread has met with. */
static doca_error_t drive_unless_over(struct bootstrap *bootstrap)
{
	doca_error_t result = drive(bootstrap);

	DOCA_ERROR_PROPAGATE(result, get_news(bootstrap).result);
	if (result == DOCA_SUCCESS && bootstrap->is_interrupted)
		return DOCA_ERROR_SHUTDOWN;
	return result;
}

static doca_error_t wait_for_workers(struct bootstrap *bootstrap)
{
	doca_error_t result = DOCA_SUCCESS;

	while (result == DOCA_SUCCESS && get_news(bootstrap).num_ready < NUM_WORKERS)
		result = drive_unless_over(bootstrap);
	return result;
}

static bool has_id(const uint64_t *ids, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

/* Others may have workers of that group too; ours must be there. */
static doca_error_t check_group(uint32_t gid, const uint64_t *ids, size_t count)
{
	char text[GROUP_CHARS] = "";
	size_t len = 0;

	for (size_t i = 0; i < count && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %" PRIu64, ids[i]);
	DOCA_LOG_INFO("group %u has workers%s", gid, text);
	for (uint64_t id = gid; id < NUM_WORKERS; id += NUM_GROUPS) {
		if (!has_id(ids, count, id)) {
			DOCA_LOG_ERR("worker %" PRIu64 " is not in group %u", id, gid);
			return DOCA_ERROR_UNEXPECTED;
		}
	}
	return DOCA_SUCCESS;
}

static void on_group(struct doca_urom_service_get_workers_by_gid_task *task,
		     union doca_data task_user_data, union doca_data ctx_user_data)
{
	struct group *group = task_user_data.ptr;

	(void)ctx_user_data;
	group->is_known = true;
	group->result = sample_check(
	    "ask for a group",
	    doca_task_get_status(doca_urom_service_get_workers_by_gid_task_as_task(task)));
	if (group->result == DOCA_SUCCESS)
		group->result = check_group(
		    group->gid, doca_urom_service_get_workers_by_gid_task_get_worker_ids(task),
		    doca_urom_service_get_workers_by_gid_task_get_workers_count(task));
	(void)doca_urom_service_get_workers_by_gid_task_release(task);
}

static doca_error_t ask_for_group(struct bootstrap *bootstrap, struct group *group)
{
	struct doca_urom_service_get_workers_by_gid_task *group_task;
	struct doca_task *task;
	doca_error_t result;

	result = doca_urom_service_get_workers_by_gid_task_allocate_init(
	    bootstrap->service, group->gid, on_group, &group_task);
	if (result != DOCA_SUCCESS)
		return sample_check("take a task", result);
	task = doca_urom_service_get_workers_by_gid_task_as_task(group_task);
	doca_task_set_user_data(task, (union doca_data){ .ptr = group });
	result = sample_check("submit a task", doca_task_submit(task));
	if (result != DOCA_SUCCESS)
		(void)doca_urom_service_get_workers_by_gid_task_release(group_task);
	return result;
}

static doca_error_t show_groups(struct bootstrap *bootstrap)
{
	doca_error_t result = DOCA_SUCCESS;

	for (uint32_t gid = 0; gid < NUM_GROUPS && result == DOCA_SUCCESS; gid++) {
		struct group *group = &bootstrap->groups[gid];

		group->gid = gid;
		result = ask_for_group(bootstrap, group);
		while (result == DOCA_SUCCESS && !group->is_known)
			result = drive_unless_over(bootstrap);
		DOCA_ERROR_PROPAGATE(result, group->result);
	}
	return result;
}

static doca_error_t wait_for_interrupt(struct bootstrap *bootstrap)
{
	doca_error_t result;

	DOCA_LOG_INFO("all %d workers are up; Ctrl-C ends them", NUM_WORKERS);
	do {
		result = drive_unless_over(bootstrap);
	} while (result == DOCA_SUCCESS);
	return result == DOCA_ERROR_SHUTDOWN && bootstrap->is_interrupted ? DOCA_SUCCESS : result;
}

/* Each worker gets the processor of its number in the set that the service offers. */
static doca_error_t choose_processors(struct bootstrap *bootstrap)
{
	unsigned int num_chosen = 0;
	doca_cpu_set_t cpuset;
	doca_error_t result;

	result = sample_check("get the processors",
			      doca_urom_service_get_cpuset(bootstrap->service, &cpuset));
	if (result != DOCA_SUCCESS)
		return result;
	for (int i = 0; i < UCS_CPU_SETSIZE && num_chosen < NUM_WORKERS; i++) {
		if (doca_cpu_is_set(i, &cpuset))
			bootstrap->workers[num_chosen++].processor = i;
	}
	if (num_chosen < NUM_WORKERS) {
		DOCA_LOG_ERR("the service offers %u processors, %d are needed: start its daemon "
			     "with --cpuset 0-7, which may be more than there are",
			     num_chosen, NUM_WORKERS);
		return DOCA_ERROR_BAD_CONFIG;
	}
	return DOCA_SUCCESS;
}

static doca_error_t open_service(struct bootstrap *bootstrap, const struct bootstrap_cfg *cfg)
{
	const struct doca_urom_service_plugin_info *plugin;
	doca_error_t result;

	result = sample_open_device(cfg->common.device_name, &bootstrap->dev);
	if (result == DOCA_SUCCESS)
		result = sample_check("make an engine", doca_pe_create(&bootstrap->pe));
	if (result == DOCA_SUCCESS)
		result = urom_common_service_start(bootstrap->pe, bootstrap->dev, NUM_WORKERS,
						   &bootstrap->service);
	if (result == DOCA_SUCCESS)
		result = urom_common_find_plugin(bootstrap->service, PLUGIN_NAME, &plugin);
	if (result != DOCA_SUCCESS)
		return result;
	bootstrap->plugin_id = plugin->id;
	result = sample_check("use the plugin", urom_graph_init(plugin->id, plugin->version));
	if (result == DOCA_SUCCESS)
		result = choose_processors(bootstrap);
	return result;
}

/* Before any thread is there, so that signals are blocked in all of them. */
static doca_error_t open_events(struct bootstrap *bootstrap)
{
	sigset_t signals;

	/* A shell starts background jobs with SIGINT ignored, and then it would never come. */
	(void)signal(SIGINT, SIG_DFL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	bootstrap->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	bootstrap->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bootstrap->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (bootstrap->signal_fd < 0 || bootstrap->stop_fd < 0 || bootstrap->news_fd < 0)
		return sample_check("make descriptors", DOCA_ERROR_OPERATING_SYSTEM);
	return DOCA_SUCCESS;
}

static doca_error_t start_threads(struct bootstrap *bootstrap)
{
	for (unsigned int i = 0; i < NUM_WORKERS; i++) {
		struct worker *worker = &bootstrap->workers[i];

		worker->bootstrap = bootstrap;
		worker->id = i;
		if (pthread_create(&worker->thread, NULL, run_worker, worker) != 0)
			return sample_check("start a thread", DOCA_ERROR_OPERATING_SYSTEM);
		bootstrap->num_threads++;
	}
	return DOCA_SUCCESS;
}

static doca_error_t run(struct bootstrap *bootstrap, const struct bootstrap_cfg *cfg)
{
	doca_error_t result;

	result = open_events(bootstrap);
	if (result == DOCA_SUCCESS)
		result = open_service(bootstrap, cfg);
	if (result == DOCA_SUCCESS)
		result = start_threads(bootstrap);
	if (result == DOCA_SUCCESS)
		result = wait_for_workers(bootstrap);
	if (result == DOCA_SUCCESS)
		result = show_groups(bootstrap);
	if (result == DOCA_SUCCESS && !cfg->once)
		result = wait_for_interrupt(bootstrap);
	return result;
}

/* The workers still need the service for their end, so it is driven until all of them have. */
static doca_error_t end_threads(struct bootstrap *bootstrap)
{
	raise_event(bootstrap->stop_fd);
	while (get_news(bootstrap).num_ended < bootstrap->num_threads)
		(void)drive(bootstrap);
	for (unsigned int i = 0; i < bootstrap->num_threads; i++)
		pthread_join(bootstrap->workers[i].thread, NULL);
	return bootstrap->news.result;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Whatever there is of it. What cannot be ended keeps what it stands on. */
static doca_error_t end(struct bootstrap *bootstrap)
{
	doca_error_t result, threads_result = end_threads(bootstrap);

	result = urom_common_service_end(bootstrap->pe, bootstrap->service);
	if (result == DOCA_SUCCESS && bootstrap->pe != NULL)
		result = sample_check("free the engine", doca_pe_destroy(bootstrap->pe));
	if (result == DOCA_SUCCESS && bootstrap->dev != NULL)
		result = sample_check("close the device", doca_dev_close(bootstrap->dev));
	close_fd(bootstrap->signal_fd);
	close_fd(bootstrap->stop_fd);
	close_fd(bootstrap->news_fd);
	return threads_result != DOCA_SUCCESS ? threads_result : result;
}

doca_error_t bootstrap_run(const struct bootstrap_cfg *cfg)
{
	struct bootstrap bootstrap = {
		.signal_fd = -1,
		.stop_fd = -1,
		.news_fd = -1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	doca_error_t result, ended;

	result = run(&bootstrap, cfg);
	if (result == DOCA_ERROR_SHUTDOWN)
		DOCA_LOG_WARN("interrupted before all was done");
	ended = end(&bootstrap);
	DOCA_ERROR_PROPAGATE(result, ended);
	return result;
}
