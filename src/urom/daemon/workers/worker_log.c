/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/worker_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "urom/daemon/logs.h"

#define MODE 0640

/* Bytes that are copied at a time. */
#define CHUNK_BYTES 65536

struct uromd_ended_log {
	TAILQ_ENTRY(uromd_ended_log) link;
	pid_t pid; /* that its name has */
	struct timespec changed;
};

/* --- Names --- */

static const char *path_of(const struct uromd_log_store *store, pid_t pid, char *path)
{
	return uromd_logs_worker_path(store->dir, pid, path, PATH_MAX);
}

/* The file before this one. */
static const char *earlier_of(const struct uromd_log_store *store, pid_t pid, char *path)
{
	char log[PATH_MAX];

	(void)snprintf(path, PATH_MAX, "%.*s.1", PATH_MAX - 3, path_of(store, pid, log));
	return path;
}

/* What is being made has a name that nobody looks at; one daemon makes one thing at a time. */
static const char *draft_of(const struct uromd_log_store *store, char *path)
{
	(void)snprintf(path, PATH_MAX, "%.*s/.urom_daemon_%d.draft", PATH_MAX - 40, store->dir,
		       (int)getpid());
	return path;
}

static void drop_draft(const struct uromd_log_store *store)
{
	char path[PATH_MAX];

	(void)unlink(draft_of(store, path)); /* it is there, or it does not matter */
}

/* A new file; -1: errno tells. */
static int make_draft(const struct uromd_log_store *store, uid_t owner)
{
	char path[PATH_MAX];
	int fd, err;

	drop_draft(store); /* of a daemon that was killed, if there is one */
	fd = open(draft_of(store, path),
		  O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (fd < 0 || owner == geteuid() || fchown(fd, owner, (gid_t)-1) == 0)
		return fd;
	err = errno;
	drop_draft(store);
	close(fd);
	errno = err;
	return -1;
}

/* --- Those that have ended --- */

/* As long as somebody writes to a log it is locked, also by another daemon's worker. */
static bool is_in_use(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_locked;

	if (fd < 0)
		return errno != ENOENT; /* what cannot be looked at is left alone */
	is_locked = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return is_locked;
}

static void forget(struct uromd_log_store *store, struct uromd_ended_log *ended)
{
	TAILQ_REMOVE(&store->ended, ended, link);
	store->num_ended--;
	free(ended);
}

static void remove_oldest(struct uromd_log_store *store)
{
	struct uromd_ended_log *oldest = TAILQ_FIRST(&store->ended);
	char path[PATH_MAX];

	if (!is_in_use(path_of(store, oldest->pid, path))) { /* NOLINT: it is on the list */
		(void)unlink(path);                          /* what is left is left */
		(void)unlink(earlier_of(store, oldest->pid, path));
		store->num_removed++;
	}
	forget(store, oldest);
}

static void keep_few(struct uromd_log_store *store)
{
	while (store->num_ended > store->max_ended)
		remove_oldest(store);
}

/* Behind all that are older; the most recent ones are looked at first. */
static void insert(struct uromd_log_store *store, struct uromd_ended_log *added)
{
	struct uromd_ended_log *before;

	TAILQ_FOREACH_REVERSE(before, &store->ended, uromd_ended_logs, link)
	{
		if (before->changed.tv_sec < added->changed.tv_sec ||
		    (before->changed.tv_sec == added->changed.tv_sec &&
		     before->changed.tv_nsec <= added->changed.tv_nsec))
			break;
	}
	if (before != NULL)
		TAILQ_INSERT_AFTER(&store->ended, before, added, link);
	else
		TAILQ_INSERT_HEAD(&store->ended, added, link);
	store->num_ended++;
}

/* The pid in the name of a worker's log; 0: it is none. */
static pid_t pid_of(const char *name)
{
	static const char begin[] = "urom_worker_", end[] = "_dev.log";
	const char *digits = name + strlen(begin);
	long pid;
	char *behind;

	if (strncmp(name, begin, strlen(begin)) != 0 || *digits < '1' || *digits > '9')
		return 0;
	pid = strtol(digits, &behind, 10);
	return strcmp(behind, end) == 0 && pid <= INT_MAX ? (pid_t)pid : 0;
}

static doca_error_t find_one(struct uromd_log_store *store, int dir_fd, const char *name)
{
	const pid_t pid = pid_of(name);
	struct uromd_ended_log *ended;
	struct stat found;

	if (pid == 0 || fstatat(dir_fd, name, &found, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(found.st_mode))
		return DOCA_SUCCESS;
	ended = calloc(1, sizeof(*ended));
	if (ended == NULL)
		return DOCA_ERROR_NO_MEMORY;
	ended->pid = pid;
	ended->changed = found.st_mtim;
	insert(store, ended);
	keep_few(store);
	return DOCA_SUCCESS;
}

doca_error_t uromd_log_store_init(struct uromd_log_store *store, const char *dir,
				  uint64_t max_ended)
{
	DIR *found = dir != NULL ? opendir(dir) : NULL;
	doca_error_t result = DOCA_SUCCESS;
	const struct dirent *entry;

	*store = (struct uromd_log_store){ .dir = dir, .max_ended = max_ended };
	TAILQ_INIT(&store->ended);
	if (found == NULL)
		return DOCA_SUCCESS;
	while (result == DOCA_SUCCESS && (entry = readdir(found)) != NULL)
		result = find_one(store, dirfd(found), entry->d_name);
	closedir(found);
	return result;
}

void uromd_log_store_fini(struct uromd_log_store *store)
{
	while (!TAILQ_EMPTY(&store->ended))
		forget(store, TAILQ_FIRST(&store->ended)); /* NOLINT: as above */
}

/* --- One of a worker --- */

doca_error_t uromd_worker_log_open(const struct uromd_log_store *store, uid_t owner,
				   struct uromd_worker_log *log)
{
	int fd;

	if (store->dir == NULL)
		return DOCA_ERROR_NOT_FOUND;
	fd = make_draft(store, owner);
	if (fd < 0)
		return core_error_from_errno(errno);
	(void)flock(fd, LOCK_SH | LOCK_NB); /* where there are no locks it may be removed early */
	*log = (struct uromd_worker_log){ .is_open = true, .fd = fd };
	return DOCA_SUCCESS;
}

doca_error_t uromd_worker_log_name(struct uromd_log_store *store, pid_t pid)
{
	struct uromd_ended_log *ended, *next;
	char draft[PATH_MAX], path[PATH_MAX];

	for (ended = TAILQ_FIRST(&store->ended); ended != NULL; ended = next) {
		next = TAILQ_NEXT(ended, link);
		if (ended->pid == pid)
			forget(store, ended);
	}
	(void)unlink(earlier_of(store, pid, path)); /* as above */
	if (rename(draft_of(store, draft), path_of(store, pid, path)) != 0)
		return core_error_from_errno(errno);
	return DOCA_SUCCESS;
}

void uromd_worker_log_drop(const struct uromd_log_store *store, struct uromd_worker_log *log)
{
	if (!log->is_open)
		return;
	drop_draft(store);
	close(log->fd);
	*log = (struct uromd_worker_log){ .is_open = false };
}

uint64_t uromd_worker_log_look(struct uromd_worker_log *log)
{
	struct stat now;

	if (log->is_open && fstat(log->fd, &now) == 0)
		log->size_bytes = (uint64_t)now.st_size;
	return log->size_bytes;
}

/* Copies from offset to the end, or what of that is there. -1: errno tells. */
static int copy_from(int from, off_t offset, off_t end, int to)
{
	static char chunk[CHUNK_BYTES];

	while (offset < end) {
		const size_t wanted =
		    end - offset < CHUNK_BYTES ? (size_t)(end - offset) : CHUNK_BYTES;
		const ssize_t got = pread(from, chunk, wanted, offset);

		if (got == 0)
			return 0;
		if (got < 0 || write(to, chunk, (size_t)got) != got)
			return -1;
		offset += got;
	}
	return 0;
}

/* Its end, as a file of its owner's. -1: errno tells. */
static int keep_tail(const struct uromd_log_store *store, int from, const struct stat *log,
		     const char *path)
{
	const off_t begin = log->st_size > UROMD_LOG_TAIL ? log->st_size - UROMD_LOG_TAIL : 0;
	char draft[PATH_MAX];
	int to = make_draft(store, log->st_uid), err;

	if (to < 0)
		return -1;
	if (copy_from(from, begin, log->st_size, to) == 0 &&
	    rename(draft_of(store, draft), path) == 0) {
		close(to);
		return 0;
	}
	err = errno;
	drop_draft(store);
	close(to);
	errno = err;
	return -1;
}

doca_error_t uromd_worker_log_cut(const struct uromd_log_store *store, struct uromd_worker_log *log,
				  pid_t pid)
{
	doca_error_t result = DOCA_SUCCESS;
	char path[PATH_MAX];
	struct stat now;

	if (fstat(log->fd, &now) != 0 ||
	    keep_tail(store, log->fd, &now, earlier_of(store, pid, path)) != 0)
		result = core_error_from_errno(errno);
	if (ftruncate(log->fd, 0) != 0)
		return core_error_from_errno(errno);
	log->size_bytes = 0;
	return result;
}

void uromd_worker_log_end(struct uromd_log_store *store, struct uromd_worker_log *log, pid_t pid)
{
	struct uromd_ended_log *ended;
	struct stat now;

	if (!log->is_open)
		return;
	ended = calloc(1, sizeof(*ended));
	/* Without memory it stays until another daemon finds it. */
	if (ended != NULL && fstat(log->fd, &now) == 0) {
		ended->pid = pid;
		ended->changed = now.st_mtim;
		TAILQ_INSERT_TAIL(&store->ended, ended, link);
		store->num_ended++;
	} else {
		free(ended);
	}
	close(log->fd);
	*log = (struct uromd_worker_log){ .is_open = false };
	keep_few(store);
}
