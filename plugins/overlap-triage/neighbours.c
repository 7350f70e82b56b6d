/* SPDX-License-Identifier: Apache-2.0 */
/* Section 15: the kernels before and after a representative on its stream, and whether it may depend on them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "triage.h"

enum { NEIGHBOUR_CHARACTERS = 28 };

static const char unmapped[] = "unmapped", no_op[] = "n/a";

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
	uint64_t phase = triage->rules->sweep == SWEEP_EACH_PHASE ? kernel->phase : 0;

	return phase << 32 | kernel->stream;
}

static void sort_by_time(const struct device *device, struct sort_item *items, struct sort_item *spare, bool by_end)
{
	for (size_t i = 0; i < device->count; i++) {
		const struct kernel *kernel = &device->kernels[items[i].value];

		items[i].key = sort_key(by_end ? kernel->end : kernel->start);
	}
	sort_by_key(items, spare, device->count);
}

static bool have_equal_starts(const struct device *device, const struct sort_item *items)
{
	for (size_t i = 1; i < device->count; i++)
		if (items[i].key == items[i - 1].key &&
		    device->kernels[items[i].value].end < device->kernels[items[i - 1].value].end)
			return true;
	return false;
}

static tav_status order_by_stream(struct analysis *analysis, struct device *device)
{
	struct pool scratch = {0};
	struct sort_item *items = POOL_NEW(&scratch, struct sort_item, device->count);
	struct sort_item *spare = POOL_NEW(&scratch, struct sort_item, device->count);

	device->by_stream = POOL_NEW(&analysis->pool, uint32_t, device->count);
	if (!items || !spare || !device->by_stream) {
		pool_free(&scratch);
		return no_memory(analysis->triage);
	}
	for (size_t i = 0; i < device->count; i++)
		items[i].value = (uint32_t)i;
	sort_by_time(device, items, spare, false);
	/* The end only counts where starts are equal, which is rare: then sort by it first, and once more by start. */
	if (have_equal_starts(device, items)) {
		sort_by_time(device, items, spare, true);
		sort_by_time(device, items, spare, false);
	}
	for (size_t i = 0; i < device->count; i++)
		items[i].key = group_key(analysis->triage, &device->kernels[items[i].value]);
	sort_by_key(items, spare, device->count);
	for (size_t i = 0; i < device->count; i++)
		device->by_stream[i] = items[i].value;
	pool_free(&scratch);
	return TAV_OK;
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

static bool is_same_family(const struct rules *rules, struct tav_text a, struct tav_text b)
{
	struct family x = family_of(a), y = family_of(b);

	if (!x.path.size || !y.path.size)
		return false;
	if (text_equal(x.path, y.path))
		return true;
	return rules->family == FAMILY_BY_PATH_OR_FUNCTION && x.function.size && text_equal(x.function, y.function);
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
	if (triage->rules->family == FAMILY_BY_LOCATION && here_at->is_shared_launch && other_at->is_shared_launch)
		here_scope = other_scope = here_op = other_op = (struct tav_text){"", 0};
	if (!side.is_tight)
		return side;
	side.is_risk = is_same_family(triage->rules, here_scope, other_scope) ||
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
	struct tav_text scope = at->scope.size ? at->scope : (struct tav_text){unmapped, sizeof(unmapped) - 1};
	struct tav_text name = text_short(&analysis->pool, text_of(triage, other->name), NEIGHBOUR_CHARACTERS);

	scope = text_short(&analysis->pool, scope, NEIGHBOUR_CHARACTERS);
	if (!name.data || !scope.data)
		return (struct tav_text){NULL, 0};
	return text_format(&analysis->pool, "%.*s @ %.*s (gap %.1f us)", (int)name.size, name.data, (int)scope.size,
	                   scope.data, (double)gap / 1000.0);
}

tav_status find_neighbours(struct analysis *analysis, struct analysis *mapping, struct device *device,
                           const struct aggregate *aggregate, struct neighbours *out)
{
	struct triage *triage = analysis->triage;
	const struct kernel *here = &device->kernels[aggregate->representative];
	uint64_t group = group_key(triage, here);
	struct located here_at, other_at;
	struct side before = {0}, after = {0};
	size_t place;

	*out = (struct neighbours){.previous = TEXT("none"), .next = TEXT("none")};
	if ((!device->by_stream && order_by_stream(analysis, device)) ||
	    locate(mapping, aggregate->phase, aggregate->name, &here_at))
		return TAV_FAILED;
	place = place_of(triage, device, aggregate->representative);
	if (place && group_key(triage, &device->kernels[device->by_stream[place - 1]]) == group) {
		const struct kernel *other = &device->kernels[device->by_stream[place - 1]];
		int64_t gap = here->start > other->end ? here->start - other->end : 0;

		if (locate(mapping, other->phase, other->name, &other_at))
			return TAV_FAILED;
		before = judge_side(triage, here, other, &here_at, &other_at, gap);
		out->previous = describe(analysis, other, &other_at, gap);
	}
	if (place + 1 < device->count && group_key(triage, &device->kernels[device->by_stream[place + 1]]) == group) {
		const struct kernel *other = &device->kernels[device->by_stream[place + 1]];
		int64_t gap = other->start > here->end ? other->start - here->end : 0;

		if (locate(mapping, other->phase, other->name, &other_at))
			return TAV_FAILED;
		after = judge_side(triage, here, other, &here_at, &other_at, gap);
		out->next = describe(analysis, other, &other_at, gap);
	}
	if (!out->previous.data || !out->next.data)
		return no_memory(triage);

	out->risk = before.is_risk || after.is_risk         ? RISK_HIGH
	            : before.is_unclear || after.is_unclear ? RISK_UNCLEAR
	                                                    : RISK_LOW;
	out->signal = before.is_risk && after.is_risk ? "both-side serial risk"
	              : before.is_risk                ? "prev-side serial risk"
	              : after.is_risk                 ? "next-side serial risk"
	              : out->risk == RISK_UNCLEAR     ? "adjacency unclear"
	                                              : "serial risk low";
	return TAV_OK;
}

const char *const scope_unmapped = unmapped, *const op_unknown = no_op;
