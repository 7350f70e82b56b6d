/* SPDX-License-Identifier: Apache-2.0 */
/* What plugins say: handed to the report, with sources numbered as the report numbers them. */
#include <stdlib.h>
#include <string.h>

#include <pipeline/view.h>

/* Nothing else may be written between a plugin's call and the report: the same stage may call from one thread only. */
static bool to_report(const struct run *run, uint32_t source, uint32_t *out)
{
	*out = source;
	if (source == TAV_RUN)
		return true;
	if (source >= run->source_count + run->input_count)
		return false;
	*out = run->sources[source].source;
	return true;
}

__attribute__((format(printf, 2, 3))) static tav_status refuse(struct host *host, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return host_cause(host, NULL, 0, text);
}

/* The common part: is this a stage, are there a name and such a source? */
static tav_status accept(struct host *host, const char *what, const char *id, uint32_t source, uint32_t *inner)
{
	if (host->stage == TAV_NONE)
		return refuse(host, "a dialect has no report to write to");
	if (!host->run->is_classified)
		return refuse(host, "the report is open during run() only");
	if (!id || !*id)
		return refuse(host, "a %s without an id", what);
	if (!to_report(host->run, source, inner))
		return refuse(host, "the %s '%s' is of source %u, which is not there", what, id, source);
	return TAV_OK;
}

static tav_status refuse_because(struct host *host, const char *what, const char *id, const char *why)
{
	return refuse(host, "the report does not take the %s '%s': %s", what, id, why ? why : "out of memory");
}

tav_status view_check(struct tav_self *self, uint32_t source, const char *id, uint32_t result, const char *why)
{
	struct host *host = host_of(self);
	uint32_t inner;

	if (accept(host, "check", id, source, &inner))
		return TAV_FAILED;
	if (result < TAV_RESULT_PASS || result > TAV_RESULT_SKIP)
		return refuse(host, "the check '%s' has the unknown result %u", id, result);
	if (!report_add_check(&host->run->report, host->stage, inner, id, result, why))
		return refuse_because(host, "check", id, NULL);
	return TAV_OK;
}

/* Items of an older plugin's list, each as long as ours. NULL: no memory. */
static struct tav_series *copy_series(const struct tav_series_list *list)
{
	struct tav_series *copy = calloc(list->count ? list->count : 1, sizeof(*copy));
	size_t size = list->item_size < sizeof(*copy) ? list->item_size : sizeof(*copy);

	for (uint32_t i = 0; copy && i < list->count; i++)
		memcpy(&copy[i], (const char *)list->items + (size_t)i * list->item_size, size);
	return copy;
}

static tav_status accept_series(struct host *host, const char *what, const char *id, const struct tav_series_list *list)
{
	if (list->count && (!list->items || list->item_size < offsetof(struct tav_series, present) + sizeof(void *)))
		return refuse(host, "the %s '%s' has a broken list of series", what, id);
	return TAV_OK;
}

/* The refs in the report's numbers. NULL: no memory, or a source that is not there. */
static struct tav_ref *copy_refs(const struct run *run, const struct tav_ref *refs, size_t count)
{
	struct tav_ref *copy = calloc(count ? count : 1, sizeof(*copy));

	for (size_t i = 0; copy && i < count; i++) {
		copy[i].row = refs[i].row;
		if (refs[i].source == TAV_RUN || !to_report(run, refs[i].source, &copy[i].source) ||
		    refs[i].row >= run->store.sources[copy[i].source]->row_count) {
			free(copy);
			return NULL;
		}
	}
	return copy;
}

tav_status view_finding(struct tav_self *self, const struct tav_finding *given)
{
	struct host *host = host_of(self);
	struct tav_finding finding = {0};
	size_t size = given->struct_size < sizeof(finding) ? given->struct_size : sizeof(finding);
	size_t ref_count;
	const char *why = NULL;

	memcpy(&finding, given, size);
	finding.struct_size = sizeof(finding);
	if (size < offsetof(struct tav_finding, max_instances))
		return refuse(host, "a finding without struct_size");
	if (accept(host, "finding", finding.id, finding.source, &finding.source) ||
	    accept_series(host, "finding", finding.id, &finding.measures))
		return TAV_FAILED;
	if (finding.refs_each > 4 || (finding.instance_count && finding.refs_each && !finding.refs) ||
	    __builtin_mul_overflow(finding.instance_count, (size_t)finding.refs_each, &ref_count))
		return refuse(host, "the finding '%s' has broken references", finding.id);
	if (!finding.refs)
		ref_count = 0;
	struct tav_ref *refs = copy_refs(host->run, finding.refs, ref_count);
	struct tav_series *series = copy_series(&finding.measures);
	bool is_taken = false;
	if (!refs) {
		why = "it names an event that is not there, or memory ran out";
	} else if (series) {
		finding.refs = finding.refs ? refs : NULL;
		finding.measures.items = series;
		finding.measures.item_size = sizeof(*series);
		is_taken = report_add_finding(&host->run->report, host->stage, &finding, &why);
	}
	free(refs);
	free(series);
	return is_taken ? TAV_OK : refuse_because(host, "finding", finding.id, why);
}

tav_status view_table(struct tav_self *self, const struct tav_table *given)
{
	struct host *host = host_of(self);
	struct tav_table table = {0};
	size_t size = given->struct_size < sizeof(table) ? given->struct_size : sizeof(table);
	const char *why = NULL;

	memcpy(&table, given, size);
	table.struct_size = sizeof(table);
	if (size < offsetof(struct tav_table, shows))
		return refuse(host, "a table without struct_size");
	if (accept(host, "table", table.id, table.source, &table.source) ||
	    accept_series(host, "table", table.id, &table.columns))
		return TAV_FAILED;
	struct tav_series *series = copy_series(&table.columns);
	bool is_taken = false;
	if (series) {
		table.columns.items = series;
		table.columns.item_size = sizeof(*series);
		is_taken = report_add_table(&host->run->report, host->stage, &table, &why);
	}
	free(series);
	return is_taken ? TAV_OK : refuse_because(host, "table", table.id, why);
}

tav_status view_metric(struct tav_self *self, uint32_t source, const char *id, int64_t value, uint32_t unit)
{
	struct host *host = host_of(self);
	uint32_t inner;

	if (accept(host, "metric", id, source, &inner))
		return TAV_FAILED;
	if (!report_add_metric(&host->run->report, host->stage, inner, id, value, unit))
		return refuse_because(host, "metric", id, NULL);
	return TAV_OK;
}

tav_status view_ratio(struct tav_self *self, uint32_t source, const char *id, double value, uint32_t unit)
{
	struct host *host = host_of(self);
	uint32_t inner;
	const char *why = NULL;

	if (accept(host, "ratio", id, source, &inner))
		return TAV_FAILED;
	if (!report_add_ratio(&host->run->report, host->stage, inner, id, value, unit, &why))
		return refuse_because(host, "ratio", id, why);
	return TAV_OK;
}
