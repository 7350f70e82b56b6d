/* SPDX-License-Identifier: Apache-2.0 */
/* Aligned columns for a terminal. Cells are already safe to print; no memory is remembered in `failed`. */
#ifndef REPORT_TEXT_TABLE_H
#define REPORT_TEXT_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <kit/arena.h>

struct text_column {
	const char *head;
	bool is_right;  /* numbers */
	unsigned least; /* shortened in the middle to no less than this when the line would get too long; 0: never */
	bool is_key;    /* never left out */
	unsigned width; /* of the widest cell or of the head */
	unsigned cells; /* of the widest cell alone */
};
struct text_row {
	const char **cells; /* NULL: empty */
	const char *note;   /* lines of their own below the row, indented like the second column; NULL: none */
};
struct text_table {
	struct arena *arena;
	struct text_column *columns;
	uint32_t column_count;
	struct text_row *rows;
	uint64_t row_count, capacity;
	bool failed;
};

void text_table_init(struct text_table *table, struct arena *arena, uint32_t column_count);
void text_table_head(struct text_table *table, uint32_t column, struct text_column head);
void text_table_row(struct text_table *table); /* the row that the next cells belong to */
void text_table_cell(struct text_table *table, uint32_t column, const char *cell);
/* A line below the last row, behind those it has. */
void text_table_note(struct text_table *table, const char *note);
/*
 * Where a line is longer than `width` heads of several words ("exposed_copies") are stacked, then the longest name
 * moves to the end of the lines and is shortened to what they leave, so that rows stay different, and the last of the
 * other columns that are no keys are left out, named below. `bold`, `plain`: written around the head; "" where there is
 * no colour.
 */
void text_table_print(struct text_table *table, FILE *out, unsigned indent, unsigned width, const char *bold,
                      const char *plain);

/*
 * Prints text that is safe to print, broken at blanks so that it fits `width`. It begins at `column`; lines but the
 * first, also those behind a newline of the text, are indented by `indent`. The last one is not ended.
 */
void text_wrap(FILE *out, const char *text, unsigned indent, unsigned column, unsigned width);
unsigned text_width(const char *text); /* in cells */

#endif
