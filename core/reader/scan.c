/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the scanner that every instruction set shares: places, messages, what is counted, decoded strings. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include <kit/text.h>
#include <reader/scan.h>
#include <tav/json.h>

bool scan_init(struct scan *scan, struct build *build, scan_code code)
{
	const struct read_job *job = build->job;

	*scan = (struct scan){.build = build,
	                      .code = code,
	                      .is_lenient = job->is_lenient,
	                      .is_part = build->is_part,
	                      .max_event = job->max_event ? job->max_event : READ_MAX_EVENT,
	                      .time_unit = job->time_unit ? job->time_unit : 1000};
	/* Written before they are read: what is not learned is not touched. */
	scan->steps = malloc(MAX_STEPS * sizeof(*scan->steps));
	scan->followers = malloc(MAX_STEPS * sizeof(*scan->followers));
	scan->entries = malloc(MAX_ENTRIES * sizeof(*scan->entries));
	scan->last_values = malloc((size_t)MAX_STEPS * LAST_BYTES);
	scan->is_of_counters = true;
	for (uint32_t i = 0; i < build->key_count; i++) {
		const struct key *key = &build->keys[i];

		for (uint32_t k = 0; key->role == ROLE_ARGS && k < key->column_count; k++) {
			const struct wanted_field *wanted = &build->wanted->items[key->columns[k]];

			scan->has_whole_args |= wanted->type == TAV_TYPE_JSON;
			scan->is_of_counters &= wanted->type == TAV_TYPE_JSON && wanted->flags & TAV_FIELD_COUNTERS;
		}
	}
	return scan->steps && scan->followers && scan->entries && scan->last_values;
}

void scan_fini(struct scan *scan)
{
	free(scan->steps);
	free(scan->followers);
	free(scan->entries);
	free(scan->last_values);
	free(scan->scratch);
	free(scan->top);
	*scan = (struct scan){0};
}

void scan_restart(struct scan *part, const struct scan *whole)
{
	part->place = PLACE_EVENT;
	part->form = whole->form;
	part->has_bracket = whole->has_bracket;
	part->has_top = whole->has_top;
	part->sighting_count = 0;
	memset(part->sightings, 0, sizeof(part->sightings));
}

scan_code scan_choose(const char *name)
{
#if defined(__x86_64__) && !defined(TAV_SCALAR)
	if ((!name || !strcmp(name, "avx2")) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
		return scan_code_avx2;
	if (!name || !strcmp(name, "sse2"))
		return scan_code_sse2;
#endif
	return !name || !strcmp(name, "scalar") ? scan_code_scalar : NULL;
}

enum scan_result scan_run(struct scan *scan, const struct view *view)
{
	scan->view = *view;
	return scan->code(scan);
}

/* ---- Places and messages ------------------------------------------------------------------------------------ */

void scan_place_of(const struct scan *scan, const char *at, uint64_t *line, uint64_t *column, uint64_t *offset)
{
	const struct view *view = &scan->view;
	uint64_t line_start = view->line_start;

	*line = view->line;
	for (const char *p = view->begin; (p = memchr(p, '\n', (size_t)(at - p))); p++) {
		++*line;
		line_start = view->offset + (uint64_t)(p + 1 - view->begin);
	}
	*offset = view->offset + (uint64_t)(at - view->begin);
	*column = *offset - line_start + 1;
}

enum { JUDGED_BYTES = 64 }; /* behind a place: with them at hand it can be named and shown */

const char *scan_fail(struct scan *scan, const char *at, const char *format, ...)
{
	va_list args;

	if (!scan->view.is_last && scan->view.end - at < JUDGED_BYTES) { /* what it is depends on what follows */
		scan->result = SCAN_MORE;
		return NULL;
	}
	va_start(args, format);
	scan->message = arena_vprintf(&scan->build->job->causes.arena, format, args);
	va_end(args);
	scan->error_at = at;
	scan->result = scan->message ? SCAN_BAD : SCAN_NO_MEMORY;
	return NULL;
}

const char *scan_no_memory(struct scan *scan)
{
	scan->result = SCAN_NO_MEMORY;
	return NULL;
}

/* Names what is at `at`, for "found ...". */
static void describe(const struct scan *scan, const char *at, char *text, size_t size)
{
	size_t left = (size_t)(scan->view.end - at);
	size_t length = utf8_length(at, left);
	char escaped[16];

	if (*at == '\'') {
		snprintf(text, size, "a single quote (strings are written in double quotes)");
	} else if (*at == '/' && left > 1 && (at[1] == '/' || at[1] == '*')) {
		snprintf(text, size, "a comment, which JSON does not have");
	} else {
		text_escape(escaped, sizeof(escaped), (struct tav_text){at, length ? length : 1});
		snprintf(text, size, "'%s'", escaped);
	}
}

const char *scan_stop(struct scan *scan, const char *at, const char *expected)
{
	char found[80];

	if (at >= scan->view.end) {
		if (!scan->view.is_last) {
			scan->result = SCAN_MORE;
			return NULL;
		}
		scan_fail(scan, scan->view.end,
		          "end of file where %s was expected: the trace is truncated, its writer did not finish it",
		          expected);
		if (scan->is_lenient && scan->result == SCAN_BAD)
			scan->result = SCAN_CUT;
		return NULL;
	}
	describe(scan, at, found, sizeof(found));
	return scan_fail(scan, at, "expected %s, found %s", expected, found);
}

const char *scan_not_a_number(const char *p)
{
	static const char *const words[] = {"infinity", "inf", "nan"};

	p += *p == '-' || *p == '+';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size = strlen(words[i]);

		if (!strncasecmp(p, words[i], size))
			return p + size;
	}
	return NULL;
}

/* A cut word at the end of the view may become one yet. */
static bool may_become_word(const struct scan *scan, const char *p)
{
	static const char *const words[] = {"true", "false", "null", "nan", "infinity", "-nan", "-infinity"};
	size_t left = (size_t)(scan->view.end - p);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (left < strlen(words[i]) && !strncasecmp(p, words[i], left))
			return true;
	}
	return false;
}

const char *scan_value_expected(struct scan *scan, const char *p)
{
	const char *end = scan_not_a_number(p);

	if (may_become_word(scan, p))
		return scan_stop(scan, scan->view.end, "the rest of a value");
	if (end)
		return scan_fail(scan, p, "'%.*s' is not JSON, which has no such number; --lenient reads it as absent",
		                 (int)(end - p), p);
	if (!strncmp(p, "undefined", 9) || !strncmp(p, "None", 4) || !strncmp(p, "True", 4) || !strncmp(p, "False", 5))
		return scan_fail(scan, p, "'%.*s' is not JSON: expected a value", *p == 'u' ? 9 : *p == 'F' ? 5 : 4, p);
	if (*p == '+')
		return scan_fail(scan, p, "a number cannot start with '+' in JSON");
	if (*p == '.')
		return scan_fail(scan, p, "a number cannot start with '.' in JSON");
	return scan_stop(scan, p, "a value");
}

const char *scan_bad_escape(struct scan *scan, const char *at)
{
	char found[80];

	/* \uXXXX needs five more bytes to be judged */
	if (at + 1 >= scan->view.end)
		return scan_stop(scan, scan->view.end, "the rest of a string");
	if (at[1] == 'u') {
		for (unsigned i = 2; i < 6; i++) {
			if (at + i >= scan->view.end)
				return scan_stop(scan, scan->view.end, "the rest of a string");
			if (!strchr("0123456789abcdefABCDEF", at[i]))
				break;
		}
		return scan_fail(scan, at,
		                 "\\u in a string needs four hexadecimal digits; a lone backslash is written \\\\");
	}
	describe(scan, at + 1, found, sizeof(found));
	return scan_fail(scan, at, "a backslash before %s is no escape of JSON: a lone backslash is written \\\\",
	                 found);
}

const char *scan_control(struct scan *scan, const char *at)
{
	unsigned char byte = (unsigned char)*at;

	if (at >= scan->view.end)
		return scan_stop(scan, at, "the closing quote of a string");
	if (byte == '\n' || byte == '\r')
		return scan_fail(scan, at,
		                 "the line ends within a string ('\\x%02x'): a quote is missing, or it is written %s",
		                 byte, byte == '\n' ? "\\n" : "\\r");
	return scan_fail(scan, at, "a string holds the control character '\\x%02x': JSON wants it written \\u%04x",
	                 byte, byte);
}

/* ---- What is counted ---------------------------------------------------------------------------------------- */

void scan_settle(struct scan *scan)
{
	const struct step *step = scan->step;

	if (step) {
		scan->level = 1u + step->is_in_args;
		scan->key = step->bytes + step->key_at;
		scan->key_size = step->key_size;
	}
	scan->step = NULL;
}

void scan_pend(struct scan *scan, unsigned kind, const char *at)
{
	struct pending *pending = &scan->pending[kind];

	scan_settle(scan);
	if (!pending->count++) {
		pending->first = at;
		pending->key = scan->key;
		pending->key_size = scan->key_size;
	}
	scan->has_pending = true;
	scan->pend_count++;
}

void scan_forget(struct scan *scan)
{
	memset(scan->pending, 0, sizeof(scan->pending));
	scan->has_pending = false;
}

bool scan_tell(struct scan *scan, const struct sighting *sighting)
{
	static const struct {
		unsigned kind;
		const char *id, *text;
	} kinds[PENDING_COUNT] = {
	        {NOTICE_REPAIR, "trailing_comma", "a comma before a closing bracket was ignored"},
	        {NOTICE_REPAIR, "not_a_number", "a number that JSON does not have (NaN, Infinity) was read as absent"},
	        {NOTICE_REPAIR, "control_character", "a control character stands raw in a string and was kept"},
	        {NOTICE_REPAIR, "bad_escape", "a lone backslash in a string was kept as it stands"},
	        {NOTICE_REPAIR, "not_an_object", "something in the list of events is no object and was skipped"},
	        {NOTICE_WARNING, "duplicate_key", "duplicate key"},
	        {NOTICE_WARNING, "bad_utf8", "a string holds bytes that are not UTF-8; they are kept as they are"},
	        {NOTICE_REPAIR, "several_documents",
	         "a further JSON document follows the first, and its events were read, too; of the other members those "
	         "of the first hold"}};
	struct events *events = scan->build->events;
	uint64_t line = 0, column = 0, offset = 0;
	unsigned kind = sighting->kind;
	const char *text = kinds[kind].text;
	char message[400], key[120], name[120];
	struct intern_room room;

	if (!notice_find(events, kinds[kind].id)) {
		scan_place_of(scan, sighting->first, &line, &column, &offset);
		text_escape(key, sizeof(key),
		            (struct tav_text){sighting->key ? sighting->key : "", sighting->key_size});
		text_escape(name, sizeof(name), intern_text(sighting->values, sighting->name, &room));
		if (kind == PENDING_DUPLICATE)
			snprintf(message, sizeof(message),
			         "duplicate key \"%s\" in event %llu (\"%s\"): the last one counts", key,
			         (unsigned long long)sighting->event, name);
		else if (sighting->key_size)
			snprintf(message, sizeof(message), "%s (at the key \"%s\")", text, key);
		else
			snprintf(message, sizeof(message), "%s", text);
		text = message;
	}
	return notice_add(events, kinds[kind].kind, kinds[kind].id, sighting->count, line, column, offset, text);
}

/* A part keeps it: it knows neither lines nor numbers of events. */
static bool keep_sighting(struct scan *scan, const struct sighting *sighting)
{
	for (uint32_t i = 0; i < scan->sighting_count; i++) {
		if (scan->sightings[i].kind == sighting->kind) {
			scan->sightings[i].count += sighting->count;
			return true;
		}
	}
	scan->sightings[scan->sighting_count++] = *sighting;
	return true;
}

static bool count_pending(struct scan *scan, unsigned kind)
{
	const struct pending *pending = &scan->pending[kind];
	const struct build *build = scan->build;
	struct sighting sighting = {.kind = kind,
	                            .count = pending->count,
	                            .event = build->events->event_count + 1,
	                            .first = pending->first,
	                            .key = pending->key,
	                            .key_size = pending->key_size,
	                            .values = &build->events->values,
	                            .name = build->draft.name};

	return scan->is_part ? keep_sighting(scan, &sighting) : scan_tell(scan, &sighting);
}

bool scan_commit(struct scan *scan)
{
	bool is_done = true;

	for (unsigned kind = 0; kind < PENDING_COUNT; kind++) {
		if (scan->pending[kind].count)
			is_done = count_pending(scan, kind) && is_done;
	}
	scan_forget(scan);
	return is_done;
}

void scan_check_utf8(struct scan *scan, const char *raw, size_t size)
{
	if (utf8_count_bad(raw, size))
		scan_pend(scan, PENDING_UTF8, raw);
}

/* ---- Decoded strings ---------------------------------------------------------------------------------------- */

bool scan_decode(struct scan *scan, const char *raw, size_t size, const char **text, size_t *text_size)
{
	/* Room for all strings of an event at once, so that nothing moves until it is over: they only get shorter. */
	size_t needed = (size_t)(scan->view.end - scan->keep) + 64;

	if (!scan->scratch_used && scan->scratch_size < needed) {
		char *grown = realloc(scan->scratch, needed);

		if (!grown)
			return false;
		scan->scratch = grown;
		scan->scratch_size = needed;
	}
	char *begin = scan->scratch + scan->scratch_used;
	size_t decoded = tav_json_decode(raw, size, begin);
	*text = begin;
	*text_size = decoded;
	scan->scratch_used += *text_size;
	return true;
}

const char *scan_hint(const struct scan *scan)
{
	static const struct {
		const char *key, *hint;
	} known[] = {
	        {"rocprofiler-sdk-tool", ": this is the JSON of rocprofv3 itself; let it write a Chrome trace instead"},
	        {"nsys", ": this looks like an export of Nsight Systems; convert it to a Chrome trace first"},
	        {"$schema", ": this looks like a profile of another tool (speedscope?)"},
	        {"nodes", ": this looks like an execution graph or a CPU profile, not like a trace"},
	};
	const char *first = scan->top_size ? scan->top : scan->place == PLACE_START ? scan->keep : "";

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		char member[64];
		int size = snprintf(member, sizeof(member), "{\"%s\"", known[i].key);

		if (!strncmp(first, member, (size_t)size))
			return known[i].hint;
	}
	return "";
}

const char *scan_too_large(struct scan *scan, const char *at)
{
	unsigned long long bound = scan->max_event;

	scan->view.is_last = true; /* what follows does not matter any more */
	if (scan->place == PLACE_START)
		return scan_fail(
		        scan, at,
		        "no traceEvents in the first %llu bytes: not a trace, or raise the bound with --max-event%s",
		        bound, scan_hint(scan));
	return scan_fail(scan, at,
	                 "what begins here is larger than %llu bytes, the most that one event may have: a quote or a "
	                 "bracket may be missing; else raise it with --max-event",
	                 bound);
}

bool scan_add_top(struct scan *scan, const char *member, size_t size)
{
	size_t needed = scan->top_size + size + 2;

	if (scan->is_further)
		return true;
	if (needed > scan->top_capacity) {
		size_t capacity = needed + needed / 2;
		char *grown = realloc(scan->top, capacity);

		if (!grown)
			return false;
		scan->top = grown;
		scan->top_capacity = capacity;
	}
	scan->top[scan->top_size] = scan->top_size ? ',' : '{';
	scan->top_size++;
	memcpy(scan->top + scan->top_size, member, size);
	scan->top_size += size;
	return true;
}
