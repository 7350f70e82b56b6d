/* SPDX-License-Identifier: Apache-2.0 */
/* rebase: all times start near 0, so that viewers, which keep them as doubles, can hold their nanoseconds. */
#include <inttypes.h>
#include <string.h>

#include <tav/results.h>

#include "edit.h"

/* Whole microseconds below a time, also of a negative one. */
static int64_t floor_us(int64_t ns)
{
	return ns >= 0 ? ns / 1000 : -((-(ns + 1)) / 1000) - 1;
}

static tav_status each(struct tav_self *self)
{
	struct looked looked;
	int64_t first = INT64_MAX;
	uint64_t count = 0, early = 0;

	if (look_at_source(self, &looked))
		return TAV_FAILED;
	for (tav_row row = 0; row < looked.rows; row++) {
		if (looked.phase[row] == 'M' || !has_time(&looked, row))
			continue;
		count++;
		early += looked.start[row] <= 0;
		if (looked.start[row] < first)
			first = looked.start[row];
	}
	if (!count)
		return tav_tell(self, 0, "rebase", TAV_RESULT_SKIP, 0, 0, "no event has a time");
	if (early) {
		char events[TAV_COUNTED_SIZE];

		return tav_tell(self, 0, "rebase", TAV_RESULT_WARN, early, count,
		                "%s at 0 or before: moving the rest would make them negative, which viewers drop; "
		                "nothing is moved",
		                tav_counted(events, early, "event"));
	}
	if (tav_measure(self, 0, "first_us", floor_us(first), TAV_UNIT_NONE, 0))
		return TAV_FAILED;
	return tav_tell(self, 0, "rebase", TAV_RESULT_PASS, 0, count, "%" PRIu64 " times, the first at %" PRId64 " us",
	                count, floor_us(first));
}

/* baseTimeNanoseconds grows by what the times lose, so that the moment stays the same. */
static tav_status move_base(struct tav_self *self, const struct tav_edits *edits, uint32_t source, int64_t base_ns)
{
	struct words words = {.self = self};

	words_print(&words, "%" PRId64, base_ns);
	struct tav_text text = words_text(&words);
	return text.data ? edits->top(self, source, "baseTimeNanoseconds", text) : TAV_FAILED;
}

/* One number for all sources, so that they still share their timeline. */
static tav_status combine(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	const struct tav_results *results = host->extension(self, TAV_RESULTS_ID);
	const struct tav_edits *edits = host->extension(self, TAV_EDITS_ID);
	uint32_t stage = results->find_stage(self, "rebase"), count = host->source_count(self), moved = 0;
	int64_t first = INT64_MAX;

	for (uint32_t i = 0; i < count; i++) {
		const struct tav_metric_result *metric = results->find_metric(self, stage, i, "first_us");
		const struct tav_check_result *check = results->find_check(self, stage, i, "rebase");

		if (check && check->result == TAV_RESULT_WARN)
			return tav_measure(self, TAV_RUN, "shift_us", 0, TAV_UNIT_NONE, 0);
		if (metric && metric->value < first)
			first = metric->value;
	}
	if (first == INT64_MAX || first > INT64_MAX / 1000)
		return TAV_OK;
	for (uint32_t i = 0; i < count && first; i++) {
		const struct tav_metric_result *metric = results->find_metric(self, stage, i, "first_us");
		const struct tav_metric_result *base = results->find_metric(self, stage, i, "base_ns");
		int64_t base_ns;

		if (!metric)
			continue;
		moved++;
		if (edits->shift(self, i, -first * 1000))
			return TAV_FAILED;
		if (base && !__builtin_add_overflow(base->value, first * 1000, &base_ns) &&
		    move_base(self, edits, i, base_ns))
			return TAV_FAILED;
	}
	if (tav_measure(self, TAV_RUN, "shift_us", first, TAV_UNIT_NONE, 0))
		return TAV_FAILED;
	return tav_headline(self, TAV_RUN, "rebase: all times of %" PRIu32 " trace%s less %" PRId64 " us", moved,
	                    moved == 1 ? "" : "s", first);
}

static tav_status look(struct tav_self *self)
{
	return tell_base_time(self) ? TAV_FAILED : each(self);
}

static const struct tav_page pages[] = {
        {"rebase", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Can all times be moved so that the first is near 0?",
         "One whole number of microseconds, the smallest time of all sources rounded down, is taken from every time "
         "but "
         "those of metadata, exactly, as decimals; baseTimeNanoseconds grows by as much.\n\nViewers keep times as "
         "doubles "
         "of microseconds: an epoch leaves them a quarter of a microsecond, and neighbours seem to overlap.\n\nA trace "
         "with events at 0 or before is left as it is, since viewers drop negative times."},
};

const struct tav_stage rebase = {
        .struct_size = sizeof(rebase),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS | TAV_STAGE_EDITS_IN_COMBINE,
        .name = "rebase",
        .summary = "Moves all times so that the trace starts near 0, for the trace report",
        .help = "Exact: the same number of microseconds is taken from each time as it stands in the file.",
        .pages = TAV_LIST(pages),
        .each = look,
        .combine = combine,
};
