/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a source that the checks share. */
#include "trust.h"

static tav_status take_columns(struct trust *trust)
{
	const struct tav_host *host = trust->host;
	struct tav_self *self = trust->self;

	trust->start = host->column(self, 0, TAV_COL_START_NS);
	trust->end = host->column(self, 0, TAV_COL_END_NS);
	trust->label = host->column(self, 0, TAV_COL_LABEL);
	trust->pid = host->column(self, 0, TAV_COL_PID);
	trust->tid = host->column(self, 0, TAV_COL_TID);
	trust->traits = host->column(self, 0, TAV_COL_TRAITS);
	trust->track = host->column(self, 0, TAV_COL_TRACK);
	trust->phase = host->column(self, 0, TAV_COL_PHASE);
	return trust->start && trust->end && trust->label && trust->pid && trust->tid && trust->traits &&
	                       trust->track && trust->phase
	               ? TAV_OK
	               : tav_fail(self, "the trace lacks a column");
}

tav_status trust_take_links(struct trust *trust)
{
	trust->link = trust->host->column(trust->self, 0, TAV_COL_LINK);
	trust->operators = trust->host->column(trust->self, 0, TAV_COL_OPERATOR);
	return trust->link && trust->operators ? TAV_OK : tav_fail(trust->self, "the trace lacks the column of links");
}

/* Columns are read and sums are kept apart, so that the sums can stay in registers. */
tav_status trust_look(struct trust *trust)
{
	const uint32_t *traits = trust->traits;
	const int64_t *start = trust->start, *end = trust->end;
	struct span host = {INT64_MAX, INT64_MIN};
	uint64_t intervals = 0, calls = 0, operators = 0, kernels = 0;
	uint32_t all = 0;
	bool is_coarse = true;

	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t is_call = (traits[row] & TRUST_HOST_CALL) != 0,
		         is_operator = (traits[row] & TAV_TRAIT_HOST_OP) != 0;

		if (!(row & 0xffff) && trust->host->cancelled(trust->self))
			return TAV_CANCELLED;
		if (!(traits[row] & TAV_TRAIT_INTERVAL))
			continue;
		all |= traits[row];
		intervals++;
		is_coarse = is_coarse && start[row] % 1000 == 0 && end[row] % 1000 == 0;
		if (traits[row] & TAV_TRAIT_DEVICE || !(is_call | is_operator))
			continue;
		host.from = start[row] < host.from ? start[row] : host.from;
		host.to = end[row] > host.to ? end[row] : host.to;
		calls += is_call;
		operators += is_operator;
	}
	for (uint64_t i = 0; i < trust->device_count; i++)
		kernels += (traits[trust->devices[i]] & TAV_TRAIT_KERNEL) != 0;
	if (calls || operators) {
		trust->host_start = host.from;
		trust->host_end = host.to;
	}
	trust->interval_count = intervals;
	trust->call_count = calls;
	trust->operator_count = operators;
	trust->kernel_count = kernels;
	trust->all_traits = all;
	trust->res = is_coarse && intervals >= 10 ? 1000 : 1;
	return TAV_OK;
}

/* The device events are those of the list of links, and stand in its order. */
static tav_status find_devices(struct trust *trust)
{
	const struct tav_host *host = trust->host;
	const struct tav_links *links = host->extension(trust->self, TAV_LINKS_ID);

	if (!links)
		return tav_fail(trust->self, "the host does not offer %s", TAV_LINKS_ID);
	trust->device_of = host->alloc(trust->self, (size_t)trust->about->track_count * sizeof(*trust->device_of));
	if (!trust->device_of || links->links(trust->self, 0, &trust->links))
		return TAV_FAILED;
	trust->devices = trust->links->rows;
	trust->device_count = trust->links->count;
	for (uint32_t track = 0; track < trust->about->track_count; track++) {
		const struct tav_track *of = host->track(trust->self, 0, track);

		trust->device_of[track] = of && of->flags & TAV_TRACK_DEVICE ? of->device : TAV_NONE;
	}
	return TAV_OK;
}

tav_status trust_init(struct trust *trust, struct tav_self *self, uint8_t words)
{
	*trust = (struct trust){.self = self, .host = self->host, .about = self->host->source(self, 0)};
	if (!trust->about)
		return tav_fail(self, "there is no source to look at");
	trust->row_count = trust->about->row_count;
	trust->marks = self->host->extension(self, TAV_MARKS_ID);
	trust->has_dialect = trust->about->dialect.size && !tav_text_is(trust->about->dialect, "generic");
	trust->is_linked = tav_text_is(trust->about->dialect, "torch");
	return take_columns(trust) || find_devices(trust) ? TAV_FAILED : words_find(trust, words);
}

int64_t *trust_numbers(struct trust *trust)
{
	if (!trust->numbers)
		trust->numbers = trust->host->alloc(trust->self, trust->device_count * sizeof(*trust->numbers));
	return trust->numbers;
}

void trust_take_marks(struct trust *trust)
{
	if (!trust->marks)
		return;
	trust->rejected = (uint64_t *)(uintptr_t)trust->marks->get(trust->self, "timing", "rejected");
	trust->outside = (uint64_t *)(uintptr_t)trust->marks->get(trust->self, "timing", "outside");
	trust->is_timing_missing = !trust->rejected;
	for (uint64_t i = 0; i < trust->device_count; i++)
		trust->rejected_count += bit_is(trust->rejected, trust->devices[i]);
}

const struct tav_order *trust_tracks(struct trust *trust)
{
	if (!trust->by_track && trust->host->order(trust->self, 0, TAV_TRAIT_DEVICE, &trust->by_track))
		return NULL;
	return trust->by_track;
}

tav_status trust_walk(struct trust *trust, struct tav_walk *walk)
{
	const struct tav_order *order = trust_tracks(trust);

	return order ? tav_walk_init(walk, trust->self, order, trust->start) : TAV_FAILED;
}

const struct tav_order *trust_threads(struct trust *trust)
{
	if (!trust->by_thread && trust->host->order(trust->self, 0, 0, &trust->by_thread))
		return NULL;
	return trust->by_thread;
}

uint64_t *trust_bits(struct trust *trust)
{
	return trust->host->alloc(trust->self, ((size_t)trust->row_count / 64 + 1) * sizeof(uint64_t));
}

const char *lacks_devices(const struct trust *trust)
{
	if (trust->device_count)
		return NULL;
	return trust->has_dialect ? "no device events" : "no dialect knows this trace";
}

const char *lacks_times(const struct trust *trust)
{
	const char *lacks = lacks_devices(trust);

	if (!lacks && trust->rejected_count == trust->device_count)
		return "no device event with a believable time";
	return lacks;
}

bool needs_dialect(const struct trust *trust)
{
	return trust->has_dialect;
}

bool needs_links(const struct trust *trust)
{
	return trust->is_linked;
}

const char *short_text(struct tav_text text, char out[NAME_SIZE])
{
	size_t limit = NAME_SIZE - 20, size = text.size;

	if (!size)
		return "(without a name)";
	if (size > limit) {
		/* Not within a character of several bytes. */
		for (size = limit - 3; size && ((unsigned char)text.data[size] & 0xc0) == 0x80;)
			size--;
	}
	for (size_t i = 0; i < size; i++)
		out[i] = (unsigned char)text.data[i] < ' ' ? ' ' : text.data[i];
	memcpy(out + size, size < text.size ? "..." : "", size < text.size ? 4 : 1);
	return out;
}

const char *name_of_row(const struct trust *trust, tav_row row, char out[NAME_SIZE])
{
	if (row >= trust->row_count)
		return "(no event)";
	return short_text(trust->host->label(trust->self, 0, trust->label[row], NULL), out);
}
