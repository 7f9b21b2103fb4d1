/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOFT_FRAME_H_
#define SOFT_FRAME_H_

/*
 * What travels on a lane, little-endian: first a hello of the one who dialled and the answer to it,
 * then requests one way and responses the other. A request is followed by its payload, or, when it
 * is to be pulled, by the pieces of the requester's memory that it lies in. All of it comes from a
 * stranger: decoding trusts nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdma/rdma.h"

#define SOFT_MAX_MESSAGE (UINT32_C(1) << 30)
#define SOFT_MAX_LIST    64 /* elements, and so pieces */

enum soft_op {
	SOFT_OP_SEND,
	SOFT_OP_WRITE,
	SOFT_OP_READ,
	SOFT_NUM_OPS,
};

#define SOFT_HAS_IMM    (1u << 0) /* send, write: takes a receive and brings a value */
#define SOFT_HAS_REMOTE (1u << 1) /* write, read: key and address mean something */
#define SOFT_IS_PULLED  (1u << 2) /* send, write: pieces instead of the payload */

struct soft_request {
	enum soft_op op;
	unsigned int flags;
	uint32_t num_pieces; /* of one that is pulled, else 0 */
	uint32_t psn;        /* counts the requests of a lane, from 0 on */
	uint32_t len;        /* bytes of the message */
	uint32_t imm;        /* opaque */
	uint32_t key_index;
	uint64_t key_tag;
	uint64_t addr;
};

#define SOFT_REQUEST_SIZE 40

struct soft_piece {
	uint64_t addr;
	uint64_t len;
};

#define SOFT_PIECE_SIZE 16
#define SOFT_HEAD_SIZE  (SOFT_REQUEST_SIZE + SOFT_MAX_LIST * SOFT_PIECE_SIZE)

enum soft_answer {
	SOFT_ANSWER_ACK,  /* all up to psn are done */
	SOFT_ANSWER_DATA, /* len bytes more of the read psn follow; all before it are done */
	SOFT_ANSWER_NAK,  /* all before psn are done, it has failed, and the lane ends */
	SOFT_NUM_ANSWERS,
};

/* Why a request has failed. */
enum soft_status {
	SOFT_STATUS_OK,
	SOFT_STATUS_ACCESS, /* key, range or permission */
	SOFT_STATUS_LENGTH, /* the receive is too small */
	SOFT_STATUS_RNR,    /* no receive in time */
	SOFT_STATUS_FAULT,  /* memory of either side cannot be reached */
	SOFT_NUM_STATUSES,
};

struct soft_response {
	enum soft_answer answer;
	enum soft_status status;
	uint32_t psn;
	uint32_t len;
};

#define SOFT_RESPONSE_SIZE 16
#define SOFT_MAX_CHUNK     (UINT32_C(256) * 1024) /* of the data of a read */

struct soft_hello {
	uint16_t transport;
	uint8_t rnr_retry_count;
	uint32_t from_id; /* of the connection */
	uint32_t to_id;
	uint8_t from_instance[CORE_INSTANCE_SIZE];
	uint8_t to_instance[CORE_INSTANCE_SIZE];
	uint8_t from_secret[DRDMA_SECRET_SIZE];
	uint8_t to_secret[DRDMA_SECRET_SIZE];
	uint64_t secret_addr; /* where from_secret lies: who can read it there can pull */
};

#define SOFT_HELLO_SIZE 96

struct soft_welcome {
	bool is_welcome; /* or rejected */
	bool can_pull;
};

#define SOFT_WELCOME_SIZE 8

void soft_request_encode(const struct soft_request *request, uint8_t *to);
bool soft_request_decode(const uint8_t *from, struct soft_request *request);
void soft_piece_encode(const struct soft_piece *piece, uint8_t *to);
void soft_piece_decode(const uint8_t *from, struct soft_piece *piece);
void soft_response_encode(const struct soft_response *response, uint8_t *to);
bool soft_response_decode(const uint8_t *from, struct soft_response *response);
void soft_hello_encode(const struct soft_hello *hello, uint8_t *to);
bool soft_hello_decode(const uint8_t *from, struct soft_hello *hello);
void soft_welcome_encode(const struct soft_welcome *welcome, uint8_t *to);
bool soft_welcome_decode(const uint8_t *from, struct soft_welcome *welcome);

#endif /* SOFT_FRAME_H_ */
