/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage collectives. each() lists the collectives of one source in the table `calls`; combine() matches them over
 * the ranks and finds who makes the others wait, from durations alone.
 */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include <tav/results.h>

#include "insight.h"

enum { COLL_OPT_TOP, COLL_OPT_TOLERANCE, COLL_OPT_MIN_DURATION, COLL_OPT_MAX_CALLS, COLL_OPT_COUNT };
enum {
	COLL_FIELD_NAME,
	COLL_FIELD_GROUP,
	COLL_FIELD_GROUP_ID,
	COLL_FIELD_NATIVE_GROUP,
	COLL_FIELD_RANKS,
	COLL_FIELD_SIZE,
	COLL_FIELD_DTYPE,
	COLL_FIELD_IN,
	COLL_FIELD_OUT,
	COLL_FIELD_SPLIT,
	COLL_FIELD_SEQ,
	COLL_FIELD_COUNT
};

enum type {
	TYPE_REDUCESCATTER,
	TYPE_ALLGATHER,
	TYPE_ALLREDUCE,
	TYPE_ALLTOALL,
	TYPE_SENDRECV,
	TYPE_BROADCAST,
	TYPE_REDUCE,
	TYPE_BARRIER,
	TYPE_GATHER,
	TYPE_SCATTER,
	TYPE_SEND,
	TYPE_RECV,
	TYPE_UNKNOWN,
	TYPE_COUNT
};
extern const char *const type_names[TYPE_COUNT];
/* A collective in which every rank waits for all. */
static inline bool is_joint(enum type type)
{
	return type <= TYPE_ALLTOALL || type == TYPE_BARRIER;
}
enum type type_of_name(struct tav_text name); /* what such a table says of itself; TYPE_UNKNOWN: nothing */

/* One collective. */
struct call {
	uint32_t place, device;
	enum type type;
	bool has_metadata, is_split;  /* split: alltoallv, whose ranks send unlike amounts */
	uint32_t group, ranks, dtype; /* value ids; 0: not recorded */
	struct tav_text name;         /* what is matched: the type, or the kernel's name where there is no metadata */
	uint32_t name_number;         /* equal names have equal numbers */
	int64_t bytes, size;          /* -1: not recorded */
	int64_t recorded, seq;        /* its number in the file, or -1; its number here */
	int64_t exposed_ns;
};
struct calls {
	struct look look;
	struct tav_self *self;
	struct call *items; /* by device, start, end, row */
	uint64_t count;
	struct tav_map names;
	uint32_t *name_of_label; /* 1 + number of the name of a kernel; 0: not met */
	uint8_t *type_of_label;  /* 1 + type of a kernel; 0: not met */
};
/* calls.c */
tav_status calls_find(struct calls *calls);
static inline int64_t call_ns(const struct calls *calls, const struct call *call)
{
	tav_row row = row_of(&calls->look, call->place);

	return span_ns(calls->look.start[row], calls->look.end[row]);
}
/* calls_tables.c */
tav_status calls_tables(struct calls *calls);
tav_status calls_say(struct calls *calls);
/* ranks.c */
tav_status collectives_combine(struct tav_self *self);

/* ---- Over the ranks
 * ---------------------------------------------------------------------------------------------------
 */
/* What is matched: calls of a group and a name. */
struct key {
	struct tav_text group, ranks, name;
	uint32_t type, has_metadata;
	uint64_t count;           /* calls on each rank, where they agree */
	uint64_t least, most;     /* where they do not */
	uint32_t members, is_odd; /* ranks that have it; counts differ */
	uint64_t first;           /* its first match */
	uint64_t of_rank;         /* calls on the rank being read */
};
/* One collective on all its ranks. */
struct match {
	uint32_t key, members, seen_by; /* seen_by: 1 + the rank read last */
	uint32_t last;                  /* the rank that arrived last: the shortest; TAV_NONE: nobody alone */
	int64_t least, most;            /* durations */
	int64_t bytes;                  /* -1: not recorded */
	struct tav_text dtype;
	int64_t end_of_first;            /* of the lowest rank */
	int64_t first_start, last_start; /* as recorded */
	int64_t first_end, last_end;
	int64_t first_start_fixed, last_start_fixed; /* with the offsets of the clocks */
	int64_t first_end_fixed, last_end_fixed;
	uint8_t is_unlike, is_judged; /* unlike: bytes or dtype differ */
};
struct rank {
	uint32_t source;
	int64_t number;
	const struct tav_table_result *table;
	const int64_t *start, *end, *seq, *bytes;
	const uint64_t *has_bytes;
	uint32_t *key_of; /* by row */
	uint64_t count;
	int64_t offset, collective_ns, waited_ns, caused_ns, caused_after_first_ns, late_ns;
	uint64_t arrived_last;
};
struct over_ranks {
	struct tav_self *self;
	const struct tav_results *results;
	uint32_t stage, source_count;
	struct rank *ranks; /* by number */
	uint32_t rank_count;
	int64_t world_size;
	struct key *keys;
	uint32_t key_count, key_size;
	struct match *matches;
	uint64_t match_count, matched, judged, unmatched;
	bool has_group; /* some call names its process group */
	uint64_t first; /* the first judged match */
	int64_t transfer_ns, longest_wait_ns, first_wait_ns;
	int64_t residual_p50, residual_max, clock_spread;
	bool is_judged;
};
/* ranks_match.c */
tav_status ranks_read(struct over_ranks *all, bool *is_empty, const char **why_not);
tav_status ranks_match(struct over_ranks *all);
/* Are the calls of a key matched? Where its ranks have equally many, and, if nothing says who belongs together, all do.
 */
bool is_matched(const struct over_ranks *all, const struct key *key);
/* The match of a row, or NULL: of a key that is not matched */
struct match *match_of(const struct over_ranks *all, const struct rank *rank, uint64_t row);
/* ranks_tables.c */
tav_status ranks_tables(struct over_ranks *all);
tav_status ranks_say(struct over_ranks *all);
tav_status ranks_checks(struct over_ranks *all);

#endif
