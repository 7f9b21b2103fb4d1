/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CORE_FORK_H_
#define CORE_FORK_H_

/*
 * A process that forks while its other threads use this library: the child has the forking thread
 * alone, and locks as they were. So the forking thread takes them all before, and has them back
 * afterwards on both sides. Locks that live as long as the process are here, whoever they belong
 * to.
 */

#include <pthread.h>

#include "core/export.h"

extern pthread_mutex_t core_dev_lock CORE_HIDDEN;
extern pthread_mutex_t core_verbs_lock CORE_HIDDEN;
extern pthread_mutex_t core_key_lock CORE_HIDDEN;
extern pthread_mutex_t core_key_table_lock CORE_HIDDEN;
extern pthread_mutex_t core_sync_sleepers_lock CORE_HIDDEN;
extern pthread_mutex_t log_backends_lock CORE_HIDDEN;
extern pthread_mutex_t log_sources_lock CORE_HIDDEN;
extern pthread_mutex_t log_time_lock CORE_HIDDEN;

/* In the child, with the locks held: accesses of threads that are not there have ended. */
void core_key_table_forked(void);

/* The same: lines of such threads have ended. */
void log_backends_forked(void);

#endif /* CORE_FORK_H_ */
