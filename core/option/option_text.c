/* SPDX-License-Identifier: Apache-2.0 */
/* Single words to numbers, and values back to text. */
#include <ctype.h>
#include <string.h>

#include <kit/text.h>
#include <option/option.h>

bool text_to_bool(const char *text, bool *out)
{
	static const char *const words[2][6] = {{"false", "no", "off", "False", "FALSE", NULL},
	                                        {"true", "yes", "on", "True", "TRUE", NULL}};

	for (int value = 0; value < 2; value++) {
		for (const char *const *word = words[value]; *word; word++) {
			if (!strcmp(text, *word)) {
				*out = value;
				return true;
			}
		}
	}
	return false;
}

bool text_to_int(const char *text, int64_t *out, bool *is_out_of_range)
{
	bool is_negative = *text == '-';
	int64_t value = 0;

	*is_out_of_range = false;
	text += *text == '-' || *text == '+';
	if (!*text)
		return false;
	for (; *text; text++) {
		if (!isdigit((unsigned char)*text))
			return false;
		int digit = *text - '0';
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, is_negative ? -digit : digit, &value))
			*is_out_of_range = true;
	}
	*out = value;
	return !*is_out_of_range;
}

bool text_to_duration(const char *text, int64_t *out_ns, bool *is_out_of_range)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {{"", 1},         {"ns", 1},         {"us", 1000},         {"\xc2\xb5s", 1000}, {"\xce\xbcs", 1000},
	             {"ms", 1000000}, {"s", 1000000000}, {"min", 60000000000}, {"h", 3600000000000}};
	bool is_negative = *text == '-';
	int64_t whole = 0, fraction = 0, scale = 1, unit = 0;

	*is_out_of_range = false;
	text += *text == '-' || *text == '+';
	if (!isdigit((unsigned char)*text))
		return false;
	for (; isdigit((unsigned char)*text); text++) {
		if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, *text - '0', &whole))
			*is_out_of_range = true;
	}
	if (*text == '.') {
		if (!isdigit((unsigned char)*++text))
			return false;
		for (; isdigit((unsigned char)*text); text++) {
			if (scale < 1000000000000) { /* what comes behind cannot be a whole ns, unless it is 0 */
				scale *= 10;
				fraction = fraction * 10 + (*text - '0');
			} else if (*text != '0') {
				return false;
			}
		}
	}
	text += *text == ' ';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(text, units[i].name))
			unit = units[i].ns;
	}
	if (!unit)
		return false;
	/* fraction < 1e12 and unit <= 3.6e12: their product needs more than 64 bits */
	for (; scale > 1 && fraction % 10 == 0; scale /= 10)
		fraction /= 10;
	int64_t part;
	if (__builtin_mul_overflow(fraction, unit, &part) || part % scale)
		return false;
	int64_t value;
	if (__builtin_mul_overflow(whole, unit, &value) || __builtin_add_overflow(value, part / scale, &value))
		*is_out_of_range = true;
	*out_ns = is_negative ? -value : value;
	return !*is_out_of_range;
}

/* One end of a window, as it stands between `data` and its end; empty: open. */
static const char *window_end(const char *data, size_t size, bool is_absolute, int64_t *out)
{
	char text[64];
	bool is_out;

	if (!size)
		return NULL;
	if (size + sizeof("us") > sizeof(text))
		return "an end of it is too long";
	snprintf(text, sizeof(text), "%.*s%s", (int)size, data, is_absolute ? "us" : "");
	if (is_absolute && !isdigit((unsigned char)text[size - 1]))
		return "a time as in the file is a number of microseconds, without a unit";
	if (!text_to_duration(text, out, &is_out))
		return is_out ? "an end of it is too large"
		              : "an end of it is not a duration (such as 250ns, 5us, 1.5ms, 2s)";
	return *out < 0 && !is_absolute ? "nothing stands before the first event" : NULL;
}

const char *text_to_window(const char *text, struct window *out)
{
	const char *dots = strstr(text, ".."), *behind = dots ? dots + 2 : NULL;
	/* "1...5": the point belongs to neither number */
	if (!dots || *behind == '.' || strstr(behind, ".."))
		return "it has no '..' between two times";
	size_t before = (size_t)(dots - text);
	bool is_from_absolute = *text == '@', is_to_absolute = *behind == '@';

	if ((before && *behind && is_from_absolute != is_to_absolute) || (!before && !*behind))
		return before ? "only one end of it has the '@' of a time as in the file" : "both ends of it are open";
	text += is_from_absolute;
	before -= is_from_absolute;
	behind += is_to_absolute;
	if ((is_from_absolute && !before) || (is_to_absolute && !*behind))
		return "a number is missing behind '@'";
	*out = (struct window){INT64_MIN, INT64_MAX, is_from_absolute || is_to_absolute};
	const char *why = window_end(text, before, out->is_absolute, &out->from_ns);
	if (!why)
		why = window_end(behind, strlen(behind), out->is_absolute, &out->to_ns);
	if (!why && out->from_ns >= out->to_ns)
		why = "it ends before it begins";
	return why;
}

const char *option_type_name(uint32_t type)
{
	static const char *const names[] = {
	        [TAV_TYPE_BOOL] = "boolean",    [TAV_TYPE_INT] = "whole number", [TAV_TYPE_REAL] = "number",
	        [TAV_TYPE_STRING] = "text",     [TAV_TYPE_CHOICE] = "choice",    [TAV_TYPE_DURATION] = "duration",
	        [TAV_TYPE_PATTERN] = "pattern", [TAV_TYPE_FIELD] = "field",      [TAV_TYPE_INPUT] = "trace file",
	        [TAV_TYPE_FILE] = "file",       [TAV_TYPE_WINDOW] = "window"};

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : NULL;
}

/* "_ns" and "_bytes" at the end of a name are units by the convention of all options. */
static const char *unit_of(const struct tav_option *option)
{
	static const char *const units[] = {"_ns", "_us", "_ms", "_bytes", "_percent", NULL};
	size_t size = strlen(option->name);

	for (const char *const *unit = units; *unit; unit++) {
		size_t length = strlen(*unit);

		if (size > length && !strcmp(option->name + size - length, *unit))
			return *unit + 1;
	}
	return NULL;
}

const char *option_expectation(const struct tav_option *option, struct arena *arena)
{
	const char *unit = option->type == TAV_TYPE_INT || option->type == TAV_TYPE_REAL ? unit_of(option) : NULL;
	const char *text = NULL, *bounds = "";

	if (option->min && option->max)
		bounds = arena_printf(arena, "%s to %s", option->min, option->max);
	else if (option->min)
		bounds = arena_printf(arena, "%s or more", option->min);
	else if (option->max)
		bounds = arena_printf(arena, "%s or less", option->max);
	if (!bounds)
		return "";
	switch (option->type) {
	case TAV_TYPE_BOOL:
		return "a boolean (true or false)";
	case TAV_TYPE_INT:
	case TAV_TYPE_REAL:
		text = option->type == TAV_TYPE_INT ? "a whole number" : "a number";
		if (unit)
			text = arena_printf(arena, "%s (unit %s%s%s)", text, unit, *bounds ? ", " : "", bounds);
		else if (*bounds)
			text = arena_printf(arena, "%s (%s)", text, bounds);
		break;
	case TAV_TYPE_DURATION:
		text = arena_printf(arena, "a duration (such as 250ns, 5us, 1.5ms, 2s%s%s)", *bounds ? "; " : "",
		                    bounds);
		break;
	case TAV_TYPE_WINDOW:
		return "a window of time (such as 10ms..25ms, ..25ms, 10ms.., or @TS..@TS with times as in the file)";
	case TAV_TYPE_PATTERN:
		return "a POSIX extended regular expression";
	case TAV_TYPE_FIELD:
		return "a field of an event (such as args.device)";
	case TAV_TYPE_INPUT:
	case TAV_TYPE_FILE:
		return "a path";
	case TAV_TYPE_CHOICE:
		return "one of its choices";
	default:
		return "a text";
	}
	return text ? text : "";
}

static bool is_plain_word(const char *text)
{
	static const char *const taken[] = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", NULL};

	if (!isalnum((unsigned char)*text) && *text != '/' && *text != '_')
		return false;
	for (const char *const *word = taken; *word; word++) {
		if (!strcasecmp(text, *word))
			return false;
	}
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-")] == '\0';
}

const char *yaml_quote(const char *text, struct arena *arena)
{
	if (is_plain_word(text))
		return text;
	char *out = arena_alloc(arena, strlen(text) * 4 + 3), *end = out;
	if (!out)
		return NULL;
	*end++ = '"';
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte < 0x20 || byte == 0x7f) {
			end += sprintf(end, "\\x%02x", byte);
			continue;
		}
		if (byte == '"' || byte == '\\')
			*end++ = '\\';
		*end++ = *text;
	}
	*end++ = '"';
	*end = '\0';
	return out;
}

static const char *scalar_yaml(const struct tav_option *option, const struct tav_value *value, struct arena *arena)
{
	switch (option->type) {
	case TAV_TYPE_BOOL:
		return value->integer ? "true" : "false";
	case TAV_TYPE_INT:
		return arena_printf(arena, "%lld", (long long)value->integer);
	case TAV_TYPE_REAL:
	case TAV_TYPE_DURATION:
		return value->text.data;
	default:
		return yaml_quote(value->text.data, arena);
	}
}

const char *option_value_yaml(const struct tav_option *option, const struct tav_value *value, struct arena *arena)
{
	if (!(option->flags & TAV_OPT_MANY))
		return scalar_yaml(option, value, arena);
	const char *text = "[";
	for (uint64_t i = 0; i < value->count && text; i++) {
		const char *item = scalar_yaml(option, value->items[i], arena);

		text = item ? arena_printf(arena, "%s%s%s", text, i ? ", " : "", item) : NULL;
	}
	return text ? arena_printf(arena, "%s]", text) : NULL;
}

const char *path_resolve(const char *directory, const char *path, struct arena *arena)
{
	if (*path == '/' || !directory || !*directory)
		return arena_copy(arena, path, strlen(path));
	return arena_printf(arena, "%s/%s", directory, path);
}
