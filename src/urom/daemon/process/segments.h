/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMD_SEGMENTS_H_
#define UROMD_SEGMENTS_H_

#include <sys/types.h>

/*
 * Segments of System V shared memory. They outlive whoever made them until they are marked to go,
 * which UCX does a few calls after it makes one: a process that is killed between those leaves it
 * for good.
 *
 * Removes what a process has left: segments without a key, which nobody else can find, that nobody
 * is attached to. pid: of a process that has ended and is not reaped, so that it is no other's yet.
 */
void uromd_segments_remove(pid_t pid);

#endif /* UROMD_SEGMENTS_H_ */
