/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the host's table that shows the trace and takes the report. See <tav/plugin.h> for what each does. */
#ifndef PIPELINE_VIEW_H
#define PIPELINE_VIEW_H

#include <pipeline/host.h>

static inline struct host *host_of(struct tav_self *self)
{
	return (struct host *)(void *)((char *)self - offsetof(struct host, self));
}
tav_status host_cause(struct host *host, const char *file, uint32_t line, const char *text);

uint32_t view_source_count(struct tav_self *self);
const struct tav_source *view_source(struct tav_self *self, uint32_t source);
const void *view_column(struct tav_self *self, uint32_t source, uint32_t column);
const uint64_t *view_present(struct tav_self *self, uint32_t source, uint32_t column);
tav_status view_order(struct tav_self *self, uint32_t source, uint32_t traits, const struct tav_order **out);
const struct tav_unusable *view_unusable(struct tav_self *self, uint32_t source, uint64_t *count);
uint32_t view_label_count(struct tav_self *self);
struct tav_text view_label(struct tav_self *self, uint32_t label, struct tav_text *category);
struct tav_text view_value(struct tav_self *self, uint32_t value);
const struct tav_track *view_track(struct tav_self *self, uint32_t source, uint32_t track);
struct tav_text view_metadata(struct tav_self *self, uint32_t source, const char *key);
tav_status view_check(struct tav_self *self, uint32_t source, const char *id, uint32_t result, const char *why);
tav_status view_finding(struct tav_self *self, const struct tav_finding *finding);
tav_status view_table(struct tav_self *self, const struct tav_table *table);
tav_status view_metric(struct tav_self *self, uint32_t source, const char *id, int64_t value, uint32_t unit);
tav_status view_ratio(struct tav_self *self, uint32_t source, const char *id, double value, uint32_t unit);

#endif
