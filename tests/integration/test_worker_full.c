/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker whose plugin has taken all its descriptors: who comes then, and after it. */
#include <sys/resource.h>

#include "test.h"
#include "worker_rig.h"

#define MAX_FILES 64
#define NUM_PEERS 4

static struct rig rig;
static struct rig_host one, others[NUM_PEERS];

/* The limit is the worker's, not that of this process. */
static int full_begin(void **state)
{
	static const struct rig_config config = { 0 };
	struct rlimit limit, few;

	rig_begin(state);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = MAX_FILES;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	rig_start(&rig, &config);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return 0;
}

static int full_end(void **state)
{
	rig_stop(&rig);
	return test_end(state);
}

/* The plugin opens all but so many. */
static void leave(uint32_t num_left)
{
	(void)host_run(&one, RIG_ID(0), PLAY_OPENS, num_left + 1, NULL, 0, DOCA_SUCCESS);
}

static void give_back(void)
{
	(void)host_run(&one, RIG_ID(0), PLAY_OPENS, 0, NULL, 0, DOCA_SUCCESS);
}

static void check_another_can_attach(void)
{
	host_attach(&others[0], &rig);
	host_check_quiet(&others[0], RIG_ID(0));
	host_check_quiet(&one, RIG_ID(0));
	host_close(&others[0]);
}

static void a_ticket_is_refused_when_no_descriptor_is_left(void **state)
{
	const struct wire_ticket ticket = { .connection = 99,
					    .version = WIRE_VERSION_MAX,
					    .max_message = RIG_MAX_MESSAGE };
	struct wire_ticket_refused refused;

	(void)state;
	rig_expect_log(&rig, "one more host is not let in: of its 64 descriptors 0 are left");
	host_attach(&one, &rig);
	leave(0);
	rig_send(&rig, WIRE_TICKET, 104, &ticket);
	rig_take(&rig, WIRE_TICKET_REFUSED, 104, &refused);
	assert_int_equal(refused.error, DOCA_ERROR_FULL);
	assert_true(refused.lacks_files);
	assert_true(refused.reason.len > 0);
	host_check_quiet(&one, RIG_ID(0));
	give_back();
	check_another_can_attach();
	host_close(&one);
}

/* Those who have got their tickets before, too, and strangers: UCX alone would let them wait. */
static void check_peers_are_turned_away(uint32_t num_left)
{
	host_attach(&one, &rig);
	leave(num_left);
	for (unsigned int i = 0; i < NUM_PEERS; i++)
		host_connect(&others[i], &rig);
	for (unsigned int i = 0; i < NUM_PEERS; i++) {
		host_show(&others[i], others[i].connection, others[i].ticket);
		host_wait_closed(&others[i]);
		assert_false(others[i].is_refused);
		host_close(&others[i]);
	}
	host_check_quiet(&one, RIG_ID(0));
	give_back();
	check_another_can_attach();
	host_close(&one);
}

static void peers_are_turned_away_when_no_descriptor_is_left(void **state)
{
	(void)state;
	rig_expect_log(&rig, "is turned away");
	check_peers_are_turned_away(0);
}

/* UCX would end the process over the second one. */
static void peers_are_turned_away_when_there_are_too_few(void **state)
{
	(void)state;
	rig_expect_log(&rig, "is turned away: of 64 descriptors");
	check_peers_are_turned_away(2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_OVER_EACH(a_ticket_is_refused_when_no_descriptor_is_left, full_begin, full_end),
		RIG_OVER_EACH(peers_are_turned_away_when_no_descriptor_is_left, full_begin,
			      full_end),
		RIG_OVER(ucx, peers_are_turned_away_when_there_are_too_few, full_begin, full_end),
	};

	return cmocka_run_group_tests_name("worker_full", tests, NULL, NULL);
}
