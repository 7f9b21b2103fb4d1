/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both sides at work at the same time, each in its own process or thread: wake-ups that must not be
 * lost, and words that come a byte at a time.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fixture.h"
#include "rdma/rdma.h"
#include "rdma_rig.h"

/* --- sleeping and waking --------------------------------------------------------------------- */

#define WAKE_MS      10000 /* a wake-up that is lost never comes */
#define MAX_DELAY_NS 200000

/* Does something else for a while, so that the other side's turn meets every state of this one. */
static void dawdle(unsigned int *seed)
{
	uint64_t end = test_now_ns() + (uint64_t)rand_r(seed) % MAX_DELAY_NS;

	while (test_now_ns() < end)
		continue;
}

/* What a side has got and got rid of. */
struct game {
	unsigned int num_rounds;
	bool begins;
	unsigned int num_got;
	unsigned int num_sent;
};

enum number {
	GOT,
	SENT,
};

static void count(struct heard *heard)
{
	struct rdma_side *side = heard->owner;
	struct game *game = side->test;

	assert_success(doca_task_get_status(heard->task));
	if (doca_task_get_user_data(heard->task).u64 == GOT)
		game->num_got++;
	else
		game->num_sent++;
	doca_task_free(heard->task);
	heard->text[0] = '\0';
}

static void sleep_until(struct rdma_side *side, const unsigned int *counter, unsigned int wanted,
			unsigned int *seed)
{
	doca_notification_handle_t handle;

	assert_success(doca_pe_get_notification_handle(side->pe, &handle));
	while (*counter < wanted) {
		assert_success(doca_pe_request_notification(side->pe));
		assert_true(test_is_readable(handle, WAKE_MS));
		assert_success(doca_pe_clear_notification(side->pe, handle));
		if (rand_r(seed) % 4 == 0)
			dawdle(seed);
		while (doca_pe_progress(side->pe) != 0)
			continue;
	}
}

static void play_step(struct rdma_side *side, void *args)
{
	struct game *game = args;
	unsigned int seed = game->begins ? 1 : 2;

	side->test = game;
	side->heard.on_task = count;
	for (unsigned int i = 1; i <= game->num_rounds; i++) {
		rdma_submit(side, rdma_receive_task(side, NULL, GOT));
		if (!game->begins)
			sleep_until(side, &game->num_got, i, &seed);
		if (rand_r(&seed) % 4 == 0)
			dawdle(&seed);
		rdma_submit(side, rdma_send_task(side, NULL, SENT));
		sleep_until(side, &game->num_sent, i, &seed);
		sleep_until(side, &game->num_got, i, &seed);
	}
	side->heard.on_task = NULL;
}

/* rdma trap 6: the full form has 100,000 rounds, this one 20,000 over all kinds. */
static void no_wake_up_is_lost_between_two(void **state)
{
	struct game first = { .num_rounds = rdma_rounds(4000, 100000), .begins = true };
	struct game second = { .num_rounds = first.num_rounds };
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_meanwhile(&pair.b, play_step, &second, sizeof(second));
	play_step(&pair.a, &first);
	rdma_join();
	rdma_pair_fini(&pair);
}

/* rdma trap 6: nothing else is left to wake for. */
static void end_of_a_stop_wakes(void **state)
{
	doca_notification_handle_t handle;
	struct doca_task *kept;
	struct rdma_pair pair;

	(void)state;
	rdma_pair_init(&pair, NULL);
	assert_success(doca_pe_get_notification_handle(pair.a.pe, &handle));
	kept = rdma_send_task(&pair.a, NULL, 1);
	assert_int_equal(doca_ctx_stop(pair.a.ctx), DOCA_ERROR_IN_PROGRESS);
	rdma_hears(&pair.a, "running>stopping");
	assert_success(doca_pe_request_notification(pair.a.pe));
	assert_false(test_is_readable(handle, 0));

	doca_task_free(kept);

	assert_true(test_is_readable(handle, WAKE_MS));
	assert_success(doca_pe_clear_notification(pair.a.pe, handle));
	rdma_hears(&pair.a, "stopping>idle");
	rdma_pair_fini(&pair);
}

/* --- bytes one at a time --------------------------------------------------------------------- */

/*
 * What stands between a and b: requests of a come to b a byte at a time, answers go back as they
 * are. It stops after a number of bytes, and goes on.
 */
struct relay {
	pthread_t thread;
	int listener;
	int in;           /* to a */
	int out;          /* to b */
	uint16_t to_port; /* of b */
	long num_allowed; /* atomic: requests' bytes that may go on; negative: all */
	bool is_over;     /* atomic */
};

static int bound_socket(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
	*port = ntohs(address.sin_port);
	return fd;
}

/* Requests: one byte a segment. False: nothing may go on now. */
static bool pass_byte(struct relay *relay)
{
	long num_allowed = __atomic_load_n(&relay->num_allowed, __ATOMIC_ACQUIRE);
	char byte;

	if (num_allowed == 0 || recv(relay->in, &byte, 1, MSG_DONTWAIT) != 1)
		return false;
	if (num_allowed > 0)
		(void)__atomic_fetch_sub(&relay->num_allowed, 1, __ATOMIC_ACQ_REL);
	(void)send(relay->out, &byte, 1, MSG_NOSIGNAL);
	return true;
}

static void pass_answers(struct relay *relay)
{
	char bytes[256];
	ssize_t len = recv(relay->out, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (len > 0)
		(void)send(relay->in, bytes, (size_t)len, MSG_NOSIGNAL);
}

static void *run_relay(void *started)
{
	struct relay *relay = started;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(relay->to_port) };
	int on = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	relay->in = accept4(relay->listener, NULL, NULL, SOCK_CLOEXEC);
	relay->out = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)setsockopt(relay->out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (connect(relay->out, (const struct sockaddr *)&address, sizeof(address)) != 0)
		return NULL;
	while (!__atomic_load_n(&relay->is_over, __ATOMIC_ACQUIRE)) {
		struct pollfd fds[] = { { .fd = relay->in, .events = POLLIN },
					{ .fd = relay->out, .events = POLLIN } };

		if (__atomic_load_n(&relay->num_allowed, __ATOMIC_ACQUIRE) == 0)
			fds[0].fd = -1;
		(void)poll(fds, 2, 1); /* it looks again whether it may go on */
		while (pass_byte(relay))
			continue;
		pass_answers(relay);
	}
	return NULL;
}

/* Connects a pair whose requests from a go by the relay. */
static void relay_begin(struct relay *relay, struct rdma_pair *pair)
{
	struct drdma_conn_record record;
	struct rdma_blob a_blob, b_blob;
	uint8_t *bytes;

	memset(relay, 0, sizeof(*relay));
	relay->num_allowed = -1;
	rdma_pair_start(pair, NULL);
	rdma_export(&pair->a, &a_blob, &pair->a.conn);
	rdma_export(&pair->b, &b_blob, &pair->b.conn);
	assert_success(drdma_record_decode(b_blob.bytes, b_blob.len, &record));
	relay->to_port = record.port;
	relay->listener = bound_socket(&record.port);
	assert_int_equal(listen(relay->listener, 1), 0);
	assert_success(drdma_record_encode(&record, &bytes));
	memcpy(b_blob.bytes, bytes, b_blob.len);
	free(bytes);
	assert_int_equal(pthread_create(&relay->thread, NULL, run_relay, relay), 0);
	assert_success(rdma_connect_to(&pair->a, &b_blob, pair->a.conn));
	assert_success(rdma_connect_to(&pair->b, &a_blob, pair->b.conn));
	(void)rdma_import(&pair->a, &pair->b);
}

static void relay_end(struct relay *relay, struct rdma_pair *pair)
{
	rdma_pair_fini(pair);
	__atomic_store_n(&relay->is_over, true, __ATOMIC_RELEASE);
	assert_int_equal(pthread_join(relay->thread, NULL), 0);
	(void)close(relay->in);
	(void)close(relay->out);
	(void)close(relay->listener);
}

/* Of both processes. */
struct watch {
	bool is_over;      /* atomic */
	uint64_t num_torn; /* when that is over */
};

/* Looks at the word as another processor would: whole in one load, as it comes. */
static void watch_step(struct rdma_side *side, void *args)
{
	struct watch *watch = *(struct watch **)args;
	const uint64_t *word = (const uint64_t *)(const void *)side->bytes;

	while (!__atomic_load_n(&watch->is_over, __ATOMIC_ACQUIRE)) {
		uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED);

		watch->num_torn += (uint32_t)value != (uint32_t)(value >> 32);
	}
}

/* rdma trap 41 */
static void word_that_comes_in_bytes_is_not_torn(void **state)
{
	static struct watch of_one_process;
	struct watch *watch = &of_one_process;
	struct relay relay;
	struct rdma_pair pair;
	uint64_t word;

	(void)state;
	if (rdma_far_is_there())
		watch = rdma_far_alloc(sizeof(*watch));
	memset(watch, 0, sizeof(*watch));
	relay_begin(&relay, &pair);
	rdma_meanwhile(&pair.b, watch_step, &watch, sizeof(watch));
	for (uint32_t i = 1; i <= rdma_rounds(300, 20000); i++) {
		word = (uint64_t)(i * 2654435761u) << 32 | (i * 2654435761u);
		memcpy(pair.a.bytes, &word, sizeof(word));
		rdma_submit(&pair.a,
			    rdma_write_task(&pair.a, rdma_data(&pair.a, 0, 8),
					    rdma_remote_buf(&pair.a, &pair.b, 0, 8, 0), 1));
		rdma_hears(&pair.a, "ok(1)");
		rdma_put_bufs(&pair.a);
	}
	__atomic_store_n(&watch->is_over, true, __ATOMIC_RELEASE);
	rdma_join();
	assert_int_equal(watch->num_torn, 0);
	assert_memory_equal(pair.b.bytes, &word, sizeof(word));
	relay_end(&relay, &pair);
}

/* rdma trap 5: what has come in part is no event; all of it is one. */
static void part_of_a_message_is_no_event(void **state)
{
	struct relay relay;
	struct rdma_pair pair;

	(void)state;
	relay_begin(&relay, &pair);
	memset(pair.a.bytes, 'x', 100);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, NULL, 0));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, NULL, 0));
	rdma_hears(&pair.a, "ok(0)"); /* they are connected */
	rdma_hears(&pair.b, "ok(0)");
	__atomic_store_n(&relay.num_allowed, 0, __ATOMIC_RELEASE);
	rdma_submit(&pair.b, rdma_receive_task(&pair.b, rdma_room(&pair.b, 0, 100), 1));
	rdma_submit(&pair.a, rdma_send_task(&pair.a, rdma_data(&pair.a, 0, 100), 1));
	for (int i = 0; i < 5; i++) {
		__atomic_store_n(&relay.num_allowed, 20, __ATOMIC_RELEASE);
		while (__atomic_load_n(&relay.num_allowed, __ATOMIC_ACQUIRE) > 0)
			rdma_is_silent(&pair.b, 1);
		rdma_is_silent(&pair.b, 2000);
		rdma_is_silent(&pair.a, 2000);
	}
	__atomic_store_n(&relay.num_allowed, -1, __ATOMIC_RELEASE);
	rdma_hears(&pair.b, "ok(1)");
	rdma_hears(&pair.a, "ok(1)");
	rdma_is_silent(&pair.b, 100);
	rdma_is_silent(&pair.a, 100);
	relay_end(&relay, &pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(no_wake_up_is_lost_between_two),
		RDMA_TEST(end_of_a_stop_wakes),
		RDMA_TEST_TCP(word_that_comes_in_bytes_is_not_torn),
		RDMA_TEST_TCP(part_of_a_message_is_no_event),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
