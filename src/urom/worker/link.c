/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/link.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <doca_log.h>
#include <doca_version.h>

#include "core/clock.h"
#include "urom/worker/attach.h"
#include "urom/worker/files.h"
#include "urom/worker/worker.h"

DOCA_LOG_REGISTER(UROM_WORKER::LINK);

#define NS_A_MS UINT64_C(1000000)

/* How long the last words of a worker may take. */
#define LAST_WORDS_MS 1000

/* --- Handshake --- */

/* False: the time is over, or the descriptor cannot be waited for. */
static bool wait_for(const struct chan_stream *stream, short events, uint64_t deadline_ns)
{
	struct pollfd watched = { .fd = stream->fd, .events = events };
	int ready;

	do {
		const uint64_t now_ns = core_now_ns();

		if (now_ns >= deadline_ns)
			return false;
		ready = poll(&watched, 1, (int)((deadline_ns - now_ns + NS_A_MS - 1) / NS_A_MS));
	} while (ready < 0 && errno == EINTR);
	return ready > 0;
}

static doca_error_t lost(struct uromw_failure *failure, doca_error_t result)
{
	if (result == DOCA_ERROR_CONNECTION_RESET)
		result = DOCA_ERROR_NOT_CONNECTED;
	return uromw_failure_set(failure, result, "the control path to the daemon is lost: %s",
				 doca_error_get_name(result));
}

static doca_error_t say_hello(struct uromw_worker *worker, struct uromw_failure *failure)
{
	char host[WIRE_MAX_HOST + 1] = "";
	struct wire_hello hello = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = WIRE_ROLE_WORKER,
		.is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.pointer_bits = 8 * sizeof(void *),
		.auth = WIRE_AUTH_NONE,
		.api_version = (uint32_t)DOCA_VERSION_EXACT,
		.max_message = worker->options.max_message,
	};
	doca_error_t result;

	/* Without a name the hello is as good. */
	if (gethostname(host, sizeof(host) - 1) != 0)
		host[0] = '\0';
	hello.host = (struct wire_bytes){ host, (uint32_t)strlen(host) };
	result = chan_stream_send(&worker->control, WIRE_HELLO, 0, &hello);
	return result == DOCA_SUCCESS ? DOCA_SUCCESS : lost(failure, result);
}

static doca_error_t take_refusal(const struct chan_message *message, struct uromw_failure *failure)
{
	struct wire_refused refused;

	if (chan_message_decode(message, &refused) != DOCA_SUCCESS)
		return lost(failure, DOCA_ERROR_CONNECTION_ABORTED);
	return uromw_failure_set(failure,
				 refused.error != DOCA_SUCCESS ? (doca_error_t)refused.error
							       : DOCA_ERROR_UNEXPECTED,
				 "the daemon refuses this worker: %.*s", (int)refused.reason.len,
				 (const char *)refused.reason.data);
}

static doca_error_t take_welcome(const struct chan_message *message, struct uromw_failure *failure)
{
	struct wire_welcome welcome;

	if (message->type == WIRE_REFUSED)
		return take_refusal(message, failure);
	if (message->type != WIRE_WELCOME ||
	    chan_message_decode(message, &welcome) != DOCA_SUCCESS || welcome.magic != WIRE_MAGIC)
		return lost(failure, DOCA_ERROR_CONNECTION_ABORTED);
	if (welcome.version < WIRE_VERSION_MIN || welcome.version > WIRE_VERSION_MAX)
		return uromw_failure_set(failure, DOCA_ERROR_UNSUPPORTED_VERSION,
					 "the daemon speaks version %u of the protocol, this "
					 "worker %u to %u",
					 welcome.version, WIRE_VERSION_MIN, WIRE_VERSION_MAX);
	return DOCA_SUCCESS;
}

doca_error_t uromw_link_open(struct uromw_worker *worker, struct uromw_failure *failure)
{
	const uint64_t deadline_ns = core_now_ns() + UROMW_HANDSHAKE_MS * NS_A_MS;
	struct chan_message message;
	doca_error_t result;

	chan_stream_init(&worker->control, worker->options.control_fd);
	worker->control.max_out = UROMW_MAX_CONTROL;
	result = say_hello(worker, failure);
	if (result != DOCA_SUCCESS)
		return result;
	while ((result = chan_stream_receive(&worker->control, &message)) == DOCA_ERROR_AGAIN) {
		if (!wait_for(&worker->control, POLLIN, deadline_ns))
			return uromw_failure_set(failure, DOCA_ERROR_TIME_OUT,
						 "the daemon has not answered within %d ms",
						 UROMW_HANDSHAKE_MS);
	}
	if (result != DOCA_SUCCESS)
		return lost(failure, result);
	return take_welcome(&message, failure);
}

/* --- Readiness --- */

static struct wire_plugin_addr plugin_addr(const struct uromw_plugin *plugin)
{
	return (struct wire_plugin_addr){
		.id = plugin->id,
		.addr = { plugin->addr, (uint32_t)plugin->addr_len },
	};
}

/* The addresses of the plugins, one behind the other. data: owned. */
static doca_error_t make_addrs(const struct uromw_worker *worker, struct wire_bytes *addrs,
			       uint8_t **data)
{
	size_t size = 0, len;

	for (unsigned int i = 0; i < worker->num_plugins; i++) {
		const struct wire_plugin_addr addr = plugin_addr(&worker->plugins[i]);

		size += wire_encoded_size(&wire_plugin_addr_message, &addr);
	}
	if (size > WIRE_MAX_LIST)
		return DOCA_ERROR_TOO_BIG;
	*data = malloc(size > 0 ? size : 1);
	if (*data == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*addrs = (struct wire_bytes){ *data, 0 };
	for (unsigned int i = 0; i < worker->num_plugins; i++) {
		const struct wire_plugin_addr addr = plugin_addr(&worker->plugins[i]);

		/* It fits: it was counted, and each address is within its limit. */
		if (wire_encode(&wire_plugin_addr_message, &addr, *data + addrs->len,
				size - addrs->len, &len) == WIRE_OK)
			addrs->len += (uint32_t)len;
	}
	return DOCA_SUCCESS;
}

doca_error_t uromw_link_ready(struct uromw_worker *worker, struct uromw_failure *failure)
{
	uint8_t channel_addr[CHAN_MAX_ADDR], *data;
	struct wire_worker_ready ready = { .pid = (uint64_t)getpid() };
	size_t len;
	doca_error_t result = chan_get_address(worker->chan, channel_addr, &len);

	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result, "the channel has no address: %s",
					 doca_error_get_name(result));
	ready.channel_addr = (struct wire_bytes){ channel_addr, (uint32_t)len };
	result = make_addrs(worker, &ready.plugin_addrs, &data);
	if (result != DOCA_SUCCESS)
		return uromw_failure_set(failure, result,
					 "the addresses of the plugins cannot be told: %s",
					 doca_error_get_name(result));
	result = chan_stream_send(&worker->control, WIRE_WORKER_READY, 0, &ready);
	free(data);
	return result == DOCA_SUCCESS ? DOCA_SUCCESS : lost(failure, result);
}

void uromw_link_fail(struct uromw_worker *worker, const struct uromw_failure *failure)
{
	const uint64_t deadline_ns = core_now_ns() + LAST_WORDS_MS * NS_A_MS;
	const struct wire_failure failed = {
		.error = failure->error,
		.reason = { failure->text, (uint32_t)strlen(failure->text) },
	};
	doca_error_t result = chan_stream_send(&worker->control, WIRE_WORKER_FAILED, 0, &failed);

	while (result == DOCA_SUCCESS && chan_stream_is_sending(&worker->control) &&
	       wait_for(&worker->control, POLLOUT, deadline_ns))
		result = chan_stream_flush(&worker->control);
}

/* --- What the daemon asks for --- */

static void end_for(struct uromw_worker *worker, enum uromw_exit status)
{
	worker->is_ending = true;
	worker->status = status;
}

/* Those who may still attach need what is left, too. */
static doca_error_t check_files(const struct uromw_worker *worker, struct uromw_failure *failure)
{
	const uint64_t num_hosts = 1 + uromw_conns_count_awaited(&worker->conns, core_now_ns());
	const uint64_t needed = UROMW_SPARE_FILES + num_hosts * UROMW_FILES_PER_HOST;
	struct uromw_files files;

	uromw_files_count(&files);
	if (files.left >= needed)
		return DOCA_SUCCESS;
	return uromw_failure_set(failure, DOCA_ERROR_FULL,
				 "of its %" PRIu64 " descriptors %" PRIu64 " are left, of %" PRIu64
				 " that it needs",
				 files.max, files.left, needed);
}

/* The host that it is for is not let in; the others stay. id: of the ticket's message. */
static doca_error_t refuse_ticket(struct uromw_worker *worker, uint64_t id,
				  const struct uromw_failure *failure, bool lacks_files)
{
	const struct wire_ticket_refused refused = {
		.error = failure->error,
		.lacks_files = lacks_files,
		.reason = { failure->text, (uint32_t)strlen(failure->text) },
	};

	DOCA_LOG_WARN("one more host is not let in: %s", failure->text);
	return chan_stream_send(&worker->control, WIRE_TICKET_REFUSED, id, &refused);
}

static doca_error_t on_ticket(struct uromw_worker *worker, const struct chan_message *message)
{
	const struct wire_empty known = { 0 };
	struct uromw_failure failure;
	struct wire_ticket ticket;
	doca_error_t result = chan_message_decode(message, &ticket);

	if (result != DOCA_SUCCESS)
		return result;
	if (ticket.version < WIRE_VERSION_MIN || ticket.version > WIRE_VERSION_MAX ||
	    ticket.max_message > worker->options.max_message)
		return DOCA_ERROR_CONNECTION_ABORTED;
	result = check_files(worker, &failure);
	if (result != DOCA_SUCCESS)
		return refuse_ticket(worker, message->id, &failure, true);
	result = uromw_conns_add_host(&worker->conns, &ticket, core_now_ns());
	if (result == DOCA_ERROR_FULL || result == DOCA_ERROR_NO_MEMORY) {
		(void)uromw_failure_set(&failure, result, "%s",
					result == DOCA_ERROR_FULL ? "it has as many as it can have"
								  : "it has no memory left");
		return refuse_ticket(worker, message->id, &failure, false);
	}
	if (result != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	DOCA_LOG_DBG("host %" PRIu64 " (%s) may attach", ticket.connection,
		     uromw_conns_find_host(&worker->conns, ticket.connection)->name);
	return chan_stream_send(&worker->control, WIRE_TICKET_KNOWN, message->id, &known);
}

static doca_error_t on_ticket_void(struct uromw_worker *worker, const struct chan_message *message)
{
	struct wire_ticket_void gone;
	struct uromw_host *host;
	doca_error_t result = chan_message_decode(message, &gone);

	if (result != DOCA_SUCCESS)
		return result;
	host = uromw_conns_find_host(&worker->conns, gone.connection);
	if (host == NULL)
		return DOCA_SUCCESS;
	DOCA_LOG_INFO("host %" PRIu64 ": gone; %u commands were outstanding", gone.connection,
		      host->num_outstanding);
	uromw_attach_forget(worker, host);
	return DOCA_SUCCESS;
}

static doca_error_t on_shutdown(struct uromw_worker *worker, const struct chan_message *message)
{
	struct wire_empty nothing;
	doca_error_t result = chan_message_decode(message, &nothing);

	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("the daemon asks for the end");
	end_for(worker, UROMW_EXIT_ENDED);
	return DOCA_SUCCESS;
}

static const struct row {
	uint16_t type;
	doca_error_t (*receive)(struct uromw_worker *worker, const struct chan_message *message);
} rows[] = {
	{ WIRE_TICKET, on_ticket },
	{ WIRE_TICKET_VOID, on_ticket_void },
	{ WIRE_SHUTDOWN, on_shutdown },
};

static doca_error_t receive(struct uromw_worker *worker, const struct chan_message *message)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		if (rows[i].type == message->type)
			return rows[i].receive(worker, message);
	}
	return DOCA_ERROR_CONNECTION_ABORTED;
}

void uromw_link_progress(struct uromw_worker *worker)
{
	struct chan_message message;
	doca_error_t result = chan_stream_flush(&worker->control);

	/* What the daemon has said before it went still counts. */
	if (result == DOCA_ERROR_CONNECTION_RESET)
		result = DOCA_SUCCESS;
	while (result == DOCA_SUCCESS && !worker->is_ending) {
		message = (struct chan_message){ 0 };
		result = chan_stream_receive(&worker->control, &message);
		if (result == DOCA_SUCCESS)
			result = receive(worker, &message);
	}
	if (result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN)
		return;
	if (result == DOCA_ERROR_CONNECTION_RESET) {
		DOCA_LOG_INFO("the daemon has closed the control path");
		end_for(worker, UROMW_EXIT_ENDED);
		return;
	}
	DOCA_LOG_ERR("the control path is given up over a message %s: %s",
		     chan_message_name(&message), doca_error_get_name(result));
	end_for(worker, UROMW_EXIT_FAILED);
}

void uromw_link_tell_deaf(struct uromw_worker *worker, uint64_t connection)
{
	const struct wire_host_deaf deaf = { .connection = connection };

	/* That the daemon is gone is seen elsewhere. */
	(void)chan_stream_send(&worker->control, WIRE_HOST_DEAF, 0, &deaf);
}

void uromw_link_close(struct uromw_worker *worker)
{
	chan_stream_fini(&worker->control);
}
