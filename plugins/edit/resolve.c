/* SPDX-License-Identifier: Apache-2.0 */
/* overlap-resolve: lanes that are read as they are drawn, or tracks as overlap-verify judges them, without conflicts.
 */
#include "resolve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>

enum { OPT_POLICY, OPT_LANES, OPT_STRICT, OPT_MAX_SHIFT, OPT_MAX_LANES, OPT_MARK };
enum { LANES_THREAD, LANES_TRACK };
enum { STRICT_AUTO, STRICT_YES, STRICT_NO };
static const char *const policy_names[] = {"warn", "tid", "async", "drop", "shift", "cut", NULL};
static const char *const lane_names[] = {"thread", "track", NULL};
static const char *const strict_names[] = {"auto", "true", "false", NULL};
static const struct tav_option options[] = {
        [OPT_POLICY] =
                {"policy", TAV_TYPE_CHOICE, TAV_OPT_MANY, "[tid]", NULL, NULL, policy_names,
                 "What to do with an event that conflicts with an earlier one: the first of these that can do it."},
        [OPT_LANES] = {"lanes", TAV_TYPE_CHOICE, 0, "thread", NULL, NULL, lane_names,
                       "thread: what a viewer draws as one row; track: the streams that overlap-verify judges."},
        [OPT_STRICT] = {"strict", TAV_TYPE_CHOICE, 0, "auto", NULL, NULL, strict_names,
                        "Whether nested events conflict as well; auto: on tracks, not on threads."},
        [OPT_MAX_SHIFT] = {"max_shift", TAV_TYPE_DURATION, 0, "5ns", "0ns", NULL, NULL,
                           "The most that `shift` may move a start."},
        [OPT_MAX_LANES] = {"max_lanes", TAV_TYPE_INT, 0, "64", "1", "1024", NULL,
                           "The most lanes that `tid` may open beside one."},
        [OPT_MARK] = {"mark", TAV_TYPE_BOOL, 0, "true", NULL, NULL, NULL,
                      "Keep what was there in args.orig_tid, orig_ts and orig_dur."},
};

enum { FIELD_ID, FIELD_BP, FIELD_CORRELATION, FIELD_PID, FIELD_TID, FIELD_CAT, FIELD_NAME, FIELD_SORT };
static const struct tav_field fields[] = {
        [FIELD_ID] = {"id", TAV_TYPE_STRING, 0},
        [FIELD_BP] = {"bp", TAV_TYPE_STRING, 0},
        [FIELD_CORRELATION] = {"args.correlation", TAV_TYPE_STRING, 0},
        [FIELD_PID] = {"pid", TAV_TYPE_JSON, 0},
        [FIELD_TID] = {"tid", TAV_TYPE_JSON, 0},
        [FIELD_CAT] = {"cat", TAV_TYPE_JSON, 0},
        [FIELD_NAME] = {"name", TAV_TYPE_JSON, 0},
        [FIELD_SORT] = {"args.sort_index", TAV_TYPE_JSON, 0},
};
static const struct flow_fields flow_fields = {FIELD_ID, FIELD_BP, FIELD_CORRELATION};

struct new_lane { /* a follower of a thread's lane */
	uint32_t pid, tid, lane;
	tav_row row; /* one of its events */
	struct tav_text json;
};
struct resolving {
	struct looked looked;
	struct resolve_options options;
	struct resolved resolved;
	const uint32_t *raw[FIELD_SORT + 1];
	struct tav_map lanes; /* (place of the thread, follower) */
	struct new_lane *new_lanes;
	uint32_t new_lane_count, new_lane_capacity;
	struct tav_map used; /* texts "PID\nTID" that are taken */
	uint64_t *drops;
	uint32_t *place; /* by row: place in resolved.items + 1 of events that moved or went */
	uint64_t flows_moved, flows_dropped, async_count;
};

static struct tav_text value_of(const struct resolving *r, uint32_t id)
{
	return r->looked.host->value(r->looked.self, 0, id);
}

static struct tav_text raw_of(const struct resolving *r, unsigned field, tav_row row)
{
	return value_of(r, r->raw[field][row]);
}

/* ---- New lanes -------------------------------------------------------------------------------------------------- */
static struct tav_text lane_key(const struct resolving *r, uint32_t pid, struct tav_text tid)
{
	struct words words = {.self = r->looked.self};
	struct tav_text text = value_of(r, pid);

	words_add(&words, text.data, text.size);
	words_add(&words, "\n", 1);
	words_add(&words, tid.data, tid.size);
	return words_text(&words);
}

/* Takes the lane of that name. 1: it was free, 0: it was not, -1: no memory. */
static int take_lane(struct resolving *r, uint32_t pid, struct tav_text tid)
{
	uint32_t before = r->used.count;
	struct tav_text key = lane_key(r, pid, tid);

	if (!key.data || tav_map_text(&r->used, key) == TAV_NONE)
		return -1;
	return r->used.count > before;
}

static tav_status note_used_lanes(struct resolving *r)
{
	struct tav_map pairs;

	tav_map_init(&pairs, r->looked.self);
	tav_map_init(&r->used, r->looked.self);
	tav_map_init(&r->lanes, r->looked.self);
	for (tav_row row = 0; row < r->looked.rows; row++) {
		uint32_t before = pairs.count;
		uint64_t pair = (uint64_t)r->looked.pid[row] << 32 | r->looked.tid[row];

		if (tav_map_number(&pairs, pair) == TAV_NONE)
			return TAV_FAILED;
		if (pairs.count > before && take_lane(r, r->looked.pid[row], value_of(r, r->looked.tid[row])) < 0)
			return TAV_FAILED;
	}
	return TAV_OK;
}

static int is_small_number(struct tav_text text, int64_t *number)
{
	char digits[16];

	if (!text.size || text.size > 10)
		return 0;
	memcpy(digits, text.data, text.size);
	digits[text.size] = '\0';
	char *end;
	*number = strtoll(digits, &end, 10);
	return !*end && *number >= 0 && *number < (INT64_C(1) << 31) - 1000000;
}

/* The next free number behind the lane's own; Perfetto takes a tid equal to the pid for the process, so never that. */
static tav_status name_numbered(struct resolving *r, struct new_lane *lane, int64_t number)
{
	struct tav_text pid = value_of(r, lane->pid);
	int is_free = 0;

	while (!is_free) {
		struct words words = {.self = r->looked.self};

		words_print(&words, "%" PRId64, ++number);
		lane->json = words_text(&words);
		if (!lane->json.data)
			return TAV_FAILED;
		if (!tav_text_compare(lane->json, pid))
			continue;
		is_free = take_lane(r, lane->pid, lane->json);
		if (is_free < 0)
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status name_texted(struct resolving *r, struct new_lane *lane, struct tav_text tid)
{
	int is_free = 0;

	for (unsigned i = 1; !is_free; i++) {
		struct words words = {.self = r->looked.self}, quoted = {.self = r->looked.self};

		words_add(&words, tid.data, tid.size);
		words_print(&words, " overlap %" PRIu32, lane->lane);
		if (i > 1)
			words_print(&words, " #%u", i);
		struct tav_text name = words_text(&words);
		if (!name.data)
			return TAV_FAILED;
		words_quote(&quoted, name);
		lane->json = words_text(&quoted);
		is_free = take_lane(r, lane->pid, name);
		if (is_free < 0 || !lane->json.data)
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* The lane that follower `follower` of the event's thread becomes; NULL: the cause is set. */
static const struct new_lane *lane_for(struct resolving *r, tav_row row, uint32_t follower)
{
	struct words words = {.self = r->looked.self};
	uint32_t before = r->lanes.count;
	int64_t number;

	words_print(&words, "%" PRIu32 " %" PRIu32 " %" PRIu32, r->looked.pid[row], r->looked.tid[row], follower);
	struct tav_text key = words_text(&words);
	uint32_t place = key.data ? tav_map_text(&r->lanes, key) : TAV_NONE;
	if (place == TAV_NONE || r->lanes.count == before)
		return place == TAV_NONE ? NULL : &r->new_lanes[place];
	if (place == r->new_lane_capacity) {
		uint32_t capacity = place ? place * 2 : 64;
		struct new_lane *grown = r->looked.host->alloc(r->looked.self, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		if (place)
			memcpy(grown, r->new_lanes, place * sizeof(*grown));
		r->new_lanes = grown;
		r->new_lane_capacity = capacity;
	}
	struct new_lane *lane = &r->new_lanes[place];
	*lane = (struct new_lane){r->looked.pid[row], r->looked.tid[row], follower, row, {NULL, 0}};
	r->new_lane_count = place + 1;
	struct tav_text tid = value_of(r, lane->tid);
	tav_status status = is_small_number(tid, &number) ? name_numbered(r, lane, number) : name_texted(r, lane, tid);
	return status ? NULL : lane;
}

static tav_status add_event(struct resolving *r, tav_row behind, struct words *words)
{
	struct tav_text text = words_text(words);

	return text.data ? r->looked.edits->add(r->looked.self, 0, behind, text) : TAV_FAILED;
}

static tav_row find_sort_index(const struct resolving *r, const struct new_lane *lane)
{
	for (tav_row row = 0; row < r->looked.rows; row++) {
		if (r->looked.phase[row] == 'M' && r->raw[FIELD_SORT][row] && r->looked.pid[row] == lane->pid &&
		    r->looked.tid[row] == lane->tid)
			return row;
	}
	return TAV_NONE;
}

/* Each new lane is named after the one that it follows, and stands beside it. */
static tav_status introduce_lanes(struct resolving *r)
{
	for (uint32_t i = 0; i < r->new_lane_count; i++) {
		const struct new_lane *lane = &r->new_lanes[i];
		struct tav_text name = r->looked.host->name_of(r->looked.self, 0, lane->pid, lane->tid);
		struct tav_text pid = raw_of(r, FIELD_PID, lane->row), tid = value_of(r, lane->tid);
		struct words words = {.self = r->looked.self}, title = {.self = r->looked.self};

		if (!name.size)
			words_add(&title, "tid ", 4);
		words_add(&title, name.size ? name.data : tid.data, name.size ? name.size : tid.size);
		words_print(&title, " (overlap %" PRIu32 ")", lane->lane);
		words_print(&words, "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": ");
		words_add(&words, pid.data, pid.size);
		words_print(&words, ", \"tid\": ");
		words_add(&words, lane->json.data, lane->json.size);
		words_print(&words, ", \"args\": {\"name\": ");
		struct tav_text text = words_text(&title);
		words_quote(&words, text);
		words_print(&words, "}}");
		if (!text.data || add_event(r, TAV_NONE, &words))
			return TAV_FAILED;
		tav_row sort = find_sort_index(r, lane);
		if (sort == TAV_NONE)
			continue;
		struct tav_text index = raw_of(r, FIELD_SORT, sort);
		words_print(&words, "{\"ph\": \"M\", \"name\": \"thread_sort_index\", \"pid\": ");
		words_add(&words, pid.data, pid.size);
		words_print(&words, ", \"tid\": ");
		words_add(&words, lane->json.data, lane->json.size);
		words_print(&words, ", \"args\": {\"sort_index\": ");
		words_add(&words, index.data, index.size);
		words_print(&words, "}}");
		if (add_event(r, TAV_NONE, &words))
			return TAV_FAILED;
	}
	return TAV_OK;
}

/* ---- Edits ------------------------------------------------------------------------------------------------------ */
static const char *kept(const struct resolving *r, const char *where)
{
	return r->options.mark ? where : NULL;
}

static tav_status give_moves(struct resolving *r)
{
	struct changes tids = {.self = r->looked.self};

	for (uint64_t i = 0; i < r->resolved.count; i++) {
		const struct done *done = &r->resolved.items[i];

		if (done->kind != DONE_MOVED)
			continue;
		const struct new_lane *lane = lane_for(r, done->row, done->lane);
		if (!lane || changes_add(&tids, done->row, lane->json))
			return TAV_FAILED;
	}
	return changes_give(&tids, &r->looked, "tid", kept(r, "args.orig_tid"));
}

/* An X becomes a `b` with an `e` right behind it: viewers draw such events on lanes that they make themselves. */
static tav_status make_async(struct resolving *r, tav_row row, struct changes changes[4])
{
	static const struct tav_text b = {"\"b\"", 3}, gone = {"", 0}, overlap = {"\"overlap\"", 9};
	struct words words = {.self = r->looked.self};
	struct tav_text cat = raw_of(r, FIELD_CAT, row), name = raw_of(r, FIELD_NAME, row);
	struct tav_text pid = raw_of(r, FIELD_PID, row), tid = raw_of(r, FIELD_TID, row);

	words_print(&words, "\"0x746176%08" PRIx64 "\"", r->async_count++);
	struct tav_text id = words_text(&words);
	if (!id.data || changes_add(&changes[0], row, b) || changes_add(&changes[1], row, gone) ||
	    changes_add(&changes[2], row, id))
		return TAV_FAILED;
	if (!cat.size) {
		cat = overlap;
		if (changes_add(&changes[3], row, cat))
			return TAV_FAILED;
	}
	const struct {
		const char *key;
		struct tav_text json;
	} members[] = {{"cat", cat}, {"name", name}, {"id", id}, {"pid", pid}, {"tid", tid}};
	words_print(&words, "{\"ph\": \"e\"");
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!members[i].json.size)
			continue;
		words_print(&words, ", \"%s\": ", members[i].key);
		words_add(&words, members[i].json.data, members[i].json.size);
	}
	words_print(&words, ", \"ts\": ");
	words_time(&words, &r->looked, r->looked.end[row]);
	words_add(&words, "}", 1);
	return add_event(r, row, &words);
}

static tav_status give_asyncs(struct resolving *r)
{
	struct changes changes[4];

	for (unsigned i = 0; i < 4; i++)
		changes[i] = (struct changes){.self = r->looked.self};
	for (uint64_t i = 0; i < r->resolved.count; i++) {
		if (r->resolved.items[i].kind == DONE_ASYNC && make_async(r, r->resolved.items[i].row, changes))
			return TAV_FAILED;
	}
	if (changes_give(&changes[0], &r->looked, "ph", NULL) ||
	    changes_give(&changes[1], &r->looked, "dur", kept(r, "args.orig_dur")) ||
	    changes_give(&changes[2], &r->looked, "id", NULL))
		return TAV_FAILED;
	return changes_give(&changes[3], &r->looked, "cat", NULL);
}

static tav_status add_time(struct changes *changes, const struct looked *looked, tav_row row, int64_t ns)
{
	struct words words = {.self = changes->self};

	words_time(&words, looked, ns);
	struct tav_text text = words_text(&words);
	return text.data ? changes_add(changes, row, text) : TAV_FAILED;
}

static tav_status give_times(struct resolving *r)
{
	struct changes starts = {.self = r->looked.self}, lengths = {.self = r->looked.self};
	const struct resolved *resolved = &r->resolved;

	for (tav_row row = 0; resolved->start && row < r->looked.rows; row++) {
		if (!bit_of(resolved->changed_time, row) || bit_of(r->drops, row))
			continue;
		if (resolved->start[row] != r->looked.start[row] &&
		    add_time(&starts, &r->looked, row, resolved->start[row]))
			return TAV_FAILED;
		if (add_time(&lengths, &r->looked, row, resolved->end[row] - resolved->start[row]))
			return TAV_FAILED;
	}
	if (changes_give(&starts, &r->looked, "ts", kept(r, "args.orig_ts")))
		return TAV_FAILED;
	return changes_give(&lengths, &r->looked, "dur", kept(r, "args.orig_dur"));
}

/* A flow shares the fate of the event that it is drawn on. */
static tav_status follow_flows(struct resolving *r)
{
	struct changes tids = {.self = r->looked.self}, starts = {.self = r->looked.self};
	struct flows flows;
	uint64_t closed;

	if (flows_find(&r->looked, &flow_fields, &flows))
		return TAV_FAILED;
	for (uint64_t i = 0; i < flows.count; i++) {
		const struct flow *flow = &flows.items[i];
		const struct done *done;

		if (flow->on == TAV_NONE || !r->place[flow->on])
			continue;
		done = &r->resolved.items[r->place[flow->on] - 1];
		if (done->kind == DONE_MOVED) {
			const struct new_lane *lane = lane_for(r, done->row, done->lane);

			if (!lane || changes_add(&tids, flow->row, lane->json))
				return TAV_FAILED;
			r->flows_moved++;
		} else if (done->kind == DONE_DROPPED || done->kind == DONE_ASYNC) {
			set_bit(r->drops, flow->row);
			r->flows_dropped++;
		} else if (done->kind == DONE_SHIFTED && r->looked.start[flow->row] < r->resolved.start[flow->on]) {
			if (add_time(&starts, &r->looked, flow->row, r->resolved.start[flow->on]))
				return TAV_FAILED;
			r->flows_moved++;
		}
	}
	if (flows_close(&r->looked, &flow_fields, &flows, r->drops, &closed))
		return TAV_FAILED;
	r->flows_dropped += closed;
	if (changes_give(&tids, &r->looked, "tid", NULL))
		return TAV_FAILED;
	return changes_give(&starts, &r->looked, "ts", NULL);
}

static tav_status give_edits(struct resolving *r)
{
	int has_change = 0, has_drop = 0;

	r->drops = make_bits(&r->looked);
	r->place = r->looked.host->alloc(r->looked.self, ((size_t)r->looked.rows + 1) * sizeof(*r->place));
	if (!r->drops || !r->place || note_used_lanes(r))
		return TAV_FAILED;
	for (uint64_t i = 0; i < r->resolved.count; i++) {
		const struct done *done = &r->resolved.items[i];

		if (done->kind == DONE_LEFT || done->kind == DONE_CUT)
			continue;
		has_change = 1;
		r->place[done->row] = (uint32_t)i + 1;
		if (done->kind == DONE_DROPPED)
			set_bit(r->drops, done->row);
	}
	if (give_moves(r) || give_asyncs(r) || give_times(r) || (has_change && follow_flows(r)))
		return TAV_FAILED;
	for (size_t i = 0; i < (size_t)r->looked.rows / 64 + 1; i++)
		has_drop |= r->drops[i] != 0;
	if (has_drop && r->looked.edits->drop(r->looked.self, 0, r->drops))
		return TAV_FAILED;
	return introduce_lanes(r);
}

/* ---- What is told ----------------------------------------------------------------------------------------------- */
static const struct {
	const char *id, *message;
	uint32_t severity;
} told[DONE_KINDS] = {
        [DONE_LEFT] = {"left", "conflicting events that no policy could resolve stay as they are", TAV_SEV_WARNING},
        [DONE_MOVED] = {"moved", "conflicting events move to a lane of their own", TAV_SEV_NOTE},
        [DONE_ASYNC] = {"made_async", "conflicting events become async events", TAV_SEV_NOTE},
        [DONE_DROPPED] = {"dropped", "conflicting events are left out", TAV_SEV_NOTE},
        [DONE_SHIFTED] = {"shifted", "conflicting events start where the earlier one ends", TAV_SEV_NOTE},
        [DONE_CUT] = {"cut", "events end where a later one begins", TAV_SEV_NOTE},
};

static tav_status tell_kind(const struct resolving *r, uint32_t kind, uint64_t *count)
{
	enum { MOST = 100 };
	struct tav_ref refs[2 * MOST];
	int64_t overlaps[MOST], changes[MOST];
	uint64_t kept_count = 0;

	*count = 0;
	for (uint64_t i = 0; i < r->resolved.count; i++) {
		const struct done *done = &r->resolved.items[i];

		if (done->kind != kind)
			continue;
		++*count;
		if (kept_count == MOST)
			continue;
		int64_t end = r->looked.end[done->partner] < r->looked.end[done->row] ? r->looked.end[done->partner]
		                                                                      : r->looked.end[done->row];
		refs[2 * kept_count] = (struct tav_ref){0, done->row};
		refs[2 * kept_count + 1] = (struct tav_ref){0, done->partner};
		overlaps[kept_count] = end - r->looked.start[done->row];
		changes[kept_count++] = kind == DONE_MOVED ? done->lane : done->ns;
	}
	if (!*count)
		return TAV_OK;
	const struct tav_series measures[] = {
	        {"overlap_ns", TAV_TYPE_INT, TAV_UNIT_NS, overlaps, NULL},
	        {kind == DONE_MOVED ? "lane" : "change_ns", TAV_TYPE_INT,
	         kind == DONE_MOVED ? TAV_UNIT_NONE : TAV_UNIT_NS, changes, NULL},
	};
	const struct tav_finding finding = {.struct_size = sizeof(finding),
	                                    .severity = told[kind].severity,
	                                    .id = told[kind].id,
	                                    .message = told[kind].message,
	                                    .refs_each = 2,
	                                    .count = *count,
	                                    .instance_count = kept_count,
	                                    .refs = refs,
	                                    .measures = TAV_LIST(measures),
	                                    .remedy = kind == DONE_LEFT ? "add a policy that always can: tid, or drop"
	                                                                : NULL};
	return r->looked.host->finding(r->looked.self, &finding);
}

static tav_status tell(const struct resolving *r)
{
	struct tav_self *self = r->looked.self;
	const struct resolved *resolved = &r->resolved;
	uint64_t counts[DONE_KINDS];
	char conflicts[TAV_COUNTED_SIZE], events[TAV_COUNTED_SIZE], lanes[TAV_COUNTED_SIZE];

	for (uint32_t kind = 0; kind < DONE_KINDS; kind++) {
		if (tell_kind(r, kind, &counts[kind]))
			return TAV_FAILED;
	}
	tav_counted(conflicts, resolved->conflict_count, "conflict");
	tav_counted(events, resolved->event_count, "event");
	tav_counted(lanes, resolved->lane_count, "lane");
	uint32_t result = !resolved->event_count ? TAV_RESULT_SKIP
	                  : counts[DONE_LEFT]    ? TAV_RESULT_WARN
	                                         : TAV_RESULT_PASS;
	if (!resolved->event_count) {
		if (tav_tell(self, 0, "conflicts", result, 0, 0, "no events on %s",
		             r->options.by_track ? "tracks that must run one thing at a time" : "any thread"))
			return TAV_FAILED;
	} else if (tav_tell(self, 0, "conflicts", result, counts[DONE_LEFT], resolved->event_count,
	                    "%s among %s on %s, %" PRIu64 " of them left", conflicts, events, lanes,
	                    counts[DONE_LEFT])) {
		return TAV_FAILED;
	}
	const struct {
		const char *id;
		uint64_t value;
		uint32_t unit;
	} metrics[] = {
	        {"events", resolved->event_count, TAV_UNIT_COUNT},
	        {"lanes", resolved->lane_count, TAV_UNIT_COUNT},
	        {"conflicts", resolved->conflict_count, TAV_UNIT_COUNT},
	        {"moved", counts[DONE_MOVED], TAV_UNIT_COUNT},
	        {"made_async", counts[DONE_ASYNC], TAV_UNIT_COUNT},
	        {"dropped", counts[DONE_DROPPED], TAV_UNIT_COUNT},
	        {"shifted", counts[DONE_SHIFTED], TAV_UNIT_COUNT},
	        {"cut", resolved->cut_count, TAV_UNIT_COUNT},
	        {"left", counts[DONE_LEFT], TAV_UNIT_COUNT},
	        {"shift_ns", (uint64_t)resolved->shift_ns, TAV_UNIT_NS},
	        {"cut_ns", (uint64_t)resolved->cut_ns, TAV_UNIT_NS},
	        {"flows_moved", r->flows_moved, TAV_UNIT_COUNT},
	        {"flows_dropped", r->flows_dropped, TAV_UNIT_COUNT},
	        {"lanes_added", r->new_lane_count, TAV_UNIT_COUNT},
	};
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		if (tav_measure(self, 0, metrics[i].id, (int64_t)metrics[i].value, metrics[i].unit, 0))
			return TAV_FAILED;
	}
	if (r->looked.source->last_ns <= (INT64_C(1) << 41) * 1000)
		return TAV_OK;
	const struct tav_finding doubles = {.struct_size = sizeof(doubles),
	                                    .severity = TAV_SEV_NOTE,
	                                    .id = "viewer_doubles",
	                                    .message =
	                                            "times lie beyond 2^41 us: viewers that keep them as doubles may "
	                                            "draw overlaps that are not there",
	                                    .count = 1,
	                                    .remedy = "add the stage rebase, which moves all times exactly"};
	return self->host->finding(self, &doubles);
}

static void read_options(const struct tav_self *self, struct resolve_options *out)
{
	const struct tav_value *policies = self->options[OPT_POLICY];
	int64_t strict = self->options[OPT_STRICT]->integer;

	*out = (struct resolve_options){.by_track = self->options[OPT_LANES]->integer == LANES_TRACK,
	                                .mark = self->options[OPT_MARK]->integer != 0,
	                                .max_shift = self->options[OPT_MAX_SHIFT]->integer,
	                                .max_lanes = (uint32_t)self->options[OPT_MAX_LANES]->integer};
	out->strict = strict == STRICT_AUTO ? out->by_track : strict == STRICT_YES;
	for (uint64_t i = 0; i < policies->count && out->policy_count < POLICY_COUNT; i++)
		out->policies[out->policy_count++] = (unsigned)policies->items[i]->integer;
}

static tav_status each(struct tav_self *self)
{
	struct resolving *r = self->host->alloc(self, sizeof(*r));

	if (!r || look_at_source(self, &r->looked))
		return TAV_FAILED;
	read_options(self, &r->options);
	for (unsigned i = 0; i <= FIELD_SORT; i++) {
		r->raw[i] = self->host->column(self, 0, TAV_COL_FIELDS + i);
		if (!r->raw[i])
			return tav_fail(self, "a field of the events cannot be shown");
	}
	tav_status status = resolve_walk(&r->looked, &r->options, &r->resolved);
	if (status)
		return status;
	if (give_edits(r))
		return TAV_FAILED;
	return tell(r);
}

static tav_status combine(struct tav_self *self)
{
	return sum_metrics(self, "overlap-resolve");
}

static const struct tav_page pages[] = {
        {"conflicts", TAV_TELLS_CHECK, TAV_SEV_WARNING,
         "Is there any conflict between events of a lane that is not resolved?",
         "Events of a lane are taken in the order of their start. One conflicts with an earlier one that is still open "
         "when it starts inside it and ends after it; strictly, when they share any time.\n\n"
         "Policies are tried in the order given: tid moves the event to a lane beside, async makes it an async event, "
         "drop leaves it out, shift lets it start later, cut ends the earlier one. warn tells and changes nothing."},
        {"left", TAV_TELLS_FINDING, TAV_SEV_WARNING, "Conflicting events that no policy could resolve.",
         "shift moves by `max_shift` at most and never to nothing; tid opens `max_lanes` lanes at most; cut needs an "
         "earlier event that began before. Add tid or drop to the policies: they always can."},
        {"moved", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Events that move to a lane of their own.",
         "The tid changes, and args.orig_tid keeps the old one. The stream does not change: overlap-verify still finds "
         "what overlapped."},
        {"made_async", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Events that become a pair of async events.", NULL},
        {"dropped", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Events that are left out.", NULL},
        {"shifted", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Events that start later; their end stays.", NULL},
        {"cut", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Earlier events that end where a later one begins.", NULL},
        {"viewer_doubles", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Can viewers hold these times exactly?",
         "Viewers keep times as doubles of microseconds. Beyond 2^41 us (25 days) neighbours overlap by rounding."},
};

const struct tav_stage overlap_resolve = {
        .struct_size = sizeof(overlap_resolve),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS,
        .name = "overlap-resolve",
        .summary = "Moves, shortens or leaves out events that overlap, for the trace report",
        .help = "Says what it would change; with --report trace=OUT.json the trace is written so.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
