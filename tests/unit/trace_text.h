/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a trace that stands in the test itself. */
#ifndef UNIT_TRACE_TEXT_H
#define UNIT_TRACE_TEXT_H

#include <stdio.h>
#include <string.h>

#include <reader/load.h>

/* Reads `size` bytes with the scanner named (NULL: the best), in blocks of `block_size`, by one thread or by several.
 */
static inline tav_status read_with(struct read_job *job, const struct wanted *wanted, const char *data, size_t size,
                                   bool is_lenient, size_t block_size, const char *code, unsigned threads)
{
	*job = (struct read_job){.path = "test",
	                         .wanted = wanted,
	                         .is_lenient = is_lenient,
	                         .is_trace_wanted = true,
	                         .threads = threads};
	return load_memory(job, data, size, block_size, scan_choose(code));
}

static inline tav_status read_bytes(struct read_job *job, const struct wanted *wanted, const char *data, size_t size,
                                    bool is_lenient, size_t block_size, const char *code)
{
	return read_with(job, wanted, data, size, is_lenient, block_size, code, 1);
}

/* Of numbers only the last few are kept. */
static inline struct tav_text value_of(const struct read_job *job, uint32_t id)
{
	static struct intern_room rooms[8];
	static unsigned next;

	return intern_text(&job->events->values, id, &rooms[next++ % 8]);
}

static inline const char *value_text(const struct read_job *job, uint32_t id)
{
	return value_of(job, id).data;
}

/* The value id of a field; 0: missing. */
static inline uint32_t field_id(const struct read_job *job, uint32_t wanted, tav_row row)
{
	uint64_t value;

	return field_get(&job->events->fields[wanted], TAV_TYPE_STRING, row, &value) ? (uint32_t)value : 0;
}

static inline const char *event_name(const struct read_job *job, tav_row row)
{
	const struct label *labels = job->events->labels.data;

	return value_text(job, labels[COLUMN(job->events, label, const uint32_t)[row]].name);
}

static inline const char *event_category(const struct read_job *job, tav_row row)
{
	const struct label *labels = job->events->labels.data;

	return value_text(job, labels[COLUMN(job->events, label, const uint32_t)[row]].category);
}

/* Everything that was read, or the error, as one text. */
static inline char *dump_job(const struct read_job *job, const struct wanted *wanted, tav_status status)
{
	const struct events *events = job->events;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (status) {
		fprintf(out, "error %d %llu:%llu @%llu after %llu: %s\n", (int)status,
		        (unsigned long long)job->error.line, (unsigned long long)job->error.column,
		        (unsigned long long)job->error.offset, (unsigned long long)job->error.events_read,
		        job->error.message ? job->error.message : "-");
	} else {
		fprintf(out, "form %u bytes %llu events %llu meta %llu unmatched %llu %llu rank %lld of %lld top %s\n",
		        events->form, (unsigned long long)events->bytes, (unsigned long long)events->event_count,
		        (unsigned long long)events->metadata_events, (unsigned long long)events->unmatched_begin,
		        (unsigned long long)events->unmatched_end, (long long)events->rank,
		        (long long)events->world_size, events->top_level);
		for (const struct notice *notice = events->notices; notice; notice = notice->next)
			fprintf(out, "notice %u %s x%llu %llu:%llu @%llu %s\n", notice->kind, notice->id,
			        (unsigned long long)notice->count, (unsigned long long)notice->line,
			        (unsigned long long)notice->column, (unsigned long long)notice->offset,
			        notice->message);
		for (uint64_t i = 0; i < events->unusable_count; i++)
			fprintf(out, "unusable %u %u %u\n", events->unusable[i].row, events->unusable[i].reason,
			        events->unusable[i].field);
		for (uint64_t i = 0; i < events->unmatched_count; i++) {
			const struct tav_unmatched *unmatched =
			        (const struct tav_unmatched *)events->unmatched.data + i;

			fprintf(out, "unmatched %c @%llu row %u\n", (int)unmatched->phase,
			        (unsigned long long)unmatched->offset, unmatched->row);
		}
		for (uint64_t i = 0; i < events->pair_end_count; i++) {
			const struct tav_unmatched *end = (const struct tav_unmatched *)events->pair_ends.data + i;

			fprintf(out, "end @%llu row %u\n", (unsigned long long)end->offset, end->row);
		}
		fprintf(out, "content %llx\ntexts", (unsigned long long)events->content);
		for (uint32_t id = 0; id < events->values.count; id++)
			fprintf(out, " '%s'", value_text(job, id));
		fputs("\nlabels", out);
		for (uint32_t id = 0; id < events->label_count; id++) {
			const struct label *label = (const struct label *)events->labels.data + id;

			fprintf(out, " %u:%u", label->category, label->name);
		}
		putc('\n', out);
	}
	for (tav_row row = 0; !status && row < events->row_count; row++) {
		fprintf(out, "%d [%lld, %lld) '%s' '%s' pid %s tid %s traits %x @%llu",
		        COLUMN(events, phase, const char)[row], (long long)COLUMN(events, start_ns, const int64_t)[row],
		        (long long)COLUMN(events, end_ns, const int64_t)[row], event_category(job, row),
		        event_name(job, row), value_text(job, COLUMN(events, pid, const uint32_t)[row]),
		        value_text(job, COLUMN(events, tid, const uint32_t)[row]),
		        COLUMN(events, traits, const uint32_t)[row],
		        (unsigned long long)COLUMN(events, offset, const uint64_t)[row]);
		for (uint32_t i = 0; i < wanted->count; i++) {
			uint32_t type = wanted->items[i].type;
			uint64_t value;
			double real;

			if (!field_get(&events->fields[i], type, row, &value)) {
				fputs(field_has_ids(type) ? " " : " -", out);
				continue;
			}
			memcpy(&real, &value, sizeof(real));
			if (field_has_ids(type))
				fprintf(out, " %s", value_text(job, (uint32_t)value));
			else if (type == TAV_TYPE_INT)
				fprintf(out, " %lld", (long long)value);
			else if (type == TAV_TYPE_REAL)
				fprintf(out, " %.17g", real);
			else
				fputs(" +", out);
		}
		putc('\n', out);
	}
	fclose(out);
	return text;
}

#endif
