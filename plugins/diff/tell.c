/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison says: a headline, checks, the row `comparison` for machines, and the tables for people. */
#include <stdlib.h>
#include <string.h>

#include <tav/sheet.h>

#include "diff.h"

enum { TEXT = 1024 };

static const char *share_text(char out[32], int64_t base, int64_t cand)
{
	if (!base)
		snprintf(out, 32, cand ? "new" : "-");
	else
		snprintf(out, 32, "%+.1f %%", 100 * ((double)(cand - base) / (double)base));
	if (!strcmp(out, "-0.0 %"))
		*out = '+';
	return out;
}
#define CHANGE(base, cand) share_text((char[32]){0}, base, cand)

static double percent_of(wide part, wide whole)
{
	return 100 * ((double)part / (double)whole);
}

static int64_t shown(wide value)
{
	return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* Half away from zero. */
static wide per_unit(const struct device_diff *device, wide value)
{
	wide size = value < 0 ? -value : value, out = size / device->scale;

	out += 2 * (size % device->scale) >= device->scale;
	return value < 0 ? -out : out;
}

static int is_unsure(const struct comparison *comparison)
{
	return comparison->reasons.count > 0;
}

/* ---- The sentence ------------------------------------------------------------------------------------------------ */
static const char *limit_text(char out[32], int64_t limit)
{
	if (limit == NO_LIMIT)
		snprintf(out, 32, "no limit");
	else
		snprintf(out, 32, "limit %lld.%03lld", (long long)limit / PERCENT, (long long)limit % PERCENT);
	while (limit != NO_LIMIT && out[strlen(out) - 1] == '0')
		out[strlen(out) - 1] = '\0';
	if (limit != NO_LIMIT && out[strlen(out) - 1] == '.')
		out[strlen(out) - 1] = '\0';
	if (limit != NO_LIMIT)
		strcat(out, " %");
	return out;
}

/* "compute per step", "time per step" */
static const char *label_of(enum measure measure)
{
	return measure == M_STEP ? "time" : measure_names[measure];
}

/* Of the judged measures the one that says most: what made the verdict, else compute time. */
static const struct judged *telling(const struct device_diff *device)
{
	for (int m = 0; m < MEASURE_COUNT; m++)
		if (device->judged[m].result == device->would && device->would != R_UNCHANGED)
			return &device->judged[m];
	return &device->judged[M_COMPUTE];
}

enum part { BY_COUNT, BY_TIME, NEW_NAMES, GONE_NAMES, PART_COUNT };

static enum part largest_part(const struct device_diff *device, wide *value)
{
	const wide values[PART_COUNT] = {device->by_count, device->by_time, device->appeared, device->gone};
	size_t largest = 0;

	for (size_t i = 1; i < PART_COUNT; i++) {
		wide a = values[i] < 0 ? -values[i] : values[i];
		wide b = values[largest] < 0 ? -values[largest] : values[largest];

		if (a > b)
			largest = i;
	}
	*value = values[largest];
	return (enum part)largest;
}

static void say_part(struct tav_sentence *say, const struct device_diff *device)
{
	static const char *const names[PART_COUNT] = {"calls", "time per call", "new names", "names gone"};
	wide value;
	enum part part = largest_part(device, &value);

	if (value)
		tav_say(say, "; by the sums mostly %s (%s%s of %s%s)", names[part], value > 0 ? "+" : "",
		        DURATION(shown(per_unit(device, value))), device->total > 0 ? "+" : "",
		        DURATION(shown(per_unit(device, device->total))));
}

/* Without steps a recording that ended early looks like less work. */
static int may_be_cut(const struct device_diff *device)
{
	wide value;
	enum part part = largest_part(device, &value);

	return device->base->origin == WHOLE && device->cand->origin == WHOLE && device->would == R_IMPROVED &&
	       part != BY_TIME && value < 0;
}

static enum kind kind_behind(enum measure measure)
{
	return measure == M_COPIES || measure == M_EXPOSED_COPIES                 ? COPY
	       : measure == M_COMMUNICATION || measure == M_EXPOSED_COMMUNICATION ? COMMUNICATION
	                                                                          : COMPUTE;
}

/* The name that moved most into the direction of the verdict. */
static tav_status say_name(struct tav_self *self, struct tav_sentence *say, const struct device_diff *device,
                           const struct judged *judged)
{
	int is_up = device->would == R_REGRESSED;

	for (uint32_t i = 0; i < device->row_count; i++) { /* the largest change first */
		const struct row *row = &device->rows[i];
		struct name name;

		if (row->kind != kind_behind(judged->measure) || !row->delta || (row->delta > 0) != is_up)
			continue;
		if (name_read(self, row->name, &name))
			return TAV_FAILED;
		int size = name.canonical.size < 60 ? (int)name.canonical.size : 60;

		tav_say(say, ", most of it %.*s%s (%s%s)", size, name.canonical.data,
		        name.canonical.size > 60 ? "..." : "", is_up ? "+" : "",
		        DURATION(shown(per_unit(device, row->delta))));
		break;
	}
	return TAV_OK;
}

/* What nobody asked to judge is not left unsaid. */
static void say_moved(struct tav_sentence *say, const struct device_diff *device)
{
	for (int m = M_COMMUNICATION; m <= M_COPIES; m++) {
		const struct judged *judged = &device->judged[m];

		if (judged->has_moved)
			tav_say(say, "; not judged: %s per step %s -> %s (%s)", measure_names[m],
			        DURATION(judged->base), DURATION(judged->cand), CHANGE(judged->base, judged->cand));
	}
}

static tav_status say_device(struct tav_self *self, struct tav_sentence *say, const struct comparison *comparison,
                             const struct device_diff *device)
{
	const struct judged *judged = telling(device);
	tav_status status = TAV_OK;
	char limit[32];

	if (comparison->device_count > 1)
		tav_say(say, "device %.*s: ", (int)device->cand->id.size, device->cand->id.data);
	if (!device->row_count) {
		tav_say(say, "nothing to compare");
		return TAV_OK;
	}
	tav_say(say, "%s: %s per step %s -> %s (%s, %s)",
	        is_unsure(comparison) ? "not a verdict" : result_names[device->would], label_of(judged->measure),
	        DURATION(judged->base), DURATION(judged->cand), CHANGE(judged->base, judged->cand),
	        limit_text(limit, judged->limit));
	if (judged->n_base == 1 && judged->n_cand == 1)
		tav_say(say, ", one step each");
	else
		tav_say(say, ", %lld and %lld steps %s", (long long)judged->n_base, (long long)judged->n_cand,
		        origin_names[device->base->origin]);
	if (judged->because)
		tav_say(say, "; that is %s", judged->because);
	if (device->would != R_UNCHANGED || judged->because || is_unsure(comparison))
		say_part(say, device);
	if (device->would != R_UNCHANGED && !is_unsure(comparison))
		status = say_name(self, say, device, judged);
	if (may_be_cut(device))
		tav_say(say, "; no steps are known: was the recording shorter?");
	say_moved(say, device);
	return status;
}

static tav_status tell_headlines(struct tav_self *self, const struct comparison *comparison)
{
	uint32_t source = comparison->cand->source;
	tav_status status = TAV_OK;
	char text[TEXT];

	if (is_unsure(comparison)) {
		struct tav_sentence say = {text, sizeof(text), 0};

		tav_say(&say, "inconclusive: %s", comparison->reasons.items[0]);
		if (comparison->reasons.count > 1)
			tav_say(&say, " (and %s)", COUNTED(comparison->reasons.count - 1, "other reason"));
		status = self->host->headline(self, source, text);
	}
	for (uint32_t i = 0; i < comparison->device_count && i < 8 && !status; i++) {
		struct tav_sentence say = {text, sizeof(text), 0};

		status = say_device(self, &say, comparison, &comparison->devices[i]);
		if (!status)
			status = self->host->headline(self, source, text);
	}
	return status;
}

/* ---- For machines: one row a device ------------------------------------------------------------------------------ */
static struct tav_text join(struct tav_self *self, const struct sentences *sentences)
{
	size_t room = (size_t)sentences->count * (REASON_TEXT + 2) + 1;
	char *text = self->host->alloc(self, room);
	struct tav_sentence say = {text, room, 0};

	for (uint32_t i = 0; text && i < sentences->count; i++)
		tav_say(&say, "%s%s", i ? "; " : "", sentences->items[i]);
	return (struct tav_text){text ? text : "", say.used};
}

static struct tav_text units_text(struct tav_self *self, const struct device_sum *device)
{
	char *text = self->host->alloc(self, 48);

	if (!text)
		return (struct tav_text){"", 0};
	return (struct tav_text){text, (size_t)snprintf(text, 48, "%s:%lld", origin_names[device->origin],
	                                                (long long)device->unit_count)};
}

static void put_text(struct tav_sheet *sheet, uint64_t row, const char *name, struct tav_text text)
{
	uint32_t column = 0;

	while (column < sheet->column_count && strcmp(sheet->columns[column].name, name))
		column++;
	if (column == sheet->column_count)
		column = tav_sheet_column(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	if (text.size)
		tav_sheet_text(sheet, column, row, text);
}

static void put_number(struct tav_sheet *sheet, uint64_t row, const char *name, wide value, uint32_t unit)
{
	uint32_t column = 0;

	while (column < sheet->column_count && strcmp(sheet->columns[column].name, name))
		column++;
	if (column == sheet->column_count)
		column = tav_sheet_column(sheet, name, TAV_TYPE_INT, unit, TAV_SHOW_DETAIL);
	if (value <= INT64_MAX && value >= INT64_MIN)
		tav_sheet_int(sheet, column, row, (int64_t)value);
}

static void put_percent(struct tav_sheet *sheet, uint64_t row, const char *name, wide part, wide whole)
{
	uint32_t column = 0;

	while (column < sheet->column_count && strcmp(sheet->columns[column].name, name))
		column++;
	if (column == sheet->column_count)
		column = tav_sheet_column(sheet, name, TAV_TYPE_REAL, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	if (whole)
		tav_sheet_real(sheet, column, row, percent_of(part, whole));
}

static void put_device(struct tav_self *self, struct tav_sheet *sheet, uint64_t row,
                       const struct comparison *comparison, const struct device_diff *device)
{
	static const struct {
		enum measure measure;
		const char *name;
	} changes[] = {{M_COMPUTE, "compute_change_pct"},
	               {M_STEP, "step_change_pct"},
	               {M_BUSY, "busy_change_pct"},
	               {M_COPIES, "copies_change_pct"},
	               {M_COMMUNICATION, "communication_change_pct"},
	               {M_EXPOSED_COMMUNICATION, "exposed_communication_change_pct"},
	               {M_EXPOSED_COPIES, "exposed_copies_change_pct"},
	               {M_IDLE, "idle_change_pct"}};
	static const char *const counts[LEVEL_COUNT] = {"exact", "name", "cut",      "digits",
	                                                "head",  "op",   "new_rows", "gone_rows"};

	put_text(sheet, row, "device", device->cand->id);
	put_text(sheet, row, "verdict",
	         tav_text_of(is_unsure(comparison) ? "inconclusive" : result_names[device->would]));
	put_text(sheet, row, "judged", tav_text_of(result_names[device->would]));
	put_text(sheet, row, "units_base", units_text(self, device->base));
	put_text(sheet, row, "units_candidate", units_text(self, device->cand));
	put_number(sheet, row, "compute_base_ns", device->judged[M_COMPUTE].base, TAV_UNIT_NS);
	put_number(sheet, row, "compute_candidate_ns", device->judged[M_COMPUTE].cand, TAV_UNIT_NS);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct judged *judged = &device->judged[changes[i].measure];

		put_percent(sheet, row, changes[i].name, (wide)judged->cand - judged->base, judged->base);
	}
	put_number(sheet, row, "total_delta_scaled", device->total, TAV_UNIT_NONE);
	put_number(sheet, row, "by_count", device->by_count, TAV_UNIT_NONE);
	put_number(sheet, row, "by_time", device->by_time, TAV_UNIT_NONE);
	put_number(sheet, row, "new", device->appeared, TAV_UNIT_NONE);
	put_number(sheet, row, "gone", device->gone, TAV_UNIT_NONE);
	put_number(sheet, row, "scale", device->scale, TAV_UNIT_NONE);
	put_number(sheet, row, "rows", device->row_count, TAV_UNIT_COUNT);
	for (int i = 0; i < LEVEL_COUNT; i++)
		put_number(sheet, row, counts[i], device->levels[i], TAV_UNIT_COUNT);
	put_number(sheet, row, "rows_slower", device->slower, TAV_UNIT_COUNT);
	put_number(sheet, row, "rows_faster", device->faster, TAV_UNIT_COUNT);
	put_percent(sheet, row, "matched_base_pct", device->matched_ns[0], device->compute_ns[0]);
	put_percent(sheet, row, "matched_candidate_pct", device->matched_ns[1], device->compute_ns[1]);
}

/* Where no device has a partner there is one row all the same, with the reasons. */
static tav_status tell_machines(struct tav_self *self, const struct comparison *comparison)
{
	uint64_t rows = comparison->device_count ? comparison->device_count : 1;
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, self, rows);
	for (uint64_t i = 0; i < rows; i++) {
		if (i < comparison->device_count)
			put_device(self, &sheet, i, comparison, &comparison->devices[i]);
		else
			put_text(&sheet, i, "verdict", tav_text_of("inconclusive"));
		put_text(&sheet, i, "baseline", comparison->base->path);
		put_text(&sheet, i, "reasons", join(self, &comparison->reasons));
		put_text(&sheet, i, "notes", join(self, &comparison->notes));
	}
	return tav_sheet_send(&sheet, comparison->cand->source, "comparison", "The comparison, device by device", 0);
}

/* ---- For people -------------------------------------------------------------------------------------------------- */
static tav_status tell_measures(struct tav_self *self, const struct comparison *comparison)
{
	struct tav_sheet sheet;
	uint64_t row = 0;

	if (!comparison->device_count)
		return TAV_OK;
	tav_sheet_init(&sheet, self, (uint64_t)comparison->device_count * MEASURE_COUNT);
	uint32_t device = tav_sheet_column(&sheet, "device", TAV_TYPE_STRING, TAV_UNIT_NONE,
	                                   comparison->device_count > 1 ? TAV_SHOW_KEY : TAV_SHOW_DETAIL);
	uint32_t measure = tav_sheet_column(&sheet, "measure", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t base = tav_sheet_column(&sheet, "baseline_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	uint32_t cand = tav_sheet_column(&sheet, "candidate_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	uint32_t change = tav_sheet_column(&sheet, "change_pct", TAV_TYPE_REAL, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t result = tav_sheet_column(&sheet, "judged", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t n_base = tav_sheet_column(&sheet, "n_baseline", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_DETAIL);
	uint32_t n_cand = tav_sheet_column(&sheet, "n_candidate", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_DETAIL);

	for (uint32_t i = 0; i < comparison->device_count; i++) {
		for (int m = 0; m < MEASURE_COUNT; m++, row++) {
			const struct judged *judged = &comparison->devices[i].judged[m];

			tav_sheet_text(&sheet, device, row, comparison->devices[i].cand->id);
			tav_sheet_chars(&sheet, measure, row, measure_names[m]);
			tav_sheet_int(&sheet, base, row, judged->base);
			tav_sheet_int(&sheet, cand, row, judged->cand);
			if (judged->base)
				tav_sheet_real(&sheet, change, row,
				               percent_of((wide)judged->cand - judged->base, judged->base));
			tav_sheet_chars(&sheet, result, row, result_names[judged->result]);
			tav_sheet_int(&sheet, n_base, row, judged->n_base);
			tav_sheet_int(&sheet, n_cand, row, judged->n_cand);
		}
	}
	return tav_sheet_send(&sheet, comparison->cand->source, "compared",
	                      "Medians per step, of the baseline and of this one", 0);
}

/* Of the sums, so that the parts add up; the medians above decide. */
static tav_status tell_parts(struct tav_self *self, const struct comparison *comparison)
{
	struct tav_sheet sheet;

	if (!comparison->device_count)
		return TAV_OK;
	tav_sheet_init(&sheet, self, comparison->device_count);
	uint32_t device = tav_sheet_column(&sheet, "device", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY), columns[5];
	static const char *const names[] = {"change_ns", "calls_ns", "time_per_call_ns", "new_ns", "gone_ns"};

	for (int c = 0; c < 5; c++)
		columns[c] = tav_sheet_column(&sheet, names[c], TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < comparison->device_count; i++) {
		const struct device_diff *diff = &comparison->devices[i];
		const wide sums[] = {0, diff->by_count, diff->by_time, diff->appeared, diff->gone};
		wide sum = 0;

		tav_sheet_text(&sheet, device, i, diff->cand->id);
		if (!diff->scale)
			continue;
		tav_sheet_int(&sheet, columns[0], i, shown(per_unit(diff, diff->total)));
		for (int c = 1; c < 5; c++) { /* differences of rounded running sums, so that they add up */
			tav_sheet_int(&sheet, columns[c], i,
			              shown(per_unit(diff, sum + sums[c]) - per_unit(diff, sum)));
			sum += sums[c];
		}
	}
	return tav_sheet_send(&sheet, comparison->cand->source, "parts",
	                      "Change of compute time per step, by the sums: what it is made of", 0);
}

static struct tav_text says_text(struct tav_self *self, const struct row *row)
{
	static const char *const says[] = {"same", "slower", "faster", "unclear"};
	char *text = self->host->alloc(self, 24);
	int n;

	if (!text)
		return (struct tav_text){"", 0};
	if (row->level == L_NEW || row->level == L_GONE)
		n = snprintf(text, 24, "%s", level_names[row->level]);
	else if (!row->calls)
		n = snprintf(text, 24, "%s", says[row->says]);
	else
		n = snprintf(text, 24, "%s%s%s", row->calls > 0 ? "more" : "fewer", row->says ? "+" : "",
		             row->says ? says[row->says] : "");
	return (struct tav_text){text, (size_t)n};
}

struct place {
	const struct device_diff *device;
	const struct row *row;
};

/* Rows that changed, over all devices, the largest first; `count` of them. */
static struct place *changed_rows(struct tav_self *self, const struct comparison *comparison, uint64_t *count)
{
	uint64_t all = 0;
	struct place *places;

	for (uint32_t i = 0; i < comparison->device_count; i++)
		all += comparison->devices[i].row_count;
	places = self->host->alloc(self, (all + 1) * sizeof(*places));
	*count = 0;
	for (uint32_t i = 0; places && i < comparison->device_count; i++)
		for (uint32_t r = 0; r < comparison->devices[i].row_count; r++)
			if (comparison->devices[i].rows[r].delta)
				places[(*count)++] =
				        (struct place){&comparison->devices[i], &comparison->devices[i].rows[r]};
	return places;
}

static tav_status tell_changes(struct tav_self *self, const struct comparison *comparison)
{
	uint64_t count, top = settings_of(self)->top, rows;
	const struct place *places = changed_rows(self, comparison, &count);
	const struct device_diff *last = NULL;
	struct tav_sheet sheet;
	wide sum = 0;

	if (!places)
		return TAV_FAILED;
	if (!count)
		return TAV_OK;
	rows = top && top < count ? top : count;
	tav_sheet_init(&sheet, self, rows);
	uint32_t device = tav_sheet_column(&sheet, "device", TAV_TYPE_STRING, TAV_UNIT_NONE,
	                                   comparison->device_count > 1 ? TAV_SHOW_KEY : TAV_SHOW_DETAIL);
	uint32_t change = tav_sheet_column(&sheet, "change_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_KEY);
	uint32_t share = tav_sheet_column(&sheet, "share_pct", TAV_TYPE_REAL, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t base = tav_sheet_column(&sheet, "calls_baseline", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	uint32_t cand = tav_sheet_column(&sheet, "calls", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	uint32_t call = tav_sheet_column(&sheet, "per_call_pct", TAV_TYPE_REAL, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t says = tav_sheet_column(&sheet, "says", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t match = tav_sheet_column(&sheet, "match", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	uint32_t kind = tav_sheet_column(&sheet, "kind", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t name = tav_sheet_column(&sheet, "name", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);

	for (uint64_t i = 0; i < rows; i++) {
		const struct row *row = places[i].row;
		const struct device_diff *diff = places[i].device;

		sum = diff == last ? sum : 0;
		last = diff;
		tav_sheet_text(&sheet, device, i, diff->cand->id);
		tav_sheet_int(&sheet, change, i, shown(per_unit(diff, sum + row->delta) - per_unit(diff, sum)));
		sum += row->delta;
		if (row->kind == COMPUTE && diff->base_compute)
			tav_sheet_real(&sheet, share, i, percent_of(row->delta, diff->base_compute));
		tav_sheet_int(&sheet, base, i, row->nb);
		tav_sheet_int(&sheet, cand, i, row->nc);
		if (row->tb && row->nc)
			tav_sheet_real(
			        &sheet, call, i,
			        percent_of((wide)row->tc * row->nb - (wide)row->tb * row->nc, (wide)row->tb * row->nc));
		tav_sheet_text(&sheet, says, i, says_text(self, row));
		tav_sheet_chars(&sheet, match, i, level_names[row->level]);
		tav_sheet_chars(&sheet, kind, i, kind_names[row->kind]);
		tav_sheet_text(&sheet, name, i, row->name);
	}
	return tav_sheet_send(&sheet, comparison->cand->source, "changes",
	                      "What changed, per step by the sums (share: of the baseline's compute time)",
	                      count - rows);
}

/* ---- Findings and checks ----------------------------------------------------------------------------------------- */
static tav_status tell_finding(struct tav_self *self, const struct comparison *comparison, const char *id,
                               uint32_t severity, uint64_t count, const char *message, const char *remedy)
{
	return self->host->finding(self, &(struct tav_finding){
	                                         .struct_size = sizeof(struct tav_finding),
	                                         .source = comparison->cand->source,
	                                         .severity = severity,
	                                         .id = id,
	                                         .count = count,
	                                         .message = message,
	                                         .remedy = remedy,
	                                 });
}

static tav_status tell_unsure(struct tav_self *self, const struct comparison *comparison)
{
	uint32_t what = settings_of(self)->on_inconclusive;
	uint32_t result = what == UNSURE_FAIL   ? TAV_RESULT_FAIL
	                  : what == UNSURE_WARN ? TAV_RESULT_WARN
	                                        : TAV_RESULT_PASS;
	struct tav_text reasons = join(self, &comparison->reasons);
	tav_status status = tav_tell(self, comparison->cand->source, "comparable", result, comparison->reasons.count, 1,
	                             "cannot be compared with the baseline: %.*s",
	                             reasons.size > 800 ? 800 : (int)reasons.size, reasons.data);

	if (status || what == UNSURE_PASS)
		return status;
	return tell_finding(self, comparison, "inconclusive", what == UNSURE_FAIL ? TAV_SEV_ERROR : TAV_SEV_WARNING,
	                    comparison->reasons.count, reasons.data,
	                    "Compare what is alike, or say what does not matter: options ignore and units");
}

static tav_status tell_regressed(struct tav_self *self, const struct comparison *comparison,
                                 const struct device_diff *device, const struct judged *judged)
{
	char message[TEXT], limit[32];
	struct tav_sentence say = {message, sizeof(message), 0};

	tav_say(&say, "device %.*s: %s per step %s -> %s (%s, %s)", (int)device->cand->id.size, device->cand->id.data,
	        label_of(judged->measure), DURATION(judged->base), DURATION(judged->cand),
	        CHANGE(judged->base, judged->cand), limit_text(limit, judged->limit));
	say_part(&say, device);
	return tell_finding(self, comparison, "regressed", TAV_SEV_ERROR, 1, message,
	                    "The table `changes` says which names; if it is meant, save the baseline again");
}

/* One check for each measure that is judged, over all devices. */
static tav_status tell_measure_check(struct tav_self *self, const struct comparison *comparison, int m)
{
	uint32_t judged = 0, worse = 0, better = 0;
	const struct judged *first = NULL;
	tav_status status = TAV_OK;
	char limit[32];

	for (uint32_t i = 0; i < comparison->device_count && !status; i++) {
		const struct judged *own = &comparison->devices[i].judged[m];

		if (!comparison->devices[i].row_count || own->result == R_SHOWN)
			continue;
		judged++;
		worse += own->result == R_REGRESSED;
		better += own->result == R_IMPROVED;
		if (!first || own->result > first->result)
			first = own;
		if (own->result == R_REGRESSED)
			status = tell_regressed(self, comparison, &comparison->devices[i], own);
	}
	if (status || !judged)
		return status;
	return tav_tell(self, comparison->cand->source, measure_names[m], worse ? TAV_RESULT_FAIL : TAV_RESULT_PASS,
	                worse, judged, "%s: %s per step %s -> %s (%s, %s)%s%s",
	                worse    ? "regressed"
	                : better ? "improved"
	                         : "unchanged",
	                label_of((enum measure)m), DURATION(first->base), DURATION(first->cand),
	                CHANGE(first->base, first->cand), limit_text(limit, first->limit), first->because ? "; " : "",
	                first->because ? first->because : "");
}

/* Single rows: slower than limit_kernel, and names that are new. */
static tav_status tell_rows(struct tav_self *self, const struct comparison *comparison)
{
	const struct settings *settings = settings_of(self);
	uint64_t slower = 0, appeared = 0, rows = 0;
	tav_status status = TAV_OK;
	char message[TEXT];

	for (uint32_t i = 0; i < comparison->device_count; i++) {
		slower += comparison->devices[i].failed_rows;
		appeared += comparison->devices[i].new_rows;
		rows += comparison->devices[i].row_count;
	}
	if (settings->limit_kernel > 0)
		status = tav_tell(self, comparison->cand->source, "kernel", slower ? TAV_RESULT_FAIL : TAV_RESULT_PASS,
		                  slower, rows, "%s slower than the limit allows", COUNTED(slower, "kernel"));
	if (!status && slower) {
		snprintf(message, sizeof(message), "%s slower than limit_kernel allows", COUNTED(slower, "kernel"));
		status = tell_finding(self, comparison, "kernel_regressed", TAV_SEV_ERROR, slower, message, NULL);
	}
	if (!status && appeared && settings->on_new != OFF_OFF) {
		snprintf(message, sizeof(message), "%s of at least min_share that the baseline does not have",
		         COUNTED(appeared, "kernel"));
		status = tell_finding(self, comparison, "new_kernels",
		                      settings->on_new == OFF_FAIL ? TAV_SEV_ERROR : TAV_SEV_WARNING, appeared, message,
		                      NULL);
	}
	return status;
}

static tav_status tell_notes(struct tav_self *self, const struct comparison *comparison)
{
	struct tav_sheet sheet;
	tav_status status = TAV_OK;

	if (comparison->notes.count) {
		tav_sheet_init(&sheet, self, comparison->notes.count);
		uint32_t note = tav_sheet_column(&sheet, "note", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);

		for (uint32_t i = 0; i < comparison->notes.count; i++)
			tav_sheet_chars(&sheet, note, i, comparison->notes.items[i]);
		status = tav_sheet_send(&sheet, comparison->cand->source, "notes", "To be known of the comparison", 0);
	}
	if (!status && !is_unsure(comparison) && comparison->would == R_IMPROVED)
		status = tell_finding(self, comparison, "improved", TAV_SEV_NOTE, 1,
		                      "better than the baseline by more than the limit",
		                      "Renew the baseline, or the next loss of as much goes unseen");
	return status;
}

static tav_status tell_checks(struct tav_self *self, const struct comparison *comparison)
{
	tav_status status;

	if (is_unsure(comparison))
		return tell_unsure(self, comparison);
	status = tav_tell(self, comparison->cand->source, "comparable", TAV_RESULT_PASS, 0, 1, "compared with %s",
	                  comparison->run_count > 1 ? "several runs" : "one run");
	for (int m = 0; m < MEASURE_COUNT && !status; m++)
		status = tell_measure_check(self, comparison, m);
	return status ? status : tell_rows(self, comparison);
}

static tav_status tell_metrics(struct tav_self *self, const struct comparison *comparison)
{
	const struct device_diff *device = comparison->device_count == 1 ? &comparison->devices[0] : NULL;
	uint32_t source = comparison->cand->source;

	if (!device || !device->row_count)
		return TAV_OK;
	if (tav_measure_as(self, source, "compute_ns", device->judged[M_COMPUTE].cand, TAV_UNIT_NS, TAV_BETTER_LOWER,
	                   TAV_METRIC_HEADLINE) ||
	    tav_measure(self, source, "compute_baseline_ns", device->judged[M_COMPUTE].base, TAV_UNIT_NS,
	                TAV_BETTER_UNKNOWN))
		return TAV_FAILED;
	return TAV_OK;
}

tav_status tell_comparison(struct tav_self *self, const struct comparison *comparison)
{
	tav_status status = tell_checks(self, comparison);

	if (!status)
		status = tell_headlines(self, comparison);
	if (!status)
		status = tell_measures(self, comparison);
	if (!status)
		status = tell_parts(self, comparison);
	if (!status)
		status = tell_changes(self, comparison);
	if (!status)
		status = tell_machines(self, comparison);
	if (!status)
		status = tell_metrics(self, comparison);
	return status ? status : tell_notes(self, comparison);
}
