/* SPDX-License-Identifier: Apache-2.0 */
/* What the arguments and the options name: traces to look at, reports to take results from, companions to read first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <kit/crash.h>
#include <kit/text.h>
#include <reader/input.h>
#include <run/read_report.h>
#include <run/session.h>

void run_watch_init(struct run_watch *watch)
{
	*watch = (struct run_watch){.is_size_known = true};
	pthread_mutex_init(&watch->lock, NULL);
}

void run_watch_fini(struct run_watch *watch)
{
	pthread_mutex_destroy(&watch->lock);
}

/* What cannot be opened or read is told when it is read as a trace. */
bool run_is_report(const char *path)
{
	struct stat status;
	struct input *input = NULL;
	struct block block;

	if (!strcmp(path, "-") || stat(path, &status) || !S_ISREG(status.st_mode))
		return false; /* a pipe can be read once */
	struct input_ask ask = {.path = path, .block_size = 32 << 10, .block_count = 1, .cancelled = &crash_cancelled};
	bool is_ours =
	        !input_open_as(&input, &ask) && !input_next(input, &block) && report_is_report(block.data, block.size);
	input_close(input);
	return is_ours;
}

struct opening { /* of one argument, or of one value of an option */
	const char *path, *role;
	uint32_t role_kind, owner;
	struct read_report *read; /* NULL: a trace */
	uint32_t first, count;    /* of its sources: those that are taken */
	struct read_error error;  /* of a report that cannot be read */
	const char *message;      /* NULL: none */
};
struct openings {
	struct opening *items;
	uint32_t count, capacity;
};

static bool add_opening(struct openings *openings, const char *path, const char *role, uint32_t kind, uint32_t owner)
{
	if (openings->count == openings->capacity) {
		uint32_t capacity = openings->capacity ? openings->capacity * 2 : 64;
		struct opening *items = realloc(openings->items, capacity * sizeof(*items));

		if (!items)
			return false;
		openings->items = items;
		openings->capacity = capacity;
	}
	openings->items[openings->count++] =
	        (struct opening){.path = path, .role = role, .role_kind = kind, .owner = owner};
	return true;
}

struct baselines {
	struct openings *openings;
	uint32_t stage;
};

static bool add_baseline(void *user, const struct tav_option *option, struct tav_value *value)
{
	const struct baselines *baselines = user;

	return add_opening(baselines->openings, value->text.data, option->name, TAV_ROLE_BASELINE, baselines->stage);
}

static bool list_openings(struct session *session, struct openings *openings)
{
	const struct run_options *options = session->options;

	for (uint32_t i = 0; i < options->trace_count; i++) {
		if (!add_opening(openings, options->traces[i], "", TAV_ROLE_SOURCE, TAV_NONE))
			return false;
	}
	for (uint32_t i = 0; i < session->stage_count; i++) {
		struct baselines baselines = {openings, i};

		if (!host_each_input(&session->stages[i], true, add_baseline, &baselines))
			return false;
	}
	return true;
}

/* A report is read whole, and must have been made by the same stages. */
static bool read_one_report(struct session *session, struct opening *opening)
{
	struct arena *arena = &session->run.report.arena;
	struct read_report *read = &session->reads[session->read_count];
	struct causes causes = {0};

	tav_status status = report_read(opening->path, read, &opening->error, &causes);
	session->read_count++;
	if (status) {
		opening->message = opening->error.message ? opening->error.message : causes_line(&causes, arena);
	} else {
		const char *difference = opening->role_kind == TAV_ROLE_BASELINE
		                                 ? NULL /* its stage takes the tables that it needs */
		                                 : report_difference(&session->run.report, &read->report, arena);

		if (difference)
			opening->message = arena_printf(arena, "a report of another pipeline: %s", difference);
		else
			opening->read = read;
		opening->count = read->report.source_count;
	}
	causes_clear(&causes);
	return opening->read || opening->message;
}

static bool read_reports(struct session *session, struct openings *openings)
{
	uint32_t count = 0;
	bool *is_ours = calloc(openings->count + 1, sizeof(*is_ours));

	for (uint32_t i = 0; is_ours && i < openings->count && !crash_cancelled; i++) {
		is_ours[i] = run_is_report(openings->items[i].path);
		count += is_ours[i];
	}
	session->reads = calloc(count + 1, sizeof(*session->reads));
	bool is_ok = is_ours && session->reads;
	for (uint32_t i = 0; is_ok && i < openings->count && !crash_cancelled; i++)
		is_ok = !is_ours[i] || read_one_report(session, &openings->items[i]);
	free(is_ours);
	return is_ok;
}

/* Results that were read, under the stages and the number that they have here. */
static bool adopt_results(struct session *session, struct report_source *source, uint32_t number,
                          const struct report *from)
{
	const struct report *report = &session->run.report;
	struct results *results = &source->results;
	struct stage_results *stages = arena_array(&results->arena, report->stage_count, sizeof(*stages));

	for (uint32_t i = 0; stages && i < report->stage_count; i++) {
		for (uint32_t j = 0; j < from->stage_count && j < results->stage_count; j++) {
			if (!strcmp(report->stages[i].id, from->stages[j].id) &&
			    !strcmp(report->stages[i].name, from->stages[j].name))
				stages[i] = results->stages[j];
		}
	}
	results->stages = stages;
	results->stage_count = stages ? report->stage_count : 0;
	results_renumber(results, number);
	return stages;
}

static void place_trace(struct session *session, const struct opening *opening, uint32_t number, bool *is_ok)
{
	struct report_source *source = &session->run.report.sources[number];

	*source = (struct report_source){
	        .path = opening->path, .role = opening->role, .role_kind = opening->role_kind, .owner = opening->owner};
	source->facts.path = text_of(source->path); /* what is known of one that cannot be read, too */
	source->facts.role = opening->role_kind;
	*is_ok = *is_ok && results_init(&source->results, number, session->stage_count);
	session->items[number] = (struct item){.path = opening->path, .is_trace = !opening->message};
	source->error = opening->message;
	if (opening->error.message)
		source->read_error = &opening->error;
}

static void place_report(struct session *session, const struct opening *opening, uint32_t *number, bool *is_ok)
{
	struct report *from = &opening->read->report;

	for (uint32_t i = opening->first; i < opening->first + opening->count && *is_ok; i++) {
		struct report_source *source = &session->run.report.sources[*number];

		*source = from->sources[i];
		from->sources[i].results = (struct results){0}; /* it has moved */
		source->role = opening->role;
		source->role_kind = opening->role_kind;
		source->facts.role = opening->role_kind;
		source->owner = opening->owner;
		source->is_report = true;
		source->facts.is_report = 1;
		session->items[*number] = (struct item){.path = source->path};
		*is_ok = adopt_results(session, source, *number, from);
		++*number;
	}
}

/* ---- Parts ----------------------------------------------------------------------------------------------------- */
/* A report that is not one of the parts of this list; NULL: it is. */
static const char *why_no_part(struct session *session, const struct read_report *read, uint32_t *n)
{
	const struct run_options *options = session->options;
	const struct report_part *part = read->report.part;
	struct arena *arena = &session->run.report.arena;

	if (!part)
		return "it is the report of a whole run, not one made with --part";
	if (part->list_hash != options->list_hash)
		return "it is a part of another list, or of this one before it changed";
	if (*n && part->n != *n)
		return arena_printf(arena, "it is one of %u parts, and those before it of %u", part->n, *n);
	*n = part->n;
	return NULL;
}

struct parts {
	struct read_report **by_number; /* by_number[k - 1]: that of part k, or NULL */
	uint32_t *next;                 /* of each, the source that its next line should be */
	uint32_t *of_line;              /* the number of the part that each line belongs to */
	uint32_t n;                     /* parts that the list was cut into, as the first report says */
};

static void parts_fini(struct parts *parts)
{
	free(parts->by_number);
	free(parts->next);
	free(parts->of_line);
}

/* Which lines belong to which of n parts. A report that says more parts than there are lines is not of this list. */
static bool cut_list(const struct list *list, struct parts *parts)
{
	parts->by_number = calloc((size_t)parts->n + 1, sizeof(*parts->by_number));
	parts->next = calloc((size_t)parts->n + 1, sizeof(*parts->next));
	parts->of_line = calloc((size_t)list->count + 1, sizeof(*parts->of_line));
	return parts->by_number && parts->next && parts->of_line && list_parts(list, parts->n, parts->of_line);
}

/* Reads the reports of the parts, each once. False: no memory. */
static bool read_parts(struct session *session, struct parts *parts, const char **message)
{
	const struct run_options *options = session->options;
	struct report *report = &session->run.report;

	for (uint32_t i = 0; i < options->part_count && !*message; i++) {
		struct opening opening = {.path = options->parts[i]};
		bool is_first = !parts->n;

		if (!read_one_report(session, &opening))
			return false;
		struct read_report *read = opening.read;
		const char *why = read ? why_no_part(session, read, &parts->n) : opening.message;
		if (!why && (parts->n > options->list->count || read->report.part->k > parts->n))
			why = "it is a part of another list";
		if (!why && is_first && !cut_list(options->list, parts))
			return false;
		struct read_report **place = why ? NULL : &parts->by_number[read->report.part->k - 1];
		if (place && *place)
			why = arena_printf(&report->arena, "part %u was given before", read->report.part->k);
		else if (place)
			*place = read;
		if (why)
			*message = arena_printf(&report->arena, "%s: %s", options->parts[i], why);
		if (why && !*message)
			return false;
	}
	return true;
}

/* Each line of the list, looked up in its part: a line that is in none is an error, and not silence. */
static bool find_in_parts(struct session *session, struct openings *openings)
{
	const struct run_options *options = session->options;
	struct report *report = &session->run.report;
	struct parts parts = {0};

	session->reads = calloc((size_t)options->part_count + 1, sizeof(*session->reads));
	bool is_ok = session->reads && read_parts(session, &parts, &report->error);
	for (uint32_t i = 0; is_ok && !report->error && i < options->trace_count; i++) {
		struct opening *opening = &openings->items[i];
		uint32_t k = parts.of_line[i] - 1;
		struct read_report *read = parts.by_number[k];

		if (read && parts.next[k] < read->report.source_count &&
		    !strcmp(read->report.sources[parts.next[k]].path, opening->path)) {
			opening->read = read;
			opening->first = parts.next[k]++;
			opening->count = 1;
			continue;
		}
		opening->message =
		        arena_printf(&report->arena, read ? "part %u does not hold it" : "part %u is missing", k + 1);
		is_ok = opening->message;
	}
	parts_fini(&parts);
	return is_ok;
}

/* Traces and the sources of reports, in the order of the arguments; behind them the baselines. */
static bool place_openings(struct session *session, const struct openings *openings)
{
	struct report *report = &session->run.report;
	uint64_t count = 0;
	uint32_t number = 0;
	bool is_ok = true;

	for (uint32_t i = 0; i < openings->count; i++) {
		const struct opening *opening = &openings->items[i];

		count += opening->read ? opening->count : 1;
	}
	if (count >= UINT32_MAX / 2)
		return false;
	report->sources = arena_array(&report->arena, count, sizeof(*report->sources));
	session->items = calloc(count + 1, sizeof(*session->items));
	if (!report->sources || !session->items)
		return false;
	for (uint32_t i = 0; i < openings->count && is_ok; i++) {
		const struct opening *opening = &openings->items[i];

		if (opening->read)
			place_report(session, opening, &number, &is_ok);
		else
			place_trace(session, opening, number++, &is_ok);
		if (opening->role_kind == TAV_ROLE_SOURCE)
			report->source_count = number;
	}
	report->baseline_count = number - report->source_count;
	return is_ok && results_init(&report->run, TAV_RUN, session->stage_count);
}

/* ---- Companions ------------------------------------------------------------------------------------------------ */
static bool count_companion(void *user, const struct tav_option *option, struct tav_value *value)
{
	(void)option;
	(void)value;
	++*(uint32_t *)user;
	return true;
}

struct companions {
	struct session *session;
	struct host *host;
};

static bool add_companion(void *user, const struct tav_option *option, struct tav_value *value)
{
	const struct companions *companions = user;
	struct session *session = companions->session;
	struct host *host = companions->host;
	uint32_t at = 0;

	while (at < session->companion_count && strcmp(session->companions[at].path, value->text.data))
		at++;
	if (at == session->companion_count) {
		session->companions[at].path = value->text.data;
		session->companions[at].option = option;
		session->companion_count++;
	}
	host->companions[host->companion_count++] = &session->companions[at].view;
	value->integer = host->companion_count;
	return true;
}

/* Read before the first source, and kept until the last has been looked at. */
static bool open_companions(struct session *session)
{
	struct report *report = &session->run.report;
	uint32_t count = 0;

	for (uint32_t i = 0; i < session->stage_count; i++)
		host_each_input(&session->stages[i], false, count_companion, &count);
	session->companions = calloc(count + 1, sizeof(*session->companions));
	if (!session->companions)
		return false;
	for (uint32_t i = 0; i < session->stage_count; i++) {
		struct host *host = &session->stages[i];
		struct companions companions = {session, host};
		uint32_t own = 0;

		host_each_input(host, false, count_companion, &own);
		host->companions = arena_array(&host->arena, own, sizeof(*host->companions));
		if (!host->companions)
			return false;
		host_each_input(host, false, add_companion, &companions);
	}
	for (uint32_t i = 0; i < session->companion_count && !crash_cancelled && !report->error; i++) {
		struct companion *companion = &session->companions[i];
		struct report_source shown = {.path = companion->path};

		companion->job.path = companion->path;
		if (!source_open(session, &companion->view, &companion->job, &shown) || report->error)
			continue;
		report->error = arena_printf(
		        &report->arena, "the trace that the option '%s' names (%s) could not be read: %s",
		        companion->option->name, companion->path, shown.error ? shown.error : "out of memory");
		if (!report->error)
			return false;
	}
	return true;
}

static void expect_sizes(struct session *session)
{
	struct run_watch *watch = session->options->watch;
	const struct report *report = &session->run.report;

	if (!watch)
		return;
	pthread_mutex_lock(&watch->lock);
	for (uint32_t i = 0; i < report->source_count + report->baseline_count; i++) {
		struct stat status;

		if (!session->items[i].is_trace || session->items[i].is_again)
			continue;
		watch->source_count++;
		if (strcmp(session->items[i].path, "-") && !stat(session->items[i].path, &status) &&
		    S_ISREG(status.st_mode))
			watch->bytes_total += (uint64_t)status.st_size;
		else
			watch->is_size_known = false;
	}
	pthread_mutex_unlock(&watch->lock);
}

bool session_open(struct session *session)
{
	struct openings openings = {0};
	bool is_ok =
	        list_openings(session, &openings) &&
	        (session->options->part_count ? find_in_parts(session, &openings) : read_reports(session, &openings)) &&
	        place_openings(session, &openings) && twins_join(session) && each_check(session, false) &&
	        (session->is_refused || (rewrite_prepare(session) && open_companions(session)));
	struct arena *arena = &session->run.report.arena;

	/* The errors lie in the openings, which go. */
	for (uint32_t i = 0; is_ok && i < session->run.report.source_count + session->run.report.baseline_count; i++) {
		struct report_source *source = &session->run.report.sources[i];

		if (!source->read_error || source->is_report)
			continue;
		struct read_error *copy = arena_alloc(arena, sizeof(*copy));
		if (copy)
			*copy = *source->read_error;
		source->read_error = copy;
		is_ok = copy;
	}
	free(openings.items);
	if (is_ok)
		expect_sizes(session);
	return is_ok;
}
