/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/worker.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/log.h"
#include "core/pe.h"
#include "urom/chan/chan_user.h"

/*
 * A worker's way:
 *
 *  start     ASKED       the service has a letter for the daemon
 *  started   ATTACHING   the daemon's answer came as mail; the worker process has the ticket
 *  ATTACHED  ATTACHED    RUNNING
 *  lost      BEREFT      the daemon's word of why is awaited, for a moment
 *  stop      DETACHING   what was in flight is flushed; the worker process is told
 *  DETACHED  LEAVING     the channel is closed; the service has a letter for the daemon
 *  stopped   GONE        the seat is left; IDLE with the next progress
 *
 * A phase that can hang has a deadline, which this engine keeps, whatever drives the service. What
 * goes wrong in STARTING, until RUNNING was told, ends in IDLE at once, the channel closed in the
 * same progress, for it is the last; what goes wrong when RUNNING flushes the commands
 * and makes the context stop by itself, which then meets GONE.
 */

CORE_LOG_REGISTER(UROM::WORKER_CTX);

#define START_TIMEOUT_NS  (10 * CORE_NS_A_SECOND)
#define WORD_TIMEOUT_NS   (CORE_NS_A_SECOND / 2)
#define DETACH_TIMEOUT_NS (2 * CORE_NS_A_SECOND)
#define LEAVE_TIMEOUT_NS \
	(7 * CORE_NS_A_SECOND) /* after that of DETACH: 10 s in all are not reached */

/* What a message has besides a notification's payload, at most. */
#define MESSAGE_SLACK 1024

static void close_channel(struct doca_urom_worker *worker)
{
	if (worker->chan == NULL)
		return;
	core_pe_unwatch(worker->base.pe, chan_get_fd(worker->chan));
	if (worker->conn != NULL)
		chan_disconnect(worker->conn);
	worker->conn = NULL;
	/* Not now: it may be what calls. */
	worker->is_channel_done = true;
}

/* In progress, when nothing of the channel is running. */
static void free_channel(struct doca_urom_worker *worker)
{
	if (!worker->is_channel_done)
		return;
	chan_close(worker->chan);
	worker->chan = NULL;
	worker->is_channel_done = false;
}

/* --- Starting --- */

static void fail_start(struct doca_urom_worker *worker, const char *why)
{
	DOCA_LOG_ERR("worker %p is not started: %s", (void *)worker, why);
	close_channel(worker);
	uromh_seat_leave(&worker->seat, worker->is_over);
	worker->phase = UROMH_IDLE;
	core_ctx_start_failed(&worker->base);
}

static void log_loss(const struct doca_urom_worker *worker, const char *why, bool is_ending)
{
	const unsigned int count = worker->num_inflight;
	char commands[48] = "";

	if (count > 0)
		(void)snprintf(commands, sizeof(commands), "; %u command%s with it", count,
			       count == 1 ? " ends" : "s end");
	if (is_ending)
		DOCA_LOG_WARN("worker %lu has ended: the service is ending%s",
			      (unsigned long)worker->real_id, commands);
	else
		DOCA_LOG_ERR("worker %lu is lost: %s%s", (unsigned long)worker->real_id, why,
			     commands);
}

/* RUNNING ends without the application's doing. */
static void lose(struct doca_urom_worker *worker, const char *why, bool is_ending)
{
	log_loss(worker, why, is_ending);
	close_channel(worker);
	uromh_seat_leave(&worker->seat, worker->is_over);
	worker->phase = UROMH_GONE;
	uromh_cmds_flush(worker, DOCA_ERROR_CONNECTION_RESET);
	core_ctx_fail(&worker->base);
}

/* --- Stopping --- */

static void finish_stop(struct doca_urom_worker *worker)
{
	uromh_seat_leave(&worker->seat, true);
	worker->phase = UROMH_GONE;
}

/* Has the daemon end what is left. */
static void leave(struct doca_urom_worker *worker)
{
	close_channel(worker);
	worker->phase = UROMH_LEAVING;
	worker->deadline_ns = core_now_ns() + LEAVE_TIMEOUT_NS;
	if (worker->is_over || uromh_seat_ask_stop(&worker->seat) != DOCA_SUCCESS)
		finish_stop(worker);
}

static void lose_in_phase(struct doca_urom_worker *worker, const char *why, bool is_ending)
{
	switch (worker->phase) {
	case UROMH_ASKED:
	case UROMH_ATTACHING:
		fail_start(worker, why);
		break;
	case UROMH_ATTACHED:
		if (worker->base.state == DOCA_CTX_STATE_STARTING)
			fail_start(worker, why); /* nobody has heard of RUNNING yet */
		else
			lose(worker, why, is_ending);
		break;
	case UROMH_BEREFT:
		lose(worker, why, is_ending);
		break;
	case UROMH_DETACHING:
		leave(worker);
		break;
	case UROMH_IDLE:
	case UROMH_LEAVING:
	case UROMH_GONE:
		break;
	}
}

/* --- Messages of the worker process --- */

static doca_error_t take_attached(struct doca_urom_worker *worker,
				  const struct chan_message *message)
{
	struct wire_empty empty;

	if (worker->phase != UROMH_ATTACHING ||
	    chan_message_decode(message, &empty) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	DOCA_LOG_INFO("worker %lu is attached over %s", (unsigned long)worker->real_id,
		      chan_get_transport(worker->conn));
	worker->phase = UROMH_ATTACHED;
	core_ctx_started(&worker->base);
	return DOCA_SUCCESS;
}

static doca_error_t take_refused(struct doca_urom_worker *worker,
				 const struct chan_message *message)
{
	struct wire_refused refused;
	char why[WIRE_MAX_REASON + 64];

	if (worker->phase != UROMH_ATTACHING ||
	    chan_message_decode(message, &refused) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	(void)snprintf(why, sizeof(why), "its process refuses this host: %.*s",
		       (int)refused.reason.len, (const char *)refused.reason.data);
	fail_start(worker, why);
	return DOCA_SUCCESS;
}

static doca_error_t take_detached(struct doca_urom_worker *worker,
				  const struct chan_message *message)
{
	struct wire_empty empty;

	if (worker->phase != UROMH_DETACHING ||
	    chan_message_decode(message, &empty) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	leave(worker);
	return DOCA_SUCCESS;
}

static const struct {
	uint16_t type;
	doca_error_t (*take)(struct doca_urom_worker *worker, const struct chan_message *message);
} takers[] = {
	{ WIRE_NOTIFY, uromh_cmds_notified },
	{ WIRE_ATTACHED, take_attached },
	{ WIRE_REFUSED, take_refused },
	{ WIRE_DETACHED, take_detached },
};

static void on_received(void *arg, struct chan_conn *conn, const struct chan_message *message)
{
	struct doca_urom_worker *worker = arg;
	doca_error_t result = DOCA_ERROR_CONNECTION_ABORTED;

	if (doca_unlikely(conn != worker->conn))
		return; /* it was given up in this very call */
	for (size_t i = 0; i < CORE_ARRAY_LEN(takers); i++) {
		if (takers[i].type == message->type) {
			result = takers[i].take(worker, message);
			break;
		}
	}
	if (result != DOCA_SUCCESS)
		lose_in_phase(worker, "its process says what nobody can understand", false);
}

static void on_closed(void *arg, struct chan_conn *conn, doca_error_t why)
{
	struct doca_urom_worker *worker = arg;

	if (conn != worker->conn)
		return;
	worker->conn = NULL;
	if (worker->phase != UROMH_ATTACHED || worker->base.state != DOCA_CTX_STATE_RUNNING) {
		lose_in_phase(worker, doca_error_get_descr(why), false);
		return;
	}
	if (worker->word[0] != '\0') {
		lose(worker, worker->word, false);
		return;
	}
	worker->phase = UROMH_BEREFT;
	worker->loss = why;
	worker->deadline_ns = core_now_ns() + WORD_TIMEOUT_NS;
}

static const struct chan_handler handler = {
	.received = on_received,
	.closed = on_closed,
};

/* --- What the daemon has answered --- */

/* The one way to another user's process on this machine: memory is not shared between users. */
static const char *choose_transports(const struct doca_urom_worker *worker,
				     const struct uromh_mail *mail)
{
	if (!chan_address_is_local(mail->addr, mail->addr_len) ||
	    chan_user_is_mine(mail->uid, mail->user_ns))
		return NULL;
	DOCA_LOG_INFO("worker %lu is a process of another user (%u): its memory is not shared",
		      (unsigned long)worker->real_id, mail->uid);
	return "tcp";
}

static doca_error_t open_channel(struct doca_urom_worker *worker, const struct uromh_mail *mail)
{
	const struct chan_config config = {
		.handler = &handler,
		.arg = worker,
		.max_body = worker->max_message + MESSAGE_SLACK,
		.is_local = chan_address_is_local(mail->addr, mail->addr_len),
		.net_devices = worker->service->location.net_devices,
		.transports = choose_transports(worker, mail),
	};
	struct wire_attach attach = { .connection = mail->connection };
	doca_error_t result;

	memcpy(attach.ticket, mail->ticket, sizeof(attach.ticket));
	result = chan_open(chan_address_kind(mail->addr, mail->addr_len), &config, &worker->chan);
	if (result != DOCA_SUCCESS)
		return result;
	result = core_pe_watch(worker->base.pe, chan_get_fd(worker->chan));
	if (result != DOCA_SUCCESS) {
		chan_close(worker->chan);
		worker->chan = NULL;
		return result;
	}
	result = chan_connect(worker->chan, mail->addr, mail->addr_len, &worker->conn);
	if (result == DOCA_SUCCESS)
		result = chan_send(worker->conn, WIRE_ATTACH, 0, &attach);
	return result;
}

static void take_started(struct doca_urom_worker *worker, const struct uromh_mail *mail)
{
	doca_error_t result;

	worker->real_id = mail->worker_id;
	worker->has_real_group = mail->has_group;
	worker->real_group = mail->group;
	worker->phase = UROMH_ATTACHING;
	DOCA_LOG_INFO("worker %lu is process %lu", (unsigned long)mail->worker_id,
		      (unsigned long)mail->pid);
	result = open_channel(worker, mail);
	if (result != DOCA_SUCCESS)
		fail_start(worker, doca_error_get_descr(result));
}

/* What has come on the channel before its end is still good, so that is awaited. */
static void take_word(struct doca_urom_worker *worker, const char *word)
{
	if (worker->phase == UROMH_BEREFT)
		lose(worker, word, false);
	else
		(void)snprintf(worker->word, sizeof(worker->word), "%s", word);
}

static void take_mail(struct doca_urom_worker *worker, const struct uromh_mail *mail)
{
	if (mail->is_dead)
		worker->is_over = true;
	if (mail->is_refused && worker->phase == UROMH_ASKED)
		fail_start(worker, mail->reason);
	else if (mail->is_started && !mail->is_dead && worker->phase == UROMH_ASKED)
		take_started(worker, mail);
	else if ((mail->is_stopped || mail->is_dead || mail->is_refused) &&
		 worker->phase == UROMH_LEAVING)
		finish_stop(worker);
	else if (mail->is_dead)
		lose_in_phase(worker, mail->reason, mail->is_ending);
	else if (mail->is_parted)
		take_word(worker, mail->reason);
}

/* --- Time --- */

static void take_deadline(struct doca_urom_worker *worker)
{
	switch (worker->phase) {
	case UROMH_ASKED:
		fail_start(worker, "the daemon does not answer within 10 s; is the service's "
				   "engine driven?");
		break;
	case UROMH_ATTACHING:
		fail_start(worker, "its process cannot be reached within 10 s");
		break;
	case UROMH_BEREFT:
		lose(worker, doca_error_get_descr(worker->loss), false);
		break;
	case UROMH_DETACHING:
		DOCA_LOG_WARN("worker %lu does not answer; it is stopped all the same",
			      (unsigned long)worker->real_id);
		leave(worker);
		break;
	case UROMH_LEAVING:
		DOCA_LOG_WARN("worker %lu: the daemon does not confirm its end; is the service's "
			      "engine driven?",
			      (unsigned long)worker->real_id);
		finish_stop(worker);
		break;
	case UROMH_IDLE:
	case UROMH_ATTACHED:
	case UROMH_GONE:
		break;
	}
}

static bool has_deadline(const struct doca_urom_worker *worker)
{
	return worker->phase != UROMH_IDLE && worker->phase != UROMH_ATTACHED &&
	       worker->phase != UROMH_GONE;
}

/* --- What the core calls --- */

static doca_error_t check_start(struct doca_urom_worker *worker)
{
	if (worker->service == NULL) {
		DOCA_LOG_ERR("worker %p is not started: doca_urom_worker_set_service() first",
			     (void *)worker);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (worker->plugins == 0) {
		DOCA_LOG_ERR("worker %p is not started: doca_urom_worker_set_plugins() first",
			     (void *)worker);
		return DOCA_ERROR_INVALID_VALUE;
	}
	if (worker->has_cpuset && !uromh_service_has_cpus(worker->service, &worker->cpuset)) {
		DOCA_LOG_ERR("worker %p is not started: processors that are not the service's",
			     (void *)worker);
		return DOCA_ERROR_INVALID_VALUE;
	}
	return DOCA_SUCCESS;
}

static doca_error_t ask(struct doca_urom_worker *worker)
{
	struct wire_worker_start start = {
		.worker_id = worker->id,
		.plugins = worker->plugins,
		.has_group = worker->has_group,
		.group = worker->group,
		.has_cpuset = worker->has_cpuset,
		.max_message = worker->max_message,
		.environment = { worker->environment, worker->environment_len },
	};

	memcpy(start.cpuset, &worker->cpuset, sizeof(start.cpuset));
	return uromh_seat_ask(&worker->seat, &start);
}

static doca_error_t worker_start(struct doca_ctx *ctx)
{
	struct doca_urom_worker *worker = uromh_worker_from_ctx(ctx);
	doca_error_t result = check_start(worker);

	if (result != DOCA_SUCCESS)
		return result;
	result = uromh_seat_take(&worker->seat, worker->service, ctx->pe);
	if (result != DOCA_SUCCESS)
		return result;
	worker->max_message = worker->service->max_message;
	result = uromh_cmds_prepare(worker);
	if (result == DOCA_SUCCESS)
		result = ask(worker);
	if (result != DOCA_SUCCESS) {
		uromh_seat_leave(&worker->seat, true);
		return result;
	}
	worker->is_over = false;
	worker->word[0] = '\0';
	worker->real_id = worker->id;
	worker->has_real_group = worker->has_group;
	worker->real_group = worker->group;
	worker->phase = UROMH_ASKED;
	worker->deadline_ns = core_now_ns() + START_TIMEOUT_NS;
	return DOCA_ERROR_IN_PROGRESS;
}

static doca_error_t worker_stop(struct doca_ctx *ctx)
{
	struct doca_urom_worker *worker = uromh_worker_from_ctx(ctx);
	const struct wire_empty empty = { 0 };

	switch (worker->phase) {
	case UROMH_ASKED:
	case UROMH_ATTACHING:
		close_channel(worker);
		uromh_seat_leave(&worker->seat, worker->is_over);
		worker->phase = UROMH_GONE;
		break;
	case UROMH_ATTACHED:
		uromh_cmds_flush(worker, DOCA_ERROR_SHUTDOWN);
		worker->phase = UROMH_DETACHING;
		worker->deadline_ns = core_now_ns() + DETACH_TIMEOUT_NS;
		if (chan_send(worker->conn, WIRE_DETACH, 0, &empty) != DOCA_SUCCESS)
			leave(worker);
		break;
	case UROMH_BEREFT:
		uromh_cmds_flush(worker, DOCA_ERROR_CONNECTION_RESET);
		leave(worker);
		break;
	case UROMH_GONE: /* in a child of a fork, where commands may be in flight */
		uromh_cmds_flush(worker, DOCA_ERROR_SHUTDOWN);
		break;
	case UROMH_IDLE: /* the start has failed, and nobody has heard of it yet */
	case UROMH_DETACHING:
	case UROMH_LEAVING:
		worker->phase = UROMH_GONE;
		break;
	}
	return DOCA_ERROR_IN_PROGRESS; /* never at once: applications count on a progress */
}

static bool worker_progress(struct doca_ctx *ctx)
{
	struct doca_urom_worker *worker = uromh_worker_from_ctx(ctx);
	bool has_worked = false;
	struct uromh_mail mail;

	if (doca_likely(worker->chan != NULL && !worker->is_channel_done))
		has_worked = chan_progress(worker->chan);
	if (worker->seat.service != NULL && uromh_seat_read(&worker->seat, &mail))
		take_mail(worker, &mail);
	if (doca_likely(worker->phase == UROMH_ATTACHED))
		return has_worked;
	if (has_deadline(worker) && core_now_ns() >= worker->deadline_ns)
		take_deadline(worker);
	free_channel(worker);
	if (worker->phase == UROMH_GONE && ctx->state == DOCA_CTX_STATE_STOPPING) {
		worker->phase = UROMH_IDLE;
		core_ctx_closed(ctx);
	}
	return has_worked;
}

static uint64_t worker_arm(struct doca_ctx *ctx)
{
	struct doca_urom_worker *worker = uromh_worker_from_ctx(ctx);
	uint64_t now;

	if (__atomic_load_n(&worker->seat.has_mail, __ATOMIC_ACQUIRE) ||
	    worker->phase == UROMH_GONE || worker->is_channel_done)
		return CORE_ARM_NOW;
	if (worker->chan != NULL && !chan_arm(worker->chan))
		return CORE_ARM_NOW;
	if (!has_deadline(worker))
		return CORE_ARM_NEVER;
	now = core_now_ns();
	return now < worker->deadline_ns ? worker->deadline_ns - now : CORE_ARM_NOW;
}

const struct core_ctx_ops uromh_worker_ops = {
	.name = "urom worker",
	.flags = CORE_CTX_FREES_TASKS,
	.start = worker_start,
	.stop = worker_stop,
	.submit = uromh_cmds_submit,
	.progress = worker_progress,
	.arm = worker_arm,
};
