/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_ENV_H_
#define UROMD_ENV_H_

#include <stdbool.h>
#include <stddef.h>

#include <doca_error.h>

#include "urom/wire/wire_messages.h"

/* Entries for which there is room after uromd_env_init(). */
#define UROMD_ENV_SPARE 4

/* The environment of a new process, for execve(). Zeroed memory is none. */
struct uromd_env {
	char **list; /* ends with a NULL */
	size_t count;
	char *texts;                  /* where those of the host are */
	char *added[UROMD_ENV_SPARE]; /* owned */
	size_t num_added;
};

/* Is each entry of a host's list NAME=value, with a name? entries: of struct wire_entry. */
bool uromd_env_is_good(const struct wire_bytes *entries);

/*
 * The daemon's entries, and those of a host in their place where the names are equal; of two that a
 * host has given, the later one. What systemd has told the daemon alone is left out, and for a
 * process of another user what is the daemon's user's: his places and where his secrets are.
 * base: borrowed, must outlive env. entries: good ones, copied.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_env_init(struct uromd_env *env, char *const *base,
			    const struct wire_bytes *entries, bool is_for_other);

/*
 * Adds an entry unless there is one of that name; at most UROMD_ENV_SPARE times. Both are copied.
 * Errors: NO_MEMORY.
 */
doca_error_t uromd_env_add(struct uromd_env *env, const char *name, const char *value);

void uromd_env_fini(struct uromd_env *env);

#endif /* UROMD_ENV_H_ */
