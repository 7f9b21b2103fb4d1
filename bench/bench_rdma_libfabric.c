/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include "bench.h"
#include "bench_rdma_rival.h"

/* libfabric's tcp provider, as reliable datagrams; a write is complete when it is delivered. */

#define MAX_NAME 256

/* What the target tells of its memory. */
struct target_memory {
	uint64_t base;
	uint64_t key;
};

struct client {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	struct fid_mr *mr;
	fi_addr_t peer;
	struct target_memory far;
	char *bytes;
};

static void check(long result, const char *what)
{
	if (result != 0)
		bench_fail(what, fi_strerror((int)-result));
}

static void choose_provider(struct client *client)
{
	struct fi_info *hints = fi_allocinfo();

	if (hints == NULL)
		bench_fail("memory", "there is none left");
	hints->caps = FI_MSG | FI_RMA;
	hints->ep_attr->type = FI_EP_RDM;
	hints->domain_attr->mr_mode =
	    FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
	hints->fabric_attr->prov_name = strdup("tcp;ofi_rxm");
	check(fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", NULL, FI_SOURCE, hints, &client->info),
	      "libfabric provider");
	fi_freeinfo(hints);
}

static void open_endpoint(struct client *client, size_t len)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_CONTEXT, .size = 1024 };
	struct fi_av_attr av_attr = { .type = FI_AV_TABLE };
	const uint64_t access = FI_WRITE | FI_READ | FI_REMOTE_WRITE | FI_REMOTE_READ;

	choose_provider(client);
	check(fi_fabric(client->info->fabric_attr, &client->fabric, NULL), "libfabric");
	check(fi_domain(client->fabric, client->info, &client->domain, NULL), "domain");
	check(fi_av_open(client->domain, &av_attr, &client->av, NULL), "addresses");
	check(fi_cq_open(client->domain, &cq_attr, &client->cq, NULL), "queue");
	check(fi_endpoint(client->domain, client->info, &client->ep, NULL), "endpoint");
	check(fi_ep_bind(client->ep, &client->av->fid, 0), "endpoint");
	check(fi_ep_bind(client->ep, &client->cq->fid, FI_TRANSMIT | FI_RECV), "endpoint");
	check(fi_enable(client->ep), "endpoint");
	check(fi_mr_reg(client->domain, client->bytes, len, access, 0, 1, 0, &client->mr, NULL),
	      "memory");
}

/* Both learn the other's name. */
static void meet(struct client *client, int socket)
{
	uint8_t name[RIVAL_MAX_BLOCK];
	size_t len = MAX_NAME;

	check(fi_getname(&client->ep->fid, name, &len), "name");
	rival_send(socket, name, len);
	(void)rival_receive(socket, name);
	if (fi_av_insert(client->av, name, 1, &client->peer, 0, NULL) != 1)
		bench_fail("libfabric", "the peer's name is refused");
}

static void serve(int socket, char *bytes, size_t len)
{
	struct client target;
	struct fi_cq_entry entry;

	memset(&target, 0, sizeof(target));
	target.bytes = bytes;
	open_endpoint(&target, len);
	meet(&target, socket);
	target.far.base =
	    (target.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? (uintptr_t)bytes : 0;
	target.far.key = fi_mr_key(target.mr);
	rival_send(socket, &target.far, sizeof(target.far));
	for (;;)
		(void)fi_cq_read(target.cq, &entry, 1);
}

static void *open_client(int socket, char *bytes, size_t len)
{
	struct client *client = calloc(1, sizeof(*client));
	uint8_t block[RIVAL_MAX_BLOCK];

	if (client == NULL)
		bench_fail("memory", "there is none left");
	client->bytes = bytes;
	open_endpoint(client, len);
	meet(client, socket);
	(void)rival_receive(socket, block);
	memcpy(&client->far, block, sizeof(client->far));
	return client;
}

/* Takes completions; returns their number. */
static unsigned int reap(struct client *client)
{
	struct fi_cq_entry entries[16];
	ssize_t got = fi_cq_read(client->cq, entries, 16);

	if (got < 0 && got != -FI_EAGAIN)
		check(got, "completion");
	return got > 0 ? (unsigned int)got : 0;
}

static ssize_t write_one(const struct client *client, size_t at, size_t bytes)
{
	return fi_write(client->ep, client->bytes + at, bytes, fi_mr_desc(client->mr), client->peer,
			client->far.base + at, client->far.key, NULL);
}

static ssize_t read_one(const struct client *client, size_t at, size_t bytes)
{
	return fi_read(client->ep, client->bytes + at, bytes, fi_mr_desc(client->mr), client->peer,
		       client->far.base + at, client->far.key, NULL);
}

static void move_some(struct client *client, size_t bytes, unsigned int in_flight, uint64_t count,
		      ssize_t (*move_one)(const struct client *client, size_t at, size_t bytes))
{
	uint64_t submitted = 0, done = 0;

	while (done < count) {
		while (submitted < count && submitted - done < in_flight) {
			ssize_t result = move_one(client, submitted % in_flight * bytes, bytes);

			if (result == -FI_EAGAIN)
				break;
			check(result, "operation");
			submitted++;
		}
		done += reap(client);
	}
}

static void write_some(void *client, size_t bytes, unsigned int in_flight, uint64_t count)
{
	move_some(client, bytes, in_flight, count, write_one);
}

static void read_some(void *client, size_t bytes, unsigned int in_flight, uint64_t count)
{
	move_some(client, bytes, in_flight, count, read_one);
}

/* Its target is killed, so nothing can be closed in order. */
static void close_client(void *opened)
{
	struct client *client = opened;

	(void)fi_close(&client->ep->fid);
	(void)fi_close(&client->mr->fid);
	(void)fi_close(&client->cq->fid);
	(void)fi_close(&client->av->fid);
	(void)fi_close(&client->domain->fid);
	(void)fi_close(&client->fabric->fid);
	fi_freeinfo(client->info);
	free(client);
}

const struct rival rival_libfabric = {
	.serve = serve,
	.open = open_client,
	.close = close_client,
	.write = write_some,
	.read = read_some,
};
