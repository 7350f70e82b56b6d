/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the way from text to columns. For every input, as it is and as the value of an argument:
 *   1. All scanners agree to the letter, with blocks that end anywhere, on one thread or several.
 *   2. What is read strictly is read leniently with the same result; a lenient reading without repairs is strict.
 *   3. What is accepted, yajl accepts, and so does json-c, with equal values but for three kinds: integers beyond 64
 *      bits, strings with a lone surrogate, keys with \u0000.
 *   4. What yajl accepts is accepted, or refused for a reason of the list below (is_our_rule).
 * Each input takes one turn of these comparisons, the next one another: what one misses, a mutation of it meets.
 */
#include <json-c/json.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include <kit/text.h>
#include <reader/load.h>

#include "../unit/trace_text.h"
#include "fuzz.h"

static struct wanted wanted_fields(void)
{
	struct wanted wanted = {0};

	wanted_add(&wanted, "args.a", TAV_TYPE_STRING);
	wanted_add(&wanted, "args.a", TAV_TYPE_INT);
	wanted_add(&wanted, "args.a", TAV_TYPE_REAL);
	wanted_add(&wanted, "args.a", TAV_TYPE_JSON);
	wanted_add(&wanted, "args.a", TAV_TYPE_PRESENT);
	wanted_add(&wanted, "id", TAV_TYPE_STRING);
	return wanted;
}
enum { A_STRING, A_INT, A_REAL, A_JSON, A_PRESENT, ID };

__attribute__((noreturn, format(printf, 3, 4))) static void fail(const char *data, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\ntext of %zu bytes: ", size);
	text_print_escaped(stderr, (struct tav_text){data, size});
	fputc('\n', stderr);
	abort();
}

/* ---- yajl --------------------------------------------------------------------------------------------------- */

struct counted {
	unsigned depth, deepest;
};

static int open_bracket(void *user)
{
	struct counted *counted = user;

	if (++counted->depth > counted->deepest)
		counted->deepest = counted->depth;
	return 1;
}

static int close_bracket(void *user)
{
	((struct counted *)user)->depth--;
	return 1;
}

static bool yajl_accepts(const char *data, size_t size, unsigned *depth)
{
	static const yajl_callbacks callbacks = {.yajl_start_map = open_bracket,
	                                         .yajl_end_map = close_bracket,
	                                         .yajl_start_array = open_bracket,
	                                         .yajl_end_array = close_bracket,
	                                         .yajl_number = NULL};
	struct counted counted = {0};
	yajl_handle parser = yajl_alloc(&callbacks, NULL, &counted);

	if (!parser)
		abort();
	yajl_config(parser, yajl_dont_validate_strings, 1); /* bad UTF-8 is a warning with us */
	bool is_accepted = yajl_parse(parser, (const unsigned char *)data, size) == yajl_status_ok &&
	                   yajl_complete_parse(parser) == yajl_status_ok;
	yajl_free(parser);
	*depth = counted.deepest;
	return is_accepted;
}

/*
 * The written list of what yajl accepts and we do not:
 *   - a vertical tab and a form feed, which it takes for white space;
 *   - a text that is JSON but no trace: no list of events, something in it that is no object, traceEvents twice;
 *   - brackets deeper than our limit;
 *   - an empty text, where it waits for more;
 *   - half a token behind the end, such as a quote, where it waits for more, too.
 */
static bool is_our_rule(const char *data, size_t size, unsigned depth, const char *message)
{
	static const char *const reasons[] = {"expected an event, '{'",
	                                      "no traceEvents",
	                                      "behind traceEvents",
	                                      "duplicate key",
	                                      "at the start of",
	                                      "levels of brackets",
	                                      "is empty",
	                                      "UTF-16",
	                                      "gzip within",
	                                      "second document"};

	if (message && strstr(message, "behind the end of the trace")) {
		char *more = malloc(size + 2);

		if (!more)
			abort();
		memcpy(mempcpy(more, data, size), "\" ", 2);
		bool is_whole = yajl_accepts(more, size + 2, &depth);
		free(more);
		return !is_whole;
	}
	if (memchr(data, '\v', size) || memchr(data, '\f', size) || depth > SCAN_MAX_DEPTH - 2)
		return true;
	for (size_t i = 0; message && i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (strstr(message, reasons[i]))
			return true;
	}
	return false;
}

/* ---- json-c ------------------------------------------------------------------------------------------------- */

static bool same_text(const struct json_object *object, struct tav_text text)
{
	/* The three bytes of a lone surrogate are not UTF-8; json-c makes another character of it. */
	return utf8_count_bad(text.data, text.size) ||
	       text_equals(text, (struct tav_text){json_object_get_string((struct json_object *)object),
	                                           (size_t)json_object_get_string_len(object)});
}

/* A scalar as a value id names it: nothing, or what json-c says. */
static bool same_scalar(struct json_object *object, struct tav_text text)
{
	char digits[32];

	switch (json_object_get_type(object)) {
	case json_type_string:
		return same_text(object, text);
	case json_type_boolean:
		return text_is(text, json_object_get_boolean(object) ? "true" : "false");
	case json_type_int: /* beyond 64 bits json-c takes the nearest */
		snprintf(digits, sizeof(digits), "%lld", (long long)json_object_get_int64(object));
		return text_is(text, digits) || text_is(text, "-0") || text.size >= 19;
	case json_type_double:
		return text.size > 0 && strtod(text.data, NULL) == json_object_get_double(object);
	default:
		return !text.size;
	}
}

static void compare_argument(const char *data, size_t size, const struct read_job *job, tav_row row,
                             struct json_object *event)
{
	const struct field_column *fields = job->events->fields;
	struct json_object *args = NULL, *attr = NULL, *a = NULL, *again;
	struct tav_text text = value_of(job, field_id(job, A_STRING, row));
	struct tav_text json = value_of(job, field_id(job, A_JSON, row));
	uint64_t integer, bits, one;
	double real = 0;
	bool has_integer = field_get(&fields[A_INT], TAV_TYPE_INT, row, &integer);
	bool has_real = field_get(&fields[A_REAL], TAV_TYPE_REAL, row, &bits);
	bool is_present = field_get(&fields[A_PRESENT], TAV_TYPE_PRESENT, row, &one);

	if (has_real)
		memcpy(&real, &bits, sizeof(real));

	json_object_object_get_ex(event, "args", &args);
	if (json_object_object_get_ex(event, "attr",
	                              &attr)) /* two names of one thing: which one counts is not json-c's matter */
		return;
	bool has_member = json_object_is_type(args, json_type_object) && json_object_object_get_ex(args, "a", &a);
	if (!same_scalar(a, text))
		fail(data, size, "args.a of row %u is \"%.*s\" for tav, another value for json-c", row,
		     TEXT_ARGS(text));
	bool wants_presence = a && !(json_object_is_type(a, json_type_string) && !json_object_get_string_len(a));
	if (is_present != wants_presence)
		fail(data, size, "args.a of row %u: is it there?", row);
	if (json_object_is_type(a, json_type_int) && has_integer && (int64_t)integer != json_object_get_int64(a))
		fail(data, size, "args.a of row %u is another integer", row);
	if (json_object_is_type(a, json_type_double) &&
	    (has_integer || has_real != isfinite(json_object_get_double(a)) ||
	     (has_real && real != json_object_get_double(a))))
		fail(data, size, "args.a of row %u is another number", row);
	if (has_member != (json.size > 0))
		fail(data, size, "args.a of row %u: JSON text or not?", row);
	if (!has_member)
		return;
	struct json_tokener *tokener = json_tokener_new_ex(SCAN_MAX_DEPTH + 2);
	again = json_tokener_parse_ex(tokener, json.data, (int)json.size + 1);
	if (json_tokener_get_error(tokener) != json_tokener_success)
		fail(data, size, "the JSON text of args.a of row %u is none: %.*s", row, TEXT_ARGS(json));
	bool has_nan = strstr(json_object_to_json_string(a), "NaN");
	if (!json_object_equal(a, again) && !has_nan)
		fail(data, size, "the JSON text of args.a of row %u is another value: %.*s", row, TEXT_ARGS(json));
	json_object_put(again);
	json_tokener_free(tokener);
}

static void compare_event(const char *data, size_t size, const struct read_job *job, tav_row row,
                          struct json_object *event)
{
	const struct label *labels = job->events->labels.data,
	                   *label = &labels[COLUMN(job->events, label, const uint32_t)[row]];
	const struct {
		const char *key;
		uint32_t id;
	} members[] = {{"name", label->name},
	               {"cat", label->category},
	               {"pid", COLUMN(job->events, pid, const uint32_t)[row]},
	               {"tid", COLUMN(job->events, tid, const uint32_t)[row]},
	               {"id", field_id(job, ID, row)}};
	struct json_object *value;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		value = NULL;
		json_object_object_get_ex(event, members[i].key, &value);
		if (!same_scalar(value, value_of(job, members[i].id)))
			fail(data, size, "\"%s\" of row %u is \"%.*s\" for tav, another value for json-c",
			     members[i].key, row, TEXT_ARGS(value_of(job, members[i].id)));
	}
	if (COLUMN(job->events, traits, const uint32_t)[row] & TAV_TRAIT_INTERVAL &&
	    json_object_object_get_ex(event, "ts", &value)) {
		double us = json_object_is_type(value, json_type_string) ? strtod(json_object_get_string(value), NULL)
		                                                         : json_object_get_double(value);
		double difference = us * 1e3 - (double)COLUMN(job->events, start_ns, const int64_t)[row];

		if (fabs(difference) > 1 + fabs(us) * 1e-12)
			fail(data, size, "ts of row %u is %lld ns for tav, %g us for json-c", row,
			     (long long)COLUMN(job->events, start_ns, const int64_t)[row], us);
	}
	if (COLUMN(job->events, phase, const char)[row] != 'B') /* of a pair, the E event adds to it */
		compare_argument(data, size, job, row, event);
}

static bool is_phase(struct json_object *event, const char *phase)
{
	struct json_object *value = NULL;

	return json_object_object_get_ex(event, "ph", &value) && json_object_is_type(value, json_type_string) &&
	       json_object_get_string_len(value) == 1 && !strcmp(json_object_get_string(value), phase);
}

static void compare_trace(const char *data, size_t size, const struct read_job *job)
{
	struct json_tokener *tokener = json_tokener_new_ex(SCAN_MAX_DEPTH + 2);
	struct json_object *root, *list;
	size_t bom = size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;

	if (!tokener)
		abort();
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	root = json_tokener_parse_ex(tokener, data + bom, (int)(size - bom));
	enum json_tokener_error error = json_tokener_get_error(tokener);
	if (error != json_tokener_success)
		fail(data, size, "tav accepts what json-c refuses: %s", json_tokener_error_desc(error));
	list = root;
	if (json_object_is_type(root, json_type_object))
		json_object_object_get_ex(root, "traceEvents", &list);
	if (!json_object_is_type(list, json_type_array))
		fail(data, size, "tav finds events where json-c finds no list");
	tav_row row = 0;
	size_t count = json_object_array_length(list);
	if (job->events->event_count != count)
		fail(data, size, "%llu events for tav, %zu for json-c", (unsigned long long)job->events->event_count,
		     count);
	for (size_t i = 0; i < count; i++) {
		struct json_object *event = json_object_array_get_idx(list, i);

		if (json_object_object_length(event) && !is_phase(event, "E"))
			compare_event(data, size, job, row++, event);
	}
	if (row != job->events->row_count)
		fail(data, size, "%u rows for tav, %u for json-c", job->events->row_count, row);
	json_object_put(root);
	json_tokener_free(tokener);
}

/* ---- The properties ----------------------------------------------------------------------------------------- */

/* How a text is read; all ways agree. */
struct way {
	const char *code;
	size_t block_size; /* 0: what the text says, 1 to 31 */
	unsigned threads;
};
static const struct way ways[] = {{"avx2", 0, 1}, {"sse2", 64, 1},    {"scalar", 0, 1}, {"scalar", 1 << 16, 1},
                                  {"sse2", 0, 1}, {"scalar", 200, 1}, {NULL, 1, 1}};
static const struct way threaded_ways[] = {{NULL, 1024, 4}, {NULL, 64, 4}, {NULL, 0, 2}}; /* these take longer */
enum { WAYS = sizeof(ways) / sizeof(ways[0]), THREADED_WAYS = 3, THREADED_TURNS = 20, PEER_TURNS = 5 };

static const struct way *way_of(unsigned turn)
{
	return turn % THREADED_TURNS ? &ways[turn % WAYS] : &threaded_ways[turn / THREADED_TURNS % THREADED_WAYS];
}

static char *read_and_dump(const char *data, size_t size, const struct wanted *wanted, bool is_lenient,
                           const struct way *way, tav_status *status, bool *is_mended)
{
	size_t odd = size ? (unsigned char)data[size / 2] % 31 + 1 : 1;
	struct read_job job;

	*status = read_with(&job, wanted, data, size, is_lenient, way->block_size ? way->block_size : odd, way->code,
	                    way->threads);
	char *dump = dump_job(&job, wanted, *status);
	if (!dump)
		abort();
	*is_mended = false;
	for (const struct notice *notice = job.events ? job.events->notices : NULL; notice; notice = notice->next)
		*is_mended = *is_mended || notice->kind == NOTICE_REPAIR;
	read_job_fini(&job);
	return dump;
}

/* The dump of a plain reading, with which another way agrees. */
static char *read_in_two_ways(const char *data, size_t size, const struct wanted *wanted, bool is_lenient,
                              const struct way *way, tav_status *status, bool *is_mended)
{
	static const struct way plain = {NULL, 1 << 16, 1};
	char *first = read_and_dump(data, size, wanted, is_lenient, &plain, status, is_mended);

	if (scan_choose(way->code) && (way->block_size != 1 || size < 256)) {
		tav_status other_status;
		bool other_mended;
		char *other = read_and_dump(data, size, wanted, is_lenient, way, &other_status, &other_mended);

		if (strcmp(first, other) != 0)
			fail(data, size, "%s in blocks of %zu on %u threads reads\n%snot\n%s",
			     way->code ? way->code : "the best", way->block_size, way->threads, other, first);
		free(other);
	}
	return first;
}

static void compare_peers(const char *data, size_t size, const struct wanted *wanted)
{
	bool is_gzip = size >= 2 && !memcmp(data, "\x1f\x8b", 2);
	size_t bom = size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
	struct read_job job;
	unsigned depth;

	if (is_gzip)
		return;
	tav_status status = read_bytes(&job, wanted, data, size, false, 1 << 16, NULL);
	bool is_valid = yajl_accepts(data + bom, size - bom, &depth);
	if (!status && job.events->form != TAV_FORM_LINES) {
		if (!is_valid)
			fail(data, size, "tav accepts what yajl refuses");
		if (!memmem(data, size, "\\u0000", 6))
			compare_trace(data, size, &job);
	}
	if (status && is_valid && !is_our_rule(data, size, depth, job.error.message))
		fail(data, size, "yajl accepts what tav refuses: %s",
		     job.error.message ? job.error.message : "no memory");
	read_job_fini(&job);
}

static void try_text(const char *data, size_t size)
{
	static struct wanted wanted;
	static unsigned turn;
	const struct way *way = way_of(turn);
	tav_status strict_status, lenient_status;
	bool is_mended, is_never_mended;

	if (!wanted.count)
		wanted = wanted_fields();
	char *strict = read_in_two_ways(data, size, &wanted, false, way, &strict_status, &is_never_mended);
	char *lenient = read_in_two_ways(data, size, &wanted, true, way, &lenient_status, &is_mended);
	if (is_never_mended)
		fail(data, size, "a strict reading made repairs: %s", strict);
	if (!strict_status && strcmp(strict, lenient) != 0)
		fail(data, size, "leniently read as\n%snot\n%s", lenient, strict);
	if (strict_status && !lenient_status && !is_mended)
		fail(data, size, "accepted leniently without a repair: %s", lenient);
	if (turn++ % PEER_TURNS == 0)
		compare_peers(data, size, &wanted);
	free(strict);
	free(lenient);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char before[] = "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"args\":{\"a\":";
	static const char middle[] = ",\"b\":2}},\n{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"args\":{\"a\":";
	static const char after[] = ",\"b\":2}}]}";
	const char *data = (const char *)bytes;

	static bool is_wrapped, has_begun;

	if (!has_begun) { /* memory stays with the process: each reading takes the same again */
		mallopt(M_MMAP_THRESHOLD, 1 << 30);
		mallopt(M_TRIM_THRESHOLD, 1 << 30);
		has_begun = true;
	}
	if (size > 1 << 16)
		return 0;
	is_wrapped = !is_wrapped;
	if (!is_wrapped) {
		try_text(data ? data : "", size);
		return 0;
	}
	size_t whole = size * 2 + sizeof(before) + sizeof(middle) + sizeof(after);
	char *text = malloc(whole), *end = text;
	if (!text)
		abort();
	/* Twice, so that the second one is read with the steps of the first. */
	end = mempcpy(end, before, sizeof(before) - 1);
	end = mempcpy(end, data, size);
	end = mempcpy(end, middle, sizeof(middle) - 1);
	end = mempcpy(end, data, size);
	end = mempcpy(end, after, sizeof(after) - 1);
	try_text(text, (size_t)(end - text));
	free(text);
	return 0;
}
