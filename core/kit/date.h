/* SPDX-License-Identifier: Apache-2.0 */
/* Days of the calendar, as numbers that compare as they do: 20270131. */
#ifndef KIT_DATE_H
#define KIT_DATE_H

#include <stdbool.h>
#include <stdint.h>

bool date_parse(const char *text, uint32_t *day); /* YYYY-MM-DD of a day that there is */
/* Of today (UTC), or of SOURCE_DATE_EPOCH where that is set. False: it holds no seconds. */
bool date_today(uint32_t *day);

#endif
