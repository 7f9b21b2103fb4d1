/* SPDX-License-Identifier: BSD-3-Clause */

/* Who is let in by a daemon, and who is not: hosts that speak frame by frame. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "core/export.h"
#include "rig_host.h"
#include "test.h"

#define NUM_CROWD 300

static const char no_proof[] =
    "authentication by cookie: it has left and not given the proof that it was asked for; its "
    "cookie may be another one: DOCA_UROM_COOKIE";

static struct daemon_rig rig;

static int setup(void **state)
{
	int status = test_begin(state);

	daemon_rig_init(&rig, (const char *const[]){ "-l", "70", NULL }, NULL);
	return status;
}

static int teardown(void **state)
{
	daemon_rig_fini(&rig);
	return test_end(state);
}

#define AUTH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define LIST(...)       ((const char *const[]){ __VA_ARGS__, NULL })

static void check_alive(void)
{
	struct rig_host host;

	rig_host_init(&host, &rig);
	rig_host_fini(&host);
}

/* Nothing was spawned: no worker, and no process that probes plugins. */
static void check_no_child(void)
{
	char path[64], text[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)rig.program.pid,
		       (int)rig.program.pid);
	assert_string_equal(daemon_rig_read(path, text, sizeof(text)), "");
}

/* Connects, and is asked for its proof. */
static void come(struct rig_host *host, struct wire_challenge *challenge)
{
	struct wire_hello hello = rig_host_hello();

	memset(hello.nonce, 0x3c, sizeof(hello.nonce));
	rig_host_connect(host, &rig);
	rig_host_greet(host, &hello);
	rig_host_receive(host, WIRE_CHALLENGE, challenge);
	host->auth.version = challenge->version;
	memcpy(host->auth.challenge_nonce, challenge->nonce, sizeof(challenge->nonce));
}

static void show(struct rig_host *host, const void *bytes, size_t len)
{
	const struct wire_proof proof = { { bytes, (uint32_t)len } };

	rig_host_send(host, WIRE_PROOF, &proof);
}

/* What it shows is refused, it hears why, and that is that. */
static void check_proof_refused(struct rig_host *host, const void *bytes, size_t len)
{
	show(host, bytes, len);
	assert_int_equal(rig_host_receive_refused(host, WIRE_REFUSED, DOCA_ERROR_AUTHENTICATION,
						  "authentication by cookie: the proof is wrong"),
			 2);
	rig_host_receive_end(host);
	check_no_child();
	daemon_rig_take_log(&rig, "the proof is wrong; both sides must have the same cookie file");
	rig_host_fini(host);
}

static void proof_of_another_secret_is_refused(void **state)
{
	uint8_t secret[AUTH_SECRET_SIZE], proof[AUTH_PROOF_SIZE];
	struct wire_challenge challenge;
	struct rig_host host;

	(void)state;
	memcpy(secret, rig.cookie.secret, sizeof(secret));
	secret[AUTH_SECRET_SIZE - 1] ^= 1;
	come(&host, &challenge);
	auth_proof_make(secret, &host.auth, AUTH_PEER, proof);
	check_proof_refused(&host, proof, sizeof(proof));
	check_alive();
}

static void proof_that_was_recorded_is_no_good_on_another_connection(void **state)
{
	struct wire_challenge challenge;
	uint8_t proof[AUTH_PROOF_SIZE];
	struct rig_host host;

	(void)state;
	come(&host, &challenge);
	auth_proof_make(rig.cookie.secret, &host.auth, AUTH_PEER, proof);
	show(&host, proof, sizeof(proof));
	rig_host_receive(&host, WIRE_WELCOME, &host.welcome);
	rig_host_fini(&host);
	/* The host's nonce is the same once more; the daemon's is not. */
	come(&host, &challenge);
	check_proof_refused(&host, proof, sizeof(proof));
}

static void daemons_own_proof_is_not_taken_from_others(void **state)
{
	struct wire_challenge challenge;
	uint8_t proof[AUTH_PROOF_SIZE];
	struct rig_host host;

	(void)state;
	come(&host, &challenge);
	assert_int_equal(challenge.proof.len, sizeof(proof));
	memcpy(proof, challenge.proof.data, sizeof(proof));
	check_proof_refused(&host, proof, sizeof(proof));
}

static void proofs_of_other_lengths_are_refused(void **state)
{
	static const size_t lengths[] = { 0, 1, AUTH_PROOF_SIZE - 1, AUTH_PROOF_SIZE + 1,
					  WIRE_MAX_PROOF };
	uint8_t proof[WIRE_MAX_PROOF] = { 0 };
	struct wire_challenge challenge;
	struct rig_host host;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(lengths); i++) {
		come(&host, &challenge);
		auth_proof_make(rig.cookie.secret, &host.auth, AUTH_PEER, proof);
		check_proof_refused(&host, proof, lengths[i]);
	}
}

static void proof_for_another_role_is_refused(void **state)
{
	struct wire_challenge challenge;
	uint8_t proof[AUTH_PROOF_SIZE];
	struct rig_host host;

	(void)state;
	come(&host, &challenge);
	host.auth.role = WIRE_ROLE_OPERATOR;
	auth_proof_make(rig.cookie.secret, &host.auth, AUTH_PEER, proof);
	check_proof_refused(&host, proof, sizeof(proof));
}

static void there_is_one_proof_a_connection(void **state)
{
	struct wire_challenge challenge;
	uint8_t good[AUTH_PROOF_SIZE], wrong[AUTH_PROOF_SIZE] = { 0 };
	struct rig_host host;

	(void)state;
	come(&host, &challenge);
	auth_proof_make(rig.cookie.secret, &host.auth, AUTH_PEER, good);
	show(&host, wrong, sizeof(wrong));
	show(&host, good, sizeof(good));
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_AUTHENTICATION, "proof is wrong");
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "the proof is wrong");
	rig_host_fini(&host);
	/* Nor is one taken behind the handshake. */
	rig_host_init(&host, &rig);
	show(&host, good, sizeof(good));
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "PROOF (type 3) is nothing that a host may send");
	rig_host_fini(&host);
}

static void nothing_but_a_proof_may_follow_a_challenge(void **state)
{
	const struct wire_worker_start start = { .worker_id = 1, .plugins = 1 };
	const struct wire_hello hello = rig_host_hello();
	const struct {
		uint16_t type;
		const void *record;
		const char *part;
	} rows[] = {
		{ WIRE_WORKER_START, &start, "WORKER_START (type 16) is no proof" },
		{ WIRE_HELLO, &hello, "HELLO (type 1) is no proof" },
	};
	struct wire_challenge challenge;
	struct rig_host host;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		come(&host, &challenge);
		rig_host_send(&host, rows[i].type, rows[i].record);
		rig_host_receive_end(&host);
		check_no_child();
		daemon_rig_take_log(&rig, rows[i].part);
		rig_host_fini(&host);
	}
}

static void proof_without_a_challenge_is_no_hello(void **state)
{
	const uint8_t proof[AUTH_PROOF_SIZE] = { 0 };
	struct rig_host host;

	(void)state;
	rig_host_connect(&host, &rig);
	show(&host, proof, sizeof(proof));
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "PROOF (type 3) is no hello of UROM");
	rig_host_fini(&host);
}

static void who_gives_no_proof_is_hung_up_on_after_10_s(void **state)
{
	const uint64_t began = test_now_ns();
	struct wire_challenge challenge;
	struct rig_host host;

	(void)state;
	come(&host, &challenge);
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_TIME_OUT, "no handshake");
	rig_host_receive_end(&host);
	assert_true(test_now_ns() - began >= UINT64_C(9900000000));
	daemon_rig_take_log(&rig, "no handshake within 10 s");
	rig_host_fini(&host);
}

static void nonces_of_the_daemon_do_not_come_again(void **state)
{
	struct wire_challenge first, second;
	struct rig_host one, other;

	(void)state;
	come(&one, &first);
	come(&other, &second);
	assert_memory_not_equal(first.nonce, second.nonce, sizeof(first.nonce));
	assert_memory_not_equal(first.proof.data, second.proof.data, AUTH_PROOF_SIZE);
	rig_host_fini(&one);
	daemon_rig_take_log(&rig, no_proof);
	rig_host_fini(&other);
	daemon_rig_take_log(&rig, no_proof);
}

/* He may be a host that has found out by himself that it has another secret. */
static void who_leaves_without_his_proof_is_told_of_with_the_remedy(void **state)
{
	struct wire_challenge challenge;
	struct rig_host host;

	(void)state;
	come(&host, &challenge);
	rig_host_fini(&host);
	daemon_rig_take_log(&rig, no_proof);
	check_no_child();
	check_alive();
}

/* A crowd of them is told of by their number. */
static void crowd_without_proofs_does_not_fill_the_log(void **state)
{
	const char *log = daemon_rig_path(&rig, "logs/urom_daemon_dev.log");
	struct wire_challenge challenge;
	struct rig_host host;

	(void)state;
	for (unsigned int i = 0; i < NUM_CROWD; i++) {
		come(&host, &challenge);
		rig_host_fini(&host);
	}
	daemon_rig_wait_text(log, "more lines about peers that were refused were left out");
	daemon_rig_signal(&rig, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig), 0);
	daemon_rig_drop_log(&rig);
}

/* Neither as it is nor as digits of either case. */
static void check_not_logged(const char *log, size_t len, const void *bytes, size_t num_bytes)
{
	char hex[2 * WIRE_MAX_PROOF + 1];

	assert_null(memmem(log, len, bytes, num_bytes));
	sodium_bin2hex(hex, sizeof(hex), bytes, num_bytes);
	assert_null(strstr(log, hex));
	for (char *at = hex; *at != '\0'; at++)
		*at = (char)(*at >= 'a' ? *at - 'a' + 'A' : *at);
	assert_null(strstr(log, hex));
}

static void nothing_secret_is_in_the_log(void **state)
{
	static char log[1u << 20];
	struct wire_challenge challenge;
	uint8_t good[AUTH_PROOF_SIZE], shown[AUTH_PROOF_SIZE];
	struct rig_host host;
	size_t len;

	(void)state;
	/* One that is refused, as then most is logged, and one that is let in. */
	come(&host, &challenge);
	auth_proof_make(rig.cookie.secret, &host.auth, AUTH_DAEMON, good);
	check_proof_refused(&host, good, sizeof(good));
	come(&host, &challenge);
	memcpy(shown, challenge.proof.data, sizeof(shown));
	auth_proof_make(rig.cookie.secret, &host.auth, AUTH_PEER, good);
	show(&host, good, sizeof(good));
	rig_host_receive(&host, WIRE_WELCOME, &host.welcome);
	daemon_rig_wait_text(daemon_rig_path(&rig, "logs/urom_daemon_dev.log"), ": open, for");
	daemon_rig_read(daemon_rig_path(&rig, "logs/urom_daemon_dev.log"), log, sizeof(log));
	len = strlen(log);
	assert_non_null(strstr(log, "authenticated by cookie"));
	check_not_logged(log, len, rig.cookie.secret, AUTH_SECRET_SIZE);
	check_not_logged(log, len, good, sizeof(good));
	check_not_logged(log, len, shown, sizeof(shown));
	check_not_logged(log, len, host.auth.hello_nonce, WIRE_NONCE_SIZE);
	check_not_logged(log, len, host.auth.challenge_nonce, WIRE_NONCE_SIZE);
	rig_host_fini(&host);
}

/* --- Other daemons --- */

static void whoever_can_connect_is_welcome_without_authentication(void **state)
{
	static const uint8_t offers[] = { WIRE_AUTH_NONE, WIRE_AUTH_COOKIE, WIRE_AUTH_MUNGE, 200 };
	struct wire_hello hello = rig_host_hello();
	struct rig_host host;

	(void)state;
	daemon_rig_init(&rig, LIST("--auth", "none"), NULL);
	for (size_t i = 0; i < CORE_ARRAY_LEN(offers); i++) {
		hello.auth = offers[i];
		rig_host_connect(&host, &rig);
		rig_host_greet(&host, &hello);
		rig_host_receive(&host, WIRE_WELCOME, &host.welcome);
		rig_host_fini(&host);
	}
	daemon_rig_fini(&rig);
}

static void addresses_that_are_not_allowed_are_refused_before_a_word(void **state)
{
	struct rig_host host;

	(void)state;
	daemon_rig_init(&rig, LIST("--allow-hosts", "10.0.0.0/8,127.0.0.2,::1"), NULL);
	rig_host_connect(&host, &rig);
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_AUTHENTICATION, "--allow-hosts");
	rig_host_receive_end(&host);
	check_no_child();
	daemon_rig_take_log(&rig, "is not among the addresses that may connect");
	rig_host_fini(&host);
	daemon_rig_fini(&rig);
}

static void addresses_that_are_allowed_still_have_to_prove(void **state)
{
	struct wire_hello hello = rig_host_hello();
	struct rig_host host;

	(void)state;
	daemon_rig_init(&rig, LIST("--allow-hosts", "127.0.0.0/8"), NULL);
	check_alive();
	hello.auth = WIRE_AUTH_NONE;
	rig_host_connect(&host, &rig);
	rig_host_greet(&host, &hello);
	rig_host_receive_refused(&host, WIRE_REFUSED, DOCA_ERROR_AUTHENTICATION,
				 "DOCA_UROM_COOKIE");
	rig_host_receive_end(&host);
	daemon_rig_take_log(&rig, "authentication by cookie is asked for");
	rig_host_fini(&host);
	daemon_rig_fini(&rig);
}

static void cookie_is_made_on_demand_and_never_twice(void **state)
{
	struct auth_cookie cookie;
	struct auth_reason reason;
	struct program program;
	char path[DAEMON_RIG_BYTES];

	(void)state;
	daemon_rig_init(&rig, NULL, NULL);
	(void)snprintf(path, sizeof(path), "%s", daemon_rig_path(&rig, "another"));
	assert_int_equal(program_run(&program, LIST(DOCA_UROM_DAEMON, "--make-cookie", path), NULL),
			 0);
	assert_string_equal(program.out, "");
	assert_string_equal(program.err, "");
	assert_success(auth_cookie_load(path, &cookie, &reason));
	assert_memory_not_equal(cookie.secret, rig.cookie.secret, AUTH_SECRET_SIZE);
	assert_int_equal(program_run(&program, LIST(DOCA_UROM_DAEMON, "--make-cookie", path), NULL),
			 1);
	program_check_marks(program.err, LIST(path, "not overwritten"));
	daemon_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		AUTH_TEST(proof_of_another_secret_is_refused),
		AUTH_TEST(proof_that_was_recorded_is_no_good_on_another_connection),
		AUTH_TEST(daemons_own_proof_is_not_taken_from_others),
		AUTH_TEST(proofs_of_other_lengths_are_refused),
		AUTH_TEST(proof_for_another_role_is_refused),
		AUTH_TEST(there_is_one_proof_a_connection),
		AUTH_TEST(nothing_but_a_proof_may_follow_a_challenge),
		AUTH_TEST(proof_without_a_challenge_is_no_hello),
		AUTH_TEST(who_gives_no_proof_is_hung_up_on_after_10_s),
		AUTH_TEST(nonces_of_the_daemon_do_not_come_again),
		AUTH_TEST(who_leaves_without_his_proof_is_told_of_with_the_remedy),
		AUTH_TEST(crowd_without_proofs_does_not_fill_the_log),
		AUTH_TEST(nothing_secret_is_in_the_log),
		TEST(whoever_can_connect_is_welcome_without_authentication),
		TEST(addresses_that_are_not_allowed_are_refused_before_a_word),
		TEST(addresses_that_are_allowed_still_have_to_prove),
		TEST(cookie_is_made_on_demand_and_never_twice),
	};

	return cmocka_run_group_tests_name("daemon_auth", tests, NULL, NULL);
}
