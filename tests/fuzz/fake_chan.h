/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_FAKE_CHAN_H_
#define FUZZ_FAKE_CHAN_H_

/*
 * A channel without a network: its peers say what the input has, byte for byte, and what they are
 * told must be possible to read. It keeps the promises of chan.h, and no others.
 */

#include "script.h"
#include "urom/chan/chan.h"

#define FAKE_MAX_CONNS 8

struct fake_chan {
	struct chan base;
	struct fake_conn *conns[FAKE_MAX_CONNS]; /* owned; NULL: the place is free */
	bool is_broken;                          /* nothing can be sent: no memory */
	bool is_lost;                            /* nothing can be sent: the peers are gone */
	bool is_full;                            /* nothing can be sent: the peers do not read */
	unsigned int num_sent;
	const struct script_step *next; /* for the next progress: that is said at place 0 */
	bool is_next_lost;              /* or it is lost */
	size_t max_payload;             /* of notifications that are sent; 0: any */
};

void fake_chan_init(struct fake_chan *chan, const struct chan_handler *handler, void *arg,
		    size_t max_body);

/* As chan_close(). */
void fake_chan_fini(struct fake_chan *chan);

/* A connection at a place that is free; NULL: it is not. */
struct chan_conn *fake_chan_connect(struct fake_chan *chan, size_t place);

/* A peer connects; nothing happens when its place is taken. */
void fake_chan_accept(struct fake_chan *chan, size_t place);

/* A peer says a message, its type, id and body those of the step. */
void fake_chan_say(struct fake_chan *chan, size_t place, const struct script_step *step);

/* A connection is lost. */
void fake_chan_lose(struct fake_chan *chan, size_t place, doca_error_t why);

/* Decodes a message that was sent for others to read. */
void fake_check_sent(const struct wire_message *message, const void *body, size_t len);

#endif /* FUZZ_FAKE_CHAN_H_ */
