/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include <kit/format.h>
#include <kit/text.h>
#include <report/show.h>
#include <report/waive.h>

enum { LONGEST_TEXT = 400, LONGEST_WHOLE = 64 << 10, CLIPPED_TAIL = 100 };

/* The first bytes of `text` that are at most `count` characters. */
static size_t characters(const char *text, size_t size, size_t count)
{
	size_t at = 0;

	for (; count && at < size; count--) {
		size_t length = utf8_length(text + at, size - at);

		at += length ? length : 1;
	}
	return at;
}

/* The ends of a text that is too long to show, with how much was left out; the text itself when it is not. */
static const char *clip(struct arena *arena, const char *text, size_t size, size_t longest)
{
	char count[FORMAT_SIZE];

	if (size <= longest || characters(text, size, longest) == size)
		return text;
	size_t head = characters(text, size, longest - CLIPPED_TAIL - 30), tail = size - CLIPPED_TAIL;
	while (tail < size && ((unsigned char)text[tail] & 0xc0) == 0x80)
		tail++;
	return arena_printf(arena, "%.*s...(%s bytes)...%s", (int)head, text, format_size(count, tail - head),
	                    text + tail);
}

/* Is this the begin of a command to a CI server? Those are told by lines of the log that begin with "::", or hold
 * "##[". */
static bool is_command(const char *text, const char *at)
{
	if (at[0] == ':' && at[1] == ':')
		return at == text || at[-1] == ' ';
	return at[0] == '#' && at[1] == '#' && (at[2] == '[' || !strncmp(at + 2, "vso[", 4));
}

/* The second of its first two characters becomes \xNN. */
static const char *break_commands(struct arena *arena, const char *text)
{
	size_t count = 0;

	for (const char *at = strpbrk(text, ":#"); at; at = strpbrk(at + 1, ":#"))
		count += is_command(text, at);
	if (!count)
		return text;
	char *broken = arena_alloc(arena, strlen(text) + 3 * count + 1), *end = broken;
	for (const char *at = text; broken && *at; at++) {
		*end++ = *at;
		if (is_command(text, at))
			end += sprintf(end, "\\x%02x", (unsigned char)*++at);
	}
	return broken;
}

static const char *show(struct arena *arena, struct tav_text raw, size_t longest)
{
	const char *safe = raw.data;
	size_t size = raw.size;

	if (text_plain(raw) < raw.size) { /* texts end with a NUL, so that a plain one can be shown as it is */
		size = text_escape(NULL, 0, raw);
		char *escaped = arena_alloc(arena, size + 1);

		if (!escaped)
			return NULL;
		text_escape(escaped, size + 1, raw);
		safe = escaped;
	}
	safe = clip(arena, safe ? safe : "", size, longest);
	return safe ? break_commands(arena, safe) : NULL;
}

const char *show_text(struct arena *arena, struct tav_text raw)
{
	return show(arena, raw, LONGEST_TEXT);
}

const char *show_whole(struct arena *arena, struct tav_text raw)
{
	return show(arena, raw, LONGEST_WHOLE);
}

const char *show_chars(struct arena *arena, const char *raw)
{
	return show_text(arena, text_of(raw));
}

const char *show_head(struct arena *arena, const struct tav_column_result *column)
{
	static const struct {
		uint32_t unit;
		const char *suffix;
	} suffixes[] = {{TAV_UNIT_NS, "_ns"},
	                {TAV_UNIT_BYTES, "_bytes"},
	                {TAV_UNIT_PERCENT, "_percent"},
	                {TAV_UNIT_PERCENT, "_pct"}};
	size_t size = column->name.size;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i].suffix);

		if (column->unit == suffixes[i].unit && size > length &&
		    !memcmp(column->name.data + size - length, suffixes[i].suffix, length))
			size -= length;
	}
	return arena_copy(arena, column->name.data, size);
}

static const char *show_number(struct arena *arena, int64_t integer, double real, bool is_real, uint32_t unit,
                               bool is_exact)
{
	char value[FORMAT_SIZE];

	if (is_real)
		format_real(value, real, unit);
	else if (is_exact && unit == TAV_UNIT_NS && integer >= 0)
		format_duration_exact(value, (uint64_t)integer);
	else
		format_integer(value, integer, unit);
	return arena_copy(arena, value, strlen(value));
}

const char *show_value(struct arena *arena, const struct tav_column_result *column, uint64_t row, bool is_exact)
{
	if (!bit_is_set(column->present, row))
		return "-";
	switch (column->type) {
	case TAV_TYPE_STRING:
		return show_text(arena, ((const struct tav_text *)column->data)[row]);
	case TAV_TYPE_REF:
		return show_event_name(arena, &((const struct tav_event *)column->data)[row]);
	case TAV_TYPE_REAL:
		return show_number(arena, 0, ((const double *)column->data)[row], true, column->unit, is_exact);
	default:
		return show_number(arena, ((const int64_t *)column->data)[row], 0, false, column->unit, is_exact);
	}
}

const char *show_metric(struct arena *arena, const struct tav_metric_result *metric, bool is_exact)
{
	return show_number(arena, metric->value, metric->real, metric->type == TAV_TYPE_REAL, metric->unit, is_exact);
}

bool metric_is_zero(const struct tav_metric_result *metric)
{
	return metric->type == TAV_TYPE_REAL ? metric->real == 0 : metric->value == 0;
}

const char *show_measures(struct arena *arena, const struct tav_finding_result *finding, uint64_t instance)
{
	const char *line = "";

	for (uint32_t i = 0; line && i < finding->measure_count; i++) {
		const struct tav_column_result *column = &finding->measures[i];

		if (!bit_is_set(column->present, instance))
			continue;
		const char *head = show_head(arena, column), *value = show_value(arena, column, instance, true);
		line = head && value ? arena_printf(arena, "%s%s%s %s", line, *line ? ", " : "", head, value) : NULL;
	}
	return line;
}

const char *show_event_name(struct arena *arena, const struct tav_event *event)
{
	return event->name.size ? show_text(arena, event->name) : "(no name)";
}

bool event_start_rel(const struct report *report, const struct tav_event *event, int64_t *start_rel_ns)
{
	if (!event->has_time || event->source >= report->source_count + report->baseline_count)
		return false;
	const struct tav_source *facts = &report->sources[event->source].facts;
	return (facts->first_ns || facts->last_ns) &&
	       !__builtin_sub_overflow(event->start_ns, facts->first_ns, start_rel_ns);
}

static const char *show_times(struct arena *arena, const struct report *report, const struct tav_event *event)
{
	char start[FORMAT_SIZE], duration[FORMAT_SIZE], relative[FORMAT_SIZE] = "";
	int64_t start_rel_ns;

	if (!event->has_time)
		return "";
	if (event_start_rel(report, event, &start_rel_ns))
		format_duration(relative, start_rel_ns);
	return arena_printf(arena, "start %s%s%s%s, lasts %s, ", format_microseconds(start, event->start_ns),
	                    !*relative         ? ""
	                    : *relative == '-' ? " ("
	                                       : " (+",
	                    relative, *relative ? ")" : "",
	                    format_duration_exact(duration, (uint64_t)event->end_ns - (uint64_t)event->start_ns));
}

/* "stream 7 7" is what torch calls the row of a stream: it says nothing that the stream does not. */
static bool names_stream(const struct tav_event *event, struct tav_text name)
{
	static const char word[] = "stream ";

	return event->stream.size && name.size > sizeof(word) - 1 && !memcmp(name.data, word, sizeof(word) - 1);
}

const char *show_event_facts(struct arena *arena, const struct report *report, const struct tav_event *event)
{
	const struct {
		const char *label;
		struct tav_text value;
	} parts[] = {{"", event->category},
	             {"pid ", event->pid},
	             {"tid ", event->tid},
	             {"stream ", event->stream},
	             {"lane ", event->lane}};
	const struct report_thread *thread = report_thread_of(report, event);
	const struct tav_text *names[] = {
	        NULL, thread ? &thread->process_name : NULL,
	        thread && !names_stream(event, thread->thread_name) ? &thread->thread_name : NULL, NULL, NULL};
	const char *line = "", *times = show_times(arena, report, event);

	for (size_t i = 0; line && i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *value = parts[i].value.size ? show_text(arena, parts[i].value) : NULL;
		const char *name = names[i] && names[i]->size ? show_text(arena, *names[i]) : "";

		if (parts[i].value.size)
			line = value && name ? arena_printf(arena, "%s%s%s%s%s%s, ", line, parts[i].label, value,
			                                    *name ? " (" : "", name, *name ? ")" : "")
			                     : NULL;
	}
	return line && times ? arena_printf(arena, "%s%sbyte %" PRIu64, line, times, event->offset) : NULL;
}

const char *show_event(struct arena *arena, const struct report *report, const struct tav_event *event)
{
	const char *name = show_event_name(arena, event), *facts = show_event_facts(arena, report, event);

	return name && facts ? arena_printf(arena, "%s: %s", name, facts) : NULL;
}

/* Does the number stand in the text by itself, not as a part of a longer number or word? */
static bool says_number(const char *text, const char *number)
{
	size_t size = strlen(number);

	for (const char *at = strstr(text, number); at; at = strstr(at + 1, number)) {
		bool is_begin = at == text || !strchr("0123456789,.", at[-1]);
		const char *end = at + size;
		bool is_end = *end < '0' || *end > '9';

		if ((*end == ',' || *end == '.') && end[1] >= '0' && end[1] <= '9')
			is_end = false;
		if (is_begin && is_end)
			return true;
	}
	return false;
}

const char *show_message(struct arena *arena, const struct tav_finding_result *finding)
{
	const char *message = show_text(arena, finding->message);
	char count[FORMAT_SIZE];

	if (!message || finding->count == 1 || says_number(message, format_size(count, finding->count)))
		return message;
	return arena_printf(arena, "%s (%s times)", message, count);
}

const char *show_until(struct arena *arena, const struct waiver *waiver)
{
	const char *reason = show_chars(arena, waiver->reason);

	return reason ? arena_printf(arena, "until %s: %s", waiver->until, reason) : NULL;
}

const char *show_waiver(struct arena *arena, const struct report *report, uint32_t number)
{
	const char *until = show_until(arena, &report->waivers[number - 1]);

	return until ? arena_printf(arena, "waived %s", until) : NULL;
}

const char *show_waived(struct arena *arena, const struct report *report, const struct tav_finding_result *finding)
{
	uint64_t taken = finding_waived(finding)->count;
	uint64_t *counts = taken ? arena_array(arena, report->waiver_count, sizeof(*counts)) : NULL;
	const char *line = taken && !counts ? NULL : "";
	char of[FORMAT_SIZE], count[FORMAT_SIZE];

	if (!taken || !counts)
		return line;
	finding_count_waived(finding, counts);
	for (uint32_t i = 0; line && i < report->waiver_count; i++) {
		const char *words = counts[i] ? show_waiver(arena, report, i + 1) : NULL;

		if (counts[i] == finding->count)
			return words;
		if (counts[i])
			line = words ? arena_printf(arena, "%s%s%s of %s %s", line, *line ? "; " : "",
			                            format_size(count, counts[i]), format_size(of, finding->count),
			                            words)
			             : NULL;
	}
	if (line && taken < finding->count && finding->instance_count < finding->count)
		line = arena_printf(arena, "%s; %s not listed, so not waived (max_instances lists more)", line,
		                    format_size(count, finding->count - finding->instance_count));
	return line;
}
