/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers may do: send, disconnect and connect, the connection at hand included. */
#include "chan_contract.h"

#include "core/export.h"

#define NUM_LINKS 16
#define NUM_SMALL 200

static void echo(struct chan_link *link, const struct wire_command *command, uint64_t id)
{
	contract_send(link, id, command->payload.len);
}

static void greet(struct chan_link *link)
{
	contract_send(link, 100, 50);
}

static void hang_up(struct chan_link *link)
{
	contract_disconnect(link);
}

static void hang_up_on_message(struct chan_link *link, const struct wire_command *command,
			       uint64_t id)
{
	const uint8_t *payload = command->payload.data;
	uint8_t first = payload[0];

	(void)id;
	contract_disconnect(link);
	/* Lent until the handler returns. */
	assert_int_equal(payload[0], first);
}

static void answer_and_hang_up(struct chan_link *link, const struct wire_command *command,
			       uint64_t id)
{
	contract_send(link, id, command->payload.len);
	contract_disconnect(link);
}

static void hang_up_on_all(struct chan_link *link, const struct wire_command *command, uint64_t id)
{
	(void)command;
	(void)id;
	for (unsigned int i = 0; i < link->end->num_links; i++) {
		if (link->end->links[i].conn != NULL)
			contract_disconnect(&link->end->links[i]);
	}
}

static void connect_again(struct chan_link *link)
{
	struct chan_end *listener = link->end->user;

	if (link->end->num_links < NUM_LINKS)
		contract_send(contract_connect(link->end, listener), 1, 10);
}

static void answer_in_the_handler(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->worker.on_received = echo;
	for (uint64_t id = 1; id <= 100; id++)
		contract_send(link, id, 1000 * id);

	contract_drive_until(contract, link->num_received == 100);
	assert_false(link->is_unordered);
}

static void send_on_accepting(struct chan_contract *contract)
{
	struct chan_link *link;

	contract->worker.on_accepted = greet;

	link = contract_connect(&contract->host, &contract->worker);

	contract_send(link, 1, 10);
	contract_drive_until(contract, link->num_received == 1);
	assert_int_equal(link->last_id, 100);
}

static void greet_with_size_of_user(struct chan_link *link)
{
	const size_t *len = link->end->user;

	contract_send(link, 100, *len);
}

/* The very first words of both sides, which may be sent while the way is still being made. */
static void first_words_of_each_size_pass(struct chan_contract *contract)
{
	static size_t len;

	contract->worker.on_accepted = greet_with_size_of_user;
	contract->worker.user = &len;
	for (len = 0; len <= NUM_SMALL; len++) {
		struct chan_link *link;

		contract->host.num_links = 0;
		contract->worker.num_links = 0;
		link = contract_connect(&contract->host, &contract->worker);
		contract_send(link, 1, len);
		contract_drive_until(contract, link->num_received == 1 &&
						   contract->worker.num_received == len + 1);
		assert_int_equal(link->last_len, len);
		contract_disconnect(link);
		contract_drive_until(contract, contract->worker.num_closed == len + 1);
	}
}

static void disconnect_on_accepting(struct chan_contract *contract)
{
	struct chan_link *link;

	contract->worker.on_accepted = hang_up;
	link = contract_connect(&contract->host, &contract->worker);
	contract_send(link, 1, 10);

	contract_drive_until(contract, link->num_closed == 1);
	contract_settle(contract);
	assert_int_equal(contract->worker.num_received, 0);
	assert_int_equal(contract->worker.num_closed, 0);
	assert_int_equal(link->num_closed, 1);
}

static void disconnect_on_receiving(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->worker.on_received = hang_up_on_message;
	for (uint64_t id = 1; id <= 10; id++)
		contract_send(link, id, 500);

	contract_drive_until(contract, link->num_closed == 1);
	contract_settle(contract);
	assert_int_equal(accepted->num_received, 2);
	assert_int_equal(accepted->num_closed, 0);
}

static void disconnect_a_long_message_on_receiving(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->worker.on_received = hang_up_on_message;
	for (uint64_t id = 1; id <= 3; id++)
		contract_send(link, id, 3u << 20);

	contract_drive_until(contract, link->num_closed == 1);
	assert_int_equal(accepted->num_received, 2);
}

static void answer_and_disconnect(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->worker.on_received = answer_and_hang_up;
	contract_send(link, 1, 10);

	/* The answer may be lost, by the contract. */
	contract_drive_until(contract, link->num_closed == 1);
	assert_in_range(link->num_received, 0, 1);
}

static void disconnect_others_on_receiving(struct chan_contract *contract)
{
	struct chan_link *accepted;

	for (unsigned int i = 0; i < NUM_LINKS; i++)
		(void)contract_join(contract, &accepted);
	contract->worker.on_received = hang_up_on_all;
	for (unsigned int i = 0; i < NUM_LINKS; i++)
		contract_send(&contract->host.links[i], 1, 10);

	contract_drive_until(contract, contract->host.num_closed == NUM_LINKS);
	contract_settle(contract);
	assert_int_equal(contract->worker.num_received, NUM_LINKS + 1);
	assert_int_equal(contract->worker.num_closed, 0);
}

static void connect_on_closing(struct chan_contract *contract)
{
	contract->worker.on_received = hang_up_on_message;
	contract->host.on_closed = connect_again;
	contract->host.user = &contract->worker;
	contract_send(contract_connect(&contract->host, &contract->worker), 1, 10);

	contract_drive_until(contract, contract->host.num_closed == NUM_LINKS);
	assert_int_equal(contract->worker.num_accepted, NUM_LINKS);
}

static void send_on_closing_is_refused(struct chan_link *link)
{
	assert_error(contract_try_send(link, 1, 10), DOCA_ERROR_CONNECTION_RESET);
}

static void send_on_closing(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract->host.on_closed = send_on_closing_is_refused;
	contract_disconnect(accepted);

	contract_drive_until(contract, link->num_closed == 1);
}

static void begin_connection_on_receiving(struct chan_link *link,
					  const struct wire_command *command, uint64_t id)
{
	struct chan_end *listener = link->end->user;

	(void)command;
	(void)id;
	if (link->end->num_links < NUM_LINKS)
		contract_send(contract_connect(link->end, listener), 1, 10);
}

static void connect_on_receiving(struct chan_contract *contract)
{
	contract->worker.on_received = echo;
	contract->host.on_received = begin_connection_on_receiving;
	contract->host.user = &contract->worker;
	contract_send(contract_connect(&contract->host, &contract->worker), 1, 10);

	contract_drive_until(contract, contract->host.num_received == NUM_LINKS);
	assert_int_equal(contract->worker.num_accepted, NUM_LINKS);
	assert_int_equal(contract->host.num_closed, 0);
}

static void connect_to_oneself(struct chan_contract *contract)
{
	struct chan_link *link = contract_connect(&contract->worker, &contract->worker);

	contract_send(link, 1, 5000);

	contract_drive_until(contract, contract->worker.num_received == 1);
	assert_int_equal(contract->worker.num_accepted, 1);
	contract_disconnect(link);
	contract_drive_until(contract, contract->worker.num_closed == 1);
}

static const struct chan_contract_test tests[] = {
	CONTRACT(answer_in_the_handler),
	CONTRACT(send_on_accepting),
	CONTRACT(first_words_of_each_size_pass),
	CONTRACT(disconnect_on_accepting),
	CONTRACT(disconnect_on_receiving),
	CONTRACT(disconnect_a_long_message_on_receiving),
	CONTRACT(answer_and_disconnect),
	CONTRACT(disconnect_others_on_receiving),
	CONTRACT(connect_on_closing),
	CONTRACT(send_on_closing),
	CONTRACT(connect_on_receiving),
	CONTRACT(connect_to_oneself),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
