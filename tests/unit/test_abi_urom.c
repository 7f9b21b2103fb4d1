/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a host program or a plugin compiled against DOCA takes for granted of doca_urom.h and
 * doca_urom_plugin.h: values, layouts and the type of every function, copied from the API tables
 * and not from the headers. Nearly all of it holds when it compiles.
 */
#include <doca_urom.h>
#include <doca_urom_plugin.h>
#include <doca_version.h>

#include "test.h"

#define HAS_VALUE(name, value) _Static_assert((name) == (value), #name " is " #value)
#define IS_TYPE(name, type) \
	_Static_assert(__builtin_types_compatible_p(name, type), #name " is " #type)
#define HAS_TYPE(function, result, ...)                                                   \
	_Static_assert(                                                                   \
	    __builtin_types_compatible_p(__typeof__(&function), result (*)(__VA_ARGS__)), \
	    #function)
#define CAN_FAIL(function, ...) HAS_TYPE(function, doca_error_t, __VA_ARGS__)
#define HAS_SIZE(type, bytes)   _Static_assert(sizeof(type) == (bytes), #type)
#define HAS_FIELD(type, field, field_type, at)                               \
	_Static_assert(offsetof(type, field) == (at), #field " is at " #at); \
	IS_TYPE(__typeof__(((type *)NULL)->field), field_type)

/* doca_urom_plugin.h: what crosses the border between worker and plugin; trap 78 */
HAS_VALUE(DOCA_UROM_PLUGIN_NAME_MAX_LEN, 48);
HAS_SIZE(ucs_list_link_t, 16);
HAS_SIZE(doca_error_t, 4);

HAS_SIZE(struct doca_urom_service_plugin_info, 64);
HAS_FIELD(struct doca_urom_service_plugin_info, id, uint64_t, 0);
HAS_FIELD(struct doca_urom_service_plugin_info, version, uint64_t, 8);
HAS_FIELD(struct doca_urom_service_plugin_info, plugin_name, char[48], 16);

HAS_SIZE(struct urom_worker_cmd, 24);
HAS_FIELD(struct urom_worker_cmd, type, uint64_t, 0);
HAS_FIELD(struct urom_worker_cmd, urom_context, uint64_t, 8);
HAS_FIELD(struct urom_worker_cmd, len, uint64_t, 16);
HAS_FIELD(struct urom_worker_cmd, plugin_cmd, uint8_t[], 24);

HAS_SIZE(struct urom_worker_cmd_desc, 48);
HAS_FIELD(struct urom_worker_cmd_desc, entry, ucs_list_link_t, 0);
HAS_FIELD(struct urom_worker_cmd_desc, dest_id, uint64_t, 16);
HAS_FIELD(struct urom_worker_cmd_desc, worker_cmd, struct urom_worker_cmd, 24);
HAS_FIELD(struct urom_worker_cmd_desc, worker_cmd.plugin_cmd, uint8_t[], 48);

HAS_SIZE(struct urom_worker_notify, 32);
HAS_FIELD(struct urom_worker_notify, type, uint64_t, 0);
HAS_FIELD(struct urom_worker_notify, urom_context, uint64_t, 8);
HAS_FIELD(struct urom_worker_notify, len, uint64_t, 16);
HAS_FIELD(struct urom_worker_notify, status, doca_error_t, 24);
HAS_FIELD(struct urom_worker_notify, reserved, uint32_t, 28);
HAS_FIELD(struct urom_worker_notify, plugin_notif, uint8_t[], 32);

HAS_SIZE(struct urom_worker_notif_desc, 56);
HAS_FIELD(struct urom_worker_notif_desc, entry, ucs_list_link_t, 0);
HAS_FIELD(struct urom_worker_notif_desc, dest_id, uint64_t, 16);
HAS_FIELD(struct urom_worker_notif_desc, worker_notif, struct urom_worker_notify, 24);
HAS_FIELD(struct urom_worker_notif_desc, worker_notif.plugin_notif, uint8_t[], 56);

HAS_SIZE(struct urom_plugin_iface, 56);
HAS_FIELD(struct urom_plugin_iface, __doca_api_version, size_t, 0);
HAS_FIELD(struct urom_plugin_iface, open, doca_error_t (*)(struct urom_worker_ctx *), 8);
HAS_FIELD(struct urom_plugin_iface, close, void (*)(struct urom_worker_ctx *), 16);
HAS_FIELD(struct urom_plugin_iface, addr,
	  doca_error_t (*)(struct urom_worker_ctx *, void *, size_t *), 24);
HAS_FIELD(struct urom_plugin_iface, worker_cmd,
	  doca_error_t (*)(struct urom_worker_ctx *, ucs_list_link_t *), 32);
HAS_FIELD(struct urom_plugin_iface, progress,
	  doca_error_t (*)(struct urom_worker_ctx *, ucs_list_link_t *), 40);
HAS_FIELD(struct urom_plugin_iface, notif_pack,
	  doca_error_t (*)(struct urom_worker_notify *, size_t *, void *), 48);

HAS_SIZE(struct urom_domain_lookups_iface, 32);
HAS_FIELD(struct urom_domain_lookups_iface, addr_lookup,
	  doca_error_t (*)(struct urom_worker_ctx *, uint64_t, void **), 0);
HAS_FIELD(struct urom_domain_lookups_iface, seg_lookup,
	  doca_error_t (*)(struct urom_worker_ctx *, uint64_t, uint64_t, int *), 8);
HAS_FIELD(struct urom_domain_lookups_iface, memh_lookup,
	  doca_error_t (*)(struct urom_worker_ctx *, uint64_t, int, size_t *, void **), 16);
HAS_FIELD(struct urom_domain_lookups_iface, mkey_lookup,
	  doca_error_t (*)(struct urom_worker_ctx *, uint64_t, int, size_t *, void **), 24);

HAS_SIZE(struct urom_worker_ctx, 96);
HAS_FIELD(struct urom_worker_ctx, iface, struct urom_plugin_iface, 0);
HAS_FIELD(struct urom_worker_ctx, domain_iface, struct urom_domain_lookups_iface, 56);
HAS_FIELD(struct urom_worker_ctx, plugin_ctx, void *, 88);

CAN_FAIL(doca_urom_worker_domain_addr_lookup, struct urom_worker_ctx *, uint64_t, void **);
CAN_FAIL(doca_urom_worker_domain_seg_lookup, struct urom_worker_ctx *, uint64_t, uint64_t, int *);
CAN_FAIL(doca_urom_worker_domain_memh_lookup, struct urom_worker_ctx *, uint64_t, int, size_t *,
	 void **);
CAN_FAIL(doca_urom_worker_domain_mkey_lookup, struct urom_worker_ctx *, uint64_t, int, size_t *,
	 void **);

/* doca_urom.h */
HAS_VALUE(DOCA_UROM_WORKER_ID_ANY, UINT64_MAX);
IS_TYPE(doca_cpu_set_t, ucs_cpu_set_t);
HAS_SIZE(doca_cpu_set_t, 128);
IS_TYPE(doca_urom_service_get_workers_by_gid_task_completion_cb_t,
	void (*)(struct doca_urom_service_get_workers_by_gid_task *, union doca_data,
		 union doca_data));
IS_TYPE(doca_urom_worker_cmd_task_completion_cb_t,
	void (*)(struct doca_urom_worker_cmd_task *, union doca_data, union doca_data));

CAN_FAIL(doca_urom_service_create, struct doca_urom_service **);
CAN_FAIL(doca_urom_service_destroy, struct doca_urom_service *);
CAN_FAIL(doca_urom_service_set_max_comm_msg_size, struct doca_urom_service *, size_t);
CAN_FAIL(doca_urom_service_set_max_workers, struct doca_urom_service *, uint32_t);
CAN_FAIL(doca_urom_service_set_dev, struct doca_urom_service *, struct doca_dev *);
HAS_TYPE(doca_urom_service_as_ctx, struct doca_ctx *, struct doca_urom_service *);
CAN_FAIL(doca_urom_service_get_plugins_list, struct doca_urom_service *,
	 const struct doca_urom_service_plugin_info **, size_t *);
CAN_FAIL(doca_urom_service_get_cpuset, struct doca_urom_service *, doca_cpu_set_t *);

CAN_FAIL(doca_urom_service_get_workers_by_gid_task_allocate, struct doca_urom_service *,
	 struct doca_urom_service_get_workers_by_gid_task **);
CAN_FAIL(doca_urom_service_get_workers_by_gid_task_allocate_init, struct doca_urom_service *,
	 uint32_t, doca_urom_service_get_workers_by_gid_task_completion_cb_t,
	 struct doca_urom_service_get_workers_by_gid_task **);
CAN_FAIL(doca_urom_service_get_workers_by_gid_task_release,
	 struct doca_urom_service_get_workers_by_gid_task *);
HAS_TYPE(doca_urom_service_get_workers_by_gid_task_set_gid, void,
	 struct doca_urom_service_get_workers_by_gid_task *, uint32_t);
HAS_TYPE(doca_urom_service_get_workers_by_gid_task_set_cb, void,
	 struct doca_urom_service_get_workers_by_gid_task *,
	 doca_urom_service_get_workers_by_gid_task_completion_cb_t);
HAS_TYPE(doca_urom_service_get_workers_by_gid_task_as_task, struct doca_task *,
	 struct doca_urom_service_get_workers_by_gid_task *);
HAS_TYPE(doca_urom_service_get_workers_by_gid_task_get_workers_count, size_t,
	 struct doca_urom_service_get_workers_by_gid_task *);
HAS_TYPE(doca_urom_service_get_workers_by_gid_task_get_worker_ids, const uint64_t *,
	 struct doca_urom_service_get_workers_by_gid_task *);

CAN_FAIL(doca_urom_worker_create, struct doca_urom_worker **);
CAN_FAIL(doca_urom_worker_destroy, struct doca_urom_worker *);
CAN_FAIL(doca_urom_worker_set_service, struct doca_urom_worker *, struct doca_urom_service *);
CAN_FAIL(doca_urom_worker_set_id, struct doca_urom_worker *, uint64_t);
CAN_FAIL(doca_urom_worker_set_plugins, struct doca_urom_worker *, uint64_t);
CAN_FAIL(doca_urom_worker_set_cpuset, struct doca_urom_worker *, doca_cpu_set_t);
CAN_FAIL(doca_urom_worker_set_gid, struct doca_urom_worker *, uint32_t);
CAN_FAIL(doca_urom_worker_set_max_inflight_tasks, struct doca_urom_worker *, uint32_t);
CAN_FAIL(doca_urom_worker_set_env, struct doca_urom_worker *, char *const *, size_t);
CAN_FAIL(doca_urom_worker_get_id, struct doca_urom_worker *, uint64_t *);
CAN_FAIL(doca_urom_worker_get_gid, struct doca_urom_worker *, uint32_t *);
HAS_TYPE(doca_urom_worker_as_ctx, struct doca_ctx *, struct doca_urom_worker *);

CAN_FAIL(doca_urom_worker_cmd_task_allocate, struct doca_urom_worker *,
	 struct doca_urom_worker_cmd_task **);
CAN_FAIL(doca_urom_worker_cmd_task_allocate_init, struct doca_urom_worker *, uint64_t,
	 struct doca_urom_worker_cmd_task **);
CAN_FAIL(doca_urom_worker_cmd_task_release, struct doca_urom_worker_cmd_task *);
HAS_TYPE(doca_urom_worker_cmd_task_set_plugin, void, struct doca_urom_worker_cmd_task *, uint64_t);
HAS_TYPE(doca_urom_worker_cmd_task_set_cb, void, struct doca_urom_worker_cmd_task *,
	 doca_urom_worker_cmd_task_completion_cb_t);
HAS_TYPE(doca_urom_worker_cmd_task_get_payload, struct doca_buf *,
	 struct doca_urom_worker_cmd_task *);
HAS_TYPE(doca_urom_worker_cmd_task_get_response, struct doca_buf *,
	 struct doca_urom_worker_cmd_task *);
HAS_TYPE(doca_urom_worker_cmd_task_get_user_data, void *, struct doca_urom_worker_cmd_task *);
HAS_TYPE(doca_urom_worker_cmd_task_as_task, struct doca_task *, struct doca_urom_worker_cmd_task *);

/* The macros come from UCX by other names. */
static void processor_sets_hold_1024(void **state)
{
	doca_cpu_set_t set;
	int cpu;

	(void)state;
	DOCA_CPU_ZERO(&set);
	for (cpu = 0; cpu < 1024; cpu++)
		assert_false(doca_cpu_is_set(cpu, &set));
	DOCA_CPU_SET(0, &set);
	DOCA_CPU_SET(63, &set);
	DOCA_CPU_SET(1023, &set);
	for (cpu = 0; cpu < 1024; cpu++)
		assert_int_equal(doca_cpu_is_set(cpu, &set) != 0,
				 cpu == 0 || cpu == 63 || cpu == 1023);
}

/* The daemon and hosts hand sets on as 128 bytes: processor n is bit n, the lowest first. */
static void processor_n_is_bit_n(void **state)
{
	union {
		doca_cpu_set_t set;
		uint8_t bytes[128];
	} cpus;

	(void)state;
	DOCA_CPU_ZERO(&cpus.set);
	DOCA_CPU_SET(9, &cpus.set);
	DOCA_CPU_SET(64, &cpus.set);
	assert_int_equal(cpus.bytes[1], 1u << 1);
	assert_int_equal(cpus.bytes[8], 1u << 0);
}

static void interfaces_are_stamped_with_the_version(void **state)
{
	struct urom_plugin_iface iface = { 0 };

	(void)state;
	DOCA_STRUCT_CTOR(iface);
	assert_int_equal(iface.__doca_api_version, 0x03030000);
}

#define DOMAIN_ID 7u
#define SEG       3
#define LEN       99u
#define VA        0x1000u

static char found;

static doca_error_t lookup_addr(struct urom_worker_ctx *ctx, uint64_t domain_id, void **addr)
{
	assert_ptr_equal(ctx->plugin_ctx, &found);
	assert_int_equal(domain_id, DOMAIN_ID);
	*addr = &found;
	return DOCA_ERROR_AGAIN;
}

static doca_error_t lookup_seg(struct urom_worker_ctx *ctx, uint64_t domain_id, uint64_t va,
			       int *seg)
{
	assert_ptr_equal(ctx->plugin_ctx, &found);
	assert_int_equal(domain_id, DOMAIN_ID);
	assert_int_equal(va, VA);
	*seg = SEG;
	return DOCA_ERROR_TIME_OUT;
}

static doca_error_t lookup_memh(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
				size_t *len, void **memh)
{
	assert_ptr_equal(ctx->plugin_ctx, &found);
	assert_int_equal(domain_id, DOMAIN_ID);
	assert_int_equal(seg, SEG);
	*len = LEN;
	*memh = &found;
	return DOCA_ERROR_FULL;
}

static doca_error_t lookup_mkey(struct urom_worker_ctx *ctx, uint64_t domain_id, int seg,
				size_t *len, void **rkey)
{
	assert_ptr_equal(ctx->plugin_ctx, &found);
	assert_int_equal(domain_id, DOMAIN_ID);
	assert_int_equal(seg, SEG);
	*len = LEN + 1;
	*rkey = &found;
	return DOCA_ERROR_EMPTY;
}

/* A context with lookups that know what they are to be given, each with a result of its own. */
static struct urom_worker_ctx with_lookups(void)
{
	return (struct urom_worker_ctx){
		.domain_iface = {
			.addr_lookup = lookup_addr,
			.seg_lookup = lookup_seg,
			.memh_lookup = lookup_memh,
			.mkey_lookup = lookup_mkey,
		},
		.plugin_ctx = &found,
	};
}

static void lookups_of_addresses_and_segments_ask_the_worker(void **state)
{
	struct urom_worker_ctx ctx = with_lookups();
	void *addr = NULL;
	int seg = 0;

	(void)state;
	assert_error(doca_urom_worker_domain_addr_lookup(&ctx, DOMAIN_ID, &addr), DOCA_ERROR_AGAIN);
	assert_ptr_equal(addr, &found);
	assert_error(doca_urom_worker_domain_seg_lookup(&ctx, DOMAIN_ID, VA, &seg),
		     DOCA_ERROR_TIME_OUT);
	assert_int_equal(seg, SEG);
}

static void lookups_of_handles_and_keys_ask_the_worker(void **state)
{
	struct urom_worker_ctx ctx = with_lookups();
	void *memh = NULL, *rkey = NULL;
	size_t len = 0;

	(void)state;
	assert_error(doca_urom_worker_domain_memh_lookup(&ctx, DOMAIN_ID, SEG, &len, &memh),
		     DOCA_ERROR_FULL);
	assert_ptr_equal(memh, &found);
	assert_int_equal(len, LEN);
	assert_error(doca_urom_worker_domain_mkey_lookup(&ctx, DOMAIN_ID, SEG, &len, &rkey),
		     DOCA_ERROR_EMPTY);
	assert_ptr_equal(rkey, &found);
	assert_int_equal(len, LEN + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(processor_sets_hold_1024),
		TEST(processor_n_is_bit_n),
		TEST(interfaces_are_stamped_with_the_version),
		TEST(lookups_of_addresses_and_segments_ask_the_worker),
		TEST(lookups_of_handles_and_keys_ask_the_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
