/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that cross the border between plugin and host, taken into ours: a shorter one (of an older header) is filled
 * up with zeros, a longer one must hold nothing but zeros behind what this host knows.
 */
#ifndef REPORT_TAKE_H
#define REPORT_TAKE_H

#include <stdbool.h>

#include <tav/plugin.h>

/* `oldest`: bytes that every version has. False: `why` says what is wrong with the struct. */
bool take_struct(void *target, size_t target_size, const void *given, size_t oldest, const char **why);
/* `member`: the last one of the first version that cannot be done without. */
#define TAKE(target, given, type, member, why)                                                                         \
	take_struct(target, sizeof(struct type), given, offsetof(struct type, member) + sizeof((target)->member), why)

/* Item i of a list whose items may be shorter than ours. */
struct tav_series take_series_at(const struct tav_series_list *list, uint32_t i);
/* All of them, to be freed; NULL: `why`. */
struct tav_series *take_series(const struct tav_series_list *list, const char **why);

#endif
