/* SPDX-License-Identifier: Apache-2.0 */
#include <json.h>
#include <math.h>

#include "structure.h"

static bool is_good_number(struct tav_text text, bool is_share)
{
	char digits[64], *end;
	double value;

	if (!text.size || text.size >= sizeof(digits))
		return false;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	value = strtod(digits, &end);
	return !*end && isfinite(value) && (!is_share || (value >= 0 && value <= 100));
}

/* All values of a counter, and there must be some. */
static bool is_good(struct tav_text args, bool is_share)
{
	struct json object = json_of(args), key, value;
	uint64_t count = 0;

	if (!json_is(&object, '{'))
		return false;
	for (bool more = json_first(&object, &key); more && json_value(&key, &value); more = json_next(&key)) {
		if (json_is(&value, '{') || json_is(&value, '[') || !is_good_number(json_plain(&value), is_share))
			return false;
		key = value;
		count++;
	}
	return count > 0;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const uint32_t *args;
	uint64_t examined = facts_of(trust)->phases['C'];

	if (!examined)
		return does_not_apply(verdict);
	args = field_of(trust, FIELD_ARGS);
	if (!args)
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (trust->phase[row] != 'C')
			continue;
		if (!has_time(trust, row) ||
		    !is_good(trust->host->value(trust->self, 0, args[row]), word_of(trust, row) & WORD_SHARE))
			found(verdict, row);
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s ha%s values that can be", COUNTED(examined, "counter"),
		             examined == 1 ? "s" : "ve");
	return judge(verdict, TRUST_WARN, examined,
	             "%s of %s ha%s no finite value, or a share outside of 0 to 100; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "counter"), verdict->count == 1 ? "s" : "ve",
	             NAME(trust, verdict->rows[0]));
}

const struct trust_check check_counters = {
        .id = "counters",
        .question = "Are counter values finite, and shares within 0 to 100?",
        .worst = TRUST_WARN,
        .text = "Counters (ph C) hold numbers. Null, text, NaN and infinity are none; utilization, efficiency, "
                "occupancy and percent lie within 0 and 100. What does not was not measured.",
        .remedy = "leave these values out",
        .run = run,
};
