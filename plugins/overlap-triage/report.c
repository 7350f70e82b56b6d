/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, metrics and checks. Times are exact ns; a share of nothing is no value. */
#include <stdlib.h>
#include <string.h>

#include "triage.h"

/* ---- Series: columns that are filled row by row -------------------------------------------------------- */

enum { COLUMN_LIMIT = 32, PHASES_FIRST = 16, KERNELS_FIRST = 20 };
enum show { COLUMN = TAV_SHOW_COLUMN, NOTE = TAV_SHOW_NOTE, DETAIL = TAV_SHOW_DETAIL };
struct sheet {
	struct pool *pool;
	size_t row_count, row, column_count;
	struct tav_series columns[COLUMN_LIMIT];
	uint32_t shows[COLUMN_LIMIT];
	void *data[COLUMN_LIMIT];
	uint64_t *present[COLUMN_LIMIT];
	size_t column; /* of the cell to be filled next */
	bool has_failed;
};

static void *next_cell(struct sheet *sheet, enum show show, const char *name, uint32_t type, uint32_t unit, size_t size,
                       bool is_there)
{
	size_t column = sheet->column++;

	if (sheet->has_failed || column >= COLUMN_LIMIT) {
		sheet->has_failed = true;
		return NULL;
	}
	if (column == sheet->column_count) { /* the first row makes the columns */
		sheet->data[column] = pool_get(sheet->pool, sheet->row_count, size);
		sheet->present[column] = POOL_NEW(sheet->pool, uint64_t, sheet->row_count / 64 + 1);
		if (!sheet->data[column] || !sheet->present[column]) {
			sheet->has_failed = true;
			return NULL;
		}
		sheet->columns[column] = (struct tav_series){.name = name,
		                                             .type = type,
		                                             .unit = unit,
		                                             .data = sheet->data[column],
		                                             .present = sheet->present[column]};
		sheet->shows[column] = show;
		sheet->column_count++;
	}
	if (is_there)
		sheet->present[column][sheet->row / 64] |= UINT64_C(1) << sheet->row % 64;
	return (char *)sheet->data[column] + sheet->row * size;
}

static void put_integer(struct sheet *sheet, enum show show, const char *name, uint32_t unit, int64_t value)
{
	int64_t *cell = next_cell(sheet, show, name, TAV_TYPE_INT, unit, sizeof(*cell), true);

	if (cell)
		*cell = value;
}

static void put_time(struct sheet *sheet, enum show show, const char *name, int64_t ns)
{
	put_integer(sheet, show, name, TAV_UNIT_NS, ns);
}

/* No value where `is_there` is not. */
static void put_number(struct sheet *sheet, enum show show, const char *name, int64_t value, bool is_there)
{
	int64_t *cell = next_cell(sheet, show, name, TAV_TYPE_INT, TAV_UNIT_NONE, sizeof(*cell), is_there);

	if (cell)
		*cell = value;
}

static void put_real(struct sheet *sheet, enum show show, const char *name, uint32_t unit, double value, bool is_there)
{
	double *cell = next_cell(sheet, show, name, TAV_TYPE_REAL, unit, sizeof(*cell), is_there);

	if (cell)
		*cell = is_there ? value : 0;
}

/* part of whole; no value when there is no whole */
static void put_percent(struct sheet *sheet, enum show show, const char *name, int64_t part, int64_t whole)
{
	put_real(sheet, show, name, TAV_UNIT_PERCENT, whole > 0 ? 100 * (double)part / (double)whole : 0, whole > 0);
}

static void put_ratio(struct sheet *sheet, enum show show, const char *name, int64_t part, int64_t whole)
{
	put_real(sheet, show, name, TAV_UNIT_RATIO, whole > 0 ? (double)part / (double)whole : 0, true);
}

static void put_text(struct sheet *sheet, enum show show, const char *name, struct tav_text text)
{
	struct tav_text *cell =
	        next_cell(sheet, show, name, TAV_TYPE_STRING, TAV_UNIT_NONE, sizeof(*cell), text.size > 0);

	if (cell)
		*cell = text.data ? text : TEXT("");
}

static void put_word(struct sheet *sheet, enum show show, const char *name, const char *word)
{
	put_text(sheet, show, name, (struct tav_text){word, strlen(word)});
}

static void end_row(struct sheet *sheet)
{
	sheet->row++;
	sheet->column = 0;
}

struct heading {
	uint32_t source;
	const char *id, *title;
	uint64_t omitted, first_rows;
};

static tav_status send_sheet(struct triage *triage, const struct sheet *sheet, const struct heading *heading)
{
	const struct tav_table table = {
	        .struct_size = sizeof(table),
	        .source = heading->source,
	        .id = heading->id,
	        .title = heading->title,
	        .row_count = sheet->row,
	        .omitted_count = heading->omitted,
	        .columns = {sheet->columns, (uint32_t)sheet->column_count, sizeof(sheet->columns[0])},
	        .shows = sheet->shows,
	        .first_rows = heading->first_rows,
	};

	if (sheet->has_failed)
		return no_memory(triage);
	if (!sheet->row)
		return TAV_OK;
	return triage->self->host->table(triage->self, &table)
	               ? tav_fail(triage->self, "cannot report the table %s", heading->id)
	               : TAV_OK;
}

/* ---- Devices ------------------------------------------------------------------------------------------- */

static struct tav_text device_name(struct triage *triage, const struct device *device)
{
	return device->pid ? triage->self->host->value(triage->self, device->pid) : TEXT("None");
}

/* A person reads shares, and the times they are shares of; of ranks side by side only what tells them apart. */
static void put_totals(struct sheet *sheet, const struct totals *totals, bool is_rank)
{
	enum show own = is_rank ? DETAIL : COLUMN;

	put_integer(sheet, own, "kernels", TAV_UNIT_COUNT, (int64_t)totals->kernels);
	put_time(sheet, own, "window_ns", totals->window);
	put_percent(sheet, COLUMN, "busy_pct", totals->busy, totals->window);
	put_time(sheet, own, "idle_ns", totals->window - totals->busy);
	put_percent(sheet, own, "overlap_pct", totals->overlap, totals->busy);
	put_time(sheet, COLUMN, "communication_ns", totals->communication);
	put_percent(sheet, COLUMN, "exposed_pct", totals->exposed_communication, totals->busy);
	put_percent(sheet, COLUMN, "covered_pct", totals->communication - totals->exposed_communication,
	            totals->communication);
	put_time(sheet, DETAIL, "busy_ns", totals->busy);
	put_time(sheet, DETAIL, "overlap_ns", totals->overlap);
	put_time(sheet, DETAIL, "exposed_communication_ns", totals->exposed_communication);
	put_time(sheet, DETAIL, "compute_ns", totals->compute);
	put_time(sheet, DETAIL, "kernel_time_ns", totals->kernel_time);
	put_integer(sheet, DETAIL, "max_concurrent_streams", TAV_UNIT_COUNT, totals->max_streams);
}

static tav_status table_of_devices(struct analysis *analysis)
{
	static const char title[] = "Devices, each on its own clock: busy and idle are of the window from the first "
	                            "kernel to the last; overlap (two "
	                            "streams or more) and exposed (communication without compute beside it) are of the "
	                            "busy time; covered is of the "
	                            "communication";
	struct triage *triage = analysis->triage;
	struct sheet sheet = {.pool = &analysis->pool, .row_count = analysis->device_count};

	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		put_text(&sheet, COLUMN, "device", device_name(triage, device));
		put_totals(&sheet, &device->totals, false);
		put_integer(&sheet, DETAIL, "streams", TAV_UNIT_COUNT, device->stream_count);
		end_row(&sheet);
	}
	return send_sheet(triage, &sheet, &(struct heading){analysis->source, "devices", title, 0, 0});
}

/* ---- Phases and steps ---------------------------------------------------------------------------------- */

/* Which device: of interest where there are several. */
static void put_device(struct sheet *sheet, struct analysis *analysis, const struct device *device)
{
	put_text(sheet, analysis->device_count > 1 ? COLUMN : DETAIL, "device", device_name(analysis->triage, device));
}

static void put_phase(struct sheet *sheet, struct analysis *analysis, const struct device *device, struct tav_text name,
                      const char *kind, const struct totals *totals)
{
	put_text(sheet, COLUMN, "phase", name);
	put_device(sheet, analysis, device);
	put_totals(sheet, totals, false);
	put_word(sheet, DETAIL, "kind", kind);
	put_integer(sheet, DETAIL, "runs", TAV_UNIT_COUNT, totals->runs);
	end_row(sheet);
}

static tav_status table_of_phases(struct analysis *analysis)
{
	static const size_t order[PHASE_COUNT] = {PHASE_EXTEND, PHASE_DECODE, PHASE_MIXED, PHASE_ALL};
	struct sheet sheet = {.pool = &analysis->pool};
	struct heading heading = {analysis->source, "phases",
	                          "Phases (extend is prefill, all is of no phase) and steps, each over its own runs", 0,
	                          PHASES_FIRST};

	for (size_t d = 0; d < analysis->device_count; d++)
		sheet.row_count += PHASE_COUNT + analysis->devices[d].step_count;
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		for (size_t i = 0; i < PHASE_COUNT; i++) {
			const char *name = phase_names[order[i]];

			if (device->phases[order[i]].kernels)
				put_phase(&sheet, analysis, device, (struct tav_text){name, strlen(name)}, "phase",
				          &device->phases[order[i]]);
		}
		for (size_t step = 0; step < device->step_count; step++)
			put_phase(&sheet, analysis, device, text_of(analysis->triage, device->steps[step]), "step",
			          &device->step_totals[step]);
	}
	return send_sheet(analysis->triage, &sheet, &heading);
}

/* ---- Opportunities ------------------------------------------------------------------------------------- */

static const char *risk_word(enum risk risk)
{
	return risk == RISK_LOW ? "low" : risk == RISK_HIGH ? "high" : "unclear";
}

static void put_share(struct sheet *sheet, const struct triage *triage, double share)
{
	/* The reference's share is one of busy time, which kernels side by side surpass: then it is no percentage. */
	put_real(sheet, COLUMN, "share_pct", triage->rules->share == SHARE_OF_BUSY ? TAV_UNIT_NONE : TAV_UNIT_PERCENT,
	         share, true);
}

static void put_opportunity(struct sheet *sheet, struct analysis *analysis, const struct opportunity *row)
{
	const struct triage *triage = analysis->triage;
	const struct aggregate *aggregate = row->aggregate;

	put_word(sheet, COLUMN, "priority", row->priority);
	put_word(sheet, COLUMN, "recommendation", row->recommendation);
	put_text(sheet, COLUMN, "kernel", text_of(triage, aggregate->name));
	put_share(sheet, triage, row->share);
	put_time(sheet, COLUMN, "total_ns", aggregate->total);
	put_time(sheet, COLUMN, "exposed_ns", aggregate->total - hidden_time(triage->rules, aggregate));
	put_text(sheet, NOTE, "suggestion", row->suggestion);
	put_device(sheet, analysis, row->device);
	put_word(sheet, DETAIL, "verdict", row->verdict);
	put_word(sheet, DETAIL, "category", triage->categories.items[aggregate->category].name);
	put_word(sheet, DETAIL, "phase", phase_names[aggregate->phase]);
	put_ratio(sheet, DETAIL, "exclusive_ratio", aggregate->exclusive, aggregate->total);
	put_ratio(sheet, DETAIL, "hidden_ratio", aggregate->hidden, aggregate->total);
	put_ratio(sheet, DETAIL, "hidden_by_compute_ratio", aggregate->by_compute, aggregate->total);
	put_text(sheet, DETAIL, "python_scope", row->located.scope.size ? row->located.scope : TEXT("unmapped"));
	put_text(sheet, DETAIL, "launch_op", row->located.op.size ? row->located.op : TEXT("n/a"));
	put_real(sheet, DETAIL, "mapping_ratio", TAV_UNIT_RATIO, row->located.ratio, true);
	put_word(sheet, DETAIL, "dependency_risk", risk_word(row->neighbours.risk));
	put_word(sheet, DETAIL, "dependency_signal", row->neighbours.signal);
	put_text(sheet, DETAIL, "prev_neighbor", row->neighbours.previous);
	put_text(sheet, DETAIL, "next_neighbor", row->neighbours.next);
	put_integer(sheet, DETAIL, "representative_idx", TAV_UNIT_NONE, aggregate->representative);
	end_row(sheet);
}

static tav_status table_of_opportunities(struct analysis *analysis, const struct ranking *rankings)
{
	struct sheet sheet = {.pool = &analysis->pool};
	struct heading heading = {analysis->source, "opportunities",
	                          "Opportunities by exposed time and kind; share: of the device's kernel time", 0, 0};

	for (size_t d = 0; d < analysis->device_count; d++) {
		sheet.row_count += rankings[d].count;
		heading.omitted += rankings[d].omitted;
	}
	for (size_t d = 0; d < analysis->device_count; d++)
		for (size_t i = 0; i < rankings[d].count; i++)
			put_opportunity(&sheet, analysis, &rankings[d].items[i]);
	return send_sheet(analysis->triage, &sheet, &heading);
}

/* ---- Kernels and their partners ------------------------------------------------------------------------ */

struct line { /* of the table of kernels */
	uint32_t device, aggregate;
	int64_t total;
};

static int by_total(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->aggregate < y->aggregate ? -1 : x->aggregate > y->aggregate;
}

static tav_status order_lines(struct analysis *analysis, struct line **lines, size_t *count, uint64_t *omitted)
{
	uint64_t limit = analysis->triage->kernel_limit;
	size_t total = 0;

	for (size_t d = 0; d < analysis->device_count; d++)
		total += analysis->devices[d].aggregate_count;
	*lines = POOL_NEW(&analysis->pool, struct line, total);
	if (!*lines)
		return no_memory(analysis->triage);
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];
		size_t first = *count;

		for (size_t i = 0; i < device->aggregate_count; i++)
			(*lines)[(*count)++] = (struct line){(uint32_t)d, (uint32_t)i, device->aggregates[i].total};
		if (*count > first)
			qsort(*lines + first, *count - first, sizeof(**lines), by_total);
		if (limit && *count - first > limit) {
			*omitted += *count - first - limit;
			*count = first + limit;
		}
	}
	return TAV_OK;
}

static void put_kernel(struct sheet *sheet, struct analysis *analysis, const struct line *line,
                       const struct ranking *ranking, const struct located *located)
{
	const struct triage *triage = analysis->triage;
	const struct device *device = &analysis->devices[line->device];
	const struct aggregate *aggregate = &device->aggregates[line->aggregate];
	const struct partner *partner = aggregate->best[0].name ? &aggregate->best[0] : NULL;
	uint32_t headroom = ranking->headroom_rank[line->aggregate], low_roi = ranking->hidden_rank[line->aggregate];

	put_text(sheet, COLUMN, "name", text_of(triage, aggregate->name));
	put_word(sheet, COLUMN, "category", triage->categories.items[aggregate->category].name);
	put_integer(sheet, COLUMN, "count", TAV_UNIT_COUNT, (int64_t)aggregate->count);
	put_time(sheet, COLUMN, "total_ns", aggregate->total);
	put_share(sheet, triage, share_of(triage->rules, device, aggregate));
	put_time(sheet, COLUMN, "exposed_ns", aggregate->total - hidden_time(triage->rules, aggregate));
	put_text(sheet, DETAIL, "python_scope", located->scope);
	put_device(sheet, analysis, device);
	put_word(sheet, DETAIL, "phase", phase_names[aggregate->phase]);
	put_text(sheet, DETAIL, "launch_op", located->op);
	put_real(sheet, DETAIL, "mapping_ratio", TAV_UNIT_RATIO, located->ratio, true);
	put_time(sheet, DETAIL, "hidden_ns", aggregate->hidden);
	put_time(sheet, DETAIL, "exclusive_ns", aggregate->exclusive);
	put_time(sheet, DETAIL, "hidden_by_compute_ns", aggregate->by_compute);
	put_time(sheet, DETAIL, "hidden_by_other_ns", aggregate->hidden - aggregate->by_compute);
	put_ratio(sheet, DETAIL, "hidden_ratio", aggregate->hidden, aggregate->total);
	put_ratio(sheet, DETAIL, "exclusive_ratio", aggregate->exclusive, aggregate->total);
	put_text(sheet, DETAIL, "main_partner", partner ? text_of(triage, partner->name) : TEXT(""));
	put_time(sheet, DETAIL, "main_partner_ns", partner ? partner->time : 0);
	put_integer(sheet, DETAIL, "representative_idx", TAV_UNIT_NONE, aggregate->representative);
	put_number(sheet, DETAIL, "headroom_rank", headroom, headroom != 0);
	put_number(sheet, DETAIL, "low_roi_rank", low_roi, low_roi != 0);
	end_row(sheet);
}

static void put_partners(struct sheet *sheet, struct analysis *analysis, const struct line *line)
{
	const struct triage *triage = analysis->triage;
	const struct device *device = &analysis->devices[line->device];
	const struct aggregate *aggregate = &device->aggregates[line->aggregate];

	for (size_t k = 0; k < BEST_PARTNERS && aggregate->best[k].name; k++) {
		const struct partner *partner = &aggregate->best[k];

		put_text(sheet, DETAIL, "name", text_of(triage, aggregate->name));
		put_text(sheet, DETAIL, "partner", text_of(triage, partner->name));
		put_time(sheet, DETAIL, "overlap_ns", partner->time);
		put_word(sheet, DETAIL, "category", triage->categories.items[aggregate->category].name);
		put_word(sheet, DETAIL, "phase", phase_names[aggregate->phase]);
		put_text(sheet, DETAIL, "device", device_name(analysis->triage, device));
		end_row(sheet);
	}
}

static tav_status table_of_kernels(struct analysis *analysis, struct analysis *mapping, const struct ranking *rankings)
{
	struct triage *triage = analysis->triage;
	struct sheet sheet = {.pool = &analysis->pool}, partners = {.pool = &analysis->pool};
	struct heading heading = {analysis->source, "kernels",
	                          "Kernels by total time; exposed: without compute beside it", 0, KERNELS_FIRST};
	struct line *lines;

	if (triage->rules->cover == COVER_BY_ANYTHING)
		heading.title = "Kernels by total time; exposed: with nothing beside it";
	if (order_lines(analysis, &lines, &sheet.row_count, &heading.omitted))
		return TAV_FAILED;
	partners.row_count = sheet.row_count * BEST_PARTNERS;
	for (size_t i = 0; i < sheet.row_count; i++) {
		const struct aggregate *aggregate = &analysis->devices[lines[i].device].aggregates[lines[i].aggregate];
		struct located located;

		if (locate(mapping, aggregate->phase, aggregate->name, &located))
			return TAV_FAILED;
		put_kernel(&sheet, analysis, &lines[i], &rankings[lines[i].device], &located);
		put_partners(&partners, analysis, &lines[i]);
	}
	if (send_sheet(triage, &sheet, &heading))
		return TAV_FAILED;
	heading = (struct heading){analysis->source, "partners",
	                           "What ran beside each kernel on other streams, at most three of each", 0, 0};
	return send_sheet(triage, &partners, &heading);
}

/* ---- Checks: what is known, and what is missing and why ------------------------------------------------ */

static tav_status check_sources(struct analysis *analysis, struct analysis *mapping)
{
	struct tav_self *self = analysis->triage->self;
	const struct missing *missing = &mapping->missing;
	const char *where = mapping == analysis ? "" : " in the mapping trace";
	uint64_t mapped = 0, total = 0;

	for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
		for (size_t i = 0; i < mapping->maps[phase].count; i++) {
			mapped += mapping->maps[phase].items[i].mapped;
			total += mapping->maps[phase].items[i].total;
		}
	}
	if (mapped)
		return tav_check(self, analysis->source, "sources", TAV_RESULT_PASS,
		                 "%llu of %llu kernels looked at%s have a Python source", (unsigned long long)mapped,
		                 (unsigned long long)total, where);
	if (!missing->with_id && !missing->correlated)
		return tav_check(self, analysis->source, "sources", TAV_RESULT_SKIP,
		                 "no Python source: kernels%s carry neither correlation nor External id", where);
	if (!missing->python)
		return tav_check(self, analysis->source, "sources", TAV_RESULT_SKIP,
		                 "no Python source: no Python frames%s (record with stacks)", where);
	return tav_check(
	        self, analysis->source, "sources", TAV_RESULT_SKIP,
	        "no Python source: of %llu kernels looked at%s, %llu have a launch, none of these under a Python frame",
	        (unsigned long long)missing->samples, where, (unsigned long long)missing->launches);
}

static tav_status check_phases(struct analysis *analysis)
{
	uint64_t named = 0, all = 0;

	for (size_t d = 0; d < analysis->device_count; d++) {
		for (size_t phase = 0; phase < PHASE_COUNT; phase++)
			*(phase == PHASE_ALL ? &all : &named) += analysis->devices[d].phases[phase].kernels;
	}
	if (!named)
		return tav_check(analysis->triage->self, analysis->source, "phases", TAV_RESULT_SKIP,
		                 "no annotation tells prefill from decode; all kernels are in `all`");
	return tav_check(analysis->triage->self, analysis->source, "phases", TAV_RESULT_PASS,
	                 "%llu kernels are in a phase, %llu in none", (unsigned long long)named,
	                 (unsigned long long)all);
}

enum { MOSTLY_IDLE = 2 }; /* busy for less than one part in so many of the window */

/* Where a device mostly waits for work no kernel is the thing to change first. */
static tav_status note_idle(struct analysis *analysis)
{
	struct tav_self *self = analysis->triage->self;
	tav_status status = TAV_OK;

	for (size_t d = 0; !status && d < analysis->device_count; d++) {
		const struct totals *totals = &analysis->devices[d].totals;
		struct tav_text name = device_name(analysis->triage, &analysis->devices[d]);
		char message[256];

		if (totals->busy >= totals->window / MOSTLY_IDLE)
			continue;
		snprintf(message, sizeof(message),
		         "device %.*s is idle for %.2f %% of its window: look at the host and its launches before any "
		         "kernel",
		         name.size > 64 ? 64 : (int)name.size, name.data,
		         100.0 * (double)(totals->window - totals->busy) / (double)totals->window);
		const struct tav_finding finding = {.struct_size = sizeof(finding),
		                                    .severity = TAV_SEV_NOTE,
		                                    .id = "mostly_idle",
		                                    .message = message,
		                                    .source = analysis->source,
		                                    .count = 1};
		status = self->host->finding(self, &finding);
	}
	return status;
}

static tav_status check_work(struct analysis *analysis)
{
	uint64_t kernels = 0, empty = 0;
	tav_status status = note_idle(analysis);
	if (status)
		return status;

	for (size_t d = 0; d < analysis->device_count; d++) {
		kernels += analysis->devices[d].count;
		empty += analysis->devices[d].empty_count;
	}
	if (!kernels)
		return tav_check(analysis->triage->self, analysis->source, "device_work", TAV_RESULT_SKIP,
		                 "no device work with a duration%s",
		                 analysis->window_start < analysis->window_end ? " in the window" : "");
	if (empty)
		return tav_check(analysis->triage->self, analysis->source, "device_work", TAV_RESULT_PASS,
		                 "%llu kernels; %llu more without a usable duration are left out",
		                 (unsigned long long)kernels, (unsigned long long)empty);
	return tav_check(analysis->triage->self, analysis->source, "device_work", TAV_RESULT_PASS, "%llu kernels",
	                 (unsigned long long)kernels);
}

/* ---- Metrics ------------------------------------------------------------------------------------------- */

struct sums_of_run {
	int64_t busy, overlap, kernels, devices, max_streams;
};

static void add_device(struct sums_of_run *sums, const struct totals *totals)
{
	sums->busy += totals->busy;
	sums->overlap += totals->overlap;
	sums->kernels += (int64_t)totals->kernels;
	sums->devices++;
	if (totals->max_streams > sums->max_streams)
		sums->max_streams = totals->max_streams;
}

static tav_status send_metrics(struct triage *triage, uint32_t source, const struct sums_of_run *sums)
{
	struct tav_self *self = triage->self;
	const struct tav_host *host = self->host;

	if (host->metric(self, source, "busy_ns", sums->busy, TAV_UNIT_NS) ||
	    host->metric(self, source, "overlap_ns", sums->overlap, TAV_UNIT_NS) ||
	    host->metric(self, source, "max_concurrent_streams", sums->max_streams, TAV_UNIT_COUNT) ||
	    host->metric(self, source, "kernels", sums->kernels, TAV_UNIT_COUNT) ||
	    host->metric(self, source, "devices", sums->devices, TAV_UNIT_COUNT))
		return tav_fail(self, "cannot report the metrics");
	return TAV_OK;
}

/* ---- A source ------------------------------------------------------------------------------------------ */

tav_status report_source(struct analysis *analysis, struct analysis *mapping)
{
	struct triage *triage = analysis->triage;
	struct ranking *rankings = POOL_NEW(&analysis->pool, struct ranking, analysis->device_count);
	struct sums_of_run sums = {0};

	if (!rankings)
		return no_memory(triage);
	for (size_t d = 0; d < analysis->device_count; d++) {
		if (rank_device(analysis, mapping, &analysis->devices[d], &rankings[d]))
			return TAV_FAILED;
		add_device(&sums, &analysis->devices[d].totals);
	}
	if (check_work(analysis) || send_metrics(triage, analysis->source, &sums))
		return TAV_FAILED;
	if (!analysis->device_count)
		return TAV_OK;
	if (check_sources(analysis, mapping) || check_phases(analysis) || table_of_devices(analysis) ||
	    table_of_phases(analysis) || table_of_opportunities(analysis, rankings))
		return TAV_FAILED;
	return table_of_kernels(analysis, mapping, rankings);
}

/* ---- The run ------------------------------------------------------------------------------------------- */

/* Ranks and devices side by side; no line adds up two clocks. */
tav_status report_run(struct triage *triage, const struct summary *summary)
{
	static const char title[] = "Ranks and devices side by side, each on its own clock; exposed is of the busy "
	                            "time, covered of the communication";
	struct sheet sheet = {.pool = &triage->pool, .row_count = summary->count};
	struct sums_of_run sums = {0};

	for (size_t i = 0; i < summary->count; i++) {
		const struct summary_line *line = &summary->lines[i];
		const struct tav_source *source = triage->self->host->source(triage->self, line->source);

		add_device(&sums, &line->totals);
		put_text(&sheet, COLUMN, "source", source->path);
		put_number(&sheet, COLUMN, "rank", source->rank, source->rank >= 0);
		put_text(&sheet, COLUMN, "device", line->device);
		put_totals(&sheet, &line->totals, true);
		end_row(&sheet);
	}
	if (send_metrics(triage, TAV_RUN, &sums))
		return TAV_FAILED;
	if (summary->count < 2)
		return TAV_OK;
	return send_sheet(triage, &sheet, &(struct heading){TAV_RUN, "ranks", title, 0, 0});
}
