/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/providers/software/soft_frame.h"

#include <endian.h>
#include <string.h>

#include "core/export.h"

#define HELLO_MAGIC   UINT32_C(0x4c48444f) /* "ODHL" */
#define WELCOME_MAGIC UINT32_C(0x4c57444f) /* "ODWL" */
#define VERSION       1

/* Flags that an op may have. */
static const unsigned int known_flags[] = {
	[SOFT_OP_SEND] = SOFT_HAS_IMM | SOFT_IS_PULLED,
	[SOFT_OP_WRITE] = SOFT_HAS_IMM | SOFT_HAS_REMOTE | SOFT_IS_PULLED,
	[SOFT_OP_READ] = SOFT_HAS_REMOTE,
};

_Static_assert(CORE_ARRAY_LEN(known_flags) == SOFT_NUM_OPS, "flags for each op");

static uint8_t *put_u16(uint8_t *at, uint16_t value)
{
	value = htole16(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static uint8_t *put_u64(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static uint8_t *put_bytes(uint8_t *at, const uint8_t *bytes, size_t len)
{
	memcpy(at, bytes, len);
	return at + len;
}

static uint16_t get_u16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return le16toh(value);
}

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

/* op, flags, pieces(2), psn(4), len(4), imm(4), tag(8), addr(8), key(4), zero(4) */
void soft_request_encode(const struct soft_request *request, uint8_t *to)
{
	*to++ = (uint8_t)request->op;
	*to++ = (uint8_t)request->flags;
	to = put_u16(to, (uint16_t)request->num_pieces);
	to = put_u32(to, request->psn);
	to = put_u32(to, request->len);
	memcpy(to, &request->imm, sizeof(request->imm)); /* its bytes are the application's */
	to = put_u64(to + sizeof(request->imm), request->key_tag);
	to = put_u64(to, request->addr);
	to = put_u32(to, request->key_index);
	(void)put_u32(to, 0);
}

static bool request_makes_sense(const struct soft_request *request)
{
	bool is_pulled = (request->flags & SOFT_IS_PULLED) != 0;

	if (request->op >= SOFT_NUM_OPS || (request->flags & ~known_flags[request->op]) != 0)
		return false;
	if (request->len > SOFT_MAX_MESSAGE || request->num_pieces > SOFT_MAX_LIST)
		return false;
	if (is_pulled != (request->num_pieces > 0) || (is_pulled && request->len == 0))
		return false;
	return request->op == SOFT_OP_SEND || request->len == 0 ||
	       (request->flags & SOFT_HAS_REMOTE) != 0;
}

bool soft_request_decode(const uint8_t *from, struct soft_request *request)
{
	struct soft_request decoded = {
		.op = from[0],
		.flags = from[1],
		.num_pieces = get_u16(from + 2),
		.psn = get_u32(from + 4),
		.len = get_u32(from + 8),
		.key_tag = get_u64(from + 16),
		.addr = get_u64(from + 24),
		.key_index = get_u32(from + 32),
	};

	memcpy(&decoded.imm, from + 12, sizeof(decoded.imm));
	if (get_u32(from + 36) != 0 || !request_makes_sense(&decoded))
		return false;
	*request = decoded;
	return true;
}

void soft_piece_encode(const struct soft_piece *piece, uint8_t *to)
{
	(void)put_u64(put_u64(to, piece->addr), piece->len);
}

void soft_piece_decode(const uint8_t *from, struct soft_piece *piece)
{
	piece->addr = get_u64(from);
	piece->len = get_u64(from + sizeof(uint64_t));
}

/* answer, status, zero(2), psn(4), len(4), zero(4) */
void soft_response_encode(const struct soft_response *response, uint8_t *to)
{
	*to++ = (uint8_t)response->answer;
	*to++ = (uint8_t)response->status;
	to = put_u16(to, 0);
	to = put_u32(to, response->psn);
	to = put_u32(to, response->len);
	(void)put_u32(to, 0);
}

bool soft_response_decode(const uint8_t *from, struct soft_response *response)
{
	struct soft_response decoded = {
		.answer = from[0],
		.status = from[1],
		.psn = get_u32(from + 4),
		.len = get_u32(from + 8),
	};
	bool is_data = decoded.answer == SOFT_ANSWER_DATA;
	bool is_nak = decoded.answer == SOFT_ANSWER_NAK;

	if (decoded.answer >= SOFT_NUM_ANSWERS || decoded.status >= SOFT_NUM_STATUSES ||
	    get_u16(from + 2) != 0 || get_u32(from + 12) != 0)
		return false;
	if (is_nak != (decoded.status != SOFT_STATUS_OK) || is_data != (decoded.len > 0) ||
	    decoded.len > SOFT_MAX_CHUNK)
		return false;
	*response = decoded;
	return true;
}

/* magic(4), version(2), transport, rnr, ids(4 each), instances, secrets(16 each), addr(8), zero(8)
 */
void soft_hello_encode(const struct soft_hello *hello, uint8_t *to)
{
	to = put_u32(to, HELLO_MAGIC);
	to = put_u16(to, VERSION);
	*to++ = (uint8_t)hello->transport;
	*to++ = hello->rnr_retry_count;
	to = put_u32(to, hello->from_id);
	to = put_u32(to, hello->to_id);
	to = put_bytes(to, hello->from_instance, sizeof(hello->from_instance));
	to = put_bytes(to, hello->to_instance, sizeof(hello->to_instance));
	to = put_bytes(to, hello->from_secret, sizeof(hello->from_secret));
	to = put_bytes(to, hello->to_secret, sizeof(hello->to_secret));
	to = put_u64(to, hello->secret_addr);
	(void)put_u64(to, 0);
}

bool soft_hello_decode(const uint8_t *from, struct soft_hello *hello)
{
	if (get_u32(from) != HELLO_MAGIC || get_u16(from + 4) != VERSION ||
	    from[6] > DOCA_RDMA_TRANSPORT_TYPE_DC || from[7] > DRDMA_RNR_FOR_EVER ||
	    get_u64(from + 88) != 0)
		return false;
	hello->transport = from[6];
	hello->rnr_retry_count = from[7];
	hello->from_id = get_u32(from + 8);
	hello->to_id = get_u32(from + 12);
	memcpy(hello->from_instance, from + 16, sizeof(hello->from_instance));
	memcpy(hello->to_instance, from + 32, sizeof(hello->to_instance));
	memcpy(hello->from_secret, from + 48, sizeof(hello->from_secret));
	memcpy(hello->to_secret, from + 64, sizeof(hello->to_secret));
	hello->secret_addr = get_u64(from + 80);
	return true;
}

void soft_welcome_encode(const struct soft_welcome *welcome, uint8_t *to)
{
	to = put_u32(to, WELCOME_MAGIC);
	to = put_u16(to, VERSION);
	*to++ = welcome->is_welcome;
	*to = welcome->can_pull;
}

bool soft_welcome_decode(const uint8_t *from, struct soft_welcome *welcome)
{
	if (get_u32(from) != WELCOME_MAGIC || get_u16(from + 4) != VERSION || from[6] > 1 ||
	    from[7] > from[6])
		return false;
	welcome->is_welcome = from[6] == 1;
	welcome->can_pull = from[7] == 1;
	return true;
}
