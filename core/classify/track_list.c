/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <classify/track.h>
#include <classify/track_list.h>
#include <kit/text.h>
#include <tav/kit.h>

bool track_list_add(struct track_list *list, const uint32_t *words)
{
	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity ? list->capacity * 2 : 64;
		uint32_t *grown = list->capacity > UINT32_MAX / 4
		                          ? NULL
		                          : realloc(list->words, (size_t)capacity * list->stride * sizeof(*grown));
		if (!grown)
			return false;
		list->words = grown;
		list->capacity = capacity;
	}
	memcpy(list->words + (size_t)list->count * list->stride, words, list->stride * sizeof(*words));
	list->count++;
	return true;
}

void track_list_fini(struct track_list *list)
{
	free(list->words);
}

/* ---- Order -------------------------------------------------------------------------------------------------- */

static bool is_whole_number(struct tav_text text)
{
	size_t at = text.size && text.data[0] == '-';

	if (at == text.size || (text.data[at] == '0' && text.size > 1))
		return false;
	for (; at < text.size; at++) {
		if (text.data[at] < '0' || text.data[at] > '9')
			return false;
	}
	return true;
}

int track_compare_texts(struct tav_text a, struct tav_text b)
{
	bool a_is_number = is_whole_number(a), b_is_number = is_whole_number(b);

	if (a_is_number != b_is_number)
		return a_is_number ? -1 : 1;
	if (!a_is_number)
		return tav_text_compare(a, b);
	bool a_is_negative = a.data[0] == '-', b_is_negative = b.data[0] == '-';
	if (a_is_negative != b_is_negative)
		return a_is_negative ? -1 : 1;
	int order = a.size != b.size ? (a.size < b.size ? -1 : 1) : memcmp(a.data, b.data, a.size);
	return a_is_negative ? -order : order;
}

struct sorting {
	const struct track_list *list;
	const struct intern *values;
};

/* By the keys that tell devices apart, or by all of them. */
static int compare_words(const struct sorting *sorting, const uint32_t *a, const uint32_t *b, bool is_of_device)
{
	for (uint32_t i = 1; i < sorting->list->stride; i++) {
		if (a[i] == b[i] || (is_of_device && !sorting->list->keys[i - 1].is_device))
			continue;
		int order = track_compare_texts(intern_kept(sorting->values, a[i]), intern_kept(sorting->values, b[i]));
		if (order)
			return order;
	}
	return 0;
}

/* Device tracks first, by device, key and lane; then threads by pid and tid. */
static int compare_tracks(const void *a, const void *b, void *user)
{
	const struct sorting *sorting = user;
	const uint32_t *words_a = track_words(sorting->list, *(const uint32_t *)a);
	const uint32_t *words_b = track_words(sorting->list, *(const uint32_t *)b);

	if (!words_a[0] != !words_b[0])
		return words_a[0] ? -1 : 1;
	if (words_a[0]) {
		int order = compare_words(sorting, words_a, words_b, true);
		if (order)
			return order;
	}
	int order = compare_words(sorting, words_a, words_b, false);
	if (order)
		return order;
	return (words_a[0] > words_b[0]) - (words_a[0] < words_b[0]);
}

/* ---- Description -------------------------------------------------------------------------------------------- */

static const char *key_name(const char *field)
{
	return strncmp(field, "args.", 5) ? field : field + 5;
}

static struct tav_text value_or_none(const struct events *events, uint32_t value)
{
	return value ? intern_kept(&events->values, value) : text_of("none");
}

enum { MOST_PARTS = 4 * TRACK_KEYS + 2 };
struct name_parts {
	struct tav_text items[MOST_PARTS];
	uint32_t count;
};

static void add_part(struct name_parts *parts, struct tav_text text)
{
	parts->items[parts->count++] = text;
}

/* A trace may have a million tracks: no format is parsed for each. NULL: no memory. */
static char *join_parts(const struct name_parts *parts, struct arena *arena)
{
	size_t size = 1;

	for (uint32_t i = 0; i < parts->count; i++)
		size += parts->items[i].size;
	char *name = arena_alloc(arena, size), *at = name;
	for (uint32_t i = 0; name && i < parts->count; i++) {
		if (parts->items[i].size)
			memcpy(at, parts->items[i].data, parts->items[i].size);
		at += parts->items[i].size;
	}
	return name;
}

static char *device_track_name(const struct track_list *list, struct events *events, const uint32_t *words,
                               const char *lane)
{
	struct name_parts parts = {.count = 0};

	for (uint32_t k = 0; k < list->key_count; k++) {
		if (!list->keys[k].is_shown)
			continue;
		add_part(&parts, text_of(parts.count ? ", " : ""));
		add_part(&parts, text_of(key_name(list->keys[k].field)));
		add_part(&parts, text_of(" "));
		add_part(&parts, value_or_none(events, words[1 + k]));
	}
	if (lane && *lane) {
		add_part(&parts, text_of(parts.count ? ", " : ""));
		add_part(&parts, text_of(lane));
	}
	if (!parts.count)
		add_part(&parts, text_of("device"));
	return join_parts(&parts, &events->arena);
}

static char *thread_name(struct events *events, const uint32_t *words)
{
	struct name_parts parts = {.count = 0};

	add_part(&parts, text_of("thread "));
	add_part(&parts, value_or_none(events, words[1]));
	add_part(&parts, text_of("/"));
	add_part(&parts, value_or_none(events, words[2]));
	return join_parts(&parts, &events->arena);
}

static bool describe(const struct track_list *list, struct events *events, const uint32_t *words,
                     struct tav_track *track)
{
	char *name;

	track->struct_size = sizeof(*track);
	track->pid = words[1];
	track->device = TAV_NONE;
	track->lane = text_of("");
	if (words[0]) {
		const struct tav_lane *lane =
		        list->lanes && list->lanes->count ? &list->lanes->items[words[0] - 1] : NULL;
		track->flags = TAV_TRACK_DEVICE | (lane ? lane->flags & TAV_TRACK_SERIAL : TAV_TRACK_SERIAL);
		track->stream = list->key_count > 1 ? words[2] : 0;
		track->lane = text_of(lane ? lane->name : "");
		name = device_track_name(list, events, words, lane ? lane->name : NULL);
	} else {
		track->tid = words[2];
		name = thread_name(events, words);
	}
	track->name = text_of(name);
	return name != NULL;
}

static bool is_same_device(const struct track_list *list, const uint32_t *a, const uint32_t *b)
{
	for (uint32_t k = 0; k < list->key_count; k++) {
		if (list->keys[k].is_device && a[1 + k] != b[1 + k])
			return false;
	}
	return true;
}

/* Tracks of one device stand together. A thread's track belongs to the device of its pid, where there is only one. */
static bool number_devices(const struct track_list *list, struct events *events, const uint32_t *sorted,
                           struct tav_track *tracks)
{
	const uint32_t no_device = 0, several = UINT32_MAX;
	uint32_t device_tracks = 0;

	while (device_tracks < events->track_count && tracks[device_tracks].flags & TAV_TRACK_DEVICE)
		device_tracks++;
	for (uint32_t i = 0; i < device_tracks; i++) {
		events->device_count +=
		        !i || !is_same_device(list, track_words(list, sorted[i]), track_words(list, sorted[i - 1]));
		tracks[i].device = events->device_count - 1;
	}
	uint32_t *device_of = NULL, most = 0;
	for (uint32_t i = 0; i < events->track_count; i++)
		most = tracks[i].pid > most ? tracks[i].pid : most;
	device_of = calloc((size_t)most + 1, sizeof(*device_of));
	if (!device_of)
		return false;
	for (uint32_t i = 0; i < device_tracks; i++) {
		uint32_t *device = &device_of[tracks[i].pid];
		*device = *device == no_device || *device == tracks[i].device + 1 ? tracks[i].device + 1 : several;
	}
	for (uint32_t i = device_tracks; i < events->track_count; i++) {
		uint32_t device = device_of[tracks[i].pid];
		tracks[i].device = device == several ? TAV_NONE : device - 1; /* 0 - 1 is TAV_NONE */
	}
	free(device_of);
	return true;
}

tav_status track_list_finish(const struct track_list *list, struct events *events, uint32_t **number,
                             struct causes *causes)
{
	struct sorting sorting = {list, &events->values};
	uint32_t *sorted = malloc(((size_t)list->count + 1) * sizeof(*sorted));
	struct tav_track *tracks = arena_array(&events->arena, list->count, sizeof(*tracks));
	bool is_done = false;

	*number = malloc(((size_t)list->count + 1) * sizeof(**number));
	events->tracks = arena_array(&events->arena, list->count, sizeof(*events->tracks));
	if (!sorted || !tracks || !*number || !events->tracks)
		goto out;
	for (uint32_t track = 0; track < list->count; track++)
		sorted[track] = track;
	qsort_r(sorted, list->count, sizeof(*sorted), compare_tracks, &sorting);
	events->track_count = list->count;
	events->device_count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		(*number)[sorted[i]] = i;
		events->tracks[i] = &tracks[i];
		if (!describe(list, events, track_words(list, sorted[i]), &tracks[i]))
			goto out;
	}
	is_done = number_devices(list, events, sorted, tracks);
out:
	free(sorted);
	return is_done ? TAV_OK : cause_add(causes, "out of memory: %u tracks", list->count);
}
