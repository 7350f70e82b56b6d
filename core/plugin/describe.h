/* SPDX-License-Identifier: Apache-2.0 */
/* What the plugins found declare, for people, programs and editors. Nothing of a plugin is called. */
#ifndef PLUGIN_DESCRIBE_H
#define PLUGIN_DESCRIBE_H

#include <plugin/load.h>

/* Lines are broken at blanks before `width`. With `is_long` the ids of all that is told too. */
void describe_list(FILE *out, struct registry *registry, unsigned width, bool is_long);
bool describe_list_json(FILE *out, struct registry *registry); /* false: no memory */
/* A stage and a dialect may share the name: then both. False: said on `err`. */
bool describe_name(FILE *out, FILE *err, struct registry *registry, const char *name, unsigned width);
void describe_part(FILE *out, const struct part *part, unsigned width); /* as YAML to paste; no file: a report */
/* False: no report of that format has options, or no memory. */
bool describe_report(FILE *out, const char *format, unsigned width);
/* The page of an id, or of STAGE.ID, of every stage that has one. False: said on `err`. */
bool describe_explain(FILE *out, FILE *err, struct registry *registry, const char *id, unsigned width);
void describe_tells(FILE *out, uint32_t tells); /* "check and finding" */
bool describe_schema(FILE *out, struct registry *registry);

#endif
