/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>
#include <tav/results.h>

#include "edit.h"

tav_status look_at_source(struct tav_self *self, struct looked *looked)
{
	const struct tav_host *host = self->host;

	*looked = (struct looked){.self = self, .host = host, .source = host->source(self, 0)};
	looked->edits = host->extension(self, TAV_EDITS_ID);
	looked->start = host->column(self, 0, TAV_COL_START_NS);
	looked->end = host->column(self, 0, TAV_COL_END_NS);
	looked->traits = host->column(self, 0, TAV_COL_TRAITS);
	looked->pid = host->column(self, 0, TAV_COL_PID);
	looked->tid = host->column(self, 0, TAV_COL_TID);
	looked->label = host->column(self, 0, TAV_COL_LABEL);
	looked->track = host->column(self, 0, TAV_COL_TRACK);
	looked->phase = host->column(self, 0, TAV_COL_PHASE);
	if (!looked->edits || !looked->start || !looked->end || !looked->traits || !looked->pid || !looked->tid ||
	    !looked->label || !looked->track || !looked->phase)
		return tav_fail(self, "the events cannot be shown, or edits are not taken");
	looked->rows = looked->source->row_count;
	return TAV_OK;
}

int compare_intervals(const struct looked *looked, tav_row a, tav_row b)
{
	if (looked->start[a] != looked->start[b])
		return looked->start[a] < looked->start[b] ? -1 : 1;
	if (looked->end[a] != looked->end[b])
		return looked->end[a] > looked->end[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

int compare_threads(const struct looked *looked, tav_row a, tav_row b)
{
	if (looked->pid[a] != looked->pid[b])
		return looked->pid[a] < looked->pid[b] ? -1 : 1;
	if (looked->tid[a] != looked->tid[b])
		return looked->tid[a] < looked->tid[b] ? -1 : 1;
	return 0;
}

/* Twice the room; what was there is the call's and goes with it. NULL: the cause is set. */
static void *grow(struct tav_self *self, const void *old, size_t old_bytes, size_t bytes)
{
	void *grown = self->host->alloc(self, bytes);

	if (grown && old_bytes)
		memcpy(grown, old, old_bytes);
	return grown;
}

struct thread {
	tav_row row; /* one of its events */
	uint32_t number;
	uint64_t first; /* of its rows */
};

static int compare_thread_list(const void *left, const void *right, void *user)
{
	return compare_threads(user, ((const struct thread *)left)->row, ((const struct thread *)right)->row);
}

static int compare_rows(const void *left, const void *right, void *user)
{
	return compare_intervals(user, *(const tav_row *)left, *(const tav_row *)right);
}

/* The intervals with the number of the thread of each, and how many each thread has. 0: no memory. */
static int number_threads(const struct looked *looked, struct tav_map *threads, uint32_t *of, struct thread **list,
                          uint64_t *count)
{
	uint64_t last = UINT64_MAX;
	uint32_t number = 0, capacity = 0;

	tav_map_init(threads, looked->self);
	for (tav_row row = 0; row < looked->rows; row++) {
		uint64_t key = (uint64_t)looked->pid[row] << 32 | looked->tid[row];

		if (!is_interval(looked, row))
			continue;
		if (key != last)
			number = tav_map_number(threads, key);
		if (number == TAV_NONE)
			return 0;
		last = key;
		if (number >= capacity) {
			uint32_t wanted = capacity ? capacity * 2 : 64;
			struct thread *grown =
			        grow(looked->self, *list, capacity * sizeof(*grown), wanted * sizeof(*grown));

			if (!grown)
				return 0;
			*list = grown;
			capacity = wanted;
		}
		(*list)[number].row = row;
		(*list)[number].number = number;
		(*list)[number].first++; /* a count, for now */
		of[(*count)++] = number;
	}
	return 1;
}

/* Traces have the events of a thread in order, or nearly: they are parted by thread, and sorted only where they are
 * not. */
tav_row *intervals_by_thread(const struct looked *looked, uint64_t *count)
{
	const struct tav_host *host = looked->host;
	uint32_t *of = host->alloc(looked->self, ((size_t)looked->rows + 1) * sizeof(*of));
	tav_row *rows = host->alloc(looked->self, ((size_t)looked->rows + 1) * sizeof(*rows));
	struct thread *list = NULL;
	struct tav_map threads;
	uint64_t at = 0, first = 0;
	void *user = (void *)(uintptr_t)looked;

	*count = 0;
	if (!of || !rows || !number_threads(looked, &threads, of, &list, count))
		return NULL;
	uint64_t *next = host->alloc(looked->self, ((size_t)threads.count + 1) * sizeof(*next));
	if (!next)
		return NULL;
	if (threads.count)
		qsort_r(list, threads.count, sizeof(*list), compare_thread_list, user);
	for (uint32_t i = 0; i < threads.count; i++) {
		next[list[i].number] = first;
		first += list[i].first;
	}
	for (tav_row row = 0; row < looked->rows; row++) {
		if (is_interval(looked, row))
			rows[next[of[at++]]++] = row;
	}
	first = 0;
	for (uint32_t i = 0; i < threads.count; i++) {
		uint64_t end = next[list[i].number], sorted = first + 1;

		while (sorted < end && compare_intervals(looked, rows[sorted - 1], rows[sorted]) < 0)
			sorted++;
		if (sorted < end)
			qsort_r(rows + first, end - first, sizeof(*rows), compare_rows, user);
		first = end;
	}
	return rows;
}

uint64_t *make_bits(const struct looked *looked)
{
	return looked->host->alloc(looked->self, ((size_t)looked->rows / 64 + 1) * sizeof(uint64_t));
}

void words_add(struct words *words, const char *data, size_t size)
{
	if (words->is_broken || !size)
		return;
	if (size > words->capacity - words->size) {
		size_t capacity = words->capacity ? words->capacity : 128;

		while (capacity - words->size < size)
			capacity *= 2;
		char *grown = grow(words->self, words->data, words->size, capacity);
		if (!grown) {
			words->is_broken = 1;
			return;
		}
		words->data = grown;
		words->capacity = capacity;
	}
	memcpy(words->data + words->size, data, size);
	words->size += size;
}

void words_print(struct words *words, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	int size = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	words_add(words, text, size < 0 ? 0 : (size_t)size < sizeof(text) ? (size_t)size : sizeof(text) - 1);
}

void words_quote(struct words *words, struct tav_text text)
{
	words_add(words, "\"", 1);
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (c == '"' || c == '\\')
			words_add(words, "\\", 1);
		if (c < 0x20)
			words_print(words, "\\u%04x", c);
		else
			words_add(words, text.data + i, 1);
	}
	words_add(words, "\"", 1);
}

void words_time(struct words *words, const struct looked *looked, int64_t ns)
{
	uint64_t unit = looked->source->time_unit_ns, size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	uint64_t rest = size % unit;

	words_print(words, "%s%" PRIu64, ns < 0 ? "-" : "", size / unit);
	if (rest)
		words_add(words, ".", 1);
	for (unit /= 10; rest; rest %= unit, unit /= 10) {
		char digit = (char)('0' + rest / unit);

		words_add(words, &digit, 1);
	}
}

struct tav_text words_text(struct words *words)
{
	struct tav_text text = {words->is_broken ? NULL : words->data, words->is_broken ? 0 : words->size};

	*words = (struct words){.self = words->self, .is_broken = words->is_broken};
	return text;
}

tav_status changes_add(struct changes *changes, tav_row row, struct tav_text json)
{
	if (changes->count == changes->capacity) {
		uint64_t capacity = changes->capacity ? changes->capacity * 2 : 64;
		tav_row *rows =
		        grow(changes->self, changes->rows, changes->count * sizeof(*rows), capacity * sizeof(*rows));
		struct tav_text *texts =
		        grow(changes->self, changes->json, changes->count * sizeof(*texts), capacity * sizeof(*texts));

		if (!rows || !texts)
			return TAV_FAILED;
		changes->rows = rows;
		changes->json = texts;
		changes->capacity = capacity;
	}
	changes->rows[changes->count] = row;
	changes->json[changes->count++] = json;
	return TAV_OK;
}

tav_status changes_give(const struct changes *changes, const struct looked *looked, const char *path, const char *keep)
{
	if (!changes->count)
		return TAV_OK;
	return looked->edits->set(looked->self, 0, path, keep, changes->count, changes->rows, changes->json);
}

tav_status sum_metrics(struct tav_self *self, const char *stage)
{
	const struct tav_host *host = self->host;
	const struct tav_results *results = host->extension(self, TAV_RESULTS_ID);
	uint32_t number = results ? results->find_stage(self, stage) : TAV_NONE;
	uint32_t count = host->source_count(self), first = 0;

	while (first < count && (number == TAV_NONE || !results->is_done(self, number, first)))
		first++;
	if (first == count)
		return TAV_OK;
	const struct tav_metric_result *metric;
	for (uint32_t i = 0; (metric = results->metric(self, number, first, i)) != NULL; i++) {
		char id[128];
		int64_t sum = 0;

		if (metric->by != TAV_BY_EACH || metric->id.size >= sizeof(id))
			continue;
		memcpy(id, metric->id.data, metric->id.size);
		id[metric->id.size] = '\0';
		for (uint32_t source = 0; source < count; source++) {
			const struct tav_metric_result *other = results->find_metric(self, number, source, id);

			sum = tav_sum(sum, other ? other->value : 0);
		}
		if (tav_measure(self, TAV_RUN, id, sum, metric->unit, metric->better))
			return TAV_FAILED;
	}
	return TAV_OK;
}

tav_status tell_base_time(struct tav_self *self)
{
	struct tav_text base = self->host->metadata(self, 0, "baseTimeNanoseconds");
	int64_t number = 0;

	if (!base.size || base.size > 18)
		return TAV_OK;
	for (size_t i = 0; i < base.size; i++) {
		if (base.data[i] < '0' || base.data[i] > '9')
			return TAV_OK;
		number = number * 10 + (base.data[i] - '0');
	}
	return tav_measure(self, 0, "base_ns", number, TAV_UNIT_NS, 0);
}
