/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections 3 to 5 as the reference has them: device work told by words, one process, streams by what is true of them,
 * and the ids of operators through correlations of the whole file.
 */
#include <string.h>

#include "triage.h"

enum label_predicate { LABEL_NO = 1, LABEL_IF_STREAM, LABEL_YES };

/* ---- Section 3: the reference's predicate -------------------------------------------------------------- */

/* Steps 2 to 7 of the predicate, as far as category and name decide. */
static enum label_predicate judge_label(struct tav_self *self, struct tav_text category, struct tav_text name)
{
	static const char *const metadata[] = {"process_name", "thread_name", "process_sort_index",
	                                       "thread_sort_index"};
	static const char *const host_categories[] = {"python_function", "cpu_op", "trace", "annotation", NULL};
	static const char *const prefixes[] = {"void ", "ampere_", "sm80_", "sm90_"};
	struct tav_text normal = text_normal(self, name), cat = text_normal(self, category);

	if (!normal.data || !cat.data)
		return 0;
	for (size_t i = 0; i < sizeof(metadata) / sizeof(metadata[0]); i++)
		if (text_is(normal, metadata[i]))
			return LABEL_NO;
	if (text_has_any_lower(cat, host_categories) || text_starts_lower(normal, "## call "))
		return LABEL_NO;
	if (text_has_lower(cat, "kernel") || text_starts_lower(cat, "gpu_"))
		return LABEL_YES;
	if (text_has_lower(normal, ".py(") || text_starts_lower(normal, "python/") ||
	    text_starts_lower(normal, "nn.module:"))
		return LABEL_NO;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (text_starts_lower(normal, prefixes[i]))
			return LABEL_IF_STREAM;
	return has_kernel_hint(normal) ? LABEL_IF_STREAM : LABEL_NO;
}

static bool is_kernel(struct analysis *analysis, tav_row row)
{
	struct label_facts *facts = &analysis->labels[analysis->label[row]];

	if (!is_interval(analysis, row) || analysis->phase[row] != 'X')
		return false;
	if (!facts->predicate) {
		struct tav_text category, name = label_of(analysis, row, &category);

		facts->predicate = (uint8_t)judge_label(analysis->triage->self, category, name);
		if (!facts->predicate)
			return false; /* no memory: asked again, and told by who adds the kernel */
	}
	/* The key counts when it is there, null too. */
	return facts->predicate == LABEL_YES ||
	       (facts->predicate == LABEL_IF_STREAM && (analysis->stream[row] || analysis->cuda_stream[row]));
}

/* ---- Section 4: which process -------------------------------------------------------------------------- */

struct process {
	uint32_t pid;
	int64_t kernel_time;
	size_t count;
};

/* The heaviest process, or the heaviest of those called TP00; the first of equals. NULL: no kernels. */
static const struct process *heaviest(const struct analysis *analysis, const struct process *processes, size_t count)
{
	const struct process *best = NULL;
	bool is_best_rank_zero = false;

	for (size_t i = 0; i < count; i++) {
		bool is_rank_zero = text_has(value_of(analysis, processes[i].pid), "TP00");

		if (!best || (is_rank_zero && !is_best_rank_zero) ||
		    (is_rank_zero == is_best_rank_zero && processes[i].kernel_time > best->kernel_time)) {
			best = &processes[i];
			is_best_rank_zero = is_rank_zero;
		}
	}
	return best;
}

/* ---- Section 5: streams -------------------------------------------------------------------------------- */

/* The text of a JSON scalar when it is true in the sense of the script; size 0: it is not. */
static struct tav_text if_true(const struct analysis *analysis, uint32_t value)
{
	static const char *const untrue[] = {"null", "0", "\"\"", "false", "0.0", "-0", "-0.0", "[]", "{}"};
	struct tav_text text = value_of(analysis, value);

	for (size_t i = 0; i < sizeof(untrue) / sizeof(untrue[0]); i++)
		if (text_is(text, untrue[i]))
			return (struct tav_text){"", 0};
	if (text.size >= 2 && text.data[0] == '"')
		return (struct tav_text){text.data + 1, text.size - 2};
	return text;
}

static struct tav_text stream_text(const struct analysis *analysis, tav_row row)
{
	struct tav_self *self = analysis->triage->self;
	struct tav_text text = if_true(analysis, analysis->stream[row]), tid;

	if (!text.size)
		text = if_true(analysis, analysis->cuda_stream[row]);
	if (!text.size)
		text = self->host->name_of(self, analysis->source, analysis->pid[row], analysis->tid[row]);
	if (text.size)
		return text;
	tid = analysis->tid[row] ? value_of(analysis, analysis->tid[row]) : TEXT("None");
	return text_format(self, "tid=%.*s", (int)(tid.size < 200 ? tid.size : 200), tid.data);
}

static tav_status streams_by_value(struct analysis *analysis, struct device *device)
{
	struct tav_map streams;

	tav_map_init(&streams, analysis->triage->self);
	for (size_t i = 0; i < device->count; i++) {
		struct tav_text text = stream_text(analysis, device->kernels[i].row);
		uint32_t number = text.data ? tav_map_text(&streams, text) : TAV_NONE;

		if (number == TAV_NONE)
			return TAV_FAILED;
		device->kernels[i].stream = number;
	}
	device->stream_count = streams.count;
	return TAV_OK;
}

/* ---- The kernels --------------------------------------------------------------------------------------- */

/* One device: the heaviest process. */
tav_status reference_kernels(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	struct process *processes = NULL;
	const struct process *chosen;
	struct device *device;
	size_t count = 0, capacity = 0;
	struct tav_map places;

	tav_map_init(&places, triage->self);
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t place;

		if (!(row % CANCEL_EVERY) && triage->self->host->cancelled(triage->self))
			return TAV_CANCELLED;
		if (!is_kernel(analysis, row))
			continue;
		place = tav_map_number(&places, analysis->pid[row]);
		if (place == TAV_NONE || (place == count && !pool_grow(&analysis->pool, (void **)&processes, &capacity,
		                                                       count, sizeof(*processes))))
			return no_memory(triage);
		if (place == count)
			processes[count++] = (struct process){.pid = analysis->pid[row]};
		processes[place].kernel_time += analysis->end[row] - analysis->start[row];
		processes[place].count++;
	}
	chosen = heaviest(analysis, processes, count);
	if (!chosen)
		return TAV_OK;
	analysis->devices = POOL_NEW(&analysis->pool, struct device, 1);
	if (!analysis->devices)
		return no_memory(triage);
	device = &analysis->devices[0];
	*device = (struct device){.pid = chosen->pid};
	device->kernels = POOL_NEW(&analysis->pool, struct kernel, chosen->count);
	if (!device->kernels)
		return no_memory(triage);
	for (tav_row row = 0; row < analysis->info->row_count; row++)
		if (analysis->pid[row] == device->pid && is_kernel(analysis, row) && add_kernel(analysis, device, row))
			return TAV_FAILED;
	analysis->device_count = device->count > 0;
	return device->count ? streams_by_value(analysis, device) : TAV_OK;
}

/* ---- Ids of operators ---------------------------------------------------------------------------------- */

/* A whole number, as "5", "+5" or "5.0"; false: the value is none. */
static bool read_number(const struct analysis *analysis, uint32_t value, int64_t *number)
{
	struct tav_text text = value ? value_of(analysis, value) : TEXT("");
	bool is_negative = text.size && text.data[0] == '-';
	size_t i = text.size && (text.data[0] == '-' || text.data[0] == '+'), first = i;

	for (*number = 0; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; i++)
		if (__builtin_mul_overflow(*number, 10, number) ||
		    __builtin_sub_overflow(*number, text.data[i] - '0', number))
			return false;
	if (i == first || (!is_negative && *number == INT64_MIN))
		return false;
	if (!is_negative)
		*number = -*number;
	for (i += i < text.size && text.data[i] == '.'; i < text.size; i++)
		if (text.data[i] != '0')
			return false;
	return true;
}

/* May this correlation be a key of a map? */
bool reference_correlation(const struct analysis *analysis, tav_row row, uint64_t *key)
{
	int64_t number;
	bool is_number = read_number(analysis, analysis->correlation[row], &number);

	*key = (uint64_t)number;
	return is_number && *key != UINT64_MAX;
}

bool reference_external(const struct analysis *analysis, tav_row row, int64_t *id)
{
	return read_number(analysis, analysis->external[row], id);
}

tav_status reference_ids(struct analysis *analysis, struct pool *pool, const struct tav_map *places, int64_t **ids)
{
	*ids = POOL_NEW(pool, int64_t, places->count);
	if (!*ids)
		return no_memory(analysis->triage);
	for (uint32_t i = 0; i < places->count; i++)
		(*ids)[i] = -1;
	for (tav_row row = 0; row < analysis->info->row_count && places->count; row++) {
		uint32_t place;
		uint64_t key;
		int64_t id;

		if (reference_external(analysis, row, &id) && reference_correlation(analysis, row, &key) &&
		    (place = tav_map_find_number(places, key)) != TAV_NONE)
			(*ids)[place] = id;
	}
	return TAV_OK;
}

bool reference_id(const struct analysis *analysis, tav_row row, const struct tav_map *places, const int64_t *ids,
                  int64_t *id)
{
	uint32_t place;
	uint64_t key;

	if (!reference_external(analysis, row, id)) {
		*id = -1;
		if (reference_correlation(analysis, row, &key) &&
		    (place = tav_map_find_number(places, key)) != TAV_NONE)
			*id = ids[place];
	}
	return *id != -1;
}
