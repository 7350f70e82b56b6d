/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section 13 as the reference has it: the stack of a kernel is that of the operator with its id, else a guess: the
 * frames of all threads at the device's time.
 */
#include <stdlib.h>
#include <string.h>

#include "sourcemap.h"

enum host_kind reference_host_kind(const struct analysis *analysis, tav_row row)
{
	struct label_facts *facts = &analysis->labels[analysis->label[row]];

	if (!facts->host) {
		struct tav_text category;

		label_of(analysis, row, &category);
		facts->host = text_is(category, "python_function") ? HOST_PYTHON
		              : text_is(category, "cpu_op")        ? HOST_OP
		                                                   : HOST_NEITHER;
	}
	return analysis->phase[row] == 'X' ? (enum host_kind)facts->host : HOST_NEITHER;
}

/* ---- Operators by id ----------------------------------------------------------------------------------- */

/* Notes the samples' ids as wanted, and which sample has which; INT64_MIN: none. */
static tav_status find_ids(struct mapping *mapping, int64_t *sample_ids)
{
	struct analysis *analysis = mapping->analysis;
	struct tav_map places;
	int64_t *ids, id;
	uint64_t key;

	tav_map_init(&places, analysis->triage->self);
	tav_map_init(&mapping->wanted_ids, analysis->triage->self);
	for (size_t i = 0; i < mapping->sample_count; i++) {
		tav_row row = mapping->samples[i].kernel->row;

		if (!reference_external(analysis, row, &id) && reference_correlation(analysis, row, &key) &&
		    tav_map_number(&places, key) == TAV_NONE)
			return TAV_FAILED;
	}
	if (reference_ids(analysis, &mapping->scratch, &places, &ids))
		return TAV_FAILED;
	for (size_t i = 0; i < mapping->sample_count; i++) {
		if (!reference_id(analysis, mapping->samples[i].kernel->row, &places, ids, &sample_ids[i])) {
			sample_ids[i] = INT64_MIN;
			continue;
		}
		analysis->missing.with_id++;
		if (tav_map_number(&mapping->wanted_ids, (uint64_t)sample_ids[i]) == TAV_NONE)
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* Operators by wanted id, as lists from the last to the first of the file. */
static tav_status find_contexts(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;
	int64_t id;

	for (tav_row row = 0; row < analysis->info->row_count; row++)
		if (host_kind(analysis, row) == HOST_OP && reference_external(analysis, row, &id) && id != -1 &&
		    add_context(mapping, row, (uint64_t)id))
			return TAV_FAILED;
	return TAV_OK;
}

/* The operator of an id whose start is nearest, the shorter of equals, the first of equals; row + 1. */
static tav_row nearest_op(const struct mapping *mapping, const struct kernel *kernel, int64_t id)
{
	const struct analysis *analysis = mapping->analysis;
	int64_t best_gap = 0, best_time = 0;
	tav_row best = 0;

	for (uint32_t place = id == INT64_MIN ? 0 : last_context(mapping, (uint64_t)id); place;
	     place = mapping->contexts[place - 1].next) {
		tav_row row = mapping->contexts[place - 1].row;
		int64_t gap = minus(analysis->start[row], kernel->start);
		int64_t time = minus(analysis->end[row], analysis->start[row]);

		gap = gap < 0 ? -gap : gap;
		if (!best || gap < best_gap || (gap == best_gap && time <= best_time)) {
			best = row + 1;
			best_gap = gap;
			best_time = time;
		}
	}
	return best;
}

tav_status reference_ask(struct mapping *mapping)
{
	struct analysis *analysis = mapping->analysis;
	int64_t *ids = POOL_NEW(&mapping->scratch, int64_t, mapping->sample_count);
	tav_status status = ids ? find_ids(mapping, ids) : no_memory(analysis->triage);

	if (!status && mapping->wanted_ids.count)
		status = find_contexts(mapping);
	for (size_t i = 0; i < mapping->sample_count && !status; i++) {
		struct sample *sample = &mapping->samples[i];

		sample->op = nearest_op(mapping, sample->kernel, ids[i]);
		sample->is_guess = !sample->op;
		status = sample->op ? add_query(mapping, analysis->track[sample->op - 1],
		                                analysis->start[sample->op - 1], &sample->query)
		                    : add_query(mapping, ANY_TRACK, sample->kernel->start, &sample->query);
	}
	return status;
}

/* ---- The guess ----------------------------------------------------------------------------------------- */

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
tav_status read_guess(struct mapping *mapping, const struct query *query, struct stack *stack)
{
	struct analysis *analysis = mapping->analysis;
	struct triage *triage = analysis->triage;
	struct pool scratch = {0};
	struct guess *guesses = POOL_NEW(&scratch, struct guess, query->hit_count);
	struct tav_map seen;
	tav_status status = guesses ? TAV_OK : no_memory(triage);

	tav_map_init(&seen, triage->self);
	stack->count = 0;
	for (size_t i = 0; i < query->hit_count && !status; i++) {
		tav_row row = mapping->hits[query->first_hit + i].row;
		int64_t start = analysis->start[row];
		struct label_facts *facts;

		status = scope_of(analysis, analysis->label[row], &facts);
		if (!status)
			guesses[i] =
			        (struct guess){start, analysis->end[row] - start, facts, text_at(triage, facts->scope)};
	}
	if (!status && query->hit_count)
		qsort(guesses, query->hit_count, sizeof(*guesses), by_guess);
	for (size_t i = 0; i < query->hit_count && !status; i++) {
		uint32_t count = seen.count, number = tav_map_number(&seen, guesses[i].facts->scope);

		if (number == TAV_NONE)
			status = TAV_FAILED;
		else if (number == count)
			push_scope(stack, guesses[i].facts);
	}
	pool_free(&scratch);
	return status;
}
