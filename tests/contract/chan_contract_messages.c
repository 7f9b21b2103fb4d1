/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages come whole, unchanged, once, and in order. */
#include "chan_contract.h"

#include <string.h>

#include "core/export.h"
#include "urom/wire/wire_frame.h"

/* The system's buffers take some as well. */
#define MAX_OUT             (1u << 20)
#define UNREAD_LEN          4000
#define MAX_UNREAD_MESSAGES 100000

#define NUM_LINKS           64
#define NUM_MESSAGES        500
#define NUM_SMALL           300
#define NUM_LONGEST         12
#define NUM_MIXED           4096
#define MAX_PAYLOAD         (16u << 20)

/* What is sent from one end and answered by the other in its handler. */
static void echo(struct chan_link *link, const struct wire_command *command, uint64_t id)
{
	contract_send(link, id, command->payload.len);
}

static void first_message_goes_with_connecting(struct chan_contract *contract)
{
	struct chan_link *link = contract_connect(&contract->host, &contract->worker);

	contract_send(link, 7, 100);

	contract_drive_until(contract, contract->worker.num_received == 1);
	assert_int_equal(contract->worker.num_accepted, 1);
	assert_int_equal(contract->worker.links[0].last_id, 7);
	assert_int_equal(contract->worker.links[0].last_len, 100);
}

/* A peer that does not read costs so much and no more, and others are not concerned. */
static void what_waits_for_a_peer_is_bounded(struct chan_contract *contract)
{
	struct chan_link *accepted, *other_accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	struct chan_link *other = contract_join(contract, &other_accepted);
	doca_error_t result = DOCA_SUCCESS;
	uint64_t num_sent = 0;

	link->conn->max_out = MAX_OUT;
	while (num_sent < MAX_UNREAD_MESSAGES &&
	       (result = contract_try_send(link, num_sent + 1, UNREAD_LEN)) == DOCA_SUCCESS)
		num_sent++;
	assert_int_equal(result, DOCA_ERROR_FULL);
	assert_true(num_sent >= MAX_OUT / (2 * UNREAD_LEN));
	assert_success(contract_try_send(other, 1, UNREAD_LEN));

	/* Nothing of what was taken is lost, and there is room when it was read. */
	contract_drive_until(contract, accepted->num_received == num_sent + 1);
	contract_drive_until(contract, other_accepted->num_received == 2);
	assert_success(contract_try_send(link, num_sent + 1, UNREAD_LEN));
	contract_drive_until(contract, accepted->num_received == num_sent + 2);
	assert_false(accepted->is_unordered);
}

static void messages_of_every_size_come_whole(struct chan_contract *contract)
{
	static const size_t sizes[] = {
		0,
		1,
		4096,
		WIRE_MAX_PIECE - 21, /* a body of less than a piece, of one, of more */
		WIRE_MAX_PIECE - 20,
		WIRE_MAX_PIECE - 19,
		WIRE_MAX_PIECE,
		1u << 20,
		MAX_PAYLOAD,
	};
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (size_t i = 0; i < CORE_ARRAY_LEN(sizes); i++) {
		contract_send(link, i + 1, sizes[i]);
		contract_drive_until(contract, accepted->num_received == i + 2);
		assert_int_equal(accepted->last_len, sizes[i]);
	}
	assert_false(accepted->is_unordered);
}

static void small_messages_of_each_size_come_back(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->worker.on_received = echo;
	for (size_t len = 0; len <= NUM_SMALL; len++)
		contract_send(link, len, len);

	contract_drive_until(contract, link->num_received == NUM_SMALL + 1);
	assert_false(link->is_unordered);
}

static void messages_of_every_size_come_back(struct chan_contract *contract)
{
	static const size_t sizes[] = { 0, 1, 4096, 64u << 10, 1u << 20, MAX_PAYLOAD };
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->worker.on_received = echo;
	for (size_t i = 0; i < CORE_ARRAY_LEN(sizes); i++)
		contract_send(link, i + 1, sizes[i]);

	contract_drive_until(contract, link->num_received == CORE_ARRAY_LEN(sizes));
	assert_false(link->is_unordered);
	assert_int_equal(link->last_len, MAX_PAYLOAD);
}

static void order_holds_for_sizes_that_differ(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t i = 1; i <= NUM_MESSAGES; i++)
		contract_send(link, i, i % 50 == 0 ? 200000 : i * 37 % 9000);

	contract_drive_until(contract, accepted->num_received == NUM_MESSAGES + 1);
	assert_false(accepted->is_unordered);
}

static void both_directions_at_once(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t i = 1; i <= NUM_MESSAGES; i++) {
		contract_send(link, i, 5000);
		contract_send(accepted, i, 3000);
		if (i % 16 == 0)
			contract_drive(contract, test_now_ns());
	}

	contract_drive_until(contract, link->num_received == NUM_MESSAGES &&
					   accepted->num_received == NUM_MESSAGES + 1);
	assert_false(link->is_unordered);
	assert_false(accepted->is_unordered);
}

static void messages_wait_for_a_slow_peer(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	/* 32 MiB: more than any socket or ring takes. */
	for (uint64_t i = 1; i <= 32; i++) {
		contract_send(link, i, 1u << 20);
		(void)chan_progress(contract->host.chan);
	}

	contract_drive_until(contract, accepted->num_received == 33);
	assert_false(accepted->is_unordered);
}

static void several_of_the_longest_may_be_under_way(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t i = 1; i <= NUM_LONGEST; i++)
		contract_send(link, i, i % 2 == 0 ? 10 : MAX_PAYLOAD);

	contract_drive_until(contract, accepted->num_received == NUM_LONGEST + 1);
	assert_false(accepted->is_unordered);
}

static void short_messages_find_room_beside_long_ones(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t i = 1; i <= NUM_MIXED; i++)
		contract_send(link, i, i % 2 == 0 ? 5000 : 70000);

	contract_drive_until(contract,
			     accepted->num_closed > 0 || accepted->num_received == NUM_MIXED + 1);
	assert_int_equal(accepted->num_received, NUM_MIXED + 1);
	assert_false(accepted->is_unordered);
}

static void messages_without_a_body_come(struct chan_contract *contract)
{
	const struct wire_empty nothing = { 0 };
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	assert_success(chan_send(link->conn, WIRE_DETACH, 5, &nothing));
	contract_send(link, 1, 10);
	assert_success(chan_send(link->conn, WIRE_DETACH, 6, &nothing));

	contract_drive_until(contract, accepted->num_detaches == 2);
	assert_int_equal(accepted->num_received, 2);
}

static void many_connections_are_kept_apart(struct chan_contract *contract)
{
	contract->worker.on_received = echo;
	for (unsigned int i = 0; i < NUM_LINKS; i++)
		(void)contract_connect(&contract->host, &contract->worker);
	for (uint64_t id = 0; id < 10; id++) {
		for (unsigned int i = 0; i < NUM_LINKS; i++)
			contract_send(&contract->host.links[i], i * 1000 + id, 100 * i);
	}

	contract_drive_until(contract, contract->host.num_received == NUM_LINKS * 10);
	assert_int_equal(contract->worker.num_accepted, NUM_LINKS);
	for (unsigned int i = 0; i < NUM_LINKS; i++) {
		assert_int_equal(contract->host.links[i].num_received, 10);
		assert_int_equal(contract->host.links[i].last_id, i * 1000 + 9);
		assert_int_equal(contract->host.links[i].last_len, 100 * i);
		assert_false(contract->host.links[i].is_unordered);
		assert_false(contract->worker.links[i].is_unordered);
	}
}

static void busy_connection_does_not_starve_another(struct chan_contract *contract)
{
	struct chan_link *busy, *quiet;
	struct chan_link *flood = contract_join(contract, &busy);
	struct chan_link *drop = contract_join(contract, &quiet);

	for (uint64_t i = 1; i <= 5000; i++)
		contract_send(flood, i, 0);
	contract_send(drop, 1, 0);

	contract_drive_until(contract, quiet->num_received == 2);
	assert_in_range(busy->num_received, 1, 5000);
}

static void one_progress_is_bounded(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t i = 1; i <= 5000; i++) {
		contract_send(link, i, 0);
		(void)chan_progress(contract->host.chan);
	}
	while (chan_progress(contract->host.chan))
		continue;

	(void)chan_progress(contract->worker.chan);

	assert_true(accepted->num_received < 1000);
	contract_drive_until(contract, accepted->num_received == 5001);
}

static void field_over_its_limit_is_refused(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	static uint8_t payload[MAX_PAYLOAD + 1];
	const struct wire_command command = { .payload = { payload, sizeof(payload) } };

	assert_error(chan_send(link->conn, WIRE_COMMAND, 1, &command), DOCA_ERROR_INVALID_VALUE);

	contract_send(link, 1, 10);
	contract_drive_until(contract, accepted->num_received == 2);
}

static void transport_is_the_fast_one(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	const char *transport = chan_get_transport(link->conn);

	if (contract->kind == CHAN_UCX) {
		/* Within one machine it is shared memory, which is ten times as fast. */
		assert_string_not_equal(transport, "?");
		assert_null(strstr(transport, "tcp"));
		assert_string_not_equal(chan_get_transport(accepted->conn), "?");
		assert_null(strstr(chan_get_transport(accepted->conn), "tcp"));
	} else {
		assert_string_equal(transport, chan_kinds[contract->kind]->name);
		assert_string_equal(chan_get_transport(accepted->conn), transport);
	}
}

static const struct chan_contract_test tests[] = {
	CONTRACT(first_message_goes_with_connecting),
	CONTRACT(what_waits_for_a_peer_is_bounded),
	CONTRACT(messages_of_every_size_come_whole),
	CONTRACT(small_messages_of_each_size_come_back),
	CONTRACT(messages_of_every_size_come_back),
	CONTRACT(order_holds_for_sizes_that_differ),
	CONTRACT(both_directions_at_once),
	CONTRACT(messages_wait_for_a_slow_peer),
	CONTRACT(several_of_the_longest_may_be_under_way),
	CONTRACT(short_messages_find_room_beside_long_ones),
	CONTRACT(messages_without_a_body_come),
	CONTRACT(many_connections_are_kept_apart),
	CONTRACT_FOR(kind_is_tcp, busy_connection_does_not_starve_another),
	CONTRACT(one_progress_is_bounded),
	CONTRACT(field_over_its_limit_is_refused),
	CONTRACT(transport_is_the_fast_one),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
