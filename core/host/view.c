/* SPDX-License-Identifier: Apache-2.0 */
/* What plugins see of events: columns, texts, tracks, and the facts about a source that are found once for all. */
#include <stdlib.h>
#include <string.h>

#include <facts/facts.h>
#include <host/view.h>
#include <kit/text.h>

/*
 * Made when somebody asks: bits of a column of ids, 0 being "missing"; a sparse field spread out by row; zeros for all
 * columns that nothing filled.
 */
struct presence {
	struct presence *next;
	uint32_t column;
	bool is_of_call; /* it goes when the stage has returned */
	struct pages pages;
};

bool view_init(struct view *view, struct run *run, struct events *events, struct report_source *shown, unsigned threads)
{
	*view = (struct view){.run = run, .events = events, .shown = shown, .threads = threads};
	pthread_mutex_init(&view->lock, NULL);
	view->info = arena_alloc(&events->arena, sizeof(*view->info));
	if (view->info)
		view_describe(view);
	return view->info;
}

void view_describe(struct view *view)
{
	const struct events *events = view->events;

	*view->info = (struct tav_source){
	        .struct_size = sizeof(*view->info),
	        .form = events->form,
	        .path = text_of(events->path),
	        .dialect = text_of(events->dialect),
	        .track_word = text_of(events->track_word ? events->track_word : "stream"),
	        .rank = events->rank,
	        .world_size = events->world_size,
	        .bytes = events->bytes,
	        .content = events->content,
	        .event_count = events->event_count,
	        .row_count = events->row_count,
	        .track_count = events->track_count,
	        .device_count = events->device_count,
	        .role = view->shown ? view->shown->role_kind : TAV_ROLE_COMPANION,
	        .flavour = events->flavour,
	        .device_event_count = events->device_event_count,
	        .time_unit_ns = events->time_unit,
	        .unmatched_begin = events->unmatched_begin,
	        .unmatched_end = events->unmatched_end,
	        .unusable_count = events->unusable_count,
	        .unusable_device_count = events->unusable_device_count,
	        .zero_time_count = events->zero_time_count,
	        .first_ns = events->first_ns,
	        .last_ns = events->last_ns,
	};
}

void view_fini(struct view *view)
{
	for (struct presence *presence = view->presence; presence; presence = presence->next)
		pages_free(&presence->pages);
	marks_free(view);
	facts_free(view->events);
	events_free(view->events);
	arena_fini(&view->arena);
	pthread_mutex_destroy(&view->lock);
	*view = (struct view){0};
}

void view_again(struct view *view, struct report_source *shown)
{
	struct arena *arena = &view->events->arena;

	marks_free(view);
	view->shown = shown;
	arena_unseal(arena);
	view->info->role = shown->role_kind;
	arena_seal(arena);
}

struct view *call_view(const struct call *call, uint32_t source)
{
	if (source == 0)
		return call->view;
	return call->phase == PHASE_EACH && source <= call->host->companion_count ? call->host->companions[source - 1]
	                                                                          : NULL;
}

static struct events *events_of(struct tav_self *self, uint32_t source)
{
	const struct view *view = call_view(call_of(self), source);

	return view ? view->events : NULL;
}

uint32_t view_source_count(struct tav_self *self)
{
	const struct call *call = call_of(self);

	return call->phase == PHASE_COMBINE ? call->source_count : call->view ? 1 : 0;
}

/* Copies: what a verdict rests on is not handed out to be written to. */
static const struct tav_source *shown_source(struct call *call, uint32_t source)
{
	const struct report *report = &call->host->run->report;
	uint32_t number = source == TAV_RUN ? TAV_NONE : call_source(call, source);
	uint32_t count = report->source_count + report->baseline_count;

	if (number == TAV_NONE)
		return NULL;
	pthread_mutex_lock(&call->lock);
	if (!call->shown && (call->shown = arena_array(&call->arena, count, sizeof(*call->shown)))) {
		for (uint32_t i = 0; i < count; i++)
			call->shown[i] = report->sources[i].facts;
	}
	pthread_mutex_unlock(&call->lock);
	if (!call->shown)
		call_lack_memory(call, "out of memory: the sources");
	return call->shown ? &call->shown[number] : NULL;
}

const struct tav_source *view_source(struct tav_self *self, uint32_t source)
{
	struct call *call = call_of(self);

	if (call->phase == PHASE_COMBINE)
		return shown_source(call, source);
	const struct view *view = call_view(call, source);
	return view ? view->info : NULL;
}

/* Zeroed pages of `bytes` for a column; the caller holds the lock. NULL: no memory. */
static struct presence *find_presence(struct view *view, uint32_t column, size_t bytes, bool *is_new)
{
	struct presence *presence = view->presence;

	while (presence && presence->column != column)
		presence = presence->next;
	*is_new = !presence;
	if (presence)
		return presence;
	presence = arena_alloc(&view->arena, sizeof(*presence));
	if (!presence)
		return NULL;
	presence->column = column;
	if (!pages_reserve(&presence->pages, bytes ? bytes : 1))
		return NULL;
	presence->next = view->presence;
	view->presence = presence;
	return presence;
}

/* kinds of made columns */
enum { DATA_OF_FIELD = 1u << 20, BITS_OF_FIELD = 1u << 21, BITS_OF_ID = 1u << 22, ZEROS = 1u << 23 };

/* A column that the reader had no reason to make still has a zero for every row: the same ones for all of them. */
static const void *zeros(struct tav_self *self, struct view *view)
{
	bool is_new;

	pthread_mutex_lock(&view->lock);
	struct presence *presence =
	        find_presence(view, ZEROS, (size_t)view->events->row_count * sizeof(int64_t), &is_new);
	if (presence && is_new)
		pages_seal(&presence->pages);
	pthread_mutex_unlock(&view->lock);
	if (!presence)
		call_lack_memory(call_of(self), "out of memory: a column");
	return presence ? presence->pages.data : NULL;
}

/* A sparse field by row: its values, or its bits. */
static const void *spread(struct tav_self *self, struct view *view, uint32_t wanted, bool is_bits)
{
	const struct field_column *field = &view->events->fields[wanted];
	uint32_t type = view->run->wanted.items[wanted].type;
	uint64_t rows = view->events->row_count;
	size_t bytes = is_bits ? ((size_t)rows / 64 + 1) * sizeof(uint64_t) : (size_t)rows * field_size(type);
	bool is_new;

	pthread_mutex_lock(&view->lock);
	struct presence *presence =
	        find_presence(view, (is_bits ? BITS_OF_FIELD : DATA_OF_FIELD) + wanted, bytes, &is_new);
	if (presence && is_new) {
		presence->is_of_call = !is_bits && view->shown; /* a companion is shared by calls */
		if (is_bits)
			field_spread_bits(field, type, rows, presence->pages.data);
		else
			field_spread(field, type, presence->pages.data);
		pages_seal(&presence->pages);
	}
	pthread_mutex_unlock(&view->lock);
	if (!presence)
		call_lack_memory(call_of(self), "out of memory: a column");
	return presence ? presence->pages.data : NULL;
}

static const void *field_values(struct tav_self *self, struct view *view, uint32_t wanted)
{
	const struct field_column *field = &view->events->fields[wanted];

	if (view->run->wanted.items[wanted].type == TAV_TYPE_PRESENT)
		return NULL; /* it has no values */
	if (!field->count)
		return zeros(self, view);
	return field->is_dense ? field->data.data : spread(self, view, wanted, false);
}

static const uint64_t *field_bits(struct tav_self *self, struct view *view, uint32_t wanted)
{
	const struct field_column *field = &view->events->fields[wanted];

	if (!field->count)
		return zeros(self, view);
	if (field->is_dense && !field_has_ids(view->run->wanted.items[wanted].type))
		return field->present.data;
	return spread(self, view, wanted, true);
}

void view_forget(struct view *view)
{
	for (struct presence **link = &view->presence; *link;) {
		struct presence *presence = *link;

		if (presence->is_of_call) {
			pages_free(&presence->pages);
			*link = presence->next;
		} else {
			link = &presence->next;
		}
	}
}

/* The causes of a service become those of the call. */
static tav_status pass_on(struct call *call, struct causes *causes)
{
	if (!causes->outermost)
		return call_lack_memory(call, "out of memory");
	pthread_mutex_lock(&call->lock);
	causes_add_all(&call->causes, causes);
	pthread_mutex_unlock(&call->lock);
	causes_clear(causes);
	return TAV_FAILED;
}

/* LINK and OPERATOR are made when the first one asks. False: no memory, or it may not ask; the cause is set. */
static bool make_column(struct tav_self *self, struct view *view, uint32_t column)
{
	struct causes causes = {0};

	if (column != TAV_COL_LINK && column != TAV_COL_OPERATOR)
		return true;
	pthread_mutex_lock(&view->lock);
	tav_status status = facts_column(view->events, column, &causes);
	pthread_mutex_unlock(&view->lock);
	return status ? pass_on(call_of(self), &causes) == TAV_OK : true;
}

const void *view_column(struct tav_self *self, uint32_t source, uint32_t column)
{
	const struct host *host = call_of(self)->host;
	struct view *view = call_view(call_of(self), source);
	const struct events *events = view ? view->events : NULL;

	if (!events)
		return NULL;
	if (column >= TAV_COL_FIELDS) {
		if (column - TAV_COL_FIELDS >= host->field_count)
			return NULL;
		return field_values(self, view, host->fields[column - TAV_COL_FIELDS]);
	}
	const struct pages *const columns[] = {
	        [TAV_COL_START_NS] = &events->start_ns, [TAV_COL_END_NS] = &events->end_ns,
	        [TAV_COL_LABEL] = &events->label,       [TAV_COL_PID] = &events->pid,
	        [TAV_COL_TID] = &events->tid,           [TAV_COL_TRAITS] = &events->traits,
	        [TAV_COL_TRACK] = &events->track,       [TAV_COL_OFFSET] = &events->offset,
	        [TAV_COL_PHASE] = &events->phase,       [TAV_COL_KIND] = &events->kind,
	        [TAV_COL_LINK] = &events->link,         [TAV_COL_OPERATOR] = &events->operators,
	};
	if (column >= sizeof(columns) / sizeof(columns[0]) || !make_column(self, view, column))
		return NULL;
	return columns[column]->data ? columns[column]->data : zeros(self, view);
}

static void bits_of_ids(uint64_t *bits, const uint32_t *ids, tav_row row_count)
{
	for (tav_row row = 0; row < row_count; row++)
		bits[row / 64] |= (uint64_t)(ids[row] != 0) << row % 64;
}

static const uint64_t *id_bits(struct tav_self *self, struct view *view, uint32_t key, const struct pages *ids)
{
	tav_row row_count = view->events->row_count;
	bool is_new;

	pthread_mutex_lock(&view->lock);
	struct presence *presence = find_presence(view, key, ((size_t)row_count / 64 + 1) * sizeof(uint64_t), &is_new);
	if (presence && is_new) {
		if (ids->data)
			bits_of_ids(presence->pages.data, ids->data, row_count);
		pages_seal(&presence->pages);
	}
	pthread_mutex_unlock(&view->lock);
	if (!presence)
		call_lack_memory(call_of(self), "out of memory: a column");
	return presence ? presence->pages.data : NULL;
}

const uint64_t *view_present(struct tav_self *self, uint32_t source, uint32_t column)
{
	const struct host *host = call_of(self)->host;
	struct view *view = call_view(call_of(self), source);
	const struct events *events = view ? view->events : NULL;

	if (!events)
		return NULL;
	if (!make_column(self, view, column))
		return NULL;
	switch (column) {
	case TAV_COL_PID:
		return id_bits(self, view, BITS_OF_ID + column, &events->pid);
	case TAV_COL_TID:
		return id_bits(self, view, BITS_OF_ID + column, &events->tid);
	case TAV_COL_LINK:
		return id_bits(self, view, BITS_OF_ID + column, &events->link);
	case TAV_COL_OPERATOR:
		return id_bits(self, view, BITS_OF_ID + column, &events->operators);
	default:
		break;
	}
	if (column < TAV_COL_FIELDS || column - TAV_COL_FIELDS >= host->field_count)
		return NULL;
	return field_bits(self, view, host->fields[column - TAV_COL_FIELDS]);
}

/* The view of a source for a service of each(); NULL: the cause is set. */
static struct view *view_for(struct tav_self *self, uint32_t source, const char *service)
{
	struct call *call = call_of(self);
	struct view *view = call_view(call, source);
	char text[128];

	if (view && call->phase == PHASE_EACH)
		return view;
	if (call->phase != PHASE_EACH)
		snprintf(text, sizeof(text), "%s is for each() only", service);
	else
		snprintf(text, sizeof(text), "%s was asked for a source that is not there", service);
	call_cause(call, NULL, 0, text);
	return NULL;
}

tav_status view_order(struct tav_self *self, uint32_t source, uint32_t traits, const struct tav_order **out)
{
	struct view *view = view_for(self, source, "order()");
	struct causes causes = {0};

	*out = NULL;
	if (!view)
		return TAV_FAILED;
	pthread_mutex_lock(&view->lock);
	tav_status status = events_order(view->events, traits, out, &causes);
	pthread_mutex_unlock(&view->lock);
	return status ? pass_on(call_of(self), &causes) : TAV_OK;
}

static tav_status find_links(struct tav_self *self, uint32_t source, const struct tav_link_list **out)
{
	struct view *view = view_for(self, source, "links()");
	struct causes causes = {0};

	*out = NULL;
	if (!view)
		return TAV_FAILED;
	pthread_mutex_lock(&view->lock);
	tav_status status = facts_links(view->events, out, &causes);
	pthread_mutex_unlock(&view->lock);
	return status ? pass_on(call_of(self), &causes) : TAV_OK;
}

const struct tav_links links_extension = {sizeof(links_extension), 0, find_links};

static tav_status find_steps(struct tav_self *self, uint32_t source, const struct tav_step_list **out)
{
	struct view *view = view_for(self, source, "steps()");
	struct causes causes = {0};

	*out = NULL;
	if (!view)
		return TAV_FAILED;
	pthread_mutex_lock(&view->lock);
	tav_status status = facts_steps(view->events, out, &causes);
	pthread_mutex_unlock(&view->lock);
	return status ? pass_on(call_of(self), &causes) : TAV_OK;
}

const struct tav_steps steps_extension = {sizeof(steps_extension), 0, find_steps};

const struct tav_unusable *view_unusable(struct tav_self *self, uint32_t source, uint64_t *count)
{
	static const struct tav_unusable none;
	const struct events *events = events_of(self, source);

	*count = events ? events->unusable_count : 0;
	return events && events->unusable ? events->unusable : &none;
}

const struct tav_unmatched *view_unmatched(struct tav_self *self, uint32_t source, uint64_t *count)
{
	static const struct tav_unmatched none;
	const struct events *events = events_of(self, source);

	*count = events && events->unmatched.data ? events->unmatched_count : 0;
	return *count ? events->unmatched.data : &none;
}

/* ---- Texts and labels ------------------------------------------------------------------------------------------ */
uint32_t view_label_count(struct tav_self *self, uint32_t source)
{
	const struct events *events = events_of(self, source);

	return events ? events->label_count : 0;
}

static struct label label_at(const struct events *events, uint32_t label)
{
	return events && label < events->label_count ? ((const struct label *)events->labels.data)[label]
	                                             : (struct label){0, 0};
}

struct tav_text view_label(struct tav_self *self, uint32_t source, uint32_t label, struct tav_text *category)
{
	struct label texts = label_at(events_of(self, source), label);

	if (category)
		*category = view_value(self, source, texts.category);
	return view_value(self, source, texts.name);
}

uint32_t view_label_call(struct tav_self *self, uint32_t source, uint32_t label)
{
	const struct events *events = events_of(self, source);

	return events && events->label_calls.data && label < events->label_count
	               ? ((const uint8_t *)events->label_calls.data)[label]
	               : TAV_CALL_NONE;
}

/* The digits of a number, in the memory of the call: only few are asked for. */
static struct tav_text number_text(struct call *call, const struct events *events, uint32_t value)
{
	struct intern_room room;
	struct tav_text text = intern_text(&events->values, value, &room);

	pthread_mutex_lock(&call->lock);
	struct tav_text copy = arena_text(&call->arena, text);
	if (!copy.data)
		cause_add(&call->causes, "out of memory");
	pthread_mutex_unlock(&call->lock);
	return copy.data ? copy : (struct tav_text){"", 0};
}

struct tav_text view_value(struct tav_self *self, uint32_t source, uint32_t value)
{
	const struct events *events = events_of(self, source);

	if (!events)
		return (struct tav_text){"", 0};
	value = value < events->values.count ? value : 0;
	return intern_entry(&events->values, value) & INTERN_NUMBER ? number_text(call_of(self), events, value)
	                                                            : intern_kept(&events->values, value);
}

uint32_t view_find_value(struct tav_self *self, uint32_t source, struct tav_text text)
{
	const struct events *events = events_of(self, source);
	uint32_t id = events ? intern_find(&events->values, text.data ? text.data : "", text.size) : INTERN_FAILED;

	return id == INTERN_FAILED ? TAV_NONE : id;
}

static int compare_labels(const void *left, const void *right, void *user)
{
	const struct events *events = user;
	struct label a = label_at(events, *(const uint32_t *)left), b = label_at(events, *(const uint32_t *)right);

	if (a.name != b.name)
		return a.name < b.name ? -1 : 1;
	return a.category < b.category ? -1 : a.category > b.category;
}

/* Made when somebody asks: few do. NULL: no memory. */
static const uint32_t *labels_by_text(struct tav_self *self, struct view *view)
{
	struct events *events = view->events;

	pthread_mutex_lock(&view->lock);
	if (!view->labels_by_text) {
		uint32_t *labels = arena_array(&view->arena, events->label_count, sizeof(*labels));

		for (uint32_t i = 0; labels && i < events->label_count; i++)
			labels[i] = i;
		if (labels)
			qsort_r(labels, events->label_count, sizeof(*labels), compare_labels, events);
		view->labels_by_text = labels;
	}
	pthread_mutex_unlock(&view->lock);
	if (!view->labels_by_text)
		call_lack_memory(call_of(self), "out of memory: labels by their names");
	return view->labels_by_text;
}

uint32_t view_find_label(struct tav_self *self, uint32_t source, struct tav_text category, struct tav_text name)
{
	struct view *view = call_view(call_of(self), source);
	uint32_t name_id = view_find_value(self, source, name), category_id = view_find_value(self, source, category);
	const uint32_t *labels =
	        view && name_id != TAV_NONE && category_id != TAV_NONE ? labels_by_text(self, view) : NULL;
	uint32_t low = 0, high = labels ? view->events->label_count : 0;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct label label = label_at(view->events, labels[middle]);

		if (label.name == name_id && label.category == category_id)
			return labels[middle];
		if (label.name < name_id || (label.name == name_id && label.category < category_id))
			low = middle + 1;
		else
			high = middle;
	}
	return TAV_NONE;
}

const struct tav_track *view_track(struct tav_self *self, uint32_t source, uint32_t track)
{
	const struct events *events = events_of(self, source);

	return events && track < events->track_count ? events->tracks[track] : NULL;
}

/* ---- What the file says of itself ------------------------------------------------------------------------------ */
struct tav_text view_name_of(struct tav_self *self, uint32_t source, uint32_t pid, uint32_t tid)
{
	struct view *view = call_view(call_of(self), source);
	struct tav_text text = {"", 0};

	if (view) {
		pthread_mutex_lock(&view->lock);
		bool is_ok = facts_name(view->events, pid, tid, &text);
		pthread_mutex_unlock(&view->lock);
		if (!is_ok)
			call_lack_memory(call_of(self), "out of memory: names of threads");
	}
	return text;
}

struct tav_text view_metadata(struct tav_self *self, uint32_t source, const char *key)
{
	struct view *view = call_view(call_of(self), source);
	struct tav_text text = {"", 0};

	if (view && key) {
		pthread_mutex_lock(&view->lock);
		bool is_ok = facts_metadata(view->events, key, &text);
		pthread_mutex_unlock(&view->lock);
		if (!is_ok)
			call_lack_memory(call_of(self), "out of memory: what the file says of itself");
	}
	return text;
}

struct tav_text view_metadata_key(struct tav_self *self, uint32_t source, uint32_t index)
{
	struct view *view = call_view(call_of(self), source);
	struct tav_text text = {"", 0};

	if (view) {
		pthread_mutex_lock(&view->lock);
		bool is_ok = facts_metadata_key(view->events, index, &text);
		pthread_mutex_unlock(&view->lock);
		if (!is_ok)
			call_lack_memory(call_of(self), "out of memory: what the file says of itself");
	}
	return text;
}

/* A column that nobody asked for is not kept: what it would say is then missing. */
struct tav_event view_event(const struct view *view, tav_row row, struct event_room *room)
{
	const struct events *events = view->events;
	const struct intern *values = &events->values;
	struct tav_text none = {"", 0};
	struct label label = label_at(events, events->label.data ? COLUMN(events, label, uint32_t)[row] : UINT32_MAX);
	uint32_t traits = events->traits.data ? COLUMN(events, traits, uint32_t)[row] : 0;
	uint32_t track = events->track.data ? COLUMN(events, track, uint32_t)[row] : TAV_NONE;
	struct tav_event event = {
	        .name = intern_kept(values, label.name),
	        .category = intern_kept(values, label.category),
	        .pid = intern_text(values, events->pid.data ? COLUMN(events, pid, uint32_t)[row] : 0, &room->pid),
	        .tid = intern_text(values, events->tid.data ? COLUMN(events, tid, uint32_t)[row] : 0, &room->tid),
	        .stream = none,
	        .lane = none,
	        .row = row,
	        .offset = events->offset.data ? COLUMN(events, offset, uint64_t)[row] : 0,
	        .device = TAV_NONE,
	};

	if (track < events->track_count && events->tracks[track]->flags & TAV_TRACK_DEVICE) {
		event.stream = intern_kept(values, events->tracks[track]->stream);
		event.lane = events->tracks[track]->lane;
		event.device = events->tracks[track]->device;
	}
	if (events->start_ns.data && events->end_ns.data && !(traits & TAV_TRAIT_UNUSABLE)) {
		event.has_time = 1;
		event.start_ns = COLUMN(events, start_ns, int64_t)[row];
		event.end_ns = COLUMN(events, end_ns, int64_t)[row];
	}
	return event;
}
