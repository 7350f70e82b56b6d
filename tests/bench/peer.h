/* SPDX-License-Identifier: Apache-2.0 */
/* What the peers share: the file in memory, which is not counted, and the time of what is. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct peer_time {
	double wall, cpu;
};

static inline double peer_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static inline struct peer_time peer_now(void)
{
	struct peer_time now;

	now.wall = peer_clock(CLOCK_MONOTONIC);
	now.cpu = peer_clock(CLOCK_PROCESS_CPUTIME_ID);
	return now;
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

/* The line that the benchmark reads: seconds since `begin`, on the clock and of the processor. `seen`: work was done.
 */
static inline int peer_report(struct peer_time begin, unsigned long long seen)
{
	struct peer_time end = peer_now();

	return printf("%.6f %.6f %llu\n", end.wall - begin.wall, end.cpu - begin.cpu, seen) < 0 ? 2 : 0;
}

#endif
