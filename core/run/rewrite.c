/* SPDX-License-Identifier: Apache-2.0 */
/* The trace report: which file each source is written to, and its writing once all stages have said what they change.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <write/write.h>

#include <kit/crash.h>
#include <report/json_out.h>
#include <run/session.h>

static bool is_trace_report(const struct report_request *request)
{
	return !strcmp(request->format->name, "trace");
}

static bool is_folder(const char *path)
{
	size_t size = strlen(path);

	return size && path[size - 1] == '/';
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where a source goes, in the report's arena. */
static const char *target_of(struct session *session, const struct report_request *request, uint32_t source)
{
	struct report *report = &session->run.report;

	return is_folder(request->path)
	               ? arena_printf(&report->arena, "%s%s", request->path, base_name(report->sources[source].path))
	               : request->path;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Two sources that would be written to one file; NULL: none. */
static const char *twin_name(struct session *session)
{
	const struct report *report = &session->run.report;
	const char **names = calloc((size_t)report->source_count + 1, sizeof(*names));
	const char *twin = NULL;

	for (uint32_t i = 0; names && i < report->source_count; i++)
		names[i] = base_name(report->sources[i].path);
	if (names)
		qsort(names, report->source_count, sizeof(*names), compare_names);
	for (uint32_t i = 1; names && i < report->source_count; i++) {
		if (!strcmp(names[i], names[i - 1]))
			twin = names[i];
	}
	free(names);
	return twin;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat left, right;

	return !stat(a, &left) && !stat(b, &right) && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/* Why a source cannot be written there; NULL: it can. */
static const char *why_not(struct session *session, const struct report_request *request, uint32_t source)
{
	struct report *report = &session->run.report;
	const char *path = report->sources[source].path, *target = target_of(session, request, source);

	if (report->sources[source].is_report)
		return arena_printf(&report->arena,
		                    "a trace cannot be written from a report: %s holds what was found, not the events",
		                    path);
	if (!strcmp(path, "-"))
		return "standard input cannot be read twice, which writing a trace needs: name a file";
	if (!target)
		return "out of memory";
	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++) {
		if (is_same_file(target, report->sources[i].path))
			return arena_printf(&report->arena, "the trace would be written over %s, which the run reads",
			                    report->sources[i].path);
	}
	return NULL;
}

/* All sources into one file? */
static bool is_merged(const struct session *session)
{
	for (uint32_t i = 0; i < session->stage_count; i++) {
		if (session->stages[i].setup->part->stage.flags & TAV_STAGE_MERGES)
			return true;
	}
	return false;
}

static const char *why_not_at_all(struct session *session, const struct report_request *request)
{
	struct report *report = &session->run.report;
	struct stat folder;

	if (!strcmp(request->path, "-"))
		return "a trace report needs a file name, since it is whole or absent";
	if (is_merged(session) && is_folder(request->path))
		return arena_printf(&report->arena,
		                    "merge writes one file, and '%s' names a folder: name a file, or leave merge out",
		                    request->path);
	if (!is_folder(request->path) && report->source_count > 1 && !is_merged(session))
		return arena_printf(
		        &report->arena,
		        "%u traces cannot be written to one file '%s': join them with the stage `merge`, or "
		        "end the name with '/' to write each into that folder",
		        report->source_count, request->path);
	if (is_folder(request->path) && (stat(request->path, &folder) || !S_ISDIR(folder.st_mode)))
		return arena_printf(&report->arena, "there is no folder '%s' to write traces to", request->path);
	const char *twin = is_folder(request->path) ? twin_name(session) : NULL;
	return twin ? arena_printf(&report->arena, "two traces are named '%s', and both would be written to '%s'", twin,
	                           request->path)
	            : NULL;
}

bool rewrite_prepare(struct session *session)
{
	struct report *report = &session->run.report;
	bool has_editor = false;

	for (uint32_t i = 0; i < session->config->report_count; i++) {
		const struct report_request *request = &session->config->reports[i];

		if (!is_trace_report(request))
			continue;
		session->run.is_trace_wanted = true;
		if (!report->error)
			report->error = why_not_at_all(session, request);
		for (uint32_t j = 0; j < report->source_count && !report->error; j++)
			report->error = why_not(session, request, j);
	}
	for (uint32_t i = 0; i < session->stage_count; i++)
		has_editor |=
		        session->stages[i].setup->part->stage.flags & (TAV_STAGE_EDITS | TAV_STAGE_EDITS_IN_COMBINE);
	if (!has_editor)
		return true;
	session->run.edits =
	        calloc((size_t)report->source_count + report->baseline_count + 1, sizeof(*session->run.edits));
	return session->run.edits;
}

tav_status rewrite_settle(struct session *session, uint32_t source, struct view *view, struct causes *causes)
{
	const struct report *report = &session->run.report;
	struct edits *edits = session->run.edits ? &session->run.edits[source] : NULL;
	const char **ids;

	if (!edits)
		return TAV_OK;
	if (!session->run.is_trace_wanted) { /* what would change has been told; nobody writes it */
		edits_fini(edits);
		return TAV_OK;
	}
	if (view->events->time_unit && view->events->time_unit != 1000 && edits_any(edits))
		return cause_add(causes, "a trace whose times are not microseconds can be copied, not edited yet");
	ids = calloc((size_t)report->stage_count + 1, sizeof(*ids));
	for (uint32_t i = 0; ids && i < report->stage_count; i++)
		ids[i] = report->stages[i].id;
	tav_status status = ids ? edits_settle(edits, view->events, ids, causes) : cause_add(causes, "out of memory");
	free(ids);
	return status;
}

/* A stage that edits and found the source wanting, such as a slice with nothing in it: then it is not written. */
static bool is_refused(const struct session *session, const struct report_source *source)
{
	for (uint32_t i = 0; i < session->stage_count; i++) {
		const struct stage_results *told = &source->results.stages[i];

		if (!(session->stages[i].setup->part->stage.flags & TAV_STAGE_EDITS))
			continue;
		for (uint32_t j = 0; j < told->check_count; j++) {
			if (told->checks[j]->result == TAV_RESULT_FAIL)
				return true;
		}
	}
	return false;
}

struct joined { /* the sources that are written, by their numbers */
	struct rewrite *rewrites;
	uint32_t *numbers;
	uint32_t count;
	struct edit_counts counts;
};

static void emit_joined(struct json_out *json, const struct session *session, const struct joined *joined)
{
	emit_open(json, "sources", '[');
	for (uint32_t i = 0; i < joined->count; i++) {
		const struct report_source *source = &session->run.report.sources[joined->numbers[i]];

		emit_open_flat(json, NULL, '{');
		emit_chars(json, "input", base_name(source->path));
		if (source->facts.rank >= 0)
			emit_integer(json, "rank", source->facts.rank);
		emit_integer(json, "shift_ns", joined->rewrites[i].edits->counts.shift_ns);
		emit_close(json, '}');
	}
	emit_close(json, ']');
}

/* {"version": .., "pipeline": .., "options": {..}, "edits": {..}, "input": ..}; NULL: no memory. */
static char *provenance_of(const struct session *session, const struct report_source *source,
                           const struct edit_counts *counts, const struct joined *joined)
{
	const struct report *report = &session->run.report;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	struct json_out json = {.out = out};
	emit_open_flat(&json, NULL, '{');
	emit_chars(&json, "version", report->tool_version);
	emit_chars(&json, "pipeline", report->pipeline);
	emit_open(&json, "options", '{');
	for (uint32_t i = 0; i < report->stage_count; i++) {
		for (uint32_t j = 0; j < report->stages[i].option_count; j++) {
			const struct report_option *option = &report->stages[i].options[j];
			char name[256];

			snprintf(name, sizeof(name), "%s.%s", report->stages[i].id, option->name);
			if (option->is_given)
				emit_chars(&json, name, option->text);
		}
	}
	emit_close(&json, '}');
	emit_open(&json, "edits", '{');
	emit_size(&json, "dropped", counts->dropped);
	emit_size(&json, "changed", counts->changed);
	emit_size(&json, "added", counts->added);
	emit_integer(&json, "shift_ns", counts->shift_ns);
	emit_close(&json, '}');
	if (joined)
		emit_joined(&json, session, joined);
	else
		emit_chars(&json, "input", base_name(source->path));
	emit_close(&json, '}');
	bool is_lost = json.failed || ferror(out);
	is_lost |= fclose(out) != 0;
	if (is_lost) {
		free(text);
		return NULL;
	}
	while (size && text[size - 1] == '\n') /* it stands within a line */
		text[--size] = '\0';
	return text;
}

/* What of a source is written; false: nothing, and the report says why. */
static bool make_rewrite(struct session *session, uint32_t number, struct rewrite *rewrite)
{
	const struct report_source *source = &session->run.report.sources[number];

	if (report_source_error(source) || !source->is_read || is_refused(session, source))
		return false;
	*rewrite = (struct rewrite){.input = source->path,
	                            .mtime_ns = source->mtime_ns,
	                            .file_bytes = source->file_bytes,
	                            .form = source->facts.form,
	                            .edits = session->run.edits ? &session->run.edits[number] : NULL,
	                            .threads = session->run.jobs,
	                            .cancelled = &crash_cancelled};
	return true;
}

static bool write_source(struct session *session, const struct report_request *request, uint32_t number)
{
	const char *target = target_of(session, request, number);
	struct causes causes = {0};
	struct rewrite rewrite;
	char *provenance = NULL;
	bool is_lost = !target;

	if (!make_rewrite(session, number, &rewrite))
		return true;
	if (rewrite.edits && edits_any(rewrite.edits)) {
		struct edit_counts counts = rewrite.edits->counts;

		counts.added += rewrite.edits->last_count;
		provenance = provenance_of(session, &session->run.report.sources[number], &counts, NULL);
		is_lost |= !provenance;
	}
	rewrite.provenance = provenance;
	tav_status status = is_lost ? cause_add(&causes, "out of memory to write the trace")
	                            : write_trace(&rewrite, target, &causes);
	free(provenance);
	if (status == TAV_FAILED)
		session_say(session, &causes);
	causes_clear(&causes);
	return !status;
}

/* ---- All sources into one file --------------------------------------------------------------------------------- */
/* A source that failed would be missing from the whole; one of which nothing is left is not. */
static bool collect(struct session *session, struct joined *joined)
{
	const struct report *report = &session->run.report;

	for (uint32_t i = 0; i < report->source_count; i++) {
		struct rewrite *rewrite = &joined->rewrites[joined->count];

		if (report_source_error(&report->sources[i]))
			return false;
		if (!make_rewrite(session, i, rewrite) || !edits_has_events(rewrite->edits))
			continue;
		const struct edit_counts *counts = &rewrite->edits->counts;
		joined->counts.dropped += counts->dropped;
		joined->counts.changed += counts->changed;
		joined->counts.added += counts->added + rewrite->edits->last_count;
		joined->numbers[joined->count++] = i;
	}
	for (uint32_t i = 0; i < report->stage_count; i++) {
		if (session->stages[i].setup->part->stage.flags & TAV_STAGE_MERGES && report->run.stages[i].error)
			return false;
	}
	return joined->count > 0;
}

static tav_status write_joined(struct session *session, struct joined *joined, const char *path, struct causes *causes)
{
	const struct report *report = &session->run.report;
	char *provenance;

	for (uint32_t i = 1; i < joined->count; i++) {
		if ((joined->rewrites[i].form == TAV_FORM_LINES) != (joined->rewrites[0].form == TAV_FORM_LINES))
			return cause_add(causes,
			                 "%s has one event a line and %s has a list of them: they cannot be one file",
			                 joined->rewrites[joined->rewrites[0].form == TAV_FORM_LINES ? 0 : i].input,
			                 joined->rewrites[joined->rewrites[0].form == TAV_FORM_LINES ? i : 0].input);
	}
	provenance = provenance_of(session, &report->sources[joined->numbers[0]], &joined->counts, joined);
	if (!provenance)
		return cause_add(causes, "out of memory to write the trace");
	joined->rewrites[0].provenance = provenance;
	tav_status status = write_traces(joined->rewrites, joined->count, path, causes);
	free(provenance);
	return status;
}

static bool write_merged(struct session *session, const struct report_request *request)
{
	size_t most = (size_t)session->run.report.source_count + 1;
	struct joined joined = {.rewrites = calloc(most, sizeof(*joined.rewrites)),
	                        .numbers = calloc(most, sizeof(*joined.numbers))};
	struct causes causes = {0};
	tav_status status = TAV_OK;

	if (!joined.rewrites || !joined.numbers)
		status = cause_add(&causes, "out of memory to write the trace");
	else if (collect(session, &joined))
		status = write_joined(session, &joined, request->path, &causes);
	if (status == TAV_FAILED)
		session_say(session, &causes);
	causes_clear(&causes);
	free(joined.rewrites);
	free(joined.numbers);
	return !status;
}

bool rewrite_write(struct session *session, const struct report_request *request)
{
	bool is_ok = !session->run.report.error;

	if (is_ok && is_merged(session))
		return write_merged(session, request);
	for (uint32_t i = 0; is_ok && i < session->run.report.source_count && !crash_cancelled; i++)
		is_ok = write_source(session, request, i);
	return is_ok;
}

void rewrite_fini(struct session *session)
{
	const struct report *report = &session->run.report;

	for (uint32_t i = 0; session->run.edits && i < report->source_count + report->baseline_count; i++)
		edits_fini(&session->run.edits[i]);
	free(session->run.edits);
	session->run.edits = NULL;
}
