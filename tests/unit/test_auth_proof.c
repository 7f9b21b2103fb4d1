/* SPDX-License-Identifier: BSD-3-Clause */

/* Proofs: their exact bytes, and that each is good for one side of one handshake alone. */
#include "urom/auth/auth_proof.h"

#include <string.h>

#include <sodium.h>

#include "core/export.h"
#include "test.h"
#include "urom/auth/auth_method.h"

static unsigned int num_compared;

int __wrap_sodium_memcmp(const void *one, const void *other, size_t len);
int __real_sodium_memcmp(const void *one, const void *other, size_t len);

int __wrap_sodium_memcmp(const void *one, const void *other, size_t len)
{
	num_compared++;
	return __real_sodium_memcmp(one, other, len);
}

static struct auth_context sample(void)
{
	struct auth_context context = {
		.version_min = 1,
		.version_max = 3,
		.version = 2,
		.role = WIRE_ROLE_HOST,
		.method = WIRE_AUTH_COOKIE,
	};

	memset(context.hello_nonce, 0xa1, sizeof(context.hello_nonce));
	memset(context.challenge_nonce, 0xb2, sizeof(context.challenge_nonce));
	return context;
}

static void fill_secret(uint8_t secret[AUTH_SECRET_SIZE])
{
	for (uint8_t i = 0; i < AUTH_SECRET_SIZE; i++)
		secret[i] = i;
}

static void check_hex(const uint8_t *bytes, size_t len, const char *hex)
{
	char text[2 * AUTH_STATEMENT_SIZE + 1];

	assert_string_equal(sodium_bin2hex(text, sizeof(text), bytes, len), hex);
}

static void statements_have_the_bytes_of_the_document(void **state)
{
	static const char begin[] = "openurom peer\0\0\0ONEUROM1\1\0\3\0\2\0\1\1";
	const struct auth_context context = sample();
	uint8_t statement[AUTH_STATEMENT_SIZE];

	(void)state;
	_Static_assert(AUTH_STATEMENT_SIZE == 96, "the document says 96");
	auth_statement(&context, AUTH_PEER, statement);
	assert_memory_equal(statement, begin, 32);
	assert_memory_equal(statement + 32, context.hello_nonce, 32);
	assert_memory_equal(statement + 64, context.challenge_nonce, 32);
	auth_statement(&context, AUTH_DAEMON, statement);
	assert_memory_equal(statement, "openurom daemon", 16);
	assert_memory_equal(statement + 16, begin + 16, 16);
}

/* Made with HMAC-SHA-512 of another library. */
static void proofs_are_the_keyed_hash_of_the_document(void **state)
{
	const struct auth_context context = sample();
	uint8_t secret[AUTH_SECRET_SIZE], proof[AUTH_PROOF_SIZE];

	(void)state;
	fill_secret(secret);
	auth_proof_make(secret, &context, AUTH_DAEMON, proof);
	check_hex(proof, sizeof(proof),
		  "4a292be81ac85100960d8aef66d7c7b61d3990299c41aa0c990771c172689bb6");
	auth_proof_make(secret, &context, AUTH_PEER, proof);
	check_hex(proof, sizeof(proof),
		  "3624150e1614c0075ec5958db51505ed0e565294411ef83dca3a4de105a53967");
}

static void proofs_are_good_for_the_secret_that_they_were_made_with(void **state)
{
	const struct auth_context context = sample();
	uint8_t secret[AUTH_SECRET_SIZE], proof[AUTH_PROOF_SIZE];
	const struct wire_bytes bytes = { proof, sizeof(proof) };

	(void)state;
	fill_secret(secret);
	auth_proof_make(secret, &context, AUTH_PEER, proof);
	assert_true(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
	for (size_t i = 0; i < sizeof(secret); i++) {
		secret[i] ^= 0x10;
		assert_false(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
		secret[i] ^= 0x10;
	}
}

static void every_byte_of_a_proof_counts(void **state)
{
	const struct auth_context context = sample();
	uint8_t secret[AUTH_SECRET_SIZE], proof[AUTH_PROOF_SIZE + 1] = { 0 };
	struct wire_bytes bytes = { proof, AUTH_PROOF_SIZE };

	(void)state;
	fill_secret(secret);
	auth_proof_make(secret, &context, AUTH_PEER, proof);
	for (size_t i = 0; i < AUTH_PROOF_SIZE; i++) {
		proof[i] ^= 1;
		assert_false(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
		proof[i] ^= 1;
	}
	for (bytes.len = 0; bytes.len < AUTH_PROOF_SIZE; bytes.len++)
		assert_false(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
	bytes.len = AUTH_PROOF_SIZE + 1;
	assert_false(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
}

static void nothing_of_a_handshake_can_be_another_s(void **state)
{
	static const struct {
		size_t offset;
		size_t len;
	} parts[] = {
#define PART(field) \
	{ offsetof(struct auth_context, field), sizeof(((struct auth_context *)NULL)->field) }
		PART(version_min), PART(version_max), PART(version),         PART(role),
		PART(method),      PART(hello_nonce), PART(challenge_nonce),
	};
	struct auth_context context = sample();
	uint8_t secret[AUTH_SECRET_SIZE], proof[AUTH_PROOF_SIZE], statement[AUTH_STATEMENT_SIZE];
	const struct wire_bytes bytes = { proof, sizeof(proof) };
	const struct wire_bytes said = { statement, sizeof(statement) };

	(void)state;
	fill_secret(secret);
	auth_proof_make(secret, &context, AUTH_PEER, proof);
	auth_statement(&context, AUTH_PEER, statement);
	assert_false(auth_proof_check(secret, &context, AUTH_DAEMON, &bytes));
	assert_false(auth_statement_check(&context, AUTH_DAEMON, &said));
	assert_true(auth_statement_check(&context, AUTH_PEER, &said));
	for (size_t i = 0; i < CORE_ARRAY_LEN(parts); i++) {
		for (size_t n = 0; n < parts[i].len; n++) {
			uint8_t *byte = (uint8_t *)&context + parts[i].offset + n;

			*byte ^= 0x40;
			assert_false(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
			assert_false(auth_statement_check(&context, AUTH_PEER, &said));
			*byte ^= 0x40;
		}
	}
}

static void comparisons_take_a_time_that_tells_nothing(void **state)
{
	const struct auth_context context = sample();
	uint8_t secret[AUTH_SECRET_SIZE], proof[AUTH_PROOF_SIZE], statement[AUTH_STATEMENT_SIZE];
	const struct wire_bytes bytes = { proof, sizeof(proof) };
	const struct wire_bytes said = { statement, sizeof(statement) };

	(void)state;
	fill_secret(secret);
	auth_proof_make(secret, &context, AUTH_PEER, proof);
	auth_statement(&context, AUTH_PEER, statement);
	num_compared = 0;
	assert_true(auth_proof_check(secret, &context, AUTH_PEER, &bytes));
	assert_int_equal(num_compared, 1);
	assert_true(auth_statement_check(&context, AUTH_PEER, &said));
	assert_int_equal(num_compared, 2);
}

static void nonces_do_not_come_again(void **state)
{
	uint8_t first[WIRE_NONCE_SIZE], second[WIRE_NONCE_SIZE];

	(void)state;
	assert_success(auth_nonce(first));
	assert_success(auth_nonce(second));
	assert_memory_not_equal(first, second, sizeof(first));
}

static void methods_have_names(void **state)
{
	uint8_t number = 77;

	(void)state;
	assert_string_equal(auth_method_name(WIRE_AUTH_NONE), "none");
	assert_string_equal(auth_method_name(WIRE_AUTH_COOKIE), "cookie");
	assert_string_equal(auth_method_name(WIRE_AUTH_MUNGE), "munge");
	assert_string_equal(auth_method_name(3), "?");
	assert_string_equal(auth_method_name(255), "?");
	assert_false(auth_method_find("Cookie", &number));
	assert_false(auth_method_find("", &number));
	assert_int_equal(number, 77);
	assert_true(auth_method_find("munge", &number));
	assert_int_equal(number, WIRE_AUTH_MUNGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(statements_have_the_bytes_of_the_document),
		TEST(proofs_are_the_keyed_hash_of_the_document),
		TEST(proofs_are_good_for_the_secret_that_they_were_made_with),
		TEST(every_byte_of_a_proof_counts),
		TEST(nothing_of_a_handshake_can_be_another_s),
		TEST(comparisons_take_a_time_that_tells_nothing),
		TEST(nonces_do_not_come_again),
		TEST(methods_have_names),
	};

	return cmocka_run_group_tests_name("auth_proof", tests, NULL, NULL);
}
