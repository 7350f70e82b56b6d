/* SPDX-License-Identifier: Apache-2.0 */
/* One source reduced to what a comparison needs: its devices, their units, and sums over them. */
#include <stdlib.h>
#include <string.h>

#include <tav/links.h>
#include <tav/map.h>
#include <tav/rank.h>
#include <tav/steps.h>

#include "diff.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)

struct view {
	struct tav_self *self;
	const struct settings *settings;
	const int64_t *start, *end;
	const uint32_t *label, *track;
	const uint8_t *kind;
	const struct tav_link_list *links;
	const struct tav_step_list *steps; /* NULL: none are marked, or units are stated */
	uint32_t *track_device;            /* TAV_NONE: not looked at */
	unsigned char *is_ignored;         /* by label */
	uint64_t *hashes;                  /* of names, by label; the same in every run */
};
struct work { /* one device */
	const struct view *view;
	uint32_t device;
	tav_row *rows; /* by start, then the longer one, then row */
	uint32_t count;
	uint32_t *unit; /* by place in `rows`; TAV_NONE: outside */
	uint32_t *key;  /* by place in `rows`; number of (kind, name) */
	struct tav_map names, keys;
	uint32_t unit_count;
	uint32_t *step_of_unit; /* MARKED */
	struct device_sum *out;
};

static enum kind kind_of(const struct view *view, tav_row row)
{
	return view->kind[row] == TAV_KIND_COMMUNICATION ? COMMUNICATION
	       : view->kind[row] == TAV_KIND_COPY        ? COPY
	                                                 : COMPUTE;
}

static int64_t length_of(const struct view *view, tav_row row)
{
	int64_t length;

	return __builtin_sub_overflow(view->end[row], view->start[row], &length) ? INT64_MAX : length;
}

/* ---- Summaries --------------------------------------------------------------------------------------------------- */
/*
 * The percentile of all values, of which `zeros` are 0 and the others are the first `count` here; none is below 0. They
 * are reordered, so that a smaller percentile is then to be found among the first places, of which `count` is told.
 */
static int64_t percentile(int64_t *values, uint64_t *count, uint64_t zeros, uint64_t all, unsigned percent)
{
	uint64_t place = tav_rank_place(all, percent);

	if (place < zeros)
		return 0;
	tav_select((uint64_t *)values, *count, place - zeros);
	*count = place - zeros + 1;
	return values[place - zeros];
}

static int64_t median_of(int64_t *values, uint64_t count, uint64_t all)
{
	return percentile(values, &count, all - count, all, 50);
}

struct summary summary_of(const uint32_t *units, int64_t *values, int64_t *scratch, uint64_t count, uint64_t unit_count)
{
	uint64_t zeros = unit_count - count;
	struct summary out = {.n = (int64_t)unit_count, .min = zeros || !count ? 0 : values[0]};
	uint64_t half = unit_count / 2, early = 0, late = 0;

	if (!unit_count)
		return out;
	for (uint64_t i = 0; i < count; i++) {
		out.total = tav_sum(out.total, values[i]);
		out.min = values[i] < out.min ? values[i] : out.min;
		out.max = values[i] > out.max ? values[i] : out.max;
		early += units[i] < half;
		late += units[i] >= unit_count - half;
	}
	if (half >= 2) {
		memcpy(scratch, values, count * sizeof(*values));
		out.early = median_of(scratch, early, half);
		out.late = median_of(scratch + (count - late), late, half);
	}
	out.q3 = percentile(values, &count, zeros, unit_count, 75);
	out.median = percentile(values, &count, zeros, unit_count, 50);
	out.q1 = percentile(values, &count, zeros, unit_count, 25);
	if (half < 2)
		out.early = out.late = out.median;
	return out;
}

/* ---- Rows in the order of time ----------------------------------------------------------------------------------- */
static int goes_first(const struct view *view, tav_row a, tav_row b)
{
	if (view->start[a] != view->start[b])
		return view->start[a] < view->start[b];
	if (view->end[a] != view->end[b])
		return view->end[a] > view->end[b];
	return a < b;
}

static void merge_two(const struct view *view, const tav_row *a, uint64_t a_count, const tav_row *b, uint64_t b_count,
                      tav_row *out)
{
	while (a_count && b_count) {
		if (goes_first(view, *b, *a)) {
			*out++ = *b++;
			b_count--;
		} else {
			*out++ = *a++;
			a_count--;
		}
	}
	memcpy(out, a_count ? a : b, (a_count ? a_count : b_count) * sizeof(*out));
}

/* Lists end to end in `rows`, of which list i ends at ends[i], merged two by two; returns where all of it is. */
static tav_row *merge_lists(const struct view *view, tav_row *rows, tav_row *other, uint64_t *ends, uint64_t lists)
{
	while (lists > 1) {
		uint64_t begin = 0, kept = 0;
		tav_row *swapped = rows;

		for (uint64_t i = 0; i < lists; i += 2) {
			uint64_t middle = ends[i], end = i + 1 < lists ? ends[i + 1] : middle;

			merge_two(view, rows + begin, middle - begin, rows + middle, end - middle, other + begin);
			begin = end;
			ends[kept++] = end;
		}
		lists = kept;
		rows = other;
		other = swapped;
	}
	return rows;
}

/* All device work that is looked at, by time. */
static tav_status rows_in_order(const struct view *view, tav_row **out, uint64_t *count)
{
	const struct tav_host *host = view->self->host;
	const struct tav_order *order;
	uint64_t used = 0, lists = 0;
	tav_row *rows, *other;
	uint64_t *ends;

	if (host->order(view->self, 0, TAV_TRAIT_DEVICE, &order))
		return tav_fail(view->self, "cannot order the device events");
	rows = host->alloc(view->self, (order->first[order->track_count] + 1) * sizeof(*rows));
	other = host->alloc(view->self, (order->first[order->track_count] + 1) * sizeof(*other));
	ends = host->alloc(view->self, ((size_t)order->track_count + 1) * sizeof(*ends));
	if (!rows || !other || !ends)
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++) {
		uint64_t before = used;

		if (view->track_device[track] == TAV_NONE)
			continue;
		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++)
			if (!view->is_ignored[view->label[order->rows[i]]])
				rows[used++] = order->rows[i];
		if (used > before)
			ends[lists++] = used;
	}
	*out = merge_lists(view, rows, other, ends, lists);
	*count = used;
	return TAV_OK;
}

/* ---- Units ------------------------------------------------------------------------------------------------------- */
/* The step that holds the launch of an event, or its start where it has none. */
static int32_t step_of(const struct view *view, tav_row row)
{
	const struct tav_step *steps = view->steps->steps;
	uint32_t at = view->links->index[row], low = 0, high = view->steps->count;

	if (at != TAV_NONE && (view->links->launch[at] != TAV_NONE || !view->steps->by_launch))
		return view->steps->step_of[at];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (steps[middle].start_ns <= view->start[row])
			low = middle + 1;
		else
			high = middle;
	}
	return low && view->start[row] < steps[low - 1].end_ns ? (int32_t)low - 1 : TAV_STEP_OUTSIDE;
}

static int compare_counts(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Steps with work on this device, numbered anew; those with less than half of the median are left out. */
static tav_status number_steps(struct work *work, const uint64_t *events, uint32_t step_count, uint32_t *number)
{
	const struct tav_host *host = work->view->self->host;
	uint64_t *sorted = host->alloc(work->view->self, ((size_t)step_count + 1) * sizeof(*sorted)), used = 0, median;

	if (!sorted)
		return TAV_FAILED;
	for (uint32_t i = 0; i < step_count; i++)
		if (events[i])
			sorted[used++] = events[i];
	qsort(sorted, used, sizeof(*sorted), compare_counts);
	median = used ? sorted[tav_rank_place(used, 50)] : 0;
	for (uint32_t i = 0; i < step_count; i++) {
		number[i] = TAV_NONE;
		if (!events[i])
			continue;
		if (events[i] < median - median / 2) {
			work->out->short_count++;
			continue;
		}
		work->step_of_unit[work->unit_count] = i;
		number[i] = work->unit_count++;
	}
	return TAV_OK;
}

static tav_status mark_units(struct work *work)
{
	const struct view *view = work->view;
	const struct tav_host *host = view->self->host;
	uint32_t steps = view->steps->count;
	uint64_t *events = host->alloc(view->self, ((size_t)steps + 1) * sizeof(*events));
	uint32_t *number = host->alloc(view->self, ((size_t)steps + 1) * sizeof(*number));
	tav_status status;

	work->step_of_unit = host->alloc(view->self, ((size_t)steps + 1) * sizeof(*work->step_of_unit));
	if (!events || !number || !work->step_of_unit)
		return TAV_FAILED;
	work->out->origin = MARKED;
	for (uint32_t i = 0; i < work->count; i++) {
		int32_t step = step_of(view, work->rows[i]);

		work->unit[i] = step < 0 ? TAV_NONE : (uint32_t)step;
		if (step >= 0)
			events[step]++;
	}
	status = number_steps(work, events, steps, number);
	for (uint32_t i = 0; i < work->count && !status; i++)
		if (work->unit[i] != TAV_NONE)
			work->unit[i] = number[work->unit[i]];
	return status;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static enum kind kind_of_key(const struct work *work, uint32_t key)
{
	return (enum kind)(work->keys.numbers[key] >> 32);
}

/* Repetitions: as many as the counts of all names of compute work have in common. */
static tav_status repeat_units(struct work *work)
{
	const struct tav_host *host = work->view->self->host;
	uint64_t *counts = host->alloc(work->view->self, ((size_t)work->keys.count + 1) * sizeof(*counts));
	uint64_t *seen = host->alloc(work->view->self, ((size_t)work->keys.count + 1) * sizeof(*seen));
	uint64_t units = work->view->settings->units;

	if (!counts || !seen)
		return TAV_FAILED;
	work->out->origin = units ? STATED : INFERRED;
	for (uint32_t i = 0; i < work->count; i++)
		counts[work->key[i]]++;
	for (uint32_t key = 0; !work->view->settings->units && key < work->keys.count; key++)
		if (kind_of_key(work, key) == COMPUTE)
			units = divisor(counts[key], units);
	if (units < 2 && !work->view->settings->units) {
		work->out->origin = WHOLE;
		units = 1;
	}
	for (uint32_t i = 0; i < work->count; i++) {
		uint32_t key = work->key[i];
		uint64_t each = counts[key] / units;

		work->unit[i] = counts[key] % units ? TAV_NONE : (uint32_t)(seen[key]++ / each);
	}
	work->unit_count = (uint32_t)units;
	return TAV_OK;
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */
static tav_status number_keys(struct work *work)
{
	const struct view *view = work->view;
	const struct tav_host *host = view->self->host;
	size_t labels = (size_t)host->label_count(view->self, 0) + 1;
	uint32_t *key_of = host->alloc(view->self, labels * KIND_COUNT * sizeof(*key_of)); /* + 1; 0: not known yet */

	if (!key_of)
		return TAV_FAILED;
	for (uint32_t i = 0; i < work->count; i++) {
		uint32_t label = view->label[work->rows[i]];
		enum kind kind = kind_of(view, work->rows[i]);
		uint32_t *known = &key_of[(size_t)label * KIND_COUNT + kind];

		if (!(i & 0xffff) && host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!*known) {
			uint32_t name = tav_map_text(&work->names, host->label(view->self, 0, label, NULL));
			uint32_t key =
			        name == TAV_NONE ? TAV_NONE : tav_map_number(&work->keys, (uint64_t)kind << 32 | name);

			if (key == TAV_NONE)
				return TAV_FAILED;
			*known = key + 1;
		}
		work->key[i] = *known - 1;
	}
	return TAV_OK;
}

struct total {
	int64_t ns;
	uint32_t key;
};

static int compare_totals(const void *left, const void *right)
{
	const struct total *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->key > b->key) - (a->key < b->key);
}

/* Beyond `max_rows` the smallest names become "(other)" of their kind. */
static tav_status fold_keys(struct work *work)
{
	const struct tav_host *host = work->view->self->host;
	uint64_t most = work->view->settings->max_rows - KIND_COUNT, count = work->keys.count;
	struct total *totals = host->alloc(work->view->self, (count + 1) * sizeof(*totals));
	uint32_t *becomes = host->alloc(work->view->self, (count + 1) * sizeof(*becomes));
	uint32_t other;

	if (count <= work->view->settings->max_rows)
		return TAV_OK;
	if (!totals || !becomes)
		return TAV_FAILED;
	for (uint32_t i = 0; i < count; i++)
		totals[i].key = becomes[i] = i;
	for (uint32_t i = 0; i < work->count; i++)
		totals[work->key[i]].ns = tav_sum(totals[work->key[i]].ns, length_of(work->view, work->rows[i]));
	qsort(totals, count, sizeof(*totals), compare_totals);
	other = tav_map_text(&work->names, tav_text_of("(other)"));
	if (other == TAV_NONE)
		return TAV_FAILED;
	for (uint64_t i = most; i < count; i++) {
		uint32_t key = totals[i].key;

		becomes[key] = tav_map_number(&work->keys, (uint64_t)kind_of_key(work, key) << 32 | other);
		if (becomes[key] == TAV_NONE)
			return TAV_FAILED;
	}
	for (uint32_t i = 0; i < work->count; i++)
		work->key[i] = becomes[work->key[i]];
	return TAV_OK;
}

/* ---- Calls by name ----------------------------------------------------------------------------------------------- */
struct bench {                     /* all calls by key and then by time, and room for the units of one key */
	uint64_t *first;           /* by key: where its calls begin; one more behind */
	int64_t *lengths;          /* of the calls */
	uint32_t *units;           /* that they belong to */
	uint32_t *op;              /* by key: label of the operator that may have launched most calls */
	uint64_t *op_calls;        /* how many it did */
	int64_t *sums;             /* by unit; 0 between two names */
	int64_t *counts;           /* by unit */
	int64_t *values, *scratch; /* of the units of the name at hand */
	uint32_t *touched;         /* those units */
};

static int compare_units(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static tav_status bench_init(struct work *work, struct bench *bench)
{
	const struct tav_host *host = work->view->self->host;
	struct tav_self *self = work->view->self;
	size_t keys = (size_t)work->keys.count + 2, units = (size_t)work->unit_count + 1,
	       calls = (size_t)work->count + 1;

	bench->first = host->alloc(self, keys * sizeof(*bench->first));
	bench->lengths = host->alloc(self, calls * sizeof(*bench->lengths));
	bench->units = host->alloc(self, calls * sizeof(*bench->units));
	bench->op = host->alloc(self, keys * sizeof(*bench->op));
	bench->op_calls = host->alloc(self, keys * sizeof(*bench->op_calls));
	bench->sums = host->alloc(self, units * sizeof(*bench->sums));
	bench->counts = host->alloc(self, units * sizeof(*bench->counts));
	bench->values = host->alloc(self, units * sizeof(*bench->values));
	bench->scratch = host->alloc(self, units * sizeof(*bench->scratch));
	bench->touched = host->alloc(self, units * sizeof(*bench->touched));
	if (!bench->first || !bench->lengths || !bench->units || !bench->op || !bench->op_calls || !bench->sums ||
	    !bench->counts || !bench->values || !bench->scratch || !bench->touched)
		return TAV_FAILED;
	for (uint32_t i = 0; i < work->count; i++)
		if (work->unit[i] != TAV_NONE)
			bench->first[work->key[i] + 2]++;
	for (size_t key = 2; key < keys; key++)
		bench->first[key] += bench->first[key - 1];
	for (uint32_t i = 0; i < work->count; i++) {
		if (work->unit[i] == TAV_NONE)
			continue;
		uint64_t place = bench->first[work->key[i] + 1]++;

		bench->lengths[place] = length_of(work->view, work->rows[i]);
		bench->units[place] = work->unit[i];
	}
	return TAV_OK;
}

/*
 * The operator that may have launched nine of ten calls of a key: the only one that can be more than half, by votes,
 * and then how often it is there. All keys at once, in the order of time, which is nearly that of memory.
 */
static tav_status find_ops(struct work *work, struct bench *bench)
{
	const struct view *view = work->view;
	const struct tav_host *host = view->self->host;
	uint32_t *own = host->alloc(view->self, ((size_t)work->count + 1) * sizeof(*own));
	uint64_t *votes = host->alloc(view->self, ((size_t)work->keys.count + 1) * sizeof(*votes));

	if (!own || !votes)
		return TAV_FAILED;
	for (uint32_t i = 0; i < work->count; i++) {
		uint32_t at = view->links->index[work->rows[i]], key = work->key[i];
		tav_row row = at == TAV_NONE ? TAV_NONE : view->links->operators[at];

		own[i] = row == TAV_NONE ? TAV_NONE : view->label[row];
		if (work->unit[i] == TAV_NONE)
			continue;
		if (!votes[key])
			bench->op[key] = own[i];
		votes[key] = own[i] == bench->op[key] ? votes[key] + 1 : votes[key] - 1;
	}
	for (uint32_t i = 0; i < work->count; i++)
		bench->op_calls[work->key[i]] += work->unit[i] != TAV_NONE && own[i] == bench->op[work->key[i]];
	return TAV_OK;
}

static struct tav_text op_of(const struct work *work, const struct bench *bench, uint32_t key, uint64_t count)
{
	struct tav_self *self = work->view->self;

	if (bench->op[key] == TAV_NONE || bench->op_calls[key] * 10 < count * 9)
		return (struct tav_text){"", 0};
	return self->host->label(self, 0, bench->op[key], NULL);
}

static void sum_by_unit(const struct work *work, struct bench *bench, uint32_t key, struct call_row *out)
{
	uint32_t touched = 0;
	int64_t fewest = INT64_MAX, most = 0;

	for (uint64_t i = bench->first[key]; i < bench->first[key + 1]; i++) {
		uint32_t unit = bench->units[i];

		if (!bench->counts[unit]++)
			bench->touched[touched++] = unit;
		bench->sums[unit] = tav_sum(bench->sums[unit], bench->lengths[i]);
	}
	qsort(bench->touched, touched, sizeof(*bench->touched), compare_units);
	for (uint32_t i = 0; i < touched; i++) {
		uint32_t unit = bench->touched[i];

		bench->values[i] = bench->sums[unit];
		fewest = bench->counts[unit] < fewest ? bench->counts[unit] : fewest;
		most = bench->counts[unit] > most ? bench->counts[unit] : most;
		bench->sums[unit] = bench->counts[unit] = 0;
	}
	out->count_min = touched < work->unit_count ? 0 : fewest;
	out->count_max = most;
	out->units = summary_of(bench->touched, bench->values, bench->scratch, touched, work->unit_count);
}

static void sum_calls(const struct work *work, struct bench *bench, uint32_t key, struct call_row *out)
{
	uint64_t count = bench->first[key + 1] - bench->first[key];
	int64_t *lengths = bench->lengths + bench->first[key];

	*out = (struct call_row){.kind = kind_of_key(work, key),
	                         .name = work->names.texts[(uint32_t)work->keys.numbers[key]],
	                         .op = op_of(work, bench, key, count),
	                         .count = (int64_t)count,
	                         .min = lengths[0],
	                         .max = lengths[0]};
	sum_by_unit(work, bench, key, out);
	for (uint64_t i = 0; i < count; i++) {
		out->total = tav_sum(out->total, lengths[i]);
		out->min = lengths[i] < out->min ? lengths[i] : out->min;
		out->max = lengths[i] > out->max ? lengths[i] : out->max;
	}
	uint64_t left = count;
	out->p99 = percentile(lengths, &left, 0, count, 99);
	out->q3 = percentile(lengths, &left, 0, count, 75);
	out->median = percentile(lengths, &left, 0, count, 50);
	out->q1 = percentile(lengths, &left, 0, count, 25);
}

static int compare_calls(const void *left, const void *right)
{
	const struct call_row *a = left, *b = right;

	return a->kind != b->kind ? (int)a->kind - (int)b->kind : tav_text_compare(a->name, b->name);
}

static tav_status make_calls(struct work *work)
{
	const struct tav_host *host = work->view->self->host;
	struct bench bench = {0};
	struct device_sum *out = work->out;

	if (bench_init(work, &bench) || find_ops(work, &bench))
		return TAV_FAILED;
	out->calls = host->alloc(work->view->self, ((size_t)work->keys.count + 1) * sizeof(*out->calls));
	if (!out->calls)
		return TAV_FAILED;
	for (uint32_t key = 0; key < work->keys.count; key++) {
		if (host->cancelled(work->view->self))
			return TAV_CANCELLED;
		if (bench.first[key + 1] > bench.first[key])
			sum_calls(work, &bench, key, &out->calls[out->call_count++]);
	}
	qsort(out->calls, out->call_count, sizeof(*out->calls), compare_calls);
	for (uint32_t i = 0; i < out->call_count; i++) {
		struct name name;
		uint64_t hash = (uint64_t)out->calls[i].kind + 1;

		if (name_read(work->view->self, out->calls[i].name, &name))
			return TAV_FAILED;
		for (size_t c = 0; c < name.canonical.size; c++)
			hash = tav_map_mix(hash ^ (unsigned char)name.canonical.data[c], MIX);
		out->work += tav_map_mix(hash ^ (uint64_t)out->calls[i].count, MIX); /* in any order */
	}
	return TAV_OK;
}

/* ---- The time line ----------------------------------------------------------------------------------------------- */
struct window {
	int64_t begin, end;
	int is_open;
};
struct running { /* events at one time: a heap, the first to end on top */
	int64_t end;
	enum kind kind;
};
struct line {
	const struct work *work;
	struct window *windows;
	uint32_t window_count, window; /* the one at hand */
	int64_t at;                    /* all before it has been accounted for */
	uint64_t on[KIND_COUNT];
	struct running *heap;
	uint64_t heap_count;
	int64_t *values[MEASURE_COUNT]; /* by window */
};

static void heap_push(struct line *line, struct running item)
{
	uint64_t at = line->heap_count++;

	for (; at && line->heap[(at - 1) / 2].end > item.end; at = (at - 1) / 2)
		line->heap[at] = line->heap[(at - 1) / 2];
	line->heap[at] = item;
}

static struct running heap_pop(struct line *line)
{
	struct running top = line->heap[0], last = line->heap[--line->heap_count];
	uint64_t at = 0;

	for (;;) {
		uint64_t child = 2 * at + 1;

		if (child + 1 < line->heap_count && line->heap[child + 1].end < line->heap[child].end)
			child++;
		if (child >= line->heap_count || line->heap[child].end >= last.end)
			break;
		line->heap[at] = line->heap[child];
		at = child;
	}
	line->heap[at] = last;
	return top;
}

/* Accounts for the time up to `to`, during which nothing changes. */
static void advance(struct line *line, int64_t to)
{
	uint64_t running = line->on[COMPUTE] + line->on[COMMUNICATION] + line->on[COPY];
	enum measure part = line->on[COMPUTE]         ? M_COMPUTE_COVER
	                    : line->on[COMMUNICATION] ? M_EXPOSED_COMMUNICATION
	                    : line->on[COPY]          ? M_EXPOSED_COPIES
	                                              : M_IDLE;

	while (line->at < to && line->window < line->window_count) {
		const struct window *window = &line->windows[line->window];
		int64_t until = to < window->end ? to : window->end, time;

		if (line->at >= window->end) {
			line->window++;
			continue;
		}
		if (line->at < window->begin) {
			line->at = to < window->begin ? to : window->begin;
			continue;
		}
		time = until - line->at;
		line->values[part][line->window] += time;
		line->values[M_STEP][line->window] += time;
		if (running)
			line->values[M_BUSY][line->window] += time;
		if (running > 1)
			line->values[M_OVERLAPPED][line->window] =
			        tav_sum(line->values[M_OVERLAPPED][line->window], (int64_t)(running - 1) * time);
		line->at = until;
	}
	line->at = to > line->at ? to : line->at;
}

static void end_until(struct line *line, int64_t time)
{
	while (line->heap_count && line->heap[0].end <= time) {
		struct running ended = heap_pop(line);

		advance(line, ended.end);
		line->on[ended.kind]--;
	}
}

static void sweep(struct line *line)
{
	const struct work *work = line->work;
	const struct view *view = work->view;

	for (uint32_t i = 0; i < work->count; i++) {
		tav_row row = work->rows[i];

		if (work->unit[i] == TAV_NONE || view->end[row] <= view->start[row])
			continue;
		end_until(line, view->start[row]);
		advance(line, view->start[row]);
		heap_push(line, (struct running){view->end[row], kind_of(view, row)});
		line->on[kind_of(view, row)]++;
	}
	end_until(line, INT64_MAX);
}

static void make_windows(const struct work *work, struct line *line)
{
	const struct view *view = work->view;
	struct window *windows = line->windows;

	if (work->out->origin == MARKED) {
		for (uint32_t i = 0; i < work->unit_count; i++) {
			const struct tav_device_step *step =
			        &view->steps
			                 ->devices[(size_t)work->device * view->steps->count + work->step_of_unit[i]];

			windows[i] = (struct window){step->begin_ns, step->end_ns, step->is_open != 0};
		}
		line->window_count = work->unit_count;
		return;
	}
	for (uint32_t i = 0; i < work->count; i++) {
		tav_row row = work->rows[i];

		if (work->unit[i] == TAV_NONE)
			continue;
		if (!line->window_count++)
			windows[0] = (struct window){view->start[row], view->end[row], 0};
		if (view->end[row] > windows[0].end)
			windows[0].end = view->end[row];
	}
	line->window_count = line->window_count > 0;
}

/* The last of several windows is cut off where the recording ends: it counts in the total, not in the distribution. */
static void summarise_line(struct line *line, uint32_t *units, int64_t *scratch, struct device_sum *out)
{
	uint64_t count = line->window_count, closed = count;

	for (uint32_t i = 0; i < count; i++)
		units[i] = i;
	if (count >= 2 && line->windows[count - 1].is_open)
		closed--;
	for (int i = M_BUSY; i < MEASURE_COUNT; i++) {
		uint64_t used = i == M_STEP || i == M_IDLE ? closed : count;
		int64_t total = 0;

		for (uint64_t j = 0; j < count; j++)
			total = tav_sum(total, line->values[i][j]);
		out->measures[i] = summary_of(units, line->values[i], scratch, used, used);
		out->measures[i].total = total;
	}
	/* What runs beside something else, or beyond the border of its step. */
	int64_t all = tav_sum(tav_sum(out->measures[M_COMPUTE].total, out->measures[M_COMMUNICATION].total),
	                      out->measures[M_COPIES].total);

	out->measures[M_OVERLAPPED].total =
	        count && all > out->measures[M_BUSY].total ? all - out->measures[M_BUSY].total : 0;
}

static int has_length(const struct line *line)
{
	int64_t length;

	return !__builtin_sub_overflow(line->windows[line->window_count - 1].end, line->windows[0].begin, &length);
}

static tav_status make_line(struct work *work)
{
	const struct tav_host *host = work->view->self->host;
	struct tav_self *self = work->view->self;
	size_t windows = (size_t)work->unit_count + 1;
	struct line line = {.work = work, .at = INT64_MIN};
	uint32_t *units = host->alloc(self, windows * sizeof(*units));
	int64_t *scratch = host->alloc(self, windows * sizeof(*scratch));

	line.windows = host->alloc(self, windows * sizeof(*line.windows));
	line.heap = host->alloc(self, ((size_t)work->count + 1) * sizeof(*line.heap));
	if (!units || !scratch || !line.windows || !line.heap)
		return TAV_FAILED;
	for (int i = M_BUSY; i < MEASURE_COUNT; i++) {
		line.values[i] = host->alloc(self, windows * sizeof(int64_t));
		if (!line.values[i])
			return TAV_FAILED;
	}
	make_windows(work, &line);
	if (line.window_count && !has_length(&line)) /* 292 years and more: no time line */
		line.window_count = 0;
	sweep(&line);
	summarise_line(&line, units, scratch, work->out);
	return TAV_OK;
}

/* Durations by kind, summed by unit. */
static tav_status make_sums(struct work *work)
{
	const struct tav_host *host = work->view->self->host;
	size_t units = (size_t)work->unit_count + 1;
	uint32_t *numbers = host->alloc(work->view->self, units * sizeof(*numbers));
	int64_t *scratch = host->alloc(work->view->self, units * sizeof(*scratch)), *sums[KIND_COUNT];

	for (int kind = 0; kind < KIND_COUNT; kind++) {
		sums[kind] = host->alloc(work->view->self, units * sizeof(int64_t));
		if (!sums[kind])
			return TAV_FAILED;
	}
	if (!numbers || !scratch)
		return TAV_FAILED;
	for (uint32_t i = 0; i < work->count; i++) {
		int64_t length = length_of(work->view, work->rows[i]), *sum;

		if (work->unit[i] == TAV_NONE) {
			work->out->outside_count++;
			work->out->outside_ns = tav_sum(work->out->outside_ns, length);
			continue;
		}
		sum = &sums[kind_of(work->view, work->rows[i])][work->unit[i]];
		work->out->event_count++;
		*sum = tav_sum(*sum, length);
	}
	for (uint32_t i = 0; i < work->unit_count; i++)
		numbers[i] = i;
	for (int kind = 0; kind < KIND_COUNT; kind++)
		work->out->measures[kind] =
		        summary_of(numbers, sums[kind], scratch, work->unit_count, work->unit_count);
	return TAV_OK;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */
static tav_status sum_device(const struct view *view, uint32_t device, tav_row *rows, uint32_t count,
                             struct device_sum *out)
{
	const struct tav_host *host = view->self->host;
	struct work work = {.view = view, .device = device, .rows = rows, .count = count, .out = out};
	tav_status status;

	tav_map_init(&work.names, view->self);
	tav_map_init(&work.keys, view->self);
	work.unit = host->alloc(view->self, ((size_t)count + 1) * sizeof(*work.unit));
	work.key = host->alloc(view->self, ((size_t)count + 1) * sizeof(*work.key));
	if (!work.unit || !work.key)
		return TAV_FAILED;
	status = number_keys(&work);
	if (!status)
		status = view->steps ? mark_units(&work) : repeat_units(&work);
	if (status)
		return status;
	out->unit_count = work.unit_count;
	status = make_sums(&work);
	if (!status && out->event_count)
		status = make_line(&work);
	if (!status)
		status = fold_keys(&work);
	return status ? status : make_calls(&work);
}

static int is_chosen(const struct tav_self *self, struct tav_text id)
{
	const struct tav_value *devices = self->options[OPT_DEVICES];

	for (uint64_t i = 0; i < devices->count; i++)
		if (!tav_text_compare(devices->items[i]->text, id))
			return 1;
	return !devices->count;
}

static tav_status view_devices(struct view *view, uint32_t device_count, struct tav_text *ids)
{
	const struct tav_host *host = view->self->host;
	uint32_t tracks = host->source(view->self, 0)->track_count;

	view->track_device = host->alloc(view->self, ((size_t)tracks + 1) * sizeof(*view->track_device));
	if (!view->track_device)
		return TAV_FAILED;
	for (uint32_t i = 0; i < tracks; i++) {
		const struct tav_track *track = host->track(view->self, 0, i);
		struct tav_text pid = host->value(view->self, 0, track->pid);

		view->track_device[i] = TAV_NONE;
		if (!(track->flags & TAV_TRACK_DEVICE) || track->device >= device_count || !is_chosen(view->self, pid))
			continue;
		view->track_device[i] = track->device;
		if (!ids[track->device].data)
			ids[track->device] = pid.size ? pid : tav_text_of("(no pid)");
	}
	return TAV_OK;
}

static tav_status view_labels(struct view *view)
{
	const struct tav_host *host = view->self->host;
	uint32_t labels = host->label_count(view->self, 0);

	view->is_ignored = host->alloc(view->self, (size_t)labels + 1);
	view->hashes = host->alloc(view->self, ((size_t)labels + 1) * sizeof(*view->hashes));
	if (!view->is_ignored || !view->hashes)
		return TAV_FAILED;
	for (uint32_t label = 0; label < labels; label++) {
		struct tav_text name = host->label(view->self, 0, label, NULL);
		uint64_t hash = name.size + 1;

		for (uint64_t i = 0; i < view->settings->pattern_count; i++)
			if (tav_matches(view->self, &view->settings->patterns[i], name.data))
				view->is_ignored[label] = 1;
		for (size_t i = 0; i < name.size; i++)
			hash = tav_map_mix(hash ^ (unsigned char)name.data[i], MIX);
		view->hashes[label] = hash;
	}
	return TAV_OK;
}

static tav_status view_facts(struct view *view)
{
	const struct tav_host *host = view->self->host;
	const struct tav_links *links = host->extension(view->self, TAV_LINKS_ID);
	const struct tav_steps *steps = host->extension(view->self, TAV_STEPS_ID);

	if (!links || !steps)
		return tav_fail(view->self, "this host does not offer %s", links ? TAV_STEPS_ID : TAV_LINKS_ID);
	view->start = host->column(view->self, 0, TAV_COL_START_NS);
	view->end = host->column(view->self, 0, TAV_COL_END_NS);
	view->label = host->column(view->self, 0, TAV_COL_LABEL);
	view->track = host->column(view->self, 0, TAV_COL_TRACK);
	view->kind = host->column(view->self, 0, TAV_COL_KIND);
	if (!view->start || !view->end || !view->label || !view->track || !view->kind)
		return tav_fail(view->self, "a column is missing");
	if (links->links(view->self, 0, &view->links))
		return tav_fail(view->self, "cannot tell which call launched what");
	if (!view->settings->units && steps->steps(view->self, 0, &view->steps))
		return tav_fail(view->self, "cannot tell the steps");
	if (view->steps && !view->steps->count)
		view->steps = NULL;
	return TAV_OK;
}

/* What of time and names there is: equal for the same capture, whatever else the file holds. */
static tav_status hash_content(const struct view *view, const tav_row *rows, uint64_t count, struct tav_text *out)
{
	char *text = view->self->host->alloc(view->self, 17);
	uint64_t hash = count;

	if (!text)
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		hash = tav_map_mix(hash ^ (uint64_t)view->start[rows[i]], MIX);
		hash = tav_map_mix(hash ^ (uint64_t)view->end[rows[i]], MIX + 2);
		hash = tav_map_mix(hash ^ view->hashes[view->label[rows[i]]], MIX + 4);
	}
	snprintf(text, 17, "%016llx", (unsigned long long)hash);
	*out = (struct tav_text){text, 16};
	return TAV_OK;
}

static int64_t resolution_of(const struct view *view, const tav_row *rows, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (view->start[rows[i]] % 1000 || view->end[rows[i]] % 1000)
			return 1;
	return count ? 1000 : 1;
}

static tav_status sum_devices(const struct view *view, const tav_row *rows, uint64_t count, const struct tav_text *ids,
                              struct source_sum *out)
{
	const struct tav_host *host = view->self->host;
	uint32_t devices = host->source(view->self, 0)->device_count;
	uint64_t *first = host->alloc(view->self, ((size_t)devices + 2) * sizeof(*first));
	tav_row *own = host->alloc(view->self, (count + 1) * sizeof(*own));
	tav_status status = TAV_OK;

	out->devices = host->alloc(view->self, ((size_t)devices + 1) * sizeof(*out->devices));
	if (!first || !own || !out->devices)
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++)
		first[view->track_device[view->track[rows[i]]] + 2]++;
	for (uint32_t i = 2; i < devices + 2; i++)
		first[i] += first[i - 1];
	for (uint64_t i = 0; i < count; i++)
		own[first[view->track_device[view->track[rows[i]]] + 1]++] = rows[i];
	for (uint32_t i = 0; i < devices && !status; i++) {
		struct device_sum *device = &out->devices[out->device_count];

		if (first[i + 1] == first[i])
			continue;
		device->id = ids[i];
		device->model = about_model(view->self, ids[i]);
		status = sum_device(view, i, own + first[i], (uint32_t)(first[i + 1] - first[i]), device);
		out->device_count++;
	}
	return status;
}

tav_status sum_source(struct tav_self *self, struct source_sum *out)
{
	const struct tav_source *about = self->host->source(self, 0);
	struct view view = {.self = self, .settings = settings_of(self)};
	struct tav_text *ids = self->host->alloc(self, ((size_t)about->device_count + 1) * sizeof(*ids));
	uint64_t count = 0;
	tav_row *rows = NULL;
	tav_status status = ids ? view_facts(&view) : TAV_FAILED;

	if (!status)
		status = view_devices(&view, about->device_count, ids);
	if (!status)
		status = view_labels(&view);
	if (!status)
		status = rows_in_order(&view, &rows, &count);
	if (!status)
		status = about_source(self, out);
	if (!status)
		status = hash_content(&view, rows, count, &out->about[A_CONTENT]);
	if (status)
		return status;
	out->resolution_ns = resolution_of(&view, rows, count);
	out->at_zero = (int64_t)about->zero_time_count;
	out->lost = (int64_t)about->unusable_device_count;
	for (tav_row row = 0; view.settings->pattern_count && row < about->row_count; row++)
		out->ignored += view.kind[row] && view.is_ignored[view.label[row]];
	return sum_devices(&view, rows, count, ids, out);
}
