/* SPDX-License-Identifier: Apache-2.0 */
/* The trace report: which file each source is written to, and its writing once all stages have said what they change.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <write/write.h>

#include <config/template.h>
#include <kit/crash.h>
#include <kit/memory_file.h>
#include <report/file.h>
#include <report/json_out.h>
#include <run/session.h>

static bool is_trace_report(const struct report_request *request)
{
	return !strcmp(request->format->name, "trace");
}

static bool has_provenance(const struct report_request *request)
{
	const struct tav_value *said = report_value(request, "provenance");

	return !said || said->integer;
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

	if (request->is_each)
		return template_fill(&report->arena, request->path, report->sources[source].path,
		                     report->sources[source].is_read ? report->sources[source].facts.rank : -1);
	return path_is_folder(request->path)
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
	for (uint32_t i = 0; !request->is_each && i < report->source_count + report->baseline_count; i++) {
		if (is_same_file(target, report->sources[i].path))
			return arena_printf(&report->arena, "the trace would be written over %s, which the run reads",
			                    report->sources[i].path);
	}
	return NULL;
}

static bool has_flag(const struct session *session, uint32_t flag)
{
	for (uint32_t i = 0; i < session->stage_count; i++) {
		if (session->stages[i].setup->part->stage.flags & flag)
			return true;
	}
	return false;
}

/* All sources into one file? */
static bool is_merged(const struct session *session)
{
	return has_flag(session, TAV_STAGE_MERGES);
}

static const char *why_not_at_all(struct session *session, const struct report_request *request)
{
	struct report *report = &session->run.report;
	struct stat folder;

	if (!strcmp(request->path, "-"))
		return "a trace report needs a file name, since it is whole or absent";
	if (is_merged(session) && (path_is_folder(request->path) || request->is_each))
		return arena_printf(
		        &report->arena,
		        "merge writes one file, and '%s' names one for each trace: name a file, or leave merge out",
		        request->path);
	if (request->is_each)
		return NULL;
	if (!path_is_folder(request->path) && report->source_count > 1 && !is_merged(session))
		return arena_printf(
		        &report->arena,
		        "%u traces cannot be written to one file '%s': join them with the stage `merge`, or "
		        "end the name with '/' to write each into that folder, or name each: {stem}.json",
		        report->source_count, request->path);
	if (path_is_folder(request->path) && (stat(request->path, &folder) || !S_ISDIR(folder.st_mode)))
		return arena_printf(&report->arena, "there is no folder '%s' to write traces to", request->path);
	const char *twin = path_is_folder(request->path) ? twin_name(session) : NULL;
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
	edits->time_unit = view->events->time_unit;
	ids = calloc((size_t)report->stage_count + 1, sizeof(*ids));
	for (uint32_t i = 0; ids && i < report->stage_count; i++)
		ids[i] = report->stages[i].id;
	tav_status status = ids ? edits_settle(edits, view->events, ids, causes) : cause_add(causes, "out of memory");
	free(ids);
	return status;
}

/*
 * Where a trace is edited, a stage that did not finish may have left out some edits, or what others make theirs of:
 * names that were to go would stand in the file.
 */
static bool is_unfinished(const struct session *session, const struct report_source *source)
{
	for (uint32_t i = 0; session->run.edits && i < session->stage_count; i++) {
		const struct stage_results *told = &source->results.stages[i];

		if (told->error || told->skipped || session->run.report.run.stages[i].error)
			return true;
	}
	return false;
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

/* Ends the text of an object; NULL: no memory. `is_open`: without its last '}', for more to come. */
static char *end_text(struct json_out *json, struct memory_file *memory, bool is_open)
{
	emit_close(json, '}');
	putc('\0', memory->out);
	if (!memory_file_close(memory) || json->failed) {
		free(memory->text);
		return NULL;
	}
	size_t end = memory->size - 1;
	while (end && memory->text[end - 1] == '\n') /* it stands within a line */
		end--;
	memory->text[end - (is_open && end)] = '\0';
	return memory->text;
}

/* {"input": .., "rank": .., "shift_ns": ..: whose events these are. */
static char *origin_of(const struct session *session, const struct report_source *source, const struct edits *edits)
{
	struct memory_file memory;

	if (!memory_file_open(&memory))
		return NULL;
	struct json_out json = {.out = memory.out};
	emit_open_flat(&json, NULL, '{');
	if (!has_flag(session, TAV_STAGE_REDACTS))
		emit_chars(&json, "input", base_name(source->path));
	if (source->facts.rank >= 0)
		emit_integer(&json, "rank", source->facts.rank);
	emit_integer(&json, "shift_ns", edits->counts.shift_ns);
	return end_text(&json, &memory, true);
}

static void emit_options(struct json_out *json, const struct report *report)
{
	emit_open(json, "options", '{');
	for (uint32_t i = 0; i < report->stage_count; i++) {
		for (uint32_t j = 0; j < report->stages[i].option_count; j++) {
			const struct report_option *option = &report->stages[i].options[j];
			char name[256];

			snprintf(name, sizeof(name), "%s.%s", report->stages[i].id, option->name);
			if (option->is_given)
				emit_chars(json, name, option->text);
		}
	}
	emit_close(json, '}');
}

/*
 * {"version": .., "pipeline": .., "options": {..}, "edits": {..}, "input": ..}; `source` NULL: of several, so without
 * an input and the last '}'. NULL: no memory.
 */
static char *provenance_of(const struct session *session, const struct report_source *source,
                           const struct edit_counts *counts)
{
	const struct report *report = &session->run.report;
	bool is_redacted = has_flag(session, TAV_STAGE_REDACTS);
	struct memory_file memory;

	if (!memory_file_open(&memory))
		return NULL;
	struct json_out json = {.out = memory.out};
	emit_open_flat(&json, NULL, '{');
	emit_chars(&json, "version", report->tool_version);
	emit_chars(&json, "pipeline", is_redacted ? "redact" : report->pipeline);
	if (!is_redacted)
		emit_options(&json, report);
	emit_open(&json, "edits", '{');
	emit_size(&json, "dropped", counts->dropped);
	emit_size(&json, "changed", counts->changed);
	emit_size(&json, "added", counts->added);
	emit_integer(&json, "shift_ns", counts->shift_ns);
	emit_close(&json, '}');
	if (source && !is_redacted)
		emit_chars(&json, "input", base_name(source->path));
	return end_text(&json, &memory, !source);
}

/* What of a source is written; false: nothing, and the report says why. */
static bool make_rewrite(struct session *session, uint32_t number, struct rewrite *rewrite)
{
	const struct report_source *source = &session->run.report.sources[number];

	if (report_source_error(source) || !source->is_read || is_unfinished(session, source) ||
	    is_refused(session, source) || (session->run.edits && session->run.edits[number].is_left_out))
		return false;
	*rewrite = (struct rewrite){.input = source->path,
	                            .mtime_ns = source->mtime_ns,
	                            .file_bytes = source->file_bytes,
	                            .form = source->facts.form,
	                            .time_unit = session->run.edits ? session->run.edits[number].time_unit : 0,
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
		if (has_provenance(request)) {
			provenance = provenance_of(session, &session->run.report.sources[number], &counts);
			is_lost |= !provenance;
		}
	}
	rewrite.provenance = provenance;
	tav_status status = is_lost ? cause_add(&causes, "out of memory to write the trace") : TAV_OK;
	if (!status && request->is_each)
		status = file_make_folders(target, &causes);
	if (!status)
		status = write_trace(&rewrite, target, &causes);
	free(provenance);
	if (status == TAV_FAILED)
		session_say(session, &causes);
	causes_clear(&causes);
	return !status;
}

/* ---- All sources into one file --------------------------------------------------------------------------------- */
struct joined { /* the sources that are written */
	struct rewrite *rewrites;
	char **origins;
	uint32_t count;
	struct edit_counts counts;
};

/* A source that failed would be missing from the whole; one of which nothing is left is not. */
static bool has_failed(const struct session *session)
{
	const struct report *report = &session->run.report;

	for (uint32_t i = 0; i < report->source_count; i++) {
		if (report_source_error(&report->sources[i]) || is_unfinished(session, &report->sources[i]))
			return true;
	}
	return false;
}

/* False: no memory. */
static bool collect(struct session *session, struct joined *joined)
{
	const struct report *report = &session->run.report;

	for (uint32_t i = 0; i < report->source_count; i++) {
		struct rewrite *rewrite = &joined->rewrites[joined->count];

		if (!make_rewrite(session, i, rewrite) || !edits_has_events(rewrite->edits))
			continue;
		const struct edit_counts *counts = &rewrite->edits->counts;
		joined->counts.dropped += counts->dropped;
		joined->counts.changed += counts->changed;
		joined->counts.added += counts->added + rewrite->edits->last_count;
		char *origin = origin_of(session, &report->sources[i], rewrite->edits);
		rewrite->origin = joined->origins[joined->count++] = origin;
		if (!origin)
			return false;
	}
	return true;
}

static tav_status write_joined(struct session *session, struct joined *joined, const struct report_request *request,
                               struct causes *causes)
{
	struct rewrite *rewrites = joined->rewrites;
	uint32_t first_lines = 0, first_list = 0;
	char *provenance;

	while (first_lines < joined->count && rewrites[first_lines].form != TAV_FORM_LINES)
		first_lines++;
	while (first_list < joined->count && rewrites[first_list].form == TAV_FORM_LINES)
		first_list++;
	if (first_lines < joined->count && first_list < joined->count)
		return cause_add(causes, "%s has one event a line and %s has a list of them: they cannot be one file",
		                 rewrites[first_lines].input, rewrites[first_list].input);
	for (uint32_t i = 1; i < joined->count; i++) {
		if (rewrites[i].time_unit != rewrites[0].time_unit)
			return cause_add(causes, "times of %s and of %s have different units: they cannot be one file",
			                 rewrites[0].input, rewrites[i].input);
	}
	provenance = provenance_of(session, NULL, &joined->counts);
	if (!provenance)
		return cause_add(causes, "out of memory to write the trace");
	if (has_provenance(request))
		rewrites[0].provenance = provenance;
	tav_status status = write_traces(rewrites, joined->count, request->path, causes);
	free(provenance);
	return status;
}

static bool write_merged(struct session *session, const struct report_request *request)
{
	size_t most = (size_t)session->run.report.source_count + 1;
	struct joined joined = {.rewrites = calloc(most, sizeof(*joined.rewrites)),
	                        .origins = calloc(most, sizeof(*joined.origins))};
	struct causes causes = {0};
	tav_status status = TAV_OK;

	if (has_failed(session))
		status = TAV_OK; /* and that has been told */
	else if (!joined.rewrites || !joined.origins || !collect(session, &joined))
		status = cause_add(&causes, "out of memory to write the trace");
	else if (joined.count)
		status = write_joined(session, &joined, request, &causes);
	if (status == TAV_FAILED)
		session_say(session, &causes);
	causes_clear(&causes);
	for (uint32_t i = 0; i < joined.count; i++)
		free(joined.origins[i]);
	free(joined.rewrites);
	free(joined.origins);
	return !status;
}

bool rewrite_write(struct session *session, const struct report_request *request)
{
	bool is_ok = !session->run.report.error && !(request->has_rank && !each_check_ranks(session));

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
