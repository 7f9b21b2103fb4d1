/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DAEMON_RIG_H_
#define DAEMON_RIG_H_

/*
 * A real daemon with fake workers (fake_worker.c), and hosts that speak to it frame by frame. Its
 * plugins are any files: nobody loads them. At its end nothing may be left: no process, no file, no
 * line of a warning or an error that the test did not take.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "program.h"
#include "urom/auth/auth_cookie.h"
#include "urom/chan/chan_stream.h"
#include "urom/wire/wire_messages.h"

#define DAEMON_RIG_DIR_BYTES 64
#define DAEMON_RIG_BYTES     512

/* At the end of a list of arguments: what a daemon of root's wants to know. */
#define DAEMON_RIG_USER geteuid() == 0 ? "--worker-user" : NULL, "root"

struct daemon_rig {
	char dir[DAEMON_RIG_DIR_BYTES]; /* plugins/, logs/, port, notify, cookie */
	struct auth_cookie cookie;
	struct program program;
	int notify_fd;
	bool is_running;
	size_t log_at; /* up to here its lines were looked at */
	struct sockaddr_storage address;
	char address_text[DAEMON_RIG_BYTES];
};

/*
 * Makes the directory, with two plugins a.so and b.so, and starts a daemon that is ready on return.
 * args: more arguments; env: more environment, as of program_start(). End with NULL; NULL: none.
 */
void daemon_rig_init(struct daemon_rig *rig, const char *const *args, const char *const *env);

/* Starts a daemon where one has ended, in the same directory. */
void daemon_rig_again(struct daemon_rig *rig, const char *const *args);

/* As daemon_rig_init(), but the daemon is none that gets ready: it ends by itself. Returns: its
 * status. */
int daemon_rig_fail(struct daemon_rig *rig, const char *const *args, const char *const *env);

/* Ends the daemon with SIGTERM, unless that was done, and checks that nothing is left. */
void daemon_rig_fini(struct daemon_rig *rig);

/* Sends a signal to the daemon. */
void daemon_rig_signal(const struct daemon_rig *rig, int number);

/* Waits until it ends; returns its status, as program_wait(). */
int daemon_rig_wait(struct daemon_rig *rig);

/* A path in the directory of the rig; lent until the fourth next call. */
const char *daemon_rig_path(const struct daemon_rig *rig, const char *name);

/* Reads a file; returns text, "" when there is none. */
const char *daemon_rig_read(const char *path, char *text, size_t size);

/*
 * Waits for the next line of a warning or an error in the daemon's log; it must contain part. The
 * line is taken.
 */
void daemon_rig_take_log(struct daemon_rig *rig, const char *part);

/* Takes all there are. */
void daemon_rig_drop_log(struct daemon_rig *rig);

/* The lines of warnings and errors that were not taken. */
unsigned int daemon_rig_num_logged(struct daemon_rig *rig);

/* Prints what the daemon is doing and has logged last, for a test that waits for it in vain. */
void daemon_rig_explain(void);

/* Waits until a process is gone; fails after 20 s. */
void daemon_rig_wait_gone(pid_t pid);

/* Waits until a file contains text; fails after 20 s. */
void daemon_rig_wait_text(const char *path, const char *text);

#endif /* DAEMON_RIG_H_ */
