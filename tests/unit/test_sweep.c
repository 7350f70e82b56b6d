/* SPDX-License-Identifier: Apache-2.0 */
/* The overlap engine against a reference that compares every pair, written from the rules in <tav/overlap.h>. */
#include <stdlib.h>
#include <string.h>

#include <overlap/sweep.h>

#include "suite.h"

enum { FEW = 40, MOST = 900 }; /* so many are open at once that ends are ranked */

struct input {
	uint32_t count;
	int64_t start[MOST], end[MOST];
	uint32_t name[MOST]; /* is_allowed() looks at it */
};
struct answers {
	struct tav_overlap_totals totals;
	uint32_t hit_count;
	struct tav_overlap_hit hits[MOST];
};

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t random_below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 33) % limit;
}

static const struct input *sorted_input; /* for qsort() */

static int compare_rows(const void *a, const void *b)
{
	tav_row row_a = *(const tav_row *)a, row_b = *(const tav_row *)b;
	const struct input *input = sorted_input;

	if (input->start[row_a] != input->start[row_b])
		return input->start[row_a] < input->start[row_b] ? -1 : 1;
	if (input->end[row_a] != input->end[row_b])
		return input->end[row_a] > input->end[row_b] ? -1 : 1;
	return row_a < row_b ? -1 : 1;
}

static void sort_rows(const struct input *input, tav_row *rows)
{
	for (tav_row row = 0; row < input->count; row++)
		rows[row] = row;
	sorted_input = input;
	qsort(rows, input->count, sizeof(*rows), compare_rows);
}

static int32_t allow_by_name(void *user, tav_row earlier, tav_row later)
{
	const struct input *input = user;

	(void)earlier;
	return input->name[later] == 1;
}

static tav_status keep_hit(void *user, const struct tav_overlap_hit *hit)
{
	struct answers *answers = user;

	answers->hits[answers->hit_count++] = *hit;
	return TAV_OK;
}

/* ---- The reference ------------------------------------------------------------------------------------------ */

static int overlaps(const struct input *input, tav_row a, tav_row b, int64_t tolerance)
{
	int64_t from = input->start[a] > input->start[b] ? input->start[a] : input->start[b];
	int64_t to = input->end[a] < input->end[b] ? input->end[a] : input->end[b];
	int a_is_point = input->start[a] == input->end[a], b_is_point = input->start[b] == input->end[b];

	if (to - from > tolerance)
		return 1;
	if (a_is_point != b_is_point) {
		tav_row point = a_is_point ? a : b, other = a_is_point ? b : a;
		return input->start[point] - input->start[other] > tolerance &&
		       input->end[other] - input->start[point] > tolerance;
	}
	return 0;
}

static void refer(const struct input *input, const struct tav_overlap_rules *rules, struct answers *answers)
{
	tav_row rows[MOST];

	sort_rows(input, rows);
	memset(answers, 0, sizeof(*answers));
	answers->totals.event_count = input->count;
	answers->totals.track_count = input->count > 0;
	for (int64_t time = 0; time < 64; time++) {
		unsigned cover = 0;
		for (tav_row row = 0; row < input->count; row++)
			cover += input->start[row] <= time && time < input->end[row];
		answers->totals.overlap_ns += cover > 1;
	}
	for (uint32_t j = 1; j < input->count; j++) {
		tav_row later = rows[j];
		struct tav_overlap_hit hit = {.later = later};
		for (uint32_t i = 0; i < j; i++) {
			tav_row earlier = rows[i];
			if (!overlaps(input, earlier, later, rules->tolerance_ns))
				continue;
			int is_partial = input->end[later] > input->end[earlier];
			if (!rules->strict && !is_partial)
				continue;
			if (rules->is_allowed && i == j - 1 && rules->is_allowed(rules->user, earlier, later)) {
				answers->totals.allowed_count++;
				continue;
			}
			/* the last to end; a tie goes to the earliest start, then to the lowest row, which is the order
			 * of `rows` */
			if (!hit.partner_count || input->end[earlier] > input->end[hit.earlier])
				hit.earlier = earlier;
			hit.partner_count++;
			hit.is_partial |= is_partial;
		}
		if (!hit.partner_count)
			continue;
		int64_t end = input->end[hit.earlier] < input->end[later] ? input->end[hit.earlier] : input->end[later];
		hit.overlap_ns = end - input->start[later];
		hit.is_duplicate = input->start[hit.earlier] == input->start[later] &&
		                   input->end[hit.earlier] == input->end[later];
		answers->totals.offending_count++;
		answers->totals.partial_count += hit.is_partial;
		answers->totals.pair_count += hit.partner_count;
		answers->hits[answers->hit_count++] = hit;
	}
}

/* ------------------------------------------------------------------------------------------------------------- */

static void ask(const struct input *input, const struct tav_overlap_rules *rules, struct answers *answers)
{
	tav_row rows[MOST];

	sort_rows(input, rows);
	memset(answers, 0, sizeof(*answers));
	CU_ASSERT_EQUAL_FATAL(overlap_sweep(input->start, input->end, rows, input->count, 3, rules, keep_hit, answers,
	                                    &answers->totals),
	                      TAV_OK);
}

static int same_totals(const struct tav_overlap_totals *a, const struct tav_overlap_totals *b)
{
	return a->event_count == b->event_count && a->track_count == b->track_count &&
	       a->offending_count == b->offending_count && a->partial_count == b->partial_count &&
	       a->pair_count == b->pair_count && a->allowed_count == b->allowed_count && a->overlap_ns == b->overlap_ns;
}

static int same_hit(const struct tav_overlap_hit *a, const struct tav_overlap_hit *b)
{
	return a->later == b->later && a->earlier == b->earlier && a->overlap_ns == b->overlap_ns &&
	       a->is_partial == b->is_partial && a->is_duplicate == b->is_duplicate &&
	       a->partner_count == b->partner_count;
}

static int same_answers(const struct answers *a, const struct answers *b)
{
	if (!same_totals(&a->totals, &b->totals) || a->hit_count != b->hit_count)
		return 0;
	for (uint32_t i = 0; i < a->hit_count; i++) {
		if (!same_hit(&a->hits[i], &b->hits[i]))
			return 0;
	}
	return 1;
}

static void make_input(struct input *input, uint32_t most)
{
	uint32_t span = 1 + random_below(60), longest = 1 + random_below(random_below(3) ? 6 : 30);

	input->count = random_below(random_below(2) ? 7 : most + 1);
	for (uint32_t i = 0; i < input->count; i++) {
		input->start[i] = random_below(span);
		input->end[i] = input->start[i] + random_below(longest + 1);
		if (i && !random_below(4)) { /* touches the one before, or equals it */
			input->start[i] = random_below(2) ? input->end[i - 1] : input->start[i - 1];
			input->end[i] = random_below(3) ? input->start[i] + random_below(4) : input->end[i - 1];
			if (input->end[i] < input->start[i])
				input->end[i] = input->start[i];
		}
		if (input->end[i] > 63)
			input->end[i] = 63;
		if (input->start[i] > input->end[i])
			input->start[i] = input->end[i];
		input->name[i] = random_below(3);
	}
}

static void agrees_with_every_pair(void)
{
	static struct answers expected, got;
	static struct input input;
	uint64_t hits = 0, allowed = 0;

	for (uint32_t round = 0; round < 40000; round++) {
		make_input(&input, round % 200 ? FEW : MOST);
		struct tav_overlap_rules rules = {.struct_size = sizeof(rules),
		                                  .strict = random_below(2),
		                                  .tolerance_ns = random_below(2) ? 0 : random_below(5),
		                                  .is_allowed = random_below(2) ? allow_by_name : NULL,
		                                  .user = &input};
		refer(&input, &rules, &expected);
		ask(&input, &rules, &got);
		if (!same_answers(&expected, &got)) {
			CU_FAIL("differs from the reference");
			fprintf(stderr, "round %u: strict %u, tolerance %d\n", round, rules.strict,
			        (int)rules.tolerance_ns);
			for (uint32_t i = 0; i < input.count; i++)
				fprintf(stderr, "  [%d, %d)\n", (int)input.start[i], (int)input.end[i]);
			return;
		}
		hits += got.hit_count;
		allowed += got.totals.allowed_count;
	}
	CU_ASSERT(hits > 10000 && allowed > 1000); /* the inputs were worth it */
}

static void does_not_depend_on_the_order_in_the_file(void)
{
	static struct answers first, second;
	static struct input input, shuffled;

	for (uint32_t round = 0; round < 5000; round++) {
		uint32_t place[MOST];
		make_input(&input, FEW);
		shuffled = input;
		for (uint32_t i = 0; i < input.count; i++)
			place[i] = i;
		for (uint32_t i = input.count; i > 1; i--) {
			uint32_t j = random_below(i), kept = place[i - 1];
			place[i - 1] = place[j];
			place[j] = kept;
		}
		for (uint32_t i = 0; i < input.count; i++) {
			shuffled.start[place[i]] = input.start[i];
			shuffled.end[place[i]] = input.end[i];
		}
		struct tav_overlap_rules rules = {
		        .struct_size = sizeof(rules), .strict = round & 1, .tolerance_ns = random_below(3)};
		ask(&input, &rules, &first);
		ask(&shuffled, &rules, &second);
		CU_ASSERT_FATAL(same_totals(&first.totals, &second.totals));
	}
}

static void knows_times_at_the_limits(void)
{
	struct input input = {.count = 4,
	                      .start = {INT64_MIN, INT64_MIN, INT64_MAX - 1, INT64_MAX},
	                      .end = {INT64_MAX, 0, INT64_MAX, INT64_MAX}};
	static struct answers got;

	for (uint32_t strict = 0; strict < 2; strict++) {
		struct tav_overlap_rules rules = {.struct_size = sizeof(rules), .strict = strict};
		ask(&input, &rules, &got);
		CU_ASSERT_EQUAL(got.totals.offending_count, strict ? 2 : 0);
		CU_ASSERT_EQUAL(got.totals.overlap_ns, INT64_MAX);
		rules.tolerance_ns = INT64_MAX;
		ask(&input, &rules, &got);
		CU_ASSERT_EQUAL(got.totals.offending_count, strict ? 1 : 0); /* half of all time is longer than that */
	}
}

static tav_status count_hit(void *user, const struct tav_overlap_hit *hit)
{
	uint64_t *left = user;

	(void)hit;
	return --*left ? TAV_OK : TAV_CANCELLED;
}

/* Staircases and nests of 200,000: a quadratic sweep would need hours. */
static void is_fast_however_deep(void)
{
	const uint32_t count = 200000;
	int64_t *start = malloc(count * sizeof(*start)), *end = malloc(count * sizeof(*end));
	tav_row *rows = malloc(count * sizeof(*rows));

	CU_ASSERT_FATAL(start && end && rows);
	for (int shape = 0; shape < 3; shape++) {
		for (uint32_t i = 0; i < count; i++) {
			rows[i] = i;
			start[i] = i;
			end[i] = shape == 0 ? i + 1000000 : shape == 1 ? 2000000 - i : i ? i + 1 : 2000000;
		}
		for (uint32_t strict = 0; strict < 2; strict++) {
			struct tav_overlap_rules rules = {.struct_size = sizeof(rules), .strict = strict};
			struct tav_overlap_totals totals = {.struct_size = sizeof(totals)};
			uint64_t pairs = (uint64_t)count * (count - 1) / 2;

			CU_ASSERT_EQUAL(overlap_sweep(start, end, rows, count, 0, &rules, NULL, NULL, &totals), TAV_OK);
			if (shape == 2)
				pairs = count - 1;
			CU_ASSERT_EQUAL(totals.pair_count, shape == 0 || strict ? pairs : 0);
			CU_ASSERT_EQUAL(totals.offending_count, shape == 0 || strict ? count - 1 : 0);
			CU_ASSERT_EQUAL(totals.partial_count, shape == 0 ? count - 1 : 0);
		}
	}
	uint64_t left = 5;
	struct tav_overlap_rules rules = {.struct_size = sizeof(rules), .strict = 1};
	struct tav_overlap_totals totals = {.struct_size = sizeof(totals)};
	CU_ASSERT_EQUAL(overlap_sweep(start, end, rows, count, 0, &rules, count_hit, &left, &totals), TAV_CANCELLED);
	CU_ASSERT_EQUAL(totals.offending_count, 5);
	free(start);
	free(end);
	free(rows);
}

SUITE("sweep", {"sweep: agrees with a comparison of every pair", agrees_with_every_pair},
      {"sweep: does not depend on the order in the file", does_not_depend_on_the_order_in_the_file},
      {"sweep: knows times at the limits of int64", knows_times_at_the_limits},
      {"sweep: is fast however deep the nesting", is_fast_however_deep})
