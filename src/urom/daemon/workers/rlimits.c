/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/rlimits.h"

#include <errno.h>

#include "core/error.h"
#include "core/export.h"

/* Seconds that a worker has to end when its time is over, before it is killed. */
#define CPU_GRACE_S 2

static const struct {
	enum uromd_limit_id id;
	int resource;
	rlim_t grace; /* from the soft limit to the hard one */
} rows[] = {
	{ UROMD_LIMIT_FILES, RLIMIT_NOFILE, 0 },
	{ UROMD_LIMIT_CORE, RLIMIT_CORE, 0 },
	{ UROMD_LIMIT_CPU_TIME, RLIMIT_CPU, CPU_GRACE_S },
	/* The last, as there may be no memory for anything behind it. */
	{ UROMD_LIMIT_MEMORY, RLIMIT_AS, 0 },
};

/* Never more than the daemon itself may have: that takes a privilege. */
static int set(int resource, rlim_t soft, rlim_t hard)
{
	struct rlimit present;

	if (getrlimit(resource, &present) != 0)
		return -1;
	present.rlim_max = hard < present.rlim_max ? hard : present.rlim_max;
	present.rlim_cur = soft < present.rlim_max ? soft : present.rlim_max;
	return setrlimit(resource, &present);
}

doca_error_t uromd_rlimits_set(const struct uromd_limit_values *limits, const struct rlimit *files,
			       enum uromd_limit_id *which)
{
	if (setrlimit(RLIMIT_NOFILE, files) != 0) {
		*which = UROMD_LIMIT_FILES;
		return core_error_from_errno(errno);
	}
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		const rlim_t value = limits->of[rows[i].id];

		if (value == 0 && uromd_limits[rows[i].id].zero != UROMD_ZERO_IS_NUMBER)
			continue;
		if (set(rows[i].resource, value, value + rows[i].grace) != 0) {
			*which = rows[i].id;
			return core_error_from_errno(errno);
		}
	}
	return DOCA_SUCCESS;
}
