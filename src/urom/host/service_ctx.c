/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/log.h"
#include "core/pe.h"
#include "urom/chan/chan_address.h"

CORE_LOG_REGISTER(UROM::SERVICE_CTX);

/* What the socket did not take is tried again after this, in an engine that sleeps. */
#define FLUSH_DELAY_NS UINT64_C(1000000)

/* What is on the way is looked after that often. */
#define ATTEND_DELAY_NS UINT64_C(2000000000)

#define EAGER_LOOKS     256
#define LAZY_TURNS      16

/* Ends the way to the daemon. */
static void close_stream(struct doca_urom_service *service)
{
	if (!service->stream.is_open)
		return;
	core_pe_unwatch(service->base.pe, service->stream.fd);
	uromh_stream_close(service);
}

/* The service stays RUNNING, for it stops by the application alone; nothing more can be asked. */
static void cut(struct doca_urom_service *service, const char *why)
{
	if (service->is_ending)
		DOCA_LOG_WARN("service %p: the service at %s:%u has ended; stop and start it",
			      (void *)service, service->location.host, service->location.port);
	else
		DOCA_LOG_ERR("service %p has lost its daemon at %s:%u: %s; stop and start it",
			     (void *)service, service->location.host, service->location.port, why);
	close_stream(service);
	uromh_seats_cut(service);
	uromh_groups_flush(service, DOCA_ERROR_CONNECTION_RESET);
}

/* A no to whatever was asked with that id. */
static doca_error_t take_refusal(struct doca_urom_service *service,
				 const struct chan_message *message)
{
	struct wire_failure failure;
	char reason[WIRE_MAX_REASON + 1];
	doca_error_t error;

	if (chan_message_decode(message, &failure) != DOCA_SUCCESS)
		return DOCA_ERROR_CONNECTION_ABORTED;
	error = (doca_error_t)failure.error;
	if (!DOCA_IS_ERROR(error))
		error = DOCA_ERROR_UNEXPECTED;
	(void)snprintf(reason, sizeof(reason), "%.*s", (int)failure.reason.len,
		       (const char *)failure.reason.data);
	if (!uromh_seats_refused(service, message->id, reason))
		(void)uromh_groups_refused(service, message->id, error); /* or it was given up */
	return DOCA_SUCCESS;
}

static const struct {
	uint16_t type;
	doca_error_t (*take)(struct doca_urom_service *service, const struct chan_message *message);
} takers[] = {
	{ WIRE_WORKER_STARTED, uromh_seats_started },  { WIRE_WORKER_REFUSED, take_refusal },
	{ WIRE_WORKER_STOPPED, uromh_seats_stopped },  { WIRE_WORKER_DIED, uromh_seats_died },
	{ WIRE_CONNECTION_ENDED, uromh_seats_parted }, { WIRE_GROUP, uromh_groups_answered },
};

static doca_error_t take(struct doca_urom_service *service, const struct chan_message *message)
{
	for (size_t i = 0; i < CORE_ARRAY_LEN(takers); i++) {
		if (takers[i].type == message->type)
			return takers[i].take(service, message);
	}
	return DOCA_ERROR_CONNECTION_ABORTED;
}

/*
 * A look at the socket is a system call, which costs as much as a command to a worker of the same
 * engine. After many looks in vain it is taken in some turns of the engine only.
 */
static bool is_time_to_look(struct doca_urom_service *service)
{
	return service->empty_looks < EAGER_LOOKS || service->turns++ % LAZY_TURNS == 0;
}

/* One message a call, so that other contexts have their turn. */
static bool receive_one(struct doca_urom_service *service)
{
	struct chan_message message;
	doca_error_t result = chan_stream_receive(&service->stream, &message);

	if (result == DOCA_ERROR_AGAIN)
		service->empty_looks++;
	else
		service->empty_looks = 0;

	/* What is in the socket still wakes the engine by itself. */
	service->may_have_more = result == DOCA_SUCCESS && chan_stream_has_bytes(&service->stream);
	if (result == DOCA_ERROR_AGAIN)
		return false;
	if (result == DOCA_SUCCESS) {
		result = take(service, &message);
		if (result == DOCA_SUCCESS)
			return true;
		cut(service, "it says what nobody can understand");
		return true;
	}
	cut(service, doca_error_get_descr(result));
	return true;
}

static bool service_progress(struct doca_ctx *ctx)
{
	struct doca_urom_service *service = uromh_service_from_ctx(ctx);
	bool has_worked;

	if (!service->stream.is_open)
		return false;
	has_worked = uromh_seats_send_letters(service);
	if (chan_stream_is_sending(&service->stream))
		(void)chan_stream_flush(&service->stream); /* receiving tells of a loss */
	if (has_worked) {
		service->empty_looks = 0; /* there will be answers */
		service->has_sent = true;
	}
	if (!is_time_to_look(service))
		return has_worked;
	/* A daemon that is stopped is no lost one, and workers go on without it. */
	if (doca_unlikely(service->has_sent))
		service->has_sent = chan_address_attend(service->stream.fd);
	return receive_one(service) || has_worked;
}

static uint64_t service_arm(struct doca_ctx *ctx)
{
	struct doca_urom_service *service = uromh_service_from_ctx(ctx);

	if (!service->stream.is_open)
		return CORE_ARM_NEVER;
	service->empty_looks = 0; /* what ends the sleep may be in the socket */
	if (__atomic_load_n(&service->has_letters, __ATOMIC_ACQUIRE) || service->may_have_more)
		return CORE_ARM_NOW;
	if (chan_stream_is_sending(&service->stream))
		return FLUSH_DELAY_NS;
	return service->has_sent ? ATTEND_DELAY_NS : CORE_ARM_NEVER;
}

static void forget_plugins(struct doca_urom_service *service)
{
	free(service->plugins);
	service->plugins = NULL;
	service->num_plugins = 0;
}

static doca_error_t service_start(struct doca_ctx *ctx)
{
	struct doca_urom_service *service = uromh_service_from_ctx(ctx);
	doca_error_t result;

	if (service->dev == NULL) {
		DOCA_LOG_ERR("service %p is not started: doca_urom_service_set_dev() first",
			     (void *)service);
		return DOCA_ERROR_INVALID_VALUE;
	}
	service->is_ending = false;
	result = uromh_groups_fill(service);
	if (result == DOCA_SUCCESS)
		result = uromh_service_connect(service);
	if (result == DOCA_SUCCESS)
		result = core_pe_watch(ctx->pe, service->stream.fd);
	if (result != DOCA_SUCCESS) {
		uromh_stream_close(service);
		forget_plugins(service);
		return result;
	}
	service->has_sent = false;
	pthread_mutex_lock(&service->lock);
	service->is_cut = false;
	pthread_mutex_unlock(&service->lock);
	return DOCA_SUCCESS;
}

static doca_error_t service_stop(struct doca_ctx *ctx)
{
	struct doca_urom_service *service = uromh_service_from_ctx(ctx);
	uint32_t num_seats;

	pthread_mutex_lock(&service->lock);
	num_seats = service->num_seats;
	if (num_seats == 0)
		service->is_cut = true; /* none takes a seat from here on */
	pthread_mutex_unlock(&service->lock);
	if (num_seats > 0) {
		DOCA_LOG_ERR("service %p is not stopped: %u workers are not idle", (void *)service,
			     num_seats);
		return DOCA_ERROR_IN_USE;
	}
	/* What was given up on the way is still to be stopped. */
	if (service->stream.is_open)
		(void)uromh_seats_send_letters(service);
	close_stream(service);
	uromh_seats_cut(service);
	uromh_groups_flush(service, DOCA_ERROR_SHUTDOWN);
	forget_plugins(service);
	return DOCA_SUCCESS;
}

const struct core_ctx_ops uromh_service_ops = {
	.name = "urom service",
	.flags = CORE_CTX_FREES_TASKS,
	.start = service_start,
	.stop = service_stop,
	.submit = uromh_groups_submit,
	.progress = service_progress,
	.arm = service_arm,
	.free_task = uromh_groups_free_task,
};
