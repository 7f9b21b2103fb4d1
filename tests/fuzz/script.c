/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include <ctype.h>
#include <string.h>

#include <doca_log.h>

#define MAX_PIECES 256

/* --- Steps --- */

bool script_next(const uint8_t **input, size_t *left, struct script_step *step)
{
	const uint8_t *at = *input;

	if (*left < SCRIPT_HEADER)
		return false;
	*step = (struct script_step){
		at[0], at[1], at[2], at[3], at + SCRIPT_HEADER, (size_t)at[4] | (size_t)at[5] << 8
	};
	*left -= SCRIPT_HEADER;
	if (step->len > *left)
		step->len = *left;
	*left -= step->len;
	*input = step->bytes + step->len;
	return true;
}

uint8_t *script_frame(const struct script_step *step, size_t *len)
{
	const struct wire_header header = {
		.len = (uint32_t)step->len,
		.type = step->type,
		.has_more = (step->flags & SCRIPT_MORE) != 0,
		.id = script_id(step),
	};
	uint8_t *frame;

	*len = WIRE_HEADER_SIZE + step->len;
	frame = malloc(*len);
	CHECK(frame != NULL);
	wire_header_encode(&header, frame);
	memcpy(frame + WIRE_HEADER_SIZE, step->bytes, step->len);
	return frame;
}

static char line[4096];

/* A line is one, whatever a peer has put into it: who reads a log trusts its beginnings. */
static void on_line(char *text)
{
	size_t len = strlen(text);

	if (len > 0 && text[len - 1] == '\n')
		len--;
	for (size_t i = 0; i < len; i++) {
		if (iscntrl((unsigned char)text[i]))
			(void)fprintf(stderr, "the log: %s\n", text);
		CHECK(!iscntrl((unsigned char)text[i]));
	}
}

void script_watch_log(void)
{
	struct doca_log_backend *backend;

	CHECK(doca_log_backend_create_with_buf_sdk(line, sizeof(line), on_line, &backend) ==
	      DOCA_SUCCESS);
	CHECK(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS);
	CHECK(doca_log_backend_create_with_buf(line, sizeof(line), on_line, &backend) ==
	      DOCA_SUCCESS);
	CHECK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG) == DOCA_SUCCESS);
}

/* --- Mutation --- */

const struct script_shape script_steps = {
	.start = 0,
	.header_size = SCRIPT_HEADER,
	.len_at = 4,
	.len_size = 2,
	.more_at = 3,
	.more_bit = SCRIPT_MORE,
};

struct script_shape script_frames(size_t start)
{
	return (struct script_shape){
		.start = start,
		.header_size = WIRE_HEADER_SIZE,
		.len_at = 0,
		.len_size = 4,
		.more_at = 6,
		.more_bit = 1,
	};
}

struct pieces {
	size_t at[MAX_PIECES + 1]; /* the last: behind all */
	size_t count;
};

/* What is to be done to whom. */
struct change {
	const struct script_shape *shape;
	uint8_t *data;
	size_t size;
	size_t max_size;
	size_t piece; /* the chosen one: where it begins, and where the next does */
	size_t next;
	unsigned int random;
};

static size_t piece_len(const struct script_shape *shape, const uint8_t *piece)
{
	size_t len = 0;

	for (size_t i = 0; i < shape->len_size; i++)
		len |= (size_t)piece[shape->len_at + i] << (8 * i);
	return len;
}

static void set_piece_len(const struct script_shape *shape, uint8_t *piece, size_t len)
{
	for (size_t i = 0; i < shape->len_size; i++)
		piece[shape->len_at + i] = (uint8_t)(len >> (8 * i));
}

static void find_pieces(const struct script_shape *shape, const uint8_t *data, size_t size,
			struct pieces *pieces)
{
	size_t at = shape->start;

	pieces->count = 0;
	while (pieces->count < MAX_PIECES && at + shape->header_size <= size) {
		size_t len = piece_len(shape, data + at);

		if (len > size - at - shape->header_size)
			break;
		pieces->at[pieces->count++] = at;
		at += shape->header_size + len;
	}
	pieces->at[pieces->count] = at;
}

/* Makes room for len bytes; false: there is none. */
static bool make_room(struct change *change, size_t at, size_t len)
{
	if (len > change->max_size - change->size)
		return false;
	memmove(change->data + at + len, change->data + at, change->size - at);
	change->size += len;
	return true;
}

static void remove_piece(struct change *change)
{
	memmove(change->data + change->piece, change->data + change->next,
		change->size - change->next);
	change->size -= change->next - change->piece;
}

static void repeat_piece(struct change *change)
{
	size_t len = change->next - change->piece;

	if (make_room(change, change->next, len))
		memcpy(change->data + change->next, change->data + change->piece, len);
}

/* Cuts a piece in two, the first of which says that it goes on; a part may be empty. */
static void split_at(struct change *change, size_t len)
{
	const struct script_shape *shape = change->shape;
	const size_t whole = change->next - change->piece - shape->header_size;
	const size_t behind = change->piece + shape->header_size + len;
	uint8_t *first = change->data + change->piece;

	if (!make_room(change, behind, shape->header_size))
		return;
	memcpy(change->data + behind, first, shape->header_size);
	set_piece_len(shape, first, len);
	first[shape->more_at] |= shape->more_bit;
	set_piece_len(shape, change->data + behind, whole - len);
}

static void split_piece(struct change *change)
{
	const size_t whole = change->next - change->piece - change->shape->header_size;

	split_at(change, change->random % (whole + 1));
}

static void put_empty_before(struct change *change)
{
	split_at(change, 0);
}

/* Its bytes as libFuzzer likes, and its length with them. */
static void change_bytes(struct change *change)
{
	const struct script_shape *shape = change->shape;
	const size_t start = change->piece + shape->header_size;
	const size_t old = change->next - start, behind = change->size - change->next;
	const size_t most = old + (change->max_size - change->size);
	uint8_t *copy = malloc(most + 1);
	size_t len;

	CHECK(copy != NULL);
	memcpy(copy, change->data + start, old);
	len = LLVMFuzzerMutate(copy, old, most);
	if (shape->len_size == 2 && len > UINT16_MAX)
		len = UINT16_MAX;
	memmove(change->data + start + len, change->data + change->next, behind);
	memcpy(change->data + start, copy, len);
	free(copy);
	set_piece_len(shape, change->data + change->piece, len);
	change->size = start + len + behind;
}

/* A byte of its header that is not its length. */
static void change_header(struct change *change)
{
	const struct script_shape *shape = change->shape;
	size_t at = change->random % shape->header_size;

	if (at >= shape->len_at && at < shape->len_at + shape->len_size)
		at = shape->more_at;
	change->data[change->piece + at] ^= (uint8_t)(1u << (change->random / 64 % 8));
}

static void end_here(struct change *change)
{
	change->size = change->next;
}

static void (*const changes[])(struct change *) = {
	remove_piece, repeat_piece,  split_piece,   put_empty_before, change_bytes, change_bytes,
	change_bytes, change_header, change_header, change_header,    end_here,
};

size_t script_mutate(const struct script_shape *shape, uint8_t *data, size_t size, size_t max_size,
		     unsigned int seed)
{
	struct change change = { shape, data, size, max_size, 0, 0, seed / 512 };
	struct pieces pieces;
	size_t chosen;

	find_pieces(shape, data, size, &pieces);
	if (pieces.count == 0 || size >= max_size || seed % 4 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	chosen = seed / 4 % pieces.count;
	change.piece = pieces.at[chosen];
	change.next = pieces.at[chosen + 1];
	changes[seed / 64 % (sizeof(changes) / sizeof(changes[0]))](&change);
	return change.size;
}
