/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include <base/text.h>
#include <classify/classify.h>

enum { METADATA_DEPTH = 1001 };

struct sample {
	struct tav_sample seen;
	struct tav_text *keys, *names, *categories;
};

/* The keys of the top-level object. What json-c does not take has none: it only makes a guess poorer. */
static bool list_keys(struct sample *sample, const struct events *events, struct arena *arena)
{
	struct json_tokener *tokener = json_tokener_new_ex(METADATA_DEPTH);
	if (!tokener)
		return false;
	struct json_object *top = NULL;
	if (events->top_level_size && events->top_level_size <= INT32_MAX)
		top = json_tokener_parse_ex(tokener, events->top_level, (int)events->top_level_size);
	bool is_done = true;
	if (top && json_object_is_type(top, json_type_object)) {
		sample->keys = arena_array(arena, (size_t)json_object_object_length(top), sizeof(*sample->keys));
		is_done = sample->keys != NULL;
		if (is_done) {
			json_object_object_foreach(top, key, value)
			{
				(void)value;
				struct tav_text text = arena_text(arena, text_of(key));
				sample->keys[sample->seen.key_count++] = text;
				is_done &= text.data != NULL;
			}
		}
	}
	json_object_put(top);
	json_tokener_free(tokener);
	return is_done;
}

static bool list_labels(struct sample *sample, const struct store *store, const struct events *events,
                        struct arena *arena)
{
	const uint32_t *label = COLUMN(events, label, const uint32_t);
	const struct label *texts = store->labels.data;
	unsigned char *is_used = arena_alloc(arena, store->label_count);

	if (!is_used)
		return false;
	for (tav_row row = 0; row < events->row_count; row++)
		is_used[label[row]] = 1;
	uint32_t count = 0;
	for (uint32_t i = 0; i < store->label_count; i++)
		count += is_used[i];
	sample->names = arena_array(arena, count, sizeof(*sample->names));
	sample->categories = arena_array(arena, count, sizeof(*sample->categories));
	if (!sample->names || !sample->categories)
		return false;
	for (uint32_t i = 0; i < store->label_count; i++) {
		if (!is_used[i])
			continue;
		sample->names[sample->seen.label_count] = intern_text(&store->values, texts[i].name);
		sample->categories[sample->seen.label_count++] = intern_text(&store->values, texts[i].category);
	}
	return true;
}

static uint64_t count_present(const struct events *events, const struct wanted_field *wanted,
                              const struct field_column *column)
{
	uint64_t count = 0;

	if (wanted->type == TAV_TYPE_STRING || wanted->type == TAV_TYPE_JSON) {
		const uint32_t *values = column->data.data;
		uint64_t limit = column->data.bytes / sizeof(*values);
		for (tav_row row = 0; row < events->row_count && row < limit; row++)
			count += values[row] != 0;
		return count;
	}
	const uint64_t *words = column->present.data;
	uint64_t limit = column->present.bytes / sizeof(*words);
	for (uint64_t word = 0; word < ((uint64_t)events->row_count + 63) / 64 && word < limit; word++)
		count += (uint64_t)__builtin_popcountll(words[word]);
	return count;
}

static int32_t ask(const struct store *store, const struct events *events, const struct dialect *dialect,
                   struct sample *sample, struct arena *arena, char *why, size_t why_size)
{
	uint32_t field_count = dialect->descriptor->fields.count;
	uint64_t *counts = arena_array(arena, field_count, sizeof(*counts));

	if (!counts)
		return -1;
	for (uint32_t i = 0; i < field_count; i++) {
		uint32_t wanted = dialect->fields[i];
		counts[i] = count_present(events, &store->wanted.items[wanted], &events->fields[wanted]);
	}
	sample->seen.field_counts = counts;
	int32_t score = dialect->descriptor->probe(dialect->self, &sample->seen, why, why_size);
	why[why_size - 1] = '\0';
	return score < 0 ? 0 : score > 100 ? 100 : score;
}

int classify_probe(struct store *store, uint32_t source, const struct dialect *dialects, uint32_t count,
                   const char **reason, struct causes *causes)
{
	struct events *events = store->sources[source];
	struct arena arena = {0};
	struct sample sample = {.seen = {.struct_size = sizeof(sample.seen), .form = events->form}};
	const char *text = "probe:";
	int best = -1;
	int32_t best_score = 0;
	bool is_asked = false;

	*reason = NULL;
	if (!list_keys(&sample, events, &arena) || !list_labels(&sample, store, events, &arena))
		goto no_memory;
	sample.seen.keys = sample.keys;
	sample.seen.names = sample.names;
	sample.seen.categories = sample.categories;
	sample.seen.event_count =
	        events->event_count > events->metadata_events ? events->event_count - events->metadata_events : 0;
	for (uint32_t i = 0; i < count; i++) {
		char why[256] = "";

		if (!dialects[i].descriptor->probe)
			continue;
		int32_t score = ask(store, events, &dialects[i], &sample, &arena, why, sizeof(why));
		if (score < 0)
			goto no_memory;
		text = arena_printf(&arena, "%s%s %s %d%s%s%s", text, is_asked ? "," : "", dialects[i].descriptor->name,
		                    score, *why ? " (" : "", why, *why ? ")" : "");
		if (!text)
			goto no_memory;
		is_asked = true;
		if (score > best_score) {
			best_score = score;
			best = (int)i;
		}
	}
	*reason = arena_copy(&events->arena, is_asked ? text : "probe: no dialect can be asked",
	                     strlen(is_asked ? text : "probe: no dialect can be asked"));
	if (!*reason)
		goto no_memory;
	arena_fini(&arena);
	return best;

no_memory:
	arena_fini(&arena);
	cause_add(causes, "out of memory: the dialect of %s", events->path);
	*reason = "out of memory";
	return -1;
}
