/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps tracks, and keeps of the overlaps the longest to show, and of all what they sum to. */
#include <stdlib.h>
#include <string.h>

#include "verify.h"

enum { UNASKED, NO, YES };
enum { FEW = 16 };

struct judge {
	struct tav_self *self;
	const struct patterns *patterns;
	unsigned char *is_allowed; /* by label, once asked; NULL: no patterns */
	struct judgement *found;
	uint64_t hits_seen;
	const int64_t *start, *end;
	const uint32_t *label, *tid, *traits;
};

/* ---- The longest overlaps ------------------------------------------------------------------------------------ */

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

int instance_compare(const struct instance *a, const struct instance *b)
{
	int order = compare_numbers(b->overlap_ns, a->overlap_ns);

	if (!order)
		order = compare_numbers(a->start_ns, b->start_ns);
	if (!order)
		order = compare_numbers(a->track, b->track);
	if (!order)
		order = compare_numbers(b->end_ns, a->end_ns);
	return order ? order : compare_numbers(a->later, b->later);
}

/* Does `a` go before `b` when one must go? */
static int goes_before(const struct instance *a, const struct instance *b)
{
	return instance_compare(a, b) > 0;
}

/* Memory of alloc(), so what was outgrown stays until the call returns: no more than is in use. */
static void *grown(struct tav_self *self, const void *items, uint64_t count, uint64_t capacity, size_t size)
{
	void *wider = self->host->alloc(self, capacity * size);

	if (wider && count)
		memcpy(wider, items, count * size);
	return wider;
}

static tav_status instances_grow(struct tav_self *self, struct instances *instances)
{
	uint64_t capacity = instances->capacity ? instances->capacity * 2 : FEW;

	instances->items = grown(self, instances->items, instances->count, capacity, sizeof(*instances->items));
	instances->capacity = capacity;
	return instances->items ? TAV_OK : TAV_FAILED;
}

static tav_status hits_add(struct tav_self *self, struct hits *hits, const struct hit *items, uint64_t count)
{
	if (count > hits->capacity - hits->count) {
		uint64_t capacity = hits->capacity ? hits->capacity * 2 : FEW;

		while (capacity < hits->count + count)
			capacity *= 2;
		hits->items = grown(self, hits->items, hits->count, capacity, sizeof(*hits->items));
		if (!hits->items)
			return TAV_FAILED;
		hits->capacity = capacity;
	}
	if (count)
		memcpy(hits->items + hits->count, items, count * sizeof(*items));
	hits->count += count;
	return TAV_OK;
}

static void sink(struct instance *items, uint64_t count, uint64_t at)
{
	struct instance moved = items[at];

	for (;;) {
		uint64_t child = 2 * at + 1;
		if (child + 1 < count && goes_before(&items[child + 1], &items[child]))
			child++;
		if (child >= count || !goes_before(&items[child], &moved))
			break;
		items[at] = items[child];
		at = child;
	}
	items[at] = moved;
}

static tav_status instances_add(struct tav_self *self, struct instances *instances, const struct instance *instance)
{
	if (!instances->limit)
		return TAV_OK;
	if (instances->count == instances->limit) {
		if (goes_before(&instances->items[0], instance)) {
			instances->items[0] = *instance;
			sink(instances->items, instances->count, 0);
		}
		return TAV_OK;
	}
	if (instances->count == instances->capacity && instances_grow(self, instances))
		return TAV_FAILED;
	uint64_t at = instances->count++;
	for (; at && goes_before(instance, &instances->items[(at - 1) / 2]); at = (at - 1) / 2)
		instances->items[at] = instances->items[(at - 1) / 2];
	instances->items[at] = *instance;
	return TAV_OK;
}

/* ---- One track ---------------------------------------------------------------------------------------------- */

static int is_same_record(const struct judge *judge, tav_row a, tav_row b)
{
	return judge->label[a] == judge->label[b] && judge->tid[a] == judge->tid[b] &&
	       !((judge->traits[a] ^ judge->traits[b]) & TAV_TRAIT_DEFAULT_TRACK);
}

static tav_status see_hit(void *user, const struct tav_overlap_hit *hit)
{
	struct judge *judge = user;
	struct instance instance = {.overlap_ns = hit->overlap_ns,
	                            .start_ns = judge->start[hit->later],
	                            .end_ns = judge->end[hit->later],
	                            .track = hit->track,
	                            .later = hit->later,
	                            .earlier = hit->earlier,
	                            .kind = hit->is_partial ? KIND_PARTIAL : KIND_NESTED};

	if (!(++judge->hits_seen & 0xffff) && judge->self->host->cancelled(judge->self))
		return TAV_CANCELLED;
	if (hit->is_duplicate && is_same_record(judge, hit->later, hit->earlier))
		instance.kind = KIND_DUPLICATE;
	judge->found->other_tid += judge->tid[hit->later] != judge->tid[hit->earlier];
	const struct hit kept = {hit->overlap_ns, judge->label[hit->later], judge->label[hit->earlier]};
	tav_status status = hits_add(judge->self, &judge->found->hits, &kept, 1);
	return status ? status : instances_add(judge->self, &judge->found->instances, &instance);
}

static int32_t ask_patterns(void *user, tav_row earlier, tav_row later)
{
	struct judge *judge = user;
	uint32_t label = judge->label[later];
	(void)earlier;

	if (judge->is_allowed[label] == UNASKED) {
		struct tav_text name = judge->self->host->label(judge->self, 0, label, NULL);

		judge->is_allowed[label] = NO;
		for (uint64_t i = 0; i < judge->patterns->count; i++) {
			if (tav_matches(judge->self, &judge->patterns->items[i], name.data))
				judge->is_allowed[label] = YES;
		}
	}
	return judge->is_allowed[label] == YES;
}

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, 3 * sizeof(uint32_t));
}

/* Of `count` events with the same start and end: those that repeat a record. */
static tav_status count_repeated(struct judge *judge, const tav_row *rows, uint64_t count, uint64_t *repeated)
{
	if (count <= FEW) {
		for (uint64_t i = 1; i < count; i++) {
			uint64_t earlier = 0;
			while (earlier < i && !is_same_record(judge, rows[earlier], rows[i]))
				earlier++;
			*repeated += earlier < i;
		}
		return TAV_OK;
	}
	uint32_t(*keys)[3] = judge->self->host->alloc(judge->self, count * sizeof(*keys));
	if (!keys)
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		keys[i][0] = judge->label[rows[i]];
		keys[i][1] = judge->tid[rows[i]];
		keys[i][2] = judge->traits[rows[i]] & TAV_TRAIT_DEFAULT_TRACK;
	}
	qsort(keys, count, sizeof(*keys), compare_keys);
	for (uint64_t i = 1; i < count; i++)
		*repeated += !compare_keys(keys[i - 1], keys[i]);
	return TAV_OK;
}

struct seen {                       /* of the events of one track */
	uint64_t repeated;          /* the same record once more */
	uint64_t repeated_overlaps; /* those that overlap the earlier one */
	uint64_t default_stream;
};

/* Looks at the events themselves, and not at what they share. */
static tav_status walk(struct judge *judge, const struct tav_overlap_rules *rules, const tav_row *rows, uint64_t count,
                       struct seen *seen)
{
	for (uint64_t i = 0; i < count;) {
		int64_t start = judge->start[rows[i]], end = judge->end[rows[i]];
		uint64_t next = i + 1, repeated = 0;

		while (next < count && judge->start[rows[next]] == start && judge->end[rows[next]] == end)
			next++;
		if (next - i > 1 && count_repeated(judge, rows + i, next - i, &repeated))
			return TAV_FAILED;
		seen->repeated += repeated;
		if (rules->strict && (uint64_t)end - (uint64_t)start > (uint64_t)rules->tolerance_ns)
			seen->repeated_overlaps += repeated;
		for (; i < next; i++)
			seen->default_stream += !!(judge->traits[rows[i]] & TAV_TRAIT_DEFAULT_TRACK);
	}
	return TAV_OK;
}

/* What is neither kernel nor copy, where the dialect does not say that one thing runs at a time. */
static void see_unknown_work(struct judge *judge, const struct tav_track *about, const tav_row *rows, uint64_t count)
{
	const uint32_t known = TAV_TRAIT_KERNEL | TAV_TRAIT_MEMCPY | TAV_TRAIT_MEMSET;
	struct judgement *found = judge->found;

	for (uint64_t i = 0; i < count; i++) {
		if (judge->traits[rows[i]] & known)
			continue;
		if (!found->unknown_work++)
			found->unknown_lane = about->lane;
	}
}

static tav_status judge_track(struct judge *judge, const struct tav_order *order, uint32_t track,
                              const struct tav_overlap *overlap)
{
	struct tav_self *self = judge->self;
	struct judgement *found = judge->found;
	const struct tav_track *about = self->host->track(self, 0, track);
	const tav_row *rows = order->rows + order->first[track];
	uint64_t count = order->first[track + 1] - order->first[track];
	int is_judged = about->flags & TAV_TRACK_SERIAL || self->options[OPT_TRACKS]->integer == TRACKS_ALL;
	struct tav_overlap_rules rules = {
	        .struct_size = sizeof(rules),
	        .strict = self->options[OPT_STRICT]->integer != 0,
	        .tolerance_ns = tolerance_of(self),
	        .is_allowed = judge->is_allowed ? ask_patterns : NULL,
	        .user = judge,
	};
	struct seen seen = {0};

	tav_status status = overlap->sweep(self, 0, order, track, &rules, is_judged ? see_hit : NULL, judge,
	                                   is_judged ? &found->judged : &found->measured);
	if (!status)
		status = walk(judge, &rules, rows, count, &seen);
	if (status)
		return status;
	found->duplicates += seen.repeated;
	if (is_judged) {
		found->judged_duplicates += seen.repeated_overlaps;
		found->judged_default_stream += seen.default_stream;
	} else {
		see_unknown_work(judge, about, rows, count);
	}
	return TAV_OK;
}

tav_status judge_tracks(struct tav_self *self, const struct tav_order *order, uint32_t first, uint32_t end,
                        const struct tav_overlap *overlap, struct judgement *judgement)
{
	const struct tav_host *host = self->host;
	struct judge judge = {
	        .self = self,
	        .patterns = self->state,
	        .found = judgement,
	        .start = host->column(self, 0, TAV_COL_START_NS),
	        .end = host->column(self, 0, TAV_COL_END_NS),
	        .label = host->column(self, 0, TAV_COL_LABEL),
	        .tid = host->column(self, 0, TAV_COL_TID),
	        .traits = host->column(self, 0, TAV_COL_TRAITS),
	};
	tav_status status = TAV_OK;

	if (!judge.start || !judge.end || !judge.label || !judge.tid || !judge.traits)
		return tav_fail(self, "a column is missing");
	judgement->judged.struct_size = judgement->measured.struct_size = sizeof(judgement->judged);
	judgement->instances.limit = (uint64_t)self->options[OPT_MAX_INSTANCES]->integer;
	if (judge.patterns->count) {
		judge.is_allowed = host->alloc(self, (size_t)host->label_count(self, 0) + 1);
		if (!judge.is_allowed)
			return TAV_FAILED;
	}
	for (uint32_t track = first; track < end && !status; track++) {
		if (order->first[track + 1] == order->first[track])
			continue;
		status = host->cancelled(self) ? TAV_CANCELLED : judge_track(&judge, order, track, overlap);
	}
	return status;
}

/* ---- Merging ------------------------------------------------------------------------------------------------ */

static void merge_totals(struct tav_overlap_totals *into, const struct tav_overlap_totals *from)
{
	into->event_count += from->event_count;
	into->track_count += from->track_count;
	into->offending_count += from->offending_count;
	into->partial_count += from->partial_count;
	into->pair_count += from->pair_count;
	into->allowed_count += from->allowed_count;
	into->overlap_ns = tav_sum(into->overlap_ns, from->overlap_ns);
}

tav_status judgement_merge(struct tav_self *self, struct judgement *into, const struct judgement *from)
{
	tav_status status = hits_add(self, &into->hits, from->hits.items, from->hits.count);

	merge_totals(&into->judged, &from->judged);
	merge_totals(&into->measured, &from->measured);
	into->duplicates += from->duplicates;
	into->judged_duplicates += from->judged_duplicates;
	into->judged_default_stream += from->judged_default_stream;
	into->other_tid += from->other_tid;
	if (!into->unknown_work)
		into->unknown_lane = from->unknown_lane;
	into->unknown_work += from->unknown_work;
	for (uint64_t i = 0; i < from->instances.count && !status; i++)
		status = instances_add(self, &into->instances, &from->instances.items[i]);
	return status;
}
