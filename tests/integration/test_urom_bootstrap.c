/* SPDX-License-Identifier: BSD-3-Clause */
/* The sample with four workers, run as a user does, on a real daemon with the graph plugin. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "test.h"
#include "urom_host.h"
#include "urom_procs.h"
#include "urom_rig.h"

#define SAMPLE      SAMPLES_DIR "/doca_urom_multi_workers_bootstrap"
#define NUM_WORKERS 4u
#define SETTLE_MS   500
#define IDLE_MS     2000
#define IS_UP       "all 4 workers are up; Ctrl-C ends them\n"
#define ENDED_WELL  "urom_multi_workers_bootstrap ended well\n"
#define FAILED      "urom_multi_workers_bootstrap failed: "

static const char *const once[] = { SAMPLE, "--once", NULL };
static const char *const until_interrupted[] = { SAMPLE, NULL };

/* The daemon offers eight processors, whatever the machine has. */
static const char *const eight_processors[] = { "--cpuset", "0-7", NULL };

/* A daemon with the test plugin, under its own name, and with the graph plugin. */
static void start_rig(struct urom_rig *rig, const char *const *args)
{
	static struct urom_rig_options options;

	options = (struct urom_rig_options){ .args = args };
	urom_rig_init_stopped(rig, &options);
	urom_rig_copy(rig, WORKER_GRAPH, "plugins/worker_graph.so");
	urom_rig_start(rig);
}

static void run_well(struct program *sample, const char *const *argv)
{
	int status = program_run(sample, argv, NULL);

	if (status != EXIT_SUCCESS || sample->err[0] != '\0')
		fail_msg("status %d: %s%s", status, sample->out, sample->err);
}

/* It fails, and says so and why on standard error. */
static void check_failed(const struct program *sample, int status, const char *why)
{
	const char *const marks[] = { why, FAILED, NULL };

	assert_int_equal(status, EXIT_FAILURE);
	program_check_marks(sample->err, marks);
	assert_null(strstr(sample->out, ENDED_WELL));
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int found = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		found++;
	return found;
}

static void check_loopbacks(const struct program *sample)
{
	char line[64];

	assert_int_equal(count(sample->out, "received loopback data"), NUM_WORKERS);
	for (unsigned int i = 0; i < NUM_WORKERS; i++) {
		(void)snprintf(line, sizeof(line), "worker %u received loopback data %u\n", i,
			       1000 + i);
		assert_int_equal(count(sample->out, line), 1);
	}
}

static void check_groups(const struct program *sample)
{
	const char *const marks[] = { "group 0 has workers 0 2\n", "group 1 has workers 1 3\n",
				      NULL };

	program_check_marks(sample->out, marks);
}

/* trap 32 */
static void sample_shows_plugins_loopbacks_and_groups(void **state)
{
	const char *const plugins[] = { "found plugin worker_graph, version 1, id 0x", ENDED_WELL,
					NULL };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, eight_processors);
	run_well(&sample, once);
	program_check_marks(sample.out, plugins);
	check_loopbacks(&sample);
	check_groups(&sample);
	for (unsigned int i = 0; i < NUM_WORKERS; i++) {
		char line[64];

		(void)snprintf(line, sizeof(line), "worker %u is running on processor %u\n", i, i);
		assert_int_equal(count(sample.out, line), 1);
	}
	urom_rig_wait_workers(&rig, 0);
	urom_rig_fini(&rig);
}

static void sample_can_be_run_again_and_again(void **state)
{
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, eight_processors);
	for (unsigned int i = 0; i < 5; i++) {
		run_well(&sample, once);
		check_loopbacks(&sample);
	}
	urom_rig_fini(&rig);
}

static void sample_takes_processors_that_the_service_has(void **state)
{
	const char *const args[] = { "--cpuset", "1,3,5,7", NULL };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, args);
	run_well(&sample, once);
	assert_int_equal(count(sample.out, "worker 0 is running on processor 1\n"), 1);
	assert_int_equal(count(sample.out, "worker 3 is running on processor 7\n"), 1);
	urom_rig_fini(&rig);
}

static void check_ends_by(int signal_number)
{
	static struct program sample;
	struct urom_rig rig;

	start_rig(&rig, eight_processors);
	program_start(&sample, until_interrupted, NULL);
	program_wait_for(&sample, IS_UP);
	check_loopbacks(&sample);
	check_groups(&sample);
	urom_rig_wait_workers(&rig, NUM_WORKERS);
	assert_int_equal(kill(sample.pid, signal_number), 0);
	assert_int_equal(program_wait(&sample), EXIT_SUCCESS);
	assert_string_equal(sample.err, "");
	assert_int_equal(count(sample.out, ENDED_WELL), 1);
	urom_rig_wait_workers(&rig, 0);
	urom_rig_fini(&rig);
}

static void ctrl_c_ends_the_sample_and_its_workers(void **state)
{
	(void)state;
	check_ends_by(SIGINT);
}

static void sigterm_ends_it_too(void **state)
{
	(void)state;
	check_ends_by(SIGTERM);
}

/* A shell script starts its background jobs like that. */
static void ctrl_c_ends_a_sample_that_was_started_with_it_ignored(void **state)
{
	(void)state;
	assert_ptr_not_equal(signal(SIGINT, SIG_IGN), SIG_ERR);
	check_ends_by(SIGINT);
	assert_ptr_not_equal(signal(SIGINT, SIG_DFL), SIG_ERR);
}

/* What the sample, the daemon and its workers have used so far. */
static uint64_t used_by_all(const struct program *sample, const struct urom_rig *rig)
{
	pid_t workers[UROM_PROCS_MAX];
	uint64_t used = urom_procs_cpu_ns(sample->pid) + urom_procs_cpu_ns(rig->daemon);
	size_t num_workers = urom_procs_children(rig->daemon, UROM_RIG_WORKER, workers);

	assert_int_equal(num_workers, NUM_WORKERS);
	for (size_t i = 0; i < num_workers; i++)
		used += urom_procs_cpu_ns(workers[i]);
	return used;
}

/* trap 74: less than a twentieth of one processor, all of them together */
static void all_sleep_while_nothing_happens(void **state)
{
	static struct program sample;
	struct urom_rig rig;
	uint64_t used, began;

	(void)state;
	start_rig(&rig, eight_processors);
	program_start(&sample, until_interrupted, NULL);
	program_wait_for(&sample, IS_UP);
	/* Nothing becomes readable here: it is the time that counts. */
	(void)test_is_readable(-1, SETTLE_MS);
	began = test_now_ns();
	used = used_by_all(&sample, &rig);
	(void)test_is_readable(-1, IDLE_MS);
	used = used_by_all(&sample, &rig) - used;
	assert_in_range(used * 20, 0, test_now_ns() - began);
	assert_int_equal(kill(sample.pid, SIGINT), 0);
	assert_int_equal(program_wait(&sample), EXIT_SUCCESS);
	urom_rig_fini(&rig);
}

static void worker_that_dies_ends_the_sample_with_an_error(void **state)
{
	static struct program sample;
	pid_t workers[UROM_PROCS_MAX];
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, eight_processors);
	program_start(&sample, until_interrupted, NULL);
	program_wait_for(&sample, IS_UP);
	assert_int_equal(urom_procs_children(rig.daemon, UROM_RIG_WORKER, workers), NUM_WORKERS);
	assert_int_equal(kill(workers[0], SIGKILL), 0);
	check_failed(&sample, program_wait(&sample), " has gone\n");
	urom_rig_wait_workers(&rig, 0);
	urom_logs_take_all(&rig.logs, "worker");
	urom_rig_fini(&rig);
}

static void daemon_that_dies_ends_the_sample_with_an_error(void **state)
{
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, eight_processors);
	program_start(&sample, until_interrupted, NULL);
	program_wait_for(&sample, IS_UP);
	assert_int_equal(kill(rig.daemon, SIGKILL), 0);
	check_failed(&sample, program_wait(&sample), " has gone\n");
	urom_rig_kill(&rig); /* last, as it waits for any child */
	urom_rig_fini(&rig);
}

/* One of the ids runs already, without the plugin: that thread fails, and so the others end. */
static void thread_that_fails_makes_the_others_end(void **state)
{
	static struct program sample;
	struct urom_host host;
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, eight_processors);
	urom_host_init_running(&host);
	(void)urom_host_run_worker(&host, 2);
	check_failed(&sample, program_run(&sample, until_interrupted, NULL),
		     "cannot start the worker");
	assert_int_equal(count(sample.out, "worker 2 is running"), 0);
	urom_rig_wait_workers(&rig, 1);
	urom_host_fini(&host);
	urom_logs_take_all(&rig.logs, "worker 2");
	urom_rig_fini(&rig);
}

static void too_few_processors_are_an_error_that_names_the_remedy(void **state)
{
	const char *const args[] = { "--cpuset", "0-2", NULL };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	start_rig(&rig, args);
	check_failed(&sample, program_run(&sample, once, NULL),
		     "offers 3 processors, 4 are needed: start its daemon with --cpuset 0-7");
	urom_rig_fini(&rig);
}

static void service_without_the_plugin_is_an_error(void **state)
{
	static const struct urom_rig_options options = { .args = eight_processors };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_failed(&sample, program_run(&sample, once, NULL),
		     "the service has no plugin worker_graph");
	urom_rig_fini(&rig);
}

static void plugin_of_another_version_is_an_error(void **state)
{
	static const char *const plugins[] = { "worker_graph", NULL };
	static const struct urom_rig_options options = { .args = eight_processors,
							 .plugins = plugins };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	urom_rig_init(&rig, &options);
	check_failed(&sample, program_run(&sample, once, NULL),
		     "the plugin of the service has version 7, this program's has 1");
	urom_rig_fini(&rig);
}

static void service_file_that_is_missing_is_an_error(void **state)
{
	const char *const env[] = { "DOCA_UROM_SERVICE_FILE", NULL };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	check_failed(&sample, program_run(&sample, once, env), "DOCA_UROM_SERVICE_FILE");
	urom_rig_fini(&rig);
}

static void daemon_that_does_not_run_is_an_error(void **state)
{
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	check_failed(&sample, program_run(&sample, once, NULL), "cannot start the service");
	urom_rig_fini(&rig);
}

static void device_that_is_not_there_is_an_error(void **state)
{
	const char *const argv[] = { SAMPLE, "-d", "mlx5_9", NULL };
	static struct program sample;
	struct urom_rig rig;

	(void)state;
	urom_rig_init_stopped(&rig, NULL);
	check_failed(&sample, program_run(&sample, argv, NULL), "there is no device mlx5_9");
	urom_rig_fini(&rig);
}

static void sample_helps(void **state)
{
	const char *const argv[] = { SAMPLE, "-h", NULL };
	const char *const marks[] = { "-d, --device", "mlx5_0", "--once", NULL };
	static struct program sample;

	(void)state;
	run_well(&sample, argv);
	program_check_marks(sample.out, marks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sample_shows_plugins_loopbacks_and_groups),
		TEST(sample_can_be_run_again_and_again),
		TEST(sample_takes_processors_that_the_service_has),
		TEST(ctrl_c_ends_the_sample_and_its_workers),
		TEST(sigterm_ends_it_too),
		TEST(ctrl_c_ends_a_sample_that_was_started_with_it_ignored),
		TEST(all_sleep_while_nothing_happens),
		TEST(worker_that_dies_ends_the_sample_with_an_error),
		TEST(daemon_that_dies_ends_the_sample_with_an_error),
		TEST(thread_that_fails_makes_the_others_end),
		TEST(too_few_processors_are_an_error_that_names_the_remedy),
		TEST(service_without_the_plugin_is_an_error),
		TEST(plugin_of_another_version_is_an_error),
		TEST(service_file_that_is_missing_is_an_error),
		TEST(daemon_that_does_not_run_is_an_error),
		TEST(device_that_is_not_there_is_an_error),
		TEST(sample_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
