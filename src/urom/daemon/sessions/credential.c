/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/sessions/credential.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <doca_log.h>

#include "core/error.h"
#include "urom/auth/auth_munge.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/daemon.h"
#include "urom/daemon/process/ending.h"
#include "urom/daemon/process/pidfd.h"
#include "urom/daemon/sessions/challenge.h"

DOCA_LOG_REGISTER(UROMD::CREDENTIAL);

#define USEC_PER_SEC  UINT64_C(1000000)
#define ACCURACY_USEC 10000

/* The process that asks has standard streams and this one. */
#define VERDICT_FD 3

/* What fits into a pipe is written at once, or not at all. */
_Static_assert(sizeof(struct auth_verdict) <= 4096, "a verdict is too long for a pipe");

struct uromd_credential {
	TAILQ_ENTRY(uromd_credential) link; /* waiting or running */
	struct uromd_daemon *daemon;        /* borrowed */
	struct uromd_session *session;      /* borrowed; NULL: nobody waits for it */
	struct uromd_pidfd process;         /* none: it has not begun */
	int verdict_fd;                     /* owned; -1: none */
	struct uromd_ending ending;
	sd_event_source *timer;
	bool is_late;
	uint32_t len;
	uint8_t bytes[];
};

static void credential_free(struct uromd_credential *credential)
{
	uromd_ending_fini(&credential->ending);
	(void)sd_event_source_disable_unref(credential->timer);
	uromd_pidfd_end(&credential->process);
	if (credential->verdict_fd >= 0)
		close(credential->verdict_fd);
	explicit_bzero(credential->bytes, credential->len);
	free(credential);
}

/* --- In the process --- */

/* Sessions must end for their peers when the daemon ends them, so it keeps no descriptor. */
__attribute__((noreturn)) static void ask(const struct uromd_credential *credential, int fd)
{
	const struct wire_bytes bytes = { credential->bytes, credential->len };
	struct auth_verdict verdict;
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(fd, VERDICT_FD) < 0)
		_exit(EXIT_FAILURE);
	(void)close_range(VERDICT_FD + 1, ~0u, 0); /* a kernel without it has none of this */
	auth_munge_decode(credential->daemon->config->munge_socket, &bytes, &verdict);
	_exit(write(VERDICT_FD, &verdict, sizeof(verdict)) == sizeof(verdict) ? EXIT_SUCCESS
									      : EXIT_FAILURE);
}

/* --- In the daemon --- */

static void start_next(struct uromd_credentials *credentials);

static void judge(struct uromd_credential *credential, struct uromd_failure *failure)
{
	struct uromd_session *session = credential->session;
	struct auth_verdict verdict;
	struct auth_reason reason;

	failure->error = DOCA_SUCCESS;
	if (read(credential->verdict_fd, &verdict, sizeof(verdict)) != sizeof(verdict)) {
		(void)uromd_fail(
		    failure, DOCA_ERROR_AUTHENTICATION,
		    credential->is_late
			? "authentication by munge: the munged of the daemon's machine "
			  "has not answered within %d s"
			: "authentication by munge: the credential could not be looked "
			  "at",
		    UROMD_CREDENTIAL_S);
		return;
	}
	verdict.reason.text[sizeof(verdict.reason.text) - 1] = '\0';
	verdict.name[sizeof(verdict.name) - 1] = '\0';
	if (auth_verdict_check(&verdict, &session->auth, &reason) != DOCA_SUCCESS) {
		(void)uromd_fail(failure, DOCA_ERROR_AUTHENTICATION, "%s", reason.text);
		return;
	}
	session->identity = (struct uromd_identity){
		.is_known = true,
		.uid = verdict.uid,
		.gid = verdict.gid,
	};
	(void)snprintf(session->identity.name, sizeof(session->identity.name), "%s", verdict.name);
}

/* Takes it off the running ones, and lets the next one begin. */
static void finish(struct uromd_credential *credential)
{
	struct uromd_credentials *credentials = &credential->daemon->credentials;
	struct uromd_session *session = credential->session;
	struct uromd_failure failure;

	if (session != NULL) {
		session->credential = NULL;
		judge(credential, &failure);
	}
	TAILQ_REMOVE(&credentials->running, credential, link);
	credentials->num_running--;
	credential_free(credential);
	if (session != NULL)
		uromd_challenge_over(session, failure.error == DOCA_SUCCESS ? NULL : &failure);
	start_next(credentials);
}

static void on_end(void *arg)
{
	struct uromd_credential *credential = arg;
	siginfo_t info;

	(void)uromd_pidfd_reap(&credential->process, &info); /* the verdict tells all there is */
	finish(credential);
}

static int on_late(sd_event_source *source, uint64_t usec, void *arg)
{
	struct uromd_credential *credential = arg;

	(void)source;
	(void)usec;
	credential->is_late = true;
	uromd_pidfd_signal(&credential->process, SIGKILL); /* on_end() follows */
	return 0;
}

/* 0 or an errno. */
static int start(struct uromd_credential *credential)
{
	sd_event *event = credential->daemon->event;
	int ends[2], status;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	credential->verdict_fd = ends[0];
	pid = fork();
	if (pid == 0)
		ask(credential, ends[1]);
	close(ends[1]);
	if (pid < 0 || uromd_pidfd_init(&credential->process, pid) != DOCA_SUCCESS)
		return errno;
	status = -uromd_ending_watch(&credential->ending, event, &credential->process, on_end,
				     credential);
	if (status >= 0)
		status = sd_event_add_time_relative(event, &credential->timer, CLOCK_MONOTONIC,
						    UROMD_CREDENTIAL_S * USEC_PER_SEC,
						    ACCURACY_USEC, on_late, credential);
	return status < 0 ? -status : 0;
}

/* It was not started. */
static void give_up(struct uromd_credential *credential, int error)
{
	struct uromd_session *session = credential->session;
	struct uromd_failure failure;

	credential_free(credential);
	session->credential = NULL;
	(void)uromd_fail(&failure, core_error_from_errno(error),
			 "authentication by munge: the service cannot start a process: %s",
			 strerror(error));
	uromd_challenge_over(session, &failure);
}

static void start_next(struct uromd_credentials *credentials)
{
	struct uromd_credential *credential;
	int error;

	while (credentials->num_running < UROMD_MAX_CREDENTIALS &&
	       (credential = TAILQ_FIRST(&credentials->waiting)) != NULL) {
		TAILQ_REMOVE(&credentials->waiting, credential, link);
		error = start(credential);
		if (error != 0) {
			give_up(credential, error);
			continue;
		}
		TAILQ_INSERT_TAIL(&credentials->running, credential, link); /* NOLINT: nests */
		credentials->num_running++;
	}
}

doca_error_t uromd_credential_check(struct uromd_session *session, const struct wire_bytes *bytes)
{
	struct uromd_credentials *credentials = &session->daemon->credentials;
	struct uromd_credential *credential = calloc(1, sizeof(*credential) + bytes->len);

	if (credential == NULL)
		return DOCA_ERROR_NO_MEMORY;
	credential->daemon = session->daemon;
	credential->session = session;
	credential->process = UROMD_NO_PIDFD;
	credential->verdict_fd = -1;
	credential->len = bytes->len;
	if (bytes->len > 0)
		memcpy(credential->bytes, bytes->data, bytes->len);
	session->credential = credential;
	TAILQ_INSERT_TAIL(&credentials->waiting, credential, link);
	start_next(credentials);
	return DOCA_SUCCESS;
}

void uromd_credential_cancel(struct uromd_credential *credential)
{
	if (credential == NULL)
		return;
	credential->session = NULL;
	if (credential->process.pid != 0) {
		uromd_pidfd_signal(&credential->process, SIGKILL); /* on_end() follows */
		return;
	}
	TAILQ_REMOVE(&credential->daemon->credentials.waiting, credential, link);
	credential_free(credential);
}

void uromd_credentials_init(struct uromd_credentials *credentials)
{
	TAILQ_INIT(&credentials->waiting);
	TAILQ_INIT(&credentials->running);
	credentials->num_running = 0;
}

/* Those that wait have gone with their sessions. */
void uromd_credentials_fini(struct uromd_credentials *credentials)
{
	struct uromd_credential *credential;

	while ((credential = TAILQ_FIRST(&credentials->running)) != NULL) {
		TAILQ_REMOVE(&credentials->running, credential, link);
		credential_free(credential);
	}
}
