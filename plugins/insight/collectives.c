/* SPDX-License-Identifier: Apache-2.0 */
/* The stage collectives: what it is called, what it offers, and the order in which it works. */
#include "collectives.h"

#include "collective_pages.h"

static const struct tav_option options[COLL_OPT_COUNT] = {
        [COLL_OPT_TOP] = {"top", TAV_TYPE_INT, TAV_OPT_LATE, "20", "0", "1000000000", NULL,
                          "Rows of slowest_calls and unmatched at most; 0: all."},
        [COLL_OPT_TOLERANCE] = {"tolerance", TAV_TYPE_DURATION, TAV_OPT_LATE, "50us", "0ns", NULL, NULL,
                                "How far apart the ends of one collective may lie on different ranks."},
        [COLL_OPT_MIN_DURATION] = {"min_duration", TAV_TYPE_DURATION, TAV_OPT_LATE, "0ns", "0ns", NULL, NULL,
                                   "Collectives that take less on every rank are not judged."},
        [COLL_OPT_MAX_CALLS] = {"max_calls", TAV_TYPE_INT, 0, "1000000", "0", "1000000000", NULL,
                                "Collectives of one source that are kept for the comparison; with more none are."},
};
static const struct tav_field fields[COLL_FIELD_COUNT] = {
        [COLL_FIELD_NAME] = {"args.Collective name", TAV_TYPE_STRING, 0},
        [COLL_FIELD_GROUP] = {"args.Process Group Name", TAV_TYPE_STRING, 0},
        [COLL_FIELD_GROUP_ID] = {"args.Process Group ID", TAV_TYPE_STRING, 0},
        [COLL_FIELD_NATIVE_GROUP] = {"args.CollGroup", TAV_TYPE_STRING, 0},
        [COLL_FIELD_RANKS] = {"args.Process Group Ranks", TAV_TYPE_STRING, 0},
        [COLL_FIELD_SIZE] = {"args.Group size", TAV_TYPE_INT, 0},
        [COLL_FIELD_DTYPE] = {"args.dtype", TAV_TYPE_STRING, 0},
        [COLL_FIELD_IN] = {"args.In msg nelems", TAV_TYPE_INT, 0},
        [COLL_FIELD_OUT] = {"args.Out msg nelems", TAV_TYPE_INT, 0},
        [COLL_FIELD_SPLIT] = {"args.In split size", TAV_TYPE_STRING, 0},
        [COLL_FIELD_SEQ] = {"args.Seq", TAV_TYPE_INT, 0},
};

/* Most traces of one device have none, and then nothing needs to be put in order. */
static tav_status has_collectives(struct tav_self *self, bool *answer)
{
	const struct tav_source *about = self->host->source(self, 0);
	const uint8_t *kind = self->host->column(self, 0, TAV_COL_KIND);

	if (!about || !kind)
		return tav_fail(self, "the source lacks the kinds of its events");
	*answer = memchr(kind, TAV_KIND_COMMUNICATION, about->row_count) != NULL;
	return TAV_OK;
}

static tav_status each(struct tav_self *self)
{
	struct calls calls = {.self = self};
	bool is_there = false;
	tav_status status;

	if (has_collectives(self, &is_there))
		return TAV_FAILED;
	if (!is_there)
		return TAV_OK;
	if (has_too_many_devices(self, "calls", &status))
		return status;
	if (look_at(&calls.look, self, NULL) || calls_find(&calls) || calls_tables(&calls))
		return TAV_FAILED;
	return calls_say(&calls);
}

const struct tav_stage collectives_stage = {
        .struct_size = sizeof(collectives_stage),
        .flags = TAV_STAGE_LINKS,
        .name = "collectives",
        .summary = "Which collectives run, how large and how fast, and which rank makes the others wait",
        .help = "Over several ranks the calls of a group are matched by their order. The shortest duration of a call "
                "is "
                "its transfer, what the others take more is waiting, and the rank with the shortest arrived last. That "
                "needs no common clock. Bandwidths of one rank are lower bounds, since its time includes waiting.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = collectives_combine,
};
