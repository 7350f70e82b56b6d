/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	double limit = trust->self->options[OPT_OVERHEAD]->real;
	struct span host = {INT64_MAX, INT64_MIN}, *spans;
	uint64_t count = 0;
	int64_t length, cost;

	if (!(trust->all_traits & TAV_TRAIT_OVERHEAD))
		return does_not_apply(verdict);
	for (tav_row row = 0; row < trust->row_count; row++)
		count += is_interval(trust, row) && trust->traits[row] & TAV_TRAIT_OVERHEAD;
	if (!count)
		return does_not_apply(verdict);
	spans = trust->host->alloc(trust->self, count * sizeof(*spans));
	if (!spans)
		return TAV_FAILED;
	count = 0;
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t traits = trust->traits[row];

		if (!is_interval(trust, row))
			continue;
		if (traits & TAV_TRAIT_OVERHEAD)
			spans[count++] = (struct span){trust->start[row], trust->end[row]};
		if (!(traits & (TRUST_HOST_CALL | TAV_TRAIT_HOST_OP)) &&
		    (!(traits & TAV_TRAIT_ANNOTATION) || traits & TAV_TRAIT_DEVICE_CLOCK))
			continue;
		host.from = trust->start[row] < host.from ? trust->start[row] : host.from;
		host.to = trust->end[row] > host.to ? trust->end[row] : host.to;
	}
	if (host.from > host.to)
		return judge(verdict, TRUST_INCONCLUSIVE, count, "no host events to compare with");
	length = host.to - host.from;
	cost = union_of(spans, count);
	if ((double)cost <= limit * (double)length)
		return judge(verdict, TRUST_PASS, count, "the profiler took %s of the time", SHARE(cost, length));
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (is_interval(trust, row) && trust->traits[row] & TAV_TRAIT_OVERHEAD)
			found_by(verdict, row, length_of(trust, row));
	}
	return judge(verdict, TRUST_WARN, count, "the profiler took %s of %s (%s); longest: %s with %s", DURATION(cost),
	             DURATION(length), SHARE(cost, length), NAME(trust, verdict->worst), DURATION(verdict->worst_ns));
}

const struct trust_check check_overhead = {
        .id = "overhead",
        .question = "What did the profiler cost?",
        .worst = TRUST_WARN,
        .text = "The profiler writes down its own pauses (buffers requested and flushed, code instrumented). Where "
                "they take more than overhead (10 %) of the host's time, the trace shows the profiler as much as the "
                "program.",
        .remedy = "record less at a time, warm the profiler up, or turn off stacks and shapes",
        .run = run,
};
