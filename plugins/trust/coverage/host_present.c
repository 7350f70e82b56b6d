/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s", lacks_devices(trust));
	verdict->count = 1;
	if (!trust->call_count)
		return judge(verdict, TRUST_WARN, 0,
		             "no calls of the host: nothing can be told about delays, operators and lost records");
	if (!trust->operator_count)
		return judge(
		        verdict, TRUST_NOTE, trust->call_count,
		        "calls of the host, but no operators: kernels cannot be told apart by what asked for them");
	verdict->count = 0;
	return judge(verdict, TRUST_PASS, trust->call_count + trust->operator_count, "%s and %s",
	             COUNTED(trust->call_count, "call"), COUNTED(trust->operator_count, "operator"));
}

const struct trust_check check_host_present = {
        .id = "host_present",
        .question = "Was the host recorded?",
        .worst = TRUST_WARN,
        .absent = "the dialect knows no links to launches",
        .text = "Device events without any call of the host (runtime or driver): the trace cannot say why the device "
                "idled, what waited, or what was lost. With calls but without operators it cannot say which operator a "
                "kernel belongs to.",
        .remedy = "record the activity of the host too",
        .applies = needs_links,
        .run = run,
};
