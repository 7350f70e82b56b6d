/* SPDX-License-Identifier: Apache-2.0 */
/* The options of tav-run in one table, from which come the parser, --help, completion and the manual page. */
#ifndef TAV_RUN_OPTIONS_H
#define TAV_RUN_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum { /* long options without a short one */
       OPT_SET = 256,
       OPT_DIALECT,
       OPT_PLUGIN_DIR,
       OPT_REPORT,
       OPT_FAIL_ON,
       OPT_WAIVERS,
       OPT_LENIENT,
       OPT_MAX_EVENT,
       OPT_FILES_FROM,
       OPT_PART,
       OPT_RESUME,
       OPT_PRINT_LIST,
       OPT_PARTS,
       OPT_WIDTH,
       OPT_COLOR,
       OPT_CHECK,
       OPT_PRINT_CONFIG,
       OPT_LIST,
       OPT_JSON,
       OPT_DESCRIBE,
       OPT_EXPLAIN,
       OPT_SCHEMA,
       OPT_CHECK_PLUGIN,
       OPT_COMPLETION,
       OPT_MANUAL,
       OPT_VERSION
};
/* What a value is, for completion. */
enum option_value { VALUE_NONE, VALUE_WORD, VALUE_FILE, VALUE_FOLDER, VALUE_CONFIG, VALUE_STAGE, VALUE_DIALECT };
struct option_row {
	const char *group; /* a head of its own before it; NULL: none */
	const char *name;
	int letter;        /* or OPT_... */
	const char *value; /* as --help calls it; NULL: it takes none */
	enum option_value kind;
	const char *choices; /* words with a blank between; NULL: any */
	const char *help;    /* NULL: not shown */
};
extern const struct option_row option_rows[]; /* ends with name NULL */

void options_print_help(FILE *out, unsigned width);
/* For "bash", "zsh", "fish"; false: no such shell. */
bool options_print_completion(FILE *out, const char *shell);
void options_print_manual(FILE *out); /* tav-run(1), for man */

#endif
