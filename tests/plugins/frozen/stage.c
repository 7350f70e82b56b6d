/* SPDX-License-Identifier: Apache-2.0 */
/* Built with the header of version 2.0, kept beside it: every later host of that major version must take it. */
#include <tav/plugin.h>

static const struct tav_option options[] = {
        {"limit", TAV_TYPE_INT, 0, "10", "0", NULL, NULL, "How many."},
        {"window", TAV_TYPE_WINDOW, TAV_OPT_LATE, "1ms..2ms", NULL, NULL, NULL, "When."},
};
static const struct tav_page pages[] = {
        {"old", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Does an old plugin still run?", NULL},
};

static tav_status each(struct tav_self *self)
{
	const struct tav_source *source = self->host->source(self, 0);
	const int64_t *starts = self->host->column(self, 0, TAV_COL_START_NS);
	struct tav_check check = {.struct_size = sizeof(check),
	                          .id = "old",
	                          .result = TAV_RESULT_PASS,
	                          .why = "built with the header of 2.0",
	                          .examined = source ? source->row_count : 0};

	if (!source || !starts || self->options[0]->integer != 10 || self->options[1]->to_ns != 2000000)
		check.result = TAV_RESULT_FAIL;
	return self->host->check(self, &check);
}
static const struct tav_stage old = {.struct_size = sizeof(old),
                                     .name = "old",
                                     .summary = "s",
                                     .options = TAV_LIST(options),
                                     .pages = TAV_LIST(pages),
                                     .each = each};
static const struct tav_stage *const stages[] = {&old, NULL};
const struct tav_plugin tav_plugin = {TAV_PLUGIN_HEAD, "old", "1.0.0", "Apache-2.0", NULL, stages};
