/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff - did this change make the device work slower, and where? Medians of steps decide, never sums; the sums say what
 * the change is made of, to the nanosecond.
 */
#include "diff.h"

#include <tav/map.h>

static tav_status each(struct tav_self *self)
{
	struct source_sum sum = {0};
	uint64_t events = 0;
	tav_status status = sum_source(self, &sum);

	if (!status)
		status = tables_tell(self, &sum);
	if (status)
		return status;
	for (uint32_t i = 0; i < sum.device_count; i++)
		events += (uint64_t)(sum.devices[i].event_count + sum.devices[i].outside_count);
	if (!events)
		return tav_tell(self, 0, "tables", TAV_RESULT_SKIP, 0, 0,
		                "no device work: there is nothing to compare");
	return tav_tell(self, 0, "tables", TAV_RESULT_PASS, 0, events, "%s on %s", COUNTED(events, "device event"),
	                COUNTED(sum.device_count, "device"));
}

/* ---- Who is compared with whom ----------------------------------------------------------------------------------- */
struct sides {
	const struct tav_results *results;
	uint32_t stage;
	struct source_sum *bases, *cands;
	uint32_t base_count, cand_count;
	struct tav_map ranks; /* of the baselines, by their texts */
	uint32_t *first,
	        *next; /* by rank: the first baseline of it; by baseline: the next of its rank. TAV_NONE: no more */
};

static tav_status read_side(struct tav_self *self, struct sides *sides, uint32_t source, struct source_sum *out,
                            int *is_there)
{
	*is_there = sides->results->is_done(self, sides->stage, source);
	return *is_there ? tables_read(self, sides->results, sides->stage, source, out) : TAV_OK;
}

static tav_status read_sides(struct tav_self *self, struct sides *sides)
{
	uint32_t count = self->host->source_count(self), bases = 0;
	int is_there;

	while (self->host->source(self, count + bases))
		bases++;
	sides->cands = self->host->alloc(self, ((size_t)count + 1) * sizeof(*sides->cands));
	sides->bases = self->host->alloc(self, ((size_t)bases + 1) * sizeof(*sides->bases));
	if (!sides->cands || !sides->bases)
		return TAV_FAILED;
	for (uint32_t i = 0; i < bases; i++) {
		const struct tav_source *about = self->host->source(self, count + i);

		if (read_side(self, sides, count + i, &sides->bases[sides->base_count], &is_there))
			return TAV_FAILED;
		if (!is_there)
			return tav_fail(self, "the baseline %.*s could not be looked at; its own error says why",
			                (int)about->path.size, about->path.size ? about->path.data : "");
		sides->base_count++;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (read_side(self, sides, i, &sides->cands[sides->cand_count], &is_there))
			return TAV_FAILED;
		sides->cand_count += is_there != 0;
	}
	return TAV_OK;
}

static tav_status index_ranks(struct tav_self *self, struct sides *sides)
{
	sides->first = self->host->alloc(self, ((size_t)sides->base_count + 1) * sizeof(*sides->first));
	sides->next = self->host->alloc(self, ((size_t)sides->base_count + 1) * sizeof(*sides->next));
	if (!sides->first || !sides->next)
		return TAV_FAILED;
	tav_map_init(&sides->ranks, self);
	for (uint32_t i = sides->base_count; i-- > 0;) {
		uint32_t known = sides->ranks.count, rank = tav_map_text(&sides->ranks, sides->bases[i].about[A_RANK]);

		if (rank == TAV_NONE)
			return TAV_FAILED;
		sides->next[i] = rank == known ? TAV_NONE : sides->first[rank];
		sides->first[rank] = i;
	}
	return TAV_OK;
}

/* Baselines of the same rank; where there is but one of each side they belong together, whatever they say. */
static uint32_t partners_of(const struct sides *sides, const struct source_sum *cand, const struct source_sum **out)
{
	int is_only = sides->cand_count == 1 && sides->ranks.count == 1;
	uint32_t rank = is_only ? 0 : tav_map_find_text(&sides->ranks, cand->about[A_RANK]), count = 0;

	for (uint32_t i = rank == TAV_NONE ? TAV_NONE : sides->first[rank]; i != TAV_NONE; i = sides->next[i])
		out[count++] = &sides->bases[i];
	return count;
}

static tav_status tell_lonely(struct tav_self *self, const struct source_sum *cand)
{
	struct tav_text rank = cand->about[A_RANK];

	return tav_tell(self, cand->source, "comparable",
	                settings_of(self)->on_inconclusive == UNSURE_FAIL ? TAV_RESULT_FAIL : TAV_RESULT_WARN, 1, 1,
	                "no baseline of rank %.*s", (int)rank.size, rank.data);
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */
struct tally {
	uint32_t compared, counts[RESULT_COUNT], unsure;
	struct tav_text rank; /* of the one that moved most */
	double most;
};

static void count_one(struct tally *tally, const struct comparison *comparison)
{
	const struct judged *judged = comparison->device_count ? &comparison->devices[0].judged[M_COMPUTE] : NULL;
	double change = judged && judged->base ? (double)(judged->cand - judged->base) / (double)judged->base : 0;

	tally->compared++;
	if (comparison->reasons.count)
		tally->unsure++;
	else
		tally->counts[comparison->would]++;
	if (tally->compared == 1 || (change < 0 ? -change : change) > (tally->most < 0 ? -tally->most : tally->most)) {
		tally->most = change;
		tally->rank =
		        comparison->cand->about[A_RANK].size ? comparison->cand->about[A_RANK] : comparison->cand->path;
	}
}

static tav_status tell_tally(struct tav_self *self, const struct tally *tally)
{
	if (tally->compared < 2)
		return TAV_OK;
	return tav_headline(
	        self, TAV_RUN,
	        "of %s %u regressed, %u improved, %u unchanged, %u inconclusive; rank %.*s moved most (%+.1f %%)",
	        COUNTED(tally->compared, "trace"), tally->counts[R_REGRESSED], tally->counts[R_IMPROVED],
	        tally->counts[R_UNCHANGED], tally->unsure, (int)tally->rank.size, tally->rank.data, 100 * tally->most);
}

static tav_status compare_all(struct tav_self *self, const struct sides *sides)
{
	const struct source_sum **partners =
	        self->host->alloc(self, ((size_t)sides->base_count + 1) * sizeof(*partners));
	struct comparison *comparison = self->host->alloc(self, sizeof(*comparison));
	struct tally tally = {0};
	tav_status status = partners && comparison ? TAV_OK : TAV_FAILED;

	for (uint32_t i = 0; i < sides->cand_count && !status; i++) {
		uint32_t count = partners_of(sides, &sides->cands[i], partners);

		if (!count) {
			status = tell_lonely(self, &sides->cands[i]);
			continue;
		}
		status = compare(self, partners, count, &sides->cands[i], comparison);
		if (!status)
			status = tell_comparison(self, comparison);
		count_one(&tally, comparison);
	}
	return status ? status : tell_tally(self, &tally);
}

static tav_status combine(struct tav_self *self)
{
	struct sides sides = {.results = self->host->extension(self, TAV_RESULTS_ID)};
	tav_status status;

	if (!sides.results)
		return tav_fail(self, "this host does not offer %s", TAV_RESULTS_ID);
	if (!self->options[OPT_BASELINE]->count)
		return tav_headline(self, TAV_RUN, "no baseline: the tables were made, nothing was compared");
	sides.stage = sides.results->find_stage(self, "diff");
	status = read_sides(self, &sides);
	if (!status)
		status = index_ranks(self, &sides);
	return status ? status : compare_all(self, &sides);
}

/* ---- The plugin -------------------------------------------------------------------------------------------------- */
static const struct tav_page pages[] = {
        {"tables", TAV_TELLS_CHECK, 0, "Was there device work to make tables of?",
         "The tables `about`, `devices`, `measures` and `calls` are all that a later comparison needs: save the JSON "
         "report, keep it in git, and name it as diff.baseline."},
        {"comparable", TAV_TELLS_CHECK, TAV_SEV_ERROR, "May the two be compared?",
         "Not when they differ in dialect, device, rank, world size or number of repetitions, when names of most of "
         "the "
         "compute time have no partner, or when a side lost events. diff.ignore releases what does not matter; "
         "diff.units states the number of repetitions."},
        {"inconclusive", TAV_TELLS_FINDING, TAV_SEV_ERROR, "A reason why the two cannot be compared.",
         "Everything is computed and shown all the same; it is not a verdict. --set diff.on_inconclusive=warn makes it "
         "a warning."},
        {"compute", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did compute time per step grow?",
         "The median over the steps of one side against that of the other. It regressed when it grew by the limit or "
         "more, by more than one capture drifts by itself, and all steps of one side lie above all of the other.\n\n"
         "With less than 4 steps a side the limit is twice as wide."},
        {"regressed", TAV_TELLS_FINDING, TAV_SEV_ERROR, "A measure that grew by more than its limit.",
         "The table `parts` says whether there are more calls, slower ones, or new names; `changes` says which."},
        {"improved", TAV_TELLS_FINDING, TAV_SEV_NOTE, "It became faster by more than the limit.",
         "Save the baseline again: measured against the old one, the next loss of as much goes unseen."},
        {"step", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did the time of a marked step grow?",
         "Judged only where both sides have marked steps, three or more of them closed."},
        {"busy", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did the device's busy time grow?", NULL},
        {"copies", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did copies take longer?", NULL},
        {"communication", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did communication take longer?",
         "A collective lasts as long as its slowest partner, so this may be the fault of another rank."},
        {"exposed_communication", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did communication without compute beside it grow?",
         NULL},
        {"exposed_copies", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did copies with nothing beside them grow?", NULL},
        {"idle", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did idle time grow?", NULL},
        {"kernel", TAV_TELLS_CHECK, TAV_SEV_ERROR, "Did a single kernel become slower than limit_kernel allows?", NULL},
        {"kernel_regressed", TAV_TELLS_FINDING, TAV_SEV_ERROR, "Kernels slower than limit_kernel allows.", NULL},
        {"new_kernels", TAV_TELLS_FINDING, TAV_SEV_ERROR, "Kernels that the baseline does not have.", NULL},
        {"compared", TAV_TELLS_TABLE, 0, "How do the medians compare?", NULL},
        {"parts", TAV_TELLS_TABLE, 0, "What is the change of compute time made of?",
         "By the sums, to the nanosecond: other numbers of calls, another time per call, names that are new or gone."},
        {"changes", TAV_TELLS_TABLE, 0, "Which names changed?",
         "slower, faster: beyond noise; more, fewer: another number of calls; unclear: a group of names moved; same: "
         "not more than noise. `match` says how the name found its partner."},
        {"notes", TAV_TELLS_TABLE, 0, "What else is to be known of the comparison?", NULL},
        {"comparison", TAV_TELLS_TABLE, 0, "The comparison, a row for each device, for scripts.", NULL},
        {"about", TAV_TELLS_TABLE, 0, "What was captured.", NULL},
        {"devices", TAV_TELLS_TABLE, 0, "Devices and the origin of their steps.", NULL},
        {"measures", TAV_TELLS_TABLE, 0, "Order statistics of each measure over the steps.", NULL},
        {"calls", TAV_TELLS_TABLE, 0, "Order statistics of the calls of each name.", NULL},
};

static const struct tav_stage diff = {
        .struct_size = sizeof(diff),
        .flags = TAV_STAGE_LINKS,
        .name = "diff",
        .summary = "Is device work slower than that of a baseline, and where?",
        .help = "Compares each trace with a baseline, a trace or the report of an earlier run. Steps are those that "
                "are "
                "marked, else repetitions inferred from how often each kernel runs, else all is one. Medians over the "
                "steps decide. Without a baseline it makes the tables that a report keeps: save it with --report "
                "json=FILE, and name that file as the baseline later.",
        .options = {diff_options, OPTION_COUNT, sizeof(struct tav_option)},
        .pages = TAV_LIST(pages),
        .create = settings_create,
        .each = each,
        .combine = combine,
        .destroy = settings_destroy,
};
static const struct tav_stage *const stages[] = {&diff, NULL};

TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "diff", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
