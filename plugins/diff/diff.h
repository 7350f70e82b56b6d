/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of diff share. each() reduces a source to a few tables (sum.c, about.c); combine() reads those of the
 * candidates and of the baselines (read.c), pairs rows (match.c), judges measures (judge.c), takes the change apart and
 * tells it (compare.c, tell.c). combine() sees nothing but the tables, so that a saved report is as good as a trace.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include <regex.h>

#include <tav/kit.h>
#include <tav/results.h>

#define COUNTED(count, noun) tav_counted((char[TAV_COUNTED_SIZE]){0}, count, noun)
#define DURATION(ns) tav_duration((char[TAV_DURATION_SIZE]){0}, ns)

/* ---- Options ----------------------------------------------------------------------------------------------------- */
enum kind { COMPUTE, COMMUNICATION, COPY, KIND_COUNT };
extern const char *const kind_names[KIND_COUNT];

enum measure { /* of one device; the first three are sums of durations and in the order of kinds */
	       M_COMPUTE,
	       M_COMMUNICATION,
	       M_COPIES,
	       M_BUSY,
	       M_COMPUTE_COVER,
	       M_EXPOSED_COMMUNICATION,
	       M_EXPOSED_COPIES,
	       M_IDLE,
	       M_OVERLAPPED,
	       M_STEP,
	       MEASURE_COUNT
};
extern const char *const measure_names[MEASURE_COUNT];

enum option {
	OPT_BASELINE,
	OPT_LIMIT_COMPUTE,
	OPT_LIMIT_STEP,
	OPT_LIMIT_BUSY,
	OPT_LIMIT_COPIES,
	OPT_LIMIT_COMMUNICATION,
	OPT_LIMIT_EXPOSED_COMMUNICATION,
	OPT_LIMIT_EXPOSED_COPIES,
	OPT_LIMIT_IDLE,
	OPT_LIMIT_KERNEL,
	OPT_MIN_SHARE,
	OPT_MIN_MATCH,
	OPT_MIN_EFFECT,
	OPT_FEW_FACTOR,
	OPT_ON_NEW,
	OPT_ON_INCONCLUSIVE,
	OPT_IGNORE,
	OPT_TOP,
	OPT_IGNORE_NAMES,
	OPT_UNITS,
	OPT_DEVICES,
	OPT_MAX_ROWS,
	OPTION_COUNT
};
enum { OFF_OFF, OFF_WARN, OFF_FAIL };           /* on_new */
enum { UNSURE_FAIL, UNSURE_WARN, UNSURE_PASS }; /* on_inconclusive */
enum { IGNORE_DEVICE, IGNORE_RANK, IGNORE_WORLD_SIZE };

/* Percent are whole thousandths of one, so that everything is compared exactly. */
enum { PERCENT = 1000, NO_LIMIT = -1 };
struct settings {                      /* the stage's state */
	int64_t limits[MEASURE_COUNT]; /* NO_LIMIT: shown, not judged */
	int64_t limit_kernel, min_share, min_match, min_effect;
	int64_t few_factor;
	uint32_t units; /* 0: auto */
	uint32_t ignored[3];
	uint32_t on_new, on_inconclusive;
	uint64_t top, max_rows;
	regex_t *patterns;
	uint64_t pattern_count;
	struct tav_text pattern_text; /* all of ignore_names, as told in `about` */
};
tav_status settings_create(struct tav_self *self);
void settings_destroy(struct tav_self *self);
extern const struct tav_option diff_options[OPTION_COUNT];
static inline const struct settings *settings_of(const struct tav_self *self)
{
	return self->state;
}

/* ---- Tables of a source ------------------------------------------------------------------------------------------ */
struct summary { /* of a list of values in the order of time */
	int64_t n, total, min, q1, median, q3, max;
	int64_t early, late; /* medians of the first and of the last half; both the median when n < 4 */
};
enum origin { MARKED, STATED, INFERRED, WHOLE, ORIGIN_COUNT };
extern const char *const origin_names[ORIGIN_COUNT];

struct call_row { /* all calls of one name and kind on a device */
	enum kind kind;
	struct tav_text name, op;
	int64_t count, total, min, q1, median, q3, p99, max;
	int64_t count_min, count_max; /* calls by unit */
	struct summary units;         /* of its sums by unit */
};
struct device_sum {
	struct tav_text id, model;
	enum origin origin;
	int64_t unit_count, short_count, event_count, outside_count, outside_ns;
	uint64_t work; /* hash over kinds, names and counts */
	struct summary measures[MEASURE_COUNT];
	struct call_row *calls;
	uint32_t call_count;
};
enum { /* of the capture: texts as they stand in the trace; size 0: not told */
       A_DIALECT,
       A_RANK,
       A_WORLD_SIZE,
       A_TRACE_ID,
       A_CONTENT,
       A_RECORD_SHAPES,
       A_WITH_STACK,
       A_PROFILE_MEMORY,
       A_CUDA_RUNTIME,
       A_HIP_RUNTIME,
       A_CUDA_DRIVER,
       A_HIP_DRIVER,
       A_IGNORE_NAMES,
       ABOUT_COUNT
};
extern const char *const about_names[ABOUT_COUNT];
struct source_sum {
	uint32_t source;
	struct tav_text path;
	struct tav_text about[ABOUT_COUNT];
	int64_t resolution_ns, at_zero, ignored, lost;
	struct device_sum *devices;
	uint32_t device_count;
};

/* sum.c: of source 0, in each(). */
tav_status sum_source(struct tav_self *self, struct source_sum *out);
/* `values` in the order of units; `units` (ascending) says which, all others of `unit_count` are 0. Reorders values. */
struct summary summary_of(const uint32_t *units, int64_t *values, int64_t *scratch, uint64_t count,
                          uint64_t unit_count);
/* about.c: of source 0, in each(). */
tav_status about_source(struct tav_self *self, struct source_sum *out);
/* The model of a device by the list "deviceProperties"; size 0: not told. */
struct tav_text about_model(struct tav_self *self, struct tav_text id);
/* tables.c: told by each(), read by combine(). */
tav_status tables_tell(struct tav_self *self, const struct source_sum *sum);
tav_status tables_read(struct tav_self *self, const struct tav_results *results, uint32_t stage, uint32_t source,
                       struct source_sum *out);

/* ---- Comparing --------------------------------------------------------------------------------------------------- */
enum level { L_EXACT, L_NAME, L_CUT, L_DIGITS, L_HEAD, L_OP, L_NEW, L_GONE, LEVEL_COUNT };
extern const char *const level_names[LEVEL_COUNT];

__extension__ typedef __int128 wide;

enum says { SAYS_SAME, SAYS_SLOWER, SAYS_FASTER, SAYS_UNCLEAR };
struct row { /* a group of calls of one side with its partner on the other */
	enum level level;
	enum kind kind;
	struct tav_text name;
	const struct call_row *const *base, *const *cand;
	uint32_t base_count, cand_count;
	int64_t nb, nc, tb, tc;        /* calls and totals */
	wide delta, by_count, by_time; /* ns times units of both sides */
	enum says says;
	int calls; /* 1: more calls, -1: fewer */
};
/* match.c: the rows of both sides paired; `rows` in no order. */
tav_status match_rows(struct tav_self *self, const struct device_sum *base, const struct device_sum *cand,
                      struct row **rows, uint32_t *count);
/* names.c */
struct name {
	struct tav_text canonical, digits, head;
	int is_cut; /* its end is missing */
};
tav_status name_read(struct tav_self *self, struct tav_text raw, struct name *out);

enum result { R_SHOWN, R_UNCHANGED, R_IMPROVED, R_REGRESSED, RESULT_COUNT };
extern const char *const result_names[RESULT_COUNT];
struct judged {
	enum measure measure;
	enum result result;
	int64_t base, cand, n_base, n_cand;
	int64_t limit;
	const char *because; /* what withdrew a verdict; NULL: nothing did */
	int has_moved;       /* SHOWN: by a limit of 5 % it would not be unchanged, which is worth a word */
};
struct judge {
	const struct settings *settings;
	int64_t resolution_ns, calls; /* of a unit of the candidate */
};
/* judge.c */
void judge_measure(const struct judge *judge, const struct summary *base, const struct summary *cand, int64_t limit,
                   struct judged *out);
int64_t resolution_floor(int64_t resolution_ns, int64_t calls);
/* |part| / whole >= percent (in thousandths); whole > 0 */
int is_at_least(wide part, wide whole, int64_t percent);

enum { REASONS = 24, REASON_TEXT = 200 };
struct sentences {
	char items[REASONS][REASON_TEXT];
	uint32_t count;
};
__attribute__((format(printf, 2, 3))) void sentence_add(struct sentences *sentences, const char *format, ...);

struct device_diff {
	const struct device_sum *base, *cand;
	struct judged judged[MEASURE_COUNT];
	struct row *rows; /* the largest change first */
	uint32_t row_count;
	wide scale, base_compute; /* units of both sides; compute time of the baseline in ns times units of both */
	wide total, by_count, by_time, appeared, gone; /* of compute, in ns times units of both */
	int64_t matched_ns[2], compute_ns[2];
	uint32_t levels[LEVEL_COUNT], slower, faster;
	uint32_t failed_rows; /* by limit_kernel or on_new: fail */
	uint32_t new_rows;    /* of at least min_share */
	enum result would;
};
struct comparison {
	const struct source_sum *base, *cand;
	uint32_t run_count; /* baselines that are runs of the same */
	struct sentences reasons, notes;
	struct device_diff *devices;
	uint32_t device_count;
	enum result would; /* without the reasons */
};
/* compare.c */
tav_status compare(struct tav_self *self, const struct source_sum *const *bases, uint32_t base_count,
                   const struct source_sum *cand, struct comparison *out);
/* tell.c */
tav_status tell_comparison(struct tav_self *self, const struct comparison *comparison);

#endif
