/* SPDX-License-Identifier: Apache-2.0 */
/* merge: all traces of the run as one, with the processes and the ids of each kept apart. */
#include "merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>
#include <tav/results.h>

static const char *const clock_names[] = {"base_time", "as_is", "offsets", NULL};
static const struct tav_option options[] = {
        [OPT_CLOCK] =
                {"clock", TAV_TYPE_CHOICE, 0, "base_time", NULL, NULL, clock_names,
                 "How times of the traces lie to each other: by baseTimeNanoseconds, as they stand, or by `offsets`."},
        [OPT_OFFSETS] = {"offsets", TAV_TYPE_STRING, TAV_OPT_MANY, "[]", NULL, NULL, NULL,
                         "With clock: offsets, what is added to the times of each rank: [0=0, 1=1.6ms, 2=-40us]."},
        [OPT_LINK_FIELDS] = {"link_fields", TAV_TYPE_FIELD, TAV_OPT_MANY, "[args.correlation, args.External id]", NULL,
                             NULL, NULL, "Numbers that link events of one trace, kept apart from those of the others."},
};
static const struct tav_field fields[] = {
        [FIELD_ID] = {"id", TAV_TYPE_STRING, 0},
        [FIELD_BIND_ID] = {"bind_id", TAV_TYPE_STRING, 0},
        [FIELD_ID2] = {"id2", TAV_TYPE_JSON, 0},
        [FIELD_NAME] = {"args.name", TAV_TYPE_STRING, 0},
        [FIELD_SORT_INDEX] = {"args.sort_index", TAV_TYPE_STRING, 0},
};
enum { LEAST_ID_DIGITS = 6, SORT_STEP = 100000000 };

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

/* "1.6ms", "-40us", "250" (ns), exactly. 0: it is none. */
static int read_duration(const char *text, int64_t *ns)
{
	static const struct {
		const char *name;
		int digits;
	} units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}, {"", 0}};
	int is_negative = *text == '-', digits = 0, has_digits = 0, behind = -1;
	int64_t number = 0;

	for (text += is_negative; (*text >= '0' && *text <= '9') || (*text == '.' && behind < 0); text++) {
		if (*text == '.') {
			behind = 0;
			continue;
		}
		if (__builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *text - '0', &number))
			return 0;
		behind += behind >= 0;
		has_digits = 1;
	}
	size_t unit = 0, count = sizeof(units) / sizeof(units[0]);
	while (unit < count && strcmp(units[unit].name, text) != 0)
		unit++;
	if (!has_digits || unit == count)
		return 0;
	for (digits = units[unit].digits - (behind > 0 ? behind : 0); digits > 0; digits--) {
		if (__builtin_mul_overflow(number, 10, &number))
			return 0;
	}
	*ns = is_negative ? -number : number;
	return digits == 0;
}

/* "1=1.6ms" or "1: 1.6ms". 0: it is neither. */
static int read_offset(struct tav_text text, int64_t *rank, int64_t *ns)
{
	char copy[64];
	char *end;

	if (!text.size || text.size >= sizeof(copy) || text.data[0] < '0' || text.data[0] > '9')
		return 0;
	memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	*rank = strtoll(copy, &end, 10);
	if ((*end != '=' && *end != ':') || end - copy > 10)
		return 0;
	for (end++; *end == ' '; end++)
		;
	return read_duration(end, ns);
}

static tav_status create(struct tav_self *self)
{
	const struct tav_value *offsets = self->options[OPT_OFFSETS];
	int is_by_offsets = self->options[OPT_CLOCK]->integer == CLOCK_OFFSETS;
	int64_t rank, ns;

	for (uint64_t i = 0; i < offsets->count; i++) {
		if (!read_offset(offsets->items[i]->text, &rank, &ns))
			return self->host->bad_option(self, OPT_OFFSETS,
			                              "is a list of RANK=DURATION, such as [0=0, 1=1.6ms, 2=-40us]");
	}
	if (is_by_offsets && !offsets->count)
		return self->host->bad_option(self, OPT_CLOCK,
		                              "offsets needs the option `offsets`, such as [0=0, 1=1.6ms]");
	if (!is_by_offsets && offsets->count)
		return self->host->bad_option(self, OPT_OFFSETS, "is for clock: offsets");
	return TAV_OK;
}

/* Each rank by what was said of it; nothing is guessed. */
static tav_status move_by_offsets(struct merging *m)
{
	const struct tav_value *offsets = m->self->options[OPT_OFFSETS];

	for (uint32_t i = 0; i < m->count; i++) {
		int64_t rank, ns, by = 0;
		int is_said = m->rank[i] < 0;

		for (uint64_t j = 0; j < offsets->count && !is_said; j++) {
			is_said = read_offset(offsets->items[j]->text, &rank, &ns) && rank == m->rank[i];
			by = is_said ? ns : by;
		}
		if (!is_said)
			return tav_fail(m->self,
			                "merge.offsets says nothing of rank %" PRId64 ", %s: give 0 if it stays",
			                m->rank[i], m->self->host->source(m->self, i)->path.data);
		if (by && m->edits->shift(m->self, i, by))
			return TAV_FAILED;
		m->moved += by != 0;
	}
	return TAV_OK;
}

static tav_status move_clock(struct merging *m)
{
	int64_t smallest = INT64_MAX;
	uint32_t with = 0, without = 0, first = TAV_NONE;

	if (m->self->options[OPT_CLOCK]->integer == CLOCK_AS_IS)
		return TAV_OK;
	if (m->self->options[OPT_CLOCK]->integer == CLOCK_OFFSETS)
		return move_by_offsets(m);
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

/* Numbers at that path grow, unless they would be more than viewers can tell apart. */
static tav_status part_numbers(struct merging *m, uint32_t source, const char *path, int64_t largest, int64_t step)
{
	int64_t by, most;

	if (__builtin_mul_overflow(step, m->rank[source], &by) || __builtin_add_overflow(by, largest, &most) ||
	    most >= LARGEST)
		return tav_fail(m->self,
		                "the numbers of \"%s\" in %s cannot be kept apart from those of the others: with rank "
		                "%" PRId64 " in front they would reach 2^53, which viewers round",
		                path, m->self->host->source(m->self, source)->path.data, m->rank[source]);
	return m->edits->offset(m->self, source, path, by);
}

/* Numbers of events that belong together: of each source beyond those of the others. */
static tav_status part_ids(struct merging *m)
{
	static const char *const paths[] = {"id", "bind_id", "id2.global"};
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
		int64_t id = tav_metric_or(m->self, m->results, m->stage, i, "largest_id", 0);
		int64_t link = tav_metric_or(m->self, m->results, m->stage, i, "largest_link", 0);
		int64_t others = tav_metric_or(m->self, m->results, m->stage, i, "other_ids", 0);

		if (m->rank[i] <= 0)
			continue;
		if (others)
			return tav_fail(
			        m->self,
			        "%" PRId64 " events of %s have an id that is no whole number below 2^53, the "
			        "first at byte %" PRId64
			        ": it cannot be told from the same one of another trace; slice can leave them out",
			        others, m->self->host->source(m->self, i)->path.data,
			        tav_metric_or(m->self, m->results, m->stage, i, "other_id_at", 0));
		for (unsigned j = 0; j < sizeof(paths) / sizeof(paths[0]); j++) {
			if (part_numbers(m, i, paths[j], id, id_step))
				return TAV_FAILED;
		}
		for (uint64_t j = 0; j < links->count; j++) {
			char path[128];
			struct tav_text name = links->items[j]->text;

			if (name.size >= sizeof(path))
				continue;
			memcpy(path, name.data, name.size);
			path[name.size] = '\0';
			if (part_numbers(m, i, path, link, link_step))
				return TAV_FAILED;
		}
	}
	return TAV_OK;
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */
static const struct tav_text *texts_of(const struct merging *m, uint32_t source, const char *table, uint64_t *count)
{
	const struct tav_table_result *found =
	        m->rank[source] < 0 ? NULL : m->results->find_table(m->self, m->stage, source, table);
	const struct tav_column_result *column = found ? m->results->column(m->self, found, "text") : NULL;

	*count = column ? found->row_count : 0;
	return column ? column->data : NULL;
}

/* Process names say whose they are, and processes are sorted by rank. */
static tav_status name_processes(struct merging *m, uint32_t source)
{
	struct tav_self *self = m->self;
	uint64_t name_count, order_count, given = 0;
	const struct tav_text *names = texts_of(m, source, "process_names", &name_count);
	const struct tav_text *orders = texts_of(m, source, "process_sort_indexes", &order_count);
	struct tav_text *to = self->host->alloc(self, (name_count + order_count + 1) * sizeof(*to));
	struct tav_text *from = self->host->alloc(self, (order_count + 1) * sizeof(*from));

	if (!to || !from)
		return TAV_FAILED;
	for (uint64_t i = 0; i < name_count; i++) {
		struct words words = {.self = self}, whole = {.self = self};

		words_print(&whole, "rank %" PRId64 ": ", m->rank[source]);
		words_add(&whole, names[i].data, names[i].size);
		words_quote(&words, words_text(&whole));
		to[i] = words_text(&words);
		if (!to[i].data)
			return TAV_FAILED;
	}
	if (name_count && m->edits->map_metadata(self, source, "process_name", "args.name", name_count, names, to))
		return TAV_FAILED;
	for (uint64_t i = 0; i < order_count && m->rank[source] > 0 && m->rank[source] < INT32_MAX; i++) {
		struct words words = {.self = self};
		int64_t number;

		if (!merge_number(orders[i], &number))
			continue;
		words_print(&words, "%" PRId64, number + m->rank[source] * SORT_STEP);
		from[given] = orders[i];
		to[given] = words_text(&words);
		if (!to[given++].data)
			return TAV_FAILED;
	}
	return given ? m->edits->map_metadata(self, source, "process_sort_index", "args.sort_index", given, from, to)
	             : TAV_OK;
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
	if (pid >= 0 && !__builtin_mul_overflow(rank, step, &wanted) && !__builtin_add_overflow(wanted, pid, &wanted) &&
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
		int64_t number;
		struct words words = {.self = self}, whole = {.self = self};

		if (!pid.size)
			continue;
		if (merge_number(pid, &number)) {
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
			int64_t pid = 0;

			if (!merge_number(((const struct tav_text *)column->data)[j], &pid))
				continue;
			most = pid < INT32_MAX && pid > most ? pid : most;
		}
	}
	tav_map_init(&taken, m->self);
	int64_t step = power_above(most, 1), next = most + 1;
	for (uint32_t i = 0; i < m->count; i++) {
		if (part_source(m, i, &taken, step, &next) || name_processes(m, i))
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
        .create = create,
        .each = merge_look,
        .combine = combine,
};
