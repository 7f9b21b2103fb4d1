/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include <ucp/api/ucp.h>

#include "bench.h"
#include "bench_rdma_rival.h"

/* UCX over its tcp transport. A put is complete at the target after a flush, a get by itself. */

struct client {
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h ep;
	ucp_rkey_h rkey;
	uint64_t far; /* where the target's bytes are */
	char *bytes;
};

static void check(ucs_status_t status, const char *what)
{
	if (status != UCS_OK)
		bench_fail(what, ucs_status_string(status));
}

static void open_worker(struct client *client)
{
	const ucp_params_t params = {
		.field_mask = UCP_PARAM_FIELD_FEATURES,
		.features = UCP_FEATURE_RMA,
	};
	const ucp_worker_params_t worker_params = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	ucp_config_t *config;

	check(ucp_config_read(NULL, NULL, &config), "UCX configuration");
	check(ucp_config_modify(config, "TLS", "tcp"), "UCX transports");
	check(ucp_config_modify(config, "NET_DEVICES", "lo"), "UCX devices");
	check(ucp_init(&params, config, &client->context), "UCX");
	ucp_config_release(config);
	check(ucp_worker_create(client->context, &worker_params, &client->worker), "UCX worker");
}

static void serve(int socket, char *bytes, size_t len) /* NOLINT: as the other rival */
{
	const ucp_mem_map_params_t params = {
		.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
		.address = bytes,
		.length = len,
	};
	uint64_t base = (uintptr_t)bytes;
	struct client target;
	ucp_address_t *address;
	size_t block_len;
	ucp_mem_h memory;
	void *block;

	memset(&target, 0, sizeof(target));
	open_worker(&target);
	check(ucp_mem_map(target.context, &params, &memory), "UCX memory");
	check(ucp_worker_get_address(target.worker, &address, &block_len), "UCX address");
	rival_send(socket, address, block_len);
	check(ucp_rkey_pack(target.context, memory, &block, &block_len), "UCX key");
	rival_send(socket, block, block_len);
	rival_send(socket, &base, sizeof(base));
	for (;;)
		(void)ucp_worker_progress(target.worker);
}

static void *open_client(int socket, char *bytes, size_t len)
{
	struct client *client = calloc(1, sizeof(*client));
	uint8_t block[RIVAL_MAX_BLOCK];
	ucp_ep_params_t params = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
		.address = (const ucp_address_t *)(const void *)block,
	};

	(void)len;
	if (client == NULL)
		bench_fail("memory", "there is none left");
	client->bytes = bytes;
	open_worker(client);
	(void)rival_receive(socket, block);
	check(ucp_ep_create(client->worker, &params, &client->ep), "UCX endpoint");
	(void)rival_receive(socket, block);
	check(ucp_ep_rkey_unpack(client->ep, block, &client->rkey), "UCX key");
	(void)rival_receive(socket, &client->far);
	return client;
}

static void finish(struct client *client, ucs_status_ptr_t request)
{
	if (UCS_PTR_IS_ERR(request))
		check(UCS_PTR_STATUS(request), "UCX operation");
	if (request == NULL)
		return;
	while (ucp_request_check_status(request) == UCS_INPROGRESS)
		(void)ucp_worker_progress(client->worker);
	check(ucp_request_check_status(request), "UCX operation");
	ucp_request_free(request);
}

static void write_some(void *opened, size_t bytes, unsigned int in_flight, uint64_t count)
{
	const ucp_request_param_t params = { .op_attr_mask = 0 };
	struct client *client = opened;

	while (count > 0) {
		unsigned int batch = count < in_flight ? (unsigned int)count : in_flight;

		for (unsigned int i = 0; i < batch; i++) {
			ucs_status_ptr_t request =
			    ucp_put_nbx(client->ep, client->bytes + i * bytes, bytes,
					client->far + i * bytes, client->rkey, &params);

			if (UCS_PTR_IS_ERR(request))
				check(UCS_PTR_STATUS(request), "UCX put");
			if (request != NULL)
				ucp_request_free(request); /* the flush waits for it */
		}
		finish(client, ucp_ep_flush_nbx(client->ep, &params));
		count -= batch;
	}
}

static void read_some(void *opened, size_t bytes, unsigned int in_flight, uint64_t count)
{
	const ucp_request_param_t params = { .op_attr_mask = 0 };
	ucs_status_ptr_t requests[RIVAL_MAX_IN_FLIGHT] = { NULL };
	struct client *client = opened;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t turn = i % in_flight;

		finish(client, requests[turn]); /* the oldest */
		requests[turn] = ucp_get_nbx(client->ep, client->bytes + turn * bytes, bytes,
					     client->far + turn * bytes, client->rkey, &params);
	}
	for (uint64_t i = 0; i < in_flight; i++)
		finish(client, requests[(count + i) % in_flight]);
}

/* Its target is killed, so nothing can be closed in order. */
static void close_client(void *opened)
{
	struct client *client = opened;

	ucp_rkey_destroy(client->rkey);
	ucp_worker_destroy(client->worker);
	ucp_cleanup(client->context);
	free(client);
}

const struct rival rival_ucx = {
	.serve = serve,
	.open = open_client,
	.close = close_client,
	.write = write_some,
	.read = read_some,
};
