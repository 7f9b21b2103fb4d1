/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RIG_HOST_H_
#define RIG_HOST_H_

/* A host that speaks to a daemon frame by frame, well or badly. What it waits for comes, or the
 * test fails after 20 s. */

#include "daemon_rig.h"
#include "urom/auth/auth_proof.h"

struct rig_host {
	struct chan_stream stream;
	struct chan_message message; /* the last one; lent until the next is received */
	struct wire_welcome welcome;
	const struct daemon_rig *rig;
	struct auth_context auth; /* of the latest HELLO and CHALLENGE */
	uint64_t last_id;
};

/* A hello that the daemon takes. */
struct wire_hello rig_host_hello(void);

/* Connects, and says nothing. */
void rig_host_connect(struct rig_host *host, const struct daemon_rig *rig);

/* Keeps for the proof what a hello says that is sent as bytes. */
void rig_host_keep_hello(struct rig_host *host, const struct wire_hello *hello);

/* Says hello; what it says is kept for the proof. Returns: as rig_host_send(). */
uint64_t rig_host_greet(struct rig_host *host, const struct wire_hello *hello);

/* Is challenged, and answers with the proof of the rig's cookie. */
void rig_host_prove(struct rig_host *host);

/* The same when the challenge is the host's last message already. */
void rig_host_answer(struct rig_host *host);

/* Connects, and is welcomed. */
void rig_host_init(struct rig_host *host, const struct daemon_rig *rig);

/* Hangs up. */
void rig_host_fini(struct rig_host *host);

/* Sends a message, under an id of its own, which is returned. */
uint64_t rig_host_send(struct rig_host *host, uint16_t type, const void *record);

/* Sends bytes that are no message. */
void rig_host_send_bytes(struct rig_host *host, const void *bytes, size_t len);

/* The next message is of that type; record: of its type. Returns: its id. */
uint64_t rig_host_receive(struct rig_host *host, uint16_t type, void *record);

/* The daemon closes, without another word. */
void rig_host_receive_end(struct rig_host *host);

/* Nothing has come. */
void rig_host_check_silent(struct rig_host *host);

/* --- Workers --- */

/* A start that asks for worker id with the first plugin, and an environment; mode: of the fake
 * worker, NULL: none. */
struct rig_start {
	struct wire_worker_start start;
	uint8_t environment[4096];
};

void rig_start_init(struct rig_start *start, uint64_t worker_id, const char *mode);

/* Adds an entry to its environment. */
void rig_start_add(struct rig_start *start, const char *entry);

/* Asks for it, and gets it. started: points into the host's last message. */
void rig_host_start(struct rig_host *host, const struct rig_start *start,
		    struct wire_worker_started *started);

/* Asks for it, and is refused with that error and a reason that contains part. */
void rig_host_start_refused(struct rig_host *host, const struct rig_start *start,
			    doca_error_t error, const char *part);

/* Stops, and waits for the answer. */
void rig_host_stop(struct rig_host *host, uint64_t worker_id, uint64_t connection);

/* The next message is a refusal with that error, and a reason that contains part. */
uint64_t rig_host_receive_refused(struct rig_host *host, uint16_t type, doca_error_t error,
				  const char *part);

/* Asks for a group: the ids, at most max of them, go into ids. Returns: how many there are. */
size_t rig_host_get_group(struct rig_host *host, uint32_t group, uint64_t *ids, size_t max);

/* An operator, who was let in. */
void rig_host_init_operator(struct rig_host *host, const struct daemon_rig *rig);

/* Asks, as an operator, for the counter of that name, which there must be. */
struct wire_counter rig_host_get_counter(struct rig_host *host, const char *name);

#endif /* RIG_HOST_H_ */
