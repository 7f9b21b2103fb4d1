/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_LISTENER_H_
#define UROMD_LISTENER_H_

/* The socket to which hosts connect. */

#include <stdbool.h>

#include <systemd/sd-event.h>

#include "urom/chan/chan_address.h"
#include "urom/daemon/base/failure.h"

struct uromd_daemon;

/* Zeroed memory listens to nothing. */
struct uromd_listener {
	sd_event_source *source; /* owns the socket */
	sd_event_source *pause;  /* until it accepts again */
	bool is_full;            /* that was logged */
	bool has_spare;
	int spare_fd; /* given up to tell a peer that there are no descriptors left */
	char address[CHAN_ADDR_TEXT];
};

/*
 * Listens on the configured address. Errors: as the system has them; failure tells.
 */
doca_error_t uromd_listener_open(struct uromd_daemon *daemon, struct uromd_failure *failure);

/* Accepts nobody any more; may be called again. */
void uromd_listener_close(struct uromd_listener *listener);

#endif /* UROMD_LISTENER_H_ */
