/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking at a source: read, classified, sealed, shown to each stage in the order of the config, and forgotten. At most
 * as many sources are in flight as there are threads.
 */
#include <picture/picture.h>
#include <stdlib.h>
#include <string.h>

#include <facts/facts.h>
#include <host/view.h>
#include <kit/clock.h>
#include <kit/crash.h>
#include <kit/parallel.h>
#include <kit/text.h>
#include <run/session.h>

static const char *copy_text(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text)) : NULL;
}

/* The error in one line, for the report; the writers show the excerpt themselves. */
static const char *error_line(struct arena *arena, const struct read_job *job)
{
	const struct read_error *error = &job->error;

	if (!error->message)
		return causes_line(&job->causes, arena);
	if (!error->line)
		return copy_text(arena, error->message);
	return arena_printf(arena, "line %llu, column %llu: %s", (unsigned long long)error->line,
	                    (unsigned long long)error->column, error->message);
}

static bool keep_read_error(struct arena *arena, struct report_source *shown, const struct read_error *error)
{
	struct read_error *copy;

	if (!error->message)
		return true;
	copy = arena_alloc(arena, sizeof(*copy));
	if (!copy)
		return false;
	*copy = *error;
	copy->message = copy_text(arena, error->message);
	copy->excerpt = copy_text(arena, error->excerpt);
	shown->read_error = copy;
	return copy->message && (copy->excerpt || !error->excerpt);
}

/* ---- Dialects -------------------------------------------------------------------------------------------------- */
struct dialect_calls { /* a call of each dialect, for one source: they may look at several at the same time */
	struct call *calls;
	struct dialect *dialects;
	uint32_t count;
};

static bool open_dialects(struct session *session, struct dialect_calls *calls, struct view *view)
{
	calls->calls = calloc(session->dialect_count + 1, sizeof(*calls->calls));
	calls->dialects = calloc(session->dialect_count + 1, sizeof(*calls->dialects));
	if (!calls->calls || !calls->dialects)
		return false;
	for (uint32_t i = 0; i < session->dialect_count; i++) {
		struct host *host = &session->dialects[i];

		call_init(&calls->calls[i], host, PHASE_DIALECT, view, view->threads);
		calls->dialects[i] = (struct dialect){.descriptor = &host->setup->part->dialect,
		                                      .self = &calls->calls[i].self,
		                                      .fields = host->fields,
		                                      .causes = &calls->calls[i].causes};
		calls->count++;
	}
	return true;
}

static void close_dialects(struct dialect_calls *calls)
{
	for (uint32_t i = 0; i < calls->count; i++)
		call_fini(&calls->calls[i]);
	free(calls->calls);
	free(calls->dialects);
}

/* A trace that no dialect knows can still be looked at, where no stage needs device work. */
static const struct dialect *find_generic(const struct session *session, const struct dialect_calls *calls)
{
	if (session->needs_device)
		return NULL;
	for (uint32_t i = 0; i < calls->count; i++) {
		if (!strcmp(calls->dialects[i].descriptor->name, "generic"))
			return &calls->dialects[i];
	}
	return NULL;
}

/* The dialect of a source, or NULL where none is needed. TAV_FAILED: none knows it, or the probe failed. */
static tav_status choose_dialect(struct session *session, struct dialect_calls *calls, struct events *events,
                                 const struct dialect **out, struct causes *causes)
{
	const char *reason = NULL;

	*out = NULL;
	if (session->config->dialect) {
		*out = calls->count ? &calls->dialects[0] : NULL;
		events->dialect_reason = arena_printf(&events->arena, "named by %s", session->config->dialect_from);
		return events->dialect_reason ? TAV_OK : cause_add(causes, "out of memory");
	}
	if (events->row_count == events->metadata_events) { /* empty objects make no row */
		notice_count(events, NOTICE_WARNING, "no_events", 0, 0, 0,
		             events->metadata_events ? "the trace holds metadata events alone"
		                                     : "the trace holds no events");
		return TAV_OK;
	}
	struct crash_place before = crash_enter("the probe of one of the dialects", session->dialect_names);
	int chosen = classify_probe(events, calls->dialects, calls->count, &reason, causes);
	crash_leave(before);
	if (chosen >= 0) {
		*out = &calls->dialects[chosen];
		events->dialect_reason = reason;
		return TAV_OK;
	}
	if (causes->outermost)
		return TAV_FAILED;
	*out = find_generic(session, calls);
	if (*out) {
		events->dialect_reason =
		        arena_printf(&events->arena, "no dialect recognises it (%s), and no stage needs one that does",
		                     reason ? reason : "there are none");
		return TAV_OK;
	}
	return cause_add(causes,
	                 "no dialect recognises this trace (%s); name one with --dialect, or `generic` to look "
	                 "at it without device work",
	                 reason ? reason : "there are none");
}

/* A score and a flavour cannot tell that something failed. */
static tav_status check_calls(const struct dialect_calls *calls, struct causes *causes)
{
	for (uint32_t i = 0; i < calls->count; i++) {
		if (!calls->calls[i].has_failed)
			continue;
		causes_add_all(causes, &calls->calls[i].causes);
		return cause_add(causes, "the dialect '%s' did not finish", calls->dialects[i].descriptor->name);
	}
	return TAV_OK;
}

static tav_status classify(struct session *session, struct view *view, struct causes *causes)
{
	struct dialect_calls calls = {0};
	const struct dialect *dialect = NULL;
	tav_status status;

	if (!open_dialects(session, &calls, view)) {
		close_dialects(&calls);
		return cause_add(causes, "out of memory");
	}
	status = choose_dialect(session, &calls, view->events, &dialect, causes);
	if (!status) {
		struct crash_place before = crash_enter("dialect", dialect ? dialect->descriptor->name : "none");

		status = classify_source(view->events, dialect, causes);
		crash_leave(before);
		if (status && dialect && dialect->causes->outermost) {
			struct causes both = {0};

			causes_add_all(&both, dialect->causes);
			causes_add_all(&both, causes);
			causes_clear(causes);
			*causes = both;
		}
		if (!status)
			status = check_calls(&calls, causes);
	}
	close_dialects(&calls);
	return status;
}

/* The unit of times that the user gave a dialect which has such an option, in ns; 0: none. */
static uint64_t time_unit(const struct config *config)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

	for (uint32_t i = 0; i < config->dialect_count; i++) {
		const struct setup *setup = &config->dialects[i];

		for (uint32_t k = 0; k < setup->part->option_count; k++) {
			if (strcmp(setup->part->options[k].name, "time_unit") != 0 || !setup->values[k]->given)
				continue;
			for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++) {
				if (text_is(setup->values[k]->text, units[u].name))
					return units[u].ns;
			}
		}
	}
	return 0;
}

tav_status source_open(struct session *session, struct view *view, struct read_job *job, struct report_source *shown)
{
	struct arena *arena = shown->results.stages ? &shown->results.arena : &session->run.report.arena;
	struct causes causes = {0};

	job->is_lenient = session->options->is_lenient;
	job->wanted = &session->run.wanted;
	job->cancelled = session->run.cancelled;
	job->threads = session->threads_each ? session->threads_each : session->run.jobs;
	job->max_event = session->options->max_event;
	job->is_trace_wanted = session->run.is_trace_wanted;
	job->time_unit = time_unit(session->config);
	if (read_trace(job)) {
		shown->error = error_line(arena, job);
		if (!shown->error || !keep_read_error(arena, shown, &job->error))
			shown->error = "out of memory";
		return TAV_FAILED;
	}
	bool is_ready = view_init(view, &session->run, job->events, shown->results.stages ? shown : NULL, job->threads);
	job->events = NULL;
	tav_status status = is_ready ? classify(session, view, &causes) : cause_add(&causes, "out of memory");
	if (is_ready)
		view_describe(view);
	if (!status)
		status = events_seal(view->events, &causes);
	if (status) {
		shown->error = causes_line(&causes, arena);
		if (!shown->error)
			shown->error = "out of memory";
	}
	causes_clear(&causes);
	return status;
}

/* ---- What is kept of a source ---------------------------------------------------------------------------------- */
static struct tav_text keep_text(struct arena *arena, struct tav_text text, bool *is_ok)
{
	struct tav_text copy = arena_text(arena, text);

	*is_ok = *is_ok && copy.data;
	return copy;
}

static bool keep_notes(struct arena *arena, struct report_source *shown, const struct events *events)
{
	uint32_t count = 0;

	for (const struct notice *notice = events->notices; notice; notice = notice->next)
		count++;
	shown->notes = arena_array(arena, count, sizeof(*shown->notes));
	if (!shown->notes)
		return false;
	for (const struct notice *notice = events->notices; notice; notice = notice->next) {
		struct report_note *note = &shown->notes[shown->note_count++];

		*note = (struct report_note){.is_repair = notice->kind == NOTICE_REPAIR,
		                             .id = copy_text(arena, notice->id),
		                             .message = copy_text(arena, notice->message),
		                             .count = notice->count,
		                             .line = notice->line,
		                             .column = notice->column,
		                             .offset = notice->offset};
		if (!note->id || !note->message)
			return false;
	}
	return true;
}

static bool keep_facts(struct report_source *shown, const struct view *view, const struct read_job *job,
                       bool needs_device)
{
	struct arena *arena = &shown->results.arena;
	bool is_ok = true;

	shown->facts = *view->info;
	shown->facts.path = text_of(shown->path);
	shown->facts.dialect = keep_text(arena, view->info->dialect, &is_ok);
	shown->facts.track_word = keep_text(arena, view->info->track_word, &is_ok);
	shown->dialect_reason = copy_text(arena, view->events->dialect_reason);
	shown->mtime_ns = job->mtime_ns;
	shown->file_bytes = job->file_bytes;
	is_ok = is_ok && report_keep_top_level(shown, arena, view->events->top_level, view->events->top_level_size) &&
	        (shown->dialect_reason || !view->events->dialect_reason) && keep_notes(arena, shown, view->events);
	shown->is_gzip = view->events->is_gzip;
	shown->is_read = true;
	return is_ok && report_add_doubts(shown, arena, needs_device);
}

/* ---- The stages ------------------------------------------------------------------------------------------------ */
/* The first stage that this one needs and that did not end well here; NULL: none. */
static const char *failed_need(const struct session *session, uint32_t stage, const struct results *results)
{
	const char *const *need = session->stages[stage].setup->part->stage.needs;

	for (; need && *need; need++) {
		for (uint32_t i = stage; i-- > 0;) {
			if (strcmp(session->run.report.stages[i].name, *need))
				continue;
			if (!results->stages[i].is_done)
				return session->run.report.stages[i].id;
			break;
		}
	}
	return NULL;
}

static void look_with(struct session *session, uint32_t stage, struct view *view, struct report_source *shown)
{
	struct host *host = &session->stages[stage];
	struct stage_results *told = &shown->results.stages[stage];
	const char *failed = failed_need(session, stage, &shown->results);
	struct arena *arena = &shown->results.arena;
	struct call call;

	if (failed) {
		told->skipped = arena_printf(arena, "it was not asked, for the stage '%s' did not finish", failed);
		if (!told->skipped)
			told->skipped = "it was not asked: a stage that it needs did not finish";
		return;
	}
	if (!host->setup->part->stage.each) {
		told->is_done = true;
		return;
	}
	call_init(&call, host, PHASE_EACH, view, view->threads);
	results_seal(&shown->results);
	int64_t start_ns = clock_ns();
	struct crash_place before = crash_enter("stage", host->setup->id);
	tav_status status = host->setup->part->stage.each(&call.self);
	crash_leave(before);
	results_unseal(&shown->results);
	told->elapsed_ns = clock_ns() - start_ns;
	status = call_check_status(&call, "each()", status);
	told->is_done = status == TAV_OK;
	if (status == TAV_FAILED) {
		told->error = causes_line(&call.causes, arena);
		if (!told->error)
			told->error = "it did not finish, and memory ran out";
		cause_add(&call.causes, "stage '%s' did not finish on %s", host->setup->id, shown->path);
		session_say(session, &call.causes);
	}
	call_fini(&call);
	view_forget(view);
}

static void watch_enter(struct run_watch *watch, struct read_job *job)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	for (unsigned i = 0; i < WATCHED_JOBS; i++) {
		if (!watch->active[i]) {
			watch->active[i] = job;
			break;
		}
	}
	pthread_mutex_unlock(&watch->lock);
}

static void watch_leave(struct run_watch *watch, struct read_job *job)
{
	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	for (unsigned i = 0; i < WATCHED_JOBS; i++) {
		if (watch->active[i] == job)
			watch->active[i] = NULL;
	}
	watch->bytes_done += job->bytes_done;
	watch->events_done += job->events_done;
	watch->sources_done++;
	pthread_mutex_unlock(&watch->lock);
}

/* The most that any page of this run may hold. False: nobody wants a picture. */
static bool picture_wanted(const struct session *session, struct picture_options *wanted)
{
	*wanted =
	        (struct picture_options){.max_events = PAGE_MAX_EVENTS, .max_bytes = PAGE_MAX_BYTES, .source_count = 1};
	bool is_wanted = false, is_page = false;

	for (uint32_t i = 0; i < session->config->report_count; i++) {
		const struct report_request *request = &session->config->reports[i];
		const struct tav_value *pictures = report_value(request, "pictures"),
		                       *events = report_value(request, "max_events"),
		                       *bytes = report_value(request, "max_bytes"),
		                       *anonymous = report_value(request, "anonymous");

		is_wanted |= pictures && pictures->integer;
		wanted->is_anonymous |= anonymous && anonymous->integer;
		if (!request->is_each && (events || (pictures && pictures->integer))) /* one page for all of them */
			wanted->source_count = session->run.report.source_count;
		if (!events || !bytes)
			continue;
		if (!is_page || (uint64_t)events->integer > wanted->max_events)
			wanted->max_events = (uint64_t)events->integer;
		if (!is_page || (uint64_t)bytes->integer > wanted->max_bytes)
			wanted->max_bytes = (uint64_t)bytes->integer;
		is_page = true;
	}
	return is_wanted || is_page;
}

static bool name_thread(void *user, const struct tav_event *event, struct report_thread *out)
{
	struct events *events = user;

	if (!events->pid.data || !events->tid.data)
		return true;
	uint32_t pid = COLUMN(events, pid, const uint32_t)[event->row];
	uint32_t tid = COLUMN(events, tid, const uint32_t)[event->row];
	return facts_name(events, pid, TAV_NONE, &out->process_name) && facts_name(events, pid, tid, &out->thread_name);
}

/* All stages on a trace that was read, as the source of that number. */
static void look_into(struct session *session, uint32_t number, struct view *view, const struct read_job *job)
{
	struct report_source *shown = &session->run.report.sources[number];
	struct picture_options pictures;
	struct causes causes = {0};

	bool is_kept = keep_facts(shown, view, job, session->needs_device);
	view->edits = session->run.edits ? &session->run.edits[number] : NULL;
	for (uint32_t i = 0; is_kept && i < session->stage_count && !crash_cancelled; i++)
		look_with(session, i, view, shown);
	is_kept = is_kept && report_keep_threads(shown, &shown->results.arena, name_thread, view->events);
	is_kept = is_kept && (crash_cancelled || !picture_wanted(session, &pictures) ||
	                      picture_make(view->events, shown, &pictures));
	if (!is_kept)
		shown->error = "out of memory";
	if (is_kept && rewrite_settle(session, number, view, &causes)) {
		shown->error = causes_line(&causes, &shown->results.arena);
		if (!shown->error)
			shown->error = "out of memory";
	}
	causes_clear(&causes);
}

static tav_status look_at(void *user, uint32_t number)
{
	struct session *session = user;
	struct report_source *shown = &session->run.report.sources[number];
	struct run_watch *watch = session->options->watch;
	const struct item *item = &session->items[number];
	struct read_job job = {.path = item->path};
	struct view view = {0};

	if (!item->is_trace || item->is_again)
		return TAV_OK;
	watch_enter(watch, &job);
	int64_t start_ns = clock_ns();
	tav_status status = source_open(session, &view, &job, shown);
	shown->read_ns = clock_ns() - start_ns;
	if (session->stages_cancelled)
		session->run.cancelled = session->stages_cancelled;
	if (!status)
		look_into(session, number, &view, &job);
	for (uint32_t again = item->again; again && !crash_cancelled; again = session->items[again].again) {
		struct report_source *other = &session->run.report.sources[again];

		other->read_ns = shown->read_ns;
		if (status) {
			other->error = shown->error;
			other->read_error = shown->read_error;
		} else {
			view_again(&view, other);
			look_into(session, again, &view, &job);
		}
	}
	watch_leave(watch, &job);
	if (view.events)
		view_fini(&view);
	read_job_fini(&job);
	return crash_cancelled ? TAV_CANCELLED : TAV_OK;
}

/* From now on the options are what they are, whatever a plugin writes. */
static bool seal_options(const struct session *session)
{
	bool is_sealed = true;

	for (uint32_t i = 0; i < session->stage_count; i++)
		is_sealed &= arena_seal(&session->stages[i].arena);
	for (uint32_t i = 0; i < session->dialect_count; i++)
		is_sealed &= arena_seal(&session->dialects[i].arena);
	return is_sealed;
}

bool session_look(struct session *session)
{
	const struct report *report = &session->run.report;
	uint32_t count = report->source_count + report->baseline_count, traces = 0;

	for (uint32_t i = 0; i < count; i++)
		traces += session->items[i].is_trace && !session->items[i].is_again;
	/* Threads that no source needs help within one. */
	session->threads_each = traces && traces < session->run.jobs ? session->run.jobs / traces : 1;
	if (!seal_options(session))
		return false;
	if (!report->error)
		parallel_run(session->run.jobs, count, look_at, session);
	return crash_cancelled || twins_find(session);
}
