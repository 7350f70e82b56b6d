/* SPDX-License-Identifier: Apache-2.0 */
/* From files and texts to columns: gzip, times, pairs. */
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
	/* Zeros may stand behind the last member, and nothing behind them. */
	size_t size = bytes.size;
	bytes.size += 1000;
	add_member(&bytes, document, sizeof(document) - 1, 0);
	CU_ASSERT_TRUE(unpacks_to(&bytes, bytes.size, false, "something behind the gzip data"));
	bytes.data[size + 999] = 'x';
	CU_ASSERT_TRUE(unpacks_to(&bytes, size + 1000, false, "something behind the gzip data"));
	bytes.size = size;
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
	CU_ASSERT_TRUE(file_gives(path, "\n\5\x40\xe8\7\x50\1\n\7", 9, "protobuf"));
	CU_ASSERT_TRUE(file_gives(path, "\n\t x{}", 6, "found"));
	CU_ASSERT_TRUE(file_gives(path, "version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull"));
	CU_ASSERT_TRUE(file_gives(path, "\r\n<!DOCTYPE HTML>", 17, "HTML"));
	CU_ASSERT_TRUE(file_gives(path, "SQLite format 3", 16, "SQLite"));
	static char tar[512] = "trace.json";
	memcpy(tar + 257, "ustar", 5);
	CU_ASSERT_TRUE(file_gives(path, tar, sizeof(tar), "tar -xf"));
	static struct bytes packed;
	packed.size = 0;
	add_member(&packed, tar, sizeof(tar), 0);
	CU_ASSERT_TRUE(
	        file_gives(path, packed.data, packed.size, "a tar archive: unpack it first (tar -xf), within gzip"));
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

/* What is no interval may lie at 0, or have no time at all. */
static void tells_no_time_from_zero(void)
{
	struct wanted wanted = {0};
	struct read_job job;

	CU_ASSERT_EQUAL_FATAL(
	        read_text(&job, &wanted,
	                  "[{\"ph\":\"C\",\"name\":\"a\",\"ts\":0},{\"ph\":\"C\",\"name\":\"a\"},"
	                  "{\"ph\":\"s\",\"ts\":null},{\"ph\":\"s\",\"ts\":\"soon\"},{\"name\":\"a\",\"ts\":1e400},"
	                  "{\"ph\":\"i\",\"ts\":\"5\"}]"),
	        TAV_OK);
	const uint32_t *traits = COLUMN(job.events, traits, const uint32_t);
	CU_ASSERT_EQUAL(traits[0], 0);
	for (unsigned row = 1; row < 5; row++)
		CU_ASSERT_EQUAL(traits[row], TAV_TRAIT_TIMELESS);
	CU_ASSERT_EQUAL(traits[5], 0);
	read_job_fini(&job);
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
	const uint32_t *traits = COLUMN(events, traits, const uint32_t);
	uint64_t x;
	CU_ASSERT_EQUAL(end_ns[0], 5000);
	CU_ASSERT_EQUAL(end_ns[1], 3000);
	CU_ASSERT_EQUAL(end_ns[2], 4000);
	CU_ASSERT_EQUAL(traits[0], TAV_TRAIT_INTERVAL);
	CU_ASSERT_STRING_EQUAL(value_text(&job, field_id(&job, 0, 0)), "7");
	CU_ASSERT_STRING_EQUAL(value_text(&job, field_id(&job, 0, 1)), "8");
	CU_ASSERT_EQUAL(events->fields[1].count, 2);
	CU_ASSERT_TRUE(field_get(&events->fields[1], TAV_TYPE_INT, 0, &x) && x == 6);
	CU_ASSERT_TRUE(field_get(&events->fields[1], TAV_TYPE_INT, 1, &x) && x == 5);
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

static void pairs_may_have_no_length(void)
{
	struct wanted wanted = {0};
	struct read_job job;

	CU_ASSERT_EQUAL_FATAL(read_text(&job, &wanted,
	                                "[{\"ph\":\"B\",\"ts\":5},{\"ph\":\"E\",\"ts\":5},"
	                                "{\"ph\":\"B\",\"ts\":0.0004},{\"ph\":\"E\",\"ts\":0}]"),
	                      TAV_OK);
	CU_ASSERT_EQUAL(job.events->unusable_count, 0);
	for (tav_row row = 0; row < 2; row++) {
		CU_ASSERT_EQUAL(COLUMN(job.events, traits, const uint32_t)[row], TAV_TRAIT_INTERVAL);
		CU_ASSERT_EQUAL(COLUMN(job.events, start_ns, const int64_t)[row], row ? 0 : 5000);
		CU_ASSERT_EQUAL(COLUMN(job.events, end_ns, const int64_t)[row], row ? 0 : 5000);
	}
	CU_ASSERT_EQUAL_FATAL(job.events->pair_end_count, 2);
	CU_ASSERT_EQUAL(((const struct tav_unmatched *)job.events->pair_ends.data)[1].offset, 60);
	read_job_fini(&job);
}

/* ---- Units, bounds, what is found by the way ------------------------------------------------------------------ */

static int64_t start_in(const char *ts, uint64_t time_unit, const char *notice)
{
	struct wanted wanted = {0};
	struct read_job job = {.path = "test", .wanted = &wanted, .time_unit = time_unit};
	char text[200];
	int64_t start_ns = -1;

	snprintf(text, sizeof(text), "[{\"ph\":\"M\",\"ts\":0},{\"ph\":\"X\",\"ts\":%s,\"dur\":1}]", ts);
	if (!load_memory(&job, text, strlen(text), 1 << 16, scan_choose(NULL))) {
		start_ns = COLUMN(job.events, start_ns, const int64_t)[1];
		CU_ASSERT_EQUAL(notice != NULL, notice_find(job.events, "time_unit") != NULL);
		if (notice && notice_find(job.events, "time_unit"))
			CU_ASSERT_PTR_NOT_NULL(strstr(notice_find(job.events, "time_unit")->message, notice));
	}
	read_job_fini(&job);
	return start_ns;
}

static void reads_other_units(void)
{
	CU_ASSERT_EQUAL(start_in("7", 0, NULL), 7000);
	CU_ASSERT_EQUAL(start_in("7.25", 1000, NULL), 7250);
	CU_ASSERT_EQUAL(start_in("7", 1, NULL), 7);
	CU_ASSERT_EQUAL(start_in("7.5", 1, NULL), 8);
	CU_ASSERT_EQUAL(start_in("7.1234567", 1000000, NULL), 7123457);
	CU_ASSERT_EQUAL(start_in("7.25", 1000000000, NULL), 7250000000);
	CU_ASSERT_EQUAL(start_in("9999999999999999", 1000000000, NULL), 0);
	CU_ASSERT_EQUAL(start_in("1496933427584362152", 1, NULL), 1496933427584362152);
	CU_ASSERT_EQUAL(start_in("1496933427584362152", 0, "is the year 49405, as nanoseconds it is 2017-06-08"),
	                1496933427584362152);
	CU_ASSERT_EQUAL(start_in("1496933427584362152", 1000, NULL), 0);
	CU_ASSERT_EQUAL(start_in("1496933427584362.152", 0, NULL), 1496933427584362152);
}

/* Where some times make sense as they are, all are read so. */
static void guesses_no_unit(void)
{
	struct wanted wanted = {0};
	struct read_job job;

	CU_ASSERT_EQUAL_FATAL(read_text(&job, &wanted,
	                                "[{\"ph\":\"X\",\"ts\":1496933427584362152,\"dur\":1},"
	                                "{\"ph\":\"X\",\"ts\":5,\"dur\":1}]"),
	                      TAV_OK);
	CU_ASSERT_EQUAL(job.events->unusable_count, 1);
	read_job_fini(&job);
}

static void bounds_one_event(void)
{
	static const size_t block_sizes[] = {1 << 20, 64, 7};
	struct wanted wanted = {0};
	char text[400];

	/* The second event has 99 bytes. */
	snprintf(text, sizeof(text), "[{\"ph\":\"i\"},\n{\"name\":\"%079d\",\"ph\":\"i\"} , {\"ph\":\"i\"}]", 0);
	for (unsigned threads = 1; threads < 4; threads += 2) {
		for (size_t i = 0; i < sizeof(block_sizes) / sizeof(block_sizes[0]); i++) {
			for (uint64_t bound = 97; bound < 101; bound++) {
				struct read_job job = {
				        .path = "test", .wanted = &wanted, .threads = threads, .max_event = bound};
				tav_status status =
				        load_memory(&job, text, strlen(text), block_sizes[i], scan_choose(NULL));

				CU_ASSERT_EQUAL(status, bound < 99 ? TAV_FAILED : TAV_OK);
				if (status) {
					CU_ASSERT_PTR_NOT_NULL_FATAL(job.error.message);
					CU_ASSERT_PTR_NOT_NULL(strstr(job.error.message, "--max-event"));
					CU_ASSERT_EQUAL(job.error.offset, 13);
				}
				read_job_fini(&job);
			}
		}
	}
}

static void finds_the_rank(void)
{
	static const struct {
		const char *info;
		int64_t rank, world_size;
	} infos[] = {{"{\"rank\": 3, \"world_size\": 8}", 3, 8},
	             {"{\"world_size\":8,\"x\":{\"rank\":1},\"r\\u0061nk\":0}", 0, 8},
	             {"{\"rank\":\"3\",\"world_size\":8.0}", -1, -1},
	             {"{\"rank\":-1,\"world_size\":99999999999999999999}", -1, -1},
	             {"[{\"rank\":1}]", -1, -1}};
	struct wanted wanted = {0};
	char text[200];

	for (size_t i = 0; i < sizeof(infos) / sizeof(infos[0]); i++) {
		struct read_job job;

		snprintf(text, sizeof(text),
		         "{\"distributedInfo\": {\"rank\":7},\"traceEvents\":[],\"distributedInfo\":%s}",
		         infos[i].info);
		CU_ASSERT_EQUAL_FATAL(read_text(&job, &wanted, text), TAV_OK);
		CU_ASSERT_EQUAL(job.events->rank, infos[i].rank);
		CU_ASSERT_EQUAL(job.events->world_size, infos[i].world_size);
		read_job_fini(&job);
	}
}

/* A number that the end of a block cuts is no text of the trace. */
static void texts_are_the_same_for_all_blocks(void)
{
	static const char text[] =
	        "[{\"ph\":\"i\",\"pid\":1234567890123,\"tid\":7654321,\"args\":{\"stream\":-12345}}]";
	struct wanted wanted = {0};

	wanted_add(&wanted, "args.stream", TAV_TYPE_STRING);
	for (size_t block_size = 1; block_size < sizeof(text); block_size++) {
		struct read_job job;

		CU_ASSERT_EQUAL_FATAL(read_bytes(&job, &wanted, text, sizeof(text) - 1, false, block_size, NULL),
		                      TAV_OK);
		CU_ASSERT_EQUAL(job.events->values.count, 4);
		read_job_fini(&job);
	}
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

SUITE("read", {"gzip: unpacks members of all kinds", unpacks_members_of_all_kinds},
      {"gzip: finds every cut and change", finds_every_cut_and_change},
      {"read: names files that are no traces", names_files_that_are_no_traces},
      {"read: events larger than blocks", reads_events_larger_than_blocks},
      {"read: places events in time", places_events_in_time},
      {"read: tells no time from zero", tells_no_time_from_zero},
      {"read: pairs begins with ends", pairs_begins_with_ends},
      {"read: pairs may have no length", pairs_may_have_no_length}, {"read: other units", reads_other_units},
      {"read: guesses no unit", guesses_no_unit}, {"read: bounds one event", bounds_one_event},
      {"read: finds the rank", finds_the_rank},
      {"read: texts are the same for all blocks", texts_are_the_same_for_all_blocks},
      {"pair: like the plain way", pairs_like_the_plain_way})
