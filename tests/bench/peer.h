/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers share: the file in memory, which is not counted, and the time of what is. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double peer_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The whole file with `padding` zero bytes behind it; ends the program when it cannot be read. */
static inline char *peer_load(const char *path, size_t padding, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *data = NULL;
	long end = -1;

	if (file && !fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET))
		data = (char *)calloc((size_t)end + padding + 1, 1);
	if (!data || fread(data, 1, (size_t)end, file) != (size_t)end) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(2);
	}
	fclose(file);
	*size = (size_t)end;
	return data;
}

/* The line that the benchmark reads. `seen` shows that the work was done. */
static inline int peer_report(double seconds, unsigned long long seen)
{
	return printf("%.6f %llu\n", seconds, seen) < 0 ? 2 : 0;
}

#endif
