/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kit/crash.h>
#include <kit/text.h>
#include <plugin/describe.h>
#include <run/check_plugin.h>
#include <run/session.h>

/* What every plugin meets one day. */
static const struct {
	const char *name, *json;
} traces[] = {
        {"an empty event list", "{\"traceEvents\": []}"},
        {"one device event", "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k Cmpt Exec\", "
                             "\"pid\": 0, \"tid\": 7, \"ts\": 1,"
                             " \"dur\": 2, \"args\": {\"stream\": 7, \"TS1\": \"1\"}}]}"},
        {"nothing that it knows", "{\"traceEvents\": [{\"ph\": \"i\", \"name\": \"\", \"ts\": 1}, {\"ph\": \"M\", "
                                  "\"name\": \"x\", \"args\": {}},"
                                  " {\"ph\": \"X\", \"cat\": \"\\u0000\", \"name\": \"?\", \"pid\": \"p\", \"tid\": "
                                  "null, \"ts\": 5, \"dur\": 0}]}"},
        {"unusable times",
         "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a Cmpt Exec\", \"ts\": 1, \"dur\": -1,"
         " \"args\": {\"TS1\": 1}}, {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"b\", \"dur\": 1},"
         " {\"ph\": \"B\", \"cat\": \"kernel\", \"name\": \"c\", \"ts\": 3}]}"},
        {"overlaps, twice the same, zero length",
         "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\", \"ts\": 1, \"dur\": 9, \"args\": "
         "{\"stream\": 7}},"
         " {\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\", \"ts\": 1, \"dur\": 9, \"args\": {\"stream\": 7}},"
         " {\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"b\", \"ts\": 4, \"dur\": 0, \"args\": {\"stream\": 7}},"
         " {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"c\", \"ts\": 9223372036854775.5, \"dur\": 0.2}]}"},
};
enum { TRACE_COUNT = sizeof(traces) / sizeof(traces[0]), RICHEST = TRACE_COUNT - 1, MOST_ALLOCATIONS = 100 };

struct trial {
	const struct part *part;
	const struct part *dialect; /* of the trace, where the part is a stage */
	const char *trace, *name;
	bool is_cancelled;
	uint64_t allocations;
	bool may_fail;
};
struct tester {
	FILE *out;
	const struct run_options *options;
	unsigned trial_count, failed_count;
};

/* The text as a file that the reader can open; -1: not possible. */
static int open_text(const char *text)
{
	int fd = memfd_create("trial", MFD_CLOEXEC);
	size_t size = strlen(text);

	if (fd >= 0 && (write(fd, text, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool make_setup(struct config *config, struct setup **out, uint32_t *count, const struct part *part,
                       struct diags *diags)
{
	*out = arena_alloc(&config->arena, sizeof(**out));
	if (!*out)
		return false;
	**out = (struct setup){
	        .part = part, .id = part->name, .place = argument_place(&config->arena, "the plugin", part->name)};
	*count = 1;
	return settle_setup(config, *out, NULL, diags);
}

/* What went wrong, in the arena of the report; NULL: nothing. */
static const char *outcome(struct session *session, const struct trial *trial)
{
	static const volatile sig_atomic_t cancelled_at_once = 1;
	const struct report *report = &session->run.report;

	if (!session_create(session))
		return "create() failed";
	if (!session_open(session))
		return "out of memory";
	if (trial->is_cancelled)
		session->stages_cancelled = &cancelled_at_once;
	if (!session_look(session) || !session_combine(session))
		return "out of memory";
	if (report->sources[0].error)
		return report->sources[0].error;
	if (!report->stage_count)
		return NULL;
	return report->sources[0].results.stages[0].error ? report->sources[0].results.stages[0].error
	                                                  : report->run.stages[0].error;
}

/* True: the part is past its last allocation, so that more trials of that kind show nothing new. */
static bool run_trial(struct tester *tester, const struct trial *trial)
{
	struct config config = {.pipeline = "--check-plugin"};
	struct diags diags = {0};
	struct session session = {0};
	bool is_ok;
	int fd = open_text(trial->trace);
	const char *path = fd >= 0 ? arena_printf(&config.arena, "/proc/self/fd/%d", fd) : NULL;
	struct run_options options = *tester->options;
	const struct part *dialect = trial->part->is_dialect ? trial->part : trial->dialect;

	options.traces = &path;
	options.trace_count = 1;
	options.is_err_terminal = false;
	config.dialect = dialect ? dialect->name : NULL;
	config.dialect_from = "--check-plugin";
	is_ok = path && (!dialect || make_setup(&config, &config.dialects, &config.dialect_count, dialect, &diags)) &&
	        (trial->part->is_dialect ||
	         make_setup(&config, &config.stages, &config.stage_count, trial->part, &diags)) &&
	        session_init(&session, &config, &options);
	session.is_trial = true;
	session.trial_part = trial->part;
	session.trial_allocations = trial->allocations;
	const char *error = is_ok ? outcome(&session, trial) : "the trial cannot be set up: out of memory";
	bool is_failed = error && !trial->may_fail;
	if (is_failed || !trial->may_fail) {
		fprintf(tester->out, "  %-8s %s", is_failed ? "FAILED" : "ok", trial->name);
		if (is_failed) {
			fputs(": ", tester->out);
			text_print_escaped(tester->out, text_of(error));
		}
		putc('\n', tester->out);
	}
	fflush(tester->out); /* a crash comes without warning */
	tester->trial_count++;
	tester->failed_count += is_failed;
	bool is_past = !error;
	session_fini(&session);
	diags_fini(&diags);
	config_fini(&config);
	if (fd >= 0)
		close(fd);
	return is_past;
}

static const char *needed_option(const struct part *part)
{
	for (uint32_t i = 0; i < part->option_count; i++) {
		if (part->options[i].flags & TAV_OPT_REQUIRED && !part->options[i].preset)
			return part->options[i].name;
	}
	return NULL;
}

static void try_part(struct tester *tester, const struct part *part, struct registry *others)
{
	const char *needed = needed_option(part);
	struct trial trial = {.part = part, .allocations = UINT64_MAX};

	fprintf(tester->out, "\n%s '%s'\n", part->is_dialect ? "dialect" : "stage", part->name);
	if (needed) {
		fprintf(tester->out, "  not run: its option '%s' has no default\n", needed);
		return;
	}
	trial.dialect = part->is_dialect ? NULL : registry_find(others, true, "torch");
	for (unsigned i = 0; i < TRACE_COUNT; i++) {
		trial.name = traces[i].name;
		trial.trace = traces[i].json;
		run_trial(tester, &trial);
	}
	trial.name = "cancelled at once";
	trial.is_cancelled = true;
	run_trial(tester, &trial);
	trial.is_cancelled = false;
	trial.may_fail = true; /* with a cause; what it may not do is crash */
	trial.trace = traces[RICHEST].json;
	unsigned n = 0;
	do
		trial.allocations = n;
	while (!run_trial(tester, &trial) && ++n < MOST_ALLOCATIONS);
	if (n)
		fprintf(tester->out, "  ok       no memory at each of %u call%s of alloc()\n", n, n == 1 ? "" : "s");
	else
		fputs("  ok       it asks for no memory\n", tester->out);
}

/* A name that another plugin of this installation has: one of the two would never be found. */
static void check_name(struct tester *tester, const struct part *part, struct registry *others)
{
	const struct part *other = registry_find(others, part->is_dialect, part->name);

	if (!other || !strcmp(other->file->name, part->file->name)) /* itself, or another version of it */
		return;
	fprintf(tester->out, "\n%s '%s'\n  FAILED   the plugin '%s' has one of that name (",
	        part->is_dialect ? "dialect" : "stage", part->name, other->file->name);
	text_print_escaped(tester->out, text_of(other->file->path));
	fputs("); one of the two would never be found\n", tester->out);
	tester->trial_count++;
	tester->failed_count++;
}

int check_plugin(FILE *out, const char *path, struct registry *others, const struct run_options *options)
{
	struct registry registry = {0};
	struct tester tester = {out, options, 0, 0};
	struct plugin_file *file = registry_load(&registry, path);
	int status = EXIT_CANNOT;

	if (!file) {
		fputs("tav-run: error: out of memory\n", stderr);
	} else if (file->refused) {
		fprintf(stderr, "tav-run: error: %s was refused: ", path);
		text_print_escaped(stderr, text_of(file->refused));
		putc('\n', stderr);
	} else {
		for (const struct part *part = registry.parts; part; part = part->next)
			describe_part(out, part, 100);
		for (const struct part *part = registry.parts; part; part = part->next)
			check_name(&tester, part, others);
		for (const struct part *part = registry.parts; part; part = part->next)
			try_part(&tester, part, others);
		fprintf(out, "\n%u trials, %u failed\n", tester.trial_count, tester.failed_count);
		status = tester.failed_count ? 1 : 0;
	}
	registry_fini(&registry);
	return status;
}
