/* SPDX-License-Identifier: BSD-3-Clause */

/* What a DMA task costs above the memcpy that it stands for. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_dma.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "bench.h"

#define MAX_TASKS   64
#define LIST_LEN    16
#define LIST_BYTES  64
#define KIB         ((size_t)1024)
#define MIB         (1024 * KIB)
#define MEMORY_SIDE (16 * MIB)

/* Through a pointer that the compiler must not look behind, so that it stays a call. */
static void *(*volatile copy)(void *dst, const void *src, size_t len) = memcpy;

struct rig {
	size_t bytes; /* of one copy */
	char *src;    /* MEMORY_SIDE bytes */
	char *dst;
	struct doca_dev *dev;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
	struct doca_pe *pe;
	struct doca_dma *dma;
	struct doca_task *tasks[MAX_TASKS];
	struct doca_buf *src_bufs[MAX_TASKS];
	struct doca_buf *dst_bufs[MAX_TASKS];
	unsigned int num_tasks;
	uint64_t num_done;
	int event_fd; /* the peer's */
	int peer_epoll_fd;
	int epoll_fd; /* with the engine's handle */
};

static void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail(what, doca_error_get_descr(result));
}

static void on_copied(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	struct rig *rig = ctx_user_data.ptr;

	(void)task;
	(void)task_user_data;
	rig->num_done++;
}

static void on_failed(struct doca_dma_task_memcpy *task, union doca_data task_user_data,
		      union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	check(doca_task_get_status(doca_dma_task_memcpy_as_task(task)), "a copy");
}

static void open_dev(struct rig *rig)
{
	struct doca_devinfo **list;
	uint32_t count;

	check(doca_devinfo_create_list(&list, &count), "list of devices");
	for (uint32_t i = 0; i < count && rig->dev == NULL; i++) {
		if (doca_dma_cap_task_memcpy_is_supported(list[i]) == DOCA_SUCCESS)
			check(doca_dev_open(list[i], &rig->dev), "device");
	}
	check(doca_devinfo_destroy_list(list), "list of devices");
	if (rig->dev == NULL)
		bench_fail("device", "none copies");
}

/* Both halves are written, so that neither side is the first to touch a page. */
static void make_memory(struct rig *rig)
{
	rig->src = aligned_alloc(4 * KIB, 2 * MEMORY_SIDE);
	if (rig->src == NULL)
		bench_fail("memory", "there is none left");
	memset(rig->src, 1, 2 * MEMORY_SIDE);
	rig->dst = rig->src + MEMORY_SIDE;
	check(doca_mmap_create(&rig->mmap), "mmap");
	check(doca_mmap_set_memrange(rig->mmap, rig->src, 2 * MEMORY_SIDE), "mmap range");
	check(doca_mmap_set_permissions(rig->mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), "mmap");
	check(doca_mmap_add_dev(rig->mmap, rig->dev), "mmap device");
	check(doca_mmap_start(rig->mmap), "mmap start");
	check(doca_buf_inventory_create(2 * MAX_TASKS + LIST_LEN, &rig->inventory), "inventory");
	check(doca_buf_inventory_start(rig->inventory), "inventory start");
}

static void make_dma(struct rig *rig)
{
	struct doca_ctx *ctx;

	check(doca_pe_create(&rig->pe), "engine");
	check(doca_dma_create(rig->dev, &rig->dma), "context");
	ctx = doca_dma_as_ctx(rig->dma);
	check(doca_ctx_set_user_data(ctx, (union doca_data){ .ptr = rig }), "context");
	check(doca_dma_task_memcpy_set_conf(rig->dma, on_copied, on_failed, MAX_TASKS), "set_conf");
	check(doca_pe_connect_ctx(rig->pe, ctx), "engine of the context");
	check(doca_ctx_start(ctx), "start");
}

static struct doca_buf *make_buf(struct rig *rig, char *at, size_t len, size_t data_len)
{
	struct doca_buf *buf;

	check(doca_buf_inventory_buf_get_by_args(rig->inventory, rig->mmap, at, len, at, data_len,
						 &buf),
	      "buf");
	return buf;
}

static void add_task(struct rig *rig, struct doca_buf *src, struct doca_buf *dst)
{
	struct doca_dma_task_memcpy *task;
	unsigned int index = rig->num_tasks++;

	check(doca_dma_task_memcpy_alloc_init(rig->dma, src, dst, (union doca_data){ .u64 = 0 },
					      &task),
	      "task");
	rig->tasks[index] = doca_dma_task_memcpy_as_task(task);
	rig->src_bufs[index] = src;
	rig->dst_bufs[index] = dst;
}

static struct rig *make_rig(const struct bench_case *one)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	if (rig == NULL)
		bench_fail("memory", "there is none left");
	rig->bytes = one->bytes;
	rig->event_fd = rig->peer_epoll_fd = rig->epoll_fd = -1;
	open_dev(rig);
	make_memory(rig);
	make_dma(rig);
	return rig;
}

static void *setup_one(struct bench_case *one)
{
	struct rig *rig = make_rig(one);

	add_task(rig, make_buf(rig, rig->src, rig->bytes, rig->bytes),
		 make_buf(rig, rig->dst, rig->bytes, 0));
	return rig;
}

/* All of them copy the same bytes to the same place, as the peer does. */
static void *setup_many(struct bench_case *one)
{
	struct rig *rig = make_rig(one);

	for (unsigned int i = 0; i < MAX_TASKS; i++)
		add_task(rig, make_buf(rig, rig->src, rig->bytes, rig->bytes),
			 make_buf(rig, rig->dst, rig->bytes, 0));
	return rig;
}

static char *piece(const struct rig *rig, size_t index)
{
	return rig->src + 2 * index * LIST_BYTES;
}

static void *setup_list(struct bench_case *one)
{
	struct rig *rig = make_rig(one);
	struct doca_buf *list = make_buf(rig, piece(rig, 0), LIST_BYTES, LIST_BYTES);

	for (size_t i = 1; i < LIST_LEN; i++)
		check(
		    doca_buf_chain_list(list, make_buf(rig, piece(rig, i), LIST_BYTES, LIST_BYTES)),
		    "list");
	add_task(rig, list, make_buf(rig, rig->dst, rig->bytes, 0));
	return rig;
}

static int watch(int fd)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &wanted) != 0)
		bench_fail("epoll", strerror(errno));
	return epoll_fd;
}

static void *setup_event(struct bench_case *one)
{
	struct rig *rig = setup_one(one);
	doca_notification_handle_t handle;

	check(doca_pe_get_notification_handle(rig->pe, &handle), "handle");
	rig->epoll_fd = watch(handle);
	rig->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rig->peer_epoll_fd = watch(rig->event_fd);
	return rig;
}

static void close_all(const struct rig *rig)
{
	const int fds[] = { rig->event_fd, rig->peer_epoll_fd, rig->epoll_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

static void teardown(void *state)
{
	struct rig *rig = state;

	for (unsigned int i = 0; i < rig->num_tasks; i++) {
		doca_task_free(rig->tasks[i]);
		check(doca_buf_dec_refcount(rig->src_bufs[i], NULL), "buf");
		check(doca_buf_dec_refcount(rig->dst_bufs[i], NULL), "buf");
	}
	check(doca_ctx_stop(doca_dma_as_ctx(rig->dma)), "stop");
	check(doca_dma_destroy(rig->dma), "context");
	check(doca_pe_destroy(rig->pe), "engine");
	check(doca_buf_inventory_destroy(rig->inventory), "inventory");
	check(doca_mmap_destroy(rig->mmap), "mmap");
	check(doca_dev_close(rig->dev), "device");
	close_all(rig);
	free(rig->src);
	free(rig);
}

/* A copy appends, so its destination is emptied before. */
static inline void submit(struct rig *rig, unsigned int index)
{
	check(doca_buf_reset_data_len(rig->dst_bufs[index]), "reset");
	check(doca_task_submit(rig->tasks[index]), "submit");
}

static void ours_one_by_one(void *state, uint64_t count)
{
	struct rig *rig = state;

	for (uint64_t wanted = rig->num_done + count; rig->num_done < wanted;) {
		uint64_t before = rig->num_done;

		submit(rig, 0);
		while (rig->num_done == before)
			(void)doca_pe_progress(rig->pe);
	}
}

static void ours_in_batches(void *state, uint64_t count)
{
	struct rig *rig = state;

	while (count > 0) {
		unsigned int batch = count < MAX_TASKS ? (unsigned int)count : MAX_TASKS;
		uint64_t wanted = rig->num_done + batch;

		for (unsigned int i = 0; i < batch; i++)
			submit(rig, i);
		while (rig->num_done < wanted)
			(void)doca_pe_progress(rig->pe);
		count -= batch;
	}
}

/* The cycle that doca_pe.h asks for. */
static void ours_in_events(void *state, uint64_t count)
{
	struct rig *rig = state;
	struct epoll_event event;

	for (uint64_t wanted = rig->num_done + count; rig->num_done < wanted;) {
		submit(rig, 0);
		check(doca_pe_request_notification(rig->pe), "request");
		if (epoll_wait(rig->epoll_fd, &event, 1, -1) != 1)
			bench_fail("epoll_wait", strerror(errno));
		check(doca_pe_clear_notification(rig->pe, 0), "clear");
		while (doca_pe_progress(rig->pe) != 0)
			continue;
	}
}

static void peer_memcpy(void *state, uint64_t count)
{
	const struct rig *rig = state;

	for (; count > 0; count--)
		copy(rig->dst, rig->src, rig->bytes);
}

static void peer_memcpy_list(void *state, uint64_t count)
{
	const struct rig *rig = state;

	for (; count > 0; count--) {
		for (size_t i = 0; i < LIST_LEN; i++)
			copy(rig->dst + i * LIST_BYTES, piece(rig, i), LIST_BYTES);
	}
}

static void peer_eventfd(void *state, uint64_t count)
{
	const struct rig *rig = state;
	struct epoll_event event;
	uint64_t value = 1;

	for (; count > 0; count--) {
		if (write(rig->event_fd, &value, sizeof(value)) != sizeof(value) ||
		    epoll_wait(rig->peer_epoll_fd, &event, 1, -1) != 1 ||
		    read(rig->event_fd, &value, sizeof(value)) != sizeof(value))
			bench_fail("eventfd", strerror(errno));
	}
}

#define SIZE_CASE(case_name, case_bytes)                                                  \
	{                                                                                 \
		.name = (case_name), .transport = "memory", .peer = "memcpy",             \
		.unit = BENCH_GB_PER_S, .clock = BENCH_PROCESSOR, .bytes = (case_bytes),  \
		.setup = setup_one, .run_ours = ours_one_by_one, .run_peer = peer_memcpy, \
		.teardown = teardown,                                                     \
	}

static struct bench_case cases[] = {
	{
	    .name = "copy_8b",
	    .transport = "memory",
	    .peer = "memcpy",
	    .unit = BENCH_NS,
	    .clock = BENCH_PROCESSOR,
	    .bytes = 8,
	    .limit = { .kind = BENCH_AT_MOST_MORE, .value = 100 },
	    .setup = setup_one,
	    .run_ours = ours_one_by_one,
	    .run_peer = peer_memcpy,
	    .teardown = teardown,
	},
	{
	    .name = "copy_8b_64_in_flight",
	    .transport = "memory",
	    .peer = "memcpy",
	    .unit = BENCH_NS,
	    .clock = BENCH_PROCESSOR,
	    .bytes = 8,
	    .setup = setup_many,
	    .run_ours = ours_in_batches,
	    .run_peer = peer_memcpy,
	    .teardown = teardown,
	},
	{
	    .name = "copy_8b_event",
	    .transport = "memory",
	    .peer = "eventfd",
	    .unit = BENCH_NS,
	    .clock = BENCH_PROCESSOR,
	    .bytes = 8,
	    .setup = setup_event,
	    .run_ours = ours_in_events,
	    .run_peer = peer_eventfd,
	    .teardown = teardown,
	},
	SIZE_CASE("copy_4kib", 4 * KIB),
	SIZE_CASE("copy_64kib", 64 * KIB),
	SIZE_CASE("copy_1mib", MIB),
	SIZE_CASE("copy_16mib", MEMORY_SIDE),
	{
	    .name = "gather_16x64b",
	    .transport = "memory",
	    .peer = "16 memcpys",
	    .unit = BENCH_NS,
	    .clock = BENCH_PROCESSOR,
	    .bytes = (size_t)LIST_LEN * LIST_BYTES,
	    .setup = setup_list,
	    .run_ours = ours_one_by_one,
	    .run_peer = peer_memcpy_list,
	    .teardown = teardown,
	},
};

int main(int argc, char **argv)
{
	const struct bench_program program = {
		.name = "bench_dma",
		.num_cores = 1,
		.cases = cases,
		.num_cases = sizeof(cases) / sizeof(cases[0]),
	};

	return bench_main(&program, argc, argv);
}
