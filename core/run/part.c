/* SPDX-License-Identifier: Apache-2.0 */
/* --resume: a part that was done before and still holds is not done again. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <config/template.h>
#include <run/read_report.h>
#include <run/session.h>

static bool has_changed(const struct report_source *source)
{
	struct stat status;

	return stat(source->path, &status) || source->file_bytes != (uint64_t)status.st_size ||
	       source->mtime_ns != (uint64_t)status.st_mtim.tv_sec * 1000000000u + (uint64_t)status.st_mtim.tv_nsec;
}

/* Does the report hold what this run would find? Sources that could not be read are tried again. */
static bool holds(struct session *session, const struct report *old)
{
	const struct run_options *options = session->options;
	const struct report *report = &session->run.report;
	const struct report_part *part = old->part;

	if (!part || part->k != options->part_k || part->n != options->part_n || part->list_hash != options->list_hash)
		return false;
	if (!old->tool_version || strcmp(old->tool_version, report->tool_version) ||
	    report_difference(report, old, &session->run.report.arena) || old->source_count != options->trace_count)
		return false;
	for (uint32_t i = 0; i < old->source_count; i++) {
		if (strcmp(old->sources[i].path, options->traces[i]) || report_source_error(&old->sources[i]) ||
		    has_changed(&old->sources[i]))
			return false;
	}
	return true;
}

/* The files of the traces; what their ranks are is not known before they are read. */
static bool are_there(const struct session *session, const struct report_request *request)
{
	const struct run_options *options = session->options;
	struct arena scratch = {0};
	bool are_all = !request->has_rank;

	for (uint32_t i = 0; i < options->trace_count && are_all; i++) {
		const char *path = template_fill(&scratch, request->path, options->traces[i], -1);

		are_all = path && !access(path, F_OK);
	}
	arena_fini(&scratch);
	return are_all;
}

bool part_is_done(struct session *session)
{
	const struct config *config = session->config;
	uint32_t json_count = 0;

	for (uint32_t i = 0; i < config->report_count; i++) {
		const struct report_request *request = &config->reports[i];
		struct read_report read = {0};
		struct read_error error = {0};
		struct causes causes = {0};
		struct stat status;

		if (request->is_each) {
			if (!are_there(session, request))
				return false;
			continue;
		}
		if (!strcmp(request->path, "-") || stat(request->path, &status))
			return false;
		bool is_folder = request->format->write_folder && path_is_folder(request->path);
		if (is_folder ? !S_ISDIR(status.st_mode) : !S_ISREG(status.st_mode))
			return false;
		if (strcmp(request->format->name, "json"))
			continue;
		bool is_held = !report_read(request->path, &read, &error, &causes) && holds(session, &read.report);
		read_report_fini(&read);
		causes_clear(&causes);
		if (!is_held)
			return false;
		json_count++;
	}
	return json_count > 0;
}
