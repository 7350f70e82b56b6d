/* SPDX-License-Identifier: Apache-2.0 */
/* annotate: what earlier stages found, drawn into the trace as events of a process of their own. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>
#include <tav/results.h>

#include "edit.h"

enum { OPT_ARROWS, OPT_MARKS, OPT_COUNTERS, OPT_MAX_COUNTER };
static const char *const counter_names[] = {"streams_busy", NULL};
static const struct tav_option options[] = {
        [OPT_ARROWS] = {"arrows", TAV_TYPE_BOOL, 0, "true", NULL, NULL, NULL,
                        "Draw an arrow from each finding to each of its events."},
        [OPT_MARKS] = {"marks", TAV_TYPE_BOOL, 0, "true", NULL, NULL, NULL,
                       "Put an instant on the thread of the first event of each finding."},
        [OPT_COUNTERS] = {"counters", TAV_TYPE_CHOICE, TAV_OPT_MANY, "[]", NULL, NULL, counter_names,
                          "Counters to draw: how many streams of a device are busy."},
        [OPT_MAX_COUNTER] = {"max_counter_events", TAV_TYPE_INT, 0, "100000", "2", "10000000", NULL,
                             "At most so many events a counter; beyond, the maximum of equal slices of time."},
};
enum { FIELD_PID, FIELD_TID };
static const struct tav_field fields[] = {
        [FIELD_PID] = {"pid", TAV_TYPE_JSON, 0},
        [FIELD_TID] = {"tid", TAV_TYPE_JSON, 0},
};

struct drawing {
	struct looked looked;
	const struct tav_results *results;
	const uint32_t *raw_pid, *raw_tid;
	int64_t pid;     /* of the new process */
	uint64_t arrows; /* their ids */
	uint64_t drawn, found;
	uint32_t lanes; /* threads of the new process */
};
struct lane { /* of one finding id: follower lanes where its instances would cross */
	int64_t *ends;
	uint32_t count, capacity;
	uint32_t first_tid;
};

/* A pid that nobody has: the largest whole number + 1. */
static int64_t free_pid(const struct looked *looked)
{
	int64_t largest = 0;
	uint32_t last = UINT32_MAX;

	for (tav_row row = 0; row < looked->rows; row++) {
		char digits[24];

		if (looked->pid[row] == last)
			continue;
		last = looked->pid[row];
		struct tav_text text = looked->host->value(looked->self, 0, last);
		if (!text.size || text.size >= sizeof(digits))
			continue;
		memcpy(digits, text.data, text.size);
		digits[text.size] = '\0';
		char *end;
		long long number = strtoll(digits, &end, 10);
		if (!*end && number > largest && number < (INT64_C(1) << 40))
			largest = number;
	}
	return largest + 1;
}

static tav_status add(const struct drawing *d, struct words *words)
{
	struct tav_text text = words_text(words);

	return text.data ? d->looked.edits->add(d->looked.self, 0, TAV_NONE, text) : TAV_FAILED;
}

static tav_status name_thread(const struct drawing *d, uint32_t tid, struct tav_text id, uint32_t follower)
{
	struct words words = {.self = d->looked.self}, name = {.self = d->looked.self};

	words_add(&name, id.data, id.size);
	if (follower)
		words_print(&name, " (%" PRIu32 ")", follower + 1);
	words_print(&words,
	            "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %" PRId64 ", \"tid\": %" PRIu32
	            ", \"args\": {\"name\": ",
	            d->pid, tid);
	struct tav_text text = words_text(&name);
	words_quote(&words, text);
	words_add(&words, "}}", 2);
	return text.data ? add(d, &words) : TAV_FAILED;
}

static tav_status name_process(const struct drawing *d)
{
	struct words words = {.self = d->looked.self};

	words_print(&words,
	            "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRId64
	            ", \"args\": {\"name\": \"tav findings\"}}",
	            d->pid);
	if (add(d, &words))
		return TAV_FAILED;
	words_print(&words,
	            "{\"ph\": \"M\", \"name\": \"process_sort_index\", \"pid\": %" PRId64
	            ", \"args\": {\"sort_index\": -1}}",
	            d->pid);
	return add(d, &words);
}

/* The lane on which [start, end) crosses nothing that was drawn before; TAV_NONE: no memory. */
static uint32_t find_lane(struct drawing *d, struct lane *lane, struct tav_text id, int64_t start, int64_t end)
{
	uint32_t at = 0;

	while (at < lane->count && lane->ends[at] > start)
		at++;
	if (at == lane->count) {
		if (lane->count == lane->capacity) {
			uint32_t capacity = lane->capacity ? lane->capacity * 2 : 8;
			int64_t *ends = d->looked.host->alloc(d->looked.self, capacity * sizeof(*ends));

			if (!ends)
				return TAV_NONE;
			if (lane->count)
				memcpy(ends, lane->ends, lane->count * sizeof(*ends));
			lane->ends = ends;
			lane->capacity = capacity;
		}
		lane->count++;
		if (name_thread(d, lane->first_tid + at, id, at))
			return TAV_NONE;
	}
	lane->ends[at] = end;
	return lane->first_tid + at;
}

/* What it spans: the time that two events share, else from the first start to the last end. 0: none has a time. */
static int span_of(const struct tav_event *events, uint32_t count, int64_t *start, int64_t *end)
{
	int64_t latest = INT64_MIN, earliest = INT64_MAX, first = INT64_MAX, last = INT64_MIN;
	uint32_t with_time = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!events[i].has_time)
			continue;
		with_time++;
		latest = events[i].start_ns > latest ? events[i].start_ns : latest;
		earliest = events[i].end_ns < earliest ? events[i].end_ns : earliest;
		first = events[i].start_ns < first ? events[i].start_ns : first;
		last = events[i].end_ns > last ? events[i].end_ns : last;
	}
	int is_shared = with_time >= 2 && latest < earliest;
	*start = is_shared ? latest : first;
	*end = is_shared ? earliest : last;
	return with_time > 0;
}

static void put_measures(struct words *words, const struct tav_finding_result *finding, uint64_t instance)
{
	for (uint32_t i = 0; i < finding->measure_count; i++) {
		const struct tav_column_result *measure = &finding->measures[i];

		if (measure->present && !(measure->present[instance / 64] >> instance % 64 & 1))
			continue;
		words_add(words, ", ", 2);
		words_quote(words, measure->name);
		words_add(words, ": ", 2);
		if (measure->type == TAV_TYPE_INT)
			words_print(words, "%" PRId64, ((const int64_t *)measure->data)[instance]);
		else if (measure->type == TAV_TYPE_REAL)
			words_print(words, "%.17g", ((const double *)measure->data)[instance]);
		else if (measure->type == TAV_TYPE_STRING)
			words_quote(words, ((const struct tav_text *)measure->data)[instance]);
		else
			words_add(words, "null", 4);
	}
}

/* pid and tid of an event as they stand in the file. */
static void put_thread(const struct drawing *d, struct words *words, const struct tav_event *event)
{
	struct tav_text pid = d->looked.host->value(d->looked.self, 0, d->raw_pid[event->row]);
	struct tav_text tid = d->looked.host->value(d->looked.self, 0, d->raw_tid[event->row]);

	words_print(words, "\"pid\": ");
	words_add(words, pid.size ? pid.data : "0", pid.size ? pid.size : 1);
	words_print(words, ", \"tid\": ");
	words_add(words, tid.size ? tid.data : "0", tid.size ? tid.size : 1);
}

static tav_status draw_arrow(struct drawing *d, uint32_t tid, int64_t from, const struct tav_event *event)
{
	struct words words = {.self = d->looked.self};
	uint64_t id = d->arrows++;

	words_print(&words,
	            "{\"ph\": \"s\", \"cat\": \"tav\", \"name\": \"finding\", \"id\": \"0x746176%08" PRIx64
	            "\", \"pid\": %" PRId64 ", \"tid\": %" PRIu32 ", \"ts\": ",
	            id, d->pid, tid);
	words_time(&words, &d->looked, from);
	words_add(&words, "}", 1);
	if (add(d, &words))
		return TAV_FAILED;
	words_print(
	        &words,
	        "{\"ph\": \"f\", \"bp\": \"e\", \"cat\": \"tav\", \"name\": \"finding\", \"id\": \"0x746176%08" PRIx64
	        "\", ",
	        id);
	put_thread(d, &words, event);
	words_print(&words, ", \"ts\": ");
	words_time(&words, &d->looked, event->start_ns);
	words_add(&words, "}", 1);
	return add(d, &words);
}

static tav_status draw_mark(struct drawing *d, const struct tav_finding_result *finding, const struct tav_event *event)
{
	struct words words = {.self = d->looked.self};

	words_print(&words, "{\"ph\": \"i\", \"s\": \"t\", \"cat\": \"tav\", \"name\": ");
	words_quote(&words, finding->id);
	words_print(&words, ", ");
	put_thread(d, &words, event);
	words_print(&words, ", \"ts\": ");
	words_time(&words, &d->looked, event->start_ns);
	words_add(&words, "}", 1);
	return add(d, &words);
}

static tav_status draw_instance(struct drawing *d, struct lane *lane, const struct tav_finding_result *finding,
                                uint64_t instance)
{
	const struct tav_event *events = finding->events + instance * finding->events_each;
	struct words words = {.self = d->looked.self};
	int64_t start, end;

	if (!span_of(events, finding->events_each, &start, &end))
		return TAV_OK;
	uint32_t tid = find_lane(d, lane, finding->id, start, end);
	if (tid == TAV_NONE)
		return TAV_FAILED;
	words_print(&words, "{\"ph\": \"X\", \"cat\": \"tav\", \"cname\": \"terrible\", \"name\": ");
	words_quote(&words, finding->message);
	words_print(&words, ", \"pid\": %" PRId64 ", \"tid\": %" PRIu32 ", \"ts\": ", d->pid, tid);
	words_time(&words, &d->looked, start);
	words_print(&words, ", \"dur\": ");
	words_time(&words, &d->looked, end - start);
	words_print(&words, ", \"args\": {\"finding\": ");
	words_quote(&words, finding->id);
	for (uint32_t i = 0; i < finding->events_each; i++)
		words_print(&words, ", \"byte_%" PRIu32 "\": %" PRIu64, i + 1, events[i].offset);
	put_measures(&words, finding, instance);
	words_add(&words, "}}", 2);
	if (add(d, &words))
		return TAV_FAILED;
	d->drawn++;
	for (uint32_t i = 0; i < finding->events_each && d->looked.self->options[OPT_ARROWS]->integer; i++) {
		if (events[i].has_time && draw_arrow(d, tid, start, &events[i]))
			return TAV_FAILED;
	}
	if (d->looked.self->options[OPT_MARKS]->integer && events[0].has_time)
		return draw_mark(d, finding, &events[0]);
	return TAV_OK;
}

struct placed { /* an instance by its start, so that lanes fill from the left */
	int64_t start;
	uint64_t instance;
};

static int by_start(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->instance < b->instance ? -1 : a->instance > b->instance;
}

static tav_status draw_finding(struct drawing *d, const struct tav_finding_result *finding)
{
	struct lane lane = {.first_tid = d->lanes};
	struct placed *placed = d->looked.host->alloc(d->looked.self, (finding->instance_count + 1) * sizeof(*placed));
	int64_t end;

	if (!placed)
		return TAV_FAILED;
	d->found += finding->count;
	if (!finding->events_each)
		return TAV_OK;
	for (uint64_t i = 0; i < finding->instance_count; i++) {
		placed[i].instance = i;
		if (!span_of(finding->events + i * finding->events_each, finding->events_each, &placed[i].start, &end))
			placed[i].start = INT64_MAX;
	}
	qsort(placed, finding->instance_count, sizeof(*placed), by_start);
	for (uint64_t i = 0; i < finding->instance_count; i++) {
		if (draw_instance(d, &lane, finding, placed[i].instance))
			return TAV_FAILED;
	}
	d->lanes += lane.count ? lane.count : 1;
	return TAV_OK;
}

/* ---- Counters --------------------------------------------------------------------------------------------------- */
struct change {
	int64_t time;
	int32_t by; /* streams that become busy, or free */
};

static int by_time(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* When each track of a device becomes busy and free: its events joined where they touch. */
static uint64_t find_changes(const struct drawing *d, const struct tav_order *order, uint32_t device,
                             struct change *changes)
{
	const struct looked *looked = &d->looked;
	uint64_t count = 0;

	for (uint32_t track = 0; track < order->track_count; track++) {
		int64_t until = INT64_MIN;

		if (looked->host->track(looked->self, 0, track)->device != device)
			continue;
		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
			tav_row row = order->rows[i];

			if (looked->end[row] == looked->start[row])
				continue;
			if (looked->start[row] > until) {
				if (until != INT64_MIN)
					changes[count++] = (struct change){until, -1};
				changes[count++] = (struct change){looked->start[row], 1};
			}
			until = looked->end[row] > until ? looked->end[row] : until;
		}
		if (until != INT64_MIN)
			changes[count++] = (struct change){until, -1};
	}
	qsort(changes, count, sizeof(*changes), by_time);
	return count;
}

static tav_status draw_level(const struct drawing *d, uint32_t device, int64_t time, int64_t level)
{
	struct words words = {.self = d->looked.self};

	words_print(&words,
	            "{\"ph\": \"C\", \"cat\": \"tav\", \"name\": \"device %" PRIu32
	            ": busy streams\", \"pid\": %" PRId64 ", \"ts\": ",
	            device, d->pid);
	words_time(&words, &d->looked, time);
	words_print(&words, ", \"args\": {\"streams\": %" PRId64 "}}", level);
	return add(d, &words);
}

/* One event each time it changes, or the maximum of equal slices of time where those are too many. */
static tav_status draw_counter(struct drawing *d, uint32_t device, const struct change *changes, uint64_t count,
                               int *is_coarse)
{
	uint64_t most = (uint64_t)d->looked.self->options[OPT_MAX_COUNTER]->integer;
	int64_t level = 0, width = 1, last_drawn = 0;

	*is_coarse = count > most;
	if (*is_coarse)
		width = (changes[count - 1].time - changes[0].time) / (int64_t)most + 1;
	for (uint64_t i = 0; i < count;) {
		int64_t from = changes[i].time, highest = 0;
		int64_t until = *is_coarse ? tav_sum(from, width) : from;

		for (; i < count && (changes[i].time == from || changes[i].time < until);) {
			int64_t time = changes[i].time;

			for (; i < count && changes[i].time == time; i++)
				level += changes[i].by;
			highest = level > highest ? level : highest;
		}
		if (!*is_coarse)
			highest = level;
		if (highest != last_drawn && draw_level(d, device, from, highest))
			return TAV_FAILED;
		last_drawn = highest;
	}
	return TAV_OK;
}

static tav_status draw_counters(struct drawing *d, int *is_coarse)
{
	const struct tav_order *order;

	*is_coarse = 0;
	if (!d->looked.self->options[OPT_COUNTERS]->count)
		return TAV_OK;
	if (d->looked.host->order(d->looked.self, 0, TAV_TRAIT_DEVICE, &order))
		return TAV_FAILED;
	struct change *changes = d->looked.host->alloc(
	        d->looked.self, (2 * (size_t)d->looked.source->device_event_count + 2) * sizeof(*changes));
	if (!changes)
		return TAV_FAILED;
	for (uint32_t device = 0; device < d->looked.source->device_count; device++) {
		uint64_t count = find_changes(d, order, device, changes);
		int is_cut = 0;

		if (count && draw_counter(d, device, changes, count, &is_cut))
			return TAV_FAILED;
		*is_coarse |= is_cut;
	}
	return TAV_OK;
}

static tav_status each(struct tav_self *self)
{
	struct drawing *d = self->host->alloc(self, sizeof(*d));
	char drawn[TAV_COUNTED_SIZE], found[TAV_COUNTED_SIZE];
	uint32_t stages, own;
	int is_coarse;

	if (!d || look_at_source(self, &d->looked))
		return TAV_FAILED;
	d->results = self->host->extension(self, TAV_RESULTS_ID);
	d->raw_pid = self->host->column(self, 0, TAV_COL_FIELDS + FIELD_PID);
	d->raw_tid = self->host->column(self, 0, TAV_COL_FIELDS + FIELD_TID);
	if (!d->results || !d->raw_pid || !d->raw_tid)
		return TAV_FAILED;
	d->pid = free_pid(&d->looked);
	stages = d->results->stage_count(self);
	own = stages ? stages - 1 : 0;
	if (!own)
		return tav_tell(self, 0, "annotate", TAV_RESULT_SKIP, 0, 0,
		                "no stage stands before this one: there is nothing to draw");
	if (name_process(d))
		return TAV_FAILED;
	for (uint32_t stage = 0; stage < own; stage++) {
		const struct tav_finding_result *finding;

		for (uint32_t i = 0; (finding = d->results->finding(self, stage, 0, i)) != NULL; i++) {
			if (draw_finding(d, finding))
				return TAV_FAILED;
		}
	}
	if (draw_counters(d, &is_coarse) || tav_measure(self, 0, "drawn", (int64_t)d->drawn, TAV_UNIT_COUNT, 0) ||
	    tav_measure(self, 0, "found", (int64_t)d->found, TAV_UNIT_COUNT, 0))
		return TAV_FAILED;
	return tav_tell(self, 0, "annotate", TAV_RESULT_PASS, 0, d->found, "%s of %s drawn%s",
	                tav_counted(drawn, d->drawn, ""), tav_counted(found, d->found, "fact"),
	                is_coarse ? "; a counter shows the maximum of slices of time" : "");
}

static tav_status combine(struct tav_self *self)
{
	return sum_metrics(self, "annotate");
}

static const struct tav_page pages[] = {
        {"annotate", TAV_TELLS_CHECK, TAV_SEV_NOTE, "What was found by earlier stages, and how much of it is drawn?",
         "Findings become events of a new process, `tav findings`, with a thread for each kind. An event spans the "
         "time "
         "that the events of the finding share, arrows lead to them, and its args hold the measures.\n\nFindings keep "
         "a "
         "bounded number of instances (`max_instances`): only those are drawn."},
};

const struct tav_stage annotate = {
        .struct_size = sizeof(annotate),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS,
        .name = "annotate",
        .summary = "Draws what earlier stages found into the trace, for the trace report",
        .help = "Put it behind the stages whose findings are to be seen; nothing that was there changes.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
