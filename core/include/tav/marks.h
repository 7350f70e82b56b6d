/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/marks.h - the extension "tav.marks/1": sets of rows that a stage leaves for the stages behind it, of one source.
 * In each() only.
 */
#ifndef TAV_MARKS_H
#define TAV_MARKS_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_MARKS_ID "tav.marks/1"

struct tav_marks {
	uint32_t struct_size, reserved;
	/* `bits`: bit r % 64 of word r / 64 for each row of source 0; copied; an id once a stage. [owner] */
	tav_status (*put)(struct tav_self *, const char *id, const uint64_t *bits);
	/*
	 * What the stage of that name (one of `needs`, or any before this one) put; NULL: nothing, since it is not in
	 * the pipeline, did not end well, or left no such mark. [any]
	 */
	const uint64_t *(*get)(struct tav_self *, const char *stage, const char *id);
};

#ifdef __cplusplus
}
#endif
#endif
