/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <stdbool.h>
#include <string.h>

#include <kit/text.h>
#include <report/report.h>

static const char usage[] = "tav-run [OPTION]... TRACE|REPORT|DIRECTORY...";
static const char summary[] = "Check and measure profiler traces (Chrome Trace Event JSON, plain or gzip; - for "
                              "standard input). A JSON report "
                              "of an earlier run stands for the traces it was made of. Of a directory, the traces in "
                              "it. Without -c or -s: the "
                              "pipeline 'verify'.";
static const char statuses[] = "Status: 0 no error-level finding, 1 at least one, 2 the run could not be done.";

const struct option_row option_rows[] = {
        {"What is done", "config", 'c', "FILE", VALUE_CONFIG, NULL, "run this pipeline: a YAML file, or one of --list"},
        {NULL, "stage", 's', "NAME", VALUE_STAGE, NULL, "run this stage instead (may be repeated)"},
        {NULL, "set", OPT_SET, "S.OPTION=VALUE", VALUE_WORD, NULL, "set an option of stage or dialect S"},
        {NULL, "dialect", OPT_DIALECT, "NAME", VALUE_DIALECT, NULL, "the dialect of the traces (default: find out)"},
        {NULL, "plugin-dir", OPT_PLUGIN_DIR, "DIR", VALUE_FOLDER, NULL,
         "look for plugins here first (may be repeated)"},
        {"What is read", "recursive", 'r', NULL, VALUE_NONE, NULL, "the traces in the folders of a DIRECTORY too"},
        {NULL, "files-from", OPT_FILES_FROM, "LIST", VALUE_FILE, NULL,
         "the traces that a file lists, a PATH (or BYTES TAB PATH) a line"},
        {NULL, "lenient", OPT_LENIENT, NULL, VALUE_NONE, NULL, "read what can be read of a broken trace"},
        {NULL, "max-event", OPT_MAX_EVENT, "SIZE", VALUE_WORD, NULL, "the largest event that is read, such as 64MiB"},
        {NULL, "jobs", 'j', "N", VALUE_WORD, NULL, "threads (default: one for each processor)"},
        {"What is written", "report", OPT_REPORT, "FORMAT=PATH", VALUE_WORD, NULL, "write a report:"},
        {NULL, "fail-on", OPT_FAIL_ON, "warning", VALUE_WORD, "error warning", "a warning too ends with status 1"},
        {NULL, "waivers", OPT_WAIVERS, "FILE", VALUE_FILE, NULL,
         "what does not count, for a reason and until a day (may be repeated)"},
        {NULL, "quiet", 'q', NULL, VALUE_NONE, NULL, "the verdict alone"},
        {NULL, "verbose", 'v', NULL, VALUE_NONE, NULL, "say more; -vv: even more"},
        {NULL, "width", OPT_WIDTH, "N", VALUE_WORD, NULL,
         "columns of the text (default: COLUMNS, else the terminal's)"},
        {NULL, "color", OPT_COLOR, "WHEN", VALUE_WORD, "auto always never", "auto, always or never"},
        {"On several machines", "print-list", OPT_PRINT_LIST, NULL, VALUE_NONE, NULL,
         "the traces as a LIST, for --files-from; nothing is read"},
        {NULL, "part", OPT_PART, "K/N", VALUE_WORD, NULL, "do the K-th of N parts of the LIST"},
        {NULL, "resume", OPT_RESUME, NULL, VALUE_NONE, NULL, "keep the part's report where it still holds"},
        {NULL, "parts", OPT_PARTS, "PATTERN", VALUE_FILE, NULL,
         "combine the reports of the LIST's parts (may be repeated)"},
        {"What there is", "check", OPT_CHECK, NULL, VALUE_NONE, NULL,
         "check config, options and plugins; read no trace"},
        {NULL, "print-config", OPT_PRINT_CONFIG, NULL, VALUE_NONE, NULL, "the config in force, as YAML"},
        {NULL, "list", OPT_LIST, NULL, VALUE_NONE, NULL,
         "the plugins found, and those refused; -v: all that they tell"},
        {NULL, "json", OPT_JSON, NULL, VALUE_NONE, NULL, "--list as JSON"},
        {NULL, "describe", OPT_DESCRIBE, "NAME", VALUE_STAGE, NULL,
         "the options of a stage, dialect or report, as YAML to paste"},
        {NULL, "explain", OPT_EXPLAIN, "ID", VALUE_WORD, NULL, "what a check or finding means, and what to do"},
        {NULL, "schema", OPT_SCHEMA, NULL, VALUE_NONE, NULL, "a JSON Schema of configs, for editors"},
        {NULL, "check-plugin", OPT_CHECK_PLUGIN, "FILE", VALUE_FILE, NULL,
         "try a plugin on tiny traces (for its author)"},
        {NULL, "completion", OPT_COMPLETION, "SHELL", VALUE_WORD, "bash zsh fish", NULL},
        {NULL, "manual", OPT_MANUAL, NULL, VALUE_NONE, NULL, NULL},
        {NULL, "version", OPT_VERSION, NULL, VALUE_NONE, NULL, "the version"},
        {NULL, "help", 'h', NULL, VALUE_NONE, NULL, "this text"},
        {NULL, NULL, 0, NULL, VALUE_NONE, NULL, NULL},
};

static void print_formats(FILE *out)
{
	for (size_t i = 0; report_formats[i].name; i++)
		fprintf(out, "%s%s", i ? ", " : "", report_formats[i].name);
}

static const char each_trace[] = "; with {trace}, {stem} or {rank} in PATH one for each trace";

/* "write a report: text, json" */
static void join_formats(char *out, size_t capacity, const char *head)
{
	size_t used = (size_t)snprintf(out, capacity, "%s", head);

	for (size_t i = 0; report_formats[i].name && used < capacity; i++)
		used += (size_t)snprintf(out + used, capacity - used, "%s %s", i ? "," : "", report_formats[i].name);
	if (used < capacity)
		snprintf(out + used, capacity - used, "%s", each_trace);
}

void options_print_help(FILE *out, unsigned width)
{
	enum { COLUMN = 29 };
	static const char indent[] = "                             ";

	fprintf(out, "Usage: %s\n", usage);
	text_print_wrapped(out, summary, "", 0, width);
	fputs("\n", out);
	for (const struct option_row *row = option_rows; row->name; row++) {
		char head[64], text[512];
		int size;

		if (!row->help)
			continue;
		if (row->group)
			fprintf(out, "\n%s\n", row->group);
		size = row->letter < 256 ? snprintf(head, sizeof(head), "  -%c, --%s", row->letter, row->name)
		                         : snprintf(head, sizeof(head), "      --%s", row->name);
		snprintf(head + size, sizeof(head) - (size_t)size, "%s%s", row->value ? " " : "",
		         row->value ? row->value : "");
		size = fprintf(out, "%-*s", COLUMN - 2, head);
		fputs("  ", out);
		if (row->letter == OPT_REPORT)
			join_formats(text, sizeof(text), row->help);
		text_print_wrapped(out, row->letter == OPT_REPORT ? text : row->help, indent, (unsigned)size + 2,
		                   width);
		putc('\n', out);
	}
	fprintf(out, "\n%s\n", statuses);
}

/* ---- completion: what follows an option is asked of the program itself, so that it is never out of date ---- */

static const char bash_head[] = "# bash completion of tav-run; made by tav-run --completion bash\n"
                                "_tav_run_names() {\n"
                                "\ttav-run --list --json 2>/dev/null |\n"
                                "\t\tsed -n 's/^      \"name\": *\"\\([a-z0-9_-]*\\)\",*$/\\1/p'\n"
                                "}\n"
                                "_tav_run_pipelines() {\n"
                                "\ttav-run --list 2>/dev/null | sed -n '2s/,/ /gp'\n"
                                "}\n"
                                "_tav_run() {\n"
                                "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                                "\tCOMPREPLY=()\n"
                                "\tcase $before in\n";

static void print_bash_row(FILE *out, const struct option_row *row)
{
	if (!row->value)
		return;
	fprintf(out, "\t--%s", row->name);
	if (row->letter < 256)
		fprintf(out, "|-%c", row->letter);
	fputs(") ", out);
	if (row->choices)
		fprintf(out, "COMPREPLY=($(compgen -W '%s' -- \"$word\"))", row->choices);
	else if (row->kind == VALUE_FILE)
		fputs("COMPREPLY=($(compgen -f -- \"$word\"))", out);
	else if (row->kind == VALUE_FOLDER)
		fputs("COMPREPLY=($(compgen -d -- \"$word\"))", out);
	else if (row->kind == VALUE_CONFIG)
		fputs("COMPREPLY=($(compgen -W \"$(_tav_run_pipelines)\" -- \"$word\") $(compgen -f -- \"$word\"))",
		      out);
	else if (row->kind == VALUE_STAGE || row->kind == VALUE_DIALECT)
		fputs("COMPREPLY=($(compgen -W \"$(_tav_run_names)\" -- \"$word\"))", out);
	else if (row->letter == OPT_REPORT) {
		fputs("COMPREPLY=($(compgen -S = -W '", out);
		for (size_t i = 0; report_formats[i].name; i++)
			fprintf(out, "%s%s", i ? " " : "", report_formats[i].name);
		fputs("' -- \"$word\")); compopt -o nospace 2>/dev/null", out);
	} else
		fputs(":", out);
	fputs("; return ;;\n", out);
}

static void print_bash(FILE *out)
{
	fputs(bash_head, out);
	for (const struct option_row *row = option_rows; row->name; row++)
		print_bash_row(out, row);
	fputs("\tesac\n\tif [[ $word == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '", out);
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (row->help)
			fprintf(out, "--%s ", row->name);
	}
	fputs("' -- \"$word\"))\n\telse\n\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n\tfi\n}\n"
	      "complete -o filenames -F _tav_run tav-run\n",
	      out);
}

/* Within single quotes of a shell: our own texts have none of them, but for apostrophes. */
static void print_plain(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (*text == '[' || *text == ']' || *text == ':')
			fprintf(out, "\\%c", *text);
		else
			putc(*text, out);
	}
}

static void print_zsh(FILE *out)
{
	fputs("#compdef tav-run\n# made by tav-run --completion zsh\n_tav_run_names() {\n"
	      "\tlocal -a names\n"
	      "\tnames=(${(f)\"$(tav-run --list --json 2>/dev/null |\n"
	      "\t\tsed -n 's/^      \"name\": *\"\\([a-z0-9_-]*\\)\",*$/\\1/p')\"})\n"
	      "\t_describe 'name' names\n}\n_tav_run_pipelines() {\n"
	      "\tcompadd $(tav-run --list 2>/dev/null | sed -n '2s/,/ /gp')\n\t_files\n}\n_tav_run() {\n\t_arguments "
	      "-s \\\n",
	      out);
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!row->help)
			continue;
		if (row->letter < 256)
			fprintf(out, "\t\t'*'{-%c,--%s}'[", row->letter, row->name);
		else
			fprintf(out, "\t\t'*--%s[", row->name);
		print_plain(out, row->help);
		fputs("]", out);
		if (row->value) {
			fprintf(out, ":%s:", row->name);
			if (row->choices)
				fprintf(out, "(%s)", row->choices);
			else if (row->kind == VALUE_FOLDER)
				fputs("_files -/", out);
			else if (row->kind == VALUE_FILE || row->kind == VALUE_CONFIG)
				fputs(row->kind == VALUE_FILE ? "_files" : "_tav_run_pipelines", out);
			else if (row->kind == VALUE_STAGE || row->kind == VALUE_DIALECT)
				fputs("_tav_run_names", out);
		}
		fputs("' \\\n", out);
	}
	fputs("\t\t'*:trace:_files'\n}\n_tav_run \"$@\"\n", out);
}

static void print_fish(FILE *out)
{
	fputs("# made by tav-run --completion fish\n", out);
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!row->help)
			continue;
		fprintf(out, "complete -c tav-run -l %s", row->name);
		if (row->letter < 256)
			fprintf(out, " -s %c", row->letter);
		if (row->value)
			fputs(row->kind == VALUE_FILE || row->kind == VALUE_CONFIG || row->kind == VALUE_FOLDER ? " -r"
			                                                                                        : " -x",
			      out);
		if (row->choices)
			fprintf(out, " -a '%s'", row->choices);
		else if (row->kind == VALUE_CONFIG)
			fputs(" -a '(tav-run --list 2>/dev/null | sed -n \"2s/,/\\n/gp\" | string trim)'", out);
		else if (row->kind == VALUE_STAGE || row->kind == VALUE_DIALECT)
			fputs(" -a '(tav-run --list --json 2>/dev/null | "
			      "string match -rg \"^      \\\"name\\\": *\\\"([a-z0-9_-]*)\\\"\")'",
			      out);
		fprintf(out, " -d '");
		for (const char *c = row->help; *c; c++) {
			if (*c == '\'')
				putc('\\', out);
			putc(*c, out);
		}
		fputs("'\n", out);
	}
}

bool options_print_completion(FILE *out, const char *shell)
{
	if (!strcmp(shell, "bash"))
		print_bash(out);
	else if (!strcmp(shell, "zsh"))
		print_zsh(out);
	else if (!strcmp(shell, "fish"))
		print_fish(out);
	else
		return false;
	return true;
}

/* ---- the manual page ---- */

static void print_roff(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putc('\\', out);
		if (*text == '\\')
			putc('e', out);
		else
			putc(*text, out);
	}
}

void options_print_manual(FILE *out)
{
	fprintf(out, ".TH TAV\\-RUN 1 \"\" \"tav %s\" \"User Commands\"\n", TAV_VERSION);
	fputs(".SH NAME\ntav\\-run \\- check and measure profiler traces\n.SH SYNOPSIS\n", out);
	print_roff(out, usage);
	fputs("\n.SH DESCRIPTION\n", out);
	print_roff(out, summary);
	fputs("\n", out);
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!row->help)
			continue;
		if (row->group)
			fprintf(out, ".SH %s\n", row->group);
		fputs(".TP\n", out);
		if (row->letter < 256)
			fprintf(out, "\\fB\\-%c\\fR, ", row->letter);
		fputs("\\fB\\-\\-", out);
		print_roff(out, row->name);
		fputs("\\fR", out);
		if (row->value) {
			fputs(" \\fI", out);
			print_roff(out, row->value);
			fputs("\\fR", out);
		}
		putc('\n', out);
		print_roff(out, row->help);
		if (row->letter == OPT_REPORT) {
			putc(' ', out);
			print_formats(out);
			fputs(each_trace, out);
		}
		putc('\n', out);
	}
	fputs(".SH EXIT STATUS\n.TP\n0\nno finding at the level of an error\n.TP\n1\nat least one\n.TP\n2\nthe run "
	      "could "
	      "not be done\n",
	      out);
	fputs(".SH ENVIRONMENT\n.TP\nTAV_PLUGIN_PATH\ndirectories of plugins, with colons between them\n"
	      ".TP\nCOLUMNS\ncolumns of the text, where \\-\\-width is not given\n"
	      ".TP\nNO_COLOR\nnot empty: no colours\n",
	      out);
	fputs(".SH SEE ALSO\ntav\\-plugin(7)\n", out);
}
