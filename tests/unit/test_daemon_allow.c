/* SPDX-License-Identifier: BSD-3-Clause */

/* Lists of those who may come. */
#include "urom/daemon/config/allow.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include "core/export.h"
#include "test.h"

static struct uromd_failure failure;

struct passwd *__wrap_getpwnam(const char *name);

/* The users of this machine. */
struct passwd *__wrap_getpwnam(const char *name)
{
	static struct passwd anne = { .pw_uid = 1001 };

	return strcmp(name, "anne") == 0 ? &anne : NULL;
}

static bool has(const struct uromd_allow_hosts *hosts, const char *address)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
		return uromd_allow_hosts_has(hosts, (const struct sockaddr *)&v4);
	assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
	return uromd_allow_hosts_has(hosts, (const struct sockaddr *)&v6);
}

static void without_a_list_everybody_may_come(void **state)
{
	const struct uromd_allow_hosts hosts = { .count = 0 };
	const struct uromd_allow_users users = { .count = 0 };

	(void)state;
	assert_true(has(&hosts, "192.0.2.1"));
	assert_true(has(&hosts, "2001:db8::1"));
	assert_true(uromd_allow_users_has(&users, 4711));
}

static void prefixes_count_to_the_bit(void **state)
{
	static const struct {
		const char *list;
		const char *address;
		bool is_in;
	} rows[] = {
		{ "10.0.0.0/8", "10.255.255.255", true },
		{ "10.0.0.0/8", "11.0.0.0", false },
		{ "10.0.0.0/8", "9.255.255.255", false },
		{ "192.0.2.128/25", "192.0.2.128", true },
		{ "192.0.2.128/25", "192.0.2.127", false },
		{ "192.0.2.1", "192.0.2.1", true },
		{ "192.0.2.1", "192.0.2.0", false },
		{ "192.0.2.1/32", "192.0.2.1", true },
		{ "192.0.2.77/24", "192.0.2.1", true }, /* what is behind the prefix is no matter */
		{ "0.0.0.0/0", "255.255.255.255", true },
		{ "0.0.0.0/0", "2001:db8::1", false },
		{ "::/0", "2001:db8::1", true },
		{ "::/0", "192.0.2.1", true },
		{ "::1", "::1", true },
		{ "::1", "::2", false },
		{ "2001:db8::/33", "2001:db8:7fff::1", true },
		{ "2001:db8::/33", "2001:db8:8000::1", false },
		/* A v4 peer of a v6 socket. */
		{ "10.0.0.0/8", "::ffff:10.1.2.3", true },
		{ "::ffff:10.0.0.0/104", "10.1.2.3", true },
		{ "10.0.0.0/8,::1,192.0.2.1", "192.0.2.1", true },
		{ "10.0.0.0/8,::1,192.0.2.1", "::1", true },
		{ "10.0.0.0/8,::1,192.0.2.1", "192.0.2.2", false },
	};

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		struct uromd_allow_hosts hosts;

		assert_success(uromd_allow_hosts_parse(rows[i].list, &hosts, &failure));
		if (has(&hosts, rows[i].address) != rows[i].is_in)
			fail_msg("%s in %s", rows[i].address, rows[i].list);
		uromd_allow_hosts_fini(&hosts);
	}
}

static void addresses_of_other_families_are_in_no_list(void **state)
{
	const struct sockaddr local = { .sa_family = AF_UNIX };
	struct uromd_allow_hosts hosts;

	(void)state;
	assert_success(uromd_allow_hosts_parse("::/0", &hosts, &failure));
	assert_false(uromd_allow_hosts_has(&hosts, &local));
	uromd_allow_hosts_fini(&hosts);
}

static void lists_of_hosts_that_are_none_are_refused(void **state)
{
	static const char *const lists[] = {
		"",
		",",
		"10.0.0.0/8,",
		",::1",
		"10.0.0/8",
		"node1",
		"10.0.0.0/33",
		"10.0.0.0/",
		"10.0.0.0/-1",
		"10.0.0.0/8x",
		"10.0.0.0/+8",
		"::/129",
		" 10.0.0.1",
		"10.0.0.1 ",
		"[::1]",
		"10.0.0.0/8/8",
		"10.0.0.1:80",
		"::1/18446744073709551616",
	};
	struct uromd_allow_hosts hosts = { .count = 5 };

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(lists); i++) {
		assert_error(uromd_allow_hosts_parse(lists[i], &hosts, &failure),
			     DOCA_ERROR_INVALID_VALUE);
		assert_non_null(strstr(failure.reason, "--allow-hosts"));
		assert_int_equal(hosts.count, 5);
	}
}

static void words_that_are_too_long_are_refused(void **state)
{
	struct uromd_allow_hosts hosts;
	struct uromd_allow_users users;
	char list[4096];

	(void)state;
	memset(list, '1', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	assert_error(uromd_allow_hosts_parse(list, &hosts, &failure), DOCA_ERROR_INVALID_VALUE);
	assert_error(uromd_allow_users_parse(list, &users, &failure), DOCA_ERROR_INVALID_VALUE);
	memset(list, ',', sizeof(list) - 1);
	assert_error(uromd_allow_hosts_parse(list, &hosts, &failure), DOCA_ERROR_INVALID_VALUE);
	assert_non_null(strstr(failure.reason, "1024 entries"));
}

static void users_are_names_and_numbers(void **state)
{
	struct uromd_allow_users users;

	(void)state;
	assert_success(uromd_allow_users_parse("anne,0,4294967294", &users, &failure));
	assert_true(uromd_allow_users_has(&users, 1001));
	assert_true(uromd_allow_users_has(&users, 0));
	assert_true(uromd_allow_users_has(&users, 4294967294u));
	assert_false(uromd_allow_users_has(&users, 1));
	uromd_allow_users_fini(&users);
}

static void users_that_are_none_are_refused(void **state)
{
	static const char *const lists[] = { "",   "bob", "anne,",   "4294967295",
					     "-1", "1 ",  "anne,bob" };
	struct uromd_allow_users users;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(lists); i++) {
		assert_error(uromd_allow_users_parse(lists[i], &users, &failure),
			     DOCA_ERROR_INVALID_VALUE);
		assert_non_null(strstr(failure.reason, "--allow-users"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_list_everybody_may_come),
		TEST(prefixes_count_to_the_bit),
		TEST(addresses_of_other_families_are_in_no_list),
		TEST(lists_of_hosts_that_are_none_are_refused),
		TEST(words_that_are_too_long_are_refused),
		TEST(users_are_names_and_numbers),
		TEST(users_that_are_none_are_refused),
	};

	return cmocka_run_group_tests_name("daemon_allow", tests, NULL, NULL);
}
