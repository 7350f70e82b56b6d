/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a source: told by each(), and read back by combine(), from this run or from a report. */
#include <stdlib.h>
#include <string.h>

#include <tav/sheet.h>

#include "diff.h"

static const char *const summary_columns[] = {"n",     "total_ns", "min_ns",   "q1_ns",  "median_ns",
                                              "q3_ns", "max_ns",   "early_ns", "late_ns"};
enum { SUMMARY_COLUMNS = sizeof(summary_columns) / sizeof(summary_columns[0]) };

static int64_t *summary_cell(struct summary *summary, int i)
{
	int64_t *const cells[SUMMARY_COLUMNS] = {&summary->n,   &summary->total,  &summary->min,
	                                         &summary->q1,  &summary->median, &summary->q3,
	                                         &summary->max, &summary->early,  &summary->late};

	return cells[i];
}

/* Columns of whole numbers of the tables `devices` and `calls`. */
#define CELL(type, member, name, unit)                                                                                 \
	{                                                                                                              \
		name, offsetof(struct type, member), unit                                                              \
	}
struct column {
	const char *name;
	size_t offset;
	uint32_t unit;
};
static const struct column about_columns[] = {
        CELL(source_sum, resolution_ns, "resolution_ns", TAV_UNIT_NS),
        CELL(source_sum, at_zero, "at_zero", TAV_UNIT_COUNT),
        CELL(source_sum, ignored, "ignored", TAV_UNIT_COUNT),
        CELL(source_sum, lost, "lost", TAV_UNIT_COUNT),
};
static const struct column device_columns[] = {
        CELL(device_sum, unit_count, "n_units", TAV_UNIT_COUNT),
        CELL(device_sum, short_count, "short_units", TAV_UNIT_COUNT),
        CELL(device_sum, event_count, "events", TAV_UNIT_COUNT),
        CELL(device_sum, outside_count, "outside", TAV_UNIT_COUNT),
        CELL(device_sum, outside_ns, "outside_ns", TAV_UNIT_NS),
};
static const struct column call_columns[] = {
        CELL(call_row, count, "count", TAV_UNIT_COUNT),
        CELL(call_row, total, "total_ns", TAV_UNIT_NS),
        CELL(call_row, min, "min_ns", TAV_UNIT_NS),
        CELL(call_row, q1, "q1_ns", TAV_UNIT_NS),
        CELL(call_row, median, "median_ns", TAV_UNIT_NS),
        CELL(call_row, q3, "q3_ns", TAV_UNIT_NS),
        CELL(call_row, p99, "p99_ns", TAV_UNIT_NS),
        CELL(call_row, max, "max_ns", TAV_UNIT_NS),
        CELL(call_row, count_min, "count_min", TAV_UNIT_COUNT),
        CELL(call_row, count_max, "count_max", TAV_UNIT_COUNT),
        CELL(call_row, units.min, "unit_min_ns", TAV_UNIT_NS),
        CELL(call_row, units.q1, "unit_q1_ns", TAV_UNIT_NS),
        CELL(call_row, units.median, "unit_median_ns", TAV_UNIT_NS),
        CELL(call_row, units.q3, "unit_q3_ns", TAV_UNIT_NS),
        CELL(call_row, units.max, "unit_max_ns", TAV_UNIT_NS),
        CELL(call_row, units.early, "unit_early_ns", TAV_UNIT_NS),
        CELL(call_row, units.late, "unit_late_ns", TAV_UNIT_NS),
};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Telling ----------------------------------------------------------------------------------------------------- */
static uint32_t add_text(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
}

static uint32_t add_columns(struct tav_sheet *sheet, const struct column *columns, size_t count)
{
	uint32_t first = sheet->column_count;

	for (size_t i = 0; i < count; i++)
		tav_sheet_column(sheet, columns[i].name, TAV_TYPE_INT, columns[i].unit, TAV_SHOW_COLUMN);
	return first;
}

static void fill(struct tav_sheet *sheet, uint32_t first, uint64_t row, const struct column *columns, size_t count,
                 const void *item)
{
	for (size_t i = 0; i < count; i++) {
		int64_t value;

		memcpy(&value, (const char *)item + columns[i].offset, sizeof(value));
		tav_sheet_int(sheet, first + (uint32_t)i, row, value);
	}
}

static tav_status send(struct tav_sheet *sheet, const char *id, const char *title)
{
	sheet->show = TAV_SHOW_DATA;
	return tav_sheet_send(sheet, 0, id, title, 0);
}

static tav_status tell_about(struct tav_self *self, const struct source_sum *sum)
{
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, self, 1);
	for (uint32_t i = 0; i < ABOUT_COUNT; i++) {
		uint32_t column = add_text(&sheet, about_names[i]);

		if (sum->about[i].size)
			tav_sheet_text(&sheet, column, 0, sum->about[i]);
	}
	fill(&sheet, add_columns(&sheet, about_columns, COUNT_OF(about_columns)), 0, about_columns,
	     COUNT_OF(about_columns), sum);
	return send(&sheet, "about", "What was captured");
}

static tav_status tell_devices(struct tav_self *self, const struct source_sum *sum)
{
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, self, sum->device_count);
	uint32_t id = add_text(&sheet, "id"), model = add_text(&sheet, "model"), units = add_text(&sheet, "units");
	uint32_t first = add_columns(&sheet, device_columns, COUNT_OF(device_columns)), work = add_text(&sheet, "work");

	for (uint32_t i = 0; i < sum->device_count; i++) {
		const struct device_sum *device = &sum->devices[i];
		char *hash = self->host->alloc(self, 17);

		if (!hash)
			return TAV_FAILED;
		snprintf(hash, 17, "%016llx", (unsigned long long)device->work);
		tav_sheet_text(&sheet, id, i, device->id);
		if (device->model.size)
			tav_sheet_text(&sheet, model, i, device->model);
		tav_sheet_chars(&sheet, units, i, origin_names[device->origin]);
		fill(&sheet, first, i, device_columns, COUNT_OF(device_columns), device);
		tav_sheet_chars(&sheet, work, i, hash);
	}
	return send(&sheet, "devices", "Devices and their units");
}

static tav_status tell_measures(struct tav_self *self, const struct source_sum *sum)
{
	struct tav_sheet sheet;
	uint64_t row = 0;

	tav_sheet_init(&sheet, self, (uint64_t)sum->device_count * MEASURE_COUNT);
	uint32_t device = add_text(&sheet, "device"), measure = add_text(&sheet, "measure"), first = sheet.column_count;

	for (int i = 0; i < SUMMARY_COLUMNS; i++)
		tav_sheet_column(&sheet, summary_columns[i], TAV_TYPE_INT, i ? TAV_UNIT_NS : TAV_UNIT_COUNT,
		                 TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < sum->device_count; i++) {
		for (int m = 0; m < MEASURE_COUNT; m++, row++) {
			struct summary summary = sum->devices[i].measures[m];

			tav_sheet_text(&sheet, device, row, sum->devices[i].id);
			tav_sheet_chars(&sheet, measure, row, measure_names[m]);
			for (int c = 0; c < SUMMARY_COLUMNS; c++)
				tav_sheet_int(&sheet, first + (uint32_t)c, row, *summary_cell(&summary, c));
		}
	}
	return send(&sheet, "measures", "Measures by unit");
}

static tav_status tell_calls(struct tav_self *self, const struct source_sum *sum)
{
	struct tav_sheet sheet;
	uint64_t rows = 0, row = 0;

	for (uint32_t i = 0; i < sum->device_count; i++)
		rows += sum->devices[i].call_count;
	tav_sheet_init(&sheet, self, rows);
	uint32_t device = add_text(&sheet, "device"), kind = add_text(&sheet, "kind"), name = add_text(&sheet, "name");
	uint32_t op = add_text(&sheet, "op"), first = add_columns(&sheet, call_columns, COUNT_OF(call_columns));

	for (uint32_t i = 0; i < sum->device_count; i++) {
		for (uint32_t c = 0; c < sum->devices[i].call_count; c++, row++) {
			const struct call_row *call = &sum->devices[i].calls[c];

			tav_sheet_text(&sheet, device, row, sum->devices[i].id);
			tav_sheet_chars(&sheet, kind, row, kind_names[call->kind]);
			tav_sheet_text(&sheet, name, row, call->name);
			if (call->op.size)
				tav_sheet_text(&sheet, op, row, call->op);
			fill(&sheet, first, row, call_columns, COUNT_OF(call_columns), call);
		}
	}
	return send(&sheet, "calls", "Calls by name");
}

tav_status tables_tell(struct tav_self *self, const struct source_sum *sum)
{
	tav_status status = tell_about(self, sum);

	if (!status)
		status = tell_devices(self, sum);
	if (!status)
		status = tell_measures(self, sum);
	return status ? status : tell_calls(self, sum);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */
struct reader {
	struct tav_self *self;
	const struct tav_results *results;
	uint32_t stage, source;
	struct source_sum *out;
};

__attribute__((format(printf, 2, 3))) static tav_status refuse(struct reader *reader, const char *format, ...)
{
	const struct tav_source *source = reader->self->host->source(reader->self, reader->source);
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return tav_fail(reader->self, "%.*s: not a report that diff can read: %s", (int)source->path.size,
	                source->path.data, text);
}

static const struct tav_table_result *table_of(struct reader *reader, const char *id, tav_status *status)
{
	const struct tav_table_result *table =
	        reader->results->find_table(reader->self, reader->stage, reader->source, id);

	*status = table ? TAV_OK : refuse(reader, "the table '%s' of the stage diff is missing", id);
	return table;
}

static const struct tav_column_result *column_of(struct reader *reader, const struct tav_table_result *table,
                                                 const char *name, uint32_t type, tav_status *status)
{
	const struct tav_column_result *column = reader->results->column(reader->self, table, name);

	if (!column)
		*status = refuse(reader, "the table '%.*s' has no column '%s'", (int)table->id.size, table->id.data,
		                 name);
	else if (column->type != type)
		*status = refuse(reader, "the column '%s' of the table '%.*s' is of another type", name,
		                 (int)table->id.size, table->id.data);
	return column;
}

static int has_cell(const struct tav_column_result *column, uint64_t row)
{
	return !column->present || column->present[row / 64] >> row % 64 & 1;
}

/* Every cell of a column of texts; the empty text where there is none. NULL: the cause is set. */
static const struct tav_text *texts_of(struct reader *reader, const struct tav_table_result *table, const char *name,
                                       tav_status *status)
{
	const struct tav_column_result *column =
	        *status ? NULL : column_of(reader, table, name, TAV_TYPE_STRING, status);
	struct tav_text *out;

	if (*status)
		return NULL;
	out = reader->self->host->alloc(reader->self, (table->row_count + 1) * sizeof(*out));
	if (!out)
		*status = TAV_FAILED;
	for (uint64_t i = 0; out && i < table->row_count; i++)
		out[i] = has_cell(column, i) ? ((const struct tav_text *)column->data)[i] : (struct tav_text){"", 0};
	return out;
}

/* Fills whole numbers into items of `size` bytes each; they must all be there and not be negative. */
static void numbers_into(struct reader *reader, const struct tav_table_result *table, const struct column *columns,
                         size_t count, void *items, size_t size, tav_status *status)
{
	for (size_t c = 0; c < count && !*status; c++) {
		const struct tav_column_result *column =
		        column_of(reader, table, columns[c].name, TAV_TYPE_INT, status);

		for (uint64_t i = 0; !*status && i < table->row_count; i++) {
			int64_t value = has_cell(column, i) ? ((const int64_t *)column->data)[i] : -1;

			if (value < 0)
				*status = refuse(reader, "row %llu of the table '%.*s': '%s' is missing or negative",
				                 (unsigned long long)i + 1, (int)table->id.size, table->id.data,
				                 columns[c].name);
			memcpy((char *)items + i * size + columns[c].offset, &value, sizeof(value));
		}
	}
}

static int find_word(struct tav_text text, const char *const *words, int count)
{
	for (int i = 0; i < count; i++)
		if (tav_text_is(text, words[i]))
			return i;
	return -1;
}

static struct device_sum *device_of(struct reader *reader, struct tav_text id, tav_status *status)
{
	struct source_sum *out = reader->out;

	for (uint32_t i = 0; i < out->device_count; i++)
		if (!tav_text_compare(out->devices[i].id, id))
			return &out->devices[i];
	*status = refuse(reader, "the device '%.*s' is in no row of the table 'devices'", (int)id.size, id.data);
	return NULL;
}

static tav_status read_about(struct reader *reader)
{
	tav_status status;
	const struct tav_table_result *table = table_of(reader, "about", &status);

	if (!status && table->row_count != 1)
		status = refuse(reader, "the table 'about' has %llu rows", (unsigned long long)table->row_count);
	for (int i = 0; i < ABOUT_COUNT && !status; i++) {
		const struct tav_text *texts = texts_of(reader, table, about_names[i], &status);

		if (texts)
			reader->out->about[i] = texts[0];
	}
	if (!status)
		numbers_into(reader, table, about_columns, COUNT_OF(about_columns), reader->out, sizeof(*reader->out),
		             &status);
	if (!status && reader->out->resolution_ns != 1 && reader->out->resolution_ns != 1000)
		status = refuse(reader, "'resolution_ns' is neither 1 nor 1000");
	return status;
}

static tav_status read_devices(struct reader *reader)
{
	tav_status status;
	const struct tav_table_result *table = table_of(reader, "devices", &status);
	const struct tav_text *ids, *models, *units;

	if (status)
		return status;
	ids = texts_of(reader, table, "id", &status);
	models = texts_of(reader, table, "model", &status);
	units = texts_of(reader, table, "units", &status);
	if (status)
		return status;
	reader->out->device_count = (uint32_t)table->row_count;
	reader->out->devices =
	        reader->self->host->alloc(reader->self, (table->row_count + 1) * sizeof(*reader->out->devices));
	if (!reader->out->devices)
		return TAV_FAILED;
	for (uint32_t i = 0; i < table->row_count; i++) {
		int origin = find_word(units[i], origin_names, ORIGIN_COUNT);

		if (origin < 0)
			return refuse(reader, "row %u of the table 'devices': unknown units '%.*s'", i + 1,
			              (int)units[i].size, units[i].data);
		reader->out->devices[i].id = ids[i];
		reader->out->devices[i].model = models[i];
		reader->out->devices[i].origin = (enum origin)origin;
	}
	numbers_into(reader, table, device_columns, COUNT_OF(device_columns), reader->out->devices,
	             sizeof(*reader->out->devices), &status);
	return status;
}

static int is_sound(const struct summary *summary, int has_total)
{
	const int64_t *const order[] = {&summary->min, &summary->q1, &summary->median, &summary->q3, &summary->max};

	for (int i = 0; i < SUMMARY_COLUMNS; i++)
		if (*summary_cell((struct summary *)summary, i) < 0)
			return 0;
	for (int i = 1; i < 5; i++)
		if (*order[i - 1] > *order[i])
			return 0;
	if (summary->early > summary->max || summary->late > summary->max)
		return 0;
	return summary->n ? !has_total || summary->total >= summary->max : !summary->max && !summary->total;
}

static tav_status read_measures(struct reader *reader)
{
	tav_status status;
	const struct tav_table_result *table = table_of(reader, "measures", &status);
	const struct tav_text *devices, *measures;
	struct column columns[SUMMARY_COLUMNS];
	struct summary *summaries, layout;

	if (status)
		return status;
	devices = texts_of(reader, table, "device", &status);
	measures = texts_of(reader, table, "measure", &status);
	summaries = reader->self->host->alloc(reader->self, (table->row_count + 1) * sizeof(*summaries));
	if (status || !summaries)
		return TAV_FAILED;
	for (int i = 0; i < SUMMARY_COLUMNS; i++)
		columns[i] = (struct column){summary_columns[i],
		                             (size_t)((char *)summary_cell(&layout, i) - (char *)&layout), 0};
	numbers_into(reader, table, columns, SUMMARY_COLUMNS, summaries, sizeof(*summaries), &status);
	for (uint64_t i = 0; i < table->row_count && !status; i++) {
		struct device_sum *device = device_of(reader, devices[i], &status);
		int measure = find_word(measures[i], measure_names, MEASURE_COUNT);

		if (status)
			break;
		if (measure < 0)
			return refuse(reader, "unknown measure '%.*s'", (int)measures[i].size, measures[i].data);
		if (!is_sound(&summaries[i], measure != M_OVERLAPPED))
			return refuse(reader, "row %llu of the table 'measures' contradicts itself",
			              (unsigned long long)i + 1);
		device->measures[measure] = summaries[i];
	}
	return status;
}

static tav_status read_calls(struct reader *reader)
{
	tav_status status;
	const struct tav_table_result *table = table_of(reader, "calls", &status);
	const struct tav_text *devices, *kinds, *names, *ops;
	struct call_row *calls;
	struct device_sum *device = NULL;

	if (status)
		return status;
	devices = texts_of(reader, table, "device", &status);
	kinds = texts_of(reader, table, "kind", &status);
	names = texts_of(reader, table, "name", &status);
	ops = texts_of(reader, table, "op", &status);
	calls = reader->self->host->alloc(reader->self, (table->row_count + 1) * sizeof(*calls));
	if (status || !calls)
		return TAV_FAILED;
	numbers_into(reader, table, call_columns, COUNT_OF(call_columns), calls, sizeof(*calls), &status);
	for (uint64_t i = 0; i < table->row_count && !status; i++) {
		int kind = find_word(kinds[i], kind_names, KIND_COUNT);

		if (!device || tav_text_compare(device->id, devices[i])) {
			device = device_of(reader, devices[i], &status);
			if (status)
				break;
			if (device->calls)
				return refuse(reader, "the rows of the table 'calls' are not together by device");
			device->calls = &calls[i];
		}
		calls[i].units.n = device->unit_count;
		calls[i].units.total = calls[i].total;
		if (kind < 0 || calls[i].total < calls[i].max || !is_sound(&calls[i].units, 1) || !calls[i].count ||
		    calls[i].min > calls[i].median || calls[i].median > calls[i].max)
			return refuse(reader, "row %llu of the table 'calls' contradicts itself",
			              (unsigned long long)i + 1);
		calls[i].kind = (enum kind)kind;
		calls[i].name = names[i];
		calls[i].op = ops[i];
		device->call_count++;
	}
	return status;
}

tav_status tables_read(struct tav_self *self, const struct tav_results *results, uint32_t stage, uint32_t source,
                       struct source_sum *out)
{
	struct reader reader = {.self = self, .results = results, .stage = stage, .source = source, .out = out};
	tav_status status;

	*out = (struct source_sum){.source = source, .path = self->host->source(self, source)->path};
	status = read_about(&reader);
	if (!status)
		status = read_devices(&reader);
	if (!status)
		status = read_measures(&reader);
	return status ? status : read_calls(&reader);
}
