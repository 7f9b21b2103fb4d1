/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/wire/wire_messages.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A row of a table of fields; the record's type is named by RECORD. */
#define PLAIN(field, field_kind)                                                        \
	{                                                                               \
		.name = #field, .kind = (field_kind), .offset = offsetof(RECORD, field) \
	}
#define LIMITED(field, field_kind, field_limit)                                          \
	{                                                                                \
		.name = #field, .kind = (field_kind), .offset = offsetof(RECORD, field), \
		.limit = (field_limit)                                                   \
	}
#define LIST_OF(field, message)                                                       \
	{                                                                             \
		.name = #field, .kind = WIRE_LIST, .offset = offsetof(RECORD, field), \
		.limit = WIRE_MAX_LIST, .element = &(message)                         \
	}

/* A record that comes only as a part of messages. */
#define PART(message_name, field_table)                                                         \
	{                                                                                       \
		.name = (message_name), .record_size = sizeof(RECORD), .fields = (field_table), \
		.num_fields = COUNT(field_table)                                                \
	}

#define RECORD struct wire_preamble
static const struct wire_field preamble_fields[] = {
	PLAIN(magic, WIRE_U64),
	PLAIN(version_min, WIRE_U16),
	PLAIN(version_max, WIRE_U16),
};
const struct wire_message wire_preamble_message = PART("PREAMBLE", preamble_fields);
#undef RECORD

#define RECORD struct wire_plugin
static const struct wire_field plugin_fields[] = {
	PLAIN(id, WIRE_U64),
	PLAIN(version, WIRE_U64),
	LIMITED(name, WIRE_TEXT, WIRE_MAX_PLUGIN_NAME),
};
const struct wire_message wire_plugin_message = PART("PLUGIN", plugin_fields);
#undef RECORD

#define RECORD struct wire_entry
static const struct wire_field entry_fields[] = {
	LIMITED(text, WIRE_TEXT, WIRE_MAX_ENTRY),
};
const struct wire_message wire_entry_message = PART("ENTRY", entry_fields);
#undef RECORD

#define RECORD struct wire_plugin_addr
static const struct wire_field plugin_addr_fields[] = {
	PLAIN(id, WIRE_U64),
	LIMITED(addr, WIRE_BYTES, WIRE_MAX_PLUGIN_ADDR),
};
const struct wire_message wire_plugin_addr_message = PART("PLUGIN_ADDR", plugin_addr_fields);
#undef RECORD

#define RECORD struct wire_id
static const struct wire_field id_fields[] = {
	PLAIN(id, WIRE_U64),
};
const struct wire_message wire_id_message = PART("ID", id_fields);
#undef RECORD

#define RECORD struct wire_counter
static const struct wire_field counter_fields[] = {
	LIMITED(name, WIRE_TEXT, WIRE_MAX_COUNTER_NAME),
	PLAIN(value, WIRE_U64),
	PLAIN(highest, WIRE_U64),
	PLAIN(limit, WIRE_U64),
	PLAIN(num_hits, WIRE_U64),
};
const struct wire_message wire_counter_message = PART("COUNTER", counter_fields);
#undef RECORD

#define RECORD struct wire_hello
static const struct wire_field hello_fields[] = {
	PLAIN(magic, WIRE_U64),
	PLAIN(version_min, WIRE_U16),
	PLAIN(version_max, WIRE_U16),
	PLAIN(role, WIRE_U8),
	PLAIN(is_big_endian, WIRE_BOOL),
	PLAIN(pointer_bits, WIRE_U8),
	PLAIN(auth, WIRE_U8),
	PLAIN(api_version, WIRE_U32),
	PLAIN(max_message, WIRE_U32),
	LIMITED(nonce, WIRE_FIXED, WIRE_NONCE_SIZE),
	LIMITED(host, WIRE_TEXT, WIRE_MAX_HOST),
	LIMITED(proof, WIRE_BYTES, WIRE_MAX_PROOF),
};
#undef RECORD

#define RECORD struct wire_challenge
static const struct wire_field challenge_fields[] = {
	PLAIN(magic, WIRE_U64),
	PLAIN(version, WIRE_U16),
	PLAIN(auth, WIRE_U8),
	LIMITED(nonce, WIRE_FIXED, WIRE_NONCE_SIZE),
	LIMITED(proof, WIRE_BYTES, WIRE_MAX_PROOF),
};
#undef RECORD

#define RECORD struct wire_proof
static const struct wire_field proof_fields[] = {
	LIMITED(proof, WIRE_BYTES, WIRE_MAX_PROOF),
};
#undef RECORD

#define RECORD struct wire_welcome
static const struct wire_field welcome_fields[] = {
	PLAIN(magic, WIRE_U64),
	PLAIN(version, WIRE_U16),
	PLAIN(session, WIRE_U64),
	PLAIN(max_message, WIRE_U32),
	LIMITED(cpuset, WIRE_FIXED, WIRE_CPUSET_SIZE),
	LIMITED(daemon_version, WIRE_TEXT, WIRE_MAX_VERSION_TEXT),
	LIST_OF(plugins, wire_plugin_message),
};
#undef RECORD

#define RECORD struct wire_refused
static const struct wire_field refused_fields[] = {
	PLAIN(magic, WIRE_U64),
	PLAIN(version_min, WIRE_U16),
	PLAIN(version_max, WIRE_U16),
	PLAIN(error, WIRE_U32),
	LIMITED(reason, WIRE_TEXT, WIRE_MAX_REASON),
};
#undef RECORD

#define RECORD struct wire_worker_start
static const struct wire_field worker_start_fields[] = {
	PLAIN(worker_id, WIRE_U64),   PLAIN(plugins, WIRE_U64),
	PLAIN(has_group, WIRE_BOOL),  PLAIN(group, WIRE_U32),
	PLAIN(has_cpuset, WIRE_BOOL), LIMITED(cpuset, WIRE_FIXED, WIRE_CPUSET_SIZE),
	PLAIN(max_message, WIRE_U32), LIST_OF(environment, wire_entry_message),
};
#undef RECORD

#define RECORD struct wire_worker_started
static const struct wire_field worker_started_fields[] = {
	PLAIN(worker_id, WIRE_U64),
	PLAIN(connection, WIRE_U64),
	PLAIN(has_group, WIRE_BOOL),
	PLAIN(group, WIRE_U32),
	PLAIN(pid, WIRE_U64),
	PLAIN(uid, WIRE_U32),
	PLAIN(user_ns, WIRE_U64),
	LIMITED(ticket, WIRE_FIXED, WIRE_TICKET_SIZE),
	LIMITED(channel_addr, WIRE_BYTES, WIRE_MAX_CHANNEL_ADDR),
	LIST_OF(plugin_addrs, wire_plugin_addr_message),
};
#undef RECORD

#define RECORD struct wire_failure
static const struct wire_field failure_fields[] = {
	PLAIN(error, WIRE_U32),
	LIMITED(reason, WIRE_TEXT, WIRE_MAX_REASON),
};
#undef RECORD

#define RECORD struct wire_worker_stop
static const struct wire_field worker_stop_fields[] = {
	PLAIN(worker_id, WIRE_U64),
	PLAIN(connection, WIRE_U64),
};
#undef RECORD

#define RECORD struct wire_worker_died
static const struct wire_field worker_died_fields[] = {
	PLAIN(worker_id, WIRE_U64),
	PLAIN(error, WIRE_U32),
	LIMITED(reason, WIRE_TEXT, WIRE_MAX_REASON),
};
#undef RECORD

#define RECORD struct wire_connection_ended
static const struct wire_field connection_ended_fields[] = {
	PLAIN(worker_id, WIRE_U64),
	PLAIN(connection, WIRE_U64),
	LIMITED(reason, WIRE_TEXT, WIRE_MAX_REASON),
};
#undef RECORD

#define RECORD struct wire_group_get
static const struct wire_field group_get_fields[] = {
	PLAIN(group, WIRE_U32),
};
#undef RECORD

#define RECORD struct wire_group
static const struct wire_field group_fields[] = {
	LIST_OF(worker_ids, wire_id_message),
};
#undef RECORD

#define RECORD struct wire_status
static const struct wire_field status_fields[] = {
	LIST_OF(counters, wire_counter_message),
};
#undef RECORD

#define RECORD struct wire_worker_ready
static const struct wire_field worker_ready_fields[] = {
	PLAIN(pid, WIRE_U64),
	LIMITED(channel_addr, WIRE_BYTES, WIRE_MAX_CHANNEL_ADDR),
	LIST_OF(plugin_addrs, wire_plugin_addr_message),
};
#undef RECORD

#define RECORD struct wire_ticket
static const struct wire_field ticket_fields[] = {
	PLAIN(connection, WIRE_U64),
	PLAIN(version, WIRE_U16),
	PLAIN(max_message, WIRE_U32),
	LIMITED(ticket, WIRE_FIXED, WIRE_TICKET_SIZE),
	LIMITED(host, WIRE_TEXT, WIRE_MAX_HOST),
};
#undef RECORD

#define RECORD struct wire_ticket_void
static const struct wire_field ticket_void_fields[] = {
	PLAIN(connection, WIRE_U64),
};
#undef RECORD

#define RECORD struct wire_host_deaf
static const struct wire_field host_deaf_fields[] = {
	PLAIN(connection, WIRE_U64),
};
#undef RECORD

#define RECORD struct wire_ticket_refused
static const struct wire_field ticket_refused_fields[] = {
	PLAIN(error, WIRE_U32),
	PLAIN(lacks_files, WIRE_BOOL),
	LIMITED(reason, WIRE_TEXT, WIRE_MAX_REASON),
};
#undef RECORD

#define RECORD struct wire_attach
static const struct wire_field attach_fields[] = {
	PLAIN(connection, WIRE_U64),
	LIMITED(ticket, WIRE_FIXED, WIRE_TICKET_SIZE),
};
#undef RECORD

#define RECORD struct wire_command
static const struct wire_field command_fields[] = {
	PLAIN(plugin, WIRE_U64),
	PLAIN(context, WIRE_U64),
	LIMITED(payload, WIRE_BYTES, WIRE_MAX_PAYLOAD),
};
#undef RECORD

#define RECORD struct wire_notify
static const struct wire_field notify_fields[] = {
	PLAIN(plugin, WIRE_U64),
	PLAIN(context, WIRE_U64),
	PLAIN(status, WIRE_U32),
	LIMITED(payload, WIRE_BYTES, WIRE_MAX_PAYLOAD),
};
#undef RECORD

#define MESSAGE(message_type, record, field_table)                                                 \
	{                                                                                          \
		.name = #message_type, .type = WIRE_##message_type, .record_size = sizeof(record), \
		.fields = (field_table), .num_fields = COUNT(field_table)                          \
	}
#define EMPTY_MESSAGE(message_type)                                 \
	{                                                           \
		.name = #message_type, .type = WIRE_##message_type, \
		.record_size = sizeof(struct wire_empty)            \
	}

static const struct wire_message messages[] = {
	MESSAGE(HELLO, struct wire_hello, hello_fields),
	MESSAGE(CHALLENGE, struct wire_challenge, challenge_fields),
	MESSAGE(PROOF, struct wire_proof, proof_fields),
	MESSAGE(WELCOME, struct wire_welcome, welcome_fields),
	MESSAGE(REFUSED, struct wire_refused, refused_fields),
	MESSAGE(WORKER_START, struct wire_worker_start, worker_start_fields),
	MESSAGE(WORKER_STARTED, struct wire_worker_started, worker_started_fields),
	MESSAGE(WORKER_REFUSED, struct wire_failure, failure_fields),
	MESSAGE(WORKER_STOP, struct wire_worker_stop, worker_stop_fields),
	EMPTY_MESSAGE(WORKER_STOPPED),
	MESSAGE(WORKER_DIED, struct wire_worker_died, worker_died_fields),
	MESSAGE(GROUP_GET, struct wire_group_get, group_get_fields),
	MESSAGE(GROUP, struct wire_group, group_fields),
	EMPTY_MESSAGE(STATUS_GET),
	MESSAGE(STATUS, struct wire_status, status_fields),
	MESSAGE(CONNECTION_ENDED, struct wire_connection_ended, connection_ended_fields),
	MESSAGE(WORKER_READY, struct wire_worker_ready, worker_ready_fields),
	MESSAGE(WORKER_FAILED, struct wire_failure, failure_fields),
	MESSAGE(TICKET, struct wire_ticket, ticket_fields),
	EMPTY_MESSAGE(TICKET_KNOWN),
	MESSAGE(TICKET_VOID, struct wire_ticket_void, ticket_void_fields),
	EMPTY_MESSAGE(SHUTDOWN),
	MESSAGE(HOST_DEAF, struct wire_host_deaf, host_deaf_fields),
	MESSAGE(TICKET_REFUSED, struct wire_ticket_refused, ticket_refused_fields),
	MESSAGE(ATTACH, struct wire_attach, attach_fields),
	EMPTY_MESSAGE(ATTACHED),
	MESSAGE(COMMAND, struct wire_command, command_fields),
	MESSAGE(NOTIFY, struct wire_notify, notify_fields),
	EMPTY_MESSAGE(DETACH),
	EMPTY_MESSAGE(DETACHED),
};

const struct wire_message *wire_message_at(size_t n)
{
	return n < COUNT(messages) ? &messages[n] : NULL;
}

const struct wire_message *wire_message_find(uint16_t type)
{
	for (size_t i = 0; i < COUNT(messages); i++) {
		if (messages[i].type == type)
			return &messages[i];
	}
	return NULL;
}
