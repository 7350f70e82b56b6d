/* SPDX-License-Identifier: Apache-2.0 */
/* Names of processes and threads, from the metadata events that give them. The last one of a process or thread counts.
 */
#include <string.h>

#include <facts/facts_of.h>

struct named {
	uint32_t pid, tid; /* value ids; tid TAV_NONE: of the process */
	struct tav_text name;
};
struct names {
	struct table table; /* into `items` */
	struct named *items;
	uint32_t count;
};

static struct named *find(const struct names *names, uint32_t pid, uint32_t tid)
{
	uint32_t key[2] = {pid, tid};
	uint64_t hash = table_hash(key, sizeof(key));

	for (uint32_t at = table_first(&names->table, hash); at != TABLE_END;
	     at = table_next(&names->table, hash, at)) {
		struct named *named = &names->items[names->table.slots[at].number];
		if (named->pid == pid && named->tid == tid)
			return named;
	}
	return NULL;
}

static bool add(struct names *names, struct arena *arena, struct named named)
{
	struct named *known = find(names, named.pid, named.tid);
	uint32_t key[2] = {named.pid, named.tid};

	if (known) {
		known->name = named.name;
		return true;
	}
	names->items[names->count] = named;
	return table_add(&names->table, arena, table_hash(key, sizeof(key)), names->count++);
}

static bool find_all(struct events *events, struct names *names, struct arena *arena)
{
	const char *phase = COLUMN(events, phase, const char);
	const uint32_t *label = COLUMN(events, label, const uint32_t);
	const uint32_t *pid = COLUMN(events, pid, const uint32_t), *tid = COLUMN(events, tid, const uint32_t);
	const struct label *labels = COLUMN(events, labels, const struct label);
	uint32_t of_process = intern_find(&events->values, "process_name", strlen("process_name"));
	uint32_t of_thread = intern_find(&events->values, "thread_name", strlen("thread_name"));
	struct id_column name;

	if (!events_ids(events, "args.name", &name) || (of_process == INTERN_FAILED && of_thread == INTERN_FAILED))
		return true;
	uint32_t most = 0;
	for (tav_row row = 0; row < events->row_count; row++)
		most += phase[row] == 'M';
	names->items = arena_array(arena, most, sizeof(*names->items));
	if (!names->items)
		return false;
	for (tav_row row = 0; row < events->row_count; row++) {
		if (phase[row] != 'M' || !id_at(&name, row))
			continue;
		uint32_t what = labels[label[row]].name;
		if (what != of_process && what != of_thread)
			continue;
		struct intern_room room;
		struct tav_text text = intern_text(&events->values, id_at(&name, row), &room);
		struct named named = {pid[row], what == of_process ? TAV_NONE : tid[row], arena_text(arena, text)};
		if (!named.name.data || !add(names, arena, named))
			return false;
	}
	return true;
}

bool facts_name(struct events *events, uint32_t pid, uint32_t tid, struct tav_text *out)
{
	struct facts *facts = facts_of(events);

	*out = (struct tav_text){"", 0};
	if (!facts)
		return false;
	if (!facts->names) {
		struct names *names = arena_alloc(&facts->names_arena, sizeof(*names));
		if (!names || !find_all(events, names, &facts->names_arena))
			return false;
		arena_seal(&facts->names_arena);
		facts->names = names;
	}
	const struct named *named = facts->names->count ? find(facts->names, pid, tid) : NULL;
	if (named)
		*out = named->name;
	return true;
}
