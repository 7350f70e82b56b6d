/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts that a JSON report holds once: apart, for each source, those beyond 400 characters, and within a data table
 * each of them. They are numbered in the order in which the report comes to them.
 */
#ifndef REPORT_JSON_TEXTS_H
#define REPORT_JSON_TEXTS_H

#include <report/page_data.h>

enum { LONGEST_PLACED = 400 }; /* characters that a text may have where it is used */

struct json_texts {
	struct arena arena;
	struct table index; /* by address: results hold each text once */
	struct tav_text *items;
	uint32_t count, capacity;
};

/* Of what stands within the limit. False: no memory. */
bool json_texts_collect(struct json_texts *texts, const struct results *results, struct page_limit limit);
bool json_texts_add(struct json_texts *texts, struct tav_text text); /* one that is not there; false: no memory */
uint32_t json_texts_find(const struct json_texts *texts, struct tav_text text); /* TAV_NONE: stands where it is used */
void json_texts_fini(struct json_texts *texts);
/* Bytes of the part of a text that stands where it is used: all of it, or its first characters. */
size_t json_texts_placed(struct tav_text text);

#endif
