/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate against its baseline: may they be compared, what is judged, and what the change is made of. */
#include <stdlib.h>
#include <string.h>

#include <tav/rank.h>

#include "diff.h"

enum { LEAST_LIMIT = 2500 }; /* of a percent */

void sentence_add(struct sentences *sentences, const char *format, ...)
{
	va_list args;

	if (sentences->count == REASONS)
		return;
	va_start(args, format);
	vsnprintf(sentences->items[sentences->count++], REASON_TEXT, format, args);
	va_end(args);
}

/* ---- May they be compared? --------------------------------------------------------------------------------------- */
#define TEXT_OF(text) (int)((text).size < 60 ? (text).size : 60), (text).data

/* Where both sides say it, and differ. */
static int differs(const struct comparison *out, int what)
{
	struct tav_text a = out->base->about[what], b = out->cand->about[what];

	return a.size && b.size && tav_text_compare(a, b);
}

static void say_differs(const struct comparison *out, struct sentences *where, int what, const char *label)
{
	struct tav_text a = out->base->about[what], b = out->cand->about[what];

	sentence_add(where, "%s differs: %.*s, %.*s", label, TEXT_OF(a), TEXT_OF(b));
}

/* What was thought of each side when it was looked at. */
static void compare_verdicts(struct tav_self *self, struct comparison *out)
{
	const struct source_sum *const sides[] = {out->base, out->cand};
	static const char *const names[] = {"baseline", "candidate"};

	for (int i = 0; i < 2; i++) {
		uint32_t verdict = self->host->source(self, sides[i]->source)->verdict;

		if (verdict == TAV_VERDICT_ERROR)
			sentence_add(&out->reasons, "the %s could not be looked at in full", names[i]);
		else if (verdict == TAV_VERDICT_FAIL)
			sentence_add(&out->notes, "the %s itself has findings that fail", names[i]);
	}
}

/* A switch of the profiler that is not told is off. */
static int is_on(struct tav_text text)
{
	return text.size && !tav_text_is(text, "0") && !tav_text_is(text, "false");
}

/* Returns whether host time and idle time can be compared. */
static int compare_switches(struct comparison *out)
{
	static const int switches[] = {A_RECORD_SHAPES, A_WITH_STACK, A_PROFILE_MEMORY};
	int is_same = 1;

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (is_on(out->base->about[switches[i]]) == is_on(out->cand->about[switches[i]]))
			continue;
		sentence_add(&out->notes, "%s differs: host time and idle are not comparable",
		             about_names[switches[i]]);
		is_same = 0;
	}
	return is_same;
}

static const char *software_of(const struct source_sum *sum)
{
	return sum->about[A_HIP_RUNTIME].size ? "HIP" : sum->about[A_CUDA_RUNTIME].size ? "CUDA" : NULL;
}

static int is_same_capture(const struct comparison *out)
{
	return out->base->about[A_CONTENT].size &&
	       !tav_text_compare(out->base->about[A_CONTENT], out->cand->about[A_CONTENT]);
}

static void compare_about(const struct settings *settings, struct comparison *out)
{
	static const struct {
		int what;
		const char *label;
	} versions[] = {{A_CUDA_RUNTIME, "CUDA runtime"},
	                {A_HIP_RUNTIME, "HIP runtime"},
	                {A_CUDA_DRIVER, "CUDA driver"},
	                {A_HIP_DRIVER, "HIP driver"}};
	const struct source_sum *base = out->base, *cand = out->cand;
	const char *a = software_of(base), *b = software_of(cand);

	if (!base->device_count || !cand->device_count)
		sentence_add(&out->reasons, "no device work in the %s", base->device_count ? "candidate" : "baseline");
	if (differs(out, A_DIALECT) && base->device_count && cand->device_count)
		say_differs(out, &out->reasons, A_DIALECT, "dialect");
	if (tav_text_compare(base->about[A_IGNORE_NAMES], cand->about[A_IGNORE_NAMES]))
		sentence_add(&out->reasons, "the tables were made with other ignore_names: '%.*s', '%.*s'",
		             TEXT_OF(base->about[A_IGNORE_NAMES]), TEXT_OF(cand->about[A_IGNORE_NAMES]));
	if (differs(out, A_RANK))
		say_differs(out, settings->ignored[IGNORE_RANK] ? &out->notes : &out->reasons, A_RANK, "rank");
	if (differs(out, A_WORLD_SIZE))
		say_differs(out, settings->ignored[IGNORE_WORLD_SIZE] ? &out->notes : &out->reasons, A_WORLD_SIZE,
		            "world size");
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		if (differs(out, versions[i].what))
			say_differs(out, &out->notes, versions[i].what, versions[i].label);
	if (base->lost)
		sentence_add(&out->reasons, "the baseline lost %s", COUNTED((uint64_t)base->lost, "device event"));
	if (cand->lost)
		sentence_add(&out->reasons, "the candidate lost %s", COUNTED((uint64_t)cand->lost, "device event"));
	if (base->at_zero || cand->at_zero)
		sentence_add(&out->notes, "device events at time 0 (%lld, %lld): the time line is shown and not judged",
		             (long long)base->at_zero, (long long)cand->at_zero);
	if (a && b && strcmp(a, b))
		sentence_add(settings->ignored[IGNORE_DEVICE] ? &out->notes : &out->reasons,
		             "software stack differs: %s, %s", a, b);
	if (is_same_capture(out))
		sentence_add(&out->notes, "the same capture twice: nothing was rerun");
}

static int64_t time_of(const struct device_sum *device)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < device->call_count; i++)
		total = tav_sum(total, device->calls[i].total);
	return total;
}

/* Devices without a partner must not hold much of the time. */
static void check_lone(struct comparison *out, const struct source_sum *side, const char *label, int is_base)
{
	int64_t all = 0, lone = 0;

	for (uint32_t i = 0; i < side->device_count; i++) {
		int64_t time = time_of(&side->devices[i]);
		int is_paired = 0;

		for (uint32_t p = 0; p < out->device_count; p++)
			is_paired |= (is_base ? out->devices[p].base : out->devices[p].cand) == &side->devices[i];
		all = tav_sum(all, time);
		lone = tav_sum(lone, is_paired ? 0 : time);
	}
	if (all && is_at_least(lone, all, 1 * PERCENT))
		sentence_add(&out->reasons, "devices of the %s without a partner hold %.1f %% of its device time",
		             label, 100 * ((double)lone / (double)all));
}

/* One device a side may be called differently; of more those of one id belong together. */
static tav_status pair_devices(struct tav_self *self, struct comparison *out)
{
	const struct source_sum *base = out->base, *cand = out->cand;

	out->devices = self->host->alloc(self, ((size_t)base->device_count + 1) * sizeof(*out->devices));
	if (!out->devices)
		return TAV_FAILED;
	for (uint32_t i = 0; i < base->device_count; i++) {
		for (uint32_t j = 0; j < cand->device_count; j++) {
			int is_pair = (base->device_count == 1 && cand->device_count == 1) ||
			              !tav_text_compare(base->devices[i].id, cand->devices[j].id);

			if (!is_pair)
				continue;
			out->devices[out->device_count].base = &base->devices[i];
			out->devices[out->device_count++].cand = &cand->devices[j];
			break;
		}
	}
	check_lone(out, base, "baseline", 1);
	check_lone(out, cand, "candidate", 0);
	return TAV_OK;
}

static void compare_units(struct comparison *out, const struct device_sum *base, const struct device_sum *cand)
{
	long long ub = base->unit_count, uc = cand->unit_count;

	if (base->origin != cand->origin && ub != uc)
		sentence_add(&out->reasons,
		             "the baseline has %lld steps (%s), the candidate %lld (%s): was one cut short? If not, "
		             "state them: diff.units",
		             ub, origin_names[base->origin], uc, origin_names[cand->origin]);
	else if (base->origin == INFERRED && ub != uc)
		sentence_add(
		        &out->reasons,
		        "the baseline has %lld repetitions by its counts, the candidate %lld: was one cut short? If "
		        "not, state them: diff.units",
		        ub, uc);
	if (base->short_count)
		sentence_add(&out->notes, "%s of the baseline left out",
		             COUNTED((uint64_t)base->short_count, "incomplete step"));
	if (cand->short_count)
		sentence_add(&out->notes, "%s of the candidate left out",
		             COUNTED((uint64_t)cand->short_count, "incomplete step"));
}

static void compare_models(const struct settings *settings, struct comparison *out, const struct device_sum *base,
                           const struct device_sum *cand)
{
	if (base->model.size && cand->model.size && tav_text_compare(base->model, cand->model))
		sentence_add(settings->ignored[IGNORE_DEVICE] ? &out->notes : &out->reasons,
		             "device differs: %.*s, %.*s", TEXT_OF(base->model), TEXT_OF(cand->model));
}

/* ---- What the change is made of ---------------------------------------------------------------------------------- */
/* Half away from zero; b > 0. */
static wide divide(wide a, wide b)
{
	wide size = a < 0 ? -a : a, out = size / b;

	out += 2 * (size % b) >= b;
	return a < 0 ? -out : out;
}

static int64_t add_up(const struct call_row *const *rows, uint32_t count, int is_total)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum = tav_sum(sum, is_total ? rows[i]->total : rows[i]->count);
	return sum;
}

/* A change of the sums over units where there are several of the same number of calls; else of the calls themselves. */
static int row_is_apart(const struct row *row, int by_unit, int is_up, int64_t *median_base, int64_t *median_cand,
                        int64_t *count)
{
	const struct call_row *base = *row->base, *cand = *row->cand;
	struct summary a = base->units, b = cand->units;

	if (!by_unit) {
		a = (struct summary){.n = base->count,
		                     .min = base->min,
		                     .q1 = base->q1,
		                     .median = base->median,
		                     .q3 = base->q3,
		                     .max = base->max};
		b = (struct summary){.n = cand->count,
		                     .min = cand->min,
		                     .q1 = cand->q1,
		                     .median = cand->median,
		                     .q3 = cand->q3,
		                     .max = cand->max};
	}
	*count = a.n < b.n ? a.n : b.n;
	*median_base = a.median;
	*median_cand = b.median;
	if (*count <= 1)
		return 0;
	if (*count < 8)
		return is_up ? b.min > a.max : b.max < a.min;
	return is_up ? b.q1 > a.q3 : b.q3 < a.q1;
}

static int64_t row_limit(const struct settings *settings)
{
	int64_t limit = settings->limit_kernel > 0 ? settings->limit_kernel : settings->limits[M_COMPUTE];

	return limit == NO_LIMIT ? 3 * PERCENT : limit;
}

static void say_row(const struct settings *settings, struct row *row, int64_t ub, int64_t uc, int64_t resolution)
{
	wide more = (wide)row->nc * ub - (wide)row->nb * uc;
	wide change = (wide)row->tc * row->nb - (wide)row->tb * row->nc; /* of the time of a call, by nb * nc */
	int by_unit = !more && ub > 1 && uc > 1, is_up = change > 0;
	int64_t limit = row_limit(settings), median_base, median_cand, count, floor = 0;
	wide moved;

	row->calls = more > 0 ? 1 : more < 0 ? -1 : 0;
	if (!row->tb)
		return;
	if (row->base_count > 1 || row->cand_count > 1) {
		if (is_at_least(change, (wide)row->tb * row->nc, limit))
			row->says = SAYS_UNCLEAR;
		return;
	}
	if (!row_is_apart(row, by_unit, is_up, &median_base, &median_cand, &count) || !median_base)
		return;
	moved = (wide)median_cand - median_base;
	if (resolution > 1)
		floor = resolution_floor(resolution, row->nc / uc);
	if (count < 4)
		limit *= settings->few_factor;
	if (!is_at_least(moved, median_base, limit) || (moved > 0) != is_up ||
	    (row->by_time < 0 ? -row->by_time : row->by_time) < (wide)ub * uc * floor)
		return;
	row->says = is_up ? SAYS_SLOWER : SAYS_FASTER;
}

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	wide x = a->delta < 0 ? -a->delta : a->delta, y = b->delta < 0 ? -b->delta : b->delta;
	int order;

	if (x != y)
		return x > y ? -1 : 1;
	order = tav_text_compare(a->name, b->name);
	if (!order)
		order = (int)a->kind - (int)b->kind;
	return order ? order : (int)a->level - (int)b->level;
}

/* Every product below is of at most two totals and two numbers of calls or units. */
static int fits(const struct device_diff *out)
{
	int64_t units = out->base->unit_count > out->cand->unit_count ? out->base->unit_count : out->cand->unit_count;
	wide room = (wide)1 << 120, product;

	for (uint32_t i = 0; i < out->row_count; i++) {
		const struct row *row = &out->rows[i];
		int64_t calls = row->nb > row->nc ? row->nb : row->nc, total = row->tb > row->tc ? row->tb : row->tc;

		if (__builtin_mul_overflow((wide)calls * units, (wide)total, &product) ||
		    __builtin_mul_overflow(product, (wide)100 * PERCENT, &product) || product > room)
			return 0;
	}
	return 1;
}

static void add_row(const struct settings *settings, struct device_diff *out, struct row *row)
{
	int is_large = out->base_compute && is_at_least(row->delta, out->base_compute, settings->min_share);

	out->levels[row->level]++;
	if (row->kind != COMPUTE)
		return;
	out->total += row->delta;
	if (row->level == L_NEW) {
		out->appeared += row->delta;
		out->new_rows += is_large;
	} else if (row->level == L_GONE) {
		out->gone += row->delta;
	} else {
		out->by_count += row->by_count;
		out->by_time += row->by_time;
		out->matched_ns[0] = tav_sum(out->matched_ns[0], row->tb);
		out->matched_ns[1] = tav_sum(out->matched_ns[1], row->tc);
	}
	out->slower += is_large && row->says == SAYS_SLOWER;
	out->faster += is_large && row->says == SAYS_FASTER;
	out->failed_rows += settings->limit_kernel > 0 && is_large && row->says == SAYS_SLOWER && row->calls >= 0;
}

static int64_t compute_of(const struct device_sum *device)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < device->call_count; i++)
		if (device->calls[i].kind == COMPUTE)
			total = tav_sum(total, device->calls[i].total);
	return total;
}

static tav_status take_apart(struct tav_self *self, const struct settings *settings, struct comparison *comparison,
                             struct device_diff *out)
{
	int64_t ub = out->base->unit_count, uc = out->cand->unit_count;
	int64_t resolution = comparison->base->resolution_ns > comparison->cand->resolution_ns
	                             ? comparison->base->resolution_ns
	                             : comparison->cand->resolution_ns;

	if (match_rows(self, out->base, out->cand, &out->rows, &out->row_count))
		return TAV_FAILED;
	for (uint32_t i = 0; i < out->row_count; i++) {
		struct row *row = &out->rows[i];

		row->nb = add_up(row->base, row->base_count, 0);
		row->nc = add_up(row->cand, row->cand_count, 0);
		row->tb = add_up(row->base, row->base_count, 1);
		row->tc = add_up(row->cand, row->cand_count, 1);
	}
	if (!fits(out)) {
		sentence_add(&comparison->reasons, "the numbers are too large to be taken apart");
		out->row_count = 0;
		return TAV_OK;
	}
	out->scale = (wide)ub * uc;
	out->compute_ns[0] = compute_of(out->base);
	out->compute_ns[1] = compute_of(out->cand);
	out->base_compute = (wide)out->compute_ns[0] * uc;
	for (uint32_t i = 0; i < out->row_count; i++) {
		struct row *row = &out->rows[i];

		row->delta = (wide)row->tc * ub - (wide)row->tb * uc;
		if (row->nb && row->nc) {
			row->by_count = divide(((wide)row->nc * ub - (wide)row->nb * uc) * row->tb, row->nb);
			row->by_time = row->delta - row->by_count;
			say_row(settings, row, ub, uc, resolution);
		}
		add_row(settings, out, row);
	}
	qsort(out->rows, out->row_count, sizeof(*out->rows), compare_rows);
	return TAV_OK;
}

/* ---- One factor for all ------------------------------------------------------------------------------------------ */
struct ratio {
	wide over, under; /* time of a call of the candidate by that of the baseline */
	int64_t weight;
};

static int compare_ratios(const void *left, const void *right)
{
	const struct ratio *a = left, *b = right;
	long double x = (long double)a->over / (long double)a->under, y = (long double)b->over / (long double)b->under;

	return (x > y) - (x < y);
}

/* Three quarters of the time of eight rows or more moved by nearly the same ratio: that is no change of code. */
static tav_status find_common(struct tav_self *self, struct comparison *comparison, const struct device_diff *device)
{
	struct ratio *ratios = self->host->alloc(self, ((size_t)device->row_count + 1) * sizeof(*ratios));
	uint32_t count = 0, middle = 0;
	int64_t all = 0, sum = 0, near = 0;
	double factor;

	if (!ratios)
		return TAV_FAILED;
	for (uint32_t i = 0; i < device->row_count; i++) {
		const struct row *row = &device->rows[i];

		if (row->kind != COMPUTE || !row->nb || !row->nc || !row->tb || !row->tc)
			continue;
		ratios[count++] = (struct ratio){(wide)row->tc * row->nb, (wide)row->nc * row->tb, row->tb};
		all = tav_sum(all, row->tb);
	}
	if (!count)
		return TAV_OK;
	qsort(ratios, count, sizeof(*ratios), compare_ratios);
	while (middle + 1 < count && (wide)2 * (sum += ratios[middle].weight) < all)
		middle++;
	factor = (double)ratios[middle].over / (double)ratios[middle].under;
	for (uint32_t i = 0; i < count; i++) {
		double own = (double)ratios[i].over / (double)ratios[i].under, apart = own - factor;

		if ((apart < 0 ? -apart : apart) * 50 <= factor)
			near = tav_sum(near, ratios[i].weight);
	}
	if (count >= 8 && (factor >= 1.02 || factor <= 0.98) && (wide)4 * near >= (wide)3 * all)
		sentence_add(
		        &comparison->notes,
		        "%.0f %% of the compute time moved by the same %+.1f %%: look at clocks and power before code",
		        100 * ((double)near / (double)all), 100 * (factor - 1));
	if (factor >= 2 || factor <= 0.5)
		sentence_add(&comparison->notes,
		             "the same calls take %.1f times as long: other shapes, another clock or another device?",
		             factor);
	return TAV_OK;
}

/* ---- Judging ----------------------------------------------------------------------------------------------------- */
static int is_of_line(int measure)
{
	return measure >= M_BUSY;
}

static int64_t limit_of(const struct settings *settings, const struct comparison *comparison,
                        const struct device_diff *device, int measure, int has_host)
{
	const struct device_sum *base = device->base, *cand = device->cand;
	int64_t n = base->measures[measure].n < cand->measures[measure].n ? base->measures[measure].n
	                                                                  : cand->measures[measure].n;

	if (measure == M_STEP && (base->origin != MARKED || cand->origin != MARKED || n < 3))
		return NO_LIMIT;
	if (!has_host && (measure == M_STEP || measure == M_IDLE))
		return NO_LIMIT;
	if ((comparison->base->at_zero || comparison->cand->at_zero) && is_of_line(measure))
		return NO_LIMIT;
	return settings->limits[measure];
}

static void judge_device(const struct settings *settings, struct comparison *comparison, struct device_diff *device,
                         int has_host)
{
	const struct source_sum *base = comparison->base, *cand = comparison->cand;
	struct judge judge = {.settings = settings};
	int64_t calls = 0;
	struct judged moved;

	for (uint32_t i = 0; i < device->cand->call_count; i++)
		calls += device->cand->calls[i].kind == COMPUTE ? device->cand->calls[i].count : 0;
	judge.calls = calls / (device->cand->unit_count > 1 ? device->cand->unit_count : 1);
	judge.resolution_ns = base->resolution_ns > cand->resolution_ns ? base->resolution_ns : cand->resolution_ns;
	for (int m = 0; m < MEASURE_COUNT; m++) {
		struct judged *judged = &device->judged[m];

		judged->measure = (enum measure)m;
		judge_measure(&judge, &device->base->measures[m], &device->cand->measures[m],
		              limit_of(settings, comparison, device, m, has_host), judged);
		if (judged->because)
			sentence_add(&comparison->notes, "%s moved %+.1f %%, but %s", measure_names[m],
			             100 * ((double)(judged->cand - judged->base) / (double)judged->base),
			             judged->because);
		judge_measure(&judge, &device->base->measures[m], &device->cand->measures[m], 5 * PERCENT, &moved);
		judged->has_moved = judged->result == R_SHOWN && moved.result != R_UNCHANGED;
	}
}

/* One step that stands out moves the sum and not the median. */
static void compare_sums(struct comparison *comparison, const struct device_diff *device)
{
	const double tell = 3; /* percent */
	int64_t ub = device->base->unit_count, uc = device->cand->unit_count;

	for (int m = M_COMPUTE; m <= M_COPIES; m++) {
		const struct summary *base = &device->base->measures[m], *cand = &device->cand->measures[m];
		double sums, medians;

		if (base->n < 2 || cand->n < 2 || !base->total || !base->median)
			continue;
		sums = 100 * ((double)cand->total / (double)uc / ((double)base->total / (double)ub) - 1);
		medians = 100 * ((double)(cand->median - base->median) / (double)base->median);
		if (sums - medians > tell || medians - sums > tell)
			sentence_add(&comparison->notes,
			             "%s: the sums say %+.1f %%, the median step %+.1f %%: a step stands out",
			             measure_names[m], sums, medians);
	}
}

static void check_match(const struct settings *settings, struct comparison *out, const struct device_diff *device)
{
	static const char *const sides[] = {"baseline", "candidate"};

	for (int i = 0; i < 2; i++)
		if (device->compute_ns[i] &&
		    !is_at_least(device->matched_ns[i], device->compute_ns[i], settings->min_match))
			sentence_add(&out->reasons,
			             "only %.1f %% of the compute time of the %s has a partner: other work?",
			             100 * ((double)device->matched_ns[i] / (double)device->compute_ns[i]), sides[i]);
}

static enum result worst_of(const struct settings *settings, const struct device_diff *device)
{
	enum result worst = R_UNCHANGED;

	for (int m = 0; m < MEASURE_COUNT; m++)
		if (device->judged[m].result > worst)
			worst = device->judged[m].result;
	if (device->failed_rows || (settings->on_new == OFF_FAIL && device->new_rows))
		worst = R_REGRESSED;
	return worst;
}

/* ---- Several runs ------------------------------------------------------------------------------------------------ */
static int64_t first_median(const struct source_sum *sum, int measure)
{
	return sum->device_count ? sum->devices[0].measures[measure].median : 0;
}

static int compare_runs(const void *left, const void *right)
{
	const struct source_sum *a = *(const struct source_sum *const *)left;
	const struct source_sum *b = *(const struct source_sum *const *)right;
	int64_t x = first_median(a, M_COMPUTE), y = first_median(b, M_COMPUTE);

	return x != y ? (x < y ? -1 : 1) : tav_text_compare(a->path, b->path);
}

/* A verdict must stand out from the runs of the baseline themselves: beyond all of them, and by more than their spread.
 */
static void ask_runs(struct comparison *out, const struct source_sum *const *runs, uint32_t count)
{
	struct device_diff *device = &out->devices[0];

	for (int m = 0; m < MEASURE_COUNT; m++) {
		struct judged *judged = &device->judged[m];
		int64_t low = INT64_MAX, high = 0;
		wide size = (wide)judged->cand - judged->base;
		int is_up = size > 0, is_beyond;

		if (judged->result != R_REGRESSED && judged->result != R_IMPROVED)
			continue;
		for (uint32_t i = 0; i < count; i++) {
			int64_t median = first_median(runs[i], m);

			low = median < low ? median : low;
			high = median > high ? median : high;
		}
		is_beyond = is_up ? judged->cand > high : judged->cand < low;
		if (is_beyond && (is_up ? size : -size) >= (wide)high - low)
			continue;
		judged->result = R_UNCHANGED;
		sentence_add(&out->notes, "%s moved %+.1f %%, but runs of the baseline differ by %.1f %%",
		             measure_names[m], 100 * ((double)(judged->cand - judged->base) / (double)judged->base),
		             100 * ((double)(high - low) / (double)judged->base));
	}
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */
static tav_status compare_device(struct tav_self *self, struct comparison *out, struct device_diff *device,
                                 int has_host)
{
	const struct settings *settings = settings_of(self);
	tav_status status;

	compare_models(settings, out, device->base, device->cand);
	if (!device->base->call_count || !device->cand->call_count) {
		sentence_add(&out->reasons, "a device without work");
		return TAV_OK;
	}
	compare_units(out, device->base, device->cand);
	judge_device(settings, out, device, has_host);
	compare_sums(out, device);
	status = take_apart(self, settings, out, device);
	if (!status && device->row_count) {
		check_match(settings, out, device);
		status = find_common(self, out, device);
	}
	return status;
}

tav_status compare(struct tav_self *self, const struct source_sum *const *bases, uint32_t base_count,
                   const struct source_sum *cand, struct comparison *out)
{
	const struct settings *settings = settings_of(self);
	const struct source_sum **runs = self->host->alloc(self, ((size_t)base_count + 1) * sizeof(*runs));
	int has_host;
	tav_status status;

	if (!runs)
		return TAV_FAILED;
	memcpy(runs, bases, base_count * sizeof(*runs));
	qsort(runs, base_count, sizeof(*runs), compare_runs);
	*out = (struct comparison){.base = runs[(base_count - 1) / 2], .cand = cand, .run_count = base_count};
	compare_about(settings, out);
	compare_verdicts(self, out);
	if (settings->limits[M_COMPUTE] >= 0 && settings->limits[M_COMPUTE] < LEAST_LIMIT)
		sentence_add(&out->notes, "limit_compute: unchanged code differs by up to 2.3 %% in known pairs");
	has_host = compare_switches(out);
	status = pair_devices(self, out);
	for (uint32_t i = 0; i < out->device_count && !status; i++)
		status = compare_device(self, out, &out->devices[i], has_host);
	if (status)
		return status;
	if (base_count > 1 && out->device_count)
		ask_runs(out, runs, base_count);
	out->would = R_UNCHANGED;
	for (uint32_t i = 0; i < out->device_count; i++) {
		out->devices[i].would = worst_of(settings, &out->devices[i]);
		if (out->devices[i].would > out->would)
			out->would = out->devices[i].would;
	}
	return TAV_OK;
}
