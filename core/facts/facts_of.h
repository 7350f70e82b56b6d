/* SPDX-License-Identifier: Apache-2.0 */
/* What has been found of a source so far, shared by the files of this folder. */
#ifndef FACTS_FACTS_OF_H
#define FACTS_FACTS_OF_H

#include <facts/facts.h>
#include <kit/table.h>
#include <trace/metadata.h>

struct facts {
	/* each of whole pages, sealed when its fact has been found */
	struct arena links_arena, steps_arena, names_arena, metadata_arena;
	struct tav_link_list *links;
	struct tav_step_list *steps;
	const unsigned char *is_no_number; /* by value id: "", 0 and negative numbers, which link nothing */
	struct names *names;
	struct metadata_member *members;               /* without those of an empty key */
	const struct metadata_member **members_by_key; /* of one key the last stands last */
	uint32_t member_count;
};

tav_status facts_not_read(struct causes *causes); /* says which flag the stage lacks */
struct facts *facts_of(struct events *events);    /* NULL: no memory */
/*
 * What an event goes by: the first field of the list that it has. Returns its value id, 0 where that is none;
 * `which` gets the field's number.
 */
struct alternatives {
	uint32_t count;
	struct id_column columns[8];
};
struct alternatives facts_alternatives(const struct events *events, const uint32_t *fields, uint32_t count);
static inline uint32_t facts_first_of(struct alternatives *list, tav_row row, uint32_t *which)
{
	for (*which = 0; *which < list->count; ++*which) {
		uint32_t value = id_at(&list->columns[*which], row);
		if (value)
			return value;
	}
	return 0;
}
/* By value id: 1 where the text is empty, 0 or a negative number. NULL: no memory. */
const unsigned char *facts_no_numbers(struct events *events);

#endif
