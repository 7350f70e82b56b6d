/* SPDX-License-Identifier: Apache-2.0 */
/* From what the command line names to the traces of a run: directories, lists, parts of lists. */
#ifndef TAV_RUN_SOURCES_H
#define TAV_RUN_SOURCES_H

#include "arguments.h"

/* Sets the traces and parts of arguments->run. False: said on standard error. */
bool sources_find(struct arguments *arguments);
/* The traces found, a line BYTES TAB PATH each, so that it can be read in any folder. False: said. */
bool sources_print_list(FILE *out, const struct arguments *arguments);

#endif
