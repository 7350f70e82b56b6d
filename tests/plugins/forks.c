/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin's children do must not become a second run: one ends itself, the other comes back. */
#include <sys/wait.h>
#include <unistd.h>

#include "stage.h"

static tav_status each(struct tav_self *self)
{
	pid_t child = fork(), twin;

	if (!child)
		_exit(0);
	twin = fork();
	if (!twin)
		return TAV_OK;
	if (child < 0 || waitpid(child, NULL, 0) != child || twin < 0 || waitpid(twin, NULL, 0) != twin)
		return tav_fail(self, "cannot fork");
	return each_well(self);
}
static const struct tav_stage bad = {.struct_size = sizeof(bad), .name = "bad", .summary = "s", .each = each};
PLUGIN(bad);
