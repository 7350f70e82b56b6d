/* SPDX-License-Identifier: Apache-2.0 */
/* The collectives of one source, with what is recorded of them: on the kernel itself, or on the operator that it names.
 */
#include "collectives.h"

const char *const type_names[TYPE_COUNT] = {
        "reducescatter", "allgather", "allreduce", "alltoall", "sendrecv", "broadcast", "reduce",
        "barrier",       "gather",    "scatter",   "send",     "recv",     "unknown",
};

/* A name in lower case and without underscores: all_reduce, AllReduce and allreduce are one. */
static size_t fold(char out[256], struct tav_text name)
{
	size_t used = 0;

	for (size_t i = 0; i < name.size && used < 255; i++)
		if (name.data[i] != '_')
			out[used++] = name.data[i] >= 'A' && name.data[i] <= 'Z' ? (char)(name.data[i] - 'A' + 'a')
			                                                         : name.data[i];
	out[used] = '\0';
	return used;
}

static enum type find_type(struct tav_text name)
{
	static const struct {
		const char *word;
		enum type type;
	} words[] = {{"reducescatter", TYPE_REDUCESCATTER},
	             {"allgather", TYPE_ALLGATHER},
	             {"allreduce", TYPE_ALLREDUCE},
	             {"crossdevicereduce", TYPE_ALLREDUCE},
	             {"alltoall", TYPE_ALLTOALL},
	             {"a2a", TYPE_ALLTOALL},
	             {"sendrecv", TYPE_SENDRECV},
	             {"broadcast", TYPE_BROADCAST},
	             {"reduce", TYPE_REDUCE},
	             {"barrier", TYPE_BARRIER},
	             {"gather", TYPE_GATHER},
	             {"scatter", TYPE_SCATTER},
	             {"send", TYPE_SEND},
	             {"recv", TYPE_RECV}};
	char text[256];

	fold(text, name);
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i].word))
			return words[i].type;
	return TYPE_UNKNOWN;
}

enum type type_of_name(struct tav_text name)
{
	for (unsigned i = 0; i < TYPE_UNKNOWN; i++)
		if (tav_text_is(name, type_names[i]))
			return (enum type)i;
	return TYPE_UNKNOWN;
}

/* Bytes of an element; 0: unknown. */
static int64_t element_size(struct tav_text dtype)
{
	static const struct {
		const char *name;
		int64_t size;
	} sizes[] = {{"float", 4},         {"double", 8},      {"half", 2},          {"bfloat16", 2},
	             {"c10::bfloat16", 2}, {"c10::half", 2},   {"byte", 1},          {"char", 1},
	             {"bool", 1},          {"short", 2},       {"int", 4},           {"long", 8},
	             {"float8_e4m3fn", 1}, {"float8_e5m2", 1}, {"unsigned char", 1}, {"long int", 8}};

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (dtype.size == strlen(sizes[i].name) && !strncasecmp(dtype.data, sizes[i].name, dtype.size))
			return sizes[i].size;
	return 0;
}

struct fields {
	const void *columns[COLL_FIELD_COUNT]; /* NULL: no event has it */
	const uint64_t *present[COLL_FIELD_COUNT];
	tav_row *noted; /* by value id of an operator: 1 + the first record_param_comms with it */
	uint32_t noted_count;
	const uint32_t *operators, *links; /* NULL: nothing is noted */
};

/* 0: none. */
static uint32_t text_field(const struct fields *fields, unsigned field, tav_row row)
{
	return fields->columns[field] ? ((const uint32_t *)fields->columns[field])[row] : 0;
}

/* -1: none. */
static int64_t number_field(const struct fields *fields, unsigned field, tav_row row)
{
	if (!fields->columns[field] || !bit_is_set(fields->present[field], row))
		return -1;
	return ((const int64_t *)fields->columns[field])[row];
}

/* Operators with what is recorded of a collective, by their number; where nothing is recorded no number is asked for.
 */
static tav_status find_noted(const struct calls *calls, struct fields *fields)
{
	const struct look *look = &calls->look;
	const struct tav_host *host = calls->self->host;
	const uint64_t *is_noted = fields->present[COLL_FIELD_NAME];
	tav_row rows = look->about->row_count;

	if (!fields->columns[COLL_FIELD_NAME])
		return TAV_OK;
	fields->operators = host->column(calls->self, 0, TAV_COL_OPERATOR);
	fields->links = host->column(calls->self, 0, TAV_COL_LINK);
	if (!fields->operators || !fields->links)
		return tav_fail(calls->self, "the numbers of operators were not read");
	TAV_FOR_BITS(row, is_noted, rows)
	if (fields->operators[row] >= fields->noted_count)
		fields->noted_count = fields->operators[row] + 1;
	fields->noted = take(calls->self, (uint64_t)fields->noted_count + 1, sizeof(*fields->noted));
	if (!fields->noted)
		return TAV_FAILED;
	TAV_FOR_BITS(row, is_noted, rows)
	{
		tav_row *noted = &fields->noted[fields->operators[row]];

		if (!*noted && fields->operators[row] && !(look->traits[row] & TAV_TRAIT_DEVICE) &&
		    tav_text_is(name_of_row(look, (tav_row)row), "record_param_comms"))
			*noted = (tav_row)row + 1;
	}
	return TAV_OK;
}

static tav_status read_fields(const struct calls *calls, struct fields *fields)
{
	const struct tav_host *host = calls->self->host;

	for (unsigned i = 0; i < COLL_FIELD_COUNT; i++) {
		fields->present[i] = host->present(calls->self, 0, TAV_COL_FIELDS + i);
		if (tav_bit_next(fields->present[i], 0, calls->look.about->row_count) == calls->look.about->row_count)
			continue;
		fields->columns[i] = host->column(calls->self, 0, TAV_COL_FIELDS + i);
		if (!fields->columns[i])
			return tav_fail(calls->self, "a field of collectives was not read");
	}
	return find_noted(calls, fields);
}

/* The row with what is recorded of a collective: its own, or that of its operator; TAV_NONE: nothing is. */
static tav_row metadata_row(const struct fields *fields, tav_row row)
{
	uint32_t id = fields->operators ? fields->operators[row] : 0;

	if (text_field(fields, COLL_FIELD_NAME, row))
		return row;
	return id && id < fields->noted_count && id != fields->links[row] && fields->noted[id] ? fields->noted[id] - 1
	                                                                                       : TAV_NONE;
}

static int64_t count_bytes(const struct calls *calls, const struct fields *fields, tav_row noted,
                           const struct call *call)
{
	int64_t in = number_field(fields, COLL_FIELD_IN, noted), out = number_field(fields, COLL_FIELD_OUT, noted);
	int64_t element = call->dtype ? element_size(calls->self->host->value(calls->self, 0, call->dtype)) : 0, bytes;

	if (!element || in < 0 || out < 0)
		return -1;
	if (out > in && (call->type == TYPE_ALLGATHER || call->type == TYPE_REDUCESCATTER))
		in = out;
	return __builtin_mul_overflow(element, in, &bytes) ? -1 : bytes;
}

/* Kernels have few names, so what one stands for is found once for its label. */
static enum type type_of_kernel(const struct calls *calls, tav_row row)
{
	uint8_t *known = &calls->type_of_label[calls->look.label[row]];

	if (!*known)
		*known = (uint8_t)(1 + find_type(name_of_row(&calls->look, row)));
	return (enum type)(*known - 1);
}

static void describe(const struct calls *calls, const struct fields *fields, struct call *call)
{
	const struct tav_host *host = calls->self->host;
	tav_row row = row_of(&calls->look, call->place), noted = metadata_row(fields, row);
	struct tav_text split;

	call->bytes = call->size = call->recorded = -1;
	call->has_metadata = noted != TAV_NONE;
	if (noted == TAV_NONE) {
		struct tav_text kernel = name_of_row(&calls->look, row);
		const char *bracket = kernel.size ? memchr(kernel.data, '(', kernel.size) : NULL;

		call->type = type_of_kernel(calls, row);
		call->name = (struct tav_text){kernel.data, bracket ? (size_t)(bracket - kernel.data) : kernel.size};
		call->group = text_field(fields, COLL_FIELD_NATIVE_GROUP, row);
		return;
	}
	call->type = find_type(host->value(calls->self, 0, text_field(fields, COLL_FIELD_NAME, noted)));
	call->name = tav_text_of(type_names[call->type]);
	call->group = text_field(fields, COLL_FIELD_GROUP, noted);
	if (!call->group)
		call->group = text_field(fields, COLL_FIELD_GROUP_ID, noted);
	if (!call->group)
		call->group = text_field(fields, COLL_FIELD_NATIVE_GROUP, row);
	call->ranks = text_field(fields, COLL_FIELD_RANKS, noted);
	call->dtype = text_field(fields, COLL_FIELD_DTYPE, noted);
	call->size = number_field(fields, COLL_FIELD_SIZE, noted);
	call->recorded = number_field(fields, COLL_FIELD_SEQ, noted);
	call->bytes = count_bytes(calls, fields, noted, call);
	split = host->value(calls->self, 0, text_field(fields, COLL_FIELD_SPLIT, noted));
	call->is_split = call->type == TYPE_ALLTOALL && split.size && !tav_text_is(split, "[]");
}

/* ---- Time not hidden under compute: the device's compute as apart pieces, with what lies before each
 * ------------------ */
struct cover {
	int64_t *from, *before; /* of the piece at `count` only `before`: all of them */
	uint64_t count;
};

static tav_status cover_of(const struct look *look, uint32_t device, struct cover *cover)
{
	uint64_t at = look->first[device], last = look->first[device + 1], size = last - at + 2;
	int64_t sum = 0, from = 0, to = 0;
	bool is_open = false;

	cover->from = take(look->self, size, sizeof(*cover->from));
	cover->before = take(look->self, size, sizeof(*cover->before));
	if (!cover->from || !cover->before)
		return TAV_FAILED;
	for (cover->count = 0; at < last; at++) {
		tav_row row = row_of(look, look->places[at]);

		if (look->kind[row] != TAV_KIND_COMPUTE)
			continue;
		if (is_open && look->start[row] <= to) {
			to = look->end[row] > to ? look->end[row] : to;
			continue;
		}
		sum = is_open ? tav_sum(sum, span_ns(from, to)) : 0;
		is_open = true;
		from = look->start[row];
		to = look->end[row];
		cover->from[cover->count] = from;
		cover->before[cover->count++] = sum;
	}
	cover->before[cover->count] = is_open ? tav_sum(sum, span_ns(from, to)) : 0;
	return TAV_OK;
}

/* How much compute lies before `at`. */
static int64_t covered(const struct cover *cover, int64_t at)
{
	uint64_t low = 0, high = cover->count;
	int64_t length, into;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (cover->from[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	length = cover->before[low] - cover->before[low - 1];
	into = span_ns(cover->from[low - 1], at);
	return cover->before[low - 1] + (into < length ? into : length);
}

/* ---- Numbers: 1, 2... within (device, group, ranks, name), by what the file says where it says so of all, else by
 * start */
struct series {         /* calls of one key */
	uint64_t count; /* so far */
	uint64_t first; /* its place where series follow each other */
	bool is_recorded;
};

static int by_record(const void *context, uint32_t a, uint32_t b)
{
	const struct calls *calls = context;
	int64_t x = calls->items[a].recorded, y = calls->items[b].recorded;

	return (x > y) - (x < y);
}

/* Types are few texts, so each label is looked up once. */
static tav_status number_names(struct calls *calls)
{
	for (uint64_t i = 0; i < calls->count; i++) {
		struct call *call = &calls->items[i];
		uint32_t *known = &calls->name_of_label[calls->look.label[row_of(&calls->look, call->place)]];

		if (call->has_metadata || !*known) {
			call->name_number = tav_map_text(&calls->names, call->name);
			if (call->name_number == TAV_NONE)
				return TAV_FAILED;
			if (!call->has_metadata)
				*known = call->name_number + 1;
		} else {
			call->name_number = *known - 1;
		}
	}
	return TAV_OK;
}

/* A number for what a call has in common with those of its series, two parts of its key at a time; TAV_NONE: failed. */
static uint32_t series_of(struct tav_map maps[3], const struct call *call)
{
	uint32_t device = tav_map_number(&maps[0], (uint64_t)call->device << 32 | call->group), key;

	if (device == TAV_NONE)
		return TAV_NONE;
	key = tav_map_number(&maps[1], (uint64_t)device << 32 | call->ranks);
	if (key == TAV_NONE)
		return TAV_NONE;
	return tav_map_number(&maps[2], (uint64_t)key << 32 | (uint64_t)call->name_number << 1 | call->has_metadata);
}

/* Calls come by start, so that each is the next of its series; recorded series are put in another order behind that. */
static tav_status number_recorded(struct calls *calls, const uint32_t *series_of_call, struct series *series,
                                  uint32_t count)
{
	uint32_t *sorted = take(calls->self, calls->count + 1, sizeof(*sorted));
	uint64_t at = 0;

	if (!sorted)
		return TAV_FAILED;
	for (uint32_t i = 0; i < count; i++) {
		series[i].first = at;
		at += series[i].count;
		series[i].count = 0;
	}
	for (uint64_t i = 0; i < calls->count; i++) {
		struct series *of = &series[series_of_call[i]];

		sorted[of->first + of->count++] = (uint32_t)i;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!series[i].is_recorded)
			continue;
		if (sort_places(calls->self, sorted + series[i].first, series[i].count, by_record, calls))
			return TAV_FAILED;
		for (uint64_t k = 0; k < series[i].count; k++)
			calls->items[sorted[series[i].first + k]].seq = (int64_t)k + 1;
	}
	return TAV_OK;
}

static tav_status number_calls(struct calls *calls)
{
	struct tav_self *self = calls->self;
	uint32_t *series_of_call = take(self, calls->count + 1, sizeof(*series_of_call));
	struct series *series = take(self, calls->count + 1, sizeof(*series));
	struct tav_map maps[3];
	bool is_any_recorded = false;

	tav_map_init(&calls->names, self);
	for (unsigned i = 0; i < 3; i++)
		tav_map_init(&maps[i], self);
	calls->name_of_label = take(self, (uint64_t)calls->look.label_count + 1, sizeof(*calls->name_of_label));
	if (!series_of_call || !series || !calls->name_of_label || number_names(calls))
		return TAV_FAILED;
	for (uint64_t i = 0; i < calls->count; i++) {
		struct call *call = &calls->items[i];
		struct series *of;

		series_of_call[i] = series_of(maps, call);
		if (series_of_call[i] == TAV_NONE)
			return TAV_FAILED;
		of = &series[series_of_call[i]];
		of->is_recorded = (!of->count || of->is_recorded) && call->recorded >= 0;
		call->seq = (int64_t)++of->count;
		is_any_recorded = is_any_recorded || call->recorded >= 0;
	}
	return is_any_recorded ? number_recorded(calls, series_of_call, series, maps[2].count) : TAV_OK;
}

tav_status calls_find(struct calls *calls)
{
	const struct look *look = &calls->look;
	struct fields fields = {0};
	uint64_t at = 0;

	for (uint64_t i = 0; i < look->first[look->device_count]; i++)
		calls->count += look->kind[row_of(look, look->places[i])] == TAV_KIND_COMMUNICATION;
	if (!calls->count)
		return TAV_OK;
	calls->items = take(calls->self, calls->count, sizeof(*calls->items));
	calls->type_of_label = take(calls->self, (uint64_t)look->label_count + 1, sizeof(*calls->type_of_label));
	if (!calls->items || !calls->type_of_label || read_fields(calls, &fields))
		return TAV_FAILED;
	for (uint32_t device = 0; device < look->device_count; device++) {
		struct cover cover = {0};

		for (uint64_t i = look->first[device]; i < look->first[device + 1]; i++) {
			tav_row row = row_of(look, look->places[i]);
			struct call *call = &calls->items[at];

			if (look->kind[row] != TAV_KIND_COMMUNICATION)
				continue;
			if (!cover.from && cover_of(look, device, &cover))
				return TAV_FAILED;
			at++;
			call->place = look->places[i];
			call->device = device;
			describe(calls, &fields, call);
			call->exposed_ns = call_ns(calls, call) -
			                   (covered(&cover, look->end[row]) - covered(&cover, look->start[row]));
		}
	}
	return number_calls(calls);
}
