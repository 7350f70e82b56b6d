/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sweep looks at a track cluster by cluster: a cluster is a run of events in which each one starts before an
 * earlier one has ended. Events of different clusters share nothing, so a track without overlap is one linear scan
 * that allocates nothing.
 */
#include <stdbool.h>
#include <stdlib.h>

#include <overlap/cluster.h>
#include <overlap/sweep.h>
#include <tav/kit.h>

static void add_covered(int64_t *total, uint64_t ns)
{
	int64_t room = INT64_MAX - *total;

	*total += ns > (uint64_t)room ? room : (int64_t)ns;
}

static tav_status run_cluster(struct sweep *sweep, const tav_row *rows, uint64_t count)
{
	sweep->rows = rows;
	sweep->count = (uint32_t)count;
	return sweep->rules->strict ? cluster_strict(sweep) : cluster_partial(sweep);
}

static tav_status run_track(struct sweep *sweep, const tav_row *rows, uint64_t count)
{
	const int64_t *start_ns = sweep->start_ns, *end_ns = sweep->end_ns;
	uint64_t first = 0; /* of the cluster */
	int64_t until = end_ns[rows[0]], twice_until = INT64_MIN;

	for (uint64_t i = 1; i < count; i++) {
		int64_t start = start_ns[rows[i]], end = end_ns[rows[i]];

		if (start >= until) {
			if (i - first > 1) {
				tav_status status = run_cluster(sweep, rows + first, i - first);
				if (status)
					return status;
			}
			first = i;
			until = end;
			continue;
		}
		/* Of what lies below the highest end so far, everything from here to this event's end is covered again.
		 */
		int64_t from = start > twice_until ? start : twice_until;
		int64_t to = end < until ? end : until;
		if (to > from) {
			add_covered(&sweep->totals->overlap_ns, (uint64_t)to - (uint64_t)from);
			twice_until = to;
		}
		if (end > until)
			until = end;
	}
	return count - first > 1 ? run_cluster(sweep, rows + first, count - first) : TAV_OK;
}

static tav_status sweep_run(struct sweep *sweep, const tav_row *rows, uint64_t count)
{
	if (!count)
		return TAV_OK;
	sweep->totals->event_count += count;
	sweep->totals->track_count++;
	tav_status status = run_track(sweep, rows, count);
	free(sweep->scratch);
	free(sweep->heap);
	return status;
}

static struct sweep sweep_of(const int64_t *start_ns, const int64_t *end_ns, uint32_t track,
                             const struct tav_overlap_rules *rules,
                             tav_status (*hit)(void *user, const struct tav_overlap_hit *), void *user,
                             struct tav_overlap_totals *totals)
{
	return (struct sweep){.start_ns = start_ns,
	                      .end_ns = end_ns,
	                      .track = track,
	                      .rules = rules,
	                      .tolerance = rules->tolerance_ns > 0 ? rules->tolerance_ns : 0,
	                      .hit = hit,
	                      .user = user,
	                      .totals = totals};
}

tav_status overlap_sweep(const int64_t *start_ns, const int64_t *end_ns, const tav_row *rows, uint64_t count,
                         uint32_t track, const struct tav_overlap_rules *rules,
                         tav_status (*hit)(void *user, const struct tav_overlap_hit *), void *user,
                         struct tav_overlap_totals *totals)
{
	struct sweep sweep = sweep_of(start_ns, end_ns, track, rules, hit, user, totals);

	return sweep_run(&sweep, rows, count);
}

static tav_status sweep_order(struct tav_self *self, uint32_t source, const struct tav_order *order, uint32_t track,
                              const struct tav_overlap_rules *rules,
                              tav_status (*hit)(void *user, const struct tav_overlap_hit *), void *user,
                              struct tav_overlap_totals *totals)
{
	if (track >= order->track_count)
		return tav_fail(self, "track %u is none of the %u tracks of source %u", track, order->track_count,
		                source);
	const int64_t *start_ns = self->host->column(self, source, TAV_COL_START_NS);
	const int64_t *end_ns = self->host->column(self, source, TAV_COL_END_NS);
	uint64_t first = order->first[track], count = order->first[track + 1] - first;
	if (!start_ns || !end_ns)
		return count ? tav_fail(self, "source %u has no column of times", source) : TAV_OK;

	struct sweep sweep = sweep_of(start_ns, end_ns, track, rules, hit, user, totals);
	tav_status status = sweep_run(&sweep, order->rows + first, count);
	if (sweep.is_out_of_memory)
		return tav_fail(self, "out of memory: sweeping %llu events of track %u", (unsigned long long)count,
		                track);
	return status;
}

const struct tav_overlap overlap_extension = {
        .struct_size = sizeof(overlap_extension),
        .sweep = sweep_order,
};
