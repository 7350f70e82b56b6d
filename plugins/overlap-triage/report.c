/* SPDX-License-Identifier: Apache-2.0 */
/* The tables, metrics and checks of a source. Times are exact ns; a share of nothing is no value. */
#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "triage.h"

enum { PHASES_FIRST = 16, KERNELS_FIRST = 20, SOURCE = 0 };

/* ---- Devices ------------------------------------------------------------------------------------------- */

struct tav_text device_name(const struct analysis *analysis, const struct device *device)
{
	return device->pid ? value_of(analysis, device->pid) : TEXT("None");
}

/* A person reads shares, and the times they are shares of. */
static void put_totals(struct rows *rows, const struct totals *totals)
{
	put_count(rows, COLUMN, "kernels", totals->kernels);
	put_time(rows, COLUMN, "window_ns", totals->window);
	put_percent(rows, COLUMN, "busy_pct", totals->busy, totals->window);
	put_time(rows, COLUMN, "idle_ns", totals->window - totals->busy);
	put_percent(rows, COLUMN, "overlap_pct", totals->overlap, totals->busy);
	put_time(rows, COLUMN, "communication_ns", totals->communication);
	put_percent(rows, COLUMN, "exposed_pct", totals->exposed_communication, totals->busy);
	put_percent(rows, COLUMN, "covered_pct", totals->communication - totals->exposed_communication,
	            totals->communication);
	put_time(rows, DETAIL, "busy_ns", totals->busy);
	put_time(rows, DETAIL, "overlap_ns", totals->overlap);
	put_time(rows, DETAIL, "exposed_communication_ns", totals->exposed_communication);
	put_time(rows, DETAIL, "compute_ns", totals->compute);
	put_time(rows, DETAIL, "kernel_time_ns", totals->kernel_time);
	put_count(rows, DETAIL, "max_concurrent_streams", totals->max_streams);
}

static tav_status table_of_devices(struct analysis *analysis)
{
	static const char title[] = "Devices, each on its own clock: busy and idle are of the window from the first "
	                            "kernel to the last; overlap (two streams or more) and exposed (communication "
	                            "without compute beside it) are of the busy time; covered is of the communication";
	struct rows rows;

	rows_init(&rows, analysis->triage->self, analysis->device_count);
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		put_text(&rows, KEY, "device", device_name(analysis, device));
		put_totals(&rows, &device->totals);
		put_count(&rows, DETAIL, "streams", device->stream_count);
		end_row(&rows);
	}
	return rows_send(&rows, SOURCE, "devices", title, 0);
}

/* ---- Phases and steps ---------------------------------------------------------------------------------- */

/* Which device: of interest where there are several. */
static void put_device(struct rows *rows, const struct analysis *analysis, const struct device *device)
{
	put_text(rows, analysis->device_count > 1 ? KEY : DETAIL, "device", device_name(analysis, device));
}

static void put_phase(struct rows *rows, const struct analysis *analysis, const struct device *device,
                      struct tav_text name, const char *kind, const struct totals *totals)
{
	if (!totals->kernels)
		return;
	put_text(rows, KEY, "phase", name);
	put_device(rows, analysis, device);
	put_totals(rows, totals);
	put_word(rows, DETAIL, "kind", kind);
	put_count(rows, DETAIL, "runs", totals->runs);
	end_row(rows);
}

static tav_status table_of_phases(struct analysis *analysis)
{
	static const size_t order[PHASE_COUNT] = {PHASE_EXTEND, PHASE_DECODE, PHASE_MIXED, PHASE_ALL};
	uint32_t steps = analysis->steps ? analysis->steps->count : 0;
	struct rows rows;

	rows_init(&rows, analysis->triage->self, analysis->device_count * ((uint64_t)steps + PHASE_COUNT));
	rows.sheet.first_rows = PHASES_FIRST;
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		for (size_t i = 0; i < PHASE_COUNT; i++) {
			const char *name = phase_names[order[i]];

			put_phase(&rows, analysis, device, (struct tav_text){name, strlen(name)}, "phase",
			          &device->phases[order[i]]);
		}
		for (uint32_t step = 0; step < steps; step++)
			put_phase(&rows, analysis, device, analysis->steps->steps[step].name, "step",
			          &device->steps[step]);
	}
	return rows_send(&rows, SOURCE, "phases",
	                 "Phases (extend is prefill, all is of no phase) and steps, each over its own runs", 0);
}

/* ---- Opportunities ------------------------------------------------------------------------------------- */

/* The reference's share is one of busy time, which kernels side by side surpass: then it is no percentage. */
static void put_share(struct rows *rows, const struct triage *triage, double share, bool is_there)
{
	put_real(rows, COLUMN, "share_pct", triage->is_reference ? TAV_UNIT_NONE : TAV_UNIT_PERCENT, share, is_there);
}

static void put_opportunity(struct rows *rows, const struct analysis *analysis, const struct opportunity *row)
{
	static const char *const risks[] = {[RISK_LOW] = "low", [RISK_HIGH] = "high", [RISK_UNCLEAR] = "unclear"};
	static const struct aggregate nothing;
	const struct triage *triage = analysis->triage;
	const struct aggregate *a = row->aggregate ? row->aggregate : &nothing;
	bool is_kernel = row->aggregate, has_gain = !triage->is_reference;

	put_word(rows, KEY, "priority", row->priority);
	put_word(rows, COLUMN, "recommendation", row->recommendation);
	put_text(rows, KEY, "kernel", is_kernel ? text_at(triage, a->name) : TEXT("(idle)"));
	put_number(rows, has_gain ? KEY : DETAIL, "gain_ns", TAV_UNIT_NS, row->gain, has_gain);
	put_real(rows, has_gain ? COLUMN : DETAIL, "gain_pct", TAV_UNIT_PERCENT,
	         100 * ratio(row->gain, row->device->totals.window), has_gain);
	put_share(rows, triage, row->share, is_kernel);
	put_number(rows, COLUMN, "total_ns", TAV_UNIT_NS, a->total, is_kernel);
	put_number(rows, COLUMN, "exposed_ns", TAV_UNIT_NS, exposed_time(triage, a), is_kernel);
	put_text(rows, NOTE, "suggestion", row->suggestion);
	put_device(rows, analysis, row->device);
	put_word(rows, DETAIL, "verdict", row->verdict);
	put_word(rows, DETAIL, "category", is_kernel ? category_at(triage, a)->name : "idle");
	put_word(rows, DETAIL, "phase", phase_names[a->phase]);
	put_real(rows, DETAIL, "exclusive_ratio", TAV_UNIT_RATIO, ratio(a->exclusive, a->total), is_kernel);
	put_real(rows, DETAIL, "hidden_ratio", TAV_UNIT_RATIO, ratio(a->hidden, a->total), is_kernel);
	put_real(rows, DETAIL, "hidden_by_compute_ratio", TAV_UNIT_RATIO, ratio(a->by_compute, a->total), is_kernel);
	put_text(rows, DETAIL, "python_scope", row->located.scope.size ? row->located.scope : TEXT("unmapped"));
	put_text(rows, DETAIL, "launch_op", row->located.op.size ? row->located.op : TEXT("n/a"));
	put_real(rows, DETAIL, "mapping_ratio", TAV_UNIT_RATIO, row->located.ratio, is_kernel);
	put_word(rows, DETAIL, "dependency_risk", is_kernel ? risks[row->neighbours.risk] : "");
	put_word(rows, DETAIL, "dependency_signal", is_kernel ? row->neighbours.signal : "");
	put_text(rows, DETAIL, "prev_neighbor", row->neighbours.previous);
	put_text(rows, DETAIL, "next_neighbor", row->neighbours.next);
	put_number(rows, DETAIL, "representative_idx", TAV_UNIT_NONE, a->representative, is_kernel);
	end_row(rows);
}

static tav_status table_of_opportunities(struct analysis *analysis, const struct ranking *rankings)
{
	uint64_t count = 0, omitted = 0;
	struct rows rows;

	for (size_t d = 0; d < analysis->device_count; d++) {
		count += rankings[d].count;
		omitted += rankings[d].omitted;
	}
	rows_init(&rows, analysis->triage->self, count);
	for (size_t d = 0; d < analysis->device_count; d++)
		for (size_t i = 0; i < rankings[d].count; i++)
			put_opportunity(&rows, analysis, &rankings[d].items[i]);
	return rows_send(
	        &rows, SOURCE, "opportunities",
	        !analysis->triage->is_reference
	                ? "Opportunities by what a change can win at most, in wall time and of the window; share: "
	                  "of the device's kernel time"
	                : "Opportunities by exposed time and kind; share: of the device's kernel time",
	        omitted);
}

/* ---- Kernels and their partners ------------------------------------------------------------------------ */

static void put_kernel(struct rows *rows, const struct analysis *analysis, const struct device *device, uint32_t number,
                       const struct ranking *ranking, const struct located *located)
{
	const struct triage *triage = analysis->triage;
	const struct aggregate *a = &device->aggregates[number];
	const struct partner *partner = a->best[0].name ? &a->best[0] : NULL;
	uint32_t headroom = ranking->headroom_rank[number], low_roi = ranking->hidden_rank[number];

	put_text(rows, KEY, "name", text_at(triage, a->name));
	put_word(rows, COLUMN, "category", category_at(triage, a)->name);
	put_count(rows, COLUMN, "count", a->count);
	put_time(rows, KEY, "total_ns", a->total);
	put_share(rows, triage, share_of(triage, device, a), true);
	put_time(rows, COLUMN, "exposed_ns", exposed_time(triage, a));
	put_text(rows, DETAIL, "python_scope", located->scope);
	put_device(rows, analysis, device);
	put_word(rows, DETAIL, "phase", phase_names[a->phase]);
	put_text(rows, DETAIL, "launch_op", located->op);
	put_real(rows, DETAIL, "mapping_ratio", TAV_UNIT_RATIO, located->ratio, true);
	put_time(rows, DETAIL, "hidden_ns", a->hidden);
	put_time(rows, DETAIL, "exclusive_ns", a->exclusive);
	put_time(rows, DETAIL, "hidden_by_compute_ns", a->by_compute);
	put_time(rows, DETAIL, "hidden_by_other_ns", a->hidden - a->by_compute);
	put_ratio(rows, DETAIL, "hidden_ratio", a->hidden, a->total);
	put_ratio(rows, DETAIL, "exclusive_ratio", a->exclusive, a->total);
	put_text(rows, DETAIL, "main_partner", partner ? text_at(triage, partner->name) : TEXT(""));
	put_time(rows, DETAIL, "main_partner_ns", partner ? partner->time : 0);
	put_number(rows, DETAIL, "representative_idx", TAV_UNIT_NONE, a->representative, true);
	put_number(rows, DETAIL, "headroom_rank", TAV_UNIT_NONE, headroom, headroom != 0);
	put_number(rows, DETAIL, "low_roi_rank", TAV_UNIT_NONE, low_roi, low_roi != 0);
	end_row(rows);
}

static void put_partners(struct rows *rows, const struct analysis *analysis, const struct device *device,
                         const struct aggregate *a)
{
	const struct triage *triage = analysis->triage;

	for (size_t k = 0; k < BEST_PARTNERS && a->best[k].name; k++) {
		put_text(rows, DETAIL, "name", text_at(triage, a->name));
		put_text(rows, DETAIL, "partner", text_at(triage, a->best[k].name));
		put_time(rows, DETAIL, "overlap_ns", a->best[k].time);
		put_word(rows, DETAIL, "category", category_at(triage, a)->name);
		put_word(rows, DETAIL, "phase", phase_names[a->phase]);
		put_text(rows, DETAIL, "device", device_name(analysis, device));
		end_row(rows);
	}
}

static tav_status table_of_kernels(struct analysis *analysis, struct analysis *mapping, const struct ranking *rankings)
{
	struct tav_self *self = analysis->triage->self;
	struct rows rows, partners;
	uint64_t count = 0, omitted = 0;

	for (size_t d = 0; d < analysis->device_count; d++) {
		count += analysis->devices[d].shown_count;
		omitted += analysis->devices[d].aggregate_count - analysis->devices[d].shown_count;
	}
	rows_init(&rows, self, count);
	rows_init(&partners, self, count * BEST_PARTNERS);
	rows.sheet.first_rows = KERNELS_FIRST;
	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct device *device = &analysis->devices[d];

		for (size_t i = 0; i < device->shown_count; i++) {
			const struct aggregate *a = &device->aggregates[device->shown[i]];
			struct located located;

			if (locate(mapping, a->phase, a->name, &located))
				return TAV_FAILED;
			put_kernel(&rows, analysis, device, device->shown[i], &rankings[d], &located);
			put_partners(&partners, analysis, device, a);
		}
	}
	if (rows_send(&rows, SOURCE, "kernels",
	              analysis->triage->is_reference ? "Kernels by total time; exposed: with nothing beside it"
	                                             : "Kernels by total time; exposed: without compute beside it",
	              omitted))
		return TAV_FAILED;
	return rows_send(&partners, SOURCE, "partners",
	                 "What ran beside each kernel on other streams, at most three of each", 0);
}

/* ---- Checks: what is known, and what is missing and why ------------------------------------------------ */

static tav_status check_sources(struct analysis *analysis, struct analysis *mapping)
{
	struct tav_self *self = analysis->triage->self;
	const struct missing *missing = &mapping->missing;
	const char *where = mapping == analysis ? "" : " in the mapping trace", *why = NULL;
	char some[TAV_COUNTED_SIZE], all[TAV_COUNTED_SIZE], replayed[TAV_COUNTED_SIZE];
	uint64_t mapped = 0, total = 0;

	for (size_t phase = 0; phase < PHASE_COUNT; phase++) {
		for (size_t i = 0; i < mapping->maps[phase].count; i++) {
			mapped += mapping->maps[phase].items[i].mapped;
			total += mapping->maps[phase].items[i].total;
		}
	}
	tav_counted(some, mapped, "");
	tav_counted(all, total, "kernel");
	tav_counted(replayed, missing->replayed, "");
	if (mapped && missing->replayed)
		return tav_tell(self, SOURCE, "sources", TAV_RESULT_PASS, total - mapped, total,
		                "of %s looked at%s, %s have a Python source, %s come from the replay of a graph: give "
		                "`mapping=` a trace recorded without graphs",
		                all, where, some, replayed);
	if (mapped)
		return tav_tell(self, SOURCE, "sources", TAV_RESULT_PASS, total - mapped, total,
		                "%s of %s looked at%s have a Python source", some, all, where);
	if (missing->replayed)
		return tav_tell(
		        self, SOURCE, "sources", TAV_RESULT_SKIP, 0, 0,
		        "no Python source: of %s looked at%s, %s come from the replay of a graph: give `mapping=` a "
		        "trace recorded without graphs",
		        all, where, replayed);
	if (missing->ambiguous)
		why = "the links of the kernels are ambiguous: several processes, or many calls, carry the same";
	else if (!missing->with_id && !missing->linked)
		why = "the kernels carry neither a link to a call nor the number of an operator";
	else if (!missing->python)
		why = "there are no Python frames (record with stacks)";
	if (why)
		return tav_tell(self, SOURCE, "sources", TAV_RESULT_SKIP, 0, 0, "no Python source%s: %s", where, why);
	tav_counted(some, missing->launches, "");
	return tav_tell(self, SOURCE, "sources", TAV_RESULT_SKIP, 0, 0,
	                "no Python source: of %s looked at%s, %s have a launch, none of these under a Python frame",
	                all, where, some);
}

static tav_status check_phases(struct analysis *analysis)
{
	uint64_t named = 0, none = 0;
	char in_phase[TAV_COUNTED_SIZE], in_none[TAV_COUNTED_SIZE];

	for (size_t d = 0; d < analysis->device_count; d++)
		for (size_t phase = 0; phase < PHASE_COUNT; phase++)
			*(phase == PHASE_ALL ? &none : &named) += analysis->devices[d].phases[phase].kernels;
	if (!named)
		return tav_tell(analysis->triage->self, SOURCE, "phases", TAV_RESULT_SKIP, 0, 0,
		                "no annotation tells prefill from decode; all kernels are in `all`");
	return tav_tell(analysis->triage->self, SOURCE, "phases", TAV_RESULT_PASS, none, named + none,
	                "%s in a phase, %s in none", tav_counted(in_phase, named, "kernel"),
	                tav_counted(in_none, none, ""));
}

static tav_status check_work(struct analysis *analysis)
{
	struct tav_self *self = analysis->triage->self;
	char some[TAV_COUNTED_SIZE], more[TAV_COUNTED_SIZE];
	uint64_t kernels = 0, empty = 0;

	for (size_t d = 0; d < analysis->device_count; d++) {
		kernels += analysis->devices[d].count;
		empty += analysis->devices[d].empty_count;
	}
	if (analysis->is_too_long)
		return tav_tell(self, SOURCE, "device_work", TAV_RESULT_SKIP, 0, analysis->info->device_event_count,
		                "cannot tell: the device events span, or last together, more than 292 years: look for "
		                "those with a wrong ts or dur (tav-run -c trust)");
	if (!kernels)
		return tav_tell(self, SOURCE, "device_work", TAV_RESULT_SKIP, 0, 0, "no device work with a duration%s",
		                analysis->window_start < analysis->window_end ? " in the window" : "");
	tav_counted(some, kernels, "kernel");
	tav_counted(more, empty, "");
	if (empty)
		return tav_tell(self, SOURCE, "device_work", TAV_RESULT_PASS, empty, kernels + empty,
		                "%s; %s more without a usable duration are left out", some, more);
	return tav_tell(self, SOURCE, "device_work", TAV_RESULT_PASS, 0, kernels, "%s", some);
}

/* ---- What is to be known first ------------------------------------------------------------------------- */

enum { MOSTLY_IDLE = 2 }; /* busy for less than one part in so many of the window */

static tav_status note(struct tav_self *self, const char *id, const char *remedy, const char *message)
{
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = TAV_SEV_NOTE,
	                                    .id = id,
	                                    .message = message,
	                                    .source = SOURCE,
	                                    .count = 1,
	                                    .remedy = remedy};

	return self->host->finding(self, &finding);
}

/* What concerns a device as a whole: it mostly waits, or has one stream, where nothing can be hidden. */
static tav_status note_device(const struct analysis *analysis, const struct device *device)
{
	struct tav_self *self = analysis->triage->self;
	const struct totals *totals = &device->totals;
	struct tav_text name = text_clip(device_name(analysis, device), 64);
	char message[256];

	if (is_idle_known(analysis) && totals->busy < totals->window / MOSTLY_IDLE) {
		snprintf(message, sizeof(message), "device %.*s is idle for %.2f %% of its window", (int)name.size,
		         name.data, 100.0 * (double)(totals->window - totals->busy) / (double)totals->window);
		if (note(self, "mostly_idle", "look at the host and its launches before any kernel", message))
			return TAV_FAILED;
	}
	if (device->stream_count != 1 || analysis->triage->is_reference)
		return TAV_OK;
	snprintf(message, sizeof(message), "device %.*s runs all of its work on one %.*s, so that nothing is hidden",
	         (int)name.size, name.data, (int)analysis->info->track_word.size, analysis->info->track_word.data);
	return note(
	        self, "one_stream",
	        "where work does not depend on each other, such as copies and collectives, a second one would hide it",
	        message);
}

/* "device 0: busy for 58.3 % of 660.600 ms; most to win: idle time, at most 41.7 %". */
static tav_status tell_headline(const struct analysis *analysis, const struct device *device,
                                const struct ranking *ranking)
{
	struct tav_self *self = analysis->triage->self;
	const struct totals *totals = &device->totals;
	struct tav_text name = text_clip(device_name(analysis, device), 64), kernel = TEXT("idle time");
	const struct opportunity *first = ranking->count ? &ranking->items[0] : NULL;
	double window_ms = (double)totals->window / 1e6, busy = 100 * ratio(totals->busy, totals->window);
	char kernels[TAV_COUNTED_SIZE];

	if (first && first->aggregate)
		kernel = text_clip(text_at(analysis->triage, first->aggregate->name), 60);
	if (analysis->info->zero_time_count)
		return tav_headline(self, SOURCE,
		                    "device %.*s: %s; times of 0 among them, so that no share of a window holds",
		                    (int)name.size, name.data, tav_counted(kernels, totals->kernels, "kernel"));
	if (!is_idle_known(analysis) || analysis->triage->is_reference || !first)
		return tav_headline(self, SOURCE, "device %.*s: %s, busy for %.3f ms", (int)name.size, name.data,
		                    tav_counted(kernels, totals->kernels, "kernel"), (double)totals->busy / 1e6);
	return tav_headline(self, SOURCE,
	                    "device %.*s: busy for %.1f %% of %.3f ms; most to win: %.*s, at most %.1f %%",
	                    (int)name.size, name.data, busy, window_ms, (int)kernel.size, kernel.data,
	                    100 * ratio(first->gain, totals->window));
}

static tav_status send_metrics(const struct analysis *analysis)
{
	int64_t sums[SUM_COUNT] = {[SUM_DEVICES] = (int64_t)analysis->device_count};

	for (size_t d = 0; d < analysis->device_count; d++) {
		const struct totals *totals = &analysis->devices[d].totals;

		/* Of one device they fit; where one stands at 0, windows of many may not. */
		sums[SUM_BUSY] = tav_sum(sums[SUM_BUSY], totals->busy);
		sums[SUM_IDLE] = tav_sum(sums[SUM_IDLE], totals->window - totals->busy);
		sums[SUM_OVERLAP] = tav_sum(sums[SUM_OVERLAP], totals->overlap);
		sums[SUM_EXPOSED] = tav_sum(sums[SUM_EXPOSED], totals->exposed_communication);
		sums[SUM_KERNELS] += (int64_t)totals->kernels;
		if (totals->max_streams > sums[SUM_STREAMS])
			sums[SUM_STREAMS] = totals->max_streams;
	}
	for (enum sum sum = 0; sum < SUM_COUNT; sum++)
		if ((sum != SUM_IDLE || is_idle_known(analysis)) &&
		    send_sum(analysis->triage->self, SOURCE, sum, sums[sum]))
			return TAV_FAILED;
	return TAV_OK;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

tav_status report_source(struct analysis *analysis, struct analysis *mapping)
{
	struct ranking *rankings = POOL_NEW(&analysis->pool, struct ranking, analysis->device_count);

	if (!rankings)
		return no_memory(analysis->triage);
	for (size_t d = 0; d < analysis->device_count; d++)
		if (rank_device(analysis, mapping, &analysis->devices[d], &rankings[d]) ||
		    tell_headline(analysis, &analysis->devices[d], &rankings[d]) ||
		    note_device(analysis, &analysis->devices[d]))
			return TAV_FAILED;
	if (check_work(analysis) || send_metrics(analysis))
		return TAV_FAILED;
	if (!analysis->device_count)
		return TAV_OK;
	if (check_sources(analysis, mapping) || check_phases(analysis) || table_of_devices(analysis) ||
	    table_of_phases(analysis) || table_of_opportunities(analysis, rankings))
		return TAV_FAILED;
	return table_of_kernels(analysis, mapping, rankings);
}
