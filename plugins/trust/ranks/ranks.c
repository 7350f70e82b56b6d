/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranks - do the traces of several ranks fit together? each() writes down what a trace says of itself, combine() judges
 * all of them; of one source it says nothing. Collectives are matched by the stage collectives.
 */
#include "ranks.h"

const struct trust_check *const ranks_checks[] = {&check_rank_once.check, &check_rank_all.check,
                                                  &check_rank_clock.check, &check_same_steps.check, NULL};
static const struct rank_check *const judges[] = {&check_rank_once, &check_rank_all, &check_rank_clock,
                                                  &check_same_steps};

static const struct tav_option options[] = {
        [OPT_ALL_RANKS] = {"all_ranks", TAV_TYPE_BOOL, TAV_OPT_LATE, "true", NULL, NULL, NULL,
                           "false: traces of some ranks are enough (rank_all)."},
        [OPT_MAX_STEPS] = {"max_steps", TAV_TYPE_INT, 0, "10000", "0", "10000000", NULL,
                           "Keep the names of so many steps of a trace; of more same_steps cannot tell."},
};

/* ---- One trace -------------------------------------------------------------------------------------------------- */

/* First start to last end of what can be believed; spans of the recording itself left out. */
static bool find_time(const struct trust *trust, struct span *time)
{
	*time = (struct span){INT64_MAX, INT64_MIN};
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (!is_interval(trust, row) || !is_believable(trust, row) || word_of(trust, row) & WORD_RECORDING)
			continue;
		time->from = trust->start[row] < time->from ? trust->start[row] : time->from;
		time->to = trust->end[row] > time->to ? trust->end[row] : time->to;
	}
	return time->from <= time->to;
}

static tav_status tell_recording(struct trust *trust, uint64_t step_count)
{
	struct tav_text base = trust->host->metadata(trust->self, 0, "baseTimeNanoseconds");
	struct tav_sheet sheet;
	struct span time;
	uint32_t column;

	tav_sheet_init(&sheet, trust->self, 1);
	sheet.show = TAV_SHOW_DATA;
	column = tav_sheet_column(&sheet, "start_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	if (find_time(trust, &time))
		tav_sheet_int(&sheet, column, 0, time.from);
	column = tav_sheet_column(&sheet, "end_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	if (time.from <= time.to)
		tav_sheet_int(&sheet, column, 0, time.to);
	column = tav_sheet_column(&sheet, "base_time", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	if (base.size)
		tav_sheet_text(&sheet, column, 0, base);
	column = tav_sheet_column(&sheet, "steps", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	tav_sheet_count(&sheet, column, 0, step_count);
	return tav_sheet_send(&sheet, 0, "recording", "What the trace says of itself", 0);
}

static tav_status tell_steps(struct tav_self *self, const struct tav_step_list *list)
{
	uint64_t limit = (uint64_t)self->options[OPT_MAX_STEPS]->integer;
	struct tav_sheet sheet;
	uint32_t name;

	if (list->count > limit)
		return TAV_OK;
	tav_sheet_init(&sheet, self, list->count);
	sheet.show = TAV_SHOW_DATA;
	name = tav_sheet_column(&sheet, "name", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	for (uint32_t i = 0; i < list->count; i++)
		tav_sheet_text(&sheet, name, i, list->steps[i].name);
	return tav_sheet_send(&sheet, 0, "steps", "Names of the steps", 0);
}

static tav_status each(struct tav_self *self)
{
	const struct tav_steps *extension = self->host->extension(self, TAV_STEPS_ID);
	const struct tav_step_list *list;
	struct trust trust;
	tav_status status;

	if (trust_init(&trust, self, WORD_RECORDING))
		return TAV_FAILED;
	if (!extension)
		return tav_fail(self, "the host does not offer %s", TAV_STEPS_ID);
	trust_take_marks(&trust);
	if (extension->steps(self, 0, &list))
		return TAV_FAILED;
	status = tell_recording(&trust, list->count);
	return status ? status : tell_steps(self, list);
}

/* ---- All of them ------------------------------------------------------------------------------------------------ */

static bool read_number(const struct tav_results *results, struct tav_self *self, const struct tav_table_result *table,
                        const char *name, int64_t *out)
{
	const struct tav_column_result *column = results->column(self, table, name);

	if (!column || column->type != TAV_TYPE_INT || !table->row_count ||
	    (column->present && !(*column->present & 1)))
		return false;
	*out = *(const int64_t *)column->data;
	return true;
}

static void read_rank(const struct tav_results *results, struct tav_self *self, uint32_t stage, struct rank *rank)
{
	const struct tav_table_result *recording = results->find_table(self, stage, rank->source, "recording"),
	                              *steps = results->find_table(self, stage, rank->source, "steps");
	const struct tav_column_result *base, *name;
	int64_t count = 0;

	if (!recording)
		return;
	rank->has_time = read_number(results, self, recording, "start_ns", &rank->start) &&
	                 read_number(results, self, recording, "end_ns", &rank->end);
	base = results->column(self, recording, "base_time");
	if (base && base->type == TAV_TYPE_STRING && recording->row_count && (!base->present || *base->present & 1))
		rank->base = *(const struct tav_text *)base->data;
	if (read_number(results, self, recording, "steps", &count))
		rank->step_count = (uint64_t)count;
	name = steps ? results->column(self, steps, "name") : NULL;
	rank->has_all_steps = name && name->type == TAV_TYPE_STRING && steps->row_count == rank->step_count;
	rank->steps = rank->has_all_steps ? name->data : NULL;
}

static int compare_numbers(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static tav_status find_numbers(struct ranks *ranks)
{
	int64_t *numbers = ranks->self->host->alloc(ranks->self, 2 * (size_t)ranks->count * sizeof(*numbers)),
	        *sizes = numbers + ranks->count;
	uint32_t size_count = 0;

	if (!numbers)
		return TAV_FAILED;
	ranks->world_size = -1;
	for (uint32_t i = 0; i < ranks->count; i++) {
		numbers[i] = ranks->items[i].number;
		ranks->unnumbered += numbers[i] < 0;
		if (ranks->items[i].world_size >= 0)
			sizes[size_count++] = ranks->items[i].world_size;
	}
	qsort(numbers, ranks->count, sizeof(*numbers), compare_numbers);
	qsort(sizes, size_count, sizeof(*sizes), compare_numbers);
	for (uint32_t i = 1; i < ranks->count; i++) {
		if (numbers[i] < 0 || numbers[i] != numbers[i - 1])
			continue;
		if (!ranks->twice++)
			ranks->twice_number = numbers[i];
	}
	for (uint32_t i = 0; i < size_count; i++)
		ranks->world_sizes += !i || sizes[i] != sizes[i - 1];
	if (size_count)
		ranks->world_size = sizes[size_count - 1];
	return TAV_OK;
}

static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t sources = self->host->source_count(self), stage;
	struct ranks ranks = {.self = self};

	if (sources < 2)
		return TAV_OK;
	if (!results)
		return tav_fail(self, "the host does not offer %s", TAV_RESULTS_ID);
	stage = results->find_stage(self, "ranks");
	ranks.items = self->host->alloc(self, sources * sizeof(*ranks.items));
	if (!ranks.items)
		return TAV_FAILED;
	for (uint32_t source = 0; source < sources; source++) {
		const struct tav_source *about = self->host->source(self, source);
		struct rank *rank = &ranks.items[ranks.count];

		if (!about || !results->is_done(self, stage, source)) {
			ranks.left_out++;
			continue;
		}
		*rank = (struct rank){.source = source, .number = about->rank, .world_size = about->world_size};
		read_rank(results, self, stage, rank);
		ranks.count++;
	}
	if (ranks.count < 2)
		return TAV_OK;
	if (find_numbers(&ranks))
		return TAV_FAILED;
	for (unsigned i = 0; i < sizeof(judges) / sizeof(judges[0]); i++) {
		struct verdict verdict = {.result = TRUST_NOT_APPLICABLE, .worst = TAV_NONE};

		if (judges[i]->judge(&ranks, &verdict) || trust_tell(self, TAV_RUN, &judges[i]->check, &verdict))
			return TAV_FAILED;
	}
	return TAV_OK;
}

TRUST_PAGES(ranks_checks)

const struct tav_stage stage_ranks = {
        .struct_size = sizeof(stage_ranks),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_LINKS,
        .name = "ranks",
        .summary = "Do the traces of several ranks fit together?",
        .help = "Of two sources or more: is every rank there, and once; do the recordings share time; do they show the "
                "same steps. Whether collectives match is for the stage collectives to tell.",
        .options = TAV_LIST(options),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
