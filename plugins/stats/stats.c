/* SPDX-License-Identifier: Apache-2.0 */
/* stats - how the time of a trace divides: by kind, device, track and name. */
#include <inttypes.h>
#include <stdlib.h>

#include "busy.h"
#include "groups.h"
#include "longest.h"
#include "tables.h"

enum { OPT_TOP, OPT_SORT, OPT_GROUP_BY, OPT_GROUP_FIELD, OPT_EVENTS };
static const char *const sorts[] = {"total", "count", "max", "mean", "name", NULL};     /* as enum sort_by */
static const char *const keys[] = {"name", "kind", "track", "category", "field", NULL}; /* as enum group_by */
static const char *const scopes[] = {"auto", "device", "host", "all", NULL};            /* as enum scope */

static const struct tav_option options[] = {
        [OPT_TOP] = {"top", TAV_TYPE_INT, 0, "20", "0", "1000000000", NULL, "Rows of each table at most; 0: all."},
        [OPT_SORT] = {"sort", TAV_TYPE_CHOICE, 0, "total", NULL, NULL, sorts,
                      "What puts the rows of a table in order."},
        [OPT_GROUP_BY] = {"group_by", TAV_TYPE_CHOICE, 0, "name", NULL, NULL, keys,
                          "Other than name: a further table, `groups`, with the events parted in this way."},
        [OPT_GROUP_FIELD] = {"group_field", TAV_TYPE_FIELD, 0, NULL, NULL, NULL, NULL,
                             "The field whose values part the events where group_by is field, such as args.device."},
        [OPT_EVENTS] =
                {"events", TAV_TYPE_CHOICE, 0, "auto", NULL, NULL, scopes,
                 "Events of the tables `names`, `groups` and `longest_events`; auto: device events where there are "
                 "any, else all."},
};

/* What is worked out for one source; each piece by a task of its own. */
enum piece { PIECE_KINDS, PIECE_TRACKS, PIECE_NAMES, PIECE_GROUPS, PIECE_DEVICES, PIECE_LONGEST, PIECE_COUNT };
struct source_work {
	struct view view;
	struct groups kinds, tracks, names, groups;
	struct busy *track_busy, *device_busy;
	struct longest longest;
	uint32_t is_used;
};
struct work {
	enum group_by group_by;
	struct source_work *sources;
};

static tav_status create(struct tav_self *self)
{
	int by_field = self->options[OPT_GROUP_BY]->integer == BY_FIELD,
	    has_field = self->options[OPT_GROUP_FIELD]->text.size > 0;

	if (by_field && !has_field)
		return self->host->bad_option(self, OPT_GROUP_BY,
		                              "needs the option group_field, such as group_field: args.device");
	if (has_field && !by_field)
		return self->host->bad_option(self, OPT_GROUP_FIELD, "is of use with group_by: field only");
	return TAV_OK;
}

/* ---- Looking at a source ------------------------------------------------------------------------------------------
 */
static tav_status view_sums(struct view *view)
{
	uint32_t devices = view->about->device_count;

	view->sums = calloc((size_t)devices + 1, sizeof(*view->sums));
	if (!view->sums)
		return tav_fail(view->self, "out of memory: the sums of %u devices", devices);
	for (tav_row row = 0; row < view->about->row_count; row++) {
		if (!(row & 0xffff) && view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!(view->traits[row] & TAV_TRAIT_INTERVAL))
			continue;

		uint64_t *sum = &view->sums[view_owner(view, row)];

		*sum = sum_of(*sum, view_duration(view, row), &view->is_saturated);
		if (!view->interval_count++ || view->start[row] < view->first_ns)
			view->first_ns = view->start[row];
		view->device_event_count += (view->traits[row] & TAV_TRAIT_DEVICE) != 0;
	}
	return TAV_OK;
}

static tav_status view_init(struct view *view, struct tav_self *self, uint32_t source, const struct tav_source *about)
{
	const struct tav_host *host = self->host;

	*view = (struct view){.self = self, .source = source, .about = about};
	view->start = host->column(self, source, TAV_COL_START_NS);
	view->end = host->column(self, source, TAV_COL_END_NS);
	view->label = host->column(self, source, TAV_COL_LABEL);
	view->traits = host->column(self, source, TAV_COL_TRAITS);
	view->track = host->column(self, source, TAV_COL_TRACK);
	if (self->options[OPT_GROUP_BY]->integer == BY_FIELD)
		view->field = host->column(self, source, (uint32_t)self->options[OPT_GROUP_FIELD]->integer);
	if (!view->start || !view->end || !view->label || !view->traits || !view->track)
		return tav_fail(self, "source %" PRIu32 " lacks a column", source);
	if (self->options[OPT_GROUP_BY]->integer == BY_FIELD && !view->field)
		return tav_fail(self, "the field %s of source %" PRIu32 " was not read",
		                self->options[OPT_GROUP_FIELD]->text.data, source);
	if (host->order(self, source, 0, &view->all) || host->order(self, source, TAV_TRAIT_DEVICE, &view->work))
		return tav_fail(self, "cannot order the events of source %" PRIu32, source);
	view->track_device = malloc(((size_t)about->track_count + 1) * sizeof(*view->track_device));
	if (!view->track_device)
		return tav_fail(self, "out of memory: the devices of %" PRIu32 " tracks", about->track_count);
	for (uint32_t track = 0; track < about->track_count; track++) {
		const struct tav_track *of = host->track(self, source, track);

		view->track_device[track] = of->flags & TAV_TRACK_DEVICE ? of->device : TAV_NONE;
	}

	tav_status status = view_sums(view);

	view->scope = (enum scope)self->options[OPT_EVENTS]->integer;
	if (view->scope == SCOPE_AUTO)
		view->scope = view->device_event_count ? SCOPE_DEVICE : SCOPE_ALL;
	return status;
}

static tav_status work_piece(struct tav_self *self, uint32_t task, void *user)
{
	struct work *work = user;
	struct source_work *source = &work->sources[task / PIECE_COUNT];
	struct view *view = &source->view;
	tav_status status;

	if (!source->is_used)
		return TAV_OK;
	switch ((enum piece)(task % PIECE_COUNT)) {
	case PIECE_KINDS:
		return groups_make(view, BY_KIND, SCOPE_ALL, &source->kinds);
	case PIECE_TRACKS:
		source->track_busy = calloc((size_t)view->about->track_count + 1, sizeof(*source->track_busy));
		if (!source->track_busy)
			return tav_fail(self, "out of memory: the busy times of %" PRIu32 " tracks",
			                view->about->track_count);
		status = busy_tracks(view, source->track_busy);
		return status ? status : groups_make(view, BY_TRACK, SCOPE_ALL, &source->tracks);
	case PIECE_NAMES:
		return groups_make(view, BY_NAME, view->scope, &source->names);
	case PIECE_GROUPS:
		return work->group_by == BY_NAME ? TAV_OK
		                                 : groups_make(view, work->group_by, view->scope, &source->groups);
	case PIECE_DEVICES:
		source->device_busy = calloc((size_t)view->about->device_count + 1, sizeof(*source->device_busy));
		if (!source->device_busy)
			return tav_fail(self, "out of memory: the busy times of %" PRIu32 " devices",
			                view->about->device_count);
		return busy_devices(view, source->device_busy);
	default:
		return longest_find(view, (uint64_t)self->options[OPT_TOP]->integer, &source->longest);
	}
}

/* ---- Reporting -----------------------------------------------------------------------------------------------------
 */
static const char *const scope_titles[] = {
        [SCOPE_DEVICE] = "Device events by name (share: of the device's summed time)",
        [SCOPE_HOST] = "Host events by name (share: of the summed time of all host events)",
        [SCOPE_ALL] = "Events by name (share: of the device's, or of all host events', summed time)",
};

static tav_status report_metrics(struct tav_self *self, uint32_t source, uint64_t events, uint64_t intervals,
                                 uint64_t device_events)
{
	const struct tav_host *host = self->host;

	if (host->metric(self, source, "events", (int64_t)events, TAV_UNIT_COUNT) ||
	    host->metric(self, source, "intervals", (int64_t)intervals, TAV_UNIT_COUNT) ||
	    host->metric(self, source, "device_events", (int64_t)device_events, TAV_UNIT_COUNT))
		return TAV_FAILED;
	return TAV_OK;
}

/* Of a single device only: there is no one clock for several. */
static tav_status report_device(struct tav_self *self, uint32_t source, const struct view *view,
                                const struct busy *busy)
{
	const struct tav_host *host = self->host;
	uint64_t window = (uint64_t)busy->to - (uint64_t)busy->from, idle = window - busy->busy;
	const struct {
		const char *id;
		uint64_t value;
	} metrics[] = {{"device_total_ns", view->sums[0]},
	               {"device_busy_ns", busy->busy},
	               {"device_idle_ns", idle},
	               {"device_window_ns", window}};

	for (unsigned i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		int64_t value = metrics[i].value > INT64_MAX ? INT64_MAX : (int64_t)metrics[i].value;

		if (host->metric(self, source, metrics[i].id, value, TAV_UNIT_NS))
			return TAV_FAILED;
	}
	return window ? host->ratio(self, source, "device_idle_share", 100 * ((double)idle / (double)window),
	                            TAV_UNIT_PERCENT)
	              : TAV_OK;
}

static tav_status report_tables(const struct table_rules *rules, enum group_by group_by,
                                const struct source_work *source)
{
	const struct view *view = &source->view;

	if (table_of_groups(view, rules, BY_KIND, &source->kinds, NULL, "kinds",
	                    "Kinds of events (share: of the device's summed time, or of that of all host events, which "
	                    "nest)") ||
	    (view->about->device_count && table_of_devices(view, source->device_busy)) ||
	    table_of_groups(view, rules, BY_TRACK, &source->tracks, source->track_busy, "tracks",
	                    "Tracks (idle: of the window from the first to the last event of the track)") ||
	    table_of_groups(view, rules, BY_NAME, &source->names, NULL, "names", scope_titles[view->scope]))
		return TAV_FAILED;
	if (group_by != BY_NAME &&
	    table_of_groups(view, rules, group_by, &source->groups, NULL, "groups", "Events as group_by parts them"))
		return TAV_FAILED;
	return table_of_longest(view, &source->longest) || table_of_categories(view, rules) ? TAV_FAILED : TAV_OK;
}

static tav_status report_source(struct tav_self *self, const struct table_rules *rules, enum group_by group_by,
                                const struct source_work *source)
{
	const struct view *view = &source->view;
	uint32_t is_saturated = view->is_saturated | source->kinds.is_saturated | source->tracks.is_saturated |
	                        source->names.is_saturated | source->groups.is_saturated;
	tav_status status = report_metrics(self, view->source, view->about->event_count, view->interval_count,
	                                   view->device_event_count);

	if (!status && view->about->row_count)
		status = report_tables(rules, group_by, source);
	if (!status && view->about->device_count == 1 && source->device_busy[0].count)
		status = report_device(self, view->source, view, &source->device_busy[0]);
	if (!status && is_saturated)
		status =
		        tav_check(self, view->source, "sums", TAV_RESULT_WARN,
		                  "a sum of durations leaves the range of 64 bits; it is shown as %" PRId64, INT64_MAX);
	if (status)
		return status;
	if (!view->interval_count)
		return tav_check(self, view->source, "durations", TAV_RESULT_SKIP,
		                 "no event has a duration: nothing was measured");

	char measured[TAV_COUNTED_SIZE], on_device[TAV_COUNTED_SIZE];

	return tav_check(self, view->source, "durations", TAV_RESULT_PASS, "%s measured, %s device events among them",
	                 tav_counted(measured, view->interval_count, "event"),
	                 tav_counted(on_device, view->device_event_count, ""));
}

static tav_status report_all(struct tav_self *self, const struct work *work, uint32_t source_count)
{
	struct table_rules rules = {.top = (uint64_t)self->options[OPT_TOP]->integer,
	                            .sort = (enum sort_by)self->options[OPT_SORT]->integer};
	uint64_t events = 0, intervals = 0, device_events = 0, devices = 0;
	const struct source_work *only = NULL;

	for (uint32_t i = 0; i < source_count; i++) {
		const struct source_work *source = &work->sources[i];
		tav_status status;

		if (!source->is_used)
			continue;
		status = report_source(self, &rules, work->group_by, source);
		if (status)
			return status;
		events += source->view.about->event_count;
		intervals += source->view.interval_count;
		device_events += source->view.device_event_count;
		devices += source->view.about->device_count;
		if (source->view.about->device_count == 1)
			only = source;
	}
	if (devices == 1 && only->device_busy[0].count &&
	    report_device(self, TAV_RUN, &only->view, &only->device_busy[0]))
		return TAV_FAILED;
	return report_metrics(self, TAV_RUN, events, intervals, device_events);
}

static void work_free(struct work *work, uint32_t source_count)
{
	for (uint32_t i = 0; work->sources && i < source_count; i++) {
		struct source_work *source = &work->sources[i];

		groups_free(&source->kinds);
		groups_free(&source->tracks);
		groups_free(&source->names);
		groups_free(&source->groups);
		longest_free(&source->longest);
		free(source->track_busy);
		free(source->device_busy);
		free(source->view.track_device);
		free(source->view.sums);
	}
	free(work->sources);
}

static tav_status run(struct tav_self *self)
{
	uint32_t source_count = self->host->source_count(self);
	struct work work = {.group_by = (enum group_by)self->options[OPT_GROUP_BY]->integer};
	tav_status status = TAV_OK;

	work.sources = calloc((size_t)source_count + 1, sizeof(*work.sources));
	if (!work.sources)
		return tav_fail(self, "out of memory: %" PRIu32 " sources", source_count);
	for (uint32_t i = 0; i < source_count && !status; i++) {
		const struct tav_source *about = self->host->source(self, i);

		if (!about) /* could not be read, and has its error already */
			continue;
		work.sources[i].is_used = 1;
		status = view_init(&work.sources[i].view, self, i, about);
	}
	if (!status && source_count > UINT32_MAX / PIECE_COUNT)
		status = tav_fail(self, "too many sources: %" PRIu32, source_count);
	if (!status)
		status = self->host->parallel(self, source_count * PIECE_COUNT, work_piece, &work);
	if (!status)
		status = report_all(self, &work, source_count);
	work_free(&work, source_count);
	return status;
}

static const struct tav_stage stats = {
        .struct_size = sizeof(stats),
        .name = "stats",
        .summary = "Time by kind, device, track and name; idle share; the longest events",
        .help = "Durations are whole nanoseconds. Mean: half rounded up. Median and p99: nearest rank, the value at "
                "place "
                "ceil(n/2) or ceil(99n/100) in ascending order, so always one that occurs. Busy is the union of "
                "events, so that "
                "time in which two run counts once; idle is the rest of the window, from the first start to the last "
                "end. "
                "Shares are of the summed durations of the same device, or of all host events, whose totals count "
                "nested ones "
                "too. Times of different devices are never added up. Starts are counted from the first event of the "
                "trace. A "
                "kernel that communicates between devices is of the kind collective; device_mark is an annotation on a "
                "device's rows.",
        .options = TAV_LIST(options),
        .create = create,
        .run = run,
};
static const struct tav_stage *const stages[] = {&stats, NULL};

TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "stats", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
