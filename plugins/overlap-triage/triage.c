/* SPDX-License-Identifier: Apache-2.0 */
/* overlap-triage - which device work is hidden, which is exposed, and what to change first. */
#include "triage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_REFERENCE, RULES_IMPROVED }; /* as the choices */
static const char *const rule_names[] = {"reference", "improved", NULL};
static const char *const phase_choices[] = {"all", "extend", "decode", "mixed", NULL};
static const char known_roots[] =
        "[python/sglang/, sglang/, sgl_kernel/, vllm/, python/tokenspeed/, tokenspeed/, tensorrt_llm/]";

static const struct tav_option options[OPT_COUNT] = {
        [OPT_RULES] = {"rules", TAV_TYPE_CHOICE, 0, "improved", NULL, NULL, rule_names,
                       "reference: as the widely used script decides, its errors included; improved: without them."},
        [OPT_MAPPING] = {"mapping", TAV_TYPE_INPUT, 0, NULL, NULL, NULL, NULL,
                         "A trace of the same work without graph capture, which tells where kernels come from."},
        [OPT_CATEGORIES] = {"categories", TAV_TYPE_FILE, 0, NULL, NULL, NULL, NULL,
                            "Words that tell the kind of a kernel (YAML) instead of those built in."},
        [OPT_SOURCE_ROOTS] = {"source_roots", TAV_TYPE_STRING, TAV_OPT_MANY, known_roots, NULL, NULL, NULL,
                              "Folders of your sources: frames below them are preferred, and paths are cut there."},
        [OPT_DEFAULT_PHASE] = {"default_phase", TAV_TYPE_CHOICE, 0, "all", NULL, NULL, phase_choices,
                               "Phase of every kernel of a file that holds one phase only; all: by annotations."},
        [OPT_PHASE] = {"phase", TAV_TYPE_STRING, 0, NULL, NULL, NULL, NULL,
                       "Only kernels of this phase (prefill, decode, mixed, all) or step (ProfilerStep#3)."},
        [OPT_WINDOW] =
                {"window", TAV_TYPE_WINDOW, 0, NULL, NULL, NULL, NULL,
                 "Only this time of each source, from its first event (10ms..25ms) or as in the file (@TS..@TS)."},
        [OPT_LIMIT] = {"limit", TAV_TYPE_INT, 0, "0", "0", "1000000000", NULL,
                       "Rows of the table `opportunities` for each device at most; 0: all."},
        [OPT_KERNEL_LIMIT] = {"kernel_limit", TAV_TYPE_INT, 0, "50", "0", "1000000000", NULL,
                              "Rows of the table `kernels` for each device at most; 0: all."},
        [OPT_CANDIDATES] = {"candidates", TAV_TYPE_INT, 0, "5", "0", "1000000000", NULL,
                            "Kernels of each kind of opportunity at most; 0: all."},
        [OPT_MIN_TOTAL] = {"min_total", TAV_TYPE_DURATION, 0, "5us", "0ns", NULL, NULL,
                           "A kernel with less time to win is no opportunity (rules: reference: with less in sum)."},
        [OPT_MIN_SHARE] = {"min_share", TAV_TYPE_REAL, 0, "1.0", "0", "100", NULL,
                           "What wins a lower share of the device's busy time, in percent, is no opportunity."},
        [OPT_MIN_EXPOSED] = {"min_exposed", TAV_TYPE_REAL, 0, "0.45", "0", "1", NULL,
                             "With rules: reference, the exposed part of its time (0 to 1) that makes an opportunity."},
        [OPT_MIN_HIDDEN] = {"min_hidden", TAV_TYPE_REAL, 0, "0.65", "0", "1", NULL,
                            "Hidden part of its time (0 to 1) from which cheap work is better left alone."},
        [OPT_TIGHT_MIN] = {"tight_min", TAV_TYPE_DURATION, 0, "2us", "0ns", NULL, NULL,
                           "A gap to the neighbour up to this is always tight."},
        [OPT_TIGHT_MAX] = {"tight_max", TAV_TYPE_DURATION, 0, "20us", "0ns", NULL, NULL,
                           "A longer gap to the neighbour is never tight."},
        [OPT_TIGHT_SHARE] = {"tight_share", TAV_TYPE_REAL, 0, "0.15", "0", "1", NULL,
                             "Between these, a gap up to this part of the kernel's time (0 to 1) is tight."},
        [OPT_NEAR] = {"near", TAV_TYPE_DURATION, 0, "20ms", "0ns", NULL, NULL,
                      "With rules: reference, how far the window may be that gives a kernel its phase."},
        [OPT_SAMPLES] = {"samples", TAV_TYPE_INT, 0, "16", "1", "1000000", NULL,
                         "Kernels of each name whose source is looked up."},
        [OPT_LOOKUP_MIN_CHARS] = {"lookup_min_chars", TAV_TYPE_INT, 0, "12", "0", "100000", NULL,
                                  "Characters that two names must share before one stands for the other."},
        [OPT_LOOKUP_MIN_SHARE] = {"lookup_min_share", TAV_TYPE_REAL, 0, "0.5", "0", "1", NULL,
                                  "Part of the longer name (0 to 1) that must be shared, too."},
};

static const struct tav_field fields[FIELD_COUNT] = {
        [FIELD_STREAM] = {"args.stream", TAV_TYPE_JSON, 0}, /* null, 0 and "0" differ for rules: reference */
        [FIELD_CUDA_STREAM] = {"args.cuda_stream", TAV_TYPE_JSON, 0},
        [FIELD_CORRELATION] = {"args.correlation", TAV_TYPE_STRING, 0},
        [FIELD_EXTERNAL] = {"args.External id", TAV_TYPE_STRING, 0},
};

tav_status no_memory(struct triage *triage)
{
	return tav_fail(triage->self, "not enough memory");
}

/* ---- Options ------------------------------------------------------------------------------------------- */

static void read_phase(struct triage *triage)
{
	struct tav_text text = triage->self->options[OPT_PHASE]->text;

	triage->only_phase = -1;
	if (!text.size)
		return;
	for (int32_t phase = 0; phase < PHASE_COUNT; phase++)
		if (text_is(text, phase_names[phase]))
			triage->only_phase = phase;
	if (text_is(text, "prefill"))
		triage->only_phase = PHASE_EXTEND;
	if (triage->only_phase < 0)
		triage->only_step = text;
}

static tav_status read_categories(struct triage *triage)
{
	struct tav_self *self = triage->self;
	struct tav_text path = self->options[OPT_CATEGORIES]->text;
	char why[512], *data;
	size_t capacity = 64 * 1024, size = 0, got;
	tav_status status;
	FILE *file;

	if (triage->is_reference) {
		categories_reference(&triage->categories);
		return TAV_OK;
	}
	if (!path.size)
		return categories_load(triage, &triage->pool, "built-in categories", (const char *)builtin_categories,
		                       builtin_categories_size);
	file = fopen(path.data, "rb");
	if (!file) {
		snprintf(why, sizeof(why), "cannot be read: %s", strerror(errno));
		return self->host->bad_option(self, OPT_CATEGORIES, why);
	}
	data = malloc(capacity);
	while (data && (got = fread(data + size, 1, capacity - size, file)) > 0) {
		size += got;
		if (size == capacity) {
			char *larger = realloc(data, capacity *= 2);

			if (!larger)
				free(data);
			data = larger;
		}
	}
	if (!data)
		status = no_memory(triage);
	else if (ferror(file))
		status = self->host->bad_option(self, OPT_CATEGORIES, "cannot be read");
	else
		status = categories_load(triage, &triage->pool, path.data, data, size);
	free(data);
	fclose(file);
	return status;
}

static tav_status read_roots(struct triage *triage)
{
	const struct tav_value *roots = triage->self->options[OPT_SOURCE_ROOTS];

	triage->roots = POOL_NEW(&triage->pool, struct tav_text, (size_t)roots->count);
	if (!triage->roots)
		return no_memory(triage);
	for (uint64_t i = 0; i < roots->count; i++) {
		if (!roots->items[i]->text.size)
			continue;
		triage->roots[triage->root_count] = text_keep_lower(triage->self, roots->items[i]->text);
		if (!triage->roots[triage->root_count++].data)
			return no_memory(triage);
	}
	return TAV_OK;
}

static tav_status read_options(struct triage *triage)
{
	const struct tav_value *const *values = triage->self->options;

	triage->default_phase = (uint32_t)values[OPT_DEFAULT_PHASE]->integer;
	triage->limit = (uint64_t)values[OPT_LIMIT]->integer;
	triage->kernel_limit = (uint64_t)values[OPT_KERNEL_LIMIT]->integer;
	triage->candidates = (uint64_t)values[OPT_CANDIDATES]->integer;
	triage->min_total = values[OPT_MIN_TOTAL]->integer;
	triage->min_share = values[OPT_MIN_SHARE]->real;
	triage->min_exposed = values[OPT_MIN_EXPOSED]->real;
	triage->min_hidden = values[OPT_MIN_HIDDEN]->real;
	triage->tight_min = values[OPT_TIGHT_MIN]->integer;
	triage->tight_max = values[OPT_TIGHT_MAX]->integer;
	triage->tight_share = values[OPT_TIGHT_SHARE]->real;
	triage->near = values[OPT_NEAR]->integer;
	triage->samples = (uint32_t)values[OPT_SAMPLES]->integer;
	triage->lookup_min_chars = (uint32_t)values[OPT_LOOKUP_MIN_CHARS]->integer;
	triage->lookup_min_share = values[OPT_LOOKUP_MIN_SHARE]->real;
	read_phase(triage);
	if (read_roots(triage) || read_categories(triage))
		return TAV_FAILED;
	return TAV_OK;
}

/* What the options say lies in the host's memory, and is read-only from here on. */
static tav_status create(struct tav_self *self)
{
	struct triage *triage = self->host->keep(self, sizeof(*triage));

	if (!triage)
		return TAV_FAILED;
	triage->self = self;
	triage->pool.keep = self;
	triage->is_reference = self->options[OPT_RULES]->integer == RULES_REFERENCE;
	if (read_options(triage))
		return TAV_FAILED;
	self->state = triage;
	return TAV_OK;
}

/* ---- A source ------------------------------------------------------------------------------------------ */

/* The window counts from the first event with a time, unless it is absolute. */
static void place_window(struct analysis *analysis)
{
	const struct tav_value *window = analysis->triage->self->options[OPT_WINDOW];
	int64_t first = window->integer ? 0 : analysis->info->first_ns;

	if (!window->text.size)
		return;
	if (window->from_ns == INT64_MIN || __builtin_add_overflow(first, window->from_ns, &analysis->window_start))
		analysis->window_start = window->from_ns < 0 ? INT64_MIN : INT64_MAX - 1;
	if (window->to_ns == INT64_MAX || __builtin_add_overflow(first, window->to_ns, &analysis->window_end))
		analysis->window_end = INT64_MAX;
}

static bool is_of_step(const struct analysis *analysis, const struct kernel *kernel)
{
	uint32_t step = step_of(analysis, kernel);

	return step != UINT32_MAX && text_equal(analysis->steps->steps[step].name, analysis->triage->only_step);
}

/* Leaves the kernels of the chosen phase or step. */
static void restrict_phase(struct analysis *analysis)
{
	const struct triage *triage = analysis->triage;
	size_t devices = 0;

	if (triage->only_phase < 0 && !triage->only_step.size)
		return;
	for (size_t d = 0; d < analysis->device_count; d++) {
		struct device *device = &analysis->devices[d];
		size_t kept = 0;

		for (size_t i = 0; i < device->count; i++) {
			const struct kernel *kernel = &device->kernels[i];

			if (triage->only_phase >= 0 ? kernel->phase == triage->only_phase
			                            : is_of_step(analysis, kernel))
				device->kernels[kept++] = *kernel;
		}
		device->count = kept;
		if (kept)
			analysis->devices[devices++] = *device;
	}
	analysis->device_count = devices;
}

static void close_analysis(struct analysis *analysis)
{
	for (size_t d = 0; d < analysis->device_count; d++) {
		pool_free(&analysis->devices[d].partners.pool);
		pool_free(&analysis->devices[d].pool);
	}
	pool_free(&analysis->map_pool);
	pool_free(&analysis->pool);
}

static tav_status make_all_aggregates(struct analysis *analysis)
{
	for (size_t d = 0; d < analysis->device_count; d++)
		if (make_aggregates(analysis, &analysis->devices[d]))
			return TAV_FAILED;
	return TAV_OK;
}

/* The source maps and the sweep of each device need nothing of each other. */
static tav_status one_part(struct tav_self *self, uint32_t part, void *user)
{
	struct analysis *analysis = user;

	(void)self;
	return part ? sweep_device(analysis, &analysis->devices[part - 1]) : make_source_maps(analysis);
}

static tav_status sweep_only(struct tav_self *self, uint32_t part, void *user)
{
	return one_part(self, part + 1, user);
}

static tav_status analyse(struct analysis *analysis, struct analysis *mapping)
{
	struct tav_self *self = analysis->triage->self;
	tav_status status = find_kernels(analysis);

	if (!status)
		status = find_phases(analysis);
	if (!status) {
		restrict_phase(analysis);
		status = make_all_aggregates(analysis);
	}
	if (!status && mapping)
		status = self->host->parallel(self, (uint32_t)analysis->device_count, sweep_only, analysis);
	else if (!status)
		status = self->host->parallel(self, (uint32_t)analysis->device_count + 1, one_part, analysis);
	for (size_t d = 0; d < analysis->device_count && !status; d++) {
		struct device *device = &analysis->devices[d];

		partners_choose(analysis->triage, &device->partners, device->aggregates);
		pool_free(&device->partners.pool);
	}
	return status ? status : report_source(analysis, mapping ? mapping : analysis);
}

static tav_status analyse_mapping(struct analysis *mapping)
{
	tav_status status = find_kernels(mapping);

	mapping->is_mapping = true;
	if (status)
		return status;
	if (find_phases(mapping) || make_all_aggregates(mapping))
		return TAV_FAILED;
	return make_source_maps(mapping);
}

static tav_status each(struct tav_self *self)
{
	struct triage triage = *(const struct triage *)self->state;
	struct analysis analysis = {0}, mapping = {0};
	int64_t companion = self->options[OPT_MAPPING]->integer;
	bool has_mapping = self->options[OPT_MAPPING]->text.size && companion > 0;
	tav_status status = TAV_OK;

	triage.self = self;
	tav_map_init(&triage.texts, self);
	if (has_mapping && !(status = analysis_open(&triage, (uint32_t)companion, &mapping)))
		status = analyse_mapping(&mapping);
	if (!status && !(status = analysis_open(&triage, 0, &analysis))) {
		place_window(&analysis);
		status = analyse(&analysis, has_mapping ? &mapping : NULL);
	}
	close_analysis(&analysis);
	close_analysis(&mapping);
	return status;
}

/* ---- The stage ----------------------------------------------------------------------------------------- */

static const struct tav_stage triage_stage = {
        .struct_size = sizeof(triage_stage),
        .flags = TAV_STAGE_LINKS,
        .name = "overlap-triage",
        .summary = "Which device work is hidden, which is exposed, and what to change first",
        .help = "For each device: how much of its time is busy, overlapped, or communication without compute beside "
                "it. "
                "For each kernel: how much of its time stands alone, what runs beside it, and which line of Python "
                "launched it. The table `opportunities` ranks what is worth a change by the time it can win, with the "
                "reason in words.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = {triage_pages, TRIAGE_PAGE_COUNT, sizeof(triage_pages[0])},
        .create = create,
        .each = each,
        .combine = combine,
};

static const struct tav_stage *const stages[] = {&triage_stage, NULL};
TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "overlap-triage", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
