/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The one thread of a process that serves ports while nobody drives them. It sleeps in epoll on the
 * sets of the ports that it has. After something has moved it goes on looking for a while, because
 * who has asked once asks again soon, and to be woken costs ten times as much as to look; it does
 * so only while no application of the process is polling, which needs the processor itself.
 *
 * A port that is leased is in no set of the engine's, but a timer of its own is, which progress
 * puts off from time to time: so the engine is not woken while the application drives, whose
 * processor that would take, and takes the port back when the timer goes off. A call of
 * progress that finds the engine at the port does not wait, but is counted: the engine then hands
 * the lease over. So nothing that could go on is ever slept on for longer than a lease.
 *
 * The list of ports is locked while one of them is looked at, so that a port that is being closed
 * is not; applications wait for that only when they start and stop.
 */

#include "rdma/providers/software/soft.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "core/log.h"

CORE_LOG_REGISTER(RDMA::SOFT::ENGINE);

/*
 * Who does not drive a port any more has lost it after a lease: a millisecond less what a thread
 * takes to wake up. Who drives it puts that off twice as often.
 */
#define LEASE_NS (UINT64_C(900) * 1000)
#define RENEW_NS (LEASE_NS / 2)

/* How long the end of a lease waits for the application's next call when it is in one. */
#define GRACE_NS (UINT64_C(100) * 1000)

/* Who has called progress so often without having slept is not about to sleep. */
#define AWAKE_POLLS 64

#define SPIN_NS     (UINT64_C(50) * 1000)
#define MAX_EVENTS  16

/* What epoll gives for the engine's own descriptors; ports and their timers have ids above. */
enum own_fd {
	OWN_WAKE,
	OWN_TIMER,
	OWN_COUNT,
};

#define PORT_IDS     2
#define LEASE_ID(id) ((id) + 1)

static struct {
	pthread_mutex_t life_lock; /* starting and ending the thread */
	unsigned int num_ports;    /* under life_lock */
	pthread_t thread;
	bool is_ending; /* atomic */

	int epoll_fd;
	int fds[OWN_COUNT];

	pthread_mutex_t list_lock;
	unsigned int num_waiting; /* atomic: threads of the application, for the list */
	LIST_HEAD(, soft_port) ports;
	uint64_t last_id;
	unsigned int num_leased; /* atomic */

	pthread_mutex_t timer_lock;
	uint64_t timer_ns; /* when the timer goes off */
} engine = {
	.life_lock = PTHREAD_MUTEX_INITIALIZER,
	.epoll_fd = -1,
	.fds = { -1, -1 },
	.list_lock = PTHREAD_MUTEX_INITIALIZER,
	.last_id = OWN_COUNT,
	.timer_lock = PTHREAD_MUTEX_INITIALIZER,
	.timer_ns = SOFT_NEVER,
};

/* The same as with a port: the engine lets in who waits. */
static void lock_list(void)
{
	if (pthread_mutex_trylock(&engine.list_lock) == 0)
		return;
	__atomic_fetch_add(&engine.num_waiting, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&engine.list_lock);
	__atomic_fetch_sub(&engine.num_waiting, 1, __ATOMIC_RELAXED);
}

static void lock_list_as_engine(void)
{
	while (__atomic_load_n(&engine.num_waiting, __ATOMIC_RELAXED) > 0)
		(void)sched_yield(); /* it cannot fail */
	pthread_mutex_lock(&engine.list_lock);
}

static int watch_in(int epoll_fd, int fd, uint64_t id)
{
	struct epoll_event wanted = { .events = EPOLLIN, .data.u64 = id };

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &wanted);
}

static int watch(int fd, uint64_t id)
{
	return watch_in(engine.epoll_fd, fd, id);
}

static void unwatch_in(int epoll_fd, int fd)
{
	(void)epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, NULL); /* it is there */
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / CORE_NS_A_SECOND),
				  .tv_nsec = (long)(ns % CORE_NS_A_SECOND) };
}

/* It goes off once, at that time. */
static void timer_set(int fd, uint64_t at_ns)
{
	const struct itimerspec when = { .it_value = timespec_of(at_ns > 0 ? at_ns : 1) };

	(void)timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

void soft_engine_set_timer(uint64_t at_ns)
{
	pthread_mutex_lock(&engine.timer_lock);
	if (at_ns < engine.timer_ns) {
		engine.timer_ns = at_ns;
		timer_set(engine.fds[OWN_TIMER], at_ns);
	}
	pthread_mutex_unlock(&engine.timer_lock);
}

static void drain(int fd)
{
	uint64_t count;

	(void)!read(fd, &count, sizeof(count)); /* that it is readable was all that it says */
}

void soft_engine_kick(struct soft_port *port)
{
	const uint64_t one = 1;

	if (!port->is_leased && soft_port_has_work(port))
		(void)!write(engine.fds[OWN_WAKE], &one, sizeof(one));
}

static void renew(struct soft_port *port)
{
	uint64_t now_ns = core_now_ns();

	if (now_ns - port->renewed_ns < RENEW_NS)
		return;
	port->renewed_ns = now_ns;
	timer_set(port->lease_fd, now_ns + LEASE_NS);
}

/* Sockets wake who sleeps on the progress engine's handle. */
static bool open_gate(struct soft_port *port)
{
	if (!port->is_open)
		port->is_open = watch_in(port->gate_fd, port->epoll_fd, port->id) == 0;
	return port->is_open;
}

static void close_gate(struct soft_port *port)
{
	if (port->is_open)
		unwatch_in(port->gate_fd, port->epoll_fd);
	port->is_open = false;
}

/* Called with the port's lock held. */
static void take_back(struct soft_port *port)
{
	close_gate(port);
	__atomic_store_n(&port->is_leased, false, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&engine.num_leased, 1, __ATOMIC_RELAXED);
	if (watch(port->epoll_fd, port->id) != 0)
		DOCA_LOG_ERR("a port cannot be watched: %s", strerror(errno));
}

/* Calls of progress until now are not those of an application that waits. */
static void look(struct soft_port *port)
{
	unsigned int num_polls = __atomic_load_n(&port->num_polls, __ATOMIC_RELAXED);

	__atomic_store_n(&port->seen_polls, num_polls, __ATOMIC_RELAXED);
}

void soft_engine_on_sleep(struct soft_port *port)
{
	port->num_awake = 0;
	if (port->is_leased && open_gate(port)) {
		renew(port);
		return;
	}
	if (port->is_leased)
		take_back(port); /* no memory in the system: the engine goes on */
	look(port);
	soft_engine_kick(port);
}

static void take(struct soft_port *port)
{
	unwatch_in(engine.epoll_fd, port->epoll_fd);
	__atomic_store_n(&port->is_leased, true, __ATOMIC_RELAXED);
	look(port);
	__atomic_fetch_add(&engine.num_leased, 1, __ATOMIC_RELAXED);
	port->renewed_ns = 0;
}

void soft_engine_lease(struct soft_port *port)
{
	if (port->is_orphan)
		return;
	if (!port->is_leased)
		take(port);
	if (++port->num_awake == AWAKE_POLLS)
		close_gate(port);
	renew(port);
}

/* Has the application called progress, and not got the lock, since the engine began? */
static bool is_wanted(const struct soft_port *port)
{
	return __atomic_load_n(&port->num_polls, __ATOMIC_RELAXED) !=
	       __atomic_load_n(&port->seen_polls, __ATOMIC_RELAXED);
}

/*
 * One round of a port; true: there is more to do now. Who wants the port gets it behind that: on
 * the same processor it may never be let in otherwise. Called with the list locked.
 */
static bool serve(struct soft_port *port)
{
	bool has_moved = false;

	if (__atomic_load_n(&port->num_waiting, __ATOMIC_RELAXED) > 0) {
		(void)sched_yield(); /* it cannot fail */
		return true;         /* there may be something, after them */
	}
	pthread_mutex_lock(&port->lock);
	if (!port->is_leased) {
		has_moved = soft_port_poll(port);
		if (is_wanted(port))
			soft_engine_lease(port);
	}
	pthread_mutex_unlock(&port->lock);
	return has_moved;
}

/* Nobody has come for the port for a lease; true: something has moved. */
static bool on_lease_over(struct soft_port *port)
{
	uint64_t count;

	if (read(port->lease_fd, &count, sizeof(count)) < 0)
		return false; /* it was put off after all */
	if (pthread_mutex_trylock(&port->lock) != 0) {
		/* In the middle of a long call. Behind one of progress the next puts it off. */
		timer_set(port->lease_fd, core_now_ns() + GRACE_NS);
		return false;
	}
	if (port->is_leased && core_now_ns() - port->renewed_ns < LEASE_NS)
		timer_set(port->lease_fd, port->renewed_ns + LEASE_NS);
	else if (port->is_leased)
		take_back(port);
	pthread_mutex_unlock(&port->lock);
	look(port);
	return serve(port);
}

static void on_timer(void)
{
	struct soft_port *port;

	pthread_mutex_lock(&engine.timer_lock);
	engine.timer_ns = SOFT_NEVER;
	pthread_mutex_unlock(&engine.timer_lock);
	LIST_FOREACH(port, &engine.ports, link)
	{
		pthread_mutex_lock(&port->lock);
		soft_port_run_timers(port);
		pthread_mutex_unlock(&port->lock);
	}
}

/* An event of epoll; true: something has moved. Called with the list locked. */
static bool on_event(uint64_t id)
{
	struct soft_port *port;
	bool has_moved = false;

	if (id < OWN_COUNT)
		drain(engine.fds[id]);
	if (id == OWN_TIMER)
		on_timer();
	LIST_FOREACH(port, &engine.ports, link)
	{
		if (id == LEASE_ID(port->id))
			return on_lease_over(port);
		if (port->id != id && id >= OWN_COUNT)
			continue;
		look(port);
		has_moved |= serve(port);
	}
	return has_moved;
}

static bool serve_all(void)
{
	struct soft_port *port;
	bool has_moved = false;

	lock_list_as_engine();
	LIST_FOREACH(port, &engine.ports, link)
	has_moved |= serve(port);
	pthread_mutex_unlock(&engine.list_lock);
	return has_moved;
}

static bool is_polled(void)
{
	return __atomic_load_n(&engine.num_leased, __ATOMIC_RELAXED) > 0;
}

/*
 * Looks again until nothing has moved for a while, or, when somebody polls, until nothing moves.
 * True: it has not come to that, but timers and other ports may have something as well.
 */
static bool spin(void)
{
	uint64_t begin_ns = core_now_ns(), last_ns = begin_ns;

	while (!__atomic_load_n(&engine.is_ending, __ATOMIC_ACQUIRE)) {
		if (!serve_all()) {
			if (is_polled() || core_now_ns() - last_ns > SPIN_NS)
				return false;
			continue;
		}
		last_ns = core_now_ns();
		if (last_ns - begin_ns > SPIN_NS)
			return true;
	}
	return false;
}

static void *run(void *unused)
{
	struct epoll_event events[MAX_EVENTS];
	bool has_moved = false;

	(void)unused;
	(void)pthread_setname_np(pthread_self(), "doca-rdma"); /* for who looks; it may fail */
	while (!__atomic_load_n(&engine.is_ending, __ATOMIC_ACQUIRE)) {
		int count = epoll_wait(engine.epoll_fd, events, MAX_EVENTS, has_moved ? 0 : -1);

		lock_list_as_engine();
		for (int i = 0; i < count; i++)
			has_moved |= on_event(events[i].data.u64);
		pthread_mutex_unlock(&engine.list_lock);
		has_moved = has_moved && spin();
	}
	return NULL;
}

static void close_fds(void)
{
	for (int i = 0; i < OWN_COUNT; i++) {
		if (engine.fds[i] >= 0)
			close(engine.fds[i]);
		engine.fds[i] = -1;
	}
	if (engine.epoll_fd >= 0)
		close(engine.epoll_fd);
	engine.epoll_fd = -1;
}

static doca_error_t open_fds(void)
{
	engine.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	engine.fds[OWN_WAKE] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	engine.fds[OWN_TIMER] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	for (int i = 0; i < OWN_COUNT; i++) {
		if (engine.epoll_fd < 0 || engine.fds[i] < 0 ||
		    watch(engine.fds[i], (uint64_t)i) != 0)
			return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

/* The application's signals are not for this thread. */
static int start_thread(void)
{
	sigset_t all, before;
	int err;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&engine.thread, NULL, run, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static doca_error_t start(void)
{
	int err = 0;

	engine.is_ending = false;
	engine.timer_ns = SOFT_NEVER;
	if (open_fds() != DOCA_SUCCESS)
		err = errno;
	else
		err = start_thread();
	if (err == 0)
		return DOCA_SUCCESS;
	DOCA_LOG_ERR("the engine cannot be started: %s", strerror(err));
	close_fds();
	return DOCA_ERROR_INITIALIZATION;
}

static void end(void)
{
	const uint64_t one = 1;

	__atomic_store_n(&engine.is_ending, true, __ATOMIC_RELEASE);
	(void)!write(engine.fds[OWN_WAKE], &one, sizeof(one));
	pthread_join(engine.thread, NULL);
	close_fds();
}

/* Called with life_lock held. */
static doca_error_t add(struct soft_port *port)
{
	doca_error_t result = engine.num_ports == 0 ? start() : DOCA_SUCCESS;

	if (result != DOCA_SUCCESS)
		return result;
	lock_list();
	port->id = engine.last_id += PORT_IDS;
	if (watch(port->lease_fd, LEASE_ID(port->id)) == 0 &&
	    watch(port->epoll_fd, port->id) == 0) {
		LIST_INSERT_HEAD(&engine.ports, port, link);
		engine.num_ports++;
	} else {
		result = DOCA_ERROR_INITIALIZATION;
	}
	pthread_mutex_unlock(&engine.list_lock);
	if (result != DOCA_SUCCESS && engine.num_ports == 0)
		end();
	return result;
}

doca_error_t soft_engine_add(struct soft_port *port)
{
	doca_error_t result;

	pthread_mutex_lock(&engine.life_lock);
	result = add(port);
	pthread_mutex_unlock(&engine.life_lock);
	return result;
}

/* --- Forks --- */

/*
 * A child has copies of all descriptors, and no engine. It closes them, so that peers see the end
 * of the parent, and begins anew. The lists are locked for that, and every port.
 */
static void lock_all(void)
{
	struct soft_port *port;

	pthread_mutex_lock(&engine.life_lock);
	lock_list();
	LIST_FOREACH(port, &engine.ports, link)
	soft_port_lock(port);
	pthread_mutex_lock(&engine.timer_lock);
}

static void unlock_all(void)
{
	struct soft_port *port;

	pthread_mutex_unlock(&engine.timer_lock);
	LIST_FOREACH(port, &engine.ports, link)
	pthread_mutex_unlock(&port->lock);
	pthread_mutex_unlock(&engine.list_lock);
	pthread_mutex_unlock(&engine.life_lock);
}

static void on_child(void)
{
	struct soft_port *port;

	LIST_FOREACH(port, &engine.ports, link)
	soft_port_abandon(port);
	unlock_all();
	LIST_INIT(&engine.ports);
	engine.num_ports = 0;
	engine.num_leased = 0;
	engine.num_waiting = 0; /* those who waited are the parent's */
	close_fds();
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(lock_all, unlock_all, on_child); /* or memory has run out already */
}

void soft_engine_remove(struct soft_port *port)
{
	if (port->is_orphan)
		return;
	pthread_mutex_lock(&engine.life_lock);
	lock_list();
	LIST_REMOVE(port, link);
	if (port->is_leased) {
		close_gate(port);
		port->is_leased = false;
		__atomic_fetch_sub(&engine.num_leased, 1, __ATOMIC_RELAXED);
	} else {
		unwatch_in(engine.epoll_fd, port->epoll_fd);
	}
	unwatch_in(engine.epoll_fd, port->lease_fd);
	pthread_mutex_unlock(&engine.list_lock);
	if (--engine.num_ports == 0)
		end();
	pthread_mutex_unlock(&engine.life_lock);
}
