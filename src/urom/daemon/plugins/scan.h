/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_SCAN_H_
#define UROMD_SCAN_H_

/*
 * Scans: directories, the files in them that may be plugins, what is known of those, and a list of
 * those that are. Each scan looks into the directories no earlier than it is asked for: scans that
 * are asked for while a look goes on have the next one together. The probes of files are shared
 * with all others.
 */

#include <systemd/sd-event.h>

#include <doca_error.h>

#include "urom/daemon/plugins/complaints.h"
#include "urom/daemon/plugins/plugins.h"

/* A plugin that a scan has found. All is lent. */
struct uromd_found {
	const char *name;
	const char *path;
	uint64_t version;
};

struct uromd_prober;
struct uromd_scans;

/*
 * found: what scans came to, in the order of the search path, unless later ones were faster, or
 * the directories could not be looked into; is called before their done. complaints: taken.
 */
typedef void (*uromd_found_fn)(void *arg, const struct uromd_found *found, size_t num_found,
			       struct uromd_complaints *complaints);

/*
 * search_path: copied. prober: borrowed until uromd_scans_destroy(). scans: owned.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_scans_create(sd_event *event, const char *search_path,
				const struct uromd_prober *prober, uromd_found_fn found, void *arg,
				struct uromd_scans **scans);

/* Accepts NULL. No done is called. */
void uromd_scans_destroy(struct uromd_scans *scans);

/* uromd_plugins_scan(), which see. */
doca_error_t uromd_scan_begin(struct uromd_scans *scans, void (*done)(void *arg), void *arg,
			      struct uromd_scan **scan);

#endif /* UROMD_SCAN_H_ */
