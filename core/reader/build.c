/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <reader/build.h>
#include <reader/decimal.h>

enum { ROWS_STEP = 1 << 15, MAX_ROWS_LEFT = 2 };

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
		uint32_t type = build->wanted->items[i].type;
		bool is_text = type == TAV_TYPE_STRING || type == TAV_TYPE_JSON;
		struct field_column *field = &events->fields[i];

		if (type != TAV_TYPE_PRESENT && !pages_reserve(&field->data, rows * (is_text ? 4 : 8)))
			return false;
		if (!is_text && !pages_reserve(&field->present, (rows + 63) / 64 * 8))
			return false;
	}
	build->row_capacity = (tav_row)rows;
	return true;
}

static bool grow_rows(struct build *build)
{
	uint64_t rows = (uint64_t)build->row_capacity + build->row_capacity / 4 + ROWS_STEP;

	if (rows > UINT32_MAX - MAX_ROWS_LEFT + 1)
		rows = UINT32_MAX - MAX_ROWS_LEFT + 1;
	if (build->row_count >= rows) {
		build->has_too_many_rows = true;
		return false;
	}
	return reserve_rows(build, rows);
}

/* ---- Labels ------------------------------------------------------------------------------------------------- */

static uint32_t label_hash(uint32_t name, uint32_t category)
{
	return (uint32_t)(((uint64_t)category << 32 | name) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static bool grow_label_slots(struct build *build)
{
	uint32_t count = build->label_slots.data ? (build->label_mask + 1) * 2 : 1024;
	const struct label *labels = build->job->labels.data;
	struct pages grown = {0};

	if (!count || !pages_reserve(&grown, (size_t)count * sizeof(uint32_t)))
		return false;
	uint32_t *slots = grown.data;
	for (uint32_t i = 0; i < build->job->label_count; i++) {
		uint32_t at = label_hash(labels[i].name, labels[i].category) & (count - 1);

		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = i + 1;
	}
	pages_free(&build->label_slots);
	build->label_slots = grown;
	build->label_mask = count - 1;
	return true;
}

static uint32_t find_label(struct build *build, uint32_t name, uint32_t category)
{
	struct read_job *job = build->job;

	if (job->label_count >= build->label_mask / 2 && !grow_label_slots(build))
		return TAV_NONE;
	const struct label *labels = job->labels.data;
	uint32_t *slots = build->label_slots.data;
	uint32_t at = label_hash(name, category) & build->label_mask;
	for (; slots[at]; at = (at + 1) & build->label_mask) {
		if (labels[slots[at] - 1].name == name && labels[slots[at] - 1].category == category)
			return slots[at] - 1;
	}
	if (!pages_reserve(&job->labels, ((size_t)job->label_count + 1) * sizeof(struct label)))
		return TAV_NONE;
	((struct label *)job->labels.data)[job->label_count] = (struct label){name, category};
	slots[at] = ++job->label_count;
	return job->label_count - 1;
}

/* A name mostly keeps its category, so what it had last is looked at first. */
static inline uint32_t label_of(struct build *build, uint32_t name, uint32_t category)
{
	if (build->label_of_name.bytes / sizeof(uint32_t) <= name &&
	    !pages_reserve(&build->label_of_name, ((size_t)name + 1) * sizeof(uint32_t)))
		return TAV_NONE;
	uint32_t *last = (uint32_t *)build->label_of_name.data + name;
	if (*last && ((const struct label *)build->job->labels.data)[*last - 1].category == category)
		return *last - 1;
	uint32_t label = find_label(build, name, category);
	if (label != TAV_NONE)
		*last = label + 1;
	return label;
}

/* ---- Times -------------------------------------------------------------------------------------------------- */

static uint16_t read_time(const struct time_value *time, struct decimal *decimal)
{
	switch (time->state) {
	case TIME_SIMPLE:
		*decimal = (struct decimal){.is_negative = time->ns < 0,
		                            .whole_ns = time->ns < 0 ? -(uint64_t)time->ns : (uint64_t)time->ns};
		return 0;
	case TIME_TEXT:
		switch (decimal_parse(decimal, time->text, time->size)) {
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

static uint16_t read_start(const struct draft *draft, int64_t *start_ns)
{
	if (draft->ts.state == TIME_SIMPLE) {
		*start_ns = draft->ts.ns;
		return 0;
	}
	struct decimal ts;
	uint16_t reason = read_time(&draft->ts, &ts);
	return reason ? reason : decimal_round(&ts, start_ns) ? 0 : TAV_BAD_RANGE;
}

static uint16_t read_interval(const struct draft *draft, int64_t *start_ns, int64_t *end_ns, uint16_t *field)
{
	struct decimal ts, dur;

	if (draft->ts.state == TIME_SIMPLE && draft->dur.state == TIME_SIMPLE && draft->dur.ns >= 0 &&
	    !__builtin_add_overflow(draft->ts.ns, draft->dur.ns, end_ns)) {
		*start_ns = draft->ts.ns;
		return 0;
	}
	*field = TAV_BAD_FIELD_TS;
	uint16_t reason = read_time(&draft->ts, &ts);
	if (!reason && !decimal_round(&ts, start_ns))
		reason = TAV_BAD_RANGE;
	if (reason)
		return reason;
	*field = TAV_BAD_FIELD_DUR;
	reason = read_time(&draft->dur, &dur);
	if ((!reason || reason == TAV_BAD_RANGE) && dur.is_negative)
		return TAV_BAD_NEGATIVE;
	if (reason)
		return reason;
	*field = TAV_BAD_FIELD_END;
	return decimal_add(&ts, &dur, end_ns) ? 0 : TAV_BAD_RANGE;
}

static bool mark_unusable(struct build *build, tav_row row, uint16_t reason, uint16_t field)
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

static void store_fields(struct build *build, tav_row row, bool only_missing)
{
	const struct draft *draft = &build->draft;

	for (uint32_t word = 0; word < build->set_words; word++) {
		for (uint64_t bits = draft->set[word]; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			struct field_column *field = &build->events->fields[i];
			uint64_t *present = field->present.data, bit = UINT64_C(1) << row % 64;

			switch (build->wanted->items[i].type) {
			case TAV_TYPE_STRING:
			case TAV_TYPE_JSON:
				if (!only_missing || !((uint32_t *)field->data.data)[row])
					((uint32_t *)field->data.data)[row] = (uint32_t)draft->cells[i];
				break;
			case TAV_TYPE_PRESENT:
				present[row / 64] |= bit;
				break;
			default: /* 64 bits, an integer or a real */
				if (!only_missing || !(present[row / 64] & bit))
					((uint64_t *)field->data.data)[row] = draft->cells[i];
				present[row / 64] |= bit;
			}
		}
	}
}

static bool end_pair(struct build *build)
{
	const struct draft *draft = &build->draft;
	struct events *events = build->events;
	tav_row row = pairs_end(&build->pairs, draft->pid, draft->tid, draft->name);
	int64_t end_ns;

	if (row == TAV_NONE) {
		events->unmatched_end++;
		return true;
	}
	store_fields(build, row, true);
	if (COLUMN(events, traits, uint32_t)[row] & TAV_TRAIT_UNUSABLE)
		return true;
	uint16_t reason = read_start(draft, &end_ns);
	if (!reason && end_ns < COLUMN(events, start_ns, int64_t)[row])
		reason = TAV_BAD_NEGATIVE;
	if (reason)
		return mark_unusable(build, row, reason, TAV_BAD_FIELD_END);
	COLUMN(events, end_ns, int64_t)[row] = end_ns;
	COLUMN(events, traits, uint32_t)[row] = TAV_TRAIT_INTERVAL;
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
	if (draft->phase == 'E')
		return end_pair(build);
	if (build->row_count == build->row_capacity && !grow_rows(build))
		return false;
	uint32_t label = label_of(build, draft->name, draft->category);
	if (label == TAV_NONE)
		return false;
	tav_row row = build->row_count++;
	COLUMN(events, label, uint32_t)[row] = label;
	COLUMN(events, pid, uint32_t)[row] = draft->pid;
	COLUMN(events, tid, uint32_t)[row] = draft->tid;
	COLUMN(events, offset, uint64_t)[row] = draft->offset;
	COLUMN(events, phase, char)[row] = draft->phase;
	store_fields(build, row, false);
	int64_t start_ns = 0, end_ns = 0;
	uint16_t reason, field = TAV_BAD_FIELD_TS;
	if (draft->phase == 'X') {
		reason = read_interval(draft, &start_ns, &end_ns, &field);
		if (reason)
			return mark_unusable(build, row, reason, field);
		COLUMN(events, traits, uint32_t)[row] = TAV_TRAIT_INTERVAL;
	} else {
		reason = read_start(draft, &start_ns);
		if (draft->phase == 'B') {
			if (!pairs_begin(&build->pairs, draft->pid, draft->tid, draft->name, row))
				return false;
			if (reason)
				return mark_unusable(build, row, reason, field);
		}
		if (reason)
			start_ns = 0;
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

	build->events->unmatched_begin++;
	if (!(COLUMN(build->events, traits, uint32_t)[row] & TAV_TRAIT_UNUSABLE))
		unmatched->has_memory =
		        mark_unusable(build, row, TAV_BAD_UNMATCHED, TAV_BAD_FIELD_END) && unmatched->has_memory;
}

static int by_row(const void *a, const void *b)
{
	tav_row left = ((const struct tav_unusable *)a)->row, right = ((const struct tav_unusable *)b)->row;

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
	for (uint32_t i = 0; i < build->wanted->count; i++) {
		uint32_t type = build->wanted->items[i].type;
		bool is_text = type == TAV_TYPE_STRING || type == TAV_TYPE_JSON;
		struct field_column *field = &events->fields[i];

		is_done = is_done && (type == TAV_TYPE_PRESENT || pages_trim(&field->data, rows * (is_text ? 4 : 8))) &&
		          (is_text || pages_trim(&field->present, (rows + 63) / 64 * 8));
	}
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
	if (build->unusable_count) {
		events->unusable = malloc(build->unusable_count * sizeof(struct tav_unusable));
		if (!events->unusable)
			return false;
		memcpy(events->unusable, build->unusable.data, build->unusable_count * sizeof(struct tav_unusable));
		events->unusable_count = build->unusable_count;
		pages_free(&build->unusable);
	}
	return (build->row_capacity || reserve_rows(build, 1)) && trim_columns(build);
}

bool build_init(struct build *build, struct read_job *job)
{
	*build = (struct build){.job = job, .wanted = job->wanted};
	build->events = calloc(1, sizeof(*build->events));
	if (!build->events)
		return false;
	build->events->rank = -1;
	build->events->is_lenient = job->is_lenient;
	build->events->fields = calloc(job->wanted->count + 1u, sizeof(*build->events->fields));
	build->events->field_count = build->events->fields ? job->wanted->count : 0;
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
	pages_free(&build->unusable);
	pages_free(&build->label_of_name);
	pages_free(&build->label_slots);
	pairs_fini(&build->pairs);
	build->events = NULL;
}
