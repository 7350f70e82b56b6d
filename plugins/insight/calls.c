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
	const void *columns[COLL_FIELD_COUNT];
	const uint64_t *present[COLL_FIELD_COUNT];
	tav_row *noted; /* by value id of an operator: the first record_param_comms with it */
	uint32_t noted_count;
	const uint32_t *operators, *links;
};

static uint32_t text_field(const struct fields *fields, unsigned field, tav_row row)
{
	return ((const uint32_t *)fields->columns[field])[row];
}

static int64_t number_field(const struct fields *fields, unsigned field, tav_row row)
{
	if (fields->present[field] && !bit_is_set(fields->present[field], row))
		return -1;
	return ((const int64_t *)fields->columns[field])[row];
}

static tav_status read_fields(const struct calls *calls, struct fields *fields)
{
	const struct look *look = &calls->look;
	const struct tav_host *host = calls->self->host;
	tav_row rows = look->about->row_count;

	for (unsigned i = 0; i < COLL_FIELD_COUNT; i++) {
		fields->columns[i] = host->column(calls->self, 0, TAV_COL_FIELDS + i);
		fields->present[i] = host->present(calls->self, 0, TAV_COL_FIELDS + i);
		if (!fields->columns[i])
			return tav_fail(calls->self, "a field of collectives was not read");
	}
	fields->operators = host->column(calls->self, 0, TAV_COL_OPERATOR);
	fields->links = host->column(calls->self, 0, TAV_COL_LINK);
	if (!fields->operators || !fields->links)
		return tav_fail(calls->self, "the numbers of operators were not read");
	for (tav_row row = 0; row < rows; row++)
		if (text_field(fields, COLL_FIELD_NAME, row) && fields->operators[row] >= fields->noted_count)
			fields->noted_count = fields->operators[row] + 1;
	fields->noted = take(calls->self, (uint64_t)fields->noted_count + 1, sizeof(*fields->noted));
	if (!fields->noted)
		return TAV_FAILED;
	for (uint32_t i = 0; i < fields->noted_count; i++)
		fields->noted[i] = TAV_NONE;
	for (tav_row row = 0; row < rows; row++) {
		uint32_t id = fields->operators[row];

		if (text_field(fields, COLL_FIELD_NAME, row) && id && fields->noted[id] == TAV_NONE &&
		    !(look->traits[row] & TAV_TRAIT_DEVICE) &&
		    tav_text_is(name_of_row(look, row), "record_param_comms"))
			fields->noted[id] = row;
	}
	return TAV_OK;
}

/* The row with what is recorded of a collective: its own, or that of its operator; TAV_NONE: nothing is. */
static tav_row metadata_row(const struct fields *fields, tav_row row)
{
	uint32_t id = fields->operators[row];

	if (text_field(fields, COLL_FIELD_NAME, row))
		return row;
	return id && id < fields->noted_count && id != fields->links[row] ? fields->noted[id] : TAV_NONE;
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

static void describe(const struct calls *calls, const struct fields *fields, struct call *call)
{
	const struct tav_host *host = calls->self->host;
	tav_row row = row_of(&calls->look, call->place), noted = metadata_row(fields, row);
	struct tav_text kernel = name_of_row(&calls->look, row), split;

	call->bytes = call->size = call->recorded = -1;
	call->has_metadata = noted != TAV_NONE;
	if (noted == TAV_NONE) {
		const char *bracket = kernel.size ? memchr(kernel.data, '(', kernel.size) : NULL;

		call->type = find_type(kernel);
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
	int64_t *from, *to, *before;
	uint64_t count;
};

static tav_status cover_of(const struct look *look, uint32_t device, struct cover *cover)
{
	uint64_t at = look->first[device], last = look->first[device + 1], size = last - at + 1;
	int64_t sum = 0;

	cover->count = 0;
	cover->from = take(look->self, size, sizeof(*cover->from));
	cover->to = take(look->self, size, sizeof(*cover->to));
	cover->before = take(look->self, size, sizeof(*cover->before));
	if (!cover->from || !cover->to || !cover->before)
		return TAV_FAILED;
	for (; at < last; at++) {
		tav_row row = row_of(look, look->places[at]);
		uint64_t end = cover->count - 1;

		if (look->kind[row] != TAV_KIND_COMPUTE)
			continue;
		if (cover->count && look->start[row] <= cover->to[end]) {
			cover->to[end] = look->end[row] > cover->to[end] ? look->end[row] : cover->to[end];
			continue;
		}
		cover->from[cover->count] = look->start[row];
		cover->to[cover->count++] = look->end[row];
	}
	for (uint64_t i = 0; i < cover->count; i++) {
		cover->before[i] = sum;
		sum = tav_sum(sum, span_ns(cover->from[i], cover->to[i]));
	}
	return TAV_OK;
}

/* How much compute lies before `at`. */
static int64_t covered(const struct cover *cover, int64_t at)
{
	uint64_t low = 0, high = cover->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (cover->from[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	return tav_sum(cover->before[low - 1],
	               span_ns(cover->from[low - 1], at < cover->to[low - 1] ? at : cover->to[low - 1]));
}

/* ---- Numbers: 1, 2... within (device, group, ranks, name), by what the file says where it says so of all, else by
 * start */
static int by_key(const void *context, uint32_t a, uint32_t b)
{
	const struct calls *calls = context;
	const struct call *x = &calls->items[a], *y = &calls->items[b];

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->ranks != y->ranks)
		return x->ranks < y->ranks ? -1 : 1;
	if (x->name_number != y->name_number)
		return x->name_number < y->name_number ? -1 : 1;
	return (x->has_metadata > y->has_metadata) - (x->has_metadata < y->has_metadata);
}

static int by_record(const void *context, uint32_t a, uint32_t b)
{
	const struct calls *calls = context;
	int64_t x = calls->items[a].recorded, y = calls->items[b].recorded;

	return (x > y) - (x < y);
}

/* Kernels have few names, so each label is looked up once; types are few texts anyway. */
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

static tav_status number_calls(struct calls *calls)
{
	uint32_t *sorted = take(calls->self, calls->count + 1, sizeof(*sorted));

	if (!sorted)
		return TAV_FAILED;
	tav_map_init(&calls->names, calls->self);
	calls->name_of_label = take(calls->self, (uint64_t)calls->look.label_count + 1, sizeof(*calls->name_of_label));
	if (!calls->name_of_label || number_names(calls))
		return TAV_FAILED;
	for (uint64_t i = 0; i < calls->count; i++)
		sorted[i] = (uint32_t)i;
	if (sort_places(calls->self, sorted, calls->count, by_key, calls))
		return TAV_FAILED;
	for (uint64_t from = 0, to; from < calls->count; from = to) {
		bool is_recorded = true;

		for (to = from; to < calls->count && !by_key(calls, sorted[from], sorted[to]); to++)
			is_recorded &= calls->items[sorted[to]].recorded >= 0;
		if (is_recorded && sort_places(calls->self, sorted + from, to - from, by_record, calls))
			return TAV_FAILED;
		for (uint64_t i = from; i < to; i++)
			calls->items[sorted[i]].seq = (int64_t)(i - from) + 1;
	}
	return TAV_OK;
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
	if (!calls->items || read_fields(calls, &fields))
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
