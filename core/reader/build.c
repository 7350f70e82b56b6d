/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <kit/table.h>
#include <reader/build.h>
#include <reader/decimal.h>

enum { ROWS_STEP = 1 << 15 };
#define MAX_ROWS (UINT32_MAX - UINT64_C(1))

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static bool reserve_rows(struct build *build, uint64_t rows)
{
	struct events *events = build->events;

	if (!pages_reserve(&events->start_ns, rows * 8) || !pages_reserve(&events->end_ns, rows * 8) ||
	    !pages_reserve(&events->label, rows * 4) || !pages_reserve(&events->pid, rows * 4) ||
	    !pages_reserve(&events->tid, rows * 4) || !pages_reserve(&events->traits, rows * 4) ||
	    !pages_reserve(&events->track, rows * 4) || !pages_reserve(&events->offset, rows * 8) ||
	    !pages_reserve(&events->phase, rows))
		return false;
	for (uint32_t i = 0; i < build->wanted->count; i++) {
		if (!field_reserve(&events->fields[i], build->wanted->items[i].type, rows))
			return false;
	}
	build->row_capacity = (tav_row)rows;
	return true;
}

bool build_reserve_rows(struct build *build, uint64_t needed)
{
	uint64_t rows = (uint64_t)build->row_capacity + build->row_capacity / 4 + ROWS_STEP;

	if (needed <= build->row_capacity)
		return true;
	if (rows < needed)
		rows = needed;
	if (rows > MAX_ROWS)
		rows = MAX_ROWS;
	if (needed > rows) {
		build->has_too_many_rows = true;
		return false;
	}
	return reserve_rows(build, rows);
}

bool build_has_room(const struct build *build, const struct build *part)
{
	return (uint64_t)build->row_count + part->row_count <= MAX_ROWS;
}

/* ---- Labels ------------------------------------------------------------------------------------------------- */

static uint32_t label_hash(const struct build *build, uint32_t name, uint32_t category)
{
	return (uint32_t)((build->label_seed ^ ((uint64_t)category << 32 | name)) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool grow_label_slots(struct build *build)
{
	uint32_t count = build->label_slots.data ? (build->label_mask + 1) * 2 : 1024;
	const struct label *labels = build->events->labels.data;
	struct pages grown = {0};

	if (!count || !pages_reserve(&grown, (size_t)count * sizeof(uint32_t)))
		return false;
	uint32_t *slots = grown.data;
	for (uint32_t i = 0; i < build->events->label_count; i++) {
		uint32_t at = label_hash(build, labels[i].name, labels[i].category) & (count - 1);

		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = i + 1;
	}
	pages_free(&build->label_slots);
	build->label_slots = grown;
	build->label_mask = count - 1;
	return true;
}

uint32_t build_label(struct build *build, uint32_t name, uint32_t category)
{
	if (build->events->label_count >= build->label_mask / 2 && !grow_label_slots(build))
		return TAV_NONE;
	const struct label *labels = build->events->labels.data;
	uint32_t *slots = build->label_slots.data;
	uint32_t at = label_hash(build, name, category) & build->label_mask;
	for (; slots[at]; at = (at + 1) & build->label_mask) {
		if (labels[slots[at] - 1].name == name && labels[slots[at] - 1].category == category)
			return slots[at] - 1;
	}
	if (!pages_reserve(&build->events->labels, ((size_t)build->events->label_count + 1) * sizeof(struct label)))
		return TAV_NONE;
	((struct label *)build->events->labels.data)[build->events->label_count] = (struct label){name, category};
	slots[at] = ++build->events->label_count;
	return build->events->label_count - 1;
}

/* A name mostly keeps its category, so what it had last is looked at first. */
static inline uint32_t label_of(struct build *build, uint32_t name, uint32_t category)
{
	if (build->label_of_name.bytes / sizeof(uint32_t) <= name &&
	    !pages_reserve(&build->label_of_name, ((size_t)name + 1) * sizeof(uint32_t)))
		return TAV_NONE;
	uint32_t *last = (uint32_t *)build->label_of_name.data + name;
	if (*last && ((const struct label *)build->events->labels.data)[*last - 1].category == category)
		return *last - 1;
	uint32_t label = build_label(build, name, category);
	if (label != TAV_NONE)
		*last = label + 1;
	return label;
}

/* ---- Texts -------------------------------------------------------------------------------------------------- */

uint32_t build_add_short(struct build *build, struct short_text text, const char *data)
{
	struct intern *values = &build->events->values;
	uint32_t count = values->count;

	text.id = intern_add(values, data, text.size);
	/* Numbers that count up would drive out what comes again and again. */
	if (text.id != INTERN_FAILED && (text.id < count || !(intern_entry(values, text.id) & INTERN_NUMBER)))
		build->short_texts[build_short_hash(text.low, text.high, text.size)] = text;
	return text.id;
}

uint32_t build_add_long(struct build *build, struct long_text *entry, const char *data, size_t size)
{
	uint32_t id = intern_add(&build->events->values, data, size);

	if (id != INTERN_FAILED && size <= UINT32_MAX)
		*entry = (struct long_text){intern_kept(&build->events->values, id).data, (uint32_t)size, id};
	return id;
}

/* ---- Times -------------------------------------------------------------------------------------------------- */

/* A ts that is out of range, as it would be read in nanoseconds. */
static void note_range(struct build *build)
{
	const struct time_value *ts = &build->draft.ts;
	struct decimal decimal;
	int64_t ns;

	if (ts->state != TIME_TEXT || ts->size != 19 || memchr(ts->text, '.', ts->size) ||
	    decimal_parse_in(&decimal, ts->text, ts->size, 0) || !decimal_round(&decimal, &ns) || ns < 0)
		return;
	if (!build->ns_only_count++)
		build->ns_only_first = ns;
}

static uint16_t read_time(const struct build *build, const struct time_value *time, struct decimal *decimal)
{
	switch (time->state) {
	case TIME_SIMPLE:
		*decimal = (struct decimal){.is_negative = time->ns < 0,
		                            .whole_ns = time->ns < 0 ? -(uint64_t)time->ns : (uint64_t)time->ns};
		return 0;
	case TIME_TEXT:
		switch (decimal_parse_in(decimal, time->text, time->size, build->time_exponent)) {
		case DECIMAL_OK:
			return 0;
		case DECIMAL_NOT_NUMBER:
			return TAV_BAD_NOT_NUMBER;
		default:
			return TAV_BAD_RANGE;
		}
	case TIME_WRONG:
		return TAV_BAD_NOT_NUMBER;
	default:
		return TAV_BAD_MISSING;
	}
}

static uint16_t read_start(struct build *build, int64_t *start_ns)
{
	const struct draft *draft = &build->draft;

	if (draft->ts.state == TIME_SIMPLE) {
		*start_ns = draft->ts.ns;
		return 0;
	}
	struct decimal ts;
	uint16_t reason = read_time(build, &draft->ts, &ts);
	if (!reason && !decimal_round(&ts, start_ns))
		reason = TAV_BAD_RANGE;
	if (reason == TAV_BAD_RANGE)
		note_range(build);
	return reason;
}

static uint16_t read_interval(struct build *build, int64_t *start_ns, int64_t *end_ns, uint16_t *field)
{
	const struct draft *draft = &build->draft;
	struct decimal ts, dur;

	if (draft->ts.state == TIME_SIMPLE && draft->dur.state == TIME_SIMPLE && draft->dur.ns >= 0 &&
	    !__builtin_add_overflow(draft->ts.ns, draft->dur.ns, end_ns)) {
		*start_ns = draft->ts.ns;
		return 0;
	}
	*field = TAV_BAD_FIELD_TS;
	uint16_t reason = read_time(build, &draft->ts, &ts);
	if (!reason && !decimal_round(&ts, start_ns))
		reason = TAV_BAD_RANGE;
	if (reason == TAV_BAD_RANGE)
		note_range(build);
	if (reason)
		return reason;
	*field = TAV_BAD_FIELD_DUR;
	reason = read_time(build, &draft->dur, &dur);
	if ((!reason || reason == TAV_BAD_RANGE) && dur.is_negative)
		return TAV_BAD_NEGATIVE;
	if (reason)
		return reason;
	*field = TAV_BAD_FIELD_END;
	return decimal_add(&ts, &dur, end_ns) ? 0 : TAV_BAD_RANGE;
}

bool build_mark_unusable(struct build *build, tav_row row, uint16_t reason, uint16_t field)
{
	struct events *events = build->events;

	if (!pages_reserve(&build->unusable, (build->unusable_count + 1) * sizeof(struct tav_unusable)))
		return false;
	((struct tav_unusable *)build->unusable.data)[build->unusable_count++] =
	        (struct tav_unusable){row, reason, field};
	COLUMN(events, traits, uint32_t)[row] = TAV_TRAIT_UNUSABLE;
	COLUMN(events, start_ns, int64_t)[row] = 0;
	COLUMN(events, end_ns, int64_t)[row] = 0;
	return true;
}

/* ---- Events ------------------------------------------------------------------------------------------------- */

static bool store_fields(struct build *build, tav_row row, bool only_missing)
{
	const struct draft *draft = &build->draft;

	for (uint32_t word = 0; word < build->set_words; word++) {
		for (uint64_t bits = draft->set[word]; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);

			if (!field_put(&build->events->fields[i], build->wanted->items[i].type, row, draft->cells[i],
			               only_missing, build->row_capacity))
				return false;
		}
	}
	return true;
}

static bool keep_place(struct pages *places, uint64_t *count, struct tav_unmatched place)
{
	if (!pages_reserve(places, (*count + 1) * sizeof(place)))
		return false;
	((struct tav_unmatched *)places->data)[(*count)++] = place;
	return true;
}

static bool keep_unmatched(struct build *build, struct tav_unmatched place, struct tav_unmatched_time time)
{
	struct events *events = build->events;

	if (!pages_reserve(&events->unmatched_times, (events->unmatched_count + 1) * sizeof(time)))
		return false;
	time.offset = place.offset;
	((struct tav_unmatched_time *)events->unmatched_times.data)[events->unmatched_count] = time;
	return keep_place(&build->events->unmatched, &build->events->unmatched_count, place);
}

bool build_close_pair(struct build *build, tav_row row, const struct pair_close *close)
{
	struct events *events = build->events;
	uint16_t reason = close->reason;

	if (row == TAV_NONE) {
		events->unmatched_end++;
		return keep_unmatched(build, (struct tav_unmatched){close->offset, TAV_NONE, 'E'},
		                      (struct tav_unmatched_time){0, close->end_ns, !reason, close->pid});
	}
	if (build->job->is_trace_wanted &&
	    !keep_place(&events->pair_ends, &events->pair_end_count, (struct tav_unmatched){close->offset, row, 'E'}))
		return false;
	if (COLUMN(events, traits, uint32_t)[row] & TAV_TRAIT_UNUSABLE)
		return true;
	if (!reason && close->end_ns < COLUMN(events, start_ns, int64_t)[row])
		reason = TAV_BAD_NEGATIVE;
	if (reason)
		return build_mark_unusable(build, row, reason, TAV_BAD_FIELD_END);
	COLUMN(events, end_ns, int64_t)[row] = close->end_ns;
	COLUMN(events, traits, uint32_t)[row] = TAV_TRAIT_INTERVAL;
	return true;
}

static bool end_pair(struct build *build)
{
	const struct draft *draft = &build->draft;
	tav_row row = pairs_end(&build->pairs, draft->pid, draft->tid, draft->name);
	struct pair_close close = {.offset = draft->offset, .pid = draft->pid};

	close.reason = read_start(build, &close.end_ns);
	if (row != TAV_NONE && !store_fields(build, row, true))
		return false;
	return build_close_pair(build, row, &close);
}

/* B and E events of a part wait until it is joined. */
static bool keep_pair_row(struct build *build, tav_row row)
{
	if (!pages_reserve(&build->pair_rows, (build->pair_row_count + 1) * sizeof(row)))
		return false;
	((tav_row *)build->pair_rows.data)[build->pair_row_count++] = row;
	return true;
}

bool build_event(struct build *build)
{
	const struct draft *draft = &build->draft;
	struct events *events = build->events;

	events->event_count++;
	if (!draft->has_keys) {
		build->empty_count++;
		return true;
	}
	bool is_end = draft->phase == 'E';
	if (is_end && !build->is_part)
		return end_pair(build);
	if (build->row_count == build->row_capacity && !build_reserve_rows(build, build->row_count + UINT64_C(1)))
		return false;
	uint32_t label = is_end ? draft->name : label_of(build, draft->name, draft->category);
	if (label == TAV_NONE)
		return false;
	tav_row row = build->row_count++;
	COLUMN(events, label, uint32_t)[row] = label;
	COLUMN(events, pid, uint32_t)[row] = draft->pid;
	COLUMN(events, tid, uint32_t)[row] = draft->tid;
	COLUMN(events, offset, uint64_t)[row] = draft->offset;
	COLUMN(events, phase, char)[row] = draft->phase;
	if (!store_fields(build, row, false))
		return false;
	int64_t start_ns = 0, end_ns = 0;
	uint16_t reason, field = TAV_BAD_FIELD_TS;
	if (draft->phase == 'X') {
		reason = read_interval(build, &start_ns, &end_ns, &field);
		if (reason)
			return build_mark_unusable(build, row, reason, field);
		COLUMN(events, traits, uint32_t)[row] = TAV_TRAIT_INTERVAL;
	} else {
		reason = read_start(build, &start_ns);
		if (build->is_part && (is_end || draft->phase == 'B')) {
			build->end_count += is_end;
			if (!keep_pair_row(build, row))
				return false;
			if (reason)
				return build_mark_unusable(build, row, reason, field);
		} else if (draft->phase == 'B') {
			if (!pairs_begin(&build->pairs, draft->pid, draft->tid, draft->name, row))
				return false;
			if (reason)
				return build_mark_unusable(build, row, reason, field);
		}
		if (reason) {
			start_ns = 0;
			COLUMN(events, traits, uint32_t)[row] = TAV_TRAIT_TIMELESS;
		}
		end_ns = start_ns;
		events->metadata_events += draft->phase == 'M';
		build->phaseless_count += !draft->phase;
	}
	COLUMN(events, start_ns, int64_t)[row] = start_ns;
	COLUMN(events, end_ns, int64_t)[row] = end_ns;
	return true;
}

/* ---- Begin and end of the whole ----------------------------------------------------------------------------- */

struct unmatched {
	struct build *build;
	bool has_memory;
};

static void mark_unmatched(void *user, tav_row row)
{
	struct unmatched *unmatched = user;
	struct build *build = unmatched->build;

	const struct events *events = build->events;
	bool has_time = !(COLUMN(events, traits, uint32_t)[row] & TAV_TRAIT_UNUSABLE);

	build->events->unmatched_begin++;
	unmatched->has_memory =
	        keep_unmatched(build, (struct tav_unmatched){COLUMN(events, offset, uint64_t)[row], row, 'B'},
	                       (struct tav_unmatched_time){0, COLUMN(events, start_ns, int64_t)[row], has_time,
	                                                   COLUMN(events, pid, uint32_t)[row]}) &&
	        unmatched->has_memory;
	if (has_time)
		unmatched->has_memory =
		        build_mark_unusable(build, row, TAV_BAD_UNMATCHED, TAV_BAD_FIELD_END) && unmatched->has_memory;
}

static int by_row(const void *a, const void *b)
{
	tav_row left = ((const struct tav_unusable *)a)->row, right = ((const struct tav_unusable *)b)->row;

	return (left > right) - (left < right);
}

static int by_offset(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b; /* the first member of both */

	return (left > right) - (left < right);
}

static bool is_in_order(const struct tav_unusable *unusable, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		if (unusable[i].row < unusable[i - 1].row)
			return false;
	}
	return true;
}

static bool trim_columns(struct build *build)
{
	struct events *events = build->events;
	uint64_t rows = build->row_count;

	if (!rows) /* a column without rows still is one: one page */
		rows = 1;
	bool is_done = pages_trim(&events->start_ns, rows * 8) && pages_trim(&events->end_ns, rows * 8) &&
	               pages_trim(&events->label, rows * 4) && pages_trim(&events->pid, rows * 4) &&
	               pages_trim(&events->tid, rows * 4) && pages_trim(&events->traits, rows * 4) &&
	               pages_trim(&events->track, rows * 4) && pages_trim(&events->offset, rows * 8) &&
	               pages_trim(&events->phase, rows);
	for (uint32_t i = 0; i < build->wanted->count; i++)
		is_done = is_done && field_finish(&events->fields[i], build->wanted->items[i].type, build->row_count);
	return is_done;
}

/* Names and categories are asked for again and again: those that are numbers get a text. */
static bool keep_labels(struct events *events)
{
	const struct label *labels = events->labels.data;
	bool is_done = true;

	for (uint32_t i = 0; i < events->label_count && is_done; i++)
		is_done = intern_keep(&events->values, labels[i].name) &&
		          intern_keep(&events->values, labels[i].category);
	return is_done;
}

bool build_finish(struct build *build)
{
	struct events *events = build->events;
	struct unmatched unmatched = {build, true};

	pairs_each_open(&build->pairs, mark_unmatched, &unmatched);
	if (!unmatched.has_memory)
		return false;
	pairs_fini(&build->pairs);
	events->row_count = build->row_count;
	if (!is_in_order(build->unusable.data, build->unusable_count))
		qsort(build->unusable.data, build->unusable_count, sizeof(struct tav_unusable), by_row);
	if (events->unmatched_count) {
		qsort(events->unmatched.data, events->unmatched_count, sizeof(struct tav_unmatched), by_offset);
		qsort(events->unmatched_times.data, events->unmatched_count, sizeof(struct tav_unmatched_time),
		      by_offset);
	}
	if (build->unusable_count) {
		if (!pages_trim(&build->unusable, build->unusable_count * sizeof(struct tav_unusable)))
			return false;
		events->unusable_pages = build->unusable;
		events->unusable = events->unusable_pages.data;
		events->unusable_count = build->unusable_count;
		build->unusable = (struct pages){0};
	}
	return (build->row_capacity || reserve_rows(build, 1)) && trim_columns(build) && keep_labels(events);
}

static unsigned exponent_of(uint64_t time_unit)
{
	unsigned exponent = 0;

	for (; time_unit >= 10; time_unit /= 10)
		exponent++;
	return exponent;
}

bool build_init(struct build *build, struct read_job *job, bool is_part)
{
	*build = (struct build){.job = job, .wanted = job->wanted, .is_part = is_part, .label_seed = table_seed()};
	build->time_exponent = exponent_of(job->time_unit ? job->time_unit : 1000);
	build->events = malloc(sizeof(*build->events));
	if (!build->events)
		return false;
	events_init(build->events);
	build->events->wanted = job->wanted;
	build->events->is_lenient = job->is_lenient;
	build->events->time_unit = job->time_unit ? job->time_unit : 1000;
	build->events->fields = calloc(job->wanted->count + 1u, sizeof(*build->events->fields));
	build->events->field_count = build->events->fields ? job->wanted->count : 0;
	for (uint32_t i = 0; i < build->events->field_count; i++) /* those of a part are small, and come again */
		build->events->fields[i].is_dense = is_part || job->wanted->items[i].type == TAV_TYPE_PRESENT;
	if (!intern_init(&build->events->values))
		return false;
	build->events->values.keeps_hashes = is_part;
	build->set_words = (job->wanted->count + 63) / 64;
	build->draft.set = calloc(build->set_words + 1u, sizeof(uint64_t));
	build->draft.cells = calloc(job->wanted->count + 1u, sizeof(uint64_t));
	if (!build->events->fields || !build->draft.set || !build->draft.cells || !build_make_keys(build))
		return false;
	build->draft.seen = calloc(build->seen_words + 1u, sizeof(uint64_t));
	return build->draft.seen && grow_label_slots(build);
}

void build_fini(struct build *build)
{
	events_free(build->events);
	for (uint32_t i = 0; build->keys && i < build->key_count; i++)
		free(build->keys[i].columns);
	free(build->keys);
	free(build->draft.seen);
	free(build->draft.set);
	free(build->draft.cells);
	pages_free(&build->pair_rows);
	pages_free(&build->unusable);
	pages_free(&build->label_of_name);
	pages_free(&build->label_slots);
	pairs_fini(&build->pairs);
	build->events = NULL;
}
