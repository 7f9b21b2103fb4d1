/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_hostile.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doca_error.h>
#include <doca_urom_plugin.h>

#include "urom_test.h"

#define EXPORT     __attribute__((visibility("default")))
#define LEAK_BYTES (1u << 20)
#define ADDRESS    "where urom_hostile is"

EXPORT doca_error_t urom_plugin_get_version(uint64_t *version);
EXPORT doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);
EXPORT doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd);
EXPORT doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx);

struct hostile {
	ucs_list_link_t ready; /* of struct urom_worker_notif_desc */
	ucs_list_link_t held;  /* the same */
	int event_fd;
	bool is_armed; /* HOSTILE_DO has come */
	size_t num_addr_calls;
};

/* Neither notif_pack nor a destructor has a context. */
static struct hostile hostile = { .event_fd = -1 };
static uint32_t pack_over;
static bool packs_nothing;

static char own_name[64];

/* --- Deeds --- */

static void crash(void)
{
	volatile char *nowhere = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*nowhere = 1;
}

static void leave_by_exit(void)
{
	exit(0);
}

static void leave_at_once(void)
{
	_exit(0);
}

/* Not busily: the tests have few processors. */
static void spin(void)
{
	for (;;)
		(void)pause();
}

static void leak(void)
{
	static volatile char *last;
	char *kept = malloc(LEAK_BYTES);

	if (kept == NULL)
		abort();
	memset(kept, 1, LEAK_BYTES);
	last = kept; /* so that the compiler keeps it, too */
	(void)last;
}

/* Not touched: it is the system that is to say no. */
static void hog(void)
{
	for (unsigned int i = 0; i < 3072; i++) {
		if (mmap(NULL, LEAK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) == MAP_FAILED) {
			(void)fputs("no memory is left\n", stderr);
			abort();
		}
	}
	(void)fputs("there is memory without end\n", stderr);
	abort();
}

static void (*const deeds[])(void) = {
	crash, leave_by_exit, leave_at_once, abort, spin, leak, hog
};
static const char *const deed_names[] = { HOSTILE_DEEDS };
_Static_assert(sizeof(deeds) / sizeof(deeds[0]) == sizeof(deed_names) / sizeof(deed_names[0]),
	       "a name each");

/* Does what the file is named for, if this is its place. */
static void misbehave(const char *place)
{
	const size_t len = strlen(place);

	if (strncmp(own_name, place, len) != 0 || own_name[len] != '_')
		return;
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
		if (strcmp(own_name + len + 1, deed_names[i]) == 0)
			deeds[i]();
	}
}

static void misbehave_if_armed(const char *place)
{
	if (hostile.is_armed)
		misbehave(place);
}

__attribute__((constructor)) static void on_load(void)
{
	static char anchor;
	const char *slash;
	Dl_info info;

	if (dladdr(&anchor, &info) == 0)
		return;
	slash = strrchr(info.dli_fname, '/');
	(void)snprintf(own_name, sizeof(own_name), "%s",
		       slash != NULL ? slash + 1 : info.dli_fname);
	own_name[strcspn(own_name, ".")] = '\0';
	misbehave("load");
}

__attribute__((destructor)) static void on_unload(void)
{
	misbehave_if_armed("unload");
}

/* --- Answers --- */

static void add(struct urom_worker_notif_desc *answer)
{
	const uint64_t one = 1;

	ucs_list_add_tail(&hostile.ready, &answer->entry);
	(void)!write(hostile.event_fd, &one, sizeof(one)); /* arming looks at the list, too */
}

static struct urom_worker_notif_desc *make_answer(const struct urom_worker_cmd_desc *desc,
						  const void *bytes, size_t len)
{
	struct urom_worker_notif_desc *answer = calloc(1, sizeof(*answer) + len);

	if (answer == NULL)
		abort();
	answer->dest_id = desc->dest_id;
	answer->worker_notif.type = desc->worker_cmd.type;
	answer->worker_notif.urom_context = desc->worker_cmd.urom_context;
	answer->worker_notif.len = len;
	if (len > 0)
		memcpy(answer->worker_notif.plugin_notif, bytes, len);
	return answer;
}

static struct urom_worker_notif_desc *make_echo(const struct urom_worker_cmd_desc *desc)
{
	return make_answer(desc, desc->worker_cmd.plugin_cmd + sizeof(struct urom_test_cmd),
			   desc->worker_cmd.len - sizeof(struct urom_test_cmd));
}

/* --- Commands --- */

static uint32_t arg_of(const struct urom_worker_cmd_desc *desc)
{
	return ((const struct urom_test_cmd *)(const void *)desc->worker_cmd.plugin_cmd)->arg;
}

static void do_deed(const struct urom_worker_cmd_desc *desc)
{
	hostile.is_armed = true;
	misbehave("cmd");
	add(make_echo(desc));
}

static void set_pack_over(const struct urom_worker_cmd_desc *desc)
{
	pack_over = arg_of(desc);
	add(make_echo(desc));
}

static void set_pack_none(const struct urom_worker_cmd_desc *desc)
{
	packs_nothing = true;
	add(make_echo(desc));
}

static void answer_foreign(const struct urom_worker_cmd_desc *desc)
{
	static struct urom_worker_notif_desc foreign[2];

	(void)desc;
	add(&foreign[1]);
}

static void answer_twice(const struct urom_worker_cmd_desc *desc)
{
	struct urom_worker_notif_desc *answer = make_echo(desc);

	add(answer);
	answer->entry.next = &answer->entry;
}

static void answer_wildly(const struct urom_worker_cmd_desc *desc)
{
	struct urom_worker_notif_desc *answer = make_echo(desc);

	add(answer);
	answer->entry.next = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void answer_out_of_context(const struct urom_worker_cmd_desc *desc)
{
	struct urom_worker_notif_desc *answer = make_echo(desc);

	answer->worker_notif.urom_context ^= UINT64_C(0x5555555500000000);
	add(answer);
	add(make_echo(desc));
}

static void close_all(const struct urom_worker_cmd_desc *desc)
{
	(void)close_range(0, UINT_MAX, 0);
	add(make_echo(desc));
}

/* The descriptor's number stands in the command line. */
static void garble(const struct urom_worker_cmd_desc *desc)
{
	static const char noise[64] =
	    "what no daemon has ever been told by a worker that means well";
	char line[4096];
	FILE *file = fopen("/proc/self/cmdline", "re");
	size_t len = file != NULL ? fread(line, 1, sizeof(line) - 1, file) : 0;
	static const char option[] = "--control-fd";
	const char *at = memmem(line, len, option, sizeof(option));

	line[len] = '\0';
	if (file != NULL)
		(void)fclose(file);
	if (at == NULL || write(atoi(at + sizeof(option)), noise, sizeof(noise)) < 0)
		abort();
	add(make_echo(desc));
}

static void ignore_signals(const struct urom_worker_cmd_desc *desc)
{
	sigset_t all;

	for (int number = 1; number <= SIGRTMAX; number++)
		(void)signal(number, SIG_IGN); /* not all of them can be */
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, NULL);
	add(make_echo(desc));
}

static void ignore_and_spin(const struct urom_worker_cmd_desc *desc)
{
	ignore_signals(desc);
	spin();
}

static void leave_a_child(const struct urom_worker_cmd_desc *desc)
{
	pid_t pid = fork();

	if (pid == 0)
		spin();
	add(make_answer(desc, &pid, sizeof(pid)));
}

static void narrow_limits(const struct urom_worker_cmd_desc *desc)
{
	const struct rlimit none = { 0, 0 };

	/* Not that of descriptors: without a new one UCX takes its peer for dead. */
	if (chdir("/") != 0 || setrlimit(RLIMIT_CORE, &none) != 0 ||
	    setrlimit(RLIMIT_NPROC, &none) != 0)
		abort();
	add(make_echo(desc));
}

static void *exit_in_thread(void *arg)
{
	exit(0);
	return arg;
}

static void *abort_in_thread(void *arg)
{
	abort();
	return arg;
}

static void start_thread(void *(*run)(void *arg))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL) != 0 || pthread_detach(thread) != 0)
		abort();
}

static void exit_elsewhere(const struct urom_worker_cmd_desc *desc)
{
	(void)desc;
	start_thread(exit_in_thread);
}

static void abort_elsewhere(const struct urom_worker_cmd_desc *desc)
{
	(void)desc;
	start_thread(abort_in_thread);
}

static void echo(const struct urom_worker_cmd_desc *desc)
{
	add(make_echo(desc));
}

static void hold(const struct urom_worker_cmd_desc *desc)
{
	ucs_list_add_tail(&hostile.held, &make_echo(desc)->entry);
}

static const struct {
	uint32_t op;
	void (*run)(const struct urom_worker_cmd_desc *desc);
} commands[] = {
	{ UROM_TEST_ECHO, echo },
	{ UROM_TEST_HOLD, hold },
	{ HOSTILE_DO, do_deed },
	{ HOSTILE_PACK_OVER, set_pack_over },
	{ HOSTILE_PACK_NONE, set_pack_none },
	{ HOSTILE_LIST_FOREIGN, answer_foreign },
	{ HOSTILE_LIST_TWICE, answer_twice },
	{ HOSTILE_LIST_WILD, answer_wildly },
	{ HOSTILE_CONTEXT, answer_out_of_context },
	{ HOSTILE_CLOSE_ALL, close_all },
	{ HOSTILE_GARBLE, garble },
	{ HOSTILE_IGNORE, ignore_signals },
	{ HOSTILE_IGNORE_SPIN, ignore_and_spin },
	{ HOSTILE_FORK, leave_a_child },
	{ HOSTILE_LIMITS, narrow_limits },
	{ HOSTILE_THREAD_EXIT, exit_elsewhere },
	{ HOSTILE_THREAD_ABORT, abort_elsewhere },
};

/* --- What the worker calls --- */

static doca_error_t hostile_open(struct urom_worker_ctx *ctx)
{
	misbehave("open");
	ucs_list_head_init(&hostile.ready);
	ucs_list_head_init(&hostile.held);
	hostile.event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ctx->plugin_ctx = &hostile;
	return DOCA_SUCCESS;
}

static void free_all(ucs_list_link_t *list)
{
	while (!ucs_list_is_empty(list)) {
		ucs_list_link_t *first = list->next;

		ucs_list_del(first);
		free(first); /* an answer begins with its link */
	}
}

static void hostile_close(struct urom_worker_ctx *ctx)
{
	(void)ctx;
	misbehave_if_armed("close");
	free_all(&hostile.ready);
	free_all(&hostile.held);
	close(hostile.event_fd);
}

static doca_error_t hostile_addr(struct urom_worker_ctx *ctx, void *addr, size_t *len)
{
	const bool is_over = strcmp(own_name, "addr_over") == 0;
	const bool is_first = hostile.num_addr_calls++ == 0;

	(void)ctx;
	misbehave("addr");
	if (is_first) {
		*len = strcmp(own_name, "addr_huge") == 0 ? UINT64_C(4) << 30 : sizeof(ADDRESS);
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(addr, ADDRESS, sizeof(ADDRESS));
	if (is_over)
		memset((char *)addr + sizeof(ADDRESS), 'x', 8);
	if (strcmp(own_name, "addr_grows") == 0)
		*len *= 1000;
	return DOCA_SUCCESS;
}

static doca_error_t hostile_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *list)
{
	struct urom_worker_cmd_desc *desc = (void *)list->next;
	doca_error_t result = DOCA_ERROR_NOT_SUPPORTED;
	struct urom_test_cmd cmd;

	(void)ctx;
	memcpy(&cmd, desc->worker_cmd.plugin_cmd, sizeof(cmd));
	ucs_list_del(&desc->entry);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].op != cmd.op)
			continue;
		commands[i].run(desc);
		result = DOCA_SUCCESS;
	}
	free(desc);
	return result;
}

static doca_error_t hostile_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *list)
{
	(void)ctx;
	misbehave_if_armed("progress");
	if (ucs_list_is_empty(&hostile.ready))
		return DOCA_ERROR_EMPTY;
	/* As they are linked, well or badly. */
	list->next = hostile.ready.next;
	list->prev = hostile.ready.prev;
	list->next->prev = list;
	if (list->prev->next == &hostile.ready)
		list->prev->next = list;
	ucs_list_head_init(&hostile.ready);
	return DOCA_SUCCESS;
}

static doca_error_t hostile_pack(struct urom_worker_notify *notif, size_t *len, void *packed)
{
	const size_t needed = sizeof(*notif) + notif->len;

	misbehave_if_armed("pack");
	if (!packs_nothing)
		memcpy(packed, notif, needed);
	if (pack_over > 0)
		memset((char *)packed + *len, 'x', pack_over);
	*len = packs_nothing ? 0 : needed;
	packs_nothing = false;
	pack_over = 0;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_event_fd(struct urom_worker_ctx *ctx, int *fd)
{
	(void)ctx;
	misbehave("event");
	*fd = hostile.event_fd;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_arm_event(struct urom_worker_ctx *ctx)
{
	uint64_t count;

	(void)ctx;
	misbehave_if_armed("arm");
	(void)!read(hostile.event_fd, &count, sizeof(count)); /* empty is fine */
	return ucs_list_is_empty(&hostile.ready) ? DOCA_SUCCESS : DOCA_ERROR_AGAIN;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	if (version == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*version = 1;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	if (iface == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	DOCA_STRUCT_CTOR(*iface);
	iface->open = hostile_open;
	iface->close = hostile_close;
	iface->addr = hostile_addr;
	iface->worker_cmd = hostile_cmd;
	iface->progress = hostile_progress;
	iface->notif_pack = hostile_pack;
	return DOCA_SUCCESS;
}
