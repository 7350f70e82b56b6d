/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of overlap-verify share: options, and what is found of each source. */
#ifndef OVERLAP_VERIFY_VERIFY_H
#define OVERLAP_VERIFY_VERIFY_H

#include <regex.h>

#include <tav/overlap.h>

enum { TEXT = 1024 };
#define COUNTED(count, noun) tav_counted((char[TAV_COUNTED_SIZE]){0}, count, noun)

enum { OPT_STRICT, OPT_TOLERANCE_NS, OPT_MAX_INSTANCES, OPT_MIN_DEVICE_EVENTS, OPT_ALLOW, OPT_TRACKS };
enum { TRACKS_SERIAL, TRACKS_ALL };

struct patterns { /* the option `allow`, compiled; the stage's state */
	regex_t *items;
	uint64_t count;
};

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

struct judgement { /* of some tracks */
	struct tav_overlap_totals judged, measured;
	uint64_t duplicates;        /* the same record once more, on any of these tracks */
	uint64_t judged_duplicates; /* those that overlap the earlier one, on judged tracks */
	uint64_t other_lane_events;
	uint64_t judged_default_stream; /* judged events in whose place a default stream stands */
	struct instances instances;
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

/* scan.c: one pass over the rows of a source, on any thread. */
tav_status scan_source(struct tav_self *self, uint32_t source, struct facts *facts);

/* judge.c: the tracks `first` .. `end - 1` of one source, on any thread. */
tav_status judge_tracks(struct tav_self *self, uint32_t source, const struct tav_order *order, uint32_t first,
                        uint32_t end, const struct tav_overlap *overlap, struct judgement *judgement);
void judgement_add(struct judgement *into, const struct judgement *from);   /* all but the instances */
tav_status judgement_merge(struct judgement *into, struct judgement *from); /* leaves `from` without instances */
void judgement_fini(struct judgement *judgement);

/* strange.c: "mtia_ccp_events (25814), Trace (3)", where the dialect knows other categories but not these. */
void strange_categories(struct tav_self *self, uint32_t source, char *out, size_t size);

/* unusable.c */
tav_status tell_unusable(struct tav_self *self, uint32_t source, const struct facts *facts);

/* tell.c: the report of one source, and of the run. */
tav_status tell_source(struct tav_self *self, uint32_t source, struct judgement *judgement, const struct facts *facts);
tav_status tell_run(struct tav_self *self, uint32_t source_count, const struct judgement *judgement,
                    const struct facts *facts);

#endif
