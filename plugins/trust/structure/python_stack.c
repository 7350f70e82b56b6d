/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

struct frames {
	const int64_t *id, *parent;
	const uint64_t *has_id, *has_parent;
	uint32_t *rows; /* of id - lowest, + 1; where ids are dense */
	int64_t lowest;
	uint64_t span;
	struct tav_map by_id; /* else */
	tav_row *map_rows;
};

/* Of a row with an id. */
static bool is_frame(const struct trust *trust, tav_row row)
{
	return is_interval(trust, row) && trust->traits[row] & TAV_TRAIT_PYTHON;
}

/* Ids are dense as a rule: then an array will do. Of equal ids the last counts. */
static tav_status number_frames(struct trust *trust, struct frames *frames, uint64_t count)
{
	int64_t highest = INT64_MIN;

	frames->lowest = INT64_MAX;
	TAV_FOR_BITS(row, frames->has_id, trust->row_count)
	{
		if (!is_frame(trust, (tav_row)row))
			continue;
		frames->lowest = frames->id[row] < frames->lowest ? frames->id[row] : frames->lowest;
		highest = frames->id[row] > highest ? frames->id[row] : highest;
	}
	frames->span = (uint64_t)highest - (uint64_t)frames->lowest + 1;
	if (frames->span && frames->span <= 8 * count + 1024)
		frames->rows = trust->host->alloc(trust->self, frames->span * sizeof(*frames->rows));
	else
		frames->map_rows = trust->host->alloc(trust->self, count * sizeof(*frames->map_rows));
	if (!frames->rows && !frames->map_rows)
		return TAV_FAILED;
	tav_map_init(&frames->by_id, trust->self);
	TAV_FOR_BITS(row, frames->has_id, trust->row_count)
	{
		uint32_t number;

		if (!is_frame(trust, (tav_row)row))
			continue;
		if (frames->rows) {
			frames->rows[(uint64_t)frames->id[row] - (uint64_t)frames->lowest] = (tav_row)row + 1;
			continue;
		}
		number = tav_map_number(&frames->by_id, (uint64_t)frames->id[row]);
		if (number == TAV_NONE)
			return TAV_FAILED;
		frames->map_rows[number] = (tav_row)row;
	}
	return TAV_OK;
}

static tav_row find_frame(const struct frames *frames, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)frames->lowest;
	uint32_t number;

	if (frames->rows)
		return id >= frames->lowest && at < frames->span && frames->rows[at] ? frames->rows[at] - 1 : TAV_NONE;
	number = tav_map_find_number(&frames->by_id, (uint64_t)id);
	return number == TAV_NONE ? TAV_NONE : frames->map_rows[number];
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct frames frames = {.has_id = field_present(trust, FIELD_PYTHON_ID),
	                        .has_parent = field_present(trust, FIELD_PYTHON_PARENT)};
	int64_t tolerance = trust->self->options[OPT_PYTHON_TOLERANCE]->integer;
	uint64_t count = 0, examined = 0, missing = 0;

	TAV_FOR_BITS(row, frames.has_id, trust->row_count)
	count += is_frame(trust, (tav_row)row);
	if (!count)
		return does_not_apply(verdict);
	frames.id = field_of(trust, FIELD_PYTHON_ID);
	frames.parent = field_of(trust, FIELD_PYTHON_PARENT);
	if (!frames.id || !frames.parent || number_frames(trust, &frames, count))
		return TAV_FAILED;
	TAV_FOR_BITS(at, frames.has_id, trust->row_count)
	{
		tav_row row = (tav_row)at, parent;

		if (!is_frame(trust, row) || !bit_is(frames.has_parent, row))
			continue;
		examined++;
		parent = find_frame(&frames, frames.parent[row]);
		if (parent == TAV_NONE) {
			missing++;
			found(verdict, row);
			continue;
		}
		/* A caller on another thread proves nothing: hooks run when it has returned. */
		if (trust->tid[parent] == trust->tid[row] && trust->pid[parent] == trust->pid[row] &&
		    (trust->start[row] < trust->start[parent] - tolerance ||
		     trust->end[row] > trust->end[parent] + tolerance))
			found(verdict, row);
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s lie%s within %s", COUNTED(examined, "Python frame"),
		             tav_does(examined), examined == 1 ? "its caller" : "their callers");
	if (missing == verdict->count)
		return judge(verdict, is_excerpt(trust) ? TRUST_NOTE : TRUST_WARN, examined,
		             "the callers of %s of %s are not there%s; first: %s", COUNTED(missing, ""),
		             COUNTED(examined, "Python frame"), is_excerpt(trust) ? " (an excerpt, see thinned)" : "",
		             NAME(trust, verdict->rows[0]));
	return judge(verdict, TRUST_WARN, examined,
	             "%s of %s do%s not lie within the caller, by more than %s, or the caller is not there; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "Python frame"), verdict->count == 1 ? "es" : "",
	             DURATION(tolerance), NAME(trust, verdict->rows[0]));
}

const struct trust_check check_python_stack = {
        .id = "python_stack",
        .question = "Do the Python frames have their callers?",
        .worst = TRUST_WARN,
        .text = "A Python frame names its caller (Python parent id). The caller must be there, and on the same thread "
                "it must contain the frame, within python_tolerance (10 us). Else call stacks end too early, or join "
                "frames that never called each other.\n\nCallers on other threads are not compared: autograd runs "
                "hooks for a caller that has returned.",
        .remedy = "do not trust the Python stacks above these frames",
        .run = run,
};
