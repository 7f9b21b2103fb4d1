/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/config/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* A kernel for more processors than cpu_set_t has bits refuses to write into one. */
#define MAX_KERNEL_CPUS 65536

static void set_add(uint8_t *set, unsigned int cpu)
{
	set[cpu / 8] |= (uint8_t)(1u << (cpu % 8));
}

static bool set_has(const uint8_t *set, unsigned int cpu)
{
	return (set[cpu / 8] >> (cpu % 8) & 1) != 0;
}

/* Takes a number in [0, max] off the text. */
static bool take_number(const char **text, unsigned long max, unsigned long *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*number = strtoul(*text, &end, 10);
	*text = end;
	return *number <= max;
}

/* Takes one "N", "N-M" or "N-M:STEP". */
static bool take_range(const char **text, uint8_t *set)
{
	unsigned long first, last, step = 1;

	if (!take_number(text, UROMD_NUM_CPUS - 1, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!take_number(text, UROMD_NUM_CPUS - 1, &last) || last < first)
			return false;
		if (**text == ':') {
			(*text)++;
			if (!take_number(text, UROMD_NUM_CPUS, &step) || step == 0)
				return false;
		}
	}
	for (unsigned long cpu = first; cpu <= last; cpu += step)
		set_add(set, (unsigned int)cpu);
	return true;
}

doca_error_t uromd_cpus_parse(const char *list, uint8_t *set)
{
	uint8_t found[WIRE_CPUSET_SIZE] = { 0 };

	while (take_range(&list, found)) {
		if (*list == '\0') {
			memcpy(set, found, sizeof(found));
			return DOCA_SUCCESS;
		}
		if (*list++ != ',')
			break;
	}
	return DOCA_ERROR_INVALID_VALUE;
}

doca_error_t uromd_cpus_get_allowed(cpu_set_t *allowed)
{
	const size_t size = CPU_ALLOC_SIZE(MAX_KERNEL_CPUS);
	cpu_set_t *all = CPU_ALLOC(MAX_KERNEL_CPUS);
	doca_error_t result = DOCA_SUCCESS;

	if (all == NULL)
		return DOCA_ERROR_NO_MEMORY;
	CPU_ZERO(allowed);
	if (sched_getaffinity(0, size, all) != 0)
		result = core_error_from_errno(errno);
	for (size_t cpu = 0; cpu < UROMD_NUM_CPUS && result == DOCA_SUCCESS; cpu++) {
		if (CPU_ISSET_S(cpu, size, all))
			CPU_SET(cpu, allowed);
	}
	CPU_FREE(all);
	return result;
}

doca_error_t uromd_cpus_init(struct uromd_cpus *cpus, const cpu_set_t *allowed, const char *list,
			     struct uromd_failure *failure)
{
	*cpus = (struct uromd_cpus){ .is_logical = list != NULL };
	for (unsigned int cpu = 0; cpu < UROMD_NUM_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, allowed))
			continue;
		cpus->allowed[cpus->num_allowed++] = (uint16_t)cpu;
		set_add(cpus->advertised, cpu);
	}
	if (cpus->num_allowed == 0)
		return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
				  "this process may use none of the processors 0 to %d",
				  UROMD_NUM_CPUS - 1);
	if (list == NULL || uromd_cpus_parse(list, cpus->advertised) == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	return uromd_fail(failure, DOCA_ERROR_INVALID_VALUE,
			  "%s is no list of processors from 0 to %d, such as 0-7,16", list,
			  UROMD_NUM_CPUS - 1);
}

bool uromd_cpus_is_part(const struct uromd_cpus *cpus, const uint8_t *set)
{
	bool is_empty = true;

	for (size_t i = 0; i < WIRE_CPUSET_SIZE; i++) {
		if ((set[i] & ~cpus->advertised[i]) != 0)
			return false;
		is_empty &= set[i] == 0;
	}
	return !is_empty;
}

void uromd_cpus_map(const struct uromd_cpus *cpus, const uint8_t *set, cpu_set_t *real)
{
	CPU_ZERO(real);
	for (unsigned int cpu = 0; cpu < UROMD_NUM_CPUS; cpu++) {
		if (!set_has(set, cpu))
			continue;
		CPU_SET(cpus->is_logical ? cpus->allowed[cpu % cpus->num_allowed] : cpu, real);
	}
}
