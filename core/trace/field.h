/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of one wanted field. While few rows have one, they are kept as a list of rows and one of values; once more
 * than an eighth of the rows do, as an array by row. What is chosen follows from the data alone.
 */
#ifndef TRACE_FIELD_H
#define TRACE_FIELD_H

#include <stdbool.h>

#include <kit/pages.h>
#include <tav/kit.h>

struct field_column {
	struct pages data;    /* int64_t, double or uint32_t (value ids) by type; unused for PRESENT */
	struct pages present; /* by row, uint64_t words; ids leave it empty: 0 is missing. Unused while sparse */
	struct pages rows;    /* sparse: tav_row of each value, ascending */
	uint64_t count;       /* rows that have a value */
	bool is_dense;        /* PRESENT is, always */
};

static inline bool field_has_ids(uint32_t type)
{
	return type == TAV_TYPE_STRING || type == TAV_TYPE_JSON;
}

static inline size_t field_size(uint32_t type)
{
	return type == TAV_TYPE_PRESENT ? 0 : field_has_ids(type) ? sizeof(uint32_t) : sizeof(int64_t);
}

/* Room for so many rows, of a dense one. False: no memory. */
bool field_reserve(struct field_column *field, uint32_t type, uint64_t rows);
/*
 * A value of a row that has none yet; `only_missing`: if it has none. Rows mostly ascend: one that does not makes the
 * field dense, with room for `rows`. False: no memory.
 */
bool field_put(struct field_column *field, uint32_t type, tav_row row, uint64_t value, bool only_missing,
               uint64_t rows);
/* Whether the row has a value, and which. */
bool field_get(const struct field_column *field, uint32_t type, tav_row row, uint64_t *value);
/* All rows are there: makes it sparse where that is less, and gives back what is not needed. False: no memory. */
bool field_finish(struct field_column *field, uint32_t type, uint64_t rows);
/* A dense field has no value in its first `rows` rows again. */
void field_clear(struct field_column *field, uint32_t type, uint64_t rows);
/* Arrays by row, zeroed, get what the field has: the values, and a bit for each row that has one. */
void field_spread(const struct field_column *field, uint32_t type, void *values);
void field_spread_bits(const struct field_column *field, uint32_t type, uint64_t rows, uint64_t *bits);

#endif
