/* SPDX-License-Identifier: BSD-3-Clause */
/* How a service finds its daemon by the service file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "urom_host.h"
#include "urom_rig.h"

#define TEXT_BYTES 2048
#define NAME_BYTES 256
#define MAX_PARTS  3

/* What a placeholder in a row stands for: @HERE the daemon, @HOST this machine's name. */
struct names {
	char here[32];
	char host[NAME_BYTES];
	char shouted[NAME_BYTES];   /* in capitals */
	char qualified[NAME_BYTES]; /* its first label in another domain */
};

static void find_names(const struct urom_rig *rig, struct names *names)
{
	memset(names, 0, sizeof(*names));
	(void)snprintf(names->here, sizeof(names->here), "127.0.0.1:%u", rig->port);
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
	} marks[] = {
		{ "@HERE", names.here },
		{ "@HOST", names.host },
		{ "@SHOUTED", names.shouted },
		{ "@QUALIFIED", names.qualified },
	};
	char filled[TEXT_BYTES];
	size_t len = 0;

	find_names(rig, &names);
	while (*text != '\0') {
		size_t i = 0;

		while (i < 4 && strncmp(text, marks[i].mark, strlen(marks[i].mark)) != 0)
			i++;
		if (i < 4) {
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
		  .text = "127.0.0.1 dpu @HERE 0000:03:00.0 lo\n" },
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
		  .parts = { "no..such..host" } },
	};
	struct urom_rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(rig, &rows[i]);
}

static void file_that_cannot_be_read_fails_the_start(void **state)
{
	struct urom_rig *rig = *state;
	char *path = strdup(getenv("DOCA_UROM_SERVICE_FILE"));
	struct urom_host host;

	assert_non_null(path);
	urom_host_init(&host);
	assert_int_equal(unsetenv("DOCA_UROM_SERVICE_FILE"), 0);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_BAD_CONFIG,
		       "DOCA_UROM_SERVICE_FILE");
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", "/no/such/file", 1), 0);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_BAD_CONFIG, "/no/such/file");
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", rig->dir, 1), 0);
	assert_refused(doca_ctx_start(host.service_ctx), DOCA_ERROR_BAD_CONFIG, rig->dir);
	assert_int_equal(setenv("DOCA_UROM_SERVICE_FILE", path, 1), 0);
	urom_host_start(&host);
	urom_host_fini(&host);
	free(path);
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
		UROM_TEST(file_that_cannot_be_read_fails_the_start),
		UROM_TEST(address_without_a_port_means_the_one_of_the_environment),
		UROM_TEST(port_that_is_none_is_told_once),
		UROM_TEST(interface_that_is_not_there_is_no_obstacle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
