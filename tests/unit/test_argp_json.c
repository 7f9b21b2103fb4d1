/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON files for a program with 40 parameters, each with what the program hears of it or how it is
 * refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argp/argp.h"
#include "argp_rig.h"
#include "test.h"

#define GOOD(line, json, notes)                 \
	{                                       \
		line, json, DOCA_SUCCESS, notes \
	}
#define BAD(line, json, part)                              \
	{                                                  \
		line, json, DOCA_ERROR_INVALID_VALUE, part \
	}

static void keys_are_long_names_flat_or_in_sections(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("", "{\"device\":\"a\"}", "device=a"),
		GOOD("", "{\"port\":5,\"device\":\"a\",\"fast\":true}", "port=5 device=a fast=1"),
		GOOD("", "{\"doca_program_flags\":{\"device\":\"a\",\"size\":7}}",
		     "device=a size=7"),
		GOOD("",
		     "{\"doca_general_flags\":{\"log-level\":50},"
		     "\"doca_program_flags\":{\"device\":\"a\"}}",
		     "device=a"),
		GOOD("", "{\"doca_program_flags\":{\"device\":\"a\"},\"doca_general_flags\":{}}",
		     "device=a"),
		GOOD("", "{\"device\":\"a\",\"log-level\":\"info\"}", "device=a"),
		GOOD("-d a", "{}", "device=a"),
		GOOD("-d a", "{\"doca_general_flags\":{}}", "device=a"),
		BAD("-d a", "{\"d\":\"a\"}", "unknown key \"d\""),
		BAD("-d a", "{\"--device\":\"a\"}", "unknown key \"--device\""),
		BAD("-d a", "{\"sizes\":1}", "unknown key \"sizes\""),
		BAD("-d a", "{\"\":1}", "unknown key \"\""),
		BAD("-d a", "{\"os\":\"x\"}", "unknown key \"os\""),
		BAD("-d a", "{\"help\":true}", "unknown key \"help\""),
		BAD("-d a", "{\"version\":true}", "unknown key \"version\""),
		BAD("-d a", "{\"json\":\"/dev/null\"}", "unknown key \"json\""),
		BAD("-d a", "{\"token\":\"secret\"}", "unknown key \"token\""),
		BAD("-d a", "{\"doca_program_flags\":{\"log-level\":50}}",
		    "unknown key \"log-level\""),
		BAD("-d a", "{\"doca_general_flags\":{\"size\":5}}", "unknown key \"size\""),
		BAD("-d a", "{\"doca_program_flags\":{},\"size\":5}", "unknown key \"size\""),
		BAD("-d a", "{\"doca_program_flags\":5}",
		    "\"doca_program_flags\" is not an object"),
		BAD("-d a", "{\"doca_general_flags\":[]}",
		    "\"doca_general_flags\" is not an object"),
		BAD("-d a", "{\"doca_program_flags\":{\"doca_general_flags\":{}}}", "unknown key"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void values_have_the_type_of_their_parameter(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a", "{\"message\":\"\"}", "message= device=a"),
		GOOD("-d a", "{\"message\":\"-d \\u00e4\\n\"}", "message=-d \xc3\xa4\n device=a"),
		GOOD("-d a", "{\"size\":-2147483648,\"offset\":2147483647}",
		     "size=-2147483648 offset=2147483647 device=a"),
		GOOD("-d a", "{\"fast\":false}", "fast=0 device=a"),
		GOOD("-d a", "{\"graph\":{\"b\" : [1, 2.5, null], \"a\":{\"x\":\"y\"}}}",
		     "graph={\"b\":[1,2.5,null],\"a\":{\"x\":\"y\"}} device=a"),
		GOOD("-d a", "{\"extra\":{}}", "extra={} device=a"),
		BAD("-d a", "{\"message\":5}", "\"message\" is not a string"),
		BAD("-d a", "{\"message\":null}", "\"message\" is not a string"),
		BAD("-d a", "{\"message\":[\"x\"]}", "\"message\" is not a string"),
		BAD("-d a", "{\"message\":\"a\\u0000b\"}", "line 1, column"),
		BAD("-d a", "{\"size\":\"5\"}", "\"size\" is not a whole number"),
		BAD("-d a", "{\"size\":5.0}", "\"size\" is not a whole number"),
		BAD("-d a", "{\"size\":2147483648}", "\"size\" is not a whole number"),
		BAD("-d a", "{\"size\":-2147483649}", "\"size\" is not a whole number"),
		BAD("-d a", "{\"size\":99999999999999999999}", "line 1, column"),
		BAD("-d a", "{\"size\":true}", "\"size\" is not a whole number"),
		BAD("-d a", "{\"fast\":1}", "\"fast\" is not true or false"),
		BAD("-d a", "{\"fast\":\"true\"}", "\"fast\" is not true or false"),
		BAD("-d a", "{\"graph\":[]}", "\"graph\" is not a JSON object"),
		BAD("-d a", "{\"graph\":\"{}\"}", "\"graph\" is not a JSON object"),
		BAD("-d a", "{\"log-level\":55}", "\"log-level\" is not a log level"),
		BAD("-d a", "{\"log-level\":\"loud\"}", "\"log-level\" is not a log level"),
		BAD("-d a", "{\"log-level\":true}", "\"log-level\" is not a log level"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void several_values_are_an_array(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d a", "{\"file\":[\"x\",\"y\"],\"number\":[3],\"debug\":[true,false]}",
		     "file=x file=y number=3 debug=1 debug=0 device=a"),
		GOOD("-d a", "{\"stage\":[{\"n\":1},{\"n\":2}]}",
		     "stage={\"n\":1} stage={\"n\":2} device=a"),
		GOOD("-d a", "{\"file\":[]}", "device=a"),
		BAD("-d a", "{\"file\":\"x\"}", "\"file\" is not an array"),
		BAD("-d a", "{\"file\":[\"x\",5]}", "\"file\" is not a string"),
		BAD("-d a", "{\"number\":[1,[2]]}", "\"number\" is not a whole number"),
		BAD("-d a", "{\"number\":{\"0\":1}}", "\"number\" is not an array"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void the_command_line_beats_the_file(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("-d b", "{\"device\":\"a\",\"port\":1}", "port=1 device=b"),
		GOOD("-d b -f", "{\"fast\":false}", "device=b fast=1"),
		GOOD("-d b -i z", "{\"file\":[\"x\",\"y\"]}", "device=b file=z"),
		GOOD("-d b -p 2", "{\"port\":1,\"size\":3}", "size=3 device=b port=2"),
		BAD("-d b -p 2", "{\"port\":\"1\"}", "\"port\" is not a whole number"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void the_rules_hold_for_both_sources_together(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("", "{\"list\":true}", "list=1"),
		GOOD("", "{\"show\":[\"a\",\"b\"]}", "show=a show=b"),
		BAD("", "{}", "--device is missing"),
		BAD("", "{\"doca_program_flags\":{\"port\":5}}", "--device is missing"),
		BAD("", "{\"list\":true,\"port\":5}",
		    "--port cannot be given together with --list"),
		BAD("-d a", "{\"list\":true}", "--device cannot be given together with --list"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void what_is_no_json_is_refused_with_its_place(void **state)
{
	static const struct rig_row rows[] = {
		BAD("-d a", "", "line 1, column 0"),
		BAD("-d a", "{\n\"size\": 5,\n}", "line 3, column 1"),
		BAD("-d a", "{\"size\": 5", "line 1, column 10"),
		BAD("-d a", "{\"size\": 05}", "line 1, column"),
		BAD("-d a", "{size: 5}", "line 1, column 5"),
		BAD("-d a", "{\"size\": 5} x", "line 1, column 13"),
		BAD("-d a", "{\"size\": 5}{}", "line 1, column"),
		BAD("-d a", "{\"size\": 1,\n \"size\": 2}", "line 2"),
		BAD("-d a", "{\"message\": \"\xff\"}", "line 1, column"),
		BAD("-d a", "\xef\xbb\xbf{}", "line 1, column"),
		BAD("-d a", "[]", "holds no object"),
		BAD("-d a", "5", "line 1, column"),
		BAD("-d a", "{\"size\": /* no */ 5}", "line 1, column"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

static void comments_run_from_two_slashes_to_the_end_of_the_line(void **state)
{
	static const struct rig_row rows[] = {
		GOOD("", "{\n// -d - the device\n\"device\":\"a\" // \"here\n}", "device=a"),
		GOOD("", "// {\n{\"device\":\"//a\"}//", "device=//a"),
		GOOD("", "{\"device\":\"\\\"//a\"} // \"", "device=\"//a"),
		GOOD("", "{\"device\":\"\\\\\"//a\n}", "device=\\"),
		BAD("-d a", "{} /", "line 1, column 4"),
		BAD("-d a", "{ // }", "line 1, column 6"),
		BAD("-d a", "{ // x\n  y }", "line 2, column 3"),
	};

	(void)state;
	RIG_EXPECT(rows);
}

/* Starts the program with a file of so many bytes: an object, and blanks. */
static doca_error_t start_with_bytes(size_t len)
{
	char *content = malloc(len);
	doca_error_t result;
	char line[100];

	assert_non_null(content);
	memset(content, ' ', len);
	content[0] = '{';
	content[len - 1] = '}';
	(void)snprintf(line, sizeof(line), "-d a -j %s", rig_json(content, len));
	free(content);
	result = rig_start(line);
	return result;
}

static void a_file_has_at_most_one_mebibyte(void **state)
{
	(void)state;
	rig_init();
	assert_success(start_with_bytes(1024 * 1024));
	assert_error(start_with_bytes(1024 * 1024 + 1), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("is larger than 1048576 bytes");
	assert_error(rig_start("-d a -j /dev/zero"), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("/dev/zero is larger");
	rig_fini();
}

static void nesting_is_bounded(void **state)
{
	enum {
		DEPTH = 100000
	};
	char *content = malloc(2 * DEPTH + 20);
	char line[100];
	size_t len;

	(void)state;
	assert_non_null(content);
	len = (size_t)sprintf(content, "{\"graph\":{\"x\":");
	memset(content + len, '[', DEPTH);
	memset(content + len + DEPTH, ']', DEPTH);
	memcpy(content + len + (size_t)2 * DEPTH, "}}", 2);
	rig_init();
	(void)snprintf(line, sizeof(line), "-d a -j %s", rig_json(content, len + 2 * DEPTH + 2));
	assert_error(rig_start(line), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("line 1, column");
	rig_fini();
	free(content);
}

static void a_nul_byte_is_no_end(void **state)
{
	static const char content[] = "{\"device\":\"a\"}\0{";
	char line[100];

	(void)state;
	rig_init();
	(void)snprintf(line, sizeof(line), "-j %s", rig_json(content, sizeof(content)));
	assert_error(rig_start(line), DOCA_ERROR_INVALID_VALUE);
	rig_check_refusal("line 1, column");
	rig_fini();
}

/* Who starts "program -j <(command)" gives a pipe, which comes in pieces. */
static void a_file_may_be_a_pipe(void **state)
{
	static const char first[] = "{\"device\":", second[] = "\"a\"}";
	char line[100];
	int ends[2];

	(void)state;
	rig_init();
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], first, strlen(first)), strlen(first));
	assert_int_equal(write(ends[1], second, strlen(second)), strlen(second));
	close(ends[1]);
	(void)snprintf(line, sizeof(line), "-j /dev/fd/%d", ends[0]);
	assert_success(rig_start(line));
	assert_string_equal(rig.notes, "device=a ");
	close(ends[0]);
	rig_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keys_are_long_names_flat_or_in_sections),
		TEST(values_have_the_type_of_their_parameter),
		TEST(several_values_are_an_array),
		TEST(the_command_line_beats_the_file),
		TEST(the_rules_hold_for_both_sources_together),
		TEST(what_is_no_json_is_refused_with_its_place),
		TEST(comments_run_from_two_slashes_to_the_end_of_the_line),
		TEST(a_file_has_at_most_one_mebibyte),
		TEST(nesting_is_bounded),
		TEST(a_nul_byte_is_no_end),
		TEST(a_file_may_be_a_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
