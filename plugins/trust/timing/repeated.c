/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { FEW = 16 }; /* so many events are compared each with each */

struct keys {
	const struct trust *trust;
	const int64_t *ev_idx, *python_id;
	const uint64_t *has_ev_idx, *has_python_id;
};

static int by(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Of two events of one thread with the same start. */
static int compare(const struct keys *keys, tav_row a, tav_row b)
{
	const struct trust *trust = keys->trust;
	int order = by(trust->end[a], trust->end[b]);

	order = order ? order : by(trust->label[a], trust->label[b]);
	order = order ? order : by(trust->link[a], trust->link[b]);
	order = order ? order : by(trust->operators[a], trust->operators[b]);
	order = order ? order : by(bit_is(keys->has_ev_idx, a), bit_is(keys->has_ev_idx, b));
	order = order ? order : by(keys->ev_idx[a], keys->ev_idx[b]);
	order = order ? order : by(bit_is(keys->has_python_id, a), bit_is(keys->has_python_id, b));
	return order ? order : by(keys->python_id[a], keys->python_id[b]);
}

static int compare_rows(const void *a, const void *b, void *user)
{
	tav_row left = *(const tav_row *)a, right = *(const tav_row *)b;
	int order = compare(user, left, right);

	return order ? order : by(left, right);
}

/* Which of `rows`, all of one start, are there before by file order? */
static void judge_run(const struct keys *keys, struct verdict *verdict, tav_row *rows, uint64_t count, int64_t shortest)
{
	if (count < 2)
		return;
	qsort_r(rows, count, sizeof(*rows), compare_rows, (void *)(uintptr_t)keys);
	for (uint64_t i = 1; i < count; i++) {
		if (!compare(keys, rows[i - 1], rows[i]) && length_of(keys->trust, rows[i]) >= shortest)
			found(verdict, rows[i]);
	}
}

static bool is_host_work(const struct trust *trust, tav_row row)
{
	return !(trust->traits[row] & TAV_TRAIT_DEVICE) && length_of(trust, row) > 0;
}

static tav_status look_at_thread(const struct keys *keys, const struct tav_order *order, uint32_t thread, tav_row *run,
                                 uint64_t *examined, struct verdict *verdict)
{
	const struct trust *trust = keys->trust;
	/* Integer clocks of other writers: short equal calls are no repetition. */
	int64_t shortest = trust->is_linked ? 0 : 10 * trust->res;
	uint64_t count = 0;

	for (uint64_t i = order->first[thread]; i < order->first[thread + 1]; i++) {
		tav_row row = order->rows[i];

		if (!is_host_work(trust, row))
			continue;
		++*examined;
		if (count && trust->start[run[0]] != trust->start[row]) {
			judge_run(keys, verdict, run, count, shortest);
			count = 0;
		}
		run[count++] = row;
	}
	judge_run(keys, verdict, run, count, shortest);
	return TAV_OK;
}

/* The most events of one thread that start together. */
static uint64_t longest_run(const struct trust *trust, const struct tav_order *order)
{
	uint64_t longest = 0;

	for (uint32_t thread = 0; thread < order->track_count; thread++) {
		uint64_t count = 0;

		for (uint64_t i = order->first[thread]; i < order->first[thread + 1]; i++) {
			bool goes_on = count && trust->start[order->rows[i]] == trust->start[order->rows[i - 1]];

			count = goes_on ? count + 1 : 1;
			longest = count > longest ? count : longest;
		}
	}
	return longest;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_host *host = trust->host;
	const struct tav_order *order = trust_threads(trust);
	struct keys keys = {
	        .trust = trust,
	        .ev_idx = host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_EV_IDX),
	        .python_id = host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_PYTHON_ID),
	        .has_ev_idx = host->present(trust->self, 0, TAV_COL_FIELDS + FIELD_EV_IDX),
	        .has_python_id = host->present(trust->self, 0, TAV_COL_FIELDS + FIELD_PYTHON_ID),
	};
	uint64_t examined = 0;
	tav_row *rows;

	if (!order || !keys.ev_idx || !keys.python_id)
		return order ? tav_fail(trust->self, "the trace lacks a column") : TAV_FAILED;
	rows = host->alloc(trust->self, (longest_run(trust, order) + 1) * sizeof(*rows));
	if (!rows)
		return TAV_FAILED;
	for (uint32_t thread = 0; thread < order->track_count; thread++) {
		if (look_at_thread(&keys, order, thread, rows, &examined, verdict))
			return TAV_FAILED;
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no host events with a length");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "none of %s is there twice",
		             COUNTED(examined, "host event"));
	return judge(verdict, TRUST_WARN, examined, "%s of %s repeat%s an earlier one in every field; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "host event"), tav_does(verdict->count),
	             NAME(trust, verdict->rows[0]));
}

const struct trust_check check_repeated = {
        .id = "repeated",
        .question = "Is any host event there twice?",
        .worst = TRUST_WARN,
        .text = "The same name, category, process, thread, start, end and numbers twice: the file was merged with "
                "itself, or a writer flushed a buffer twice. Counts and sums of host time are too large then. Device "
                "records that are there twice are told by overlap-verify.\n\nTraces of writers with coarse clocks are "
                "judged only from ten ticks on, since short equal calls are common there.",
        .remedy = "keep one of each, or make the file again",
        .run = run,
};
