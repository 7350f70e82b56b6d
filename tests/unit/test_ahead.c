/* SPDX-License-Identifier: Apache-2.0 */
/* One file on several threads: whatever is in it, and wherever blocks end, the result is that of one thread. */
#include <stdlib.h>

#include "suite.h"
#include "trace_text.h"

static struct wanted wanted_fields(void)
{
	struct wanted wanted = {0};

	wanted_add(&wanted, "args.stream", TAV_TYPE_STRING);
	wanted_add(&wanted, "args.a", TAV_TYPE_INT);
	wanted_add(&wanted, "args.a", TAV_TYPE_REAL);
	wanted_add(&wanted, "args.a", TAV_TYPE_PRESENT);
	wanted_add(&wanted, "args.list", TAV_TYPE_JSON);
	wanted_add(&wanted, "id", TAV_TYPE_STRING);
	return wanted;
}

/* How events are written: what stands before the first one, between two, and behind the last. */
struct shape {
	const char *before, *between, *after, *blank, *indent;
};
static const struct shape shapes[] = {
        {"{\"a\": 1,\n \"traceEvents\": [\n", ",\n", "],\n\"distributedInfo\": {\"rank\": 3}}\n", " ", "\n  "},
        {"{\"traceEvents\":[", ",", "]}", "", ""},
        {"[\n", ",\n", "\n]\n", "", ""},
        {"", "\n", "\n", "", ""},
        {"[", "\n\n \t", "", " ", ""},
};

static uint64_t state;

static unsigned below(unsigned limit)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (unsigned)(state >> 33) % limit;
}

static void put_event(FILE *out, const struct shape *shape, unsigned i, bool has_pairs)
{
	static const char phases[] = "XXXXiBEBEMb";
	char phase = phases[below(has_pairs ? sizeof(phases) - 1 : 5)];

	fprintf(out,
	        "{%s\"ph\":%s\"%c\",%s\"cat\": \"c%u\", \"name\": \"a name that is long enough %u\", \"pid\": %u,%s",
	        shape->indent, shape->blank, phase, shape->indent, below(3), below(20), below(2), shape->indent);
	fprintf(out, "\"tid\": %u, \"ts\": %u.%03u", below(3), i * 10, below(1000));
	if (phase == 'X' && below(30))
		fprintf(out, ", \"dur\": %d", (int)below(20) - (below(40) ? 0 : 15));
	if (!below(8))
		fprintf(out, ", \"id\": \"0x%x\"", below(1u << 30));
	/* In it there is text that looks like a border between events. */
	if (below(3))
		fprintf(out,
		        ",%s\"args\":%s{\"stream\":%s%u, \"a\": %u, \"list\": [{\"ph\":\"X\"%s},{\"ph\":%s\"X\"}]}",
		        shape->indent, shape->blank, shape->blank, below(9), below(1u << 26), shape->indent,
		        shape->blank);
	if (!below(50))
		fprintf(out, ", \"name\": \"again %u\"", i);
	if (!below(50))
		fputs(", \"x\": \"\xff},\\n{\\\"ph\\\":\\\"X\\\"\"", out);
	fprintf(out, "%s}", shape->indent);
}

static char *make_text(const struct shape *shape, unsigned count, bool has_pairs, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(shape->before, out);
	for (unsigned i = 0; i < count; i++) {
		if (i)
			fputs(shape->between, out);
		put_event(out, shape, i, has_pairs);
	}
	fputs(shape->after, out);
	fclose(out);
	return text;
}

static char *dump_with(const char *text, size_t size, bool is_lenient, size_t block_size, unsigned threads)
{
	struct wanted wanted = wanted_fields();
	struct read_job job;
	tav_status status = read_with(&job, &wanted, text, size, is_lenient, block_size, NULL, threads);
	char *dump = dump_job(&job, &wanted, status);

	CU_ASSERT_PTR_NOT_NULL_FATAL(dump);
	read_job_fini(&job);
	wanted_fini(&wanted);
	return dump;
}

static void agree(const char *text, size_t size, bool is_lenient)
{
	static const size_t block_sizes[] = {256, 1024, 5000};
	char *first = dump_with(text, size, is_lenient, 1 << 20, 1);

	for (unsigned i = 0; i < sizeof(block_sizes) / sizeof(block_sizes[0]); i++) {
		char *other = dump_with(text, size, is_lenient, block_sizes[i], 2 + i);

		if (strcmp(first, other) != 0) {
			printf("  %u threads, blocks of %zu:\n%.2000s  but was:\n%.2000s", 2 + i, block_sizes[i], other,
			       first);
			CU_FAIL("threads change the result");
		}
		free(other);
	}
	free(first);
}

static void whole_files(void)
{
	size_t size;

	state = 1;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (unsigned has_pairs = 0; has_pairs < 2; has_pairs++) {
			char *text = make_text(&shapes[i], 500, has_pairs, &size);

			agree(text, size, false);
			agree(text, size, true);
			free(text);
		}
	}
}

/* What is read ahead is of use: where nothing looks like a border but borders, every part holds. */
static void parts_hold(void)
{
	struct wanted wanted = {0};

	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		struct read_job job;

		CU_ASSERT_PTR_NOT_NULL_FATAL(out);
		fputs(shapes[i].before, out);
		for (unsigned k = 0; k < 2000; k++)
			fprintf(out, "%s{%s\"ph\":%s\"i\",%s\"args\":{\"a\":{\"b\":%u}}%s}", k ? shapes[i].between : "",
			        shapes[i].indent, shapes[i].blank, shapes[i].indent, k, shapes[i].indent);
		fputs(shapes[i].after, out);
		fclose(out);
		CU_ASSERT_EQUAL(read_with(&job, &wanted, text, size, false, 1024, NULL, 3), TAV_OK);
		CU_ASSERT_EQUAL(job.events->event_count, 2000);
		CU_ASSERT_TRUE(job.parts > size / 1024 - 10);
		CU_ASSERT_EQUAL(job.parts_joined, job.parts);
		read_job_fini(&job);
		free(text);
	}
}

/* Leniently, several documents are one trace: parts are read for one form and may fall into another. */
static void several_documents(void)
{
	enum { KINDS = sizeof(shapes) / sizeof(shapes[0]) };
	size_t size, other_size;

	state = 3;
	for (unsigned i = 0; i < KINDS; i++) {
		for (unsigned k = 0; k < KINDS; k++) {
			char *text = make_text(&shapes[i], 60, true, &size);
			char *other = make_text(&shapes[k], 60, true, &other_size),
			     *both = realloc(text, size + other_size);

			CU_ASSERT_PTR_NOT_NULL_FATAL(both);
			memcpy(both + size, other, other_size);
			agree(both, size + other_size, true);
			free(both);
			free(other);
		}
	}
}

static void broken_files(void)
{
	static const char *const faults[] = {"}",  "{",     "\"",   "]",     ",",       "NaN",  "\x01", "\\",
	                                     "[1", "},\n{", "\n{}", "},{},", "\n\n,\n", "null", "",     "\"ph\":"};
	size_t size;

	state = 2;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char *text = make_text(&shapes[i], 200, true, &size), *broken = malloc(size + 16);

		CU_ASSERT_PTR_NOT_NULL_FATAL(broken);
		for (unsigned n = 0; n < 40; n++) {
			const char *fault = faults[below(sizeof(faults) / sizeof(faults[0]))];
			size_t at = below((unsigned)size), left = size - at, gone = below(3) ? 0 : below(40);

			gone = gone < left ? gone : left;
			memcpy(broken, text, at);
			memcpy(broken + at, fault, strlen(fault));
			memcpy(broken + at + strlen(fault), text + at + gone, left - gone);
			size_t whole = at + strlen(fault) + (left - gone);
			agree(broken, n % 7 ? whole : at, n % 2);
		}
		free(text);
		free(broken);
	}
}

/* One event larger than many blocks, in the middle: nothing of it is taken for a border. */
static void large_events(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs("[{\"ph\":\"i\",\"name\":\"first\"},\n{\"ph\":\"i\",\"name\":\"second\"}", out);
	for (unsigned i = 0; i < 100; i++)
		fputs(",\n{\"ph\":\"i\",\"name\":\"small\"}", out);
	fputs(",\n{\"ph\":\"i\",\"args\":{\"x\":[", out);
	for (unsigned i = 0; i < 2000; i++)
		fputs("{\"ph\":\"i\",\"name\":\"within\"},\n", out);
	fputs("0]}}", out);
	for (unsigned i = 0; i < 100; i++)
		fputs(",\n{\"ph\":\"i\",\"name\":\"behind\"}", out);
	fputs("]", out);
	fclose(out);
	agree(text, size, false);
	free(text);
}

SUITE("ahead", {"ahead: whole files", whole_files}, {"ahead: parts hold", parts_hold},
      {"ahead: several documents", several_documents}, {"ahead: broken files", broken_files},
      {"ahead: large events", large_events})
