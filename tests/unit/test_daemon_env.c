/* SPDX-License-Identifier: BSD-3-Clause */

/* The environment of a worker: the daemon's, with what the host wants in its place. */

#include <stdlib.h>
#include <string.h>

#include "core/export.h"
#include "test.h"
#include "urom/daemon/process/env.h"

#define LIST_BYTES 4096

/* The entries as a host sends them. */
struct entries {
	uint8_t bytes[LIST_BYTES];
	struct wire_bytes list;
};

static void entries_make(struct entries *entries, const char *const *texts)
{
	size_t len = 0, added;

	for (; *texts != NULL; texts++) {
		const struct wire_entry entry = {
			.text = { *texts, (uint32_t)strlen(*texts) },
		};

		assert_int_equal(wire_encode(&wire_entry_message, &entry, entries->bytes + len,
					     sizeof(entries->bytes) - len, &added),
				 WIRE_OK);
		len += added;
	}
	entries->list = (struct wire_bytes){ entries->bytes, (uint32_t)len };
}

#define TEXTS(...) ((const char *const[]){ __VA_ARGS__ NULL })

static size_t count(const struct uromd_env *env)
{
	size_t n = 0;

	while (env->list[n] != NULL)
		n++;
	return n;
}

static bool has(const struct uromd_env *env, const char *text)
{
	for (size_t i = 0; env->list[i] != NULL; i++) {
		if (strcmp(env->list[i], text) == 0)
			return true;
	}
	return false;
}

/* Exactly these, in whatever order. */
static void check_env(const struct uromd_env *env, const char *const *texts)
{
	size_t n = 0;

	for (; texts[n] != NULL; n++) {
		if (!has(env, texts[n]))
			fail_msg("%s is missing", texts[n]);
	}
	assert_int_equal(count(env), n);
}

static void merge(struct uromd_env *env, const char *const *base, const char *const *texts)
{
	struct entries entries;

	entries_make(&entries, texts);
	assert_true(uromd_env_is_good(&entries.list));
	/* Nothing is written to the texts. */
	assert_success(uromd_env_init(env, (char *const *)(uintptr_t)base, &entries.list, false));
	memset(&entries, 0xa5, sizeof(entries)); /* they are copied */
}

static void what_the_host_gives_replaces_what_the_daemon_has(void **state)
{
	struct uromd_env env;

	(void)state;
	merge(&env, TEXTS("PATH=/bin", "HOME=/root", "A=1", ), TEXTS("A=2", "B=with blanks ", ));
	check_env(&env, TEXTS("PATH=/bin", "HOME=/root", "A=2", "B=with blanks ", ));
	uromd_env_fini(&env);
}

static void names_are_compared_whole(void **state)
{
	struct uromd_env env;

	(void)state;
	merge(&env, TEXTS("LD_LIBRARY_PATH=/a", "LD=1", "LD_LIBRARY_PATH_2=x", ),
	      TEXTS("LD_LIBRARY_PATH=/b=c", "L=", ));
	check_env(&env, TEXTS("LD_LIBRARY_PATH=/b=c", "LD=1", "LD_LIBRARY_PATH_2=x", "L=", ));
	uromd_env_fini(&env);
}

static void of_two_equal_names_the_later_counts(void **state)
{
	struct uromd_env env;

	(void)state;
	merge(&env, TEXTS("A=0", ), TEXTS("A=1", "B=1", "A=2", "B=2", "A=3", ));
	check_env(&env, TEXTS("A=3", "B=2", ));
	uromd_env_fini(&env);
}

static void nothing_given_leaves_the_daemons_own(void **state)
{
	struct uromd_env env;

	(void)state;
	merge(&env, TEXTS("A=0", "B=", ), TEXTS());
	check_env(&env, TEXTS("A=0", "B=", ));
	uromd_env_fini(&env);
	merge(&env, TEXTS(), TEXTS());
	check_env(&env, TEXTS());
	uromd_env_fini(&env);
}

static void what_the_service_manager_said_stays_with_the_daemon(void **state)
{
	struct uromd_env env;

	(void)state;
	merge(&env,
	      TEXTS("NOTIFY_SOCKET=/run/x", "WATCHDOG_PID=1", "WATCHDOG_USEC=2", "LISTEN_PID=1",
		    "LISTEN_FDS=1", "LISTEN_FDNAMES=a", "NOTIFY_SOCKETS=kept", ),
	      TEXTS("A=1", ));
	check_env(&env, TEXTS("NOTIFY_SOCKETS=kept", "A=1", ));
	uromd_env_fini(&env);
}

static void entries_need_a_name_and_a_sign(void **state)
{
	static const char *const wrong[] = { "", "=", "=value", "NAME" };
	struct entries entries;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(wrong); i++) {
		entries_make(&entries, TEXTS("A=1", wrong[i], "B=2", ));
		if (uromd_env_is_good(&entries.list))
			fail_msg("\"%s\" was taken for an entry", wrong[i]);
	}
	entries_make(&entries, TEXTS("A=", "B==", ));
	assert_true(uromd_env_is_good(&entries.list));
}

/* A list that is as long as one may be must not keep the daemon busy. */
static void what_is_personal_is_not_another_users(void **state)
{
	static const char *const base[] = {
		"HOME=/root",
		"USER=root",
		"LOGNAME=root",
		"SHELL=/bin/sh",
		"TMPDIR=/root/tmp",
		"PWD=/root",
		"XDG_STATE_HOME=/root/state",
		"SSH_AUTH_SOCK=/s",
		"SUDO_UID=1",
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/b",
		"DOCA_UROM_COOKIE=/root/cookie",
		"CREDENTIALS_DIRECTORY=/run/credentials",
		"NOTIFY_SOCKET=/n",
		"HOMES=kept",
		"UCX_TLS=tcp",
		NULL,
	};
	char *const *daemons = (char *const *)(uintptr_t)base;
	struct entries entries;
	struct uromd_env env;

	(void)state;
	entries_make(&entries, (const char *const[]){ "SHELL=/mine", NULL });
	assert_success(uromd_env_init(&env, daemons, &entries.list, true));
	check_env(&env, (const char *const[]){ "HOMES=kept", "UCX_TLS=tcp", "SHELL=/mine", NULL });
	assert_success(uromd_env_add(&env, "SHELL", "/his"));
	assert_success(uromd_env_add(&env, "HOME", "/home/his"));
	check_env(&env, (const char *const[]){ "HOMES=kept", "UCX_TLS=tcp", "SHELL=/mine",
					       "HOME=/home/his", NULL });
	uromd_env_fini(&env);
	entries_make(&entries, (const char *const[]){ NULL });
	assert_success(uromd_env_init(&env, daemons, &entries.list, false));
	assert_int_equal(count(&env), CORE_ARRAY_LEN(base) - 2); /* the NULL, and NOTIFY_SOCKET */
	uromd_env_fini(&env);
}

static void many_entries_are_merged_at_once(void **state)
{
	const size_t n = 100000;
	uint8_t *bytes = malloc(n * 12);
	struct wire_bytes list = { bytes, 0 };
	const uint64_t began = test_now_ns();
	char *const base[] = { NULL };
	struct uromd_env env;

	(void)state;
	assert_non_null(bytes);
	for (size_t i = 0; i < n; i++) {
		const char text[] = { (char)('A' + i % 20), (char)('A' + i / 20 % 20), '=', 'x' };
		const struct wire_entry entry = { .text = { text, sizeof(text) } };
		size_t added;

		assert_int_equal(
		    wire_encode(&wire_entry_message, &entry, bytes + list.len, 12, &added),
		    WIRE_OK);
		list.len += (uint32_t)added;
	}
	assert_success(uromd_env_init(&env, base, &list, false));
	assert_int_equal(count(&env), 400);
	assert_true(test_now_ns() - began < UINT64_C(10000000000));
	uromd_env_fini(&env);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_the_host_gives_replaces_what_the_daemon_has),
		TEST(names_are_compared_whole),
		TEST(of_two_equal_names_the_later_counts),
		TEST(nothing_given_leaves_the_daemons_own),
		TEST(what_the_service_manager_said_stays_with_the_daemon),
		TEST(entries_need_a_name_and_a_sign),
		TEST(what_is_personal_is_not_another_users),
		TEST(many_entries_are_merged_at_once),
	};

	return cmocka_run_group_tests_name("daemon_env", tests, NULL, NULL);
}
