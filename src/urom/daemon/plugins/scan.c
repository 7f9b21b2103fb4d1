/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/scan.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <time.h>

#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/candidates.h"
#include "urom/daemon/plugins/known.h"

#define SECOND_US UINT64_C(1000000)

/* How late a timer may be, so that several can wake the loop together. */
#define ACCURACY_US UINT64_C(1000)

/* A candidate that was asked for. */
struct asked {
	const struct uromd_candidate *candidate;
	struct uromd_file *file; /* held */
};

struct uromd_scan {
	TAILQ_ENTRY(uromd_scan) entry;
	struct uromd_scans *scans;
	uint64_t number; /* of the scans, in the order in which they began */
	void (*done)(void *arg);
	void *arg;
	struct uromd_candidates candidates;
	struct asked *asked;
	size_t num_asked;
	struct uromd_complaints complaints;
	sd_event_source *timer; /* at its bound; NULL: nothing was awaited from the beginning */
	sd_event_source *turn;  /* soon, as nothing is awaited any more */
};

struct uromd_scans {
	sd_event *event;
	const char *search_path;
	uromd_found_fn found;
	void *arg;
	struct uromd_known *known;
	TAILQ_HEAD(, uromd_scan) running;
	uint64_t num_begun;
	struct uromd_scan *latest; /* that has ended; owned: what it has found stays known */
};

static void scan_free(struct uromd_scan *scan)
{
	if (scan == NULL)
		return;
	(void)sd_event_source_disable_unref(scan->timer);
	(void)sd_event_source_disable_unref(scan->turn);
	for (size_t i = 0; i < scan->num_asked; i++)
		uromd_file_put(scan->asked[i].file);
	free(scan->asked);
	uromd_candidates_fini(&scan->candidates);
	uromd_complaints_fini(&scan->complaints);
	free(scan);
}

static bool is_awaiting(const struct uromd_scan *scan)
{
	for (size_t i = 0; i < scan->num_asked; i++) {
		if (uromd_file_is_awaited(scan->asked[i].file))
			return true;
	}
	return false;
}

/* Lets on_turn() run soon, unless there is something to wait for. */
static void look(struct uromd_scan *scan)
{
	if (!is_awaiting(scan))
		(void)sd_event_source_set_enabled(scan->turn, SD_EVENT_ONESHOT); /* it is ours */
}

static void on_news(void *arg)
{
	struct uromd_scans *scans = arg;
	struct uromd_scan *scan;

	TAILQ_FOREACH (scan, &scans->running, entry)
		look(scan);
}

/* Which candidates are plugins; the others are complained of. found: room for all. */
static size_t sort_out(struct uromd_scan *scan, struct uromd_found *found)
{
	size_t num_found = 0;

	for (size_t i = 0; i < scan->num_asked; i++) {
		const struct uromd_candidate *candidate = scan->asked[i].candidate;
		const struct uromd_answer *answer = uromd_file_answer(scan->asked[i].file);

		if (answer->is_plugin)
			found[num_found++] = (struct uromd_found){
				.name = candidate->name,
				.path = candidate->path,
				.version = answer->version,
			};
		else
			uromd_complain(&scan->complaints, "plugins: %s is left out: %s",
				       candidate->path, answer->reason);
	}
	return num_found;
}

static void finish(struct uromd_scan *scan)
{
	struct uromd_scans *scans = scan->scans;
	void (*done)(void *arg) = scan->done;
	struct uromd_found found[UROMD_MAX_CANDIDATES];
	void *arg = scan->arg;

	TAILQ_REMOVE(&scans->running, scan, entry);
	if (scans->latest != NULL && scans->latest->number > scan->number) {
		scan_free(scan);
	} else {
		scans->found(scans->arg, found, sort_out(scan, found), &scan->complaints);
		scan->timer = sd_event_source_disable_unref(scan->timer);
		scan->turn = sd_event_source_disable_unref(scan->turn);
		scan_free(scans->latest);
		scans->latest = scan;
	}
	done(arg);
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
	made->search_path = search_path;
	made->found = found;
	made->arg = arg;
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
	TAILQ_REMOVE(&scan->scans->running, scan, entry);
	scan_free(scan);
}

void uromd_scans_destroy(struct uromd_scans *scans)
{
	if (scans == NULL)
		return;
	while (!TAILQ_EMPTY(&scans->running))
		uromd_scan_cancel(TAILQ_FIRST(&scans->running));
	scan_free(scans->latest);
	uromd_known_destroy(scans->known);
	(void)sd_event_unref(scans->event);
	free(scans);
}

/* Asks for every candidate. */
static doca_error_t ask(struct uromd_scan *scan)
{
	const struct uromd_candidates *candidates = &scan->candidates;

	scan->asked = calloc(candidates->num + 1, sizeof(*scan->asked));
	if (scan->asked == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (size_t i = 0; i < candidates->num; i++) {
		const struct uromd_candidate *candidate = &candidates->at[i];
		struct asked *asked = &scan->asked[i];
		doca_error_t result = uromd_known_get(scan->scans->known, candidate->path,
						      &candidate->stat, &asked->file);

		if (result != DOCA_SUCCESS)
			return result;
		asked->candidate = candidate;
		scan->num_asked++;
	}
	return DOCA_SUCCESS;
}

/* Most scans await nothing, as all files are known: they cost the loop no timer. */
static doca_error_t add_sources(struct uromd_scan *scan)
{
	sd_event *event = scan->scans->event;

	if (sd_event_add_defer(event, &scan->turn, on_turn, scan) < 0 ||
	    sd_event_source_set_enabled(scan->turn, SD_EVENT_OFF) < 0)
		return DOCA_ERROR_NO_MEMORY;
	if (is_awaiting(scan) &&
	    sd_event_add_time_relative(event, &scan->timer, CLOCK_MONOTONIC,
				       UROMD_SCAN_S * SECOND_US, ACCURACY_US, on_time, scan) < 0)
		return DOCA_ERROR_NO_MEMORY;
	return DOCA_SUCCESS;
}

doca_error_t uromd_scan_begin(struct uromd_scans *scans, void (*done)(void *arg), void *arg,
			      struct uromd_scan **scan)
{
	struct uromd_scan *made = calloc(1, sizeof(*made));
	doca_error_t result;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->scans = scans;
	made->number = ++scans->num_begun;
	made->done = done;
	made->arg = arg;
	result = uromd_candidates_read(scans->search_path, &made->candidates, &made->complaints);
	if (result == DOCA_SUCCESS)
		result = ask(made);
	if (result == DOCA_SUCCESS)
		result = add_sources(made);
	if (result != DOCA_SUCCESS) {
		scan_free(made);
		return result;
	}
	TAILQ_INSERT_TAIL(&scans->running, made, entry);
	look(made);
	*scan = made;
	return DOCA_SUCCESS;
}
