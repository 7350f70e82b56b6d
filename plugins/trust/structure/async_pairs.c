/* SPDX-License-Identifier: Apache-2.0 */
#include "structure.h"

struct part {
	uint32_t category, scope, id;
	tav_row row;
	int64_t time;
};

static int compare(const void *a, const void *b)
{
	const struct part *left = a, *right = b;

	if (left->category != right->category)
		return left->category < right->category ? -1 : 1;
	if (left->scope != right->scope)
		return left->scope < right->scope ? -1 : 1;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

static bool is_same(const struct part *a, const struct part *b)
{
	return a->category == b->category && a->scope == b->scope && a->id == b->id;
}

static bool is_part(const struct trust *trust, tav_row row)
{
	return trust->phase[row] == 'b' || trust->phase[row] == 'e';
}

static tav_status take_parts(struct trust *trust, struct part *parts)
{
	const uint32_t *ids = field_of(trust, FIELD_ID), *scopes = field_of(trust, FIELD_SCOPE);
	struct tav_map categories;
	uint64_t count = 0;

	if (!ids || !scopes)
		return TAV_FAILED;
	tav_map_init(&categories, trust->self);
	for (tav_row row = 0; row < trust->row_count; row++) {
		struct tav_text category;
		uint32_t number;

		if (!is_part(trust, row))
			continue;
		trust->host->label(trust->self, 0, trust->label[row], &category);
		number = tav_map_text(&categories, category);
		if (number == TAV_NONE)
			return TAV_FAILED;
		parts[count++] = (struct part){number, scopes[row], ids[row], row, trust->start[row]};
	}
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	uint64_t count = facts_of(trust)->phases['b'] + facts_of(trust)->phases['e'], open = 0;
	struct part *parts;

	if (!count)
		return does_not_apply(verdict);
	parts = trust->host->alloc(trust->self, count * sizeof(*parts));
	/* Begins that are open, the last one on top. */
	tav_row *begins = trust->host->alloc(trust->self, count * sizeof(*begins));
	if (!parts || !begins || take_parts(trust, parts))
		return TAV_FAILED;
	qsort(parts, count, sizeof(*parts), compare);
	for (uint64_t i = 0; i < count; i++) {
		if (trust->phase[parts[i].row] == 'b')
			begins[open++] = parts[i].row;
		else if (open)
			open--;
		else
			found(verdict, parts[i].row);
		if (i + 1 < count && is_same(&parts[i], &parts[i + 1]))
			continue;
		while (open)
			found(verdict, begins[--open]);
	}
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, count, "%s asynchronous begins and ends belong together",
		             COUNTED(count, ""));
	return judge(verdict, TRUST_WARN, count, "%s of %s asynchronous begins and ends have no partner; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(count, ""), NAME(trust, verdict->rows[0]));
}

const struct trust_check check_async_pairs = {
        .id = "async_pairs",
        .question = "Has every asynchronous begin its end?",
        .worst = TRUST_WARN,
        .text = "Asynchronous events (ph b and e) belong together by category, scope and id, nested in time order. One "
                "without its partner is open: its operation was not finished when the recording ended, or a record was "
                "lost.",
        .remedy = "leave open ones out of any sum of times",
        .run = run,
};
