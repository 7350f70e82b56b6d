/* SPDX-License-Identifier: Apache-2.0 */
/* A table under construction: columns are added, filled, and handed to the report in one go. */
#ifndef STATS_SHEET_H
#define STATS_SHEET_H

#include <tav/plugin.h>

#define SHEET_COLUMNS 20
struct sheet {
	struct tav_self *self;
	uint64_t rows;
	uint32_t column_count;
	uint32_t is_broken; /* no memory; the cause is set */
	struct tav_series columns[SHEET_COLUMNS];
	void *data[SHEET_COLUMNS];
	uint64_t *present[SHEET_COLUMNS];
	uint32_t shows[SHEET_COLUMNS];
};
void sheet_init(struct sheet *sheet, struct tav_self *self, uint64_t rows);
/* A column's number; its cells are absent until they are set. Names and the sheet's self are not copied. */
uint32_t sheet_add(struct sheet *sheet, const char *name, uint32_t type, uint32_t unit);
/* The text report shows the column with -v only. */
void sheet_detail(struct sheet *sheet, uint32_t column);
void sheet_text(struct sheet *sheet, uint32_t column, uint64_t row, struct tav_text text);
void sheet_int(struct sheet *sheet, uint32_t column, uint64_t row, uint64_t value); /* at most INT64_MAX is shown */
void sheet_signed(struct sheet *sheet, uint32_t column, uint64_t row, int64_t value);
void sheet_percent(struct sheet *sheet, uint32_t column, uint64_t row, uint64_t part,
                   uint64_t whole); /* whole 0: absent */
/* Reports it and frees it. */
tav_status sheet_send(struct sheet *sheet, uint32_t source, const char *id, const char *title, uint64_t omitted);

#endif
