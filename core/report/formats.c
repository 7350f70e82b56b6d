/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <report/writers.h>

const struct report_format report_formats[] = {
        {"text", "for a person", write_text},
        {"json", "everything, for programs (report.schema.json)", write_json},
        {"csv", "findings and tables, for spreadsheets", write_csv},
        {"junit", "checks and findings as test cases, for CI", write_junit},
        {NULL, NULL, NULL},
};

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *format = report_formats; format->name; format++) {
		if (!strcmp(format->name, name))
			return format;
	}
	return NULL;
}

const char *form_name(uint32_t form)
{
	static const char *const names[] = {"empty", "object", "array", "lines"};

	return form <= TAV_FORM_LINES ? names[form] : "unknown";
}

const char *unit_name(uint32_t unit)
{
	static const char *const names[] = {NULL, "ns", "bytes", "percent", "ratio", "count"};

	return unit <= TAV_UNIT_COUNT ? names[unit] : NULL;
}

const char *result_name(uint32_t result)
{
	static const char *const names[] = {"pass", "warn", "fail", "skip"};

	return names[result - TAV_RESULT_PASS];
}

const char *severity_name(uint32_t severity)
{
	static const char *const names[] = {"note", "warning", "error"};

	return names[severity - TAV_SEV_NOTE];
}

const char *type_name(uint32_t type)
{
	return type == TAV_TYPE_INT ? "integer" : type == TAV_TYPE_REAL ? "real" : "string";
}
