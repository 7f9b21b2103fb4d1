/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/known.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <doca_log.h>

#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/probe.h"

DOCA_LOG_REGISTER(UROMD::PROBES);

#define SECOND_US      UINT64_C(1000000)

#define WAITING_REASON "it was not its turn yet to be probed"

enum verdict {
	VERDICT_NONE,
	VERDICT_PLUGIN,
	VERDICT_NO_PLUGIN,
	VERDICT_UNPROBED, /* it could not be probed, through no fault of its own */
};

struct uromd_file {
	TAILQ_ENTRY(uromd_file) entry;
	TAILQ_ENTRY(uromd_file) queue_entry;
	struct uromd_known *known;
	char *key;  /* owned: what makes it the file it is, then its path */
	char *path; /* in key */
	unsigned int num_users;
	enum verdict verdict;
	struct uromd_answer answer;
	uint64_t retry_us; /* when */
	bool is_queued;
	bool is_late;
	struct uromd_probe *probe; /* owned; NULL: none runs */
};

TAILQ_HEAD(files, uromd_file);

struct uromd_known {
	sd_event *event;
	const struct uromd_prober *prober;
	void (*changed)(void *arg);
	void *arg;
	struct files files;
	struct files queue;
	sd_event_source *work;
	unsigned int num_timely; /* probes that run and are not late */
};

static void file_free(struct uromd_file *file)
{
	TAILQ_REMOVE(&file->known->files, file, entry);
	if (file->is_queued)
		TAILQ_REMOVE(&file->known->queue, file, queue_entry);
	uromd_probe_destroy(file->probe);
	free(file->key);
	free(file);
}

static uint64_t now_us(const struct uromd_known *known)
{
	uint64_t now = 0;

	(void)sd_event_now(known->event, CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return now;
}

/* A reason that stays the same is told once only, so the first one is kept. */
static void learn(struct uromd_file *file, const struct uromd_answer *answer)
{
	if (answer->is_plugin || file->verdict != VERDICT_NO_PLUGIN)
		file->answer = *answer;
	file->verdict = answer->is_plugin ? VERDICT_PLUGIN : VERDICT_NO_PLUGIN;
	file->retry_us = now_us(file->known) + UROMD_PROBE_AGAIN_S * SECOND_US;
	DOCA_LOG_DBG("%s: %s%s%s", file->path, answer->is_plugin ? "a plugin" : "no plugin",
		     answer->reason[0] != '\0' ? ": " : "", answer->reason);
}

/* Lets on_work() run soon. */
static void wake(struct uromd_known *known)
{
	(void)sd_event_source_set_enabled(known->work, SD_EVENT_ONESHOT); /* cannot fail */
}

static void on_late(void *arg)
{
	struct uromd_file *file = arg;

	file->is_late = true;
	file->known->num_timely--;
	wake(file->known);
}

static void on_done(void *arg, const struct uromd_answer *answer)
{
	struct uromd_file *file = arg;
	struct uromd_known *known = file->known;

	file->probe = NULL;
	known->num_timely -= !file->is_late;
	if (file->num_users > 0)
		learn(file, answer);
	else
		file_free(file);
	wake(known);
}

static const struct uromd_probe_hooks hooks = { .late = on_late, .done = on_done };

static void start_probe(struct uromd_file *file)
{
	struct uromd_known *known = file->known;

	TAILQ_REMOVE(&known->queue, file, queue_entry);
	file->is_queued = false;
	file->is_late = false;
	if (uromd_probe_start(known->event, known->prober, file->path, &hooks, file,
			      &file->probe) == DOCA_SUCCESS) {
		known->num_timely++;
		return;
	}
	if (file->verdict != VERDICT_NONE)
		return;
	file->verdict = VERDICT_UNPROBED;
	(void)snprintf(file->answer.reason, sizeof(file->answer.reason), "%s cannot be started: %s",
		       known->prober->program, strerror(errno));
}

/* Starts what there is room for, and tells that there is news. */
static int on_work(sd_event_source *source, void *arg)
{
	struct uromd_known *known = arg;

	(void)source;
	while (known->num_timely < UROMD_MAX_PROBES && !TAILQ_EMPTY(&known->queue))
		start_probe(TAILQ_FIRST(&known->queue));
	known->changed(known->arg);
	return 0;
}

doca_error_t uromd_known_create(sd_event *event, const struct uromd_prober *prober,
				void (*changed)(void *arg), void *arg, struct uromd_known **known)
{
	struct uromd_known *made = calloc(1, sizeof(*made));

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	TAILQ_INIT(&made->files);
	TAILQ_INIT(&made->queue);
	made->event = sd_event_ref(event);
	made->prober = prober;
	made->changed = changed;
	made->arg = arg;
	if (sd_event_add_defer(event, &made->work, on_work, made) < 0 ||
	    sd_event_source_set_enabled(made->work, SD_EVENT_OFF) < 0) {
		uromd_known_destroy(made);
		return DOCA_ERROR_NO_MEMORY;
	}
	*known = made;
	return DOCA_SUCCESS;
}

void uromd_known_destroy(struct uromd_known *known)
{
	struct uromd_file *file, *next;

	if (known == NULL)
		return;
	/* Those that nobody holds any more, but that were not probed to the end. */
	for (file = TAILQ_FIRST(&known->files); file != NULL; file = next) {
		next = TAILQ_NEXT(file, entry);
		file_free(file);
	}
	(void)sd_event_source_disable_unref(known->work);
	(void)sd_event_unref(known->event);
	free(known);
}

/* The inode first, as it tells most files apart; the path last. */
static char *make_key(const char *path, const struct stat *stat)
{
	char *key;
	int len = asprintf(&key, "%ju %ju %jd %jd.%09ld %jd.%09ld %s", (uintmax_t)stat->st_ino,
			   (uintmax_t)stat->st_dev, (intmax_t)stat->st_size,
			   (intmax_t)stat->st_mtim.tv_sec, stat->st_mtim.tv_nsec,
			   (intmax_t)stat->st_ctim.tv_sec, stat->st_ctim.tv_nsec, path);

	return len >= 0 ? key : NULL;
}

static struct uromd_file *find(const struct uromd_known *known, const char *key)
{
	struct uromd_file *file;

	TAILQ_FOREACH (file, &known->files, entry) {
		if (strcmp(file->key, key) == 0)
			return file;
	}
	return NULL;
}

/* Takes key. */
static struct uromd_file *file_create(struct uromd_known *known, char *key, const char *path)
{
	struct uromd_file *file = calloc(1, sizeof(*file));

	if (file == NULL) {
		free(key);
		return NULL;
	}
	file->known = known;
	file->key = key;
	file->path = key + strlen(key) - strlen(path);
	TAILQ_INSERT_TAIL(&known->files, file, entry);
	return file;
}

static void probe_if_need_be(struct uromd_file *file)
{
	struct uromd_known *known = file->known;

	if (file->verdict == VERDICT_UNPROBED)
		file->verdict = VERDICT_NONE;
	if (file->verdict == VERDICT_PLUGIN || file->is_queued || file->probe != NULL ||
	    (file->verdict == VERDICT_NO_PLUGIN && now_us(known) < file->retry_us))
		return;
	TAILQ_INSERT_TAIL(&known->queue, file, queue_entry);
	file->is_queued = true;
	wake(known);
}

doca_error_t uromd_known_get(struct uromd_known *known, const char *path, const struct stat *stat,
			     struct uromd_file **file)
{
	char *key = make_key(path, stat);
	struct uromd_file *found;

	if (key == NULL)
		return DOCA_ERROR_NO_MEMORY;
	found = find(known, key);
	if (found != NULL)
		free(key);
	else
		found = file_create(known, key, path);
	if (found == NULL)
		return DOCA_ERROR_NO_MEMORY;
	found->num_users++;
	probe_if_need_be(found);
	*file = found;
	return DOCA_SUCCESS;
}

void uromd_file_put(struct uromd_file *file)
{
	file->num_users--;
	/* A probe that runs is left to its end, which is soon; to wait here would hold the loop. */
	if (file->num_users == 0 && file->probe == NULL)
		file_free(file);
}

bool uromd_file_is_awaited(const struct uromd_file *file)
{
	return file->verdict == VERDICT_NONE && !file->is_late;
}

const struct uromd_answer *uromd_file_answer(const struct uromd_file *file)
{
	static const struct uromd_answer late = { .reason = UROMD_LATE_REASON };
	static const struct uromd_answer waiting = { .reason = WAITING_REASON };

	if (file->verdict != VERDICT_NONE)
		return &file->answer;
	return file->is_late ? &late : &waiting;
}
