/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section 13: where in the Python source the kernels of a name were launched. A few kernels of each name are sampled;
 * each gets a place on the host (thread and time), and one pass over the Python frames collects the stacks at all those
 * places. Events of no use are looked at once and not copied, so that deep stacks cost no memory.
 */
#include <stdlib.h>
#include <string.h>

#include "triage.h"

enum {
	STACK_DEPTH = 6,     /* scopes kept of a stack, the innermost ones */
	CHAIN_DEPTH = 4,     /* of those, in the text of a chain */
	OP_CHARACTERS = 100, /* of the name of an operator */
	FALLBACK_TOLERANCE_NS = 1
};

enum { NO_QUERY = 0 };
#define ANY_TRACK UINT32_MAX
struct query { /* which frames are open here? */
	uint32_t track;
	uint32_t number; /* before sorting */
	int64_t time;
	tav_row op; /* row + 1 of the innermost operator; 0: none */
	size_t first_hit, hit_count;
};
struct hit { /* a frame that is open at a query */
	uint32_t query;
	tav_row row;
};
struct context { /* an operator with a wanted id */
	tav_row row;
	uint32_t next; /* of the same id; place + 1 */
};
struct sample {
	const struct kernel *kernel;
	uint32_t device, number; /* number: the kernel's own */
	int64_t id;
	bool has_id;
	tav_row op, launch; /* row + 1; 0: none */
	uint32_t query;     /* number + 1; 0: there is no place to ask */
	bool is_guess;      /* the stack is taken at the device's time */
};
struct mapping { /* all that making the maps needs */
	struct analysis *analysis;
	struct pool scratch;
	struct sample *samples;
	size_t sample_count;
	struct map wanted_ids; /* id to place + 1 of its last context */
	struct context *contexts;
	size_t context_count, context_capacity;
	struct query *queries;
	size_t query_count, query_capacity;
	uint32_t *query_of;  /* number to place */
	size_t *first_query; /* by track */
	size_t first_any;    /* queries of any track stand behind the others */
	struct hit *hits;
	size_t hit_count, hit_capacity;
};

/* ---- Which events are frames and operators ------------------------------------------------------------- */

enum host_kind { HOST_NEITHER = 1, HOST_PYTHON, HOST_OP };

static enum host_kind host_kind(struct analysis *analysis, tav_row row)
{
	struct triage *triage = analysis->triage;
	uint32_t traits = analysis->traits[row];
	struct label_facts *facts;

	if (!(traits & TAV_TRAIT_INTERVAL) || analysis->end[row] <= analysis->start[row])
		return HOST_NEITHER;
	if (triage->rules->kernels == KERNELS_BY_DIALECT)
		return traits & TAV_TRAIT_PYTHON ? HOST_PYTHON : traits & TAV_TRAIT_HOST_OP ? HOST_OP : HOST_NEITHER;
	facts = &triage->labels[analysis->label[row]];
	if (!facts->host) {
		struct tav_text category;

		triage->self->host->label(triage->self, analysis->label[row], &category);
		facts->host = text_is(category, "python_function") ? HOST_PYTHON
		              : text_is(category, "cpu_op")        ? HOST_OP
		                                                   : HOST_NEITHER;
	}
	return analysis->phase[row] == 'X' ? (enum host_kind)facts->host : HOST_NEITHER;
}

/* ---- Step 1: samples ----------------------------------------------------------------------------------- */

struct group { /* the kernels of a name and phase */
	uint32_t count, seen, taken;
};

/* The place of sample i of `wanted` among `count`: evenly spread, both ends included, rounded. */
static uint32_t sample_place(uint32_t i, uint32_t wanted, uint32_t count)
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
	struct map places;

	if (!map_init(&places, &mapping->scratch, 256))
		return no_memory(analysis->triage);
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		group_of[d] = POOL_NEW(&mapping->scratch, uint32_t, device->aggregate_count);
		if (!group_of[d])
			return no_memory(analysis->triage);
		for (size_t i = 0; i < device->aggregate_count; i++) {
			const struct aggregate *aggregate = &device->aggregates[i];
			bool is_new;
			uint32_t *place = map_add(&places, (uint64_t)aggregate->phase << 32 | aggregate->name, &is_new);

			if (!place ||
			    !pool_grow(&mapping->scratch, (void **)groups, &capacity, group_count, sizeof(**groups)))
				return no_memory(analysis->triage);
			if (is_new) {
				(*groups)[group_count] = (struct group){0};
				*place = (uint32_t)group_count++;
			}
			(*groups)[*place].count += (uint32_t)aggregate->count;
			group_of[d][i] = *place;
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

/* ---- Step 2: ids, operators and launches --------------------------------------------------------------- */

static tav_status find_ids(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;
	struct map places;
	int64_t *ids;
	uint64_t key;

	if (!map_init(&places, &mapping->scratch, 64) || !map_init(&mapping->wanted_ids, &mapping->scratch, 256))
		return no_memory(analysis->triage);
	for (size_t i = 0; i < mapping->sample_count; i++)
		if (!is_present(analysis->external_present, mapping->samples[i].kernel->row) &&
		    correlation_key(analysis, mapping->samples[i].kernel->row, &key) && !map_add(&places, key, NULL))
			return no_memory(analysis->triage);
	if (find_external_ids(analysis, &mapping->scratch, &places, &ids))
		return TAV_FAILED;
	for (size_t i = 0; i < mapping->sample_count; i++) {
		struct sample *sample = &mapping->samples[i];
		tav_row row = sample->kernel->row;
		const uint32_t *place;

		if (is_present(analysis->external_present, row)) {
			sample->id = analysis->external[row];
			sample->has_id = true;
		} else if (correlation_key(analysis, row, &key) && (place = map_find(&places, key)) && *place) {
			sample->id = ids[*place - 1];
			sample->has_id = true;
		}
		sample->has_id = sample->has_id && sample->id != -1;
		if (sample->has_id && !map_add(&mapping->wanted_ids, (uint64_t)sample->id, NULL))
			return no_memory(analysis->triage);
		analysis->missing.with_id += sample->has_id;
	}
	return TAV_OK;
}

/* Operators by wanted id, as lists from the last to the first of the file. */
static tav_status find_contexts(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;

	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t *last;

		if (!is_present(analysis->external_present, row) || analysis->external[row] == -1 ||
		    host_kind(analysis, row) != HOST_OP ||
		    !(last = map_find(&mapping->wanted_ids, (uint64_t)analysis->external[row])))
			continue;
		if (!pool_grow(&mapping->scratch, (void **)&mapping->contexts, &mapping->context_capacity,
		               mapping->context_count, sizeof(*mapping->contexts)))
			return no_memory(analysis->triage);
		mapping->contexts[mapping->context_count] = (struct context){row, *last};
		*last = (uint32_t)++mapping->context_count;
	}
	analysis->missing.ops += mapping->context_count;
	return TAV_OK;
}

/* The operator of the sample's id whose start is nearest, the shorter of equals, the first of equals. */
static tav_row nearest_op(const struct mapping *mapping, const struct sample *sample)
{
	const struct analysis *analysis = mapping->analysis;
	const uint32_t *last = sample->has_id ? map_find(&mapping->wanted_ids, (uint64_t)sample->id) : NULL;
	int64_t best_gap = 0, best_time = 0;
	bool is_best_on_thread = false;
	tav_row best = 0;

	for (uint32_t place = last ? *last : 0; place; place = mapping->contexts[place - 1].next) {
		tav_row row = mapping->contexts[place - 1].row;
		int64_t gap = analysis->start[row] - sample->kernel->start,
		        time = analysis->end[row] - analysis->start[row];
		/* Ids of several processes may meet in one file: the launching thread's comes first. */
		bool is_on_thread = sample->launch && analysis->track[row] == analysis->track[sample->launch - 1];

		gap = gap < 0 ? -gap : gap;
		if (!best || (is_on_thread && !is_best_on_thread) ||
		    (is_on_thread == is_best_on_thread && (gap < best_gap || (gap == best_gap && time <= best_time)))) {
			best = row + 1;
			best_gap = gap;
			best_time = time;
			is_best_on_thread = is_on_thread;
		}
	}
	return best;
}

static tav_status find_sample_launches(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;
	struct map launches;
	uint64_t key;

	if (!map_init(&launches, &mapping->scratch, mapping->sample_count))
		return no_memory(analysis->triage);
	for (size_t i = 0; i < mapping->sample_count; i++) {
		if (!correlation_key(analysis, mapping->samples[i].kernel->row, &key))
			continue;
		analysis->missing.correlated++;
		if (!map_add(&launches, key, NULL))
			return no_memory(analysis->triage);
	}
	if (find_launches(analysis, &launches))
		return TAV_FAILED;
	for (size_t i = 0; i < mapping->sample_count; i++) {
		struct sample *sample = &mapping->samples[i];
		const uint32_t *launch;

		if (correlation_key(analysis, sample->kernel->row, &key) && (launch = map_find(&launches, key)))
			sample->launch = *launch;
		analysis->missing.launches += sample->launch != 0;
	}
	return TAV_OK;
}

/* ---- Step 3: the places of the stacks ------------------------------------------------------------------ */

static tav_status add_query(struct mapping *mapping, uint32_t track, int64_t time, uint32_t *number)
{
	if (!pool_grow(&mapping->scratch, (void **)&mapping->queries, &mapping->query_capacity, mapping->query_count,
	               sizeof(*mapping->queries)))
		return no_memory(mapping->analysis->triage);
	mapping->queries[mapping->query_count] =
	        (struct query){.track = track, .time = time, .number = (uint32_t)mapping->query_count};
	*number = (uint32_t)++mapping->query_count;
	return TAV_OK;
}

static tav_status add_query_at(struct mapping *mapping, tav_row row, uint32_t *number)
{
	return add_query(mapping, mapping->analysis->track[row], mapping->analysis->start[row], number);
}

/* The stack is read at the launch, or else at the operator; the reference knows operators only, and guesses. */
static tav_status ask(struct mapping *mapping)
{
	for (size_t i = 0; i < mapping->sample_count; i++) {
		struct sample *sample = &mapping->samples[i];
		tav_status status = TAV_OK;

		sample->op = nearest_op(mapping, sample);
		if (sample->launch || sample->op)
			status = add_query_at(mapping, (sample->launch ? sample->launch : sample->op) - 1,
			                      &sample->query);
		else if (mapping->analysis->triage->rules->stacks == STACKS_AT_OP_OR_DEVICE_TIME) {
			sample->is_guess = true;
			status = add_query(mapping, ANY_TRACK, sample->kernel->start, &sample->query);
		}
		if (status)
			return status;
	}
	return TAV_OK;
}

static int by_track_time(const void *a, const void *b)
{
	const struct query *x = a, *y = b;

	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static tav_status index_queries(struct mapping *mapping)
{
	size_t track_count = mapping->analysis->info->track_count, place = 0;

	mapping->query_of = POOL_NEW(&mapping->scratch, uint32_t, mapping->query_count);
	mapping->first_query = POOL_NEW(&mapping->scratch, size_t, track_count + 1);
	if (!mapping->query_of || !mapping->first_query)
		return no_memory(mapping->analysis->triage);
	if (mapping->query_count)
		qsort(mapping->queries, mapping->query_count, sizeof(*mapping->queries), by_track_time);
	for (size_t track = 0; track <= track_count; track++) {
		while (place < mapping->query_count && mapping->queries[place].track < track)
			place++;
		mapping->first_query[track] = place;
	}
	mapping->first_any = mapping->first_query[track_count];
	for (size_t i = 0; i < mapping->query_count; i++)
		mapping->query_of[mapping->queries[i].number] = (uint32_t)i;
	return TAV_OK;
}

/* The first query of [low, high) at or after the time. */
static size_t first_at(const struct mapping *mapping, size_t low, size_t high, int64_t time)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (mapping->queries[middle].time >= time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* There may be as many as frames: no old copies in a pool. */
static bool widen_hits(struct mapping *mapping)
{
	size_t capacity = mapping->hit_capacity ? mapping->hit_capacity + mapping->hit_capacity / 2 : 1024;
	struct hit *hits =
	        capacity < SIZE_MAX / sizeof(*hits) ? realloc(mapping->hits, capacity * sizeof(*hits)) : NULL;

	if (!hits)
		return false;
	mapping->hits = hits;
	mapping->hit_capacity = capacity;
	return true;
}

static tav_status add_hits(struct mapping *mapping, size_t low, size_t high, tav_row row, int64_t from, int64_t to)
{
	struct analysis *analysis = mapping->analysis;

	for (size_t i = first_at(mapping, low, high, from); i < high && mapping->queries[i].time <= to; i++) {
		if (mapping->hit_count == mapping->hit_capacity && !widen_hits(mapping))
			return no_memory(analysis->triage);
		mapping->hits[mapping->hit_count++] = (struct hit){(uint32_t)i, row};
	}
	return TAV_OK;
}

static void note_op(struct mapping *mapping, size_t low, size_t high, tav_row row)
{
	const struct analysis *analysis = mapping->analysis;

	for (size_t i = first_at(mapping, low, high, analysis->start[row]);
	     i < high && mapping->queries[i].time < analysis->end[row]; i++) {
		struct query *query = &mapping->queries[i];

		if (!query->op || analysis->start[row] >= analysis->start[query->op - 1])
			query->op = row + 1;
	}
}

static tav_status take_frame(struct mapping *mapping, tav_row row)
{
	struct analysis *analysis = mapping->analysis;
	uint32_t track = analysis->track[row];
	size_t low = mapping->first_query[track], high = mapping->first_query[track + 1];
	int64_t from = analysis->start[row];
	int64_t to = analysis->end[row] - (analysis->triage->rules->scopes == SCOPES_HALF_OPEN);
	struct label_facts *facts;

	if (low < high && add_hits(mapping, low, high, row, from, to))
		return TAV_FAILED;
	low = mapping->first_any;
	high = mapping->query_count;
	if (low == high)
		return TAV_OK;
	if (scope_of(analysis->triage, analysis->label[row], &facts))
		return TAV_FAILED;
	if (!(facts->scope_flags & SCOPE_MEANINGFUL))
		return TAV_OK;
	return add_hits(mapping, low, high, row, from - FALLBACK_TOLERANCE_NS, to + FALLBACK_TOLERANCE_NS);
}

/* Brings the hits together by query, and those of a query in the order of start; the file mostly has it. */
static tav_status sort_hits(struct mapping *mapping)
{
	const int64_t *start = mapping->analysis->start;
	struct hit *sorted = calloc(mapping->hit_count ? mapping->hit_count : 1, sizeof(*sorted));
	size_t place = 0;

	if (!sorted)
		return no_memory(mapping->analysis->triage);
	for (size_t i = 0; i < mapping->hit_count; i++)
		mapping->queries[mapping->hits[i].query].hit_count++;
	for (size_t i = 0; i < mapping->query_count; i++) {
		mapping->queries[i].first_hit = place;
		place += mapping->queries[i].hit_count;
		mapping->queries[i].hit_count = 0;
	}
	for (size_t i = 0; i < mapping->hit_count; i++) {
		struct query *query = &mapping->queries[mapping->hits[i].query];
		struct hit hit = mapping->hits[i];
		size_t at = query->first_hit + query->hit_count++;

		/* Stacks are as deep as people write them: moving a few back costs less than a sort. */
		while (at > query->first_hit && start[sorted[at - 1].row] > start[hit.row]) {
			sorted[at] = sorted[at - 1];
			at--;
		}
		sorted[at] = hit;
	}
	free(mapping->hits);
	mapping->hits = sorted;
	return TAV_OK;
}

static tav_status answer(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;
	bool needs_ops = analysis->triage->rules->stacks == STACKS_AT_LAUNCH;

	if (index_queries(mapping))
		return TAV_FAILED;
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		enum host_kind kind = host_kind(analysis, row);

		if (kind == HOST_PYTHON) {
			analysis->missing.python++;
			if (take_frame(mapping, row))
				return TAV_FAILED;
		} else if (kind == HOST_OP && needs_ops) {
			uint32_t track = analysis->track[row];

			note_op(mapping, mapping->first_query[track], mapping->first_query[track + 1], row);
		}
	}
	return sort_hits(mapping);
}

/* ---- Stacks -------------------------------------------------------------------------------------------- */

struct stack { /* the scopes of a place, outermost first */
	const struct label_facts *scopes[STACK_DEPTH];
	size_t count;
};

static void push_scope(struct stack *stack, const struct label_facts *scope)
{
	if (stack->count == STACK_DEPTH) {
		memmove(stack->scopes, stack->scopes + 1, (STACK_DEPTH - 1) * sizeof(*stack->scopes));
		stack->count--;
	}
	stack->scopes[stack->count++] = scope;
}

/* The meaningful scopes; without any, the others that are Python at all. */
static tav_status read_stack(struct mapping *mapping, const struct query *query, struct stack *stack)
{
	struct triage *triage = mapping->analysis->triage;
	struct stack fallback = {0};

	stack->count = 0;
	for (size_t i = 0; i < query->hit_count; i++) {
		struct label_facts *facts;

		if (scope_of(triage, mapping->analysis->label[mapping->hits[query->first_hit + i].row], &facts))
			return TAV_FAILED;
		if (facts->scope_flags & SCOPE_MEANINGFUL)
			push_scope(stack, facts);
		else if (facts->scope_flags & SCOPE_FALLBACK)
			push_scope(&fallback, facts);
	}
	if (!stack->count)
		*stack = fallback;
	return TAV_OK;
}

struct guess {
	int64_t start, time;
	const struct label_facts *facts;
	struct tav_text scope;
};

static int by_guess(const void *a, const void *b)
{
	const struct guess *x = a, *y = b;
	int order;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	order = memcmp(x->scope.data, y->scope.data, x->scope.size < y->scope.size ? x->scope.size : y->scope.size);
	return order ? order : x->scope.size < y->scope.size ? -1 : x->scope.size > y->scope.size;
}

/* The frames of all threads at the device's time, each scope once, by (start, longest, name). */
static tav_status read_guess(struct mapping *mapping, const struct query *query, struct stack *stack)
{
	struct triage *triage = mapping->analysis->triage;
	struct pool scratch = {0};
	struct guess *guesses = POOL_NEW(&scratch, struct guess, query->hit_count);
	struct map seen;
	tav_status status = guesses && map_init(&seen, &scratch, query->hit_count) ? TAV_OK : no_memory(triage);

	stack->count = 0;
	for (size_t i = 0; i < query->hit_count && !status; i++) {
		tav_row row = mapping->hits[query->first_hit + i].row;
		int64_t start = mapping->analysis->start[row];
		struct label_facts *facts;

		status = scope_of(triage, mapping->analysis->label[row], &facts);
		if (!status)
			guesses[i] = (struct guess){start, mapping->analysis->end[row] - start, facts,
			                            text_of(triage, facts->scope)};
	}
	if (!status && query->hit_count)
		qsort(guesses, query->hit_count, sizeof(*guesses), by_guess);
	for (size_t i = 0; i < query->hit_count && !status; i++) {
		bool is_new = false;

		if (!map_add(&seen, guesses[i].facts->scope, &is_new))
			status = no_memory(triage);
		else if (is_new)
			push_scope(stack, guesses[i].facts);
	}
	pool_free(&scratch);
	return status;
}

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
		struct tav_text scope = text_of(triage, stack->scopes[i]->scope);

		chain = text_format(&mapping->scratch, "%.*s%s%.*s", (int)chain.size, chain.data,
		                    i > first ? " -> " : "", (int)scope.size, scope.data);
		if (!chain.data)
			return 0;
	}
	return texts_add(&triage->texts, chain.data, chain.size);
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

static tav_status count_text(struct analysis *analysis, struct counters *counters, uint32_t text)
{
	if (!text)
		return no_memory(analysis->triage);
	for (size_t i = 0; i < counters->count; i++) {
		if (counters->items[i].text == text) {
			counters->items[i].count++;
			return TAV_OK;
		}
	}
	if (!pool_grow(&analysis->map_pool, (void **)&counters->items, &counters->capacity, counters->count,
	               sizeof(*counters->items)))
		return no_memory(analysis->triage);
	counters->items[counters->count++] = (struct counter){text, 1};
	return TAV_OK;
}

/* The text counted most, the first of equals; 0: none. */
uint32_t counter_best(const struct counters *counters)
{
	const struct counter *best = NULL;

	for (size_t i = 0; i < counters->count; i++)
		if (!best || counters->items[i].count > best->count)
			best = &counters->items[i];
	return best ? best->text : 0;
}

static tav_status entry_of(struct analysis *analysis, const struct kernel *kernel, struct mapped_name **out)
{
	struct source_map *map = &analysis->maps[kernel->phase];
	uint32_t *place;
	bool is_new;

	if (!map->is_there && !map_init(&map->index, &analysis->map_pool, 64))
		return no_memory(analysis->triage);
	map->is_there = true;
	place = map_add(&map->index, kernel->name, &is_new);
	if (!place ||
	    !pool_grow(&analysis->map_pool, (void **)&map->items, &map->capacity, map->count, sizeof(*map->items)))
		return no_memory(analysis->triage);
	if (is_new) {
		map->items[map->count++] = (struct mapped_name){.name = kernel->name};
		*place = (uint32_t)map->count;
	}
	*out = &map->items[*place - 1];
	return TAV_OK;
}

static uint32_t label_text(struct mapping *mapping, tav_row row)
{
	struct triage *triage = mapping->analysis->triage;
	struct tav_text category,
	        name = triage->self->host->label(triage->self, mapping->analysis->label[row], &category);
	struct tav_text text = text_short(&mapping->scratch, name, OP_CHARACTERS);

	return text.data ? texts_add(&triage->texts, text.data, text.size) : 0;
}

static bool is_graph_launch(struct mapping *mapping, tav_row row)
{
	struct triage *triage = mapping->analysis->triage;
	struct tav_text category,
	        name = triage->self->host->label(triage->self, mapping->analysis->label[row], &category);

	return text_has_lower(name, "graphlaunch");
}

/* The operator that launched, or at least the call. 0: not known; the text must then not be counted. */
static uint32_t op_text(struct mapping *mapping, const struct sample *sample, bool *is_known)
{
	static const char guess[] = "time-window fallback";
	struct triage *triage = mapping->analysis->triage;
	tav_row row = sample->op;

	*is_known = true;
	if (row)
		return label_text(mapping, row - 1);
	if (sample->is_guess)
		return texts_add(&triage->texts, guess, sizeof(guess) - 1);
	if (sample->launch)
		row = mapping->queries[mapping->query_of[sample->query - 1]].op;
	if (row || sample->launch)
		return label_text(mapping, (row ? row : sample->launch) - 1);
	*is_known = false;
	return 0;
}

static tav_status count_sample(struct mapping *mapping, const struct sample *sample)
{
	struct analysis *analysis = mapping->analysis;
	struct mapped_name *entry = NULL;
	struct stack stack = {0};
	bool is_known;
	uint32_t op;

	if (entry_of(analysis, sample->kernel, &entry))
		return TAV_FAILED;
	entry->total++;
	if (sample->query) {
		const struct query *query = &mapping->queries[mapping->query_of[sample->query - 1]];

		if (sample->is_guess ? read_guess(mapping, query, &stack) : read_stack(mapping, query, &stack))
			return TAV_FAILED;
	}
	if (sample->launch && is_graph_launch(mapping, sample->launch - 1))
		entry->is_shared_launch = true;
	if (stack.count) {
		entry->mapped++;
		if (count_text(analysis, &entry->scopes, best_scope(&stack)))
			return TAV_FAILED;
		if (analysis->is_mapping && count_text(analysis, &entry->chains, chain_text(mapping, &stack)))
			return TAV_FAILED;
	} else if (analysis->triage->rules->bare_op == BARE_OP_LOST) {
		return TAV_OK;
	}
	op = op_text(mapping, sample, &is_known);
	return is_known ? count_text(analysis, &entry->ops, op) : TAV_OK;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

tav_status make_source_maps(struct analysis *analysis)
{
	struct mapping mapping = {.analysis = analysis};
	tav_status status = choose_samples(&mapping);

	if (!status && mapping.sample_count) {
		status = find_ids(&mapping);
		if (!status && analysis->triage->rules->stacks == STACKS_AT_LAUNCH)
			status = find_sample_launches(&mapping);
		if (!status && mapping.wanted_ids.count)
			status = find_contexts(&mapping);
		if (!status)
			status = ask(&mapping);
		if (!status)
			status = answer(&mapping);
		for (size_t i = 0; i < mapping.sample_count && !status; i++)
			status = count_sample(&mapping, &mapping.samples[i]);
	}
	analysis->missing.samples = mapping.sample_count;
	free(mapping.hits);
	pool_free(&mapping.scratch);
	return status;
}
