/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_RIG_H_
#define UROM_RIG_H_

/*
 * A real UROM daemon of the build tree, with a directory of its own for its plugins, its logs and
 * the service file, whose device is the loopback interface. Environment variables lead the
 * libraries of this process to it, so there is one rig at a time, and it is made before threads
 * are. At its end nothing may be left: no process, no file, no warning that the test did not take.
 *
 * With UROM_RIG_KEEP in the environment the directory stays, for whoever wants to read the logs.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "urom_logs.h"

#define UROM_RIG_DEVICE "mlx5_0"
#define UROM_RIG_PCI    "0000:03:00.0"
#define UROM_RIG_PLUGIN "urom_test"

/* What of a worker's command line tells it from a process that probes a plugin. */
#define UROM_RIG_WORKER "--control-fd"

/* Lists end with NULL; a NULL list is an empty one. */
struct urom_rig_options {
	const char *const *args;    /* more arguments of the daemon */
	const char *const *env;     /* "NAME=value", more environment of the daemon */
	const char *const *plugins; /* the test plugin, by these names; NULL: UROM_RIG_PLUGIN */
	const char *log_level;      /* of -l; NULL: "60" */
	bool has_log_dir;           /* args say where the logs go */
	bool has_no_worker_user;    /* root's daemon decides itself whose its workers are */
};

struct urom_rig {
	struct urom_rig_options options; /* borrowed */
	char dir[PATH_MAX / 4];          /* plugins/, logs/, service, cookie */
	pid_t daemon;                    /* 0: it does not run */
	uint16_t port;
	struct urom_logs logs;
};

/* Makes the directory and starts the daemon. options: NULL: none; borrowed by the rig. */
void urom_rig_init(struct urom_rig *rig, const struct urom_rig_options *options);

/* The same without a daemon, and with a service file that leads nowhere. */
void urom_rig_init_stopped(struct urom_rig *rig, const struct urom_rig_options *options);

/* Stops the daemon, removes the directory and checks that nothing is left. */
void urom_rig_fini(struct urom_rig *rig);

/* A test that finds a rig with a running daemon in *state. */
#define UROM_TEST(name) cmocka_unit_test_setup_teardown(name, urom_rig_begin, urom_rig_end)

int urom_rig_begin(void **state);
int urom_rig_end(void **state);

/* Starts the daemon, on a new port, waits until it is ready, and writes the service file. */
void urom_rig_start(struct urom_rig *rig);

/* Ends the daemon by SIGTERM; it must exit with 0, and its workers with it. */
void urom_rig_stop(struct urom_rig *rig);

/* Ends it by SIGKILL, and waits until the workers are gone too. */
void urom_rig_kill(struct urom_rig *rig);

/* Copies the test plugin into the directory under that name, without ".so". */
void urom_rig_add_plugin(struct urom_rig *rig, const char *name);

/* Copies any file of the build tree to a place in the rig's directory, whose folders are made. */
void urom_rig_copy(struct urom_rig *rig, const char *from, const char *to);

/* Writes a file in the rig's directory. */
void urom_rig_write(struct urom_rig *rig, const char *name, const char *text);

/* Replaces the service file by one line for the rig's device; address: of the daemon. */
void urom_rig_write_service(struct urom_rig *rig, const char *address);

/* The workers of the daemon; waits until there are count of them. Fails after 10 s. */
void urom_rig_wait_workers(struct urom_rig *rig, size_t count);

/* The one worker that the daemon must have. */
pid_t urom_rig_worker(struct urom_rig *rig);

#endif /* UROM_RIG_H_ */
