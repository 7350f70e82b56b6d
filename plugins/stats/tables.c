/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "sheet.h"

static struct tav_text text_of_chars(const char *chars)
{
	return (struct tav_text){chars, strlen(chars)};
}

/* Columns that several tables share, so that they bear the same name and unit everywhere. */
static uint32_t add_text(struct sheet *sheet, const char *name)
{
	return sheet_add(sheet, name, TAV_TYPE_STRING, TAV_UNIT_NONE);
}

static uint32_t add_ns(struct sheet *sheet, const char *name)
{
	return sheet_add(sheet, name, TAV_TYPE_INT, TAV_UNIT_NS);
}

static uint32_t add_count(struct sheet *sheet, const char *name)
{
	return sheet_add(sheet, name, TAV_TYPE_INT, TAV_UNIT_COUNT);
}

static uint32_t add_percent(struct sheet *sheet, const char *name)
{
	return sheet_add(sheet, name, TAV_TYPE_REAL, TAV_UNIT_PERCENT);
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
		return mean_of(group->total, group->count);
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
		return text_of_chars(kind_names[thing]);
	case BY_TRACK:
		return self->host->track(self, view->source, thing)->name;
	case BY_CATEGORY:
		self->host->label(self, thing, &name);
		return name.size ? name : text_of_chars("(no category)");
	case BY_FIELD:
		return thing ? self->host->value(self, thing) : text_of_chars("(missing)");
	default:
		return self->host->label(self, thing, more);
	}
}

static struct line *sort_groups(const struct view *view, enum sort_by sort, enum group_by by,
                                const struct groups *groups)
{
	struct line *lines = malloc(((size_t)groups->count + 1) * sizeof(*lines));

	if (!lines) {
		tav_fail(view->self, "out of memory: a table of %u rows", groups->count);
		return NULL;
	}
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

/* By device: its pid, which is how people call it. malloc'ed. */
static struct tav_text *device_names(const struct view *view)
{
	uint32_t devices = view->about->device_count;
	struct tav_text *names = calloc((size_t)devices + 1, sizeof(*names));

	if (!names) {
		tav_fail(view->self, "out of memory: the names of %u devices", devices);
		return NULL;
	}
	for (uint32_t track = 0; track < view->about->track_count; track++) {
		uint32_t device = view->track_device[track];

		if (device < devices && !names[device].data) {
			uint32_t pid = view->self->host->track(view->self, view->source, track)->pid;

			names[device] = view->self->host->value(view->self, pid);
			if (!names[device].size)
				names[device] = text_of_chars("(no pid)");
		}
	}
	return names;
}

/* ---- Tables ----------------------------------------------------------------------------------------------------- */
static const char *const head_names[] = {
        [BY_NAME] = "name", [BY_KIND] = "kind", [BY_TRACK] = "track", [BY_CATEGORY] = "category", [BY_FIELD] = "value"};

tav_status table_of_groups(const struct view *view, const struct table_rules *rules, enum group_by by,
                           const struct groups *groups, const struct busy *tracks, const char *id, const char *title)
{
	struct line *lines = sort_groups(view, rules->sort, by, groups);
	struct tav_text *devices = lines ? device_names(view) : NULL;
	uint64_t rows = rules->top && rules->top < groups->count ? rules->top : groups->count;
	struct sheet sheet;

	if (!devices) {
		free(lines);
		return TAV_FAILED;
	}
	sheet_init(&sheet, view->self, rows);

	uint32_t name = add_text(&sheet, head_names[by]), device = add_text(&sheet, "device");
	uint32_t count = add_count(&sheet, "count");
	uint32_t total = add_ns(&sheet, "total_ns"), share = add_percent(&sheet, "share");
	uint32_t mean = add_ns(&sheet, "mean_ns"), median = add_ns(&sheet, "median_ns"), p99 = add_ns(&sheet, "p99_ns");
	uint32_t max = add_ns(&sheet, "max_ns"), min = add_ns(&sheet, "min_ns");
	uint32_t window = tracks ? add_ns(&sheet, "window_ns") : 0, busy = tracks ? add_ns(&sheet, "busy_ns") : 0;
	uint32_t idle = tracks ? add_ns(&sheet, "idle_ns") : 0,
	         idle_share = tracks ? add_percent(&sheet, "idle_share") : 0;
	uint32_t category = by == BY_NAME ? add_text(&sheet, "category") : 0;

	for (uint64_t i = 0; i < rows; i++) {
		const struct group *group = lines[i].group;

		sheet_text(&sheet, name, i, lines[i].name);
		if (by == BY_NAME && lines[i].more.size)
			sheet_text(&sheet, category, i, lines[i].more);
		if (!lines[i].is_host)
			sheet_text(&sheet, device, i, devices[group->owner]);
		sheet_int(&sheet, count, i, group->count);
		sheet_int(&sheet, total, i, group->total);
		sheet_percent(&sheet, share, i, group->total, view->sums[group->owner]);
		sheet_int(&sheet, mean, i, mean_of(group->total, group->count));
		sheet_int(&sheet, min, i, group->min);
		sheet_int(&sheet, median, i, group->median);
		sheet_int(&sheet, p99, i, group->p99);
		sheet_int(&sheet, max, i, group->max);
		if (tracks) {
			const struct busy *track = &tracks[group->thing];
			uint64_t length = (uint64_t)track->to - (uint64_t)track->from;

			sheet_int(&sheet, window, i, length);
			sheet_int(&sheet, busy, i, track->busy);
			sheet_int(&sheet, idle, i, length - track->busy);
			sheet_percent(&sheet, idle_share, i, length - track->busy, length);
		}
	}
	free(lines);
	free(devices);
	/* A line has room for some of it: what is the same in all rows goes first, then what tells least. */
	if (view->about->device_count < 2)
		sheet_detail(&sheet, device);
	if (by == BY_NAME) {
		sheet_detail(&sheet, category);
		sheet_detail(&sheet, p99);
		sheet_detail(&sheet, min);
	}
	for (uint32_t i = mean; tracks && i <= min; i++)
		sheet_detail(&sheet, i);
	return sheet_send(&sheet, view->source, id, title, groups->count - rows);
}

tav_status table_of_devices(const struct view *view, const struct busy *devices)
{
	uint32_t device_count = view->about->device_count;
	struct tav_text *names = device_names(view);
	struct sheet sheet;

	if (!names)
		return TAV_FAILED;
	sheet_init(&sheet, view->self, device_count);

	uint32_t device = add_text(&sheet, "device"), tracks = add_count(&sheet, "tracks"),
	         count = add_count(&sheet, "count");
	uint32_t total = add_ns(&sheet, "total_ns"), busy = add_ns(&sheet, "busy_ns"), idle = add_ns(&sheet, "idle_ns");
	uint32_t idle_share = add_percent(&sheet, "idle_share"), window = add_ns(&sheet, "window_ns");
	uint32_t from = add_ns(&sheet, "window_start_ns"), to = add_ns(&sheet, "window_end_ns");

	for (uint32_t i = 0; i < device_count; i++) {
		uint64_t length = (uint64_t)devices[i].to - (uint64_t)devices[i].from;

		sheet_text(&sheet, device, i, names[i]);
		sheet_int(&sheet, tracks, i, devices[i].tracks);
		sheet_int(&sheet, count, i, devices[i].count);
		sheet_int(&sheet, total, i, view->sums[i]);
		if (!devices[i].count) /* none of its events has a time */
			continue;
		sheet_int(&sheet, busy, i, devices[i].busy);
		sheet_int(&sheet, idle, i, length - devices[i].busy);
		sheet_percent(&sheet, idle_share, i, length - devices[i].busy, length);
		sheet_int(&sheet, window, i, length);
		sheet_int(&sheet, from, i, (uint64_t)devices[i].from - (uint64_t)view->first_ns);
		sheet_int(&sheet, to, i, (uint64_t)devices[i].to - (uint64_t)view->first_ns);
	}
	free(names);
	sheet_detail(&sheet, from);
	sheet_detail(&sheet, to);
	return sheet_send(&sheet, view->source, "devices",
	                  "Devices (idle: of the window from the first to the last device event of the device)", 0);
}

/* ---- Categories, of all events ------------------------------------------------------------------------------------
 */
struct category {
	uint64_t events, intervals, total;
};

tav_status table_of_categories(const struct view *view, const struct table_rules *rules)
{
	uint32_t labels = view->self->host->label_count(view->self), is_saturated = 0;
	uint32_t *categories = category_labels(view);
	struct category *seen = calloc((size_t)labels + 1, sizeof(*seen));
	struct groups groups = {0};
	struct line *lines = NULL;
	tav_status status = TAV_FAILED;

	for (tav_row row = 0; categories && seen && row < view->about->row_count; row++) {
		struct category *category = &seen[categories[view->label[row]]];

		groups.count += !category->events++;
		if (view->traits[row] & TAV_TRAIT_INTERVAL) {
			category->intervals++;
			category->total = sum_of(category->total, view_duration(view, row), &is_saturated);
		}
	}
	if (categories && seen)
		groups.items = calloc((size_t)groups.count + 1, sizeof(*groups.items));
	if (!groups.items) {
		tav_fail(view->self, "out of memory: the categories of %u labels", labels);
	} else {
		uint32_t used = 0;

		for (uint32_t label = 0; label < labels; label++)
			if (seen[label].events)
				groups.items[used++] = (struct group){.thing = label,
				                                      .count = seen[label].events,
				                                      .total = seen[label].total,
				                                      .max = seen[label].total};
		lines = sort_groups(view, rules->sort == SORT_NAME ? SORT_NAME : SORT_COUNT, BY_CATEGORY, &groups);
	}
	if (lines) {
		struct sheet sheet;
		uint64_t rows = rules->top && rules->top < groups.count ? rules->top : groups.count;

		sheet_init(&sheet, view->self, rows);

		uint32_t name = add_text(&sheet, "category"), events = add_count(&sheet, "events");
		uint32_t intervals = add_count(&sheet, "intervals"), total = add_ns(&sheet, "total_ns");

		for (uint64_t i = 0; i < rows; i++) {
			const struct category *category = &seen[lines[i].group->thing];

			sheet_text(&sheet, name, i, lines[i].name);
			sheet_int(&sheet, events, i, category->events);
			sheet_int(&sheet, intervals, i, category->intervals);
			sheet_int(&sheet, total, i, category->total);
		}
		status = sheet_send(&sheet, view->source, "categories", "Categories seen (a B/E pair is one event)",
		                    groups.count - rows);
	}
	free(lines);
	free(groups.items);
	free(seen);
	free(categories);
	return status;
}

/* ---- The longest events --------------------------------------------------------------------------------------------
 */
tav_status table_of_longest(const struct view *view, const struct longest *longest)
{
	const struct tav_host *host = view->self->host;
	const uint64_t *offsets = host->column(view->self, view->source, TAV_COL_OFFSET);
	struct sheet sheet;

	sheet_init(&sheet, view->self, longest->count);

	uint32_t name = add_text(&sheet, "name"), category = add_text(&sheet, "category"),
	         kind = add_text(&sheet, "kind");
	uint32_t track = add_text(&sheet, "track"), duration = add_ns(&sheet, "duration_ns");
	uint32_t from = add_ns(&sheet, "start_ns"), offset = sheet_add(&sheet, "offset", TAV_TYPE_INT, TAV_UNIT_NONE);

	for (uint64_t i = 0; i < longest->count; i++) {
		tav_row row = longest->rows[i];
		struct tav_text text, label = host->label(view->self, view->label[row], &text);

		sheet_text(&sheet, name, i, label);
		if (text.size)
			sheet_text(&sheet, category, i, text);
		sheet_text(&sheet, kind, i, text_of_chars(kind_names[kind_of(view->traits[row])]));
		sheet_text(&sheet, track, i, host->track(view->self, view->source, view->track[row])->name);
		sheet_int(&sheet, duration, i, view_duration(view, row));
		sheet_int(&sheet, from, i, (uint64_t)view->start[row] - (uint64_t)view->first_ns);
		if (offsets)
			sheet_int(&sheet, offset, i, offsets[row]);
	}
	sheet_detail(&sheet, category);
	sheet_detail(&sheet, offset);
	return sheet_send(&sheet, view->source, "longest_events",
	                  "Longest events (start: since the first event of the trace)",
	                  longest->in_scope - longest->count);
}
