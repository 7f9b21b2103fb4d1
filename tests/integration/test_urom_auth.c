/* SPDX-License-Identifier: BSD-3-Clause */
/* A service and its daemon prove to each other who they are, or do not get together. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_log.h>
#include <sodium.h>

#include "test.h"
#include "urom/auth/auth_proof.h"
#include "urom_fake.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define LOG_BYTES (1u << 20)

/* Makes a cookie that the daemon does not have the one that this process has. */
static void take_another_cookie(struct urom_rig *rig)
{
	struct auth_reason reason;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/another", rig->dir);
	assert_success(auth_cookie_make(path, &reason));
	assert_int_equal(setenv("DOCA_UROM_COOKIE", path, 1), 0);
}

static void name_cookie(struct urom_rig *rig, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", rig->dir, name);
	assert_int_equal(setenv("DOCA_UROM_COOKIE", path, 1), 0);
}

/* A start that is refused, with that line on this side; the service can be started again. */
static void check_start_refused(doca_error_t error, const char *part)
{
	struct urom_host host;

	urom_host_init(&host);
	assert_refused(doca_ctx_start(host.service_ctx), error, part);
	assert_int_equal(urom_host_state(host.service_ctx), DOCA_CTX_STATE_IDLE);
	urom_host_fini(&host);
}

static void check_no_child(const struct urom_rig *rig)
{
	pid_t pids[UROM_PROCS_MAX];

	assert_int_equal(urom_procs_children(rig->daemon, NULL, pids), 0);
}

static void check_works(void)
{
	struct urom_host host;

	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
}

static void same_cookie_is_all_that_is_needed(void **state)
{
	struct urom_rig *rig = *state;

	check_works();
	assert_true(urom_logs_have(&rig->logs, "urom_daemon", "authenticated by cookie"));
}

static void who_insists_on_the_cookie_gets_it(void **state)
{
	(void)state;
	assert_int_equal(setenv("DOCA_UROM_AUTH", "cookie", 1), 0);
	check_works();
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
}

static void another_cookie_is_told_apart_before_anything_is_shown(void **state)
{
	struct urom_rig *rig = *state;

	take_another_cookie(rig);
	check_start_refused(DOCA_ERROR_AUTHENTICATION,
			    "the daemon has another secret than this program; DOCA_UROM_COOKIE");
	check_no_child(rig);
	urom_logs_take(&rig->logs,
		       "authentication by cookie: it has left and not given the proof that it was "
		       "asked for; its cookie may be another one: DOCA_UROM_COOKIE");
	name_cookie(rig, "cookie");
	check_works();
}

static void host_without_a_cookie_is_refused_with_the_remedy_on_both_sides(void **state)
{
	struct urom_rig *rig = *state;

	assert_int_equal(setenv("DOCA_UROM_AUTH", "none", 1), 0);
	check_start_refused(DOCA_ERROR_AUTHENTICATION,
			    "authentication by cookie is asked for, and the host offers none: give "
			    "it a copy of the daemon's cookie file");
	check_no_child(rig);
	urom_logs_take(&rig->logs, "authentication by cookie is asked for");
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
}

static void files_that_are_no_good_are_named_on_this_side_alone(void **state)
{
	struct urom_rig *rig = *state;
	char path[PATH_MAX];

	name_cookie(rig, "missing");
	check_start_refused(DOCA_ERROR_AUTHENTICATION, "missing: there is none");
	urom_rig_write(rig, "malformed", "0123\n");
	(void)snprintf(path, sizeof(path), "%s/malformed", rig->dir);
	assert_int_equal(chmod(path, 0600), 0);
	name_cookie(rig, "malformed");
	check_start_refused(DOCA_ERROR_AUTHENTICATION, "64 hexadecimal digits");
	(void)snprintf(path, sizeof(path), "%s/cookie", rig->dir);
	assert_int_equal(chmod(path, 0644), 0);
	name_cookie(rig, "cookie");
	check_start_refused(DOCA_ERROR_AUTHENTICATION, "chmod 600");
	assert_int_equal(chmod(path, 0600), 0);
	check_works();
}

/* --- Daemons that ask for nothing --- */

static void daemon_without_authentication_serves_hosts_with_a_cookie_and_without(void **state)
{
	static const char *const args[] = { "--auth", "none", NULL };
	const struct urom_rig_options options = { .args = args };
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_works();
	assert_int_equal(setenv("DOCA_UROM_AUTH", "none", 1), 0);
	check_works();
	assert_int_equal(setenv("DOCA_UROM_AUTH", "cookie", 1), 0);
	check_start_refused(DOCA_ERROR_AUTHENTICATION, "has not shown that it is the right one");
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	urom_rig_fini(&rig);
}

/* --- Daemons that are none --- */

static void check_fake(urom_fake_script_t script, doca_error_t error, const char *part)
{
	struct urom_fake fake;
	struct urom_rig rig;

	urom_rig_init_stopped(&rig, NULL);
	urom_fake_start(&fake, script, &rig);
	urom_rig_write_service(&rig, fake.address);
	check_start_refused(error, part);
	urom_fake_stop(&fake);
	urom_rig_fini(&rig);
}

/* What a host that is asked sends; proof: NULL: something that is no proof. */
static uint64_t challenge(struct urom_fake *fake, const uint8_t *secret,
			  struct auth_context *context)
{
	uint8_t bytes[AUTH_PROOF_SIZE] = { 0 };
	struct wire_challenge message = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION_MAX,
		.auth = WIRE_AUTH_COOKIE,
		.proof = { bytes, sizeof(bytes) },
	};
	struct wire_hello hello;
	uint64_t id = urom_fake_receive(fake, WIRE_HELLO, &hello);

	*context = (struct auth_context){
		.version_min = hello.version_min,
		.version_max = hello.version_max,
		.version = message.version,
		.role = hello.role,
		.method = hello.auth,
	};
	memcpy(context->hello_nonce, hello.nonce, sizeof(hello.nonce));
	if (secret != NULL)
		auth_proof_make(secret, context, AUTH_DAEMON, bytes);
	urom_fake_send(fake, WIRE_CHALLENGE, id, &message);
	return id;
}

static void pretend(struct urom_fake *fake)
{
	struct auth_context context;

	(void)challenge(fake, NULL, &context);
	urom_fake_receive_end(fake);
}

static void who_pretends_to_be_the_daemon_is_shown_nothing(void **state)
{
	(void)state;
	check_fake(pretend, DOCA_ERROR_AUTHENTICATION, "the daemon has another secret");
}

static void read_cookie(const struct urom_fake *fake, struct auth_cookie *cookie)
{
	const struct urom_rig *rig = fake->arg;
	struct auth_reason reason;
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/cookie", rig->dir);
	assert_success(auth_cookie_load(path, cookie, &reason));
}

/* A second one would have the host show a proof of somebody else's choice. */
static void challenge_twice(struct urom_fake *fake)
{
	struct wire_challenge again = { .magic = WIRE_MAGIC, .version = WIRE_VERSION_MAX };
	struct auth_context context;
	struct auth_cookie cookie;

	read_cookie(fake, &cookie);
	(void)challenge(fake, cookie.secret, &context);
	urom_fake_send(fake, WIRE_CHALLENGE, urom_fake_receive(fake, WIRE_PROOF, NULL), &again);
	urom_fake_receive_end(fake);
}

static void one_challenge_is_answered(void **state)
{
	(void)state;
	check_fake(challenge_twice, DOCA_ERROR_CONNECTION_ABORTED, "is no UROM daemon");
}

static void challenge_in_another_version(struct urom_fake *fake)
{
	struct wire_challenge message = {
		.magic = WIRE_MAGIC,
		.version = WIRE_VERSION_MAX + 1,
		.auth = WIRE_AUTH_COOKIE,
	};

	urom_fake_send(fake, WIRE_CHALLENGE, urom_fake_receive(fake, WIRE_HELLO, NULL), &message);
	urom_fake_receive_end(fake);
}

static void challenge_in_a_version_that_was_not_offered_is_none(void **state)
{
	(void)state;
	check_fake(challenge_in_another_version, DOCA_ERROR_CONNECTION_ABORTED,
		   "is no UROM daemon");
}

static void hang_up_after_proof(struct urom_fake *fake)
{
	struct auth_context context;
	struct auth_cookie cookie;

	read_cookie(fake, &cookie);
	(void)challenge(fake, cookie.secret, &context);
	(void)urom_fake_receive(fake, WIRE_PROOF, NULL);
}

static void daemon_that_dies_in_the_handshake_is_no_connection(void **state)
{
	(void)state;
	check_fake(hang_up_after_proof, DOCA_ERROR_NOT_CONNECTED, "127.0.0.1:");
}

/* --- Logs --- */

static struct {
	uint8_t secret[AUTH_SECRET_SIZE];
	uint8_t proof[AUTH_PROOF_SIZE];
	uint8_t nonce[WIRE_NONCE_SIZE];
} seen;

static void look_at_proof(struct urom_fake *fake)
{
	struct auth_context context;
	struct auth_cookie cookie;
	struct wire_proof proof;
	struct wire_refused refused = {
		.magic = WIRE_MAGIC,
		.version_min = 1,
		.version_max = 1,
		.error = DOCA_ERROR_AUTHENTICATION,
		.reason = { "no", 2 },
	};
	uint64_t id;

	read_cookie(fake, &cookie);
	(void)challenge(fake, cookie.secret, &context);
	id = urom_fake_receive(fake, WIRE_PROOF, &proof);
	assert_int_equal(proof.proof.len, sizeof(seen.proof));
	assert_true(auth_proof_check(cookie.secret, &context, AUTH_PEER, &proof.proof));
	memcpy(seen.proof, proof.proof.data, sizeof(seen.proof));
	memcpy(seen.secret, cookie.secret, sizeof(seen.secret));
	memcpy(seen.nonce, context.hello_nonce, sizeof(seen.nonce));
	urom_fake_send(fake, WIRE_REFUSED, id, &refused);
	urom_fake_receive_end(fake);
}

static void check_not_in(const char *log, size_t len, const uint8_t *bytes, size_t num_bytes)
{
	char hex[2 * 32 + 1];

	assert_null(memmem(log, len, bytes, num_bytes));
	sodium_bin2hex(hex, sizeof(hex), bytes, num_bytes);
	assert_null(strcasestr(log, hex));
}

static void nothing_secret_is_in_the_hosts_log(void **state)
{
	static char log[LOG_BYTES];
	struct doca_log_backend *backend;
	FILE *file = tmpfile();
	size_t len;

	(void)state;
	assert_non_null(file);
	assert_success(doca_log_backend_create_with_file_sdk(file, &backend));
	assert_success(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_TRACE));
	assert_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_TRACE));
	check_fake(look_at_proof, DOCA_ERROR_AUTHENTICATION, "refuses this host: no");
	assert_success(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING));
	assert_success(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE));
	rewind(file);
	len = fread(log, 1, sizeof(log) - 1, file);
	log[len] = '\0';
	assert_non_null(strstr(log, "refuses this host: no"));
	check_not_in(log, len, seen.secret, sizeof(seen.secret));
	check_not_in(log, len, seen.proof, sizeof(seen.proof));
	check_not_in(log, len, seen.nonce, sizeof(seen.nonce));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(same_cookie_is_all_that_is_needed),
		UROM_TEST(who_insists_on_the_cookie_gets_it),
		UROM_TEST(another_cookie_is_told_apart_before_anything_is_shown),
		UROM_TEST(host_without_a_cookie_is_refused_with_the_remedy_on_both_sides),
		UROM_TEST(files_that_are_no_good_are_named_on_this_side_alone),
		TEST(daemon_without_authentication_serves_hosts_with_a_cookie_and_without),
		TEST(who_pretends_to_be_the_daemon_is_shown_nothing),
		TEST(one_challenge_is_answered),
		TEST(challenge_in_a_version_that_was_not_offered_is_none),
		TEST(daemon_that_dies_in_the_handshake_is_no_connection),
		/* Last, as its backend stays. */
		cmocka_unit_test(nothing_secret_is_in_the_hosts_log),
	};

	return cmocka_run_group_tests_name("urom_auth", tests, NULL, NULL);
}
