/* SPDX-License-Identifier: BSD-3-Clause */

/* Where the daemon's log is when nobody has said. Backends last as long as their process, so each
 * case has one of its own. */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_log.h>

#include "plugin_dir.h"
#include "test.h"
#include "urom/daemon/logs.h"

#define NOBODY 65534

/* What a child does, as somebody who is not root; false: it went wrong. */
typedef bool (*case_t)(const struct plugin_dir *dir);

static void run_as_nobody(case_t run)
{
	struct plugin_dir dir;
	int status;
	pid_t child;

	plugin_dir_init(&dir, "urom_logs");
	assert_int_equal(chmod(dir.path, 0777), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 && seteuid(NOBODY) != 0)
			_exit(2);
		_exit(run(&dir) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	plugin_dir_fini(&dir);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* The log is in that directory, and the config says so. */
static bool is_in(const char *directory)
{
	struct uromd_config config = { .log_level = DOCA_LOG_LEVEL_INFO };
	char path[PATH_MAX];
	bool is_good;

	if (uromd_logs_open(&config) != DOCA_SUCCESS || config.log_dir == NULL)
		return false;
	(void)snprintf(path, sizeof(path), "%s/urom_daemon_dev.log", directory);
	is_good = strcmp(config.log_dir, directory) == 0 && access(path, F_OK) == 0;
	uromd_config_fini(&config);
	return is_good;
}

static bool state_home(const struct plugin_dir *dir)
{
	(void)setenv("XDG_STATE_HOME", plugin_dir_path(dir, "state"), 1);
	(void)setenv("HOME", plugin_dir_path(dir, "home"), 1);
	return is_in(plugin_dir_path(dir, "state/openurom"));
}

static void log_is_in_the_state_home(void **state)
{
	(void)state;
	run_as_nobody(state_home);
}

static bool home(const struct plugin_dir *dir)
{
	(void)setenv("XDG_STATE_HOME", "relative/is/no/place", 1);
	(void)setenv("HOME", plugin_dir_path(dir, "home"), 1);
	return is_in(plugin_dir_path(dir, "home/.local/state/openurom"));
}

static void without_one_it_is_below_the_home_directory(void **state)
{
	(void)state;
	run_as_nobody(home);
}

/* Everything is on standard error then, beginning with one warning, which contains part. */
static bool is_on_stderr(const struct plugin_dir *dir, const char *part)
{
	struct uromd_config config = { .log_level = DOCA_LOG_LEVEL_INFO };
	const char *path = plugin_dir_path(dir, "stderr");
	int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600);
	const char *warning;
	char text[1024];
	ssize_t len;

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || uromd_logs_open(&config) != DOCA_SUCCESS ||
	    config.log_dir != NULL)
		return false;
	len = pread(fd, text, sizeof(text) - 1, 0);
	if (len <= 0)
		return false;
	text[len] = '\0';
	warning = strstr(text, "[WRN]");
	return warning != NULL && strstr(warning, part) != NULL &&
	       strstr(warning + 1, "[WRN]") == NULL;
}

static bool nowhere(const struct plugin_dir *dir)
{
	(void)unsetenv("XDG_STATE_HOME");
	(void)unsetenv("HOME");
	return is_on_stderr(dir, "no log in the home directory");
}

static void without_a_home_it_is_standard_error(void **state)
{
	(void)state;
	run_as_nobody(nowhere);
}

/* Nobody reads from it; whoever does might stop, and the daemon with him. */
static bool pipe_in_its_place(const struct plugin_dir *dir)
{
	const char *place = plugin_dir_path(dir, "openurom");

	(void)setenv("XDG_STATE_HOME", dir->path, 1);
	return mkdir(place, 0700) == 0 &&
	       mkfifo(plugin_dir_path(dir, "openurom/urom_daemon_dev.log"), 0600) == 0 &&
	       is_on_stderr(dir, "it is no regular file");
}

static void pipe_is_no_log(void **state)
{
	(void)state;
	run_as_nobody(pipe_in_its_place);
}

static void logs_of_workers_are_named_by_their_pid(void **state)
{
	char text[PATH_MAX];

	(void)state;
	assert_string_equal(uromd_logs_worker_path("/x", 12, text, sizeof(text)),
			    "/x/urom_worker_12_dev.log");
	assert_string_equal(uromd_logs_worker_path(NULL, 12, text, sizeof(text)),
			    "that of the daemon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(log_is_in_the_state_home),
		TEST(without_one_it_is_below_the_home_directory),
		TEST(without_a_home_it_is_standard_error),
		TEST(pipe_is_no_log),
		TEST(logs_of_workers_are_named_by_their_pid),
	};

	return cmocka_run_group_tests_name("daemon_logs", tests, NULL, NULL);
}
