/* SPDX-License-Identifier: Apache-2.0 */
#include "coverage.h"

/* The last step is cut where it is shorter than half the median of the others. */
static uint32_t judged_steps(struct trust *trust, const struct tav_step_list *list, int64_t *lengths)
{
	uint32_t last = list->count - 1;

	(void)trust;
	if (!last)
		return list->count;
	for (uint32_t i = 0; i < last; i++)
		lengths[i] = list->steps[i].end_ns - list->steps[i].start_ns;
	return list->steps[last].end_ns - list->steps[last].start_ns < (lower_median(lengths, last) + 1) / 2
	               ? last
	               : list->count;
}

/* Numbers that do not follow each other. */
static uint64_t holes(const struct tav_step_list *list, struct verdict *verdict)
{
	uint64_t count = 0;

	for (uint32_t i = 1; i < list->count; i++) {
		int64_t before = list->steps[i - 1].number, number = list->steps[i].number;

		if (before < 0 || number < 0 || number == before + 1)
			continue;
		count++;
		found(verdict, list->steps[i].row);
	}
	return count;
}

static tav_status judge_counts(struct trust *trust, const struct tav_step_list *list, uint32_t judged, int64_t median,
                               struct verdict *verdict)
{
	double low = trust->self->options[OPT_STEP_LOW]->real, high = trust->self->options[OPT_STEP_HIGH]->real;
	const struct tav_step *first = NULL;

	for (uint32_t i = 0; i < judged && judged >= 3; i++) {
		double events = (double)list->steps[i].device_events;

		if (events >= low * (double)median && events <= high * (double)median)
			continue;
		first = first ? first : &list->steps[i];
		found(verdict, list->steps[i].row);
	}
	if (first)
		return judge(verdict, TRUST_WARN, judged,
		             "%s of %u steps differ%s much from the others in device work; first: %s with %s, the "
		             "median is %s",
		             COUNTED(verdict->count, ""), judged, tav_does(verdict->count), SHORT(first->name),
		             COUNTED(first->device_events, "device event"), COUNTED((uint64_t)median, ""));
	if (holes(list, verdict))
		return judge(verdict, TRUST_WARN, list->count, "the numbers of the steps have %s; first before %s",
		             COUNTED(verdict->count, "hole"), NAME(trust, verdict->rows[0]));
	return judge(verdict, TRUST_PASS, judged, "%s with device work, %s in the median%s", COUNTED(judged, "step"),
	             COUNTED((uint64_t)median, "device event"),
	             list->by_launch ? "" : " (by the device's own times: few events are linked)");
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const struct tav_steps *extension = trust->host->extension(trust->self, TAV_STEPS_ID);
	const struct tav_step_list *list;
	const struct tav_step *empty = NULL;
	uint32_t judged;
	int64_t *numbers;
	bool has_work = false;

	if (!extension)
		return tav_fail(trust->self, "the host does not offer %s", TAV_STEPS_ID);
	if (extension->steps(trust->self, 0, &list))
		return TAV_FAILED;
	if (!list->count)
		return does_not_apply(verdict);
	if (lacks_devices(trust))
		return judge(verdict, TRUST_INCONCLUSIVE, list->count, "%s", lacks_devices(trust));
	numbers = trust->host->alloc(trust->self, (size_t)list->count * sizeof(*numbers));
	if (!numbers)
		return TAV_FAILED;
	judged = judged_steps(trust, list, numbers);
	for (uint32_t i = 0; i < judged; i++) {
		numbers[i] = (int64_t)list->steps[i].device_events;
		has_work |= list->steps[i].device_events > 0;
		if (list->steps[i].device_events)
			continue;
		empty = empty ? empty : &list->steps[i];
		found(verdict, list->steps[i].row);
	}
	if (empty && has_work)
		return judge(verdict, TRUST_FAIL, judged, "%s of %u steps hold%s no device work; first: %s",
		             COUNTED(verdict->count, ""), judged, tav_does(verdict->count), SHORT(empty->name));
	if (empty)
		return judge(verdict, TRUST_WARN, judged, "no step holds device work");
	return judge_counts(trust, list, judged, lower_median(numbers, judged), verdict);
}

const struct trust_check check_steps = {
        .id = "steps",
        .question = "Has every step its device work?",
        .worst = TRUST_FAIL,
        .absent = "no steps",
        .text = "Device events belong to the step within which their launch starts. A step without any, while others "
                "have some, lost its records: a fail. Of three steps or more, one with less than half or more than one "
                "and a half times the median number of device events is a warning, and so are holes in the "
                "numbers.\n\nA last step that is shorter than half the others is cut off, and not judged. Steps are "
                "found by the dialect's option steps.",
        .remedy = "leave these steps out of any mean over steps",
        .run = run,
};
