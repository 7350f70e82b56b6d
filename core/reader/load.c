/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include <base/text.h>
#include <reader/load.h>

struct load {
	struct read_job *job;
	struct input *input;
	struct build build;
	struct scan scan;
	struct view view;
	uint64_t view_newlines;
	/* What is left of the last view. While it fits before a block it is put there, else blocks are added to it. */
	char *rest;
	size_t rest_size, rest_capacity;
	uint64_t rest_newlines;
	size_t enough; /* with that many bytes the next try makes sense */
};

static uint64_t count_newlines(const char *data, size_t size)
{
	uint64_t count = 0;

	for (const char *p = data, *end = data + size; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		count++;
	return count;
}

static bool append_rest(struct load *load, const char *data, size_t size)
{
	size_t needed = load->rest_size + size + INPUT_PADDING;

	if (needed > load->rest_capacity) {
		size_t capacity = needed + needed / 2;
		char *grown = realloc(load->rest, capacity);

		if (!grown)
			return false;
		load->rest = grown;
		load->rest_capacity = capacity;
	}
	if (size)
		memmove(load->rest + load->rest_size, data, size);
	load->rest_size += size;
	memset(load->rest + load->rest_size, 0, INPUT_PADDING);
	return true;
}

/* Makes a view of what was left and a new block. False: no memory. `*is_enough` false: wait for more. */
static bool make_view(struct load *load, const struct block *block, bool *is_enough)
{
	struct view *view = &load->view;

	*is_enough = true;
	view->is_last = !block->size;
	load->view_newlines = load->rest_newlines + block->newline_count;
	if (load->rest_size <= INPUT_HEADROOM && block->size) {
		view->begin = block->data - load->rest_size;
		view->end = block->data + block->size;
		if (load->rest_size)
			memcpy(block->data - load->rest_size, load->rest, load->rest_size);
		return true;
	}
	if (!append_rest(load, block->data, block->size))
		return false;
	view->begin = load->rest;
	view->end = load->rest + load->rest_size;
	*is_enough = view->is_last || load->rest_size >= load->enough;
	if (!*is_enough)
		load->rest_newlines = load->view_newlines;
	return true;
}

/* Puts aside what the scanner has not finished. False: no memory. */
static bool keep_rest(struct load *load)
{
	struct view *view = &load->view;
	const char *keep = load->scan.keep;
	size_t size = (size_t)(view->end - keep);
	uint64_t newlines = count_newlines(keep, size);

	if (load->view_newlines > newlines) {
		const char *last = memrchr(view->begin, '\n', (size_t)(keep - view->begin));

		if (last)
			view->line_start = view->offset + (uint64_t)(last + 1 - view->begin);
		view->line += load->view_newlines - newlines;
	}
	view->offset += (uint64_t)(keep - view->begin);
	load->rest_newlines = newlines;
	load->rest_size = 0;
	load->enough = size * 2;
	return append_rest(load, keep, size);
}

/* The text around the place, with the column of the caret below it. */
static void make_excerpt(struct load *load, const char *at)
{
	enum { BEFORE = 60, AFTER = 40 };
	struct read_job *job = load->job;
	const char *begin = at, *end = at;
	char before[BEFORE * 6 + 1], after[AFTER * 6 + 1];

	while (begin > load->view.begin && begin[-1] != '\n' && at - begin < BEFORE)
		begin--;
	while (begin < at && (*begin & 0xc0) == 0x80) /* not from within a letter on */
		begin++;
	while (end < load->view.end && *end != '\n' && *end != '\r' && end - at < AFTER)
		end++;
	text_escape(before, sizeof(before), (struct tav_text){begin, (size_t)(at - begin)});
	text_escape(after, sizeof(after), (struct tav_text){at, (size_t)(end - at)});
	if (!*before && !*after)
		return;
	job->error.excerpt = arena_printf(&job->causes.arena, "%s%s", before, after);
	job->error.caret = 0;
	for (const char *p = before; *p; p++)
		job->error.caret += (*p & 0xc0) != 0x80;
}

static tav_status fail_in_text(struct load *load)
{
	struct read_job *job = load->job;
	struct scan *scan = &load->scan;

	job->error.message = scan->message;
	job->error.events_read = load->build.events->event_count;
	scan_place_of(scan, scan->error_at, &job->error.line, &job->error.column, &job->error.offset);
	make_excerpt(load, scan->error_at);
	return TAV_FAILED;
}

static tav_status no_memory(struct load *load)
{
	return cause_add(&load->job->causes, "no memory to read %s", load->job->path);
}

/* Lenient: the end is missing, and what came before it is taken. */
static tav_status accept_cut(struct load *load, const char *message)
{
	struct events *events = load->build.events;
	const struct view *view = &load->view;
	uint64_t line = 0, column = 0, offset = view->offset;

	load->scan.is_cut = true;
	if (notice_find(events, "truncated"))
		return TAV_OK;
	if (view->end)
		scan_place_of(&load->scan, view->end, &line, &column, &offset);
	return notice_count(events, NOTICE_REPAIR, "truncated", line, column, offset, message) ? TAV_OK
	                                                                                       : no_memory(load);
}

static tav_status end_of_input(struct load *load, enum input_result result, struct block *block)
{
	struct read_job *job = load->job;

	if (result == INPUT_CANCELLED)
		return TAV_CANCELLED;
	if (result == INPUT_NO_MEMORY)
		return no_memory(load);
	if (job->is_lenient && input_is_truncated(load->input)) {
		*block = (struct block){0};
		return accept_cut(load, input_message(load->input));
	}
	job->error.message = arena_printf(&job->causes.arena, "%s", input_message(load->input));
	job->error.events_read = load->build.events->event_count;
	return job->error.message ? TAV_FAILED : no_memory(load);
}

static tav_status scan_all(struct load *load)
{
	struct read_job *job = load->job;
	struct block block;
	tav_status status;
	bool is_enough;

	for (;;) {
		if (job->cancelled && *job->cancelled)
			return TAV_CANCELLED;
		enum input_result input = input_next(load->input, &block);
		if (input && (status = end_of_input(load, input, &block)))
			return status;
		if (!make_view(load, &block, &is_enough))
			return no_memory(load);
		if (!is_enough)
			continue;
		enum scan_result result = scan_run(&load->scan, &load->view);
		atomic_store_explicit(&job->events_done, load->build.events->event_count, memory_order_relaxed);
		switch (result) {
		case SCAN_OK:
			return TAV_OK;
		case SCAN_MORE:
			if (!keep_rest(load))
				return no_memory(load);
			break;
		case SCAN_CUT:
			if (load->scan.place == PLACE_START) /* not one event was reached */
				return fail_in_text(load);
			return accept_cut(load, load->scan.message);
		case SCAN_BAD:
			return fail_in_text(load);
		default:
			return no_memory(load);
		}
	}
}

/* distributedInfo.rank, or -1. */
static int64_t find_rank(const char *top, size_t size)
{
	static const char key[] = "\"distributedInfo\"";
	struct json_object *root = NULL, *info = NULL, *rank = NULL;
	int64_t found = -1;

	if (!memmem(top, size, key, sizeof(key) - 1) || size > INT32_MAX)
		return -1;
	struct json_tokener *tokener = json_tokener_new_ex(SCAN_MAX_DEPTH + 1);
	if (!tokener)
		return -1;
	root = json_tokener_parse_ex(tokener, top, (int)size);
	if (root && json_object_object_get_ex(root, "distributedInfo", &info) &&
	    json_object_is_type(info, json_type_object) && json_object_object_get_ex(info, "rank", &rank) &&
	    json_object_is_type(rank, json_type_int))
		found = json_object_get_int64(rank);
	json_object_put(root);
	json_tokener_free(tokener);
	return found < 0 ? -1 : found;
}

static bool keep_top(struct load *load)
{
	struct events *events = load->build.events;
	struct scan *scan = &load->scan;
	size_t size = scan->top_size;
	char *top = arena_alloc(&events->arena, size + 3);

	if (!top)
		return false;
	if (size)
		memcpy(top, scan->top, size);
	else
		top[size++] = '{';
	top[size++] = '}';
	events->top_level = top;
	events->top_level_size = size;
	events->rank = find_rank(top, size);
	return true;
}

static bool add_counts(struct load *load)
{
	struct events *events = load->build.events;
	uint64_t unmatched = events->unmatched_begin + events->unmatched_end;
	char message[200];

	if (load->build.empty_count && !notice_add(events, NOTICE_WARNING, "empty_event", load->build.empty_count, 0, 0,
	                                           0, "an event is an empty object and was skipped"))
		return false;
	if (load->build.phaseless_count &&
	    !notice_add(events, NOTICE_WARNING, "event_without_phase", load->build.phaseless_count, 0, 0, 0,
	                "an event has no \"ph\" of one letter, so nobody knows what it is"))
		return false;
	snprintf(message, sizeof(message), "B and E events do not match: %llu without an E, %llu without a B",
	         (unsigned long long)events->unmatched_begin, (unsigned long long)events->unmatched_end);
	return !unmatched || notice_add(events, NOTICE_WARNING, "unmatched_begin_end", unmatched, 0, 0, 0, message);
}

static tav_status finish(struct load *load)
{
	struct events *events = load->build.events;
	struct read_job *job = load->job;

	events->path = arena_copy(&events->arena, job->path, strlen(job->path));
	events->is_gzip = input_is_gzip(load->input);
	events->bytes = load->view.offset + (uint64_t)(load->view.end - load->view.begin);
	events->form = load->scan.form == TAV_FORM_EMPTY ? TAV_FORM_ARRAY : load->scan.form;
	if (!events->path || !build_finish(&load->build) || !add_counts(load) || !keep_top(load))
		return no_memory(load);
	job->events = events;
	load->build.events = NULL;
	return TAV_OK;
}

tav_status load_input(struct read_job *job, struct input *input, scan_code code)
{
	struct load *load = calloc(1, sizeof(*load));
	tav_status status = TAV_FAILED;

	if (!load)
		return cause_add(&job->causes, "no memory to read %s", job->path);
	load->job = job;
	load->input = input;
	load->view = (struct view){.line = 1};
	bool has_memory = intern_init(&job->values) && build_init(&load->build, job) &&
	                  scan_init(&load->scan, &load->build, code);
	status = has_memory ? scan_all(load) : no_memory(load);
	if (!status)
		status = finish(load);
	scan_fini(&load->scan);
	build_fini(&load->build);
	free(load->rest);
	free(load);
	return status;
}

static tav_status fail_to_open(struct read_job *job, const struct input *input, enum input_result result)
{
	if (result == INPUT_CANCELLED)
		return TAV_CANCELLED;
	if (result == INPUT_FAILED)
		job->error.message = arena_printf(&job->causes.arena, "%s", input_message(input));
	if (!job->error.message)
		cause_add(&job->causes, "no memory to read %s", job->path);
	return TAV_FAILED;
}

tav_status read_trace(struct read_job *job)
{
	struct input *input;
	enum input_result result = input_open(&input, job->path, job->cancelled, &job->bytes_done);
	tav_status status;

	if (!result) {
		job->bytes_total = input_size(input);
		status = load_input(job, input, scan_choose(NULL));
	} else {
		status = fail_to_open(job, input, result);
	}
	input_close(input);
	return status;
}

tav_status load_memory(struct read_job *job, const char *data, size_t size, size_t block_size, scan_code code)
{
	struct input *input;
	enum input_result result = input_open_memory(&input, data, size, block_size);
	tav_status status = result ? fail_to_open(job, input, result) : load_input(job, input, code);

	input_close(input);
	return status;
}

void read_job_fini(struct read_job *job)
{
	events_free(job->events);
	intern_fini(&job->values);
	pages_free(&job->labels);
	causes_clear(&job->causes);
	job->events = NULL;
	job->label_count = 0;
	job->error = (struct read_error){0};
}
