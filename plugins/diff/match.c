/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs the rows of two sides, level by level: each takes what the ones before left. Rows of one key are a group, on
 * each side; what no level takes is gone or new.
 */
#include <stdlib.h>
#include <string.h>

#include <tav/map.h>

#include "diff.h"

enum { SHORTEST_CUT = 12, ENOUGH = 64 };

struct side {
	const struct call_row *calls;
	struct name *names;
	unsigned char *is_used;
	const struct call_row **rows; /* those of a group stand side by side; filled as groups are made */
	uint32_t count, used;
};
struct matcher {
	struct tav_self *self;
	struct side base, cand;
	struct row *rows;
	uint32_t row_count;
};

static tav_status side_init(struct matcher *matcher, struct side *side, const struct device_sum *device)
{
	const struct tav_host *host = matcher->self->host;

	side->calls = device->calls;
	side->count = device->call_count;
	side->names = host->alloc(matcher->self, ((size_t)side->count + 1) * sizeof(*side->names));
	side->is_used = host->alloc(matcher->self, (size_t)side->count + 1);
	side->rows = host->alloc(matcher->self, ((size_t)side->count + 1) * sizeof(*side->rows));
	if (!side->names || !side->is_used || !side->rows)
		return TAV_FAILED;
	for (uint32_t i = 0; i < side->count; i++)
		if (name_read(matcher->self, side->calls[i].name, &side->names[i]))
			return TAV_FAILED;
	return TAV_OK;
}

static void take(struct side *side, uint32_t i)
{
	side->is_used[i] = 1;
	side->rows[side->used++] = &side->calls[i];
}

static struct row *add_row(struct matcher *matcher, enum level level, enum kind kind, struct tav_text name)
{
	struct row *row = &matcher->rows[matcher->row_count++];

	*row = (struct row){.level = level,
	                    .kind = kind,
	                    .name = name,
	                    .base = matcher->base.rows + matcher->base.used,
	                    .cand = matcher->cand.rows + matcher->cand.used};
	return row;
}

static void close_row(const struct matcher *matcher, struct row *row)
{
	row->base_count = (uint32_t)(matcher->base.rows + matcher->base.used - row->base);
	row->cand_count = (uint32_t)(matcher->cand.rows + matcher->cand.used - row->cand);
}

static struct tav_text key_of(const struct side *side, uint32_t i, enum level level)
{
	switch (level) {
	case L_EXACT:
		return side->calls[i].name;
	case L_NAME:
		return side->names[i].canonical;
	case L_DIGITS:
		return side->names[i].digits;
	case L_HEAD:
		return side->names[i].head;
	default:
		return side->calls[i].op;
	}
}

/* ---- Levels with a key ------------------------------------------------------------------------------------------- */
struct keyed {
	uint32_t *key;           /* by row; TAV_NONE: used, or without a key */
	uint32_t *first, *count; /* by key: rows of it, side by side in `rows` */
	uint32_t *rows;
};

/* Numbers the keys of one side; keys of both sides have one map. */
static tav_status number_side(struct matcher *matcher, const struct side *side, enum level level, enum kind kind,
                              struct tav_map *map, struct keyed *out)
{
	const struct tav_host *host = matcher->self->host;

	out->key = host->alloc(matcher->self, ((size_t)side->count + 1) * sizeof(*out->key));
	if (!out->key)
		return TAV_FAILED;
	for (uint32_t i = 0; i < side->count; i++) {
		struct tav_text key = key_of(side, i, level);

		out->key[i] = TAV_NONE;
		if (side->is_used[i] || side->calls[i].kind != kind || !key.size)
			continue;
		out->key[i] = tav_map_text(map, key);
		if (out->key[i] == TAV_NONE)
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status group_side(struct matcher *matcher, const struct side *side, uint32_t keys, struct keyed *out)
{
	const struct tav_host *host = matcher->self->host;
	uint32_t sum = 0;

	out->first = host->alloc(matcher->self, ((size_t)keys + 1) * sizeof(*out->first));
	out->count = host->alloc(matcher->self, ((size_t)keys + 1) * sizeof(*out->count));
	out->rows = host->alloc(matcher->self, ((size_t)side->count + 1) * sizeof(*out->rows));
	if (!out->first || !out->count || !out->rows)
		return TAV_FAILED;
	for (uint32_t i = 0; i < side->count; i++)
		if (out->key[i] != TAV_NONE)
			out->count[out->key[i]]++;
	for (uint32_t key = 0; key < keys; key++) {
		out->first[key] = sum;
		sum += out->count[key];
		out->count[key] = 0;
	}
	for (uint32_t i = 0; i < side->count; i++)
		if (out->key[i] != TAV_NONE)
			out->rows[out->first[out->key[i]] + out->count[out->key[i]]++] = i;
	return TAV_OK;
}

static tav_status match_level(struct matcher *matcher, enum level level, enum kind kind)
{
	struct keyed base, cand;
	struct tav_map map;

	tav_map_init(&map, matcher->self);
	if (number_side(matcher, &matcher->base, level, kind, &map, &base) ||
	    number_side(matcher, &matcher->cand, level, kind, &map, &cand) ||
	    group_side(matcher, &matcher->base, map.count, &base) ||
	    group_side(matcher, &matcher->cand, map.count, &cand))
		return TAV_FAILED;
	for (uint32_t key = 0; key < map.count; key++) {
		struct row *row;

		if (!base.count[key] || !cand.count[key] ||
		    (level == L_OP && (base.count[key] > 1 || cand.count[key] > 1)))
			continue;
		row = add_row(matcher, level, kind,
		              level == L_OP ? matcher->cand.names[cand.rows[cand.first[key]]].canonical
		                            : map.texts[key]);
		for (uint32_t i = 0; i < base.count[key]; i++)
			take(&matcher->base, base.rows[base.first[key] + i]);
		for (uint32_t i = 0; i < cand.count[key]; i++)
			take(&matcher->cand, cand.rows[cand.first[key] + i]);
		close_row(matcher, row);
	}
	return TAV_OK;
}

/* ---- Names that were cut ----------------------------------------------------------------------------------------- */
struct left { /* a row that is left, to be looked up by its canonical name */
	struct tav_text name;
	uint32_t row;
};
struct list {
	struct left *items; /* sorted by name */
	uint32_t count;
};
struct partners { /* of a row: how many on the other side it may be, and one of them */
	uint32_t count, one;
};

static int compare_left(const void *left, const void *right)
{
	const struct left *a = left, *b = right;
	int order = tav_text_compare(a->name, b->name);

	return order ? order : (a->row > b->row) - (a->row < b->row);
}

static tav_status list_left(struct matcher *matcher, const struct side *side, enum kind kind, struct list *out)
{
	out->items = matcher->self->host->alloc(matcher->self, ((size_t)side->count + 1) * sizeof(*out->items));
	out->count = 0;
	if (!out->items)
		return TAV_FAILED;
	for (uint32_t i = 0; i < side->count; i++)
		if (!side->is_used[i] && side->calls[i].kind == kind && side->names[i].canonical.size >= SHORTEST_CUT)
			out->items[out->count++] = (struct left){side->names[i].canonical, i};
	qsort(out->items, out->count, sizeof(*out->items), compare_left);
	return TAV_OK;
}

/* The first item that is not less than `text`. */
static uint32_t lower_bound(const struct list *list, struct tav_text text)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (tav_text_compare(list->items[middle].name, text) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void see_partner(struct partners *partners, uint32_t row)
{
	partners->count++;
	partners->one = row;
}

/* Each cut name of `cut` is looked for among the names that begin with it; of each pair both sides are told. */
static void find_prefixes(const struct side *cut_side, const struct list *cut, const struct list *other,
                          struct partners *of_cut, struct partners *of_other)
{
	for (uint32_t i = 0; i < cut->count; i++) {
		const struct left *left = &cut->items[i];

		if (!cut_side->names[left->row].is_cut)
			continue;
		for (uint32_t j = lower_bound(other, left->name); j < other->count; j++) {
			const struct left *right = &other->items[j];

			if (right->name.size < left->name.size ||
			    memcmp(right->name.data, left->name.data, left->name.size))
				break;
			see_partner(&of_cut[left->row], right->row);
			see_partner(&of_other[right->row], left->row);
			if (of_cut[left->row].count == ENOUGH) /* of several none */
				break;
		}
	}
}

static tav_status match_cut(struct matcher *matcher, enum kind kind)
{
	const struct tav_host *host = matcher->self->host;
	struct side *base = &matcher->base, *cand = &matcher->cand;
	struct partners *of_base = host->alloc(matcher->self, ((size_t)base->count + 1) * sizeof(*of_base));
	struct partners *of_cand = host->alloc(matcher->self, ((size_t)cand->count + 1) * sizeof(*of_cand));
	struct list left, right;

	if (!of_base || !of_cand || list_left(matcher, base, kind, &left) || list_left(matcher, cand, kind, &right))
		return TAV_FAILED;
	find_prefixes(base, &left, &right, of_base, of_cand);
	find_prefixes(cand, &right, &left, of_cand, of_base);
	for (uint32_t i = 0; i < base->count; i++) {
		uint32_t other = of_base[i].one;
		struct row *row;

		if (of_base[i].count != 1 || of_cand[other].count != 1)
			continue;
		if (of_cand[other].one != i || base->is_used[i] || cand->is_used[other])
			continue;
		row = add_row(matcher, L_CUT, kind,
		              base->names[i].canonical.size > cand->names[other].canonical.size
		                      ? base->names[i].canonical
		                      : cand->names[other].canonical);
		take(base, i);
		take(cand, other);
		close_row(matcher, row);
	}
	return TAV_OK;
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */
static void add_rest(struct matcher *matcher, struct side *side, enum level level)
{
	for (uint32_t i = 0; i < side->count; i++) {
		struct row *row;

		if (side->is_used[i])
			continue;
		row = add_row(matcher, level, side->calls[i].kind, side->names[i].canonical);
		take(side, i);
		close_row(matcher, row);
	}
}

tav_status match_rows(struct tav_self *self, const struct device_sum *base, const struct device_sum *cand,
                      struct row **rows, uint32_t *count)
{
	static const enum level levels[] = {L_EXACT, L_NAME, L_CUT, L_DIGITS, L_HEAD, L_OP};
	struct matcher matcher = {.self = self};

	if (side_init(&matcher, &matcher.base, base) || side_init(&matcher, &matcher.cand, cand))
		return TAV_FAILED;
	matcher.rows =
	        self->host->alloc(self, ((size_t)base->call_count + cand->call_count + 1) * sizeof(*matcher.rows));
	if (!matcher.rows)
		return TAV_FAILED;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		for (int kind = 0; kind < KIND_COUNT; kind++) {
			tav_status status = levels[i] == L_CUT ? match_cut(&matcher, (enum kind)kind)
			                                       : match_level(&matcher, levels[i], (enum kind)kind);

			if (status)
				return status;
		}
	}
	add_rest(&matcher, &matcher.base, L_GONE);
	add_rest(&matcher, &matcher.cand, L_NEW);
	*rows = matcher.rows;
	*count = matcher.row_count;
	return TAV_OK;
}
