/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/log_level.h"

#include <stddef.h>

/* Of several names the first is the one that texts for people use. */
static const struct {
	uint32_t level;
	const char *number;
	const char *name;
} level_names[] = {
	{ DOCA_LOG_LEVEL_DISABLE, "10", "DISABLE" }, { DOCA_LOG_LEVEL_CRIT, "20", "CRITICAL" },
	{ DOCA_LOG_LEVEL_CRIT, "20", "CRIT" },       { DOCA_LOG_LEVEL_ERROR, "30", "ERROR" },
	{ DOCA_LOG_LEVEL_WARNING, "40", "WARNING" }, { DOCA_LOG_LEVEL_INFO, "50", "INFO" },
	{ DOCA_LOG_LEVEL_DEBUG, "60", "DEBUG" },     { DOCA_LOG_LEVEL_TRACE, "70", "TRACE" },
};

/* Upper case of ASCII alone: in some locales "info" and "INFO" are different words. */
static int to_upper(int c)
{
	return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static bool is_same(const char *name, const char *text)
{
	while (*name != '\0' && *name == to_upper(*text)) {
		name++;
		text++;
	}
	return *name == '\0' && *text == '\0';
}

bool core_log_level_is_known(uint32_t level)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(level_names); i++) {
		if (level_names[i].level == level)
			return true;
	}
	return false;
}

bool core_log_level_from_text(const char *text, uint32_t *level)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(level_names); i++) {
		if (!is_same(level_names[i].name, text) && !is_same(level_names[i].number, text))
			continue;
		*level = level_names[i].level;
		return true;
	}
	return false;
}
