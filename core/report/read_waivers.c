/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the waivers of a JSON report back. */
#include <inttypes.h>
#include <string.h>

#include <kit/date.h>
#include <report/read_told.h>
#include <report/waive.h>

static void *keep(struct json_in *in, struct arena *arena, struct buffer *buffer)
{
	void *copy = arena_alloc(arena, buffer->size ? buffer->size : 1);

	if (!copy)
		in_fail(in, in->at, "out of memory");
	else if (buffer->size)
		memcpy(copy, buffer->data, buffer->size);
	buffer_fini(buffer);
	return copy;
}

static const char *const *read_patterns(struct json_in *in, struct arena *arena, const char *key, bool is_needed)
{
	struct buffer list = {0};
	size_t at;

	in_key(in, key);
	at = in_place(in);
	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		const char **place = buffer_add(in, &list, sizeof(*place));

		if (place)
			*place = in_chars(in);
	}
	if (is_needed && !list.size)
		in_fail(in, at, "a waiver of nothing");
	buffer_add(in, &list, sizeof(const char *)); /* the end: NULL */
	return keep(in, arena, &list);
}

static struct waiver read_waiver(struct json_in *in, struct arena *arena)
{
	struct waiver waiver = {0};

	in_open(in, '{');
	in_key(in, "file");
	waiver.file = in_chars(in);
	in_key(in, "line");
	waiver.line = (uint32_t)in_size(in, UINT32_MAX);
	in_key(in, "column");
	waiver.column = (uint32_t)in_size(in, UINT32_MAX);
	waiver.stages = read_patterns(in, arena, "stage", true);
	waiver.ids = read_patterns(in, arena, "id", true);
	waiver.names = read_patterns(in, arena, "names", false);
	waiver.streams = read_patterns(in, arena, "stream", false);
	waiver.traces = read_patterns(in, arena, "trace", false);
	in_key(in, "reason");
	waiver.reason = in_chars(in);
	in_key(in, "until");
	size_t at = in_place(in);
	waiver.until = in_chars(in);
	if (!date_parse(waiver.until, &waiver.until_day))
		in_fail(in, at, "there is no such day");
	in_key(in, "state");
	at = in_place(in);
	waiver.state = (enum waiver_state)read_name(in, &waiver_names, false, "state");
	in_key(in, "count");
	waiver.count = in_size(in, UINT64_MAX);
	if ((waiver.state == WAIVER_USED) != (waiver.count > 0))
		in_fail(in, at, "the state of a waiver is not what its count says");
	in_close(in, '}');
	return waiver;
}

void read_waivers(struct json_in *in, struct report *report, struct arena *arena)
{
	struct buffer waivers = {0};

	in_open(in, '[');
	while (in_more(in, ']') && !in->message) {
		struct waiver waiver = read_waiver(in, arena);
		struct waiver *place = buffer_add(in, &waivers, sizeof(*place));

		if (place)
			*place = waiver;
	}
	uint32_t count = (uint32_t)(waivers.size / sizeof(struct waiver));
	report->waivers = keep(in, arena, &waivers);
	report->waiver_count = report->waivers ? count : 0;
}

void read_waivers_check(struct json_in *in, const struct report *report, struct arena *arena, size_t at)
{
	uint64_t *counts = arena_array(arena, report->waiver_count, sizeof(*counts));

	if (!counts) {
		in_fail(in, at, "out of memory");
		return;
	}
	report_count_waived(report, counts);
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		if (counts[i] != report->waivers[i].count)
			in_fail(in, at, "waiver %" PRIu32 " takes %" PRIu64 ", not %" PRIu64 ": it was edited", i,
			        counts[i], report->waivers[i].count);
	}
}
