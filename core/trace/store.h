/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event store: the traces of a run as columns. The reader fills it, classification adds traits and tracks, then
 * everything is sealed (read-only pages) and shared by all stages.
 */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include <stdbool.h>

#include <base/arena.h>
#include <base/cause.h>
#include <base/intern.h>
#include <base/pages.h>

/* ---- What is wanted: the fields that some plugin of the run declared, each pair of path and type once ------- */
struct wanted_field {
	const char *path; /* as in struct tav_field; owned by the plugin or the run's arena */
	uint32_t type;    /* TAV_TYPE_INT, REAL, STRING, JSON, PRESENT */
};
struct wanted {
	struct wanted_field *items;
	uint32_t count, capacity;
};
uint32_t wanted_add(struct wanted *wanted, const char *path, uint32_t type); /* its index; TAV_NONE: no memory */
void wanted_fini(struct wanted *wanted);

/* ---- Labels: distinct pairs of category and name, both value ids -------------------------------------------- */
struct label {
	uint32_t name, category;
};

/* ---- What the reader met on its way, each kind once with a count -------------------------------------------- */
enum { NOTICE_WARNING = 1, NOTICE_REPAIR }; /* a repair: lenient reading went on where JSON was broken */
struct notice {
	struct notice *next;
	unsigned kind;
	const char *id;      /* stable, snake_case: "duplicate_key", "bad_utf8", "truncated" */
	const char *message; /* one sentence, with what the first one was */
	uint64_t count;
	uint64_t line, column, offset; /* of the first, counted from 1, 1 and 0; line 0: nowhere in particular */
};

/* ---- One source --------------------------------------------------------------------------------------------- */
struct field_column {
	struct pages data;    /* int64_t, double or uint32_t by type; unused for PRESENT */
	struct pages present; /* uint64_t words; STRING and JSON columns leave it empty: id 0 is missing */
};
struct chosen_order { /* a computed order, kept for the next one who asks */
	struct chosen_order *next;
	uint32_t traits;
	struct tav_order order;
	struct pages first, rows;
};
struct events {
	struct arena arena; /* of this source: texts, notices, tracks */
	const char *path;
	uint32_t form; /* TAV_FORM_... */
	bool is_gzip, is_lenient;
	int64_t rank;
	uint64_t bytes, event_count;
	uint64_t metadata_events; /* ph M */
	tav_row row_count;
	struct pages start_ns, end_ns, label, pid, tid, traits, track, offset, phase;
	struct field_column *fields; /* one for each wanted field */
	uint32_t field_count;
	struct tav_unusable *unusable;
	uint64_t unusable_count;
	uint64_t unmatched_begin, unmatched_end;
	struct notice *notices;
	const char *top_level; /* JSON object: the top-level members but traceEvents; "{}" when there are none */
	size_t top_level_size;
	/* by classification */
	const char *dialect, *dialect_reason;
	const struct tav_track **tracks;
	uint32_t track_count, device_count;
	/* made at first use, under the store's lock */
	struct chosen_order *orders;
};

struct store {
	struct intern values; /* value ids; 0: missing */
	struct pages labels;  /* struct label, by id */
	uint32_t label_count;
	struct wanted wanted;
	struct events **sources; /* NULL where a source could not be read */
	uint32_t source_count;
};

bool store_init(struct store *store);
/* Rows with INTERVAL and all of `traits`, by (track, start, end descending, row). Not thread-safe: callers lock. */
tav_status store_order(struct store *store, uint32_t source, uint32_t traits, const struct tav_order **out,
                       struct causes *causes);
/* All columns become read-only. */
tav_status store_seal(struct store *store, struct causes *causes);
void events_free(struct events *events);
void store_fini(struct store *store);

/* Adds one to the notice `id`, made on first use. `message` is copied. False: no memory. */
bool notice_count(struct events *events, unsigned kind, const char *id, uint64_t line, uint64_t column, uint64_t offset,
                  const char *message);
/* The same for `count` of them at once. */
bool notice_add(struct events *events, unsigned kind, const char *id, uint64_t count, uint64_t line, uint64_t column,
                uint64_t offset, const char *message);
const struct notice *notice_find(const struct events *events, const char *id); /* NULL: none */

#define COLUMN(events, member, type) ((type *)(events)->member.data)

#endif
