/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/look_child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "urom/daemon/plugins/candidates.h"
#include "urom/daemon/plugins/complaints.h"
#include "urom/daemon/plugins/sight.h"
#include "urom/daemon/process/process.h"

/* It has standard streams and this one. */
#define NOTES_FD 3

struct child {
	const struct uromd_place *places;
	size_t num_places;
	size_t first;
	struct uromd_candidates candidates; /* its own: all that were seen */
	int fd;
	pid_t parent;
};

/* --- In the process --- */

/* The new candidates of a directory, and what is wrong there. */
static bool tell(FILE *out, const struct uromd_candidates *candidates, size_t num_known,
		 const struct uromd_complaints *complaints)
{
	for (size_t i = num_known; i < candidates->num; i++) {
		if (!uromd_note_candidate(out, &candidates->at[i]))
			return false;
	}
	for (size_t i = 0; i < complaints->num; i++) {
		if (!uromd_note_complaint(out, complaints->texts[i]))
			return false;
	}
	return true;
}

static bool look_into(FILE *out, struct child *child, size_t place)
{
	const size_t num_known = child->candidates.num;
	struct uromd_complaints complaints = { .texts = NULL };
	bool is_told = uromd_note_place(out, place) &&
		       uromd_candidates_read(child->places[place].path, &child->candidates,
					     &complaints) == DOCA_SUCCESS &&
		       tell(out, &child->candidates, num_known, &complaints);

	uromd_complaints_fini(&complaints);
	return is_told;
}

static bool look_into_all(FILE *out, struct child *child)
{
	for (size_t i = child->first; i < child->num_places; i++) {
		if (!child->places[i].is_left_out && !look_into(out, child, i))
			return false;
	}
	return uromd_note_end(out);
}

/* Sessions must end for their peers when the daemon ends them, so it keeps no descriptor. */
static void __attribute__((noreturn)) run(struct child *child)
{
	FILE *out;

	uromd_process_reset_signals();
	if (!uromd_process_tie(child->parent, SIGKILL) || dup2(child->fd, NOTES_FD) < 0 ||
	    close_range(NOTES_FD + 1, ~0u, 0) != 0)
		_exit(EXIT_FAILURE);
	out = fdopen(NOTES_FD, "w");
	_exit(out != NULL && look_into_all(out, child) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* --- In the daemon --- */

int uromd_look_child_start(const struct uromd_place *places, size_t num_places, size_t first,
			   const struct uromd_candidates *known, int fd, pid_t *pid)
{
	struct child child = {
		.places = places,
		.num_places = num_places,
		.first = first,
		.candidates = *known,
		.fd = fd,
		.parent = getpid(),
	};
	const pid_t forked = fork();

	if (forked == 0)
		run(&child);
	if (forked < 0)
		return errno;
	*pid = forked;
	return 0;
}
