/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma_dc.h"

#include <string.h>

#define PATIENCE_NS UINT64_C(20000000000)

static struct rdma_conf with_dc(const struct rdma_conf *conf)
{
	struct rdma_conf copy;

	memset(&copy, 0, sizeof(copy));
	if (conf != NULL)
		copy = *conf;
	copy.transport = DOCA_RDMA_TRANSPORT_TYPE_DC;
	return copy;
}

void rdma_dc_side_init(struct rdma_side *side, const struct rdma_conf *conf)
{
	const struct rdma_conf copy = with_dc(conf);

	rdma_side_init(side, &copy);
	rdma_side_start(side);
}

void rdma_dc_connect(struct rdma_side *initiator, const struct rdma_blob *target)
{
	struct rdma_blob unused;

	rdma_export(initiator, &unused, &initiator->conn);
	assert_success(rdma_connect_to(initiator, target, initiator->conn));
}

void rdma_dc_init(struct rdma_dc *dc, size_t num_initiators, const struct rdma_conf *conf)
{
	const struct rdma_conf copy = with_dc(conf);

	assert_true(num_initiators <= RDMA_DC_MAX);
	rdma_peer_init(&dc->target, &copy);
	rdma_side_start(&dc->target);
	rdma_export(&dc->target, &dc->blob, &dc->target.conn);
	dc->num_initiators = num_initiators;
	for (size_t i = 0; i < num_initiators; i++) {
		rdma_dc_side_init(&dc->initiators[i], NULL);
		rdma_dc_connect(&dc->initiators[i], &dc->blob);
		(void)rdma_import(&dc->initiators[i], &dc->target);
	}
}

void rdma_dc_fini(struct rdma_dc *dc)
{
	for (size_t i = 0; i < dc->num_initiators; i++)
		rdma_side_fini(&dc->initiators[i]);
	rdma_side_fini(&dc->target);
}

void rdma_dc_receive(struct rdma_side *side, size_t count, size_t len)
{
	for (size_t i = 0; i < count; i++)
		rdma_submit(side, rdma_receive_task(side, rdma_room(side, i * len, len), i));
}

static void drive_step(struct rdma_side *side, void *args)
{
	const unsigned int num_words = *(unsigned int *)args;

	for (uint64_t end = test_now_ns() + PATIENCE_NS;
	     side->heard.num_words < num_words && test_now_ns() < end;)
		(void)doca_pe_progress(side->pe);
	assert_int_equal(side->heard.num_words, num_words);
	assert_null(strstr(side->heard.text, "FAILED"));
}

void rdma_dc_drive(struct rdma_side *side, unsigned int num_words)
{
	rdma_at(side, drive_step, &num_words, sizeof(num_words));
}

void rdma_dc_is_refused(struct rdma_side *initiator)
{
	struct doca_task *task = rdma_send_task(initiator, NULL, 9);

	if (doca_task_submit(task) == DOCA_SUCCESS)
		rdma_hears(initiator, "IO_FAILED(9)");
	else
		doca_task_free(task);
	assert_success(rdma_disconnect(initiator, initiator->conn));
}
