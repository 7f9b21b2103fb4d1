/* SPDX-License-Identifier: BSD-3-Clause */
/* Workers that have no descriptors left, by the number of their hosts or by a plugin's doing. */
#include <signal.h>
#include <string.h>

#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define MAX_HOSTS 40
#define REFUSED   "takes no more hosts: of its 40 descriptors"

static struct urom_host hosts[MAX_HOSTS];
static struct urom_rig rig;

/* Lists end with NULL. */
#define RIG_OF(...) \
	((const struct urom_rig_options){ .args = (const char *const[]){ __VA_ARGS__, NULL } })

/* Starts the worker for one host more; false: that is refused, and both sides say why. */
static bool add_host(struct urom_host *host)
{
	struct doca_ctx *ctx;

	urom_host_init_running(host);
	ctx = doca_urom_worker_as_ctx(urom_host_worker(host, 7));
	assert_error(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	while (urom_host_state(ctx) == DOCA_CTX_STATE_STARTING)
		(void)doca_pe_progress(host->pe);
	host->heard.num_words = 0;
	host->heard.text[0] = '\0';
	if (urom_host_state(ctx) == DOCA_CTX_STATE_RUNNING)
		return true;
	test_take_log(REFUSED);
	urom_logs_take(&rig.logs, "one more host is not let in");
	urom_logs_take(&rig.logs, "--worker-files of the daemon sets that limit");
	urom_host_fini(host);
	return false;
}

static void check_hosts_are_served(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		urom_host_check_echo(&hosts[i], hosts[i].workers[0]);
}

static void check_host_over_the_limit(const struct urom_rig_options *options)
{
	unsigned int count = 0;
	pid_t pid;

	urom_rig_init(&rig, options);
	while (add_host(&hosts[count]))
		assert_true(++count < MAX_HOSTS);
	assert_true(count > 1);
	pid = urom_rig_worker(&rig);
	check_hosts_are_served(count);
	assert_int_equal(kill(rig.daemon, SIGUSR1), 0);
	urom_logs_wait(&rig.logs, "urom_daemon", "limit=40 hits=1");
	/* Who leaves makes room. */
	urom_host_fini(&hosts[--count]);
	while (!add_host(&hosts[count]))
		continue;
	check_hosts_are_served(++count);
	assert_int_equal(urom_rig_worker(&rig), pid);
	for (unsigned int i = 0; i < count; i++)
		urom_host_fini(&hosts[i]);
	urom_rig_fini(&rig);
}

static void host_over_the_descriptors_is_refused_alone_over_ucx(void **state)
{
	const struct urom_rig_options options = RIG_OF("--worker-files", "40");

	(void)state;
	check_host_over_the_limit(&options);
}

static void host_over_the_descriptors_is_refused_alone_over_tcp(void **state)
{
	const struct urom_rig_options options = RIG_OF("--worker-files", "40", "--channel", "tcp");

	(void)state;
	check_host_over_the_limit(&options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_over_the_descriptors_is_refused_alone_over_ucx),
		TEST(host_over_the_descriptors_is_refused_alone_over_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
