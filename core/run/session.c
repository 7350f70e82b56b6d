/* SPDX-License-Identifier: Apache-2.0 */
/* The selves of a run: made, created, asked what they read, and taken down. */
#include <stdlib.h>
#include <string.h>

#include <kit/crash.h>
#include <run/session.h>

void session_say(const struct session *session, const struct causes *causes)
{
	if (!session->is_trial && session->options->err)
		causes_print(session->options->err, causes, "tav-run", session->options->verbosity >= 2);
}

bool session_init(struct session *session, const struct config *config, const struct run_options *options)
{
	struct run *run = &session->run;

	*session = (struct session){.config = config, .options = options};
	run->jobs = options->jobs ? options->jobs : 1;
	run->verbosity = options->verbosity;
	run->err = options->err;
	run->cancelled = &crash_cancelled;
	session->stages = calloc(config->stage_count + 1, sizeof(*session->stages));
	session->dialects = calloc(config->dialect_count + 1, sizeof(*session->dialects));
	return session->stages && session->dialects;
}

/* The named one alone; without a name all that can tell their own, and the one that takes any trace. */
static bool is_candidate(const struct config *config, const struct setup *setup)
{
	return config->dialect ? !strcmp(config->dialect, setup->part->name)
	                       : setup->part->dialect.probe || !strcmp(setup->part->name, "generic");
}

/* The options of a stage as they are in force. */
static bool describe_stage(struct session *session, uint32_t index)
{
	struct arena *arena = &session->run.report.arena;
	const struct setup *setup = session->stages[index].setup;
	const struct part *part = setup->part;
	uint32_t count = part->option_count;
	struct report_option *options = arena_array(arena, count, sizeof(*options));

	if (!options)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct tav_option *option = &part->options[i];
		const struct tav_value *value = setup->values[i];
		bool is_absent = !value->given && !option->preset;

		options[i].name = option->name;
		options[i].text = is_absent ? "" : option_value_yaml(option, value, arena);
		options[i].is_given = value->given;
		options[i].is_late = option->flags & TAV_OPT_LATE;
		if (!options[i].text)
			return false;
	}
	session->run.report.stages[index] = (struct report_stage){.name = part->name,
	                                                          .id = setup->id,
	                                                          .version = part->file->version,
	                                                          .options = options,
	                                                          .option_count = count,
	                                                          .pages = part->stage.pages.items,
	                                                          .page_count = part->stage.pages.count,
	                                                          .sums_up = part->stage.flags & TAV_STAGE_SUMS_UP};
	return true;
}

/*
 * `generic` will do where every stage can do without device work; or where a stage that sums up can, for it says of the
 * others what they could not look at.
 */
static bool needs_device(const struct session *session)
{
	bool is_needed = false;

	for (uint32_t i = 0; i < session->stage_count; i++) {
		uint32_t flags = session->stages[i].setup->part->stage.flags;

		if (flags & TAV_STAGE_SUMS_UP && flags & TAV_STAGE_NO_DEVICE_WORK)
			return false;
		is_needed |= !(flags & TAV_STAGE_NO_DEVICE_WORK);
	}
	return is_needed;
}

static bool make_stages(struct session *session)
{
	const struct config *config = session->config;
	struct report *report = &session->run.report;

	report->stages = arena_array(&report->arena, config->stage_count, sizeof(*report->stages));
	if (!report->stages)
		return false;
	report->stage_count = config->stage_count;
	for (uint32_t i = 0; i < config->stage_count; i++) {
		struct host *host = &session->stages[session->stage_count++];

		if (!host_init(host, &session->run, &config->stages[i], i) || !host_want(host, &session->run.wanted) ||
		    !describe_stage(session, i))
			return false;
		if (config->stages[i].part == session->trial_part)
			host->allocations = session->trial_allocations;
	}
	session->needs_device = needs_device(session);
	return true;
}

static bool create_stage(const struct session *session, struct host *host, struct diags *diags)
{
	unsigned errors_before = diags->error_count;
	struct causes causes = {0};

	if (!host_create(host, diags, &causes))
		return true;
	if (diags->error_count == errors_before) {
		cause_add(&causes, "stage '%s' could not be set up", host->setup->id);
		session_say(session, &causes);
	}
	causes_clear(&causes);
	return false;
}

/* What links events is read only where a stage says that it looks at links. */
static bool has_links(const struct session *session)
{
	for (uint32_t i = 0; i < session->stage_count; i++) {
		if (session->stages[i].setup->part->stage.flags & TAV_STAGE_LINKS)
			return true;
	}
	return false;
}

/* One of many candidates that does not start is no reason to end the run of those who do not need it. */
static bool create_dialect(struct session *session, const struct setup *setup, struct diags *diags)
{
	unsigned errors_before = diags->error_count;
	bool is_named = session->config->dialect != NULL;
	struct host *host = &session->dialects[session->dialect_count];
	struct wanted *wanted = &session->run.wanted;
	struct causes causes = {0};

	if (!host_init(host, &session->run, setup, TAV_NONE) || !host_want(host, wanted) ||
	    !classify_want(wanted, &setup->part->dialect) ||
	    (has_links(session) && !classify_want_links(wanted, &setup->part->dialect))) {
		host_fini(host);
		cause_add(&causes, "out of memory for dialect '%s'", setup->id);
		session_say(session, &causes);
		causes_clear(&causes);
		return false;
	}
	if (setup->part == session->trial_part)
		host->allocations = session->trial_allocations;
	if (!host_create(host, diags, &causes)) {
		const char *names = session->dialect_names;

		session->dialect_count++;
		session->dialect_names = arena_printf(&session->run.report.arena, "%s%s%s", names ? names : "",
		                                      names ? ", " : "", setup->id);
		return session->dialect_names;
	}
	bool is_told = diags->error_count > errors_before;
	if (!is_told) {
		cause_add(&causes, "dialect '%s' could not be set up%s", setup->id,
		          is_named ? "" : "; the run goes on without it");
		session_say(session, &causes);
	}
	causes_clear(&causes);
	host_fini(host);
	return !is_told && !is_named;
}

bool session_create(struct session *session)
{
	const struct config *config = session->config;
	struct diags diags = {0};
	struct causes causes = {0};
	bool is_ok = make_stages(session);

	if (!is_ok) {
		cause_add(&causes, "out of memory");
		session_say(session, &causes);
		causes_clear(&causes);
	}
	for (uint32_t i = 0; is_ok && i < session->stage_count; i++)
		is_ok &= create_stage(session, &session->stages[i], &diags);
	for (uint32_t i = 0; is_ok && i < config->dialect_count; i++)
		is_ok &= !is_candidate(config, &config->dialects[i]) ||
		         create_dialect(session, &config->dialects[i], &diags);
	if (diags_failed(&diags) && !session->is_trial && session->options->err)
		diags_print(session->options->err, &diags, session->options->is_err_coloured);
	is_ok &= !diags_failed(&diags);
	diags_fini(&diags);
	return is_ok;
}

void session_fini(struct session *session)
{
	struct run *run = &session->run;

	for (uint32_t i = 0; i < session->stage_count; i++)
		host_fini(&session->stages[i]);
	for (uint32_t i = 0; i < session->dialect_count; i++)
		host_fini(&session->dialects[i]);
	for (uint32_t i = 0; i < session->companion_count; i++) {
		if (session->companions[i].view.events)
			view_fini(&session->companions[i].view);
		read_job_fini(&session->companions[i].job);
	}
	free(session->companions);
	free(session->items);
	free(session->stages);
	free(session->dialects);
	rewrite_fini(session);
	report_fini(&run->report);
	for (uint32_t i = 0; i < session->read_count; i++)
		read_report_fini(&session->reads[i]);
	free(session->reads);
	wanted_fini(&run->wanted);
}
