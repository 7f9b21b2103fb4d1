/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_PROBE_H_
#define UROMW_PROBE_H_

/*
 * The whole of `doca_urom_worker --probe PATH`: loads the plugin, prints "plugin VERSION
 * API_VERSION" as the only line of standard output, the first decimal and the second hexadecimal,
 * and ends the process with 0. What is no plugin ends it with 1, the reason as the last line of
 * standard error. Does not return, so that no destructor of a foreign library runs.
 */
int uromw_probe_main(const char *path);

#endif /* UROMW_PROBE_H_ */
