/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a host and of its calls, and the part of the table that concerns the call itself: log, fail, alloc. */
#include <stdlib.h>
#include <string.h>

#include <host/view.h>
#include <kit/crash.h>
#include <kit/parallel.h>
#include <kit/text.h>
#include <overlap/sweep.h>

static const char *kind_of(const struct host *host)
{
	return host->setup->part->is_dialect ? "dialect" : "stage";
}

static void host_log(struct tav_self *self, uint32_t level, const char *text)
{
	static const char *const names[] = {"", "error", "warning", "info", "debug"};
	const struct host *host = call_of(self)->host;
	int wanted = level <= TAV_LOG_WARNING ? 0 : level == TAV_LOG_INFO ? 1 : 2;
	FILE *err = host->run->err;

	if (!err || level < TAV_LOG_ERROR || level > TAV_LOG_DEBUG || host->run->verbosity < wanted)
		return;
	flockfile(err);
	fprintf(err, "tav-run: %s: %s: ", host->setup->id, names[level]);
	text_print_escaped(err, text_of(text));
	putc('\n', err);
	funlockfile(err);
}

/* The caller holds the lock. */
static tav_status fail_call(struct call *call, const char *file, uint32_t line, const char *text)
{
	cause_add_at(&call->causes, file, line, text ? text : "no reason given");
	call->has_failed = true;
	return TAV_FAILED;
}

static tav_status host_fail(struct tav_self *self, const char *file, uint32_t line, const char *text)
{
	struct call *call = call_of(self);

	pthread_mutex_lock(&call->lock);
	fail_call(call, file, line, text);
	pthread_mutex_unlock(&call->lock);
	return TAV_FAILED;
}

tav_status call_lack_memory(struct call *call, const char *text)
{
	return host_fail(&call->self, NULL, 0, text);
}

tav_status call_cause(struct call *call, const char *file, uint32_t line, const char *text)
{
	pthread_mutex_lock(&call->lock);
	cause_add_at(&call->causes, file, line, text ? text : "no reason given");
	pthread_mutex_unlock(&call->lock);
	return TAV_FAILED;
}

static tav_status host_bad_option(struct tav_self *self, uint32_t option, const char *text)
{
	struct call *call = call_of(self);
	const struct setup *setup = call->host->setup;
	const struct part *part = setup->part;

	if (!call->diags)
		return call_cause(call, __FILE__, __LINE__, "bad_option() was called outside create()");
	if (option >= part->option_count)
		return call_cause(call, __FILE__, __LINE__,
		                  "bad_option() was called for an option that is not declared");
	struct place place = setup->value_places[option];
	if (!place.text)
		place = setup->place.text ? setup->place : argument_place(&call->host->arena, "default of", part->name);
	diag_error(call->diags, place, "%s '%s', option '%s': %s", kind_of(call->host), part->name,
	           part->options[option].name, text ? text : "cannot be used");
	return TAV_FAILED;
}

/* The caller holds the lock. */
static void lack_bytes(struct call *call, size_t bytes, const char *purpose)
{
	char text[64];

	snprintf(text, sizeof(text), "out of memory: %zu bytes%s", bytes, purpose);
	fail_call(call, NULL, 0, text);
}

/* The caller holds the lock. False: it is time to fail, which --check-plugin asks for. */
static bool take_allocation(struct call *call)
{
	if (!call->allocations_left)
		return false;
	if (call->allocations_left != UINT64_MAX)
		call->allocations_left--;
	return true;
}

static void *host_alloc(struct tav_self *self, size_t bytes)
{
	struct call *call = call_of(self);

	pthread_mutex_lock(&call->lock);
	void *memory = take_allocation(call) ? arena_alloc(&call->arena, bytes) : NULL;
	if (!memory)
		lack_bytes(call, bytes, "");
	pthread_mutex_unlock(&call->lock);
	return memory;
}

static void *host_keep(struct tav_self *self, size_t bytes)
{
	struct call *call = call_of(self);

	if (call->phase != PHASE_CREATE) {
		call_cause(call, NULL, 0, "keep() was called outside create()");
		return NULL;
	}
	pthread_mutex_lock(&call->lock);
	void *memory = take_allocation(call) ? arena_alloc(&call->host->kept, bytes) : NULL;
	if (!memory)
		lack_bytes(call, bytes, " to keep");
	pthread_mutex_unlock(&call->lock);
	return memory;
}

static int32_t host_cancelled(struct tav_self *self)
{
	const struct run *run = call_of(self)->host->run;

	return run->cancelled && *run->cancelled;
}

struct tasks { /* of parallel() */
	struct call *call;
	tav_status (*task)(struct tav_self *, uint32_t, void *);
	void *user;
};

static tav_status do_task(void *user, uint32_t i)
{
	const struct tasks *tasks = user;
	struct crash_place before = crash_enter(kind_of(tasks->call->host), tasks->call->host->setup->id);
	tav_status status = tasks->task(&tasks->call->self, i, tasks->user);

	crash_leave(before);
	return status;
}

static tav_status host_parallel(struct tav_self *self, uint32_t n,
                                tav_status (*task)(struct tav_self *, uint32_t, void *), void *user)
{
	struct tasks tasks = {call_of(self), task, user};

	return parallel_run(tasks.call->threads, n, do_task, &tasks);
}

static const void *host_extension(struct tav_self *self, const char *id)
{
	const struct {
		const char *id;
		const void *table;
	} extensions[] = {
	        {TAV_OVERLAP_ID, &overlap_extension}, {TAV_RESULTS_ID, &results_extension},
	        {TAV_MARKS_ID, &marks_extension},     {TAV_LINKS_ID, &links_extension},
	        {TAV_STEPS_ID, &steps_extension},     {TAV_EDITS_ID, &edits_extension},
	};

	(void)self;
	for (size_t i = 0; id && i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (!strcmp(id, extensions[i].id))
			return extensions[i].table;
	}
	return NULL;
}

const struct tav_host host_table = {
        .struct_size = sizeof(struct tav_host),
        .abi_minor = TAV_ABI_MINOR_LATEST,
        .log = host_log,
        .fail = host_fail,
        .bad_option = host_bad_option,
        .alloc = host_alloc,
        .keep = host_keep,
        .cancelled = host_cancelled,
        .parallel = host_parallel,
        .source_count = view_source_count,
        .source = view_source,
        .column = view_column,
        .present = view_present,
        .order = view_order,
        .unusable = view_unusable,
        .unmatched = view_unmatched,
        .label_count = view_label_count,
        .label = view_label,
        .label_call = view_label_call,
        .value = view_value,
        .find_label = view_find_label,
        .find_value = view_find_value,
        .track = view_track,
        .name_of = view_name_of,
        .metadata = view_metadata,
        .metadata_key = view_metadata_key,
        .check = tell_check,
        .finding = tell_finding,
        .table = tell_table,
        .metric = tell_metric,
        .headline = tell_headline,
        .extension = host_extension,
};

/* ---- Calls ---------------------------------------------------------------------------------------------------- */
void call_init(struct call *call, struct host *host, enum phase phase, struct view *view, unsigned threads)
{
	*call = (struct call){.host = host, .phase = phase, .view = view, .threads = threads ? threads : 1};
	call->self = (struct tav_self){sizeof(call->self), 0, &host_table, host->values, host->state};
	call->allocations_left = host->allocations;
	pthread_mutex_init(&call->lock, NULL);
}

void call_fini(struct call *call)
{
	arena_fini(&call->arena);
	causes_clear(&call->causes);
	pthread_mutex_destroy(&call->lock);
}

tav_status call_check_status(struct call *call, const char *function, tav_status status)
{
	char text[64];

	crash_end_copy();
	if (status == TAV_OK)
		return call->has_failed ? TAV_FAILED : TAV_OK;
	if (status == TAV_CANCELLED && host_cancelled(&call->self))
		return TAV_CANCELLED;
	if (status == TAV_FAILED && call->causes.outermost)
		return TAV_FAILED;
	if (status == TAV_FAILED)
		snprintf(text, sizeof(text), "its %s gave no reason", function);
	else
		snprintf(text, sizeof(text), "its %s returned %d, and nothing was cancelled", function, (int)status);
	return call_cause(call, NULL, 0, text);
}

/* ---- Hosts ---------------------------------------------------------------------------------------------------- */
/* A value of our own, for the config's is shared and this one gets columns and sources of this run. */
static struct tav_value *own_value(struct host *host, const struct tav_value *value)
{
	struct tav_value *own = arena_alloc(&host->arena, sizeof(*own));

	if (!own)
		return NULL;
	*own = *value;
	if (!value->count)
		return own;
	const struct tav_value **items = arena_array(&host->arena, value->count, sizeof(*items));
	for (uint64_t i = 0; items && i < value->count; i++) {
		items[i] = own_value(host, value->items[i]);
		if (!items[i])
			return NULL;
	}
	own->items = items;
	return items ? own : NULL;
}

bool host_init(struct host *host, struct run *run, const struct setup *setup, uint32_t stage)
{
	uint32_t count = setup->part->option_count;

	*host = (struct host){
	        .run = run, .setup = setup, .stage = stage, .allocations = UINT64_MAX, .kept = {.is_paged = true}};
	host->arena.is_paged = true; /* sealed when all options have their values */
	host->values = arena_array(&host->arena, count, sizeof(*host->values));
	for (uint32_t i = 0; host->values && i < count; i++) {
		host->values[i] = own_value(host, setup->values[i]);
		if (!host->values[i])
			return false;
	}
	return host->values;
}

/* Calls `act` for each single value of the options of one type. */
static bool each_value(struct host *host, uint32_t type,
                       bool (*act)(struct host *, const struct tav_option *, struct tav_value *, void *), void *user)
{
	const struct part *part = host->setup->part;

	for (uint32_t i = 0; i < part->option_count; i++) {
		struct tav_value *value = (struct tav_value *)(uintptr_t)host->values[i]; /* made by own_value() */

		if (part->options[i].type != type)
			continue;
		if (!(part->options[i].flags & TAV_OPT_MANY)) {
			if (value->text.size && !act(host, &part->options[i], value, user))
				return false;
			continue;
		}
		for (uint64_t j = 0; j < value->count; j++) {
			if (!act(host, &part->options[i], (struct tav_value *)(uintptr_t)value->items[j], user))
				return false;
		}
	}
	return true;
}

static bool count_value(struct host *host, const struct tav_option *option, struct tav_value *value, void *user)
{
	(void)host;
	(void)option;
	(void)value;
	++*(uint32_t *)user;
	return true;
}

static bool want_value(struct host *host, const struct tav_option *option, struct tav_value *value, void *user)
{
	(void)option;
	uint32_t wanted = wanted_add(user, value->text.data, TAV_TYPE_STRING);

	value->integer = TAV_COL_FIELDS + (int64_t)host->field_count;
	host->fields[host->field_count++] = wanted;
	return wanted != TAV_NONE;
}

bool host_want(struct host *host, struct wanted *wanted)
{
	const struct part *part = host->setup->part;
	uint32_t count = part->field_count;

	each_value(host, TAV_TYPE_FIELD, count_value, &count);
	host->fields = arena_array(&host->arena, count, sizeof(*host->fields));
	if (!host->fields)
		return false;
	for (uint32_t i = 0; i < part->field_count; i++) {
		host->fields[i] =
		        wanted_add_flagged(wanted, part->fields[i].path, part->fields[i].type, part->fields[i].flags);
		if (host->fields[i] == TAV_NONE)
			return false;
	}
	host->field_count = part->field_count;
	return each_value(host, TAV_TYPE_FIELD, want_value, wanted);
}

struct input_act {
	bool is_baseline;
	bool (*act)(void *user, const struct tav_option *option, struct tav_value *value);
	void *user;
};

static bool act_on_input(struct host *host, const struct tav_option *option, struct tav_value *value, void *user)
{
	const struct input_act *act = user;

	(void)host;
	return !(option->flags & TAV_OPT_BASELINE) == act->is_baseline || act->act(act->user, option, value);
}

bool host_each_input(struct host *host, bool is_baseline,
                     bool (*act)(void *user, const struct tav_option *option, struct tav_value *value), void *user)
{
	struct input_act input_act = {is_baseline, act, user};

	return each_value(host, TAV_TYPE_INPUT, act_on_input, &input_act);
}

tav_status host_create(struct host *host, struct diags *diags, struct causes *causes)
{
	const struct part *part = host->setup->part;
	tav_status (*create)(struct tav_self *) = part->is_dialect ? part->dialect.create : part->stage.create;
	unsigned errors_before = diags->error_count;
	tav_status status = TAV_OK;
	struct call call;

	if (create) {
		call_init(&call, host, PHASE_CREATE, NULL, 1);
		call.diags = diags;
		struct crash_place before = crash_enter(kind_of(host), host->setup->id);
		status = create(&call.self);
		crash_leave(before);
		host->state = call.self.state;
		status = diags->error_count > errors_before ? TAV_FAILED : call_check_status(&call, "create()", status);
		if (status)
			causes_add_all(causes, &call.causes);
		call_fini(&call);
	}
	host->is_created = !status;
	if (!status && !arena_seal(&host->kept))
		return cause_add(causes, "cannot make its memory read-only");
	return status;
}

void host_fini(struct host *host)
{
	const struct part *part = host->setup->part;
	void (*destroy)(struct tav_self *) = part->is_dialect ? part->dialect.destroy : part->stage.destroy;

	if (host->is_created && destroy) {
		struct call call;

		call_init(&call, host, PHASE_DESTROY, NULL, 1);
		struct crash_place before = crash_enter(kind_of(host), host->setup->id);
		destroy(&call.self);
		crash_leave(before);
		call_fini(&call);
	}
	arena_fini(&host->kept);
	arena_fini(&host->arena);
	host->is_created = false;
}
