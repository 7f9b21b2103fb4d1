/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A worker that has no plugins and no channel, for tests of the daemon: it speaks the worker's half
 * of the control path, or breaks it as FAKE_WORKER in its environment says. Where its channel would
 * be, its address tells what the process was given: one line each of its arguments, of the
 * variables that begin with TEST_ or NOTIFY_SOCKET, and of what the daemon is to have prepared.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

#include "urom/chan/chan_stream.h"
#include "urom/wire/wire_messages.h"

#define ADDRESS_BYTES 8000
#define PRINT_LINES   20000

/* A sanitizer leaves signals alone, as in the process that it was not built for. */
const char *__asan_default_options(void);
const char *__tsan_default_options(void);

#define NO_HANDLERS "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0"

const char *__asan_default_options(void)
{
	return NO_HANDLERS;
}

const char *__tsan_default_options(void)
{
	return NO_HANDLERS;
}

static struct chan_stream stream;
static const char *mode; /* FAKE_WORKER */

static bool is_mode(const char *name)
{
	return strcmp(mode, name) == 0;
}

static struct wire_bytes text_of(const char *text)
{
	return (struct wire_bytes){ .data = text, .len = (uint32_t)strlen(text) };
}

/* Who cannot send has no daemon any more. */
static void send_message(uint16_t type, uint64_t id, const void *record)
{
	if (chan_stream_send(&stream, type, id, record) != DOCA_SUCCESS)
		exit(EXIT_SUCCESS);
}

static void crash(void)
{
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none); /* nobody wants to look at it */
	(void)raise(SIGSEGV);
}

/* Waits for a signal, with all of them blocked before, so that none is missed. */
static void wait_for_signal(int number)
{
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, number);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)sigwait(&set, &got);
}

/* --- What the process was given --- */

struct report {
	char text[ADDRESS_BYTES];
	size_t len;
};

__attribute__((format(printf, 2, 3))) static void report_add(struct report *report,
							     const char *format, ...)
{
	const size_t room = sizeof(report->text) - report->len;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(report->text + report->len, room, format, args);
	va_end(args);
	if (len > 0 && (size_t)len < room)
		report->len += (size_t)len;
}

static void report_environment(struct report *report)
{
	for (char **entry = environ; *entry != NULL; entry++) {
		if (strncmp(*entry, "TEST_", 5) == 0 || strncmp(*entry, "NOTIFY_SOCKET", 13) == 0)
			report_add(report, "env %s\n", *entry);
	}
}

static void report_fds(struct report *report, int control_fd)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		const int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && fd != dirfd(dir) && fd != control_fd)
			report_add(report, "fd %d\n", fd);
	}
	closedir(dir);
}

static void report_file(struct report *report, int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t len;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, path, sizeof(path) - 1);
	if (len > 0)
		report_add(report, "file %d %.*s\n", fd, (int)len, path);
}

static void report_signals(struct report *report)
{
	int parent_death = 0;
	sigset_t blocked;

	(void)sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (sigismember(&blocked, number) == 1)
			report_add(report, "blocked %d\n", number);
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
			report_add(report, "handled %d\n", number);
	}
	(void)prctl(PR_GET_PDEATHSIG, &parent_death);
	report_add(report, "death %d\n", parent_death);
}

static void report_cpus(struct report *report)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			report_add(report, "cpu %d\n", cpu);
	}
}

static void report_limits(struct report *report)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		report_add(report, "fds %lu\n", limit.rlim_cur);
	if (getrlimit(RLIMIT_CORE, &limit) == 0)
		report_add(report, "core %lu\n", limit.rlim_cur);
	if (getrlimit(RLIMIT_CPU, &limit) == 0)
		report_add(report, "seconds %lu\n", limit.rlim_cur);
	if (getrlimit(RLIMIT_AS, &limit) == 0)
		report_add(report, "memory %lu\n", limit.rlim_cur);
}

static void send_ready(char **argv, int control_fd)
{
	static struct report report;
	struct wire_worker_ready ready = { .pid = (uint64_t)getpid() };

	for (char **arg = argv; *arg != NULL; arg++)
		report_add(&report, "arg %s\n", *arg);
	report_environment(&report);
	report_fds(&report, control_fd);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		report_file(&report, fd);
	report_signals(&report);
	report_cpus(&report);
	report_limits(&report);
	report_add(&report, "leader %d\n", getsid(0) == getpid());
	ready.channel_addr = text_of(report.text);
	send_message(WIRE_WORKER_READY, 0, &ready);
	if (is_mode("ready-twice"))
		send_message(WIRE_WORKER_READY, 0, &ready);
}

/* --- The control path --- */

static void send_hello(void)
{
	const struct wire_hello hello = {
		.magic = WIRE_MAGIC,
		.version_min = WIRE_VERSION_MIN,
		.version_max = WIRE_VERSION_MAX,
		.role = is_mode("host") ? WIRE_ROLE_HOST : WIRE_ROLE_WORKER,
		.pointer_bits = CHAR_BIT * sizeof(void *),
	};

	send_message(WIRE_HELLO, 5, &hello);
}

/* What it does instead of getting ready. */
static void misbehave_at_start(void)
{
	static const struct wire_failure failure = {
		.error = DOCA_ERROR_DRIVER,
		.reason = { "plugin a cannot be opened", 25 },
	};

	if (is_mode("crash"))
		crash();
	if (is_mode("exit"))
		exit(3);
	if (is_mode("hang") || is_mode("hang-gently"))
		wait_for_signal(is_mode("hang") ? SIGUSR2 : SIGTERM);
	if (is_mode("garbage")) {
		(void)send(stream.fd, "this is no frame of ours", 24, MSG_NOSIGNAL);
		wait_for_signal(SIGUSR2);
	}
	if (is_mode("fail") || is_mode("fail-slowly")) {
		send_message(WIRE_WORKER_FAILED, 0, &failure);
		if (is_mode("fail-slowly"))
			wait_for_signal(SIGUSR1);
		exit(EXIT_FAILURE);
	}
}

/* A process that holds on to nothing of this one's, as plugins may start. */
static void start_child(void)
{
	const pid_t child = fork();

	if (child == 0) {
		(void)close_range(0, UINT_MAX, 0);
		for (;;)
			(void)pause();
	}
	(void)printf("child %d\n", (int)child);
}

/* Shared memory that a process which is killed leaves: two segments of nobody's, one that has a
 * key. */
static void make_segments(void)
{
	const int one = shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	const int other = shmget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	const int named = shmget(getpid(), 1, IPC_CREAT | IPC_EXCL | 0600);

	(void)printf("segments %d %d %d\n", one, other, named);
}

/* As many lines as make a megabyte, all of them numbered. */
static void print_lines(void)
{
	for (int i = 0; i < PRINT_LINES; i++)
		(void)printf("line %5d of what a plugin may print, which nobody asked for\n", i);
	(void)fflush(stdout);
}

/* Twice, and of one that nobody has. */
static void tell_deaf(uint64_t connection)
{
	const struct wire_host_deaf deaf = { connection }, nobody = { 0 };

	send_message(WIRE_HOST_DEAF, 0, &deaf);
	send_message(WIRE_HOST_DEAF, 0, &deaf);
	send_message(WIRE_HOST_DEAF, 0, &nobody);
}

/* Twice, and one that there is no ticket of. */
static void refuse_ticket(uint64_t id)
{
	static const char reason[] = "of its 32 descriptors 3 are left";
	const struct wire_ticket_refused refused = {
		.error = is_mode("no-memory") ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_FULL,
		.lacks_files = !is_mode("no-memory"),
		.reason = text_of(reason),
	};

	send_message(WIRE_TICKET_REFUSED, id, &refused);
	send_message(WIRE_TICKET_REFUSED, id, &refused);
	send_message(WIRE_TICKET_REFUSED, id + 1000, &refused);
}

/* Uses up processor time. */
static void spin(void)
{
	for (volatile unsigned int i = 0;; i++)
		;
}

static void on_ticket(const struct chan_message *message)
{
	static unsigned int num_tickets;
	struct wire_ticket ticket;
	const struct wire_empty nothing = { 0 };
	const bool is_full =
	    is_mode("no-hosts") || is_mode("no-memory") || (is_mode("one-host") && num_tickets > 0);

	if (chan_message_decode(message, &ticket) != DOCA_SUCCESS)
		exit(EXIT_FAILURE);
	(void)printf("ticket %lu for %.*s\n", ticket.connection, (int)ticket.host.len,
		     (const char *)ticket.host.data);
	if (is_mode("ticket-crash"))
		crash();
	if (is_mode("fork"))
		start_child();
	if (is_mode("segments"))
		make_segments();
	num_tickets++;
	if (is_full)
		refuse_ticket(message->id);
	else if (!is_mode("ticket-unknown"))
		send_message(WIRE_TICKET_KNOWN, message->id, &nothing);
	if (is_mode("print"))
		print_lines();
	if (is_mode("deaf"))
		tell_deaf(ticket.connection);
	if (is_mode("spin"))
		spin();
	if (is_mode("hang-up")) {
		(void)shutdown(stream.fd, SHUT_RDWR);
		wait_for_signal(SIGUSR2);
	}
}

static void on_ticket_void(const struct chan_message *message)
{
	const struct wire_worker_ready ready = { .pid = (uint64_t)getpid() };
	struct wire_ticket_void ticket_void;

	if (chan_message_decode(message, &ticket_void) != DOCA_SUCCESS)
		exit(EXIT_FAILURE);
	(void)printf("void %lu\n", ticket_void.connection);
	if (is_mode("void-ready"))
		send_message(WIRE_WORKER_READY, 0, &ready);
}

static void on_shutdown(void)
{
	(void)printf("shutdown\n");
	(void)fflush(stdout);
	if (is_mode("close-never"))
		wait_for_signal(SIGUSR2);
	if (is_mode("close-slowly"))
		wait_for_signal(SIGUSR1);
	exit(EXIT_SUCCESS);
}

static void on_message(const struct chan_message *message, char **argv, int control_fd)
{
	switch (message->type) {
	case WIRE_WELCOME:
		misbehave_at_start();
		send_ready(argv, control_fd);
		break;
	case WIRE_TICKET:
		on_ticket(message);
		break;
	case WIRE_TICKET_VOID:
		on_ticket_void(message);
		break;
	case WIRE_SHUTDOWN:
		on_shutdown();
		break;
	default:
		(void)fprintf(stderr, "unexpected message %u\n", message->type);
		exit(EXIT_FAILURE);
	}
	(void)fflush(stdout);
}

static int serve(char **argv, int control_fd)
{
	struct chan_message message;
	doca_error_t result;

	chan_stream_init(&stream, control_fd);
	send_hello();
	for (;;) {
		struct pollfd watched = { .fd = stream.fd, .events = POLLIN };

		while ((result = chan_stream_receive(&stream, &message)) == DOCA_SUCCESS)
			on_message(&message, argv, control_fd);
		if (result != DOCA_ERROR_AGAIN)
			break;
		(void)poll(&watched, 1, -1);
	}
	chan_stream_fini(&stream);
	(void)printf("the daemon is gone\n");
	return EXIT_SUCCESS;
}

static int find_control_fd(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], "--control-fd") == 0)
			return atoi(argv[i + 1]);
	}
	return -1;
}

int main(int argc, char **argv)
{
	int control_fd = find_control_fd(argc, argv);

	mode = getenv("FAKE_WORKER");
	if (mode == NULL)
		mode = "";
	if (argc == 3 && strcmp(argv[1], "--probe") == 0) {
		(void)printf("plugin 1 0x3030000\n");
		return EXIT_SUCCESS;
	}
	if (control_fd < 0 || is_mode("exit-early"))
		return 4;
	return serve(argv, control_fd);
}
