/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the collectives of all ranks. */
#include "collectives.h"

static uint32_t add_int(struct tav_sheet *sheet, const char *name, uint32_t unit, uint32_t show)
{
	return tav_sheet_column(sheet, name, TAV_TYPE_INT, unit, show);
}

static bool is_whole(const struct over_ranks *all)
{
	return all->world_size > 0 && (int64_t)all->rank_count >= all->world_size;
}

/* ---- Tables
 * ------------------------------------------------------------------------------------------------------------ */
static tav_status table_of_ranks(const struct over_ranks *all)
{
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, all->self, all->rank_count);

	uint32_t rank = add_int(&sheet, "rank", TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t total = add_int(&sheet, "collective_ns", TAV_UNIT_NS, 0);
	uint32_t waited = add_int(&sheet, "waited_ns", TAV_UNIT_NS, 0);
	uint32_t last = add_int(&sheet, "arrived_last", TAV_UNIT_COUNT, 0);
	uint32_t caused = add_int(&sheet, "caused_ns", TAV_UNIT_NS, 0);
	uint32_t after = add_int(&sheet, "caused_after_first_ns", TAV_UNIT_NS, 0);
	uint32_t late = add_int(&sheet, "late_ns", TAV_UNIT_NS, TAV_SHOW_DETAIL);

	for (uint32_t i = 0; i < all->rank_count; i++) {
		const struct rank *of = &all->ranks[i];

		tav_sheet_int(&sheet, rank, i, of->number);
		tav_sheet_int(&sheet, total, i, of->collective_ns);
		tav_sheet_int(&sheet, waited, i, of->waited_ns);
		tav_sheet_count(&sheet, last, i, of->arrived_last);
		tav_sheet_int(&sheet, caused, i, of->caused_ns);
		tav_sheet_int(&sheet, after, i, of->caused_after_first_ns);
		tav_sheet_int(&sheet, late, i, of->late_ns);
	}
	return tav_sheet_send(
	        &sheet, TAV_RUN, "ranks",
	        "Ranks in the judged collectives (caused: the longest wait of those in which it came last)", 0);
}

static tav_status table_of_clocks(const struct over_ranks *all)
{
	struct tav_sheet sheet;

	tav_sheet_init(&sheet, all->self, all->rank_count);
	/* Clocks that agree are a detail. */
	uint32_t show =
	        all->clock_spread > all->self->options[COLL_OPT_TOLERANCE]->integer ? TAV_SHOW_COLUMN : TAV_SHOW_DETAIL;
	uint32_t rank = add_int(&sheet, "rank", TAV_UNIT_NONE, show);
	uint32_t offset = add_int(&sheet, "offset_ns", TAV_UNIT_NS, show);

	for (uint32_t i = 0; i < all->rank_count; i++) {
		tav_sheet_int(&sheet, rank, i, all->ranks[i].number);
		tav_sheet_int(&sheet, offset, i, all->ranks[i].offset);
	}
	return tav_sheet_send(&sheet, TAV_RUN, "clocks",
	                      "Clocks against that of the lowest rank, by the ends of collectives", 0);
}

static int by_wait(const void *context, uint32_t a, uint32_t b)
{
	const struct match *x = (const struct match *)context + a, *y = (const struct match *)context + b;
	int64_t of_x = x->most - x->least, of_y = y->most - y->least;

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return (a > b) - (a < b);
}

static tav_status table_of_slowest(const struct over_ranks *all)
{
	uint64_t top = (uint64_t)all->self->options[COLL_OPT_TOP]->integer, count = 0, rows;
	uint32_t *sorted = take(all->self, all->judged + 1, sizeof(*sorted));
	struct tav_sheet sheet;

	if (!sorted || all->match_count > UINT32_MAX)
		return TAV_FAILED;
	for (uint64_t i = 0; i < all->match_count; i++)
		if (all->matches[i].is_judged)
			sorted[count++] = (uint32_t)i;
	if (sort_places(all->self, sorted, count, by_wait, all->matches))
		return TAV_FAILED;
	rows = top && top < count ? top : count;
	tav_sheet_init(&sheet, all->self, rows);

	uint32_t name = tav_sheet_column(&sheet, "name", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t group = tav_sheet_column(&sheet, "group", TAV_TYPE_STRING, 0, TAV_SHOW_DETAIL);
	uint32_t seq = add_int(&sheet, "seq", TAV_UNIT_NONE, TAV_SHOW_KEY);
	uint32_t transfer = add_int(&sheet, "transfer_ns", TAV_UNIT_NS, 0);
	uint32_t wait = add_int(&sheet, "longest_wait_ns", TAV_UNIT_NS, 0);
	uint32_t last = add_int(&sheet, "last_rank", TAV_UNIT_NONE, 0);
	uint32_t arrival = add_int(&sheet, "arrival_skew_ns", TAV_UNIT_NS, 0);
	uint32_t starts = add_int(&sheet, "start_skew_ns", TAV_UNIT_NS, TAV_SHOW_DETAIL);
	uint32_t ends = add_int(&sheet, "end_skew_ns", TAV_UNIT_NS, TAV_SHOW_DETAIL);

	for (uint64_t row = 0; row < rows; row++) {
		const struct match *match = &all->matches[sorted[row]];
		const struct key *key = &all->keys[match->key];

		tav_sheet_text(&sheet, name, row, key->name);
		if (key->group.size)
			tav_sheet_text(&sheet, group, row, key->group);
		tav_sheet_int(&sheet, seq, row, (int64_t)(sorted[row] - key->first) + 1);
		tav_sheet_int(&sheet, transfer, row, match->least);
		tav_sheet_int(&sheet, wait, row, match->most - match->least);
		if (match->last != TAV_NONE)
			tav_sheet_int(&sheet, last, row, all->ranks[match->last].number);
		tav_sheet_int(&sheet, arrival, row, match->last_start_fixed - match->first_start_fixed);
		tav_sheet_int(&sheet, starts, row, match->last_start - match->first_start);
		tav_sheet_int(&sheet, ends, row, match->last_end - match->first_end);
	}
	sheet.first_rows = 5;
	return tav_sheet_send(&sheet, TAV_RUN, "slowest_calls", "Collectives with the longest waits", count - rows);
}

/* Why calls of a key are not matched; NULL: they are. */
static const char *why_unmatched(const struct over_ranks *all, const struct key *key)
{
	if (is_matched(all, key))
		return NULL;
	if (key->members < 2)
		return "on one of these ranks only";
	return key->is_odd ? "the ranks have different numbers of it" : "not on all ranks";
}

static tav_status table_of_unmatched(const struct over_ranks *all)
{
	uint64_t top = (uint64_t)all->self->options[COLL_OPT_TOP]->integer, count = 0, rows, row = 0;
	uint64_t *unlike = take(all->self, (uint64_t)all->key_count + 1, sizeof(*unlike));
	struct tav_sheet sheet;

	if (!unlike)
		return TAV_FAILED;
	for (uint64_t i = 0; i < all->match_count; i++)
		unlike[all->matches[i].key] += all->matches[i].is_unlike;
	for (uint32_t i = 0; i < all->key_count; i++)
		count += why_unmatched(all, &all->keys[i]) || unlike[i];
	if (!count)
		return TAV_OK;
	rows = top && top < count ? top : count;
	tav_sheet_init(&sheet, all->self, rows);

	uint32_t name = tav_sheet_column(&sheet, "name", TAV_TYPE_STRING, 0, TAV_SHOW_KEY);
	uint32_t group = tav_sheet_column(&sheet, "group", TAV_TYPE_STRING, 0, TAV_SHOW_COLUMN);
	uint32_t members = add_int(&sheet, "ranks", TAV_UNIT_COUNT, 0);
	uint32_t least = add_int(&sheet, "least", TAV_UNIT_COUNT, 0), most = add_int(&sheet, "most", TAV_UNIT_COUNT, 0);
	uint32_t why = tav_sheet_column(&sheet, "why", TAV_TYPE_STRING, 0, TAV_SHOW_COLUMN);

	for (uint32_t i = 0; i < all->key_count && row < rows; i++) {
		const struct key *key = &all->keys[i];
		const char *reason = why_unmatched(all, key);

		if (!reason && !unlike[i])
			continue;
		tav_sheet_text(&sheet, name, row, key->name);
		if (key->group.size)
			tav_sheet_text(&sheet, group, row, key->group);
		tav_sheet_int(&sheet, members, row, key->members);
		tav_sheet_count(&sheet, least, row, key->least);
		tav_sheet_count(&sheet, most, row, key->most);
		tav_sheet_chars(&sheet, why, row++, reason ? reason : "sizes or types of the data differ in some");
	}
	sheet.first_rows = 5;
	return tav_sheet_send(&sheet, TAV_RUN, "unmatched", "Collectives that could not be matched over the ranks",
	                      count - rows);
}

tav_status ranks_tables(struct over_ranks *all)
{
	if (all->is_judged && (table_of_ranks(all) || table_of_slowest(all)))
		return TAV_FAILED;
	if (all->judged && table_of_clocks(all))
		return TAV_FAILED;
	return table_of_unmatched(all);
}

/* ---- Did the ranks run the same collectives, and do these meet?
 * --------------------------------------------------------- */
static tav_status check_same(const struct over_ranks *all)
{
	uint64_t examined = 0, bad = 0;
	char a[TAV_COUNTED_SIZE], b[TAV_COUNTED_SIZE];

	/* A group that one rank alone has may lie on ranks that are not here. */
	for (uint32_t i = 0; i < all->key_count; i++) {
		const struct key *key = &all->keys[i];

		if (key->members < 2 && !(is_whole(all) && !key->ranks.size))
			continue;
		examined += key->most;
		if (key->is_odd)
			bad += key->most - key->least;
		else if (!is_matched(all, key))
			bad += key->most;
	}
	for (uint64_t i = 0; i < all->match_count; i++)
		bad += all->matches[i].is_unlike;
	if (!examined)
		return tav_tell(all->self, TAV_RUN, "collectives", TAV_RESULT_SKIP, 0, 0,
		                "cannot tell: no collective is there on two ranks");
	if (bad && !all->has_group && !is_whole(all))
		return tav_tell(all->self, TAV_RUN, "collectives", TAV_RESULT_SKIP, bad, examined,
		                "cannot tell: %s of %s differ, but no process group is recorded and ranks are missing",
		                tav_counted(a, bad, ""), tav_counted(b, examined, "collective"));
	if (bad)
		return tav_tell(all->self, TAV_RUN, "collectives", TAV_RESULT_FAIL, bad, examined,
		                "%s of %s differ%s between the ranks in number, size or type; see the table unmatched",
		                tav_counted(a, bad, ""), tav_counted(b, examined, "collective"), tav_does(bad));
	return tav_tell(all->self, TAV_RUN, "collectives", TAV_RESULT_PASS, 0, examined, "the ranks ran the same %s",
	                tav_counted(a, examined, "collective"));
}

/* Do the recordings share time at all? */
static bool share_time(const struct over_ranks *all)
{
	int64_t from = INT64_MIN, to = INT64_MAX;
	const int64_t *base = NULL;

	for (uint32_t i = 0; i < all->rank_count; i++) {
		const struct tav_source *about = all->self->host->source(all->self, all->ranks[i].source);
		const struct tav_metric_result *metric =
		        all->results->find_metric(all->self, all->stage, all->ranks[i].source, "base_time_ns");

		from = about->first_ns > from ? about->first_ns : from;
		to = about->last_ns < to ? about->last_ns : to;
		if (i && !metric != !base)
			return false;
		if (i && metric && metric->value != *base)
			return false;
		base = metric ? &metric->value : NULL;
	}
	return from < to;
}

static tav_status check_meet(const struct over_ranks *all)
{
	enum { BOUND_NS = 100000 }; /* of the ends of one call, by clocks that are one */
	uint64_t examined = 0, apart = 0, loose = 0;
	int64_t ends = 0, starts = 0;
	char a[TAV_DURATION_SIZE], b[TAV_DURATION_SIZE], c[TAV_COUNTED_SIZE], d[TAV_COUNTED_SIZE];

	for (uint64_t i = 0; i < all->match_count; i++) {
		const struct match *match = &all->matches[i];

		if (!match->members || match->is_unlike || match->members != all->keys[match->key].members)
			continue;
		examined++;
		apart += match->last_start >= match->first_end;
		loose += match->last_end - match->first_end > BOUND_NS;
		ends = match->last_end - match->first_end > ends ? match->last_end - match->first_end : ends;
		starts = match->last_start - match->first_start > starts ? match->last_start - match->first_start
		                                                         : starts;
	}
	if (!examined || !share_time(all))
		return tav_tell(all->self, TAV_RUN, "meet", TAV_RESULT_SKIP, 0, 0, "cannot tell: %s",
		                examined ? "the recordings do not share a clock" : "no collective is matched");
	tav_counted(c, apart, "");
	tav_counted(d, examined, "matched collective");
	if (apart && !all->has_group && !is_whole(all))
		return tav_tell(
		        all->self, TAV_RUN, "meet", TAV_RESULT_SKIP, apart, examined,
		        "cannot tell: %s of %s do not meet in time, but no process group is recorded and ranks are "
		        "missing: they may be others",
		        c, d);
	if (apart)
		return tav_tell(
		        all->self, TAV_RUN, "meet", TAV_RESULT_FAIL, apart, examined,
		        "%s of %s do%s not meet in time: the clocks of the ranks differ, or these are other calls", c,
		        d, apart == 1 ? "es" : "");
	return tav_tell(all->self, TAV_RUN, "meet", loose ? TAV_RESULT_WARN : TAV_RESULT_PASS, loose, examined,
	                "the ends of %s lie within %s, the starts within %s", d, tav_duration(a, ends),
	                tav_duration(b, starts));
}

tav_status ranks_checks(struct over_ranks *all)
{
	return check_same(all) || check_meet(all) ? TAV_FAILED : TAV_OK;
}

/* ---- The headline
 * ------------------------------------------------------------------------------------------------------- */
/* The rank that is waited for longest after the first call, and one that comes within a tenth of it. */
static void say_ranks(const struct over_ranks *all, struct tav_sentence *say)
{
	const struct rank *most = NULL, *second = NULL;
	char a[TAV_DURATION_SIZE], b[TAV_DURATION_SIZE];

	for (uint32_t i = 0; i < all->rank_count; i++) {
		const struct rank *rank = &all->ranks[i];

		if (!most || rank->caused_after_first_ns > most->caused_after_first_ns) {
			second = most;
			most = rank;
		} else if (!second || rank->caused_after_first_ns > second->caused_after_first_ns) {
			second = rank;
		}
	}
	if (!most || !most->caused_after_first_ns) {
		tav_say(say, ". After it, no rank is waited for");
		return;
	}
	tav_duration(a, most->caused_after_first_ns);
	if (second && second->caused_after_first_ns >= most->caused_after_first_ns - most->caused_after_first_ns / 10)
		tav_say(say, ". After it, ranks %lld and %lld are waited for longest (%s and %s)",
		        (long long)most->number, (long long)second->number, a,
		        tav_duration(b, second->caused_after_first_ns));
	else
		tav_say(say, ". After it, rank %lld is waited for longest (%s)", (long long)most->number, a);
}

static tav_status metrics(const struct over_ranks *all)
{
	const struct {
		const char *id;
		int64_t value;
		uint32_t unit, better;
	} items[] = {
	        {"matched", (int64_t)all->matched, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN},
	        {"judged", (int64_t)all->judged, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN},
	        {"residual_p50_ns", all->residual_p50, TAV_UNIT_NS, TAV_BETTER_LOWER},
	        {"residual_max_ns", all->residual_max, TAV_UNIT_NS, TAV_BETTER_LOWER},
	        {"clock_spread_ns", all->clock_spread, TAV_UNIT_NS, TAV_BETTER_LOWER},
	        {"transfer_ns", all->transfer_ns, TAV_UNIT_NS, TAV_BETTER_LOWER},
	        {"longest_wait_ns", all->longest_wait_ns, TAV_UNIT_NS, TAV_BETTER_LOWER},
	        {"first_wait_ns", all->first_wait_ns, TAV_UNIT_NS, TAV_BETTER_LOWER},
	};
	unsigned count = all->is_judged ? 8 : all->judged ? 5 : 2;

	for (unsigned i = 0; i < count; i++)
		if (tav_measure(all->self, TAV_RUN, items[i].id, items[i].value, items[i].unit, items[i].better))
			return TAV_FAILED;
	return TAV_OK;
}

tav_status ranks_say(struct over_ranks *all)
{
	char text[1000], a[TAV_DURATION_SIZE], b[TAV_DURATION_SIZE], c[TAV_DURATION_SIZE], n[TAV_COUNTED_SIZE];
	struct tav_sentence say = {text, sizeof(text), 0};
	bool is_part = all->world_size > (int64_t)all->rank_count;

	if (metrics(all))
		return TAV_FAILED;
	if (!all->judged)
		return tav_tell(
		        all->self, TAV_RUN, "waits", TAV_RESULT_SKIP, 0, all->matched,
		        "cannot tell: no collective in which all wait for all is matched on all of the ranks given");
	if (!all->is_judged)
		return tav_tell(
		        all->self, TAV_RUN, "waits", TAV_RESULT_SKIP, 0, all->judged,
		        "cannot tell: the ends of matched collectives stay %s apart (median) even with their clocks "
		        "set: they are not the same calls, or the traces are samples",
		        tav_duration(a, all->residual_p50));
	if (is_part)
		tav_say(&say, "%u of %lld ranks, ", all->rank_count, (long long)all->world_size);
	else
		tav_say(&say, "%u ranks, ", all->rank_count);
	tav_say(&say, "%s: %s%s transfer, %s%s waiting, %s of it in the first",
	        tav_counted(n, all->judged, "collective"), is_part ? "at most " : "", tav_duration(a, all->transfer_ns),
	        is_part ? "at least " : "up to ", tav_duration(b, all->longest_wait_ns),
	        tav_duration(c, all->first_wait_ns));
	say_ranks(all, &say);
	if (all->self->host->headline(all->self, TAV_RUN, text))
		return TAV_FAILED;
	return tav_tell(all->self, TAV_RUN, "waits", TAV_RESULT_PASS, 0, all->judged,
	                "who waits for whom follows from %s on all of the ranks given", n);
}
