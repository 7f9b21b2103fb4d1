/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/notify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/daemon/daemon.h"

DOCA_LOG_REGISTER(UROMD::NOTIFY);

/* Writes a file that is never seen half. */
static bool write_file(const char *path, const char *text)
{
	char *draft;
	FILE *file;
	bool is_good;

	if (asprintf(&draft, "%s.%d", path, (int)getpid()) < 0) {
		errno = ENOMEM;
		return false;
	}
	file = fopen(draft, "we");
	is_good = file != NULL && fprintf(file, "%s\n", text) > 0;
	if (file != NULL && fclose(file) != 0)
		is_good = false;
	if (is_good)
		is_good = rename(draft, path) == 0;
	if (!is_good && file != NULL) {
		int err = errno;

		(void)unlink(draft); /* it may be there */
		errno = err;
	}
	free(draft);
	return is_good;
}

static doca_error_t publish(struct uromd_daemon *daemon, struct uromd_failure *failure)
{
	const char *path = daemon->config->port_file;

	if (path == NULL)
		return DOCA_SUCCESS;
	daemon->port_file = strdup(path);
	if (daemon->port_file == NULL)
		return uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
	if (write_file(path, daemon->listener.address))
		return DOCA_SUCCESS;
	free(daemon->port_file);
	daemon->port_file = NULL;
	return uromd_fail(failure, core_error_from_errno(errno), "--port-file: %s: %s", path,
			  strerror(errno));
}

doca_error_t uromd_notify_ready(struct uromd_daemon *daemon, struct uromd_failure *failure)
{
	const char *address = daemon->listener.address;
	doca_error_t result = publish(daemon, failure);

	if (result != DOCA_SUCCESS)
		return result;
	DOCA_LOG_INFO("listening on %s", address);
	/* Nobody may be there to hear it. */
	(void)sd_notifyf(0, "READY=1\nSTATUS=listening on %s\nX_OPENUROM_LISTEN=%s", address,
			 address);
	return DOCA_SUCCESS;
}

void uromd_notify_stopping(const struct uromd_daemon *daemon)
{
	(void)sd_notifyf(0, "STOPPING=1\nSTATUS=waiting for %u workers to end",
			 daemon->workers.count); /* as above */
}

void uromd_notify_fini(struct uromd_daemon *daemon)
{
	if (daemon->port_file != NULL && unlink(daemon->port_file) != 0)
		DOCA_LOG_WARN("%s cannot be removed: %s", daemon->port_file, strerror(errno));
	free(daemon->port_file);
	daemon->port_file = NULL;
}
