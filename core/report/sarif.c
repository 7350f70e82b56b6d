/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SARIF 2.1.0: a rule for each check and finding that was told, with the page of its stage, a result for each instance
 * of a finding, or for the check where there is none. Places are byte offsets in the (inflated) trace.
 */
#include <string.h>

#include <kit/text.h>
#include <report/facts_of.h>
#include <report/json_out.h>
#include <report/show.h>
#include <report/writers.h>

struct rule {
	uint32_t stage; /* TAV_NONE: of the host */
	struct tav_text id;
};
struct sarif {
	const struct report *report;
	struct json_out json;
	struct arena arena, scratch;
	struct rule *rules;
	uint32_t rule_count, rule_capacity;
	bool failed;
};

static const char *const levels[] = {"none", "error", "warning", "note"};

static uint32_t find_rule(const struct sarif *sarif, const struct fact *fact)
{
	for (uint32_t i = 0; i < sarif->rule_count; i++) {
		const struct rule *rule = &sarif->rules[i];

		if (rule->stage == fact->stage && rule->id.size == fact->id.size &&
		    !memcmp(rule->id.data, fact->id.data, fact->id.size))
			return i;
	}
	return TAV_NONE;
}

/* Rules are as many as ids are declared: few, whatever the traces. */
static bool note_rule(void *user, const struct fact *fact)
{
	struct sarif *sarif = user;

	if (find_rule(sarif, fact) != TAV_NONE)
		return true;
	if (sarif->rule_count == sarif->rule_capacity) {
		uint32_t capacity = sarif->rule_capacity ? sarif->rule_capacity * 2 : 32;
		struct rule *rules = arena_array(&sarif->arena, capacity, sizeof(*rules));

		if (!rules) {
			sarif->failed = true;
			return false;
		}
		if (sarif->rule_count)
			memcpy(rules, sarif->rules, sarif->rule_count * sizeof(*rules));
		sarif->rules = rules;
		sarif->rule_capacity = capacity;
	}
	sarif->rules[sarif->rule_count++] = (struct rule){fact->stage, fact->id};
	return true;
}

static const char *rule_id(struct sarif *sarif, uint32_t stage, struct tav_text id)
{
	const char *name = stage == TAV_NONE ? "tav" : sarif->report->stages[stage].name;
	const char *text = arena_printf(&sarif->scratch, "%s/%.*s", name, (int)id.size, id.data);

	sarif->failed |= !text;
	return text ? text : "";
}

static void emit_message(struct sarif *sarif, const char *key, const char *text)
{
	sarif->failed |= !text;
	emit_open(&sarif->json, key, '{');
	emit_chars(&sarif->json, "text", text && *text ? text : "-");
	emit_close(&sarif->json, '}');
}

static const struct tav_page *page_of(const struct sarif *sarif, const struct rule *rule)
{
	if (rule->stage == TAV_NONE)
		return NULL;
	const struct report_stage *stage = &sarif->report->stages[rule->stage];
	for (uint32_t i = 0; i < stage->page_count; i++) {
		if (strlen(stage->pages[i].id) == rule->id.size &&
		    !memcmp(stage->pages[i].id, rule->id.data, rule->id.size))
			return &stage->pages[i];
	}
	return NULL;
}

static void emit_rule(struct sarif *sarif, const struct rule *rule)
{
	const struct tav_page *page = page_of(sarif, rule);

	emit_open(&sarif->json, NULL, '{');
	emit_chars(&sarif->json, "id", rule_id(sarif, rule->stage, rule->id));
	if (page && page->summary)
		emit_message(sarif, "shortDescription", show_chars(&sarif->scratch, page->summary));
	if (page && page->text) {
		emit_open(&sarif->json, "help", '{');
		emit_chars(&sarif->json, "text", page->text);
		emit_close(&sarif->json, '}');
	}
	emit_close(&sarif->json, '}');
	arena_fini(&sarif->scratch);
}

/* A path as a URI reference: what is not plain is written as %XX. */
static const char *uri_of(struct sarif *sarif, const char *path)
{
	size_t size = strlen(path);
	char *uri = size < SIZE_MAX / 4 ? arena_alloc(&sarif->scratch, size * 3 + 1) : NULL, *end = uri;

	sarif->failed |= !uri;
	for (; uri && *path; path++) {
		if (strchr("-._~/", *path) || (*path >= '0' && *path <= '9') || (*path >= 'a' && *path <= 'z') ||
		    (*path >= 'A' && *path <= 'Z'))
			*end++ = *path;
		else
			end += sprintf(end, "%%%02X", (unsigned char)*path);
	}
	return uri ? uri : "";
}

static void emit_place(struct sarif *sarif, uint32_t source, const struct tav_event *event,
                       const struct read_error *error, const char *text)
{
	emit_open(&sarif->json, NULL, '{');
	emit_open(&sarif->json, "physicalLocation", '{');
	emit_open(&sarif->json, "artifactLocation", '{');
	emit_chars(&sarif->json, "uri", uri_of(sarif, sarif->report->sources[source].path));
	emit_size(&sarif->json, "index", source);
	emit_close(&sarif->json, '}');
	if (event) {
		emit_open(&sarif->json, "region", '{');
		emit_size(&sarif->json, "byteOffset", event->offset);
		emit_close(&sarif->json, '}');
	} else if (error) {
		emit_open(&sarif->json, "region", '{');
		emit_size(&sarif->json, "startLine", error->line);
		emit_size(&sarif->json, "startColumn", error->column ? error->column : 1);
		emit_close(&sarif->json, '}');
	}
	emit_close(&sarif->json, '}');
	if (text)
		emit_message(sarif, "message", text);
	emit_close(&sarif->json, '}');
}

static void emit_result_head(struct sarif *sarif, const struct fact *fact)
{
	emit_open(&sarif->json, NULL, '{');
	emit_chars(&sarif->json, "ruleId", rule_id(sarif, fact->stage, fact->id));
	emit_size(&sarif->json, "ruleIndex", find_rule(sarif, fact));
	emit_chars(&sarif->json, "level", levels[fact->level]);
}

/* With it CI servers count a result no more, and still list it; `number` 0: it counts. */
static void emit_suppression(struct sarif *sarif, uint32_t number)
{
	const char *words = number ? show_waiver(&sarif->scratch, sarif->report, number) : NULL;

	if (!number)
		return;
	sarif->failed |= !words;
	emit_open(&sarif->json, "suppressions", '[');
	emit_open(&sarif->json, NULL, '{');
	emit_chars(&sarif->json, "kind", "external");
	emit_chars(&sarif->json, "status", "accepted");
	emit_chars(&sarif->json, "justification", words);
	emit_close(&sarif->json, '}');
	emit_close(&sarif->json, ']');
}

static void emit_whole(struct sarif *sarif, const struct fact *fact)
{
	const char *text = fact->message                          ? show_chars(&sarif->scratch, fact->message)
	                   : fact->check && fact->check->why.size ? show_text(&sarif->scratch, fact->check->why)
	                   : fact->finding                        ? show_message(&sarif->scratch, fact->finding)
	                                                          : "-";

	emit_result_head(sarif, fact);
	emit_message(sarif, "message", text);
	if (fact->source != TAV_RUN) {
		emit_open(&sarif->json, "locations", '[');
		emit_place(sarif, fact->source, NULL, fact->place, NULL);
		emit_close(&sarif->json, ']');
	}
	emit_suppression(sarif, fact->waiver);
	emit_close(&sarif->json, '}');
}

static void emit_instance(struct sarif *sarif, const struct fact *fact, uint64_t instance)
{
	const struct tav_finding_result *finding = fact->finding;
	const struct tav_event *events = finding->events + instance * finding->events_each;
	const char *message = show_message(&sarif->scratch, finding);
	const char *measures = show_measures(&sarif->scratch, finding, instance);
	const char *event = finding->events_each ? show_event(&sarif->scratch, sarif->report, &events[0]) : "";
	const char *text = message && measures && event
	                           ? arena_printf(&sarif->scratch, "%s%s%s%s%s", message, *measures ? ": " : "",
	                                          measures, *event ? "; " : "", event)
	                           : NULL;

	emit_result_head(sarif, fact);
	emit_message(sarif, "message", text);
	for (uint32_t i = 0; i < finding->events_each; i++) {
		if (i < 2)
			emit_open(&sarif->json, i ? "relatedLocations" : "locations", '[');
		emit_place(sarif, events[i].source, &events[i], NULL,
		           show_event(&sarif->scratch, sarif->report, &events[i]));
		if (!i || i + 1 == finding->events_each)
			emit_close(&sarif->json, ']');
	}
	const struct waived *waived = finding_waived(finding);
	emit_suppression(sarif,
	                 waived->instances && waived->instances[instance] ? waived->instances[instance] : waived->rest);
	emit_close(&sarif->json, '}');
}

static bool emit_fact(void *user, const struct fact *fact)
{
	struct sarif *sarif = user;

	if (!fact->finding || !fact->finding->instance_count || !fact->finding->events_each)
		emit_whole(sarif, fact);
	for (uint64_t i = 0; fact->finding && fact->finding->events_each && i < fact->finding->instance_count; i++)
		emit_instance(sarif, fact, i);
	arena_fini(&sarif->scratch);
	return !sarif->failed;
}

/* Waivers that waive nothing: of the configuration, not of a trace. */
static void emit_notifications(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct json_out *json = &sarif->json;

	if (!report->waiver_count)
		return;
	emit_open(json, "toolConfigurationNotifications", '[');
	for (uint32_t i = 0; i < report->waiver_count; i++) {
		const struct waiver *waiver = &report->waivers[i];

		if (waiver->state == WAIVER_USED)
			continue;
		emit_open(json, NULL, '{');
		emit_chars(json, "level", "warning");
		emit_message(sarif, "message",
		             arena_printf(&sarif->scratch, "%s, line %u: %s waiver, %s", waiver->file, waiver->line,
		                          name_of(&waiver_names, waiver->state), show_until(&sarif->scratch, waiver)));
		emit_close(json, '}');
		arena_fini(&sarif->scratch);
	}
	emit_close(json, ']');
}

bool write_sarif(const struct report *report, const struct report_style *style, FILE *out)
{
	struct sarif sarif = {.report = report, .json = {.out = out}};
	struct json_out *json = &sarif.json;

	(void)style;
	report_each_fact(report, note_rule, &sarif);
	emit_open(json, NULL, '{');
	emit_chars(json, "$schema",
	           "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
	emit_chars(json, "version", "2.1.0");
	emit_open(json, "runs", '[');
	emit_open(json, NULL, '{');
	emit_open(json, "tool", '{');
	emit_open(json, "driver", '{');
	emit_chars(json, "name", "tav");
	emit_chars(json, "version", report->tool_version);
	emit_open(json, "rules", '[');
	for (uint32_t i = 0; i < sarif.rule_count; i++)
		emit_rule(&sarif, &sarif.rules[i]);
	emit_close(json, ']');
	emit_close(json, '}');
	emit_close(json, '}');
	emit_open(json, "artifacts", '[');
	for (uint32_t i = 0; i < report->source_count; i++) {
		emit_open(json, NULL, '{');
		emit_open(json, "location", '{');
		emit_chars(json, "uri", uri_of(&sarif, report->sources[i].path));
		emit_close(json, '}');
		emit_close(json, '}');
		arena_fini(&sarif.scratch);
	}
	emit_close(json, ']');
	emit_chars(json, "columnKind", "unicodeCodePoints");
	emit_open(json, "invocations", '[');
	emit_open(json, NULL, '{');
	emit_bool(json, "executionSuccessful", report_verdict(report) != VERDICT_ERROR);
	emit_notifications(&sarif);
	emit_close(json, '}');
	emit_close(json, ']');
	emit_open(json, "results", '[');
	report_each_fact(report, emit_fact, &sarif);
	emit_close(json, ']');
	emit_close(json, '}');
	emit_close(json, ']');
	emit_close(json, '}');
	arena_fini(&sarif.scratch);
	arena_fini(&sarif.arena);
	return !sarif.failed && !json->failed;
}
