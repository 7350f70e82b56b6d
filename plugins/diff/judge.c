/* SPDX-License-Identifier: Apache-2.0 */
/* Is a change of a measure more than noise? All comparisons are of whole numbers. */
#include "diff.h"

enum { FEW = 4, QUARTILES = 8 };

int is_at_least(wide part, wide whole, int64_t percent)
{
	return (part < 0 ? -part : part) * 100 * PERCENT >= whole * percent;
}

/* Least n with n * n >= value. */
static int64_t root_above(int64_t value)
{
	int64_t low = 0, high = INT64_C(1) << 31;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (middle * middle >= value)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* What rounding to whole microseconds can make of a sum of so many durations. */
int64_t resolution_floor(int64_t resolution_ns, int64_t calls)
{
	return 2 * resolution_ns * root_above(calls > 1 ? calls : 1);
}

/* Medians of the two halves of one capture differ by more than |change|, by proportion. */
static int is_within_drift(const struct summary *summary, wide change, int64_t base)
{
	wide drift = (wide)summary->late - summary->early;

	return summary->n >= FEW && summary->median &&
	       (change < 0 ? -change : change) * summary->median < (drift < 0 ? -drift : drift) * base;
}

static int is_apart(const struct summary *base, const struct summary *cand, int64_t n, int is_up)
{
	if (n == 1)
		return 1;
	if (n < QUARTILES)
		return is_up ? cand->min > base->max : cand->max < base->min;
	return is_up ? cand->q1 > base->q3 : cand->q3 < base->q1;
}

void judge_measure(const struct judge *judge, const struct summary *base, const struct summary *cand, int64_t limit,
                   struct judged *out)
{
	int64_t n = base->n < cand->n ? base->n : cand->n, noise = limit;
	wide change = (wide)cand->median - base->median, size = change < 0 ? -change : change;

	out->base = base->median;
	out->cand = cand->median;
	out->n_base = base->n;
	out->n_cand = cand->n;
	out->limit = limit;
	out->because = NULL;
	out->result = R_SHOWN;
	if (limit == NO_LIMIT)
		return;
	out->result = R_UNCHANGED;
	if (!base->median) {
		if (cand->median && cand->median >= judge->settings->min_effect)
			out->result = R_REGRESSED;
		return;
	}
	if (size < judge->settings->min_effect || !is_at_least(change, base->median, limit))
		return;
	if (n < FEW)
		noise = limit * judge->settings->few_factor;
	if (judge->resolution_ns > 1 && size <= resolution_floor(judge->resolution_ns, judge->calls))
		out->because = "within the time resolution of the trace";
	else if (!is_apart(base, cand, n, change > 0))
		out->because = "within what steps of one trace differ among themselves";
	else if (!is_at_least(change, base->median, noise))
		out->because = "less than is asked where a side has fewer than 4 steps";
	else if (is_within_drift(base, change, base->median) || is_within_drift(cand, change, base->median))
		out->because = "less than the drift within a trace";
	else
		out->result = change > 0 ? R_REGRESSED : R_IMPROVED;
}
