/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where findings are: around the device events of each instance once their span on either side, or as much of that as
 * MOST_EVENTS events leave, the nearest first.
 */
#include <picture/picture_of.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 200, MOST_CANDIDATES = 4 * MOST_EVENTS };

bool positions_add(struct positions *found, uint64_t position)
{
	if (found->count == found->capacity) {
		size_t capacity = found->capacity ? found->capacity * 2 : 256, bytes;
		uint64_t *items =
		        __builtin_mul_overflow(capacity, sizeof(*items), &bytes) ? NULL : realloc(found->items, bytes);

		if (!items)
			return false;
		found->items = items;
		found->capacity = capacity;
	}
	found->items[found->count++] = position;
	return true;
}

/* The first event of the track that starts at `time` or later. */
static uint64_t first_from(const struct picture *picture, const struct picture_track *track, int64_t time)
{
	uint64_t low = track->first, high = track->end;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (start_of(picture, middle) < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool find_touching(const struct picture *picture, const struct picture_track *track, struct stretch stretch,
                   struct positions *found)
{
	uint64_t at = first_from(picture, track, stretch.from);

	for (uint64_t i = at; i < track->end && start_of(picture, i) < stretch.to; i++) {
		if (!positions_add(found, i))
			return false;
	}
	while (at > track->first) { /* those that began before and still run */
		uint64_t block = (at - 1 - track->first) / REACH_BLOCK, begin = track->first + block * REACH_BLOCK;

		if (picture->reached[track->reach + block] <= stretch.from)
			break;
		for (; picture->latest[track->reach + block] > stretch.from && at > begin; at--) {
			if (end_of(picture, at - 1) > stretch.from && !positions_add(found, at - 1))
				return false;
		}
		at = begin;
	}
	return true;
}

/* How many events start in the stretch, on all drawn tracks. */
static uint64_t count_starts(const struct picture *picture, struct stretch stretch)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < picture->drawn_count; i++)
		count += first_from(picture, &picture->tracks[i], stretch.to) -
		         first_from(picture, &picture->tracks[i], stretch.from);
	return count;
}

static struct stretch widen(const struct picture *picture, struct stretch stretch, int64_t by)
{
	return (struct stretch){stretch.from > by ? stretch.from - by : 0,
	                        picture->span - stretch.to > by ? stretch.to + by : picture->span};
}

static int compare_times(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/*
 * How far around `inner` at most MOST_EVENTS events touch: `by`, less where very many start so near, or as far as the
 * next one beyond them. 0: more of them touch `inner` itself. -1: no memory.
 */
static int64_t reach_around(const struct picture *picture, struct stretch inner, int64_t by, struct positions *found)
{
	int64_t *distances;
	struct stretch outer;

	while (by > 1 && count_starts(picture, widen(picture, inner, by)) > MOST_CANDIDATES)
		by /= 2;
	outer = widen(picture, inner, by);
	found->count = 0;
	for (uint32_t i = 0; i < picture->drawn_count; i++) {
		if (!find_touching(picture, &picture->tracks[i], outer, found))
			return -1;
	}
	if (found->count <= MOST_EVENTS)
		return by;
	distances = (int64_t *)found->items; /* the same room, one for one */
	for (size_t i = 0; i < found->count; i++) {
		int64_t start = start_of(picture, found->items[i]), end = end_of(picture, found->items[i]);

		distances[i] = start >= inner.to ? start - inner.to : end <= inner.from ? inner.from - end : 0;
	}
	qsort(distances, found->count, sizeof(*distances), compare_times);
	return distances[MOST_EVENTS];
}

/* The stretch around an instance; an empty one where too much runs at its very place. False: no memory. */
static bool surround(const struct picture *picture, struct stretch inner, int64_t point, struct stretch *out,
                     struct positions *found)
{
	int64_t span = inner.to > inner.from ? inner.to - inner.from : 1, by = 0;

	if (count_starts(picture, inner) <= MOST_CANDIDATES)
		by = reach_around(picture, inner, span, found);
	if (!by) { /* around the place where its last event begins */
		inner = (struct stretch){point, point};
		by = reach_around(picture, inner, span, found);
	}
	*out = by > 0 ? widen(picture, inner, by) : (struct stretch){0, 0};
	return by >= 0;
}

/* The span of the device events of an instance, and where the last of them begins. False: it has none here. */
static bool span_of(const struct picture *picture, const struct tav_finding_result *finding, uint64_t instance,
                    struct stretch *span, int64_t *point)
{
	bool is_there = false;

	for (uint32_t i = 0; i < finding->events_each; i++) {
		const struct tav_event *event = &finding->events[instance * finding->events_each + i];
		int64_t start, end;

		if (!event->has_time || event->device == TAV_NONE || event->source != picture->shown->results.source ||
		    __builtin_sub_overflow(event->start_ns, picture->first_ns, &start) ||
		    __builtin_sub_overflow(event->end_ns, picture->first_ns, &end) || start < 0 || end > picture->span)
			continue;
		*span = is_there ? (struct stretch){start < span->from ? start : span->from,
		                                    end > span->to ? end : span->to}
		                 : (struct stretch){start, end};
		*point = is_there && start < *point ? *point : start;
		is_there = true;
	}
	return is_there;
}

static int compare_stretches(const void *left, const void *right)
{
	const struct stretch *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

static void join(struct near *near)
{
	size_t kept = 0;

	qsort(near->items, near->count, sizeof(*near->items), compare_stretches);
	for (size_t i = 0; i < near->count; i++) {
		if (kept && near->items[i].from <= near->items[kept - 1].to) {
			if (near->items[i].to > near->items[kept - 1].to)
				near->items[kept - 1].to = near->items[i].to;
		} else {
			near->items[kept++] = near->items[i];
		}
	}
	near->count = kept;
}

/* What is done with each instance that has device events here. */
struct visit {
	bool (*act)(struct visit *visit, const struct tav_finding_result *finding, uint64_t instance,
	            struct stretch span, int64_t point);
	const struct picture *picture;
	struct near *near;
	struct positions found;
	uint64_t most_each;
};

static bool each_instance(struct visit *visit)
{
	const struct results *results = &visit->picture->shown->results;
	struct stretch span;
	int64_t point = 0;

	for (uint32_t i = 0; i < results->stage_count; i++) {
		for (uint32_t k = 0; k < results->stages[i].finding_count; k++) {
			const struct tav_finding_result *finding = &results->stages[i].findings[k]->shown;

			for (uint64_t n = 0; n < finding->instance_count; n++) {
				if (span_of(visit->picture, finding, n, &span, &point) &&
				    !visit->act(visit, finding, n, span, point))
					return false;
			}
		}
	}
	return true;
}

static bool count_one(struct visit *visit, const struct tav_finding_result *finding, uint64_t instance,
                      struct stretch span, int64_t point)
{
	(void)finding, (void)instance, (void)span, (void)point;
	visit->near->found++;
	return true;
}

static bool take_one(struct visit *visit, const struct tav_finding_result *finding, uint64_t instance,
                     struct stretch span, int64_t point)
{
	struct near *near = visit->near;
	struct stretch around;

	(void)finding;
	if (instance >= visit->most_each)
		return true;
	if (!surround(visit->picture, span, point, &around, &visit->found))
		return false;
	if (around.from < around.to) {
		near->items[near->count++] = around;
		near->told++;
	}
	return true;
}

bool find_near(const struct picture *picture, struct arena *arena, uint64_t most_each, struct near *near)
{
	struct visit visit = {.act = count_one, .picture = picture, .near = near, .most_each = most_each};
	bool is_ok;

	each_instance(&visit);
	near->items = arena_array(arena, near->found, sizeof(*near->items));
	visit.act = take_one;
	is_ok = near->items && each_instance(&visit);
	free(visit.found.items);
	if (is_ok && near->count)
		join(near);
	return is_ok;
}

static int compare_numbers(const void *key, const void *item)
{
	uint32_t a = *(const uint32_t *)key, b = ((const struct picture_track *)item)->number;

	return (a > b) - (a < b);
}

static bool mark_one(struct visit *visit, const struct tav_finding_result *finding, uint64_t instance,
                     struct stretch span, int64_t point)
{
	const struct picture *picture = visit->picture;
	const uint32_t *track = COLUMN(picture->events, track, const uint32_t);

	(void)span, (void)point;
	for (uint32_t i = 0; i < finding->events_each; i++) {
		const struct tav_event *event = &finding->events[instance * finding->events_each + i];

		if (event->source != picture->shown->results.source || event->row >= picture->events->row_count)
			continue;
		struct picture_track *found = bsearch(&track[event->row], picture->tracks, picture->track_count,
		                                      sizeof(*found), compare_numbers);
		if (found)
			found->is_found = true;
	}
	return true;
}

void mark_found_tracks(struct picture *picture)
{
	each_instance(&(struct visit){.act = mark_one, .picture = picture});
}
