/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include <report/json_out.h>

#include "report_sample.h"
#include "suite.h"

static void values_are_exact_and_texts_valid(void)
{
	char *text = NULL;
	size_t size = 0;
	struct json_out json = {.out = open_memstream(&text, &size)};

	CU_ASSERT_PTR_NOT_NULL_FATAL(json.out);
	emit_open(&json, NULL, '{');
	emit_integer(&json, "least", INT64_MIN);
	emit_size(&json, "most", UINT64_MAX);
	emit_real(&json, "tenth", 0.1);
	emit_real(&json, "three", 3);
	emit_real(&json, "largest", DBL_MAX);
	emit_real(&json, "none", NAN);
	emit_bool(&json, "yes", true);
	emit_open(&json, "empty", '[');
	emit_close(&json, ']');
	emit_open_flat(&json, "flat", '[');
	emit_text(&json, NULL, (struct tav_text){"a\0\"\\/\x1f\n\x7f", 8});
	emit_text(&json, NULL, (struct tav_text){"\xff|\xc3\xa9|\xed\xa0\x80", 8});
	emit_open(&json, NULL, '{');
	emit_close(&json, '}');
	emit_chars(&json, NULL, NULL);
	emit_close(&json, ']');
	emit_close(&json, '}');
	fclose(json.out);
	CU_ASSERT_FALSE(json.failed);
	CU_ASSERT_STRING_EQUAL(text, "{\n"
	                             "  \"least\": -9223372036854775808,\n"
	                             "  \"most\": 18446744073709551615,\n"
	                             "  \"tenth\": 0.1,\n"
	                             "  \"three\": 3.0,\n"
	                             "  \"largest\": 1.7976931348623157e+308,\n"
	                             "  \"none\": null,\n"
	                             "  \"yes\": true,\n"
	                             "  \"empty\": [],\n"
	                             "  \"flat\": [\"a\\u0000\\\"\\\\/\\u001f\\n\x7f\", "
	                             "\"\\\\xff|\xc3\xa9|\\\\xed\\\\xa0\\\\x80\", {}, null]\n"
	                             "}\n");
	free(text);
}

static void an_unreadable_source_has_nulls(void)
{
	static const struct report_style plain = {.width = 100};
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	sample_break(&sample, 0);
	sample.report.stage_count = 0;
	char *text = sample_write(&sample, "json", &plain);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(text, "{\n"
	                             "  \"schema\": \"tav-report/2\",\n"
	                             "  \"tool\": {\"name\": \"tav\", \"version\": \"1.2.3\"},\n"
	                             "  \"pipeline\": \"verify\",\n"
	                             "  \"part\": null,\n"
	                             "  \"verdict\": \"error\",\n"
	                             "  \"fail_on_warning\": false,\n"
	                             "  \"exit_status\": 2,\n"
	                             "  \"error\": null,\n"
	                             "  \"sources\": [\n"
	                             "    {\n"
	                             "      \"path\": \"trace.json\",\n"
	                             "      \"role\": \"\",\n"
	                             "      \"kind\": \"source\",\n"
	                             "      \"owner\": null,\n"
	                             "      \"form\": null,\n"
	                             "      \"gzip\": null,\n"
	                             "      \"bytes\": null,\n"
	                             "      \"events\": null,\n"
	                             "      \"dialect\": null,\n"
	                             "      \"dialect_reason\": null,\n"
	                             "      \"verdict\": \"error\",\n"
	                             "      \"doubts\": [],\n"
	                             "      \"repairs\": [],\n"
	                             "      \"warnings\": [],\n"
	                             "      \"error\": {\n"
	                             "        \"message\": \"a comma or ']' was expected, \\\"}\\\" was found\",\n"
	                             "        \"line\": 3,\n"
	                             "        \"column\": 12,\n"
	                             "        \"offset\": 120,\n"
	                             "        \"excerpt\": \"{\\\"ph\\\": \\\"X\\\"}}\",\n"
	                             "        \"caret\": 11,\n"
	                             "        \"events_read\": 5,\n"
	                             "        \"whole\": \"trace.json:3:12: a comma or ']' was expected\"\n"
	                             "      },\n"
	                             "      \"facts\": null,\n"
	                             "      \"top_level\": {},\n"
	                             "      \"threads\": [],\n"
	                             "      \"run\": null,\n"
	                             "      \"results_bytes\": 0,\n"
	                             "      \"texts\": [],\n"
	                             "      \"picture\": null\n"
	                             "    }\n"
	                             "  ],\n"
	                             "  \"baselines\": [],\n"
	                             "  \"texts\": [],\n"
	                             "  \"stages\": [],\n"
	                             "  \"run\": null\n"
	                             "}\n");
	free(text);
	sample_fini(&sample);
}

SUITE("report json", {"report json: values are exact and texts valid", values_are_exact_and_texts_valid},
      {"report json: an unreadable source has nulls", an_unreadable_source_has_nulls})
