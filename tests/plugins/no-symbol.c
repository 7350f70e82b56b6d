/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is no plugin. */
extern int not_a_plugin;
__attribute__((visibility("default"))) int not_a_plugin = 1;
