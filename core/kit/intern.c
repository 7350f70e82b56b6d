/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include <kit/intern.h>
#include <kit/table.h>

enum { FIRST_SLOTS = 1 << 10 };

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

/* A text as it is looked for. */
struct sought {
	const char *data;
	size_t size;
	uint32_t number; /* INTERN_NUMBER and its value; 0: it is none */
	uint32_t hash;
};

static bool is_same(const struct intern *intern, uint32_t id, const struct sought *sought)
{
	uint32_t entry = intern_entry(intern, id);

	if (entry & INTERN_NUMBER)
		return entry == sought->number;
	struct tav_text text = ((const struct tav_text *)intern->texts.data)[entry];
	return text.size == sought->size && !memcmp(text.data, sought->data, sought->size);
}

/* The slot that holds the text, or the free one where it belongs. */
static struct slot *find_slot(const struct intern *intern, const struct sought *sought)
{
	struct slot *slots = intern->slots.data;
	uint32_t at = sought->hash & intern->slot_mask;

	for (; slots[at].id_plus_one; at = (at + 1) & intern->slot_mask) {
		if (slots[at].hash == sought->hash && is_same(intern, slots[at].id_plus_one - 1, sought))
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

/* A text that is a whole number as it would be printed, up to 2^31 - 2; else 0. */
static uint32_t number_of(const char *data, size_t size)
{
	uint64_t value = 0;

	if (size - 1 >= INTERN_DIGITS || (*data == '0' && size > 1))
		return 0;
	for (size_t i = 0; i < size; i++) {
		if (data[i] < '0' || data[i] > '9')
			return 0;
		value = value * 10 + (uint64_t)(data[i] - '0');
	}
	return value < INTERN_NUMBER - 1 ? INTERN_NUMBER | (uint32_t)value : 0;
}

static bool is_small(uint32_t number)
{
	return number && (number & ~INTERN_NUMBER) <= INTERN_SMALL;
}

static struct sought seek(const struct intern *intern, const char *data, size_t size, uint32_t number)
{
	return (struct sought){data, size, number, (uint32_t)XXH3_64bits_withSeed(data, size, intern->seed)};
}

/* A new id for an entry. */
static bool add_entry(struct intern *intern, uint32_t entry, uint32_t hash)
{
	uint32_t id = intern->count;

	if (id >= INTERN_NUMBER - 1 || !pages_reserve(&intern->entries, ((size_t)id + 1) * sizeof(entry)) ||
	    (intern->keeps_hashes && !pages_reserve(&intern->hashes, ((size_t)id + 1) * sizeof(hash))))
		return false;
	((uint32_t *)intern->entries.data)[id] = entry;
	if (intern->keeps_hashes)
		((uint32_t *)intern->hashes.data)[id] = hash;
	intern->count++;
	return true;
}

/* Its place in `texts`; INTERN_FAILED: no memory. */
static uint32_t add_text(struct intern *intern, const char *data, size_t size)
{
	uint32_t place = intern->text_count;

	if (!pages_reserve(&intern->texts, ((size_t)place + 1) * sizeof(struct tav_text)))
		return INTERN_FAILED;
	bool is_borrowed = data >= intern->borrowed && data < intern->borrowed_end;
	const char *kept = is_borrowed ? data : arena_copy(&intern->bytes, data, size);
	if (!kept)
		return INTERN_FAILED;
	((struct tav_text *)intern->texts.data)[place] = (struct tav_text){kept, size};
	return intern->text_count++;
}

static uint32_t add_hashed(struct intern *intern, const struct sought *sought)
{
	struct slot *slot = find_slot(intern, sought);

	if (slot->id_plus_one)
		return slot->id_plus_one - 1;
	if (intern->slots_used >= intern->slot_mask / 4 * 3) {
		if (intern->slot_mask >= UINT32_MAX / 2 || !grow_slots(intern, (intern->slot_mask + 1) * 2))
			return INTERN_FAILED;
		slot = find_slot(intern, sought);
	}
	uint32_t entry = sought->number ? sought->number : add_text(intern, sought->data, sought->size);
	if (entry == INTERN_FAILED || !add_entry(intern, entry, sought->hash))
		return INTERN_FAILED;
	*slot = (struct slot){intern->count, sought->hash};
	intern->slots_used++;
	return intern->count - 1;
}

uint32_t intern_add_small(struct intern *intern, uint32_t value)
{
	if (!pages_reserve(&intern->small, ((size_t)value + 1) * sizeof(uint32_t)))
		return INTERN_FAILED;
	uint32_t *id_plus_one = (uint32_t *)intern->small.data + value;
	if (*id_plus_one)
		return *id_plus_one - 1;
	if (!add_entry(intern, INTERN_NUMBER | value, 0))
		return INTERN_FAILED;
	*id_plus_one = intern->count;
	return intern->count - 1;
}

uint32_t intern_add(struct intern *intern, const char *data, size_t size)
{
	uint32_t number = number_of(data, size);

	if (is_small(number))
		return intern_add_small(intern, number & ~INTERN_NUMBER);
	struct sought sought = seek(intern, data, size, number);
	return add_hashed(intern, &sought);
}

bool intern_add_all(struct intern *intern, const struct intern *from, uint32_t *map)
{
	enum { AHEAD = 16 }; /* most texts are new, and their slots far from each other */
	const uint32_t *hashes = from->hashes.data;
	struct intern_room room;

	for (uint32_t id = 0; id < from->count; id++) {
		uint32_t number = intern_entry(from, id) & INTERN_NUMBER ? intern_entry(from, id) : 0;

		if (id + AHEAD < from->count && hashes[id + AHEAD])
			__builtin_prefetch((const struct slot *)intern->slots.data +
			                   (hashes[id + AHEAD] & intern->slot_mask));
		if (is_small(number)) {
			map[id] = intern_small(intern, number & ~INTERN_NUMBER);
		} else {
			struct tav_text text = intern_text(from, id, &room);
			struct sought sought = {text.data, text.size, number, hashes[id]};
			map[id] = add_hashed(intern, &sought);
		}
		if (map[id] == INTERN_FAILED)
			return false;
	}
	return true;
}

uint32_t intern_find(const struct intern *intern, const char *data, size_t size)
{
	uint32_t number = number_of(data, size);

	if (is_small(number)) {
		const uint32_t *small = intern->small.data;
		uint32_t value = number & ~INTERN_NUMBER;
		bool is_there = value < intern->small.bytes / sizeof(*small) && small[value];

		return is_there ? small[value] - 1 : INTERN_FAILED;
	}
	struct sought sought = seek(intern, data, size, number);
	const struct slot *slot = find_slot(intern, &sought);
	return slot->id_plus_one ? slot->id_plus_one - 1 : INTERN_FAILED;
}

struct tav_text intern_text(const struct intern *intern, uint32_t id, struct intern_room *room)
{
	uint32_t entry = intern_entry(intern, id), value = entry & ~INTERN_NUMBER;
	char *at = room->digits + INTERN_DIGITS;

	if (!(entry & INTERN_NUMBER))
		return intern_kept(intern, id);
	*at = '\0';
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	return (struct tav_text){at, (size_t)(room->digits + INTERN_DIGITS - at)};
}

bool intern_keep(struct intern *intern, uint32_t id)
{
	struct intern_room room;

	if (!(intern_entry(intern, id) & INTERN_NUMBER))
		return true;
	struct tav_text text = intern_text(intern, id, &room);
	uint32_t place = add_text(intern, text.data, text.size);
	if (place == INTERN_FAILED)
		return false;
	((uint32_t *)intern->entries.data)[id] = place;
	return true;
}

bool intern_clear(struct intern *intern)
{
	uint32_t *small = intern->small.data;

	for (uint32_t id = 1; id < intern->count; id++) {
		uint32_t entry = intern_entry(intern, id);

		if (entry & INTERN_NUMBER && is_small(entry))
			small[entry & ~INTERN_NUMBER] = 0;
	}
	memset(intern->slots.data, 0, ((size_t)intern->slot_mask + 1) * sizeof(struct slot));
	arena_fini(&intern->bytes);
	intern->count = intern->text_count = intern->slots_used = 0;
	return intern_add(intern, "", 0) == 0;
}

void intern_fini(struct intern *intern)
{
	pages_free(&intern->entries);
	pages_free(&intern->texts);
	pages_free(&intern->hashes);
	pages_free(&intern->small);
	pages_free(&intern->slots);
	arena_fini(&intern->bytes);
	*intern = (struct intern){0};
}
