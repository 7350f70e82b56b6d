/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of a run: read at the same time, merged in the order of the arguments, each with its dialect. */
#include <stdlib.h>
#include <string.h>

#include <base/parallel.h>
#include <pipeline/crash.h>
#include <pipeline/session.h>

static bool count_input(void *user, const char *role, const char *path)
{
	(void)role;
	(void)path;
	++*(uint32_t *)user;
	return true;
}

static bool add_input(void *user, const char *role, const char *path)
{
	struct session *session = user;

	for (uint32_t i = session->trace_count; i < session->job_count; i++) {
		if (!strcmp(session->jobs[i].path, path))
			return true; /* two options, one file: read once */
	}
	session->roles[session->job_count] = role;
	session->jobs[session->job_count++].path = path;
	return true;
}

static bool make_jobs(struct session *session)
{
	const struct run_options *options = session->options;
	uint32_t count = options->trace_count;

	for (uint32_t i = 0; i < session->stage_count; i++)
		host_each_input(&session->stages[i], count_input, &count);
	for (uint32_t i = 0; i < session->dialect_count; i++)
		host_each_input(&session->dialect_hosts[i], count_input, &count);
	session->jobs = calloc(count + 1, sizeof(*session->jobs));
	session->roles = calloc(count + 1, sizeof(*session->roles));
	session->is_analysed = calloc(count + 1, sizeof(*session->is_analysed));
	if (!session->jobs || !session->roles || !session->is_analysed)
		return false;
	for (uint32_t i = 0; i < options->trace_count; i++) {
		session->roles[i] = "";
		session->jobs[i].path = options->traces[i];
	}
	session->trace_count = session->job_count = options->trace_count;
	for (uint32_t i = 0; i < session->stage_count; i++)
		host_each_input(&session->stages[i], add_input, session);
	for (uint32_t i = 0; i < session->dialect_count; i++)
		host_each_input(&session->dialect_hosts[i], add_input, session);
	for (uint32_t i = 0; i < session->job_count; i++) {
		session->jobs[i].is_lenient = options->is_lenient;
		session->jobs[i].wanted = &session->run.store.wanted;
		session->jobs[i].cancelled = session->run.cancelled;
	}
	return true;
}

static tav_status read_one(void *user, uint32_t i)
{
	struct session *session = user;

	read_trace(&session->jobs[i]); /* what went wrong stands in the job: the others are read all the same */
	return crash_cancelled ? TAV_CANCELLED : TAV_OK;
}

/* The error in one line, for the report; the writers show the excerpt themselves. */
static const char *error_line(struct session *session, const struct read_job *job)
{
	const struct read_error *error = &job->error;
	struct arena *arena = &session->run.report.arena;

	if (!error->message)
		return causes_line(&job->causes, arena);
	if (!error->line)
		return arena_copy(arena, error->message, strlen(error->message));
	return arena_printf(arena, "line %llu, column %llu: %s", (unsigned long long)error->line,
	                    (unsigned long long)error->column, error->message);
}

static bool merge_one(struct session *session, uint32_t source)
{
	struct run *run = &session->run;
	struct read_job *job = &session->jobs[source];
	struct report_source *shown = &run->report.sources[source];
	struct causes causes = {0};

	*shown = (struct report_source){.path = job->path, .role = session->roles[source]};
	if (job->events && !read_merge(&run->store, source, job, &causes)) {
		shown->events = run->store.sources[source];
		session->is_analysed[source] = true;
		return true;
	}
	shown->read_error = job->error.message ? &job->error : NULL;
	shown->error = job->events ? causes_line(&causes, &run->report.arena) : error_line(session, job);
	causes_clear(&causes);
	return shown->error;
}

bool session_read(struct session *session)
{
	struct run *run = &session->run;

	if (!make_jobs(session))
		return false;
	if (session->options->is_err_terminal && session->options->verbosity >= 0)
		progress_start(&session->progress, session->jobs, session->job_count);
	parallel_run(run->jobs, session->job_count, read_one, session);
	if (crash_cancelled)
		return true;
	run->store.sources = calloc(session->job_count + 1, sizeof(*run->store.sources));
	run->report.sources = arena_array(&run->report.arena, session->job_count, sizeof(*run->report.sources));
	if (!run->store.sources || !run->report.sources)
		return false;
	run->store.source_count = run->report.source_count = session->job_count;
	run->report.store = &run->store;
	for (uint32_t i = 0; i < session->job_count; i++) {
		if (!merge_one(session, i))
			return false;
	}
	return true;
}

/* The dialect of a source, or NULL where none is needed. False: none knows it, or the probe failed; the source says. */
static bool choose_dialect(struct session *session, uint32_t source, const struct dialect **out)
{
	struct run *run = &session->run;
	struct events *events = run->store.sources[source];
	struct report_source *shown = &run->report.sources[source];
	struct causes causes = {0};

	*out = NULL;
	if (session->config->dialect) {
		*out = &session->dialects[0];
		events->dialect_reason = arena_printf(&events->arena, "named by %s", session->config->dialect_from);
		return true;
	}
	if (events->row_count == events->metadata_events) { /* empty objects make no row */
		notice_count(events, NOTICE_WARNING, "no_events", 0, 0, 0,
		             events->metadata_events ? "the trace holds metadata events alone"
		                                     : "the trace holds no events");
		return true;
	}
	const char *reason = NULL;
	crash_enter("the probe of one of the dialects", session->candidate_names);
	int chosen = classify_probe(&run->store, source, session->dialects, session->candidate_count, &reason, &causes);
	crash_leave();
	if (chosen >= 0) {
		*out = &session->dialects[chosen];
		events->dialect_reason = reason;
		return true;
	}
	if (causes.outermost)
		shown->error = causes_line(&causes, &run->report.arena);
	else
		shown->error = arena_printf(&run->report.arena,
		                            "no dialect recognises this trace (%s); name one with --dialect",
		                            reason ? reason : "there are none");
	causes_clear(&causes);
	return false;
}

static bool classify_one(struct session *session, uint32_t source)
{
	struct run *run = &session->run;
	const struct dialect *dialect;
	struct causes causes = {0};

	if (!choose_dialect(session, source, &dialect)) {
		session->is_analysed[source] = false;
		return run->report.sources[source].error;
	}
	crash_enter("dialect", dialect ? dialect->descriptor->name : "none");
	tav_status status = classify_source(&run->store, source, dialect, &causes);
	crash_leave();
	if (status) {
		const char *line = causes_line(&causes, &run->report.arena);

		if (line && dialect && dialect->causes->outermost) {
			const char *deeper = causes_line(dialect->causes, &run->report.arena);
			line = arena_printf(&run->report.arena, "%s: %s", line, deeper ? deeper : "");
			causes_clear(dialect->causes);
		}
		run->report.sources[source].error = line ? line : "out of memory";
		session->is_analysed[source] = false;
	}
	causes_clear(&causes);
	return true;
}

static void guard_sources(const struct store *store)
{
	for (uint32_t i = 0; i < store->source_count; i++) {
		const struct events *events = store->sources[i];

		if (!events)
			continue;
		const struct pages *columns[] = {&events->start_ns, &events->end_ns, &events->label,
		                                 &events->pid,      &events->tid,    &events->traits,
		                                 &events->track,    &events->offset, &events->phase};
		for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++)
			crash_guard(columns[j]);
		for (uint32_t j = 0; j < store->wanted.count && events->fields; j++) {
			crash_guard(&events->fields[j].data);
			crash_guard(&events->fields[j].present);
		}
	}
	crash_guard(&store->labels);
	crash_guard(&store->values.texts);
}

bool session_classify(struct session *session)
{
	struct run *run = &session->run;
	struct causes causes = {0};

	for (uint32_t i = 0; i < session->job_count; i++) {
		if (session->is_analysed[i] && !classify_one(session, i))
			return false;
	}
	bool is_ok = run_number_sources(run, session->is_analysed, session->trace_count);
	if (is_ok && store_seal(&run->store, &causes)) {
		session_say(session, &causes);
		is_ok = false;
	}
	causes_clear(&causes);
	guard_sources(&run->store);
	return is_ok;
}
