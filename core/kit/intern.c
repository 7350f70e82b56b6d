/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include <kit/intern.h>
#include <kit/table.h>

enum { FIRST_SLOTS = 1 << 10 };

#define NUMBER (UINT32_C(1) << 31) /* in intern.hashes: the rest is the value of a number */

struct slot { /* id_plus_one 0: free */
	uint32_t id_plus_one, hash;
};

static bool grow_slots(struct intern *intern, uint32_t slot_count)
{
	struct pages grown = {0};

	if (!pages_reserve(&grown, (size_t)slot_count * sizeof(struct slot)))
		return false;
	const struct slot *old = intern->slots.data;
	struct slot *slots = grown.data;
	uint32_t mask = slot_count - 1;
	for (uint32_t i = 0; old && i <= intern->slot_mask; i++) {
		if (!old[i].id_plus_one)
			continue;
		uint32_t at = old[i].hash & mask;
		while (slots[at].id_plus_one)
			at = (at + 1) & mask;
		slots[at] = old[i];
	}
	pages_free(&intern->slots);
	intern->slots = grown;
	intern->slot_mask = mask;
	return true;
}

/* The slot that holds the text, or the free one where it belongs. */
static struct slot *find_slot(const struct intern *intern, const char *data, size_t size, uint32_t hash)
{
	struct slot *slots = intern->slots.data;
	uint32_t at = hash & intern->slot_mask;

	for (; slots[at].id_plus_one; at = (at + 1) & intern->slot_mask) {
		if (slots[at].hash != hash)
			continue;
		struct tav_text text = intern_text(intern, slots[at].id_plus_one - 1);
		if (text.size == size && !memcmp(text.data, data, size))
			break;
	}
	return &slots[at];
}

bool intern_init(struct intern *intern)
{
	*intern = (struct intern){.bytes = {.is_paged = true}, .seed = table_seed()};
	if (grow_slots(intern, FIRST_SLOTS) && intern_add(intern, "", 0) == 0)
		return true;
	intern_fini(intern);
	return false;
}

static uint32_t hash_of(const struct intern *intern, const char *data, size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(data, size, intern->seed) & ~NUMBER;
}

/* Whether the text is one of the numbers that are found by their value. */
static bool is_number(const char *data, size_t size, uint32_t *value)
{
	if (!size || size > INTERN_DIGITS || (*data == '0' && size > 1))
		return false;
	*value = 0;
	for (size_t i = 0; i < size; i++) {
		if (data[i] < '0' || data[i] > '9')
			return false;
		*value = *value * 10 + (uint32_t)(data[i] - '0');
	}
	return *value <= INTERN_NUMBERS;
}

static bool add_text(struct intern *intern, const char *data, size_t size, uint32_t hash)
{
	uint32_t id = intern->count;

	if (!pages_reserve(&intern->texts, ((size_t)id + 1) * sizeof(struct tav_text)) ||
	    (intern->keeps_hashes && !pages_reserve(&intern->hashes, ((size_t)id + 1) * sizeof(hash))))
		return false;
	bool is_borrowed = data >= intern->borrowed && data < intern->borrowed_end;
	const char *kept = is_borrowed ? data : arena_copy(&intern->bytes, data, size);
	if (!kept)
		return false;
	((struct tav_text *)intern->texts.data)[id] = (struct tav_text){kept, size};
	if (intern->keeps_hashes)
		((uint32_t *)intern->hashes.data)[id] = hash;
	return true;
}

static uint32_t add_hashed(struct intern *intern, const char *data, size_t size, uint32_t hash)
{
	struct slot *slot = find_slot(intern, data, size, hash);

	if (slot->id_plus_one)
		return slot->id_plus_one - 1;
	if (intern->count >= UINT32_MAX - 1)
		return INTERN_FAILED;
	if (intern->count >= intern->slot_mask / 4 * 3) {
		if (intern->slot_mask >= UINT32_MAX / 2 || !grow_slots(intern, (intern->slot_mask + 1) * 2))
			return INTERN_FAILED;
		slot = find_slot(intern, data, size, hash);
	}
	if (!add_text(intern, data, size, hash))
		return INTERN_FAILED;
	*slot = (struct slot){intern->count + 1, hash};
	return intern->count++;
}

uint32_t intern_add_number(struct intern *intern, uint32_t value, const char *data, size_t size)
{
	if (!pages_reserve(&intern->numbers, ((size_t)value + 1) * sizeof(uint32_t)))
		return INTERN_FAILED;
	uint32_t *id_plus_one = (uint32_t *)intern->numbers.data + value;
	if (*id_plus_one)
		return *id_plus_one - 1;
	if (intern->count >= UINT32_MAX - 1 || !add_text(intern, data, size, value | NUMBER))
		return INTERN_FAILED;
	*id_plus_one = ++intern->count;
	return intern->count - 1;
}

uint32_t intern_add(struct intern *intern, const char *data, size_t size)
{
	uint32_t value;

	if (is_number(data, size, &value))
		return intern_add_number(intern, value, data, size);
	return add_hashed(intern, data, size, hash_of(intern, data, size));
}

bool intern_add_all(struct intern *intern, const struct intern *from, uint32_t *map)
{
	enum { AHEAD = 16 }; /* most texts are new, and their slots far from each other */
	const struct tav_text *texts = from->texts.data;
	const uint32_t *hashes = from->hashes.data;

	for (uint32_t id = 0; id < from->count; id++) {
		if (id + AHEAD < from->count && !(hashes[id + AHEAD] & NUMBER))
			__builtin_prefetch((const struct slot *)intern->slots.data +
			                   (hashes[id + AHEAD] & intern->slot_mask));
		map[id] = hashes[id] & NUMBER
		                  ? intern_add_number(intern, hashes[id] & ~NUMBER, texts[id].data, texts[id].size)
		                  : add_hashed(intern, texts[id].data, texts[id].size, hashes[id]);
		if (map[id] == INTERN_FAILED)
			return false;
	}
	return true;
}

uint32_t intern_find(const struct intern *intern, const char *data, size_t size)
{
	const uint32_t *numbers = intern->numbers.data;
	uint32_t value;

	if (is_number(data, size, &value)) {
		bool is_there = value < intern->numbers.bytes / sizeof(*numbers) && numbers[value];
		return is_there ? numbers[value] - 1 : INTERN_FAILED;
	}
	const struct slot *slot = find_slot(intern, data, size, hash_of(intern, data, size));

	return slot->id_plus_one ? slot->id_plus_one - 1 : INTERN_FAILED;
}

bool intern_clear(struct intern *intern)
{
	const uint32_t *hashes = intern->hashes.data;
	uint32_t *numbers = intern->numbers.data;

	for (uint32_t id = 1; id < intern->count; id++) {
		if (hashes[id] & NUMBER)
			numbers[hashes[id] & ~NUMBER] = 0;
	}
	memset(intern->slots.data, 0, ((size_t)intern->slot_mask + 1) * sizeof(struct slot));
	arena_fini(&intern->bytes);
	intern->count = 0;
	return intern_add(intern, "", 0) == 0;
}

void intern_fini(struct intern *intern)
{
	pages_free(&intern->texts);
	pages_free(&intern->hashes);
	pages_free(&intern->numbers);
	pages_free(&intern->slots);
	arena_fini(&intern->bytes);
	*intern = (struct intern){0};
}
