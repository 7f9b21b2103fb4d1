/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_LOG_LEVEL_H_
#define CORE_LOG_LEVEL_H_

/* Levels as people write them: numbers, or names in any case. */

#include <stdbool.h>
#include <stdint.h>

#include <doca_log.h>

#include "core/export.h"

/* Is it a level that a limit may have, DISABLE included? Thread: any. Source: ours. */
CORE_EXPORT bool core_log_level_is_known(uint32_t level);

/* The level of a whole text; false, and no output, when it is none. Thread: any. Source: ours. */
CORE_EXPORT bool core_log_level_from_text(const char *text, uint32_t *level);

#endif /* CORE_LOG_LEVEL_H_ */
