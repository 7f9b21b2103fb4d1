/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/fork.h"

/* Open devices are shared by all threads of the process. */
pthread_mutex_t core_dev_lock = PTHREAD_MUTEX_INITIALIZER;

/* Around the enumeration of libibverbs, which has a lock of its own and does not see to forks. */
pthread_mutex_t core_verbs_lock = PTHREAD_MUTEX_INITIALIZER;

pthread_mutex_t core_key_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t core_key_table_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t core_sync_sleepers_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t log_backends_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t log_sources_lock = PTHREAD_MUTEX_INITIALIZER;

/* Around localtime_r(), whose own lock nobody sees to: a child would wait for a lost thread. */
pthread_mutex_t log_time_lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * All locks of the process, outer ones first: who holds one takes only those behind it, and waits
 * for nobody. Locks of objects are not here, for a child has none
 * of its parent's objects. Nor are those of sinks: a function of the application runs under them,
 * which may take what this thread holds, or be what forks. The child makes them anew.
 */
static pthread_mutex_t *const locks[] = {
	&core_dev_lock,
	&core_verbs_lock,
	&core_key_lock,
	&core_key_table_lock,
	&core_sync_sleepers_lock,
	/* All of the above may log. */
	&log_backends_lock,
	&log_sources_lock,
	&log_time_lock,
};

static void lock_all(void)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(locks); i++)
		(void)pthread_mutex_lock(locks[i]); /* it cannot fail */
}

static void unlock_all(void)
{
	for (size_t i = CORE_ARRAY_LEN(locks); i > 0; i--)
		(void)pthread_mutex_unlock(locks[i - 1]); /* it cannot fail */
}

static void on_child(void)
{
	core_key_table_forked();
	log_backends_forked();
	unlock_all();
}

/* Before the other libraries say what they do, so that their locks are outside of these. */
__attribute__((constructor(101))) static void watch_forks(void)
{
	(void)pthread_atfork(lock_all, unlock_all, on_child); /* or memory has run out already */
}
