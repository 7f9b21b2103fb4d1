/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_UROM_H_
#define BENCH_UROM_H_

/*
 * What a command through a UROM worker is measured with: a service with its daemon and one worker
 * (bench_urom_rig.c), and the same bytes by UCX alone (bench_ucx_peer.c). Host and UCX client run
 * on the first core, worker and UCX server on the second.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_pe.h>
#include <doca_urom.h>

/* --- bench_urom_rig.c --- */

struct urom_rig {
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_urom_service *service;
	struct doca_urom_worker *worker;
	uint64_t graph_id; /* of worker_graph */
	uint64_t echo_id;  /* of bench_echo */
	int handle;        /* the engine's */
	int epoll_fd;      /* with it */
	int daemon_pid;
	char dir[64];          /* owned: files of the daemon's */
	const char *transport; /* what the worker is attached over */
};

/*
 * Starts all of it, to a worker that is RUNNING. transports: as UCX_TLS has them; NULL: any.
 * max_message: bytes. max_inflight: commands. What fails ends the program.
 */
void urom_rig_init(struct urom_rig *rig, const char *transports, size_t max_message,
		   uint32_t max_inflight);

/* Stops all of it. */
void urom_rig_fini(struct urom_rig *rig);

/* Drives the engine until *count is goal, polling, or asleep between events. */
void urom_rig_poll(struct urom_rig *rig, const uint64_t *count, uint64_t goal);
void urom_rig_sleep(struct urom_rig *rig, const uint64_t *count, uint64_t goal);

/* --- bench_ucx_peer.c --- */

struct ucx_peer;

/*
 * Starts a server in a process of its own, and connects to it. transports: as above. max_bytes: of
 * a message. is_blocking: both sides sleep between messages. What fails ends the program.
 */
struct ucx_peer *ucx_peer_create(const char *transports, size_t max_bytes, bool is_blocking);
void ucx_peer_destroy(struct ucx_peer *peer);

/* Sends messages, of which window are under way at most; the server sends each back. */
void ucx_peer_run(struct ucx_peer *peer, size_t bytes, uint64_t count, uint64_t window);

/* The same one after the other, each after a silence in which the server has gone to sleep. */
void ucx_peer_run_rarely(struct ucx_peer *peer, size_t bytes, uint64_t count, uint64_t silence_ns);

#endif /* BENCH_UROM_H_ */
