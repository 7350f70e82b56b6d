/* SPDX-License-Identifier: Apache-2.0 */
/* "tav.steps/1": marks of the host, cut on the device by what was launched within them. */
#include <stdlib.h>
#include <string.h>

#include <facts/facts_of.h>

enum { MOST_DEVICE_STEPS = 1 << 28 };

struct cutter {
	struct events *events;
	const struct tav_link_list *links;
	const int64_t *start_ns, *end_ns;
	struct tav_step *steps;
	struct tav_device_step *devices;
	int64_t *window_begin, *window_end;
	int64_t *after; /* of each device: the first event launched after the last step; INT64_MAX: none */
	int32_t *step_of;
	uint32_t count, device_count;
	bool by_launch;
};

static bool has_length(const struct cutter *cutter, tav_row row)
{
	return cutter->end_ns[row] > cutter->start_ns[row];
}

static uint32_t device_of(const struct cutter *cutter, tav_row row)
{
	return cutter->events->tracks[COLUMN(cutter->events, track, const uint32_t)[row]]->device;
}

/* ---- Marks ------------------------------------------------------------------------------------------------------ */
static int compare_marks(const void *a, const void *b)
{
	const struct tav_step *left = a, *right = b;

	if (left->start_ns != right->start_ns)
		return left->start_ns < right->start_ns ? -1 : 1;
	if (left->end_ns != right->end_ns)
		return left->end_ns < right->end_ns ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

static int64_t number_at_end(struct tav_text name)
{
	size_t at = name.size;
	int64_t number = 0;

	while (at && name.data[at - 1] >= '0' && name.data[at - 1] <= '9')
		at--;
	if (at == name.size)
		return -1;
	for (; at < name.size; at++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, name.data[at] - '0', &number))
			return -1;
	}
	return number;
}

/* All marks, then by start, of equal names the first. */
static tav_status find_marks(struct cutter *cutter, struct arena *arena, struct causes *causes)
{
	struct events *events = cutter->events;
	const uint32_t wanted = TAV_TRAIT_INTERVAL | TAV_TRAIT_STEP, *traits = COLUMN(events, traits, const uint32_t);
	const uint32_t *label = COLUMN(events, label, const uint32_t);
	const struct label *labels = COLUMN(events, labels, const struct label);
	uint32_t count = 0, kept = 0;

	for (tav_row row = 0; row < events->row_count; row++)
		count += (traits[row] & wanted) == wanted && has_length(cutter, row);
	cutter->steps = arena_array(arena, count, sizeof(*cutter->steps));
	unsigned char *is_seen = calloc(events->values.count, 1); /* by value id of the name */
	if (!cutter->steps || !is_seen) {
		free(is_seen);
		return cause_add(causes, "out of memory: %u steps", count);
	}
	for (tav_row row = 0, i = 0; row < events->row_count; row++) {
		if ((traits[row] & wanted) == wanted && has_length(cutter, row))
			cutter->steps[i++] = (struct tav_step){
			        .row = row, .start_ns = cutter->start_ns[row], .end_ns = cutter->end_ns[row]};
	}
	qsort(cutter->steps, count, sizeof(*cutter->steps), compare_marks);
	for (uint32_t i = 0; i < count; i++) {
		struct tav_step step = cutter->steps[i];
		uint32_t name = labels[label[step.row]].name;
		if (is_seen[name])
			continue;
		is_seen[name] = 1;
		step.name = intern_kept(&events->values, name);
		step.number = number_at_end(step.name);
		cutter->steps[kept++] = step;
	}
	free(is_seen);
	cutter->count = kept;
	return TAV_OK;
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */
static int32_t step_at(const struct cutter *cutter, int64_t time)
{
	uint32_t low = 0, high = cutter->count; /* the first that starts later */

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (cutter->steps[middle].start_ns <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return TAV_STEP_BEFORE;
	if (time < cutter->steps[low - 1].end_ns)
		return (int32_t)low - 1;
	return low == cutter->count ? TAV_STEP_AFTER : TAV_STEP_OUTSIDE;
}

static void widen_window(struct cutter *cutter, uint32_t device, tav_row row)
{
	if (!has_length(cutter, row))
		return;
	if (cutter->start_ns[row] < cutter->window_begin[device])
		cutter->window_begin[device] = cutter->start_ns[row];
	if (cutter->end_ns[row] > cutter->window_end[device])
		cutter->window_end[device] = cutter->end_ns[row];
}

/* Which step each event belongs to; where events with length begin in each step of their device. */
static void find_members(struct cutter *cutter)
{
	for (uint64_t i = 0; i < cutter->links->count; i++) {
		tav_row row = cutter->links->rows[i], mark = cutter->by_launch ? cutter->links->launch[i] : row;
		uint32_t device = device_of(cutter, row);
		int32_t step = mark == TAV_NONE ? TAV_STEP_OUTSIDE : step_at(cutter, cutter->start_ns[mark]);

		cutter->step_of[i] = step;
		widen_window(cutter, device, row);
		if (step == TAV_STEP_AFTER && has_length(cutter, row) && cutter->start_ns[row] < cutter->after[device])
			cutter->after[device] = cutter->start_ns[row];
		if (step < 0)
			continue;
		struct tav_device_step *own = &cutter->devices[(size_t)device * cutter->count + (uint32_t)step];
		own->device_events++;
		cutter->steps[step].device_events++;
		/* is_open says for now that there is a begin */
		if (has_length(cutter, row) && (!own->is_open || cutter->start_ns[row] < own->begin_ns)) {
			own->begin_ns = cutter->start_ns[row];
			own->is_open = 1;
		}
	}
}

/* ---- Borders ---------------------------------------------------------------------------------------------------- */
static int64_t clamp(int64_t time, int64_t low, int64_t high)
{
	return time < low ? low : time > high ? high : time;
}

static void cut_device(struct cutter *cutter, uint32_t device)
{
	struct tav_device_step *own = &cutter->devices[(size_t)device * cutter->count];
	int64_t from = cutter->window_begin[device], to = cutter->window_end[device], latest = from;
	bool is_open = cutter->by_launch && cutter->after[device] == INT64_MAX;

	for (uint32_t i = 0; i < cutter->count; i++) {
		if (!cutter->by_launch) {
			own[i].begin_ns = clamp(cutter->steps[i].start_ns, from, to);
			own[i].is_open = 1;
		}
		if (own[i].is_open)
			latest = own[i].begin_ns = own[i].begin_ns > latest ? own[i].begin_ns : latest;
	}
	int64_t end = is_open ? to : cutter->after[device];
	if (!cutter->by_launch) {
		end = clamp(cutter->steps[cutter->count - 1].end_ns, from, to);
		is_open = end >= to;
	}
	end = end > latest ? end : latest;
	for (uint32_t i = cutter->count; i-- > 0;) {
		bool has_begin = own[i].is_open;

		/* A step with another mark behind it is over, even where nothing was launched within that one. */
		own[i].is_open = i + 1 == cutter->count && is_open;
		own[i].end_ns = end;
		if (!has_begin)
			own[i].begin_ns = end;
		end = own[i].begin_ns;
	}
}

static int compare_counts(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static tav_status find_short(struct cutter *cutter, struct causes *causes)
{
	uint64_t *counts = malloc(cutter->count * sizeof(*counts));

	if (!counts)
		return cause_add(causes, "out of memory: %u steps", cutter->count);
	for (uint32_t i = 0; i < cutter->count; i++)
		counts[i] = cutter->steps[i].device_events;
	qsort(counts, cutter->count, sizeof(*counts), compare_counts);
	uint64_t median = counts[(cutter->count - 1) / 2];
	free(counts);
	for (uint32_t i = 0; i < cutter->count; i++)
		cutter->steps[i].is_short = cutter->steps[i].device_events < median - median / 2;
	return TAV_OK;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */
static tav_status take_arrays(struct cutter *cutter, struct arena *arena, struct causes *causes)
{
	uint32_t device_count = cutter->device_count;

	if ((uint64_t)device_count * cutter->count > MOST_DEVICE_STEPS)
		return cause_add(causes, "%u steps on %u devices are more than can be told apart", cutter->count,
		                 device_count);
	cutter->devices = arena_array(arena, (size_t)device_count * cutter->count, sizeof(*cutter->devices));
	cutter->window_begin = arena_array(arena, device_count, sizeof(int64_t));
	cutter->window_end = arena_array(arena, device_count, sizeof(int64_t));
	cutter->after = arena_array(arena, device_count, sizeof(int64_t));
	cutter->step_of = arena_array(arena, cutter->links->count, sizeof(*cutter->step_of));
	if (!cutter->devices || !cutter->window_begin || !cutter->window_end || !cutter->after || !cutter->step_of)
		return cause_add(causes, "out of memory: steps of %u devices", device_count);
	for (uint32_t i = 0; i < device_count; i++) {
		cutter->window_begin[i] = cutter->after[i] = INT64_MAX;
		cutter->window_end[i] = INT64_MIN;
	}
	return TAV_OK;
}

static tav_status cut(struct cutter *cutter, struct arena *arena, struct causes *causes)
{
	if (find_marks(cutter, arena, causes) || take_arrays(cutter, arena, causes))
		return TAV_FAILED;
	find_members(cutter);
	for (uint32_t i = 0; i < cutter->device_count; i++) {
		if (cutter->window_begin[i] == INT64_MAX) /* nothing with length: an empty window */
			cutter->window_begin[i] = cutter->window_end[i] = 0;
		if (cutter->count)
			cut_device(cutter, i);
	}
	return cutter->count ? find_short(cutter, causes) : TAV_OK;
}

tav_status facts_steps(struct events *events, const struct tav_step_list **out, struct causes *causes)
{
	const struct tav_link_list *links;

	*out = NULL;
	if (facts_links(events, &links, causes))
		return TAV_FAILED;
	struct facts *facts = facts_of(events);
	if (!facts->steps) {
		struct cutter cutter = {.events = events,
		                        .links = links,
		                        .start_ns = COLUMN(events, start_ns, const int64_t),
		                        .end_ns = COLUMN(events, end_ns, const int64_t),
		                        .device_count = events->device_count,
		                        .by_launch = links->linked_count >= links->count - links->linked_count};
		struct tav_step_list *list = arena_alloc(&facts->steps_arena, sizeof(*list));
		if (!list || cut(&cutter, &facts->steps_arena, causes))
			return cause_add(causes, "cannot find the steps of %s", events->path);
		*list = (struct tav_step_list){sizeof(*list),       cutter.by_launch,  cutter.count,
		                               cutter.device_count, cutter.steps,      cutter.devices,
		                               cutter.window_begin, cutter.window_end, cutter.step_of};
		if (!arena_seal(&facts->steps_arena))
			return cause_add(causes, "cannot make the steps of %s read-only", events->path);
		facts->steps = list;
	}
	*out = facts->steps;
	return TAV_OK;
}
