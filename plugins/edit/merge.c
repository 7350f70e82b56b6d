/* SPDX-License-Identifier: Apache-2.0 */
/* merge: all traces of the run as one, with the processes and the ids of each kept apart. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>
#include <tav/results.h>
#include <tav/sheet.h>

#include "edit.h"

enum { OPT_CLOCK, OPT_LINK_FIELDS };
enum { CLOCK_BASE_TIME, CLOCK_AS_IS };
static const char *const clock_names[] = {"base_time", "as_is", NULL};
static const struct tav_option options[] = {
        [OPT_CLOCK] = {"clock", TAV_TYPE_CHOICE, 0, "base_time", NULL, NULL, clock_names,
                       "base_time: each trace moves by its baseTimeNanoseconds less the smallest one; as_is: none "
                       "moves."},
        [OPT_LINK_FIELDS] = {"link_fields", TAV_TYPE_FIELD, TAV_OPT_MANY, "[args.correlation, args.External id]", NULL,
                             NULL, NULL, "Numbers that link events of one trace, kept apart from those of the others."},
};
enum { FIELD_ID, FIELD_BIND_ID, FIELD_NAME, FIELD_SORT_INDEX };
static const struct tav_field fields[] = {
        [FIELD_ID] = {"id", TAV_TYPE_STRING, 0},
        [FIELD_BIND_ID] = {"bind_id", TAV_TYPE_STRING, 0},
        [FIELD_NAME] = {"args.name", TAV_TYPE_STRING, 0},
        [FIELD_SORT_INDEX] = {"args.sort_index", TAV_TYPE_STRING, 0},
};
enum { LEAST_ID_DIGITS = 6, SORT_STEP = 100000000 };

/* A whole number that is not negative, in decimal or as 0x..; -1: none, or too large to be told apart. */
static int64_t number_of(struct tav_text text)
{
	int is_hex = text.size > 2 && text.data[0] == '0' && text.data[1] == 'x';
	char digits[20] = {0};
	char *end;

	if (!text.size || text.size > (is_hex ? 17 : 16))
		return -1;
	memcpy(digits, text.data, text.size);
	if (digits[0] < '0' || digits[0] > '9')
		return -1;
	int64_t number = strtoll(digits, &end, is_hex ? 16 : 10);
	return *end ? -1 : number;
}

/* The largest number in a column of value ids. */
static int64_t largest(const struct looked *looked, const uint32_t *column)
{
	int64_t most = 0;
	uint32_t last = TAV_NONE;

	for (tav_row row = 0; row < looked->rows; row++) {
		if (column[row] == last)
			continue;
		last = column[row];
		int64_t number = number_of(looked->host->value(looked->self, 0, last));
		most = number > most ? number : most;
	}
	return most;
}

static tav_status tell_ids(const struct looked *looked)
{
	struct tav_self *self = looked->self;
	const struct tav_value *links = self->options[OPT_LINK_FIELDS];
	int64_t ids = 0, linked = 0;

	for (uint32_t i = FIELD_ID; i <= FIELD_BIND_ID; i++) {
		const uint32_t *column = self->host->column(self, 0, TAV_COL_FIELDS + i);
		if (!column)
			return TAV_FAILED;
		int64_t most = largest(looked, column);
		ids = most > ids ? most : ids;
	}
	for (uint64_t i = 0; i < links->count; i++) {
		if (links->items[i]->integer < 0)
			continue;
		const uint32_t *column = self->host->column(self, 0, (uint32_t)links->items[i]->integer);
		if (!column)
			return TAV_FAILED;
		int64_t most = largest(looked, column);
		linked = most > linked ? most : linked;
	}
	return tav_measure(self, 0, "largest_id", ids, TAV_UNIT_NONE, 0) ||
	                       tav_measure(self, 0, "largest_link", linked, TAV_UNIT_NONE, 0)
	               ? TAV_FAILED
	               : TAV_OK;
}

/* The pids of the source, as texts, for combine(). */
static tav_status tell_pids(const struct looked *looked)
{
	struct tav_self *self = looked->self;
	struct tav_map pids;
	struct tav_sheet sheet;
	uint32_t last = TAV_NONE;

	tav_map_init(&pids, self);
	for (tav_row row = 0; row < looked->rows; row++) {
		if (looked->pid[row] == last)
			continue;
		last = looked->pid[row];
		if (tav_map_number(&pids, last) == TAV_NONE)
			return TAV_FAILED;
	}
	tav_sheet_init(&sheet, self, pids.count);
	sheet.show = TAV_SHOW_DATA;
	uint32_t column = tav_sheet_column(&sheet, "pid", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < pids.count; i++)
		tav_sheet_text(&sheet, column, i, self->host->value(self, 0, (uint32_t)pids.numbers[i]));
	return tav_sheet_send(&sheet, 0, "pids", "Processes", 0);
}

/* "rank 3: ", or the file's name where the trace does not say its rank. */
static void say_whose(struct words *words, const struct tav_source *source)
{
	const char *path = source->path.data;
	size_t size = source->path.size, begin = size;

	if (source->rank >= 0) {
		words_print(words, "rank %" PRId64 ": ", source->rank);
		return;
	}
	while (begin && path[begin - 1] != '/')
		begin--;
	words_add(words, path + begin, size - begin);
	words_add(words, ": ", 2);
}

/* Process names say whose they are, and processes are sorted by rank. */
static tav_status name_processes(const struct looked *looked)
{
	struct tav_self *self = looked->self;
	const struct tav_host *host = self->host;
	const uint32_t *name = host->column(self, 0, TAV_COL_FIELDS + FIELD_NAME);
	const uint32_t *sort = host->column(self, 0, TAV_COL_FIELDS + FIELD_SORT_INDEX);
	struct changes names = {.self = self}, orders = {.self = self};
	struct words words = {.self = self};

	if (!name || !sort)
		return TAV_FAILED;
	for (tav_row row = 0; row < looked->rows; row++) {
		if (looked->phase[row] != 'M')
			continue;
		struct tav_text kind = host->label(self, 0, looked->label[row], NULL);
		struct tav_text order = host->value(self, 0, sort[row]);
		if (tav_text_is(kind, "process_name") && name[row]) {
			struct words whole = {.self = self};

			say_whose(&whole, looked->source);
			struct tav_text old = host->value(self, 0, name[row]);
			words_add(&whole, old.data, old.size);
			struct tav_text text = words_text(&whole);
			words_quote(&words, text);
			text = words_text(&words);
			if (!text.data || changes_add(&names, row, text))
				return TAV_FAILED;
		} else if (tav_text_is(kind, "process_sort_index") && looked->source->rank > 0 &&
		           looked->source->rank < INT32_MAX && number_of(order) >= 0) {
			words_print(&words, "%" PRId64, tav_sum(number_of(order), looked->source->rank * SORT_STEP));
			struct tav_text text = words_text(&words);
			if (!text.data || changes_add(&orders, row, text))
				return TAV_FAILED;
		}
	}
	return changes_give(&names, looked, "args.name", NULL) || changes_give(&orders, looked, "args.sort_index", NULL)
	               ? TAV_FAILED
	               : TAV_OK;
}

static tav_status each(struct tav_self *self)
{
	struct looked looked;

	if (look_at_source(self, &looked) || tell_base_time(self) || tell_ids(&looked) || tell_pids(&looked) ||
	    name_processes(&looked))
		return TAV_FAILED;
	return TAV_OK;
}

/* ---- The run --------------------------------------------------------------------------------------------------- */
struct merging {
	struct tav_self *self;
	const struct tav_results *results;
	const struct tav_edits *edits;
	uint32_t stage, count;
	int64_t *rank; /* of each source: its own where all have one of their own, else its place; -1: not looked at */
	uint64_t moved, renumbered;
};

static int compare_ranks(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static tav_status find_ranks(struct merging *m)
{
	const struct tav_host *host = m->self->host;
	int64_t *sorted = host->alloc(m->self, ((size_t)m->count + 1) * sizeof(*sorted));
	uint32_t there = 0;
	int is_own = 1;

	m->rank = host->alloc(m->self, ((size_t)m->count + 1) * sizeof(*m->rank));
	if (!sorted || !m->rank)
		return TAV_FAILED;
	for (uint32_t i = 0; i < m->count; i++) {
		m->rank[i] = -1;
		if (!m->results->is_done(m->self, m->stage, i))
			continue;
		m->rank[i] = host->source(m->self, i)->rank;
		sorted[there++] = m->rank[i];
	}
	qsort(sorted, there, sizeof(*sorted), compare_ranks);
	for (uint32_t i = 0; i < there; i++)
		is_own &= sorted[i] >= 0 && sorted[i] < INT32_MAX && (!i || sorted[i] != sorted[i - 1]);
	for (uint32_t i = 0; i < m->count && !is_own; i++)
		m->rank[i] = m->results->is_done(m->self, m->stage, i) ? (int64_t)i : -1;
	return TAV_OK;
}

static int64_t power_above(int64_t number, int least)
{
	int64_t power = 1;

	for (int digits = 0; digits < 18 && (digits < least || power <= number); digits++)
		power *= 10;
	return power;
}

static tav_status move_clock(struct merging *m)
{
	int64_t smallest = INT64_MAX;
	uint32_t with = 0, without = 0, first = TAV_NONE;

	if (m->self->options[OPT_CLOCK]->integer == CLOCK_AS_IS)
		return TAV_OK;
	for (uint32_t i = 0; i < m->count; i++) {
		if (m->rank[i] < 0)
			continue;
		int64_t base = tav_metric_or(m->self, m->results, m->stage, i, "base_ns", -1);
		first = first == TAV_NONE ? i : first;
		with += base >= 0;
		without += base < 0;
		smallest = base >= 0 && base < smallest ? base : smallest;
	}
	if (with && without)
		return tav_fail(
		        m->self,
		        "%" PRIu32 " of %" PRIu32 " traces have no baseTimeNanoseconds, so that nobody knows how "
		        "their clocks lie to those of the others: set merge.clock=as_is to take all times as they "
		        "stand",
		        without, with + without);
	for (uint32_t i = 0; i < m->count && with; i++) {
		int64_t by = m->rank[i] < 0
		                     ? 0
		                     : tav_metric_or(m->self, m->results, m->stage, i, "base_ns", smallest) - smallest;
		if (by && m->edits->shift(m->self, i, by))
			return TAV_FAILED;
		m->moved += by != 0;
		if (by && i == first) { /* its head is that of the file */
			struct words words = {.self = m->self};

			words_print(&words, "%" PRId64, smallest);
			struct tav_text text = words_text(&words);
			if (!text.data || m->edits->top(m->self, i, "baseTimeNanoseconds", text))
				return TAV_FAILED;
		}
	}
	return TAV_OK;
}

/* Numbers of events that belong together: of each source beyond those of the others. */
static tav_status part_ids(struct merging *m)
{
	const struct tav_value *links = m->self->options[OPT_LINK_FIELDS];
	int64_t ids = 0, linked = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		int64_t id = tav_metric_or(m->self, m->results, m->stage, i, "largest_id", 0);
		int64_t link = tav_metric_or(m->self, m->results, m->stage, i, "largest_link", 0);

		ids = id > ids ? id : ids;
		linked = link > linked ? link : linked;
	}
	int64_t id_step = power_above(ids, LEAST_ID_DIGITS), link_step = power_above(linked, 0);
	for (uint32_t i = 0; i < m->count; i++) {
		int64_t by, link_by;

		if (m->rank[i] <= 0)
			continue;
		if (__builtin_mul_overflow(id_step, m->rank[i], &by) ||
		    __builtin_mul_overflow(link_step, m->rank[i], &link_by))
			return tav_fail(m->self, "ids of these traces are too large to be kept apart");
		if (m->edits->offset(m->self, i, "id", by) || m->edits->offset(m->self, i, "bind_id", by))
			return TAV_FAILED;
		for (uint64_t j = 0; j < links->count; j++) {
			char path[128];
			struct tav_text name = links->items[j]->text;

			if (name.size >= sizeof(path))
				continue;
			memcpy(path, name.data, name.size);
			path[name.size] = '\0';
			if (m->edits->offset(m->self, i, path, link_by))
				return TAV_FAILED;
		}
	}
	return TAV_OK;
}

static const struct tav_column_result *pids_of(const struct merging *m, uint32_t source, uint64_t *count)
{
	const struct tav_table_result *table =
	        m->rank[source] < 0 ? NULL : m->results->find_table(m->self, m->stage, source, "pids");

	*count = table ? table->row_count : 0;
	return table ? m->results->column(m->self, table, "pid") : NULL;
}

/* An integer stays where no earlier source has it; else it gets the rank in front, or is the next that is free. */
static int64_t free_pid(struct tav_map *taken, int64_t pid, int64_t rank, int64_t step, int64_t *next)
{
	int64_t wanted = pid;

	if (tav_map_find_number(taken, (uint64_t)pid) == TAV_NONE)
		return pid;
	if (!__builtin_mul_overflow(rank, step, &wanted) && !__builtin_add_overflow(wanted, pid, &wanted) &&
	    wanted < INT32_MAX && tav_map_find_number(taken, (uint64_t)wanted) == TAV_NONE)
		return wanted;
	while (tav_map_find_number(taken, (uint64_t)*next) != TAV_NONE)
		++*next;
	return *next;
}

static tav_status part_source(struct merging *m, uint32_t source, struct tav_map *taken, int64_t step, int64_t *next)
{
	struct tav_self *self = m->self;
	uint64_t count, given = 0;
	const struct tav_column_result *column = pids_of(m, source, &count);
	struct tav_text *from = self->host->alloc(self, (count + 1) * sizeof(*from));
	struct tav_text *to = self->host->alloc(self, (count + 1) * sizeof(*to));
	int64_t *mine = self->host->alloc(self, (count + 1) * sizeof(*mine));
	uint64_t own = 0;

	if (!from || !to || !mine)
		return TAV_FAILED;
	for (uint64_t i = 0; column && i < count; i++) {
		struct tav_text pid = ((const struct tav_text *)column->data)[i];
		int64_t number = number_of(pid);
		struct words words = {.self = self}, whole = {.self = self};

		if (!pid.size)
			continue;
		if (number >= 0) {
			int64_t new_pid = free_pid(taken, number, m->rank[source], step, next);

			mine[own++] = new_pid;
			/* No other pid of this source may become it. */
			if (new_pid != number && tav_map_number(taken, (uint64_t)new_pid) == TAV_NONE)
				return TAV_FAILED;
			if (new_pid == number)
				continue;
			words_print(&words, "%" PRId64, new_pid);
		} else {
			words_print(&whole, "rank %" PRId64 ": ", m->rank[source]);
			words_add(&whole, pid.data, pid.size);
			words_quote(&words, words_text(&whole));
		}
		from[given] = pid;
		to[given] = words_text(&words);
		if (!to[given++].data)
			return TAV_FAILED;
	}
	for (uint64_t i = 0; i < own; i++) {
		if (tav_map_number(taken, (uint64_t)mine[i]) == TAV_NONE)
			return TAV_FAILED;
	}
	m->renumbered += given;
	return given ? m->edits->map(self, source, "pid", given, from, to) : TAV_OK;
}

static tav_status part_pids(struct merging *m)
{
	struct tav_map taken;
	int64_t most = 0;

	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t count;
		const struct tav_column_result *column = pids_of(m, i, &count);

		for (uint64_t j = 0; column && j < count; j++) {
			int64_t pid = number_of(((const struct tav_text *)column->data)[j]);

			most = pid < INT32_MAX && pid > most ? pid : most;
		}
	}
	tav_map_init(&taken, m->self);
	int64_t step = power_above(most, 1), next = most + 1;
	for (uint32_t i = 0; i < m->count; i++) {
		if (part_source(m, i, &taken, step, &next))
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status combine(struct tav_self *self)
{
	const struct tav_host *host = self->host;
	struct merging m = {.self = self, .results = host->extension(self, TAV_RESULTS_ID)};
	uint32_t there = 0;

	m.edits = host->extension(self, TAV_EDITS_ID);
	m.count = host->source_count(self);
	if (!m.results || !m.edits)
		return tav_fail(self, "edits are not taken");
	m.stage = m.results->find_stage(self, "merge");
	if (find_ranks(&m) || move_clock(&m) || part_ids(&m) || part_pids(&m))
		return TAV_FAILED;
	for (uint32_t i = 0; i < m.count; i++)
		there += m.rank[i] >= 0;
	if (tav_measure(self, TAV_RUN, "sources", there, TAV_UNIT_COUNT, 0) ||
	    tav_measure(self, TAV_RUN, "sources_moved", (int64_t)m.moved, TAV_UNIT_COUNT, 0) ||
	    tav_measure(self, TAV_RUN, "pids_changed", (int64_t)m.renumbered, TAV_UNIT_COUNT, 0))
		return TAV_FAILED;
	return tav_headline(self, TAV_RUN,
	                    "merge: %" PRIu32 " trace%s as one, %" PRIu64 " moved in time, %" PRIu64
	                    " process%s renumbered",
	                    there, there == 1 ? "" : "s", m.moved, m.renumbered, m.renumbered == 1 ? "" : "es");
}

const struct tav_stage merge = {
        .struct_size = sizeof(merge),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_EDITS | TAV_STAGE_EDITS_IN_COMBINE | TAV_STAGE_MERGES,
        .name = "merge",
        .summary = "Joins all traces of the run into one file, for the trace report",
        .help = "In the order of the arguments. Processes, flows and correlations are kept apart by rank, or by place "
                "where a trace does not say its rank. What stands around the events is that of the first trace.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .each = each,
        .combine = combine,
};
