/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service_names.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/log.h"
#include "urom/host/resolve.h"

CORE_LOG_REGISTER(UROM::SERVICE_NAMES);

void uromh_name_of_host(char *name)
{
	static const char unknown[] = "localhost";

	if (gethostname(name, UROMH_MAX_HOST + 1) != 0)
		memcpy(name, unknown, sizeof(unknown));
	name[UROMH_MAX_HOST] = '\0';
}

/* Is it the first label of the other, or both have the same one? A whole name that differs is not.
 */
static bool same_short_name(const char *a, const char *b)
{
	size_t a_len = strcspn(a, "."), b_len = strcspn(b, ".");
	bool one_is_short = a[a_len] == '\0' || b[b_len] == '\0';

	return one_is_short && a_len == b_len && strncasecmp(a, b, a_len) == 0;
}

/* Takes time, so the answer is kept. */
static void ask_resolver(struct uromh_names *names)
{
	struct uromh_addresses addresses;
	const char *why;
	doca_error_t result;

	names->has_asked = true;
	result = uromh_resolve(names->own, 0, AI_CANONNAME, core_now_ms() + UROMH_NAMES_TIMEOUT_MS,
			       &addresses, &why);
	if (result == DOCA_SUCCESS)
		memcpy(names->full, addresses.whole_name, sizeof(names->full));
	else if (result != DOCA_ERROR_NOT_FOUND)
		DOCA_LOG_WARN("the whole name of this host, %s, is not known: %s", names->own, why);
}

static bool same_address(const struct sockaddr *a, int family, const void *bytes)
{
	if (a == NULL || a->sa_family != family)
		return false;
	if (family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)(const void *)a)->sin_addr, bytes,
			      sizeof(struct in_addr)) == 0;
	return memcmp(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, bytes,
		      sizeof(struct in6_addr)) == 0;
}

static bool is_own_address(int family, const void *bytes)
{
	struct ifaddrs *all;
	bool is_found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (const struct ifaddrs *at = all; at != NULL && !is_found; at = at->ifa_next)
		is_found = same_address(at->ifa_addr, family, bytes);
	freeifaddrs(all);
	return is_found;
}

void uromh_names_init(struct uromh_names *names)
{
	*names = (struct uromh_names){ .has_asked = false };
	uromh_name_of_host(names->own);
}

bool uromh_names_have(struct uromh_names *names, const char *name)
{
	const size_t short_len = strcspn(names->own, ".");
	struct in6_addr address;

	if (inet_pton(AF_INET, name, &address) == 1)
		return is_own_address(AF_INET, &address);
	if (inet_pton(AF_INET6, name, &address) == 1)
		return is_own_address(AF_INET6, &address);
	if (strcasecmp(names->own, name) == 0 || same_short_name(names->own, name))
		return true;
	/* Only for a whole name of this very host. */
	if (strncasecmp(names->own, name, short_len) != 0 || name[short_len] != '.')
		return false;
	if (!names->has_asked)
		ask_resolver(names);
	return strcasecmp(names->full, name) == 0;
}

const char *uromh_names_text(const struct uromh_names *names, char *text)
{
	const int short_len = (int)strcspn(names->own, ".");
	size_t len = (size_t)snprintf(text, UROMH_NAMES_TEXT, "%s", names->own);

	if (names->own[short_len] != '\0')
		len += (size_t)snprintf(text + len, UROMH_NAMES_TEXT - len, ", %.*s", short_len,
					names->own);
	if (names->full[0] != '\0' && strcasecmp(names->full, names->own) != 0)
		(void)snprintf(text + len, UROMH_NAMES_TEXT - len, ", %s", names->full);
	return text;
}
