/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a JSON report back: member by member in the order in which json.c writes them. Whatever can be counted again
 * is: a report whose verdicts or sums contradict what it holds was edited, and is refused.
 */
#include <inttypes.h>
#include <string.h>

#include <kit/text.h>
#include <report/read_told.h>

#define SCHEMA "tav-report/2"
enum { MOST_SOURCES = 1 << 28 };

/* What the report says and what is true of it can be compared when all of it is there. */
struct claim {
	size_t at;
	uint32_t source, stage; /* source TAV_RUN: over all; stage TAV_NONE: over all */
	bool has_verdict;
	enum verdict verdict;
	uint64_t bytes; /* of results; UINT64_MAX: a verdict */
};
struct reading {
	struct json_in in;
	struct report *report;
	struct arena *arena;
	struct told_in told;
	struct buffer sources, texts, claims, stages;
	struct text_list run_texts;
	int exit_status;
	size_t exit_status_at, waivers_at;
};

static void *array(struct reading *reading, size_t count, size_t size)
{
	void *items = arena_array(reading->arena, count, size);

	if (!items)
		in_fail(&reading->in, reading->in.at, "out of memory");
	return items;
}

/* What was gathered in a buffer, in the arena of the report. */
static void *keep(struct reading *reading, const struct buffer *buffer)
{
	void *copy = array(reading, 1, buffer->size ? buffer->size : 1);

	if (copy && buffer->size)
		memcpy(copy, buffer->data, buffer->size);
	return copy;
}

static void claim(struct reading *reading, struct claim claimed)
{
	struct claim *place = buffer_add(&reading->in, &reading->claims, sizeof(*place));

	if (place)
		*place = claimed;
}

static void read_verdict(struct reading *reading, uint32_t source, uint32_t stage, bool is_optional)
{
	struct json_in *in = &reading->in;

	in_key(in, "verdict");
	struct claim claimed = {.at = in_place(in), .source = source, .stage = stage, .bytes = UINT64_MAX};
	claimed.has_verdict = !is_optional || !in_null(in);
	if (claimed.has_verdict)
		claimed.verdict = (enum verdict)read_name(in, &verdict_names, false, "verdict");
	claim(reading, claimed);
}

/* ---- Sources ---------------------------------------------------------------------------------------------------- */
static uint64_t member_size(struct reading *reading, const char *key, uint64_t most)
{
	in_key(&reading->in, key);
	return in_size(&reading->in, most);
}

static int64_t member_known(struct reading *reading, const char *key) /* null: -1 */
{
	in_key(&reading->in, key);
	return in_null(&reading->in) ? -1 : (int64_t)in_size(&reading->in, INT64_MAX);
}

static void read_place(struct reading *reading, uint64_t *line, uint64_t *column, uint64_t *offset)
{
	struct json_in *in = &reading->in;

	in_key(in, "line");
	*line = *column = *offset = 0;
	if (!in_null(in)) {
		size_t at = in_place(in);

		*line = in_size(in, UINT64_MAX);
		if (!*line)
			in_fail(in, at, "lines count from 1");
		*column = member_size(reading, "column", UINT64_MAX);
		*offset = member_size(reading, "offset", UINT64_MAX);
		return;
	}
	in_key(in, "column");
	if (!in_null(in))
		in_fail(in, in->at, "a column without a line");
	in_key(in, "offset");
	if (!in_null(in))
		in_fail(in, in->at, "an offset without a line");
}

static void read_notes(struct reading *reading, const char *key, bool is_repair, struct buffer *notes)
{
	struct json_in *in = &reading->in;

	in_key(in, key);
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct report_note *note = buffer_add(in, notes, sizeof(*note));

		if (!note)
			return;
		note->is_repair = is_repair;
		in_open(in, '{');
		in_key(in, "id");
		note->id = in_chars(in);
		in_key(in, "message");
		note->message = in_chars(in);
		note->count = member_size(reading, "count", UINT64_MAX);
		read_place(reading, &note->line, &note->column, &note->offset);
		in_close(in, '}');
	}
}

static void read_doubts(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;
	struct buffer doubts = {0};

	in_key(in, "doubts");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct report_doubt *doubt = buffer_add(in, &doubts, sizeof(*doubt));

		if (!doubt)
			break;
		in_open(in, '{');
		in_key(in, "id");
		doubt->id = in_chars(in);
		in_key(in, "message");
		doubt->message = in_chars(in);
		doubt->count = member_size(reading, "count", UINT64_MAX);
		in_close(in, '}');
	}
	source->doubts = keep(reading, &doubts);
	source->doubt_count = source->doubts ? (uint32_t)(doubts.size / sizeof(*source->doubts)) : 0;
	buffer_fini(&doubts);
}

static void read_error(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;

	in_key(in, "error");
	if (in_null(in))
		return;
	struct read_error *error = array(reading, 1, sizeof(*error));
	if (!error)
		return;
	in_open(in, '{');
	in_key(in, "message");
	const char *message = in_chars(in);
	read_place(reading, &error->line, &error->column, &error->offset);
	in_key(in, "excerpt");
	error->excerpt = in_chars_or_null(in);
	size_t at = in_place(in);
	int64_t caret = member_known(reading, "caret");
	if (caret > UINT16_MAX)
		in_fail(in, at, "a caret beyond any line");
	error->caret = caret < 0 ? 0 : (uint32_t)caret;
	in_key(in, "events_read");
	bool is_of_text = !in_null(in);
	if (is_of_text)
		error->events_read = in_size(in, UINT64_MAX);
	in_key(in, "whole");
	const char *whole = in_chars_or_null(in);
	in_close(in, '}');
	if (!*message)
		in_fail(in, at, "an error without a message");
	if (is_of_text != (caret >= 0) || (!is_of_text && (error->line || error->excerpt || whole)))
		in_fail(in, at, "an error with half a place");
	error->message = message;
	source->read_error = is_of_text ? error : NULL;
	source->error = is_of_text ? whole : message;
}

static void read_facts(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;
	struct tav_source *facts = &source->facts;
	size_t at = in_place(in);

	in_key(in, "facts");
	if (in_null(in)) {
		if (source->is_read)
			in_fail(in, at, "facts of a source that was read are missing");
		return;
	}
	if (!source->is_read)
		in_fail(in, at, "facts of a source that was not read");
	in_open(in, '{');
	in_key(in, "content");
	facts->content = in_hash(in);
	facts->rank = member_known(reading, "rank");
	facts->world_size = member_known(reading, "world_size");
	in_key(in, "flavour");
	facts->flavour = read_name(in, &flavour_names, true, "flavour");
	in_key(in, "track_word");
	facts->track_word = in_text_or_null(in);
	facts->row_count = (tav_row)member_size(reading, "rows", UINT32_MAX);
	facts->track_count = (uint32_t)member_size(reading, "tracks", UINT32_MAX);
	facts->device_count = (uint32_t)member_size(reading, "devices", UINT32_MAX);
	facts->device_event_count = member_size(reading, "device_events", facts->row_count);
	facts->unmatched_begin = member_size(reading, "unmatched_begin", UINT64_MAX);
	facts->unmatched_end = member_size(reading, "unmatched_end", UINT64_MAX);
	facts->unusable_count = member_size(reading, "unusable", facts->row_count);
	facts->unusable_device_count = member_size(reading, "unusable_device", facts->unusable_count);
	facts->zero_time_count = member_size(reading, "zero_time", facts->row_count);
	in_key(in, "first_ns");
	facts->first_ns = in_integer(in);
	in_key(in, "last_ns");
	facts->last_ns = in_integer(in);
	source->file_bytes = member_size(reading, "file_bytes", UINT64_MAX);
	in_close(in, '}');
}

/* Raw texts with a NUL behind them, as those of a trace. */
static void read_top_level(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;
	struct buffer members = {0};

	in_key(in, "top_level");
	in_open(in, '{');
	while (in_more(in, '}') && !in->message) {
		struct metadata_member *member = buffer_add(in, &members, sizeof(*member));

		if (!member)
			break;
		member->key = in_any_key(in);
		member->value = in_raw(in);
	}
	source->top_level = keep(reading, &members);
	source->top_level_count = source->top_level ? (uint32_t)(members.size / sizeof(struct metadata_member)) : 0;
	buffer_fini(&members);
}

static void read_threads(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;
	struct buffer threads = {0};

	in_key(in, "threads");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct report_thread *thread = buffer_add(in, &threads, sizeof(*thread));

		if (!thread)
			break;
		in_open(in, '{');
		in_key(in, "pid");
		thread->pid = in_text(in);
		in_key(in, "tid");
		thread->tid = in_text(in);
		in_key(in, "process_name");
		thread->process_name = in_text(in);
		in_key(in, "thread_name");
		thread->thread_name = in_text(in);
		in_close(in, '}');
	}
	source->threads = keep(reading, &threads);
	source->thread_count = source->threads ? (uint32_t)(threads.size / sizeof(struct report_thread)) : 0;
	buffer_fini(&threads);
}

static void read_source_run(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;

	in_key(in, "run");
	if (in_null(in))
		return;
	in_open(in, '{');
	source->mtime_ns = member_size(reading, "mtime_ns", UINT64_MAX);
	source->read_ns = (int64_t)member_size(reading, "read_ns", INT64_MAX);
	in_close(in, '}');
}

static struct text_list read_texts(struct reading *reading)
{
	struct json_in *in = &reading->in;
	struct buffer texts = {0};

	in_key(in, "texts");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct tav_text *place = buffer_add(in, &texts, sizeof(*place));

		if (!place)
			break;
		*place = in_text(in);
	}
	struct text_list list = {keep(reading, &texts), texts.size / sizeof(struct tav_text)};
	buffer_fini(&texts);
	return list;
}

/* What is null in a source that was not read. */
static void read_known(struct reading *reading, struct report_source *source)
{
	struct json_in *in = &reading->in;
	struct tav_source *facts = &source->facts;

	in_key(in, "form");
	source->is_read = !in_null(in);
	if (!source->is_read) {
		static const char *const keys[] = {"gzip", "bytes", "events", "dialect", "dialect_reason"};

		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			in_key(in, keys[i]);
			if (!in_null(in))
				in_fail(in, in->at, "expected null: the source was not read");
		}
		return;
	}
	facts->form = read_name(in, &form_names, false, "form");
	in_key(in, "gzip");
	source->is_gzip = in_bool(in);
	facts->bytes = member_size(reading, "bytes", UINT64_MAX);
	facts->event_count = member_size(reading, "events", UINT64_MAX);
	in_key(in, "dialect");
	facts->dialect = in_text_or_null(in);
	in_key(in, "dialect_reason");
	source->dialect_reason = in_chars_or_null(in);
}

static void read_source(struct reading *reading, bool is_baseline)
{
	struct json_in *in = &reading->in;
	uint32_t number = (uint32_t)(reading->sources.size / sizeof(struct report_source));
	struct report_source source = {0};
	struct buffer notes = {0};

	if (number >= MOST_SOURCES)
		in_fail(in, in->at, "more sources than there can be");
	in_open(in, '{');
	in_key(in, "path");
	source.path = in_chars(in);
	in_key(in, "role");
	source.role = in_chars(in);
	in_key(in, "kind");
	size_t at = in_place(in);
	source.role_kind = read_name(in, &role_names, false, "kind of source");
	if (is_baseline != (source.role_kind == TAV_ROLE_BASELINE) || source.role_kind == TAV_ROLE_COMPANION)
		in_fail(in, at, "a source of this kind does not stand here");
	int64_t owner = member_known(reading, "owner");
	source.owner = owner < 0 ? 0 : (uint32_t)owner;
	if (is_baseline != (owner >= 0) || owner > UINT16_MAX)
		in_fail(in, at, "a baseline belongs to a stage, and nothing else does");
	read_known(reading, &source);
	read_verdict(reading, number, TAV_NONE, false);
	read_doubts(reading, &source);
	read_notes(reading, "repairs", true, &notes);
	read_notes(reading, "warnings", false, &notes);
	source.notes = keep(reading, &notes);
	source.note_count = (uint32_t)(notes.size / sizeof(*source.notes));
	buffer_fini(&notes);
	read_error(reading, &source);
	read_facts(reading, &source);
	read_top_level(reading, &source);
	read_threads(reading, &source);
	read_source_run(reading, &source);
	at = in_place(in);
	claim(reading, (struct claim){.at = at,
	                              .source = number,
	                              .stage = TAV_NONE,
	                              .bytes = member_size(reading, "results_bytes", UINT64_MAX - 1)});
	struct text_list *texts = buffer_add(in, &reading->texts, sizeof(*texts));
	if (texts)
		*texts = read_texts(reading);
	in_key(in, "picture");
	if (!in_null(in)) {
		struct tav_text picture = in_raw(in);

		source.picture = picture.data;
		source.picture_size = picture.size;
	}
	in_close(in, '}');
	source.facts.struct_size = sizeof(source.facts);
	source.facts.path = text_of(source.path);
	source.facts.role = source.role_kind;
	source.results.source = number;
	source.results.arena.is_paged = true; /* so that it can be sealed */
	struct report_source *place = buffer_add(in, &reading->sources, sizeof(*place));
	if (place)
		*place = source;
}

static uint32_t read_sources(struct reading *reading, const char *key, bool is_baseline)
{
	uint32_t count = 0;

	in_key(&reading->in, key);
	in_open(&reading->in, '[');
	for (; in_more(&reading->in, ']') && !reading->in.message; count++)
		read_source(reading, is_baseline);
	return count;
}

/* ---- Stages ----------------------------------------------------------------------------------------------------- */
/* Marks the options that a list names, which has them in their order. */
static void read_option_names(struct reading *reading, const char *key, struct buffer *options, size_t member)
{
	struct json_in *in = &reading->in;
	struct report_option *list = (struct report_option *)(void *)options->data;
	size_t count = options->size / sizeof(*list), next = 0;

	in_key(in, key);
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		size_t at = in_place(in);
		const char *name = in_chars(in);

		while (next < count && strcmp(list[next].name, name))
			next++;
		if (next < count)
			*((bool *)((char *)&list[next++] + member)) = true;
		else
			in_fail(in, at, "there is no option '%s', or it is out of order", name);
	}
}

static void read_options(struct reading *reading, struct report_stage *stage)
{
	struct json_in *in = &reading->in;
	struct buffer options = {0};

	in_key(in, "options");
	in_open(in, '{');
	while (in_more(in, '}') && !in->message) {
		struct report_option *option = buffer_add(in, &options, sizeof(*option));

		if (!option)
			break;
		option->name = in_any_key(in).data;
		option->text = in_chars_or_null(in);
	}
	read_option_names(reading, "options_given", &options, offsetof(struct report_option, is_given));
	read_option_names(reading, "options_late", &options, offsetof(struct report_option, is_late));
	stage->options = keep(reading, &options);
	stage->option_count = (uint32_t)(options.size / sizeof(*stage->options));
	buffer_fini(&options);
}

/* Room for one more stage, about all that is in the report. */
static bool add_stage(struct reading *reading, struct results *results, uint32_t number)
{
	struct stage_results *stages = results->stages;

	if (!(number & (number - 1))) { /* a power of two, or 0: it is full */
		stages = arena_array(&results->arena, number ? (size_t)number * 2 : 1, sizeof(*stages));
		if (!stages)
			return in_fail(&reading->in, reading->in.at, "out of memory");
		if (number)
			memcpy(stages, results->stages, number * sizeof(*stages));
		results->stages = stages;
	}
	results->stage_count = number + 1;
	return true;
}

static void read_results(struct reading *reading, struct results *results, const struct text_list *texts,
                         uint32_t stage)
{
	reading->told.results = results;
	reading->told.texts = texts;
	reading->told.stage = stage;
	if (add_stage(reading, results, stage))
		read_told(&reading->told);
}

static void read_by_source(struct reading *reading, const char *key, uint32_t stage, uint32_t first, uint32_t count)
{
	struct json_in *in = &reading->in;
	const struct text_list *texts = (const struct text_list *)(void *)reading->texts.data;

	in_key(in, key);
	in_open(in, '[');
	for (uint32_t source = first; source < first + count && !in->message; source++) {
		struct report_source *about = &reading->report->sources[source];

		in_open(in, '{');
		in_key(in, "source");
		size_t at = in_place(in);
		if (in_size(in, UINT32_MAX) != source)
			in_fail(in, at, "expected source %" PRIu32 ": they stand in their order, each once", source);
		in_key(in, "path");
		at = in_place(in);
		if (strcmp(in_chars(in), about->path))
			in_fail(in, at, "the path of source %" PRIu32 " is '%s'", source, about->path);
		read_verdict(reading, source, stage, true);
		in_key(in, "elapsed_ns");
		int64_t elapsed_ns = in_null(in) ? 0 : (int64_t)in_size(in, INT64_MAX);
		read_results(reading, &about->results, &texts[source], stage);
		if (stage < about->results.stage_count)
			about->results.stages[stage].elapsed_ns = elapsed_ns;
		in_close(in, '}');
	}
	in_close(in, ']');
}

static void read_stage(struct reading *reading)
{
	struct json_in *in = &reading->in;
	uint32_t number = (uint32_t)(reading->stages.size / sizeof(struct report_stage));
	struct report *report = reading->report;
	struct report_stage stage = {0};

	in_open(in, '{');
	in_key(in, "name");
	stage.name = in_chars(in);
	in_key(in, "id");
	stage.id = in_chars(in);
	in_key(in, "version");
	stage.version = in_chars_or_null(in);
	read_options(reading, &stage);
	read_verdict(reading, TAV_RUN, number, true);
	read_results(reading, &report->run, &reading->run_texts, number);
	read_by_source(reading, "by_source", number, 0, report->source_count);
	read_by_source(reading, "by_baseline", number, report->source_count, report->baseline_count);
	in_close(in, '}');
	struct report_stage *place = buffer_add(in, &reading->stages, sizeof(*place));
	if (place)
		*place = stage;
}

/* ---- The report ------------------------------------------------------------------------------------------------- */
static void read_part(struct reading *reading)
{
	struct json_in *in = &reading->in;

	in_key(in, "part");
	if (in_null(in))
		return;
	struct report_part *part = array(reading, 1, sizeof(*part));
	if (!part)
		return;
	size_t at = in_place(in);
	in_open(in, '{');
	part->k = (uint32_t)member_size(reading, "k", UINT32_MAX);
	part->n = (uint32_t)member_size(reading, "n", UINT32_MAX);
	in_key(in, "list_hash");
	part->list_hash = in_hash(in);
	in_close(in, '}');
	if (!part->k || part->k > part->n)
		in_fail(in, at, "there is no part %" PRIu32 " of %" PRIu32, part->k, part->n);
	reading->report->part = part;
}

static void read_top(struct reading *reading)
{
	struct json_in *in = &reading->in;
	struct report *report = reading->report;

	in_open(in, '{');
	in_key(in, "schema");
	size_t at = in_place(in);
	struct tav_text schema = in_text(in);
	if (!text_is(schema, SCHEMA))
		in_fail(in, at, "its schema is not %s: it was written by another version of tav, make it anew", SCHEMA);
	in_key(in, "tool");
	in_open(in, '{');
	in_key(in, "name");
	at = in_place(in);
	if (!text_is(in_text(in), "tav"))
		in_fail(in, at, "another tool wrote it");
	in_key(in, "version");
	report->tool_version = in_chars_or_null(in);
	in_close(in, '}');
	in_key(in, "pipeline");
	report->pipeline = in_chars_or_null(in);
	read_part(reading);
	read_verdict(reading, TAV_RUN, TAV_NONE, false);
	in_key(in, "fail_on_warning");
	report->fail_on_warning = in_bool(in);
	in_key(in, "exit_status");
	reading->exit_status_at = in_place(in);
	reading->exit_status = (int)in_size(in, 2);
	in_key(in, "error");
	report->error = in_chars_or_null(in);
	reading->waivers_at = in_place(in);
	if (in_optional_key(in, "waivers"))
		read_waivers(in, report, reading->arena);
	report->source_count = read_sources(reading, "sources", false);
	report->baseline_count = read_sources(reading, "baselines", true);
	report->sources = keep(reading, &reading->sources);
	if (!report->sources)
		report->source_count = report->baseline_count = 0;
	report->run.source = TAV_RUN;
	report->run.arena.is_paged = true;
	reading->run_texts = read_texts(reading);
	in_key(in, "stages");
	in_open(in, '[');
	while (in_more(in, ']') && !in->message)
		read_stage(reading);
	report->stages = keep(reading, &reading->stages);
	report->stage_count = report->stages ? (uint32_t)(reading->stages.size / sizeof(*report->stages)) : 0;
	in_key(in, "run");
	if (!in_null(in)) {
		in_open(in, '{');
		report->jobs = (unsigned)member_size(reading, "jobs", UINT32_MAX);
		in_key(in, "elapsed_ns");
		report->elapsed_ns = in_integer(in);
		in_close(in, '}');
	}
	in_close(in, '}');
	in_end(in);
}

static void check_claim(struct reading *reading, const struct claim *claimed)
{
	const struct report *report = reading->report;
	enum verdict verdict = VERDICT_PASS;
	bool has_verdict = true;

	if (claimed->bytes != UINT64_MAX) {
		if (results_bytes(&report->sources[claimed->source].results) != claimed->bytes)
			in_fail(&reading->in, claimed->at,
			        "results_bytes is not what the results come to: it was edited");
		return;
	}
	if (claimed->stage != TAV_NONE)
		has_verdict = claimed->source == TAV_RUN
		                      ? report_stage_verdict_of_all(report, claimed->stage, &verdict)
		                      : report_stage_verdict(report, claimed->stage, claimed->source, &verdict);
	else if (claimed->source == TAV_RUN)
		verdict = report_verdict(report);
	else
		verdict = report_source_verdict(report, claimed->source);
	if (has_verdict != claimed->has_verdict)
		in_fail(&reading->in, claimed->at, "there is %s verdict by what was told: it was edited",
		        has_verdict ? "a" : "no");
	else if (has_verdict && verdict != claimed->verdict)
		in_fail(&reading->in, claimed->at, "the verdict is '%s' by what was told, not '%s': it was edited",
		        verdict_name(verdict), verdict_name(claimed->verdict));
}

static void check_all(struct reading *reading)
{
	const struct claim *claims = (const struct claim *)(void *)reading->claims.data;

	for (size_t i = 0; i < reading->claims.size / sizeof(*claims) && !reading->in.message; i++)
		check_claim(reading, &claims[i]);
	if (!reading->in.message)
		read_waivers_check(&reading->in, reading->report, reading->arena, reading->waivers_at);
	if (!reading->in.message && report_exit_status(reading->report) != reading->exit_status)
		in_fail(&reading->in, reading->exit_status_at, "the exit status is %d by the verdict: it was edited",
		        report_exit_status(reading->report));
}

/* The place as people and editors count, and the line there. */
static void place_error(const struct json_in *in, struct arena *arena, struct read_error *error)
{
	enum { AROUND = 40 };
	size_t start = 0, at = in->wrong_at < in->size ? in->wrong_at : in->size, end = at;
	char before[4 * AROUND + 1], after[4 * AROUND + 1];

	error->line = 1;
	for (const char *newline; start < at && (newline = memchr(in->text + start, '\n', at - start));) {
		start = (size_t)(newline - in->text) + 1;
		error->line++;
	}
	error->column = at - start + 1;
	error->offset = at;
	if (at - start > AROUND)
		start = at - AROUND;
	while (end < in->size && end < at + AROUND && in->text[end] != '\n')
		end++;
	text_escape(before, sizeof(before), (struct tav_text){in->text + start, at - start});
	text_escape(after, sizeof(after), (struct tav_text){in->text + at, end - at});
	error->excerpt = arena_printf(arena, "%s%s", before, after);
	error->caret = text_cells(before, strlen(before));
	error->message = arena_printf(arena, "not a report of tav's that can be read: %s", in->message);
	if (!error->message)
		error->message = "out of memory";
}

/* Baselines belong to the run that named them, and what combine() told to the sources that it saw. */
static bool keep_each(struct report *report)
{
	bool is_done = true;

	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++) {
		if (i >= report->source_count)
			results_fini(&report->sources[i].results);
		else
			is_done = is_done && results_keep_each(&report->sources[i].results);
	}
	results_fini(&report->run);
	report->baseline_count = report->waiver_count = 0; /* what does not count here may count where it is read */
	return is_done;
}

bool report_is_report(const char *text, size_t size)
{
	static const char begin[] = "\"schema\":\"tav-report/";
	size_t matched = 0;

	for (size_t i = 0, is_open = 0; i < size; i++) {
		if (strchr(" \t\r\n", text[i]) && text[i])
			continue;
		if (!is_open) {
			if (text[i] != '{')
				return false;
			is_open = 1;
			continue;
		}
		if (text[i] != begin[matched])
			return false;
		if (!begin[++matched])
			return true;
	}
	return false;
}

bool report_read_text(const char *text, size_t size, bool is_whole, struct read_report *out, struct read_error *error)
{
	*out = (struct read_report){0};
	*error = (struct read_error){0};
	struct reading reading = {
	        .in = {.text = text, .size = size, .arena = &out->arena}, .report = &out->report, .arena = &out->arena};

	reading.told.in = &reading.in;
	reading.told.report = &out->report;
	read_top(&reading);
	if (!reading.in.message)
		check_all(&reading);
	if (!reading.in.message && !is_whole && !keep_each(&out->report))
		in_fail(&reading.in, size, "out of memory");
	if (reading.in.message)
		place_error(&reading.in, &out->arena, error);
	told_in_fini(&reading.told);
	buffer_fini(&reading.sources);
	buffer_fini(&reading.texts);
	buffer_fini(&reading.claims);
	buffer_fini(&reading.stages);
	return !error->message;
}

void read_report_fini(struct read_report *read)
{
	report_fini(&read->report);
	arena_fini(&read->arena);
}

/* ---- Do two reports belong together? ---------------------------------------------------------------------------- */
static const struct report_option *find_option(const struct report_stage *stage, const char *name)
{
	for (uint32_t i = 0; i < stage->option_count; i++) {
		if (!strcmp(stage->options[i].name, name))
			return &stage->options[i];
	}
	return NULL;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static const char *or_nothing(const char *text)
{
	return text ? text : "nothing";
}

/* The options that shape what each() finds must be the same, and there. */
static const char *option_difference(const struct report_stage *ours, const struct report_stage *theirs,
                                     struct arena *arena)
{
	const char *id = ours->id ? ours->id : ours->name;

	for (uint32_t i = 0; i < ours->option_count; i++) {
		const struct report_option *option = &ours->options[i], *other = find_option(theirs, option->name);

		if (option->is_late || (other && is_same(option->text, other->text)))
			continue;
		return arena_printf(arena, "%s.%s is %s here and %s there", id, option->name, or_nothing(option->text),
		                    other ? or_nothing(other->text) : "unknown");
	}
	for (uint32_t i = 0; i < theirs->option_count; i++) {
		if (!theirs->options[i].is_late && !find_option(ours, theirs->options[i].name))
			return arena_printf(arena, "%s.%s is unknown here and %s there", id, theirs->options[i].name,
			                    or_nothing(theirs->options[i].text));
	}
	return NULL;
}

const char *report_difference(const struct report *report, const struct report *other, struct arena *arena)
{
	const char *difference = NULL;

	for (uint32_t i = 0; i < report->stage_count || i < other->stage_count; i++) {
		const struct report_stage *ours = i < report->stage_count ? &report->stages[i] : NULL;
		const struct report_stage *theirs = i < other->stage_count ? &other->stages[i] : NULL;

		if (!ours || !theirs)
			difference = arena_printf(arena, "stage %" PRIu32 " is %s here and %s there", i + 1,
			                          ours ? ours->name : "missing", theirs ? theirs->name : "missing");
		else if (strcmp(ours->name, theirs->name))
			difference = arena_printf(arena, "stage %" PRIu32 " is %s here and %s there", i + 1, ours->name,
			                          theirs->name);
		else if (strcmp(ours->id ? ours->id : ours->name, theirs->id))
			difference = arena_printf(arena, "stage %" PRIu32 " has the id %s here and %s there", i + 1,
			                          ours->id ? ours->id : ours->name, theirs->id);
		else if (!is_same(ours->version, theirs->version))
			difference = arena_printf(arena, "%s is of version %s here and %s there", ours->name,
			                          or_nothing(ours->version), or_nothing(theirs->version));
		else if (!(difference = option_difference(ours, theirs, arena)))
			continue;
		return difference ? difference : "out of memory while comparing it";
	}
	return NULL;
}
