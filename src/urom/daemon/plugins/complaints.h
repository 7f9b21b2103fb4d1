/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_COMPLAINTS_H_
#define UROMD_COMPLAINTS_H_

/*
 * What a scan found to be wrong. Each scan finds all of it again, but the log is to have each line
 * once: a complaint is told when the scan before had none like it.
 */

#include <stddef.h>

/* Zeroed memory has none. */
struct uromd_complaints {
	char **texts; /* owned */
	size_t num;
	size_t capacity;
};

void uromd_complaints_fini(struct uromd_complaints *complaints);

/* Adds one line, its control characters replaced. Without memory it is lost. */
__attribute__((format(printf, 2, 3))) void uromd_complain(struct uromd_complaints *complaints,
							  const char *format, ...);

/* Logs what is in complaints and not in before, as warnings. */
void uromd_complaints_log(const struct uromd_complaints *complaints,
			  const struct uromd_complaints *before);

/* Replaces bytes that would do things to a terminal or start a line of their own. */
void uromd_make_harmless(char *text);

#endif /* UROMD_COMPLAINTS_H_ */
