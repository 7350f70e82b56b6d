/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <overlap/cluster.h>

uint32_t *cluster_scratch(struct sweep *sweep, size_t count)
{
	if (count > sweep->scratch_capacity) {
		free(sweep->scratch);
		sweep->scratch_capacity = count < 256 ? 256 : count;
		sweep->scratch = malloc(sweep->scratch_capacity * sizeof(*sweep->scratch));
		if (!sweep->scratch) {
			sweep->scratch_capacity = 0;
			sweep->is_out_of_memory = true;
			return NULL;
		}
	}
	memset(sweep->scratch, 0, count * sizeof(*sweep->scratch));
	return sweep->scratch;
}

tav_status cluster_settle(struct sweep *sweep, uint32_t place, struct verdict *found)
{
	tav_row later = sweep->rows[place];

	if (found->overlaps_last) {
		const struct tav_overlap_rules *rules = sweep->rules;
		if (rules->is_allowed && rules->is_allowed(rules->user, sweep->rows[place - 1], later)) {
			sweep->totals->allowed_count++;
		} else {
			if (found->partner == NOBODY ||
			    end_of(sweep, place - 1) > end_of(sweep, (uint32_t)found->partner))
				found->partner = place - 1;
			found->count++;
			found->is_partial |= found->is_partial_to_last;
		}
	}
	if (!found->count)
		return TAV_OK;
	sweep->totals->offending_count++;
	sweep->totals->partial_count += found->is_partial;
	sweep->totals->pair_count += found->count;
	if (!sweep->hit)
		return TAV_OK;
	tav_row earlier = sweep->rows[found->partner];
	int64_t start = sweep->start_ns[later], end = sweep->end_ns[later], partner_end = sweep->end_ns[earlier];
	uint64_t shared = (uint64_t)(end < partner_end ? end : partner_end) - (uint64_t)start;
	return sweep->hit(sweep->user, &(struct tav_overlap_hit){
	                                       .struct_size = sizeof(struct tav_overlap_hit),
	                                       .track = sweep->track,
	                                       .later = later,
	                                       .earlier = earlier,
	                                       .overlap_ns = shared > INT64_MAX ? INT64_MAX : (int64_t)shared,
	                                       .is_partial = found->is_partial,
	                                       .is_duplicate = start == sweep->start_ns[earlier] && end == partner_end,
	                                       .partner_count = found->count,
	                               });
}
