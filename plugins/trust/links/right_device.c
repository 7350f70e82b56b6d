/* SPDX-License-Identifier: Apache-2.0 */
#include <json.h>

#include "links.h"

/* The ids of the devices that the trace lists, as value ids of the source. */
static tav_status list_known(struct trust *trust, struct tav_map *known)
{
	static const char *const keys[] = {"deviceProperties", "computeProperties"};
	struct json list = {NULL, NULL}, device, id;

	tav_map_init(known, trust->self);
	for (unsigned i = 0; i < 2 && !json_is(&list, '['); i++)
		list = json_of(trust->host->metadata(trust->self, 0, keys[i]));
	for (bool more = json_first(&list, &device); more; more = json_next(&device)) {
		if (json_member(&device, "id", &id) && tav_map_text(known, json_plain(&id)) == TAV_NONE)
			return TAV_FAILED;
	}
	return TAV_OK;
}

static tav_status run(struct trust *trust, struct verdict *verdict)
{
	const uint32_t *device = trust->host->column(trust->self, 0, TAV_COL_FIELDS + FIELD_DEVICE);
	struct tav_map known;
	uint64_t examined = 0;
	uint32_t last = 0;
	bool is_known = true;

	if (!device)
		return tav_fail(trust->self, "the trace lacks a column");
	if (list_known(trust, &known))
		return TAV_FAILED;
	for (uint64_t i = 0; i < trust->device_count; i++) {
		tav_row row = trust->devices[i];

		if (!device[row])
			continue;
		examined++;
		if (device[row] != last) {
			last = device[row];
			is_known = !known.count ||
			           tav_map_find_text(&known, trust->host->value(trust->self, 0, last)) != TAV_NONE;
		}
		if (!is_known || device[row] != trust->pid[row])
			found(verdict, row);
	}
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "%s",
		             lacks_devices(trust) ? lacks_devices(trust) : "no device event states its device");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s lie%s on the rows of %s%s",
		             COUNTED(examined, "device event"), tav_does(examined),
		             examined == 1 ? "its device" : "their devices",
		             known.count ? "" : " (the trace lists no devices)");
	return judge(verdict, TRUST_WARN, examined,
	             "%s of %s state%s a device that is not their process, or is not listed; first: %s",
	             COUNTED(verdict->count, ""), COUNTED(examined, "device event"), tav_does(verdict->count),
	             NAME(trust, verdict->rows[0]));
}

static bool applies(const struct trust *trust)
{
	uint32_t flavour = trust->about->flavour;

	return trust->is_linked &&
	       (flavour == TAV_FLAVOUR_CUDA || flavour == TAV_FLAVOUR_SPYRE || flavour == TAV_FLAVOUR_XPU);
}

const struct trust_check check_right_device = {
        .id = "right_device",
        .question = "Do device and row agree?",
        .worst = TRUST_WARN,
        .text = "Device events are drawn on rows of a process that stands for the device. args.device must be that "
                "process, and one of those that the trace lists (deviceProperties). Else work of one device is "
                "counted for another.\n\nNot judged where devices are numbered in another way than rows (ROCm).",
        .remedy = "sort the events by args.device before you sum up by device",
        .applies = applies,
        .run = run,
};
