/* SPDX-License-Identifier: Apache-2.0 */
/* Section 14: the source of a name. A trace with CUDA graphs may spell a kernel otherwise than its eager mapping. */
#include <string.h>

#include "triage.h"

enum {
	LONG_NAME = 96,      /* compact characters from which a common beginning may decide */
	LONG_COMMON = 64,    /* so much of it */
	FLASH_BONUS = 32,    /* both are FlashAttention kernels of CUTLASS */
	GROUP_SCORE = 1000,  /* of an alias group, by its place */
	COMMON_PERCENT = 40, /* of the shorter of two long names */
	RATIO_SCORE = 100
};

/* Names that one library uses for what another calls otherwise: tokens, compact, in groups of rising worth. */
static const struct alias {
	const char *part;
	bool at_start;
	const char *groups[1][5];
} aliases[] = {
        {"flashattnfwdcombine",
         false,
         {{"flashattnfwdsm90", "flashattnvarlenfunc", "vllmflashattnflashattninterface", "vllmfa3cfwd", NULL}}},
        {"kernelmha", false, {{"maskedmultiheadattentionkernel", "attentioninplace", "attentionbackendtrtllm", NULL}}},
        {"applybiasropeupdatekvcachev2",
         false,
         {{"fusedqknormropekernel", "applyqknormrope", "modelingqwen3py98applyqknormrope", NULL}}},
        {"memset", true, {{"memset", NULL}}},
};

static size_t common_prefix(struct tav_text a, struct tav_text b)
{
	size_t i = 0;

	while (i < a.size && i < b.size && a.data[i] == b.data[i])
		i++;
	return i;
}

/* Is so much of the two names common that one may stand for the other? */
static bool is_sound(const struct triage *triage, size_t common, size_t longer)
{
	if (triage->is_reference)
		return true;
	return common >= triage->lookup_min_chars && (double)common >= triage->lookup_min_share * (double)longer;
}

/* One begins with the other, or at least holds it, whatever the case of letters. */
static const struct mapped_name *by_containment(const struct triage *triage, const struct source_map *map,
                                                struct tav_text wanted)
{
	const struct mapped_name *best = NULL;
	size_t best_score = 0;

	for (size_t i = 0; i < map->count; i++) {
		struct tav_text key = text_at(triage, map->items[i].name);
		struct tav_text shorter = key.size < wanted.size ? key : wanted,
		                longer = key.size < wanted.size ? wanted : key;
		size_t score = 0;

		if (shorter.size <= best_score || !is_sound(triage, shorter.size, longer.size))
			continue;
		if (text_same_lower(shorter, text_head(longer, shorter.size)))
			score = shorter.size;
		else if (text_contains_lower(longer, shorter))
			score = shorter.size / 2;
		if (score > best_score) {
			best_score = score;
			best = &map->items[i];
		}
	}
	return best;
}

static const struct mapped_name *by_long_prefix(struct triage *triage, const struct source_map *map,
                                                struct tav_text name)
{
	struct tav_text wanted = text_compact(triage->self, name);
	const struct mapped_name *best = NULL;
	size_t best_score = 0;

	if (!wanted.data || wanted.size < LONG_NAME)
		return NULL;
	for (size_t i = 0; i < map->count; i++) {
		struct tav_text key = text_compact(triage->self, text_at(triage, map->items[i].name));
		size_t common, shorter;

		if (!key.data)
			return NULL;
		shorter = key.size < wanted.size ? key.size : wanted.size;
		common = common_prefix(key, wanted);
		if (key.size < LONG_NAME || common < LONG_COMMON || common < shorter * COMMON_PERCENT / 100)
			continue;
		if (text_starts(key, "voidcutlassdevicekernelflash") &&
		    text_starts(wanted, "voidcutlassdevicekernelflash"))
			common += FLASH_BONUS;
		if (common > best_score) {
			best_score = common;
			best = &map->items[i];
		}
	}
	return best;
}

static struct tav_text best_text(const struct triage *triage, const struct counters *counters)
{
	const struct counter *best = counter_best(counters);

	return best ? text_at(triage, best->text) : TEXT("");
}

/* How well an entry answers an alias; 0: not at all. */
static int64_t alias_score(struct triage *triage, const struct alias *alias, const struct mapped_name *entry)
{
	struct tav_text name = text_at(triage, entry->name), scope = best_text(triage, &entry->scopes);
	struct tav_text chain = best_text(triage, &entry->chains), op = best_text(triage, &entry->ops);
	struct tav_text all = text_format(triage->self, "%.*s%.*s%.*s%.*s", (int)name.size, name.data, (int)scope.size,
	                                  scope.data, (int)chain.size, chain.data, (int)op.size, op.data);
	struct tav_text text = all.data ? text_compact(triage->self, all) : all;
	int64_t score = 0;

	for (size_t group = 0; group < sizeof(alias->groups) / sizeof(alias->groups[0]) && text.data; group++) {
		size_t longest = 0;

		for (const char *const *token = alias->groups[group]; *token; token++)
			if (strlen(*token) > longest && text_has(text, *token))
				longest = strlen(*token);
		if (longest)
			score += (int64_t)(GROUP_SCORE * (group + 1) + longest);
	}
	if (score > 0)
		score += scope_priority(triage, scope) +
		         (entry->total ? (int64_t)(RATIO_SCORE * (double)entry->mapped / entry->total) : 0);
	return score;
}

static const struct mapped_name *by_alias(struct triage *triage, const struct source_map *map, struct tav_text name)
{
	struct tav_text wanted = text_compact(triage->self, name);
	const struct mapped_name *best = NULL;
	int64_t best_score = 0;

	for (size_t a = 0; a < sizeof(aliases) / sizeof(aliases[0]) && wanted.data; a++) {
		if (aliases[a].at_start ? !text_starts(wanted, aliases[a].part) : !text_has(wanted, aliases[a].part))
			continue;
		for (size_t i = 0; i < map->count; i++) {
			int64_t score = alias_score(triage, &aliases[a], &map->items[i]);

			if (score > best_score) {
				best_score = score;
				best = &map->items[i];
			}
		}
		break;
	}
	return best;
}

/* The phase's own map, else that of no phase, else the only one. */
static struct source_map *map_for(struct analysis *mapping, uint8_t phase)
{
	struct source_map *only = NULL;
	size_t count = 0;

	if (mapping->maps[phase].is_there)
		return &mapping->maps[phase];
	if (mapping->maps[PHASE_ALL].is_there)
		return &mapping->maps[PHASE_ALL];
	for (size_t i = 0; i < PHASE_COUNT; i++) {
		if (mapping->maps[i].is_there) {
			only = &mapping->maps[i];
			count++;
		}
	}
	return count == 1 ? only : NULL;
}

/* By the rules of relaxed lookup; each name once. */
static tav_status find_relaxed(struct analysis *mapping, struct source_map *map, uint32_t name,
                               const struct mapped_name **out)
{
	struct triage *triage = mapping->triage;
	struct tav_text text = text_at(triage, name);
	uint32_t count = map->relaxed.count, place = tav_map_number(&map->relaxed, name);

	if (place == TAV_NONE)
		return TAV_FAILED;
	if (place == count) {
		if (!pool_grow(&mapping->map_pool, (void **)&map->found, &map->found_capacity, count,
		               sizeof(*map->found)))
			return no_memory(triage);
		map->found[place] = by_containment(triage, map, text);
		if (!map->found[place])
			map->found[place] = by_long_prefix(triage, map, text);
		if (!map->found[place])
			map->found[place] = by_alias(triage, map, text);
	}
	*out = map->found[place];
	return TAV_OK;
}

tav_status locate(struct analysis *mapping, uint8_t phase, uint32_t name, struct located *out)
{
	struct triage *triage = mapping->triage;
	struct source_map *map = map_for(mapping, phase);
	const struct mapped_name *entry = NULL;
	uint32_t place;

	*out = (struct located){.scope = {"", 0}, .op = {"", 0}};
	if (map && (place = tav_map_find_number(&map->index, name)) != TAV_NONE)
		entry = &map->items[place];
	else if (map && find_relaxed(mapping, map, name, &entry))
		return TAV_FAILED;
	if (!entry)
		return TAV_OK;
	out->scope = best_text(triage, &entry->scopes);
	out->op = best_text(triage, &entry->ops);
	if (entry->ops.count)
		out->op_count = counter_best(&entry->ops)->count;
	if (entry->scopes.count)
		out->scope_count = counter_best(&entry->scopes)->count;
	out->kernels = entry->kernels;
	out->total = entry->total;
	out->ratio = ratio(entry->mapped, entry->total);
	out->is_replayed = entry->replayed * 2 > entry->total;
	return TAV_OK;
}
