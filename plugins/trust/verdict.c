/* SPDX-License-Identifier: Apache-2.0 */
/* What checks say, and how it is told: a check line, a finding with its events, a row for the stage answers. */
#include "trust.h"

const char *trust_result_name(enum trust_result result)
{
	static const char *const names[] = {
	        [TRUST_PASS] = "pass",
	        [TRUST_NOTE] = "note",
	        [TRUST_WARN] = "warn",
	        [TRUST_FAIL] = "fail",
	        [TRUST_INCONCLUSIVE] = "inconclusive",
	        [TRUST_NOT_APPLICABLE] = "not_applicable",
	        [TRUST_LEFT_OUT] = "not_applicable",
	};

	return names[result];
}

void found(struct verdict *verdict, tav_row row)
{
	uint32_t at = verdict->row_count;

	verdict->count++;
	if (row == TAV_NONE || (at == TRUST_ROWS && row > verdict->rows[at - 1]))
		return;
	if (at == TRUST_ROWS)
		at--;
	else
		verdict->row_count++;
	for (; at && verdict->rows[at - 1] > row; at--)
		verdict->rows[at] = verdict->rows[at - 1];
	verdict->rows[at] = row;
}

void found_by(struct verdict *verdict, tav_row row, int64_t ns)
{
	found(verdict, row);
	if (verdict->has_worst && (ns < verdict->worst_ns || (ns == verdict->worst_ns && row > verdict->worst)))
		return;
	verdict->has_worst = true;
	verdict->worst_ns = ns;
	verdict->worst = row;
}

tav_status judge(struct verdict *verdict, enum trust_result result, uint64_t examined, const char *format, ...)
{
	va_list args;

	verdict->result = result;
	verdict->examined = examined;
	va_start(args, format);
	vsnprintf(verdict->why, sizeof(verdict->why), format, args);
	va_end(args);
	return TAV_OK;
}

tav_status does_not_apply(struct verdict *verdict)
{
	*verdict =
	        (struct verdict){.result = TRUST_NOT_APPLICABLE, .worst = TAV_NONE, .why = "nothing of that kind here"};
	return TAV_OK;
}

enum { NOTE_ROWS = 3 };

static tav_status tell_finding(struct tav_self *self, uint32_t source, const struct trust_check *check,
                               const struct verdict *verdict)
{
	static const uint32_t severities[] = {
	        [TRUST_NOTE] = TAV_SEV_NOTE, [TRUST_WARN] = TAV_SEV_WARNING, [TRUST_FAIL] = TAV_SEV_ERROR};
	struct tav_ref refs[TRUST_ROWS];
	/* Of what is harmless a few examples will do. */
	uint32_t limit = verdict->result == TRUST_NOTE ? NOTE_ROWS : TRUST_ROWS,
	         kept = verdict->row_count < limit ? verdict->row_count : limit, shown = source == TAV_RUN ? 0 : kept;
	struct tav_finding finding = {
	        .struct_size = sizeof(finding),
	        .severity = severities[verdict->result],
	        .id = check->id,
	        .message = verdict->why,
	        .source = source,
	        .refs_each = shown ? 1 : 0,
	        .count = verdict->count ? verdict->count : 1,
	        .instance_count = shown,
	        .refs = refs,
	        .remedy = verdict->result == TRUST_NOTE ? NULL : check->remedy,
	};

	for (uint32_t i = 0; i < shown; i++)
		refs[i] = (struct tav_ref){0, verdict->rows[i]};
	return self->host->finding(self, &finding);
}

tav_status trust_tell(struct tav_self *self, uint32_t source, const struct trust_check *check,
                      const struct verdict *verdict)
{
	static const uint32_t results[] = {[TRUST_PASS] = TAV_RESULT_PASS,
	                                   [TRUST_NOTE] = TAV_RESULT_PASS,
	                                   [TRUST_WARN] = TAV_RESULT_WARN,
	                                   [TRUST_FAIL] = TAV_RESULT_FAIL,
	                                   [TRUST_INCONCLUSIVE] = TAV_RESULT_SKIP};
	bool is_alarm = verdict->result == TRUST_WARN || verdict->result == TRUST_FAIL;

	if (verdict->result >= TRUST_NOT_APPLICABLE)
		return TAV_OK;
	if (tav_tell(self, source, check->id, results[verdict->result], verdict->count, verdict->examined, "%s",
	             verdict->why))
		return TAV_FAILED;
	return is_alarm || verdict->result == TRUST_NOTE ? tell_finding(self, source, check, verdict) : TAV_OK;
}

/* All verdicts as data, for `answers`: also of checks that do not apply, which have no line. */
static tav_status tell_verdicts(struct trust *trust, uint32_t count)
{
	struct tav_sheet sheet;
	uint32_t id, result, found_count, examined, worst, why;

	tav_sheet_init(&sheet, trust->self, count);
	sheet.show = TAV_SHOW_DATA;
	id = tav_sheet_column(&sheet, "id", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	result = tav_sheet_column(&sheet, "result", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	found_count = tav_sheet_column(&sheet, "count", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	examined = tav_sheet_column(&sheet, "examined", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	worst = tav_sheet_column(&sheet, "worst_ns", TAV_TYPE_INT, TAV_UNIT_NS, TAV_SHOW_COLUMN);
	why = tav_sheet_column(&sheet, "why", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_COLUMN);
	for (uint32_t i = 0; i < count; i++) {
		const struct verdict *verdict = &trust->verdicts[i];

		tav_sheet_chars(&sheet, id, i, trust->checks[i]->id);
		tav_sheet_chars(&sheet, result, i, trust_result_name(verdict->result));
		tav_sheet_count(&sheet, found_count, i, verdict->count);
		tav_sheet_count(&sheet, examined, i, verdict->examined);
		if (verdict->has_worst)
			tav_sheet_int(&sheet, worst, i, verdict->worst_ns);
		tav_sheet_chars(&sheet, why, i, verdict->why);
	}
	return tav_sheet_send(&sheet, 0, "verdicts", "Verdicts of all checks", 0);
}

/* "24 passed, 1 failed, 2 inconclusive; 10 do not apply: stamps, ..." */
static tav_status tell_summary(struct trust *trust, uint32_t count)
{
	static const char *const words[] = {[TRUST_PASS] = "passed",
	                                    [TRUST_NOTE] = "with a note",
	                                    [TRUST_WARN] = "warned",
	                                    [TRUST_FAIL] = "failed",
	                                    [TRUST_INCONCLUSIVE] = "inconclusive"};
	uint32_t counts[TRUST_RESULTS + 1] = {0};
	char text[1024];
	struct tav_sentence say = {text, sizeof(text), 0};
	struct tav_finding finding = {
	        .struct_size = sizeof(finding), .severity = TAV_SEV_NOTE, .id = "summary", .message = text, .count = 1};

	for (uint32_t i = 0; i < count; i++)
		counts[trust->verdicts[i].result]++;
	for (unsigned i = TRUST_PASS; i <= TRUST_INCONCLUSIVE; i++) {
		if (counts[i])
			tav_say(&say, "%s%u %s", say.used ? ", " : "", counts[i], words[i]);
	}
	if (counts[TRUST_NOT_APPLICABLE]) {
		const char *separator = ": ";

		tav_say(&say, "%s%u do%s not apply", say.used ? "; " : "", counts[TRUST_NOT_APPLICABLE],
		        counts[TRUST_NOT_APPLICABLE] == 1 ? "es" : "");
		for (uint32_t i = 0; i < count; i++) {
			if (trust->verdicts[i].result != TRUST_NOT_APPLICABLE)
				continue;
			tav_say(&say, "%s%s", separator, trust->checks[i]->id);
			separator = ", ";
		}
	}
	return trust->host->finding(trust->self, &finding);
}

static tav_status tell_missing_timing(struct trust *trust)
{
	struct tav_finding finding = {
	        .struct_size = sizeof(finding),
	        .severity = TAV_SEV_NOTE,
	        .id = "timing_missing",
	        .message = "the stage timing does not run before this one, so no device event is set aside for a time "
	                   "that cannot be",
	        .count = 1,
	        .remedy = "put the stage timing first",
	};

	return trust->is_timing_missing && trust->device_count ? trust->host->finding(trust->self, &finding) : TAV_OK;
}

static tav_status look(struct trust *trust, const struct trust_check *check, struct verdict *verdict)
{
	tav_status status = TAV_OK;

	does_not_apply(verdict);
	if (!check->applies || check->applies(trust))
		status = check->run(trust, verdict);
	if (verdict->result == TRUST_NOT_APPLICABLE && check->absent)
		snprintf(verdict->why, sizeof(verdict->why), "%s", check->absent);
	return status ? status : trust_tell(trust->self, 0, check, verdict);
}

tav_status trust_run(struct trust *trust, const struct trust_check *const *checks)
{
	uint32_t count = 0;
	tav_status status = TAV_OK;

	while (checks[count])
		count++;
	trust->checks = checks;
	trust->verdicts = trust->host->alloc(trust->self, count * sizeof(*trust->verdicts));
	if (!trust->verdicts)
		return TAV_FAILED;
	for (uint32_t i = 0; i < count && !status; i++) {
		if (trust->host->cancelled(trust->self))
			return TAV_CANCELLED;
		status = look(trust, checks[i], &trust->verdicts[i]);
	}
	if (!status)
		status = tell_missing_timing(trust);
	if (!status)
		status = tell_summary(trust, count);
	return status ? status : tell_verdicts(trust, count);
}

void trust_pages(const struct trust_check *const *checks, struct tav_page *pages)
{
	static const uint32_t severities[] = {
	        [TRUST_NOTE] = TAV_SEV_NOTE, [TRUST_WARN] = TAV_SEV_WARNING, [TRUST_FAIL] = TAV_SEV_ERROR};

	for (; *checks; checks++)
		*pages++ = (struct tav_page){(*checks)->id, TAV_TELLS_CHECK | TAV_TELLS_FINDING,
		                             severities[(*checks)->worst], (*checks)->question, (*checks)->text};
}
