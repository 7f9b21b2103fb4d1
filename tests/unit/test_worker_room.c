/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that a plugin may write to, and what becomes of what it writes behind it. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "urom/worker/room.h"

static void what_is_within_leaves_it_intact(void **state)
{
	struct uromw_room room;

	(void)state;
	for (size_t len = 1; len <= 8300; len += 83) {
		assert_success(uromw_room_init(&room, len));
		assert_int_equal((uintptr_t)room.bytes % 16, 0);
		for (size_t part = 1; part <= len; part += len / 3 + 1) {
			uromw_room_mark(&room, part);
			memset(room.bytes, 'x', part);
			assert_true(uromw_room_is_intact(&room, part));
		}
		uromw_room_fini(&room);
	}
}

static void one_byte_too_many_is_seen(void **state)
{
	struct uromw_room room;

	(void)state;
	assert_success(uromw_room_init(&room, 100));
	for (size_t len = 1; len <= 100; len++) {
		uromw_room_mark(&room, len);
		room.bytes[len] = 0;
		assert_false(uromw_room_is_intact(&room, len));
	}
	uromw_room_fini(&room);
	uromw_room_fini(&room);
}

static void many_too_many_end_the_process(void **state)
{
	const struct rlimit no_core = { 0, 0 };
	struct uromw_room room;
	int status;
	pid_t pid;

	(void)state;
	assert_success(uromw_room_init(&room, 100));
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)signal(SIGSEGV, SIG_DFL); /* a sanitizer would make a report of it */
		(void)setrlimit(RLIMIT_CORE, &no_core);
		for (volatile uint8_t *at = room.bytes; at < room.bytes + 300; at++)
			*at = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	uromw_room_fini(&room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_within_leaves_it_intact),
		TEST(one_byte_too_many_is_seen),
		TEST(many_too_many_end_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
