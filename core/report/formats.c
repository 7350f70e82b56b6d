/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <report/writers.h>

#define TEXT_OF(number) #number
#define PRESET(number) TEXT_OF(number)

static const struct tav_option json_options[] = {
        {.name = "pictures",
         .type = TAV_TYPE_BOOL,
         .preset = "false",
         .help = "Is what a page draws in it too, so that an HTML report can be made of it later?"},
        {0},
};
static const struct tav_option html_options[] = {
        {.name = "max_events",
         .type = TAV_TYPE_INT,
         .preset = PRESET(PAGE_MAX_EVENTS),
         .min = "0",
         .help = "Most device events that stand one by one in the pictures of all sources; beyond it those near "
                 "findings do."},
        {.name = "max_bytes",
         .type = TAV_TYPE_INT,
         .preset = PRESET(PAGE_MAX_BYTES),
         .min = "100000",
         .help = "Most bytes of the page; what is cut to keep to it is said in the page."},
        {.name = "anonymous",
         .type = TAV_TYPE_BOOL,
         .preset = "false",
         .help = "Sources by their base names; of paths in texts the last two parts alone."},
        {0},
};

static const struct tav_option trace_options[] = {
        {.name = "provenance",
         .type = TAV_TYPE_BOOL,
         .preset = "true",
         .help = "Does a trace that was changed say in its member \"tav\" how it was made?"},
        {0},
};

const struct report_format report_formats[] = {
        {"text", "for a person", write_text, NULL, NULL},
        {"json", "everything, for programs (report.schema.json), and to be read again", write_json, json_options, NULL},
        {"csv", "findings and tables, for spreadsheets; csv=FOLDER/: a file for each", write_csv, NULL,
         write_csv_folder},
        {"junit", "checks and findings as test cases, for CI", write_junit, NULL, NULL},
        {"sarif", "findings for code scanning, SARIF 2.1.0", write_sarif, NULL, NULL},
        {"github", "annotations of a GitHub workflow, a command a line", write_github, NULL, NULL},
        {"markdown", "for the comment of a pull request, under 60 KB", write_markdown, NULL, NULL},
        {"acelyzer", "the verification report of IBM's acelyzer, version 1.0", write_acelyzer, NULL, NULL},
        {"html", "one page with pictures, for a browser; it needs no network", write_html, html_options, NULL},
        {"trace", "the trace once more, with the edits of the stages (OUT.json, OUT.json.gz)", NULL, trace_options,
         NULL},
        {NULL, NULL, NULL, NULL, NULL},
};

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *format = report_formats; format->name; format++) {
		if (!strcmp(format->name, name))
			return format;
	}
	return NULL;
}

#define NAMES(list, from, ...)                                                                                         \
	static const char *const list##_list[] = {__VA_ARGS__, NULL};                                                  \
	const struct names list = {from, list##_list}

NAMES(form_names, TAV_FORM_EMPTY, "empty", "object", "array", "lines");
NAMES(unit_names, TAV_UNIT_NS, "ns", "bytes", "percent", "ratio", "count");
NAMES(result_names, TAV_RESULT_PASS, "pass", "warn", "fail", "skip");
NAMES(severity_names, TAV_SEV_NOTE, "note", "warning", "error");
NAMES(verdict_names, VERDICT_PASS, "pass", "warn", "fail", "error");
NAMES(by_names, TAV_BY_EACH, "each", "combine");
NAMES(better_names, TAV_BETTER_LOWER, "lower", "higher");
NAMES(show_names, TAV_SHOW_COLUMN, "column", "note", "detail", "key", "data");
NAMES(role_names, TAV_ROLE_SOURCE, "source", "companion", "baseline");
NAMES(waiver_names, WAIVER_USED, "used", "unused", "expired");
NAMES(flavour_names, TAV_FLAVOUR_CUDA, "cuda", "rocm", "xpu", "spyre", "mtia", "ascend");
NAMES(type_names, TAV_TYPE_INT, "integer", "real", "string"); /* and "event" of TAV_TYPE_REF, which stands apart */

const char *name_of(const struct names *names, uint32_t number)
{
	for (uint32_t i = 0; names->names[i]; i++) {
		if (names->first + i == number)
			return names->names[i];
	}
	return NULL;
}

const char *type_name(uint32_t type)
{
	return type == TAV_TYPE_REF ? "event" : name_of(&type_names, type);
}
