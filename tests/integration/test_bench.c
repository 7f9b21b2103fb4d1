/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The benchmark harness: what it writes down, what it calls a missed limit, and that bench_dma runs
 * on it. How long anything took is not looked at.
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "test.h"

#define MAX_ARGS   10
#define MAX_LINES  64
#define TEXT_BYTES 64

/* Of a line of figures, these and no others. */
static const struct key {
	const char *name;
	bool is_number;
} keys[] = {
	{ "bench", false }, { "case", false },      { "transport", false }, { "ours", true },
	{ "peer", false },  { "peer_value", true }, { "unit", false },      { "ratio", true },
};

enum {
	KEY_BENCH,
	KEY_CASE,
	KEY_TRANSPORT,
	KEY_OURS,
	KEY_PEER,
	KEY_PEER_VALUE,
	KEY_UNIT,
	KEY_RATIO
};

#define NUM_KEYS (sizeof(keys) / sizeof(keys[0]))

struct line {
	char texts[NUM_KEYS][TEXT_BYTES];
	double numbers[NUM_KEYS];
	bool is_there[NUM_KEYS];
};

/* Where a run leaves its figures and what it prints. */
struct files {
	char json[32];
	char out[32];
	struct line lines[MAX_LINES];
	size_t num_lines;
	char printed[8192];
};

static void files_init(struct files *files)
{
	int fd;

	memset(files, 0, sizeof(*files));
	strcpy(files->json, "/tmp/test_bench.XXXXXX");
	strcpy(files->out, "/tmp/test_bench.XXXXXX");
	fd = mkstemp(files->json);
	assert_true(fd >= 0);
	close(fd);
	fd = mkstemp(files->out);
	assert_true(fd >= 0);
	close(fd);
}

static void files_fini(struct files *files)
{
	unlink(files->json);
	unlink(files->out);
}

static void expect(const char **at, char wanted)
{
	while (**at == ' ')
		++*at;
	if (**at != wanted)
		fail_msg("'%c' is missing before: %s", wanted, *at);
	++*at;
}

static void parse_text(const char **at, char *text)
{
	size_t len;

	expect(at, '"');
	len = strcspn(*at, "\"\\");
	assert_true(len > 0 && len < TEXT_BYTES);
	memcpy(text, *at, len);
	text[len] = '\0';
	*at += len;
	expect(at, '"');
}

static size_t find_key(const char *name)
{
	for (size_t i = 0; i < NUM_KEYS; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return i;
	}
	fail_msg("a line has a key \"%s\"", name);
	return 0;
}

static void parse_member(const char **at, struct line *line)
{
	char name[TEXT_BYTES];
	size_t key;
	char *end;

	parse_text(at, name);
	key = find_key(name);
	assert_false(line->is_there[key]);
	line->is_there[key] = true;
	expect(at, ':');
	while (**at == ' ')
		++*at;
	if (keys[key].is_number) {
		line->numbers[key] = strtod(*at, &end);
		assert_ptr_not_equal(end, *at);
		*at = end;
	} else {
		parse_text(at, line->texts[key]);
	}
}

static void parse_line(const char *at, struct line *line)
{
	expect(&at, '{');
	for (size_t i = 0; i < NUM_KEYS; i++) {
		if (i > 0)
			expect(&at, ',');
		parse_member(&at, line);
	}
	expect(&at, '}');
	assert_string_equal(at, "\n");
}

static void read_figures(struct files *files)
{
	FILE *json = fopen(files->json, "r");
	char text[1024];

	assert_non_null(json);
	files->num_lines = 0;
	memset(files->lines, 0, sizeof(files->lines));
	while (fgets(text, sizeof(text), json) != NULL) {
		assert_true(files->num_lines < MAX_LINES);
		parse_line(text, &files->lines[files->num_lines++]);
	}
	fclose(json);
}

static void read_printed(struct files *files)
{
	FILE *out = fopen(files->out, "r");
	size_t len;

	assert_non_null(out);
	len = fread(files->printed, 1, sizeof(files->printed) - 1, out);
	files->printed[len] = '\0';
	fclose(out);
}

/* The child of a run: what it prints goes to a file. */
static void redirect(const struct files *files)
{
	int fd = open(files->out, O_WRONLY | O_TRUNC);

	if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		_exit(99);
}

static int wait_for(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* As short as can be: rounds of a millisecond. first to third: NULL: not given. */
static int run_bench_dma(struct files *files, const char *first, const char *second,
			 const char *third)
{
	const char *argv[MAX_ARGS] = { BENCH_DMA,   "--quick", "--round-ms", "1",  "--json",
				       files->json, first,     second,       third };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		redirect(files);
		execv(BENCH_DMA, (char *const *)(uintptr_t)argv);
		_exit(98);
	}
	status = wait_for(pid);
	read_figures(files);
	read_printed(files);
	return status;
}

static unsigned int count_lines(const char *text)
{
	unsigned int count = 0;

	for (; (text = strchr(text, '\n')) != NULL; text++)
		count++;
	return count;
}

static void bench_dma_writes_a_line_for_each_row_of_its_table(void **state)
{
	struct files files;
	int status;

	(void)state;
	files_init(&files);
	status = run_bench_dma(&files, "--rounds", "1", NULL);
	assert_true(status == 0 || status == 1); /* a limit may be missed on such a short run */
	assert_true(files.num_lines > 0);
	assert_int_equal(count_lines(files.printed), 2 + files.num_lines);
	for (size_t i = 0; i < files.num_lines; i++) {
		const struct line *line = &files.lines[i];
		double ratio = line->numbers[KEY_OURS] / line->numbers[KEY_PEER_VALUE];

		assert_string_equal(line->texts[KEY_BENCH], "bench_dma");
		assert_string_equal(line->texts[KEY_TRANSPORT], "memory");
		assert_non_null(strstr(files.printed, line->texts[KEY_CASE]));
		assert_true(line->numbers[KEY_RATIO] > ratio * 0.999999);
		assert_true(line->numbers[KEY_RATIO] < ratio * 1.000001);
	}
	files_fini(&files);
}

static void figures_are_appended(void **state)
{
	struct files files;

	(void)state;
	files_init(&files);
	(void)run_bench_dma(&files, "--case", "copy_8b_event", NULL);
	assert_int_equal(files.num_lines, 1);
	(void)run_bench_dma(&files, "--case", "copy_8b_event", NULL);
	assert_int_equal(files.num_lines, 2);
	assert_string_equal(files.lines[1].texts[KEY_CASE], "copy_8b_event");
	assert_string_equal(files.lines[1].texts[KEY_PEER], "eventfd");
	assert_string_equal(files.lines[1].texts[KEY_UNIT], "ns");
	files_fini(&files);
}

static void wrong_usage_ends_with_status_2_and_no_figures(void **state)
{
	static const struct {
		const char *first, *second, *third, *part;
	} rows[] = {
		{ "--no-such-option", NULL, NULL, "usage:" },
		{ "--rounds", NULL, NULL, "usage:" },
		{ "--rounds", "0", NULL, "usage:" },
		{ "--rounds", "5x", NULL, "usage:" },
		{ "--rounds", "1002", NULL, "usage:" },
		{ "--round-ms", "-1", NULL, "usage:" },
		{ "--help", "something", NULL, "usage:" },
		{ "--case", "no_such_case", NULL, "no case" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct files files;

		files_init(&files);
		assert_int_equal(
		    run_bench_dma(&files, rows[i].first, rows[i].second, rows[i].third), 2);
		assert_non_null(strstr(files.printed, rows[i].part));
		assert_int_equal(files.num_lines, 0);
		files_fini(&files);
	}
}

static void help_lists_the_cases(void **state)
{
	struct files files;

	(void)state;
	files_init(&files);
	assert_int_equal(run_bench_dma(&files, "--help", NULL, NULL), 0);
	assert_non_null(strstr(files.printed, "usage: bench_dma"));
	assert_non_null(strstr(files.printed, "  copy_8b_64_in_flight\n"));
	assert_int_equal(files.num_lines, 0);
	files_fini(&files);
}

static void file_that_cannot_be_opened_ends_with_status_1(void **state)
{
	struct files files;

	(void)state;
	files_init(&files);
	assert_int_equal(run_bench_dma(&files, "--json", "/no/such/place", NULL), 1);
	assert_non_null(strstr(files.printed, "/no/such/place"));
	files_fini(&files);
}

/* Work whose two sides differ by far more than any limit of the rows below. */
static void *setup_nothing(struct bench_case *one)
{
	one->transport = "found out";
	return one;
}

static void run_long(void *state, uint64_t count)
{
	volatile uint64_t work = 0;

	(void)state;
	for (; count > 0; count--) {
		for (unsigned int i = 0; i < 10000; i++)
			work = work + 1;
	}
}

static void run_short(void *state, uint64_t count)
{
	volatile uint64_t work = 0;

	(void)state;
	for (; count > 0; count--)
		work = work + 1;
}

static void teardown_nothing(void *state)
{
	assert_non_null(state);
}

static struct bench_case make_case(enum bench_unit unit, enum bench_limit_kind kind, double limit)
{
	return (struct bench_case){
		.name = "long",
		.transport = "none",
		.peer = "short",
		.unit = unit,
		.bytes = 1,
		.limit = { .kind = kind, .value = limit },
		.setup = setup_nothing,
		.run_ours = run_long,
		.run_peer = run_short,
		.teardown = teardown_nothing,
	};
}

static int run_harness(struct files *files, struct bench_case *one)
{
	const struct bench_program program = { "bench_test", 1, one, 1 };
	const char *argv[] = { "bench_test", "--rounds", "3",         "--round-ms",
			       "1",          "--json",   files->json, NULL };
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		redirect(files);
		status = bench_main(&program, 7, (char **)(uintptr_t)argv);
		fflush(stdout);
		_exit(status);
	}
	status = wait_for(pid);
	read_figures(files);
	read_printed(files);
	return status;
}

static void limit_that_is_missed_ends_with_status_1(void **state)
{
	static const struct {
		enum bench_unit unit;
		enum bench_limit_kind kind;
		double limit;
		int status;
		const char *part;
	} rows[] = {
		{ BENCH_NS, BENCH_UNLIMITED, 0, 0, "-\n" },
		{ BENCH_NS, BENCH_AT_MOST_MORE, 1, 1, "at most 1 ns more: MISSED\n" },
		{ BENCH_NS, BENCH_AT_MOST_MORE, 1e9, 0, "ns more: ok\n" },
		{ BENCH_NS, BENCH_AT_MOST_RATIO, 2, 1, "ratio at most 2: MISSED\n" },
		{ BENCH_NS, BENCH_AT_MOST_RATIO, 1e9, 0, "1e+09: ok\n" },
		{ BENCH_GB_PER_S, BENCH_AT_LEAST_RATIO, 0.9, 1, "at least 0.9: MISSED\n" },
		{ BENCH_GB_PER_S, BENCH_AT_LEAST_RATIO, 1e-9, 0, "1e-09: ok\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_case one = make_case(rows[i].unit, rows[i].kind, rows[i].limit);
		struct files files;

		files_init(&files);
		assert_int_equal(run_harness(&files, &one), rows[i].status);
		assert_non_null(strstr(files.printed, rows[i].part));
		assert_int_equal(files.num_lines, 1);
		assert_string_equal(files.lines[0].texts[KEY_TRANSPORT], "found out");
		files_fini(&files);
	}
}

/* The long side is ten thousand times the other: no machine is so busy that it turns round. */
static void more_time_is_more_ns_and_less_gb_per_s(void **state)
{
	struct bench_case in_ns = make_case(BENCH_NS, BENCH_UNLIMITED, 0);
	struct bench_case in_gb = make_case(BENCH_GB_PER_S, BENCH_UNLIMITED, 0);
	struct files files;

	(void)state;
	files_init(&files);
	assert_int_equal(run_harness(&files, &in_ns), 0);
	assert_int_equal(run_harness(&files, &in_gb), 0);
	assert_string_equal(files.lines[0].texts[KEY_UNIT], "ns");
	assert_true(files.lines[0].numbers[KEY_RATIO] > 1);
	assert_string_equal(files.lines[1].texts[KEY_UNIT], "GB/s");
	assert_true(files.lines[1].numbers[KEY_RATIO] < 1);
	files_fini(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bench_dma_writes_a_line_for_each_row_of_its_table),
		TEST(figures_are_appended),
		TEST(wrong_usage_ends_with_status_2_and_no_figures),
		TEST(help_lists_the_cases),
		TEST(file_that_cannot_be_opened_ends_with_status_1),
		TEST(limit_that_is_missed_ends_with_status_1),
		TEST(more_time_is_more_ns_and_less_gb_per_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
