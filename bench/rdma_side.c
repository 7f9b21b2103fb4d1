/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define RIGHTS                                                            \
	(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ | \
	 DOCA_ACCESS_FLAG_RDMA_WRITE)

#define MAX_BLOB 4096
#define NUM_BUFS ((size_t)2 * SIDE_NUM_KINDS * SIDE_MAX_TASKS)

static void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		bench_fail(what, doca_error_get_descr(result));
}

static void on_done(struct doca_task *task, union doca_data task_user_data,
		    union doca_data ctx_user_data)
{
	struct side *side = ctx_user_data.ptr;

	(void)task;
	side->num_done[task_user_data.u64]++;
}

static void on_error(struct doca_task *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	check(doca_task_get_status(task), "a task");
}

static void open_dev(struct side *side)
{
	struct doca_devinfo **list;
	uint32_t count;

	check(doca_devinfo_create_list(&list, &count), "list of devices");
	for (uint32_t i = 0; i < count && side->dev == NULL; i++) {
		char name[DOCA_DEVINFO_IFACE_NAME_SIZE];

		if (doca_devinfo_get_iface_name(list[i], name, sizeof(name)) == DOCA_SUCCESS &&
		    strcmp(name, "lo") == 0 &&
		    doca_rdma_cap_task_write_is_supported(list[i]) == DOCA_SUCCESS)
			check(doca_dev_open(list[i], &side->dev), "device");
	}
	check(doca_devinfo_destroy_list(list), "list of devices");
	if (side->dev == NULL)
		bench_fail("device", "none for the loopback interface");
}

static void make_memory(struct side *side)
{
	side->bytes = aligned_alloc(4096, SIDE_BYTES);
	if (side->bytes == NULL)
		bench_fail("memory", "there is none left");
	memset(side->bytes, 1, SIDE_BYTES);
	check(doca_mmap_create(&side->mmap), "mmap");
	check(doca_mmap_set_memrange(side->mmap, side->bytes, SIDE_BYTES), "mmap range");
	check(doca_mmap_set_permissions(side->mmap, RIGHTS), "mmap permissions");
	check(doca_mmap_add_dev(side->mmap, side->dev), "mmap device");
	check(doca_mmap_start(side->mmap), "mmap start");
	check(doca_buf_inventory_create(NUM_BUFS, &side->inventory), "inventory");
	check(doca_buf_inventory_start(side->inventory), "inventory start");
}

static void make_context(struct side *side)
{
	const doca_task_completion_cb_t done = on_done, error = on_error;
	const uint32_t n = SIDE_MAX_TASKS;
	struct doca_ctx *ctx;

	check(doca_pe_create(&side->pe), "engine");
	check(doca_rdma_create(side->dev, &side->rdma), "context");
	ctx = doca_rdma_as_ctx(side->rdma);
	check(doca_ctx_set_user_data(ctx, (union doca_data){ .ptr = side }), "context");
	check(doca_rdma_set_permissions(side->rdma, RIGHTS), "permissions");
	/* A task is its own base, so the callbacks of any task do. */
	check(doca_rdma_task_write_set_conf(side->rdma, (doca_rdma_task_write_completion_cb_t)done,
					    (doca_rdma_task_write_completion_cb_t)error, n),
	      "set_conf");
	check(doca_rdma_task_read_set_conf(side->rdma, (doca_rdma_task_read_completion_cb_t)done,
					   (doca_rdma_task_read_completion_cb_t)error, n),
	      "set_conf");
	check(doca_rdma_task_send_set_conf(side->rdma, (doca_rdma_task_send_completion_cb_t)done,
					   (doca_rdma_task_send_completion_cb_t)error, n),
	      "set_conf");
	check(doca_rdma_task_receive_set_conf(side->rdma,
					      (doca_rdma_task_receive_completion_cb_t)done,
					      (doca_rdma_task_receive_completion_cb_t)error, n),
	      "set_conf");
	check(doca_pe_connect_ctx(side->pe, ctx), "engine of the context");
	check(doca_ctx_start(ctx), "start");
}

/* Gives the other side a descriptor and gets its own; each comes as one packet. */
static size_t exchange(int socket, const void *own, size_t own_len, void *other)
{
	ssize_t got;

	if (send(socket, own, own_len, MSG_NOSIGNAL) != (ssize_t)own_len)
		bench_fail("exchange", strerror(errno));
	got = recv(socket, other, MAX_BLOB, 0);
	if (got <= 0)
		bench_fail("exchange", "the other process is gone");
	return (size_t)got;
}

static void connect_sides(struct side *side, int socket)
{
	uint8_t other[MAX_BLOB];
	const void *blob;
	size_t len;

	check(doca_rdma_export(side->rdma, &blob, &len, &side->conn), "export");
	len = exchange(socket, blob, len, other);
	check(doca_rdma_connect(side->rdma, other, len, side->conn), "connect");
	check(doca_mmap_export_rdma(side->mmap, side->dev, &blob, &len), "export of memory");
	len = exchange(socket, blob, len, other);
	check(doca_mmap_create_from_export(NULL, other, len, side->dev, &side->remote), "import");
}

static void watch_engine(struct side *side)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	doca_notification_handle_t handle;

	check(doca_pe_get_notification_handle(side->pe, &handle), "handle");
	side->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (side->epoll_fd < 0 || epoll_ctl(side->epoll_fd, EPOLL_CTL_ADD, handle, &wanted) != 0)
		bench_fail("epoll", strerror(errno));
}

void side_open(struct side *side, int socket)
{
	memset(side, 0, sizeof(*side));
	open_dev(side);
	make_memory(side);
	make_context(side);
	connect_sides(side, socket);
	watch_engine(side);
}

static struct doca_buf *make_buf(struct side *side, struct doca_mmap *mmap, size_t offset,
				 size_t len, size_t data_len)
{
	struct doca_buf *buf;
	size_t mmap_len;
	void *base;

	check(doca_mmap_get_memrange(mmap, &base, &mmap_len), "range");
	check(doca_buf_inventory_buf_get_by_args(side->inventory, mmap, (char *)base + offset, len,
						 (char *)base + offset, data_len, &buf),
	      "buf");
	return buf;
}

static struct doca_task *make_task(struct side *side, enum side_task kind, struct doca_buf *local,
				   struct doca_buf *far)
{
	const union doca_data user_data = { .u64 = kind };
	struct doca_rdma_task_receive *receive;
	struct doca_rdma_task_write *write;
	struct doca_rdma_task_read *read;
	struct doca_rdma_task_send *send;

	switch (kind) {
	case SIDE_WRITE:
		check(doca_rdma_task_write_allocate_init(side->rdma, side->conn, local, far,
							 user_data, &write),
		      "write");
		return doca_rdma_task_write_as_task(write);
	case SIDE_READ:
		check(doca_rdma_task_read_allocate_init(side->rdma, side->conn, far, local,
							user_data, &read),
		      "read");
		return doca_rdma_task_read_as_task(read);
	case SIDE_SEND:
		check(doca_rdma_task_send_allocate_init(side->rdma, side->conn, local, user_data,
							&send),
		      "send");
		return doca_rdma_task_send_as_task(send);
	case SIDE_RECEIVE:
		check(doca_rdma_task_receive_allocate_init(side->rdma, local, user_data, &receive),
		      "receive");
		return doca_rdma_task_receive_as_task(receive);
	case SIDE_NUM_KINDS:
		break;
	}
	bench_fail("task", "no such kind");
}

void side_add_tasks(struct side *side, enum side_task kind, size_t bytes)
{
	bool is_source = kind == SIDE_WRITE || kind == SIDE_SEND;

	for (unsigned int i = 0; i < SIDE_MAX_TASKS; i++) {
		struct doca_buf *far = NULL;

		if (kind == SIDE_WRITE || kind == SIDE_READ)
			far = make_buf(side, side->remote, i * bytes, bytes,
				       kind == SIDE_READ ? bytes : 0);
		side->far[kind][i] = far;
		side->local[kind][i] =
		    make_buf(side, side->mmap, i * bytes, bytes, is_source ? bytes : 0);
		side->tasks[kind][i] = make_task(side, kind, side->local[kind][i], far);
	}
}

static void free_tasks(struct side *side, enum side_task kind)
{
	for (unsigned int i = 0; i < SIDE_MAX_TASKS && side->tasks[kind][i] != NULL; i++) {
		doca_task_free(side->tasks[kind][i]);
		check(doca_buf_dec_refcount(side->local[kind][i], NULL), "buf");
		if (side->far[kind][i] != NULL)
			check(doca_buf_dec_refcount(side->far[kind][i], NULL), "buf");
	}
}

void side_close(struct side *side)
{
	for (int kind = 0; kind < SIDE_NUM_KINDS; kind++)
		free_tasks(side, (enum side_task)kind);
	check(doca_ctx_stop(doca_rdma_as_ctx(side->rdma)), "stop");
	check(doca_rdma_destroy(side->rdma), "context");
	check(doca_pe_destroy(side->pe), "engine");
	check(doca_buf_inventory_destroy(side->inventory), "inventory");
	check(doca_mmap_destroy(side->remote), "imported mmap");
	check(doca_mmap_destroy(side->mmap), "mmap");
	check(doca_dev_close(side->dev), "device");
	close(side->epoll_fd);
	free(side->bytes);
}

void side_submit(struct side *side, enum side_task kind, unsigned int index)
{
	if (kind == SIDE_READ || kind == SIDE_RECEIVE)
		check(doca_buf_reset_data_len(side->local[kind][index]), "reset");
	check(doca_task_submit(side->tasks[kind][index]), "submit");
}

void side_sleep(struct side *side)
{
	struct epoll_event event;

	check(doca_pe_request_notification(side->pe), "request");
	while (epoll_wait(side->epoll_fd, &event, 1, -1) != 1) {
		if (errno != EINTR)
			bench_fail("epoll_wait", strerror(errno));
	}
	check(doca_pe_clear_notification(side->pe, 0), "clear");
	while (doca_pe_progress(side->pe) != 0)
		continue;
}
