/* SPDX-License-Identifier: Apache-2.0 */
/* The stage operators: which operator, with which shapes, from which line of Python, costs device time. */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "insight.h"

enum { OPS_OPT_TOP, OPS_OPT_SORT, OPS_OPT_ROOTS, OPS_OPT_WINDOW, OPS_OPT_COUNT };
enum { SORT_DEVICE, SORT_INCLUSIVE, SORT_CALLS }; /* as the choices of the option */
enum { OPS_FIELD_DIMS, OPS_FIELD_OLD_DIMS, OPS_FIELD_TYPES };

/* How a device event came to its operator. */
enum how { HOW_CALL, HOW_ID, HOW_OUTSIDE, HOW_NO_LAUNCH, HOW_COUNT };

/* A row of `operators`. */
struct op {
	uint32_t device;
	uint32_t label; /* of the operator, or of the call where it was launched outside any; TAV_NONE: no launch */
	uint32_t is_call;
	uint64_t calls, kernels;
	int64_t device_ns, inclusive_ns, p50, max;
};
struct shape {
	uint32_t op, dims, types; /* value ids; 0: not recorded */
	uint64_t calls;
	int64_t device_ns;
};
struct line {
	uint32_t device, label;
	uint64_t kernels;
	int64_t device_ns;
};
struct operators {
	struct look look;
	struct tav_self *self;
	struct launches launches;
	tav_row *op_of;                          /* by place; TAV_NONE: none */
	uint8_t *how;                            /* by place */
	const uint32_t *dims, *old_dims, *types; /* NULL: no operator has them */
	struct op *ops;
	uint64_t op_count, op_size;
	struct shape *shapes;
	uint64_t shape_count;
	struct line *lines;
	uint64_t line_count;
	int64_t how_ns[HOW_COUNT];
	int64_t *device_ns, *attributed_ns; /* by device */
	bool has_shapes, has_python;
};
/* The part of a device event within the window. */
int64_t length_of(const struct look *look, uint32_t place);
struct tav_text op_name(const struct operators *all, const struct op *op, char out[NAME_SIZE]);
tav_status operators_tables(struct operators *all);
tav_status operators_say(struct operators *all);

#endif
