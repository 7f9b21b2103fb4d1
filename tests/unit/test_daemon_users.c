/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Whose processes workers are: what the system says of users, and what the daemon makes of that.
 * The daemon is root's or a user's as a test likes; who becomes whom in fact is seen by test_users.
 */

#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "core/export.h"
#include "test.h"
#include "urom/daemon/config/worker_user.h"

static uid_t euid;       /* of the daemon, as it sees itself */
static bool has_default; /* there is a user UROMD_WORKER_USER */

uid_t __wrap_geteuid(void);
struct passwd *__wrap_getpwnam(const char *name);
struct passwd *__real_getpwnam(const char *name);

uid_t __wrap_geteuid(void)
{
	return euid;
}

struct passwd *__wrap_getpwnam(const char *name)
{
	struct passwd *found;

	if (strcmp(name, UROMD_WORKER_USER) != 0)
		return __real_getpwnam(name);
	if (!has_default)
		return NULL;
	found = __real_getpwnam("daemon");
	assert_non_null(found);
	found->pw_name = (char *)(uintptr_t)UROMD_WORKER_USER;
	return found;
}

static const struct uromd_auth none = { .name = "none", .number = WIRE_AUTH_NONE };
static const struct uromd_auth munge = { .name = "munge", .number = WIRE_AUTH_MUNGE };

static int setup(void **state)
{
	euid = 0;
	has_default = false;
	return test_begin(state);
}

#define USERS_TEST(name) cmocka_unit_test_setup_teardown(name, setup, test_end)

static struct uromd_config config_of(const struct uromd_auth *auth, const char *user)
{
	struct uromd_config config = { .auth = auth };

	if (user != NULL) {
		config.worker_user = strdup(user);
		assert_non_null(config.worker_user);
	}
	return config;
}

static struct uromd_config settled(const struct uromd_auth *auth, const char *user)
{
	struct uromd_config config = config_of(auth, user);
	struct uromd_failure failure;

	if (uromd_worker_user_settle(&config, &failure) != DOCA_SUCCESS)
		fail_msg("%s", failure.reason);
	return config;
}

static void check_refused(const struct uromd_auth *auth, const char *user, doca_error_t error,
			  const char *part)
{
	struct uromd_config config = config_of(auth, user);
	struct uromd_failure failure = { .error = DOCA_SUCCESS };

	assert_error(uromd_worker_user_settle(&config, &failure), error);
	if (strstr(failure.reason, part) == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", failure.reason, part);
	uromd_config_fini(&config);
}

/* --- What the system says --- */

static void users_are_found_by_name_and_by_number(void **state)
{
	struct uromd_account by_name, by_number;
	struct uromd_failure failure;
	bool has_group = false;

	(void)state;
	assert_success(uromd_account_find(&by_name, "daemon", &failure));
	assert_success(uromd_account_find(&by_number, "1", &failure));
	assert_int_equal(by_name.uid, 1);
	assert_int_equal(by_number.uid, 1);
	assert_string_equal(by_number.name, "daemon");
	assert_non_null(by_name.home);
	assert_non_null(by_name.shell);
	assert_true(by_name.is_other && by_name.is_looked_up);
	for (int i = 0; i < by_name.num_groups; i++)
		has_group |= by_name.groups[i] == by_name.gid;
	assert_true(has_group);
	uromd_account_fini(&by_name);
	uromd_account_fini(&by_number);
}

static void users_that_are_none_are_not_found(void **state)
{
	static const char *const texts[] = {
		"no such user", "", "-1", "1x", "3999999999", "4294967295", "99999999999999999999"
	};
	struct uromd_account account = { .uid = 7 };
	struct uromd_failure failure;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(texts); i++)
		assert_error(uromd_account_find(&account, texts[i], &failure),
			     DOCA_ERROR_NOT_FOUND);
	assert_int_equal(account.uid, 7);
}

static void rest_of_a_user_is_looked_up_by_his_number(void **state)
{
	struct uromd_account account = { .is_other = true, .uid = 1 };
	struct uromd_account stranger = { .is_other = true, .uid = 3999999999 };
	struct uromd_failure failure;

	(void)state;
	assert_success(uromd_account_look_up(&account, &failure));
	assert_true(account.is_looked_up && account.num_groups > 0);
	assert_string_equal(account.name, "daemon");
	uromd_account_fini(&account);
	assert_error(uromd_account_look_up(&stranger, &failure), DOCA_ERROR_NOT_FOUND);
	assert_non_null(strstr(failure.reason, "3999999999"));
}

/* --- One user for all --- */

static void roots_workers_are_those_of_the_user_who_is_named(void **state)
{
	static const char *const names[] = { "nobody", "daemon", "1" };

	(void)state;
	has_default = true;
	for (size_t i = 0; i < CORE_ARRAY_LEN(names); i++) {
		struct uromd_config config = settled(&none, names[i]);

		assert_true(config.worker_account.is_other);
		assert_string_equal(config.worker_account.name, i == 0 ? "nobody" : "daemon");
		assert_false(config.has_hosts_users);
		uromd_config_fini(&config);
	}
}

static void roots_workers_are_the_default_users_otherwise(void **state)
{
	struct uromd_config config;

	(void)state;
	has_default = true;
	config = settled(&none, NULL);
	assert_true(config.worker_account.is_other);
	assert_string_equal(config.worker_account.name, UROMD_WORKER_USER);
	uromd_config_fini(&config);
}

static void cookie_that_is_a_users_makes_the_workers_his(void **state)
{
	const struct uromd_auth cookie = { .name = "cookie", .number = WIRE_AUTH_COOKIE };
	struct uromd_config config = config_of(&cookie, NULL);
	struct uromd_failure failure;

	(void)state;
	has_default = true;
	config.cookie.owner = 1; /* nobody is the default then */
	assert_success(uromd_worker_user_settle(&config, &failure));
	assert_true(config.worker_account.is_other);
	assert_string_equal(config.worker_account.name, "daemon");
	uromd_config_fini(&config);
	/* One that nobody here is, is no reason for the default, either. */
	config = config_of(&cookie, NULL);
	config.cookie.owner = 3999999999;
	config.cookie_file = strdup("/some/cookie");
	assert_error(uromd_worker_user_settle(&config, &failure), DOCA_ERROR_NOT_FOUND);
	assert_non_null(strstr(failure.reason, "the owner of cookie file /some/cookie"));
	uromd_config_fini(&config);
	/* What is named counts first. */
	config = config_of(&cookie, "root");
	config.cookie.owner = 1;
	assert_success(uromd_worker_user_settle(&config, &failure));
	assert_int_equal(config.worker_account.uid, 0);
	uromd_config_fini(&config);
}

static void root_is_no_default(void **state)
{
	(void)state;
	check_refused(&none, NULL, DOCA_ERROR_NOT_PERMITTED, "--worker-user root");
	check_refused(&none, NULL, DOCA_ERROR_NOT_PERMITTED, UROMD_WORKER_USER);
}

static void roots_workers_are_roots_when_he_says_so(void **state)
{
	static const char *const names[] = { "root", "0" };

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(names); i++) {
		struct uromd_config config = settled(&none, names[i]);

		assert_false(config.worker_account.is_other);
		assert_int_equal(config.worker_account.uid, 0);
		uromd_config_fini(&config);
	}
}

static void unknown_user_is_named(void **state)
{
	(void)state;
	check_refused(&none, "no such user", DOCA_ERROR_NOT_FOUND, "no such user");
	check_refused(&munge, "no such user", DOCA_ERROR_NOT_FOUND, "--worker-user");
	euid = 1;
	check_refused(&none, "no such user", DOCA_ERROR_NOT_FOUND, "no such user");
}

static void others_daemons_have_their_own_workers_alone(void **state)
{
	const struct uromd_identity bob = { .is_known = true, .uid = 1000 };
	struct uromd_account account;
	struct uromd_failure failure;

	(void)state;
	euid = 1;
	has_default = true;
	check_refused(&none, "nobody", DOCA_ERROR_INVALID_VALUE, "only a daemon of root's");
	check_refused(&none, "root", DOCA_ERROR_INVALID_VALUE, "only a daemon of root's");
	for (int i = 0; i < 3; i++) {
		struct uromd_config config =
		    settled(i < 2 ? &none : &munge, i == 1 ? "daemon" : NULL);

		assert_success(uromd_worker_user_get(&config, &bob, &account, &failure));
		assert_false(account.is_other);
		assert_int_equal(account.uid, 1);
		uromd_config_fini(&config);
	}
}

/* --- Each host's own --- */

static void known_users_have_workers_of_their_own(void **state)
{
	const struct uromd_identity bob = {
		.is_known = true, .uid = 1000, .gid = 100, .name = "bob"
	};
	struct uromd_config config = settled(&munge, NULL);
	struct uromd_account account;
	struct uromd_failure failure;

	(void)state;
	assert_success(uromd_worker_user_get(&config, &bob, &account, &failure));
	assert_true(account.is_other);
	assert_false(account.is_looked_up); /* the new process does, and nobody waits for it */
	assert_int_equal(account.uid, 1000);
	assert_int_equal(account.gid, 100);
	assert_string_equal(account.name, "bob");
	uromd_config_fini(&config);
}

static void plugins_are_then_probed_by_one_who_owns_nothing(void **state)
{
	struct uromd_config config;

	(void)state;
	config = settled(&munge, NULL);
	assert_true(config.worker_account.is_other);
	assert_string_equal(config.worker_account.name, "nobody");
	uromd_config_fini(&config);
	has_default = true;
	config = settled(&munge, NULL);
	assert_string_equal(config.worker_account.name, UROMD_WORKER_USER);
	uromd_config_fini(&config);
}

static void known_root_has_workers_only_when_he_is_named(void **state)
{
	const struct uromd_identity root = { .is_known = true };
	struct uromd_config config = settled(&munge, NULL);
	struct uromd_account account;
	struct uromd_failure failure;

	(void)state;
	assert_error(uromd_worker_user_get(&config, &root, &account, &failure),
		     DOCA_ERROR_NOT_PERMITTED);
	assert_non_null(strstr(failure.reason, "--worker-user root"));
	uromd_config_fini(&config);
	config = settled(&munge, "root");
	assert_success(uromd_worker_user_get(&config, &root, &account, &failure));
	assert_false(account.is_other);
	assert_int_equal(account.uid, 0);
	uromd_config_fini(&config);
}

static void unknown_users_have_none_where_users_are_known(void **state)
{
	const struct uromd_identity nobody = { .is_known = false };
	struct uromd_config config = settled(&munge, "root");
	struct uromd_account account;
	struct uromd_failure failure;

	(void)state;
	assert_error(uromd_worker_user_get(&config, &nobody, &account, &failure),
		     DOCA_ERROR_NOT_PERMITTED);
	uromd_config_fini(&config);
}

static void nobody_else_can_be_named_there(void **state)
{
	(void)state;
	check_refused(&munge, "daemon", DOCA_ERROR_INVALID_VALUE, "--auth munge");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		USERS_TEST(users_are_found_by_name_and_by_number),
		USERS_TEST(users_that_are_none_are_not_found),
		USERS_TEST(rest_of_a_user_is_looked_up_by_his_number),
		USERS_TEST(roots_workers_are_those_of_the_user_who_is_named),
		USERS_TEST(roots_workers_are_the_default_users_otherwise),
		USERS_TEST(cookie_that_is_a_users_makes_the_workers_his),
		USERS_TEST(root_is_no_default),
		USERS_TEST(roots_workers_are_roots_when_he_says_so),
		USERS_TEST(unknown_user_is_named),
		USERS_TEST(others_daemons_have_their_own_workers_alone),
		USERS_TEST(known_users_have_workers_of_their_own),
		USERS_TEST(plugins_are_then_probed_by_one_who_owns_nothing),
		USERS_TEST(known_root_has_workers_only_when_he_is_named),
		USERS_TEST(unknown_users_have_none_where_users_are_known),
		USERS_TEST(nobody_else_can_be_named_there),
	};

	return cmocka_run_group_tests_name("daemon_users", tests, NULL, NULL);
}
