/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/limit_table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urom/daemon/base/limits.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)

const struct uromd_limit uromd_limits[UROMD_NUM_LIMITS] = {
	[UROMD_LIMIT_SESSIONS] = {
		.name = "max-sessions", .unit = "<number>",
		.what = "hosts and operators that are connected",
		.usual = 2048, .least = 1, .most = 65536,
	},
	[UROMD_LIMIT_HALF_OPEN] = {
		.name = "max-half-open", .unit = "<number>",
		.what = "connections that have not shaken hands; the oldest makes room",
		.usual = 1024, .least = 1, .most = 65536,
	},
	[UROMD_LIMIT_HANDSHAKE] = {
		.name = "handshake-timeout", .unit = "<seconds>",
		.what = "the time until a host has shaken hands",
		.usual = 10, .least = 1, .most = 3600,
	},
	[UROMD_LIMIT_WORKERS] = {
		.name = "max-workers", .unit = "<number>",
		.what = "worker processes",
		.usual = 1024, .least = 1, .most = 65536,
	},
	[UROMD_LIMIT_SESSION_WORKERS] = {
		.name = "max-workers-per-session", .unit = "<number>",
		.what = "connections to workers of one host",
		.usual = 1024, .least = 1, .most = 65536,
	},
	[UROMD_LIMIT_ENVIRONMENTS] = {
		.name = "max-environments", .unit = "<bytes>",
		.what = "the environments of all starts that are not answered yet",
		.usual = 64 * MIB, .least = WIRE_MAX_LIST, .most = GIB << 10, .is_bytes = true,
	},
	[UROMD_LIMIT_MEMORY] = {
		.name = "worker-memory", .unit = "<bytes>",
		.what = "the address space of a worker",
		.usual = 0, .least = 64 * MIB, .most = GIB << 20, .is_bytes = true,
		.zero = UROMD_ZERO_IS_NONE,
	},
	[UROMD_LIMIT_CPU_TIME] = {
		.name = "worker-cpu-time", .unit = "<seconds>",
		.what = "the processor time of a worker",
		.usual = 0, .least = 1, .most = UINT64_C(365) * 86400,
		.zero = UROMD_ZERO_IS_NONE,
	},
	[UROMD_LIMIT_FILES] = {
		.name = "worker-files", .unit = "<number>",
		.what = "the descriptors that a worker may have open",
		.usual = 0, .least = 32, .most = 1 << 20,
		.zero = UROMD_ZERO_IS_INHERITED,
	},
	[UROMD_LIMIT_CORE] = {
		.name = "worker-core", .unit = "<bytes>",
		.what = "the core file of a worker that crashes",
		.usual = 0, .least = 0, .most = GIB << 20, .is_bytes = true,
	},
	[UROMD_LIMIT_MESSAGE] = {
		.name = "max-msg-size", .short_name = "m", .unit = "<bytes>",
		.what = "the largest message between hosts and workers",
		.usual = 4096, .least = UROMD_MIN_MESSAGE, .most = WIRE_MAX_PAYLOAD,
		.is_bytes = true,
	},
	[UROMD_LIMIT_UNREAD] = {
		.name = "max-unread", .unit = "<bytes>",
		.what = "the memory of answers that a host does not read",
		.usual = 512 * MIB, .least = MIB, .most = GIB << 10, .is_bytes = true,
	},
	[UROMD_LIMIT_LOG_SIZE] = {
		.name = "max-log-size", .unit = "<bytes>",
		.what = "a log file before it begins anew, its end kept in one with .1",
		.usual = 64 * MIB, .least = 64 * KIB, .most = GIB << 10, .is_bytes = true,
		.zero = UROMD_ZERO_IS_NONE,
	},
	[UROMD_LIMIT_LOGS] = {
		.name = "keep-logs", .unit = "<number>",
		.what = "logs that are kept of workers that have ended",
		.usual = 100, .least = 0, .most = 10000,
	},
};

static const char suffixes[] = "KMG";

/* A digit first: strtoull() alone would take blanks and signs. */
static bool parse_number(const char *text, bool is_bytes, uint64_t *value)
{
	const char *suffix;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno != 0)
		return false;
	if (*end == '\0')
		return true;
	suffix = strchr(suffixes, *end);
	if (!is_bytes || suffix == NULL || end[1] != '\0')
		return false;
	return !__builtin_mul_overflow(*value, KIB << (10 * (suffix - suffixes)), value);
}

doca_error_t uromd_limit_parse(enum uromd_limit_id id, const char *text, uint64_t *value,
			       struct uromd_failure *failure)
{
	const struct uromd_limit *limit = &uromd_limits[id];
	const bool is_zero_special = limit->zero != UROMD_ZERO_IS_NUMBER;
	uint64_t parsed;

	if (parse_number(text, limit->is_bytes, &parsed) &&
	    ((is_zero_special && parsed == 0) ||
	     (parsed >= limit->least && parsed <= limit->most))) {
		*value = parsed;
		return DOCA_SUCCESS;
	}
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE, "--%s: %s is not %sfrom %lu to %lu%s",
			  limit->name, text, is_zero_special ? "0 or " : "", limit->least,
			  limit->most,
			  limit->is_bytes ? " bytes, or with K, M or G behind it" : "");
}

const char *uromd_limit_value_text(enum uromd_limit_id id, uint64_t value,
				   char text[UROMD_LIMIT_TEXT])
{
	size_t n = 0;

	while (uromd_limits[id].is_bytes && n < strlen(suffixes) && value > 0 && value % KIB == 0) {
		value /= KIB;
		n++;
	}
	(void)snprintf(text, UROMD_LIMIT_TEXT, "%lu%.*s", value, n > 0 ? 1 : 0,
		       n > 0 ? &suffixes[n - 1] : "");
	return text;
}

const char *uromd_limit_bounds_text(enum uromd_limit_id id, char text[UROMD_LIMIT_TEXT])
{
	static const char *const zeros[] = {
		[UROMD_ZERO_IS_NUMBER] = "",
		[UROMD_ZERO_IS_NONE] = "; 0: no limit",
		[UROMD_ZERO_IS_INHERITED] = "; 0: as the daemon",
	};
	const struct uromd_limit *limit = &uromd_limits[id];
	char least[UROMD_LIMIT_TEXT], most[UROMD_LIMIT_TEXT];

	(void)snprintf(text, UROMD_LIMIT_TEXT, "%.20s to %.20s%s",
		       uromd_limit_value_text(id, limit->least, least),
		       uromd_limit_value_text(id, limit->most, most), zeros[limit->zero]);
	return text;
}

doca_error_t uromd_limit_fail(struct uromd_failure *failure, doca_error_t error,
			      enum uromd_limit_id id, const char *format, ...)
{
	char what[WIRE_MAX_REASON / 2];
	va_list args;

	va_start(args, format);
	if (vsnprintf(what, sizeof(what), format, args) < 0)
		what[0] = '\0';
	va_end(args);
	return uromd_fail(failure, error, "%s; --%s of the daemon sets that limit", what,
			  uromd_limits[id].name);
}
