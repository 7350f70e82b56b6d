/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <plugin/load.h>

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
                                            .each = nothing};

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

	made->plugin.abi_major = 3;
	made->plugin.stages = (void *)(uintptr_t)8; /* nothing behind the head is looked at */
	refused(made, "made for plugin interface 3.x; this program has 2.0");
	made = make();
	made->plugin.abi_major = 1;
	refused(made, "made for plugin interface 1.x; this program has 2.0 (build it again with its header)");
	made = make();
	made->plugin.abi_minor = 7;
	refused(made, "needs plugin interface 2.7; this program has 2.0");
	made = make();
	made->plugin.struct_size = 40;
	refused(made, "struct tav_plugin has 40 bytes; version 2.0 has 48");
	made = make();
	made->stage.struct_size = 8;
	refused(made, "stage 0: its struct has 8 bytes; version 2.0 has 120");
}

static void what_is_missing_is_named(void)
{
	struct made *made = make();

	made->stage.each = NULL;
	refused(made, "stage 'good': it has neither each() nor combine()");
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
	static const struct tav_rule rules[] = {{{{"args", TAV_TEST_EXISTS, 0, NULL}}, TAV_TRAIT_DEVICE, 0, 0, 0}};
	static const struct tav_rule pattern[] = {{{{"name", TAV_TEST_MATCHES, 0, "("}}, TAV_TRAIT_DEVICE, 0, 0, 0}};
	static const struct tav_lane lanes[] = {{"compute", TAV_TRACK_SERIAL, 0}};
	struct made *made = make();

	made->stage.options = (struct tav_option_list)TAV_LIST(wrong_preset);
	refused(made, "stage 'good': its default, option 'limit': \"ten\" is not a whole number");
	made = make();
	made->stage.options.item_size = 8;
	refused(made, "stage 'good': option 0 has 8 bytes; version 2.0 has 56");
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

static void what_nobody_knows_is_refused(void)
{
	struct made *made = make();
	struct {
		struct tav_stage stage;
		const char *fresh;
	} later = {.stage = made->stage};

	later.stage.struct_size = sizeof(later);
	made->stages[0] = &later.stage;
	later.fresh = "?";
	refused(made,
	        "stage 'good': it needs a newer tav: struct tav_stage uses a member that version 2.0 does not have");
	made = make();
	later.fresh = NULL;
	made->stages[0] = &later.stage;
	const struct plugin_file *file = registry_add(&made->registry, &made->plugin, "made.so");
	CU_ASSERT_TRUE(file && !file->refused);
	made_free(made);
	made = make();
	made->stage.flags = 1u << 9;
	refused(made, "stage 'good': its flags: unknown bits 0x200; it may need a newer tav");
	made = make();
	made->dialect.reserved = 1;
	refused(made, "dialect 'tongue': 'reserved' of struct tav_dialect is 1; it must be 0");
	made = make();
	made->plugin.struct_size = UINT32_MAX;
	refused(made, "struct tav_plugin has 4294967295 bytes, which cannot be");
}

static void rules_say_only_what_they_may(void)
{
	static const struct tav_rule host_bit[] = {
	        {.when = {{"name", TAV_TEST_EXISTS, 0, NULL}}, .set = TAV_TRAIT_UNUSABLE}};
	static const struct tav_rule no_refine[] = {
	        {.when = {{"name", TAV_TEST_EXISTS, 0, NULL}}, .set = TAV_TRAIT_REFINE}};
	static const struct tav_rule call[] = {
	        {.when = {{"args.x", TAV_TEST_EXISTS, 0, NULL}}, .call = TAV_CALL_LAUNCH}};
	static const struct tav_rule unknown_call[] = {{.when = {{"name", TAV_TEST_EXISTS, 0, NULL}}, .call = 77}};
	struct made *made = make();

	made->dialect.rules = (struct tav_rule_list)TAV_LIST(host_bit);
	refused(made, "dialect 'tongue': rule 0: unknown bits 0x40000000; it may need a newer tav");
	made = make();
	made->dialect.rules = (struct tav_rule_list)TAV_LIST(no_refine);
	refused(made, "dialect 'tongue': rule 0 sets TAV_TRAIT_REFINE, and there is no refine()");
	made = make();
	made->dialect.rules = (struct tav_rule_list)TAV_LIST(call);
	refused(made, "dialect 'tongue': rule 0 sets a call and tests 'args.x'; a call goes by name and cat alone");
	made = make();
	made->dialect.rules = (struct tav_rule_list)TAV_LIST(unknown_call);
	refused(made, "dialect 'tongue': rule 0 has the unknown call 77; it may need a newer tav");
}

static void keys_are_fields_of_events(void)
{
	static const char *const name[] = {"name", NULL}, *const pid[] = {"pid", NULL}, *const none[] = {NULL};
	static const struct tav_key wrong[] = {{name, NULL, NULL}, {NULL, NULL, NULL}};
	static const struct tav_key no_option[] = {{pid, NULL, "limits"}, {NULL, NULL, NULL}};
	static const struct tav_key empty[] = {{none, NULL, NULL}, {NULL, NULL, NULL}};
	static const struct tav_key endless[] = {{pid, 0, 0}, {pid, 0, 0}, {pid, 0, 0}, {pid, 0, 0}, {pid, 0, 0},
	                                         {pid, 0, 0}, {pid, 0, 0}, {pid, 0, 0}, {pid, 0, 0}};
	struct made *made = make();

	made->dialect.track = wrong;
	refused(made, "dialect 'tongue': its track has the field 'name'; it must be pid, tid, id or args.KEY");
	made = make();
	made->dialect.device = no_option;
	refused(made, "dialect 'tongue': its device goes by the option 'limits', which is not declared");
	made = make();
	made->dialect.track = empty;
	refused(made, "dialect 'tongue': key 0 of its track has no field");
	made = make();
	made->dialect.track = endless;
	refused(made, "dialect 'tongue': its track has more than 8 keys, or no NULL at its end");
	made = make();
	made->dialect.link_fields = name;
	refused(made, "dialect 'tongue': link_fields has the field 'name'; it must be pid, tid, id or args.KEY");
	made = make();
	made->dialect.track_word = "";
	refused(made, "dialect 'tongue': its track_word is empty; NULL stands for \"stream\"");
}

static void pages_and_needs_are_copied(void)
{
	static const struct tav_page pages[] = {
	        {"zebra", TAV_TELLS_CHECK | TAV_TELLS_FINDING, TAV_SEV_ERROR, "Is it striped?", "Long."},
	        {"ant", TAV_TELLS_TABLE, 0, "All ants.", NULL}};
	static const struct tav_page twice[] = {{"ant", TAV_TELLS_TABLE, 0, "All ants.", NULL},
	                                        {"ant", TAV_TELLS_CHECK, 0, "Ants?", NULL}};
	static const struct tav_page silent[] = {{"ant", 0, 0, "All ants.", NULL}};
	static const char *const needs[] = {"stats", NULL}, *const itself[] = {"good", NULL};
	struct made *made = make();

	made->stage.pages = (struct tav_page_list)TAV_LIST(pages);
	made->stage.needs = needs;
	CU_ASSERT_PTR_NOT_NULL_FATAL(registry_add(&made->registry, &made->plugin, "made.so"));
	const struct part *part = registry_find(&made->registry, false, "good");
	CU_ASSERT_PTR_NOT_NULL_FATAL(part);
	CU_ASSERT_EQUAL(part->need_count, 1);
	CU_ASSERT_STRING_EQUAL(part->needs[0], "stats");
	CU_ASSERT_STRING_EQUAL(part_page(part, "zebra")->text, "Long.");
	CU_ASSERT_STRING_EQUAL(part_page(part, "ant")->summary, "All ants.");
	CU_ASSERT_PTR_NULL(part_page(part, "bee"));
	made_free(made);
	made = make();
	made->stage.pages = (struct tav_page_list)TAV_LIST(twice);
	refused(made, "stage 'good': the page 'ant' stands twice");
	made = make();
	made->stage.pages = (struct tav_page_list)TAV_LIST(silent);
	refused(made, "stage 'good': the page 'ant' says not what it is about: tells, severity, summary");
	made = make();
	made->stage.needs = itself;
	refused(made, "stage 'good': it needs itself");
}

static void items_of_other_sizes_are_copied(void)
{
	/* a later version's item: longer, and the host must step by its size */
	struct later {
		struct tav_option option;
		const char *fresh;
	};
	static const struct later later[] = {{{.name = "first", .type = TAV_TYPE_BOOL, .preset = "true"}, NULL},
	                                     {{.name = "second", .type = TAV_TYPE_INT, .preset = "3"}, NULL}};
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
      {"load: what nobody knows is refused", what_nobody_knows_is_refused},
      {"load: rules say only what they may", rules_say_only_what_they_may},
      {"load: keys are fields of events", keys_are_fields_of_events},
      {"load: pages and needs are copied", pages_and_needs_are_copied},
      {"load: items of other sizes are copied", items_of_other_sizes_are_copied},
      {"load: the first of the search is used", the_first_of_the_search_is_used},
      {"load: files that are no plugins", files_that_are_no_plugins})
