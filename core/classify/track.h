/* SPDX-License-Identifier: Apache-2.0 */
/* Which track each event ran on: the dialect's keys and lanes for DEVICE events, the thread for all others. */
#ifndef CLASSIFY_TRACK_H
#define CLASSIFY_TRACK_H

#include <classify/classify.h>

/* Fields of a track's key that are columns of their own; all others are wanted as TAV_TYPE_STRING. */
bool track_key_is_column(const char *field);
/* Fills track, tracks and the counts of both; adds TAV_TRAIT_DEFAULT_TRACK. `dialect` NULL: threads only. */
tav_status track_assign(struct events *events, const struct dialect *dialect, struct causes *causes);

/* Numbers by value, before other texts, which go by their bytes: "2" < "10" < "a". 0: the same text. */
int track_compare_texts(struct tav_text a, struct tav_text b);

#endif
