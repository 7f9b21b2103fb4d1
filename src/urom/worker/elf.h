/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_ELF_H_
#define UROMW_ELF_H_

/*
 * A look at a file before the loader of the system gets it: that trusts what it loads, and what it
 * says of other files is of little use to an operator.
 */

#include <elf.h>
#include <stddef.h>

/*
 * Why the file cannot be a plugin: it is no shared object for this machine, is cut short, or does
 * not define both functions of a plugin. Reads within len bytes, whatever they are.
 * own: the header of a program that runs here. Returns: static text; NULL: it may be one.
 */
const char *uromw_elf_complaint(const void *bytes, size_t len, const Elf64_Ehdr *own);

#endif /* UROMW_ELF_H_ */
