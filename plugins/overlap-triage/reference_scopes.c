/* SPDX-License-Identifier: Apache-2.0 */
/* Section 12 as the reference has it: five frameworks, whose frames are preferred and whose paths are cut. */
#include <string.h>

#include "triage.h"

/* The reference's frameworks: what a path is cut to, and what a frame of it is worth. */
static const struct {
	const char *marker, *written;
} markers[] = {
        {"python/sglang/", "python/sglang/"},
        {"sgl_kernel/", "sgl_kernel/"},
        {"vllm/", "vllm/"},
        {"python/tokenspeed/", "python/tokenspeed/"},
        {"tokenspeed/", "tokenspeed/"},
        {"tensorrt_llm/", "tensorrt_llm/"},
        {"tensorrt-llm/", "tensorrt_llm/"},
};
static const struct {
	const char *prefix;
	int32_t score, priority;
} frameworks[] = {
        {"python/sglang/", 50, 300},     {"sglang/", 48, 290},     {"vllm/", 46, 285},
        {"python/tokenspeed/", 45, 283}, {"tokenspeed/", 45, 283}, {"tensorrt_llm/", 44, 280},
        {"sgl_kernel/", 30, 260},
};
bool reference_is_known(struct tav_text scope)
{
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(frameworks[0]); i++)
		if (text_starts(scope, frameworks[i].prefix))
			return true;
	return false;
}

/* What a frame of a framework is worth; the others keep theirs. */
void reference_worth(struct tav_text scope, int32_t *score, int32_t *priority)
{
	for (size_t i = sizeof(frameworks) / sizeof(frameworks[0]); i-- > 0;) {
		if (!text_starts(scope, frameworks[i].prefix))
			continue;
		*score = frameworks[i].score;
		*priority = frameworks[i].priority;
	}
}

struct tav_text reference_path(struct tav_self *self, struct tav_text path)
{
	size_t at;

	for (size_t i = 0; i < sizeof(markers) / sizeof(markers[0]); i++) {
		if ((at = text_find_lower(path, markers[i].marker)) == SIZE_MAX)
			continue;
		path = path_from(path, at + strlen(markers[i].marker));
		return text_format(self, "%s%.*s", markers[i].written, (int)path.size, path.data);
	}
	if ((at = text_find_lower(path, "sglang/")) != SIZE_MAX)
		return text_format(self, "python/%.*s", (int)(path.size - at), path.data + at);
	return path_from(path, 0);
}
