/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/logs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/file.h"

DOCA_LOG_REGISTER(UROMD::LOGS);

#define ROOT_DIR "/var/log/doca/urom"
#define LOG_NAME "urom_daemon_dev.log"

/* The usual place; owned: free(). NULL: there is none, or no memory. */
static char *get_default_dir(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	char *dir;

	if (geteuid() == 0)
		return strdup(ROOT_DIR);
	if (state != NULL && state[0] == '/')
		return asprintf(&dir, "%s/openurom", state) > 0 ? dir : NULL;
	if (home != NULL && home[0] == '/')
		return asprintf(&dir, "%s/.local/state/openurom", home) > 0 ? dir : NULL;
	return NULL;
}

/* Makes a directory with those above it. path: written to meanwhile. */
static void make_dirs(char *path)
{
	for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
		*slash = '\0';
		(void)mkdir(path, 0755); /* what cannot be made shows at the last one */
	}
	(void)mkdir(path, 0755);
}

/* The daemon's log, and the one before it. */
static bool get_paths(const char *dir, char *path, char *earlier)
{
	return snprintf(path, PATH_MAX, "%s/%s", dir, LOG_NAME) < PATH_MAX &&
	       snprintf(earlier, PATH_MAX, "%s/%s.1", dir, LOG_NAME) < PATH_MAX;
}

static int open_file(const char *path, const char **flaw)
{
	return core_file_open(path, O_WRONLY | O_CREAT | O_APPEND, 0640, flaw);
}

/* Opens the log in a directory, which becomes an absolute path; -1: flaw tells. */
static int open_log(char **dir, const char **flaw)
{
	char path[PATH_MAX], earlier[PATH_MAX];
	char *real;

	make_dirs(*dir);
	real = realpath(*dir, NULL);
	if (real == NULL) {
		*flaw = strerror(errno);
		return -1;
	}
	free(*dir);
	*dir = real;
	if (!get_paths(real, path, earlier)) {
		*flaw = strerror(ENAMETOOLONG);
		return -1;
	}
	return open_file(path, flaw);
}

/* What one who is looking sees: everything on a terminal, what failed otherwise. */
static doca_error_t add_stderr(const struct uromd_config *config)
{
	struct doca_log_backend *backend;
	doca_error_t result = doca_log_backend_create_with_fd(STDERR_FILENO, &backend);
	int level = config->log_level;

	if (result != DOCA_SUCCESS)
		return result;
	if (level > DOCA_LOG_LEVEL_ERROR && !isatty(STDERR_FILENO))
		level = DOCA_LOG_LEVEL_ERROR;
	return doca_log_backend_set_level_lower_limit(backend, (uint32_t)level);
}

/* fd: becomes the log's for as long as the process lives. */
static doca_error_t add_log(int fd)
{
	struct doca_log_backend *backend;
	doca_error_t result = doca_log_backend_create_with_fd(fd, &backend);

	if (result == DOCA_SUCCESS)
		result = doca_log_backend_create_with_fd_sdk(fd, &backend);
	return result;
}

doca_error_t uromd_logs_open(struct uromd_config *config)
{
	char *dir = config->log_dir != NULL ? config->log_dir : get_default_dir();
	const char *flaw = "there is none";
	doca_error_t result;
	int fd;

	config->log_dir = NULL;
	fd = dir != NULL ? open_log(&dir, &flaw) : -1;
	if (fd >= 0) {
		config->log_dir = dir;
		config->log_fd = fd;
		result = add_log(fd);
		return result == DOCA_SUCCESS ? add_stderr(config) : result;
	}
	result = add_log(STDERR_FILENO);
	if (result == DOCA_SUCCESS)
		DOCA_LOG_WARN("no log in %s: %s; standard error is used instead, and --log-dir "
			      "names another place",
			      dir != NULL ? dir : "the home directory", flaw);
	free(dir);
	return result;
}

/* A new file behind the descriptor that the backends have. */
static bool begin_anew(const struct uromd_config *config, const char **flaw)
{
	char path[PATH_MAX], earlier[PATH_MAX];
	bool is_good;
	int fd;

	if (!get_paths(config->log_dir, path, earlier) || rename(path, earlier) != 0) {
		*flaw = strerror(errno);
		return false;
	}
	fd = open_file(path, flaw);
	if (fd < 0)
		return false;
	is_good = dup3(fd, config->log_fd, O_CLOEXEC) >= 0;
	if (!is_good)
		*flaw = strerror(errno);
	close(fd);
	return is_good;
}

bool uromd_logs_turn(const struct uromd_config *config)
{
	const uint64_t max = config->limits.of[UROMD_LIMIT_LOG_SIZE];
	const char *flaw;
	struct stat now;

	if (config->log_fd == 0 || max == 0 || fstat(config->log_fd, &now) != 0 ||
	    (uint64_t)now.st_size <= max)
		return false;
	if (begin_anew(config, &flaw))
		return true;
	/* It is cut where it is rather than let grow. */
	(void)!ftruncate(config->log_fd, 0);
	DOCA_LOG_WARN("the log has begun anew, and what was there is lost: %s", flaw);
	return true;
}

const char *uromd_logs_worker_path(const char *log_dir, pid_t pid, char *text, size_t size)
{
	if (log_dir != NULL)
		(void)snprintf(text, size, "%s/urom_worker_%d_dev.log", log_dir, (int)pid);
	else
		(void)snprintf(text, size, "that of the daemon");
	return text;
}
