/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names in the service file, and a resolver that does not answer. The resolver is the test's: it
 * waits until it is let go. So is this host's name. The clock of deadlines can be behind, so that
 * they are soon.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <doca_urom.h>

#include "core/clock.h"
#include "fixture.h"
#include "test.h"
#include "urom/host/resolve.h"

#define PORT               4711
#define SHORT_MS           50
#define PATIENCE_MS        30000

#define RESOLVE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* Not the system's: the linker leads the calls here. */
__typeof__(getaddrinfo) __real_getaddrinfo;
__typeof__(getaddrinfo) __wrap_getaddrinfo;
__typeof__(clock_gettime) __real_clock_gettime;
__typeof__(clock_gettime) __wrap_clock_gettime;
__typeof__(gethostname) __wrap_gethostname;
__typeof__(pthread_create) __real_pthread_create;
__typeof__(pthread_create) __wrap_pthread_create;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_hanging;
static unsigned int num_asked;
static time_t behind_s;
static bool has_no_threads;
static unsigned int num_threads;
static void *(*to_run)(void *question); /* the same for all */
static const char *own_name;

/* Every name is that of one machine, whose whole name is another. */
int __wrap_getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		       struct addrinfo **found)
{
	(void)pthread_mutex_lock(&lock);
	num_asked++;
	while (is_hanging)
		(void)pthread_cond_wait(&changed, &lock);
	(void)pthread_mutex_unlock(&lock);
	if (strcmp(node, "nobody.example") == 0)
		return EAI_NONAME;
	return __real_getaddrinfo("127.0.0.7", service, hints, found);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	const int ret = __real_clock_gettime(clock, now);

	if (clock == CLOCK_MONOTONIC)
		now->tv_sec -= behind_s;
	return ret;
}

/* What a thread of the resolver's runs, and notes when that is over. */
static void *run(void *arg)
{
	void *(*start)(void *question);
	void *ret;

	(void)pthread_mutex_lock(&lock);
	start = to_run;
	(void)pthread_mutex_unlock(&lock);
	ret = start(arg);
	(void)pthread_mutex_lock(&lock);
	num_threads--;
	(void)pthread_cond_broadcast(&changed);
	(void)pthread_mutex_unlock(&lock);
	return ret;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg)
{
	if (has_no_threads)
		return EAGAIN;
	(void)pthread_mutex_lock(&lock);
	to_run = start;
	num_threads++;
	(void)pthread_mutex_unlock(&lock);
	return __real_pthread_create(thread, attr, run, arg);
}

int __wrap_gethostname(char *name, size_t size)
{
	(void)snprintf(name, size, "%s", own_name);
	return 0;
}

static int begin(void **state)
{
	own_name = "me";
	is_hanging = false;
	num_asked = 0;
	behind_s = 0;
	has_no_threads = false;
	return test_begin(state);
}

/* Lets the resolver go on, and waits for the end of all threads. */
static void let_go(void)
{
	(void)pthread_mutex_lock(&lock);
	is_hanging = false;
	(void)pthread_cond_broadcast(&changed);
	while (num_threads > 0)
		(void)pthread_cond_wait(&changed, &lock);
	(void)pthread_mutex_unlock(&lock);
}

static int end(void **state)
{
	behind_s = 0;
	has_no_threads = false;
	let_go();
	return test_end(state);
}

static unsigned int count_asked(void)
{
	unsigned int count;

	(void)pthread_mutex_lock(&lock);
	count = num_asked;
	(void)pthread_mutex_unlock(&lock);
	return count;
}

static doca_error_t resolve_within(const char *name, uint64_t ms, struct uromh_addresses *addresses,
				   const char **why)
{
	return uromh_resolve(name, PORT, 0, core_now_ms() + ms, addresses, why);
}

static void address_asks_nobody(void **state)
{
	static const struct {
		const char *text;
		const char *address;
		int family;
		uint32_t scope; /* 1 is the loopback interface */
	} rows[] = {
		{ "127.0.0.1", "127.0.0.1", AF_INET, 0 },
		{ "255.255.255.255", "255.255.255.255", AF_INET, 0 },
		{ "::1", "::1", AF_INET6, 0 },
		{ "fe80::1%1", "fe80::1", AF_INET6, 1 },
		{ "fe80::1%lo", "fe80::1", AF_INET6, 1 },
		{ "::ffff:10.0.0.1", "::ffff:10.0.0.1", AF_INET6, 0 },
	};

	(void)state;
	is_hanging = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uromh_addresses addresses;
		char text[INET6_ADDRSTRLEN];
		const char *why;
		union {
			struct sockaddr_storage any;
			struct sockaddr_in v4;
			struct sockaddr_in6 v6;
		} address;
		bool is_v4 = rows[i].family == AF_INET;

		assert_success(resolve_within(rows[i].text, SHORT_MS, &addresses, &why));
		assert_int_equal(addresses.num, 1);
		address.any = addresses.at[0];
		assert_int_equal(address.any.ss_family, rows[i].family);
		assert_non_null(
		    inet_ntop(rows[i].family,
			      is_v4 ? (void *)&address.v4.sin_addr : (void *)&address.v6.sin6_addr,
			      text, sizeof(text)));
		assert_string_equal(text, rows[i].address);
		assert_int_equal(ntohs(is_v4 ? address.v4.sin_port : address.v6.sin6_port), PORT);
		assert_int_equal(is_v4 ? 0 : address.v6.sin6_scope_id, rows[i].scope);
	}
	assert_int_equal(count_asked(), 0);
}

static void what_is_no_address_is_a_name(void **state)
{
	static const char *const names[] = {
		"localhost",       "1.2.3", "1.2.3.4.5",
		"fe80::1%nowhere", "::1%",  "a.b",
		"1.2.3.4 ",        "::g",   "0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:1"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct uromh_addresses addresses;
		struct sockaddr_in address;
		const char *why;

		assert_success(resolve_within(names[i], PATIENCE_MS, &addresses, &why));
		assert_int_equal(count_asked(), i + 1);
		assert_int_equal(addresses.num, 1);
		memcpy(&address, &addresses.at[0], sizeof(address));
		assert_int_equal(address.sin_family, AF_INET);
		assert_int_equal(ntohl(address.sin_addr.s_addr), 0x7f000007);
		assert_int_equal(ntohs(address.sin_port), PORT);
		assert_string_equal(addresses.whole_name, "");
	}
}

static void whole_name_comes_when_it_is_asked_for(void **state)
{
	struct uromh_addresses addresses;
	const char *why;

	(void)state;
	assert_success(
	    uromh_resolve("here", 0, AI_CANONNAME, core_now_ms() + PATIENCE_MS, &addresses, &why));
	assert_string_equal(addresses.whole_name, "127.0.0.7");
}

static void name_of_nobody_is_not_found(void **state)
{
	struct uromh_addresses addresses;
	const char *why;

	(void)state;
	assert_int_equal(resolve_within("nobody.example", PATIENCE_MS, &addresses, &why),
			 DOCA_ERROR_NOT_FOUND);
	assert_string_equal(why, gai_strerror(EAI_NONAME));
}

static void resolver_that_hangs_is_waited_for_until_the_deadline(void **state)
{
	struct uromh_addresses addresses;
	const uint64_t begun_ms = core_now_ms();
	const char *why;

	(void)state;
	is_hanging = true;
	assert_int_equal(resolve_within("here", SHORT_MS, &addresses, &why), DOCA_ERROR_TIME_OUT);
	assert_true(core_now_ms() - begun_ms >= SHORT_MS);
	assert_string_equal(why, "the resolver does not answer");
	let_go();
	assert_success(resolve_within("here", PATIENCE_MS, &addresses, &why));
}

static void deadline_that_is_over_is_a_time_out(void **state)
{
	struct uromh_addresses addresses;
	const char *why;

	(void)state;
	is_hanging = true;
	assert_int_equal(uromh_resolve("here", PORT, 0, 0, &addresses, &why), DOCA_ERROR_TIME_OUT);
}

/* So that a program that tries again and again does not fill with threads. */
static void questions_that_are_open_have_a_bound(void **state)
{
	struct uromh_addresses addresses;
	const char *why;

	(void)state;
	is_hanging = true;
	for (int i = 0; i < UROMH_MAX_QUESTIONS; i++)
		assert_int_equal(resolve_within("here", 1, &addresses, &why), DOCA_ERROR_TIME_OUT);
	assert_int_equal(resolve_within("here", PATIENCE_MS, &addresses, &why),
			 DOCA_ERROR_TIME_OUT);
	assert_string_equal(why, "the resolver has not answered earlier questions yet");
	assert_success(resolve_within("127.0.0.1", 1, &addresses, &why));
	let_go();
	assert_success(resolve_within("here", PATIENCE_MS, &addresses, &why));
}

static void without_a_thread_there_is_no_memory(void **state)
{
	struct uromh_addresses addresses;
	const char *why;

	(void)state;
	has_no_threads = true;
	for (int i = 0; i < 2 * UROMH_MAX_QUESTIONS; i++)
		assert_int_equal(resolve_within("here", PATIENCE_MS, &addresses, &why),
				 DOCA_ERROR_NO_MEMORY);
	assert_string_equal(why, "no thread can be started that asks the resolver");
	assert_int_equal(count_asked(), 0);
}

/* A child of a parent whose resolver hangs asks again; that it gets no thread here tells. */
static void child_of_a_fork_has_questions_of_its_own(void **state)
{
	struct uromh_addresses addresses;
	const char *why;
	int status;
	pid_t pid;

	(void)state;
	is_hanging = true;
	for (int i = 0; i < UROMH_MAX_QUESTIONS; i++)
		assert_int_equal(resolve_within("here", 1, &addresses, &why), DOCA_ERROR_TIME_OUT);
	pid = fork();
	if (pid == 0) {
		has_no_threads = true;
		_exit(resolve_within("here", 1, &addresses, &why) == DOCA_ERROR_NO_MEMORY ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* --- The start of a service --- */

struct service {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_urom_service *service;
	char file[64];
};

/* A service whose line of the service file, for host, names server; another one is before it. */
static void service_init(struct service *service, const char *host, const char *server)
{
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE], line[512];
	const char *other = strcmp(host, own_name) == 0 ? "other" : "me.three.example";
	int fd, len;

	(void)snprintf(service->file, sizeof(service->file), "/tmp/test_host_resolve.XXXXXX");
	fd = mkstemp(service->file);
	assert_true(fd >= 0);
	service->dev = fixture_dev_open();
	assert_success(doca_devinfo_get_pci_addr_str(doca_dev_as_devinfo(service->dev), pci));
	len = snprintf(line, sizeof(line), "%s dpu %s %s lo\n%s dpu %s %s lo\n", other, server, pci,
		       host, server, pci);
	assert_int_equal(write(fd, line, (size_t)len), len);
	close(fd);
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", service->file, 1), 0);
	assert_success(doca_pe_create(&service->pe));
	assert_success(doca_urom_service_create(&service->service));
	assert_success(doca_urom_service_set_dev(service->service, service->dev));
	assert_success(
	    doca_pe_connect_ctx(service->pe, doca_urom_service_as_ctx(service->service)));
}

static void service_fini(struct service *service)
{
	assert_success(doca_urom_service_destroy(service->service));
	assert_success(doca_pe_destroy(service->pe));
	assert_success(doca_dev_close(service->dev));
	assert_int_equal(unlink(service->file), 0);
}

static void start_ends_in_time_when_the_resolver_hangs(void **state)
{
	struct service service;

	(void)state;
	service_init(&service, own_name, "daemon.example");
	is_hanging = true;
	behind_s = 9; /* of the 10 there are */
	assert_refused(doca_ctx_start(doca_urom_service_as_ctx(service.service)),
		       DOCA_ERROR_TIME_OUT,
		       "daemon.example of the service file is not resolved within 10 s: the "
		       "resolver does not answer; an address in its place needs none");
	assert_int_equal(count_asked(), 1);
	behind_s = 0;
	service_fini(&service);
}

static void start_with_a_name_of_nobody_is_bad_config(void **state)
{
	struct service service;

	(void)state;
	service_init(&service, own_name, "nobody.example");
	assert_refused(doca_ctx_start(doca_urom_service_as_ctx(service.service)),
		       DOCA_ERROR_BAD_CONFIG,
		       "nobody.example of the service file does not resolve: ");
	service_fini(&service);
}

/* Only a line for another whole name asks what that of this host is, and only the first one. */
static void own_name_that_the_resolver_does_not_tell_is_another_hosts(void **state)
{
	struct service service;

	(void)state;
	own_name = "me.one.example";
	service_init(&service, "me.two.example", "127.0.0.1:1");
	is_hanging = true;
	behind_s = 2; /* of the 3 there are for it */
	assert_int_equal(doca_ctx_start(doca_urom_service_as_ctx(service.service)),
			 DOCA_ERROR_NOT_FOUND);
	test_take_log(
	    "the whole name of this host, me.one.example, is not known: the resolver does "
	    "not answer");
	test_take_log("this host, be it as me.one.example, me or by an address; doca_caps");
	assert_int_equal(count_asked(), 1);
	behind_s = 0;
	service_fini(&service);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESOLVE_TEST(address_asks_nobody),
		RESOLVE_TEST(what_is_no_address_is_a_name),
		RESOLVE_TEST(whole_name_comes_when_it_is_asked_for),
		RESOLVE_TEST(name_of_nobody_is_not_found),
		RESOLVE_TEST(resolver_that_hangs_is_waited_for_until_the_deadline),
		RESOLVE_TEST(deadline_that_is_over_is_a_time_out),
		RESOLVE_TEST(questions_that_are_open_have_a_bound),
		RESOLVE_TEST(without_a_thread_there_is_no_memory),
		RESOLVE_TEST(child_of_a_fork_has_questions_of_its_own),
		RESOLVE_TEST(start_ends_in_time_when_the_resolver_hangs),
		RESOLVE_TEST(start_with_a_name_of_nobody_is_bad_config),
		RESOLVE_TEST(own_name_that_the_resolver_does_not_tell_is_another_hosts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
