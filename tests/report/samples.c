/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_samples DIR COUNT: writes COUNT reports in all formats to DIR/N.FORMAT, whose names, paths and texts are
 * random bytes with a taste for trouble; DIR/N.names holds the two kernels' names as bytes, each ended by 0xff 0x0a
 * 0xff.
 */
#include <inttypes.h>
#include <report_sample.h>

enum { MOST_PIECES = 12, LONGEST = 512 };

static uint64_t state;

static uint32_t next(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % limit;
}

static const char *const pieces[] = {
        "gemm",
        "=cmd|'/c calc'!A1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\"",
        "'",
        "\\",
        "\\n",
        "\n",
        "\r\nPASS  forged",
        "\x1b[32m",
        "<&>]]>",
        ",",
        "\t",
        "\x01",
        "\x7f",
        "\xc2\x85",
        "\xff",
        "\xc0\x80",
        "\xed\xa0\x80",
        "\xef\xbf\xbe",
        "\xef\xbf\xbf",
        "\xe2\x80\xae",
        "\xf0\x9f\x98\x80",
        "\xe2\x80\xa8",
        "%s%n",
        "\xc3",
        "nan",
        " ",
        "void very_long_kernel_name_with_many_template_arguments<float, 128, 256, true>(float const*, float*)",
};

static size_t make_text(char out[LONGEST], bool has_nul)
{
	size_t size = 0;

	for (uint32_t count = next(MOST_PIECES); count--;) {
		const char *piece = pieces[next(sizeof(pieces) / sizeof(pieces[0]))];
		size_t length = strlen(piece);

		if (size + length + 1 >= LONGEST)
			break;
		memcpy(out + size, piece, length);
		size += length;
		if (has_nul && next(16) == 0)
			out[size++] = '\0';
		if (next(8) == 0) {
			out[size] = (char)next(256);
			size += has_nul || out[size];
		}
	}
	out[size] = '\0';
	return size;
}

static bool fill(struct sample *sample, const char *words, struct tav_text name)
{
	const char *why = NULL;
	int64_t numbers[3] = {INT64_MIN, INT64_MAX, 1};
	double reals[3] = {1e-300, -1.5, 1e300};
	struct tav_text texts[3] = {name, {NULL, 0}, {"x", 1}};
	const uint64_t present = next(8);
	struct tav_series columns[] = {{"name", TAV_TYPE_STRING, TAV_UNIT_NONE, texts, NULL},
	                               {"time_ns", TAV_TYPE_INT, TAV_UNIT_NS, numbers, &present},
	                               {"share", TAV_TYPE_REAL, TAV_UNIT_RATIO, reals, &present},
	                               {"mean_ns", TAV_TYPE_REAL, TAV_UNIT_NS, reals, NULL},
	                               {"size_bytes", TAV_TYPE_INT, TAV_UNIT_BYTES, numbers, NULL}};
	struct report *report = &sample->report;
	bool is_fine = true;

	for (uint32_t source = 0; source < report->source_count; source++) {
		struct tav_table table = {.id = "table",
		                          .title = words,
		                          .row_count = next(4),
		                          .omitted_count = next(2),
		                          .columns = TAV_LIST(columns)};
		const struct tav_metric share = {
		        .id = "share", .type = TAV_TYPE_REAL, .real = reals[next(3)], .unit = TAV_UNIT_RATIO};
		uint32_t result = TAV_RESULT_PASS + next(4);

		is_fine &= sample_table(sample, 1, source, &table, &why);
		table.id = "data";
		table.show = TAV_SHOW_DATA;
		is_fine &= sample_table(sample, 1, source, &table, &why);
		is_fine &= sample_check(sample, 0, source, "looked", result,
		                        result == TAV_RESULT_SKIP || next(4) ? words : NULL);
		is_fine &= sample_metric(sample, 0, source, "overlaps", numbers[next(3)], TAV_UNIT_COUNT);
		is_fine &= results_add_metric(sample_results(sample, source), 1, TAV_BY_EACH, &share, &why);
		is_fine &= results_add_headline(sample_results(sample, source), next(2), TAV_BY_EACH, words, &why);
		if (next(2) && sample->sources[source].is_read)
			is_fine &= sample_add_overlap(sample, source, 1, &why);
	}
	const struct tav_event events[2] = {sample->events[report->source_count - 1][3], sample->events[0][2]};
	struct tav_finding finding = {.severity = TAV_SEV_NOTE + next(3),
	                              .id = "across",
	                              .message = words,
	                              .remedy = next(2) ? words : NULL,
	                              .refs_each = 1 + next(2),
	                              .count = 1 + next(2),
	                              .instance_count = 1,
	                              .events = events};
	is_fine &= sample_finding(sample, 1, TAV_RUN, &finding, &why);
	is_fine &= sample_metric(sample, 0, TAV_RUN, "overlaps", 0, TAV_UNIT_COUNT);
	if (!is_fine)
		fprintf(stderr, "report_samples: %s\n", why ? why : "(no reason)");
	return is_fine;
}

/* What was written as JSON is read, and all formats written of that must be the same bytes. */
static bool read_again(struct sample *sample, const struct report_style *style)
{
	char *json = sample_write(sample, "json", style);
	struct read_report read;
	struct read_error error;
	bool is_same = json && report_read_text(json, strlen(json), true, &read, &error);

	if (json && !is_same)
		fprintf(stderr, "report_samples: %lu:%lu: %s\n", (unsigned long)error.line, (unsigned long)error.column,
		        error.message);
	for (const struct report_format *format = report_formats; is_same && format->name; format++) {
		/* The trace has a writer of its own; the pages of SARIF's rules are the plugin's, and in no report. */
		if (!format->write || !strcmp(format->name, "sarif"))
			continue;
		struct sample again = {.report = read.report};
		char *first = sample_write(sample, format->name, style);
		char *second = sample_write(&again, format->name, style);

		is_same = first && second && !strcmp(first, second);
		if (!is_same)
			fprintf(stderr, "report_samples: the %s differs when it was read back\n", format->name);
		free(first);
		free(second);
	}
	if (json)
		read_report_fini(&read);
	free(json);
	return is_same;
}

static bool write_all(struct sample *sample, const char *directory, unsigned number)
{
	struct report_style style = {.width = 40 + next(80), .verbosity = (int)next(3)};
	struct causes causes = {0};
	char path[4096];
	bool is_written = true;

	for (const struct report_format *format = report_formats; format->name; format++) {
		if (!format->write)
			continue; /* the trace has a writer of its own */
		snprintf(path, sizeof(path), "%s/%u.%s", directory, number, format->name);
		is_written &= report_write(&sample->report, format, path, &style, &causes) == TAV_OK;
	}
	is_written &= read_again(sample, &style);
	causes_print(stderr, &causes, "report_samples", 1);
	causes_clear(&causes);
	return is_written;
}

static bool write_names(const struct tav_text names[2], const char *directory, unsigned number)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%u.names", directory, number);
	FILE *out = fopen(path, "w");
	if (!out)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		for (size_t j = 0; j < names[i].size; j++)
			fprintf(out, "%02x", (unsigned char)names[i].data[j]);
		putc('\n', out);
	}
	return fclose(out) == 0;
}

int main(int count, char **arguments)
{
	if (count != 3)
		return 2;
	for (unsigned number = 0; number < (unsigned)strtoul(arguments[2], NULL, 10); number++) {
		char first[LONGEST], second[LONGEST], words[LONGEST];
		struct sample sample;

		state = number;
		struct tav_text names[2] = {{first, make_text(first, true)}, {second, make_text(second, true)}};
		if (!make_text(words, false))
			strcpy(words, "-");
		bool is_fine = sample_init(&sample, 1 + next(SAMPLE_SOURCES), names);
		if (!is_fine)
			return 1;
		sample.sources[0].path = words;
		struct report_note note = {next(2), "bad_utf8", words, 1 + next(3), next(2), 5, 6};
		if (next(2)) {
			sample.sources[0].notes = &note;
			sample.sources[0].note_count = 1;
		}
		if (next(4) == 0)
			sample_break(&sample, sample.report.source_count - 1);
		if (next(4) == 0)
			sample.report.run.stages[1].error = words;
		sample.report.fail_on_warning = next(2);
		is_fine = is_fine && fill(&sample, words, names[1]) && write_all(&sample, arguments[1], number) &&
		          write_names(names, arguments[1], number);
		sample_fini(&sample);
		if (!is_fine) {
			fprintf(stderr, "report_samples: number %u failed\n", number);
			return 1;
		}
	}
	return 0;
}
