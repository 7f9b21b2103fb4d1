/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Descriptors as bytes: what the encoder writes, and that the decoder takes nothing else. Each blob
 * that is tried lies at the end of a page before one that cannot be read, so that a step too far is
 * seen without a sanitizer too.
 */

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/blob.h"
#include "core/mmap.h"
#include "fixture.h"
#include "test.h"

#define HEADER_SIZE 8
#define CRC_SIZE    4
#define GOLDEN_SIZE 68

static const struct core_mmap_record golden_record = {
	.kind = CORE_MMAP_KIND_RDMA,
	.permissions = 7,
	.key.instance = { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b,
			  0x1c, 0x1d, 0x1e, 0x1f },
	.device_id = 0x01020304,
	.key.index = 0x05060708,
	.key.tag = 0x1112131415161718,
	.addr = 0x2122232425262728,
	.len = 0x3132333435363738,
};

/* The same as bytes; the checksum was computed by another program. */
/* clang-format off */
static const uint8_t golden[GOLDEN_SIZE] = {
	0x4f, 0x4d, 0x41, 0x50, /* magic */
	0x01, 0x00, 0x44, 0x00, /* version, length */
	0x01, 0x00, 0x00, 0x00, /* kind */
	0x07, 0x00, 0x00, 0x00, /* permissions */
	0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, /* instance */
	0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f,
	0x04, 0x03, 0x02, 0x01, /* device */
	0x08, 0x07, 0x06, 0x05, /* key index */
	0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, /* key tag */
	0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21, /* address */
	0x38, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31, /* length of the range */
	0x7b, 0x3b, 0x38, 0xb0, /* CRC-32 */
};
/* clang-format on */

/* Offsets in the blob. */
#define AT_VERSION  4
#define AT_LENGTH   6
#define AT_RESERVED 10

static uint8_t *guarded_end; /* bytes before it can be used, the one at it cannot */

static int guarded_create(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages =
	    mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0)
		return -1;
	guarded_end = pages + page;
	return 0;
}

static int guarded_destroy(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	return munmap(guarded_end - page, 2 * page);
}

static doca_error_t decode(const uint8_t *blob, size_t len, struct core_mmap_record *record)
{
	memcpy(guarded_end - len, blob, len);
	return core_mmap_blob_decode(guarded_end - len, len, record);
}

/* A second opinion on CRC-32: by polynomial division of the message, highest power first. */
static uint32_t crc_of(const uint8_t *bytes, size_t len)
{
	uint64_t rest = 0;
	uint32_t crc = 0;

	for (size_t bit = 0; bit < 8 * len + 32; bit++) {
		uint64_t next = bit < 8 * len ? bytes[bit / 8] >> (bit % 8) & 1 : 0;

		rest = rest << 1 | (next ^ (bit < 32 ? 1 : 0));
		if ((rest >> 32 & 1) != 0)
			rest ^= UINT64_C(0x104c11db7);
	}
	for (int bit = 0; bit < 32; bit++)
		crc |= (uint32_t)(rest >> (31 - bit) & 1) << bit;
	return ~crc;
}

/* Makes the checksum of an altered blob right again. */
static void crc_fix(uint8_t *blob, size_t len)
{
	uint32_t crc = crc_of(blob, len - CRC_SIZE);

	for (size_t i = 0; i < CRC_SIZE; i++)
		blob[len - CRC_SIZE + i] = (uint8_t)(crc >> (8 * i));
}

/* A range within the address space, and rights that a mmap can have and a peer can use. */
static bool is_sane(const struct core_mmap_record *record)
{
	const uint32_t needs_local = DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC;

	if (record->kind != CORE_MMAP_KIND_RDMA || record->reserved != 0)
		return false;
	if (record->addr == 0 || record->len == 0 || record->addr > UINT64_MAX - record->len)
		return false;
	if (record->permissions > 127 || (record->permissions & 48) == 48)
		return false;
	if ((record->permissions & needs_local) != 0)
		return (record->permissions & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) != 0;
	return (record->permissions & DOCA_ACCESS_FLAG_RDMA_READ) != 0;
}

/* --- the bytes --- */

static void encoder_writes_the_known_bytes(void **state)
{
	uint8_t blob[GOLDEN_SIZE];

	(void)state;
	assert_int_equal(core_mmap_blob_size(), GOLDEN_SIZE);
	core_mmap_blob_encode(&golden_record, blob);
	assert_memory_equal(blob, golden, GOLDEN_SIZE);
}

static void decoder_reads_the_known_bytes(void **state)
{
	struct core_mmap_record record;

	(void)state;
	memset(&record, 0xee, sizeof(record));
	assert_success(decode(golden, GOLDEN_SIZE, &record));
	assert_int_equal(record.kind, golden_record.kind);
	assert_int_equal(record.reserved, 0);
	assert_int_equal(record.permissions, golden_record.permissions);
	assert_memory_equal(record.key.instance, golden_record.key.instance, CORE_INSTANCE_SIZE);
	assert_int_equal(record.key.index, golden_record.key.index);
	assert_int_equal(record.key.tag, golden_record.key.tag);
	assert_int_equal(record.device_id, golden_record.device_id);
	assert_int_equal(record.addr, golden_record.addr);
	assert_int_equal(record.len, golden_record.len);
}

static void every_size_of_field_travels(void **state)
{
	static const struct core_blob_field fields[] = { { 0, 1 },  { 2, 2 },   { 4, 3 },
							 { 8, 4 },  { 12, 5 },  { 24, 8 },
							 { 32, 9 }, { 48, 32 }, { 47, 1 } };
	static const struct core_blob_format format = { "fields", 1, 2, fields, 9 };
	static const uint8_t first_bytes[] = { 1, 0, 0, 0, 2, 0, 77, 0, 0x80, 0x82, 0x83 };
	uint8_t record[80], decoded[80] = { 0 }, blob[128];

	(void)state;
	for (size_t i = 0; i < sizeof(record); i++)
		record[i] = (uint8_t)(0x80 + i);
	assert_int_equal(core_blob_size(&format), 77);

	core_blob_encode(&format, record, blob);
	assert_memory_equal(blob, first_bytes, sizeof(first_bytes));
	assert_success(core_blob_decode(&format, blob, 77, decoded));
	for (size_t i = 0; i < 9; i++)
		assert_memory_equal(decoded + fields[i].offset, record + fields[i].offset,
				    fields[i].size);
	assert_int_equal(decoded[1], 0); /* between fields */
}

static void format_without_fields_is_an_empty_envelope(void **state)
{
	static const struct core_blob_format format = { "empty", 0x01020304, 1, NULL, 0 };
	uint8_t blob[HEADER_SIZE + CRC_SIZE], record = 0;

	(void)state;
	assert_int_equal(core_blob_size(&format), sizeof(blob));
	core_blob_encode(&format, &record, blob);
	assert_success(core_blob_decode(&format, blob, sizeof(blob), &record));
	assert_refused(core_blob_decode(&format, blob, sizeof(blob) - 1, &record),
		       DOCA_ERROR_INVALID_VALUE, "length");
}

/* --- what is damaged --- */

/* rdma trap 55 */
static void every_truncation_is_refused(void **state)
{
	struct core_mmap_record record;

	(void)state;
	for (size_t len = 0; len < GOLDEN_SIZE; len++)
		assert_refused(decode(golden, len, &record), DOCA_ERROR_INVALID_VALUE,
			       "mmap descriptor");
}

static void every_truncation_is_refused_with_length_and_checksum_right(void **state)
{
	struct core_mmap_record record;

	(void)state;
	for (size_t len = HEADER_SIZE + CRC_SIZE; len < GOLDEN_SIZE; len++) {
		uint8_t blob[GOLDEN_SIZE];

		memcpy(blob, golden, len);
		blob[AT_LENGTH] = (uint8_t)len;
		crc_fix(blob, len);
		assert_refused(decode(blob, len, &record), DOCA_ERROR_INVALID_VALUE, "length");
	}
}

static void longer_blob_is_refused(void **state)
{
	struct core_mmap_record record;
	uint8_t blob[2 * GOLDEN_SIZE] = { 0 };

	(void)state;
	memcpy(blob, golden, GOLDEN_SIZE);
	for (size_t len = GOLDEN_SIZE + 1; len <= sizeof(blob); len++)
		assert_refused(decode(blob, len, &record), DOCA_ERROR_INVALID_VALUE, "length");
}

/* rdma trap 55 */
static void every_flipped_bit_is_refused(void **state)
{
	struct core_mmap_record record, untouched;

	(void)state;
	memset(&record, 0xee, sizeof(record));
	memset(&untouched, 0xee, sizeof(untouched));
	for (size_t bit = 0; bit < 8 * GOLDEN_SIZE; bit++) {
		uint8_t blob[GOLDEN_SIZE];

		memcpy(blob, golden, GOLDEN_SIZE);
		blob[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_refused(decode(blob, GOLDEN_SIZE, &record), DOCA_ERROR_INVALID_VALUE,
			       "mmap descriptor");
	}
	assert_memory_equal(&record, &untouched, sizeof(record));
}

static void every_changed_byte_is_refused(void **state)
{
	struct core_mmap_record record;

	(void)state;
	for (size_t i = 0; i < GOLDEN_SIZE; i++) {
		for (unsigned int change = 1; change < 256; change++) {
			uint8_t blob[GOLDEN_SIZE];

			memcpy(blob, golden, GOLDEN_SIZE);
			blob[i] ^= (uint8_t)change;
			assert_refused(decode(blob, GOLDEN_SIZE, &record), DOCA_ERROR_INVALID_VALUE,
				       "mmap descriptor");
		}
	}
}

/* Refused, or taken at its word: then it says just what the bytes say, and can be. */
static void check_forged(const uint8_t *blob, const struct core_mmap_record *before)
{
	struct core_mmap_record record = *before;
	uint8_t again[GOLDEN_SIZE];
	doca_error_t result = decode(blob, GOLDEN_SIZE, &record);

	if (result != DOCA_SUCCESS) {
		assert_true(result == DOCA_ERROR_INVALID_VALUE ||
			    result == DOCA_ERROR_NOT_SUPPORTED);
		assert_int_equal(test_num_logged(), 1);
		test_drop_log();
		assert_memory_equal(&record, before, sizeof(record));
		return;
	}
	assert_true(is_sane(&record));
	core_mmap_blob_encode(&record, again);
	assert_memory_equal(again, blob, GOLDEN_SIZE);
}

static void every_changed_byte_with_its_checksum_right_is_refused_or_meant(void **state)
{
	(void)state;
	for (size_t i = 0; i < GOLDEN_SIZE - CRC_SIZE; i++) {
		for (unsigned int change = 1; change < 256; change++) {
			uint8_t blob[GOLDEN_SIZE];

			memcpy(blob, golden, GOLDEN_SIZE);
			blob[i] ^= (uint8_t)change;
			crc_fix(blob, GOLDEN_SIZE);
			check_forged(blob, &golden_record);
		}
	}
}

static void header_of_another_kind_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *part;
	} rows[] = {
		{ 0, 'X', "something else" },
		{ 3, 'X', "something else" },
		{ AT_VERSION, 0, "another version" },
		{ AT_VERSION, 2, "another version" },
		{ AT_VERSION + 1, 1, "another version" },
		{ AT_LENGTH, 67, "wrong length" },
		{ AT_LENGTH, 69, "wrong length" },
		{ AT_LENGTH + 1, 1, "wrong length" },
	};
	struct core_mmap_record record;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t blob[GOLDEN_SIZE];

		memcpy(blob, golden, GOLDEN_SIZE);
		blob[rows[i].at] = rows[i].value;
		crc_fix(blob, GOLDEN_SIZE);
		assert_refused(decode(blob, GOLDEN_SIZE, &record), DOCA_ERROR_INVALID_VALUE,
			       rows[i].part);
	}
}

/* --- what cannot be --- */

static void record_that_cannot_be_is_refused(void **state)
{
	static const struct {
		uint16_t kind;
		uint32_t permissions;
		uint64_t addr;
		uint64_t len;
		doca_error_t expected;
		const char *part;
	} rows[] = {
		{ 1, 2, 1, 1, DOCA_SUCCESS, "" },
		{ 1, 2, 1, UINT64_MAX - 1, DOCA_SUCCESS, "" },
		{ 1, 2, UINT64_MAX - 1, 1, DOCA_SUCCESS, "" },
		{ 1, 2, UINT64_MAX, 1, DOCA_ERROR_INVALID_VALUE, "no range" },
		{ 1, 2, 2, UINT64_MAX - 1, DOCA_ERROR_INVALID_VALUE, "no range" },
		{ 1, 2, 1, UINT64_MAX, DOCA_ERROR_INVALID_VALUE, "no range" },
		{ 1, 2, 4096, 0, DOCA_ERROR_INVALID_VALUE, "no range" },
		{ 1, 2, 0, 4096, DOCA_ERROR_INVALID_VALUE, "no range" },
		{ 0, 2, 1, 1, DOCA_ERROR_INVALID_VALUE, "kind 0" },
		{ 2, 2, 1, 1, DOCA_ERROR_NOT_SUPPORTED, "PCI" },
		{ 3, 2, 1, 1, DOCA_ERROR_INVALID_VALUE, "kind 3" },
		{ 256, 2, 1, 1, DOCA_ERROR_INVALID_VALUE, "kind 256" },
		{ 1, 0, 1, 1, DOCA_ERROR_INVALID_VALUE, "permits nothing" },
		{ 1, 1, 1, 1, DOCA_ERROR_INVALID_VALUE, "permits nothing" },
		{ 1, 16, 1, 1, DOCA_ERROR_INVALID_VALUE, "permits nothing" },
		{ 1, 4, 1, 1, DOCA_ERROR_INVALID_VALUE, "local" },
		{ 1, 8, 1, 1, DOCA_ERROR_INVALID_VALUE, "local" },
		{ 1, 2 | 48, 1, 1, DOCA_ERROR_INVALID_VALUE, "exclude" },
		{ 1, 2 | 128, 1, 1, DOCA_ERROR_INVALID_VALUE, "unknown bits" },
		{ 1, 2 | 1u << 31, 1, 1, DOCA_ERROR_INVALID_VALUE, "unknown bits" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct core_mmap_record record = golden_record;
		uint8_t blob[GOLDEN_SIZE];

		record.kind = rows[i].kind;
		record.permissions = rows[i].permissions;
		record.addr = rows[i].addr;
		record.len = rows[i].len;
		core_mmap_blob_encode(&record, blob);
		if (rows[i].expected == DOCA_SUCCESS)
			assert_success(decode(blob, GOLDEN_SIZE, &record));
		else
			assert_refused(decode(blob, GOLDEN_SIZE, &record), rows[i].expected,
				       rows[i].part);
	}
}

static void reserved_bytes_must_be_zero(void **state)
{
	struct core_mmap_record record;
	uint8_t blob[GOLDEN_SIZE];

	(void)state;
	memcpy(blob, golden, GOLDEN_SIZE);
	blob[AT_RESERVED] = 1;
	crc_fix(blob, GOLDEN_SIZE);
	assert_refused(decode(blob, GOLDEN_SIZE, &record), DOCA_ERROR_INVALID_VALUE, "kind");
}

/* rdma trap 55 */
static void refused_import_makes_no_mmap(void **state)
{
	struct doca_dev *dev = fixture_dev_open();
	struct doca_mmap *mmap = NULL;

	(void)state;
	for (size_t len = 0; len < GOLDEN_SIZE; len++)
		assert_refused(doca_mmap_create_from_export(NULL, golden, len, dev, &mmap),
			       DOCA_ERROR_INVALID_VALUE, "mmap descriptor");
	assert_null(mmap);
	assert_success(doca_dev_close(dev)); /* nothing holds it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(encoder_writes_the_known_bytes),
		TEST(decoder_reads_the_known_bytes),
		TEST(every_size_of_field_travels),
		TEST(format_without_fields_is_an_empty_envelope),
		TEST(every_truncation_is_refused),
		TEST(every_truncation_is_refused_with_length_and_checksum_right),
		TEST(longer_blob_is_refused),
		TEST(every_flipped_bit_is_refused),
		TEST(every_changed_byte_is_refused),
		TEST(every_changed_byte_with_its_checksum_right_is_refused_or_meant),
		TEST(header_of_another_kind_is_refused),
		TEST(record_that_cannot_be_is_refused),
		TEST(reserved_bytes_must_be_zero),
		TEST(refused_import_makes_no_mmap),
	};

	return cmocka_run_group_tests_name("blob", tests, guarded_create, guarded_destroy);
}
