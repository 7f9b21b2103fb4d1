/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHAN_CHAN_ADDRESS_H_
#define CHAN_CHAN_ADDRESS_H_

/* Addresses and sockets of the control path and of the TCP channel. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <doca_error.h>

#define CHAN_DEFAULT_PORT 18766

/* A text that fits every "[address%scope]:port". */
#define CHAN_ADDR_TEXT 80

/*
 * Splits "HOST", "HOST:PORT", "[V6]:PORT" or a bare v6 address.
 * host: of size bytes. port: left as it is when there is none in the text.
 * Errors: INVALID_VALUE: empty, too long, or a port that is none. Nothing is logged.
 */
doca_error_t chan_address_split(const char *text, char *host, size_t size, uint16_t *port);

/* "127.0.0.1:18766" or "[::1]:18766", into CHAN_ADDR_TEXT bytes; returns text. */
const char *chan_address_text(const struct sockaddr *addr, char *text);

/* Is it an address that only this machine reaches? */
bool chan_address_is_loopback(const struct sockaddr *addr);

/* The bytes that an address of a known family takes; 0: another family. */
socklen_t chan_address_len(const struct sockaddr *addr);

/*
 * A socket that listens, does not block and is closed on exec. addr: port 0 takes a free one.
 * Errors: as the system has them (core_error_from_errno). Nothing is logged; errno tells more.
 */
doca_error_t chan_address_listen(const struct sockaddr *addr, int *fd);

/*
 * A socket that is connecting, does not block and is closed on exec; without delay of small
 * messages, and given up when the peer's machine is silent for 10 s, idle or not. TCP takes a peer
 * that leaves so much unread that nothing more fits for a dead one as well.
 * Errors: as above.
 */
doca_error_t chan_address_connect(const struct sockaddr *addr, int *fd);

/* Sets the same options on a socket that was accepted. */
void chan_address_tune(int fd);

/*
 * For a tuned socket whose peer may leave any amount unread for any time: it is waited for. A
 * machine that is dead is then noticed only while the connection is idle.
 */
void chan_address_tolerate_unread(int fd);

/*
 * Looks after a tuned socket to which something was sent. While the peer's machine has taken all
 * that it had room for, and there is more, it is waited for; a silent one is given up as ever.
 * True: something is on the way still, so this is to be called again within a few seconds.
 */
bool chan_address_attend(int fd);

#endif /* CHAN_CHAN_ADDRESS_H_ */
