/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, metrics and checks. Times are exact ns; a share of nothing is no value. */
#include <stdlib.h>
#include <string.h>

#include "triage.h"

/* ---- Series: columns that are filled row by row
 * --------------------------------------------------------------------------- */

enum { COLUMN_LIMIT = 32 };
struct sheet {
	struct analysis *analysis;
	struct pool *pool;
	size_t row_count, row, column_count;
	struct tav_series columns[COLUMN_LIMIT];
	void *data[COLUMN_LIMIT];
	uint64_t *present[COLUMN_LIMIT];
	size_t column; /* of the cell to be filled next */
	bool has_failed;
};

static void *next_cell(struct sheet *sheet, const char *name, uint32_t type, uint32_t unit, size_t size, bool is_there)
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
		sheet->column_count++;
	}
	if (is_there)
		sheet->present[column][sheet->row / 64] |= UINT64_C(1) << sheet->row % 64;
	return (char *)sheet->data[column] + sheet->row * size;
}

static void put_integer(struct sheet *sheet, const char *name, uint32_t unit, int64_t value)
{
	int64_t *cell = next_cell(sheet, name, TAV_TYPE_INT, unit, sizeof(*cell), true);

	if (cell)
		*cell = value;
}

static void put_place(struct sheet *sheet, const char *name, uint32_t place)
{
	int64_t *cell = next_cell(sheet, name, TAV_TYPE_INT, TAV_UNIT_NONE, sizeof(*cell), place != 0);

	if (cell)
		*cell = place;
}

static void put_real(struct sheet *sheet, const char *name, uint32_t unit, double value)
{
	double *cell = next_cell(sheet, name, TAV_TYPE_REAL, unit, sizeof(*cell), true);

	if (cell)
		*cell = value;
}

/* part of whole in percent; no value when there is no whole */
static void put_percent(struct sheet *sheet, const char *name, int64_t part, int64_t whole)
{
	double *cell = next_cell(sheet, name, TAV_TYPE_REAL, TAV_UNIT_PERCENT, sizeof(*cell), whole > 0);

	if (cell)
		*cell = whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void put_text(struct sheet *sheet, const char *name, struct tav_text text)
{
	struct tav_text *cell = next_cell(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE, sizeof(*cell), text.size > 0);

	if (cell)
		*cell = text.data ? text : TEXT("");
}

static void put_word(struct sheet *sheet, const char *name, const char *word)
{
	put_text(sheet, name, (struct tav_text){word, strlen(word)});
}

static void end_row(struct sheet *sheet)
{
	sheet->row++;
	sheet->column = 0;
}

static tav_status send_sheet(struct triage *triage, struct sheet *sheet, uint32_t source, const char *id,
                             const char *title, uint64_t omitted)
{
	const struct tav_table table = {
	        .struct_size = sizeof(table),
	        .source = source,
	        .id = id,
	        .title = title,
	        .row_count = sheet->row,
	        .omitted_count = omitted,
	        .columns = {sheet->columns, (uint32_t)sheet->column_count, sizeof(sheet->columns[0])},
	};

	if (sheet->has_failed)
		return no_memory(triage);
	if (!sheet->row)
		return TAV_OK;
	return triage->self->host->table(triage->self, &table)
	               ? tav_fail(triage->self, "cannot report the table %s", id)
	               : TAV_OK;
}

/* ---- Devices
 * ----------------------------------------------------------------------------------------------------------------- */

static struct tav_text device_name(struct triage *triage, const struct device *device)
{
	return device->pid ? triage->self->host->value(triage->self, device->pid) : TEXT("None");
}

static void put_totals(struct sheet *sheet, const struct totals *totals)
{
	put_integer(sheet, "kernels", TAV_UNIT_COUNT, (int64_t)totals->kernels);
	put_integer(sheet, "window_ns", TAV_UNIT_NS, totals->window);
	put_integer(sheet, "busy_ns", TAV_UNIT_NS, totals->busy);
	put_integer(sheet, "idle_ns", TAV_UNIT_NS, totals->window - totals->busy);
	put_integer(sheet, "overlap_ns", TAV_UNIT_NS, totals->overlap);
	put_integer(sheet, "exposed_communication_ns", TAV_UNIT_NS, totals->exposed_communication);
	put_percent(sheet, "busy_pct", totals->busy, totals->window);
	put_percent(sheet, "overlap_pct", totals->overlap, totals->busy);
	put_percent(sheet, "exposed_communication_pct", totals->exposed_communication, totals->busy);
	put_integer(sheet, "communication_ns", TAV_UNIT_NS, totals->communication);
	put_percent(sheet, "communication_covered_pct", totals->communication - totals->exposed_communication,
	            totals->communication);
	put_integer(sheet, "compute_ns", TAV_UNIT_NS, totals->compute);
	put_integer(sheet, "kernel_time_ns", TAV_UNIT_NS, totals->kernel_time);
	put_integer(sheet, "max_concurrent_streams", TAV_UNIT_COUNT, totals->max_streams);
}

static tav_status table_of_devices(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	struct sheet sheet = {.analysis = analysis, .pool = &analysis->pool, .row_count = analysis->device_count};

	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		put_text(&sheet, "device", device_name(triage, device));
		put_totals(&sheet, &device->totals);
		put_integer(&sheet, "streams", TAV_UNIT_COUNT, device->stream_count);
		end_row(&sheet);
	}
	return send_sheet(triage, &sheet, analysis->source, "devices",
	                  "Devices, each on its own clock from its first kernel to its last", 0);
}

/* ---- Phases and steps
 * ---------------------------------------------------------------------------------------------------------- */

static void put_phase(struct sheet *sheet, const struct device *device, struct triage *triage, struct tav_text name,
                      const char *kind, const struct totals *totals)
{
	put_text(sheet, "phase", name);
	put_word(sheet, "kind", kind);
	put_text(sheet, "device", device_name(triage, device));
	put_totals(sheet, totals);
	put_integer(sheet, "runs", TAV_UNIT_COUNT, totals->runs);
	end_row(sheet);
}

static tav_status table_of_phases(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	struct sheet sheet = {.analysis = analysis, .pool = &analysis->pool};

	for (size_t d = 0; d < analysis->device_count; d++)
		sheet.row_count += PHASE_COUNT + analysis->devices[d].step_count;
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
			static const size_t order[PHASE_COUNT] = {PHASE_EXTEND, PHASE_DECODE, PHASE_MIXED, PHASE_ALL};
			const char *name = phase_names[order[phase]];

			if (device->phases[order[phase]].kernels)
				put_phase(&sheet, device, triage, (struct tav_text){name, strlen(name)}, "phase",
				          &device->phases[order[phase]]);
		}
		for (size_t step = 0; step < device->step_count; step++)
			put_phase(&sheet, device, triage, text_of(triage, device->steps[step]), "step",
			          &device->step_totals[step]);
	}
	return send_sheet(triage, &sheet, analysis->source, "phases",
	                  "Phases (all: of no phase) and steps; idle is the rest of their own runs", 0);
}

/* ---- Opportunities
 * --------------------------------------------------------------------------------------------------------------- */

static const char *risk_word(enum risk risk)
{
	return risk == RISK_LOW ? "low" : risk == RISK_HIGH ? "high" : "unclear";
}

static void put_share(struct sheet *sheet, double share)
{
	/* The reference's share is one of busy time, which kernels side by side surpass: then it is no percentage. */
	put_real(sheet, "share_pct",
	         sheet->analysis->triage->rules->share == SHARE_OF_BUSY ? TAV_UNIT_NONE : TAV_UNIT_PERCENT, share);
}

static double ratio_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}

static tav_status table_of_opportunities(struct analysis *analysis, const struct ranking *rankings)
{
	struct triage *triage = analysis->triage;
	struct sheet sheet = {.analysis = analysis, .pool = &analysis->pool};
	uint64_t omitted = 0;

	for (size_t d = 0; d < analysis->device_count; d++) {
		sheet.row_count += rankings[d].count;
		omitted += rankings[d].omitted;
	}
	for (size_t d = 0; d < analysis->device_count; d++) {
		for (size_t i = 0; i < rankings[d].count; i++) {
			const struct opportunity *row = &rankings[d].items[i];
			const struct aggregate *aggregate = row->aggregate;

			put_word(&sheet, "priority", row->priority);
			put_word(&sheet, "recommendation", row->recommendation);
			put_text(&sheet, "kernel", text_of(triage, aggregate->name));
			put_share(&sheet, row->share);
			put_integer(&sheet, "total_ns", TAV_UNIT_NS, aggregate->total);
			put_text(&sheet, "suggestion", row->suggestion);
			put_text(&sheet, "python_scope",
			         row->located.scope.size ? row->located.scope : TEXT("unmapped"));
			put_word(&sheet, "verdict", row->verdict);
			put_word(&sheet, "category", triage->categories.items[aggregate->category].name);
			put_word(&sheet, "phase", phase_names[aggregate->phase]);
			put_text(&sheet, "device", device_name(triage, row->device));
			put_real(&sheet, "exclusive_ratio", TAV_UNIT_RATIO,
			         ratio_of(aggregate->exclusive, aggregate->total));
			put_real(&sheet, "hidden_ratio", TAV_UNIT_RATIO, ratio_of(aggregate->hidden, aggregate->total));
			put_real(&sheet, "covered_by_compute_ratio", TAV_UNIT_RATIO,
			         ratio_of(aggregate->by_compute, aggregate->total));
			put_text(&sheet, "launch_op", row->located.op.size ? row->located.op : TEXT("n/a"));
			put_real(&sheet, "mapping_ratio", TAV_UNIT_RATIO, row->located.ratio);
			put_word(&sheet, "dependency_risk", risk_word(row->neighbours.risk));
			put_word(&sheet, "dependency_signal", row->neighbours.signal);
			put_text(&sheet, "prev_neighbor", row->neighbours.previous);
			put_text(&sheet, "next_neighbor", row->neighbours.next);
			put_integer(&sheet, "representative_idx", TAV_UNIT_NONE, aggregate->representative);
			end_row(&sheet);
		}
	}
	return send_sheet(triage, &sheet, analysis->source, "opportunities", "Opportunities, the most promising first",
	                  omitted);
}

/* ---- Kernels and their partners
 * --------------------------------------------------------------------------------------------------- */

struct line { /* of the table of kernels */
	uint32_t device, aggregate;
	int64_t total;
};

static int by_total(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
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
	*count = 0;
	*omitted = 0;
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

static void put_kernel(struct sheet *sheet, const struct device *device, const struct ranking *ranking, uint32_t number,
                       const struct located *located)
{
	struct triage *triage = sheet->analysis->triage;
	const struct aggregate *aggregate = &device->aggregates[number];
	const struct partner *partner = aggregate->best[0] ? &device->partners[aggregate->best[0] - 1] : NULL;

	put_text(sheet, "name", text_of(triage, aggregate->name));
	put_word(sheet, "category", triage->categories.items[aggregate->category].name);
	put_integer(sheet, "count", TAV_UNIT_COUNT, (int64_t)aggregate->count);
	put_integer(sheet, "total_ns", TAV_UNIT_NS, aggregate->total);
	put_share(sheet, share_of(triage->rules, device, aggregate));
	put_integer(sheet, "exposed_ns", TAV_UNIT_NS, aggregate->total - hidden_time(triage->rules, aggregate));
	put_text(sheet, "python_scope", located->scope);
	put_text(sheet, "launch_op", located->op);
	put_text(sheet, "main_partner", partner ? text_of(triage, partner->name) : TEXT(""));
	put_word(sheet, "phase", phase_names[aggregate->phase]);
	put_text(sheet, "device", device_name(triage, device));
	put_integer(sheet, "hidden_ns", TAV_UNIT_NS, aggregate->hidden);
	put_integer(sheet, "exclusive_ns", TAV_UNIT_NS, aggregate->exclusive);
	put_integer(sheet, "hidden_by_compute_ns", TAV_UNIT_NS, aggregate->by_compute);
	put_integer(sheet, "hidden_by_other_ns", TAV_UNIT_NS, aggregate->hidden - aggregate->by_compute);
	put_real(sheet, "hidden_ratio", TAV_UNIT_RATIO, ratio_of(aggregate->hidden, aggregate->total));
	put_real(sheet, "exclusive_ratio", TAV_UNIT_RATIO, ratio_of(aggregate->exclusive, aggregate->total));
	put_real(sheet, "mapping_ratio", TAV_UNIT_RATIO, located->ratio);
	put_integer(sheet, "main_partner_ns", TAV_UNIT_NS, partner ? partner->time : 0);
	put_integer(sheet, "representative_idx", TAV_UNIT_NONE, aggregate->representative);
	put_place(sheet, "headroom_rank", ranking->headroom_rank[number]);
	put_place(sheet, "low_roi_rank", ranking->hidden_rank[number]);
	end_row(sheet);
}

static tav_status table_of_kernels(struct analysis *analysis, struct analysis *mapping, const struct ranking *rankings)
{
	struct triage *triage = analysis->triage;
	struct sheet sheet = {.analysis = analysis, .pool = &analysis->pool};
	struct sheet partners = {.analysis = analysis, .pool = &analysis->pool};
	struct line *lines;
	uint64_t omitted = 0;

	if (order_lines(analysis, &lines, &sheet.row_count, &omitted))
		return TAV_FAILED;
	partners.row_count = sheet.row_count * 3;
	for (size_t i = 0; i < sheet.row_count; i++) {
		const struct device *device = &analysis->devices[lines[i].device];
		const struct aggregate *aggregate = &device->aggregates[lines[i].aggregate];
		struct located located;

		if (locate(mapping, aggregate->phase, aggregate->name, &located))
			return TAV_FAILED;
		put_kernel(&sheet, device, &rankings[lines[i].device], lines[i].aggregate, &located);
		for (size_t k = 0; k < 3 && aggregate->best[k]; k++) {
			const struct partner *partner = &device->partners[aggregate->best[k] - 1];

			put_text(&partners, "name", text_of(triage, aggregate->name));
			put_word(&partners, "category", triage->categories.items[aggregate->category].name);
			put_text(&partners, "partner", text_of(triage, partner->name));
			put_integer(&partners, "overlap_ns", TAV_UNIT_NS, partner->time);
			put_word(&partners, "phase", phase_names[aggregate->phase]);
			put_text(&partners, "device", device_name(triage, device));
			end_row(&partners);
		}
	}
	if (send_sheet(triage, &sheet, analysis->source, "kernels", "Kernels by total time", omitted))
		return TAV_FAILED;
	return send_sheet(triage, &partners, analysis->source, "partners",
	                  "What ran beside each kernel on other streams, at most three of each", 0);
}

/* ---- Checks: what is known, and what is missing and why
 * ------------------------------------------------------------------------------ */

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

static tav_status check_work(struct analysis *analysis)
{
	uint64_t kernels = 0, empty = 0;

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

/* ---- Metrics
 * ----------------------------------------------------------------------------------------------------------------------------
 */

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

/* ---- A source
 * ---------------------------------------------------------------------------------------------------------------------------
 */

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

/* ---- The run
 * ----------------------------------------------------------------------------------------------------------------------------
 */

/* Ranks and devices side by side; no line adds up two clocks. */
tav_status report_run(struct triage *triage, const struct summary *summary)
{
	struct sheet sheet = {.pool = &triage->pool, .row_count = summary->count};
	struct sums_of_run sums = {0};

	for (size_t i = 0; i < summary->count; i++) {
		const struct summary_line *line = &summary->lines[i];
		const struct tav_source *source = triage->self->host->source(triage->self, line->source);
		int64_t *rank;

		add_device(&sums, &line->totals);
		put_text(&sheet, "source", source->path);
		rank = next_cell(&sheet, "rank", TAV_TYPE_INT, TAV_UNIT_NONE, sizeof(*rank), source->rank >= 0);
		if (rank)
			*rank = source->rank;
		put_text(&sheet, "device", line->device);
		put_totals(&sheet, &line->totals);
		end_row(&sheet);
	}
	if (send_metrics(triage, TAV_RUN, &sums))
		return TAV_FAILED;
	if (summary->count < 2)
		return TAV_OK;
	return send_sheet(triage, &sheet, TAV_RUN, "ranks", "Ranks and devices side by side, each on its own clock", 0);
}
