/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <kit/text.h>
#include <reader/ahead.h>
#include <reader/load.h>
#include <trace/metadata.h>

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
	bool is_done;  /* the scanner wants no more */
	struct border border;
	struct ahead *ahead;
	bool has_tried_ahead;
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

/*
 * Makes a view of what was left and a new block; of its head only: more of the block follows, and must stay as it is.
 * False: no memory. `*is_enough` false: wait for more.
 */
static bool make_view(struct load *load, const struct block *block, bool is_head, bool *is_enough)
{
	struct view *view = &load->view;

	*is_enough = true;
	view->is_last = !block->size;
	load->view_newlines = load->rest_newlines + block->newline_count;
	if (!is_head && load->rest_size <= INPUT_HEADROOM && block->size) {
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
	*is_enough = view->is_last || load->rest_size <= INPUT_HEADROOM || load->rest_size >= load->enough;
	if (!*is_enough)
		load->rest_newlines = load->view_newlines;
	return true;
}

/* The view begins at `keep` from now on, with `newlines` of its lines left. */
static void advance(struct load *load, const char *keep, uint64_t newlines)
{
	struct view *view = &load->view;

	if (load->view_newlines > newlines) {
		const char *last = memrchr(view->begin, '\n', (size_t)(keep - view->begin));

		if (last)
			view->line_start = view->offset + (uint64_t)(last + 1 - view->begin);
		view->line += load->view_newlines - newlines;
	}
	view->offset += (uint64_t)(keep - view->begin);
	view->begin = keep;
	load->view_newlines = newlines;
}

/* Puts aside what the scanner has not finished. False: no memory. */
static bool keep_rest(struct load *load)
{
	const char *keep = load->scan.keep;
	size_t size = (size_t)(load->view.end - keep);

	load->rest_newlines = count_newlines(keep, size);
	advance(load, keep, load->rest_newlines);
	load->rest_size = 0;
	load->enough = size * 2;
	if (load->enough > load->scan.max_event && size <= load->scan.max_event) /* then it is too large */
		load->enough = load->scan.max_event + 1;
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

/* More text is wanted, or something is wrong: but what is too large is nothing else. False: it is. */
static bool is_within_bound(struct load *load, enum scan_result result)
{
	struct scan *scan = &load->scan;
	const char *last = result == SCAN_BAD ? scan->error_at : load->view.end;

	if (result == SCAN_OK || scan->place == PLACE_END || (uint64_t)(last - scan->keep) <= scan->max_event)
		return true;
	scan_too_large(scan, scan->keep);
	return false;
}

/* Scans what was left and a block; none of either is needed any more then. */
static tav_status feed(struct load *load, const struct block *block, bool is_head)
{
	struct read_job *job = load->job;
	bool is_enough;

	if (!make_view(load, block, is_head, &is_enough))
		return no_memory(load);
	if (!is_enough)
		return TAV_OK;
	enum scan_result result = scan_run(&load->scan, &load->view);
	atomic_store_explicit(&job->events_done, load->build.events->event_count, memory_order_relaxed);
	if (result != SCAN_NO_MEMORY && !is_within_bound(load, result))
		return load->scan.result == SCAN_BAD ? fail_in_text(load) : no_memory(load);
	switch (result) {
	case SCAN_OK:
		load->is_done = true;
		return TAV_OK;
	case SCAN_MORE:
		if (job->threads > 1 && !load->has_tried_ahead && load->scan.form != TAV_FORM_EMPTY)
			border_learn(&load->border, load->build.events, load->build.row_count, &load->view);
		return keep_rest(load) ? TAV_OK : no_memory(load);
	case SCAN_CUT:
		if (load->scan.place == PLACE_START && !load->scan.is_further) /* not one event was reached */
			return fail_in_text(load);
		load->is_done = true;
		return accept_cut(load, load->scan.message);
	case SCAN_BAD:
		return fail_in_text(load);
	default:
		return no_memory(load);
	}
}

/* Whether the scanner stands where an event may begin, all text before it read. */
static bool is_between(const struct load *load)
{
	const struct scan *scan = &load->scan;

	for (size_t i = 0; i < load->rest_size; i++) {
		if (!strchr(" \n\t\r", load->rest[i]) || !load->rest[i])
			return false;
	}
	if (scan->form == TAV_FORM_LINES)
		return scan->place == PLACE_AFTER_EVENT && load->rest_size;
	return scan->form != TAV_FORM_EMPTY && (scan->place == PLACE_EVENT || scan->place == PLACE_FIRST_EVENT);
}

/* The part's events become ours, and what it did not finish is left of the block. */
static tav_status join(struct load *load, struct block *block, const struct part *part)
{
	const struct scan *scan = &part->scan;
	struct view *view = &load->view;

	load->job->parts_joined++;
	/* What is left are blanks; the view goes on behind them. */
	view->begin = load->rest;
	view->end = load->rest + load->rest_size;
	load->view_newlines = load->rest_newlines;
	advance(load, view->end, 0);
	load->rest_size = 0;
	load->rest_newlines = 0;
	view->begin = block->data;
	view->end = block->data + block->size;
	load->view_newlines = block->newline_count;
	load->scan.view = *view;
	for (uint32_t i = 0; i < scan->sighting_count; i++) {
		struct sighting sighting = scan->sightings[i];

		sighting.event += load->build.events->event_count;
		if (!scan_tell(&load->scan, &sighting))
			return no_memory(load);
	}
	if (!build_join(&load->build, &part->build))
		return no_memory(load);
	load->scan.place = scan->place;
	advance(load, scan->keep, count_newlines(scan->keep, (size_t)(view->end - scan->keep)));
	*block = (struct block){(char *)scan->keep, (size_t)(view->end - scan->keep), load->view_newlines};
	if (scan->result != SCAN_MORE) /* the scanner itself sees what stopped the part */
		return TAV_OK;
	load->scan.keep = scan->keep;
	block->size = 0;
	return keep_rest(load) ? TAV_OK : no_memory(load);
}

/* Takes over what was read ahead of a block, where it holds; what is left of the block is still to be read. */
static tav_status take_part(struct load *load, struct block *block, const struct part *part)
{
	struct block head = {block->data, (size_t)(part->begin - block->data), 0};

	load->job->parts++;
	head.newline_count = count_newlines(head.data, head.size);
	if (head.size) {
		tav_status status = feed(load, &head, true);

		if (status || load->is_done)
			return status;
	}
	block->data += head.size;
	block->size -= head.size;
	block->newline_count -= head.newline_count;
	/* Of several documents this may be another one than the part was read for. */
	if (load->scan.form != part->scan.form || load->scan.has_top != part->scan.has_top || !is_between(load) ||
	    !build_has_room(&load->build, &part->build))
		return TAV_OK;
	return join(load, block, part);
}

static enum input_result next_block(struct load *load, struct block *block, struct part **part)
{
	unsigned threads = load->job->threads;

	*part = NULL;
	if (load->ahead)
		return ahead_next(load->ahead, block, part);
	input_give_back(load->input);
	if (load->border.size && !load->has_tried_ahead) {
		uint64_t offset = load->view.offset + load->rest_size;

		load->ahead = ahead_start(load->input, &load->scan, &load->border, offset, threads);
		load->has_tried_ahead = true;
		if (load->ahead)
			return ahead_next(load->ahead, block, part);
	}
	return input_next(load->input, block);
}

static tav_status scan_all(struct load *load)
{
	const struct read_job *job = load->job;
	struct block block;
	struct part *part;
	tav_status status = TAV_OK;

	while (!status && !load->is_done) {
		if (job->cancelled && *job->cancelled)
			return TAV_CANCELLED;
		enum input_result input = next_block(load, &block, &part);
		if (input && (status = end_of_input(load, input, &block)))
			return status;
		bool is_end = !block.size;
		if (part && part->begin) {
			status = take_part(load, &block, part);
			if (status || load->is_done)
				break;
		}
		if (is_end || block.size)
			status = feed(load, &block, false);
	}
	return status;
}

/* The value of the last member of that name; size 0: there is none. */
static struct tav_text last_member(const struct metadata_member *members, uint32_t count, const char *key)
{
	for (uint32_t i = count; i-- > 0;) {
		if (members[i].key.size == strlen(key) && !memcmp(members[i].key.data, key, members[i].key.size))
			return members[i].value;
	}
	return (struct tav_text){"", 0};
}

static int64_t whole_number(struct tav_text text)
{
	int64_t number = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, text.data[i] - '0', &number))
			return -1;
	}
	return text.size ? number : -1;
}

/* Rank and world size of distributedInfo. False: no memory, which must not be taken for "not there". */
static bool find_rank(struct events *events)
{
	struct arena arena = {0};
	struct metadata_member *members;
	uint32_t count;
	bool is_done = metadata_split(&arena, events->top_level, events->top_level_size, &members, &count);
	struct tav_text info = is_done ? last_member(members, count, "distributedInfo") : (struct tav_text){"", 0};

	if (info.size && *info.data == '{') {
		is_done = metadata_split(&arena, info.data, info.size, &members, &count);
		if (is_done) {
			events->rank = whole_number(last_member(members, count, "rank"));
			events->world_size = whole_number(last_member(members, count, "world_size"));
		}
	}
	arena_fini(&arena);
	return is_done;
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
	return find_rank(events);
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
	events->content = input_hash(load->input);
	events->bytes = load->view.offset + (uint64_t)(load->view.end - load->view.begin);
	uint32_t form = load->scan.is_further ? load->scan.first_form : load->scan.form;
	events->form = form == TAV_FORM_EMPTY ? TAV_FORM_ARRAY : form;
	if (!events->path || !build_finish(&load->build) || !add_counts(load) || !keep_top(load))
		return no_memory(load);
	job->events = events;
	load->build.events = NULL;
	return TAV_OK;
}

/* What can only be nanoseconds: how many times, and the first of them. */
struct ns_only {
	uint64_t count;
	int64_t first;
	bool can_read_again;
};

static bool has_times(const struct events *events)
{
	const int64_t *start_ns = COLUMN(events, start_ns, const int64_t);

	for (tav_row row = 0; row < events->row_count; row++) {
		if (start_ns[row])
			return true;
	}
	return false;
}

static tav_status load_input(struct read_job *job, struct input *input, scan_code code, struct ns_only *ns_only)
{
	struct load *load = calloc(1, sizeof(*load));
	tav_status status = TAV_FAILED;

	if (!load)
		return cause_add(&job->causes, "no memory to read %s", job->path);
	load->job = job;
	load->input = input;
	load->view = (struct view){.line = 1};
	bool has_memory = build_init(&load->build, job, false) && scan_init(&load->scan, &load->build, code);
	status = has_memory ? scan_all(load) : no_memory(load);
	if (!status)
		status = finish(load);
	if (!status && !job->time_unit && load->build.ns_only_count && !has_times(job->events))
		*ns_only = (struct ns_only){load->build.ns_only_count, load->build.ns_only_first, false};
	ahead_stop(load->ahead);
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

/* Blocks for one thread stay in its cache; more threads want more of it at a time. */
static struct input_ask ask_for(struct read_job *job)
{
	enum { LARGE_BLOCK_BYTES = 1 << 20 };
	bool is_one = job->threads < 2;
	size_t block_size = is_one ? INPUT_BLOCK_BYTES : LARGE_BLOCK_BYTES;

	return (struct input_ask){.path = job->path,
	                          .block_size = job->block_size ? job->block_size : block_size,
	                          .block_count = is_one ? INPUT_BLOCKS : ahead_blocks(job->threads),
	                          .keeps_blocks = true,
	                          .cancelled = job->cancelled,
	                          .bytes_done = &job->bytes_done};
}

static void note_file(struct read_job *job, const struct stat *status)
{
	job->device = status->st_dev;
	job->inode = status->st_ino;
	if (!S_ISREG(status->st_mode))
		return;
	job->file_bytes = (uint64_t)status->st_size;
	job->mtime_ns = (uint64_t)status->st_mtim.tv_sec * 1000000000u + (uint64_t)status->st_mtim.tv_nsec;
}

static tav_status read_once(struct read_job *job, const struct input_ask *ask, scan_code code, struct ns_only *ns_only)
{
	struct input *input;
	enum input_result result = input_open_as(&input, ask);
	tav_status status;

	if (input && input_stat(input))
		note_file(job, input_stat(input));
	if (!result) {
		job->bytes_total = input_size(input);
		status = load_input(job, input, code, ns_only);
	} else {
		status = fail_to_open(job, input, result);
	}
	ns_only->can_read_again = ask->memory || (input && input_size(input));
	input_close(input);
	return status;
}

/* The times can be nothing but nanoseconds: what is wrong, for a person. */
static void describe_ns(const struct ns_only *ns_only, char *text, size_t size)
{
	time_t seconds = ns_only->first / 1000000000;
	struct tm date;
	char day[32] = "";

	if (gmtime_r(&seconds, &date))
		strftime(day, sizeof(day), "%Y-%m-%d", &date);
	snprintf(text, size, "%lld as microseconds is the year %lld, as nanoseconds it is %s",
	         (long long)ns_only->first, (long long)(1970 + ns_only->first / 31556952000000), day);
}

static tav_status read_input(struct read_job *job, const struct input_ask *ask, scan_code code)
{
	struct ns_only ns_only = {0};
	tav_status status = read_once(job, ask, code, &ns_only);
	char text[200], message[300];

	if (status || !ns_only.count)
		return status;
	describe_ns(&ns_only, text, sizeof(text));
	events_free(job->events);
	job->events = NULL;
	if (!ns_only.can_read_again) {
		job->error.message = arena_printf(&job->causes.arena,
		                                  "ts is out of range: %s; --set torch.time_unit=ns reads it so", text);
		return job->error.message ? TAV_FAILED : cause_add(&job->causes, "no memory to read %s", job->path);
	}
	uint64_t count = ns_only.count;
	job->time_unit = 1;
	job->bytes_done = 0;
	status = read_once(job, ask, code, &ns_only);
	job->time_unit = 0;
	snprintf(message, sizeof(message), "ts and dur were read as nanoseconds: %s; --set torch.time_unit=ns says so",
	         text);
	if (!status && !notice_add(job->events, NOTICE_WARNING, "time_unit", count, 0, 0, 0, message))
		status = cause_add(&job->causes, "no memory to read %s", job->path);
	return status;
}

tav_status read_trace(struct read_job *job)
{
	struct input_ask ask = ask_for(job);

	return read_input(job, &ask, scan_choose(NULL));
}

tav_status load_memory(struct read_job *job, const char *data, size_t size, size_t block_size, scan_code code)
{
	struct input_ask ask = ask_for(job);

	ask.memory = data ? data : "";
	ask.memory_size = size;
	ask.block_size = block_size;
	return read_input(job, &ask, code);
}

void read_job_fini(struct read_job *job)
{
	events_free(job->events);
	causes_clear(&job->causes);
	job->events = NULL;
	job->error = (struct read_error){0};
}
