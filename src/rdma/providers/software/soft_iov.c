/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/providers/software/soft.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/buf.h"

/* What is taken along behind data that goes to its place. */
#define BEHIND_BYTES 2048

/* One more than a list can have: the stage is behind it. */
#define MAX_ENTRIES (SOFT_MAX_LIST + 1)

static void section_data(const struct doca_buf *buf, char **at, size_t *len)
{
	*at = buf->data;
	*len = buf->data_len;
}

static void section_room(const struct doca_buf *buf, char **at, size_t *len)
{
	*at = buf->data + buf->data_len;
	*len = core_buf_room(buf);
}

static int list_iov(const struct doca_buf *list, size_t offset, size_t len, struct iovec *iov,
		    int max, void (*section)(const struct doca_buf *buf, char **at, size_t *len))
{
	int count = 0;

	for (; list != NULL && len > 0 && count < max; list = list->next) {
		size_t has, skip;
		char *at;

		section(list, &at, &has);
		skip = offset < has ? offset : has;
		offset -= skip;
		has -= skip;
		if (has == 0)
			continue;
		if (has > len)
			has = len;
		iov[count].iov_base = at + skip;
		iov[count].iov_len = has;
		count++;
		len -= has;
	}
	return count;
}

int soft_iov_data(const struct doca_buf *list, size_t offset, size_t len, struct iovec *iov,
		  int max)
{
	return list_iov(list, offset, len, iov, max, section_data);
}

int soft_iov_room(const struct doca_buf *list, size_t offset, size_t len, struct iovec *iov,
		  int max)
{
	return list_iov(list, offset, len, iov, max, section_room);
}

size_t soft_iov_len(const struct iovec *iov, int count)
{
	size_t sum = 0;

	for (int i = 0; i < count; i++)
		sum += iov[i].iov_len;
	return sum;
}

void soft_copy(void *to, const void *from, size_t len)
{
	uint64_t word;

	if (len != sizeof(word) || (uintptr_t)to % sizeof(word) != 0) {
		memcpy(to, from, len);
		return;
	}
	memcpy(&word, from, sizeof(word));
	__atomic_store_n((uint64_t *)to, word, __ATOMIC_RELEASE);
}

void soft_iov_put(const struct iovec *iov, int count, const uint8_t *from)
{
	for (int i = 0; i < count; i++) {
		soft_copy(iov[i].iov_base, from, iov[i].iov_len);
		from += iov[i].iov_len;
	}
}

doca_error_t soft_stage_init(struct soft_stage *stage)
{
	stage->bytes = malloc(SOFT_STAGE_BYTES);
	return stage->bytes != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

void soft_stage_fini(struct soft_stage *stage)
{
	free(stage->bytes);
	stage->bytes = NULL;
}

/* Moves what is left to the front, so that there is all the room behind it. */
static void stage_compact(struct soft_stage *stage)
{
	size_t len = soft_stage_len(stage);

	if (stage->from == 0)
		return;
	memmove(stage->bytes, stage->bytes + stage->from, len);
	stage->from = 0;
	stage->to = len;
}

static ssize_t receive(int fd, struct iovec *entries, size_t count)
{
	struct msghdr message = { .msg_iov = entries, .msg_iovlen = count };
	ssize_t got;

	do {
		/* The plain call is the cheaper one, and it is what is polled with. */
		got = count == 1 ? recv(fd, entries->iov_base, entries->iov_len, MSG_DONTWAIT)
				 : recvmsg(fd, &message, MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	return got;
}

ssize_t soft_stage_recv(struct soft_stage *stage, int fd, const struct iovec *iov, int count,
			bool *is_drained, bool *is_over)
{
	size_t wanted = soft_iov_len(iov, count), all;
	struct iovec entries[MAX_ENTRIES];
	ssize_t got;

	stage_compact(stage);
	for (int i = 0; i < count; i++)
		entries[i] = iov[i];
	entries[count].iov_base = stage->bytes + stage->to;
	entries[count].iov_len = SOFT_STAGE_BYTES - stage->to;
	if (count > 0) /* what follows is as big, and is copied from here */
		entries[count].iov_len = BEHIND_BYTES;
	all = wanted + entries[count].iov_len;
	got = receive(fd, entries, (size_t)count + 1);
	*is_over = got == 0 || (got < 0 && errno != EAGAIN);
	*is_drained = got < (ssize_t)all;
	if (got <= 0)
		return -1;
	if ((size_t)got <= wanted)
		return got;
	stage->to += (size_t)got - wanted;
	return (ssize_t)wanted;
}
