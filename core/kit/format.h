/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers with units, for people. What is not zero is never shown as zero, and nothing depends on the locale. */
#ifndef KIT_FORMAT_H
#define KIT_FORMAT_H

#include <stdint.h>

enum { FORMAT_SIZE = 48 }; /* room for any of these, with the NUL */

/* Each returns `out`. */
char *format_count(char out[FORMAT_SIZE], int64_t count);                  /* "-1,234" */
char *format_size(char out[FORMAT_SIZE], uint64_t count);                  /* the same for what is never negative */
char *format_duration(char out[FORMAT_SIZE], int64_t ns);                  /* four digits: "17 ns", "1.235 ms" */
char *format_duration_exact(char out[FORMAT_SIZE], uint64_t ns);           /* every digit: "1.2345 ms" */
char *format_microseconds(char out[FORMAT_SIZE], int64_t ns);              /* as in a trace: "1753999142997011.12 us" */
char *format_bytes(char out[FORMAT_SIZE], uint64_t bytes);                 /* "385.2 MB" */
char *format_integer(char out[FORMAT_SIZE], int64_t value, uint32_t unit); /* by TAV_UNIT_... */
char *format_double(char out[FORMAT_SIZE], double value); /* shortest text that reads back as the same finite double */
char *format_real(char out[FORMAT_SIZE], double value, uint32_t unit);

#endif
