/* SPDX-License-Identifier: Apache-2.0 */
/* busy - how long each device track was in use. Shows one whole stage: options, columns, order, table, metric, check.
 */
#include <inttypes.h>

#include <tav/plugin.h>

enum { OPT_TRAITS, OPT_IGNORE_BELOW };
static const char *const trait_names[] = {"device", "kernel", "memcpy", NULL};
static const uint32_t trait_bits[] = {TAV_TRAIT_DEVICE, TAV_TRAIT_KERNEL, TAV_TRAIT_MEMCPY};

static const struct tav_option options[] = {
        [OPT_TRAITS] = {"traits", TAV_TYPE_CHOICE, 0, "device", NULL, NULL, trait_names, "Which events count."},
        [OPT_IGNORE_BELOW] = {"ignore_below", TAV_TYPE_DURATION, 0, "0ns", "0ns", NULL, NULL, "Shorter gaps are busy."},
};

/* One track: its rows are sorted by start, so one pass with the latest end seen so far is enough. */
static int64_t busy_time(const tav_row *rows, uint64_t count, const int64_t *start, const int64_t *end, int64_t ignore)
{
	int64_t busy = 0, until = 0;

	for (uint64_t i = 0; i < count; i++) {
		tav_row row = rows[i];

		if (i == 0)
			until = start[row];
		else if (start[row] > until) {
			if (start[row] - until < ignore)
				busy += start[row] - until;
			until = start[row];
		}
		if (end[row] > until) {
			busy += end[row] - until;
			until = end[row];
		}
	}
	return busy;
}

static tav_status run_source(struct tav_self *self, uint32_t source, uint64_t *looked_at)
{
	const struct tav_host *host = self->host;
	const int64_t *start = host->column(self, source, TAV_COL_START_NS);
	const int64_t *end = host->column(self, source, TAV_COL_END_NS);
	uint32_t traits = trait_bits[self->options[OPT_TRAITS]->integer];
	int64_t ignore = self->options[OPT_IGNORE_BELOW]->integer;
	const struct tav_order *order;
	int64_t total = 0;
	uint64_t used = 0;

	if (host->order(self, source, traits | TAV_TRAIT_DEVICE, &order))
		return tav_fail(self, "cannot order the events of source %" PRIu32, source);

	struct tav_text *names = host->alloc(self, order->track_count * sizeof(*names));
	int64_t *busy = host->alloc(self, order->track_count * sizeof(*busy));

	if (!names || !busy)
		return TAV_FAILED; /* alloc() has set the cause */
	for (uint32_t track = 0; track < order->track_count; track++) {
		const tav_row *rows = order->rows + order->first[track];
		uint64_t count = order->first[track + 1] - order->first[track];

		if (host->cancelled(self))
			return TAV_CANCELLED;
		if (!count)
			continue;
		names[used] = host->track(self, source, track)->name;
		busy[used] = busy_time(rows, count, start, end, ignore);
		total += busy[used++];
		*looked_at += count;
	}

	const struct tav_series columns[] = {
	        {"track", TAV_TYPE_STRING, TAV_UNIT_NONE, names, NULL},
	        {"busy_ns", TAV_TYPE_INT, TAV_UNIT_NS, busy, NULL},
	};
	const struct tav_table table = {
	        .struct_size = sizeof(table),
	        .source = source,
	        .id = "busy_time",
	        .title = "Busy time of each track",
	        .row_count = used,
	        .columns = TAV_LIST(columns),
	};

	if (host->table(self, &table))
		return TAV_FAILED;
	return host->metric(self, source, "busy_ns", total, TAV_UNIT_NS);
}

static tav_status run(struct tav_self *self)
{
	uint64_t looked_at = 0;

	for (uint32_t source = 0; source < self->host->source_count(self); source++) {
		tav_status status = run_source(self, source, &looked_at);

		if (status)
			return status;
	}
	if (!looked_at)
		return tav_check(self, TAV_RUN, "busy", TAV_RESULT_SKIP, "no device event with these traits");
	return tav_check(self, TAV_RUN, "busy", TAV_RESULT_PASS, "%" PRIu64 " events looked at", looked_at);
}

static const struct tav_stage busy = {
        .struct_size = sizeof(busy),
        .name = "busy",
        .summary = "Busy time of each device track",
        .help = "The time that a track is in use: the union of its events, short gaps filled as `ignore_below` says.",
        .options = TAV_LIST(options),
        .run = run,
};
static const struct tav_stage *const stages[] = {&busy, NULL};

const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "busy", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
