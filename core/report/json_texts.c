/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <kit/text.h>
#include <report/json_texts.h>

size_t json_texts_placed(struct tav_text text)
{
	size_t at = 0;

	if (text.size <= LONGEST_PLACED)
		return text.size;
	for (unsigned count = 0; count < LONGEST_PLACED && at < text.size; count++) {
		size_t length = utf8_length(text.data + at, text.size - at);

		at += length ? length : 1;
	}
	return at;
}

uint32_t json_texts_find(const struct json_texts *texts, struct tav_text text)
{
	uint64_t hash = table_hash(&text.data, sizeof(text.data));

	for (uint32_t at = table_first(&texts->index, hash); at != TABLE_END;
	     at = table_next(&texts->index, hash, at)) {
		if (texts->items[texts->index.slots[at].number].data == text.data)
			return texts->index.slots[at].number;
	}
	return TAV_NONE;
}

bool json_texts_add(struct json_texts *texts, struct tav_text text)
{
	if (texts->count == texts->capacity) {
		uint32_t capacity = texts->capacity ? texts->capacity * 2 : 16;
		struct tav_text *items = capacity ? arena_array(&texts->arena, capacity, sizeof(*items)) : NULL;

		if (!items)
			return false;
		if (texts->count)
			memcpy(items, texts->items, texts->count * sizeof(*items));
		texts->items = items;
		texts->capacity = capacity;
	}
	texts->items[texts->count] = text;
	return table_add(&texts->index, &texts->arena, table_hash(&text.data, sizeof(text.data)), texts->count++);
}

static bool add_long(struct json_texts *texts, struct tav_text text)
{
	return json_texts_placed(text) == text.size || json_texts_find(texts, text) != TAV_NONE ||
	       json_texts_add(texts, text);
}

static bool add_event(struct json_texts *texts, const struct tav_event *event)
{
	return add_long(texts, event->name) && add_long(texts, event->category) && add_long(texts, event->pid) &&
	       add_long(texts, event->tid) && add_long(texts, event->stream) && add_long(texts, event->lane);
}

static bool add_column(struct json_texts *texts, const struct tav_column_result *column, uint64_t rows)
{
	bool is_done = true;

	for (uint64_t row = 0; is_done && row < rows; row++) {
		if (!bit_is_set(column->present, row))
			continue;
		if (column->type == TAV_TYPE_STRING)
			is_done = add_long(texts, ((const struct tav_text *)column->data)[row]);
		else if (column->type == TAV_TYPE_REF)
			is_done = add_event(texts, &((const struct tav_event *)column->data)[row]);
	}
	return is_done;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool add_stage(struct json_texts *texts, const struct stage_results *stage, struct page_limit limit)
{
	bool is_done = true;

	for (uint32_t i = 0; is_done && i < stage->finding_count; i++) {
		const struct tav_finding_result *finding = &stage->findings[i]->shown;
		uint64_t count = least(finding->instance_count, limit.instances);

		for (uint64_t j = 0; is_done && j < count * finding->events_each; j++)
			is_done = add_event(texts, &finding->events[j]);
		for (uint32_t j = 0; is_done && j < finding->measure_count; j++)
			is_done = add_column(texts, &finding->measures[j], count);
	}
	for (uint32_t i = 0; is_done && i < stage->table_count; i++) {
		const struct tav_table_result *table = &stage->tables[i]->shown;

		for (uint32_t j = 0; is_done && stage->tables[i]->show != TAV_SHOW_DATA && j < table->column_count; j++)
			is_done = add_column(texts, &table->columns[j], least(table->row_count, limit.rows));
	}
	return is_done;
}

bool json_texts_collect(struct json_texts *texts, const struct results *results, struct page_limit limit)
{
	bool is_done = true;

	for (uint32_t i = 0; is_done && i < results->stage_count; i++)
		is_done = add_stage(texts, &results->stages[i], limit);
	return is_done;
}

void json_texts_fini(struct json_texts *texts)
{
	arena_fini(&texts->arena);
}
