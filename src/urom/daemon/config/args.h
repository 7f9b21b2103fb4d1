/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ARGS_H_
#define UROMD_ARGS_H_

#include "urom/daemon/config/config.h"

/*
 * Reads the command line into a config; prints the usage or the version and ends the process when
 * it asks for that.
 * config: written, to be freed with uromd_config_fini() whatever the result.
 * Errors: as doca_argp_start(); standard error tells.
 */
doca_error_t uromd_args_parse(int argc, char **argv, struct uromd_config *config);

#endif /* UROMD_ARGS_H_ */
