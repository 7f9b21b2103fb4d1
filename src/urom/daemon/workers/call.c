/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/workers/call.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "urom/daemon/plugins/plugins.h"
#include "urom/wire/wire_call.h"

/* A page that a plugin could make shorter would be one that the daemon cannot look at. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int uromd_call_init(struct uromd_call *call)
{
	int fd = memfd_create("urom_call", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *page;

	call->word = NULL;
	if (fd < 0)
		return -1;
	if (ftruncate(fd, WIRE_CALL_PAGE) != 0 || fcntl(fd, F_ADD_SEALS, SEALS) != 0) {
		close(fd);
		return -1;
	}
	page = mmap(NULL, WIRE_CALL_PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		close(fd);
		return -1;
	}
	call->word = page;
	return fd;
}

void uromd_call_fini(struct uromd_call *call)
{
	if (call->word != NULL)
		(void)munmap((void *)(uintptr_t)call->word, /* NOLINT: drops the const */
			     WIRE_CALL_PAGE);
	call->word = NULL;
}

static uint32_t read_word(const struct uromd_call *call)
{
	return call->word != NULL ? __atomic_load_n(call->word, __ATOMIC_ACQUIRE) : 0;
}

bool uromd_call_is_inside(const struct uromd_call *call)
{
	const unsigned int number = wire_call_of(read_word(call));

	return number != WIRE_CALL_EXIT && wire_call_name(number) != NULL;
}

bool uromd_call_is_late(const struct uromd_call *call)
{
	return (read_word(call) & WIRE_CALL_IS_LATE) != 0;
}

/* The names of all that the bits stand for; what does not fit is left out. */
static void list_names(const struct uromd_plugins *plugins, uint64_t bits, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int bit = 0; bit < UROMD_MAX_PLUGINS && len < size; bit++) {
		const struct uromd_plugin *plugin;
		int added;

		plugin =
		    (bits >> bit & 1) != 0 ? uromd_plugins_find(plugins, UINT64_C(1) << bit) : NULL;
		if (plugin == NULL)
			continue;
		added = snprintf(text + len, size - len, "%s%s", len > 0 ? ", " : "", plugin->name);
		len += added > 0 ? (size_t)added : 0;
	}
}

const char *uromd_call_text(const struct uromd_call *call, const struct uromd_plugins *plugins,
			    uint64_t bits, char text[UROMD_CALL_TEXT])
{
	const uint32_t word = read_word(call);
	const unsigned int bit = wire_call_bit(word);
	const char *name = wire_call_name(wire_call_of(word));
	char names[UROMD_CALL_TEXT / 2];

	if (wire_call_of(word) != WIRE_CALL_EXIT && bit < UROMD_MAX_PLUGINS)
		bits = name != NULL ? bits & UINT64_C(1) << bit : bits;
	list_names(plugins, bits, names, sizeof(names));
	if (name != NULL)
		(void)snprintf(text, UROMD_CALL_TEXT, "it was in %s of plugin %s", name, names);
	else
		(void)snprintf(text, UROMD_CALL_TEXT, "it was in none of its plugins (%s)", names);
	return text;
}
