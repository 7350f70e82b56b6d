/* SPDX-License-Identifier: Apache-2.0 */
/* Medians and unions. */
#include "trust.h"

static int compare_times(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static int64_t middle_of(int64_t a, int64_t b, int64_t c)
{
	if (a > b)
		return a < c ? a : b > c ? b : c;
	return b < c ? b : a > c ? a : c;
}

int64_t select_nth(int64_t *values, uint64_t count, uint64_t nth)
{
	uint64_t low = 0, high = count; /* it lies in [low, high) */

	for (unsigned rounds = 0; high - low > 16; rounds++) {
		int64_t pivot = middle_of(values[low], values[low + (high - low) / 2], values[high - 1]);
		uint64_t less = low, at = low, more = high;

		if (rounds > 64) /* an order that keeps splitting badly */
			break;
		while (at < more) {
			int64_t value = values[at];

			if (value < pivot) {
				values[at++] = values[less];
				values[less++] = value;
			} else if (value > pivot) {
				values[at] = values[--more];
				values[more] = value;
			} else {
				at++;
			}
		}
		if (nth >= less && nth < more)
			return pivot;
		if (nth < less)
			high = less;
		else
			low = more;
	}
	qsort(values + low, high - low, sizeof(*values), compare_times);
	return values[nth];
}

int64_t lower_median(int64_t *values, uint64_t count)
{
	return select_nth(values, count, (count - 1) / 2);
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *left = a, *right = b;

	return left->from < right->from ? -1 : left->from > right->from;
}

int64_t union_of(struct span *spans, uint64_t count)
{
	int64_t sum = 0, reached = INT64_MIN;

	qsort(spans, count, sizeof(*spans), compare_spans);
	for (uint64_t i = 0; i < count; i++) {
		int64_t from = spans[i].from > reached ? spans[i].from : reached;

		if (spans[i].to <= from)
			continue;
		sum = tav_sum(sum, spans[i].to - from);
		reached = spans[i].to;
	}
	return sum;
}
