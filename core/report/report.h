/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run found. `struct results` is what the stages told about one source, or about the run: filled by each() on
 * the thread of that source, and by combine() later. It holds no event, only facts of them, so that it outlives the
 * events, goes into a JSON report and comes back from one. `struct report` puts the results of all sources side by
 * side.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <kit/arena.h>
#include <kit/cause.h>
#include <kit/table.h>
#include <tav/results.h>
#include <trace/metadata.h>
#include <trace/read_error.h>

enum verdict { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_ERROR }; /* as TAV_VERDICT_... */
const char *verdict_name(enum verdict verdict);

/* ---- Waivers: what was found and, for a reason and until a day, does not count -------------------------------- */
enum waiver_state { WAIVER_USED, WAIVER_UNUSED, WAIVER_EXPIRED };
enum waiver_met { MET_NOTHING, MET_OTHERS /* on other events */, MET_WAIVED /* by one before it */ };
struct waiver {
	const char *file; /* where its rule stands; line 0: nowhere in particular */
	uint32_t line, column;
	/* Patterns for glob_match(), each list ending with NULL; the last three empty: whatever it is. */
	const char *const *stages, *const *ids, *const *names, *const *streams, *const *traces;
	const char *reason, *until; /* until: the last day on which it holds, YYYY-MM-DD */
	uint32_t until_day;         /* as date_parse() gives it */
	enum waiver_state state;
	enum waiver_met met; /* why it is unused: was what it names found? */
	uint64_t count;      /* waived by it */
};
/* What of a check or a finding is waived, by which waivers. They are numbers from 1 of the report's; 0: none. */
struct waived {
	uint64_t count;      /* of the finding's count; of a check what no finding of its id says */
	uint32_t rest;       /* the one that takes all that no other does, also what is not listed */
	uint32_t *instances; /* those that take an instance of a finding by what its events are; NULL: none does */
};

/* ---- Results of one source or of the run: what the public structs show, kept in the arena ---------------------- */
struct result_check {
	struct tav_check_result shown; /* first, so that the extension hands out its address; here and below */
	struct waived waived;
};
struct result_finding {
	struct tav_finding_result shown;
	struct waived waived;
	uint64_t max_instances;
	struct instances *instances; /* what `shown` points to, and room to merge in */
	bool is_ordered;             /* more than one batch: by what they measure */
};
struct result_table {
	struct tav_table_result shown;
	uint32_t show;       /* TAV_SHOW_COLUMN or TAV_SHOW_DATA */
	uint32_t *shows;     /* TAV_SHOW_... of each column */
	uint64_t first_rows; /* 0: all */
};
struct result_metric {
	struct tav_metric_result shown;
	uint32_t flags; /* TAV_METRIC_... */
};
struct result_headline {
	struct tav_text text;
	uint32_t by;
};
struct stage_results { /* of one stage about one source; items keep their address while the vectors grow */
	struct tav_check_result **checks;
	struct result_finding **findings;
	struct result_table **tables;
	struct result_metric **metrics;
	struct result_headline *headlines;
	uint32_t check_count, finding_count, table_count, metric_count, headline_count;
	uint32_t check_capacity, finding_capacity, table_capacity, metric_capacity, headline_capacity;
	struct table index;  /* by kind and id: adding and finding cost O(1) */
	bool is_done;        /* each() returned TAV_OK, or the stage has none */
	const char *error;   /* it did not finish: the outermost cause, with the deeper ones behind; NULL: it did */
	const char *skipped; /* a stage it needs failed on this source, so that it was not asked; NULL: it was */
	int64_t elapsed_ns;  /* that each() took; 0: not known */
};
struct results {
	struct arena arena;
	uint32_t source; /* number in the report, or TAV_RUN; stands in each item's `source` */
	uint32_t stage_count;
	struct stage_results *stages;
	struct table texts; /* each text of events and columns once */
	struct tav_text *text_items;
	uint32_t text_count, text_capacity;
	bool is_sealed;
	uint64_t told_open; /* how often something was told since it was sealed last */
};
/* Each check and finding in results is part of one of these. */
static inline struct waived *check_waived(const struct tav_check_result *check)
{
	return &((struct result_check *)(uintptr_t)check)->waived;
}
static inline struct waived *finding_waived(const struct tav_finding_result *finding)
{
	return &((struct result_finding *)(uintptr_t)finding)->waived;
}
/* Is all of it waived? */
static inline bool check_is_waived(const struct tav_check_result *check)
{
	return check_waived(check)->rest != 0;
}
static inline bool finding_is_waived(const struct tav_finding_result *finding)
{
	return finding_waived(finding)->count && finding_waived(finding)->count == finding->count;
}
/* Is there a value in that row of a column? `present` NULL: in all. */
static inline bool bit_is_set(const uint64_t *present, uint64_t row)
{
	return !present || (present[row / 64] >> row % 64 & 1);
}
bool results_init(struct results *results, uint32_t source, uint32_t stage_count);
void results_seal(struct results *results); /* as far as the system can */
void results_unseal(struct results *results);
/*
 * Adding: checked and copied. `by` is TAV_BY_.... References are resolved by the caller: a finding comes with `events`
 * (and no `refs`), a REF column holds struct tav_event. False: `why` says what is wrong ("out of memory" only when it
 * is). Batches of one finding add up and keep its most telling instances. max_instances 0: 100.
 */
bool results_add_check(struct results *results, uint32_t stage, uint32_t by, const struct tav_check *check,
                       const char **why);
bool results_add_finding(struct results *results, uint32_t stage, uint32_t by, const struct tav_finding *finding,
                         const char **why);
bool results_add_table(struct results *results, uint32_t stage, uint32_t by, const struct tav_table *table,
                       const char **why);
bool results_add_metric(struct results *results, uint32_t stage, uint32_t by, const struct tav_metric *metric,
                        const char **why);
bool results_add_headline(struct results *results, uint32_t stage, uint32_t by, const char *text, const char **why);
/* NULL: none */
const struct tav_check_result *results_find_check(const struct results *results, uint32_t stage, const char *id);
const struct result_finding *results_find_finding(const struct results *results, uint32_t stage, const char *id);
const struct result_table *results_find_table(const struct results *results, uint32_t stage, const char *id);
const struct result_metric *results_find_metric(const struct results *results, uint32_t stage, const char *id);
/*
 * What they take in memory by a fixed measure of its own, so that it is the same everywhere: each text once, and of a
 * long one what is shown of it. UINT64_MAX: no memory to count in.
 */
uint64_t results_bytes(const struct results *results);
/* Results that move to another place in the report: items and the events of the source itself get its number. */
void results_renumber(struct results *results, uint32_t source);
/* Takes away what combine() told, and what the user's `severity` and waivers made of the rest. False: no memory. */
bool results_keep_each(struct results *results);
void results_fini(struct results *results);

/* ---- A source -------------------------------------------------------------------------------------------------- */
struct report_note { /* what the reader met on its way, each kind once with a count */
	bool is_repair;
	const char *id, *message;
	uint64_t count, line, column, offset; /* of the first; line 0: nowhere in particular */
};
struct report_doubt { /* why the host does not believe a source without reserve; said once, whatever the pipeline */
	const char *id, *message; /* "unusable_events", "zero_timestamps", "no_device_events", "repairs", ... */
	uint64_t count;
};
struct report_thread { /* of events that findings show, where the trace has a name for it or for its process */
	struct tav_text pid, tid;                  /* as events have them */
	struct tav_text process_name, thread_name; /* size 0: none */
};
struct report_source {
	const char *path;
	const char *role;        /* "" for a trace under analysis, else the option that named it */
	uint32_t role_kind;      /* TAV_ROLE_... */
	uint32_t owner;          /* of a BASELINE: the stage whose option names it */
	bool is_report;          /* its results were read from a report */
	bool is_read;            /* the facts below hold */
	struct tav_source facts; /* texts copied; `verdict` is left to report_source_verdict() */
	const char *dialect_reason;
	uint64_t file_bytes, mtime_ns; /* of the input as it lay on disk; mtime_ns is for --resume */
	int64_t read_ns;               /* that reading took; 0: not known */
	struct report_note *notes;
	uint32_t note_count;
	struct report_doubt *doubts;
	uint32_t doubt_count;
	const struct read_error *read_error; /* NULL: none; copied */
	const char *error;                   /* the whole error in one line; NULL: none */
	struct results results;              /* stage_count of the report */
	const char *picture;                 /* JSON text of the picture ("html"), NULL: none */
	size_t picture_size;
	bool is_gzip; /* as it lay on disk */
	/* The members of the top-level object but traceEvents: small ones, in strict JSON. */
	struct metadata_member *top_level;
	uint32_t top_level_count;
	struct report_thread *threads; /* by pid and tid */
	uint32_t thread_count;
};
/*
 * Makes `doubts` from facts and notes, in `arena`. `needs_device`: some stage of the pipeline looks at device work, so
 * that a source without any is worth a doubt. False: no memory.
 */
bool report_add_doubts(struct report_source *source, struct arena *arena, bool needs_device);
/* Makes `threads` from what the findings show; name_of() fills the names. False: no memory. */
typedef bool thread_name_of(void *user, const struct tav_event *event, struct report_thread *out);
bool report_keep_threads(struct report_source *source, struct arena *arena, thread_name_of *name_of, void *user);
/* Makes `top_level`. False: no memory. */
bool report_keep_top_level(struct report_source *source, struct arena *arena, const char *text, size_t size);

/* ---- The run --------------------------------------------------------------------------------------------------- */
struct report_option { /* as in force, for the report */
	const char *name, *text;
	bool is_given, is_late;
};
struct report_stage {
	const char *name, *id; /* id: as configured, else the name */
	const char *version;   /* of its plugin */
	const struct report_option *options;
	uint32_t option_count;
	const struct tav_page *pages; /* item size is ours */
	uint32_t page_count;
	bool sums_up; /* TAV_STAGE_SUMS_UP */
};
struct report_part { /* of --part K/N */
	uint32_t k, n;
	uint64_t list_hash;
};
struct report {
	struct arena arena;
	const char *tool_version, *pipeline; /* pipeline: the config's path or name */
	struct report_source *sources;       /* under analysis in the order of the arguments, then baselines */
	uint32_t source_count, baseline_count;
	struct report_stage *stages;
	uint32_t stage_count;
	struct results run; /* of the run, by combine() */
	const char *error;  /* of the run itself; NULL: none */
	bool fail_on_warning;
	const struct report_part *part; /* NULL: not a part */
	struct waiver *waivers;
	uint32_t waiver_count;
	/*
	 * How it was run. A report is the same for the same input, so it stands in the times of JUnit, in acelyzer's
	 * CmdLine, and in the JSON of a part (members `run`), which --resume judges.
	 */
	int64_t elapsed_ns;
	unsigned jobs;
	const char *command_line; /* NULL: not known */
};
/* NULL: the trace has no name for it, nor for its process. */
const struct report_thread *report_thread_of(const struct report *report, const struct tav_event *event);
void report_fini(struct report *report);

/* Verdicts (RULES): error > fail > warn > pass. `source` TAV_RUN: of the run-level results alone. */
enum verdict report_verdict(const struct report *report);
enum verdict report_source_verdict(const struct report *report, uint32_t source);
const char *report_source_error(const struct report_source *source); /* why it could not be looked at; NULL: it was */
/* False: the stage has no check line there, and so no verdict. TAV_RUN: of the run-level results alone. */
bool report_stage_verdict(const struct report *report, uint32_t stage, uint32_t source, enum verdict *verdict);
bool report_stage_verdict_of_all(const struct report *report, uint32_t stage, enum verdict *verdict);
int report_exit_status(const struct report *report); /* 0, 1, 2 */

/* ---- Reports of earlier runs ------------------------------------------------------------------------------------ */
struct read_report { /* a report as it was read: the sources it holds, with the stages it had */
	struct arena arena;
	struct report report; /* no run-level results, none of combine() */
};
/* Does a JSON text that begins so look like a report of tav's? */
bool report_is_report(const char *text, size_t size);
/*
 * Reads a whole tav-report/2. False: `error` has the place and what is wrong. `is_whole`: baselines, the results of the
 * run and those of combine() stay.
 */
bool report_read_text(const char *text, size_t size, bool is_whole, struct read_report *out, struct read_error *error);
/*
 * Do the stages of `other` agree with those of `report` (names, versions, options but for late ones)? NULL: yes; else
 * the first difference, in `arena`.
 */
const char *report_difference(const struct report *report, const struct report *other, struct arena *arena);
void read_report_fini(struct read_report *read);

/* ---- Writers: each is a row in one table, so that the config, --help and the schema know them all -------------- */
#define PAGE_MAX_EVENTS 200000
#define PAGE_MAX_BYTES 5000000
struct report_style {
	bool is_coloured;
	unsigned width; /* columns of the terminal; 100 for a file */
	int verbosity;  /* -1 quiet (verdict line only), 0, 1, 2 */
	bool is_file;   /* names stand whole: whoever reads it can scroll */
	/* of a page */
	uint64_t max_bytes; /* 0: PAGE_MAX_BYTES */
	bool is_anonymous;
};
struct report_format {
	const char *name, *summary;
	bool (*write)(const struct report *report, const struct report_style *style,
	              FILE *out); /* false: no memory; I/O errors stay in `out`; NULL: the run itself writes it */
	const struct tav_option *options; /* ends with a NULL name; NULL: none */
	/* Several files in a folder, which is there; NULL: one file it is. */
	tav_status (*write_folder)(const struct report *report, const char *folder, struct causes *causes);
};
extern const struct report_format report_formats[]; /* ends with a NULL name */
const struct report_format *report_format_find(const char *name);

/* Writes it whole or not at all, see report/file.h. */
tav_status report_write(const struct report *report, const struct report_format *format, const char *path,
                        const struct report_style *style, struct causes *causes);

#endif
