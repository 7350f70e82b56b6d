/* SPDX-License-Identifier: Apache-2.0 */
/*
 * moved - how many bytes the copies of a trace moved. Shows a field of the input, a finding that points at events, the
 * results of another stage (`needs`), and a finding about one trace that only all of them together can tell.
 */
#include <inttypes.h>

#include <tav/kit.h>
#include <tav/results.h>

enum { OPT_LIMIT };
static const struct tav_option options[] = {
        /* LATE: it decides what combine() says, and not what each() finds. */
        [OPT_LIMIT] = {"limit", TAV_TYPE_INT, TAV_OPT_LATE, "50", "0", "100", NULL,
                       "A trace that moved less than so many percent of what another one moved is told."},
};
/* What no plugin asks for is not stored. */
enum { FIELD_BYTES };
static const struct tav_field fields[] = {[FIELD_BYTES] = {"args.bytes", TAV_TYPE_INT, 0}};
/* Stages that must stand before this one, so that what they told can be read. */
static const char *const needs[] = {"busy", NULL};

struct sum {
	uint64_t copies, without;
	int64_t bytes;
	struct tav_ref first; /* of those without */
};

static tav_status add_up(struct tav_self *self, struct sum *sum)
{
	const struct tav_host *host = self->host;
	const uint32_t *traits = host->column(self, 0, TAV_COL_TRAITS);
	const int64_t *bytes = host->column(self, 0, TAV_COL_FIELDS + FIELD_BYTES);
	const uint64_t *present = host->present(self, 0, TAV_COL_FIELDS + FIELD_BYTES);

	for (tav_row row = 0; row < host->source(self, 0)->row_count; row++) {
		if (!(row & 0xffff) && host->cancelled(self))
			return TAV_CANCELLED;
		if (!(traits[row] & TAV_TRAIT_MEMCPY) || !(traits[row] & TAV_TRAIT_INTERVAL))
			continue;
		sum->copies++;
		if (!present || present[row / 64] >> row % 64 & 1)
			sum->bytes = tav_sum(sum->bytes, bytes[row]);
		else if (!sum->without++)
			sum->first = (struct tav_ref){0, row};
	}
	return TAV_OK;
}

static tav_status tell_without(struct tav_self *self, const struct sum *sum)
{
	char message[128], count[TAV_COUNTED_SIZE];
	const struct tav_finding finding = {
	        .struct_size = sizeof(finding),
	        .severity = TAV_SEV_NOTE,
	        .id = "no_bytes",
	        .message = message,
	        .refs_each = 1,
	        .count = sum->without,
	        .instance_count = 1,
	        .refs = &sum->first,
	        .remedy = "Record with a version of the driver that tells the bytes of a copy.",
	};

	snprintf(message, sizeof(message), "%s without its bytes: the sum is too small",
	         tav_counted(count, sum->without, sum->without == 1 ? "copy" : "copie"));
	return self->host->finding(self, &finding);
}

static tav_status each(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	struct sum sum = {0};
	int64_t busy;
	tav_status status = add_up(self, &sum);

	if (status)
		return status;
	if (!results)
		return tav_fail(self, "this host does not offer %s", TAV_RESULTS_ID);
	busy = tav_metric_or(self, results, results->find_stage(self, "busy"), 0, "busy_ns", 0);
	if (sum.without && tell_without(self, &sum))
		return TAV_FAILED;
	if (tav_measure_as(self, 0, "moved_bytes", sum.bytes, TAV_UNIT_BYTES, TAV_BETTER_UNKNOWN, TAV_METRIC_HEADLINE))
		return TAV_FAILED;
	if (busy && tav_ratio(self, 0, "bytes_per_busy_ns", (double)sum.bytes / (double)busy, TAV_UNIT_NONE))
		return TAV_FAILED;
	if (!sum.copies)
		return tav_tell(self, 0, "moved", TAV_RESULT_SKIP, 0, 0, "no copy");
	return tav_tell(self, 0, "moved", TAV_RESULT_PASS, 0, sum.copies, "%" PRId64 " bytes", sum.bytes);
}

/* A trace that moved much less than another one: nothing that its own each() could have known. */
static tav_status combine(struct tav_self *self)
{
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t source_count = self->host->source_count(self), stage;
	int64_t most = 0;

	if (!results)
		return tav_fail(self, "this host does not offer %s", TAV_RESULTS_ID);
	stage = results->find_stage(self, "moved");
	for (uint32_t source = 0; source < source_count; source++) {
		int64_t bytes = tav_metric_or(self, results, stage, source, "moved_bytes", 0);

		most = bytes > most ? bytes : most;
	}
	for (uint32_t source = 0; source < source_count; source++) {
		int64_t bytes = tav_metric_or(self, results, stage, source, "moved_bytes", -1);
		tav_status status = TAV_OK;

		if (bytes >= 0 && (double)bytes < (double)most * (double)self->options[OPT_LIMIT]->integer / 100)
			status = tav_tell(self, source, "even", TAV_RESULT_WARN, 1, source_count,
			                  "it moved %" PRId64 " bytes, another one %" PRId64, bytes, most);
		if (status)
			return status;
	}
	return TAV_OK;
}

static const struct tav_page pages[] = {
        {"moved", TAV_TELLS_CHECK, 0, "How many bytes did the copies move?", NULL},
        {"even", TAV_TELLS_CHECK, TAV_SEV_WARNING, "Did this trace move about as much as the others?",
         "One that moved much less has lost copies, or did other work."},
        {"no_bytes", TAV_TELLS_FINDING, TAV_SEV_NOTE, "Copies that do not tell their bytes.", NULL},
};

static const struct tav_stage moved = {
        .struct_size = sizeof(moved),
        .name = "moved",
        .summary = "Bytes that copies moved, and traces that moved less than others",
        .options = TAV_LIST(options),
        .fields = TAV_LIST(fields),
        .needs = needs,
        .pages = TAV_LIST(pages),
        .each = each,
        .combine = combine,
};
static const struct tav_stage *const stages[] = {&moved, NULL};

const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "moved", .version = "1.0.0", .license = "Apache-2.0", .stages = stages,
};
