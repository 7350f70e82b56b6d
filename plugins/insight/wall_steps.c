/* SPDX-License-Identifier: Apache-2.0 */
/* Steps on a device: where they begin and end there, and how far they differ. */
#include "wall.h"

static void steps_of_device(struct wall *wall, uint32_t number)
{
	const struct tav_step_list *list = wall->steps;
	const struct tav_device_step *on_device = list->devices + (uint64_t)number * list->count;
	struct wall_device *device = &wall->devices[number];
	int64_t end = device->from;
	bool has_end = false;

	/* Cuts must ascend; a step without device work has none. */
	device->cuts[device->cut_count++] = (struct cut){INT64_MIN, 0};
	for (uint32_t i = 0; i < list->count; i++) {
		struct wall_step *step = &device->steps[i + 1];

		step->mark = &list->steps[i];
		step->begin_ns = on_device[i].begin_ns;
		step->is_open = on_device[i].is_open;
		step->has_device_time = list->by_launch ? step->events > 0 : 1;
		if (!step->has_device_time)
			continue;
		device->cuts[device->cut_count++] = (struct cut){on_device[i].begin_ns, i + 1};
		end = on_device[i].end_ns;
		has_end = true;
	}
	if (has_end)
		device->cuts[device->cut_count++] = (struct cut){end, list->count + 1};
}

/* The last step whose mark starts at `at` or before, where that is not behind the end of the last. */
static int32_t marked_at(const struct tav_step_list *list, int64_t at)
{
	uint32_t low = 0, high = list->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->steps[middle].start_ns <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low == list->count && at >= list->steps[low - 1].end_ns ? TAV_STEP_AFTER : (int32_t)low - 1;
}

/* Events launched within each step, also where steps are cut at host times. */
static void count_events(struct wall *wall, uint32_t number)
{
	const struct look *look = &wall->look;

	for (uint64_t i = look->first[number]; i < look->first[number + 1]; i++) {
		tav_row call = look->links->launch[look->places[i]];
		int32_t step = call == TAV_NONE ? TAV_STEP_OUTSIDE : wall->steps->step_of[look->places[i]];

		if (call != TAV_NONE && !wall->steps->by_launch)
			step = marked_at(wall->steps, look->start[call]);
		if (step >= 0)
			wall->devices[number].steps[step + 1].events++;
	}
}

tav_status wall_steps(struct wall *wall)
{
	struct tav_self *self = wall->self;
	const struct tav_steps *steps = self->host->extension(self, TAV_STEPS_ID);

	if (!steps || steps->steps(self, 0, &wall->steps))
		return tav_fail(self, "cannot find the steps");
	if (!wall->steps->count)
		return TAV_OK;
	if (wall->steps->device_count != wall->look.device_count)
		return tav_fail(self, "the steps are those of other devices");
	for (uint32_t i = 0; i < wall->look.device_count; i++) {
		struct wall_device *device = &wall->devices[i];

		if (!device->is_there)
			continue;
		device->cuts = take(self, (uint64_t)wall->steps->count + 2, sizeof(*device->cuts));
		device->steps = take(self, (uint64_t)wall->steps->count + 2, sizeof(*device->steps));
		if (!device->cuts || !device->steps)
			return TAV_FAILED;
		count_events(wall, i);
		steps_of_device(wall, i);
	}
	return TAV_OK;
}

/* Closed steps alone; an outlier is more than 4.5 mean deviations and 5 % off the median, from 4 steps on. */
tav_status wall_spread(const struct wall *wall, const struct wall_device *device, struct spread *spread,
                       uint64_t *is_outlier)
{
	uint64_t steps = wall->steps->count;
	int64_t *numbers = take(wall->self, 2 * steps + 1, sizeof(*numbers)), *spare = numbers + steps;

	*spread = (struct spread){0};
	if (!numbers)
		return TAV_FAILED;
	for (uint64_t i = 1; i <= steps; i++)
		if (device->steps[i].has_device_time && !device->steps[i].is_open)
			numbers[spread->count++] = parts_window(&device->steps[i].parts);
	if (!spread->count)
		return TAV_OK;
	sort_numbers(numbers, spare, spread->count);
	spread->min = numbers[0];
	spread->median = percentile(numbers, spread->count, 50);
	spread->max = numbers[spread->count - 1];
	for (uint64_t i = 0; i < spread->count; i++)
		numbers[i] = numbers[i] < spread->median ? spread->median - numbers[i] : numbers[i] - spread->median;
	sort_numbers(numbers, spare, spread->count);
	spread->deviation = percentile(numbers, spread->count, 50);
	spread->can_tell = spread->count >= 4;
	for (uint64_t i = 1; i <= steps && spread->can_tell; i++) {
		wide off = (wide)parts_window(&device->steps[i].parts) - spread->median;

		if (!device->steps[i].has_device_time || device->steps[i].is_open)
			continue;
		off = off < 0 ? -off : off;
		if (2 * off > 9 * (wide)spread->deviation && 20 * off > spread->median) {
			bit_set(is_outlier, i);
			spread->outliers++;
		}
	}
	return TAV_OK;
}
