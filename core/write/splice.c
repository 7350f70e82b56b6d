/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <write/skip.h>
#include <write/splice.h>

bool bytes_add(struct bytes *bytes, const char *data, size_t size)
{
	if (size > bytes->capacity - bytes->size) {
		size_t capacity = bytes->capacity ? bytes->capacity : 1024;

		while (capacity - bytes->size < size) {
			if (capacity > SIZE_MAX / 2)
				return false;
			capacity *= 2;
		}
		char *grown = realloc(bytes->data, capacity);
		if (!grown)
			return false;
		bytes->data = grown;
		bytes->capacity = capacity;
	}
	if (size)
		memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
	return true;
}

static bool add_text(struct bytes *bytes, const char *text)
{
	return bytes_add(bytes, text, strlen(text));
}

void bytes_fini(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}

/* Room for one more item; NULL: no memory. */
static void *more(void *items, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	uint32_t wanted = *capacity ? *capacity * 2 : 32;
	void *grown = wanted > *capacity ? realloc(items, wanted * size) : NULL;

	if (grown)
		*capacity = wanted;
	return grown;
}

/* ---- Taking apart --------------------------------------------------------------------------------------------- */
static bool next_member(const char *text, size_t size, size_t *at, struct tav_member *member)
{
	size_t p = tav_json_blank(text, size, *at);

	if (p < size && (text[p] == ',' || text[p] == '{'))
		p = tav_json_blank(text, size, p + 1);
	if (p + 1 >= size || text[p] != '"')
		return false;
	member->key = p;
	member->key_end = skip_value(text, size, p);
	p = tav_json_blank(text, size, member->key_end);
	if (p >= size || text[p] != ':')
		return false;
	member->value = tav_json_blank(text, size, p + 1);
	member->value_end = skip_value(text, size, member->value);
	*at = member->value_end;
	return member->value < size;
}

static bool take_apart(struct fields *fields, const char *text, size_t end)
{
	struct tav_member member;
	size_t at = fields->begin;

	fields->count = 0;
	fields->end = 0;
	while (next_member(text, end, &at, &member)) {
		struct field *grown = more(fields->items, fields->count, &fields->capacity, sizeof(*grown));

		if (!grown)
			return false;
		fields->items = grown;
		struct field *field = &fields->items[fields->count++];
		field->at = member;
		field->is_changed = field->is_gone = false;
	}
	at = tav_json_blank(text, end, at);
	if (at < end && (text[at] == ',' || (text[at] == '{' && at == fields->begin)))
		at = tav_json_blank(text, end, at + 1);
	if (at < end && text[at] == '}')
		fields->end = at + 1;
	return true;
}

static bool says(const char *text, const struct tav_member *member, const char *key, size_t size)
{
	const char *raw = text + member->key + 1;
	size_t raw_size = member->key_end - member->key - 2;
	char decoded[512];

	if (raw_size == size)
		return !size || !memcmp(raw, key, size);
	if (raw_size < size || raw_size > sizeof(decoded) || !memchr(raw, '\\', raw_size))
		return false;
	return tav_json_decode(raw, raw_size, decoded) == size && !memcmp(decoded, key, size);
}

struct field *fields_find(const struct splice *splice, const struct fields *fields, const char *key, size_t size)
{
	for (uint32_t i = fields->count; i-- > 0;) {
		if (says(splice->text, &fields->items[i].at, key, size))
			return &fields->items[i];
	}
	return NULL;
}

bool splice_open(struct splice *splice, const char *text, size_t size, bool is_tail)
{
	splice->text = text;
	splice->size = size;
	splice->event.begin = 0;
	splice->event.is_tail = is_tail;
	splice->args.count = splice->cut_count = 0;
	splice->args_field = UINT32_MAX;
	splice->has_args = false;
	splice->texts.size = splice->front.size = splice->tail.size = 0;
	return take_apart(&splice->event, text, size);
}

/* args, or attr where the event has that. */
bool splice_open_args(struct splice *splice)
{
	const struct field *field = fields_find(splice, &splice->event, "args", 4);

	if (!field)
		field = fields_find(splice, &splice->event, "attr", 4);
	splice->has_args = field != NULL;
	if (!field || splice->text[field->at.value] != '{')
		return true;
	splice->args_field = (uint32_t)(field - splice->event.items);
	splice->args.begin = field->at.value;
	return take_apart(&splice->args, splice->text, field->at.value_end);
}

/* ---- Changing ------------------------------------------------------------------------------------------------- */
struct tav_text splice_value(const struct splice *splice, const struct field *field)
{
	if (!field->is_changed)
		return (struct tav_text){splice->text + field->at.value, field->at.value_end - field->at.value};
	return (struct tav_text){field->json ? field->json : splice->texts.data + field->place, field->json_size};
}

static void change(struct field *field, const char *json, size_t size)
{
	if (!field->is_changed) {
		field->from = field->at.value;
		field->to = field->at.value_end;
	}
	field->is_changed = true;
	field->json = json;
	field->json_size = size;
}

bool splice_set(struct splice *splice, struct field *field, const char *json, size_t size)
{
	change(field, NULL, size);
	field->place = splice->texts.size;
	return bytes_add(&splice->texts, json, size);
}

static bool add_new(struct bytes *members, const char *key, const char *json, size_t size)
{
	return (!members->size || add_text(members, ", ")) && add_text(members, "\"") && add_text(members, key) &&
	       add_text(members, "\": ") && bytes_add(members, json, size);
}

static bool is_in_args(const char *path)
{
	return !strncmp(path, "args.", 5);
}

static bool is_time(const char *path)
{
	return !strcmp(path, "ts") || !strcmp(path, "dur");
}

bool splice_edit(struct splice *splice, const struct member_edit *edit)
{
	bool in_args = is_in_args(edit->path);
	const char *key = edit->path + (in_args ? 5 : 0);
	struct field *field = fields_find(splice, in_args ? &splice->args : &splice->event, key, strlen(key));

	if (!field)
		return !edit->json.size ||
		       add_new(in_args ? &splice->front : &splice->tail, key, edit->json.data, edit->json.size);
	if (edit->keep && is_in_args(edit->keep) &&
	    !fields_find(splice, &splice->args, edit->keep + 5, strlen(edit->keep + 5))) {
		struct tav_text old = splice_value(splice, field);

		if (!add_new(&splice->front, edit->keep + 5, old.data, old.size))
			return false;
	}
	field->is_gone = !edit->json.size;
	if (field->is_gone)
		return true;
	change(field, edit->json.data, edit->json.size);
	/* A time that is a string stays one. */
	if (is_time(edit->path) && splice->text[field->at.value] == '"' && *edit->json.data != '"' &&
	    field->at.value_end - field->at.value >= 2) {
		field->from = field->at.value + 1;
		field->to = field->at.value_end - 1;
	}
	return true;
}

/* ---- Putting together ----------------------------------------------------------------------------------------- */
static bool add_cut(struct splice *splice, struct cut cut)
{
	struct cut *grown = more(splice->cuts, splice->cut_count, &splice->cut_capacity, sizeof(*grown));

	if (!grown)
		return false;
	splice->cuts = grown;
	splice->cuts[splice->cut_count++] = cut;
	return true;
}

static bool add_text_cut(struct splice *splice, size_t at, size_t place)
{
	return add_cut(splice, (struct cut){at, at, NULL, splice->texts.size - place, place});
}

static uint32_t count_kept(const struct fields *fields)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < fields->count; i++)
		count += !fields->items[i].is_gone;
	return count;
}

static bool close_args(struct splice *splice);

static bool close_field(struct splice *splice, const struct fields *fields, uint32_t i)
{
	const struct field *field = &fields->items[i];

	if (fields == &splice->event && i == splice->args_field && !field->is_changed)
		return close_args(splice);
	return !field->is_changed ||
	       add_cut(splice, (struct cut){field->from, field->to, field->json, field->json_size, field->place});
}

/* Members that go take the comma before them along, the first ones the one behind. */
static bool close_fields(struct splice *splice, const struct fields *fields)
{
	bool has_kept = fields->is_tail, is_ok = true;
	size_t kept_end = 0;

	for (uint32_t i = 0; i < fields->count && is_ok;) {
		uint32_t first = i;

		while (i < fields->count && fields->items[i].is_gone)
			i++;
		if (i > first) {
			size_t begin = has_kept ? kept_end : fields->items[first].at.key;
			size_t end = has_kept || i == fields->count ? fields->items[i - 1].at.value_end
			                                            : fields->items[i].at.key;
			is_ok = add_cut(splice, (struct cut){begin, end, "", 0, 0});
		}
		if (i == fields->count)
			break;
		is_ok = is_ok && close_field(splice, fields, i);
		kept_end = fields->items[i++].at.value_end;
		has_kept = true;
	}
	return is_ok;
}

/* New members of args stand first. */
static bool close_args(struct splice *splice)
{
	size_t place = splice->texts.size;

	if (splice->front.size) {
		if (!bytes_add(&splice->texts, splice->front.data, splice->front.size) ||
		    (count_kept(&splice->args) && !add_text(&splice->texts, ", ")) ||
		    !add_text_cut(splice, splice->args.begin + 1, place))
			return false;
	}
	return close_fields(splice, &splice->args);
}

/* New members of the event: behind the last one that stays. */
static bool close_tail(struct splice *splice)
{
	const struct fields *event = &splice->event;
	size_t place = splice->texts.size, at = event->begin + 1;
	bool has_kept = false;

	for (uint32_t i = event->count; i-- > 0 && !has_kept;) {
		has_kept = !event->items[i].is_gone;
		if (has_kept)
			at = event->items[i].at.value_end;
	}
	if ((has_kept && !add_text(&splice->texts, ", ")) ||
	    !bytes_add(&splice->texts, splice->tail.data, splice->tail.size) || !add_text_cut(splice, at, place))
		return false;
	/* To its place: before what is cut there, behind what ends there. */
	uint32_t i = splice->cut_count - 1;
	struct cut cut = splice->cuts[i];
	for (; i && splice->cuts[i - 1].begin >= at && splice->cuts[i - 1].end > at; i--)
		splice->cuts[i] = splice->cuts[i - 1];
	splice->cuts[i] = cut;
	return true;
}

bool splice_close(struct splice *splice)
{
	/* An args of their own for new members; where args is no object, they stand nowhere. */
	if (splice->front.size && !splice->has_args) {
		if ((splice->tail.size && !add_text(&splice->tail, ", ")) || !add_text(&splice->tail, "\"args\": {") ||
		    !bytes_add(&splice->tail, splice->front.data, splice->front.size) || !add_text(&splice->tail, "}"))
			return false;
	}
	return close_fields(splice, &splice->event) && (!splice->tail.size || close_tail(splice));
}

struct tav_text splice_cut_text(const struct splice *splice, const struct cut *cut)
{
	return (struct tav_text){cut->json ? cut->json : splice->texts.data + cut->place, cut->size};
}

bool splice_put(const struct splice *splice, struct bytes *out)
{
	bool is_ok = true;
	size_t at = 0;

	for (uint32_t i = 0; i < splice->cut_count && is_ok; i++) {
		const struct cut *cut = &splice->cuts[i];
		struct tav_text text = splice_cut_text(splice, cut);

		is_ok = bytes_add(out, splice->text + at, cut->begin - at) && bytes_add(out, text.data, text.size);
		at = cut->end;
	}
	return is_ok && bytes_add(out, splice->text + at, splice->size - at);
}

void splice_fini(struct splice *splice)
{
	free(splice->event.items);
	free(splice->args.items);
	free(splice->cuts);
	bytes_fini(&splice->texts);
	bytes_fini(&splice->front);
	bytes_fini(&splice->tail);
	*splice = (struct splice){0};
}

bool splice_event(struct bytes *out, const char *event, size_t size, const struct member_edit *edits, uint32_t count)
{
	struct splice splice = {0};
	bool is_ok = splice_open(&splice, event, size, false) && splice_open_args(&splice);

	for (uint32_t i = 0; i < count && is_ok; i++)
		is_ok = splice_edit(&splice, &edits[i]);
	is_ok = is_ok && splice_close(&splice) && splice_put(&splice, out);
	splice_fini(&splice);
	return is_ok;
}
