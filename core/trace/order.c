/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a source by (track, start, end descending, row), without more memory than it takes to hold them. */
#include <string.h>

#include <trace/store.h>

struct times {
	const int64_t *start_ns, *end_ns;
};

static inline bool is_before(const struct times *times, tav_row a, tav_row b)
{
	if (times->start_ns[a] != times->start_ns[b])
		return times->start_ns[a] < times->start_ns[b];
	if (times->end_ns[a] != times->end_ns[b])
		return times->end_ns[a] > times->end_ns[b];
	return a < b;
}

enum { SMALL_RUN = 16 };

static void sort_small(const struct times *times, tav_row *rows, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		tav_row row = rows[i];
		uint64_t at = i;

		for (; at && is_before(times, row, rows[at - 1]); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

/*
 * A merge sort that looks before it merges: profilers write mostly in order, so most halves already fit together.
 * `spare` holds half of the rows.
 */
static void sort_rows(const struct times *times, tav_row *rows, uint64_t count, tav_row *spare)
{
	if (count <= SMALL_RUN) {
		sort_small(times, rows, count);
		return;
	}
	uint64_t half = count / 2;
	sort_rows(times, rows, half, spare);
	sort_rows(times, rows + half, count - half, spare);
	if (!is_before(times, rows[half], rows[half - 1]))
		return;
	memcpy(spare, rows, half * sizeof(*rows));
	uint64_t left = 0, right = half, out = 0;
	while (left < half && right < count)
		rows[out++] = is_before(times, rows[right], spare[left]) ? rows[right++] : spare[left++];
	memcpy(rows + out, spare + left, (half - left) * sizeof(*rows));
}

static bool is_sorted(const struct times *times, const tav_row *rows, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		if (is_before(times, rows[i], rows[i - 1]))
			return false;
	}
	return true;
}

/* Fills first[] and rows[] by track, in file order. False: no memory. */
static bool group_by_track(const struct events *events, uint32_t wanted, struct chosen_order *chosen)
{
	const uint32_t *traits = COLUMN(events, traits, const uint32_t);
	const uint32_t *track = COLUMN(events, track, const uint32_t);
	uint32_t track_count = events->track_count;

	if (!pages_reserve(&chosen->first, ((size_t)track_count + 2) * sizeof(uint64_t)))
		return false;
	/* Counted two places ahead, so that filling leaves the starts where they belong. */
	uint64_t *first = chosen->first.data;
	for (tav_row row = 0; row < events->row_count; row++) {
		if ((traits[row] & wanted) == wanted)
			first[track[row] + 2]++;
	}
	for (uint32_t i = 2; i <= track_count + 1; i++)
		first[i] += first[i - 1];
	uint64_t total = first[track_count + 1];
	if (!pages_reserve(&chosen->rows, (total ? total : 1) * sizeof(tav_row)))
		return false;
	tav_row *rows = chosen->rows.data;
	for (tav_row row = 0; row < events->row_count; row++) {
		if ((traits[row] & wanted) == wanted)
			rows[first[track[row] + 1]++] = row;
	}
	return true;
}

static bool sort_tracks(const struct events *events, struct chosen_order *chosen)
{
	struct times times = {COLUMN(events, start_ns, const int64_t), COLUMN(events, end_ns, const int64_t)};
	const uint64_t *first = chosen->first.data;
	tav_row *rows = chosen->rows.data;
	struct pages spare = {0};
	bool is_done = true;

	for (uint32_t track = 0; is_done && track < events->track_count; track++) {
		uint64_t count = first[track + 1] - first[track];

		if (is_sorted(&times, rows + first[track], count))
			continue;
		is_done = pages_reserve(&spare, (count / 2 + 1) * sizeof(tav_row));
		if (is_done)
			sort_rows(&times, rows + first[track], count, spare.data);
	}
	pages_free(&spare);
	return is_done;
}

tav_status events_order(struct events *events, uint32_t traits, const struct tav_order **out, struct causes *causes)
{
	traits |= TAV_TRAIT_INTERVAL;
	for (struct chosen_order *order = events->orders; order; order = order->next) {
		if (order->traits == traits) {
			*out = &order->order;
			return TAV_OK;
		}
	}
	struct chosen_order *chosen = arena_alloc(&events->made, sizeof(*chosen));
	if (!chosen || !group_by_track(events, traits, chosen) || !sort_tracks(events, chosen)) {
		if (chosen) {
			pages_free(&chosen->first);
			pages_free(&chosen->rows);
		}
		return cause_add(causes, "no memory to put the events of %s in order", events->path);
	}
	pages_seal(&chosen->first);
	pages_seal(&chosen->rows);
	chosen->traits = traits;
	chosen->order =
	        (struct tav_order){sizeof(chosen->order), events->track_count, chosen->first.data, chosen->rows.data};
	chosen->next = events->orders;
	events->orders = chosen;
	*out = &chosen->order;
	return TAV_OK;
}
