/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace/store.h>

#include "suite.h"
#include "trace_text.h"

/* A source of `rows` intervals on `tracks` tracks. */
static struct events *make_events(tav_row rows, uint32_t tracks, int64_t (*start)(tav_row), int64_t (*length)(tav_row))
{
	struct events *events = malloc(sizeof(*events));

	CU_ASSERT_PTR_NOT_NULL_FATAL(events);
	events_init(events);
	CU_ASSERT_TRUE_FATAL(intern_init(&events->values));
	events->path = "test";
	events->row_count = rows;
	events->track_count = tracks;
	CU_ASSERT_TRUE_FATAL(pages_reserve(&events->start_ns, rows * 8u) && pages_reserve(&events->end_ns, rows * 8u) &&
	                     pages_reserve(&events->traits, rows * 4u) && pages_reserve(&events->track, rows * 4u));
	for (tav_row row = 0; row < rows; row++) {
		COLUMN(events, start_ns, int64_t)[row] = start(row);
		COLUMN(events, end_ns, int64_t)[row] = start(row) + length(row);
		COLUMN(events, track, uint32_t)[row] = row * 7 % tracks;
		COLUMN(events, traits, uint32_t)
		[row] = row % 11 == 5 ? TAV_TRAIT_UNUSABLE : TAV_TRAIT_INTERVAL | (row % 3 ? TAV_TRAIT_DEVICE : 0);
	}
	return events;
}

static int64_t ascending(tav_row row)
{
	return row * 10;
}

static int64_t descending(tav_row row)
{
	return -(int64_t)row;
}

static int64_t mixed(tav_row row)
{
	return row * 2654435761u % 5003;
}

static int64_t equal(tav_row row)
{
	return row ? 5 : 6;
}

static void check_order(const struct events *events, const struct tav_order *order, uint32_t traits)
{
	const int64_t *start_ns = COLUMN(events, start_ns, const int64_t),
	              *end_ns = COLUMN(events, end_ns, const int64_t);
	uint64_t expected = 0;

	for (tav_row row = 0; row < events->row_count; row++)
		expected += (COLUMN(events, traits, const uint32_t)[row] & (traits | TAV_TRAIT_INTERVAL)) ==
		            (traits | TAV_TRAIT_INTERVAL);
	CU_ASSERT_EQUAL_FATAL(order->track_count, events->track_count);
	CU_ASSERT_EQUAL_FATAL(order->first[0], 0);
	CU_ASSERT_EQUAL_FATAL(order->first[order->track_count], expected);
	for (uint32_t track = 0; track < order->track_count; track++) {
		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
			tav_row row = order->rows[i], before = order->rows[i ? i - 1 : 0];

			CU_ASSERT_EQUAL_FATAL(COLUMN(events, track, const uint32_t)[row], track);
			CU_ASSERT_TRUE_FATAL(COLUMN(events, traits, const uint32_t)[row] & TAV_TRAIT_INTERVAL);
			if (i == order->first[track])
				continue;
			bool is_behind = start_ns[before] != start_ns[row] ? start_ns[before] < start_ns[row]
			                 : end_ns[before] != end_ns[row]   ? end_ns[before] > end_ns[row]
			                                                   : before < row;
			CU_ASSERT_TRUE_FATAL(is_behind);
		}
	}
}

static void orders_by_track_and_time(void)
{
	int64_t (*const starts[])(tav_row) = {ascending, descending, mixed, equal};
	static const tav_row sizes[] = {0, 1, 2, 17, 1000, 20000};
	struct causes causes = {0};

	for (unsigned s = 0; s < 4; s++) {
		for (unsigned n = 0; n < 6; n++) {
			for (uint32_t tracks = 1; tracks < 6; tracks += 2) {
				const struct tav_order *order, *again;
				struct events *events = make_events(sizes[n], tracks, starts[s], mixed);

				CU_ASSERT_EQUAL_FATAL(events_order(events, TAV_TRAIT_DEVICE, &order, &causes), TAV_OK);
				check_order(events, order, TAV_TRAIT_DEVICE);
				CU_ASSERT_EQUAL_FATAL(events_order(events, 0, &again, &causes), TAV_OK);
				check_order(events, again, 0);
				CU_ASSERT_EQUAL_FATAL(
				        events_order(events, TAV_TRAIT_DEVICE | TAV_TRAIT_INTERVAL, &again, &causes),
				        TAV_OK);
				CU_ASSERT_PTR_EQUAL(order, again);
				events_free(events);
			}
		}
	}
	causes_clear(&causes);
}

/* Whether a write there ends the process. */
static bool is_sealed(void *place)
{
	int status = 0;

	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		signal(SIGSEGV, SIG_DFL); /* not a sanitizer's */
		signal(SIGBUS, SIG_DFL);
		*(volatile char *)place = 1;
		_exit(0);
	}
	CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status);
}

/* All that a verdict rests on, of a source that was read. */
static void sealed_sources_refuse_writes(void)
{
	static const char head[] =
	        "{\"a\":1,\"traceEvents\":[{\"ph\":\"X\",\"name\":\"kernel\",\"ts\":1,\"dur\":2,"
	        "\"args\":{\"stream\":7}},{\"ph\":\"X\"},{\"ph\":\"B\"},{\"ph\":\"E\"},{\"ph\":\"E\"},{}";
	enum { MORE = 100 };
	char text[sizeof(head) + MORE * 64];
	size_t size = (size_t)snprintf(text, sizeof(text), "%s", head);
	struct wanted wanted = {0};
	struct read_job job;
	struct causes causes = {0};

	wanted_add(&wanted, "args.stream", TAV_TYPE_STRING);
	wanted_add(&wanted, "args.stream", TAV_TYPE_INT);
	wanted_add(&wanted, "args.many", TAV_TYPE_INT);
	for (unsigned i = 0; i < MORE; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size,
		                         ",{\"ph\":\"i\",\"ts\":1,\"args\":{\"many\":%u}}", i);
	size += (size_t)snprintf(text + size, sizeof(text) - size, "]}");
	CU_ASSERT_EQUAL_FATAL(read_bytes(&job, &wanted, text, size, false, 1 << 16, NULL), TAV_OK);
	struct events *events = job.events;
	CU_ASSERT_EQUAL_FATAL(events_seal(events, &causes), TAV_OK);
	struct label label = ((const struct label *)events->labels.data)[0];
	void *places[] = {events->start_ns.data,
	                  events->end_ns.data,
	                  events->label.data,
	                  events->pid.data,
	                  events->traits.data,
	                  events->offset.data,
	                  events->phase.data,
	                  events->labels.data,
	                  events->fields[0].data.data,
	                  events->fields[1].data.data,
	                  events->fields[1].rows.data,
	                  events->fields[2].data.data,
	                  events->fields[2].present.data,
	                  events->unusable,
	                  events->unmatched.data,
	                  events->pair_ends.data,
	                  events->values.entries.data,
	                  events->values.texts.data,
	                  (char *)intern_kept(&events->values, label.name).data,
	                  (char *)events->top_level,
	                  events->notices};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		CU_ASSERT_PTR_NOT_NULL_FATAL(places[i]);
		CU_ASSERT_TRUE(is_sealed(places[i]));
	}
	CU_ASSERT_STRING_EQUAL(intern_kept(&events->values, label.name).data, "kernel");
	read_job_fini(&job);
	wanted_fini(&wanted);
}

/* ---- Fields ------------------------------------------------------------------------------------------------- */

/* Rows with a value, one of `each` in a stretch of them, and the stretch before it with one of `before`. */
static void check_field(uint32_t type, unsigned before, unsigned each, bool is_shuffled, bool is_dense)
{
	enum { ROWS = 4000 };
	struct field_column field = {.is_dense = type == TAV_TYPE_PRESENT};
	static uint64_t expected[ROWS], bits[ROWS / 64 + 1], values[ROWS];
	uint64_t count = 0, value;

	memset(expected, 0, sizeof(expected));
	memset(bits, 0, sizeof(bits));
	memset(values, 0, sizeof(values));
	CU_ASSERT_TRUE_FATAL(field_reserve(&field, type, ROWS));
	for (tav_row row = 0; row < ROWS; row++) {
		if (row % (row < ROWS / 4 ? before : each))
			continue;
		expected[row] = type == TAV_TYPE_PRESENT ? 1 : row + 1;
		CU_ASSERT_TRUE_FATAL(field_put(&field, type, row, row + 1, false, ROWS));
		count++;
		/* What is there stays; what comes late finds its place. */
		CU_ASSERT_TRUE_FATAL(field_put(&field, type, row, 7, true, ROWS));
		if (is_shuffled && row % 5 == 0 && row > 20 && !expected[row - 3]) {
			expected[row - 3] = type == TAV_TYPE_PRESENT ? 1 : 9;
			CU_ASSERT_TRUE_FATAL(field_put(&field, type, row - 3, 9, true, ROWS));
			count++;
		}
	}
	CU_ASSERT_TRUE_FATAL(field_finish(&field, type, ROWS));
	CU_ASSERT_EQUAL(field.is_dense, is_dense);
	CU_ASSERT_EQUAL(field.count, count);
	field_spread_bits(&field, type, ROWS, bits);
	if (!field.is_dense)
		field_spread(&field, type, values);
	for (tav_row row = 0; row < ROWS; row++) {
		bool is_there = field_get(&field, type, row, &value);

		CU_ASSERT_EQUAL_FATAL(is_there, expected[row] != 0);
		CU_ASSERT_FATAL(!is_there || value == expected[row]);
		CU_ASSERT_EQUAL_FATAL(bits[row / 64] >> row % 64 & 1, is_there);
		if (!field.is_dense && type == TAV_TYPE_INT)
			CU_ASSERT_EQUAL_FATAL(values[row], expected[row]);
		if (!field.is_dense && type == TAV_TYPE_STRING)
			CU_ASSERT_EQUAL_FATAL(((const uint32_t *)values)[row], expected[row]);
	}
	pages_free(&field.data);
	pages_free(&field.present);
	pages_free(&field.rows);
}

static void fields_are_sparse_or_dense(void)
{
	static const uint32_t types[] = {TAV_TYPE_INT, TAV_TYPE_STRING, TAV_TYPE_PRESENT};

	for (unsigned t = 0; t < 3; t++) {
		bool is_present = types[t] == TAV_TYPE_PRESENT;

		check_field(types[t], 50, 50, false, is_present);
		check_field(types[t], 50, 50, true, is_present);
		check_field(types[t], 3, 100, false, is_present); /* many at first, few in all */
		check_field(types[t], 100, 2, false, true);
		check_field(types[t], 3, 3, true, true);
		check_field(types[t], 5000, 5000, false, is_present);
	}
}

static void rows_are_found(void)
{
	static const tav_row rows[] = {2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };

	for (uint64_t from = 0; from <= COUNT + 1; from++) {
		for (tav_row row = 0; row < 1000; row++) {
			uint64_t at = from, place = 0;

			while (place < COUNT && rows[place] < row)
				place++;
			CU_ASSERT_EQUAL_FATAL(tav_rows_find(rows, COUNT, &at, row),
			                      place < COUNT && rows[place] == row);
			CU_ASSERT_EQUAL_FATAL(at, place);
		}
	}
}

static void notices_add_up(void)
{
	struct events *events = make_events(1, 1, ascending, mixed);

	CU_ASSERT_TRUE(notice_count(events, NOTICE_WARNING, "a", 1, 2, 3, "first"));
	CU_ASSERT_TRUE(notice_count(events, NOTICE_REPAIR, "b", 4, 5, 6, "other"));
	CU_ASSERT_TRUE(notice_add(events, NOTICE_WARNING, "a", 5, 7, 8, 9, "second"));
	CU_ASSERT_EQUAL(notice_find(events, "a")->count, 6);
	CU_ASSERT_EQUAL(notice_find(events, "a")->line, 1);
	CU_ASSERT_STRING_EQUAL(notice_find(events, "a")->message, "first");
	CU_ASSERT_EQUAL(notice_find(events, "b")->kind, NOTICE_REPAIR);
	CU_ASSERT_PTR_NULL(notice_find(events, "c"));
	events_free(events);
}

/* ---- Texts -------------------------------------------------------------------------------------------------- */

static const char *text_number(unsigned i, char *text, size_t size)
{
	static const char *const odd[] = {"",   "0",          "00",         "007",        "-1",
	                                  "+1", "1.0",        "8388607",    "8388608",    "99999999",
	                                  "1 ", "2147483646", "2147483647", "2147483648", "4294967295"};

	if (i < sizeof(odd) / sizeof(odd[0]))
		return odd[i];
	snprintf(text, size, i % 3 ? "%u" : "name %u", i % 7 ? i : i * 100003u);
	return text;
}

static void texts_are_numbered_as_they_come(void)
{
	enum { TEXTS = 20000 };
	struct intern intern;
	struct intern_room room;
	char text[32];

	CU_ASSERT_TRUE_FATAL(intern_init(&intern));
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < TEXTS; i++) {
			const char *added = text_number(i, text, sizeof(text));
			uint32_t id = intern_add(&intern, added, strlen(added));

			CU_ASSERT_EQUAL_FATAL(id, i);
			CU_ASSERT_EQUAL_FATAL(intern_find(&intern, added, strlen(added)), i);
			CU_ASSERT_STRING_EQUAL_FATAL(intern_text(&intern, id, &room).data, added);
			if (round && id % 3 == 0)
				CU_ASSERT_TRUE(intern_keep(&intern, id));
		}
	}
	for (unsigned i = 0; i < TEXTS; i++) { /* kept or not, a text has one id */
		const char *added = text_number(i, text, sizeof(text));

		CU_ASSERT_EQUAL_FATAL(intern_add(&intern, added, strlen(added)), i);
		CU_ASSERT_STRING_EQUAL_FATAL(intern_text(&intern, i, &room).data, added);
		if (i % 3 == 0)
			CU_ASSERT_STRING_EQUAL_FATAL(intern_kept(&intern, i).data, added);
	}
	CU_ASSERT_EQUAL(intern_find(&intern, "5000000", 7), INTERN_FAILED);
	CU_ASSERT_EQUAL(intern_find(&intern, "nowhere", 7), INTERN_FAILED);
	intern_fini(&intern);
}

static void texts_are_added_at_once(void)
{
	enum { TEXTS = 5000 };
	struct intern whole, part;
	static uint32_t map[TEXTS + 1];
	char text[32];

	CU_ASSERT_TRUE_FATAL(intern_init(&whole) && intern_init(&part));
	part.keeps_hashes = true;
	for (unsigned round = 0; round < 3; round++) {
		CU_ASSERT_TRUE_FATAL(intern_clear(&part));
		for (unsigned i = 1; i < TEXTS; i++) {
			const char *added = text_number(TEXTS * round / 2 + i, text, sizeof(text));

			CU_ASSERT_EQUAL_FATAL(intern_add(&part, added, strlen(added)), i);
		}
		CU_ASSERT_TRUE_FATAL(intern_add_all(&whole, &part, map));
		for (unsigned i = 1; i < TEXTS; i++)
			CU_ASSERT_EQUAL_FATAL(map[i], TEXTS * round / 2 + i);
	}
	intern_fini(&whole);
	intern_fini(&part);
}

static void wanted_fields_come_once(void)
{
	struct wanted wanted = {0};
	char paths[100][16];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(paths[i], sizeof(paths[i]), "args.k%u", i);
		CU_ASSERT_EQUAL(wanted_add(&wanted, paths[i], TAV_TYPE_STRING), i);
	}
	CU_ASSERT_EQUAL(wanted_add(&wanted, "args.k7", TAV_TYPE_STRING), 7);
	CU_ASSERT_EQUAL(wanted_add(&wanted, "args.k7", TAV_TYPE_INT), 100);
	wanted_fini(&wanted);
}

SUITE("store", {"store: orders by track and time", orders_by_track_and_time},
      {"store: sealed sources refuse writes", sealed_sources_refuse_writes}, {"store: notices add up", notices_add_up},
      {"field: sparse or dense", fields_are_sparse_or_dense}, {"field: rows are found", rows_are_found},
      {"store: wanted fields come once", wanted_fields_come_once},
      {"intern: numbered as they come", texts_are_numbered_as_they_come},
      {"intern: added at once", texts_are_added_at_once})
