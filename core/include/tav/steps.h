/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/steps.h - the extension "tav.steps/1": the steps of a source, and which device events belong to each.
 *
 * A step is a host interval with TAV_TRAIT_STEP; of equal names the first counts. An event belongs to the step within
 * which its launch starts. On a device, step n begins at the earliest start among the events launched within it, never
 * before step n - 1 began; it ends where step n + 1 begins. The last one ends at the first event launched after its
 * end, else with the window of the device, and is then `open`. Where fewer than half of the device events have a
 * launch, steps are cut at host times, and `by_launch` is 0.
 * Computed once for a source, at first use. In each() only.
 */
#ifndef TAV_STEPS_H
#define TAV_STEPS_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_STEPS_ID "tav.steps/1"

enum { TAV_STEP_BEFORE = -1, TAV_STEP_AFTER = -2, TAV_STEP_OUTSIDE = -3 /* between two steps, or no device event */ };

/* A step as the host marks it. Frozen. */
struct tav_step {
	struct tav_text name;
	tav_row row;
	uint32_t reserved;
	int64_t start_ns, end_ns; /* of the mark, on the host */
	int64_t number;           /* the digits at the end of its name; -1: none */
	uint64_t device_events;   /* that belong to it, on all devices */
	uint32_t is_short;        /* less than half of the median number of device events of the steps */
	uint32_t reserved2;
};
/* A step on one device. Frozen. */
struct tav_device_step {
	int64_t begin_ns, end_ns; /* [begin, end); equal: no device work of its own */
	uint64_t device_events;
	uint32_t is_open; /* the last mark, with nothing launched behind it: its end is that of the window */
	uint32_t reserved;
};
struct tav_step_list {
	uint32_t struct_size;
	uint32_t by_launch;
	uint32_t count, device_count;
	const struct tav_step *steps;          /* by start */
	const struct tav_device_step *devices; /* [device * count + step] */
	/* Windows of the devices: first start to last end of device events with length. */
	const int64_t *window_begin_ns, *window_end_ns;
	/* For each entry of the list of links ("tav.links/1"): its step, or TAV_STEP_... */
	const int32_t *step_of;
};

struct tav_steps {
	uint32_t struct_size, reserved;
	tav_status (*steps)(struct tav_self *, uint32_t source, const struct tav_step_list **out); /* [owner] */
};

#ifdef __cplusplus
}
#endif
#endif
