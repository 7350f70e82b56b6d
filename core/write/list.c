/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way of the events. Between two edits runs of bytes are copied as they are; only where every event may change each
 * one is looked at.
 */
#include <stdlib.h>
#include <string.h>
#include <write/times.h>
#include <write/writer.h>

tav_status writer_no_memory(const struct writer *writer)
{
	return cause_add(writer->causes, "out of memory to write %s", writer->rewrite->input);
}

static tav_status is_shorter(const struct writer *writer)
{
	return cause_add(writer->causes, "%s is shorter than when it was looked at", writer->rewrite->input);
}

tav_status put(struct writer *writer, const char *data, size_t size)
{
	return out_add(writer->out, data, size) ? TAV_OK : writer_no_memory(writer);
}

tav_status put_text(struct writer *writer, const char *text)
{
	return put(writer, text, strlen(text));
}

tav_status writer_open(struct writer *writer, const struct rewrite *rewrite, struct out *out, struct causes *causes)
{
	const struct edits *edits = rewrite->edits;

	*writer = (struct writer){.rewrite = rewrite, .edits = edits, .causes = causes, .out = out};
	if (edits && edits_touch_all(edits) && !(writer->change = change_open(edits, time_digits(rewrite->time_unit))))
		return writer_no_memory(writer);
	return feed_open(&writer->feed, rewrite->input, rewrite->mtime_ns, rewrite->file_bytes, rewrite->cancelled,
	                 causes);
}

void writer_close(struct writer *writer)
{
	feed_close(writer->feed);
	change_close(writer->change);
	splice_fini(&writer->splice);
	bytes_fini(&writer->held);
	bytes_fini(&writer->event);
	bytes_fini(&writer->edited);
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */
static tav_status end_run(struct writer *writer)
{
	tav_status status = put(writer, writer->run, writer->run_size);

	writer->run_size = 0;
	return status;
}

static tav_status add_run(struct writer *writer, const char *data, size_t size)
{
	tav_status status = TAV_OK;

	if (writer->run_size && writer->run + writer->run_size != data)
		status = end_run(writer);
	if (!writer->run_size)
		writer->run = data;
	writer->run_size += size;
	return status;
}

static tav_status hold(struct writer *writer, const char *data, size_t size)
{
	return bytes_add(&writer->held, data, size) ? TAV_OK : writer_no_memory(writer);
}

/* Before the bytes at hand go: what still points to them is put, or held. */
static tav_status let_go(struct writer *writer)
{
	size_t size = writer->separator_size;
	tav_status status = end_run(writer);

	writer->separator_size = 0;
	return status ? status : hold(writer, writer->separator, size);
}

/* The separators that were waiting: they part something. */
static tav_status put_held(struct writer *writer)
{
	size_t size = writer->separator_size;
	tav_status status = TAV_OK;

	if (writer->held.size) {
		status = end_run(writer);
		if (!status)
			status = put(writer, writer->held.data, writer->held.size);
		writer->held.size = 0;
	}
	writer->separator_size = 0;
	return status || !size ? status : add_run(writer, writer->separator, size);
}

static void forget_held(struct writer *writer)
{
	writer->held.size = writer->separator_size = 0;
}

static tav_status peek(struct writer *writer, const char **data, size_t *size)
{
	tav_status status = feed_at_hand(writer->feed) ? TAV_OK : let_go(writer);

	return status ? status : feed_peek(writer->feed, data, size, writer->causes);
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

/* With `holds` the separators at the end wait until it is known that they part something. */
static tav_status copy(struct writer *writer, uint64_t offset, bool holds)
{
	tav_status status = TAV_OK;

	while (!status && feed_offset(writer->feed) < offset) {
		uint64_t left = offset - feed_offset(writer->feed);
		const char *data;
		size_t size;

		status = peek(writer, &data, &size);
		if (status || (!size && offset == UINT64_MAX))
			return status;
		if (!size)
			return is_shorter(writer);
		if (size > left)
			size = (size_t)left;
		size_t held = holds ? trailing_separators(data, size) : 0;
		if (held < size)
			status = put_held(writer);
		if (!status)
			status = put(writer, data, size - held);
		if (!status)
			status = hold(writer, data + size - held, held);
		feed_take(writer->feed, size);
	}
	return status;
}

tav_status copy_to(struct writer *writer, uint64_t offset)
{
	return copy(writer, offset, false);
}

tav_status gather(struct writer *writer, uint64_t offset, struct bytes *text)
{
	tav_status status = TAV_OK;

	while (!status && feed_offset(writer->feed) < offset) {
		uint64_t left = offset - feed_offset(writer->feed);
		const char *data;
		size_t size;

		status = peek(writer, &data, &size);
		if (status || !size)
			return status;
		if (size > left)
			size = (size_t)left;
		if (!bytes_add(text, data, size))
			return writer_no_memory(writer);
		feed_take(writer->feed, size);
	}
	return status;
}

static tav_status skip_to(struct writer *writer, uint64_t offset)
{
	tav_status status = let_go(writer);

	return status ? status : feed_skip_to(writer->feed, offset, writer->causes);
}

/* ---- One event ------------------------------------------------------------------------------------------------- */
/* The text that is open in writer->splice, with its cuts. Its bytes are still needed until the run ends. */
static tav_status put_spliced(struct writer *writer)
{
	const struct splice *splice = &writer->splice;
	tav_status status = TAV_OK;
	size_t at = 0;

	for (uint32_t i = 0; i < splice->cut_count && !status; i++) {
		const struct cut *cut = &splice->cuts[i];
		struct tav_text text = splice_cut_text(splice, cut);

		status = add_run(writer, splice->text + at, cut->begin - at);
		if (!status && text.size) {
			status = end_run(writer);
			if (!status)
				status = put(writer, text.data, text.size);
		}
		at = cut->end;
	}
	return status ? status : add_run(writer, splice->text + at, splice->size - at);
}

/* What touches every event, done to the text that is open. */
static tav_status put_touched(struct writer *writer)
{
	return change_event(writer->change, &writer->splice) && splice_close(&writer->splice)
	               ? put_spliced(writer)
	               : writer_no_memory(writer);
}

static tav_status put_changed(struct writer *writer, const char *text, size_t size)
{
	if (!writer->change)
		return add_run(writer, text, size);
	return splice_open(&writer->splice, text, size, false) ? put_touched(writer) : writer_no_memory(writer);
}

static tav_status put_added(struct writer *writer, struct tav_text text, bool is_first)
{
	const char *separator = is_first ? "" : writer->rewrite->form == TAV_FORM_LINES ? "\n" : ",\n";
	tav_status status = end_run(writer);

	if (!status)
		status = put_text(writer, separator);
	if (!status)
		status = put_changed(writer, text.data, text.size);
	return status ? status : end_run(writer);
}

static tav_status put_edited(struct writer *writer, const struct event_edit *edit, const char *text, size_t size)
{
	bool is_ok = splice_open(&writer->splice, text, size, false) && splice_open_args(&writer->splice);

	for (uint32_t i = 0; i < edit->count && is_ok; i++)
		is_ok = splice_edit(&writer->splice, &writer->edits->members[edit->first + i]);
	writer->edited.size = 0;
	is_ok = is_ok && splice_close(&writer->splice) &&
	        (!writer->change || splice_put(&writer->splice, &writer->edited));
	if (!is_ok)
		return writer_no_memory(writer);
	tav_status status =
	        writer->change ? put_changed(writer, writer->edited.data, writer->edited.size) : put_spliced(writer);
	/* The edited text is needed again for the next one. */
	return status || !writer->change ? status : end_run(writer);
}

/* What stands behind an event. */
static tav_status put_behind(struct writer *writer, const struct event_edit *edit)
{
	tav_status status = TAV_OK;

	for (uint32_t i = 0; !status && edit && i < edit->add_count; i++)
		status = put_added(writer, writer->edits->behind[edit->first_add + i], false);
	return status;
}

/* The event that begins here, with what is said of it. */
static tav_status put_event(struct writer *writer, const struct event_edit *edit)
{
	const char *text;
	size_t size, at_hand;
	tav_status status = peek(writer, &text, &at_hand);

	if (status)
		return status;
	if (writer->change && !(edit && edit->count) && at_hand) { /* the way of most: walked over once */
		if (!splice_open(&writer->splice, text, at_hand, false))
			return writer_no_memory(writer);
		size = writer->splice.event.end;
		if (size) {
			feed_take(writer->feed, size);
			writer->splice.size = size;
			status = put_touched(writer);
			return status ? status : put_behind(writer, edit);
		}
	}
	size = feed_whole(writer->feed);
	bool is_whole = size > 0;
	if (is_whole) {
		feed_take(writer->feed, size);
	} else {
		status = let_go(writer);
		if (!status)
			status = feed_value(writer->feed, &writer->event, writer->causes);
		if (status)
			return status;
		text = writer->event.data;
		size = writer->event.size;
	}
	status = edit && edit->count ? put_edited(writer, edit, text, size) : put_changed(writer, text, size);
	if (!status && !is_whole)
		status = end_run(writer);
	return status ? status : put_behind(writer, edit);
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

/* The next place from here on at which something is to be done, at the latest the last event. */
static uint64_t next_place(struct writer *writer)
{
	const struct edits *edits = writer->edits;
	uint64_t here = feed_offset(writer->feed), place = edits->last_offset;

	edit_at(writer, here);
	range_at(writer, here);
	if (writer->next_event < edits->event_count && edits->events[writer->next_event].offset < place)
		place = edits->events[writer->next_event].offset;
	if (writer->next_range < edits->range_count && edits->ranges[writer->next_range].begin < place)
		place = edits->ranges[writer->next_range].begin;
	return place;
}

/* To the '{' of the next event; TAV_FAILED where none is. */
static tav_status find_event(struct writer *writer)
{
	const char *data;
	size_t size;
	tav_status status;

	while (!(status = peek(writer, &data, &size)) && size) {
		size_t at = 0;

		while (at < size && is_separator(data[at]))
			at++;
		if (!writer->separator_size)
			writer->separator = data;
		writer->separator_size += at;
		feed_take(writer->feed, at);
		if (at < size && data[at] == '{')
			return TAV_OK;
		if (at < size)
			break;
	}
	return status ? status
	              : cause_add(writer->causes, "%s is not what it was when it was looked at",
	                          writer->rewrite->input);
}

/* Passes over the last events of the list, which are dropped, and the separators before them. */
static tav_status skip_last(struct writer *writer)
{
	forget_held(writer);
	tav_status status = skip_to(writer, writer->edits->last_offset);

	return status ? status : feed_value(writer->feed, &writer->event, writer->causes);
}

/* What is at hand here: an event that stays, or those that go. `is_last`: nothing of the list is left. */
static tav_status put_place(struct writer *writer, bool *is_last)
{
	uint64_t here = feed_offset(writer->feed);
	const struct range *range = range_at(writer, here);

	*is_last = here == writer->edits->last_offset || (range && range->end == UINT64_MAX);
	if (range)
		return range->end == UINT64_MAX ? skip_last(writer) : skip_to(writer, range->end);
	tav_status status = put_held(writer);
	return status ? status : put_event(writer, edit_at(writer, here));
}

/* Events one by one. */
static tav_status put_each(struct writer *writer)
{
	tav_status status = copy_to(writer, writer->edits->first_offset);
	bool is_last = false;

	while (!status && !is_last) {
		bool is_range = range_at(writer, feed_offset(writer->feed)) != NULL;

		status = put_place(writer, &is_last);
		if (!status && !is_last && !is_range)
			status = find_event(writer);
	}
	return status;
}

/* From edit to edit; everything between them is copied. */
static tav_status put_runs(struct writer *writer)
{
	const struct edits *edits = writer->edits;
	tav_status status = TAV_OK;
	bool is_last = false;

	while (!status && !is_last) {
		uint64_t place = next_place(writer);
		bool ends_list = writer->next_range < edits->range_count &&
		                 edits->ranges[writer->next_range].begin == place &&
		                 edits->ranges[writer->next_range].end == UINT64_MAX;

		status = end_run(writer);
		if (!status)
			status = copy(writer, place, ends_list);
		if (!status)
			status = put_place(writer, &is_last);
	}
	return status;
}

tav_status put_list(struct writer *writer)
{
	const struct edits *edits = writer->edits;
	bool is_empty = !edits_has_events(edits);

	if (edits->first_offset == UINT64_MAX) /* no events: nothing can be added behind one */
		return TAV_OK;
	tav_status status = writer->change ? put_each(writer) : put_runs(writer);
	if (!status)
		status = end_run(writer);
	for (uint64_t i = 0; !status && i < edits->last_count; i++)
		status = put_added(writer, edits->last[i], is_empty && !i);
	return status;
}
