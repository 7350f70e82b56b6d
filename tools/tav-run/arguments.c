/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <kit/text.h>

#include "options.h"

struct lists { /* as long as argv each */
	const char **stages, **sets, **reports, **plugin_dirs, **operands, **parts, **waivers;
};
enum { MOST_ROWS = 64 };
struct getopt_table { /* for getopt, made of the rows */
	struct option options[MOST_ROWS];
	char letters[2 * MOST_ROWS];
};

static void make_table(struct getopt_table *table)
{
	char *letter = table->letters;
	size_t i = 0;

	*letter++ = ':'; /* a missing value is told apart */
	for (; option_rows[i].name && i + 1 < MOST_ROWS; i++) {
		const struct option_row *row = &option_rows[i];

		table->options[i] =
		        (struct option){row->name, row->value ? required_argument : no_argument, NULL, row->letter};
		if (row->letter >= 256)
			continue;
		*letter++ = (char)row->letter;
		if (row->value)
			*letter++ = ':';
	}
	table->options[i] = (struct option){0};
	*letter = '\0';
}

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
	const char *names[MOST_ROWS] = {NULL};
	const char *given = argv[optind - 1];
	char name[64];

	if (optopt && optopt < 256)
		return usage_error("there is no option '-%c'", optopt);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(given, "=") - 2, given + 2);
	unsigned matches = 0;
	for (size_t i = 0; option_rows[i].name && i + 1 < MOST_ROWS; i++) {
		names[i] = option_rows[i].name;
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
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (row->letter == option && option >= 256) {
			snprintf(buffer, size, "--%s", row->name);
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
		        "--check, --print-config, --list, --describe, --explain, --schema and --check-plugin "
		        "exclude each other");
	arguments->action = action;
	return true;
}

static bool parse_number(const char *option, const char *text, const char *what, int64_t least, int64_t most,
                         unsigned *out)
{
	int64_t number;
	bool is_out;

	if (!text_to_int(text, &number, &is_out) || number < least || number > most)
		return usage_error("%s: \"%s\" is not %s (%lld to %lld)", option, text, what, (long long)least,
		                   (long long)most);
	*out = (unsigned)number;
	return true;
}

static bool parse_size(struct arguments *arguments, const char *text)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} units[] = {{"", 1},         {"B", 1},         {"kB", 1000},       {"KB", 1000},    {"KiB", 1 << 10},
	             {"MB", 1000000}, {"MiB", 1 << 20}, {"GB", 1000000000}, {"GiB", 1 << 30}};
	size_t digits = strspn(text, "0123456789");
	uint64_t bytes = digits && digits < 19 ? strtoull(text, NULL, 10) : 0, unit = 0;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text + digits, units[i].name))
			unit = units[i].bytes;
	}
	if (!unit || __builtin_mul_overflow(bytes, unit, &bytes) || bytes < 4096 || bytes > (uint64_t)1 << 40)
		return usage_error("--max-event: \"%s\" is not a size, such as 64MiB (4KiB to 1024GiB)", text);
	arguments->run.max_event = bytes;
	return true;
}

static bool parse_part(struct arguments *arguments, const char *text)
{
	unsigned long long k, n;
	char behind;

	if (!*text || text[strspn(text, "0123456789/")] || strlen(text) > 20 ||
	    sscanf(text, "%llu/%llu%c", &k, &n, &behind) != 2)
		return usage_error("--part: \"%s\" is not K/N, such as 3/16", text);
	if (k < 1 || k > n || n > 1000000)
		return usage_error("--part: there is no part %llu of %llu; K is 1 to N, N at most 1000000", k, n);
	arguments->run.part_k = (uint32_t)k;
	arguments->run.part_n = (uint32_t)n;
	return true;
}

static bool take_source_option(struct arguments *arguments, struct lists *lists, int option, char *value)
{
	switch (option) {
	case 'r':
		arguments->is_recursive = true;
		return true;
	case OPT_FILES_FROM:
		if (arguments->list_path)
			return usage_error("--files-from is given twice");
		arguments->list_path = value;
		return true;
	case OPT_PART:
		return parse_part(arguments, value);
	case OPT_PARTS:
		lists->parts[arguments->parts_count++] = value;
		return true;
	case OPT_RESUME:
		arguments->run.is_resumed = true;
		return true;
	default:
		return parse_size(arguments, value); /* OPT_MAX_EVENT */
	}
}

/* --help and the like: they are done whatever else is wrong. */
static bool take_last_word(struct arguments *arguments, int option, char *value)
{
	arguments->subject = value;
	arguments->action = option == 'h'           ? ACTION_HELP
	                    : option == OPT_VERSION ? ACTION_VERSION
	                    : option == OPT_MANUAL  ? ACTION_MANUAL
	                                            : ACTION_COMPLETION;
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
	case OPT_WAIVERS:
		lists->waivers[config->waiver_count++] = value;
		return true;
	case 'j':
		return parse_number("--jobs", value, "a number of threads", 1, 1024, &arguments->run.jobs);
	case OPT_WIDTH:
		return parse_number("--width", value, "a number of columns", 40, 10000, &arguments->run.width);
	case 'r':
	case OPT_FILES_FROM:
	case OPT_PART:
	case OPT_PARTS:
	case OPT_RESUME:
	case OPT_MAX_EVENT:
		return take_source_option(arguments, lists, option, value);
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
	case OPT_PRINT_LIST:
		return set_action(arguments, ACTION_PRINT_LIST);
	case OPT_SCHEMA:
		return set_action(arguments, ACTION_SCHEMA);
	case OPT_DESCRIBE:
		arguments->subject = value;
		return set_action(arguments, ACTION_DESCRIBE);
	case OPT_EXPLAIN:
		arguments->subject = value;
		return set_action(arguments, ACTION_EXPLAIN);
	case OPT_CHECK_PLUGIN:
		arguments->subject = value;
		return set_action(arguments, ACTION_CHECK_PLUGIN);
	default:
		return take_last_word(arguments, option, value);
	}
}

static bool check_parts(const struct arguments *arguments)
{
	const struct run_options *run = &arguments->run;

	if ((run->part_n || arguments->parts_count) && (!arguments->list_path || arguments->operand_count))
		return usage_error("--part and --parts go by a list (--files-from LIST), without further traces");
	if (run->part_n && arguments->parts_count)
		return usage_error("--part does a part and --parts combines them: one at a time");
	if (run->is_resumed && !run->part_n)
		return usage_error("--resume keeps the report of a part: it wants --part K/N");
	return true;
}

static bool check_together(const struct arguments *arguments)
{
	if (arguments->config.file && arguments->config.stage_count)
		return usage_error("-c and -s cannot be given together: a config has its own stages");
	if (arguments->is_json && arguments->action != ACTION_LIST)
		return usage_error("--json belongs to --list; for a report write --report json=PATH");
	if ((arguments->action == ACTION_RUN || arguments->action == ACTION_PRINT_LIST) && !arguments->operand_count &&
	    !arguments->list_path)
		return usage_error("no trace is given");
	for (uint32_t i = 0; i < arguments->operand_count; i++) {
		if (!*arguments->operands[i])
			return usage_error("the name of a trace is empty");
	}
	return check_parts(arguments);
}

static bool make_lists(struct arguments *arguments, struct lists *lists, int argc)
{
	const char ***all[] = {&lists->stages,   &lists->sets,  &lists->reports, &lists->plugin_dirs,
	                       &lists->operands, &lists->parts, &lists->waivers};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i] = arena_array(&arguments->arena, (size_t)argc + 1, sizeof(**all[i]));
		if (!*all[i])
			return usage_error("out of memory");
	}
	arguments->config.stages = lists->stages;
	arguments->config.sets = lists->sets;
	arguments->config.reports = lists->reports;
	arguments->config.waivers = lists->waivers;
	arguments->plugin_dirs = lists->plugin_dirs;
	arguments->operands = lists->operands;
	arguments->parts = lists->parts;
	return true;
}

/* --width, else COLUMNS, else the terminal's; what is printed by itself, such as --help, is for 80 columns then. */
static void find_width(struct arguments *arguments)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t number;
	bool is_out;

	if (!arguments->run.width && columns && text_to_int(columns, &number, &is_out) && number >= 40 &&
	    number <= 10000)
		arguments->run.width = (unsigned)number;
	arguments->width = arguments->run.width;
	if (!arguments->width && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 40)
		arguments->width = size.ws_col;
	if (!arguments->width)
		arguments->width = 80;
}

/* Before getopt() puts the operands last. */
static bool keep_command_line(struct arguments *arguments, int argc, char **argv)
{
	size_t size = 1;

	for (int i = 0; i < argc; i++)
		size += strlen(argv[i]) + 1;
	char *line = arena_alloc(&arguments->arena, size), *end = line;
	if (!line)
		return usage_error("out of memory");
	for (int i = 0; i < argc; i++) {
		size_t length = strlen(argv[i]);

		if (i)
			*end++ = ' ';
		memcpy(end, argv[i], length);
		end += length;
	}
	*end = '\0';
	arguments->run.command_line = line;
	return true;
}

bool arguments_parse(struct arguments *arguments, int argc, char **argv)
{
	struct lists lists;
	struct getopt_table table;
	int option, color = 0;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	*arguments = (struct arguments){0};
	arguments->run.jobs = processors > 1 ? (unsigned)processors : 1;
	if (!make_lists(arguments, &lists, argc) || !keep_command_line(arguments, argc, argv))
		return false;
	make_table(&table);
	opterr = 0;
	while ((option = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
		char name[64];

		if (option == '?')
			return unknown_option(argv);
		if (option == ':')
			return usage_error("the option '%s' needs a value", option_name(optopt, name, sizeof(name)));
		if (!take_option(arguments, &lists, option, optarg, &color))
			return false;
		if (arguments->action >= ACTION_VERSION)
			break;
	}
	find_width(arguments);
	if (arguments->action >= ACTION_VERSION)
		return true;
	for (; optind < argc; optind++)
		lists.operands[arguments->operand_count++] = argv[optind];
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
