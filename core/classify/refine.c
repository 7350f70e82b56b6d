/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <classify/refine.h>

enum { BATCH = 4096 };

/* What the callback said through its self, or that it said nothing. */
static tav_status callback_failed(const struct dialect *dialect, const char *callback, tav_status status,
                                  struct causes *causes)
{
	cause_add(causes, "%s() of dialect '%s' failed", callback, dialect->descriptor->name);
	return status;
}

tav_status refine_labels(const struct events *events, const struct dialect *dialect, const uint32_t *labels,
                         uint32_t count, uint32_t *traits, struct causes *causes)
{
	const struct label *texts = COLUMN(events, labels, const struct label);
	struct tav_text *names = malloc((count ? count : 1) * 2 * sizeof(*names));

	if (!names)
		return cause_add(causes, "out of memory: %u labels", count);
	struct tav_text *categories = names + count;
	for (uint32_t i = 0; i < count; i++) {
		names[i] = intern_kept(&events->values, texts[labels[i]].name);
		categories[i] = intern_kept(&events->values, texts[labels[i]].category);
	}
	tav_status status = dialect->descriptor->classify(dialect->self, count, names, categories, traits);
	free(names);
	return status ? callback_failed(dialect, "classify", status, causes) : TAV_OK;
}

tav_status refine_rows(struct events *events, const struct dialect *dialect, struct causes *causes)
{
	uint32_t *traits = COLUMN(events, traits, uint32_t);
	tav_row rows[BATCH];
	uint32_t batch[BATCH], host_traits[BATCH], count = 0;

	for (tav_row row = 0; row < events->row_count; row++) {
		if (traits[row] & TAV_TRAIT_REFINE) {
			traits[row] &= ~(uint32_t)TAV_TRAIT_REFINE;
			rows[count] = row;
			host_traits[count] = traits[row];
			batch[count++] = traits[row];
		}
		if (!count || (count < BATCH && row + 1 < events->row_count))
			continue;
		if (dialect->descriptor->refine) {
			tav_status status = dialect->descriptor->refine(dialect->self, 0, count, rows, batch);
			if (status)
				return callback_failed(dialect, "refine", status, causes);
		}
		for (uint32_t i = 0; i < count; i++)
			traits[rows[i]] = classify_keep_host_traits(batch[i], host_traits[i]);
		count = 0;
	}
	return TAV_OK;
}
