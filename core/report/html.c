/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTML file for people: a fixed page (page.html, compiled in) with the JSON report in it as data, and verdicts and
 * checks as plain HTML for those who run no script. The page shows what the JSON report says, so that no number is
 * computed twice.
 */
#include <stdlib.h>
#include <string.h>

#include <report/show.h>
#include <report/writers.h>

extern const char html_page[]; /* page.html, with the hash of its script */

static const char summary_mark[] = "<!--SUMMARY-->", data_mark[] = "<!--DATA-->";

/* Escaped for HTML, after what could pose as something else was made visible. */
static bool print_html(FILE *out, struct arena *arena, const char *raw)
{
	const char *text = show_chars(arena, raw);

	for (const char *at = text; at && *at; at++) {
		switch (*at) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*at, out);
		}
	}
	return text;
}

static bool print_checks(FILE *out, struct arena *arena, const struct stage_results *told, const char *stage)
{
	bool is_ok = true;

	for (uint32_t i = 0; is_ok && i < told->check_count; i++) {
		const struct tav_check_result *check = told->checks[i];
		const char *word = check_is_waived(check) ? "waived" : name_of(&result_names, check->told);

		fprintf(out, "<tr><td class=\"%s\">%s</td><td>", word, word);
		is_ok = print_html(out, arena, stage);
		fputs(": ", out);
		is_ok = is_ok && print_html(out, arena, check->id.data);
		fputs("</td><td>", out);
		is_ok = is_ok && print_html(out, arena, check->why.size ? check->why.data : "");
		fputs("</td></tr>\n", out);
		arena_fini(arena);
	}
	return is_ok;
}

static bool print_source(const struct report *report, uint32_t number, FILE *out, struct arena *arena)
{
	const char *word = verdict_name(report_source_verdict(report, number));
	const char *error = report_source_error(&report->sources[number]);
	bool is_ok;

	fprintf(out, "<h2><span class=\"%s\">%s</span> ", word, word);
	is_ok = print_html(out, arena, report->sources[number].path);
	fputs("</h2>\n", out);
	if (error) {
		fputs("<p>", out);
		is_ok = is_ok && print_html(out, arena, error);
		fputs("</p>\n", out);
	}
	fputs("<div class=\"wide\"><table>\n", out);
	for (uint32_t i = 0; is_ok && i < report->stage_count; i++)
		is_ok = print_checks(out, arena, told_of(report, number, i), report->stages[i].name);
	fputs("</table></div>\n", out);
	arena_fini(arena);
	return is_ok;
}

static bool print_summary(const struct report *report, FILE *out)
{
	const char *word = verdict_name(report_verdict(report));
	uint32_t all = report->source_count + report->baseline_count;
	struct arena arena = {0};
	bool is_ok = true;

	fprintf(out, "<h1>tav: <span class=\"%s\">%s</span></h1>\n", word, word);
	if (report->error) {
		fputs("<p>", out);
		is_ok = print_html(out, &arena, report->error);
		fputs("</p>\n", out);
	}
	fputs("<div class=\"wide\"><table>\n", out);
	for (uint32_t i = 0; is_ok && i < report->stage_count; i++)
		is_ok = print_checks(out, &arena, told_of(report, TAV_RUN, i), report->stages[i].name);
	fputs("</table></div>\n", out);
	for (uint32_t i = 0; is_ok && i < all; i++)
		is_ok = print_source(report, i, out, &arena);
	arena_fini(&arena);
	return is_ok;
}

/* JSON without its indentation, and safe in a script element. Texts hold no line break: JSON escapes them. */
static void print_data(FILE *out, const char *json, size_t size)
{
	for (size_t at = 0; at < size; at++) {
		if (json[at] == '<') {
			fputs("\\u003c", out);
		} else if (json[at] == '\n') {
			while (at + 1 < size && json[at + 1] == ' ')
				at++;
		} else {
			putc(json[at], out);
		}
	}
}

bool write_html(const struct report *report, const struct report_style *style, FILE *out)
{
	const char *summary = strstr(html_page, summary_mark), *data = summary ? strstr(summary, data_mark) : NULL;
	char *json = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&json, &size);
	bool is_ok;

	if (!memory)
		return false;
	is_ok = write_json(report, style, memory) && !ferror(memory);
	is_ok &= fclose(memory) == 0;
	if (is_ok && data) {
		fwrite(html_page, 1, (size_t)(summary - html_page), out);
		summary += strlen(summary_mark);
		is_ok = print_summary(report, out);
		fwrite(summary, 1, (size_t)(data - summary), out);
		print_data(out, json, size);
		fputs(data + strlen(data_mark), out);
	}
	free(json);
	return is_ok && data;
}
