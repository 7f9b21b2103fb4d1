/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/worker/limits.h"

/*
 * Time is counted in looks, not read from a clock: a process that was stopped, or a machine that
 * slept, has made no plugin late. Everything from uromw_watchdog_look() down runs in a signal's
 * handler, so it does no more than write() and _exit().
 */

#define LOOK_S          1
#define WATCHDOG_SIGNAL SIGRTMAX
#define LINE_BYTES      256

struct uromw_watched uromw_watched;

static struct {
	uint32_t turn;         /* of the call that the last look saw */
	unsigned int in_call;  /* looks since then that saw the same one */
	unsigned int orphaned; /* looks since the parent went */
	unsigned int ending;   /* looks since the end began */
	volatile sig_atomic_t is_ending;
	unsigned int timeout_s;
	uint32_t log_level;
	pid_t parent;
} watchdog;

struct line {
	char text[LINE_BYTES];
	size_t len;
};

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
	const char *call = uromw_watched.call;
	struct line line = { .len = 0 };

	if (watchdog.log_level < level)
		return;
	add_text(&line, "[");
	add_number(&line, (unsigned int)getpid());
	add_text(&line, tag);
	if (call != NULL) {
		add_text(&line, "plugin ");
		add_text(&line, uromw_watched.plugin);
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
	    uromw_watched.call != NULL ? "; the worker ends without it"
				       : "the worker does not come to its end, and is made to");
	return UROMW_EXIT_STUCK;
}

static int look_at_parent(void)
{
	/* The loop ends by itself when the control path does; it gets one look's time for that. */
	if (getppid() == watchdog.parent || ++watchdog.orphaned < 2)
		return -1;
	say(DOCA_LOG_LEVEL_ERROR, ERROR_TAG, watchdog.in_call * LOOK_S,
	    uromw_watched.call != NULL ? ", and the daemon is gone; the worker ends"
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
	if (uromw_watched.call != NULL && uromw_watched.turn == watchdog.turn)
		watchdog.in_call++;
	else
		watchdog.in_call = 0;
	watchdog.turn = uromw_watched.turn;
	if (watchdog.is_ending)
		return look_at_end();
	if (watchdog.in_call > 0) {
		int status = look_at_call();

		if (status >= 0)
			return status;
	}
	return look_at_parent();
}

static void on_signal(int number)
{
	const int err = errno;
	const int status = uromw_watchdog_look();

	(void)number;
	if (status >= 0)
		_exit(status);
	errno = err;
}

void uromw_watchdog_end_begins(void)
{
	watchdog.ending = 0;
	watchdog.is_ending = true;
}

void uromw_watchdog_set(unsigned int timeout_s, uint32_t log_level)
{
	watchdog.timeout_s = timeout_s;
	watchdog.log_level = log_level;
	watchdog.parent = getppid();
}

doca_error_t uromw_watchdog_start(unsigned int timeout_s, uint32_t log_level)
{
	const struct itimerspec period = { { LOOK_S, 0 }, { LOOK_S, 0 } };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = WATCHDOG_SIGNAL };
	timer_t timer;

	uromw_watchdog_set(timeout_s, log_level);
	/* To this thread: those that plugins start have no part in it. */
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (sigaction(WATCHDOG_SIGNAL, &action, NULL) != 0 ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
	    timer_settime(timer, 0, &period, NULL) != 0)
		return core_error_from_errno(errno);
	return DOCA_SUCCESS;
}
