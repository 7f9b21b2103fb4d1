/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/chan/chan_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/error.h"
#include "core/export.h"

#define BACKLOG         512
#define USER_TIMEOUT_MS 10000

/* An idle connection is asked about from half of that time on; without a user timeout, so often. */
#define KEEPALIVE_IDLE_S     5
#define KEEPALIVE_INTERVAL_S 1
#define KEEPALIVE_COUNT      5

static doca_error_t parse_port(const char *text, uint16_t *port)
{
	char *end;
	unsigned long value;

	if (*text < '0' || *text > '9')
		return DOCA_ERROR_INVALID_VALUE;
	value = strtoul(text, &end, 10);
	if (*end != '\0' || value > UINT16_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	*port = (uint16_t)value;
	return DOCA_SUCCESS;
}

doca_error_t chan_address_split(const char *text, char *host, size_t size, uint16_t *port)
{
	const char *colon = strchr(text, ':');
	const char *from = text, *to = text + strlen(text);
	const char *port_text = NULL;
	uint16_t found = *port;

	if (*text == '[') {
		from = text + 1;
		to = strchr(from, ']');
		if (to == NULL || (to[1] != '\0' && to[1] != ':'))
			return DOCA_ERROR_INVALID_VALUE;
		port_text = to[1] == ':' ? to + 2 : NULL;
	} else if (colon != NULL && strchr(colon + 1, ':') == NULL) {
		to = colon;
		port_text = colon + 1;
	}
	if (to == from || (size_t)(to - from) >= size)
		return DOCA_ERROR_INVALID_VALUE;
	if (port_text != NULL && parse_port(port_text, &found) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	memcpy(host, from, (size_t)(to - from));
	host[to - from] = '\0';
	*port = found;
	return DOCA_SUCCESS;
}

const char *chan_address_text(const struct sockaddr *addr, char *text)
{
	const struct sockaddr_in *v4 = (const void *)addr;
	const struct sockaddr_in6 *v6 = (const void *)addr;
	char ip[INET6_ADDRSTRLEN];

	if (addr->sa_family == AF_INET && inet_ntop(AF_INET, &v4->sin_addr, ip, sizeof(ip)) != NULL)
		(void)snprintf(text, CHAN_ADDR_TEXT, "%s:%u", ip, ntohs(v4->sin_port));
	else if (addr->sa_family == AF_INET6 &&
		 inet_ntop(AF_INET6, &v6->sin6_addr, ip, sizeof(ip)) != NULL)
		(void)snprintf(text, CHAN_ADDR_TEXT, "[%s]:%u", ip, ntohs(v6->sin6_port));
	else
		(void)snprintf(text, CHAN_ADDR_TEXT, "?");
	return text;
}

bool chan_address_is_loopback(const struct sockaddr *addr)
{
	const struct sockaddr_in *v4 = (const void *)addr;
	const struct sockaddr_in6 *v6 = (const void *)addr;
	const uint8_t *ip = v6->sin6_addr.s6_addr;

	if (addr->sa_family == AF_INET)
		return (ntohl(v4->sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
	if (addr->sa_family != AF_INET6)
		return false;
	/* A v4 peer of a v6 socket comes as ::ffff:127.0.0.1. */
	return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
	       (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) && ip[12] == IN_LOOPBACKNET);
}

socklen_t chan_address_len(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET)
		return sizeof(struct sockaddr_in);
	return addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : 0;
}

void chan_address_tune(int fd)
{
	static const struct {
		int level;
		int name;
		int value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS },
	};

	/* Refused by what is no TCP socket, which then needs none of them. */
	for (size_t i = 0; i < CORE_ARRAY_LEN(options); i++)
		(void)setsockopt(fd, options[i].level, options[i].name, &options[i].value,
				 sizeof(options[i].value));
}

void chan_address_tolerate_unread(int fd)
{
	const int none = 0;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &none, sizeof(none));
}

bool chan_address_attend(int fd)
{
	int on_the_way = 0, not_sent = 0;

	if (ioctl(fd, SIOCOUTQ, &on_the_way) != 0 || ioctl(fd, SIOCOUTQNSD, &not_sent) != 0)
		return false; /* no TCP */
	if (on_the_way > 0 && not_sent == on_the_way)
		chan_address_tolerate_unread(fd);
	else
		chan_address_tune(fd);
	return on_the_way > 0;
}

static doca_error_t fail(int fd)
{
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return core_error_from_errno(err);
}

doca_error_t chan_address_listen(const struct sockaddr *addr, int *fd)
{
	const int on = 1;
	int made = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (made < 0)
		return fail(made);
	if (setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(made, addr, chan_address_len(addr)) != 0 || listen(made, BACKLOG) != 0)
		return fail(made);
	*fd = made;
	return DOCA_SUCCESS;
}

doca_error_t chan_address_connect(const struct sockaddr *addr, int *fd)
{
	int made = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (made < 0)
		return fail(made);
	chan_address_tune(made);
	if (connect(made, addr, chan_address_len(addr)) != 0 && errno != EINPROGRESS)
		return fail(made);
	*fd = made;
	return DOCA_SUCCESS;
}
