/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <tav/json.h>
#include <tav/map.h>
#include <tav/sheet.h>

#include "merge.h"

int merge_number(struct tav_text text, int64_t *number)
{
	int is_hex = text.size > 2 && text.data[0] == '0' && text.data[1] == 'x';
	char digits[20] = {0};
	char *end;

	if (!text.size || text.size > (is_hex ? 16 : 17))
		return 0;
	memcpy(digits, text.data, text.size);
	if ((digits[0] < '0' || digits[0] > '9') && (digits[0] != '-' || text.size == 1))
		return 0;
	*number = strtoll(digits, &end, is_hex ? 16 : 10);
	return !*end && *number > -LARGEST && *number < LARGEST;
}

/* The member "global" of an id2, as a value id names it. */
static struct tav_text global_of(struct tav_text json)
{
	struct tav_member member;
	size_t at = 0;

	while (json.size && *json.data == '{' && tav_json_member(json.data, json.size, &at, &member)) {
		struct tav_text value = {json.data + member.value, member.value_end - member.value};

		if (member.key_end - member.key != 8 || memcmp(json.data + member.key, "\"global\"", 8) != 0)
			continue;
		if (value.size >= 2 && *value.data == '"')
			value = (struct tav_text){value.data + 1, value.size - 2};
		return value;
	}
	return (struct tav_text){NULL, 0};
}

struct ids { /* what a column of ids holds */
	int64_t largest;
	uint64_t others; /* that are no numbers */
	tav_row row;     /* one of these */
};

static void look_at_ids(const struct looked *looked, const uint32_t *column, int is_id2, struct ids *ids)
{
	uint32_t last = 0;

	for (tav_row row = 0; row < looked->rows; row++) {
		int64_t number;

		if (!column[row] || (column[row] == last && !ids->others))
			continue;
		last = column[row];
		struct tav_text text = looked->host->value(looked->self, 0, last);
		if (is_id2)
			text = global_of(text);
		if (is_id2 && !text.size)
			continue;
		if (merge_number(text, &number) && number >= 0) {
			ids->largest = number > ids->largest ? number : ids->largest;
		} else {
			ids->row = ids->others++ ? ids->row : row;
		}
	}
}

/* An id that is no number cannot be told from the same one of another trace. */
static tav_status tell_others(const struct looked *looked, const struct ids *ids)
{
	const uint64_t *offsets = looked->host->column(looked->self, 0, TAV_COL_OFFSET);

	if (!offsets)
		return TAV_FAILED;
	return tav_measure(looked->self, 0, "other_ids", (int64_t)ids->others, TAV_UNIT_COUNT, 0) ||
	                       (ids->others && tav_measure(looked->self, 0, "other_id_at", (int64_t)offsets[ids->row],
	                                                   TAV_UNIT_BYTES, 0))
	               ? TAV_FAILED
	               : TAV_OK;
}

static tav_status tell_ids(const struct looked *looked)
{
	struct tav_self *self = looked->self;
	const struct tav_value *links = self->options[OPT_LINK_FIELDS];
	struct ids ids = {0}, linked = {0};

	for (uint32_t i = FIELD_ID; i <= FIELD_ID2; i++) {
		const uint32_t *column = self->host->column(self, 0, TAV_COL_FIELDS + i);
		if (!column)
			return TAV_FAILED;
		look_at_ids(looked, column, i == FIELD_ID2, &ids);
	}
	for (uint64_t i = 0; i < links->count; i++) {
		if (links->items[i]->integer < 0)
			continue;
		const uint32_t *column = self->host->column(self, 0, (uint32_t)links->items[i]->integer);
		if (!column)
			return TAV_FAILED;
		look_at_ids(looked, column, 0, &linked);
	}
	return tav_measure(self, 0, "largest_id", ids.largest, TAV_UNIT_NONE, 0) ||
	                       tav_measure(self, 0, "largest_link", linked.largest, TAV_UNIT_NONE, 0) ||
	                       tell_others(looked, &ids)
	               ? TAV_FAILED
	               : TAV_OK;
}

/* The pids of the source, as texts, for combine(). */
static tav_status tell_pids(const struct looked *looked)
{
	struct tav_self *self = looked->self;
	struct tav_map pids;
	struct tav_sheet sheet;
	uint32_t last = TAV_NONE;

	tav_map_init(&pids, self);
	for (tav_row row = 0; row < looked->rows; row++) {
		if (looked->pid[row] == last)
			continue;
		last = looked->pid[row];
		if (tav_map_number(&pids, last) == TAV_NONE)
			return TAV_FAILED;
	}
	tav_sheet_init(&sheet, self, pids.count);
	sheet.show = TAV_SHOW_DATA;
	uint32_t column = tav_sheet_column(&sheet, "pid", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < pids.count; i++)
		tav_sheet_text(&sheet, column, i, self->host->value(self, 0, (uint32_t)pids.numbers[i]));
	return tav_sheet_send(&sheet, 0, "pids", "Processes", 0);
}

/* What names and sorts processes, for combine(): a table of the distinct texts of `field` in events called `kind`. */
static tav_status tell_metadata(const struct looked *looked, const char *kind, uint32_t field, const char *table)
{
	struct tav_self *self = looked->self;
	const uint32_t *column = self->host->column(self, 0, TAV_COL_FIELDS + field);
	struct tav_map values;
	struct tav_sheet sheet;

	if (!column)
		return TAV_FAILED;
	tav_map_init(&values, self);
	for (tav_row row = 0; row < looked->rows; row++) {
		if (looked->phase[row] == 'M' && column[row] &&
		    tav_text_is(self->host->label(self, 0, looked->label[row], NULL), kind) &&
		    tav_map_number(&values, column[row]) == TAV_NONE)
			return TAV_FAILED;
	}
	tav_sheet_init(&sheet, self, values.count);
	sheet.show = TAV_SHOW_DATA;
	uint32_t text = tav_sheet_column(&sheet, "text", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < values.count; i++)
		tav_sheet_text(&sheet, text, i, self->host->value(self, 0, (uint32_t)values.numbers[i]));
	return tav_sheet_send(&sheet, 0, table, "Metadata of processes", 0);
}

tav_status merge_look(struct tav_self *self)
{
	struct looked looked;

	if (look_at_source(self, &looked) || tell_base_time(self) || tell_ids(&looked) || tell_pids(&looked) ||
	    tell_metadata(&looked, "process_name", FIELD_NAME, "process_names") ||
	    tell_metadata(&looked, "process_sort_index", FIELD_SORT_INDEX, "process_sort_indexes"))
		return TAV_FAILED;
	return TAV_OK;
}
