/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of tav-run. */
#ifndef TAV_RUN_ARGUMENTS_H
#define TAV_RUN_ARGUMENTS_H

#include <config/config.h>
#include <run/run.h>

enum action {
	ACTION_RUN,
	ACTION_CHECK,
	ACTION_PRINT_CONFIG,
	ACTION_LIST,
	ACTION_DESCRIBE,
	ACTION_EXPLAIN,
	ACTION_SCHEMA,
	ACTION_PRINT_LIST,
	ACTION_CHECK_PLUGIN,
	ACTION_VERSION, /* from here on nothing else is looked at */
	ACTION_HELP,
	ACTION_COMPLETION,
	ACTION_MANUAL
};
struct arguments {
	struct arena arena;
	enum action action;
	const char *subject; /* of DESCRIBE, EXPLAIN, CHECK_PLUGIN and COMPLETION */
	bool is_json;        /* LIST */
	struct config_arguments config;
	struct run_options run;
	const char *const *plugin_dirs;
	uint32_t plugin_dir_count;
	/* what the traces are found from */
	const char *const *operands; /* traces, reports, directories */
	uint32_t operand_count;
	bool is_recursive;
	const char *list_path;    /* --files-from; NULL: none */
	struct list list;         /* its lines */
	const char *const *parts; /* --parts */
	uint32_t parts_count;
	unsigned width; /* of what is printed: --width, COLUMNS, the terminal's, 80 */
};

/* False: said on standard error; the caller ends with EXIT_CANNOT. `argv` must live as long. */
bool arguments_parse(struct arguments *arguments, int argc, char **argv);
void arguments_fini(struct arguments *arguments);

#endif
