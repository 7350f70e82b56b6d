/* SPDX-License-Identifier: Apache-2.0 */
/* The text of many sources: one table of them, the worst first, and which of them are told in full. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <kit/format.h>
#include <kit/text.h>
#include <report/show.h>
#include <report/text_out.h>
#include <report/text_table.h>

enum { MOST_ROWS = 64, MOST_METRICS = 12 };

struct ranked {
	enum verdict verdict;
	uint32_t number;
};

static int by_verdict(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->verdict != b->verdict)
		return a->verdict > b->verdict ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static struct ranked *rank(struct text_out *text)
{
	uint32_t count = text->report->source_count;
	struct ranked *ranked = arena_array(&text->kept, count, sizeof(*ranked));

	for (uint32_t i = 0; ranked && i < count; i++)
		ranked[i] = (struct ranked){text->verdicts[i], i};
	if (ranked)
		qsort(ranked, count, sizeof(*ranked), by_verdict);
	text->failed |= !ranked;
	return ranked;
}

bool choose_sources(struct text_out *text)
{
	uint32_t count = text->report->source_count;

	text->verdicts = arena_array(&text->kept, count, sizeof(*text->verdicts));
	text->shown = arena_array(&text->kept, count, sizeof(*text->shown));
	text->failed |= !text->verdicts || !text->shown;
	if (text->failed)
		return false;
	for (uint32_t i = 0; i < count; i++)
		text->verdicts[i] = report_source_verdict(text->report, i);
	text->is_many = count > FEW_SOURCES;
	if (!text->is_many || text->style->verbosity > 0) {
		for (uint32_t i = 0; i < count; i++)
			text->shown[text->shown_count++] = i;
		return true;
	}
	const struct ranked *ranked = rank(text);
	for (uint32_t i = 0; ranked && i < count && text->shown_count < MOST_IN_FULL; i++) {
		if (ranked[i].verdict != VERDICT_PASS)
			text->shown[text->shown_count++] = ranked[i].number;
	}
	qsort(text->shown, text->shown_count, sizeof(*text->shown), by_number);
	return ranked != NULL;
}

/* A metric that stages mark for this table: of a stage, by its id. */
struct headed {
	uint32_t stage;
	const struct tav_metric_result *metric; /* of the first source that has it */
};

static bool is_headed(const struct headed *headed, uint32_t count, uint32_t stage, struct tav_text id)
{
	for (uint32_t i = 0; i < count; i++) {
		if (headed[i].stage == stage && text_equals(headed[i].metric->id, id))
			return true;
	}
	return false;
}

static uint32_t find_heads(const struct report *report, struct headed headed[MOST_METRICS])
{
	uint32_t count = 0;

	for (uint32_t stage = 0; stage < report->stage_count; stage++) {
		for (uint32_t source = 0; source < report->source_count; source++) {
			const struct stage_results *told = told_of(report, source, stage);

			for (uint32_t i = 0; i < told->metric_count && count < MOST_METRICS; i++) {
				const struct result_metric *metric = told->metrics[i];

				/* the host's own count stands there for every source */
				if (metric->flags & TAV_METRIC_HEADLINE &&
				    !text_is(metric->shown.id, "device_events") &&
				    !is_headed(headed, count, stage, metric->shown.id))
					headed[count++] = (struct headed){stage, &metric->shown};
			}
		}
	}
	return count;
}

/* "overlap_ns" beside its unit is headed "overlap". */
static const char *metric_head(struct arena *arena, const struct tav_metric_result *metric)
{
	struct tav_column_result column = {.name = metric->id, .type = metric->type, .unit = metric->unit};

	return show_head(arena, &column);
}

static void print_row(struct text_out *text, struct text_table *table, uint32_t number, bool has_rank,
                      const struct headed *headed, uint32_t headed_count)
{
	const struct report_source *source = &text->report->sources[number];
	char value[FORMAT_SIZE];
	uint32_t column = 0;

	text_table_row(table);
	if (has_rank)
		text_table_cell(table, column++,
		                source->is_read && source->facts.rank >= 0
		                        ? arena_printf(&text->scratch, "%" PRId64, source->facts.rank)
		                        : "-");
	text_table_cell(table, column++, verdict_word(text->verdicts[number]));
	text_table_cell(table, column++, source_name(text, number));
	text_table_cell(table, column++,
	                source->is_read ? arena_printf(&text->scratch, "%s",
	                                               format_size(value, source->facts.device_event_count))
	                                : "-");
	for (uint32_t i = 0; i < headed_count; i++) {
		const struct result_metric *metric =
		        results_find_metric(&source->results, headed[i].stage, headed[i].metric->id.data);

		text_table_cell(table, column++, metric ? show_metric(&text->scratch, &metric->shown, false) : "-");
	}
}

void print_many(struct text_out *text)
{
	const struct report *report = text->report;
	struct headed headed[MOST_METRICS];
	uint32_t headed_count = find_heads(report, headed), column = 0, shown = report->source_count;
	const struct ranked *ranked = rank(text);
	struct text_table table;
	bool has_rank = false;
	char count[FORMAT_SIZE];

	if (!ranked)
		return;
	for (uint32_t i = 0; i < report->source_count; i++)
		has_rank |= report->sources[i].is_read && report->sources[i].facts.rank >= 0;
	if (shown > MOST_ROWS && text->style->verbosity < 1)
		shown = MOST_ROWS;
	text_table_init(&table, &text->scratch, 3 + has_rank + headed_count);
	if (has_rank)
		text_table_head(&table, column++,
		                (struct text_column){.head = "rank", .is_right = true, .is_key = true});
	text_table_head(&table, column++, (struct text_column){.head = "verdict", .is_key = true});
	text_table_head(&table, column++, (struct text_column){.head = "trace", .least = 24, .is_key = true});
	text_table_head(&table, column++, (struct text_column){.head = "device events", .is_right = true});
	for (uint32_t i = 0; i < headed_count; i++)
		text_table_head(&table, column++,
		                (struct text_column){.head = got(text, metric_head(&text->scratch, headed[i].metric)),
		                                     .is_right = true});
	for (uint32_t i = 0; i < shown; i++)
		print_row(text, &table, ranked[i].number, has_rank, headed, headed_count);
	putc('\n', text->out);
	text_table_print(&table, text->out, 2, table_width(text), colour_start(text, COLOUR_BOLD), colour_end(text));
	text->failed |= table.failed;
	if (shown < report->source_count)
		fprintf(text->out, "  ... and %s more, none worse (-v or --report json=PATH lists them)\n",
		        format_size(count, report->source_count - shown));
}
