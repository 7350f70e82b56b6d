/* SPDX-License-Identifier: Apache-2.0 */
#include "sheet.h"

#include <stdlib.h>

void sheet_init(struct sheet *sheet, struct tav_self *self, uint64_t rows)
{
	*sheet = (struct sheet){.self = self, .rows = rows};
}

uint32_t sheet_add(struct sheet *sheet, const char *name, uint32_t type, uint32_t unit)
{
	uint32_t column = sheet->column_count++;
	size_t size = type == TAV_TYPE_STRING ? sizeof(struct tav_text) : sizeof(int64_t);

	sheet->data[column] = calloc(sheet->rows + 1, size);
	sheet->present[column] = calloc(sheet->rows / 64 + 1, sizeof(uint64_t));
	if ((!sheet->data[column] || !sheet->present[column]) && !sheet->is_broken) {
		tav_fail(sheet->self, "out of memory: a table of %llu rows", (unsigned long long)sheet->rows);
		sheet->is_broken = 1;
	}
	sheet->columns[column] = (struct tav_series){name, type, unit, sheet->data[column], sheet->present[column]};
	return column;
}

void sheet_detail(struct sheet *sheet, uint32_t column)
{
	sheet->shows[column] = TAV_SHOW_DETAIL;
}

static void *cell(struct sheet *sheet, uint32_t column, uint64_t row, size_t size)
{
	if (sheet->is_broken)
		return NULL;
	sheet->present[column][row / 64] |= UINT64_C(1) << row % 64;
	return (char *)sheet->data[column] + row * size;
}

void sheet_text(struct sheet *sheet, uint32_t column, uint64_t row, struct tav_text text)
{
	struct tav_text *at = cell(sheet, column, row, sizeof(*at));

	if (at)
		*at = text;
}

void sheet_signed(struct sheet *sheet, uint32_t column, uint64_t row, int64_t value)
{
	int64_t *at = cell(sheet, column, row, sizeof(*at));

	if (at)
		*at = value;
}

void sheet_int(struct sheet *sheet, uint32_t column, uint64_t row, uint64_t value)
{
	sheet_signed(sheet, column, row, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void sheet_percent(struct sheet *sheet, uint32_t column, uint64_t row, uint64_t part, uint64_t whole)
{
	double *at = whole ? cell(sheet, column, row, sizeof(*at)) : NULL;

	if (at)
		*at = part >= whole ? 100 : 100 * ((double)part / (double)whole);
}

tav_status sheet_send(struct sheet *sheet, uint32_t source, const char *id, const char *title, uint64_t omitted)
{
	struct tav_table table = {
	        .struct_size = sizeof(table),
	        .source = source,
	        .id = id,
	        .title = title,
	        .row_count = sheet->rows,
	        .omitted_count = omitted,
	        .columns = {sheet->columns, sheet->column_count, sizeof(sheet->columns[0])},
	        .shows = sheet->shows,
	};
	tav_status status = sheet->is_broken ? TAV_FAILED : sheet->self->host->table(sheet->self, &table);

	for (uint32_t i = 0; i < sheet->column_count; i++) {
		free(sheet->data[i]);
		free(sheet->present[i]);
	}
	*sheet = (struct sheet){0};
	return status;
}
