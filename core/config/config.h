/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is to do: from a YAML file, from -s and --set, or both; all of it checked before anything is read. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <plugin/load.h>
#include <report/report.h>

/* What `severity:` makes of a check or finding, after combine(). */
enum { LEVEL_OFF, LEVEL_NOTE, LEVEL_WARN, LEVEL_FAIL };
struct severity {
	const char *id;
	unsigned level;
};
struct setup { /* a stage or a dialect with the values of its options */
	const struct part *part;
	const char *id; /* as configured, else the name */
	struct place place;
	const struct tav_value **values;
	struct place *value_places; /* line 0 and text NULL: the user gave none */
	/* the host's own keys, of a stage */
	const char *const *chosen; /* `checks`: only these ids are told; none: all */
	uint32_t chosen_count;
	const struct severity *severities; /* `severity`, in the order given: the last of an id counts */
	uint32_t severity_count;
	uint64_t max_instances; /* kept of a finding, where its stage does not say; 0: 100 */
};
struct report_request {
	const struct report_format *format;
	const char *path; /* "-": standard output */
	struct place place;
	struct setup setup;     /* its options: the format stands as a part without a file */
	bool is_each, has_rank; /* its path holds words: a file for each source, one of them {rank} */
};
/* The value of an option of a report; NULL: its format has none of that name. */
const struct tav_value *report_value(const struct report_request *request, const char *name);
struct config {
	struct arena arena;
	const char *pipeline;            /* the config's path or name, for the report */
	const char *dialect;             /* NULL: found by probe */
	const char *dialect_from;        /* "--dialect", "the config" */
	struct setup *stages, *dialects; /* dialects: all that can be found, so that each option has a place */
	uint32_t stage_count, dialect_count;
	struct report_request *reports;
	uint32_t report_count;
	struct waiver *waivers;
	struct place *waiver_places; /* of each */
	uint32_t waiver_count;
	const char **waiver_files; /* that were read */
	uint32_t waiver_file_count;
	uint32_t today;           /* where there are waivers */
	const char **plugin_dirs; /* resolved */
	uint32_t plugin_dir_count;
	bool is_fail_on_warning;
	bool is_output_taken; /* by a report to "-" */

	/* between config_open() and config_settle() */
	const struct diag_text *text;
	const char *directory; /* of the file; NULL: of no file */
	struct node *root;
	const char *const *stage_names; /* -s; NULL: the file says */
	uint32_t stage_name_count;
};
struct config_arguments {          /* of the command line, all in the order in which they stand there */
	const char *file;          /* -c: a path, or the name of a ready one; NULL: none */
	const char *const *stages; /* -s */
	uint32_t stage_count;
	const char *const *sets; /* --set STAGE.OPTION=VALUE */
	uint32_t set_count;
	const char *dialect;
	const char *const *reports; /* --report FORMAT=PATH */
	uint32_t report_count;
	const char *const *waivers; /* --waivers FILE */
	uint32_t waiver_count;
	bool is_fail_on_warning;
};

/*
 * First the text alone, for it says where plugins are; then, with the plugins loaded, what it means. False: `diags`.
 */
bool config_open(struct config *config, const struct config_arguments *arguments, struct diags *diags);
bool config_settle(struct config *config, const struct config_arguments *arguments, struct registry *registry,
                   struct diags *diags);
struct config_source { /* as paths of reports can name it */
	const char *path;
	int64_t rank; /* -1: none, or not known */
};
struct config_files { /* that a run reads, besides those that its config names */
	const char *const *traces, *const *parts;
	uint32_t trace_count, part_count;
	const char *list; /* NULL: none */
	/* NULL: not known yet, and with them the files that are written for each of them. */
	const struct config_source *sources;
	uint32_t source_count;
	bool has_ranks; /* those are known */
};
/* No report may overwrite what is read, or another report; no two sources may be one file. */
void config_check_files(const struct config *config, const struct config_files *read, struct diags *diags);
void config_fini(struct config *config);

/* The keys of a config, each list ending with NULL: for messages and the schema. */
extern const char *const config_keys[], *const config_report_keys[], *const config_stage_keys[],
                                                                             *const config_waiver_keys[];
extern const char *const config_levels[];                                          /* by LEVEL_... */
void config_set(struct config *config, const char *argument, struct diags *diags); /* one --set */
/* Presets, and over them the values of `map`, which may be NULL. */
bool settle_setup(struct config *config, struct setup *setup, const struct node *map, struct diags *diags);
/* The same for a report; `map` has the keys of the report itself too. False: no memory. */
bool settle_report(struct config *config, struct report_request *request, const struct node *map, struct diags *diags);
/* The presets of a format's options. `count` is theirs. NULL: no memory, or none. */
const struct tav_value *const *format_presets(struct arena *arena, const struct report_format *format, uint32_t *count);
void config_check_required(const struct config *config, struct diags *diags);
struct place argument_place(struct arena *arena, const char *option, const char *value);
void config_read_waivers(struct config *config, const struct config_arguments *arguments, struct diags *diags);
void config_print_waivers(FILE *out, const struct config *config);
void config_print(FILE *out, const struct config *config); /* as YAML that reads back as the same run */

#endif
