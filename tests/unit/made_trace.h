/* SPDX-License-Identifier: Apache-2.0 */
/* A source, made event by event, and a host that shows it to a dialect, which has its options as by default. */
#ifndef UNIT_MADE_TRACE_H
#define UNIT_MADE_TRACE_H

#include <stdlib.h>
#include <string.h>

#include <classify/classify.h>
#include <facts/facts.h>
#include <kit/text.h>
#include <option/option.h>
#include <tav/kit.h>

#include "suite.h"

struct made_field {
	const char *path, *value; /* value NULL: ends the list */
};
struct made_event {
	const char *name, *category, *pid, *tid;
	int64_t start_ns, end_ns; /* end before start: unusable */
	char phase;
	struct made_field fields[4];
};

enum { MADE_OPTIONS = 8, MADE_FIELDS = 16 };
struct made_trace {
	struct wanted wanted;
	struct events *events;
	struct causes causes;
	struct arena arena;
	struct tav_host host;
	struct tav_source source;
	struct made_self {
		struct tav_self self; /* first, so that a callback finds the rest */
		struct made_trace *trace;
	} made_self;
	const struct tav_value *options[MADE_OPTIONS];
	uint32_t fields[MADE_FIELDS];
	struct dialect dialect;
};

static inline struct made_trace *made_of(struct tav_self *self)
{
	return ((struct made_self *)(void *)self)->trace;
}

static inline uint32_t made_text(struct made_trace *trace, const char *text)
{
	return text ? intern_add(&trace->events->values, text, strlen(text)) : 0;
}

static inline tav_status made_fail(struct tav_self *self, const char *file, uint32_t line, const char *text)
{
	return cause_add_at(&made_of(self)->causes, file, line, text);
}

static inline const void *made_column(struct tav_self *self, uint32_t source, uint32_t column)
{
	const struct made_trace *trace = made_of(self);
	const struct events *events = trace->events;

	CU_ASSERT_EQUAL(source, 0);
	switch (column) {
	case TAV_COL_START_NS:
		return events->start_ns.data;
	case TAV_COL_END_NS:
		return events->end_ns.data;
	case TAV_COL_LABEL:
		return events->label.data;
	case TAV_COL_TRAITS:
		return events->traits.data;
	default:
		return column >= TAV_COL_FIELDS ? events->fields[trace->fields[column - TAV_COL_FIELDS]].data.data
		                                : NULL;
	}
}

static inline struct tav_text made_label(struct tav_self *self, uint32_t source, uint32_t label,
                                         struct tav_text *category)
{
	const struct events *events = made_of(self)->events;
	const struct label *texts = &COLUMN(events, labels, const struct label)[label];

	CU_ASSERT_EQUAL(source, 0);
	if (category)
		*category = intern_kept(&events->values, texts->category);
	return intern_kept(&events->values, texts->name);
}

static inline uint32_t made_label_count(struct tav_self *self, uint32_t source)
{
	(void)source;
	return made_of(self)->events->label_count;
}

static inline uint32_t made_label_call(struct tav_self *self, uint32_t source, uint32_t label)
{
	(void)source;
	return COLUMN(made_of(self)->events, label_calls, const uint8_t)[label];
}

static inline const struct tav_source *made_source(struct tav_self *self, uint32_t source)
{
	struct made_trace *trace = made_of(self);

	(void)source;
	trace->source =
	        (struct tav_source){.struct_size = sizeof(trace->source), .row_count = trace->events->row_count};
	return &trace->source;
}

static inline void *made_alloc(struct tav_self *self, size_t bytes)
{
	return arena_alloc(&made_of(self)->arena, bytes);
}

/* Options as by default; what those of fields name is wanted. */
static inline void made_options(struct made_trace *trace, const struct tav_option_list *list)
{
	struct diags diags = {0};
	struct option_reader reader = {&trace->arena, &diags, "its default", NULL};

	CU_ASSERT_FATAL(list->count <= MADE_OPTIONS);
	for (uint32_t i = 0; i < list->count; i++) {
		trace->options[i] = option_preset(&reader, &list->items[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(trace->options[i]);
		for (uint64_t j = 0; list->items[i].type == TAV_TYPE_FIELD && j < trace->options[i]->count; j++)
			wanted_add(&trace->wanted, trace->options[i]->items[j]->text.data, TAV_TYPE_STRING);
	}
	diags_fini(&diags);
}

/* Columns for all that is wanted by now; before the first event. */
static inline void made_columns(struct made_trace *trace)
{
	struct events *events = trace->events;

	free(events->fields);
	events->fields = calloc(trace->wanted.count + 1, sizeof(*events->fields));
	events->field_count = trace->wanted.count;
	events->wanted = &trace->wanted;
}

/* Wants what the dialect wants, as a run would whose stages look at links. */
static inline void made_begin(struct made_trace *trace, const struct tav_dialect *descriptor)
{
	*trace = (struct made_trace){0};
	trace->events = calloc(1, sizeof(*trace->events));
	CU_ASSERT_PTR_NOT_NULL_FATAL(trace->events);
	events_init(trace->events);
	CU_ASSERT_FATAL(intern_init(&trace->events->values));
	CU_ASSERT_FATAL(descriptor->fields.count <= MADE_FIELDS);
	for (uint32_t i = 0; i < descriptor->fields.count; i++)
		trace->fields[i] =
		        wanted_add(&trace->wanted, descriptor->fields.items[i].path, descriptor->fields.items[i].type);
	made_options(trace, &descriptor->options);
	CU_ASSERT_FATAL(classify_want(&trace->wanted, descriptor));
	CU_ASSERT_FATAL(classify_want_links(&trace->wanted, descriptor));
	trace->events->path = "made.json";
	trace->events->top_level = "{}";
	trace->events->top_level_size = 2;
	made_columns(trace);
	trace->host = (struct tav_host){.struct_size = sizeof(trace->host),
	                                .fail = made_fail,
	                                .alloc = made_alloc,
	                                .source = made_source,
	                                .column = made_column,
	                                .label_count = made_label_count,
	                                .label = made_label,
	                                .label_call = made_label_call};
	trace->made_self.trace = trace;
	trace->made_self.self.struct_size = sizeof(trace->made_self.self);
	trace->made_self.self.host = &trace->host;
	trace->made_self.self.options = trace->options;
	trace->dialect = (struct dialect){descriptor, &trace->made_self.self, trace->fields, &trace->causes};
}

static inline uint32_t made_label_of(struct made_trace *trace, const struct made_event *event)
{
	struct label wanted = {made_text(trace, event->name), made_text(trace, event->category)};
	struct events *events = trace->events;
	uint32_t label = 0;

	while (label < events->label_count &&
	       memcmp(&((struct label *)events->labels.data)[label], &wanted, sizeof(wanted)) != 0)
		label++;
	if (label == events->label_count) {
		CU_ASSERT_FATAL(pages_reserve(&events->labels, ++events->label_count * sizeof(wanted)));
		((struct label *)events->labels.data)[label] = wanted;
	}
	return label;
}

#define MADE_PUT(pages, type, row, value)                                                                              \
	do {                                                                                                           \
		CU_ASSERT_FATAL(pages_reserve(&(pages), ((size_t)(row) + 1) * sizeof(type)));                          \
		((type *)(pages).data)[row] = (value);                                                                 \
	} while (0)

static inline void made_field(struct made_trace *trace, const struct made_event *event, tav_row row, uint32_t wanted)
{
	struct field_column *column = &trace->events->fields[wanted];
	uint32_t value = 0;

	for (const struct made_field *field = event->fields; field < event->fields + 4 && field->value; field++) {
		if (!strcmp(field->path, trace->wanted.items[wanted].path))
			value = made_text(trace, field->value);
	}
	column->is_dense = true;
	CU_ASSERT_FATAL(field_reserve(column, trace->wanted.items[wanted].type, row + UINT64_C(1)));
	if (value)
		CU_ASSERT_FATAL(field_put(column, trace->wanted.items[wanted].type, row, value, false, 0));
}

static inline tav_row made_add(struct made_trace *trace, const struct made_event *event)
{
	struct events *events = trace->events;
	tav_row row = events->row_count++;
	char phase = event->phase ? event->phase : 'X';
	bool is_timed = phase == 'X' || phase == 'B', is_usable = event->end_ns >= event->start_ns;

	events->event_count++;
	MADE_PUT(events->start_ns, int64_t, row, is_usable ? event->start_ns : 0);
	MADE_PUT(events->end_ns, int64_t, row, is_usable ? event->end_ns : 0);
	MADE_PUT(events->label, uint32_t, row, made_label_of(trace, event));
	MADE_PUT(events->pid, uint32_t, row, made_text(trace, event->pid));
	MADE_PUT(events->tid, uint32_t, row, made_text(trace, event->tid));
	MADE_PUT(events->phase, char, row, phase);
	MADE_PUT(events->traits, uint32_t, row,
	         !is_timed ? 0u : (uint32_t)(is_usable ? TAV_TRAIT_INTERVAL : TAV_TRAIT_UNUSABLE));
	for (uint32_t wanted = 0; wanted < trace->wanted.count; wanted++)
		made_field(trace, event, row, wanted);
	return row;
}

static inline tav_status made_classify(struct made_trace *trace)
{
	return classify_source(trace->events, &trace->dialect, &trace->causes);
}

static inline uint32_t made_traits(const struct made_trace *trace, tav_row row)
{
	return COLUMN(trace->events, traits, const uint32_t)[row];
}

static inline const struct tav_track *made_track(const struct made_trace *trace, tav_row row)
{
	return trace->events->tracks[COLUMN(trace->events, track, const uint32_t)[row]];
}

static inline void made_end(struct made_trace *trace)
{
	facts_free(trace->events);
	events_free(trace->events);
	wanted_fini(&trace->wanted);
	arena_fini(&trace->arena);
	causes_clear(&trace->causes);
}

#endif
