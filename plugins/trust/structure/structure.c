/* SPDX-License-Identifier: Apache-2.0 */
/* structure - do pairs, flows, stacks and totals fit? */
#include "structure.h"

const struct trust_check *const structure_checks[] = {
        &check_begin_end,      &check_async_pairs,    &check_flow_forward, &check_flow_ends,
        &check_flow_anchor,    &check_nesting,        &check_counters,     &check_memory_sums,
        &check_memory_present, &check_python_stack,   &check_thinned,      &check_depth,
        &check_names,          &check_metadata_share, &check_memory_floor, NULL};

static const struct tav_option options[] = {
        [OPT_NESTING_TOLERANCE] = {"nesting_tolerance", TAV_TYPE_DURATION, 0, "1us", "0", NULL, NULL,
                                   "An event may outlive the one around it by so much."},
        [OPT_PYTHON_TOLERANCE] = {"python_tolerance", TAV_TYPE_DURATION, 0, "10us", "0", NULL, NULL,
                                  "The same where one of the two is a Python frame."},
        [OPT_ANNOTATION_TOLERANCE] = {"annotation_tolerance", TAV_TYPE_DURATION, 0, "50us", "0", NULL, NULL,
                                      "The same of a Python frame and an annotation."},
        [OPT_CLOCK_TOLERANCE] = {"clock_tolerance", TAV_TYPE_DURATION, 0, "1us", "0", NULL, NULL,
                                 "A flow may end so much before its start."},
};
static const struct tav_field fields[] = {
        [FIELD_ID] = {"id", TAV_TYPE_STRING, 0},
        [FIELD_SCOPE] = {"scope", TAV_TYPE_STRING, 0},
        [FIELD_BP] = {"bp", TAV_TYPE_STRING, 0},
        [FIELD_ARGS] = {"args", TAV_TYPE_JSON, TAV_FIELD_COUNTERS},
        [FIELD_EV_IDX] = {"args.Ev Idx", TAV_TYPE_INT, 0},
        [FIELD_PYTHON_ID] = {"args.Python id", TAV_TYPE_INT, 0},
        [FIELD_PYTHON_PARENT] = {"args.Python parent id", TAV_TYPE_INT, 0},
        [FIELD_DEVICE_TYPE] = {"args.Device Type", TAV_TYPE_STRING, 0},
        [FIELD_DEVICE_ID] = {"args.Device Id", TAV_TYPE_STRING, 0},
        [FIELD_TOTAL] = {"args.Total Allocated", TAV_TYPE_INT, 0},
        [FIELD_BYTES] = {"args.Bytes", TAV_TYPE_INT, 0},
};

const void *field_of(const struct trust *trust, uint32_t field)
{
	const void *column = trust->host->column(trust->self, 0, TAV_COL_FIELDS + field);

	if (!column)
		tav_fail(trust->self, "the field %s was not read", fields[field].path);
	return column;
}

const uint64_t *field_present(const struct trust *trust, uint32_t field)
{
	return trust->host->present(trust->self, 0, TAV_COL_FIELDS + field);
}

static tav_status each(struct tav_self *self)
{
	struct trust trust;
	struct structure_facts facts = {0};
	tav_status status;

	if (trust_init(&trust, self, (uint8_t)~WORD_WINDOW_MARK))
		return TAV_FAILED;
	status = trust_look(&trust);
	if (status)
		return status;
	trust.facts = &facts;
	facts.has_links = trust.is_linked && trust.links->linked_count > 0;
	for (tav_row row = 0; row < trust.row_count; row++)
		facts.phases[(unsigned char)trust.phase[row]]++;
	status = find_flows(&trust);
	if (!status)
		status = find_numbers(&trust);
	return status ? status : trust_run(&trust, structure_checks);
}

TRUST_PAGES(structure_checks)

const struct tav_stage stage_structure = {
        .struct_size = sizeof(stage_structure),
        .flags = TAV_STAGE_NO_DEVICE_WORK | TAV_STAGE_LINKS,
        .name = "structure",
        .summary = "Do pairs, flows, stacks and totals fit?",
        .help = "Of any trace, also of one that no dialect knows: begins and ends, arrows, nesting, counters, memory "
                "totals, Python stacks, and events that were taken out.",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .pages = TAV_LIST(pages),
        .each = each,
};
