/* SPDX-License-Identifier: Apache-2.0 */
/* Which dialect a source speaks, what each event is (traits), and on which track it ran. */
#ifndef CLASSIFY_CLASSIFY_H
#define CLASSIFY_CLASSIFY_H

#include <trace/store.h>

/* A dialect, configured: its normalised descriptor, and the self whose host table the pipeline provides. */
struct dialect {
	const struct tav_dialect *descriptor;
	struct tav_self *self;
	const uint32_t *fields; /* wanted index of each declared field */
	struct causes *causes;  /* where its self->host->fail() puts them */
};

/* Adds to `wanted` what the dialect's rules and track keys read beyond its declared fields. False: no memory. */
bool classify_want(struct wanted *wanted, const struct tav_dialect *descriptor);

/*
 * The dialect of a source: index into `dialects`, or -1 when none of them recognises it (score 0), with a text that
 * names the candidates and their scores; ties go to the first. The reason is in the events' arena.
 */
int classify_probe(struct store *store, uint32_t source, const struct dialect *dialects, uint32_t count,
                   const char **reason, struct causes *causes);

/* Fills traits, track, tracks, device_count. TAV_FAILED: causes. */
tav_status classify_source(struct store *store, uint32_t source, const struct dialect *dialect, struct causes *causes);

#endif
