/* SPDX-License-Identifier: BSD-3-Clause */
/* DC: what goes wrong with one initiator, or ends, is nothing to the others. */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rdma_dc.h"

#define MIB      ((size_t)1024 * 1024)
#define LOCAL    DOCA_ACCESS_FLAG_LOCAL_READ_WRITE
#define TO_READ  DOCA_ACCESS_FLAG_RDMA_READ
#define TO_WRITE DOCA_ACCESS_FLAG_RDMA_WRITE

/* Bytes that many initiators may leave behind: what those on their way out hold. */
#define MAX_GROWTH ((size_t)256 * 1024)

static void submit_write(struct rdma_side *a, struct rdma_side *target, uint64_t number)
{
	rdma_submit(a, rdma_write_task(a, rdma_data(a, 0, 10), rdma_remote_buf(a, target, 0, 10, 0),
				       number));
}

static void submit_read(struct rdma_side *a, struct rdma_side *target, uint64_t number)
{
	rdma_submit(a, rdma_read_task(a, rdma_remote_buf(a, target, 0, 10, 10),
				      rdma_room(a, 100, 10), number));
}

static void submit_access(bool is_read, struct rdma_side *a, struct rdma_side *target,
			  uint64_t number)
{
	if (is_read)
		submit_read(a, target, number);
	else
		submit_write(a, target, number);
}

static void connect_again(struct rdma_dc *dc, struct rdma_side *a)
{
	assert_success(rdma_disconnect(a, a->conn));
	rdma_dc_connect(a, &dc->blob);
}

static void assert_has_ended(struct rdma_side *a)
{
	struct doca_task *task = rdma_send_task(a, NULL, 9);

	assert_refused(doca_task_submit(task), DOCA_ERROR_BAD_STATE, "has ended");
	doca_task_free(task);
}

/* Of the environment of a target that is not there yet. */
struct variable {
	char name[32];
	char value[32];
};

static void set_step(struct rdma_side *side, void *args)
{
	const struct variable *variable = args;

	(void)side;
	assert_int_equal(setenv(variable->name, variable->value, 1), 0);
}

static void set_at_target(struct variable variable)
{
	if (rdma_far_is_there())
		rdma_far_call(NULL, set_step, &variable, sizeof(variable));
	else
		set_step(NULL, &variable);
}

/* rdma trap 28 */
static void denied_access_ends_its_initiator_alone(void **state)
{
	static const struct {
		uint32_t ctx_rights;
		uint32_t mmap_rights;
		bool is_read; /* what is denied; the other is not */
	} cases[] = {
		{ LOCAL | TO_WRITE, LOCAL | TO_READ | TO_WRITE, true },
		{ LOCAL | TO_READ | TO_WRITE, LOCAL | TO_WRITE, true },
		{ LOCAL | TO_READ, LOCAL | TO_READ | TO_WRITE, false },
		{ LOCAL | TO_READ | TO_WRITE, LOCAL | TO_READ, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct rdma_conf conf = { .ctx_rights = cases[i].ctx_rights,
						.mmap_rights = cases[i].mmap_rights };
		struct rdma_side *a, *b;
		struct rdma_dc dc;

		rdma_dc_init(&dc, 2, &conf);
		a = &dc.initiators[0];
		b = &dc.initiators[1];
		memset(a->bytes, 'a', 10);
		memset(b->bytes, 'b', 10);
		submit_access(!cases[i].is_read, b, &dc.target, 1);
		rdma_hears(b, "ok(1)");

		submit_access(cases[i].is_read, a, &dc.target, 2);

		rdma_hears(a, "NOT_PERMITTED(2)");
		test_take_log("does not permit");
		assert_int_not_equal(dc.target.bytes[0], 'a');
		assert_int_equal(a->bytes[100], 0);
		assert_has_ended(a);
		submit_access(!cases[i].is_read, b, &dc.target, 4);
		rdma_hears(b, "ok(4)");
		connect_again(&dc, a);
		submit_access(!cases[i].is_read, a, &dc.target, 5);
		rdma_hears(a, "ok(5)");
		rdma_dc_fini(&dc);
	}
}

/* rdma trap 31 */
static void access_outside_writes_nothing(void **state)
{
	const size_t len = MIB;
	const struct rdma_conf conf = { .len = len };
	struct rdma_dc dc;
	struct rdma_side a;

	(void)state;
	rdma_dc_init(&dc, 0, &conf);
	rdma_dc_side_init(&a, &(struct rdma_conf){ .len = 2 * len });
	rdma_dc_connect(&a, &dc.blob);
	(void)rdma_import(&a, &dc.target);
	memset(a.bytes, 'a', 2 * len);
	rdma_stop_memory(&dc.target); /* all of it is outside from here on */

	rdma_submit(&a, rdma_write_task(&a, rdma_data(&a, 0, len),
					rdma_remote_buf(&a, &dc.target, 0, len, 0), 1));

	rdma_hears(&a, "NOT_PERMITTED(1)");
	test_take_log("does not permit");
	for (size_t i = 0; i < len; i++)
		assert_int_equal(dc.target.bytes[i], 0);
	rdma_side_fini(&a);
	rdma_dc_fini(&dc);
}

/* rdma trap 44 */
static void too_small_a_receive_fails_its_sender_alone(void **state)
{
	struct rdma_side *a, *b;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 2, NULL);
	a = &dc.initiators[0];
	b = &dc.initiators[1];
	rdma_dc_receive(&dc.target, 2, 50);

	rdma_submit(a, rdma_send_task(a, rdma_data(a, 0, 100), 1));

	rdma_hears(a, "IO_FAILED(1)");
	test_take_log("too small");
	rdma_submit(b, rdma_send_task(b, rdma_data(b, 0, 50), 2));
	rdma_hears(b, "ok(2)");
	rdma_hears(&dc.target, "IO_FAILED(0) ok(1)");
	rdma_dc_fini(&dc);
}

/* rdma trap 37 */
static void initiator_waits_for_a_receive_as_long_as_it_says(void **state)
{
	const struct rdma_conf conf = { .rnr_retry_count = 1, .has_rnr = true };
	struct rdma_side *a, impatient;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	rdma_dc_side_init(&impatient, &conf);
	rdma_dc_connect(&impatient, &dc.blob);
	rdma_submit(a, rdma_send_task(a, NULL, 1));
	rdma_submit(&impatient, rdma_send_task(&impatient, NULL, 2));

	rdma_hears(&impatient, "IO_FAILED(2)");
	test_take_log("no receive in time");
	rdma_dc_receive(&dc.target, 1, 10);
	rdma_hears(a, "ok(1)");
	rdma_hears(&dc.target, "ok(0)");
	rdma_side_fini(&impatient);
	rdma_dc_fini(&dc);
}

/* Longer than until the target looks whether it is still there. */
static void first_message_may_wait_long(void **state)
{
	struct rdma_side *a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	rdma_submit(a, rdma_send_task(a, NULL, 1));
	for (uint64_t end = test_now_ns() + UINT64_C(2500000000); test_now_ns() < end;)
		rdma_is_silent(a, 1);

	rdma_dc_receive(&dc.target, 1, 10);

	rdma_hears(a, "ok(1)");
	rdma_dc_fini(&dc);
}

/* The first has taken the receive, and does not finish: it is there for the second. */
static void message_cut_off_gives_its_receive_back(void **state)
{
	const struct rdma_conf conf = { .len = 16 * MIB };
	struct rdma_side *b, a;
	struct rdma_dc dc;

	(void)state;
	set_at_target((struct variable){ "DOCA_RDMA_SOCKET_BUFFER", "4096" });
	setenv("DOCA_RDMA_SOCKET_BUFFER", "4096", 1); /* or the system sends on for it */
	if (!rdma_is_over_tcp()) /* a message that is fetched may be there at once */
		set_at_target((struct variable){ "DOCA_RDMA_SOCKETS", "unix,stream" });
	rdma_dc_init(&dc, 1, &conf);
	b = &dc.initiators[0];
	rdma_dc_side_init(&a, &conf);
	rdma_dc_connect(&a, &dc.blob);
	rdma_submit(&a, rdma_write_task(&a, NULL, NULL, 0));
	rdma_hears(&a, "ok(0)");
	rdma_dc_receive(&dc.target, 1, 16 * MIB);
	rdma_submit(&a, rdma_send_task(&a, rdma_data(&a, 0, 16 * MIB), 1));
	assert_int_equal(doca_ctx_stop(a.ctx), DOCA_ERROR_IN_PROGRESS);
	rdma_side_fini(&a); /* long before it can all be sent */

	rdma_submit(b, rdma_send_task(b, rdma_data(b, 0, 10), 2));

	rdma_hears(b, "ok(2)");
	rdma_dc_fini(&dc);
}

/* What was acknowledged has been received, though the initiator hangs up at once. */
static void end_of_an_initiator_does_not_overtake_its_data(void **state)
{
	struct rdma_side a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 0, NULL);
	rdma_dc_side_init(&a, NULL);
	rdma_dc_connect(&a, &dc.blob);
	rdma_dc_receive(&dc.target, 50, 100);
	for (uint64_t i = 0; i < 50; i++)
		rdma_submit(&a, rdma_send_task(&a, rdma_data(&a, 0, 100), i));
	rdma_dc_drive(&a, 50);
	rdma_side_fini(&a);

	rdma_dc_drive(&dc.target, 50);
	rdma_dc_fini(&dc);
}

struct footprint {
	unsigned int num_fds;
	size_t num_bytes;
};

static void footprint_step(struct rdma_side *side, void *args)
{
	struct footprint *footprint = args;

	(void)side;
	footprint->num_fds = test_num_fds();
	footprint->num_bytes = mallinfo2().uordblks;
}

/* rdma trap 56 */
static void initiators_that_leave_leave_nothing(void **state)
{
	const unsigned int num_rounds = rdma_rounds(100, 1000);
	struct footprint first = { 0 }, last = { 0 };
	struct rdma_side *a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	for (unsigned int i = 0; i < num_rounds; i++) {
		if (i == 10)
			rdma_at(&dc.target, footprint_step, &first, sizeof(first));
		rdma_submit(a, rdma_write_task(a, NULL, NULL, 1));
		rdma_hears(a, "ok(1)");
		connect_again(&dc, a);
	}
	rdma_at(&dc.target, footprint_step, &last, sizeof(last));
	assert_true(last.num_fds <= first.num_fds + 4);
	assert_true(last.num_bytes <= first.num_bytes + MAX_GROWTH);
	rdma_dc_fini(&dc);
}

static void ends_all(doca_error_t (*end)(struct rdma_side *target))
{
	struct rdma_dc dc;

	rdma_dc_init(&dc, 3, NULL);
	for (size_t i = 0; i < 3; i++) {
		struct rdma_side *a = &dc.initiators[i];

		rdma_submit(a, rdma_write_task(a, NULL, NULL, 0));
		rdma_hears(a, "ok(0)");
		rdma_submit(a, rdma_send_task(a, NULL, 1));
	}

	assert_success(end(&dc.target));

	for (size_t i = 0; i < 3; i++) {
		rdma_hears(&dc.initiators[i], "IO_FAILED(1)");
		test_take_log("gone");
	}
	rdma_dc_fini(&dc);
}

static doca_error_t disconnect_target(struct rdma_side *target)
{
	return rdma_disconnect(target, target->conn);
}

static void target_that_is_disconnected_ends_all(void **state)
{
	(void)state;
	ends_all(disconnect_target);
}

static void target_that_is_stopped_ends_all(void **state)
{
	(void)state;
	ends_all(rdma_stop);
}

/* Nobody comes in by a descriptor that is void. */
static void disconnected_target_takes_no_initiator(void **state)
{
	struct rdma_side a;
	struct rdma_dc dc;

	(void)state;
	rdma_dc_init(&dc, 0, NULL);
	assert_success(rdma_disconnect(&dc.target, dc.target.conn));
	rdma_dc_side_init(&a, NULL);
	rdma_dc_connect(&a, &dc.blob);

	rdma_dc_is_refused(&a);

	test_take_log("");
	rdma_side_fini(&a);
	rdma_dc_fini(&dc);
}

/* As many as there may be; one more, when one has left. */
static void initiators_have_a_maximum(void **state)
{
	struct rdma_side third;
	struct rdma_dc dc;

	(void)state;
	set_at_target((struct variable){ "DOCA_RDMA_MAX_INITIATORS", "2" });
	rdma_dc_init(&dc, 2, NULL);
	for (size_t i = 0; i < 2; i++) {
		rdma_submit(&dc.initiators[i], rdma_write_task(&dc.initiators[i], NULL, NULL, 1));
		rdma_hears(&dc.initiators[i], "ok(1)");
	}
	rdma_dc_side_init(&third, NULL);
	rdma_dc_connect(&third, &dc.blob);

	rdma_dc_is_refused(&third);

	rdma_take_log(&dc.target, "maximum of 2");
	test_take_log("");
	assert_success(rdma_disconnect(&dc.initiators[0], dc.initiators[0].conn));
	rdma_is_silent(&dc.target, 1000); /* which has seen that by then */
	rdma_dc_connect(&third, &dc.blob);
	rdma_submit(&third, rdma_write_task(&third, NULL, NULL, 3));
	rdma_hears(&third, "ok(3)");
	rdma_side_fini(&third);
	rdma_dc_fini(&dc);
}

static void set_max_fds(rlim_t max)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = max < limit.rlim_max ? max : limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static uint64_t used_ns(void)
{
	struct timespec used;

	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used), 0);
	return (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
}

/* It is let in as soon as there is one; until then nobody turns in circles. */
static void initiator_waits_for_a_descriptor_of_the_target(void **state)
{
	const uint64_t wait_ns = 500000000;
	struct rlimit before;
	struct rdma_side a;
	struct rdma_dc dc;
	uint64_t used;
	int next;

	(void)state;
	rdma_dc_init(&dc, 0, NULL);
	rdma_dc_side_init(&a, NULL);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	next = dup(STDERR_FILENO);
	assert_int_equal(close(next), 0);
	set_max_fds((rlim_t)next + 1); /* one is left, which is the initiator's */
	rdma_dc_connect(&a, &dc.blob);
	rdma_submit(&a, rdma_write_task(&a, NULL, NULL, 1));

	used = used_ns();
	for (uint64_t end = test_now_ns() + wait_ns; test_now_ns() < end; usleep(10000))
		rdma_is_silent(&a, 1);
	assert_true(used_ns() - used < wait_ns / 2);
	test_take_log("clients may have to wait");

	set_max_fds(before.rlim_cur);
	rdma_hears(&a, "ok(1)");
	rdma_side_fini(&a);
	rdma_dc_fini(&dc);
}

static void wait_to_be_killed(void)
{
	for (;;)
		(void)pause();
}

/* The child has copies of the descriptors only until its fork is over. */
static void child_of_the_target_keeps_no_initiator(void **state)
{
	struct rdma_side *a;
	struct rdma_dc dc;
	pid_t child;

	(void)state;
	rdma_dc_init(&dc, 1, NULL);
	a = &dc.initiators[0];
	rdma_submit(a, rdma_write_task(a, NULL, NULL, 0));
	rdma_hears(a, "ok(0)");
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		wait_to_be_killed();
	rdma_submit(a, rdma_write_task(a, NULL, NULL, 1));
	rdma_hears(a, "ok(1)"); /* the parent goes on */
	rdma_submit(a, rdma_send_task(a, NULL, 2));

	assert_success(rdma_stop(&dc.target));

	rdma_hears(a, "IO_FAILED(2)");
	test_take_log("gone");
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	rdma_dc_fini(&dc);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(denied_access_ends_its_initiator_alone),
		RDMA_TEST(access_outside_writes_nothing),
		RDMA_TEST(too_small_a_receive_fails_its_sender_alone),
		RDMA_TEST(initiator_waits_for_a_receive_as_long_as_it_says),
		RDMA_TEST_TCP(first_message_may_wait_long),
		RDMA_TEST(message_cut_off_gives_its_receive_back),
		RDMA_TEST(end_of_an_initiator_does_not_overtake_its_data),
		RDMA_TEST(initiators_that_leave_leave_nothing),
		RDMA_TEST(target_that_is_disconnected_ends_all),
		RDMA_TEST(target_that_is_stopped_ends_all),
		RDMA_TEST(disconnected_target_takes_no_initiator),
		RDMA_TEST(initiators_have_a_maximum),
		RDMA_TEST_ALONE(initiator_waits_for_a_descriptor_of_the_target),
		RDMA_TEST_ALONE(child_of_the_target_keeps_no_initiator),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
