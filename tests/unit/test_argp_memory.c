/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each allocation of a whole life fails once, ours and those of the JSON library: an error comes
 * back, nothing leaks, and the parser can be used again.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "argp_rig.h"
#include "test.h"

enum allocator {
	OURS,
	JANSSON,
	NUM_ALLOCATORS,
};

/* Counts down to the allocation that fails. */
static long left[NUM_ALLOCATORS] = { LONG_MAX, LONG_MAX };

static bool may_allocate(enum allocator who)
{
	return left[who]-- != 0;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate(OURS) ? __real_calloc(count, size) : NULL;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate(OURS) ? __real_malloc(size) : NULL;
}

char *__wrap_strdup(const char *text)
{
	return may_allocate(OURS) ? __real_strdup(text) : NULL;
}

static void *json_malloc(size_t size)
{
	return may_allocate(JANSSON) ? __real_malloc(size) : NULL;
}

static doca_error_t on_value(void *value, void *opaque)
{
	(void)value;
	(void)opaque;
	return DOCA_SUCCESS;
}

static doca_error_t on_call(void *opaque)
{
	(void)opaque;
	return DOCA_SUCCESS;
}

static doca_error_t on_dpdk(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return DOCA_SUCCESS;
}

static doca_error_t make_param(const char *long_name, enum doca_argp_type type,
			       struct doca_argp_param **param)
{
	doca_error_t result = doca_argp_param_create(param);

	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_param_set_long_name(*param, long_name);
	doca_argp_param_set_arguments(*param, "<x>");
	doca_argp_param_set_description(*param, "text");
	doca_argp_param_set_callback(*param, on_value);
	doca_argp_param_set_type(*param, type);
	return DOCA_SUCCESS;
}

static doca_error_t add_param(const char *long_name, enum doca_argp_type type)
{
	struct doca_argp_param *param;
	doca_error_t result = make_param(long_name, type, &param);

	return result != DOCA_SUCCESS ? result : doca_argp_register_param(param);
}

static doca_error_t add_cmd(void)
{
	struct doca_argp_cmd *cmd;
	doca_error_t result = doca_argp_cmd_create(&cmd);

	if (result != DOCA_SUCCESS)
		return result;
	doca_argp_cmd_set_name(cmd, "run");
	doca_argp_cmd_set_description(cmd, "text");
	return doca_argp_register_cmd(cmd);
}

static doca_error_t add_all(void)
{
	doca_error_t result = add_param("text", DOCA_ARGP_TYPE_STRING);

	if (result == DOCA_SUCCESS)
		result = add_param("object", DOCA_ARGP_TYPE_JSON_OBJ);
	if (result == DOCA_SUCCESS)
		result = add_param("other", DOCA_ARGP_TYPE_STRING);
	if (result == DOCA_SUCCESS)
		result = add_cmd();
	if (result == DOCA_SUCCESS)
		result = doca_argp_register_validation_callback(on_call);
	if (result == DOCA_SUCCESS)
		doca_argp_set_dpdk_program(on_dpdk);
	return result;
}

static const char json[] = "{\"object\":{\"a\":[1,\"x\"]},\"other\":\"y\",\"log-level\":50}";

static doca_error_t live(void)
{
	doca_error_t result = doca_argp_init("rig", NULL);
	char line[100];

	if (result != DOCA_SUCCESS)
		return result;
	result = add_all();
	(void)snprintf(line, sizeof(line), "-c -- -j %s --text=abc run",
		       rig_json(json, strlen(json)));
	if (result == DOCA_SUCCESS)
		result = rig_start(line);
	rig_fini();
	return result;
}

/* Lives until nothing fails any more; check judges the other results. Returns how often. */
static long live_on(enum allocator who, void (*check)(doca_error_t result))
{
	uint32_t before = doca_log_level_get_global_lower_limit();
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	long count;

	for (count = 0; result != DOCA_SUCCESS && count < 1000; count++) {
		left[who] = count;
		result = live();
		left[who] = LONG_MAX;
		if (result != DOCA_SUCCESS)
			check(result);
	}
	assert_success(result);
	assert_success(doca_log_level_set_global_lower_limit(before));
	return count;
}

/* A setter has no result: the registration tells of what it could not do, with a line. */
static void check_ours(doca_error_t result)
{
	if (test_num_logged() > 0)
		test_take_log("it lacks");
	if (result != DOCA_ERROR_INITIALIZATION)
		assert_error(result, DOCA_ERROR_NO_MEMORY);
}

static void every_allocation_of_ours_may_fail(void **state)
{
	(void)state;
	assert_true(live_on(OURS, check_ours) > 40);
}

/* The library does not tell a token that it had no room for from a wrong one. */
static void check_jansson(doca_error_t result)
{
	if (result != DOCA_ERROR_INVALID_VALUE)
		assert_error(result, DOCA_ERROR_NO_MEMORY);
}

static void every_allocation_of_the_json_library_may_fail(void **state)
{
	(void)state;
	json_set_alloc_funcs(json_malloc, free);
	assert_true(live_on(JANSSON, check_jansson) > 10);
	json_set_alloc_funcs(malloc, free);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_allocation_of_ours_may_fail),
		TEST(every_allocation_of_the_json_library_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
