/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WORKER_GRAPH_H_
#define WORKER_GRAPH_H_

/*
 * What the two halves of the graph plugin say to each other: the bytes of a command, which stand in
 * urom_worker_cmd.plugin_cmd, and of a notification, which stand in
 * urom_worker_notify.plugin_notif. Both are as they are in memory: hosts and workers have the same
 * byte order, the service sees to that.
 */

#include <stdint.h>

/* Of the plugin as a whole; halves of different versions do not understand each other. */
#define UROM_WORKER_GRAPH_VERSION 1

enum urom_worker_graph_cmd_type {
	UROM_WORKER_CMD_GRAPH_LOOPBACK = 0,
};

enum urom_worker_graph_notify_type {
	UROM_WORKER_NOTIFY_GRAPH_LOOPBACK = 0,
};

/* Asks for a notification with the same data. */
struct urom_worker_graph_cmd_loopback {
	uint64_t data;
};

struct urom_worker_graph_cmd {
	uint64_t type; /* enum urom_worker_graph_cmd_type */
	union {
		struct urom_worker_graph_cmd_loopback loopback;
	};
};

struct urom_worker_graph_notify_loopback {
	uint64_t data; /* of the command */
};

/* An answer of status SUCCESS. Others have no bytes of the plugin's. */
struct urom_worker_graph_notify {
	uint64_t type; /* enum urom_worker_graph_notify_type */
	union {
		struct urom_worker_graph_notify_loopback loopback;
	};
};

#endif /* WORKER_GRAPH_H_ */
