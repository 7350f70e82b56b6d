/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sections of the analysis share. A source goes through them in this order: kernels (which events, which
 * device, which stream), categories, phases, sweep (what ran beside what), aggregates (one for each name), source map
 * (where in the Python source), neighbours, rank, report. The numbers of sections are those of the rules' description;
 * what only `rules: reference` does stands in reference_*.c.
 */
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H

#include <tav/kit.h>
#include <tav/links.h>
#include <tav/steps.h>

#include "pool.h"
#include "text.h"

/* ---- Options and fields, as declared in triage.c ------------------------------------------------------- */
enum {
	OPT_RULES,
	OPT_MAPPING,
	OPT_CATEGORIES,
	OPT_SOURCE_ROOTS,
	OPT_DEFAULT_PHASE,
	OPT_PHASE,
	OPT_WINDOW,
	OPT_LIMIT,
	OPT_KERNEL_LIMIT,
	OPT_CANDIDATES,
	OPT_MIN_TOTAL,
	OPT_MIN_SHARE,
	OPT_MIN_EXPOSED,
	OPT_MIN_HIDDEN,
	OPT_TIGHT_MIN,
	OPT_TIGHT_MAX,
	OPT_TIGHT_SHARE,
	OPT_NEAR,
	OPT_SAMPLES,
	OPT_LOOKUP_MIN_CHARS,
	OPT_LOOKUP_MIN_SHARE,
	OPT_COUNT
};
enum { FIELD_STREAM, FIELD_CUDA_STREAM, FIELD_CORRELATION, FIELD_EXTERNAL, FIELD_COUNT };

/* ---- Categories ---------------------------------------------------------------------------------------- */
enum kind { KIND_OTHER, KIND_ELEMENTWISE, KIND_MEMORY, KIND_COMMUNICATION, KIND_COMPUTE, KIND_COUNT };
struct category {
	const char *name;
	enum kind kind; /* how the verdicts treat it */
	uint32_t rank;  /* the partner with the highest rank is the one that hides */
	double weight;  /* of its time, when opportunities are ordered */
};
enum { CATEGORY_LIMIT = 64 };
struct category_table; /* the words of the data file */
struct categories {
	struct category items[CATEGORY_LIMIT];
	uint32_t count;
	const struct category_table *table;
};

/* ---- Phases -------------------------------------------------------------------------------------------- */
enum phase { PHASE_ALL, PHASE_EXTEND, PHASE_DECODE, PHASE_MIXED, PHASE_COUNT }; /* ALL: of no phase */
extern const char *const phase_names[PHASE_COUNT];

/* ---- Kernels ------------------------------------------------------------------------------------------- */
struct kernel {
	int64_t start, end;
	tav_row row;
	uint32_t name;      /* text id of the canonical name */
	uint32_t stream;    /* dense within its device */
	uint32_t aggregate; /* within its device */
	uint32_t lane;      /* distinct pair of aggregate and stream, within its device */
	uint8_t category;
	uint8_t work; /* TAV_KIND_...: what covers, and what is covered */
	uint8_t phase;
};
static inline int64_t kernel_time(const struct kernel *kernel)
{
	return kernel->end - kernel->start;
}

/* ---- Totals of a sweep --------------------------------------------------------------------------------- */
struct totals {
	int64_t first, last;                          /* first start, last end */
	int64_t busy;                                 /* at least one kernel */
	int64_t overlap;                              /* kernels on at least two streams */
	int64_t kernel_time;                          /* sum over the kernels */
	int64_t communication, exposed_communication; /* time with communication; of that, without compute beside it */
	int64_t compute;                              /* time with compute */
	int64_t window;                               /* of a phase or step: time of its runs, gaps included */
	uint32_t max_streams, runs;
	uint64_t kernels;
};

struct partner_first { /* which kernel had it first, and when: decides ties of the reference */
	uint32_t kernel;
	int64_t time;
};
struct partner {       /* how long this name stood beside the kernels of an aggregate */
	uint32_t name; /* 0: nobody */
	int64_t time;
	struct partner_first first;
};
enum { BEST_PARTNERS = 3 };

struct partners {
	struct tav_map pairs; /* of aggregate and name */
	struct pool pool;
	int64_t *times;              /* by pair */
	struct partner_first *first; /* by pair, only with_first */
	size_t capacity;
	bool with_first;
};

struct aggregate {
	uint32_t name;
	uint8_t category, work, phase;
	bool is_shown; /* in the table `kernels`: its partners and operators are counted */
	uint64_t count;
	int64_t total, hidden, exclusive, by_compute; /* hidden + exclusive = total */
	uint32_t representative;                      /* the longest kernel */
	struct partner best[BEST_PARTNERS];           /* those with most time, the first one foremost */
	/* during the sweep */
	uint32_t active, on_best_stream, active_place, active_head;
	uint32_t last_pair; /* of its partners */
};

struct device {
	uint32_t number; /* dense within the source */
	uint32_t pid;    /* value id */
	struct kernel *kernels;
	size_t count;
	uint64_t empty_count; /* kernels without a duration: left out */
	uint32_t stream_count;
	struct aggregate *aggregates; /* in the order of first sight */
	size_t aggregate_count;
	uint32_t *shown; /* aggregates of the table `kernels`, by total */
	size_t shown_count;
	size_t lane_count;
	uint32_t *lane_aggregates; /* by lane */
	struct pool pool;          /* of what the sweeps make, which may run beside the source maps */
	struct partners partners;
	struct totals totals;
	struct totals phases[PHASE_COUNT];
	struct totals *steps; /* by step of analysis.steps; NULL: there are none */
	uint32_t *by_stream;  /* kernels by (stream, start, end, number) */
};

/* ---- Source map ---------------------------------------------------------------------------------------- */
struct counter { /* of one text */
	uint32_t text, count;
};
struct counters {
	struct counter *items;
	size_t count, capacity;
};
struct mapped_name {
	uint32_t name;
	uint32_t total, mapped; /* kernels looked at; those with a Python scope */
	uint32_t replayed;      /* of them, started by the launch of a graph, which is no source */
	uint64_t kernels;       /* whose operators are counted */
	struct counters scopes, chains, ops;
};
struct source_map { /* of one phase */
	struct mapped_name *items;
	size_t count, capacity;
	struct tav_map index;             /* names; numbered as the items */
	struct tav_map relaxed;           /* names that were looked for and are not in the index */
	const struct mapped_name **found; /* for each of them what stands in for it, or NULL */
	size_t found_capacity;
	bool is_there;
};
struct located {                     /* the answer for a name */
	struct tav_text scope, op;   /* size 0: not known */
	uint64_t op_count, kernels;  /* so many of them were launched by it */
	uint32_t scope_count, total; /* so many of those looked at have this scope */
	double ratio;
	bool is_replayed;
};

/* What is missing in a source, for the checks. */
struct missing {
	uint64_t samples, with_id, linked, launches; /* kernels looked at; those with an id, a link, a launch */
	uint64_t python;                             /* Python frames */
	uint64_t ambiguous, replayed;
};

/* ---- One source ---------------------------------------------------------------------------------------- */
struct triage;
struct label_facts;
struct analysis {
	struct triage *triage;
	uint32_t source;
	bool is_mapping; /* it only tells where the kernels of source 0 come from */
	const struct tav_source *info;
	struct pool pool;
	struct pool map_pool; /* of the source maps, which may be made beside the sweeps */
	const int64_t *start, *end;
	const uint32_t *label, *pid, *tid, *traits, *track;
	const char *phase;
	const uint8_t *kind;
	/* for rules: improved */
	const uint32_t *operators; /* value ids */
	const struct tav_link_list *links;
	const struct tav_step_list *steps;
	/* for rules: reference */
	const uint32_t *stream, *cuda_stream, *correlation, *external; /* value ids, by row */

	struct label_facts *labels;
	int64_t window_start, window_end; /* ns; window_start >= window_end: none */
	bool is_too_long; /* its device work spans or sums up to more than int64 holds: none of it is looked at */
	struct device *devices;
	size_t device_count;
	struct source_map maps[PHASE_COUNT];
	struct missing missing;
};
static inline bool is_interval(const struct analysis *analysis, tav_row row)
{
	return (analysis->traits[row] & TAV_TRAIT_INTERVAL) && analysis->end[row] > analysis->start[row];
}
/* a - b, at the end of the range where it leaves it. */
static inline int64_t minus(int64_t a, int64_t b)
{
	int64_t ns;

	return __builtin_sub_overflow(a, b, &ns) ? (a < b ? INT64_MIN : INT64_MAX) : ns;
}
/* Of an interval, which may be longer than int64 holds. */
static inline uint64_t length_of(const struct analysis *analysis, tav_row row)
{
	return (uint64_t)analysis->end[row] - (uint64_t)analysis->start[row];
}
/* The call that launched a device event; TAV_NONE: not known. */
static inline tav_row launch_of(const struct analysis *analysis, tav_row row)
{
	uint32_t place = analysis->links->index[row];

	return place == TAV_NONE ? TAV_NONE : analysis->links->launch[place];
}

struct label_facts {          /* of a distinct pair of category and name, found once */
	uint32_t kernel_name; /* text id; 0: not asked yet */
	uint32_t op;          /* text id of the name of an operator, cut; 0: not asked yet */
	uint32_t scope;       /* text id */
	int16_t scope_score;
	uint8_t category;
	uint8_t scope_flags;
	uint8_t predicate;  /* reference_kernels.c; 0: not asked yet */
	uint8_t annotation; /* 3: of the device, 2: of the host, 1: none */
	uint8_t host;       /* enum host_kind of sourcemap.c; 0: not asked yet */
};

/* ---- The stage as configured, and what one call of each() makes of it ---------------------------------- */
struct triage {
	struct tav_self *self;
	bool is_reference; /* rules: reference */
	struct categories categories;
	/* options */
	uint32_t default_phase;
	int32_t only_phase;        /* -1: all of them */
	struct tav_text only_step; /* size 0: any */
	uint64_t limit, kernel_limit, candidates;
	int64_t min_total, tight_min, tight_max, near;
	double min_share, min_exposed, min_hidden, tight_share, lookup_min_share;
	uint32_t samples, lookup_min_chars;
	struct tav_text *roots; /* lower case */
	size_t root_count;
	struct pool pool;     /* in create(): what is kept */
	struct tav_map texts; /* in each() */
};
static inline struct tav_text text_at(const struct triage *triage, uint32_t id)
{
	return id ? triage->texts.texts[id - 1] : TEXT("");
}
static inline struct tav_text label_of(const struct analysis *analysis, tav_row row, struct tav_text *category)
{
	struct tav_self *self = analysis->triage->self;

	return self->host->label(self, analysis->source, analysis->label[row], category);
}
static inline struct tav_text value_of(const struct analysis *analysis, uint32_t value)
{
	return analysis->triage->self->host->value(analysis->triage->self, analysis->source, value);
}
static inline const struct category *category_at(const struct triage *triage, const struct aggregate *aggregate)
{
	return &triage->categories.items[aggregate->category];
}
static inline double ratio(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : 0;
}
tav_status no_memory(struct triage *triage);

/* ---- The sections -------------------------------------------------------------------------------------- */
/* kernels.c: sections 3 to 6 */
enum { CANCEL_EVERY = 1 << 16 };
tav_status analysis_open(struct triage *triage, uint32_t source, struct analysis *analysis);
tav_status find_kernels(struct analysis *analysis);
/* Takes an event into its device, cut to the window; there is room for it. */
tav_status add_kernel(struct analysis *analysis, struct device *device, tav_row row);
/* Sorts numbers of all kernels of a device; those with equal keys keep their order. */
typedef uint64_t kernel_key(const struct triage *triage, const struct kernel *kernel);
kernel_key kernel_start, kernel_end;
tav_status order_kernels(struct analysis *analysis, const struct device *device, uint32_t *order, kernel_key *key);

/* categories.c: section 7; category_words.c: the words */
extern const unsigned char builtin_categories[]; /* the text of config/kernel-categories.yaml */
extern const size_t builtin_categories_size;
tav_status categories_load(struct triage *triage, struct pool *pool, const char *path, const char *data, size_t size);
uint8_t category_of(const struct categories *categories, struct tav_text category, struct tav_text name, uint32_t work);
enum { CATEGORY_OTHER = 0 }; /* index of the category for what no word tells */

/* phases.c: section 8 */
struct mark { /* an annotation that names a phase */
	int64_t start, end;
	uint32_t pid;
	tav_row row;
	uint8_t phase;
	bool is_device;
};
struct marks {
	struct mark *items;
	size_t count, capacity;
};
struct all_marks {
	struct marks device, host;
	struct marks by_id; /* one for each id */
	struct tav_map ids; /* of operators; numbered as by_id */
};
uint8_t phase_by_word(struct tav_text name);
tav_status add_mark(struct analysis *analysis, struct all_marks *all, tav_row row, uint8_t phase, bool is_device,
                    bool has_id, uint64_t id);
int mark_by_start(const void *a, const void *b); /* by (start, end, row), for qsort */
tav_status find_phases(struct analysis *analysis);

/* aggregates.c: section 10 */
tav_status make_aggregates(struct analysis *analysis, struct device *device);

/* partners.c */
void partners_init(struct partners *partners, struct tav_self *self, bool with_first);
/* Adds time to a pair. *pair: the one of this aggregate that was met before, or anything. False: no memory. */
bool partners_add(struct partners *partners, uint32_t aggregate, uint32_t name, int64_t time, uint32_t *pair);
void partners_note_first(struct partners *partners, uint32_t pair, uint32_t kernel, int64_t now);
/* Into the aggregates' best partners. */
void partners_choose(const struct triage *triage, const struct partners *partners, struct aggregate *aggregates);

/* sweep.c: section 9 */
/* Sweeps some kernels, by start and by end, into `totals`; with partners into aggregates too. */
tav_status sweep_some(struct analysis *analysis, struct device *device, const uint32_t *starts, const uint32_t *ends,
                      size_t count, bool with_partners, struct totals *totals);

/* groups.c: the sweeps of a device, of its phases and of its steps */
tav_status sweep_device(struct analysis *analysis, struct device *device);
/* The time that groups of kernels span. `order`: kernels by start; group_of: below group_count, or UINT32_MAX. */
tav_status measure_windows(struct analysis *analysis, const struct device *device, const uint32_t *order,
                           const uint32_t *group_of, size_t group_count, struct totals *totals);
/* The step of a kernel; UINT32_MAX: of none. */
uint32_t step_of(const struct analysis *analysis, const struct kernel *kernel);

/* scopes.c: section 12 */
enum { SCOPE_MEANINGFUL = 1, SCOPE_FALLBACK = 2 };
tav_status scope_of(struct analysis *analysis, uint32_t label, struct label_facts **out);
int32_t scope_priority(const struct triage *triage, struct tav_text scope);
bool scope_split(struct tav_text scope, size_t *line, size_t *function);
/* What is left of a path that starts at `at`, without leading slashes. */
struct tav_text path_from(struct tav_text path, size_t at);

/* sourcemap.c: section 13; lookup.c: section 14 */
enum host_kind { HOST_NEITHER = 1, HOST_PYTHON, HOST_OP };
tav_status make_source_maps(struct analysis *analysis);
uint32_t sample_place(uint32_t i, uint32_t wanted, uint32_t count);
tav_status locate(struct analysis *mapping, uint8_t phase, uint32_t name, struct located *out);
const struct counter *counter_best(const struct counters *counters); /* NULL: nothing was counted */

/* neighbours.c: section 15 */
enum risk { RISK_LOW, RISK_HIGH, RISK_UNCLEAR };
struct neighbours { /* of an aggregate */
	const char *signal;
	enum risk risk;
	struct tav_text previous, next;             /* of the longest kernel */
	uint64_t before_count, after_count, looked; /* kernels with a tight risk on a side, of so many */
};
tav_status find_neighbours(struct analysis *analysis, struct analysis *mapping, struct device *device,
                           const struct aggregate *aggregate, struct neighbours *out);

struct opportunity;
/* Of the rows of a device, over all their kernels, not the longest alone. */
tav_status count_neighbours(struct analysis *analysis, struct analysis *mapping, struct device *device,
                            struct opportunity *rows, size_t count);

/* rank.c: sections 11, 16 and 17 */
struct candidate {
	uint32_t aggregate;
	double value, tie; /* higher first; then lower aggregate */
};
int candidate_compare(const void *a, const void *b); /* for qsort */
struct opportunity {
	const struct device *device;
	const struct aggregate *aggregate; /* NULL: the device is idle */
	const char *priority, *verdict, *recommendation;
	double share; /* percent: of kernel time; of the idle row: of the window */
	int64_t gain; /* wall time that it takes alone */
	struct located located;
	struct neighbours neighbours;
	struct tav_text suggestion;
};
struct ranking {
	struct opportunity *items;
	size_t count;
	uint64_t omitted;
	uint32_t *headroom_rank, *hidden_rank; /* by aggregate: place in the candidate lists from 1; 0: not in it */
};
double share_of(const struct triage *triage, const struct device *device, const struct aggregate *aggregate);
int64_t exposed_time(const struct triage *triage, const struct aggregate *aggregate);
const char *advice(enum kind kind);
bool is_idle_known(const struct analysis *analysis);
struct tav_text device_name(const struct analysis *analysis, const struct device *device);
struct tav_text idle_cause(const struct analysis *analysis, const struct device *device); /* a sentence */
/* Cheap kinds of work that are hidden already, by what hides them. */
tav_status list_hidden(struct analysis *analysis, const struct device *device, int32_t phase, struct candidate **list,
                       size_t *count);
tav_status rank_device(struct analysis *analysis, struct analysis *mapping, struct device *device,
                       struct ranking *ranking);

/* report.c, combine.c */
tav_status report_source(struct analysis *analysis, struct analysis *mapping);
enum sum { SUM_BUSY, SUM_IDLE, SUM_OVERLAP, SUM_EXPOSED, SUM_STREAMS, SUM_KERNELS, SUM_DEVICES, SUM_COUNT };
tav_status send_sum(struct tav_self *self, uint32_t source, enum sum sum, int64_t value); /* as a metric */
tav_status combine(struct tav_self *self);

/* pages.c */
enum { TRIAGE_PAGE_COUNT = 15 };
extern const struct tav_page triage_pages[TRIAGE_PAGE_COUNT];

/* ---- What only `rules: reference` does ----------------------------------------------------------------- */
/* reference_kernels.c: sections 3 to 5 */
tav_status reference_kernels(struct analysis *analysis);
bool reference_correlation(const struct analysis *analysis, tav_row row, uint64_t *key);
bool reference_external(const struct analysis *analysis, tav_row row, int64_t *id); /* its own External id */
/* `places` has correlations as keys; gives each the place + 1 of its id in *ids, the last event of the file deciding.
 */
tav_status reference_ids(struct analysis *analysis, struct pool *pool, const struct tav_map *places, int64_t **ids);
/* The External id of a kernel, its own or by `places` and `ids`; false: none. */
bool reference_id(const struct analysis *analysis, tav_row row, const struct tav_map *places, const int64_t *ids,
                  int64_t *id);
/* reference_words.c: section 7.1 */
void categories_reference(struct categories *categories);
uint8_t reference_category(struct tav_text raw);
bool has_kernel_hint(struct tav_text raw);
/* reference_phases.c: section 8 */
tav_status reference_phases(struct analysis *analysis);
/* reference_scopes.c: section 12 */
bool reference_is_known(struct tav_text scope);
void reference_worth(struct tav_text scope, int32_t *score, int32_t *priority);
struct tav_text reference_path(struct tav_self *self, struct tav_text path);
/* reference_rank.c: sections 11, 16 and 17 */
tav_status reference_rank(struct analysis *analysis, struct analysis *mapping, struct device *device,
                          struct ranking *ranking);

#endif
