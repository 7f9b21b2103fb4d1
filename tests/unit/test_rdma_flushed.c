/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that are flushed while the peer has their message: their sources are the application's
 * again, and what it does with them from then on nobody receives.
 */
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rdma/providers/software/soft.h"
#include "rdma_rig.h"

#define MIB        ((size_t)1024 * 1024)
#define SENT_BYTE  0x11
#define OTHER_BYTE 0x22 /* what the application does next */
#define PATIENCE_S 20

/* The next pull of a process, which waits when it is armed; shared when there are two. */
struct gate {
	bool is_armed; /* atomic */
	sem_t has_come;
	sem_t may_go;
};

static struct gate *gate;

ssize_t __real_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote, unsigned long num_remote,
				unsigned long flags);
ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote, unsigned long num_remote,
				unsigned long flags);

static void wait_for(sem_t *what)
{
	struct timespec end;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &end), 0);
	end.tv_sec += PATIENCE_S;
	assert_int_equal(sem_timedwait(what, &end), 0);
}

ssize_t __wrap_process_vm_readv(pid_t pid, const struct iovec *local, unsigned long num_local,
				const struct iovec *remote, unsigned long num_remote,
				unsigned long flags)
{
	if (gate != NULL && __atomic_exchange_n(&gate->is_armed, false, __ATOMIC_SEQ_CST)) {
		(void)sem_post(&gate->has_come);
		while (sem_wait(&gate->may_go) != 0)
			continue;
	}
	return __real_process_vm_readv(pid, local, num_local, remote, num_remote, flags);
}

static void set_gate_step(struct rdma_side *side, void *args)
{
	(void)side;
	gate = *(struct gate **)args;
}

static void gate_init(struct rdma_side *side)
{
	struct gate *made =
	    rdma_far_is_there() ? rdma_far_alloc(sizeof(*made)) : calloc(1, sizeof(*made));

	assert_int_equal(sem_init(&made->has_come, 1, 0), 0);
	assert_int_equal(sem_init(&made->may_go, 1, 0), 0);
	gate = made;
	rdma_at(side, set_gate_step, &made, sizeof(made));
}

static void gate_fini(void)
{
	if (!rdma_far_is_there())
		free(gate);
	gate = NULL;
}

/* Two connections, which are open from a to b; b keeps its receives. */
struct flushed_pair {
	struct rdma_pair sides;
	struct doca_rdma_connection *first;
	struct doca_rdma_connection *second;
	const struct doca_buf *src; /* all of a's memory */
	struct doca_task *receive;
};

static void exchange(struct flushed_pair *pair, struct doca_rdma_connection *conn)
{
	struct rdma_side *a = &pair->sides.a, *b = &pair->sides.b;

	rdma_set_conn(a, conn);
	rdma_submit(b, rdma_receive_task(b, NULL, 0));
	rdma_submit(a, rdma_send_task(a, NULL, 0));
	rdma_hears(a, "ok(0)");
	rdma_hears(b, "ok(0)");
}

static void flushed_init(struct flushed_pair *pair)
{
	const struct rdma_conf conf = { .len = MIB, .max_conns = 2 };
	struct rdma_side *a = &pair->sides.a, *b = &pair->sides.b;
	struct doca_rdma_connection *theirs;

	rdma_pair_start(&pair->sides, &conf);
	rdma_connect(a, b, &pair->first, &theirs);
	rdma_connect(a, b, &pair->second, &theirs);
	(void)rdma_import(a, b);
	exchange(pair, pair->second);
	exchange(pair, pair->first);
	gate_init(b);
	memset(a->bytes, SENT_BYTE, MIB);
	pair->src = rdma_data(a, 0, MIB);
	rdma_heard_of(b)->on_task = heard_keep_task;
}

static void flushed_fini(struct flushed_pair *pair)
{
	rdma_free(&pair->sides.b, pair->receive);
	rdma_heard_of(&pair->sides.b)->on_task = NULL;
	rdma_pair_fini(&pair->sides);
	gate_fini();
}

/* The task, number 1, is flushed, and the application goes on with its source. */
static void take_back(struct flushed_pair *pair)
{
	assert_success(doca_rdma_connection_disconnect(pair->first));
	rdma_hears(&pair->sides.a, "IO_FAILED(1)");
	memset(pair->sides.a.bytes, OTHER_BYTE, MIB);
}

static void post_receive(struct flushed_pair *pair)
{
	struct rdma_side *b = &pair->sides.b;

	pair->receive = rdma_submit(b, rdma_receive_task(b, rdma_room(b, 0, MIB), 1));
}

/*
 * The message has not come to its end, so its receive is there for one over the other connection;
 * or all of it was on its way when the task was flushed, and it is what was sent.
 */
static void assert_not_delivered(struct flushed_pair *pair)
{
	struct rdma_side *a = &pair->sides.a, *b = &pair->sides.b;

	rdma_set_conn(a, pair->second);
	rdma_submit(a, rdma_send_task(a, rdma_data(a, 0, 5), 2));
	rdma_hears(b, "ok(1)");
	if (rdma_received(b, pair->receive).len == 5)
		return;
	assert_false(rdma_is_pulling());
	for (size_t i = 0; i < MIB; i++)
		assert_int_equal(b->bytes[i], SENT_BYTE);
}

static void message_that_waits_for_a_receive_is_not_delivered(void **state)
{
	struct flushed_pair pair;

	(void)state;
	flushed_init(&pair);
	rdma_submit(&pair.sides.a, rdma_send_task(&pair.sides.a, pair.src, 1));
	rdma_is_silent(&pair.sides.b, 1000); /* and has the message, which waits */

	take_back(&pair);
	post_receive(&pair);

	assert_not_delivered(&pair);
	flushed_fini(&pair);
}

static void hold_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = side->rdma->provider_data;

	(void)unused;
	pthread_mutex_lock(&port->lock);
}

static void let_go_step(struct rdma_side *side, void *unused)
{
	struct soft_port *port = side->rdma->provider_data;

	(void)unused;
	pthread_mutex_unlock(&port->lock);
}

/*
 * Submits, and takes back what is being pulled, which then goes on. Without pulling, what is on its
 * way.
 */
static void take_back_meanwhile(struct flushed_pair *pair, struct doca_task *task)
{
	struct rdma_side *a = &pair->sides.a, *b = &pair->sides.b;

	post_receive(pair);
	if (rdma_is_pulling()) {
		__atomic_store_n(&gate->is_armed, true, __ATOMIC_SEQ_CST);
		rdma_submit(a, task);
		wait_for(&gate->has_come);
		take_back(pair);
		(void)sem_post(&gate->may_go);
	} else {
		rdma_at(b, hold_step, NULL, 0);
		rdma_submit(a, task);
		take_back(pair);
		rdma_at(b, let_go_step, NULL, 0);
	}
}

static void send_that_is_being_pulled_is_not_delivered(void **state)
{
	struct flushed_pair pair;

	(void)state;
	flushed_init(&pair);

	take_back_meanwhile(&pair, rdma_send_task(&pair.sides.a, pair.src, 1));

	assert_not_delivered(&pair);
	flushed_fini(&pair);
}

/* Its bytes may be there, in part; but nobody is told. */
static void write_that_is_being_pulled_is_not_told(void **state)
{
	struct flushed_pair pair;
	struct rdma_side *a = &pair.sides.a, *b = &pair.sides.b;

	(void)state;
	flushed_init(&pair);

	take_back_meanwhile(
	    &pair, rdma_write_imm_task(a, pair.src, rdma_remote_buf(a, b, 0, MIB, 0), 7, 1));

	assert_not_delivered(&pair);
	flushed_fini(&pair);
}

/* A process that begins otherwise than by fork() runs no handlers, and has all descriptors. */
static pid_t duplicate_all(void)
{
	pid_t pid = _Fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* it cannot fail */
	for (;;)
		pause();
}

static void duplicates_keep_no_lane_open(void **state)
{
	struct rdma_pair pair;
	pid_t pid;

	(void)state;
	rdma_pair_init(&pair, NULL);
	rdma_submit(&pair.a, rdma_receive_task(&pair.a, NULL, 1));
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 2));
	rdma_hears(&pair.b, "ok(2)"); /* so its lane is open */
	rdma_submit(&pair.b, rdma_send_task(&pair.b, NULL, 3));
	pid = duplicate_all();

	assert_success(doca_rdma_connection_disconnect(pair.a.conn));

	rdma_hears(&pair.b, "IO_FAILED(3)");
	rdma_take_log(&pair.b, "the peer is gone");
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	rdma_pair_fini(&pair);
}

int main(int argc, char **argv)
{
	const struct rdma_test tests[] = {
		RDMA_TEST(message_that_waits_for_a_receive_is_not_delivered),
		RDMA_TEST(send_that_is_being_pulled_is_not_delivered),
		RDMA_TEST(write_that_is_being_pulled_is_not_told),
		RDMA_TEST(duplicates_keep_no_lane_open),
	};

	return rdma_run(tests, sizeof(tests) / sizeof(tests[0]), argc, argv);
}
