/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/elf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a plugin has to define. */
static const struct {
	const char *name;
	const char *complaint;
} wanted[] = {
	{ "urom_plugin_get_version", "it does not define urom_plugin_get_version" },
	{ "urom_plugin_get_iface", "it does not define urom_plugin_get_iface" },
};

/* Bytes of the file; nothing in it is aligned. */
struct part {
	const uint8_t *at;
	size_t len;
};

struct image {
	struct part file;
	Elf64_Ehdr header;
	struct part symbols; /* of the dynamic symbol table */
	struct part names;
};

/* Copies size bytes out, or tells that there are not so many. */
static bool take(struct part part, uint64_t offset, void *out, size_t size)
{
	if (offset > part.len || size > part.len - offset)
		return false;
	memcpy(out, part.at + offset, size);
	return true;
}

static bool get_segment(const struct image *image, size_t n, Elf64_Phdr *segment)
{
	return take(image->file, image->header.e_phoff + n * sizeof(*segment), segment,
		    sizeof(*segment));
}

static bool is_within(const struct image *image, const Elf64_Phdr *segment)
{
	return segment->p_offset <= image->file.len &&
	       segment->p_filesz <= image->file.len - segment->p_offset;
}

/* The bytes of the file from an address of the loaded object to the end of its segment. */
static struct part part_at(const struct image *image, uint64_t address)
{
	struct part part = { .at = NULL };
	Elf64_Phdr segment;

	/* Nothing is looked up at 0, where the header is: what has this address is not there. */
	for (size_t i = 0; address != 0 && i < image->header.e_phnum; i++) {
		if (!get_segment(image, i, &segment) || segment.p_type != PT_LOAD ||
		    address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		address -= segment.p_vaddr;
		part.at = image->file.at + segment.p_offset + address;
		part.len = segment.p_filesz - address;
		break;
	}
	return part;
}

/* One more than the last symbol that the chain of a bucket leads to; 0: it leads nowhere. */
static uint64_t end_of_chain(struct part hash, uint64_t chains, uint32_t first, uint32_t symbol)
{
	uint32_t link = 0;

	if (symbol < first)
		return 0;
	do {
		if (!take(hash, chains + (symbol - first) * sizeof(link), &link, sizeof(link)))
			return 0;
		symbol++;
	} while ((link & 1) == 0);
	return symbol;
}

/* Symbols have no count of their own; the last one is at the end of some chain. */
static uint64_t count_by_gnu_hash(struct part hash)
{
	uint32_t head[4]; /* buckets, first symbol, words of 8 bytes in the filter, shift */
	uint64_t buckets, chains, count = 0;
	uint32_t symbol, last = 0;

	if (!take(hash, 0, head, sizeof(head)))
		return 0;
	buckets = sizeof(head) + head[2] * UINT64_C(8);
	chains = buckets + head[0] * sizeof(symbol);
	for (uint32_t i = 0; i < head[0]; i++) {
		if (!take(hash, buckets + i * sizeof(symbol), &symbol, sizeof(symbol)))
			return 0;
		if (symbol > last)
			last = symbol;
	}
	if (last > 0)
		count = end_of_chain(hash, chains, head[1], last);
	return count;
}

static uint64_t count_by_hash(struct part hash)
{
	uint32_t head[2]; /* buckets, symbols */

	return take(hash, 0, head, sizeof(head)) ? head[1] : 0;
}

/* Finds symbols and their names by what the dynamic section says. */
static const char *find_symbols(struct image *image, const Elf64_Phdr *dynamic)
{
	const struct part section = { image->file.at + dynamic->p_offset, dynamic->p_filesz };
	uint64_t values[DT_NUM] = { 0 };
	uint64_t gnu_hash = 0, count, names_len;
	Elf64_Dyn entry;

	for (uint64_t at = 0; take(section, at, &entry, sizeof(entry)) && entry.d_tag != DT_NULL;
	     at += sizeof(entry)) {
		if (entry.d_tag == DT_GNU_HASH)
			gnu_hash = entry.d_un.d_ptr;
		else if (entry.d_tag > 0 && entry.d_tag < DT_NUM)
			values[entry.d_tag] = entry.d_un.d_ptr;
	}
	image->symbols = part_at(image, values[DT_SYMTAB]);
	image->names = part_at(image, values[DT_STRTAB]);
	names_len = values[DT_STRSZ];
	count = gnu_hash != 0 ? count_by_gnu_hash(part_at(image, gnu_hash))
			      : count_by_hash(part_at(image, values[DT_HASH]));
	if (count == 0 || image->symbols.at == NULL || image->names.at == NULL)
		return "it has no dynamic symbols";
	if (count > image->symbols.len / sizeof(Elf64_Sym) || names_len > image->names.len)
		return "its dynamic symbols lie outside of it";
	image->symbols.len = count * sizeof(Elf64_Sym);
	image->names.len = names_len;
	return NULL;
}

static bool is_function(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC);
}

static bool defines(const struct image *image, const char *name)
{
	const size_t size = strlen(name) + 1;
	Elf64_Sym symbol;

	for (uint64_t at = 0; take(image->symbols, at, &symbol, sizeof(symbol));
	     at += sizeof(symbol)) {
		if (is_function(&symbol) && symbol.st_name <= image->names.len &&
		    size <= image->names.len - symbol.st_name &&
		    memcmp(image->names.at + symbol.st_name, name, size) == 0)
			return true;
	}
	return false;
}

static const char *check_header(struct image *image, const Elf64_Ehdr *own)
{
	const Elf64_Ehdr *header = &image->header;

	if (image->file.len < SELFMAG || memcmp(image->file.at, ELFMAG, SELFMAG) != 0)
		return "it is no ELF file";
	if (!take(image->file, 0, &image->header, sizeof(image->header)))
		return "it is cut short";
	if (header->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	    header->e_ident[EI_DATA] != own->e_ident[EI_DATA] ||
	    header->e_machine != own->e_machine)
		return "it is for another architecture";
	if (header->e_type != ET_DYN || header->e_phentsize != sizeof(Elf64_Phdr))
		return "it is no shared object";
	return NULL;
}

/* Everything that will be mapped must be there; the loader would not notice before it is used. */
static const char *check_segments(struct image *image)
{
	Elf64_Phdr segment, dynamic = { .p_type = PT_NULL };

	for (size_t i = 0; i < image->header.e_phnum; i++) {
		if (!get_segment(image, i, &segment))
			return "it is cut short";
		if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC)
			continue;
		if (!is_within(image, &segment))
			return "it is cut short";
		if (segment.p_type == PT_DYNAMIC)
			dynamic = segment;
	}
	if (dynamic.p_type == PT_NULL)
		return "it is no shared object";
	return find_symbols(image, &dynamic);
}

const char *uromw_elf_complaint(const void *bytes, size_t len, const Elf64_Ehdr *own)
{
	struct image image = { .file = { .at = bytes, .len = len } };
	const char *complaint = check_header(&image, own);

	if (complaint == NULL)
		complaint = check_segments(&image);
	for (size_t i = 0; complaint == NULL && i < COUNT(wanted); i++) {
		if (!defines(&image, wanted[i].name))
			complaint = wanted[i].complaint;
	}
	return complaint;
}
