/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/plugins/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/probe_child.h"
#include "urom/daemon/process/ending.h"
#include "urom/daemon/process/pidfd.h"

#define SECOND_US UINT64_C(1000000)

/* How late a timer may be, so that several can wake the loop together. */
#define ACCURACY_US UINT64_C(1000)

/* Bytes taken at once, so that one that never stops printing keeps nobody from anything. */
#define CHUNK_SIZE 4096

/* Chunks that may be left in a pipe of a process that has ended. */
#define MAX_CHUNKS 64

/* One output of the process. */
struct output {
	int fd; /* owned, the end to read from; -1: none */
	sd_event_source *source;
	void (*add)(struct uromd_heard *heard, const char *bytes, size_t len);
	struct uromd_heard *heard;
};

struct uromd_probe {
	const struct uromd_probe_hooks *hooks;
	void *arg;
	struct uromd_pidfd process;
	struct uromd_ending ending;
	sd_event_source *timer;
	bool is_late;
	bool is_too_late; /* killed for it */
	struct output out;
	struct output err;
	struct uromd_heard heard;
};

static void output_fini(struct output *output)
{
	(void)sd_event_source_disable_unref(output->source);
	if (output->fd >= 0)
		close(output->fd);
}

static void probe_free(struct uromd_probe *probe)
{
	uromd_ending_fini(&probe->ending);
	(void)sd_event_source_disable_unref(probe->timer);
	output_fini(&probe->out);
	output_fini(&probe->err);
	uromd_pidfd_end(&probe->process);
	free(probe);
}

/* Takes a chunk; false: there is none now, or there will be none. */
static bool read_chunk(struct output *output, bool *is_at_end)
{
	char bytes[CHUNK_SIZE];
	ssize_t len = read(output->fd, bytes, sizeof(bytes));

	*is_at_end = len == 0;
	if (len <= 0)
		return false;
	output->add(output->heard, bytes, (size_t)len);
	return true;
}

static int on_output(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct output *output = arg;
	bool is_at_end;

	(void)fd;
	(void)events;
	(void)read_chunk(output, &is_at_end);
	if (is_at_end)
		(void)sd_event_source_set_enabled(source, SD_EVENT_OFF); /* cannot fail */
	return 0;
}

/* What is still in the pipe. */
static void drain(struct output *output)
{
	bool is_at_end;

	for (int i = 0; i < MAX_CHUNKS && read_chunk(output, &is_at_end); i++)
		;
}

static void judge(struct uromd_probe *probe, struct uromd_answer *answer)
{
	siginfo_t end;

	if (!uromd_pidfd_reap(&probe->process, &end))
		end = (siginfo_t){ .si_code = CLD_KILLED }; /* somebody else has waited for it */
	uromd_heard_judge(&probe->heard, &end, answer);
	if (!probe->is_too_late || answer->is_plugin)
		return;
	(void)snprintf(answer->reason, sizeof(answer->reason), UROMD_LATE_REASON);
}

static void on_end(void *arg)
{
	struct uromd_probe *probe = arg;
	const struct uromd_probe_hooks *hooks = probe->hooks;
	struct uromd_answer answer;

	uromd_pidfd_kill_group(&probe->process);
	drain(&probe->out);
	drain(&probe->err);
	judge(probe, &answer);
	arg = probe->arg;
	probe_free(probe);
	hooks->done(arg, &answer);
}

static int on_time(sd_event_source *source, uint64_t usec, void *arg)
{
	const uint64_t rest_us = (UROMD_PROBE_END_S - UROMD_PROBE_LATE_S) * SECOND_US;
	struct uromd_probe *probe = arg;

	(void)usec;
	if (probe->is_late) {
		probe->is_too_late = true;
		uromd_pidfd_kill_group(&probe->process); /* on_end() follows */
		return 0;
	}
	probe->is_late = true;
	if (sd_event_source_set_time_relative(source, rest_us) < 0 ||
	    sd_event_source_set_enabled(source, SD_EVENT_ONESHOT) < 0)
		uromd_pidfd_kill_group(&probe->process);
	probe->hooks->late(probe->arg);
	return 0;
}

/* A pipe whose end to read from does not block. */
static int open_pipe(struct output *output, int *write_end)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	output->fd = ends[0];
	*write_end = ends[1];
	return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

static int start(struct uromd_probe *probe, const struct uromd_prober *prober, const char *path)
{
	int out = -1, err = -1;
	int error = open_pipe(&probe->out, &out);
	pid_t pid = 0;

	if (error == 0)
		error = open_pipe(&probe->err, &err);
	if (error == 0)
		error = uromd_probe_child_start(prober, path, out, err, &pid);
	if (error == 0 && uromd_pidfd_init(&probe->process, pid) != DOCA_SUCCESS)
		error = errno;
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	return error;
}

/* Has the loop watch it; 0 or an errno. */
static int watch(struct uromd_probe *probe, sd_event *event)
{
	int ret = -uromd_ending_watch(&probe->ending, event, &probe->process, on_end, probe);

	if (ret >= 0)
		ret = sd_event_add_io(event, &probe->out.source, probe->out.fd, EPOLLIN, on_output,
				      &probe->out);
	if (ret >= 0)
		ret = sd_event_add_io(event, &probe->err.source, probe->err.fd, EPOLLIN, on_output,
				      &probe->err);
	if (ret >= 0)
		ret = sd_event_add_time_relative(event, &probe->timer, CLOCK_MONOTONIC,
						 UROMD_PROBE_LATE_S * SECOND_US, ACCURACY_US,
						 on_time, probe);
	return ret < 0 ? -ret : 0;
}

doca_error_t uromd_probe_start(sd_event *event, const struct uromd_prober *prober, const char *path,
			       const struct uromd_probe_hooks *hooks, void *arg,
			       struct uromd_probe **probe)
{
	struct uromd_probe *made = calloc(1, sizeof(*made));
	int error;

	if (made == NULL)
		return DOCA_ERROR_NO_MEMORY;
	made->hooks = hooks;
	made->arg = arg;
	made->process = UROMD_NO_PIDFD;
	made->out = (struct output){ .fd = -1, .add = uromd_heard_out, .heard = &made->heard };
	made->err = (struct output){ .fd = -1, .add = uromd_heard_err, .heard = &made->heard };
	error = start(made, prober, path);
	if (error == 0)
		error = watch(made, event);
	if (error != 0) {
		uromd_probe_destroy(made);
		errno = error;
		return core_error_from_errno(error);
	}
	*probe = made;
	return DOCA_SUCCESS;
}

void uromd_probe_destroy(struct uromd_probe *probe)
{
	if (probe != NULL)
		probe_free(probe);
}
