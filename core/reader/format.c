/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <reader/format.h>

#define MAGIC(text) text, sizeof(text) - 1

static const struct {
	const char *magic;
	size_t size, at;
	const char *what;
} formats[] = {
        {MAGIC("PK\3\4"), 0, "a zip archive: unpack it first (unzip)"},
        {MAGIC("\x28\xb5\x2f\xfd"), 0, "compressed with zstd: unpack it first (zstd -d)"},
        {MAGIC("\xfd\x37zXZ"), 0, "compressed with xz: unpack it first (xz -d)"},
        {MAGIC("BZh"), 0, "compressed with bzip2: unpack it first (bzip2 -d)"},
        {MAGIC("\x04\x22\x4d\x18"), 0, "compressed with lz4: unpack it first (lz4 -d)"},
        {MAGIC("ustar"), 257, "a tar archive: unpack it first (tar -xf)"},
        {MAGIC("SQLite f"), 0, "an SQLite database (a profiler's own format?): export it as Chrome trace JSON"},
        {MAGIC("version https://git-lfs"), 0,
         "a git-lfs pointer, not what it points to: fetch that first (git lfs pull)"},
        {MAGIC("\x10\0\4FxT"), 0, "a Fuchsia trace (.fxt): convert it to Chrome trace JSON first"},
        {MAGIC("PAR1"), 0, "a Parquet table, not a trace: export the trace as Chrome trace JSON"},
        {MAGIC("%PDF"), 0, "a PDF document, not a trace"},
        {MAGIC("\177ELF"), 0, "a program or library, not a trace"},
};

/* A web page, or XML: markup after blanks, whatever its case. */
static bool is_markup(const char *head, size_t size)
{
	static const char *const starts[] = {"<!doctype", "<html", "<head", "<?xml", "<!--"};

	while (size && strchr(" \n\r\t", *head) && *head) {
		head++;
		size--;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (size >= strlen(starts[i]) && !strncasecmp(head, starts[i], strlen(starts[i])))
			return true;
	}
	return false;
}

/* Field 1, bytes: how Perfetto's traces and XPlanes begin. A text may begin with that byte, too: a line feed. */
static bool is_protobuf(const char *head, size_t size)
{
	enum { JUDGED = 24 };
	bool is_binary = false;

	if (size < 4 || *head != '\n')
		return false;
	for (size_t i = 1; i < size && i < JUDGED; i++) {
		if (head[i] == '{' || head[i] == '[')
			break;
		is_binary = is_binary || (unsigned char)head[i] >= 0x80 ||
		            ((unsigned char)head[i] < 0x20 && !strchr("\n\r\t", head[i])) || !head[i];
	}
	return is_binary;
}

const char *format_of(const char *head, size_t size)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (size >= formats[i].at + formats[i].size &&
		    !memcmp(head + formats[i].at, formats[i].magic, formats[i].size))
			return formats[i].what;
	}
	if (is_markup(head, size))
		return "an HTML page or other markup, not a trace: a download may have gone wrong";
	if (is_protobuf(head, size))
		return "binary protobuf (a Perfetto .pftrace or an XPlane?), not JSON: export it as Chrome trace JSON";
	return NULL;
}
