/* SPDX-License-Identifier: Apache-2.0 */
/* The extension "tav.results/1". See <tav/results.h>. */
#include <string.h>

#include <host/view.h>
#include <kit/text.h>

/* Those before this stage, and itself. */
static uint32_t stage_count(struct tav_self *self)
{
	const struct call *call = call_of(self);
	bool is_open = call->phase == PHASE_EACH || call->phase == PHASE_COMBINE;

	return is_open && call->host->stage != TAV_NONE ? call->host->stage + 1 : 0;
}

static struct tav_text stage_name(struct tav_self *self, uint32_t stage, struct tav_text *id)
{
	const struct report *report = &call_of(self)->host->run->report;
	bool is_there = stage < stage_count(self);

	if (id)
		*id = text_of(is_there ? report->stages[stage].id : NULL);
	return text_of(is_there ? report->stages[stage].name : NULL);
}

static bool may_read(const struct host *host, const char *name)
{
	const struct part *part = host->setup->part;

	if (!strcmp(part->name, name))
		return true;
	for (const char *const *need = part->stage.needs; need && *need; need++) {
		if (!strcmp(*need, name))
			return true;
	}
	return false;
}

static uint32_t find_stage(struct tav_self *self, const char *name)
{
	const struct host *host = call_of(self)->host;
	const struct report *report = &host->run->report;

	if (!name || !may_read(host, name))
		return TAV_NONE;
	for (uint32_t stage = stage_count(self); stage-- > 0;) {
		if (!strcmp(report->stages[stage].name, name))
			return stage;
	}
	return TAV_NONE;
}

/* Results that this call may see; NULL: none. */
static const struct results *seen(struct tav_self *self, uint32_t stage, uint32_t source)
{
	const struct call *call = call_of(self);
	struct report *report = &call->host->run->report;

	if (stage >= stage_count(self))
		return NULL;
	if (call->phase == PHASE_EACH)
		return call_results(call, source);
	if (source == TAV_RUN)
		return &report->run;
	uint32_t number = call_source(call, source);
	return number == TAV_NONE ? NULL : &report->sources[number].results;
}

static int32_t is_done(struct tav_self *self, uint32_t stage, uint32_t source)
{
	const struct results *results = seen(self, stage, source);

	return results && stage < results->stage_count && results->stages[stage].is_done;
}

static const struct stage_results *of_stage(struct tav_self *self, uint32_t stage, uint32_t source)
{
	const struct results *results = seen(self, stage, source);

	if (!results || stage >= results->stage_count)
		return NULL;
	/* Its own are there while it looks; what another one told is shown when it has ended well. */
	return results->stages[stage].is_done || source == TAV_RUN || stage == call_of(self)->host->stage
	               ? &results->stages[stage]
	               : NULL;
}

static const struct tav_check_result *check(struct tav_self *self, uint32_t stage, uint32_t source, uint32_t i)
{
	const struct stage_results *told = of_stage(self, stage, source);

	return told && i < told->check_count ? told->checks[i] : NULL;
}

static const struct tav_metric_result *metric(struct tav_self *self, uint32_t stage, uint32_t source, uint32_t i)
{
	const struct stage_results *told = of_stage(self, stage, source);

	return told && i < told->metric_count ? &told->metrics[i]->shown : NULL;
}

static const struct tav_finding_result *finding(struct tav_self *self, uint32_t stage, uint32_t source, uint32_t i)
{
	const struct stage_results *told = of_stage(self, stage, source);

	return told && i < told->finding_count ? &told->findings[i]->shown : NULL;
}

static const struct tav_table_result *table(struct tav_self *self, uint32_t stage, uint32_t source, uint32_t i)
{
	const struct stage_results *told = of_stage(self, stage, source);

	return told && i < told->table_count ? &told->tables[i]->shown : NULL;
}

static const struct tav_check_result *find_check(struct tav_self *self, uint32_t stage, uint32_t source, const char *id)
{
	return of_stage(self, stage, source) && id ? results_find_check(seen(self, stage, source), stage, id) : NULL;
}

static const struct tav_metric_result *find_metric(struct tav_self *self, uint32_t stage, uint32_t source,
                                                   const char *id)
{
	const struct result_metric *found =
	        of_stage(self, stage, source) && id ? results_find_metric(seen(self, stage, source), stage, id) : NULL;

	return found ? &found->shown : NULL;
}

static const struct tav_finding_result *find_finding(struct tav_self *self, uint32_t stage, uint32_t source,
                                                     const char *id)
{
	const struct result_finding *found =
	        of_stage(self, stage, source) && id ? results_find_finding(seen(self, stage, source), stage, id) : NULL;

	return found ? &found->shown : NULL;
}

static const struct tav_table_result *find_table(struct tav_self *self, uint32_t stage, uint32_t source, const char *id)
{
	const struct result_table *found =
	        of_stage(self, stage, source) && id ? results_find_table(seen(self, stage, source), stage, id) : NULL;

	return found ? &found->shown : NULL;
}

static const struct tav_column_result *column(struct tav_self *self, const struct tav_table_result *of,
                                              const char *name)
{
	struct tav_text wanted = text_of(name);

	(void)self;
	for (uint32_t i = 0; of && i < of->column_count; i++) {
		struct tav_text found = of->columns[i].name;

		if (found.size == wanted.size && !memcmp(found.data, wanted.data, wanted.size))
			return &of->columns[i];
	}
	return NULL;
}

static struct tav_text doubt(struct tav_self *self, uint32_t source, uint32_t i, struct tav_text *id)
{
	const struct call *call = call_of(self);
	const struct report_source *about = NULL;

	if (call->phase == PHASE_EACH && source == 0 && call->view)
		about = call->view->shown;
	else if (call->phase == PHASE_COMBINE && source != TAV_RUN && call_source(call, source) != TAV_NONE)
		about = &call->host->run->report.sources[call_source(call, source)];
	bool is_there = about && i < about->doubt_count;
	if (id)
		*id = text_of(is_there ? about->doubts[i].id : NULL);
	return text_of(is_there ? about->doubts[i].message : NULL);
}

const struct tav_results results_extension = {
        .struct_size = sizeof(results_extension),
        .stage_count = stage_count,
        .stage_name = stage_name,
        .find_stage = find_stage,
        .is_done = is_done,
        .check = check,
        .metric = metric,
        .finding = finding,
        .table = table,
        .find_check = find_check,
        .find_metric = find_metric,
        .find_finding = find_finding,
        .find_table = find_table,
        .column = column,
        .doubt = doubt,
};
