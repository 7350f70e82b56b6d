/* SPDX-License-Identifier: Apache-2.0 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <base/text.h>
#include <pipeline/arguments.h>

enum { /* long options without a short one */
       OPT_SET = 256,
       OPT_DIALECT,
       OPT_PLUGIN_DIR,
       OPT_REPORT,
       OPT_FAIL_ON,
       OPT_LENIENT,
       OPT_COLOR,
       OPT_CHECK,
       OPT_PRINT_CONFIG,
       OPT_LIST,
       OPT_JSON,
       OPT_DESCRIBE,
       OPT_SCHEMA,
       OPT_CHECK_PLUGIN,
       OPT_VERSION
};
static const char short_options[] = ":c:s:j:qvh";
static const struct option long_options[] = {
        {"config", required_argument, NULL, 'c'},
        {"stage", required_argument, NULL, 's'},
        {"set", required_argument, NULL, OPT_SET},
        {"dialect", required_argument, NULL, OPT_DIALECT},
        {"plugin-dir", required_argument, NULL, OPT_PLUGIN_DIR},
        {"report", required_argument, NULL, OPT_REPORT},
        {"fail-on", required_argument, NULL, OPT_FAIL_ON},
        {"jobs", required_argument, NULL, 'j'},
        {"lenient", no_argument, NULL, OPT_LENIENT},
        {"color", required_argument, NULL, OPT_COLOR},
        {"check", no_argument, NULL, OPT_CHECK},
        {"print-config", no_argument, NULL, OPT_PRINT_CONFIG},
        {"list", no_argument, NULL, OPT_LIST},
        {"json", no_argument, NULL, OPT_JSON},
        {"describe", required_argument, NULL, OPT_DESCRIBE},
        {"schema", no_argument, NULL, OPT_SCHEMA},
        {"check-plugin", required_argument, NULL, OPT_CHECK_PLUGIN},
        {"quiet", no_argument, NULL, 'q'},
        {"verbose", no_argument, NULL, 'v'},
        {"version", no_argument, NULL, OPT_VERSION},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
};

void arguments_print_help(FILE *out)
{
	fputs("Usage: tav-run [OPTION]... TRACE...\n"
	      "Check and measure profiler traces (Chrome Trace Event JSON, plain or gzip; - for\n"
	      "standard input). Without -c or -s: the pipeline 'verify'.\n"
	      "\n"
	      "  -c, --config FILE          run this pipeline: a YAML file, or verify, stats...\n"
	      "  -s, --stage NAME           run this stage instead (may be repeated)\n"
	      "      --set S.OPTION=VALUE   set an option of stage or dialect S\n"
	      "      --dialect NAME         the dialect of the traces (default: find out)\n"
	      "      --report FORMAT=PATH   write a report:",
	      out);
	for (size_t i = 0; report_formats[i].name; i++)
		fprintf(out, "%s %s", i ? "," : "", report_formats[i].name);
	fputs("\n"
	      "      --fail-on warning      a warning too ends with status 1\n"
	      "      --lenient              read what can be read of a broken trace\n"
	      "  -j, --jobs N               threads (default: one for each processor)\n"
	      "      --plugin-dir DIR       look for plugins here first (may be repeated)\n"
	      "      --color WHEN           auto, always or never\n"
	      "  -q, --quiet; -v, -vv       the verdict alone; say more\n"
	      "      --check                check config, options and plugins; read no trace\n"
	      "      --print-config         the config in force, as YAML\n"
	      "      --list [--json]        the plugins found, and those refused\n"
	      "      --describe NAME        the options of a stage or dialect, as YAML to paste\n"
	      "      --schema               a JSON Schema of configs, for editors\n"
	      "      --check-plugin FILE    try a plugin on tiny traces (for its author)\n"
	      "  -h, --help; --version      this text; the version\n"
	      "Status: 0 no error-level finding, 1 at least one, 2 the run could not be done.\n",
	      out);
}

struct lists { /* as long as argv each */
	const char **stages, **sets, **reports, **plugin_dirs, **traces;
};

__attribute__((format(printf, 1, 2))) static bool usage_error(const char *format, ...)
{
	va_list args;
	char text[1024];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fputs("tav-run: error: ", stderr);
	text_print_escaped(stderr, text_of(text));
	fputs(" (tav-run --help)\n", stderr);
	return false;
}

static bool unknown_option(char **argv)
{
	const char *names[sizeof(long_options) / sizeof(long_options[0])] = {NULL};
	const char *given = argv[optind - 1];
	char name[64];

	if (optopt && optopt < 256)
		return usage_error("there is no option '-%c'", optopt);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(given, "=") - 2, given + 2);
	unsigned matches = 0;
	for (size_t i = 0; long_options[i].name; i++) {
		names[i] = long_options[i].name;
		matches += !strncmp(names[i], name, strlen(name));
		if (!strcmp(names[i], name))
			return usage_error("the option '--%s' takes no value", name);
	}
	const char *near = text_nearest(name, names);
	if (matches > 1)
		return usage_error("the option '--%s' can mean several", name);
	return near ? usage_error("there is no option '--%s'; did you mean '--%s'?", name, near)
	            : usage_error("there is no option '--%s'", name);
}

static const char *option_name(int option, char *buffer, size_t size)
{
	for (size_t i = 0; long_options[i].name; i++) {
		if (long_options[i].val == option) {
			snprintf(buffer, size, "--%s", long_options[i].name);
			return buffer;
		}
	}
	snprintf(buffer, size, "-%c", option);
	return buffer;
}

/* 0 auto, 1 always, -1 never, -2 no such word. */
static int parse_color(const char *text)
{
	return !strcmp(text, "auto") ? 0 : !strcmp(text, "always") ? 1 : !strcmp(text, "never") ? -1 : -2;
}

static bool set_action(struct arguments *arguments, enum action action)
{
	if (arguments->action != ACTION_RUN && arguments->action != action)
		return usage_error(
		        "--check, --print-config, --list, --describe, --schema and --check-plugin exclude each other");
	arguments->action = action;
	return true;
}

static bool parse_jobs(struct arguments *arguments, const char *text)
{
	int64_t jobs;
	bool is_out;

	if (!text_to_int(text, &jobs, &is_out) || jobs < 1 || jobs > 1024)
		return usage_error("--jobs: \"%s\" is not a number of threads (1 to 1024)", text);
	arguments->run.jobs = (unsigned)jobs;
	return true;
}

static bool take_option(struct arguments *arguments, struct lists *lists, int option, char *value, int *color)
{
	struct config_arguments *config = &arguments->config;

	switch (option) {
	case 'c':
		if (config->file)
			return usage_error("-c is given twice");
		config->file = value;
		return true;
	case 's':
		lists->stages[config->stage_count++] = value;
		return true;
	case OPT_SET:
		lists->sets[config->set_count++] = value;
		return true;
	case OPT_DIALECT:
		config->dialect = value;
		return true;
	case OPT_PLUGIN_DIR:
		lists->plugin_dirs[arguments->plugin_dir_count++] = value;
		return true;
	case OPT_REPORT:
		lists->reports[config->report_count++] = value;
		return true;
	case OPT_FAIL_ON:
		config->is_fail_on_warning = !strcmp(value, "warning");
		return config->is_fail_on_warning || !strcmp(value, "error") ||
		       usage_error("--fail-on: \"%s\" is neither error nor warning", value);
	case 'j':
		return parse_jobs(arguments, value);
	case OPT_LENIENT:
		arguments->run.is_lenient = true;
		return true;
	case OPT_COLOR:
		*color = parse_color(value);
		return *color > -2 || usage_error("--color: \"%s\" is none of auto, always, never", value);
	case 'q':
		arguments->run.verbosity = -1;
		return true;
	case 'v':
		arguments->run.verbosity += arguments->run.verbosity < 2;
		return true;
	case OPT_JSON:
		arguments->is_json = true;
		return true;
	case OPT_CHECK:
		return set_action(arguments, ACTION_CHECK);
	case OPT_PRINT_CONFIG:
		return set_action(arguments, ACTION_PRINT_CONFIG);
	case OPT_LIST:
		return set_action(arguments, ACTION_LIST);
	case OPT_SCHEMA:
		return set_action(arguments, ACTION_SCHEMA);
	case OPT_DESCRIBE:
		arguments->subject = value;
		return set_action(arguments, ACTION_DESCRIBE);
	case OPT_CHECK_PLUGIN:
		arguments->subject = value;
		return set_action(arguments, ACTION_CHECK_PLUGIN);
	case OPT_VERSION:
		arguments->action = ACTION_VERSION;
		return true;
	default:
		arguments->action = ACTION_HELP;
		return true;
	}
}

static bool check_together(const struct arguments *arguments)
{
	unsigned stdin_count = 0;

	if (arguments->config.file && arguments->config.stage_count)
		return usage_error("-c and -s cannot be given together: a config has its own stages");
	if (arguments->is_json && arguments->action != ACTION_LIST)
		return usage_error("--json belongs to --list; for a report write --report json=PATH");
	if (arguments->action == ACTION_RUN && !arguments->run.trace_count)
		return usage_error("no trace is given");
	for (uint32_t i = 0; i < arguments->run.trace_count; i++) {
		if (!*arguments->run.traces[i])
			return usage_error("the name of a trace is empty");
		stdin_count += !strcmp(arguments->run.traces[i], "-");
	}
	return stdin_count < 2 || usage_error("standard input (-) can be read only once");
}

static bool make_lists(struct arguments *arguments, struct lists *lists, int argc)
{
	const char ***all[] = {&lists->stages, &lists->sets, &lists->reports, &lists->plugin_dirs, &lists->traces};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i] = arena_array(&arguments->arena, (size_t)argc + 1, sizeof(**all[i]));
		if (!*all[i])
			return usage_error("out of memory");
	}
	arguments->config.stages = lists->stages;
	arguments->config.sets = lists->sets;
	arguments->config.reports = lists->reports;
	arguments->plugin_dirs = lists->plugin_dirs;
	arguments->run.traces = lists->traces;
	return true;
}

bool arguments_parse(struct arguments *arguments, int argc, char **argv)
{
	struct lists lists;
	int option, color = 0;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	*arguments = (struct arguments){0};
	arguments->run.jobs = processors > 1 ? (unsigned)processors : 1;
	if (!make_lists(arguments, &lists, argc))
		return false;
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		char name[64];

		if (option == '?')
			return unknown_option(argv);
		if (option == ':')
			return usage_error("the option '%s' needs a value", option_name(optopt, name, sizeof(name)));
		if (!take_option(arguments, &lists, option, optarg, &color))
			return false;
		if (arguments->action == ACTION_HELP || arguments->action == ACTION_VERSION)
			return true;
	}
	for (; optind < argc; optind++)
		lists.traces[arguments->run.trace_count++] = argv[optind];
	bool is_wanted = (!no_color || !*no_color) && (!terminal || strcmp(terminal, "dumb"));
	arguments->run.is_out_terminal = isatty(STDOUT_FILENO);
	arguments->run.is_err_terminal = isatty(STDERR_FILENO);
	arguments->run.is_out_coloured = color ? color > 0 : is_wanted && arguments->run.is_out_terminal;
	arguments->run.is_err_coloured = color ? color > 0 : is_wanted && arguments->run.is_err_terminal;
	return check_together(arguments);
}

void arguments_fini(struct arguments *arguments)
{
	arena_fini(&arguments->arena);
}
