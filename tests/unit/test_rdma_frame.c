/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of the software provider's lanes: what is written is read again, and nothing else is.
 */
#include <string.h>

#include "rdma/providers/software/soft_frame.h"
#include "test.h"

static const struct soft_request good_request = {
	.op = SOFT_OP_WRITE,
	.flags = SOFT_HAS_IMM | SOFT_HAS_REMOTE | SOFT_IS_PULLED,
	.num_pieces = 3,
	.psn = 0x01020304,
	.len = 70000,
	.imm = 0xabcd,
	.key_index = 77,
	.key_tag = UINT64_C(0x1122334455667788),
	.addr = UINT64_C(0x7f0011223344),
};

static void request_is_read_as_it_was_written(void **state)
{
	uint8_t bytes[SOFT_REQUEST_SIZE];
	struct soft_request read;

	(void)state;
	memset(&read, 0, sizeof(read));
	soft_request_encode(&good_request, bytes);
	assert_true(soft_request_decode(bytes, &read));
	assert_memory_equal(&read, &good_request, sizeof(read));
	assert_int_equal(bytes[4], 4); /* little-endian */
}

static void assert_no_request(struct soft_request request)
{
	uint8_t bytes[SOFT_REQUEST_SIZE];
	struct soft_request read;

	soft_request_encode(&request, bytes);
	assert_false(soft_request_decode(bytes, &read));
}

#define BUT(...)                                            \
	__extension__({                                     \
		struct soft_request changed = good_request; \
		__VA_ARGS__;                                \
		changed;                                    \
	})

static void senseless_requests_are_refused(void **state)
{
	struct soft_request read;
	uint8_t bytes[SOFT_REQUEST_SIZE];

	(void)state;
	assert_no_request(BUT(changed.op = SOFT_NUM_OPS));
	assert_no_request(BUT(changed.flags |= 8));
	assert_no_request(BUT(changed.op = SOFT_OP_READ)); /* has no value, is not pulled */
	assert_no_request(BUT(changed.op = SOFT_OP_SEND)); /* has no remote memory */
	assert_no_request(BUT(changed.len = SOFT_MAX_MESSAGE + 1));
	assert_no_request(BUT(changed.num_pieces = SOFT_MAX_LIST + 1));
	assert_no_request(BUT(changed.num_pieces = 0));
	assert_no_request(BUT(changed.len = 0));
	assert_no_request(BUT(changed.flags &= ~SOFT_IS_PULLED));
	assert_no_request(BUT(changed.flags = SOFT_HAS_IMM; changed.num_pieces = 0));
	soft_request_encode(&good_request, bytes);
	bytes[SOFT_REQUEST_SIZE - 1] = 1;
	assert_false(soft_request_decode(bytes, &read));
}

static void response_is_read_as_it_was_written(void **state)
{
	static const struct soft_response good[] = {
		{ SOFT_ANSWER_ACK, SOFT_STATUS_OK, 7, 0 },
		{ SOFT_ANSWER_DATA, SOFT_STATUS_OK, 7, SOFT_MAX_CHUNK },
		{ SOFT_ANSWER_NAK, SOFT_STATUS_ACCESS, 7, 0 },
	};
	static const struct soft_response bad[] = {
		{ SOFT_NUM_ANSWERS, SOFT_STATUS_OK, 7, 0 },
		{ SOFT_ANSWER_ACK, SOFT_STATUS_ACCESS, 7, 0 },
		{ SOFT_ANSWER_ACK, SOFT_STATUS_OK, 7, 1 },
		{ SOFT_ANSWER_DATA, SOFT_STATUS_OK, 7, 0 },
		{ SOFT_ANSWER_DATA, SOFT_STATUS_OK, 7, SOFT_MAX_CHUNK + 1 },
		{ SOFT_ANSWER_NAK, SOFT_STATUS_OK, 7, 0 },
		{ SOFT_ANSWER_NAK, SOFT_NUM_STATUSES, 7, 0 },
	};
	uint8_t bytes[SOFT_RESPONSE_SIZE];
	struct soft_response read;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		soft_response_encode(&good[i], bytes);
		assert_true(soft_response_decode(bytes, &read));
		assert_memory_equal(&read, &good[i], sizeof(read));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		soft_response_encode(&bad[i], bytes);
		assert_false(soft_response_decode(bytes, &read));
	}
}

static void hello_is_read_as_it_was_written(void **state)
{
	uint8_t bytes[SOFT_HELLO_SIZE];
	struct soft_hello hello, read;

	(void)state;
	memset(&hello, 0, sizeof(hello));
	memset(&read, 0, sizeof(read));
	hello.transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
	hello.rnr_retry_count = 7;
	hello.from_id = 1;
	hello.to_id = 2;
	memset(hello.from_instance, 3, sizeof(hello.from_instance));
	memset(hello.to_instance, 4, sizeof(hello.to_instance));
	memset(hello.from_secret, 5, sizeof(hello.from_secret));
	memset(hello.to_secret, 6, sizeof(hello.to_secret));
	hello.secret_addr = UINT64_C(0x1234567890);
	soft_hello_encode(&hello, bytes);
	assert_true(soft_hello_decode(bytes, &read));
	assert_memory_equal(&read, &hello, sizeof(read));
	for (size_t i = 0; i < 6; i++) { /* magic and version */
		bytes[i] ^= 1;
		assert_false(soft_hello_decode(bytes, &read));
		bytes[i] ^= 1;
	}
	bytes[6] = 2; /* no such transport */
	assert_false(soft_hello_decode(bytes, &read));
	bytes[6] = DOCA_RDMA_TRANSPORT_TYPE_RC;
	assert_true(soft_hello_decode(bytes, &read));
	bytes[7] = 8; /* no such retry count */
	assert_false(soft_hello_decode(bytes, &read));
}

static void welcome_is_read_as_it_was_written(void **state)
{
	static const struct soft_welcome good[] = { { false, false },
						    { true, false },
						    { true, true } };
	uint8_t bytes[SOFT_WELCOME_SIZE];
	struct soft_welcome read;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		soft_welcome_encode(&good[i], bytes);
		assert_true(soft_welcome_decode(bytes, &read));
		assert_int_equal(read.is_welcome, good[i].is_welcome);
		assert_int_equal(read.can_pull, good[i].can_pull);
	}
	bytes[6] = 0; /* rejected, but could be pulled from */
	assert_false(soft_welcome_decode(bytes, &read));
	bytes[0] ^= 1;
	assert_false(soft_welcome_decode(bytes, &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(request_is_read_as_it_was_written),  TEST(senseless_requests_are_refused),
		TEST(response_is_read_as_it_was_written), TEST(hello_is_read_as_it_was_written),
		TEST(welcome_is_read_as_it_was_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
