/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <report/one_source.h>
#include <report/waive.h>
#include <report/writers.h>

struct copy {
	const struct report *whole;
	uint32_t source; /* in it */
	struct results *to;
	uint32_t stage;
	struct arena scratch; /* of one item */
};

static size_t size_of(uint32_t type)
{
	return type == TAV_TYPE_INT    ? sizeof(int64_t)
	       : type == TAV_TYPE_REAL ? sizeof(double)
	       : type == TAV_TYPE_REF  ? sizeof(struct tav_event)
	                               : sizeof(struct tav_text);
}

static bool copy_check(struct copy *copy, const struct tav_check_result *from)
{
	struct stage_results *to = &copy->to->stages[copy->stage];
	const char *why = NULL;
	const struct tav_check check = {.struct_size = sizeof(check),
	                                .id = from->id.data,
	                                .result = from->told,
	                                .why = from->why.data,
	                                .count = from->count,
	                                .examined = from->examined};

	if (!results_add_check(copy->to, copy->stage, from->by, &check, &why))
		return false;
	to->checks[to->check_count - 1]->result = from->result;
	*check_waived(to->checks[to->check_count - 1]) = *check_waived(from);
	return true;
}

/* The instances all of whose events are of the source; NULL: no memory. */
static uint64_t *own_instances(struct copy *copy, const struct tav_finding_result *from, uint64_t *count)
{
	uint64_t *own = arena_array(&copy->scratch, from->instance_count, sizeof(*own));

	*count = 0;
	for (uint64_t i = 0; own && i < from->instance_count; i++) {
		bool is_own = true;

		for (uint32_t j = 0; j < from->events_each; j++)
			is_own &= from->events[i * from->events_each + j].source == copy->source;
		if (is_own)
			own[(*count)++] = i;
	}
	return own;
}

/* Rows `rows` of a column; false: no memory. */
static bool gather(struct copy *copy, const struct tav_column_result *from, const uint64_t *rows, uint64_t count,
                   struct tav_series *to)
{
	size_t size = size_of(from->type);
	char *data = arena_array(&copy->scratch, count, size);
	uint64_t *present = arena_array(&copy->scratch, count / 64 + 1, sizeof(*present));

	for (uint64_t i = 0; data && present && i < count; i++) {
		memcpy(data + i * size, (const char *)from->data + rows[i] * size, size);
		if (bit_is_set(from->present, rows[i]))
			present[i / 64] |= UINT64_C(1) << i % 64;
	}
	*to = (struct tav_series){from->name.data, from->type, from->unit, data, present};
	return data && present;
}

static bool copy_waived(struct copy *copy, const struct tav_finding_result *from, const uint64_t *own, uint64_t count,
                        struct tav_finding_result *to)
{
	const struct waived *waived = finding_waived(from);
	struct waived *kept = finding_waived(to);

	*kept = (struct waived){.rest = waived->rest};
	if (finding_is_waived(from) && count < from->instance_count)
		kept->rest = finding_waiver(from); /* what is left out of the list is waived too */
	if (waived->instances && count)
		kept->instances = arena_array(&copy->to->arena, count, sizeof(*kept->instances));
	for (uint64_t i = 0; kept->instances && i < count; i++) {
		kept->instances[i] = waived->instances[own[i]];
		kept->count += kept->instances[i] != 0;
	}
	if (!kept->count) /* none of them is here */
		kept->instances = NULL;
	if (kept->rest)
		kept->count = to->count;
	return kept->instances || !kept->count || kept->rest;
}

static bool copy_finding(struct copy *copy, const struct tav_finding_result *from)
{
	struct stage_results *to = &copy->to->stages[copy->stage];
	uint64_t count;
	uint64_t *own = own_instances(copy, from, &count);
	struct tav_event *events = arena_array(&copy->scratch, count * from->events_each, sizeof(*events));
	struct tav_series *measures = arena_array(&copy->scratch, from->measure_count, sizeof(*measures));
	const char *why = NULL;
	bool is_done = own && events && measures;

	for (uint64_t i = 0; is_done && i < count * from->events_each; i++) {
		events[i] = from->events[own[i / from->events_each] * from->events_each + i % from->events_each];
		events[i].source = 0;
	}
	for (uint32_t i = 0; is_done && i < from->measure_count; i++)
		is_done = gather(copy, &from->measures[i], own, count, &measures[i]);
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = from->told,
	                                    .id = from->id.data,
	                                    .message = from->message.data,
	                                    .remedy = from->remedy.data,
	                                    .refs_each = from->events_each,
	                                    .count = from->count,
	                                    .instance_count = count,
	                                    .max_instances = count,
	                                    .events = events,
	                                    .measures = {measures, from->measure_count, sizeof(*measures)}};
	if (!is_done || !results_add_finding(copy->to, copy->stage, from->by, &finding, &why))
		return false;
	struct tav_finding_result *kept = &to->findings[to->finding_count - 1]->shown;
	kept->severity = from->severity;
	return copy_waived(copy, from, own, count, kept);
}

/* A column as it is, but for events of other sources. */
static bool copy_column(struct copy *copy, const struct tav_column_result *from, uint64_t rows, struct tav_series *to)
{
	*to = (struct tav_series){from->name.data, from->type, from->unit, from->data, from->present};
	if (from->type != TAV_TYPE_REF)
		return true;
	struct tav_event *events = arena_array(&copy->scratch, rows, sizeof(*events));
	uint64_t *present = arena_array(&copy->scratch, rows / 64 + 1, sizeof(*present));
	for (uint64_t row = 0; events && present && row < rows; row++) {
		const struct tav_event *event = &((const struct tav_event *)from->data)[row];

		if (!bit_is_set(from->present, row) || event->source != copy->source)
			continue;
		events[row] = *event;
		events[row].source = 0;
		present[row / 64] |= UINT64_C(1) << row % 64;
	}
	to->data = events;
	to->present = present;
	return events && present;
}

static bool copy_table(struct copy *copy, const struct result_table *given)
{
	const struct tav_table_result *from = &given->shown;
	struct tav_series *columns = arena_array(&copy->scratch, from->column_count, sizeof(*columns));
	const char *why = NULL;
	bool is_done = columns;

	for (uint32_t i = 0; is_done && i < from->column_count; i++)
		is_done = copy_column(copy, &from->columns[i], from->row_count, &columns[i]);
	const struct tav_table table = {.struct_size = sizeof(table),
	                                .id = from->id.data,
	                                .title = from->title.data,
	                                .show = given->show,
	                                .shows = given->shows,
	                                .first_rows = given->first_rows,
	                                .row_count = from->row_count,
	                                .omitted_count = from->omitted_count,
	                                .columns = {columns, from->column_count, sizeof(*columns)}};
	return is_done && results_add_table(copy->to, copy->stage, from->by, &table, &why);
}

static bool copy_metric(struct copy *copy, const struct result_metric *from)
{
	const struct tav_metric metric = {.struct_size = sizeof(metric),
	                                  .id = from->shown.id.data,
	                                  .type = from->shown.type,
	                                  .value = from->shown.value,
	                                  .real = from->shown.real,
	                                  .unit = from->shown.unit,
	                                  .better = from->shown.better,
	                                  .flags = from->flags};
	const char *why = NULL;

	return results_add_metric(copy->to, copy->stage, from->shown.by, &metric, &why);
}

static bool copy_stage(struct copy *copy)
{
	const struct stage_results *from = told_of(copy->whole, copy->source, copy->stage);
	struct stage_results *to = &copy->to->stages[copy->stage];
	const char *why = NULL;
	bool is_done = true;

	to->is_done = from->is_done;
	to->error = from->error;
	to->skipped = from->skipped;
	to->elapsed_ns = from->elapsed_ns;
	for (uint32_t i = 0; is_done && i < from->check_count; i++)
		is_done = copy_check(copy, from->checks[i]);
	for (uint32_t i = 0; is_done && i < from->finding_count; i++) {
		is_done = copy_finding(copy, &from->findings[i]->shown);
		arena_fini(&copy->scratch);
	}
	for (uint32_t i = 0; is_done && i < from->table_count; i++) {
		is_done = copy_table(copy, from->tables[i]);
		arena_fini(&copy->scratch);
	}
	for (uint32_t i = 0; is_done && i < from->metric_count; i++)
		is_done = copy_metric(copy, from->metrics[i]);
	for (uint32_t i = 0; is_done && i < from->headline_count; i++)
		is_done = results_add_headline(copy->to, copy->stage, from->headlines[i].by,
		                               from->headlines[i].text.data, &why);
	arena_fini(&copy->scratch);
	return is_done;
}

static void renumber(struct waived *waived, uint64_t instances, const uint32_t *numbers)
{
	waived->rest = waived->rest ? numbers[waived->rest - 1] : 0;
	for (uint64_t i = 0; waived->instances && i < instances; i++)
		waived->instances[i] = waived->instances[i] ? numbers[waived->instances[i] - 1] : 0;
}

/* The waivers that take something of this source; whether the others can go is a matter of the run. */
static bool keep_waivers(struct report *one)
{
	uint32_t count = one->waiver_count, kept = 0;
	uint64_t *counts = arena_array(&one->arena, count, sizeof(*counts));
	uint32_t *numbers = arena_array(&one->arena, count, sizeof(*numbers));
	struct waiver *waivers = arena_array(&one->arena, count, sizeof(*waivers));

	if (!counts || !numbers || !waivers)
		return false;
	report_count_waived(one, counts);
	for (uint32_t i = 0; i < count; i++) {
		if (!counts[i])
			continue;
		waivers[kept] = one->waivers[i];
		waivers[kept].count = counts[i];
		numbers[i] = ++kept;
	}
	one->waivers = waivers;
	one->waiver_count = kept;
	for (uint32_t stage = 0; stage < one->stage_count; stage++) {
		struct stage_results *told = &one->sources[0].results.stages[stage];

		for (uint32_t i = 0; i < told->check_count; i++)
			renumber(check_waived(told->checks[i]), 0, numbers);
		for (uint32_t i = 0; i < told->finding_count; i++)
			renumber(&told->findings[i]->waived, told->findings[i]->shown.instance_count, numbers);
	}
	return true;
}

bool report_one_source(const struct report *whole, uint32_t source, struct report *one)
{
	struct copy copy = {.whole = whole, .source = source};
	bool is_done;

	*one = *whole;
	one->arena = (struct arena){0};
	one->run = (struct results){0};
	one->source_count = one->baseline_count = 0;
	one->part = NULL;
	one->elapsed_ns = 0;
	one->sources = arena_alloc(&one->arena, sizeof(*one->sources));
	if (!one->sources)
		return false;
	one->sources[0] = whole->sources[source];
	one->source_count = 1;
	is_done = results_init(&one->sources[0].results, 0, whole->stage_count) &&
	          results_init(&one->run, TAV_RUN, whole->stage_count);
	copy.to = &one->sources[0].results;
	for (uint32_t i = 0; is_done && i < whole->stage_count; i++) {
		one->run.stages[i].is_done = whole->run.stages[i].is_done;
		one->run.stages[i].error = whole->run.stages[i].error;
		copy.stage = i;
		is_done = copy_stage(&copy);
	}
	return is_done && keep_waivers(one);
}
