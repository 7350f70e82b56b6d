/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <write/edits.h>

struct given_drop {
	uint64_t offset;
};
struct given_set {
	tav_row row;
	uint32_t stage;
	const char *path, *keep;
	struct tav_text json;
};
struct given_add {
	tav_row behind; /* TAV_NONE: behind the last */
	struct tav_text event;
};

/* Room for `more` items behind `count`. */
static bool grow(void **items, uint64_t count, uint64_t more, uint64_t *capacity, size_t item_size)
{
	uint64_t wanted = *capacity ? *capacity : 64;
	size_t bytes;

	if (more > UINT64_MAX / 2 - count)
		return false;
	while (wanted < count + more)
		wanted *= 2;
	if (wanted == *capacity)
		return true;
	void *grown = __builtin_mul_overflow(wanted, item_size, &bytes) ? NULL : realloc(*items, bytes);
	if (!grown)
		return false;
	*items = grown;
	*capacity = wanted;
	return true;
}

bool edits_drop(struct edits *edits, const struct events *events, const uint64_t *rows)
{
	size_t words = ((size_t)events->row_count + 63) / 64;

	if (!edits->drops && !(edits->drops = calloc(words + 1, sizeof(*edits->drops))))
		return false;
	for (size_t i = 0; i < words; i++)
		edits->drops[i] |= rows[i];
	return true;
}

bool edits_drop_at(struct edits *edits, uint64_t count, const uint64_t *offsets)
{
	if (!grow((void **)&edits->drops_at, edits->drop_at_count, count, &edits->drop_at_capacity,
	          sizeof(*edits->drops_at)))
		return false;
	for (uint64_t i = 0; i < count; i++)
		edits->drops_at[edits->drop_at_count++].offset = offsets[i];
	return true;
}

static const char *keep_chars(struct edits *edits, const char *chars, bool *is_ok)
{
	const char *copy = chars ? arena_copy(&edits->arena, chars, strlen(chars)) : NULL;

	*is_ok = *is_ok && (copy || !chars);
	return copy;
}

bool edits_set(struct edits *edits, uint32_t stage, const char *path, const char *keep, uint64_t count,
               const tav_row *rows, const struct tav_text *json)
{
	bool is_ok = true;

	path = keep_chars(edits, path, &is_ok);
	keep = keep_chars(edits, keep, &is_ok);
	if (!is_ok || !grow((void **)&edits->sets, edits->set_count, count, &edits->set_capacity, sizeof(*edits->sets)))
		return false;
	for (uint64_t i = 0; i < count && is_ok; i++) {
		struct tav_text copy = arena_text(&edits->arena, json[i]);

		is_ok = copy.data;
		edits->sets[edits->set_count++] = (struct given_set){rows[i], stage, path, keep, copy};
	}
	return is_ok;
}

static struct tav_text *keep_texts(struct edits *edits, uint64_t count, const struct tav_text *texts)
{
	struct tav_text *copies = arena_array(&edits->arena, count + 1, sizeof(*copies));

	for (uint64_t i = 0; copies && i < count; i++) {
		copies[i] = arena_text(&edits->arena, texts[i]);
		if (!copies[i].data)
			return NULL;
	}
	return copies;
}

bool edits_map(struct edits *edits, uint32_t stage, const char *of, const char *path, uint64_t count,
               const struct tav_text *values, const struct tav_text *json)
{
	struct tav_text *from = keep_texts(edits, count, values), *to = from ? keep_texts(edits, count, json) : NULL;
	uint64_t capacity = edits->map_capacity;
	bool is_ok = to && grow((void **)&edits->maps, edits->map_count, 1, &capacity, sizeof(*edits->maps));

	edits->map_capacity = (uint32_t)capacity;
	path = keep_chars(edits, path, &is_ok);
	of = keep_chars(edits, of, &is_ok);
	if (is_ok)
		edits->maps[edits->map_count++] = (struct map_edit){path, stage, of, count, from, to, 0};
	return is_ok;
}

bool edits_only(struct edits *edits, const char *path, uint64_t count, const struct tav_text *keys)
{
	struct tav_text *copies = keep_texts(edits, count, keys);
	uint32_t at = 0;
	bool is_ok = copies != NULL;

	path = keep_chars(edits, path, &is_ok);
	while (is_ok && at < edits->only_count && strcmp(edits->onlys[at].path, path))
		at++;
	if (!is_ok || at == sizeof(edits->onlys) / sizeof(edits->onlys[0]))
		return false;
	edits->onlys[at] = (struct only_edit){path, count, copies};
	edits->only_count += at == edits->only_count;
	return true;
}

bool edits_hide(struct edits *edits, const uint64_t key[2], uint64_t count, const struct tav_text *keep)
{
	struct tav_text *copies = keep_texts(edits, count, keep);

	edits->hide = (struct hide_edit){{key[0], key[1]}, count, copies};
	edits->is_hidden = copies != NULL;
	return edits->is_hidden;
}

bool edits_touch_all(const struct edits *edits)
{
	return edits->map_count || edits->only_count || edits->is_hidden || edits->is_shortened ||
	       edits->counts.shift_ns;
}

bool edits_offset(struct edits *edits, uint32_t stage, const char *path, int64_t by)
{
	if (!by)
		return true;
	if (!edits_map(edits, stage, NULL, path, 0, NULL, NULL))
		return false;
	edits->maps[edits->map_count - 1].by = by;
	return true;
}

bool edits_shift(struct edits *edits, int64_t ns)
{
	edits->counts.is_shifted = true;
	return !__builtin_add_overflow(edits->counts.shift_ns, ns, &edits->counts.shift_ns);
}

static bool settle_last(struct edits *edits);

bool edits_add(struct edits *edits, tav_row behind, struct tav_text event)
{
	struct tav_text copy = arena_text(&edits->arena, event);

	if (!copy.data || !grow((void **)&edits->adds, edits->add_count, 1, &edits->add_capacity, sizeof(*edits->adds)))
		return false;
	edits->adds[edits->add_count++] = (struct given_add){behind, copy};
	return !edits->is_settled || settle_last(edits);
}

bool edits_top(struct edits *edits, uint32_t stage, const char *key, struct tav_text json)
{
	struct tav_text copy = arena_text(&edits->arena, json);
	uint64_t capacity = edits->top_capacity;
	bool is_ok = copy.data && grow((void **)&edits->tops, edits->top_count, 1, &capacity, sizeof(*edits->tops));

	edits->top_capacity = (uint32_t)capacity;
	key = keep_chars(edits, key, &is_ok);
	if (is_ok)
		edits->tops[edits->top_count++] = (struct top_edit){key, copy, stage};
	return is_ok;
}

bool edits_any(const struct edits *edits)
{
	return edits->drops || edits->drop_at_count || edits->set_count || edits->add_count || edits->range_count ||
	       edits->event_count || edits->map_count || edits->only_count || edits->top_count ||
	       edits->counts.shift_ns;
}

bool edits_has_events(const struct edits *edits)
{
	return edits->first_offset != UINT64_MAX &&
	       !(edits->range_count == 1 && edits->ranges[0].begin <= edits->first_offset &&
	         edits->ranges[0].end == UINT64_MAX);
}

/* ---- Settling -------------------------------------------------------------------------------------------------- */
struct placed { /* an event that goes, or something about one that stays, by its offset */
	uint64_t offset;
	uint64_t order; /* as given */
	const struct given_set *set;
	const struct given_add *add;
};

static int by_offset(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_number(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static bool is_dropped(const struct edits *edits, tav_row row)
{
	return edits->drops && edits->drops[row / 64] >> row % 64 & 1;
}

struct walk { /* over the events of the list in their order: rows, and E events, which have none */
	const struct events *events;
	uint64_t row, end, unmatched;
};

/* The next event; `row` TAV_NONE: an E without one, else its own or that of its B. False: no more. */
static bool walk_next(struct walk *walk, uint64_t *offset, tav_row *row, bool *is_end)
{
	const struct events *events = walk->events;
	const uint64_t *offsets = COLUMN(events, offset, uint64_t);
	const struct tav_unmatched *ends = events->pair_ends.data, *unmatched = events->unmatched.data;

	while (walk->unmatched < events->unmatched_count && unmatched[walk->unmatched].row != TAV_NONE)
		walk->unmatched++; /* a B is a row */
	uint64_t at_row = walk->row < events->row_count ? offsets[walk->row] : UINT64_MAX;
	uint64_t at_end = walk->end < events->pair_end_count ? ends[walk->end].offset : UINT64_MAX;
	uint64_t at_unmatched =
	        walk->unmatched < events->unmatched_count ? unmatched[walk->unmatched].offset : UINT64_MAX;

	*is_end = true;
	*row = TAV_NONE;
	if (at_row < at_end && at_row < at_unmatched) {
		*offset = at_row;
		*row = (tav_row)walk->row++;
		*is_end = false;
	} else if (at_end < at_unmatched) {
		*offset = at_end;
		*row = ends[walk->end++].row;
	} else {
		*offset = at_unmatched;
		walk->unmatched += at_unmatched != UINT64_MAX;
	}
	return *offset != UINT64_MAX;
}

static bool add_range(struct edits *edits, uint64_t *capacity, uint64_t begin, uint64_t end)
{
	if (edits->range_count && edits->ranges[edits->range_count - 1].end == begin) {
		edits->ranges[edits->range_count - 1].end = end;
		return true;
	}
	if (!grow((void **)&edits->ranges, edits->range_count, 1, capacity, sizeof(*edits->ranges)))
		return false;
	edits->ranges[edits->range_count++] = (struct range){begin, end};
	return true;
}

static bool settle_drops(struct edits *edits, const struct events *events)
{
	struct walk walk = {.events = events};
	uint64_t offset, begin = UINT64_MAX, at = 0, capacity = 0;
	tav_row row;
	bool is_end, is_ok = true;

	edits->first_offset = edits->last_offset = UINT64_MAX;
	if (edits->drop_at_count)
		qsort(edits->drops_at, edits->drop_at_count, sizeof(*edits->drops_at), by_number);
	while (is_ok && walk_next(&walk, &offset, &row, &is_end)) {
		if (edits->first_offset == UINT64_MAX)
			edits->first_offset = offset;
		edits->last_offset = offset;
		if (begin != UINT64_MAX)
			is_ok = add_range(edits, &capacity, begin, offset);
		begin = UINT64_MAX;
		while (at < edits->drop_at_count && edits->drops_at[at].offset < offset)
			at++;
		bool is_named = at < edits->drop_at_count && edits->drops_at[at].offset == offset;
		if (is_named || (row != TAV_NONE && is_dropped(edits, row))) {
			begin = offset;
			edits->counts.dropped++;
		}
	}
	return is_ok && (begin == UINT64_MAX || add_range(edits, &capacity, begin, UINT64_MAX));
}

/* The offset of the E of each pair, by row: sorted by row for a search. */
static int by_row(const void *left, const void *right)
{
	const struct tav_unmatched *a = left, *b = right;

	return a->row < b->row ? -1 : a->row > b->row;
}

static uint64_t end_of(const struct tav_unmatched *ends, uint64_t count, tav_row row)
{
	struct tav_unmatched key = {.row = row};
	const struct tav_unmatched *found = count ? bsearch(&key, ends, count, sizeof(key), by_row) : NULL;

	return found ? found->offset : UINT64_MAX;
}

/* What moves an event as a whole moves both events of a pair; its own times and args are the B's. */
static bool is_of_both(const char *path)
{
	return !strcmp(path, "pid") || !strcmp(path, "tid");
}

static bool find_clash(const struct placed *placed, uint64_t count, const char *const *stage_ids, struct causes *causes)
{
	for (uint64_t i = 0; i < count; i++) {
		for (uint64_t j = i + 1; j < count && placed[j].offset == placed[i].offset; j++) {
			const struct given_set *a = placed[i].set, *b = placed[j].set;

			if (!a || !b || a->stage == b->stage || strcmp(a->path, b->path))
				continue;
			cause_add(causes,
			          "the stages '%s' and '%s' both set \"%s\" of the event at byte %llu: leave one of "
			          "them out",
			          stage_ids[a->stage], stage_ids[b->stage], a->path,
			          (unsigned long long)placed[i].offset);
			return true;
		}
	}
	return false;
}

static bool place_all(const struct edits *edits, const struct events *events, struct placed *placed, uint64_t *count)
{
	const uint64_t *offsets = COLUMN(events, offset, uint64_t);
	uint64_t end_count = events->pair_end_count, bytes = end_count * sizeof(struct tav_unmatched);
	struct tav_unmatched *ends = malloc(bytes + 1);

	if (!ends)
		return false;
	if (bytes)
		memcpy(ends, events->pair_ends.data, bytes);
	qsort(ends, end_count, sizeof(*ends), by_row);
	for (uint64_t i = 0; i < edits->set_count; i++) {
		const struct given_set *set = &edits->sets[i];
		uint64_t end = is_of_both(set->path) ? end_of(ends, end_count, set->row) : UINT64_MAX;

		if (is_dropped(edits, set->row))
			continue;
		placed[(*count)++] = (struct placed){offsets[set->row], i, set, NULL};
		if (end != UINT64_MAX)
			placed[(*count)++] = (struct placed){end, i, set, NULL};
	}
	for (uint64_t i = 0; i < edits->add_count; i++) {
		const struct given_add *add = &edits->adds[i];

		if (add->behind == TAV_NONE || is_dropped(edits, add->behind))
			continue;
		uint64_t end = end_of(ends, end_count, add->behind);
		placed[(*count)++] = (struct placed){end == UINT64_MAX ? offsets[add->behind] : end,
		                                     edits->set_count + i, NULL, add};
	}
	free(ends);
	qsort(placed, *count, sizeof(*placed), by_offset);
	return true;
}

static bool settle_events(struct edits *edits, const struct placed *placed, uint64_t count)
{
	uint64_t members = 0, behind = 0;

	edits->events = arena_array(&edits->arena, count, sizeof(*edits->events));
	edits->members = arena_array(&edits->arena, count, sizeof(*edits->members));
	edits->behind = arena_array(&edits->arena, count, sizeof(*edits->behind));
	if (!edits->events || !edits->members || !edits->behind || count > UINT32_MAX)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct event_edit *event = edits->event_count ? &edits->events[edits->event_count - 1] : NULL;

		if (!event || event->offset != placed[i].offset) {
			event = &edits->events[edits->event_count++];
			*event = (struct event_edit){placed[i].offset, (uint32_t)members, 0, (uint32_t)behind, 0};
		}
		if (placed[i].set) {
			edits->counts.changed += !event->count;
			event->count++;
			edits->members[members++] =
			        (struct member_edit){placed[i].set->path, placed[i].set->keep, placed[i].set->json};
		} else {
			event->add_count++;
			edits->behind[behind++] = placed[i].add->event;
			edits->counts.added++;
		}
	}
	return true;
}

static bool settle_last(struct edits *edits)
{
	edits->last = arena_array(&edits->arena, edits->add_count, sizeof(*edits->last));
	edits->last_count = 0;
	for (uint64_t i = 0; edits->last && i < edits->add_count; i++) {
		if (edits->adds[i].behind == TAV_NONE)
			edits->last[edits->last_count++] = edits->adds[i].event;
	}
	return edits->last;
}

tav_status edits_settle(struct edits *edits, const struct events *events, const char *const *stage_ids,
                        struct causes *causes)
{
	uint64_t count = 0;
	struct placed *placed = calloc(2 * edits->set_count + edits->add_count + 1, sizeof(*placed));
	bool is_ok = placed && settle_drops(edits, events) && place_all(edits, events, placed, &count);
	bool is_clash = is_ok && find_clash(placed, count, stage_ids, causes);

	is_ok = is_ok && !is_clash && settle_events(edits, placed, count) && settle_last(edits);
	free(placed);
	free(edits->drops);
	free(edits->drops_at);
	free(edits->sets);
	edits->drops = NULL;
	edits->drops_at = NULL;
	edits->sets = NULL;
	edits->drop_at_count = edits->set_count = 0;
	edits->is_settled = true;
	if (is_ok)
		return TAV_OK;
	return is_clash ? TAV_FAILED : cause_add(causes, "out of memory for the edits of %s", events->path);
}

void edits_fini(struct edits *edits)
{
	free(edits->drops);
	free(edits->drops_at);
	free(edits->sets);
	free(edits->adds);
	free(edits->ranges);
	free(edits->maps);
	free(edits->tops);
	arena_fini(&edits->arena);
	*edits = (struct edits){0};
}
