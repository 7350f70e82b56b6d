/* SPDX-License-Identifier: Apache-2.0 */
/* From files and texts to columns: gzip, times, pairs, and ids that are joined. */
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <unistd.h>

#include "suite.h"
#include "trace_text.h"

static tav_status read_text(struct read_job *job, const struct wanted *wanted, const char *text)
{
	return read_bytes(job, wanted, text, strlen(text), false, 1 << 16, NULL);
}

/* ---- gzip --------------------------------------------------------------------------------------------------- */

struct bytes {
	unsigned char data[1 << 16];
	size_t size;
};

/* Adds a gzip member with the given flags of its header. */
static void add_member(struct bytes *out, const char *text, size_t size, unsigned flags)
{
	static unsigned char level[ISAL_DEF_LVL1_DEFAULT];
	struct isal_zstream stream;
	struct isal_gzip_header header;
	char name[] = "trace.json";
	unsigned char extra[] = {'B', 'C', 2, 0, 0x1b, 0};

	isal_deflate_init(&stream);
	isal_gzip_header_init(&header);
	if (flags & 4) {
		header.extra = extra;
		header.extra_len = sizeof(extra);
	}
	if (flags & 8) {
		header.name = name;
		header.name_buf_len = sizeof(name);
	}
	header.hcrc = flags & 2;
	stream.level = 1;
	stream.level_buf = level;
	stream.level_buf_size = sizeof(level);
	stream.gzip_flag = IGZIP_GZIP_NO_HDR;
	stream.next_out = out->data + out->size;
	stream.avail_out = (uint32_t)(sizeof(out->data) - out->size);
	CU_ASSERT_EQUAL_FATAL(isal_write_gzip_header(&stream, &header), 0);
	stream.next_in = (unsigned char *)text;
	stream.avail_in = (uint32_t)size;
	stream.end_of_stream = 1;
	CU_ASSERT_EQUAL_FATAL(isal_deflate(&stream), COMP_OK);
	out->size = sizeof(out->data) - stream.avail_out;
}

static char *dump_bytes(const struct bytes *bytes, size_t size, bool is_lenient)
{
	struct wanted wanted = {0};
	struct read_job job;
	tav_status status = read_bytes(&job, &wanted, (const char *)bytes->data, size, is_lenient, 1 << 16, NULL);
	char *dump = dump_job(&job, &wanted, status);

	read_job_fini(&job);
	return dump;
}

static bool unpacks_to(const struct bytes *bytes, size_t size, bool is_lenient, const char *wanted)
{
	char *dump = dump_bytes(bytes, size, is_lenient);
	bool is_right = strstr(dump, wanted);

	if (!is_right)
		printf("  read as %s  without %s\n", dump, wanted);
	free(dump);
	return is_right;
}

static const char document[] = "{\"traceEvents\": [{\"ph\":\"X\",\"name\":\"kernel\",\"ts\":1,\"dur\":2},\n"
                               "{\"ph\":\"X\",\"name\":\"kernel\",\"ts\":3,\"dur\":4}]}\n";

static void unpacks_members_of_all_kinds(void)
{
	static struct bytes bytes;

	for (unsigned flags = 0; flags < 16; flags += 2) {
		bytes.size = 0;
		add_member(&bytes, document, sizeof(document) - 1, flags);
		CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size, false, "events 2"));
	}
	/* One byte a member: BGZF writers end with an empty one. */
	bytes.size = 0;
	for (size_t i = 0; i + 1 < sizeof(document); i++)
		add_member(&bytes, document + i, 1, i % 3 ? 4 : 0);
	add_member(&bytes, "", 0, 4);
	CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size, false, "events 2"));
	memset(bytes.data + bytes.size, 0, 1000);
	CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size + 1000, false, "events 2"));
	for (size_t garbage = 1; garbage < 12; garbage++) {
		memset(bytes.data + bytes.size, 'x', garbage);
		CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size + garbage, false, "something behind the gzip data"));
	}
}

static void finds_every_cut_and_change(void)
{
	static struct bytes bytes, changed;

	bytes.size = 0;
	add_member(&bytes, document, 40, 4 | 8 | 2);
	add_member(&bytes, document + 40, sizeof(document) - 41, 0);
	for (size_t size = 2; size < bytes.size; size++) {
		char *dump = dump_bytes(&bytes, size, false);

		CU_ASSERT_PTR_NOT_NULL(strstr(dump, "error -1"));
		CU_ASSERT_PTR_NOT_NULL(strstr(dump, "truncated"));
		free(dump);
	}
	CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size - 1, true, "notice 2 truncated x1"));
	CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size - 20, true, "notice 2 truncated x1"));
	for (size_t at = bytes.size - 8; at < bytes.size; at++) {
		changed = bytes;
		changed.data[at] ^= 1;
		CU_ASSERT_TRUE(unpacks_to(&changed, bytes.size, false, "CRC"));
		CU_ASSERT_TRUE(unpacks_to(&changed, bytes.size, true, "CRC"));
	}
	changed.size = 0;
	add_member(&changed, "", 0, 0);
	CU_ASSERT_TRUE(unpacks_to(&changed, changed.size, false, "empty"));
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

static char *dump_file(const char *path, const volatile sig_atomic_t *cancelled)
{
	struct wanted wanted = {0};
	struct read_job job = {.path = path, .wanted = &wanted, .cancelled = cancelled};
	tav_status status = read_trace(&job);
	char *dump = dump_job(&job, &wanted, status);

	read_job_fini(&job);
	return dump;
}

static bool file_gives(const char *path, const void *data, size_t size, const char *wanted)
{
	FILE *file = fopen(path, "wb");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_EQUAL_FATAL(fwrite(data, 1, size, file), size);
	CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
	char *dump = dump_file(path, NULL);
	bool is_right = strstr(dump, wanted);
	if (!is_right)
		printf("  read as %s  without %s\n", dump, wanted);
	free(dump);
	return is_right;
}

static void names_files_that_are_no_traces(void)
{
	char folder[] = "/tmp/tav-read-XXXXXX", path[64];
	static const volatile sig_atomic_t is_cancelled = 1;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/trace", folder);
	char *dump = dump_file(path, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(dump, "No such file"));
	free(dump);
	dump = dump_file(folder, NULL);
	CU_ASSERT_PTR_NOT_NULL(strstr(dump, "directory"));
	free(dump);
	CU_ASSERT_TRUE(file_gives(path, "", 0, "empty"));
	CU_ASSERT_TRUE(file_gives(path, "PK\3\4....", 8, "zip"));
	CU_ASSERT_TRUE(file_gives(path, "\x28\xb5\x2f\xfd....", 8, "zstd"));
	CU_ASSERT_TRUE(file_gives(path,
	                          "\xfd"
	                          "7zXZ...",
	                          8, "xz"));
	CU_ASSERT_TRUE(file_gives(path, "BZh9....", 8, "bzip2"));
	CU_ASSERT_TRUE(file_gives(path, document, sizeof(document) - 1, "events 2"));
	dump = dump_file(path, &is_cancelled);
	CU_ASSERT_PTR_NOT_NULL(strstr(dump, "error -2"));
	free(dump);
	unlink(path);
	rmdir(folder);
}

/* More events than fit in a block, and one event that is larger than several. */
static void reads_events_larger_than_blocks(void)
{
	struct wanted wanted = {0};
	struct read_job job;
	size_t size = 3 << 20;
	char *text = malloc(size + 200), *end = text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	end += sprintf(end, "[{\"ph\":\"i\",\"name\":\"a\"},\n{\"ph\":\"i\",\"name\":\"");
	memset(end, 'x', size);
	end += size;
	end += sprintf(end, "\"},\n\n{\"ph\":\"i\",\"name\":\"b\"},\n{\"ph\":\"i\",\"name\":bad}]");
	CU_ASSERT_EQUAL(read_bytes(&job, &wanted, text, (size_t)(end - text), false, 100 << 10, NULL), TAV_FAILED);
	CU_ASSERT_EQUAL(job.error.line, 5);
	CU_ASSERT_EQUAL(job.error.column, 18);
	CU_ASSERT_EQUAL(job.error.events_read, 3);
	CU_ASSERT_EQUAL(job.error.offset, (uint64_t)(end - text - 5));
	CU_ASSERT_STRING_EQUAL(job.error.excerpt, "{\"ph\":\"i\",\"name\":bad}]");
	CU_ASSERT_EQUAL(job.error.caret, 17);
	read_job_fini(&job);
	free(text);
}

/* ---- Times and pairs ---------------------------------------------------------------------------------------- */

static bool times_of(const char *members, int64_t start_ns, int64_t end_ns, unsigned reason, unsigned field)
{
	struct wanted wanted = {0};
	struct read_job job;
	char text[400];

	snprintf(text, sizeof(text), "[{\"ph\":\"X\",%s\"name\":\"k\"}]", members);
	CU_ASSERT_EQUAL_FATAL(read_text(&job, &wanted, text), TAV_OK);
	const struct events *events = job.events;
	uint32_t traits = COLUMN(events, traits, const uint32_t)[0];
	bool is_right = COLUMN(events, start_ns, const int64_t)[0] == start_ns &&
	                COLUMN(events, end_ns, const int64_t)[0] == end_ns;
	if (reason)
		is_right = is_right && traits == TAV_TRAIT_UNUSABLE && events->unusable_count == 1 &&
		           events->unusable[0].reason == reason && events->unusable[0].field == field;
	else
		is_right = is_right && traits == TAV_TRAIT_INTERVAL && !events->unusable_count;
	if (!is_right) {
		char *dump = dump_job(&job, &wanted, TAV_OK);
		printf("  %s: %s", members, dump);
		free(dump);
	}
	read_job_fini(&job);
	return is_right;
}

static void places_events_in_time(void)
{
	CU_ASSERT(times_of("\"ts\":1.5,\"dur\":2,", 1500, 3500, 0, 0));
	CU_ASSERT(times_of("\"dur\":\"2\",\"ts\":\"1.5\",", 1500, 3500, 0, 0));
	CU_ASSERT(times_of("\"ts\":\"1\\u002e5\",\"dur\":2,", 1500, 3500, 0, 0));
	CU_ASSERT(times_of("\"ts\":9223372036854775,\"dur\":0.807,", 9223372036854775000, INT64_MAX, 0, 0));
	CU_ASSERT(times_of("\"ts\":0.0004,\"dur\":0.0004,", 0, 1, 0, 0));
	CU_ASSERT(times_of("\"ts\":-20.5,\"dur\":10,", -20500, -10500, 0, 0));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":-0.0,", 1000, 1000, 0, 0));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":0,", 1000, 1000, 0, 0));
	CU_ASSERT(times_of("\"ts\":1,", 0, 0, TAV_BAD_MISSING, TAV_BAD_FIELD_DUR));
	CU_ASSERT(times_of("\"dur\":1,", 0, 0, TAV_BAD_MISSING, TAV_BAD_FIELD_TS));
	CU_ASSERT(times_of("\"ts\":null,\"dur\":1,", 0, 0, TAV_BAD_MISSING, TAV_BAD_FIELD_TS));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":\"\",", 0, 0, TAV_BAD_MISSING, TAV_BAD_FIELD_DUR));
	CU_ASSERT(times_of("\"ts\":true,\"dur\":1,", 0, 0, TAV_BAD_NOT_NUMBER, TAV_BAD_FIELD_TS));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":[1],", 0, 0, TAV_BAD_NOT_NUMBER, TAV_BAD_FIELD_DUR));
	CU_ASSERT(times_of("\"ts\":\"nan\",\"dur\":1,", 0, 0, TAV_BAD_NOT_NUMBER, TAV_BAD_FIELD_TS));
	CU_ASSERT(times_of("\"ts\":\"Infinity\",\"dur\":1,", 0, 0, TAV_BAD_RANGE, TAV_BAD_FIELD_TS));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":1e400,", 0, 0, TAV_BAD_RANGE, TAV_BAD_FIELD_DUR));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":-1,", 0, 0, TAV_BAD_NEGATIVE, TAV_BAD_FIELD_DUR));
	CU_ASSERT(times_of("\"ts\":1,\"dur\":-1e-500,", 0, 0, TAV_BAD_NEGATIVE, TAV_BAD_FIELD_DUR));
	CU_ASSERT(times_of("\"ts\":9223372036854776,\"dur\":1,", 0, 0, TAV_BAD_RANGE, TAV_BAD_FIELD_TS));
	CU_ASSERT(times_of("\"ts\":9223372036854775,\"dur\":1,", 0, 0, TAV_BAD_RANGE, TAV_BAD_FIELD_END));
}

static void pairs_begins_with_ends(void)
{
	struct wanted wanted = {0};
	struct read_job job;

	wanted_add(&wanted, "args.stream", TAV_TYPE_STRING);
	wanted_add(&wanted, "args.x", TAV_TYPE_INT);
	CU_ASSERT_EQUAL_FATAL(
	        read_text(&job, &wanted,
	                  "[{\"ph\":\"B\",\"name\":\"a\",\"ts\":0,\"pid\":1,\"args\":{\"stream\":7}},"
	                  "{\"ph\":\"B\",\"name\":\"b\",\"ts\":1,\"pid\":1},"
	                  "{\"ph\":\"B\",\"name\":\"a\",\"ts\":2,\"pid\":1},"
	                  "{\"ph\":\"B\",\"name\":\"a\",\"ts\":2,\"pid\":2},"
	                  "{\"ph\":\"E\",\"name\":\"b\",\"ts\":3,\"pid\":1,\"args\":{\"stream\":8,\"x\":5}},"
	                  "{\"ph\":\"E\",\"ts\":4,\"pid\":1},"
	                  "{\"ph\":\"E\",\"name\":\"b\",\"ts\":4,\"pid\":1},"
	                  "{\"ph\":\"E\",\"ts\":5,\"pid\":1,\"args\":{\"stream\":9,\"x\":6}},"
	                  "{\"ph\":\"E\",\"ts\":5,\"pid\":1},"
	                  "{\"ph\":\"B\",\"name\":\"c\",\"ts\":9,\"pid\":1},{\"ph\":\"E\",\"ts\":8,\"pid\":1},"
	                  "{\"ph\":\"B\",\"name\":\"d\",\"pid\":1},{\"ph\":\"E\",\"ts\":8,\"pid\":1},"
	                  "{\"ph\":\"B\",\"name\":\"e\",\"ts\":1,\"pid\":1},{\"ph\":\"E\",\"pid\":1}]"),
	        TAV_OK);
	const struct events *events = job.events;
	CU_ASSERT_EQUAL(events->event_count, 15);
	CU_ASSERT_EQUAL_FATAL(events->row_count, 7);
	const int64_t *end_ns = COLUMN(events, end_ns, const int64_t);
	const uint32_t *traits = COLUMN(events, traits, const uint32_t), *streams = events->fields[0].data.data;
	CU_ASSERT_EQUAL(end_ns[0], 5000);
	CU_ASSERT_EQUAL(end_ns[1], 3000);
	CU_ASSERT_EQUAL(end_ns[2], 4000);
	CU_ASSERT_EQUAL(traits[0], TAV_TRAIT_INTERVAL);
	CU_ASSERT_STRING_EQUAL(value_text(&job, streams[0]), "7");
	CU_ASSERT_STRING_EQUAL(value_text(&job, streams[1]), "8");
	CU_ASSERT_EQUAL(*(const uint64_t *)events->fields[1].present.data, 3);
	CU_ASSERT_EQUAL(((const int64_t *)events->fields[1].data.data)[0], 6);
	CU_ASSERT_EQUAL(events->unmatched_begin, 1);
	CU_ASSERT_EQUAL(events->unmatched_end, 2);
	CU_ASSERT_EQUAL_FATAL(events->unusable_count, 4);
	static const struct tav_unusable bad[] = {{3, TAV_BAD_UNMATCHED, TAV_BAD_FIELD_END},
	                                          {4, TAV_BAD_NEGATIVE, TAV_BAD_FIELD_END},
	                                          {5, TAV_BAD_MISSING, TAV_BAD_FIELD_TS},
	                                          {6, TAV_BAD_MISSING, TAV_BAD_FIELD_END}};
	for (unsigned i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(events->unusable[i].row, bad[i].row);
		CU_ASSERT_EQUAL(events->unusable[i].reason, bad[i].reason);
		CU_ASSERT_EQUAL(events->unusable[i].field, bad[i].field);
		CU_ASSERT_EQUAL(traits[bad[i].row], TAV_TRAIT_UNUSABLE);
	}
	CU_ASSERT_EQUAL(notice_find(events, "unmatched_begin_end")->count, 3);
	read_job_fini(&job);
	wanted_fini(&wanted);
}

/* Against a list that is searched from its end. */
static void pairs_like_the_plain_way(void)
{
	enum { EVENTS = 3000 };
	struct pairs pairs = {0};
	struct {
		uint32_t tid, name;
		tav_row row;
		bool is_open;
	} plain[EVENTS];
	uint64_t state = 7;

	for (tav_row row = 0; row < EVENTS; row++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		uint32_t tid = state >> 40 & 3, name = state >> 45 & 7;

		plain[row].is_open = false;
		if (state >> 60 < 9) {
			plain[row].tid = tid;
			plain[row].name = name;
			plain[row].is_open = true;
			CU_ASSERT_TRUE_FATAL(pairs_begin(&pairs, 1, tid, name, row));
			continue;
		}
		tav_row wanted = TAV_NONE;
		for (tav_row i = row; i-- > 0 && wanted == TAV_NONE;) {
			if (plain[i].is_open && plain[i].tid == tid && (!name || plain[i].name == name))
				wanted = i;
		}
		if (wanted != TAV_NONE)
			plain[wanted].is_open = false;
		CU_ASSERT_EQUAL_FATAL(pairs_end(&pairs, 1, tid, name), wanted);
	}
	pairs_fini(&pairs);
}

/* ---- Joining ------------------------------------------------------------------------------------------------ */

static void joins_ids_in_argument_order(void)
{
	struct store store;
	struct causes causes = {0};
	struct read_job jobs[3];

	CU_ASSERT_TRUE_FATAL(store_init(&store));
	wanted_add(&store.wanted, "args.stream", TAV_TYPE_STRING);
	CU_ASSERT_EQUAL(read_text(&jobs[0], &store.wanted,
	                          "[{\"ph\":\"i\",\"cat\":\"c\",\"name\":\"a\",\"pid\":1,\"args\":{\"stream\":7}}]"),
	                TAV_OK);
	CU_ASSERT_EQUAL(read_text(&jobs[1], &store.wanted, "[bad"), TAV_FAILED);
	CU_ASSERT_EQUAL(
	        read_text(&jobs[2], &store.wanted,
	                  "[{\"ph\":\"i\",\"cat\":\"c\",\"name\":\"b\",\"pid\":7},"
	                  "{\"ph\":\"i\",\"cat\":\"c\",\"name\":\"a\",\"tid\":\"a\",\"args\":{\"stream\":\"7\"}}]"),
	        TAV_OK);
	for (uint32_t i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(read_merge(&store, i, &jobs[i], &causes), TAV_OK);
	CU_ASSERT_EQUAL_FATAL(store.source_count, 3);
	CU_ASSERT_PTR_NULL(store.sources[1]);
	const struct events *first = store.sources[0], *last = store.sources[2];
	CU_ASSERT_PTR_NOT_NULL_FATAL(first);
	CU_ASSERT_PTR_NOT_NULL_FATAL(last);
	CU_ASSERT_EQUAL(store.label_count, 2);
	CU_ASSERT_EQUAL(COLUMN(last, label, const uint32_t)[1], COLUMN(first, label, const uint32_t)[0]);
	uint32_t seven = *(const uint32_t *)first->fields[0].data.data;
	CU_ASSERT_STRING_EQUAL(intern_text(&store.values, seven).data, "7");
	CU_ASSERT_EQUAL(((const uint32_t *)last->fields[0].data.data)[1], seven);
	CU_ASSERT_EQUAL(((const uint32_t *)last->fields[0].data.data)[0], 0);
	CU_ASSERT_EQUAL(COLUMN(last, pid, const uint32_t)[0], seven);
	const struct label *labels = store.labels.data;
	CU_ASSERT_EQUAL(COLUMN(last, tid, const uint32_t)[1], labels[COLUMN(first, label, const uint32_t)[0]].name);
	for (unsigned i = 0; i < 3; i++)
		read_job_fini(&jobs[i]);
	store_fini(&store);
	causes_clear(&causes);
}

SUITE("read", {"gzip: unpacks members of all kinds", unpacks_members_of_all_kinds},
      {"gzip: finds every cut and change", finds_every_cut_and_change},
      {"read: names files that are no traces", names_files_that_are_no_traces},
      {"read: events larger than blocks", reads_events_larger_than_blocks},
      {"read: places events in time", places_events_in_time}, {"read: pairs begins with ends", pairs_begins_with_ends},
      {"pair: like the plain way", pairs_like_the_plain_way},
      {"merge: joins ids in argument order", joins_ids_in_argument_order})
