/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the stages want changed in one source. While its events are there, edits are kept as they were given; settled,
 * they are lists by byte offset that need neither columns nor texts, so that the source can be written when the events
 * are gone.
 */
#ifndef WRITE_EDITS_H
#define WRITE_EDITS_H

#include <write/splice.h>

#include <trace/store.h>

struct range {
	uint64_t begin, end; /* end UINT64_MAX: with the last event of the list */
};
struct event_edit { /* one event that is changed, or behind which others are added */
	uint64_t offset;
	uint32_t first, count;         /* of members */
	uint32_t first_add, add_count; /* of behind */
};
struct map_edit { /* wherever `path` has one of these values */
	const char *path;
	uint32_t stage;
	const char *of; /* only of metadata events of that name; NULL: of all events */
	uint64_t count;
	const struct tav_text *values, *json; /* values: what stands there, without quotes and escapes */
	int64_t by;                           /* instead of these: what every whole number there grows by; 0: not */
};
struct only_edit { /* of the object at `path`, "args" or "" for the event, only these members stay */
	const char *path;
	uint64_t count;
	const struct tav_text *keys;
};
struct hide_edit { /* names by their hash, but for these */
	uint64_t key[2], count;
	const struct tav_text *keep;
};
struct top_edit {
	const char *key;
	struct tav_text json;
	uint32_t stage;
};
struct edit_counts {
	uint64_t dropped, changed, added, mapped;
	int64_t shift_ns;
	bool is_shifted;
};
struct edits {
	struct arena arena;
	const char *stage_names[16]; /* that gave edits; for messages */
	/* as given */
	uint64_t *drops; /* by row; NULL: none */
	struct given_drop *drops_at;
	struct given_set *sets;
	struct given_add *adds;
	uint64_t drop_at_count, set_count, add_count;
	uint64_t drop_at_capacity, set_capacity, add_capacity;
	bool is_left_out; /* nothing of the source is written */
	/* settled */
	bool is_settled;
	struct range *ranges;
	uint64_t range_count;
	struct event_edit *events;
	uint64_t event_count;
	struct member_edit *members;
	struct tav_text *behind;
	struct tav_text *last; /* behind the last event */
	uint64_t last_count;
	uint64_t first_offset, last_offset; /* of the events of the list; UINT64_MAX: it has none */
	/* both */
	struct map_edit *maps;
	struct top_edit *tops;
	struct hide_edit hide;
	bool is_hidden, is_shortened; /* by `hide`; paths in names and args */
	struct only_edit onlys[2];    /* of the event, of its args: those of the last stage that says so */
	uint32_t map_count, top_count, only_count, map_capacity, top_capacity;
	struct edit_counts counts;
	uint64_t time_unit; /* of the source's times, in ns */
};

/* All of them: false: no memory, or `why`. Texts are copied; `path` and `keep` too. */
bool edits_drop(struct edits *edits, const struct events *events, const uint64_t *rows);
bool edits_drop_at(struct edits *edits, uint64_t count, const uint64_t *offsets);
bool edits_set(struct edits *edits, uint32_t stage, const char *path, const char *keep, uint64_t count,
               const tav_row *rows, const struct tav_text *json);
/* `of` NULL: of all events, else of metadata of that name. */
bool edits_map(struct edits *edits, uint32_t stage, const char *of, const char *path, uint64_t count,
               const struct tav_text *values, const struct tav_text *json);
bool edits_only(struct edits *edits, const char *path, uint64_t count, const struct tav_text *keys);
bool edits_hide(struct edits *edits, const uint64_t key[2], uint64_t count, const struct tav_text *keep);
bool edits_offset(struct edits *edits, uint32_t stage, const char *path, int64_t by);
bool edits_shift(struct edits *edits, int64_t ns); /* false: beyond int64 */
bool edits_add(struct edits *edits, tav_row behind, struct tav_text event);
bool edits_top(struct edits *edits, uint32_t stage, const char *key, struct tav_text json);
/* Is there anything that may change any event, so that each has to be looked at? */
bool edits_touch_all(const struct edits *edits);
/* Is there anything to change? */
bool edits_any(const struct edits *edits);
/* Settled: is there an event that stays? */
bool edits_has_events(const struct edits *edits);
/*
 * Settles them by the events' offsets. TAV_FAILED: `causes`; two stages that set one member of one event are named.
 * What comes later is map(), shift(), top() and add() behind the last event.
 */
tav_status edits_settle(struct edits *edits, const struct events *events, const char *const *stage_ids,
                        struct causes *causes);
void edits_fini(struct edits *edits);

#endif
