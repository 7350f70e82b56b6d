/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gen.h"

#define KERNEL "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"broken\", \"pid\": 0, \"tid\": 7, "
#define STREAM "\"args\": {\"stream\": 7}}"
#define INSTANT "{\"ph\": \"i\", \"pid\": 1, \"tid\": 1, \"ts\": 1669783687384700.000, \"name\": "

const struct defect defects[] = {
        {.name = "truncated", .help = "the text ends within an event", .is_cut = true},
        {.name = "unclosed", .help = "the list and the object are never closed", .is_unclosed = true},
        {.name = "bad-crc", .help = "the checksum of the gzip member is wrong", .damage = DAMAGE_CRC},
        {.name = "cut-gz", .help = "the gzip stream ends before its trailer", .damage = DAMAGE_CUT},
        {.name = "trailing-comma", .help = "a comma behind the last event", .tail = ","},
        {.name = "garbage", .help = "text behind the end", .tail = "]} x"},
        {.name = "bom", .help = "a UTF-8 byte order mark first", .before = "\xef\xbb\xbf"},
        {.name = "nan", .help = "NaN as a number", .extra = INSTANT "\"u\", \"args\": {\"utilization\": NaN}}"},
        {.name = "infinity",
         .help = "Infinity as a duration",
         .extra = KERNEL "\"ts\": 1.0, \"dur\": Infinity, " STREAM},
        {.name = "control-char", .help = "a raw control character in a name", .extra = INSTANT "\"a\x01\"}"},
        {.name = "bad-utf8", .help = "a name that is not UTF-8", .extra = INSTANT "\"a\xff\"}"},
        {.name = "quote", .help = "an unescaped quote in a name", .extra = INSTANT "\"a\"b\"}"},
        {.name = "backslash", .help = "a lone backslash in a name", .extra = INSTANT "\"C:\\path\"}"},
        {.name = "empty-event", .help = "an event {}", .extra = "{}"},
        {.name = "duplicate-key", .help = "a name given twice", .extra = INSTANT "\"first\", \"name\": \"second\"}"},
        {.name = "missing-ts",
         .help = "a kernel without ts",
         .extra = KERNEL "\"dur\": 2.0, " STREAM,
         .is_unusable = true},
        {.name = "missing-dur",
         .help = "a kernel without dur",
         .extra = KERNEL "\"ts\": 1.0, " STREAM,
         .is_unusable = true},
        {.name = "negative-dur",
         .help = "a kernel that ends before it starts",
         .extra = KERNEL "\"ts\": 1.0, \"dur\": -2.5, " STREAM,
         .is_unusable = true},
        {.name = "text-dur",
         .help = "a kernel whose dur is no number",
         .extra = KERNEL "\"ts\": 1.0, \"dur\": \"long\", " STREAM,
         .is_unusable = true},
        {.name = NULL},
};

const struct defect *defect_find(const char *name)
{
	for (const struct defect *defect = defects; defect->name; defect++)
		if (!strcmp(defect->name, name))
			return defect;
	return NULL;
}
