/* SPDX-License-Identifier: BSD-3-Clause */
#include "urom/daemon/counters.h"

#include <stdio.h>
#include <stdlib.h>

#include <doca_log.h>

DOCA_LOG_REGISTER(UROMD::COUNTERS);

/* "worker-memory 18446744073709551615/18446744073709551615" and a comma. */
#define END_TEXT_BYTES (UROMD_NUM_LIMITS * 72)

void uromd_counter_reach(struct uromd_counters *counters, enum uromd_limit_id id, uint64_t value)
{
	struct uromd_counter *counter = &counters->of[id];

	if (value > counter->highest)
		counter->highest = value;
}

void uromd_counter_set(struct uromd_counters *counters, enum uromd_limit_id id, uint64_t value)
{
	counters->of[id].value = value;
	uromd_counter_reach(counters, id, value);
}

void uromd_counter_hit(struct uromd_counters *counters, enum uromd_limit_id id)
{
	counters->of[id].num_hits++;
}

void uromd_counters_log(const struct uromd_counters *counters,
			const struct uromd_limit_values *limits)
{
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_counter *counter = &counters->of[id];

		DOCA_LOG_INFO("limit %s: value=%lu highest=%lu limit=%lu hits=%lu",
			      uromd_limits[id].name, counter->value, counter->highest,
			      limits->of[id], counter->num_hits);
	}
}

void uromd_counters_log_end(const struct uromd_counters *counters)
{
	char text[END_TEXT_BYTES] = "";
	size_t len = 0;

	for (unsigned int id = 0; id < UROMD_NUM_LIMITS && len < sizeof(text); id++) {
		const struct uromd_counter *counter = &counters->of[id];
		int added =
		    snprintf(text + len, sizeof(text) - len, "%s%s %lu/%lu", id > 0 ? ", " : "",
			     uromd_limits[id].name, counter->highest, counter->num_hits);

		len += added > 0 ? (size_t)added : 0;
	}
	DOCA_LOG_INFO("limits, highest/hits: %s", text);
}

doca_error_t uromd_counters_encode(const struct uromd_counters *counters,
				   const struct uromd_limit_values *limits,
				   struct uromd_bytes *list)
{
	const size_t size = UROMD_NUM_LIMITS * (4 + WIRE_MAX_COUNTER_NAME + 4 * sizeof(uint64_t));
	uint8_t *data = malloc(size);
	size_t len = 0, added;

	if (data == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (unsigned int id = 0; id < UROMD_NUM_LIMITS; id++) {
		const struct uromd_counter *counter = &counters->of[id];
		const struct wire_counter record = {
			.name = uromd_text(uromd_limits[id].name),
			.value = counter->value,
			.highest = counter->highest,
			.limit = limits->of[id],
			.num_hits = counter->num_hits,
		};

		if (wire_encode(&wire_counter_message, &record, data + len, size - len, &added) ==
		    WIRE_OK)
			len += added; /* the size is that of all of them */
	}
	*list = (struct uromd_bytes){ .data = data, .len = (uint32_t)len };
	return DOCA_SUCCESS;
}
