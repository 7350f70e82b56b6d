/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <trace/store.h>

uint32_t wanted_add(struct wanted *wanted, const char *path, uint32_t type)
{
	return wanted_add_flagged(wanted, path, type, 0);
}

uint32_t wanted_add_flagged(struct wanted *wanted, const char *path, uint32_t type, uint32_t flags)
{
	for (uint32_t i = 0; i < wanted->count; i++) {
		if (wanted->items[i].type == type && wanted->items[i].flags == flags &&
		    !strcmp(wanted->items[i].path, path))
			return i;
	}
	if (wanted->count == wanted->capacity) {
		uint32_t capacity = wanted->capacity ? wanted->capacity * 2 : 16;
		struct wanted_field *items =
		        capacity > wanted->capacity ? realloc(wanted->items, capacity * sizeof(*items)) : NULL;
		if (!items)
			return TAV_NONE;
		wanted->items = items;
		wanted->capacity = capacity;
	}
	wanted->items[wanted->count] = (struct wanted_field){path, type, flags};
	return wanted->count++;
}

void wanted_fini(struct wanted *wanted)
{
	free(wanted->items);
	*wanted = (struct wanted){0};
}

void events_init(struct events *events)
{
	*events = (struct events){
	        .arena = {.is_paged = true}, .rank = -1, .world_size = -1, .form = TAV_FORM_EMPTY, .time_unit = 1000};
}

static struct id_column column_of(const struct events *events, const struct pages *pages)
{
	uint64_t limit = pages->bytes / sizeof(uint32_t);

	return (struct id_column){.ids = pages->data, .limit = limit < events->row_count ? limit : events->row_count};
}

bool events_ids_of(const struct events *events, uint32_t wanted, struct id_column *column)
{
	if (wanted >= events->field_count || events->wanted->items[wanted].type != TAV_TYPE_STRING)
		return false;
	const struct field_column *field = &events->fields[wanted];
	*column =
	        field->is_dense
	                ? column_of(events, &field->data)
	                : (struct id_column){.ids = field->data.data, .rows = field->rows.data, .limit = field->count};
	return true;
}

bool events_ids(const struct events *events, const char *path, struct id_column *column)
{
	if (!strcmp(path, "pid") || !strcmp(path, "tid")) {
		*column = column_of(events, *path == 'p' ? &events->pid : &events->tid);
		return true;
	}
	for (uint32_t i = 0; i < events->field_count; i++) {
		if (events->wanted->items[i].type == TAV_TYPE_STRING && !strcmp(events->wanted->items[i].path, path))
			return events_ids_of(events, i, column);
	}
	return false;
}

/* The columns that every source has. */
enum { CORE_COLUMNS = 18 };
static void core_columns(struct events *events, struct pages *columns[CORE_COLUMNS])
{
	struct pages *all[CORE_COLUMNS] = {
	        &events->start_ns,  &events->end_ns,         &events->label,     &events->pid,
	        &events->tid,       &events->traits,         &events->track,     &events->offset,
	        &events->phase,     &events->labels,         &events->kind,      &events->link,
	        &events->operators, &events->unusable_pages, &events->unmatched, &events->label_calls,
	        &events->pair_ends, &events->unmatched_times};

	memcpy(columns, all, sizeof(all));
}

void events_each_pages(struct events *events, void (*act)(void *user, struct pages *pages), void *user)
{
	struct pages *columns[CORE_COLUMNS];

	core_columns(events, columns);
	for (unsigned i = 0; i < CORE_COLUMNS; i++)
		act(user, columns[i]);
	for (uint32_t i = 0; i < events->field_count; i++) {
		act(user, &events->fields[i].data);
		act(user, &events->fields[i].present);
		act(user, &events->fields[i].rows);
	}
	act(user, &events->values.entries);
	act(user, &events->values.texts);
}

static void seal(void *user, struct pages *pages)
{
	bool *is_done = user;

	*is_done = pages_seal(pages) && *is_done;
}

tav_status events_seal(struct events *events, struct causes *causes)
{
	bool is_done = true;

	events_each_pages(events, seal, &is_done);
	is_done = arena_seal(&events->arena) && arena_seal(&events->values.bytes) && is_done;
	return is_done ? TAV_OK : cause_add(causes, "cannot make the columns read-only");
}

static void free_pages(void *user, struct pages *pages)
{
	const struct events *events = user;

	/* those of texts are freed with their table */
	if (pages != &events->values.texts && pages != &events->values.entries)
		pages_free(pages);
}

void events_free(struct events *events)
{
	if (!events)
		return;
	events_each_pages(events, free_pages, events);
	for (struct chosen_order *order = events->orders; order; order = order->next) {
		pages_free(&order->first);
		pages_free(&order->rows);
	}
	intern_fini(&events->values);
	free(events->fields);
	arena_fini(&events->made);
	arena_fini(&events->arena);
	free(events);
}
