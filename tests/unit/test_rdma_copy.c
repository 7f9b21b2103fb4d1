/* SPDX-License-Identifier: BSD-3-Clause */
/* How bytes get to their place. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rdma/providers/software/soft.h"
#include "test.h"

#define BEFORE    UINT64_C(0x0000000000000000)
#define AFTER     UINT64_C(0x0123456789abcdef)
#define MAX_STEPS 1000000

/* Stops at first, so that it can be watched; then stores the word. */
static void store(uint64_t *word)
{
	const uint64_t value = AFTER;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0)
		_exit(EXIT_FAILURE);
	soft_copy(word, &value, sizeof(value));
	_exit(EXIT_SUCCESS);
}

/* By one instruction; false: it has ended. */
static bool take_step(pid_t pid)
{
	int status = 0;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status)) {
		assert_true(WIFSTOPPED(status));
		return true;
	}
	assert_int_equal(WEXITSTATUS(status), EXIT_SUCCESS);
	return false;
}

/* rdma trap 41. After each instruction all of the word is there, or nothing of it. */
static void aligned_word_is_stored_at_once(void **state)
{
	uint64_t *word =
	    mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int num_steps = 0;
	pid_t pid;

	(void)state;
	assert_true(word != MAP_FAILED);
	*word = BEFORE;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		store(word);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_EXITKILL), 0);

	while (*(volatile uint64_t *)word == BEFORE && num_steps < MAX_STEPS && take_step(pid))
		num_steps++;

	assert_int_equal(*(volatile uint64_t *)word, AFTER);
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(munmap(word, sizeof(*word)), 0);
}

static void all_lengths_at_all_places_are_copied(void **state)
{
	char from[32], to[32], wanted[32];

	(void)state;
	for (size_t i = 0; i < sizeof(from); i++)
		from[i] = (char)(i + 1);
	for (size_t at = 0; at < 8; at++) {
		for (size_t len = 0; len <= 24; len++) {
			memset(to, 0, sizeof(to));
			memset(wanted, 0, sizeof(wanted));
			memcpy(wanted + at, from + 1, len);

			soft_copy(to + at, from + 1, len);

			assert_memory_equal(to, wanted, sizeof(to));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(aligned_word_is_stored_at_once),
		TEST(all_lengths_at_all_places_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
