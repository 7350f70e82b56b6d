/* SPDX-License-Identifier: Apache-2.0 */
/* stats - how the time of a trace divides: by kind, device, track and name. */
#include <inttypes.h>
#include <stdlib.h>

#include <tav/results.h>

#include "tables.h"

enum { OPT_TOP, OPT_SORT, OPT_GROUP_BY, OPT_GROUP_FIELD, OPT_EVENTS, OPT_SHORT };
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
        [OPT_SHORT] = {"short", TAV_TYPE_DURATION, 0, "10us", "0ns", NULL, NULL,
                       "Kernels that take less than this are short: table `short_kernels`."},
};
static const struct tav_field fields[BYTE_FIELDS] = {
        {"args.bytes", TAV_TYPE_INT, 0}, {"args.Bytes", TAV_TYPE_INT, 0}, {"args.size", TAV_TYPE_INT, 0}};

/* What is worked out; each piece by a task of its own. */
enum piece {
	PIECE_KINDS,
	PIECE_TRACKS,
	PIECE_NAMES,
	PIECE_GROUPS,
	PIECE_DEVICES,
	PIECE_LONGEST,
	PIECE_KERNELS,
	PIECE_COPIES,
	PIECE_COUNT
};
struct work {
	enum group_by group_by;
	struct view view;
	struct groups kinds, tracks, names, groups;
	struct busy *track_busy, *device_busy;
	struct longest longest;
	struct kernels kernels;
	struct copies copies;
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

/* ---- Looking at a source ---------------------------------------------------------------------------------------- */
static tav_status view_sums(struct view *view)
{
	uint32_t devices = view->about->device_count;

	view->sums = view->self->host->alloc(view->self, ((size_t)devices + 1) * sizeof(*view->sums));
	if (!view->sums)
		return TAV_FAILED;
	for (tav_row row = 0; row < view->about->row_count; row++) {
		if (!(row & 0xffff) && view->self->host->cancelled(view->self))
			return TAV_CANCELLED;
		if (!(view->traits[row] & TAV_TRAIT_INTERVAL))
			continue;

		uint64_t *sum = &view->sums[view_owner(view, row)];

		*sum = sum_of(*sum, view_duration(view, row), &view->is_saturated);
		view->interval_count++;
		view->device_event_count += (view->traits[row] & TAV_TRAIT_DEVICE) != 0;
	}
	return TAV_OK;
}

/* Which tracks are whose, and what devices are called. */
static tav_status view_devices(struct view *view)
{
	const struct tav_host *host = view->self->host;
	uint32_t tracks = view->about->track_count, devices = view->about->device_count;

	view->track_device = host->alloc(view->self, ((size_t)tracks + 1) * sizeof(*view->track_device));
	view->device_names = host->alloc(view->self, ((size_t)devices + 1) * sizeof(*view->device_names));
	if (!view->track_device || !view->device_names)
		return TAV_FAILED;
	for (uint32_t i = 0; i < devices; i++)
		view->device_names[i] = tav_text_of("(no pid)");
	for (uint32_t i = tracks; i-- > 0;) { /* the first track of a device names it */
		const struct tav_track *track = host->track(view->self, 0, i);
		struct tav_text pid = host->value(view->self, 0, track->pid);

		view->track_device[i] = track->flags & TAV_TRACK_DEVICE ? track->device : TAV_NONE;
		if (view->track_device[i] < devices && pid.size)
			view->device_names[view->track_device[i]] = pid;
	}
	return TAV_OK;
}

static tav_status view_init(struct view *view, struct tav_self *self)
{
	const struct tav_host *host = self->host;
	int by_field = self->options[OPT_GROUP_BY]->integer == BY_FIELD;

	*view = (struct view){.self = self, .about = host->source(self, 0)};
	view->start = host->column(self, 0, TAV_COL_START_NS);
	view->end = host->column(self, 0, TAV_COL_END_NS);
	view->label = host->column(self, 0, TAV_COL_LABEL);
	view->traits = host->column(self, 0, TAV_COL_TRAITS);
	view->track = host->column(self, 0, TAV_COL_TRACK);
	view->kind = host->column(self, 0, TAV_COL_KIND);
	if (by_field)
		view->field = host->column(self, 0, (uint32_t)self->options[OPT_GROUP_FIELD]->integer);
	if (!view->start || !view->end || !view->label || !view->traits || !view->track || !view->kind)
		return tav_fail(self, "a column is missing");
	if (by_field && !view->field)
		return tav_fail(self, "the field %s was not read", self->options[OPT_GROUP_FIELD]->text.data);
	if (host->order(self, 0, 0, &view->all) || host->order(self, 0, TAV_TRAIT_DEVICE, &view->work))
		return tav_fail(self, "cannot order the events");

	tav_status status = view_devices(view);

	if (!status)
		status = view_sums(view);
	view->scope = (enum scope)self->options[OPT_EVENTS]->integer;
	if (view->scope == SCOPE_AUTO)
		view->scope = view->device_event_count ? SCOPE_DEVICE : SCOPE_ALL;
	return status;
}

static tav_status work_piece(struct tav_self *self, uint32_t task, void *user)
{
	struct work *work = user;
	struct view *view = &work->view;
	tav_status status;

	switch ((enum piece)task) {
	case PIECE_KINDS:
		return groups_make(view, BY_KIND, SCOPE_ALL, &work->kinds);
	case PIECE_TRACKS:
		status = busy_tracks(view, work->track_busy);
		return status ? status : groups_make(view, BY_TRACK, SCOPE_ALL, &work->tracks);
	case PIECE_NAMES:
		return groups_make(view, BY_NAME, view->scope, &work->names);
	case PIECE_GROUPS:
		return work->group_by == BY_NAME ? TAV_OK
		                                 : groups_make(view, work->group_by, view->scope, &work->groups);
	case PIECE_DEVICES:
		return busy_devices(view, work->device_busy);
	case PIECE_KERNELS:
		return kernels_measure(view, self->options[OPT_SHORT]->integer, &work->kernels);
	case PIECE_COPIES:
		return copies_measure(view, 0, &work->copies);
	default:
		return longest_find(view, &work->longest);
	}
}

/* ---- Reporting -------------------------------------------------------------------------------------------------- */
static const char *const scope_titles[] = {
        [SCOPE_DEVICE] = "Device events by name (share: of the device's summed time)",
        [SCOPE_HOST] = "Host events by name (share: of the summed time of all host events)",
        [SCOPE_ALL] = "Events by name (share: of the device's, or of all host events', summed time)",
};

static int64_t shown(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

enum { EVENTS, INTERVALS, DEVICE_EVENTS, COUNT_COUNT };
static const char *const count_ids[COUNT_COUNT] = {"events", "intervals", "device_events"};

static tav_status report_counts(struct tav_self *self, uint32_t source, const int64_t *counts)
{
	tav_status status = TAV_OK;

	for (int i = 0; i < COUNT_COUNT && !status; i++)
		status = tav_measure_as(self, source, count_ids[i], counts[i], TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN,
		                        i == DEVICE_EVENTS ? TAV_METRIC_HEADLINE : 0);
	return status;
}

/* Of a single device only: there is no one clock for several. */
enum { DEVICE_TOTAL, DEVICE_BUSY, DEVICE_IDLE, DEVICE_WINDOW, DEVICE_COUNT };
static const struct {
	const char *id;
	uint32_t better, flags;
} device_ids[DEVICE_COUNT] = {
        [DEVICE_TOTAL] = {"device_total_ns", TAV_BETTER_UNKNOWN, 0},
        [DEVICE_BUSY] = {"device_busy_ns", TAV_BETTER_UNKNOWN, TAV_METRIC_HEADLINE},
        [DEVICE_IDLE] = {"device_idle_ns", TAV_BETTER_LOWER, TAV_METRIC_HEADLINE},
        [DEVICE_WINDOW] = {"device_window_ns", TAV_BETTER_LOWER, 0},
};

static tav_status report_device(struct tav_self *self, uint32_t source, const int64_t *values)
{
	tav_status status = TAV_OK;

	for (int i = 0; i < DEVICE_COUNT && !status; i++)
		status = tav_measure_as(self, source, device_ids[i].id, values[i], TAV_UNIT_NS, device_ids[i].better,
		                        device_ids[i].flags);
	if (!status && values[DEVICE_WINDOW])
		status = tav_ratio(self, source, "device_idle_share",
		                   100 * ((double)values[DEVICE_IDLE] / (double)values[DEVICE_WINDOW]),
		                   TAV_UNIT_PERCENT);
	return status;
}

static tav_status report_only_device(struct tav_self *self, const struct work *work)
{
	const struct busy *busy = &work->device_busy[0];
	uint64_t window = (uint64_t)busy->to - (uint64_t)busy->from;
	const int64_t values[DEVICE_COUNT] = {[DEVICE_TOTAL] = shown(work->view.sums[0]),
	                                      [DEVICE_BUSY] = shown(busy->busy),
	                                      [DEVICE_IDLE] = shown(window - busy->busy),
	                                      [DEVICE_WINDOW] = shown(window)};

	return work->view.about->device_count == 1 && busy->count ? report_device(self, 0, values) : TAV_OK;
}

static tav_status report_tables(const struct table_rules *rules, const struct work *work)
{
	const struct view *view = &work->view;

	if (table_of_groups(view, rules, BY_KIND, &work->kinds, NULL, "kinds",
	                    "Kinds of events (share: of the device's summed time, or of that of all host events, which "
	                    "nest)") ||
	    (view->about->device_count && table_of_devices(view, work->device_busy)) ||
	    table_of_groups(view, rules, BY_TRACK, &work->tracks, work->track_busy, "tracks",
	                    "Tracks (idle: of the window from the first to the last event of the track)") ||
	    table_of_groups(view, rules, BY_NAME, &work->names, NULL, "names", scope_titles[view->scope]))
		return TAV_FAILED;
	if (work->group_by != BY_NAME && table_of_groups(view, rules, work->group_by, &work->groups, NULL, "groups",
	                                                 "Events as group_by parts them"))
		return TAV_FAILED;
	if (table_of_copies(view, &work->copies) || table_of_lengths(view, &work->kernels) ||
	    table_of_shorts(view, rules, &work->kernels, work->device_busy))
		return TAV_FAILED;
	return table_of_longest(view, rules, &work->longest) || table_of_categories(view, rules) ? TAV_FAILED : TAV_OK;
}

/* The name with the most time on a device; of several the first by its text. */
static const struct group *largest(struct tav_self *self, const struct groups *names, uint32_t device)
{
	const struct group *found = NULL;

	for (uint32_t i = 0; i < names->count; i++) {
		const struct group *group = &names->items[i];

		if (group->owner != device || (found && group->total < found->total))
			continue;
		if (!found || group->total > found->total ||
		    tav_text_compare(self->host->label(self, 0, group->thing, NULL),
		                     self->host->label(self, 0, found->thing, NULL)) < 0)
			found = group;
	}
	return found;
}

enum { HEADLINES = 8, NAME_MOST = 60 };
/* "device 0: 22,290 events, busy 17.5 % of 660.6 ms; most time in gemm (23.9 %)" */
static tav_status report_headline(struct tav_self *self, const struct work *work, uint32_t device)
{
	const struct view *view = &work->view;
	const struct busy *busy = &work->device_busy[device];
	const struct group *name = view->scope == SCOPE_HOST ? NULL : largest(self, &work->names, device);
	uint64_t window = (uint64_t)busy->to - (uint64_t)busy->from;
	char text[1024], count[TAV_COUNTED_SIZE], share[TAV_SHARE_SIZE], length[TAV_DURATION_SIZE];
	struct tav_sentence say = {text, sizeof(text), 0};

	tav_say(&say, "device %.*s: %s, busy %s of %s", (int)view->device_names[device].size,
	        view->device_names[device].data, tav_counted(count, busy->count, "event"),
	        tav_share(share, busy->busy, window), tav_duration(length, shown(window)));
	if (name) {
		struct tav_text label = self->host->label(self, 0, name->thing, NULL);
		int is_long = label.size > NAME_MOST;

		tav_say(&say, "; most time in %.*s%s (%s)", is_long ? NAME_MOST : (int)label.size, label.data,
		        is_long ? "..." : "", tav_share(share, name->total, view->sums[device]));
	}
	return self->host->headline(self, 0, text);
}

static tav_status report_headlines(struct tav_self *self, const struct work *work)
{
	const struct view *view = &work->view;
	uint32_t devices = view->about->device_count, told = 0;
	char count[TAV_COUNTED_SIZE];
	tav_status status = TAV_OK;

	for (uint32_t device = 0; device < devices && told < HEADLINES && !status; device++) {
		if (!work->device_busy[device].count)
			continue;
		status = report_headline(self, work, device);
		told++;
	}
	if (!status && devices > HEADLINES)
		status = tav_headline(self, 0, "... and more devices: %s in all", tav_counted(count, devices, ""));
	if (!status && !told)
		status = tav_headline(self, 0,
		                      "%s measured, none of them of a device; tav-run -c trust says what is missing",
		                      tav_counted(count, view->interval_count, "event"));
	return status;
}

static tav_status report_checks(struct tav_self *self, const struct work *work)
{
	const struct view *view = &work->view;
	char measured[TAV_COUNTED_SIZE], on_device[TAV_COUNTED_SIZE];

	if (view->is_saturated | work->kinds.is_saturated | work->tracks.is_saturated | work->names.is_saturated |
	    work->groups.is_saturated | work->kernels.is_saturated | work->copies.is_saturated) {
		tav_status status = tav_tell(self, 0, "sums", TAV_RESULT_WARN, 1, view->interval_count,
		                             "a sum leaves the range of 64 bits; it is shown as %" PRId64, INT64_MAX);
		if (status)
			return status;
	}
	if (!view->interval_count)
		return tav_tell(self, 0, "durations", TAV_RESULT_SKIP, 0, 0,
		                "no event has a duration: nothing was measured");
	if (view->about->zero_time_count)
		return tav_tell(self, 0, "durations", TAV_RESULT_WARN, view->about->zero_time_count,
		                view->interval_count,
		                "%s measured; %s without a time stamp left out of busy and idle time",
		                tav_counted(measured, view->interval_count, "event"),
		                tav_counted(on_device, view->about->zero_time_count, "device event"));
	return tav_tell(self, 0, "durations", TAV_RESULT_PASS, 0, view->interval_count,
	                "%s measured, %s device events among them",
	                tav_counted(measured, view->interval_count, "event"),
	                tav_counted(on_device, view->device_event_count, ""));
}

static tav_status report(struct tav_self *self, const struct work *work)
{
	const struct view *view = &work->view;
	const struct table_rules rules = {.top = (uint64_t)self->options[OPT_TOP]->integer,
	                                  .sort = (enum sort_by)self->options[OPT_SORT]->integer};
	const int64_t counts[COUNT_COUNT] = {[EVENTS] = shown(view->about->event_count),
	                                     [INTERVALS] = (int64_t)view->interval_count,
	                                     [DEVICE_EVENTS] = (int64_t)view->device_event_count};
	tav_status status = report_headlines(self, work);

	if (!status)
		status = report_counts(self, 0, counts);
	if (!status && view->about->row_count)
		status = report_tables(&rules, work);
	if (!status)
		status = report_only_device(self, work);
	return status ? status : report_checks(self, work);
}

static tav_status each(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	struct work work = {.group_by = (enum group_by)self->options[OPT_GROUP_BY]->integer};
	tav_status status = view_init(&work.view, self);

	if (status)
		return status;
	work.track_busy = host->alloc(self, ((size_t)work.view.about->track_count + 1) * sizeof(*work.track_busy));
	work.device_busy = host->alloc(self, ((size_t)work.view.about->device_count + 1) * sizeof(*work.device_busy));
	if (!work.track_busy || !work.device_busy)
		return TAV_FAILED;
	status = host->parallel(self, PIECE_COUNT, work_piece, &work);
	return status ? status : report(self, &work);
}

/* ---- The run: what the sources sum to, and the device where there is but one ------------------------------------- */
static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t source_count = self->host->source_count(self), stage, devices = 0;
	int64_t counts[COUNT_COUNT] = {0}, device[DEVICE_COUNT] = {0};

	if (!results)
		return tav_fail(self, "this host does not offer %s", TAV_RESULTS_ID);
	stage = results->find_stage(self, "stats");
	for (uint32_t source = 0; source < source_count; source++) {
		if (!results->is_done(self, stage, source))
			continue;
		devices += self->host->source(self, source)->device_count;
		for (int i = 0; i < COUNT_COUNT; i++)
			counts[i] = tav_sum(counts[i], tav_metric_or(self, results, stage, source, count_ids[i], 0));
		for (int i = 0; i < DEVICE_COUNT; i++)
			device[i] =
			        tav_sum(device[i], tav_metric_or(self, results, stage, source, device_ids[i].id, 0));
	}

	tav_status status = report_counts(self, TAV_RUN, counts);

	if (!status && devices == 1 && device[DEVICE_WINDOW] | device[DEVICE_TOTAL])
		status = report_device(self, TAV_RUN, device);
	return status;
}

static const struct tav_page pages[] = {
        {"durations", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Was anything measured?",
         "Events without a usable time are left out; device events that were never stamped (a start at or before 0 "
         "while most others lie far behind it) are left out of busy and idle time, since they would make a window of "
         "years."},
        {"sums", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Do all sums fit?",
         "Told only when a sum of durations leaves 64 bits. Look for events with absurd durations."},
        {"kinds", TAV_TELLS_TABLE, 0, "How does the time divide by kind of event?",
         "Device work is compute, communication or copy (fills too), as in all other stages. Host events are told "
         "apart by what the dialect says of their category."},
        {"devices", TAV_TELLS_TABLE, 0, "How busy is each device?",
         "Busy time counts time in which two events run once. The window goes from the first start to the last end "
         "of the device's events. The stage wall-time says why a device is idle."},
        {"tracks", TAV_TELLS_TABLE, 0, "How busy is each stream and thread?", NULL},
        {"names", TAV_TELLS_TABLE, 0, "Which names take the time?",
         "cv_permille is 1000 times the deviation by the mean: 0 where all are equal. A p99 far above the median "
         "with a large cv is work that sometimes waits."},
        {"groups", TAV_TELLS_TABLE, 0, "How does the time divide by what group_by names?", NULL},
        {"copies", TAV_TELLS_TABLE, 0, "How much is copied, where to, and how fast?",
         "The rate is the bytes of all copies that tell theirs, by their summed time, so that small copies do not "
         "count as much as large ones. Copies from or to pageable memory make the host wait: pin the memory."},
        {"kernel_lengths", TAV_TELLS_TABLE, 0, "How long are kernels?",
         "By powers of two, of each device; device work that is no copy."},
        {"short_kernels", TAV_TELLS_TABLE, 0, "Which kernels are too short to be worth a launch each?",
         "Launching costs several microseconds of the host. Fuse them, or replay them as a graph."},
        {"longest_events", TAV_TELLS_TABLE, 0, "Which single events are longest?", "One for each name."},
        {"categories", TAV_TELLS_TABLE, 0, "Which categories are there?",
         "All of them, also those that the dialect knows nothing of."},
};

static const struct tav_stage stats = {
        .struct_size = sizeof(stats),
        .flags = TAV_STAGE_NO_DEVICE_WORK,
        .name = "stats",
        .summary = "Time by kind, device, track and name; idle share; the longest events",
        .help = "Durations are whole nanoseconds. Mean: half rounded up. Median, p90 and p99: nearest rank, the value "
                "at "
                "place ceil(n/2), ceil(90n/100) or ceil(99n/100) in ascending order, so always one that occurs. Busy "
                "is "
                "the union of events, so that time in which two run counts once; idle is the rest of the window, from "
                "the first start to the last end. Shares are of the summed durations of the same device, or of all "
                "host events, whose totals count nested ones too. Times of different devices are never added up. "
                "Starts are counted from the first event of the trace. Device work is compute, communication or copy; "
                "device_mark is an annotation on a device's rows.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .create = create,
        .each = each,
        .combine = combine,
};
static const struct tav_stage *const stages[] = {&stats, NULL};

TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "stats", .version = "2.0.0", .license = "Apache-2.0", .stages = stages,
};
