/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section 13: where in the Python source the kernels of a name were launched, and by which operator. A few kernels of
 * each name are sampled for their Python stacks; each gets a place on the host (thread and time), and one pass over the
 * frames collects the stacks at all those places. Operators are counted over all kernels.
 */
#include "sourcemap.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHAIN_DEPTH = 4,    /* scopes in the text of a chain */
	OP_CHARACTERS = 100 /* of the name of an operator */
};

enum host_kind host_kind(const struct analysis *analysis, tav_row row)
{
	uint32_t traits = analysis->traits[row];

	if (!is_interval(analysis, row))
		return HOST_NEITHER;
	if (analysis->triage->is_reference)
		return reference_host_kind(analysis, row);
	return traits & TAV_TRAIT_PYTHON ? HOST_PYTHON : traits & TAV_TRAIT_HOST_OP ? HOST_OP : HOST_NEITHER;
}

/* ---- Step 1: samples ----------------------------------------------------------------------------------- */

struct group { /* the kernels of a name and phase */
	uint32_t count, seen, taken;
};

/* The place of sample i of `wanted` among `count`: evenly spread, both ends included, rounded. */
uint32_t sample_place(uint32_t i, uint32_t wanted, uint32_t count)
{
	if (count <= wanted || wanted < 2)
		return i;
	return (uint32_t)((2 * (uint64_t)i * (count - 1) + (wanted - 1)) / (2 * (uint64_t)(wanted - 1)));
}

static int by_phase_time(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->kernel->phase != y->kernel->phase)
		return x->kernel->phase < y->kernel->phase ? -1 : 1;
	if (x->kernel->start != y->kernel->start)
		return x->kernel->start < y->kernel->start ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Groups by phase and name; group_of gives each aggregate of a device its group. */
static tav_status make_groups(struct mapping *mapping, struct group **groups, uint32_t **group_of)
{
	struct analysis *analysis = mapping->analysis;
	size_t group_count = 0, capacity = 0;
	struct tav_map places;

	tav_map_init(&places, analysis->triage->self);
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		group_of[d] = POOL_NEW(&mapping->scratch, uint32_t, device->aggregate_count);
		if (!group_of[d])
			return no_memory(analysis->triage);
		for (size_t i = 0; i < device->aggregate_count; i++) {
			const struct aggregate *aggregate = &device->aggregates[i];
			uint32_t place = tav_map_number(&places, (uint64_t)aggregate->phase << 32 | aggregate->name);

			if (place == TAV_NONE ||
			    !pool_grow(&mapping->scratch, (void **)groups, &capacity, group_count, sizeof(**groups)))
				return no_memory(analysis->triage);
			if (place == group_count)
				(*groups)[group_count++] = (struct group){0};
			(*groups)[place].count += (uint32_t)aggregate->count;
			group_of[d][i] = place;
		}
	}
	mapping->sample_count = 0;
	for (size_t i = 0; i < group_count; i++)
		mapping->sample_count +=
		        (*groups)[i].count < analysis->triage->samples ? (*groups)[i].count : analysis->triage->samples;
	return TAV_OK;
}

static tav_status choose_samples(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;
	uint32_t limit = analysis->triage->samples, **group_of;
	struct group *groups = NULL;
	size_t count = 0;

	group_of = POOL_NEW(&mapping->scratch, uint32_t *, analysis->device_count);
	if (!group_of)
		return no_memory(analysis->triage);
	if (make_groups(mapping, &groups, group_of))
		return TAV_FAILED;
	mapping->samples = POOL_NEW(&mapping->scratch, struct sample, mapping->sample_count);
	if (!mapping->samples)
		return no_memory(analysis->triage);
	for (size_t d = 0; d < analysis->device_count; d++) {
		for (size_t i = 0; i < analysis->devices[d].count; i++) {
			const struct kernel *kernel = &analysis->devices[d].kernels[i];
			struct group *group = &groups[group_of[d][kernel->aggregate]];

			if (group->taken == limit || group->seen++ != sample_place(group->taken, limit, group->count))
				continue;
			group->taken++;
			mapping->samples[count++] =
			        (struct sample){.kernel = kernel, .device = (uint32_t)d, .number = (uint32_t)i};
		}
	}
	if (count)
		qsort(mapping->samples, count, sizeof(*mapping->samples), by_phase_time);
	return TAV_OK;
}

/* ---- Step 2: operators and launches -------------------------------------------------------------------- */

tav_status add_context(struct mapping *mapping, tav_row row, uint64_t id)
{
	uint32_t number = tav_map_find_number(&mapping->wanted_ids, id);

	if (number == TAV_NONE)
		return TAV_OK;
	if (!mapping->last_context)
		mapping->last_context = POOL_NEW(&mapping->scratch, uint32_t, mapping->wanted_ids.count);
	if (!mapping->last_context ||
	    !pool_grow(&mapping->scratch, (void **)&mapping->contexts, &mapping->context_capacity,
	               mapping->context_count, sizeof(*mapping->contexts)))
		return no_memory(mapping->analysis->triage);
	mapping->contexts[mapping->context_count] = (struct context){row, mapping->last_context[number]};
	mapping->last_context[number] = (uint32_t)++mapping->context_count;
	return TAV_OK;
}

uint32_t last_context(const struct mapping *mapping, uint64_t id)
{
	uint32_t number = mapping->last_context ? tav_map_find_number(&mapping->wanted_ids, id) : TAV_NONE;

	return number == TAV_NONE ? 0 : mapping->last_context[number];
}

/* The number of the operator of a kernel whose launch is not recorded; 0: none. */
static uint32_t id_of(const struct analysis *analysis, tav_row row)
{
	uint32_t place = analysis->links->index[row];

	if (analysis->links->operator_repeats_link || place == TAV_NONE || analysis->links->why[place] == TAV_LINK_OK)
		return 0;
	return analysis->operators[row];
}

static tav_status find_contexts(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;

	tav_map_init(&mapping->wanted_ids, analysis->triage->self);
	for (size_t d = 0; d < analysis->device_count; d++) {
		for (size_t i = 0; i < analysis->devices[d].count; i++) {
			uint32_t id = id_of(analysis, analysis->devices[d].kernels[i].row);

			if (id && tav_map_number(&mapping->wanted_ids, id) == TAV_NONE)
				return TAV_FAILED;
		}
	}
	for (tav_row row = 0; row < analysis->info->row_count && mapping->wanted_ids.count; row++)
		if (analysis->operators[row] && host_kind(analysis, row) == HOST_OP &&
		    add_context(mapping, row, analysis->operators[row]))
			return TAV_FAILED;
	return TAV_OK;
}

/* The shortest operator of an id, the first of equals; row + 1. Of several processes it would be a guess: 0. */
static tav_row op_by_id(const struct mapping *mapping, uint32_t id)
{
	const struct analysis *analysis = mapping->analysis;
	tav_row best = 0;

	for (uint32_t place = id ? last_context(mapping, id) : 0; place; place = mapping->contexts[place - 1].next) {
		tav_row row = mapping->contexts[place - 1].row;

		if (best && analysis->pid[row] != analysis->pid[best - 1])
			return 0;
		if (!best || length_of(analysis, row) <= length_of(analysis, best - 1))
			best = row + 1;
	}
	return best;
}

/* The operator that launched a kernel, or at least the call; row + 1, 0: not known. */
static tav_row op_of(const struct mapping *mapping, tav_row row)
{
	const struct tav_link_list *links = mapping->analysis->links;
	uint32_t place = links->index[row];

	if (place == TAV_NONE || links->launch[place] == TAV_NONE)
		return op_by_id(mapping, id_of(mapping->analysis, row));
	return (links->operators[place] != TAV_NONE ? links->operators[place] : links->launch[place]) + 1;
}

/* The stack is read at the launch, or else at the operator. */
static tav_status ask(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;

	if (find_contexts(mapping))
		return TAV_FAILED;
	for (size_t i = 0; i < mapping->sample_count; i++) {
		struct sample *sample = &mapping->samples[i];
		tav_row launch = launch_of(analysis, sample->kernel->row), at;
		uint32_t place = analysis->links->index[sample->kernel->row];

		sample->op = op_of(mapping, sample->kernel->row);
		sample->launch = launch == TAV_NONE ? 0 : launch + 1;
		at = sample->launch ? sample->launch : sample->op;
		analysis->missing.with_id += id_of(analysis, sample->kernel->row) != 0;
		analysis->missing.launches += sample->launch != 0;
		analysis->missing.linked += place != TAV_NONE && analysis->links->why[place] != TAV_LINK_NONE;
		analysis->missing.ambiguous += place != TAV_NONE && analysis->links->why[place] == TAV_LINK_AMBIGUOUS;
		if (at && add_query(mapping, analysis->track[at - 1], analysis->start[at - 1], &sample->query))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- Stacks as texts ----------------------------------------------------------------------------------- */

/* The scope with the highest score, deeper ones with a bonus; the first of equals. */
static uint32_t best_scope(const struct stack *stack)
{
	int32_t best_score = INT32_MIN;
	uint32_t best = 0;

	for (size_t i = 0; i < stack->count; i++) {
		int32_t score = (int32_t)i + stack->scopes[i]->scope_score;

		if (score > best_score) {
			best_score = score;
			best = stack->scopes[i]->scope;
		}
	}
	return best;
}

/* The innermost scopes, joined. Only the lookup of names that a mapping does not have asks for it. */
static uint32_t chain_text(struct mapping *mapping, const struct stack *stack)
{
	struct triage *triage = mapping->analysis->triage;
	size_t first = stack->count > CHAIN_DEPTH ? stack->count - CHAIN_DEPTH : 0;
	struct tav_text chain = {"", 0};

	for (size_t i = first; i < stack->count; i++) {
		struct tav_text scope = text_at(triage, stack->scopes[i]->scope);

		chain = text_format(triage->self, "%.*s%s%.*s", (int)chain.size, chain.data, i > first ? " -> " : "",
		                    (int)scope.size, scope.data);
		if (!chain.data)
			return 0;
	}
	return text_id(&triage->texts, chain);
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

static tav_status add_counter(struct analysis *analysis, struct counters *counters, uint32_t text)
{
	if (!text || !pool_grow(&analysis->map_pool, (void **)&counters->items, &counters->capacity, counters->count,
	                        sizeof(*counters->items)))
		return no_memory(analysis->triage);
	counters->items[counters->count++] = (struct counter){text, 1};
	return TAV_OK;
}

/* One more of a text of a sample: of those counted equally often the first stays first. */
static tav_status count_text(struct analysis *analysis, struct counters *counters, uint32_t text)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->items[i].text == text) {
			counters->items[i].count++;
			return TAV_OK;
		}
	}
	return add_counter(analysis, counters, text);
}

const struct counter *counter_best(const struct counters *counters)
{
	const struct counter *best = NULL;

	for (size_t i = 0; i < counters->count; i++)
		if (!best || counters->items[i].count > best->count)
			best = &counters->items[i];
	return best;
}

static tav_status entry_of(struct analysis *analysis, const struct kernel *kernel, uint32_t *place)
{
	struct source_map *map = &analysis->maps[kernel->phase];

	if (!map->is_there) {
		tav_map_init(&map->index, analysis->triage->self);
		tav_map_init(&map->relaxed, analysis->triage->self);
	}
	map->is_there = true;
	*place = tav_map_number(&map->index, kernel->name);
	if (*place == TAV_NONE ||
	    !pool_grow(&analysis->map_pool, (void **)&map->items, &map->capacity, map->count, sizeof(*map->items)))
		return no_memory(analysis->triage);
	if (*place == map->count)
		map->items[map->count++] = (struct mapped_name){.name = kernel->name};
	return TAV_OK;
}

/* The name of an operator or call, cut; 0: no memory. */
static uint32_t op_text(struct analysis *analysis, tav_row row)
{
	struct label_facts *facts = &analysis->labels[analysis->label[row]];

	if (!facts->op) {
		struct triage *triage = analysis->triage;
		struct tav_text category,
		        text = text_short(triage->self, label_of(analysis, row, &category), OP_CHARACTERS);

		facts->op = text.data ? text_id(&triage->texts, text) : 0;
	}
	return facts->op;
}

static tav_status count_scope(struct mapping *mapping, const struct sample *sample, struct mapped_name *entry,
                              bool *has_stack)
{
	struct analysis *analysis = mapping->analysis;
	struct stack stack = {0};

	if (sample->query) {
		const struct query *query = &mapping->queries[mapping->query_of[sample->query - 1]];

		if (sample->is_guess ? read_guess(mapping, query, &stack) : read_stack(mapping, query, &stack))
			return TAV_FAILED;
	}
	*has_stack = stack.count > 0;
	if (!stack.count)
		return TAV_OK;
	if (count_text(analysis, &entry->scopes, best_scope(&stack)))
		return TAV_FAILED;
	return analysis->is_mapping ? count_text(analysis, &entry->chains, chain_text(mapping, &stack)) : TAV_OK;
}

/* Who replays a graph is no source of its kernels. */
static bool is_replay(const struct analysis *analysis, const struct sample *sample)
{
	struct tav_self *self = analysis->triage->self;

	return sample->launch && self->host->label_call(self, analysis->source, analysis->label[sample->launch - 1]) ==
	                                 TAV_CALL_GRAPH_LAUNCH;
}

/* The reference names a guess as such, and loses the operator of what has no stack. */
static uint32_t reference_op(struct analysis *analysis, const struct sample *sample)
{
	return sample->op ? op_text(analysis, sample->op - 1)
	                  : text_id(&analysis->triage->texts, TEXT("time-window fallback"));
}

static tav_status count_sample(struct mapping *mapping, const struct sample *sample)
{
	struct analysis *analysis = mapping->analysis;
	bool is_replayed = is_replay(analysis, sample), has_stack;
	const struct aggregate *aggregate;
	struct mapped_name *entry;
	uint32_t place;

	if (entry_of(analysis, sample->kernel, &place))
		return TAV_FAILED;
	entry = &analysis->maps[sample->kernel->phase].items[place];
	if (count_scope(mapping, sample, entry, &has_stack))
		return TAV_FAILED;
	entry->total++;
	entry->replayed += is_replayed;
	entry->mapped += has_stack && !is_replayed;
	analysis->missing.replayed += is_replayed;
	if (analysis->triage->is_reference)
		return has_stack ? count_text(analysis, &entry->ops, reference_op(analysis, sample)) : TAV_OK;
	aggregate = &analysis->devices[sample->device].aggregates[sample->kernel->aggregate];
	if (aggregate->is_shown)
		return TAV_OK; /* count_ops() looks at all of its kernels */
	entry->kernels++;
	return sample->op ? count_text(analysis, &entry->ops, op_text(analysis, sample->op - 1)) : TAV_OK;
}

/* The operators of all kernels that are shown. `pairs` of entry and text, with the counter of each. */
struct op_pairs {
	struct tav_map numbers;
	uint32_t *counters;
	size_t capacity;
};

static tav_status count_op(struct mapping *mapping, struct op_pairs *pairs, uint64_t entry_number,
                           struct mapped_name *entry, uint32_t text)
{
	uint32_t count = pairs->numbers.count, pair;

	pair = text ? tav_map_number(&pairs->numbers, entry_number << 32 | text) : TAV_NONE;
	if (pair == TAV_NONE)
		return TAV_FAILED;
	if (pair < count) {
		entry->ops.items[pairs->counters[pair]].count++;
		return TAV_OK;
	}
	if (!pool_grow(&mapping->scratch, (void **)&pairs->counters, &pairs->capacity, count, sizeof(*pairs->counters)))
		return no_memory(mapping->analysis->triage);
	pairs->counters[pair] = (uint32_t)entry->ops.count;
	return add_counter(mapping->analysis, &entry->ops, text);
}

static tav_status count_ops(struct mapping *mapping, const struct device *device, struct op_pairs *pairs)
{
	struct analysis *analysis = mapping->analysis;
	uint32_t *entries = POOL_NEW(&mapping->scratch, uint32_t, device->aggregate_count);

	if (!entries)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->aggregate_count; i++)
		if (entry_of(analysis, &device->kernels[device->aggregates[i].representative], &entries[i]))
			return TAV_FAILED;
	for (size_t i = 0; i < device->count; i++) {
		const struct kernel *kernel = &device->kernels[i];
		uint64_t number = entries[kernel->aggregate];
		struct mapped_name *entry = &analysis->maps[kernel->phase].items[number];
		tav_row row;

		if (!device->aggregates[kernel->aggregate].is_shown)
			continue;
		row = op_of(mapping, kernel->row);
		entry->kernels++;
		if (row &&
		    count_op(mapping, pairs, number * PHASE_COUNT + kernel->phase, entry, op_text(analysis, row - 1)))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

tav_status make_source_maps(struct analysis *analysis)
{
	struct mapping mapping = {.analysis = analysis};
	bool is_reference = analysis->triage->is_reference;
	struct op_pairs pairs = {0};
	tav_status status = choose_samples(&mapping);

	tav_map_init(&pairs.numbers, analysis->triage->self);
	if (!status && mapping.sample_count) {
		status = is_reference ? reference_ask(&mapping) : ask(&mapping);
		if (!status)
			status = answer_queries(&mapping);
		for (size_t i = 0; i < mapping.sample_count && !status; i++)
			status = count_sample(&mapping, &mapping.samples[i]);
		for (size_t d = 0; d < analysis->device_count && !status && !is_reference; d++)
			status = count_ops(&mapping, &analysis->devices[d], &pairs);
	}
	analysis->missing.samples = mapping.sample_count;
	free(mapping.hits);
	pool_free(&mapping.scratch);
	return status;
}
