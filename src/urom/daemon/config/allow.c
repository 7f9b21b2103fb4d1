/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/allow.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRY 128
#define V4_BITS   96 /* before an IPv4 address, as IPv6 has it */

static const uint8_t v4_begin[12] = { [10] = 0xff, [11] = 0xff };

/* Takes the next word off a list; false: there is none. One that is too long is cut, and so wrong.
 */
static bool next_word(const char **list, char word[MAX_ENTRY])
{
	size_t len;

	if (*list == NULL)
		return false;
	len = strcspn(*list, ",");
	(void)snprintf(word, MAX_ENTRY, "%.*s", (int)(len < MAX_ENTRY ? len : MAX_ENTRY), *list);
	*list = (*list)[len] == ',' ? *list + len + 1 : NULL;
	return true;
}

static size_t count_words(const char *list)
{
	size_t count = 1;

	for (; *list != '\0'; list++)
		count += *list == ',';
	return count;
}

/* A number of digits alone, up to max. */
static bool read_number(const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	*number = strtoul(text, &end, 10);
	return *end == '\0' && *number <= max;
}

/* Memory for as many entries as a list has. */
static doca_error_t make_room(const char *option, const char *text, size_t size, void **entries,
			      struct uromd_failure *failure)
{
	const size_t count = count_words(text);

	*entries = NULL;
	if (count > UROMD_MAX_ALLOWED) {
		(void)uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				 "%s: more than %d entries are too many", option,
				 UROMD_MAX_ALLOWED);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*entries = calloc(count, size);
	if (*entries != NULL)
		return DOCA_SUCCESS;
	(void)uromd_fail(failure, DOCA_ERROR_NO_MEMORY, "no memory");
	return DOCA_ERROR_NO_MEMORY;
}

/* --- Hosts --- */

static bool parse_prefix(char *word, struct uromd_prefix *prefix)
{
	char *slash = strchr(word, '/');
	unsigned long bits = 128;
	unsigned int before = 0;

	if (slash != NULL)
		*slash = '\0';
	if (inet_pton(AF_INET, word, prefix->ip + sizeof(v4_begin)) == 1) {
		memcpy(prefix->ip, v4_begin, sizeof(v4_begin));
		before = V4_BITS;
		bits = 32;
	} else if (inet_pton(AF_INET6, word, prefix->ip) != 1) {
		return false;
	}
	if (slash != NULL && !read_number(slash + 1, bits, &bits))
		return false;
	prefix->bits = before + (unsigned int)bits;
	return true;
}

doca_error_t uromd_allow_hosts_parse(const char *text, struct uromd_allow_hosts *hosts,
				     struct uromd_failure *failure)
{
	struct uromd_allow_hosts parsed = { .count = 0 };
	char word[MAX_ENTRY], kept[MAX_ENTRY];
	void *room;
	doca_error_t result;

	result = make_room("--allow-hosts", text, sizeof(*parsed.prefixes), &room, failure);
	if (result != DOCA_SUCCESS)
		return result;
	parsed.prefixes = room;
	while (next_word(&text, word)) {
		memcpy(kept, word, sizeof(kept));
		if (parse_prefix(word, &parsed.prefixes[parsed.count++]))
			continue;
		uromd_allow_hosts_fini(&parsed);
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "--allow-hosts: \"%s\" is no address, and no ADDRESS/BITS", kept);
	}
	*hosts = parsed;
	return DOCA_SUCCESS;
}

static bool is_within(const struct uromd_prefix *prefix, const uint8_t ip[16])
{
	const unsigned int whole = prefix->bits / 8, rest = prefix->bits % 8;

	if (memcmp(prefix->ip, ip, whole) != 0)
		return false;
	return rest == 0 || (prefix->ip[whole] ^ ip[whole]) >> (8 - rest) == 0;
}

bool uromd_allow_hosts_has(const struct uromd_allow_hosts *hosts, const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	uint8_t ip[16];

	if (hosts->prefixes == NULL)
		return true;
	if (address->sa_family == AF_INET) {
		memcpy(ip, v4_begin, sizeof(v4_begin));
		memcpy(ip + sizeof(v4_begin), &v4->sin_addr, sizeof(v4->sin_addr));
	} else if (address->sa_family == AF_INET6) {
		memcpy(ip, &v6->sin6_addr, sizeof(ip));
	} else {
		return false;
	}
	for (size_t i = 0; i < hosts->count; i++) {
		if (is_within(&hosts->prefixes[i], ip))
			return true;
	}
	return false;
}

void uromd_allow_hosts_fini(struct uromd_allow_hosts *hosts)
{
	free(hosts->prefixes);
	*hosts = (struct uromd_allow_hosts){ .count = 0 };
}

/* --- Users --- */

static bool parse_user(const char *word, uid_t *uid)
{
	const struct passwd *entry;
	unsigned long number;

	/* All ones are no user. */
	if (read_number(word, UINT32_MAX - 1, &number)) {
		*uid = (uid_t)number;
		return true;
	}
	entry = word[0] != '\0' ? getpwnam(word) : NULL;
	if (entry == NULL)
		return false;
	*uid = entry->pw_uid;
	return true;
}

doca_error_t uromd_allow_users_parse(const char *text, struct uromd_allow_users *users,
				     struct uromd_failure *failure)
{
	struct uromd_allow_users parsed = { .count = 0 };
	char word[MAX_ENTRY];
	void *room;
	doca_error_t result;

	result = make_room("--allow-users", text, sizeof(*parsed.uids), &room, failure);
	if (result != DOCA_SUCCESS)
		return result;
	parsed.uids = room;
	while (next_word(&text, word)) {
		if (parse_user(word, &parsed.uids[parsed.count++]))
			continue;
		uromd_allow_users_fini(&parsed);
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "--allow-users: this machine knows no user \"%s\"", word);
	}
	*users = parsed;
	return DOCA_SUCCESS;
}

bool uromd_allow_users_has(const struct uromd_allow_users *users, uid_t uid)
{
	for (size_t i = 0; i < users->count; i++) {
		if (users->uids[i] == uid)
			return true;
	}
	return users->uids == NULL;
}

void uromd_allow_users_fini(struct uromd_allow_users *users)
{
	free(users->uids);
	*users = (struct uromd_allow_users){ .count = 0 };
}
