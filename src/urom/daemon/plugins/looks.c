/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/looks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/look_child.h"
#include "urom/daemon/plugins/sight.h"
#include "urom/daemon/process/ending.h"
#include "urom/daemon/process/pidfd.h"

DOCA_LOG_REGISTER(UROMD::LOOKS);

#define SECOND_US UINT64_C(1000000)

/* How late a timer may be, so that several can wake the loop together. */
#define ACCURACY_US UINT64_C(1000)

#define SEPARATOR   ";"

/* Bytes taken at once. */
#define CHUNK_SIZE 16384

/* A process, which is freed when it has ended. */
struct looker {
	TAILQ_ENTRY(looker) entry;
	struct uromd_looks *looks;
	struct uromd_place *stuck_in; /* NULL: it is in none */
	struct uromd_pidfd process;
	struct uromd_ending ending;
	sd_event_source *timer;
	int fd; /* owned, its notes; -1: nobody reads them any more */
	sd_event_source *notes_source;
};

struct uromd_looks {
	sd_event *event;
	char *paths; /* the search path, cut into those of the places */
	struct uromd_place *places;
	size_t num_places;
	uromd_looked_fn looked;
	void *arg;
	TAILQ_HEAD(, looker) lookers;
	struct looker *current; /* whose notes are read; NULL: no look goes on */
	struct uromd_sight sight;
	unsigned int num_late; /* places that the look has waited for in vain */
};

/* --- The end of a look --- */

static void looker_free(struct looker *looker)
{
	struct uromd_looks *looks = looker->looks;

	TAILQ_REMOVE(&looks->lookers, looker, entry);
	if (looker->stuck_in != NULL)
		looker->stuck_in->is_left_out = false;
	uromd_ending_fini(&looker->ending);
	(void)sd_event_source_disable_unref(looker->timer);
	(void)sd_event_source_disable_unref(looker->notes_source);
	if (looker->fd >= 0)
		close(looker->fd);
	uromd_pidfd_end(&looker->process);
	free(looker);
}

/* It ends by itself when it has nothing more to do, or tries to write a note. */
static void let_go(struct looker *looker)
{
	looker->looks->current = NULL;
	looker->notes_source = sd_event_source_disable_unref(looker->notes_source);
	close(looker->fd);
	looker->fd = -1;
	if (sd_event_source_set_time_relative(looker->timer, UROMD_LOOK_END_S * SECOND_US) < 0 ||
	    sd_event_source_set_enabled(looker->timer, SD_EVENT_ONESHOT) < 0)
		uromd_pidfd_kill_group(&looker->process);
}

static void conclude(struct uromd_looks *looks)
{
	struct uromd_candidates candidates = looks->sight.candidates;
	struct uromd_complaints complaints = looks->sight.complaints;

	looks->sight.candidates = (struct uromd_candidates){ .at = NULL };
	looks->sight.complaints = (struct uromd_complaints){ .texts = NULL };
	looks->looked(looks->arg, &candidates, &complaints);
}

static void fail(struct uromd_looks *looks, const char *why)
{
	DOCA_LOG_WARN("plugins: the directories could not be looked into, so hosts are offered "
		      "what was there before: %s",
		      why);
	uromd_sight_fini(&looks->sight);
	looks->looked(looks->arg, NULL, NULL);
}

static void end_early(struct looker *looker)
{
	let_go(looker);
	fail(looker->looks, "the process that does so has ended too early");
}

/* --- What comes of a process --- */

static int set_bound(struct looker *looker)
{
	int status =
	    sd_event_source_set_time_relative(looker->timer, UROMD_PROBE_LATE_S * SECOND_US);

	return status < 0 ? status : sd_event_source_set_enabled(looker->timer, SD_EVENT_ONESHOT);
}

/* Takes what has come; false: nothing has, or this was the end of the look. */
static bool hear(struct looker *looker)
{
	struct uromd_looks *looks = looker->looks;
	const size_t place = looks->sight.place;
	uint8_t bytes[CHUNK_SIZE];
	const ssize_t len = read(looker->fd, bytes, sizeof(bytes));
	doca_error_t result;

	if (len < 0)
		return false;
	result = uromd_sight_take(&looks->sight, bytes, (size_t)len);
	if (result == DOCA_SUCCESS && len > 0 && !looks->sight.is_over) {
		if (looks->sight.place == place || set_bound(looker) >= 0)
			return true;
		result = DOCA_ERROR_NO_MEMORY;
	}
	if (len == 0) {
		end_early(looker);
		return false;
	}
	let_go(looker);
	if (result == DOCA_SUCCESS)
		conclude(looks);
	else
		fail(looks, doca_error_get_descr(result));
	return false;
}

static int on_notes(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	(void)source;
	(void)fd;
	(void)events;
	(void)hear(arg);
	return 0;
}

static void on_end(void *arg)
{
	struct looker *looker = arg;

	/* What is still in the pipe, up to its end. */
	while (looker == looker->looks->current && hear(looker))
		;
	if (looker == looker->looks->current)
		end_early(looker);
	looker_free(looker);
}

static doca_error_t start(struct uromd_looks *looks, size_t first);

/* The look goes on behind a place that does not answer. */
static void go_on(struct uromd_looks *looks, size_t late)
{
	doca_error_t result;

	if (++looks->num_late < UROMD_MAX_LATE_PLACES) {
		result = start(looks, late + 1);
		if (result != DOCA_SUCCESS)
			fail(looks, strerror(errno));
		return;
	}
	for (size_t i = late + 1; i < looks->num_places; i++)
		uromd_complain(&looks->sight.complaints,
			       "plugins: %s of UROM_PLUGIN_PATH is left out: others have taken "
			       "all the time there is",
			       looks->places[i].path);
	conclude(looks);
}

static void complain_of_late(struct uromd_looks *looks, const struct uromd_place *place)
{
	uromd_complain(&looks->sight.complaints,
		       "plugins: %s of UROM_PLUGIN_PATH is left out until its file system answers: "
		       "nothing has come of it within %d s",
		       place->path, UROMD_PROBE_LATE_S);
}

static int on_time(sd_event_source *source, uint64_t usec, void *arg)
{
	struct looker *looker = arg;
	struct uromd_looks *looks = looker->looks;
	const size_t place = looks->sight.place;

	(void)source;
	(void)usec;
	if (looker != looks->current) {
		uromd_pidfd_kill_group(&looker->process); /* on_end() follows */
		return 0;
	}
	looker->stuck_in = &looks->places[place];
	looker->stuck_in->is_left_out = true;
	complain_of_late(looks, looker->stuck_in);
	let_go(looker);
	go_on(looks, place);
	return 0;
}

/* --- The beginning --- */

/* 0 or an errno. */
static int watch(struct looker *looker)
{
	sd_event *event = looker->looks->event;
	int status = -uromd_ending_watch(&looker->ending, event, &looker->process, on_end, looker);

	if (status >= 0)
		status = sd_event_add_io(event, &looker->notes_source, looker->fd, EPOLLIN,
					 on_notes, looker);
	if (status >= 0)
		status = sd_event_add_time_relative(event, &looker->timer, CLOCK_MONOTONIC,
						    UROMD_PROBE_LATE_S * SECOND_US, ACCURACY_US,
						    on_time, looker);
	return status < 0 ? -status : 0;
}

/* 0 or an errno. */
static int looker_start(struct looker *looker, size_t first)
{
	const struct uromd_looks *looks = looker->looks;
	int ends[2], error;
	pid_t pid = 0;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	looker->fd = ends[0];
	error = uromd_look_child_start(looks->places, looks->num_places, first,
				       &looks->sight.candidates, ends[1], &pid);
	close(ends[1]);
	if (error == 0 && uromd_pidfd_init(&looker->process, pid) != DOCA_SUCCESS)
		error = errno;
	if (error == 0 && fcntl(looker->fd, F_SETFL, O_NONBLOCK) != 0)
		error = errno;
	return error != 0 ? error : watch(looker);
}

/* From a place on. Errors: in errno, too. */
static doca_error_t start(struct uromd_looks *looks, size_t first)
{
	struct looker *looker;
	int error;

	for (size_t i = first; i < looks->num_places; i++) {
		if (looks->places[i].is_left_out)
			complain_of_late(looks, &looks->places[i]);
	}
	while (first < looks->num_places && looks->places[first].is_left_out)
		first++;
	if (first == looks->num_places) {
		conclude(looks);
		return DOCA_SUCCESS;
	}
	looker = calloc(1, sizeof(*looker));
	if (looker == NULL)
		return DOCA_ERROR_NO_MEMORY;
	looker->looks = looks;
	looker->process = UROMD_NO_PIDFD;
	looker->fd = -1;
	TAILQ_INSERT_TAIL(&looks->lookers, looker, entry);
	looks->sight.place = first;
	error = looker_start(looker, first);
	if (error != 0) {
		looker_free(looker);
		errno = error;
		return core_error_from_errno(error);
	}
	looks->current = looker;
	return DOCA_SUCCESS;
}

doca_error_t uromd_looks_begin(struct uromd_looks *looks)
{
	doca_error_t result;

	looks->sight = (struct uromd_sight){ .num_places = looks->num_places };
	looks->num_late = 0;
	result = start(looks, 0);
	if (result != DOCA_SUCCESS)
		uromd_sight_fini(&looks->sight);
	return result;
}

/* --- The search path --- */

/* Slashes at the end would be seen in every message; those of the root stay. */
static void trim(char *directory)
{
	size_t len = strlen(directory);

	while (len > 1 && directory[len - 1] == '/')
		directory[--len] = '\0';
}

static doca_error_t add_place(struct uromd_looks *looks, char *path)
{
	struct uromd_place *places =
	    reallocarray(looks->places, looks->num_places + 1, sizeof(*places));

	if (places == NULL)
		return DOCA_ERROR_NO_MEMORY;
	trim(path);
	places[looks->num_places++] = (struct uromd_place){ .path = path };
	looks->places = places;
	return DOCA_SUCCESS;
}

static doca_error_t add_places(struct uromd_looks *looks, const char *search_path)
{
	doca_error_t result = DOCA_SUCCESS;
	char *rest = NULL, *path;

	looks->paths = strdup(search_path);
	if (looks->paths == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (path = strtok_r(looks->paths, SEPARATOR, &rest);
	     path != NULL && result == DOCA_SUCCESS; path = strtok_r(NULL, SEPARATOR, &rest))
		result = add_place(looks, path);
	return result;
}

doca_error_t uromd_looks_create(sd_event *event, const char *search_path, uromd_looked_fn looked,
				void *arg, struct uromd_looks **looks)
{
	struct uromd_looks *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&made->lookers);
	made->event = sd_event_ref(event);
	made->looked = looked;
	made->arg = arg;
	if (add_places(made, search_path) != DOCA_SUCCESS) {
		uromd_looks_destroy(made);
		return DOCA_ERROR_NO_MEMORY;
	}
	*looks = made;
	return DOCA_SUCCESS;
}

void uromd_looks_destroy(struct uromd_looks *looks)
{
	struct looker *looker, *next;

	if (looks == NULL)
		return;
	for (looker = TAILQ_FIRST(&looks->lookers); looker != NULL; looker = next) {
		next = TAILQ_NEXT(looker, entry);
		looker_free(looker);
	}
	uromd_sight_fini(&looks->sight);
	(void)sd_event_unref(looks->event);
	free(looks->places);
	free(looks->paths);
	free(looks);
}
