/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages before this one found. */
#include "answers.h"

static const struct {
	const char *stage;
	const struct trust_check *const *checks;
} ours[] = {{"timing", timing_checks},
            {"links", links_checks},
            {"structure", structure_checks},
            {"coverage", coverage_checks},
            {"ranks", ranks_checks}};

/* The table of checks of a stage of this plugin; NULL: it is another's. */
static const struct trust_check *const *checks_of(struct tav_text stage)
{
	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (tav_text_is(stage, ours[i].stage))
			return ours[i].checks;
	}
	return NULL;
}

static enum trust_result result_of(uint32_t result)
{
	switch (result) {
	case TAV_RESULT_PASS:
		return TRUST_PASS;
	case TAV_RESULT_WARN:
		return TRUST_WARN;
	case TAV_RESULT_FAIL:
		return TRUST_FAIL;
	default:
		return TRUST_INCONCLUSIVE;
	}
}

struct columns {
	const struct tav_column_result *id, *result, *count, *examined, *worst, *why;
};

static bool has_cell(const struct tav_column_result *column, uint64_t row)
{
	return !column->present || column->present[row / 64] >> row % 64 & 1;
}

static bool find_columns(struct tav_self *self, const struct tav_results *results, const struct tav_table_result *table,
                         struct columns *columns)
{
	columns->id = results->column(self, table, "id");
	columns->result = results->column(self, table, "result");
	columns->count = results->column(self, table, "count");
	columns->examined = results->column(self, table, "examined");
	columns->worst = results->column(self, table, "worst_ns");
	columns->why = results->column(self, table, "why");
	return columns->id && columns->result && columns->count && columns->examined && columns->worst && columns->why;
}

static void mark_fact(struct seen *seen, const struct trust_check *const *checks)
{
	for (; *checks; checks++) {
		if (tav_text_is(seen->id, (*checks)->id))
			seen->is_fact = (*checks)->worst == TRUST_NOTE;
	}
}

/* A check as told, after the user's severities. */
static struct seen take_check(struct tav_self *self, const struct tav_results *results, uint32_t stage, uint32_t source,
                              const struct tav_check_result *check)
{
	struct seen seen = {.id = check->id,
	                    .why = check->why,
	                    .result = result_of(check->result),
	                    .count = check->count,
	                    .examined = check->examined};
	char id[128];

	if (seen.result != TRUST_PASS || check->id.size >= sizeof(id))
		return seen;
	memcpy(id, check->id.data, check->id.size);
	id[check->id.size] = '\0';
	if (results->find_finding(self, stage, source, id))
		seen.result = TRUST_NOTE;
	return seen;
}

/* A row of the table of verdicts; its result is that of the check as told, or why there is none. */
static void take_verdict(struct tav_self *self, const struct tav_results *results, uint32_t stage, uint32_t source,
                         const struct columns *columns, uint64_t row, struct seen *seen)
{
	const struct tav_check_result *told;
	char id[128];

	seen->id = ((const struct tav_text *)columns->id->data)[row];
	seen->why = ((const struct tav_text *)columns->why->data)[row];
	seen->count = (uint64_t)((const int64_t *)columns->count->data)[row];
	seen->examined = (uint64_t)((const int64_t *)columns->examined->data)[row];
	seen->has_worst = has_cell(columns->worst, row);
	if (seen->has_worst)
		seen->worst_ns = ((const int64_t *)columns->worst->data)[row];
	seen->result = TRUST_NOT_APPLICABLE;
	if (seen->id.size >= sizeof(id))
		return;
	memcpy(id, seen->id.data, seen->id.size);
	id[seen->id.size] = '\0';
	told = results->find_check(self, stage, source, id);
	if (told) {
		seen->result = result_of(told->result);
		if (seen->result == TRUST_PASS && results->find_finding(self, stage, source, id))
			seen->result = TRUST_NOTE;
	} else if (!tav_text_is(((const struct tav_text *)columns->result->data)[row], "not_applicable")) {
		seen->result = TRUST_LEFT_OUT;
	}
}

static uint64_t count_checks(struct tav_self *self, const struct tav_results *results, uint32_t stage, uint32_t source)
{
	const struct tav_table_result *table = results->find_table(self, stage, source, "verdicts");
	uint32_t count = 0;

	if (table && checks_of(results->stage_name(self, stage, NULL)))
		return table->row_count;
	while (results->check(self, stage, source, count))
		count++;
	return count;
}

static void read_stage(struct tav_self *self, const struct tav_results *results, uint32_t stage, uint32_t source,
                       struct report *report)
{
	struct tav_text name = results->stage_name(self, stage, NULL);
	const struct trust_check *const *checks = checks_of(name);
	const struct tav_table_result *table = results->find_table(self, stage, source, "verdicts");
	const struct tav_check_result *check;
	struct columns columns;

	if (checks && table) {
		if (!find_columns(self, results, table, &columns))
			return;
		for (uint64_t row = 0; row < table->row_count; row++) {
			struct seen *seen = &report->items[report->count++];

			*seen = (struct seen){.stage = name, .is_ours = true};
			take_verdict(self, results, stage, source, &columns, row, seen);
			mark_fact(seen, checks);
		}
		return;
	}
	for (uint32_t i = 0; (check = results->check(self, stage, source, i)); i++) {
		struct seen *seen = &report->items[report->count++];

		*seen = take_check(self, results, stage, source, check);
		seen->stage = name;
		seen->is_ours = checks != NULL;
		if (checks)
			mark_fact(seen, checks);
	}
}

tav_status report_read(struct tav_self *self, uint32_t source, struct report *report)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t stages;
	uint64_t count = 0;

	*report = (struct report){NULL, 0};
	if (!results)
		return tav_fail(self, "the host does not offer %s", TAV_RESULTS_ID);
	stages = results->stage_count(self);
	for (uint32_t stage = 0; stage + 1 < stages; stage++)
		count += count_checks(self, results, stage, source);
	report->items = self->host->alloc(self, count * sizeof(*report->items));
	if (!report->items)
		return TAV_FAILED;
	for (uint32_t stage = 0; stage + 1 < stages; stage++)
		read_stage(self, results, stage, source, report);
	return TAV_OK;
}

const char *report_remedy(const struct seen *seen)
{
	const struct trust_check *const *checks = checks_of(seen->stage);

	for (; checks && *checks; checks++) {
		if (tav_text_is(seen->id, (*checks)->id))
			return (*checks)->remedy;
	}
	return NULL;
}

const struct seen *report_find(const struct report *report, const char *id)
{
	const struct seen *found_there = NULL;

	for (uint64_t i = 0; i < report->count && !found_there; i++) {
		const struct seen *seen = &report->items[i];

		/* The checks of a set of ranks are told by the stage collectives. */
		if ((seen->is_ours || tav_text_is(seen->stage, "collectives")) && tav_text_is(seen->id, id))
			found_there = seen;
	}
	return found_there;
}
