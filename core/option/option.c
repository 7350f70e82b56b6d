/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <kit/pattern.h>
#include <kit/text.h>
#include <option/option.h>

static bool wrong(const struct option_reader *reader, const struct tav_option *option, const struct node *node,
                  const char *reason)
{
	diag_error(reader->diags, node->place, "%s, option '%s': %s", reader->owner, option->name, reason);
	return false;
}

static bool is_not(const struct option_reader *reader, const struct tav_option *option, const struct node *node)
{
	diag_error(reader->diags, node->place, "%s, option '%s': \"%s\" is not %s", reader->owner, option->name,
	           node->text, option_expectation(option, &reader->diags->arena));
	return false;
}

/* 010 is 8 to one reader of YAML and 10 to another. */
static bool is_octal(const struct option_reader *reader, const struct tav_option *option, const struct node *node)
{
	const char *digits = node->text + (*node->text == '-' || *node->text == '+');
	size_t zeros = strspn(digits, "0");

	if (!zeros || !digits[1] || digits[strspn(digits, "0123456789")])
		return false;
	diag_error(reader->diags, node->place,
	           "%s, option '%s': \"%s\" begins with 0, which some readers of YAML take for octal; write %s",
	           reader->owner, option->name, node->text, digits[zeros] ? digits + zeros : "0");
	return true;
}

static bool convert_int(const struct option_reader *reader, const struct tav_option *option, const struct node *node,
                        struct tav_value *value)
{
	bool is_duration = option->type == TAV_TYPE_DURATION, is_out;
	bool (*parse)(const char *, int64_t *, bool *) = is_duration ? text_to_duration : text_to_int;
	int64_t min, max;

	if (is_octal(reader, option, node))
		return false;
	if (!parse(node->text, &value->integer, &is_out))
		return is_out ? wrong(reader, option, node, "the number is too large") : is_not(reader, option, node);
	/* bounds were checked when the plugin was loaded */
	if ((option->min && parse(option->min, &min, &is_out) && value->integer < min) ||
	    (option->max && parse(option->max, &max, &is_out) && value->integer > max))
		return is_not(reader, option, node);
	return true;
}

static bool parse_real(const char *text, double *out)
{
	char *end;

	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return false; /* no blanks, hexadecimals, infinities */
	*out = strtod(text, &end);
	return !*end && isfinite(*out);
}

static bool convert_real(const struct option_reader *reader, const struct tav_option *option, const struct node *node,
                         struct tav_value *value)
{
	double bound;

	if (is_octal(reader, option, node))
		return false;
	if (!parse_real(node->text, &value->real) ||
	    (option->min && parse_real(option->min, &bound) && value->real < bound) ||
	    (option->max && parse_real(option->max, &bound) && value->real > bound))
		return is_not(reader, option, node);
	return true;
}

static bool convert_choice(const struct option_reader *reader, const struct tav_option *option, const struct node *node,
                           struct tav_value *value)
{
	for (uint32_t i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], node->text)) {
			value->integer = i;
			return true;
		}
	}
	diag_error(reader->diags, node->place, "%s, option '%s': \"%s\" is none of its choices%s", reader->owner,
	           option->name, node->text, diag_suggestion(reader->diags, node->text, option->choices));
	return false;
}

static bool convert_pattern(const struct option_reader *reader, const struct tav_option *option,
                            const struct node *node)
{
	char why[128];

	if (!*node->text)
		return wrong(reader, option, node, "an empty pattern matches every name");
	if (pattern_is_sound(node->text, why, sizeof(why)))
		return true;
	diag_error(reader->diags, node->place, "%s, option '%s': \"%s\" is not a POSIX extended regular expression: %s",
	           reader->owner, option->name, node->text, why);
	return false;
}

static bool convert_window(const struct option_reader *reader, const struct tav_option *option, const struct node *node,
                           struct tav_value *value)
{
	struct window window;
	const char *why = text_to_window(node->text, &window);

	if (why) {
		diag_error(reader->diags, node->place, "%s, option '%s': \"%s\" is not %s: %s", reader->owner,
		           option->name, node->text, option_expectation(option, &reader->diags->arena), why);
		return false;
	}
	value->integer = window.is_absolute;
	value->from_ns = window.from_ns;
	value->to_ns = window.to_ns;
	return true;
}

static bool convert_path(const struct option_reader *reader, const struct tav_option *option, const struct node *node,
                         struct tav_value *value)
{
	if (!*node->text)
		return wrong(reader, option, node, "the path is empty");
	bool is_stdin = option->type == TAV_TYPE_INPUT && !strcmp(node->text, "-");
	const char *path = path_resolve(is_stdin ? NULL : reader->directory, node->text, reader->arena);
	if (!path) {
		reader->diags->is_out_of_memory = true;
		return false;
	}
	value->text = text_of(path);
	return true;
}

static const struct tav_value *convert_scalar(const struct option_reader *reader, const struct tav_option *option,
                                              const struct node *node)
{
	bool is_ok = true;

	if (node->kind != NODE_SCALAR) {
		diag_error(reader->diags, node->place, "%s, option '%s': %s is not %s", reader->owner, option->name,
		           node_kind_name(node), option_expectation(option, &reader->diags->arena));
		return NULL;
	}
	if (node_is_null(node)) {
		wrong(reader, option, node,
		      option->type == TAV_TYPE_STRING ? "no value; write \"\" for an empty text" : "no value");
		return NULL;
	}
	struct tav_value *value = arena_alloc(reader->arena, sizeof(*value));
	char *text = arena_copy(reader->arena, node->text, strlen(node->text));
	if (!value || !text) {
		reader->diags->is_out_of_memory = true;
		return NULL;
	}
	*value = (struct tav_value){.struct_size = sizeof(*value),
	                            .given = 1,
	                            .text = text_of(text),
	                            .from_ns = INT64_MIN,
	                            .to_ns = INT64_MAX};
	bool word;
	switch (option->type) {
	case TAV_TYPE_BOOL:
		is_ok = text_to_bool(node->text, &word) || is_not(reader, option, node);
		value->integer = is_ok && word;
		break;
	case TAV_TYPE_INT:
	case TAV_TYPE_DURATION:
		is_ok = convert_int(reader, option, node, value);
		break;
	case TAV_TYPE_REAL:
		is_ok = convert_real(reader, option, node, value);
		break;
	case TAV_TYPE_CHOICE:
		is_ok = convert_choice(reader, option, node, value);
		break;
	case TAV_TYPE_WINDOW:
		is_ok = convert_window(reader, option, node, value);
		break;
	case TAV_TYPE_PATTERN:
		is_ok = convert_pattern(reader, option, node);
		break;
	case TAV_TYPE_FIELD:
		value->integer = -1; /* a column number, once it is known who else reads what */
		is_ok = (*node->text && strcmp(node->text, "args.")) || is_not(reader, option, node);
		break;
	case TAV_TYPE_INPUT:
		value->integer = -1; /* the number of a companion, in each() */
		is_ok = convert_path(reader, option, node, value);
		break;
	case TAV_TYPE_FILE:
		is_ok = convert_path(reader, option, node, value);
		break;
	default:
		break;
	}
	return is_ok ? value : NULL;
}

const struct tav_value *option_value(const struct option_reader *reader, const struct tav_option *option,
                                     const struct node *node)
{
	if (!(option->flags & TAV_OPT_MANY))
		return convert_scalar(reader, option, node);
	if (node->kind != NODE_LIST) {
		if (node->kind == NODE_SCALAR && !node_is_null(node))
			diag_error(reader->diags, node->place, "%s, option '%s': \"%s\" is not a list; write [%s]",
			           reader->owner, option->name, node->text, node->text);
		else
			diag_error(reader->diags, node->place, "%s, option '%s': %s is not a list", reader->owner,
			           option->name, node_kind_name(node));
		return NULL;
	}
	struct tav_value *value = arena_alloc(reader->arena, sizeof(*value));
	const struct tav_value **items = arena_array(reader->arena, node->count, sizeof(const struct tav_value *));
	if (!value || !items) {
		reader->diags->is_out_of_memory = true;
		return NULL;
	}
	*value = (struct tav_value){.struct_size = sizeof(*value), .given = 1, .text = {"", 0}, .items = items};
	bool is_ok = true;
	for (uint32_t i = 0; i < node->count; i++) {
		items[i] = convert_scalar(reader, option, node->items[i]);
		is_ok &= items[i] != NULL;
	}
	value->count = node->count;
	return is_ok ? value : NULL;
}

const struct tav_value *option_preset(const struct option_reader *reader, const struct tav_option *option)
{
	struct tav_value *value;

	if (!option->preset) {
		value = arena_alloc(reader->arena, sizeof(*value));
		if (!value) {
			reader->diags->is_out_of_memory = true;
			return NULL;
		}
		*value = (struct tav_value){
		        .struct_size = sizeof(*value), .text = {"", 0}, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
		if (option->type == TAV_TYPE_FIELD || option->type == TAV_TYPE_INPUT || option->type == TAV_TYPE_CHOICE)
			value->integer = -1;
		return value;
	}
	struct diag_text *text = arena_alloc(reader->arena, sizeof(*text));
	if (!text) {
		reader->diags->is_out_of_memory = true;
		return NULL;
	}
	*text = (struct diag_text){"default", option->preset, strlen(option->preset), true};
	struct node plain = {.kind = NODE_SCALAR, .place = {.text = text}, .text = option->preset};
	struct node *node = &plain; /* not parsed: a pattern or a path may hold what YAML takes for syntax */
	if (option->flags & TAV_OPT_MANY)
		node = yaml_parse(text, reader->arena, reader->diags);
	value = node ? (struct tav_value *)(uintptr_t)option_value(reader, option, node) : NULL;
	if (value) {
		value->given = 0;
		for (uint64_t i = 0; i < value->count; i++)
			((struct tav_value *)(uintptr_t)value->items[i])->given = 0;
	}
	return value;
}

static bool is_option_name(const char *name)
{
	return *name >= 'a' && *name <= 'z' && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

/* NULL: `text` is a bound that the type can have. */
static const char *bound_error(const struct tav_option *option, const char *text, struct arena *arena)
{
	int64_t integer;
	double real;
	bool is_out, is_ok = false;

	if (!text)
		return NULL;
	if (option->type == TAV_TYPE_INT)
		is_ok = text_to_int(text, &integer, &is_out);
	else if (option->type == TAV_TYPE_DURATION)
		is_ok = text_to_duration(text, &integer, &is_out);
	else if (option->type == TAV_TYPE_REAL)
		is_ok = parse_real(text, &real);
	return is_ok ? NULL : arena_printf(arena, "option '%s' has the bound \"%s\"", option->name, text);
}

const char *option_declaration_error(const struct tav_option *options, uint32_t count, struct arena *arena)
{
	/* the host's own keys of a stage, now and as planned; "max_instances" a stage may have as its own */
	static const char *const reserved[] = {"stage", "id", "severity", "checks", "waivers", NULL};
	static const uint32_t flags =
	        TAV_OPT_REQUIRED | TAV_OPT_MANY | TAV_OPT_DEPRECATED | TAV_OPT_LATE | TAV_OPT_BASELINE;

	for (uint32_t i = 0; i < count; i++) {
		const struct tav_option *option = &options[i];

		if (!option->name)
			return arena_printf(arena, "option %u has no name", i);
		if (!is_option_name(option->name))
			return arena_printf(
			        arena, "option '%s': a name is a letter, then letters, digits and '_', in lower case",
			        option->name);
		for (const char *const *name = reserved; *name; name++) {
			if (!strcmp(option->name, *name))
				return arena_printf(arena, "option '%s': this key belongs to the host", option->name);
		}
		for (uint32_t j = 0; j < i; j++) {
			if (!strcmp(options[j].name, option->name))
				return arena_printf(arena, "option '%s' is declared twice", option->name);
		}
		if (!option_type_name(option->type))
			return arena_printf(arena, "option '%s' has the unknown type %u", option->name, option->type);
		if (option->flags & ~flags)
			return arena_printf(arena, "option '%s' has unknown flags 0x%x", option->name, option->flags);
		if (option->flags & TAV_OPT_BASELINE && option->type != TAV_TYPE_INPUT)
			return arena_printf(arena, "option '%s' is a baseline, and no INPUT", option->name);
		if (option->flags & TAV_OPT_LATE && option->type == TAV_TYPE_FIELD)
			return arena_printf(arena, "option '%s' names a field, and cannot be late: each() reads it",
			                    option->name);
		if (option->type == TAV_TYPE_CHOICE && (!option->choices || !option->choices[0]))
			return arena_printf(arena, "option '%s' is a choice without choices", option->name);
		const char *error = bound_error(option, option->min, arena);
		if (!error)
			error = bound_error(option, option->max, arena);
		if (error)
			return error;
	}
	return NULL;
}
