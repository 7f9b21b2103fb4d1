/* SPDX-License-Identifier: BSD-3-Clause */
#include "caps.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <doca_version.h>

#define INDENT_COLUMNS 2

/* The columns of the list of devices: a text in struct caps_dev. */
struct column {
	const char *title;
	size_t offset;
};

static const struct column columns[] = {
	{ "DEVICE", offsetof(struct caps_dev, name) },
	{ "INTERFACE", offsetof(struct caps_dev, iface) },
	{ "PCI", offsetof(struct caps_dev, pci) },
	{ "IPV4", offsetof(struct caps_dev, ipv4) },
	{ "IPV6", offsetof(struct caps_dev, ipv6) },
	{ "RATE", offsetof(struct caps_dev, rate_text) },
};
#define NUM_COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const char *column_text(const struct column *column, const struct caps_dev *dev)
{
	const char *text = (const char *)dev + column->offset;

	return text[0] != '\0' ? text : "-";
}

static int column_width(const struct column *column, const struct caps_dev *devs, size_t n)
{
	size_t width = strlen(column->title);

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(column_text(column, &devs[i]));

		if (len > width)
			width = len;
	}
	return (int)width;
}

/* The cell of a line that ends with the last column, where nothing is to be filled up. */
static void print_cell(const char *text, size_t column, int width)
{
	if (column + 1 < NUM_COLUMNS)
		printf("%-*s  ", width, text);
	else
		printf("%s\n", text);
}

static void print_devices(const struct caps_dev *devs, size_t n)
{
	int widths[NUM_COLUMNS];

	for (size_t c = 0; c < NUM_COLUMNS; c++) {
		widths[c] = column_width(&columns[c], devs, n);
		print_cell(columns[c].title, c, widths[c]);
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; c < NUM_COLUMNS; c++)
			print_cell(column_text(&columns[c], &devs[i]), c, widths[c]);
	}
}

static void answer_text(const struct caps_row *row, const struct doca_devinfo *info, char *text)
{
	const struct caps_answer answer = row->ask(info);

	if (!answer.is_known)
		(void)snprintf(text, CAPS_ANSWER_SIZE, "?");
	else if (row->kind == CAPS_BOOL)
		(void)snprintf(text, CAPS_ANSWER_SIZE, "%s", answer.value != 0 ? "yes" : "no");
	else
		(void)snprintf(text, CAPS_ANSWER_SIZE, "%" PRIu64, answer.value);
}

/* Do all devices answer alike? Then one column tells it. */
static bool is_same_for_all(const struct caps_row *row, const struct caps_dev *devs, size_t n)
{
	const struct caps_answer first = row->ask(devs[0].info);

	for (size_t i = 1; i < n; i++) {
		const struct caps_answer other = row->ask(devs[i].info);

		if (other.is_known != first.is_known || other.value != first.value)
			return false;
	}
	return true;
}

static void print_row(const struct caps_row *row, const struct caps_dev *devs, size_t n)
{
	char text[CAPS_ANSWER_SIZE];

	printf("%-8s %-36s", row->library, row->name);
	if (is_same_for_all(row, devs, n)) {
		answer_text(row, devs[0].info, text);
		printf("%s\n", text);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		answer_text(row, devs[i].info, text);
		printf("%s%s: %s", i > 0 ? ", " : "", devs[i].name, text);
	}
	printf("\n");
}

void caps_print_table(const struct caps_dev *devs, size_t n)
{
	if (n == 0) {
		printf("no devices\n");
		return;
	}
	print_devices(devs, n);
	printf("\n%-8s %-36s%s\n", "LIBRARY", "CAPABILITY", "DEVICES");
	for (size_t i = 0; i < caps_num_rows; i++)
		print_row(&caps_rows[i], devs, n);
}

/* {"LIBRARY": {"CAPABILITY": answer}}; what is not known is null. */
static json_t *json_capabilities(const struct doca_devinfo *info)
{
	json_t *libraries = json_object();

	for (size_t i = 0; i < caps_num_rows; i++) {
		const struct caps_row *row = &caps_rows[i];
		const struct caps_answer answer = row->ask(info);
		json_t *library = json_object_get(libraries, row->library);
		json_t *value = json_null();

		if (library == NULL) {
			library = json_object();
			json_object_set_new(libraries, row->library, library);
		}
		if (answer.is_known && row->kind == CAPS_BOOL)
			value = json_boolean(answer.value != 0);
		else if (answer.is_known)
			value = json_integer((json_int_t)answer.value);
		json_object_set_new(library, row->name, value);
	}
	return libraries;
}

static json_t *json_dev(const struct caps_dev *dev)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "name", dev->name, "interface",
			 dev->iface, "pci", dev->pci, "ipv4", dev->ipv4, "ipv6", dev->ipv6, "mac",
			 dev->mac, "rate_bits_per_second", (json_int_t)dev->rate, "capabilities",
			 json_capabilities(dev->info));
}

doca_error_t caps_print_json(const struct caps_dev *devs, size_t n)
{
	json_t *list = json_array();
	json_t *whole;
	char *text;

	for (size_t i = 0; i < n; i++) {
		if (json_array_append_new(list, json_dev(&devs[i])) != 0) {
			json_decref(list);
			return DOCA_ERROR_NO_MEMORY;
		}
	}
	whole = json_pack("{s:s, s:o}", "api_version", doca_version_runtime(), "devices", list);
	text = whole != NULL ? json_dumps(whole, JSON_INDENT(INDENT_COLUMNS)) : NULL;
	json_decref(whole);
	if (text == NULL)
		return DOCA_ERROR_NO_MEMORY;
	(void)puts(text); /* whoever flushes the stream sees what went wrong with it */
	free(text);
	return DOCA_SUCCESS;
}

doca_error_t caps_print_service_lines(const struct caps_dev *devs, size_t n)
{
	char host[HOST_NAME_MAX + 1];

	if (gethostname(host, sizeof(host)) != 0)
		return DOCA_ERROR_OPERATING_SYSTEM;
	for (size_t i = 0; i < n; i++) {
		const char *addr = devs[i].ipv4[0] != '\0' ? devs[i].ipv4 : devs[i].ipv6;

		/* A line with fewer than its five fields would be skipped by who reads it. */
		if (addr[0] == '\0' || devs[i].pci[0] == '\0' || devs[i].iface[0] == '\0')
			(void)fprintf(stderr, "doca_caps: no line for %s, which has no %s\n",
				      devs[i].name,
				      addr[0] == '\0' ? "address" : "interface or PCI address");
		else
			printf("%s dpu %s %s %s\n", host, addr, devs[i].pci, devs[i].iface);
	}
	return DOCA_SUCCESS;
}
