/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PLUGIN_SCAN_NEEDY_H_
#define PLUGIN_SCAN_NEEDY_H_

/* What plugin_scan_needy.c needs of others. */

/* In a library that only workers find. The first number is 41. */
extern const int plugin_scan_gone_numbers[1000];
int plugin_scan_gone(int number);

/* In a library beside the plugin. */
int plugin_scan_here(void);

#endif /* PLUGIN_SCAN_NEEDY_H_ */
