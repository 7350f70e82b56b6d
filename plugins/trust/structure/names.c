/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct tav_map processes;
	uint64_t last = UINT64_MAX;
	char list[160] = "";
	struct tav_sentence say = {list, sizeof(list), 0};

	tav_map_init(&processes, trust->self);
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t work = TAV_TRAIT_DEVICE | TRUST_HOST_CALL | TAV_TRAIT_HOST_OP, before = processes.count;

		if (!is_interval(trust, row) || last == trust->pid[row] ||
		    (trust->has_dialect && !(trust->traits[row] & work) && !is_annotation(trust, row)))
			continue;
		last = trust->pid[row];
		if (tav_map_number(&processes, last) == TAV_NONE)
			return TAV_FAILED;
		if (processes.count == before || trust->host->name_of(trust->self, 0, trust->pid[row], TAV_NONE).size)
			continue;
		found(verdict, row);
		if (verdict->count <= 3)
			tav_say(&say, "%s%s", say.used ? ", " : "",
			        SHORT(trust->host->value(trust->self, 0, trust->pid[row])));
	}
	if (!processes.count)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no process with work");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, processes.count, "%u process%s with work, each with a name",
		             processes.count, processes.count == 1 ? "" : "es");
	return judge(verdict, TRUST_NOTE, processes.count, "%s of %u process%s with work ha%s no name: pid %s%s",
	             COUNTED(verdict->count, ""), processes.count, processes.count == 1 ? "" : "es",
	             verdict->count == 1 ? "s" : "ve", list, verdict->count > 3 ? ", ..." : "");
}

const struct trust_check check_names = {
        .id = "names",
        .question = "Have the processes with work a name?",
        .worst = TRUST_NOTE,
        .text = "Viewers show processes by the name that the trace gives them (process_name). Without one a reader "
                "must know which number is which device.",
        .run = run,
};
