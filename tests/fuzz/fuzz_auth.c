/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What authentication reads of others: a cookie file, proofs, and the verdict of the process that
 * has asked munged. An input is a sequence of steps. Nothing but the one right answer may do; a
 * step that begins with that and changes it must not.
 */

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/export.h"
#include "script.h"
#include "urom/auth/auth_cookie.h"
#include "urom/auth/auth_method.h"
#include "urom/auth/auth_munge.h"

#define MAX_STEPS 50

static uint8_t secret[AUTH_SECRET_SIZE];

/* The handshake that the proofs are of; a step may make it another. */
static struct auth_context context;

/* The bytes of the step where they end where nothing may be read any more. owned */
static uint8_t *copy_of(const struct script_step *step)
{
	uint8_t *copy = malloc(step->len > 0 ? step->len : 1);

	CHECK(copy != NULL);
	memcpy(copy, step->bytes, step->len);
	return copy;
}

/* Changes bytes as the step says; true: they are others now. */
static bool change(uint8_t *bytes, size_t len, const struct script_step *step)
{
	bool is_changed = false;

	for (size_t i = 0; i < len && i < step->len; i++) {
		bytes[i] ^= step->bytes[i];
		is_changed = is_changed || step->bytes[i] != 0;
	}
	return is_changed;
}

/* --- Cookies --- */

static int digit_of(uint8_t c)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c != '\0' ? strchr(digits, c) : NULL;

	return found != NULL ? (int)((found - digits) % 16) : -1;
}

/* The same as auth_cookie_parse(), digit by digit. */
static bool is_cookie(const uint8_t *text, size_t len, uint8_t *wanted)
{
	if (len != AUTH_COOKIE_FILE_SIZE || text[len - 1] != '\n')
		return false;
	for (size_t i = 0; i < len - 1; i++) {
		const int digit = digit_of(text[i]);

		if (digit < 0)
			return false;
		wanted[i / 2] = (uint8_t)(wanted[i / 2] << 4 | digit);
	}
	return true;
}

static void do_cookie(const struct script_step *step)
{
	uint8_t found[AUTH_SECRET_SIZE], wanted[AUTH_SECRET_SIZE] = { 0 };
	uint8_t *text = copy_of(step);
	const bool is_good = is_cookie(text, step->len, wanted);

	CHECK(auth_cookie_parse(text, step->len, found) == is_good);
	CHECK(!is_good || memcmp(found, wanted, sizeof(found)) == 0);
	free(text);
}

/* The same from a file; its mode is of the step, too. */
static void do_cookie_file(const struct script_step *step)
{
	const mode_t mode = (mode_t)(step->type & 0777) | S_IRUSR;
	const bool is_private = (mode & (S_IWGRP | S_IRWXO)) == 0;
	uint8_t wanted[AUTH_SECRET_SIZE] = { 0 };
	const bool is_good = is_cookie(step->bytes, step->len, wanted) && is_private;
	int fd = memfd_create("cookie", MFD_CLOEXEC);
	struct auth_cookie cookie;
	struct auth_reason reason = { .text = "" };
	doca_error_t result;
	char path[64];

	CHECK(fd >= 0 && write(fd, step->bytes, step->len) == (ssize_t)step->len);
	CHECK(fchmod(fd, mode) == 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = auth_cookie_load(path, &cookie, &reason);
	close(fd);
	CHECK(result == (is_good ? DOCA_SUCCESS : DOCA_ERROR_AUTHENTICATION));
	CHECK(is_good || reason.text[0] != '\0');
	CHECK(!is_good || memcmp(cookie.secret, wanted, sizeof(wanted)) == 0);
	CHECK(auth_cookie_load(path, &cookie, &reason) == DOCA_ERROR_NOT_FOUND);
}

/* --- Proofs --- */

static void do_context(const struct script_step *step)
{
	memset(&context, step->who, sizeof(context));
	(void)change((uint8_t *)&context, sizeof(context), step);
}

static enum auth_prover prover_of(const struct script_step *step)
{
	return step->who % AUTH_NUM_PROVERS;
}

/* What the other side may show to be taken for this one. */
static void do_proof(const struct script_step *step)
{
	const enum auth_prover prover = prover_of(step);
	uint8_t *bytes = copy_of(step);
	struct wire_bytes proof = { bytes, (uint32_t)step->len };
	uint8_t right[AUTH_PROOF_SIZE];

	auth_proof_make(secret, &context, prover, right);
	CHECK(auth_proof_check(secret, &context, prover, &proof) ==
	      (step->len == sizeof(right) && memcmp(bytes, right, sizeof(right)) == 0));
	free(bytes);
}

static void do_changed_proof(const struct script_step *step)
{
	const enum auth_prover prover = prover_of(step);
	uint8_t bytes[AUTH_PROOF_SIZE];
	const struct wire_bytes proof = { bytes, sizeof(bytes) - step->type % 2 };
	bool is_right;

	auth_proof_make(secret, &context, prover, bytes);
	is_right = !change(bytes, sizeof(bytes), step) && proof.len == sizeof(bytes);
	CHECK(auth_proof_check(secret, &context, prover, &proof) == is_right);
	if (is_right) /* what the daemon has shown is no proof of a peer, nor the other way round */
		CHECK(!auth_proof_check(secret, &context, !prover, &proof));
}

static void do_statement(const struct script_step *step)
{
	const enum auth_prover prover = prover_of(step);
	uint8_t *bytes = copy_of(step);
	const struct wire_bytes statement = { bytes, (uint32_t)step->len };
	uint8_t right[AUTH_STATEMENT_SIZE];

	auth_statement(&context, prover, right);
	CHECK(auth_statement_check(&context, prover, &statement) ==
	      (step->len == sizeof(right) && memcmp(bytes, right, sizeof(right)) == 0));
	free(bytes);
}

/* --- Verdicts --- */

/* Of a credential that was good, or not, with the right payload or one that was changed. */
static void do_verdict(const struct script_step *step)
{
	struct auth_verdict verdict = { .result = (doca_error_t)step->type };
	struct auth_reason reason = { .text = "" };
	bool is_right = step->type == DOCA_SUCCESS;

	auth_statement(&context, AUTH_PEER, verdict.payload);
	verdict.payload_len = AUTH_STATEMENT_SIZE + (uint32_t)step->who;
	(void)snprintf(verdict.reason.text, sizeof(verdict.reason.text), "munged says no");
	is_right = !change(verdict.payload, sizeof(verdict.payload), step) && is_right;
	is_right = is_right && step->who == 0;
	CHECK((auth_verdict_check(&verdict, &context, &reason) == DOCA_SUCCESS) == is_right);
	CHECK(is_right || reason.text[0] != '\0');
}

/* As it comes, whatever is in it. */
static void do_raw_verdict(const struct script_step *step)
{
	uint8_t right[AUTH_STATEMENT_SIZE];
	struct auth_verdict verdict;
	struct auth_reason reason;
	bool is_right;

	memset(&verdict, 0, sizeof(verdict));
	(void)change((uint8_t *)&verdict, sizeof(verdict), step);
	verdict.reason.text[sizeof(verdict.reason.text) - 1] = '\0';
	auth_statement(&context, AUTH_PEER, right);
	is_right = verdict.result == DOCA_SUCCESS && verdict.payload_len == sizeof(right) &&
		   memcmp(verdict.payload, right, sizeof(right)) == 0;
	CHECK((auth_verdict_check(&verdict, &context, &reason) == DOCA_SUCCESS) == is_right);
}

/* --- Methods --- */

static void do_method(const struct script_step *step)
{
	char *name = strndup((const char *)step->bytes, step->len);
	uint8_t number;

	CHECK(name != NULL && auth_method_name(step->type) != NULL);
	if (auth_method_find(name, &number))
		CHECK(strcmp(auth_method_name(number), name) == 0);
	free(name);
}

static void (*const steps[])(const struct script_step *step) = {
	do_cookie,    do_cookie_file, do_context,     do_proof,  do_changed_proof,
	do_statement, do_verdict,     do_raw_verdict, do_method,
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	uint8_t nonce[WIRE_NONCE_SIZE];

	(void)argc;
	(void)argv;
	CHECK(auth_nonce(nonce) == DOCA_SUCCESS);
	memset(secret, 's', sizeof(secret));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct script_step step;

	memset(&context, 0, sizeof(context));
	for (size_t i = 0; i < MAX_STEPS && script_next(&input, &size, &step); i++)
		steps[script_what(&step, CORE_ARRAY_LEN(steps))](&step);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return script_mutate(&script_steps, data, size, max_size, seed);
}
