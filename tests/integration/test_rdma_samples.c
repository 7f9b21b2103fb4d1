/* SPDX-License-Identifier: BSD-3-Clause */
/* The RDMA samples in pairs over the loopback interface; argument: how often, 3 unless given. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rdma_samples.h"
#include "test.h"

static int num_rounds = 3;

/* rdma traps 65, 68 */
static void run_all(const char *sockets, const char *gid_index, const char *transport)
{
	for (int i = 0; i < num_rounds; i++) {
		const struct sample_run run = {
			.sockets = sockets,
			.gid_index = gid_index,
			.transport = transport,
			.has_long_names = i % 2 != 0,
		};

		sample_run_pairs(&run);
	}
}

static void pairs_work_over_unix_sockets(void **state)
{
	(void)state;
	run_all("unix", "0", "RC");
}

static void pairs_work_over_ipv4(void **state)
{
	(void)state;
	run_all("tcp", "0", "RC");
}

static void pairs_work_over_ipv6(void **state)
{
	(void)state;
	run_all("tcp", "1", "RC");
}

static void pairs_work_with_dc(void **state)
{
	(void)state;
	run_all("unix", "0", "DC");
	run_all("tcp", "0", "DC");
}

/* One program alone, which must end with an error that says so. */
static void assert_fails(const char *const *argv, const char *keys, const char *mark)
{
	const struct sample_run run = { .sockets = "unix" };
	struct sample program;
	int status;

	sample_start(&program, argv, &run, 0);
	if (keys != NULL)
		assert_int_equal(write(program.keys, keys, strlen(keys)), (ssize_t)strlen(keys));
	close(program.keys);
	program.keys = dup(STDERR_FILENO); /* closed once more by end() */
	status = sample_end(&program);
	if (status == 0 || strstr(program.text, mark) == NULL)
		fail_msg("status %d, not about \"%s\": %s", status, mark, program.text);
}

/* Each says so, whichever comes first. */
static void mixed_transports_are_told(void **state)
{
	const char *const programs[] = { SAMPLES_DIR "/doca_rdma_receive",
					 SAMPLES_DIR "/doca_rdma_send" };
	const char *const flags[] = { "RC", "DC" };
	struct sample_place place;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct sample_run run = { .sockets = "unix" };
		struct sample receiver;

		sample_place_init(&place);
		sample_start(&receiver,
			     (const char *const[]){ programs[0], "-d", "soft_lo", "-tt", flags[i],
						    "-ld", place.descriptors[0], "-re",
						    place.descriptors[1], NULL },
			     &run, 0);
		sample_wait_for_file(place.descriptors[0]);
		assert_fails((const char *const[]){ programs[1], "-d", "soft_lo", "-tt",
						    flags[1 - i], "-ld", place.descriptors[1],
						    "-re", place.descriptors[0], NULL },
			     "\n", "the transports are mixed");
		close(receiver.keys);
		receiver.keys = dup(STDERR_FILENO); /* closed once more by end() */
		assert_int_not_equal(sample_end(&receiver), 0);
		sample_place_fini(&place);
	}
}

static void faults_of_the_user_are_told(void **state)
{
	const char *const program = SAMPLES_DIR "/doca_rdma_receive";
	struct sample_place place;
	FILE *file;

	(void)state;
	sample_place_init(&place);
	assert_fails((const char *const[]){ program, NULL }, NULL, "device");
	assert_fails((const char *const[]){ program, "-d", "none", NULL }, NULL, "none");
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-tt", "UD", NULL }, NULL,
		     "a transport type is RC or DC");
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-ld", place.descriptors[0],
					    "-re", place.descriptors[1], NULL },
		     "\n", "Failed to open the file");
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-ld", place.descriptors[0],
					    "-re", place.descriptors[1], NULL },
		     NULL, "the input has ended");
	file = fopen(place.descriptors[0], "w");
	assert_non_null(file);
	fclose(file);
	assert_fails((const char *const[]){ program, "-d", "soft_lo", "-ld", place.descriptors[0],
					    "-re", place.descriptors[1], NULL },
		     "\n", "already exists");
	assert_int_equal(unlink(place.descriptors[0]), 0);
	sample_place_fini(&place);
}

/* It has done all else that it has to, and is its own other side. */
static void a_stop_that_fails_fails_the_sample(void **state)
{
	struct sample_place place;

	(void)state;
	sample_place_init(&place);
	assert_int_equal(setenv("LD_PRELOAD", STOP_FAILS, 1), 0);
	assert_fails((const char *const[]){ SAMPLES_DIR "/doca_rdma_write_responder", "-d",
					    "soft_lo", "-ld", place.descriptors[0], "-re",
					    place.descriptors[0], "-m", place.resource, NULL },
		     "\n\n", "Sample finished with errors: unexpected");
	assert_int_equal(unsetenv("LD_PRELOAD"), 0);
	sample_place_fini(&place);
}

static void long_names_work_too(void **state)
{
	const struct sample_run run = { .sockets = "unix" };
	struct sample program;

	(void)state;
	sample_start(
	    &program,
	    (const char *const[]){ SAMPLES_DIR "/doca_rdma_write_requester", "--help", NULL }, &run,
	    0);
	assert_int_equal(sample_end(&program), 0);
	assert_non_null(strstr(program.text, "--local-descriptor-path"));
	assert_non_null(strstr(program.text, "--write-string"));
	assert_non_null(strstr(program.text, "--gid-index"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(pairs_work_over_unix_sockets), TEST(pairs_work_over_ipv4),
		TEST(pairs_work_over_ipv6),         TEST(pairs_work_with_dc),
		TEST(mixed_transports_are_told),    TEST(faults_of_the_user_are_told),
		TEST(long_names_work_too),          TEST(a_stop_that_fails_fails_the_sample),
	};

	if (argc > 1)
		num_rounds = atoi(argv[1]);
	(void)signal(SIGPIPE, SIG_IGN); /* a program that has ended takes no keys */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
