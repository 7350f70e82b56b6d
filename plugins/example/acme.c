/* SPDX-License-Identifier: Apache-2.0 */
/* acme - the traces of a made-up accelerator. Shows one whole dialect: a table, and how sure it is. */
#include <tav/kit.h>

/* All rules that match add their traits. Names and categories cost once for each distinct pair, not for each event. */
static const struct tav_rule rules[] = {
        {.when = {{"cat", TAV_TEST_EQUALS, 0, "acme_kernel"}}, .set = TAV_TRAIT_DEVICE | TAV_TRAIT_KERNEL},
        {.when = {{"cat", TAV_TEST_EQUALS, 0, "acme_copy"}}, .set = TAV_TRAIT_DEVICE | TAV_TRAIT_MEMCPY},
        {.when = {{"cat", TAV_TEST_PREFIX, 0, "acme_api"}}, .set = TAV_TRAIT_RUNTIME},
        {.when = {{"cat", TAV_TEST_PREFIX, 0, "acme_api"}, {"name", TAV_TEST_EQUALS, 0, "submit"}},
         .call = TAV_CALL_LAUNCH},
};
/*
 * Device events that agree in all of these share a track. Each key is a list of fields, of which the first that an
 * event has counts; an event without args.queue is on queue 0.
 */
static const char *const pid[] = {"pid", NULL}, *const queue[] = {"args.queue", NULL};
static const struct tav_key track[] = {{pid, NULL, NULL}, {queue, "0", NULL}, {NULL, NULL, NULL}};
/* A kernel and the call that launched it carry the same number. */
static const char *const links[] = {"args.ticket", NULL};

static int32_t probe(struct tav_self *self, const struct tav_sample *sample, char *why, size_t why_size)
{
	(void)self;
	for (uint32_t i = 0; i < sample->label_count; i++) {
		if (!strncmp(sample->categories[i].data, "acme_", 5)) {
			snprintf(why, why_size, "it has the category %s", sample->categories[i].data);
			return 90;
		}
	}
	return 0;
}

static const struct tav_dialect acme = {
        .struct_size = sizeof(acme),
        .name = "acme",
        .summary = "Traces of the Acme accelerator",
        .rules = TAV_LIST(rules),
        .track = track,
        .track_word = "queue",
        .link_fields = links,
        .probe = probe,
};
static const struct tav_dialect *const dialects[] = {&acme, NULL};

const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, .name = "acme", .version = "1.0.0", .license = "Apache-2.0", .dialects = dialects,
};
