/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * doca_caps: which devices there are, and what each library can do on them. As a table, as JSON for
 * programs, or as ready lines for the file that tells applications where the UROM service is.
 * Arguments are getopt's: the parameter library would take --json for a file to read from.
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_version.h>

#include "caps.h"

#define EXIT_USAGE 2

struct caps_config {
	const char *device; /* NULL: all */
	bool as_json;
	bool as_service_lines;
};

static const char usage[] =
    "Usage: doca_caps [-d DEVICE] [--json | --service-line]\n"
    "Lists the devices that DOCA programs find here, and what each library can do on them.\n"
    "\n"
    "  -d, --device DEVICE   this device only\n"
    "  -j, --json            as JSON\n"
    "  -s, --service-line    as lines for the UROM service file: this host, as one that finds\n"
    "                        the service at the device's address\n"
    "  -h, --help            print this and exit\n"
    "  -v, --version         print the version and exit\n"
    "\n"
    "DOCA_SOFT_DEVICES=\"NAME@PCI@INTERFACE[,...]\" replaces the software devices, of which there\n"
    "is otherwise one for each network interface that is up and has an address.\n";

static const struct option options[] = {
	{ "device", required_argument, NULL, 'd' }, { "json", no_argument, NULL, 'j' },
	{ "service-line", no_argument, NULL, 's' }, { "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },      { NULL, 0, NULL, 0 },
};

/* Standard output is written whole, or the program has failed. */
static int finish(void)
{
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return EXIT_SUCCESS;
	perror("doca_caps: standard output");
	return EXIT_FAILURE;
}

/* Prints text and ends: for what asks to be told something and no more. */
static void __attribute__((noreturn)) tell(const char *text)
{
	(void)fputs(text, stdout);
	exit(finish());
}

static bool parse(int argc, char **argv, struct caps_config *config)
{
	int option;

	while ((option = getopt_long(argc, argv, "d:jshv", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			config->device = optarg;
			break;
		case 'j':
			config->as_json = true;
			break;
		case 's':
			config->as_service_lines = true;
			break;
		case 'h':
			tell(usage);
		case 'v':
			tell("doca_caps, DOCA API " DOCA_VERSION_STRING "\n");
		default: /* getopt has said what is wrong */
			return false;
		}
	}
	if (optind < argc)
		(void)fprintf(stderr, "doca_caps: unexpected argument %s\n", argv[optind]);
	else if (config->as_json && config->as_service_lines)
		(void)fprintf(stderr, "doca_caps: --json and --service-line exclude each other\n");
	else
		return true;
	return false;
}

/* Describes those of the list that are asked for; owned: free(). */
static struct caps_dev *describe(struct doca_devinfo **list, uint32_t num_listed,
				 const char *device, size_t *n)
{
	struct caps_dev *devs = calloc(num_listed + 1, sizeof(*devs));
	size_t count = 0;

	if (devs == NULL)
		return NULL;
	for (uint32_t i = 0; i < num_listed; i++) {
		caps_dev_describe(&devs[count], list[i]);
		if (device == NULL || strcmp(devs[count].name, device) == 0)
			count++;
	}
	*n = count;
	return devs;
}

static doca_error_t print(const struct caps_config *config, const struct caps_dev *devs, size_t n)
{
	if (config->as_json)
		return caps_print_json(devs, n);
	if (config->as_service_lines)
		return caps_print_service_lines(devs, n);
	caps_print_table(devs, n);
	return DOCA_SUCCESS;
}

static int fail(const char *what, doca_error_t error)
{
	(void)fprintf(stderr, "doca_caps: %s: %s\n", what, doca_error_get_descr(error));
	return EXIT_FAILURE;
}

/* What main() returns. */
static int run(const struct caps_config *config)
{
	struct doca_devinfo **list;
	struct caps_dev *devs;
	uint32_t num_listed;
	doca_error_t result;
	size_t n = 0;

	result = doca_devinfo_create_list(&list, &num_listed);
	if (result != DOCA_SUCCESS)
		return fail("cannot list the devices", result);
	devs = describe(list, num_listed, config->device, &n);
	if (devs == NULL)
		result = DOCA_ERROR_NO_MEMORY;
	else if (n > 0 || config->device == NULL)
		result = print(config, devs, n);
	free(devs);
	(void)doca_devinfo_destroy_list(list); /* it was just made */
	if (result != DOCA_SUCCESS)
		return fail("cannot print", result);
	if (n > 0 || config->device == NULL)
		return finish();
	(void)fprintf(stderr, "doca_caps: no device %s; without -d all are listed\n",
		      config->device);
	return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	struct caps_config config = { .device = NULL };

	if (parse(argc, argv, &config))
		return run(&config);
	(void)fputs("doca_caps --help tells how it is used\n", stderr);
	return EXIT_USAGE;
}
