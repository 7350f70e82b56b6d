/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

static bool is_work(const struct trust *trust, tav_row row)
{
	uint32_t work = TAV_TRAIT_DEVICE | TRUST_HOST_CALL | TAV_TRAIT_HOST_OP;

	return is_interval(trust, row) &&
	       (!trust->has_dialect || trust->traits[row] & work || is_annotation(trust, row));
}

static bool has_name(const struct trust *trust, uint32_t pid)
{
	return trust->host->name_of(trust->self, 0, pid, TAV_NONE).size > 0;
}

/* All with work: of a thread the first event of that kind will do. */
static tav_status find_processes(struct trust *trust, struct tav_map *processes)
{
	const struct tav_order *order = trust_threads(trust);
	uint64_t last = UINT64_MAX;

	if (!order)
		return TAV_FAILED;
	for (uint32_t track = 0; track < order->track_count; track++) {
		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
			tav_row row = order->rows[i];

			if (trust->pid[row] == last || !is_work(trust, row))
				continue;
			last = trust->pid[row];
			if (tav_map_number(processes, last) == TAV_NONE)
				return TAV_FAILED;
			if (is_thread(trust, track))
				break;
		}
	}
	return TAV_OK;
}

static tav_status find_nameless(struct trust *trust, struct verdict *verdict, struct tav_sentence *say)
{
	struct tav_map nameless;
	uint64_t last = UINT64_MAX;

	tav_map_init(&nameless, trust->self);
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t before = nameless.count;

		if (trust->pid[row] == last || !is_work(trust, row))
			continue;
		last = trust->pid[row];
		if (has_name(trust, trust->pid[row]))
			continue;
		if (tav_map_number(&nameless, last) == TAV_NONE)
			return TAV_FAILED;
		if (nameless.count == before)
			continue;
		found(verdict, row);
		if (verdict->count <= 3)
			tav_say(say, "%s%s", say->used ? ", " : "",
			        SHORT(trust->host->value(trust->self, 0, trust->pid[row])));
	}
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct tav_map processes;
	char list[160] = "";
	struct tav_sentence say = {list, sizeof(list), 0};
	bool is_any_nameless = false;

	tav_map_init(&processes, trust->self);
	if (find_processes(trust, &processes))
		return TAV_FAILED;
	for (uint32_t i = 0; i < processes.count; i++)
		is_any_nameless = is_any_nameless || !has_name(trust, (uint32_t)processes.numbers[i]);
	if (is_any_nameless && find_nameless(trust, verdict, &say))
		return TAV_FAILED;
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
