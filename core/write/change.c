/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <write/change.h>
#include <write/hide.h>
#include <write/times.h>
#include <xxhash.h>

struct slots { /* numbers of texts + 1, at most half full */
	uint32_t *items;
	uint64_t mask;
};

struct change_key { /* a member that changes: the last of its key */
	const char *key;
	size_t size;
	const char *inner; /* "global" of id2.global: within an object that is its value; NULL: the value itself */
	const struct map_edit *map; /* NULL: a time that moves */
	struct slots slots;
	uint32_t found; /* of this event: its place + 1 */
};
struct change_list {
	struct change_key *items;
	uint32_t count;
};
struct change {
	const struct edits *edits;
	unsigned digits;
	struct change_list event, args;
	const struct only_edit *only_event, *only_args;
	struct slots event_keys, args_keys, names;
	uint32_t *seen[2]; /* of the keys of only_event and only_args: the event in which each was met last */
	uint32_t event_number;
	bool needs_phase;
	struct bytes decoded, inner;
};

/* ---- Texts by their hash -------------------------------------------------------------------------------------- */
static bool slots_make(struct slots *slots, const struct tav_text *texts, uint64_t count)
{
	uint64_t room = 16;

	while (room < 2 * count)
		room *= 2;
	if (count >= UINT32_MAX || !(slots->items = calloc(room, sizeof(*slots->items))))
		return false;
	slots->mask = room - 1;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t at = XXH3_64bits(texts[i].size ? texts[i].data : "", texts[i].size) & slots->mask;

		while (slots->items[at])
			at = (at + 1) & slots->mask;
		slots->items[at] = (uint32_t)i + 1;
	}
	return true;
}

/* The first of that text; UINT32_MAX: none. */
static uint32_t slots_find(const struct slots *slots, const struct tav_text *texts, struct tav_text text)
{
	uint64_t at = XXH3_64bits(text.size ? text.data : "", text.size) & slots->mask;

	for (; slots->items[at]; at = (at + 1) & slots->mask) {
		const struct tav_text *other = &texts[slots->items[at] - 1];

		if (other->size == text.size && (!text.size || !memcmp(other->data, text.data, text.size)))
			return slots->items[at] - 1;
	}
	return UINT32_MAX;
}

/* ---- Making --------------------------------------------------------------------------------------------------- */
static void want(struct change *change, const char *path, const struct map_edit *map)
{
	bool in_args = !strncmp(path, "args.", 5);
	struct change_list *list = in_args ? &change->args : &change->event;
	struct change_key *wanted = &list->items[list->count++];
	const char *key = path + (in_args ? 5 : 0), *dot = in_args ? NULL : strchr(key, '.');

	*wanted = (struct change_key){
	        .key = key, .size = dot ? (size_t)(dot - key) : strlen(key), .inner = dot ? dot + 1 : NULL, .map = map};
}

struct change *change_open(const struct edits *edits, unsigned digits)
{
	struct change *change = calloc(1, sizeof(*change));
	size_t most = (size_t)edits->map_count + 1;

	if (!change)
		return NULL;
	change->edits = edits;
	change->digits = digits;
	change->event.items = calloc(most, sizeof(*change->event.items));
	change->args.items = calloc(most, sizeof(*change->args.items));
	bool is_ok = change->event.items && change->args.items;
	for (uint32_t i = 0; i < edits->map_count && is_ok; i++) {
		const struct map_edit *map = &edits->maps[i];
		struct change_list *list = strncmp(map->path, "args.", 5) ? &change->event : &change->args;

		want(change, map->path, map);
		change->needs_phase |= map->of != NULL;
		is_ok = slots_make(&list->items[list->count - 1].slots, map->values, map->count);
	}
	if (is_ok && edits->counts.shift_ns)
		want(change, "ts", NULL);
	change->needs_phase |= edits->counts.shift_ns || edits->is_hidden;
	if (is_ok && edits->is_hidden)
		is_ok = slots_make(&change->names, edits->hide.keep, edits->hide.count);
	for (uint32_t i = 0; i < edits->only_count && is_ok; i++) {
		const struct only_edit *only = &edits->onlys[i];
		bool is_args = only->path[0] != '\0';

		*(is_args ? &change->only_args : &change->only_event) = only;
		change->seen[is_args] = calloc(only->count + 1, sizeof(uint32_t));
		is_ok = change->seen[is_args] &&
		        slots_make(is_args ? &change->args_keys : &change->event_keys, only->keys, only->count);
	}
	if (is_ok)
		return change;
	change_close(change);
	return NULL;
}

void change_close(struct change *change)
{
	if (!change)
		return;
	for (uint32_t i = 0; change->event.items && i < change->event.count; i++)
		free(change->event.items[i].slots.items);
	for (uint32_t i = 0; change->args.items && i < change->args.count; i++)
		free(change->args.items[i].slots.items);
	free(change->event.items);
	free(change->args.items);
	free(change->event_keys.items);
	free(change->args_keys.items);
	free(change->names.items);
	free(change->seen[0]);
	free(change->seen[1]);
	bytes_fini(&change->decoded);
	bytes_fini(&change->inner);
	free(change);
}

/* ---- One event ------------------------------------------------------------------------------------------------ */
static bool is_text(const struct splice *splice, const struct field *field, const char *text)
{
	struct tav_text value = {NULL, 0};

	if (field)
		value = splice_value(splice, field);
	return value.size == strlen(text) + 2 && *value.data == '"' && !memcmp(value.data + 1, text, value.size - 2);
}

/* What a JSON scalar says, as a value id names it. False: no memory. */
static bool scalar_text(struct change *change, struct tav_text json, struct tav_text *text)
{
	*text = json;
	if (json.size < 2 || *json.data != '"')
		return true;
	*text = (struct tav_text){json.data + 1, json.size - 2};
	if (!memchr(text->data, '\\', text->size))
		return true;
	change->decoded.size = 0;
	if (!bytes_add(&change->decoded, text->data, text->size)) /* room for what it says */
		return false;
	text->size = tav_json_decode(text->data, text->size, change->decoded.data);
	text->data = change->decoded.data;
	return true;
}

/* A number that has grown, spelled as it was: 17, "17", "0x1f"; size 0: it is none, or would be too large. */
static size_t grown_number(struct tav_text json, int64_t by, char out[32])
{
	bool is_quoted = *json.data == '"';
	struct tav_text text = is_quoted ? (struct tav_text){json.data + 1, json.size - 2} : json;
	bool is_hex = is_quoted && text.size > 2 && !memcmp(text.data, "0x", 2);
	char digits[20] = {0}, *end;
	uint64_t number;

	if (!text.size || text.size >= sizeof(digits) || (!is_hex && text.size > 18))
		return 0;
	memcpy(digits, text.data, text.size);
	if (strspn(digits + 2u * is_hex, is_hex ? "0123456789abcdefABCDEF" : "0123456789") != text.size - 2u * is_hex)
		return 0;
	number = strtoull(digits, &end, is_hex ? 16 : 10);
	if (*end || __builtin_add_overflow(number, (uint64_t)by, &number))
		return 0;
	return (size_t)snprintf(out, 32,
	                        is_hex      ? "\"0x%llx\""
	                        : is_quoted ? "\"%llu\""
	                                    : "%llu",
	                        (unsigned long long)number);
}

/* What a value becomes; size 0: it stays. Valid until the next call. */
static bool mapped(struct change *change, const struct change_key *wanted, struct tav_text json, char number[32],
                   struct tav_text *out)
{
	struct tav_text text;

	*out = (struct tav_text){NULL, 0};
	if (!json.size || *json.data == '{' || *json.data == '[')
		return true;
	if (wanted->map->by) {
		*out = (struct tav_text){number, grown_number(json, wanted->map->by, number)};
		return true;
	}
	if (!scalar_text(change, json, &text))
		return false;
	uint32_t found = slots_find(&wanted->slots, wanted->map->values, text);
	if (found != UINT32_MAX)
		*out = wanted->map->json[found];
	return true;
}

/* The same within an object that is the value. */
static bool change_inner(struct change *change, struct splice *splice, struct field *field,
                         const struct change_key *wanted)
{
	struct tav_text json = splice_value(splice, field), out;
	struct tav_member member;
	size_t at = 0, size = strlen(wanted->inner);
	char number[32];

	while (json.size && *json.data == '{' && tav_json_member(json.data, json.size, &at, &member)) {
		if (member.key_end - member.key != size + 2 || memcmp(json.data + member.key + 1, wanted->inner, size))
			continue;
		if (!mapped(change, wanted,
		            (struct tav_text){json.data + member.value, member.value_end - member.value}, number, &out))
			return false;
		if (!out.size)
			continue;
		change->inner.size = 0;
		return bytes_add(&change->inner, json.data, member.value) &&
		       bytes_add(&change->inner, out.data, out.size) &&
		       bytes_add(&change->inner, json.data + member.value_end, json.size - member.value_end) &&
		       splice_set(splice, field, change->inner.data, change->inner.size);
	}
	return true;
}

static bool change_field(struct change *change, struct splice *splice, struct field *field,
                         const struct change_key *wanted)
{
	struct tav_text json = splice_value(splice, field), out;
	char number[32];

	if (!wanted->map) {
		char time[TIME_SIZE];
		size_t size = time_move(time, json.data, json.size, change->edits->counts.shift_ns, change->digits);

		return !size || splice_set(splice, field, time, size);
	}
	if (wanted->inner)
		return change_inner(change, splice, field, wanted);
	return mapped(change, wanted, json, number, &out) &&
	       (!out.size || splice_set(splice, field, out.data, out.size));
}

/* A key with escapes is read the long way. */
static bool is_key(const char *key, size_t key_size, const struct change_key *wanted)
{
	char decoded[256];

	if (key_size == wanted->size)
		return !memcmp(key, wanted->key, key_size);
	if (key_size < wanted->size || key_size > sizeof(decoded) || !memchr(key, '\\', key_size))
		return false;
	return tav_json_decode(key, key_size, decoded) == wanted->size && !memcmp(decoded, wanted->key, wanted->size);
}

static bool change_fields(struct change *change, struct splice *splice, struct fields *fields, struct change_list *list,
                          bool is_metadata, const struct field *name)
{
	bool is_ok = true;

	for (uint32_t i = 0; i < list->count; i++)
		list->items[i].found = 0;
	for (uint32_t i = 0; i < fields->count; i++) {
		const struct tav_member *at = &fields->items[i].at;

		for (uint32_t j = 0; j < list->count; j++) {
			if (is_key(splice->text + at->key + 1, at->key_end - at->key - 2, &list->items[j]))
				list->items[j].found = i + 1;
		}
	}
	for (uint32_t i = 0; i < list->count && is_ok; i++) {
		const struct change_key *wanted = &list->items[i];
		bool is_meant = !wanted->map      ? !is_metadata
		                : wanted->map->of ? is_metadata && is_text(splice, name, wanted->map->of)
		                                  : true;

		if (wanted->found && is_meant)
			is_ok = change_field(change, splice, &fields->items[wanted->found - 1], wanted);
	}
	return is_ok;
}

/* Only these members stay, and of a repeated key the last one: what another reader might take goes as well. */
static void keep_only(const struct change *change, const struct splice *splice, struct fields *fields,
                      const struct only_edit *only, const struct slots *slots, uint32_t *seen)
{
	for (uint32_t i = fields->count; i-- > 0;) {
		const struct tav_member *at = &fields->items[i].at;
		struct tav_text key = {splice->text + at->key + 1, at->key_end - at->key - 2};
		char decoded[256];
		if (key.size <= sizeof(decoded) && memchr(key.data, '\\', key.size))
			key = (struct tav_text){decoded, tav_json_decode(key.data, key.size, decoded)};
		uint32_t found = slots_find(slots, only->keys, key);

		fields->items[i].is_gone = found == UINT32_MAX || seen[found] == change->event_number;
		if (found != UINT32_MAX)
			seen[found] = change->event_number;
	}
}

/* As fields_find(), the short way first. */
static const struct field *find_phase(const struct splice *splice)
{
	for (uint32_t i = splice->event.count; i-- > 0;) {
		const struct tav_member *at = &splice->event.items[i].at;

		if (at->key_end - at->key == 4 && !memcmp(splice->text + at->key, "\"ph\"", 4))
			return &splice->event.items[i];
	}
	return fields_find(splice, &splice->event, "ph", 2);
}

/* The name that counts becomes its hash; metadata tells by its name what it is. */
static bool hide_name(struct change *change, struct splice *splice, bool is_metadata)
{
	const struct hide_edit *hide = &change->edits->hide;
	struct field *field = is_metadata ? NULL : fields_find(splice, &splice->event, "name", 4);
	struct tav_text json, text;
	char hidden[32];

	if (!field)
		return true;
	json = splice_value(splice, field);
	if (!scalar_text(change, json, &text))
		return false;
	if (slots_find(&change->names, hide->keep, text) != UINT32_MAX)
		return true;
	int size = snprintf(hidden, sizeof(hidden), "\"op_%016llx\"", (unsigned long long)hide_hash(hide->key, text));
	return splice_set(splice, field, hidden, (size_t)size);
}

static bool shorten(struct change *change, struct splice *splice, struct field *field)
{
	bool is_other = false;

	if (field->is_gone)
		return true;
	change->inner.size = 0;
	return hide_paths_in(&change->inner, splice_value(splice, field), &is_other) &&
	       (!is_other || splice_set(splice, field, change->inner.data, change->inner.size));
}

static bool shorten_all(struct change *change, struct splice *splice)
{
	struct field *name = fields_find(splice, &splice->event, "name", 4);
	bool is_ok = !name || shorten(change, splice, name);

	for (uint32_t i = 0; i < splice->args.count && is_ok; i++)
		is_ok = shorten(change, splice, &splice->args.items[i]);
	return is_ok;
}

bool change_event(struct change *change, struct splice *splice)
{
	const struct field *name = NULL;
	bool is_metadata = false, is_ok = true;

	change->event_number++;
	if (change->needs_phase) {
		is_metadata = is_text(splice, find_phase(splice), "M");
		name = is_metadata ? fields_find(splice, &splice->event, "name", 4) : NULL;
	}
	if (change->args.count || change->only_args || change->edits->is_shortened)
		is_ok = splice_open_args(splice);
	is_ok = is_ok && change_fields(change, splice, &splice->event, &change->event, is_metadata, name) &&
	        change_fields(change, splice, &splice->args, &change->args, is_metadata, name);
	if (is_ok && change->edits->is_hidden)
		is_ok = hide_name(change, splice, is_metadata);
	if (is_ok && change->only_event)
		keep_only(change, splice, &splice->event, change->only_event, &change->event_keys, change->seen[0]);
	if (is_ok && change->only_args) {
		keep_only(change, splice, &splice->args, change->only_args, &change->args_keys, change->seen[1]);
		/* Arguments that are no object, or not those that count, hold nothing that is known. */
		for (uint32_t i = 0; i < splice->event.count; i++) {
			struct field *field = &splice->event.items[i];
			const char *key = splice->text + field->at.key + 1;
			size_t size = field->at.key_end - field->at.key - 2;

			if (size == 4 && (!memcmp(key, "args", 4) || !memcmp(key, "attr", 4)) &&
			    i != splice->args_field)
				field->is_gone = true;
		}
	}
	return is_ok && change->edits->is_shortened ? shorten_all(change, splice) : is_ok;
}
