/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include <doca_log.h>

#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/candidates.h"
#include "urom/daemon/plugins/known.h"
#include "urom/daemon/plugins/looks.h"

DOCA_LOG_REGISTER(UROMD::SCAN);

#define SECOND_US UINT64_C(1000000)

/* How late a timer may be, so that several can wake the loop together. */
#define ACCURACY_US UINT64_C(1000)

/* Somebody who wants to know. */
struct uromd_scan {
	TAILQ_ENTRY(uromd_scan) entry;
	struct round *round;
	void (*done)(void *arg);
	void *arg;
};

/* A candidate that was asked for. */
struct asked {
	const struct uromd_candidate *candidate;
	struct uromd_file *file; /* held */
};

/* A look, and the probes behind it, for all who want to know at that time. */
struct round {
	TAILQ_ENTRY(round) entry;
	struct uromd_scans *scans;
	TAILQ_HEAD(, uromd_scan) waiting;
	uint64_t number; /* of the rounds, in the order in which they began */
	bool has_looked;
	struct uromd_candidates candidates;
	struct asked *asked;
	size_t num_asked;
	struct uromd_complaints complaints;
	sd_event_source *timer; /* at its bound */
	sd_event_source *turn;  /* soon, as nothing is awaited any more */
};

struct uromd_scans {
	sd_event *event;
	uromd_found_fn found;
	void *arg;
	struct uromd_looks *looks;
	struct uromd_known *known;
	TAILQ_HEAD(, round) running;
	struct round *looking; /* whose look goes on; in running, or NULL */
	struct round *next;    /* whose look comes next; in running, or NULL */
	bool is_looking;
	uint64_t num_begun;
	struct round *latest; /* that has ended; owned: what it has found stays known */
};

static void round_free(struct round *round)
{
	if (round == NULL)
		return;
	(void)sd_event_source_disable_unref(round->timer);
	(void)sd_event_source_disable_unref(round->turn);
	for (size_t i = 0; i < round->num_asked; i++)
		uromd_file_put(round->asked[i].file);
	free(round->asked);
	uromd_candidates_fini(&round->candidates);
	uromd_complaints_fini(&round->complaints);
	free(round);
}
static bool is_awaiting(const struct round *round)
{
	for (size_t i = 0; i < round->num_asked; i++) {
		if (uromd_file_is_awaited(round->asked[i].file))
			return true;
	}
	return false;
}

/* Lets on_turn() run soon. */
static void end_soon(struct round *round)
{
	(void)sd_event_source_set_enabled(round->turn, SD_EVENT_ONESHOT); /* it is ours */
}

static void on_news(void *arg)
{
	struct uromd_scans *scans = arg;
	struct round *round;

	TAILQ_FOREACH (round, &scans->running, entry) {
		if (round->has_looked && !is_awaiting(round))
			end_soon(round);
	}
}

/* Which candidates are plugins; the others are complained of. found: room for all. */
static size_t sort_out(struct round *round, struct uromd_found *found)
{
	size_t num_found = 0;

	for (size_t i = 0; i < round->num_asked; i++) {
		const struct uromd_candidate *candidate = round->asked[i].candidate;
		const struct uromd_answer *answer = uromd_file_answer(round->asked[i].file);

		if (answer->is_plugin)
			found[num_found++] = (struct uromd_found){
				.name = candidate->name,
				.path = candidate->path,
				.version = answer->version,
			};
		else
			uromd_complain(&round->complaints, "plugins: %s is left out: %s",
				       candidate->path, answer->reason);
	}
	return num_found;
}

/* Makes it the latest one. */
static void publish(struct round *round)
{
	struct uromd_scans *scans = round->scans;
	struct uromd_found found[UROMD_MAX_CANDIDATES];

	scans->found(scans->arg, found, sort_out(round, found), &round->complaints);
	round->timer = sd_event_source_disable_unref(round->timer);
	round->turn = sd_event_source_disable_unref(round->turn);
	round_free(scans->latest);
	scans->latest = round;
}

/* Each may cancel others of them, so that it is the first of those who are left. */
static void tell(struct round *round)
{
	struct uromd_scan *scan;

	while ((scan = TAILQ_FIRST(&round->waiting)) != NULL) {
		void (*done)(void *arg) = scan->done; /* NOLINT: what was freed is off the list */
		void *arg = scan->arg;

		uromd_scan_cancel(scan);
		done(arg);
	}
}

/* Takes it off those that run. */
static void retire(struct round *round)
{
	struct uromd_scans *scans = round->scans;

	TAILQ_REMOVE(&scans->running, round, entry);
	if (scans->looking == round)
		scans->looking = NULL;
	if (scans->next == round)
		scans->next = NULL;
}

static void finish(struct round *round)
{
	const struct round *latest = round->scans->latest;
	const bool is_news =
	    round->has_looked && (latest == NULL || latest->number < round->number);

	retire(round);
	if (is_news)
		publish(round);
	tell(round);
	if (!is_news)
		round_free(round);
}

static int on_time(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source;
	(void)usec;
	finish(arg);
	return 0;
}

static int on_turn(sd_event_source *source, void *arg)
{
	(void)source;
	finish(arg);
	return 0;
}

/* Asks for every candidate. */
static doca_error_t ask(struct round *round)
{
	const struct uromd_candidates *candidates = &round->candidates;

	round->asked = calloc(candidates->num + 1, sizeof(*round->asked));
	if (round->asked == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (size_t i = 0; i < candidates->num; i++) {
		const struct uromd_candidate *candidate = &candidates->at[i];
		struct asked *asked = &round->asked[i];
		doca_error_t result = uromd_known_get(round->scans->known, candidate->path,
						      &candidate->stat, &asked->file);

		if (result != DOCA_SUCCESS)
			return result;
		asked->candidate = candidate;
		round->num_asked++;
	}
	return DOCA_SUCCESS;
}

static doca_error_t look_for_next(struct uromd_scans *scans)
{
	struct round *round = scans->next;
	doca_error_t result;

	scans->looking = round;
	scans->next = NULL;
	scans->is_looking = true;
	result = uromd_looks_begin(scans->looks);
	if (result != DOCA_SUCCESS) {
		scans->looking = NULL;
		scans->is_looking = false;
	}
	return result;
}

/* Takes both. */
static void take(struct round *round, struct uromd_candidates *candidates,
		 struct uromd_complaints *complaints)
{
	round->candidates = *candidates;
	round->complaints = *complaints;
	round->has_looked = ask(round) == DOCA_SUCCESS;
	if (!round->has_looked || !is_awaiting(round))
		end_soon(round);
}

/* No done is called from here: this may be within uromd_scan_begin(). */
static void on_looked(void *arg, struct uromd_candidates *candidates,
		      struct uromd_complaints *complaints)
{
	struct uromd_scans *scans = arg;
	struct round *round = scans->looking, *next = scans->next;

	scans->looking = NULL;
	scans->is_looking = false;
	if (round != NULL && candidates != NULL) {
		take(round, candidates, complaints);
	} else if (round != NULL) {
		end_soon(round);
	} else if (candidates != NULL) {
		uromd_candidates_fini(candidates);
		uromd_complaints_fini(complaints);
	}
	if (next != NULL && look_for_next(scans) != DOCA_SUCCESS) {
		DOCA_LOG_WARN("plugins: nobody can look for them, so hosts are offered what was "
			      "there before: %s",
			      strerror(errno));
		end_soon(next);
	}
}

doca_error_t uromd_scans_create(sd_event *event, const char *search_path,
				const struct uromd_prober *prober, uromd_found_fn found, void *arg,
				struct uromd_scans **scans)
{
	struct uromd_scans *made = calloc(1, sizeof(*made));
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&made->running);
	made->event = sd_event_ref(event);
	made->found = found;
	made->arg = arg;
	result = uromd_looks_create(event, search_path, on_looked, made, &made->looks);
	if (result == DOCA_SUCCESS)
		result = uromd_known_create(event, prober, on_news, made, &made->known);
	if (result != DOCA_SUCCESS) {
		uromd_scans_destroy(made);
		return result;
	}
	*scans = made;
	return DOCA_SUCCESS;
}

void uromd_scan_cancel(struct uromd_scan *scan)
{
	if (scan == NULL)
		return;
	TAILQ_REMOVE(&scan->round->waiting, scan, entry);
	free(scan);
}

/* Forgets those who wait, too. */
static void drop(struct round *round)
{
	struct uromd_scan *scan, *next;

	for (scan = TAILQ_FIRST(&round->waiting); scan != NULL; scan = next) {
		next = TAILQ_NEXT(scan, entry);
		uromd_scan_cancel(scan);
	}
	retire(round);
	round_free(round);
}

void uromd_scans_destroy(struct uromd_scans *scans)
{
	if (scans == NULL)
		return;
	while (!TAILQ_EMPTY(&scans->running))
		drop(TAILQ_FIRST(&scans->running));
	round_free(scans->latest);
	uromd_looks_destroy(scans->looks);
	uromd_known_destroy(scans->known);
	(void)sd_event_unref(scans->event);
	free(scans);
}

/* The round whose look comes next. */
static doca_error_t make_next(struct uromd_scans *scans)
{
	struct round *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (sd_event_add_defer(scans->event, &made->turn, on_turn, made) < 0 ||
	    sd_event_source_set_enabled(made->turn, SD_EVENT_OFF) < 0) {
		round_free(made);
		return DOCA_ERROR_NO_MEMORY;
	}
	made->scans = scans;
	made->number = ++scans->num_begun;
	TAILQ_INIT(&made->waiting);
	TAILQ_INSERT_TAIL(&scans->running, made, entry);
	scans->next = made;
	return DOCA_SUCCESS;
}

/* A round that awaits nothing costs the loop no timer. */
static doca_error_t bound(struct round *round)
{
	if (!round->has_looked && round->timer == NULL &&
	    sd_event_add_time_relative(round->scans->event, &round->timer, CLOCK_MONOTONIC,
				       UROMD_SCAN_S * SECOND_US, ACCURACY_US, on_time, round) < 0)
		return DOCA_ERROR_NO_MEMORY;
	return DOCA_SUCCESS;
}

/* Has its look begin, now or next. */
static doca_error_t join(struct uromd_scans *scans, struct uromd_scan *scan)
{
	doca_error_t result = scans->next == NULL ? make_next(scans) : DOCA_SUCCESS;
	struct round *round = scans->next;

	if (result != DOCA_SUCCESS)
		return result;
	if (!scans->is_looking) {
		result = look_for_next(scans);
		if (result != DOCA_SUCCESS) {
			drop(round);
			return result;
		}
	}
	/* On failure it goes on with nobody who waits. */
	result = bound(round);
	if (result != DOCA_SUCCESS)
		return result;
	scan->round = round;
	TAILQ_INSERT_TAIL(&round->waiting, scan, entry);
	return DOCA_SUCCESS;
}

doca_error_t uromd_scan_begin(struct uromd_scans *scans, void (*done)(void *arg), void *arg,
			      struct uromd_scan **scan)
{
	struct uromd_scan *made = calloc(1, sizeof(*made));
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->done = done;
	made->arg = arg;
	result = join(scans, made);
	if (result != DOCA_SUCCESS) {
		free(made);
		return result;
	}
	*scan = made;
	return DOCA_SUCCESS;
}
