/* SPDX-License-Identifier: BSD-3-Clause */
/* What a channel over UCX makes of the application's UCX variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/export.h"
#include "test.h"
#include "urom/chan/chan_ucx.h"

/* Are there resources of a transport in a context that is made now? */
static bool has(const char *transport)
{
	const struct chan_config config = { .max_body = 4096 };
	ucp_context_h context;
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	char part[32];
	bool is_found;

	assert_non_null(memory);
	assert_success(chan_ucx_context_create(&config, &context));
	ucp_context_print_info(context, memory);
	ucp_cleanup(context);
	fclose(memory);
	(void)snprintf(part, sizeof(part), " %s/", transport);
	is_found = strstr(text, part) != NULL;
	free(text);
	return is_found;
}

static void tcp_is_there_whatever_the_variable_says(void **state)
{
	static const char *const values[] = { "all", "^tcp",    "sm",  "sysv,self",
					      "^sm", "^sm,tcp", "tcp", "^tcp,sm" };

	(void)state;
	assert_true(has("tcp"));
	for (size_t i = 0; i < CORE_ARRAY_LEN(values); i++) {
		assert_int_equal(setenv("UCX_TLS", values[i], 1), 0);
		if (!has("tcp"))
			fail_msg("not with UCX_TLS=%s", values[i]);
		assert_string_equal(getenv("UCX_TLS"), values[i]);
	}
	assert_int_equal(unsetenv("UCX_TLS"), 0);
}

/* One who is killed at the wrong moment leaves a file of posix behind for good. */
static void posix_is_left_out_unless_somebody_asks_for_it(void **state)
{
	static const char *const values[] = { "all", "sm", "posix", "posix,tcp", "^sysv" };

	(void)state;
	assert_int_equal(unsetenv("UCX_TLS"), 0);
	assert_false(has("posix"));
	assert_true(has("sysv"));
	for (size_t i = 0; i < CORE_ARRAY_LEN(values); i++) {
		assert_int_equal(setenv("UCX_TLS", values[i], 1), 0);
		if (!has("posix"))
			fail_msg("not with UCX_TLS=%s", values[i]);
	}
	assert_int_equal(unsetenv("UCX_TLS"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tcp_is_there_whatever_the_variable_says),
		TEST(posix_is_left_out_unless_somebody_asks_for_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
