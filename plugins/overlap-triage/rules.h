/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decisions in which the two rule sets differ, each with a name. `reference` repeats a script that is widely used
 * for LLM serving traces, errors included; `improved` is the default. rules.c holds the table of both.
 */
#ifndef TRIAGE_RULES_H
#define TRIAGE_RULES_H

#include <stdbool.h>

/* Which events are device work. */
enum kernel_choice {
	KERNELS_BY_WORDS,  /* category and name contain certain words, whatever the dialect says */
	KERNELS_BY_DIALECT /* what the dialect calls DEVICE */
};
/* Which devices are looked at. */
enum device_choice {
	DEVICES_HEAVIEST, /* the process with most kernel time, or the heaviest TP00; the others are ignored */
	DEVICES_EACH      /* every one, on its own clock */
};
/* What tells two streams apart. */
enum stream_choice {
	STREAMS_IF_TRUE, /* the first of stream, cuda_stream, thread name, thread that is not 0, "" or false */
	STREAMS_BY_TRACK /* the dialect's track: stream 0 is a stream, 7 and "7" are the same */
};
/* In which order kernels are numbered. */
enum number_choice { NUMBERS_BY_FILE, NUMBERS_BY_START /* so that nothing depends on the order in the file */ };
/* How a kernel's category is found. */
enum category_choice {
	CATEGORIES_BY_SUBSTRING, /* fixed words anywhere in the raw name, argument types included */
	CATEGORIES_BY_TABLE      /* whole words, from a table that is data; the name's head before its arguments */
};
/* Which annotations name a phase. */
enum phase_words {
	PHASES_BY_SUBSTRING, /* "decode" also in "decoder", "generation_1" also in "generation_12" */
	PHASES_BY_WORD       /* whole words; the counts of execute_context_C and generation_G are read */
};
/* How a kernel gets its phase. */
enum phase_assignment {
	PHASES_BY_NEARNESS, /* id, window of the device, window of the host on the device's clock, nearest within 20 ms
	                     */
	PHASES_BY_LAUNCH    /* id, innermost window of the same device, window of the host that holds the launch */
};
/* What runs beside what. */
enum sweep_choice {
	SWEEP_EACH_PHASE, /* kernels of different phases do not see each other */
	SWEEP_DEVICE      /* one device, one clock */
};
/* Which of two partners with equal time comes first. */
enum partner_ties { PARTNERS_BY_KERNEL /* as met kernel by kernel */, PARTNERS_BY_NAME };
/* When a kernel's time counts as hidden for the verdict. */
enum cover_choice {
	COVER_BY_ANYTHING, /* any other stream was active */
	COVER_BY_COMPUTE   /* compute ran on another stream, so that a GEMM under an all-reduce is not hidden */
};
/* Of what a share is a share. */
enum share_base { SHARE_OF_BUSY /* may pass 100 % */, SHARE_OF_KERNEL_TIME /* of the device's summed kernel time */ };
/* Which kernels are candidates. */
enum pick_choice {
	PICK_CUT_FIRST,   /* five, compute last, then those under the share are dropped and nobody follows */
	PICK_FILTER_FIRST /* rank all, drop those under the share, then cut */
};
/* What is recommended for an exposed kernel with free neighbours. */
enum advice_choice { ADVICE_TWO /* communication: overlap; anything else: fusion */, ADVICE_BY_KIND };
/* When a Python scope is open. */
enum scope_bounds { SCOPES_CLOSED /* also at its very end */, SCOPES_HALF_OPEN };
/* Where a kernel's Python stack is read. */
enum stack_choice {
	STACKS_AT_OP_OR_DEVICE_TIME, /* at the cpu op; without one, at the kernel's own time on any thread */
	STACKS_AT_LAUNCH             /* where the launch (by correlation) or the op stands, on that thread, else none */
};
/* What a cpu op without a Python stack is worth. */
enum bare_op { BARE_OP_LOST, BARE_OP_COUNTS };
/* Which scopes are preferred, and how their paths are written. */
enum root_choice { ROOTS_KNOWN /* of five frameworks */, ROOTS_BY_OPTION };
/* Which other name may stand in for one that the mapping does not have. */
enum lookup_choice { LOOKUP_ANY_PREFIX, LOOKUP_SOUND /* only with a minimum of common text */ };
/* When two neighbours are of one family. */
enum family_choice {
	FAMILY_BY_PATH_OR_FUNCTION, /* "forward" of two files too */
	FAMILY_BY_LOCATION          /* the same file; and one launch of many kernels (a graph) says nothing */
};

struct rules {
	const char *name;
	enum kernel_choice kernels;
	enum device_choice devices;
	enum stream_choice streams;
	enum number_choice numbers;
	enum category_choice categories;
	enum phase_words phase_words;
	enum phase_assignment phases;
	enum sweep_choice sweep;
	enum partner_ties partner_ties;
	enum cover_choice cover;
	enum share_base share;
	enum pick_choice pick;
	enum advice_choice advice;
	enum scope_bounds scopes;
	enum stack_choice stacks;
	enum bare_op bare_op;
	enum root_choice roots;
	enum lookup_choice lookup;
	enum family_choice family;
};

enum { RULES_REFERENCE, RULES_IMPROVED }; /* as the option's choices */
extern const struct rules rule_sets[2];

#endif
