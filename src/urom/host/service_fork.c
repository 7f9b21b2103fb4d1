/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/worker.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/export.h"
#include "urom/host/resolve.h"

/*
 * A child of a fork has copies of its parent's sockets, and the daemon knows a host by its socket:
 * a child that lives on would keep the workers of a parent that has died. So the child closes its
 * copies, and nothing else of them: neither is the peer told, nor does another descriptor that both
 * processes share, such as an epoll set, change for the parent.
 *
 * The child's contexts are left in a state in which they do nothing more. Stopping them, as a
 * function of atexit() may do in either process, must not stop the parent's: what UCX shares with
 * the worker is memory of both processes.
 */

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(, doca_urom_service) services = LIST_HEAD_INITIALIZER(services);

void uromh_stream_open(struct doca_urom_service *service, int fd)
{
	(void)pthread_mutex_lock(&list_lock); /* it cannot fail */
	chan_stream_init(&service->stream, fd);
	LIST_INSERT_HEAD(&services, service, open_link);
	(void)pthread_mutex_unlock(&list_lock); /* the same */
}

void uromh_stream_close(struct doca_urom_service *service)
{
	if (!service->stream.is_open)
		return;
	(void)pthread_mutex_lock(&list_lock); /* it cannot fail */
	LIST_REMOVE(service, open_link);
	chan_stream_fini(&service->stream);
	(void)pthread_mutex_unlock(&list_lock); /* the same */
}

/* So that the lists of all services are whole in the child. */
static void lock_all(void)
{
	struct doca_urom_service *service;

	(void)pthread_mutex_lock(&list_lock); /* it cannot fail */
	LIST_FOREACH(service, &services, open_link)
	(void)pthread_mutex_lock(&service->lock);
}

static void unlock_all(void)
{
	struct doca_urom_service *service;

	LIST_FOREACH(service, &services, open_link)
	(void)pthread_mutex_unlock(&service->lock);
	(void)pthread_mutex_unlock(&list_lock); /* it cannot fail */
}

static void abandon_worker(struct uromh_seat *seat)
{
	struct doca_urom_worker *worker = CORE_CONTAINER_OF(seat, struct doca_urom_worker, seat);

	seat->service = NULL;
	seat->has_mail = false;
	worker->phase = UROMH_GONE;
	worker->parents_chan = worker->chan;
	worker->chan = NULL;
	worker->conn = NULL;
}

static void abandon_service(struct doca_urom_service *service)
{
	struct uromh_letter *letter;
	struct uromh_seat *seat;

	close(service->stream.fd);
	service->stream.fd = -1;
	service->stream.is_open = false;
	service->stream.is_deaf = true;
	service->stream.has_ended = true;
	service->is_cut = true;
	while ((seat = TAILQ_FIRST(&service->seats)) != NULL) {
		TAILQ_REMOVE(&service->seats, seat, link);
		abandon_worker(seat);
	}
	service->num_seats = 0;
	while ((letter = TAILQ_FIRST(&service->letters)) != NULL) {
		TAILQ_REMOVE(&service->letters, letter, link);
		free(letter);
	}
	service->has_letters = false;
}

static void on_child(void)
{
	struct doca_urom_service *service;

	LIST_FOREACH(service, &services, open_link)
	abandon_service(service);
	unlock_all();
	LIST_INIT(&services);
	uromh_resolve_forget();
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(lock_all, unlock_all, on_child); /* or memory has run out already */
}
