/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_STUB_H_
#define UROMW_STUB_H_

/*
 * Shared objects that stand in for what a plugin needs and this process cannot find. They are made
 * in memory, have zeros for contents, and are there to be named, never to be called.
 */

#include <elf.h>
#include <stddef.h>

#include <doca_error.h>

/* Zeroed memory is none. */
struct uromw_stub {
	void *handle; /* of dlopen() */
	int fd;       /* its memory, which has to stay as long as the loader knows its name */
};

/*
 * Makes a shared object. like: it is for the machine of this. soname: copied, NULL: it has none.
 * symbols: num_symbols names that it defines, copied. bytes: owned, free(). len: of bytes.
 * Errors: NO_MEMORY. TOO_BIG: more names than 4 GiB hold.
 */
doca_error_t uromw_stub_make(const Elf64_Ehdr *like, const char *soname, char *const *symbols,
			     size_t num_symbols, void **bytes, size_t *len);

/*
 * Has the loader take it for loaded. bytes: borrowed for the call. flags: of dlopen().
 * Errors: as the system has them. NOT_SUPPORTED: the loader refuses; dlerror() tells why.
 */
doca_error_t uromw_stub_load(struct uromw_stub *stub, const void *bytes, size_t len, int flags);

/* Accepts zeroed memory. */
void uromw_stub_unload(struct uromw_stub *stub);

#endif /* UROMW_STUB_H_ */
