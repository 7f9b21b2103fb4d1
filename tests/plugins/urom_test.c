/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom_test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <doca_error.h>
#include <doca_log.h>
#include <doca_urom_plugin.h>

#include "urom_point.h"
#include "urom_use.h"

DOCA_LOG_REGISTER(UROM_TEST);

#define EXPORT    __attribute__((visibility("default")))
#define NS_PER_MS UINT64_C(1000000)
#define ADDRESS   "where urom_test is"
#define NO_DOMAIN UINT64_C(77)

/* Of urom_needs.c, in the plugin that has it. */
__attribute__((weak)) void urom_test_opened(void);

EXPORT doca_error_t urom_plugin_get_version(uint64_t *version);
EXPORT doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface);

/* An answer that waits for its time. */
struct later {
	ucs_list_link_t entry;
	uint64_t due_ns;
	struct urom_worker_notif_desc *answer;
};

struct urom_test {
	struct urom_worker_ctx *ctx;
	pthread_t thread; /* on which all calls must come */
	unsigned int num_addr_calls;
	uint64_t type;
	uint64_t num_commands;
	uint32_t num_together;
	doca_error_t progress_result; /* SUCCESS: as it should be */
	uint32_t close_op;
	ucs_list_link_t ready;    /* of struct urom_worker_notif_desc */
	ucs_list_link_t held;     /* the same */
	ucs_list_link_t together; /* the same */
	ucs_list_link_t later;    /* of struct later */
};

/* What all lists hold begins with its link; UCX's own macros for it look at address 0. */
_Static_assert(offsetof(struct later, entry) == 0, "a link is where its owner is");
_Static_assert(offsetof(struct urom_worker_cmd_desc, entry) == 0, "the same");
_Static_assert(offsetof(struct urom_worker_notif_desc, entry) == 0, "the same");

static void *take_first(ucs_list_link_t *list)
{
	ucs_list_link_t *first = list->next;

	ucs_list_del(first);
	return first;
}

typedef doca_error_t (*handler_t)(struct urom_test *test, const struct urom_worker_cmd_desc *desc);

static void demand(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "urom_test: the worker breaks the contract: %s\n", what);
	abort();
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const char *own_file(void)
{
	static char nothing[] = "";
	Dl_info info;

	return dladdr(nothing, &info) != 0 ? info.dli_fname : nothing;
}

static bool is_called(const char *name)
{
	return strstr(own_file(), name) != NULL;
}

__attribute__((constructor)) static void on_load(void)
{
	if (is_called("load_dies"))
		abort();
	urom_point_reach(is_called("late") ? "late" : "load");
}

static const struct urom_test_cmd *cmd_of(const struct urom_worker_cmd_desc *desc)
{
	return (const void *)desc->worker_cmd.plugin_cmd;
}

static const void *bytes_of(const struct urom_worker_cmd_desc *desc)
{
	return desc->worker_cmd.plugin_cmd + sizeof(struct urom_test_cmd);
}

static size_t num_bytes_of(const struct urom_worker_cmd_desc *desc)
{
	return desc->worker_cmd.len - sizeof(struct urom_test_cmd);
}

/* An answer to a command that is not in any list yet. */
static struct urom_worker_notif_desc *make_answer(const struct urom_worker_cmd_desc *desc,
						  doca_error_t status, const void *bytes,
						  size_t len)
{
	struct urom_worker_notif_desc *answer = malloc(sizeof(*answer) + len);

	demand(answer != NULL, "no memory");
	memset(answer, 0, sizeof(*answer));
	answer->dest_id = desc->dest_id;
	answer->worker_notif.type = desc->worker_cmd.type;
	answer->worker_notif.urom_context = desc->worker_cmd.urom_context;
	answer->worker_notif.len = len;
	answer->worker_notif.status = status;
	if (bytes != NULL)
		memcpy(answer->worker_notif.plugin_notif, bytes, len);
	return answer;
}

static struct urom_worker_notif_desc *make_echo(const struct urom_worker_cmd_desc *desc,
						doca_error_t status)
{
	return make_answer(desc, status, bytes_of(desc), num_bytes_of(desc));
}

static doca_error_t add(ucs_list_link_t *list, struct urom_worker_notif_desc *answer)
{
	ucs_list_add_tail(list, &answer->entry);
	return DOCA_SUCCESS;
}

static void move_all(ucs_list_link_t *from, ucs_list_link_t *to)
{
	while (!ucs_list_is_empty(from))
		ucs_list_add_tail(to, (ucs_list_link_t *)take_first(from));
}

static doca_error_t echo(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	return add(&test->ready, make_echo(desc, DOCA_SUCCESS));
}

static doca_error_t echo_later(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	struct later *later = malloc(sizeof(*later));

	demand(later != NULL, "no memory");
	later->due_ns = now_ns() + cmd_of(desc)->arg * NS_PER_MS;
	later->answer = make_echo(desc, DOCA_SUCCESS);
	ucs_list_add_tail(&test->later, &later->entry);
	return DOCA_SUCCESS;
}

static doca_error_t echo_together(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	(void)add(&test->together, make_echo(desc, DOCA_SUCCESS));
	if (++test->num_together < cmd_of(desc)->arg)
		return DOCA_SUCCESS;
	test->num_together = 0;
	move_all(&test->together, &test->ready);
	return DOCA_SUCCESS;
}

static doca_error_t answer_bytes(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	size_t len = cmd_of(desc)->arg;
	struct urom_worker_notif_desc *answer = make_answer(desc, DOCA_SUCCESS, NULL, len);

	for (size_t i = 0; i < len; i++)
		answer->worker_notif.plugin_notif[i] = (uint8_t)i;
	return add(&test->ready, answer);
}

static doca_error_t hold(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	return add(&test->held, make_echo(desc, DOCA_SUCCESS));
}

static doca_error_t answer_held(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	move_all(&test->held, &test->ready);
	return echo(test, desc);
}

static doca_error_t answer_status(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	return add(&test->ready, make_echo(desc, (doca_error_t)cmd_of(desc)->arg));
}

static doca_error_t fail(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	(void)test;
	return (doca_error_t)cmd_of(desc)->arg;
}

static doca_error_t fail_and_tell(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	(void)answer_status(test, desc);
	return (doca_error_t)cmd_of(desc)->arg;
}

static doca_error_t echo_twice(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	(void)echo(test, desc);
	return echo(test, desc);
}

static doca_error_t answer_nobody(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	struct urom_worker_notif_desc *stray = make_echo(desc, DOCA_ERROR_UNEXPECTED);

	stray->dest_id = ~stray->dest_id;
	(void)add(&test->ready, stray);
	return echo(test, desc);
}

static doca_error_t progress_oddly(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	test->progress_result = (doca_error_t)cmd_of(desc)->arg;
	return echo(test, desc);
}

static doca_error_t check_tail(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	const uint8_t *tail = desc->worker_cmd.plugin_cmd + desc->worker_cmd.len;
	doca_error_t status = DOCA_SUCCESS;

	for (size_t i = 0; i < UROM_TEST_TAIL; i++) {
		if (tail[i] != 0)
			status = DOCA_ERROR_BAD_CONFIG;
	}
	return add(&test->ready, make_echo(desc, status));
}

static doca_error_t report(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	struct urom_test_report told = {
		.pid = (uint64_t)getpid(),
		.dest_id = desc->dest_id,
		.plugin = desc->worker_cmd.type,
		.num_commands = test->num_commands,
	};

	_Static_assert(sizeof(told.cpus) == sizeof(cpu_set_t), "1024 processors");
	demand(sched_getaffinity(0, sizeof(told.cpus), (cpu_set_t *)(void *)told.cpus) == 0,
	       "no affinity");
	(void)snprintf(told.file, sizeof(told.file), "%s", own_file());
	return add(&test->ready, make_answer(desc, DOCA_SUCCESS, &told, sizeof(told)));
}

static doca_error_t environment(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	char name[64];
	const char *value;

	(void)snprintf(name, sizeof(name), "%.*s", (int)num_bytes_of(desc),
		       (const char *)bytes_of(desc));
	value = getenv(name);
	return add(&test->ready,
		   make_answer(desc, value != NULL ? DOCA_SUCCESS : DOCA_ERROR_NOT_FOUND, value,
			       value != NULL ? strlen(value) : 0));
}

static doca_error_t print(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	urom_use_output(cmd_of(desc)->arg);
	return echo(test, desc);
}

static doca_error_t map(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	return urom_use_space(cmd_of(desc)->arg) ? echo(test, desc) : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t fill(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	urom_use_memory(cmd_of(desc)->arg);
	return echo(test, desc);
}

static doca_error_t work(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	urom_use_processor();
	return echo(test, desc);
}

static void *look_up(void *arg)
{
	struct urom_worker_ctx *ctx = ((struct urom_test *)arg)->ctx;
	bool is_right = true;
	void *found;
	size_t len;
	int seg;

	is_right &=
	    doca_urom_worker_domain_addr_lookup(ctx, NO_DOMAIN, &found) == DOCA_ERROR_NOT_FOUND;
	is_right &=
	    doca_urom_worker_domain_seg_lookup(ctx, NO_DOMAIN, 0, &seg) == DOCA_ERROR_NOT_FOUND;
	is_right &= doca_urom_worker_domain_memh_lookup(ctx, NO_DOMAIN, 0, &len, &found) ==
		    DOCA_ERROR_NOT_FOUND;
	is_right &= doca_urom_worker_domain_mkey_lookup(ctx, NO_DOMAIN, 0, &len, &found) ==
		    DOCA_ERROR_NOT_FOUND;
	is_right &=
	    doca_urom_worker_domain_addr_lookup(ctx, NO_DOMAIN, NULL) == DOCA_ERROR_INVALID_VALUE;
	return is_right ? arg : NULL;
}

static doca_error_t look_up_in_thread(struct urom_test *test,
				      const struct urom_worker_cmd_desc *desc)
{
	doca_error_t status = DOCA_SUCCESS;
	pthread_t thread;
	void *is_right;

	for (uint32_t i = 0; i < cmd_of(desc)->arg; i++) {
		demand(pthread_create(&thread, NULL, look_up, test) == 0, "no thread");
		pthread_join(thread, &is_right);
		if (is_right == NULL)
			status = DOCA_ERROR_UNEXPECTED;
	}
	return add(&test->ready, make_echo(desc, status));
}

/* Not busily: the tests have few processors. */
__attribute__((noreturn)) static void spin(void)
{
	for (;;)
		pause();
}

static doca_error_t end(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	const struct urom_test_cmd *cmd = cmd_of(desc);

	(void)test;
	if (cmd->op == UROM_TEST_SPIN)
		spin();
	if (cmd->op == UROM_TEST_EXIT)
		exit((int)cmd->arg);
	abort();
}

static doca_error_t set_close(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	test->close_op = cmd_of(desc)->op;
	return echo(test, desc);
}

static const handler_t handlers[] = {
	[UROM_TEST_ECHO] = echo,
	[UROM_TEST_ECHO_LATER] = echo_later,
	[UROM_TEST_ECHO_TOGETHER] = echo_together,
	[UROM_TEST_BYTES] = answer_bytes,
	[UROM_TEST_HOLD] = hold,
	[UROM_TEST_ANSWER_HELD] = answer_held,
	[UROM_TEST_STATUS] = answer_status,
	[UROM_TEST_FAIL] = fail,
	[UROM_TEST_FAIL_LEFT] = fail,
	[UROM_TEST_FAIL_AND_TELL] = fail_and_tell,
	[UROM_TEST_TWICE] = echo_twice,
	[UROM_TEST_TO_NOBODY] = answer_nobody,
	[UROM_TEST_ODD_PROGRESS] = progress_oddly,
	[UROM_TEST_CHECK_TAIL] = check_tail,
	[UROM_TEST_REPORT] = report,
	[UROM_TEST_ENVIRONMENT] = environment,
	[UROM_TEST_PRINT] = print,
	[UROM_TEST_MAP] = map,
	[UROM_TEST_FILL] = fill,
	[UROM_TEST_WORK] = work,
	[UROM_TEST_LOOK_UP] = look_up_in_thread,
	[UROM_TEST_ABORT] = end,
	[UROM_TEST_EXIT] = end,
	[UROM_TEST_SPIN] = end,
	[UROM_TEST_ABORT_CLOSE] = set_close,
	[UROM_TEST_SPIN_CLOSE] = set_close,
};
_Static_assert(sizeof(handlers) / sizeof(handlers[0]) == UROM_TEST_NUM_OPS, "a handler each");

static struct urom_test *test_of(struct urom_worker_ctx *ctx)
{
	struct urom_test *test = ctx->plugin_ctx;

	demand(test != NULL && test->ctx == ctx, "the context has moved");
	demand(pthread_equal(test->thread, pthread_self()), "another thread calls");
	return test;
}

static doca_error_t test_open(struct urom_worker_ctx *ctx)
{
	struct urom_test *test;

	demand(!is_called("open_dies"), "not really, but it was to die here");
	if (is_called("open_fails"))
		return DOCA_ERROR_DRIVER;
	if (is_called("open_waits"))
		spin();
	urom_point_reach("open");
	demand(ctx->domain_iface.addr_lookup != NULL, "lookups are there before open");
	test = calloc(1, sizeof(*test));
	demand(test != NULL, "no memory");
	test->ctx = ctx;
	test->thread = pthread_self();
	ucs_list_head_init(&test->ready);
	ucs_list_head_init(&test->held);
	ucs_list_head_init(&test->together);
	ucs_list_head_init(&test->later);
	ctx->plugin_ctx = test;
	if (urom_test_opened != NULL)
		urom_test_opened();
	DOCA_LOG_INFO("open");
	return DOCA_SUCCESS;
}

static void free_answers(ucs_list_link_t *list)
{
	while (!ucs_list_is_empty(list))
		free(take_first(list));
}

static void test_close(struct urom_worker_ctx *ctx)
{
	struct urom_test *test;

	demand(!is_called("open_fails"), "close after an open that failed");
	urom_point_reach("close");
	test = test_of(ctx);
	if (test->close_op == UROM_TEST_SPIN_CLOSE)
		spin();
	if (test->close_op == UROM_TEST_ABORT_CLOSE)
		abort();
	while (!ucs_list_is_empty(&test->later)) {
		struct later *later = take_first(&test->later);

		free(later->answer);
		free(later);
	}
	free_answers(&test->ready);
	free_answers(&test->held);
	free_answers(&test->together);
	free(test);
	ctx->plugin_ctx = NULL;
	DOCA_LOG_INFO("close");
}

/* First with no room at all, then with what is needed, and never again. */
static doca_error_t test_addr(struct urom_worker_ctx *ctx, void *addr, size_t *addr_len)
{
	struct urom_test *test = test_of(ctx);

	demand(test->num_addr_calls < 2, "addr is called more than twice");
	if (test->num_addr_calls++ == 0) {
		demand(addr == NULL && *addr_len == 0, "the first addr has NULL and 0");
		*addr_len = sizeof(ADDRESS);
		return DOCA_ERROR_INVALID_VALUE;
	}
	urom_point_reach("addr");
	demand(addr != NULL && *addr_len == sizeof(ADDRESS), "the second addr has the room needed");
	memcpy(addr, ADDRESS, sizeof(ADDRESS));
	return DOCA_SUCCESS;
}

static doca_error_t handle(struct urom_test *test, const struct urom_worker_cmd_desc *desc)
{
	const struct urom_test_cmd *cmd = cmd_of(desc);

	if (test->num_commands++ == 0)
		test->type = desc->worker_cmd.type;
	demand(desc->worker_cmd.type == test->type, "a command for another plugin");
	demand((uintptr_t)cmd % 8 == 0, "a command that is not aligned");
	if (desc->worker_cmd.len < sizeof(*cmd))
		return DOCA_ERROR_INVALID_VALUE;
	if (cmd->op >= UROM_TEST_NUM_OPS)
		return DOCA_ERROR_NOT_SUPPORTED;
	return handlers[cmd->op](test, desc);
}

static doca_error_t test_worker_cmd(struct urom_worker_ctx *ctx, ucs_list_link_t *cmd_list)
{
	struct urom_test *test = test_of(ctx);

	demand(test->num_addr_calls == 2, "commands before the address");
	demand(!ucs_list_is_empty(cmd_list), "no command at all");
	while (!ucs_list_is_empty(cmd_list)) {
		struct urom_worker_cmd_desc *desc = (void *)cmd_list->next;
		bool is_left = desc->worker_cmd.len >= sizeof(struct urom_test_cmd) &&
			       cmd_of(desc)->op == UROM_TEST_FAIL_LEFT;
		doca_error_t result = handle(test, desc);

		if (!is_left) {
			ucs_list_del(&desc->entry);
			free(desc);
		}
		if (result != DOCA_SUCCESS)
			return result;
	}
	return DOCA_SUCCESS;
}

/* Answers whose time has come are ready. */
static void ripen(struct urom_test *test)
{
	ucs_list_link_t *link = test->later.next;

	while (link != &test->later) {
		struct later *later = (void *)link;

		link = link->next;
		if (now_ns() < later->due_ns)
			continue;
		ucs_list_del(&later->entry);
		(void)add(&test->ready, later->answer);
		free(later);
	}
}

static doca_error_t test_progress(struct urom_worker_ctx *ctx, ucs_list_link_t *notif_list)
{
	struct urom_test *test = test_of(ctx);
	doca_error_t result = test->progress_result;
	bool is_empty;

	urom_point_reach("progress");
	test->progress_result = DOCA_SUCCESS;
	ripen(test);
	is_empty = ucs_list_is_empty(&test->ready);
	move_all(&test->ready, notif_list);
	if (result != DOCA_SUCCESS)
		return result;
	return is_empty ? DOCA_ERROR_EMPTY : DOCA_SUCCESS;
}

static doca_error_t test_notif_pack(struct urom_worker_notify *notif, size_t *packed_notif_len,
				    void *packed_notif)
{
	size_t len = sizeof(*notif) + notif->len;

	demand(*packed_notif_len >= len, "too little room to pack");
	memcpy(packed_notif, notif, len);
	*packed_notif_len = len;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_version(uint64_t *version)
{
	if (version == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*version = UROM_TEST_VERSION;
	return DOCA_SUCCESS;
}

doca_error_t urom_plugin_get_iface(struct urom_plugin_iface *iface)
{
	if (iface == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	DOCA_STRUCT_CTOR(*iface);
	iface->open = test_open;
	iface->close = test_close;
	iface->addr = test_addr;
	iface->worker_cmd = test_worker_cmd;
	iface->progress = test_progress;
	iface->notif_pack = test_notif_pack;
	return DOCA_SUCCESS;
}
