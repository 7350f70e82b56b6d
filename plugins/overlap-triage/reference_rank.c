/* SPDX-License-Identifier: Apache-2.0 */
/* Sections 11, 16 and 17 as the reference has them: two lists for each phase, cut before they are filtered by share. */
#include <stdlib.h>

#include "triage.h"

enum { PARTNER_CHARACTERS = 48 };

/* ---- Section 11: exposed work -------------------------------------------------------------------------- */

struct headroom {
	struct candidate *items;
	size_t count;
	uint64_t omitted;
};

/* Exposed work of a phase, compute last. */
static tav_status list_headroom(struct analysis *analysis, const struct device *device, int32_t phase,
                                struct headroom *list)
{
	const struct triage *triage = analysis->triage;
	size_t count = 0;

	list->items = POOL_NEW(&analysis->pool, struct candidate, device->aggregate_count);
	if (!list->items)
		return no_memory(analysis->triage);
	for (int is_compute = 0; is_compute < 2; is_compute++) {
		size_t first = count;

		for (size_t i = 0; i < device->aggregate_count; i++) {
			const struct aggregate *aggregate = &device->aggregates[i];
			const struct category *category = category_at(triage, aggregate);
			int64_t exposed = exposed_time(triage, aggregate);

			if (aggregate->phase == phase && aggregate->total >= triage->min_total &&
			    ratio(exposed, aggregate->total) >= triage->min_exposed &&
			    (category->kind == KIND_COMPUTE) == is_compute)
				list->items[count++] =
				        (struct candidate){(uint32_t)i, (double)exposed * category->weight, 0};
		}
		if (count > first)
			qsort(list->items + first, count - first, sizeof(*list->items), candidate_compare);
	}
	list->count = triage->candidates && count > triage->candidates ? triage->candidates : count;
	list->omitted = count - list->count;
	return TAV_OK;
}

/* ---- Section 16: what to do ---------------------------------------------------------------------------- */

static void decide(const struct triage *triage, enum kind kind, struct opportunity *row)
{
	if (row->share < triage->min_share) {
		row->priority = "P5";
		row->recommendation = "skip";
	} else if (row->verdict[0] != 'h') {
		row->priority = "P4";
		row->recommendation = "skip";
	} else if (row->neighbours.risk == RISK_LOW) {
		row->priority = "P1";
		row->recommendation = kind == KIND_COMMUNICATION ? "try overlap" : "try fusion";
	} else {
		row->priority = "P2";
		row->recommendation = "check deps";
	}
}

/* ---- Section 17: the rows ------------------------------------------------------------------------------ */

static struct tav_text suggest(struct analysis *analysis, const struct opportunity *row)
{
	const struct aggregate *aggregate = row->aggregate;
	enum kind kind = category_at(analysis->triage, aggregate)->kind;

	if (row->verdict[0] == 'h') {
		if (kind == KIND_COMMUNICATION)
			return TEXT("Communication is still exposed. Check overlap with nearby compute.");
		if (kind == KIND_ELEMENTWISE || kind == KIND_MEMORY)
			return TEXT("This work is still exposed. Check fusion or nearby compute coverage.");
		return TEXT("This work is still exposed. Check stream placement and immediate dependencies.");
	}
	if (!aggregate->best[0].name)
		return TEXT("Mostly hidden already. Revisit only if schedule or fusion changes.");
	const struct partner *partner = &aggregate->best[0];
	struct tav_text name =
	        text_short(analysis->triage->self, text_at(analysis->triage, partner->name), PARTNER_CHARACTERS);

	if (!name.data)
		return name;
	return text_format(analysis->triage->self,
	                   "Mostly hidden under %.*s (%.1f us). Revisit only if schedule or fusion changes.",
	                   (int)name.size, name.data, (double)partner->time / 1000.0);
}

static tav_status make_row(struct analysis *analysis, struct analysis *mapping, struct device *device, uint32_t number,
                           const char *verdict, struct opportunity *row)
{
	const struct triage *triage = analysis->triage;
	const struct aggregate *aggregate = &device->aggregates[number];

	*row = (struct opportunity){.device = device, .aggregate = aggregate, .verdict = verdict};
	row->share = share_of(triage, device, aggregate);
	if (locate(mapping, aggregate->phase, aggregate->name, &row->located) ||
	    find_neighbours(analysis, mapping, device, aggregate, &row->neighbours))
		return TAV_FAILED;
	decide(triage, category_at(triage, aggregate)->kind, row);
	row->suggestion = suggest(analysis, row);
	return row->suggestion.data ? TAV_OK : no_memory(analysis->triage);
}

static bool has_row(const struct ranking *ranking, size_t first, uint32_t name)
{
	for (size_t i = first; i < ranking->count; i++)
		if (ranking->items[i].aggregate->name == name)
			return true;
	return false;
}

static tav_status rank_phase(struct analysis *analysis, struct analysis *mapping, struct device *device, int32_t phase,
                             struct ranking *ranking)
{
	const struct triage *triage = analysis->triage;
	size_t first = ranking->count, hidden_count;
	struct candidate *hidden;
	struct headroom headroom = {0};

	if (list_headroom(analysis, device, phase, &headroom) ||
	    list_hidden(analysis, device, phase, &hidden, &hidden_count))
		return TAV_FAILED;
	ranking->omitted += headroom.omitted;
	for (size_t i = 0; i < headroom.count; i++) {
		struct opportunity *row = &ranking->items[ranking->count];

		ranking->headroom_rank[headroom.items[i].aggregate] = (uint32_t)i + 1;
		if (make_row(analysis, mapping, device, headroom.items[i].aggregate, "headroom", row))
			return TAV_FAILED;
		ranking->count += row->share >= triage->min_share;
	}
	for (size_t i = 0; i < hidden_count; i++) {
		uint32_t number = hidden[i].aggregate;

		ranking->hidden_rank[number] = (uint32_t)i + 1;
		if (has_row(ranking, first, device->aggregates[number].name))
			continue;
		if (make_row(analysis, mapping, device, number, "low-roi-hidden", &ranking->items[ranking->count]))
			return TAV_FAILED;
		ranking->count++;
	}
	if (triage->limit && ranking->count - first > triage->limit) {
		ranking->omitted += ranking->count - first - triage->limit;
		ranking->count = first + triage->limit;
	}
	return TAV_OK;
}

tav_status reference_rank(struct analysis *analysis, struct analysis *mapping, struct device *device,
                          struct ranking *ranking)
{
	static const int32_t order[] = {PHASE_EXTEND, PHASE_DECODE, PHASE_ALL, PHASE_MIXED}; /* the script's */

	for (size_t i = 0; i < PHASE_COUNT; i++)
		if (rank_phase(analysis, mapping, device, order[i], ranking))
			return TAV_FAILED;
	return TAV_OK;
}
