/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <doca_version.h>

#include "core/clock.h"
#include "core/error.h"
#include "core/log.h"
#include "urom/chan/chan_address.h"
#include "urom/host/resolve.h"
#include "urom/host/service_auth.h"

CORE_LOG_REGISTER(UROM::SERVICE_START);

/* The way to a daemon, while it is made; all of it has one deadline. */
struct attempt {
	struct doca_urom_service *service;
	uint64_t deadline_ms;
	char peer[CHAN_ADDR_TEXT];
	struct uromh_auth auth;
	bool has_heard; /* anything of the peer */
};

/*
 * Waits for events of the socket, which a peer that always has some cannot draw out. Errors:
 * TIME_OUT.
 */
static doca_error_t wait_for(uint64_t deadline_ms, int fd, short events)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };

	for (;;) {
		uint64_t now = core_now_ms();
		int ready;

		if (now >= deadline_ms)
			return DOCA_ERROR_TIME_OUT;
		ready = poll(&poll_fd, 1, (int)(deadline_ms - now));
		if (ready > 0)
			return DOCA_SUCCESS;
		if (ready == 0)
			return DOCA_ERROR_TIME_OUT;
		if (errno != EINTR)
			return core_error_from_errno(errno);
	}
}

static doca_error_t fail_timeout(const struct attempt *attempt, const char *what)
{
	DOCA_LOG_ERR("%s %s within %u s; is that host up, and is a UROM daemon listening there?",
		     attempt->peer, what, UROMH_START_TIMEOUT_MS / 1000);
	return DOCA_ERROR_TIME_OUT;
}

/* --- Connecting --- */

/* Until when the first of these addresses may be tried: none takes the time of the others. */
static uint64_t share_of_time(const struct attempt *attempt, unsigned int num_addresses)
{
	uint64_t now = core_now_ms();

	if (now >= attempt->deadline_ms)
		return attempt->deadline_ms;
	return now + (attempt->deadline_ms - now) / num_addresses;
}

/*
 * The first of so many; *err: why not. Errors: TIME_OUT, NOT_CONNECTED; nothing is logged.
 */
static doca_error_t try_address(struct attempt *attempt, const struct sockaddr_storage *first,
				unsigned int num_addresses, int *fd, int *err)
{
	const struct sockaddr *addr = (const struct sockaddr *)first;
	socklen_t len = sizeof(*err);
	doca_error_t result;
	int made;

	chan_address_text(addr, attempt->peer);
	if (chan_address_connect(addr, &made) != DOCA_SUCCESS) {
		*err = errno;
		return DOCA_ERROR_NOT_CONNECTED;
	}
	result = wait_for(share_of_time(attempt, num_addresses), made, POLLOUT);
	*err = result == DOCA_ERROR_TIME_OUT ? ETIMEDOUT : errno;
	if (result == DOCA_SUCCESS &&
	    (getsockopt(made, SOL_SOCKET, SO_ERROR, err, &len) != 0 || *err != 0))
		result = *err == ETIMEDOUT ? DOCA_ERROR_TIME_OUT : DOCA_ERROR_NOT_CONNECTED;
	if (result == DOCA_SUCCESS)
		*fd = made;
	else
		close(made);
	return result;
}

static doca_error_t connect_to(struct attempt *attempt, const struct uromh_addresses *addresses)
{
	doca_error_t result = DOCA_ERROR_NOT_CONNECTED;
	int fd, err = 0;

	for (unsigned int i = 0; i < addresses->num; i++) {
		result = try_address(attempt, &addresses->at[i], addresses->num - i, &fd, &err);
		if (result == DOCA_SUCCESS) {
			uromh_stream_open(attempt->service, fd);
			return DOCA_SUCCESS;
		}
	}
	if (result == DOCA_ERROR_TIME_OUT)
		return fail_timeout(attempt, "does not answer");
	errno = err;
	DOCA_LOG_ERR("%s cannot be reached: %m; is the UROM daemon running there?", attempt->peer);
	return result;
}

static doca_error_t resolve(struct attempt *attempt, struct uromh_addresses *addresses)
{
	const struct uromh_location *location = &attempt->service->location;
	const char *why;
	doca_error_t result;

	(void)snprintf(attempt->peer, sizeof(attempt->peer), "%.60s:%u", location->host,
		       location->port);
	result =
	    uromh_resolve(location->host, location->port, 0, attempt->deadline_ms, addresses, &why);
	switch (result) {
	case DOCA_SUCCESS:
		return DOCA_SUCCESS;
	case DOCA_ERROR_NOT_FOUND:
		DOCA_LOG_ERR("%s of the service file does not resolve: %s; mend the third field of "
			     "its line, or put an address there",
			     location->host, why);
		return DOCA_ERROR_BAD_CONFIG;
	case DOCA_ERROR_TIME_OUT:
		DOCA_LOG_ERR("%s of the service file is not resolved within %u s: %s; an address "
			     "in its place needs none",
			     location->host, UROMH_START_TIMEOUT_MS / 1000, why);
		return result;
	default:
		DOCA_LOG_ERR("%s of the service file is not resolved: %s; an address in its place "
			     "needs none",
			     location->host, why);
		return result;
	}
}

/* --- Shaking hands --- */

static doca_error_t say_hello(struct attempt *attempt)
{
	struct doca_urom_service *service = attempt->service;
	char host[UROMH_MAX_HOST + 1];
	struct wire_hello hello = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = WIRE_ROLE_HOST,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.pointer_bits = 8 * sizeof(void *),
		.api_version = DOCA_VERSION_EXACT,
		.max_message = service->max_message,
	};

	uromh_name_of_host(host);
	hello.host = (struct wire_bytes){ host, (uint32_t)strlen(host) };
	uromh_auth_greet(&attempt->auth, &hello);
	return chan_stream_send(&service->stream, WIRE_HELLO, uromh_service_next_exchange(service),
				&hello);
}

/* The next message. Errors: TIME_OUT, CONNECTION_RESET, CONNECTION_ABORTED, NO_MEMORY. */
static doca_error_t hear(struct attempt *attempt, struct chan_message *message)
{
	struct chan_stream *stream = &attempt->service->stream;
	doca_error_t result;

	while ((result = chan_stream_receive(stream, message)) == DOCA_ERROR_AGAIN) {
		short events = POLLIN;

		if (chan_stream_is_sending(stream))
			events |= POLLOUT;
		result = wait_for(attempt->deadline_ms, stream->fd, events);
		if (result == DOCA_SUCCESS)
			result = chan_stream_flush(stream);
		if (result != DOCA_SUCCESS && result != DOCA_ERROR_CONNECTION_RESET)
			break;
	}
	return result;
}

static doca_error_t fail_foreign(const struct attempt *attempt)
{
	DOCA_LOG_ERR("%s is no UROM daemon: it speaks something else; check host and port in the "
		     "service file",
		     attempt->peer);
	return DOCA_ERROR_CONNECTION_ABORTED;
}

/* The daemon's word, unless the caller of a start would take it for something else than a failure.
 */
static doca_error_t error_of_refusal(uint32_t told)
{
	static const doca_error_t others[] = { DOCA_SUCCESS, DOCA_ERROR_AGAIN,
					       DOCA_ERROR_IN_PROGRESS,
					       DOCA_ERROR_CONNECTION_INPROGRESS };

	for (size_t i = 0; i < CORE_ARRAY_LEN(others); i++) {
		if (told == others[i])
			return DOCA_ERROR_CONNECTION_ABORTED;
	}
	return told <= DOCA_ERROR_SKIPPED ? (doca_error_t)told : DOCA_ERROR_CONNECTION_ABORTED;
}

static doca_error_t take_refusal(const struct attempt *attempt, const struct chan_message *message)
{
	struct wire_preamble preamble;
	struct wire_refused refused;
	const char *lack;

	/* What versions have in common comes first: the rest may be one that this side cannot read.
	 */
	if (message->len < WIRE_PREAMBLE_SIZE ||
	    wire_decode(&wire_preamble_message, message->body, WIRE_PREAMBLE_SIZE, &preamble) !=
		WIRE_OK ||
	    preamble.magic != WIRE_MAGIC)
		return fail_foreign(attempt);
	if (preamble.version_min > WIRE_VERSION_MAX || preamble.version_max < WIRE_VERSION_MIN) {
		DOCA_LOG_ERR("%s speaks versions %u to %u of the protocol, this library %u to %u; "
			     "one of them must be replaced",
			     attempt->peer, preamble.version_min, preamble.version_max,
			     WIRE_VERSION_MIN, WIRE_VERSION_MAX);
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	if (chan_message_decode(message, &refused) != DOCA_SUCCESS)
		return fail_foreign(attempt);
	lack = refused.error == DOCA_ERROR_AUTHENTICATION ? attempt->auth.lack.text : "";
	DOCA_LOG_ERR("%s refuses this host: %.*s (%s)%s%s", attempt->peer, (int)refused.reason.len,
		     (const char *)refused.reason.data,
		     doca_error_get_name((doca_error_t)refused.error), lack[0] != '\0' ? "; " : "",
		     lack);
	return error_of_refusal(refused.error);
}

static doca_error_t take_welcome(struct attempt *attempt, const struct chan_message *message)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	doca_error_t result;

	if (getpeername(attempt->service->stream.fd, (struct sockaddr *)&address, &len) != 0)
		address.ss_family =
		    AF_UNSPEC; /* it has just hung up; then it is none of this machine */
	result = uromh_auth_check_welcome(&attempt->auth, attempt->peer,
					  (const struct sockaddr *)&address);
	if (result != DOCA_SUCCESS)
		return result;
	return uromh_service_take_welcome(attempt->service, message);
}

/* The next message; sent: how sending the last one went. */
static doca_error_t hear_answer(struct attempt *attempt, doca_error_t sent,
				struct chan_message *message)
{
	doca_error_t result = sent;

	/* A peer that hangs up may have said why. */
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_CONNECTION_RESET)
		result = hear(attempt, message);
	switch (result) {
	case DOCA_SUCCESS:
		attempt->has_heard = true;
		return DOCA_SUCCESS;
	case DOCA_ERROR_TIME_OUT:
		return fail_timeout(attempt, "takes the connection, but does not answer");
	case DOCA_ERROR_CONNECTION_ABORTED:
		return fail_foreign(attempt);
	case DOCA_ERROR_CONNECTION_RESET:
		DOCA_LOG_ERR("%s hangs up %s; the daemon's log says why", attempt->peer,
			     attempt->has_heard ? "in the middle of the handshake"
						: "before it has said a word");
		return DOCA_ERROR_NOT_CONNECTED;
	default:
		DOCA_LOG_ERR("%s: the handshake cannot go on: %s; start the service again when "
			     "this machine has room",
			     attempt->peer, doca_error_get_descr(result));
		return result;
	}
}

/* message: the challenge, and then what comes after the answer. */
static doca_error_t answer_challenge(struct attempt *attempt, struct chan_message *message)
{
	struct chan_stream *stream = &attempt->service->stream;
	struct wire_challenge challenge;
	uint8_t bytes[WIRE_MAX_PROOF];
	struct wire_proof proof = { .proof.data = bytes };
	doca_error_t result;

	if (chan_message_decode(message, &challenge) != DOCA_SUCCESS ||
	    challenge.magic != WIRE_MAGIC || challenge.version < WIRE_VERSION_MIN ||
	    challenge.version > WIRE_VERSION_MAX)
		return fail_foreign(attempt);
	result =
	    uromh_auth_answer(&attempt->auth, &challenge, attempt->peer, bytes, &proof.proof.len);
	if (result != DOCA_SUCCESS)
		return result;
	result = chan_stream_send(stream, WIRE_PROOF, uromh_service_next_exchange(attempt->service),
				  &proof);
	return hear_answer(attempt, result, message);
}

static doca_error_t shake_hands(struct attempt *attempt)
{
	struct chan_message message;
	doca_error_t result = hear_answer(attempt, say_hello(attempt), &message);

	if (result == DOCA_SUCCESS && message.type == WIRE_CHALLENGE)
		result = answer_challenge(attempt, &message);
	if (result != DOCA_SUCCESS)
		return result;
	switch (message.type) {
	case WIRE_WELCOME:
		return take_welcome(attempt, &message);
	case WIRE_REFUSED:
		return take_refusal(attempt, &message);
	default:
		return fail_foreign(attempt);
	}
}

static doca_error_t connect_and_shake_hands(struct attempt *attempt)
{
	struct uromh_addresses addresses;
	doca_error_t result = resolve(attempt, &addresses);

	if (result == DOCA_SUCCESS)
		result = connect_to(attempt, &addresses);
	return result == DOCA_SUCCESS ? shake_hands(attempt) : result;
}

doca_error_t uromh_service_connect(struct doca_urom_service *service)
{
	struct attempt attempt = { .service = service,
				   .deadline_ms = core_now_ms() + UROMH_START_TIMEOUT_MS };
	doca_error_t result;

	result = uromh_service_file_find(doca_dev_as_devinfo(service->dev), &service->location);
	if (result != DOCA_SUCCESS)
		return result;
	result = uromh_auth_init(&attempt.auth, attempt.deadline_ms);
	if (result == DOCA_SUCCESS)
		result = connect_and_shake_hands(&attempt);
	uromh_auth_fini(&attempt.auth);
	if (result != DOCA_SUCCESS)
		uromh_stream_close(service);
	return result;
}
