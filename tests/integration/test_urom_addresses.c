/* SPDX-License-Identifier: BSD-3-Clause */
/* A daemon whose name has several addresses, not all of which answer. */
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"
#include "urom_fake.h"
#include "urom_host.h"
#include "urom_rig.h"

#define NAME          "two.test"
#define NUM_ADDRESSES 2
#define MAX_FILLERS   16
#define QUIET_MS      500

static const char *const addresses[NUM_ADDRESSES] = { "127.0.0.2", "127.0.0.1" };

/* Instead of libc's, for the name of the test: its addresses in that order. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	struct addrinfo **end = found;
	int failed = 0;

	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	if (node == NULL || strcmp(node, NAME) != 0)
		return real(node, service, hints, found);
	for (size_t i = 0; i < NUM_ADDRESSES && failed == 0; i++) {
		failed = real(addresses[i], service, hints, end);
		end = failed == 0 ? &(*end)->ai_next : end;
	}
	return failed;
}

/* A socket on that port whose queue is full, so that nobody gets an answer from it. */
struct hole {
	int listen_fd;
	int fillers[MAX_FILLERS];
	size_t num_fillers;
};

static void hole_init(struct hole *hole, const char *fake_address)
{
	const uint16_t port = (uint16_t)strtoul(strchr(fake_address, ':') + 1, NULL, 10);
	const struct sockaddr_in addr = { .sin_family = AF_INET,
					  .sin_port = htons(port),
					  .sin_addr.s_addr = htonl(0x7f000002) };
	struct pollfd watched = { .events = POLLOUT };

	hole->num_fillers = 0;
	hole->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(hole->listen_fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(hole->listen_fd, 0), 0);
	do {
		assert_in_range(hole->num_fillers, 0, MAX_FILLERS - 1);
		watched.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		hole->fillers[hole->num_fillers++] = watched.fd;
		(void)connect(watched.fd, (const struct sockaddr *)&addr, sizeof(addr));
	} while (poll(&watched, 1, QUIET_MS) == 1);
}

static void hole_fini(struct hole *hole)
{
	for (size_t i = 0; i < hole->num_fillers; i++)
		close(hole->fillers[i]);
	close(hole->listen_fd);
}

static void welcome(struct urom_fake *fake)
{
	urom_fake_welcome(fake);
	urom_fake_receive_end(fake);
}

static void address_that_is_silent_leaves_time_for_the_next(void **state)
{
	struct urom_fake fake;
	struct urom_host host;
	struct urom_rig rig;
	struct hole hole;
	char address[64];

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	urom_fake_start(&fake, welcome, NULL);
	hole_init(&hole, fake.address);
	(void)snprintf(address, sizeof(address), "%s%s", NAME, strchr(fake.address, ':'));
	urom_rig_write_service(&rig, address);
	urom_host_init_running(&host);
	urom_host_fini(&host);
	urom_fake_stop(&fake);
	hole_fini(&hole);
	urom_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(address_that_is_silent_leaves_time_for_the_next),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
