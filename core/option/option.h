/* SPDX-License-Identifier: Apache-2.0 */
/* From what the user wrote to the values of declared options. The same code reads the presets that plugins declare. */
#ifndef OPTION_OPTION_H
#define OPTION_OPTION_H

#include <option/yaml.h>

struct option_reader {
	struct arena *arena; /* of the values */
	struct diags *diags;
	const char *owner;     /* "stage 'stats'": begins every message */
	const char *directory; /* paths are relative to it; NULL: to the working directory */
};

/* NULL: what the node says is not a value of this option, and `diags` has the reason. */
const struct tav_value *option_value(const struct option_reader *reader, const struct tav_option *option,
                                     const struct node *node);
/* The value in force when the user gives none. NULL: the preset is wrong, or no memory. */
const struct tav_value *option_preset(const struct option_reader *reader, const struct tav_option *option);
/* NULL: the declaration is sound; else what is wrong with it, in the arena of `diags`. */
const char *option_declaration_error(const struct tav_option *options, uint32_t count, struct arena *arena);

const char *option_type_name(uint32_t type); /* "boolean", ...; NULL: unknown */
/* "a whole number (unit ns, 0 or more)". In the arena; "" without memory. */
const char *option_expectation(const struct tav_option *option, struct arena *arena);
/* As YAML that reads back as the same value. NULL: no memory. */
const char *option_value_yaml(const struct tav_option *option, const struct tav_value *value, struct arena *arena);
/* A text as a YAML scalar, quoted where it must be. NULL: no memory. */
const char *yaml_quote(const char *text, struct arena *arena);
/* `path` itself when absolute or `directory` is NULL. NULL: no memory. */
const char *path_resolve(const char *directory, const char *path, struct arena *arena);

bool text_to_bool(const char *text, bool *out);
bool text_to_int(const char *text, int64_t *out, bool *is_out_of_range); /* decimal, with a sign or not */
bool text_to_duration(const char *text, int64_t *out_ns, bool *is_out_of_range);
/* What a WINDOW means. Open ends are INT64_MIN and INT64_MAX; `is_absolute`: times as in the file, else since first_ns.
 */
struct window {
	int64_t from_ns, to_ns;
	bool is_absolute;
};
/* NULL: fine; else what is wrong with it, as the end of a sentence. */
const char *text_to_window(const char *text, struct window *out);

#endif
