/* SPDX-License-Identifier: Apache-2.0 */
/* Which call on one rank is which on the others: by group, ranks, name, and number within these. */
#include "collectives.h"

#define TIME_BOUND (INT64_MAX / 4)

struct maps {
	struct tav_map texts;       /* groups, lists of ranks, names: all in one */
	struct tav_map pairs, keys; /* (group, ranks), (pair, name) */
	/* A source holds each text once, and lists of ranks are long: where a text lies says which it is. */
	struct tav_map places; /* of the source being read */
	struct {
		size_t size;
		uint32_t text;
	} * seen; /* by number of the place */
	uint32_t seen_size;
};

static const void *column(struct over_ranks *all, const struct tav_table_result *table, const char *name, uint32_t type,
                          const uint64_t **present)
{
	const struct tav_column_result *found = all->results->column(all->self, table, name);

	if (!found || found->type != type) {
		tav_fail(all->self, "the table calls of source %u lacks the column %s", table->source, name);
		return NULL;
	}
	if (present)
		*present = found->present;
	return found->data;
}

static bool is_there(const uint64_t *present, uint64_t row)
{
	return !present || bit_is_set(present, row);
}

static int by_rank(const void *context, uint32_t a, uint32_t b)
{
	const struct rank *x = (const struct rank *)context + a, *y = (const struct rank *)context + b;

	return (x->number > y->number) - (x->number < y->number);
}

/* The sources in the order of their ranks. */
static tav_status list_ranks(struct over_ranks *all, bool *is_empty, const char **why_not)
{
	struct tav_self *self = all->self;
	struct rank *ranks = take(self, (uint64_t)all->source_count + 1, sizeof(*ranks));
	uint32_t *sorted = take(self, (uint64_t)all->source_count + 1, sizeof(*sorted));

	all->ranks = take(self, (uint64_t)all->source_count + 1, sizeof(*all->ranks));
	all->world_size = -1;
	*is_empty = true;
	if (!ranks || !sorted || !all->ranks)
		return TAV_FAILED;
	for (uint32_t i = 0; i < all->source_count; i++) {
		const struct tav_source *about = self->host->source(self, i);
		const struct tav_table_result *types;

		if (!about || !all->results->is_done(self, all->stage, i))
			continue;
		types = all->results->find_table(self, all->stage, i, "types");
		if (types)
			*is_empty = false;
		ranks[all->rank_count].source = i;
		ranks[all->rank_count].number = about->rank;
		ranks[all->rank_count].table = all->results->find_table(self, all->stage, i, "calls");
		if (types && !ranks[all->rank_count].table)
			*why_not = "a source has more collectives than max_calls allows to be kept";
		if (about->rank < 0)
			*why_not = "a source does not say which rank it is (distributedInfo.rank)";
		all->world_size = about->world_size > all->world_size ? about->world_size : all->world_size;
		sorted[all->rank_count] = all->rank_count;
		all->rank_count++;
	}
	if (sort_places(self, sorted, all->rank_count, by_rank, ranks))
		return TAV_FAILED;
	for (uint32_t i = 0; i < all->rank_count; i++) {
		all->ranks[i] = ranks[sorted[i]];
		if (i && all->ranks[i].number == all->ranks[i - 1].number && !*why_not)
			*why_not = "two sources say that they are the same rank";
	}
	if (all->rank_count < 2 && !*why_not)
		*why_not = "only one source could be looked at";
	return TAV_OK;
}

static uint32_t text_of(struct maps *maps, struct tav_text text)
{
	uint32_t place = tav_map_number(&maps->places, (uint64_t)(uintptr_t)text.data);

	if (place == TAV_NONE)
		return TAV_NONE;
	if (place >= maps->seen_size) {
		void *seen = take(maps->places.self, maps->places.capacity, sizeof(*maps->seen));

		if (!seen)
			return TAV_NONE;
		if (maps->seen_size)
			memcpy(seen, maps->seen, maps->seen_size * sizeof(*maps->seen));
		maps->seen = seen;
		maps->seen_size = maps->places.capacity;
	}
	if (!maps->seen[place].size || maps->seen[place].size != text.size + 1) {
		maps->seen[place].size = text.size + 1;
		maps->seen[place].text = tav_map_text(&maps->texts, text);
	}
	return maps->seen[place].text;
}

static tav_status key_of(struct over_ranks *all, struct maps *maps, struct key like, uint32_t *out)
{
	uint32_t group = text_of(maps, like.group), ranks = text_of(maps, like.ranks), name = text_of(maps, like.name);
	uint32_t pair, key;

	if (group == TAV_NONE || ranks == TAV_NONE || name == TAV_NONE)
		return TAV_FAILED;
	pair = tav_map_number(&maps->pairs, (uint64_t)group << 32 | ranks);
	key = pair == TAV_NONE
	              ? TAV_NONE
	              : tav_map_number(&maps->keys, (uint64_t)pair << 33 | (uint64_t)name << 1 | like.has_metadata);
	if (key == TAV_NONE)
		return TAV_FAILED;
	if (key >= all->key_size) {
		uint32_t size = maps->keys.capacity;
		struct key *keys = take(all->self, size, sizeof(*keys));

		if (!keys)
			return TAV_FAILED;
		if (all->key_count)
			memcpy(keys, all->keys, all->key_count * sizeof(*keys));
		all->keys = keys;
		all->key_size = size;
	}
	if (key == all->key_count) {
		all->keys[key] = like;
		all->key_count++;
	}
	*out = key;
	return TAV_OK;
}

/* What a rank has of each key goes into the keys. */
static void count_keys(struct over_ranks *all, const struct rank *rank)
{
	for (uint64_t row = 0; row < rank->count; row++) {
		struct key *key = &all->keys[rank->key_of[row]];
		uint64_t count = key->of_rank;

		if (!count)
			continue; /* counted */
		key->of_rank = 0;
		if (!key->members++)
			key->count = key->least = key->most = count;
		key->is_odd |= count != key->count;
		key->least = count < key->least ? count : key->least;
		key->most = count > key->most ? count : key->most;
	}
}

static tav_status read_rank(struct over_ranks *all, struct rank *rank, struct maps *maps, const char **why_not)
{
	const struct tav_table_result *table = rank->table;
	const struct tav_text *group, *ranks, *name, *type, *device;
	const uint64_t *has_group = NULL, *has_ranks = NULL;
	const int64_t *has_metadata;
	struct key last = {0};
	uint32_t last_key = TAV_NONE;

	if (!table)
		return TAV_OK;
	tav_map_init(&maps->places, all->self);
	maps->seen_size = 0;
	rank->count = table->row_count;
	rank->start = column(all, table, "start_ns", TAV_TYPE_INT, NULL);
	rank->end = column(all, table, "end_ns", TAV_TYPE_INT, NULL);
	rank->seq = column(all, table, "seq", TAV_TYPE_INT, NULL);
	rank->bytes = column(all, table, "bytes", TAV_TYPE_INT, &rank->has_bytes);
	group = column(all, table, "group", TAV_TYPE_STRING, &has_group);
	ranks = column(all, table, "ranks", TAV_TYPE_STRING, &has_ranks);
	name = column(all, table, "name", TAV_TYPE_STRING, NULL);
	type = column(all, table, "type", TAV_TYPE_STRING, NULL);
	device = column(all, table, "device", TAV_TYPE_STRING, NULL);
	has_metadata = column(all, table, "has_metadata", TAV_TYPE_INT, NULL);
	rank->key_of = take(all->self, rank->count + 1, sizeof(*rank->key_of));
	if (!rank->start || !rank->end || !rank->seq || !rank->bytes || !group || !ranks || !name || !type || !device ||
	    !has_metadata || !rank->key_of)
		return TAV_FAILED;
	for (uint64_t row = 0; row < rank->count; row++) {
		struct key like = {.name = name[row], .has_metadata = has_metadata[row] != 0};

		like.group = is_there(has_group, row) ? group[row] : (struct tav_text){"", 0};
		like.ranks = is_there(has_ranks, row) ? ranks[row] : (struct tav_text){"", 0};
		all->has_group |= like.group.size > 0;
		if (row && device[row].data != device[row - 1].data && tav_text_compare(device[row], device[row - 1]))
			*why_not = "a source has collectives on several devices, so that it is no single rank";
		/* So that differences of times stay in range, whoever wrote the report. */
		if (rank->end[row] <= rank->start[row] || rank->start[row] < -TIME_BOUND || rank->end[row] > TIME_BOUND)
			*why_not = "a collective has a time that cannot be compared";
		/* Rows that follow each other are often alike. */
		if (last_key == TAV_NONE || last.group.data != like.group.data || last.ranks.data != like.ranks.data ||
		    last.name.data != like.name.data || last.has_metadata != like.has_metadata) {
			last = like;
			like.type = type_of_name(type[row]);
			if (key_of(all, maps, like, &last_key))
				return TAV_FAILED;
		}
		rank->key_of[row] = last_key;
		all->keys[last_key].of_rank++;
	}
	count_keys(all, rank);
	return TAV_OK;
}

tav_status ranks_read(struct over_ranks *all, bool *is_empty, const char **why_not)
{
	struct maps maps = {0};

	if (list_ranks(all, is_empty, why_not))
		return TAV_FAILED;
	if (*why_not || *is_empty)
		return TAV_OK;
	tav_map_init(&maps.texts, all->self);
	tav_map_init(&maps.pairs, all->self);
	tav_map_init(&maps.keys, all->self);
	for (uint32_t i = 0; i < all->rank_count; i++) {
		if (all->self->host->cancelled(all->self))
			return TAV_CANCELLED;
		if (read_rank(all, &all->ranks[i], &maps, why_not))
			return TAV_FAILED;
	}
	return TAV_OK;
}

bool is_matched(const struct over_ranks *all, const struct key *key)
{
	return key->members > 1 && !key->is_odd && (key->ranks.size || key->members == all->rank_count);
}

struct match *match_of(const struct over_ranks *all, const struct rank *rank, uint64_t row)
{
	const struct key *key = &all->keys[rank->key_of[row]];
	int64_t seq = rank->seq[row];

	if (!is_matched(all, key) || seq < 1 || (uint64_t)seq > key->count)
		return NULL;
	return &all->matches[key->first + (uint64_t)seq - 1];
}

static tav_status add_row(struct over_ranks *all, uint32_t number, uint64_t row, const struct tav_text *dtype)
{
	struct rank *rank = &all->ranks[number];
	struct match *match = match_of(all, rank, row);
	int64_t start = rank->start[row], end = rank->end[row], ns = span_ns(start, end);
	int64_t bytes = is_there(rank->has_bytes, row) ? rank->bytes[row] : -1;

	if (!match)
		return TAV_OK;
	if (match->seen_by == number + 1)
		return tav_fail(all->self, "two collectives of source %u have the same number", rank->source);
	match->seen_by = number + 1;
	if (!match->members++) {
		match->key = rank->key_of[row];
		match->least = INT64_MAX;
		match->bytes = bytes;
		match->dtype = *dtype;
		match->end_of_first = end;
		match->first_start = match->last_start = start;
		match->first_end = match->last_end = end;
	}
	match->is_unlike |= bytes != match->bytes || tav_text_compare(*dtype, match->dtype);
	if (ns == match->least)
		match->last = TAV_NONE;
	if (ns < match->least) {
		match->least = ns;
		match->last = number;
	}
	match->most = ns > match->most ? ns : match->most;
	match->first_start = start < match->first_start ? start : match->first_start;
	match->last_start = start > match->last_start ? start : match->last_start;
	match->first_end = end < match->first_end ? end : match->first_end;
	match->last_end = end > match->last_end ? end : match->last_end;
	return TAV_OK;
}

/* Judged are those on all ranks, in which every rank waits for all. */
static void choose_judged(struct over_ranks *all)
{
	int64_t shortest = all->self->options[COLL_OPT_MIN_DURATION]->integer;

	for (uint64_t i = 0; i < all->match_count; i++) {
		struct match *match = &all->matches[i];
		const struct key *key = &all->keys[match->key];

		if (!match->members || match->is_unlike || match->members != key->members)
			continue;
		all->matched++;
		/* Without metadata a sendrecv on all ranks is taken for all-to-all. */
		match->is_judged =
		        match->members == all->rank_count && match->most >= shortest &&
		        (is_joint((enum type)key->type) || (key->type == TYPE_SENDRECV && !key->has_metadata));
		if (!match->is_judged)
			continue;
		if (!all->judged++ || match->first_start < all->matches[all->first].first_start)
			all->first = i;
	}
}

tav_status ranks_match(struct over_ranks *all)
{
	for (uint32_t i = 0; i < all->key_count; i++) {
		struct key *key = &all->keys[i];

		key->first = all->match_count;
		if (is_matched(all, key))
			all->match_count += key->count;
	}
	all->matches = take(all->self, all->match_count + 1, sizeof(*all->matches));
	if (!all->matches)
		return TAV_FAILED;
	for (uint32_t i = 0; i < all->rank_count; i++) {
		struct rank *rank = &all->ranks[i];
		const struct tav_text none = {"", 0}, *dtypes;
		const uint64_t *has_dtype;

		if (!rank->table)
			continue;
		dtypes = column(all, rank->table, "dtype", TAV_TYPE_STRING, &has_dtype);
		if (!dtypes)
			return TAV_FAILED;
		for (uint64_t row = 0; row < rank->count; row++)
			if (add_row(all, i, row, is_there(has_dtype, row) ? &dtypes[row] : &none))
				return TAV_FAILED;
		if (all->self->host->cancelled(all->self))
			return TAV_CANCELLED;
	}
	choose_judged(all);
	return TAV_OK;
}
