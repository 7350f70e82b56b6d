/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of writing a trace: members of an event changed in place, times moved, edits settled, gzip, the second reading.
 */
#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <write/change.h>
#include <write/deflate.h>
#include <write/edits.h>
#include <write/feed.h>
#include <write/times.h>

#include "suite.h"

static bool is_text(const struct bytes *bytes, const char *wanted)
{
	bool is_right = bytes->size == strlen(wanted) && !memcmp(bytes->data, wanted, bytes->size);

	if (!is_right)
		printf("  %.*s is not %s\n", (int)bytes->size, bytes->data ? bytes->data : "", wanted);
	return is_right;
}

static bool becomes(const char *event, const char *path, const char *keep, const char *json, const char *wanted)
{
	struct member_edit edit = {path, keep, {json, strlen(json)}};
	struct bytes out = {0};
	bool is_right = splice_event(&out, event, strlen(event), &edit, 1) && is_text(&out, wanted);

	bytes_fini(&out);
	return is_right;
}

static void replaces_values(void)
{
	CU_ASSERT(becomes("{\"tid\" : 7 }", "tid", NULL, "8", "{\"tid\" : 8 }"));
	CU_ASSERT(becomes("{\"tid\":1,\"tid\":7}", "tid", NULL, "8", "{\"tid\":1,\"tid\":8}"));
	CU_ASSERT(becomes("{\"a\":\"}\\\"{,\",\"tid\":7}", "tid", NULL, "\"x\"", "{\"a\":\"}\\\"{,\",\"tid\":\"x\"}"));
	CU_ASSERT(becomes("{\"args\":{\"tid\":1},\"tid\":7}", "tid", NULL, "8", "{\"args\":{\"tid\":1},\"tid\":8}"));
	CU_ASSERT(becomes("{\"args\":{\"a\":[1,{\"b\":2}],\"b\":3}}", "args.b", NULL, "4",
	                  "{\"args\":{\"a\":[1,{\"b\":2}],\"b\":4}}"));
	CU_ASSERT(becomes("{\"ts\":\"1.5\"}", "ts", NULL, "2", "{\"ts\":\"2\"}"));
	CU_ASSERT(becomes("{\"ts\":\"1.5\"}", "ts", NULL, "\"2\"", "{\"ts\":\"2\"}"));
}

static void adds_members(void)
{
	CU_ASSERT(becomes("{}", "id", NULL, "1", "{\"id\": 1}"));
	CU_ASSERT(becomes("{\"a\":1 }", "id", NULL, "1", "{\"a\":1, \"id\": 1 }"));
	CU_ASSERT(becomes("{\"args\":{}}", "args.k", NULL, "1", "{\"args\":{\"k\": 1}}"));
	CU_ASSERT(becomes("{\"args\":{ \"a\":2}}", "args.k", NULL, "1", "{\"args\":{\"k\": 1,  \"a\":2}}"));
	CU_ASSERT(becomes("{\"attr\":{\"a\":2}}", "args.k", NULL, "1", "{\"attr\":{\"k\": 1, \"a\":2}}"));
	CU_ASSERT(becomes("{\"a\":1}", "args.k", NULL, "1", "{\"a\":1, \"args\": {\"k\": 1}}"));
	CU_ASSERT(becomes("{\"args\":[1]}", "args.k", NULL, "1", "{\"args\":[1]}"));
}

static void removes_members(void)
{
	CU_ASSERT(becomes("{\"a\":1,\"b\":2}", "a", NULL, "", "{\"b\":2}"));
	CU_ASSERT(becomes("{\"a\":1 , \"b\":2 }", "b", NULL, "", "{\"a\":1 }"));
	CU_ASSERT(becomes("{\"a\":1}", "a", NULL, "", "{}"));
	CU_ASSERT(becomes("{\"a\":1}", "b", NULL, "", "{\"a\":1}"));
	CU_ASSERT(becomes("{\"args\":{\"a\":1,\"b\":2}}", "args.b", NULL, "", "{\"args\":{\"a\":1}}"));
}

static void keeps_old_texts(void)
{
	CU_ASSERT(becomes("{\"ts\":1.50,\"args\":{\"a\":1}}", "ts", "args.orig_ts", "2",
	                  "{\"ts\":2,\"args\":{\"orig_ts\": 1.50, \"a\":1}}"));
	CU_ASSERT(becomes("{\"ts\":1.50}", "ts", "args.orig_ts", "2", "{\"ts\":2, \"args\": {\"orig_ts\": 1.50}}"));
	CU_ASSERT(becomes("{\"ts\":1.50,\"args\":{\"orig_ts\":9}}", "ts", "args.orig_ts", "2",
	                  "{\"ts\":2,\"args\":{\"orig_ts\":9}}"));
}

static void removes_neighbours(void)
{
	static const char event[] = "{\"a\":1,\"b\":2,\"c\":3}";
	struct member_edit edits[] = {{"b", NULL, {"", 0}}, {"c", NULL, {"", 0}}, {"a", NULL, {"", 0}}};
	struct bytes out = {0};

	CU_ASSERT(splice_event(&out, event, strlen(event), edits, 2) && is_text(&out, "{\"a\":1}"));
	out.size = 0;
	CU_ASSERT(splice_event(&out, event, strlen(event), edits, 3) && is_text(&out, "{}"));
	bytes_fini(&out);
}

static bool moves(const char *text, int64_t ns, const char *wanted)
{
	char out[TIME_SIZE];
	size_t size = time_move(out, text, strlen(text), ns, 3);

	return !wanted ? !size : is_text(&(struct bytes){out, size, size}, wanted);
}

static void moves_times(void)
{
	CU_ASSERT(moves("100", 0, "100"));
	CU_ASSERT(moves("100", 1, "100.001"));
	CU_ASSERT(moves("100.5", -500, "100.0"));
	CU_ASSERT(moves("100.50", 1000, "101.50"));
	CU_ASSERT(moves("1669783687388146.1290", -1669783687388146000, "0.1290"));
	CU_ASSERT(moves("\"1669783687388147\"", -1669783687388146000, "\"1\""));
	CU_ASSERT(moves("0.000333333333", 1000, "1.000333333333"));
	CU_ASSERT(moves("1e3", 1000, "1001"));
	CU_ASSERT(moves("15e-1", 1000, "2.5"));
	CU_ASSERT(moves("1", -2000, "-1"));
	CU_ASSERT(moves("-1", 1000, "0"));
	CU_ASSERT(moves("-1.5", 3000, "1.5"));
	CU_ASSERT(moves("9", INT64_MIN, "-9223372036854766.808"));
	CU_ASSERT(moves("999", 1000, "1000"));
	CU_ASSERT(moves("null", 1000, NULL));
	CU_ASSERT(moves("\"\"", 1000, NULL));
	CU_ASSERT(moves("\"x\"", 1000, NULL));
	CU_ASSERT(moves("1e400", 1000, NULL));
	CU_ASSERT(moves("{}", 1000, NULL));
}

/* Three rows at 10, 20 and 40; the second a pair with its E at 30. */
struct made {
	struct events events;
	uint64_t offsets[3];
	struct tav_unmatched ends[1];
};

static void make(struct made *made)
{
	*made = (struct made){.offsets = {10, 20, 40}, .ends = {{.offset = 30, .row = 1}}};
	made->events.path = "made";
	made->events.row_count = 3;
	made->events.offset.data = made->offsets;
	made->events.pair_ends.data = made->ends;
	made->events.pair_end_count = 1;
}

static const char *const stage_ids[] = {"first", "second"};

static void settles_drops(void)
{
	struct made made;
	struct edits edits = {0};
	struct causes causes = {0};
	uint64_t second = 2, last = 4;

	make(&made);
	CU_ASSERT(!edits_any(&edits));
	CU_ASSERT_FATAL(edits_drop(&edits, &made.events, &second));
	CU_ASSERT_EQUAL(edits_settle(&edits, &made.events, stage_ids, &causes), TAV_OK);
	CU_ASSERT(edits.range_count == 1 && edits.ranges[0].begin == 20 && edits.ranges[0].end == 40);
	CU_ASSERT(edits.counts.dropped == 2 && edits.first_offset == 10 && edits.last_offset == 40);
	edits_fini(&edits);
	CU_ASSERT_FATAL(edits_drop(&edits, &made.events, &last));
	CU_ASSERT_EQUAL(edits_settle(&edits, &made.events, stage_ids, &causes), TAV_OK);
	CU_ASSERT(edits.range_count == 1 && edits.ranges[0].begin == 40 && edits.ranges[0].end == UINT64_MAX);
	CU_ASSERT(edits_any(&edits));
	edits_fini(&edits);
}

static void settles_sets(void)
{
	struct made made;
	struct edits edits = {0};
	struct causes causes = {0};
	tav_row row = 1;
	struct tav_text json = {"8", 1};
	uint64_t first = 1;

	make(&made);
	CU_ASSERT(edits_set(&edits, 0, "tid", NULL, 1, &row, &json));
	CU_ASSERT(edits_set(&edits, 0, "dur", NULL, 1, &row, &json));
	CU_ASSERT(edits_drop(&edits, &made.events, &first));
	row = 0; /* goes, whatever is said of it */
	CU_ASSERT(edits_set(&edits, 1, "tid", NULL, 1, &row, &json));
	CU_ASSERT(edits_add(&edits, 1, (struct tav_text){"{}", 2}));
	CU_ASSERT(edits_add(&edits, TAV_NONE, (struct tav_text){"{}", 2}));
	CU_ASSERT_EQUAL(edits_settle(&edits, &made.events, stage_ids, &causes), TAV_OK);
	CU_ASSERT_FATAL(edits.event_count == 2);
	CU_ASSERT(edits.events[0].offset == 20 && edits.events[0].count == 2 && !edits.events[0].add_count);
	CU_ASSERT(edits.events[1].offset == 30 && edits.events[1].count == 1 && edits.events[1].add_count == 1);
	CU_ASSERT(edits.last_count == 1 && edits.counts.added == 1);
	CU_ASSERT(edits_add(&edits, TAV_NONE, (struct tav_text){"{}", 2}) && edits.last_count == 2);
	edits_fini(&edits);
}

static void names_who_disagrees(void)
{
	struct made made;
	struct edits edits = {0};
	struct causes causes = {0};
	tav_row row = 2;
	struct tav_text json = {"8", 1};

	make(&made);
	CU_ASSERT(edits_set(&edits, 0, "tid", NULL, 1, &row, &json));
	CU_ASSERT(edits_set(&edits, 1, "tid", NULL, 1, &row, &json));
	CU_ASSERT_EQUAL(edits_settle(&edits, &made.events, stage_ids, &causes), TAV_FAILED);
	struct arena arena = {0};
	const char *said = causes_line(&causes, &arena);
	CU_ASSERT(said && strstr(said, "'first'") && strstr(said, "'second'") && strstr(said, "byte 40"));
	arena_fini(&arena);
	causes_clear(&causes);
	edits_fini(&edits);
}

static bool changes(const struct edits *edits, const char *event, const char *wanted)
{
	struct change *change = change_open(edits, 3);
	struct splice splice = {0};
	struct bytes out = {0};
	bool is_right = change && splice_open(&splice, event, strlen(event), false) && change_event(change, &splice) &&
	                splice_close(&splice) && splice_put(&splice, &out) && is_text(&out, wanted);

	bytes_fini(&out);
	splice_fini(&splice);
	change_close(change);
	return is_right;
}

static void changes_every_event(void)
{
	struct edits edits = {0};
	struct tav_text values[] = {{"7", 1}, {"a/b", 3}}, json[] = {{"1", 1}, {"\"c\"", 3}};

	CU_ASSERT(edits_map(&edits, 0, NULL, "pid", 2, values, json));
	CU_ASSERT(edits_map(&edits, 0, "process_name", "args.name", 2, values, json));
	CU_ASSERT(edits_offset(&edits, 0, "id", 1000) && edits_offset(&edits, 0, "id2.global", 16));
	CU_ASSERT(changes(&edits, "{\"pid\":7,\"id\":1}", "{\"pid\":1,\"id\":1001}"));
	CU_ASSERT(changes(&edits, "{\"pid\":\"7\",\"id\":\"0x1f\"}", "{\"pid\":1,\"id\":\"0x407\"}"));
	CU_ASSERT(changes(&edits, "{\"pid\":\"a\\/b\"}", "{\"pid\":\"c\"}"));
	CU_ASSERT(changes(&edits, "{\"p\\u0069d\":7}", "{\"p\\u0069d\":1}"));
	CU_ASSERT(changes(&edits, "{\"pid\":{\"7\":7},\"id\":\"x\"}", "{\"pid\":{\"7\":7},\"id\":\"x\"}"));
	CU_ASSERT(changes(&edits, "{\"id2\":{\"local\":\"0x1\",\"global\":\"0x1\"}}",
	                  "{\"id2\":{\"local\":\"0x1\",\"global\":\"0x11\"}}"));
	CU_ASSERT(changes(&edits, "{\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":\"a/b\"}}",
	                  "{\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":\"c\"}}"));
	CU_ASSERT(changes(&edits, "{\"ph\":\"X\",\"name\":\"process_name\",\"args\":{\"name\":\"a/b\"}}",
	                  "{\"ph\":\"X\",\"name\":\"process_name\",\"args\":{\"name\":\"a/b\"}}"));
	CU_ASSERT(edits_shift(&edits, 1000));
	CU_ASSERT(changes(&edits, "{\"ph\":\"M\",\"ts\":5}", "{\"ph\":\"M\",\"ts\":5}"));
	CU_ASSERT(changes(&edits, "{\"ts\":5,\"ts\":6}", "{\"ts\":5,\"ts\":7}"));
	CU_ASSERT(edits_shift(&edits, INT64_MAX - 1000) && !edits_shift(&edits, 1));
	edits_fini(&edits);
}

static void keeps_only(void)
{
	struct edits edits = {0};
	struct tav_text of_event[] = {{"ph", 2}, {"name", 4}, {"args", 4}}, of_args[] = {{"a", 1}, {"b", 1}};

	CU_ASSERT(edits_only(&edits, "", 3, of_event) && edits_only(&edits, "args", 2, of_args) && edits_any(&edits));
	CU_ASSERT(changes(&edits, "{\"x\":1,\"ph\":\"X\",\"y\":2,\"name\":\"n\",\"z\":3}",
	                  "{\"ph\":\"X\",\"name\":\"n\"}"));
	CU_ASSERT(changes(&edits, "{\"name\":1,\"name\":2}", "{\"name\":2}"));
	CU_ASSERT(changes(&edits, "{\"name\":1,\"n\\u0061me\":2}", "{\"n\\u0061me\":2}"));
	CU_ASSERT(changes(&edits, "{\"args\":{\"secret\":1,\"a\":2,\"c\":3,\"b\":4 , \"d\":{\"a\":1}}}",
	                  "{\"args\":{\"a\":2,\"b\":4}}"));
	CU_ASSERT(changes(&edits, "{\"args\":{\"a\":1},\"args\":{\"b\":2}}", "{\"args\":{\"b\":2}}"));
	CU_ASSERT(changes(&edits, "{\"attr\":{\"a\":1},\"args\":\"/home/me\"}", "{}"));
	edits_fini(&edits);
}

static char *packed(unsigned threads, const char *data, size_t size, size_t *packed_size)
{
	char *out = NULL;
	FILE *file = open_memstream(&out, packed_size);
	struct deflate *deflate = file ? deflate_open(file, threads) : NULL;
	bool is_ok = deflate != NULL;

	for (size_t at = 0; is_ok && at < size; at += 77777)
		is_ok = deflate_add(deflate, data + at, size - at < 77777 ? size - at : 77777);
	is_ok = is_ok && deflate_end(deflate);
	deflate_close(deflate);
	if (file)
		fclose(file);
	CU_ASSERT_FATAL(is_ok);
	return out;
}

static void packs_into_one_member(void)
{
	static const size_t sizes[] = {0, 1, 1 << 20, (1 << 20) + 1, 3500000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i], one_size, many_size;
		char *data = malloc(size + 1), *back = malloc(size + 1);
		CU_ASSERT_FATAL(data && back);
		for (size_t at = 0; at < size; at++)
			data[at] = (char)(at * 2654435761u >> (at % 7 + 8));
		char *one = packed(1, data, size, &one_size), *many = packed(5, data, size, &many_size);
		CU_ASSERT(one_size == many_size && !memcmp(one, many, one_size));
		struct inflate_state state;
		isal_inflate_init(&state);
		state.crc_flag = ISAL_GZIP;
		state.next_in = (uint8_t *)one;
		state.avail_in = (uint32_t)one_size;
		state.next_out = (uint8_t *)back;
		state.avail_out = (uint32_t)size + 1;
		CU_ASSERT_EQUAL(isal_inflate(&state), ISAL_DECOMP_OK);
		CU_ASSERT(state.block_state == ISAL_BLOCK_FINISH && !state.avail_in);
		CU_ASSERT(state.total_out == size && !memcmp(back, data, size));
		free(one);
		free(many);
		free(data);
		free(back);
	}
}

static void reads_once_more(void)
{
	static const char text[] = "[{\"a\":\"]}\"},{\"b\":[{}]}]";
	char path[] = "/tmp/tav_feed_XXXXXX";
	int file = mkstemp(path);
	struct stat status;
	struct causes causes = {0};
	struct feed *feed;
	struct bytes value = {0};

	CU_ASSERT_FATAL(file >= 0 && write(file, text, sizeof(text) - 1) == sizeof(text) - 1 && !fstat(file, &status));
	close(file);
	uint64_t mtime_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
	CU_ASSERT_EQUAL(feed_open(&feed, path, mtime_ns, sizeof(text) - 1, NULL, &causes), TAV_OK);
	CU_ASSERT_EQUAL(feed_skip_to(feed, 1, &causes), TAV_OK);
	CU_ASSERT(!feed_value(feed, &value, &causes) && is_text(&value, "{\"a\":\"]}\"}"));
	CU_ASSERT(!feed_skip_to(feed, feed_offset(feed) + 1, &causes));
	CU_ASSERT(!feed_value(feed, &value, &causes) && is_text(&value, "{\"b\":[{}]}"));
	feed_close(feed);
	CU_ASSERT_EQUAL(feed_open(&feed, path, mtime_ns + 1, sizeof(text) - 1, NULL, &causes), TAV_FAILED);
	feed_close(feed);
	causes_clear(&causes);
	bytes_fini(&value);
	unlink(path);
}

SUITE("write", {"replaces values", replaces_values}, {"adds members", adds_members},
      {"removes members", removes_members}, {"keeps old texts", keeps_old_texts},
      {"removes neighbours", removes_neighbours}, {"moves times", moves_times}, {"settles drops", settles_drops},
      {"settles sets", settles_sets}, {"names who disagrees", names_who_disagrees},
      {"changes every event", changes_every_event}, {"keeps only", keeps_only},
      {"packs into one member", packs_into_one_member}, {"reads once more", reads_once_more})
