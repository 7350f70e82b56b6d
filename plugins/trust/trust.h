/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trust - can this trace be believed, and what can it answer? A check is one file: it looks at the facts of one source
 * (struct trust, made once for each call of each()) and fills a verdict. A stage is a table of checks. Silence must
 * mean something, so "could not look" is never a pass, and what a producer does every day is never an alarm.
 */
#ifndef TRUST_TRUST_H
#define TRUST_TRUST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tav/kit.h>
#include <tav/links.h>
#include <tav/map.h>
#include <tav/marks.h>
#include <tav/plugin.h>
#include <tav/results.h>
#include <tav/sheet.h>
#include <tav/steps.h>
#include <tav/walk.h>

enum trust_result {
	TRUST_PASS,
	TRUST_NOTE, /* true and harmless, but changes how numbers are read */
	TRUST_WARN,
	TRUST_FAIL,
	TRUST_INCONCLUSIVE,   /* it applies, but there was nothing to look at */
	TRUST_NOT_APPLICABLE, /* the dialect or the trace has no such thing */
	TRUST_LEFT_OUT,       /* the user left the check out */
	TRUST_RESULTS = TRUST_LEFT_OUT
};
const char *trust_result_name(enum trust_result result);

enum { TRUST_ROWS = 100, TRUST_WHY = 768 };
struct verdict {
	enum trust_result result;
	uint64_t count, examined;
	bool has_worst;
	int64_t worst_ns; /* of the worst violation */
	tav_row worst;    /* its row; TAV_NONE: there is none */
	uint32_t row_count;
	tav_row rows[TRUST_ROWS]; /* the first violations by row */
	char why[TRUST_WHY];
};

struct trust;
struct trust_check {
	const char *id, *question;
	enum trust_result worst; /* what it can come to */
	const char *text;        /* a page for --explain */
	const char *remedy;      /* what to do about an alarm; NULL: nothing to say */
	const char *absent;      /* why it does not apply where it does not; NULL: nothing of that kind is there */
	bool (*applies)(const struct trust *trust); /* NULL: always */
	tav_status (*run)(struct trust *trust, struct verdict *verdict);
};

/* What names and categories say, by label: see words.c. */
enum {
	WORD_RECORDING = 1u << 0,      /* a span of the whole recording */
	WORD_WINDOW_MARK = 1u << 1,    /* an instant at a border of the recording */
	WORD_MEMORY = 1u << 2,         /* a change of allocated memory */
	WORD_PROFILER_ENTRY = 1u << 3, /* the profiler's own entry into or exit from an annotation */
	WORD_PROFILER_FRAME = 1u << 4, /* a frame of the profiler's own source */
	WORD_SHARE = 1u << 5,          /* a counter of percents */
	WORD_LAUNCH_FLOW = 1u << 6     /* an arrow from a launch to its device work */
};
tav_status words_find(struct trust *trust, uint8_t wanted);

#define TRUST_HOST_CALL (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER)
#define TRUST_KINDS                                                                                                    \
	(TAV_TRAIT_DEVICE | TAV_TRAIT_HOST_OP | TRUST_HOST_CALL | TAV_TRAIT_ANNOTATION | TAV_TRAIT_DEVICE_CLOCK |      \
	 TAV_TRAIT_PYTHON | TAV_TRAIT_OVERHEAD | TAV_TRAIT_PREP)

/* One source, as the checks of a stage see it. */
struct trust {
	struct tav_self *self;
	const struct tav_host *host;
	const struct tav_source *about;
	const struct tav_marks *marks;
	const int64_t *start, *end;
	const uint32_t *label, *pid, *tid, *traits, *track;
	const char *phase;
	const uint32_t *link, *operators; /* value ids; 0: none. NULL before trust_take_links() */
	tav_row row_count;

	bool has_dialect; /* somebody knows what the events are */
	bool is_linked;   /* the dialect knows launches, and links device work to them */
	int64_t res;      /* 1000 where the clock counts in microseconds, else 1: a tolerance for rounding */
	uint64_t interval_count, kernel_count, call_count, operator_count;
	int64_t host_start, host_end; /* of calls and operators, if there are any */
	const tav_row *devices;       /* device intervals, ascending */
	uint64_t device_count;
	uint32_t *device_of; /* by track; TAV_NONE: of a thread */
	uint8_t *words;      /* by label: WORD_... */
	uint8_t *calls;      /* by label: TAV_CALL_... */
	int64_t *numbers;    /* as many as device events: for whoever works at the time, see trust_numbers() */
	/* What there is at all, so that nobody looks for what is not there. */
	bool has_call[TAV_CALL_CAPTURE_END + 1];
	uint8_t all_words;
	uint32_t all_traits; /* of intervals */

	/* Device events with times that cannot be; outside of the window; before their launch. NULL: none is known. */
	uint64_t *rejected, *outside, *early;
	uint64_t rejected_count;
	bool is_timing_missing;

	const struct tav_order *by_track, *by_thread; /* made when somebody asks */
	const struct tav_link_list *links;
	struct verdict *verdicts; /* of the stage's checks, in their order */
	const struct trust_check *const *checks;
	void *facts; /* of the stage */
};

/* The columns, the device events, and the words that the stage wants (WORD_...). */
tav_status trust_init(struct trust *trust, struct tav_self *self, uint8_t words);
/* How many there are of each kind, the time of the host, and how fine the clock is: one pass over all rows. */
tav_status trust_look(struct trust *trust);
/* The columns of links and operators, which are made for who asks. */
tav_status trust_take_links(struct trust *trust);
/* Room for a number of each device event; the next who asks gets the same. NULL: no memory. */
int64_t *trust_numbers(struct trust *trust);
/* Marks of earlier stages. */
void trust_take_marks(struct trust *trust);
/* A walk over all device events. */
tav_status trust_walk(struct trust *trust, struct tav_walk *walk);
const struct tav_order *trust_tracks(struct trust *trust);  /* device events; NULL: the cause is set */
const struct tav_order *trust_threads(struct trust *trust); /* all intervals */
uint64_t *trust_bits(struct trust *trust);                  /* a bit for each row; NULL: no memory */
/* Runs the checks (ends with NULL) and tells what they found. `id` of the table that `answers` reads: "verdicts". */
tav_status trust_run(struct trust *trust, const struct trust_check *const *checks);
/* Tells verdicts that were made elsewhere, of any source. */
tav_status trust_tell(struct tav_self *self, uint32_t source, const struct trust_check *check,
                      const struct verdict *verdict);
/* `pages`, for a stage's descriptor: those of its table of checks, which say what they are themselves. */
#define TRUST_PAGES(checks)                                                                                            \
	static struct tav_page pages[sizeof(checks) / sizeof((checks)[0]) - 1];                                        \
	__attribute__((constructor)) static void fill_pages(void)                                                      \
	{                                                                                                              \
		trust_pages(checks, pages);                                                                            \
	}
void trust_pages(const struct trust_check *const *checks, struct tav_page *pages);

static inline bool bit_is(const uint64_t *bits, uint64_t i)
{
	return bits && bits[i / 64] >> i % 64 & 1;
}

static inline void bit_set(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static inline bool is_interval(const struct trust *trust, tav_row row)
{
	return trust->traits[row] & TAV_TRAIT_INTERVAL;
}

/* Is it known when it was? An event without a ts has the time 0. */
static inline bool has_time(const struct trust *trust, tav_row row)
{
	return !(trust->traits[row] & (TAV_TRAIT_TIMELESS | TAV_TRAIT_UNUSABLE));
}

static inline bool is_believable(const struct trust *trust, tav_row row)
{
	return !bit_is(trust->rejected, row);
}

static inline int64_t length_of(const struct trust *trust, tav_row row)
{
	return trust->end[row] - trust->start[row];
}

static inline uint32_t device_of(const struct trust *trust, tav_row row)
{
	return trust->device_of[trust->track[row]];
}

/* Else it is of a device, and holds nothing but device events. */
static inline bool is_thread(const struct trust *trust, uint32_t track)
{
	return trust->device_of[track] == TAV_NONE;
}

static inline uint32_t call_of(const struct trust *trust, tav_row row)
{
	return trust->traits[row] & TRUST_HOST_CALL ? trust->calls[trust->label[row]] : TAV_CALL_NONE;
}

static inline uint8_t word_of(const struct trust *trust, tav_row row)
{
	return trust->words[trust->label[row]];
}

/* ---- What a check says. All return TAV_OK, so that a check can end with them. ---------------------------------- */
void found(struct verdict *verdict, tav_row row);                /* a violation */
void found_by(struct verdict *verdict, tav_row row, int64_t ns); /* and by how much */
__attribute__((format(printf, 4, 5))) tav_status judge(struct verdict *verdict, enum trust_result result,
                                                       uint64_t examined, const char *format, ...);
tav_status does_not_apply(struct verdict *verdict);

#define COUNTED(count, noun) tav_counted((char[TAV_COUNTED_SIZE]){0}, (count), (noun))
#define DURATION(ns) tav_duration((char[TAV_DURATION_SIZE]){0}, (ns))
#define SHARE(part, whole) tav_share((char[TAV_SHARE_SIZE]){0}, (uint64_t)(part), (uint64_t)(whole))
enum { NAME_SIZE = 80 };
/* The name of an event, short enough for a sentence. */
const char *name_of_row(const struct trust *trust, tav_row row, char out[NAME_SIZE]);
#define NAME(trust, row) name_of_row((trust), (row), (char[NAME_SIZE]){0})
const char *short_text(struct tav_text text, char out[NAME_SIZE]);
#define SHORT(text) short_text((text), (char[NAME_SIZE]){0})

/* Why there is nothing to look at where a check needs device events; NULL: there are some. */
const char *lacks_devices(const struct trust *trust);
/* The same of device events with a believable time. */
const char *lacks_times(const struct trust *trust);

bool needs_dialect(const struct trust *trust); /* for applies() */
bool needs_links(const struct trust *trust);

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */
/* The value that would stand at `nth` in ascending order; smaller ones come to stand before it. nth < count. */
int64_t select_nth(int64_t *values, uint64_t count, uint64_t nth);
int64_t lower_median(int64_t *values, uint64_t count); /* reorders them; count > 0 */
/* Length of the union of [from[i], to[i]), sorted by `from`. */
struct span {
	int64_t from, to;
};
int64_t union_of(struct span *spans, uint64_t count); /* sorts them */

extern const struct tav_stage stage_timing, stage_links, stage_structure, stage_coverage, stage_ranks, stage_answers;
/* Their checks, for the stage answers. */
extern const struct trust_check *const timing_checks[],
        *const links_checks[], *const structure_checks[], *const coverage_checks[], *const ranks_checks[];

#endif
