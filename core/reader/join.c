/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a file that were read apart become one: their rows with the ids of the whole, their pairs across parts. */
#include <reader/build.h>

/* ---- The part begins anew ----------------------------------------------------------------------------------- */

static void clear_columns(struct build *part)
{
	struct events *events = part->events;
	uint64_t rows = part->row_count;

	if (!rows)
		return;
	memset(events->traits.data, 0, rows * 4); /* the others of the kind are written for each row */
	for (uint32_t i = 0; i < part->wanted->count; i++) {
		if (events->fields[i].count)
			field_clear(&events->fields[i], part->wanted->items[i].type, rows);
	}
}

bool build_restart(struct build *part, const char *text, const char *text_end)
{
	struct events *events = part->events;
	size_t named = (size_t)events->values.count * sizeof(uint32_t);

	clear_columns(part);
	if (part->label_of_name.data)
		memset(part->label_of_name.data, 0,
		       named < part->label_of_name.bytes ? named : part->label_of_name.bytes);
	memset(part->label_slots.data, 0, ((size_t)part->label_mask + 1) * sizeof(uint32_t));
	memset(part->short_texts, 0, sizeof(part->short_texts));
	memset(part->long_texts, 0, sizeof(part->long_texts));
	events->label_count = 0;
	events->event_count = events->metadata_events = 0;
	part->row_count = 0;
	part->unusable_count = part->pair_row_count = part->end_count = 0;
	part->empty_count = part->phaseless_count = part->ns_only_count = 0;
	events->values.borrowed = text;
	events->values.borrowed_end = text_end;
	return intern_clear(&events->values);
}

/* ---- Joining ------------------------------------------------------------------------------------------------ */

struct join {
	struct build *build;
	const struct build *part;
	tav_row first;          /* row of the whole for the part's first one */
	uint64_t count;         /* rows of the part that are rows of the whole */
	uint32_t *ids, *labels; /* by those of the part */
	const tav_row *kept;    /* rows of the part but its E events; NULL: all */
	struct pages id_pages, label_pages, kept_pages;
};

static bool map_ids(struct join *join)
{
	const struct events *from = join->part->events;
	const struct label *labels = from->labels.data;

	if (!pages_reserve(&join->id_pages, (size_t)from->values.count * sizeof(uint32_t)) ||
	    !pages_reserve(&join->label_pages, ((size_t)from->label_count + 1) * sizeof(uint32_t)))
		return false;
	join->ids = join->id_pages.data;
	join->labels = join->label_pages.data;
	if (!intern_add_all(&join->build->events->values, &from->values, join->ids))
		return false;
	for (uint32_t i = 0; i < from->label_count; i++) {
		join->labels[i] = build_label(join->build, join->ids[labels[i].name], join->ids[labels[i].category]);
		if (join->labels[i] == TAV_NONE)
			return false;
	}
	return true;
}

/* Lists the rows that stay rows, where some do not. */
static bool list_kept(struct join *join)
{
	const struct build *part = join->part;
	const char *phase = part->events->phase.data;
	uint64_t count = 0;

	join->count = part->row_count - part->end_count;
	if (!part->end_count)
		return true;
	if (!pages_reserve(&join->kept_pages, (join->count + 1) * sizeof(tav_row)))
		return false;
	tav_row *kept = join->kept_pages.data;
	for (tav_row row = 0; row < part->row_count; row++) {
		if (phase[row] != 'E')
			kept[count++] = row;
	}
	join->kept = kept;
	return true;
}

#define COPY(join, to, from, type)                                                                                     \
	do {                                                                                                           \
		type *target = (type *)(to) + (join)->first;                                                           \
		const type *source = (const type *)(from);                                                             \
		for (uint64_t at = 0; (join)->kept && at < (join)->count; at++)                                        \
			target[at] = source[(join)->kept[at]];                                                         \
		if (!(join)->kept)                                                                                     \
			memcpy(target, source, (join)->count * sizeof(type));                                          \
	} while (0)

static void copy_mapped(const struct join *join, struct pages *to, const struct pages *from, const uint32_t *map)
{
	uint32_t *target = (uint32_t *)to->data + join->first;
	const uint32_t *source = from->data;

	if (join->kept) {
		for (uint64_t i = 0; i < join->count; i++)
			target[i] = map[source[join->kept[i]]];
	} else {
		for (uint64_t i = 0; i < join->count; i++)
			target[i] = map[source[i]];
	}
}

/* What is behind the last row is zero. */
static void copy_bits(const struct join *join, struct pages *to, const struct pages *from)
{
	uint64_t *target = to->data, first = join->first;
	const uint64_t *source = from->data;
	unsigned shift = first % 64;

	for (uint64_t word = 0; word < (join->count + 63) / 64; word++) {
		target[first / 64 + word] |= source[word] << shift;
		if (shift && source[word] >> (64 - shift))
			target[first / 64 + word + 1] |= source[word] >> (64 - shift);
	}
}

static void copy_rows(const struct join *join)
{
	struct events *to = join->build->events, *from = join->part->events;

	COPY(join, to->start_ns.data, from->start_ns.data, int64_t);
	COPY(join, to->end_ns.data, from->end_ns.data, int64_t);
	COPY(join, to->offset.data, from->offset.data, uint64_t);
	COPY(join, to->traits.data, from->traits.data, uint32_t);
	COPY(join, to->phase.data, from->phase.data, char);
	copy_mapped(join, &to->label, &from->label, join->labels);
	copy_mapped(join, &to->pid, &from->pid, join->ids);
	copy_mapped(join, &to->tid, &from->tid, join->ids);
}

static uint64_t mapped(const struct join *join, uint32_t type, uint64_t value)
{
	return field_has_ids(type) ? join->ids[value] : value;
}

/* The values of a field that the whole has few of: one after the other. */
static bool put_field(const struct join *join, uint32_t i)
{
	struct field_column *field = &join->build->events->fields[i], *other = &join->part->events->fields[i];
	uint32_t type = join->part->wanted->items[i].type;
	uint64_t value;

	for (uint64_t at = 0; at < join->count; at++) {
		tav_row row = join->kept ? join->kept[at] : (tav_row)at;

		if (field_get(other, type, row, &value) &&
		    !field_put(field, type, join->first + (tav_row)at, mapped(join, type, value), false,
		               join->build->row_capacity))
			return false;
	}
	return true;
}

static bool copy_fields(const struct join *join)
{
	for (uint32_t i = 0; i < join->part->wanted->count; i++) {
		struct field_column *field = &join->build->events->fields[i], *other = &join->part->events->fields[i];
		uint32_t type = join->part->wanted->items[i].type;

		if (!other->count)
			continue;
		if (!field->is_dense || join->kept) { /* of E events some values are added later */
			if (!put_field(join, i))
				return false;
			continue;
		}
		if (field_has_ids(type))
			copy_mapped(join, &field->data, &other->data, join->ids);
		else
			copy_bits(join, &field->present, &other->present);
		if (type == TAV_TYPE_INT || type == TAV_TYPE_REAL)
			COPY(join, field->data.data, other->data.data, uint64_t);
		field->count += other->count;
	}
	return true;
}

/* What an E event adds to the fields of its B event: only those that are missing. */
static bool add_fields(const struct join *join, tav_row row, tav_row end)
{
	uint64_t value;

	for (uint32_t i = 0; i < join->part->wanted->count; i++) {
		uint32_t type = join->part->wanted->items[i].type;

		if (field_get(&join->part->events->fields[i], type, end, &value) &&
		    !field_put(&join->build->events->fields[i], type, row, mapped(join, type, value), true,
		               join->build->row_capacity))
			return false;
	}
	return true;
}

static bool join_end(const struct join *join, tav_row end, uint16_t reason)
{
	const struct events *from = join->part->events;
	struct pair_close close = {.offset = COLUMN(from, offset, const uint64_t)[end],
	                           .pid = join->ids[COLUMN(from, pid, const uint32_t)[end]],
	                           .end_ns = COLUMN(from, start_ns, const int64_t)[end],
	                           .reason = reason};
	tav_row row = pairs_end(&join->build->pairs, close.pid, join->ids[COLUMN(from, tid, const uint32_t)[end]],
	                        join->ids[COLUMN(from, label, const uint32_t)[end]]);

	if (row != TAV_NONE && !add_fields(join, row, end))
		return false;
	return build_close_pair(join->build, row, &close);
}

static bool join_begin(const struct join *join, tav_row row)
{
	const struct events *events = join->build->events;
	const struct label *labels = events->labels.data;

	return pairs_begin(&join->build->pairs, COLUMN(events, pid, const uint32_t)[row],
	                   COLUMN(events, tid, const uint32_t)[row],
	                   labels[COLUMN(events, label, const uint32_t)[row]].name, row);
}

/* Walks the B and E events and the unusable ones, both by row: the time of an E event may be among the latter. */
static bool join_pairs(const struct join *join)
{
	const struct build *part = join->part;
	const char *phase = part->events->phase.data;
	const tav_row *pairs = part->pair_rows.data;
	const struct tav_unusable *unusable = part->unusable.data;
	uint64_t pair = 0, bad = 0;
	tav_row ends = 0;

	while (pair < part->pair_row_count || bad < part->unusable_count) {
		tav_row row = pair < part->pair_row_count ? pairs[pair] : TAV_NONE;

		if (bad < part->unusable_count && unusable[bad].row < row)
			row = unusable[bad].row;
		bool is_bad = bad < part->unusable_count && unusable[bad].row == row;
		const struct tav_unusable *reason = is_bad ? &unusable[bad++] : NULL;
		bool is_pair = pair < part->pair_row_count && pairs[pair] == row;
		pair += is_pair;
		if (phase[row] == 'E') {
			ends++;
			if (!join_end(join, row, reason ? reason->reason : 0))
				return false;
			continue;
		}
		tav_row joined = join->first + row - ends;
		if ((is_pair && !join_begin(join, joined)) ||
		    (reason && !build_mark_unusable(join->build, joined, reason->reason, reason->field)))
			return false;
	}
	return true;
}

bool build_join(struct build *build, const struct build *part)
{
	struct join join = {.build = build, .part = part, .first = build->row_count};
	struct events *events = build->events;
	bool is_done = map_ids(&join) && list_kept(&join) &&
	               build_reserve_rows(build, (uint64_t)build->row_count + join.count);

	if (is_done) {
		if (join.count)
			copy_rows(&join);
		build->row_count += (tav_row)join.count;
		is_done = copy_fields(&join) && join_pairs(&join);
	}
	events->event_count += part->events->event_count;
	events->metadata_events += part->events->metadata_events;
	build->empty_count += part->empty_count;
	build->phaseless_count += part->phaseless_count;
	if (!build->ns_only_count)
		build->ns_only_first = part->ns_only_first;
	build->ns_only_count += part->ns_only_count;
	pages_free(&join.id_pages);
	pages_free(&join.label_pages);
	pages_free(&join.kept_pages);
	return is_done;
}
