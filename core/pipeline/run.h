/* SPDX-License-Identifier: Apache-2.0 */
/* A whole run: traces in, report out. */
#ifndef PIPELINE_RUN_H
#define PIPELINE_RUN_H

#include <pipeline/config.h>

struct run_options {
	const char *const *traces;
	uint32_t trace_count;
	unsigned jobs;
	int verbosity; /* -1 quiet, 0, 1, 2 */
	bool is_lenient;
	bool is_out_coloured, is_err_coloured;
	bool is_out_terminal, is_err_terminal;
};

enum { EXIT_CANNOT = 2 }; /* the run itself could not be done */

/* The exit status. A wrong option writes no report; a trace that cannot be read does. */
int pipeline_run(const struct config *config, const struct run_options *options);
/* The same as far as create(): every option of every plugin is tried, nothing is read. */
int pipeline_check(const struct config *config, const struct run_options *options);

#endif
