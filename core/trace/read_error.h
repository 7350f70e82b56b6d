/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the text of an input: said by the reader, shown by the report. */
#ifndef TRACE_READ_ERROR_H
#define TRACE_READ_ERROR_H

#include <stdint.h>

struct read_error {                    /* what is wrong with the input, for a person who must find the place */
	const char *message;           /* what was found, what was expected, what to do; NULL: no error of the text */
	const char *excerpt;           /* the line (or the part of it around the place), escaped; NULL: none */
	uint32_t caret;                /* column of the caret in the excerpt, from 0 */
	uint64_t line, column, offset; /* line 0: no place in the text (cannot open, gzip broken) */
	uint64_t events_read;          /* before the place */
};

#endif
