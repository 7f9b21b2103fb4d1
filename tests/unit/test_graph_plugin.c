/* SPDX-License-Identifier: BSD-3-Clause */
/* The half of the graph plugin that a worker loads, loaded and driven as a worker does it. */
#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

#include <doca_urom_plugin.h>

#include "test.h"
#include "worker_graph.h"

#define PLUGIN_ID    0x20u
#define DEST_ID      0x123456789abcdef0u
#define PACKED_BYTES (sizeof(struct urom_worker_notify) + sizeof(struct urom_worker_graph_notify))
#define WAIT_MS      10000

/* More turns than UCX may be left alone for. */
#define MANY_TURNS 1000u

static struct {
	doca_error_t (*get_version)(uint64_t *version);
	doca_error_t (*get_iface)(struct urom_plugin_iface *iface);
	doca_error_t (*get_event_fd)(struct urom_worker_ctx *ctx, int *fd);
	doca_error_t (*arm_event)(struct urom_worker_ctx *ctx);
} plugin;

static unsigned int num_ucx_progress;
static int fail_ucx_worker;

/* These stand before UCX's own, for the plugin too. */
unsigned int ucp_worker_progress(ucp_worker_h worker)
{
	unsigned int (*real)(ucp_worker_h);

	*(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
	num_ucx_progress++;
	return real(worker);
}

ucs_status_t ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
			       ucp_worker_h *worker)
{
	ucs_status_t (*real)(ucp_context_h, const ucp_worker_params_t *, ucp_worker_h *);

	*(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_create");
	return fail_ucx_worker ? UCS_ERR_NO_MEMORY : real(context, params, worker);
}

static void *find_symbol(void *handle, const char *name)
{
	void *symbol = dlsym(handle, name);

	if (symbol == NULL)
		fail_msg("%s: %s", name, dlerror());
	return symbol;
}

/* It stays loaded: UCX does not like to be unloaded. */
static int load_plugin(void **state)
{
	void *handle = dlopen(WORKER_GRAPH, RTLD_NOW | RTLD_LOCAL);

	(void)state;
	if (handle == NULL)
		fail_msg("%s", dlerror());
	*(void **)&plugin.get_version = find_symbol(handle, "urom_plugin_get_version");
	*(void **)&plugin.get_iface = find_symbol(handle, "urom_plugin_get_iface");
	*(void **)&plugin.get_event_fd = find_symbol(handle, "urom_plugin_get_event_fd");
	*(void **)&plugin.arm_event = find_symbol(handle, "urom_plugin_arm_event");
	return 0;
}

static void open_plugin(struct urom_worker_ctx *ctx)
{
	memset(ctx, 0, sizeof(*ctx));
	assert_success(plugin.get_iface(&ctx->iface));
	assert_success(ctx->iface.open(ctx));
}

/* One block of malloc(), as the plugin is to free() it; what it reads beyond, sanitizers see. */
static void add_command(ucs_list_link_t *list, uint64_t number, const void *bytes, size_t len)
{
	struct urom_worker_cmd_desc *desc = malloc(sizeof(*desc) + len);

	assert_non_null(desc);
	desc->dest_id = DEST_ID + number;
	desc->worker_cmd.type = PLUGIN_ID;
	desc->worker_cmd.urom_context = number;
	desc->worker_cmd.len = len;
	memcpy(desc->worker_cmd.plugin_cmd, bytes, len);
	ucs_list_add_tail(list, &desc->entry);
}

static void add_loopback(ucs_list_link_t *list, uint64_t number)
{
	struct urom_worker_graph_cmd cmd = { .type = UROM_WORKER_CMD_GRAPH_LOOPBACK };

	cmd.loopback.data = ~number;
	add_command(list, number, &cmd, sizeof(cmd));
}

/* Gives the plugin a list of commands, all of which it takes. */
static void submit(struct urom_worker_ctx *ctx, ucs_list_link_t *list)
{
	assert_success(ctx->iface.worker_cmd(ctx, list));
	assert_true(ucs_list_is_empty(list));
}

/* Packs the next notification as it would travel, and frees it. */
static size_t take(struct urom_worker_ctx *ctx, ucs_list_link_t *list, uint64_t number,
		   struct urom_worker_notify *packed, size_t room)
{
	struct urom_worker_notif_desc *desc;
	size_t len = room;

	assert_false(ucs_list_is_empty(list));
	desc = ucs_list_extract_head(list, struct urom_worker_notif_desc, entry);
	assert_int_equal(desc->dest_id, DEST_ID + number);
	assert_success(ctx->iface.notif_pack(&desc->worker_notif, &len, packed));
	assert_int_equal(packed->type, PLUGIN_ID);
	assert_int_equal(packed->urom_context, number);
	assert_int_equal(len, sizeof(*packed) + packed->len);
	free(desc);
	return len;
}

static void take_loopback(struct urom_worker_ctx *ctx, ucs_list_link_t *list, uint64_t number)
{
	union {
		struct urom_worker_notify notify;
		char bytes[PACKED_BYTES];
	} packed;
	struct urom_worker_graph_notify notify;

	assert_int_equal(take(ctx, list, number, &packed.notify, sizeof(packed)), sizeof(packed));
	assert_int_equal(packed.notify.status, DOCA_SUCCESS);
	memcpy(&notify, packed.notify.plugin_notif, sizeof(notify));
	assert_int_equal(notify.type, UROM_WORKER_NOTIFY_GRAPH_LOOPBACK);
	assert_int_equal(notify.loopback.data, ~number);
}

static void take_error(struct urom_worker_ctx *ctx, ucs_list_link_t *list, uint64_t number,
		       doca_error_t error)
{
	struct urom_worker_notify packed;

	assert_int_equal(take(ctx, list, number, &packed, sizeof(packed)), sizeof(packed));
	assert_int_equal(packed.status, error);
}

static void plugin_tells_its_version_and_its_methods(void **state)
{
	struct urom_plugin_iface iface;
	uint64_t version = 0;

	(void)state;
	assert_success(plugin.get_version(&version));
	assert_int_equal(version, UROM_WORKER_GRAPH_VERSION);
	assert_error(plugin.get_version(NULL), DOCA_ERROR_INVALID_VALUE);
	assert_success(plugin.get_iface(&iface));
	assert_int_equal(iface.__doca_api_version, DOCA_VERSION_EXACT);
	assert_error(plugin.get_iface(NULL), DOCA_ERROR_INVALID_VALUE);
}

static void both_ends_agree_on_the_bytes(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct urom_worker_graph_cmd), 16);
	assert_int_equal(sizeof(struct urom_worker_graph_notify), 16);
	assert_int_equal(offsetof(struct urom_worker_graph_cmd, loopback.data), 8);
	assert_int_equal(offsetof(struct urom_worker_graph_notify, loopback.data), 8);
}

static void addr_tells_the_length_then_the_bytes(void **state)
{
	struct urom_worker_ctx ctx;
	size_t len = 0, needed;
	char *addr;

	(void)state;
	open_plugin(&ctx);
	assert_error(ctx.iface.addr(&ctx, NULL, &len), DOCA_ERROR_INVALID_VALUE);
	assert_true(len > 0);
	needed = len;
	addr = malloc(needed);
	assert_non_null(addr);
	len = needed - 1;
	assert_error(ctx.iface.addr(&ctx, addr, &len), DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(len, needed);
	assert_success(ctx.iface.addr(&ctx, addr, &len));
	assert_int_equal(len, needed);
	free(addr);
	ctx.iface.close(&ctx);
}

static void progress_without_commands_is_empty(void **state)
{
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(notifications);

	(void)state;
	open_plugin(&ctx);
	for (unsigned int i = 0; i < MANY_TURNS; i++)
		assert_error(ctx.iface.progress(&ctx, &notifications), DOCA_ERROR_EMPTY);
	assert_true(ucs_list_is_empty(&notifications));
	ctx.iface.close(&ctx);
}

static void commands_are_answered_in_their_order(void **state)
{
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(commands);
	UCS_LIST_HEAD(notifications);

	(void)state;
	open_plugin(&ctx);
	for (uint64_t i = 0; i < 10; i++)
		add_loopback(&commands, i);
	submit(&ctx, &commands);
	for (uint64_t i = 10; i < 15; i++) {
		add_loopback(&commands, i);
		submit(&ctx, &commands);
	}
	assert_success(ctx.iface.progress(&ctx, &notifications));
	add_loopback(&commands, 15);
	submit(&ctx, &commands);
	assert_success(ctx.iface.progress(&ctx, &notifications)); /* behind those that are there */
	for (uint64_t i = 0; i < 16; i++)
		take_loopback(&ctx, &notifications, i);
	assert_true(ucs_list_is_empty(&notifications));
	assert_error(ctx.iface.progress(&ctx, &notifications), DOCA_ERROR_EMPTY);
	ctx.iface.close(&ctx);
}

static void a_command_of_unknown_type_is_answered_by_one_error(void **state)
{
	const uint64_t types[] = { 1, 0xffffffffu, 0x100000000u, UINT64_MAX };
	struct urom_worker_graph_cmd cmd = { 0 };
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(commands);
	UCS_LIST_HEAD(notifications);

	(void)state;
	open_plugin(&ctx);
	for (uint64_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		cmd.type = types[i];
		add_command(&commands, i, &cmd, sizeof(cmd));
	}
	add_loopback(&commands, 99);
	submit(&ctx, &commands);
	assert_success(ctx.iface.progress(&ctx, &notifications));
	for (uint64_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		take_error(&ctx, &notifications, i, DOCA_ERROR_INVALID_VALUE);
	take_loopback(&ctx, &notifications, 99);
	assert_true(ucs_list_is_empty(&notifications));
	ctx.iface.close(&ctx);
}

static void a_command_of_another_length_is_answered_by_an_error(void **state)
{
	struct urom_worker_graph_cmd room[2] = { 0 };
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(commands);
	UCS_LIST_HEAD(notifications);

	(void)state;
	open_plugin(&ctx);
	for (size_t len = 0; len <= sizeof(room); len++) {
		if (len == sizeof(room[0]))
			continue;
		add_command(&commands, len, room, len);
		submit(&ctx, &commands);
		assert_success(ctx.iface.progress(&ctx, &notifications));
		take_error(&ctx, &notifications, len, DOCA_ERROR_INVALID_VALUE);
	}
	ctx.iface.close(&ctx);
}

static void a_notification_is_not_packed_into_less_than_it_needs(void **state)
{
	char room[PACKED_BYTES + 1];
	struct urom_worker_notif_desc *desc;
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(commands);
	UCS_LIST_HEAD(notifications);
	size_t len;

	(void)state;
	open_plugin(&ctx);
	add_loopback(&commands, 0);
	submit(&ctx, &commands);
	assert_success(ctx.iface.progress(&ctx, &notifications));
	desc = ucs_list_extract_head(&notifications, struct urom_worker_notif_desc, entry);
	memset(room, 0x5a, sizeof(room));
	for (size_t given = 0; given < PACKED_BYTES; given++) {
		len = given;
		assert_error(ctx.iface.notif_pack(&desc->worker_notif, &len, room),
			     DOCA_ERROR_TOO_BIG);
		for (size_t i = 0; i < sizeof(room); i++)
			assert_int_equal(room[i], 0x5a);
	}
	len = sizeof(room);
	assert_success(ctx.iface.notif_pack(&desc->worker_notif, &len, room));
	assert_int_equal(len, PACKED_BYTES);
	assert_int_equal(room[PACKED_BYTES], 0x5a);
	free(desc);
	ctx.iface.close(&ctx);
}

static void close_frees_what_nobody_took(void **state)
{
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(commands);

	(void)state;
	open_plugin(&ctx);
	for (uint64_t i = 0; i < 10; i++)
		add_loopback(&commands, i);
	submit(&ctx, &commands); /* the sanitizers find what is left */
	ctx.iface.close(&ctx);
}

static void open_fails_when_ucx_does(void **state)
{
	struct urom_worker_ctx ctx = { 0 };

	(void)state;
	assert_success(plugin.get_iface(&ctx.iface));
	fail_ucx_worker = 1;
	assert_error(ctx.iface.open(&ctx), DOCA_ERROR_NO_MEMORY);
	fail_ucx_worker = 0;
	assert_null(ctx.plugin_ctx);
}

/* One command after the other, as a host does that waits for each answer. */
static void run_loopbacks(struct urom_worker_ctx *ctx, uint64_t count)
{
	UCS_LIST_HEAD(commands);
	UCS_LIST_HEAD(notifications);

	for (uint64_t i = 0; i < count; i++) {
		add_loopback(&commands, i);
		submit(ctx, &commands);
		assert_success(ctx->iface.progress(ctx, &notifications));
		take_loopback(ctx, &notifications, i);
	}
}

/* Under the sanitizers mallinfo2() tells nothing, and they look for leaks themselves. */
static void ten_thousand_loopbacks_leave_no_memory_behind(void **state)
{
	struct urom_worker_ctx ctx;
	size_t before;

	(void)state;
	open_plugin(&ctx);
	run_loopbacks(&ctx, MANY_TURNS);
	before = mallinfo2().uordblks;
	run_loopbacks(&ctx, 10000);
	assert_int_equal(mallinfo2().uordblks, before);
	ctx.iface.close(&ctx);
}

static void ucx_is_driven_once_in_many_turns(void **state)
{
	struct urom_worker_ctx ctx;

	(void)state;
	open_plugin(&ctx);
	num_ucx_progress = 0;
	run_loopbacks(&ctx, MANY_TURNS);
	assert_in_range(num_ucx_progress, 2, MANY_TURNS / 100);
	ctx.iface.close(&ctx);
}

static void ucx_is_driven_after_each_sleep(void **state)
{
	struct urom_worker_ctx ctx;
	doca_error_t result;
	UCS_LIST_HEAD(notifications);

	(void)state;
	open_plugin(&ctx);
	for (unsigned int i = 0; i < 10; i++) {
		num_ucx_progress = 0;
		result = plugin.arm_event(&ctx);
		assert_true(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN);
		assert_error(ctx.iface.progress(&ctx, &notifications), DOCA_ERROR_EMPTY);
		assert_int_equal(num_ucx_progress, 1);
	}
	ctx.iface.close(&ctx);
}

/* Drives the plugin until it agrees to sleep, as an idle worker does. */
static void settle(struct urom_worker_ctx *ctx)
{
	UCS_LIST_HEAD(notifications);

	for (unsigned int i = 0; i < MANY_TURNS; i++) {
		if (plugin.arm_event(ctx) == DOCA_SUCCESS)
			return;
		assert_error(ctx->iface.progress(ctx, &notifications), DOCA_ERROR_EMPTY);
	}
	fail_msg("the plugin is never idle");
}

static void an_answer_that_waits_keeps_the_worker_awake(void **state)
{
	struct urom_worker_ctx ctx;
	UCS_LIST_HEAD(commands);
	UCS_LIST_HEAD(notifications);

	(void)state;
	open_plugin(&ctx);
	settle(&ctx);
	add_loopback(&commands, 0);
	submit(&ctx, &commands);
	assert_error(plugin.arm_event(&ctx), DOCA_ERROR_AGAIN);
	assert_success(ctx.iface.progress(&ctx, &notifications));
	take_loopback(&ctx, &notifications, 0);
	settle(&ctx);
	ctx.iface.close(&ctx);
}

/* Another plugin's worker, as it were, that has looked the address up in its domain. */
struct peer {
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h ep;
};

static void peer_open(struct peer *peer, const void *addr)
{
	ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES,
				.features = UCP_FEATURE_TAG };
	ucp_worker_params_t worker_params = { 0 };
	ucp_ep_params_t ep_params = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
				      .address = addr };
	ucp_config_t *config;

	assert_int_equal(ucp_config_read(NULL, NULL, &config), UCS_OK);
	assert_int_equal(ucp_config_modify(config, "TLS", "^sm"), UCS_OK);
	assert_int_equal(ucp_init(&params, config, &peer->context), UCS_OK);
	ucp_config_release(config);
	assert_int_equal(ucp_worker_create(peer->context, &worker_params, &peer->worker), UCS_OK);
	assert_int_equal(ucp_ep_create(peer->worker, &ep_params, &peer->ep), UCS_OK);
}

static void peer_close(struct peer *peer)
{
	ucp_worker_destroy(peer->worker);
	ucp_cleanup(peer->context);
}

/* Sends a message that nobody has asked for, and drives the peer until the plugin has heard it. */
static void send_until_readable(struct peer *peer, int fd)
{
	const ucp_request_param_t param = { 0 };
	const uint64_t deadline = test_now_ns() + WAIT_MS * 1000000ull;
	void *request = ucp_tag_send_nbx(peer->ep, &param, sizeof(param), 1, &param);

	assert_false(UCS_PTR_IS_ERR(request));
	while (!test_is_readable(fd, 1)) {
		assert_true(test_now_ns() < deadline);
		ucp_worker_progress(peer->worker);
	}
	if (UCS_PTR_IS_PTR(request))
		ucp_request_free(request);
}

static void a_peer_wakes_a_worker_that_sleeps(void **state)
{
	struct urom_worker_ctx ctx;
	struct peer peer;
	size_t len = 0;
	void *addr;
	int fd = -1;

	(void)state;
	open_plugin(&ctx);
	assert_success(plugin.get_event_fd(&ctx, &fd));
	settle(&ctx);
	assert_false(test_is_readable(fd, 0));
	assert_error(ctx.iface.addr(&ctx, NULL, &len), DOCA_ERROR_INVALID_VALUE);
	addr = malloc(len);
	assert_success(ctx.iface.addr(&ctx, addr, &len));
	peer_open(&peer, addr);
	send_until_readable(&peer, fd);
	settle(&ctx); /* it has dealt with what came */
	peer_close(&peer);
	free(addr);
	ctx.iface.close(&ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plugin_tells_its_version_and_its_methods),
		TEST(both_ends_agree_on_the_bytes),
		TEST(addr_tells_the_length_then_the_bytes),
		TEST(progress_without_commands_is_empty),
		TEST(commands_are_answered_in_their_order),
		TEST(a_command_of_unknown_type_is_answered_by_one_error),
		TEST(a_command_of_another_length_is_answered_by_an_error),
		TEST(a_notification_is_not_packed_into_less_than_it_needs),
		TEST(close_frees_what_nobody_took),
		TEST(open_fails_when_ucx_does),
		TEST(ten_thousand_loopbacks_leave_no_memory_behind),
		TEST(ucx_is_driven_once_in_many_turns),
		TEST(ucx_is_driven_after_each_sleep),
		TEST(an_answer_that_waits_keeps_the_worker_awake),
		TEST(a_peer_wakes_a_worker_that_sleeps),
	};

	return cmocka_run_group_tests(tests, load_plugin, NULL);
}
