/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The daemon's half of the handshake. Nothing that the peer has sent is looked at before it is
 * known to speak a version that is spoken here: HELLO's first bytes are the same in all of them.
 */
#include "urom/daemon/sessions/handshake.h"

#include <limits.h>
#include <string.h>

#include <doca_log.h>

#include "core/export.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/sessions/challenge.h"

DOCA_LOG_REGISTER(UROMD::HANDSHAKE);

/* All plugins as they stand in WELCOME: two integers, a length and a name each. */
#define PLUGINS_SIZE (UROMD_MAX_PLUGINS * (8 + 8 + 4 + WIRE_MAX_PLUGIN_NAME))

/* Who may come by himself. */
static const struct uromd_role *const roles[] = {
	[WIRE_ROLE_HOST] = &uromd_role_host,
	[WIRE_ROLE_OPERATOR] = &uromd_role_operator,
};

static bool is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static bool read_preamble(const struct chan_message *message, struct wire_preamble *preamble)
{
	return message->type == WIRE_HELLO && message->len >= WIRE_PREAMBLE_SIZE &&
	       wire_decode(&wire_preamble_message, message->body, WIRE_PREAMBLE_SIZE, preamble) ==
		   WIRE_OK &&
	       preamble->magic == WIRE_MAGIC;
}

/* The highest version that both have. */
static doca_error_t check_version(struct uromd_session *session,
				  const struct wire_preamble *preamble,
				  struct uromd_failure *failure)
{
	uint16_t highest = preamble->version_max;

	if (highest > WIRE_VERSION_MAX)
		highest = WIRE_VERSION_MAX;
	if (highest < preamble->version_min || highest < WIRE_VERSION_MIN)
		return uromd_fail(failure, DOCA_ERROR_UNSUPPORTED_VERSION,
				  "the service speaks versions %u to %u of the protocol, its peer "
				  "%u to %u",
				  WIRE_VERSION_MIN, WIRE_VERSION_MAX, preamble->version_min,
				  preamble->version_max);
	session->version = highest;
	return DOCA_SUCCESS;
}

/* --- What HELLO says, one check after the other --- */

static doca_error_t check_role(struct uromd_session *session, const struct wire_hello *hello,
			       struct uromd_failure *failure)
{
	const struct uromd_role *role = NULL;

	if (uromd_session_is_worker(session) && hello->role == WIRE_ROLE_WORKER)
		return DOCA_SUCCESS;
	if (!uromd_session_is_worker(session) && hello->role < CORE_ARRAY_LEN(roles))
		role = roles[hello->role];
	if (role == NULL)
		return uromd_fail(failure, DOCA_ERROR_NOT_PERMITTED, "role %u may not connect here",
				  hello->role);
	session->role = role;
	return DOCA_SUCCESS;
}

static doca_error_t check_machine(struct uromd_session *session, const struct wire_hello *hello,
				  struct uromd_failure *failure)
{
	const unsigned int bits = CHAR_BIT * sizeof(void *);

	(void)session;
	if (hello->is_big_endian == is_big_endian() && hello->pointer_bits == bits)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_NOT_SUPPORTED,
			  "a %s-endian machine with pointers of %u bits cannot use this service, "
			  "whose machine is %s-endian with %u bits",
			  hello->is_big_endian ? "big" : "little", hello->pointer_bits,
			  is_big_endian() ? "big" : "little", bits);
}

static doca_error_t check_auth(struct uromd_session *session, const struct wire_hello *hello,
			       struct uromd_failure *failure)
{
	/* A worker has its end of the connection from the daemon itself. */
	if (uromd_session_is_worker(session))
		return DOCA_SUCCESS;
	return uromd_auth_check_offer(session->daemon->config->auth, hello->auth, failure);
}

static doca_error_t check_max_message(struct uromd_session *session, const struct wire_hello *hello,
				      struct uromd_failure *failure)
{
	const uint32_t limit = (uint32_t)session->daemon->config->limits.of[UROMD_LIMIT_MESSAGE];

	if (session->role != &uromd_role_host)
		return DOCA_SUCCESS;
	if (hello->max_message > limit) {
		uromd_counter_hit(&session->daemon->counters, UROMD_LIMIT_MESSAGE);
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "messages of %u bytes are over the service's limit of %u, which "
				  "--max-msg-size of the daemon sets",
				  hello->max_message, limit);
	}
	if (hello->max_message < UROMD_MIN_MESSAGE)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "messages of %u bytes are too small: %d is the least",
				  hello->max_message, UROMD_MIN_MESSAGE);
	session->max_message = hello->max_message;
	return DOCA_SUCCESS;
}

/* Who is told so might have come in: neither a connection nor a hello alone counts. */
static doca_error_t check_room(struct uromd_session *session, struct uromd_failure *failure)
{
	struct uromd_daemon *daemon = session->daemon;
	const uint64_t max = daemon->config->limits.of[UROMD_LIMIT_SESSIONS];

	if (daemon->sessions.count < max)
		return DOCA_SUCCESS;
	uromd_counter_hit(&daemon->counters, UROMD_LIMIT_SESSIONS);
	return uromd_limit_fail(failure, DOCA_ERROR_FULL, UROMD_LIMIT_SESSIONS,
				"the service has %lu sessions already", max);
}

static doca_error_t (*const checks[])(struct uromd_session *, const struct wire_hello *,
				      struct uromd_failure *) = {
	check_role,
	check_machine,
	check_auth,
	check_max_message,
};

/* --- Welcome --- */

static struct wire_bytes list_plugins(const struct uromd_plugins *plugins, uint8_t *list,
				      size_t size)
{
	size_t len = 0, added;

	for (size_t i = 0; i < uromd_plugins_count(plugins); i++) {
		const struct uromd_plugin *plugin = uromd_plugins_at(plugins, i);
		const struct wire_plugin record = {
			.id = plugin->id,
			.version = plugin->version,
			.name = uromd_text(plugin->name),
		};

		if (wire_encode(&wire_plugin_message, &record, list + len, size - len, &added) !=
		    WIRE_OK)
			break; /* the size is that of as many as there can be */
		len += added;
	}
	return (struct wire_bytes){ .data = list, .len = (uint32_t)len };
}

static void tell_open(const struct uromd_session *session)
{
	const struct uromd_identity *user = &session->identity;

	if (uromd_session_is_worker(session))
		return;
	if (user->is_known)
		DOCA_LOG_INFO("%s: open, for the role %s, user %u (%s)", session->label,
			      session->role->name, user->uid,
			      user->name[0] != '\0' ? user->name : "?");
	else
		DOCA_LOG_INFO("%s: open, for the role %s", session->label, session->role->name);
}

static void welcome(struct uromd_session *session)
{
	const struct uromd_daemon *daemon = session->daemon;
	uint8_t list[PLUGINS_SIZE];
	struct wire_welcome welcome = {
		.magic = WIRE_MAGIC,
		.version = session->version,
		.session = session->number,
		.max_message = (uint32_t)daemon->config->limits.of[UROMD_LIMIT_MESSAGE],
		.daemon_version = uromd_text(UROMD_VERSION),
	};

	memcpy(welcome.cpuset, daemon->cpus.advertised, sizeof(welcome.cpuset));
	if (!uromd_session_is_worker(session))
		welcome.plugins = list_plugins(daemon->plugins, list, sizeof(list));
	if (session->worker != NULL)
		session->worker->has_begun = true;
	uromd_session_open(session);
	uromd_session_send(session, WIRE_WELCOME, session->hello_id, &welcome);
	tell_open(session);
}

static void on_scanned(void *arg)
{
	struct uromd_session *session = arg;

	session->scan = NULL;
	welcome(session);
}

void uromd_handshake_proven(struct uromd_session *session)
{
	struct uromd_failure failure;

	if (check_room(session, &failure) != DOCA_SUCCESS)
		uromd_session_refuse(session, &failure);
	else
		uromd_session_await_plugins(session, on_scanned);
}

/* HELLO was good. */
static void go_on(struct uromd_session *session, const struct wire_hello *hello)
{
	if (uromd_session_is_worker(session)) {
		welcome(session);
	} else if (session->daemon->config->auth->check == NULL) {
		uromd_handshake_proven(session);
	} else {
		uromd_challenge_note(session, hello);
		uromd_challenge_send(session);
	}
}

void uromd_handshake_received(struct uromd_session *session, const struct chan_message *message)
{
	struct uromd_failure failure = { .error = DOCA_SUCCESS };
	struct wire_preamble preamble;
	struct wire_hello hello;

	if (!read_preamble(message, &preamble)) {
		uromd_session_break(session, message, "is no hello of UROM");
		return;
	}
	session->hello_id = message->id;
	if (check_version(session, &preamble, &failure) != DOCA_SUCCESS) {
		uromd_session_refuse(session, &failure);
		return;
	}
	if (chan_message_decode(message, &hello) != DOCA_SUCCESS) {
		uromd_session_break(session, message, "cannot be read");
		return;
	}
	uromd_text_copy(session->host, sizeof(session->host), &hello.host);
	uromd_session_set_label(session);
	for (size_t i = 0; i < CORE_ARRAY_LEN(checks); i++) {
		if (checks[i](session, &hello, &failure) != DOCA_SUCCESS) {
			uromd_session_refuse(session, &failure);
			return;
		}
	}
	go_on(session, &hello);
}
