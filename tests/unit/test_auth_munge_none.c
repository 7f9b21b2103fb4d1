/* SPDX-License-Identifier: BSD-3-Clause */

/* A build without libmunge: the method is known, and says that it is not there. */
#include <string.h>

#include "test.h"
#include "urom/auth/auth_munge.h"

static void munge_is_not_supported(void **state)
{
	const struct auth_context context = { .version = 1 };
	const struct wire_bytes credential = { "MUNGE:", 6 };
	uint8_t bytes[WIRE_MAX_PROOF];
	struct auth_verdict verdict;
	struct auth_reason reason;
	uint32_t len = 77;

	(void)state;
	assert_false(auth_munge_is_there());
	assert_error(auth_munge_encode(NULL, &context, 0, bytes, &len, &reason),
		     DOCA_ERROR_NOT_SUPPORTED);
	assert_int_equal(len, 0);
	assert_non_null(strstr(reason.text, "libmunge"));
	auth_munge_decode(NULL, &credential, &verdict);
	assert_error(auth_verdict_check(&verdict, &context, &reason), DOCA_ERROR_NOT_SUPPORTED);
	assert_non_null(strstr(reason.text, "libmunge"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(munge_is_not_supported),
	};

	return cmocka_run_group_tests_name("auth_munge_none", tests, NULL, NULL);
}
