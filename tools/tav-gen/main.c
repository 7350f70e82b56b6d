/* SPDX-License-Identifier: Apache-2.0 */
/* tav-gen: makes traces of any size with known answers. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"

enum { STATUS_OK = 0, STATUS_FAILED = 2 };
enum {
	OPT_EVENTS = 256,
	OPT_STREAMS,
	OPT_DEVICES,
	OPT_SHARE,
	OPT_OVERLAPS,
	OPT_NESTED,
	OPT_DEPTH,
	OPT_NAMES,
	OPT_RANK,
	OPT_WORLD,
	OPT_FAULT,
	OPT_FORM,
	OPT_STYLE,
	OPT_ORDER,
	OPT_NATIVE,
	OPT_DEFECT,
	OPT_GZ,
	OPT_SEED,
	OPT_ANSWERS,
	OPT_HELP
};

static const struct option long_options[] = {
        {"events", required_argument, NULL, OPT_EVENTS},
        {"streams", required_argument, NULL, OPT_STREAMS},
        {"devices", required_argument, NULL, OPT_DEVICES},
        {"device-share", required_argument, NULL, OPT_SHARE},
        {"overlaps", required_argument, NULL, OPT_OVERLAPS},
        {"nested", optional_argument, NULL, OPT_NESTED},
        {"python-depth", required_argument, NULL, OPT_DEPTH},
        {"names", required_argument, NULL, OPT_NAMES},
        {"rank", required_argument, NULL, OPT_RANK},
        {"world-size", required_argument, NULL, OPT_WORLD},
        {"fault", required_argument, NULL, OPT_FAULT},
        {"form", required_argument, NULL, OPT_FORM},
        {"style", required_argument, NULL, OPT_STYLE},
        {"order", required_argument, NULL, OPT_ORDER},
        {"native", no_argument, NULL, OPT_NATIVE},
        {"defect", required_argument, NULL, OPT_DEFECT},
        {"gz", optional_argument, NULL, OPT_GZ},
        {"seed", required_argument, NULL, OPT_SEED},
        {"answers", required_argument, NULL, OPT_ANSWERS},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, OPT_HELP},
        {NULL, 0, NULL, 0},
};

static void print_help(void)
{
	printf("Usage: tav-gen [OPTION...]\n"
	       "Writes a profiler trace whose right answers are known. The same options give the same bytes.\n\n"
	       "  --events N            objects in the event list (1000)\n"
	       "  --streams S           streams with device events (4); processes with --native\n"
	       "  --devices D           devices that share the streams (1)\n"
	       "  --device-share PCT    device events in a hundred, 0 to 100 (40)\n"
	       "  --overlaps K          events that overlap an earlier one of their stream (0)\n"
	       "  --nested[=one|deep]   all kernels of a stream under its first one, or each within the one before\n"
	       "  --python-depth D      a Python stack of that depth above the operators (0)\n"
	       "  --names N             distinct kernel names at most (2000)\n"
	       "  --rank R              rank in distributedInfo (0)\n"
	       "  --world-size W        ranks in distributedInfo (rank + 1)\n"
	       "  --form FORM           object, array, lines (object; with --native array)\n"
	       "  --style STYLE         kineto: printed as torch.profiler does; compact (kineto)\n"
	       "  --order ORDER         file: as they come; shuffled (file)\n"
	       "  --native              a native Spyre trace: B/E pairs with cycle stamps\n"
	       "  --gz[=LEVEL]          gzip, level 0 to 3 (1)\n"
	       "  --seed SEED           another trace of the same kind (1)\n"
	       "  --answers FILE        the right answers as JSON; -: to standard error\n"
	       "  -o, --output FILE     (standard output)\n"
	       "  --defect KIND         one thing wrong in the middle or at the end:\n");
	for (const struct defect *defect = defects; defect->name; defect++)
		printf("      %-16s  %s\n", defect->name, defect->help);
	printf("  --fault KIND          a trace that can be read and not be believed; what of overlaps the answers say "
	       "does\n"
	       "                        not hold then. In brackets the check of the pipeline trust that finds it:\n");
	for (const struct fault *fault = faults; fault->name; fault++)
		printf("      %-16s  %s (%s)\n", fault->name, fault->help, fault->check);
}

static bool read_number(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (end == text || *end || errno || *text == '-' || *out < min || *out > max) {
		fprintf(stderr, "tav-gen: error: --%s: \"%s\" is not a whole number from %" PRIu64 " to %" PRIu64 "\n",
		        option, text, min, max);
		return false;
	}
	return true;
}

static bool read_choice(const char *option, const char *text, const char *const *choices, unsigned *out)
{
	for (*out = 0; choices[*out]; ++*out)
		if (!strcmp(text, choices[*out]))
			return true;
	fprintf(stderr, "tav-gen: error: --%s: \"%s\" is none of", option, text);
	for (const char *const *choice = choices; *choice; choice++)
		fprintf(stderr, " %s", *choice);
	fprintf(stderr, "\n");
	return false;
}

struct command {
	struct gen_options options;
	const struct defect *defect;
	const struct fault *fault;
	const char *output, *answers;
	int gzip_level;
	bool has_form;
};

static bool read_option(struct command *command, int option, const char *text)
{
	static const char *const forms[] = {"object", "array", "lines", NULL},
	                         *const styles[] = {"kineto", "compact", NULL},
	                         *const orders[] = {"file", "shuffled", NULL},
	                         *const nestings[] = {"one", "deep", NULL};
	struct gen_options *options = &command->options;
	uint64_t level;
	unsigned choice;

	switch (option) {
	case OPT_EVENTS: /* rows of a trace are numbered with 32 bits */
		return read_number("events", text, 0, UINT32_MAX - 1, &options->events);
	case OPT_STREAMS:
		return read_number("streams", text, 1, 10000, &options->streams);
	case OPT_DEVICES:
		return read_number("devices", text, 1, 1000, &options->devices);
	case OPT_SHARE:
		return read_number("device-share", text, 0, 100, &options->device_share);
	case OPT_OVERLAPS:
		return read_number("overlaps", text, 0, UINT32_MAX, &options->overlaps);
	case OPT_DEPTH:
		return read_number("python-depth", text, 0, 900, &options->python_depth);
	case OPT_NAMES:
		return read_number("names", text, 1, 1000000, &options->kernel_names);
	case OPT_RANK:
		return read_number("rank", text, 0, 1000000, &options->rank);
	case OPT_WORLD:
		return read_number("world-size", text, 1, 10000000, &options->world_size);
	case OPT_FAULT:
		command->fault = fault_find(text);
		if (!command->fault)
			fprintf(stderr, "tav-gen: error: --fault: \"%s\" is unknown; see tav-gen --help\n", text);
		return command->fault != NULL;
	case OPT_SEED:
		return read_number("seed", text, 0, UINT64_MAX, &options->seed);
	case OPT_NESTED:
		if (!read_choice("nested", text ? text : "one", nestings, &choice))
			return false;
		options->nested = NESTED_ONE + choice;
		return true;
	case OPT_FORM:
		command->has_form = true;
		if (!read_choice("form", text, forms, &choice))
			return false;
		options->form = choice;
		return true;
	case OPT_STYLE:
		if (!read_choice("style", text, styles, &choice))
			return false;
		options->style = choice;
		return true;
	case OPT_ORDER:
		if (!read_choice("order", text, orders, &choice))
			return false;
		options->order = choice;
		return true;
	case OPT_GZ:
		if (!read_number("gz", text ? text : "1", 0, 3, &level))
			return false;
		command->gzip_level = (int)level;
		return true;
	case OPT_NATIVE:
		options->is_native = true;
		return true;
	case OPT_DEFECT:
		command->defect = defect_find(text);
		options->defect = text;
		if (!command->defect)
			fprintf(stderr, "tav-gen: error: --defect: \"%s\" is unknown; see tav-gen --help\n", text);
		return command->defect != NULL;
	case OPT_ANSWERS:
		command->answers = text;
		return true;
	case 'o':
		command->output = text;
		return true;
	default: /* getopt has said why */
		return false;
	}
}

static void write_trace(struct sink *sink, const struct command *command, const struct plan *plan,
                        struct answers *answers)
{
	const struct defect *defect = command->defect;
	const struct fault *fault = command->fault;
	const struct gen_options *options = &command->options;
	uint64_t middle = plan->meta_count + (plan->unit_count - plan->meta_count) / 2;
	bool is_first = true;

	write_head(sink, options, defect, fault);
	for (uint64_t unit = 0; unit < plan->unit_count && !sink->error; unit++) {
		struct event event;

		if (unit == middle && defect && defect->extra) {
			write_extra(sink, options, defect->extra, is_first);
			answers->events++;
			answers->unusable_events += defect->is_unusable;
			is_first = false;
		}
		if (unit == middle && fault && fault->extra) {
			write_extra(sink, options, fault->extra, is_first);
			answers->events++;
			is_first = false;
		}
		plan_event(plan, unit, &event);
		unsigned copies = fault && fault->plant ? fault->plant(plan, &event) : 1;
		for (unsigned i = 0; i < copies; i++) {
			write_event(sink, plan, &event, is_first);
			is_first = false;
		}
		if (unit == middle && defect && defect->is_cut) {
			sink->at -= 20;
			return;
		}
		for (unsigned i = 0; i < copies; i++)
			plan_tally(plan, &event, answers);
	}
	sink_room(sink);
	write_tail(sink, options, defect);
	plan_tally_streams(plan, answers);
}

static bool print_answers(const struct command *command, const struct answers *answers)
{
	static const char *const kinds[EVENT_KINDS] = {"device",     "runtime",  "operator", "python",
	                                               "flow_start", "flow_end", "step",     "device_step",
	                                               "prep",       "dma",      "metadata"};
	static const char *const device_kinds[DEVICE_KINDS] = {"kernel", "memcpy", "memset"};
	bool is_stderr = !strcmp(command->answers, "-");
	FILE *out = is_stderr ? stderr : fopen(command->answers, "w");

	if (!out) {
		fprintf(stderr, "tav-gen: error: cannot write %s: %s\n", command->answers, strerror(errno));
		return false;
	}
	fprintf(out,
	        "{\n  \"events\": %" PRIu64 ", \"bytes\": %" PRIu64 ",\n  \"device_events\": %" PRIu64
	        ", \"tracks\": %" PRIu64 ", \"measured_events\": %" PRIu64 ", \"measured_tracks\": %" PRIu64 ",\n",
	        answers->events, answers->bytes, answers->device_events, answers->tracks, answers->measured_events,
	        answers->measured_tracks);
	fprintf(out,
	        "  \"overlaps\": %" PRIu64 ", \"partial_overlaps\": %" PRIu64 ", \"overlap_pairs\": %" PRIu64
	        ", \"overlap_ns\": %" PRId64 ",\n  \"duplicate_records\": %" PRIu64
	        ", \"zero_duration_events\": %" PRIu64 ", \"unusable_events\": %" PRIu64 ",\n  \"defect\": ",
	        answers->overlaps, answers->partial_overlaps, answers->overlap_pairs, answers->overlap_ns,
	        answers->duplicate_records, answers->zero_duration_events, answers->unusable_events);
	if (command->defect)
		fprintf(out, "\"%s\"", command->defect->name);
	else
		fprintf(out, "null");
	fprintf(out, ", \"fault\": ");
	if (command->fault)
		fprintf(out, "{\"kind\": \"%s\", \"check\": \"%s\"}", command->fault->name, command->fault->check);
	else
		fprintf(out, "null");
	for (unsigned i = 0; i < DEVICE_KINDS; i++)
		fprintf(out, "%s\n    \"%s\": {\"count\": %" PRIu64 ", \"total_ns\": %" PRId64 "}",
		        i ? "," : ",\n  \"device_kinds\": {", device_kinds[i], answers->device_kinds[i].count,
		        answers->device_kinds[i].total_ns);
	for (unsigned i = 0; i < EVENT_KINDS; i++)
		fprintf(out, "%s\n    \"%s\": {\"count\": %" PRIu64 ", \"total_ns\": %" PRId64 "}",
		        i ? "," : "\n  },\n  \"kinds\": {", kinds[i], answers->kinds[i].count,
		        answers->kinds[i].total_ns);
	fprintf(out, "\n  }\n}\n");
	if (fflush(out) || ferror(out)) {
		fprintf(stderr, "tav-gen: error: cannot write %s: %s\n", command->answers, strerror(errno));
		if (!is_stderr)
			fclose(out);
		return false;
	}
	return is_stderr || fclose(out) == 0;
}

static int generate(const struct command *command, const struct plan *plan)
{
	struct answers answers = {0};
	struct sink sink = {0};
	int fd = STDOUT_FILENO;
	bool is_good;

	if (command->output && strcmp(command->output, "-")) {
		fd = open(command->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0) {
			fprintf(stderr, "tav-gen: error: cannot write %s: %s\n", command->output, strerror(errno));
			return STATUS_FAILED;
		}
	}
	is_good = sink_open(&sink, fd, command->gzip_level);
	if (is_good) {
		sink.damage = command->defect ? command->defect->damage : DAMAGE_NONE;
		write_trace(&sink, command, plan, &answers);
	} else {
		sink.error = "out of memory";
	}
	is_good = sink_close(&sink) && is_good;
	answers.bytes = sink.bytes;
	if (fd != STDOUT_FILENO && close(fd) && is_good) {
		sink.error = strerror(errno);
		is_good = false;
	}
	if (!is_good) {
		fprintf(stderr, "tav-gen: error: cannot write %s: %s\n",
		        command->output ? command->output : "standard output", sink.error);
		return STATUS_FAILED;
	}
	return !command->answers || print_answers(command, &answers) ? STATUS_OK : STATUS_FAILED;
}

int main(int argc, char **argv)
{
	struct command command = {
	        .options = {.events = 1000,
	                    .streams = 4,
	                    .devices = 1,
	                    .device_share = 40,
	                    .seed = 1,
	                    .kernel_names = 2000},
	        .gzip_level = -1,
	};
	struct names names = {0};
	struct plan plan;
	char why[256];
	int option, status = STATUS_FAILED;

	while ((option = getopt_long(argc, argv, "o:", long_options, NULL)) != -1) {
		if (option == OPT_HELP) {
			print_help();
			return fflush(stdout) ? STATUS_FAILED : STATUS_OK;
		}
		if (!read_option(&command, option, optarg))
			return STATUS_FAILED;
	}
	if (optind < argc) {
		fprintf(stderr, "tav-gen: error: \"%s\" is not expected\n", argv[optind]);
		return STATUS_FAILED;
	}
	if (command.options.is_native && !command.has_form)
		command.options.form = FORM_ARRAY;
	if (command.defect && command.defect->damage && command.gzip_level < 0) {
		fprintf(stderr, "tav-gen: error: --defect %s needs --gz\n", command.defect->name);
		return STATUS_FAILED;
	}
	if (command.fault && command.options.is_native) {
		fprintf(stderr, "tav-gen: error: --fault has no meaning in a native trace\n");
		return STATUS_FAILED;
	}
	if (command.options.devices > command.options.streams)
		command.options.devices = command.options.streams;
	if (!names_init(&names, (uint32_t)command.options.kernel_names))
		fprintf(stderr, "tav-gen: error: out of memory\n");
	else if (!plan_init(&plan, &command.options, &names, why, sizeof(why)))
		fprintf(stderr, "tav-gen: error: %s\n", why);
	else
		status = generate(&command, &plan);
	names_free(&names);
	return status;
}
