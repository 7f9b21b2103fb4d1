/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What every call of doca_mmap.h answers in every state of a mmap: one table, of which each cell is
 * tried on a mmap of its own. A refusal must log one line and leave every byte of the mmap alone.
 */

#include <stdlib.h>
#include <string.h>

#include "core/mmap.h"
#include "fixture.h"
#include "test.h"

#define RANGE_LEN 64

enum state {
	NEW,
	RANGED,
	STARTED,
	STOPPED,
	EXPORTED,
	EXPORT_STOPPED,
	IMPORTED,
	WITH_BUF,
	THREAD_SAFE, /* started, and a buf is out */
	NUM_STATES,
};

struct scene {
	struct doca_dev *dev;   /* added, except when NEW */
	struct doca_dev *other; /* never added */
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_buf *buf;
	struct doca_buf *made; /* by the call */
	char bytes[RANGE_LEN];
};

/* All that a mmap consists of. */
struct snapshot {
	struct doca_mmap mmap;
	struct core_mmap_dev dev;
	uint8_t blob[128];
};

/* --- the calls --- */

static doca_error_t call_start(struct scene *scene)
{
	return doca_mmap_start(scene->mmap);
}

static doca_error_t call_stop(struct scene *scene)
{
	return doca_mmap_stop(scene->mmap);
}

static doca_error_t call_destroy(struct scene *scene)
{
	doca_error_t result = doca_mmap_destroy(scene->mmap);

	if (result == DOCA_SUCCESS)
		scene->mmap = NULL;
	return result;
}

static doca_error_t call_add_other(struct scene *scene)
{
	return doca_mmap_add_dev(scene->mmap, scene->other);
}

static doca_error_t call_add_dev(struct scene *scene)
{
	return doca_mmap_add_dev(scene->mmap, scene->dev);
}

static doca_error_t call_rm_other(struct scene *scene)
{
	return doca_mmap_rm_dev(scene->mmap, scene->other);
}

static doca_error_t call_rm_dev(struct scene *scene)
{
	return doca_mmap_rm_dev(scene->mmap, scene->dev);
}

static doca_error_t call_export(struct scene *scene)
{
	const void *blob;
	size_t len;

	return doca_mmap_export_rdma(scene->mmap, scene->dev, &blob, &len);
}

static doca_error_t call_export_other(struct scene *scene)
{
	const void *blob;
	size_t len;

	return doca_mmap_export_rdma(scene->mmap, scene->other, &blob, &len);
}

static doca_error_t call_export_pci(struct scene *scene)
{
	const void *blob;
	size_t len;

	return doca_mmap_export_pci(scene->mmap, scene->dev, &blob, &len);
}

static doca_error_t call_dpa_handle(struct scene *scene)
{
	doca_dpa_dev_mmap_t handle;

	return doca_mmap_dev_get_dpa_handle(scene->mmap, scene->dev, &handle);
}

static doca_error_t call_set_memrange(struct scene *scene)
{
	return doca_mmap_set_memrange(scene->mmap, scene->bytes, RANGE_LEN);
}

static doca_error_t call_set_wrapping(struct scene *scene)
{
	return doca_mmap_set_memrange(scene->mmap, scene->bytes, SIZE_MAX);
}

static doca_error_t call_set_dmabuf(struct scene *scene)
{
	return doca_mmap_set_dmabuf_memrange(scene->mmap, 0, NULL, 0, RANGE_LEN);
}

static doca_error_t call_set_dpa(struct scene *scene)
{
	struct doca_dpa *dpa = (struct doca_dpa *)(void *)scene->bytes; /* none can be made */

	return doca_mmap_set_dpa_memrange(scene->mmap, dpa, 0, RANGE_LEN);
}

static doca_error_t call_get_memrange(struct scene *scene)
{
	void *addr;
	size_t len;

	return doca_mmap_get_memrange(scene->mmap, &addr, &len);
}

static void on_free(void *addr, size_t len, void *cookie)
{
	(void)addr;
	(void)len;
	(void)cookie;
}

static doca_error_t call_set_free_cb(struct scene *scene)
{
	return doca_mmap_set_free_cb(scene->mmap, on_free, scene);
}

static doca_error_t call_get_user_data(struct scene *scene)
{
	union doca_data data;

	return doca_mmap_get_user_data(scene->mmap, &data);
}

static doca_error_t call_get_max(struct scene *scene)
{
	uint32_t max;

	return doca_mmap_get_max_num_devices(scene->mmap, &max);
}

static doca_error_t call_get_num_bufs(struct scene *scene)
{
	uint32_t num_bufs;

	return doca_mmap_get_num_bufs(scene->mmap, &num_bufs);
}

static doca_error_t call_get_exported(struct scene *scene)
{
	uint8_t is_exported;

	return doca_mmap_get_exported(scene->mmap, &is_exported);
}

static doca_error_t call_get_from_export(struct scene *scene)
{
	uint8_t is_from_export;

	return doca_mmap_get_from_export(scene->mmap, &is_from_export);
}

static doca_error_t call_set_max(struct scene *scene)
{
	return doca_mmap_set_max_num_devices(scene->mmap, 8);
}

static doca_error_t call_set_max_0(struct scene *scene)
{
	return doca_mmap_set_max_num_devices(scene->mmap, 0);
}

static doca_error_t call_set_permissions(struct scene *scene)
{
	return doca_mmap_set_permissions(scene->mmap, DOCA_ACCESS_FLAG_RDMA_READ);
}

static doca_error_t call_set_unknown_bit(struct scene *scene)
{
	return doca_mmap_set_permissions(scene->mmap, 1u << 20);
}

static doca_error_t call_set_user_data(struct scene *scene)
{
	return doca_mmap_set_user_data(scene->mmap, (union doca_data){ .u64 = 7 });
}

static doca_error_t call_enable_threads(struct scene *scene)
{
	return doca_mmap_enable_thread_safety(scene->mmap);
}

static doca_error_t call_get_buf(struct scene *scene)
{
	return doca_buf_inventory_buf_get_by_addr(scene->inventory, scene->mmap, scene->bytes, 1,
						  &scene->made);
}

/* --- the table --- */

#define OK DOCA_SUCCESS
#define AE DOCA_ERROR_ALREADY_EXIST
#define BS DOCA_ERROR_BAD_STATE
#define IV DOCA_ERROR_INVALID_VALUE
#define NF DOCA_ERROR_NOT_FOUND
#define NP DOCA_ERROR_NOT_PERMITTED
#define NS DOCA_ERROR_NOT_SUPPORTED

/* clang-format off */
static const struct {
	const char *name;
	doca_error_t (*call)(struct scene *scene);
	doca_error_t expected[NUM_STATES];
	const char *part; /* of the line that a refusal logs */
} rows[] = {
	/*                                           new  start.  exported   imported thread-safe */
	/*                                             ranged   stopped   stopped   with buf      */
	{ "start",             call_start,           { IV, OK, BS, OK, NP, OK, NP, BS, BS }, "no start" },
	{ "stop",              call_stop,            { OK, OK, OK, OK, OK, OK, OK, NP, OK }, "no stop" },
	{ "destroy",           call_destroy,         { OK, OK, OK, OK, OK, OK, OK, NP, OK }, "has bufs" },
	{ "add another dev",   call_add_other,       { OK, OK, NP, OK, NP, OK, NP, NP, NP }, "add_dev" },
	{ "add the dev",       call_add_dev,         { OK, AE, NP, AE, NP, AE, NP, NP, NP }, "add_dev" },
	{ "remove another",    call_rm_other,        { NF, NF, NP, NF, NP, NF, NP, NP, NP }, "rm_dev" },
	{ "remove the dev",    call_rm_dev,          { NF, OK, NP, OK, NP, OK, NP, NP, NP }, "rm_dev" },
	{ "export",            call_export,          { NP, NP, OK, NP, OK, NP, NP, OK, OK }, "not exported" },
	{ "export to another", call_export_other,    { NP, NP, NF, NP, NF, NP, NP, NF, NF }, "mmap" },
	{ "export over PCI",   call_export_pci,      { NS, NS, NS, NS, NS, NS, NS, NS, NS }, "PCI" },
	{ "DPA handle",        call_dpa_handle,      { NS, NS, NS, NS, NS, NS, NS, NS, NS }, "DPA" },
	{ "set range",         call_set_memrange,    { OK, NP, BS, NP, BS, NP, NP, BS, BS }, "set_memrange" },
	{ "set wrapping range", call_set_wrapping,   { IV, NP, BS, NP, BS, NP, NP, BS, BS }, "mmap" },
	{ "set dmabuf",        call_set_dmabuf,      { NS, NS, NS, NS, NS, NS, NS, NS, NS }, "dmabuf" },
	{ "set DPA range",     call_set_dpa,         { NS, NS, NS, NS, NS, NS, NS, NS, NS }, "DPA" },
	{ "get range",         call_get_memrange,    { BS, OK, OK, OK, OK, OK, OK, OK, OK }, "no range" },
	{ "set free_cb",       call_set_free_cb,     { OK, OK, BS, OK, BS, OK, NP, BS, BS }, "set_free_cb" },
	{ "get user data",     call_get_user_data,   { OK, OK, OK, OK, OK, OK, OK, OK, OK }, "" },
	{ "get max devices",   call_get_max,         { OK, OK, OK, OK, OK, OK, OK, OK, OK }, "" },
	{ "get bufs",          call_get_num_bufs,    { OK, OK, OK, OK, OK, OK, OK, OK, OK }, "" },
	{ "get exported",      call_get_exported,    { OK, OK, OK, OK, OK, OK, OK, OK, OK }, "" },
	{ "get from_export",   call_get_from_export, { OK, OK, OK, OK, OK, OK, OK, OK, OK }, "" },
	{ "set max devices",   call_set_max,         { OK, OK, NP, NP, NP, NP, NP, NP, NP }, "set_max" },
	{ "set max 0",         call_set_max_0,       { IV, IV, NP, NP, NP, NP, NP, NP, NP }, "set_max" },
	{ "set permissions",   call_set_permissions, { OK, OK, BS, OK, BS, OK, NP, BS, BS }, "permissions" },
	{ "set unknown bit",   call_set_unknown_bit, { IV, IV, BS, IV, BS, IV, NP, BS, BS }, "permissions" },
	{ "set user data",     call_set_user_data,   { OK, OK, BS, OK, BS, OK, NP, BS, BS }, "set_user_data" },
	{ "enable threads",    call_enable_threads,  { OK, OK, NP, OK, NP, OK, NP, NP, NP }, "thread" },
	{ "get a buf",         call_get_buf,         { BS, BS, OK, BS, OK, BS, OK, OK, OK }, "not started" },
};
/* clang-format on */

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

/* --- the states --- */

static void scene_import(struct scene *scene)
{
	struct doca_mmap *exporter =
	    fixture_mmap_create(scene->dev, scene->bytes, RANGE_LEN, DOCA_ACCESS_FLAG_RDMA_READ);
	const void *blob;
	size_t len;

	assert_success(doca_mmap_export_rdma(exporter, scene->dev, &blob, &len));
	assert_success(doca_mmap_create_from_export(NULL, blob, len, scene->dev, &scene->mmap));
	fixture_mmap_destroy(exporter);
}

static void scene_make_local(struct scene *scene, enum state state)
{
	assert_success(doca_mmap_create(&scene->mmap));
	if (state == NEW)
		return;
	assert_success(doca_mmap_set_memrange(scene->mmap, scene->bytes, RANGE_LEN));
	assert_success(doca_mmap_set_permissions(scene->mmap, DOCA_ACCESS_FLAG_RDMA_READ));
	assert_success(doca_mmap_add_dev(scene->mmap, scene->dev));
	if (state == RANGED)
		return;
	if (state == THREAD_SAFE)
		assert_success(doca_mmap_enable_thread_safety(scene->mmap));
	assert_success(doca_mmap_start(scene->mmap));
	if (state == EXPORTED || state == EXPORT_STOPPED)
		assert_success(call_export(scene));
	if (state == STOPPED || state == EXPORT_STOPPED)
		assert_success(doca_mmap_stop(scene->mmap));
	if (state == WITH_BUF || state == THREAD_SAFE) {
		assert_success(call_get_buf(scene));
		scene->buf = scene->made;
		scene->made = NULL;
	}
}

static void scene_init(struct scene *scene, enum state state)
{
	memset(scene, 0, sizeof(*scene));
	scene->dev = fixture_dev_open_named("first");
	scene->other = fixture_dev_open_named("second");
	assert_non_null(scene->dev);
	assert_non_null(scene->other);
	scene->inventory = fixture_inventory_create(2);
	if (state == IMPORTED)
		scene_import(scene);
	else
		scene_make_local(scene, state);
}

static void scene_fini(struct scene *scene)
{
	if (scene->made != NULL)
		fixture_buf_put(scene->made);
	if (scene->buf != NULL) /* of a thread-safe mmap it may come after the mmap's end */
		fixture_buf_put(scene->buf);
	if (scene->mmap != NULL)
		assert_success(doca_mmap_destroy(scene->mmap));
	fixture_inventory_destroy(scene->inventory);
	assert_success(doca_dev_close(scene->dev));
	assert_success(doca_dev_close(scene->other));
}

static void snapshot_take(struct snapshot *snapshot, const struct doca_mmap *mmap)
{
	memset(snapshot, 0, sizeof(*snapshot));
	memcpy(&snapshot->mmap, mmap, sizeof(*mmap));
	if (mmap->num_devs == 0)
		return;
	memcpy(&snapshot->dev, mmap->devs, sizeof(snapshot->dev));
	if (mmap->devs[0].blob != NULL)
		memcpy(snapshot->blob, mmap->devs[0].blob, core_mmap_blob_size());
}

static doca_error_t cell_call(struct scene *scene, size_t row, enum state state)
{
	doca_error_t result = rows[row].call(scene);

	if (result != rows[row].expected[state])
		print_error("%s: ", rows[row].name);
	return result;
}

static void check_cell(size_t row, enum state state)
{
	doca_error_t expected = rows[row].expected[state];
	struct snapshot before, after;
	struct scene scene;

	scene_init(&scene, state);
	if (expected == DOCA_SUCCESS) {
		assert_success(cell_call(&scene, row, state));
	} else {
		snapshot_take(&before, scene.mmap);
		assert_refused(cell_call(&scene, row, state), expected, rows[row].part);
		snapshot_take(&after, scene.mmap);
		assert_memory_equal(&before, &after, sizeof(before));
	}
	scene_fini(&scene);
}

static void check_state(enum state state)
{
	for (size_t row = 0; row < NUM_ROWS; row++)
		check_cell(row, state);
}

/* --- a test a state --- */

static void every_call_answers_right_when_new(void **state)
{
	(void)state;
	check_state(NEW);
}

static void every_call_answers_right_with_a_range(void **state)
{
	(void)state;
	check_state(RANGED);
}

static void every_call_answers_right_when_started(void **state)
{
	(void)state;
	check_state(STARTED);
}

static void every_call_answers_right_when_stopped(void **state)
{
	(void)state;
	check_state(STOPPED);
}

static void every_call_answers_right_when_exported(void **state)
{
	(void)state;
	check_state(EXPORTED);
}

static void every_call_answers_right_when_stopped_after_export(void **state)
{
	(void)state;
	check_state(EXPORT_STOPPED);
}

static void every_call_answers_right_when_imported(void **state)
{
	(void)state;
	check_state(IMPORTED);
}

static void every_call_answers_right_with_a_buf_out(void **state)
{
	(void)state;
	check_state(WITH_BUF);
}

static void every_call_answers_right_when_thread_safe(void **state)
{
	(void)state;
	check_state(THREAD_SAFE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_call_answers_right_when_new),
		TEST(every_call_answers_right_with_a_range),
		TEST(every_call_answers_right_when_started),
		TEST(every_call_answers_right_when_stopped),
		TEST(every_call_answers_right_when_exported),
		TEST(every_call_answers_right_when_stopped_after_export),
		TEST(every_call_answers_right_when_imported),
		TEST(every_call_answers_right_with_a_buf_out),
		TEST(every_call_answers_right_when_thread_safe),
	};

	if (setenv("DOCA_SOFT_DEVICES", "first@0000:01:00.0@lo,second@0000:01:00.1@lo", 1) != 0)
		return 1;
	return cmocka_run_group_tests_name("mmap_matrix", tests, NULL, NULL);
}
