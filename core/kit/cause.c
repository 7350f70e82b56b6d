/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <kit/cause.h>
#include <kit/text.h>

/* Stands in when there is no memory for the real text; shared and never written, so it ends the chain. */
static struct cause no_memory = {NULL, "out of memory", NULL, 0};

static tav_status push(struct causes *causes, char *text, const char *file, unsigned line)
{
	struct cause *cause = text ? arena_alloc(&causes->arena, sizeof(*cause)) : NULL;

	if (!cause) {
		if (!causes->outermost)
			causes->outermost = &no_memory;
		return TAV_FAILED;
	}
	*cause = (struct cause){causes->outermost, text, file, line};
	causes->outermost = cause;
	return TAV_FAILED;
}

tav_status cause_add(struct causes *causes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *text = arena_vprintf(&causes->arena, format, args);
	va_end(args);
	return push(causes, text, NULL, 0);
}

tav_status cause_add_at(struct causes *causes, const char *file, unsigned line, const char *text)
{
	char *where = file ? arena_copy(&causes->arena, file, strlen(file)) : NULL;

	return push(causes, arena_copy(&causes->arena, text, strlen(text)), where, line);
}

void causes_print(FILE *out, const struct causes *causes, const char *prefix, int with_places)
{
	for (const struct cause *cause = causes->outermost; cause; cause = cause->deeper) {
		if (cause == causes->outermost)
			fprintf(out, "%s: error: ", prefix);
		else
			fputs("  because: ", out);
		text_print_escaped(out, text_of(cause->text));
		if (with_places && cause->file)
			fprintf(out, " [%s:%u]", cause->file, cause->line);
		putc('\n', out);
	}
}

void causes_clear(struct causes *causes)
{
	arena_fini(&causes->arena);
	causes->outermost = NULL;
}

static void add_from(struct causes *causes, const struct cause *cause)
{
	if (!cause)
		return;
	add_from(causes, cause->deeper);
	cause_add_at(causes, cause->file, cause->line, cause->text);
}

void causes_add_all(struct causes *causes, const struct causes *others)
{
	add_from(causes, others->outermost);
}

const char *causes_line(const struct causes *causes, struct arena *arena)
{
	const char *line = NULL;

	for (const struct cause *cause = causes->outermost; cause; cause = cause->deeper) {
		line = line ? arena_printf(arena, "%s: %s", line, cause->text)
		            : arena_copy(arena, cause->text, strlen(cause->text));
		if (!line)
			return NULL;
	}
	return line ? line : "unknown reason";
}
