/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with a config or an argument: place, excerpt and caret, all of a file in one go. */
#ifndef OPTION_DIAG_H
#define OPTION_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include <kit/arena.h>

/* A text that the user wrote: a config file, or an argument of the command line. */
struct diag_text {
	const char *name; /* as the user knows it: "verify.yaml", "--set stats.top=x" */
	const char *data;
	size_t size;
	bool is_argument; /* short enough to stand as its own place, without line and excerpt */
};
struct place {
	const struct diag_text *text;
	unsigned line, column; /* from 1, columns in characters; line 0: the text as a whole */
	unsigned width;        /* characters that the caret underlines */
};
struct diag {
	struct diag *next;
	struct place place;
	bool is_warning;
	const char *message;
};
enum { DIAGS_MOST = 100 }; /* that are kept and shown; more are counted */
struct diags {
	struct arena arena;
	struct diag *first; /* by text, line and column */
	unsigned error_count, kept_count;
	bool is_out_of_memory; /* a message may be missing */
	const char *outcome;   /* of errors, for the last line; NULL: "nothing was read" */
};

void diag_error(struct diags *diags, struct place place, const char *format, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(struct diags *diags, struct place place, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
bool diags_failed(const struct diags *diags); /* an error, or no memory for one */
/* All of them, then how many there were. */
void diags_print(FILE *out, const struct diags *diags, bool is_coloured);
void diags_fini(struct diags *diags);

/*
 * "; did you mean 'X'?" where a candidate is near to the word, else "; allowed: a, b, c". The list ends with NULL. In
 * the arena of `diags`; "" without memory.
 */
const char *diag_suggestion(struct diags *diags, const char *word, const char *const *candidates);

#endif
