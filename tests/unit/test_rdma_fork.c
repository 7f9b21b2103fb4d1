/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A process with RDMA contexts forks. The parent's contexts go on, whatever the child does with its
 * copies of them, and the child may have contexts of its own. A child that waits for what it does
 * not have is ended by its alarm.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rdma_rig.h"

#define PATIENCE_S 20
#define NUM_FORKS  50
#define LEN        100

static int run_in_child(void (*what)(struct rdma_pair *pair), struct rdma_pair *pair)
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(PATIENCE_S);
		what(pair);
		_exit(EXIT_SUCCESS);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* One message from a to b. */
static void send_one(struct rdma_pair *pair, char byte)
{
	const unsigned int num_words = pair->a.heard.num_words, b_words = pair->b.heard.num_words;

	memset(pair->a.bytes, byte, LEN);
	rdma_submit(&pair->b, rdma_receive_task(&pair->b, rdma_room(&pair->b, LEN, LEN), 1));
	rdma_submit(&pair->a, rdma_send_task(&pair->a, rdma_data(&pair->a, 0, LEN), 2));
	rdma_drive(pair, &pair->a, num_words + 1);
	rdma_drive(pair, &pair->b, b_words + 1);
	assert_int_equal(pair->b.bytes[LEN], byte);
	rdma_put_bufs(&pair->a);
	rdma_put_bufs(&pair->b);
}

static void do_nothing(struct rdma_pair *pair)
{
	(void)pair;
}

/* As a function of atexit() might; what is said of it is the child's. */
static void stop_all(struct rdma_pair *pair)
{
	(void)doca_ctx_stop(pair->a.ctx);
	(void)doca_ctx_stop(pair->b.ctx);
	for (int i = 0; i < 100; i++) {
		(void)doca_pe_progress(pair->a.pe);
		(void)doca_pe_progress(pair->b.pe);
	}
}

static void use_all(struct rdma_pair *pair)
{
	struct doca_task *task = rdma_send_task(&pair->a, rdma_data(&pair->a, 0, LEN), 3);

	(void)doca_task_submit(task);
	stop_all(pair);
}

static void begin_anew(struct rdma_pair *pair)
{
	struct rdma_pair own;

	(void)pair;
	rdma_pair_init(&own, NULL);
	send_one(&own, 'c');
	rdma_pair_fini(&own);
}

static void check_parent_goes_on(void (*what)(struct rdma_pair *pair), int num_forks)
{
	struct rdma_pair pair;

	rdma_pair_init(&pair, NULL);
	send_one(&pair, 'a');
	for (int i = 0; i < num_forks; i++) {
		assert_int_equal(run_in_child(what, &pair), 0);
		send_one(&pair, (char)('b' + i));
	}
	rdma_pair_fini(&pair);
}

static void parent_goes_on(void **state)
{
	(void)state;
	check_parent_goes_on(do_nothing, NUM_FORKS);
}

static void child_that_stops_everything_does_not_stop_the_parents(void **state)
{
	(void)state;
	check_parent_goes_on(stop_all, 1);
}

static void child_that_submits_sends_nothing(void **state)
{
	(void)state;
	check_parent_goes_on(use_all, 1);
}

static void child_may_have_contexts_of_its_own(void **state)
{
	(void)state;
	check_parent_goes_on(begin_anew, 2);
}

/* The thread that serves contexts is in the middle of something most of the time. */
static void forks_while_data_is_moved_do_no_harm(void **state)
{
	const size_t len = (size_t)4 * 1024 * 1024;
	const struct rdma_conf conf = { .len = 2 * len };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, &conf);
	for (unsigned int i = 0; i < NUM_FORKS; i++) {
		memset(pair.a.bytes, (int)i, len);
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, len),
					    rdma_remote_buf(&pair.a, &pair.b, len, len, 0), i));
		assert_int_equal(run_in_child(do_nothing, &pair), 0);
		rdma_drive(&pair, &pair.a, pair.a.heard.num_words + 1);
		assert_memory_equal(pair.b.bytes + len, pair.a.bytes, len);
		rdma_put_bufs(&pair.a);
	}
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST_ALONE(parent_goes_on),
		RDMA_TEST_ALONE(child_that_stops_everything_does_not_stop_the_parents),
		RDMA_TEST_ALONE(child_that_submits_sends_nothing),
		RDMA_TEST_ALONE(child_may_have_contexts_of_its_own),
		RDMA_TEST_ALONE(forks_while_data_is_moved_do_no_harm),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
