/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/host/service_file.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
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

static void ask_whole_name(struct uromh_self *self, const char *own)
{
	struct uromh_addresses addresses;
	const char *why;
	doca_error_t result;

	self->is_asked = true;
	result = uromh_resolve(own, 0, AI_CANONNAME, core_now_ms() + UROMH_SELF_TIMEOUT_MS,
			       &addresses, &why);
	if (result == DOCA_SUCCESS)
		memcpy(self->whole_name, addresses.whole_name, sizeof(self->whole_name));
	else if (result != DOCA_ERROR_NOT_FOUND)
		DOCA_LOG_WARN("the whole name of this host, %s, is not known: %s", own, why);
}

static bool is_full_name(struct uromh_self *self, const char *name, const char *own)
{
	if (!self->is_asked)
		ask_whole_name(self, own);
	return strcasecmp(self->whole_name, name) == 0;
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

bool uromh_name_is_ours(struct uromh_self *self, const char *name)
{
	char own[UROMH_MAX_HOST + 1];
	struct in6_addr address;

	if (inet_pton(AF_INET, name, &address) == 1)
		return is_own_address(AF_INET, &address);
	if (inet_pton(AF_INET6, name, &address) == 1)
		return is_own_address(AF_INET6, &address);
	uromh_name_of_host(own);
	if (strcasecmp(own, name) == 0 || same_short_name(own, name))
		return true;
	/* Asking the resolver takes time: only for a whole name of this very host. */
	return strncasecmp(own, name, strcspn(own, ".")) == 0 && is_full_name(self, name, own);
}
