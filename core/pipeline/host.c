/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a self, and the part of its table that concerns itself: log, fail, alloc, parallel. */
#include <stdlib.h>
#include <string.h>

#include <base/parallel.h>
#include <base/text.h>
#include <overlap/sweep.h>
#include <pipeline/crash.h>
#include <pipeline/host.h>
#include <pipeline/view.h>

static const char *name_of(const struct host *host)
{
	return host->setup->id;
}

static void host_log(struct tav_self *self, uint32_t level, const char *text)
{
	static const char *const names[] = {"", "error", "warning", "info", "debug"};
	const struct host *host = host_of(self);
	int wanted = level <= TAV_LOG_WARNING ? 0 : level == TAV_LOG_INFO ? 1 : 2;

	if (level < TAV_LOG_ERROR || level > TAV_LOG_DEBUG || host->run->verbosity < wanted)
		return;
	flockfile(stderr);
	fprintf(stderr, "tav-run: %s: %s: ", name_of(host), names[level]);
	text_print_escaped(stderr, text_of(text));
	putc('\n', stderr);
	funlockfile(stderr);
}

static tav_status host_fail(struct tav_self *self, const char *file, uint32_t line, const char *text)
{
	return host_cause(host_of(self), file, line, text);
}

tav_status host_cause(struct host *host, const char *file, uint32_t line, const char *text)
{
	pthread_mutex_lock(&host->lock);
	cause_add_at(&host->causes, file, line, text ? text : "no reason given");
	pthread_mutex_unlock(&host->lock);
	return TAV_FAILED;
}

static tav_status host_bad_option(struct tav_self *self, uint32_t option, const char *text)
{
	struct host *host = host_of(self);
	const struct part *part = host->setup->part;

	if (!host->diags)
		return host_cause(host, __FILE__, __LINE__, "bad_option() was called outside create()");
	if (option >= part->option_count)
		return host_cause(host, __FILE__, __LINE__,
		                  "bad_option() was called for an option that is not declared");
	struct place place = host->setup->value_places[option];
	if (!place.text)
		place = host->setup->place.text ? host->setup->place
		                                : argument_place(&host->arena, "default of", part->name);
	diag_error(host->diags, place, "%s '%s', option '%s': %s", part->is_dialect ? "dialect" : "stage", part->name,
	           part->options[option].name, text ? text : "cannot be used");
	return TAV_FAILED;
}

static void *host_alloc(struct tav_self *self, size_t bytes)
{
	struct host *host = host_of(self);
	void *memory = NULL;

	pthread_mutex_lock(&host->lock);
	if (host->allocations_left)
		memory = arena_alloc(&host->arena, bytes);
	if (host->allocations_left && host->allocations_left != UINT64_MAX)
		host->allocations_left--;
	if (!memory)
		cause_add(&host->causes, "out of memory: %zu bytes", bytes);
	pthread_mutex_unlock(&host->lock);
	return memory;
}

static int32_t host_cancelled(struct tav_self *self)
{
	const struct run *run = host_of(self)->run;

	return run->cancelled && *run->cancelled;
}

struct call { /* of parallel() */
	struct tav_self *self;
	tav_status (*task)(struct tav_self *, uint32_t, void *);
	void *user;
};

static tav_status call_task(void *user, uint32_t i)
{
	const struct call *call = user;

	return call->task(call->self, i, call->user);
}

static tav_status host_parallel(struct tav_self *self, uint32_t n,
                                tav_status (*task)(struct tav_self *, uint32_t, void *), void *user)
{
	struct call call = {self, task, user};

	return parallel_run(host_of(self)->run->jobs, n, call_task, &call);
}

static const void *host_extension(struct tav_self *self, const char *id)
{
	(void)self;
	return id && !strcmp(id, TAV_OVERLAP_ID) ? &overlap_extension : NULL;
}

const struct tav_host host_table = {
        .struct_size = sizeof(struct tav_host),
        .abi_minor = TAV_ABI_MINOR,
        .log = host_log,
        .fail = host_fail,
        .bad_option = host_bad_option,
        .alloc = host_alloc,
        .cancelled = host_cancelled,
        .parallel = host_parallel,
        .source_count = view_source_count,
        .source = view_source,
        .column = view_column,
        .present = view_present,
        .order = view_order,
        .unusable = view_unusable,
        .label_count = view_label_count,
        .label = view_label,
        .value = view_value,
        .track = view_track,
        .metadata = view_metadata,
        .check = view_check,
        .finding = view_finding,
        .table = view_table,
        .metric = view_metric,
        .ratio = view_ratio,
        .extension = host_extension,
};

static bool is_input(const struct tav_option *option)
{
	return option->type == TAV_TYPE_INPUT;
}

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

	*host = (struct host){.run = run, .setup = setup, .stage = stage, .allocations_left = UINT64_MAX};
	pthread_mutex_init(&host->lock, NULL);
	host->values = arena_array(&host->arena, count, sizeof(*host->values));
	for (uint32_t i = 0; host->values && i < count; i++) {
		host->values[i] = own_value(host, setup->values[i]);
		if (!host->values[i])
			return false;
	}
	host->self = (struct tav_self){sizeof(host->self), 0, &host_table, host->values, NULL};
	return host->values;
}

/* Calls `act` for each single value of the options of one type. */
static bool each_value(struct host *host, uint32_t type, bool (*act)(struct host *, struct tav_value *, void *),
                       void *user)
{
	const struct part *part = host->setup->part;

	for (uint32_t i = 0; i < part->option_count; i++) {
		struct tav_value *value = (struct tav_value *)(uintptr_t)host->values[i]; /* made by own_value() */

		if (part->options[i].type != type)
			continue;
		if (!(part->options[i].flags & TAV_OPT_MANY)) {
			if (value->text.size && !act(host, value, user))
				return false;
			continue;
		}
		for (uint64_t j = 0; j < value->count; j++) {
			if (!act(host, (struct tav_value *)(uintptr_t)value->items[j], user))
				return false;
		}
	}
	return true;
}

static bool count_value(struct host *host, struct tav_value *value, void *user)
{
	(void)host;
	(void)value;
	++*(uint32_t *)user;
	return true;
}

static bool want_value(struct host *host, struct tav_value *value, void *user)
{
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
		host->fields[i] = wanted_add(wanted, part->fields[i].path, part->fields[i].type);
		if (host->fields[i] == TAV_NONE)
			return false;
	}
	host->field_count = part->field_count;
	return each_value(host, TAV_TYPE_FIELD, want_value, wanted);
}

struct input {
	const char *path;
	int64_t source;
};

static bool set_input(struct host *host, struct tav_value *value, void *user)
{
	const struct input *input = user;

	(void)host;
	if (!strcmp(value->text.data, input->path))
		value->integer = input->source;
	return true;
}

void host_set_input(struct host *host, const char *path, int64_t source)
{
	struct input input = {path, source};

	each_value(host, TAV_TYPE_INPUT, set_input, &input);
}

bool host_each_input(struct host *host, bool (*act)(void *user, const char *role, const char *path), void *user)
{
	const struct part *part = host->setup->part;

	for (uint32_t i = 0; i < part->option_count; i++) {
		const struct tav_value *value = host->values[i];
		bool is_many = part->options[i].flags & TAV_OPT_MANY;

		if (!is_input(&part->options[i]))
			continue;
		for (uint64_t j = 0; j < (is_many ? value->count : value->text.size > 0); j++) {
			if (!act(user, part->options[i].name, (is_many ? value->items[j] : value)->text.data))
				return false;
		}
	}
	return true;
}

tav_status host_check_status(struct host *host, const char *function, tav_status status)
{
	char text[64];

	if (status == TAV_OK)
		return TAV_OK;
	if (status == TAV_CANCELLED && host_cancelled(&host->self))
		return TAV_CANCELLED;
	if (status == TAV_FAILED && host->causes.outermost)
		return TAV_FAILED;
	if (status == TAV_FAILED)
		snprintf(text, sizeof(text), "its %s gave no reason", function);
	else
		snprintf(text, sizeof(text), "its %s returned %d, and nothing was cancelled", function, (int)status);
	return host_cause(host, NULL, 0, text);
}

tav_status host_create(struct host *host, struct diags *diags)
{
	const struct part *part = host->setup->part;
	tav_status (*create)(struct tav_self *) = part->is_dialect ? part->dialect.create : part->stage.create;
	tav_status status = TAV_OK;

	if (create) {
		unsigned errors_before = diags->error_count;

		host->diags = diags;
		crash_enter(part->is_dialect ? "dialect" : "stage", name_of(host));
		status = create(&host->self);
		crash_leave();
		host->diags = NULL;
		if (diags->error_count > errors_before)
			return TAV_FAILED;
		status = host_check_status(host, "create()", status);
	}
	host->is_created = !status;
	return status;
}

void host_fini(struct host *host)
{
	const struct part *part = host->setup->part;
	void (*destroy)(struct tav_self *) = part->is_dialect ? part->dialect.destroy : part->stage.destroy;

	if (host->is_created && destroy) {
		crash_enter(part->is_dialect ? "dialect" : "stage", name_of(host));
		destroy(&host->self);
		crash_leave();
	}
	arena_fini(&host->arena);
	causes_clear(&host->causes);
	pthread_mutex_destroy(&host->lock);
	host->is_created = false;
}
