/* SPDX-License-Identifier: BSD-3-Clause */

/* doca_urom_daemon: the UROM service. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "urom/daemon/config/args.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/logs.h"

#define EXIT_USAGE 2

/* The loop takes signals in its turn; a log that nobody reads any more is no reason to die. */
static void prepare_signals(void)
{
	sigset_t taken;

	sigemptyset(&taken);
	sigaddset(&taken, SIGCHLD);
	sigaddset(&taken, SIGINT);
	sigaddset(&taken, SIGTERM);
	sigaddset(&taken, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &taken, NULL); /* these cannot fail */
	(void)signal(SIGPIPE, SIG_IGN);
	/* Ignored, as it may be by whoever has started this, it would have the system reap. */
	(void)signal(SIGCHLD, SIG_DFL);
}

static int serve(struct uromd_config *config)
{
	struct uromd_daemon *daemon;
	int status;

	if (uromd_logs_open(config) != DOCA_SUCCESS ||
	    uromd_daemon_create(config, &daemon) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	status = uromd_daemon_run(daemon);
	uromd_daemon_destroy(daemon);
	return status;
}

static int make_cookie(const struct uromd_config *config)
{
	struct auth_reason reason;

	if (auth_cookie_make(config->make_cookie, &reason) == DOCA_SUCCESS)
		return EXIT_SUCCESS;
	(void)fprintf(stderr, "doca_urom_daemon: %s\n", reason.text);
	return EXIT_FAILURE;
}

static int settle_and_serve(struct uromd_config *config)
{
	struct uromd_failure failure;

	if (config->make_cookie != NULL)
		return make_cookie(config);
	if (uromd_config_settle(config, &failure) == DOCA_SUCCESS)
		return serve(config);
	(void)fprintf(stderr, "doca_urom_daemon: %s\n", failure.reason);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct uromd_config config;
	int status = EXIT_USAGE;

	prepare_signals();
	if (uromd_args_parse(argc, argv, &config) == DOCA_SUCCESS)
		status = settle_and_serve(&config);
	uromd_config_fini(&config);
	return status;
}
