/* SPDX-License-Identifier: Apache-2.0 */
/* The extension "tav.edits/1". See <tav/edits.h>. */
#include <string.h>
#include <write/edits.h>

#include <host/view.h>

static int32_t is_wanted(struct tav_self *self)
{
	return call_of(self)->host->run->is_trace_wanted;
}

/* The edits of a source; NULL: none can be given here, the cause is set. Only each() may name rows. */
static struct edits *edits_for(struct tav_self *self, uint32_t source, bool names_rows)
{
	struct call *call = call_of(self);
	const struct run *run = call->host->run;

	if (call->phase == PHASE_EACH && source == 0 && call->view && call->view->edits)
		return call->view->edits;
	if (call->phase == PHASE_COMBINE && !names_rows && source < call->source_count && run->edits)
		return &run->edits[source];
	call_cause(call, NULL, 0,
	           call->phase == PHASE_COMBINE && names_rows
	                   ? "edits that name rows are for each(): the events are gone"
	                   : "edits were given of a source that is not there");
	return NULL;
}

static tav_status taken(struct tav_self *self, bool is_taken)
{
	return is_taken ? TAV_OK : call_lack_memory(call_of(self), "out of memory for edits");
}

static bool has_rows(const struct edits *edits, const struct call *call, uint64_t count, const tav_row *rows)
{
	(void)edits;
	for (uint64_t i = 0; i < count; i++) {
		if (rows[i] >= call->view->events->row_count)
			return false;
	}
	return true;
}

static tav_status drop(struct tav_self *self, uint32_t source, const uint64_t *rows)
{
	struct edits *edits = edits_for(self, source, true);

	if (!edits)
		return TAV_FAILED;
	return rows ? taken(self, edits_drop(edits, call_of(self)->view->events, rows))
	            : call_cause(call_of(self), NULL, 0, "drop() was called without rows");
}

static tav_status drop_at(struct tav_self *self, uint32_t source, uint64_t count, const uint64_t *offsets)
{
	struct edits *edits = edits_for(self, source, true);

	return edits ? taken(self, edits_drop_at(edits, count, offsets)) : TAV_FAILED;
}

static tav_status set(struct tav_self *self, uint32_t source, const char *path, const char *keep, uint64_t count,
                      const tav_row *rows, const struct tav_text *json)
{
	struct call *call = call_of(self);
	struct edits *edits = edits_for(self, source, true);

	if (!edits)
		return TAV_FAILED;
	if (!path || !*path || (keep && strncmp(keep, "args.", 5)))
		return call_cause(call, NULL, 0,
		                  "set() needs a member such as \"tid\", and keeps in \"args.KEY\" only");
	if (!has_rows(edits, call, count, rows))
		return call_cause(call, NULL, 0, "set() names an event that is not there");
	return taken(self, edits_set(edits, call->host->stage, path, keep, count, rows, json));
}

static tav_status map(struct tav_self *self, uint32_t source, const char *path, uint64_t count,
                      const struct tav_text *values, const struct tav_text *json)
{
	struct edits *edits = edits_for(self, source, false);

	if (!edits)
		return TAV_FAILED;
	if (!path || !*path)
		return call_cause(call_of(self), NULL, 0, "map() needs a member such as \"pid\"");
	return taken(self, edits_map(edits, call_of(self)->host->stage, NULL, path, count, values, json));
}

static tav_status map_metadata(struct tav_self *self, uint32_t source, const char *name, const char *path,
                               uint64_t count, const struct tav_text *values, const struct tav_text *json)
{
	struct edits *edits = edits_for(self, source, false);

	if (!edits)
		return TAV_FAILED;
	if (!name || !path || !*path)
		return call_cause(
		        call_of(self), NULL, 0,
		        "map_metadata() needs \"process_name\" or the like, and a member such as \"args.name\"");
	return taken(self, edits_map(edits, call_of(self)->host->stage, name, path, count, values, json));
}

static tav_status only(struct tav_self *self, uint32_t source, const char *path, uint64_t count,
                       const struct tav_text *keys)
{
	struct edits *edits = edits_for(self, source, false);

	if (!edits)
		return TAV_FAILED;
	if (!path || (*path && strcmp(path, "args")))
		return call_cause(call_of(self), NULL, 0, "only() is of \"args\", or of \"\", the event itself");
	return taken(self, edits_only(edits, path, count, keys));
}

static tav_status shift(struct tav_self *self, uint32_t source, int64_t ns)
{
	struct edits *edits = edits_for(self, source, false);

	if (!edits)
		return TAV_FAILED;
	return edits_shift(edits, ns) ? TAV_OK
	                              : call_cause(call_of(self), NULL, 0, "shift() is beyond the range of times");
}

static tav_status add(struct tav_self *self, uint32_t source, tav_row behind, struct tav_text event)
{
	struct call *call = call_of(self);
	struct edits *edits = edits_for(self, source, behind != TAV_NONE);

	if (!edits)
		return TAV_FAILED;
	if (behind != TAV_NONE && behind >= call->view->events->row_count)
		return call_cause(call, NULL, 0, "add() names an event that is not there");
	return taken(self, edits_add(edits, behind, event));
}

static tav_status top(struct tav_self *self, uint32_t source, const char *key, struct tav_text json)
{
	struct edits *edits = edits_for(self, source, false);

	if (!edits)
		return TAV_FAILED;
	if (!key || !*key || !strcmp(key, "traceEvents"))
		return call_cause(call_of(self), NULL, 0, "top() needs a member of the top-level object");
	return taken(self, edits_top(edits, call_of(self)->host->stage, key, json));
}

static tav_status offset(struct tav_self *self, uint32_t source, const char *path, int64_t by)
{
	struct edits *edits = edits_for(self, source, false);

	if (!edits)
		return TAV_FAILED;
	if (!path || !*path || by < 0)
		return call_cause(call_of(self), NULL, 0,
		                  "offset() needs a member such as \"id\", and numbers that grow");
	return taken(self, edits_offset(edits, call_of(self)->host->stage, path, by));
}

static tav_status hide(struct tav_self *self, uint32_t source, const uint64_t key[2], uint64_t count,
                       const struct tav_text *keep)
{
	struct edits *edits = edits_for(self, source, false);

	return edits ? taken(self, edits_hide(edits, key, count, keep)) : TAV_FAILED;
}

static tav_status shorten(struct tav_self *self, uint32_t source)
{
	struct edits *edits = edits_for(self, source, false);

	if (edits)
		edits->is_shortened = true;
	return edits ? TAV_OK : TAV_FAILED;
}

static tav_status leave_out(struct tav_self *self, uint32_t source)
{
	struct edits *edits = edits_for(self, source, false);

	if (edits)
		edits->is_left_out = true;
	return edits ? TAV_OK : TAV_FAILED;
}

static const struct tav_unmatched_time *unmatched_times(struct tav_self *self, uint32_t source, uint64_t *count)
{
	static const struct tav_unmatched_time none;
	const struct call *call = call_of(self);
	const struct events *events = source == 0 && call->view ? call->view->events : NULL;

	*count = events && events->unmatched_times.data ? events->unmatched_count : 0;
	return *count ? events->unmatched_times.data : &none;
}

const struct tav_edits edits_extension = {
        .struct_size = sizeof(edits_extension),
        .is_wanted = is_wanted,
        .drop = drop,
        .drop_at = drop_at,
        .set = set,
        .map = map,
        .shift = shift,
        .add = add,
        .top = top,
        .offset = offset,
        .map_metadata = map_metadata,
        .only = only,
        .hide = hide,
        .shorten = shorten,
        .leave_out = leave_out,
        .unmatched_times = unmatched_times,
};
