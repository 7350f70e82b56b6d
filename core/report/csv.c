/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for a spreadsheet: blocks of rows (RFC 4180), an empty line between them, each with a head of its own; or
 * each in a file of its own.
 * Findings and tables of one id and shape share a block, whatever their source. Times are integers in ns.
 *
 * Texts are escaped as on a terminal, so that a record is a line. A text that a spreadsheet would take for a formula
 * (= + - @ at its start, and no number) gets a ' before it, which spreadsheets hide.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <kit/format.h>
#include <kit/memory_file.h>
#include <kit/text.h>
#include <report/file.h>
#include <report/show.h>
#include <report/waive.h>
#include <report/writers.h>

struct block {
	const char *name; /* of its file */
	off_t begin;
};
struct csv {
	const struct report *report;
	FILE *out;
	struct arena scratch; /* of one block */
	bool has_cells;       /* in this record */
	bool has_blocks;      /* in this file */
	bool failed;          /* no memory */
	bool is_parted;       /* where each block begins is remembered */
	struct arena kept;
	struct block *blocks;
	uint32_t block_count, block_capacity;
};

static void separate(struct csv *csv)
{
	if (csv->has_cells)
		putc(',', csv->out);
	csv->has_cells = true;
}

static void end_record(struct csv *csv)
{
	fputs("\r\n", csv->out);
	csv->has_cells = false;
}

static bool is_number(const char *text)
{
	text += *text == '-' || *text == '+';
	size_t digits = strspn(text, "0123456789");
	return digits &&
	       (!text[digits] || (text[digits] == '.' && !text[digits + 1 + strspn(text + digits + 1, "0123456789")]));
}

static void put_text(struct csv *csv, struct tav_text raw)
{
	struct arena scratch = {0};
	const char *text = show_whole(&scratch, raw);

	separate(csv);
	csv->failed |= !text;
	if (text) {
		bool is_formula = *text && strchr("=+-@", *text) && !is_number(text);

		if (!is_formula && !strpbrk(text, ",\" ")) {
			fputs(text, csv->out);
		} else {
			fputs(is_formula ? "\"'" : "\"", csv->out);
			for (const char *quote; (quote = strchr(text, '"')); text = quote + 1)
				fprintf(csv->out, "%.*s\"\"", (int)(quote - text), text);
			fprintf(csv->out, "%s\"", text);
		}
	}
	arena_fini(&scratch);
}

static void put_chars(struct csv *csv, const char *chars)
{
	put_text(csv, text_of(chars));
}

static void put_integer(struct csv *csv, int64_t value)
{
	separate(csv);
	fprintf(csv->out, "%" PRId64, value);
}

static void put_size(struct csv *csv, uint64_t value)
{
	separate(csv);
	fprintf(csv->out, "%" PRIu64, value);
}

static void put_real(struct csv *csv, double value)
{
	char text[FORMAT_SIZE];

	separate(csv);
	fputs(format_double(text, value), csv->out);
}

static void put_source(struct csv *csv, uint32_t source) /* of the run: empty */
{
	put_chars(csv, source == TAV_RUN ? "" : csv->report->sources[source].path);
}

static bool is_taken(const struct csv *csv, const char *name)
{
	for (uint32_t i = 0; i < csv->block_count; i++) {
		if (!strcmp(csv->blocks[i].name, name))
			return true;
	}
	return false;
}

/* Blocks of one id and several shapes are numbered. */
static void remember_block(struct csv *csv, const char *wanted)
{
	const char *name = arena_printf(&csv->kept, "%s", wanted);

	for (unsigned number = 2; name && is_taken(csv, name); number++)
		name = arena_printf(&csv->kept, "%s-%u", wanted, number);
	if (name && csv->block_count == csv->block_capacity) {
		uint32_t capacity = csv->block_capacity ? csv->block_capacity * 2 : 64;
		struct block *blocks = arena_array(&csv->kept, capacity, sizeof(*blocks));

		if (blocks && csv->block_count)
			memcpy(blocks, csv->blocks, csv->block_count * sizeof(*blocks));
		name = blocks ? name : NULL;
		csv->blocks = blocks ? blocks : csv->blocks;
		csv->block_capacity = blocks ? capacity : csv->block_capacity;
	}
	csv->failed |= !name;
	if (name)
		csv->blocks[csv->block_count++] = (struct block){name, ftello(csv->out)};
}

static void begin_block(struct csv *csv, const char *name, const char *const *heads)
{
	if (csv->has_blocks)
		end_record(csv);
	csv->has_blocks = true;
	if (csv->is_parted)
		remember_block(csv, name);
	for (; *heads; heads++)
		put_chars(csv, *heads);
}

static const char *const event_parts[] = {"name", "category", "pid",    "tid",         "stream",
                                          "lane", "start_ns", "end_ns", "duration_ns", "offset"};
enum { EVENT_PARTS = sizeof(event_parts) / sizeof(event_parts[0]) };

static void put_event(struct csv *csv, const struct tav_event *event)
{
	put_text(csv, event->name);
	put_text(csv, event->category);
	put_text(csv, event->pid);
	put_text(csv, event->tid);
	put_text(csv, event->stream);
	put_text(csv, event->lane);
	if (event->has_time) {
		put_integer(csv, event->start_ns);
		put_integer(csv, event->end_ns);
		put_size(csv, (uint64_t)event->end_ns - (uint64_t)event->start_ns);
	} else {
		for (unsigned i = 0; i < 3; i++)
			separate(csv);
	}
	put_size(csv, event->offset);
}

/* One cell, or those of an event. */
static void put_value(struct csv *csv, const struct tav_column_result *column, uint64_t row)
{
	if (!bit_is_set(column->present, row)) {
		for (unsigned i = 0; i < (column->type == TAV_TYPE_REF ? EVENT_PARTS : 1); i++)
			separate(csv);
		return;
	}
	switch (column->type) {
	case TAV_TYPE_INT:
		put_integer(csv, ((const int64_t *)column->data)[row]);
		break;
	case TAV_TYPE_REAL:
		put_real(csv, ((const double *)column->data)[row]);
		break;
	case TAV_TYPE_REF:
		put_event(csv, &((const struct tav_event *)column->data)[row]);
		break;
	default:
		put_text(csv, ((const struct tav_text *)column->data)[row]);
	}
}

static void put_head(struct csv *csv, const struct tav_column_result *column)
{
	if (column->type != TAV_TYPE_REF) {
		put_text(csv, column->name);
		return;
	}
	for (unsigned i = 0; i < EVENT_PARTS; i++) {
		separate(csv);
		fprintf(csv->out, "%s_%s", column->name.data, event_parts[i]);
	}
}

/* ---- Blocks: what has the same id and shape ---------------------------------------------------------------------- */
struct member {
	const void *item; /* struct tav_finding_result or tav_table_result */
	const char *key;  /* id and shape */
	uint64_t rank;    /* of the first with this key, then in the order of the report */
	uint64_t number;
};

static const char *shape(struct csv *csv, struct tav_text id, uint32_t events_each,
                         const struct tav_column_result *columns, uint32_t count)
{
	const char *key = arena_printf(&csv->scratch, "%s %" PRIu32, id.data, events_each);
	size_t size = key ? strlen(key) + 1 : 0;

	for (uint32_t i = 0; i < count; i++)
		size += columns[i].name.size + sizeof(" 4294967295");
	char *whole = key ? arena_alloc(&csv->scratch, size) : NULL, *end = whole;
	if (!whole) {
		csv->failed = true;
		return "";
	}
	end += sprintf(end, "%s", key);
	for (uint32_t i = 0; i < count; i++)
		end += sprintf(end, " %s %" PRIu32, columns[i].name.data, columns[i].type);
	return whole;
}

static int by_key(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

static int by_rank(const void *left, const void *right)
{
	const struct member *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Brings together what shares a block, in the order of the first of each. */
static void group(struct member *members, uint64_t count)
{
	qsort(members, count, sizeof(*members), by_key);
	for (uint64_t i = 0; i < count; i++)
		members[i].rank =
		        i && !strcmp(members[i].key, members[i - 1].key) ? members[i - 1].rank : members[i].number;
	qsort(members, count, sizeof(*members), by_rank);
}

static const struct stage_results *told_in_turn(const struct report *report, uint32_t i, uint32_t stage)
{
	return told_of(report, i < report->source_count ? i : TAV_RUN, stage);
}

/* By which waiver, or nothing where it counts. */
static void put_waiver(struct csv *csv, uint32_t number)
{
	const char *words = number ? show_waiver(&csv->scratch, csv->report, number) : "";

	csv->failed |= !words;
	put_chars(csv, words);
}

/* A finding without instances still is one record. */
static void put_finding(struct csv *csv, const struct report_stage *stage, const struct tav_finding_result *finding)
{
	const struct waived *waived = finding_waived(finding);

	for (uint64_t i = 0; i < (finding->instance_count ? finding->instance_count : 1); i++) {
		put_chars(csv, stage->id);
		put_source(csv, finding->source);
		put_text(csv, finding->id);
		put_chars(csv, name_of(&severity_names, finding->severity));
		put_size(csv, finding->count);
		put_waiver(csv, waived->instances && waived->instances[i] ? waived->instances[i] : waived->rest);
		for (uint32_t j = 0; finding->instance_count && j < finding->events_each; j++)
			put_event(csv, &finding->events[i * finding->events_each + j]);
		for (uint32_t j = 0; finding->instance_count && j < finding->measure_count; j++)
			put_value(csv, &finding->measures[j], i);
		end_record(csv);
	}
}

/* STAGE.KIND.ID; "": no memory. */
static const char *block_name(struct csv *csv, const struct report_stage *stage, const char *kind, struct tav_text id)
{
	const char *name = arena_printf(&csv->scratch, "%s.%s.%s", stage->id ? stage->id : stage->name, kind, id.data);

	csv->failed |= !name;
	return name ? name : "";
}

static void put_finding_heads(struct csv *csv, const struct report_stage *stage,
                              const struct tav_finding_result *finding)
{
	static const char *const heads[] = {"stage", "source", "finding", "severity", "count", "waived", NULL};

	begin_block(csv, block_name(csv, stage, "finding", finding->id), heads);
	for (uint32_t i = 0; i < finding->events_each; i++) {
		for (size_t j = 0; j < EVENT_PARTS; j++) {
			separate(csv);
			fprintf(csv->out, "%c_%s", 'a' + (int)i, event_parts[j]);
		}
	}
	for (uint32_t i = 0; i < finding->measure_count; i++)
		put_head(csv, &finding->measures[i]);
	end_record(csv);
}

static void put_findings(struct csv *csv, uint32_t number)
{
	const struct report *report = csv->report;
	uint64_t count = 0;

	for (uint32_t i = 0; i <= report->source_count; i++)
		count += told_in_turn(report, i, number)->finding_count;
	struct member *members = arena_array(&csv->scratch, count, sizeof(*members));
	csv->failed |= !members;
	count = 0;
	for (uint32_t i = 0; members && i <= report->source_count; i++) {
		const struct stage_results *told = told_in_turn(report, i, number);

		for (uint32_t j = 0; j < told->finding_count; j++, count++) {
			const struct tav_finding_result *finding = &told->findings[j]->shown;

			members[count] = (struct member){.item = finding, .number = count};
			members[count].key = shape(csv, finding->id, finding->events_each, finding->measures,
			                           finding->measure_count);
		}
	}
	if (members)
		group(members, count);
	for (uint64_t i = 0; members && i < count; i++) {
		if (!i || members[i].rank != members[i - 1].rank)
			put_finding_heads(csv, &report->stages[number], members[i].item);
		put_finding(csv, &report->stages[number], members[i].item);
	}
	arena_fini(&csv->scratch);
}

static void put_table(struct csv *csv, const struct report_stage *stage, const struct tav_table_result *table)
{
	for (uint64_t row = 0; row < table->row_count; row++) {
		put_chars(csv, stage->id);
		put_source(csv, table->source);
		put_text(csv, table->id);
		for (uint32_t i = 0; i < table->column_count; i++)
			put_value(csv, &table->columns[i], row);
		end_record(csv);
	}
}

static void put_tables(struct csv *csv, uint32_t number)
{
	static const char *const heads[] = {"stage", "source", "table", NULL};
	const struct report *report = csv->report;
	uint64_t count = 0;

	for (uint32_t i = 0; i <= report->source_count; i++)
		count += told_in_turn(report, i, number)->table_count;
	struct member *members = arena_array(&csv->scratch, count, sizeof(*members));
	csv->failed |= !members;
	count = 0;
	for (uint32_t i = 0; members && i <= report->source_count; i++) {
		const struct stage_results *told = told_in_turn(report, i, number);

		for (uint32_t j = 0; j < told->table_count; j++) {
			const struct tav_table_result *table = &told->tables[j]->shown;

			if (told->tables[j]->show == TAV_SHOW_DATA)
				continue;
			members[count] = (struct member){.item = table, .number = count};
			members[count++].key = shape(csv, table->id, 0, table->columns, table->column_count);
		}
	}
	if (members)
		group(members, count);
	for (uint64_t i = 0; members && i < count; i++) {
		const struct tav_table_result *table = members[i].item;

		if (!i || members[i].rank != members[i - 1].rank) {
			begin_block(csv, block_name(csv, &report->stages[number], "table", table->id), heads);
			for (uint32_t j = 0; j < table->column_count; j++)
				put_head(csv, &table->columns[j]);
			end_record(csv);
		}
		put_table(csv, &report->stages[number], table);
	}
	arena_fini(&csv->scratch);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------- */
static void put_heads_once(struct csv *csv, bool *has_heads, const char *name, const char *const *heads)
{
	if (!*has_heads) {
		begin_block(csv, name, heads);
		end_record(csv);
	}
	*has_heads = true;
}

static void put_checks(struct csv *csv)
{
	static const char *const heads[] = {"stage", "source", "check", "result", "why", "waived", NULL};
	const struct report *report = csv->report;
	bool has_heads = false;

	for (uint32_t number = 0; number < report->stage_count; number++) {
		for (uint32_t i = 0; i <= report->source_count; i++) {
			const struct stage_results *told = told_in_turn(report, i, number);

			for (uint32_t j = 0; j < told->check_count; j++) {
				const struct tav_check_result *check = told->checks[j];

				put_heads_once(csv, &has_heads, "checks", heads);
				put_chars(csv, report->stages[number].id);
				put_source(csv, check->source);
				put_text(csv, check->id);
				put_chars(csv, name_of(&result_names, check->result));
				put_text(csv, check->why);
				put_waiver(csv, check_waiver(check));
				end_record(csv);
			}
		}
	}
}

static void put_metrics(struct csv *csv)
{
	static const char *const heads[] = {"stage", "source", "metric", "value", "unit", NULL};
	const struct report *report = csv->report;
	bool has_heads = false;

	for (uint32_t number = 0; number < report->stage_count; number++) {
		for (uint32_t i = 0; i <= report->source_count; i++) {
			const struct stage_results *told = told_in_turn(report, i, number);

			for (uint32_t j = 0; j < told->metric_count; j++) {
				const struct tav_metric_result *metric = &told->metrics[j]->shown;

				put_heads_once(csv, &has_heads, "metrics", heads);
				put_chars(csv, report->stages[number].id);
				put_source(csv, metric->source);
				put_text(csv, metric->id);
				if (metric->type == TAV_TYPE_REAL)
					put_real(csv, metric->real);
				else
					put_integer(csv, metric->value);
				put_chars(csv, name_of(&unit_names, metric->unit));
				end_record(csv);
			}
		}
	}
}

static void put_waivers(struct csv *csv)
{
	static const char *const heads[] = {"waiver_file", "line", "state", "waived", "until", "reason", NULL};
	const struct report *report = csv->report;
	bool has_heads = false;

	for (uint32_t i = 0; i < report->waiver_count; i++) {
		const struct waiver *waiver = &report->waivers[i];

		put_heads_once(csv, &has_heads, "waivers", heads);
		put_chars(csv, waiver->file);
		put_size(csv, waiver->line);
		put_chars(csv, name_of(&waiver_names, waiver->state));
		put_size(csv, waiver->count);
		put_chars(csv, waiver->until);
		put_chars(csv, waiver->reason);
		end_record(csv);
	}
}

static void put_sources(struct csv *csv)
{
	static const char *const heads[] = {"source", "verdict", "events", "dialect", "error", NULL};

	begin_block(csv, "sources", heads);
	end_record(csv);
	for (uint32_t number = 0; number < csv->report->source_count; number++) {
		const struct report_source *source = &csv->report->sources[number];

		put_source(csv, number);
		put_chars(csv, verdict_name(report_source_verdict(csv->report, number)));
		separate(csv);
		if (source->is_read)
			fprintf(csv->out, "%" PRIu64, source->facts.event_count);
		put_text(csv, source->is_read ? source->facts.dialect : text_of(NULL));
		put_chars(csv, report_source_error(source));
		end_record(csv);
	}
}

static bool put_all(struct csv *csv)
{
	put_sources(csv);
	put_checks(csv);
	put_metrics(csv);
	put_waivers(csv);
	for (uint32_t stage = 0; stage < csv->report->stage_count; stage++) {
		put_findings(csv, stage);
		put_tables(csv, stage);
	}
	arena_fini(&csv->scratch);
	return !csv->failed;
}

bool write_csv(const struct report *report, const struct report_style *style, FILE *out)
{
	struct csv csv = {.report = report, .out = out};

	(void)style;
	return put_all(&csv);
}

static int write_slice(void *user, FILE *out, struct causes *causes)
{
	const struct tav_text *slice = user;

	(void)causes;
	fwrite(slice->data, 1, slice->size, out);
	return 0;
}

tav_status write_csv_folder(const struct report *report, const char *folder, struct causes *causes)
{
	struct memory_file all;
	struct csv csv = {.report = report, .is_parted = true};
	bool is_done = memory_file_open(&all);
	tav_status status = TAV_OK;

	csv.out = all.out;
	if (is_done) {
		is_done = put_all(&csv);
		is_done &= memory_file_close(&all);
	}
	if (!is_done)
		status = cause_add(causes, "out of memory for the csv report in '%s'", folder);
	for (uint32_t i = 0; i < csv.block_count && !status; i++) {
		size_t begin = (size_t)csv.blocks[i].begin;
		size_t end =
		        i + 1 < csv.block_count ? (size_t)csv.blocks[i + 1].begin - 2 : all.size; /* an empty line */
		struct tav_text slice = {all.text + begin, end - begin};
		const char *path = arena_printf(&csv.kept, "%s%s.csv", folder, csv.blocks[i].name);

		status = path ? file_write(&(struct file_job){"csv report", write_slice, &slice}, path, causes)
		              : cause_add(causes, "out of memory for the csv report in '%s'", folder);
	}
	free(all.text);
	arena_fini(&csv.kept);
	return status;
}
