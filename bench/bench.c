/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_measure.h"

#define DEFAULT_JSON   "build/bench.jsonl"
#define FULL_ROUNDS    11
#define FULL_ROUND_MS  200
#define QUICK_ROUNDS   7
#define QUICK_ROUND_MS 50
#define MAX_ROUND_MS   60000

enum {
	STATUS_FAILED = 1,
	STATUS_USAGE = 2
};

struct options {
	const char *json;
	const char *filter; /* part of a case's name; NULL: all */
	bool is_quick;
	bool is_help;
	unsigned int num_rounds; /* 0: by default */
	unsigned int round_ms;   /* 0: by default */
};

static const char *const unit_names[] = {
	[BENCH_NS] = "ns",
	[BENCH_GB_PER_S] = "GB/s",
};

void bench_fail(const char *what, const char *why)
{
	(void)fprintf(stderr, "benchmark failed: %s: %s\n", what, why);
	exit(STATUS_FAILED);
}

static void print_usage(const struct bench_program *program, FILE *out)
{
	(void)fprintf(out,
		      "usage: %s [OPTION...]\n"
		      "  --quick        %d rounds of %d ms a side instead of %d of %d ms\n"
		      "  --case NAME    only the cases with NAME in their name\n"
		      "  --json FILE    append the figures to FILE (%s)\n"
		      "  --rounds N     N rounds; fewer than 5 make no figure to quote\n"
		      "  --round-ms N   rounds of N milliseconds a side\n"
		      "  --help         this text\n"
		      "cases:\n",
		      program->name, QUICK_ROUNDS, QUICK_ROUND_MS, FULL_ROUNDS, FULL_ROUND_MS,
		      DEFAULT_JSON);
	for (size_t i = 0; i < program->num_cases; i++)
		(void)fprintf(out, "  %s\n", program->cases[i].name);
}

/* A number in 1..max. */
static bool parse_number(const char *text, unsigned int max, unsigned int *number)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || value == 0 || value > max)
		return false;
	*number = (unsigned int)value;
	return true;
}

static bool parse_options(int argc, char **argv, struct options *options)
{
	static const struct option names[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "case", required_argument, NULL, 'c' },
		{ "json", required_argument, NULL, 'j' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "round-ms", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	bool is_good = true;
	int letter;

	while (is_good && (letter = getopt_long(argc, argv, "h", names, NULL)) != -1) {
		switch (letter) {
		case 'q':
			options->is_quick = true;
			break;
		case 'c':
			options->filter = optarg;
			break;
		case 'j':
			options->json = optarg;
			break;
		case 'r':
			is_good = parse_number(optarg, BENCH_MAX_ROUNDS, &options->num_rounds);
			break;
		case 'm':
			is_good = parse_number(optarg, MAX_ROUND_MS, &options->round_ms);
			break;
		case 'h':
			options->is_help = true;
			break;
		default:
			is_good = false; /* getopt_long has said why */
		}
	}
	return is_good && optind == argc;
}

static bool is_asked_for(const struct options *options, const struct bench_case *one)
{
	return options->filter == NULL || strstr(one->name, options->filter) != NULL;
}

static struct bench_plan make_plan(const struct options *options)
{
	unsigned int num_rounds = options->is_quick ? QUICK_ROUNDS : FULL_ROUNDS;
	unsigned int round_ms = options->is_quick ? QUICK_ROUND_MS : FULL_ROUND_MS;

	if (options->num_rounds > 0)
		num_rounds = options->num_rounds;
	if (options->round_ms > 0)
		round_ms = options->round_ms;
	return (struct bench_plan){
		.num_rounds = num_rounds,
		.round_ns = round_ms * UINT64_C(1000000),
	};
}

/* Pins this process, and says where the figures are taken. */
static void print_head(const struct bench_program *program, const struct bench_plan *plan)
{
	int core = bench_pin(0);

	printf("%s: %u rounds of %u ms a side, ", program->name, plan->num_rounds,
	       (unsigned int)(plan->round_ns / 1000000u));
	if (core < 0)
		printf("NOT pinned: the system refuses it\n");
	else if (program->num_cores == 1)
		printf("pinned to processor %d\n", core);
	else if (bench_core(1) >= 0)
		printf("pinned to processors %d and %d\n", core, bench_core(1));
	else
		printf("pinned to processor %d, which BOTH sides share\n", core);
	printf("%-20s %-9s %10s %10s %-5s %-12s %7s  %9s %9s  %s\n", "case", "transport", "ours",
	       "peer", "unit", "peer is", "ratio", "insn ours", "insn peer", "limit");
}

static const char *format_count(char *text, size_t size, double count)
{
	if (count < 0)
		return "-";
	(void)snprintf(text, size, "%.1f", count);
	return text;
}

static const char *format_limit(char *text, size_t size, const struct bench_case *one,
				const struct bench_result *result)
{
	const struct bench_limit *limit = &one->limit;
	const char *verdict = result->is_in_limit ? "ok" : "MISSED";

	switch (limit->kind) {
	case BENCH_UNLIMITED:
		return "-";
	case BENCH_AT_MOST:
		(void)snprintf(text, size, "at most %g %s: %s", limit->value, unit_names[one->unit],
			       verdict);
		break;
	case BENCH_AT_MOST_MORE:
		(void)snprintf(text, size, "at most %g %s more: %s", limit->value,
			       unit_names[one->unit], verdict);
		break;
	case BENCH_AT_MOST_RATIO:
		if (limit->more > 0)
			(void)snprintf(text, size, "ratio at most %g and %g %s: %s", limit->value,
				       limit->more, unit_names[one->unit], verdict);
		else
			(void)snprintf(text, size, "ratio at most %g: %s", limit->value, verdict);
		break;
	case BENCH_AT_LEAST_RATIO:
		(void)snprintf(text, size, "ratio at least %g: %s", limit->value, verdict);
		break;
	}
	return text;
}

static void print_row(const struct bench_case *one, const struct bench_result *result)
{
	char ours[32], peer[32], limit[64];

	printf("%-20s %-9s %10.2f %10.2f %-5s %-12s %7.3f  %9s %9s  %s\n", one->name,
	       one->transport, result->ours.value, result->peer.value, unit_names[one->unit],
	       one->peer, result->ratio,
	       format_count(ours, sizeof(ours), result->ours.instructions),
	       format_count(peer, sizeof(peer), result->peer.instructions),
	       format_limit(limit, sizeof(limit), one, result));
	(void)fflush(stdout);
}

/* Names are ours and need no escapes. */
static void append_json(FILE *json, const char *bench, const struct bench_case *one,
			const struct bench_result *result)
{
	(void)fprintf(json,
		      "{\"bench\": \"%s\", \"case\": \"%s\", \"transport\": \"%s\", "
		      "\"ours\": %.9g, \"peer\": \"%s\", \"peer_value\": %.9g, "
		      "\"unit\": \"%s\", \"ratio\": %.9g}\n",
		      bench, one->name, one->transport, result->ours.value, one->peer,
		      result->peer.value, unit_names[one->unit], result->ratio);
	if (fflush(json) != 0)
		bench_fail("writing the figures", strerror(errno));
}

/* Returns whether all limits were kept. */
static bool run_cases(const struct bench_program *program, const struct options *options,
		      FILE *json)
{
	struct bench_plan plan = make_plan(options);
	bool is_good = true;

	print_head(program, &plan);
	for (size_t i = 0; i < program->num_cases; i++) {
		struct bench_case *one = &program->cases[i];
		struct bench_result result;

		if (!is_asked_for(options, one))
			continue;
		result = bench_measure(one, &plan);
		print_row(one, &result);
		append_json(json, program->name, one, &result);
		is_good = is_good && result.is_in_limit;
	}
	return is_good;
}

static bool has_case(const struct bench_program *program, const struct options *options)
{
	for (size_t i = 0; i < program->num_cases; i++) {
		if (is_asked_for(options, &program->cases[i]))
			return true;
	}
	(void)fprintf(stderr, "%s: no case is named like %s\n", program->name, options->filter);
	return false;
}

int bench_main(const struct bench_program *program, int argc, char **argv)
{
	struct options options = { .json = DEFAULT_JSON };
	bool is_good;
	FILE *json;

	if (!parse_options(argc, argv, &options)) {
		print_usage(program, stderr);
		return STATUS_USAGE;
	}
	if (options.is_help) {
		print_usage(program, stdout);
		return 0;
	}
	if (!has_case(program, &options))
		return STATUS_USAGE;
	json = fopen(options.json, "ae");
	if (json == NULL)
		bench_fail(options.json, strerror(errno));
	bench_cores_init();
	is_good = run_cases(program, &options, json);
	if (fclose(json) != 0)
		bench_fail(options.json, strerror(errno));
	return is_good ? 0 : STATUS_FAILED;
}
