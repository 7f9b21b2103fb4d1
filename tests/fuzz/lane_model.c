/* SPDX-License-Identifier: BSD-3-Clause */
#include "lane_model.h"

#include <string.h>

#include "blob_input.h"

static void succeed(struct lane_model *model)
{
	model->first++;
	model->read_done = 0;
}

static void break_protocol(struct lane_model *model)
{
	lane_model_end(model, DOCA_ERROR_IO_FAILED);
}

/* All tasks with a lower number, as numbers of 32 bits go round, have succeeded. */
static bool succeed_before(struct lane_model *model, uint32_t number)
{
	while (model->first < model->num_tasks && (int32_t)(model->first - number) < 0) {
		const struct lane_model_task *task = &model->tasks[model->first];

		if (!task->is_sent || (task->is_read && task->len > 0))
			return false; /* nobody could have done it */
		succeed(model);
	}
	return true;
}

static void on_data(struct lane_model *model, uint32_t number, uint32_t len)
{
	const struct lane_model_task *task = &model->tasks[model->first];

	if (model->first >= model->num_tasks || number != model->first || !task->is_sent ||
	    !task->is_read || len > task->len - model->read_done)
		break_protocol(model);
	else
		model->chunk_left = len;
}

static bool makes_sense(const uint8_t *response, uint32_t len)
{
	bool is_data = response[0] == SOFT_ANSWER_DATA, is_nak = response[0] == SOFT_ANSWER_NAK;

	return response[0] <= SOFT_ANSWER_NAK && response[1] <= SOFT_STATUS_FAULT &&
	       blob_number_at(response + 2, 2) == 0 && blob_number_at(response + 12, 4) == 0 &&
	       is_nak == (response[1] != SOFT_STATUS_OK) && is_data == (len > 0) &&
	       len <= UINT32_C(256) * 1024;
}

static void on_response(struct lane_model *model)
{
	const uint8_t *response = model->response;
	uint32_t number = (uint32_t)blob_number_at(response + 4, 4);
	uint32_t len = (uint32_t)blob_number_at(response + 8, 4);

	if (!makes_sense(response, len) ||
	    !succeed_before(model, number + (response[0] == SOFT_ANSWER_ACK)))
		break_protocol(model);
	else if (response[0] == SOFT_ANSWER_DATA)
		on_data(model, number, len);
	else if (response[0] == SOFT_ANSWER_NAK)
		lane_model_end(model, response[1] == SOFT_STATUS_ACCESS ? DOCA_ERROR_NOT_PERMITTED
									: DOCA_ERROR_IO_FAILED);
}

static size_t take_data(struct lane_model *model, const uint8_t *bytes, size_t len)
{
	struct lane_model_task *task = &model->tasks[model->first];

	if (len > model->chunk_left)
		len = model->chunk_left;
	memcpy(task->data + model->read_done, bytes, len);
	model->read_done += (uint32_t)len;
	model->chunk_left -= (uint32_t)len;
	if (model->read_done == task->len)
		succeed(model);
	return len;
}

static size_t take_response(struct lane_model *model, const uint8_t *bytes, size_t len)
{
	size_t missing = sizeof(model->response) - model->response_len;

	if (len > missing)
		len = missing;
	memcpy(model->response + model->response_len, bytes, len);
	model->response_len += len;
	if (model->response_len < sizeof(model->response))
		return len;
	model->response_len = 0;
	on_response(model);
	return len;
}

void lane_model_feed(struct lane_model *model, const uint8_t *bytes, size_t len)
{
	while (len > 0 && !model->is_over) {
		size_t taken = model->chunk_left > 0 ? take_data(model, bytes, len)
						     : take_response(model, bytes, len);

		bytes += taken;
		len -= taken;
	}
}

void lane_model_end(struct lane_model *model, doca_error_t result)
{
	if (model->is_over)
		return;
	model->is_over = true;
	model->result = result;
}

doca_error_t lane_model_result(const struct lane_model *model, unsigned int task)
{
	if (task < model->first)
		return DOCA_SUCCESS;
	return task == model->first ? model->result : DOCA_ERROR_IO_FAILED;
}
