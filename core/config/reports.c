/* SPDX-License-Identifier: Apache-2.0 */
/* The options of reports, which are set up as those of stages are. */
#include <string.h>

#include <config/config.h>
#include <plugin/describe.h>

const struct tav_value *report_value(const struct report_request *request, const char *name)
{
	const struct setup *setup = &request->setup;

	for (uint32_t i = 0; setup->part && i < setup->part->option_count; i++) {
		if (!strcmp(setup->part->options[i].name, name))
			return setup->values[i];
	}
	return NULL;
}

const struct tav_value *const *format_presets(struct arena *arena, const struct report_format *format, uint32_t *count)
{
	const struct tav_value **presets;
	struct diags diags = {0};
	struct option_reader reader = {arena, &diags, "its default", NULL};

	*count = 0;
	while (format->options && format->options[*count].name)
		++*count;
	presets = arena_array(arena, *count, sizeof(*presets));
	for (uint32_t i = 0; presets && i < *count; i++) {
		presets[i] = option_preset(&reader, &format->options[i]);
		if (!presets[i])
			presets = NULL;
	}
	diags_fini(&diags);
	return presets;
}

static struct part *format_part(struct arena *arena, const struct report_format *format)
{
	struct part *part = arena_alloc(arena, sizeof(*part));
	uint32_t count;
	const struct tav_value *const *presets = part ? format_presets(arena, format, &count) : NULL;

	if (!presets)
		return NULL;
	*part = (struct part){.name = format->name,
	                      .summary = format->summary,
	                      .options = format->options,
	                      .presets = presets,
	                      .option_count = count};
	return part;
}

bool describe_report(FILE *out, const char *format, unsigned width)
{
	const struct report_format *found = report_format_find(format);
	struct arena arena = {0};
	const struct part *part = found && found->options ? format_part(&arena, found) : NULL;

	if (part)
		describe_part(out, part, width);
	arena_fini(&arena);
	return part;
}

bool settle_report(struct config *config, struct report_request *request, const struct node *map, struct diags *diags)
{
	struct part *part = format_part(&config->arena, request->format);

	if (!part) {
		diags->is_out_of_memory = true;
		return false;
	}
	request->setup = (struct setup){.part = part, .id = part->name, .place = request->place};
	return settle_setup(config, &request->setup, map, diags);
}
