/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the text writer share. */
#ifndef REPORT_TEXT_OUT_H
#define REPORT_TEXT_OUT_H

#include <report/report.h>

enum colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_GREEN, COLOUR_YELLOW, COLOUR_RED };

struct text_out {
	const struct report *report;
	const struct report_style *style;
	FILE *out;
	struct arena scratch;
	bool failed; /* no memory */
};

const char *colour_start(const struct text_out *text, enum colour colour); /* "" where there is no colour */
const char *colour_end(const struct text_out *text);
enum colour verdict_colour(enum verdict verdict);
const char *verdict_word(enum verdict verdict); /* "PASS" and so on: as in the verdict lines */

const char *safe_text(struct text_out *text, struct tav_text raw); /* escaped, in scratch; "" when out of memory */
const char *safe_chars(struct text_out *text, const char *raw);    /* NULL: "" */
/* As much of the end of its path as tells it from the others; all of it with -v. */
const char *source_name(struct text_out *text, uint32_t number);
/* Prints raw text, escaped, broken at blanks to fit; lines but the first are indented by `indent`, the first begins at
 * `column`. print_wrapped() ends the line. */
void print_words(struct text_out *text, const char *raw, unsigned indent, unsigned column);
void print_wrapped(struct text_out *text, const char *raw, unsigned indent, unsigned column);

/* All that a stage said. `is_told_by_source`: more than one source, so each gets a heading. */
void print_stage(struct text_out *text, uint32_t stage);

#endif
