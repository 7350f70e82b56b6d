/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { STAMPS = 5, STEPS = STAMPS - 1, AT_LEAST = 3 };
static const double least_cycles = 16, least_share = 0.02;

struct stamped {
	tav_row row;
	uint32_t steps[STEPS]; /* cycles from each stamp to the next */
};

static bool read_stamp(const struct trust *trust, const uint32_t *column, tav_row row, uint32_t *out)
{
	struct tav_text text = trust->host->value(trust->self, 0, column[row]);
	unsigned long long value;
	char *end;

	if (!column[row] || !text.size)
		return false;
	value = strtoull(text.data, &end, 0);
	*out = (uint32_t)value;
	return end == text.data + text.size;
}

static bool read_steps(const struct trust *trust, const uint32_t *const columns[STAMPS], tav_row row,
                       struct stamped *out)
{
	uint32_t stamps[STAMPS];

	for (unsigned i = 0; i < STAMPS; i++) {
		if (!read_stamp(trust, columns[i], row, &stamps[i]))
			return false;
	}
	out->row = row;
	for (unsigned i = 0; i < STEPS; i++)
		out->steps[i] = stamps[i + 1] - stamps[i];
	return true;
}

/* Counters wrap, so a step of half their range or more is one backwards. */
static bool is_in_order(const struct stamped *stamped)
{
	for (unsigned i = 0; i < STEPS; i++) {
		if (stamped->steps[i] >= UINT32_C(0x80000000))
			return false;
	}
	return true;
}

static uint32_t longest_step(const struct stamped *stamped)
{
	uint32_t longest = 0;

	for (unsigned i = 0; i < STEPS; i++)
		longest = stamped->steps[i] > longest ? stamped->steps[i] : longest;
	return longest;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

/* The median of cycles in a nanosecond; 0: too few events. */
static double frequency(const struct trust *trust, const struct stamped *items, uint64_t count, double *ratios)
{
	uint64_t used = 0;

	for (uint64_t i = 0; i < count; i++) {
		bool is_kernel = trust->traits[items[i].row] & TAV_TRAIT_KERNEL;
		uint32_t cycles = is_kernel ? items[i].steps[2] : longest_step(&items[i]);

		if (length_of(trust, items[i].row) > 0 && cycles)
			ratios[used++] = (double)cycles / (double)length_of(trust, items[i].row);
	}
	if (used < AT_LEAST)
		return 0;
	qsort(ratios, used, sizeof(*ratios), compare);
	return ratios[(used - 1) / 2];
}

/* Engines use different pairs of stamps: the nearest counts. */
static bool agrees(const struct trust *trust, const struct stamped *stamped, double cycles_each_ns)
{
	bool is_kernel = trust->traits[stamped->row] & TAV_TRAIT_KERNEL;
	double wanted = (double)length_of(trust, stamped->row) * cycles_each_ns;
	double last = (double)stamped->steps[2] + (double)stamped->steps[3];
	double nearest = last > wanted ? last - wanted : wanted - last;
	double limit = wanted * least_share > least_cycles ? wanted * least_share : least_cycles;

	for (unsigned i = is_kernel ? 2 : 0; i < (is_kernel ? 3 : STEPS); i++) {
		double off = (double)stamped->steps[i] - wanted;

		off = off < 0 ? -off : off;
		nearest = off < nearest ? off : nearest;
	}
	return nearest <= limit;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const uint32_t *columns[STAMPS];
	struct stamped *items = trust->host->alloc(trust->self, trust->device_count * sizeof(*items));
	double *ratios, cycles_each_ns;
	uint64_t count = 0, examined;

	for (uint32_t i = 0; i < STAMPS; i++) {
		columns[i] = trust->host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_STAMP_1 + i);
		if (!columns[i])
			return tav_fail(trust->self, "the trace lacks a column");
	}
	if (!items)
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		if (!is_believable(trust, trust->devices[i]) ||
		    !read_steps(trust, columns, trust->devices[i], &items[count]))
			continue;
		if (is_in_order(&items[count]))
			count++;
		else
			found(verdict, trust->devices[i]);
	}
	examined = count + verdict->count;
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no device event has all five stamps");
	ratios = trust->host->alloc(trust->self, count * sizeof(*ratios));
	if (!ratios)
		return TAV_FAILED;
	cycles_each_ns = frequency(trust, items, count, ratios);
	for (uint64_t i = 0; i < count && cycles_each_ns > 0; i++) {
		if (!agrees(trust, &items[i], cycles_each_ns))
			found(verdict, items[i].row);
	}
	if (verdict->count)
		return judge(verdict, TRUST_FAIL, examined,
		             "the cycle stamps of %s of %s contradict %s ts and dur; first: %s",
		             COUNTED(verdict->count, ""), COUNTED(examined, "device event"),
		             verdict->count == 1 ? "its" : "their", NAME(trust, verdict->rows[0]));
	if (cycles_each_ns > 0)
		return judge(verdict, TRUST_PASS, examined, "%s agree%s with %s cycle stamps, at %.1f MHz",
		             COUNTED(examined, "device event"), tav_does(examined), examined == 1 ? "its" : "their",
		             cycles_each_ns * 1000);
	return judge(verdict, TRUST_PASS, examined,
	             "the cycle stamps of %s are in order; fewer than three, so their rate is not judged",
	             COUNTED(examined, "device event"));
}

static bool applies(const struct trust *trust)
{
	const uint32_t *column = trust->host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_STAMP_1);

	for (uint64_t i = 0; column && i < trust->device_count; i++) {
		if (column[trust->devices[i]])
			return true;
	}
	return false;
}

const struct trust_check check_stamps = {
        .id = "stamps",
        .question = "Do the device's own cycle stamps agree with ts and dur?",
        .worst = TRUST_FAIL,
        .text = "Native traces carry five counters of cycles, TS1 to TS5, beside the converted times. They must "
                "ascend (they wrap at 2^32), and the cycles of an event must fit its length at the rate that most "
                "events agree on, within 16 cycles or 2 %.\n\nAn event that does not fit was converted wrongly: its "
                "cycles are right, its ts or dur is not.",
        .remedy = "take the cycles for the length of these events, not dur",
        .applies = applies,
        .run = run,
};
