/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <write/writer.h>

enum { OUT_BYTES = 1 << 18 };

bool out_open(struct out *out, FILE *file, bool is_gzip, unsigned threads)
{
	*out = (struct out){.file = file};
	setvbuf(file, NULL, _IONBF, 0); /* pieces are large already */
	if (is_gzip)
		return (out->deflate = deflate_open(file, threads)) != NULL;
	return (out->data = malloc(OUT_BYTES)) != NULL;
}

static void flush(struct out *out)
{
	fwrite(out->data, 1, out->size, out->file);
	out->size = 0;
}

bool out_add(struct out *out, const char *data, size_t size)
{
	if (!size) /* and maybe no data either */
		return true;
	if (out->deflate)
		return deflate_add(out->deflate, data, size);
	if (size > OUT_BYTES - out->size)
		flush(out);
	if (size >= OUT_BYTES) {
		fwrite(data, 1, size, out->file);
		return true;
	}
	memcpy(out->data + out->size, data, size);
	out->size += size;
	return true;
}

bool out_end(struct out *out)
{
	if (out->deflate)
		return deflate_end(out->deflate);
	flush(out);
	return true;
}

void out_close(struct out *out)
{
	deflate_close(out->deflate);
	free(out->data);
	*out = (struct out){0};
}
