/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef USERS_RIG_H_
#define USERS_RIG_H_

/*
 * A rig of root's daemon, for hosts and workers of several users. What they all must be able to
 * read is copied to the rig's directory, as the tree may be root's alone. It wants root, or a user
 * namespace that has more users; scripts/test_users.sh makes one.
 */

#include <limits.h>
#include <sys/types.h>

#include "urom_rig.h"

/* Bytes of a text that is read. */
#define USERS_RIG_TEXT 4096

/*
 * For the daemon's environment, "LD_LIBRARY_PATH=...", and for its --worker; they are those of the
 * last rig that was made.
 */
extern char users_rig_library[PATH_MAX];
extern char users_rig_worker[PATH_MAX];

/*
 * For the setup of all tests: what they mount is there for them alone. A test that is not root's
 * fails when it makes its rig.
 */
int users_rig_enter_namespace(void **state);

/* As urom_rig_init_stopped(), with folders, libraries and plugins that everybody can read. */
void users_rig_init_stopped(struct urom_rig *rig, const struct urom_rig_options *options);

/* As urom_rig_fini(), and restores /etc. */
void users_rig_fini(struct urom_rig *rig);

/* A folder in the rig's directory; one that is there is left as it is. */
void users_rig_make_folder(const struct urom_rig *rig, const char *name);

/* Sets the mode of what is in the rig's directory. */
void users_rig_open(const struct urom_rig *rig, const char *name, mode_t mode);

/*
 * Gives this process and what it starts an /etc of the rig's, until users_rig_restore_etc() or
 * users_rig_fini(): with these files passwd and group, and what a program needs to run.
 */
void users_rig_set_etc(struct urom_rig *rig, const char *passwd, const char *group);
void users_rig_restore_etc(void);

/* Of a user who must be there. */
uid_t users_rig_uid_of(const char *name);
gid_t users_rig_gid_of(const char *name);

/* Reads a file that must be there; returns text. */
const char *users_rig_read(const char *path, char text[USERS_RIG_TEXT]);

/* A process has that line in /proc/PID/status. */
void users_rig_check_status(pid_t pid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif /* USERS_RIG_H_ */
