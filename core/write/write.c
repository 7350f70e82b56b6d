/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the bytes around the events: what lies before the list and behind it, and one file from several sources.
 */
#include <stdlib.h>
#include <string.h>
#include <write/writer.h>

#include <report/file.h>

struct join { /* all that goes into one file; the head is the first */
	const struct rewrite *rewrites;
	uint32_t count;
	bool is_gzip;
	struct out out;
	struct writer head;
	struct bytes provenance; /* the member "tav"; none: no data */
	bool *is_done;           /* by member of the top level that changes: done before the list */
};

static bool add_text(struct bytes *bytes, const char *text)
{
	return bytes_add(bytes, text, strlen(text));
}

static const struct top_edit *find_top(const struct edits *edits, const char *key, size_t size)
{
	for (uint32_t i = edits->top_count; i-- > 0;) {
		if (strlen(edits->tops[i].key) == size && !memcmp(edits->tops[i].key, key, size))
			return &edits->tops[i];
	}
	return NULL;
}

/* ---- The top-level object of the first ------------------------------------------------------------------------- */
/* Does what is said of the members that the text has: before the list, or behind it. */
static bool edit_top(struct join *join, struct splice *splice)
{
	const struct edits *edits = join->head.edits;
	struct bytes *tav = &join->provenance;

	for (uint32_t i = 0; i < edits->top_count; i++) {
		const struct top_edit *top = &edits->tops[i];

		if (!fields_find(splice, &splice->event, top->key, strlen(top->key)))
			continue;
		if (!splice_edit(splice, &(struct member_edit){top->key, NULL, top->json}))
			return false;
		join->is_done[i] = true;
	}
	if (!tav->size || !fields_find(splice, &splice->event, "tav", 3))
		return true;
	/* Of several the last word is known behind the list only. */
	bool is_known = splice->event.is_tail || join->count == 1;
	join->is_done[edits->top_count] = is_known;
	return splice_edit(splice, &(struct member_edit){"tav", NULL, {tav->data, is_known ? tav->size : 0}});
}

static tav_status put_members(struct join *join, const char *text, size_t size, bool is_tail)
{
	struct writer *writer = &join->head;
	struct bytes edited = {0};
	bool is_ok = splice_open(&writer->splice, text, size, is_tail) && edit_top(join, &writer->splice) &&
	             splice_close(&writer->splice) && splice_put(&writer->splice, &edited);
	tav_status status = is_ok ? put(writer, edited.data, edited.size) : writer_no_memory(writer);

	bytes_fini(&edited);
	return status;
}

/* The members before the list; the text ends within it, and so does the walk over members. */
static tav_status put_head(struct join *join)
{
	struct writer *writer = &join->head;
	struct bytes text = {0};
	tav_status status = gather(writer, writer->edits->first_offset, &text);
	size_t open = 0;

	while (!status && open < text.size && text.data[open] != '{')
		open++;
	if (!status)
		status = put(writer, text.data, open);
	if (!status)
		status = put_members(join, text.data + open, text.size - open, false);
	bytes_fini(&text);
	return status;
}

static tav_status put_new_member(struct writer *writer, const char *key, const char *json, size_t size)
{
	tav_status status = put_text(writer, ", \"");

	status = status ? status : put_text(writer, key);
	status = status ? status : put_text(writer, "\": ");
	return status ? status : put(writer, json, size);
}

/* What is said of members that the object has nowhere. `close`: behind the ']' of the list. */
static tav_status put_new_members(struct join *join, const char *text, size_t size)
{
	struct writer *writer = &join->head;
	const struct edits *edits = writer->edits;
	tav_status status = TAV_OK;

	if (!splice_open(&writer->splice, text, size, true))
		return writer_no_memory(writer);
	for (uint32_t i = 0; !status && i < edits->top_count; i++) {
		const struct top_edit *top = &edits->tops[i];

		if (join->is_done[i] || !top->json.size || find_top(edits, top->key, strlen(top->key)) != top ||
		    fields_find(&writer->splice, &writer->splice.event, top->key, strlen(top->key)))
			continue;
		status = put_new_member(writer, top->key, top->json.data, top->json.size);
	}
	if (!status && join->provenance.size && !join->is_done[edits->top_count] &&
	    !fields_find(&writer->splice, &writer->splice.event, "tav", 3))
		status = put_new_member(writer, "tav", join->provenance.data, join->provenance.size);
	return status;
}

/* From behind the last event to the end: the rest of the list, and the members behind it. */
static tav_status put_tail(struct join *join)
{
	struct writer *writer = &join->head;
	struct bytes text = {0};
	tav_status status = gather(writer, UINT64_MAX, &text);
	size_t close = 0;

	while (!status && close < text.size && text.data[close] != ']')
		close++;
	close += close < text.size;
	if (!status)
		status = put(writer, text.data, close);
	if (!status)
		status = put_new_members(join, text.data + close, text.size - close);
	if (!status)
		status = put_members(join, text.data + close, text.size - close, true);
	bytes_fini(&text);
	return status;
}

/* ---- Further sources ------------------------------------------------------------------------------------------- */
/* The members around the list of another source, as they stand, but for what is said of them. */
static bool take_members(struct writer *writer, const char *text, size_t size, bool is_tail, struct bytes *members)
{
	bool is_ok = splice_open(&writer->splice, text, size, is_tail);

	for (uint32_t i = 0; is_ok && i < writer->splice.event.count; i++) {
		const struct tav_member *at = &writer->splice.event.items[i].at;
		const char *key = text + at->key;
		size_t key_size = at->key_end - at->key;
		const struct top_edit *top = find_top(writer->edits, key + 1, key_size - 2);

		if ((key_size == 13 && !memcmp(key, "\"traceEvents\"", 13)) || (top && !top->json.size))
			continue;
		is_ok = (!members->size || add_text(members, ", ")) && bytes_add(members, key, key_size) &&
		        add_text(members, ": ") &&
		        bytes_add(members, top ? top->json.data : text + at->value,
		                  top ? top->json.size : at->value_end - at->value);
	}
	return is_ok;
}

static tav_status put_source(struct join *join, struct writer *writer, struct bytes *members)
{
	bool is_object = writer->rewrite->form == TAV_FORM_OBJECT;
	struct bytes head = {0}, tail = {0};
	size_t open = 0, close = 0;
	tav_status status = put_text(writer, join->rewrites->form == TAV_FORM_LINES ? "\n" : ",\n");

	if (!status)
		status = is_object ? gather(writer, writer->edits->first_offset, &head)
		                   : feed_skip_to(writer->feed, writer->edits->first_offset, writer->causes);
	if (!status)
		status = put_list(writer);
	if (!status && is_object)
		status = gather(writer, UINT64_MAX, &tail);
	while (open < head.size && head.data[open] != '{')
		open++;
	while (close < tail.size && tail.data[close] != ']')
		close++;
	close += close < tail.size;
	if (!status && is_object &&
	    (!take_members(writer, head.data + open, head.size - open, false, members) ||
	     !take_members(writer, tail.data + close, tail.size - close, true, members)))
		status = writer_no_memory(writer);
	bytes_fini(&head);
	bytes_fini(&tail);
	return status ? status : feed_check(writer->feed, writer->causes);
}

/* The events of one more source, behind those that are written. */
static tav_status join_source(struct join *join, uint32_t i)
{
	const struct rewrite *rewrite = &join->rewrites[i];
	struct bytes members = {0}, *tav = &join->provenance;
	struct writer writer;
	tav_status status = writer_open(&writer, rewrite, &join->out, join->head.causes);

	if (!status)
		status = put_source(join, &writer, &members);
	if (!status && tav->size &&
	    !(add_text(tav, ", ") && add_text(tav, rewrite->origin) && add_text(tav, ", \"members\": {") &&
	      bytes_add(tav, members.data, members.size) && add_text(tav, "}}")))
		status = writer_no_memory(&writer);
	bytes_fini(&members);
	writer_close(&writer);
	return status;
}

/* ---- The whole ------------------------------------------------------------------------------------------------- */
static bool begin_provenance(struct join *join)
{
	const struct rewrite *first = join->rewrites;

	if (!first->provenance || first->form != TAV_FORM_OBJECT)
		return true;
	return add_text(&join->provenance, first->provenance) &&
	       (join->count == 1 || (add_text(&join->provenance, ", \"sources\": [") &&
	                             add_text(&join->provenance, first->origin) && add_text(&join->provenance, "}")));
}

static tav_status put_all(struct join *join)
{
	struct writer *writer = &join->head;
	const struct edits *edits = writer->edits;

	if (!edits || (!edits_any(edits) && join->count == 1))
		return copy_to(writer, UINT64_MAX);
	if (edits->first_offset == UINT64_MAX && join->count == 1)
		return copy_to(writer, UINT64_MAX);
	bool is_object = writer->rewrite->form == TAV_FORM_OBJECT;
	join->is_done = calloc((size_t)edits->top_count + 1, sizeof(*join->is_done));
	if (!join->is_done || !begin_provenance(join))
		return writer_no_memory(writer);
	tav_status status = is_object ? put_head(join) : TAV_OK;
	if (!status)
		status = put_list(writer);
	for (uint32_t i = 1; i < join->count && !status; i++)
		status = join_source(join, i);
	if (!status && join->count > 1 && join->provenance.size && !add_text(&join->provenance, "]}"))
		status = writer_no_memory(writer);
	if (!status)
		status = is_object ? put_tail(join) : copy_to(writer, UINT64_MAX);
	return status;
}

static int open_and_write(void *user, FILE *file, struct causes *causes)
{
	struct join *join = user;
	const struct rewrite *first = join->rewrites;

	if (!out_open(&join->out, file, join->is_gzip, first->threads)) {
		out_close(&join->out);
		return FILE_NO_MEMORY;
	}
	tav_status status = writer_open(&join->head, first, &join->out, causes);
	if (!status)
		status = put_all(join);
	if (!status)
		status = feed_check(join->head.feed, causes);
	if (!status && !out_end(&join->out))
		status = writer_no_memory(&join->head);
	writer_close(&join->head);
	out_close(&join->out);
	free(join->is_done);
	bytes_fini(&join->provenance);
	return status ? FILE_TOLD : 0;
}

static bool ends_in(const char *path, const char *suffix)
{
	size_t size = strlen(path), tail = strlen(suffix);

	return size >= tail && !strcmp(path + size - tail, suffix);
}

tav_status write_traces(const struct rewrite *rewrites, uint32_t count, const char *path, struct causes *causes)
{
	struct join join = {.rewrites = rewrites, .count = count, .is_gzip = ends_in(path, ".gz")};

	return file_write(&(struct file_job){"trace", open_and_write, &join}, path, causes);
}

tav_status write_trace(const struct rewrite *rewrite, const char *path, struct causes *causes)
{
	return write_traces(rewrite, 1, path, causes);
}
