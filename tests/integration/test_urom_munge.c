/* SPDX-License-Identifier: BSD-3-Clause */
/* A service whose host shows a MUNGE credential, end to end. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/clock.h"
#include "munge_rig.h"
#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define NS_A_MS       UINT64_C(1000000)
#define SHORT_MS      300
#define SHORT_WAIT_MS 5000
#define MIN_START_MS  9000
#define MAX_START_MS  14000

static struct munge_rig munge;
static struct urom_rig rig;

static int setup(void **state)
{
	/* A daemon that is more patient than hosts, so that it is always they who give up. */
	static const char *args[] = { "--auth", "munge",          "--handshake-timeout",
				      "60",     "--munge-socket", NULL,
				      NULL };
	static struct urom_rig_options options = { .args = args };

	test_begin(state);
	munge_rig_init(&munge);
	args[5] = munge.socket;
	urom_rig_init(&rig, &options);
	assert_int_equal(setenv("DOCA_UROM_AUTH", "munge", 1), 0);
	assert_int_equal(setenv("DOCA_UROM_MUNGE_SOCKET", munge.socket, 1), 0);
	return 0;
}

static int teardown(void **state)
{
	munge_rig_stop(&munge); /* the rig waits for all processes of this one */
	urom_rig_fini(&rig);
	munge_rig_fini(&munge);
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	assert_int_equal(unsetenv("DOCA_UROM_MUNGE_SOCKET"), 0);
	return test_end(state);
}

#define MUNGE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void check_start_refused(const char *part)
{
	struct urom_host host;

	urom_host_init(&host);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_AUTHENTICATION, part);
	urom_host_fini(&host);
}

static void credential_is_all_that_is_needed(void **state)
{
	struct urom_host host;

	(void)state;
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
}

static void munged_that_does_not_run_is_named_on_both_sides(void **state)
{
	(void)state;
	munge_rig_stop(&munge);
	check_start_refused("the munged of this machine cannot be reached");
	urom_logs_take(&rig.logs,
		       "authentication by munge: it has left and not given the proof that it was "
		       "asked for; munged must run on its machine");
}

static void stop_munged(void)
{
	assert_int_equal(kill(munge.program.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(munge.program.pid, NULL, WUNTRACED), munge.program.pid);
}

/* It takes the connection all the same; libmunge would wait for 10 s, whatever is left. */
static void munged_that_is_stopped_is_waited_for_no_longer_than_a_start_has(void **state)
{
	const struct auth_context context = { .role = WIRE_ROLE_HOST };
	uint8_t credential[WIRE_MAX_PROOF];
	uint64_t begin = test_now_ns();
	struct auth_reason reason;
	uint32_t len;

	(void)state;
	stop_munged();
	assert_error(auth_munge_encode(munge.socket, &context, core_now_ms() + SHORT_MS, credential,
				       &len, &reason),
		     DOCA_ERROR_TIME_OUT);
	assert_in_range(test_now_ns() - begin, SHORT_MS * NS_A_MS, SHORT_WAIT_MS * NS_A_MS);
	assert_non_null(strstr(reason.text, "does not answer in time; start it again"));
	assert_int_equal(len, 0);
}

static void munged_that_is_stopped_ends_the_start_within_its_bound(void **state)
{
	const uint64_t begin = test_now_ns();
	struct urom_host host;

	(void)state;
	stop_munged();
	urom_host_init(&host);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_TIME_OUT,
		       "the munged of this machine");
	assert_in_range(test_now_ns() - begin, MIN_START_MS * NS_A_MS, MAX_START_MS * NS_A_MS);
	urom_logs_take(&rig.logs, "it has left and not given the proof that it was asked for");
	assert_int_equal(kill(munge.program.pid, SIGCONT), 0);
	urom_host_start(&host);
	urom_host_fini(&host);
}

static void host_that_offers_its_cookie_is_told_what_to_do(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("DOCA_UROM_AUTH"), 0);
	check_start_refused("set DOCA_UROM_AUTH=munge for it");
	urom_logs_take(&rig.logs, "authentication by munge is asked for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MUNGE_TEST(credential_is_all_that_is_needed),
		MUNGE_TEST(munged_that_does_not_run_is_named_on_both_sides),
		MUNGE_TEST(munged_that_is_stopped_is_waited_for_no_longer_than_a_start_has),
		MUNGE_TEST(munged_that_is_stopped_ends_the_start_within_its_bound),
		MUNGE_TEST(host_that_offers_its_cookie_is_told_what_to_do),
	};

	return cmocka_run_group_tests_name("urom_munge", tests, NULL, NULL);
}
