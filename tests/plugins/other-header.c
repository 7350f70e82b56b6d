/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built with an older or a newer header of the same major version (CMakeLists.txt makes them from the current one), so
 * that options and stages have another size than the host knows.
 */
#include "stage.h"

#ifdef OLD_MEMBERS
#define HELP
#else
#define HELP .help = "What it is."
#endif
static const char *const choices[] = {"a", "b", NULL};
static const struct tav_option options[] = {
        {.name = "first", .type = TAV_TYPE_INT, .preset = "1", HELP},
        {.name = "second", .type = TAV_TYPE_STRING, .preset = "two", HELP},
        {.name = "third", .type = TAV_TYPE_CHOICE, .preset = "b", .choices = choices, HELP},
};
_Static_assert(sizeof(struct tav_option) == OPTION_SIZE, "the header beside this one was taken");

static tav_status each(struct tav_self *self)
{
	if (self->options[0]->integer != 1 || self->options[1]->text.size != 3 || self->options[2]->integer != 1)
		return tav_fail(self, "the options are not those that were declared");
	return tav_tell(self, 0, "bad", TAV_RESULT_PASS, 0, 1, "host of %u bytes, self of %u", self->host->struct_size,
	                self->struct_size);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad),
                                     .name = "bad",
                                     .summary = "s",
                                     .options = TAV_LIST(options),
#ifdef NEW_MEMBERS
                                     .fresh = "of a later version",
#endif
                                     .each = each};
PLUGIN(bad);
