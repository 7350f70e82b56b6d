/* SPDX-License-Identifier: Apache-2.0 */
/* What the trace says of itself: rank, versions, the models of its devices. */
#include <string.h>

#include "diff.h"

const char *const about_names[ABOUT_COUNT] = {
        [A_DIALECT] = "dialect",
        [A_RANK] = "rank",
        [A_WORLD_SIZE] = "world_size",
        [A_TRACE_ID] = "trace_id",
        [A_CONTENT] = "content",
        [A_RECORD_SHAPES] = "record_shapes",
        [A_WITH_STACK] = "with_stack",
        [A_PROFILE_MEMORY] = "profile_memory",
        [A_CUDA_RUNTIME] = "cuda_runtime_version",
        [A_HIP_RUNTIME] = "hip_runtime_version",
        [A_CUDA_DRIVER] = "cuda_driver_version",
        [A_HIP_DRIVER] = "hip_driver_version",
        [A_IGNORE_NAMES] = "ignore_names",
};

/* A scalar without its quotes; of anything else nothing. */
static struct tav_text scalar(struct tav_text json)
{
	if (json.size >= 2 && *json.data == '"')
		return (struct tav_text){json.data + 1, json.size - 2};
	if (!json.size || strchr("{[", *json.data) || tav_text_is(json, "null"))
		return (struct tav_text){"", 0};
	return json;
}

/* ---- The list of devices ----------------------------------------------------------------------------------------- */
/* Behind the value that begins at `at`. */
static size_t skip_value(struct tav_text json, size_t at)
{
	uint32_t depth = 0;

	while (at < json.size) {
		char c = json.data[at++];

		if (c == '"') {
			while (at < json.size && json.data[at] != '"')
				at += json.data[at] == '\\' ? 2 : 1;
			at++;
		} else if (c == '{' || c == '[') {
			depth++;
		} else if (c == '}' || c == ']') {
			if (!depth--)
				return at - 1;
		}
		if (!depth && (at >= json.size || strchr(",]}", json.data[at])))
			return at;
	}
	return json.size;
}

static size_t skip_blank(struct tav_text json, size_t at)
{
	while (at < json.size && strchr(" \t\r\n", json.data[at]))
		at++;
	return at;
}

static struct tav_text part(struct tav_text json, size_t from, size_t to)
{
	while (to > from && strchr(" \t\r\n", json.data[to - 1]))
		to--;
	return (struct tav_text){json.data + from, to - from};
}

/* The next object of the list: its members "id" and "name". Returns 0 when there is none. */
static int next_device(struct tav_text json, size_t *at, struct tav_text *id, struct tav_text *name)
{
	*id = *name = (struct tav_text){"", 0};
	while (*at < json.size && json.data[*at] != '{')
		++*at;
	if (*at >= json.size)
		return 0;
	for (++*at; *at < json.size && json.data[*at] != '}';) {
		size_t from = skip_blank(json, *at), to = from + 1;
		struct tav_text key;

		if (from >= json.size || json.data[from] != '"') {
			*at = from + 1;
			continue;
		}
		while (to < json.size && json.data[to] != '"')
			to += json.data[to] == '\\' ? 2 : 1;
		key = part(json, from + 1, to < json.size ? to : json.size);
		from = skip_blank(json, to + 1);
		if (from >= json.size || json.data[from] != ':')
			return 0;
		from = skip_blank(json, from + 1);
		to = skip_value(json, from);
		if (tav_text_is(key, "id"))
			*id = scalar(part(json, from, to));
		else if (tav_text_is(key, "name"))
			*name = scalar(part(json, from, to));
		*at = to;
	}
	++*at;
	return 1;
}

/* "AIU 0" and "AIU 3" are one model. */
static struct tav_text model_of(struct tav_text name)
{
	size_t size = name.size;

	if (size < 5 || memcmp(name.data, "AIU ", 4))
		return name;
	while (size > 4 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9')
		size--;
	return size == 4 ? (struct tav_text){name.data, 3} : name;
}

struct tav_text about_model(struct tav_self *self, struct tav_text id)
{
	struct tav_text json = self->host->metadata(self, 0, "deviceProperties"), own, name;
	struct tav_text only = {"", 0};
	int is_one = 1, count = 0;

	for (size_t at = 0; next_device(json, &at, &own, &name);) {
		if (!tav_text_compare(own, id))
			return model_of(name);
		name = model_of(name);
		is_one &= !count++ || !tav_text_compare(name, only);
		only = name;
	}
	/* A device was renumbered (HIP_VISIBLE_DEVICES): where all in the list are alike, it is one of them. */
	return is_one ? only : (struct tav_text){"", 0};
}

/* ---- About the source -------------------------------------------------------------------------------------------- */
static struct tav_text number_text(struct tav_self *self, int64_t number)
{
	char *text = self->host->alloc(self, 24);

	if (!text || number < 0)
		return (struct tav_text){"", 0};
	return (struct tav_text){text, (size_t)snprintf(text, 24, "%lld", (long long)number)};
}

tav_status about_source(struct tav_self *self, struct source_sum *out)
{
	static const int keys[] = {A_TRACE_ID,     A_RECORD_SHAPES, A_WITH_STACK,  A_PROFILE_MEMORY,
	                           A_CUDA_RUNTIME, A_HIP_RUNTIME,   A_CUDA_DRIVER, A_HIP_DRIVER};
	const struct tav_source *about = self->host->source(self, 0);

	for (int i = 0; i < ABOUT_COUNT; i++)
		out->about[i] = (struct tav_text){"", 0};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		out->about[keys[i]] = scalar(self->host->metadata(self, 0, about_names[keys[i]]));
	out->about[A_DIALECT] = about->dialect;
	out->about[A_RANK] = number_text(self, about->rank);
	out->about[A_WORLD_SIZE] = number_text(self, about->world_size);
	out->about[A_IGNORE_NAMES] = settings_of(self)->pattern_text;
	return TAV_OK;
}
