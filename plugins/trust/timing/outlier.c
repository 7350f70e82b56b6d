/* SPDX-License-Identifier: Apache-2.0 */
#include "timing.h"

enum { AT_LEAST = 5 };
static const int64_t shortest_ns = 1000000;
static const double fail_share = 0.2, wait_share = 0.2;

/* Believable kernels, those of one name together: rows[first[l]] .. rows[first[l + 1] - 1] are of label l. */
struct by_name {
	uint64_t *first;
	tav_row *rows;
	int64_t *busy;    /* by device: summed time of all its believable events */
	int64_t *lengths; /* scratch */
	uint32_t labels;
};

static bool is_kernel(const struct trust *trust, tav_row row)
{
	return trust->traits[row] & TAV_TRAIT_KERNEL && is_believable(trust, row);
}

static tav_status group(struct trust *trust, struct by_name *names)
{
	const struct tav_host *host = trust->host;
	struct tav_self *self = trust->self;

	names->labels = host->label_count(self, 0);
	names->first = host->alloc(self, ((size_t)names->labels + 2) * sizeof(*names->first));
	names->rows = host->alloc(self, trust->kernel_count * sizeof(*names->rows));
	names->lengths = host->alloc(self, trust->kernel_count * sizeof(*names->lengths));
	names->busy = host->alloc(self, ((size_t)trust->about->device_count + 1) * sizeof(*names->busy));
	if (!names->first || !names->rows || !names->lengths || !names->busy)
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (!is_believable(trust, row))
			continue;
		names->busy[device_of(trust, row)] = tav_sum(names->busy[device_of(trust, row)], length_of(trust, row));
		if (is_kernel(trust, row))
			names->first[trust->label[row] + 2]++;
	}
	for (uint32_t label = 0; label < names->labels; label++)
		names->first[label + 2] += names->first[label + 1];
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (is_kernel(trust, row))
			names->rows[names->first[trust->label[row] + 1]++] = row;
	}
	return TAV_OK;
}

struct worst {
	int64_t median;
	double share;
};

static void judge_name(const struct trust *trust, struct verdict *verdict, const struct by_name *names, uint32_t label,
                       struct worst *worst)
{
	uint64_t from = names->first[label], to = names->first[label + 1];
	double ratio = trust->self->options[OPT_OUTLIER_RATIO]->real,
	       wait_ratio = trust->self->options[OPT_WAIT_RATIO]->real,
	       least_share = trust->self->options[OPT_OUTLIER_SHARE]->real;
	int64_t median, total = 0, longest = 0;

	for (uint64_t i = from; i < to; i++) {
		int64_t length = length_of(trust, names->rows[i]);

		names->lengths[i - from] = length;
		total = tav_sum(total, length);
		longest = length > longest ? length : longest;
	}
	if (longest <= shortest_ns)
		return;
	median = lower_median(names->lengths, to - from);
	median = median > trust->res ? median : trust->res;
	for (uint64_t i = from; i < to; i++) {
		tav_row row = names->rows[i];
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
	for (uint32_t label = 0; label < names.labels; label++) {
		uint64_t count = names.first[label + 1] - names.first[label];

		if (count < AT_LEAST)
			continue;
		examined += count;
		judge_name(trust, verdict, &names, label, &worst);
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
