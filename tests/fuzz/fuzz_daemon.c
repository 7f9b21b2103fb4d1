/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A daemon between strangers and workers, all of whom say what they like, in any order, while
 * processes end and time goes by. Whatever that is, the daemon's books stay in order, what it says
 * can be read, and it goes on.
 */

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/export.h"
#include "daemon_world.h"
#include "script.h"
#include "urom/auth/auth_munge.h"

#define NUM_PEERS   4
#define MAX_STEPS   200
#define MAX_TURNS   100
#define RECORD_SIZE 512
#define MAX_READ    64 /* messages that a peer reads at a time */

/* So low that the input can reach them. */
static const struct {
	enum uromd_limit_id id;
	uint64_t value;
} low_limits[] = {
	{ UROMD_LIMIT_SESSIONS, 3 },       { UROMD_LIMIT_HALF_OPEN, 2 },
	{ UROMD_LIMIT_WORKERS, 3 },        { UROMD_LIMIT_SESSION_WORKERS, 2 },
	{ UROMD_LIMIT_CPU_TIME, 1 },       { UROMD_LIMIT_MEMORY, 1 << 20 },
	{ UROMD_LIMIT_ENVIRONMENTS, 256 },
};

/* As enum wire_auth numbers them. */
static const char *const method_names[] = { "none", "cookie", "munge" };
static const struct uromd_auth *methods[CORE_ARRAY_LEN(method_names)];

static struct uromd_config config_;
static struct uromd_daemon daemon_;
static struct chan_stream peers[NUM_PEERS];
static int accepted_fds[NUM_PEERS]; /* the daemon's ends */

/* --- Its books --- */

/* Returns: the bytes of environment that they keep. */
static uint64_t check_conns(const struct uromd_session *session)
{
	const struct uromd_conn *conn, *of_worker;
	uint64_t num_env_bytes = 0;

	TAILQ_FOREACH (conn, &session->conns, of_session) {
		const struct uromd_conn_list *list;

		CHECK(conn->session == session && conn->worker != NULL);
		list =
		    conn->state == UROMD_CONN_QUEUED ? &conn->worker->queue : &conn->worker->conns;
		TAILQ_FOREACH (of_worker, list, of_worker) {
			if (of_worker == conn)
				break;
		}
		CHECK(of_worker == conn);
		CHECK(conn->state != UROMD_CONN_OPEN ||
		      conn->worker->state != UROMD_WORKER_STARTING);
		num_env_bytes += conn->request.environment.len;
	}
	return num_env_bytes;
}

static void check_sessions(void)
{
	const struct uromd_session *session;
	unsigned int count = 0, num_half_open = 0;
	uint64_t num_env_bytes = 0;

	TAILQ_FOREACH (session, &daemon_.sessions.list, link) {
		const bool is_half_open = session->state == UROMD_SESSION_GREETING ||
					  session->state == UROMD_SESSION_PROVING ||
					  session->state == UROMD_SESSION_CHECKING ||
					  session->state == UROMD_SESSION_LEAVING;

		num_env_bytes += check_conns(session);
		if (uromd_session_is_worker(session))
			continue;
		count += session->state == UROMD_SESSION_WELCOMING ||
			 session->state == UROMD_SESSION_OPEN;
		num_half_open += is_half_open;
		CHECK(session->state != UROMD_SESSION_OPEN || session->role != NULL);
	}
	CHECK(count == daemon_.sessions.count && num_half_open == daemon_.sessions.num_half_open);
	CHECK(num_env_bytes == daemon_.num_env_bytes);
}

static void check_workers(void)
{
	const struct uromd_worker *worker, *before = NULL;
	unsigned int count = 0;

	TAILQ_FOREACH (worker, &daemon_.workers.list, link) {
		const struct uromd_conn *conn;
		unsigned int num_conns = 0;

		CHECK(before == NULL || before->id < worker->id);
		CHECK(worker->session == NULL || worker->session->worker == worker);
		TAILQ_FOREACH (conn, &worker->conns, of_worker)
			num_conns++;
		TAILQ_FOREACH (conn, &worker->queue, of_worker)
			num_conns++;
		CHECK(num_conns == worker->num_conns);
		before = worker;
		count++;
	}
	CHECK(count == daemon_.workers.count);
}

static void turn(void)
{
	for (unsigned int i = 0; i < MAX_TURNS && sd_event_run(daemon_.event, 0) > 0; i++)
		;
	check_sessions();
	check_workers();
}

/* --- Those around it --- */

/* What the daemon says is for others to read; here it must be possible to. */
static void hear(struct chan_stream *stream)
{
	_Alignas(max_align_t) uint8_t record[RECORD_SIZE];
	struct chan_message message;

	for (unsigned int i = 0; i < MAX_READ; i++) {
		doca_error_t result = chan_stream_receive(stream, &message);

		CHECK(result != DOCA_ERROR_CONNECTION_ABORTED);
		if (result != DOCA_SUCCESS)
			return;
		CHECK(chan_message_decode(&message, record) == DOCA_SUCCESS);
	}
}

static void say(int fd, const uint8_t *bytes, size_t len)
{
	/* What does not fit is lost, and what follows it is noise then. */
	if (fd >= 0)
		(void)send(fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_frame(int fd, const struct script_step *step)
{
	size_t len;
	uint8_t *frame = script_frame(step, &len);

	say(fd, frame, len);
	free(frame);
}

static struct chan_stream *peer_of(const struct script_step *step)
{
	return &peers[step->who % NUM_PEERS];
}

static int peer_fd(const struct script_step *step)
{
	const struct chan_stream *peer = peer_of(step);

	return peer->is_open ? peer->fd : -1;
}

static void do_connect(const struct script_step *step)
{
	const struct sockaddr_in from = { .sin_family = AF_INET };
	struct chan_stream *peer = peer_of(step);
	const int small = 1;
	int fds[2];

	if (peer->is_open)
		return;
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	chan_stream_init(peer, fds[0]);
	/* One that does not read is noticed soon. */
	CHECK(setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)) == 0);
	accepted_fds[peer - peers] = fds[1];
	(void)uromd_session_accept(&daemon_, fds[1], (const struct sockaddr *)&from);
}

static void do_frame(const struct script_step *step)
{
	say_frame(peer_fd(step), step);
}

static void do_bytes(const struct script_step *step)
{
	say(peer_fd(step), step->bytes, step->len);
}

static void do_read(const struct script_step *step)
{
	if (peer_of(step)->is_open)
		hear(peer_of(step));
}

static void do_hang_up(const struct script_step *step)
{
	chan_stream_fini(peer_of(step));
}

static void do_worker_frame(const struct script_step *step)
{
	const struct world_process *process = world_process(step->who);

	if (process != NULL)
		say_frame(process->fd, step);
}

static void do_worker_bytes(const struct script_step *step)
{
	const struct world_process *process = world_process(step->who);

	if (process != NULL)
		say(process->fd, step->bytes, step->len);
}

static void do_worker_hang_up(const struct script_step *step)
{
	struct world_process *process = world_process(step->who);

	if (process == NULL || process->fd < 0)
		return;
	close(process->fd);
	process->fd = -1;
}

static void do_worker_exit(const struct script_step *step)
{
	struct world_process *process = world_process(step->who);

	if (process != NULL)
		world_exit(process, (step->flags & 1) != 0, step->type);
}

static void do_elapse(const struct script_step *step)
{
	world_elapse(step->who);
}

static void do_refuse_process(const struct script_step *step)
{
	(void)step;
	world_refuse_process();
}

static void do_slow_scans(const struct script_step *step)
{
	(void)step;
	world_slow_scans();
}

/* --- Those who have to prove something --- */

/* Of the flags of do_configure(): who may come at all, and whether workers are kept. */
#define LETS_NO_HOST_IN  1
#define LETS_ONE_USER_IN 2
#define KEEPS_WORKERS    4
#define HAS_GRACE        8

/* type: how hosts show who they are. What a daemon asks for does not change while it serves. */
static void do_configure(const struct script_step *step)
{
	static struct uromd_prefix elsewhere = { .ip = { 0xff }, .bits = 128 };
	static uid_t user = 9;

	if (!TAILQ_EMPTY(&daemon_.sessions.list))
		return;
	config_.auth = methods[step->type % CORE_ARRAY_LEN(methods)];
	if ((step->flags & LETS_NO_HOST_IN) != 0)
		config_.allow_hosts = (struct uromd_allow_hosts){ &elsewhere, 1 };
	if ((step->flags & LETS_ONE_USER_IN) != 0)
		config_.allow_users = (struct uromd_allow_users){ &user, 1 };
	config_.is_keeping = (step->flags & KEEPS_WORKERS) != 0;
	config_.grace_s = (step->flags & HAS_GRACE) != 0;
}

static const struct uromd_session *find_proving(int fd)
{
	const struct uromd_session *session;

	TAILQ_FOREACH (session, &daemon_.sessions.list, link) {
		if (session->state == UROMD_SESSION_PROVING && session->stream.fd == fd)
			break;
	}
	return session;
}

/* The right proof of a cookie, as the bytes change it. */
static void do_prove(const struct script_step *step)
{
	const struct uromd_session *session = find_proving(accepted_fds[step->who % NUM_PEERS]);
	uint8_t proof[sizeof(uint32_t) + AUTH_PROOF_SIZE] = { AUTH_PROOF_SIZE };

	if (!peer_of(step)->is_open || session == NULL)
		return;
	auth_proof_make(config_.cookie.secret, &session->auth, AUTH_PEER, proof + sizeof(uint32_t));
	for (size_t i = 0; i < AUTH_PROOF_SIZE && i < step->len; i++)
		proof[sizeof(uint32_t) + i] ^= step->bytes[i];
	do_frame(&(struct script_step){ step->what, step->who, WIRE_PROOF, step->flags, proof,
					sizeof(proof) });
}

/* The statement of a credential that is being looked at. */
static void state(uint8_t statement[AUTH_STATEMENT_SIZE])
{
	const struct uromd_session *session;

	TAILQ_FOREACH (session, &daemon_.sessions.list, link) {
		if (session->credential == NULL)
			continue;
		auth_statement(&session->auth, AUTH_PEER, statement);
		return;
	}
}

/* type: what munged says; flags: 1: the process says less than a verdict. */
static void do_verdict(const struct script_step *step)
{
	struct world_asker *asker = world_asker(step->who);
	struct auth_verdict verdict = { .result = (doca_error_t)step->type, .uid = step->who };
	size_t len = (step->flags & 1) != 0 ? step->len : sizeof(verdict);

	if (asker == NULL)
		return;
	state(verdict.payload);
	verdict.payload_len = AUTH_STATEMENT_SIZE;
	memset(verdict.reason.text, 'r', sizeof(verdict.reason.text));
	memset(verdict.name, 'n', sizeof(verdict.name));
	for (size_t i = 0; i < AUTH_STATEMENT_SIZE && i < step->len; i++)
		verdict.payload[i] ^= step->bytes[i];
	if (len > sizeof(verdict))
		len = sizeof(verdict);
	CHECK(write(asker->verdict_fd, &verdict, len) == (ssize_t)len);
	world_asker_exit(asker);
}

static void (*const steps[])(const struct script_step *step) = {
	do_frame,          do_connect,      do_bytes,          do_read,        do_hang_up,
	do_worker_frame,   do_worker_bytes, do_worker_hang_up, do_worker_exit, do_elapse,
	do_refuse_process, do_slow_scans,   do_configure,      do_prove,       do_verdict,
};

/* --- A daemon --- */

static void begin(const struct uromd_config *config)
{
	static const struct uromd_account account;
	struct uromd_failure failure;
	cpu_set_t allowed;

	daemon_ = (struct uromd_daemon){ .config = config };
	uromd_sessions_init(&daemon_.sessions);
	uromd_credentials_init(&daemon_.credentials);
	uromd_workers_init(&daemon_.workers);
	uromd_watch_init(&daemon_);
	CHECK(sd_event_new(&daemon_.event) >= 0);
	CPU_ZERO(&allowed);
	CPU_SET(0, &allowed);
	CHECK(uromd_cpus_init(&daemon_.cpus, &allowed, "0-7", &failure) == DOCA_SUCCESS);
	CHECK(uromd_plugins_create(daemon_.event, NULL, "none", &account, &daemon_.plugins) ==
	      DOCA_SUCCESS);
}

static void end(void)
{
	daemon_.is_draining = true;
	uromd_sessions_fini(&daemon_.sessions);
	uromd_credentials_fini(&daemon_.credentials);
	uromd_workers_fini(&daemon_.workers);
	uromd_plugins_destroy(daemon_.plugins);
	uromd_watch_fini(&daemon_.watch);
	sd_event_unref(daemon_.event);
	for (size_t i = 0; i < NUM_PEERS; i++)
		chan_stream_fini(&peers[i]);
	world_begin();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct uromd_failure failure;

	(void)argc;
	(void)argv;
	script_watch_log();
	for (size_t i = 0; i < CORE_ARRAY_LEN(methods); i++)
		CHECK(uromd_auth_find(method_names[i], &methods[i], &failure) == DOCA_SUCCESS);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	static char channel[] = "tcp";
	struct script_step step;

	config_ = (struct uromd_config){ .channel = channel, .auth = methods[WIRE_AUTH_NONE] };
	memset(config_.cookie.secret, 's', sizeof(config_.cookie.secret));
	for (size_t i = 0; i < UROMD_NUM_LIMITS; i++)
		config_.limits.of[i] = uromd_limits[i].usual;
	for (size_t i = 0; i < CORE_ARRAY_LEN(low_limits); i++)
		config_.limits.of[low_limits[i].id] = low_limits[i].value;
	begin(&config_);
	for (size_t i = 0; i < MAX_STEPS && script_next(&input, &size, &step); i++) {
		steps[script_what(&step, CORE_ARRAY_LEN(steps))](&step);
		if (!script_is_at_once(&step))
			turn();
	}
	end();
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return script_mutate(&script_steps, data, size, max_size, seed);
}
