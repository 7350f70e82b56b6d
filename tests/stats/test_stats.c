/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <tav/rank.h>

#include "busy.h"
#include "groups.h"
#include "suite.h"

static uint64_t seed = 1;

static uint64_t roll(uint64_t sides)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % sides;
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void rank_is_a_value_of_the_sorted_list(void)
{
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t values[300], sorted[300], count = 1 + roll(300), range = 1 + roll(round % 3 ? 5 : 100000);

		for (uint64_t i = 0; i < count; i++)
			values[i] = roll(range);
		memcpy(sorted, values, sizeof(values));
		qsort(sorted, count, sizeof(*sorted), compare);
		for (unsigned percent = 1; percent <= 100; percent += round % 10 + 1) {
			uint64_t rank = 0;

			while (rank * 100 <
			       percent * count) /* the least whole number not below percent * count / 100 */
				rank++;
			CU_ASSERT_EQUAL_FATAL(tav_nearest_rank(values, count, percent), sorted[rank - 1]);
		}
		qsort(values, count, sizeof(*values), compare);
		CU_ASSERT_EQUAL_FATAL(memcmp(values, sorted, count * sizeof(*values)), 0); /* reordered, not changed */
	}
}

static void rank_takes_equal_values_in_one_step(void)
{
	uint64_t count = 3000000, *values = calloc(count, sizeof(*values));

	CU_ASSERT_PTR_NOT_NULL_FATAL(values);
	CU_ASSERT_EQUAL(tav_nearest_rank(values, count, 50), 0); /* would not end in our time if it were quadratic */
	free(values);
}

static void mean_rounds_half_up(void)
{
	CU_ASSERT_EQUAL(tav_mean(0, 0), 0);
	CU_ASSERT_EQUAL(tav_mean(7, 2), 4);
	CU_ASSERT_EQUAL(tav_mean(5, 4), 1);
	CU_ASSERT_EQUAL(tav_mean(6, 4), 2);
	CU_ASSERT_EQUAL(tav_mean(SUM_MAX, 1), SUM_MAX);
	CU_ASSERT_EQUAL(tav_mean(UINT64_MAX, UINT64_MAX), 1);
}

static void sums_stop_at_the_end(void)
{
	uint32_t flag = 0;

	CU_ASSERT_EQUAL(sum_of(SUM_MAX - 3, 3, &flag), SUM_MAX);
	CU_ASSERT_EQUAL(flag, 0);
	CU_ASSERT_EQUAL(sum_of(SUM_MAX - 3, 4, &flag), SUM_MAX);
	CU_ASSERT_EQUAL(flag, 1);
	flag = 0;
	CU_ASSERT_EQUAL(sum_of(1, UINT64_MAX, &flag), SUM_MAX);
	CU_ASSERT_EQUAL(flag, 1);
}

static void each_event_has_one_kind(void)
{
	CU_ASSERT_EQUAL(kind_of(TAV_KIND_COMPUTE, TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL), KIND_COMPUTE);
	CU_ASSERT_EQUAL(kind_of(TAV_KIND_COMMUNICATION, TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL), KIND_COMMUNICATION);
	CU_ASSERT_EQUAL(kind_of(TAV_KIND_COPY, TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL), KIND_COPY);
	CU_ASSERT_EQUAL(kind_of(TAV_KIND_NONE, TAV_TRAIT_KERNEL), KIND_OTHER); /* launched, not run */
	CU_ASSERT_EQUAL(kind_of(0, TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK), KIND_DEVICE_MARK);
	CU_ASSERT_EQUAL(kind_of(0, TAV_TRAIT_ANNOTATION), KIND_ANNOTATION);
	CU_ASSERT_EQUAL(kind_of(0, 0), KIND_OTHER);
	for (unsigned i = 0; i < KIND_COUNT; i++)
		CU_ASSERT_PTR_NOT_NULL(kind_names[i]);
}

static void spread_is_exact(void)
{
	CU_ASSERT_EQUAL(cv_permille(2, 4, 8), 0);     /* 2, 2 */
	CU_ASSERT_EQUAL(cv_permille(2, 4, 10), 500);  /* 1, 3: deviation 1, mean 2 */
	CU_ASSERT_EQUAL(cv_permille(2, 1, 1), 1000);  /* 0, 1 */
	CU_ASSERT_EQUAL(cv_permille(3, 6, 14), 408);  /* 1, 2, 3: sqrt(2 / 3) / 2 = 0.40824 */
	CU_ASSERT_EQUAL(cv_permille(10, 1, 1), 3000); /* nine times 0, and 1: exactly 3 */
	CU_ASSERT_EQUAL(cv_permille(1, 0, 0), -1);    /* no mean */
	CU_ASSERT_EQUAL(cv_permille(2, SUM_MAX, (wide)-1), -1);
	for (unsigned round = 0; round < 3000; round++) {
		uint64_t count = 1 + roll(20), total = 0, permille = 0;
		wide squares = 0, left;

		for (uint64_t i = 0; i < count; i++) {
			uint64_t value = roll(round % 2 ? 10 : 1000000000);

			total += value;
			squares += (wide)value * value;
		}
		if (!total)
			continue;
		permille = (uint64_t)cv_permille(count, total, squares);
		left = (count * squares - (wide)total * total) * 1000000;
		CU_ASSERT_TRUE_FATAL((wide)permille * permille * total * total <= left);
		CU_ASSERT_TRUE_FATAL((wide)(permille + 1) * (permille + 1) * total * total > left);
	}
}

/* ---- Busy time against a bit for each nanosecond ----------------------------------------------------------------- */
enum { ROWS = 40, RANGE = 200 };
struct lane {
	int64_t start[ROWS], end[ROWS];
	tav_row rows[ROWS];
	uint64_t count;
	unsigned char used[RANGE];
};

static void fill(struct lane *lane)
{
	*lane = (struct lane){.count = roll(ROWS + 1)};
	for (uint64_t i = 0; i < lane->count; i++) {
		lane->start[i] = (int64_t)roll(RANGE);
		lane->end[i] = lane->start[i] + (int64_t)roll((uint64_t)(RANGE - lane->start[i]) / (1 + roll(20)) + 1);
		for (int64_t t = lane->start[i]; t < lane->end[i]; t++)
			lane->used[t] = 1;
		lane->rows[i] = (tav_row)i;
	}
	for (uint64_t i = 1; i < lane->count; i++) /* by start, as an order has them */
		for (uint64_t j = i; j && lane->start[lane->rows[j]] < lane->start[lane->rows[j - 1]]; j--) {
			tav_row row = lane->rows[j];

			lane->rows[j] = lane->rows[j - 1];
			lane->rows[j - 1] = row;
		}
}

static uint64_t span_sum(const struct span *spans, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		CU_ASSERT_TRUE_FATAL(spans[i].from <= spans[i].to);
		CU_ASSERT_TRUE_FATAL(!i || spans[i - 1].to < spans[i].from);
		sum += (uint64_t)(spans[i].to - spans[i].from);
	}
	return sum;
}

static void busy_is_the_union(void)
{
	for (unsigned round = 0; round < 20000; round++) {
		struct lane a, b;
		struct span a_spans[ROWS], b_spans[ROWS], both[2 * ROWS];
		uint64_t a_busy = 0, b_busy = 0, both_busy = 0;

		fill(&a);
		fill(&b);
		for (unsigned t = 0; t < RANGE; t++) {
			a_busy += a.used[t];
			b_busy += b.used[t];
			both_busy += a.used[t] | b.used[t];
		}

		struct busy busy = busy_of_rows(a.start, a.end, a.rows, a.count);
		uint64_t a_count = union_of_rows(a.start, a.end, a.rows, a.count, a_spans);
		uint64_t b_count = union_of_rows(b.start, b.end, b.rows, b.count, b_spans);

		CU_ASSERT_EQUAL_FATAL(busy.busy, a_busy);
		CU_ASSERT_EQUAL_FATAL(busy.count, a.count);
		CU_ASSERT_EQUAL_FATAL(span_sum(a_spans, a_count), a_busy);
		CU_ASSERT_EQUAL_FATAL(span_sum(b_spans, b_count), b_busy);
		if (a.count) {
			CU_ASSERT_EQUAL_FATAL(busy.from, a_spans[0].from);
			CU_ASSERT_EQUAL_FATAL(busy.to, a_spans[a_count - 1].to);
		}
		CU_ASSERT_EQUAL_FATAL(span_sum(both, union_of_spans(a_spans, a_count, b_spans, b_count, both)),
		                      both_busy);
	}
}

static void busy_spans_all_of_time(void)
{
	const int64_t start[] = {INT64_MIN, 0}, end[] = {-1, INT64_MAX};
	const tav_row rows[] = {0, 1};
	struct busy busy = busy_of_rows(start, end, rows, 2);

	CU_ASSERT_EQUAL(busy.busy, UINT64_MAX - 1);
	CU_ASSERT_EQUAL((uint64_t)busy.to - (uint64_t)busy.from, UINT64_MAX);
}

SUITE("stats", {"rank: is a value of the sorted list", rank_is_a_value_of_the_sorted_list},
      {"rank: takes equal values in one step", rank_takes_equal_values_in_one_step},
      {"mean: rounds half up", mean_rounds_half_up}, {"sum: stops at the end", sums_stop_at_the_end},
      {"kind: each event has one", each_event_has_one_kind}, {"spread: is exact", spread_is_exact},
      {"busy: is the union", busy_is_the_union}, {"busy: spans all of time", busy_spans_all_of_time})
