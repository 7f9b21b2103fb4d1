/* SPDX-License-Identifier: BSD-3-Clause */

/* Opening a channel over UCX when any step of it fails: an error, one line of log, nothing left. */

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <ucp/api/ucp.h>

#include "core/export.h"
#include "test.h"
#include "urom/chan/chan.h"
#include "urom/wire/wire_frame.h"

enum step {
	NONE,
	INIT,
	WORKER,
	HANDLER,
	DESCRIPTOR,
	EPOLL,
	TIMER,
	WATCH,
	LISTENER,
};

static enum step failing;
static long callocs_left = LONG_MAX; /* counts down to the one that fails */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
ucs_status_t __real_ucp_init_version(unsigned int major, unsigned int minor,
				     const ucp_params_t *params, const ucp_config_t *config,
				     ucp_context_h *context);
ucs_status_t __wrap_ucp_init_version(unsigned int major, unsigned int minor,
				     const ucp_params_t *params, const ucp_config_t *config,
				     ucp_context_h *context);
ucs_status_t __real_ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
				      ucp_worker_h *worker);
ucs_status_t __wrap_ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
				      ucp_worker_h *worker);
ucs_status_t __real_ucp_worker_set_am_recv_handler(ucp_worker_h worker,
						   const ucp_am_handler_param_t *param);
ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h worker,
						   const ucp_am_handler_param_t *param);
ucs_status_t __real_ucp_worker_get_efd(ucp_worker_h worker, int *fd);
ucs_status_t __wrap_ucp_worker_get_efd(ucp_worker_h worker, int *fd);
ucs_status_t __real_ucp_listener_create(ucp_worker_h worker, const ucp_listener_params_t *params,
					ucp_listener_h *listener);
ucs_status_t __wrap_ucp_listener_create(ucp_worker_h worker, const ucp_listener_params_t *params,
					ucp_listener_h *listener);
int __real_epoll_create1(int flags);
int __wrap_epoll_create1(int flags);
int __real_timerfd_create(int clock, int flags);
int __wrap_timerfd_create(int clock, int flags);
int __real_epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *event);
int __wrap_epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *event);

void *__wrap_calloc(size_t count, size_t size)
{
	return callocs_left-- != 0 ? __real_calloc(count, size) : NULL;
}

ucs_status_t __wrap_ucp_init_version(unsigned int major, unsigned int minor,
				     const ucp_params_t *params, const ucp_config_t *config,
				     ucp_context_h *context)
{
	return failing == INIT ? UCS_ERR_NO_DEVICE
			       : __real_ucp_init_version(major, minor, params, config, context);
}

ucs_status_t __wrap_ucp_worker_create(ucp_context_h context, const ucp_worker_params_t *params,
				      ucp_worker_h *worker)
{
	return failing == WORKER ? UCS_ERR_NO_MEMORY
				 : __real_ucp_worker_create(context, params, worker);
}

ucs_status_t __wrap_ucp_worker_set_am_recv_handler(ucp_worker_h worker,
						   const ucp_am_handler_param_t *param)
{
	return failing == HANDLER ? UCS_ERR_NO_MEMORY
				  : __real_ucp_worker_set_am_recv_handler(worker, param);
}

ucs_status_t __wrap_ucp_worker_get_efd(ucp_worker_h worker, int *fd)
{
	return failing == DESCRIPTOR ? UCS_ERR_UNSUPPORTED : __real_ucp_worker_get_efd(worker, fd);
}

ucs_status_t __wrap_ucp_listener_create(ucp_worker_h worker, const ucp_listener_params_t *params,
					ucp_listener_h *listener)
{
	return failing == LISTENER ? UCS_ERR_UNREACHABLE
				   : __real_ucp_listener_create(worker, params, listener);
}

static int fail_if(enum step step, int result)
{
	if (failing != step)
		return result;
	errno = EMFILE;
	return -1;
}

int __wrap_epoll_create1(int flags)
{
	return failing == EPOLL ? fail_if(EPOLL, -1) : __real_epoll_create1(flags);
}

int __wrap_timerfd_create(int clock, int flags)
{
	return failing == TIMER ? fail_if(TIMER, -1) : __real_timerfd_create(clock, flags);
}

int __wrap_epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *event)
{
	return failing == WATCH ? fail_if(WATCH, -1) : __real_epoll_ctl(epoll_fd, op, fd, event);
}

static const struct chan_handler handler = { .accepted = NULL };
static const struct chan_config config = { .handler = &handler, .max_body = 4096 };

static doca_error_t open_channel(struct chan **chan)
{
	return chan_open(CHAN_UCX, &config, chan);
}

/* What UCX opens once in a process must not look like a leak of the first test. */
static int warm_up(void **state)
{
	struct chan *chan;

	(void)state;
	failing = NONE;
	if (open_channel(&chan) != DOCA_SUCCESS)
		return -1;
	chan_close(chan);
	return 0;
}

static void each_step_may_fail(void **state)
{
	static const struct {
		enum step step;
		doca_error_t error;
		const char *part;
	} rows[] = {
		{ INIT, DOCA_ERROR_DRIVER, "does not start" },
		{ WORKER, DOCA_ERROR_DRIVER, "no worker" },
		{ HANDLER, DOCA_ERROR_DRIVER, "no handler" },
		{ DESCRIPTOR, DOCA_ERROR_DRIVER, "nothing to wait for" },
		{ EPOLL, DOCA_ERROR_NO_MEMORY, "nothing to wait for" },
		{ TIMER, DOCA_ERROR_NO_MEMORY, "nothing to wait for" },
		{ WATCH, DOCA_ERROR_NO_MEMORY, "nothing to wait for" },
	};
	struct chan *chan = NULL;

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		failing = rows[i].step;
		assert_refused(open_channel(&chan), rows[i].error, rows[i].part);
		failing = NONE;
		assert_null(chan);
	}
}

static void channel_without_memory_is_not_opened(void **state)
{
	struct chan *chan = NULL;

	(void)state;
	callocs_left = 0;
	assert_error(open_channel(&chan), DOCA_ERROR_NO_MEMORY);
	callocs_left = LONG_MAX;
	assert_null(chan);
}

static void listening_may_fail_and_be_tried_again(void **state)
{
	const struct sockaddr_in loopback = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	uint8_t addr[CHAN_MAX_ADDR];
	struct chan *chan;
	size_t len;

	(void)state;
	assert_success(open_channel(&chan));
	failing = LISTENER;
	assert_refused(chan_listen(chan, (const struct sockaddr *)&loopback),
		       DOCA_ERROR_NOT_CONNECTED, "cannot listen");
	failing = NONE;
	assert_error(chan_get_address(chan, addr, &len), DOCA_ERROR_BAD_STATE);

	assert_success(chan_listen(chan, (const struct sockaddr *)&loopback));
	assert_success(chan_get_address(chan, addr, &len));
	chan_close(chan);
}

static void connecting_without_memory_is_told(void **state)
{
	static const uint8_t addr[] = { CHAN_UCX, 4, 0, 1, 127, 0, 0, 1 };
	struct chan_conn *conn = NULL;
	struct chan *chan;

	(void)state;
	assert_success(open_channel(&chan));
	callocs_left = 0;
	assert_error(chan_connect(chan, addr, sizeof(addr), &conn), DOCA_ERROR_NO_MEMORY);
	callocs_left = LONG_MAX;
	assert_null(conn);
	chan_close(chan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_step_may_fail),
		TEST(channel_without_memory_is_not_opened),
		TEST(listening_may_fail_and_be_tried_again),
		TEST(connecting_without_memory_is_told),
	};

	return cmocka_run_group_tests(tests, warm_up, NULL);
}
