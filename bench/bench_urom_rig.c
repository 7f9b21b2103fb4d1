/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench_urom.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>

#include <urom_graph.h>

#include "bench.h"

#define DEVICE "bench0"
#define PCI    "0000:03:00.0"

static char log_line[1024];
static char transport[32];

static void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail(what, doca_error_get_descr(result));
}

static void check_errno(int failed, const char *what)
{
	if (failed)
		bench_fail(what, strerror(errno));
}

/* The library tells in its log what a worker is attached over; nothing else does. */
static void on_log_line(char *line)
{
	static const char mark[] = "is attached over ";
	const char *at = strstr(line, mark);

	if (at != NULL)
		(void)snprintf(transport, sizeof(transport), "%.*s",
			       (int)strcspn(at + sizeof(mark) - 1, "\n"), at + sizeof(mark) - 1);
	if (strstr(line, "[ERR]") != NULL || strstr(line, "[WRN]") != NULL)
		(void)fputs(line, stderr);
}

static void listen_to_log(void)
{
	static struct doca_log_backend *backend;

	if (backend != NULL)
		return;
	check(
	    doca_log_backend_create_with_buf_sdk(log_line, sizeof(log_line), on_log_line, &backend),
	    "log");
	check(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_INFO), "log");
}

/* --- The daemon --- */

static void path_in(const struct urom_rig *rig, const char *name, char *path, size_t size)
{
	(void)snprintf(path, size, "%s/%s", rig->dir, name);
}

__attribute__((noreturn)) static void become_daemon(const struct urom_rig *rig, size_t max_message)
{
	char port_file[128], bytes[24], cookie[128];

	path_in(rig, "port", port_file, sizeof(port_file));
	path_in(rig, "cookie", cookie, sizeof(cookie));
	(void)snprintf(bytes, sizeof(bytes), "%zu", max_message);
	bench_unpin();
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)setenv("UROM_PLUGIN_PATH", BENCH_PLUGINS, 1);
	/* What measures as root has root's workers: memory is shared within a user. */
	execl(BENCH_DAEMON, BENCH_DAEMON, "--listen", "127.0.0.1:0", "--port-file", port_file,
	      "--log-dir", rig->dir, "--cookie", cookie, "-m", bytes, "-l", "40",
	      geteuid() == 0 ? "--worker-user" : (char *)NULL, "root", (char *)NULL);
	bench_fail(BENCH_DAEMON, strerror(errno));
}

/* Has the daemon's program make the secret that both sides have. */
static void make_cookie(const struct urom_rig *rig)
{
	char path[128];
	pid_t pid;
	int status;

	path_in(rig, "cookie", path, sizeof(path));
	pid = fork();
	check_errno(pid < 0, "fork");
	if (pid == 0) {
		execl(BENCH_DAEMON, BENCH_DAEMON, "--make-cookie", path, (char *)NULL);
		bench_fail(BENCH_DAEMON, strerror(errno));
	}
	check_errno(waitpid(pid, &status, 0) != pid || status != 0, path);
	check_errno(setenv("DOCA_UROM_COOKIE", path, 1) != 0, "setenv");
}

/* Reads the daemon's address as soon as its file is there. */
static void wait_for_port(const struct urom_rig *rig, int notify_fd, char *address, size_t size)
{
	char path[128], event[4096];
	FILE *file;

	path_in(rig, "port", path, sizeof(path));
	for (;;) {
		file = fopen(path, "r");
		if (file != NULL && fgets(address, (int)size, file) != NULL &&
		    strchr(address, '\n') != NULL)
			break;
		if (file != NULL)
			(void)fclose(file);
		check_errno(waitpid(rig->daemon_pid, NULL, WNOHANG) != 0, "daemon");
		check_errno(read(notify_fd, event, sizeof(event)) < 0, "inotify");
	}
	(void)fclose(file);
	address[strcspn(address, "\n")] = '\0';
}

static void write_service_file(const struct urom_rig *rig, const char *address)
{
	char path[128];
	FILE *file;

	path_in(rig, "services", path, sizeof(path));
	file = fopen(path, "w");
	check_errno(file == NULL, path);
	(void)fprintf(file, "127.0.0.1 dpu %s " PCI " lo\n", address);
	check_errno(fclose(file) != 0, path);
	check_errno(setenv("DOCA_UROM_SERVICE_FILE", path, 1) != 0, "setenv");
	check_errno(setenv("DOCA_SOFT_DEVICES", DEVICE "@" PCI "@lo", 1) != 0, "setenv");
}

static void start_daemon(struct urom_rig *rig, size_t max_message)
{
	char address[128];
	int notify_fd = inotify_init1(IN_CLOEXEC);

	(void)snprintf(rig->dir, sizeof(rig->dir), "/tmp/bench_urom.XXXXXX");
	check_errno(mkdtemp(rig->dir) == NULL, "mkdtemp");
	check_errno(notify_fd < 0 ||
			inotify_add_watch(notify_fd, rig->dir, IN_CLOSE_WRITE | IN_MOVED_TO) < 0,
		    "inotify");
	make_cookie(rig);
	rig->daemon_pid = fork();
	check_errno(rig->daemon_pid < 0, "fork");
	if (rig->daemon_pid == 0)
		become_daemon(rig, max_message);
	wait_for_port(rig, notify_fd, address, sizeof(address));
	(void)close(notify_fd);
	write_service_file(rig, address);
}

/* What is left behind is in the system's folder for such files. */
static void remove_files(const struct urom_rig *rig)
{
	DIR *dir = opendir(rig->dir);
	const struct dirent *entry;

	check_errno(dir == NULL, rig->dir);
	while ((entry = readdir(dir)) != NULL)
		(void)unlinkat(dirfd(dir), entry->d_name, 0);
	(void)closedir(dir);
	(void)rmdir(rig->dir);
}

/* --- Service and worker --- */

static void open_dev(struct urom_rig *rig)
{
	char name[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_devinfo **list;
	uint32_t count;

	check(doca_devinfo_create_list(&list, &count), "list of devices");
	for (uint32_t i = 0; i < count && rig->dev == NULL; i++) {
		if (doca_devinfo_get_ibdev_name(list[i], name, sizeof(name)) == DOCA_SUCCESS &&
		    strcmp(name, DEVICE) == 0)
			check(doca_dev_open(list[i], &rig->dev), "device");
	}
	check(doca_devinfo_destroy_list(list), "list of devices");
	if (rig->dev == NULL)
		bench_fail("device", DEVICE " is not listed");
}

static void find_plugins(struct urom_rig *rig)
{
	const struct doca_urom_service_plugin_info *plugins;
	size_t count;

	check(doca_urom_service_get_plugins_list(rig->service, &plugins, &count), "plugins");
	for (size_t i = 0; i < count; i++) {
		if (strcmp(plugins[i].plugin_name, "worker_graph") == 0) {
			rig->graph_id = plugins[i].id;
			check(urom_graph_init(plugins[i].id, plugins[i].version), "graph");
		}
		if (strcmp(plugins[i].plugin_name, "bench_echo") == 0)
			rig->echo_id = plugins[i].id;
	}
	if (rig->graph_id == 0 || rig->echo_id == 0)
		bench_fail("plugins", "worker_graph or bench_echo is not offered");
}

static void drive_to(struct urom_rig *rig, struct doca_ctx *ctx, enum doca_ctx_states goal)
{
	enum doca_ctx_states state;

	do {
		(void)doca_pe_progress(rig->pe);
		check(doca_ctx_get_state(ctx, &state), "state");
		if (state == DOCA_CTX_STATE_IDLE && goal != state)
			bench_fail("worker", "it does not start");
	} while (state != goal);
}

static void start_service(struct urom_rig *rig, size_t max_message)
{
	struct doca_ctx *ctx;

	check(doca_pe_create(&rig->pe), "engine");
	check(doca_urom_service_create(&rig->service), "service");
	ctx = doca_urom_service_as_ctx(rig->service);
	check(doca_pe_connect_ctx(rig->pe, ctx), "service");
	check(doca_urom_service_set_dev(rig->service, rig->dev), "service");
	check(doca_urom_service_set_max_comm_msg_size(rig->service, max_message), "service");
	check(doca_ctx_start(ctx), "start of the service");
}

static void choose_processor(struct urom_rig *rig)
{
	doca_cpu_set_t cpuset;
	int core = bench_core(1);

	if (core < 0)
		return;
	DOCA_CPU_ZERO(&cpuset);
	DOCA_CPU_SET(core, &cpuset);
	check(doca_urom_worker_set_cpuset(rig->worker, cpuset), "processor");
}

static void choose_transports(struct urom_rig *rig, const char *transports)
{
	char entry[64];
	char *env[] = { entry };

	if (transports == NULL)
		return;
	(void)snprintf(entry, sizeof(entry), "UCX_TLS=%s", transports);
	check(doca_urom_worker_set_env(rig->worker, env, 1), "environment");
}

static void start_worker(struct urom_rig *rig, const char *transports, uint32_t max_inflight)
{
	struct doca_ctx *ctx;

	check(doca_urom_worker_create(&rig->worker), "worker");
	ctx = doca_urom_worker_as_ctx(rig->worker);
	check(doca_pe_connect_ctx(rig->pe, ctx), "worker");
	check(doca_urom_worker_set_service(rig->worker, rig->service), "worker");
	check(doca_urom_worker_set_plugins(rig->worker, rig->graph_id | rig->echo_id), "worker");
	check(doca_urom_worker_set_max_inflight_tasks(rig->worker, max_inflight), "worker");
	choose_processor(rig);
	choose_transports(rig, transports);
	check(doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED,
	      "start of the worker");
	drive_to(rig, ctx, DOCA_CTX_STATE_RUNNING);
}

void urom_rig_init(struct urom_rig *rig, const char *transports, size_t max_message,
		   uint32_t max_inflight)
{
	struct epoll_event event = { .events = EPOLLIN };

	memset(rig, 0, sizeof(*rig));
	listen_to_log();
	if (transports != NULL)
		check_errno(setenv("UCX_TLS", transports, 1) != 0, "setenv");
	else
		check_errno(unsetenv("UCX_TLS") != 0, "unsetenv");
	start_daemon(rig, max_message);
	open_dev(rig);
	start_service(rig, max_message);
	find_plugins(rig);
	start_worker(rig, transports, max_inflight);
	rig->transport = transport;
	check(doca_pe_get_notification_handle(rig->pe, &rig->handle), "handle");
	rig->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	check_errno(rig->epoll_fd < 0 ||
			epoll_ctl(rig->epoll_fd, EPOLL_CTL_ADD, rig->handle, &event) != 0,
		    "epoll");
}

void urom_rig_fini(struct urom_rig *rig)
{
	struct doca_ctx *ctx = doca_urom_worker_as_ctx(rig->worker);

	check(doca_ctx_stop(ctx) == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : DOCA_ERROR_UNEXPECTED,
	      "stop of the worker");
	drive_to(rig, ctx, DOCA_CTX_STATE_IDLE);
	check(doca_urom_worker_destroy(rig->worker), "worker");
	check(doca_ctx_stop(doca_urom_service_as_ctx(rig->service)), "stop of the service");
	check(doca_urom_service_destroy(rig->service), "service");
	check(doca_pe_destroy(rig->pe), "engine");
	check(doca_dev_close(rig->dev), "device");
	(void)close(rig->epoll_fd);
	(void)kill(rig->daemon_pid, SIGTERM);
	(void)waitpid(rig->daemon_pid, NULL, 0);
	remove_files(rig);
}

void urom_rig_poll(struct urom_rig *rig, const uint64_t *count, uint64_t goal)
{
	while (*count < goal)
		(void)doca_pe_progress(rig->pe);
}

void urom_rig_sleep(struct urom_rig *rig, const uint64_t *count, uint64_t goal)
{
	struct epoll_event event;

	while (*count < goal) {
		check(doca_pe_request_notification(rig->pe), "arming");
		while (epoll_wait(rig->epoll_fd, &event, 1, -1) < 0)
			check_errno(errno != EINTR, "epoll_wait");
		check(doca_pe_clear_notification(rig->pe, rig->handle), "clearing");
		while (doca_pe_progress(rig->pe) != 0)
			;
	}
}
