/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

#include "blob_input.h"
#include "rdma/providers/software/soft_frame.h"

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote, unsigned long num_remote,
				unsigned long flags);

const uint8_t peer_memory_secret[DRDMA_SECRET_SIZE] = "a peer's secret";

/* Where in the stream the pulling has come to. */
struct cursor {
	const uint8_t *request; /* the next one */
	const uint8_t *end;
	const uint8_t *piece; /* of the one before it */
	unsigned int num_pieces;
	uint64_t done; /* bytes of the first piece */
};

static struct cursor place;

void peer_memory_set_stream(const uint8_t *stream, size_t len)
{
	place = (struct cursor){ .request = stream, .end = len > 0 ? stream + len : stream };
}

/* The next request that has pieces becomes the one that is pulled; it is there, or it is wrong. */
static void next_request(struct cursor *at)
{
	while (at->num_pieces == 0) {
		const uint8_t *request = at->request;
		uint64_t pieces, payload;

		CHECK(at->end - request >= SOFT_REQUEST_SIZE);
		pieces = (request[1] & SOFT_IS_PULLED) != 0 ? blob_number_at(request + 2, 2) : 0;
		payload = pieces > 0 ? pieces * SOFT_PIECE_SIZE : blob_number_at(request + 8, 4);
		if (request[0] == SOFT_OP_READ)
			payload = 0;
		CHECK(payload <= (uint64_t)(at->end - request - SOFT_REQUEST_SIZE));
		at->piece = request + SOFT_REQUEST_SIZE;
		at->num_pieces = (unsigned int)pieces;
		at->request = at->piece + payload;
	}
}

/* Skips pieces without bytes, and goes on behind one that is over. */
static uint64_t piece_left(struct cursor *at)
{
	for (;;) {
		uint64_t left;

		next_request(at);
		left = blob_number_at(at->piece + 8, 8) - at->done;
		if (left > 0)
			return left;
		at->piece += SOFT_PIECE_SIZE;
		at->num_pieces--;
		at->done = 0;
	}
}

/* These bytes come next, whatever pieces they are in. */
static void check_range(struct cursor *at, uint64_t addr, uint64_t len)
{
	while (len > 0) {
		uint64_t left = piece_left(at);
		uint64_t some = len < left ? len : left;

		CHECK(addr == blob_number_at(at->piece, 8) + at->done);
		at->done += some;
		addr += some;
		len -= some;
	}
}

static uint64_t sum_of(const struct iovec *iov, unsigned long count)
{
	uint64_t sum = 0;

	for (unsigned long i = 0; i < count; i++)
		sum += iov[i].iov_len;
	return sum;
}

/* How many bytes from there on are mapped, at most len. */
static uint64_t mapped(uint64_t addr, uint64_t len)
{
	uint64_t left;

	if (addr < PEER_MEMORY_START || addr >= PEER_MEMORY_START + PEER_MEMORY_BYTES)
		return 0;
	left = PEER_MEMORY_START + PEER_MEMORY_BYTES - addr;
	return len < left ? len : left;
}

/* Fills the first len bytes of the entries. */
static void fill(const struct iovec *local, uint64_t len)
{
	for (; len > 0; local++) {
		uint64_t some = len < local->iov_len ? len : local->iov_len;

		memset(local->iov_base, 'p', some);
		len -= some;
	}
}

static ssize_t read_secret(const struct iovec *local, const struct iovec *remote)
{
	if ((uintptr_t)remote->iov_base != PEER_MEMORY_SECRET_AT) {
		errno = EFAULT;
		return -1;
	}
	CHECK(local->iov_len == sizeof(peer_memory_secret));
	memcpy(local->iov_base, peer_memory_secret, sizeof(peer_memory_secret));
	return (ssize_t)sizeof(peer_memory_secret);
}

/* As the system does it: up to the first byte that is not mapped. Returns how many there are. */
static uint64_t pull(const struct iovec *remote, unsigned long num_remote)
{
	struct cursor ahead = place;
	bool is_mapped = true;
	uint64_t got = 0;

	for (unsigned long i = 0; i < num_remote; i++) {
		uint64_t addr = (uintptr_t)remote[i].iov_base, len = remote[i].iov_len;
		uint64_t some = is_mapped ? mapped(addr, len) : 0;

		check_range(&ahead, addr, len);
		check_range(&place, addr, some);
		is_mapped = some == len && is_mapped;
		got += some;
	}
	return got;
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote, unsigned long num_remote,
				unsigned long flags)
{
	uint64_t got;

	CHECK(pid > 0 && flags == 0 && num_remote > 0);
	CHECK(sum_of(local, num_local) == sum_of(remote, num_remote));
	if (place.request == NULL)
		return read_secret(local, remote);
	got = pull(remote, num_remote);
	fill(local, got);
	if (got > 0)
		return (ssize_t)got;
	errno = EFAULT;
	return -1;
}
