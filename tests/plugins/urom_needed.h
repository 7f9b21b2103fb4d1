/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_NEEDED_H_
#define UROM_NEEDED_H_

/* A library without which the plugin urom_needs cannot be loaded, and which no run path leads to.
 */
const char *urom_needed_text(void);

#endif /* UROM_NEEDED_H_ */
