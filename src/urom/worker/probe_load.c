/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/worker/probe_load.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <doca_error.h>

#include "urom/worker/stub.h"

/*
 * The loader says what is missing, one thing at a time, so it is asked again until it is content.
 * An empty object takes the name of a library that is not found. A symbol that then has no
 * definition is in another object, which is searched before all others: as it has nothing but
 * what was found nowhere, it takes no symbol from a library that is there. It is made anew for each
 * symbol more. Functions that are only called need no definition, because from the second time on
 * the plugin is loaded with lazy binding, unless it was linked against that. While no library is
 * missing, no host could bring a symbol that is, and nothing stands in for it.
 */

/* A plugin may lack so many libraries, and so many symbols that must be there at once. */
#define MAX_LIBRARIES 64
#define MAX_SYMBOLS   2048

/* How the loader of glibc words it; its messages are translated only after setlocale(). */
#define NO_LIBRARY ": cannot open shared object file"
#define NO_SYMBOL  ": undefined symbol: "

struct stand_ins {
	const Elf64_Ehdr *like;
	struct uromw_stub libraries[MAX_LIBRARIES];
	size_t num_libraries;
	struct uromw_stub definitions;
	char *symbols[MAX_SYMBOLS];
	size_t num_symbols;
};

static doca_error_t stand_in(const struct stand_ins *ins, const char *soname, int flags,
			     struct uromw_stub *stub)
{
	void *bytes;
	size_t len;
	doca_error_t result;

	if (soname != NULL)
		result = uromw_stub_make(ins->like, soname, NULL, 0, &bytes, &len);
	else
		result =
		    uromw_stub_make(ins->like, NULL, ins->symbols, ins->num_symbols, &bytes, &len);
	if (result != DOCA_SUCCESS)
		return result;
	result = uromw_stub_load(stub, bytes, len, flags);
	free(bytes);
	return result;
}

/* The name of the library that was not found; NULL: the message is another one. free() */
static char *library_in(const char *message)
{
	const char *end = strstr(message, NO_LIBRARY);

	return end != NULL ? strndup(message, (size_t)(end - message)) : NULL;
}

/* The symbol that was not found, without its version; NULL: the message is another one. free() */
static char *symbol_in(const char *message)
{
	const char *symbol = strstr(message, NO_SYMBOL);

	if (symbol == NULL)
		return NULL;
	symbol += strlen(NO_SYMBOL);
	return strndup(symbol, strcspn(symbol, ", "));
}

static bool add_library(struct stand_ins *ins, const char *name)
{
	if (ins->num_libraries == MAX_LIBRARIES)
		return false;
	if (stand_in(ins, name, RTLD_LAZY | RTLD_LOCAL, &ins->libraries[ins->num_libraries]) !=
	    DOCA_SUCCESS)
		return false;
	ins->num_libraries++;
	return true;
}

/* Takes the symbol. */
static bool add_symbol(struct stand_ins *ins, char *symbol)
{
	if (ins->num_symbols == MAX_SYMBOLS) {
		free(symbol);
		return false;
	}
	ins->symbols[ins->num_symbols++] = symbol;
	uromw_stub_unload(&ins->definitions);
	return stand_in(ins, NULL, RTLD_LAZY | RTLD_GLOBAL, &ins->definitions) == DOCA_SUCCESS;
}

/* Makes up for what a message says is missing; false: it says something else, or it cannot be. */
static bool make_up_for(struct stand_ins *ins, const char *message, const char *path)
{
	char *library = library_in(message);
	char *symbol = symbol_in(message);
	bool is_done = false;

	if (library != NULL) {
		is_done = strcmp(library, path) != 0 && add_library(ins, library);
	} else if (symbol != NULL && ins->num_libraries > 0) {
		is_done = add_symbol(ins, symbol);
		symbol = NULL;
	}
	free(library);
	free(symbol);
	return is_done;
}

/* What the loader had to say last; free(). */
static char *take_message(void)
{
	const char *message = dlerror();

	return strdup(message != NULL ? message : "the loader gives no reason");
}

void *uromw_probe_load(const char *path, const Elf64_Ehdr *like, char **reason)
{
	/* For good, as the loader keeps the stubs. */
	static struct stand_ins ins;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	ins.like = like;
	while (handle == NULL) {
		char *message = take_message();

		if (message == NULL || !make_up_for(&ins, message, path)) {
			*reason = message;
			return NULL;
		}
		free(message);
		handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	}
	return handle;
}
