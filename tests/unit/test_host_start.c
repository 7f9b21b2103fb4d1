/* SPDX-License-Identifier: BSD-3-Clause */
/* What a start of a service says when the way to the daemon fails, where that cannot be had from a
 * real daemon. The clock is the test's: a wait that would last ends at once, and has lasted. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_pe.h>
#include <doca_urom.h>

#include "fixture.h"
#include "test.h"

#define NS_A_MS    1000000L
#define NS_A_S     1000000000L
#define MS_A_S     1000
#define TIMEOUT_MS 10000

static uint64_t passed_ms; /* of the clock, without any time having passed */
static short failing;      /* poll() fails for these events; 0: for none */

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	int ready;

	if ((fds[0].events & failing) != 0) {
		errno = ENOMEM;
		return -1;
	}
	ready = __real_poll(fds, count, 0);
	if (ready == 0 && timeout_ms > 0)
		passed_ms += (uint64_t)timeout_ms;
	return ready;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	const int result = __real_clock_gettime(clock, now);

	now->tv_sec += (time_t)(passed_ms / MS_A_S);
	now->tv_nsec += (long)(passed_ms % MS_A_S) * NS_A_MS;
	if (now->tv_nsec >= NS_A_S) {
		now->tv_sec++;
		now->tv_nsec -= NS_A_S;
	}
	return result;
}

/* A service whose daemon's address is that of a socket of the test's, on which nobody answers. */
static struct doca_dev *dev;
static struct doca_pe *pe;
static struct doca_urom_service *service;
static int listen_fd;
static struct sockaddr_in address;
static char file[64];

static void listen_somewhere(int backlog)
{
	socklen_t len = sizeof(address);

	address = (struct sockaddr_in){ .sin_family = AF_INET };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(listen_fd >= 0);
	assert_int_equal(bind(listen_fd, (const struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listen_fd, backlog), 0);
	assert_int_equal(getsockname(listen_fd, (struct sockaddr *)&address, &len), 0);
}

static void write_service_file(void)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
	int fd;

	assert_success(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(dev), pci));
	(void)snprintf(file, sizeof(file), "/tmp/test_host_start.XXXXXX");
	fd = mkstemp(file);
	assert_true(fd >= 0);
	assert_true(
	    dprintf(fd, "127.0.0.1 dpu 127.0.0.1:%u %s lo\n", ntohs(address.sin_port), pci) > 0);
	close(fd);
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", file, 1), 0);
	assert_int_equal(setenv("DOCA_UROM_AUTH", "none", 1), 0);
}

static int start_begin(void **state)
{
	assert_int_equal(test_begin(state), 0);
	passed_ms = 0;
	failing = 0;
	dev = fixture_dev_open();
	listen_somewhere(0);
	write_service_file();
	assert_success(doca_pe_create(&pe));
	assert_success(doca_urom_service_create(&service));
	assert_success(doca_urom_service_set_dev(service, dev));
	assert_success(doca_pe_connect_ctx(pe, doca_urom_service_as_ctx(service)));
	return 0;
}

static int start_end(void **state)
{
	failing = 0;
	assert_success(doca_urom_service_destroy(service));
	assert_success(doca_pe_destroy(pe));
	assert_success(doca_dev_close(dev));
	close(listen_fd);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(unsetenv("DOCA_UROM_SERVICE_FILE"), 0);
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	return test_end(state);
}

#define START_TEST(name) cmocka_unit_test_setup_teardown(name, start_begin, start_end)

static doca_error_t start(void)
{
	return doca_ctx_start(doca_urom_service_as_ctx(service));
}

/* trap 70: no SYN is answered while the queue of those who are to be accepted is full. */
static void address_that_swallows_everything_is_given_up(void **state)
{
	int first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_true(first >= 0);
	assert_int_equal(connect(first, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_true(test_is_readable(listen_fd, TIMEOUT_MS));
	passed_ms = 0;
	assert_refused(start(), DOCA_ERROR_TIME_OUT,
		       "does not answer within 10 s; is that host up");
	assert_in_range(passed_ms, TIMEOUT_MS - MS_A_S, TIMEOUT_MS);
	close(first);
}

static void lack_of_memory_while_connecting_is_told(void **state)
{
	(void)state;
	failing = POLLOUT;
	assert_refused(start(), DOCA_ERROR_NO_MEMORY, "cannot be reached: Cannot allocate memory");
}

static void lack_of_memory_in_the_handshake_is_told(void **state)
{
	(void)state;
	failing = POLLIN;
	assert_refused(start(), DOCA_ERROR_NO_MEMORY, "start the service again when");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		START_TEST(address_that_swallows_everything_is_given_up),
		START_TEST(lack_of_memory_while_connecting_is_told),
		START_TEST(lack_of_memory_in_the_handshake_is_told),
	};

	return cmocka_run_group_tests_name("host_start", tests, NULL, NULL);
}
