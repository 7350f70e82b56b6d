/* SPDX-License-Identifier: Apache-2.0 */
#include <classify/track.h>

#include "made_trace.h"

static const struct tav_rule kernels[] = {{{{"cat", TAV_TEST_EQUALS, 0, "kernel"}}, TAV_TRAIT_DEVICE, 0, 0, 0}};
static const char *const pid_fields[] = {"pid", NULL}, *const stream_fields[] = {"args.stream", "args.queue", NULL};
static const struct tav_key by_stream[] = {
        {pid_fields, NULL, NULL}, {stream_fields, "0", "streams"}, {NULL, NULL, NULL}};

static const struct made_event events[] = {
        {.name = "k1", .category = "kernel", .pid = "10", .tid = "7", .end_ns = 5, .fields = {{"args.stream", "7"}}},
        {.name = "op", .category = "cpu_op", .pid = "4711", .tid = "4712", .end_ns = 5},
        {.name = "k2", .category = "kernel", .pid = "2", .tid = "7", .end_ns = 5, .fields = {{"args.stream", "11"}}},
        {.name = "k3", .category = "kernel", .pid = "2", .tid = "8", .end_ns = 5},
        {.name = "k4", .category = "kernel", .pid = "2", .tid = "9", .end_ns = 5, .fields = {{"args.stream", "0"}}},
        {.name = "k5", .category = "kernel", .pid = "2", .tid = "9", .end_ns = 5, .fields = {{"args.stream", "2"}}},
        {.name = "k6", .category = "kernel", .pid = "2", .tid = "9", .end_ns = 5, .fields = {{"args.stream", "-1"}}},
        {.name = "note", .category = "gpu_user_annotation", .pid = "10", .tid = "7", .end_ns = 5},
        {.name = "op", .category = "cpu_op", .end_ns = 5},
        {.name = "broken",
         .category = "kernel",
         .pid = "2",
         .tid = "7",
         .end_ns = -5,
         .fields = {{"args.stream", "11"}}},
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };
static const struct { /* of each event */
	const char *track;
	uint32_t number, device;
} expected[EVENTS] = {
        {"pid 10, stream 7", 4, 1},        {"thread 4711/4712", 6, TAV_NONE},
        {"pid 2, stream 11", 3, 0},        {"pid 2, stream 0", 1, 0},
        {"pid 2, stream 0", 1, 0},         {"pid 2, stream 2", 2, 0},
        {"pid 2, stream -1", 0, 0},        {"thread 10/7", 5, 1},
        {"thread none/none", 7, TAV_NONE}, {"pid 2, stream 11", 3, 0},
};

static void assign(struct made_trace *trace, const struct tav_dialect *descriptor, const uint32_t *order)
{
	made_begin(trace, descriptor);
	for (uint32_t i = 0; i < EVENTS; i++)
		made_add(trace, &events[order[i]]);
	CU_ASSERT_EQUAL_FATAL(made_classify(trace), TAV_OK);
}

static void numbers_do_not_depend_on_the_order(void)
{
	const struct tav_dialect descriptor = {
	        .struct_size = sizeof(descriptor), .name = "t", .rules = TAV_LIST(kernels), .track = by_stream};
	static struct made_trace trace;
	uint32_t order[EVENTS];

	for (uint32_t turn = 0; turn < 2 * EVENTS; turn++) {
		for (uint32_t i = 0; i < EVENTS; i++)
			order[i] = turn & 1 ? (EVENTS - 1 - i + turn) % EVENTS : (i * 3 + turn) % EVENTS;
		assign(&trace, &descriptor, order);
		CU_ASSERT_EQUAL(trace.events->track_count, 8);
		CU_ASSERT_EQUAL(trace.events->device_count, 2);
		for (uint32_t row = 0; row < EVENTS; row++) {
			const struct tav_track *track = made_track(&trace, row);
			CU_ASSERT_STRING_EQUAL(track->name.data, expected[order[row]].track);
			CU_ASSERT_EQUAL(((uint32_t *)trace.events->track.data)[row], expected[order[row]].number);
			CU_ASSERT_EQUAL(track->device, expected[order[row]].device);
			bool is_device = !strcmp(events[order[row]].category, "kernel");
			CU_ASSERT_EQUAL(track->flags, is_device ? (uint32_t)(TAV_TRACK_DEVICE | TAV_TRACK_SERIAL) : 0);
			CU_ASSERT_EQUAL(!!(made_traits(&trace, row) & TAV_TRAIT_DEFAULT_TRACK), order[row] == 3);
		}
		made_end(&trace);
	}
}

static tav_status assign_by_name(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows,
                                 uint32_t *lanes)
{
	const uint32_t *label = made_column(self, source, TAV_COL_LABEL);

	for (uint32_t i = 0; i < count; i++)
		lanes[i] = (uint32_t)(made_label(self, 0, label[rows[i]], NULL).data[1] & 1);
	return TAV_OK;
}

static tav_status assign_too_much(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows,
                                  uint32_t *lanes)
{
	(void)self;
	(void)source;
	(void)rows;
	lanes[count - 1] = 2;
	return TAV_OK;
}

static void lanes_split_a_track(void)
{
	static const struct tav_lane lanes[] = {{"even", TAV_TRACK_SERIAL, 0}, {"odd", 0, 0}};
	struct tav_dialect descriptor = {.struct_size = sizeof(descriptor),
	                                 .name = "t",
	                                 .rules = TAV_LIST(kernels),
	                                 .lanes = TAV_LIST(lanes),
	                                 .assign = assign_by_name};
	static const uint32_t order[EVENTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	static struct made_trace trace;

	assign(&trace, &descriptor, order);
	CU_ASSERT_EQUAL(trace.events->track_count, 6); /* 2: even, odd; 10: odd; three threads */
	CU_ASSERT_STRING_EQUAL(made_track(&trace, 2)->name.data, "pid 2, even");
	CU_ASSERT_STRING_EQUAL(made_track(&trace, 2)->lane.data, "even");
	CU_ASSERT_EQUAL(made_track(&trace, 2)->flags, TAV_TRACK_DEVICE | TAV_TRACK_SERIAL);
	CU_ASSERT_EQUAL(made_track(&trace, 2)->stream, 0);
	CU_ASSERT_STRING_EQUAL(made_track(&trace, 3)->name.data, "pid 2, odd");
	CU_ASSERT_EQUAL(made_track(&trace, 3)->flags, TAV_TRACK_DEVICE);
	CU_ASSERT_STRING_EQUAL(made_track(&trace, 0)->name.data, "pid 10, odd");
	CU_ASSERT_EQUAL(made_traits(&trace, 3) & TAV_TRAIT_DEFAULT_TRACK, 0);
	made_end(&trace);

	descriptor.assign = assign_too_much;
	made_begin(&trace, &descriptor);
	made_add(&trace, &events[0]);
	CU_ASSERT_EQUAL(made_classify(&trace), TAV_FAILED);
	CU_ASSERT_STRING_EQUAL(trace.causes.outermost->deeper->text, "assign() of dialect 't' gave lane 2 of 2");
	made_end(&trace);
}

static void many_tracks_are_found_again(void)
{
	const struct tav_dialect descriptor = {
	        .struct_size = sizeof(descriptor), .name = "t", .rules = TAV_LIST(kernels), .track = by_stream};
	static struct made_trace trace;
	enum { TRACKS = 5000 };

	made_begin(&trace, &descriptor);
	for (uint32_t i = 0; i < 2 * TRACKS; i++) {
		char stream[16];
		snprintf(stream, sizeof(stream), "%u", i * 7919 % TRACKS);
		made_add(&trace,
		         &(struct made_event){
		                 .name = "k", .category = "kernel", .pid = "0", .fields = {{"args.stream", stream}}});
	}
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_EQUAL(trace.events->track_count, TRACKS);
	for (uint32_t i = 0; i < 2 * TRACKS; i++)
		CU_ASSERT_FATAL(((uint32_t *)trace.events->track.data)[i] ==
		                i * 7919 % TRACKS); /* in numerical order */
	made_end(&trace);
}

static void without_a_dialect_there_are_threads(void)
{
	static const struct tav_dialect none = {.struct_size = sizeof(none), .name = "none"};
	static struct made_trace trace;

	made_begin(&trace, &none);
	CU_ASSERT_EQUAL_FATAL(classify_source(trace.events, NULL, &trace.causes), TAV_OK);
	CU_ASSERT_EQUAL(trace.events->track_count, 0);
	made_add(&trace, &events[0]);
	CU_ASSERT_EQUAL_FATAL(classify_source(trace.events, NULL, &trace.causes), TAV_OK);
	CU_ASSERT_STRING_EQUAL(made_track(&trace, 0)->name.data, "thread 10/7");
	CU_ASSERT_EQUAL(trace.events->device_count, 0);
	made_end(&trace);
}

static void keys_have_alternatives_and_options(void)
{
	static const struct tav_option options[] = {
	        {"streams", TAV_TYPE_FIELD, TAV_OPT_MANY, "[]", NULL, NULL, NULL, "Where the stream stands."}};
	const struct tav_dialect descriptor = {.struct_size = sizeof(descriptor),
	                                       .name = "t",
	                                       .options = TAV_LIST(options),
	                                       .rules = TAV_LIST(kernels),
	                                       .track = by_stream};
	const struct made_event both = {
	        .category = "kernel", .pid = "2", .tid = "33", .fields = {{"args.stream", "7"}, {"args.queue", "8"}}};
	const struct made_event second = {
	        .category = "kernel", .pid = "2", .tid = "33", .fields = {{"args.queue", "9"}}};
	static const char *const fields[] = {"args.queue", "tid"};
	static const struct tav_value items[] = {{.text = {"args.queue", 10}}, {.text = {"tid", 3}}};
	static const struct tav_value *const list[] = {&items[0], &items[1]};
	const struct tav_value chosen = {.items = list, .count = 2};
	static struct made_trace trace;

	for (int is_chosen = 0; is_chosen < 2; is_chosen++) {
		made_begin(&trace, &descriptor);
		for (int i = 0; is_chosen && i < 2; i++)
			wanted_add(&trace.wanted, fields[i], TAV_TYPE_STRING);
		if (is_chosen)
			trace.options[0] = &chosen;
		made_columns(&trace);
		tav_row first_row = made_add(&trace, &both), second_row = made_add(&trace, &second);
		tav_row third_row =
		        made_add(&trace, &(struct made_event){.category = "kernel", .pid = "2", .tid = "33"});
		CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
		const char *word = is_chosen ? "queue" : "stream";
		char name[64];
		snprintf(name, sizeof(name), "pid 2, %s %s", word, is_chosen ? "8" : "7");
		CU_ASSERT_STRING_EQUAL(made_track(&trace, first_row)->name.data, name);
		snprintf(name, sizeof(name), "pid 2, %s 9", word);
		CU_ASSERT_STRING_EQUAL(made_track(&trace, second_row)->name.data, name);
		snprintf(name, sizeof(name), "pid 2, %s %s", word, is_chosen ? "33" : "0");
		CU_ASSERT_STRING_EQUAL(made_track(&trace, third_row)->name.data, name);
		CU_ASSERT_EQUAL(!(made_traits(&trace, third_row) & TAV_TRAIT_DEFAULT_TRACK), is_chosen);
		CU_ASSERT_EQUAL(trace.events->track_count, 3);
		made_end(&trace);
	}
}

/* Devices go by a key of their own: tracks of one process may be of several, and one may have several processes. */
static void devices_have_keys(void)
{
	static const char *const board_fields[] = {"args.board", NULL};
	static const struct tav_key tracks[] = {
	        {pid_fields, NULL, NULL}, {stream_fields, "0", NULL}, {board_fields, "A", NULL}, {NULL, NULL, NULL}};
	static const struct tav_key devices[] = {{board_fields, "A", NULL}, {NULL, NULL, NULL}};
	const struct tav_dialect descriptor = {.struct_size = sizeof(descriptor),
	                                       .name = "t",
	                                       .rules = TAV_LIST(kernels),
	                                       .track = tracks,
	                                       .device = devices};
	static const struct {
		const char *pid, *board, *name;
		uint32_t device;
	} cases[] = {{"1", "B", "pid 1, stream 3, board B", 1},
	             {"2", "A", "pid 2, stream 3, board A", 0},
	             {"2", "B", "pid 2, stream 3, board B", 1},
	             {"3", NULL, "pid 3, stream 3, board A", 0}};
	static struct made_trace trace;

	made_begin(&trace, &descriptor);
	for (int i = 0; i < 4; i++)
		made_add(&trace,
		         &(struct made_event){.category = "kernel",
		                              .pid = cases[i].pid,
		                              .fields = {{"args.stream", "3"}, {"args.board", cases[i].board}}});
	tav_row one = made_add(&trace, &(struct made_event){.category = "op", .pid = "1"});
	tav_row several = made_add(&trace, &(struct made_event){.category = "op", .pid = "2"});
	CU_ASSERT_EQUAL_FATAL(made_classify(&trace), TAV_OK);
	CU_ASSERT_EQUAL(trace.events->device_count, 2);
	for (tav_row row = 0; row < 4; row++) {
		CU_ASSERT_STRING_EQUAL(made_track(&trace, row)->name.data, cases[row].name);
		CU_ASSERT_EQUAL(made_track(&trace, row)->device, cases[row].device);
		CU_ASSERT_EQUAL(made_traits(&trace, row) & TAV_TRAIT_DEFAULT_TRACK, 0);
	}
	CU_ASSERT_EQUAL(made_track(&trace, one)->device, 1);
	CU_ASSERT_EQUAL(made_track(&trace, several)->device, TAV_NONE);
	made_end(&trace);
}

static int compare(const char *a, const char *b)
{
	int order = track_compare_texts((struct tav_text){a, strlen(a)}, (struct tav_text){b, strlen(b)});

	return (order > 0) - (order < 0);
}

static void texts_have_one_order(void)
{
	static const char *const sorted[] = {"-10", "-2", "0",   "7",   "10",  "18446744073709551616",
	                                     "",    "-",  "007", "0x0", "7.0", "a"};
	const int count = (int)(sizeof(sorted) / sizeof(sorted[0]));

	for (int i = 0; i < count; i++) {
		for (int j = 0; j < count; j++)
			CU_ASSERT_EQUAL(compare(sorted[i], sorted[j]), (i > j) - (i < j));
	}
}

SUITE("track", {"track: numbers do not depend on the order of events", numbers_do_not_depend_on_the_order},
      {"track: lanes split it", lanes_split_a_track}, {"track: many are found again", many_tracks_are_found_again},
      {"track: without a dialect there are threads", without_a_dialect_there_are_threads},
      {"track: keys have alternatives and options", keys_have_alternatives_and_options},
      {"track: devices have keys", devices_have_keys}, {"track: texts have one order", texts_have_one_order})
