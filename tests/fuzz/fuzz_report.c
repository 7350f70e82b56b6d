/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Property: any bytes are either refused with a message whose place lies in the text, or are a report that every writer
 * can write, and whose JSON is read back and written again byte for byte.
 */
#include <stdlib.h>
#include <string.h>

#include <report/report.h>

#include "fuzz.h"

static const struct report_style style = {.width = 60, .verbosity = 1};

static char *written(const struct report *report, const struct report_format *format, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (!out || !format->write(report, &style, out) || fclose(out))
		__builtin_trap();
	return text;
}

static void check_written(const struct report *report)
{
	const struct report_format *json = report_format_find("json");
	struct read_report again;
	struct read_error error;
	size_t size, second_size;
	char *first = written(report, json, &size);

	if (!report_read_text(first, size, true, &again, &error))
		__builtin_trap();
	char *second = written(&again.report, json, &second_size);
	if (size != second_size || memcmp(first, second, size) != 0)
		__builtin_trap();
	free(second);
	free(first);
	read_report_fini(&again);
	for (const struct report_format *format = report_formats; format->name; format++) {
		if (format->write) /* the trace has a writer of its own */
			free(written(report, format, &size));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct read_report read;
	struct read_error error;

	report_is_report((const char *)data, size);
	if (report_read_text((const char *)data, size, true, &read, &error))
		check_written(&read.report);
	else if (!error.message || !error.excerpt || !error.line || error.offset > size)
		__builtin_trap();
	read_report_fini(&read);
	if (report_read_text((const char *)data, size, false, &read, &error) && read.report.baseline_count)
		__builtin_trap();
	read_report_fini(&read);
	return 0;
}
