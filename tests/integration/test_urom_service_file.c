/* SPDX-License-Identifier: BSD-3-Clause */
/* How a service finds its daemon by the service file. */
#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define TEXT_BYTES 2048
#define NUM_MARKS  5
#define NAME_BYTES 256
#define MAX_PARTS  3
#define MAX_FILE   ((size_t)1 << 20)

/* A machine need not know even localhost, so the test answers for a name of its own. */
#define DAEMON_NAME "daemon.example"

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
		struct addrinfo **found)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	const bool is_daemon = node != NULL && strcmp(node, DAEMON_NAME) == 0;

	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	return real(is_daemon ? "127.0.0.1" : node, service, hints, found);
}

/* What a placeholder in a row stands for: @HERE the daemon, @HOST this machine's name. */
struct names {
	char here[32];
	char port[8]; /* of the daemon */
	char host[NAME_BYTES];
	char shouted[NAME_BYTES];   /* in capitals */
	char qualified[NAME_BYTES]; /* its first label in another domain */
};

static void find_names(const struct urom_rig *rig, struct names *names)
{
	memset(names, 0, sizeof(*names));
	(void)snprintf(names->here, sizeof(names->here), "127.0.0.1:%u", rig->port);
	(void)snprintf(names->port, sizeof(names->port), "%u", rig->port);
	assert_int_equal(gethostname(names->host, sizeof(names->host) - 1), 0);
	for (size_t i = 0; names->host[i] != '\0'; i++)
		names->shouted[i] = (char)toupper((unsigned char)names->host[i]);
	(void)snprintf(names->qualified, sizeof(names->qualified), "%.*s.example",
		       (int)strcspn(names->host, "."), names->host);
}

/* Writes a service file, with what the placeholders of a text stand for. */
static void write_file(struct urom_rig *rig, const char *text)
{
	struct names names;
	const struct {
		const char *mark, *value;
	} marks[NUM_MARKS] = {
		{ "@HERE", names.here },           { "@PORT", names.port },
		{ "@HOST", names.host },           { "@SHOUTED", names.shouted },
		{ "@QUALIFIED", names.qualified },
	};
	char filled[TEXT_BYTES];
	size_t len = 0;

	find_names(rig, &names);
	while (*text != '\0') {
		size_t i = 0;

		while (i < NUM_MARKS && strncmp(text, marks[i].mark, strlen(marks[i].mark)) != 0)
			i++;
		if (i < NUM_MARKS) {
			len += (size_t)snprintf(filled + len, sizeof(filled) - len, "%s",
						marks[i].value);
			text += strlen(marks[i].mark);
		} else {
			filled[len++] = *text++;
		}
		assert_true(len < sizeof(filled));
	}
	filled[len] = '\0';
	urom_rig_write(rig, "service", filled);
}

struct row {
	const char *what;
	const char *text;
	const char *devices; /* NULL: those of the rig */
	doca_error_t result;
	const char *parts[MAX_PARTS]; /* of each line that is logged, in order */
};

static void check_row(struct urom_rig *rig, const struct row *row)
{
	static const char usual[] = UROM_RIG_DEVICE "@" UROM_RIG_PCI "@lo";
	struct urom_host host;
	doca_error_t result;

	write_file(rig, row->text);
	assert_int_equal(
	    setenv("DOCA_SOFT_DEVICES", row->devices != NULL ? row->devices : usual, 1), 0);
	urom_host_init(&host);
	result = doca_ctx_start(host.service_ctx);
	if (result != row->result)
		fail_msg("%s: %s, not %s", row->what, doca_error_get_name(result),
			 doca_error_get_name(row->result));
	for (size_t i = 0; i < MAX_PARTS && row->parts[i] != NULL; i++)
		test_take_log(row->parts[i]);
	if (test_num_logged() != 0)
		fail_msg("%s: more is logged than should be", row->what);
	assert_int_equal(urom_host_state(host.service_ctx),
			 result == DOCA_SUCCESS ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_IDLE);
	urom_host_fini(&host);
	assert_int_equal(setenv("DOCA_SOFT_DEVICES", usual, 1), 0);
}

/* trap 72 */
static void lines_are_read_as_people_write_them(void **state)
{
	static const char hex_device[] = "mlx5_0@00ab:cd:1e.7@lo";
	static const struct row rows[] = {
		{ .what = "comments and blank lines",
		  .text = "# dpu\n\n  # 127.0.0.1\n127.0.0.1 dpu @HERE 03:00.0 lo\n" },
		{ .what = "CRLF", .text = "# dpu\r\n\r\n127.0.0.1 dpu @HERE 0000:03:00.0 lo\r\n" },
		{ .what = "tabs", .text = "\t127.0.0.1\tdpu\t \t@HERE\t0000:03:00.0\tlo\t\n" },
		{ .what = "no newline", .text = "127.0.0.1 dpu @HERE 0000:03:00.0 lo" },
		{ .what = "name of the host", .text = "@HOST dpu @HERE 0000:03:00.0 lo\n" },
		{ .what = "in capitals", .text = "@SHOUTED dpu @HERE 0000:03:00.0 lo\n" },
		{ .what = "with a domain", .text = "@QUALIFIED dpu @HERE 0000:03:00.0 lo\n" },
		{ .what = "name of the daemon's host",
		  .text = "127.0.0.1 dpu " DAEMON_NAME ":@PORT 0000:03:00.0 lo\n" },
		{ .what = "short PCI address", .text = "127.0.0.1 dpu @HERE 03:00.0 lo\n" },
		{ .what = "PCI address in capitals",
		  .text = "127.0.0.1 dpu @HERE 00AB:CD:1E.7 lo\n",
		  .devices = hex_device },
		{ .what = "two devices of one host",
		  .text = "127.0.0.1 dpu 127.0.0.1:1 0000:04:00.0 lo\n"
			  "127.0.0.1 dpu @HERE 0000:03:00.0 lo\n" },
		{ .what = "other hosts first",
		  .text = "elsewhere dpu 127.0.0.1:1 03:00.0 lo\n"
			  "192.0.2.1 dpu 127.0.0.1:1 03:00.0 lo\n"
			  "127.0.0.1 dpu @HERE 03:00.0 lo\n" },
		{ .what = "the first that fits",
		  .text = "127.0.0.1 dpu @HERE 03:00.0 lo\n"
			  "127.0.0.1 dpu 127.0.0.1:1 03:00.0 lo\n" },
		{ .what = "another type",
		  .text = "127.0.0.1 gpu 127.0.0.1:1 03:00.0 lo\n"
			  "127.0.0.1 dpu @HERE 03:00.0 lo\n",
		  .parts = { "service:1" } },
		{ .what = "four fields",
		  .text = "\n127.0.0.1 dpu 127.0.0.1:1 03:00.0\n127.0.0.1 dpu @HERE 03:00.0 lo\n",
		  .parts = { "service:2" } },
		{ .what = "a PCI address that is none",
		  .text = "127.0.0.1 dpu 127.0.0.1:1 03:00 lo\n127.0.0.1 dpu @HERE 03:00.0 lo\n",
		  .parts = { "service:1" } },
		{ .what = "several interfaces",
		  .text = "127.0.0.1 dpu @HERE 03:00.0 lo,eth77,mlx5_7:1\n" },
	};
	struct urom_rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(rig, &rows[i]);
}

/* trap 72 */
static void file_without_a_line_that_fits_fails_the_start(void **state)
{
	static const struct row rows[] = {
		{ .what = "empty", .text = "", .result = DOCA_ERROR_BAD_CONFIG, .parts = { "" } },
		{ .what = "comments alone",
		  .text = "# nothing\n",
		  .result = DOCA_ERROR_BAD_CONFIG,
		  .parts = { "" } },
		{ .what = "nothing usable",
		  .text = "127.0.0.1 gpu @HERE 03:00.0 lo\n127.0.0.1 dpu @HERE\n",
		  .result = DOCA_ERROR_BAD_CONFIG,
		  .parts = { "service:1", "service:2", "" } },
		{ .what = "another device",
		  .text = "127.0.0.1 dpu @HERE 04:00.0 lo\n",
		  .result = DOCA_ERROR_NOT_FOUND,
		  .parts = { UROM_RIG_PCI } },
		{ .what = "another host",
		  .text = "elsewhere dpu @HERE 03:00.0 lo\n",
		  .result = DOCA_ERROR_NOT_FOUND,
		  .parts = { UROM_RIG_PCI } },
		{ .what = "a name that is none",
		  .text = "127.0.0.1 dpu no..such..host:1 03:00.0 lo\n",
		  .result = DOCA_ERROR_BAD_CONFIG,
		  .parts = { "put an address there" } },
	};
	struct urom_rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(rig, &rows[i]);
}

/* Which names were tried, for which device, and what to do. */
static void file_without_a_line_for_this_host_names_it(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;
	struct names names;

	find_names(rig, &names);
	write_file(rig, "elsewhere dpu @HERE 03:00.0 lo\n");
	urom_host_init(&host);
	assert_error(doca_ctx_start(host.service_ctx), DOCA_ERROR_NOT_FOUND);
	assert_true(test_has_logged(names.host));
	assert_true(test_has_logged(UROM_RIG_PCI));
	test_take_log("doca_caps --service-line");
	urom_host_fini(&host);
}

/* Fails a start by a service file of that name; NULL: the variable is not set. */
static void check_name(struct urom_host *host, const char *path, const char *cause,
		       const char *remedy)
{
	if (path != NULL)
		assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", path, 1), 0);
	else
		assert_int_equal(unsetenv("DOCA_UROM_SERVICE_FILE"), 0);
	assert_error(doca_ctx_start(host->service_ctx), DOCA_ERROR_BAD_CONFIG);
	if (!test_has_logged(cause))
		fail_msg("%s: it is not said that %s", path != NULL ? path : "nothing", cause);
	test_take_log(remedy);
}

static void file_that_cannot_be_read_fails_the_start(void **state)
{
	static const char remedy[] = "DOCA_UROM_SERVICE_FILE must name a file that this user may";
	struct urom_rig *rig = *state;
	char *path = strdup(getenv("DOCA_UROM_SERVICE_FILE"));
	char pipe[PATH_MAX];
	struct urom_host host;

	assert_non_null(path);
	(void)snprintf(pipe, sizeof(pipe), "%s/pipe", rig->dir);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	urom_host_init(&host);
	check_name(&host, NULL, "is not set", "set it to one");
	check_name(&host, "", "is not set", "set it to one");
	check_name(&host, "/no/such/file", "/no/such/file cannot be read: No such", remedy);
	check_name(&host, rig->dir, "it is no regular file", remedy);
	check_name(&host, pipe, "it is no regular file", remedy);
	check_name(&host, "/dev/zero", "it is no regular file", remedy);
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", path, 1), 0);
	urom_host_start(&host);
	urom_host_fini(&host);
	free(path);
}

/* A line behind so many bytes of comments. */
static void write_long_file(struct urom_rig *rig, size_t size)
{
	char line[128];
	size_t line_len;
	char *text = malloc(size + 1);

	assert_non_null(text);
	line_len = (size_t)snprintf(line, sizeof(line), "\n127.0.0.1 dpu 127.0.0.1:%u 03:00.0 lo\n",
				    rig->port);
	memset(text, '#', size);
	memcpy(text + size - line_len, line, line_len + 1);
	urom_rig_write(rig, "service", text);
	free(text);
}

static void file_of_more_than_a_mebibyte_is_refused(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;

	urom_host_init(&host);
	write_long_file(rig, MAX_FILE + 1);
	assert_error(doca_ctx_start(host.service_ctx), DOCA_ERROR_BAD_CONFIG);
	assert_true(test_has_logged("service is larger than 1048576 bytes"));
	test_take_log("leave in it the lines that hosts need");
	write_long_file(rig, MAX_FILE);
	urom_host_start(&host);
	urom_host_fini(&host);
}

static void address_without_a_port_means_the_one_of_the_environment(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;
	char port[16];

	write_file(rig, "127.0.0.1 dpu 127.0.0.1 03:00.0 lo\n");
	(void)snprintf(port, sizeof(port), "%u", rig->port);
	urom_host_init(&host);
	assert_int_equal(setenv("DOCA_UROM_PORT", port, 1), 0);
	urom_host_start(&host);
	assert_int_equal(unsetenv("DOCA_UROM_PORT"), 0);
	urom_host_fini(&host);
}

static void port_that_is_none_is_told_once(void **state)
{
	static const struct row row = { .what = "a port of letters",
					.text = "elsewhere dpu @HERE 03:00.0 lo\n"
						"elsewhere dpu @HERE 03:00.0 lo\n"
						"127.0.0.1 dpu @HERE 03:00.0 lo\n",
					.parts = { "\"none\" is no port" } };

	assert_int_equal(setenv("DOCA_UROM_PORT", "none", 1), 0);
	check_row(*state, &row);
	assert_int_equal(unsetenv("DOCA_UROM_PORT"), 0);
}

/* trap 72 */
static void interface_that_is_not_there_is_no_obstacle(void **state)
{
	struct urom_rig *rig = *state;
	struct urom_host host;

	write_file(rig, "127.0.0.1 dpu @HERE 03:00.0 eth77\n");
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	test_take_log("eth77");
	test_take_log("eth77"); /* and that nothing is left of the list */
	urom_host_fini(&host);

	write_file(rig, "127.0.0.1 dpu @HERE 03:00.0 all\n");
	urom_host_init_running(&host);
	urom_host_check_echo(&host, urom_host_run_worker(&host, 1));
	urom_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		UROM_TEST(lines_are_read_as_people_write_them),
		UROM_TEST(file_without_a_line_that_fits_fails_the_start),
		UROM_TEST(file_without_a_line_for_this_host_names_it),
		UROM_TEST(file_that_cannot_be_read_fails_the_start),
		UROM_TEST(file_of_more_than_a_mebibyte_is_refused),
		UROM_TEST(address_without_a_port_means_the_one_of_the_environment),
		UROM_TEST(port_that_is_none_is_told_once),
		UROM_TEST(interface_that_is_not_there_is_no_obstacle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
