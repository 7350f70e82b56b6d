/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins found declare, for people, programs and editors. Nothing of a plugin is called. */
#ifndef PIPELINE_DESCRIBE_H
#define PIPELINE_DESCRIBE_H

#include <pipeline/load.h>

void describe_list(FILE *out, const struct registry *registry);
bool describe_list_json(FILE *out, const struct registry *registry); /* false: no memory */
/* A stage and a dialect may share the name: then both. False: said on standard error. */
bool describe_name(FILE *out, struct registry *registry, const char *name);
void describe_part(FILE *out, const struct part *part); /* as YAML to paste */
bool describe_schema(FILE *out, const struct registry *registry);

#endif
