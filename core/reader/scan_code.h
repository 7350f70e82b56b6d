/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner from the first byte to the last. Included once for each instruction set, as SCAN_CODE. */
#include <reader/scan_events.h>

static const char *no_trace_events(struct scan *scan, const char *p)
{
	return scan_fail(scan, p, "not a trace: the object has no traceEvents, and is no event, having no \"ph\"%s",
	                 scan_hint(scan));
}

/* The members of the first object, until it turns out what it is. */
static const char *first_object(struct scan *scan, const char *object)
{
	const char *p = skip_blank(object + 1), *text;
	bool has_phase = false;
	size_t size;
	struct value value;

	if (!scan->is_further)
		scan->top_size = 0;
	while (*p != '}') {
		const char *member = p;

		p = read_key(scan, p, &text, &size);
		if (!p)
			return NULL;
		if (size == 11 && !memcmp(text, "traceEvents", 11)) {
			if (*p != '[')
				return scan_stop(scan, p, "'[' of the list behind traceEvents");
			if (!scan_commit(scan))
				return scan_no_memory(scan);
			scan->form = TAV_FORM_OBJECT;
			scan->has_top = true;
			scan->place = PLACE_FIRST_EVENT;
			scan->keep = p + 1;
			return p + 1;
		}
		has_phase |= size == 2 && !memcmp(text, "ph", 2);
		p = read_value(scan, p, &value);
		if (!p)
			return NULL;
		if (!scan_add_top(scan, member, (size_t)(p - member)))
			return scan_no_memory(scan);
		p = skip_blank(p);
		if (*p == ',') {
			const char *comma = p;

			p = skip_blank(p + 1);
			if (*p == '}' && !scan->is_lenient)
				return scan_fail(scan, comma, "trailing comma before '}'");
			if (*p == '}')
				scan_pend(scan, PENDING_TRAILING_COMMA, comma);
			else if (*p != '"')
				return scan_stop(scan, p, "a key in double quotes");
		} else if (*p != '}') {
			return scan_stop(scan, p, "',' or '}' behind a value");
		}
	}
	if (!has_phase)
		return no_trace_events(scan, object);
	scan_forget(scan); /* it is read again, as an event */
	if (!scan->is_further)
		scan->top_size = 0;
	scan->form = TAV_FORM_LINES;
	scan->place = PLACE_EVENT;
	return object;
}

static const char *start(struct scan *scan, const char *p)
{
	const unsigned char *bytes = (const unsigned char *)p;

	if (!scan->view.offset && !scan->is_further) {
		if (scan->view.end - p < 4 && !scan->view.is_last) {
			scan->result = SCAN_MORE;
			return NULL;
		}
		if (p == scan->view.end)
			return scan_fail(scan, p, "there is nothing in it: the file is empty");
		if ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff) ||
		    (scan->view.end - p > 1 && !bytes[0] != !bytes[1]))
			return scan_fail(scan, p,
			                 "the text is UTF-16, and JSON is exchanged as UTF-8: convert it (iconv -f "
			                 "UTF-16 -t UTF-8)");
		if (bytes[0] == 0x1f && bytes[1] == 0x8b)
			return scan_fail(scan, p, "gzip within gzip: the file was compressed twice");
		if (bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf)
			p += 3;
	}
	p = skip_blank(p);
	if (p == scan->view.end && scan->view.is_last)
		return scan_fail(scan, p, "nothing but white space: the file is empty");
	scan->keep = p;
	if (*p == '{')
		return first_object(scan, p);
	if (*p != '[')
		return scan_stop(scan, p, "'{' or '[' at the start of a trace");
	scan->has_bracket = true;
	scan->place = PLACE_FIRST_EVENT;
	scan->keep = p + 1;
	return p + 1;
}

/* The members behind the list of events. */
static void last_members(struct scan *scan, const char *p)
{
	const char *text;
	struct value value;
	size_t size;

	for (;;) {
		p = skip_blank(p);
		scan->keep = p;
		scan->scratch_used = 0;
		const char *comma = p;
		if (*p == ',') {
			p = skip_blank(p + 1);
			if (*p == '}' && !scan->is_lenient) {
				scan_fail(scan, comma, "trailing comma before '}'");
				return;
			}
			scan->key_size = 0;
			if (*p == '}')
				scan_pend(scan, PENDING_TRAILING_COMMA, comma);
		} else if (*p != '}') {
			scan_stop(scan, p, "',' or '}' behind a value");
			return;
		}
		if (*p == '}') {
			if (!scan_commit(scan))
				scan_no_memory(scan);
			scan->place = PLACE_END;
			scan->keep = p + 1;
			return;
		}
		const char *member = p;
		p = read_key(scan, p, &text, &size);
		if (!p)
			return;
		if (size == 11 && !memcmp(text, "traceEvents", 11)) {
			scan_fail(scan, member, "duplicate key traceEvents: this file has two lists of events");
			return;
		}
		p = read_value(scan, p, &value);
		if (p && p >= scan->view.end)
			scan_stop(scan, p, "',' or '}' behind a value");
		if (!p || scan->result)
			return;
		if (!scan_add_top(scan, member, (size_t)(p - member)) || !scan_commit(scan)) {
			scan_no_memory(scan);
			return;
		}
	}
}

/* Behind the end of a document: another one, or something else. NULL: it stops. */
static const char *next_document(struct scan *scan, const char *p)
{
	if (*p != '{' && *p != '[')
		return scan_fail(
		        scan, p,
		        "something stands behind the end of the trace, where nothing but white space may come");
	if (!scan->is_lenient)
		return scan_fail(
		        scan, p,
		        "a second document begins here, and a trace is one JSON document: some profilers write "
		        "several (one for each stream); --lenient reads them all as one trace");
	if (!scan->is_further)
		scan->first_form = scan->form;
	scan->is_further = true;
	scan->key_size = 0;
	scan_pend(scan, PENDING_DOCUMENT, p);
	if (!scan_commit(scan))
		return scan_no_memory(scan);
	scan->has_bracket = scan->has_top = false;
	scan->form = TAV_FORM_EMPTY;
	scan->place = PLACE_START;
	scan->level = 0;
	return start(scan, p);
}

enum scan_result SCAN_CODE(struct scan *scan)
{
	const char *p = scan->view.begin;

	scan->result = SCAN_OK;
	scan->keep = p;
	scan->level = 0;
	scan->step = NULL;
	scan->is_opened = false;
	scan->scratch_used = 0;
	scan->key_size = 0;
	scan_forget(scan);
	if (scan->place == PLACE_START && !start(scan, p))
		return scan->result;
	while (scan->result == SCAN_OK) {
		p = scan->keep;
		if (scan->is_part && scan->place >= PLACE_AFTER_MEMBER)
			break;
		if (scan->place == PLACE_AFTER_MEMBER) {
			last_members(scan, p);
		} else if (scan->place != PLACE_END) {
			read_events(scan, p);
		} else {
			p = skip_blank(p);
			scan->keep = p;
			if (p >= scan->view.end) {
				scan->result = scan->view.is_last ? SCAN_OK : SCAN_MORE;
				break;
			}
			if (!next_document(scan, p))
				break;
		}
	}
	return scan->result;
}
