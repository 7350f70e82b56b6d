/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/sheet.h - a table under construction, compiled into whoever includes it: columns are added, cells are filled, and
 * all of it is handed to the report in one go. Its memory is the host's alloc(): gone when the plugin's function has
 * returned, so there is nothing to free.
 *
 *   struct tav_sheet sheet;
 *
 *   tav_sheet_init(&sheet, self, rows);
 *   uint32_t name = tav_sheet_column(&sheet, "name", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
 *   ...
 *   tav_sheet_text(&sheet, name, row, text);
 *   return tav_sheet_send(&sheet, 0, "names", "Events by name", omitted);
 */
#ifndef TAV_SHEET_H
#define TAV_SHEET_H

#include <string.h>

#include <tav/kit.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_SHEET_COLUMNS 40
struct tav_sheet {
	struct tav_self *self;
	uint64_t rows;
	uint32_t column_count;
	uint32_t is_broken;  /* no memory, or too many columns; the cause is set */
	uint64_t first_rows; /* as in struct tav_table */
	struct tav_series columns[TAV_SHEET_COLUMNS];
	void *data[TAV_SHEET_COLUMNS];
	uint64_t *present[TAV_SHEET_COLUMNS];
	uint32_t shows[TAV_SHEET_COLUMNS];
	uint32_t show; /* TAV_SHOW_COLUMN or TAV_SHOW_DATA: of the table */
	uint32_t reserved;
};

static inline void tav_sheet_init(struct tav_sheet *sheet, struct tav_self *self, uint64_t rows)
{
	memset(sheet, 0, sizeof(*sheet));
	sheet->self = self;
	sheet->rows = rows;
}

/* A column's number; its cells are absent until they are set. Names are not copied. */
static inline uint32_t tav_sheet_column(struct tav_sheet *sheet, const char *name, uint32_t type, uint32_t unit,
                                        uint32_t show)
{
	uint32_t column = sheet->column_count;
	size_t size = type == TAV_TYPE_STRING ? sizeof(struct tav_text) : sizeof(int64_t);

	if (column == TAV_SHEET_COLUMNS || sheet->rows > SIZE_MAX / size - 1) {
		if (!sheet->is_broken)
			tav_fail(sheet->self, "a table of %llu rows has too many columns or rows",
			         (unsigned long long)sheet->rows);
		sheet->is_broken = 1;
		return 0;
	}
	sheet->column_count++;
	sheet->data[column] = sheet->self->host->alloc(sheet->self, (size_t)(sheet->rows + 1) * size);
	sheet->present[column] =
	        (uint64_t *)sheet->self->host->alloc(sheet->self, (size_t)(sheet->rows / 64 + 1) * sizeof(uint64_t));
	if (!sheet->data[column] || !sheet->present[column])
		sheet->is_broken = 1;
	sheet->columns[column].name = name;
	sheet->columns[column].type = type;
	sheet->columns[column].unit = unit;
	sheet->columns[column].data = sheet->data[column];
	sheet->columns[column].present = sheet->present[column];
	sheet->shows[column] = show;
	return column;
}

static inline void *tav_sheet_cell(struct tav_sheet *sheet, uint32_t column, uint64_t row, size_t size)
{
	if (sheet->is_broken)
		return NULL;
	sheet->present[column][row / 64] |= UINT64_C(1) << row % 64;
	return (char *)sheet->data[column] + row * size;
}

static inline void tav_sheet_text(struct tav_sheet *sheet, uint32_t column, uint64_t row, struct tav_text text)
{
	struct tav_text *at = (struct tav_text *)tav_sheet_cell(sheet, column, row, sizeof(*at));

	if (at)
		*at = text;
}

static inline void tav_sheet_chars(struct tav_sheet *sheet, uint32_t column, uint64_t row, const char *chars)
{
	struct tav_text text = {chars, strlen(chars)};

	tav_sheet_text(sheet, column, row, text);
}

static inline void tav_sheet_int(struct tav_sheet *sheet, uint32_t column, uint64_t row, int64_t value)
{
	int64_t *at = (int64_t *)tav_sheet_cell(sheet, column, row, sizeof(*at));

	if (at)
		*at = value;
}

/* each() only. */
static inline void tav_sheet_ref(struct tav_sheet *sheet, uint32_t column, uint64_t row, struct tav_ref ref)
{
	struct tav_ref *at = (struct tav_ref *)tav_sheet_cell(sheet, column, row, sizeof(*at));

	if (at)
		*at = ref;
}

/* At most INT64_MAX is shown. */
static inline void tav_sheet_count(struct tav_sheet *sheet, uint32_t column, uint64_t row, uint64_t value)
{
	tav_sheet_int(sheet, column, row, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static inline void tav_sheet_real(struct tav_sheet *sheet, uint32_t column, uint64_t row, double value)
{
	double *at = (double *)tav_sheet_cell(sheet, column, row, sizeof(*at));

	if (at)
		*at = value;
}

/* part / whole, of 100; absent where the whole is 0. */
static inline void tav_sheet_percent(struct tav_sheet *sheet, uint32_t column, uint64_t row, uint64_t part,
                                     uint64_t whole)
{
	if (whole)
		tav_sheet_real(sheet, column, row, part >= whole ? 100 : 100 * ((double)part / (double)whole));
}

static inline tav_status tav_sheet_send(struct tav_sheet *sheet, uint32_t source, const char *id, const char *title,
                                        uint64_t omitted)
{
	struct tav_table table;

	if (sheet->is_broken)
		return TAV_FAILED;
	memset(&table, 0, sizeof(table));
	table.struct_size = sizeof(table);
	table.source = source;
	table.id = id;
	table.title = title;
	table.row_count = sheet->rows;
	table.omitted_count = omitted;
	table.columns.items = sheet->columns;
	table.columns.count = sheet->column_count;
	table.columns.item_size = sizeof(sheet->columns[0]);
	table.shows = sheet->shows;
	table.first_rows = sheet->first_rows;
	table.show = sheet->show;
	return sheet->self->host->table(sheet->self, &table);
}

#ifdef __cplusplus
}
#endif
#endif
