/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_FAKE_H_
#define UROM_FAKE_H_

/*
 * A daemon that the test plays, on a thread of its own: what a host connects to, and what it is
 * then told, is the script's. For one connection. A failure in a script ends the program.
 */

#include <pthread.h>

#include "urom/chan/chan_stream.h"
#include "urom/wire/wire_messages.h"

#define UROM_FAKE_ADDRESS_BYTES 32

struct urom_fake;

/* Plays the daemon; the connection is closed when it returns. */
typedef void (*urom_fake_script_t)(struct urom_fake *fake);

struct urom_fake {
	int listen_fd;
	char address[UROM_FAKE_ADDRESS_BYTES]; /* "127.0.0.1:PORT" */
	pthread_t thread;
	urom_fake_script_t script;
	const void *arg; /* of the script */
	struct chan_stream stream;
};

/* Listens, and plays the script for whoever connects. */
void urom_fake_start(struct urom_fake *fake, urom_fake_script_t script, const void *arg);

/* Waits until the script is over; somebody must have connected. */
void urom_fake_stop(struct urom_fake *fake);

/* For scripts. The next message, which must be of that type; record: of its type, or NULL. */
uint64_t urom_fake_receive(struct urom_fake *fake, uint16_t type, void *record);

/* Waits until the host hangs up; any message before it is a failure. */
void urom_fake_receive_end(struct urom_fake *fake);

void urom_fake_send(struct urom_fake *fake, uint16_t type, uint64_t id, const void *record);

/* Sends bytes that need not be a frame. */
void urom_fake_send_bytes(struct urom_fake *fake, const void *bytes, size_t len);

/* Receives HELLO and sends a WELCOME without plugins. */
void urom_fake_welcome(struct urom_fake *fake);

#endif /* UROM_FAKE_H_ */
