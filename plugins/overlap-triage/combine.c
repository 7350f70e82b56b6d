/* SPDX-License-Identifier: Apache-2.0 */
/* The run: sums of what each source gave, and the devices of all ranks side by side; no line adds up two clocks. */
#include <tav/results.h>

#include "rows.h"
#include "triage.h"

/* ---- Metrics ------------------------------------------------------------------------------------------- */

static const struct {
	const char *id;
	uint32_t unit, better, flags;
} metrics[] = {
        [SUM_BUSY] = {"busy_ns", TAV_UNIT_NS, TAV_BETTER_UNKNOWN, 0},
        [SUM_IDLE] = {"idle_ns", TAV_UNIT_NS, TAV_BETTER_LOWER, TAV_METRIC_HEADLINE},
        [SUM_OVERLAP] = {"overlap_ns", TAV_UNIT_NS, TAV_BETTER_UNKNOWN, 0},
        [SUM_EXPOSED] = {"exposed_communication_ns", TAV_UNIT_NS, TAV_BETTER_LOWER, TAV_METRIC_HEADLINE},
        [SUM_STREAMS] = {"max_concurrent_streams", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [SUM_KERNELS] = {"kernels", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
        [SUM_DEVICES] = {"devices", TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN, 0},
};

tav_status send_sum(struct tav_self *self, uint32_t source, enum sum sum, int64_t value)
{
	const struct tav_metric metric = {.struct_size = sizeof(metric),
	                                  .source = source,
	                                  .id = metrics[sum].id,
	                                  .unit = metrics[sum].unit,
	                                  .better = metrics[sum].better,
	                                  .flags = metrics[sum].flags,
	                                  .value = value};

	return self->host->metric(self, &metric);
}

struct run {
	const struct tav_results *results;
	uint32_t stage, source_count;
};

static bool read_sum(struct tav_self *self, const struct run *run, uint32_t source, enum sum sum, int64_t *value)
{
	const struct tav_metric_result *metric = run->results->find_metric(self, run->stage, source, metrics[sum].id);

	*value = metric ? metric->value : 0;
	return metric;
}

/* A sum that some source could not give is not given. */
static tav_status sum_up(struct tav_self *self, const struct run *run)
{
	for (enum sum sum = 0; sum < SUM_COUNT; sum++) {
		bool is_known = true;
		int64_t all = 0, value;

		for (uint32_t source = 0; source < run->source_count; source++) {
			if (!run->results->is_done(self, run->stage, source))
				continue;
			is_known = is_known && read_sum(self, run, source, sum, &value) && value >= 0;
			if (sum == SUM_STREAMS)
				all = is_known && value > all ? value : all;
			else if (is_known && __builtin_add_overflow(all, value, &all))
				is_known = false;
		}
		if (is_known && send_sum(self, TAV_RUN, sum, all))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- The table of ranks -------------------------------------------------------------------------------- */

/* Columns of `devices`, and whether they tell ranks apart at a glance. */
static const struct {
	const char *name;
	enum show show;
} shown[] = {
        {"kernels", DETAIL},
        {"window_ns", DETAIL},
        {"busy_pct", COLUMN},
        {"idle_ns", DETAIL},
        {"overlap_pct", DETAIL},
        {"communication_ns", COLUMN},
        {"exposed_pct", COLUMN},
        {"covered_pct", COLUMN},
        {"busy_ns", DETAIL},
        {"overlap_ns", DETAIL},
        {"exposed_communication_ns", DETAIL},
        {"compute_ns", DETAIL},
        {"kernel_time_ns", DETAIL},
        {"max_concurrent_streams", DETAIL},
};

static void copy_cell(struct rows *rows, enum show show, const char *name, const struct tav_column_result *column,
                      uint64_t row)
{
	bool is_there = column && (!column->present || (column->present[row / 64] >> row % 64 & 1));

	if (!column)
		put_number(rows, show, name, TAV_UNIT_NONE, 0, false);
	else if (column->type == TAV_TYPE_REAL)
		put_real(rows, show, name, column->unit, ((const double *)column->data)[row], is_there);
	else if (column->type == TAV_TYPE_INT)
		put_number(rows, show, name, column->unit, ((const int64_t *)column->data)[row], is_there);
	else
		put_text(rows, show, name, is_there ? ((const struct tav_text *)column->data)[row] : TEXT(""));
}

static void put_devices(struct tav_self *self, const struct run *run, uint32_t source,
                        const struct tav_table_result *table, struct rows *rows)
{
	const struct tav_source *info = self->host->source(self, source);

	for (uint64_t row = 0; row < table->row_count; row++) {
		put_text(rows, KEY, "source", info->path);
		put_number(rows, KEY, "rank", TAV_UNIT_NONE, info->rank, info->rank >= 0);
		copy_cell(rows, KEY, "device", run->results->column(self, table, "device"), row);
		for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
			copy_cell(rows, shown[i].show, shown[i].name, run->results->column(self, table, shown[i].name),
			          row);
		end_row(rows);
	}
}

static tav_status table_of_ranks(struct tav_self *self, const struct run *run)
{
	static const char title[] = "Ranks and devices side by side, each on its own clock; exposed is of the busy "
	                            "time, covered of the communication";
	struct rows rows;
	uint64_t count = 0;

	for (int is_filling = 0; is_filling < 2; is_filling++) {
		if (is_filling && count < 2)
			return TAV_OK;
		if (is_filling)
			rows_init(&rows, self, count);
		for (uint32_t source = 0; source < run->source_count; source++) {
			const struct tav_table_result *table =
			        run->results->is_done(self, run->stage, source)
			                ? run->results->find_table(self, run->stage, source, "devices")
			                : NULL;

			if (table && is_filling)
				put_devices(self, run, source, table, &rows);
			else if (table)
				count += table->row_count;
		}
	}
	return rows_send(&rows, TAV_RUN, "ranks", title, 0);
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

/* A window or phase in which no source has work is a mistake of who asked for it. */
static tav_status check_choice(struct tav_self *self, const struct run *run)
{
	struct tav_text window = self->options[OPT_WINDOW]->text, phase = self->options[OPT_PHASE]->text;
	bool is_any_done = false;
	int64_t kernels;

	for (uint32_t source = 0; source < run->source_count; source++) {
		if (!run->results->is_done(self, run->stage, source))
			continue;
		is_any_done = true;
		if (!read_sum(self, run, source, SUM_KERNELS, &kernels) || kernels)
			return TAV_OK;
	}
	if (is_any_done && window.size)
		return tav_fail(self, "no kernel of any source lies in the window %.*s", (int)window.size, window.data);
	if (is_any_done && phase.size)
		return tav_fail(self, "no kernel of any source is in the phase or step \"%.*s\"", (int)phase.size,
		                phase.data);
	return TAV_OK;
}

tav_status combine(struct tav_self *self)
{
	struct run run = {.results = self->host->extension(self, TAV_RESULTS_ID),
	                  .source_count = self->host->source_count(self)};

	if (!run.results)
		return tav_fail(self, "this host tells no results (" TAV_RESULTS_ID ")");
	run.stage = run.results->find_stage(self, "overlap-triage");
	if (run.stage == TAV_NONE || !run.source_count)
		return TAV_OK;
	if (check_choice(self, &run) || sum_up(self, &run))
		return TAV_FAILED;
	return table_of_ranks(self, &run);
}
