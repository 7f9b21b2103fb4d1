/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_GAUGES_H_
#define UROMD_GAUGES_H_

/*
 * How much of the limits on one session is used: of these the largest there is counts, which is
 * looked for when somebody asks for it. What was reached at most is noted when it is.
 */

struct uromd_daemon;
struct uromd_session;

/* Notes what a session has reached: with a new connection to a worker, or as it opens. */
void uromd_gauges_reach(const struct uromd_session *session);

/* Sets the values of the counters to what there is now. */
void uromd_gauges_read(struct uromd_daemon *daemon);

#endif /* UROMD_GAUGES_H_ */
