/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks are numbered twice: as they come, while a hash table finds the track of each event, and then in the order of
 * their texts, so that no number depends on the order of events in the file.
 */
#include <stdlib.h>
#include <string.h>

#include <classify/refine.h>
#include <classify/track.h>
#include <classify/track_list.h>
#include <kit/text.h>

enum { BATCH = 4096, FIRST_SLOTS = 256 };

enum { MOST_FIELDS = 8 };
struct key_column {
	uint32_t count; /* of fields that some row has, in the order of the key's alternatives */
	struct id_column fields[MOST_FIELDS];
	uint32_t if_absent; /* value id */
	bool has_default;
};

struct builder {
	struct events *events;
	const struct dialect *dialect;
	struct causes *causes;
	struct key_column keys[TRACK_KEYS];
	struct track_list list;
	uint32_t *slots; /* track + 1; 0: free */
	uint32_t slot_mask;
};

bool track_key_is_column(const char *field)
{
	return !strcmp(field, "pid") || !strcmp(field, "tid");
}

/* The values of the option that replace a key's fields; NULL: it has none, or is not set. */
static const struct tav_value *option_of_key(const struct dialect *dialect, const struct tav_key *key)
{
	const struct tav_option_list *options = &dialect->descriptor->options;

	for (uint32_t i = 0; key->option && i < options->count; i++) {
		if (!strcmp(options->items[i].name, key->option))
			return dialect->self->options[i]->count ? dialect->self->options[i] : NULL;
	}
	return NULL;
}

static bool has_any(const struct id_column *column)
{
	uint64_t at = 0;

	while (column->ids && at < column->limit && !column->ids[at])
		at++;
	return column->ids && at < column->limit;
}

static tav_status add_key_field(struct builder *builder, uint32_t k, const char *field)
{
	struct key_column *column = &builder->keys[k];
	struct track_key *shown = &builder->list.keys[k];

	if (column->count == MOST_FIELDS)
		return cause_add(builder->causes, "a key of a track has more than %d fields", MOST_FIELDS);
	if (!events_ids(builder->events, field, &column->fields[column->count]))
		return cause_add(builder->causes, "field '%s' of a track's key was not read", field);
	bool is_there = has_any(&column->fields[column->count]);
	if (!column->count && (!shown->field || is_there))
		shown->field = field;
	column->count += is_there;
	return TAV_OK;
}

static tav_status find_key_column(struct builder *builder, uint32_t k, const struct tav_key *key)
{
	struct key_column *column = &builder->keys[k];
	const struct tav_value *option = builder->dialect ? option_of_key(builder->dialect, key) : NULL;
	tav_status status = TAV_OK;

	column->has_default = key->if_absent && *key->if_absent;
	if (column->has_default) {
		column->if_absent = intern_add(&builder->events->values, key->if_absent, strlen(key->if_absent));
		if (column->if_absent == INTERN_FAILED)
			return cause_add(builder->causes, "out of memory: a default of a track key");
	}
	for (uint64_t i = 0; option && i < option->count && !status; i++)
		status = add_key_field(builder, k, option->items[i]->text.data);
	for (const char *const *field = key->fields; !option && *field && !status; field++)
		status = add_key_field(builder, k, *field);
	return status;
}

static bool has_same_fields(const struct tav_key *a, const struct tav_key *b)
{
	uint32_t i = 0;

	while (a->fields[i] && b->fields[i] && !strcmp(a->fields[i], b->fields[i]))
		i++;
	return !a->fields[i] && !b->fields[i];
}

static tav_status add_keys(struct builder *builder, const struct tav_key *keys)
{
	struct track_list *list = &builder->list;

	for (; keys->fields; keys++) {
		uint32_t k = list->key_count;

		if (k == TRACK_KEYS)
			return cause_add(builder->causes, "a track has more than %d keys", TRACK_KEYS);
		if (find_key_column(builder, k, keys))
			return TAV_FAILED;
		list->keys[k].is_shown = k < 2 || builder->keys[k].count;
		list->key_count++;
	}
	return TAV_OK;
}

/* What tells devices apart tells tracks apart too: a track is a part of one device. */
static tav_status mark_device_keys(struct builder *builder, const struct tav_key *devices, const struct tav_key *track)
{
	for (; devices->fields; devices++) {
		uint32_t k = 0;

		while (k < builder->list.key_count && !has_same_fields(devices, &track[k]))
			k++;
		if (k == builder->list.key_count)
			return cause_add(builder->causes, "'%s' tells devices apart, but no tracks",
			                 devices->fields[0] ? devices->fields[0] : "");
		builder->list.keys[k].is_device = true;
	}
	return TAV_OK;
}

static tav_status find_keys(struct builder *builder)
{
	static const char *const pid[] = {"pid", NULL};
	static const struct tav_key pid_alone[] = {{pid, NULL, NULL}, {NULL, NULL, NULL}};
	const struct tav_dialect *descriptor = builder->dialect ? builder->dialect->descriptor : NULL;
	const struct tav_key *track = descriptor && descriptor->track ? descriptor->track : pid_alone;
	struct track_list *list = &builder->list;

	if (add_keys(builder, track) ||
	    mark_device_keys(builder, descriptor && descriptor->device ? descriptor->device : pid_alone, track))
		return TAV_FAILED;
	list->stride = 1 + (list->key_count > 2 ? list->key_count : 2);
	list->lanes = descriptor ? &descriptor->lanes : NULL;
	if (descriptor && descriptor->lanes.count && !descriptor->assign)
		return cause_add(builder->causes, "dialect '%s' has lanes, but no assign()", descriptor->name);
	return TAV_OK;
}

static uint32_t hash_words(const uint32_t *words, uint32_t count)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(hash >> 32);
}

static tav_status grow_slots(struct builder *builder)
{
	uint32_t count = builder->slots ? (builder->slot_mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *slots = count ? calloc(count, sizeof(*slots)) : NULL;

	if (!slots)
		return cause_add(builder->causes, "out of memory: %u tracks", builder->list.count);
	for (uint32_t track = 0; track < builder->list.count; track++) {
		uint32_t at = hash_words(track_words(&builder->list, track), builder->list.stride) & (count - 1);
		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = track + 1;
	}
	free(builder->slots);
	builder->slots = slots;
	builder->slot_mask = count - 1;
	return TAV_OK;
}

static tav_status find_track(struct builder *builder, const uint32_t *words, uint32_t *track)
{
	struct track_list *list = &builder->list;
	uint32_t at = hash_words(words, list->stride) & builder->slot_mask;

	for (; builder->slots[at]; at = (at + 1) & builder->slot_mask) {
		const uint32_t *known = track_words(list, builder->slots[at] - 1);
		uint32_t i = 0;
		while (i < list->stride && known[i] == words[i])
			i++;
		if (i == list->stride) {
			*track = builder->slots[at] - 1;
			return TAV_OK;
		}
	}
	if (!track_list_add(list, words))
		return cause_add(builder->causes, "out of memory: %u tracks", list->count + 1);
	*track = list->count - 1;
	builder->slots[at] = list->count;
	return list->count > builder->slot_mask / 2 ? grow_slots(builder) : TAV_OK;
}

static uint32_t value_at(struct key_column *column, tav_row row)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < column->count && !value; i++)
		value = id_at(&column->fields[i], row);
	return value;
}

/* The key of a device event; true: a default stands in for a part of it. */
static bool device_words(struct builder *builder, tav_row row, uint32_t lane, uint32_t *words)
{
	bool is_default = false;

	words[0] = lane + 1;
	for (uint32_t k = 0; k < builder->list.key_count; k++) {
		struct key_column *column = &builder->keys[k];
		uint32_t value = value_at(column, row);

		if (!value && column->has_default) {
			value = column->if_absent;
			/* Without a pid there is still one process; without a stream there is a guess. */
			is_default |= k == 1;
		}
		words[1 + k] = value;
	}
	return is_default;
}

static tav_status ask_lanes(struct builder *builder, tav_row first, tav_row end, uint32_t *lanes)
{
	const uint32_t *traits = COLUMN(builder->events, traits, const uint32_t);
	const struct tav_dialect *descriptor = builder->dialect->descriptor;
	tav_row rows[BATCH];
	uint32_t count = 0;

	for (tav_row row = first; row < end; row++) {
		if (traits[row] & TAV_TRAIT_DEVICE)
			rows[count++] = row;
	}
	if (!count)
		return TAV_OK;
	memset(lanes, 0, count * sizeof(*lanes));
	tav_status status = descriptor->assign(builder->dialect->self, 0, count, rows, lanes);
	if (status) {
		cause_add(builder->causes, "assign() of dialect '%s' failed", descriptor->name);
		return status;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (lanes[i] >= descriptor->lanes.count)
			return cause_add(builder->causes, "assign() of dialect '%s' gave lane %u of %u",
			                 descriptor->name, lanes[i], descriptor->lanes.count);
	}
	return TAV_OK;
}

/* Neighbours in a file share few tracks: what was found lately is looked at before the table. */
struct recent {
	uint32_t kind, first, second; /* lane + 1, or 0 of a thread; the values of the row's two keys */
	uint32_t track_plus_one;      /* 0: free */
	uint32_t traits;              /* TAV_TRAIT_DEFAULT_TRACK, or 0 */
};
enum { RECENT_BITS = 6 };

static struct recent *recent_slot(struct recent *recent, uint32_t kind, uint32_t first, uint32_t second)
{
	return &recent[((first + kind) * 0x9e3779b1u ^ second * 0x85ebca77u) >> (32 - RECENT_BITS)];
}

static tav_status find_row_track(struct builder *builder, tav_row row, uint32_t kind, struct recent *found)
{
	uint32_t words[1 + TRACK_KEYS] = {0};

	if (kind) {
		found->traits = device_words(builder, row, kind - 1, words) ? TAV_TRAIT_DEFAULT_TRACK : 0;
	} else {
		words[1] = COLUMN(builder->events, pid, const uint32_t)[row];
		words[2] = COLUMN(builder->events, tid, const uint32_t)[row];
		found->traits = 0;
	}
	for (uint32_t i = 1; i < builder->list.stride; i++) { /* they are sorted by their texts, and shown */
		if (!intern_keep(&builder->events->values, words[i]))
			return cause_add(builder->causes, "out of memory: texts of tracks");
	}
	tav_status status = find_track(builder, words, &found->track_plus_one);
	found->track_plus_one++;
	return status;
}

static tav_status walk(struct builder *builder)
{
	struct events *events = builder->events;
	const uint32_t *pid = COLUMN(events, pid, const uint32_t), *tid = COLUMN(events, tid, const uint32_t);
	uint32_t *traits = COLUMN(events, traits, uint32_t), *track = COLUMN(events, track, uint32_t);
	bool has_lanes = builder->list.lanes && builder->list.lanes->count;
	bool has_more_keys = builder->list.key_count > 2; /* than `recent` holds */
	struct recent recent[1 << RECENT_BITS] = {{0}};
	uint32_t lanes[BATCH];
	tav_status status = TAV_OK;

	for (tav_row first = 0; first < events->row_count && !status;) {
		tav_row end = events->row_count - first > BATCH ? first + BATCH : events->row_count;
		uint32_t device_rows = 0;

		if (has_lanes)
			status = ask_lanes(builder, first, end, lanes);
		for (tav_row row = first; row < end && !status; row++) {
			struct recent wanted = {.first = pid[row], .second = tid[row]};
			if (traits[row] & TAV_TRAIT_DEVICE) {
				wanted.kind = 1 + (has_lanes ? lanes[device_rows++] : 0);
				wanted.first = value_at(&builder->keys[0], row);
				wanted.second = value_at(&builder->keys[1], row);
			}
			struct recent *slot = recent_slot(recent, wanted.kind, wanted.first, wanted.second);
			if (!slot->track_plus_one || slot->kind != wanted.kind || slot->first != wanted.first ||
			    slot->second != wanted.second || (has_more_keys && wanted.kind)) {
				*slot = wanted;
				status = find_row_track(builder, row, wanted.kind, slot);
			}
			track[row] = slot->track_plus_one - 1;
			traits[row] |= slot->traits;
		}
		first = end;
	}
	return status;
}

tav_status track_assign(struct events *events, const struct dialect *dialect, struct causes *causes)
{
	struct builder builder = {.events = events, .dialect = dialect, .causes = causes};
	uint32_t *number = NULL;

	tav_status status = find_keys(&builder);
	if (!status && events->row_count &&
	    !pages_reserve(&events->track, (size_t)events->row_count * sizeof(uint32_t)))
		status = cause_add(causes, "out of memory: tracks of %u events", events->row_count);
	if (!status)
		status = grow_slots(&builder);
	if (!status)
		status = walk(&builder);
	if (!status)
		status = track_list_finish(&builder.list, events, &number, causes);
	if (!status) {
		uint32_t *track = COLUMN(events, track, uint32_t);
		for (tav_row row = 0; row < events->row_count; row++)
			track[row] = number[track[row]];
	}
	free(number);
	free(builder.slots);
	track_list_fini(&builder.list);
	return status;
}
