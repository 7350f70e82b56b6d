/* SPDX-License-Identifier: Apache-2.0 */
#include <kit/clock.h>
#include <kit/crash.h>
#include <run/session.h>

static bool run_all(struct session *session)
{
	struct report *report = &session->run.report;
	const struct run_options *options = session->options;
	static const struct cause no_memory = {.text = "the run could not be done: out of memory"};
	struct causes causes = {0};

	report->tool_version = TAV_VERSION;
	report->pipeline = session->config->pipeline;
	report->fail_on_warning = session->config->is_fail_on_warning;
	report->jobs = options->jobs;
	report->command_line = options->command_line;
	if (options->part_n) {
		struct report_part *part = arena_alloc(&report->arena, sizeof(*part));

		if (part)
			*part = (struct report_part){options->part_k, options->part_n, options->list_hash};
		report->part = part;
	}
	if (!session_create(session))
		return false;
	if (options->is_resumed && options->part_n && part_is_done(session)) {
		session->is_done_before = true;
		return true;
	}
	bool is_ok = !options->part_n || report->part;
	is_ok = is_ok && session_open(session);
	is_ok = is_ok && (crash_cancelled || session->is_refused || session_look(session));
	is_ok = is_ok && (crash_cancelled || session->is_refused || session_combine(session));
	if (!is_ok) {
		causes.outermost = (struct cause *)(uintptr_t)&no_memory;
		session_say(session, &causes);
	}
	return is_ok;
}

int pipeline_run(const struct config *config, const struct run_options *options)
{
	struct session session;
	int64_t start_ns = clock_ns();
	int status = EXIT_CANNOT;

	bool is_ready = session_init(&session, config, options);
	bool is_ok = is_ready && run_all(&session);
	if (!is_ready) {
		fputs("tav-run: error: out of memory\n", options->err);
	} else if (is_ok && session.is_done_before) {
		if (options->verbosity >= 0)
			fprintf(options->err, "tav-run: part %u of %u was done before and still holds\n",
			        options->part_k, options->part_n);
		status = 0;
	} else if (is_ok && !crash_cancelled && !session.is_refused) {
		session.run.report.elapsed_ns = clock_ns() - start_ns;
		session_say_errors(&session);
		status = session_write(&session) ? report_exit_status(&session.run.report) : EXIT_CANNOT;
		/* What a part found is for the run that combines the parts to judge. */
		if (options->part_n && status == report_exit_status(&session.run.report) && !session.run.report.error)
			status = 0;
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
