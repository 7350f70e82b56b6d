/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <trace/field.h>

enum { SPARSE_SHARE = 8, SPARSE_ROWS = 64 }; /* so few values are no measure of how many there will be */

static bool is_sparse_less(const struct field_column *field, uint64_t rows)
{
	return field->count < rows / SPARSE_SHARE;
}

bool field_reserve(struct field_column *field, uint32_t type, uint64_t rows)
{
	if (!field->is_dense)
		return true;
	return (type == TAV_TYPE_PRESENT || pages_reserve(&field->data, rows * field_size(type))) &&
	       (field_has_ids(type) || pages_reserve(&field->present, (rows + 63) / 64 * sizeof(uint64_t)));
}

/* ---- One value -------------------------------------------------------------------------------------------------- */
static bool bit_is(const struct pages *bits, uint64_t at)
{
	return ((const uint64_t *)bits->data)[at / 64] >> at % 64 & 1;
}

static void bit_set(struct pages *bits, uint64_t at)
{
	((uint64_t *)bits->data)[at / 64] |= UINT64_C(1) << at % 64;
}

static uint64_t value_at(const struct field_column *field, uint32_t type, uint64_t at)
{
	if (type == TAV_TYPE_PRESENT)
		return 1;
	return field_has_ids(type) ? ((const uint32_t *)field->data.data)[at]
	                           : ((const uint64_t *)field->data.data)[at];
}

static void set_value(void *data, uint32_t type, uint64_t at, uint64_t value)
{
	if (field_has_ids(type))
		((uint32_t *)data)[at] = (uint32_t)value;
	else
		((uint64_t *)data)[at] = value;
}

static bool dense_has(const struct field_column *field, uint32_t type, tav_row row)
{
	if (field_has_ids(type))
		return (row + UINT64_C(1)) * sizeof(uint32_t) <= field->data.bytes && value_at(field, type, row);
	return row / 64 < field->present.bytes / sizeof(uint64_t) && bit_is(&field->present, row);
}

static void put_dense(struct field_column *field, uint32_t type, tav_row row, uint64_t value, bool only_missing)
{
	if (only_missing && dense_has(field, type, row))
		return;
	field->count++;
	if (type != TAV_TYPE_PRESENT)
		set_value(field->data.data, type, row, value);
	if (!field_has_ids(type))
		bit_set(&field->present, row);
}

static bool append(struct field_column *field, uint32_t type, tav_row row, uint64_t value)
{
	uint64_t count = field->count;

	if (!pages_reserve(&field->data, (count + 1) * field_size(type)) ||
	    !pages_reserve(&field->rows, (count + 1) * sizeof(tav_row)))
		return false;
	set_value(field->data.data, type, count, value);
	((tav_row *)field->rows.data)[count] = row;
	field->count++;
	return true;
}

static bool make_dense(struct field_column *field, uint32_t type, uint64_t rows)
{
	struct field_column dense = {.is_dense = true};
	const tav_row *at = field->rows.data;

	if (!field_reserve(&dense, type, rows)) {
		pages_free(&dense.data);
		return false;
	}
	for (uint64_t i = 0; i < field->count; i++)
		put_dense(&dense, type, at[i], value_at(field, type, i), false);
	pages_free(&field->data);
	pages_free(&field->rows);
	*field = dense;
	return true;
}

bool field_put(struct field_column *field, uint32_t type, tav_row row, uint64_t value, bool only_missing, uint64_t rows)
{
	uint64_t count = field->count;

	if (!field->is_dense && count && ((const tav_row *)field->rows.data)[count - 1] >= row) {
		if (((const tav_row *)field->rows.data)[count - 1] == row)
			return true;
		if (!make_dense(field, type, rows))
			return false;
	}
	if (!field->is_dense && count >= SPARSE_ROWS && !is_sparse_less(field, row) && !make_dense(field, type, rows))
		return false;
	if (field->is_dense) {
		put_dense(field, type, row, value, only_missing);
		return true;
	}
	return append(field, type, row, value);
}

bool field_get(const struct field_column *field, uint32_t type, tav_row row, uint64_t *value)
{
	uint64_t at = row;

	if (field->is_dense ? !dense_has(field, type, row)
	                    : (at = 0, !tav_rows_find(field->rows.data, field->count, &at, row)))
		return false;
	*value = value_at(field, type, at);
	return true;
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */
static bool make_sparse(struct field_column *field, uint32_t type, uint64_t rows)
{
	struct field_column sparse = {0};

	for (uint64_t row = 0; row < rows; row++) {
		if (dense_has(field, type, (tav_row)row) &&
		    !append(&sparse, type, (tav_row)row, value_at(field, type, row))) {
			pages_free(&sparse.data);
			pages_free(&sparse.rows);
			return false;
		}
	}
	pages_free(&field->data);
	pages_free(&field->present);
	*field = sparse;
	return pages_trim(&field->data, field->count * field_size(type)) &&
	       pages_trim(&field->rows, field->count * sizeof(tav_row));
}

bool field_finish(struct field_column *field, uint32_t type, uint64_t rows)
{
	if (!field->is_dense)
		return pages_trim(&field->data, field->count * field_size(type)) &&
		       pages_trim(&field->rows, field->count * sizeof(tav_row));
	if (!pages_trim(&field->data, rows * field_size(type)) ||
	    !pages_trim(&field->present, field_has_ids(type) ? 0 : (rows + 63) / 64 * sizeof(uint64_t)))
		return false;
	return type == TAV_TYPE_PRESENT || !is_sparse_less(field, rows) || make_sparse(field, type, rows);
}

void field_clear(struct field_column *field, uint32_t type, uint64_t rows)
{
	if (type != TAV_TYPE_PRESENT)
		memset(field->data.data, 0, rows * field_size(type));
	if (!field_has_ids(type))
		memset(field->present.data, 0, (rows + 63) / 64 * sizeof(uint64_t));
	field->count = 0;
}

void field_spread(const struct field_column *field, uint32_t type, void *values)
{
	const tav_row *rows = field->rows.data;

	for (uint64_t i = 0; i < field->count; i++)
		set_value(values, type, rows[i], value_at(field, type, i));
}

void field_spread_bits(const struct field_column *field, uint32_t type, uint64_t rows, uint64_t *bits)
{
	const tav_row *at = field->rows.data;

	for (uint64_t i = 0; !field->is_dense && i < field->count; i++)
		bits[at[i] / 64] |= UINT64_C(1) << at[i] % 64;
	for (uint64_t row = 0; field->is_dense && row < rows; row++)
		bits[row / 64] |= (uint64_t)dense_has(field, type, (tav_row)row) << row % 64;
}
