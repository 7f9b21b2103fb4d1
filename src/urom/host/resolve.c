/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "urom/chan/chan_address.h"

#define MS_A_SECOND 1000
#define NS_A_MS     1000000

/* What a thread works on. The asker and the thread have it; who is the last one frees it. */
struct question {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	bool is_answered;
	bool is_left; /* by its asker */
	char host[UROMH_MAX_HOST + 1];
	char port[8];
	int flags;
	int failed; /* of getaddrinfo() */
	struct uromh_addresses addresses;
};

static atomic_uint num_questions;

/* --- Addresses --- */

/* The interface behind a '%', by its name or its number; 0: there is none. */
static uint32_t read_scope(const char *text)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (end != text && *end == '\0' && number <= UINT32_MAX)
		return (uint32_t)number;
	return if_nametoindex(text);
}

static bool read_v6(const char *text, struct sockaddr_in6 *address)
{
	char bytes[INET6_ADDRSTRLEN];
	const size_t len = strcspn(text, "%");

	if (len >= sizeof(bytes))
		return false;
	memcpy(bytes, text, len);
	bytes[len] = '\0';
	if (inet_pton(AF_INET6, bytes, &address->sin6_addr) != 1)
		return false;
	if (text[len] == '%')
		address->sin6_scope_id = read_scope(text + len + 1);
	return text[len] == '\0' || address->sin6_scope_id != 0;
}

/* Is it an address? Then there is nobody to ask. */
static bool read_address(const char *text, uint16_t port, struct uromh_addresses *addresses)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct uromh_addresses read = { .num = 1 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		memcpy(&read.at[0], &v4, sizeof(v4));
	else if (read_v6(text, &v6))
		memcpy(&read.at[0], &v6, sizeof(v6));
	else
		return false;
	*addresses = read;
	return true;
}

/* --- On the thread --- */

static void question_free(struct question *question)
{
	(void)pthread_cond_destroy(&question->answered);
	(void)pthread_mutex_destroy(&question->lock);
	free(question);
}

static void keep(struct uromh_addresses *addresses, const struct addrinfo *found)
{
	if (found->ai_canonname != NULL)
		(void)snprintf(addresses->whole_name, sizeof(addresses->whole_name), "%s",
			       found->ai_canonname);
	for (; found != NULL && addresses->num < UROMH_MAX_ADDRESSES; found = found->ai_next) {
		const socklen_t len = chan_address_len(found->ai_addr);

		if (len > 0)
			memcpy(&addresses->at[addresses->num++], found->ai_addr, len);
	}
}

/* One of the two has no more to do with it; the last one frees it. is_over: its own flag. */
static void leave(struct question *question, bool *is_over)
{
	bool is_last;

	(void)pthread_mutex_lock(&question->lock);
	*is_over = true;
	is_last = question->is_answered && question->is_left;
	(void)pthread_cond_signal(&question->answered);
	(void)pthread_mutex_unlock(&question->lock);
	if (is_last)
		question_free(question);
}

static void *answer(void *arg)
{
	struct question *question = arg;
	const struct addrinfo hints = {
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = question->flags,
	};
	struct addrinfo *found;

	question->failed = getaddrinfo(question->host, question->port, &hints, &found);
	if (question->failed == 0) {
		keep(&question->addresses, found);
		freeaddrinfo(found);
	}
	atomic_fetch_sub(&num_questions, 1);
	leave(question, &question->is_answered);
	return NULL;
}

/* --- On the caller's thread --- */

static struct question *question_create(const char *host, uint16_t port, int flags)
{
	struct question *question = calloc(1, sizeof(*question));
	pthread_condattr_t attr;

	if (question == NULL)
		return NULL;
	(void)pthread_mutex_init(&question->lock, NULL); /* none of these can fail on Linux */
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&question->answered, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)snprintf(question->host, sizeof(question->host), "%s", host);
	(void)snprintf(question->port, sizeof(question->port), "%u", port);
	question->flags = flags;
	return question;
}

/* The application's signals are for its own threads. 0 or an errno. */
static int start_thread(struct question *question)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, before;
	int error;

	(void)sigfillset(&all);
	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, &attr, answer, question);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return error;
}

static bool is_answered_by(struct question *question, uint64_t deadline_ms)
{
	const struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ms / MS_A_SECOND),
		.tv_nsec = (long)(deadline_ms % MS_A_SECOND * NS_A_MS),
	};
	bool is_answered;
	int error = 0;

	(void)pthread_mutex_lock(&question->lock);
	while (!question->is_answered && error == 0)
		error = pthread_cond_timedwait(&question->answered, &question->lock, &deadline);
	is_answered = question->is_answered;
	(void)pthread_mutex_unlock(&question->lock);
	return is_answered;
}

static doca_error_t take_answer(const struct question *question, struct uromh_addresses *addresses,
				const char **why)
{
	if (question->failed != 0 || question->addresses.num == 0) {
		*why = question->failed != 0 ? gai_strerror(question->failed) : "it has no address";
		return DOCA_ERROR_NOT_FOUND;
	}
	*addresses = question->addresses;
	return DOCA_SUCCESS;
}

/* Takes question. */
static doca_error_t await(struct question *question, uint64_t deadline_ms,
			  struct uromh_addresses *addresses, const char **why)
{
	doca_error_t result = DOCA_ERROR_TIME_OUT;

	*why = "the resolver does not answer";
	if (is_answered_by(question, deadline_ms))
		result = take_answer(question, addresses, why);
	leave(question, &question->is_left);
	return result;
}

doca_error_t uromh_resolve(const char *host, uint16_t port, int flags, uint64_t deadline_ms,
			   struct uromh_addresses *addresses, const char **why)
{
	struct question *question;

	if (read_address(host, port, addresses))
		return DOCA_SUCCESS;
	if (atomic_fetch_add(&num_questions, 1) >= UROMH_MAX_QUESTIONS) {
		atomic_fetch_sub(&num_questions, 1);
		*why = "the resolver has not answered earlier questions yet";
		return DOCA_ERROR_TIME_OUT;
	}
	question = question_create(host, port, flags);
	if (question != NULL && start_thread(question) == 0)
		return await(question, deadline_ms, addresses, why);
	atomic_fetch_sub(&num_questions, 1);
	if (question != NULL)
		question_free(question);
	*why = "no thread can be started that asks the resolver";
	return DOCA_ERROR_NO_MEMORY;
}

void uromh_resolve_forget(void)
{
	atomic_store(&num_questions, 0);
}
