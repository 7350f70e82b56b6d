/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include <base/format.h>
#include <base/text.h>
#include <report/merge.h>
#include <report/show.h>

const char *show_text(struct arena *arena, struct tav_text raw)
{
	size_t size = text_escape(NULL, 0, raw);
	char *safe = arena_alloc(arena, size + 1);

	if (safe)
		text_escape(safe, size + 1, raw);
	return safe;
}

const char *show_head(struct arena *arena, const struct report_series *series)
{
	static const struct {
		uint32_t unit;
		const char *suffix;
	} suffixes[] = {{TAV_UNIT_NS, "_ns"},
	                {TAV_UNIT_BYTES, "_bytes"},
	                {TAV_UNIT_PERCENT, "_percent"},
	                {TAV_UNIT_PERCENT, "_pct"}};
	size_t size = strlen(series->name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i].suffix);

		if (series->unit == suffixes[i].unit && size > length &&
		    !strcmp(series->name + size - length, suffixes[i].suffix))
			size -= length;
	}
	return arena_copy(arena, series->name, size);
}

const char *show_value(struct arena *arena, const struct report_series *series, uint64_t row, bool is_exact)
{
	char value[FORMAT_SIZE];

	if (!bit_is_set(series->present, row))
		return "-";
	if (series->type == TAV_TYPE_STRING)
		return show_text(arena, ((const struct tav_text *)series->data)[row]);
	if (series->type == TAV_TYPE_REAL) {
		format_real(value, ((const double *)series->data)[row], series->unit);
	} else {
		int64_t integer = ((const int64_t *)series->data)[row];

		if (is_exact && series->unit == TAV_UNIT_NS && integer >= 0)
			format_duration_exact(value, (uint64_t)integer);
		else
			format_integer(value, integer, series->unit);
	}
	return arena_copy(arena, value, strlen(value));
}

const char *show_measures(struct arena *arena, const struct report_finding *finding, uint64_t instance)
{
	const char *line = "";

	for (uint32_t i = 0; line && i < finding->series_count; i++) {
		const struct report_series *series = &finding->series[i];

		if (!bit_is_set(series->present, instance))
			continue;
		const char *head = show_head(arena, series), *value = show_value(arena, series, instance, true);
		line = head && value ? arena_printf(arena, "%s%s%s %s", line, *line ? ", " : "", head, value) : NULL;
	}
	return line;
}

const char *show_event_name(struct arena *arena, const struct report *report, struct tav_ref ref)
{
	struct event_view event = event_view(report, ref);

	return event.name.size ? show_text(arena, event.name) : "(no name)";
}

const char *show_event_facts(struct arena *arena, const struct report *report, struct tav_ref ref)
{
	struct event_view event = event_view(report, ref);
	const struct {
		const char *label;
		struct tav_text value;
	} parts[] = {{"", event.category},
	             {"pid ", event.pid},
	             {"tid ", event.tid},
	             {"stream ", event.stream},
	             {"lane ", event.lane}};
	char start[FORMAT_SIZE], duration[FORMAT_SIZE];
	const char *line = "";

	for (size_t i = 0; line && i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *value = parts[i].value.size ? show_text(arena, parts[i].value) : NULL;

		if (parts[i].value.size)
			line = value ? arena_printf(arena, "%s%s%s, ", line, parts[i].label, value) : NULL;
	}
	if (line && event.has_time)
		line = arena_printf(arena, "%sstart %s, lasts %s, ", line, format_microseconds(start, event.start_ns),
		                    format_duration_exact(duration, event.duration_ns));
	return line ? arena_printf(arena, "%sbyte %" PRIu64, line, event.offset) : NULL;
}

const char *show_event(struct arena *arena, const struct report *report, struct tav_ref ref)
{
	const char *name = show_event_name(arena, report, ref), *facts = show_event_facts(arena, report, ref);

	return name && facts ? arena_printf(arena, "%s: %s", name, facts) : NULL;
}
