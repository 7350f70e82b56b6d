/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <pipeline/load.h>

#include "suite.h"

static tav_status nothing(struct tav_self *self)
{
	(void)self;
	return TAV_OK;
}

static tav_status no_lane(struct tav_self *self, uint32_t source, uint32_t count, const tav_row *rows, uint32_t *lanes)
{
	(void)self;
	(void)source;
	(void)rows;
	memset(lanes, 0, count * sizeof(*lanes));
	return TAV_OK;
}

static const struct tav_option options[] = {
        {.name = "limit", .type = TAV_TYPE_INT, .preset = "10", .min = "0", .help = "How many."}};
static const struct tav_stage good_stage = {.struct_size = sizeof(struct tav_stage),
                                            .name = "good",
                                            .summary = "Does nothing.",
                                            .options = TAV_LIST(options),
                                            .run = nothing};

/* A plugin with one stage, or one dialect, changed by the test. */
struct made {
	struct registry registry;
	struct tav_stage stage;
	struct tav_dialect dialect;
	const struct tav_stage *stages[2];
	const struct tav_dialect *dialects[2];
	struct tav_plugin plugin;
};

static struct made *make(void)
{
	struct made *made = calloc(1, sizeof(*made));

	made->stage = good_stage;
	made->dialect = (struct tav_dialect){.struct_size = sizeof(struct tav_dialect), .name = "tongue"};
	made->stages[0] = &made->stage;
	made->dialects[0] = &made->dialect;
	made->plugin = (struct tav_plugin){TAV_PLUGIN_HEAD, "made", "1", "none", made->dialects, made->stages};
	return made;
}

static void made_free(struct made *made)
{
	registry_fini(&made->registry);
	free(made);
}

static void refused(struct made *made, const char *reason)
{
	const struct plugin_file *file = registry_add(&made->registry, &made->plugin, "made.so");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_PTR_NOT_NULL_FATAL(file->refused);
	if (strcmp(file->refused, reason))
		fprintf(stderr, "wanted: %s\n   got: %s\n", reason, file->refused);
	CU_ASSERT_STRING_EQUAL(file->refused, reason);
	CU_ASSERT_PTR_NULL(registry_find(&made->registry, false, "good"));
	made_free(made);
}

static void a_sound_plugin_is_taken(void)
{
	struct made *made = make();
	const struct plugin_file *file = registry_add(&made->registry, &made->plugin, "made.so");

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT_PTR_NULL(file->refused);
	CU_ASSERT_TRUE(registry_settle(&made->registry));
	const struct part *part = registry_find(&made->registry, false, "good");
	CU_ASSERT_PTR_NOT_NULL_FATAL(part);
	CU_ASSERT_EQUAL(part->option_count, 1);
	CU_ASSERT_EQUAL(part->presets[0]->integer, 10);
	CU_ASSERT_EQUAL(part->presets[0]->given, 0);
	CU_ASSERT_PTR_NOT_NULL(registry_find(&made->registry, true, "tongue"));
	CU_ASSERT_PTR_NULL(registry_find(&made->registry, true, "good"));
	made_free(made);
}

static void other_versions_are_refused(void)
{
	struct made *made = make();

	made->plugin.abi_major = 2;
	made->plugin.stages = (void *)(uintptr_t)8; /* nothing behind the head is looked at */
	refused(made, "made for plugin interface 2.x; this program has 1.0");
	made = make();
	made->plugin.abi_minor = 7;
	refused(made, "needs plugin interface 1.7; this program has 1.0");
	made = make();
	made->plugin.struct_size = 40;
	refused(made, "its struct tav_plugin has 40 bytes; version 1.0 has 48");
	made = make();
	made->stage.struct_size = 8;
	refused(made, "stage 0: its struct has 8 bytes; version 1.0 has 88");
}

static void what_is_missing_is_named(void)
{
	struct made *made = make();

	made->stage.run = NULL;
	refused(made, "stage 'good': it has no run()");
	made = make();
	made->stage.name = NULL;
	refused(made, "stage 0 has no name");
	made = make();
	made->stage.name = "Good one";
	refused(made, "stage 'Good one': a name has lower case letters, digits, '-' and '_'");
	made = make();
	made->plugin.name = NULL;
	refused(made, "the plugin has no name");
	made = make();
	made->plugin.stages = NULL;
	made->plugin.dialects = NULL;
	refused(made, "it offers neither a dialect nor a stage");
}

static void broken_tables_are_refused(void)
{
	static const struct tav_option wrong_preset[] = {{.name = "limit", .type = TAV_TYPE_INT, .preset = "ten"}};
	static const struct tav_rule rules[] = {{{{"args", TAV_TEST_EXISTS, 0, NULL}}, TAV_TRAIT_DEVICE, 0}};
	static const struct tav_rule pattern[] = {{{{"name", TAV_TEST_MATCHES, 0, "("}}, TAV_TRAIT_DEVICE, 0}};
	static const struct tav_lane lanes[] = {{"compute", TAV_TRACK_SERIAL, 0}};
	struct made *made = make();

	made->stage.options = (struct tav_option_list)TAV_LIST(wrong_preset);
	refused(made, "stage 'good': its default, option 'limit': \"ten\" is not a whole number");
	made = make();
	made->stage.options.item_size = 8;
	refused(made, "stage 'good': items of the list of options have 8 bytes; version 1.0 has 56");
	made = make();
	made->stage.options.items = NULL;
	refused(made, "stage 'good': the list of options has 1 items and no address");
	made = make();
	made->dialect.rules = (struct tav_rule_list)TAV_LIST(rules);
	refused(made, "dialect 'tongue': rule 0 tests the field 'args'; a rule tests name, cat, ph or args.KEY");
	made = make();
	made->dialect.rules = (struct tav_rule_list)TAV_LIST(pattern);
	refused(made, "dialect 'tongue': rule 0: \"(\" is not a POSIX extended regular expression: Unmatched ( or \\(");
	made = make();
	made->dialect.lanes = (struct tav_lane_list)TAV_LIST(lanes);
	refused(made, "dialect 'tongue': it has lanes and no assign()");
	made = make();
	made->dialect.lanes = (struct tav_lane_list)TAV_LIST(lanes);
	made->dialect.assign = no_lane;
	const struct plugin_file *file = registry_add(&made->registry, &made->plugin, "made.so");
	CU_ASSERT_TRUE(file && !file->refused);
	made_free(made);
}

static void items_of_other_sizes_are_copied(void)
{
	/* a later version's item: longer, and the host must step by its size */
	struct later {
		struct tav_option option;
		const char *fresh;
	};
	static const struct later later[] = {{{.name = "first", .type = TAV_TYPE_BOOL, .preset = "true"}, "?"},
	                                     {{.name = "second", .type = TAV_TYPE_INT, .preset = "3"}, "!"}};
	struct made *made = make();

	made->stage.options = (struct tav_option_list){&later[0].option, 2, sizeof(struct later)};
	CU_ASSERT_PTR_NOT_NULL_FATAL(registry_add(&made->registry, &made->plugin, "made.so"));
	const struct part *part = registry_find(&made->registry, false, "good");
	CU_ASSERT_PTR_NOT_NULL_FATAL(part);
	CU_ASSERT_STRING_EQUAL(part->options[1].name, "second");
	CU_ASSERT_EQUAL(part->presets[1]->integer, 3);
	made_free(made);
}

static void the_first_of_the_search_is_used(void)
{
	struct made *made = make(), *second = make();

	registry_add(&made->registry, &made->plugin, "a/made.so");
	registry_add(&made->registry, &second->plugin, "b/made.so");
	CU_ASSERT_TRUE(registry_settle(&made->registry));
	CU_ASSERT_STRING_EQUAL(registry_find(&made->registry, false, "good")->file->path, "a/made.so");
	unsigned shadowed = 0;
	for (const struct part *part = made->registry.parts; part; part = part->next) {
		if (part->shadowed_by)
			CU_ASSERT_STRING_EQUAL(part->shadowed_by, "a/made.so");
		shadowed += part->shadowed_by != NULL;
	}
	CU_ASSERT_EQUAL(shadowed, 2);
	made_free(made);
	made_free(second);
}

static void files_that_are_no_plugins(void)
{
	struct registry registry = {0};
	struct causes causes = {0};
	const struct plugin_file *file = registry_load(&registry, "/etc/passwd");

	CU_ASSERT_STRING_EQUAL(file->refused, "not a shared object (no ELF header)");
	file = registry_load(&registry, "/no/such/file.so");
	CU_ASSERT_STRING_EQUAL(file->refused, "cannot be read: No such file or directory");
	file = registry_load(&registry, "/");
	CU_ASSERT_STRING_EQUAL(file->refused, "not a regular file");
	CU_ASSERT_EQUAL(registry_scan(&registry, "/no/such/folder", false, &causes), TAV_OK);
	CU_ASSERT_EQUAL(registry_scan(&registry, "/no/such/folder", true, &causes), TAV_FAILED);
	CU_ASSERT_STRING_EQUAL(causes.outermost->text,
	                       "cannot search the plugin directory '/no/such/folder': No such file or directory");
	causes_clear(&causes);
	registry_fini(&registry);
}

SUITE("load", {"load: a sound plugin is taken", a_sound_plugin_is_taken},
      {"load: other versions are refused", other_versions_are_refused},
      {"load: what is missing is named", what_is_missing_is_named},
      {"load: broken tables are refused", broken_tables_are_refused},
      {"load: items of other sizes are copied", items_of_other_sizes_are_copied},
      {"load: the first of the search is used", the_first_of_the_search_is_used},
      {"load: files that are no plugins", files_that_are_no_plugins})
