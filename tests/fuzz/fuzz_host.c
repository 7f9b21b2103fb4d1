/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A host's service and workers, with a daemon and worker processes that say what they like. The
 * application goes on as applications do: it starts, asks, submits, stops. Each of its tasks ends
 * once, and all of it comes to an end when it is told to.
 */

#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <doca_pe.h>

#include "blob_input.h"
#include "fake_chan.h"
#include "urom/auth/auth_proof.h"
#include "urom/chan/chan_address.h"
#include "urom/host/worker.h"

#define NUM_WORKERS 3
#define MAX_STEPS   150
#define MAX_TURNS   100
#define MAX_READ    64
#define MAX_QUIET   4

/* The host's and the daemon's, always. */
#define HOST_NONCE   'h'
#define DAEMON_NONCE 'd'

static struct doca_dev *device;
static struct doca_pe *engine;
static struct doca_urom_service *service;
static struct doca_urom_worker *workers[NUM_WORKERS];
static struct fake_chan channels[NUM_WORKERS];
static bool is_open[NUM_WORKERS]; /* the channel of that worker */
static struct chan_stream daemon_end;
static int host_end; /* -1: it is the service's */
static unsigned int num_submitted, num_done;
static time_t passed_s;
static uint8_t secret[AUTH_SECRET_SIZE]; /* of the host's cookie */
static bool was_shown;                   /* that this daemon has that cookie, too */

/* --- In place of the system --- */

__typeof__(uromh_service_file_find) __wrap_uromh_service_file_find;
__typeof__(chan_address_connect) __wrap_chan_address_connect;
__typeof__(chan_open) __wrap_chan_open;
__typeof__(chan_connect) __wrap_chan_connect;
__typeof__(auth_nonce) __wrap_auth_nonce;
__typeof__(poll) __real_poll;
__typeof__(poll) __wrap_poll;
__typeof__(clock_gettime) __real_clock_gettime;
__typeof__(clock_gettime) __wrap_clock_gettime;

doca_error_t __wrap_uromh_service_file_find(const struct doca_devinfo *devinfo,
					    struct uromh_location *location)
{
	(void)devinfo;
	*location = (struct uromh_location){ .host = "127.0.0.1", .port = 1 };
	return DOCA_SUCCESS;
}

doca_error_t __wrap_chan_address_connect(const struct sockaddr *addr, int *fd)
{
	(void)addr;
	if (host_end < 0)
		return DOCA_ERROR_NOT_CONNECTED;
	*fd = host_end;
	host_end = -1;
	return DOCA_SUCCESS;
}

doca_error_t __wrap_chan_open(enum chan_kind kind, const struct chan_config *config,
			      struct chan **chan)
{
	size_t n = 0;

	CHECK(config->max_body <= WIRE_MAX_BODY);
	if ((unsigned int)kind >= CHAN_NUM_KINDS)
		return DOCA_ERROR_NOT_SUPPORTED;
	while (n < NUM_WORKERS && workers[n] != config->arg)
		n++;
	CHECK(n < NUM_WORKERS && !is_open[n]);
	is_open[n] = true;
	fake_chan_init(&channels[n], config->handler, config->arg, config->max_body);
	*chan = &channels[n].base;
	return DOCA_SUCCESS;
}

doca_error_t __wrap_chan_connect(struct chan *chan, const void *addr, size_t len,
				 struct chan_conn **conn)
{
	(void)addr;
	if (len < 4)
		return DOCA_ERROR_INVALID_VALUE;
	*conn = fake_chan_connect((struct fake_chan *)chan, 0);
	CHECK(*conn != NULL);
	return DOCA_SUCCESS;
}

/* So that a daemon may answer before it is asked. */
doca_error_t __wrap_auth_nonce(uint8_t nonce[WIRE_NONCE_SIZE])
{
	memset(nonce, HOST_NONCE, WIRE_NONCE_SIZE);
	return DOCA_SUCCESS;
}

/* Whoever is not heard by now will not be. */
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	(void)timeout_ms;
	return __real_poll(fds, count, 0);
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	const int status = __real_clock_gettime(clock, now);

	now->tv_sec += passed_s;
	return status;
}

/* --- The application --- */

static void on_command_done(struct doca_urom_worker_cmd_task *task, union doca_data task_user_data,
			    union doca_data ctx_user_data)
{
	(void)task_user_data;
	(void)ctx_user_data;
	CHECK(doca_urom_worker_cmd_task_get_response(task)->data_len <= task->capacity);
	CHECK(doca_urom_worker_cmd_task_release(task) == DOCA_SUCCESS);
	num_done++;
}

static void on_group_done(struct doca_urom_service_get_workers_by_gid_task *task,
			  union doca_data task_user_data, union doca_data ctx_user_data)
{
	const size_t count = doca_urom_service_get_workers_by_gid_task_get_workers_count(task);
	const uint64_t *ids = doca_urom_service_get_workers_by_gid_task_get_worker_ids(task);
	volatile uint64_t last;

	(void)task_user_data;
	(void)ctx_user_data;
	if (count > 0)
		last = ids[count - 1]; /* it is there */
	(void)last;
	CHECK(doca_urom_service_get_workers_by_gid_task_release(task) == DOCA_SUCCESS);
	num_done++;
}

/* Until nothing has happened for a while: a turn in which a channel works need not tell. */
static void progress(void)
{
	unsigned int num_quiet = 0;

	for (unsigned int i = 0; i < MAX_TURNS && num_quiet < MAX_QUIET; i++)
		num_quiet = doca_pe_progress(engine) != 0 ? 0 : num_quiet + 1;
	if (doca_pe_request_notification(engine) == DOCA_SUCCESS)
		CHECK(doca_pe_clear_notification(engine, 0) == DOCA_SUCCESS);
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;

	CHECK(doca_ctx_get_state(ctx, &state) == DOCA_SUCCESS);
	return state;
}

static struct doca_urom_worker *worker_of(const struct script_step *step)
{
	return workers[step->who % NUM_WORKERS];
}

static void do_daemon_frame(const struct script_step *step)
{
	size_t len;
	uint8_t *frame = script_frame(step, &len);

	if (daemon_end.is_open)
		(void)send(daemon_end.fd, frame, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	free(frame);
}

static void do_daemon_bytes(const struct script_step *step)
{
	if (daemon_end.is_open)
		(void)send(daemon_end.fd, step->bytes, step->len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void do_daemon_hang_up(const struct script_step *step)
{
	(void)step;
	chan_stream_fini(&daemon_end);
}

static void do_daemon_read(const struct script_step *step)
{
	struct chan_message message;

	(void)step;
	for (unsigned int i = 0; i < MAX_READ && daemon_end.is_open; i++) {
		if (chan_stream_receive(&daemon_end, &message) != DOCA_SUCCESS)
			return;
		CHECK(wire_message_find(message.type) != NULL);
		CHECK(message.type != WIRE_PROOF || was_shown);
		fake_check_sent(wire_message_find(message.type), message.body, message.len);
	}
}

static void do_new_daemon(const struct script_step *step)
{
	int fds[2];

	(void)step;
	chan_stream_fini(&daemon_end);
	if (host_end >= 0)
		close(host_end);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	chan_stream_init(&daemon_end, fds[0]);
	host_end = fds[1];
	was_shown = false;
}

/* The host takes no daemon but one that has its cookie; a step without a type: any. */
static void do_demand_cookie(const struct script_step *step)
{
	CHECK(setenv("DOCA_UROM_AUTH", step->type != 0 ? "cookie" : "none", 1) == 0);
}

/* A challenge with the right proof, as the bytes change it. */
static void do_challenge(const struct script_step *step)
{
	struct auth_context context = { 1, 1, 1, WIRE_ROLE_HOST, WIRE_AUTH_COOKIE, { 0 }, { 0 } };
	struct wire_challenge challenge = { WIRE_MAGIC, 1, WIRE_AUTH_COOKIE, { 0 }, { 0 } };
	uint8_t proof[AUTH_PROOF_SIZE];
	bool is_right = true;

	if (!daemon_end.is_open)
		return;
	memset(context.hello_nonce, HOST_NONCE, sizeof(context.hello_nonce));
	memset(context.challenge_nonce, DAEMON_NONCE, sizeof(context.challenge_nonce));
	memcpy(challenge.nonce, context.challenge_nonce, sizeof(challenge.nonce));
	auth_proof_make(secret, &context, AUTH_DAEMON, proof);
	for (size_t i = 0; i < sizeof(proof) && i < step->len; i++) {
		proof[i] ^= step->bytes[i];
		is_right = is_right && step->bytes[i] == 0;
	}
	challenge.proof = (struct wire_bytes){ proof, sizeof(proof) };
	was_shown = was_shown || is_right;
	(void)chan_stream_send(&daemon_end, WIRE_CHALLENGE, script_id(step), &challenge);
}

static void do_start_service(const struct script_step *step)
{
	(void)step;
	(void)doca_ctx_start(doca_urom_service_as_ctx(service));
}

static void do_stop_service(const struct script_step *step)
{
	(void)step;
	(void)doca_ctx_stop(doca_urom_service_as_ctx(service));
}

static void do_start_worker(const struct script_step *step)
{
	(void)doca_ctx_start(doca_urom_worker_as_ctx(worker_of(step)));
}

static void do_stop_worker(const struct script_step *step)
{
	(void)doca_ctx_stop(doca_urom_worker_as_ctx(worker_of(step)));
}

static void let_come(const struct script_step *step, bool is_lost)
{
	struct fake_chan *channel = &channels[step->who % NUM_WORKERS];

	if (!is_open[step->who % NUM_WORKERS])
		return;
	if (script_is_at_once(step))
		return; /* it would be gone before it is looked at */
	channel->next = step;
	channel->is_next_lost = is_lost;
}

static void do_worker_says(const struct script_step *step)
{
	let_come(step, false);
}

static void do_worker_goes(const struct script_step *step)
{
	let_come(step, true);
}

static void do_break_channel(const struct script_step *step)
{
	channels[step->who % NUM_WORKERS].is_broken = (step->flags & 1) != 0;
	channels[step->who % NUM_WORKERS].is_lost = (step->flags & 2) != 0;
}

static void do_command(const struct script_step *step)
{
	struct doca_urom_worker *worker = worker_of(step);
	struct doca_urom_worker_cmd_task *task;

	if (doca_urom_worker_cmd_task_allocate_init(worker, step->type, &task) != DOCA_SUCCESS)
		return;
	doca_urom_worker_cmd_task_set_cb(task, on_command_done);
	task->payload.data_len = step->len < task->capacity ? step->len : task->capacity;
	if (doca_task_submit(doca_urom_worker_cmd_task_as_task(task)) == DOCA_SUCCESS)
		num_submitted++;
	else
		CHECK(doca_urom_worker_cmd_task_release(task) == DOCA_SUCCESS);
}

static void do_group(const struct script_step *step)
{
	struct doca_urom_service_get_workers_by_gid_task *task;

	if (doca_urom_service_get_workers_by_gid_task_allocate_init(
		service, step->type, on_group_done, &task) != DOCA_SUCCESS)
		return;
	if (doca_task_submit(doca_urom_service_get_workers_by_gid_task_as_task(task)) ==
	    DOCA_SUCCESS)
		num_submitted++;
	else
		CHECK(doca_urom_service_get_workers_by_gid_task_release(task) == DOCA_SUCCESS);
}

static void do_elapse(const struct script_step *step)
{
	passed_s += step->type % 16;
}

static void (*const steps[])(const struct script_step *step) = {
	do_daemon_frame,  do_daemon_bytes, do_daemon_hang_up, do_daemon_read,   do_new_daemon,
	do_start_service, do_stop_service, do_start_worker,   do_stop_worker,   do_worker_says,
	do_worker_goes,   do_command,      do_group,          do_break_channel, do_elapse,
	do_demand_cookie, do_challenge,
};

/* --- Its life --- */

static void make(void)
{
	static char variable[] = "A=b";
	char *const environment[] = { variable };

	CHECK(doca_pe_create(&engine) == DOCA_SUCCESS);
	CHECK(doca_urom_service_create(&service) == DOCA_SUCCESS);
	CHECK(doca_urom_service_set_dev(service, device) == DOCA_SUCCESS);
	CHECK(doca_urom_service_set_max_workers(service, NUM_WORKERS - 1) == DOCA_SUCCESS);
	CHECK(doca_pe_connect_ctx(engine, doca_urom_service_as_ctx(service)) == DOCA_SUCCESS);
	for (size_t i = 0; i < NUM_WORKERS; i++) {
		CHECK(doca_urom_worker_create(&workers[i]) == DOCA_SUCCESS);
		CHECK(doca_urom_worker_set_service(workers[i], service) == DOCA_SUCCESS);
		CHECK(doca_urom_worker_set_plugins(workers[i], 3) == DOCA_SUCCESS);
		CHECK(doca_urom_worker_set_max_inflight_tasks(workers[i], 2) == DOCA_SUCCESS);
		CHECK(doca_pe_connect_ctx(engine, doca_urom_worker_as_ctx(workers[i])) ==
		      DOCA_SUCCESS);
		is_open[i] = false;
	}
	CHECK(doca_urom_worker_set_env(workers[NUM_WORKERS - 1], environment, 1) == DOCA_SUCCESS);
	num_submitted = 0;
	num_done = 0;
	host_end = -1;
	do_new_daemon(NULL);
	do_demand_cookie(&(struct script_step){ .type = 0 });
}

/* A channel that its worker has closed is none any more. */
static void look_at_channels(void)
{
	for (size_t i = 0; i < NUM_WORKERS; i++)
		is_open[i] = is_open[i] && workers[i]->chan != NULL;
}

/* All is stopped, and time goes by; nobody may stay. */
static void drop(void)
{
	for (size_t i = 0; i < NUM_WORKERS; i++)
		(void)doca_ctx_stop(doca_urom_worker_as_ctx(workers[i]));
	for (unsigned int i = 0; i < 4; i++) {
		progress();
		look_at_channels();
		passed_s += 11;
	}
	for (size_t i = 0; i < NUM_WORKERS; i++) {
		CHECK(state_of(doca_urom_worker_as_ctx(workers[i])) == DOCA_CTX_STATE_IDLE);
		CHECK(!is_open[i]);
	}
	(void)doca_ctx_stop(doca_urom_service_as_ctx(service));
	progress();
	CHECK(state_of(doca_urom_service_as_ctx(service)) == DOCA_CTX_STATE_IDLE);
	CHECK(num_submitted == num_done);
	for (size_t i = 0; i < NUM_WORKERS; i++)
		CHECK(doca_urom_worker_destroy(workers[i]) == DOCA_SUCCESS);
	CHECK(doca_urom_service_destroy(service) == DOCA_SUCCESS);
	CHECK(doca_pe_destroy(engine) == DOCA_SUCCESS);
	chan_stream_fini(&daemon_end);
	if (host_end >= 0)
		close(host_end);
}

static void make_cookie(void)
{
	char path[64], text[AUTH_COOKIE_FILE_SIZE];
	int fd = memfd_create("cookie", 0);

	memset(text, '5', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\n';
	CHECK(auth_cookie_parse(text, sizeof(text), secret));
	CHECK(fd >= 0 && write(fd, text, sizeof(text)) == (ssize_t)sizeof(text));
	CHECK(fchmod(fd, S_IRUSR | S_IWUSR) == 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK(setenv("DOCA_UROM_COOKIE", path, 1) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	device = blob_input_open();
	make_cookie();
	script_watch_log();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct script_step step;

	make();
	for (size_t i = 0; i < MAX_STEPS && script_next(&input, &size, &step); i++) {
		steps[script_what(&step, CORE_ARRAY_LEN(steps))](&step);
		if (script_is_at_once(&step))
			continue;
		progress();
		look_at_channels();
		channels[step.who % NUM_WORKERS].next = NULL;
	}
	drop();
	(void)blob_input_take_lines();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return script_mutate(&script_steps, data, size, max_size, seed);
}
