/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/plugin.h - all that a tav plugin may use. A plugin includes this header, links against nothing, and exports
 * one object, `tav_plugin`. Everything else it needs comes through the function table in `self->host`.
 *
 * Sizes      A struct that starts with `struct_size` (set it to sizeof) may grow at its end within a major version;
 *            zero in a member means that it was not given. Lists carry the size of an item for the same reason. A
 *            struct with neither is frozen. Enumerators keep their numbers; an unknown number is refused.
 * Ownership  Who allocates, frees; nothing is freed across the boundary. What the plugin passes in a call is copied
 *            before the call returns. What the host returns stays valid until destroy() of that `self` has returned.
 * Errors     A finding is a fact about the trace (it goes to the report). An error means that the work could not be
 *            done: add a cause with tav_fail() and return what it returns; each caller may add one more cause.
 * Threads    [owner]: the thread that called the plugin, one at a time for a `self`. [any]: also from a task of
 *            parallel(). Different `self`s may run at the same time, so a plugin keeps no writable globals.
 * Bulk       Per-event data come as whole columns, distinct things (texts, labels) by call. No call per event.
 * Sources    Each input file is a source; sources are numbered from 0 to source_count() - 1. A file that an option of
 *            type TAV_TYPE_INPUT names is a source too, numbered behind them, and known by that option's value only.
 */
#ifndef TAV_PLUGIN_H
#define TAV_PLUGIN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_ABI_MAJOR 1 /* differs: refused */
#ifndef TAV_ABI_MINOR   /* additions this plugin sees, and by default needs: an older host refuses it. Define it */
#define TAV_ABI_MINOR 0 /* only to use something new; to use it where it exists, lower `abi_minor` and ask TAV_HAS. */
#endif

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
/* One event. Frozen. */
struct tav_ref {
	uint32_t source;
	tav_row row;
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
	TAV_TYPE_INPUT,    /* a path: the host reads that file as a further source */
	TAV_TYPE_FILE,     /* a path that the plugin reads itself; relative to the config that names it */
	TAV_TYPE_JSON,     /* of fields only: a value id of the JSON text as it stands in the file, of any kind */
	TAV_TYPE_PRESENT   /* of fields only: nothing but whether the field is there, see present() */
};
enum { TAV_OPT_REQUIRED = 1u << 0, TAV_OPT_MANY = 1u << 1, TAV_OPT_DEPRECATED = 1u << 2 };

struct tav_option {
	const char *name;           /* [a-z][a-z0-9_]* */
	uint32_t type;              /* TAV_TYPE_... */
	uint32_t flags;             /* TAV_OPT_...; MANY: a YAML list */
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
	/* BOOL 0/1, INT, CHOICE index, DURATION ns, FIELD column or -1, INPUT source or -1 (set at run()) */
	int64_t integer;
	double real;                          /* REAL */
	struct tav_text text;                 /* as written; FILE: the resolved path; size 0: none */
	const struct tav_value *const *items; /* MANY: `count` values */
	uint64_t count;
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
	TAV_COL_FIELDS = 4096 /* + index into the plugin's own list of fields; element type: that field's type */
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
	TAV_TRAIT_INTERVAL = 1u << 26,      /* (host) an X event or a matched pair with usable times */
	TAV_TRAIT_DEFAULT_TRACK = 1u << 27, /* (host) a track key was absent and its default stands in */
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

struct tav_field { /* an input field that this plugin reads; fields nobody declares are not stored */
	/* "args.KEY" (the rest is the key, dots and blanks included), "args" (JSON), or a key of the event, "id" */
	const char *path;
	/* INT: int64_t, REAL: double, STRING: uint32_t value id (any scalar, exact), JSON, PRESENT */
	uint32_t type;
	uint32_t reserved;
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
	uint32_t stream;      /* value id of the dialect's second key, its default included; 0: none */
	uint32_t device; /* dense within the source: one for each pid with device events; TAV_NONE: not of a device */
	struct tav_text lane; /* name of the dialect's lane, empty when it has none */
};

enum { TAV_FORM_EMPTY = 0, TAV_FORM_OBJECT, TAV_FORM_ARRAY, TAV_FORM_LINES };
struct tav_source {
	uint32_t struct_size;
	uint32_t form;        /* TAV_FORM_... */
	struct tav_text path; /* as the user wrote it; "-": standard input */
	struct tav_text dialect;
	int64_t rank;         /* distributedInfo.rank, or -1 */
	uint64_t bytes;       /* of the inflated text */
	uint64_t event_count; /* objects in the event list; a B/E pair is two */
	tav_row row_count;
	uint32_t track_count;
	uint32_t device_count;
	uint32_t reserved;
	uint64_t unmatched_begin, unmatched_end;
};

/* ---- Report ------------------------------------------------------------------------------------------------- */
enum { TAV_RESULT_PASS = 1, TAV_RESULT_WARN, TAV_RESULT_FAIL, TAV_RESULT_SKIP /* looked at nothing; say why */ };
enum { TAV_SEV_NOTE = 1, TAV_SEV_WARNING, TAV_SEV_ERROR /* makes the verdict FAIL */ };
enum { TAV_UNIT_NONE = 0, TAV_UNIT_NS, TAV_UNIT_BYTES, TAV_UNIT_PERCENT, TAV_UNIT_RATIO, TAV_UNIT_COUNT };

/* A named array: a measure of a finding, a column of a table. */
struct tav_series {
	const char *name;        /* snake_case, stable: the key in JSON and the head in CSV */
	uint32_t type;           /* INT: int64_t, REAL: double (finite), STRING: struct tav_text */
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
	const struct tav_ref *refs; /* instance_count * refs_each */
	struct tav_series_list measures;
	uint64_t max_instances; /* keep at most so many of this id for each source; 0: 100 */
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
};
enum { /* unknown numbers are columns */
       TAV_SHOW_COLUMN = 0,
       TAV_SHOW_NOTE,  /* of a text: a line of its own below the row, where there is a value */
       TAV_SHOW_DETAIL /* a column with -v; a table of details alone is shown with -v only */
};

/* ---- What the host offers ----------------------------------------------------------------------------------- */
struct tav_host {
	uint32_t struct_size;
	uint32_t abi_minor;

	void (*log)(struct tav_self *, uint32_t level, const char *text);                         /* [any] */
	tav_status (*fail)(struct tav_self *, const char *file, uint32_t line, const char *text); /* [any] */
	/* From create(): the option's value cannot be used; the host adds file:line:col. Returns TAV_FAILED. [owner] */
	tav_status (*bad_option)(struct tav_self *, uint32_t option, const char *text);
	/* Zeroed, gone after destroy(); alloc(0) is a valid pointer too; NULL: no memory, the cause is set. [any] */
	void *(*alloc)(struct tav_self *, size_t bytes);
	int32_t (*cancelled)(struct tav_self *); /* ask every 2^16 events or so, return TAV_CANCELLED then [any] */
	/* Calls task(self, 0 .. n-1, user), maybe at the same time; a failure ends it. Merge by index. [owner] */
	tav_status (*parallel)(struct tav_self *, uint32_t n,
	                       tav_status (*task)(struct tav_self *, uint32_t i, void *user), void *user);

	uint32_t (*source_count)(struct tav_self *);                            /* [any] */
	const struct tav_source *(*source)(struct tav_self *, uint32_t source); /* [any] */
	/* The whole column, row_count elements, read-only; NULL: unknown column. First use may compute it. [any] */
	const void *(*column)(struct tav_self *, uint32_t source, uint32_t column);
	/* Bit r % 64 of word r / 64: row r has a value. NULL: every row has one. [any] */
	const uint64_t *(*present)(struct tav_self *, uint32_t source, uint32_t column);
	/* INTERVAL rows whose traits include all of `traits`; computed once for all that ask the same. [owner] */
	tav_status (*order)(struct tav_self *, uint32_t source, uint32_t traits, const struct tav_order **out);
	const struct tav_unusable *(*unusable)(struct tav_self *, uint32_t source, uint64_t *count); /* by row; [any] */
	uint32_t (*label_count)(struct tav_self *);                                                  /* [any] */
	struct tav_text (*label)(struct tav_self *, uint32_t label, struct tav_text *category);      /* name; [any] */
	struct tav_text (*value)(struct tav_self *, uint32_t value);                                 /* [any] */
	const struct tav_track *(*track)(struct tav_self *, uint32_t source, uint32_t track);        /* [any] */
	/* The JSON text of a member of the top-level object, such as "distributedInfo"; size 0: not there. [any] */
	struct tav_text (*metadata)(struct tav_self *, uint32_t source, const char *key);

	/* What goes to the report. [owner] */
	tav_status (*check)(struct tav_self *, uint32_t source, const char *id, uint32_t result, const char *why);
	tav_status (*finding)(struct tav_self *, const struct tav_finding *);
	tav_status (*table)(struct tav_self *, const struct tav_table *);
	tav_status (*metric)(struct tav_self *, uint32_t source, const char *id, int64_t value, uint32_t unit);
	tav_status (*ratio)(struct tav_self *, uint32_t source, const char *id, double value,
	                    uint32_t unit); /* finite */

	/* For example "tav.overlap/1"; NULL: not offered. [owner] */
	const void *(*extension)(struct tav_self *, const char *id);
#if TAV_ABI_MINOR >= 1
	/* later functions, in the order in which they came */
#endif
};

struct tav_self { /* one dialect or stage, as configured, in one run */
	uint32_t struct_size, reserved;
	const struct tav_host *host;
	const struct tav_value *const *options; /* parallel to the declared options */
	void *state;                            /* the plugin's; the host never looks */
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
};
struct tav_rule_list {
	const struct tav_rule *items;
	uint32_t count, item_size;
};
/* Part of a device track's identity. Frozen. The first is "pid"; the second is what people call the stream. */
struct tav_key {
	const char *field, *if_absent;
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
	const struct tav_key *track; /* ends with a NULL field; the source is always part of the key; NULL: pid alone */
	struct tav_lane_list lanes;  /* empty: every track is serial */
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
};

struct tav_stage {
	uint32_t struct_size, reserved;
	const char *name, *summary, *help;
	struct tav_option_list options;
	struct tav_field_list fields;
	tav_status (*create)(struct tav_self *); /* optional: options are there, the trace is not */
	tav_status (*run)(struct tav_self *);    /* the whole trace is there */
	void (*destroy)(struct tav_self *);      /* optional; called if create() returned TAV_OK */
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

/* The order of two texts by their bytes, a shorter one before those that it begins: negative, 0 or positive. */
static inline int tav_text_compare(struct tav_text a, struct tav_text b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order = size ? memcmp(a.data, b.data, size) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

enum { TAV_COUNTED_SIZE = 64 };
/* "1 device event", "22,290 device events", as the report writes its own numbers; `noun` "": the number alone. */
static inline const char *tav_counted(char out[TAV_COUNTED_SIZE], uint64_t count, const char *noun)
{
	char digits[24];
	int size = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count), used = 0;

	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	snprintf(out + used, TAV_COUNTED_SIZE - (size_t)used, "%s%s%s", *noun ? " " : "", noun,
	         *noun && count != 1 ? "s" : "");
	return out;
}

/* printf for fail() and the like: formatted here, in the plugin, so that no va_list crosses the boundary. */
__attribute__((format(printf, 4, 5))) static inline tav_status tav_fail_at(struct tav_self *self, const char *file,
                                                                           uint32_t line, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return self->host->fail(self, file, line, text);
}
#define tav_fail(self, ...) tav_fail_at(self, __FILE__, __LINE__, __VA_ARGS__)

/* A check with a formatted reason. */
__attribute__((format(printf, 5, 6))) static inline tav_status
tav_check(struct tav_self *self, uint32_t source, const char *id, uint32_t result, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return self->host->check(self, source, id, result, text);
}

#ifdef __cplusplus
}
#endif
#endif
