/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/key.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/fork.h"
#include "core/log.h"

CORE_LOG_REGISTER(CORE::KEY);

static uint8_t instance[CORE_INSTANCE_SIZE];
static pid_t instance_pid; /* whose instance it is: a fork is another process */
static uint32_t last_index;

static doca_error_t random_bytes(void *to, size_t len)
{
	if (getrandom(to, len, 0) == (ssize_t)len) /* up to 256 bytes come whole */
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("no random bytes for a key: %s", strerror(errno));
	return DOCA_ERROR_OPERATING_SYSTEM;
}

doca_error_t core_key_make(struct core_key *key)
{
	doca_error_t result = random_bytes(&key->tag, sizeof(key->tag));

	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&core_key_lock);
	if (instance_pid != getpid())
		result = random_bytes(instance, sizeof(instance));
	if (result == DOCA_SUCCESS) {
		instance_pid = getpid();
		memcpy(key->instance, instance, sizeof(instance));
		key->index = ++last_index;
	}
	pthread_mutex_unlock(&core_key_lock);
	return result;
}
