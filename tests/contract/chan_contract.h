/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CONTRACT_H_
#define CHAN_CONTRACT_H_

/*
 * The contract tests of channels: each runs once for every kind that it applies to, as
 * "KIND:TEST". A test gets two ends, of which the worker listens; what it leaves is closed.
 */

#include <stdbool.h>

#include "test.h"
#include "urom/chan/chan.h"
#include "urom/wire/wire_messages.h"

#define CONTRACT_MAX_LINKS 80

struct chan_end;

/* A connection, as one end sees it. */
struct chan_link {
	struct chan_end *end;
	struct chan_conn *conn; /* NULL: it is over */
	unsigned int num_received;
	unsigned int num_detaches; /* messages without a body */
	unsigned int num_closed;
	doca_error_t why;  /* as `closed` had it */
	uint64_t last_id;  /* of the message that came last */
	size_t last_len;   /* bytes of its payload */
	bool is_unordered; /* an id did not follow the one before */
};

struct chan_end {
	struct chan *chan; /* NULL: closed */
	struct chan_link links[CONTRACT_MAX_LINKS];
	unsigned int num_links;
	unsigned int num_accepted;
	unsigned int num_received; /* on all links */
	unsigned int num_closed;   /* on all links */

	/* What a test does in the handlers; NULL: nothing. */
	void (*on_accepted)(struct chan_link *link);
	void (*on_received)(struct chan_link *link, const struct wire_command *command,
			    uint64_t id);
	void (*on_closed)(struct chan_link *link);
	void *user; /* the test's */
};

struct chan_contract {
	enum chan_kind kind;
	struct chan_end host;
	struct chan_end worker;
};

struct chan_contract_test {
	const char *name;
	void (*function)(struct chan_contract *contract);
	bool (*applies_to)(enum chan_kind kind); /* NULL: to every kind */
};

#define CONTRACT(function)                \
	{                                 \
#function, function, NULL \
	}
#define CONTRACT_FOR(applies_to, function)      \
	{                                       \
#function, function, applies_to \
	}

/* What main() returns. */
int contract_run(const struct chan_contract_test *tests, size_t num_tests);

bool kind_is_tcp(enum chan_kind kind);
bool kind_is_pair(enum chan_kind kind);
bool kind_spans_processes(enum chan_kind kind);

/* Opens a channel of the kind, with what end->on_... say. */
void contract_open(struct chan_end *end, enum chan_kind kind);

/* Has it listen on the loopback address. */
void contract_listen(struct chan_end *end);

/* Closes the channel, if there is one. */
void contract_close(struct chan_end *end);

/* Begins a connection to where another end listens. */
struct chan_link *contract_connect(struct chan_end *end, struct chan_end *listener);

/* The same to an address; NULL when it was refused at once, with NOT_CONNECTED. */
struct chan_link *contract_connect_to(struct chan_end *end, const void *addr, size_t len);

/*
 * A connection from host to worker that both have; *accepted is the worker's side of it. It has
 * carried a message from the host and an empty one from the worker.
 */
struct chan_link *contract_join(struct chan_contract *contract, struct chan_link **accepted);

void contract_disconnect(struct chan_link *link);

/* Sends a COMMAND whose payload of len bytes is made from the id; checked where it comes. */
void contract_send(struct chan_link *link, uint64_t id, size_t len);

/* Sends so, and gives what chan_send() says. */
doca_error_t contract_try_send(struct chan_link *link, uint64_t id, size_t len);

/*
 * Drives both ends until the condition holds, and sleeps on their descriptors meanwhile; fails when
 * that takes too long.
 */
#define contract_drive_until(contract, condition)                  \
	do {                                                       \
		uint64_t driven_since_ns = test_now_ns();          \
                                                                   \
		while (!(condition))                               \
			contract_drive(contract, driven_since_ns); \
	} while (0)

void contract_drive(struct chan_contract *contract, uint64_t begun_ns);

/* Drives both until neither has any work. */
void contract_settle(struct chan_contract *contract);

#endif /* CHAN_CONTRACT_H_ */
