/* SPDX-License-Identifier: Apache-2.0 */
/* Events of memory: their totals, and whether they are there. */
#include "structure.h"

static bool is_memory(const struct trust *trust, tav_row row)
{
	return trust->phase[row] == 'i' && word_of(trust, row) & WORD_MEMORY;
}

static bool has_memory(const struct trust *trust)
{
	return trust->all_words & WORD_MEMORY;
}

struct memory {
	const int64_t *total, *bytes;
	const uint64_t *has_total, *has_bytes;
	const uint32_t *type, *id;
};

static tav_status find_memory(const struct trust *trust, struct memory *memory)
{
	memory->total = field_of(trust, FIELD_TOTAL);
	memory->bytes = field_of(trust, FIELD_BYTES);
	memory->type = field_of(trust, FIELD_DEVICE_TYPE);
	memory->id = field_of(trust, FIELD_DEVICE_ID);
	memory->has_total = field_present(trust, FIELD_TOTAL);
	memory->has_bytes = field_present(trust, FIELD_BYTES);
	return memory->total && memory->bytes && memory->type && memory->id ? TAV_OK : TAV_FAILED;
}

/* ---- memory_sums ------------------------------------------------------------------------------------------------ */

struct change {
	int64_t time;
	tav_row row;
	uint32_t device;
};
struct device {
	int64_t total;
	bool is_there;
};

static int compare(const void *a, const void *b)
{
	const struct change *left = a, *right = b;

	if (left->time != right->time)
		return left->time < right->time ? -1 : 1;
	return left->row < right->row ? -1 : left->row > right->row;
}

static tav_status sum_up(struct trust *trust, const struct memory *memory, const struct change *changes, uint64_t count,
                         uint32_t devices, struct verdict *verdict, uint64_t *examined)
{
	struct device *last = trust->host->alloc(trust->self, devices * sizeof(*last));

	if (!last)
		return TAV_FAILED;
	*verdict = (struct verdict){.worst = TAV_NONE};
	*examined = 0;
	for (uint64_t i = 0; i < count; i++) {
		tav_row row = changes[i].row;
		struct device *device = &last[changes[i].device];
		int64_t wanted;

		if (device->is_there) {
			++*examined;
			if (__builtin_add_overflow(device->total, memory->bytes[row], &wanted) ||
			    wanted != memory->total[row])
				found(verdict, row);
		}
		*device = (struct device){memory->total[row], true};
	}
	return TAV_OK;
}

static tav_status run_sums(struct trust *trust, struct verdict *verdict)
{
	struct memory memory;
	struct tav_map devices;
	struct change *changes;
	uint64_t count = 0, used = 0, examined;
	struct verdict by_time;

	for (tav_row row = 0; row < trust->row_count && has_memory(trust); row++)
		count += is_memory(trust, row);
	if (!count)
		return does_not_apply(verdict);
	changes = trust->host->alloc(trust->self, count * sizeof(*changes));
	tav_map_init(&devices, trust->self);
	if (!changes || find_memory(trust, &memory))
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		uint32_t device;

		if (!is_memory(trust, row) || !has_time(trust, row) || !bit_is(memory.has_total, row) ||
		    !bit_is(memory.has_bytes, row))
			continue;
		device = tav_map_number(&devices, (uint64_t)memory.type[row] << 32 | memory.id[row]);
		if (device == TAV_NONE)
			return TAV_FAILED;
		changes[used++] = (struct change){trust->start[row], row, device};
	}
	/* Where threads race, neither order alone is right. */
	if (sum_up(trust, &memory, changes, used, devices.count, verdict, &examined))
		return TAV_FAILED;
	qsort(changes, used, sizeof(*changes), compare);
	if (sum_up(trust, &memory, changes, used, devices.count, &by_time, &examined))
		return TAV_FAILED;
	if (by_time.count < verdict->count)
		*verdict = by_time;
	if (!examined)
		return judge(verdict, TRUST_INCONCLUSIVE, 0, "no two totals of one device");
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "%s follow%s from the allocations",
		             COUNTED(examined, "memory total"), tav_does(examined));
	return judge(verdict, TRUST_WARN, examined, "%s of %s %s not the one before plus the bytes allocated",
	             COUNTED(verdict->count, ""), COUNTED(examined, "memory total"),
	             verdict->count == 1 ? "is" : "are");
}

const struct trust_check check_memory_sums = {
        .id = "memory_sums",
        .question = "Do the memory totals follow from the allocations?",
        .worst = TRUST_WARN,
        .absent = "no memory events",
        .text = "Each change of memory states its bytes and the total after it; a total must be the one before on that "
                "device plus the bytes. It is tried in file order and in time order, and the better one counts, since "
                "threads race.\n\nA jump means that events are missing or that the total was changed elsewhere.",
        .remedy = "do not read the curve of memory across these places",
        .run = run_sums,
};

/* ---- memory_floor ----------------------------------------------------------------------------------------------- */

static tav_status run_floor(struct trust *trust, struct verdict *verdict)
{
	struct memory memory;
	uint64_t examined = 0;

	if (!has_memory(trust))
		return does_not_apply(verdict);
	if (find_memory(trust, &memory))
		return TAV_FAILED;
	for (tav_row row = 0; row < trust->row_count; row++) {
		if (!is_memory(trust, row) || !bit_is(memory.has_total, row))
			continue;
		examined++;
		if (memory.total[row] < 0)
			found(verdict, row);
	}
	if (!examined)
		return does_not_apply(verdict);
	if (!verdict->count)
		return judge(verdict, TRUST_PASS, examined, "none of %s is below 0", COUNTED(examined, "memory total"));
	return judge(verdict, TRUST_NOTE, examined,
	             "%s of %s %s below 0: they count from the start of the recording, not from an empty memory",
	             COUNTED(verdict->count, ""), COUNTED(examined, "memory total"),
	             verdict->count == 1 ? "is" : "are");
}

const struct trust_check check_memory_floor = {
        .id = "memory_floor",
        .question = "Are the memory totals absolute?",
        .worst = TRUST_NOTE,
        .text = "A total below 0 is the sum since the recording began: what was allocated before is not in it, and was "
                "freed during it. The curve is right, its zero is not.",
        .run = run_floor,
};

/* ---- memory_present --------------------------------------------------------------------------------------------- */

static bool was_asked_for(const struct trust *trust)
{
	struct tav_text text = trust->host->metadata(trust->self, 0, "profile_memory");

	return trust->is_linked && (tav_text_is(text, "1") || tav_text_is(text, "true") || tav_text_is(text, "\"1\""));
}

static tav_status run_present(struct trust *trust, struct verdict *verdict)
{
	uint64_t count = 0;

	for (tav_row row = 0; row < trust->row_count && has_memory(trust); row++)
		count += is_memory(trust, row);
	if (count)
		return judge(verdict, TRUST_PASS, count, "%s, as profile_memory asks", COUNTED(count, "memory event"));
	verdict->count = 1;
	return judge(verdict, is_excerpt(trust) ? TRUST_NOTE : TRUST_WARN, 0,
	             "profile_memory is set, but there is no memory event%s",
	             is_excerpt(trust) ? ": this is an excerpt, see thinned" : "");
}

const struct trust_check check_memory_present = {
        .id = "memory_present",
        .question = "Are the memory events there that were asked for?",
        .worst = TRUST_WARN,
        .text = "The metadata say that memory was profiled (profile_memory), but no memory event is in the file: it "
                "was "
                "filtered, or the profiler lost them.",
        .remedy = "record again if memory matters",
        .applies = was_asked_for,
        .run = run_present,
};
