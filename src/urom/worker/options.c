/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#define MAX_TIMEOUT_S 86400
#define LEVEL_STEP    10

/* Bits of ids that no plugin has. */
#define RESERVED_IDS (UINT64_C(3) << 62)

/* Decimal, or hexadecimal behind 0x; nothing else around it. */
static bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
	char *end;
	unsigned long long value;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, text[0] == '0' && (text[1] | 0x20) == 'x' ? 16 : 10);
	if (errno != 0 || *end != '\0' || value < min || value > max)
		return false;
	*number = value;
	return true;
}

static bool set_control_fd(struct uromw_options *options, const char *text)
{
	uint64_t number;

	/* Those below are standard input and the log. */
	if (!read_number(text, 3, INT32_MAX, &number))
		return false;
	options->control_fd = (int)number;
	return true;
}

static bool set_call_fd(struct uromw_options *options, const char *text)
{
	uint64_t number;

	if (!read_number(text, 3, INT32_MAX, &number))
		return false;
	options->call_fd = (int)number;
	return true;
}

static bool set_id(struct uromw_options *options, const char *text)
{
	/* All ones is no id, but the wish for any. */
	return read_number(text, 0, UINT64_MAX - 1, &options->id);
}

static bool set_listen(struct uromw_options *options, const char *text)
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST,
		.ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found;

	if (getaddrinfo(text, NULL, &hints, &found) != 0)
		return false;
	memcpy(&options->listen, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

static bool set_channel(struct uromw_options *options, const char *text)
{
	static const struct {
		const char *name;
		enum chan_kind kind;
	} kinds[] = { { "ucx", CHAN_UCX }, { "tcp", CHAN_TCP } };

	for (size_t i = 0; i < CORE_ARRAY_LEN(kinds); i++) {
		if (strcmp(text, kinds[i].name) == 0) {
			options->channel = kinds[i].kind;
			return true;
		}
	}
	return false;
}

static bool read_level(const char *text, uint32_t *level)
{
	uint64_t number;

	if (!read_number(text, DOCA_LOG_LEVEL_DISABLE, DOCA_LOG_LEVEL_TRACE, &number) ||
	    number % LEVEL_STEP != 0)
		return false;
	*level = (uint32_t)number;
	return true;
}

static bool set_log_level(struct uromw_options *options, const char *text)
{
	return read_level(text, &options->log_level);
}

static bool set_sdk_log_level(struct uromw_options *options, const char *text)
{
	return read_level(text, &options->sdk_log_level);
}

static bool set_max_message(struct uromw_options *options, const char *text)
{
	uint64_t number;

	if (!read_number(text, UROMW_MIN_MESSAGE, UROMW_MAX_MESSAGE, &number))
		return false;
	options->max_message = (uint32_t)number;
	return true;
}

static bool set_max_unread(struct uromw_options *options, const char *text)
{
	return read_number(text, UROMW_LEAST_MAX_UNREAD, UINT64_MAX, &options->max_unread);
}

static bool set_plugin_timeout(struct uromw_options *options, const char *text)
{
	uint64_t number;

	if (!read_number(text, 0, MAX_TIMEOUT_S, &number))
		return false;
	options->plugin_timeout_s = (unsigned int)number;
	return true;
}

static bool set_probe(struct uromw_options *options, const char *text)
{
	options->probe = text;
	return true;
}

struct row {
	const char *name;
	char letter; /* 0: none */
	bool is_mandatory;
	const char *value;
	const char *what;
	bool (*set)(struct uromw_options *options, const char *text);
};

static const struct row rows[] = {
	{ "control-fd", 0, true, "N", "The descriptor that leads to the daemon", set_control_fd },
	{ "call-fd", 0, false, "N", "The descriptor of the page that tells which call it is in",
	  set_call_fd },
	{ "id", 0, true, "ID", "The worker's id", set_id },
	{ "listen", 0, true, "IP", "The address on which the channel listens", set_listen },
	{ "channel", 0, true, "ucx|tcp", "What carries commands and notifications", set_channel },
	{ "log-level", 'l', false, "10..70", "Log lines of the worker and of its plugins",
	  set_log_level },
	{ "sdk-log-level", 0, false, "10..70", "Log lines of the libraries", set_sdk_log_level },
	{ "max-msg-size", 'm', true, "BYTES", "The longest message of any host", set_max_message },
	{ "max-unread", 0, false, "BYTES", "The memory of answers that a host does not read",
	  set_max_unread },
	{ "plugin-timeout", 0, true, "S", "How long a call into a plugin may take; 0: for ever",
	  set_plugin_timeout },
	{ "probe", 0, false, "SO_PATH", "Load one plugin, print its versions and exit", set_probe },
};
#define NUM_ROWS CORE_ARRAY_LEN(rows)

void uromw_options_print(FILE *file)
{
	(void)fprintf(file,
		      "usage: doca_urom_worker OPTION... SO_PATH:PLUGIN_ID...\n"
		      "       doca_urom_worker --probe SO_PATH\n"
		      "A worker of the UROM service. The daemon starts it, nobody else does.\n"
		      "  -h, --help\n"
		      "        Print this and exit\n");
	for (size_t i = 0; i < NUM_ROWS; i++) {
		(void)fprintf(file, "  %s%.1s%s--%s %s\n        %s\n",
			      rows[i].letter != 0 ? "-" : "", &rows[i].letter,
			      rows[i].letter != 0 ? ", " : "", rows[i].name, rows[i].value,
			      rows[i].what);
	}
}

static doca_error_t add_plugin(struct uromw_options *options, const char *text,
			       struct uromw_failure *failure)
{
	const char *colon = strrchr(text, ':');
	struct uromw_plugin_file *file = &options->plugins[options->num_plugins];
	size_t len;

	if (options->num_plugins == UROMW_MAX_PLUGINS)
		return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE, "more than %u plugins",
					 UROMW_MAX_PLUGINS);
	len = colon != NULL ? (size_t)(colon - text) : 0;
	if (len == 0 || len >= sizeof(file->path) ||
	    !read_number(colon + 1, 1, ~RESERVED_IDS, &file->id) ||
	    (file->id & (file->id - 1)) != 0)
		return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE,
					 "it is no SO_PATH:PLUGIN_ID with an id of one bit: \"%s\"",
					 text);
	memcpy(file->path, text, len);
	file->path[len] = '\0';
	for (unsigned int i = 0; i < options->num_plugins; i++) {
		if (options->plugins[i].id == file->id)
			return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE,
						 "two plugins have the id 0x%" PRIx64, file->id);
	}
	options->num_plugins++;
	return DOCA_SUCCESS;
}

/* Rows are numbered from FIRST_ROW on, out of the way of letters. */
#define FIRST_ROW 1000

static void make_long_options(struct option *longs)
{
	for (size_t i = 0; i < NUM_ROWS; i++) {
		longs[i] = (struct option){ .name = rows[i].name,
					    .has_arg = required_argument,
					    .val = FIRST_ROW + (int)i };
	}
	longs[NUM_ROWS] = (struct option){ .name = "help", .val = 'h' };
	longs[NUM_ROWS + 1] = (struct option){ 0 };
}

/* NULL: there is no such option. */
static const struct row *find_row(int option)
{
	for (size_t i = 0; i < NUM_ROWS; i++) {
		if (option == FIRST_ROW + (int)i ||
		    (rows[i].letter != 0 && option == rows[i].letter))
			return &rows[i];
	}
	return NULL;
}

static doca_error_t parse_options(int argc, char **argv, struct uromw_options *options,
				  uint64_t *given, struct uromw_failure *failure)
{
	struct option longs[NUM_ROWS + 2];
	int option;

	make_long_options(longs);
	optind = 0; /* GNU: begin anew */
	opterr = 0;
	while ((option = getopt_long(argc, argv, "hl:m:", longs, NULL)) >= 0) {
		const struct row *row = find_row(option);

		if (option == 'h') {
			options->is_help = true;
			return DOCA_SUCCESS;
		}
		if (row == NULL)
			return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE,
						 "\"%s\" is no option, or lacks its value",
						 argv[optind - 1]);
		if (!row->set(options, optarg))
			return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE,
						 "--%s: \"%s\" is not %s", row->name, optarg,
						 row->value);
		*given |= UINT64_C(1) << (row - rows);
	}
	return DOCA_SUCCESS;
}

doca_error_t uromw_options_parse(int argc, char **argv, struct uromw_options *options,
				 struct uromw_failure *failure)
{
	uint64_t given = 0;
	doca_error_t result;

	memset(options, 0, sizeof(*options));
	options->log_level = DOCA_LOG_LEVEL_INFO;
	options->sdk_log_level = DOCA_LOG_LEVEL_WARNING;
	options->call_fd = -1;
	options->max_unread = UROMW_MAX_UNREAD;
	result = parse_options(argc, argv, options, &given, failure);
	if (result != DOCA_SUCCESS || options->is_help || options->probe != NULL)
		return result;
	for (size_t i = 0; i < NUM_ROWS; i++) {
		if (rows[i].is_mandatory && (given & (UINT64_C(1) << i)) == 0)
			return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE,
						 "--%s is missing", rows[i].name);
	}
	for (int i = optind; i < argc; i++) {
		result = add_plugin(options, argv[i], failure);
		if (result != DOCA_SUCCESS)
			return result;
	}
	if (options->num_plugins == 0)
		return uromw_failure_set(failure, DOCA_ERROR_INVALID_VALUE, "no plugin is named");
	return DOCA_SUCCESS;
}
