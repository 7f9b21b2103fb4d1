/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that something has happened to: each bit of what they say is turned, with the
 * checksum made right again, and they are used. It may be refused or fail, but never go to another
 * place.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mmap.h"
#include "fixture.h"
#include "rdma/rdma.h"
#include "rdma_rig.h"

#define BATCH    64
#define WAIT_MS  "100" /* for peers whose address was turned */
#define ALL_BITS (8 * sizeof(struct drdma_conn_record))

#define IS_IN(bit, member)                                          \
	((bit) / 8 >= offsetof(struct drdma_conn_record, member) && \
	 (bit) / 8 < offsetof(struct drdma_conn_record, member) +   \
			 sizeof(((struct drdma_conn_record *)NULL)->member))

static void turn(void *record, size_t bit)
{
	((uint8_t *)record)[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* Where the peer is, but not who it is: with such a bit it may still be found. */
static bool is_address(size_t bit)
{
	return IS_IN(bit, port) || IS_IN(bit, has) || IS_IN(bit, host) || IS_IN(bit, listener) ||
	       IS_IN(bit, ipv4) || IS_IN(bit, ipv6);
}

/* Would it be looked for outside of this machine? */
static bool leads_away(size_t bit)
{
	struct drdma_conn_record record = { .ipv4 = 0 };

	turn(&record, bit);
	return rdma_is_over_tcp() && (IS_IN(bit, ipv6) || record.ipv4 >> 24 != 0);
}

struct ends {
	struct doca_rdma_connection *a[BATCH];
	struct doca_rdma_connection *b[BATCH];
};

/* True: a connects to what the turned descriptor says, and sends the number. */
static bool connect_turned(struct rdma_pair *pair, struct ends *ends, size_t number, size_t bit)
{
	struct drdma_conn_record record;
	struct rdma_blob a_blob, b_blob;
	struct doca_task *task;
	doca_error_t result;
	uint8_t *bytes;

	rdma_export(&pair->a, &a_blob, &ends->a[number]);
	rdma_export(&pair->b, &b_blob, &ends->b[number]);
	assert_success(rdma_connect_to(&pair->b, &a_blob, ends->b[number]));
	assert_success(drdma_record_decode(b_blob.bytes, b_blob.len, &record));
	turn(&record, bit);
	assert_success(drdma_record_encode(&record, &bytes));
	memcpy(b_blob.bytes, bytes, b_blob.len);
	free(bytes);
	result = rdma_connect_to(&pair->a, &b_blob, ends->a[number]);
	if (result != DOCA_SUCCESS) {
		assert_error(result, DOCA_ERROR_CONNECTION_ABORTED);
		return false;
	}
	pair->a.conn = ends->a[number];
	task = rdma_send_imm_task(&pair->a, NULL, (doca_be32_t)number, number);
	result = doca_task_submit(task);
	if (result == DOCA_SUCCESS)
		return true;
	assert_error(result, DOCA_ERROR_BAD_STATE); /* the refusal was faster */
	doca_task_free(task);
	return false;
}

static bool has_gone_well(struct rdma_side *side, size_t number)
{
	char word[32];

	(void)snprintf(word, sizeof(word), "ok(%zu)", number);
	return strstr(side->heard.text, word) != NULL;
}

/* Whatever has come has come over the connection that it was sent to. */
static unsigned int check_received(struct rdma_pair *pair, const struct ends *ends,
				   struct doca_task *const *receives)
{
	unsigned int count = rdma_heard_of(&pair->b)->num_words;

	for (unsigned int i = 0; i < count; i++) {
		struct rdma_received received = rdma_received(&pair->b, receives[i]);

		assert_true(received.imm < BATCH);
		assert_ptr_equal(received.conn, ends->b[received.imm]);
		rdma_free(&pair->b, receives[i]);
	}
	return count;
}

static void use_batch(size_t first_bit)
{
	const struct rdma_conf conf = { .max_conns = BATCH };
	unsigned int num_sent = 0, num_good = 0;
	struct doca_task *receives[BATCH];
	struct rdma_pair pair;
	struct ends ends;

	rdma_pair_start(&pair, &conf);
	rdma_heard_of(&pair.b)->on_task = heard_keep_task;
	for (size_t i = 0; i < BATCH; i++)
		receives[i] = rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, i));
	for (size_t i = 0; i < BATCH && first_bit + i < ALL_BITS; i++) {
		if (!leads_away(first_bit + i))
			num_sent += connect_turned(&pair, &ends, i, first_bit + i);
	}
	rdma_drive(&pair, &pair.a, num_sent);
	for (size_t i = 0; i < BATCH; i++) {
		if (!has_gone_well(&pair.a, i))
			continue;
		assert_true(is_address(first_bit + i));
		num_good++;
	}
	rdma_drive(&pair, &pair.b, num_good);
	assert_int_equal(check_received(&pair, &ends, receives), num_good);
	rdma_heard_of(&pair.b)->on_task = NULL;
	rdma_pair_fini(&pair);
	test_drop_log();
}

/* rdma trap 55 */
static void turned_bit_connects_to_nobody_else(void **state)
{
	(void)state;
	assert_int_equal(setenv("DOCA_RDMA_CONNECT_WAIT_MS", WAIT_MS, 1), 0);
	for (size_t bit = 0; bit < ALL_BITS; bit += BATCH)
		use_batch(bit);
}

static bool is_in_memory(const struct rdma_side *side, const char *at, size_t len)
{
	return at >= side->bytes && len <= side->len && at <= side->bytes + side->len - len;
}

/* Writes by such a descriptor; returns where the bytes went, or NULL: it was refused or failed. */
static char *write_by(struct rdma_pair *pair, const struct rdma_blob *blob, size_t len)
{
	struct doca_mmap *remote;
	struct doca_buf *dst;
	struct doca_task *task;
	char *where = NULL;
	size_t all;
	void *base;

	if (doca_mmap_create_from_export(NULL, blob->bytes, blob->len, pair->a.dev, &remote) !=
	    DOCA_SUCCESS)
		return NULL;
	assert_success(doca_mmap_get_memrange(remote, &base, &all));
	if (doca_buf_inventory_buf_get_by_addr(pair->a.inventory, remote, base, len, &dst) ==
	    DOCA_SUCCESS) {
		task = rdma_write_task(&pair->a, rdma_data(&pair->a, 0, len), dst, 1);
		rdma_submit(&pair->a, task);
		rdma_drive(pair, &pair->a, 1);
		if (has_gone_well(&pair->a, 1))
			where = base;
		pair->a.heard.text[0] = '\0';
		pair->a.heard.num_words = 0;
		fixture_buf_put(dst);
		rdma_put_bufs(&pair->a);
	}
	assert_success(doca_mmap_destroy(remote));
	return where;
}

static void assert_zero(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(bytes[i], 0);
}

/* rdma traps 27, 55 */
static void turned_bit_writes_to_no_other_place(void **state)
{
	const struct rdma_conf conf = { .len = 4096 };
	struct core_mmap_record record;
	struct rdma_blob good, blob;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	rdma_export_memory(&pair.b, &good);
	memset(pair.a.bytes, 'x', 8);
	for (size_t bit = 0; bit < 8 * sizeof(record); bit++) {
		char *where;

		blob = good;
		assert_success(core_mmap_blob_decode(good.bytes, good.len, &record));
		turn(&record, bit);
		core_mmap_blob_encode(&record, blob.bytes);
		where = write_by(&pair, &blob, 8);
		if (where != NULL) {
			assert_true(is_in_memory(&pair.b, where, 8));
			assert_memory_equal(where, "xxxxxxxx", 8);
			memset(where, 0, 8);
		} else { /* what was not permitted has ended the connection */
			assert_success(rdma_disconnect(&pair.a, pair.a.conn));
			assert_success(rdma_disconnect(&pair.b, pair.b.conn));
			rdma_connect(&pair.a, &pair.b, &pair.a.conn, &pair.b.conn);
		}
		assert_zero(pair.b.bytes, pair.b.len);
		test_drop_log();
	}
	assert_ptr_equal(write_by(&pair, &good, 8), pair.b.bytes);
	rdma_pair_fini(&pair);
}

struct taken {
	bool is_of_memory; /* or of a connection */
	const void *bytes;
	size_t len;
};

/* A descriptor as it lies in the library's own memory. */
static struct taken take(struct rdma_side *side, bool is_of_memory)
{
	struct taken taken = { .is_of_memory = is_of_memory };
	struct doca_rdma_connection *conn;

	if (is_of_memory)
		assert_success(
		    doca_mmap_export_rdma(side->mmap, side->dev, &taken.bytes, &taken.len));
	else
		assert_success(doca_rdma_export(side->rdma, &taken.bytes, &taken.len, &conn));
	return taken;
}

/* rdma trap 66 */
static void descriptors_are_small_and_can_be_sent(void **state)
{
	const struct rdma_conf conf = { .max_conns = 2 };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (int i = 0; i < 2; i++) {
		struct taken taken = take(&pair.a, i == 0);
		void *bytes = (void *)(uintptr_t)taken.bytes;
		struct doca_mmap *over = fixture_mmap_create(pair.a.dev, bytes, taken.len,
							     DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
		struct doca_buf *src;

		assert_true(taken.len < 4096);
		assert_success(doca_buf_inventory_buf_get_by_data(pair.a.inventory, over, bytes,
								  taken.len, &src));
		rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 4096), 1));
		rdma_submit(&pair.a, rdma_send_task(&pair.a, src, 2));
		rdma_hears(&pair.a, "ok(2)");
		rdma_hears(&pair.b, "ok(1)");
		assert_memory_equal(pair.b.bytes, taken.bytes, taken.len);
		fixture_buf_put(src);
		fixture_mmap_destroy(over);
	}
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(turned_bit_connects_to_nobody_else),
		RDMA_TEST(turned_bit_writes_to_no_other_place),
		RDMA_TEST(descriptors_are_small_and_can_be_sent),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
