/* SPDX-License-Identifier: Apache-2.0 */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include <base/intern.h>

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
	*intern = (struct intern){0};
	if (grow_slots(intern, FIRST_SLOTS) && intern_add(intern, "", 0) == 0)
		return true;
	intern_fini(intern);
	return false;
}

uint32_t intern_add(struct intern *intern, const char *data, size_t size)
{
	uint32_t hash = (uint32_t)XXH3_64bits(data, size);
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
	if (!pages_reserve(&intern->texts, ((size_t)intern->count + 1) * sizeof(struct tav_text)))
		return INTERN_FAILED;
	char *copy = arena_copy(&intern->bytes, data, size);
	if (!copy)
		return INTERN_FAILED;
	((struct tav_text *)intern->texts.data)[intern->count] = (struct tav_text){copy, size};
	*slot = (struct slot){intern->count + 1, hash};
	return intern->count++;
}

uint32_t intern_find(const struct intern *intern, const char *data, size_t size)
{
	const struct slot *slot = find_slot(intern, data, size, (uint32_t)XXH3_64bits(data, size));

	return slot->id_plus_one ? slot->id_plus_one - 1 : INTERN_FAILED;
}

void intern_fini(struct intern *intern)
{
	pages_free(&intern->texts);
	pages_free(&intern->slots);
	arena_fini(&intern->bytes);
	*intern = (struct intern){0};
}
