/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace says of itself beside its events (devices, versions, flags), for those reports that repeat it. A large
 * member is data, not a statement, and stays out; so does what a strict reader of JSON would refuse.
 */
#include <kit/text.h>
#include <report/json_in.h>
#include <report/report.h>

enum { MEMBER_BYTES = 8 << 10, ALL_BYTES = 32 << 10 };

static bool is_strict(const struct metadata_member *member, bool *is_ok)
{
	struct arena scratch = {0};
	struct json_in in = {.text = member->value.data, .size = member->value.size, .arena = &scratch};

	in_raw(&in);
	in_end(&in);
	arena_fini(&scratch);
	*is_ok &= !in.is_out_of_memory;
	return !in.message;
}

static bool is_known(const struct report_source *source, struct tav_text key)
{
	for (uint32_t i = 0; i < source->top_level_count; i++) {
		if (text_equals(source->top_level[i].key, key))
			return true;
	}
	return false;
}

bool report_keep_top_level(struct report_source *source, struct arena *arena, const char *text, size_t size)
{
	struct arena scratch = {0};
	struct metadata_member *members;
	uint32_t count;
	size_t room = ALL_BYTES;
	bool is_ok = metadata_split(&scratch, text, size, &members, &count);

	source->top_level =
	        is_ok ? arena_array(arena, count < ALL_BYTES / 4 ? count : ALL_BYTES / 4, sizeof(*source->top_level))
	              : NULL;
	is_ok = source->top_level;
	for (uint32_t i = 0; is_ok && i < count; i++) {
		struct metadata_member *kept = &source->top_level[source->top_level_count];
		size_t bytes = members[i].key.size + members[i].value.size + 4;

		if (bytes > MEMBER_BYTES || bytes > room || is_known(source, members[i].key) ||
		    !is_strict(&members[i], &is_ok))
			continue;
		kept->key = arena_text(arena, members[i].key);
		kept->value = arena_text(arena, members[i].value);
		is_ok = kept->key.data && kept->value.data;
		source->top_level_count++;
		room -= bytes;
	}
	arena_fini(&scratch);
	return is_ok;
}
