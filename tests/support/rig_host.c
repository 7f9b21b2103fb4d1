/* SPDX-License-Identifier: BSD-3-Clause */
#include "rig_host.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "urom/chan/chan_address.h"

#define PATIENCE_MS 20000

struct wire_hello rig_host_hello(void)
{
	return (struct wire_hello){
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = WIRE_ROLE_HOST,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.pointer_bits = CHAR_BIT * sizeof(void *),
		.max_message = 4096,
		.host = { "test", 4 },
		.auth = WIRE_AUTH_COOKIE,
	};
}

void rig_host_connect(struct rig_host *host, const struct daemon_rig *rig)
{
	int fd;

	memset(host, 0, sizeof(*host));
	assert_success(chan_address_connect((const struct sockaddr *)&rig->address, &fd));
	chan_stream_init(&host->stream, fd);
	host->rig = rig;
}

void rig_host_keep_hello(struct rig_host *host, const struct wire_hello *hello)
{
	host->auth = (struct auth_context){
		.version_min = hello->version_min,
		.version_max = hello->version_max,
		.role = hello->role,
		.method = hello->auth,
	};
	memcpy(host->auth.hello_nonce, hello->nonce, sizeof(hello->nonce));
}

uint64_t rig_host_greet(struct rig_host *host, const struct wire_hello *hello)
{
	rig_host_keep_hello(host, hello);
	return rig_host_send(host, WIRE_HELLO, hello);
}

void rig_host_answer(struct rig_host *host)
{
	const uint8_t *secret = host->rig->cookie.secret;
	uint8_t bytes[AUTH_PROOF_SIZE];
	const struct wire_proof proof = { { bytes, sizeof(bytes) } };
	struct wire_challenge challenge;

	assert_success(chan_message_decode(&host->message, &challenge));
	assert_true(challenge.magic == WIRE_MAGIC);
	assert_int_equal(challenge.auth, WIRE_AUTH_COOKIE);
	host->auth.version = challenge.version;
	memcpy(host->auth.challenge_nonce, challenge.nonce, sizeof(challenge.nonce));
	assert_true(auth_proof_check(secret, &host->auth, AUTH_DAEMON, &challenge.proof));
	auth_proof_make(secret, &host->auth, AUTH_PEER, bytes);
	rig_host_send(host, WIRE_PROOF, &proof);
}

void rig_host_prove(struct rig_host *host)
{
	struct wire_challenge challenge;

	rig_host_receive(host, WIRE_CHALLENGE, &challenge);
	rig_host_answer(host);
}

void rig_host_init(struct rig_host *host, const struct daemon_rig *rig)
{
	const struct wire_hello hello = rig_host_hello();

	rig_host_connect(host, rig);
	rig_host_greet(host, &hello);
	rig_host_prove(host);
	rig_host_receive(host, WIRE_WELCOME, &host->welcome);
}

void rig_host_fini(struct rig_host *host)
{
	chan_stream_fini(&host->stream);
}

static void wait_for(struct rig_host *host, short events)
{
	struct pollfd watched = { .fd = host->stream.fd, .events = events };

	if (poll(&watched, 1, PATIENCE_MS) == 1)
		return;
	daemon_rig_explain();
	fail_msg("nothing comes from the daemon");
}

uint64_t rig_host_send(struct rig_host *host, uint16_t type, const void *record)
{
	const uint64_t id = ++host->last_id;
	doca_error_t result = chan_stream_send(&host->stream, type, id, record);

	/* One that the daemon has hung up on is found out when it receives. */
	while (result == DOCA_SUCCESS && chan_stream_is_sending(&host->stream)) {
		wait_for(host, POLLOUT);
		result = chan_stream_flush(&host->stream);
	}
	return id;
}

void rig_host_send_bytes(struct rig_host *host, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;

	while (len > 0) {
		ssize_t sent;

		wait_for(host, POLLOUT);
		sent = send(host->stream.fd, at, len, MSG_NOSIGNAL);
		if (sent < 0) /* as above */
			return;
		at += sent;
		len -= (size_t)sent;
	}
}

static doca_error_t receive(struct rig_host *host)
{
	doca_error_t result;

	while ((result = chan_stream_receive(&host->stream, &host->message)) == DOCA_ERROR_AGAIN)
		wait_for(host, POLLIN);
	return result;
}

uint64_t rig_host_receive(struct rig_host *host, uint16_t type, void *record)
{
	assert_success(receive(host));
	if (host->message.type != type)
		fail_msg("%s (type %u) has come", chan_message_name(&host->message),
			 host->message.type);
	assert_success(chan_message_decode(&host->message, record));
	return host->message.id;
}

void rig_host_receive_end(struct rig_host *host)
{
	doca_error_t result = receive(host);

	if (result == DOCA_SUCCESS)
		fail_msg("%s has come", chan_message_name(&host->message));
	assert_int_equal(result, DOCA_ERROR_CONNECTION_RESET);
}

void rig_host_check_silent(struct rig_host *host)
{
	assert_int_equal(chan_stream_receive(&host->stream, &host->message), DOCA_ERROR_AGAIN);
}

/* --- Workers --- */

void rig_start_init(struct rig_start *start, uint64_t worker_id, const char *mode)
{
	char entry[64];

	memset(start, 0, sizeof(*start));
	start->start.worker_id = worker_id;
	start->start.plugins = 1;
	start->start.max_message = 4096;
	start->start.environment.data = start->environment;
	if (mode == NULL)
		return;
	(void)snprintf(entry, sizeof(entry), "FAKE_WORKER=%s", mode);
	rig_start_add(start, entry);
}

void rig_start_add(struct rig_start *start, const char *entry)
{
	const struct wire_entry record = { .text = { entry, (uint32_t)strlen(entry) } };
	const uint32_t len = start->start.environment.len;
	size_t added;

	assert_int_equal(wire_encode(&wire_entry_message, &record, start->environment + len,
				     sizeof(start->environment) - len, &added),
			 WIRE_OK);
	start->start.environment.len += (uint32_t)added;
}

void rig_host_start(struct rig_host *host, const struct rig_start *start,
		    struct wire_worker_started *started)
{
	const uint64_t id = rig_host_send(host, WIRE_WORKER_START, &start->start);

	assert_int_equal(rig_host_receive(host, WIRE_WORKER_STARTED, started), id);
}

uint64_t rig_host_receive_refused(struct rig_host *host, uint16_t type, doca_error_t error,
				  const char *part)
{
	struct wire_refused refused = { .error = 0 };
	struct wire_failure failure;
	char reason[WIRE_MAX_REASON + 1];
	uint64_t id;

	if (type == WIRE_REFUSED) {
		id = rig_host_receive(host, type, &refused);
		failure = (struct wire_failure){ refused.error, refused.reason };
	} else {
		id = rig_host_receive(host, type, &failure);
	}
	assert_true(failure.reason.len <= WIRE_MAX_REASON);
	memcpy(reason, failure.reason.data, failure.reason.len);
	reason[failure.reason.len] = '\0';
	if (failure.error != error || strstr(reason, part) == NULL)
		fail_msg("%s: %s", doca_error_get_name(failure.error), reason);
	return id;
}

void rig_host_start_refused(struct rig_host *host, const struct rig_start *start,
			    doca_error_t error, const char *part)
{
	const uint64_t id = rig_host_send(host, WIRE_WORKER_START, &start->start);

	assert_int_equal(rig_host_receive_refused(host, WIRE_WORKER_REFUSED, error, part), id);
}

void rig_host_stop(struct rig_host *host, uint64_t worker_id, uint64_t connection)
{
	const struct wire_worker_stop stop = { .worker_id = worker_id, .connection = connection };
	const uint64_t id = rig_host_send(host, WIRE_WORKER_STOP, &stop);
	struct wire_empty nothing;

	assert_int_equal(rig_host_receive(host, WIRE_WORKER_STOPPED, &nothing), id);
}

size_t rig_host_get_group(struct rig_host *host, uint32_t group, uint64_t *ids, size_t max)
{
	const struct wire_group_get get = { .group = group };
	const uint64_t id = rig_host_send(host, WIRE_GROUP_GET, &get);
	struct wire_group answer;
	struct wire_id record;
	size_t count = 0;

	assert_int_equal(rig_host_receive(host, WIRE_GROUP, &answer), id);
	while (wire_list_next(&answer.worker_ids, &wire_id_message, &record)) {
		if (count < max)
			ids[count] = record.id;
		count++;
	}
	return count;
}

void rig_host_init_operator(struct rig_host *host, const struct daemon_rig *rig)
{
	struct wire_hello hello = rig_host_hello();

	hello.role = WIRE_ROLE_OPERATOR;
	rig_host_connect(host, rig);
	rig_host_greet(host, &hello);
	rig_host_prove(host);
	rig_host_receive(host, WIRE_WELCOME, &host->welcome);
}

struct wire_counter rig_host_get_counter(struct rig_host *host, const char *name)
{
	const struct wire_empty nothing = { 0 };
	const uint64_t id = rig_host_send(host, WIRE_STATUS_GET, &nothing);
	struct wire_status status;
	struct wire_counter counter;

	assert_int_equal(rig_host_receive(host, WIRE_STATUS, &status), id);
	while (wire_list_next(&status.counters, &wire_counter_message, &counter)) {
		if (counter.name.len == strlen(name) &&
		    memcmp(counter.name.data, name, counter.name.len) == 0)
			return counter;
	}
	fail_msg("there is no counter %s", name);
	return counter;
}
