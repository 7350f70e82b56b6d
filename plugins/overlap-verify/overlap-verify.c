/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlap-verify - work on one accelerator stream runs one item at a time: device events of one serial track that
 * occupy the same time are a fault of the trace.
 */
#include "verify.h"

static const char *const track_choices[] = {"serial", "all", NULL};
static const struct tav_option options[] = {
        [OPT_STRICT] =
                {"strict", TAV_TYPE_BOOL, 0, "true", NULL, NULL, NULL,
                 "true: every overlap counts; false: nested events are taken as legal, only partly overlapping ones "
                 "count."},
        [OPT_TOLERANCE] = {"tolerance", TAV_TYPE_DURATION, 0, "0ns", "0ns", NULL, NULL,
                           "Two events overlap when they share more time than this."},
        [OPT_TOLERANCE_NS] = {"tolerance_ns", TAV_TYPE_DURATION, TAV_OPT_DEPRECATED, "0ns", "0ns", NULL, NULL,
                              "The name that `tolerance` had before."},
        [OPT_MAX_INSTANCES] = {"max_instances", TAV_TYPE_INT, 0, "100", "0", "100000000", NULL,
                               "Show at most so many overlaps of each source, the longest."},
        [OPT_MIN_DEVICE_EVENTS] = {"min_device_events", TAV_TYPE_INT, 0, "0", "0", NULL, NULL,
                                   "Fewer judged device events in a source are an error."},
        [OPT_ALLOW] =
                {"allow", TAV_TYPE_PATTERN, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                 "Names of events that may start before their direct predecessor has ended (programmatic dependent "
                 "launch)."},
        [OPT_TRACKS] = {"tracks", TAV_TYPE_CHOICE, 0, "serial", NULL, NULL, track_choices,
                        "serial: judge the tracks that the dialect calls serial; all: judge every device track."},
};

/* Tracks are judged in groups of about so many events, each a task. */
enum { GROUP_EVENTS = 1 << 17 };

struct group {
	uint32_t first, end; /* tracks */
	struct judgement found;
};
struct work {
	const struct tav_overlap *overlap;
	const struct tav_order *order;
	struct group *groups;
	uint32_t group_count;
	struct facts facts;
};

int64_t tolerance_of(const struct tav_self *self)
{
	int is_old = self->options[OPT_TOLERANCE_NS]->given;

	return self->options[is_old ? OPT_TOLERANCE_NS : OPT_TOLERANCE]->integer;
}

/* ---- Options ------------------------------------------------------------------------------------------------- */

/* regfree() writes, and what create() made is read-only by then. */
static void free_patterns(const struct patterns *patterns)
{
	for (uint64_t i = 0; i < patterns->count; i++) {
		regex_t copy = patterns->items[i];

		regfree(&copy);
	}
}

static tav_status create(struct tav_self *self)
{
	const struct tav_value *allow = self->options[OPT_ALLOW];
	struct patterns *patterns = self->host->keep(self, sizeof(*patterns));

	if (!patterns)
		return TAV_FAILED;
	patterns->items = self->host->keep(self, (allow->count + 1) * sizeof(*patterns->items));
	if (!patterns->items)
		return TAV_FAILED;
	self->state = patterns;
	if (self->options[OPT_TOLERANCE]->given && self->options[OPT_TOLERANCE_NS]->given)
		return self->host->bad_option(self, OPT_TOLERANCE_NS,
		                              "is the old name of `tolerance`, which is given too");
	for (; patterns->count < allow->count; patterns->count++) {
		const char *text = allow->items[patterns->count]->text.data;

		if (regcomp(&patterns->items[patterns->count], text, REG_EXTENDED | REG_NOSUB)) {
			free_patterns(patterns); /* destroy() is not called after a failure */
			return self->host->bad_option(self, OPT_ALLOW, "is no regular expression");
		}
	}
	return TAV_OK;
}

static void destroy(struct tav_self *self)
{
	free_patterns(self->state);
}

/* ---- One source ---------------------------------------------------------------------------------------------- */

static tav_status make_groups(struct tav_self *self, struct work *work)
{
	const struct tav_order *order = work->order;
	uint64_t most = order->first[order->track_count] / GROUP_EVENTS + 2;

	if (most > order->track_count)
		most = order->track_count;
	work->groups = self->host->alloc(self, (most + 1) * sizeof(*work->groups));
	if (!work->groups)
		return TAV_FAILED;
	for (uint32_t first = 0, track = 0; track < order->track_count; track++) {
		uint64_t events = order->first[track + 1] - order->first[first];

		if (events < GROUP_EVENTS && track + 1 < order->track_count)
			continue;
		if (events) {
			work->groups[work->group_count].first = first;
			work->groups[work->group_count++].end = track + 1;
		}
		first = track + 1;
	}
	return TAV_OK;
}

static tav_status do_task(struct tav_self *self, uint32_t i, void *user)
{
	struct work *work = user;

	if (i == work->group_count)
		return scan_source(self, &work->facts);
	return judge_tracks(self, work->order, work->groups[i].first, work->groups[i].end, work->overlap,
	                    &work->groups[i].found);
}

static tav_status each(struct tav_self *self)
{
	struct work work = {.overlap = self->host->extension(self, TAV_OVERLAP_ID)};
	struct judgement found = {.instances.limit = (uint64_t)self->options[OPT_MAX_INSTANCES]->integer};

	if (!work.overlap)
		return tav_fail(self, "this host does not offer %s", TAV_OVERLAP_ID);
	tav_status status = self->host->order(self, 0, TAV_TRAIT_DEVICE, &work.order);
	if (!status)
		status = make_groups(self, &work);
	if (!status)
		status = self->host->parallel(self, work.group_count + 1, do_task, &work);
	for (uint32_t i = 0; i < work.group_count && !status; i++)
		status = judgement_merge(self, &found, &work.groups[i].found);
	return status ? status : tell_source(self, &found, &work.facts);
}

static const struct tav_stage overlap_verify = {
        .struct_size = sizeof(overlap_verify),
        .name = "overlap-verify",
        .summary = "Device events of one stream must not overlap",
        .help = "Judges each serial track (stream) of each device: an event that shares time with an earlier one of "
                "its track is an error. Different streams may overlap. Says how many events it looked at.",
        .options = TAV_LIST(options),
        .pages = {pages, PAGE_COUNT, sizeof(struct tav_page)},
        .create = create,
        .each = each,
        .combine = tell_run,
        .destroy = destroy,
};

static const struct tav_stage *const stages[] = {&overlap_verify, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "overlap-verify", .version = "2.0.0", .license = "Apache-2.0", .stages = stages,
};
