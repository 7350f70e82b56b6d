/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 5 };
static const int64_t shortest_ns = 1000000;
static const double fail_share = 0.2, wait_share = 0.2;

/* Believable kernels of one name. */
struct name {
	uint64_t count, end; /* rows[end - count] .. rows[end - 1] are its kernels, where it can have an outlier */
	int64_t longest;
};
struct by_name {
	struct name *items; /* by label */
	uint32_t count;
	tav_row *rows;
	int64_t *busy;    /* by device: summed time of all its believable events */
	int64_t *lengths; /* scratch */
};

static bool can_have_outlier(const struct name *name)
{
	return name->count >= AT_LEAST && name->longest > shortest_ns;
}

static void measure(const struct trust *trust, struct by_name *names)
{
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];
		int64_t length = length_of(trust, row), *busy = &names->busy[device_of(trust, row)];
		struct name *name = &names->items[trust->label[row]];

		if (!is_believable(trust, row))
			continue;
		*busy = tav_sum(*busy, length);
		if (!(trust->traits[row] & TAV_TRAIT_KERNEL))
			continue;
		name->count++;
		name->longest = length > name->longest ? length : name->longest;
	}
}

static tav_status group(struct trust *trust, struct by_name *names)
{
	const struct tav_host *host = trust->host;
	struct tav_self *self = trust->self;
	uint64_t kept = 0;

	*names = (struct by_name){.count = host->label_count(self, 0), .lengths = trust_numbers(trust)};
	names->items = host->alloc(self, names->count * sizeof(*names->items));
	names->busy = host->alloc(self, ((size_t)trust->about->device_count + 1) * sizeof(*names->busy));
	if (!names->lengths || !names->items || !names->busy)
		return TAV_FAILED;
	measure(trust, names);
	for (uint32_t label = 0; label < names->count; label++) {
		names->items[label].end = kept;
		kept += can_have_outlier(&names->items[label]) ? names->items[label].count : 0;
	}
	names->rows = host->alloc(self, kept * sizeof(*names->rows));
	if (!names->rows)
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count && kept; i++) {
		tav_row row = trust->devices[i];
		struct name *name = &names->items[trust->label[row]];

		if (trust->traits[row] & TAV_TRAIT_KERNEL && is_believable(trust, row) && can_have_outlier(name))
			names->rows[name->end++] = row;
	}
	return TAV_OK;
}

struct worst {
	int64_t median;
	double share;
};

static void judge_name(const struct trust *trust, struct verdict *verdict, const struct by_name *names,
                       const struct name *name, struct worst *worst)
{
	const tav_row *rows = names->rows + (name->end - name->count);
	double ratio = trust->self->options[OPT_OUTLIER_RATIO]->real,
	       wait_ratio = trust->self->options[OPT_WAIT_RATIO]->real,
	       least_share = trust->self->options[OPT_OUTLIER_SHARE]->real;
	int64_t median, total = 0;

	for (uint64_t i = 0; i < name->count; i++) {
		names->lengths[i] = length_of(trust, rows[i]);
		total = tav_sum(total, names->lengths[i]);
	}
	median = lower_median(names->lengths, name->count);
	median = median > trust->res ? median : trust->res;
	for (uint64_t i = 0; i < name->count; i++) {
		tav_row row = rows[i];
		double length = (double)length_of(trust, row), busy = (double)names->busy[device_of(trust, row)];
		bool waits = trust->traits[row] & TAV_TRAIT_COLLECTIVE;

		if (length_of(trust, row) <= shortest_ns || length < least_share * busy ||
		    (waits ? length <= wait_ratio * (double)median || length < wait_share * (double)total
		           : length <= ratio * (double)median))
			continue;
		found_by(verdict, row, length_of(trust, row));
		if (verdict->worst == row)
			worst->median = median;
		if (busy > 0 && length / busy > worst->share)
			worst->share = length / busy;
	}
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct by_name names;
	struct worst worst = {0, 0};
	uint64_t examined = 0;

	if (lacks_times(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_times(trust));
	if (group(trust, &names))
		return TAV_FAILED;
	for (uint32_t label = 0; label < names.count; label++) {
		examined += names.items[label].count >= AT_LEAST ? names.items[label].count : 0;
		if (can_have_outlier(&names.items[label]))
			judge_name(trust, verdict, &names, &names.items[label], &worst);
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no kernel name occurs five times");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "none of %s takes far longer than its equals",
		             COUNTED(examined, "kernel"));
	return judge(verdict, worst.share >= fail_share ? TRUST_FAIL : TRUST_WARN, examined,
	             "%s of %s take%s far longer than %s equals; worst: %s with %s, the median of that name is %s; "
	             "the largest share of a device's time is %.1f %%",
	             COUNTED(verdict->count, ""), COUNTED(examined, "kernel"), tav_does(verdict->count),
	             verdict->count == 1 ? "its" : "their", NAME(trust, verdict->worst), DURATION(verdict->worst_ns),
	             DURATION(worst.median), 100 * worst.share);
}

const struct trust_check check_outlier = {
        .id = "outlier",
        .question = "Does one event take far longer than its equals, and much of the time?",
        .worst = TRUST_FAIL,
        .text = "A kernel that is longer than 50 medians of its name, than 1 ms, and takes 1 % of the device time "
                "distorts every mean and every share. Collectives wait for other ranks, so they count only from 1000 "
                "medians and 20 % of their name on. From 20 % of the device time on it is a fail.\n\nFirst use of a "
                "kernel (loading of code), a pause of the machine, or a corrupt end: look at the event.",
        .remedy = "look at the event; take medians instead of means, or leave warm-up out",
        .run = run,
};
