/* SPDX-License-Identifier: Apache-2.0 */
/* A store with one source, made event by event, and a host that shows it to a dialect. */
#ifndef UNIT_MADE_TRACE_H
#define UNIT_MADE_TRACE_H

#include <stdlib.h>
#include <string.h>

#include <classify/classify.h>

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

struct made_trace {
	struct store store;
	struct events events;
	struct events *sources[1];
	struct causes causes;
	struct tav_host host;
	struct made_self {
		struct tav_self self; /* first, so that a callback finds the rest */
		struct made_trace *trace;
	} made_self;
	const struct tav_value *options[8];
	uint32_t fields[16];
	struct dialect dialect;
};

static inline struct made_trace *made_of(struct tav_self *self)
{
	return ((struct made_self *)(void *)self)->trace;
}

static inline uint32_t made_text(struct made_trace *trace, const char *text)
{
	return text ? intern_add(&trace->store.values, text, strlen(text)) : 0;
}

static inline tav_status made_fail(struct tav_self *self, const char *file, uint32_t line, const char *text)
{
	return cause_add_at(&made_of(self)->causes, file, line, text);
}

static inline const void *made_column(struct tav_self *self, uint32_t source, uint32_t column)
{
	struct made_trace *trace = made_of(self);
	(void)source;

	switch (column) {
	case TAV_COL_START_NS:
		return trace->events.start_ns.data;
	case TAV_COL_END_NS:
		return trace->events.end_ns.data;
	case TAV_COL_LABEL:
		return trace->events.label.data;
	default:
		return column >= TAV_COL_FIELDS ? trace->events.fields[trace->fields[column - TAV_COL_FIELDS]].data.data
		                                : NULL;
	}
}

static inline struct tav_text made_label(struct tav_self *self, uint32_t label, struct tav_text *category)
{
	struct made_trace *trace = made_of(self);
	const struct label *texts = &((const struct label *)trace->store.labels.data)[label];

	*category = intern_text(&trace->store.values, texts->category);
	return intern_text(&trace->store.values, texts->name);
}

/* Wants what the dialect wants, as a run would. */
static inline void made_begin(struct made_trace *trace, const struct tav_dialect *descriptor)
{
	*trace = (struct made_trace){0};
	CU_ASSERT_FATAL(intern_init(&trace->store.values));
	for (uint32_t i = 0; i < descriptor->fields.count; i++)
		trace->fields[i] = wanted_add(&trace->store.wanted, descriptor->fields.items[i].path,
		                              descriptor->fields.items[i].type);
	CU_ASSERT_FATAL(classify_want(&trace->store.wanted, descriptor));
	trace->sources[0] = &trace->events;
	trace->store.sources = trace->sources;
	trace->store.source_count = 1;
	trace->events.path = "made.json";
	trace->events.top_level = "{}";
	trace->events.top_level_size = 2;
	trace->events.fields = calloc(trace->store.wanted.count + 1, sizeof(*trace->events.fields));
	trace->host = (struct tav_host){
	        .struct_size = sizeof(trace->host), .fail = made_fail, .column = made_column, .label = made_label};
	trace->made_self.trace = trace;
	trace->made_self.self.struct_size = sizeof(trace->made_self.self);
	trace->made_self.self.host = &trace->host;
	trace->made_self.self.options = trace->options;
	trace->dialect = (struct dialect){descriptor, &trace->made_self.self, trace->fields, &trace->causes};
}

static inline uint32_t made_label_of(struct made_trace *trace, const struct made_event *event)
{
	struct label wanted = {made_text(trace, event->name), made_text(trace, event->category)};
	uint32_t label = 0;

	while (label < trace->store.label_count &&
	       memcmp(&((struct label *)trace->store.labels.data)[label], &wanted, sizeof(wanted)) != 0)
		label++;
	if (label == trace->store.label_count) {
		CU_ASSERT_FATAL(pages_reserve(&trace->store.labels, ++trace->store.label_count * sizeof(wanted)));
		((struct label *)trace->store.labels.data)[label] = wanted;
	}
	return label;
}

#define MADE_PUT(pages, type, row, value)                                                                              \
	do {                                                                                                           \
		CU_ASSERT_FATAL(pages_reserve(&(pages), ((size_t)(row) + 1) * sizeof(type)));                          \
		((type *)(pages).data)[row] = (value);                                                                 \
	} while (0)

static inline void made_add(struct made_trace *trace, const struct made_event *event)
{
	struct events *events = &trace->events;
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
	for (uint32_t wanted = 0; wanted < trace->store.wanted.count; wanted++) {
		struct field_column *column = &events->fields[wanted];
		uint32_t value = 0;
		for (const struct made_field *field = event->fields; field < event->fields + 4 && field->value;
		     field++) {
			if (!strcmp(field->path, trace->store.wanted.items[wanted].path))
				value = made_text(trace, field->value);
		}
		if (trace->store.wanted.items[wanted].type == TAV_TYPE_STRING) {
			MADE_PUT(column->data, uint32_t, row, value);
		} else if (value) {
			CU_ASSERT_FATAL(pages_reserve(&column->present, (row / 64 + 1) * sizeof(uint64_t)));
			((uint64_t *)column->present.data)[row / 64] |= UINT64_C(1) << row % 64;
		}
	}
}

static inline uint32_t made_traits(const struct made_trace *trace, tav_row row)
{
	return ((const uint32_t *)trace->events.traits.data)[row];
}

static inline const struct tav_track *made_track(const struct made_trace *trace, tav_row row)
{
	return trace->events.tracks[((const uint32_t *)trace->events.track.data)[row]];
}

static inline void made_end(struct made_trace *trace)
{
	struct pages *columns[] = {&trace->events.start_ns, &trace->events.end_ns, &trace->events.label,
	                           &trace->events.pid,      &trace->events.tid,    &trace->events.traits,
	                           &trace->events.track,    &trace->events.phase,  &trace->store.labels};

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		pages_free(columns[i]);
	for (uint32_t wanted = 0; wanted < trace->store.wanted.count; wanted++) {
		pages_free(&trace->events.fields[wanted].data);
		pages_free(&trace->events.fields[wanted].present);
	}
	free(trace->events.fields);
	arena_fini(&trace->events.arena);
	intern_fini(&trace->store.values);
	wanted_fini(&trace->store.wanted);
	causes_clear(&trace->causes);
}

#endif
