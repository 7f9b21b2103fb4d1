/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/worker/limits.h"

/*
 * Time is counted in looks, not read from a clock: a process that was stopped, or a machine that
 * slept, has made no plugin late. What a look does must not depend on what the plugin holds, such
 * as the lock of the log or of malloc(), so it does no more than write() and _exit().
 */

#define LOOK_S     1
#define LINE_BYTES 256

/* Until there is a page, and for good when the daemon has given none. */
static uint32_t own_word;

struct uromw_watched uromw_watched = { .word = &own_word };

static struct {
	uint32_t turn;         /* of the call that the last look saw */
	unsigned int in_call;  /* looks since then that saw the same one */
	unsigned int orphaned; /* looks since the parent went */
	unsigned int ending;   /* looks since the end began */
	bool is_ending;
	unsigned int timeout_s;
	uint32_t log_level;
	pid_t parent;
} watchdog;

struct line {
	char text[LINE_BYTES];
	size_t len;
};

/* NULL: none. */
static const char *current_call(void)
{
	return wire_call_name(wire_call_of(__atomic_load_n(uromw_watched.word, __ATOMIC_ACQUIRE)));
}

/* What does not fit is left out. */
static void add_text(struct line *line, const char *text)
{
	size_t len = strlen(text);

	if (len > sizeof(line->text) - line->len)
		len = sizeof(line->text) - line->len;
	memcpy(line->text + line->len, text, len);
	line->len += len;
}

static void add_number(struct line *line, unsigned int number)
{
	char digits[16];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	add_text(line, at);
}

/* "[pid][WRN][UROM_WORKER::WATCHDOG] plugin NAME: CALL has not returned for N s" and more. */
static void say(uint32_t level, const char *tag, unsigned int seconds, const char *more)
{
	const char *call = current_call();
	struct line line = { .len = 0 };

	if (watchdog.log_level < level)
		return;
	add_text(&line, "[");
	add_number(&line, (unsigned int)getpid());
	add_text(&line, tag);
	if (call != NULL) {
		add_text(&line, "plugin ");
		add_text(&line, __atomic_load_n(&uromw_watched.plugin, __ATOMIC_RELAXED));
		add_text(&line, ": ");
		add_text(&line, call);
		add_text(&line, " has not returned for ");
		add_number(&line, seconds);
		add_text(&line, " s");
	}
	add_text(&line, more);
	add_text(&line, "\n");
	(void)!write(STDERR_FILENO, line.text, line.len); /* a log is no reason to fail */
}

#define WARNING_TAG "][WRN][UROM_WORKER::WATCHDOG] "
#define ERROR_TAG   "][ERR][UROM_WORKER::WATCHDOG] "

static int look_at_end(void)
{
	if (++watchdog.ending * LOOK_S < UROMW_CLOSE_S)
		return -1;
	say(DOCA_LOG_LEVEL_ERROR, ERROR_TAG, watchdog.in_call * LOOK_S,
	    current_call() != NULL ? "; the worker ends without it"
				   : "the worker does not come to its end, and is made to");
	return UROMW_EXIT_STUCK;
}

static int look_at_parent(void)
{
	/* The loop ends by itself when the control path does; it gets one look's time for that. */
	if (getppid() == watchdog.parent || ++watchdog.orphaned < 2)
		return -1;
	say(DOCA_LOG_LEVEL_ERROR, ERROR_TAG, watchdog.in_call * LOOK_S,
	    current_call() != NULL ? ", and the daemon is gone; the worker ends"
				   : "the daemon is gone; the worker ends");
	return UROMW_EXIT_ORPHAN;
}

static int look_at_call(void)
{
	const unsigned int seconds = watchdog.in_call * LOOK_S;

	if (watchdog.timeout_s > 0 && seconds >= watchdog.timeout_s) {
		say(DOCA_LOG_LEVEL_ERROR, ERROR_TAG, seconds, "; the worker ends");
		return UROMW_EXIT_STUCK;
	}
	if (seconds == UROMW_WARN_S)
		say(DOCA_LOG_LEVEL_WARNING, WARNING_TAG, seconds, "");
	return -1;
}

int uromw_watchdog_look(void)
{
	const uint32_t turn = __atomic_load_n(&uromw_watched.turn, __ATOMIC_RELAXED);

	if (current_call() != NULL && turn == watchdog.turn)
		watchdog.in_call++;
	else
		watchdog.in_call = 0;
	watchdog.turn = turn;
	if (__atomic_load_n(&watchdog.is_ending, __ATOMIC_ACQUIRE))
		return look_at_end();
	if (watchdog.in_call > 0) {
		int status = look_at_call();

		if (status >= 0)
			return status;
	}
	return look_at_parent();
}

/* The daemon is to know that it was not the plugin that has ended the process. */
__attribute__((noreturn)) static void end_process(int status)
{
	if (status == UROMW_EXIT_STUCK)
		(void)__atomic_fetch_or(uromw_watched.word, WIRE_CALL_IS_LATE, __ATOMIC_RELAXED);
	_exit(status);
}

static void *watch(void *arg)
{
	const struct timespec period = { .tv_sec = LOOK_S };

	for (;;) {
		int status;

		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &period, NULL);
		status = uromw_watchdog_look();
		if (status >= 0)
			end_process(status);
	}
	return arg;
}

void uromw_watchdog_end_begins(void)
{
	__atomic_store_n(&watchdog.is_ending, true, __ATOMIC_RELEASE);
}

void uromw_watchdog_set(unsigned int timeout_s, uint32_t log_level)
{
	watchdog.timeout_s = timeout_s;
	watchdog.log_level = log_level;
	watchdog.parent = getppid();
}

static doca_error_t map_page(int fd)
{
	void *page = mmap(NULL, WIRE_CALL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int err = errno;

	close(fd);
	if (page == MAP_FAILED)
		return core_error_from_errno(err);
	uromw_watched.word = page;
	return DOCA_SUCCESS;
}

/* Its thread has no part in signals: they are for the worker's. */
static int start_thread(void)
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	err = pthread_sigmask(SIG_SETMASK, &all, &before);
	if (err != 0)
		return err;
	err = pthread_create(&thread, NULL, watch, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* it was this before */
	if (err == 0)
		err = pthread_detach(thread);
	return err;
}

doca_error_t uromw_watchdog_start(unsigned int timeout_s, uint32_t log_level, int page_fd)
{
	doca_error_t result = page_fd >= 0 ? map_page(page_fd) : DOCA_SUCCESS;
	int err;

	if (result != DOCA_SUCCESS)
		return result;
	uromw_watchdog_set(timeout_s, log_level);
	err = start_thread();
	return err == 0 ? DOCA_SUCCESS : core_error_from_errno(err);
}
