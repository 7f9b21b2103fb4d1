/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker_play.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_urom_plugin.h>

DOCA_LOG_REGISTER(WORKER_PLAY);

#define EXPORT     __attribute__((visibility("default")))
#define NS_A_S     UINT64_C(1000000000)
#define NS_A_MS    UINT64_C(1000000)
#define MAX_OPENED 1024

EXPORT doca_error_t urom_plugin_get_version(uint64_t *version);
EXPORT doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
#ifdef PLAY_HAS_EVENT
EXPORT doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd);
EXPORT doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx);
#endif

/* An answer that waits. */
struct answer {
	ucs_list_link_t entry;
	uint64_t due_ns;
	struct urom_worker_notif_desc *desc;
};

struct play {
	struct urom_worker_ctx *ctx; /* that open was called with */
	ucs_list_link_t ready;       /* of struct urom_worker_notif_desc */
	ucs_list_link_t held;        /* of struct answer */
	ucs_list_link_t later;       /* the same */
	doca_error_t progress_result;
	uint64_t num_progress;
	uint32_t pack_len;        /* what notif_pack says next; 0: the truth */
	doca_error_t pack_result; /* what notif_pack gives next */
	int timer_fd;
};

/* notif_pack has no context. */
static struct play *the_play;

static char own_name[64];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_A_S + (uint64_t)now.tv_nsec;
}

static void demand(bool is_so, const char *what)
{
	if (is_so)
		return;
	(void)fprintf(stderr, "%s: %s\n", own_name, what);
	abort();
}

/* Does the variable name this plugin? */
static bool is_meant(const char *variable)
{
	const char *name = getenv(variable);

	return name != NULL && strcmp(name, own_name) == 0;
}

static void trace(const char *call)
{
	const char *path = getenv("PLAY_TRACE");
	char line[128];
	int fd, len;

	if (path == NULL)
		return;
	len = snprintf(line, sizeof(line), "%s: %s\n", own_name, call);
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	demand(fd >= 0 && write(fd, line, (size_t)len) == len, "the trace cannot be written");
	close(fd);
}

__attribute__((constructor)) static void on_load(void)
{
	static char anchor;
	Dl_info info;
	const char *slash;

	if (dladdr(&anchor, &info) == 0)
		return;
	slash = strrchr(info.dli_fname, '/');
	(void)snprintf(own_name, sizeof(own_name), "%s",
		       slash != NULL ? slash + 1 : info.dli_fname);
	own_name[strcspn(own_name, ".")] = '\0';
	if (is_meant("PLAY_DIES"))
		(void)raise(SIGKILL);
}

/* --- Answers --- */

static struct urom_worker_notif_desc *make_notif(const struct urom_worker_cmd_desc *cmd,
						 doca_error_t status, const void *bytes, size_t len)
{
	struct urom_worker_notif_desc *desc = calloc(1, sizeof(*desc) + len);

	demand(desc != NULL, "no memory");
	desc->dest_id = cmd->dest_id;
	desc->worker_notif.type = cmd->worker_cmd.type;
	desc->worker_notif.urom_context = cmd->worker_cmd.urom_context;
	desc->worker_notif.len = len;
	desc->worker_notif.status = status;
	if (len > 0)
		memcpy(desc->worker_notif.plugin_notif, bytes, len);
	return desc;
}

static void answer(struct play *play, const struct urom_worker_cmd_desc *cmd, const void *bytes,
		   size_t len)
{
	ucs_list_add_tail(&play->ready, &make_notif(cmd, DOCA_SUCCESS, bytes, len)->entry);
}

static const struct play_cmd *cmd_of(const struct urom_worker_cmd_desc *cmd)
{
	return (const void *)cmd->worker_cmd.plugin_cmd;
}

static const void *bytes_of(const struct urom_worker_cmd_desc *cmd)
{
	return cmd->worker_cmd.plugin_cmd + sizeof(struct play_cmd);
}

static size_t len_of(const struct urom_worker_cmd_desc *cmd)
{
	return cmd->worker_cmd.len - sizeof(struct play_cmd);
}

static struct urom_worker_notif_desc *make_echo(const struct urom_worker_cmd_desc *cmd)
{
	return make_notif(cmd, DOCA_SUCCESS, bytes_of(cmd), len_of(cmd));
}

static void wait_with(ucs_list_link_t *list, const struct urom_worker_cmd_desc *cmd,
		      uint64_t due_ns)
{
	struct answer *later = calloc(1, sizeof(*later));

	demand(later != NULL, "no memory");
	later->due_ns = due_ns;
	later->desc = make_echo(cmd);
	ucs_list_add_tail(list, &later->entry);
}

static void make_ready(struct play *play, struct answer *answer)
{
	ucs_list_del(&answer->entry);
	ucs_list_add_tail(&play->ready, &answer->desc->entry);
	free(answer);
}

/* --- Commands --- */

static doca_error_t play_echo(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	answer(play, cmd, bytes_of(cmd), len_of(cmd));
	return DOCA_SUCCESS;
}

static doca_error_t play_later(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	wait_with(&play->later, cmd, now_ns() + cmd_of(cmd)->arg * NS_A_MS);
	return DOCA_SUCCESS;
}

static doca_error_t play_hold(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	wait_with(&play->held, cmd, 0);
	return DOCA_SUCCESS;
}

static doca_error_t play_release(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	struct answer *held, *next;

	ucs_list_for_each_safe (held, next, &play->held, entry)
		make_ready(play, held);
	return play_echo(play, cmd);
}

static doca_error_t play_fails(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	(void)play;
	return (doca_error_t)cmd_of(cmd)->arg;
}

static doca_error_t play_fails_told(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	const doca_error_t error = (doca_error_t)cmd_of(cmd)->arg;

	ucs_list_add_tail(&play->ready, &make_notif(cmd, error, bytes_of(cmd), len_of(cmd))->entry);
	return error;
}

static doca_error_t play_twice(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	(void)play_echo(play, cmd);
	return play_echo(play, cmd);
}

static doca_error_t play_astray(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	struct urom_worker_notif_desc *astray = make_echo(cmd);

	astray->dest_id = cmd_of(cmd)->arg;
	ucs_list_add_tail(&play->ready, &astray->entry);
	return play_echo(play, cmd);
}

static doca_error_t play_sized(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	const size_t len = cmd_of(cmd)->arg;
	char *bytes = malloc(len + 1);

	demand(bytes != NULL, "no memory");
	memset(bytes, 'x', len);
	answer(play, cmd, bytes, len);
	free(bytes);
	return DOCA_SUCCESS;
}

static doca_error_t play_pack_says(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	play->pack_len = cmd_of(cmd)->arg;
	return play_echo(play, cmd);
}

static doca_error_t play_pack_fails(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	play->pack_result = (doca_error_t)cmd_of(cmd)->arg;
	return play_echo(play, cmd);
}

static doca_error_t play_progress(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	play->progress_result = (doca_error_t)cmd_of(cmd)->arg;
	return play_echo(play, cmd);
}

static doca_error_t play_block(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	const struct urom_worker_cmd *command = &cmd->worker_cmd;
	const uint8_t *block = (const uint8_t *)cmd;
	const uint8_t *tail = command->plugin_cmd + command->len;
	struct play_block seen = {
		.type = command->type,
		.dest_id = cmd->dest_id,
		.urom_context = command->urom_context,
		.len = command->len,
		.misalignment = (uintptr_t)command->plugin_cmd % 16,
	};

	/* Only the start of a block has a size. */
	seen.room = malloc_usable_size((void *)(uintptr_t)cmd) - (size_t)(tail - block);
	while (seen.num_zeros < 64 && tail[seen.num_zeros] == 0)
		seen.num_zeros++;
	answer(play, cmd, &seen, sizeof(seen));
	return DOCA_SUCCESS;
}

static doca_error_t play_count(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	answer(play, cmd, &play->num_progress, sizeof(play->num_progress));
	return DOCA_SUCCESS;
}

static doca_error_t play_getenv(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	char name[64];
	const char *value;

	(void)snprintf(name, sizeof(name), "%.*s", (int)len_of(cmd), (const char *)bytes_of(cmd));
	value = getenv(name);
	if (value == NULL)
		return DOCA_ERROR_NOT_FOUND;
	answer(play, cmd, value, strlen(value));
	return DOCA_SUCCESS;
}

static doca_error_t play_cpus(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	cpu_set_t cpus;

	demand(sched_getaffinity(0, sizeof(cpus), &cpus) == 0, "no processors");
	answer(play, cmd, &cpus, sizeof(cpus));
	return DOCA_SUCCESS;
}

static doca_error_t play_spins(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	const uint64_t end_ns = now_ns() + cmd_of(cmd)->arg * NS_A_MS;

	while (now_ns() < end_ns)
		continue;
	return play_echo(play, cmd);
}

static doca_error_t play_opens(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	static int opened[MAX_OPENED];
	static unsigned int num_opened;
	unsigned int num_kept = 0;
	int fd;

	while (cmd_of(cmd)->arg > 0 && num_opened < MAX_OPENED && (fd = dup(STDERR_FILENO)) >= 0)
		opened[num_opened++] = fd;
	if (cmd_of(cmd)->arg > 0 && num_opened >= cmd_of(cmd)->arg)
		num_kept = num_opened + 1 - cmd_of(cmd)->arg;
	while (num_opened > num_kept)
		close(opened[--num_opened]);
	return play_echo(play, cmd);
}

static doca_error_t play_crashes(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	volatile char *nowhere = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*nowhere = 1;
	return play_echo(play, cmd);
}

static doca_error_t play_closes_fd(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	close(play->timer_fd);
	play->timer_fd = -1;
	return play_echo(play, cmd);
}

static doca_error_t play_look_up(struct play *play, const struct urom_worker_cmd_desc *cmd)
{
	struct urom_worker_ctx *ctx = play->ctx;
	void *found;
	size_t len;
	int seg;
	const uint32_t results[] = {
		doca_urom_worker_domain_addr_lookup(ctx, 1, &found),
		doca_urom_worker_domain_addr_lookup(ctx, 1, NULL),
		doca_urom_worker_domain_seg_lookup(ctx, 1, 0, &seg),
		doca_urom_worker_domain_seg_lookup(ctx, 1, 0, NULL),
		doca_urom_worker_domain_memh_lookup(ctx, 1, 0, &len, &found),
		doca_urom_worker_domain_memh_lookup(ctx, 1, 0, NULL, &found),
		doca_urom_worker_domain_mkey_lookup(ctx, 1, 0, &len, &found),
		doca_urom_worker_domain_mkey_lookup(ctx, 1, 0, &len, NULL),
	};

	answer(play, cmd, results, sizeof(results));
	return DOCA_SUCCESS;
}

static doca_error_t (*const plays[PLAY_NUM_OPS])(struct play *play,
						 const struct urom_worker_cmd_desc *cmd) = {
	[PLAY_ECHO] = play_echo,           [PLAY_LATER] = play_later,
	[PLAY_HOLD] = play_hold,           [PLAY_RELEASE] = play_release,
	[PLAY_FAILS] = play_fails,         [PLAY_FAILS_TOLD] = play_fails_told,
	[PLAY_LEFT] = play_fails,          [PLAY_TWICE] = play_twice,
	[PLAY_ASTRAY] = play_astray,       [PLAY_SIZED] = play_sized,
	[PLAY_PACK_SAYS] = play_pack_says, [PLAY_PACK_FAILS] = play_pack_fails,
	[PLAY_PROGRESS] = play_progress,   [PLAY_BLOCK] = play_block,
	[PLAY_COUNT] = play_count,         [PLAY_GETENV] = play_getenv,
	[PLAY_CPUS] = play_cpus,           [PLAY_SPINS] = play_spins,
	[PLAY_CRASHES] = play_crashes,     [PLAY_CLOSES_FD] = play_closes_fd,
	[PLAY_LOOK_UP] = play_look_up,     [PLAY_OPENS] = play_opens,
};

/* --- What the worker calls --- */

static struct play *play_of(struct urom_worker_ctx *ctx)
{
	struct play *play = ctx->plugin_ctx;

	demand(play != NULL && play->ctx == ctx, "the context has moved");
	return play;
}

static doca_error_t on_open(struct urom_worker_ctx *ctx)
{
	struct play *play;

	trace("open");
	demand(ctx->domain_iface.addr_lookup != NULL && ctx->domain_iface.seg_lookup != NULL &&
		   ctx->domain_iface.memh_lookup != NULL && ctx->domain_iface.mkey_lookup != NULL,
	       "open comes before the look-ups");
	if (is_meant("PLAY_REFUSES"))
		return DOCA_ERROR_DRIVER;
	play = calloc(1, sizeof(*play));
	demand(play != NULL, "no memory");
	play->ctx = ctx;
	ucs_list_head_init(&play->ready);
	ucs_list_head_init(&play->held);
	ucs_list_head_init(&play->later);
	play->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	the_play = play;
	ctx->plugin_ctx = play;
	return DOCA_SUCCESS;
}

static void free_answers(ucs_list_link_t *list)
{
	struct answer *waiting, *next;

	ucs_list_for_each_safe (waiting, next, list, entry) {
		free(waiting->desc);
		free(waiting);
	}
}

static void on_close(struct urom_worker_ctx *ctx)
{
	struct play *play = play_of(ctx);

	trace("close");
	while (is_meant("PLAY_STAYS"))
		(void)pause();
	free_answers(&play->held);
	free_answers(&play->later);
	close(play->timer_fd);
	free(play);
	ctx->plugin_ctx = NULL;
}

static doca_error_t on_addr(struct urom_worker_ctx *ctx, void *addr, size_t *len)
{
	const size_t needed = strlen(own_name) + sizeof(PLAY_ADDR);

	(void)play_of(ctx);
	if (is_meant("PLAY_NO_ADDR"))
		return DOCA_ERROR_NOT_SUPPORTED;
	if (addr == NULL && *len == 0)
		trace("addr of no room");
	else if (addr != NULL && *len == needed)
		trace("addr of its room");
	else
		demand(false, "addr is asked in another way");
	if (*len < needed) {
		*len = needed;
		return DOCA_ERROR_INVALID_VALUE;
	}
	(void)snprintf(addr, needed, "%s%s", own_name, PLAY_ADDR);
	return DOCA_SUCCESS;
}

static doca_error_t on_command(struct urom_worker_ctx *ctx, ucs_list_link_t *commands)
{
	struct play *play = play_of(ctx);
	struct urom_worker_cmd_desc *cmd;
	doca_error_t result;

	demand(!ucs_list_is_empty(commands), "worker_cmd comes without a command");
	cmd = ucs_list_head(commands, struct urom_worker_cmd_desc, entry);
	demand(ucs_list_is_only(commands, &cmd->entry), "worker_cmd comes with two commands");
	if (cmd->worker_cmd.len < sizeof(struct play_cmd) || cmd_of(cmd)->op >= PLAY_NUM_OPS)
		result = DOCA_ERROR_INVALID_VALUE;
	else
		result = plays[cmd_of(cmd)->op](play, cmd);
	if (cmd->worker_cmd.len >= sizeof(struct play_cmd) && cmd_of(cmd)->op == PLAY_LEFT)
		return result;
	ucs_list_del(&cmd->entry);
	free(cmd);
	return result;
}

static doca_error_t on_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notifications)
{
	struct play *play = play_of(ctx);
	struct answer *later, *next;
	doca_error_t result = play->progress_result;

	play->num_progress++;
	play->progress_result = DOCA_SUCCESS;
	ucs_list_for_each_safe (later, next, &play->later, entry) {
		if (later->due_ns <= now_ns())
			make_ready(play, later);
	}
	if (ucs_list_is_empty(&play->ready))
		return result != DOCA_SUCCESS ? result : DOCA_ERROR_EMPTY;
	ucs_list_splice_tail(notifications, &play->ready);
	ucs_list_head_init(&play->ready);
	return result;
}

static doca_error_t on_pack(struct urom_worker_notify *notification, size_t *len, void *packed)
{
	const size_t needed = sizeof(*notification) + notification->len;
	const doca_error_t result = the_play->pack_result;

	the_play->pack_result = DOCA_SUCCESS;
	if (result != DOCA_SUCCESS)
		return result;
	demand(needed <= *len, "notif_pack comes with too little room");
	memcpy(packed, notification, needed);
	*len = the_play->pack_len > 0 ? the_play->pack_len : needed;
	the_play->pack_len = 0;
	return DOCA_SUCCESS;
}

#ifdef PLAY_HAS_EVENT
doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd)
{
	trace("urom_plugin_get_event_fd");
	*fd = play_of(ctx)->timer_fd;
	return DOCA_SUCCESS;
}

/* The timer is for the first answer that waits, or for none. */
doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx)
{
	struct play *play = play_of(ctx);
	struct itimerspec at = { 0 };
	uint64_t first_ns = UINT64_MAX;
	struct answer *later;

	if (!ucs_list_is_empty(&play->ready))
		return DOCA_ERROR_AGAIN;
	ucs_list_for_each (later, &play->later, entry) {
		if (later->due_ns < first_ns)
			first_ns = later->due_ns;
	}
	if (first_ns < UINT64_MAX)
		at.it_value =
		    (struct timespec){ (time_t)(first_ns / NS_A_S), (long)(first_ns % NS_A_S) };
	if (play->timer_fd >= 0)
		demand(timerfd_settime(play->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0,
		       "no timer");
	return DOCA_SUCCESS;
}
#endif

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	if (version == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	trace("urom_plugin_get_version");
	*version = PLAY_VERSION;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	if (iface == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	trace("urom_plugin_get_iface");
	DOCA_STRUCT_CTOR(*iface);
	if (is_meant("PLAY_NEWER"))
		iface->__doca_api_version += 1 << 16;
	iface->open = on_open;
	iface->close = on_close;
	iface->addr = on_addr;
	iface->worker_cmd = on_command;
	iface->progress = on_progress;
	iface->notif_pack = on_pack;
	return DOCA_SUCCESS;
}
