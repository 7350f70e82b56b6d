/* SPDX-License-Identifier: Apache-2.0 */
#include <json.h>

#include "coverage.h"

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_letter(char c)
{
	c = small(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does `word` stand at `at`, as a whole word if `is_whole`? A dot in it stands for any one character. */
static bool stands_at(struct tav_text text, size_t at, const char *word, bool is_whole)
{
	size_t size = strlen(word);

	if (size > text.size - at || (is_whole && at && is_letter(text.data[at - 1])) ||
	    (is_whole && at + size < text.size && is_letter(text.data[at + size])))
		return false;
	for (size_t i = 0; i < size; i++) {
		if (word[i] != '.' && small(text.data[at + i]) != word[i])
			return false;
	}
	return true;
}

static bool holds_one_of(struct tav_text text, const char *const *words, bool is_whole)
{
	for (size_t at = 0; at < text.size; at++) {
		for (const char *const *word = words; *word; word++) {
			if (stands_at(text, at, *word, is_whole))
				return true;
		}
	}
	return false;
}

static const char *const loss_words[] = {"drop",      "drops",      "dropped",      "lost",
                                         "discard",   "discarded",  "overflow",     "overflowed",
                                         "truncated", "truncation", "out.of.range", NULL};
static const char *const key_words[] = {"drop", "lost", "discard", "truncat", NULL};

struct reports {
	uint64_t lines, losses, errors, out_of_range;
	char first[160]; /* of the losses */
};

static void lose(struct reports *reports, struct tav_text text, uint64_t count)
{
	struct tav_sentence say = {reports->first, sizeof(reports->first), 0};

	if (reports->losses++)
		return;
	tav_say(&say, "%.*s", text.size > 100 ? 100 : (int)text.size, text.data ? text.data : "");
	if (count)
		tav_say(&say, " = %llu", (unsigned long long)count);
}

/* "Record counts: Out-of-range = 12, Blocklisted runtime = 0, Invalid ext correlations = 3, ..." */
static void read_counts(struct reports *reports, struct tav_text line)
{
	static const char *const ranges[] = {"out-of-range", NULL}, *const blocked[] = {"blocklisted", NULL};
	size_t at = 0;

	while (at < line.size) {
		struct tav_text name;
		size_t from, to;
		uint64_t count = 0;

		while (at < line.size && !is_letter(line.data[at]))
			at++;
		from = to = at;
		for (; at < line.size && line.data[at] != '=' && line.data[at] != ','; at++)
			to = is_letter(line.data[at]) || line.data[at] == '?' ? at + 1 : to;
		name = (struct tav_text){line.data + from, to - from};
		if (at == line.size || line.data[at] != '=')
			continue;
		for (at++; at < line.size && line.data[at] == ' ';)
			at++;
		for (; at < line.size && line.data[at] >= '0' && line.data[at] <= '9'; at++)
			count = count > UINT64_MAX / 20 ? count : count * 10 + (uint64_t)(line.data[at] - '0');
		if (!count || !name.size)
			continue;
		if (stands_at(name, 0, ranges[0], false))
			reports->out_of_range += count;
		else if (!stands_at(name, 0, blocked[0], false))
			lose(reports, name, count);
	}
}

static void read_line(struct reports *reports, struct tav_text line, bool is_error, bool is_info)
{
	static const char counts[] = "record counts:";

	reports->lines++;
	for (size_t at = 0; at + sizeof(counts) - 1 <= line.size; at++) {
		if (stands_at(line, at, counts, false)) {
			line.data += at + sizeof(counts) - 1;
			line.size -= at + sizeof(counts) - 1;
			read_counts(reports, line);
			return;
		}
	}
	if (is_info)
		return;
	if (holds_one_of(line, loss_words, true))
		lose(reports, line, 0);
	else
		reports->errors += is_error;
}

static bool is_key(struct tav_text key, const char *word)
{
	return key.size == strlen(word) && stands_at(key, 0, word, false);
}

static bool says_something(struct tav_text value)
{
	static const char *const empty[] = {"0", "", "[]", "{}", "null", "false", "\"\"", "\"0\"", NULL};

	for (const char *const *word = empty; *word; word++) {
		if (tav_text_is(value, *word))
			return false;
	}
	return true;
}

static void read_key(struct reports *reports, struct tav_text key, struct tav_text value)
{
	bool is_error = is_key(key, "error"), is_info = is_key(key, "info");
	struct json list = json_of(value), item;

	if (is_error || is_info || is_key(key, "warning")) {
		if (!json_is(&list, '[')) {
			read_line(reports, json_plain(&list), is_error, is_info);
			return;
		}
		for (bool more = json_first(&list, &item); more; more = json_next(&item))
			read_line(reports, json_plain(&item), is_error, is_info);
	} else if (holds_one_of(key, key_words, false) && says_something(value)) {
		reports->lines++;
		lose(reports, key, 0);
	}
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	struct reports reports = {0};
	uint32_t keys = 0;

	for (;; keys++) {
		struct tav_text key = trust->host->metadata_key(trust->self, 0, keys);
		char name[256];

		if (!key.size)
			break;
		if (key.size >= sizeof(name))
			continue;
		memcpy(name, key.data, key.size);
		name[key.size] = '\0';
		read_key(&reports, key, trust->host->metadata(trust->self, 0, name));
	}
	if (!keys)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no metadata beside the events");
	verdict->count = reports.losses;
	if (reports.losses)
		return judge(verdict, TRUST_WARN, reports.lines,
		             "the profiler reports losses in %s of %s of its log: %s", COUNTED(reports.losses, "place"),
		             COUNTED(reports.lines, "line"), reports.first);
	verdict->count = reports.errors;
	if (reports.errors)
		return judge(verdict, TRUST_NOTE, reports.lines, "the profiler logged %s, but no loss",
		             COUNTED(reports.errors, "error"));
	verdict->count = reports.out_of_range;
	if (reports.out_of_range)
		return judge(verdict, TRUST_NOTE, reports.lines,
		             "%s out of the recorded time %s left out by the profiler",
		             COUNTED(reports.out_of_range, "record"), reports.out_of_range == 1 ? "was" : "were");
	if (!reports.lines)
		return judge(verdict, TRUST_PASS, 0, "the metadata hold no log of the profiler, and no word of losses");
	return judge(verdict, TRUST_PASS, reports.lines, "no loss is reported in %s of the profiler's log",
	             COUNTED(reports.lines, "line"));
}

const struct trust_check check_reported_loss = {
        .id = "reported_loss",
        .question = "Did the profiler itself report losses?",
        .worst = TRUST_WARN,
        .text = "Profilers write their own log into the file (WARNING, ERROR, INFO). Lines that speak of dropped, "
                "lost, "
                "discarded or truncated records, and counters of such records that are not 0, mean that the trace is "
                "not whole.\n\nErrors of another kind, and records that lay outside of the recorded time, are a note.",
        .remedy = "record again with larger buffers, or less at a time",
        .run = run,
};
