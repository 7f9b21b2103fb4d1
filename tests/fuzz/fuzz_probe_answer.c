/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a probing process prints, which is what the plugin in it likes to, and how it ends. An input
 * is a sequence of steps: bytes for either output, in the portions in which they come. The verdict
 * is compared with a simple one, and reasons are single lines of harmless text.
 */

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "script.h"
#include "urom/daemon/plugins/answer.h"
#include "urom/daemon/plugins/complaints.h"

#define MAX_OUT 4096

/* What has come over standard output, as far as it matters. */
struct model {
	char out[MAX_OUT + 1];
	size_t len;
};

static void hear_out(struct model *model, const struct script_step *step)
{
	for (size_t i = 0; i < step->len && model->len < MAX_OUT; i++)
		model->out[model->len++] = (char)step->bytes[i];
}

/* Is it "plugin N 0xM\n", with numbers that fit? */
static bool is_answer(const struct model *model, uint64_t *version)
{
	char again[UROMD_ANSWER_SIZE + 1], tail[2];
	uint64_t api;

	if (model->len > UROMD_ANSWER_SIZE || strlen(model->out) != model->len)
		return false;
	if (sscanf(model->out, "plugin %" SCNu64 " 0x%" SCNx64 "%1[\n]", version, &api, tail) != 3)
		return false;
	(void)snprintf(again, sizeof(again), "plugin %" PRIu64 " 0x%" PRIx64 "\n", *version, api);
	return strcmp(again, model->out) == 0;
}

static void check_text(const char *text, size_t size)
{
	CHECK(memchr(text, '\0', size) != NULL);
	for (; *text != '\0'; text++)
		CHECK(!iscntrl((unsigned char)*text));
}

static void check_answer(const struct model *model, const struct uromd_answer *answer,
			 const siginfo_t *end)
{
	const bool is_well = end->si_code == CLD_EXITED && end->si_status == 0;
	uint64_t version;

	check_text(answer->reason, sizeof(answer->reason));
	CHECK(!answer->is_plugin || is_well);
	CHECK(answer->is_plugin || answer->reason[0] != '\0');
	/* Numbers with zeros before them are taken, too. */
	if (is_well && is_answer(model, &version))
		CHECK(answer->is_plugin && answer->version == version);
	if (answer->is_plugin)
		CHECK(strncmp(model->out, "plugin ", 7) == 0 && model->out[model->len - 1] == '\n');
}

static void complain(const struct uromd_answer *answer)
{
	struct uromd_complaints complaints = { .texts = NULL }, before = { .texts = NULL };

	uromd_complain(&before, "plugins: %s", answer->reason);
	for (size_t i = 0; i < 20; i++)
		uromd_complain(&complaints, "plugins: %s%.*s", answer->reason, (int)i, "\n\x1b[0m");
	uromd_complaints_log(&complaints, &before);
	uromd_complaints_fini(&complaints);
	uromd_complaints_fini(&before);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	script_watch_log();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct uromd_heard heard = { .out_len = 0 };
	struct model model = { .len = 0 };
	siginfo_t end = { .si_code = CLD_EXITED };
	struct uromd_answer answer;
	struct script_step step;

	while (script_next(&input, &size, &step)) {
		char *copy = malloc(step.len > 0 ? step.len : 1);

		CHECK(copy != NULL);
		memcpy(copy, step.bytes, step.len);
		if (step.what % 3 == 0) {
			uromd_heard_out(&heard, copy, step.len);
			hear_out(&model, &step);
		} else if (step.what % 3 == 1) {
			uromd_heard_err(&heard, copy, step.len);
		} else {
			end.si_code = (step.flags & 1) != 0 ? CLD_KILLED : CLD_EXITED;
			end.si_status = step.type;
		}
		free(copy);
	}
	uromd_heard_judge(&heard, &end, &answer);
	check_answer(&model, &answer, &end);
	complain(&answer);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return script_mutate(&script_steps, data, size, max_size, seed);
}
