/* SPDX-License-Identifier: Apache-2.0 */
/* A table that is filled row by row, cell by cell: the first row makes the columns. */
#ifndef TRIAGE_ROWS_H
#define TRIAGE_ROWS_H

#include <stdbool.h>

#include <tav/sheet.h>

#include "text.h"

enum show { COLUMN = TAV_SHOW_COLUMN, NOTE = TAV_SHOW_NOTE, DETAIL = TAV_SHOW_DETAIL, KEY = TAV_SHOW_KEY };
struct rows {
	struct tav_sheet sheet;
	uint64_t row;
	uint32_t column; /* of the cell to be filled next */
};

static inline void rows_init(struct rows *rows, struct tav_self *self, uint64_t most)
{
	tav_sheet_init(&rows->sheet, self, most);
	rows->row = rows->column = 0;
}

static inline uint32_t next_column(struct rows *rows, enum show show, const char *name, uint32_t type, uint32_t unit)
{
	if (rows->column == rows->sheet.column_count)
		tav_sheet_column(&rows->sheet, name, type, unit, show);
	return rows->column++;
}

/* No value where `is_there` is not. */
static inline void put_number(struct rows *rows, enum show show, const char *name, uint32_t unit, int64_t value,
                              bool is_there)
{
	uint32_t column = next_column(rows, show, name, TAV_TYPE_INT, unit);

	if (is_there)
		tav_sheet_int(&rows->sheet, column, rows->row, value);
}

static inline void put_count(struct rows *rows, enum show show, const char *name, uint64_t value)
{
	put_number(rows, show, name, TAV_UNIT_COUNT, (int64_t)value, true);
}

static inline void put_time(struct rows *rows, enum show show, const char *name, int64_t ns)
{
	put_number(rows, show, name, TAV_UNIT_NS, ns, true);
}

static inline void put_real(struct rows *rows, enum show show, const char *name, uint32_t unit, double value,
                            bool is_there)
{
	uint32_t column = next_column(rows, show, name, TAV_TYPE_REAL, unit);

	if (is_there)
		tav_sheet_real(&rows->sheet, column, rows->row, value);
}

/* part of whole; no value when there is no whole */
static inline void put_percent(struct rows *rows, enum show show, const char *name, int64_t part, int64_t whole)
{
	put_real(rows, show, name, TAV_UNIT_PERCENT, whole > 0 ? 100 * (double)part / (double)whole : 0, whole > 0);
}

static inline void put_ratio(struct rows *rows, enum show show, const char *name, int64_t part, int64_t whole)
{
	put_real(rows, show, name, TAV_UNIT_RATIO, whole > 0 ? (double)part / (double)whole : 0, true);
}

/* An empty text is no value. */
static inline void put_text(struct rows *rows, enum show show, const char *name, struct tav_text text)
{
	uint32_t column = next_column(rows, show, name, TAV_TYPE_STRING, TAV_UNIT_NONE);

	if (text.size)
		tav_sheet_text(&rows->sheet, column, rows->row, text);
}

static inline void put_word(struct rows *rows, enum show show, const char *name, const char *word)
{
	put_text(rows, show, name, (struct tav_text){word, strlen(word)});
}

static inline void end_row(struct rows *rows)
{
	rows->row++;
	rows->column = 0;
}

/* A table without rows is none. */
static inline tav_status rows_send(struct rows *rows, uint32_t source, const char *id, const char *title,
                                   uint64_t omitted)
{
	rows->sheet.rows = rows->row;
	return rows->row || rows->sheet.is_broken ? tav_sheet_send(&rows->sheet, source, id, title, omitted) : TAV_OK;
}

#endif
