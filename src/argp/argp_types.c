/* SPDX-License-Identifier: BSD-3-Clause */
#include "argp/argp.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/export.h"
#include "core/log_level.h"

static doca_error_t copy_text(const char *text, struct argp_value *value)
{
	value->text = strdup(text);
	return value->text != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t string_from_json(const json_t *json, struct argp_value *value)
{
	if (!json_is_string(json))
		return DOCA_ERROR_INVALID_VALUE;
	return copy_text(json_string_value(json), value);
}

/* strtol() alone would take blanks, a plus, octal numbers, and an empty text for 0. */
static doca_error_t number_from_text(const char *text, struct argp_value *value)
{
	const char *digits = text + (text[0] == '-');
	bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;
	long number;

	if (is_hex ? !isxdigit((unsigned char)digits[2]) : !isdigit((unsigned char)digits[0]))
		return DOCA_ERROR_INVALID_VALUE;
	errno = 0;
	number = strtol(text, &end, is_hex ? 16 : 10);
	if (errno != 0 || *end != '\0' || number < INT_MIN || number > INT_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	value->number = (int)number;
	return DOCA_SUCCESS;
}

static doca_error_t number_from_json(const json_t *json, struct argp_value *value)
{
	json_int_t number = json_integer_value(json);

	if (!json_is_integer(json) || number < INT_MIN || number > INT_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	value->number = (int)number;
	return DOCA_SUCCESS;
}

/* On the command line the flag itself is the value. */
static doca_error_t flag_from_text(const char *text, struct argp_value *value)
{
	(void)text;
	value->flag = true;
	return DOCA_SUCCESS;
}

static doca_error_t flag_from_json(const json_t *json, struct argp_value *value)
{
	if (!json_is_boolean(json))
		return DOCA_ERROR_INVALID_VALUE;
	value->flag = json_is_true(json);
	return DOCA_SUCCESS;
}

static doca_error_t object_from_json(const json_t *json, struct argp_value *value)
{
	if (!json_is_object(json))
		return DOCA_ERROR_INVALID_VALUE;
	value->text = json_dumps(json, JSON_COMPACT);
	return value->text != NULL ? DOCA_SUCCESS : DOCA_ERROR_NO_MEMORY;
}

static doca_error_t level_check(const struct argp_value *value)
{
	if (value->number < 0 || !core_log_level_is_known((uint32_t)value->number))
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_SUCCESS;
}

static doca_error_t level_from_text(const char *text, struct argp_value *value)
{
	uint32_t level;

	if (core_log_level_from_text(text, &level)) {
		value->number = (int)level;
		return DOCA_SUCCESS;
	}
	if (number_from_text(text, value) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	return level_check(value);
}

static doca_error_t level_from_json(const json_t *json, struct argp_value *value)
{
	if (json_is_string(json))
		return level_from_text(json_string_value(json), value);
	if (number_from_json(json, value) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	return level_check(value);
}

bool argp_type_is_number(const char *text)
{
	struct argp_value value;

	return number_from_text(text, &value) == DOCA_SUCCESS;
}

static const struct argp_type types[] = {
	[DOCA_ARGP_TYPE_STRING] = {
		.what = "a string",
		.placeholder = "<text>",
		.is_text = true,
		.from_text = copy_text,
		.from_json = string_from_json,
	},
	[DOCA_ARGP_TYPE_INT] = {
		.what = "a whole number that fits an int",
		.placeholder = "<number>",
		.from_text = number_from_text,
		.from_json = number_from_json,
	},
	[DOCA_ARGP_TYPE_BOOLEAN] = {
		.what = "true or false",
		.from_text = flag_from_text,
		.from_json = flag_from_json,
	},
	[DOCA_ARGP_TYPE_JSON_OBJ] = {
		.what = "a JSON object",
		.placeholder = "<object, in JSON only>",
		.is_text = true,
		.from_json = object_from_json,
	},
};
_Static_assert(CORE_ARRAY_LEN(types) == DOCA_ARGP_TYPE_JSON_OBJ + 1, "a row for each type");

const struct argp_type argp_type_level = {
	.what = "a log level (10, 20, ... 70, or a name from DISABLE to TRACE)",
	.placeholder = "<level>",
	.from_text = level_from_text,
	.from_json = level_from_json,
};

const struct argp_type *argp_type_find(enum doca_argp_type type)
{
	if ((size_t)type >= CORE_ARRAY_LEN(types) || types[type].what == NULL)
		return NULL;
	return &types[type];
}
