/* SPDX-License-Identifier: Apache-2.0 */
/* A trace written once more: every byte that no edit names is copied. */
#ifndef WRITE_WRITE_H
#define WRITE_WRITE_H

#include <signal.h>
#include <write/edits.h>

struct rewrite {
	const char *input;             /* as it was read */
	uint64_t mtime_ns, file_bytes; /* of it, when it was read */
	uint32_t form;                 /* TAV_FORM_... */
	uint64_t time_unit;            /* of its times, in ns */
	const struct edits *edits;     /* settled; NULL: a copy */
	const char *provenance;        /* JSON of the member "tav"; NULL: none. Of several: without its last '}' */
	const char *origin; /* of several: an object that says whose events these are, without its last '}' */
	unsigned threads;
	const volatile sig_atomic_t *cancelled;
};
/*
 * The output is gzip where `path` ends in ".gz". Several are joined: what stands around the events is that of the
 * first; the members of the others stand in the first one's "tav", as {"sources": [{origin, "members": {..}}]}. The
 * edits of all of them must be there. TAV_FAILED: `causes`, and no file.
 */
tav_status write_traces(const struct rewrite *rewrites, uint32_t count, const char *path, struct causes *causes);
tav_status write_trace(const struct rewrite *rewrite, const char *path, struct causes *causes);

#endif
