/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/stub.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

/*
 * The file is one segment, readable and writable, loaded at 0: header, program headers, dynamic
 * section, symbols, hash table, names. Behind it lie zeros, which are what every symbol stands for;
 * a page of the largest kind apart, so that no object starts in the file's last page.
 */

/* Bytes of zeros. */
#define ZEROS_SIZE (1u << 20)

/* No page is larger. */
#define ALIGNMENT   65536u

#define NUM_ENTRIES 7 /* of the dynamic section, its end included */

enum segment {
	SEGMENT_LOAD,
	SEGMENT_DYNAMIC,
	SEGMENT_STACK,
	NUM_SEGMENTS
};

struct layout {
	size_t num_symbols; /* the first, which is none, included */
	uint64_t segments;
	uint64_t dynamic;
	uint64_t symbols;
	uint64_t hash;
	uint64_t names;
	uint64_t end;
	uint64_t zeros;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static void lay_out(struct layout *layout, size_t num_symbols, uint64_t names_len)
{
	layout->num_symbols = num_symbols + 1;
	layout->segments = sizeof(Elf64_Ehdr);
	layout->dynamic = layout->segments + NUM_SEGMENTS * sizeof(Elf64_Phdr);
	layout->symbols = layout->dynamic + NUM_ENTRIES * sizeof(Elf64_Dyn);
	layout->hash = layout->symbols + layout->num_symbols * sizeof(Elf64_Sym);
	/* Counts of buckets and chains, one bucket, the chains. */
	layout->names = layout->hash + (3 + layout->num_symbols) * sizeof(uint32_t);
	layout->end = layout->names + names_len;
	layout->zeros = round_up(layout->end, ALIGNMENT);
}

static void put_header(uint8_t *file, const struct layout *layout, const Elf64_Ehdr *like)
{
	Elf64_Ehdr header = {
		.e_type = ET_DYN,
		.e_machine = like->e_machine,
		.e_version = EV_CURRENT,
		.e_flags = like->e_flags,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = layout->segments,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = NUM_SEGMENTS,
		.e_shentsize = sizeof(Elf64_Shdr),
	};

	memcpy(header.e_ident, like->e_ident, EI_NIDENT);
	header.e_ident[EI_OSABI] = ELFOSABI_SYSV;
	memcpy(file, &header, sizeof(header));
}

static void put_segments(uint8_t *file, const struct layout *layout)
{
	const Elf64_Phdr segments[NUM_SEGMENTS] = {
		[SEGMENT_LOAD] = {
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_W,
			.p_filesz = layout->end,
			.p_memsz = layout->zeros + ZEROS_SIZE,
			.p_align = ALIGNMENT,
		},
		[SEGMENT_DYNAMIC] = {
			.p_type = PT_DYNAMIC,
			.p_flags = PF_R | PF_W,
			.p_offset = layout->dynamic,
			.p_vaddr = layout->dynamic,
			.p_paddr = layout->dynamic,
			.p_filesz = NUM_ENTRIES * sizeof(Elf64_Dyn),
			.p_memsz = NUM_ENTRIES * sizeof(Elf64_Dyn),
			.p_align = sizeof(uint64_t),
		},
		/* Without it the loader makes every stack executable. */
		[SEGMENT_STACK] = {
			.p_type = PT_GNU_STACK,
			.p_flags = PF_R | PF_W,
			.p_align = 16,
		},
	};

	memcpy(file + layout->segments, segments, sizeof(segments));
}

/* soname: where it is among the names; 0: there is none. */
static void put_dynamic(uint8_t *file, const struct layout *layout, uint64_t soname)
{
	const Elf64_Dyn entries[NUM_ENTRIES] = {
		{ .d_tag = DT_HASH, .d_un.d_ptr = layout->hash },
		{ .d_tag = DT_SYMTAB, .d_un.d_ptr = layout->symbols },
		{ .d_tag = DT_SYMENT, .d_un.d_val = sizeof(Elf64_Sym) },
		{ .d_tag = DT_STRTAB, .d_un.d_ptr = layout->names },
		{ .d_tag = DT_STRSZ, .d_un.d_val = layout->end - layout->names },
		{ .d_tag = soname != 0 ? DT_SONAME : DT_NULL, .d_un.d_val = soname },
		{ .d_tag = DT_NULL },
	};

	memcpy(file + layout->dynamic, entries, sizeof(entries));
}

/* All symbols are in one chain. No buckets, when there are none: the loader does not look then. */
static void put_hash(uint8_t *file, const struct layout *layout)
{
	uint32_t count = (uint32_t)layout->num_symbols;
	uint32_t head[3] = { count > 1, count, count > 1 };
	uint8_t *chains = file + layout->hash + sizeof(head);

	memcpy(file + layout->hash, head, sizeof(head));
	for (uint32_t i = 1; i + 1 < count; i++) {
		uint32_t next = i + 1;

		memcpy(chains + i * sizeof(next), &next, sizeof(next));
	}
}

/* Puts a name behind the others; returns where. */
static uint64_t put_name(uint8_t *file, const struct layout *layout, uint64_t *at, const char *name)
{
	uint64_t put = *at;
	size_t size = strlen(name) + 1;

	memcpy(file + layout->names + put, name, size);
	*at += size;
	return put;
}

static void put_symbol(uint8_t *file, const struct layout *layout, size_t n, uint64_t name)
{
	const Elf64_Sym symbol = {
		.st_name = (uint32_t)name,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE),
		.st_shndx = 1, /* of none, but defined; nobody looks */
		.st_value = layout->zeros,
	};

	memcpy(file + layout->symbols + n * sizeof(symbol), &symbol, sizeof(symbol));
}

/* The empty name comes first. */
static uint64_t count_names(const char *soname, char *const *symbols, size_t num_symbols)
{
	uint64_t len = 1 + (soname != NULL ? strlen(soname) + 1 : 0);

	for (size_t i = 0; i < num_symbols; i++)
		len += strlen(symbols[i]) + 1;
	return len;
}

doca_error_t uromw_stub_make(const Elf64_Ehdr *like, const char *soname, char *const *symbols,
			     size_t num_symbols, void **bytes, size_t *len)
{
	uint64_t names_len = count_names(soname, symbols, num_symbols);
	uint64_t names_at = 1, soname_at = 0;
	struct layout layout;
	uint8_t *file;

	if (names_len > UINT32_MAX || num_symbols >= UINT32_MAX)
		return DOCA_ERROR_TOO_BIG;
	lay_out(&layout, num_symbols, names_len);
	file = calloc(1, layout.end);
	if (file == NULL)
		return DOCA_ERROR_NO_MEMORY;
	put_header(file, &layout, like);
	put_segments(file, &layout);
	if (soname != NULL)
		soname_at = put_name(file, &layout, &names_at, soname);
	put_dynamic(file, &layout, soname_at);
	for (size_t i = 0; i < num_symbols; i++)
		put_symbol(file, &layout, i + 1, put_name(file, &layout, &names_at, symbols[i]));
	put_hash(file, &layout);
	*bytes = file;
	*len = layout.end;
	return DOCA_SUCCESS;
}

static doca_error_t write_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len > 0) {
		ssize_t written = write(fd, bytes, len);

		if (written < 0)
			return core_error_from_errno(errno);
		bytes += written;
		len -= (size_t)written;
	}
	return DOCA_SUCCESS;
}

doca_error_t uromw_stub_load(struct uromw_stub *stub, const void *bytes, size_t len, int flags)
{
	char path[sizeof("/proc/self/fd/-2147483648")];
	doca_error_t result;
	void *handle;
	int fd = memfd_create("openurom-stub", MFD_CLOEXEC);

	if (fd < 0)
		return core_error_from_errno(errno);
	result = write_all(fd, bytes, len);
	if (result != DOCA_SUCCESS)
		goto fail;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	handle = dlopen(path, flags);
	if (handle == NULL) {
		result = DOCA_ERROR_NOT_SUPPORTED;
		goto fail;
	}
	stub->handle = handle;
	stub->fd = fd;
	return DOCA_SUCCESS;

fail:
	close(fd);
	return result;
}

void uromw_stub_unload(struct uromw_stub *stub)
{
	if (stub->handle == NULL)
		return;
	(void)dlclose(stub->handle); /* what cannot be unloaded stays, and does no harm */
	close(stub->fd);
	stub->handle = NULL;
}
