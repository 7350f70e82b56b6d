/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sections of the analysis share. A run goes through them in this order, for each source:
 * kernels (which events, which device, which stream), categories, phases, sweep (what ran beside what), aggregates
 * (one for each name), source map (where in the Python source), neighbours, rank, report.
 */
#ifndef TRIAGE_TRIAGE_H
#define TRIAGE_TRIAGE_H

#include "pool.h"
#include "rules.h"
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
	OPT_STEPS,
	OPT_COUNT
};
enum { FIELD_STREAM, FIELD_CUDA_STREAM, FIELD_CORRELATION, FIELD_EXTERNAL, FIELD_NAME, FIELD_COUNT };

/* ---- Categories ---------------------------------------------------------------------------------------- */
enum kind { KIND_OTHER, KIND_ELEMENTWISE, KIND_MEMORY, KIND_COMMUNICATION, KIND_COMPUTE, KIND_COUNT };
struct category {
	const char *name;
	enum kind kind; /* how the verdicts treat it */
	uint32_t rank;  /* the partner with the highest rank is the one that hides */
	double weight;  /* of its exposed time, when opportunities are ordered */
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
	uint32_t step;      /* text id of the step's name; 0: none */
	uint8_t category;
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

struct partner_first { /* for ties, see enum partner_ties */
	uint32_t kernel;
	int64_t time;
};
struct partner {       /* how long this name stood beside the kernels of an aggregate */
	uint32_t name; /* 0: nobody */
	int64_t time;
	struct partner_first first;
};
enum { BEST_PARTNERS = 3 };

struct pair {
	uint64_t key; /* aggregate and name, plus 1; 0: free */
	int64_t time;
};
struct partners {
	struct pair *slots;
	struct partner_first *first; /* parallel, only with_first */
	size_t slot_count, count;
	bool with_first;
};

struct aggregate {
	uint32_t name;
	uint8_t category, phase;
	uint64_t count;
	int64_t total, hidden, exclusive, by_compute; /* hidden + exclusive = total */
	uint32_t representative;                      /* the longest kernel */
	struct partner best[BEST_PARTNERS];           /* those with most time, the first one foremost */
	/* during the sweep */
	uint32_t active, on_best_stream, active_place, active_head;
	size_t last_slot; /* of its pairs */
};

/* What the verdict counts as hidden and as exposed, see enum cover_choice. */
static inline int64_t hidden_time(const struct rules *rules, const struct aggregate *a)
{
	return rules->cover == COVER_BY_COMPUTE ? a->by_compute : a->hidden;
}

struct device {
	uint32_t source, number; /* number: dense within the source */
	uint32_t pid;            /* value id */
	struct kernel *kernels;
	size_t count;
	uint64_t empty_count; /* kernels without a duration: left out */
	uint32_t *streams;    /* text ids; by kernel.stream */
	uint32_t stream_count;
	size_t stream_capacity;
	struct aggregate *aggregates; /* in the order of first sight */
	size_t aggregate_count;
	size_t lane_count;
	uint32_t *lane_aggregates; /* by lane */
	struct pool pool;          /* of what the sweeps make, which may run beside the source maps */
	struct partners partners;
	struct totals totals;
	struct totals phases[PHASE_COUNT];
	uint32_t *steps; /* text ids, in the order of their first kernel */
	struct totals *step_totals;
	size_t step_count;
	uint32_t *by_stream; /* kernels by (stream, start, end, number) */
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
	uint32_t total, mapped;
	struct counters scopes, chains, ops;
	bool is_shared_launch; /* its launch started other kernels too: a graph */
};
struct source_map { /* of one phase */
	struct mapped_name *items;
	size_t count, capacity;
	struct map index; /* name to index + 1 */
	bool is_there;
};
struct located {                   /* the answer for a name */
	struct tav_text scope, op; /* size 0: not known */
	double ratio;
	bool is_shared_launch;
};

/* What is missing in a source, for the checks. */
struct missing {
	uint64_t samples, with_id, correlated,
	        launches;     /* kernels looked at; those with an id, a correlation, a launch */
	uint64_t python, ops; /* Python frames; operators with a wanted id */
};

/* ---- One source ---------------------------------------------------------------------------------------- */
struct triage;
struct analysis {
	struct triage *triage;
	uint32_t source;
	bool is_mapping; /* it only tells other sources where kernels come from */
	const struct tav_source *info;
	struct pool pool;
	struct pool map_pool; /* of the source maps, which may be made beside the sweeps */
	const int64_t *start, *end;
	const uint32_t *label, *pid, *tid, *traits, *track;
	const char *phase;
	const uint32_t *stream, *cuda_stream, *name_field; /* value ids, by row */
	const int64_t *correlation, *external;
	const uint64_t *correlation_present, *external_present;
	int64_t window_start, window_end; /* ns; window_start >= window_end: none */
	struct device *devices;
	size_t device_count;
	struct source_map maps[PHASE_COUNT];
	struct missing missing;
};
static inline bool is_present(const uint64_t *words, tav_row row)
{
	return !words || (words[row / 64] >> row % 64 & 1);
}

/* ---- The run ------------------------------------------------------------------------------------------- */
struct label_facts {          /* of a distinct pair of category and name, found once */
	uint32_t kernel_name; /* text id + 0; 0: not asked yet */
	uint8_t category;
	uint8_t predicate;  /* enum label_predicate + 1; 0: not asked yet */
	uint8_t launch;     /* 2: the name says launch, 1: it does not */
	uint8_t annotation; /* 3: of the device, 2: of the host, 1: none */
	uint8_t host;       /* enum host_kind of sourcemap.c; 0: not asked yet */
	uint8_t scope_known;
	uint8_t scope_flags;
	int32_t scope_score;
	uint32_t scope; /* text id */
};
struct triage {
	struct tav_self *self;
	const struct rules *rules;
	struct pool pool; /* of the run */
	struct texts texts;
	struct categories categories;
	struct label_facts *labels;
	uint32_t label_count;
	/* options */
	uint32_t default_phase;
	int32_t only_phase;        /* -1: all of them */
	struct tav_text only_step; /* size 0: any */
	bool has_window;
	int64_t window_from, window_to;
	uint64_t limit, kernel_limit, candidates;
	int64_t min_total, tight_min, tight_max, near;
	double min_share, min_exposed, min_hidden, tight_share, lookup_min_share;
	uint32_t samples, lookup_min_chars;
	struct tav_text *roots; /* lower case */
	size_t root_count;
	void *steps; /* regex_t */
};
static inline struct tav_text text_of(const struct triage *triage, uint32_t id)
{
	return triage->texts.items[id];
}
tav_status no_memory(struct triage *triage);

/* ---- The sections -------------------------------------------------------------------------------------- */
/* kernels.c: sections 3 to 6 */
tav_status analysis_open(struct triage *triage, uint32_t source, struct analysis *analysis);
tav_status find_kernels(struct analysis *analysis);

/* categories.c: section 7; reference_words.c: the fixed words */
extern const unsigned char builtin_categories[]; /* the text of config/kernel-categories.yaml */
extern const size_t builtin_categories_size;
void categories_reference(struct categories *categories);
tav_status categories_load(struct triage *triage, const char *path, const char *data, size_t size);
bool category_of(struct triage *triage, struct tav_text category, struct tav_text name, uint32_t traits, uint8_t *out);
uint8_t reference_category(struct tav_text raw);
bool has_kernel_hint(struct tav_text raw);
enum { CATEGORY_OTHER = 0 }; /* index of the category for what no word tells */

/* phases.c: section 8 */
tav_status find_phases(struct analysis *analysis);

/* launches.c: which host event started a kernel */
bool correlation_key(const struct analysis *analysis, tav_row row, uint64_t *key);
tav_status find_launches(struct analysis *analysis, struct map *rows);
tav_status find_external_ids(struct analysis *analysis, struct pool *pool, struct map *places, int64_t **ids);

/* aggregates.c: section 10 */
tav_status make_aggregates(struct analysis *analysis, struct device *device);

/* partners.c */
bool partners_init(struct partners *partners, bool with_first);
void partners_fini(struct partners *partners);
/* Adds time to a pair. *slot: where the caller found a pair of this aggregate before, or anything. False: no memory. */
bool partners_add(struct partners *partners, uint32_t aggregate, uint32_t name, int64_t time, size_t *slot);
void partners_note_first(struct partners *partners, size_t slot, uint32_t kernel, int64_t now);
/* Into the aggregates' best partners. */
void partners_choose(const struct triage *triage, const struct partners *partners, struct aggregate *aggregates);

/* sweep.c: section 9 */
/* Sweeps some kernels, their numbers given in the order of start, into `totals`; with partners into aggregates too. */
tav_status sweep_some(struct analysis *analysis, struct device *device, const uint32_t *numbers, size_t count,
                      bool with_partners, struct totals *totals);

/* groups.c: the sweeps of a device, of its phases and of its steps */
tav_status sweep_device(struct analysis *analysis, struct device *device);

/* scopes.c: section 12 */
enum { SCOPE_MEANINGFUL = 1, SCOPE_FALLBACK = 2 };
tav_status scope_of(struct triage *triage, uint32_t label, struct label_facts **out);
int32_t scope_priority(struct triage *triage, struct tav_text scope);
bool scope_split(struct tav_text scope, size_t *line, size_t *function);

/* sourcemap.c: section 13; lookup.c: section 14 */
tav_status make_source_maps(struct analysis *analysis);
tav_status locate(struct analysis *mapping, uint8_t phase, uint32_t name, struct located *out);
uint32_t counter_best(const struct counters *counters);

/* neighbours.c: section 15 */
enum risk { RISK_LOW, RISK_HIGH, RISK_UNCLEAR };
struct neighbours {
	const char *signal;
	enum risk risk;
	struct tav_text previous, next;
};
tav_status find_neighbours(struct analysis *analysis, struct analysis *mapping, struct device *device,
                           const struct aggregate *aggregate, struct neighbours *out);

/* rank.c: sections 11, 16 and 17 */
struct opportunity {
	const struct device *device;
	const struct aggregate *aggregate;
	const char *priority, *verdict, *recommendation;
	double share;
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
double share_of(const struct rules *rules, const struct device *device, const struct aggregate *aggregate);
tav_status rank_device(struct analysis *analysis, struct analysis *mapping, struct device *device,
                       struct ranking *ranking);

/* report.c */
struct summary_line { /* of one device */
	uint32_t source;
	struct tav_text device;
	struct totals totals;
};
struct summary { /* of the run */
	struct summary_line *lines;
	size_t count, capacity;
};
tav_status report_source(struct analysis *analysis, struct analysis *mapping);
tav_status report_run(struct triage *triage, const struct summary *summary);

#endif
