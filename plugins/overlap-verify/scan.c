/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over all rows: what else may be wrong with them. */
#include <string.h>

#include "verify.h"

enum { UNASKED, NO, YES };

struct scan {
	struct tav_self *self;
	struct facts *facts;
	unsigned char *is_launch; /* by label, once asked */
	const int64_t *start, *end;
	const uint32_t *traits, *label, *pid, *tid;
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

/* By time, then by what else can be seen of an event, so that the examples do not depend on places in the file. */
static int compare_rows(const struct scan *scan, tav_row a, tav_row b)
{
	const struct tav_host *host = scan->self->host;
	struct tav_text category_a, category_b;

	if (scan->start[a] != scan->start[b])
		return scan->start[a] < scan->start[b] ? -1 : 1;
	if (scan->end[a] != scan->end[b])
		return scan->end[a] < scan->end[b] ? -1 : 1;
	int order = tav_text_compare(host->label(scan->self, 0, scan->label[a], &category_a),
	                             host->label(scan->self, 0, scan->label[b], &category_b));
	if (!order)
		order = tav_text_compare(category_a, category_b);
	if (!order)
		order = tav_text_compare(host->value(scan->self, 0, scan->pid[a]),
		                         host->value(scan->self, 0, scan->pid[b]));
	return order ? order
	             : tav_text_compare(host->value(scan->self, 0, scan->tid[a]),
	                                host->value(scan->self, 0, scan->tid[b]));
}

static void see_example(const struct scan *scan, struct examples *examples, tav_row row)
{
	uint64_t kept = examples->count < EXAMPLES ? examples->count : EXAMPLES;

	examples->count++;
	if (kept == EXAMPLES && compare_rows(scan, row, examples->rows[kept - 1]) >= 0)
		return;
	uint64_t at = kept < EXAMPLES ? kept : kept - 1;
	for (; at && compare_rows(scan, row, examples->rows[at - 1]) < 0; at--)
		examples->rows[at] = examples->rows[at - 1];
	examples->rows[at] = row;
}

static void see_host_call(struct scan *scan, tav_row row, uint32_t label)
{
	if (scan->is_launch[label] == UNASKED) {
		struct tav_text name = scan->self->host->label(scan->self, 0, label, NULL);

		scan->is_launch[label] = says_launch(name) ? YES : NO;
	}
	if (scan->is_launch[label] == YES)
		see_example(scan, &scan->facts->launches, row);
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

static void see_device_event(struct scan *scan, tav_row row)
{
	struct facts *facts = scan->facts;
	uint32_t traits = scan->traits[row];

	facts->kernels += !!(traits & TAV_TRAIT_KERNEL);
	facts->zero_duration += scan->start[row] == scan->end[row];
	if (scan->start[row] == 0)
		see_example(scan, &facts->zero_timestamps, row);
	if (traits & TAV_TRAIT_SUSPECT_TIME)
		see_example(scan, &facts->suspect_times, row);
	if (traits & TAV_TRAIT_DEFAULT_TRACK)
		see_default_stream(facts, scan->tid[row]);
}

static tav_status scan_rows(struct scan *scan, tav_row row_count)
{
	const struct tav_host *host = scan->self->host;
	const uint32_t device = TAV_TRAIT_DEVICE | TAV_TRAIT_INTERVAL;

	for (tav_row row = 0; row < row_count; row++) {
		if (!(row & 0xffff) && host->cancelled(scan->self))
			return TAV_CANCELLED;
		if ((scan->traits[row] & device) == device)
			see_device_event(scan, row);
		else if (scan->traits[row] & (TAV_TRAIT_RUNTIME | TAV_TRAIT_DRIVER))
			see_host_call(scan, row, scan->label[row]);
	}

	uint64_t unusable_count = 0;
	const struct tav_unusable *unusable = host->unusable(scan->self, 0, &unusable_count);
	for (uint64_t i = 0; i < unusable_count; i++) {
		if (scan->traits[unusable[i].row] & TAV_TRAIT_DEVICE)
			scan->facts->unusable_device++;
		else if (unusable[i].reason != TAV_BAD_UNMATCHED)
			scan->facts->unusable_host++;
	}
	return TAV_OK;
}

tav_status scan_source(struct tav_self *self, struct facts *facts)
{
	const struct tav_host *host = self->host;
	struct scan scan = {
	        .self = self,
	        .facts = facts,
	        .start = host->column(self, 0, TAV_COL_START_NS),
	        .end = host->column(self, 0, TAV_COL_END_NS),
	        .traits = host->column(self, 0, TAV_COL_TRAITS),
	        .label = host->column(self, 0, TAV_COL_LABEL),
	        .pid = host->column(self, 0, TAV_COL_PID),
	        .tid = host->column(self, 0, TAV_COL_TID),
	};
	tav_row row_count = host->source(self, 0)->row_count;

	if (row_count && (!scan.start || !scan.end || !scan.traits || !scan.label || !scan.pid || !scan.tid))
		return tav_fail(self, "a column is missing");
	scan.is_launch = host->alloc(self, (size_t)host->label_count(self, 0) + 1);
	return scan.is_launch ? scan_rows(&scan, row_count) : TAV_FAILED;
}
