/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/conns.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "urom/worker/limits.h"

DOCA_LOG_REGISTER(UROM_WORKER::CONNS);

#define NS_A_MS UINT64_C(1000000)

/* What a connection may be in each state for; 0: for ever. */
static const uint64_t allowed_ms[] = {
	[UROMW_CONN_GUEST] = UROMW_ATTACH_MS,
	[UROMW_CONN_ATTACHED] = 0,
	[UROMW_CONN_DETACHED] = UROMW_DETACH_MS,
	[UROMW_CONN_REFUSED] = UROMW_REFUSED_MS,
};
_Static_assert(CORE_ARRAY_LEN(allowed_ms) == UROMW_CONN_NUM_STATES, "a state without a bound");

static bool is_stranger(const struct uromw_conn *conn)
{
	return conn->state == UROMW_CONN_GUEST || conn->state == UROMW_CONN_REFUSED;
}

/* --- Connections in general --- */

/* Puts it where its state belongs. */
static void enter(struct uromw_conns *conns, struct uromw_conn *conn, enum uromw_conn_state state,
		  uint64_t now_ns)
{
	conn->state = state;
	if (is_stranger(conn))
		conns->num_guests++;
	if (allowed_ms[state] == 0)
		return;
	conn->deadline_ns = now_ns + allowed_ms[state] * NS_A_MS;
	LIST_INSERT_HEAD(&conns->waiting, conn, entry);
	conns->num_waiting++;
}

static void leave(struct uromw_conns *conns, struct uromw_conn *conn)
{
	if (is_stranger(conn))
		conns->num_guests--;
	if (allowed_ms[conn->state] == 0)
		return;
	LIST_REMOVE(conn, entry);
	conns->num_waiting--;
}

void uromw_conns_remove(struct uromw_conns *conns, struct uromw_conn *conn)
{
	leave(conns, conn);
	if (conn->host != NULL)
		conn->host->conn = NULL;
	free(conn);
}

static void disconnect(struct uromw_conns *conns, struct uromw_conn *conn)
{
	chan_disconnect(conn->chan_conn);
	uromw_conns_remove(conns, conn);
}

/* Of those that wait at least one is a stranger's. */
static struct uromw_conn *find_oldest_stranger(struct uromw_conns *conns)
{
	struct uromw_conn *conn, *oldest = NULL;

	LIST_FOREACH(conn, &conns->waiting, entry)
	{
		if (is_stranger(conn) &&
		    (oldest == NULL || conn->deadline_ns < oldest->deadline_ns))
			oldest = conn;
	}
	assert(oldest != NULL);
	return oldest;
}

doca_error_t uromw_conns_add(struct uromw_conns *conns, struct chan_conn *chan_conn,
			     uint64_t now_ns)
{
	struct uromw_conn *conn = calloc(1, sizeof(*conn));

	if (conn == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (conns->num_guests >= UROMW_MAX_GUESTS)
		disconnect(conns, find_oldest_stranger(conns));
	conn->chan_conn = chan_conn;
	chan_conn->user = conn;
	enter(conns, conn, UROMW_CONN_GUEST, now_ns);
	return DOCA_SUCCESS;
}

void uromw_conns_retire(struct uromw_conns *conns, struct uromw_conn *conn,
			enum uromw_conn_state state, uint64_t now_ns)
{
	assert(allowed_ms[state] > 0);
	leave(conns, conn);
	enter(conns, conn, state, now_ns);
}

uint64_t uromw_conns_expire(struct uromw_conns *conns, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	struct uromw_conn *conn, *next;

	for (conn = LIST_FIRST(&conns->waiting); conn != NULL; conn = next) {
		next = LIST_NEXT(conn, entry);
		if (conn->deadline_ns > now_ns) {
			if (conn->deadline_ns < next_ns)
				next_ns = conn->deadline_ns;
			continue;
		}
		if (conn->state == UROMW_CONN_GUEST)
			DOCA_LOG_DBG("a connection has shown no ticket for %d ms, and is ended",
				     UROMW_ATTACH_MS);
		disconnect(conns, conn);
	}
	return next_ns;
}

/* --- Hosts --- */

/* The name is a stranger's word, and the log is no place for control characters. */
static void set_name(struct uromw_host *host, const struct wire_bytes *name)
{
	const char *text = name->data;

	for (uint32_t i = 0; i < name->len && i < WIRE_MAX_HOST; i++)
		host->name[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
}

doca_error_t uromw_conns_add_host(struct uromw_conns *conns, const struct wire_ticket *ticket,
				  uint64_t now_ns)
{
	struct uromw_host *host;

	if (uromw_conns_find_host(conns, ticket->connection) != NULL)
		return DOCA_ERROR_ALREADY_EXIST;
	if (ticket->max_message < UROMW_MIN_MESSAGE)
		return DOCA_ERROR_INVALID_VALUE;
	if (conns->num_hosts >= UROMW_MAX_HOSTS)
		return DOCA_ERROR_FULL;
	host = calloc(1, sizeof(*host));
	if (host == NULL)
		return DOCA_ERROR_NO_MEMORY;
	host->connection = ticket->connection;
	host->max_message = ticket->max_message;
	host->has_ticket = true;
	host->ticket_end_ns = now_ns + UROMW_TICKET_MS * NS_A_MS;
	memcpy(host->ticket, ticket->ticket, sizeof(host->ticket));
	set_name(host, &ticket->host);
	LIST_INSERT_HEAD(&conns->hosts, host, entry);
	conns->num_hosts++;
	return DOCA_SUCCESS;
}

unsigned int uromw_conns_count_awaited(const struct uromw_conns *conns, uint64_t now_ns)
{
	const struct uromw_host *host;
	unsigned int count = 0;

	LIST_FOREACH(host, &conns->hosts, entry)
	count += host->has_ticket && now_ns < host->ticket_end_ns ? 1 : 0;
	return count;
}

struct uromw_host *uromw_conns_find_host(struct uromw_conns *conns, uint64_t connection)
{
	struct uromw_host *host;

	LIST_FOREACH(host, &conns->hosts, entry)
	{
		if (host->connection == connection)
			return host;
	}
	return NULL;
}

/* Parts a host from its connection, which is returned; NULL: it has none. */
static struct uromw_conn *part(struct uromw_host *host)
{
	struct uromw_conn *conn = host->conn;

	host->conn = NULL;
	if (conn != NULL)
		conn->host = NULL;
	return conn;
}

static void free_host(struct uromw_conns *conns, struct uromw_host *host)
{
	LIST_REMOVE(host, entry);
	conns->num_hosts--;
	explicit_bzero(host->ticket, sizeof(host->ticket));
	free(host);
}

void uromw_conns_remove_host(struct uromw_conns *conns, struct uromw_host *host)
{
	struct uromw_conn *conn = part(host);

	assert(host->num_outstanding == 0);
	if (conn != NULL)
		disconnect(conns, conn);
	free_host(conns, host);
}

/* In a time that does not tell how much of it is right. */
static bool is_same_ticket(const uint8_t *one, const uint8_t *other)
{
	unsigned int difference = 0;

	for (size_t i = 0; i < WIRE_TICKET_SIZE; i++)
		difference |= one[i] ^ other[i];
	return difference == 0;
}

static void void_ticket(struct uromw_host *host)
{
	host->has_ticket = false;
	explicit_bzero(host->ticket, sizeof(host->ticket));
}

doca_error_t uromw_conns_attach(struct uromw_conns *conns, struct uromw_conn *conn,
				const struct wire_attach *attach, uint64_t now_ns)
{
	struct uromw_host *host = uromw_conns_find_host(conns, attach->connection);

	if (host != NULL && host->has_ticket && now_ns >= host->ticket_end_ns)
		void_ticket(host);
	if (host == NULL || !host->has_ticket || !is_same_ticket(host->ticket, attach->ticket))
		return DOCA_ERROR_AUTHENTICATION;
	void_ticket(host);
	host->conn = conn;
	leave(conns, conn);
	conn->host = host;
	enter(conns, conn, UROMW_CONN_ATTACHED, 0);
	return DOCA_SUCCESS;
}

void uromw_conns_fini(struct uromw_conns *conns)
{
	struct uromw_host *host, *next_host;
	struct uromw_conn *conn, *next_conn;

	for (host = LIST_FIRST(&conns->hosts); host != NULL; host = next_host) {
		next_host = LIST_NEXT(host, entry);
		conn = part(host);
		if (conn != NULL)
			uromw_conns_remove(conns, conn);
		free_host(conns, host);
	}
	for (conn = LIST_FIRST(&conns->waiting); conn != NULL; conn = next_conn) {
		next_conn = LIST_NEXT(conn, entry);
		uromw_conns_remove(conns, conn);
	}
}
