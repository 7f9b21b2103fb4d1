/* SPDX-License-Identifier: BSD-3-Clause */
/* How connections end: each once, and so that both sides know why. */
#include "chan_contract.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/export.h"
#include "urom/chan/chan_pair.h"
#include "urom/chan/chan_ucx.h"
#include "urom/wire/wire_frame.h"

#define NUM_ROUNDS  50
#define NUM_LONGEST 5
#define MAX_PAYLOAD (16u << 20)
#define MAX_SHORT   8192

/* Once, for this reason, and nothing more comes of it. */
static void assert_closed_once(struct chan_contract *contract, const struct chan_link *link,
			       doca_error_t why)
{
	contract_drive_until(contract, link->num_closed > 0);
	contract_settle(contract);
	assert_int_equal(link->num_closed, 1);
	assert_error(link->why, why);
}

static void connector_that_disconnects_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_disconnect(link);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(link->num_closed, 0);
}

static void acceptor_that_disconnects_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_disconnect(accepted);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(accepted->num_closed, 0);
}

static void connector_that_closes_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_close(&contract->host);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(link->num_closed, 0);
}

static void acceptor_that_closes_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_close(&contract->worker);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(accepted->num_closed, 0);
}

static void end_of_one_connection_is_not_that_of_others(struct chan_contract *contract)
{
	struct chan_link *accepted[2];
	struct chan_link *gone = contract_join(contract, &accepted[0]);
	struct chan_link *link = contract_join(contract, &accepted[1]);

	contract_disconnect(gone);

	assert_closed_once(contract, accepted[0], DOCA_ERROR_CONNECTION_RESET);
	contract_send(link, 1, 1000);
	contract_drive_until(contract, accepted[1]->num_received == 2);
	assert_int_equal(accepted[1]->num_closed, 0);
}

static void both_may_disconnect(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_disconnect(link);
	contract_disconnect(accepted);

	contract_settle(contract);
	assert_int_equal(link->num_closed, 0);
	assert_int_equal(accepted->num_closed, 0);
}

static void disconnecting_at_once_is_allowed(struct chan_contract *contract)
{
	struct chan_link *link = contract_connect(&contract->host, &contract->worker);

	contract_disconnect(link);

	contract_settle(contract);
	assert_int_equal(link->num_closed, 0);
	/* If the worker ever saw it, it saw its end as well. */
	assert_int_equal(contract->worker.num_closed, contract->worker.num_accepted);
}

static void what_was_said_before_the_end_comes_first(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t id = 1; id <= 3; id++)
		contract_send(link, id, 100);
	contract_drive_until(contract, accepted->num_received == 4);
	contract_send(accepted, 1, 100);
	contract_drive_until(contract, link->num_received == 1);
	contract_disconnect(accepted);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(link->last_id, 1);
}

static void nobody_listening_is_not_connected(struct chan_contract *contract)
{
	uint8_t addr[CHAN_MAX_ADDR];
	struct chan_link *link;
	size_t len;

	assert_success(chan_get_address(contract->worker.chan, addr, &len));
	contract_close(&contract->worker);

	/* NULL: refused at once, which is as good. */
	link = contract_connect_to(&contract->host, addr, len);

	if (link != NULL)
		assert_closed_once(contract, link, DOCA_ERROR_NOT_CONNECTED);
}

static void sending_to_nobody_is_not_connected(struct chan_contract *contract)
{
	uint8_t addr[CHAN_MAX_ADDR];
	struct chan_link *link;
	doca_error_t result;
	size_t len;

	assert_success(chan_get_address(contract->worker.chan, addr, &len));
	contract_close(&contract->worker);
	link = contract_connect_to(&contract->host, addr, len);
	if (link == NULL)
		return;

	result = contract_try_send(link, 1, 1000);

	assert_true(result == DOCA_SUCCESS || result == DOCA_ERROR_CONNECTION_RESET);
	assert_closed_once(contract, link, DOCA_ERROR_NOT_CONNECTED);
}

static void sending_to_one_who_left_fails_and_is_told(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	uint64_t begun_ns = test_now_ns();
	doca_error_t result = DOCA_SUCCESS;

	contract_disconnect(accepted);
	contract_settle(contract);

	/* Whoever has not heard `closed` yet may send; when it was heard, that was the test. */
	while (link->conn != NULL && result == DOCA_SUCCESS) {
		result = contract_try_send(link, 1, 1000);
		contract_drive(contract, begun_ns);
	}
	assert_true(result == DOCA_SUCCESS || result == DOCA_ERROR_CONNECTION_RESET);
	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
}

static void closing_with_messages_waiting_is_silent(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t id = 1; id <= 32; id++)
		contract_send(link, id, 1u << 20);

	contract_close(&contract->host);

	assert_int_equal(link->num_closed, 0);
	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_RESET);
	assert_false(accepted->is_unordered);
}

static void closing_with_messages_unread_is_silent(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t id = 1; id <= 100; id++) {
		contract_send(link, id, 20000);
		(void)chan_progress(contract->host.chan);
	}

	contract_close(&contract->worker);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(accepted->num_closed, 0);
}

static void send_long_ones(struct chan_contract *contract, struct chan_link *link)
{
	for (uint64_t id = 1; id <= NUM_LONGEST; id++)
		contract_send(link, id, MAX_PAYLOAD);
	for (unsigned int i = 0; i < 20; i++) {
		(void)chan_progress(contract->host.chan);
		(void)chan_progress(contract->worker.chan);
	}
}

static void closing_while_long_messages_come_is_silent(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	send_long_ones(contract, link);
	contract_close(&contract->worker);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(accepted->num_closed, 0);
}

static void sender_that_closes_while_long_messages_go_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	send_long_ones(contract, link);
	contract_close(&contract->host);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_RESET);
	assert_false(accepted->is_unordered);
}

static void sender_that_disconnects_while_long_messages_go_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	send_long_ones(contract, link);
	contract_disconnect(link);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_RESET);
	contract_disconnect(contract_join(contract, &accepted)); /* it serves on */
}

static void
receiver_that_disconnects_while_long_messages_come_is_missed(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	send_long_ones(contract, link);
	contract_disconnect(accepted);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	contract_disconnect(contract_join(contract, &accepted)); /* it serves on */
}

static bool kind_is_ucx(enum chan_kind kind)
{
	return kind == CHAN_UCX;
}

/* A peer that leaves a gap in its numbers, and has each one before those that it sent already. */
static void long_messages_that_wait_are_bounded(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint32_t i = 1; i <= NUM_LONGEST; i++) {
		ucx_conn_from(link->conn)->next_out = 1000 - i;
		contract_send(link, i, MAX_PAYLOAD);
		contract_settle(contract);
	}

	assert_int_equal(accepted->num_received, 1);
	assert_in_range(ucx_conn_from(accepted->conn)->long_bytes, 0, 2 * MAX_PAYLOAD);
}

/* The same with messages that come unasked; of none of them there is a byte. */
static void short_messages_that_wait_are_bounded(struct chan_contract *contract)
{
	const struct wire_empty nothing = { 0 };
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	uint64_t begun_ns = test_now_ns();

	accepted->conn->max_body = 100; /* as for strangers */
	ucx_conn_from(link->conn)->next_out++;
	for (unsigned int i = 0; i < MAX_SHORT && accepted->num_closed == 0; i++) {
		assert_success(chan_send(link->conn, WIRE_DETACH, 0, &nothing));
		if (i % 64 == 0)
			contract_drive(contract, begun_ns);
	}

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_ABORTED);
	assert_int_equal(accepted->num_detaches, 0);
}

/*
 * With UCX, the one that listens goes first: each close of the other lets UCX's own thread accept
 * in this process, and UCX 1.13 takes an event that came too late for the descriptor that was
 * closed for one of the new descriptor of the same number, and ends the process.
 */
static void closing_half_made_connections_is_silent(struct chan_contract *contract)
{
	bool is_worker_first = contract->kind == CHAN_UCX;

	for (unsigned int i = 0; i < 8; i++)
		(void)contract_connect(&contract->host, &contract->worker);
	(void)chan_progress(contract->worker.chan);

	contract_close(is_worker_first ? &contract->worker : &contract->host);
	contract_close(is_worker_first ? &contract->host : &contract->worker);

	assert_int_equal(contract->host.num_closed, 0);
	assert_int_equal(contract->worker.num_closed, 0);
}

static void message_over_the_bound_is_aborted(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	accepted->conn->max_body = 1000;
	contract_send(link, 1, 1000 - 20); /* with its other fields, just the bound */
	contract_send(link, 2, 1000 - 19);
	contract_send(link, 3, 1);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_ABORTED);
	assert_int_equal(accepted->last_id, 1);
	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
}

static void long_message_over_the_bound_is_aborted(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	accepted->conn->max_body = 1u << 20;
	contract_send(link, 1, 4u << 20);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_ABORTED);
	assert_int_equal(accepted->num_received, 1);
	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
}

static void set_small_bound(struct chan_link *link)
{
	link->conn->max_body = 100;
}

static void bound_set_on_accepting_holds_for_the_first_message(struct chan_contract *contract)
{
	struct chan_link *link;

	contract->worker.on_accepted = set_small_bound;
	link = contract_connect(&contract->host, &contract->worker);
	contract_send(link, 1, 200);

	contract_drive_until(contract, contract->worker.num_accepted == 1);
	assert_closed_once(contract, &contract->worker.links[0], DOCA_ERROR_CONNECTION_ABORTED);
	assert_int_equal(contract->worker.num_received, 0);
	/* Whether it ever was connected, not every kind can tell who has heard nothing. */
	contract_drive_until(contract, link->num_closed == 1);
}

static void channel_serves_on_after_each_end(struct chan_contract *contract)
{
	for (unsigned int i = 0; i < NUM_ROUNDS; i++) {
		struct chan_link *accepted;
		struct chan_link *link;

		contract->host.num_links = 0;
		contract->worker.num_links = 0;
		link = contract_join(contract, &accepted);
		if (i % 2 == 0) {
			contract_disconnect(link);
			contract_drive_until(contract, accepted->num_closed == 1);
		} else {
			contract_disconnect(accepted);
			contract_drive_until(contract, link->num_closed == 1);
		}
	}
}

static void listening_twice_is_a_wrong_state(struct chan_contract *contract)
{
	const struct sockaddr_in loopback = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len;

	assert_error(chan_get_address(contract->host.chan, addr, &len), DOCA_ERROR_BAD_STATE);
	assert_error(chan_listen(contract->worker.chan, (const struct sockaddr *)&loopback),
		     DOCA_ERROR_BAD_STATE);
}

static void addresses_of_others_are_refused(struct chan_contract *contract)
{
	uint8_t addr[CHAN_MAX_ADDR], bad[CHAN_MAX_ADDR];
	struct chan_conn *conn;
	size_t len;

	assert_success(chan_get_address(contract->worker.chan, addr, &len));
	assert_int_equal(chan_address_kind(addr, len), contract->kind);
	for (size_t i = 0; i < len; i++)
		assert_error(chan_connect(contract->host.chan, addr, i, &conn),
			     DOCA_ERROR_INVALID_VALUE);
	for (unsigned int byte = 0; byte < 2; byte++) {
		memcpy(bad, addr, len);
		for (unsigned int value = 0; value <= UINT8_MAX; value++) {
			bad[byte] = (uint8_t)value;
			if (value == addr[byte])
				continue;
			assert_error(chan_connect(contract->host.chan, bad, len, &conn),
				     DOCA_ERROR_INVALID_VALUE);
		}
	}
	assert_error(chan_connect(contract->host.chan, addr, len + 1, &conn),
		     DOCA_ERROR_INVALID_VALUE);
	assert_int_equal(chan_address_kind(addr, 0), CHAN_NUM_KINDS);
}

/* --- TCP: a stranger on the port --- */

static int stranger_connect(const struct chan_contract *contract)
{
	struct sockaddr_in worker = { .sin_family = AF_INET };
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_success(chan_get_address(contract->worker.chan, addr, &len));
	memcpy(&worker.sin_port, addr + 2, 2);
	memcpy(&worker.sin_addr, addr + 4, 4);
	assert_int_equal(connect(fd, (const struct sockaddr *)&worker, sizeof(worker)), 0);
	return fd;
}

static void garbage_is_aborted(struct chan_contract *contract)
{
	static const char garbage[] = "GET / HTTP/1.1\r\nHost: somebody\r\n\r\n";
	int fd = stranger_connect(contract);
	char byte;

	assert_int_equal(send(fd, garbage, sizeof(garbage), 0), sizeof(garbage));

	contract_drive_until(contract, contract->worker.num_accepted == 1);
	assert_closed_once(contract, &contract->worker.links[0], DOCA_ERROR_CONNECTION_ABORTED);
	assert_true(recv(fd, &byte, 1, 0) <= 0);
	close(fd);
}

static void half_a_frame_is_reset(struct chan_contract *contract)
{
	uint8_t frame[WIRE_HEADER_SIZE];
	int fd = stranger_connect(contract);

	wire_header_encode(&(struct wire_header){ .len = 100, .type = WIRE_COMMAND }, frame);
	assert_int_equal(send(fd, frame, sizeof(frame), 0), sizeof(frame));
	contract_drive_until(contract, contract->worker.num_accepted == 1);
	contract_settle(contract);
	assert_int_equal(contract->worker.num_closed, 0);

	close(fd);

	assert_closed_once(contract, &contract->worker.links[0], DOCA_ERROR_CONNECTION_RESET);
}

/* --- Pair: faults on demand --- */

static void cut_connection_is_reset_for_both(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_send(link, 1, 10);
	chan_pair_cut(accepted->conn);

	assert_closed_once(contract, accepted, DOCA_ERROR_CONNECTION_RESET);
	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(accepted->num_received, 1);
}

static void held_messages_come_when_released(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	chan_pair_hold(contract->worker.chan);
	for (uint64_t id = 1; id <= 3; id++)
		contract_send(link, id, 10);
	contract_settle(contract);
	assert_int_equal(accepted->num_received, 1);

	chan_pair_release(contract->worker.chan);

	contract_drive_until(contract, accepted->num_received == 4);
	assert_false(accepted->is_unordered);
}

static void dropped_peer_is_reset_for_the_other(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	uint8_t addr[CHAN_MAX_ADDR];
	size_t len;

	assert_success(chan_get_address(contract->worker.chan, addr, &len));

	chan_pair_drop(contract->worker.chan);

	assert_closed_once(contract, link, DOCA_ERROR_CONNECTION_RESET);
	assert_int_equal(accepted->num_closed, 0);
	link = contract_connect_to(&contract->host, addr, len);
	assert_closed_once(contract, link, DOCA_ERROR_NOT_CONNECTED);
}

static const struct chan_contract_test tests[] = {
	CONTRACT(connector_that_disconnects_is_missed),
	CONTRACT(acceptor_that_disconnects_is_missed),
	CONTRACT(connector_that_closes_is_missed),
	CONTRACT(acceptor_that_closes_is_missed),
	CONTRACT(end_of_one_connection_is_not_that_of_others),
	CONTRACT(both_may_disconnect),
	CONTRACT(disconnecting_at_once_is_allowed),
	CONTRACT(what_was_said_before_the_end_comes_first),
	CONTRACT(nobody_listening_is_not_connected),
	CONTRACT(sending_to_nobody_is_not_connected),
	CONTRACT(sending_to_one_who_left_fails_and_is_told),
	CONTRACT(closing_with_messages_waiting_is_silent),
	CONTRACT(closing_with_messages_unread_is_silent),
	CONTRACT(closing_while_long_messages_come_is_silent),
	CONTRACT(sender_that_closes_while_long_messages_go_is_missed),
	CONTRACT(sender_that_disconnects_while_long_messages_go_is_missed),
	CONTRACT(receiver_that_disconnects_while_long_messages_come_is_missed),
	CONTRACT_FOR(kind_is_ucx, long_messages_that_wait_are_bounded),
	CONTRACT_FOR(kind_is_ucx, short_messages_that_wait_are_bounded),
	CONTRACT(closing_half_made_connections_is_silent),
	CONTRACT(message_over_the_bound_is_aborted),
	CONTRACT(long_message_over_the_bound_is_aborted),
	CONTRACT(bound_set_on_accepting_holds_for_the_first_message),
	CONTRACT(channel_serves_on_after_each_end),
	CONTRACT(listening_twice_is_a_wrong_state),
	CONTRACT(addresses_of_others_are_refused),
	CONTRACT_FOR(kind_is_tcp, garbage_is_aborted),
	CONTRACT_FOR(kind_is_tcp, half_a_frame_is_reset),
	CONTRACT_FOR(kind_is_pair, cut_connection_is_reset_for_both),
	CONTRACT_FOR(kind_is_pair, held_messages_come_when_released),
	CONTRACT_FOR(kind_is_pair, dropped_peer_is_reset_for_the_other),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
