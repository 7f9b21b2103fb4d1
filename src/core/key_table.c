/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/key.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "core/fork.h"

/*
 * Keys by index. An access holds its entry, not the lock: it may copy for a while, and others go
 * on. Who removes a key first makes it void, so that no further access begins, and then waits for
 * those that had begun; the last of them says so.
 */

#define NUM_BUCKETS 256 /* indexes are given out in turn, so they spread by themselves */

struct key_entry {
	LIST_ENTRY(key_entry) link;
	uint32_t index;
	uint64_t tag;
	struct core_key_range range;
	unsigned int num_accesses;
	bool is_void;
};

static pthread_cond_t access_ended = PTHREAD_COND_INITIALIZER;
static LIST_HEAD(, key_entry) buckets[NUM_BUCKETS];

/* Called with the lock held. */
static struct key_entry *find(uint32_t index)
{
	struct key_entry *entry;

	LIST_FOREACH(entry, &buckets[index % NUM_BUCKETS], link)
	{
		if (entry->index == index)
			return entry;
	}
	return NULL;
}

void core_key_table_forked(void)
{
	for (size_t i = 0; i < NUM_BUCKETS; i++) {
		struct key_entry *entry;

		LIST_FOREACH(entry, &buckets[i], link)
		entry->num_accesses = 0;
	}
	(void)pthread_cond_init(&access_ended, NULL); /* cannot fail without attributes */
}

doca_error_t core_key_add(const struct core_key *key, const struct core_key_range *range)
{
	struct key_entry *entry = calloc(1, sizeof(*entry));

	if (entry == NULL)
		return DOCA_ERROR_NO_MEMORY;
	entry->index = key->index;
	entry->tag = key->tag;
	entry->range = *range;
	pthread_mutex_lock(&core_key_table_lock);
	LIST_INSERT_HEAD(&buckets[key->index % NUM_BUCKETS], entry, link);
	pthread_mutex_unlock(&core_key_table_lock);
	return DOCA_SUCCESS;
}

void core_key_remove(const struct core_key *key)
{
	struct key_entry *entry;

	pthread_mutex_lock(&core_key_table_lock);
	entry = find(key->index);
	if (entry != NULL) {
		entry->is_void = true;
		while (entry->num_accesses > 0)
			pthread_cond_wait(&access_ended, &core_key_table_lock);
		LIST_REMOVE(entry, link);
	}
	pthread_mutex_unlock(&core_key_table_lock);
	free(entry);
}

bool core_key_acquire(uint32_t index, uint64_t tag, struct core_key_range *range)
{
	struct key_entry *entry;
	bool is_valid;

	pthread_mutex_lock(&core_key_table_lock);
	entry = find(index);
	is_valid = entry != NULL && !entry->is_void && entry->tag == tag;
	if (is_valid) {
		entry->num_accesses++;
		*range = entry->range;
	}
	pthread_mutex_unlock(&core_key_table_lock);
	return is_valid;
}

void core_key_release(uint32_t index)
{
	struct key_entry *entry;

	pthread_mutex_lock(&core_key_table_lock);
	entry = find(index);
	assert(entry != NULL && entry->num_accesses > 0);
	entry->num_accesses--;
	if (entry->is_void && entry->num_accesses == 0)
		pthread_cond_broadcast(&access_ended);
	pthread_mutex_unlock(&core_key_table_lock);
}
