/* SPDX-License-Identifier: BSD-3-Clause */

/* What a host offers and shows, and what it wants to see of a daemon. */
#include "urom/host/service_auth.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/export.h"
#include "test.h"
#include "urom/auth/auth_munge.h"

static char dir[64], cookie_path[128];
static struct auth_cookie cookie;
static struct uromh_auth auth;

static int auth_begin(void **state)
{
	struct auth_reason reason;

	(void)snprintf(dir, sizeof(dir), "/tmp/test_host_auth.XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)snprintf(cookie_path, sizeof(cookie_path), "%s/cookie", dir);
	assert_success(auth_cookie_make(cookie_path, &reason));
	assert_success(auth_cookie_load(cookie_path, &cookie, &reason));
	assert_int_equal(setenv("DOCA_UROM_COOKIE", cookie_path, 1), 0);
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	return test_begin(state);
}

static int auth_end(void **state)
{
	char command[128];

	uromh_auth_fini(&auth);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	return test_end(state);
}

#define AUTH_TEST(name) cmocka_unit_test_setup_teardown(name, auth_begin, auth_end)

static void choose(const char *method)
{
	assert_int_equal(setenv("DOCA_UROM_AUTH", method, 1), 0);
}

static void greet(void)
{
	struct wire_hello hello = {
		.version_min = 1,
		.version_max = 1,
		.role = WIRE_ROLE_HOST,
	};

	assert_success(uromh_auth_init(&auth, core_now_ms()));
	uromh_auth_greet(&auth, &hello);
	assert_int_equal(hello.auth, auth.method);
	assert_memory_equal(hello.nonce, auth.context.hello_nonce, WIRE_NONCE_SIZE);
}

/* A challenge of a daemon with that secret; bytes: of the proof. */
static struct wire_challenge challenge_with(const uint8_t *secret, uint8_t bytes[AUTH_PROOF_SIZE])
{
	struct wire_challenge challenge = {
		.magic = WIRE_MAGIC,
		.version = 1,
		.auth = WIRE_AUTH_COOKIE,
		.proof = { bytes, AUTH_PROOF_SIZE },
	};
	struct auth_context context = auth.context;

	memset(challenge.nonce, 0x11, sizeof(challenge.nonce));
	memcpy(context.challenge_nonce, challenge.nonce, sizeof(challenge.nonce));
	context.version = challenge.version;
	auth_proof_make(secret, &context, AUTH_DAEMON, bytes);
	return challenge;
}

static doca_error_t welcome_from(const char *address)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, address, &v4.sin_addr) == 1)
		return uromh_auth_check_welcome(&auth, address, (const struct sockaddr *)&v4);
	assert_int_equal(inet_pton(AF_INET6, address, &v6.sin6_addr), 1);
	return uromh_auth_check_welcome(&auth, address, (const struct sockaddr *)&v6);
}

static void cookie_is_offered_where_there_is_one(void **state)
{
	(void)state;
	greet();
	assert_int_equal(auth.method, WIRE_AUTH_COOKIE);
	assert_false(auth.is_chosen);
	assert_int_equal(auth.num_cookies, 1);
}

static void proof_is_shown_to_who_has_the_secret(void **state)
{
	uint8_t shown[AUTH_PROOF_SIZE], proof[WIRE_MAX_PROOF];
	struct wire_challenge challenge;
	struct wire_bytes answer = { proof, 0 };

	(void)state;
	greet();
	challenge = challenge_with(cookie.secret, shown);
	assert_success(uromh_auth_answer(&auth, &challenge, "peer", proof, &answer.len));
	assert_true(auth_proof_check(cookie.secret, &auth.context, AUTH_PEER, &answer));
	assert_success(welcome_from("192.0.2.1"));
}

static void nothing_is_shown_to_who_has_another_secret(void **state)
{
	uint8_t shown[AUTH_PROOF_SIZE], proof[WIRE_MAX_PROOF] = { 0 },
					zeros[WIRE_MAX_PROOF] = { 0 };
	uint8_t secret[AUTH_SECRET_SIZE];
	struct wire_challenge challenge;
	uint32_t len = 77;

	(void)state;
	greet();
	memcpy(secret, cookie.secret, sizeof(secret));
	secret[0] ^= 1;
	challenge = challenge_with(secret, shown);
	assert_refused(uromh_auth_answer(&auth, &challenge, "peer", proof, &len),
		       DOCA_ERROR_AUTHENTICATION, "DOCA_UROM_COOKIE must name a copy");
	/* Nor to who shows nothing at all, or the bytes that this side would show. */
	challenge = challenge_with(cookie.secret, shown);
	challenge.proof.len = 0;
	assert_refused(uromh_auth_answer(&auth, &challenge, "peer", proof, &len),
		       DOCA_ERROR_AUTHENTICATION, "another secret");
	assert_int_equal(len, 77);
	assert_memory_equal(proof, zeros, sizeof(proof));
	assert_refused(welcome_from("192.0.2.1"), DOCA_ERROR_AUTHENTICATION, "has not shown");
}

static void the_secret_that_the_daemon_has_is_taken(void **state)
{
	uint8_t shown[AUTH_PROOF_SIZE], proof[WIRE_MAX_PROOF];
	struct wire_challenge challenge;
	struct wire_bytes answer = { proof, 0 };

	(void)state;
	greet();
	/* As after the files of user and machine were both found. */
	auth.cookies[1] = auth.cookies[0];
	auth.num_cookies = 2;
	memset(auth.cookies[0].secret, 0, AUTH_SECRET_SIZE);
	challenge = challenge_with(cookie.secret, shown);
	assert_success(uromh_auth_answer(&auth, &challenge, "peer", proof, &answer.len));
	assert_true(auth_proof_check(cookie.secret, &auth.context, AUTH_PEER, &answer));
}

static void challenge_of_another_method_is_refused(void **state)
{
	uint8_t shown[AUTH_PROOF_SIZE], proof[WIRE_MAX_PROOF];
	static const uint8_t methods[] = { WIRE_AUTH_NONE, WIRE_AUTH_MUNGE, 200 };
	struct wire_challenge challenge;
	uint32_t len;

	(void)state;
	greet();
	for (size_t i = 0; i < CORE_ARRAY_LEN(methods); i++) {
		challenge = challenge_with(cookie.secret, shown);
		challenge.auth = methods[i];
		assert_refused(uromh_auth_answer(&auth, &challenge, "peer", proof, &len),
			       DOCA_ERROR_AUTHENTICATION, "DOCA_UROM_AUTH chooses");
	}
	uromh_auth_fini(&auth);
	/* Nor is there anything to answer with where nothing was offered. */
	choose("none");
	greet();
	challenge = challenge_with(cookie.secret, shown);
	challenge.auth = WIRE_AUTH_NONE;
	assert_refused(uromh_auth_answer(&auth, &challenge, "peer", proof, &len),
		       DOCA_ERROR_AUTHENTICATION, "DOCA_UROM_AUTH chooses");
}

/* Somebody may only pretend to be the daemon. */
static void daemon_that_shows_nothing_is_believed_on_this_machine_alone(void **state)
{
	static const char *const here[] = { "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1" };
	static const char *const there[] = { "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1" };

	(void)state;
	greet();
	for (size_t i = 0; i < CORE_ARRAY_LEN(here); i++)
		assert_success(welcome_from(here[i]));
	for (size_t i = 0; i < CORE_ARRAY_LEN(there); i++)
		assert_refused(welcome_from(there[i]), DOCA_ERROR_AUTHENTICATION,
			       "DOCA_UROM_AUTH=none");
}

static void who_insists_believes_nobody_without_a_proof(void **state)
{
	(void)state;
	choose("cookie");
	greet();
	assert_refused(welcome_from("127.0.0.1"), DOCA_ERROR_AUTHENTICATION, "--auth cookie");
	assert_refused(welcome_from("192.0.2.1"), DOCA_ERROR_AUTHENTICATION, "--auth cookie");
}

static void who_asks_for_none_believes_everybody(void **state)
{
	(void)state;
	choose("none");
	greet();
	assert_int_equal(auth.method, WIRE_AUTH_NONE);
	assert_int_equal(auth.num_cookies, 0);
	assert_success(welcome_from("192.0.2.1"));
}

static void munge_is_offered_when_it_was_chosen(void **state)
{
	(void)state;
	choose("munge");
	if (!auth_munge_is_there()) {
		assert_refused(uromh_auth_init(&auth, 0), DOCA_ERROR_NOT_SUPPORTED, "libmunge");
		return;
	}
	greet();
	assert_int_equal(auth.method, WIRE_AUTH_MUNGE);
	assert_int_equal(auth.num_cookies, 0);
	assert_refused(welcome_from("127.0.0.1"), DOCA_ERROR_AUTHENTICATION, "--auth munge");
}

static void methods_that_are_none_are_named(void **state)
{
	(void)state;
	choose("kerberos");
	assert_refused(uromh_auth_init(&auth, 0), DOCA_ERROR_INVALID_VALUE, "kerberos");
	choose("");
	assert_refused(uromh_auth_init(&auth, 0), DOCA_ERROR_INVALID_VALUE, "DOCA_UROM_AUTH");
}

static void file_that_was_named_and_is_bad_is_refused(void **state)
{
	(void)state;
	assert_int_equal(chmod(cookie_path, 0644), 0);
	assert_refused(uromh_auth_init(&auth, 0), DOCA_ERROR_AUTHENTICATION, "chmod 600");
	assert_int_equal(unlink(cookie_path), 0);
	assert_refused(uromh_auth_init(&auth, 0), DOCA_ERROR_AUTHENTICATION, "there is none");
}

static void empty_name_of_a_file_is_none(void **state)
{
	size_t num_found;

	(void)state;
	assert_int_equal(unsetenv("DOCA_UROM_COOKIE"), 0);
	assert_success(uromh_auth_init(&auth, 0));
	num_found = auth.num_cookies;
	uromh_auth_fini(&auth);
	assert_int_equal(setenv("DOCA_UROM_COOKIE", "", 1), 0);
	assert_success(uromh_auth_init(&auth, 0));
	assert_int_equal(auth.num_cookies, num_found);
}

static void secrets_are_forgotten_in_the_end(void **state)
{
	static const struct uromh_auth nothing;

	(void)state;
	greet();
	uromh_auth_fini(&auth);
	assert_memory_equal(&auth, &nothing, sizeof(auth));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		AUTH_TEST(cookie_is_offered_where_there_is_one),
		AUTH_TEST(proof_is_shown_to_who_has_the_secret),
		AUTH_TEST(nothing_is_shown_to_who_has_another_secret),
		AUTH_TEST(the_secret_that_the_daemon_has_is_taken),
		AUTH_TEST(challenge_of_another_method_is_refused),
		AUTH_TEST(daemon_that_shows_nothing_is_believed_on_this_machine_alone),
		AUTH_TEST(who_insists_believes_nobody_without_a_proof),
		AUTH_TEST(who_asks_for_none_believes_everybody),
		AUTH_TEST(munge_is_offered_when_it_was_chosen),
		AUTH_TEST(methods_that_are_none_are_named),
		AUTH_TEST(file_that_was_named_and_is_bad_is_refused),
		AUTH_TEST(empty_name_of_a_file_is_none),
		AUTH_TEST(secrets_are_forgotten_in_the_end),
	};

	return cmocka_run_group_tests_name("host_auth", tests, NULL, NULL);
}
