/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <base/text.h>
#include <classify/track.h>
#include <classify/track_list.h>

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
	const struct store *store;
};

/* Device tracks first, by key and lane; then threads by pid and tid. */
static int compare_tracks(const void *a, const void *b, void *user)
{
	const struct sorting *sorting = user;
	const uint32_t *words_a = track_words(sorting->list, *(const uint32_t *)a);
	const uint32_t *words_b = track_words(sorting->list, *(const uint32_t *)b);

	if (!words_a[0] != !words_b[0])
		return words_a[0] ? -1 : 1;
	for (uint32_t i = 1; i < sorting->list->stride; i++) {
		if (words_a[i] == words_b[i])
			continue;
		int order = track_compare_texts(intern_text(&sorting->store->values, words_a[i]),
		                                intern_text(&sorting->store->values, words_b[i]));
		if (order)
			return order;
	}
	return (words_a[0] > words_b[0]) - (words_a[0] < words_b[0]);
}

/* ---- Description -------------------------------------------------------------------------------------------- */

static const char *key_name(const char *field)
{
	return strncmp(field, "args.", 5) ? field : field + 5;
}

static struct tav_text value_or_none(const struct store *store, uint32_t value)
{
	return value ? intern_text(&store->values, value) : text_of("none");
}

static char *device_track_name(const struct track_list *list, const struct store *store, struct arena *arena,
                               const uint32_t *words, const char *lane)
{
	char *name = NULL;

	for (uint32_t k = 0; k < list->key_count; k++) {
		struct tav_text value = value_or_none(store, words[1 + k]);
		name = arena_printf(arena, "%s%s%s %.*s", name ? name : "", name ? ", " : "",
		                    key_name(list->keys[k]->field), TEXT_ARGS(value));
		if (!name)
			return NULL;
	}
	if (!lane || !*lane)
		return name ? name : arena_printf(arena, "device");
	return name ? arena_printf(arena, "%s, %s", name, lane) : arena_printf(arena, "%s", lane);
}

static bool describe(const struct track_list *list, const struct store *store, struct arena *arena,
                     const uint32_t *words, struct tav_track *track)
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
		name = device_track_name(list, store, arena, words, lane ? lane->name : NULL);
	} else {
		struct tav_text pid = value_or_none(store, words[1]), tid = value_or_none(store, words[2]);
		track->tid = words[2];
		name = arena_printf(arena, "thread %.*s/%.*s", TEXT_ARGS(pid), TEXT_ARGS(tid));
	}
	track->name = text_of(name);
	return name != NULL;
}

/* One device for each pid that has device tracks, in their order; a thread's track of that pid belongs to it too. */
static bool number_devices(struct events *events, struct tav_track *tracks)
{
	uint32_t device_tracks = 0;

	while (device_tracks < events->track_count && tracks[device_tracks].flags & TAV_TRACK_DEVICE)
		device_tracks++;
	for (uint32_t i = 0; i < device_tracks; i++) {
		events->device_count += !i || tracks[i].pid != tracks[i - 1].pid;
		tracks[i].device = events->device_count - 1;
	}
	uint32_t *device_of = NULL, most = 0;
	for (uint32_t i = 0; i < events->track_count; i++)
		most = tracks[i].pid > most ? tracks[i].pid : most;
	device_of = calloc((size_t)most + 1, sizeof(*device_of));
	if (!device_of)
		return false;
	for (uint32_t i = 0; i < device_tracks; i++)
		device_of[tracks[i].pid] = tracks[i].device + 1;
	for (uint32_t i = device_tracks; i < events->track_count; i++)
		tracks[i].device = device_of[tracks[i].pid] - 1; /* 0 - 1 is TAV_NONE */
	free(device_of);
	return true;
}

tav_status track_list_finish(const struct track_list *list, const struct store *store, struct events *events,
                             uint32_t **number, struct causes *causes)
{
	struct sorting sorting = {list, store};
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
		if (!describe(list, store, &events->arena, track_words(list, sorted[i]), &tracks[i]))
			goto out;
	}
	is_done = number_devices(events, tracks);
out:
	free(sorted);
	return is_done ? TAV_OK : cause_add(causes, "out of memory: %u tracks", list->count);
}
