/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <trace/store.h>

bool notice_add(struct events *events, unsigned kind, const char *id, uint64_t count, uint64_t line, uint64_t column,
                uint64_t offset, const char *message)
{
	struct notice **link = &events->notices;

	for (; *link; link = &(*link)->next) {
		if (!strcmp((*link)->id, id)) {
			(*link)->count += count;
			return true;
		}
	}
	struct notice *notice = arena_alloc(&events->arena, sizeof(*notice));
	const char *id_copy = arena_copy(&events->arena, id, strlen(id));
	const char *text = arena_copy(&events->arena, message, strlen(message));
	if (!notice || !id_copy || !text)
		return false;
	*notice = (struct notice){NULL, kind, id_copy, text, count, line, column, offset};
	*link = notice;
	return true;
}

bool notice_count(struct events *events, unsigned kind, const char *id, uint64_t line, uint64_t column, uint64_t offset,
                  const char *message)
{
	return notice_add(events, kind, id, 1, line, column, offset, message);
}

const struct notice *notice_find(const struct events *events, const char *id)
{
	const struct notice *notice = events->notices;

	while (notice && strcmp(notice->id, id) != 0)
		notice = notice->next;
	return notice;
}
