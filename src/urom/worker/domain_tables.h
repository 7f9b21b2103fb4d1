/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_DOMAIN_TABLES_H_
#define UROMW_DOMAIN_TABLES_H_

#include <doca_urom_plugin.h>

/* What plugins ask for the other workers of their domains. Thread: any. */
extern const struct urom_domain_lookups_iface uromw_domain_lookups;

#endif /* UROMW_DOMAIN_TABLES_H_ */
