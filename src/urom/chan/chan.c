/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <string.h>

#include "urom/chan/chan_address.h"
#include "urom/wire/wire_frame.h"
#include "urom/wire/wire_messages.h"

/*
 * An address: the kind, 4 or 6, the port in network order, then the bytes of the IP address. The
 * pair's is a port on no network.
 */
#define ADDR_HEAD 4

doca_error_t chan_open(enum chan_kind kind, const struct chan_config *config, struct chan **chan)
{
	doca_error_t result;

	assert(config->max_body <= WIRE_MAX_BODY);
	if ((unsigned int)kind >= CHAN_NUM_KINDS || chan_kinds[kind] == NULL)
		return DOCA_ERROR_NOT_SUPPORTED;
	result = chan_kinds[kind]->open(config, chan);
	if (result != DOCA_SUCCESS)
		return result;
	(*chan)->ops = chan_kinds[kind];
	(*chan)->handler = config->handler;
	(*chan)->arg = config->arg;
	(*chan)->max_body = config->max_body;
	return DOCA_SUCCESS;
}

void chan_close(struct chan *chan)
{
	if (chan != NULL)
		chan->ops->close(chan);
}

doca_error_t chan_listen(struct chan *chan, const struct sockaddr *ip)
{
	struct sockaddr_storage addr;
	struct sockaddr_in *v4 = (void *)&addr;
	struct sockaddr_in6 *v6 = (void *)&addr;
	socklen_t len = chan_address_len(ip);

	if (len == 0)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(&addr, ip, len);
	if (ip->sa_family == AF_INET)
		v4->sin_port = 0;
	else
		v6->sin6_port = 0;
	return chan->ops->listen(chan, (const struct sockaddr *)&addr);
}

doca_error_t chan_get_address(struct chan *chan, void *addr, size_t *len)
{
	struct sockaddr_storage bound;
	const struct sockaddr_in *v4 = (const void *)&bound;
	const struct sockaddr_in6 *v6 = (const void *)&bound;
	uint8_t *bytes = addr;
	doca_error_t result = chan->ops->get_address(chan, &bound);

	if (result != DOCA_SUCCESS)
		return result;
	for (unsigned int kind = 0; kind < CHAN_NUM_KINDS; kind++) {
		if (chan_kinds[kind] == chan->ops)
			bytes[0] = (uint8_t)kind;
	}
	if (bound.ss_family == AF_INET) {
		bytes[1] = 4;
		memcpy(bytes + 2, &v4->sin_port, 2);
		memcpy(bytes + ADDR_HEAD, &v4->sin_addr, 4);
		*len = ADDR_HEAD + 4;
	} else {
		bytes[1] = 6;
		memcpy(bytes + 2, &v6->sin6_port, 2);
		memcpy(bytes + ADDR_HEAD, &v6->sin6_addr, 16);
		*len = ADDR_HEAD + 16;
	}
	return DOCA_SUCCESS;
}

const char *chan_get_address_text(struct chan *chan, char *text)
{
	struct sockaddr_storage bound = { .ss_family = AF_UNSPEC };

	/* On failure it is the text for an address of no family. */
	(void)chan->ops->get_address(chan, &bound);
	return chan_address_text((const struct sockaddr *)&bound, text);
}

enum chan_kind chan_address_kind(const void *addr, size_t len)
{
	const uint8_t *bytes = addr;

	if (len == 0 || bytes[0] >= CHAN_NUM_KINDS || chan_kinds[bytes[0]] == NULL)
		return CHAN_NUM_KINDS;
	return (enum chan_kind)bytes[0];
}

/* 0: it is none. */
static socklen_t addr_decode(const uint8_t *bytes, size_t len, struct sockaddr_storage *addr)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)addr;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)addr;

	memset(addr, 0, sizeof(*addr));
	if (len == ADDR_HEAD + 4 && bytes[1] == 4) {
		v4->sin_family = AF_INET;
		memcpy(&v4->sin_port, bytes + 2, 2);
		memcpy(&v4->sin_addr, bytes + ADDR_HEAD, 4);
		return sizeof(*v4);
	}
	if (len == ADDR_HEAD + 16 && bytes[1] == 6) {
		v6->sin6_family = AF_INET6;
		memcpy(&v6->sin6_port, bytes + 2, 2);
		memcpy(&v6->sin6_addr, bytes + ADDR_HEAD, 16);
		return sizeof(*v6);
	}
	return 0;
}

bool chan_address_is_local(const void *addr, size_t len)
{
	struct sockaddr_storage peer;

	return addr_decode(addr, len, &peer) > 0 &&
	       chan_address_is_loopback((const struct sockaddr *)&peer);
}

doca_error_t chan_connect(struct chan *chan, const void *addr, size_t len, struct chan_conn **conn)
{
	enum chan_kind kind = chan_address_kind(addr, len);
	struct sockaddr_storage peer;
	socklen_t peer_len;

	if (kind == CHAN_NUM_KINDS || chan_kinds[kind] != chan->ops)
		return DOCA_ERROR_INVALID_VALUE;
	peer_len = addr_decode(addr, len, &peer);
	if (peer_len == 0)
		return DOCA_ERROR_INVALID_VALUE;
	return chan->ops->connect(chan, (const struct sockaddr *)&peer, peer_len, conn);
}

doca_error_t chan_send(struct chan_conn *conn, uint16_t type, uint64_t id, const void *record)
{
	const struct wire_message *message = wire_message_find(type);

	assert(message != NULL);
	return conn->chan->ops->send(conn, message, id, record);
}

void chan_disconnect(struct chan_conn *conn)
{
	conn->chan->ops->disconnect(conn);
}

int chan_get_fd(struct chan *chan)
{
	return chan->ops->get_fd(chan);
}

bool chan_arm(struct chan *chan)
{
	return chan->ops->arm(chan);
}

const char *chan_get_transport(struct chan_conn *conn)
{
	return conn->chan->ops->get_transport(conn);
}
