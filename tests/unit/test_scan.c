/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner: what is JSON and what is not, with each instruction set and with blocks that end anywhere. */
#include <stdlib.h>

#include "suite.h"
#include "trace_text.h"

static const char *const codes[] = {"scalar", "sse2", "avx2"};

static struct wanted wanted_fields(void)
{
	struct wanted wanted = {0};

	wanted_add(&wanted, "args.stream", TAV_TYPE_STRING);
	wanted_add(&wanted, "args.a", TAV_TYPE_STRING);
	wanted_add(&wanted, "args.a", TAV_TYPE_INT);
	wanted_add(&wanted, "args.a", TAV_TYPE_REAL);
	wanted_add(&wanted, "args.a", TAV_TYPE_JSON);
	wanted_add(&wanted, "args.a", TAV_TYPE_PRESENT);
	wanted_add(&wanted, "args.b.c d", TAV_TYPE_STRING);
	wanted_add(&wanted, "id", TAV_TYPE_STRING);
	wanted_add(&wanted, "name", TAV_TYPE_STRING);
	return wanted;
}

/* Reads the text in every way there is; all must agree. The dump of the first. */
static char *read_in_all_ways(const char *data, size_t size, bool is_lenient)
{
	static const size_t block_sizes[] = {1 << 20, 1, 2, 3, 7, 64};
	struct wanted wanted = wanted_fields();
	char *first = NULL;

	for (size_t c = 0; c < sizeof(codes) / sizeof(codes[0]); c++) {
		for (size_t b = 0; scan_choose(codes[c]) && b < sizeof(block_sizes) / sizeof(block_sizes[0]); b++) {
			struct read_job job;
			tav_status status = read_bytes(&job, &wanted, data, size, is_lenient, block_sizes[b], codes[c]);
			char *dump = dump_job(&job, &wanted, status);

			CU_ASSERT_PTR_NOT_NULL_FATAL(dump);
			if (first && strcmp(first, dump) != 0) {
				printf("  %s, blocks of %zu:\n%s  but was:\n%s", codes[c], block_sizes[b], dump, first);
				CU_FAIL("the ways to read it differ");
			}
			if (!first)
				first = dump;
			else
				free(dump);
			read_job_fini(&job);
		}
	}
	wanted_fini(&wanted);
	return first;
}

static bool is_read_as(const char *text, bool is_lenient, const char *wanted)
{
	char *dump = read_in_all_ways(text, strlen(text), is_lenient);
	bool is_right = strstr(dump, wanted);

	if (!is_right)
		printf("  %s\n  is read as\n%s  without %s\n", text, dump, wanted);
	free(dump);
	return is_right;
}

#define READS(text, wanted) CU_ASSERT_TRUE(is_read_as(text, false, wanted))
#define MENDS(text, wanted) CU_ASSERT_TRUE(is_read_as(text, true, wanted))
#define LIST(event) "{\"traceEvents\": [" event "]}"

static void knows_the_three_forms(void)
{
	READS(LIST(""), "form 1 bytes 19 events 0");
	READS("[]", "form 2 bytes 2 events 0");
	READS(" [ {\"ph\":\"i\"} ] ", "form 2 bytes 16 events 1");
	READS("[{\"ph\":\"i\"},\n{\"ph\":\"i\"}]", "form 2 bytes 24 events 2");
	READS("[\n{\"ph\":\"i\"}\n{\"ph\":\"i\"}\n]\n", "form 3 bytes 26 events 2");
	READS("[\n{\"ph\":\"i\"}\n{\"ph\":\"i\"}\n", "form 3 bytes 24 events 2");
	READS("{\"ph\":\"i\"}\n{\"ph\":\"i\"}", "form 3 bytes 21 events 2");
	READS("{\"ph\":\"i\"}", "form 3 bytes 10 events 1");
	READS("\xef\xbb\xbf{\"ph\":\"i\"}", "form 3 bytes 13 events 1");
	READS("{\"ph\": \"i\", \"traceEvents\": []}", "form 1");
	READS("{\"a\": 1, \"traceEvents\": [{\"ph\":\"i\"}], \"b\": {\"c\": [2]} , \"d\":3}",
	      "top {\"a\": 1,\"b\": {\"c\": [2]},\"d\":3}");
	READS("{\"distributedInfo\": {\"rank\": 3}, \"traceEvents\": []}", "rank 3");
	READS("{\"trace\\u0045vents\": []}", "form 1");
}

static void refuses_other_forms(void)
{
	READS("", "empty");
	READS(" \n ", "empty");
	READS("\xef\xbb\xbf", "empty");
	READS("{}", "no traceEvents");
	READS("{\"a\": 1}", "no traceEvents");
	READS("{\"rocprofiler-sdk-tool\": []}", "rocprofv3");
	READS("{\"traceEvents\": null}", "behind traceEvents, found 'n'");
	READS("{\"traceEvents\": [], \"traceEvents\": []}", "1:21 @20 after 0: duplicate key traceEvents");
	READS("{\"traceEvents\": []} {}", "second document");
	READS("{\"traceEvents\": []} 1", "something stands behind the end");
	READS("[] []", "second document");
	READS("[{\"ph\":\"i\"}\n{\"ph\":\"i\"},{\"ph\":\"i\"}]", "a comma between events");
	READS("[{\"ph\":\"i\"},{\"ph\":\"i\"}\n{\"ph\":\"i\"}]", "expected ',' or ']'");
	READS("[{\"ph\":\"i\"}{\"ph\":\"i\"}]", "white space or ','");
	READS("{\"ph\":\"i\"},\n{\"ph\":\"i\"}", "a comma between events");
	READS("7", "expected '{' or '['");
	READS("[7]", "an event, '{', or ']', found '7'");
	READS("[{\"ph\":\"i\"}, null]", "expected an event, '{', found 'n'");
	char utf16[] = "{\0\"\0p\0h\0";
	char *dump = read_in_all_ways(utf16, sizeof(utf16) - 1, false);
	CU_ASSERT_PTR_NOT_NULL(strstr(dump, "UTF-16"));
	free(dump);
	dump = read_in_all_ways("\xff\xfe{\0", 4, false);
	CU_ASSERT_PTR_NOT_NULL(strstr(dump, "UTF-16"));
	free(dump);
}

static void follows_rfc_8259(void)
{
	static const char *const good[] = {"0",
	                                   "-0",
	                                   "1",
	                                   "-1.5",
	                                   "1e5",
	                                   "1E+5",
	                                   "1.25e-5",
	                                   "\"\"",
	                                   "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud834\\udd1e\"",
	                                   "true",
	                                   "false",
	                                   "null",
	                                   "[]",
	                                   "{}",
	                                   "[[], {}, [1, 2 , 3], {\"a\" : {\"b\":[null]}}]",
	                                   "\"\\ud800\"",
	                                   "\"\x7f\"",
	                                   "123456789012345678901234567890",
	                                   "\"0123456789012345678901234567890123456789\"",
	                                   "0.1234567890123456789012345",
	                                   "[\t\n\r 1]",
	                                   "\"{[}],:\""};
	static const char *const bad[] = {
	        "01",        "-",     "-a",        "1.",    "1.e5",       ".5",      "+1",
	        "1e",        "1e+",   "0x7",       "1a",    "'a'",        "\"\\x\"", "\"\\u12g4\"",
	        "\"\\u\"",   "tru",   "True",      "nul",   "undefined",  "NaN",     "Infinity",
	        "-Infinity", "[1,]",  "[,1]",      "[1 2]", "{\"a\":1,}", "{\"a\"}", "{a:1}",
	        "{\"a\" 1}", "{,}",   "{\"a\":}",  "[1}",   "{\"a\":1]",  "\"\t\"",  "\"\n\"",
	        "\"\x01\"",  "1 2",   "truefalse", "/**/1", "\v1",        "\f1",     "--1",
	        "1..2",      "1e5e5", "[",         "{",     "\"",         "\"\\",    "-",
	        ""};
	char text[300];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(text, sizeof(text), "[{\"ph\":\"i\",\"x\":%s,\"args\":{\"a\":%s,\"y\":%s}}]", good[i], good[i],
		         good[i]);
		READS(text, "events 1");
		snprintf(text, sizeof(text), "{\"x\":%s,\"traceEvents\":[],\"y\":%s}", good[i], good[i]);
		READS(text, "form 1");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		static const char *const frames[] = {"[{\"ph\":\"i\",\"x\":%s}]",
		                                     "[{\"ph\":\"i\",\"args\":{\"a\":%s}}]",
		                                     "[{\"ph\":\"i\",\"args\":{\"q\":[%s]}}]",
		                                     "[{\"ph\":\"i\",\"args\":[%s, 1]}]",
		                                     "[{\"ph\":\"i\",\"ts\":%s}]",
		                                     "[{\"ph\":\"i\",\"name\":%s}]",
		                                     "[{\"ph\":%s}]",
		                                     "[{\"ph\":\"i\",\"args\":{\"stream\":%s}}]",
		                                     "{\"x\":%s,\"traceEvents\":[]}",
		                                     "{\"traceEvents\":[],\"x\":%s}"};

		for (size_t k = 0; k < sizeof(frames) / sizeof(frames[0]); k++) {
			if (!*bad[i] && (k == 2)) /* an empty list is a list */
				continue;
			snprintf(text, sizeof(text), frames[k], bad[i]); /* NOLINT: the frames stand above */
			READS(text, "error -1 1:");
		}
	}
}

static void names_what_it_finds(void)
{
	READS("[{\"ph\":\"i\",\"a\":\"x\x01\"}]", "1:18 @17 after 0: a string holds the control character '\\x01'");
	READS("[{\"ph\":\"i\"},\n{\"ph\":nan}]", "2:7 @19 after 1: 'nan' is not JSON");
	READS("[{\"ph\":\"i\"},\n]", "2:1 @13 after 1: trailing comma");
	READS("[{\"ph\":\"i\",}]", "1:11 @10 after 0: trailing comma");
	READS("[{\"ph\":\"C:\\Pro\"}]", "1:11 @10 after 0: a backslash before 'P' is no escape");
	READS("[{\"ph\":\"i\"}", "end of file");
	READS("[{\"ph\":\"i\"", "truncated");
	READS("[{'ph':1}]", "a single quote");
	READS("[{\"ph\": // none\n1}]", "a comment");
	READS("[{\"ph\":\"i\",\"name\":\"{\"a\": 1}\"}]", "expected ',' or '}' behind a value, found 'a'");
}

static void reads_any_depth_up_to_its_limit(void)
{
	char text[5000] = "[{\"ph\":\"i\",\"x\":", *end = text + strlen(text);

	for (unsigned depth = 900; depth <= 1100; depth += 100) {
		memset(end, '[', depth);
		memset(end + depth, ']', depth);
		strcpy(end + 2 * depth, "}]");
		READS(text, depth == 900 ? "events 1" : "refused");
	}
}

static void learned_steps_change_nothing(void)
{
	/* The same keys, then with other blanks, empty args, no object, other keys, and twice the same key. */
	READS("[{\"ph\":\"X\",\"args\":{\"a\":1,\"stream\":7}},{\"ph\":\"X\",\"args\":{\"a\":2,\"stream\":8}},"
	      "{\"ph\":\"X\",\"args\": {\"a\":3,\"stream\": "
	      "9}},{\"ph\":\"X\",\"args\":{}},{\"ph\":\"X\",\"args\":{\"a\":4}},"
	      "{\"ph\":\"X\",\"args\":null},{\"ph\":\"X\",\"args\":{\"a\":5,\"stream\":10}}]",
	      " 10 5 5 5 5 + ");
	READS("[{\"ph\":\"i\",\"args\":7},{\"ph\":\"i\",\"args\":7},{\"ph\":\"i\",\"args\":{\"a\":8}},{\"ph\":\"i\","
	      "\"args\":{\"a\":9}}]",
	      "9 9 9 9 +");
	READS("[{\"ph\":\"i\",\"args\":{\"a\":1}},{\"ph\":\"i\",\"args\":{\"a\":2}},{\"ph\":\"i\",\"args\":{\"a\":"
	      "\"3\"} }]",
	      "3 3 3 \"3\" +");
	READS("[{\"ph\":\"i\",\"name\":\"x\"},{\"ph\":\"i\",\"name\":\"y\"},{\"ph\":\"i\",\"name\":\"z\",\"name\":"
	      "\"w\"}]",
	      "duplicate_key x1");
	READS("[{\"args\":{\"a\":1},\"ph\":\"i\"},{\"args\":{\"a\":2},\"ph\":\"i\"},{\"args\":{\"a\":3},\"args\":{"
	      "\"stream\":4},\"ph\":\"i\"}]",
	      " 4  - -  - ");
	READS("[{\"ph\":\"i\",\"id\":1},{\"ph\":\"i\",\"id\":2},{\"ph\":\"i\",\"id\":3},{},{\"ph\":\"i\",\"id\":4}]",
	      "empty_event x1");
}

static void keeps_values_exactly(void)
{
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":18446744073709551615}}"),
	      " 18446744073709551615 - 1.8446744073709552e+19 1844");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":7.0}}"), " 7.0 - 7 7.0 +");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":\"7\"}}"), " 7 7 7 \"7\" +");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":true}}"), " true - - true +");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":null}}"), "  - - null - ");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":\"\"}}"), "  - - \"\" - ");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":{\"b\": [1 ,2]}}}"), "  - - {\"b\": [1 ,2]} + ");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":-9223372036854775808}}"), " -9223372036854775808 ");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"a\":1e400}}"), " 1e400 - - 1e400 +");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"b.c d\":\"q\"}}"), " q  ");
	READS(LIST("{\"ph\":\"X\",\"attr\":{\"stream\":\"s1\"}}"), " s1 ");
	READS(LIST("{\"ph\":\"X\",\"\\u006eame\":\"tab\\t\\u00e9\\ud834\\udd1e\"}"), "'tab\t\xc3\xa9\xf0\x9d\x84\x9e'");
	READS(LIST("{\"ph\":\"X\",\"name\":\"\\ud834x\\udd1e\"}"), "'\xed\xa0\xb4x\xed\xb4\x9e'");
	READS(LIST("{\"\\u0070h\":\"X\",\"\\u0074s\":5,\"dur\":1,\"pid\":\"p\",\"tid\":12345678901234567890}"),
	      "88 [5000, 6000) '' '' pid p tid 12345678901234567890 traits 4000000 @17");
}

static void warns_of_what_is_strange(void)
{
	READS(LIST("{\"ph\":\"i\",\"name\":\"a\xff\"},{\"ph\":\"i\",\"x\":\"\xc3\"},{\"ph\":\"i\",\"x\":\"\xc3\xa9\"}"),
	      "notice 1 bad_utf8 x2 1:36 @35");
	READS(LIST("{},{\"ph\":\"i\"},{ }"), "notice 1 empty_event x2");
	READS(LIST("{\"name\":\"a\"},{\"ph\":\"XX\"},{\"ph\":5}"), "notice 1 event_without_phase x3");
	READS(LIST("{\"ph\":\"X\",\"name\":\"k\",\"args\":{\"stream\":7,\"stream\":20}}"),
	      "notice 1 duplicate_key x1 1:67 @66 duplicate key \"stream\" in event 1 (\"k\")");
	READS(LIST("{\"ph\":\"X\",\"args\":{\"stream\":7,\"stream\":null}}"), "duplicate_key");
	READS(LIST("{\"ph\":\"X\",\"zz\":7,\"zz\":8}"), "rank -1 of -1 top {}\nunusable 0");
}

static void mends_when_asked(void)
{
	MENDS("[{\"ph\":\"i\"},{\"ph\":\"i\"}", "notice 2 truncated x1");
	MENDS("[{\"ph\":\"i\"},{\"ph\":\"i\",\"na", "form 2 bytes 25 events 1");
	MENDS("{\"traceEvents\":[{\"ph\":\"i\"},{\"ph\":\"i\"}", "events 2");
	MENDS("{\"traceEvents\":[{\"ph\":\"i\"}],\"a\":", "notice 2 truncated x1");
	MENDS("{\"a\":1", "error -1");
	MENDS("[{\"ph\":\"i\"},{\"ph\":\"i\",},]", "notice 2 trailing_comma x2");
	MENDS("[{\"ph\":\"i\",\"x\":[1,],\"y\":{\"z\":1,}}]", "notice 2 trailing_comma x2");
	MENDS("{\"traceEvents\":[],\"a\":1,}", "notice 2 trailing_comma x1");
	MENDS("{\"traceEvents\":[{\"ph\":\"i\"}],\"a\":1}\n{\"b\":2,\"traceEvents\":[{\"ph\":\"i\"}]}\n[{\"ph\":\"i\"}"
	      "]",
	      "events 3 meta 0 unmatched 0 0 rank -1 of -1 top {\"a\":1}\nnotice 2 several_documents x2 2:1 @35 ");
	MENDS("[]{\"ph\":\"i\"}\n{\"ph\":\"i\"}", "form 2 bytes 23 events 2");
	MENDS("[{\"ph\":\"i\"}]{\"traceEv", "truncated");
	MENDS("{\"a\":1,\"traceEvents\":[]}", "rank -1 of -1 top {\"a\":1}\n");
	MENDS("[{\"ph\":\"i\",\"args\":{\"a\":NaN,\"stream\":-Infinity,\"x\":[inf,-nan]}}]",
	      "notice 2 not_a_number x4");
	MENDS("[{\"ph\":\"i\",\"args\":{\"a\":NaN}}]", "   - -  -");
	MENDS("[{\"ph\":\"X\",\"ts\":nan,\"dur\":1}]", "unusable 0 1 1");
	MENDS("[{\"ph\":\"i\",\"name\":\"a\tb\x01\"}]", "notice 2 control_character x2");
	MENDS("[{\"ph\":\"i\",\"name\":\"C:\\Users\\me\\u12\"}]", "'C:\\Users\\me\\u12'");
	MENDS("[{\"ph\":\"i\",\"name\":\"C:\\Users\\me\\u12\"}]", "notice 2 bad_escape x3");
	MENDS("[{\"ph\":\"i\"},7,{\"ph\":\"i\"}]", "notice 2 not_an_object x1");
	MENDS("[{\"ph\":\"i\",\"name\":\"{\"a\": 1}\"}]", "error -1");
	MENDS("[{\"ph\":\"i\"}{\"ph\":\"i\"}]", "error -1");
	MENDS("[{\"ph\":01}]", "error -1");
	MENDS("[{\"ph\":\"i\",\"x\":-}]", "error -1");
}

SUITE("scan", {"scan: knows the three forms", knows_the_three_forms},
      {"scan: refuses other forms", refuses_other_forms}, {"scan: follows RFC 8259", follows_rfc_8259},
      {"scan: names what it finds", names_what_it_finds},
      {"scan: reads any depth up to its limit", reads_any_depth_up_to_its_limit},
      {"scan: learned steps change nothing", learned_steps_change_nothing},
      {"scan: keeps values exactly", keeps_values_exactly},
      {"scan: warns of what is strange", warns_of_what_is_strange}, {"scan: mends when asked", mends_when_asked})
