/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and the wanted fields behind them: from the text of a value to what its columns hold. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include <reader/build.h>
#include <reader/decimal.h>

static const struct {
	const char *text;
	enum key_role role;
} core_keys[] = {{"", ROLE_SKIP},     {"name", ROLE_NAME}, {"cat", ROLE_CATEGORY}, {"ph", ROLE_PHASE},
                 {"pid", ROLE_PID},   {"tid", ROLE_TID},   {"ts", ROLE_TS},        {"dur", ROLE_DUR},
                 {"args", ROLE_ARGS}, {"attr", ROLE_ARGS}};
enum { CORE_KEYS = sizeof(core_keys) / sizeof(core_keys[0]), ATTR_KEY = CORE_KEYS - 1, ARGS_KEY = CORE_KEYS - 2 };

static bool add_column(struct key *key, uint32_t column)
{
	uint32_t *columns = realloc(key->columns, (key->column_count + 1u) * sizeof(*columns));

	if (!columns)
		return false;
	key->columns = columns;
	columns[key->column_count++] = column;
	return true;
}

static struct key *find(struct build *build, bool is_in_args, const char *text, size_t size)
{
	for (uint32_t i = 1; i < build->key_count; i++) {
		struct key *key = &build->keys[i];

		if (key->is_in_args == is_in_args && key->size == size && !memcmp(key->text, text, size))
			return key;
	}
	return &build->keys[0];
}

const struct key *build_find_key(const struct build *build, bool is_in_args, const char *text, size_t size)
{
	return find((struct build *)build, is_in_args, text, size);
}

static uint8_t fast_role(const struct build *build, const struct key *key)
{
	if (!key->column_count)
		return key->role;
	uint32_t type = key->column_count == 1 ? build->wanted->items[key->columns[0]].type : 0;
	if (key->role == ROLE_FIELD && (type == TAV_TYPE_STRING || type == TAV_TYPE_INT))
		return type == TAV_TYPE_INT ? ROLE_INTEGER : ROLE_FIELD;
	return ROLE_COUNT;
}

bool build_make_keys(struct build *build)
{
	build->keys = calloc((size_t)CORE_KEYS + build->wanted->count, sizeof(*build->keys));
	if (!build->keys)
		return false;
	for (uint32_t i = 0; i < CORE_KEYS; i++) {
		build->keys[i].text = core_keys[i].text;
		build->keys[i].size = (uint32_t)strlen(core_keys[i].text);
		build->keys[i].role = (uint8_t)core_keys[i].role;
	}
	build->key_count = CORE_KEYS;
	for (uint32_t i = 0; i < build->wanted->count; i++) {
		const char *text = build->wanted->items[i].path;
		bool is_in_args = !strncmp(text, "args.", 5);

		text += is_in_args ? 5 : 0;
		struct key *key = find(build, is_in_args, text, strlen(text));
		if (key == build->keys) {
			key = &build->keys[build->key_count++];
			key->text = text;
			key->size = (uint32_t)strlen(text);
			key->is_in_args = is_in_args;
			key->role = ROLE_FIELD;
		}
		if (!add_column(key, i) || (key == &build->keys[ARGS_KEY] && !add_column(&build->keys[ATTR_KEY], i)))
			return false;
	}
	for (uint32_t i = 0; i < build->key_count; i++) {
		build->keys[i].bit = i;
		build->keys[i].fast_role = fast_role(build, &build->keys[i]);
	}
	build->seen_words = (build->key_count + 63) / 64;
	return true;
}

static bool parse_integer(const char *text, size_t size, int64_t *integer)
{
	bool is_negative = size && *text == '-';
	uint64_t value = 0;

	text += is_negative;
	size -= is_negative;
	if (!size)
		return false;
	for (; size; text++, size--) {
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	}
	if (value > (uint64_t)INT64_MAX + is_negative)
		return false;
	*integer = is_negative ? (int64_t)-value : (int64_t)value;
	return true;
}

/* strtod() wants a NUL and the point of the locale; both are seen to here. */
static bool parse_real(const char *text, size_t size, double *real)
{
	struct decimal decimal;
	enum decimal_result result = decimal_parse(&decimal, text, size);
	char small[64], *end;

	if (result != DECIMAL_OK && result != DECIMAL_RANGE)
		return false;
	char *copy = size < sizeof(small) ? small : malloc(size + 1);
	if (!copy)
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
	locale_t before = plain ? uselocale(plain) : (locale_t)0;
	*real = strtod(copy, &end);
	bool is_number = end == copy + size && isfinite(*real);
	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
	if (copy != small)
		free(copy);
	return is_number;
}

static bool set_column(struct build *build, uint32_t column, const struct value *value)
{
	uint64_t *cell = &build->draft.cells[column];
	bool is_scalar = value->kind >= VALUE_FALSE && value->kind <= VALUE_STRING;
	bool is_there = value->kind > VALUE_NULL && !(value->kind == VALUE_STRING && !value->text_size);
	bool has_text = value->kind == VALUE_NUMBER || value->kind == VALUE_STRING;
	int64_t integer;
	double real;
	uint32_t id = 0;

	switch (build->wanted->items[column].type) {
	case TAV_TYPE_INT:
		is_there = has_text && parse_integer(value->text, value->text_size, &integer);
		if (is_there)
			memcpy(cell, &integer, sizeof(*cell));
		break;
	case TAV_TYPE_REAL:
		is_there = has_text && parse_real(value->text, value->text_size, &real);
		if (is_there)
			memcpy(cell, &real, sizeof(*cell));
		break;
	case TAV_TYPE_STRING:
		if (is_scalar)
			id = build_text(build, value->text, value->text_size);
		is_there = id;
		*cell = id;
		break;
	case TAV_TYPE_JSON:
		if (value->kind != VALUE_ABSENT)
			id = build_text(build, value->raw, value->raw_size);
		is_there = id;
		*cell = id;
		break;
	default: /* PRESENT: is_there says all */
		break;
	}
	if (id == INTERN_FAILED)
		return false;
	uint64_t bit = UINT64_C(1) << column % 64;
	if (is_there)
		build->draft.set[column / 64] |= bit;
	else
		build->draft.set[column / 64] &= ~bit;
	return true;
}

static void set_time(struct time_value *time, const struct value *value)
{
	time->text = value->text;
	time->size = value->text_size;
	switch (value->kind) {
	case VALUE_NUMBER:
		time->state = TIME_TEXT;
		break;
	case VALUE_STRING:
		time->state = value->text_size ? TIME_TEXT : TIME_ABSENT;
		break;
	case VALUE_ABSENT:
	case VALUE_NULL:
		time->state = TIME_ABSENT;
		break;
	default:
		time->state = TIME_WRONG;
	}
}

static bool set_text(struct build *build, uint32_t *id, const struct value *value)
{
	bool is_scalar = value->kind >= VALUE_FALSE && value->kind <= VALUE_STRING;

	*id = is_scalar ? build_text(build, value->text, value->text_size) : 0;
	return *id != INTERN_FAILED;
}

bool build_value(struct build *build, const struct key *key, const struct value *value)
{
	struct draft *draft = &build->draft;
	bool is_done = true;

	for (uint32_t i = 0; i < key->column_count; i++)
		is_done = set_column(build, key->columns[i], value) && is_done;
	switch (key->role) {
	case ROLE_NAME:
		return set_text(build, &draft->name, value) && is_done;
	case ROLE_CATEGORY:
		return set_text(build, &draft->category, value) && is_done;
	case ROLE_PID:
		return set_text(build, &draft->pid, value) && is_done;
	case ROLE_TID:
		return set_text(build, &draft->tid, value) && is_done;
	case ROLE_PHASE:
		draft->phase = value->kind == VALUE_STRING && value->text_size == 1 ? value->text[0] : 0;
		break;
	case ROLE_TS:
		set_time(&draft->ts, value);
		break;
	case ROLE_DUR:
		set_time(&draft->dur, value);
		break;
	default:
		break;
	}
	return is_done;
}

void build_forget_args(struct build *build)
{
	for (uint32_t i = 0; i < build->key_count; i++) {
		const struct key *key = &build->keys[i];

		if (!key->is_in_args)
			continue;
		build->draft.seen[key->bit / 64] &= ~(UINT64_C(1) << key->bit % 64);
		for (uint32_t k = 0; k < key->column_count; k++)
			build->draft.set[key->columns[k] / 64] &= ~(UINT64_C(1) << key->columns[k] % 64);
	}
}
