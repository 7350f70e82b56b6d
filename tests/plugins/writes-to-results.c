/* SPDX-License-Identifier: Apache-2.0 */
/* What each() told stands fast when combine() reads it. */
#include <tav/results.h>

#include "stage.h"

static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	const struct tav_check_result *check = results->find_check(self, results->find_stage(self, "bad"), 0, "bad");

	if (!check)
		return tav_fail(self, "no check");
	((volatile struct tav_check_result *)(uintptr_t)check)->result = TAV_RESULT_FAIL;
	return TAV_OK;
}
static const struct tav_stage bad = {
        .struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each_well, .combine = combine};
PLUGIN(bad);
