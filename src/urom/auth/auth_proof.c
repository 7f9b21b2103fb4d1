/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/auth/auth_proof.h"

#include <assert.h>
#include <string.h>

#include <sodium.h>

#include "core/export.h"

_Static_assert(AUTH_PROOF_SIZE == crypto_auth_BYTES, "a proof has another size");
_Static_assert(AUTH_SECRET_SIZE == crypto_auth_KEYBYTES, "a secret has another size");

/* The statement is laid out like a message, though it is none. */
struct statement {
	uint8_t label[AUTH_LABEL_SIZE];
	uint64_t magic;
	uint16_t version_min;
	uint16_t version_max;
	uint16_t version;
	uint8_t role;
	uint8_t method;
	uint8_t hello_nonce[WIRE_NONCE_SIZE];
	uint8_t challenge_nonce[WIRE_NONCE_SIZE];
};

#define FIELD(field, field_kind, field_limit)                                                      \
	{                                                                                          \
		.name = #field, .kind = (field_kind), .offset = offsetof(struct statement, field), \
		.limit = (field_limit)                                                             \
	}

static const struct wire_field fields[] = {
	FIELD(label, WIRE_FIXED, AUTH_LABEL_SIZE),
	FIELD(magic, WIRE_U64, 0),
	FIELD(version_min, WIRE_U16, 0),
	FIELD(version_max, WIRE_U16, 0),
	FIELD(version, WIRE_U16, 0),
	FIELD(role, WIRE_U8, 0),
	FIELD(method, WIRE_U8, 0),
	FIELD(hello_nonce, WIRE_FIXED, WIRE_NONCE_SIZE),
	FIELD(challenge_nonce, WIRE_FIXED, WIRE_NONCE_SIZE),
};

static const struct wire_message layout = {
	.name = "STATEMENT",
	.record_size = sizeof(struct statement),
	.fields = fields,
	.num_fields = CORE_ARRAY_LEN(fields),
};

/* Zeros fill them up. */
static const char labels[][AUTH_LABEL_SIZE] = {
	[AUTH_DAEMON] = "openurom daemon",
	[AUTH_PEER] = "openurom peer",
};
_Static_assert(CORE_ARRAY_LEN(labels) == AUTH_NUM_PROVERS, "a prover without a label");

doca_error_t auth_nonce(uint8_t nonce[WIRE_NONCE_SIZE])
{
	if (sodium_init() < 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	randombytes_buf(nonce, WIRE_NONCE_SIZE);
	return DOCA_SUCCESS;
}

void auth_statement(const struct auth_context *context, enum auth_prover prover,
		    uint8_t statement[AUTH_STATEMENT_SIZE])
{
	struct statement record = {
		.magic = WIRE_MAGIC,
		.version_min = context->version_min,
		.version_max = context->version_max,
		.version = context->version,
		.role = context->role,
		.method = context->method,
	};
	enum wire_result result;
	size_t len;

	memcpy(record.label, labels[prover], sizeof(record.label));
	memcpy(record.hello_nonce, context->hello_nonce, WIRE_NONCE_SIZE);
	memcpy(record.challenge_nonce, context->challenge_nonce, WIRE_NONCE_SIZE);
	result = wire_encode(&layout, &record, statement, AUTH_STATEMENT_SIZE, &len);
	assert(result == WIRE_OK && len == AUTH_STATEMENT_SIZE);
	(void)result;
}

void auth_proof_make(const uint8_t secret[AUTH_SECRET_SIZE], const struct auth_context *context,
		     enum auth_prover prover, uint8_t proof[AUTH_PROOF_SIZE])
{
	uint8_t statement[AUTH_STATEMENT_SIZE];

	auth_statement(context, prover, statement);
	(void)crypto_auth(proof, statement, sizeof(statement), secret); /* it never fails */
}

bool auth_proof_check(const uint8_t secret[AUTH_SECRET_SIZE], const struct auth_context *context,
		      enum auth_prover prover, const struct wire_bytes *proof)
{
	uint8_t right[AUTH_PROOF_SIZE];
	bool is_right;

	if (proof->len != sizeof(right))
		return false;
	auth_proof_make(secret, context, prover, right);
	is_right = sodium_memcmp(right, proof->data, sizeof(right)) == 0;
	sodium_memzero(right, sizeof(right));
	return is_right;
}

bool auth_statement_check(const struct auth_context *context, enum auth_prover prover,
			  const struct wire_bytes *bytes)
{
	uint8_t right[AUTH_STATEMENT_SIZE];

	if (bytes->len != sizeof(right))
		return false;
	auth_statement(context, prover, right);
	return sodium_memcmp(right, bytes->data, sizeof(right)) == 0;
}
