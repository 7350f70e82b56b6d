/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of a run: files first, then the text; and on standard error what was wrong with a source. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <kit/crash.h>
#include <kit/text.h>
#include <run/session.h>

static unsigned text_width(const struct run_options *options, int fd, bool is_terminal)
{
	struct winsize size;

	if (options->width)
		return options->width;
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
	FILE *out = is_out_taken ? options->err : options->out;
	bool is_coloured = is_out_taken ? options->is_err_coloured : options->is_out_coloured;
	bool is_terminal = is_out_taken ? options->is_err_terminal : options->is_out_terminal;
	struct report_style style = {.is_coloured = is_coloured,
	                             .width = text_width(options, fileno(out), is_terminal),
	                             .verbosity = options->verbosity};

	errno = 0;
	if (!report_format_find("text")->write(&session->run.report, &style, out)) {
		fputs("tav-run: error: out of memory while writing the report\n", options->err);
		return false;
	}
	if (fflush(out) || ferror(out)) {
		if (!is_closed_pipe(errno))
			fprintf(options->err, "tav-run: error: cannot write the report to standard %s: %s\n",
			        is_out_taken ? "error" : "output", strerror(errno));
		return is_closed_pipe(errno);
	}
	return true;
}

bool session_write(struct session *session)
{
	const struct config *config = session->config;
	struct report_style style = {.width = session->options->width ? session->options->width : 100,
	                             .verbosity = session->options->verbosity < 0 ? 0 : session->options->verbosity,
	                             .is_file = true};
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

		if (!strcmp(request->path, "-") && !strcmp(request->format->name, "text"))
			continue;
		if (!request->format->write) /* by the run itself */
			is_ok &= rewrite_write(session, request);
		else if (!request->is_each)
			is_ok &= each_write_one(session, request, &session->run.report, request->path, &style);
	}
	is_ok &= each_write(session, &style);
	return (crash_cancelled || write_text(session, is_out_taken)) && is_ok;
}

/* The text has them too, with an excerpt; who sees it on the same terminal needs them once. */
void session_say_errors(const struct session *session)
{
	const struct report *report = &session->run.report;

	if (session->options->is_out_terminal && session->options->is_err_terminal && session->options->verbosity >= 0)
		return;
	if (report->error)
		fprintf(session->options->err, "tav-run: error: %s\n", report->error);
	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++) {
		const struct report_source *source = &report->sources[i];

		if (!source->error || session->items[i].is_again ||
		    (source->is_report && !session->options->part_count))
			continue;
		text_print_escaped(session->options->err, text_of(source->path));
		if (source->read_error && source->read_error->line)
			fprintf(session->options->err, ":%llu:%llu", (unsigned long long)source->read_error->line,
			        (unsigned long long)source->read_error->column);
		fprintf(session->options->err, ": %serror:%s ", session->options->is_err_coloured ? "\x1b[1;31m" : "",
		        session->options->is_err_coloured ? "\x1b[0m" : "");
		text_print_escaped(session->options->err,
		                   text_of(source->read_error ? source->read_error->message : source->error));
		putc('\n', session->options->err);
	}
}
