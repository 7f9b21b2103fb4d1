/* SPDX-License-Identifier: BSD-3-Clause */
#include "chan_contract.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"
#include "urom/wire/wire_frame.h"

#define MAX_TESTS   256
#define NAME_BYTES  128
#define DEADLINE_NS UINT64_C(30000000000)
#define WHEEL_BYTES 65521 /* a prime: no size of a piece fits it */
#define PLUGIN      0x8
#define SETTLE_NS   20000000

/* One test of one kind: what cmocka gets as the initial state. */
struct contract_case {
	char name[NAME_BYTES];
	const struct chan_contract_test *test;
	struct chan_contract contract;
};

bool kind_is_tcp(enum chan_kind kind)
{
	return kind == CHAN_TCP;
}

bool kind_is_pair(enum chan_kind kind)
{
	return kind == CHAN_PAIR;
}

bool kind_spans_processes(enum chan_kind kind)
{
	return kind != CHAN_PAIR;
}

/* --- Payloads: turns of one wheel of bytes, in large strokes since there are many --- */

static uint8_t wheel[WHEEL_BYTES];

static void wheel_init(void)
{
	for (size_t i = 0; i < WHEEL_BYTES; i++)
		wheel[i] = (uint8_t)(i * 31 + i / 251);
}

/* The bytes of a payload from i on that are in one piece on the wheel; *len: how many, at most. */
static const uint8_t *wheel_at(uint64_t id, size_t i, size_t *len)
{
	size_t at = (i + id * 7919) % WHEEL_BYTES;

	if (*len > WHEEL_BYTES - at)
		*len = WHEEL_BYTES - at;
	return wheel + at;
}

static void pattern_fill(uint8_t *bytes, size_t len, uint64_t id)
{
	size_t stroke;

	for (size_t i = 0; i < len; i += stroke) {
		const uint8_t *from;

		stroke = len - i;
		from = wheel_at(id, i, &stroke);
		memcpy(bytes + i, from, stroke);
	}
}

static bool pattern_holds(const uint8_t *bytes, size_t len, uint64_t id)
{
	size_t stroke;

	for (size_t i = 0; i < len; i += stroke) {
		const uint8_t *expected;

		stroke = len - i;
		expected = wheel_at(id, i, &stroke);
		if (memcmp(bytes + i, expected, stroke) != 0)
			return false;
	}
	return true;
}

/* --- Handlers --- */

static struct chan_link *link_add(struct chan_end *end, struct chan_conn *conn)
{
	struct chan_link *link = &end->links[end->num_links++];

	assert_in_range(end->num_links, 1, CONTRACT_MAX_LINKS);
	*link = (struct chan_link){ .end = end, .conn = conn };
	conn->user = link;
	return link;
}

static void on_accepted(void *arg, struct chan_conn *conn)
{
	struct chan_end *end = arg;
	struct chan_link *link;

	assert_ptr_equal(conn->chan, end->chan);
	assert_null(conn->user);
	link = link_add(end, conn);
	end->num_accepted++;
	if (end->on_accepted != NULL)
		end->on_accepted(link);
}

static void on_received(void *arg, struct chan_conn *conn, const struct chan_message *message)
{
	struct chan_end *end = arg;
	struct chan_link *link = conn->user;
	struct wire_command command;

	assert_non_null(link);
	assert_ptr_equal(link->conn, conn);
	if (message->type == WIRE_DETACH) {
		assert_int_equal(message->len, 0);
		link->num_detaches++;
		return;
	}
	assert_int_equal(message->type, WIRE_COMMAND);
	assert_success(chan_message_decode(message, &command));
	assert_int_equal(command.plugin, PLUGIN);
	assert_int_equal(command.context, message->id);
	assert_true(pattern_holds(command.payload.data, command.payload.len, message->id));
	if (link->num_received > 0 && message->id != link->last_id + 1)
		link->is_unordered = true;
	link->num_received++;
	end->num_received++;
	link->last_id = message->id;
	link->last_len = command.payload.len;
	if (end->on_received != NULL)
		end->on_received(link, &command, message->id);
}

static void on_closed(void *arg, struct chan_conn *conn, doca_error_t why)
{
	struct chan_end *end = arg;
	struct chan_link *link = conn->user;

	assert_non_null(link);
	assert_ptr_equal(link->conn, conn);
	link->num_closed++;
	link->why = why;
	end->num_closed++;
	if (end->on_closed != NULL)
		end->on_closed(link);
	link->conn = NULL;
}

static const struct chan_handler handler = {
	.accepted = on_accepted,
	.received = on_received,
	.closed = on_closed,
};

/* --- Ends --- */

void contract_open(struct chan_end *end, enum chan_kind kind)
{
	const struct chan_config config = {
		.handler = &handler,
		.arg = end,
		.max_body = WIRE_MAX_BODY,
	};

	if (wheel[1] == 0)
		wheel_init();
	assert_success(chan_open(kind, &config, &end->chan));
}

void contract_listen(struct chan_end *end)
{
	const struct sockaddr_in loopback = {
		.sin_family = AF_INET,
		.sin_port = htons(1), /* not to be looked at */
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	assert_success(chan_listen(end->chan, (const struct sockaddr *)&loopback));
}

void contract_close(struct chan_end *end)
{
	chan_close(end->chan);
	end->chan = NULL;
	for (unsigned int i = 0; i < end->num_links; i++)
		end->links[i].conn = NULL;
}

struct chan_link *contract_connect_to(struct chan_end *end, const void *addr, size_t len)
{
	struct chan_conn *conn = NULL;
	doca_error_t result = chan_connect(end->chan, addr, len, &conn);

	if (result == DOCA_ERROR_NOT_CONNECTED)
		return NULL;
	assert_success(result);
	return link_add(end, conn);
}

struct chan_link *contract_connect(struct chan_end *end, struct chan_end *listener)
{
	uint8_t addr[CHAN_MAX_ADDR];
	struct chan_link *link;
	size_t len = 0;

	assert_success(chan_get_address(listener->chan, addr, &len));
	assert_in_range(len, 1, sizeof(addr));
	link = contract_connect_to(end, addr, len);
	assert_non_null(link);
	return link;
}

struct chan_link *contract_join(struct chan_contract *contract, struct chan_link **accepted)
{
	struct chan_link *link = contract_connect(&contract->host, &contract->worker);
	unsigned int num_before = contract->worker.num_links;

	contract_send(link, 0, 1);
	contract_drive_until(contract, contract->worker.num_links > num_before &&
					   contract->worker.links[num_before].num_received == 1);
	*accepted = &contract->worker.links[num_before];
	assert_success(
	    chan_send((*accepted)->conn, WIRE_DETACH, 0, &(struct wire_empty){ .nothing = 0 }));
	contract_drive_until(contract, link->num_detaches == 1);
	return link;
}

void contract_disconnect(struct chan_link *link)
{
	chan_disconnect(link->conn);
	link->conn = NULL;
}

doca_error_t contract_try_send(struct chan_link *link, uint64_t id, size_t len)
{
	uint8_t *payload = malloc(len + 1);
	struct wire_command command = {
		.plugin = PLUGIN,
		.context = id,
		.payload = { payload, (uint32_t)len },
	};
	doca_error_t result;

	assert_non_null(payload);
	pattern_fill(payload, len, id);
	result = chan_send(link->conn, WIRE_COMMAND, id, &command);
	memset(payload, 0xee, len); /* the record may go at once */
	free(payload);
	return result;
}

void contract_send(struct chan_link *link, uint64_t id, size_t len)
{
	assert_success(contract_try_send(link, id, len));
}

/* --- Driving --- */

/* What poll() has to watch; fd -1: nothing. *is_busy: there is work that it would not tell of. */
static struct pollfd arm(const struct chan_end *end, bool *is_busy)
{
	if (end->chan == NULL)
		return (struct pollfd){ .fd = -1 };
	if (!chan_arm(end->chan))
		*is_busy = true;
	return (struct pollfd){ .fd = chan_get_fd(end->chan), .events = POLLIN };
}

static bool progress(struct chan_contract *contract)
{
	bool has_worked = false;

	if (contract->host.chan != NULL && chan_progress(contract->host.chan))
		has_worked = true;
	if (contract->worker.chan != NULL && chan_progress(contract->worker.chan))
		has_worked = true;
	return has_worked;
}

/* True: there is something to do, or will be within so many milliseconds. */
static bool sleep_on(struct chan_contract *contract, int timeout_ms)
{
	bool is_busy = false;
	struct pollfd watched[] = {
		arm(&contract->host, &is_busy),
		arm(&contract->worker, &is_busy),
	};

	return is_busy || poll(watched, CORE_ARRAY_LEN(watched), timeout_ms) > 0;
}

void contract_drive(struct chan_contract *contract, uint64_t begun_ns)
{
	uint64_t now_ns = test_now_ns();

	if (now_ns - begun_ns > DEADLINE_NS)
		fail_msg("not within %u s", (unsigned int)(DEADLINE_NS / 1000000000));
	if (!progress(contract))
		(void)sleep_on(contract, (int)((begun_ns + DEADLINE_NS - now_ns) / 1000000 + 1));
}

void contract_settle(struct chan_contract *contract)
{
	uint64_t quiet_since_ns = test_now_ns();

	while (test_now_ns() - quiet_since_ns < SETTLE_NS) {
		if (progress(contract))
			quiet_since_ns = test_now_ns();
		else
			(void)sleep_on(contract, SETTLE_NS / 1000000);
	}
}

/* --- Running --- */

static int case_begin(void **state)
{
	struct contract_case *this = *state;

	test_begin(NULL);
	contract_open(&this->contract.host, this->contract.kind);
	contract_open(&this->contract.worker, this->contract.kind);
	contract_listen(&this->contract.worker);
	return 0;
}

static int case_end(void **state)
{
	struct contract_case *this = *state;

	contract_close(&this->contract.host);
	contract_close(&this->contract.worker);
	return test_end(NULL);
}

static void case_run(void **state)
{
	struct contract_case *this = *state;

	this->test->function(&this->contract);
}

static struct CMUnitTest case_make(enum chan_kind kind, const struct chan_contract_test *test)
{
	struct contract_case *this = calloc(1, sizeof(*this));

	if (this == NULL)
		abort();
	(void)snprintf(this->name, sizeof(this->name), "%s:%s", chan_kinds[kind]->name, test->name);
	this->test = test;
	this->contract.kind = kind;
	return (struct CMUnitTest){ this->name, case_run, case_begin, case_end, this };
}

/* What a kind's library opens once in a process must not look like a leak of the first test. */
static void warm_up(enum chan_kind kind)
{
	struct chan_contract *contract = calloc(1, sizeof(*contract));
	struct chan_link *accepted;

	if (contract == NULL)
		abort();
	contract_open(&contract->host, kind);
	contract_open(&contract->worker, kind);
	contract_listen(&contract->worker);
	(void)contract_join(contract, &accepted);
	contract_close(&contract->host);
	contract_close(&contract->worker);
	free(contract);
}

int contract_run(const struct chan_contract_test *tests, size_t num_tests)
{
	static struct CMUnitTest cases[MAX_TESTS];
	size_t num_cases = 0;
	int num_failed;

	for (enum chan_kind kind = 0; kind < CHAN_NUM_KINDS; kind++) {
		if (chan_kinds[kind] == NULL)
			continue;
		warm_up(kind);
		for (size_t i = 0; i < num_tests; i++) {
			if (tests[i].applies_to != NULL && !tests[i].applies_to(kind))
				continue;
			if (num_cases == MAX_TESTS)
				abort();
			cases[num_cases++] = case_make(kind, &tests[i]);
		}
	}
	num_failed = _cmocka_run_group_tests("channel contract", cases, num_cases, NULL, NULL);
	for (size_t i = 0; i < num_cases; i++)
		free(cases[i].initial_state);
	return num_failed;
}
