/* SPDX-License-Identifier: Apache-2.0 */
/* Digits by hand: printf would take most of the time. */
#include <string.h>

#include "gen.h"

#define PUT(sink, literal) put((sink), (literal), sizeof(literal) - 1)

static inline void put(struct sink *sink, const char *text, size_t size)
{
	memcpy(sink->at, text, size);
	sink->at += size;
}

static inline void put_number(struct sink *sink, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	put(sink, digits + at, sizeof(digits) - at);
}

static inline void put_hex(struct sink *sink, uint32_t number)
{
	for (unsigned shift = 32; shift; shift -= 4)
		*sink->at++ = "0123456789abcdef"[number >> (shift - 4) & 15];
}

/* ns, as microseconds with three decimals */
static inline void put_time(struct sink *sink, int64_t ns)
{
	uint64_t rest = (uint64_t)ns % 1000;

	put_number(sink, (uint64_t)ns / 1000);
	*sink->at++ = '.';
	*sink->at++ = (char)('0' + rest / 100);
	*sink->at++ = (char)('0' + rest / 10 % 10);
	*sink->at++ = (char)('0' + rest % 10);
}

/* Key and number as an element of an object: `text` holds what stands between. */
#define PUT_FIELD(sink, text, number) (PUT(sink, text), put_number(sink, number))

static void put_separator(struct sink *sink, const struct gen_options *options, bool is_first)
{
	if (options->form != FORM_LINES && !is_first)
		PUT(sink, ",");
	PUT(sink, "\n");
}

void write_head(struct sink *sink, const struct gen_options *options, const struct defect *defect,
                const struct fault *fault)
{
	if (defect && defect->before)
		put(sink, defect->before, strlen(defect->before));
	if (options->form != FORM_OBJECT) {
		PUT(sink, "[");
		return;
	}
	PUT(sink, "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [");
	for (uint64_t i = 0; i < options->devices && !options->is_native; i++) {
		sink_room(sink);
		if (i)
			PUT(sink, ",");
		PUT_FIELD(sink, "\n    {\n      \"id\": ", i);
		PUT(sink, ", \"name\": \"Example Accelerator 80GB\", \"totalGlobalMem\": 85899345920,\n"
		          "      \"computeMajor\": 8, \"computeMinor\": 0,\n"
		          "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
		          "      \"regsPerBlock\": 65536, \"warpSize\": 32, \"numSms\": 108\n    }");
	}
	PUT_FIELD(sink, "\n  ],\n  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": ", options->rank);
	PUT_FIELD(sink, ", \"world_size\": ", options->world_size ? options->world_size : options->rank + 1);
	PUT(sink, "}");
	if (fault && fault->metadata)
		put(sink, fault->metadata, strlen(fault->metadata));
	PUT(sink, ",\n  \"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": 0,\n  \"traceEvents\": [");
}

void write_tail(struct sink *sink, const struct gen_options *options, const struct defect *defect)
{
	if (defect && defect->tail)
		put(sink, defect->tail, strlen(defect->tail));
	if (defect && defect->is_unclosed)
		return;
	PUT(sink, "\n]");
	if (options->form == FORM_OBJECT)
		PUT(sink, ",\n  \"traceName\": \"tav-gen\"\n}");
	PUT(sink, "\n");
}

void write_extra(struct sink *sink, const struct gen_options *options, const char *text, bool is_first)
{
	sink_room(sink);
	put_separator(sink, options, is_first);
	put(sink, text, strlen(text));
}

/* ---- Metadata --------------------------------------------------------------------------------------------------- */
static void write_meta(struct sink *sink, const struct plan *plan, uint64_t number)
{
	uint64_t devices = plan->options->devices;

	if (plan->options->is_native) {
		PUT_FIELD(sink, "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": ", number);
		PUT(sink, ", \"tid\": 0, \"args\": {\"name\": \"AIU\"}}");
	} else if (number < 3 * devices) {
		static const char *const names[] = {"process_name", "process_labels", "process_sort_index"};
		static const char *const values[] = {"\"name\": \"python\"", "\"labels\": \"GPU\"",
		                                     "\"sort_index\": 5000000"};

		PUT(sink, "{\"name\": \"");
		put(sink, names[number % 3], strlen(names[number % 3]));
		PUT_FIELD(sink, "\", \"ph\": \"M\", \"ts\": 1669783687384669.000, \"pid\": ", number / 3);
		PUT(sink, ", \"tid\": 0, \"args\": {");
		put(sink, values[number % 3], strlen(values[number % 3]));
		PUT(sink, "}}");
	} else if (number < 3 * devices + plan->options->streams) {
		uint64_t stream = number - 3 * devices, id = stream / devices ? 16 + 4 * (stream / devices) : 7;

		PUT_FIELD(sink, "{\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 1669783687384669.000, \"pid\": ",
		          stream % devices);
		PUT_FIELD(sink, ", \"tid\": ", id);
		PUT_FIELD(sink, ", \"args\": {\"name\": \"stream ", id);
		PUT(sink, "\"}}");
	} else if (number == 3 * devices + plan->options->streams) {
		PUT(sink, "{\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 1669783687384669.000, \"pid\": 783658, "
		          "\"tid\": 0, "
		          "\"args\": {\"name\": \"python\"}}");
	} else {
		PUT(sink, "{\"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\", \"pid\": "
		          "\"Traces\", "
		          "\"tid\": \"Trace PyTorch Profiler\", \"ts\": 1669783687384669.000}");
	}
}

/* ---- torch ------------------------------------------------------------------------------------------------------ */
static void write_common(struct sink *sink, bool is_kineto, const char *category, const char *name, size_t name_size,
                         const struct event *event)
{
	if (is_kineto)
		PUT(sink, "  {\n    \"ph\": \"X\", \"cat\": \"");
	else
		PUT(sink, "{\"ph\":\"X\",\"cat\":\"");
	put(sink, category, strlen(category));
	if (is_kineto) {
		PUT(sink, "\", \"name\": \"");
		put(sink, name, name_size);
		PUT_FIELD(sink, "\", \"pid\": ", event->pid);
		PUT_FIELD(sink, ", \"tid\": ", event->tid);
		PUT(sink, ",\n    \"ts\": ");
		put_time(sink, event->start_ns);
		PUT(sink, ", \"dur\": ");
		put_time(sink, event->dur_ns);
		PUT(sink, ",\n    \"args\": {\n      ");
	} else {
		PUT(sink, "\",\"name\":\"");
		put(sink, name, name_size);
		PUT_FIELD(sink, "\",\"pid\":", event->pid);
		PUT_FIELD(sink, ",\"tid\":", event->tid);
		PUT(sink, ",\"ts\":");
		put_time(sink, event->start_ns);
		PUT(sink, ",\"dur\":");
		put_time(sink, event->dur_ns);
		PUT(sink, ",\"args\":{");
	}
}

static void write_close(struct sink *sink, bool is_kineto)
{
	if (is_kineto)
		PUT(sink, "\n    }\n  }");
	else
		PUT(sink, "}}");
}

static void write_device(struct sink *sink, bool is_kineto, const struct event *event)
{
	static const char copy[] = "Memcpy HtoD (Pageable -> Device)", set[] = "Memset (Device)";
	uint64_t hash = event->hash;

	if (event->device_kind == DEVICE_KERNEL)
		write_common(sink, is_kineto, "kernel", event->name->text, event->name->size, event);
	else if (event->device_kind == DEVICE_MEMCPY)
		write_common(sink, is_kineto, "gpu_memcpy", copy, sizeof(copy) - 1, event);
	else
		write_common(sink, is_kineto, "gpu_memset", set, sizeof(set) - 1, event);
	if (!is_kineto) {
		PUT_FIELD(sink, "\"External id\":", event->external);
		PUT_FIELD(sink, ",\"device\":", event->device);
		PUT_FIELD(sink, ",\"stream\":", event->stream);
		PUT_FIELD(sink, ",\"correlation\":", event->correlation);
	} else {
		PUT_FIELD(sink, "\"External id\": ", event->external);
		PUT_FIELD(sink, ",\n      \"queued\": 0, \"device\": ", event->device);
		PUT_FIELD(sink, ", \"context\": 1,\n      \"stream\": ", event->stream);
		PUT_FIELD(sink, ", \"correlation\": ", event->correlation);
	}
	if (event->device_kind != DEVICE_KERNEL) {
		PUT_FIELD(sink, ", \"bytes\": ", (hash >> 20) % 4096 * 1024);
		if (event->device_kind == DEVICE_MEMCPY)
			PUT_FIELD(sink, ", \"memory bandwidth (GB/s)\": ", hash % 24);
	} else if (is_kineto) {
		PUT_FIELD(sink, ",\n      \"registers per thread\": ", 16 + hash % 240);
		PUT_FIELD(sink, ",\n      \"shared memory\": ", (hash >> 30) % 48 * 1024);
		PUT_FIELD(sink, ",\n      \"blocks per SM\": 0.", 1 + hash % 9);
		PUT_FIELD(sink, ",\n      \"grid\": [", 1 + (hash >> 12) % 4096);
		PUT_FIELD(sink, ", 1, 1], \"block\": [", 32u << (hash >> 8) % 5);
		PUT_FIELD(sink, ", 1, 1],\n      \"est. achieved occupancy %\": ", hash % 101);
	}
	write_close(sink, is_kineto);
}

static void write_runtime(struct sink *sink, bool is_kineto, const struct event *event)
{
	/* One that launches several kernels replays a graph; one whose kernel is behind the end launches nothing. */
	static const char one[] = "cudaLaunchKernel", many[] = "cudaGraphLaunch", none[] = "cudaEventQuery";
	const char *name = event->kernels == 1 ? one : event->kernels ? many : none;

	write_common(sink, is_kineto, "cuda_runtime", name, strlen(name), event);
	if (is_kineto) {
		PUT_FIELD(sink, "\"External id\": ", event->external);
		PUT_FIELD(sink, ", \"cbid\": 211, \"correlation\": ", event->correlation);
	} else {
		PUT_FIELD(sink, "\"External id\":", event->external);
		PUT_FIELD(sink, ",\"cbid\":211,\"correlation\":", event->correlation);
	}
	write_close(sink, is_kineto);
}

static void write_operator(struct sink *sink, bool is_kineto, const struct event *event)
{
	write_common(sink, is_kineto, "cpu_op", event->name->text, event->name->size, event);
	if (is_kineto)
		PUT_FIELD(sink, "\"External id\": ", event->external);
	else
		PUT_FIELD(sink, "\"External id\":", event->external);
	if (is_kineto && event->hash % 3 == 0) {
		PUT_FIELD(sink, ", \"Sequence number\": ", event->hash >> 40);
		PUT_FIELD(sink, ", \"Fwd thread id\": 0,\n      \"Input Dims\": [[", 1 + event->hash % 64);
		PUT_FIELD(sink, ", ", 1 + (event->hash >> 8) % 4096);
		PUT(sink, "], []], \"Input type\": [\"float\", \"Scalar\"]");
	}
	if (is_kineto)
		PUT_FIELD(sink, ", \"Ev Idx\": ", event->ev_idx);
	write_close(sink, is_kineto);
}

static void write_frame(struct sink *sink, bool is_kineto, const struct event *event)
{
	write_common(sink, is_kineto, "python_function", event->name->text, event->name->size, event);
	PUT(sink, "\"Python parent id\": ");
	if (event->correlation)
		put_number(sink, event->correlation);
	else
		PUT(sink, "null");
	PUT_FIELD(sink, ", \"Python id\": ", event->number + 1);
	if (is_kineto)
		PUT_FIELD(sink, ", \"Ev Idx\": ", event->ev_idx);
	write_close(sink, is_kineto);
}

static void write_flow(struct sink *sink, bool is_kineto, const struct event *event)
{
	bool is_end = event->kind == EVENT_FLOW_END;

	if (is_kineto)
		PUT(sink, "  {\n    \"ph\": \"");
	else
		PUT(sink, "{\"ph\": \"");
	*sink->at++ = is_end ? 'f' : 's';
	PUT_FIELD(sink, "\", \"id\": ", event->correlation);
	PUT_FIELD(sink, ", \"pid\": ", event->pid);
	PUT_FIELD(sink, ", \"tid\": ", event->tid);
	PUT(sink, ", \"ts\": ");
	put_time(sink, event->start_ns);
	if (is_kineto)
		PUT(sink, ",\n    ");
	else
		PUT(sink, ",");
	PUT(sink, "\"cat\": \"ac2g\", \"name\": \"ac2g\"");
	if (is_end)
		PUT(sink, ", \"bp\": \"e\"");
	if (is_kineto)
		PUT(sink, "\n  }");
	else
		PUT(sink, "}");
}

static void write_step(struct sink *sink, bool is_kineto, const struct event *event)
{
	char name[40] = "ProfilerStep#";
	struct sink text = {.at = name + 13};

	put_number(&text, event->number);
	write_common(sink, is_kineto, event->kind == EVENT_STEP ? "user_annotation" : "gpu_user_annotation", name,
	             (size_t)(text.at - name), event);
	if (event->kind == EVENT_DEVICE_STEP)
		PUT_FIELD(sink, "\"stream\": ", event->stream);
	else
		PUT_FIELD(sink, "\"External id\": ", event->external);
	if (event->kind == EVENT_STEP && is_kineto)
		PUT_FIELD(sink, ", \"Ev Idx\": ", event->ev_idx);
	write_close(sink, is_kineto);
}

/* ---- spyre-native: pairs, with the device's cycle stamps ----------------------------------------------------------
 */
static void write_native_half(struct sink *sink, const struct event *event, bool is_end)
{
	static const char *const stamps[] = {"TS1", "TS2", "TS3", "TS4", "TS5"};
	uint64_t cycles = (uint64_t)event->start_ns * 56 / 100, length = (uint64_t)event->dur_ns * 56 / 100;
	const struct name *name = event->name;

	PUT(sink, "{");
	if (event->kind != EVENT_OPERATOR) {
		PUT(sink, "\"attr\":{\"Power\":\"0x");
		put_hex(sink, (uint32_t)event->hash);
		for (unsigned i = 0; i < 5; i++) {
			PUT(sink, "\",\"");
			put(sink, stamps[i], 3);
			PUT(sink, "\":\"0x");
			put_hex(sink, (uint32_t)(cycles + (i < 2 ? 0 : length * (i - 1) / 4)));
		}
		PUT(sink, "\"},");
	}
	PUT(sink, "\"name\":\"");
	put(sink, name->text, name->size);
	if (event->kind == EVENT_DEVICE)
		PUT(sink, " Cmpt Exec");
	else if (event->kind == EVENT_PREP)
		PUT(sink, " Cmpt Prep");
	else if (event->kind == EVENT_DMA)
		put(sink, event->correlation ? " DmaO" : " DmaI", 5);
	if (is_end)
		PUT(sink, "\",\"ph\":\"E\",\"pid\":");
	else
		PUT(sink, "\",\"ph\":\"B\",\"pid\":");
	put_number(sink, event->pid);
	PUT_FIELD(sink, ",\"tid\":", event->tid);
	PUT(sink, ",\"ts\":");
	put_time(sink, event->start_ns + (is_end ? event->dur_ns : 0));
	PUT(sink, "}");
}

void write_event(struct sink *sink, const struct plan *plan, const struct event *event, bool is_first)
{
	bool is_kineto = plan->options->style == STYLE_KINETO && plan->options->form != FORM_LINES;

	sink_room(sink);
	put_separator(sink, plan->options, is_first);
	if (event->kind == EVENT_META) {
		write_meta(sink, plan, event->number);
		return;
	}
	if (plan->options->is_native) {
		write_native_half(sink, event, false);
		put_separator(sink, plan->options, false);
		write_native_half(sink, event, true);
		return;
	}
	switch (event->kind) {
	case EVENT_DEVICE:
		write_device(sink, is_kineto, event);
		break;
	case EVENT_RUNTIME:
		write_runtime(sink, is_kineto, event);
		break;
	case EVENT_FRAME:
		write_frame(sink, is_kineto, event);
		break;
	case EVENT_FLOW_START:
	case EVENT_FLOW_END:
		write_flow(sink, is_kineto, event);
		break;
	case EVENT_STEP:
	case EVENT_DEVICE_STEP:
		write_step(sink, is_kineto, event);
		break;
	default:
		write_operator(sink, is_kineto, event);
	}
}
