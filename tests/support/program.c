/* SPDX-License-Identifier: BSD-3-Clause */
#include "program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define NS_A_SECOND UINT64_C(1000000000)
#define PATIENCE_NS (20 * NS_A_SECOND)
#define END_NS      (60 * NS_A_SECOND)
#define LOOK_US     2000 /* between two looks */

static void set_variable(const char *variable)
{
	char name[128];
	size_t len = strcspn(variable, "=");

	(void)snprintf(name, sizeof(name), "%.*s", (int)len, variable);
	if (variable[len] == '=')
		(void)setenv(name, variable + len + 1, 1);
	else
		(void)unsetenv(name);
}

static void run_child(const struct program *program, const char *const *argv,
		      const char *const *env)
{
	if (setpgid(0, 0) != 0 || dup2(fileno(program->out_file), STDOUT_FILENO) < 0 ||
	    dup2(fileno(program->err_file), STDERR_FILENO) < 0)
		_exit(EXIT_FAILURE);
	for (; env != NULL && *env != NULL; env++)
		set_variable(*env);
	/* execv() takes the texts as they are, though its type does not say so. */
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(EXIT_FAILURE);
}

void program_start(struct program *program, const char *const *argv, const char *const *env)
{
	memset(program, 0, sizeof(*program));
	program->out_file = tmpfile();
	program->err_file = tmpfile();
	assert_non_null(program->out_file);
	assert_non_null(program->err_file);
	fflush(NULL);
	program->pid = fork();
	assert_true(program->pid >= 0);
	if (program->pid == 0)
		run_child(program, argv, env);
}

/* The program writes at the same offset of the file, so nothing is moved here. */
static void look(FILE *file, char text[PROGRAM_BYTES])
{
	ssize_t len = pread(fileno(file), text, PROGRAM_BYTES - 1, 0);

	assert_true(len >= 0);
	text[len] = '\0';
}

static void look_at_both(struct program *program)
{
	look(program->out_file, program->out);
	look(program->err_file, program->err);
}

/* Ends what a test that fails would leave behind. */
static void give_up(struct program *program, const char *what)
{
	kill(-program->pid, SIGKILL);
	waitpid(program->pid, NULL, 0);
	look_at_both(program);
	fail_msg("%s; it has printed:\n%s%s", what, program->out, program->err);
}

void program_wait_for(struct program *program, const char *text)
{
	const uint64_t deadline = test_now_ns() + PATIENCE_NS;
	siginfo_t ended = { 0 };

	do {
		/* Looked at before what it has printed, all of which is there when it has ended. */
		assert_int_equal(
		    waitid(P_PID, (id_t)program->pid, &ended, WEXITED | WNOHANG | WNOWAIT), 0);
		look_at_both(program);
		if (strstr(program->out, text) != NULL)
			return;
		if (ended.si_pid != 0 || test_now_ns() > deadline)
			give_up(program, text);
		usleep(LOOK_US);
	} while (1);
}

int program_wait(struct program *program)
{
	const uint64_t deadline = test_now_ns() + END_NS;
	pid_t ended;
	int status;

	while ((ended = waitpid(program->pid, &status, WNOHANG)) == 0) {
		if (test_now_ns() > deadline)
			give_up(program, "it does not end");
		usleep(LOOK_US);
	}
	assert_int_equal(ended, program->pid);
	look_at_both(program);
	fclose(program->out_file);
	fclose(program->err_file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int program_run(struct program *program, const char *const *argv, const char *const *env)
{
	program_start(program, argv, env);
	return program_wait(program);
}

void program_check_marks(const char *text, const char *const *marks)
{
	const char *found = text;

	for (; *marks != NULL; marks++) {
		const char *mark = strstr(found, *marks);

		if (mark == NULL)
			fail_msg("\"%s\" is not where it should be in: %s", *marks, text);
		found = mark + strlen(*marks);
	}
}
