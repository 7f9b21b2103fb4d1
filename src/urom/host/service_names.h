/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMH_SERVICE_NAMES_H_
#define UROMH_SERVICE_NAMES_H_

/*
 * How this host may be called: by its name, with or without domain, or by an address. The resolver
 * is asked at most once, and only when somebody may have meant the name with its domain; that it
 * does not answer is logged.
 */

#include <stdbool.h>

#define UROMH_MAX_HOST 255

/* How long the resolver may take to say what this host's whole name is. */
#define UROMH_NAMES_TIMEOUT_MS 3000

/* The text of all names: three, and what is between them. */
#define UROMH_NAMES_TEXT (3 * (UROMH_MAX_HOST + 1) + 16)

struct uromh_names {
	char own[UROMH_MAX_HOST + 1];  /* as the system has it */
	char full[UROMH_MAX_HOST + 1]; /* as the resolver has it; "" before, and when it has none */
	bool has_asked;
};

/* Plain memory, nothing to be ended. */
void uromh_names_init(struct uromh_names *names);

/* Is this one of them, or an address of this host? */
bool uromh_names_have(struct uromh_names *names, const char *name);

/* Those that were tried, for log lines. text: of UROMH_NAMES_TEXT bytes, which is returned. */
const char *uromh_names_text(const struct uromh_names *names, char *text);

/* The name of this host, for the daemon; of UROMH_MAX_HOST + 1 bytes. */
void uromh_name_of_host(char *name);

#endif /* UROMH_SERVICE_NAMES_H_ */
