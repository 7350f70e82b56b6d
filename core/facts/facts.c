/* SPDX-License-Identifier: Apache-2.0 */
/* Where facts are kept, the columns that are made on demand, and the members of the top-level object. */
#include <stdlib.h>
#include <string.h>

#include <facts/facts_of.h>
#include <kit/text.h>
#include <tav/kit.h>

struct facts *facts_of(struct events *events)
{
	if (!events->facts)
		events->facts = calloc(1, sizeof(*events->facts));
	if (events->facts) {
		struct facts *facts = events->facts;
		facts->links_arena.is_paged = facts->steps_arena.is_paged = true;
		facts->names_arena.is_paged = facts->metadata_arena.is_paged = true;
	}
	return events->facts;
}

void facts_free(struct events *events)
{
	struct facts *facts = events ? events->facts : NULL;

	if (!facts)
		return;
	arena_fini(&facts->links_arena);
	arena_fini(&facts->steps_arena);
	arena_fini(&facts->names_arena);
	arena_fini(&facts->metadata_arena);
	free((void *)(uintptr_t)facts->is_no_number);
	free(facts);
	events->facts = NULL;
}

const struct tav_link_list *facts_links_found(const struct events *events)
{
	return events->facts ? events->facts->links : NULL;
}

const struct tav_step_list *facts_steps_found(const struct events *events)
{
	return events->facts ? events->facts->steps : NULL;
}

/* ---- What links and operators go by ------------------------------------------------------------------------- */
struct alternatives facts_alternatives(const struct events *events, const uint32_t *fields, uint32_t count)
{
	struct alternatives list = {0};

	for (uint32_t i = 0; i < count && i < sizeof(list.columns) / sizeof(list.columns[0]); i++) {
		if (events_ids_of(events, fields[i], &list.columns[list.count]))
			list.count++;
	}
	return list;
}

/* As numbers are written in JSON: -1, 0, 0.0; also where the file has them as a string. */
static bool is_no_number(struct tav_text text)
{
	bool is_negative = text.size > 1 && text.data[0] == '-' && text.data[1] >= '0' && text.data[1] <= '9';
	size_t at = 0;

	if (is_negative || !text.size)
		return true;
	while (at < text.size && (text.data[at] == '0' || (at && text.data[at] == '.')))
		at++;
	return at == text.size;
}

const unsigned char *facts_no_numbers(struct events *events)
{
	struct facts *facts = facts_of(events);

	if (!facts || facts->is_no_number)
		return facts ? facts->is_no_number : NULL;
	unsigned char *found = malloc(events->values.count + 1u);
	for (uint32_t i = 0; found && i < events->values.count; i++) {
		uint32_t entry = intern_entry(&events->values, i);
		found[i] =
		        entry & INTERN_NUMBER ? entry == INTERN_NUMBER : is_no_number(intern_kept(&events->values, i));
	}
	facts->is_no_number = found;
	return found;
}

static tav_status make_ids(struct events *events, struct alternatives *list, struct pages *pages, struct causes *causes)
{
	const unsigned char *is_none = facts_no_numbers(events);
	struct pages made = {0};
	uint32_t which;

	if (!is_none || !pages_reserve(&made, ((size_t)events->row_count + 1) * sizeof(uint32_t)))
		return cause_add(causes, "out of memory: links of %u events", events->row_count);
	uint32_t *ids = made.data;
	for (tav_row row = 0; row < events->row_count; row++) {
		uint32_t value = facts_first_of(list, row, &which);
		if (value && !is_none[value])
			ids[row] = value;
	}
	if (!pages_seal(&made)) {
		pages_free(&made);
		return cause_add(causes, "cannot make a column read-only");
	}
	*pages = made;
	return TAV_OK;
}

tav_status facts_not_read(struct causes *causes)
{
	return cause_add(causes, "the stage asks for links, but does not say so: its descriptor lacks the flag "
	                         "TAV_STAGE_LINKS, and the fields that link were not read");
}

tav_status facts_column(struct events *events, uint32_t column, struct causes *causes)
{
	struct alternatives list;

	if ((column == TAV_COL_LINK || column == TAV_COL_OPERATOR) && events->has_unread_links)
		return facts_not_read(causes);
	if (column == TAV_COL_LINK && !events->link.data) {
		list = facts_alternatives(events, events->link_fields, events->link_field_count);
		return make_ids(events, &list, &events->link, causes);
	}
	if (column == TAV_COL_OPERATOR && !events->operators.data) {
		list = facts_alternatives(events, events->operator_fields, events->operator_field_count);
		return make_ids(events, &list, &events->operators, causes);
	}
	return TAV_OK;
}

/* ---- Members of the top-level object ------------------------------------------------------------------------- */
/* By key; those of one key in the order of the file, which is that of the array they lie in. */
static int member_order(const void *a, const void *b)
{
	const struct metadata_member *one = *(const struct metadata_member *const *)a;
	const struct metadata_member *other = *(const struct metadata_member *const *)b;
	int order = tav_text_compare(one->key, other->key);

	return order ? order : (one > other) - (one < other);
}

static bool split_members(struct facts *facts, const struct events *events)
{
	struct metadata_member *members;
	uint32_t count, kept = 0;

	if (!metadata_split(&facts->metadata_arena, events->top_level ? events->top_level : "", events->top_level_size,
	                    &members, &count))
		return false;
	/* An empty key would be taken for the end of the keys. */
	for (uint32_t i = 0; i < count; i++) {
		if (members[i].key.size)
			members[kept++] = members[i];
	}
	const struct metadata_member **by_key = arena_array(&facts->metadata_arena, kept, sizeof(*by_key));
	if (!by_key)
		return false;
	for (uint32_t i = 0; i < kept; i++)
		by_key[i] = &members[i];
	if (kept)
		qsort(by_key, kept, sizeof(*by_key), member_order);
	facts->members = members;
	facts->members_by_key = by_key;
	facts->member_count = kept;
	return true;
}

static struct facts *find_members(struct events *events)
{
	struct facts *facts = facts_of(events);

	if (!facts || facts->members)
		return facts;
	if (!split_members(facts, events))
		return NULL;
	arena_seal(&facts->metadata_arena);
	return facts;
}

bool facts_metadata(struct events *events, const char *key, struct tav_text *out)
{
	const struct facts *facts = find_members(events);
	uint32_t low = 0, high = facts ? facts->member_count : 0;

	*out = (struct tav_text){"", 0};
	/* Of a repeated key the last counts, as JSON readers have it: the one before the first that is greater. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (tav_text_compare(facts->members_by_key[middle]->key, tav_text_of(key)) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && text_is(facts->members_by_key[low - 1]->key, key))
		*out = facts->members_by_key[low - 1]->value;
	return facts;
}

bool facts_metadata_key(struct events *events, uint32_t index, struct tav_text *out)
{
	const struct facts *facts = find_members(events);

	*out = facts && index < facts->member_count ? facts->members[index].key : (struct tav_text){"", 0};
	return facts;
}
