/* SPDX-License-Identifier: BSD-3-Clause */

/* What a DMA copy does to the bytes and to the bufs, compared with a plain copy of the same. */

#include <doca_dma.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/buf.h"
#include "dma_rig.h"
#include "test.h"

#define ARENA    16384u
#define NUM_BUFS 256
#define CANARY   0x5a

/* One element: a window in the arena and the data section in it. */
struct piece {
	size_t offset, len, data_offset, data_len;
};

static void rig_init(struct dma_rig *rig)
{
	dma_rig_init(rig, ARENA, NUM_BUFS, 4);
	memset(rig->memory.bytes, CANARY, ARENA);
}

static struct doca_buf *make_list(struct dma_rig *rig, const struct piece *pieces, size_t count)
{
	struct doca_buf *list = NULL;

	for (size_t i = 0; i < count; i++) {
		struct doca_buf *buf = fixture_buf(&rig->memory, pieces[i].offset, pieces[i].len,
						   pieces[i].data_offset, pieces[i].data_len);

		if (list == NULL)
			list = buf;
		else
			assert_success(doca_buf_chain_list(list, buf));
	}
	return list;
}

static struct doca_buf *next_of(struct doca_buf *buf)
{
	struct doca_buf *next;

	assert_success(doca_buf_get_next_in_list(buf, &next));
	return next;
}

/* The data lengths of a list, element by element. */
static void assert_data_lens(struct doca_buf *list, const size_t *data_lens, size_t count)
{
	for (size_t i = 0; i < count; i++, list = next_of(list)) {
		assert_non_null(list);
		assert_int_equal(dma_rig_data_len(list), data_lens[i]);
	}
	assert_null(list);
}

static void assert_canaries(const struct dma_rig *rig, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (rig->memory.bytes[i] != CANARY)
			fail_msg("byte %zu was written", i);
	}
}

static void fill(struct dma_rig *rig, size_t offset, const char *text)
{
	memcpy(rig->memory.bytes + offset, text, strlen(text));
}

static void list_goes_into_list_in_order(void **state)
{
	static const struct piece from[] = { { 0, 7, 0, 7 }, { 100, 5, 2, 0 }, { 200, 20, 4, 13 } };
	static const struct piece to[] = { { 1000, 4, 0, 0 },
					   { 1100, 1, 0, 0 },
					   { 1200, 30, 0, 0 } };
	static const size_t data_lens[] = { 4, 1, 15 };
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	fill(&rig, 0, "abcdefg");
	fill(&rig, 204, "hijklmnopqrst");
	src = make_list(&rig, from, 3);
	dst = make_list(&rig, to, 3);
	dma_rig_copy(&rig, src, dst);
	assert_data_lens(dst, data_lens, 3);
	assert_memory_equal(rig.memory.bytes + 1000, "abcd", 4);
	assert_memory_equal(rig.memory.bytes + 1100, "e", 1);
	assert_memory_equal(rig.memory.bytes + 1200, "fghijklmnopqrst", 15);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static struct doca_buf *buf_of(struct dma_rig *rig, struct doca_mmap *mmap, char *addr, size_t len,
			       size_t data_len)
{
	struct doca_buf *buf;

	assert_success(doca_buf_inventory_buf_get_by_args(rig->memory.inventory, mmap, addr, len,
							  addr, data_len, &buf));
	return buf;
}

static void elements_may_be_in_different_mmaps(void **state)
{
	char memory[3][8] = { "one", "", "" };
	struct doca_mmap *mmaps[3];
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t i = 0; i < 3; i++)
		mmaps[i] = fixture_mmap_create(rig.memory.dev, memory[i], 8,
					       DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
	fill(&rig, 0, "two");
	src = buf_of(&rig, mmaps[0], memory[0], 3, 3);
	assert_success(doca_buf_chain_list(src, fixture_buf(&rig.memory, 0, 3, 0, 3)));
	dst = buf_of(&rig, mmaps[1], memory[1], 4, 0);
	assert_success(doca_buf_chain_list(dst, buf_of(&rig, mmaps[2], memory[2], 8, 0)));
	dma_rig_copy(&rig, src, dst);
	assert_memory_equal(memory[1], "onet\0\0\0\0", 8);
	assert_memory_equal(memory[2], "wo\0\0\0\0\0\0", 8);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	for (size_t i = 0; i < 3; i++)
		fixture_mmap_destroy(mmaps[i]);
	dma_rig_fini(&rig);
}

static void lists_of_64_elements_are_taken(void **state)
{
	struct piece from[64], to[64];
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t i = 0; i < 64; i++) {
		from[i] = (struct piece){ i * 8, 8, 0, 3 };
		to[i] = (struct piece){ 1024 + i * 8, 3, 0, 0 };
		memset(rig.memory.bytes + i * 8, (int)i, 3);
	}
	src = make_list(&rig, from, 64);
	dst = make_list(&rig, to, 64);
	dma_rig_copy(&rig, src, dst);
	for (size_t i = 0; i < 64; i++)
		assert_memory_equal(rig.memory.bytes + 1024 + i * 8, rig.memory.bytes + i * 8, 8);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void data_is_appended_and_nothing_else_written(void **state)
{
	static const struct piece from = { 0, 10, 2, 5 };
	static const struct piece to = { 1000, 40, 3, 4 };
	struct doca_buf *src, *dst;
	struct dma_rig rig;
	void *data;

	(void)state;
	rig_init(&rig);
	fill(&rig, 2, "tail!");
	fill(&rig, 1003, "head");
	src = make_list(&rig, &from, 1);
	dst = make_list(&rig, &to, 1);
	dma_rig_copy(&rig, src, dst);
	assert_success(doca_buf_get_data(dst, &data));
	assert_ptr_equal(data, rig.memory.bytes + 1003);
	assert_int_equal(dma_rig_data_len(dst), 9);
	assert_memory_equal(data, "headtail!", 9);
	assert_canaries(&rig, 7, 1003);
	assert_canaries(&rig, 1012, ARENA);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void each_element_is_appended_to(void **state)
{
	static const struct piece from = { 0, 6, 0, 6 };
	static const struct piece to[] = { { 1000, 5, 1, 2 },
					   { 1100, 3, 0, 3 },
					   { 1200, 9, 0, 1 } };
	static const size_t data_lens[] = { 4, 3, 5 };
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	fill(&rig, 0, "abcdef");
	src = make_list(&rig, &from, 1);
	dst = make_list(&rig, to, 3);
	dma_rig_copy(&rig, src, dst);
	assert_data_lens(dst, data_lens, 3);
	assert_memory_equal(rig.memory.bytes + 1003, "ab", 2);
	assert_memory_equal(rig.memory.bytes + 1201, "cdef", 4);
	assert_canaries(&rig, 1005, 1201);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void source_and_references_stay_as_they_are(void **state)
{
	static const struct piece from[] = { { 0, 7, 1, 6 }, { 100, 9, 3, 4 } };
	static const struct piece to[] = { { 1000, 4, 0, 0 }, { 1100, 9, 0, 0 } };
	struct doca_buf before[2], *src, *dst;
	struct dma_rig rig;
	uint16_t refcount;

	(void)state;
	rig_init(&rig);
	src = make_list(&rig, from, 2);
	dst = make_list(&rig, to, 2);
	assert_success(doca_buf_inc_refcount(src, NULL));
	memcpy(&before[0], src, sizeof(before[0]));
	memcpy(&before[1], next_of(src), sizeof(before[1]));
	dma_rig_copy(&rig, src, dst);
	assert_memory_equal(src, &before[0], sizeof(before[0]));
	assert_memory_equal(next_of(src), &before[1], sizeof(before[1]));
	assert_success(doca_buf_get_refcount(dst, &refcount));
	assert_int_equal(refcount, 1);
	fixture_buf_put(src);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void destination_that_is_full_in_the_end_is_no_error(void **state)
{
	static const struct piece from = { 0, 6, 0, 6 };
	static const struct piece to[] = { { 1000, 5, 1, 2 },
					   { 1100, 4, 0, 0 },
					   { 1200, 9, 0, 9 } };
	static const size_t data_lens[] = { 4, 4, 9 };
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	src = make_list(&rig, &from, 1);
	dst = make_list(&rig, to, 3);
	dma_rig_copy(&rig, src, dst);
	assert_data_lens(dst, data_lens, 3);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

static void overlapping_piece_is_moved_as_a_whole(void **state)
{
	static const struct {
		size_t from, to;
	} rows[] = { { 100, 103 }, { 103, 100 }, { 100, 100 } };
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doca_buf *src = fixture_buf(&rig.memory, rows[i].from, 10, 0, 10);
		struct doca_buf *dst = fixture_buf(&rig.memory, rows[i].to, 10, 0, 0);

		fill(&rig, rows[i].from, "0123456789");
		dma_rig_copy(&rig, src, dst);
		assert_memory_equal(rig.memory.bytes + rows[i].to, "0123456789", 10);
		fixture_buf_put(src);
		fixture_buf_put(dst);
	}
	dma_rig_fini(&rig);
}

static void buf_may_be_appended_to_itself(void **state)
{
	struct doca_buf *buf;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	fill(&rig, 0, "again");
	buf = fixture_buf(&rig.memory, 0, 10, 0, 5);
	dma_rig_copy(&rig, buf, buf);
	assert_memory_equal(rig.memory.bytes, "againagain", 10);
	assert_int_equal(dma_rig_data_len(buf), 10);
	fixture_buf_put(buf);
	dma_rig_fini(&rig);
}

static void tasks_in_flight_append_to_one_destination(void **state)
{
	struct doca_buf *src, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	fill(&rig, 0, "123");
	src = fixture_buf(&rig.memory, 0, 3, 0, 3);
	dst = fixture_buf(&rig.memory, 100, 9, 0, 0);
	for (uint64_t i = 0; i < 3; i++)
		(void)dma_rig_submit(&rig, src, dst, i);
	assert_hears(&rig.heard, rig.pe, "ok(0) ok(1) ok(2)");
	assert_memory_equal(rig.memory.bytes + 100, "123123123", 9);
	fixture_buf_put(src);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

/* The second task's source is the first one's destination; what counts is its length at submit. */
static void copy_is_as_long_as_its_source_was_at_submit(void **state)
{
	struct doca_buf *src, *middle, *dst;
	struct dma_rig rig;

	(void)state;
	rig_init(&rig);
	fill(&rig, 0, "567");
	fill(&rig, 100, "1234");
	src = fixture_buf(&rig.memory, 0, 3, 0, 3);
	middle = fixture_buf(&rig.memory, 100, 20, 0, 4);
	dst = fixture_buf(&rig.memory, 200, 30, 0, 0);
	(void)dma_rig_submit(&rig, src, middle, 1);
	(void)dma_rig_submit(&rig, middle, dst, 2);
	assert_hears(&rig.heard, rig.pe, "ok(1) ok(2)");
	assert_int_equal(dma_rig_data_len(middle), 7);
	assert_int_equal(dma_rig_data_len(dst), 4);
	assert_memory_equal(rig.memory.bytes + 200, "1234", 4);
	assert_canaries(&rig, 204, ARENA);
	fixture_buf_put(src);
	fixture_buf_put(middle);
	fixture_buf_put(dst);
	dma_rig_fini(&rig);
}

#define SWEEP_CASES    4000
#define SWEEP_MAX_LIST 12

struct sweep {
	uint64_t random; /* state of the generator, never 0 */
	struct piece src[SWEEP_MAX_LIST], dst[SWEEP_MAX_LIST];
	size_t num_src, num_dst;
	unsigned int num_copied, num_refused;
	char arena[ARENA]; /* as it must be after the copy */
};

/* The same numbers in every run: a case that fails, fails again. */
static size_t pick(struct sweep *sweep, size_t below)
{
	sweep->random ^= sweep->random << 13;
	sweep->random ^= sweep->random >> 7;
	sweep->random ^= sweep->random << 17;
	return (size_t)((sweep->random >> 11) % below);
}

/* Windows one behind the other in half of the arena, many of them tiny, some empty. */
static size_t pick_list(struct sweep *sweep, struct piece *pieces, size_t from)
{
	static const size_t max_lens[] = { 1, 4, 40, 600 };
	size_t count = 1 + pick(sweep, SWEEP_MAX_LIST);

	for (size_t i = 0; i < count; i++) {
		struct piece *piece = &pieces[i];

		piece->offset = from + pick(sweep, 3);
		piece->len = pick(sweep, max_lens[pick(sweep, 4)] + 1);
		piece->data_offset = pick(sweep, piece->len + 1);
		piece->data_len = pick(sweep, piece->len - piece->data_offset + 1);
		from = piece->offset + piece->len;
	}
	return count;
}

static size_t room_of(const struct piece *piece)
{
	return piece->len - piece->data_offset - piece->data_len;
}

/* The copy as it should be, byte by byte; false: it cannot be done. */
static bool sweep_model(struct sweep *sweep)
{
	size_t data = 0, room = 0, at = 0;

	for (size_t i = 0; i < sweep->num_src; i++)
		data += sweep->src[i].data_len;
	for (size_t i = 0; i < sweep->num_dst; i++)
		room += room_of(&sweep->dst[i]);
	if (data == 0 || data > room)
		return false;
	for (size_t i = 0; i < sweep->num_src; i++) {
		const struct piece *src = &sweep->src[i];

		for (size_t j = 0; j < src->data_len; j++) {
			struct piece *dst = &sweep->dst[at];

			while (room_of(dst) == 0)
				dst = &sweep->dst[++at];
			sweep->arena[dst->offset + dst->data_offset + dst->data_len++] =
			    sweep->arena[src->offset + src->data_offset + j];
		}
	}
	return true;
}

static void sweep_case(struct dma_rig *rig, struct sweep *sweep)
{
	struct doca_buf *src, *dst, *buf;
	struct doca_task *task;

	sweep->num_src = pick_list(sweep, sweep->src, 0);
	sweep->num_dst = pick_list(sweep, sweep->dst, ARENA / 2);
	src = make_list(rig, sweep->src, sweep->num_src);
	dst = make_list(rig, sweep->dst, sweep->num_dst);
	memcpy(sweep->arena, rig->memory.bytes, ARENA);
	task = dma_rig_task(rig, src, dst, 0);
	if (sweep_model(sweep)) {
		assert_success(doca_task_try_submit(task));
		assert_hears(&rig->heard, rig->pe, "ok(0)");
		sweep->num_copied++;
	} else {
		assert_refused(doca_task_try_submit(task), DOCA_ERROR_INVALID_VALUE, "memcpy");
		doca_task_free(task);
		sweep->num_refused++;
	}
	assert_memory_equal(rig->memory.bytes, sweep->arena, ARENA);
	buf = dst;
	for (size_t i = 0; i < sweep->num_dst; i++, buf = next_of(buf))
		assert_int_equal(dma_rig_data_len(buf), sweep->dst[i].data_len);
	fixture_buf_put(src);
	fixture_buf_put(dst);
}

static void random_lists_are_copied_like_a_byte_by_byte_copy(void **state)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	struct dma_rig rig;

	(void)state;
	assert_non_null(sweep);
	sweep->random = 88172645463325252u;
	rig_init(&rig);
	for (size_t i = 0; i < ARENA; i++)
		rig.memory.bytes[i] = (char)pick(sweep, 256);
	for (unsigned int i = 0; i < SWEEP_CASES; i++)
		sweep_case(&rig, sweep);
	assert_true(sweep->num_copied > SWEEP_CASES / 4);
	assert_true(sweep->num_refused > SWEEP_CASES / 4);
	dma_rig_fini(&rig);
	free(sweep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(list_goes_into_list_in_order),
		TEST(elements_may_be_in_different_mmaps),
		TEST(lists_of_64_elements_are_taken),
		TEST(data_is_appended_and_nothing_else_written),
		TEST(each_element_is_appended_to),
		TEST(source_and_references_stay_as_they_are),
		TEST(destination_that_is_full_in_the_end_is_no_error),
		TEST(overlapping_piece_is_moved_as_a_whole),
		TEST(buf_may_be_appended_to_itself),
		TEST(tasks_in_flight_append_to_one_destination),
		TEST(copy_is_as_long_as_its_source_was_at_submit),
		TEST(random_lists_are_copied_like_a_byte_by_byte_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
