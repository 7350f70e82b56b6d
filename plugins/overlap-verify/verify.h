/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of overlap-verify share: options, and what is found of the source under each(). */
#ifndef OVERLAP_VERIFY_VERIFY_H
#define OVERLAP_VERIFY_VERIFY_H

#include <regex.h>

#include <tav/kit.h>
#include <tav/overlap.h>

enum { TEXT = 1024, WORD = 32 };
#define COUNTED(count, noun) tav_counted((char[TAV_COUNTED_SIZE]){0}, count, noun)

enum { OPT_STRICT, OPT_TOLERANCE, OPT_TOLERANCE_NS, OPT_MAX_INSTANCES, OPT_MIN_DEVICE_EVENTS, OPT_ALLOW, OPT_TRACKS };
enum { TRACKS_SERIAL, TRACKS_ALL };

struct patterns { /* the option `allow`, compiled; the stage's state */
	regex_t *items;
	uint64_t count;
};
/* By the option `tolerance`, or by the name it had before. */
int64_t tolerance_of(const struct tav_self *self);

/* An overlap that may be shown. `kind` as in the report. */
struct instance {
	int64_t overlap_ns, start_ns, end_ns; /* start and end of the later one */
	uint32_t track;
	tav_row later, earlier;
	enum { KIND_PARTIAL, KIND_NESTED, KIND_DUPLICATE } kind;
};
/*
 * Negative: `a` is shown before `b`. The longest first; a total order, in which the place in the file comes last, so
 * that neither threads nor the order of events decide what is shown.
 */
int instance_compare(const struct instance *a, const struct instance *b);

struct instances { /* the longest `limit`: a heap, the one to go first on top */
	struct instance *items;
	uint64_t count, capacity, limit;
};

struct hit { /* of every overlap, for sums by pair of names */
	int64_t overlap_ns;
	uint32_t later, earlier; /* labels */
};
struct hits {
	struct hit *items;
	uint64_t count, capacity;
};

struct judgement { /* of some tracks */
	struct tav_overlap_totals judged, measured;
	uint64_t duplicates;            /* the same record once more, on any of these tracks */
	uint64_t judged_duplicates;     /* those that overlap the earlier one, on judged tracks */
	uint64_t unknown_work;          /* events on tracks that are not judged, neither kernel nor copy */
	struct tav_text unknown_lane;   /* of the first of them; may be empty */
	uint64_t other_tid;             /* overlaps of events whose tids differ */
	uint64_t judged_default_stream; /* judged events in whose place a default stream stands */
	struct instances instances;
	struct hits hits;
};

enum { EXAMPLES = 5 };
struct examples { /* of many events */
	uint64_t count;
	tav_row rows[EXAMPLES]; /* the earliest */
};

enum { TIDS_TOLD = 16 };
struct facts { /* of all rows of a source */
	struct examples zero_timestamps, suspect_times, launches;
	uint64_t zero_duration, kernels;
	uint64_t default_stream;
	uint32_t default_tids[TIDS_TOLD], default_tid_count; /* distinct ones; stops at TIDS_TOLD */
	uint64_t unusable_device, unusable_host;             /* the latter without unmatched ones */
};

/* scan.c: one pass over the rows, on any thread. */
tav_status scan_source(struct tav_self *self, struct facts *facts);

/* judge.c: the tracks `first` .. `end - 1`, on any thread. */
tav_status judge_tracks(struct tav_self *self, const struct tav_order *order, uint32_t first, uint32_t end,
                        const struct tav_overlap *overlap, struct judgement *judgement);
tav_status judgement_merge(struct tav_self *self, struct judgement *into, const struct judgement *from);

/* strange.c: "mtia_ccp_events (25,814), no category (3)": what the dialect knows nothing of. */
struct strange {
	char told[TEXT / 2];
	struct tav_text category; /* the first of them that has a name; size 0: none */
};
void strange_categories(struct tav_self *self, struct strange *strange);

/* unusable.c */
tav_status tell_unusable(struct tav_self *self, const struct facts *facts);

/* pairs.c: the table `pairs`. */
struct pairs {
	uint64_t pair_count;
	uint64_t within_us; /* overlaps that a tolerance of 1 us would let pass */
};
tav_status tell_pairs(struct tav_self *self, const struct judgement *judgement, struct pairs *pairs);

/* overlaps.c: the finding of overlaps, and what to do about them. */
tav_status tell_overlaps(struct tav_self *self, const struct judgement *judgement, const struct facts *facts,
                         const struct pairs *pairs);

/* tell.c: the report of one source. */
tav_status tell_source(struct tav_self *self, struct judgement *judgement, const struct facts *facts);
/* A finding of `count` facts, and examples of them where there are any. */
struct fact {
	const char *id;
	uint32_t severity;
	uint64_t count;
	const struct examples *examples; /* NULL: none */
	const char *remedy;              /* NULL: none */
};
tav_status tell_fact(struct tav_self *self, const struct fact *fact, const char *message);

/* What the dialect of the source calls a track, such as "stream"; in `out` or a constant. */
const char *track_word(struct tav_self *self, uint32_t source, char out[WORD]);

/* totals.c: the metrics, and their sums over the run. */
tav_status tell_metrics(struct tav_self *self, const struct judgement *judgement, const struct facts *facts);
tav_status tell_run(struct tav_self *self);

/* pages.c */
enum { PAGE_COUNT = 12 };
extern const struct tav_page pages[PAGE_COUNT];

#endif
