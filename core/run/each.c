/* SPDX-License-Identifier: Apache-2.0 */
/* Reports whose paths hold words, such as json=out/{stem}.json: one for each source. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <config/template.h>
#include <kit/crash.h>
#include <report/file.h>
#include <report/one_source.h>
#include <run/session.h>

static int64_t rank_of(const struct report_source *source)
{
	return source->is_read ? source->facts.rank : -1;
}

static bool is_asked_for(const struct config *config, bool has_rank)
{
	for (uint32_t i = 0; i < config->report_count; i++) {
		if (config->reports[i].is_each && (!has_rank || config->reports[i].has_rank))
			return true;
	}
	return false;
}

bool each_check(struct session *session, bool has_ranks)
{
	const struct report *report = &session->run.report;
	const struct run_options *options = session->options;
	struct config_source *sources;
	struct diags diags = {.outcome = has_ranks ? "these reports were not written" : NULL};

	if (!is_asked_for(session->config, has_ranks))
		return true;
	sources = calloc((size_t)report->source_count + 1, sizeof(*sources));
	for (uint32_t i = 0; sources && i < report->source_count; i++)
		sources[i] = (struct config_source){report->sources[i].path, rank_of(&report->sources[i])};
	if (sources)
		config_check_files(session->config,
		                   &(struct config_files){.traces = options->traces,
		                                          .trace_count = options->trace_count,
		                                          .parts = options->parts,
		                                          .part_count = options->part_count,
		                                          .list = options->list_path,
		                                          .sources = sources,
		                                          .source_count = report->source_count,
		                                          .has_ranks = has_ranks},
		                   &diags);
	session->is_refused = diags_failed(&diags);
	if (session->is_refused)
		diags_print(options->err, &diags, options->is_err_coloured);
	diags_fini(&diags);
	free(sources);
	return sources;
}

bool each_check_ranks(struct session *session)
{
	if (!session->has_good_ranks && !session->has_bad_ranks) {
		session->has_bad_ranks = !each_check(session, true) || session->is_refused;
		session->has_good_ranks = !session->has_bad_ranks;
	}
	return session->has_good_ranks;
}

/* A reader that has gone away, such as `head`, has seen what it wanted. */
static bool is_enough(const char *path)
{
	return !strcmp(path, "-") && errno == EPIPE;
}

bool each_write_one(const struct session *session, const struct report_request *request, const struct report *report,
                    const char *path, struct report_style *style)
{
	const struct tav_value *max_bytes = report_value(request, "max_bytes");
	const struct tav_value *anonymous = report_value(request, "anonymous");
	bool is_folder = path_is_folder(path);
	struct causes causes = {0};
	tav_status status = TAV_OK;

	style->max_bytes = max_bytes ? (uint64_t)max_bytes->integer : 0;
	style->is_anonymous = anonymous && anonymous->integer;
	errno = 0;
	if (is_folder || request->is_each)
		status = file_make_folders(path, &causes);
	if (!status)
		status = is_folder ? request->format->write_folder(report, path, &causes)
		                   : report_write(report, request->format, path, style, &causes);
	bool is_ok = !status || is_enough(path);
	if (!is_ok)
		session_say(session, &causes);
	causes_clear(&causes);
	return is_ok;
}

/* All that are asked for of one source; of the only one it is what there is to report. */
static bool write_source(struct session *session, uint32_t number, struct report_style *style, bool has_ranks)
{
	const struct report *whole = &session->run.report;
	const struct config *config = session->config;
	const struct report_source *source = &whole->sources[number];
	struct report one = {0};
	struct causes causes = {0};
	struct arena scratch = {0};
	bool is_made = whole->source_count == 1 || report_one_source(whole, number, &one), is_ok = is_made;

	for (uint32_t i = 0; i < config->report_count && is_made && !crash_cancelled; i++) {
		const struct report_request *request = &config->reports[i];

		if (!request->is_each || !request->format->write || (request->has_rank && !has_ranks))
			continue;
		const char *path = template_fill(&scratch, request->path, source->path, rank_of(source));
		is_made = path;
		is_ok &= path && each_write_one(session, request, whole->source_count == 1 ? whole : &one, path, style);
	}
	if (!is_made) {
		cause_add(&causes, "out of memory for the reports of %s", source->path);
		session_say(session, &causes);
		causes_clear(&causes);
	}
	if (whole->source_count > 1)
		report_fini(&one);
	arena_fini(&scratch);
	return is_ok;
}

bool each_write(struct session *session, struct report_style *style)
{
	bool has_ranks = each_check_ranks(session), is_ok = has_ranks;

	for (uint32_t i = 0; i < session->run.report.source_count && is_asked_for(session->config, false); i++) {
		if (crash_cancelled)
			break;
		is_ok &= write_source(session, i, style, has_ranks);
	}
	return is_ok;
}
