/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the text writer share. */
#ifndef REPORT_TEXT_OUT_H
#define REPORT_TEXT_OUT_H

#include <report/writers.h>

enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_GREEN, COLOUR_YELLOW, COLOUR_RED };
enum { FEW_SOURCES = 8, MOST_IN_FULL = 10 };

struct text_out {
	const struct report *report;
	const struct report_style *style;
	FILE *out;
	struct arena scratch, kept;
	const char **names;     /* of sources and baselines, as short as tells them apart */
	enum verdict *verdicts; /* of sources */
	uint32_t *shown;        /* numbers of the sources that are told in full, in the order of the report */
	uint32_t shown_count;
	bool is_many; /* more sources than are told one by one */
	bool failed;  /* no memory */
};

const char *colour_start(const struct text_out *text, enum colour colour); /* "" where there is no colour */
const char *colour_end(const struct text_out *text);
enum colour verdict_colour(enum verdict verdict);
const char *verdict_word(enum verdict verdict); /* "PASS" and so on: as in the verdict lines */

/* What there was no memory for is left out, and the writer fails at the end. */
const char *got(struct text_out *text, const char *words);
const char *safe_text(struct text_out *text, struct tav_text raw); /* escaped, in scratch; "" when out of memory */
const char *safe_chars(struct text_out *text, const char *raw);    /* NULL: "" */
/* As much of the end of each path as tells it from the others; all of it with -v. False: no memory. */
bool name_sources(struct text_out *text);
const char *source_name(struct text_out *text, uint32_t number);
/* Prints raw text, escaped, broken at blanks to fit; lines but the first are indented by `indent`, the first begins at
 * `column`. print_wrapped() ends the line. */
void print_words(struct text_out *text, const char *raw, unsigned indent, unsigned column);
void print_wrapped(struct text_out *text, const char *raw, unsigned indent, unsigned column);
/* With -v and in files no column is left out and no name shortened, however long the lines get. */
unsigned table_width(const struct text_out *text);

/* All that a stage said of the sources that are shown, and of the run. */
void print_stage(struct text_out *text, uint32_t stage);
/* Many sources: one table of them, the worst first. */
void print_many(struct text_out *text);
/* Chooses what is told in full. False: no memory. */
bool choose_sources(struct text_out *text);

#endif
