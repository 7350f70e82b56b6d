/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tav/links.h - the extension "tav.links/1": which call of the host launched each device event.
 *
 * Device events and calls (RUNTIME or DRIVER) are linked when they agree in the dialect's link field: each event goes
 * by the first of the `link_fields` that it has, and both must go by the same one. A text that is missing, null, "",
 * 0 or a negative number links nothing. Of several calls with one link, the one that starts first launched (then the
 * one that ends last, then the first in the file). The link is ambiguous, and nobody is named, when such calls lie in
 * several processes, or when a process has more than two of them.
 * Computed once for a source, at first use. In each() only.
 */
#ifndef TAV_LINKS_H
#define TAV_LINKS_H

#include <tav/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAV_LINKS_ID "tav.links/1"

enum {                     /* why a device event has no launch */
       TAV_LINK_OK = 0,    /* it has one */
       TAV_LINK_NONE,      /* it carries no link */
       TAV_LINK_NO_CALL,   /* no call carries the same */
       TAV_LINK_AMBIGUOUS, /* several processes, or more than two calls of one, carry it */
       TAV_LINK_NOT_DEVICE /* the row is no device event */
};
/* Arrays over device events, in the order of their rows. */
struct tav_link_list {
	uint32_t struct_size, reserved;
	uint64_t count;           /* DEVICE rows that are intervals */
	const tav_row *rows;      /* ascending */
	const tav_row *launch;    /* the call, or TAV_NONE */
	const tav_row *operators; /* innermost HOST_OP on the thread of the launch around its start; TAV_NONE: none */
	const uint8_t *why;       /* TAV_LINK_... */
	const uint64_t
	        *is_first; /* bit i: of the events of one launch, the one that starts first (then the first row) */
	uint64_t linked_count, ambiguous_count, no_call_count, no_link_count;
	/* By row of the source: the place in the arrays above, TAV_NONE where the row is no device event. */
	const uint32_t *index;
	/* 1: the operator field repeats the link field here (Kineto of 2021 to 2023) and names no operator. */
	uint32_t operator_repeats_link, reserved2;
};

struct tav_links {
	uint32_t struct_size, reserved;
	tav_status (*links)(struct tav_self *, uint32_t source, const struct tav_link_list **out); /* [owner] */
};

#ifdef __cplusplus
}
#endif
#endif
