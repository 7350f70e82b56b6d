/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_devices(trust));
	if (trust->kernel_count)
		return judge(verdict, TRUST_PASS, trust->kernel_count, "%s", COUNTED(trust->kernel_count, "kernel"));
	for (uint64_t i = 0; i < trust->device_count; i++)
		found(verdict, trust->devices[i]);
	return judge(verdict, TRUST_WARN, trust->device_count, "%s, but no kernel among them",
	             COUNTED(trust->device_count, "device event"));
}

const struct trust_check check_kernel_present = {
        .id = "kernel_present",
        .question = "Are there kernels, not only copies?",
        .worst = TRUST_WARN,
        .text = "Device events, but copies and fills only: kernels were not recorded, or are written in a way that the "
                "dialect does not know. Busy and idle times of the device are then those of copies.",
        .remedy = "check which activities the profiler was asked for",
        .run = run,
};
