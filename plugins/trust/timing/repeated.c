/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

struct keys {
	const struct trust *trust;
	const int64_t *ev_idx, *python_id;
	const uint64_t *has_ev_idx, *has_python_id;
};

static int by(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* Of two events of one thread with the same start and end. */
static int compare(const struct keys *keys, tav_row a, tav_row b)
{
	const struct trust *trust = keys->trust;
	int order = by(trust->label[a], trust->label[b]);

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

/* What looks at a thread. */
struct looking {
	struct keys keys;
	struct verdict *verdict;
	int64_t shortest; /* that counts as repeated */
	uint64_t examined;
	tav_row *rows; /* room for events with the same times */
	uint64_t capacity;
};

/* Which of these events with the same times are there before by file order? */
static tav_status judge_equals(struct looking *looking, const tav_row *rows, uint64_t count)
{
	const struct trust *trust = looking->keys.trust;

	if (count > looking->capacity) {
		looking->capacity = 2 * count;
		looking->rows = trust->host->alloc(trust->self, looking->capacity * sizeof(*looking->rows));
		if (!looking->rows)
			return TAV_FAILED;
	}
	memcpy(looking->rows, rows, count * sizeof(*rows));
	qsort_r(looking->rows, count, sizeof(*rows), compare_rows, &looking->keys);
	for (uint64_t i = 1; i < count; i++) {
		if (!compare(&looking->keys, looking->rows[i - 1], looking->rows[i]))
			found(looking->verdict, looking->rows[i]);
	}
	return TAV_OK;
}

/* Events come by start and end, so that equals are neighbours. */
static tav_status look_at_thread(struct looking *looking, const tav_row *rows, uint64_t count)
{
	const struct trust *trust = looking->keys.trust;

	for (uint64_t from = 0, to; from < count; from = to) {
		int64_t length = length_of(trust, rows[from]);

		for (to = from + 1; to < count && trust->start[rows[to]] == trust->start[rows[from]] &&
		                    trust->end[rows[to]] == trust->end[rows[from]];)
			to++;
		looking->examined += length > 0 ? to - from : 0;
		if (to - from > 1 && length > 0 && length >= looking->shortest &&
		    judge_equals(looking, rows + from, to - from))
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_host *host = trust->host;
	const struct tav_order *order = trust_threads(trust);
	struct looking looking = {
	        .keys = {.trust = trust,
	                 .ev_idx = host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_EV_IDX),
	                 .python_id = host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_PYTHON_ID),
	                 .has_ev_idx = host->present(trust->self, 0, TAV_COL_FIELDS + FIELD_EV_IDX),
	                 .has_python_id = host->present(trust->self, 0, TAV_COL_FIELDS + FIELD_PYTHON_ID)},
	        .verdict = verdict,
	        /* Integer clocks of other writers: short equal calls are no repetition. */
	        .shortest = trust->is_linked ? 0 : 10 * trust->res,
	};
	uint64_t examined;

	if (!order || !looking.keys.ev_idx || !looking.keys.python_id)
		return order ? tav_fail(trust->self, "the trace lacks a column") : TAV_FAILED;
	for (uint32_t thread = 0; thread < order->track_count; thread++) {
		uint64_t from = order->first[thread], to = order->first[thread + 1];

		if (is_thread(trust, thread) && look_at_thread(&looking, order->rows + from, to - from))
			return TAV_FAILED;
	}
	examined = looking.examined;
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
