/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads, each with a channel, each asleep on its descriptor without a time limit whenever it
 * could arm: a wake-up that is lost stops both, and the alarm ends the program.
 */
#include "chan_contract.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/export.h"

#define NUM_ROUNDS      20000
#define NUM_CONNECTIONS 100
#define NUM_UNREAD      500
#define WATCH_NS        500000000
#define MAX_TURNS       2000 /* a loop that does not sleep makes a hundred times as many */
#define WINDOW          16
#define ALARM_S         100

static void echo(struct chan_link *link, const struct wire_command *command, uint64_t id)
{
	contract_send(link, id, command->payload.len);
}

/* Progresses, or sleeps when nothing is left. num_looks: so often it looks again before. */
static void turn(struct chan_end *end, unsigned int num_looks)
{
	struct pollfd watched = { .fd = chan_get_fd(end->chan), .events = POLLIN };

	for (unsigned int i = 0; i <= num_looks; i++) {
		if (chan_progress(end->chan))
			return;
	}
	if (chan_arm(end->chan))
		(void)poll(&watched, 1, -1);
}

/* The worker's thread, until so many connections are over. */
struct work {
	struct chan_end *worker;
	unsigned int num_connections;
	atomic_bool is_done;
	pthread_t thread;
};

static void *work_run(void *arg)
{
	struct work *work = arg;
	struct chan_end *worker = work->worker;
	unsigned int i = 0;

	while (worker->num_closed < work->num_connections) {
		turn(worker, i++ % 5);
		/* One turn may bring several, but one at a time is alive. */
		if (worker->num_links > CONTRACT_MAX_LINKS / 2 && worker->num_closed > 0)
			worker->num_links = 0;
	}
	atomic_store(&work->is_done, true);
	return NULL;
}

static void work_start(struct work *work, struct chan_contract *contract,
		       unsigned int num_connections)
{
	*work = (struct work){ .worker = &contract->worker, .num_connections = num_connections };
	contract->worker.on_received = echo;
	alarm(ALARM_S);
	assert_int_equal(pthread_create(&work->thread, NULL, work_run, work), 0);
}

/* Lets the host's part of the ends go out, and then waits for the worker. */
static void work_join(struct work *work, struct chan_contract *contract)
{
	while (!atomic_load(&work->is_done)) {
		(void)chan_progress(contract->host.chan);
		sched_yield();
	}
	assert_int_equal(pthread_join(work->thread, NULL), 0);
	alarm(0);
}

static void no_wake_up_is_lost_from_round_to_round(struct chan_contract *contract)
{
	struct chan_link *link = contract_connect(&contract->host, &contract->worker);
	struct work work;

	work_start(&work, contract, 1);
	for (unsigned int round = 1; round <= NUM_ROUNDS; round++) {
		contract_send(link, round, round % 500 == 0 ? 100000 : 8);
		while (link->num_received < round)
			turn(&contract->host, round % 7);
	}
	contract_disconnect(link);
	work_join(&work, contract);
	assert_false(link->is_unordered);
}

static void no_wake_up_is_lost_with_several_under_way(struct chan_contract *contract)
{
	struct chan_link *link = contract_connect(&contract->host, &contract->worker);
	unsigned int num_sent = 0;
	struct work work;

	work_start(&work, contract, 1);
	while (link->num_received < NUM_ROUNDS) {
		while (num_sent < NUM_ROUNDS && num_sent < link->num_received + WINDOW) {
			num_sent++;
			contract_send(link, num_sent, num_sent % 3000);
		}
		turn(&contract->host, num_sent % 3);
	}
	contract_disconnect(link);
	work_join(&work, contract);
	assert_false(link->is_unordered);
}

static void connecting_and_closing_wake_a_sleeper(struct chan_contract *contract)
{
	uint8_t addr[CHAN_MAX_ADDR];
	struct chan_link *link;
	struct work work;
	size_t len;

	assert_success(chan_get_address(contract->worker.chan, addr, &len));
	work_start(&work, contract, NUM_CONNECTIONS);
	for (unsigned int i = 0; i < NUM_CONNECTIONS; i++) {
		contract->host.num_links = 0;
		link = contract_connect_to(&contract->host, addr, len);
		assert_non_null(link);
		contract_send(link, 1, 10);
		while (link->num_received < 1)
			turn(&contract->host, 0);
		contract_disconnect(link);
	}
	work_join(&work, contract);
	assert_int_equal(contract->worker.num_accepted, NUM_CONNECTIONS);
}

static void armed_channel_without_work_is_silent(struct chan_contract *contract)
{
	struct chan_link *accepted;

	(void)contract_join(contract, &accepted);
	contract_settle(contract);

	for (unsigned int i = 0; i < 100; i++) {
		assert_false(chan_progress(contract->host.chan));
		assert_false(chan_progress(contract->worker.chan));
	}
	assert_true(chan_arm(contract->host.chan));
	assert_true(chan_arm(contract->worker.chan));
	assert_false(test_is_readable(chan_get_fd(contract->host.chan), 50));
	assert_false(test_is_readable(chan_get_fd(contract->worker.chan), 50));
}

static void message_makes_an_armed_channel_readable(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	contract_settle(contract);
	assert_true(chan_arm(contract->worker.chan));

	contract_send(link, 1, 10);

	assert_true(test_is_readable(chan_get_fd(contract->worker.chan), 10000));
	contract_drive_until(contract, accepted->num_received == 2);
}

static void unread_messages_keep_it_from_sleeping(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);
	unsigned int num_steps = 0;

	for (uint64_t id = 1; id <= 500; id++)
		contract_send(link, id, 0);
	while (chan_progress(contract->host.chan))
		continue;

	/* Armed after each step: either it refuses, or its descriptor tells. */
	while (accepted->num_received < 501) {
		(void)chan_progress(contract->host.chan);
		if (chan_arm(contract->worker.chan))
			assert_true(test_is_readable(chan_get_fd(contract->worker.chan), 10000));
		(void)chan_progress(contract->worker.chan);
		num_steps++;
	}
	assert_true(num_steps > 1);
}

/* How often the end is awake in half a second in which nobody else does anything. */
static unsigned int count_turns(struct chan_end *end)
{
	uint64_t begun_ns = test_now_ns(), spent_ns;
	unsigned int num_turns = 0;

	while ((spent_ns = test_now_ns() - begun_ns) < WATCH_NS) {
		num_turns++;
		if (!chan_progress(end->chan) && chan_arm(end->chan))
			(void)test_is_readable(chan_get_fd(end->chan),
					       (int)((WATCH_NS - spent_ns) / 1000000 + 1));
	}
	return num_turns;
}

static void waiting_for_a_peer_that_does_not_read_is_sleeping(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t id = 1; id <= NUM_UNREAD; id++)
		contract_send(link, id, 20000);

	assert_in_range(count_turns(&contract->host), 1, MAX_TURNS);
	contract_drive_until(contract, accepted->num_received == NUM_UNREAD + 1);
	assert_false(accepted->is_unordered);
}

static void peer_that_closed_without_reading_leaves_nothing_to_do(struct chan_contract *contract)
{
	struct chan_link *accepted;
	struct chan_link *link = contract_join(contract, &accepted);

	for (uint64_t id = 1; id <= NUM_UNREAD; id++)
		contract_send(link, id, 20000);
	contract_close(&contract->worker);
	contract_drive_until(contract, link->num_closed == 1);

	assert_in_range(count_turns(&contract->host), 1, MAX_TURNS);
}

static const struct chan_contract_test tests[] = {
	CONTRACT(no_wake_up_is_lost_from_round_to_round),
	CONTRACT(no_wake_up_is_lost_with_several_under_way),
	CONTRACT(connecting_and_closing_wake_a_sleeper),
	CONTRACT(armed_channel_without_work_is_silent),
	CONTRACT(message_makes_an_armed_channel_readable),
	CONTRACT(unread_messages_keep_it_from_sleeping),
	CONTRACT(waiting_for_a_peer_that_does_not_read_is_sleeping),
	CONTRACT(peer_that_closed_without_reading_leaves_nothing_to_do),
};

int main(void)
{
	return contract_run(tests, CORE_ARRAY_LEN(tests));
}
