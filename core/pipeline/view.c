/* SPDX-License-Identifier: Apache-2.0 */
/* What plugins read of the trace. */
#include <json-c/json.h>
#include <string.h>

#include <base/text.h>
#include <pipeline/crash.h>
#include <pipeline/view.h>

struct presence { /* bits made from a column of ids, 0 being "missing"; or zeros for a column that nothing filled */
	struct presence *next;
	uint32_t source, column;
	struct pages pages;
};
struct member { /* of the top level of a file, as JSON text */
	struct member *next;
	uint32_t source;
	const char *key;
	struct tav_text text;
};

/* The store's number of a plugin's source; TAV_NONE: there is no such source. */
static uint32_t store_source(const struct run *run, uint32_t source)
{
	uint32_t inner = source;

	if (run->is_classified) {
		if (source >= run->source_count + run->input_count)
			return TAV_NONE;
		inner = run->sources[source].source;
	}
	return inner < run->store.source_count && run->store.sources[inner] ? inner : TAV_NONE;
}

static struct events *events_of(const struct run *run, uint32_t source)
{
	uint32_t inner = store_source(run, source);

	return inner == TAV_NONE ? NULL : run->store.sources[inner];
}

uint32_t view_source_count(struct tav_self *self)
{
	const struct run *run = host_of(self)->run;

	return run->is_classified ? run->source_count : run->store.source_count;
}

static void describe_source(const struct run *run, struct tav_source *info, const struct events *events)
{
	(void)run;
	*info = (struct tav_source){
	        .struct_size = sizeof(*info),
	        .form = events->form,
	        .path = text_of(events->path),
	        .dialect = text_of(events->dialect),
	        .rank = events->rank,
	        .bytes = events->bytes,
	        .event_count = events->event_count,
	        .row_count = events->row_count,
	        .track_count = events->track_count,
	        .device_count = events->device_count,
	        .unmatched_begin = events->unmatched_begin,
	        .unmatched_end = events->unmatched_end,
	};
}

bool run_number_sources(struct run *run, const bool *is_analysed, uint32_t input_first)
{
	run->sources = arena_array(&run->arena, run->store.source_count, sizeof(*run->sources));
	if (!run->sources)
		return false;
	uint32_t count = 0;
	for (uint32_t source = 0; source < run->store.source_count; source++) {
		if (!is_analysed[source])
			continue;
		run->sources[count].source = source;
		describe_source(run, &run->sources[count++].info, run->store.sources[source]);
		run->source_count += source < input_first;
		run->input_count += source >= input_first;
	}
	run->is_classified = true;
	return true;
}

const struct tav_source *view_source(struct tav_self *self, uint32_t source)
{
	struct host *host = host_of(self);
	struct run *run = host->run;
	struct tav_source *info = NULL;

	if (run->is_classified)
		return source < run->source_count + run->input_count ? &run->sources[source].info : NULL;
	const struct events *events = events_of(run, source);
	pthread_mutex_lock(&host->lock);
	if (events)
		info = arena_alloc(&host->arena, sizeof(*info));
	if (info)
		describe_source(run, info, events);
	pthread_mutex_unlock(&host->lock);
	return info;
}

/* Zeroed pages of `bytes` for a source and column; the caller holds the lock. NULL: no memory. */
static struct presence *find_presence(struct run *run, uint32_t source, uint32_t column, size_t bytes, bool *is_new)
{
	struct presence *presence = run->presence;

	while (presence && (presence->source != source || presence->column != column))
		presence = presence->next;
	*is_new = !presence;
	if (presence)
		return presence;
	presence = arena_alloc(&run->arena, sizeof(*presence));
	if (!presence)
		return NULL;
	presence->source = source;
	presence->column = column;
	if (!pages_reserve(&presence->pages, bytes ? bytes : 1))
		return NULL;
	presence->next = run->presence;
	run->presence = presence;
	return presence;
}

static void seal(struct pages *pages)
{
	if (pages_seal(pages))
		crash_guard(pages);
}

enum { DATA_OF_FIELD = 1u << 20, BITS_OF_FIELD = 1u << 21, BITS_OF_ID = 1u << 22 }; /* kinds of made columns */

/* A column that the reader had no reason to make still has a zero for every row. */
static const void *filled(struct run *run, uint32_t source, uint32_t key, const struct pages *pages, size_t bytes)
{
	bool is_new;

	if (pages->data)
		return pages->data;
	pthread_mutex_lock(&run->lock);
	struct presence *presence = find_presence(run, source, key, bytes, &is_new);
	if (presence && is_new)
		seal(&presence->pages);
	pthread_mutex_unlock(&run->lock);
	return presence ? presence->pages.data : NULL;
}

static size_t element_size(uint32_t type)
{
	return type == TAV_TYPE_INT ? sizeof(int64_t) : type == TAV_TYPE_REAL ? sizeof(double) : sizeof(uint32_t);
}

const void *view_column(struct tav_self *self, uint32_t source, uint32_t column)
{
	const struct host *host = host_of(self);
	struct run *run = host->run;
	const struct events *events = events_of(run, source);
	uint32_t inner = store_source(run, source);

	if (!events)
		return NULL;
	if (column >= TAV_COL_FIELDS) {
		if (column - TAV_COL_FIELDS >= host->field_count)
			return NULL;
		uint32_t field = host->fields[column - TAV_COL_FIELDS];
		uint32_t type = run->store.wanted.items[field].type;
		if (type == TAV_TYPE_PRESENT)
			return NULL; /* it has no values */
		return filled(run, inner, DATA_OF_FIELD + field, &events->fields[field].data,
		              events->row_count * element_size(type));
	}
	const struct {
		const struct pages *pages;
		size_t size;
	} columns[] = {
	        [TAV_COL_START_NS] = {&events->start_ns, sizeof(int64_t)},
	        [TAV_COL_END_NS] = {&events->end_ns, sizeof(int64_t)},
	        [TAV_COL_LABEL] = {&events->label, sizeof(uint32_t)},
	        [TAV_COL_PID] = {&events->pid, sizeof(uint32_t)},
	        [TAV_COL_TID] = {&events->tid, sizeof(uint32_t)},
	        [TAV_COL_TRAITS] = {&events->traits, sizeof(uint32_t)},
	        [TAV_COL_TRACK] = {&events->track, sizeof(uint32_t)},
	        [TAV_COL_OFFSET] = {&events->offset, sizeof(uint64_t)},
	        [TAV_COL_PHASE] = {&events->phase, sizeof(char)},
	};
	if (column >= sizeof(columns) / sizeof(columns[0]))
		return NULL;
	return filled(run, inner, column, columns[column].pages, events->row_count * columns[column].size);
}

static void bits_of_ids(uint64_t *bits, const uint32_t *ids, tav_row row_count)
{
	for (tav_row row = 0; row < row_count; row++)
		bits[row / 64] |= (uint64_t)(ids[row] != 0) << row % 64;
}

static const uint64_t *id_bits(struct run *run, uint32_t source, uint32_t key, const struct pages *ids,
                               tav_row row_count)
{
	bool is_new;

	pthread_mutex_lock(&run->lock);
	struct presence *presence =
	        find_presence(run, source, key, ((size_t)row_count / 64 + 1) * sizeof(uint64_t), &is_new);
	if (presence && is_new) {
		if (ids->data)
			bits_of_ids(presence->pages.data, ids->data, row_count);
		seal(&presence->pages);
	}
	pthread_mutex_unlock(&run->lock);
	return presence ? presence->pages.data : NULL;
}

const uint64_t *view_present(struct tav_self *self, uint32_t source, uint32_t column)
{
	const struct host *host = host_of(self);
	struct run *run = host->run;
	const struct events *events = events_of(run, source);
	uint32_t inner = store_source(run, source);

	if (!events)
		return NULL;
	if (column == TAV_COL_PID || column == TAV_COL_TID)
		return id_bits(run, inner, BITS_OF_ID + column, column == TAV_COL_PID ? &events->pid : &events->tid,
		               events->row_count);
	if (column < TAV_COL_FIELDS || column - TAV_COL_FIELDS >= host->field_count)
		return NULL;
	uint32_t field = host->fields[column - TAV_COL_FIELDS];
	uint32_t type = run->store.wanted.items[field].type;
	if (type == TAV_TYPE_STRING || type == TAV_TYPE_JSON)
		return id_bits(run, inner, BITS_OF_FIELD + field, &events->fields[field].data, events->row_count);
	return filled(run, inner, BITS_OF_FIELD + field, &events->fields[field].present,
	              ((size_t)events->row_count / 64 + 1) * sizeof(uint64_t));
}

tav_status view_order(struct tav_self *self, uint32_t source, uint32_t traits, const struct tav_order **out)
{
	struct host *host = host_of(self);
	struct run *run = host->run;
	uint32_t inner = store_source(run, source);
	struct causes causes = {0};

	*out = NULL;
	if (!run->is_classified)
		return host_cause(host, NULL, 0, "order() is for stages: before classification there are no tracks");
	if (inner == TAV_NONE)
		return host_cause(host, NULL, 0, "order() was asked for a source that is not there");
	pthread_mutex_lock(&run->lock);
	const struct chosen_order *newest = run->store.sources[inner]->orders;
	tav_status status = store_order(&run->store, inner, traits, out, &causes);
	const struct chosen_order *made = run->store.sources[inner]->orders;
	if (made && made != newest) {
		crash_guard(&made->first);
		crash_guard(&made->rows);
	}
	pthread_mutex_unlock(&run->lock);
	if (status) {
		char text[512];

		host_cause(host, NULL, 0, causes.outermost ? causes.outermost->text : "out of memory");
		snprintf(text, sizeof(text), "cannot order the events of source %u (%s)", source,
		         run->store.sources[inner]->path);
		status = host_cause(host, NULL, 0, text);
	}
	causes_clear(&causes);
	return status;
}

const struct tav_unusable *view_unusable(struct tav_self *self, uint32_t source, uint64_t *count)
{
	static const struct tav_unusable none;
	const struct events *events = events_of(host_of(self)->run, source);

	*count = events ? events->unusable_count : 0;
	return events && events->unusable ? events->unusable : &none;
}

uint32_t view_label_count(struct tav_self *self)
{
	return host_of(self)->run->store.label_count;
}

struct tav_text view_label(struct tav_self *self, uint32_t label, struct tav_text *category)
{
	const struct store *store = &host_of(self)->run->store;
	struct label texts = {0, 0};

	if (label < store->label_count)
		texts = ((const struct label *)store->labels.data)[label];
	if (category)
		*category = intern_text(&store->values, texts.category);
	return intern_text(&store->values, texts.name);
}

struct tav_text view_value(struct tav_self *self, uint32_t value)
{
	const struct store *store = &host_of(self)->run->store;

	return intern_text(&store->values, value < store->values.count ? value : 0);
}

const struct tav_track *view_track(struct tav_self *self, uint32_t source, uint32_t track)
{
	const struct events *events = events_of(host_of(self)->run, source);

	return events && track < events->track_count ? events->tracks[track] : NULL;
}

/* The scanner has passed this text, so that json-c can do no harm; it is parsed anew for each key, of which few ask. */
static struct tav_text parse_member(struct run *run, const struct events *events, const char *key)
{
	struct json_tokener *tokener = json_tokener_new_ex(1000);
	struct tav_text text = {"", 0};
	struct json_object *member;
	size_t length;

	if (!tokener)
		return text;
	struct json_object *top =
	        events->top_level_size <= INT32_MAX
	                ? json_tokener_parse_ex(tokener, events->top_level, (int)events->top_level_size)
	                : NULL;
	if (top && json_object_object_get_ex(top, key, &member)) {
		const char *json = json_object_to_json_string_length(
		        member, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &length);

		struct tav_text copy = json ? arena_text(&run->arena, (struct tav_text){json, length}) : text;
		if (copy.data)
			text = copy;
	}
	json_object_put(top);
	json_tokener_free(tokener);
	return text;
}

struct tav_text view_metadata(struct tav_self *self, uint32_t source, const char *key)
{
	struct run *run = host_of(self)->run;
	const struct events *events = events_of(run, source);
	uint32_t inner = store_source(run, source);

	if (!events || !events->top_level || !key)
		return (struct tav_text){"", 0};
	pthread_mutex_lock(&run->lock);
	struct member *member = run->members;
	while (member && (member->source != inner || strcmp(member->key, key)))
		member = member->next;
	struct tav_text text = member ? member->text : parse_member(run, events, key);
	if (!member && (member = arena_alloc(&run->arena, sizeof(*member)))) {
		*member = (struct member){run->members, inner, arena_copy(&run->arena, key, strlen(key)), text};
		if (member->key)
			run->members = member;
	}
	pthread_mutex_unlock(&run->lock);
	return text;
}

void run_forget_views(struct run *run)
{
	for (struct presence *presence = run->presence; presence; presence = presence->next)
		pages_free(&presence->pages);
	run->presence = NULL;
	run->members = NULL;
}
