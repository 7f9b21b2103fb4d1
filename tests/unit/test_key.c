/* SPDX-License-Identifier: BSD-3-Clause */

/* Keys: no two are alike, those of one process share its instance, and a fork is another process.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/key.h"
#include "test.h"

#define NUM_KEYS    2000 /* a thread */
#define NUM_THREADS 4

/* The size that there are no random bytes for; 0: there are for all. */
static size_t failing_size;

/* The linker's names for what key.c calls, and for what that is. */
ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags);
ssize_t __real_getrandom(void *to, size_t size, unsigned int flags);

ssize_t __wrap_getrandom(void *to, size_t size, unsigned int flags)
{
	errno = ENOSYS;
	return size == failing_size ? -1 : __real_getrandom(to, size, flags);
}

/* The first test: the process has no instance yet. */
static void key_needs_random_bytes_for_tag_and_instance(void **state)
{
	static const size_t sizes[] = { sizeof(uint64_t), CORE_INSTANCE_SIZE };
	static const uint8_t no_instance[CORE_INSTANCE_SIZE];
	struct core_key key;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		failing_size = sizes[i];
		assert_refused(core_key_make(&key), DOCA_ERROR_OPERATING_SYSTEM, "random");
	}
	failing_size = 0;
	assert_success(core_key_make(&key));
	assert_memory_not_equal(key.instance, no_instance, CORE_INSTANCE_SIZE);
	failing_size = CORE_INSTANCE_SIZE; /* is not needed again */
	assert_success(core_key_make(&key));
	failing_size = 0;
}

struct maker {
	pthread_t thread;
	struct core_key keys[NUM_KEYS];
	unsigned int num_failed;
};

static void *make_keys(void *argument)
{
	struct maker *maker = argument;

	for (int i = 0; i < NUM_KEYS; i++)
		maker->num_failed += core_key_make(&maker->keys[i]) != DOCA_SUCCESS;
	return NULL;
}

static int compare_u64(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

static void assert_all_differ(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(values[0]), compare_u64);
	for (size_t i = 1; i < n; i++)
		assert_int_not_equal(values[i - 1], values[i]);
}

static void keys_of_many_threads_are_all_different(void **state)
{
	static uint64_t tags[NUM_THREADS * NUM_KEYS], indexes[NUM_THREADS * NUM_KEYS];
	static struct maker makers[NUM_THREADS];
	uint64_t set = 0, clear = 0;
	size_t n = 0;

	(void)state;
	for (int i = 0; i < NUM_THREADS; i++)
		assert_int_equal(pthread_create(&makers[i].thread, NULL, make_keys, &makers[i]), 0);
	for (int i = 0; i < NUM_THREADS; i++) {
		assert_int_equal(pthread_join(makers[i].thread, NULL), 0);
		assert_int_equal(makers[i].num_failed, 0);
		for (int k = 0; k < NUM_KEYS; k++, n++) {
			const struct core_key *key = &makers[i].keys[k];

			assert_memory_equal(key->instance, makers[0].keys[0].instance,
					    CORE_INSTANCE_SIZE);
			indexes[n] = key->index;
			tags[n] = key->tag;
			set |= key->tag;
			clear |= ~key->tag;
		}
	}
	assert_all_differ(tags, n);
	assert_all_differ(indexes, n);
	assert_int_not_equal(indexes[0], 0);
	assert_int_equal(set, UINT64_MAX); /* random in every bit */
	assert_int_equal(clear, UINT64_MAX);
}

/* The key that a fork of a fork makes, depth forks down. */
static struct core_key key_of_fork(int depth)
{
	struct core_key key;
	int status, ends[2];
	pid_t pid;

	if (depth == 0) {
		assert_success(core_key_make(&key));
		return key;
	}
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		key = key_of_fork(depth - 1);
		_exit(write(ends[1], &key, sizeof(key)) != (ssize_t)sizeof(key));
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], &key, sizeof(key)), sizeof(key));
	close(ends[0]);
	close(ends[1]);
	return key;
}

static void fork_is_another_process(void **state)
{
	struct core_key before = key_of_fork(0), after;
	struct core_key keys[3];

	(void)state;
	for (int depth = 0; depth < 3; depth++)
		keys[depth] = key_of_fork(depth);
	after = key_of_fork(0);
	assert_memory_equal(before.instance, keys[0].instance, CORE_INSTANCE_SIZE);
	assert_memory_equal(before.instance, after.instance, CORE_INSTANCE_SIZE);
	assert_memory_not_equal(keys[0].instance, keys[1].instance, CORE_INSTANCE_SIZE);
	assert_memory_not_equal(keys[0].instance, keys[2].instance, CORE_INSTANCE_SIZE);
	assert_memory_not_equal(keys[1].instance, keys[2].instance, CORE_INSTANCE_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(key_needs_random_bytes_for_tag_and_instance),
		TEST(keys_of_many_threads_are_all_different),
		TEST(fork_is_another_process),
	};

	return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
