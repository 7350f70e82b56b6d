/* SPDX-License-Identifier: Apache-2.0 */
/* Which dialect a source speaks, what each event is (traits, kind), on which track it ran, and what the host calls are.
 */
#ifndef CLASSIFY_CLASSIFY_H
#define CLASSIFY_CLASSIFY_H

#include <trace/store.h>

struct dialect { /* configured, in a call of its own for one source: several may be classified at the same time */
	const struct tav_dialect *descriptor; /* normalised */
	struct tav_self *self;
	const uint32_t *fields; /* wanted index of each declared field */
	struct causes *causes;  /* where its self->host->fail() puts them */
};

/* Adds to `wanted` what the dialect's rules and keys read beyond its declared fields. False: no memory. */
bool classify_want(struct wanted *wanted, const struct tav_dialect *descriptor);
/* What links, steps, names and the columns LINK and OPERATOR are made of: when a stage asks for them. */
bool classify_want_links(struct wanted *wanted, const struct tav_dialect *descriptor);

/*
 * The dialect of a source: index into `dialects`, or -1 when none of them recognises it (score 0), with a text that
 * names the candidates and their scores; ties go to the first. The reason is in the events' arena.
 */
int classify_probe(struct events *events, const struct dialect *dialects, uint32_t count, const char **reason,
                   struct causes *causes);

/* Fills all that struct events has "by classification". `dialect` NULL: threads only. TAV_FAILED: causes. */
tav_status classify_source(struct events *events, const struct dialect *dialect, struct causes *causes);

#endif
