/* SPDX-License-Identifier: Apache-2.0 */
/* The way from an open input to columns; apart from read_trace(), so that tests and fuzzers can feed it from memory. */
#ifndef READER_LOAD_H
#define READER_LOAD_H

#include <reader/input.h>
#include <reader/reader.h>
#include <reader/scan.h>

/* Reads a trace in memory in blocks of `block_size` bytes, scanned by `code`. job->path only names it. */
tav_status load_memory(struct read_job *job, const char *data, size_t size, size_t block_size, scan_code code);

#endif
