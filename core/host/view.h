/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the host's table: what is shown of events, and what is told. <tav/plugin.h> says what each does. */
#ifndef HOST_VIEW_H
#define HOST_VIEW_H

#include <host/host.h>
#include <tav/edits.h>
#include <tav/links.h>
#include <tav/marks.h>
#include <tav/steps.h>

/* The view of a source in this call; NULL: there are no events of it. */
struct view *call_view(const struct call *call, uint32_t source);
/* The report's number of a source in this call; TAV_NONE: there is no such source. TAV_RUN stays. */
uint32_t call_source(const struct call *call, uint32_t source);
struct results *call_results(const struct call *call, uint32_t source); /* NULL: none */

uint32_t view_source_count(struct tav_self *self);
const struct tav_source *view_source(struct tav_self *self, uint32_t source);
const void *view_column(struct tav_self *self, uint32_t source, uint32_t column);
const uint64_t *view_present(struct tav_self *self, uint32_t source, uint32_t column);
tav_status view_order(struct tav_self *self, uint32_t source, uint32_t traits, const struct tav_order **out);
const struct tav_unusable *view_unusable(struct tav_self *self, uint32_t source, uint64_t *count);
const struct tav_unmatched *view_unmatched(struct tav_self *self, uint32_t source, uint64_t *count);
uint32_t view_label_count(struct tav_self *self, uint32_t source);
struct tav_text view_label(struct tav_self *self, uint32_t source, uint32_t label, struct tav_text *category);
uint32_t view_label_call(struct tav_self *self, uint32_t source, uint32_t label);
struct tav_text view_value(struct tav_self *self, uint32_t source, uint32_t value);
uint32_t view_find_label(struct tav_self *self, uint32_t source, struct tav_text category, struct tav_text name);
uint32_t view_find_value(struct tav_self *self, uint32_t source, struct tav_text text);
const struct tav_track *view_track(struct tav_self *self, uint32_t source, uint32_t track);
struct tav_text view_name_of(struct tav_self *self, uint32_t source, uint32_t pid, uint32_t tid);
struct tav_text view_metadata(struct tav_self *self, uint32_t source, const char *key);
struct tav_text view_metadata_key(struct tav_self *self, uint32_t source, uint32_t index);
/* What is told of an event once it is gone. */
void marks_free(struct view *view);
struct event_room { /* for texts of numbers */
	struct intern_room pid, tid;
};
struct tav_event view_event(const struct view *view, tav_row row, struct event_room *room);

tav_status tell_check(struct tav_self *self, const struct tav_check *check);
tav_status tell_finding(struct tav_self *self, const struct tav_finding *finding);
tav_status tell_table(struct tav_self *self, const struct tav_table *table);
tav_status tell_metric(struct tav_self *self, const struct tav_metric *metric);
tav_status tell_headline(struct tav_self *self, uint32_t source, const char *text);

extern const struct tav_results results_extension;
extern const struct tav_marks marks_extension;
extern const struct tav_links links_extension;
extern const struct tav_steps steps_extension;
extern const struct tav_edits edits_extension;

#endif
