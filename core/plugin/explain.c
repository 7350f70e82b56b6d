/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of checks and findings, for those who read a report. */
#include <string.h>

#include <kit/text.h>
#include <plugin/describe.h>

static const char *const kinds[] = {"check", "finding", "table", "metric"}; /* by bit of `tells` */
static const char *const severities[] = {"", "a note", "a warning", "an error"};

static bool is_meant(const struct part *part, const char *id, const char **rest)
{
	size_t size = strlen(part->name);

	if (part->is_dialect || part->file->refused || part->shadowed_by)
		return false;
	bool is_of_stage = !strncmp(id, part->name, size) && id[size] == '.';
	*rest = is_of_stage ? id + size + 1 : id;
	return true;
}

void describe_tells(FILE *out, uint32_t tells)
{
	bool is_first = true;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!(tells & 1u << i))
			continue;
		fprintf(out, "%s%s", is_first ? "" : " and ", kinds[i]);
		is_first = false;
	}
}

static void print_page(FILE *out, const struct part *part, const struct tav_page *page, unsigned width)
{
	fprintf(out, "%s: ", page->id);
	describe_tells(out, page->tells);
	fprintf(out, " of stage '%s'%s%s\n  ", part->name, page->severity ? ", at worst " : "",
	        severities[page->severity]);
	text_print_wrapped(out, page->summary, "  ", 2, width);
	putc('\n', out);
	if (!page->text || !*page->text)
		return;
	fputs("\n  ", out);
	text_print_wrapped(out, page->text, "  ", 2, width);
	putc('\n', out);
}

static bool tell_unknown(FILE *err, struct registry *registry, const char *id)
{
	size_t count = 0;
	const char *rest;

	for (const struct part *part = registry->parts; part; part = part->next)
		count += part->page_count;
	const char **names = arena_array(&registry->arena, count + 1, sizeof(*names));
	if (!names)
		return false;
	count = 0;
	for (const struct part *part = registry->parts; part; part = part->next) {
		for (uint32_t i = 0; is_meant(part, id, &rest) && i < part->page_count; i++)
			names[count++] = part->pages[i].id;
	}
	const char *near = text_nearest(id, names);
	fputs("tav-run: error: no stage tells of '", err);
	text_print_escaped(err, text_of(id));
	if (near)
		fprintf(err, "'; did you mean '%s'?\n", near);
	else
		fputs("'; tav-run --list -v lists the ids\n", err);
	return false;
}

bool describe_explain(FILE *out, FILE *err, struct registry *registry, const char *id, unsigned width)
{
	bool is_found = false;
	const char *rest;

	if (!registry_open_all(registry)) {
		fputs("tav-run: error: out of memory\n", err);
		return false;
	}
	for (const struct part *part = registry->parts; part; part = part->next) {
		const struct tav_page *page = is_meant(part, id, &rest) ? part_page(part, rest) : NULL;

		if (!page)
			continue;
		fputs(is_found ? "\n" : "", out);
		print_page(out, part, page, width);
		is_found = true;
	}
	return is_found || tell_unknown(err, registry, id);
}
