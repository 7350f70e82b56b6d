/* SPDX-License-Identifier: Apache-2.0 */
/* slice: keeps what passes its filters, whole, and lets everything else go. */
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>
#include <tav/results.h>

#include "edit.h"

enum {
	OPT_WINDOW,
	OPT_EDGES,
	OPT_FINDING,
	OPT_MARGIN,
	OPT_STREAMS,
	OPT_PIDS,
	OPT_CATEGORIES,
	OPT_NAMES,
	OPT_KINDS,
	OPT_RANKS
};
enum { EDGES_KEEP, EDGES_DROP };
static const char *const edge_names[] = {"keep", "drop", NULL};
static const char *const kind_names[] = {"compute", "communication", "copy", "host", NULL};
static const struct tav_option options[] = {
        [OPT_WINDOW] = {"window", TAV_TYPE_WINDOW, 0, NULL, NULL, NULL, NULL,
                        "A span of time since the first event, such as 10ms..25ms, or @TS..@TS as in the file."},
        [OPT_EDGES] = {"edges", TAV_TYPE_CHOICE, 0, "keep", NULL, NULL, edge_names,
                       "keep: events that reach over an edge stay, whole; drop: they go."},
        [OPT_FINDING] = {"finding", TAV_TYPE_STRING, 0, NULL, NULL, NULL, NULL,
                         "ID or ID:N: the time around the N-th instance of a finding of an earlier stage."},
        [OPT_MARGIN] = {"margin", TAV_TYPE_DURATION, 0, "1ms", "0ns", NULL, NULL,
                        "What stays before and behind the finding."},
        [OPT_STREAMS] = {"streams", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                         "Only device events of these streams."},
        [OPT_PIDS] = {"pids", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL, "Only events of these pids."},
        [OPT_CATEGORIES] = {"categories", TAV_TYPE_PATTERN, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                            "Only events whose category matches one of these patterns."},
        [OPT_NAMES] = {"names", TAV_TYPE_PATTERN, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                       "Only events whose name matches one of these patterns."},
        [OPT_KINDS] = {"kinds", TAV_TYPE_CHOICE, TAV_OPT_MANY, "[]", NULL, NULL, kind_names,
                       "Only device work of these kinds, or events of the host."},
        [OPT_RANKS] = {"ranks", TAV_TYPE_INT, TAV_OPT_MANY, "[]", NULL, NULL, NULL, "Only traces of these ranks."},
};
enum { FIELD_ID, FIELD_BP, FIELD_CORRELATION, FIELD_SCOPE, FIELD_ID2 };
static const struct tav_field fields[] = {
        [FIELD_ID] = {"id", TAV_TYPE_STRING, 0},
        [FIELD_BP] = {"bp", TAV_TYPE_STRING, 0},
        [FIELD_CORRELATION] = {"args.correlation", TAV_TYPE_STRING, 0},
        [FIELD_SCOPE] = {"scope", TAV_TYPE_STRING, 0},
        [FIELD_ID2] = {"id2", TAV_TYPE_JSON, 0},
};
static const struct flow_fields flow_fields = {FIELD_ID, FIELD_BP, FIELD_CORRELATION};

struct slicing {
	struct looked looked;
	int64_t from, to; /* [from, to) */
	int drops_edges, device_only;
	unsigned char *label_passes; /* by label; NULL: all pass */
	uint64_t *keep;
	uint64_t kept_count, interval_count, end_count, closed; /* end_count: E events without a row that stay */
	const char *window_problem;
};

static int is_in_time(const struct slicing *s, int64_t start, int64_t end)
{
	if (start == end)
		return start >= s->from && start < s->to;
	if (s->drops_edges)
		return start >= s->from && end <= s->to;
	return end > s->from && start < s->to;
}

/* ---- Filters ---------------------------------------------------------------------------------------------------- */
static int matches_any(struct tav_self *self, const struct tav_value *patterns, const regex_t *compiled,
                       struct tav_text text, char *buffer, size_t size)
{
	size_t length = text.size < size - 1 ? text.size : size - 1;

	if (!patterns->count)
		return 1;
	if (length)
		memcpy(buffer, text.data, length);
	buffer[length] = '\0';
	for (uint64_t i = 0; i < patterns->count; i++) {
		if (tav_matches(self, &compiled[i], buffer))
			return 1;
	}
	return 0;
}

static regex_t *compile(struct tav_self *self, const struct tav_value *patterns, uint64_t *done)
{
	regex_t *compiled = self->host->alloc(self, (patterns->count + 1) * sizeof(*compiled));

	*done = 0;
	for (uint64_t i = 0; compiled && i < patterns->count; i++) {
		if (regcomp(&compiled[i], patterns->items[i]->text.data, REG_EXTENDED | REG_NOSUB)) {
			tav_fail(self, "no memory for the pattern '%s'", patterns->items[i]->text.data);
			return NULL;
		}
		++*done;
	}
	return compiled;
}

/* Names and categories are asked once for each distinct pair. */
static tav_status ask_labels(struct slicing *s)
{
	struct tav_self *self = s->looked.self;
	const struct tav_value *categories = self->options[OPT_CATEGORIES], *names = self->options[OPT_NAMES];
	uint32_t count = self->host->label_count(self, 0);
	enum { LONGEST = 4096 };
	char *buffer = self->host->alloc(self, LONGEST);
	uint64_t category_count = 0, name_count = 0;

	if (!categories->count && !names->count)
		return TAV_OK;
	s->label_passes = self->host->alloc(self, (size_t)count + 1);
	regex_t *by_category = compile(self, categories, &category_count);
	regex_t *by_name = by_category ? compile(self, names, &name_count) : NULL;
	tav_status status = buffer && s->label_passes && by_name ? TAV_OK : TAV_FAILED;
	for (uint32_t label = 0; !status && label < count; label++) {
		struct tav_text category, name = self->host->label(self, 0, label, &category);

		s->label_passes[label] = matches_any(self, categories, by_category, category, buffer, LONGEST) &&
		                         matches_any(self, names, by_name, name, buffer, LONGEST);
	}
	for (uint64_t i = 0; i < category_count; i++)
		regfree(&by_category[i]);
	for (uint64_t i = 0; by_name && i < name_count; i++)
		regfree(&by_name[i]);
	return status;
}

static int is_listed(const struct tav_value *list, struct tav_text text)
{
	for (uint64_t i = 0; i < list->count; i++) {
		if (!tav_text_compare(list->items[i]->text, text))
			return 1;
	}
	return !list->count;
}

static int kind_passes(const struct slicing *s, tav_row row, const uint8_t *kinds)
{
	static const unsigned kind_of_choice[] = {TAV_KIND_COMPUTE, TAV_KIND_COMMUNICATION, TAV_KIND_COPY,
	                                          TAV_KIND_NONE};
	const struct tav_value *list = s->looked.self->options[OPT_KINDS];

	for (uint64_t i = 0; i < list->count; i++) {
		if (kind_of_choice[list->items[i]->integer] == kinds[row])
			return 1;
	}
	return !list->count;
}

struct passing { /* what every event is asked */
	const struct slicing *s;
	const uint8_t *kinds;
	const unsigned char *pid_passes, *track_passes; /* by value id of the pid, by track; NULL: all pass */
	uint32_t pid_count;
};

static int pid_passes(const struct passing *p, uint32_t pid)
{
	return !p->pid_passes || (pid < p->pid_count && p->pid_passes[pid]);
}

static int passes(const struct passing *p, tav_row row)
{
	const struct looked *looked = &p->s->looked;

	if (!pid_passes(p, looked->pid[row]))
		return 0;
	if (p->s->label_passes && !p->s->label_passes[looked->label[row]])
		return 0;
	if (p->track_passes && (!(looked->traits[row] & TAV_TRAIT_DEVICE) || !p->track_passes[looked->track[row]]))
		return 0;
	return kind_passes(p->s, row, p->kinds);
}

static tav_status make_passing(struct slicing *s, struct passing *p)
{
	struct tav_self *self = s->looked.self;
	const struct tav_host *host = self->host;
	const struct tav_value *pids = self->options[OPT_PIDS], *streams = self->options[OPT_STREAMS];
	unsigned char *pid_passes = NULL, *track_passes = NULL;
	uint32_t most = 0;

	*p = (struct passing){.s = s, .kinds = host->column(self, 0, TAV_COL_KIND)};
	if (!p->kinds || ask_labels(s))
		return TAV_FAILED;
	if (pids->count) {
		for (tav_row row = 0; row < s->looked.rows; row++)
			most = s->looked.pid[row] > most ? s->looked.pid[row] : most;
		pid_passes = host->alloc(self, (size_t)most + 1);
		if (!pid_passes)
			return TAV_FAILED;
		for (tav_row row = 0; row < s->looked.rows; row++) {
			uint32_t pid = s->looked.pid[row];

			if (!pid_passes[pid])
				pid_passes[pid] = is_listed(pids, host->value(self, 0, pid)) ? 2 : 1;
		}
		for (uint32_t pid = 0; pid <= most; pid++)
			pid_passes[pid] = pid_passes[pid] == 2;
	}
	if (streams->count) {
		track_passes = host->alloc(self, (size_t)s->looked.source->track_count + 1);
		for (uint32_t i = 0; track_passes && i < s->looked.source->track_count; i++) {
			const struct tav_track *track = host->track(self, 0, i);

			track_passes[i] = track->flags & TAV_TRACK_DEVICE &&
			                  is_listed(streams, host->value(self, 0, track->stream));
		}
		if (!track_passes)
			return TAV_FAILED;
	}
	p->pid_passes = pid_passes;
	p->pid_count = most + 1;
	p->track_passes = track_passes;
	s->device_only = streams->count > 0;
	return TAV_OK;
}

/* ---- Groups: async events, counters ----------------------------------------------------------------------------- */
static int is_async(char phase)
{
	return phase && strchr("bneSTpF", phase) != NULL;
}

struct group {
	int64_t first, last; /* async: the span; counter: time of the last one before the window */
	tav_row row;         /* counter: that one */
	unsigned char has_time, passes, is_kept;
};

/* The group of an event: its pid and what names it. TAV_NONE: no memory. */
static uint32_t group_of(struct tav_map *map, const struct slicing *s, tav_row row, const uint32_t *scope,
                         const uint32_t *id, const uint32_t *id2)
{
	const struct looked *looked = &s->looked;
	struct words words = {.self = looked->self};
	struct tav_text category, name = looked->host->label(looked->self, 0, looked->label[row], &category);

	if (looked->phase[row] == 'C') /* counters by name, async events by category */
		category = name;
	words_print(&words, "%c %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " ",
	            looked->phase[row] == 'C' ? 'C' : 'b', looked->pid[row], scope[row], id[row], id2[row]);
	words_add(&words, category.data, category.size);
	struct tav_text key = words_text(&words);
	return key.data ? tav_map_text(map, key) : TAV_NONE;
}

static void note_in_group(const struct passing *p, struct group *group, tav_row row)
{
	const struct slicing *s = p->s;
	int64_t time = s->looked.start[row];

	if (!has_time(&s->looked, row))
		return;
	if (s->looked.phase[row] == 'C') {
		if (passes(p, row) && time < s->from && (!group->has_time || time >= group->first)) {
			group->has_time = 1;
			group->first = time;
			group->row = row;
		}
		return;
	}
	group->passes |= passes(p, row) != 0;
	if (!group->has_time || time < group->first)
		group->first = time;
	if (!group->has_time || time > group->last)
		group->last = time;
	group->has_time = 1;
}

static tav_status keep_groups(struct slicing *s, const struct passing *p)
{
	struct tav_self *self = s->looked.self;
	const struct tav_host *host = self->host;
	const uint32_t *scope = host->column(self, 0, TAV_COL_FIELDS + FIELD_SCOPE);
	const uint32_t *id = host->column(self, 0, TAV_COL_FIELDS + FIELD_ID);
	const uint32_t *id2 = host->column(self, 0, TAV_COL_FIELDS + FIELD_ID2);
	struct tav_map map;
	uint64_t count = 0;

	for (tav_row row = 0; row < s->looked.rows; row++)
		count += is_async(s->looked.phase[row]) || s->looked.phase[row] == 'C';
	if (!count || s->device_only)
		return TAV_OK;
	struct group *groups = host->alloc(self, (count + 1) * sizeof(*groups));
	uint32_t *of = host->alloc(self, (count + 1) * sizeof(*of));
	if (!groups || !of || !scope || !id || !id2)
		return TAV_FAILED;
	tav_map_init(&map, self);
	uint64_t at = 0;
	for (tav_row row = 0; row < s->looked.rows; row++) {
		if (!is_async(s->looked.phase[row]) && s->looked.phase[row] != 'C')
			continue;
		of[at] = group_of(&map, s, row, scope, id, id2);
		if (of[at] == TAV_NONE)
			return TAV_FAILED;
		note_in_group(p, &groups[of[at++]], row);
	}
	at = 0;
	for (tav_row row = 0; row < s->looked.rows; row++) {
		if (!is_async(s->looked.phase[row]) && s->looked.phase[row] != 'C')
			continue;
		const struct group *group = &groups[of[at++]];
		int is_kept = s->looked.phase[row] == 'C'
		                      ? (group->has_time && group->row == row && s->from != INT64_MIN) ||
		                                (has_time(&s->looked, row) && passes(p, row) &&
		                                 is_in_time(s, s->looked.start[row], s->looked.start[row]))
		                      : group->has_time && group->passes && is_in_time(s, group->first, group->last);
		if (is_kept)
			set_bit(s->keep, row);
	}
	return TAV_OK;
}

/* ---- The parts of a slice --------------------------------------------------------------------------------------- */
static void keep_events(struct slicing *s, const struct passing *p)
{
	const struct looked *looked = &s->looked;

	for (tav_row row = 0; row < looked->rows; row++) {
		char phase = looked->phase[row];

		if (is_interval(looked, row)) {
			if (is_in_time(s, looked->start[row], looked->end[row]) && passes(p, row)) {
				set_bit(s->keep, row);
				s->interval_count++;
			}
		} else if (phase == 'M' || phase == 's' || phase == 't' || phase == 'f' || phase == 'c' ||
		           phase == '(' || phase == ')' || phase == 'C' || is_async(phase)) {
			continue; /* each kind by its own rule */
		} else if (has_time(&s->looked, row) && !s->device_only &&
		           is_in_time(s, looked->start[row], looked->start[row]) && passes(p, row)) {
			set_bit(s->keep, row);
		}
	}
}

/* B and E without a partner: a B that begins before the end of the window, an E within it. */
static tav_status keep_unmatched(struct slicing *s, const struct passing *p)
{
	struct tav_self *self = s->looked.self;
	uint64_t count;
	const struct tav_unmatched *unmatched = self->host->unmatched(self, 0, &count);
	const struct tav_unmatched_time *times = s->looked.edits->unmatched_times(self, 0, &count);
	uint64_t *gone = self->host->alloc(self, (count + 1) * sizeof(*gone)), gone_count = 0;
	/* Of an E nothing but time and pid is known. */
	int is_vague = s->device_only || s->label_passes || self->options[OPT_KINDS]->count;

	if (!gone)
		return TAV_FAILED;
	for (uint64_t i = 0; i < count; i++) {
		if (unmatched[i].row != TAV_NONE) {
			if (times[i].has_time && times[i].ns < s->to && !s->device_only && passes(p, unmatched[i].row))
				set_bit(s->keep, unmatched[i].row);
		} else if (is_vague || !times[i].has_time || !is_in_time(s, times[i].ns, times[i].ns) ||
		           !pid_passes(p, times[i].pid)) {
			gone[gone_count++] = unmatched[i].offset;
		} else {
			s->end_count++;
		}
	}
	return gone_count ? s->looked.edits->drop_at(self, 0, gone_count, gone) : TAV_OK;
}

/* Flows live where both of their intervals live. */
static tav_status keep_flows(struct slicing *s, const struct passing *p, struct flows *flows)
{
	if (flows_find(&s->looked, &flow_fields, flows))
		return TAV_FAILED;
	for (uint64_t i = 0; i < flows->count; i++) {
		tav_row row = flows->items[i].row, on = flows->items[i].on;

		if (on != TAV_NONE
		            ? bit_of(s->keep, on)
		            : has_time(&s->looked, row) && is_in_time(s, s->looked.start[row], s->looked.start[row]) &&
		                      passes(p, row) && !s->device_only)
			set_bit(s->keep, row);
	}
	return TAV_OK;
}

/* Metadata stays, unless its pid had events and all of them went. */
static tav_status keep_metadata(struct slicing *s)
{
	const struct looked *looked = &s->looked;
	uint32_t most = 0;

	for (tav_row row = 0; row < looked->rows; row++)
		most = looked->pid[row] > most ? looked->pid[row] : most;
	unsigned char *states =
	        looked->host->alloc(looked->self, (size_t)most + 1); /* 1: has events, 2: some are kept */
	if (!states)
		return TAV_FAILED;
	for (tav_row row = 0; row < looked->rows; row++) {
		if (looked->phase[row] != 'M')
			states[looked->pid[row]] |= bit_of(s->keep, row) ? 3 : 1;
	}
	for (tav_row row = 0; row < looked->rows; row++) {
		char phase = looked->phase[row];

		if (phase == 'c' || phase == '(' || phase == ')' || (phase == 'M' && states[looked->pid[row]] != 1))
			set_bit(s->keep, row);
	}
	return TAV_OK;
}

/* ---- The window ------------------------------------------------------------------------------------------------- */
/* The N-th instance of a finding of an earlier stage of this source. */
static tav_status find_finding(struct slicing *s, struct tav_text wanted)
{
	struct tav_self *self = s->looked.self;
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	const char *colon = memchr(wanted.data, ':', wanted.size);
	unsigned long long number = colon ? strtoull(colon + 1, NULL, 10) : 1;
	char id[128];
	size_t size = colon ? (size_t)(colon - wanted.data) : wanted.size;
	int64_t margin = self->options[OPT_MARGIN]->integer;

	s->window_problem = "no earlier stage has such a finding here";
	if (size >= sizeof(id) || !number)
		return TAV_OK;
	memcpy(id, wanted.data, size);
	id[size] = '\0';
	for (uint32_t stage = 0; stage < results->stage_count(self); stage++) {
		const struct tav_finding_result *found = results->find_finding(self, stage, 0, id);

		if (!found)
			continue;
		s->window_problem = "the finding has fewer instances";
		if (number > found->instance_count || !found->events_each)
			continue;
		const struct tav_event *events = found->events + (number - 1) * found->events_each;
		int64_t from = INT64_MAX, to = INT64_MIN;
		for (uint32_t i = 0; i < found->events_each; i++) {
			if (!events[i].has_time)
				continue;
			from = events[i].start_ns < from ? events[i].start_ns : from;
			to = events[i].end_ns > to ? events[i].end_ns : to;
		}
		s->window_problem = from > to ? "the events of that instance have no time" : NULL;
		if (from > to)
			return TAV_OK;
		if (__builtin_sub_overflow(from, margin, &s->from))
			s->from = INT64_MIN;
		if (__builtin_add_overflow(to, margin, &s->to) || s->to == INT64_MAX)
			s->to = INT64_MAX;
		else
			s->to++; /* [from, to) holds its end */
		return TAV_OK;
	}
	return TAV_OK;
}

static int64_t from_first(int64_t first, int64_t offset)
{
	int64_t sum;

	if (offset == INT64_MIN || offset == INT64_MAX)
		return offset;
	return __builtin_add_overflow(first, offset, &sum) ? (offset < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* "@TS" was read as microseconds: the same number in the unit of the file, rounded up. */
static int64_t as_in_file(const struct slicing *s, int64_t ns)
{
	int64_t unit = (int64_t)s->looked.source->time_unit_ns, product;

	if (ns == INT64_MIN || ns == INT64_MAX || unit == 1000)
		return ns;
	if (unit > 1000)
		return __builtin_mul_overflow(ns, unit / 1000, &product) ? (ns < 0 ? INT64_MIN : INT64_MAX) : product;
	return ns / (1000 / unit) + (ns % (1000 / unit) > 0);
}

/* The earliest time of anything but metadata: what the window counts from. */
static int64_t first_time(const struct slicing *s)
{
	int64_t first = INT64_MAX;

	for (tav_row row = 0; row < s->looked.rows; row++) {
		if (s->looked.phase[row] != 'M' && has_time(&s->looked, row) && s->looked.start[row] < first)
			first = s->looked.start[row];
	}
	return first == INT64_MAX ? 0 : first;
}

static tav_status find_window(struct slicing *s)
{
	const struct tav_value *window = s->looked.self->options[OPT_WINDOW];
	const struct tav_value *finding = s->looked.self->options[OPT_FINDING];
	int64_t first = first_time(s);

	s->from = INT64_MIN;
	s->to = INT64_MAX;
	if (finding->text.size && find_finding(s, finding->text))
		return TAV_FAILED;
	if (!window->text.size)
		return TAV_OK;
	int64_t from = window->integer ? as_in_file(s, window->from_ns) : from_first(first, window->from_ns);
	int64_t to = window->integer ? as_in_file(s, window->to_ns) : from_first(first, window->to_ns);
	s->from = from > s->from ? from : s->from;
	s->to = to < s->to ? to : s->to;
	return TAV_OK;
}

/* ---- What is told ----------------------------------------------------------------------------------------------- */
static tav_status tell_empty(const struct slicing *s)
{
	struct tav_self *self = s->looked.self;
	const struct tav_value *window = self->options[OPT_WINDOW];
	int64_t first = s->looked.source->first_ns, last = s->looked.source->last_ns;
	char span[TAV_DURATION_SIZE];

	if (s->window_problem)
		return tav_tell(self, 0, "slice", TAV_RESULT_FAIL, 1, s->looked.rows, "nothing to keep: %s",
		                s->window_problem);
	return tav_tell(self, 0, "slice", TAV_RESULT_FAIL, 1, s->looked.rows,
	                "nothing %s%.*s passes; the trace has events from 0 to %s",
	                window->text.size ? "between " : "of it", (int)window->text.size,
	                window->text.size ? window->text.data : "", tav_duration(span, last - first));
}

static tav_status tell(struct slicing *s)
{
	struct tav_self *self = s->looked.self;
	char kept[TAV_COUNTED_SIZE], all[TAV_COUNTED_SIZE];
	uint64_t others = s->end_count;

	s->kept_count = s->end_count;
	for (tav_row row = 0; row < s->looked.rows; row++) {
		int is_kept = bit_of(s->keep, row);

		s->kept_count += is_kept ? 1u + (s->looked.phase[row] == 'B' && is_interval(&s->looked, row)) : 0;
		others += is_kept && s->looked.phase[row] != 'M';
	}
	if (tav_measure(self, 0, "events", (int64_t)s->looked.source->event_count, TAV_UNIT_COUNT, 0) ||
	    tav_measure(self, 0, "kept_events", (int64_t)s->kept_count, TAV_UNIT_COUNT, 0) ||
	    tav_measure(self, 0, "kept_intervals", (int64_t)s->interval_count, TAV_UNIT_COUNT, 0) ||
	    tav_measure(self, 0, "flows_closed", (int64_t)s->closed, TAV_UNIT_COUNT, 0))
		return TAV_FAILED;
	if (!others)
		return tell_empty(s);
	return tav_tell(self, 0, "slice", TAV_RESULT_PASS, 0, s->looked.source->event_count, "%s of %s stay",
	                tav_counted(kept, s->kept_count, ""), tav_counted(all, s->looked.source->event_count, "event"));
}

static int keeps_all(const struct tav_self *self)
{
	return !self->options[OPT_WINDOW]->text.size && !self->options[OPT_FINDING]->text.size &&
	       !self->options[OPT_STREAMS]->count && !self->options[OPT_PIDS]->count &&
	       !self->options[OPT_CATEGORIES]->count && !self->options[OPT_NAMES]->count &&
	       !self->options[OPT_KINDS]->count;
}

static int has_rank(const struct tav_self *self, int64_t rank)
{
	const struct tav_value *ranks = self->options[OPT_RANKS];

	for (uint64_t i = 0; i < ranks->count; i++) {
		if (ranks->items[i]->integer == rank)
			return 1;
	}
	return !ranks->count;
}

static tav_status each(struct tav_self *self)
{
	struct slicing *s = self->host->alloc(self, sizeof(*s));
	struct passing p;
	struct flows flows;

	if (!s || look_at_source(self, &s->looked))
		return TAV_FAILED;
	if (!has_rank(self, s->looked.source->rank)) {
		if (s->looked.edits->leave_out(self, 0))
			return TAV_FAILED;
		return tav_tell(self, 0, "slice", TAV_RESULT_SKIP, 0, 0,
		                "its rank is none of those asked for: left out");
	}
	s->drops_edges = self->options[OPT_EDGES]->integer == EDGES_DROP;
	s->keep = make_bits(&s->looked);
	if (!s->keep || find_window(s) || make_passing(s, &p))
		return TAV_FAILED;
	size_t words = (size_t)s->looked.rows / 64 + 1;
	if (keeps_all(self) && !s->window_problem) {
		memset(s->keep, 0xff, words * sizeof(*s->keep));
		for (tav_row row = 0; row < s->looked.rows; row++)
			s->interval_count += is_interval(&s->looked, row) != 0;
		s->end_count = s->looked.source->unmatched_end;
		return tell(s);
	}
	if (!s->window_problem) {
		keep_events(s, &p);
		if (keep_unmatched(s, &p) || keep_groups(s, &p) || keep_flows(s, &p, &flows) || keep_metadata(s))
			return TAV_FAILED;
		for (size_t i = 0; i < words; i++)
			s->keep[i] = ~s->keep[i]; /* what goes */
		if (flows_close(&s->looked, &flow_fields, &flows, s->keep, &s->closed) ||
		    s->looked.edits->drop(self, 0, s->keep))
			return TAV_FAILED;
		for (size_t i = 0; i < words; i++)
			s->keep[i] = ~s->keep[i];
	}
	return tell(s);
}

static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t stage = results->find_stage(self, "slice"), asked = 0, left = 0;

	for (uint32_t i = 0; i < self->host->source_count(self); i++) {
		const struct tav_check_result *check = results->find_check(self, stage, i, "slice");

		asked += check != NULL;
		left += check && check->result == TAV_RESULT_SKIP;
	}
	if (asked && left == asked &&
	    tav_tell(self, TAV_RUN, "slice", TAV_RESULT_FAIL, 1, asked, "no trace is of a rank that was asked for"))
		return TAV_FAILED;
	return sum_metrics(self, "slice");
}

static const struct tav_page pages[] = {
        {"slice", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Is anything left that passes the filters?",
         "An interval is in the window [A, B) when it shares time with it, and is kept whole: no byte of it changes. "
         "Flows stay where both of their ends stay, counters keep their last value before the window, async events "
         "stay "
         "as groups, metadata stays for processes that keep events.\n\nWhere nothing but metadata would be left, no "
         "file "
         "is written: compare the window with the span that the message names."},
};

const struct tav_stage slice = {
        .struct_size = sizeof(slice),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS,
        .name = "slice",
        .summary = "Keeps a piece of the trace: a window, streams, names, the surroundings of a finding",
        .help = "All filters that are given must hold. With --report trace=OUT.json the piece is written.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
