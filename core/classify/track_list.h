/* SPDX-License-Identifier: Apache-2.0 */
/* The distinct tracks of one source while they are collected, and what becomes of them. */
#ifndef CLASSIFY_TRACK_LIST_H
#define CLASSIFY_TRACK_LIST_H

#include <trace/store.h>

enum { TRACK_KEYS = 8 };

struct track_key {
	const char *field; /* the first of its alternatives that some row has */
	bool is_shown;     /* part of a track's name */
	bool is_device;    /* tells devices apart */
};

struct track_list {
	uint32_t key_count, stride;
	struct track_key keys[TRACK_KEYS];
	const struct tav_lane_list *lanes; /* of the dialect; NULL: none */
	uint32_t count, capacity;
	uint32_t *words; /* `stride` for each: lane + 1 and the keys' values; of a thread's track 0, pid, tid */
};

static inline const uint32_t *track_words(const struct track_list *list, uint32_t track)
{
	return list->words + (size_t)track * list->stride;
}
bool track_list_add(struct track_list *list, const uint32_t *words); /* false: no memory */
/* Makes events->tracks, numbered in the order of their texts; `number` (to be freed) holds the new number of each. */
tav_status track_list_finish(const struct track_list *list, struct events *events, uint32_t **number,
                             struct causes *causes);
void track_list_fini(struct track_list *list);

#endif
