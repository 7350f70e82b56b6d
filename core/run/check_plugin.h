/* SPDX-License-Identifier: Apache-2.0 */
/* For the author of a plugin: loads it, prints what it declares, and runs every part of it over tiny traces. */
#ifndef RUN_CHECK_PLUGIN_H
#define RUN_CHECK_PLUGIN_H

#include <stdio.h>

#include <plugin/load.h>
#include <run/run.h>

/* 0: every trial ended as it may; 1: one did not; EXIT_CANNOT: it was refused. */
int check_plugin(FILE *out, const char *path, struct registry *others, const struct run_options *options);

#endif
