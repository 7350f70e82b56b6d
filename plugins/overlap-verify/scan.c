/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "verify.h"

enum { UNASKED, NO, YES };

struct scan {
	struct tav_self *self;
	uint32_t source;
	struct facts *facts;
	unsigned char *is_launch; /* by label, once asked */
};

static int says_launch(struct tav_text name)
{
	static const char word[] = "launch";
	const size_t size = sizeof(word) - 1;

	for (size_t at = 0; at + size <= name.size; at++) {
		size_t i = 0;
		while (i < size && (name.data[at + i] | 0x20) == word[i])
			i++;
		if (i == size)
			return 1;
	}
	return 0;
}

static void see_host_call(struct scan *scan, tav_row row, uint32_t label)
{
	if (scan->is_launch[label] == UNASKED) {
		struct tav_text category;
		scan->is_launch[label] = says_launch(scan->self->host->label(scan->self, label, &category)) ? YES : NO;
	}
	if (scan->is_launch[label] == YES && !scan->facts->launches++)
		scan->facts->first_launch = row;
}

static void see_default_stream(struct facts *facts, uint32_t tid)
{
	facts->default_stream++;
	for (uint32_t i = 0; i < facts->default_tid_count; i++) {
		if (facts->default_tids[i] == tid)
			return;
	}
	if (facts->default_tid_count < TIDS_TOLD)
		facts->default_tids[facts->default_tid_count++] = tid;
}

static void see_device_event(struct facts *facts, tav_row row, uint32_t traits, int64_t start, int64_t end,
                             uint32_t tid)
{
	facts->kernels += !!(traits & TAV_TRAIT_KERNEL);
	facts->zero_duration += start == end;
	if (start == 0 && !facts->zero_timestamp++)
		facts->first_zero_timestamp = row;
	if (traits & TAV_TRAIT_SUSPECT_TIME && !facts->suspect_time++)
		facts->first_suspect = row;
	if (traits & TAV_TRAIT_DEFAULT_TRACK)
		see_default_stream(facts, tid);
}

static tav_status scan_rows(struct scan *scan, tav_row row_count)
{
	const struct tav_host *host = scan->self->host;
	const int64_t *start = host->column(scan->self, scan->source, TAV_COL_START_NS);
	const int64_t *end = host->column(scan->self, scan->source, TAV_COL_END_NS);
	const uint32_t *traits = host->column(scan->self, scan->source, TAV_COL_TRAITS);
	const uint32_t *label = host->column(scan->self, scan->source, TAV_COL_LABEL);
	const uint32_t *tid = host->column(scan->self, scan->source, TAV_COL_TID);

	if (row_count && (!start || !end || !traits || !label || !tid))
		return tav_fail(scan->self, "a column of source %u is missing", scan->source);
	for (tav_row row = 0; row < row_count; row++) {
		if (!(row & 0xffff) && host->cancelled(scan->self))
			return TAV_CANCELLED;
		if ((traits[row] & (TAV_TRAIT_DEVICE | TAV_TRAIT_INTERVAL)) == (TAV_TRAIT_DEVICE | TAV_TRAIT_INTERVAL))
			see_device_event(scan->facts, row, traits[row], start[row], end[row], tid[row]);
		else if (traits[row] & (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER))
			see_host_call(scan, row, label[row]);
	}

	uint64_t unusable_count = 0;
	const struct tav_unusable *unusable = host->unusable(scan->self, scan->source, &unusable_count);
	for (uint64_t i = 0; i < unusable_count; i++) {
		if (traits[unusable[i].row] & TAV_TRAIT_DEVICE)
			scan->facts->unusable_device++;
		else if (unusable[i].reason != TAV_BAD_UNMATCHED)
			scan->facts->unusable_host++;
	}
	return TAV_OK;
}

tav_status scan_source(struct tav_self *self, uint32_t source, struct facts *facts)
{
	uint32_t label_count = self->host->label_count(self);
	struct scan scan = {self, source, facts, calloc((size_t)label_count + 1, 1)};

	if (!scan.is_launch)
		return tav_fail(self, "out of memory: %u labels", label_count);
	tav_status status = scan_rows(&scan, self->host->source(self, source)->row_count);
	free(scan.is_launch);
	return status;
}
