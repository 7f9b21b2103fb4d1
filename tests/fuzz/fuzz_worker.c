/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A worker between a daemon, hosts and a plugin, none of whom keeps to anything. Whatever they say
 * and answer, its books stay in order and what it says can be read.
 */

#include <dlfcn.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake_chan.h"
#include "urom/worker/attach.h"
#include "urom/worker/files.h"
#include "urom/worker/link.h"
#include "urom/worker/notify.h"
#include "urom/worker/worker.h"

#define MAX_STEPS   200
#define MAX_MESSAGE 4096
#define MAX_READ    64
#define MAX_KEPT    32
#define PLUGIN      4u
#define FAR_FUTURE  (UINT64_MAX / 2)
#define MAX_FILES   1024

/* What is written behind the room that a plugin has, to see whether it stays. */
#define GUARD 0xa5

static struct uromw_worker worker;
static struct fake_chan channel;
static struct chan_stream daemon_end;
static bool has_begun, has_failed;
static uint64_t num_files_left; /* descriptors that the process can still open */

/* --- The plugin --- */

/* How it takes commands. */
enum habit {
	TAKES,
	TAKES_NONE,
	REFUSES,
	TAKES_AND_REFUSES,
	NUM_HABITS,
};

/* How it packs notifications. */
enum packing {
	PACKS,
	PACKS_SHORT,
	PACKS_LONG,
	FAILS_TO_PACK,
	NUM_PACKINGS,
};

static struct {
	enum habit habit;
	enum packing packing;
	doca_error_t progress_result;
	doca_error_t addr_result;
	size_t addr_len;   /* that it announces */
	size_t addr_later; /* that it gives then */
	uint8_t missing;   /* bits: functions that it does not have */
	struct {
		uint64_t host;
		uint64_t context;
	} kept[MAX_KEPT]; /* the commands that it took */
	size_t num_kept;
	struct urom_worker_notif_desc *next; /* owned; the notification for the next progress */
} plugin;

static doca_error_t plugin_open(struct urom_worker_ctx *ctx)
{
	(void)ctx;
	return (plugin.missing & 0x10) != 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

static void plugin_close(struct urom_worker_ctx *ctx)
{
	(void)ctx;
}

static doca_error_t plugin_addr(struct urom_worker_ctx *ctx, void *addr, size_t *len)
{
	(void)ctx;
	if (addr == NULL) {
		*len = plugin.addr_len;
		return plugin.addr_result;
	}
	CHECK(*len == plugin.addr_len);
	memset(addr, GUARD, *len);
	*len = plugin.addr_later;
	return (plugin.missing & 0x20) != 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

static void take(ucs_list_link_t *commands)
{
	struct urom_worker_cmd_desc *desc, *next;

	ucs_list_for_each_safe (desc, next, commands, entry) {
		const struct urom_worker_cmd *command = &desc->worker_cmd;

		CHECK(command->type == PLUGIN && command->len <= MAX_MESSAGE);
		if (plugin.num_kept < MAX_KEPT) {
			plugin.kept[plugin.num_kept].host = desc->dest_id;
			plugin.kept[plugin.num_kept++].context = command->urom_context;
		}
		ucs_list_del(&desc->entry);
		free(desc);
	}
}

static doca_error_t plugin_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *commands)
{
	(void)ctx;
	if (plugin.habit == TAKES || plugin.habit == TAKES_AND_REFUSES)
		take(commands);
	if (plugin.habit == REFUSES || plugin.habit == TAKES_AND_REFUSES)
		return DOCA_ERROR_BAD_STATE;
	return DOCA_SUCCESS;
}

static doca_error_t plugin_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *list)
{
	(void)ctx;
	if (plugin.next != NULL)
		ucs_list_add_tail(list, &plugin.next->entry);
	plugin.next = NULL;
	return plugin.progress_result;
}

static doca_error_t plugin_notif_pack(struct urom_worker_notify *notification, size_t *len,
				      void *packed)
{
	const size_t size = sizeof(*notification) + (size_t)notification->len;

	CHECK(size <= *len && *len <= MAX_MESSAGE);
	memcpy(packed, notification, size);
	if (plugin.packing == PACKS_LONG)
		*len = *len + 1;
	else
		*len = plugin.packing == PACKS_SHORT ? sizeof(*notification) - 1 : size;
	return plugin.packing == FAILS_TO_PACK ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

static doca_error_t plugin_get_iface(struct urom_plugin_iface *iface)
{
	*iface = (struct urom_plugin_iface){
		.open = plugin_open,
		.close = plugin_close,
		.addr = (plugin.missing & 1) != 0 ? NULL : plugin_addr,
		.worker_cmd = plugin_worker_cmd,
		.progress = (plugin.missing & 2) != 0 ? NULL : plugin_progress,
		.notif_pack = plugin_notif_pack,
	};
	return (plugin.missing & 4) != 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

static doca_error_t plugin_get_version(uint64_t *version)
{
	*version = 1;
	return (plugin.missing & 8) != 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/* The sanitizers ask for symbols, too, and before they can look at anything. */
#define UNWATCHED __attribute__((no_sanitize("address", "coverage", "undefined")))

__typeof__(dlopen) __real_dlopen;
__typeof__(dlsym) __real_dlsym;
__typeof__(dlopen) __wrap_dlopen;
__typeof__(dlsym) __wrap_dlsym;
__typeof__(poll) __wrap_poll;

static const char plugin_path[] = "/there/worker_fuzzed.so";

UNWATCHED void *__wrap_dlopen(const char *path, int flags)
{
	return path == plugin_path ? (void *)&plugin : __real_dlopen(path, flags);
}

static void *find_symbol(const char *name)
{
	union {
		doca_error_t (*iface)(struct urom_plugin_iface *);
		doca_error_t (*version)(uint64_t *);
		void *symbol;
	} found = { .symbol = NULL };

	if (strcmp(name, "urom_plugin_get_iface") == 0)
		found.iface = plugin_get_iface;
	else if (strcmp(name, "urom_plugin_get_version") == 0)
		found.version = plugin_get_version;
	return found.symbol;
}

UNWATCHED void *__wrap_dlsym(void *library, const char *name)
{
	return library == &plugin ? find_symbol(name) : __real_dlsym(library, name);
}

/* Whoever is not heard by now will not be. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	(void)fds;
	(void)count;
	(void)timeout_ms;
	return 0;
}

__typeof__(uromw_files_count) __wrap_uromw_files_count;

void __wrap_uromw_files_count(struct uromw_files *files)
{
	*files = (struct uromw_files){ .max = MAX_FILES, .left = num_files_left };
}

/* --- Steps --- */

static void begin(void)
{
	struct uromw_failure failure = { .error = DOCA_SUCCESS };
	doca_error_t result = uromw_link_open(&worker, &failure);

	if (result == DOCA_SUCCESS)
		result = uromw_plugin_open(&worker.plugins[0], plugin_path, PLUGIN, &failure);
	if (result == DOCA_SUCCESS) {
		worker.num_plugins = 1;
		worker.plugin_of_bit[__builtin_ctz(PLUGIN)] = &worker.plugins[0];
		result = uromw_link_ready(&worker, &failure);
	}
	CHECK((result == DOCA_SUCCESS) == (failure.error == DOCA_SUCCESS));
	has_begun = result == DOCA_SUCCESS;
	has_failed = !has_begun;
	if (has_failed)
		uromw_link_fail(&worker, &failure);
}

static void do_daemon_frame(const struct script_step *step)
{
	size_t len;
	uint8_t *frame = script_frame(step, &len);

	if (daemon_end.is_open)
		(void)send(daemon_end.fd, frame, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(frame);
}

static void do_daemon_bytes(const struct script_step *step)
{
	if (daemon_end.is_open)
		(void)send(daemon_end.fd, step->bytes, step->len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void do_daemon_hang_up(const struct script_step *step)
{
	(void)step;
	chan_stream_fini(&daemon_end);
}

static void do_daemon_read(const struct script_step *step)
{
	struct chan_message message;

	(void)step;
	for (unsigned int i = 0; i < MAX_READ && daemon_end.is_open; i++) {
		if (chan_stream_receive(&daemon_end, &message) != DOCA_SUCCESS)
			return;
		CHECK(wire_message_find(message.type) != NULL);
		fake_check_sent(wire_message_find(message.type), message.body, message.len);
	}
}

static void do_begin(const struct script_step *step)
{
	(void)step;
	if (!has_begun && !has_failed)
		begin();
}

static void do_accept(const struct script_step *step)
{
	if (has_begun)
		fake_chan_accept(&channel, step->who);
}

static void do_host_says(const struct script_step *step)
{
	if (has_begun)
		fake_chan_say(&channel, step->who, step);
}

static void do_host_goes(const struct script_step *step)
{
	if (has_begun)
		fake_chan_lose(&channel, step->who, DOCA_ERROR_CONNECTION_RESET);
}

/* who: how it takes commands; type: how it packs; flags: what progress gives. */
static void do_plugin_is(const struct script_step *step)
{
	plugin.habit = step->who % NUM_HABITS;
	plugin.packing = step->type % NUM_PACKINGS;
	plugin.progress_result = step->flags;
}

/* type: functions that are missing; flags: what addr gives; bytes: two lengths of 3 bytes. */
static void do_plugin_has(const struct script_step *step)
{
	size_t lens[2] = { 0, 0 };

	for (size_t i = 0; i < 6 && i < step->len; i++)
		lens[i / 3] |= (size_t)step->bytes[i] << (8 * (i % 3));
	plugin.missing = step->type;
	plugin.addr_result = step->flags;
	plugin.addr_len = lens[0];
	plugin.addr_later = lens[1];
}

/* A notification; who: for which command; type: its status; flags: what of it is not true. */
static void do_plugin_notifies(const struct script_step *step)
{
	struct urom_worker_notif_desc *desc;
	struct urom_worker_notify *notification;

	if (!has_begun)
		return;
	desc = calloc(1, sizeof(*desc) + step->len);
	CHECK(desc != NULL);
	notification = &desc->worker_notif;
	*notification = (struct urom_worker_notify){ .len = step->len, .status = step->type };
	memcpy(notification->plugin_notif, step->bytes, step->len);
	if (plugin.num_kept > 0) {
		const size_t which = step->who % plugin.num_kept;

		desc->dest_id = plugin.kept[which].host;
		notification->urom_context = plugin.kept[which].context;
	}
	if ((step->flags & 1) != 0)
		notification->urom_context ^= UINT64_C(1) << (step->who % 64);
	if ((step->flags & 2) != 0)
		desc->dest_id ^= 1;
	if ((step->flags & 4) != 0)
		notification->len = MAX_MESSAGE + UINT64_C(1);
	plugin.next = desc;
	(void)uromw_notify_collect(&worker, &worker.plugins[0]);
}

static void do_elapse(const struct script_step *step)
{
	(void)step;
	(void)uromw_conns_expire(&worker.conns, FAR_FUTURE);
}

static void do_break_channel(const struct script_step *step)
{
	channel.is_broken = (step->flags & 1) != 0;
	channel.is_full = (step->flags & 4) != 0;
	channel.is_lost = (step->flags & 2) != 0;
}

static void do_leave_files(const struct script_step *step)
{
	num_files_left = step->who;
}

static void (*const steps[])(const struct script_step *step) = {
	do_daemon_frame,    do_daemon_bytes, do_daemon_hang_up, do_daemon_read, do_begin,
	do_accept,          do_host_says,    do_host_goes,      do_plugin_is,   do_plugin_has,
	do_plugin_notifies, do_elapse,       do_break_channel,  do_leave_files,
};

/* --- Its books --- */

static void check_conns(void)
{
	const struct uromw_host *host;
	const struct uromw_conn *conn;
	unsigned int num_hosts = 0, num_outstanding = 0, num_waiting = 0, num_guests = 0;

	LIST_FOREACH(host, &worker.conns.hosts, entry)
	{
		CHECK(host->conn == NULL || host->conn->host == host);
		CHECK(host->conn != NULL || host->num_outstanding == 0);
		num_outstanding += host->num_outstanding;
		num_hosts++;
	}
	LIST_FOREACH(conn, &worker.conns.waiting, entry)
	{
		CHECK(conn->state != UROMW_CONN_ATTACHED && conn->chan_conn->user == conn);
		num_guests += conn->state != UROMW_CONN_DETACHED;
		num_waiting++;
	}
	CHECK(num_hosts == worker.conns.num_hosts && num_waiting == worker.conns.num_waiting);
	CHECK(num_guests == worker.conns.num_guests);
	CHECK(num_outstanding == worker.outstanding.count);
	CHECK(!has_begun || worker.plugins[0].num_outstanding == num_outstanding);
}

static void make(void)
{
	int fds[2];

	memset(&worker, 0, sizeof(worker));
	memset(&plugin, 0, sizeof(plugin));
	has_begun = false;
	has_failed = false;
	num_files_left = MAX_FILES;
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	chan_stream_init(&daemon_end, fds[1]);
	worker.options.control_fd = fds[0];
	worker.options.max_message = MAX_MESSAGE;
	CHECK(uromw_room_init(&worker.packed, MAX_MESSAGE) == DOCA_SUCCESS);
	fake_chan_init(&channel, &uromw_attach_handler, &worker, UROMW_MAX_GUEST_BODY);
	channel.max_payload = MAX_MESSAGE - sizeof(struct urom_worker_notify);
	worker.chan = &channel.base;
}

static void drop(void)
{
	if (!has_begun && !has_failed)
		begin(); /* which takes the descriptor */
	fake_chan_fini(&channel);
	if (worker.plugins[0].is_open)
		uromw_plugin_close(&worker.plugins[0]);
	uromw_conns_fini(&worker.conns);
	uromw_outstanding_fini(&worker.outstanding);
	uromw_room_fini(&worker.packed);
	uromw_link_close(&worker);
	chan_stream_fini(&daemon_end);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	script_watch_log();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct script_step step;

	make();
	for (size_t i = 0; i < MAX_STEPS && script_next(&input, &size, &step); i++) {
		steps[script_what(&step, CORE_ARRAY_LEN(steps))](&step);
		if (has_begun && !script_is_at_once(&step))
			uromw_link_progress(&worker);
		check_conns();
		if (worker.is_ending)
			break;
	}
	drop();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return script_mutate(&script_steps, data, size, max_size, seed);
}
