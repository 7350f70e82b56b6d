/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <report/text_table.h>

enum { GAP = 2, FIRST_ROWS = 16 };

static bool is_continued(char byte) /* within one UTF-8 character */
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

unsigned text_width(const char *text)
{
	unsigned width = 0;

	for (; *text; text++)
		width += !is_continued(*text);
	return width;
}

static const char *skip(const char *text, unsigned characters)
{
	while (*text && characters--) {
		do
			text++;
		while (is_continued(*text));
	}
	return text;
}

const char *text_shorten(struct arena *arena, const char *text, unsigned width)
{
	unsigned whole = text_width(text);

	if (whole <= width)
		return text;
	/* The ends tell kernels apart: the head is the template, the tail its arguments. */
	unsigned kept = width > 4 ? width - 3 : 1, head = kept - kept / 3;
	const char *first_end = skip(text, head), *tail = skip(text, whole - (kept - head));
	return arena_printf(arena, "%.*s...%s", (int)(first_end - text), text, tail);
}

void text_table_init(struct text_table *table, struct arena *arena, uint32_t column_count)
{
	*table = (struct text_table){.arena = arena, .column_count = column_count};
	table->columns = arena_array(arena, column_count, sizeof(*table->columns));
	table->failed = !table->columns;
}

void text_table_head(struct text_table *table, uint32_t column, struct text_column head)
{
	if (table->failed || !head.head) {
		table->failed = true;
		return;
	}
	head.width = text_width(head.head);
	table->columns[column] = head;
}

void text_table_row(struct text_table *table)
{
	if (table->failed)
		return;
	if (table->row_count == table->capacity) {
		uint64_t capacity = table->capacity ? table->capacity * 2 : FIRST_ROWS;
		struct text_row *rows = arena_array(table->arena, capacity, sizeof(*rows));

		table->failed = !rows;
		if (!rows)
			return;
		if (table->row_count)
			memcpy(rows, table->rows, table->row_count * sizeof(*rows));
		table->rows = rows;
		table->capacity = capacity;
	}
	struct text_row *row = &table->rows[table->row_count];
	row->cells = arena_array(table->arena, table->column_count, sizeof(*row->cells));
	table->failed = !row->cells;
	table->row_count += !table->failed;
}

void text_table_cell(struct text_table *table, uint32_t column, const char *cell)
{
	if (table->failed || !cell) {
		table->failed = true;
		return;
	}
	unsigned width = text_width(cell);
	table->rows[table->row_count - 1].cells[column] = cell;
	if (width > table->columns[column].width)
		table->columns[column].width = width;
	table->columns[column].has_values |= *cell && strcmp(cell, "-") != 0;
}

void text_table_note(struct text_table *table, const char *note)
{
	if (table->failed || !note)
		table->failed = true;
	else if (!table->rows[table->row_count - 1].note)
		table->rows[table->row_count - 1].note = note;
	else {
		const char *both = arena_printf(table->arena, "%s\n%s", table->rows[table->row_count - 1].note, note);

		table->rows[table->row_count - 1].note = both;
		table->failed |= !both;
	}
}

static unsigned least_width(const struct text_column *column)
{
	return column->least && column->least < column->width ? column->least : column->width;
}

static void pad(FILE *out, unsigned count)
{
	while (count--)
		putc(' ', out);
}

/* The cell of a column; `is_last` ones are not padded behind. */
static void print_cell(struct text_table *table, FILE *out, const char *cell, const struct text_column *column,
                       unsigned width, bool is_last)
{
	const char *text = text_shorten(table->arena, cell ? cell : "", width);

	if (!text) {
		table->failed = true;
		return;
	}
	unsigned used = text_width(text), missing = used < width ? width - used : 0;
	if (column->is_right)
		pad(out, missing);
	fputs(text, out);
	if (!column->is_right && !is_last)
		pad(out, missing);
}

/* Each of its lines, broken at blanks where it gets too long. */
static void print_note(FILE *out, const char *note, unsigned indent, unsigned width)
{
	unsigned column = indent;
	bool is_first = true; /* of its line */

	pad(out, indent);
	while (*note) {
		size_t size = strcspn(note, " \n");
		unsigned word = 0;

		for (size_t i = 0; i < size; i++)
			word += !is_continued(note[i]);
		if (!is_first && column + 1 + word > width) {
			putc('\n', out);
			pad(out, indent);
			column = indent;
		} else if (!is_first) {
			putc(' ', out);
			column++;
		}
		fwrite(note, 1, size, out);
		column += word;
		is_first = note[size] == '\n';
		if (is_first) {
			putc('\n', out);
			pad(out, indent);
			column = indent;
		}
		note += size + (note[size] != '\0');
	}
	putc('\n', out);
}

/* Columns first..end - 1, and before them column 0 when this is a continuation. */
static void print_block(struct text_table *table, FILE *out, unsigned indent, const unsigned *widths, uint32_t first,
                        uint32_t end, unsigned line_width, const char *bold, const char *plain)
{
	uint32_t start = first ? first - 1 : 0; /* column 0 stands in for the one before the first */

	for (uint64_t line = 0; line <= table->row_count; line++) {
		const struct text_row *row = line ? &table->rows[line - 1] : NULL;

		pad(out, indent);
		if (!row)
			fputs(bold, out);
		for (uint32_t i = start; i < end; i++) {
			uint32_t column = first && i == start ? 0 : i;

			if (i > start)
				pad(out, GAP);
			print_cell(table, out, row ? row->cells[column] : table->columns[column].head,
			           &table->columns[column], widths[column], i + 1 == end);
		}
		if (!row)
			fputs(plain, out);
		putc('\n', out);
		if (row && row->note && end == table->column_count) {
			print_note(out, row->note, indent + widths[0] + GAP, line_width);
		}
	}
}

/* Gives back to the flexible columns of a block what its line has left. */
static void widen(const struct text_table *table, unsigned *widths, uint32_t first, uint32_t end, unsigned left)
{
	for (bool is_changed = true; left && is_changed;) {
		is_changed = false;
		for (uint32_t i = first; left && i < end; i++) {
			if (widths[i] < table->columns[i].width) {
				widths[i]++;
				left--;
				is_changed = true;
			}
		}
	}
}

static void leave_out_empty(struct text_table *table)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].is_optional && !table->columns[i].has_values)
			continue;
		table->columns[kept] = table->columns[i];
		for (uint64_t row = 0; row < table->row_count; row++)
			table->rows[row].cells[kept] = table->rows[row].cells[i];
		kept++;
	}
	table->column_count = kept;
}

void text_table_print(struct text_table *table, FILE *out, unsigned indent, unsigned width, const char *bold,
                      const char *plain)
{
	if (!table->failed)
		leave_out_empty(table);
	unsigned *widths = table->failed ? NULL : arena_array(table->arena, table->column_count, sizeof(*widths));

	if (!widths) {
		table->failed = true;
		return;
	}
	for (uint32_t i = 0; i < table->column_count; i++)
		widths[i] = least_width(&table->columns[i]);
	for (uint32_t first = 0; first < table->column_count;) {
		if (first)
			widths[0] = least_width(&table->columns[0]);
		unsigned used = indent + (first ? widths[0] : 0);
		uint32_t end = first;

		while (end < table->column_count &&
		       (end == first || used + (used > indent ? GAP : 0) + widths[end] <= width)) {
			used += (used > indent ? GAP : 0) + widths[end];
			end++;
		}
		widen(table, widths, first, end, used < width ? width - used : 0);
		if (first)
			putc('\n', out);
		print_block(table, out, indent, widths, first, end, width, bold, plain);
		first = end;
	}
}
