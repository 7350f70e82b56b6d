/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <kit/text.h>
#include <report/shorten.h>
#include <report/text_table.h>

enum { GAP = 2, FIRST_ROWS = 16, LEAST_NAME = 16 };

unsigned text_width(const char *text)
{
	return text_cells(text, strlen(text));
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
	if (width > table->columns[column].cells)
		table->columns[column].cells = width;
	if (width > table->columns[column].width)
		table->columns[column].width = width;
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
static void print_cell(FILE *out, const char *cell, const struct text_column *column, unsigned width, bool is_last)
{
	const char *text = cell ? cell : "";
	unsigned used = text_width(text), missing = used < width ? width - used : 0;

	if (column->is_right)
		pad(out, missing);
	fputs(text, out);
	if (!column->is_right && !is_last)
		pad(out, missing);
}

void text_wrap(FILE *out, const char *text, unsigned indent, unsigned column, unsigned width)
{
	unsigned blanks = 0; /* before the next word, if it stands in the same line */

	while (*text) {
		size_t size = strcspn(text, " \n");
		unsigned word = text_cells(text, size);

		if (size && blanks && column + blanks + word > width && column > indent) {
			putc('\n', out);
			pad(out, indent);
			column = indent;
		} else if (size) {
			pad(out, blanks);
			column += blanks;
		}
		fwrite(text, 1, size, out);
		column += word;
		blanks = text[size] == ' ' ? (size ? 1 : blanks + 1) : 0;
		if (text[size] == '\n') {
			putc('\n', out);
			pad(out, indent);
			column = indent;
		}
		text += size + (text[size] != '\0');
	}
}

static void print_row(const struct text_table *table, FILE *out, unsigned indent, const unsigned *widths,
                      const struct text_row *row)
{
	uint32_t count = table->column_count;

	while (count && (!row->cells[count - 1] || !*row->cells[count - 1]))
		count--; /* no blanks at the end of a line */
	pad(out, count ? indent : 0);
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			pad(out, GAP);
		print_cell(out, row->cells[i], &table->columns[i], widths[i], i + 1 == count);
	}
	putc('\n', out);
}

/* ---- Heads: words joined by '_', stacked where the column is narrower ------------------------------------------ */
/* Bytes of the next line of a head: as many words as fit, one at least. */
static size_t head_line(const char *head, unsigned width)
{
	size_t size = 0;

	while (head[size]) {
		const char *end = strchr(head + size, '_');
		size_t next = end && end[1] ? (size_t)(end - head) + 1 : strlen(head);

		if (size && text_cells(head, next) > width)
			break;
		size = next;
	}
	return size;
}

static unsigned head_height(const char *head, unsigned width)
{
	unsigned height = 0;

	do {
		head += head_line(head, width);
		height++;
	} while (*head);
	return height;
}

static unsigned longest_word(const char *head)
{
	unsigned longest = 0;

	for (size_t size; *head; head += size) {
		size = head_line(head, 0);
		unsigned width = text_cells(head, size);
		longest = width > longest ? width : longest;
	}
	return longest;
}

/* Line `number` of a head that ends with the last of `height` lines; "": it has none there. */
static const char *head_at(struct text_table *table, const char *head, unsigned width, unsigned number, unsigned height)
{
	unsigned own = head_height(head, width);

	if (number + own < height)
		return "";
	for (unsigned skip = number + own - height; skip; skip--)
		head += head_line(head, width);
	return arena_printf(table->arena, "%.*s", (int)head_line(head, width), head);
}

static void print_heads(struct text_table *table, FILE *out, unsigned indent, const unsigned *widths)
{
	struct text_row line = {.cells = arena_array(table->arena, table->column_count, sizeof(*line.cells))};
	unsigned height = 1;

	for (uint32_t i = 0; i < table->column_count; i++) {
		unsigned own = head_height(table->columns[i].head, widths[i]);
		height = own > height ? own : height;
	}
	table->failed |= !line.cells;
	for (unsigned number = 0; number < height && !table->failed; number++) {
		for (uint32_t i = 0; i < table->column_count; i++) {
			line.cells[i] = head_at(table, table->columns[i].head, widths[i], number, height);
			table->failed |= !line.cells[i];
		}
		print_row(table, out, indent, widths, &line);
	}
}

static void stack_heads(struct text_table *table)
{
	for (uint32_t i = 0; i < table->column_count; i++) {
		struct text_column *column = &table->columns[i];
		unsigned word = longest_word(column->head), least = word > column->cells ? word : column->cells;

		if (column->width > least)
			column->width = least;
	}
}

static void move_column(struct text_table *table, uint32_t from, uint32_t to)
{
	struct text_column column = table->columns[from];

	memmove(&table->columns[from], &table->columns[from + 1], (to - from) * sizeof(column));
	table->columns[to] = column;
	for (uint64_t row = 0; row < table->row_count; row++) {
		const char **cells = table->rows[row].cells, *cell = cells[from];

		memmove(&cells[from], &cells[from + 1], (to - from) * sizeof(*cells));
		cells[to] = cell;
	}
}

static unsigned line_width(const struct text_table *table, bool is_least)
{
	unsigned width = table->column_count ? (table->column_count - 1) * GAP : 0;

	for (uint32_t i = 0; i < table->column_count; i++)
		width += is_least ? least_width(&table->columns[i]) : table->columns[i].width;
	return width;
}

/*
 * Makes the lines fit. Names grow long, and a name cut to a few letters tells nothing: where a line is too long its
 * longest name moves to the end, and the last of the other columns make room for it. Returns what was left out, ""
 * when nothing was; NULL: no memory.
 */
static const char *arrange(struct text_table *table, unsigned width)
{
	const char *left_out = "";
	uint32_t name = 0, last = table->column_count - 1;

	if (line_width(table, false) <= width)
		return left_out;
	stack_heads(table);
	if (line_width(table, false) <= width)
		return left_out;
	for (uint32_t i = 1; i <= last; i++) {
		if (least_width(&table->columns[i]) < table->columns[i].width &&
		    table->columns[i].width >= table->columns[name].width)
			name = i;
	}
	if (least_width(&table->columns[name]) < table->columns[name].width) {
		move_column(table, name, last);
		if (table->columns[last].least <= LEAST_NAME)
			table->columns[last].least = width * 2 / 5;
	}
	for (uint32_t victim = last; victim-- > 1 && left_out && line_width(table, true) > width;) {
		if (table->columns[victim].is_key)
			continue;
		left_out = arena_printf(table->arena, "%s%s%s", table->columns[victim].head, *left_out ? ", " : "",
		                        left_out);
		move_column(table, victim, table->column_count - 1);
		table->column_count--;
	}
	return left_out;
}

/* Cells that are wider than their column. */
static bool shorten_column(struct text_table *table, uint32_t column, unsigned width)
{
	const char **cells = arena_array(table->arena, table->row_count, sizeof(*cells));
	const char *head = table->columns[column].head;

	if (longest_word(head) > width)
		head = text_shorten(table->arena, head, width);

	for (uint64_t row = 0; cells && row < table->row_count; row++)
		cells[row] = table->rows[row].cells[column];
	if (!cells || !head || !shorten_all(table->arena, cells, table->row_count, width))
		return false;
	for (uint64_t row = 0; row < table->row_count; row++)
		table->rows[row].cells[column] = cells[row];
	table->columns[column].head = head;
	return true;
}

/* What the line has left is shared by those that want more, and shorter cells are made for those that do not get it. */
static bool fit_columns(struct text_table *table, unsigned *widths, unsigned indent, unsigned width)
{
	unsigned used = indent + line_width(table, true), left = used < width ? width - used : 0, wanting = 0;

	for (uint32_t i = 0; i < table->column_count; i++) {
		widths[i] = least_width(&table->columns[i]);
		wanting += widths[i] < table->columns[i].width;
	}
	while (left && wanting) {
		unsigned share = left / wanting ? left / wanting : 1;

		wanting = 0;
		for (uint32_t i = table->column_count; i-- > 0;) {
			unsigned missing = table->columns[i].width - widths[i], most = share < left ? share : left;
			unsigned more = missing < most ? missing : most;

			widths[i] += more;
			left -= more;
			wanting += missing > more;
		}
	}
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (widths[i] < table->columns[i].width && !shorten_column(table, i, widths[i]))
			return false;
	}
	return true;
}

void text_table_print(struct text_table *table, FILE *out, unsigned indent, unsigned width, const char *bold,
                      const char *plain)
{
	unsigned *widths = table->failed ? NULL : arena_array(table->arena, table->column_count, sizeof(*widths));
	const char *left_out = widths ? arrange(table, width > indent ? width - indent : 0) : NULL;

	if (!left_out) {
		table->failed = true;
		return;
	}
	if (!fit_columns(table, widths, indent, width)) {
		table->failed = true;
		return;
	}
	fputs(bold, out);
	print_heads(table, out, indent, widths);
	fputs(plain, out);
	for (uint64_t row = 0; row < table->row_count; row++) {
		print_row(table, out, indent, widths, &table->rows[row]);
		if (table->rows[row].note) {
			unsigned margin = indent + widths[0] + GAP;

			pad(out, margin);
			text_wrap(out, table->rows[row].note, margin, margin, width);
			putc('\n', out);
		}
	}
	const char *note =
	        !*left_out ? left_out
	                   : arena_printf(table->arena, "(no room for: %s; -v shows them, as do the other formats)",
	                                  left_out);
	if (!note) {
		table->failed = true;
	} else if (*note) {
		pad(out, indent);
		text_wrap(out, note, indent + 1, indent, width);
		putc('\n', out);
	}
}
