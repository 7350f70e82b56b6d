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
	const struct edits *edits;     /* settled; NULL: a copy */
	const char *provenance;        /* JSON of the member "tav"; NULL: none */
	unsigned threads;
	const volatile sig_atomic_t *cancelled;
};
/* The output is gzip where `path` ends in ".gz". TAV_FAILED: `causes`, and no file. */
/* Several are joined: what stands around the events is that of the first; the others' edits must be there. */
tav_status write_traces(const struct rewrite *rewrites, uint32_t count, const char *path, struct causes *causes);
tav_status write_trace(const struct rewrite *rewrite, const char *path, struct causes *causes);

#endif
