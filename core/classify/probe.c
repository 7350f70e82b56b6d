/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <classify/classify.h>
#include <kit/text.h>
#include <trace/metadata.h>

enum { RECOGNISED = 50 }; /* the least score of a dialect that is worth a hint */

struct sample {
	struct tav_sample seen;
	struct tav_text *keys, *names, *categories;
};

static bool list_keys(struct sample *sample, const struct events *events, struct arena *arena)
{
	struct metadata_member *members;

	if (!metadata_split(arena, events->top_level ? events->top_level : "", events->top_level_size, &members,
	                    &sample->seen.key_count))
		return false;
	sample->keys = arena_array(arena, sample->seen.key_count, sizeof(*sample->keys));
	for (uint32_t i = 0; sample->keys && i < sample->seen.key_count; i++)
		sample->keys[i] = members[i].key;
	return sample->keys;
}

static bool list_labels(struct sample *sample, const struct events *events, struct arena *arena)
{
	const uint32_t *label = COLUMN(events, label, const uint32_t);
	const struct label *texts = COLUMN(events, labels, const struct label);
	unsigned char *is_used = arena_alloc(arena, events->label_count);

	if (!is_used)
		return false;
	for (tav_row row = 0; row < events->row_count; row++)
		is_used[label[row]] = 1;
	uint32_t count = 0;
	for (uint32_t i = 0; i < events->label_count; i++)
		count += is_used[i];
	sample->names = arena_array(arena, count, sizeof(*sample->names));
	sample->categories = arena_array(arena, count, sizeof(*sample->categories));
	if (!sample->names || !sample->categories)
		return false;
	for (uint32_t i = 0; i < events->label_count; i++) {
		if (!is_used[i])
			continue;
		sample->names[sample->seen.label_count] = intern_kept(&events->values, texts[i].name);
		sample->categories[sample->seen.label_count++] = intern_kept(&events->values, texts[i].category);
	}
	return true;
}

static int32_t ask(const struct events *events, const struct dialect *dialect, struct sample *sample,
                   struct arena *arena, char *why, size_t why_size, struct causes *causes)
{
	uint32_t field_count = dialect->descriptor->fields.count;
	uint64_t *counts = arena_array(arena, field_count, sizeof(*counts));

	if (!counts) {
		cause_add(causes, "out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < field_count; i++)
		counts[i] = events->fields[dialect->fields[i]].count;
	sample->seen.field_counts = counts;
	int32_t score = dialect->descriptor->probe(dialect->self, &sample->seen, why, why_size);
	why[why_size - 1] = '\0';
	if (score >= 0 && score <= 100)
		return score;
	cause_add(causes, "the probe of the dialect '%s' gave %d; it gives 0 to 100", dialect->descriptor->name, score);
	return -1;
}

int classify_probe(struct events *events, const struct dialect *dialects, uint32_t count, const char **reason,
                   struct causes *causes)
{
	struct arena arena = {0};
	struct sample sample = {.seen = {.struct_size = sizeof(sample.seen), .form = events->form}};
	const char *text = "probe:";
	int best = -1, second = -1;
	int32_t best_score = 0;
	bool is_asked = false;

	*reason = NULL;
	if (!list_keys(&sample, events, &arena) || !list_labels(&sample, events, &arena))
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
		int32_t score = ask(events, &dialects[i], &sample, &arena, why, sizeof(why), causes);
		if (score < 0)
			goto no_memory;
		text = arena_printf(&arena, "%s%s %s %d%s%s%s", text, is_asked ? "," : "", dialects[i].descriptor->name,
		                    score, *why ? " (" : "", why, *why ? ")" : "");
		if (!text)
			goto no_memory;
		is_asked = true;
		if (score > best_score) {
			second = best_score >= RECOGNISED ? best : -1;
			best_score = score;
			best = (int)i;
		} else if (score >= RECOGNISED && second < 0) {
			second = (int)i;
		}
	}
	*reason = arena_copy(&events->arena, is_asked ? text : "probe: no dialect can be asked",
	                     strlen(is_asked ? text : "probe: no dialect can be asked"));
	if (!*reason)
		goto no_memory;
	events->second_dialect = second < 0 ? NULL : dialects[second].descriptor->name;
	arena_fini(&arena);
	return best;

no_memory:
	arena_fini(&arena);
	if (!causes->outermost)
		cause_add(causes, "out of memory");
	cause_add(causes, "cannot tell the dialect of %s", events->path);
	*reason = "it cannot be told";
	return -1;
}
