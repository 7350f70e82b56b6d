/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of reports with words in them, {trace}, {rank} and {stem}: a file for each source. */
#ifndef CONFIG_TEMPLATE_H
#define CONFIG_TEMPLATE_H

#include <config/config.h>

/* Is the path of this report right for its format? It says what is wrong, and sets is_each and has_rank. */
void template_settle(struct config *config, struct report_request *request, struct diags *diags);
bool path_is_folder(const char *path); /* it ends with '/' */
/*
 * The path for a source: {trace} is the name of its file, {stem} the same without .gz and the ending before it, {rank}
 * its rank, or "norank". A path without words is copied. NULL: no memory.
 */
const char *template_fill(struct arena *arena, const char *path, const char *source, int64_t rank);

#endif
