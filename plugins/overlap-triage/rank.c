/* SPDX-License-Identifier: Apache-2.0 */
/* Sections 11, 16 and 17: which kernels are worth a look, in which order, and what to do about them. */
#include <stdlib.h>

#include "triage.h"

enum { PARTNER_CHARACTERS = 48 };

struct candidate {
	uint32_t aggregate;
	double value, tie; /* higher first; then lower aggregate */
};

static int by_value(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->tie != y->tie)
		return x->tie > y->tie ? -1 : 1;
	return x->aggregate < y->aggregate ? -1 : x->aggregate > y->aggregate;
}

static double ratio(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

double share_of(const struct rules *rules, const struct device *device, const struct aggregate *aggregate)
{
	int64_t base = device->totals.kernel_time;

	if (rules->share == SHARE_OF_BUSY)
		base = device->phases[aggregate->phase].busy;
	return 100 * ratio(aggregate->total, base);
}

static int64_t exposed(const struct rules *rules, const struct aggregate *aggregate)
{
	return aggregate->total - hidden_time(rules, aggregate);
}

/* ---- Section 11: the two lists ------------------------------------------------------------------------- */

struct lists {
	struct candidate *headroom, *hidden;
	size_t headroom_count, hidden_count;
	uint64_t headroom_omitted;
};

static const struct category *category_at(const struct analysis *analysis, const struct aggregate *aggregate)
{
	return &analysis->triage->categories.items[aggregate->category];
}

/* Exposed work of a phase, or of all of them where phases see each other. */
static tav_status list_headroom(struct analysis *analysis, const struct device *device, int32_t phase,
                                struct lists *lists)
{
	const struct triage *triage = analysis->triage;
	const struct rules *rules = triage->rules;
	struct candidate *all = POOL_NEW(&analysis->pool, struct candidate, device->aggregate_count);
	size_t count = 0, split;

	if (!all)
		return no_memory(analysis->triage);
	for (int is_compute = 0; is_compute < 2; is_compute++) {
		size_t first = count;

		for (size_t i = 0; i < device->aggregate_count; i++) {
			const struct aggregate *aggregate = &device->aggregates[i];
			const struct category *category = category_at(analysis, aggregate);

			if ((phase >= 0 && aggregate->phase != phase) || aggregate->total < triage->min_total ||
			    ratio(exposed(rules, aggregate), aggregate->total) < triage->min_exposed)
				continue;
			if (rules->pick == PICK_FILTER_FIRST
			            ? is_compute || share_of(rules, device, aggregate) < triage->min_share
			            : (category->kind == KIND_COMPUTE) != is_compute)
				continue;
			all[count++] = (struct candidate){(uint32_t)i,
			                                  (double)exposed(rules, aggregate) * category->weight, 0};
		}
		if (count > first)
			qsort(all + first, count - first, sizeof(*all), by_value);
	}
	split = triage->candidates && count > triage->candidates ? triage->candidates : count;
	lists->headroom = all;
	lists->headroom_count = split;
	lists->headroom_omitted = count - split;
	return TAV_OK;
}

/* Cheap kinds of work that are hidden already. */
static tav_status list_hidden(struct analysis *analysis, const struct device *device, int32_t phase,
                              struct lists *lists)
{
	const struct triage *triage = analysis->triage;
	struct candidate *all = POOL_NEW(&analysis->pool, struct candidate, device->aggregate_count);
	size_t count = 0;

	if (!all)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->aggregate_count; i++) {
		const struct aggregate *aggregate = &device->aggregates[i];
		enum kind kind = category_at(analysis, aggregate)->kind;
		int64_t hidden = hidden_time(triage->rules, aggregate);

		if ((phase >= 0 && aggregate->phase != phase) || (kind != KIND_ELEMENTWISE && kind != KIND_MEMORY) ||
		    aggregate->total < triage->min_total || ratio(hidden, aggregate->total) < triage->min_hidden)
			continue;
		all[count++] = (struct candidate){
		        (uint32_t)i,
		        (double)hidden * (1 + (double)aggregate->by_compute / (double)(hidden > 1 ? hidden : 1)),
		        ratio(hidden, aggregate->total)};
	}
	if (count)
		qsort(all, count, sizeof(*all), by_value);
	lists->hidden = all;
	lists->hidden_count = triage->candidates && count > triage->candidates ? triage->candidates : count;
	return TAV_OK;
}

/* ---- Section 16: what to do ---------------------------------------------------------------------------- */

static const char *advice(const struct rules *rules, enum kind kind)
{
	if (kind == KIND_COMMUNICATION)
		return "try overlap";
	if (rules->advice == ADVICE_TWO || kind == KIND_MEMORY || kind == KIND_ELEMENTWISE)
		return "try fusion";
	return kind == KIND_COMPUTE ? "tune kernel" : "inspect";
}

static void decide(const struct triage *triage, enum kind kind, struct opportunity *row)
{
	bool is_headroom = row->verdict[0] == 'h';

	if (row->share < triage->min_share) {
		row->priority = "P5";
		row->recommendation = "skip";
	} else if (!is_headroom) {
		row->priority = "P4";
		row->recommendation = "skip";
	} else if (row->neighbours.risk == RISK_LOW) {
		row->priority = "P1";
		row->recommendation = advice(triage->rules, kind);
	} else {
		row->priority = "P2";
		row->recommendation = "check deps";
	}
}

/* ---- Section 17: the texts ----------------------------------------------------------------------------- */

static struct tav_text suggest_reference(struct analysis *analysis, const struct opportunity *row)
{
	const struct aggregate *aggregate = row->aggregate;
	enum kind kind = category_at(analysis, aggregate)->kind;

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
	        text_short(&analysis->pool, text_of(analysis->triage, partner->name), PARTNER_CHARACTERS);

	if (!name.data)
		return name;
	return text_format(&analysis->pool,
	                   "Mostly hidden under %.*s (%.1f us). Revisit only if schedule or fusion changes.",
	                   (int)name.size, name.data, (double)partner->time / 1000.0);
}

/* The operator and the line of Python that launched the kernel, as far as they are known. */
static struct tav_text origin(struct analysis *analysis, const struct opportunity *row)
{
	const struct tav_text *scope = &row->located.scope, *op = &row->located.op;

	if (scope->size && op->size)
		return text_format(&analysis->pool, " Launched by %.*s in %.*s.", (int)op->size, op->data,
		                   (int)scope->size, scope->data);
	if (op->size)
		return text_format(&analysis->pool, " Launched by %.*s.", (int)op->size, op->data);
	return TEXT("");
}

/* The reason in words: how much is exposed, what to try, what stands in the way, and where it comes from. */
static struct tav_text suggest_improved(struct analysis *analysis, const struct opportunity *row)
{
	static const char *const tries[KIND_COUNT] = {
	        [KIND_OTHER] = "see what it does and which stream it runs on",
	        [KIND_ELEMENTWISE] = "fuse it with its neighbours",
	        [KIND_MEMORY] = "avoid the copy, fuse it, or run it beside compute",
	        [KIND_COMMUNICATION] = "start it earlier or run compute beside it",
	        [KIND_COMPUTE] = "a faster kernel or a better shape helps",
	};
	const struct aggregate *aggregate = row->aggregate;
	const struct neighbours *neighbours = &row->neighbours;
	enum kind kind = category_at(analysis, aggregate)->kind;
	double open = 100 * ratio(exposed(analysis->triage->rules, aggregate), aggregate->total);
	struct tav_text from = origin(analysis, row);
	const char *obstacle = "nothing it may depend on is close on its stream";

	if (!from.data)
		return from;
	if (row->verdict[0] != 'h')
		return text_format(&analysis->pool, "%.1f %% of its time is under compute already: leave it.%.*s",
		                   100 - open, (int)from.size, from.data);
	if (neighbours->risk == RISK_HIGH)
		obstacle = neighbours->signal[0] == 'b'
		                   ? "check first whether it depends on the kernels before and after it"
		           : neighbours->signal[0] == 'p' ? "check first whether it waits for the kernel before it"
		                                          : "check first whether the kernel after it waits for it";
	else if (neighbours->risk == RISK_UNCLEAR)
		obstacle = "check first what the kernels next to it are, their source is not known";
	return text_format(&analysis->pool, "%.1f %% without compute beside it: %s; %s.%.*s", open, tries[kind],
	                   obstacle, (int)from.size, from.data);
}

static tav_status make_row(struct analysis *analysis, struct analysis *mapping, struct device *device, uint32_t number,
                           const char *verdict, struct opportunity *row)
{
	const struct triage *triage = analysis->triage;
	const struct aggregate *aggregate = &device->aggregates[number];

	*row = (struct opportunity){.device = device, .aggregate = aggregate, .verdict = verdict};
	row->share = share_of(triage->rules, device, aggregate);
	if (locate(mapping, aggregate->phase, aggregate->name, &row->located) ||
	    find_neighbours(analysis, mapping, device, aggregate, &row->neighbours))
		return TAV_FAILED;
	decide(triage, category_at(analysis, aggregate)->kind, row);
	row->suggestion = triage->rules->advice == ADVICE_TWO ? suggest_reference(analysis, row)
	                                                      : suggest_improved(analysis, row);
	return row->suggestion.data ? TAV_OK : no_memory(analysis->triage);
}

static tav_status rank_phase(struct analysis *analysis, struct analysis *mapping, struct device *device, int32_t phase,
                             struct ranking *ranking)
{
	const struct triage *triage = analysis->triage;
	size_t first = ranking->count;
	struct lists lists = {0};

	if (list_headroom(analysis, device, phase, &lists) || list_hidden(analysis, device, phase, &lists))
		return TAV_FAILED;
	ranking->omitted += lists.headroom_omitted;
	for (size_t i = 0; i < lists.headroom_count; i++) {
		struct opportunity *row = &ranking->items[ranking->count];

		ranking->headroom_rank[lists.headroom[i].aggregate] = (uint32_t)i + 1;
		if (make_row(analysis, mapping, device, lists.headroom[i].aggregate, "headroom", row))
			return TAV_FAILED;
		ranking->count += row->share >= triage->min_share;
	}
	for (size_t i = 0; i < lists.hidden_count; i++) {
		uint32_t number = lists.hidden[i].aggregate;
		bool is_known = false;

		ranking->hidden_rank[number] = (uint32_t)i + 1;
		for (size_t k = first; k < ranking->count; k++)
			is_known = is_known || ranking->items[k].aggregate->name == device->aggregates[number].name;
		if (triage->rules->pick == PICK_FILTER_FIRST &&
		    share_of(triage->rules, device, &device->aggregates[number]) < triage->min_share)
			continue;
		if (is_known)
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

tav_status rank_device(struct analysis *analysis, struct analysis *mapping, struct device *device,
                       struct ranking *ranking)
{
	*ranking = (struct ranking){0};
	/* A name may stand in both lists, once in each. */
	ranking->items = POOL_NEW(&analysis->pool, struct opportunity, device->aggregate_count * 2);
	ranking->headroom_rank = POOL_NEW(&analysis->pool, uint32_t, device->aggregate_count);
	ranking->hidden_rank = POOL_NEW(&analysis->pool, uint32_t, device->aggregate_count);
	if (!ranking->items || !ranking->headroom_rank || !ranking->hidden_rank)
		return no_memory(analysis->triage);
	if (analysis->triage->rules->sweep != SWEEP_EACH_PHASE)
		return rank_phase(analysis, mapping, device, -1, ranking);
	/* The script's order of stages. */
	for (int32_t phase = PHASE_COUNT - 1; phase >= 0; phase--) {
		static const int32_t order[PHASE_COUNT] = {PHASE_MIXED, PHASE_ALL, PHASE_DECODE, PHASE_EXTEND};

		if (rank_phase(analysis, mapping, device, order[phase], ranking))
			return TAV_FAILED;
	}
	return TAV_OK;
}
