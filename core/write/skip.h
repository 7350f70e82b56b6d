/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a JSON value, many bytes at once: what the writer passes over without looking at it. */
#ifndef WRITE_SKIP_H
#define WRITE_SKIP_H

#include <stddef.h>

/* Behind the object or array that begins at data[at]; 0: it does not end here. */
size_t skip_whole(const char *data, size_t size, size_t at);
/* As tav_json_end(). */
size_t skip_value(const char *data, size_t size, size_t at);

#endif
