/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about a source that many stages need, each found once, at first use, from what the dialect says. None of it is
 * thread-safe: callers lock. What is returned lives until facts_free().
 */
#ifndef FACTS_FACTS_H
#define FACTS_FACTS_H

#include <tav/links.h>
#include <tav/steps.h>
#include <trace/store.h>

tav_status facts_links(struct events *events, const struct tav_link_list **out, struct causes *causes);
tav_status facts_steps(struct events *events, const struct tav_step_list **out, struct causes *causes);
/* The same as far as somebody asked already; NULL: nobody did. */
const struct tav_link_list *facts_links_found(const struct events *events);
const struct tav_step_list *facts_steps_found(const struct events *events);
/* Makes the column TAV_COL_LINK or TAV_COL_OPERATOR of the events, which few ask for; others are there. */
tav_status facts_column(struct events *events, uint32_t column, struct causes *causes);
/* What the trace calls a process (tid TAV_NONE) or a thread; size 0: nothing. False: no memory. */
bool facts_name(struct events *events, uint32_t pid, uint32_t tid, struct tav_text *out);
/* A member of the top-level object as JSON text; the keys in the order of the file. Size 0: not there, no more. */
bool facts_metadata(struct events *events, const char *key, struct tav_text *out);
bool facts_metadata_key(struct events *events, uint32_t index, struct tav_text *out);
void facts_free(struct events *events);

#endif
