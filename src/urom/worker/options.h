/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_OPTIONS_H_
#define UROMW_OPTIONS_H_

/* The command line that the daemon gives to a worker. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include "urom/chan/chan.h"
#include "urom/worker/failure.h"
#include "urom/worker/limits.h"

#define UROMW_MAX_PATH 4096 /* bytes, with the NUL */

struct uromw_plugin_file {
	char path[UROMW_MAX_PATH];
	uint64_t id; /* one bit */
};

struct uromw_options {
	bool is_help;      /* --help: nothing else counts */
	const char *probe; /* --probe: nothing else counts; borrowed from argv */
	int control_fd;
	int call_fd; /* -1: none */
	uint64_t id;
	struct sockaddr_storage listen;
	enum chan_kind channel;
	uint32_t log_level;
	uint32_t sdk_log_level;
	uint32_t max_message; /* bytes */
	uint64_t max_unread;  /* bytes */
	unsigned int plugin_timeout_s;
	unsigned int num_plugins;
	struct uromw_plugin_file plugins[UROMW_MAX_PLUGINS];
};

/*
 * Reads the command line. Several calls are independent of each other.
 * Errors: INVALID_VALUE: not one that a worker can start from; failure says why.
 */
doca_error_t uromw_options_parse(int argc, char **argv, struct uromw_options *options,
				 struct uromw_failure *failure);

void uromw_options_print(FILE *file);

#endif /* UROMW_OPTIONS_H_ */
