/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A file that might be a plugin, as an operator or an interrupted copy leaves it. Each input is
 * tried as it is, and once more with the start of its header made right, without which hardly any
 * would get further. What is let through has both names in it, and is refused when its last segment
 * lacks a byte.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urom/worker/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

/* A finding: libFuzzer keeps the input of an abort. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			(void)fprintf(stderr, "not so: %s\n", #condition); \
			abort();                                           \
		}                                                          \
	} while (0)

static const Elf64_Ehdr own = {
	.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
	.e_type = ET_DYN,
	.e_machine = EM_X86_64,
	.e_version = EV_CURRENT,
};

static bool has(const uint8_t *file, size_t len, const char *name)
{
	return memmem(file, len, name, strlen(name) + 1) != NULL;
}

/* Where the last of what is loaded ends. */
static size_t end_of_segments(const uint8_t *file, const Elf64_Ehdr *header)
{
	size_t end = 0;

	for (size_t i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, file + header->e_phoff + i * sizeof(segment), sizeof(segment));
		if (segment.p_type == PT_LOAD && segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	return end;
}

/* The file lies at the end of its memory, so that the sanitizer sees a step behind it. */
static const char *look(const uint8_t *bytes, size_t len)
{
	uint8_t *file = malloc(len > 0 ? len : 1);
	const char *complaint;

	CHECK(file != NULL);
	if (len > 0)
		memcpy(file, bytes, len);
	complaint = uromw_elf_complaint(file, len, &own);
	CHECK(complaint == NULL || complaint[0] != '\0');
	free(file);
	return complaint;
}

static void check_file(const uint8_t *file, size_t len)
{
	Elf64_Ehdr header;
	size_t end;

	if (look(file, len) != NULL)
		return;
	CHECK(len >= sizeof(header));
	memcpy(&header, file, sizeof(header));
	CHECK(memcmp(header.e_ident, own.e_ident, EI_VERSION) == 0);
	CHECK(header.e_type == ET_DYN && header.e_machine == own.e_machine);
	CHECK(has(file, len, "urom_plugin_get_version"));
	CHECK(has(file, len, "urom_plugin_get_iface"));
	end = end_of_segments(file, &header);
	CHECK(end > 0 && end <= len);
	CHECK(look(file, end - 1) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	Elf64_Ehdr header;
	uint8_t *file;

	check_file(input, size);
	if (size < sizeof(header))
		return 0;
	file = malloc(size);
	CHECK(file != NULL);
	memcpy(file, input, size);
	memcpy(&header, file, sizeof(header));
	memcpy(header.e_ident, own.e_ident, sizeof(header.e_ident));
	header.e_type = own.e_type;
	header.e_machine = own.e_machine;
	header.e_phentsize = sizeof(Elf64_Phdr);
	memcpy(file, &header, sizeof(header));
	check_file(file, size);
	free(file);
	return 0;
}
