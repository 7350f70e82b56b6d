/* SPDX-License-Identifier: Apache-2.0 */
/* As many metrics and findings as its option says: what they take must grow with their number, and no faster. */
#include "stage.h"

static const struct tav_option options[] = {
        {"count", TAV_TYPE_INT, 0, "1", "0", NULL, NULL, "How many."},
};
static tav_status each(struct tav_self *self)
{
	tav_status status = each_well(self);

	for (int64_t i = 0; !status && i < self->options[0]->integer; i++) {
		char id[32];

		snprintf(id, sizeof(id), "m%lld", (long long)i);
		struct tav_finding finding = {
		        .struct_size = sizeof(finding), .id = id, .severity = TAV_SEV_NOTE, .message = id, .count = 1};
		status = tav_measure(self, 0, id, i, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN);
		if (!status)
			status = self->host->finding(self, &finding);
	}
	return status;
}
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .options = TAV_LIST(options), .each = each};
PLUGIN(bad);
