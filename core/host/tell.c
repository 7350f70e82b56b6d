/* SPDX-License-Identifier: Apache-2.0 */
/* What plugins tell: taken into the results of the source or of the run, with facts in the place of events. */
#include <stdlib.h>
#include <string.h>

#include <host/view.h>
#include <report/take.h>

enum { DEFAULT_INSTANCES = 100 };

uint32_t call_source(const struct call *call, uint32_t source)
{
	if (source == TAV_RUN)
		return TAV_RUN;
	if (source < call->source_count)
		return source;
	return source - call->source_count < call->baseline_count ? call->baseline_first + (source - call->source_count)
	                                                          : TAV_NONE;
}

struct results *call_results(const struct call *call, uint32_t source)
{
	struct report *report = &call->host->run->report;

	if (call->phase == PHASE_EACH)
		return source == 0 && call->view && call->view->shown ? &call->view->shown->results : NULL;
	if (call->phase != PHASE_COMBINE)
		return NULL;
	if (source == TAV_RUN)
		return &report->run;
	/* A baseline is another run's: nothing is added to it. */
	return source < call->source_count ? &report->sources[source].results : NULL;
}

__attribute__((format(printf, 2, 3))) static tav_status refuse(struct call *call, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return call_cause(call, NULL, 0, text);
}

static const char *shown_id(const char *id)
{
	return id && *id ? id : "(without an id)";
}

/* Where it goes; NULL: nowhere, the cause is set. */
static struct results *accept(struct call *call, const char *what, const char *id, uint32_t source)
{
	struct results *results = call_results(call, source);

	if (results)
		return results;
	if (call->host->stage == TAV_NONE)
		refuse(call, "a dialect has no report to write to");
	else if (call->phase != PHASE_EACH && call->phase != PHASE_COMBINE)
		refuse(call, "the report is open during each() and combine() only");
	else if (call->phase == PHASE_EACH && source == TAV_RUN)
		refuse(call, "the %s '%s' is of the run: that is for combine() to tell", what, shown_id(id));
	else
		refuse(call, "the %s '%s' is of source %u, which is not there", what, shown_id(id), source);
	return NULL;
}

/* While a plugin runs, results are sealed; they are open for as long as it takes to add to them. */
static void begin(struct results *results)
{
	results_unseal(results);
}

static bool end(struct results *results, bool is_taken)
{
	enum { CHEAP_BYTES = 512 << 10 };

	/* Sealing costs as much as there is: who tells thousands of things is watched at some of them, not at each. */
	if (++results->told_open * CHEAP_BYTES >= arena_bytes(&results->arena))
		results_seal(results);
	return is_taken;
}

static uint32_t by(const struct call *call)
{
	return call->phase == PHASE_EACH ? TAV_BY_EACH : TAV_BY_COMBINE;
}

static tav_status outcome(struct call *call, const char *what, const char *id, bool is_taken, const char *why)
{
	if (is_taken)
		return TAV_OK;
	if (!why)
		return call_lack_memory(call, "out of memory: the report");
	return refuse(call, "the report does not take the %s '%s': %s", what, shown_id(id), why);
}

/* Does the user want it? Checks that `checks:` leaves out are not told at all. */
static bool is_chosen(const struct call *call, const char *id)
{
	const struct setup *setup = call->host->setup;

	for (uint32_t i = 0; id && i < setup->chosen_count; i++) {
		if (!strcmp(setup->chosen[i], id))
			return true;
	}
	return !setup->chosen_count;
}

tav_status tell_check(struct tav_self *self, const struct tav_check *given)
{
	struct call *call = call_of(self);
	struct tav_check check;
	const char *why = NULL;

	if (!TAKE(&check, given, tav_check, result, &why))
		return outcome(call, "check", NULL, false, why);
	struct results *results = accept(call, "check", check.id, check.source);
	if (!results)
		return TAV_FAILED;
	if (!is_chosen(call, check.id))
		return TAV_OK;
	begin(results);
	bool is_taken = results_add_check(results, call->host->stage, by(call), &check, &why);
	return outcome(call, "check", check.id, end(results, is_taken), why);
}

static tav_status refuse_row(struct call *call, const char *what, const char *id)
{
	return refuse(call, "the %s '%s' names an event that is not there", what, shown_id(id));
}

/* Is each ref one of this source? */
static bool has_rows(const struct call *call, const struct tav_ref *refs, uint64_t count, const uint64_t *present)
{
	for (uint64_t i = 0; i < count; i++) {
		if (present && !(present[i / 64] >> i % 64 & 1))
			continue;
		if (refs[i].source != 0 || refs[i].row >= call->view->events->row_count)
			return false;
	}
	return true;
}

/* The facts of the events; to be freed. NULL: no memory. */
static struct tav_event *facts_of(const struct call *call, const struct tav_ref *refs, uint64_t count,
                                  const uint64_t *present)
{
	struct tav_event *events = calloc(count + 1, sizeof(*events) + sizeof(struct event_room));
	struct event_room *rooms = events ? (struct event_room *)(void *)(events + count) : NULL;

	for (uint64_t i = 0; events && i < count; i++) {
		if (present && !(present[i / 64] >> i % 64 & 1))
			continue;
		events[i] = view_event(call->view, refs[i].row, &rooms[i]);
		events[i].source = call->view->shown->results.source;
	}
	return events;
}

/* Events that combine() passes on are numbered as it sees them; the report numbers all. False: one is not there. */
static bool renumber(const struct call *call, struct tav_event *events, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		events[i].source = call_source(call, events[i].source);
		if (events[i].source == TAV_NONE)
			return false;
	}
	return true;
}

tav_status tell_finding(struct tav_self *self, const struct tav_finding *given)
{
	struct call *call = call_of(self);
	struct tav_finding finding;
	struct tav_event *events = NULL;
	const char *why = NULL;
	uint64_t count;

	if (!TAKE(&finding, given, tav_finding, measures, &why))
		return outcome(call, "finding", NULL, false, why);
	struct results *results = accept(call, "finding", finding.id, finding.source);
	if (!results)
		return TAV_FAILED;
	if (__builtin_mul_overflow(finding.instance_count, (uint64_t)finding.refs_each, &count))
		return outcome(call, "finding", finding.id, false, "it has more events than fit");
	if (count && call->phase == PHASE_EACH) {
		if (!finding.refs)
			return outcome(call, "finding", finding.id, false, "its instances name no events");
		if (!has_rows(call, finding.refs, count, NULL))
			return refuse_row(call, "finding", finding.id);
		events = facts_of(call, finding.refs, count, NULL);
	} else if (count) {
		if (!finding.events)
			return outcome(call, "finding", finding.id, false, "its instances name no events");
		events = malloc(count * sizeof(*events));
		if (events)
			memcpy(events, finding.events, count * sizeof(*events));
		if (events && !renumber(call, events, count)) {
			free(events);
			return refuse_row(call, "finding", finding.id);
		}
	}
	if (count && !events)
		return refuse(call, "out of memory for the events of the finding '%s'", finding.id);
	finding.refs = NULL;
	finding.events = events;
	if (!finding.max_instances)
		finding.max_instances =
		        call->host->setup->max_instances ? call->host->setup->max_instances : DEFAULT_INSTANCES;
	bool is_taken = !is_chosen(call, finding.id);
	if (!is_taken) {
		begin(results);
		is_taken = end(results, results_add_finding(results, call->host->stage, by(call), &finding, &why));
	}
	free(events);
	return outcome(call, "finding", finding.id, is_taken, why);
}

/* Columns with facts in the place of refs; the copies of both go with free_columns(). False: refused. */
static bool resolve_columns(struct call *call, struct tav_table *table, struct tav_series *columns)
{
	for (uint32_t i = 0; i < table->columns.count; i++) {
		struct tav_series *column = &columns[i];

		if (column->type != TAV_TYPE_REF || !table->row_count || !column->data)
			continue;
		if (call->phase != PHASE_EACH) {
			const struct tav_event *from = column->data;
			struct tav_event *events = calloc(table->row_count, sizeof(*events));

			column->data = events;
			if (!events)
				return refuse(call, "out of memory for the table '%s'", table->id), false;
			for (uint64_t row = 0; row < table->row_count; row++) {
				if (column->present && !(column->present[row / 64] >> row % 64 & 1))
					continue;
				events[row] = from[row];
				if (!renumber(call, &events[row], 1))
					return refuse_row(call, "table", table->id), false;
			}
			continue;
		}
		const struct tav_ref *refs = column->data;
		bool is_there = has_rows(call, refs, table->row_count, column->present);
		column->data = is_there ? facts_of(call, refs, table->row_count, column->present) : NULL;
		if (!is_there)
			return refuse_row(call, "table", table->id), false;
		if (!column->data)
			return refuse(call, "out of memory for the table '%s'", table->id), false;
	}
	return true;
}

tav_status tell_table(struct tav_self *self, const struct tav_table *given)
{
	struct call *call = call_of(self);
	struct tav_table table;
	const char *why = NULL;

	if (!TAKE(&table, given, tav_table, columns, &why))
		return outcome(call, "table", NULL, false, why);
	struct results *results = accept(call, "table", table.id, table.source);
	if (!results)
		return TAV_FAILED;
	struct tav_series *columns = take_series(&table.columns, &why);
	if (!columns)
		return outcome(call, "table", table.id, false, why);
	const struct tav_series_list before = table.columns;
	bool is_taken = resolve_columns(call, &table, columns);
	if (is_taken) {
		table.columns.items = columns;
		table.columns.item_size = sizeof(*columns);
		begin(results);
		is_taken = end(results, results_add_table(results, call->host->stage, by(call), &table, &why));
		if (!is_taken)
			outcome(call, "table", table.id, false, why);
	}
	for (uint32_t i = 0; i < before.count; i++) {
		struct tav_series was = take_series_at(&before, i);

		if (columns[i].type == TAV_TYPE_REF && columns[i].data != was.data)
			free((void *)(uintptr_t)columns[i].data);
	}
	free(columns);
	return is_taken ? TAV_OK : TAV_FAILED;
}

tav_status tell_metric(struct tav_self *self, const struct tav_metric *given)
{
	struct call *call = call_of(self);
	struct tav_metric metric;
	const char *why = NULL;

	if (!TAKE(&metric, given, tav_metric, unit, &why))
		return outcome(call, "metric", NULL, false, why);
	struct results *results = accept(call, "metric", metric.id, metric.source);
	if (!results)
		return TAV_FAILED;
	begin(results);
	bool is_taken = results_add_metric(results, call->host->stage, by(call), &metric, &why);
	return outcome(call, "metric", metric.id, end(results, is_taken), why);
}

tav_status tell_headline(struct tav_self *self, uint32_t source, const char *text)
{
	struct call *call = call_of(self);
	struct results *results = accept(call, "headline", "headline", source);
	const char *why = NULL;

	if (!results)
		return TAV_FAILED;
	begin(results);
	bool is_taken = results_add_headline(results, call->host->stage, by(call), text, &why);
	return outcome(call, "headline", "headline", end(results, is_taken), why);
}
