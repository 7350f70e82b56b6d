/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of the bytes: what lies before the event list, the events, what lies behind it. Between two edits runs of
 * bytes are copied as they are; only where every event may change (times moved, values mapped) each one is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <write/deflate.h>
#include <write/feed.h>
#include <write/times.h>
#include <write/write.h>

#include <report/file.h>

struct writer {
	const struct rewrite *rewrite;
	const struct edits *edits;
	struct causes *causes;
	struct feed *feed;
	FILE *out;
	struct deflate *deflate; /* NULL: plain */
	struct bytes held;       /* separators behind the last kept event, not yet known to be needed */
	struct bytes event, edited, moved;
	uint64_t next_range, next_event;
};

static tav_status no_memory(const struct writer *writer)
{
	return cause_add(writer->causes, "out of memory to write %s", writer->rewrite->input);
}

/* I/O errors stay in the file. */
static tav_status put(const struct writer *writer, const char *data, size_t size)
{
	if (!size) /* and maybe no data either */
		return TAV_OK;
	if (writer->deflate)
		return deflate_add(writer->deflate, data, size) ? TAV_OK : no_memory(writer);
	fwrite(data, 1, size, writer->out);
	return TAV_OK;
}

static tav_status put_text(const struct writer *writer, const char *text)
{
	return put(writer, text, strlen(text));
}

static tav_status put_held(struct writer *writer)
{
	tav_status status = put(writer, writer->held.data, writer->held.size);

	writer->held.size = 0;
	return status;
}

static bool is_separator(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == ',';
}

/* Bytes at the end of the text that only part events: blanks, commas and empty objects. */
static size_t trailing_separators(const char *data, size_t size)
{
	size_t end = size;

	for (;;) {
		while (end && is_separator(data[end - 1]))
			end--;
		size_t open = end;
		if (open < 2 || data[open - 1] != '}')
			return size - end;
		for (open--; open && is_separator(data[open - 1]) && data[open - 1] != ',';)
			open--;
		/* An object is an event of its own when a separator or the list's '[' stands before it. */
		if (open < 2 || data[open - 1] != '{' || !(is_separator(data[open - 2]) || data[open - 2] == '['))
			return size - end;
		end = open - 1;
	}
}

/* Copies up to `offset`; with `holds` the separators at the end wait until it is known that they part something. */
static tav_status copy_to(struct writer *writer, uint64_t offset, bool holds)
{
	tav_status status = TAV_OK;

	while (!status && feed_offset(writer->feed) < offset) {
		uint64_t left = offset - feed_offset(writer->feed);
		const char *data;
		size_t size;

		status = feed_peek(writer->feed, &data, &size, writer->causes);
		if (status || (!size && offset == UINT64_MAX))
			return status;
		if (!size)
			return cause_add(writer->causes, "%s is shorter than when it was looked at",
			                 writer->rewrite->input);
		if (size > left)
			size = (size_t)left;
		size_t held = holds ? trailing_separators(data, size) : 0;
		if (held < size)
			status = put_held(writer);
		if (!status)
			status = put(writer, data, size - held);
		if (!status && held && !bytes_add(&writer->held, data + size - held, held))
			status = no_memory(writer);
		feed_take(writer->feed, size);
	}
	return status;
}

/* ---- One event ------------------------------------------------------------------------------------------------- */
static bool is_metadata(const char *event, size_t size)
{
	struct member phase;

	return json_find(event, size, "ph", 2, &phase) && phase.value_end - phase.value == 3 &&
	       event[phase.value + 1] == 'M';
}

/* The text of a JSON scalar as a value id names it: without quotes. Escapes stay: maps name what stands in the file. */
static struct tav_text scalar_text(const char *data, const struct member *member)
{
	size_t size = member->value_end - member->value;

	if (size >= 2 && data[member->value] == '"')
		return (struct tav_text){data + member->value + 1, size - 2};
	return (struct tav_text){data + member->value, size};
}

static const struct tav_text *find_mapped(const struct map_edit *map, struct tav_text value)
{
	uint64_t low = 0, high = map->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		size_t size = map->values[middle].size < value.size ? map->values[middle].size : value.size;
		int order = memcmp(map->values[middle].data, value.data, size);

		if (!order)
			order = (map->values[middle].size > value.size) - (map->values[middle].size < value.size);
		if (!order)
			return &map->json[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* A number that has grown, spelled as it was: 17, "17", "0x1f"; size 0: it is none, or would be too large. */
static struct tav_text grown_number(const char *data, const struct member *member, int64_t by, char out[32])
{
	struct tav_text text = scalar_text(data, member);
	bool is_quoted = data[member->value] == '"', is_hex = is_quoted && text.size > 2 && !memcmp(text.data, "0x", 2);
	char digits[20] = {0}, *end;
	uint64_t number;

	if (!text.size || text.size >= sizeof(digits) || (!is_hex && text.size > 18))
		return (struct tav_text){NULL, 0};
	memcpy(digits, text.data, text.size);
	if (strspn(digits + 2u * is_hex, is_hex ? "0123456789abcdefABCDEF" : "0123456789") != text.size - 2u * is_hex)
		return (struct tav_text){NULL, 0};
	number = strtoull(digits, &end, is_hex ? 16 : 10);
	if (*end || __builtin_add_overflow(number, (uint64_t)by, &number))
		return (struct tav_text){NULL, 0};
	int size = snprintf(out, 32,
	                    is_hex      ? "\"0x%llx\""
	                    : is_quoted ? "\"%llu\""
	                                : "%llu",
	                    (unsigned long long)number);
	return (struct tav_text){out, (size_t)size};
}

static struct tav_text mapped_value(const struct map_edit *map, const char *event, size_t size, char number[32])
{
	struct member member, args;
	const char *path = map->path, *object = event;

	if (!strncmp(path, "args.", 5)) {
		if ((!json_find(event, size, "args", 4, &args) && !json_find(event, size, "attr", 4, &args)) ||
		    event[args.value] != '{')
			return (struct tav_text){NULL, 0};
		object = event + args.value;
		size = args.value_end - args.value;
		path += 5;
	}
	if (!json_find(object, size, path, strlen(path), &member))
		return (struct tav_text){NULL, 0};
	if (map->by)
		return grown_number(object, &member, map->by, number);
	const struct tav_text *json = find_mapped(map, scalar_text(object, &member));
	return json ? *json : (struct tav_text){NULL, 0};
}

/* What touches every event: times moved, values mapped. `event` becomes the changed text. */
static tav_status change_any(struct writer *writer, struct bytes *event)
{
	enum { MOST_MAPS = 32 };
	const struct edits *edits = writer->edits;
	struct member_edit members[MOST_MAPS + 1];
	char numbers[MOST_MAPS][32];
	uint32_t count = 0;
	struct member ts;
	bool is_time = false;

	for (uint32_t i = 0; i < edits->map_count && count < MOST_MAPS; i++) {
		struct tav_text json = mapped_value(&edits->maps[i], event->data, event->size, numbers[count]);

		if (json.size)
			members[count++] = (struct member_edit){edits->maps[i].path, NULL, json};
	}
	writer->moved.size = 0;
	if (edits->counts.shift_ns && !is_metadata(event->data, event->size) &&
	    json_find(event->data, event->size, "ts", 2, &ts)) {
		if (!time_move(&writer->moved, event->data + ts.value, ts.value_end - ts.value, edits->counts.shift_ns,
		               &is_time))
			return no_memory(writer);
		if (is_time)
			members[count++] = (struct member_edit){"ts", NULL, {writer->moved.data, writer->moved.size}};
	}
	if (!count)
		return TAV_OK;
	writer->edited.size = 0;
	if (!splice_event(&writer->edited, event->data, event->size, members, count))
		return no_memory(writer);
	struct bytes changed = writer->edited;
	writer->edited = *event;
	*event = changed;
	return TAV_OK;
}

static bool touches_all(const struct edits *edits)
{
	return edits && (edits->map_count || edits->counts.shift_ns);
}

static tav_status put_added(struct writer *writer, struct tav_text text, bool is_first)
{
	const char *separator = is_first ? "" : writer->rewrite->form == TAV_FORM_LINES ? "\n" : ",\n";
	tav_status status = put_text(writer, separator);

	if (status || !touches_all(writer->edits))
		return status ? status : put(writer, text.data, text.size);
	writer->event.size = 0;
	if (!bytes_add(&writer->event, text.data, text.size))
		return no_memory(writer);
	status = change_any(writer, &writer->event);
	return status ? status : put(writer, writer->event.data, writer->event.size);
}

/* The event that begins here, with what is said of it. */
static tav_status put_event(struct writer *writer, const struct event_edit *edit)
{
	const struct edits *edits = writer->edits;
	tav_status status = feed_value(writer->feed, &writer->event, writer->causes);

	if (!status && edit && edit->count) {
		writer->edited.size = 0;
		if (!splice_event(&writer->edited, writer->event.data, writer->event.size, edits->members + edit->first,
		                  edit->count))
			return no_memory(writer);
		struct bytes old = writer->event;
		writer->event = writer->edited;
		writer->edited = old;
	}
	if (!status && touches_all(edits))
		status = change_any(writer, &writer->event);
	if (!status)
		status = put(writer, writer->event.data, writer->event.size);
	for (uint32_t i = 0; !status && edit && i < edit->add_count; i++)
		status = put_added(writer, edits->behind[edit->first_add + i], false);
	return status;
}

/* ---- The list -------------------------------------------------------------------------------------------------- */
static const struct event_edit *edit_at(struct writer *writer, uint64_t offset)
{
	const struct edits *edits = writer->edits;

	while (writer->next_event < edits->event_count && edits->events[writer->next_event].offset < offset)
		writer->next_event++;
	return writer->next_event < edits->event_count && edits->events[writer->next_event].offset == offset
	               ? &edits->events[writer->next_event]
	               : NULL;
}

/* Drops of the range that begins here, if one does. */
static const struct range *range_at(struct writer *writer, uint64_t offset)
{
	const struct edits *edits = writer->edits;

	while (writer->next_range < edits->range_count && edits->ranges[writer->next_range].begin < offset)
		writer->next_range++;
	return writer->next_range < edits->range_count && edits->ranges[writer->next_range].begin == offset
	               ? &edits->ranges[writer->next_range]
	               : NULL;
}

/* The next place from here on at which something is to be done; UINT64_MAX: none. */
static uint64_t next_place(struct writer *writer)
{
	const struct edits *edits = writer->edits;
	uint64_t here = feed_offset(writer->feed);

	edit_at(writer, here);
	range_at(writer, here);
	uint64_t event =
	        writer->next_event < edits->event_count ? edits->events[writer->next_event].offset : UINT64_MAX;
	uint64_t range = writer->next_range < edits->range_count ? edits->ranges[writer->next_range].begin : UINT64_MAX;
	return event < range ? event : range;
}

/* To the '{' of the next event where every one is looked at; false in *is_there: the list is over. */
static tav_status find_event(struct writer *writer, bool *is_there)
{
	const char *data;
	size_t size;
	tav_status status;

	*is_there = false;
	while (!(status = feed_peek(writer->feed, &data, &size, writer->causes)) && size) {
		size_t at = 0;

		while (at < size && is_separator(data[at]))
			at++;
		if (!bytes_add(&writer->held, data, at))
			return no_memory(writer);
		feed_take(writer->feed, at);
		if (at < size) {
			*is_there = data[at] == '{';
			return TAV_OK;
		}
	}
	return status;
}

/* Behind the last event that is kept: what the stages add there. */
static tav_status put_last(struct writer *writer, bool is_empty)
{
	const struct edits *edits = writer->edits;
	tav_status status = TAV_OK;

	for (uint64_t i = 0; !status && i < edits->last_count; i++)
		status = put_added(writer, edits->last[i], is_empty && !i);
	return status;
}

/* Passes over the last event of the list, which is dropped, and over empty objects behind it. */
static tav_status skip_last(struct writer *writer)
{
	tav_status status = feed_skip_to(writer->feed, writer->edits->last_offset, writer->causes);

	return status ? status : feed_value(writer->feed, &writer->event, writer->causes);
}

/* Events one by one. On return the next byte is the one behind the last event of the list. */
static tav_status put_each(struct writer *writer)
{
	tav_status status = copy_to(writer, writer->edits->first_offset, false);
	bool is_there = true, is_tail = false;

	while (!status && !is_tail) {
		uint64_t here = feed_offset(writer->feed);
		const struct range *range = range_at(writer, here);

		is_tail = here == writer->edits->last_offset;
		if (range && range->end == UINT64_MAX) {
			writer->held.size = 0;
			status = skip_last(writer);
			is_tail = true;
		} else if (range) {
			status = feed_skip_to(writer->feed, range->end, writer->causes);
			continue;
		} else {
			status = put_held(writer);
			if (!status)
				status = put_event(writer, edit_at(writer, here));
		}
		if (!status && !is_tail)
			status = find_event(writer, &is_there);
		if (!status && !is_there)
			return cause_add(writer->causes, "%s is not what it was when it was looked at",
			                 writer->rewrite->input);
	}
	return status;
}

/* From edit to edit; everything between them is copied. */
static tav_status put_runs(struct writer *writer)
{
	const struct edits *edits = writer->edits;
	tav_status status = TAV_OK;
	bool is_tail = false;

	while (!status && !is_tail) {
		uint64_t place = next_place(writer);
		const struct range *range = NULL;

		if (place == UINT64_MAX)
			break;
		bool is_range =
		        writer->next_range < edits->range_count && edits->ranges[writer->next_range].begin == place;
		bool ends_list = is_range && edits->ranges[writer->next_range].end == UINT64_MAX;
		status = copy_to(writer, place, ends_list);
		if (status)
			return status;
		range = range_at(writer, place);
		if (ends_list) {
			writer->held.size = 0;
			status = skip_last(writer);
			is_tail = true;
		} else if (range) {
			status = feed_skip_to(writer->feed, range->end, writer->causes);
		} else {
			status = put_event(writer, edit_at(writer, place));
		}
	}
	if (!status && !is_tail && edits->last_count && edits->last_offset != UINT64_MAX &&
	    feed_offset(writer->feed) <= edits->last_offset) {
		status = copy_to(writer, edits->last_offset, false);
		if (!status)
			status = put_event(writer, NULL);
	}
	return status;
}

static tav_status put_list(struct writer *writer)
{
	const struct edits *edits = writer->edits;

	if (edits->first_offset == UINT64_MAX) /* no events: nothing can be added behind one */
		return TAV_OK;
	tav_status status = touches_all(edits) ? put_each(writer) : put_runs(writer);
	return status || (!edits->last_count) ? status : put_last(writer, !edits_has_events(edits));
}

/* ---- The top-level object -------------------------------------------------------------------------------------- */
static bool has_key(const char *text, size_t size, const char *key)
{
	struct member member;

	return json_find(text, size, key, strlen(key), &member);
}

/* What is said of top-level members, where the text has them: before the list, or behind it. */
static uint32_t members_there(const struct writer *writer, const char *text, size_t size, struct member_edit *members,
                              bool *is_done)
{
	const struct edits *edits = writer->edits;
	uint32_t count = 0;

	for (uint32_t i = 0; i < edits->top_count; i++) {
		if (has_key(text, size, edits->tops[i].key)) {
			members[count++] = (struct member_edit){edits->tops[i].key, NULL, edits->tops[i].json};
			is_done[i] = true;
		}
	}
	if (writer->rewrite->provenance && has_key(text, size, "tav")) {
		members[count++] = (struct member_edit){
		        "tav", NULL, {writer->rewrite->provenance, strlen(writer->rewrite->provenance)}};
		is_done[edits->top_count] = true;
	}
	return count;
}

/* Reads from here up to `offset` (UINT64_MAX: to the end) into `text`. */
static tav_status gather(struct writer *writer, uint64_t offset, struct bytes *text)
{
	tav_status status = TAV_OK;

	while (!status && feed_offset(writer->feed) < offset) {
		uint64_t left = offset - feed_offset(writer->feed);
		const char *data;
		size_t size;

		status = feed_peek(writer->feed, &data, &size, writer->causes);
		if (status || !size)
			return status;
		if (size > left)
			size = (size_t)left;
		if (!bytes_add(text, data, size))
			return no_memory(writer);
		feed_take(writer->feed, size);
	}
	return status;
}

/* The members before the list. What is no member there stays for behind the list. */
static tav_status put_head(struct writer *writer, struct member_edit *members, bool *is_done)
{
	struct bytes text = {0}, edited = {0};
	tav_status status = gather(writer, writer->edits->first_offset, &text);

	if (!status) {
		/* The text ends within the list: the walk over members stops there by itself. */
		size_t open = 0;
		while (open < text.size && text.data[open] != '{')
			open++;
		uint32_t count = members_there(writer, text.data + open, text.size - open, members, is_done);
		if (!bytes_add(&edited, text.data, open) ||
		    !splice_event(&edited, text.data + open, text.size - open, members, count))
			status = no_memory(writer);
		if (!status)
			status = put(writer, edited.data, edited.size);
	}
	bytes_fini(&text);
	bytes_fini(&edited);
	return status;
}

static tav_status put_new_member(struct writer *writer, const char *key, struct tav_text json)
{
	tav_status status = put_text(writer, ", \"");

	status = status ? status : put_text(writer, key);
	status = status ? status : put_text(writer, "\": ");
	return status ? status : put(writer, json.data, json.size);
}

/* From behind the last event to the end: the rest of the list, and the members behind it. */
static tav_status put_tail(struct writer *writer, struct member_edit *members, bool *is_done)
{
	const struct edits *edits = writer->edits;
	struct bytes text = {0}, edited = {0};
	tav_status status = gather(writer, UINT64_MAX, &text);
	size_t close = 0;

	while (!status && close < text.size && text.data[close] != ']')
		close++;
	close += close < text.size;
	if (!status)
		status = put(writer, text.data, close);
	/* As an object of its own, so that its members can be found: ", "key": value .. }". */
	if (!status) {
		uint32_t count = members_there(writer, text.data + close, text.size - close, members, is_done);
		for (uint32_t i = 0; !status && i < edits->top_count; i++) {
			if (!is_done[i] && edits->tops[i].json.size)
				status = put_new_member(writer, edits->tops[i].key, edits->tops[i].json);
		}
		if (!status && writer->rewrite->provenance && !is_done[edits->top_count])
			status = put_new_member(
			        writer, "tav",
			        (struct tav_text){writer->rewrite->provenance, strlen(writer->rewrite->provenance)});
		if (!status && !splice_event(&edited, text.data + close, text.size - close, members, count))
			status = no_memory(writer);
		if (!status)
			status = put(writer, edited.data, edited.size);
	}
	bytes_fini(&text);
	bytes_fini(&edited);
	return status;
}

/* All up to the end of the last event; `members` NULL: no member of the top level changes. */
static tav_status put_to_last(struct writer *writer, struct member_edit *members, bool *is_done)
{
	const struct edits *edits = writer->edits;
	tav_status status = members ? put_head(writer, members, is_done) : TAV_OK;

	if (!status)
		status = put_list(writer);
	if (!status && edits->last_offset != UINT64_MAX && feed_offset(writer->feed) <= edits->last_offset) {
		status = copy_to(writer, edits->last_offset, false);
		if (!status)
			status = put_event(writer, NULL);
	}
	return status;
}

static tav_status open_feed(struct writer *writer)
{
	const struct rewrite *rewrite = writer->rewrite;

	return feed_open(&writer->feed, rewrite->input, rewrite->mtime_ns, rewrite->file_bytes, rewrite->cancelled,
	                 writer->causes);
}

static void close_writer(struct writer *writer)
{
	feed_close(writer->feed);
	bytes_fini(&writer->held);
	bytes_fini(&writer->event);
	bytes_fini(&writer->edited);
	bytes_fini(&writer->moved);
}

/* The events of one more source, behind those that are written. */
static tav_status put_joined(const struct writer *head, const struct rewrite *rewrite)
{
	struct writer writer = {.rewrite = rewrite,
	                        .edits = rewrite->edits,
	                        .causes = head->causes,
	                        .out = head->out,
	                        .deflate = head->deflate};

	if (!edits_has_events(writer.edits))
		return TAV_OK;
	tav_status status = open_feed(&writer);
	if (!status)
		status = put_text(head, head->rewrite->form == TAV_FORM_LINES ? "\n" : ",\n");
	if (!status)
		status = feed_skip_to(writer.feed, writer.edits->first_offset, writer.causes);
	if (!status)
		status = put_to_last(&writer, NULL, NULL);
	close_writer(&writer);
	return status;
}

struct join { /* all that goes into one file; the head is the first */
	struct writer head;
	const struct rewrite *rewrites;
	uint32_t count;
	bool is_gzip;
};

static tav_status put_all(struct join *join)
{
	struct writer *writer = &join->head;
	const struct edits *edits = writer->edits;
	bool is_object = writer->rewrite->form == TAV_FORM_OBJECT;

	if (!edits || (!edits_any(edits) && join->count == 1))
		return copy_to(writer, UINT64_MAX, false);
	bool has_top =
	        is_object && (edits->top_count || writer->rewrite->provenance) && edits->first_offset != UINT64_MAX;
	struct member_edit *members = calloc((size_t)edits->top_count + 2, sizeof(*members));
	bool *is_done = calloc((size_t)edits->top_count + 2, sizeof(*is_done));
	tav_status status = members && is_done ? TAV_OK : no_memory(writer);
	if (!status)
		status = has_top || join->count > 1 ? put_to_last(writer, has_top ? members : NULL, is_done)
		                                    : put_list(writer);
	for (uint32_t i = 1; i < join->count && !status; i++)
		status = put_joined(writer, &join->rewrites[i]);
	if (!status)
		status = has_top ? put_tail(writer, members, is_done) : copy_to(writer, UINT64_MAX, false);
	free(members);
	free(is_done);
	return status;
}

static int open_and_write(void *user, FILE *out, struct causes *causes)
{
	struct join *join = user;
	struct writer *writer = &join->head;

	writer->out = out;
	writer->causes = causes;
	if (join->is_gzip) {
		writer->deflate = deflate_open(out, writer->rewrite->threads);
		if (!writer->deflate)
			return FILE_NO_MEMORY;
	}
	tav_status status = open_feed(writer);
	if (!status)
		status = put_all(join);
	if (!status && writer->deflate && !deflate_end(writer->deflate))
		status = no_memory(writer);
	deflate_close(writer->deflate);
	return status ? FILE_TOLD : 0;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t size = strlen(path), tail = strlen(suffix);

	return size >= tail && !strcmp(path + size - tail, suffix);
}

tav_status write_traces(const struct rewrite *rewrites, uint32_t count, const char *path, struct causes *causes)
{
	struct join join = {.head = {.rewrite = rewrites, .edits = rewrites->edits},
	                    .rewrites = rewrites,
	                    .count = count,
	                    .is_gzip = ends_in(path, ".gz")};
	tav_status status = file_write(&(struct file_job){"trace", open_and_write, &join}, path, causes);

	close_writer(&join.head);
	return status;
}

tav_status write_trace(const struct rewrite *rewrite, const char *path, struct causes *causes)
{
	return write_traces(rewrite, 1, path, causes);
}
