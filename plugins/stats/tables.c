/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include <tav/rank.h>
#include <tav/sheet.h>

/* Columns that several tables share, so that they bear the same name and unit everywhere. */
static uint32_t add_text(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
}

static uint32_t add_key(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
}

static uint32_t add_ns(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
}

static uint32_t add_count(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
}

static uint32_t add_percent(struct tav_sheet *sheet, const char *name)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_REAL, TAV_UNIT_PERCENT, TAV_SHOW_COLUMN);
}

/* The text report shows it with -v only. */
static void detail(struct tav_sheet *sheet, uint32_t column)
{
	sheet->shows[column] = TAV_SHOW_DETAIL;
}

static uint64_t rows_of(const struct table_rules *rules, uint64_t count)
{
	return rules->top && rules->top < count ? rules->top : count;
}

static uint64_t window_of(const struct busy *busy)
{
	return (uint64_t)busy->to - (uint64_t)busy->from;
}

/* ---- The order of rows ------------------------------------------------------------------------------------------ */
struct line {
	uint32_t is_host; /* device rows come first */
	uint32_t owner;
	uint64_t value;             /* the greatest first */
	struct tav_text name, more; /* ties */
	const struct group *group;
};

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	int order;

	if (a->is_host != b->is_host)
		return a->is_host ? 1 : -1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	order = tav_text_compare(a->name, b->name);
	if (!order)
		order = tav_text_compare(a->more, b->more);
	return order ? order : (a->owner > b->owner) - (a->owner < b->owner);
}

static uint64_t sort_value(const struct group *group, enum sort_by sort)
{
	switch (sort) {
	case SORT_COUNT:
		return group->count;
	case SORT_MAX:
		return group->max;
	case SORT_MEAN:
		return tav_mean(group->total, group->count);
	case SORT_NAME:
		return 0;
	default:
		return group->total;
	}
}

/* What a group is called, and what tells apart those that are called the same. */
static struct tav_text name_of(const struct view *view, enum group_by by, uint32_t thing, struct tav_text *more)
{
	struct tav_self *self = view->self;
	struct tav_text name;

	*more = (struct tav_text){"", 0};
	switch (by) {
	case BY_KIND:
		return tav_text_of(kind_names[thing]);
	case BY_TRACK:
		return self->host->track(self, 0, thing)->name;
	case BY_CATEGORY:
		self->host->label(self, 0, thing, &name);
		return name.size ? name : tav_text_of("(no category)");
	case BY_FIELD:
		return thing ? self->host->value(self, 0, thing) : tav_text_of("(missing)");
	default:
		return self->host->label(self, 0, thing, more);
	}
}

static struct line *sort_groups(const struct view *view, enum sort_by sort, enum group_by by,
                                const struct groups *groups)
{
	struct line *lines = view->self->host->alloc(view->self, ((size_t)groups->count + 1) * sizeof(*lines));

	if (!lines)
		return NULL;
	for (uint32_t i = 0; i < groups->count; i++) {
		const struct group *group = &groups->items[i];

		lines[i] = (struct line){.is_host = group->owner == view->about->device_count,
		                         .owner = group->owner,
		                         .value = sort_value(group, sort),
		                         .group = group};
		lines[i].name = name_of(view, by, group->thing, &lines[i].more);
	}
	qsort(lines, groups->count, sizeof(*lines), compare_lines);
	return lines;
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */
static const char *const head_names[] = {
        [BY_NAME] = "name", [BY_KIND] = "kind", [BY_TRACK] = "track", [BY_CATEGORY] = "category", [BY_FIELD] = "value"};

tav_status table_of_groups(const struct view *view, const struct table_rules *rules, enum group_by by,
                           const struct groups *groups, const struct busy *tracks, const char *id, const char *title)
{
	struct line *lines = sort_groups(view, rules->sort, by, groups);
	uint64_t rows = rows_of(rules, groups->count);
	struct tav_sheet sheet;

	if (!lines)
		return TAV_FAILED;
	tav_sheet_init(&sheet, view->self, rows);

	uint32_t name = add_key(&sheet, head_names[by]), device = add_key(&sheet, "device");
	uint32_t count = add_count(&sheet, "count");
	uint32_t total = add_ns(&sheet, "total_ns"), share = add_percent(&sheet, "share");
	uint32_t mean = add_ns(&sheet, "mean_ns"), median = add_ns(&sheet, "median_ns"), p90 = add_ns(&sheet, "p90_ns");
	uint32_t p99 = add_ns(&sheet, "p99_ns"), max = add_ns(&sheet, "max_ns"), min = add_ns(&sheet, "min_ns");
	uint32_t cv = tav_sheet_column(&sheet, "cv_permille", TAV_TYPE_INT, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	uint32_t window = tracks ? add_ns(&sheet, "window_ns") : 0, busy = tracks ? add_ns(&sheet, "busy_ns") : 0;
	uint32_t idle = tracks ? add_ns(&sheet, "idle_ns") : 0,
	         idle_share = tracks ? add_percent(&sheet, "idle_share") : 0;
	uint32_t category = by == BY_NAME ? add_text(&sheet, "category") : 0;

	for (uint64_t i = 0; i < rows; i++) {
		const struct group *group = lines[i].group;

		tav_sheet_text(&sheet, name, i, lines[i].name);
		if (by == BY_NAME && lines[i].more.size)
			tav_sheet_text(&sheet, category, i, lines[i].more);
		if (!lines[i].is_host)
			tav_sheet_text(&sheet, device, i, view->device_names[group->owner]);
		tav_sheet_count(&sheet, count, i, group->count);
		tav_sheet_count(&sheet, total, i, group->total);
		tav_sheet_percent(&sheet, share, i, group->total, view->sums[group->owner]);
		tav_sheet_count(&sheet, mean, i, tav_mean(group->total, group->count));
		tav_sheet_count(&sheet, min, i, group->min);
		tav_sheet_count(&sheet, median, i, group->median);
		tav_sheet_count(&sheet, p90, i, group->p90);
		tav_sheet_count(&sheet, p99, i, group->p99);
		if (group->cv_permille >= 0)
			tav_sheet_int(&sheet, cv, i, group->cv_permille);
		tav_sheet_count(&sheet, max, i, group->max);
		if (tracks) {
			const struct busy *track = &tracks[group->thing];
			uint64_t length = window_of(track);

			tav_sheet_count(&sheet, window, i, length);
			tav_sheet_count(&sheet, busy, i, track->busy);
			tav_sheet_count(&sheet, idle, i, length - track->busy);
			tav_sheet_percent(&sheet, idle_share, i, length - track->busy, length);
		}
	}
	/* A line has room for some of it: what is the same in all rows goes first, then what tells least. */
	if (view->about->device_count < 2)
		detail(&sheet, device);
	detail(&sheet, p90);
	if (by == BY_NAME) {
		detail(&sheet, category);
		detail(&sheet, p99);
		detail(&sheet, min);
	}
	for (uint32_t i = mean; tracks && i <= min; i++)
		detail(&sheet, i);
	return tav_sheet_send(&sheet, 0, id, title, groups->count - rows);
}

tav_status table_of_devices(const struct view *view, const struct busy *devices)
{
	uint32_t device_count = view->about->device_count;
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, view->self, device_count);

	uint32_t device = add_key(&sheet, "device"), tracks = add_count(&sheet, "tracks"),
	         count = add_count(&sheet, "count");
	uint32_t total = add_ns(&sheet, "total_ns"), busy = add_ns(&sheet, "busy_ns"), idle = add_ns(&sheet, "idle_ns");
	uint32_t idle_share = add_percent(&sheet, "idle_share"), window = add_ns(&sheet, "window_ns");
	uint32_t from = add_ns(&sheet, "window_start_ns"), to = add_ns(&sheet, "window_end_ns");

	for (uint32_t i = 0; i < device_count; i++) {
		uint64_t length = window_of(&devices[i]);

		tav_sheet_text(&sheet, device, i, view->device_names[i]);
		tav_sheet_count(&sheet, tracks, i, devices[i].tracks);
		tav_sheet_count(&sheet, count, i, devices[i].count);
		tav_sheet_count(&sheet, total, i, view->sums[i]);
		if (!devices[i].count) /* none of its events has a time */
			continue;
		tav_sheet_count(&sheet, busy, i, devices[i].busy);
		tav_sheet_count(&sheet, idle, i, length - devices[i].busy);
		tav_sheet_percent(&sheet, idle_share, i, length - devices[i].busy, length);
		tav_sheet_count(&sheet, window, i, length);
		tav_sheet_count(&sheet, from, i, (uint64_t)devices[i].from - (uint64_t)view->about->first_ns);
		tav_sheet_count(&sheet, to, i, (uint64_t)devices[i].to - (uint64_t)view->about->first_ns);
	}
	detail(&sheet, from);
	detail(&sheet, to);
	return tav_sheet_send(&sheet, 0, "devices",
	                      "Devices (idle: of the window from the first to the last device event of the device)", 0);
}

/* ---- Categories, of all events ---------------------------------------------------------------------------------- */
struct category {
	uint64_t events, intervals, total;
};

/* By label of the category; NULL: no memory, or cancelled. */
static struct category *count_categories(const struct view *view, uint32_t *count, tav_status *status)
{
	uint32_t labels = view->self->host->label_count(view->self, 0), is_saturated = 0;
	uint32_t *categories = category_labels(view);
	struct category *seen = view->self->host->alloc(view->self, ((size_t)labels + 1) * sizeof(*seen));

	*status = TAV_FAILED;
	*count = 0;
	if (!categories || !seen)
		return NULL;
	for (tav_row row = 0; row < view->about->row_count; row++) {
		struct category *category = &seen[categories[view->label[row]]];

		if (!(row & 0xffff) && view->self->host->cancelled(view->self)) {
			*status = TAV_CANCELLED;
			return NULL;
		}
		*count += !category->events++;
		if (view->traits[row] & TAV_TRAIT_INTERVAL) {
			category->intervals++;
			category->total = sum_of(category->total, view_duration(view, row), &is_saturated);
		}
	}
	*status = TAV_OK;
	return seen;
}

tav_status table_of_categories(const struct view *view, const struct table_rules *rules)
{
	uint32_t labels = view->self->host->label_count(view->self, 0), used = 0;
	struct groups groups = {0};
	tav_status status;
	struct category *seen = count_categories(view, &groups.count, &status);
	struct line *lines;
	struct tav_sheet sheet;

	if (!seen)
		return status;
	groups.items = view->self->host->alloc(view->self, ((size_t)groups.count + 1) * sizeof(*groups.items));
	if (!groups.items)
		return TAV_FAILED;
	for (uint32_t label = 0; label < labels; label++)
		if (seen[label].events)
			groups.items[used++] = (struct group){.thing = label,
			                                      .count = seen[label].events,
			                                      .total = seen[label].total,
			                                      .max = seen[label].total};
	lines = sort_groups(view, rules->sort == SORT_NAME ? SORT_NAME : SORT_COUNT, BY_CATEGORY, &groups);
	if (!lines)
		return TAV_FAILED;

	uint64_t rows = rows_of(rules, groups.count);

	tav_sheet_init(&sheet, view->self, rows);

	uint32_t name = add_key(&sheet, "category"), events = add_count(&sheet, "events");
	uint32_t intervals = add_count(&sheet, "intervals"), total = add_ns(&sheet, "total_ns");

	for (uint64_t i = 0; i < rows; i++) {
		const struct category *category = &seen[lines[i].group->thing];

		tav_sheet_text(&sheet, name, i, lines[i].name);
		tav_sheet_count(&sheet, events, i, category->events);
		tav_sheet_count(&sheet, intervals, i, category->intervals);
		tav_sheet_count(&sheet, total, i, category->total);
	}
	return tav_sheet_send(&sheet, 0, "categories", "Categories seen (a B/E pair is one event)",
	                      groups.count - rows);
}

/* ---- The longest events ----------------------------------------------------------------------------------------- */
tav_status table_of_longest(const struct view *view, const struct table_rules *rules, const struct longest *longest)
{
	const struct tav_host *host = view->self->host;
	const uint64_t *offsets = host->column(view->self, 0, TAV_COL_OFFSET);
	uint64_t rows = rows_of(rules, longest->count);
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, view->self, rows);

	uint32_t name = add_key(&sheet, "name"), category = add_text(&sheet, "category"),
	         kind = add_text(&sheet, "kind");
	uint32_t track = add_text(&sheet, "track"), duration = add_ns(&sheet, "duration_ns");
	uint32_t from = add_ns(&sheet, "start_ns");
	uint32_t offset = tav_sheet_column(&sheet, "offset", TAV_TYPE_INT, TAV_UNIT_NONE, TAV_SHOW_DETAIL);
	uint32_t event = tav_sheet_column(&sheet, "event", TAV_TYPE_REF, TAV_UNIT_NONE, TAV_SHOW_DETAIL);

	for (uint64_t i = 0; i < rows; i++) {
		tav_row row = longest->rows[i];
		struct tav_text text, label = host->label(view->self, 0, view->label[row], &text);

		tav_sheet_text(&sheet, name, i, label);
		if (text.size)
			tav_sheet_text(&sheet, category, i, text);
		tav_sheet_chars(&sheet, kind, i, kind_names[kind_of(view->kind[row], view->traits[row])]);
		tav_sheet_text(&sheet, track, i, host->track(view->self, 0, view->track[row])->name);
		tav_sheet_count(&sheet, duration, i, view_duration(view, row));
		if (view->start[row] >= view->about->first_ns)
			tav_sheet_count(&sheet, from, i, (uint64_t)view->start[row] - (uint64_t)view->about->first_ns);
		if (offsets)
			tav_sheet_count(&sheet, offset, i, offsets[row]);
		tav_sheet_ref(&sheet, event, i, (struct tav_ref){0, row});
	}
	detail(&sheet, category);
	return tav_sheet_send(&sheet, 0, "longest_events",
	                      "Longest event of each name (start: since the first event of the trace)",
	                      longest->count - rows);
}

/* ---- Kernels and copies ----------------------------------------------------------------------------------------- */
tav_status table_of_lengths(const struct view *view, const struct kernels *kernels)
{
	uint64_t rows = 0, at = 0;
	struct tav_sheet sheet;

	for (uint32_t i = 0; i < view->about->device_count; i++)
		for (unsigned k = 0; k < LENGTHS; k++)
			rows += kernels->lengths[i].count[k] > 0;
	if (!rows)
		return TAV_OK;
	tav_sheet_init(&sheet, view->self, rows);

	uint32_t device = add_key(&sheet, "device"), from = add_ns(&sheet, "from_ns"),
	         below = add_ns(&sheet, "below_ns");
	uint32_t count = add_count(&sheet, "kernels"), total = add_ns(&sheet, "total_ns");

	for (uint32_t i = 0; i < view->about->device_count; i++) {
		for (unsigned k = 0; k < LENGTHS; k++) {
			if (!kernels->lengths[i].count[k])
				continue;
			tav_sheet_text(&sheet, device, at, view->device_names[i]);
			tav_sheet_count(&sheet, from, at, k ? UINT64_C(1) << (k - 1) : 0);
			if (k < 63)
				tav_sheet_count(&sheet, below, at, UINT64_C(1) << k);
			tav_sheet_count(&sheet, count, at, kernels->lengths[i].count[k]);
			tav_sheet_count(&sheet, total, at++, kernels->lengths[i].total[k]);
		}
	}
	for (uint32_t i = 0; i < sheet.column_count; i++)
		detail(&sheet, i);
	return tav_sheet_send(&sheet, 0, "kernel_lengths", "Kernels by length", 0);
}

struct short_line {
	const struct short_kernel *kernel;
	struct tav_text name, category;
};

static int compare_shorts(const void *left, const void *right)
{
	const struct short_line *a = left, *b = right;
	int order;

	if (a->kernel->total != b->kernel->total)
		return a->kernel->total > b->kernel->total ? -1 : 1;
	if (a->kernel->count != b->kernel->count)
		return a->kernel->count > b->kernel->count ? -1 : 1;
	order = tav_text_compare(a->name, b->name);
	if (!order)
		order = tav_text_compare(a->category, b->category);
	return order ? order : (a->kernel->device > b->kernel->device) - (a->kernel->device < b->kernel->device);
}

tav_status table_of_shorts(const struct view *view, const struct table_rules *rules, const struct kernels *kernels,
                           const struct busy *devices)
{
	struct tav_self *self = view->self;
	struct short_line *lines = self->host->alloc(self, ((size_t)kernels->short_count + 1) * sizeof(*lines));
	uint64_t rows = rows_of(rules, kernels->short_count);
	struct tav_sheet sheet;

	if (!lines)
		return TAV_FAILED;
	if (!rows)
		return TAV_OK;
	for (uint32_t i = 0; i < kernels->short_count; i++) {
		lines[i].kernel = &kernels->shorts[i];
		lines[i].name = self->host->label(self, 0, kernels->shorts[i].label, &lines[i].category);
	}
	qsort(lines, kernels->short_count, sizeof(*lines), compare_shorts);
	tav_sheet_init(&sheet, self, rows);
	sheet.first_rows = 5;

	uint32_t name = add_key(&sheet, "name"), device = add_key(&sheet, "device"), count = add_count(&sheet, "count");
	uint32_t total = add_ns(&sheet, "total_ns"), share = add_percent(&sheet, "window_share");

	for (uint64_t i = 0; i < rows; i++) {
		const struct short_kernel *kernel = lines[i].kernel;

		tav_sheet_text(&sheet, name, i, lines[i].name);
		tav_sheet_text(&sheet, device, i, view->device_names[kernel->device]);
		tav_sheet_count(&sheet, count, i, kernel->count);
		tav_sheet_count(&sheet, total, i, kernel->total);
		tav_sheet_percent(&sheet, share, i, kernel->total, window_of(&devices[kernel->device]));
	}
	if (view->about->device_count < 2)
		detail(&sheet, device);
	return tav_sheet_send(&sheet, 0, "short_kernels", "Kernels shorter than the option `short` says, by name",
	                      kernels->short_count - rows);
}

tav_status table_of_copies(const struct view *view, const struct copies *copies)
{
	struct tav_sheet sheet;

	if (!copies->count)
		return TAV_OK;
	tav_sheet_init(&sheet, view->self, copies->count);

	uint32_t device = add_key(&sheet, "device"), direction = add_key(&sheet, "direction"),
	         memory = add_key(&sheet, "memory");
	uint32_t count = add_count(&sheet, "count"), total = add_ns(&sheet, "total_ns");
	uint32_t bytes = tav_sheet_column(&sheet, "bytes", TAV_TYPE_INT, TAV_UNIT_BYTES, TAV_SHOW_COLUMN);
	uint32_t rate = tav_sheet_column(&sheet, "gb_per_s", TAV_TYPE_REAL, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	uint32_t sized = add_count(&sheet, "sized"), sized_ns = add_ns(&sheet, "sized_ns");

	for (uint32_t i = 0; i < copies->count; i++) {
		const struct copy_class *class = &copies->items[i];

		tav_sheet_text(&sheet, device, i, view->device_names[class->device]);
		tav_sheet_text(&sheet, direction, i, class->direction);
		if (class->memory.size)
			tav_sheet_text(&sheet, memory, i, class->memory);
		tav_sheet_count(&sheet, count, i, class->count);
		tav_sheet_count(&sheet, total, i, class->total);
		tav_sheet_count(&sheet, sized, i, class->sized);
		tav_sheet_count(&sheet, sized_ns, i, class->sized_total);
		if (!class->sized)
			continue;
		tav_sheet_count(&sheet, bytes, i, class->bytes);
		tav_sheet_real(&sheet, rate, i, (double)class->bytes / (double)class->sized_total);
	}
	if (view->about->device_count < 2)
		detail(&sheet, device);
	detail(&sheet, sized);
	detail(&sheet, sized_ns);
	return tav_sheet_send(&sheet, 0, "copies", "Copies and fills (rate: of those whose bytes are told)", 0);
}
