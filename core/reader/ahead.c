/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdlib.h>

#include <kit/crash.h>
#include <reader/ahead.h>

/* ---- Borders ------------------------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The text between the event at `open` and the one before it. False: it is none that can be searched for. */
static bool border_at(struct border *border, const struct view *view, const char *open)
{
	const char *from = open, *to = open + 1;

	while (from > view->begin && (is_blank(from[-1]) || from[-1] == ','))
		from--;
	if (from == view->begin || from[-1] != '}')
		return false;
	from--;
	while (is_blank(*to))
		to++;
	if (*to != '"')
		return false;
	for (to++; *to != '"'; to++) {
		if (to >= view->end || *to == '\\' || to - from >= BORDER_BYTES)
			return false;
	}
	for (to++; is_blank(*to);)
		to++;
	if (*to != ':' || to + 1 - from > BORDER_BYTES)
		return false;
	border->size = (size_t)(to + 1 - from);
	border->open = (size_t)(open - from);
	memcpy(border->text, from, border->size);
	return true;
}

void border_learn(struct border *border, const struct events *events, tav_row row_count, const struct view *view)
{
	enum { TRIED = 64, KINDS = 8 };
	const uint64_t *offset = events->offset.data;
	struct border kinds[KINDS];
	unsigned counts[KINDS] = {0}, kind_count = 0, best = 0;

	for (tav_row row = row_count; row-- > 0 && row_count - row <= TRIED && offset[row] >= view->offset;) {
		struct border found;
		unsigned kind = 0;

		if (!border_at(&found, view, view->begin + (offset[row] - view->offset)))
			continue;
		while (kind < kind_count &&
		       (kinds[kind].size != found.size || memcmp(kinds[kind].text, found.text, found.size) != 0))
			kind++;
		if (kind == KINDS)
			continue;
		if (kind == kind_count)
			kinds[kind_count++] = found;
		if (++counts[kind] > counts[best])
			best = kind;
	}
	if (kind_count)
		*border = kinds[best];
}

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

enum slot_state { SLOT_FREE = 0, SLOT_TAKEN, SLOT_READY };
struct ahead_slot {
	enum slot_state state;
	enum input_result result;
	struct block block;
	uint64_t offset;
	struct part part;
};

struct ahead {
	struct input *input;
	struct scan whole; /* how the scanner stood when this began */
	struct border border;
	uint64_t offset; /* of the next block */

	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct ahead_slot *slots;
	unsigned slot_count;
	uint64_t taken, joined; /* blocks */
	bool is_taking;         /* some thread waits for the input */
	bool is_over;           /* there is no block behind those taken */
	bool is_stopped;
	bool is_holding; /* the caller works on slots[joined % slot_count] */
	pthread_t *threads;
	unsigned thread_count;
};

unsigned ahead_blocks(unsigned threads)
{
	return threads + 2;
}

static bool make_part(const struct ahead *ahead, struct part *part)
{
	const struct read_job *job = ahead->whole.build->job;

	if (part->is_made)
		return true;
	part->job = (struct read_job){.path = job->path,
	                              .is_lenient = job->is_lenient,
	                              .wanted = job->wanted,
	                              .max_event = job->max_event,
	                              .time_unit = job->time_unit};
	part->is_made =
	        build_init(&part->build, &part->job, true) && scan_init(&part->scan, &part->build, ahead->whole.code);
	if (!part->is_made) {
		scan_fini(&part->scan);
		build_fini(&part->build);
	}
	return part->is_made;
}

static void read_part(const struct ahead *ahead, struct ahead_slot *slot)
{
	struct part *part = &slot->part;
	const struct block *block = &slot->block;
	const struct border *border = &ahead->border;
	const char *end = block->data + block->size, *at = memmem(block->data, block->size, border->text, border->size);

	part->begin = NULL;
	if (!at || !make_part(ahead, part) || !build_restart(&part->build, block->data, end))
		return;
	scan_restart(&part->scan, &ahead->whole);
	causes_clear(&part->job.causes);
	at += border->open;
	struct view view = {.begin = at, .end = end, .offset = slot->offset + (uint64_t)(at - block->data), .line = 1};
	if (scan_run(&part->scan, &view) != SCAN_NO_MEMORY)
		part->begin = at;
}

static bool can_take(const struct ahead *ahead)
{
	return !ahead->is_over && !ahead->is_taking && ahead->taken - ahead->joined < ahead->slot_count;
}

/* Takes a block and reads it. Called and left with the mutex held. */
static void take(struct ahead *ahead)
{
	struct ahead_slot *slot = &ahead->slots[ahead->taken++ % ahead->slot_count];

	slot->state = SLOT_TAKEN;
	ahead->is_taking = true;
	pthread_mutex_unlock(&ahead->mutex);
	slot->result = input_next(ahead->input, &slot->block);
	pthread_mutex_lock(&ahead->mutex);
	ahead->is_taking = false;
	slot->offset = ahead->offset;
	ahead->offset += slot->block.size;
	ahead->is_over = slot->result || !slot->block.size;
	pthread_cond_broadcast(&ahead->changed);
	if (!ahead->is_over) {
		pthread_mutex_unlock(&ahead->mutex);
		read_part(ahead, slot);
		pthread_mutex_lock(&ahead->mutex);
	} else {
		slot->part.begin = NULL;
	}
	slot->state = SLOT_READY;
	pthread_cond_broadcast(&ahead->changed);
}

static void *work(void *argument)
{
	struct ahead *ahead = argument;
	void *stack = crash_stack_begin();

	pthread_mutex_lock(&ahead->mutex);
	while (!ahead->is_stopped) {
		if (can_take(ahead))
			take(ahead);
		else
			pthread_cond_wait(&ahead->changed, &ahead->mutex);
	}
	pthread_mutex_unlock(&ahead->mutex);
	crash_stack_end(stack);
	return NULL;
}

struct ahead *ahead_start(struct input *input, const struct scan *whole, const struct border *border, uint64_t offset,
                          unsigned threads)
{
	struct ahead *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	*ahead = (struct ahead){.input = input, .whole = *whole, .border = *border, .offset = offset};
	ahead->slot_count = ahead_blocks(threads);
	ahead->slots = calloc(ahead->slot_count, sizeof(*ahead->slots));
	ahead->threads = calloc(threads, sizeof(*ahead->threads));
	pthread_mutex_init(&ahead->mutex, NULL);
	pthread_cond_init(&ahead->changed, NULL);
	while (ahead->slots && ahead->threads && ahead->thread_count + 1 < threads &&
	       !pthread_create(&ahead->threads[ahead->thread_count], NULL, work, ahead))
		ahead->thread_count++;
	if (ahead->thread_count)
		return ahead;
	ahead_stop(ahead);
	return NULL;
}

enum input_result ahead_next(struct ahead *ahead, struct block *block, struct part **part)
{
	pthread_mutex_lock(&ahead->mutex);
	if (ahead->is_holding) {
		ahead->slots[ahead->joined++ % ahead->slot_count].state = SLOT_FREE;
		input_give_back(ahead->input);
		pthread_cond_broadcast(&ahead->changed);
	}
	ahead->is_holding = true;
	struct ahead_slot *slot = &ahead->slots[ahead->joined % ahead->slot_count];
	while (slot->state != SLOT_READY) {
		if (can_take(ahead))
			take(ahead);
		else
			pthread_cond_wait(&ahead->changed, &ahead->mutex);
	}
	pthread_mutex_unlock(&ahead->mutex);
	*block = slot->block;
	*part = &slot->part;
	return slot->result;
}

void ahead_stop(struct ahead *ahead)
{
	if (!ahead)
		return;
	if (ahead->thread_count)
		input_stop(ahead->input);
	pthread_mutex_lock(&ahead->mutex);
	ahead->is_stopped = true;
	pthread_cond_broadcast(&ahead->changed);
	pthread_mutex_unlock(&ahead->mutex);
	for (unsigned i = 0; i < ahead->thread_count; i++)
		pthread_join(ahead->threads[i], NULL);
	for (unsigned i = 0; ahead->slots && i < ahead->slot_count; i++) {
		struct part *part = &ahead->slots[i].part;

		if (part->is_made) {
			scan_fini(&part->scan);
			build_fini(&part->build);
		}
		causes_clear(&part->job.causes);
	}
	pthread_cond_destroy(&ahead->changed);
	pthread_mutex_destroy(&ahead->mutex);
	free(ahead->slots);
	free(ahead->threads);
	free(ahead);
}
