/* SPDX-License-Identifier: Apache-2.0 */
/* Which Python frames are open at certain places of the host. Frames of no use are looked at once and not copied. */
#include <stdlib.h>
#include <string.h>

#include "sourcemap.h"

enum { FALLBACK_TOLERANCE_NS = 1 };

tav_status add_query(struct mapping *mapping, uint32_t track, int64_t time, uint32_t *number)
{
	if (!pool_grow(&mapping->scratch, (void **)&mapping->queries, &mapping->query_capacity, mapping->query_count,
	               sizeof(*mapping->queries)))
		return no_memory(mapping->analysis->triage);
	mapping->queries[mapping->query_count] =
	        (struct query){.track = track, .time = time, .number = (uint32_t)mapping->query_count};
	*number = (uint32_t)++mapping->query_count;
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

static tav_status take_frame(struct mapping *mapping, tav_row row)
{
	struct analysis *analysis = mapping->analysis;
	uint32_t track = analysis->track[row];
	size_t low = mapping->first_query[track], high = mapping->first_query[track + 1];
	int64_t from = analysis->start[row];
	int64_t to = analysis->end[row] - (!analysis->triage->is_reference);
	struct label_facts *facts;

	if (low < high && add_hits(mapping, low, high, row, from, to))
		return TAV_FAILED;
	low = mapping->first_any;
	high = mapping->query_count;
	if (low == high)
		return TAV_OK;
	if (scope_of(analysis, analysis->label[row], &facts))
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

tav_status answer_queries(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;

	if (index_queries(mapping))
		return TAV_FAILED;
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		if (host_kind(analysis, row) != HOST_PYTHON)
			continue;
		analysis->missing.python++;
		if (take_frame(mapping, row))
			return TAV_FAILED;
	}
	return sort_hits(mapping);
}

/* ---- Stacks -------------------------------------------------------------------------------------------- */

void push_scope(struct stack *stack, const struct label_facts *scope)
{
	if (stack->count == STACK_DEPTH) {
		memmove(stack->scopes, stack->scopes + 1, (STACK_DEPTH - 1) * sizeof(*stack->scopes));
		stack->count--;
	}
	stack->scopes[stack->count++] = scope;
}

/* The meaningful scopes; without any, the others that are Python at all. */
tav_status read_stack(struct mapping *mapping, const struct query *query, struct stack *stack)
{
	struct analysis *analysis = mapping->analysis;
	struct stack fallback = {0};

	stack->count = 0;
	for (size_t i = 0; i < query->hit_count; i++) {
		struct label_facts *facts;

		if (scope_of(analysis, analysis->label[mapping->hits[query->first_hit + i].row], &facts))
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
