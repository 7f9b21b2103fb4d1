/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes of a peer's memory: where bytes go, and who must have permitted it. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/mmap.h"
#include "fixture.h"
#include "rdma_rig.h"

#define MIB       ((size_t)1024 * 1024)
#define NUM_SIZES 8
#define LOCAL     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE
#define TO_READ   DOCA_ACCESS_FLAG_RDMA_READ
#define TO_WRITE  DOCA_ACCESS_FLAG_RDMA_WRITE

static void fill(char *bytes, size_t len, unsigned int seed)
{
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(seed + i * 5 + (i >> 8));
}

static void write_goes_behind_the_data(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *dst;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memcpy(pair.a.bytes, "written", 7);
	dst = rdma_remote_buf(&pair.a, &pair.b, 100, 50, 10);

	rdma_submit(&pair.a, rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 7), dst, 1));

	rdma_hears(&pair.a, "ok(1)");
	assert_memory_equal(pair.b.bytes + 110, "written", 8);
	assert_int_equal(pair.b.bytes[109], 0);
	assert_int_equal(rdma_data_len(&pair.a, dst), 10);
	rdma_pair_fini(&pair);
}

/* rdma trap 24 */
static void read_takes_the_length_of_its_source(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *dst;
	struct doca_task *task;

	(void)state;
	rdma_pair_init(&pair, NULL);
	memset(pair.b.bytes, 'x', 100);
	dst = rdma_room(&pair.a, 0, 100);
	pair.a.heard.on_task = heard_keep_task;

	task = rdma_submit(
	    &pair.a, rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 50, 10), dst, 1));

	rdma_hears(&pair.a, "ok(1)");
	assert_memory_equal(pair.a.bytes, pair.b.bytes, 10);
	assert_int_equal(pair.a.bytes[10], 0);
	assert_int_equal(rdma_data_len(&pair.a, dst), 10);
	assert_int_equal(
	    doca_rdma_task_read_get_result_len((struct doca_rdma_task_read *)(void *)task), 10);
	doca_task_free(task);
	rdma_pair_fini(&pair);
}

/* rdma trap 24 */
static void read_needs_room(void **state)
{
	struct rdma_pair pair;
	struct doca_task *task;

	(void)state;
	rdma_pair_init(&pair, NULL);

	task = rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 10, 10),
			      rdma_room(&pair.a, 0, 5), 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "too little room");
	doca_task_free(task);
	task = rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 10),
			       rdma_remote_buf(&pair.a, &pair.b, 0, 10, 5), 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "too little room");
	doca_task_free(task);
	rdma_pair_fini(&pair);
}

static void read_is_scattered_over_a_list(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *bufs[3], *list;

	(void)state;
	rdma_pair_init(&pair, NULL);
	fill(pair.b.bytes, 30000, 1);
	bufs[0] = rdma_room(&pair.a, 0, 5000);
	bufs[1] = rdma_room(&pair.a, 6000, 1);
	bufs[2] = rdma_room(&pair.a, 30000, 30000);
	list = rdma_chain(&pair.a, bufs, 3);

	rdma_submit(
	    &pair.a,
	    rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 30000, 30000), list, 1));

	rdma_hears(&pair.a, "ok(1)");
	assert_memory_equal(pair.a.bytes, pair.b.bytes, 5000);
	assert_int_equal(pair.a.bytes[6000], pair.b.bytes[5000]);
	assert_memory_equal(pair.a.bytes + 30000, pair.b.bytes + 5001, 24999);
	rdma_pair_fini(&pair);
}

static void big_ones_come_whole(void **state)
{
	static const size_t sizes[] = { 8, 4096, 4097, 16384, 65536, 262145, 5 * MIB };
	const struct rdma_conf conf = { .len = 12 * MIB };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i];

		fill(pair.a.bytes, size, i);
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, size),
					    rdma_remote_buf(&pair.a, &pair.b, 64, size, 0), 1));
		rdma_submit(&pair.a, rdma_read_task(
					 &pair.a, rdma_remote_buf(&pair.a, &pair.b, 64, size, size),
					 rdma_room(&pair.a, 6 * MIB, size), 2));
		rdma_hears(&pair.a, "ok(1) ok(2)");
		assert_memory_equal(pair.b.bytes + 64, pair.a.bytes, size);
		assert_memory_equal(pair.a.bytes + 6 * MIB, pair.a.bytes, size);
	}
	rdma_pair_fini(&pair);
}

/* rdma trap 9. Both sides push and pull at once, through sockets that hold next to nothing. */
static void both_sides_at_once_do_not_block_each_other(void **state)
{
	const size_t size = rdma_rounds(1, 8) * MIB;
	const struct rdma_conf conf = { .len = 3 * size };
	const unsigned int count = rdma_rounds(8, 64);
	struct rdma_pair pair;

	(void)state;
	/* With less, TCP over a device of this MTU waits for timers of its own. */
	setenv("DOCA_RDMA_SOCKET_BUFFER", rdma_is_over_tcp() ? "65536" : "4096", 1);
	rdma_pair_init(&pair, &conf);
	for (uint64_t i = 0; i < count; i++) {
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, size),
					    rdma_remote_buf(&pair.a, &pair.b, size, size, 0), i));
		rdma_submit(&pair.a, rdma_read_task(
					 &pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, size, size),
					 rdma_room(&pair.a, 2 * size, size), i));
		rdma_submit(&pair.b,
			    rdma_write_task(&pair.b, rdma_data(&pair.b, 0, size),
					    rdma_remote_buf(&pair.b, &pair.a, size, size, 0), i));
		rdma_submit(&pair.b, rdma_read_task(
					 &pair.b, rdma_remote_buf(&pair.b, &pair.a, 0, size, size),
					 rdma_room(&pair.b, 2 * size, size), i));
	}
	rdma_drive(&pair, &pair.a, 2 * count);
	rdma_drive(&pair, &pair.b, 2 * count);
	unsetenv("DOCA_RDMA_SOCKET_BUFFER");
	rdma_pair_fini(&pair);
}

struct rights_case {
	uint32_t mmap, ctx;
};

enum access {
	ACCESS_WRITE,
	ACCESS_WRITE_IMM,
	ACCESS_READ,
	NUM_ACCESSES,
};

static struct doca_task *access_task(struct rdma_pair *pair, enum access access)
{
	switch (access) {
	case ACCESS_WRITE:
		return rdma_write_task(&pair->a, rdma_data(&pair->a, 0, 8),
				       rdma_remote_buf(&pair->a, &pair->b, 0, 8, 0), 1);
	case ACCESS_WRITE_IMM:
		return rdma_write_imm_task(&pair->a, rdma_data(&pair->a, 0, 8),
					   rdma_remote_buf(&pair->a, &pair->b, 0, 8, 0), 1, 1);
	case ACCESS_READ:
		return rdma_read_task(&pair->a, rdma_remote_buf(&pair->a, &pair->b, 0, 8, 8),
				      rdma_room(&pair->a, 8, 8), 1);
	case NUM_ACCESSES:
		break;
	}
	return NULL;
}

/* True: it was permitted. What was not has left the memory as it was. */
static bool is_permitted(const struct rights_case *rights, enum access access)
{
	const struct rdma_conf conf = { .mmap_rights = rights->mmap, .ctx_rights = rights->ctx };
	struct rdma_pair pair;
	struct doca_task *task;
	doca_error_t status;

	rdma_pair_init(&pair, &conf);
	pair.a.heard.on_task = heard_keep_task;
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
	task = access_task(&pair, access);
	memset(pair.a.bytes, 'x', 8);
	rdma_submit(&pair.a, task);
	rdma_drive(&pair, &pair.a, 1);
	status = doca_task_get_status(task);
	if (status != DOCA_SUCCESS)
		assert_int_equal(status, DOCA_ERROR_NOT_PERMITTED);
	assert_int_equal(pair.b.bytes[0],
			 status == DOCA_SUCCESS && access != ACCESS_READ ? 'x' : 0);
	doca_task_free(task);
	rdma_pair_fini(&pair);
	test_drop_log();
	return status == DOCA_SUCCESS;
}

/* rdma trap 28 */
static void access_needs_mmap_and_context(void **state)
{
	static const uint32_t bits[] = { TO_READ, TO_WRITE, DOCA_ACCESS_FLAG_RDMA_ATOMIC };
	static const uint32_t needed[NUM_ACCESSES] = { TO_WRITE, TO_WRITE, TO_READ };
	uint32_t sets[8];

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		sets[i] = (i & 1 ? bits[0] : 0) | (i & 2 ? bits[1] : 0) | (i & 4 ? bits[2] : 0);
	for (size_t i = 1; i < 8; i++) {
		for (size_t j = 0; j < 8; j++) {
			const struct rights_case rights = { LOCAL | sets[i], LOCAL | sets[j] };

			for (enum access k = ACCESS_WRITE; k < NUM_ACCESSES; k++)
				assert_int_equal(is_permitted(&rights, k),
						 (sets[i] & sets[j] & needed[k]) != 0);
		}
	}
}

/* rdma trap 29 */
static void own_rights_are_not_asked_for(void **state)
{
	const struct rdma_conf conf = { .ctx_rights = LOCAL };
	struct rdma_pair pair;

	(void)state;
	memset(&pair, 0, sizeof(pair));
	rdma_side_init(&pair.a, &conf);
	rdma_peer_init(&pair.b, NULL);
	rdma_side_start(&pair.a);
	rdma_side_start(&pair.b);
	rdma_connect(&pair.a, &pair.b, &pair.a.conn, &pair.b.conn);
	pair.a.remote = rdma_import(&pair.a, &pair.b);

	rdma_submit(&pair.a, rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 8),
					     rdma_remote_buf(&pair.a, &pair.b, 0, 8, 0), 1));
	rdma_submit(&pair.a, rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 8, 8),
					    rdma_room(&pair.a, 8, 8), 2));

	rdma_hears(&pair.a, "ok(1) ok(2)");
	rdma_pair_fini(&pair);
}

/* What a forger makes of the descriptor of b's memory. */
typedef void (*forgery_t)(struct core_mmap_record *record);

static void forge_index(struct core_mmap_record *record)
{
	record->key.index++;
}

static void forge_tag(struct core_mmap_record *record)
{
	record->key.tag ^= 1;
}

static void forge_base(struct core_mmap_record *record)
{
	record->addr -= 4096;
}

static void forge_len(struct core_mmap_record *record)
{
	record->addr += record->len - 1; /* the last byte, and what is behind */
}

/* The last byte of a MiB is outside. */
static void forge_end(struct core_mmap_record *record)
{
	record->addr += record->len - MIB + 1;
}

static void forge_rights(struct core_mmap_record *record)
{
	record->permissions ^= TO_READ | DOCA_ACCESS_FLAG_RDMA_ATOMIC;
	record->key.tag++;
}

static void forge_wrap(struct core_mmap_record *record)
{
	record->addr = UINT64_MAX - record->len - 64;
}

static void use_forged(forgery_t forge, size_t len, bool is_write)
{
	const struct rdma_conf conf = { .len = len < MIB ? 0 : 2 * MIB };
	struct core_mmap_record record;
	struct doca_buf *forged;
	struct rdma_blob blob;
	struct rdma_pair pair;
	size_t all;
	void *addr;

	rdma_pair_init(&pair, &conf);
	rdma_export_memory(&pair.b, &blob);
	assert_success(core_mmap_blob_decode(blob.bytes, blob.len, &record));
	forge(&record);
	core_mmap_blob_encode(&record, blob.bytes);
	assert_success(doca_mmap_destroy(pair.a.remote));
	assert_success(
	    doca_mmap_create_from_export(NULL, blob.bytes, blob.len, pair.a.dev, &pair.a.remote));
	assert_success(doca_mmap_get_memrange(pair.a.remote, &addr, &all));
	assert_success(doca_buf_inventory_buf_get_by_args(pair.a.inventory, pair.a.remote, addr,
							  len, addr, is_write ? 0 : len, &forged));
	pair.a.bufs[pair.a.num_bufs++] = forged;
	memset(pair.a.bytes, 'x', len);
	if (is_write)
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, len), forged, 1));
	else
		rdma_submit(&pair.a,
			    rdma_read_task(&pair.a, forged, rdma_room(&pair.a, 0, len), 1));
	rdma_hears(&pair.a, "NOT_PERMITTED(1)");
	test_take_log("does not permit");
	for (size_t i = 0; i < pair.b.len; i++)
		assert_int_equal(pair.b.bytes[i], 0);
	rdma_pair_fini(&pair);
}

/* rdma traps 2, 27, 31 */
static void forged_descriptors_reach_nothing(void **state)
{
	static const forgery_t forgeries[] = { forge_index, forge_tag,  forge_base,
					       forge_len,   forge_wrap, forge_rights };

	(void)state;
	for (size_t i = 0; i < sizeof(forgeries) / sizeof(forgeries[0]); i++) {
		use_forged(forgeries[i], 8, true);
		use_forged(forgeries[i], 8, false);
		use_forged(forgeries[i], 30000, true);
	}
	use_forged(forge_len, 2, true);
	use_forged(forge_end, MIB, true);
	use_forged(forge_end, MIB, false);
}

/* rdma trap 31 */
static void nothing_may_be_written_at_the_end(void **state)
{
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a,
		    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 0),
				    rdma_remote_buf(&pair.a, &pair.b, pair.b.len - 1, 1, 1), 1));
	rdma_hears(&pair.a, "ok(1)");
	rdma_pair_fini(&pair);
}

/* rdma trap 32 */
static void local_destination_needs_local_write(void **state)
{
	static char constant[64];
	struct rdma_pair pair;
	struct doca_mmap *read_only;
	struct doca_buf *buf, *data;
	struct doca_task *task;

	(void)state;
	rdma_pair_init(&pair, NULL);
	read_only = fixture_mmap_create(pair.a.dev, constant, sizeof(constant), 0);
	assert_success(
	    doca_buf_inventory_buf_get_by_addr(pair.a.inventory, read_only, constant, 64, &buf));
	assert_success(
	    doca_buf_inventory_buf_get_by_data(pair.a.inventory, read_only, constant, 64, &data));
	task = rdma_receive_task(&pair.a, buf, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_NOT_PERMITTED, "local write");
	doca_task_free(task);
	task = rdma_read_task(&pair.a, rdma_remote_buf(&pair.a, &pair.b, 0, 8, 8), buf, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_NOT_PERMITTED, "local write");
	doca_task_free(task);

	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 64), 2));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, data, 3));

	rdma_hears(&pair.a, "ok(3)");
	fixture_buf_put(buf);
	fixture_buf_put(data);
	fixture_mmap_destroy(read_only);
	rdma_pair_fini(&pair);
}

static void local_and_remote_are_not_mixed_up(void **state)
{
	struct rdma_pair pair;
	struct doca_buf *local, *remote;
	struct doca_task *tasks[5];

	(void)state;
	rdma_pair_init(&pair, NULL);
	local = rdma_data(&pair.a, 0, 8);
	remote = rdma_remote_buf(&pair.a, &pair.b, 0, 8, 8);
	tasks[0] = rdma_send_task(&pair.a, remote, 1);
	tasks[1] = rdma_receive_task(&pair.a, remote, 1);
	tasks[2] = rdma_write_task(&pair.a, local, local, 1);
	tasks[3] = rdma_read_task(&pair.a, local, local, 1);
	tasks[4] = rdma_write_task(&pair.a, local, NULL, 1);
	for (size_t i = 0; i < 5; i++) {
		assert_refused(doca_task_submit(tasks[i]), DOCA_ERROR_INVALID_VALUE, "task: the");
		doca_task_free(tasks[i]);
	}
	rdma_pair_fini(&pair);
}

static void mmap_without_the_device_is_refused(void **state)
{
	char bytes[64] = "";
	struct doca_mmap *foreign = fixture_mmap_create(NULL, bytes, sizeof(bytes), LOCAL);
	struct rdma_pair pair;
	struct doca_task *task;
	struct doca_buf *buf;

	(void)state;
	rdma_pair_init(&pair, NULL);
	assert_success(
	    doca_buf_inventory_buf_get_by_data(pair.a.inventory, foreign, bytes, 64, &buf));
	task = rdma_send_task(&pair.a, buf, 1);
	assert_refused(doca_task_submit(task), DOCA_ERROR_INVALID_VALUE, "without this device");
	doca_task_free(task);
	fixture_buf_put(buf);
	rdma_pair_fini(&pair);
	fixture_mmap_destroy(foreign);
}

/* What is in the memory from here on is the owner's. */
static void take_away_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	assert_success(doca_mmap_stop(side->mmap));
	memset(side->bytes, 0xaa, side->len);
}

static void untouched_step(struct rdma_side *side, void *unused)
{
	(void)unused;
	for (size_t i = 0; i < side->len; i++)
		assert_int_equal((unsigned char)side->bytes[i], 0xaa);
}

/* rdma trap 33. Stops b's mmap while a writes to it, and takes the memory away. */
static void nothing_is_written_after_a_stop(void **state)
{
	const size_t len = 4 * MIB;
	const struct rdma_conf conf = { .len = len };
	struct rdma_pair pair;
	struct doca_buf *dst = NULL;

	(void)state;
	rdma_pair_init(&pair, &conf);
	memset(pair.a.bytes, 'x', len);
	for (uint64_t i = 0; i < 16; i++) {
		dst = rdma_remote_buf(&pair.a, &pair.b, 0, len, 0);
		rdma_submit(&pair.a, rdma_write_task(&pair.a, rdma_data(&pair.a, 0, len), dst, i));
	}
	rdma_drive(&pair, &pair.a, 2);

	rdma_at(&pair.b, take_away_step, NULL, 0);

	rdma_drive(&pair, &pair.a, 16);
	rdma_at(&pair.b, untouched_step, NULL, 0);
	if (strstr(pair.a.heard.text, "NOT_PERMITTED") == NULL) { /* all were faster */
		rdma_submit(&pair.a, rdma_write_task(&pair.a, rdma_data(&pair.a, 0, len), dst, 16));
		rdma_drive(&pair, &pair.a, 17);
	}
	assert_non_null(strstr(pair.a.heard.text, "NOT_PERMITTED"));
	test_take_log("does not permit");
	rdma_pair_fini(&pair);
}

static struct {
	uint64_t *word;
	bool is_over; /* atomic */
	uint64_t num_torn;
} watched;

static void *watch_word(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&watched.is_over, __ATOMIC_ACQUIRE)) {
		uint64_t value = __atomic_load_n(watched.word, __ATOMIC_RELAXED);

		watched.num_torn += (uint32_t)value != (uint32_t)(value >> 32);
	}
	return NULL;
}

/* rdma trap 41 */
static void words_are_not_torn(void **state)
{
	const struct rdma_conf conf = { .send_queue_size = 64 };
	struct rdma_pair pair;
	pthread_t thread;

	(void)state;
	rdma_pair_init(&pair, &conf);
	watched.word = (uint64_t *)(void *)pair.b.bytes;
	watched.is_over = false;
	watched.num_torn = 0;
	assert_int_equal(pthread_create(&thread, NULL, watch_word, NULL), 0);
	for (uint32_t i = 0; i < 2000; i++) {
		uint64_t value = (uint64_t)(i * 2654435761u) << 32 | (i * 2654435761u);

		memcpy(pair.a.bytes, &value, sizeof(value));
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 8),
					    rdma_remote_buf(&pair.a, &pair.b, 0, 8, 0), 1));
		rdma_hears(&pair.a, "ok(1)");
		rdma_put_bufs(&pair.a);
	}
	__atomic_store_n(&watched.is_over, true, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(watched.num_torn, 0);
	rdma_pair_fini(&pair);
}

/* rdma trap 39. The data is complete when the message that tells of it has come. */
static void message_comes_behind_the_data(void **state)
{
	const struct rdma_conf conf = { .len = MIB };
	static const size_t sizes[] = { 4096, 64, 4096, 70000, 4096, 4096, 200000, 4096 };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (unsigned int i = 0; i < rdma_rounds(400, 100000); i++) {
		size_t size = sizes[i % NUM_SIZES];

		memset(pair.a.bytes, (int)i, size);
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 1));
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, size),
					    rdma_remote_buf(&pair.a, &pair.b, 0, size, 0), 1));
		rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 2));
		rdma_hears(&pair.b, "ok(1)");
		assert_memory_equal(pair.a.bytes, pair.b.bytes, size);
		rdma_hears(&pair.a, "ok(1) ok(2)");
		rdma_put_bufs(&pair.a);
	}
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(write_goes_behind_the_data),
		RDMA_TEST(read_takes_the_length_of_its_source),
		RDMA_TEST(read_needs_room),
		RDMA_TEST(read_is_scattered_over_a_list),
		RDMA_TEST(big_ones_come_whole),
		RDMA_TEST(both_sides_at_once_do_not_block_each_other),
		RDMA_TEST(access_needs_mmap_and_context),
		RDMA_TEST(own_rights_are_not_asked_for),
		RDMA_TEST(forged_descriptors_reach_nothing),
		RDMA_TEST(nothing_may_be_written_at_the_end),
		RDMA_TEST(local_destination_needs_local_write),
		RDMA_TEST(local_and_remote_are_not_mixed_up),
		RDMA_TEST(mmap_without_the_device_is_refused),
		RDMA_TEST(nothing_is_written_after_a_stop),
		RDMA_TEST(words_are_not_torn),
		RDMA_TEST(message_comes_behind_the_data),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
