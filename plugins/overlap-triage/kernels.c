/* SPDX-License-Identifier: Apache-2.0 */
/* Sections 3 to 6: which events are device work, of which device and stream, under which name. */
#include <string.h>

#include "triage.h"

enum label_predicate { LABEL_NO = 1, LABEL_IF_STREAM, LABEL_YES };
enum { CANCEL_EVERY = 1 << 16 };

/* ---- The columns of a source --------------------------------------------------------------------------- */

tav_status analysis_open(struct triage *triage, uint32_t source, struct analysis *analysis)
{
	struct tav_self *self = triage->self;
	const struct tav_host *host = self->host;
	static const uint32_t fields[] = {FIELD_STREAM, FIELD_CUDA_STREAM, FIELD_NAME};
	const uint32_t **texts[] = {&analysis->stream, &analysis->cuda_stream, &analysis->name_field};

	analysis->triage = triage;
	analysis->source = source;
	analysis->info = host->source(self, source);
	analysis->start = host->column(self, source, TAV_COL_START_NS);
	analysis->end = host->column(self, source, TAV_COL_END_NS);
	analysis->label = host->column(self, source, TAV_COL_LABEL);
	analysis->pid = host->column(self, source, TAV_COL_PID);
	analysis->tid = host->column(self, source, TAV_COL_TID);
	analysis->traits = host->column(self, source, TAV_COL_TRAITS);
	analysis->track = host->column(self, source, TAV_COL_TRACK);
	analysis->phase = host->column(self, source, TAV_COL_PHASE);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		*texts[i] = host->column(self, source, TAV_COL_FIELDS + fields[i]);
	analysis->correlation = host->column(self, source, TAV_COL_FIELDS + FIELD_CORRELATION);
	analysis->external = host->column(self, source, TAV_COL_FIELDS + FIELD_EXTERNAL);
	analysis->correlation_present = host->present(self, source, TAV_COL_FIELDS + FIELD_CORRELATION);
	analysis->external_present = host->present(self, source, TAV_COL_FIELDS + FIELD_EXTERNAL);
	if (!analysis->info || !analysis->start || !analysis->end || !analysis->label || !analysis->pid ||
	    !analysis->tid || !analysis->traits || !analysis->track || !analysis->phase || !analysis->stream ||
	    !analysis->cuda_stream || !analysis->name_field || !analysis->correlation || !analysis->external)
		return tav_fail(self, "a column of source %u is missing", source);
	return TAV_OK;
}

/* ---- Section 3: the reference's predicate -------------------------------------------------------------- */

/* Steps 2 to 7 of the predicate, as far as category and name decide. */
static enum label_predicate judge_label(struct pool *pool, struct tav_text category, struct tav_text name)
{
	static const char *const metadata[] = {"process_name", "thread_name", "process_sort_index",
	                                       "thread_sort_index"};
	static const char *const host_categories[] = {"python_function", "cpu_op", "trace", "annotation", NULL};
	static const char *const prefixes[] = {"void ", "ampere_", "sm80_", "sm90_"};
	struct tav_text normal = text_normal(pool, name), cat = text_normal(pool, category);

	if (!normal.data || !cat.data)
		return LABEL_NO; /* the pool remembers that memory was short */
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

static bool is_interval(const struct analysis *analysis, tav_row row)
{
	return (analysis->traits[row] & TAV_TRAIT_INTERVAL) && analysis->end[row] > analysis->start[row];
}

static bool is_kernel_by_words(struct analysis *analysis, tav_row row)
{
	struct triage *triage = analysis->triage;
	struct label_facts *facts = &triage->labels[analysis->label[row]];

	if (!is_interval(analysis, row) || analysis->phase[row] != 'X')
		return false;
	if (!facts->predicate) {
		struct pool scratch = {0};
		struct tav_text category,
		        name = triage->self->host->label(triage->self, analysis->label[row], &category);

		facts->predicate = (uint8_t)judge_label(&scratch, category, name);
		triage->pool.failed = triage->pool.failed || scratch.failed;
		pool_free(&scratch);
	}
	/* The key counts when it is there, null too. */
	return facts->predicate == LABEL_YES ||
	       (facts->predicate == LABEL_IF_STREAM && (analysis->stream[row] || analysis->cuda_stream[row]));
}

static bool is_kernel(struct analysis *analysis, tav_row row)
{
	if (analysis->triage->rules->kernels == KERNELS_BY_WORDS)
		return is_kernel_by_words(analysis, row);
	return (analysis->traits[row] & TAV_TRAIT_DEVICE) && is_interval(analysis, row);
}

/* ---- Section 4: which process -------------------------------------------------------------------------- */

struct process {
	uint32_t pid;
	int64_t kernel_time;
	size_t count;
};

/* The heaviest process, or the heaviest of those called TP00; the first of equals. NULL: no kernels. */
static const struct process *heaviest(struct triage *triage, const struct process *processes, size_t count)
{
	const struct process *best = NULL;
	bool is_best_rank_zero = false;

	for (size_t i = 0; i < count; i++) {
		bool is_rank_zero = text_has(triage->self->host->value(triage->self, processes[i].pid), "TP00");

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
static struct tav_text if_true(struct triage *triage, uint32_t value)
{
	static const char *const untrue[] = {"null", "0", "\"\"", "false", "0.0", "-0", "-0.0", "[]", "{}"};
	struct tav_text text = triage->self->host->value(triage->self, value);

	for (size_t i = 0; i < sizeof(untrue) / sizeof(untrue[0]); i++)
		if (text_is(text, untrue[i]))
			return (struct tav_text){"", 0};
	if (text.size >= 2 && text.data[0] == '"')
		return (struct tav_text){text.data + 1, text.size - 2};
	return text;
}

/* Thread names by (pid, tid); the last one wins. */
static tav_status find_thread_names(struct analysis *analysis, struct map *names)
{
	struct tav_self *self = analysis->triage->self;

	if (!map_init(names, &analysis->pool, 64))
		return no_memory(analysis->triage);
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		struct tav_text category;
		uint32_t *value;

		if (analysis->phase[row] != 'M' || !analysis->name_field[row] ||
		    !text_is(self->host->label(self, analysis->label[row], &category), "thread_name"))
			continue;
		value = map_add(names, (uint64_t)analysis->pid[row] << 32 | analysis->tid[row], NULL);
		if (!value)
			return no_memory(analysis->triage);
		*value = analysis->name_field[row];
	}
	return TAV_OK;
}

static uint32_t stream_text(struct analysis *analysis, const struct map *thread_names, tav_row row)
{
	struct triage *triage = analysis->triage;
	struct tav_self *self = triage->self;
	struct tav_text text = if_true(triage, analysis->stream[row]);
	const uint32_t *name;
	char thread[256];

	if (!text.size)
		text = if_true(triage, analysis->cuda_stream[row]);
	if (!text.size && (name = map_find(thread_names, (uint64_t)analysis->pid[row] << 32 | analysis->tid[row])))
		text = self->host->value(self, *name);
	if (!text.size) {
		struct tav_text tid = analysis->tid[row] ? self->host->value(self, analysis->tid[row]) : TEXT("None");
		int size =
		        snprintf(thread, sizeof(thread), "tid=%.*s", (int)(tid.size < 200 ? tid.size : 200), tid.data);

		text = (struct tav_text){thread, (size_t)size};
	}
	return texts_add(&triage->texts, text.data, text.size);
}

/* Gives each stream text of a device its number; streams[] in the order of first sight. */
static tav_status number_stream(struct analysis *analysis, struct device *device, struct map *numbers, uint32_t text,
                                uint32_t *number)
{
	bool is_new;
	uint32_t *value = text ? map_add(numbers, text, &is_new) : NULL;

	if (!value)
		return no_memory(analysis->triage);
	if (is_new) {
		if (!pool_grow(&analysis->pool, (void **)&device->streams, &device->stream_capacity,
		               device->stream_count, sizeof(*device->streams)))
			return no_memory(analysis->triage);
		device->streams[device->stream_count] = text;
		*value = device->stream_count++;
	}
	*number = *value;
	return TAV_OK;
}

static tav_status streams_by_value(struct analysis *analysis, struct device *device)
{
	struct map thread_names, numbers;

	if (find_thread_names(analysis, &thread_names))
		return TAV_FAILED;
	if (!map_init(&numbers, &analysis->pool, 64))
		return no_memory(analysis->triage);
	for (size_t i = 0; i < device->count; i++) {
		struct kernel *kernel = &device->kernels[i];
		uint32_t text = stream_text(analysis, &thread_names, kernel->row);

		if (number_stream(analysis, device, &numbers, text, &kernel->stream))
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status streams_by_track(struct analysis *analysis, struct device *device)
{
	struct triage *triage = analysis->triage;
	const struct tav_host *host = triage->self->host;
	uint32_t *numbers = POOL_NEW(&analysis->pool, uint32_t, analysis->info->track_count); /* number + 1 */

	if (!numbers)
		return no_memory(triage);
	for (size_t i = 0; i < device->count; i++) {
		uint32_t track = analysis->track[device->kernels[i].row];

		if (!numbers[track]) {
			const struct tav_track *info = host->track(triage->self, analysis->source, track);
			struct tav_text stream = info->stream ? host->value(triage->self, info->stream) : info->name;
			struct tav_text text = stream;

			if (info->lane.size)
				text = text_format(&triage->pool, "%.*s %.*s", (int)stream.size, stream.data,
				                   (int)info->lane.size, info->lane.data);
			if (!text.data ||
			    !pool_grow(&analysis->pool, (void **)&device->streams, &device->stream_capacity,
			               device->stream_count, sizeof(*device->streams)))
				return no_memory(triage);
			device->streams[device->stream_count] = texts_add(&triage->texts, text.data, text.size);
			if (text.size && !device->streams[device->stream_count])
				return no_memory(triage);
			numbers[track] = ++device->stream_count;
		}
		device->kernels[i].stream = numbers[track] - 1;
	}
	return TAV_OK;
}

/* ---- Records ------------------------------------------------------------------------------------------- */

static tav_status name_kernel(struct analysis *analysis, struct kernel *kernel)
{
	struct triage *triage = analysis->triage;
	struct label_facts *facts = &triage->labels[analysis->label[kernel->row]];

	if (!facts->kernel_name) {
		struct pool scratch = {0};
		struct tav_text category,
		        name = triage->self->host->label(triage->self, analysis->label[kernel->row], &category);
		struct tav_text canonical = text_canonical(&scratch, name);
		bool is_done = canonical.data != NULL;

		if (is_done)
			facts->kernel_name = texts_add(&triage->texts, canonical.data, canonical.size);
		is_done = facts->kernel_name &&
		          category_of(triage, category, name, analysis->traits[kernel->row], &facts->category);
		pool_free(&scratch);
		if (!is_done)
			return no_memory(triage);
	}
	kernel->name = facts->kernel_name;
	kernel->category = facts->category;
	return TAV_OK;
}

static tav_status sort_by_start(struct analysis *analysis, struct device *device)
{
	struct pool scratch = {0};
	struct sort_item *items, *spare;
	struct kernel *sorted;
	bool is_sorted = true;

	for (size_t i = 1; i < device->count && is_sorted; i++)
		is_sorted = device->kernels[i - 1].start <= device->kernels[i].start;
	if (is_sorted)
		return TAV_OK;
	items = POOL_NEW(&scratch, struct sort_item, device->count);
	spare = POOL_NEW(&scratch, struct sort_item, device->count);
	sorted = POOL_NEW(&analysis->pool, struct kernel, device->count);
	if (!items || !spare || !sorted) {
		pool_free(&scratch);
		return no_memory(analysis->triage);
	}
	for (size_t i = 0; i < device->count; i++)
		items[i] = (struct sort_item){sort_key(device->kernels[i].start), (uint32_t)i};
	sort_by_key(items, spare, device->count);
	for (size_t i = 0; i < device->count; i++)
		sorted[i] = device->kernels[items[i].value];
	device->kernels = sorted;
	pool_free(&scratch);
	return TAV_OK;
}

/* Takes an event into its device, cut to the window. */
static tav_status add_kernel(struct analysis *analysis, struct device *device, tav_row row)
{
	struct kernel *kernel = &device->kernels[device->count];

	*kernel = (struct kernel){.start = analysis->start[row], .end = analysis->end[row], .row = row};
	if (analysis->window_start < analysis->window_end) {
		if (kernel->start < analysis->window_start)
			kernel->start = analysis->window_start;
		if (kernel->end > analysis->window_end)
			kernel->end = analysis->window_end;
		if (kernel->end <= kernel->start)
			return TAV_OK;
	}
	device->count++;
	return name_kernel(analysis, kernel);
}

static tav_status finish_device(struct analysis *analysis, struct device *device)
{
	if (analysis->triage->rules->numbers == NUMBERS_BY_START && sort_by_start(analysis, device))
		return TAV_FAILED;
	if (analysis->triage->rules->streams == STREAMS_IF_TRUE)
		return streams_by_value(analysis, device);
	return streams_by_track(analysis, device);
}

/* One device: the heaviest process. */
static tav_status find_heaviest(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	struct process *processes = NULL;
	const struct process *chosen;
	struct device *device;
	size_t count = 0, capacity = 0;
	struct map places;

	if (!map_init(&places, &analysis->pool, 16))
		return no_memory(triage);
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t *place;
		bool is_new;

		if (!(row % CANCEL_EVERY) && triage->self->host->cancelled(triage->self))
			return TAV_CANCELLED;
		if (!is_kernel(analysis, row))
			continue;
		place = map_add(&places, analysis->pid[row], &is_new);
		if (!place ||
		    (is_new && !pool_grow(&analysis->pool, (void **)&processes, &capacity, count, sizeof(*processes))))
			return no_memory(triage);
		if (is_new) {
			processes[count] = (struct process){.pid = analysis->pid[row]};
			*place = (uint32_t)count++;
		}
		processes[*place].kernel_time += analysis->end[row] - analysis->start[row];
		processes[*place].count++;
	}
	if (triage->pool.failed)
		return no_memory(triage);
	chosen = heaviest(triage, processes, count);
	if (!chosen)
		return TAV_OK;
	analysis->devices = POOL_NEW(&analysis->pool, struct device, 1);
	if (!analysis->devices)
		return no_memory(triage);
	device = &analysis->devices[0];
	*device = (struct device){.source = analysis->source, .pid = chosen->pid};
	device->kernels = POOL_NEW(&analysis->pool, struct kernel, chosen->count);
	if (!device->kernels)
		return no_memory(triage);
	for (tav_row row = 0; row < analysis->info->row_count; row++)
		if (analysis->pid[row] == device->pid && is_kernel(analysis, row) && add_kernel(analysis, device, row))
			return TAV_FAILED;
	analysis->device_count = device->count > 0;
	return device->count ? finish_device(analysis, device) : TAV_OK;
}

/* Every device of the source that did some work. */
static tav_status find_each(struct analysis *analysis)
{
	struct triage *triage = analysis->triage;
	const struct tav_host *host = triage->self->host;
	uint32_t device_count = analysis->info->device_count;
	size_t *counts = POOL_NEW(&analysis->pool, size_t, device_count);
	uint32_t *pids = POOL_NEW(&analysis->pool, uint32_t, device_count);
	uint64_t *empty = POOL_NEW(&analysis->pool, uint64_t, device_count);
	uint32_t *devices = POOL_NEW(&analysis->pool, uint32_t, analysis->info->track_count);

	struct device *all = POOL_NEW(&analysis->pool, struct device, device_count);

	analysis->devices = POOL_NEW(&analysis->pool, struct device, device_count);
	if (!counts || !pids || !empty || !devices || !all || !analysis->devices)
		return no_memory(triage);
	for (uint32_t track = 0; track < analysis->info->track_count; track++) {
		const struct tav_track *info = host->track(triage->self, analysis->source, track);

		devices[track] = info->device;
		if (info->device < device_count)
			pids[info->device] = info->pid;
	}
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t device;

		if (!(row % CANCEL_EVERY) && host->cancelled(triage->self))
			return TAV_CANCELLED;
		if (!(analysis->traits[row] & TAV_TRAIT_DEVICE) ||
		    (device = devices[analysis->track[row]]) >= device_count)
			continue;
		if (is_interval(analysis, row))
			counts[device]++;
		else
			empty[device]++;
	}
	for (uint32_t device = 0; device < device_count; device++) {
		struct device *here = &all[device];

		*here = (struct device){.source = analysis->source, .number = device, .pid = pids[device]};
		here->empty_count = empty[device];
		here->kernels = POOL_NEW(&analysis->pool, struct kernel, counts[device]);
		if (!here->kernels)
			return no_memory(triage);
	}
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint32_t device;

		if (!(analysis->traits[row] & TAV_TRAIT_DEVICE) ||
		    (device = devices[analysis->track[row]]) >= device_count || !is_interval(analysis, row))
			continue;
		if (add_kernel(analysis, &all[device], row))
			return TAV_FAILED;
	}
	for (uint32_t device = 0; device < device_count; device++) {
		if (!all[device].count)
			continue; /* it did nothing, or nothing in the window */
		if (finish_device(analysis, &all[device]))
			return TAV_FAILED;
		analysis->devices[analysis->device_count++] = all[device];
	}
	return TAV_OK;
}

tav_status find_kernels(struct analysis *analysis)
{
	return analysis->triage->rules->devices == DEVICES_HEAVIEST ? find_heaviest(analysis) : find_each(analysis);
}
