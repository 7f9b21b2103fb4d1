/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ARGS_LIMITS_H_
#define UROMD_ARGS_LIMITS_H_

#include <doca_error.h>

/*
 * Registers the arguments that set limits with argp, as the table of limits has them; what is given
 * becomes a text in the config. Errors: as of argp.
 */
doca_error_t uromd_args_add_limits(void);

#endif /* UROMD_ARGS_LIMITS_H_ */
