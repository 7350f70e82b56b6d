/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event store: one source as columns, with the texts that it holds. The reader fills it, classification adds traits
 * and tracks, then everything is sealed (read-only pages) and shown to the stages. Ids of texts and labels are its own.
 */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include <stdbool.h>

#include <kit/arena.h>
#include <kit/cause.h>
#include <kit/intern.h>
#include <kit/pages.h>
#include <tav/edits.h>
#include <trace/field.h>

/* ---- What is wanted: the fields that some plugin of the run declared, each pair of path and type once ------- */
struct wanted_field {
	const char *path; /* as in struct tav_field; owned by the plugin or the run's arena */
	uint32_t type;    /* TAV_TYPE_INT, REAL, STRING, JSON, PRESENT */
	uint32_t flags;   /* TAV_FIELD_... */
};
struct wanted {
	struct wanted_field *items;
	uint32_t count, capacity;
};
uint32_t wanted_add(struct wanted *wanted, const char *path, uint32_t type); /* its index; TAV_NONE: no memory */
uint32_t wanted_add_flagged(struct wanted *wanted, const char *path, uint32_t type, uint32_t flags);
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
struct id_column { /* value ids of rows, as far as they are stored */
	const uint32_t *ids;
	const tav_row *rows; /* sparse: of the ids; NULL: the id of row i stands at i */
	uint64_t limit;      /* of `ids` */
	uint64_t at;         /* where the last row was found: ask for one row after the other */
};
static inline uint32_t id_at(struct id_column *column, tav_row row)
{
	if (__builtin_expect(!column->rows, 1))
		return row < column->limit ? column->ids[row] : 0;
	return tav_rows_find(column->rows, column->limit, &column->at, row) ? column->ids[column->at] : 0;
}
struct chosen_order { /* a computed order, kept for the next one who asks */
	struct chosen_order *next;
	uint32_t traits;
	struct tav_order order;
	struct pages first, rows;
};
struct events {
	struct arena arena; /* of this source: texts, notices, tracks; sealed with the columns */
	struct arena made;  /* what is made at first use, after that */
	const char *path;
	uint32_t form; /* TAV_FORM_... */
	bool is_gzip, is_lenient;
	int64_t rank, world_size; /* of distributedInfo; -1: not there */
	uint64_t bytes, event_count;
	uint64_t content;         /* hash of the inflated bytes */
	uint64_t time_unit;       /* of ts and dur in the file, in ns */
	uint64_t metadata_events; /* ph M */
	tav_row row_count;
	struct pages start_ns, end_ns, label, pid, tid, traits, track, offset, phase;
	const struct wanted *wanted; /* of the run */
	struct field_column *fields; /* one for each wanted field */
	uint32_t field_count;
	struct intern values; /* value ids; 0: missing */
	struct pages labels;  /* struct label, by id */
	uint32_t label_count;
	struct tav_unusable *unusable; /* in pages, so that they can be sealed */
	struct pages unusable_pages;
	uint64_t unusable_count;
	struct pages unmatched;       /* struct tav_unmatched, by offset */
	struct pages unmatched_times; /* struct tav_unmatched_time, of each of them */
	uint64_t unmatched_count;
	struct pages
	        pair_ends; /* struct tav_unmatched: the E of each pair with the row of its B, where one will write */
	uint64_t pair_end_count;
	uint64_t unmatched_begin, unmatched_end;
	struct notice *notices;
	const char *top_level; /* JSON object: the top-level members but traceEvents; "{}" when there are none */
	size_t top_level_size;
	/* by classification */
	const char *dialect, *dialect_reason;
	const char *second_dialect; /* that recognised it too, if less; NULL: none */
	const char *track_word;
	uint32_t flavour; /* TAV_FLAVOUR_... */
	const struct tav_track **tracks;
	uint32_t track_count, device_count;
	uint64_t device_event_count, zero_time_count, unusable_device_count;
	int64_t first_ns, last_ns;
	struct pages kind;            /* uint8_t */
	struct pages link, operators; /* uint32_t; made when somebody asks: facts/ */
	struct pages label_calls;     /* uint8_t TAV_CALL_... of each label; no data: all 0 */
	/* wanted indexes of the dialect's alternatives, in their order; those that were not read are left out */
	const uint32_t *link_fields, *operator_fields;
	uint32_t link_field_count, operator_field_count;
	bool has_unread_links; /* the dialect has link fields, and nobody wanted them */
	/* made at first use, under the lock of who looks */
	struct chosen_order *orders;
	struct facts *facts; /* links, steps; see facts/ */
};

void events_init(struct events *events);
/* The column of "pid", "tid", or of a field that is wanted as TAV_TYPE_STRING. False: it was not read. */
bool events_ids(const struct events *events, const char *path, struct id_column *column);
bool events_ids_of(const struct events *events, uint32_t wanted, struct id_column *column);
/* Rows with INTERVAL and all of `traits`, by (track, start, end descending, row). Not thread-safe: callers lock. */
tav_status events_order(struct events *events, uint32_t traits, const struct tav_order **out, struct causes *causes);
/* Calls `act` for every mapping that a verdict rests on: columns, texts, labels, unusable lists. */
void events_each_pages(struct events *events, void (*act)(void *user, struct pages *pages), void *user);
/* All of it becomes read-only. */
tav_status events_seal(struct events *events, struct causes *causes);
void events_free(struct events *events);

/* Adds one to the notice `id`, made on first use. `message` is copied. False: no memory. */
bool notice_count(struct events *events, unsigned kind, const char *id, uint64_t line, uint64_t column, uint64_t offset,
                  const char *message);
/* The same for `count` of them at once. */
bool notice_add(struct events *events, unsigned kind, const char *id, uint64_t count, uint64_t line, uint64_t column,
                uint64_t offset, const char *message);
const struct notice *notice_find(const struct events *events, const char *id); /* NULL: none */

#define COLUMN(events, member, type) ((type *)(events)->member.data)

#endif
