/* SPDX-License-Identifier: Apache-2.0 */
/* Reading what a stage told, out of a JSON report, back into results. */
#ifndef REPORT_READ_TOLD_H
#define REPORT_READ_TOLD_H

#include <report/json_in.h>
#include <report/report.h>
#include <report/writers.h>

struct buffer { /* grows; freed at the end */
	char *data;
	size_t size, capacity;
};
void *buffer_add(struct json_in *in, struct buffer *buffer, size_t size); /* zeroed; NULL: no memory, said */
void buffer_fini(struct buffer *buffer);

struct text_list { /* `texts` of a source or of the run */
	struct tav_text *items;
	size_t count;
};
struct column_in { /* a column as its values come in */
	struct tav_series series;
	struct buffer data, present;
	uint32_t show;
};
struct told_in {
	struct json_in *in;
	struct report *report; /* whose sources are known */
	struct arena scratch;  /* gone after each item: results have copies */
	struct column_in *columns;
	uint32_t column_count, column_capacity;
	struct buffer events, numbers;
	struct buffer data_texts; /* of the data table that is being read, in their order */
	/* of what is being read */
	const struct text_list *texts;
	struct results *results;
	uint32_t stage;
};

/* The number of a name, or of null where `is_optional`; what it is called in messages. */
uint32_t read_name(struct json_in *in, const struct names *names, bool is_optional, const char *what);
/* All members from "done" to "metrics_shown". */
void read_told(struct told_in *told);
/* The report's waivers, which stand before what they take; and, with all of it there, do they take what they say? */
void read_waivers(struct json_in *in, struct report *report, struct arena *arena);
void read_waivers_check(struct json_in *in, const struct report *report, struct arena *arena, size_t at);
void told_in_fini(struct told_in *told);

#endif
