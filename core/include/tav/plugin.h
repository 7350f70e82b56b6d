/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/plugin.h - all that a tav plugin may use. A plugin includes this header (and <tav/kit.h>, helpers that are
 * compiled into it), links against nothing, and exports one object, `tav_plugin`. Everything else it needs comes
 * through the function table in `self->host`.
 *
 * A run      Each source (an input file) is looked at once: each(self) of every stage, in the order of the config, with
 *            a self of that call alone. Different sources run at the same time on different threads. What each() told
 *            is sealed when it has returned TAV_OK; when the last stage has looked, the host forgets the events. Then
 *            combine(self) of every stage that has one is called once, stage by stage, on one thread; it sees results
 *            (extension "tav.results/1") and no event.
 * Sources    In each() the source is number 0. A file that a COMPANION option names is a source too, numbered from 1 in
 *            the order of the options, known by that option's value. In combine() sources are numbered from 0 to
 *            source_count() - 1; behind them stand those of the stage's own BASELINE options. TAV_RUN: the run.
 * Ids        of texts and labels belong to a source and mean nothing in another one; see find_value(), find_label().
 * Sizes      A struct that starts with `struct_size` (set it to sizeof) may grow at its end within a major version;
 *            zero in a member means that it was not given. What lies behind the host's own end must be zero, else the
 *            host is too old. Lists carry the size of an item for the same reason. A struct with neither is frozen.
 *            `reserved` and bits without a name must be 0. Enumerators keep their numbers; an unknown one is refused.
 * Ownership  Who allocates, frees; nothing is freed across the boundary. What the plugin passes in a call is copied
 *            before the call returns. What the host returns stays valid until the plugin's function has returned.
 * Errors     A finding is a fact about the trace (it goes to the report). An error means that the work could not be
 *            done: add a cause with tav_fail() and return what it returns; each caller may add one more cause. A stage
 *            that fails makes that source (in combine(): the run) `error`.
 * Threads    [owner]: the thread that called the plugin, one at a time for a `self`. [any]: also from a task of
 *            parallel(). each() runs for different sources at the same time, so a plugin keeps no writable globals and
 *            writes to `state` in create() alone.
 * Bulk       Per-event data come as whole columns, distinct things (texts, labels) by call. No call per event.
 */
#ifndef TAV_PLUGIN_H
#define TAV_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_ABI_MAJOR 2        /* differs: refused */
#define TAV_ABI_MINOR_LATEST 0 /* of this header, and of the host that was built with it */
#ifndef TAV_ABI_MINOR          /* additions this plugin sees, and by default needs: an older host refuses it. Define */
#define TAV_ABI_MINOR 0        /* it only to use something new; to use it where it exists, lower `abi_minor` and ask */
#endif                         /* TAV_HAS. */

#define TAV_EXPORT __attribute__((visibility("default")))
#define TAV_HAS(p, member) (offsetof(__typeof__(*(p)), member) + sizeof((p)->member) <= (p)->struct_size)
/* clang-format off */
#define TAV_LIST(array) {(array), (uint32_t)(sizeof(array) / sizeof((array)[0])), (uint32_t)sizeof((array)[0])}
/* clang-format on */

typedef int32_t tav_status; /* TAV_OK or an error of which the host has been told the cause */
typedef uint32_t tav_row;   /* an event's place in its source, in file order; a B/E pair has one row, that of its B */
enum { TAV_OK = 0, TAV_FAILED = -1, TAV_CANCELLED = -2 };
enum { TAV_LOG_ERROR = 1, TAV_LOG_WARNING, TAV_LOG_INFO, TAV_LOG_DEBUG };

#define TAV_RUN UINT32_MAX  /* as a source: the whole run */
#define TAV_NONE UINT32_MAX /* no such thing: no device, no track */

struct tav_self;
/* UTF-8 as far as the input was (bad bytes are kept); also NUL-terminated; may hold NULs. Frozen. */
struct tav_text {
	const char *data;
	size_t size;
};
/* One event of the source under each() (source 0). Frozen. */
struct tav_ref {
	uint32_t source;
	tav_row row;
};
/* What is told of an event once the events are gone. Frozen. */
struct tav_event {
	struct tav_text name, category, pid, tid;
	struct tav_text stream, lane; /* of a device track; else empty */
	uint32_t source;              /* as numbered where it is read */
	tav_row row;
	uint64_t offset;          /* byte of its '{' */
	int64_t start_ns, end_ns; /* both 0 where `has_time` is 0 */
	uint32_t has_time;
	uint32_t device; /* dense within its source; TAV_NONE: not of a device */
};

/* ---- Options: declared once; the host checks, documents and converts them before it reads any input ---------- */
enum {
	TAV_TYPE_BOOL = 1,
	TAV_TYPE_INT,
	TAV_TYPE_REAL,
	TAV_TYPE_STRING,
	TAV_TYPE_CHOICE,
	TAV_TYPE_DURATION, /* "5us", "1.5ms", "250" (ns): ns */
	TAV_TYPE_PATTERN,  /* a POSIX extended regular expression, already tried */
	TAV_TYPE_FIELD,    /* "args.device": the host reads that field for this plugin, as TAV_TYPE_STRING */
	TAV_TYPE_INPUT,    /* a path: the host reads that file as a further source, see TAV_OPT_BASELINE */
	TAV_TYPE_FILE,     /* a path that the plugin reads itself; relative to the config that names it */
	TAV_TYPE_JSON,     /* of fields only: a value id of the JSON text as it stands in the file, of any kind */
	TAV_TYPE_PRESENT,  /* of fields only: nothing but whether the field is there, see present() */
	TAV_TYPE_WINDOW,   /* "10ms..25ms", "..25ms" (since first_ns), "@TS..@TS" (us as in the file): from_ns, to_ns */
	TAV_TYPE_REF       /* of table columns only: struct tav_ref, told as struct tav_event */
};
enum {
	TAV_OPT_REQUIRED = 1u << 0,
	TAV_OPT_MANY = 1u << 1, /* a YAML list */
	TAV_OPT_DEPRECATED = 1u << 2,
	/*
	 * Affects combine() or what is shown, never what each() finds: reports that differ in it still combine.
	 */
	TAV_OPT_LATE = 1u << 3,
	/*
	 * An INPUT is a companion: read once in the run, before the first source, for each() to look at. With BASELINE
	 * it is a source of its own (a trace or a report), on which each() of every stage runs; this stage's combine()
	 * sees it, nobody else does, and it counts in no verdict.
	 */
	TAV_OPT_BASELINE = 1u << 4
};

struct tav_option {
	const char *name;           /* [a-z][a-z0-9_]* */
	uint32_t type;              /* TAV_TYPE_... */
	uint32_t flags;             /* TAV_OPT_... */
	const char *preset;         /* default, written as in YAML ("[a, b]" where MANY); NULL: none */
	const char *min, *max;      /* inclusive, written as in YAML; NULL: open */
	const char *const *choices; /* NULL-terminated; for CHOICE */
	const char *help;           /* one sentence, with the unit */
};
struct tav_option_list {
	const struct tav_option *items;
	uint32_t count, item_size;
};

/* Made by the host, always complete: a preset stands in for what the user left out. */
struct tav_value {
	uint32_t struct_size;
	uint32_t given; /* 1: the user wrote it */
	/*
	 * BOOL 0/1, INT, CHOICE index, DURATION ns, FIELD column or -1; INPUT: in each() the number of the companion,
	 * else -1. WINDOW: 1 when absolute (from_ns and to_ns are times as in the file), 0 since first_ns.
	 */
	int64_t integer;
	double real;                          /* REAL */
	struct tav_text text;                 /* as written; FILE: the resolved path; size 0: none */
	const struct tav_value *const *items; /* MANY: `count` values */
	uint64_t count;
	int64_t from_ns, to_ns; /* WINDOW: [from, to); open ends are INT64_MIN, INT64_MAX */
};

/* ---- Columns ------------------------------------------------------------------------------------------------ */
/* Element type; meaning. */
enum {
	TAV_COL_START_NS = 0, /* int64_t; rounded half up; 0 of an event without a time */
	TAV_COL_END_NS,       /* int64_t; >= start */
	TAV_COL_LABEL,        /* uint32_t; distinct pair of category and name, see label() */
	TAV_COL_PID,          /* uint32_t; value id, see value(); 0: missing */
	TAV_COL_TID,          /* uint32_t; value id */
	TAV_COL_TRAITS,       /* uint32_t; bits TAV_TRAIT_... */
	TAV_COL_TRACK,        /* uint32_t; dense from 0 within a source, see track() */
	TAV_COL_OFFSET,       /* uint64_t; byte of the event's '{' in its (inflated) input */
	TAV_COL_PHASE,        /* char; 'X', 'B' (also of a pair), 'i', ...; 0: none */
	TAV_COL_KIND,         /* uint8_t; TAV_KIND_... of a DEVICE row, else 0 */
	TAV_COL_LINK,         /* uint32_t; value id of the dialect's link field, as linked by "tav.links/1"; 0: none */
	TAV_COL_OPERATOR,     /* uint32_t; value id of the dialect's operator field; 0: none, null, "" or 0 */
	TAV_COL_FIELDS = 4096 /* + index into the plugin's own list of fields; element type: that field's type */
};

/* The kind of a device event, the first that holds; an instant belongs to the highest kind running. */
enum {
	TAV_KIND_NONE = 0,
	TAV_KIND_COPY,          /* MEMCPY or MEMSET, and not COLLECTIVE */
	TAV_KIND_COMMUNICATION, /* COLLECTIVE */
	TAV_KIND_COMPUTE        /* all other device work */
};
/* What a call of the host is, of a label; set by the rules of the dialect. */
enum {
	TAV_CALL_NONE = 0,
	TAV_CALL_LAUNCH,
	TAV_CALL_COPY,
	TAV_CALL_FILL,
	TAV_CALL_GRAPH_LAUNCH,
	TAV_CALL_DEVICE_WAIT,
	TAV_CALL_CAPTURE_BEGIN,
	TAV_CALL_CAPTURE_END
};
/* Who made the device and its software, as far as a check must know. */
enum {
	TAV_FLAVOUR_NONE = 0,
	TAV_FLAVOUR_CUDA,
	TAV_FLAVOUR_ROCM,
	TAV_FLAVOUR_XPU,
	TAV_FLAVOUR_SPYRE,
	TAV_FLAVOUR_MTIA,
	TAV_FLAVOUR_ASCEND
};

/* Traits: what an event is. A dialect sets them, but for those marked (host). */
enum {
	TAV_TRAIT_DEVICE = 1u << 0, /* occupies an accelerator */
	TAV_TRAIT_KERNEL = 1u << 1,
	TAV_TRAIT_MEMCPY = 1u << 2,
	TAV_TRAIT_MEMSET = 1u << 3,
	TAV_TRAIT_COLLECTIVE = 1u << 4, /* communication between devices */
	TAV_TRAIT_PREP = 1u << 5,       /* preparation of device work on the host */
	TAV_TRAIT_HOST_OP = 1u << 6,
	TAV_TRAIT_RUNTIME = 1u << 7,
	TAV_TRAIT_DRIVER = 1u << 8,
	TAV_TRAIT_ANNOTATION = 1u << 9,
	TAV_TRAIT_PYTHON = 1u << 10,
	TAV_TRAIT_OVERHEAD = 1u << 11,
	TAV_TRAIT_PARENT = 1u << 12,        /* a launch that should contain its kernels */
	TAV_TRAIT_DEVICE_CLOCK = 1u << 13,  /* timed by the device: its work, and annotations and waits on its rows */
	TAV_TRAIT_SUSPECT_TIME = 1u << 14,  /* its own fields contradict its ts or dur */
	TAV_TRAIT_STEP = 1u << 15,          /* a host interval that marks a step, see "tav.steps/1" */
	TAV_TRAIT_ENDS_LATER = 1u << 16,    /* an annotation that outlives its scope */
	TAV_TRAIT_INTERVAL = 1u << 26,      /* (host) an X event or a matched pair with usable times */
	TAV_TRAIT_DEFAULT_TRACK = 1u << 27, /* (host) a track key was absent and its default stands in */
	TAV_TRAIT_TIMELESS = 1u << 28,      /* (host) neither an X nor a B event, and no valid ts; start = end = 0 */
	TAV_TRAIT_REFINE = 1u << 29,  /* of a label: its events differ by more than name and category; ask refine() */
	TAV_TRAIT_UNUSABLE = 1u << 30 /* (host) an X, B event without a valid time; start = end = 0; see unusable() */
};

/* Why an event is unusable. */
enum {
	TAV_BAD_MISSING = 1, /* no ts, no dur, or null */
	TAV_BAD_NOT_NUMBER,  /* a boolean, an object, text that is no number */
	TAV_BAD_NEGATIVE,    /* negative dur, or an E before its B */
	TAV_BAD_RANGE,       /* start or end leaves int64 ns; also infinity */
	TAV_BAD_UNMATCHED    /* a B without its E */
};
enum { TAV_BAD_FIELD_TS = 1, TAV_BAD_FIELD_DUR, TAV_BAD_FIELD_END };
struct tav_unusable { /* Frozen. */
	tav_row row;
	uint16_t reason; /* TAV_BAD_... */
	uint16_t field;  /* TAV_BAD_FIELD_... */
};

/* A B or E that found no partner, by offset. Frozen. */
struct tav_unmatched {
	uint64_t offset;
	tav_row row;    /* of a B; TAV_NONE: an E has no row */
	uint32_t phase; /* 'B' or 'E' */
};

enum { TAV_FIELD_COUNTERS = 1u << 0 /* of counters (ph C) alone: of other events it may be left out */ };
struct tav_field { /* an input field that this plugin reads; fields nobody declares are not stored */
	/* "args.KEY" (the rest is the key, dots and blanks included), "args" (JSON), or a key of the event, "id" */
	const char *path;
	/* INT: int64_t, REAL: double, STRING: uint32_t value id (any scalar, exact), JSON, PRESENT */
	uint32_t type;
	uint32_t flags; /* TAV_FIELD_... */
};
struct tav_field_list {
	const struct tav_field *items;
	uint32_t count, item_size;
};

struct tav_order { /* chosen rows of one source by (track, start, end descending, row) */
	uint32_t struct_size;
	uint32_t track_count;
	const uint64_t *first; /* track t owns rows[first[t]] .. rows[first[t + 1] - 1] */
	const tav_row *rows;
};

/* Of a track. */
enum {
	TAV_TRACK_DEVICE = 1u << 0, /* holds device events; else the other events of one thread (pid, tid) */
	TAV_TRACK_SERIAL = 1u << 1  /* must run one thing at a time: judged */
};
struct tav_track {
	uint32_t struct_size;
	uint32_t flags;
	struct tav_text name; /* for a person: "pid 0, stream 7" */
	uint32_t pid;         /* value id */
	uint32_t tid;         /* value id; of a thread's track only, else 0 */
	uint32_t stream;      /* value id of the dialect's second track key, its default included; 0: none */
	uint32_t device;      /* dense within the source, by the dialect's device keys; TAV_NONE: not of a device */
	struct tav_text lane; /* name of the dialect's lane, empty when it has none */
};

enum { TAV_FORM_EMPTY = 0, TAV_FORM_OBJECT, TAV_FORM_ARRAY, TAV_FORM_LINES };
enum { TAV_ROLE_SOURCE = 0, TAV_ROLE_COMPANION, TAV_ROLE_BASELINE };
enum { TAV_VERDICT_PASS = 0, TAV_VERDICT_WARN, TAV_VERDICT_FAIL, TAV_VERDICT_ERROR }; /* in order: the worst counts */
struct tav_source {
	uint32_t struct_size;
	uint32_t form;        /* TAV_FORM_... */
	struct tav_text path; /* as the user wrote it; "-": standard input */
	struct tav_text dialect;
	struct tav_text track_word; /* what the dialect calls a track: "stream", "queue", "engine" */
	int64_t rank;               /* distributedInfo.rank, or -1 */
	int64_t world_size;         /* distributedInfo.world_size, or -1 */
	uint64_t bytes;             /* of the inflated text */
	uint64_t content;           /* hash of the inflated text */
	uint64_t event_count;       /* objects in the event list; a B/E pair is two */
	tav_row row_count;
	uint32_t track_count;
	uint32_t device_count;
	uint32_t role;    /* TAV_ROLE_... */
	uint32_t flavour; /* TAV_FLAVOUR_... */
	uint32_t verdict; /* TAV_VERDICT_..., as far as it is known: in combine() that of each() */
	uint64_t device_event_count;
	uint64_t unmatched_begin, unmatched_end;
	uint64_t unusable_count, unusable_device_count;
	/*
	 * Device events with start <= 0 while the median of all other starts lies beyond 1 s, and no more of these than
	 * of them lie before: they were never stamped.
	 */
	uint64_t zero_time_count;
	/* Earliest start of an interval, such events left out: what relative times count from. 0: no interval. */
	int64_t first_ns, last_ns; /* last_ns: latest end */
	uint32_t is_report;        /* combine(): what it told was read from a report */
	uint32_t reserved;
	uint64_t time_unit_ns; /* each(): of ts and dur in the file; 1000: microseconds */
};

/* ---- Report ------------------------------------------------------------------------------------------------- */
enum { TAV_RESULT_PASS = 1, TAV_RESULT_WARN, TAV_RESULT_FAIL, TAV_RESULT_SKIP /* looked at nothing; say why */ };
enum { TAV_SEV_NOTE = 1, TAV_SEV_WARNING, TAV_SEV_ERROR /* makes the verdict FAIL */ };
enum { TAV_UNIT_NONE = 0, TAV_UNIT_NS, TAV_UNIT_BYTES, TAV_UNIT_PERCENT, TAV_UNIT_RATIO, TAV_UNIT_COUNT };

enum { TAV_BETTER_UNKNOWN = 0, TAV_BETTER_LOWER, TAV_BETTER_HIGHER };

struct tav_check { /* one question, answered */
	uint32_t struct_size;
	uint32_t source; /* TAV_RUN: of the run */
	const char *id;  /* snake_case, stable */
	uint32_t result; /* TAV_RESULT_... */
	uint32_t reserved;
	const char *why;          /* one sentence; NULL: none. SKIP must say what was missing */
	uint64_t count, examined; /* violations among so many things looked at */
};

enum { TAV_METRIC_HEADLINE = 1u << 0 /* shown in the table of many sources */ };
struct tav_metric { /* a number about a source or the run */
	uint32_t struct_size;
	uint32_t source;
	const char *id;
	uint32_t unit;   /* TAV_UNIT_... */
	uint32_t better; /* TAV_BETTER_... */
	uint32_t type;   /* 0 or TAV_TYPE_INT: value; TAV_TYPE_REAL: real (finite) */
	uint32_t flags;  /* TAV_METRIC_... */
	int64_t value;
	double real;
};

/* A named array: a measure of a finding, a column of a table. */
struct tav_series {
	const char *name;        /* snake_case, stable: the key in JSON and the head in CSV */
	uint32_t type;           /* INT: int64_t, REAL: double (finite), STRING: struct tav_text, REF: struct tav_ref */
	uint32_t unit;           /* PERCENT: 0 to 100, RATIO: 0 to 1 */
	const void *data;        /* one element for each instance or row */
	const uint64_t *present; /* bit i % 64 of word i / 64: there is a value; NULL: everywhere */
};
struct tav_series_list {
	const struct tav_series *items;
	uint32_t count, item_size;
};

struct tav_finding { /* a batch of instances; batches with the same id add up, the host counts all and keeps some */
	uint32_t struct_size;
	uint32_t severity;
	const char *id;             /* snake_case, stable, for scripts: "kernel_overlap" */
	const char *message;        /* one sentence for a person */
	uint32_t source;            /* whose finding it is; TAV_RUN: of no single one */
	uint32_t refs_each;         /* events that make one instance, 0 to 4 */
	uint64_t count;             /* facts in this batch: may be more than instances */
	uint64_t instance_count;    /* instances handed over with it, the most telling first */
	const struct tav_ref *refs; /* instance_count * refs_each; each() only */
	struct tav_series_list measures;
	uint64_t max_instances; /* keep at most so many of this id for each source; 0: as the user says, or 100 */
	const char *remedy;     /* what to do about it, one sentence; NULL: none */
	const struct tav_event *events; /* combine(): instead of `refs`, events that results hold */
};

struct tav_table {
	uint32_t struct_size;
	uint32_t source;        /* TAV_RUN: of the run */
	const char *id, *title; /* id: snake_case, stable; the same id for the same shape in every source */
	uint64_t row_count;
	uint64_t omitted_count; /* rows that the stage left out, after an option such as `top` */
	struct tav_series_list columns;
	/* What the text report shows, so that a wide table reads well; the other formats have all of it. */
	const uint32_t *shows; /* one TAV_SHOW_... for each column; NULL: columns, all of them */
	uint64_t first_rows;   /* so many rows are enough for a person, the rest comes with -v; 0: all */
	uint32_t show;         /* TAV_SHOW_COLUMN, or DATA: not for eyes, in JSON only, for combine() */
	uint32_t reserved;
};
enum { /* unknown numbers are columns */
       TAV_SHOW_COLUMN = 0,
       TAV_SHOW_NOTE,   /* of a text: a line of its own below the row, where there is a value */
       TAV_SHOW_DETAIL, /* a column with -v; a table of details alone is shown with -v only */
       TAV_SHOW_KEY,    /* tells rows apart, or is what they are sorted by: never left out for want of width */
       TAV_SHOW_DATA    /* of a table */
};

/* ---- What the host offers ----------------------------------------------------------------------------------- */
struct tav_host {
	uint32_t struct_size;
	uint32_t abi_minor;

	void (*log)(struct tav_self *, uint32_t level, const char *text); /* [any] */
	/* Returns TAV_FAILED. The call under way has failed, whatever it returns. [any] */
	tav_status (*fail)(struct tav_self *, const char *file, uint32_t line, const char *text);
	/* From create(): the option's value cannot be used; the host adds file:line:col. Returns TAV_FAILED. [owner] */
	tav_status (*bad_option)(struct tav_self *, uint32_t option, const char *text);
	/* Zeroed, gone when the call returns; alloc(0) is a valid pointer too; NULL: no memory, as after fail(). [any]
	 */
	void *(*alloc)(struct tav_self *, size_t bytes);
	/* The same in create() only, read-only once that has returned, gone after destroy(). [owner] */
	void *(*keep)(struct tav_self *, size_t bytes);
	int32_t (*cancelled)(struct tav_self *); /* ask every 2^16 events or so, return TAV_CANCELLED then [any] */
	/* Calls task(self, 0 .. n-1, user), maybe at the same time; a failure ends it. Merge by index. [owner] */
	tav_status (*parallel)(struct tav_self *, uint32_t n,
	                       tav_status (*task)(struct tav_self *, uint32_t i, void *user), void *user);

	uint32_t (*source_count)(struct tav_self *);                            /* each(): 1; create(): 0 [any] */
	const struct tav_source *(*source)(struct tav_self *, uint32_t source); /* [any] */

	/* ---- of events: in each(), and in the functions of a dialect ---- */
	/* The whole column, row_count elements, read-only; NULL: unknown column. First use may compute it. [any] */
	const void *(*column)(struct tav_self *, uint32_t source, uint32_t column);
	/* Bit r % 64 of word r / 64: row r has a value. NULL: every row has one. [any] */
	const uint64_t *(*present)(struct tav_self *, uint32_t source, uint32_t column);
	/* INTERVAL rows whose traits include all of `traits`; computed once for all that ask the same. [owner] */
	tav_status (*order)(struct tav_self *, uint32_t source, uint32_t traits, const struct tav_order **out);
	const struct tav_unusable *(*unusable)(struct tav_self *, uint32_t source, uint64_t *count); /* by row; [any] */
	const struct tav_unmatched *(*unmatched)(struct tav_self *, uint32_t source, uint64_t *count); /* [any] */
	uint32_t (*label_count)(struct tav_self *, uint32_t source);                                   /* [any] */
	/* The name; `category` may be NULL. [any] */
	struct tav_text (*label)(struct tav_self *, uint32_t source, uint32_t label, struct tav_text *category);
	uint32_t (*label_call)(struct tav_self *, uint32_t source, uint32_t label);   /* TAV_CALL_...; [any] */
	struct tav_text (*value)(struct tav_self *, uint32_t source, uint32_t value); /* [any] */
	/* The id of a text in a source, or TAV_NONE. [any] */
	uint32_t (*find_label)(struct tav_self *, uint32_t source, struct tav_text category, struct tav_text name);
	uint32_t (*find_value)(struct tav_self *, uint32_t source, struct tav_text text);
	const struct tav_track *(*track)(struct tav_self *, uint32_t source, uint32_t track); /* [any] */
	/* What the trace calls a process (tid TAV_NONE) or a thread, by value ids; size 0: nothing. [any] */
	struct tav_text (*name_of)(struct tav_self *, uint32_t source, uint32_t pid, uint32_t tid);
	/* The JSON text of a member of the top-level object, such as "distributedInfo"; size 0: not there. [any] */
	struct tav_text (*metadata)(struct tav_self *, uint32_t source, const char *key);
	/* The keys of the top-level object in the order of the file, traceEvents left out; size 0: no more. [any] */
	struct tav_text (*metadata_key)(struct tav_self *, uint32_t source, uint32_t index);

	/* ---- what is told: in each() of source 0, in combine() of any source or TAV_RUN. [owner] ---- */
	tav_status (*check)(struct tav_self *, const struct tav_check *);
	tav_status (*finding)(struct tav_self *, const struct tav_finding *);
	tav_status (*table)(struct tav_self *, const struct tav_table *);
	tav_status (*metric)(struct tav_self *, const struct tav_metric *);
	/* One sentence that says it all, shown first and under -q too; one for each device where there are several. */
	tav_status (*headline)(struct tav_self *, uint32_t source, const char *text);

	/* For example "tav.overlap/1"; NULL: not offered. [owner] */
	const void *(*extension)(struct tav_self *, const char *id);
};

struct tav_self { /* one dialect or stage, as configured, in one call of one run */
	uint32_t struct_size, reserved;
	const struct tav_host *host;
	const struct tav_value *const *options; /* parallel to the declared options */
	void *state; /* what create() set; the same in every call; from keep(), so that it is read-only in all others */
};

/* ---- What a plugin offers ----------------------------------------------------------------------------------- */
enum {
	TAV_TEST_EQUALS = 1,
	TAV_TEST_PREFIX,
	TAV_TEST_SUFFIX,
	TAV_TEST_CONTAINS,
	TAV_TEST_MATCHES, /* POSIX ERE */
	TAV_TEST_EXISTS   /* there, and neither null nor "" */
};
enum { TAV_COND_IGNORE_CASE = 1u << 0, TAV_COND_NOT = 1u << 1 };
/* Frozen. */
struct tav_condition {
	const char *field; /* "name", "cat", "ph", "args.KEY"; NULL: ends the list */
	uint32_t test;
	uint32_t flags; /* TAV_COND_... */
	const char *text;
};
struct tav_rule { /* rules apply in their order; name and category cost once for each distinct pair */
	struct tav_condition when[4]; /* all must hold; fewer end with a NULL field */
	uint32_t set, clear;          /* traits; cleared after set */
	uint32_t call; /* TAV_CALL_... of the label; 0: says nothing. Of rules on name and category alone */
	uint32_t reserved;
};
struct tav_rule_list {
	const struct tav_rule *items;
	uint32_t count, item_size;
};
/* Part of the identity of a device or a track: the first of its fields that the event has counts. Frozen. */
struct tav_key {
	const char *const *fields; /* NULL-terminated; "pid", "tid", "args.KEY"; NULL: ends the list of keys */
	const char *if_absent;     /* stands in where an event has none of them */
	const char *option;        /* a FIELD | MANY option of the dialect whose values replace `fields`; NULL: none */
};
struct tav_lane { /* splits a track further, by code of the dialect. Frozen. */
	const char *name;
	uint32_t flags; /* TAV_TRACK_SERIAL */
	uint32_t reserved;
};
struct tav_lane_list {
	const struct tav_lane *items;
	uint32_t count, item_size;
};

struct tav_sample { /* one source, for probe() */
	uint32_t struct_size;
	uint32_t key_count, label_count, form;
	const struct tav_text *keys;               /* of the top-level object, traceEvents left out */
	const struct tav_text *names, *categories; /* distinct pairs */
	uint64_t event_count;                      /* but metadata events */
	const uint64_t *field_counts;              /* events that have the dialect's field i */
};

struct tav_dialect {
	uint32_t struct_size, reserved;
	const char *name, *summary;
	struct tav_option_list options;
	struct tav_field_list fields;
	struct tav_rule_list rules;
	/*
	 * What tells tracks apart; the first key is the process, the second what people call the stream. Ends with NULL
	 * fields; NULL: pid alone.
	 */
	const struct tav_key *track;
	struct tav_lane_list lanes;              /* empty: every track is serial */
	tav_status (*create)(struct tav_self *); /* optional: options are there, the trace is not */
	void (*destroy)(struct tav_self *);      /* optional; called if create() returned TAV_OK */
	/* 0 not mine ... 100 surely mine; `why`: a few words for the report. NULL: never chosen by probe. */
	int32_t (*probe)(struct tav_self *, const struct tav_sample *, char *why, size_t why_size);
	/* Optional code after the rules. classify(): each distinct label once; `traits` holds what the rules gave. */
	tav_status (*classify)(struct tav_self *, uint32_t count, const struct tav_text *names,
	                       const struct tav_text *categories, uint32_t *traits);
	/* refine(): the rows whose label carries TAV_TRAIT_REFINE; disjoint batches maybe at the same time. */
	tav_status (*refine)(struct tav_self *, uint32_t source, uint32_t count, const tav_row *rows, uint32_t *traits);
	/* assign(): the lane (index into `lanes`) of each of these DEVICE rows. Needed where there are lanes. */
	tav_status (*assign)(struct tav_self *, uint32_t source, uint32_t count, const tav_row *rows, uint32_t *lanes);

	const struct tav_key *device; /* what tells devices apart; NULL: pid */
	const char *track_word;       /* "stream", "queue", "engine": used in messages; NULL: "stream" */
	/*
	 * Fields that link device work to the call that launched it, NULL-terminated. An event's link is the first of
	 * them that it has; two events are linked when they agree in field and text. 0 and negative numbers link
	 * nothing.
	 */
	const char *const *link_fields;
	const char *const
	        *operator_fields; /* the number of the operator around a launch: the first it has; NULL: none */
	uint32_t (*flavour)(struct tav_self *, uint32_t source); /* optional; TAV_FLAVOUR_... */
};

/* What a stage can tell, for --list, --explain, SARIF, and the host's options `checks` and `severity`. */
enum { TAV_TELLS_CHECK = 1u << 0, TAV_TELLS_FINDING = 1u << 1, TAV_TELLS_TABLE = 1u << 2, TAV_TELLS_METRIC = 1u << 3 };
struct tav_page {
	const char *id;      /* of a check, a finding, a table or a metric */
	uint32_t tells;      /* TAV_TELLS_..., more than one where they share the id */
	uint32_t severity;   /* TAV_SEV_... at worst; 0: varies */
	const char *summary; /* one sentence: the question it answers */
	const char *text; /* what it means, an example, causes, what to do; paragraphs parted by "\n\n"; NULL: none */
};
struct tav_page_list {
	const struct tav_page *items;
	uint32_t count, item_size;
};

enum {
	TAV_STAGE_NO_DEVICE_WORK = 1u << 0,   /* useful without device work, so that `generic` will do */
	TAV_STAGE_EDITS_IN_COMBINE = 1u << 1, /* a trace report has to wait for its combine() */
	TAV_STAGE_EDITS = 1u << 2,            /* hands edits to the host ("tav.edits/1") */
	TAV_STAGE_LINKS = 1u << 3, /* uses links, steps, TAV_COL_LINK or OPERATOR: what they are made of is read */
	/*
	 * Its headlines come first, and under -q stand for those of the stages before it. Where it is useful without
	 * device work, so is the pipeline.
	 */
	TAV_STAGE_SUMS_UP = 1u << 4,
	TAV_STAGE_MERGES = 1u << 5, /* a trace report has all sources of the run in one file */
	TAV_STAGE_REDACTS = 1u << 6 /* and does not say of which inputs it was made, and with which options */
};
struct tav_stage {
	uint32_t struct_size;
	uint32_t flags; /* TAV_STAGE_... */
	const char *name, *summary, *help;
	struct tav_option_list options;
	struct tav_field_list fields;
	const char *const *needs; /* names of stages before it whose results it reads; NULL-terminated */
	struct tav_page_list pages;
	tav_status (*create)(struct tav_self *);  /* optional: options are there, the traces are not */
	tav_status (*each)(struct tav_self *);    /* optional: one source is there */
	tav_status (*combine)(struct tav_self *); /* optional: the results of all sources are there */
	void (*destroy)(struct tav_self *);       /* optional; called if create() returned TAV_OK */
};

struct tav_plugin {
	uint16_t abi_major, abi_minor; /* these 8 bytes never change, in any major version */
	uint32_t struct_size;
	const char *name, *version, *license;
	const struct tav_dialect *const *dialects; /* NULL-terminated, or NULL */
	const struct tav_stage *const *stages;
};
extern TAV_EXPORT const struct tav_plugin tav_plugin; /* data, so that the host can refuse it without calling it */
#define TAV_PLUGIN_HEAD TAV_ABI_MAJOR, TAV_ABI_MINOR, sizeof(struct tav_plugin)

#ifdef __cplusplus
}
#endif
#endif
