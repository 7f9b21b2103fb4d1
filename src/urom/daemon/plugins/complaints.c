/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/complaints.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(UROMD::PLUGINS);

void uromd_complaints_fini(struct uromd_complaints *complaints)
{
	for (size_t i = 0; i < complaints->num; i++)
		free(complaints->texts[i]);
	free(complaints->texts);
	*complaints = (struct uromd_complaints){ .texts = NULL };
}

void uromd_make_harmless(char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			*text = '?';
	}
}

static bool make_room(struct uromd_complaints *complaints)
{
	size_t capacity = complaints->capacity > 0 ? 2 * complaints->capacity : 16;
	char **texts;

	if (complaints->num < complaints->capacity)
		return true;
	texts = reallocarray(complaints->texts, capacity, sizeof(*texts));
	if (texts == NULL)
		return false;
	complaints->texts = texts;
	complaints->capacity = capacity;
	return true;
}

void uromd_complain(struct uromd_complaints *complaints, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	if (!make_room(complaints))
		return;
	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		return;
	uromd_make_harmless(text);
	complaints->texts[complaints->num++] = text;
}

static bool has(const struct uromd_complaints *complaints, const char *text)
{
	for (size_t i = 0; i < complaints->num; i++) {
		if (strcmp(complaints->texts[i], text) == 0)
			return true;
	}
	return false;
}

void uromd_complaints_log(const struct uromd_complaints *complaints,
			  const struct uromd_complaints *before)
{
	for (size_t i = 0; i < complaints->num; i++) {
		if (!has(before, complaints->texts[i]))
			DOCA_LOG_WARN("%s", complaints->texts[i]);
	}
}
