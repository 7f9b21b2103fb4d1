/* SPDX-License-Identifier: BSD-3-Clause */

/* The table of workers, who may join one, and how the end of one is told. */

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/export.h"
#include "test.h"
#include "urom/daemon/base/limits.h"
#include "urom/daemon/plugins/plugins.h"
#include "urom/daemon/process/account.h"
#include "urom/daemon/sessions/requests.h"
#include "urom/daemon/workers/linger.h"
#include "urom/daemon/workers/reap.h"
#include "urom/wire/wire_call.h"

/* Nobody is known; and some who are. */
static const struct uromd_identity nobody;
#define alice ((struct uromd_identity){ .is_known = true, .uid = 1000, .gid = 100 })
#define bob   ((struct uromd_identity){ .is_known = true, .uid = 1001, .gid = 100 })
#define root  ((struct uromd_identity){ .is_known = true })

/* A table of workers that no process is behind. */
static void table_make(struct uromd_workers *workers, struct uromd_worker *list, size_t n)
{
	uromd_workers_init(workers);
	for (size_t i = 0; i < n; i++)
		TAILQ_INSERT_TAIL(&workers->list, &list[i], link);
	workers->count = (unsigned int)n;
}

static void workers_are_found_by_id(void **state)
{
	struct uromd_worker list[] = { { .id = 0 }, { .id = 7 }, { .id = UINT64_MAX - 1 } };
	struct uromd_workers workers;

	(void)state;
	table_make(&workers, list, CORE_ARRAY_LEN(list));
	for (size_t i = 0; i < CORE_ARRAY_LEN(list); i++)
		assert_ptr_equal(uromd_workers_find(&workers, list[i].id), &list[i]);
	assert_null(uromd_workers_find(&workers, 1));
	assert_null(uromd_workers_find(&workers, 8));
	assert_null(uromd_workers_find(&workers, UINT64_MAX));
}

static void nothing_is_found_in_an_empty_table(void **state)
{
	struct uromd_workers workers;
	struct uromd_bytes ids;

	(void)state;
	uromd_workers_init(&workers);
	assert_null(uromd_workers_find(&workers, 0));
	assert_success(uromd_workers_get_group(&workers, 0, &nobody, &ids));
	assert_int_equal(ids.len, 0);
	uromd_bytes_fini(&ids);
}

static void check_group(const struct uromd_workers *workers, uint32_t group,
			const struct uromd_identity *viewer, const uint64_t *wanted, size_t n)
{
	struct uromd_bytes ids;
	struct wire_bytes left;
	struct wire_id id;

	assert_success(uromd_workers_get_group(workers, group, viewer, &ids));
	left = uromd_bytes_view(&ids);
	for (size_t i = 0; i < n; i++) {
		assert_true(wire_list_next(&left, &wire_id_message, &id));
		assert_int_equal(id.id, wanted[i]);
	}
	assert_false(wire_list_next(&left, &wire_id_message, &id));
	uromd_bytes_fini(&ids);
}

static void a_group_has_the_ready_workers_that_were_given_it(void **state)
{
	struct uromd_worker list[] = {
		{ .id = 1, .has_group = true, .group = 5, .state = UROMD_WORKER_READY },
		{ .id = 2, .has_group = false, .group = 0, .state = UROMD_WORKER_READY },
		{ .id = 3, .has_group = true, .group = 0, .state = UROMD_WORKER_READY },
		{ .id = 4, .has_group = true, .group = 5, .state = UROMD_WORKER_STARTING },
		{ .id = 5, .has_group = true, .group = 5, .state = UROMD_WORKER_ENDING },
		{ .id = UINT64_MAX - 1,
		  .has_group = true,
		  .group = 5,
		  .state = UROMD_WORKER_READY },
	};
	struct uromd_workers workers;

	(void)state;
	table_make(&workers, list, CORE_ARRAY_LEN(list));
	check_group(&workers, 5, &nobody, (const uint64_t[]){ 1, UINT64_MAX - 1 }, 2);
	check_group(&workers, 0, &nobody, (const uint64_t[]){ 3 }, 1);
	check_group(&workers, 6, &nobody, NULL, 0);
}

static void a_known_user_sees_his_own_workers_alone(void **state)
{
	struct uromd_worker list[] = {
		{ .id = 1, .has_group = true, .state = UROMD_WORKER_READY, .owner = alice },
		{ .id = 2, .has_group = true, .state = UROMD_WORKER_READY, .owner = bob },
		{ .id = 3, .has_group = true, .state = UROMD_WORKER_READY, .owner = root },
	};
	struct uromd_workers workers;

	(void)state;
	table_make(&workers, list, CORE_ARRAY_LEN(list));
	check_group(&workers, 0, &alice, (const uint64_t[]){ 1 }, 1);
	check_group(&workers, 0, &bob, (const uint64_t[]){ 2 }, 1);
	check_group(&workers, 0, &root, (const uint64_t[]){ 1, 2, 3 }, 3);
}

/* --- Joining --- */

static const struct uromd_worker running = {
	.plugins = 5,
	.has_group = true,
	.group = 3,
	.has_cpuset = true,
	.cpuset = { 6 },
	.label = "worker 7 (pid 1)",
};

static void check_join_of(const struct uromd_request *request,
			  const struct uromd_identity *identity, const struct uromd_worker *worker,
			  doca_error_t error, const char *part)
{
	struct uromd_failure failure = { .error = DOCA_SUCCESS };

	assert_error(uromd_request_check_join(request, identity, worker, &failure), error);
	if (error == DOCA_SUCCESS)
		return;
	assert_int_equal(failure.error, error);
	if (strstr(failure.reason, part) == NULL || strstr(failure.reason, "worker 7") == NULL)
		fail_msg("\"%s\" does not contain \"%s\"", failure.reason, part);
}

static void check_join(const struct uromd_request *request, const struct uromd_worker *worker,
		       doca_error_t error, const char *part)
{
	check_join_of(request, &nobody, worker, error, part);
}

static void what_a_worker_has_may_be_asked_for_again(void **state)
{
	const struct uromd_request bare = { .plugins = 1 };
	const struct uromd_request same = {
		.plugins = 5,
		.has_group = true,
		.group = 3,
		.has_cpuset = true,
		.cpuset = { 6 },
	};

	(void)state;
	check_join(&bare, &running, DOCA_SUCCESS, NULL);
	check_join(&same, &running, DOCA_SUCCESS, NULL);
}

static void what_a_worker_has_not_is_refused(void **state)
{
	const struct uromd_request other_group = { .plugins = 1, .has_group = true, .group = 4 };
	const struct uromd_request other_cpus = { .plugins = 1,
						  .has_cpuset = true,
						  .cpuset = { 2 } };
	const struct uromd_request more_plugins = { .plugins = 7 };

	(void)state;
	check_join(&other_group, &running, DOCA_ERROR_NOT_PERMITTED, "group 4");
	check_join(&other_cpus, &running, DOCA_ERROR_NOT_PERMITTED, "processor set");
	check_join(&more_plugins, &running, DOCA_ERROR_NOT_PERMITTED, "0x2");
}

static void a_worker_without_group_and_processors_has_none(void **state)
{
	const struct uromd_worker bare = { .plugins = 1, .label = "worker 7 (pid 1)" };
	const struct uromd_request group_0 = { .plugins = 1, .has_group = true, .group = 0 };
	const struct uromd_request cpus = { .plugins = 1, .has_cpuset = true };

	(void)state;
	check_join(&group_0, &bare, DOCA_ERROR_NOT_PERMITTED, "group 0");
	check_join(&cpus, &bare, DOCA_ERROR_NOT_PERMITTED, "processor set");
}

static void another_users_worker_is_refused(void **state)
{
	const struct uromd_request request = { .plugins = 1 };
	struct uromd_worker worker = running;

	(void)state;
	worker.owner = alice;
	check_join_of(&request, &alice, &worker, DOCA_SUCCESS, NULL);
	check_join_of(&request, &bob, &worker, DOCA_ERROR_NOT_PERMITTED, "another user");
	check_join_of(&request, &root, &worker, DOCA_ERROR_NOT_PERMITTED, "another user");
	check_join_of(&request, &nobody, &worker, DOCA_ERROR_NOT_PERMITTED, "another user");
	worker.owner = nobody;
	check_join_of(&request, &alice, &worker, DOCA_ERROR_NOT_PERMITTED, "another user");
}

static void an_environment_comes_too_late(void **state)
{
	const struct uromd_request request = { .plugins = 1, .environment = { .len = 7 } };

	(void)state;
	check_join(&request, &running, DOCA_ERROR_ALREADY_EXIST, "environment");
}

static void a_worker_has_a_limit_of_connections(void **state)
{
	const struct uromd_request request = { .plugins = 1 };
	struct uromd_worker crowded = running;

	(void)state;
	crowded.num_conns = UROMD_MAX_CONNS_PER_WORKER - 1;
	check_join(&request, &crowded, DOCA_SUCCESS, NULL);
	crowded.num_conns++;
	check_join(&request, &crowded, DOCA_ERROR_FULL, "connections");
}

/* --- The end --- */

static void ends_are_told_in_words(void **state)
{
	static const struct {
		int code;
		int status;
		const char *text;
	} rows[] = {
		{ CLD_EXITED, 0, "exited with status 0" },
		{ CLD_EXITED, 3, "exited with status 3" },
		{ CLD_KILLED, SIGKILL, "was killed by signal 9 (Killed)" },
		{ CLD_DUMPED, SIGSEGV,
		  "was killed by signal 11 (Segmentation fault), core dumped" },
		{ CLD_KILLED, 9999, "was killed by signal 9999 (unknown)" },
	};

	(void)state;
	for (size_t i = 0; i < CORE_ARRAY_LEN(rows); i++) {
		siginfo_t info = { .si_code = rows[i].code };
		char text[128];

		info.si_status = rows[i].status;
		assert_string_equal(uromd_reap_text(&info, text, sizeof(text)), rows[i].text);
	}
}

/* The page is a worker's, and so a plugin's, to write to. */
static void word_of_a_worker_that_is_none_is_nothing(void **state)
{
	static const uint32_t words[] = { 0, WIRE_NUM_CALLS, 0xff, 0x3eff, UINT32_MAX };
	const struct uromd_account own = uromd_account_own();
	struct uromd_plugins *plugins;
	struct uromd_call call;
	char text[UROMD_CALL_TEXT];
	uint32_t *word;
	sd_event *event;
	int fd;

	(void)state;
	assert_true(sd_event_new(&event) >= 0);
	assert_success(uromd_plugins_create(event, NULL, "/bin/false", &own, &plugins));
	fd = uromd_call_init(&call);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), -1);
	word = mmap(NULL, WIRE_CALL_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(word != MAP_FAILED);
	close(fd);
	for (size_t i = 0; i < CORE_ARRAY_LEN(words); i++) {
		*word = words[i];
		assert_string_equal(uromd_call_text(&call, plugins, 1, text),
				    "it was in none of its plugins ()");
		assert_false(uromd_call_is_inside(&call));
	}
	*word = wire_call_word(WIRE_CALL_PROGRESS, 0xff);
	assert_true(uromd_call_is_inside(&call));
	assert_string_equal(uromd_call_text(&call, plugins, 1, text),
			    "it was in progress of plugin ");
	assert_int_equal(munmap(word, WIRE_CALL_PAGE), 0);
	uromd_call_fini(&call);
	uromd_plugins_destroy(plugins);
	(void)sd_event_unref(event);
}

static void strangers_texts_are_cleaned_and_cut(void **state)
{
	const struct wire_bytes bytes = { "a\nb\x1b[1m\x7f\xc3\xa4", 10 };
	char text[16], narrow[4];

	(void)state;
	uromd_text_copy(text, sizeof(text), &bytes);
	assert_string_equal(text, "a?b?[1m?\xc3\xa4");
	uromd_text_copy(narrow, sizeof(narrow), &bytes);
	assert_string_equal(narrow, "a?b");
	uromd_text_copy(text, sizeof(text), &(struct wire_bytes){ NULL, 0 });
	assert_string_equal(text, "");
}

static void reasons_are_cut_to_what_a_message_holds(void **state)
{
	struct uromd_failure failure;
	char text[2 * WIRE_MAX_REASON];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_error(uromd_fail(&failure, DOCA_ERROR_FULL, "%s", text), DOCA_ERROR_FULL);
	assert_int_equal(strlen(failure.reason), WIRE_MAX_REASON);
	assert_int_equal(uromd_text(failure.reason).len, WIRE_MAX_REASON);
}

/* Not even for a start that does not fit: it is not the asker's to end. */
static void a_worker_of_another_user_does_not_give_way(void **state)
{
	struct uromd_worker worker = {
		.state = UROMD_WORKER_LINGERING,
		.owner = { .is_known = true, .uid = 1000 },
	};
	const struct uromd_identity other = { .is_known = true, .uid = 1001 };
	struct uromd_failure failure = { .reason = "no" };

	(void)state;
	assert_false(uromd_linger_gives_way(&worker, &other, &failure));
	assert_int_equal(worker.state, UROMD_WORKER_LINGERING);
	assert_string_equal(failure.reason, "no");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(workers_are_found_by_id),
		TEST(nothing_is_found_in_an_empty_table),
		TEST(a_group_has_the_ready_workers_that_were_given_it),
		TEST(a_known_user_sees_his_own_workers_alone),
		TEST(what_a_worker_has_may_be_asked_for_again),
		TEST(what_a_worker_has_not_is_refused),
		TEST(a_worker_without_group_and_processors_has_none),
		TEST(another_users_worker_is_refused),
		TEST(an_environment_comes_too_late),
		TEST(a_worker_has_a_limit_of_connections),
		TEST(ends_are_told_in_words),
		TEST(word_of_a_worker_that_is_none_is_nothing),
		TEST(strangers_texts_are_cleaned_and_cut),
		TEST(reasons_are_cut_to_what_a_message_holds),
		TEST(a_worker_of_another_user_does_not_give_way),
	};

	return cmocka_run_group_tests_name("daemon_workers", tests, NULL, NULL);
}
