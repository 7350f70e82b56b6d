/* SPDX-License-Identifier: Apache-2.0 */
/* What the stages that edit traces share. */
#ifndef EDIT_EDIT_H
#define EDIT_EDIT_H

#include <tav/edits.h>
#include <tav/kit.h>

extern const struct tav_stage overlap_resolve, slice, rebase, annotate, merge, redact;

/* The source under each(), as all of them look at it. */
struct looked {
	struct tav_self *self;
	const struct tav_host *host;
	const struct tav_edits *edits;
	const struct tav_source *source;
	const int64_t *start, *end;
	const uint32_t *traits, *pid, *tid, *label, *track;
	const char *phase;
	tav_row rows;
};
tav_status look_at_source(struct tav_self *self, struct looked *looked);
static inline int is_interval(const struct looked *looked, tav_row row)
{
	return (looked->traits[row] & TAV_TRAIT_INTERVAL) != 0;
}
static inline int has_time(const struct looked *looked, tav_row row)
{
	return !(looked->traits[row] & (TAV_TRAIT_UNUSABLE | TAV_TRAIT_TIMELESS));
}
/* start, end descending, row: the order in which a lane is walked */
int compare_intervals(const struct looked *looked, tav_row a, tav_row b);
int compare_threads(const struct looked *looked, tav_row a, tav_row b); /* 0: events of one thread */
/* The rows of all intervals by thread, then as above; NULL: no memory, the cause is set. */
tav_row *intervals_by_thread(const struct looked *looked, uint64_t *count);

static inline int bit_of(const uint64_t *bits, tav_row row)
{
	return bits[row / 64] >> row % 64 & 1;
}
static inline void set_bit(uint64_t *bits, tav_row row)
{
	bits[row / 64] |= UINT64_C(1) << row % 64;
}
uint64_t *make_bits(const struct looked *looked); /* one for each row, zero; NULL: the cause is set */

/* Text that grows, in the memory of the call. A failure is remembered, and told by words_text(). */
struct words {
	struct tav_self *self;
	char *data;
	size_t size, capacity;
	int is_broken;
};
void words_add(struct words *words, const char *data, size_t size);
__attribute__((format(printf, 2, 3))) void words_print(struct words *words, const char *format, ...);
void words_quote(struct words *words, struct tav_text text); /* as a JSON string */
/* A time, or a length, as the file has them: a decimal number of its unit, shortest. */
void words_time(struct words *words, const struct looked *looked, int64_t ns);
/* What it holds, and a fresh start; size 0 and data NULL: no memory, the cause is set. */
struct tav_text words_text(struct words *words);

/* Changes of members of rows, collected for one call of set(). */
struct changes {
	struct tav_self *self;
	tav_row *rows;
	struct tav_text *json;
	uint64_t count, capacity;
};
tav_status changes_add(struct changes *changes, tav_row row, struct tav_text json);
tav_status changes_give(const struct changes *changes, const struct looked *looked, const char *path, const char *keep);

/* ---- Flows: arrows between events (ph s, t, f), each drawn on an interval of its thread ---- */
struct flow_fields {                  /* columns of the stage: */
	uint32_t id, bp, correlation; /* "id", "bp", "args.correlation", as STRING */
};
struct flow {
	tav_row row;
	tav_row on; /* the interval that it is drawn on; TAV_NONE: none */
};
struct flows {
	struct flow *items; /* by row */
	uint64_t count;
};
/* Which interval each flow event is drawn on. */
tav_status flows_find(const struct looked *looked, const struct flow_fields *fields, struct flows *flows);
/* Those of a flow that has lost its s or all its f are added to `drops`; *closed counts them. */
tav_status flows_close(const struct looked *looked, const struct flow_fields *fields, const struct flows *flows,
                       uint64_t *drops, uint64_t *closed);

/* The source's baseTimeNanoseconds as the metric base_ns, where it has one: a number in the top-level object. */
tav_status tell_base_time(struct tav_self *self);
/* Metrics of all sources summed for the run. */
tav_status sum_metrics(struct tav_self *self, const char *stage);

#endif
