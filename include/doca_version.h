/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The API level that the headers were written for and the one that the library was built for. It is
 * not the version of OpenUROM, which pkg-config gives as openurom_version.
 */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#include <stddef.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Major and minor fit into 8 bits, patch is at most 9999. */
#define DOCA_VERSION_MAJOR  3
#define DOCA_VERSION_MINOR  3
#define DOCA_VERSION_PATCH  0

#define DOCA_VERSION_STRING "3.3.0"

/* One number that tells any two versions apart; structures carry it. */
#define DOCA_VERSION_CALC_EXACT(major, minor, patch) \
	((size_t)((major) << 24 | (minor) << 16 | (patch)))
#define DOCA_VERSION_EXACT \
	DOCA_VERSION_CALC_EXACT(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* One number to compare releases by; patch * 1000 runs into the minor from patch 66 on. */
#define DOCA_VERSION_CALC(major, minor, patch) \
	((size_t)((major) << 24 | (minor) << 16 | ((patch)*1000)))
#define DOCA_VERSION_OFFICIAL \
	DOCA_VERSION_CALC(DOCA_VERSION_MAJOR, DOCA_VERSION_MINOR, DOCA_VERSION_PATCH)

/* Is the given release these headers' own; is it this one or an earlier one. */
#define DOCA_VERSION_EQ_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) == DOCA_VERSION_OFFICIAL)
#define DOCA_VERSION_LTE_CURRENT(major, minor, patch) \
	(DOCA_VERSION_CALC(major, minor, patch) <= DOCA_VERSION_OFFICIAL)

/*
 * doca_version() - API level of the headers that the caller was compiled with.
 * Returns: DOCA_VERSION_STRING, lent until the calling module is unloaded.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
static inline const char *doca_version(void)
{
	return DOCA_VERSION_STRING;
}

/*
 * doca_version_runtime() - API level of the library that is loaded.
 * Returns: "major.minor.patch", lent until the process ends.
 * Thread: any. Source: DOCA 3.0 Core API.
 */
DOCA_EXPERIMENTAL
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
