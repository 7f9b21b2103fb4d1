/* SPDX-License-Identifier: BSD-3-Clause */
#include "rdma/providers/software/soft.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT::SOCKET);

#define BACKLOG                 1024

#define DEFAULT_CONNECT_WAIT_MS 30000

/* A descriptor and about 20 KiB each; half of the descriptors that a process has by default. */
#define DEFAULT_MAX_INITIATORS 512
#define NS_PER_MS              UINT64_C(1000000)

/*
 * A silent host is dead after about ten seconds. TCP_USER_TIMEOUT is not it: that ends connections
 * as well whose peer answers, but has no room, and a peer that waits for a receive may do so for
 * ever.
 */
#define DEAD_AFTER_MS      10000
#define KEEPALIVE_IDLE_S   4
#define KEEPALIVE_PERIOD_S 2
#define KEEPALIVE_COUNT    3

union address {
	struct sockaddr any;
	struct sockaddr_un un;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* A number of the environment, or what stands for it. */
static uint64_t number_of(const char *name, uint64_t otherwise, uint64_t max)
{
	const char *text = getenv(name);
	char *end = NULL;
	uint64_t value;

	if (text == NULL || *text == '\0')
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno == 0 && *end == '\0' && value <= max)
		return value;
	DOCA_LOG_WARN("%s is no number of at most %llu: it is not used", name,
		      (unsigned long long)max);
	return otherwise;
}

void soft_options_read(struct soft_options *options)
{
	const char *sockets = getenv("DOCA_RDMA_SOCKETS");

	options->has_unix = sockets == NULL || strstr(sockets, "unix") != NULL;
	options->has_tcp = sockets == NULL || strstr(sockets, "tcp") != NULL;
	options->can_pull = sockets == NULL || strstr(sockets, "stream") == NULL;
	options->buffer_bytes = (int)number_of("DOCA_RDMA_SOCKET_BUFFER", 0, 1 << 30);
	options->connect_wait_ns =
	    NS_PER_MS * number_of("DOCA_RDMA_CONNECT_WAIT_MS", DEFAULT_CONNECT_WAIT_MS, UINT32_MAX);
	options->max_initiators =
	    (unsigned int)number_of("DOCA_RDMA_MAX_INITIATORS", DEFAULT_MAX_INITIATORS, UINT16_MAX);
	if (options->has_unix || options->has_tcp)
		return;
	DOCA_LOG_WARN("DOCA_RDMA_SOCKETS has neither unix nor tcp: it is not used");
	options->has_unix = options->has_tcp = options->can_pull = true;
}

static socklen_t unix_address(const uint8_t *name, union address *address)
{
	static const char prefix[] = "openurom-rdma-";
	char *at = address->un.sun_path + 1; /* abstract: the first byte is 0 */

	memset(address, 0, sizeof(*address));
	address->un.sun_family = AF_UNIX;
	memcpy(at, prefix, sizeof(prefix) - 1);
	at += sizeof(prefix) - 1;
	for (size_t i = 0; i < CORE_INSTANCE_SIZE; i++)
		at += sprintf(at, "%02x", name[i]);
	return (socklen_t)(at - (char *)address);
}

static bool is_link_local(const uint8_t *ipv6)
{
	return ipv6[0] == 0xfe && (ipv6[1] & 0xc0) == 0x80;
}

static socklen_t ipv4_address(uint32_t ipv4, uint16_t port, union address *address)
{
	memset(address, 0, sizeof(*address));
	address->in.sin_family = AF_INET;
	address->in.sin_addr.s_addr = htonl(ipv4);
	address->in.sin_port = htons(port);
	return sizeof(address->in);
}

static socklen_t ipv6_address(const uint8_t *ipv6, uint16_t port, const char *iface,
			      union address *address)
{
	memset(address, 0, sizeof(*address));
	address->in6.sin6_family = AF_INET6;
	memcpy(&address->in6.sin6_addr, ipv6, sizeof(address->in6.sin6_addr));
	address->in6.sin6_port = htons(port);
	if (is_link_local(ipv6))
		address->in6.sin6_scope_id = if_nametoindex(iface);
	return sizeof(address->in6);
}

static int listen_at(const union address *address, socklen_t len)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (bind(fd, &address->any, len) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

doca_error_t soft_listen_unix(const uint8_t *name, int *fd)
{
	union address address;
	socklen_t len = unix_address(name, &address);

	*fd = listen_at(&address, len);
	if (*fd >= 0)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("no Unix-domain listener: %s", strerror(errno));
	return DOCA_ERROR_INITIALIZATION;
}

static uint32_t ipv4_of(const struct doca_devinfo *info)
{
	return (uint32_t)info->ipv4[0] << 24 | (uint32_t)info->ipv4[1] << 16 |
	       (uint32_t)info->ipv4[2] << 8 | info->ipv4[3];
}

doca_error_t soft_listen_tcp(const struct doca_rdma *rdma, int *fd, uint16_t *port)
{
	const struct doca_devinfo *info = &rdma->dev->info;
	union address address;
	socklen_t len;

	if (soft_gid_is_ipv6(info, rdma->config.gid_index))
		len = ipv6_address(info->ipv6, 0, info->iface_name, &address);
	else
		len = ipv4_address(ipv4_of(info), 0, &address);
	*fd = listen_at(&address, len);
	len = sizeof(address);
	if (*fd < 0 || getsockname(*fd, &address.any, &len) != 0) {
		DOCA_LOG_ERR("device %s: no TCP listener at its address: %s", info->ibdev_name,
			     strerror(errno));
		return DOCA_ERROR_INITIALIZATION;
	}
	/* The port stands in the same place in both. */
	*port =
	    ntohs(address.any.sa_family == AF_INET ? address.in.sin_port : address.in6.sin6_port);
	return DOCA_SUCCESS;
}

/* An option that the kind of the socket has not is refused, and that is all right. */
static void set_option(int fd, int level, int name, int value)
{
	(void)setsockopt(fd, level, name, &value, sizeof(value));
}

static bool is_same_host(const union address *one, const union address *other)
{
	if (one->any.sa_family != other->any.sa_family)
		return false;
	if (one->any.sa_family == AF_INET)
		return one->in.sin_addr.s_addr == other->in.sin_addr.s_addr;
	return one->any.sa_family == AF_INET6 &&
	       IN6_ARE_ADDR_EQUAL(&one->in6.sin6_addr, &other->in6.sin6_addr);
}

/*
 * Within a machine there is no network to share. Whatever estimates its capacity, and paces what is
 * sent, does nothing there but delay; Reno does neither, and every process may choose it.
 */
static void spare_congestion_control(int fd, const union address *peer)
{
	static const char reno[] = "reno";
	union address own = { .any.sa_family = AF_UNSPEC };
	socklen_t len = sizeof(own);

	if (getsockname(fd, &own.any, &len) == 0 && is_same_host(&own, peer))
		(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, reno, sizeof(reno) - 1);
}

/* The device's own address of that family; 0: it has none, or the family has no devices. */
static socklen_t own_address(const struct doca_devinfo *info, sa_family_t family,
			     union address *address)
{
	if (family == AF_INET && (info->has & CORE_DEV_HAS_IPV4) != 0)
		return ipv4_address(ipv4_of(info), 0, address);
	if (family == AF_INET6 && (info->has & CORE_DEV_HAS_IPV6) != 0)
		return ipv6_address(info->ipv6, 0, info->iface_name, address);
	return 0;
}

/* Lanes come from the device, though the system may know another way to the peer. */
static bool bind_to_device(const struct soft_port *port, int fd, sa_family_t family)
{
	union address own;
	socklen_t len = own_address(&port->rdma->dev->info, family, &own);

	if (len == 0)
		return true;
	set_option(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1); /* the peer's decides on it */
	return bind(fd, &own.any, len) == 0;
}

static int dial_at(const struct soft_port *port, const union address *address, socklen_t len)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err;

	if (fd < 0)
		return -1;
	soft_socket_tune(port, fd);
	if (bind_to_device(port, fd, address->any.sa_family)) {
		spare_congestion_control(fd, address);
		if (connect(fd, &address->any, len) == 0 || errno == EINPROGRESS)
			return fd;
	}
	err = errno;
	close(fd);
	errno = err == EADDRNOTAVAIL ? ENETUNREACH : err; /* that one means something else here */
	return -1;
}

/* Only the processes of one boot, and of one network namespace, reach an abstract socket. */
static bool is_this_host(const struct drdma_conn_record *peer)
{
	static const uint8_t unknown[CORE_INSTANCE_SIZE];
	uint8_t host[CORE_INSTANCE_SIZE];

	soft_host_id(host);
	return memcmp(host, unknown, sizeof(host)) != 0 &&
	       memcmp(host, peer->host, sizeof(host)) == 0;
}

int soft_dial(const struct soft_port *port, const struct drdma_conn_record *peer,
	      unsigned int candidate)
{
	const char *iface = port->rdma->dev->info.iface_name;
	const struct soft_options *now = &port->options;
	union address address;

	errno = ENOENT;
	switch (candidate) {
	case 0:
		if (!now->has_unix || !is_this_host(peer))
			return -1;
		return dial_at(port, &address, unix_address(peer->listener, &address));
	case 1:
		if (!now->has_tcp || peer->port == 0 || (peer->has & CORE_DEV_HAS_IPV4) == 0)
			return -1;
		return dial_at(port, &address, ipv4_address(peer->ipv4, peer->port, &address));
	case 2:
		if (!now->has_tcp || peer->port == 0 || (peer->has & CORE_DEV_HAS_IPV6) == 0)
			return -1;
		return dial_at(port, &address,
			       ipv6_address(peer->ipv6, peer->port, iface, &address));
	default:
		errno = EADDRNOTAVAIL;
		return -1;
	}
}

void soft_socket_tune(const struct soft_port *port, int fd)
{
	int bytes = port->options.buffer_bytes;
	int domain = AF_UNIX;
	socklen_t len = sizeof(domain);
	union address peer = { .any.sa_family = AF_UNSPEC };

	if (bytes > 0) {
		set_option(fd, SOL_SOCKET, SO_SNDBUF, bytes);
		set_option(fd, SOL_SOCKET, SO_RCVBUF, bytes);
	}
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) != 0 || domain == AF_UNIX)
		return;
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_PERIOD_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT);
	len = sizeof(peer);
	if (getpeername(fd, &peer.any, &len) == 0) /* that of a dialled one is not known yet */
		spare_congestion_control(fd, &peer);
}

bool soft_socket_is_dead(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
		return false; /* not TCP */
	/* One probe may just be on its way. */
	return (info.tcpi_retransmits > 0 || info.tcpi_probes > 1) &&
	       info.tcpi_last_ack_recv > DEAD_AFTER_MS;
}

bool soft_socket_is_over(int fd)
{
	struct pollfd lane = { .fd = fd, .events = POLLRDHUP };

	return poll(&lane, 1, 0) != 0;
}

pid_t soft_socket_peer(int fd)
{
	struct ucred peer = { .pid = 0 };
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return 0;
	return peer.pid > 0 ? peer.pid : 0;
}

static int hex_value(int digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

void soft_host_id(uint8_t *id)
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	size_t digits = 0;
	int next;

	memset(id, 0, CORE_INSTANCE_SIZE);
	if (file == NULL)
		return;
	while ((next = fgetc(file)) != EOF && digits < (size_t)2 * CORE_INSTANCE_SIZE) {
		int value = hex_value(next);

		if (value >= 0) {
			id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | value);
			digits++;
		}
	}
	(void)fclose(file);
}

bool soft_gid_is_ipv6(const struct doca_devinfo *info, uint32_t index)
{
	return index > 0 || (info->has & CORE_DEV_HAS_IPV4) == 0;
}

void soft_get_gid(const struct doca_devinfo *info, uint32_t index, struct doca_rdma_gid *gid)
{
	bool has_ipv4 = (info->has & CORE_DEV_HAS_IPV4) != 0;
	bool has_ipv6 = (info->has & CORE_DEV_HAS_IPV6) != 0;

	memset(gid, 0, sizeof(*gid));
	if (index == 0 && has_ipv4) {
		gid->raw[10] = gid->raw[11] = 0xff;
		memcpy(gid->raw + 12, info->ipv4, sizeof(info->ipv4));
	} else if (index == (has_ipv4 ? 1 : 0) && has_ipv6) {
		memcpy(gid->raw, info->ipv6, sizeof(info->ipv6));
	}
}
