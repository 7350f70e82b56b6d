/* SPDX-License-Identifier: Apache-2.0 */
/* The extension "tav.marks/1". See <tav/marks.h>. */
#include <string.h>

#include <host/view.h>

struct mark {
	struct mark *next;
	uint32_t stage; /* who put it */
	const char *id;
	struct pages bits;
};

static struct mark *find_mark(const struct view *view, uint32_t stage, const char *id)
{
	struct mark *mark = view->marks;

	while (mark && (mark->stage != stage || strcmp(mark->id, id)))
		mark = mark->next;
	return mark;
}

static tav_status put(struct tav_self *self, const char *id, const uint64_t *bits)
{
	struct call *call = call_of(self);
	struct view *view = call->view;

	if (call->phase != PHASE_EACH || !view)
		return call_cause(call, NULL, 0, "put() is for each() only");
	if (!id || !*id || !bits)
		return call_cause(call, NULL, 0, "a mark without an id or without bits");
	if (find_mark(view, call->host->stage, id))
		return call_cause(call, NULL, 0, "a mark was put twice under one id");
	size_t bytes = ((size_t)view->events->row_count / 64 + 1) * sizeof(*bits);
	struct mark *mark = arena_alloc(&view->arena, sizeof(*mark));
	char *name = arena_copy(&view->arena, id, strlen(id));
	if (!mark || !name || !pages_reserve(&mark->bits, bytes))
		return call_lack_memory(call, "out of memory for a mark");
	memcpy(mark->bits.data, bits, ((size_t)view->events->row_count + 63) / 64 * sizeof(*bits));
	pages_seal(&mark->bits);
	mark->stage = call->host->stage;
	mark->id = name;
	mark->next = view->marks;
	view->marks = mark;
	return TAV_OK;
}

static const uint64_t *get(struct tav_self *self, const char *stage, const char *id)
{
	const struct call *call = call_of(self);
	const struct report *report = &call->host->run->report;

	if (call->phase != PHASE_EACH || !call->view || !stage || !id)
		return NULL;
	for (uint32_t i = call->host->stage; i-- > 0;) { /* the nearest before it */
		if (strcmp(report->stages[i].name, stage))
			continue;
		const struct mark *mark = find_mark(call->view, i, id);
		bool is_done = call->view->shown && call->view->shown->results.stages[i].is_done;
		return mark && is_done ? mark->bits.data : NULL;
	}
	return NULL;
}

const struct tav_marks marks_extension = {sizeof(marks_extension), 0, put, get};

void marks_free(struct view *view)
{
	for (struct mark *mark = view->marks; mark; mark = mark->next)
		pages_free(&mark->bits);
	view->marks = NULL;
}
