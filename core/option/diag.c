/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <kit/text.h>
#include <option/diag.h>

static bool stands_before(const struct diag *a, const struct place *place)
{
	if (a->place.text != place->text)
		return true; /* texts keep the order in which they came; see add() */
	return a->place.line != place->line ? a->place.line < place->line : a->place.column <= place->column;
}

static void add(struct diags *diags, struct place place, bool is_warning, const char *format, va_list args)
{
	diags->error_count += !is_warning;
	if (diags->kept_count == DIAGS_MOST)
		return;
	struct diag *diag = arena_alloc(&diags->arena, sizeof(*diag));
	char *message = arena_vprintf(&diags->arena, format, args);
	diags->kept_count++;
	if (!diag || !message) {
		diags->is_out_of_memory = true;
		return;
	}
	*diag = (struct diag){NULL, place, is_warning, message};
	struct diag **at = &diags->first;
	while (*at && (*at)->place.text != place.text)
		at = &(*at)->next;
	while (*at && (*at)->place.text == place.text && stands_before(*at, &place))
		at = &(*at)->next;
	diag->next = *at;
	*at = diag;
}

void diag_error(struct diags *diags, struct place place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(diags, place, false, format, args);
	va_end(args);
}

void diag_warning(struct diags *diags, struct place place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(diags, place, true, format, args);
	va_end(args);
}

bool diags_failed(const struct diags *diags)
{
	return diags->error_count || diags->is_out_of_memory;
}

static struct tav_text line_of(const struct diag_text *text, unsigned line)
{
	const char *at = text->data, *end = text->data + text->size;

	for (unsigned i = 1; i < line; i++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));

		if (!next)
			return (struct tav_text){end, 0};
		at = next + 1;
	}
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	size_t size = (size_t)((newline ? newline : end) - at);
	if (size && at[size - 1] == '\r')
		size--;
	return (struct tav_text){at, size};
}

/* Characters that the escaped text takes on a terminal, one for each code point. */
static unsigned shown_width(struct tav_text text)
{
	char buffer[1024];
	unsigned width = 0;

	text_escape(buffer, sizeof(buffer), text);
	for (const char *c = buffer; *c; c++)
		width += ((unsigned char)*c & 0xc0) != 0x80;
	return width;
}

static size_t bytes_of(struct tav_text text, unsigned characters)
{
	size_t at = 0;

	for (; characters && at < text.size; characters--) {
		size_t length = utf8_length(text.data + at, text.size - at);

		at += length ? length : 1;
	}
	return at;
}

enum { BEFORE_CARET = 60, BEHIND_CARET = 40 }; /* characters of a long line that are shown */

static void print_excerpt(FILE *out, const struct place *place, bool is_coloured)
{
	struct tav_text line = line_of(place->text, place->line);
	unsigned column = place->column;
	const char *cut_front = "", *cut_back = "";

	if (!line.size && column <= 1)
		return;
	if (column > BEFORE_CARET + 1) {
		size_t cut = bytes_of(line, column - 1 - BEFORE_CARET);

		line.data += cut;
		line.size -= cut;
		column = BEFORE_CARET + 1;
		cut_front = "...";
	}
	size_t limit = bytes_of(line, column - 1 + BEHIND_CARET);
	if (limit < line.size) {
		line.size = limit;
		cut_back = "...";
	}
	size_t before = bytes_of(line, column - 1);
	size_t under = bytes_of((struct tav_text){line.data + before, line.size - before}, place->width);
	unsigned indent = shown_width((struct tav_text){line.data, before}) + (unsigned)strlen(cut_front);
	unsigned width = shown_width((struct tav_text){line.data + before, under});

	fprintf(out, "%5u | %s", place->line, cut_front);
	text_print_escaped(out, line);
	fprintf(out, "%s\n      | %*s%s^", cut_back, (int)indent, "", is_coloured ? "\x1b[32m" : "");
	for (unsigned i = 1; i < width; i++)
		putc('~', out);
	fprintf(out, "%s\n", is_coloured ? "\x1b[0m" : "");
}

static void print_summary(FILE *out, const struct diags *diags)
{
	const struct diag_text *only = NULL;
	bool is_mixed = false;
	unsigned shown = 0;

	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		if (diag->is_warning)
			continue;
		shown++;
		is_mixed |= diag->place.text->is_argument || (only && only != diag->place.text);
		only = diag->place.text;
	}
	fprintf(out, "tav-run: %u error%s", diags->error_count, diags->error_count == 1 ? "" : "s");
	if (only && !is_mixed) {
		fputs(" in ", out);
		text_print_escaped(out, text_of(only->name));
	}
	if (shown < diags->error_count)
		fprintf(out, ", %u of them shown", shown);
	fprintf(out, "; %s\n", diags->outcome ? diags->outcome : "nothing was read");
}

void diags_print(FILE *out, const struct diags *diags, bool is_coloured)
{
	for (const struct diag *diag = diags->first; diag; diag = diag->next) {
		text_print_escaped(out, text_of(diag->place.text->name));
		if (diag->place.line && !diag->place.text->is_argument)
			fprintf(out, ":%u:%u", diag->place.line, diag->place.column);
		const char *colour = !is_coloured ? "" : diag->is_warning ? "\x1b[1;35m" : "\x1b[1;31m";
		fprintf(out, ": %s%s:%s ", colour, diag->is_warning ? "warning" : "error",
		        is_coloured ? "\x1b[0m" : "");
		text_print_escaped(out, text_of(diag->message));
		putc('\n', out);
		if (diag->place.line && !diag->place.text->is_argument)
			print_excerpt(out, &diag->place, is_coloured);
	}
	if (diags->is_out_of_memory)
		fputs("tav-run: error: out of memory\n", out);
	if (diags->error_count)
		print_summary(out, diags);
}

void diags_fini(struct diags *diags)
{
	arena_fini(&diags->arena);
	*diags = (struct diags){0};
}

const char *diag_suggestion(struct diags *diags, const char *word, const char *const *candidates)
{
	if (diags->kept_count == DIAGS_MOST)
		return ""; /* nobody will see it */
	const char *near = text_nearest(word, candidates);
	char *text = near ? arena_printf(&diags->arena, "; did you mean '%s'?", near) : NULL;

	if (text)
		return text;
	size_t size = 0;
	for (const char *const *name = candidates; *name; name++)
		size += strlen(*name) + 2;
	text = size ? arena_alloc(&diags->arena, size + sizeof("; allowed: ")) : NULL;
	if (!text)
		return "";
	char *end = stpcpy(text, "; allowed: ");
	for (const char *const *name = candidates; *name; name++)
		end = stpcpy(stpcpy(end, name == candidates ? "" : ", "), *name);
	return text;
}
