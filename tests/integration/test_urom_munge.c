/* SPDX-License-Identifier: BSD-3-Clause */
/* A service whose host shows a MUNGE credential, end to end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "munge_rig.h"
#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

static struct munge_rig munge;
static struct urom_rig rig;

static int setup(void **state)
{
	static const char *args[] = { "--auth", "munge", "--munge-socket", NULL, NULL };
	static struct urom_rig_options options = { .args = args };

	test_begin(state);
	munge_rig_init(&munge);
	args[3] = munge.socket;
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
		MUNGE_TEST(host_that_offers_its_cookie_is_told_what_to_do),
	};

	return cmocka_run_group_tests_name("urom_munge", tests, NULL, NULL);
}
