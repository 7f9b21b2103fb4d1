/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "worker_rig.h"

static void on_notify(struct rig_host *host, const struct chan_message *message)
{
	struct rig_note *note = &host->notes[host->num_notes];
	struct wire_notify notify;

	assert_success(chan_message_decode(message, &notify));
	assert_true(host->num_notes < RIG_MAX_NOTES);
	host->num_notes++;
	note->id = message->id;
	note->plugin = notify.plugin;
	note->context = notify.context;
	note->status = (doca_error_t)notify.status;
	note->len = notify.payload.len;
	note->payload = calloc(1, note->len + 1);
	assert_non_null(note->payload);
	if (note->len > 0)
		memcpy(note->payload, notify.payload.data, note->len);
}

static void on_received(void *arg, struct chan_conn *conn, const struct chan_message *message)
{
	struct rig_host *host = arg;
	struct wire_refused refused;

	(void)conn;
	switch (message->type) {
	case WIRE_NOTIFY:
		on_notify(host, message);
		return;
	case WIRE_ATTACHED:
		host->is_attached = true;
		return;
	case WIRE_DETACHED:
		host->is_detached = true;
		return;
	case WIRE_REFUSED:
		assert_success(chan_message_decode(message, &refused));
		assert_int_equal(refused.error, DOCA_ERROR_AUTHENTICATION);
		host->is_refused = true;
		return;
	default:
		fail_msg("a message %s has come", chan_message_name(message));
	}
}

static void on_closed(void *arg, struct chan_conn *conn, doca_error_t why)
{
	struct rig_host *host = arg;

	(void)conn;
	host->conn = NULL;
	host->closed_for = why;
}

static const struct chan_handler host_handler = {
	.received = on_received,
	.closed = on_closed,
};

static void ignore_accepted(void *arg, struct chan_conn *conn)
{
	(void)arg;
	(void)conn;
}

static void note_received(void *arg, struct chan_conn *conn, const struct chan_message *message)
{
	bool *is_heard = arg;

	(void)conn;
	(void)message;
	*is_heard = true;
}

static void ignore_closed(void *arg, struct chan_conn *conn, doca_error_t why)
{
	(void)arg;
	(void)conn;
	(void)why;
}

static const struct chan_handler warm_up_handler = {
	.accepted = ignore_accepted,
	.received = note_received,
	.closed = ignore_closed,
};

/*
 * What UCX opens once in a process must not look like a leak of the first test. The connection is
 * whole before it is closed: UCX 1.13 ends a process that gives one up at both ends while it is
 * being made.
 */
static void warm_up(void)
{
	const struct sockaddr_in ip = {
		.sin_family = AF_INET,
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	bool is_heard = false;
	const struct chan_config config = {
		.handler = &warm_up_handler,
		.arg = &is_heard,
		.max_body = 64,
		.is_local = true,
	};
	const uint64_t deadline = test_now_ns() + UINT64_C(20000000000);
	const struct wire_empty empty = { 0 };
	uint8_t addr[CHAN_MAX_ADDR];
	struct chan *listening, *connecting;
	struct chan_conn *conn;
	size_t len;

	assert_success(chan_open(rig_channel, &config, &listening));
	assert_success(chan_open(rig_channel, &config, &connecting));
	assert_success(chan_listen(listening, (const struct sockaddr *)&ip));
	assert_success(chan_get_address(listening, addr, &len));
	assert_success(chan_connect(connecting, addr, len, &conn));
	assert_success(chan_send(conn, WIRE_DETACH, 0, &empty));
	while (!is_heard && test_now_ns() < deadline) {
		chan_progress(connecting);
		chan_progress(listening);
	}
	assert_true(is_heard);
	chan_close(connecting);
	chan_close(listening);
}

const enum chan_kind rig_tcp = CHAN_TCP, rig_ucx = CHAN_UCX;

int rig_begin(void **state)
{
	static bool is_warm[CHAN_NUM_KINDS];

	rig_channel = *(const enum chan_kind *)*state;
	if (!is_warm[rig_channel])
		warm_up();
	is_warm[rig_channel] = true;
	return test_begin(state);
}

static void begin(struct rig_host *host, struct rig *rig)
{
	memset(host, 0, sizeof(*host));
	host->rig = rig;
	host->connection = rig->next_connection++;
	for (unsigned int i = 0; i < WIRE_TICKET_SIZE; i++)
		host->ticket[i] = (uint8_t)(host->connection * 7 + i);
}

static void connect_to(struct rig_host *host)
{
	const struct chan_config config = {
		.handler = &host_handler,
		.arg = host,
		.max_body = WIRE_MAX_BODY,
		.is_local = true,
	};

	assert_success(chan_open(rig_channel, &config, &host->chan));
	assert_success(chan_connect(host->chan, host->rig->addr, host->rig->addr_len, &host->conn));
}

void host_connect(struct rig_host *host, struct rig *rig)
{
	begin(host, rig);
	connect_to(host);
}

void host_open(struct rig_host *host, struct rig *rig, uint32_t max_message)
{
	struct wire_ticket ticket = {
		.version = WIRE_VERSION_MAX,
		.max_message = max_message > 0 ? max_message : RIG_MAX_MESSAGE,
		.host = { "test", 4 },
	};
	struct wire_empty known;

	begin(host, rig);
	ticket.connection = host->connection;
	memcpy(ticket.ticket, host->ticket, WIRE_TICKET_SIZE);
	rig_send(rig, WIRE_TICKET, ticket.connection + 5, &ticket);
	rig_take(rig, WIRE_TICKET_KNOWN, ticket.connection + 5, &known);
	connect_to(host);
}

void host_close(struct rig_host *host)
{
	chan_close(host->chan);
	for (unsigned int i = 0; i < host->num_notes; i++)
		free(host->notes[i].payload);
	host->num_notes = 0;
}

static void progress(struct rig_host *host)
{
	if (!chan_progress(host->chan) && chan_arm(host->chan))
		(void)test_is_readable(chan_get_fd(host->chan), 1000);
}

void host_wait(struct rig_host *host, const bool *flag)
{
	const uint64_t end_ns = rig_deadline();

	while (!*flag && host->conn != NULL && test_now_ns() < end_ns)
		progress(host);
	if (*flag)
		return;
	rig_print_log(host->rig);
	fail_msg("the worker does not answer; %s",
		 host->conn == NULL ? "the connection is closed" : "the connection is there");
}

void host_wait_closed(struct rig_host *host)
{
	const uint64_t end_ns = rig_deadline();

	while (host->conn != NULL && test_now_ns() < end_ns)
		progress(host);
	assert_null(host->conn);
}

void host_show(struct rig_host *host, uint64_t connection, const uint8_t *ticket)
{
	struct wire_attach attach = { .connection = connection };

	memcpy(attach.ticket, ticket, WIRE_TICKET_SIZE);
	assert_success(chan_send(host->conn, WIRE_ATTACH, 1, &attach));
}

void host_attach(struct rig_host *host, struct rig *rig)
{
	host_open(host, rig, 0);
	host_show(host, host->connection, host->ticket);
	host_wait(host, &host->is_attached);
}

void host_send_raw(struct rig_host *host, uint64_t plugin, uint64_t context, const void *bytes,
		   size_t len)
{
	const struct wire_command command = {
		.plugin = plugin,
		.context = context,
		.payload = { bytes, (uint32_t)len },
	};

	assert_success(chan_send(host->conn, WIRE_COMMAND, context + 3, &command));
}

void host_send(struct rig_host *host, uint64_t plugin, uint64_t context, enum play_op op,
	       uint32_t arg, const void *bytes, size_t len)
{
	const struct play_cmd cmd = { op, arg };
	uint8_t *whole = malloc(sizeof(cmd) + len);

	assert_non_null(whole);
	memcpy(whole, &cmd, sizeof(cmd));
	if (len > 0)
		memcpy(whole + sizeof(cmd), bytes, len);
	host_send_raw(host, plugin, context, whole, sizeof(cmd) + len);
	free(whole);
}

const struct rig_note *host_take(struct rig_host *host)
{
	const uint64_t end_ns = rig_deadline();

	while (host->num_taken == host->num_notes && host->conn != NULL && test_now_ns() < end_ns)
		progress(host);
	if (host->num_taken < host->num_notes)
		return &host->notes[host->num_taken++];
	rig_print_log(host->rig);
	fail_msg("no notification comes; the connection is %s",
		 host->conn == NULL ? "closed" : "there");
	return NULL;
}

const struct rig_note *host_take_end(struct rig_host *host, uint64_t context, doca_error_t status)
{
	const struct rig_note *note = host_take(host);

	assert_int_equal(note->context, context);
	assert_int_equal(note->id, context + 3);
	if (note->status != status)
		fail_msg("%s, not %s", doca_error_get_name(note->status),
			 doca_error_get_name(status));
	return note;
}

const struct rig_note *host_run(struct rig_host *host, uint64_t plugin, enum play_op op,
				uint32_t arg, const void *bytes, size_t len, doca_error_t status)
{
	const uint64_t context = 9000 + host->num_notes;
	const struct rig_note *note;

	host_send(host, plugin, context, op, arg, bytes, len);
	note = host_take_end(host, context, status);
	assert_int_equal(note->plugin, plugin);
	return note;
}

void host_check_quiet(struct rig_host *host, uint64_t plugin)
{
	(void)host_run(host, plugin, PLAY_ECHO, 0, NULL, 0, DOCA_SUCCESS);
	assert_int_equal(host->num_taken, host->num_notes);
}
