/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of each device, where some stage asked what they are: looking for them is no work of the picture. */
#include <picture/picture_of.h>

#include <facts/facts.h>

enum { STEP_BYTES = 160 }; /* about */

static void put_step(struct json_out *json, const struct picture *picture, const struct tav_step *step,
                     const struct tav_device_step *own, uint32_t device)
{
	int64_t from, to;

	if (__builtin_sub_overflow(own->begin_ns, picture->first_ns, &from) ||
	    __builtin_sub_overflow(own->end_ns, picture->first_ns, &to))
		return;
	emit_open_flat(json, NULL, '{');
	emit_size(json, "device", device);
	emit_text(json, "name", step->name);
	if (step->number < 0)
		emit_null(json, "number");
	else
		emit_integer(json, "number", step->number);
	emit_integer(json, "from", from);
	emit_integer(json, "to", to);
	emit_size(json, "events", own->device_events);
	emit_bool(json, "open", own->is_open);
	emit_bool(json, "short", step->is_short);
	emit_close(json, '}');
}

struct step_count put_steps(struct json_out *json, const struct picture *picture)
{
	const struct tav_step_list *list = facts_steps_found(picture->events);
	uint64_t most = picture->share / 8 / STEP_BYTES;
	struct step_count count = {0};

	if (!list) {
		emit_null(json, "steps");
		return count;
	}
	emit_open(json, "steps", '[');
	for (uint32_t device = 0; device < list->device_count; device++) {
		for (uint32_t i = 0; i < list->count; i++) {
			const struct tav_device_step *own = &list->devices[(size_t)device * list->count + i];

			if (own->begin_ns == own->end_ns)
				continue;
			if (count.all++ >= most)
				continue;
			put_step(json, picture, &list->steps[i], own, device);
			count.kept++;
		}
	}
	emit_close(json, ']');
	return count;
}
