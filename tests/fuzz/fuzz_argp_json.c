/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A JSON file of a stranger, given with -j to a program with a parameter of every kind. Whatever it
 * holds, it is taken or refused, and what callbacks get has the form that their type promises.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <doca_argp.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fd = -1;
static char path[64];

static void check(bool is_right)
{
	if (!is_right)
		abort();
}

/* Looks at all of the text. */
static doca_error_t on_text(void *value, void *config)
{
	check(config == &path && strlen(value) < 1024 * 1024);
	return DOCA_SUCCESS;
}

static doca_error_t on_number(void *value, void *config)
{
	int number = *(const int *)value;

	check(config == &path);
	/* A program that refuses some values. */
	return number == 13 ? DOCA_ERROR_INVALID_VALUE : DOCA_SUCCESS;
}

static doca_error_t on_flag(void *value, void *config)
{
	uint8_t flag = *(const uint8_t *)value;

	check(config == &path && flag <= 1);
	return DOCA_SUCCESS;
}

static doca_error_t on_object(void *value, void *config)
{
	const char *text = value;

	check(config == &path && text[0] == '{' && text[strlen(text) - 1] == '}');
	return DOCA_SUCCESS;
}

static const struct {
	const char *long_name;
	enum doca_argp_type type;
	bool is_multiple;
	doca_argp_param_cb_t callback;
} params[] = {
	{ "text", DOCA_ARGP_TYPE_STRING, false, on_text },
	{ "texts", DOCA_ARGP_TYPE_STRING, true, on_text },
	{ "number", DOCA_ARGP_TYPE_INT, false, on_number },
	{ "numbers", DOCA_ARGP_TYPE_INT, true, on_number },
	{ "flag", DOCA_ARGP_TYPE_BOOLEAN, false, on_flag },
	{ "flags", DOCA_ARGP_TYPE_BOOLEAN, true, on_flag },
	{ "object", DOCA_ARGP_TYPE_JSON_OBJ, false, on_object },
	{ "objects", DOCA_ARGP_TYPE_JSON_OBJ, true, on_object },
};

static void add_param(size_t i)
{
	struct doca_argp_param *param;

	check(doca_argp_param_create(&param) == DOCA_SUCCESS);
	doca_argp_param_set_long_name(param, params[i].long_name);
	doca_argp_param_set_type(param, params[i].type);
	doca_argp_param_set_description(param, "text");
	doca_argp_param_set_callback(param, params[i].callback);
	if (params[i].is_multiple)
		doca_argp_param_set_multiplicity(param);
	check(doca_argp_register_param(param) == DOCA_SUCCESS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* The usage would drown what the fuzzer says, which has its own way out. */
	stderr = fopen("/dev/null", "w");
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	check(stderr != NULL && fd >= 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "fuzz", json[] = "-j";
	char unreadable[] = "/";
	/* No bytes stand for a file that cannot be read. */
	char *argv[] = { name, json, size > 0 ? path : unreadable, NULL };
	doca_error_t result;

	check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	check(doca_argp_init("fuzz", &path) == DOCA_SUCCESS);
	for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++)
		add_param(i);
	result = doca_argp_start(3, argv);
	if (size == 0)
		check(result == DOCA_ERROR_IO_FAILED);
	else
		check(result == DOCA_SUCCESS || result == DOCA_ERROR_INVALID_VALUE);
	check(doca_argp_destroy() == DOCA_SUCCESS);
	return 0;
}
