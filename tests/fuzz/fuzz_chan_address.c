/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Addresses: as an operator writes them ("host:port", to be split), and as a peer sends those of
 * channels (bytes). The first byte says which. What is taken is taken apart right, what is not
 * leaves nothing behind, and each has a text.
 */

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urom/chan/chan.h"
#include "urom/chan/chan_address.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

#define UNTOUCHED 4711
#define MAX_HOST  24
#define FILLER    0xee

/* A finding: libFuzzer keeps the input of an abort. */
#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			(void)fprintf(stderr, "not so: %s\n", #condition); \
			abort();                                           \
		}                                                          \
	} while (0)

/* A copy of its own, ending in a NUL, so that the sanitizer sees a step behind it. */
static char *text_of(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 1);

	CHECK(text != NULL);
	memcpy(text, bytes, len);
	text[len] = '\0';
	return text;
}

/* Put together again, it must be the text, but for zeros before the port. */
static void check_split(const char *text, const char *host, uint16_t port)
{
	bool is_bracketed = text[0] == '[';
	size_t len = strlen(host);
	const char *rest = text + is_bracketed + len;

	CHECK(len > 0 && len < MAX_HOST);
	CHECK(memcmp(text + is_bracketed, host, len) == 0);
	if (is_bracketed) {
		CHECK(strchr(host, ']') == NULL && *rest == ']');
		rest++;
	} else if (*rest == ':') {
		CHECK(strchr(host, ':') == NULL);
	}
	if (*rest == '\0') {
		CHECK(port == UNTOUCHED);
		return;
	}
	CHECK(*rest++ == ':' && *rest != '\0');
	CHECK(strspn(rest, "0123456789") == strlen(rest));
	CHECK(strtoul(rest, NULL, 10) == port);
}

static void check_text(const uint8_t *bytes, size_t len)
{
	char *text = text_of(bytes, len);
	char *host = malloc(MAX_HOST);
	uint16_t port = UNTOUCHED;
	doca_error_t result;

	CHECK(host != NULL);
	memset(host, FILLER, MAX_HOST);
	result = chan_address_split(text, host, MAX_HOST, &port);
	if (result == DOCA_SUCCESS) {
		check_split(text, host, port);
	} else {
		CHECK(result == DOCA_ERROR_INVALID_VALUE && port == UNTOUCHED);
		CHECK((uint8_t)host[0] == FILLER);
	}
	free(host);
	free(text);
}

/* --- Addresses of channels, by a kind that takes them apart and connects to none --- */

static struct sockaddr_storage seen;

static doca_error_t note_connect(struct chan *chan, const struct sockaddr *addr, socklen_t len,
				 struct chan_conn **conn)
{
	(void)chan;
	(void)conn;
	CHECK(len == chan_address_len(addr) && len > 0);
	memset(&seen, 0, sizeof(seen));
	memcpy(&seen, addr, len);
	return DOCA_SUCCESS;
}

static const struct chan_ops note_ops = { .name = "note", .connect = note_connect };

const struct chan_ops *const chan_kinds[CHAN_NUM_KINDS] = { [CHAN_TCP] = &note_ops };

static bool is_loopback_v6(const uint8_t *ip)
{
	static const uint8_t one[16] = { [15] = 1 };
	static const uint8_t mapped[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };

	return memcmp(ip, one, sizeof(one)) == 0 || memcmp(ip, mapped, sizeof(mapped)) == 0;
}

static void check_connect(const uint8_t *bytes, size_t len, doca_error_t result)
{
	const struct sockaddr_in *v4 = (const void *)&seen;
	const struct sockaddr_in6 *v6 = (const void *)&seen;

	if (len == 8 && bytes[0] == CHAN_TCP && bytes[1] == 4) {
		CHECK(result == DOCA_SUCCESS && v4->sin_family == AF_INET);
		CHECK(memcmp(&v4->sin_port, bytes + 2, 2) == 0);
		CHECK(memcmp(&v4->sin_addr, bytes + 4, 4) == 0);
		CHECK(chan_address_is_loopback((const struct sockaddr *)v4) == (bytes[4] == 127));
	} else if (len == 20 && bytes[0] == CHAN_TCP && bytes[1] == 6) {
		CHECK(result == DOCA_SUCCESS && v6->sin6_family == AF_INET6);
		CHECK(memcmp(&v6->sin6_port, bytes + 2, 2) == 0);
		CHECK(memcmp(&v6->sin6_addr, bytes + 4, 16) == 0);
		CHECK(chan_address_is_loopback((const struct sockaddr *)v6) ==
		      is_loopback_v6(bytes + 4));
	} else {
		CHECK(result == DOCA_ERROR_INVALID_VALUE);
	}
}

static void check_bytes(const uint8_t *bytes, size_t len)
{
	struct chan chan = { .ops = &note_ops };
	uint8_t *block = malloc(len + 1); /* the address is its end, also when it is empty */
	const uint8_t *addr = block + 1;
	char text[CHAN_ADDR_TEXT];
	struct chan_conn *conn;
	enum chan_kind kind;
	doca_error_t result;

	CHECK(block != NULL);
	memcpy(block + 1, bytes, len);
	kind = chan_address_kind(addr, len);
	CHECK(kind == (len > 0 && bytes[0] == CHAN_TCP ? CHAN_TCP : CHAN_NUM_KINDS));
	result = chan_connect(&chan, addr, len, &conn);
	check_connect(bytes, len, result);
	if (result == DOCA_SUCCESS)
		CHECK(chan_address_is_local(addr, len) ==
		      chan_address_is_loopback((const struct sockaddr *)&seen));
	else
		(void)chan_address_is_local(addr, len); /* whatever kind it is of */
	if (result == DOCA_SUCCESS)
		CHECK(strrchr(chan_address_text((const struct sockaddr *)&seen, text), ':'));
	free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	if (size == 0)
		return 0;
	if (input[0] % 2 == 0)
		check_text(input + 1, size - 1);
	else
		check_bytes(input + 1, size - 1);
	return 0;
}
