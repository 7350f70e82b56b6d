/* SPDX-License-Identifier: Apache-2.0 */
/* From the ids of one job to those of the store. */
#include <stdlib.h>

#include <reader/reader.h>

static bool make_place(struct store *store, uint32_t source)
{
	if (source < store->source_count)
		return true;
	struct events **sources = realloc(store->sources, ((size_t)source + 1) * sizeof(*sources));
	if (!sources)
		return false;
	for (uint32_t i = store->source_count; i <= source; i++)
		sources[i] = NULL;
	store->sources = sources;
	store->source_count = source + 1;
	return true;
}

static uint32_t *map_values(struct store *store, const struct intern *values)
{
	uint32_t *map = malloc((values->count + 1u) * sizeof(*map));

	for (uint32_t id = 0; map && id < values->count; id++) {
		struct tav_text text = intern_text(values, id);

		map[id] = intern_add(&store->values, text.data, text.size);
		if (map[id] == INTERN_FAILED) {
			free(map);
			return NULL;
		}
	}
	return map;
}

/* ---- Labels: the store's are looked up in a table made for one merge ------------------------------------------ */
struct label_table {
	uint32_t *slots; /* label + 1 */
	uint32_t mask;
};

static uint32_t *find_slot(const struct label_table *table, const struct store *store, struct label label)
{
	const struct label *labels = store->labels.data;
	uint32_t at = (uint32_t)(((uint64_t)label.category << 32 | label.name) * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (at &= table->mask; table->slots[at]; at = (at + 1) & table->mask) {
		const struct label *other = &labels[table->slots[at] - 1];

		if (other->name == label.name && other->category == label.category)
			break;
	}
	return &table->slots[at];
}

static uint32_t *map_labels(struct store *store, const struct read_job *job, const uint32_t *value_map)
{
	uint64_t total = (uint64_t)store->label_count + job->label_count, slots = 64;
	const struct label *locals = job->labels.data;
	uint32_t *map = malloc((job->label_count + 1u) * sizeof(*map));

	while (slots < total * 2)
		slots *= 2;
	struct label_table table = {calloc(slots, sizeof(uint32_t)), (uint32_t)(slots - 1)};
	if (!map || !table.slots || !pages_reserve(&store->labels, (total + 1) * sizeof(struct label))) {
		free(table.slots);
		free(map);
		return NULL;
	}
	struct label *labels = store->labels.data;
	for (uint32_t i = 0; i < store->label_count; i++)
		*find_slot(&table, store, labels[i]) = i + 1;
	for (uint32_t i = 0; i < job->label_count; i++) {
		struct label label = {value_map[locals[i].name], value_map[locals[i].category]};
		uint32_t *slot = find_slot(&table, store, label);

		if (!*slot) {
			labels[store->label_count++] = label;
			*slot = store->label_count;
		}
		map[i] = *slot - 1;
	}
	free(table.slots);
	return map;
}

static void map_column(struct pages *column, uint64_t rows, const uint32_t *map)
{
	uint32_t *ids = column->data;

	for (uint64_t row = 0; row < rows; row++) {
		if (ids[row]) /* 0 is 0 everywhere: pages that were never written stay so */
			ids[row] = map[ids[row]];
	}
}

static void map_events(struct events *events, const struct wanted *wanted, const uint32_t *values,
                       const uint32_t *labels)
{
	uint32_t *label = COLUMN(events, label, uint32_t);

	for (tav_row row = 0; row < events->row_count; row++)
		label[row] = labels[label[row]];
	map_column(&events->pid, events->row_count, values);
	map_column(&events->tid, events->row_count, values);
	for (uint32_t i = 0; i < events->field_count; i++) {
		if (wanted->items[i].type == TAV_TYPE_STRING || wanted->items[i].type == TAV_TYPE_JSON)
			map_column(&events->fields[i].data, events->row_count, values);
	}
}

tav_status read_merge(struct store *store, uint32_t source, struct read_job *job, struct causes *causes)
{
	if (!make_place(store, source))
		return cause_add(causes, "no memory for another source");
	if (!job->events)
		return TAV_OK;
	if (store->values.count <= 1 && !store->label_count) { /* the first one's ids become the store's */
		intern_fini(&store->values);
		pages_free(&store->labels);
		store->values = job->values;
		store->labels = job->labels;
		store->label_count = job->label_count;
		job->values = (struct intern){0};
		job->labels = (struct pages){0};
	} else {
		uint32_t *values = map_values(store, &job->values);
		uint32_t *labels = values ? map_labels(store, job, values) : NULL;

		if (labels)
			map_events(job->events, job->wanted, values, labels);
		free(values);
		free(labels);
		if (!labels)
			return cause_add(causes, "no memory to join the events of %s to the others", job->path);
		intern_fini(&job->values);
		pages_free(&job->labels);
	}
	job->label_count = 0;
	store->sources[source] = job->events;
	job->events = NULL;
	return TAV_OK;
}
