/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTML file for people: a fixed page (page/, compiled in) with the JSON report in it as data, and verdicts and
 * checks as plain HTML for those who run no script. The page shows what the JSON report says, so that no number is
 * computed twice.
 */
#include <stdlib.h>
#include <string.h>

#include <kit/memory_file.h>
#include <report/anonymous.h>
#include <report/page_data.h>
#include <report/show.h>
#include <report/writers.h>

extern const char html_page[]; /* page/, with the hashes of its style and script */

enum { MOST_WHOLE = 8 }; /* sources with all of their checks for those who run no script */
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

static bool print_word(FILE *out, const char *word)
{
	return fprintf(out, "<span class=\"word %s\">%s</span> ", word, word) > 0;
}

static bool print_text(FILE *out, struct arena *arena, const char *open, const char *text, const char *close)
{
	fputs(open, out);
	bool is_ok = print_html(out, arena, text);
	fputs(close, out);
	return is_ok;
}

static bool print_checks(FILE *out, struct arena *arena, const struct stage_results *told, const char *stage)
{
	bool is_ok = true;

	for (uint32_t i = 0; is_ok && i < told->check_count; i++) {
		const struct tav_check_result *check = told->checks[i];

		fputs("<tr><td>", out);
		print_word(out, check_is_waived(check) ? "waived" : name_of(&result_names, check->told));
		is_ok = print_text(out, arena, "</td><td>", stage, ": ") && print_html(out, arena, check->id.data) &&
		        print_text(out, arena, "</td><td>", check->why.size ? check->why.data : "", "</td></tr>\n");
		arena_fini(arena);
	}
	return is_ok;
}

static bool print_stages(const struct report *report, uint32_t source, FILE *out, struct arena *arena)
{
	bool is_ok = true;

	fputs("<table>\n", out);
	for (uint32_t i = 0; is_ok && i < report->stage_count; i++)
		is_ok = print_checks(out, arena, told_of(report, source, i), report->stages[i].name);
	fputs("</table>\n", out);
	return is_ok;
}

/* With its checks, or in many sources as one line. */
static bool print_source(const struct report *report, uint32_t number, bool is_whole, FILE *out, struct arena *arena)
{
	const char *error = report_source_error(&report->sources[number]);
	bool is_ok;

	fputs(is_whole ? "<h2>" : "<p>", out);
	print_word(out, verdict_name(report_source_verdict(report, number)));
	is_ok = print_html(out, arena, report->sources[number].path);
	fputs(is_whole ? "</h2>\n" : "</p>\n", out);
	if (error)
		is_ok = is_ok && print_text(out, arena, "<p>", error, "</p>\n");
	if (is_whole)
		is_ok = is_ok && print_stages(report, number, out, arena);
	arena_fini(arena);
	return is_ok;
}

/* For those who run no script. */
static bool print_summary(const struct report *report, FILE *out)
{
	uint32_t all = report->source_count + report->baseline_count;
	struct arena arena = {0};
	bool is_ok = true;

	fputs("<h1>tav: ", out);
	print_word(out, verdict_name(report_verdict(report)));
	fputs("</h1>\n", out);
	if (report->error)
		is_ok = print_text(out, &arena, "<p>", report->error, "</p>\n");
	is_ok = is_ok && print_stages(report, TAV_RUN, out, &arena);
	for (uint32_t i = 0; is_ok && i < all; i++)
		is_ok = print_source(report, i, all <= MOST_WHOLE, out, &arena);
	arena_fini(&arena);
	return is_ok;
}

/* Written in whole, so that its size is known. False: no memory. */
static bool make_summary(const struct report *report, struct memory_file *file)
{
	bool is_ok = memory_file_open(file) && print_summary(report, file->out);

	if (file->out)
		is_ok &= memory_file_close(file);
	if (!is_ok)
		free(file->text);
	return is_ok;
}

/* Of paths the last two parts, where the reader is not to know more. No tag looks like a path. */
static void print_hidden(FILE *out, const char *html, size_t size, bool is_anonymous)
{
	struct tav_text rest = {html, size};

	for (struct tav_text path; is_anonymous && (path = path_to_hide(rest)).size;) {
		fwrite(rest.data, 1, (size_t)(path.data - rest.data), out);
		fputs("...", out);
		rest.size -= (size_t)(path.data + path.size - rest.data);
		rest.data = path.data + path.size;
	}
	fwrite(rest.data, 1, rest.size, out);
}

static bool write_page(const struct report *report, const struct report_style *style, FILE *out)
{
	const char *summary = strstr(html_page, summary_mark), *data = summary ? strstr(summary, data_mark) : NULL;
	struct memory_file text;
	bool is_ok;

	if (!data || !make_summary(report, &text))
		return false;
	fwrite(html_page, 1, (size_t)(summary - html_page), out);
	print_hidden(out, text.text, text.size, style->is_anonymous);
	summary += strlen(summary_mark);
	fwrite(summary, 1, (size_t)(data - summary), out);
	is_ok = write_page_data(report, style, strlen(html_page) + text.size, out);
	fputs(data + strlen(data_mark), out);
	free(text.text);
	return is_ok;
}

bool write_html(const struct report *report, const struct report_style *style, FILE *out)
{
	struct report nameless = *report; /* its sources by their base names */
	uint32_t count = report->source_count + report->baseline_count;
	bool is_ok;

	if (!style->is_anonymous)
		return write_page(report, style, out);
	nameless.sources = calloc(count + 1u, sizeof(*nameless.sources));
	for (uint32_t i = 0; nameless.sources && i < count; i++) {
		nameless.sources[i] = report->sources[i];
		nameless.sources[i].path = path_base(report->sources[i].path);
	}
	is_ok = nameless.sources && write_page(&nameless, style, out);
	free(nameless.sources);
	return is_ok;
}
