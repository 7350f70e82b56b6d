/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make a source map share: samples, the places on the host where their stacks are read, and stacks.
 */
#ifndef TRIAGE_SOURCEMAP_H
#define TRIAGE_SOURCEMAP_H

#include "triage.h"

enum { STACK_DEPTH = 6 /* scopes kept of a stack, the innermost ones */ };
#define ANY_TRACK UINT32_MAX

struct query { /* which frames are open here? */
	uint32_t track;
	uint32_t number; /* before sorting */
	int64_t time;
	size_t first_hit, hit_count;
};
struct hit { /* a frame that is open at a query */
	uint32_t query;
	tav_row row;
};
struct context { /* an operator with a wanted id */
	tav_row row;
	uint32_t next; /* of the same id; place + 1 */
};
struct sample {
	const struct kernel *kernel;
	uint32_t device, number; /* number: the kernel's own */
	tav_row op, launch;      /* row + 1; 0: none */
	uint32_t query;          /* number + 1; 0: there is no place to ask */
	bool is_guess;           /* the stack is taken at the device's time */
};
struct mapping { /* all that making the maps needs */
	struct analysis *analysis;
	struct pool scratch;
	struct sample *samples;
	size_t sample_count;
	struct tav_map wanted_ids;
	uint32_t *last_context; /* by number of a wanted id: place + 1; NULL: no context yet */
	struct context *contexts;
	size_t context_count, context_capacity;
	struct query *queries;
	size_t query_count, query_capacity;
	uint32_t *query_of;  /* number to place */
	size_t *first_query; /* by track */
	size_t first_any;    /* queries of any track stand behind the others */
	struct hit *hits;
	size_t hit_count, hit_capacity;
};
struct stack { /* the scopes of a place, outermost first */
	const struct label_facts *scopes[STACK_DEPTH];
	size_t count;
};

/* stacks.c */
tav_status add_query(struct mapping *mapping, uint32_t track, int64_t time, uint32_t *number);
/* One pass over the Python frames finds those that are open at each query. */
tav_status answer_queries(struct mapping *mapping);
tav_status read_stack(struct mapping *mapping, const struct query *query, struct stack *stack);
void push_scope(struct stack *stack, const struct label_facts *scope);

/* sourcemap.c */
enum host_kind host_kind(const struct analysis *analysis, tav_row row);
tav_status add_context(struct mapping *mapping, tav_row row, uint64_t id); /* if that is wanted */
uint32_t last_context(const struct mapping *mapping, uint64_t id);         /* place + 1; 0: none */

/* reference_sources.c */
enum host_kind reference_host_kind(const struct analysis *analysis, tav_row row);
tav_status reference_ask(struct mapping *mapping);
tav_status read_guess(struct mapping *mapping, const struct query *query, struct stack *stack);

#endif
