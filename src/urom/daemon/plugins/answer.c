/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "urom/daemon/plugins/complaints.h"

#define ANSWER_START "plugin "
#define API_START    " 0x"

void uromd_heard_out(struct uromd_heard *heard, const char *bytes, size_t len)
{
	size_t room = sizeof(heard->out) - heard->out_len;

	if (heard->out_len > sizeof(heard->out))
		return;
	if (len > room) {
		heard->out_len = sizeof(heard->out) + 1;
		return;
	}
	memcpy(heard->out + heard->out_len, bytes, len);
	heard->out_len += len;
}

static void end_line(struct uromd_heard *heard)
{
	if (heard->current.len == 0)
		return;
	uromd_make_harmless(heard->current.text);
	if (heard->first.len == 0)
		heard->first = heard->current;
	heard->last = heard->current;
	heard->current = (struct uromd_line){ .len = 0 };
}

void uromd_heard_err(struct uromd_heard *heard, const char *bytes, size_t len)
{
	struct uromd_line *line = &heard->current;

	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n')
			end_line(heard);
		else if (line->len + 1 < sizeof(line->text) && bytes[i] != '\0')
			line->text[line->len++] = bytes[i];
	}
}

/* A number of digits alone, from at on; end: behind it. */
static bool read_number(const char *at, int base, const char **end, uint64_t *value)
{
	char *behind;

	if (strspn(at, base == 10 ? "0123456789" : "0123456789abcdef") == 0)
		return false;
	errno = 0;
	*value = strtoull(at, &behind, base);
	*end = behind;
	return errno == 0;
}

/* "plugin VERSION 0xAPI_VERSION\n" and nothing else. */
static bool read_answer(const struct uromd_heard *heard, uint64_t *version)
{
	char text[UROMD_ANSWER_SIZE + 1] = "";
	const char *at = text + strlen(ANSWER_START);
	uint64_t api_version;

	if (heard->out_len > sizeof(heard->out) || memchr(heard->out, '\0', heard->out_len) != NULL)
		return false;
	memcpy(text, heard->out, heard->out_len);
	if (strncmp(text, ANSWER_START, strlen(ANSWER_START)) != 0 ||
	    !read_number(at, 10, &at, version) || strncmp(at, API_START, strlen(API_START)) != 0)
		return false;
	at += strlen(API_START);
	return read_number(at, 16, &at, &api_version) && strcmp(at, "\n") == 0;
}

/* The reason, and behind it a line of what was printed, as much as there is room for. */
__attribute__((format(printf, 3, 4))) static void
give(struct uromd_answer *answer, const struct uromd_line *line, const char *format, ...)
{
	const size_t size = sizeof(answer->reason);
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(answer->reason, size, format, args);
	va_end(args);
	if (line->len == 0 || len < 0 || (size_t)len + 3 > size)
		return;
	memcpy(answer->reason + len, ": ", 3);
	len += 2;
	memcpy(answer->reason + len, line->text, size - (size_t)len - 1);
	answer->reason[size - 1] = '\0';
}

void uromd_heard_judge(struct uromd_heard *heard, const siginfo_t *end, struct uromd_answer *answer)
{
	const bool has_exited = end->si_code == CLD_EXITED;

	*answer = (struct uromd_answer){ .is_plugin = false };
	end_line(heard); /* the last one may lack its end */
	if (has_exited && end->si_status == EXIT_SUCCESS && read_answer(heard, &answer->version)) {
		answer->is_plugin = true;
		memcpy(answer->reason, heard->first.text, sizeof(answer->reason));
	} else if (has_exited && end->si_status == EXIT_FAILURE && heard->last.len > 0) {
		/* The probe's own verdict, whatever the plugin has printed before. */
		memcpy(answer->reason, heard->last.text, sizeof(answer->reason));
	} else if (has_exited) {
		give(answer, &heard->first, "it ended the process that loaded it, with status %d",
		     end->si_status);
	} else {
		give(answer, &heard->first, "it crashed by signal %d (%s)", end->si_status,
		     strsignal(end->si_status));
	}
}
