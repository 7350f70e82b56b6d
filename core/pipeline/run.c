/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <base/text.h>
#include <pipeline/crash.h>
#include <pipeline/session.h>

/* The options of a stage as they are in force. */
static bool describe_stage(struct session *session, uint32_t index)
{
	struct arena *arena = &session->run.report.arena;
	const struct setup *setup = session->stages[index].setup;
	uint32_t count = setup->part->option_count;
	struct report_option *options = arena_array(arena, count, sizeof(*options));

	if (!options)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct tav_option *option = &setup->part->options[i];
		const struct tav_value *value = setup->values[i];
		bool is_absent = !value->given && !option->preset;

		options[i].name = option->name;
		options[i].text = is_absent ? "" : option_value_yaml(option, value, arena);
		options[i].is_given = value->given;
		if (!options[i].text)
			return false;
	}
	session->run.report.stages[index] = (struct report_stage){
	        .name = setup->part->name, .id = setup->id, .options = options, .option_count = count};
	return true;
}

/* Why a stage cannot run, although nothing is wrong with it; NULL: it can. */
static const char *missing_source(struct session *session, struct host *host)
{
	struct run *run = &session->run;

	for (uint32_t i = 0; i < run->source_count + run->input_count; i++) {
		uint32_t source = run->sources[i].source;

		if (source >= session->trace_count)
			host_set_input(host, session->jobs[source].path, i);
	}
	const struct part *part = host->setup->part;
	for (uint32_t i = 0; i < part->option_count; i++) {
		const struct tav_value *value = host->values[i];
		bool is_many = part->options[i].flags & TAV_OPT_MANY;

		if (part->options[i].type != TAV_TYPE_INPUT)
			continue;
		for (uint64_t j = 0; j < (is_many ? value->count : value->text.size > 0); j++) {
			const struct tav_value *one = is_many ? value->items[j] : value;

			if (one->integer < 0)
				return arena_printf(
				        &run->report.arena,
				        "it did not run: the trace of its option '%s' (%s) could not be read",
				        part->options[i].name, one->text.data);
		}
	}
	return NULL;
}

static void run_stage(struct session *session, struct host *host)
{
	struct report_stage *shown = &session->run.report.stages[host->stage];
	const char *missing = missing_source(session, host);

	if (missing) {
		shown->error = missing;
		return;
	}
	crash_enter("stage", host->setup->id);
	tav_status status = host->setup->part->stage.run(&host->self);
	crash_leave();
	status = host_check_status(host, "run()", status);
	if (status != TAV_FAILED)
		return;
	cause_add(&host->causes, "stage '%s' did not finish", host->setup->id);
	session_say(session, &host->causes);
	shown->error = causes_line(&host->causes, &session->run.report.arena);
	if (!shown->error)
		shown->error = "it did not finish, and memory ran out";
}

bool session_run_stages(struct session *session)
{
	struct report *report = &session->run.report;

	if (!session->run.source_count && session->job_count)
		return true; /* nothing to look at: the sources say why, and no stage has a verdict */
	report->stages = arena_array(&report->arena, session->stage_count, sizeof(*report->stages));
	if (!report->stages)
		return false;
	report->stage_count = session->stage_count;
	for (uint32_t i = 0; i < session->stage_count; i++) {
		if (!describe_stage(session, i))
			return false;
	}
	for (uint32_t i = 0; i < session->stage_count && !crash_cancelled; i++)
		run_stage(session, &session->stages[i]);
	return true;
}

static unsigned terminal_width(int fd, bool is_terminal)
{
	struct winsize size;

	return is_terminal && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col >= 40 ? size.ws_col : 100;
}

/* A reader that has gone away, such as `head`, has seen what it wanted. */
static bool is_closed_pipe(int error)
{
	return error == EPIPE;
}

static bool write_text(struct session *session, bool is_out_taken)
{
	const struct run_options *options = session->options;
	FILE *out = is_out_taken ? stderr : stdout;
	bool is_coloured = is_out_taken ? options->is_err_coloured : options->is_out_coloured;
	bool is_terminal = is_out_taken ? options->is_err_terminal : options->is_out_terminal;
	struct report_style style = {is_coloured, terminal_width(fileno(out), is_terminal), options->verbosity};

	errno = 0;
	if (!report_format_find("text")->write(&session->run.report, &style, out)) {
		fputs("tav-run: error: out of memory while writing the report\n", stderr);
		return false;
	}
	if (fflush(out) || ferror(out)) {
		if (!is_closed_pipe(errno))
			fprintf(stderr, "tav-run: error: cannot write the report to standard %s: %s\n",
			        is_out_taken ? "error" : "output", strerror(errno));
		return is_closed_pipe(errno);
	}
	return true;
}

bool session_report(struct session *session)
{
	const struct config *config = session->config;
	struct report_style style = {false, 100, session->options->verbosity < 0 ? 0 : session->options->verbosity};
	bool is_ok = true, is_out_taken = false;

	for (uint32_t i = 0; i < config->report_count; i++) {
		const struct report_request *request = &config->reports[i];
		bool is_out = !strcmp(request->path, "-");

		if (is_out && !strcmp(request->format->name, "text"))
			continue; /* that is what is written anyway */
		is_out_taken |= is_out;
	}
	/* Files before the text: who sees the verdict can open them. */
	for (uint32_t i = 0; i < config->report_count && !crash_cancelled; i++) {
		const struct report_request *request = &config->reports[i];
		struct causes causes = {0};

		if (!strcmp(request->path, "-") && !strcmp(request->format->name, "text"))
			continue;
		errno = 0;
		if (report_write(&session->run.report, request->format, request->path, &style, &causes) &&
		    !(!strcmp(request->path, "-") && is_closed_pipe(errno))) {
			session_say(session, &causes);
			is_ok = false;
		}
		causes_clear(&causes);
	}
	return (crash_cancelled || write_text(session, is_out_taken)) && is_ok;
}

/* The text has them too, with an excerpt; who sees it on the same terminal needs them once. */
static void say_source_errors(const struct session *session)
{
	const struct report *report = &session->run.report;

	if (session->options->is_out_terminal && session->options->is_err_terminal && session->options->verbosity >= 0)
		return;
	for (uint32_t i = 0; i < report->source_count; i++) {
		const struct report_source *source = &report->sources[i];

		if (!source->error)
			continue;
		text_print_escaped(stderr, text_of(source->path));
		if (source->read_error && source->read_error->line)
			fprintf(stderr, ":%llu:%llu", (unsigned long long)source->read_error->line,
			        (unsigned long long)source->read_error->column);
		fprintf(stderr, ": %serror:%s ", session->options->is_err_coloured ? "\x1b[1;31m" : "",
		        session->options->is_err_coloured ? "\x1b[0m" : "");
		text_print_escaped(stderr, text_of(source->read_error ? source->read_error->message : source->error));
		putc('\n', stderr);
	}
}

static bool run_all(struct session *session)
{
	struct report *report = &session->run.report;

	report->tool_version = TAV_VERSION;
	report->pipeline = session->config->pipeline;
	report->fail_on_warning = session->config->is_fail_on_warning;
	if (!session_create(session))
		return false;
	bool is_ok = session_read(session);
	is_ok = is_ok && (crash_cancelled || session_classify(session));
	is_ok = is_ok && (crash_cancelled || session_run_stages(session));
	progress_stop(&session->progress);
	if (!is_ok)
		fputs("tav-run: error: the run could not be done: out of memory\n", stderr);
	return is_ok;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int pipeline_run(const struct config *config, const struct run_options *options)
{
	struct session session;
	int64_t start_ns = now_ns();
	int status = EXIT_CANNOT;

	if (!session_init(&session, config, options)) {
		fputs("tav-run: error: out of memory\n", stderr);
	} else if (run_all(&session) && !crash_cancelled) {
		session.run.report.elapsed_ns = now_ns() - start_ns;
		say_source_errors(&session);
		status = session_report(&session) ? report_exit_status(&session.run.report) : EXIT_CANNOT;
	}
	session_fini(&session);
	return crash_cancelled ? 128 + crash_cancelled : status;
}

int pipeline_check(const struct config *config, const struct run_options *options)
{
	struct session session;
	bool is_ok = session_init(&session, config, options) && session_create(&session);

	session_fini(&session);
	return is_ok ? 0 : EXIT_CANNOT;
}
