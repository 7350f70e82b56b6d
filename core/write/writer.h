/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the writer share: where bytes come from, where they go, and what is under way. */
#ifndef WRITE_WRITER_H
#define WRITE_WRITER_H

#include <stdio.h>
#include <write/change.h>
#include <write/deflate.h>
#include <write/feed.h>
#include <write/write.h>

struct out { /* many small pieces become few large ones */
	FILE *file;
	struct deflate *deflate; /* NULL: plain */
	char *data;
	size_t size;
};
bool out_open(struct out *out, FILE *file, bool is_gzip, unsigned threads); /* false: no memory */
bool out_add(struct out *out, const char *data, size_t size);               /* I/O errors stay in the file */
bool out_end(struct out *out);
void out_close(struct out *out);

struct writer {
	const struct rewrite *rewrite;
	const struct edits *edits;
	struct causes *causes;
	struct feed *feed;
	struct out *out;
	struct change *change; /* what touches every event; NULL: nothing does */
	struct splice splice;
	struct bytes event, edited;
	const char *run; /* bytes that stay as they are, not yet given to `out` */
	size_t run_size;
	struct bytes held;     /* separators behind the last kept event, not yet known to be needed, */
	const char *separator; /* and behind these some more, at hand */
	size_t separator_size;
	uint64_t next_range, next_event;
};
tav_status writer_open(struct writer *writer, const struct rewrite *rewrite, struct out *out, struct causes *causes);
void writer_close(struct writer *writer);
tav_status writer_no_memory(const struct writer *writer);
tav_status put(struct writer *writer, const char *data, size_t size);
tav_status put_text(struct writer *writer, const char *text);
/* Copies from here up to `offset`; UINT64_MAX: to the end. */
tav_status copy_to(struct writer *writer, uint64_t offset);
/* Reads from here up to `offset` (UINT64_MAX: to the end) into `text`. */
tav_status gather(struct writer *writer, uint64_t offset, struct bytes *text);
/* From here to behind the last event, with what is added behind it; there the input goes on. */
tav_status put_list(struct writer *writer);

#endif
