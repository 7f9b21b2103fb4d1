/* SPDX-License-Identifier: BSD-3-Clause */

/* A worker that has too few descriptors left takes no more hosts: what becomes of them, and of it.
 */

#include <signal.h>

#include "rig_host.h"
#include "test.h"

static struct daemon_rig rig;
static struct rig_host first, second;

static void begin(const char *const *args)
{
	daemon_rig_init(&rig, args, NULL);
	rig_host_init(&first, &rig);
	rig_host_init(&second, &rig);
}

static void end(void)
{
	rig_host_fini(&first);
	rig_host_fini(&second);
	daemon_rig_fini(&rig);
}

/* Lists end with NULL. */
#define ARGS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* mode: of the fake worker, when it is a new one. */
static pid_t start(struct rig_host *host, const char *mode, uint64_t *connection)
{
	struct wire_worker_started started;
	struct rig_start start;

	rig_start_init(&start, 1, mode);
	rig_host_start(host, &start, &started);
	*connection = started.connection;
	return (pid_t)started.pid;
}

static void check_start_refused(struct rig_host *host, const char *mode, doca_error_t error,
				const char *reason)
{
	struct rig_start start;

	rig_start_init(&start, 1, mode);
	rig_host_start_refused(host, &start, error, reason);
	daemon_rig_take_log(&rig, reason);
}

static void check_hits(uint64_t num_hits)
{
	struct rig_host operator;

	rig_host_init_operator(&operator, & rig);
	assert_int_equal(rig_host_get_counter(&operator, "worker-files").num_hits, num_hits);
	rig_host_fini(&operator);
}

static void host_that_is_not_taken_is_told_why_and_the_others_stay(void **state)
{
	uint64_t connection;
	pid_t pid;

	(void)state;
	begin(ARGS("--worker-files", "32"));
	pid = start(&first, "one-host", &connection);
	check_start_refused(&second, NULL, DOCA_ERROR_FULL,
			    "takes no more hosts: of its 32 descriptors 3 are left; --worker-files "
			    "of the daemon");
	check_hits(1);
	assert_int_equal(kill(pid, 0), 0);
	rig_host_stop(&first, 1, connection);
	daemon_rig_wait_gone(pid);
	end();
}

/* Also when its first host is not there any more. */
static void worker_that_was_of_use_is_kept(void **state)
{
	uint64_t connection;
	pid_t pid;

	(void)state;
	begin(ARGS("--keep-workers"));
	pid = start(&first, "one-host", &connection);
	rig_host_fini(&first);
	check_start_refused(&second, NULL, DOCA_ERROR_FULL, "takes no more hosts");
	check_start_refused(&second, NULL, DOCA_ERROR_FULL, "takes no more hosts");
	check_hits(2);
	assert_int_equal(kill(pid, 0), 0);
	end();
}

static void worker_that_nobody_could_use_ends_and_leaves_its_id(void **state)
{
	uint64_t connection;
	pid_t pid;

	(void)state;
	begin(ARGS("--keep-workers"));
	check_start_refused(&first, "no-hosts", DOCA_ERROR_FULL,
			    "(as ulimit -n of the daemon has it); --worker-files");
	check_hits(1);
	pid = start(&first, NULL, &connection);
	rig_host_stop(&first, 1, connection);
	daemon_rig_wait_gone(pid);
	end();
}

static void what_else_it_lacks_has_its_own_error_and_is_no_hit(void **state)
{
	(void)state;
	begin(NULL);
	check_start_refused(&first, "no-memory", DOCA_ERROR_NO_MEMORY, "takes no more hosts: of");
	check_hits(0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(host_that_is_not_taken_is_told_why_and_the_others_stay),
		TEST(worker_that_was_of_use_is_kept),
		TEST(worker_that_nobody_could_use_ends_and_leaves_its_id),
		TEST(what_else_it_lacks_has_its_own_error_and_is_no_hit),
	};

	return cmocka_run_group_tests_name("daemon_files", tests, NULL, NULL);
}
