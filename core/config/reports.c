/* SPDX-License-Identifier: Apache-2.0 */
/* The options of reports, which are set up as those of stages are. */
#include <string.h>

#include <config/config.h>

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

bool settle_report(struct config *config, struct report_request *request, const struct node *map, struct diags *diags)
{
	const struct report_format *format = request->format;
	struct part *part = arena_alloc(&config->arena, sizeof(*part));
	const struct tav_value *const *presets;
	uint32_t count;

	if (!part || !(presets = format_presets(&config->arena, format, &count))) {
		diags->is_out_of_memory = true;
		return false;
	}
	*part = (struct part){.name = format->name,
	                      .summary = format->summary,
	                      .options = format->options,
	                      .presets = presets,
	                      .option_count = count};
	request->setup = (struct setup){.part = part, .id = format->name, .place = request->place};
	return settle_setup(config, &request->setup, map, diags);
}
