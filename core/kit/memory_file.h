/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream into memory that says when something of it was lost: open_memstream() loses what there is no memory for and
 * tells nobody.
 */
#ifndef KIT_MEMORY_FILE_H
#define KIT_MEMORY_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct memory_file {
	FILE *out;
	char *text; /* NULL: nothing was written */
	size_t size, capacity;
	bool is_lost;
};

bool memory_file_open(struct memory_file *file);  /* it must stay where it is until it is closed; false: no memory */
bool memory_file_flush(struct memory_file *file); /* text and size are there; false: something was lost */
/* The stream is closed, the text stays for the caller to free. False: something was lost, and there is no text. */
bool memory_file_close(struct memory_file *file);

#endif
