/* SPDX-License-Identifier: Apache-2.0 */
/*
 * busy - how long each device track was in use. Shows one whole stage: options, columns, order, table, metric, check of
 * one trace in each(), and what it comes to over all traces in combine().
 */
#include <inttypes.h>

#include <tav/kit.h>
#include <tav/results.h>

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

/* One trace: source 0. The events are there, other traces are not; they may be looked at now by other threads. */
static tav_status each(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	const int64_t *start = host->column(self, 0, TAV_COL_START_NS);
	const int64_t *end = host->column(self, 0, TAV_COL_END_NS);
	uint32_t traits = trait_bits[self->options[OPT_TRAITS]->integer];
	int64_t ignore = self->options[OPT_IGNORE_BELOW]->integer;
	const struct tav_order *order;
	int64_t total = 0;
	uint64_t used = 0, looked_at = 0;

	if (host->order(self, 0, traits | TAV_TRAIT_DEVICE, &order))
		return tav_fail(self, "cannot order the events");

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
		names[used] = host->track(self, 0, track)->name;
		busy[used] = busy_time(rows, count, start, end, ignore);
		total += busy[used++];
		looked_at += count;
	}

	const struct tav_series columns[] = {
	        {"track", TAV_TYPE_STRING, TAV_UNIT_NONE, names, NULL},
	        {"busy_ns", TAV_TYPE_INT, TAV_UNIT_NS, busy, NULL},
	};
	const struct tav_table table = {
	        .struct_size = sizeof(table),
	        .source = 0,
	        .id = "busy_time",
	        .title = "Busy time of each track",
	        .row_count = used,
	        .columns = TAV_LIST(columns),
	};

	if (host->table(self, &table) || tav_measure(self, 0, "busy_ns", total, TAV_UNIT_NS, TAV_BETTER_UNKNOWN))
		return TAV_FAILED;
	if (!looked_at) /* nothing to look at is no pass */
		return tav_tell(self, 0, "busy", TAV_RESULT_SKIP, 0, 0, "no device event with these traits");
	return tav_tell(self, 0, "busy", TAV_RESULT_PASS, 0, looked_at, "%" PRIu64 " events looked at", looked_at);
}

/* All traces: no event is there any more, only what each() told of them. */
static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	int64_t total = 0;

	if (!results)
		return tav_fail(self, "this host does not offer %s", TAV_RESULTS_ID);
	for (uint32_t source = 0; source < self->host->source_count(self); source++)
		total = tav_sum(total,
		                tav_metric_or(self, results, results->find_stage(self, "busy"), source, "busy_ns", 0));
	return tav_measure(self, TAV_RUN, "busy_ns", total, TAV_UNIT_NS, TAV_BETTER_UNKNOWN);
}

/* What `tav-run --explain busy` says. */
static const struct tav_page pages[] = {
        {"busy", TAV_TELLS_CHECK, 0, "Was any device work there?",
         "It is skipped where no device event has the traits that the option `traits` asks for."},
        {"busy_time", TAV_TELLS_TABLE, 0, "How long was each track in use?", NULL},
};

static const struct tav_stage busy = {
        .struct_size = sizeof(busy),
        .name = "busy",
        .summary = "Busy time of each device track",
        .help = "The time that a track is in use: the union of its events, short gaps filled as `ignore_below` says.",
        .options = TAV_LIST(options),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
static const struct tav_stage *const stages[] = {&busy, NULL};

const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "busy", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
