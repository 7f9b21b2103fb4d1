/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of commands and of their answers. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define CMD_HEAD    24 /* of a struct urom_worker_cmd */
#define NOTIFY_HEAD 32 /* of a struct urom_worker_notify */
#define LEN(array)  (sizeof(array) / sizeof((array)[0]))

/* A host whose messages have that limit, with worker 1 RUNNING. */
static struct doca_urom_worker *begin(struct urom_host *host, size_t limit)
{
	urom_host_init(host);
	if (limit != 0)
		assert_success(doca_urom_service_set_max_comm_msg_size(host->service, limit));
	urom_host_start(host);
	return urom_host_run_worker(host, 1);
}

static struct doca_task *as_task(struct doca_urom_worker_cmd_task *task)
{
	return doca_urom_worker_cmd_task_as_task(task);
}

/* traps 38, 39, 45 */
static void every_length_comes_back_as_it_was(void **state)
{
	uint8_t bytes[64];
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	(void)state;
	worker = begin(&host, 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(0xa0 + i);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		const struct urom_command command = { .op = UROM_TEST_CHECK_TAIL,
						      .bytes = bytes,
						      .len = len };

		urom_host_ask(&host, worker, &command, &answer);
		assert_success(answer.status);
		assert_int_equal(answer.len, len);
		assert_memory_equal(answer.bytes, bytes, len);
	}
	urom_host_fini(&host);
}

/* trap 39 */
static void bytes_behind_a_command_are_zero_also_after_longer_ones(void **state)
{
	uint8_t bytes[3000];
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	worker = begin(&host, 0);
	for (size_t i = 0; i < 100; i++) {
		const struct urom_command command = { .op = UROM_TEST_CHECK_TAIL,
						      .bytes = bytes,
						      .len = i % 2 == 0 ? 3000 : i };

		urom_host_ask(&host, worker, &command, &answer);
		assert_success(answer.status);
	}
	urom_host_fini(&host);
}

/* trap 50 */
static void payload_is_there_from_the_beginning(void **state)
{
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct doca_buf *payload;
	struct urom_host host;
	size_t room;
	void *data;

	(void)state;
	worker = begin(&host, 0);
	for (unsigned int i = 0; i < 3; i++) {
		assert_success(doca_urom_worker_cmd_task_allocate(worker, &task));
		payload = doca_urom_worker_cmd_task_get_payload(task);
		assert_success(doca_buf_get_data(payload, &data));
		assert_success(doca_buf_get_data_len(payload, &room));
		assert_int_equal(room, 4096);
		assert_int_equal((uintptr_t)data % 16, 0);
		for (size_t j = 0; j < room; j++)
			assert_int_equal(((const uint8_t *)data)[j], 0);
		memset(data, 0x55, room);
		assert_success(doca_urom_worker_cmd_task_release(task));
	}
	urom_host_fini(&host);
}

/* trap 51 */
static void command_may_begin_anywhere_in_its_payload(void **state)
{
	const struct urom_test_cmd head = { .op = UROM_TEST_ECHO };
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct doca_buf *payload;
	struct urom_host host;
	const void *answer;
	void *data;
	char *at;

	(void)state;
	worker = begin(&host, 0);
	host.heard.on_task = heard_keep_task;
	for (size_t offset = 0; offset < 100; offset += 33) {
		task = urom_host_task(&host, worker, &(struct urom_command){ .number = 1 });
		payload = doca_urom_worker_cmd_task_get_payload(task);
		assert_success(doca_buf_get_data(payload, &data));
		at = (char *)data + offset;
		memcpy(at, &head, sizeof(head));
		memcpy(at + sizeof(head), "here", 4);
		assert_success(doca_buf_set_data(payload, at, sizeof(head) + 4));
		assert_success(doca_task_submit(as_task(task)));
		assert_hears(&host.heard, host.pe, "ok(1)");
		assert_int_equal(urom_host_response(task, &answer), 4);
		assert_memory_equal(answer, "here", 4);
		assert_success(doca_urom_worker_cmd_task_release(task));
	}
	urom_host_fini(&host);
}

/* A command with as many bytes as the limit allows comes back; one more is refused at once. */
static void check_limit(size_t limit)
{
	size_t most = limit - CMD_HEAD - sizeof(struct urom_test_cmd);
	uint8_t *bytes = calloc(1, most + 1);
	struct urom_command command = { .bytes = bytes, .len = most, .number = 1 };
	struct doca_urom_worker_cmd_task *task;
	struct doca_urom_worker *worker;
	struct urom_host host;
	const void *answer;

	assert_non_null(bytes);
	for (size_t i = 0; i <= most; i++)
		bytes[i] = (uint8_t)(i * 7);
	worker = begin(&host, limit);
	host.heard.on_task = heard_keep_task;
	task = urom_host_submit(&host, worker, &command);
	assert_hears(&host.heard, host.pe, "ok(1)");
	assert_int_equal(urom_host_response(task, &answer), most);
	assert_memory_equal(answer, bytes, most);
	assert_success(doca_urom_worker_cmd_task_release(task));

	command.len++;
	task = urom_host_task(&host, worker, &command);
	assert_refused(doca_task_submit(as_task(task)), DOCA_ERROR_INVALID_VALUE, "");
	assert_success(doca_urom_worker_cmd_task_release(task));
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
	free(bytes);
}

/* trap 52 */
static void commands_are_as_long_as_the_limit_allows(void **state)
{
	static const char *const channels[] = { "ucx", "tcp" };
	static const size_t limits[] = { 128, 4096, 65536, 16u << 20 };

	(void)state;
	for (size_t i = 0; i < LEN(channels); i++) {
		const char *const args[] = { "-m", "16777216", "--channel", channels[i], NULL };
		const struct urom_rig_options options = { .args = args };
		struct urom_rig rig;

		urom_rig_init(&rig, &options);
		for (size_t j = 0; j < LEN(limits); j++)
			check_limit(limits[j]);
		urom_rig_fini(&rig);
	}
}

/* trap 44 */
static void answer_over_the_limit_ends_its_task_alone(void **state)
{
	struct urom_command command = { .op = UROM_TEST_BYTES, .arg = 4096 - NOTIFY_HEAD };
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	worker = begin(&host, 0);
	urom_host_ask(&host, worker, &command, &answer);
	assert_success(answer.status);
	assert_int_equal(answer.len, 4096 - NOTIFY_HEAD);
	for (size_t i = 0; i < sizeof(answer.bytes); i++)
		assert_int_equal(answer.bytes[i], (uint8_t)i);
	command.arg++;
	urom_host_ask(&host, worker, &command, &answer);
	assert_error(answer.status, DOCA_ERROR_TOO_BIG);
	assert_int_equal(answer.len, 0);
	command.arg = 10u << 20;
	urom_host_ask(&host, worker, &command, &answer);
	assert_error(answer.status, DOCA_ERROR_TOO_BIG);
	urom_logs_take_all(&rig->logs, "bytes");
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

/* A host with a lower limit than the daemon's gets no more than it can take. */
static void answers_are_bounded_by_the_hosts_own_limit(void **state)
{
	const struct urom_command command = { .op = UROM_TEST_BYTES, .arg = 1024 };
	struct urom_rig *rig = *state;
	struct doca_urom_worker *worker;
	struct urom_answer answer;
	struct urom_host host;

	worker = begin(&host, 1024);
	urom_host_ask(&host, worker, &command, &answer);
	assert_error(answer.status, DOCA_ERROR_TOO_BIG);
	urom_logs_take_all(&rig->logs, "bytes");
	urom_host_check_echo(&host, worker);
	urom_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(every_length_comes_back_as_it_was),
		UROM_TEST(bytes_behind_a_command_are_zero_also_after_longer_ones),
		UROM_TEST(payload_is_there_from_the_beginning),
		UROM_TEST(command_may_begin_anywhere_in_its_payload),
		TEST(commands_are_as_long_as_the_limit_allows),
		UROM_TEST(answer_over_the_limit_ends_its_task_alone),
		UROM_TEST(answers_are_bounded_by_the_hosts_own_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
