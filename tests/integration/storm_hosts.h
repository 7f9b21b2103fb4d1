/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef STORM_HOSTS_H_
#define STORM_HOSTS_H_

/*
 * The host programs of the fault storm: the test program itself, started anew. Both go on until
 * their standard input ends, and sleep between events.
 *
 *     steady ID    starts worker ID, tells "PID DEST" of it, sends numbered commands all the time,
 *                  each of which must come back once and in its order, tells "done COUNT"
 *     victim SEED  starts workers of its choice and sends commands to them, whatever becomes of
 *                  them; a byte on its standard input is the number of a harm that it lets its
 *                  worker's plugin do
 */

#include <stdbool.h>

/* The plugin of the victims' workers, a copy of urom_hostile. */
#define STORM_PLUGIN "odd"

/* How many harms there are. */
unsigned int storm_num_harms(void);

/* Is it the command line of one of these? Then it has run, and *status is what to end with. */
bool storm_hosts_main(int argc, char **argv, int *status);

#endif /* STORM_HOSTS_H_ */
