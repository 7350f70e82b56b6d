/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages of insight share: a view of the source, sorting, sums by key, phrases. */
#ifndef INSIGHT_H
#define INSIGHT_H

#include <stdbool.h>

#include <tav/kit.h>
#include <tav/links.h>
#include <tav/map.h>
#include <tav/sheet.h>
#include <tav/steps.h>
#include <tav/walk.h>

__extension__ typedef __int128 wide; /* for products of times */

extern const struct tav_stage wall_stage, operators_stage, collectives_stage;

/* ---- Memory (look.c): `count` things of the host's, zeroed, gone when the call returns; NULL: the cause is set ------
 */
void *take(struct tav_self *self, uint64_t count, size_t size);
static inline bool bit_is_set(const uint64_t *bits, uint64_t bit)
{
	return bits[bit / 64] >> bit % 64 & 1;
}
static inline void bit_set(uint64_t *bits, uint64_t bit)
{
	bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* ---- The source under each() (look.c) -------------------------------------------------------------------------------
 * A device event is known by its *place* in the list of links. */
struct look {
	struct tav_self *self;
	const struct tav_source *about;
	const int64_t *start, *end; /* by row, as all columns */
	const uint32_t *label, *track, *traits;
	const uint8_t *kind;
	const struct tav_link_list *links;
	uint32_t device_count, label_count;
	struct tav_text *devices; /* what each is called: its pid */
	uint64_t *first;          /* places[first[d]] .. places[first[d + 1] - 1] are device d's events with length */
	uint32_t *places;         /* by start, end, row */
	uint64_t *event_counts;   /* by device, those without length too */
	uint32_t *device_of;      /* by track; TAV_NONE: of none */
	int64_t from, to;         /* the user's window; all of time where there is none */
};
/* `window`: an option, or NULL. */
tav_status look_at(struct look *look, struct tav_self *self, const struct tav_value *window);
/*
 * No file has that many devices in truth; made-up ones must not cost devices times events. Says so as `check`, and
 * answers whether it did; a failure of that is in *status.
 */
bool has_too_many_devices(struct tav_self *self, const char *check, tav_status *status);
/* to - from, at the end of the range where it leaves it. */
static inline int64_t span_ns(int64_t from, int64_t to)
{
	int64_t ns;

	return __builtin_sub_overflow(to, from, &ns) ? to > from ? INT64_MAX : INT64_MIN : ns;
}
/* Of a device event. */
static inline tav_row row_of(const struct look *look, uint32_t place)
{
	return look->links->rows[place];
}
/*
 * Events that were launched, by device (places[look->first[d]], counts[d] of them), and there by thread and start of
 * the call.
 */
struct launches {
	uint32_t *places;
	uint64_t *counts;
};
tav_status look_launches(const struct look *look, struct launches *launches);
struct tav_text label_text(const struct look *look, uint32_t label);
struct tav_text name_of_row(const struct look *look, tav_row row);
bool text_has_fold(struct tav_text text, const char *lower); /* letters of ASCII alike, `lower` in lower case */

/* ---- Sorting (sort.c) ----------------------------------------------------------------------------------------------
 */
typedef int (*place_order)(const void *context, uint32_t a, uint32_t b); /* as in qsort() */
/* Stable; linear where they are nearly in order. */
tav_status sort_places(struct tav_self *self, uint32_t *places, uint64_t count, place_order order, const void *context);
/* Ascending, in linear time; `spare` holds as many. */
void sort_numbers(int64_t *numbers, int64_t *spare, uint64_t count);
/* Nearest rank of ascending numbers; count > 0. */
int64_t percentile(const int64_t *numbers, uint64_t count, uint32_t percent);
/*
 * What would stand at `place` if the numbers were sorted; they are put in another order, none greater before it.
 * Linear, as is the next.
 */
int64_t nth_number(int64_t *numbers, uint64_t count, uint64_t place);
/* Nearest ranks for ascending percents; 0: the least. */
void find_percentiles(int64_t *numbers, uint64_t count, const uint32_t *percents, unsigned percent_count, int64_t *out);

/* ---- Sums by a number (sums.c) --------------------------------------------------------------------------------------
 */
struct sum {
	uint64_t key;
	int64_t total;
	uint64_t count;
};
struct sums {
	struct tav_map map;
	struct sum *items; /* map.count, in the order in which their keys were met */
	uint32_t size;
};
void sums_init(struct sums *sums, struct tav_self *self);
/* The sum of that key, new with a count of 0; valid until the next call. NULL: the cause is set. */
struct sum *sums_slot(struct sums *sums, uint64_t key);
tav_status sums_add(struct sums *sums, uint64_t key, int64_t value);

/* ---- The innermost event around a moment of a thread (innermost.c) --------------------------------------------------
 */
struct probes {
	uint64_t count; /* by thread, and there by time */
	void *user;
	/* The track and the moment of the i-th. */
	int64_t (*moment)(void *user, uint64_t i, uint32_t *track);
	bool (*is_wanted)(void *user, tav_row row);
	/* Its answer; TAV_NONE: none. A failure ends it. */
	tav_status (*found)(void *user, uint64_t i, tav_row row);
};
/*
 * Of the rows of the track for which is_wanted() holds and which contain the moment (start <= moment < end), the one
 * that started last, then the shorter, then the later in the file.
 */
tav_status find_innermost(const struct look *look, const struct probes *probes);
/* Rows that are operators of the host, steps excepted. */
bool is_operator(const struct look *look, tav_row row);

/* A stack of rows of which only the top counts; rows that ended before the top go when they come up. */
struct stack {
	tav_row *rows;
	uint64_t count, size;
};
tav_status stack_push(struct look const *look, struct stack *stack, tav_row row);
/* The row on top that has not ended at `now`, or TAV_NONE. */
tav_row stack_top(const struct look *look, struct stack *stack, int64_t now);
void stack_free(struct stack *stack);

/* A name as a sentence can bear it: one line, cut to NAME_SIZE with "..." (look.c). */
enum { NAME_SIZE = 100 };
const char *name_phrase(char out[NAME_SIZE], struct tav_text name);

#endif
