/* SPDX-License-Identifier: BSD-3-Clause */

/* Hosts that show MUNGE credentials, to a daemon and a munged of the test's own. */

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "munge_rig.h"
#include "rig_host.h"
#include "test.h"

#define NUM_HOSTS 20
#define LOOK_US   2000

static struct daemon_rig rig;
static struct munge_rig munge;

static void start_daemon(const char *option, const char *value)
{
	const char *const args[] = {
		"--auth", "munge", "--munge-socket", munge.socket, "-l", "70", option, value, NULL,
	};

	daemon_rig_init(&rig, args, NULL);
}

static int setup(void **state)
{
	int status = test_begin(state);

	munge_rig_init(&munge);
	start_daemon(NULL, NULL);
	return status;
}

static int setup_without_daemon(void **state)
{
	int status = test_begin(state);

	munge_rig_init(&munge);
	return status;
}

static int teardown_without_daemon(void **state)
{
	munge_rig_fini(&munge);
	return test_end(state);
}

/* The daemon's rig is first: it looks for processes that are left. */
static int teardown(void **state)
{
	munge_rig_stop(&munge);
	daemon_rig_fini(&rig);
	return teardown_without_daemon(state);
}

#define MUNGE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define BARE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, setup_without_daemon, teardown_without_daemon)

/* Connects, and is asked for its credential. */
static void come(struct rig_host *host)
{
	struct wire_hello hello = rig_host_hello();
	struct wire_challenge challenge;

	hello.auth = WIRE_AUTH_MUNGE;
	rig_host_connect(host, &rig);
	rig_host_greet(host, &hello);
	rig_host_receive(host, WIRE_CHALLENGE, &challenge);
	assert_int_equal(challenge.auth, WIRE_AUTH_MUNGE);
	assert_int_equal(challenge.proof.len, 0);
	host->auth.version = challenge.version;
	memcpy(host->auth.challenge_nonce, challenge.nonce, sizeof(challenge.nonce));
}

static void show(struct rig_host *host, const uint8_t *bytes, uint32_t len)
{
	const struct wire_proof proof = { { bytes, len } };

	rig_host_send(host, WIRE_PROOF, &proof);
}

static void show_own(struct rig_host *host)
{
	uint8_t bytes[WIRE_MAX_PROOF];

	show(host, bytes, munge_rig_encode(&munge, &host->auth, 0, bytes));
}

static void check_refused(struct rig_host *host, const char *part)
{
	rig_host_receive_refused(host, WIRE_REFUSED, DOCA_ERROR_AUTHENTICATION, part);
	rig_host_receive_end(host);
	daemon_rig_take_log(&rig, part);
	rig_host_fini(host);
}

static void check_alive(void)
{
	struct rig_host host;

	come(&host);
	show_own(&host);
	rig_host_receive(&host, WIRE_WELCOME, &host.welcome);
	rig_host_fini(&host);
}

static void credential_lets_its_user_in(void **state)
{
	char line[64];

	(void)state;
	check_alive();
	(void)snprintf(line, sizeof(line), "for the role host, user %u", getuid());
	daemon_rig_wait_text(daemon_rig_path(&rig, "logs/urom_daemon_dev.log"), line);
}

static void many_are_looked_at_in_turn(void **state)
{
	static struct rig_host hosts[NUM_HOSTS];

	(void)state;
	for (int i = 0; i < NUM_HOSTS; i++)
		come(&hosts[i]);
	for (int i = 0; i < NUM_HOSTS; i++)
		show_own(&hosts[i]);
	for (int i = 0; i < NUM_HOSTS; i++) {
		rig_host_receive(&hosts[i], WIRE_WELCOME, &hosts[i].welcome);
		rig_host_fini(&hosts[i]);
	}
}

static void credential_that_was_used_is_refused(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host;
	uint32_t len;

	(void)state;
	come(&host);
	len = munge_rig_encode(&munge, &host.auth, 0, bytes);
	show(&host, bytes, len);
	rig_host_receive(&host, WIRE_WELCOME, &host.welcome);
	rig_host_fini(&host);
	come(&host);
	show(&host, bytes, len);
	check_refused(&host, "authentication by munge: the credential was used before");
	check_alive();
}

static void credential_for_another_connection_is_refused(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host first, second;
	uint32_t len;

	(void)state;
	come(&first);
	come(&second);
	len = munge_rig_encode(&munge, &first.auth, 0, bytes);
	show(&second, bytes, len);
	check_refused(&second, "the credential was made for another connection");
	rig_host_fini(&first);
	daemon_rig_take_log(&rig, "authentication by munge: it has left and not given the proof");
}

static void credential_that_has_expired_is_refused(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host;
	uint32_t len;
	time_t made;

	(void)state;
	come(&host);
	len = munge_rig_encode(&munge, &host.auth, 1, bytes);
	made = time(NULL);
	/* Until the clock that munged goes by says so. */
	while (time(NULL) <= made + 1)
		usleep(LOOK_US);
	show(&host, bytes, len);
	check_refused(&host, "the credential has expired");
}

static void credential_of_another_key_is_refused(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct munge_rig other;
	struct rig_host host;

	(void)state;
	munge_rig_init(&other);
	come(&host);
	show(&host, bytes, munge_rig_encode(&other, &host.auth, 0, bytes));
	check_refused(&host, "the credential was made with another key");
	munge_rig_fini(&other);
}

static void what_is_no_credential_is_refused(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host;

	(void)state;
	come(&host);
	show(&host, bytes, 0);
	check_refused(&host, "what was sent is no credential");
	memset(bytes, 'x', sizeof(bytes));
	come(&host);
	show(&host, bytes, sizeof(bytes));
	check_refused(&host, "what was sent is no credential");
	memset(bytes, 0, sizeof(bytes));
	come(&host);
	show(&host, bytes, sizeof(bytes));
	check_refused(&host, "what was sent is no credential");
	check_alive();
}

static void who_offers_a_cookie_is_told_what_to_do(void **state)
{
	const struct wire_hello hello = rig_host_hello();
	struct rig_host host;

	(void)state;
	rig_host_connect(&host, &rig);
	rig_host_greet(&host, &hello);
	check_refused(&host, "the host offers cookie: set DOCA_UROM_AUTH=munge for it");
}

static void munged_that_is_gone_is_named(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host;
	uint32_t len;

	(void)state;
	come(&host);
	len = munge_rig_encode(&munge, &host.auth, 0, bytes);
	munge_rig_stop(&munge);
	show(&host, bytes, len);
	check_refused(&host, "munge");
}

/* The daemon's loop goes on, for others and for itself. */
static void munged_that_is_stopped_keeps_nobody_else_waiting(void **state)
{
	const struct wire_hello hello = rig_host_hello();
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host, other;
	uint64_t began;
	uint32_t len;

	(void)state;
	come(&host);
	len = munge_rig_encode(&munge, &host.auth, 0, bytes);
	assert_int_equal(kill(munge.program.pid, SIGSTOP), 0);
	began = test_now_ns();
	show(&host, bytes, len);
	rig_host_connect(&other, &rig);
	rig_host_greet(&other, &hello);
	check_refused(&other, "the host offers cookie");
	assert_true(test_now_ns() - began < UINT64_C(4000000000));
	rig_host_check_silent(&host);
	check_refused(&host, "has not answered within 5 s");
	assert_int_equal(kill(munge.program.pid, SIGCONT), 0);
	check_alive();
}

static void who_leaves_while_his_credential_is_looked_at_is_no_matter(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host;
	uint32_t len;

	(void)state;
	for (int i = 0; i < NUM_HOSTS; i++) {
		come(&host);
		len = munge_rig_encode(&munge, &host.auth, 0, bytes);
		assert_int_equal(kill(munge.program.pid, SIGSTOP), 0);
		show(&host, bytes, len);
		rig_host_fini(&host);
		assert_int_equal(kill(munge.program.pid, SIGCONT), 0);
	}
	check_alive();
}

/* --- Lists --- */

static void users_that_are_not_allowed_are_refused(void **state)
{
	struct rig_host host;

	(void)state;
	start_daemon("--allow-users", getuid() == 4711 ? "4712" : "4711,nobody");
	come(&host);
	show_own(&host);
	check_refused(&host, "is not among those who may connect");
	munge_rig_stop(&munge);
	daemon_rig_fini(&rig);
}

static void users_that_are_allowed_come_in(void **state)
{
	char list[32];

	(void)state;
	(void)snprintf(list, sizeof(list), "4711,%u", getuid());
	start_daemon("--allow-users", list);
	check_alive();
	munge_rig_stop(&munge);
	daemon_rig_fini(&rig);
}

static void daemon_ends_while_a_credential_is_looked_at(void **state)
{
	uint8_t bytes[WIRE_MAX_PROOF];
	struct rig_host host;
	uint32_t len;

	(void)state;
	start_daemon(NULL, NULL);
	come(&host);
	len = munge_rig_encode(&munge, &host.auth, 0, bytes);
	assert_int_equal(kill(munge.program.pid, SIGSTOP), 0);
	show(&host, bytes, len);
	daemon_rig_signal(&rig, SIGTERM);
	assert_int_equal(daemon_rig_wait(&rig), 0);
	rig_host_fini(&host);
	munge_rig_stop(&munge);
	daemon_rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MUNGE_TEST(credential_lets_its_user_in),
		MUNGE_TEST(many_are_looked_at_in_turn),
		MUNGE_TEST(credential_that_was_used_is_refused),
		MUNGE_TEST(credential_for_another_connection_is_refused),
		MUNGE_TEST(credential_that_has_expired_is_refused),
		MUNGE_TEST(credential_of_another_key_is_refused),
		MUNGE_TEST(what_is_no_credential_is_refused),
		MUNGE_TEST(who_offers_a_cookie_is_told_what_to_do),
		MUNGE_TEST(munged_that_is_gone_is_named),
		MUNGE_TEST(munged_that_is_stopped_keeps_nobody_else_waiting),
		MUNGE_TEST(who_leaves_while_his_credential_is_looked_at_is_no_matter),
		BARE_TEST(users_that_are_not_allowed_are_refused),
		BARE_TEST(users_that_are_allowed_come_in),
		BARE_TEST(daemon_ends_while_a_credential_is_looked_at),
	};

	return cmocka_run_group_tests_name("daemon_munge", tests, NULL, NULL);
}
