/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace/store.h>

#include "suite.h"

/* A store with one source of `rows` intervals on `tracks` tracks. */
static bool make_store(struct store *store, tav_row rows, uint32_t tracks, int64_t (*start)(tav_row),
                       int64_t (*length)(tav_row))
{
	struct events *events = calloc(1, sizeof(*events));

	if (!events || !store_init(store))
		return false;
	store->sources = calloc(1, sizeof(struct events *));
	store->sources[0] = events;
	store->source_count = 1;
	events->path = "test";
	events->row_count = rows;
	events->track_count = tracks;
	if (!pages_reserve(&events->start_ns, rows * 8u) || !pages_reserve(&events->end_ns, rows * 8u) ||
	    !pages_reserve(&events->traits, rows * 4u) || !pages_reserve(&events->track, rows * 4u))
		return false;
	for (tav_row row = 0; row < rows; row++) {
		COLUMN(events, start_ns, int64_t)[row] = start(row);
		COLUMN(events, end_ns, int64_t)[row] = start(row) + length(row);
		COLUMN(events, track, uint32_t)[row] = row * 7 % tracks;
		COLUMN(events, traits, uint32_t)
		[row] = row % 11 == 5 ? TAV_TRAIT_UNUSABLE : TAV_TRAIT_INTERVAL | (row % 3 ? TAV_TRAIT_DEVICE : 0);
	}
	return true;
}

static int64_t ascending(tav_row row)
{
	return row * 10;
}

static int64_t descending(tav_row row)
{
	return -(int64_t)row;
}

static int64_t mixed(tav_row row)
{
	return row * 2654435761u % 5003;
}

static int64_t equal(tav_row row)
{
	return row ? 5 : 6;
}

static void check_order(const struct events *events, const struct tav_order *order, uint32_t traits)
{
	const int64_t *start_ns = COLUMN(events, start_ns, const int64_t),
	              *end_ns = COLUMN(events, end_ns, const int64_t);
	uint64_t expected = 0;

	for (tav_row row = 0; row < events->row_count; row++)
		expected += (COLUMN(events, traits, const uint32_t)[row] & (traits | TAV_TRAIT_INTERVAL)) ==
		            (traits | TAV_TRAIT_INTERVAL);
	CU_ASSERT_EQUAL_FATAL(order->track_count, events->track_count);
	CU_ASSERT_EQUAL_FATAL(order->first[0], 0);
	CU_ASSERT_EQUAL_FATAL(order->first[order->track_count], expected);
	for (uint32_t track = 0; track < order->track_count; track++) {
		for (uint64_t i = order->first[track]; i < order->first[track + 1]; i++) {
			tav_row row = order->rows[i], before = order->rows[i ? i - 1 : 0];

			CU_ASSERT_EQUAL_FATAL(COLUMN(events, track, const uint32_t)[row], track);
			CU_ASSERT_TRUE_FATAL(COLUMN(events, traits, const uint32_t)[row] & TAV_TRAIT_INTERVAL);
			if (i == order->first[track])
				continue;
			bool is_behind = start_ns[before] != start_ns[row] ? start_ns[before] < start_ns[row]
			                 : end_ns[before] != end_ns[row]   ? end_ns[before] > end_ns[row]
			                                                   : before < row;
			CU_ASSERT_TRUE_FATAL(is_behind);
		}
	}
}

static void orders_by_track_and_time(void)
{
	int64_t (*const starts[])(tav_row) = {ascending, descending, mixed, equal};
	static const tav_row sizes[] = {0, 1, 2, 17, 1000, 20000};
	struct causes causes = {0};

	for (unsigned s = 0; s < 4; s++) {
		for (unsigned n = 0; n < 6; n++) {
			for (uint32_t tracks = 1; tracks < 6; tracks += 2) {
				const struct tav_order *order, *again;
				struct store store;

				CU_ASSERT_TRUE_FATAL(make_store(&store, sizes[n], tracks, starts[s], mixed));
				CU_ASSERT_EQUAL_FATAL(store_order(&store, 0, TAV_TRAIT_DEVICE, &order, &causes),
				                      TAV_OK);
				check_order(store.sources[0], order, TAV_TRAIT_DEVICE);
				CU_ASSERT_EQUAL_FATAL(store_order(&store, 0, 0, &again, &causes), TAV_OK);
				check_order(store.sources[0], again, 0);
				CU_ASSERT_EQUAL_FATAL(
				        store_order(&store, 0, TAV_TRAIT_DEVICE | TAV_TRAIT_INTERVAL, &again, &causes),
				        TAV_OK);
				CU_ASSERT_PTR_EQUAL(order, again);
				store_fini(&store);
			}
		}
	}
	struct store empty;
	const struct tav_order *order;
	CU_ASSERT_TRUE_FATAL(store_init(&empty));
	CU_ASSERT_EQUAL(store_order(&empty, 0, 0, &order, &causes), TAV_FAILED);
	store_fini(&empty);
	causes_clear(&causes);
}

static void sealed_columns_refuse_writes(void)
{
	struct store store;
	struct causes causes = {0};

	CU_ASSERT_TRUE_FATAL(make_store(&store, 100, 1, ascending, mixed));
	CU_ASSERT_EQUAL(store_seal(&store, &causes), TAV_OK);
	CU_ASSERT_EQUAL(COLUMN(store.sources[0], start_ns, int64_t)[3], 30);
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		signal(SIGSEGV, SIG_DFL); /* not a sanitizer's */
		signal(SIGBUS, SIG_DFL);
		COLUMN(store.sources[0], start_ns, volatile int64_t)[3] = 1;
		_exit(0);
	}
	int status;
	CU_ASSERT_EQUAL_FATAL(waitpid(child, &status, 0), child);
	CU_ASSERT_TRUE(WIFSIGNALED(status));
	store_fini(&store);
}

static void notices_add_up(void)
{
	struct store store;

	CU_ASSERT_TRUE_FATAL(make_store(&store, 1, 1, ascending, mixed));
	struct events *events = store.sources[0];
	CU_ASSERT_TRUE(notice_count(events, NOTICE_WARNING, "a", 1, 2, 3, "first"));
	CU_ASSERT_TRUE(notice_count(events, NOTICE_REPAIR, "b", 4, 5, 6, "other"));
	CU_ASSERT_TRUE(notice_add(events, NOTICE_WARNING, "a", 5, 7, 8, 9, "second"));
	CU_ASSERT_EQUAL(notice_find(events, "a")->count, 6);
	CU_ASSERT_EQUAL(notice_find(events, "a")->line, 1);
	CU_ASSERT_STRING_EQUAL(notice_find(events, "a")->message, "first");
	CU_ASSERT_EQUAL(notice_find(events, "b")->kind, NOTICE_REPAIR);
	CU_ASSERT_PTR_NULL(notice_find(events, "c"));
	store_fini(&store);
}

static void wanted_fields_come_once(void)
{
	struct wanted wanted = {0};
	char paths[100][16];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(paths[i], sizeof(paths[i]), "args.k%u", i);
		CU_ASSERT_EQUAL(wanted_add(&wanted, paths[i], TAV_TYPE_STRING), i);
	}
	CU_ASSERT_EQUAL(wanted_add(&wanted, "args.k7", TAV_TYPE_STRING), 7);
	CU_ASSERT_EQUAL(wanted_add(&wanted, "args.k7", TAV_TYPE_INT), 100);
	wanted_fini(&wanted);
}

SUITE("store", {"store: orders by track and time", orders_by_track_and_time},
      {"store: sealed columns refuse writes", sealed_columns_refuse_writes}, {"store: notices add up", notices_add_up},
      {"store: wanted fields come once", wanted_fields_come_once})
