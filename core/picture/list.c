/* SPDX-License-Identifier: Apache-2.0 */
/* Events one by one: all of them, or those near findings; and beside them annotations and launches. */
#include <picture/picture_of.h>
#include <stdlib.h>
#include <string.h>

#include <facts/facts.h>
#include <kit/text.h>

enum {
	LANE_BYTES = 150,    /* of a lane besides its events, about */
	STRETCH_BYTES = 30,  /* of a stretch */
	LONGEST_NAME = 400,  /* bytes */
	NAME_BYTES = 4,      /* of a name besides its text */
	MOST_NAMED = 1 << 30 /* so that the number of a name and a kind fit a varint of 32 bits */
};

struct listing {
	const struct picture *picture;
	struct listed *listed;
	struct positions positions; /* of a track */
	struct positions rows;      /* of all that is listed */
	bool has_lanes;
};

static bool name_row(const struct picture *picture, struct listed *listed, tav_row row, uint32_t *name)
{
	uint32_t label = COLUMN(picture->events, label, const uint32_t)[row];
	const struct label *labels = COLUMN(picture->events, labels, const struct label);

	if (!listed->number_of_label[label]) {
		size_t size = intern_kept(&picture->events->values, labels[label].name).size;

		listed->labels[listed->name_count] = label;
		listed->number_of_label[label] = ++listed->name_count;
		listed->bytes += NAME_BYTES + (size < LONGEST_NAME ? size : LONGEST_NAME);
	}
	*name = listed->number_of_label[label] - 1;
	return *name < MOST_NAMED;
}

static bool add_event(const struct picture *picture, struct listed *listed, struct lane *lane, tav_row row)
{
	int64_t start, length;
	uint32_t name;

	if (__builtin_sub_overflow(picture->start_ns[row], picture->first_ns, &start) ||
	    __builtin_sub_overflow(picture->end_ns[row], picture->start_ns[row], &length))
		return true; /* of an annotation that lies beyond all times: not drawn */
	if (!bytes_reserve(&lane->data, &listed->arena, 3 * (size_t)VARINT_SIZE) ||
	    !name_row(picture, listed, row, &name))
		return false;
	if (!lane->count++)
		lane->from = lane->before = start;
	bytes_varint(&lane->data, (uint64_t)start - (uint64_t)lane->before);
	bytes_varint(&lane->data, (uint64_t)length);
	bytes_varint(&lane->data, (uint64_t)name * 4 + picture->kind[row]);
	lane->before = start;
	return true;
}

static bool add_device_event(struct listing *listing, struct lane *lane, uint64_t position)
{
	tav_row row = listing->picture->order->rows[position];

	return add_event(listing->picture, listing->listed, lane, row) &&
	       (!listing->has_lanes || positions_add(&listing->rows, row));
}

static void close_lane(struct listed *listed, const struct lane *lane)
{
	listed->bytes += LANE_BYTES + base64_size(lane->data.size);
}

static int compare_positions(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Device events of a track: all, or those that touch one of the stretches. */
static bool list_track(struct listing *listing, const struct picture_track *track)
{
	const struct picture *picture = listing->picture;
	struct listed *listed = listing->listed;
	struct lane *lane = &listed->events[listed->events_count];
	struct positions *positions = &listing->positions;

	*lane = (struct lane){.track = track->number};
	for (uint64_t i = track->first; listed->is_whole && i < track->end; i++) {
		if (!add_device_event(listing, lane, i))
			return false;
	}
	positions->count = 0;
	for (size_t i = 0; !listed->is_whole && i < listed->near.count; i++) {
		if (!find_touching(picture, track, listed->near.items[i], positions))
			return false;
	}
	if (positions->count)
		qsort(positions->items, positions->count, sizeof(*positions->items), compare_positions);
	for (size_t i = 0; i < positions->count; i++) {
		if (i && positions->items[i] == positions->items[i - 1])
			continue;
		if (!add_device_event(listing, lane, positions->items[i]))
			return false;
	}
	if (lane->count) {
		close_lane(listed, lane);
		listed->event_count += lane->count;
		listed->events_count++;
	}
	return true;
}

/* ---- Beside device work ------------------------------------------------------------------------------------------ */
static bool touches(const struct picture *picture, const struct near *near, tav_row row)
{
	int64_t start, end;
	size_t low = 0, high = near->count; /* the first that ends behind the start */

	if (__builtin_sub_overflow(picture->start_ns[row], picture->first_ns, &start) ||
	    __builtin_sub_overflow(picture->end_ns[row], picture->first_ns, &end))
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (near->items[middle].to <= start)
			low = middle + 1;
		else
			high = middle;
	}
	return low < near->count && near->items[low].from < end;
}

static struct lane *next_lane(struct listed *listed, const char *what, uint32_t track)
{
	struct lane *lane = &listed->lanes[listed->lane_count];

	*lane = (struct lane){.what = what, .track = track};
	return lane;
}

static void keep_lane(struct listed *listed, const struct lane *lane)
{
	if (!lane->count)
		return;
	close_lane(listed, lane);
	listed->lane_count++;
}

static bool list_annotations(struct listing *listing)
{
	const struct picture *picture = listing->picture;
	struct listed *listed = listing->listed;
	const struct tav_order *order;
	struct causes causes = {0};

	if (events_order(picture->events, TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK, &order, &causes)) {
		causes_clear(&causes);
		return false;
	}
	for (uint32_t i = 0; i < order->track_count; i++) {
		struct lane *lane = next_lane(listed, "annotation", i);

		for (uint64_t k = order->first[i]; k < order->first[i + 1]; k++) {
			tav_row row = order->rows[k];

			if ((listed->is_whole || touches(picture, &listed->near, row)) &&
			    !add_event(picture, listed, lane, row))
				return false;
		}
		keep_lane(listed, lane);
	}
	return true;
}

struct launch {
	uint32_t track;
	tav_row row;
	int64_t start;
};

static int compare_launches(const void *left, const void *right)
{
	const struct launch *a = left, *b = right;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static bool add_launches(struct listed *listed, const struct picture *picture, struct launch *launches, size_t count)
{
	qsort(launches, count, sizeof(*launches), compare_launches);
	for (size_t i = 0, next; i < count; i = next) {
		struct lane *lane = next_lane(listed, "launch", launches[i].track);

		for (next = i; next < count && launches[next].track == launches[i].track; next++) {
			if (next > i && launches[next].row == launches[next - 1].row)
				continue;
			if (!add_event(picture, listed, lane, launches[next].row))
				return false;
		}
		keep_lane(listed, lane);
	}
	return true;
}

/* Calls of the host that launched what is listed, where links have been looked for. */
static bool list_launches(struct listing *listing)
{
	const struct picture *picture = listing->picture;
	const struct tav_link_list *links = facts_links_found(picture->events);
	const uint32_t *track = COLUMN(picture->events, track, const uint32_t);
	size_t count = 0;
	bool is_ok;

	if (!links || !listing->rows.count)
		return true;
	struct launch *launches = calloc(listing->rows.count, sizeof(*launches));
	for (size_t i = 0; launches && i < listing->rows.count; i++) {
		uint32_t at = links->index[listing->rows.items[i]];
		tav_row row = at == TAV_NONE ? TAV_NONE : links->launch[at];

		if (row != TAV_NONE)
			launches[count++] = (struct launch){track[row], row, picture->start_ns[row]};
	}
	is_ok = launches && (!count || add_launches(listing->listed, picture, launches, count));
	free(launches);
	return is_ok;
}

static bool list_all(struct listing *listing)
{
	for (uint32_t i = 0; i < listing->picture->drawn_count; i++) {
		if (!list_track(listing, &listing->picture->tracks[i]))
			return false;
	}
	return !listing->has_lanes || (list_annotations(listing) && list_launches(listing));
}

bool list_events(const struct picture *picture, struct listed *listed, uint64_t most_each, bool has_lanes)
{
	struct events *events = picture->events;
	struct listing listing = {.picture = picture, .listed = listed, .has_lanes = has_lanes};
	bool is_ok;

	*listed = (struct listed){.is_whole = most_each == UINT64_MAX};
	listed->events = arena_array(&listed->arena, picture->drawn_count, sizeof(*listed->events));
	listed->lanes = arena_array(&listed->arena, 2 * (size_t)events->track_count + 1, sizeof(*listed->lanes));
	listed->number_of_label = calloc((size_t)events->label_count + 1, sizeof(*listed->number_of_label));
	listed->labels = calloc((size_t)events->label_count + 1, sizeof(*listed->labels));
	is_ok = listed->events && listed->lanes && listed->number_of_label && listed->labels &&
	        (listed->is_whole || find_near(picture, &listed->arena, most_each, &listed->near)) &&
	        list_all(&listing);
	listed->bytes += STRETCH_BYTES * listed->near.count;
	free(listing.positions.items);
	free(listing.rows.items);
	return is_ok;
}

void listed_fini(struct listed *listed)
{
	arena_fini(&listed->arena);
	free(listed->number_of_label);
	free(listed->labels);
}

/* ---- Written ------------------------------------------------------------------------------------------------------
 */
static struct tav_text value_text(const struct picture *picture, uint32_t value)
{
	return intern_kept(&picture->events->values, value);
}

static void put_value(struct json_out *json, const char *key, struct tav_text text)
{
	if (text.size)
		emit_text(json, key, text);
	else
		emit_null(json, key);
}

/* The first and last bytes of a long name, whole characters. */
static bool put_name(struct json_out *json, struct arena *arena, struct tav_text name)
{
	size_t begin = 0, end = name.size;
	const char *text;

	if (name.size <= LONGEST_NAME) {
		emit_text(json, NULL, name);
		return true;
	}
	for (size_t length; begin < LONGEST_NAME / 2; begin += length ? length : 1)
		length = utf8_length(name.data + begin, name.size - begin);
	for (end = name.size - LONGEST_NAME / 2 + 3; end < name.size && ((unsigned char)name.data[end] & 0xc0) == 0x80;)
		end++;
	text = arena_printf(arena, "%.*s...%.*s", (int)begin, name.data, (int)(name.size - end), name.data + end);
	emit_chars(json, NULL, text);
	return text;
}

static void put_lane(struct json_out *json, const struct picture *picture, const struct lane *lane)
{
	const struct tav_track *track = picture->events->tracks[lane->track];

	emit_open_flat(json, NULL, '{');
	if (lane->what) {
		emit_chars(json, "what", lane->what);
		emit_text(json, "name", track->name);
		put_value(json, "pid", value_text(picture, track->pid));
		put_value(json, "tid", value_text(picture, track->tid));
	} else {
		emit_size(json, "track", lane->track);
	}
	emit_size(json, "count", lane->count);
	emit_integer(json, "from", lane->from);
	emit_base64(json, "data", &lane->data);
	emit_close(json, '}');
}

bool put_listed(struct json_out *json, const struct picture *picture, struct listed *listed)
{
	const struct label *labels = COLUMN(picture->events, labels, const struct label);
	bool is_ok = true;

	emit_open(json, "names", '[');
	for (uint32_t i = 0; i < listed->name_count; i++)
		is_ok &= put_name(json, &listed->arena, value_text(picture, labels[listed->labels[i]].name));
	emit_close(json, ']');
	emit_bool(json, "whole", listed->is_whole);
	emit_open_flat(json, "windows", '[');
	for (size_t i = 0; i < (listed->is_whole ? 1 : listed->near.count); i++) {
		struct stretch all = {0, picture->span}, *stretch = listed->is_whole ? &all : &listed->near.items[i];
		emit_open(json, NULL, '[');
		emit_integer(json, NULL, stretch->from);
		emit_integer(json, NULL, stretch->to);
		emit_close(json, ']');
	}
	emit_close(json, ']');
	emit_open(json, "events", '[');
	for (uint32_t i = 0; i < listed->events_count; i++)
		put_lane(json, picture, &listed->events[i]);
	emit_close(json, ']');
	emit_open(json, "lanes", '[');
	for (uint32_t i = 0; i < listed->lane_count; i++)
		put_lane(json, picture, &listed->lanes[i]);
	emit_close(json, ']');
	return is_ok;
}
