/* SPDX-License-Identifier: Apache-2.0 */
/* The list of events: from value to value, with steps learned on the way. */
#ifndef READER_SCAN_EVENTS_H
#define READER_SCAN_EVENTS_H

#include <reader/scan_value.h>

static bool begin_args(struct scan *scan, const struct key *key, const char *at)
{
	uint64_t *seen = &scan->build->draft.seen[key->bit / 64], bit = UINT64_C(1) << key->bit % 64;

	if (UNLIKELY(*seen & bit)) {
		scan_settle(scan);
		scan->key = key->text;
		scan->key_size = key->size;
		scan_pend(scan, PENDING_DUPLICATE, at);
		build_forget_args(scan->build);
	}
	*seen |= bit;
	scan->args_key = key;
	scan->args_begin = at;
	if (LIKELY(!key->column_count || scan->has_whole_args))
		return true;
	struct value value = {.kind = VALUE_OBJECT};
	return build_value(scan->build, key, &value);
}

/* With args wanted as a whole, their text is known at their end. */
static bool end_args(struct scan *scan, const char *end)
{
	struct value value = {.kind = VALUE_OBJECT, .raw = scan->args_begin};

	if (scan->is_of_counters && scan->build->draft.phase && scan->build->draft.phase != 'C')
		return true;
	value.raw_size = (size_t)(end - value.raw);
	return build_value(scan->build, scan->args_key, &value);
}

static inline void begin_event(struct scan *scan, const char *at)
{
	scan->keep = at;
	scan->event_begin = at;
	scan->scratch_used = 0;
	build_begin(scan->build, scan->view.offset + (uint64_t)(at - scan->view.begin));
}

/* `behind` the event, with nothing but blanks and a comma between its '}' and there. */
static bool is_too_large(const struct scan *scan, const char *behind)
{
	while (behind[-1] != '}')
		behind--;
	return (size_t)(behind - scan->event_begin) > scan->max_event;
}

static inline bool end_event(struct scan *scan, const char *behind)
{
	if (UNLIKELY((size_t)(behind - scan->event_begin) > scan->max_event) && is_too_large(scan, behind)) {
		scan_too_large(scan, scan->event_begin);
		return false;
	}
	if (UNLIKELY(scan->has_pending) && !scan_commit(scan)) {
		scan_no_memory(scan);
		return false;
	}
	if (LIKELY(build_event(scan->build)))
		return true;
	scan->view.is_last = true; /* the end of it all, wherever the view ends */
	if (scan->build->has_too_many_rows)
		scan_fail(scan, scan->event_begin, "more than %lu events in one file: split it",
		          (unsigned long)UINT32_MAX - 1);
	else
		scan_no_memory(scan);
	return false;
}

static const char *end_list(struct scan *scan, const char *p)
{
	if (!scan->has_top && scan->form == TAV_FORM_EMPTY)
		scan->form = TAV_FORM_ARRAY;
	scan->place = scan->has_top ? PLACE_AFTER_MEMBER : PLACE_END;
	scan->keep = p;
	return NULL;
}

/*
 * Between two events: returns the place of the next one's '{', or NULL when the list has ended (scan->place) or stops.
 * `*is_plain` becomes false when something happened that a remembered step must not stand in for.
 */
static const char *find_event(struct scan *scan, const char *p, bool *is_plain)
{
	for (;;) {
		const char *q = skip_blank(p);

		/* Blanks need not be read again, however many; but for one, which keeps two events apart. */
		if (q >= scan->view.end && q > p)
			scan->keep = q - 1;
		if (scan->place == PLACE_AFTER_EVENT) {
			if (*q == ',') {
				if (scan->form == TAV_FORM_LINES)
					return scan_fail(
					        scan, q,
					        "a comma between events that stood on lines of their own before");
				if (scan->form == TAV_FORM_EMPTY)
					scan->form = TAV_FORM_ARRAY;
				scan->place = PLACE_EVENT;
				scan->keep = p = q + 1;
			} else if (*q == ']') {
				return end_list(scan, q + 1);
			} else if (*q == '{' && (scan->form == TAV_FORM_EMPTY || scan->form == TAV_FORM_LINES)) {
				if (p == q)
					return scan_fail(scan, q, "expected white space or ',' between two events");
				scan->form = TAV_FORM_LINES;
				scan->place = PLACE_EVENT;
				scan->keep = p = q;
			} else if (scan->form == TAV_FORM_LINES && q >= scan->view.end && scan->view.is_last) {
				return end_list(scan, q);
			} else {
				return scan_stop(scan, q,
				                 scan->form == TAV_FORM_LINES ? "an event"
				                                              : "',' or ']' behind an event");
			}
			continue;
		}
		if (*q == '{')
			return q;
		*is_plain = false;
		if (*q == ']') {
			if (scan->place == PLACE_FIRST_EVENT)
				return end_list(scan, q + 1);
			if (!scan->is_lenient)
				return scan_fail(scan, q, "trailing comma before ']': an event was expected");
			scan->key_size = 0;
			scan_pend(scan, PENDING_TRAILING_COMMA, q);
			if (!scan_commit(scan))
				return scan_no_memory(scan);
			return end_list(scan, q + 1);
		}
		if (!scan->is_lenient || q >= scan->view.end)
			return scan_stop(scan, q,
			                 scan->place == PLACE_FIRST_EVENT ? "an event, '{', or ']'" : "an event, '{'");
		struct value value;
		scan->key_size = 0;
		p = read_value(scan, q, &value);
		if (!p || (p >= scan->view.end && !scan->view.is_last))
			return p ? scan_stop(scan, p, "") : NULL;
		scan_pend(scan, PENDING_NOT_OBJECT, q);
		if (!scan_commit(scan))
			return scan_no_memory(scan);
		scan->place = PLACE_AFTER_EVENT;
		scan->keep = p;
	}
}

/*
 * Reads from the end of a value (or from between two events) to the next value, and notes in `step` what that did.
 * NULL: the list has ended (scan->result is OK), or stops.
 */
__attribute__((noinline)) static const char *walk(struct scan *scan, const char *p, struct step *step, bool *is_plain)
{
	const char *from = p, *text;
	size_t size;

	*step = (struct step){0};
	*is_plain = true;
	if (scan->level)
		goto in_object;
between:
	p = find_event(scan, p, is_plain);
	if (!p)
		return NULL;
	begin_event(scan, p);
	if (!step->ends_event || p - from >= STEP_BYTES)
		*is_plain = false;
	else
		step->begin = (uint8_t)(p - from);
	step->begins_event = true;
	scan->place = PLACE_EVENT;
	scan->level = 1;
	scan->is_opened = true;
	p++;
in_object:
	p = skip_blank(p);
	if (scan->is_opened) {
		scan->is_opened = false;
		if (*p == '}')
			goto close;
	} else if (*p == ',') {
		const char *comma = p;

		p = skip_blank(p + 1);
		if (*p == '}') {
			if (!scan->is_lenient)
				return scan_fail(scan, comma, "trailing comma before '}'");
			scan_pend(scan, PENDING_TRAILING_COMMA, comma);
			*is_plain = false;
			goto close;
		}
	} else if (*p == '}') {
		goto close;
	} else {
		return scan_stop(scan, p, "',' or '}' behind a value");
	}
	const char *quote = p;
	uint64_t pend_count = scan->pend_count;
	p = read_key(scan, p, &text, &size);
	if (!p)
		return NULL;
	if (scan->pend_count != pend_count)
		*is_plain = false;
	scan->build->draft.has_keys = true;
	step->key = build_find_key(scan->build, scan->level == 2, text, size);
	if (step->key->role == ROLE_ARGS && *p == '{') {
		const struct key **args = step->ends_event ? &step->args : &step->args_before;

		uint8_t *args_at = step->ends_event ? &step->args_at : &step->args_before_at;

		if (*args || p - from > STEP_BYTES)
			*is_plain = false;
		*args_at = (uint8_t)(p - from);
		*args = step->key;
		if (!begin_args(scan, step->key, p))
			return scan_no_memory(scan);
		scan->level = 2;
		scan->is_opened = true;
		p++;
		goto in_object;
	}
	if (p >= scan->view.end)
		return scan_stop(scan, p, "a value");
	if (step->key->role == ROLE_ARGS) /* no object now; the next one may be, and that is another step */
		*is_plain = false;
	step->role = step->key->fast_role;
	step->is_in_args = scan->level == 2;
	step->is_busy = step->ends_event || step->args_before || step->args_end;
	step->seen_word = step->key->bit / 64;
	step->seen_mask = UINT64_C(1) << step->key->bit % 64;
	/* Keys that were met before depend on nothing but the steps before: a known step never repeats one. */
	if (step->key->bit && scan->build->draft.seen[step->seen_word] & step->seen_mask) {
		*is_plain = false;
		scan_pend(scan, PENDING_DUPLICATE, p);
		if (step->key->role == ROLE_ARGS)
			build_forget_args(scan->build);
	}
	if (p - from <= STEP_BYTES) {
		step->size = (uint8_t)(p - from);
		step->key_at = (uint8_t)(quote + 1 - from);
		step->key_size = (uint8_t)scan->key_size;
		memcpy(step->bytes, from, step->size);
	} else {
		*is_plain = false;
	}
	return p;
close:
	p++;
	if (scan->level == 2) {
		if (scan->has_whole_args) {
			/* A known step ends one object of args, before it ends the event. */
			if (step->args_end || step->ends_event || p - from > STEP_BYTES)
				*is_plain = false;
			step->args_end = (uint8_t)(p - from);
			if (!end_args(scan, p))
				return scan_no_memory(scan);
		}
		scan->level = 1;
		goto in_object;
	}
	if (!end_event(scan, p))
		return NULL;
	if (step->ends_event)
		*is_plain = false;
	step->ends_event = true;
	scan->level = 0;
	scan->place = PLACE_AFTER_EVENT;
	scan->keep = p;
	goto between;
}

/* What may follow the text from an event's '{' to its first value. */
static struct followers *enter(struct scan *scan, const char *text, size_t size)
{
	for (uint32_t i = 0; i < scan->entry_count; i++) {
		if (scan->entries[i].size == size && !memcmp(scan->entries[i].bytes, text, size))
			return &scan->entries[i].followers;
	}
	if (size > STEP_BYTES || scan->entry_count == MAX_ENTRIES)
		return &scan->nothing;
	struct entry *entry = &scan->entries[scan->entry_count++];
	*entry = (struct entry){0};
	memcpy(entry->bytes, text, size);
	entry->size = size;
	return &entry->followers;
}

/* Remembers a step behind those of `after`, or makes a loose one of it. `p` is behind its text. */
static struct step *learn(struct scan *scan, struct followers *after, const char *p, const struct step *fresh,
                          bool is_plain)
{
	bool is_kept = is_plain && after && after != &scan->nothing && after->count < MAX_FOLLOWERS &&
	               scan->step_count < MAX_STEPS;
	struct step *step = is_kept ? &scan->steps[scan->step_count] : &scan->loose;

	*step = *fresh;
	step->last_value = is_kept ? scan->last_values + (size_t)scan->step_count * LAST_BYTES : NULL;
	if (is_kept)
		scan->followers[scan->step_count] = (struct followers){0};
	if (fresh->begins_event)
		step->followers = enter(scan, scan->event_begin, (size_t)(p - scan->event_begin));
	else
		step->followers = is_kept ? &scan->followers[scan->step_count] : &scan->nothing;
	if (is_kept) {
		struct step **link = &after->first;

		while (*link)
			link = &(*link)->next;
		*link = step;
		after->count++;
		scan->step_count++;
	}
	return step;
}

/* The value of a wanted field, by the long way. */
static const char *read_field(struct scan *scan, const char *p, const struct key *key)
{
	struct value value;

	p = read_value(scan, p, &value);
	if (p && !build_value(scan->build, key, &value))
		return scan_no_memory(scan);
	return p;
}

/* A scalar that becomes a value id; escapes and the rest go the long way. NULL with *is_read false: take that. */
static inline const char *read_text(struct scan *scan, const char *p, uint32_t *id, bool *is_read)
{
	const char *end;
	bool is_escaped = false;

	*is_read = true;
	if (*p == '"') {
		end = string_end(scan, p + 1, &is_escaped);
		if (UNLIKELY(!end))
			return NULL;
		if (LIKELY(!is_escaped)) {
			*id = build_text_at(scan->build, p + 1, (size_t)(end - p - 1));
			return LIKELY(*id != INTERN_FAILED) ? end + 1 : scan_no_memory(scan);
		}
		size_t size = (size_t)(end - p - 1);
		const char *text;
		if (!scan_decode(scan, p + 1, size, &text, &size))
			return scan_no_memory(scan);
		*id = build_text(scan->build, text, size);
		return *id != INTERN_FAILED ? end + 1 : scan_no_memory(scan);
	}
	if (is_digit(*p)) {
		unsigned count = count_digits(p);

		if (LIKELY(count <= INTERN_SMALL_DIGITS && ends_number(p, count))) {
			uint32_t value = parse_few_digits(p, count);

			if (LIKELY(value <= INTERN_SMALL)) {
				*id = intern_small(&scan->build->events->values, value);
				return LIKELY(*id != INTERN_FAILED) ? p + count : scan_no_memory(scan);
			}
		}
		end = number_end(scan, p);
		if (UNLIKELY(!end))
			return NULL;
		*id = build_text_at(scan->build, p, (size_t)(end - p));
		return LIKELY(*id != INTERN_FAILED) ? end : scan_no_memory(scan);
	}
	*is_read = false;
	return NULL;
}

static inline const char *read_id(struct scan *scan, const char *p, uint32_t *id, const struct key *key)
{
	bool is_read;
	const char *end = read_text(scan, p, id, &is_read);

	return LIKELY(is_read) ? end : read_field(scan, p, key);
}

static inline const char *read_column(struct scan *scan, const char *p, const struct key *key)
{
	struct draft *draft = &scan->build->draft;
	uint32_t column = key->columns[0], id;
	bool is_read;
	const char *end = read_text(scan, p, &id, &is_read);

	if (UNLIKELY(!is_read))
		return read_field(scan, p, key);
	if (UNLIKELY(!end))
		return NULL;
	draft->cells[column] = id;
	if (LIKELY(id))
		draft->set[column / 64] |= UINT64_C(1) << column % 64;
	else
		draft->set[column / 64] &= ~(UINT64_C(1) << column % 64);
	return end;
}

/* A whole number that becomes an integer; what else it may be goes the long way. */
static inline const char *read_integer(struct scan *scan, const char *p, const struct key *key)
{
	struct draft *draft = &scan->build->draft;
	uint32_t column = key->columns[0];
	unsigned count = count_digits(p);

	if (UNLIKELY(count > 16 || !ends_number(p, count)))
		return read_field(scan, p, key);
	draft->cells[column] = parse_digits(p, count);
	draft->set[column / 64] |= UINT64_C(1) << column % 64;
	return p + count;
}

/* An array or object that nobody reads: the same text again needs no second look. */
static const char *skip_container(struct scan *scan, const char *p, struct step *step)
{
	if (step->last_size && same_bytes(p, step->last_value, (unsigned)step->last_size))
		return p + step->last_size;
	const char *end = container_end(scan, p);
	if (end && step->last_value && end - p <= LAST_BYTES && !scan->has_pending) {
		step->last_size = (size_t)(end - p);
		memcpy(step->last_value, p, step->last_size);
	}
	return end;
}

static inline const char *skip_by_step(struct scan *scan, const char *p, struct step *step)
{
	bool is_escaped;

	if (*p == '"') {
		p = string_end(scan, p + 1, &is_escaped);
		return LIKELY(p) ? p + 1 : NULL;
	}
	if (is_digit(*p))
		return number_end(scan, p);
	if ((*p | 0x20) == '{')
		return skip_container(scan, p, step);
	enum value_kind kind;
	return scalar_end(scan, p, &kind);
}

static inline const char *read_by_role(struct scan *scan, const char *p, struct step *step)
{
	struct draft *draft = &scan->build->draft;

	if (step->role == ROLE_SKIP)
		return skip_by_step(scan, p, step);
	switch (step->role) {
	case ROLE_NAME:
		return read_id(scan, p, &draft->name, step->key);
	case ROLE_CATEGORY:
		return read_id(scan, p, &draft->category, step->key);
	case ROLE_PID:
		return read_id(scan, p, &draft->pid, step->key);
	case ROLE_TID:
		return read_id(scan, p, &draft->tid, step->key);
	case ROLE_PHASE:
		if (LIKELY(p[0] == '"' && p[1] > ' ' && p[1] != '"' && p[1] != '\\' && p[2] == '"')) {
			draft->phase = p[1];
			return p + 3;
		}
		return read_field(scan, p, step->key);
	case ROLE_TS:
		return LIKELY(is_digit(p[*p == '-'])) ? read_time(scan, p, &draft->ts) : read_field(scan, p, step->key);
	case ROLE_DUR:
		return LIKELY(is_digit(p[*p == '-'])) ? read_time(scan, p, &draft->dur)
		                                      : read_field(scan, p, step->key);
	case ROLE_FIELD:
		return read_column(scan, p, step->key);
	case ROLE_INTEGER:
		return read_integer(scan, p, step->key);
	default:
		return read_field(scan, p, step->key);
	}
}

/* Does what the text of a known step does. */
static inline bool take_step(struct scan *scan, const char *p, const struct step *step)
{
	if (step->args_before && !begin_args(scan, step->args_before, p + step->args_before_at)) {
		scan_no_memory(scan);
		return false;
	}
	if (step->args_end && !end_args(scan, p + step->args_end)) {
		scan_no_memory(scan);
		return false;
	}
	if (step->ends_event) {
		if (!end_event(scan, p + step->begin))
			return false;
		scan->place = PLACE_EVENT;
		begin_event(scan, p + step->begin);
		scan->build->draft.has_keys = true;
		if (step->args && !begin_args(scan, step->args, p + step->args_at)) {
			scan_no_memory(scan);
			return false;
		}
	}
	return true;
}

/* Reads events until the list ends (scan->place says where to go on, from scan->keep) or stops (scan->result). */
static void read_events(struct scan *scan, const char *p)
{
	struct draft *draft = &scan->build->draft;
	struct followers *after = NULL;
	struct step *step;
	struct step fresh;
	bool is_plain;

	for (;;) {
		for (step = after ? after->first : NULL; step; step = step->next) {
			if (same_bytes(p, step->bytes, step->size))
				break;
		}
		if (LIKELY(step)) {
			if (UNLIKELY(step->is_busy) && !take_step(scan, p, step))
				return;
			scan->step = step;
			p += step->size;
			if (UNLIKELY(*p <= ' '))
				p = skip_blank(p);
		} else {
			scan_settle(scan);
			p = walk(scan, p, &fresh, &is_plain);
			if (!p)
				return;
			step = learn(scan, after, p, &fresh, is_plain);
			scan->step = NULL;
		}
		draft->seen[step->seen_word] |= step->seen_mask;
		p = read_by_role(scan, p, step);
		if (UNLIKELY(!p))
			return;
		after = step->followers;
	}
}

#endif
