/* SPDX-License-Identifier: BSD-3-Clause */

/* Addresses as people write them, as they are printed, and the sockets made of them. */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/export.h"
#include "test.h"
#include "urom/chan/chan_address.h"

#define UNTOUCHED 4711

static void text_is_split(void **state)
{
	static const struct {
		const char *text;
		const char *host;
		uint16_t port; /* UNTOUCHED: none was given */
	} rows[] = {
		{ "localhost", "localhost", UNTOUCHED },
		{ "localhost:80", "localhost", 80 },
		{ "127.0.0.1", "127.0.0.1", UNTOUCHED },
		{ "127.0.0.1:0", "127.0.0.1", 0 },
		{ "127.0.0.1:65535", "127.0.0.1", 65535 },
		{ "127.0.0.1:00080", "127.0.0.1", 80 },
		{ "::1", "::1", UNTOUCHED },
		{ "::", "::", UNTOUCHED },
		{ "fe80::1%eth0", "fe80::1%eth0", UNTOUCHED },
		{ "[::1]", "::1", UNTOUCHED },
		{ "[::1]:80", "::1", 80 },
		{ "[fe80::1%eth0]:18766", "fe80::1%eth0", 18766 },
		{ "[127.0.0.1]:80", "127.0.0.1", 80 },
		{ "*", "*", UNTOUCHED },
	};

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		char host[64] = "";
		uint16_t port = UNTOUCHED;

		assert_success(chan_address_split(rows[i].text, host, sizeof(host), &port));
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
}

static void text_that_is_no_address_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		":",
		":80",
		"host:",
		"host:x",
		"host:80x",
		"host:-1",
		"host:+1",
		"host: 80",
		"host:65536",
		"host:99999",
		"[",
		"[]",
		"[]:80",
		"[::1",
		"[::1]x",
		"[::1]80",
		"[::1]:",
		"[::1]:x",
		"[::1]:65536",
		"[::1]::80",
		"host:0x50",
		"host:4294967376",
		"host:18446744073709551696",
	};

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(texts); i++) {
		char host[64] = "untouched";
		uint16_t port = UNTOUCHED;

		if (chan_address_split(texts[i], host, sizeof(host), &port) !=
		    DOCA_ERROR_INVALID_VALUE)
			fail_msg("\"%s\" is taken for an address", texts[i]);
		assert_string_equal(host, "untouched");
		assert_int_equal(port, UNTOUCHED);
	}
}

static void host_of_just_the_size_fits(void **state)
{
	char host[10];
	uint16_t port = UNTOUCHED;

	(void)state;
	assert_success(chan_address_split("123456789:1", host, sizeof(host), &port));
	assert_string_equal(host, "123456789");
	assert_error(chan_address_split("1234567890:1", host, sizeof(host), &port),
		     DOCA_ERROR_INVALID_VALUE);
	assert_error(chan_address_split("[1234567890]:1", host, sizeof(host), &port),
		     DOCA_ERROR_INVALID_VALUE);
}

static struct sockaddr_in v4(const char *ip, uint16_t port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET, ip, &addr.sin_addr), 1);
	return addr;
}

static struct sockaddr_in6 v6(const char *ip, uint16_t port)
{
	struct sockaddr_in6 addr = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET6, ip, &addr.sin6_addr), 1);
	return addr;
}

static const struct sockaddr_un local = { .sun_family = AF_UNIX };

static void address_is_printed(void **state)
{
	const struct sockaddr_in a = v4("127.0.0.1", 18766);
	const struct sockaddr_in6 b = v6("::1", 1);
	const struct sockaddr_in6 longest =
	    v6("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", 65535);
	char text[CHAN_ADDR_TEXT];

	(void)state;
	assert_string_equal(chan_address_text((const struct sockaddr *)&a, text),
			    "127.0.0.1:18766");
	assert_ptr_equal(chan_address_text((const struct sockaddr *)&b, text), text);
	assert_string_equal(text, "[::1]:1");
	assert_string_equal(chan_address_text((const struct sockaddr *)&longest, text),
			    "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
	assert_string_equal(chan_address_text((const struct sockaddr *)&local, text), "?");
}

static bool is_loopback_v4(const char *ip)
{
	const struct sockaddr_in addr = v4(ip, 80);

	return chan_address_is_loopback((const struct sockaddr *)&addr);
}

static bool is_loopback_v6(const char *ip)
{
	const struct sockaddr_in6 addr = v6(ip, 80);

	return chan_address_is_loopback((const struct sockaddr *)&addr);
}

static void loopback_is_told_from_others(void **state)
{
	(void)state;
	assert_true(is_loopback_v4("127.0.0.1"));
	assert_true(is_loopback_v4("127.255.255.254"));
	assert_true(is_loopback_v6("::1"));
	assert_true(is_loopback_v6("::ffff:127.0.0.1"));
	assert_false(is_loopback_v4("0.0.0.0"));
	assert_false(is_loopback_v4("128.0.0.1"));
	assert_false(is_loopback_v4("1.0.0.127"));
	assert_false(is_loopback_v6("::"));
	assert_false(is_loopback_v6("::127.0.0.1"));
	assert_false(is_loopback_v6("::ffff:10.0.0.1"));
	assert_false(is_loopback_v6("fe80::1"));
	assert_false(chan_address_is_loopback((const struct sockaddr *)&local));
}

static void length_is_that_of_the_family(void **state)
{
	const struct sockaddr_in a = v4("127.0.0.1", 1);
	const struct sockaddr_in6 b = v6("::1", 1);

	(void)state;
	assert_int_equal(chan_address_len((const struct sockaddr *)&a), sizeof(a));
	assert_int_equal(chan_address_len((const struct sockaddr *)&b), sizeof(b));
	assert_int_equal(chan_address_len((const struct sockaddr *)&local), 0);
}

static int option_of(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	return value;
}

static void assert_tuned(int fd)
{
	assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	assert_int_equal(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 10000);
	assert_int_equal(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	/* Idle connections are noticed within the same time. */
	assert_true(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE) < 10);
	assert_true(option_of(fd, IPPROTO_TCP, TCP_KEEPIDLE) +
			option_of(fd, IPPROTO_TCP, TCP_KEEPINTVL) *
			    option_of(fd, IPPROTO_TCP, TCP_KEEPCNT) <=
		    10);
	assert_true((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
	assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

static void sockets_connect_and_are_tuned(void **state)
{
	struct sockaddr_in addr = v4("127.0.0.1", 0);
	socklen_t len = sizeof(addr);
	int listening, connecting, accepted;

	(void)state;
	assert_success(chan_address_listen((const struct sockaddr *)&addr, &listening));
	assert_true((fcntl(listening, F_GETFD) & FD_CLOEXEC) != 0);
	assert_true((fcntl(listening, F_GETFL) & O_NONBLOCK) != 0);
	assert_int_equal(getsockname(listening, (struct sockaddr *)&addr, &len), 0);
	assert_int_not_equal(addr.sin_port, 0);

	assert_success(chan_address_connect((const struct sockaddr *)&addr, &connecting));
	assert_true(test_is_readable(listening, 10000));
	accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	assert_true(accepted >= 0);
	chan_address_tune(accepted);

	assert_tuned(connecting);
	assert_tuned(accepted);
	chan_address_tolerate_unread(accepted);
	assert_int_equal(option_of(accepted, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
	close(accepted);
	close(connecting);
	close(listening);
}

/* Sends until nothing more fits, and waits until the peer's machine has all that it has room for.
 */
static void fill(int fd)
{
	static const char bytes[65536];
	int on_the_way, not_sent;

	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
		continue;
	do {
		assert_int_equal(ioctl(fd, SIOCOUTQ, &on_the_way), 0);
		assert_int_equal(ioctl(fd, SIOCOUTQNSD, &not_sent), 0);
	} while (on_the_way != not_sent);
	assert_true(not_sent > 0);
}

static void peer_that_reads_nothing_is_attended_to(void **state)
{
	struct sockaddr_in addr = v4("127.0.0.1", 0);
	socklen_t len = sizeof(addr);
	int listening, connecting, accepted;
	char bytes[4096];

	(void)state;
	assert_success(chan_address_listen((const struct sockaddr *)&addr, &listening));
	assert_int_equal(getsockname(listening, (struct sockaddr *)&addr, &len), 0);
	assert_success(chan_address_connect((const struct sockaddr *)&addr, &connecting));
	assert_true(test_is_readable(listening, 10000));
	accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	assert_true(accepted >= 0);

	assert_false(chan_address_attend(connecting));
	assert_tuned(connecting);
	fill(connecting);
	assert_true(chan_address_attend(connecting));
	assert_int_equal(option_of(connecting, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);

	while (chan_address_attend(connecting))
		(void)!read(accepted, bytes, sizeof(bytes)); /* or there is none at the moment */
	assert_tuned(connecting);
	close(accepted);
	close(connecting);
	close(listening);
}

static void tuning_what_is_no_tcp_socket_is_harmless(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	chan_address_tune(fds[0]);
	chan_address_tolerate_unread(fds[0]);
	(void)chan_address_attend(fds[0]);
	close(fds[0]);
	close(fds[1]);
}

static void address_in_use_is_told(void **state)
{
	struct sockaddr_in addr = v4("127.0.0.1", 0);
	socklen_t len = sizeof(addr);
	int listening, other = -7;

	(void)state;
	assert_success(chan_address_listen((const struct sockaddr *)&addr, &listening));
	assert_int_equal(getsockname(listening, (struct sockaddr *)&addr, &len), 0);

	assert_error(chan_address_listen((const struct sockaddr *)&addr, &other),
		     DOCA_ERROR_IN_USE);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(other, -7);
	close(listening);
}

static void address_of_another_machine_cannot_be_listened_on(void **state)
{
	const struct sockaddr_in addr = v4("192.0.2.1", 0);
	int fd = -7;

	(void)state;
	assert_true(chan_address_listen((const struct sockaddr *)&addr, &fd) != DOCA_SUCCESS);
	assert_int_equal(errno, EADDRNOTAVAIL);
	assert_int_equal(fd, -7);
	assert_true(chan_address_listen((const struct sockaddr *)&local, &fd) != DOCA_SUCCESS);
	assert_true(chan_address_connect((const struct sockaddr *)&local, &fd) != DOCA_SUCCESS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_is_split),
		TEST(text_that_is_no_address_is_refused),
		TEST(host_of_just_the_size_fits),
		TEST(address_is_printed),
		TEST(loopback_is_told_from_others),
		TEST(length_is_that_of_the_family),
		TEST(sockets_connect_and_are_tuned),
		TEST(peer_that_reads_nothing_is_attended_to),
		TEST(tuning_what_is_no_tcp_socket_is_harmless),
		TEST(address_in_use_is_told),
		TEST(address_of_another_machine_cannot_be_listened_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
