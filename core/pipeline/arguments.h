/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of tav-run. */
#ifndef PIPELINE_ARGUMENTS_H
#define PIPELINE_ARGUMENTS_H

#include <pipeline/config.h>
#include <pipeline/run.h>

enum action {
	ACTION_RUN,
	ACTION_CHECK,
	ACTION_PRINT_CONFIG,
	ACTION_LIST,
	ACTION_DESCRIBE,
	ACTION_SCHEMA,
	ACTION_CHECK_PLUGIN,
	ACTION_VERSION,
	ACTION_HELP
};
struct arguments {
	struct arena arena;
	enum action action;
	const char *subject; /* of DESCRIBE and CHECK_PLUGIN */
	bool is_json;        /* LIST */
	struct config_arguments config;
	struct run_options run;
	const char *const *plugin_dirs;
	uint32_t plugin_dir_count;
};

/* False: said on standard error; the caller ends with EXIT_CANNOT. `argv` must live as long. */
bool arguments_parse(struct arguments *arguments, int argc, char **argv);
void arguments_print_help(FILE *out);
void arguments_fini(struct arguments *arguments);

#endif
