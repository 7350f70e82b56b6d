/* SPDX-License-Identifier: Apache-2.0 */
/* Section 15: the kernels before and after a representative on its stream, and whether it may depend on them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "triage.h"

enum { NEIGHBOUR_CHARACTERS = 28 };

/* ---- Order on a stream --------------------------------------------------------------------------------- */

static bool comes_before(const struct device *device, uint32_t a, uint32_t b)
{
	const struct kernel *x = &device->kernels[a], *y = &device->kernels[b];

	if (x->start != y->start)
		return x->start < y->start;
	if (x->end != y->end)
		return x->end < y->end;
	return a < b;
}

/* Kernels by (group, stream, start, end, number), where a group is a phase if phases do not see each other. */
static uint64_t group_key(const struct triage *triage, const struct kernel *kernel)
{
	uint64_t phase = triage->is_reference ? kernel->phase : 0;

	return phase << 32 | kernel->stream;
}

static bool have_equal_starts(const struct device *device)
{
	for (size_t i = 1; i < device->count; i++) {
		const struct kernel *x = &device->kernels[device->by_stream[i - 1]];
		const struct kernel *y = &device->kernels[device->by_stream[i]];

		if (x->start == y->start && y->end < x->end)
			return true;
	}
	return false;
}

static tav_status order_by_stream(struct analysis *analysis, struct device *device)
{
	device->by_stream = POOL_NEW(&analysis->pool, uint32_t, device->count);
	if (!device->by_stream)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->count; i++)
		device->by_stream[i] = (uint32_t)i;
	if (order_kernels(analysis, device, device->by_stream, kernel_start))
		return TAV_FAILED;
	/* The end only counts where starts are equal, which is rare: then sort by it first, and once more by start. */
	if (have_equal_starts(device) && (order_kernels(analysis, device, device->by_stream, kernel_end) ||
	                                  order_kernels(analysis, device, device->by_stream, kernel_start)))
		return TAV_FAILED;
	return order_kernels(analysis, device, device->by_stream, group_key);
}

static size_t place_of(const struct triage *triage, const struct device *device, uint32_t number)
{
	uint64_t group = group_key(triage, &device->kernels[number]);
	size_t low = 0, high = device->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t other = device->by_stream[middle];
		uint64_t other_group = group_key(triage, &device->kernels[other]);

		if (other_group < group || (other_group == group && comes_before(device, other, number)))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- Dependency ---------------------------------------------------------------------------------------- */

struct family {
	struct tav_text path, function;
};

static struct family family_of(struct tav_text scope)
{
	struct family family = {{"", 0}, {"", 0}};
	size_t line, function;

	if (!scope.size)
		return family;
	family.path = scope;
	if (scope_split(scope, &line, &function)) {
		family.path.size = line;
		family.function = (struct tav_text){scope.data + function, scope.size - function};
	}
	return family;
}

static bool is_same_family(const struct triage *triage, struct tav_text a, struct tav_text b)
{
	struct family x = family_of(a), y = family_of(b);

	if (!x.path.size || !y.path.size)
		return false;
	if (text_equal(x.path, y.path))
		return true;
	return triage->is_reference && x.function.size && text_equal(x.function, y.function);
}

static bool is_dependent_kind(enum kind here, enum kind other)
{
	if (here == KIND_COMMUNICATION)
		return other != KIND_COMMUNICATION;
	return (here == KIND_ELEMENTWISE || here == KIND_MEMORY) && other != KIND_OTHER;
}

struct side {
	bool is_tight, is_risk, is_unclear;
};

/* How long a gap may be to count as none: a share of the kernel's time within two bounds. */
static int64_t tight_gap(const struct triage *triage, int64_t time)
{
	/* A gap is whole, so rounding down keeps "gap <= limit"; the epsilon heals the binary fraction. */
	int64_t limit = (int64_t)floor(triage->tight_share * (double)time + 1e-6);

	if (limit > triage->tight_max)
		limit = triage->tight_max;
	return limit < triage->tight_min ? triage->tight_min : limit;
}

static struct side judge_side(const struct triage *triage, const struct kernel *here, const struct kernel *other,
                              const struct located *here_at, const struct located *other_at, int64_t gap)
{
	struct side side = {.is_tight = gap <= tight_gap(triage, kernel_time(here))};
	struct tav_text here_scope = here_at->scope, other_scope = other_at->scope;
	struct tav_text here_op = here_at->op, other_op = other_at->op;

	/* All kernels of a graph have its one launch: that they share it says nothing. */
	if (!triage->is_reference && here_at->is_replayed && other_at->is_replayed)
		here_scope = other_scope = here_op = other_op = (struct tav_text){"", 0};
	if (!side.is_tight)
		return side;
	side.is_risk = is_same_family(triage, here_scope, other_scope) ||
	               (here_op.size && text_equal(here_op, other_op)) ||
	               is_dependent_kind(triage->categories.items[here->category].kind,
	                                 triage->categories.items[other->category].kind);
	side.is_unclear = !side.is_risk && (!here_scope.size || !other_scope.size);
	return side;
}

static struct tav_text describe(struct analysis *analysis, const struct kernel *other, const struct located *at,
                                int64_t gap)
{
	struct triage *triage = analysis->triage;
	struct tav_text scope = at->scope.size ? at->scope : TEXT("unmapped");
	struct tav_text name = text_short(triage->self, text_at(triage, other->name), NEIGHBOUR_CHARACTERS);

	scope = text_short(triage->self, scope, NEIGHBOUR_CHARACTERS);
	if (!name.data || !scope.data)
		return (struct tav_text){NULL, 0};
	return text_format(triage->self, "%.*s @ %.*s (gap %.1f us)", (int)name.size, name.data, (int)scope.size,
	                   scope.data, (double)gap / 1000.0);
}

/* The kernel before (`step` -1) or after (1) the one at a place, on its stream; NULL: there is none. */
static const struct kernel *neighbour_at(const struct triage *triage, const struct device *device, size_t place,
                                         int step)
{
	const struct kernel *here = &device->kernels[device->by_stream[place]], *other;

	if (step < 0 ? place == 0 : place + 1 == device->count)
		return NULL;
	other = &device->kernels[device->by_stream[step < 0 ? place - 1 : place + 1]];
	return group_key(triage, other) == group_key(triage, here) ? other : NULL;
}

static int64_t gap_between(const struct kernel *first, const struct kernel *second)
{
	return second->start > first->end ? second->start - first->end : 0;
}

static void conclude(struct neighbours *out, struct side before, struct side after)
{
	out->risk = before.is_risk || after.is_risk         ? RISK_HIGH
	            : before.is_unclear || after.is_unclear ? RISK_UNCLEAR
	                                                    : RISK_LOW;
	out->signal = before.is_risk && after.is_risk ? "both-side serial risk"
	              : before.is_risk                ? "prev-side serial risk"
	              : after.is_risk                 ? "next-side serial risk"
	              : out->risk == RISK_UNCLEAR     ? "adjacency unclear"
	                                              : "serial risk low";
}

/* ---- Of the longest kernel ----------------------------------------------------------------------------- */

tav_status find_neighbours(struct analysis *analysis, struct analysis *mapping, struct device *device,
                           const struct aggregate *aggregate, struct neighbours *out)
{
	struct triage *triage = analysis->triage;
	const struct kernel *here = &device->kernels[aggregate->representative], *other;
	struct located here_at, other_at;
	struct side sides[2] = {{0}, {0}};
	size_t place;

	*out = (struct neighbours){.previous = TEXT("none"), .next = TEXT("none")};
	if ((!device->by_stream && order_by_stream(analysis, device)) ||
	    locate(mapping, aggregate->phase, aggregate->name, &here_at))
		return TAV_FAILED;
	place = place_of(triage, device, aggregate->representative);
	for (int side = 0; side < 2; side++) {
		struct tav_text *text = side ? &out->next : &out->previous;
		int64_t gap;

		if (!(other = neighbour_at(triage, device, place, side ? 1 : -1)))
			continue;
		if (locate(mapping, other->phase, other->name, &other_at))
			return TAV_FAILED;
		gap = side ? gap_between(here, other) : gap_between(other, here);
		sides[side] = judge_side(triage, here, other, &here_at, &other_at, gap);
		*text = describe(analysis, other, &other_at, gap);
		if (!text->data)
			return no_memory(triage);
	}
	conclude(out, sides[0], sides[1]);
	return TAV_OK;
}

/* ---- Of all kernels of the rows ------------------------------------------------------------------------ */

struct tally { /* of a row, for each side */
	uint64_t risks[2], unclear[2];
	uint32_t last[2];        /* aggregate of the neighbour met before; UINT32_MAX: none */
	struct side verdicts[2]; /* on it, were it close */
	struct located at;
};

/* What being close to a kernel of that aggregate means; the one met before mostly stands there again. */
static tav_status judge_met(struct triage *triage, struct analysis *mapping, struct tally *tally, int side,
                            const struct kernel *here, const struct kernel *other)
{
	struct located other_at;

	if (tally->last[side] == other->aggregate)
		return TAV_OK;
	if (locate(mapping, other->phase, other->name, &other_at))
		return TAV_FAILED;
	tally->verdicts[side] = judge_side(triage, here, other, &tally->at, &other_at, 0);
	tally->last[side] = other->aggregate;
	return TAV_OK;
}

static tav_status tally_kernel(struct analysis *analysis, struct analysis *mapping, const struct device *device,
                               size_t place, struct tally *tally)
{
	struct triage *triage = analysis->triage;
	const struct kernel *here = &device->kernels[device->by_stream[place]];

	for (int side = 0; side < 2; side++) {
		const struct kernel *other = neighbour_at(triage, device, place, side ? 1 : -1);

		if (!other ||
		    (side ? gap_between(here, other) : gap_between(other, here)) > tight_gap(triage, kernel_time(here)))
			continue;
		if (judge_met(triage, mapping, tally, side, here, other))
			return TAV_FAILED;
		tally->risks[side] += tally->verdicts[side].is_risk;
		tally->unclear[side] += tally->verdicts[side].is_unclear;
	}
	return TAV_OK;
}

/* What holds for most of the kernels is said of all, with the numbers. */
static void conclude_tally(const struct tally *tally, uint64_t count, struct neighbours *out)
{
	struct side sides[2];

	for (int side = 0; side < 2; side++)
		sides[side] = (struct side){.is_risk = tally->risks[side] * 2 > count,
		                            .is_unclear = tally->unclear[side] * 2 > count};
	out->looked = count;
	out->before_count = sides[0].is_risk ? tally->risks[0] : 0;
	out->after_count = sides[1].is_risk ? tally->risks[1] : 0;
	conclude(out, sides[0], sides[1]);
}

tav_status count_neighbours(struct analysis *analysis, struct analysis *mapping, struct device *device,
                            struct opportunity *rows, size_t count)
{
	struct pool scratch = {0};
	struct tally *tallies = POOL_NEW(&scratch, struct tally, count);
	uint32_t *row_of = POOL_NEW(&scratch, uint32_t, device->aggregate_count); /* row + 1 */
	tav_status status = tallies && row_of ? TAV_OK : no_memory(analysis->triage);

	for (size_t i = 0; i < count && !status; i++) {
		status = find_neighbours(analysis, mapping, device, rows[i].aggregate, &rows[i].neighbours);
		row_of[rows[i].aggregate - device->aggregates] = (uint32_t)i + 1;
		tallies[i] = (struct tally){.last = {UINT32_MAX, UINT32_MAX}, .at = rows[i].located};
	}
	for (size_t place = 0; place < device->count && count && !status; place++) {
		uint32_t row = row_of[device->kernels[device->by_stream[place]].aggregate];

		if (row)
			status = tally_kernel(analysis, mapping, device, place, &tallies[row - 1]);
	}
	for (size_t i = 0; i < count && !status; i++)
		conclude_tally(&tallies[i], rows[i].aggregate->count, &rows[i].neighbours);
	pool_free(&scratch);
	return status;
}
