/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ANSWER_H_
#define UROMD_ANSWER_H_

/* What a probing process has printed, how it has ended, and what that says of the plugin. */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UROMD_REASON_SIZE 256

/* Bytes of standard output that can be an answer. */
#define UROMD_ANSWER_SIZE 64

struct uromd_answer {
	bool is_plugin;
	uint64_t version;
	char reason[UROMD_REASON_SIZE]; /* why it is none; else what it printed, if anything */
};

/* A line of standard error, as much as is kept of it. */
struct uromd_line {
	char text[UROMD_REASON_SIZE];
	size_t len;
};

/* All that is kept, however much comes. Zeroed memory has heard nothing. */
struct uromd_heard {
	char out[UROMD_ANSWER_SIZE];
	size_t out_len; /* one more than fits: it is no answer */
	struct uromd_line first;
	struct uromd_line last;
	struct uromd_line current;
};

void uromd_heard_out(struct uromd_heard *heard, const char *bytes, size_t len);
void uromd_heard_err(struct uromd_heard *heard, const char *bytes, size_t len);

/* end: as waitid() has it. */
void uromd_heard_judge(struct uromd_heard *heard, const siginfo_t *end,
		       struct uromd_answer *answer);

#endif /* UROMD_ANSWER_H_ */
