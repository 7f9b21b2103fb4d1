/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_PROBE_LOAD_H_
#define UROMW_PROBE_LOAD_H_

#include <elf.h>

/*
 * Loads a plugin to ask it who it is. Where libraries that it needs are not found, others stand in
 * for them: a worker may find them, in the LD_LIBRARY_PATH that a host gives it.
 * path: with a slash. like: what stands in is for the machine of this. reason: why it cannot be
 * loaded, owned, free(); NULL when there is no memory for it. Returns: the handle, lent until the
 * process ends; NULL: reason was written.
 */
void *uromw_probe_load(const char *path, const Elf64_Ehdr *like, char **reason);

#endif /* UROMW_PROBE_LOAD_H_ */
