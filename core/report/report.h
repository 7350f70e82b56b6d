/* SPDX-License-Identifier: Apache-2.0 */
/* What a run found: checks, findings, tables and metrics of each stage, and the verdicts that follow from them. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include <trace/read_error.h>
#include <trace/store.h>

enum verdict { VERDICT_PASS, VERDICT_WARN, VERDICT_FAIL, VERDICT_ERROR }; /* in order: the worst counts */
const char *verdict_name(enum verdict verdict);

struct report_check {
	struct report_check *next;
	uint32_t source;      /* TAV_RUN, or a source */
	uint32_t result;      /* TAV_RESULT_... */
	const char *id, *why; /* why may be NULL */
};
struct report_series { /* one element for each kept instance or row, copied */
	const char *name;
	uint32_t type, unit;
	void *data;
	uint64_t *present; /* NULL: everywhere */
};
struct report_finding { /* one for each id and source */
	struct report_finding *next;
	uint32_t source, severity;
	const char *id, *message;
	uint64_t count;
	uint64_t instance_count; /* kept */
	uint64_t max_instances;
	uint32_t refs_each;
	struct tav_ref *refs;
	uint32_t series_count;
	struct report_series *series;
};
struct report_table {
	struct report_table *next;
	uint32_t source;
	const char *id, *title;
	uint64_t row_count, omitted_count;
	uint64_t first_rows; /* 0: all */
	uint32_t series_count;
	struct report_series *series;
	uint32_t *shows; /* TAV_SHOW_... of each series */
};
struct report_metric {
	struct report_metric *next;
	uint32_t source, unit;
	const char *id;
	bool is_ratio;
	int64_t integer;
	double real;
};
struct report_option { /* as in force, for the report */
	const char *name, *text;
	bool is_given;
};
struct report_stage {
	const char *name, *id; /* id: as configured, else the name */
	const struct report_option *options;
	uint32_t option_count;
	struct report_check *checks;
	struct report_finding *findings;
	struct report_table *tables;
	struct report_metric *metrics;
	const char
	        *error; /* the stage did not finish: the outermost cause, with the deeper ones behind; NULL: it did */
};
struct report_source {
	const char *path;
	const char *role;                    /* "" for a trace under analysis, else the option that named it */
	const struct events *events;         /* NULL: could not be read */
	const struct read_error *read_error; /* NULL: none */
	const char *error;                   /* the whole error in one line; NULL: none */
};
struct report {
	struct arena arena;
	const struct store *store;
	const char *tool_version, *pipeline; /* pipeline: the config's path or name */
	struct report_source *sources;       /* index = source number in the store */
	uint32_t source_count;
	struct report_stage *stages;
	uint32_t stage_count;
	bool fail_on_warning;
	int64_t elapsed_ns; /* shown by the text writer with -v only: a report is the same for the same input */
};

/* Adding: everything is copied. False: no memory or not acceptable (then `why` is set when not NULL). */
bool report_add_check(struct report *report, uint32_t stage, uint32_t source, const char *id, uint32_t result,
                      const char *why);
bool report_add_finding(struct report *report, uint32_t stage, const struct tav_finding *finding, const char **why);
bool report_add_table(struct report *report, uint32_t stage, const struct tav_table *table, const char **why);
bool report_add_metric(struct report *report, uint32_t stage, uint32_t source, const char *id, int64_t value,
                       uint32_t unit);
bool report_add_ratio(struct report *report, uint32_t stage, uint32_t source, const char *id, double value,
                      uint32_t unit, const char **why);
void report_fini(struct report *report);

/* Verdicts. A source's own: its notices (warn), its read error (error), and what the stages said of it. */
enum verdict report_verdict(const struct report *report);
enum verdict report_source_verdict(const struct report *report, uint32_t source);
const char *report_source_error(const struct report_source *source); /* why it could not be read; NULL: it was */
/* `source` TAV_RUN: over everything the stage said. */
enum verdict report_stage_verdict(const struct report *report, uint32_t stage, uint32_t source);
int report_exit_status(const struct report *report); /* 0, 1, 2 */

/* ---- Writers: each is a row in one table, so that the config, --help and the schema know them all ------------ */
struct report_style {
	bool is_coloured;
	unsigned width; /* columns of the terminal; 100 for a file */
	int verbosity;  /* -1 quiet (verdict line only), 0, 1, 2 */
};
struct report_format {
	const char *name, *summary;
	bool (*write)(const struct report *report, const struct report_style *style,
	              FILE *out); /* false: no memory; I/O errors stay in `out` */
};
extern const struct report_format report_formats[]; /* ends with a NULL name */
const struct report_format *report_format_find(const char *name);

/*
 * Writes to `path` through a temporary file beside it, renamed when whole; "-": standard output. A path that is no
 * regular file (/dev/null, a pipe) is written directly. The temporary file is registered, so that
 * report_remove_unfinished() can unlink it from a signal handler.
 */
tav_status report_write(const struct report *report, const struct report_format *format, const char *path,
                        const struct report_style *style, struct causes *causes);
void report_remove_unfinished(void); /* async-signal-safe */

#endif
