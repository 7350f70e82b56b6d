/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <trace/store.h>

uint32_t wanted_add(struct wanted *wanted, const char *path, uint32_t type)
{
	for (uint32_t i = 0; i < wanted->count; i++) {
		if (wanted->items[i].type == type && !strcmp(wanted->items[i].path, path))
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
	wanted->items[wanted->count] = (struct wanted_field){path, type};
	return wanted->count++;
}

void wanted_fini(struct wanted *wanted)
{
	free(wanted->items);
	*wanted = (struct wanted){0};
}

bool store_init(struct store *store)
{
	*store = (struct store){0};
	return intern_init(&store->values);
}

/* The columns that every source has. */
enum { CORE_COLUMNS = 9 };
static void core_columns(struct events *events, struct pages *columns[CORE_COLUMNS])
{
	struct pages *all[CORE_COLUMNS] = {&events->start_ns, &events->end_ns, &events->label,
	                                   &events->pid,      &events->tid,    &events->traits,
	                                   &events->track,    &events->offset, &events->phase};

	memcpy(columns, all, sizeof(all));
}

static bool seal_events(struct events *events)
{
	struct pages *columns[CORE_COLUMNS];
	bool is_done = true;

	core_columns(events, columns);
	for (unsigned i = 0; i < CORE_COLUMNS; i++)
		is_done = pages_seal(columns[i]) && is_done;
	for (uint32_t i = 0; i < events->field_count; i++)
		is_done = pages_seal(&events->fields[i].data) && pages_seal(&events->fields[i].present) && is_done;
	return is_done;
}

tav_status store_seal(struct store *store, struct causes *causes)
{
	bool is_done = pages_seal(&store->labels) && pages_seal(&store->values.texts);

	for (uint32_t source = 0; source < store->source_count; source++) {
		if (store->sources[source])
			is_done = seal_events(store->sources[source]) && is_done;
	}
	return is_done ? TAV_OK : cause_add(causes, "cannot make the columns read-only");
}

void events_free(struct events *events)
{
	struct pages *columns[CORE_COLUMNS];

	if (!events)
		return;
	core_columns(events, columns);
	for (unsigned i = 0; i < CORE_COLUMNS; i++)
		pages_free(columns[i]);
	for (uint32_t i = 0; i < events->field_count; i++) {
		pages_free(&events->fields[i].data);
		pages_free(&events->fields[i].present);
	}
	for (struct chosen_order *order = events->orders; order; order = order->next) {
		pages_free(&order->first);
		pages_free(&order->rows);
	}
	free(events->fields);
	free(events->unusable);
	arena_fini(&events->arena);
	free(events);
}

void store_fini(struct store *store)
{
	for (uint32_t source = 0; source < store->source_count; source++)
		events_free(store->sources[source]);
	free(store->sources);
	pages_free(&store->labels);
	intern_fini(&store->values);
	wanted_fini(&store->wanted);
	*store = (struct store){0};
}
