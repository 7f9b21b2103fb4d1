/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/env.h"
#include "core/file.h"
#include "core/log.h"
#include "urom/chan/chan_address.h"

CORE_LOG_REGISTER(UROM::SERVICE_FILE);

#define VARIABLE      "DOCA_UROM_SERVICE_FILE"
#define PORT_VARIABLE "DOCA_UROM_PORT"

#define MAX_FILE      (1u << 20)

enum field {
	HOST,
	TYPE,
	SERVICE_HOST,
	PCI,
	DEVICES,
	NUM_FIELDS
};

struct search {
	const char *path;
	const struct doca_devinfo *devinfo;
	struct uromh_names names; /* of this host */
	unsigned int line;
	unsigned int num_usable;
};

static void warn(const struct search *search, const char *why)
{
	DOCA_LOG_WARN("%s:%u is skipped: %s", search->path, search->line, why);
}

/* Cuts a line into its fields; returns how many there are, at most NUM_FIELDS + 1. */
static unsigned int split(char *line, char *fields[NUM_FIELDS])
{
	unsigned int count = 0;
	char *rest = NULL;

	for (char *at = strtok_r(line, " \t\r\v\f", &rest); at != NULL && count <= NUM_FIELDS;
	     at = strtok_r(NULL, " \t\r\v\f", &rest)) {
		if (count < NUM_FIELDS)
			fields[count] = at;
		count++;
	}
	return count;
}

/* What can be wrong with a line whatever host and device are looked for; NULL: nothing. */
static const char *find_flaw(char *fields[NUM_FIELDS], unsigned int count,
			     struct uromh_location *location)
{
	if (count != NUM_FIELDS)
		return "a line has five fields: host, dpu, host of the service, PCI address, "
		       "network devices";
	if (strcasecmp(fields[TYPE], "dpu") != 0)
		return "the only type is dpu";
	if (chan_address_split(fields[SERVICE_HOST], location->host, sizeof(location->host),
			       &location->port) != DOCA_SUCCESS)
		return "the third field is no HOST, HOST:PORT or [ADDRESS]:PORT";
	if (strlen(fields[DEVICES]) > UROMH_MAX_DEVICES)
		return "its list of devices is too long";
	memcpy(location->net_devices, fields[DEVICES], strlen(fields[DEVICES]) + 1);
	return NULL;
}

/* The form of an address, so that the core need not complain about it. */
static bool is_pci(const char *text)
{
	static const char *const forms[] = { "xxxx:xx:xx.x", "xx:xx.x" };

	for (size_t i = 0; i < CORE_ARRAY_LEN(forms); i++) {
		size_t at = 0;

		while (forms[i][at] != '\0' &&
		       (forms[i][at] == 'x'
			    ? strchr("0123456789abcdefABCDEF", text[at]) != NULL && text[at] != '\0'
			    : text[at] == forms[i][at]))
			at++;
		if (forms[i][at] == '\0' && text[at] == '\0')
			return true;
	}
	return false;
}

/* True: the line is for this host and device, and location is set. */
static bool read_line(struct search *search, char *line, struct uromh_location *location)
{
	char *fields[NUM_FIELDS];
	unsigned int count = split(line, fields);
	const char *flaw;
	uint8_t is_equal = 0;

	if (count == 0 || fields[0][0] == '#')
		return false;
	flaw = find_flaw(fields, count, location);
	if (flaw == NULL && !is_pci(fields[PCI]))
		flaw = "its fourth field is no PCI address";
	if (flaw != NULL) {
		warn(search, flaw);
		return false;
	}
	search->num_usable++;
	/* A device without a PCI address has no line. */
	if (doca_devinfo_is_equal_pci_addr(search->devinfo, fields[PCI], &is_equal) != DOCA_SUCCESS)
		return false;
	return is_equal != 0 && uromh_names_have(&search->names, fields[HOST]);
}

static doca_error_t report_nothing(const struct search *search)
{
	char names[UROMH_NAMES_TEXT];
	char pci[DOCA_DEVINFO_PCI_ADDR_SIZE] = "?";

	if (search->num_usable == 0) {
		DOCA_LOG_ERR("%s has no usable line; doca_caps --service-line prints one",
			     search->path);
		return DOCA_ERROR_BAD_CONFIG;
	}
	(void)doca_devinfo_get_pci_addr_str(search->devinfo, pci); /* the text says so then */
	DOCA_LOG_ERR("%s has no line for device %s and this host, be it as %s or by an address; "
		     "doca_caps --service-line prints one to add",
		     search->path, pci, uromh_names_text(&search->names, names));
	return DOCA_ERROR_NOT_FOUND;
}

static uint16_t default_port(void)
{
	const char *text = core_env(PORT_VARIABLE);
	char *end;
	unsigned long port;

	if (text == NULL)
		return CHAN_DEFAULT_PORT;
	port = strtoul(text, &end, 10);
	if (*end == '\0' && port > 0 && port <= UINT16_MAX)
		return (uint16_t)port;
	DOCA_LOG_WARN("%s \"%.16s\" is no port; %u it is", PORT_VARIABLE, text, CHAN_DEFAULT_PORT);
	return CHAN_DEFAULT_PORT;
}

doca_error_t uromh_service_file_search(char *text, size_t len, const char *path,
				       const struct doca_devinfo *devinfo,
				       struct uromh_location *location)
{
	struct search search = { .path = path, .devinfo = devinfo };
	struct uromh_location found;
	const uint16_t port = default_port();
	char *at = text, *end = text + len;

	uromh_names_init(&search.names);
	while (at < end) {
		char *newline = memchr(at, '\n', (size_t)(end - at));
		char *next = newline != NULL ? newline + 1 : end;

		if (newline != NULL)
			*newline = '\0';
		found.port = port;
		search.line++;
		if (memchr(at, '\0', (size_t)((newline != NULL ? newline : end) - at)) != NULL) {
			warn(&search, "it has a byte of value 0");
		} else if (read_line(&search, at, &found)) {
			*location = found;
			return DOCA_SUCCESS;
		}
		at = next;
	}
	return report_nothing(&search);
}

static doca_error_t fail_read(const char *path, const char *why)
{
	DOCA_LOG_ERR("the service file %s cannot be read: %s; " VARIABLE
		     " must name a file that this user may read",
		     path, why);
	return DOCA_ERROR_BAD_CONFIG;
}

/* text: owned, free(). */
static doca_error_t read_file(const char *path, char **text, size_t *len)
{
	const char *flaw;
	int fd = core_file_open(path, O_RDONLY, 0, &flaw);
	doca_error_t result;
	int err;

	if (fd < 0)
		return fail_read(path, flaw);
	result = core_file_read(fd, MAX_FILE, text, len);
	err = errno;
	close(fd);
	if (result == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	if (result != DOCA_ERROR_TOO_BIG)
		return fail_read(path, strerror(result == DOCA_ERROR_NO_MEMORY ? ENOMEM : err));
	DOCA_LOG_ERR(
	    "the service file %s is larger than %u bytes; leave in it the lines that hosts "
	    "need",
	    path, MAX_FILE);
	return DOCA_ERROR_BAD_CONFIG;
}

doca_error_t uromh_service_file_find(const struct doca_devinfo *devinfo,
				     struct uromh_location *location)
{
	const char *path = core_env(VARIABLE);
	doca_error_t result;
	char *text;
	size_t len;

	if (path == NULL) {
		DOCA_LOG_ERR("%s is not set: it names the file that says where the service is; set "
			     "it to one, of lines as doca_caps --service-line prints them",
			     VARIABLE);
		return DOCA_ERROR_BAD_CONFIG;
	}
	result = read_file(path, &text, &len);
	if (result != DOCA_SUCCESS)
		return result;
	result = uromh_service_file_search(text, len, path, devinfo, location);
	free(text);
	return result;
}
