/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a device is idle, as the stage wall-time found it. It is asked where it stands before this one in the pipeline
 * and ended well (all stages may be read in turn); without it the row says where to find the cause.
 */
#include <tav/results.h>

#include "triage.h"

enum { SOURCE = 0 };
#define STAGE_NONE UINT32_MAX

static uint32_t find_wall_time(struct tav_self *self, const struct tav_results *results)
{
	uint32_t found = STAGE_NONE;

	for (uint32_t i = 0; i < results->stage_count(self); i++)
		if (tav_text_is(results->stage_name(self, i, NULL), "wall-time") && results->is_done(self, i, SOURCE))
			found = i;
	return found;
}

/* Of the rows of a table about this device, and of this cause unless it is empty, the one with most idle time. */
static int64_t largest(struct tav_self *self, const struct tav_results *results, const struct tav_table_result *table,
                       struct tav_text device, struct tav_text of_cause, const char *of, struct tav_text *what)
{
	const struct tav_column_result *devices = results->column(self, table, "device");
	const struct tav_column_result *names = results->column(self, table, of);
	const struct tav_column_result *causes = results->column(self, table, "cause");
	const struct tav_column_result *idle = results->column(self, table, "idle_ns");
	int64_t most = 0;

	if (!devices || devices->type != TAV_TYPE_STRING || !names || names->type != TAV_TYPE_STRING || !causes ||
	    causes->type != TAV_TYPE_STRING || !idle || idle->type != TAV_TYPE_INT)
		return 0;
	for (uint64_t row = 0; row < table->row_count; row++) {
		int64_t ns = ((const int64_t *)idle->data)[row];

		if (tav_text_compare(((const struct tav_text *)devices->data)[row], device) || ns <= most ||
		    (of_cause.size && tav_text_compare(((const struct tav_text *)causes->data)[row], of_cause)))
			continue;
		most = ns;
		*what = ((const struct tav_text *)names->data)[row];
	}
	return most;
}

struct tav_text idle_cause(const struct analysis *analysis, const struct device *device)
{
	static const struct tav_text unknown = {
	        "Nothing runs: look at the host and its launches; -c insight names the cause",
	        sizeof("Nothing runs: look at the host and its launches; -c insight names the cause") - 1};
	struct tav_self *self = analysis->triage->self;
	const struct tav_results *results = self->host->extension(self, TAV_RESULTS_ID);
	uint32_t stage = results ? find_wall_time(self, results) : STAGE_NONE;
	const struct tav_check_result *check =
	        stage == STAGE_NONE ? NULL : results->find_check(self, stage, SOURCE, "idle_causes");
	const struct tav_table_result *causes, *names;
	struct tav_text name = device_name(analysis, device), cause = {"", 0}, first = {"", 0};
	char time[TAV_DURATION_SIZE], of_name[TAV_DURATION_SIZE];
	int64_t ns;

	if (!check)
		return unknown;
	if (check->result == TAV_RESULT_SKIP)
		return text_format(self, "Nothing runs; %.*s", (int)check->why.size, check->why.data);
	causes = results->find_table(self, stage, SOURCE, "idle");
	names = results->find_table(self, stage, SOURCE, "idle_by_name");
	ns = causes ? largest(self, results, causes, name, TEXT(""), "cause", &cause) : 0;
	if (!ns)
		return unknown;
	tav_duration(time, ns);
	ns = names ? largest(self, results, names, name, cause, "name", &first) : 0;
	if (!ns)
		return text_format(self, "Nothing runs, most of it for the cause %.*s (%s, see wall-time)",
		                   (int)cause.size, cause.data, time);
	first = text_clip(first, 80);
	return text_format(self,
	                   "Nothing runs, most of it for the cause %.*s (%s, see wall-time), above all in %.*s (%s)",
	                   (int)cause.size, cause.data, time, (int)first.size, first.data, tav_duration(of_name, ns));
}
