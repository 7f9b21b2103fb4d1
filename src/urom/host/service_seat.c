/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/log.h"
#include "core/pe.h"

/*
 * Between two threads. A seat is in its service's list from take to leave, and only then does the
 * service's thread touch it, under the lock. So a worker may give up at any time: what the daemon
 * answers afterwards finds no seat, and a worker that was started for it is stopped again.
 *
 * A worker that has a seat is not IDLE, and then its service does not stop: both outlive the seat.
 */

CORE_LOG_REGISTER(UROM::SERVICE_SEAT);

/* --- The worker's side --- */

doca_error_t uromh_seat_take(struct uromh_seat *seat, struct doca_urom_service *service,
			     struct doca_pe *pe)
{
	doca_error_t result = DOCA_SUCCESS;

	pthread_mutex_lock(&service->lock);
	/* Under the lock, because the service stops under it only without seats. */
	if (!uromh_service_is_running(service)) {
		DOCA_LOG_ERR("worker is not started: its service %p is not running",
			     (void *)service);
		result = DOCA_ERROR_BAD_STATE;
	} else if (service->is_cut) {
		DOCA_LOG_ERR("worker is not started: service %p has lost its daemon; stop and "
			     "start it",
			     (void *)service);
		result = DOCA_ERROR_NOT_CONNECTED;
	} else if (service->num_seats >= service->max_workers) {
		DOCA_LOG_ERR("worker is not started: service %p has its %u workers already",
			     (void *)service, service->max_workers);
		result = DOCA_ERROR_FULL;
	} else {
		memset(seat, 0, sizeof(*seat));
		seat->service = service;
		seat->pe = pe;
		TAILQ_INSERT_TAIL(&service->seats, seat, link);
		service->num_seats++;
	}
	pthread_mutex_unlock(&service->lock);
	return result;
}

/* The lock is held. */
static void post(struct doca_urom_service *service, struct uromh_letter *letter)
{
	TAILQ_INSERT_TAIL(&service->letters, letter, link);
	__atomic_store_n(&service->has_letters, true, __ATOMIC_RELEASE);
	core_pe_wake(service->base.pe);
}

doca_error_t uromh_seat_ask(struct uromh_seat *seat, const struct wire_worker_start *start)
{
	struct doca_urom_service *service = seat->service;
	struct uromh_letter *letter = calloc(1, sizeof(*letter) + start->environment.len);

	if (letter == NULL)
		return DOCA_ERROR_NO_MEMORY;
	letter->seat = seat;
	letter->type = WIRE_WORKER_START;
	letter->start = *start;
	letter->start.environment.data = letter->environment;
	if (start->environment.len > 0)
		memcpy(letter->environment, start->environment.data, start->environment.len);
	pthread_mutex_lock(&service->lock);
	post(service, letter);
	pthread_mutex_unlock(&service->lock);
	return DOCA_SUCCESS;
}

/* The lock is held. seat: that waits for the answer, or NULL. */
static doca_error_t post_stop(struct doca_urom_service *service, struct uromh_seat *seat,
			      uint64_t worker_id, uint64_t connection)
{
	struct uromh_letter *letter = calloc(1, sizeof(*letter));

	if (letter == NULL)
		return DOCA_ERROR_NO_MEMORY;
	letter->seat = seat;
	letter->type = WIRE_WORKER_STOP;
	letter->stop = (struct wire_worker_stop){ worker_id, connection };
	post(service, letter);
	return DOCA_SUCCESS;
}

doca_error_t uromh_seat_ask_stop(struct uromh_seat *seat)
{
	struct doca_urom_service *service = seat->service;
	doca_error_t result;

	pthread_mutex_lock(&service->lock);
	result = post_stop(service, seat, seat->worker_id, seat->connection);
	pthread_mutex_unlock(&service->lock);
	return result;
}

bool uromh_seat_read(struct uromh_seat *seat, struct uromh_mail *mail)
{
	if (doca_likely(!__atomic_load_n(&seat->has_mail, __ATOMIC_ACQUIRE)))
		return false;
	pthread_mutex_lock(&seat->service->lock);
	*mail = seat->mail;
	memset(&seat->mail, 0, sizeof(seat->mail));
	__atomic_store_n(&seat->has_mail, false, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&seat->service->lock);
	return true;
}

/* The lock is held. */
static void letter_drop(struct doca_urom_service *service, struct uromh_letter *letter)
{
	TAILQ_REMOVE(&service->letters, letter, link);
	free(letter);
}

/* The lock is held. Letters that were not sent lose their seat; a start is not sent any more. */
static void withdraw(struct doca_urom_service *service, const struct uromh_seat *seat)
{
	struct uromh_letter *letter, *next;

	for (letter = TAILQ_FIRST(&service->letters); letter != NULL; letter = next) {
		next = TAILQ_NEXT(letter, link);
		if (letter->seat != seat)
			continue;
		letter->seat = NULL;
		if (letter->type == WIRE_WORKER_START)
			letter_drop(service, letter);
	}
}

void uromh_seat_leave(struct uromh_seat *seat, bool is_over)
{
	struct doca_urom_service *service = seat->service;

	if (service == NULL)
		return;
	pthread_mutex_lock(&service->lock);
	withdraw(service, seat);
	if (!is_over && seat->connection != 0 &&
	    post_stop(service, NULL, seat->worker_id, seat->connection) != DOCA_SUCCESS)
		DOCA_LOG_WARN("worker %lu is not told to stop for lack of memory; it ends with "
			      "the service",
			      (unsigned long)seat->worker_id);
	TAILQ_REMOVE(&service->seats, seat, link);
	service->num_seats--;
	pthread_mutex_unlock(&service->lock);
	seat->service = NULL;
	seat->has_mail = false;
}

/* --- The service's side --- */

static doca_error_t send_letter(struct doca_urom_service *service,
				const struct uromh_letter *letter, uint64_t exchange)
{
	const void *record = letter->type == WIRE_WORKER_START ? (const void *)&letter->start
							       : (const void *)&letter->stop;

	return chan_stream_send(&service->stream, letter->type, exchange, record);
}

/* The lock is held. */
static void deliver(struct uromh_seat *seat)
{
	__atomic_store_n(&seat->has_mail, true, __ATOMIC_RELEASE);
	core_pe_wake(seat->pe);
}

static void refuse(struct uromh_seat *seat, const char *reason)
{
	seat->exchange = 0;
	seat->mail.is_refused = true;
	(void)snprintf(seat->mail.reason, sizeof(seat->mail.reason), "%s", reason);
	deliver(seat);
}

bool uromh_seats_send_letters(struct doca_urom_service *service)
{
	struct uromh_letter *letter;

	if (doca_likely(!__atomic_load_n(&service->has_letters, __ATOMIC_ACQUIRE)))
		return false;
	pthread_mutex_lock(&service->lock);
	while ((letter = TAILQ_FIRST(&service->letters)) != NULL) {
		uint64_t exchange = uromh_service_next_exchange(service);
		doca_error_t result = send_letter(service, letter, exchange);

		TAILQ_REMOVE(&service->letters, letter, link);
		if (letter->seat != NULL)
			letter->seat->exchange = exchange;
		if (result != DOCA_SUCCESS && letter->seat != NULL)
			refuse(letter->seat, "the daemon cannot be asked");
		free(letter);
	}
	__atomic_store_n(&service->has_letters, false, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&service->lock);
	return true;
}

/* The lock is held. exchange: the daemon's word; 0, which no question has, is nobody's. */
static struct uromh_seat *find_seat(struct doca_urom_service *service, uint64_t exchange)
{
	struct uromh_seat *seat;

	if (exchange == 0)
		return NULL;
	TAILQ_FOREACH (seat, &service->seats, link) {
		if (seat->exchange == exchange)
			return seat;
	}
	return NULL;
}

static void take_started(struct uromh_seat *seat, const struct wire_worker_started *started)
{
	struct uromh_mail *mail = &seat->mail;

	seat->exchange = 0;
	seat->worker_id = started->worker_id;
	seat->connection = started->connection;
	mail->is_started = true;
	mail->worker_id = started->worker_id;
	mail->connection = started->connection;
	mail->has_group = started->has_group;
	mail->group = started->group;
	mail->pid = started->pid;
	mail->uid = started->uid;
	mail->user_ns = started->user_ns;
	memcpy(mail->ticket, started->ticket, sizeof(mail->ticket));
	/* One that is too long is none: then connecting tells. */
	mail->addr_len =
	    started->channel_addr.len <= sizeof(mail->addr) ? started->channel_addr.len : 0;
	if (mail->addr_len > 0)
		memcpy(mail->addr, started->channel_addr.data, mail->addr_len);
	deliver(seat);
}

doca_error_t uromh_seats_started(struct doca_urom_service *service, const struct chan_message *msg)
{
	struct wire_worker_started started;
	struct uromh_seat *seat;
	doca_error_t result = chan_message_decode(msg, &started);

	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&service->lock);
	seat = find_seat(service, msg->id);
	if (seat != NULL)
		take_started(seat, &started);
	else
		result = post_stop(service, NULL, started.worker_id, started.connection);
	pthread_mutex_unlock(&service->lock);
	return result;
}

doca_error_t uromh_seats_stopped(struct doca_urom_service *service, const struct chan_message *msg)
{
	struct wire_empty empty;
	struct uromh_seat *seat;
	doca_error_t result = chan_message_decode(msg, &empty);

	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&service->lock);
	seat = find_seat(service, msg->id);
	if (seat != NULL) {
		seat->exchange = 0;
		seat->connection = 0;
		seat->mail.is_stopped = true;
		deliver(seat);
	}
	pthread_mutex_unlock(&service->lock);
	return DOCA_SUCCESS;
}

static void die(struct uromh_seat *seat, const char *reason, size_t len)
{
	seat->connection = 0;
	seat->exchange = 0;
	seat->mail.is_dead = true;
	seat->mail.is_ending = seat->service->is_ending;
	(void)snprintf(seat->mail.reason, sizeof(seat->mail.reason), "%.*s", (int)len, reason);
	deliver(seat);
}

doca_error_t uromh_seats_died(struct doca_urom_service *service, const struct chan_message *msg)
{
	struct wire_worker_died died;
	struct uromh_seat *seat;
	bool is_loss = false;
	doca_error_t result = chan_message_decode(msg, &died);

	if (result != DOCA_SUCCESS)
		return result;
	service->is_ending |= died.error == DOCA_ERROR_SHUTDOWN;
	pthread_mutex_lock(&service->lock);
	TAILQ_FOREACH (seat, &service->seats, link) {
		if (seat->connection == 0 || seat->worker_id != died.worker_id)
			continue;
		die(seat, died.reason.data, died.reason.len);
		is_loss = true;
	}
	pthread_mutex_unlock(&service->lock);
	/* Its context says why it has gone; one that was faster cannot, and fails nothing now. */
	if (!is_loss && !service->is_ending)
		DOCA_LOG_WARN("%.*s", (int)died.reason.len, (const char *)died.reason.data);
	return DOCA_SUCCESS;
}

/* The daemon has it still: whoever leaves the seat stops it. */
doca_error_t uromh_seats_parted(struct doca_urom_service *service, const struct chan_message *msg)
{
	struct wire_connection_ended ended;
	struct uromh_seat *seat;
	doca_error_t result = chan_message_decode(msg, &ended);

	if (result != DOCA_SUCCESS)
		return result;
	pthread_mutex_lock(&service->lock);
	TAILQ_FOREACH (seat, &service->seats, link) {
		if (seat->connection == 0 || seat->connection != ended.connection ||
		    seat->worker_id != ended.worker_id)
			continue;
		seat->mail.is_parted = true;
		(void)snprintf(seat->mail.reason, sizeof(seat->mail.reason), "%.*s",
			       (int)ended.reason.len, (const char *)ended.reason.data);
		deliver(seat);
	}
	pthread_mutex_unlock(&service->lock);
	return DOCA_SUCCESS;
}

bool uromh_seats_refused(struct doca_urom_service *service, uint64_t exchange, const char *reason)
{
	struct uromh_seat *seat;

	pthread_mutex_lock(&service->lock);
	seat = find_seat(service, exchange);
	if (seat != NULL)
		refuse(seat, reason);
	pthread_mutex_unlock(&service->lock);
	return seat != NULL;
}

void uromh_seats_cut(struct doca_urom_service *service)
{
	static const char reason[] = "the way to the daemon is lost";
	struct uromh_letter *letter;
	struct uromh_seat *seat;

	pthread_mutex_lock(&service->lock);
	service->is_cut = true;
	TAILQ_FOREACH (seat, &service->seats, link)
		die(seat, reason, sizeof(reason) - 1);
	while ((letter = TAILQ_FIRST(&service->letters)) != NULL) {
		TAILQ_REMOVE(&service->letters, letter, link);
		free(letter);
	}
	pthread_mutex_unlock(&service->lock);
}
