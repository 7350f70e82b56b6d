/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlap-verify - work on one accelerator stream runs one item at a time: device events of one serial track that
 * occupy the same time are a fault of the trace.
 */
#include <stdlib.h>

#include "verify.h"

static const char *const track_choices[] = {"serial", "all", NULL};
static const struct tav_option options[] = {
        [OPT_STRICT] =
                {"strict", TAV_TYPE_BOOL, 0, "true", NULL, NULL, NULL,
                 "true: every overlap counts; false: nested events are taken as legal, only partly overlapping ones "
                 "count."},
        [OPT_TOLERANCE_NS] = {"tolerance_ns", TAV_TYPE_INT, 0, "0", "0", NULL, NULL,
                              "Two events overlap when they share more than so many ns."},
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
	uint32_t source, first, end; /* tracks */
	struct judgement found;
};
struct work {
	const struct tav_overlap *overlap;
	uint32_t source_count, group_count, group_capacity;
	const struct tav_order **orders; /* by source; NULL: nothing to look at */
	struct facts *facts;             /* by source */
	struct judgement *found;         /* by source */
	struct group *groups;
};

static tav_status create(struct tav_self *self)
{
	const struct tav_value *allow = self->options[OPT_ALLOW];
	struct patterns *patterns = calloc(1, sizeof(*patterns));

	if (!patterns)
		return tav_fail(self, "out of memory");
	patterns->items = calloc(allow->count + 1, sizeof(*patterns->items));
	for (uint64_t i = 0; patterns->items && i < allow->count; i++) {
		if (regcomp(&patterns->items[i], allow->items[i]->text.data, REG_EXTENDED | REG_NOSUB))
			break;
		patterns->count++;
	}
	self->state = patterns;
	if (patterns->items && patterns->count == allow->count)
		return TAV_OK;
	/* destroy() is not called after a failure */
	for (uint64_t i = 0; i < patterns->count; i++)
		regfree(&patterns->items[i]);
	tav_status status = patterns->items ? self->host->bad_option(self, OPT_ALLOW, "is no regular expression")
	                                    : tav_fail(self, "out of memory");
	free(patterns->items);
	free(patterns);
	return status;
}

static void destroy(struct tav_self *self)
{
	struct patterns *patterns = self->state;

	for (uint64_t i = 0; i < patterns->count; i++)
		regfree(&patterns->items[i]);
	free(patterns->items);
	free(patterns);
}

static int add_group(struct work *work, uint32_t source, uint32_t first, uint32_t end)
{
	if (work->group_count == work->group_capacity) {
		uint32_t capacity = work->group_capacity ? work->group_capacity * 2 : 16;
		struct group *grown = realloc(work->groups, capacity * sizeof(*grown));
		if (!grown)
			return 0;
		work->groups = grown;
		work->group_capacity = capacity;
	}
	work->groups[work->group_count++] = (struct group){.source = source, .first = first, .end = end};
	return 1;
}

static tav_status make_groups(struct tav_self *self, struct work *work)
{
	for (uint32_t source = 0; source < work->source_count; source++) {
		if (!self->host->source(self, source))
			continue;
		tav_status status = self->host->order(self, source, TAV_TRAIT_DEVICE, &work->orders[source]);
		if (status)
			return status;
		const struct tav_order *order = work->orders[source];
		for (uint32_t first = 0, track = 0; track < order->track_count; track++) {
			uint64_t events = order->first[track + 1] - order->first[first];
			if (events < GROUP_EVENTS && track + 1 < order->track_count)
				continue;
			if (events && !add_group(work, source, first, track + 1))
				return tav_fail(self, "out of memory: groups of tracks");
			first = track + 1;
		}
	}
	return TAV_OK;
}

static tav_status do_task(struct tav_self *self, uint32_t i, void *user)
{
	struct work *work = user;

	if (i < work->source_count)
		return work->orders[i] ? scan_source(self, i, &work->facts[i]) : TAV_OK;
	struct group *group = &work->groups[i - work->source_count];
	return judge_tracks(self, group->source, work->orders[group->source], group->first, group->end, work->overlap,
	                    &group->found);
}

static tav_status merge(struct tav_self *self, struct work *work)
{
	for (uint32_t i = 0; i < work->group_count; i++) {
		struct judgement *into = &work->found[work->groups[i].source];
		into->instances.limit = (uint64_t)self->options[OPT_MAX_INSTANCES]->integer;
		if (judgement_merge(into, &work->groups[i].found))
			return tav_fail(self, "out of memory: overlaps to show");
	}
	return TAV_OK;
}

static tav_status tell(struct tav_self *self, struct work *work)
{
	for (uint32_t source = 0; source < work->source_count; source++) {
		if (!work->orders[source])
			continue;
		tav_status status = tell_source(self, source, &work->found[source], &work->facts[source]);
		if (status)
			return status;
	}
	return tell_run(self, work->source_count, work->found, work->facts);
}

static tav_status run(struct tav_self *self)
{
	struct work work = {.overlap = self->host->extension(self, TAV_OVERLAP_ID),
	                    .source_count = self->host->source_count(self)};

	if (!work.overlap)
		return tav_fail(self, "this host does not offer %s", TAV_OVERLAP_ID);
	work.orders = self->host->alloc(self, work.source_count * sizeof(*work.orders));
	work.facts = self->host->alloc(self, work.source_count * sizeof(*work.facts));
	work.found = self->host->alloc(self, work.source_count * sizeof(*work.found));
	if (!work.orders || !work.facts || !work.found)
		return TAV_FAILED;

	tav_status status = make_groups(self, &work);
	if (!status)
		status = self->host->parallel(self, work.source_count + work.group_count, do_task, &work);
	if (!status)
		status = merge(self, &work);
	if (!status)
		status = tell(self, &work);
	for (uint32_t i = 0; i < work.group_count; i++)
		judgement_fini(&work.groups[i].found);
	for (uint32_t source = 0; source < work.source_count; source++)
		judgement_fini(&work.found[source]);
	free(work.groups);
	return status;
}

static const struct tav_stage overlap_verify = {
        .struct_size = sizeof(overlap_verify),
        .name = "overlap-verify",
        .summary = "Device events of one stream must not overlap",
        .help = "Judges each serial track (stream) of each device: an event that shares time with an earlier one of "
                "its track "
                "is an error. Different streams may overlap. Says how many events it looked at.",
        .options = TAV_LIST(options),
        .create = create,
        .run = run,
        .destroy = destroy,
};

static const struct tav_stage *const stages[] = {&overlap_verify, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "overlap-verify", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
