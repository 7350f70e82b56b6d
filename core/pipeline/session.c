/* SPDX-License-Identifier: Apache-2.0 */
/* The selves of a run: made, created, asked what they read, and taken down. */
#include <stdlib.h>
#include <string.h>

#include <pipeline/crash.h>
#include <pipeline/session.h>

void session_say(const struct session *session, const struct causes *causes)
{
	if (!session->is_trial)
		causes_print(stderr, causes, "tav-run", session->options->verbosity >= 2);
}

const char *causes_line(const struct causes *causes, struct arena *arena)
{
	const char *line = NULL;

	for (const struct cause *cause = causes->outermost; cause; cause = cause->deeper) {
		line = line ? arena_printf(arena, "%s: %s", line, cause->text) : cause->text;
		if (!line)
			return NULL;
	}
	return line ? arena_copy(arena, line, strlen(line)) : "unknown reason";
}

bool session_init(struct session *session, const struct config *config, const struct run_options *options)
{
	struct run *run = &session->run;

	*session = (struct session){.config = config, .options = options};
	pthread_mutex_init(&run->lock, NULL);
	run->jobs = options->jobs;
	run->verbosity = options->verbosity;
	run->cancelled = &crash_cancelled;
	if (!store_init(&run->store))
		return false;
	session->stages = calloc(config->stage_count + 1, sizeof(*session->stages));
	session->dialect_hosts = calloc(config->dialect_count + 1, sizeof(*session->dialect_hosts));
	session->dialects = calloc(config->dialect_count + 1, sizeof(*session->dialects));
	return session->stages && session->dialect_hosts && session->dialects;
}

/* The named one alone; without a name all that can tell their own. */
static bool is_candidate(const struct config *config, const struct setup *setup)
{
	return config->dialect ? !strcmp(config->dialect, setup->part->name) : setup->part->dialect.probe != NULL;
}

static bool make_hosts(struct session *session)
{
	const struct config *config = session->config;

	for (uint32_t i = 0; i < config->stage_count; i++) {
		session->stage_count++;
		if (!host_init(&session->stages[i], &session->run, &config->stages[i], i) ||
		    !host_want(&session->stages[i], &session->run.store.wanted))
			return false;
	}
	for (uint32_t i = 0; i < config->dialect_count; i++) {
		struct host *host = &session->dialect_hosts[session->dialect_count];

		if (!is_candidate(config, &config->dialects[i]))
			continue;
		session->dialect_count++;
		if (!host_init(host, &session->run, &config->dialects[i], TAV_NONE) ||
		    !host_want(host, &session->run.store.wanted) ||
		    !classify_want(&session->run.store.wanted, &host->setup->part->dialect))
			return false;
		session->dialects[session->dialect_count - 1] =
		        (struct dialect){&host->setup->part->dialect, &host->self, host->fields, &host->causes};
	}
	return true;
}

static bool create_stage(const struct session *session, struct host *host, struct diags *diags)
{
	unsigned errors_before = diags->error_count;

	if (host->setup->part == session->trial_part)
		host->allocations_left = session->trial_allocations;
	if (!host_create(host, diags))
		return true;
	if (diags->error_count == errors_before) {
		cause_add(&host->causes, "stage '%s' could not be set up", host->setup->id);
		session_say(session, &host->causes);
	}
	return false;
}

/* One of many candidates that does not start is no reason to end the run of those who do not need it. */
static bool create_dialect(struct session *session, struct host *host, struct diags *diags)
{
	unsigned errors_before = diags->error_count;
	bool is_named = session->config->dialect != NULL;

	if (host->setup->part == session->trial_part)
		host->allocations_left = session->trial_allocations;
	if (!host_create(host, diags)) {
		session->dialects[session->candidate_count++] =
		        (struct dialect){&host->setup->part->dialect, &host->self, host->fields, &host->causes};
		session->candidate_names = arena_printf(&session->run.arena, "%s%s%s",
		                                        session->candidate_names ? session->candidate_names : "",
		                                        session->candidate_names ? ", " : "", host->setup->id);
		return session->candidate_names;
	}
	if (diags->error_count > errors_before)
		return false;
	cause_add(&host->causes, "dialect '%s' could not be set up%s", host->setup->id,
	          is_named ? "" : "; the run goes on without it");
	session_say(session, &host->causes);
	causes_clear(&host->causes);
	return !is_named;
}

bool session_create(struct session *session)
{
	struct diags diags = {0};
	bool is_ok = make_hosts(session);

	if (!is_ok)
		fputs("tav-run: error: out of memory\n", stderr);
	for (uint32_t i = 0; is_ok && i < session->stage_count; i++)
		is_ok &= create_stage(session, &session->stages[i], &diags);
	for (uint32_t i = 0; is_ok && i < session->dialect_count; i++)
		is_ok &= create_dialect(session, &session->dialect_hosts[i], &diags);
	if (diags_failed(&diags) && !session->is_trial)
		diags_print(stderr, &diags, session->options->is_err_coloured);
	is_ok &= !diags_failed(&diags);
	diags_fini(&diags);
	return is_ok;
}

void session_fini(struct session *session)
{
	struct run *run = &session->run;

	/* Selves first: until destroy() has returned, a plugin may look at everything it was shown. */
	for (uint32_t i = 0; i < session->stage_count; i++)
		host_fini(&session->stages[i]);
	for (uint32_t i = 0; i < session->dialect_count; i++)
		host_fini(&session->dialect_hosts[i]);
	crash_forget();
	for (uint32_t i = 0; session->jobs && i < session->job_count; i++)
		read_job_fini(&session->jobs[i]);
	free(session->jobs);
	free(session->roles);
	free(session->is_analysed);
	free(session->stages);
	free(session->dialect_hosts);
	free(session->dialects);
	run_forget_views(run);
	report_fini(&run->report);
	store_fini(&run->store);
	arena_fini(&run->arena);
	pthread_mutex_destroy(&run->lock);
}
