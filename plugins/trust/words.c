/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the names that producers write mean to the checks, each said once and found once for each distinct label. Kinds
 * of events and of calls are not among them: those are the dialect's.
 */
#include "trust.h"

enum how { IS, STARTS, HOLDS };
static const struct {
	uint8_t word;
	bool is_category; /* else the name */
	enum how how;
	const char *text; /* in small letters; what a name holds is no category */
} words[] = {
        {WORD_RECORDING, true, IS, "trace"},
        {WORD_WINDOW_MARK, false, STARTS, "iteration start: "},
        {WORD_WINDOW_MARK, false, IS, "record window end"},
        {WORD_MEMORY, false, IS, "[memory]"},
        {WORD_PROFILER_ENTRY, false, HOLDS, "_record_function_enter"},
        {WORD_PROFILER_ENTRY, false, HOLDS, "_record_function_exit"},
        {WORD_PROFILER_ENTRY, false, HOLDS, "_recordfunction"},
        {WORD_PROFILER_FRAME, false, STARTS, "torch/profiler/"},
        {WORD_SHARE, false, HOLDS, "utilization"},
        {WORD_SHARE, false, HOLDS, "utilisation"},
        {WORD_SHARE, false, HOLDS, "efficiency"},
        {WORD_SHARE, false, HOLDS, "percent"},
        {WORD_SHARE, false, HOLDS, "occupancy"},
        {WORD_LAUNCH_FLOW, true, IS, "ac2g"},
        {WORD_LAUNCH_FLOW, true, IS, "async_cpu_to_gpu"},
        {WORD_LAUNCH_FLOW, true, IS, "async"},
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins(const char *data, const char *word, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (small(data[i]) != word[i])
			return false;
	}
	return true;
}

static bool fits(struct tav_text text, enum how how, const char *word)
{
	size_t size = strlen(word);

	return how == IS ? text.size == size && begins(text.data, word, size)
	                 : how == STARTS && text.size >= size && begins(text.data, word, size);
}

/* For each first letter the words that a text may hold: bit i for words[i]. */
struct first {
	uint32_t letters[256];
};

/* False: nothing of what is wanted is held. */
static bool find_first(struct first *first, uint8_t wanted)
{
	bool is_any = false;

	*first = (struct first){{0}};
	for (unsigned i = 0; i < WORDS; i++) {
		unsigned char letter = (unsigned char)*words[i].text;

		if (words[i].how != HOLDS || !(words[i].word & wanted))
			continue;
		is_any = true;
		first->letters[letter] |= 1u << i;
		if (letter >= 'a' && letter <= 'z')
			first->letters[letter - 'a' + 'A'] |= 1u << i;
	}
	return is_any;
}

static uint8_t held(const struct first *first, struct tav_text text)
{
	uint8_t found = 0;

	for (size_t at = 0; at < text.size; at++) {
		for (uint32_t bits = first->letters[(unsigned char)text.data[at]]; bits; bits &= bits - 1) {
			unsigned i = (unsigned)__builtin_ctz(bits);
			size_t size = strlen(words[i].text);

			if (size <= text.size - at && begins(text.data + at, words[i].text, size))
				found |= words[i].word;
		}
	}
	return found;
}

tav_status words_find(struct trust *trust, uint8_t wanted)
{
	uint32_t count = trust->host->label_count(trust->self, 0);
	struct first first;
	bool is_any = find_first(&first, wanted);

	trust->words = trust->host->alloc(trust->self, (size_t)count + 1);
	trust->calls = trust->host->alloc(trust->self, (size_t)count + 1);
	if (!trust->words || !trust->calls)
		return TAV_FAILED;
	for (uint32_t label = 0; label < count; label++) {
		struct tav_text category, name = trust->host->label(trust->self, 0, label, &category);

		for (unsigned i = 0; i < WORDS; i++) {
			if (words[i].word & wanted &&
			    fits(words[i].is_category ? category : name, words[i].how, words[i].text))
				trust->words[label] |= words[i].word;
		}
		if (is_any)
			trust->words[label] |= held(&first, name);
		trust->all_words |= trust->words[label];
		trust->calls[label] = (uint8_t)trust->host->label_call(trust->self, 0, label);
		if (trust->calls[label] < sizeof(trust->has_call))
			trust->has_call[trust->calls[label]] = true;
	}
	return TAV_OK;
}
