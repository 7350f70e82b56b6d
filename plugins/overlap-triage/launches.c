/* SPDX-License-Identifier: Apache-2.0 */
/* Correlations: which host event started a kernel, and which operator's id belongs to it. */
#include "triage.h"

/* May this correlation be a key of a map? */
bool correlation_key(const struct analysis *analysis, tav_row row, uint64_t *key)
{
	*key = (uint64_t)analysis->correlation[row];
	return is_present(analysis->correlation_present, row) && *key != UINT64_MAX;
}

static bool is_launch_label(struct triage *triage, uint32_t label)
{
	struct label_facts *facts = &triage->labels[label];
	struct tav_text category;

	if (!facts->launch)
		facts->launch =
		        text_has_lower(triage->self->host->label(triage->self, label, &category), "launch") ? 2 : 1;
	return facts->launch == 2;
}

/*
 * `rows` has the wanted correlations as keys; gives each the row + 1 of the runtime or driver call that carries it. A
 * call named launch comes before others, then the earlier one in the file.
 */
tav_status find_launches(struct analysis *analysis, struct map *rows)
{
	struct triage *triage = analysis->triage;

	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint64_t key;
		uint32_t *launch;

		if (!(analysis->traits[row] & (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER)) ||
		    !(analysis->traits[row] & TAV_TRAIT_INTERVAL) || !correlation_key(analysis, row, &key) ||
		    !(launch = map_find(rows, key)))
			continue;
		if (!*launch || (!is_launch_label(triage, analysis->label[*launch - 1]) &&
		                 is_launch_label(triage, analysis->label[row])))
			*launch = row + 1;
	}
	return TAV_OK;
}

/*
 * `places` has the wanted correlations as keys; gives each the place + 1 of its id in *ids (in `pool`), where the last
 * event of the file that carries both decides.
 */
tav_status find_external_ids(struct analysis *analysis, struct pool *pool, struct map *places, int64_t **ids)
{
	size_t count = 0;

	*ids = POOL_NEW(pool, int64_t, places->count);
	if (!*ids)
		return no_memory(analysis->triage);
	if (!places->count)
		return TAV_OK;
	for (tav_row row = 0; row < analysis->info->row_count; row++) {
		uint64_t key;
		uint32_t *place;

		if (!is_present(analysis->external_present, row) || !correlation_key(analysis, row, &key) ||
		    !(place = map_find(places, key)))
			continue;
		if (!*place)
			*place = (uint32_t)++count;
		(*ids)[*place - 1] = analysis->external[row];
	}
	return TAV_OK;
}
