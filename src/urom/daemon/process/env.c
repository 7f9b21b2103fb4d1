/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/process/env.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"

/* What of the daemon's environment a worker does not get. */
static const struct {
	const char *name;
	bool is_prefix;
	bool is_personal; /* only a worker of another user does not */
} withheld[] = {
	/* They name the daemon's own supervisor: a worker that answered it would speak for the
	   daemon. */
	{ "LISTEN_FDNAMES", false, false },
	{ "LISTEN_FDS", false, false },
	{ "LISTEN_PID", false, false },
	{ "NOTIFY_SOCKET", false, false },
	{ "WATCHDOG_PID", false, false },
	{ "WATCHDOG_USEC", false, false },
	/* Places and secrets of the daemon's user. */
	{ "CACHE_DIRECTORY", false, true },
	{ "CONFIGURATION_DIRECTORY", false, true },
	{ "CREDENTIALS_DIRECTORY", false, true },
	{ "DBUS_", true, true },
	{ "DOCA_UROM_COOKIE", false, true },
	{ "GNUPGHOME", false, true },
	{ "HOME", false, true },
	{ "KRB5CCNAME", false, true },
	{ "LOGNAME", false, true },
	{ "LOGS_DIRECTORY", false, true },
	{ "MAIL", false, true },
	{ "OLDPWD", false, true },
	{ "PWD", false, true },
	{ "RUNTIME_DIRECTORY", false, true },
	{ "SHELL", false, true },
	{ "SSH_", true, true },
	{ "STATE_DIRECTORY", false, true },
	{ "SUDO_", true, true },
	{ "TMPDIR", false, true },
	{ "USER", false, true },
	{ "XAUTHORITY", false, true },
	{ "XDG_", true, true },
};

/* An entry on its way into the list. */
struct entry {
	char *text;
	size_t name_len;
	size_t order; /* the later of two equal names counts */
};

bool uromd_env_is_good(const struct wire_bytes *entries)
{
	struct wire_bytes left = *entries;
	struct wire_entry entry;

	while (wire_list_next(&left, &wire_entry_message, &entry)) {
		const char *text = entry.text.data;

		if (entry.text.len == 0 || text[0] == '=' ||
		    memchr(text, '=', entry.text.len) == NULL)
			return false;
	}
	return true;
}

static size_t count_entries(const struct wire_bytes *entries)
{
	struct wire_bytes left = *entries;
	struct wire_entry entry;
	size_t count = 0;

	while (wire_list_next(&left, &wire_entry_message, &entry))
		count++;
	return count;
}

static bool is_withheld(const char *text, bool is_for_other)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(withheld); i++) {
		size_t len = strlen(withheld[i].name);

		if (strncmp(text, withheld[i].name, len) == 0 &&
		    (withheld[i].is_prefix || text[len] == '=') &&
		    (is_for_other || !withheld[i].is_personal))
			return true;
	}
	return false;
}

static struct entry entry_of(char *text, size_t order)
{
	return (struct entry){ text, strcspn(text, "="), order };
}

static size_t add_base(struct entry *found, char *const *base, bool is_for_other)
{
	size_t count = 0;

	for (; *base != NULL; base++) {
		if (is_withheld(*base, is_for_other))
			continue;
		found[count] = entry_of(*base, count);
		count++;
	}
	return count;
}

/* Copies the texts one after the other, each with its NUL. */
static size_t add_entries(struct entry *found, size_t count, const struct wire_bytes *entries,
			  char *texts)
{
	struct wire_bytes left = *entries;
	struct wire_entry entry;

	while (wire_list_next(&left, &wire_entry_message, &entry)) {
		memcpy(texts, entry.text.data, entry.text.len);
		texts[entry.text.len] = '\0';
		found[count] = entry_of(texts, count);
		count++;
		texts += entry.text.len + 1;
	}
	return count;
}

static int compare_names(const struct entry *a, const struct entry *b)
{
	size_t len = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = memcmp(a->text, b->text, len);

	if (order != 0)
		return order;
	return (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

static int compare_entries(const void *one, const void *other)
{
	const struct entry *a = one, *b = other;
	int order = compare_names(a, b);

	return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

doca_error_t uromd_env_init(struct uromd_env *env, char *const *base,
			    const struct wire_bytes *entries, bool is_for_other)
{
	size_t num_base = 0, count, kept = 0;
	struct entry *found;

	while (base[num_base] != NULL)
		num_base++;
	count = num_base + count_entries(entries);
	found = calloc(count + 1, sizeof(*found));
	*env = (struct uromd_env){ .list = NULL };
	env->list = calloc(count + UROMD_ENV_SPARE + 1, sizeof(*env->list));
	env->texts = malloc(entries->len + 1); /* lengths take more room than the NULs do */
	if (found == NULL || env->list == NULL || env->texts == NULL) {
		free(found);
		uromd_env_fini(env);
		return DOCA_ERROR_NO_MEMORY;
	}
	count = add_entries(found, add_base(found, base, is_for_other), entries, env->texts);
	qsort(found, count, sizeof(*found), compare_entries);
	for (size_t i = 0; i < count; i++) {
		if (i + 1 == count || compare_names(&found[i], &found[i + 1]) != 0)
			env->list[kept++] = found[i].text;
	}
	free(found);
	env->count = kept;
	return DOCA_SUCCESS;
}

doca_error_t uromd_env_add(struct uromd_env *env, const char *name, const char *value)
{
	const size_t len = strlen(name);
	char *text;

	assert(env->num_added < UROMD_ENV_SPARE);
	for (size_t i = 0; i < env->count; i++) {
		if (strncmp(env->list[i], name, len) == 0 && env->list[i][len] == '=')
			return DOCA_SUCCESS;
	}
	if (asprintf(&text, "%s=%s", name, value) < 0)
		return DOCA_ERROR_NO_MEMORY;
	env->added[env->num_added++] = text;
	env->list[env->count++] = text;
	return DOCA_SUCCESS;
}

void uromd_env_fini(struct uromd_env *env)
{
	free(env->list);
	free(env->texts);
	while (env->num_added > 0)
		free(env->added[--env->num_added]);
	*env = (struct uromd_env){ .list = NULL };
}
