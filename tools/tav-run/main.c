/* SPDX-License-Identifier: Apache-2.0 */
/* tav-run: checks and measures traces. See --help; what it does is in core/run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kit/crash.h>
#include <plugin/describe.h>
#include <report/file.h>
#include <run/check_plugin.h>

#include "options.h"
#include "progress.h"
#include "sources.h"

static bool scan(struct registry *registry, const char *directory, bool is_named)
{
	struct causes causes = {0};
	tav_status status = directory ? registry_scan(registry, directory, is_named, &causes)
	                              : cause_add(&causes, "out of memory while looking for plugins");

	if (status)
		causes_print(stderr, &causes, "tav-run", 0);
	causes_clear(&causes);
	return !status;
}

/* TAV_PLUGIN_PATH, unless the program runs with rights that its caller does not have. */
static bool scan_environment(struct registry *registry)
{
	const char *path = secure_getenv("TAV_PLUGIN_PATH");

	while (path && *path) {
		size_t size = strcspn(path, ":");
		const char *directory = size ? arena_copy(&registry->arena, path, size) : NULL;

		if (size && !scan(registry, directory, false))
			return false;
		path += size;
		path += *path == ':';
	}
	return true;
}

static bool load_plugins(struct registry *registry, const struct arguments *arguments, const struct config *config)
{
	for (uint32_t i = 0; i < arguments->plugin_dir_count; i++) {
		if (!scan(registry, arguments->plugin_dirs[i], true))
			return false;
	}
	if (!scan_environment(registry))
		return false;
	for (uint32_t i = 0; i < config->plugin_dir_count; i++) {
		if (!scan(registry, config->plugin_dirs[i], false))
			return false;
	}
	const char *own = user_plugin_directory(&registry->arena),
	           *installed = installed_plugin_directory(&registry->arena);
	if ((!own || *own) && !scan(registry, own, false))
		return false;
	if ((!installed || *installed) && !scan(registry, installed, false))
		return false;
	if (!registry_settle(registry)) {
		fputs("tav-run: error: out of memory while looking for plugins\n", stderr);
		return false;
	}
	for (const struct plugin_file *file = registry->files; file; file = file->next) {
		if (file->refused && arguments->run.verbosity > 0)
			fprintf(stderr, "tav-run: warning: %s was refused: %s\n", file->path, file->refused);
	}
	return true;
}

static int run_pipeline(const struct config *config, const struct run_options *given)
{
	struct run_options options = *given;
	struct run_watch watch;
	struct progress progress = {0};

	run_watch_init(&watch);
	options.watch = &watch;
	if (options.is_err_terminal && options.verbosity >= 0)
		progress_start(&progress, &watch);
	int status = pipeline_run(config, &options);
	progress_stop(&progress);
	run_watch_fini(&watch);
	return status;
}

static int act(const struct arguments *arguments, const struct config *config, struct registry *registry)
{
	switch (arguments->action) {
	case ACTION_LIST:
		if (!arguments->is_json)
			describe_list(stdout, registry, arguments->width, arguments->run.verbosity > 0);
		else if (!describe_list_json(stdout, registry))
			return EXIT_CANNOT;
		return 0;
	case ACTION_DESCRIBE:
		if (describe_report(stdout, arguments->subject, arguments->width))
			return 0;
		return describe_name(stdout, stderr, registry, arguments->subject, arguments->width) ? 0 : EXIT_CANNOT;
	case ACTION_EXPLAIN:
		return describe_explain(stdout, stderr, registry, arguments->subject, arguments->width) ? 0
		                                                                                        : EXIT_CANNOT;
	case ACTION_SCHEMA:
		return describe_schema(stdout, registry) ? 0 : EXIT_CANNOT;
	case ACTION_CHECK_PLUGIN:
		return check_plugin(stdout, arguments->subject, registry, &arguments->run);
	case ACTION_PRINT_CONFIG:
		config_print(stdout, config);
		return 0;
	case ACTION_CHECK: {
		int status = pipeline_check(config, &arguments->run);

		if (!status && arguments->run.verbosity >= 0)
			printf("%s: nothing wrong with its %u stage%s\n", config->pipeline, config->stage_count,
			       config->stage_count == 1 ? "" : "s");
		return status;
	}
	default:
		return run_pipeline(config, &arguments->run);
	}
}

/* Those that need no config do without one, so that a wrong one is no obstacle to finding out why. */
static bool needs_config(enum action action)
{
	return action == ACTION_RUN || action == ACTION_CHECK || action == ACTION_PRINT_CONFIG;
}

/* What a part finds goes to a report, or is lost. */
static void check_part(const struct arguments *arguments, const struct config *config, struct diags *diags)
{
	for (uint32_t i = 0; i < config->report_count; i++) {
		if (!strcmp(config->reports[i].format->name, "json") && !config->reports[i].is_each)
			return;
	}
	char part[32];
	snprintf(part, sizeof(part), "%u/%u", arguments->run.part_k, arguments->run.part_n);
	if (arguments->run.part_n)
		diag_error(diags, argument_place(&diags->arena, "--part", part),
		           "what a part finds would be lost; add --report json=PATH");
}

static int run(struct arguments *arguments)
{
	struct config config = {0};
	struct registry registry = {0};
	struct diags diags = {0};
	int status = EXIT_CANNOT;
	bool is_needed = needs_config(arguments->action);
	bool is_ok = (!is_needed && !arguments->config.file) || config_open(&config, &arguments->config, &diags);

	if (is_ok && !load_plugins(&registry, arguments, &config))
		goto out;
	if (is_ok && is_needed)
		config_settle(&config, &arguments->config, &registry, &diags);
	if (is_ok && is_needed) {
		check_part(arguments, &config, &diags);
		if (!diags_failed(&diags) && !sources_find(arguments))
			goto out;
		struct config_files files = {.traces = arguments->run.traces,
		                             .parts = arguments->run.parts,
		                             .trace_count = arguments->run.trace_count,
		                             .part_count = arguments->run.part_count,
		                             .list = arguments->list_path};
		arguments->run.list_path = arguments->list_path;
		config_check_files(&config, &files, &diags);
	}
	if (diags.first || diags.is_out_of_memory)
		diags_print(stderr, &diags, arguments->run.is_err_coloured);
	if (!diags_failed(&diags))
		status = act(arguments, &config, &registry);
out:
	diags_fini(&diags);
	config_fini(&config);
	registry_fini(&registry);
	return status;
}

static int print_list(struct arguments *arguments)
{
	return sources_find(arguments) && sources_print_list(stdout, arguments) ? 0 : EXIT_CANNOT;
}

static int tell(const struct arguments *arguments)
{
	if (arguments->action == ACTION_HELP)
		options_print_help(stdout, arguments->width);
	else if (arguments->action == ACTION_MANUAL)
		options_print_manual(stdout);
	else if (arguments->action == ACTION_VERSION)
		printf("tav-run %s (plugin interface %d.%d)\n", TAV_VERSION, TAV_ABI_MAJOR, TAV_ABI_MINOR_LATEST);
	else if (!options_print_completion(stdout, arguments->subject)) {
		fputs("tav-run: error: --completion: the shells are bash, zsh and fish\n", stderr);
		return EXIT_CANNOT;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct arguments arguments;
	int status = EXIT_CANNOT;

	if (!crash_install(file_remove_unfinished))
		fprintf(stderr, "tav-run: warning: cannot handle signals: %s\n", strerror(errno));
	if (!arguments_parse(&arguments, argc, argv)) {
		crash_done();
		arguments_fini(&arguments);
		return status;
	}
	arguments.run.out = stdout;
	arguments.run.err = stderr;
	status = arguments.action >= ACTION_VERSION      ? tell(&arguments)
	         : arguments.action == ACTION_PRINT_LIST ? print_list(&arguments)
	                                                 : run(&arguments);
	arguments_fini(&arguments);
	/* Whoever closed the pipe has seen enough; any other failure to write must not look like success. */
	if (fflush(stdout) && errno != EPIPE) {
		fprintf(stderr, "tav-run: error: cannot write to standard output: %s\n", strerror(errno));
		status = EXIT_CANNOT;
	}
	crash_done();
	return status;
}
