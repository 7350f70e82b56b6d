/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Over the ranks, from the rows of `steps` alone: which rank takes longest for a step, and in what. A rank that waits
 * for another one in exposed communication is not the slow one, so its *own time* is the rest. Durations are compared,
 * never clocks.
 */
#include <tav/results.h>

#include "wall.h"

enum { PART_COMPUTE, PART_COPIES, PART_LATE, PART_IN_TIME, PART_COUNT };
static const char *const part_names[PART_COUNT] = {"compute", "exposed copies", "work launched too late",
                                                   "idle though launched in time"};
struct rank_step {
	struct tav_text step;
	int64_t rank, own, parts[PART_COUNT];
};
struct ranks {
	struct tav_self *self;
	const struct tav_results *results;
	uint32_t stage;
	struct rank_step *rows;
	uint64_t count, rank_count;
	const char *why_not; /* what makes ranks impossible to compare */
};

static const int64_t *numbers_of(struct ranks *ranks, const struct tav_table_result *table, const char *name)
{
	const struct tav_column_result *column = ranks->results->column(ranks->self, table, name);

	return column && column->type == TAV_TYPE_INT ? column->data : NULL;
}

/* The steps of one source that have a time on its device. */
static tav_status read_source(struct ranks *ranks, uint32_t source, bool is_counted)
{
	const struct tav_table_result *table = ranks->results->find_table(ranks->self, ranks->stage, source, "steps");
	const struct tav_source *about = ranks->self->host->source(ranks->self, source);
	const struct tav_column_result *step, *device, *time;
	const int64_t *own, *exposed, *compute, *copies, *late, *idle;

	if (!table || !about || about->rank < 0)
		return TAV_OK;
	step = ranks->results->column(ranks->self, table, "step");
	device = ranks->results->column(ranks->self, table, "device");
	time = ranks->results->column(ranks->self, table, "device_ns");
	own = numbers_of(ranks, table, "device_ns");
	exposed = numbers_of(ranks, table, "exposed_communication_ns");
	compute = numbers_of(ranks, table, "compute_ns");
	copies = numbers_of(ranks, table, "exposed_copies_ns");
	late = numbers_of(ranks, table, "host_late_ns");
	idle = numbers_of(ranks, table, "idle_ns");
	if (!step || step->type != TAV_TYPE_STRING || !device || device->type != TAV_TYPE_STRING || !own || !exposed ||
	    !compute || !copies || !late || !idle)
		return tav_fail(ranks->self, "the table steps of source %u lacks a column", source);
	for (uint64_t i = 0; i < table->row_count; i++) {
		const struct tav_text *texts = step->data, *devices = device->data;

		if (i && tav_text_compare(devices[i], devices[0])) {
			ranks->why_not = "a source has steps on several devices";
			return TAV_OK;
		}
		if ((texts[i].size && texts[i].data[0] == '(') || (time->present && !bit_is_set(time->present, i)))
			continue;
		if (!is_counted)
			ranks->rows[ranks->count] =
			        (struct rank_step){texts[i],
			                           about->rank,
			                           own[i] - exposed[i],
			                           {compute[i], copies[i], late[i], idle[i] - late[i]}};
		ranks->count++;
	}
	return TAV_OK;
}

static int by_step(const void *context, uint32_t a, uint32_t b)
{
	const struct rank_step *x = (const struct rank_step *)context + a, *y = (const struct rank_step *)context + b;
	int order = tav_text_compare(x->step, y->step);

	if (order)
		return order;
	if (x->own != y->own)
		return x->own < y->own ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_number(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *ranks = context;

	return (ranks[a] > ranks[b]) - (ranks[a] < ranks[b]);
}

/* Every source must say its rank, and none twice. */
static tav_status look_at_ranks(struct ranks *ranks, uint32_t sources)
{
	int64_t *numbers = take(ranks->self, (uint64_t)sources + 1, sizeof(*numbers));
	uint32_t *sorted = take(ranks->self, (uint64_t)sources + 1, sizeof(*sorted)), used = 0;

	if (!numbers || !sorted)
		return TAV_FAILED;
	for (uint32_t i = 0; i < sources; i++) {
		const struct tav_source *about = ranks->self->host->source(ranks->self, i);

		if (!about || !ranks->results->is_done(ranks->self, ranks->stage, i))
			continue;
		if (about->rank < 0)
			ranks->why_not = "a source does not say which rank it is (distributedInfo.rank)";
		numbers[used] = about->rank;
		sorted[used] = used;
		used++;
	}
	ranks->rank_count = used;
	if (sort_places(ranks->self, sorted, used, by_number, numbers))
		return TAV_FAILED;
	for (uint32_t i = 1; i < used && !ranks->why_not; i++)
		if (numbers[sorted[i]] == numbers[sorted[i - 1]])
			ranks->why_not = "two sources say that they are the same rank";
	return TAV_OK;
}

/* Of the rank that takes longest: the part in which it exceeds the median of that part most. */
static unsigned worst_part(struct ranks *ranks, const uint32_t *sorted, uint64_t count, int64_t *numbers,
                           int64_t *excess)
{
	const struct rank_step *slowest = &ranks->rows[sorted[count - 1]];
	unsigned worst = 0;

	*excess = INT64_MIN;
	for (unsigned part = 0; part < PART_COUNT; part++) {
		for (uint64_t i = 0; i < count; i++)
			numbers[i] = ranks->rows[sorted[i]].parts[part];
		sort_numbers(numbers, numbers + count, count);
		if (slowest->parts[part] - percentile(numbers, count, 50) > *excess) {
			*excess = slowest->parts[part] - percentile(numbers, count, 50);
			worst = part;
		}
	}
	return worst;
}

static uint64_t same_step(const struct ranks *ranks, const uint32_t *sorted, uint64_t from)
{
	uint64_t to = from + 1;

	while (to < ranks->count && !tav_text_compare(ranks->rows[sorted[to]].step, ranks->rows[sorted[from]].step))
		to++;
	return to;
}

static tav_status table_of_ranks(struct ranks *ranks, const uint32_t *sorted, uint64_t rows)
{
	struct tav_self *self = ranks->self;
	int64_t *numbers = take(self, 2 * ranks->rank_count + 2, sizeof(*numbers)), excess, most = -1;
	uint64_t row = 0;
	struct tav_sheet sheet;
	char text[1000] = "";
	struct tav_sentence phrase = {text, sizeof(text), 0};
	char a[TAV_DURATION_SIZE], b[TAV_DURATION_SIZE], c[TAV_DURATION_SIZE], name[NAME_SIZE];
	char steps[TAV_COUNTED_SIZE], counted[TAV_COUNTED_SIZE];

	if (!numbers)
		return TAV_FAILED;
	tav_sheet_init(&sheet, self, rows);

	uint32_t step = tav_sheet_column(&sheet, "step", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t min = tav_sheet_column(&sheet, "own_min_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t median = tav_sheet_column(&sheet, "own_median_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t max = tav_sheet_column(&sheet, "own_max_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);
	uint32_t rank = tav_sheet_column(&sheet, "slowest_rank", TAV_TYPE_INT, TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t part = tav_sheet_column(&sheet, "in", TAV_TYPE_STRING, 0, 0);
	uint32_t more = tav_sheet_column(&sheet, "in_more_ns", TAV_TYPE_INT, TAV_UNIT_NS, 0);

	for (uint64_t from = 0, to; from < ranks->count; from = to) {
		const struct rank_step *slowest, *middle;
		unsigned worst;

		to = same_step(ranks, sorted, from);
		if (to - from != ranks->rank_count)
			continue;
		slowest = &ranks->rows[sorted[to - 1]];
		middle = &ranks->rows[sorted[from + (to - from + 1) / 2 - 1]];
		worst = worst_part(ranks, sorted + from, to - from, numbers, &excess);
		tav_sheet_text(&sheet, step, row, slowest->step);
		tav_sheet_int(&sheet, min, row, ranks->rows[sorted[from]].own);
		tav_sheet_int(&sheet, median, row, middle->own);
		tav_sheet_int(&sheet, max, row, slowest->own);
		tav_sheet_int(&sheet, rank, row, slowest->rank);
		tav_sheet_chars(&sheet, part, row, part_names[worst]);
		tav_sheet_int(&sheet, more, row++, excess);
		if (slowest->own - middle->own <= most)
			continue;
		most = slowest->own - middle->own;
		phrase.used = 0;
		tav_say(&phrase,
		        "rank %lld takes longest: %s of its own in %s, the median rank %s; most of the difference is "
		        "%s "
		        "(%s more)",
		        (long long)slowest->rank, tav_duration(a, slowest->own), name_phrase(name, slowest->step),
		        tav_duration(b, middle->own), part_names[worst], tav_duration(c, excess));
	}
	sheet.first_rows = 10;
	if (tav_sheet_send(&sheet, TAV_RUN, "step_ranks",
	                   "Steps over the ranks (own: time on the device without exposed communication)", 0) ||
	    self->host->headline(self, TAV_RUN, text))
		return TAV_FAILED;
	return tav_tell(self, TAV_RUN, "step_ranks", TAV_RESULT_PASS, 0, rows, "%s compared over %s",
	                tav_counted(steps, rows, "step"), tav_counted(counted, ranks->rank_count, "rank"));
}

static tav_status compare(struct ranks *ranks, uint32_t sources)
{
	uint32_t *sorted;
	uint64_t rows = 0;
	char text[TAV_COUNTED_SIZE];

	for (int is_counted = 1; is_counted >= 0; is_counted--) {
		ranks->count = 0;
		for (uint32_t i = 0; i < sources; i++)
			if (read_source(ranks, i, is_counted))
				return TAV_FAILED;
		if (is_counted && !(ranks->rows = take(ranks->self, ranks->count + 1, sizeof(*ranks->rows))))
			return TAV_FAILED;
	}
	if (!ranks->count && !ranks->why_not)
		return TAV_OK; /* no steps: each source has said so */
	sorted = take(ranks->self, ranks->count + 1, sizeof(*sorted));
	if (!sorted || ranks->count > UINT32_MAX)
		return TAV_FAILED;
	for (uint64_t i = 0; i < ranks->count; i++)
		sorted[i] = (uint32_t)i;
	if (!ranks->why_not && sort_places(ranks->self, sorted, ranks->count, by_step, ranks->rows))
		return TAV_FAILED;
	for (uint64_t from = 0, to; from < ranks->count && !ranks->why_not; from = to) {
		to = same_step(ranks, sorted, from);
		rows += to - from == ranks->rank_count;
	}
	if (ranks->why_not)
		return tav_tell(ranks->self, TAV_RUN, "step_ranks", TAV_RESULT_SKIP, 0, 0, "cannot tell: %s",
		                ranks->why_not);
	if (!rows)
		return tav_tell(ranks->self, TAV_RUN, "step_ranks", TAV_RESULT_SKIP, 0, 0,
		                "cannot tell: no step is there in all of %s",
		                tav_counted(text, ranks->rank_count, "rank"));
	return table_of_ranks(ranks, sorted, rows);
}

/* Sums of nanoseconds alone: shares are formed for one device, never over several. */
static tav_status sum_metrics(struct ranks *ranks, uint32_t sources)
{
	static const struct {
		const char *id;
		uint32_t better;
	} sums[] = {{"window_ns", TAV_BETTER_LOWER},         {"busy_ns", TAV_BETTER_UNKNOWN},
	            {"compute_ns", TAV_BETTER_UNKNOWN},      {"exposed_communication_ns", TAV_BETTER_LOWER},
	            {"exposed_copies_ns", TAV_BETTER_LOWER}, {"idle_ns", TAV_BETTER_LOWER},
	            {"host_late_ns", TAV_BETTER_LOWER}};

	for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		int64_t sum = 0;
		bool is_there = false;

		for (uint32_t source = 0; source < sources; source++) {
			const struct tav_metric_result *metric =
			        ranks->results->find_metric(ranks->self, ranks->stage, source, sums[i].id);

			if (!metric || metric->type == TAV_TYPE_REAL)
				continue;
			is_there = true;
			if (__builtin_add_overflow(sum, metric->value, &sum))
				sum = INT64_MAX;
		}
		if (is_there && tav_measure(ranks->self, TAV_RUN, sums[i].id, sum, TAV_UNIT_NS, sums[i].better))
			return TAV_FAILED;
	}
	return TAV_OK;
}

tav_status wall_combine(struct tav_self *self)
{
	struct ranks ranks = {.self = self, .results = self->host->extension(self, TAV_RESULTS_ID)};
	uint32_t sources = self->host->source_count(self);

	if (!ranks.results)
		return tav_fail(self, "this host does not show results");
	ranks.stage = ranks.results->find_stage(self, "wall-time");
	if (ranks.stage == TAV_NONE)
		return tav_fail(self, "cannot find the results of this stage");
	if (sum_metrics(&ranks, sources))
		return TAV_FAILED;
	if (sources < 2)
		return TAV_OK;
	return look_at_ranks(&ranks, sources) || compare(&ranks, sources) ? TAV_FAILED : TAV_OK;
}
