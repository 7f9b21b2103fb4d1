/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/base/throttle.h"

#include <doca_log.h>

DOCA_LOG_REGISTER(UROMD::STRANGERS);

#define USEC_PER_TOKEN (UINT64_C(1000000) / UROMD_THROTTLE_A_SECOND)

static const char *const names[] = {
	[UROMD_THROTTLE_REFUSED] = "peers that were refused",
	[UROMD_THROTTLE_NONSENSE] = "peers that have sent nonsense",
	[UROMD_THROTTLE_SILENT] = "connections that were closed without a handshake",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == UROMD_NUM_THROTTLES, "a kind without a name");

/* Gives back what has come since, and remembers the part of a token that is under way. */
static void refill(struct uromd_throttle *throttle, uint64_t now_usec)
{
	const uint64_t num_come = (now_usec - throttle->now_usec) / USEC_PER_TOKEN;

	if (num_come >= throttle->num_used) {
		throttle->num_used = 0;
		throttle->now_usec = now_usec;
	} else {
		throttle->num_used -= (unsigned int)num_come;
		throttle->now_usec += num_come * USEC_PER_TOKEN;
	}
}

static void tell(struct uromd_throttle *throttle, enum uromd_throttle_kind kind)
{
	if (throttle->num_left_out == 0)
		return;
	DOCA_LOG_WARN("%lu more lines about %s were left out", throttle->num_left_out, names[kind]);
	throttle->num_left_out = 0;
}

bool uromd_throttle_take(struct uromd_throttles *throttles, enum uromd_throttle_kind kind,
			 uint64_t now_usec)
{
	struct uromd_throttle *throttle = &throttles->of[kind];

	refill(throttle, now_usec);
	if (throttle->num_used >= UROMD_THROTTLE_BURST) {
		throttle->num_left_out++;
		return false;
	}
	tell(throttle, kind);
	throttle->num_used++;
	return true;
}

bool uromd_throttles_settle(struct uromd_throttles *throttles, uint64_t now_usec)
{
	bool is_left = false;

	for (unsigned int kind = 0; kind < UROMD_NUM_THROTTLES; kind++) {
		struct uromd_throttle *throttle = &throttles->of[kind];

		refill(throttle, now_usec);
		/* Once the crowd is gone: while it is there, its next line tells. */
		if (throttle->num_used < UROMD_THROTTLE_BURST)
			tell(throttle, kind);
		is_left |= throttle->num_left_out > 0;
	}
	return is_left;
}
